/* world.c - making a world, and what enters it. */
#include "world/world.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kinema/field.h"
#include "math/vec3.h"
#include "world/attach.h"
#include "world/anchors.h"
#include "world/collider.h"
#include "world/groups.h"
#include <stdio.h>
#include <string.h>

kin_world_def kin_world_def_default(void)
{
    return (kin_world_def){
        .allocator = kin_allocator_default(),
        .time_step = 1.0 / 60,
        .gravity = {0, -9.81, 0},
        .bounds_low = {-100, -100, -100},
        .bounds_high = {100, 100, 100},
        .max_intervals = 64,
        .max_passes = 1,
    };
}

static kin_result check_def(const kin_world_def* def, kin_error* error)
{
    if (!(def->time_step > 0) || !kin_finite(def->time_step)) return kin_fail(error, KIN_ERROR_ARGUMENT, "time_step", "%g must be > 0 (s)", def->time_step);
    if (!kin_finite3(def->gravity)) return kin_fail(error, KIN_ERROR_ARGUMENT, "gravity", "must be finite (m/s^2)");
    if (def->max_intervals < 1) return kin_fail(error, KIN_ERROR_ARGUMENT, "max_intervals", "%d must be >= 1", def->max_intervals);
    if (def->max_passes < 1) return kin_fail(error, KIN_ERROR_ARGUMENT, "max_passes", "%d must be >= 1", def->max_passes);
    if (def->bounds == KIN_BOUNDS_NONE) return KIN_OK;
    kin_vec3 size = kin_sub(def->bounds_high, def->bounds_low);
    if (!(size.x > 0 && size.y > 0 && size.z > 0) || !kin_finite3(size))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "bounds", "high must be above low on every axis (m)");
    return KIN_OK;
}

static kin_result choose_simd(const char* name, kin_simd* out, kin_error* error)
{
    *out = kin_simd_best();
    if (name == NULL) return KIN_OK;
    kin_simd wanted;
    if (!kin_simd_from_name(name, &wanted)) return kin_fail(error, KIN_ERROR_ARGUMENT, "simd", "\"%s\" is not one of none, sse2, avx2", name);
    if (wanted > *out) return kin_fail(error, KIN_ERROR_ARGUMENT, "simd", "this machine has no %s", name);
    *out = wanted;
    return KIN_OK;
}

static kin_result fill(kin_world* world, const kin_world_def* def, kin_error* error)
{
    kin_result result = choose_simd(def->simd, &world->simd, error);
    if (result != KIN_OK) return result;
    kin_fields_init(&world->fields, &world->allocator, world->simd);
    world->fields.gravity = def->gravity;
    result = kin_jobs_init(&world->jobs, &world->allocator, def->scheduler, def->threads, error);
    if (result == KIN_OK) result = kin_materials_init(&world->materials, &world->allocator, def->restitution_rule, def->friction_rule, error);
    if (result == KIN_OK) result = kin_solids_create(&world->allocator, &world->solids, error);
    if (result == KIN_OK && def->bounds == KIN_BOUNDS_BOUNCE) result = kin_world_add_walls(world, error);
    return result;
}

kin_result kin_world_create(const kin_world_def* def, kin_world** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check_def(def, error);
    if (result != KIN_OK) return result;
    kin_world* world = kin_alloc_zero(&def->allocator, sizeof *world);
    if (world == NULL) return kin_fail_memory(error, "a world", sizeof *world);
    world->allocator = def->allocator;
    world->def = *def;
    world->def.scheduler = NULL;
    world->def.simd = NULL;
    world->commands.allocator = def->allocator;
    world->step_mark.allocator = world->interval_mark.allocator = def->allocator;
    world->view = kin_view_default();
    world->touch_events.allocator = world->allocator;
    kin_pool_init(&world->collider_ids, &world->allocator);
    kin_ledger_init(&world->ledger, &world->allocator);
    kin_point_pairs_init(&world->points, &world->allocator);
    kin_attachments_init(&world->attachments, &world->allocator, kin_world_anchor_verbs);
    kin_modes_init(&world->modes, &world->allocator);
    kin_capture_init(&world->capture, &world->allocator);
    result = fill(world, def, error);
    if (result != KIN_OK) {
        kin_world_destroy(world);
        return result;
    }
    *out = world;
    return KIN_OK;
}

static void destroy_parts(kin_world* world)
{
    for (size_t i = 0; i < world->system_count; ++i) world->systems[i].ops->destroy(world->systems[i].self);
    for (size_t i = 0; i < world->coupler_count; ++i) {
        if (world->couplers[i].ops->destroy != NULL) world->couplers[i].ops->destroy(world->couplers[i].self);
    }
    for (size_t i = 0; i < world->collider_count; ++i) kin_collider_term(world, &world->colliders[i]);
}

