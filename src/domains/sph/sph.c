/* sph.c - a tank of fluid as the world sees it: its birth, its stages, its state. The table at the end is the table of contents.
 *
 * All ticks of an interval run in commit, against solids whose motion over it is final (tick.c). Births happen in ticks, for layers of an inflow must follow each
 * other without gaps (inflows.c); deaths at the end of the step (sinks.c). */
#include "base/alloc.h"
#include "base/error.h"
#include "domains/sph/boundary/boundary.h"
#include "domains/sph/face.h"
#include "domains/sph/physics/physics.h"
#include "math/aabb.h"
#include <stdio.h>
#include <string.h>

/* ---- birth ---- */

static kin_result check_periodic(const kin_sph_def* def, kin_error* error)
{
    const double least = 2 * def->support * def->radius;
    for (int a = 0; a < 3; ++a) {
        double size = kin_component(def->periodic, a);
        if (size == 0 || size >= least) continue;
        static const char* const where[] = {"periodic[0]", "periodic[1]", "periodic[2]"};
        return kin_fail(error, KIN_ERROR_ARGUMENT, where[a], "%g must be 0, or twice the reach of the kernel at least (%g m)", size, least);
    }
    return KIN_OK;
}

/* Shapes are checked where forms are made of them. */
static kin_result check_blocks(const kin_sph_def* def, kin_error* error)
{
    if (def->blocks.count > 0 && def->blocks.data == NULL)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "blocks", "has a count of %zu, but no data", def->blocks.count);
    for (size_t i = 0; i < def->blocks.count; ++i) {
        char path[40];
        snprintf(path, sizeof path, "blocks[%zu]", i);
        kin_result result = kin_params_check(kin_sph_block_params + 1, &def->blocks.data[i], path, error);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static kin_result check_def(const kin_sph_def* def, kin_error* error)
{
    kin_sph_def without = *def;
    without.blocks.data = NULL, without.blocks.count = 0;
    kin_result result = kin_params_check(kin_sph_params, &without, "", error);
    if (result == KIN_OK) result = check_blocks(def, error);
    if (result != KIN_OK) return result;
    if (def->max_tick > 0 && def->min_tick > def->max_tick)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "min_tick", "%g is longer than max_tick, %g (s)", def->min_tick, def->max_tick);
    if (def->adhesion > 0 && def->tension != KIN_SPH_TENSION_COHESION)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "adhesion", "is for tension = \"cohesion\": by curvature the angle of contact is 90 degrees");
    if (def->look.range[0] > def->look.range[1])
        return kin_fail(error, KIN_ERROR_ARGUMENT, "look.range", "%g is above %g", def->look.range[0], def->look.range[1]);
    if (def->look.surface == KIN_SPH_SURFACE_RAYS && def->look.skin == KIN_SPH_SKIN_ZHU_BRIDSON)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "look.surface", "\"rays\" takes the skins anisotropic and color: zhu_bridson is no sum of kernels");
    return check_periodic(def, error);
}

/* The middle of all that is given a place: positions are floats about it. */
static kin_vec3 choose_origin(const kin_sph_def* def)
{
    kin_aabb box = kin_aabb_empty();
    if (def->periodic.x != 0 || def->periodic.y != 0 || def->periodic.z != 0) return def->center;
    for (size_t i = 0; i < def->blocks.count; ++i) box = kin_aabb_add(box, def->blocks.data[i].position);
    for (size_t i = 0; i < def->inflows.count; ++i) {
        if (def->inflows.data[i].attached == NULL) box = kin_aabb_add(box, def->inflows.data[i].position);
    }
    return kin_aabb_is_empty(box) ? def->center : kin_aabb_center(box);
}

/* Heat is reckoned with where something is not as warm as its phase's reference. */
static bool has_heat(const kin_sph* f, const kin_sph_def* def)
{
    bool any = false;
    uint8_t phase;
    for (size_t i = 0; i < def->blocks.count; ++i) {
        if (kin_sph_find_phase(f, def->blocks.data[i].phase, "", &phase, NULL) != KIN_OK) continue;
        any = any || def->blocks.data[i].temperature != f->def.phases.data[phase].reference;
    }
    for (size_t i = 0; i < def->inflows.count; ++i) {
        if (kin_sph_find_phase(f, def->inflows.data[i].phase, "", &phase, NULL) != KIN_OK) continue;
        any = any || def->inflows.data[i].temperature != f->def.phases.data[phase].reference;
    }
    return any;
}

static uint32_t columns_of(const kin_sph* f, const kin_birth* birth, const kin_sph_def* def)
{
    uint32_t columns = has_heat(f, def) ? KIN_SPH_HAS_HEAT : 0;
    if ((birth->fields->wants & KIN_FIELD_WANTS_AGE) != 0) columns |= KIN_SPH_HAS_AGE;
    if (def->micropolar > 0) columns |= KIN_SPH_HAS_SPIN;
    for (uint32_t i = 0; i < f->phase_count; ++i) {
        const kin_sph_phase_def* p = &f->def.phases.data[i];
        if (p->matter == KIN_SPH_SAND || p->matter == KIN_SPH_ELASTIC) columns |= KIN_SPH_HAS_REST;
    }
    return columns;
}

