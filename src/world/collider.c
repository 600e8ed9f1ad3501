/* collider.c - solids: entering the world, moving along their keys, being seen. */
#include "world/collider.h"
#include "base/alloc.h"
#include "base/error.h"
#include "collision/form/form.h"
#include "math/frame.h"
#include "system/capture_form.h"
#include "world/groups.h"
#include <stdio.h>
#include <string.h>

kin_collider_def kin_collider_def_default(void) { return (kin_collider_def){.shape = {.normal = {0, 1, 0}}, .orientation = {0, 0, 0, 1}, .smooth = true}; }

static kin_result check_pose(const kin_collider_def* def, kin_error* error)
{
    kin_quat q = def->orientation;
    if (!kin_finite3(def->position)) return kin_fail(error, KIN_ERROR_ARGUMENT, "position", "must be finite (m)");
    if (!(kin_quat_dot(q, q) > 1e-12) || !kin_finite(kin_quat_dot(q, q)))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "orientation", "must be a finite quaternion other than zero");
    return KIN_OK;
}

/* Everything that can fail comes first: then the collider is in whole, or not at all. */
static kin_result make_room(kin_world* world, const kin_collider_def* def, kin_keys* keys, kin_error* error)
{
    size_t slots = world->collider_ids.count + 1u;
    const kin_transform origin = {def->position, kin_quat_normalize(def->orientation)};
    kin_result result = kin_keys_create(&world->allocator, def->keys, def->key_count, &def->path, origin, keys, error);
    if (result != KIN_OK) return result;
    if (!kin_reserve(&world->allocator, (void**)&world->colliders, &world->collider_capacity, slots, sizeof *world->colliders)) {
        kin_keys_free(&world->allocator, keys);
        return kin_fail_memory(error, "a collider", sizeof *world->colliders);
    }
    return KIN_OK;
}

static kin_result enter(kin_world* world, const kin_collider_def* def, kin_form* form, kin_keys keys, kin_collider_id* out, kin_error* error)
{
    kin_collider c = {.material = def->material,
                      .filter = def->filter,
                      .keys = keys,
                      .smooth = def->smooth,
                      .body = {KIN_NO_BODY, KIN_NO_BODY},
                      .mobility = keys.count > 0 ? KIN_MOBILITY_ANIMATED : KIN_MOBILITY_STATIC};
    c.pose = (kin_transform){def->position, kin_quat_normalize(def->orientation)};
    if (keys.count > 0) c.pose = kin_collider_pose_at(&c, kin_world_time(world));
    c.last_pose = c.pose;
    kin_id id;
    if (!kin_pool_take(&world->collider_ids, &id)) return kin_fail_memory(error, "a collider", sizeof c);
    kin_solid_def solid = {.form = form,
                           .shape = &def->shape,
                           .pose = c.pose,
                           .material = def->material,
                           .filter = def->filter,
                           .owner = {KIN_WORLD_SYSTEM, id.index1 - 1, {0, 0, 0}}};
    kin_result result = kin_solids_add(world->solids, &solid, &c.solid, error);
    if (result != KIN_OK) {
        kin_pool_give(&world->collider_ids, id);
        return result;
    }
    if (def->name != NULL)
        snprintf(c.name, sizeof c.name, "%s", def->name);
    else
        snprintf(c.name, sizeof c.name, "collider%u", id.index1 - 1);
    world->colliders[id.index1 - 1] = c;
    if (id.index1 > world->collider_count) world->collider_count = id.index1;
    world->solids_moved = true;
    *out = (kin_collider_id){id.index1, id.generation};
    return KIN_OK;
}

kin_result kin_world_add_collider_of(kin_world* world, const kin_collider_def* def, kin_form* form, kin_collider_id* out, kin_error* error)
{
    kin_keys keys;
    kin_collider_id unwanted;
    if (out == NULL) out = &unwanted;
    *out = (kin_collider_id){0};
    kin_result result = check_pose(def, error);
    if (result == KIN_OK) result = kin_materials_check_shape(&world->materials, def->material, &def->shape, error);
    if (result == KIN_OK) result = make_room(world, def, &keys, error);
    if (result != KIN_OK) return result;
    result = enter(world, def, form, keys, out, error);
    if (result != KIN_OK) kin_keys_free(&world->allocator, &keys);
    return result;
}

kin_result kin_world_add_collider(kin_world* world, const kin_collider_def* def, kin_collider_id* out, kin_error* error)
{
    return kin_world_add_collider_of(world, def, NULL, out, error);
}

static void forget_seen(const kin_allocator* allocator, kin_collider* c)
{
    for (uint32_t i = 0; i < c->seen_count; ++i) kin_capture_free_kept(allocator, c->seen[i].arrays, c->seen[i].array_count);
    kin_free(allocator, c->seen, c->seen_count * sizeof *c->seen);
    c->seen = NULL;
    c->seen_count = 0;
}