void kin_world_destroy(kin_world* world)
{
    if (world == NULL) return;
    kin_allocator allocator = world->allocator;
    destroy_parts(world);
    kin_groups_term(world);
    kin_capture_term(&world->capture);
    kin_point_pairs_term(&world->points);
    kin_free(&world->allocator, world->point_sources, world->point_source_capacity * sizeof *world->point_sources);
    kin_attachments_term(&world->attachments);
    kin_modes_term(&world->modes);
    kin_ledger_term(&world->ledger);
    kin_pool_term(&world->collider_ids);
    kin_solids_destroy(world->solids);
    kin_materials_term(&world->materials);
    kin_fields_term(&world->fields);
    kin_jobs_term(&world->jobs);
    for (size_t i = 0; i < world->kept_count; ++i) world->kept[i].destroy(world->kept[i].self);
    kin_free(&allocator, world->kept, world->kept_capacity * sizeof *world->kept);
    kin_free(&allocator, world->colliders, world->collider_capacity * sizeof *world->colliders);
    kin_free(&allocator, world->systems, world->system_capacity * sizeof *world->systems);
    kin_free(&allocator, world->order, world->order_capacity * sizeof *world->order);
    kin_free(&allocator, world->couplers, world->coupler_capacity * sizeof *world->couplers);
    kin_free(&allocator, world->commands.prospects, world->commands.prospect_capacity * sizeof *world->commands.prospects);
    kin_free(&allocator, world->commands.items, world->commands.capacity * sizeof *world->commands.items);
    kin_free(&allocator, world->recorder.items, world->recorder.capacity * sizeof *world->recorder.items);
    kin_free(&allocator, world->step_mark.data, world->step_mark.capacity);
    kin_free(&allocator, world->interval_mark.data, world->interval_mark.capacity);
    kin_free(&allocator, world->camera_targets, world->camera_keys.count * sizeof *world->camera_targets);
    kin_keys_free(&allocator, &world->camera_keys);
    kin_free(&allocator, world->script_state, world->script_state_capacity);
    kin_free(&allocator, world, sizeof *world);
}

double kin_world_time_step(const kin_world* world) { return world->def.time_step; }
uint64_t kin_world_step_count(const kin_world* world) { return world->step_count; }
/* Step index times H, never a sum. */
double kin_world_time(const kin_world* world) { return (double)world->step_count * world->def.time_step; }

kin_result kin_world_add_material(kin_world* world, const kin_material_def* def, kin_material_id* out, kin_error* error)
{
    return kin_materials_add(&world->materials, def, out, error);
}

kin_result kin_world_set_material_pair(kin_world* world, const kin_material_pair_def* def, kin_error* error)
{
    if (world->system_count > 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "pairs of materials must be set before the first system (\"%s\") is added", world->systems[0].name);
    return kin_materials_set_pair(&world->materials, def, error);
}

kin_result kin_world_add_field_of(kin_world* world, const kin_field_ops* ops, const void* def, uint32_t* index, kin_error* error)
{
    return kin_fields_add(&world->fields, ops, def, index, error);
}

kin_result kin_world_add_field(kin_world* world, const char* kind, const void* def, kin_field_id* out, kin_error* error)
{
    uint32_t index = 0;
    const kin_field_ops* ops = kin_field_named(kind);
    if (out != NULL) out->index1 = 0;
    if (ops == NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "there is no field \"%.80s\"", kind);
    kin_result result = kin_world_add_field_of(world, ops, def, &index, error);
    if (result == KIN_OK) kin_groups_wake_all(world);
    if (out != NULL && result == KIN_OK) out->index1 = index + 1;
    return result;
}

kin_result kin_world_add_drag(kin_world* world, double d, kin_field_id* out, kin_error* error)
{
    kin_drag_field def;
    kin_field_default("drag", &def);
    def.drag = d;
    return kin_world_add_field(world, "drag", &def, out, error);
}

kin_result kin_world_add_wind(kin_world* world, kin_vec3 velocity, kin_field_id* out, kin_error* error)
{
    kin_wind_field def;
    kin_field_default("wind", &def);
    def.wind = velocity;
    return kin_world_add_field(world, "wind", &def, out, error);
}

kin_result kin_world_add_gravity(kin_world* world, kin_vec3 acceleration, kin_field_id* out, kin_error* error)
{
    kin_gravity_field def;
    kin_field_default("gravity", &def);
    def.gravity = acceleration;
    return kin_world_add_field(world, "gravity", &def, out, error);
}

kin_result kin_world_add_law(kin_world* world, kin_law_fn* fn, void* context, kin_field_id* out, kin_error* error)
{
    kin_law_field def;
    kin_field_default("law", &def);
    def.fn = fn;
    def.context = context;
    return kin_world_add_field(world, "law", &def, out, error);
}

/* Insertion keeps the list sorted by rank, then by number. */
static void insert_in_order(kin_world* world, uint32_t index)
{
    size_t at = world->system_count - 1;
    while (at > 0 && world->systems[world->order[at - 1]].ops->rank > world->systems[index].ops->rank) {
        world->order[at] = world->order[at - 1];
        --at;
    }
    world->order[at] = index;
}

