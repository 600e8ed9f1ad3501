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

static void choose_method(kin_particles* p)
{
    const kin_integrator* row = kin_integrator_at(p->def.integrator);
    p->integrator = row;
    p->method = kin_ode_method_named(p->simd, row->method != NULL ? row->method : "rk4");
    p->straight = row->kind == KIN_INTEGRATOR_FIXED && kin_path_is_straight(p->method);
    static const kin_implicit_solver solvers[] = {KIN_IMPLICIT_DENSE, KIN_IMPLICIT_DENSE, KIN_IMPLICIT_SPARSE, KIN_IMPLICIT_MATRIX_FREE};
    p->settings = kin_integrator_settings_default();
    p->settings.adaptive.rule = (kin_adaptive_rule)p->def.step_rule;
    p->settings.adaptive.absolute = p->settings.adaptive.relative = p->def.tolerance;
    p->settings.adaptive.minimum = p->def.min_step;
    p->settings.adaptive.global = p->def.tolerance_per == KIN_TOLERANCE_PER_INTERVAL;
    p->settings.solver = solvers[p->def.solver];
    p->settings.newton_absolute = p->settings.newton_relative = kin_max(1e-3 * p->def.tolerance, 1e-12);
}

static bool keeps_memory(const kin_particles* p) { return p->integrator->kind == KIN_INTEGRATOR_FIXED && p->method->restart != NULL; }

static void particles_destroy(void* self) { kin_particles_free(self); }

/* A method that keeps a memory has room for one from its birth: without it the change is not made. */
static void particles_changed(void* self, const kin_param* param)
{
    (void)param;
    kin_particles* p = self;
    choose_method(p);
    p->memory_h = 0;
    p->step_memory = (kin_integrator_memory){0};
    p->lacks_memory = keeps_memory(p) && !kin_particles_need(p, KIN_COLUMN_MEMORY);
    for (size_t i = 0; i < p->count; ++i) p->flags[i] |= KIN_PARTICLE_TOUCHING; /* what rested may not any more */
}

static kin_result make_volume(kin_particles* p, const kin_birth* birth, kin_error* error)
{
    const kin_particle_volume* v = &p->def.volume;
    if (v->box.x == 0 && v->box.y == 0 && v->box.z == 0) return KIN_OK;
    kin_vec3 half = kin_scale(v->box, 0.5);
    kin_density_def def = {.low = kin_sub(v->center, half),
                           .high = kin_add(v->center, half),
                           .resolution = v->resolution,
                           .fade = v->fade,
                           .disperse = v->disperse,
                           .flow = v->flow,
                           .noise = v->noise,
                           .noise_size = v->noise_size,
                           .noise_rate = v->noise_rate,
                           .seed = birth->seed};
    return kin_density_create(&p->allocator, &def, &p->volume, error);
}

/* The def is kept with all it holds; groups and springs become particles and links. */
static kin_result fill(kin_particles* p, const kin_birth* birth, const kin_particles_def* def, kin_error* error)
{
    kin_particles_def kept = *def;
    kept.name = NULL;
    kept.groups = NULL;
    kept.group_count = 0;
    kept.springs.data = NULL;
    kept.springs.count = 0;
    p->def = kept;
    if (def->inside != KIN_INSIDE_PUSH_OUT) p->columns |= KIN_COLUMN_INSIDE;
    if (!kin_params_copy(kin_particles_params, sizeof p->def, &kept, &p->arena, &p->def)) return kin_fail_memory(error, "particles", sizeof kept);
    kin_result result = kin_particles_make_kinds(p, birth, error);
    if (result == KIN_OK) result = make_volume(p, birth, error);
    if (result == KIN_OK) result = kin_particles_add_groups(p, birth, def, error);
    if (result == KIN_OK) kin_particles_deviate(p, birth->seed, birth->system, 0, 0);
    return result;
}

