/* rig.c - the small world of a case of particle fluids. */
#include "validation/sph/rig.h"
#include "math/quat.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const kin_sph_solver kin_tank_solvers[5] = {KIN_SPH_WCSPH, KIN_SPH_PCISPH, KIN_SPH_IISPH, KIN_SPH_DFSPH, KIN_SPH_PBF};

const char* kin_tank_solver_name(kin_sph_solver solver)
{
    static const char* const names[] = {"by mode", "wcsph", "pcisph", "iisph", "dfsph", "pbf"};
    return names[solver];
}

kin_tank kin_tank_begin(kin_case_run* run, kin_sph_solver solver, double spacing, double h)
{
    kin_tank t = {.run = run, .def = kin_world_def_default(), .sph = kin_sph_def_default(), .phase_count = 1};
    t.def.threads = run->threads;
    t.def.time_step = h;
    t.sph.mode = KIN_SPH_EXACT;
    t.sph.solver = solver;
    t.sph.radius = 0.5 * spacing;
    t.sph.smoothing = 0;
    for (int i = 0; i < KIN_TANK_PHASES; ++i) {
        t.phases[i] = kin_sph_phase_def_default();
        t.phases[i].density = 1000;
        t.phases[i].viscosity = 0;
        t.phases[i].tension = 0;
    }
    return t;
}

void kin_tank_refine(kin_tank* t)
{
    t->sph.kernel = KIN_SPH_QUINTIC;
    t->sph.support = 6;
}

bool kin_tank_ok(const kin_tank* t) { return t->result == KIN_OK; }
double kin_tank_spacing(const kin_tank* t) { return 2 * t->sph.radius; }
double kin_tank_volume(const kin_tank* t) { return kin_square(kin_tank_spacing(t)) * (t->sph.flat ? 1 : kin_tank_spacing(t)); }

static void keep(kin_tank* t, kin_result result)
{
    if (t->result == KIN_OK) t->result = result;
}

void kin_tank_open(kin_tank* t)
{
    keep(t, kin_world_create(&t->def, &t->world, &t->error));
    if (!kin_tank_ok(t)) return;
    kin_material_def def = kin_material_def_default();
    def.name = "case";
    keep(t, kin_world_add_material(t->world, &def, &t->material, &t->error));
}

void kin_tank_create(kin_tank* t)
{
    t->sph.phases.data = t->phases;
    t->sph.phases.count = t->phase_count;
    t->sph.blocks.data = t->blocks;
    t->sph.blocks.count = t->block_count;
    if (kin_tank_ok(t)) keep(t, kin_sph_create(t->world, &t->sph, &t->system, &t->error));
}

void kin_tank_close(kin_tank* t)
{
    if (!kin_tank_ok(t)) {
        char text[sizeof((kin_case_row_data*)0)->quantity];
        kin_error_text(&t->error, text, sizeof text);
        kin_case_row(t->run, kin_tank_solver_name(t->sph.solver), text, NAN, 0, 0, "set-up");
    }
    kin_world_destroy(t->world);
    free(t->blocks);
    t->world = NULL;
    t->blocks = NULL;
}

/* ---- walls ---- */

static kin_collider_id add(kin_tank* t, kin_collider_def* def)
{
    kin_collider_id id = {0};
    def->material = t->material;
    if (kin_tank_ok(t)) keep(t, kin_world_add_collider(t->world, def, &id, &t->error));
    return id;
}

kin_collider_id kin_tank_collider(kin_tank* t, const kin_shape* shape, kin_vec3 position, kin_quat orientation)
{
    kin_collider_def def = kin_collider_def_default();
    def.shape = *shape;
    def.position = position;
    def.orientation = orientation;
    return add(t, &def);
}

kin_collider_id kin_tank_plane(kin_tank* t, kin_vec3 point, kin_vec3 normal)
{
    return kin_tank_collider(t, &(kin_shape){.kind = KIN_SHAPE_PLANE, .normal = normal}, point, kin_quat_identity());
}

kin_collider_id kin_tank_belt(kin_tank* t, kin_vec3 point, kin_vec3 normal, kin_vec3 velocity)
{
    const double long_time = 1000;
    const kin_key keys[2] = {{0, point, kin_quat_identity()}, {long_time, kin_add_scaled(point, long_time, velocity), kin_quat_identity()}};
    kin_collider_def def = kin_collider_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = normal};
    def.keys = keys;
    def.key_count = 2;
    return add(t, &def);
}

void kin_tank_room(kin_tank* t, kin_vec3 low, kin_vec3 high)
{
    for (int axis = 0; axis < (t->sph.flat ? 2 : 3); ++axis) {
        if (isfinite(kin_component(low, axis))) kin_tank_plane(t, kin_scale(kin_axis(axis), kin_component(low, axis)), kin_axis(axis));
        if (isfinite(kin_component(high, axis))) kin_tank_plane(t, kin_scale(kin_axis(axis), kin_component(high, axis)), kin_neg(kin_axis(axis)));
    }
}

void kin_tank_field(kin_tank* t, const char* kind, const void* def)
{
    if (kin_tank_ok(t)) keep(t, kin_world_add_field(t->world, kind, def, NULL, &t->error));
}

/* ---- what is in it ---- */

