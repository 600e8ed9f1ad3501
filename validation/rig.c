/* rig.c - the small world of a case. */
#include "validation/rig.h"
#include "math/quat.h"
#include "math/scalar.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static int integrator_index(const char* name)
{
    const char* const* names = kin_particles_integrators();
    for (int i = 0; names[i] != NULL; ++i) {
        if (strcmp(names[i], name) == 0) return i;
    }
    return -1; /* refused by kin_particles_create, and so a failing row */
}

kin_rig kin_rig_begin(kin_case_run* run, const char* integrator, double h)
{
    kin_rig r = {.run = run,
                 .def = kin_world_def_default(),
                 .particles = kin_particles_def_default(),
                 .group = kin_particle_group_default(),
                 .dynamic_friction = {-1, -1}};
    r.def.threads = run->threads;
    r.def.time_step = h;
    r.def.gravity = kin_v(0, -10, 0);
    r.particles.integrator = integrator_index(integrator);
    r.particles.tolerance = KIN_RIG_TOLERANCE;
    r.group.radius = 0;
    return r;
}

bool kin_rig_ok(const kin_rig* r) { return r->result == KIN_OK; }

static void keep(kin_rig* r, kin_result result)
{
    if (r->result == KIN_OK) r->result = result;
}

void kin_rig_open(kin_rig* r)
{
    keep(r, kin_world_create(&r->def, &r->world, &r->error));
    if (!kin_rig_ok(r)) return;
    kin_material_def def = kin_material_def_default();
    def.name = "case";
    def.restitution = r->restitution;
    for (int i = 0; i < 2; ++i) {
        def.static_friction[i] = r->friction[i];
        def.dynamic_friction[i] = r->dynamic_friction[i] >= 0 ? r->dynamic_friction[i] : r->friction[i];
    }
    keep(r, kin_world_add_material(r->world, &def, &r->material, &r->error));
}

void kin_rig_close(kin_rig* r)
{
    if (!kin_rig_ok(r)) {
        char text[sizeof((kin_case_row_data*)0)->quantity];
        kin_error_text(&r->error, text, sizeof text);
        kin_case_row(r->run, "set-up", text, NAN, 0, 0, "");
    }
    kin_world_destroy(r->world);
    r->world = NULL;
}

static kin_collider_id add(kin_rig* r, const kin_collider_def* def)
{
    kin_collider_id id = {0};
    if (kin_rig_ok(r)) keep(r, kin_world_add_collider(r->world, def, &id, &r->error));
    return id;
}

kin_collider_id kin_rig_add(kin_rig* r, const kin_shape* shape, kin_vec3 position, kin_quat orientation)
{
    kin_collider_def def = kin_collider_def_default();
    def.shape = *shape;
    def.position = position;
    def.orientation = orientation;
    def.material = r->material;
    return add(r, &def);
}

kin_collider_id kin_rig_keyed(kin_rig* r, const kin_shape* shape, const kin_key* keys, size_t count)
{
    kin_collider_def def = kin_collider_def_default();
    def.shape = *shape;
    def.material = r->material;
    def.keys = keys;
    def.key_count = count;
    return add(r, &def);
}

kin_collider_id kin_rig_plane(kin_rig* r, kin_vec3 point, kin_vec3 normal)
{
    return kin_rig_add(r, &(kin_shape){.kind = KIN_SHAPE_PLANE, .normal = normal}, point, kin_quat_identity());
}

void kin_rig_room(kin_rig* r, kin_vec3 half, kin_quat turn)
{
    const double sizes[3] = {half.x, half.y, half.z};
    for (int side = 0; side < 6; ++side) {
        kin_vec3 normal = kin_rotate(turn, kin_scale(kin_axis(side % 3), side < 3 ? 1 : -1));
        kin_rig_plane(r, kin_scale(normal, -sizes[side % 3]), normal);
    }
}