static kin_result particles_create(const kin_birth* birth, const void* def, void** self, kin_error* error)
{
    kin_result result = kin_params_check(kin_particles_params, def, "", error);
    if (result != KIN_OK) return result;
    kin_particles* p = kin_alloc_zero(&birth->allocator, sizeof *p);
    if (p == NULL) return kin_fail_memory(error, "particles", sizeof *p);
    p->allocator = birth->allocator;
    p->simd = birth->simd;
    p->fields = birth->fields;
    p->materials = birth->materials;
    kin_arena_init(&p->arena, &p->allocator);
    kin_reactions_init(&p->reactions, &p->allocator);
    result = fill(p, birth, def, error);
    if (result == KIN_OK && p->def.contacts != KIN_CONTACTS_NONE && kin_meetings_create(&p->allocator, &p->meetings) != KIN_OK)
        result = kin_fail_memory(error, "contacts", 0);
    if (result == KIN_OK) particles_changed(p, NULL);
    if (result == KIN_OK && p->lacks_memory) result = kin_fail_memory(error, "particles", kin_particles_bytes(def));
    if (result == KIN_OK)
        *self = p;
    else
        kin_particles_free(p);
    return result;
}

static void* particles_def(void* self) { return &((kin_particles*)self)->def; }
static size_t particles_count(const void* self) { return ((const kin_particles*)self)->count; }

static bool particles_has(const void* self, uint32_t element)
{
    const kin_particles* p = self;
    return element < p->count && !(p->flags[element] & KIN_PARTICLE_DEAD);
}

/* ---- stages ---- */

/* An implicit step that finds no root may find one when it is shorter. */
static void particles_plan(const void* self, kin_plan* plan)
{
    const kin_particles* p = self;
    plan->may_refuse = p->integrator->implicit && !p->integrator->adaptive;
}