kin_result kin_world_add_system(kin_world* world, const kin_system_ops* ops, const char* name, const void* def, kin_system_id* out, kin_error* error)
{
    KIN_ASSERT(ops->name != NULL && ops->create != NULL && ops->destroy != NULL && ops->count != NULL && ops->def != NULL && ops->measure != NULL
               && ops->capture != NULL && ops->visit != NULL); /* all others may be absent */
    if (name == NULL || name[0] == 0) name = ops->name;
    if (strlen(name) >= sizeof world->systems->name) return kin_fail(error, KIN_ERROR_ARGUMENT, "name", "\"%.70s\" is too long", name);
    if (kin_world_system(world, name).index1 != 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "name", "a system called \"%s\" is there already", name);
    size_t count = world->system_count + 1;
    if (!kin_reserve(&world->allocator, (void**)&world->systems, &world->system_capacity, count, sizeof *world->systems)
        || !kin_reserve(&world->allocator, (void**)&world->order, &world->order_capacity, count, sizeof *world->order)) {
        return kin_fail_memory(error, "a system", sizeof *world->systems);
    }
    void* self = NULL;
    kin_birth birth = {world->allocator,      world->simd,     world->def.seed, (uint32_t)count, &world->materials,       &world->fields,
                       kin_world_solid_named, kin_world_group, world,           world->solids,   kin_world_element_motion};
    kin_groups_publish(world);
    kin_colliders_refit(world, world->def.time_step);
    kin_result result = ops->create(&birth, def, &self, error);
    if (result != KIN_OK) return result;
    kin_system_slot* slot = &world->systems[world->system_count++];
    *slot = (kin_system_slot){.ops = ops, .self = self};
    snprintf(slot->name, sizeof slot->name, "%s", name);
    insert_in_order(world, (uint32_t)(count - 1));
    if (out != NULL) *out = (kin_system_id){(uint32_t)count, 1};
    return KIN_OK;
}

void* kin_world_system_self(const kin_world* world, kin_system_id id, const kin_system_ops* ops)
{
    KIN_ASSERT(id.index1 >= 1 && id.index1 <= world->system_count && world->systems[id.index1 - 1].ops == ops);
    return world->systems[id.index1 - 1].self;
}

kin_system_id kin_world_system(const kin_world* world, const char* name)
{
    for (uint32_t i = 0; i < world->system_count; ++i) {
        if (strcmp(world->systems[i].name, name) == 0) return (kin_system_id){i + 1, 1};
    }
    return (kin_system_id){0};
}

uint32_t kin_world_system_count(const kin_world* world) { return (uint32_t)world->system_count; }

const char* kin_world_system_name(const kin_world* world, uint32_t number)
{
    KIN_ASSERT(number >= 1 && number <= world->system_count);
    return world->systems[number - 1].name;
}

kin_result kin_world_add_coupler(kin_world* world, const kin_coupler_ops* ops, void* self, kin_error* error)
{
    if (!kin_reserve(&world->allocator, (void**)&world->couplers, &world->coupler_capacity, world->coupler_count + 1, sizeof *world->couplers)) {
        return kin_fail_memory(error, "a coupler", sizeof *world->couplers);
    }
    world->couplers[world->coupler_count++] = (kin_coupler_slot){ops, self};
    return KIN_OK;
}

kin_result kin_world_keep(kin_world* world, void* self, void (*destroy)(void* self), kin_error* error)
{
    if (!kin_reserve(&world->allocator, (void**)&world->kept, &world->kept_capacity, world->kept_count + 1, sizeof *world->kept))
        return kin_fail_memory(error, "a law", sizeof *world->kept);
    world->kept[world->kept_count++] = (kin_kept){self, destroy};
    return KIN_OK;
}

void kin_world_trouble(kin_world* world, const kin_error* error)
{
    if (world->trouble.code == KIN_OK) world->trouble = *error;
}

kin_step kin_world_step_context(kin_world* world)
{
    return (kin_step){
        .jobs = &world->jobs,
        .simd = world->simd,
        .fields = &world->fields,
        .solids = world->solids,
        .materials = &world->materials,
        .ledger = &world->ledger,
        .log = &world->def.log,
        .bounds = world->def.bounds,
        .box = {world->def.bounds_low, world->def.bounds_high},
        .seed = world->def.seed,
        .index = world->step_count,
        .intervals = 1,
        .time = kin_world_time(world),
        .h = world->def.time_step,
        .report = &world->report,
        .system_name = "",
    };
}

kin_result kin_world_set_script_state(kin_world* world, const char* json, size_t size, kin_error* error)
{
    if (!kin_reserve(&world->allocator, (void**)&world->script_state, &world->script_state_capacity, size, 1))
        return kin_fail_memory(error, "world.state", size);
    if (size > 0) memcpy(world->script_state, json, size);
    world->script_state_size = size;
    return KIN_OK;
}
