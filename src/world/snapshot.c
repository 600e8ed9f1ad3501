/* snapshot.c - one walk over the whole state of a world: saved, restored, hashed, cloned. */
#include "base/alloc.h"
#include "base/error.h"
#include "world/collider.h"
#include "world/groups.h"
#include "world/world.h"
#include <string.h>

static void visit_script_state(kin_world* world, kin_visitor* v)
{
    size_t size = kin_visit_count(v, world->script_state_size);
    if (v->mode == KIN_VISIT_LOAD) {
        if (!kin_reserve(&world->allocator, (void**)&world->script_state, &world->script_state_capacity, size, 1)) {
            kin_visit_fail(v, KIN_ERROR_MEMORY);
            return;
        }
        world->script_state_size = size;
    }
    kin_visit_bytes(v, world->script_state, size);
}

/* Numbers of things that a snapshot must agree on, so that one of another world is refused before anything is touched. */
static void visit_shape_of_world(kin_world* world, kin_visitor* v)
{
    uint64_t counts[3] = {world->system_count, world->collider_count, world->fields.count}, stored[3];
    for (int i = 0; i < 3; ++i) {
        stored[i] = counts[i];
        kin_visit_u64(v, &stored[i]);
        if (v->result == KIN_OK && stored[i] != counts[i]) kin_visit_fail(v, KIN_ERROR_MISMATCH);
    }
    kin_groups_visit_shape(world, v);
}

static bool is_known(const kin_world* world, kin_anchor a)
{
    if (a.system == KIN_WORLD_SYSTEM) return true; /* takes every push, whichever collider it is */
    if (a.system > world->system_count) return false;
    const kin_system_slot* slot = &world->systems[a.system - 1];
    return kin_system_takes(slot->ops, KIN_ELEMENT_PUSH) && a.element < slot->ops->count(slot->self);
}

/* Entries wait for elements of any system: of those that are loaded by now. */
static void check_ledger(const kin_world* world, kin_visitor* v)
{
    for (size_t i = 0; v->result == KIN_OK && i < world->ledger.count; ++i) {
        const kin_entry* e = &world->ledger.entries[i];
        if (!is_known(world, e->a) || !is_known(world, e->b)) kin_visit_fail(v, KIN_ERROR_FORMAT);
    }
}

void kin_world_visit(kin_world* world, kin_visitor* v)
{
    visit_shape_of_world(world, v);
    if (v->result != KIN_OK) return;
    kin_visit_u64(v, &world->step_count);
    kin_visit_u64(v, &world->def.seed);
    kin_fields_visit(&world->fields, v);
    kin_colliders_visit(world, v);
    kin_ledger_visit(&world->ledger, v);
    kin_groups_visit(world, v);
    if (v->result != KIN_OK) return;
    for (size_t i = 0; i < world->system_count; ++i) world->systems[i].ops->visit(world->systems[i].self, v);
    if (v->mode == KIN_VISIT_LOAD) check_ledger(world, v);
    kin_attachments_visit(&world->attachments, v);
    for (size_t i = 0; i < world->coupler_count; ++i) {
        if (world->couplers[i].ops->visit != NULL) world->couplers[i].ops->visit(world->couplers[i].self, v);
    }
    visit_script_state(world, v);
}

/* Hashing and saving only read. */
uint64_t kin_world_state_hash(const kin_world* world)
{
    kin_visitor v = {.mode = KIN_VISIT_HASH};
    kin_hasher_begin(&v.hasher);
    kin_world_visit((kin_world*)world, &v);
    return kin_hasher_end(&v.hasher);
}

kin_result kin_world_snapshot(const kin_world* world, kin_snapshot* snapshot, kin_error* error)
{
    if (snapshot->data == NULL) snapshot->allocator = world->allocator;
    kin_visitor v = {.mode = KIN_VISIT_SAVE, .allocator = snapshot->allocator, .data = snapshot->data, .capacity = snapshot->capacity};
    kin_world_visit((kin_world*)world, &v);
    snapshot->data = v.data;
    snapshot->capacity = v.capacity;
    snapshot->size = v.result == KIN_OK ? v.size : 0;
    return v.result == KIN_OK ? KIN_OK : kin_fail_memory(error, "a snapshot", v.size);
}

