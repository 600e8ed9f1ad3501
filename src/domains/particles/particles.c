/* particles.c - the particle system: its birth, anchors, measures, picture and state. The table at the end is the table of contents.
 *
 * predict (motion.c) moves every block freely into `next`; commit (commit.c) asks the collision service which of those paths meet a solid and redoes
 * those particles alone, so the cost of collisions is paid where they are. */
#include "domains/particles/particles.h"
#include "base/alloc.h"
#include "base/error.h"
#include "domains/particles/meet.h"
#include <stdio.h>
#include <string.h>

/* ---- birth ---- */

static kin_result check_groups(const kin_birth* birth, const kin_particles_def* def, kin_error* error)
{
    for (size_t i = 0; i < def->group_count; ++i) {
        char path[40];
        snprintf(path, sizeof path, "particles[%zu]", i);
        kin_result result = kin_params_check(kin_particle_group_params, &def->groups[i], path, error);
        if (result != KIN_OK) return result;
        if (def->groups[i].material.index1 >= birth->materials->count) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "no such material");
    }
    return KIN_OK;
}

static void choose_method(kin_particles* p)
{
    p->method = kin_ode_method_at(p->simd, p->def.integrator);
    p->straight = kin_path_is_straight(p->method);
}

static void particles_destroy(void* self) { kin_particles_free(self); }

static void particles_changed(void* self, const kin_param* param)
{
    (void)param;
    kin_particles* p = self;
    choose_method(p);
    p->memory_h = 0;
    for (size_t i = 0; i < p->count; ++i) p->flags[i] |= KIN_PARTICLE_TOUCHING; /* what rested may not any more */
}

static kin_result particles_create(const kin_birth* birth, const void* def_, void** self, kin_error* error)
{
    const kin_particles_def* def = def_;
    kin_result result = kin_params_check(kin_particles_params, def, "", error);
    if (result == KIN_OK) result = check_groups(birth, def, error);
    if (result != KIN_OK) return result;
    kin_particles* p = kin_alloc_zero(&birth->allocator, sizeof *p);
    if (p == NULL) return kin_fail_memory(error, "particles", sizeof *p);
    p->allocator = birth->allocator;
    p->simd = birth->simd;
    p->def = *def;
    p->def.name = NULL;
    p->def.groups = NULL;
    p->def.group_count = 0;
    bool meet = def->contacts != KIN_CONTACTS_NONE;
    if (!kin_particles_reserve(p, kin_particles_total(def)) || (meet && kin_meetings_create(&p->allocator, &p->meetings) != KIN_OK)) {
        kin_particles_free(p);
        return kin_fail_memory(error, "particles", kin_particles_bytes(def));
    }
    for (size_t i = 0; i < def->group_count; ++i) {
        for (int64_t k = 0; k < def->groups[i].count; ++k) kin_particles_add(p, birth, &def->groups[i]);
    }
    particles_changed(p, NULL);
    *self = p;
    return KIN_OK;
}

static void* particles_def(void* self) { return &((kin_particles*)self)->def; }
static size_t particles_count(const void* self) { return ((const kin_particles*)self)->count; }

/* ---- stages ---- */

static kin_status particles_predict(void* self, kin_step* step)
{
    kin_particles* p = self;
    if (step->interval == 0) memset(p->moved, 0, p->count);
    kin_particles_move(p, step);
    p->stale = false;
    return KIN_STATUS_OK;
}

/* ---- anchors ---- */

/* A point turns with nothing: the local point is an offset, and spin is zero. */
static void particles_motion(const void* self, const kin_anchor* a, int n, double s, kin_motion* out)
{
    (void)s;
    const kin_particles* p = self;
    for (int i = 0; i < n; ++i) {
        KIN_ASSERT(a[i].element < p->count);
        out[i] = (kin_motion){{kin_add(kin_get3(p->x, a[i].element), a[i].local), kin_quat_identity()}, kin_get3(p->v, a[i].element), {0, 0, 0}};
    }
}

static double give(const kin_particles* p, uint32_t i) { return p->mobility[i] == KIN_MOBILITY_DYNAMIC ? p->inv_mass[i] : 0; }

static void particles_respond(const void* self, const kin_anchor* a, const kin_wrench* impulse, int n, kin_twist* dv)
{
    const kin_particles* p = self;
    for (int i = 0; i < n; ++i) dv[i] = (kin_twist){kin_scale(impulse[i].impulse, give(p, a[i].element)), {0, 0, 0}};
}