static kin_status particles_predict(void* self, kin_step* step)
{
    kin_particles* p = self;
    if (step->interval == 0 && p->count > 0) memset(p->moved, 0, p->count);
    for (size_t i = 0; step->interval > 0 && i < p->count; ++i) p->moved[i] = p->moved[i] != 0; /* bit 0: in an earlier interval */
    p->stale = false;
    kin_particles_begin_hits(p);
    return kin_particles_move(p, step);
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

static double give(const kin_particles* p, uint32_t i) { return p->mobility[i] == KIN_MOBILITY_DYNAMIC ? 1 / p->mass[i] : 0; }

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

static bool particles_meets_points(const void* self) { return ((const kin_particles*)self)->meetings != NULL; }

static void particles_points(const void* self, kin_system_point* out)
{
    const kin_particles* p = self;
    for (size_t i = 0; i < p->count; ++i) {
        bool there = p->mobility[i] != KIN_MOBILITY_INACTIVE, still = p->mobility[i] == KIN_MOBILITY_STATIC;
        kin_vec3 v = still ? kin_v(0, 0, 0) : kin_get3(p->v, i);
        out[i] = (kin_system_point){.position = kin_get3(p->x, i),
                                    .velocity = v,
                                    .end_velocity = still || p->resting[i] ? v : kin_get3(p->next_v, i),
                                    .inv_mass = give(p, (uint32_t)i),
                                    .radius = p->radius[i],
                                    .rest_speed = p->def.rest_speed,
                                    .material = p->material[i],
                                    .surface = kin_particle_surface(p, i),
                                    .meets = there && p->kinds[p->kind[i]].def->meets_others && kin_finite3(kin_get3(p->next_v, i))};
    }
}

static void particles_met(void* self, const kin_system_meeting* meeting)
{
    kin_particles* p = self;
    p->dissipated += meeting->lost;
    p->hits += meeting->hit;
    if (meeting->hit) kin_particles_note_hit(p, meeting->element, (kin_particle_hit){true, meeting->time, meeting->place, meeting->other});
}

static bool particles_place(void* self, uint32_t element, kin_vec3 position, kin_vec3 velocity)
{
    kin_particles* p = self;
    if (!particles_has(p, element)) return false;
    kin_put3(p->x, element, position);
    kin_put3(p->v, element, velocity);
    if (p->columns & KIN_COLUMN_TRAIL) p->trail_count[element] = 0; /* it did not go there */
    p->flags[element] = KIN_PARTICLE_FRESH | KIN_PARTICLE_TOUCHING;
    p->stale = true;
    return true;
}

static bool particles_set_mobility(void* self, uint32_t element, kin_mobility mobility)
{
    kin_particles* p = self;
    if (!particles_has(p, element)) return false;
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
    potential += kin_particles_mutual_potential(p, step);
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
    kin_budget_add(sum, "born", "", (double)p->born);
    kin_budget_add(sum, "died", "", (double)p->died);
    if (p->volume != NULL) kin_budget_add(sum, "volume_mass", "kg", kin_density_mass(p->volume));
}

static void particles_moved(const void* self, uint32_t system, kin_moved_list* out)
{
    const kin_particles* p = self;
    for (size_t i = 0; i < p->count; ++i) {
        if (p->moved[i]) kin_moved_add(out, system, (uint32_t)i, (kin_transform){kin_get3(p->x, i), kin_quat_identity()});
    }
}

/* ---- state ---- */

static void visit3(kin_visitor* v, double* const array[3], size_t count)
{
    for (int axis = 0; axis < 3; ++axis) kin_visit_f64s(v, array[axis], count);
}

static void visit_columns(kin_particles* p, kin_visitor* v, size_t count)
{
    visit3(v, p->x, count);
    visit3(v, p->v, count);
    kin_visit_f64s(v, p->mass, count);
    kin_visit_f64s(v, p->radius, count);
    kin_visit_f64s(v, p->birth, count);
    kin_visit_f32s(v, p->life, count);
    kin_visit_serials(v, p->serial, count);
    kin_visit_u16s_below(v, p->material, count, p->materials->count);
    kin_visit_u16s_below(v, p->kind, count, p->kind_count);
    kin_visit_u16s_below(v, p->source, count, p->def.emitters.count + 1);
    kin_visit_u8s(v, p->depth, count);
    kin_visit_u8s_below(v, p->mobility, count, KIN_MOBILITY_ANIMATED + 1);
    kin_visit_u8s(v, p->flags, count);
    kin_visit_u8s(v, p->resting, count);
    if (p->columns & KIN_COLUMN_CHARGE) kin_visit_f64s(v, p->charge, count);
    if (p->columns & KIN_COLUMN_BANK) kin_visit_f32s(v, p->bank, count);
    if (p->columns & KIN_COLUMN_UP) kin_visit_f64s(v, (double*)p->up, 3 * count);
    if (p->columns & KIN_COLUMN_ATTRIBUTES) kin_visit_f64s(v, p->attributes, count * (size_t)p->attribute_count);
    if (p->columns & KIN_COLUMN_FIRST_CHARGE) kin_visit_f32s(v, p->first_charge, count);
    if (p->columns & KIN_COLUMN_INSIDE) {
        kin_visit_f64s(v, p->pull_begin, count);
        kin_visit_f32s(v, p->pull_depth, count);
    }
    if (p->columns & KIN_COLUMN_GROWTH) {
        kin_visit_f32s(v, p->first_radius, count);
        kin_visit_f32s(v, p->first_mass, count);
    }
    if (p->columns & KIN_COLUMN_SURFACE) kin_visit_f64s(v, (double*)p->surface, count * (sizeof *p->surface / sizeof(double)));
    kin_particles_visit_history(p, v, count);
}

static void visit_springs(kin_particles* p, kin_visitor* v)
{
    size_t count = kin_visit_count(v, p->spring_count);
    if (v->mode == KIN_VISIT_LOAD && !kin_reserve(&p->allocator, (void**)&p->springs, &p->spring_capacity, count, sizeof *p->springs))
        kin_visit_fail(v, KIN_ERROR_MEMORY);
    if (v->result != KIN_OK) return;
    p->spring_count = count;
    for (size_t i = 0; i < count; ++i) {
        kin_visit_u32s_below(v, &p->springs[i].a, 1, p->count);
        kin_visit_u32s_below(v, &p->springs[i].b, 1, p->count);
        kin_visit_f64(v, &p->springs[i].stiffness);
        kin_visit_f64(v, &p->springs[i].damping);
        kin_visit_f64(v, &p->springs[i].rest);
    }
}

/* Who lives weighs something, and is no smaller than a point. */
static void check_bodies(const kin_particles* p, kin_visitor* v)
{
    bool sound = true;
    for (size_t i = 0; i < p->count; ++i) sound = sound && ((p->flags[i] & KIN_PARTICLE_DEAD) != 0 || (p->mass[i] > 0 && p->radius[i] >= 0));
    if (!sound) kin_visit_fail(v, KIN_ERROR_FORMAT);
}

/* Counters, the free list, and what emitters, volume and mutual forces remember. */
static void visit_rest(kin_particles* p, kin_visitor* v)
{
    size_t free_count = kin_visit_count(v, p->free_count);
    if (v->result == KIN_OK && free_count > p->count) kin_visit_fail(v, KIN_ERROR_MISMATCH);
    if (v->result != KIN_OK) return;
    p->free_count = free_count;
    kin_visit_u32s_below(v, p->free, free_count, p->count);
    kin_visit_u64(v, &p->next_serial);
    kin_visit_f64(v, &p->memory_h);
    kin_visit_f64(v, &p->step_memory.h);
    kin_visit_f64(v, &p->step_memory.ratio);
    kin_visit_f64(v, &p->dissipated);
    kin_visit_u64(v, &p->hits);
    kin_visit_u64(v, &p->born);
    kin_visit_u64(v, &p->died);
    visit_springs(p, v);
    if (p->emitters != NULL) kin_emitters_visit(p->emitters, v);
    if (p->emitters != NULL) kin_visit_bytes(v, p->alive, p->def.emitters.count * sizeof *p->alive);
    if (p->volume != NULL) kin_density_visit(p->volume, v);
    if (!p->fields->has_mutual) return;
    if (kin_mutuals_sync(&p->mutuals, p->fields, &p->allocator, NULL) != KIN_OK) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
        return;
    }
    kin_mutuals_visit(&p->mutuals, v);
}