void kin_rig_drag(kin_rig* r, double d)
{
    if (kin_rig_ok(r)) keep(r, kin_world_add_drag(r->world, d, NULL, &r->error));
}

void kin_rig_wind(kin_rig* r, kin_vec3 w)
{
    if (kin_rig_ok(r)) keep(r, kin_world_add_wind(r->world, w, NULL, &r->error));
}

void kin_rig_field(kin_rig* r, const char* kind, const void* def)
{
    if (kin_rig_ok(r)) keep(r, kin_world_add_field(r->world, kind, def, NULL, &r->error));
}

void kin_rig_create(kin_rig* r)
{
    if (kin_rig_ok(r)) keep(r, kin_particles_create(r->world, &r->particles, &r->system, &r->error));
}

static void create(kin_rig* r)
{
    r->group.material = r->material;
    r->particles.groups = &r->group;
    r->particles.group_count = 1;
    kin_rig_create(r);
}

void kin_rig_ball(kin_rig* r, kin_vec3 position, kin_vec3 velocity)
{
    r->group.position = position;
    r->group.velocity = velocity;
    create(r);
}

void kin_rig_balls(kin_rig* r, int64_t count, kin_vec3 center, kin_vec3 box, kin_vec3 spread)
{
    r->group.count = count;
    r->group.position = center;
    r->group.box = box;
    r->group.spread = spread;
    create(r);
}

void kin_rig_step(kin_rig* r)
{
    if (kin_rig_ok(r)) keep(r, kin_world_step(r->world, NULL, &r->error));
}

void kin_rig_steps(kin_rig* r, int64_t count)
{
    for (int64_t i = 0; i < count && kin_rig_ok(r); ++i) kin_rig_step(r);
}

size_t kin_rig_count(const kin_rig* r) { return kin_rig_ok(r) ? kin_particles_state(r->world, r->system).count : 0; }
kin_vec3 kin_rig_x_at(const kin_rig* r, size_t i) { return kin_rig_ok(r) ? kin_particle_position(r->world, r->system, i) : kin_v(NAN, NAN, NAN); }
kin_vec3 kin_rig_v_at(const kin_rig* r, size_t i) { return kin_rig_ok(r) ? kin_particle_velocity(r->world, r->system, i) : kin_v(NAN, NAN, NAN); }
kin_vec3 kin_rig_x(const kin_rig* r) { return kin_rig_x_at(r, 0); }
kin_vec3 kin_rig_v(const kin_rig* r) { return kin_rig_v_at(r, 0); }
bool kin_rig_resting(const kin_rig* r) { return kin_rig_ok(r) && kin_particles_state(r->world, r->system).resting[0] != 0; }

double kin_rig_measure(const kin_rig* r, const char* name)
{
    kin_measure list[32];
    if (!kin_rig_ok(r)) return NAN;
    size_t count = kin_world_measure(r->world, r->system.index1, list, 32);
    for (size_t i = 0; i < count && i < 32; ++i) {
        if (strcmp(list[i].name, name) == 0) return list[i].value;
    }
    return NAN;
}

double kin_rig_energy(const kin_rig* r) { return kin_rig_measure(r, "kinetic_energy") + kin_rig_measure(r, "potential_energy"); }

kin_vec3 kin_rig_momentum(const kin_rig* r)
{
    return kin_v(kin_rig_measure(r, "momentum_x"), kin_rig_measure(r, "momentum_y"), kin_rig_measure(r, "momentum_z"));
}

kin_vec3 kin_rig_angular(const kin_rig* r)
{
    return kin_v(kin_rig_measure(r, "angular_momentum_x"), kin_rig_measure(r, "angular_momentum_y"), kin_rig_measure(r, "angular_momentum_z"));
}

double kin_slope(const double* x, const double* y, int count)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; ++i) {
        double lx = kin_ln(x[i]), ly = kin_ln(y[i]);
        sx += lx;
        sy += ly;
        sxx += lx * lx;
        sxy += lx * ly;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}