void kin_collider_term(kin_world* world, kin_collider* c)
{
    kin_keys_free(&world->allocator, &c->keys);
    forget_seen(&world->allocator, c);
}

static kin_collider* collider_of(const kin_world* world, kin_collider_id id)
{
    KIN_ASSERT(kin_pool_holds(&world->collider_ids, (kin_id){id.index1, id.generation}));
    return &world->colliders[id.index1 - 1];
}

void kin_world_remove_collider(kin_world* world, kin_collider_id id)
{
    kin_collider* c = collider_of(world, id);
    kin_solids_remove(world->solids, c->solid);
    kin_groups_remove_collider(world, c);
    kin_collider_term(world, c);
    *c = (kin_collider){.mobility = KIN_MOBILITY_INACTIVE, .solid = UINT32_MAX, .body = {KIN_NO_BODY, KIN_NO_BODY}};
    kin_pool_give(&world->collider_ids, (kin_id){id.index1, id.generation});
    world->solids_moved = true;
}

kin_mobility kin_collider_mobility(const kin_world* world, kin_collider_id id) { return collider_of(world, id)->mobility; }
kin_transform kin_collider_pose(const kin_world* world, kin_collider_id id) { return collider_of(world, id)->pose; }

void kin_collider_set_mobility(kin_world* world, kin_collider_id id, kin_mobility mobility)
{
    kin_collider* c = collider_of(world, id);
    KIN_ASSERT(mobility != KIN_MOBILITY_DYNAMIC); /* solids that forces move are bodies, not colliders */
    c->mobility = mobility;
    kin_solids_enable(world->solids, c->solid, mobility != KIN_MOBILITY_INACTIVE);
    world->solids_moved = true;
}

void kin_collider_set_pose(kin_world* world, kin_collider_id id, kin_transform pose)
{
    kin_collider* c = collider_of(world, id);
    c->pose = (kin_transform){pose.position, kin_quat_normalize(pose.orientation)};
    kin_solids_move(world->solids, c->solid, c->pose, c->pose);
    world->solids_moved = true;
}

kin_result kin_world_add_walls(kin_world* world, kin_error* error)
{
    for (int side = 0; side < 6; ++side) {
        double sign = side < 3 ? 1 : -1;
        kin_collider_def def = kin_collider_def_default();
        def.name = "bounds";
        def.shape.kind = KIN_SHAPE_PLANE;
        def.shape.normal = kin_scale(kin_axis(side % 3), sign);
        def.position = side < 3 ? world->def.bounds_low : world->def.bounds_high;
        kin_collider_id id;
        kin_result result = kin_world_add_collider(world, &def, &id, error);
        if (result != KIN_OK) return result;
        world->colliders[id.index1 - 1].wall = true;
    }
    return KIN_OK;
}

kin_transform kin_collider_pose_at(const kin_collider* c, double time) { return kin_keys_pose(&c->keys, c->smooth, time); }

uint32_t kin_world_solid_named(const void* world_, const char* name)
{
    const kin_world* world = world_;
    for (size_t i = 0; i < world->collider_count; ++i) {
        if (!world->colliders[i].wall && strcmp(world->colliders[i].name, name) == 0) return world->colliders[i].solid;
    }
    return UINT32_MAX;
}

void kin_colliders_begin_step(kin_world* world)
{
    for (size_t i = 0; i < world->collider_count; ++i) world->colliders[i].last_pose = world->colliders[i].pose;
}

void kin_colliders_publish(kin_world* world, double time, double h)
{
    for (size_t i = 0; i < world->collider_count; ++i) {
        const kin_collider* c = &world->colliders[i];
        if (c->mobility != KIN_MOBILITY_ANIMATED || c->keys.count == 0) continue;
        kin_solids_move(world->solids, c->solid, kin_collider_pose_at(c, time), kin_collider_pose_at(c, time + h));
        world->solids_moved = true;
    }
}

void kin_colliders_refit(kin_world* world, double h)
{
    if (!world->solids_moved) return;
    kin_solids_refit(world->solids, h);
    world->solids_moved = false;
}

void kin_colliders_commit(kin_world* world)
{
    for (size_t i = 0; i < world->collider_count; ++i) {
        kin_collider* c = &world->colliders[i];
        if (c->mobility == KIN_MOBILITY_ANIMATED) c->pose = kin_solids_pose(world->solids, c->solid, 1);
    }
}

/* Poses of keyed colliders follow from the time, but a pose set by hand does not: both are state. */
void kin_colliders_visit(kin_world* world, kin_visitor* v)
{
    for (size_t i = 0; i < world->collider_count; ++i) {
        kin_collider* c = &world->colliders[i];
        uint8_t mobility = (uint8_t)c->mobility;
        kin_visit_u8(v, &mobility);
        kin_visit_vec3(v, &c->pose.position);
        kin_visit_quat(v, &c->pose.orientation);
        if (v->mode != KIN_VISIT_LOAD || c->solid == UINT32_MAX || v->result != KIN_OK) continue;
        c->mobility = mobility <= KIN_MOBILITY_ANIMATED ? (kin_mobility)mobility : KIN_MOBILITY_STATIC;
        kin_solids_enable(world->solids, c->solid, c->mobility != KIN_MOBILITY_INACTIVE);
        kin_solids_move(world->solids, c->solid, c->pose, c->pose);
        world->solids_moved = true;
    }
}