/* The def is kept with all it holds but the blocks, which become particles. */
static kin_result keep_def(kin_sph* f, const kin_birth* birth, const kin_sph_def* def, kin_error* error)
{
    f->def = *def;
    f->def.name = NULL;
    f->def.blocks.data = NULL;
    f->def.blocks.count = 0;
    f->origin = choose_origin(def);
    kin_sph_set_sizes(f);
    kin_result result = kin_sph_make_phases(f, birth, def, error);
    if (result != KIN_OK) return result;
    const kin_sph_def kept = f->def;
    if (!kin_params_copy(kin_sph_params, sizeof f->def, &kept, &f->arena, &f->def)) return kin_fail_memory(error, "a tank", sizeof kept);
    f->columns = columns_of(f, birth, def);
    return KIN_OK;
}

static kin_result make_parts(kin_sph* f, const kin_birth* birth, const kin_sph_def* def, kin_error* error)
{
    kin_result result = keep_def(f, birth, def, error);
    if (result == KIN_OK) result = kin_sph_check_fields(f, birth->fields, error);
    if (result == KIN_OK) result = kin_sph_sources_create(f, birth, error);
    if (result == KIN_OK) result = kin_sph_walls_create(birth, &f->def, &f->walls, error);
    if (result == KIN_OK) result = kin_sph_physics_create(birth, &f->def, &f->physics, error);
    if (result == KIN_OK) result = kin_sph_fill(f, birth, def, error);
    return result;
}

static void sph_destroy(void* self)
{
    kin_sph* f = self;
    kin_allocator allocator = f->allocator;
    kin_sph_sources_destroy(f);
    kin_sph_walls_destroy(f->walls);
    kin_sph_physics_destroy(f->physics);
    kin_sph_free(f);
    kin_reactions_term(&f->reactions);
    kin_arena_term(&f->arena);
    kin_free(&allocator, f, sizeof *f);
}

static kin_result sph_create(const kin_birth* birth, const void* def, void** self, kin_error* error)
{
    kin_result result = check_def(def, error);
    if (result != KIN_OK) return result;
    kin_sph* f = kin_alloc_zero(&birth->allocator, sizeof *f);
    if (f == NULL) return kin_fail_memory(error, "a tank", sizeof *f);
    f->allocator = birth->allocator;
    f->simd = birth->simd;
    f->seed = birth->seed;
    f->system = birth->system;
    f->borne = 1e300;
    kin_arena_init(&f->arena, &f->allocator);
    kin_reactions_init(&f->reactions, &f->allocator);
    result = make_parts(f, birth, def, error);
    if (result == KIN_OK)
        *self = f;
    else
        sph_destroy(f);
    return result;
}

static size_t sph_bytes(const void* def_)
{
    const kin_sph_def* def = def_;
    return kin_sph_bytes_for((size_t)kin_sph_expected(def), 0);
}

static size_t sph_count(const void* self) { return ((const kin_sph*)self)->count; }

/* Their numbers change with every tick: nothing can be tied to one. */
static bool sph_has(const void* self, uint32_t element)
{
    (void)self, (void)element;
    return false;
}

static void* sph_def(void* self) { return &((kin_sph*)self)->def; }

static void sph_changed(void* self, const kin_param* param)
{
    (void)param;
    kin_sph_set_sizes(self);
}

/* ---- stages ---- */

static void sph_plan(const void* self, kin_plan* plan)
{
    (void)self;
    plan->may_refuse = true;
}

static kin_status sph_commit(void* self, kin_step* step)
{
    kin_sph* f = self;
    f->sources->refused = 0;
    kin_status status = kin_sph_advance(f, step);
    if (status != KIN_STATUS_OK) return status;
    kin_sph_walls_end(f->walls, step);
    if (!kin_sph_foam_step(f, step)) return KIN_STATUS_REFUSED;
    kin_sph_look_for_leavers(f, step);
    if (f->sources->refused > 0) {
        char what[100];
        snprintf(what, sizeof what, "births refused: max_particles (%lld) are there", (long long)f->def.max_particles);
        kin_step_note_cap(step, f->sources->refused, what);
    }
    return KIN_STATUS_OK;
}

static bool sph_has_transfers(const void* self)
{
    const kin_sph* f = self;
    return f->def.sinks.count > 0 || f->sources->leavers;
}

static void sph_transfer(void* self, kin_step* step) { kin_sph_drain(self, step); }

static void sph_capture(const void* self, const char* name, const kin_materials* materials, kin_capture* capture)
{
    kin_sph_capture(self, name, materials, capture);
    if (!capture->failed) kin_sph_walls_capture(((const kin_sph*)self)->walls, name, materials, capture);
}