static void particles_visit(void* self, kin_visitor* v)
{
    kin_particles* p = self;
    size_t count = kin_visit_count(v, p->count);
    uint32_t columns = p->columns & ~(uint32_t)KIN_COLUMN_MEMORY;
    kin_visit_u32(v, &columns);
    if (v->mode == KIN_VISIT_LOAD
        && (columns >= KIN_COLUMNS_END || ((columns & KIN_COLUMN_TRAIL) != 0 && p->trail_points == 0)
            || ((columns & KIN_COLUMN_ATTRIBUTES) != 0 && p->attribute_count == 0)))
        kin_visit_fail(v, KIN_ERROR_FORMAT);
    if (v->result != KIN_OK) return;
    if (v->mode == KIN_VISIT_LOAD && (!kin_particles_need(p, columns) || !kin_particles_reserve(p, count))) kin_visit_fail(v, KIN_ERROR_MEMORY);
    if (v->result != KIN_OK) return;
    p->count = count;
    kin_params_visit(kin_particles_params, &p->def, v);
    visit_columns(p, v, count);
    if (v->mode == KIN_VISIT_LOAD && v->result == KIN_OK) check_bodies(p, v);
    visit_rest(p, v);
    if (v->result != KIN_OK) return;
    if (v->mode == KIN_VISIT_LOAD) choose_method(p);
    if (p->meetings != NULL) kin_meetings_visit(p->meetings, count, v);
    if (!keeps_memory(p)) return;
    if (!kin_particles_need(p, KIN_COLUMN_MEMORY)) kin_visit_fail(v, KIN_ERROR_MEMORY);
    if (v->result == KIN_OK) visit3(v, p->memory, count);
}

/* ---- the public face ---- */

kin_result kin_particles_create(kin_world* world, const kin_particles_def* def, kin_system_id* out, kin_error* error)
{
    return kin_world_add_system(world, &kin_particles_ops, def->name, def, out, error);
}

kin_particles_view kin_particles_state(const kin_world* world, kin_system_id id)
{
    const kin_particles* p = kin_world_system_self(world, id, &kin_particles_ops);
    return (kin_particles_view){p->count, p->x[0],   p->x[1],   p->x[2],     p->v[0],    p->v[1],  p->v[2],
                                p->mass,  p->radius, p->serial, p->mobility, p->resting, p->birth, p->kind};
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
    .has = particles_has,
    .def = particles_def,
    .changed = particles_changed,
    .has_transfers = kin_particles_have_transfers,
    .transfer = kin_particles_transfer,
    .plan = particles_plan,
    .predict = particles_predict,
    .commit = kin_particles_commit,
    .meets_points = particles_meets_points,
    .points = particles_points,
    .met = particles_met,
    .motion = particles_motion,
    .respond = particles_respond,
    .push = particles_push,
    .place = particles_place,
    .set_mobility = particles_set_mobility,
    .attribute = kin_particle_attribute_of,
    .set_attribute = kin_particle_set_attribute,
    .measure = particles_measure,
    .moved = particles_moved,
    .capture = kin_particles_capture,
    .visit = particles_visit,
};