static void put_pose(float* out, kin_transform pose)
{
    const double row[7] = {pose.position.x, pose.position.y, pose.position.z, pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w};
    for (int i = 0; i < 7; ++i) out[i] = (float)row[i];
}

static void put_float3(float* out, kin_vec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static void capture_plane(const kin_collider* c, kin_vec3 local_normal, kin_capture* capture)
{
    kin_vec3 n = kin_normalize_or(kin_rotate(c->pose.orientation, local_normal), kin_axis(1));
    float* position = kin_capture_array(capture, "position", KIN_F32, 3, 1);
    float* normal = kin_capture_array(capture, "normal", KIN_F32, 3, 1);
    if (normal == NULL) return;
    put_float3(position, c->pose.position);
    put_float3(normal, n);
}

/* The materials of a form, in the order of its parts; returns how many. out may be NULL. */
static uint32_t list_materials(const kin_form* form, kin_seen* out)
{
    uint32_t count = 0, parts = form->part_count > 0 ? form->part_count : 1;
    for (uint32_t i = 0; i < parts; ++i) {
        if (!kin_form_is_first_of_material(form, i)) continue;
        if (out != NULL) out[count].material = kin_form_material(form, i);
        count += 1;
    }
    return count;
}

static const kin_material* material_of(const kin_world* world, const kin_collider* c, kin_material_id part)
{
    return kin_materials_at(&world->materials, part.index1 != 0 ? part : c->material);
}

/* The first material's layer has the collider's name, the others' are numbered: "wheel", "wheel/1". */
static void begin_layer(const kin_collider* c, uint32_t number, kin_layer_kind kind, const kin_look* look, kin_capture* capture)
{
    char name[sizeof c->name];
    snprintf(name, sizeof name, "%s", c->name);
    if (number > 0) snprintf(name, sizeof name, "%.50s/%u", c->name, number);
    kin_capture_layer(capture, name, kind, look);
}

static void capture_pose(const kin_world* world, const kin_collider* c, double shutter, kin_capture* capture)
{
    float* pose = kin_capture_array(capture, "pose", KIN_F32, 7, 1);
    float* end = kin_capture_array(capture, "pose_end", KIN_F32, 7, 1);
    if (end == NULL) return;
    bool keyed = c->mobility == KIN_MOBILITY_ANIMATED && c->keys.count > 0;
    put_pose(pose, c->pose);
    put_pose(end, keyed ? kin_collider_pose_at(c, kin_world_time(world) + shutter) : c->pose);
}

/* A form never changes: its skin is made and hashed once. */
static void capture_skin(kin_seen* seen, const kin_form* form, double bevel, kin_capture* capture)
{
    if (seen->arrays != NULL) {
        kin_capture_add_kept(capture, seen->arrays, seen->array_count);
        return;
    }
    kin_capture_form(capture, form, seen->material, bevel);
    if (!kin_capture_keep(capture, &seen->arrays, &seen->array_count)) capture->failed = true;
}

static void capture_solid(const kin_world* world, kin_collider* c, double shutter, kin_capture* capture)
{
    const kin_form* form = kin_solids_form(world->solids, c->solid);
    if (form->kind == KIN_SHAPE_PLANE) {
        begin_layer(c, 0, KIN_LAYER_PLANE, &material_of(world, c, form->material)->look, capture);
        if (!capture->failed) capture_plane(c, form->normal, capture);
        return;
    }
    if (c->seen == NULL) {
        uint32_t count = list_materials(form, NULL);
        c->seen = kin_alloc_zero(&world->allocator, count * sizeof *c->seen);
        c->seen_count = c->seen != NULL ? list_materials(form, c->seen) : 0;
        if (c->seen == NULL) capture->failed = true;
    }
    for (uint32_t i = 0; i < c->seen_count && !capture->failed; ++i) {
        const kin_material* material = material_of(world, c, c->seen[i].material);
        begin_layer(c, i, KIN_LAYER_MESH, &material->look, capture);
        if (capture->failed) return;
        capture_skin(&c->seen[i], form, material->bevel, capture);
        capture_pose(world, c, shutter, capture);
    }
}

void kin_colliders_capture(kin_world* world, double shutter, kin_capture* capture)
{
    for (size_t i = 0; i < world->collider_count; ++i) {
        kin_collider* c = &world->colliders[i];
        if (c->solid != UINT32_MAX && c->mobility != KIN_MOBILITY_INACTIVE && !c->wall) capture_solid(world, c, shutter, capture);
    }
}