static void particles_push(void* self, const kin_anchor* a, const kin_wrench* impulse, int n)
{
    kin_particles* p = self;
    for (int i = 0; i < n; ++i) {
        uint32_t k = a[i].element;
        kin_put3(p->v, k, kin_add_scaled(kin_get3(p->v, k), give(p, k), impulse[i].impulse));
        p->flags[k] |= KIN_PARTICLE_FRESH | KIN_PARTICLE_TOUCHING;
    }
    p->stale = true;
}

static bool particles_place(void* self, uint32_t element, kin_vec3 position, kin_vec3 velocity)
{
    kin_particles* p = self;
    if (element >= p->count) return false;
    kin_put3(p->x, element, position);
    kin_put3(p->v, element, velocity);
    p->flags[element] = KIN_PARTICLE_FRESH | KIN_PARTICLE_TOUCHING;
    p->stale = true;
    return true;
}

static bool particles_set_mobility(void* self, uint32_t element, kin_mobility mobility)
{
    kin_particles* p = self;
    if (element >= p->count) return false;
    p->mobility[element] = (uint8_t)mobility;
    p->flags[element] = KIN_PARTICLE_FRESH | KIN_PARTICLE_TOUCHING;
    return true;
}

/* ---- being seen ---- */

static void particles_measure(const void* self, const kin_step* step, kin_budget* sum)
{
    const kin_particles* p = self;
    double kinetic = 0, potential = 0, mass = 0, active = 0, resting = 0;
    kin_vec3 momentum = {0, 0, 0}, angular = {0, 0, 0};
    for (size_t i = 0; i < p->count; ++i) {
        if (p->mobility[i] == KIN_MOBILITY_INACTIVE) continue;
        kin_vec3 x = kin_get3(p->x, i), v = kin_get3(p->v, i);
        kinetic += 0.5 * p->mass[i] * kin_length2(v);
        potential += kin_fields_potential(step->fields, p->mass[i], x, step->time);
        momentum = kin_add_scaled(momentum, p->mass[i], v);
        angular = kin_add_scaled(angular, p->mass[i], kin_cross(x, v));
        mass += p->mass[i];
        active += 1;
        resting += p->resting[i];
    }
    kin_budget_add(sum, "kinetic_energy", "J", kinetic);
    kin_budget_add(sum, "potential_energy", "J", potential);
    kin_budget_add(sum, "dissipated_energy", "J", p->dissipated);
    kin_budget_add(sum, "momentum_x", "kg m/s", momentum.x);
    kin_budget_add(sum, "momentum_y", "kg m/s", momentum.y);
    kin_budget_add(sum, "momentum_z", "kg m/s", momentum.z);
    kin_budget_add(sum, "angular_momentum_x", "kg m^2/s", angular.x);
    kin_budget_add(sum, "angular_momentum_y", "kg m^2/s", angular.y);
    kin_budget_add(sum, "angular_momentum_z", "kg m^2/s", angular.z);
    kin_budget_add(sum, "mass", "kg", mass);
    kin_budget_add(sum, "count", "", active);
    kin_budget_add(sum, "resting", "", resting);
    kin_budget_add(sum, "hits", "", (double)p->hits);
}

static void particles_moved(const void* self, uint32_t system, kin_moved_list* out)
{
    const kin_particles* p = self;
    for (size_t i = 0; i < p->count; ++i) {
        if (p->moved[i]) kin_moved_add(out, system, (uint32_t)i, (kin_transform){kin_get3(p->x, i), kin_quat_identity()});
    }
}

static bool shows(const kin_particles* p, size_t i, uint32_t material) { return p->mobility[i] != KIN_MOBILITY_INACTIVE && p->material[i] == material; }

static void put_float3(float* out, kin_vec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

/* All of one material make a layer. */
static void capture_material(const kin_particles* p, const char* name, uint32_t material, const kin_look* look, uint64_t count, kin_capture* capture)
{
    kin_look with_streak = *look;
    with_streak.streak = (float)p->def.streak;
    kin_capture_layer(capture, name, KIN_LAYER_POINTS, &with_streak);
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, count);
    float* velocities = kin_capture_array(capture, "velocity", KIN_F32, 3, count);
    float* radii = kin_capture_array(capture, "radius", KIN_F32, 1, count);
    uint64_t* ids = kin_capture_array(capture, "id", KIN_U64, 1, count);
    if (ids == NULL) return;
    for (size_t i = 0, k = 0; i < p->count; ++i) {
        if (!shows(p, i, material)) continue;
        put_float3(positions + 3 * k, kin_sub(kin_get3(p->x, i), capture->frame.origin));
        put_float3(velocities + 3 * k, kin_get3(p->v, i));
        radii[k] = (float)p->radius[i];
        ids[k++] = p->serial[i];
    }
}