kin_result kin_world_restore(kin_world* world, const kin_snapshot* snapshot, kin_error* error)
{
    kin_visitor v = {.mode = KIN_VISIT_LOAD, .allocator = world->allocator, .data = snapshot->data, .size = snapshot->size};
    kin_world_visit(world, &v);
    if (v.result == KIN_OK && v.position != v.size) v.result = KIN_ERROR_FORMAT;
    if (v.result == KIN_ERROR_MISMATCH)
        return kin_fail(
            error, KIN_ERROR_MISMATCH, "",
            "the snapshot is of another world: systems, colliders, fields, bodies or joints differ in number. What was added since is not taken back: "
            "to roll back across new bodies, make them before the snapshot, inactive, and set them dynamic when they come");
    if (v.result != KIN_OK) {
        world->failed = true;
        return kin_fail(error, v.result, "", "the snapshot does not fit this world");
    }
    world->failed = false;
    kin_commands_clear(world);
    return KIN_OK;
}

void kin_snapshot_free(kin_snapshot* snapshot)
{
    kin_free(&snapshot->allocator, snapshot->data, snapshot->capacity);
    *snapshot = (kin_snapshot){0};
}

/* The same parts, in the same order; their state follows by a snapshot. Walls come with the world itself. */
static kin_result clone_colliders(const kin_world* world, kin_world* clone, kin_error* error)
{
    for (size_t i = 0; i < world->collider_count; ++i) {
        const kin_collider* c = &world->colliders[i];
        if (c->wall) continue;
        kin_collider_def def = {.name = c->name,
                                .position = c->pose.position,
                                .orientation = c->pose.orientation,
                                .material = c->material,
                                .smooth = c->smooth,
                                .filter = c->filter};
        kin_collider_id id;
        kin_result result = kin_world_add_collider_of(clone, &def, kin_solids_form(world->solids, c->solid), &id, error);
        if (result != KIN_OK) return result;
        if (!kin_keys_copy(&clone->allocator, &c->keys, &clone->colliders[i].keys))
            return kin_fail_memory(error, "key frames", c->keys.count * sizeof(kin_key));
    }
    return KIN_OK;
}

static kin_result clone_materials_and_fields(const kin_world* world, kin_world* clone, kin_error* error)
{
    kin_result result = KIN_OK;
    for (size_t i = 1; i < world->materials.count && result == KIN_OK; ++i) {
        const kin_material* m = &world->materials.items[i];
        kin_material_def def = {.name = m->name,
                                .density = m->density,
                                .restitution = m->restitution,
                                .rolling_friction = m->rolling_friction,
                                .spinning_friction = m->spinning_friction,
                                .look = m->look};
        memcpy(def.static_friction, m->static_friction, sizeof def.static_friction);
        memcpy(def.dynamic_friction, m->dynamic_friction, sizeof def.dynamic_friction);
        kin_material_id id;
        result = kin_materials_add(&clone->materials, &def, &id, error);
    }
    for (size_t i = 0; i < world->materials.pair_count && result == KIN_OK; ++i)
        result = kin_materials_set_pair(&clone->materials, &world->materials.pairs[i], error);
    for (size_t i = 0; i < world->fields.count && result == KIN_OK; ++i) {
        uint32_t index;
        result = kin_world_add_field_of(clone, world->fields.items[i].ops, world->fields.items[i].def, &index, error);
    }
    return result;
}

static kin_result clone_parts(const kin_world* world, kin_world* clone, kin_error* error)
{
    kin_result result = clone_materials_and_fields(world, clone, error);
    if (result == KIN_OK) result = clone_colliders(world, clone, error);
    for (size_t i = 0; i < world->system_count && result == KIN_OK; ++i) {
        const kin_system_slot* slot = &world->systems[i];
        result = kin_world_add_system(clone, slot->ops, slot->name, slot->ops->def(slot->self), NULL, error);
    }
    if (result == KIN_OK) result = kin_world_copy_view(world, clone, error);
    if (result != KIN_OK) return result;
    kin_snapshot snapshot = {0};
    result = kin_world_snapshot(world, &snapshot, error);
    if (result == KIN_OK) result = kin_world_restore(clone, &snapshot, error);
    kin_snapshot_free(&snapshot);
    return result;
}

kin_result kin_world_clone(const kin_world* world, kin_world** out, kin_error* error)
{
    *out = NULL;
    if (world->coupler_count > 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "a world with couplers of its host cannot be cloned");
    if (world->kept_count > 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "a world with laws of a script cannot be cloned");
    kin_world_def def = world->def;
    if (world->jobs.own_pool == NULL) def.scheduler = &world->jobs.scheduler;
    def.simd = kin_simd_name(world->simd);
    kin_world* clone;
    kin_result result = kin_world_create(&def, &clone, error);
    if (result != KIN_OK) return result;
    result = clone_parts(world, clone, error);
    if (result != KIN_OK) {
        kin_world_destroy(clone);
        return result;
    }
    *out = clone;
    return KIN_OK;
}