kin_sph_block* kin_tank_block(kin_tank* t)
{
    if (t->block_count == t->block_capacity) {
        size_t capacity = t->block_capacity > 0 ? 2 * t->block_capacity : 16;
        kin_sph_block* blocks = realloc(t->blocks, capacity * sizeof *blocks);
        if (blocks == NULL) {
            keep(t, KIN_ERROR_MEMORY);
            return NULL;
        }
        t->blocks = blocks;
        t->block_capacity = capacity;
    }
    kin_sph_block* block = &t->blocks[t->block_count++];
    *block = kin_sph_block_default();
    return block;
}

void kin_tank_fill(kin_tank* t, kin_vec3 low, kin_vec3 high)
{
    kin_sph_block* block = kin_tank_block(t);
    if (block == NULL) return;
    kin_vec3 size = kin_sub(high, low);
    if (t->sph.flat) size.z = kin_tank_spacing(t);
    block->shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = size};
    block->position = kin_lerp(low, high, 0.5);
}

void kin_tank_put(kin_tank* t, kin_vec3 x, kin_vec3 v, double temperature)
{
    kin_sph_block* block = kin_tank_block(t);
    if (block == NULL) return;
    const double size = kin_tank_spacing(t);
    block->shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {size, size, size}};
    block->position = x;
    block->velocity = v;
    if (temperature > 0) block->temperature = temperature;
}

uint32_t kin_tank_body(kin_tank* t, const kin_body_def* def)
{
    kin_body_def body = *def;
    uint32_t index = 0;
    body.material = t->material;
    if (kin_tank_ok(t) && t->bodies.index1 == 0) {
        kin_rigid_def rigid = kin_rigid_def_default();
        rigid.sleep = false;
        keep(t, kin_rigid_create(t->world, &rigid, &t->bodies, &t->error));
    }
    if (kin_tank_ok(t)) keep(t, kin_rigid_add_body(t->world, t->bodies, &body, &index, &t->error));
    return index;
}

kin_body_state kin_tank_body_state(const kin_tank* t, uint32_t body)
{
    const kin_vec3 none = {NAN, NAN, NAN};
    if (!kin_tank_ok(t)) return (kin_body_state){.velocity = none, .spin = none, .center = none, .mass = NAN};
    return kin_rigid_state(t->world, t->bodies, body);
}

void kin_tank_step(kin_tank* t)
{
    if (kin_tank_ok(t)) keep(t, kin_world_step(t->world, NULL, &t->error));
}

void kin_tank_until(kin_tank* t, double time)
{
    while (kin_tank_ok(t) && kin_world_time(t->world) < time - 0.5 * t->def.time_step) kin_tank_step(t);
}

/* ---- what it is like ---- */

size_t kin_tank_count(const kin_tank* t) { return kin_tank_ok(t) ? kin_sph_state(t->world, t->system).count : 0; }

static kin_tank_particle particle(const kin_tank* t, const kin_sph_view* s, size_t i)
{
    const float *x = s->position + 4 * i, *v = s->velocity + 4 * i;
    double density = s->density[i];
    return (kin_tank_particle){
        .x = kin_add(s->origin, kin_v(x[0], x[1], x[2])),
        .v = kin_v(v[0], v[1], v[2]),
        .mass = t->phases[s->phase[i]].density * kin_tank_volume(t),
        .density = density,
        .pressure = s->pressure[i],
        .multiplier = s->multiplier[i] * density * density,
        .temperature = s->temperature != NULL ? s->temperature[i] : NAN,
        .serial = s->serial[i],
    };
}

kin_tank_particle kin_tank_at(const kin_tank* t, size_t i)
{
    kin_sph_view s = kin_sph_state(t->world, t->system);
    return particle(t, &s, i);
}

kin_tank_sums kin_tank_sums_of(const kin_tank* t)
{
    const kin_vec3 far = {INFINITY, INFINITY, INFINITY};
    kin_tank_sums sum = {.box = {far, kin_neg(far)}};
    if (!kin_tank_ok(t))
        return (kin_tank_sums){.mass = NAN, .kinetic = NAN, .speed = NAN, .density = NAN, .center = {NAN, NAN, NAN}, .momentum = {NAN, NAN, NAN}};
    kin_sph_view s = kin_sph_state(t->world, t->system);
    sum.count = s.count;
    for (size_t i = 0; i < s.count; ++i) {
        kin_tank_particle p = particle(t, &s, i);
        kin_vec3 momentum = kin_scale(p.v, p.mass);
        sum.mass += p.mass;
        sum.kinetic += 0.5 * kin_dot(momentum, p.v);
        sum.speed = kin_max(sum.speed, kin_length(p.v));
        sum.density = kin_max(sum.density, p.density);
        sum.center = kin_add_scaled(sum.center, p.mass, p.x);
        sum.momentum = kin_add(sum.momentum, momentum);
        sum.angular = kin_add(sum.angular, kin_cross(p.x, momentum));
        sum.box = (kin_aabb){kin_min3(sum.box.low, p.x), kin_max3(sum.box.high, p.x)};
    }
    sum.center = kin_scale(sum.center, 1 / sum.mass);
    return sum;
}

double kin_tank_measure(const kin_tank* t, const char* name)
{
    kin_measure list[64];
    if (!kin_tank_ok(t)) return NAN;
    size_t count = kin_world_measure(t->world, t->system.index1, list, 64);
    for (size_t i = 0; i < count && i < 64; ++i) {
        if (strcmp(list[i].name, name) == 0) return list[i].value;
    }
    return NAN;
}