static void particles_capture(const void* self, const char* name, const kin_materials* materials, kin_capture* capture)
{
    const kin_particles* p = self;
    bool first = true;
    for (uint32_t m = 0; m < materials->count; ++m) {
        uint64_t count = 0;
        for (size_t i = 0; i < p->count; ++i) count += shows(p, i, m);
        if (count == 0) continue;
        char layer[sizeof((kin_layer*)0)->name];
        snprintf(layer, sizeof layer, first ? "%s" : "%s/%s", name, materials->items[m].name);
        capture_material(p, layer, m, &materials->items[m].look, count, capture);
        first = false;
    }
}

/* ---- state ---- */

static void visit3(kin_visitor* v, double* const array[3], size_t count)
{
    for (int axis = 0; axis < 3; ++axis) kin_visit_f64s(v, array[axis], count);
}

static void particles_visit(void* self, kin_visitor* v)
{
    kin_particles* p = self;
    size_t count = kin_visit_count(v, p->count);
    if (v->mode == KIN_VISIT_LOAD && !kin_particles_reserve(p, count)) kin_visit_fail(v, KIN_ERROR_MEMORY);
    if (v->result != KIN_OK) return;
    p->count = count;
    kin_params_visit(kin_particles_params, &p->def, v);
    visit3(v, p->x, count);
    visit3(v, p->v, count);
    kin_visit_f64s(v, p->mass, count);
    kin_visit_f64s(v, p->inv_mass, count);
    kin_visit_f64s(v, p->radius, count);
    kin_visit_u32s(v, p->material, count);
    kin_visit_u64s(v, p->serial, count);
    kin_visit_u8s(v, p->mobility, count);
    kin_visit_u8s(v, p->flags, count);
    kin_visit_u8s(v, p->resting, count);
    kin_visit_f64(v, &p->memory_h);
    kin_visit_f64(v, &p->dissipated);
    kin_visit_u64(v, &p->hits);
    if (v->mode == KIN_VISIT_LOAD) choose_method(p);
    if (p->method->restart != NULL) visit3(v, p->memory, count);
    if (p->meetings != NULL) kin_meetings_visit(p->meetings, count, v);
}

/* ---- the public face ---- */

kin_result kin_particles_create(kin_world* world, const kin_particles_def* def, kin_system_id* out, kin_error* error)
{
    return kin_world_add_system(world, &kin_particles_ops, def->name, def, out, error);
}

kin_particles_view kin_particles_state(const kin_world* world, kin_system_id id)
{
    const kin_particles* p = kin_world_system_self(world, id, &kin_particles_ops);
    return (kin_particles_view){p->count, p->x[0], p->x[1], p->x[2], p->v[0], p->v[1], p->v[2], p->mass, p->radius, p->serial, p->mobility, p->resting};
}

kin_vec3 kin_particle_position(const kin_world* world, kin_system_id id, size_t index)
{
    const kin_particles* p = kin_world_system_self(world, id, &kin_particles_ops);
    KIN_ASSERT(index < p->count);
    return kin_get3(p->x, index);
}

kin_vec3 kin_particle_velocity(const kin_world* world, kin_system_id id, size_t index)
{
    const kin_particles* p = kin_world_system_self(world, id, &kin_particles_ops);
    KIN_ASSERT(index < p->count);
    return kin_get3(p->v, index);
}

const kin_system_ops kin_particles_ops = {
    .name = "particles",
    .doc = "Point masses with a radius that fall, drift, bounce, slide and come to rest.",
    .params = kin_particles_params,
    .def_size = sizeof(kin_particles_def),
    .offers = KIN_OFFERS_POINTS,
    .rank = 3,
    .bytes = kin_particles_bytes,
    .create = particles_create,
    .destroy = particles_destroy,
    .count = particles_count,
    .def = particles_def,
    .changed = particles_changed,
    .predict = particles_predict,
    .commit = kin_particles_commit,
    .motion = particles_motion,
    .respond = particles_respond,
    .push = particles_push,
    .place = particles_place,
    .set_mobility = particles_set_mobility,
    .measure = particles_measure,
    .moved = particles_moved,
    .capture = particles_capture,
    .visit = particles_visit,
};
