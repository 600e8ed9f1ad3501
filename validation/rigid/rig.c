/* rig.c - the small world of a case of rigid bodies. */
#include "validation/rigid/rig.h"
#include "math/quat.h"
#include <math.h>
#include <string.h>

kin_yard kin_yard_begin(kin_case_run* run, kin_rigid_mode mode, double h)
{
    kin_yard y = {.run = run, .def = kin_world_def_default(), .rigid = kin_rigid_def_default(), .body = kin_body_def_default()};
    y.def.threads = run->threads;
    y.def.time_step = h;
    y.rigid.mode = mode;
    y.rigid.sleep = false;
    y.body.mass = 1;
    return y;
}

bool kin_yard_ok(const kin_yard* y) { return y->result == KIN_OK; }
const char* kin_yard_mode(const kin_yard* y) { return y->rigid.mode == KIN_RIGID_EXACT ? "exact" : "realtime"; }

static void keep(kin_yard* y, kin_result result)
{
    if (y->result == KIN_OK) y->result = result;
}

void kin_yard_open(kin_yard* y)
{
    keep(y, kin_world_create(&y->def, &y->world, &y->error));
    if (!kin_yard_ok(y)) return;
    kin_material_def def = kin_material_def_default();
    def.name = "case";
    def.restitution = y->restitution;
    for (int i = 0; i < 2; ++i) def.static_friction[i] = def.dynamic_friction[i] = y->friction;
    def.rolling_friction = y->rolling;
    def.spinning_friction = y->spinning;
    keep(y, kin_world_add_material(y->world, &def, &y->material, &y->error));
    if (kin_yard_ok(y)) keep(y, kin_rigid_create(y->world, &y->rigid, &y->system, &y->error));
}

void kin_yard_close(kin_yard* y)
{
    if (!kin_yard_ok(y)) {
        char text[sizeof((kin_case_row_data*)0)->quantity];
        kin_error_text(&y->error, text, sizeof text);
        kin_case_row(y->run, kin_yard_mode(y), text, NAN, 0, 0, "set-up");
    }
    kin_world_destroy(y->world);
    y->world = NULL;
}

kin_collider_id kin_yard_collider(kin_yard* y, const kin_shape* shape, kin_vec3 position, kin_quat orientation)
{
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id = {0};
    def.shape = *shape;
    def.position = position;
    def.orientation = orientation;
    def.material = y->material;
    if (kin_yard_ok(y)) keep(y, kin_world_add_collider(y->world, &def, &id, &y->error));
    return id;
}

kin_collider_id kin_yard_plane(kin_yard* y, kin_vec3 point, kin_vec3 normal)
{
    return kin_yard_collider(y, &(kin_shape){.kind = KIN_SHAPE_PLANE, .normal = normal}, point, kin_quat_identity());
}

void kin_yard_field(kin_yard* y, const char* kind, const void* def)
{
    if (kin_yard_ok(y)) keep(y, kin_world_add_field(y->world, kind, def, NULL, &y->error));
}

uint32_t kin_yard_add(kin_yard* y, const kin_body_def* def)
{
    kin_body_def body = *def;
    uint32_t index = 0;
    body.material = y->material;
    if (kin_yard_ok(y)) keep(y, kin_rigid_add_body(y->world, y->system, &body, &index, &y->error));
    return index;
}

static uint32_t add_shape(kin_yard* y, kin_shape shape, kin_vec3 position, kin_vec3 velocity)
{
    kin_body_def def = y->body;
    def.shape = shape;
    def.position = position;
    def.velocity = velocity;
    return kin_yard_add(y, &def);
}

uint32_t kin_yard_box(kin_yard* y, kin_vec3 size, kin_vec3 position, kin_vec3 velocity)
{
    return add_shape(y, (kin_shape){.kind = KIN_SHAPE_BOX, .size = size}, position, velocity);
}

uint32_t kin_yard_ball(kin_yard* y, double radius, kin_vec3 position, kin_vec3 velocity)
{
    return add_shape(y, (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = radius}, position, velocity);
}

uint32_t kin_yard_join(kin_yard* y, const kin_joint_def* def)
{
    uint32_t index = 0;
    if (kin_yard_ok(y)) keep(y, kin_rigid_add_joint(y->world, y->system, def, &index, &y->error));
    return index;
}

void kin_yard_step(kin_yard* y)
{
    if (kin_yard_ok(y)) keep(y, kin_world_step(y->world, NULL, &y->error));
}

void kin_yard_steps(kin_yard* y, int64_t count)
{
    for (int64_t i = 0; i < count && kin_yard_ok(y); ++i) kin_yard_step(y);
}

kin_body_state kin_yard_state(const kin_yard* y, uint32_t body)
{
    const kin_vec3 none = {NAN, NAN, NAN};
    if (!kin_yard_ok(y))
        return (kin_body_state){.pose = {none, {NAN, NAN, NAN, NAN}}, .velocity = none, .spin = none, .center = none, .moments = none, .mass = NAN};
    return kin_rigid_state(y->world, y->system, body);
}

kin_vec3 kin_yard_angular(const kin_body_state* s) { return kin_rotate(s->pose.orientation, kin_mul(s->moments, kin_unrotate(s->pose.orientation, s->spin))); }

double kin_yard_kinetic(const kin_body_state* s) { return 0.5 * (s->mass * kin_length2(s->velocity) + kin_dot(s->spin, kin_yard_angular(s))); }

double kin_yard_measure(const kin_yard* y, const char* name)
{
    kin_measure list[64];
    if (!kin_yard_ok(y)) return NAN;
    size_t count = kin_world_measure(y->world, y->system.index1, list, 64);
    for (size_t i = 0; i < count && i < 64; ++i) {
        if (strcmp(list[i].name, name) == 0) return list[i].value;
    }
    return NAN;
}

double kin_yard_time_of(kin_yard* y, double (*value)(const kin_yard* y), double most)
{
    double before = value(y);
    while (kin_yard_ok(y) && kin_world_time(y->world) < most) {
        kin_yard_step(y);
        double now = value(y);
        if ((before > 0) != (now > 0)) return kin_world_time(y->world) - y->def.time_step * now / (now - before);
        before = now;
    }
    return NAN;
}