/* ---- state ---- */

static void visit_columns(kin_sph* f, kin_visitor* v)
{
    const size_t n = f->count;
    kin_visit_f32s(v, f->x4, 4 * n);
    kin_visit_f32s(v, f->v4, 4 * n);
    kin_visit_serials(v, f->serial, n);
    kin_visit_u8s_below(v, f->phase, n, f->phase_count);
    kin_visit_f32s(v, f->k_density, n);
    kin_visit_f32s(v, f->k_divergence, n);
    kin_visit_f32s(v, f->density, n);
    if (f->columns & KIN_SPH_HAS_HEAT) kin_visit_f32s(v, f->temperature, n);
    if (f->columns & KIN_SPH_HAS_SPIN) kin_visit_f32s(v, f->spin4, 4 * n);
    if (f->columns & KIN_SPH_HAS_REST) kin_visit_f32s(v, f->deform, 9 * n);
    if (f->columns & KIN_SPH_HAS_AGE) kin_visit_f64s(v, f->birth, n);
}

/* Not state: hashes do not see it. What was known is kept for who looks at a tank that was loaded. */
static void visit_pressure(kin_sph* f, kin_visitor* v)
{
    if (v->mode == KIN_VISIT_HASH) return;
    uint8_t known = f->pressure_known && f->count > 0;
    kin_visit_u8(v, &known);
    if (v->mode == KIN_VISIT_LOAD) f->pressed = 0, f->pressure_known = false;
    if (v->result != KIN_OK || known == 0) return;
    if (!kin_sph_make_pressures(f)) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
        return;
    }
    kin_visit_f32s(v, f->pressure, f->count);
    f->pressure_known = true;
}

/* A clone is made without blocks, so it learns here whether there is heat, and where the origin is. */
static bool make_room_for(kin_sph* f, kin_visitor* v)
{
    const uint32_t asked = f->columns & KIN_SPH_HAS_PRESSURE;
    uint32_t columns = f->columns - asked;
    size_t count = kin_visit_count(v, f->count);
    kin_visit_u32(v, &columns);
    kin_visit_vec3(v, &f->origin);
    if (v->result != KIN_OK) return false;
    if (v->mode == KIN_VISIT_LOAD) {
        if (columns >= 2 * KIN_SPH_HAS_AGE || (columns & KIN_SPH_HAS_PRESSURE) != 0) kin_visit_fail(v, KIN_ERROR_FORMAT);
        if (columns != f->columns - asked && f->capacity > 0) kin_visit_fail(v, KIN_ERROR_MISMATCH);
        if (v->result == KIN_OK) f->columns = columns | asked;
        if (v->result == KIN_OK && !kin_sph_reserve(f, count)) kin_visit_fail(v, KIN_ERROR_MEMORY);
    }
    if (v->result == KIN_OK) f->count = count;
    return v->result == KIN_OK;
}

static void visit_seen(kin_sph* f, kin_visitor* v)
{
    double* const seen[] = {&f->seen.ticks,         &f->seen.iterations,    &f->seen.divergence_iterations,
                            &f->seen.density_error, &f->seen.worst_density, &f->seen.divergence_error,
                            &f->seen.speed,         &f->seen.caps,          &f->seen.escaped,
                            &f->seen.elastic};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; ++i) kin_visit_f64(v, seen[i]);
}

static void sph_visit(void* self, kin_visitor* v)
{
    kin_sph* f = self;
    if (!make_room_for(f, v)) return;
    kin_params_visit(kin_sph_params, &f->def, v);
    visit_columns(f, v);
    visit_pressure(f, v);
    kin_visit_u64(v, &f->next_serial);
    kin_visit_f64(v, &f->dissipated);
    kin_visit_f64(v, &f->sound);
    kin_visit_f64(v, &f->borne);
    kin_visit_f64(v, &f->borne_for);
    visit_seen(f, v);
    kin_sph_sources_visit(f, v);
    kin_sph_walls_visit(f->walls, v);
    kin_sph_physics_visit(f->physics, v);
    if (v->mode != KIN_VISIT_LOAD || v->result != KIN_OK) return;
    kin_sph_set_sizes(f);
    kin_sph_park(f);
}

const kin_system_ops kin_sph_ops = {
    .name = "sph",
    .doc = "Fluids as particles: water, oil, honey, gas, sand and jelly, by smoothed particle hydrodynamics.",
    .params = kin_sph_params,
    .def_size = sizeof(kin_sph_def),
    .offers = KIN_OFFERS_VOLUME,
    .rank = 2,
    .bytes = sph_bytes,
    .create = sph_create,
    .destroy = sph_destroy,
    .count = sph_count,
    .has = sph_has,
    .def = sph_def,
    .changed = sph_changed,
    .has_transfers = sph_has_transfers,
    .transfer = sph_transfer,
    .plan = sph_plan,
    .commit = sph_commit,
    .measure = kin_sph_measure,
    .capture = sph_capture,
    .visit = sph_visit,
};
