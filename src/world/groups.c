/* groups.c - contact groups among the other things of a world. Colliders are bodies that nothing moves; bodies are solids that queries and points find. */
#include "world/groups.h"
#include "base/alloc.h"
#include "base/error.h"
#include "contact/keyed.h"
#include "world/collider.h"

/* ---- colliders as bodies ---- */

static kin_body_motion motion_of(const kin_collider* c)
{
    bool keyed = c->mobility == KIN_MOBILITY_ANIMATED && c->keys.count > 0;
    return c->solid == UINT32_MAX || c->mobility == KIN_MOBILITY_INACTIVE ? KIN_BODY_GONE : keyed ? KIN_BODY_KEYED : KIN_BODY_FIXED;
}

static kin_result add_collider(kin_world* world, int mode, uint32_t number, kin_error* error)
{
    kin_collider* c = &world->colliders[number];
    kin_body body = kin_body_fixed();
    body.position = c->pose.position;
    body.orientation = c->pose.orientation;
    kin_form* form = kin_solids_form(world->solids, c->solid);
    kin_body_skin skin = {.form = form,
                          .place = kin_transform_identity(),
                          .material = c->material,
                          .filter = c->filter,
                          .owner = {KIN_WORLD_SYSTEM, number, {0, 0, 0}},
                          .solid = c->solid,
                          .reach = form->reach};
    return kin_group_add_body(world->groups[mode], &body, &skin, motion_of(c), &c->body[mode], error);
}

static bool same_pose(kin_transform a, const kin_body* b)
{
    kin_vec3 d = kin_sub(a.position, b->position);
    kin_quat q = kin_quat_sub(a.orientation, b->orientation);
    return kin_length2(d) == 0 && kin_quat_dot(q, q) == 0;
}

/* What became of a collider since the last interval: moved or switched by hand, or on its keyed way. False: out of memory. */
static bool follow_collider(kin_group* g, const kin_collider* c, uint32_t body, const kin_step* step)
{
    bool followed = true;
    kin_body_motion motion = motion_of(c);
    bool changed = g->bodies.motion[body] != motion || (motion == KIN_BODY_FIXED && !same_pose(c->pose, &g->bodies.body[body]));
    g->bodies.motion[body] = (uint8_t)motion;
    if (motion == KIN_BODY_KEYED)
        followed = kin_group_follow_keys(g, body, &c->keys, c->smooth, step->time, step->h);
    else
        kin_bodies_set_path(&g->bodies, body, c->pose, c->pose, step->h);
    if (changed) g->ops->touched(g->solver, body);
    return followed;
}

static kin_result enter_colliders(kin_world* world, int mode, kin_error* error)
{
    kin_result result = KIN_OK;
    for (uint32_t i = 0; i < world->collider_count && result == KIN_OK; ++i) {
        const kin_collider* c = &world->colliders[i];
        if (c->solid != UINT32_MAX && c->body[mode] == KIN_NO_BODY) result = add_collider(world, mode, i, error);
    }
    return result;
}

kin_result kin_world_group(void* world_, const kin_rigid_def* def, kin_group** out, kin_error* error)
{
    kin_world* world = world_;
    kin_group** group = &world->groups[def->mode];
    if (*group == NULL) {
        kin_result result = kin_group_create(&world->allocator, kin_group_solvers[def->mode], def, &world->materials, &world->touch_events, group, error);
        if (result == KIN_OK) result = enter_colliders(world, (int)def->mode, error);
        if (result != KIN_OK) return result;
        (*group)->step_time = world->def.time_step;
        (*group)->filter = world->touch_filter;
        (*group)->filter_context = world->touch_filter_context;
    }
    *out = *group;
    return KIN_OK;
}

void kin_groups_term(kin_world* world)
{
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) kin_group_destroy(world->groups[mode]);
    kin_touch_events_term(&world->touch_events);
}

void kin_groups_remove_collider(kin_world* world, kin_collider* c)
{
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) {
        if (c->body[mode] != KIN_NO_BODY) kin_group_remove_body(world->groups[mode], c->body[mode]);
    }
}

void kin_groups_wake_all(kin_world* world)
{
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) {
        if (world->groups[mode] != NULL) kin_group_wake_all(world->groups[mode]);
    }
}

/* ---- the step ---- */

void kin_groups_begin_step(kin_world* world) { kin_touch_events_clear(&world->touch_events, kin_world_time(world)); }

kin_status kin_groups_sense(kin_world* world, kin_step* step)
{
    kin_touch_events_go_on(&world->touch_events, step->time);
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) {
        kin_group* g = world->groups[mode];
        kin_error error = {0};
        if (g == NULL) continue;
        if (enter_colliders(world, mode, &error) != KIN_OK) {
            kin_world_trouble(world, &error);
            return KIN_STATUS_REFUSED;
        }
        for (size_t i = 0; i < world->collider_count; ++i) {
            const kin_collider* c = &world->colliders[i];
            if (c->body[mode] == KIN_NO_BODY || follow_collider(g, c, c->body[mode], step)) continue;
            kin_fail_memory(&error, "the path of a collider", sizeof(kin_body_leg));
            kin_world_trouble(world, &error);
            return KIN_STATUS_REFUSED;
        }
    }
    return KIN_STATUS_OK;
}

void kin_groups_predict(kin_world* world, kin_step* step)
{
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) {
        step->system_name = "rigid";
        if (world->groups[mode] != NULL) kin_group_predict(world->groups[mode], step);
    }
}

kin_status kin_groups_exchange(kin_world* world, kin_step* step)
{
    if (world->groups[KIN_RIGID_REALTIME] == NULL || world->groups[KIN_RIGID_EXACT] == NULL) return KIN_STATUS_OK;
    step->system_name = "rigid";
    if (kin_modes_exchange(&world->modes, world->groups[KIN_RIGID_REALTIME], world->groups[KIN_RIGID_EXACT], step)) return KIN_STATUS_OK;
    return kin_step_refuse(step, 0, 0, "out of memory for what passes between real-time and exact bodies");
}

/* Whoever comes after the groups asks the collision service. */
static bool has_others(const kin_world* world)
{
    for (size_t i = 0; i < world->system_count; ++i) {
        if (world->systems[i].ops->rank > 0) return true;
    }
    return false;
}

/* Solids are told by how much their bodies' motion changes by all but hits: what was pushed before is not in it, springs, weight and contacts are. */
void kin_groups_clear_loads(kin_world* world)
{
    for (uint32_t i = 0; has_others(world) && i < kin_solids_count(world->solids); ++i) {
        if (kin_solids_gives(world->solids, i)) kin_solids_load(world->solids, i, (kin_twist){0});
    }
}

/* Before what counts as a load, and after it: the change between the two is added. */
void kin_groups_tell_loads(kin_world* world, bool after)
{
    if (!has_others(world)) return;
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) {
        const kin_bodies* b = world->groups[mode] != NULL ? &world->groups[mode]->bodies : NULL;
        for (uint32_t i = 0; b != NULL && i < b->count; ++i) {
            uint32_t solid = b->skin[i].solid;
            if (b->motion[i] != KIN_BODY_FREE || solid == UINT32_MAX) continue;
            kin_twist now = {b->body[i].velocity, b->body[i].spin}, was = kin_solids_give(world->solids, solid).load;
            double sign = after ? 1 : -1;
            kin_solids_load(world->solids, solid, (kin_twist){kin_add_scaled(was.velocity, sign, now.velocity), kin_add_scaled(was.spin, sign, now.spin)});
        }
    }
}

/* A refusal for a body, by the name of its system and its number there. */
static kin_status refuse_body(const kin_world* world, const kin_group* g, kin_step* step)
{
    if (g->unsound == KIN_NO_BODY) return KIN_STATUS_REFUSED;
    const kin_anchor owner = g->bodies.skin[g->unsound].owner;
    if (owner.system != KIN_WORLD_SYSTEM) step->system_name = world->systems[owner.system - 1].name;
    return kin_step_refuse(step, owner.element, 0, KIN_GROUP_UNSOUND);
}

kin_status kin_groups_advance(kin_world* world, kin_step* step)
{
    bool others = has_others(world);
    if (others) kin_groups_publish(world), kin_groups_tell_loads(world, false);
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) {
        if (world->groups[mode] == NULL) continue;
        step->system_name = world->groups[mode]->ops->name;
        if (kin_group_advance(world->groups[mode], step) != KIN_STATUS_OK) return refuse_body(world, world->groups[mode], step);
        world->bodies_moved = true;
    }
    kin_modes_end(&world->modes, step);
    if (world->touch_events.lost) kin_step_warn(step, 0, "no memory for all touch events and contacts");
    if (!world->bodies_moved || !others) return KIN_STATUS_OK;
    kin_groups_tell_loads(world, true);
    kin_groups_publish(world);
    kin_colliders_refit(world, step->h);
    return world->trouble.code == KIN_OK ? KIN_STATUS_OK : KIN_STATUS_REFUSED;
}

/* ---- bodies as solids ---- */

static bool is_solid(const kin_bodies* b, uint32_t i)
{
    return b->skin[i].owner.system != KIN_WORLD_SYSTEM && b->skin[i].form != NULL && !b->skin[i].sensor && b->motion[i] != KIN_BODY_GONE;
}

static kin_result publish_body(kin_world* world, kin_bodies* b, uint32_t i, kin_error* error)
{
    kin_body_skin* skin = &b->skin[i];
    if (skin->owner.system == KIN_WORLD_SYSTEM) return KIN_OK;
    if (!is_solid(b, i)) {
        if (skin->solid != UINT32_MAX) kin_solids_remove(world->solids, skin->solid);
        skin->solid = UINT32_MAX;
        return KIN_OK;
    }
    kin_transform start = kin_transform_mul(b->start[i], skin->place), end = kin_transform_mul(b->end[i], skin->place);
    if (skin->solid == UINT32_MAX) {
        kin_solid_def def = {.form = skin->form, .pose = end, .material = skin->material, .filter = skin->filter, .owner = skin->owner};
        kin_result result = kin_solids_add(world->solids, &def, &skin->solid, error);
        if (result != KIN_OK) return result;
    }
    kin_solids_move(world->solids, skin->solid, start, end);
    const kin_body* body = &b->body[i];
    bool gives = b->motion[i] == KIN_BODY_FREE;
    kin_solids_weigh(world->solids, skin->solid, gives ? body->inv_mass : 0, gives ? kin_body_inv_inertia(body) : (kin_sym3){0}, body->position);
    return KIN_OK;
}

void kin_groups_publish(kin_world* world)
{
    kin_error error = {0};
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) world->bodies_moved |= world->groups[mode] != NULL && world->groups[mode]->changed;
    if (!world->bodies_moved) return;
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) {
        kin_group* g = world->groups[mode];
        for (uint32_t i = 0; g != NULL && i < g->bodies.count; ++i) {
            if (publish_body(world, &g->bodies, i, &error) != KIN_OK) kin_world_trouble(world, &error);
        }
        if (g != NULL) g->changed = false;
    }
    world->bodies_moved = false;
    world->solids_moved = true;
}

/* ---- state ---- */

static void rename_colliders(kin_world* world, int mode)
{
    const kin_bodies* b = &world->groups[mode]->bodies;
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->skin[i].owner.system == KIN_WORLD_SYSTEM && b->motion[i] != KIN_BODY_GONE) world->colliders[b->skin[i].owner.element].body[mode] = i;
    }
}

/* A removed body may be missing here, or still be there. */
static void visit_shape(const kin_group* g, kin_visitor* v)
{
    const uint64_t count = g->bodies.count, joints = g->joint_count;
    uint64_t stored = count, removed = kin_bodies_removed(&g->bodies), stored_joints = joints;
    kin_visit_u64(v, &stored);
    kin_visit_u64(v, &removed);
    kin_visit_u64(v, &stored_joints);
    bool fits = count <= stored && removed <= stored && stored - removed <= count && stored_joints == joints;
    if (v->result == KIN_OK && !fits) kin_visit_fail(v, KIN_ERROR_MISMATCH);
}

void kin_groups_visit_shape(kin_world* world, kin_visitor* v)
{
    for (int mode = 0; mode < KIN_GROUP_COUNT && v->result == KIN_OK; ++mode) {
        if (world->groups[mode] == NULL) continue;
        if (enter_colliders(world, mode, NULL) != KIN_OK)
            kin_visit_fail(v, KIN_ERROR_MEMORY);
        else
            visit_shape(world->groups[mode], v);
    }
}

void kin_groups_visit(kin_world* world, kin_visitor* v)
{
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) {
        if (world->groups[mode] == NULL) continue;
        if (v->result != KIN_OK) return;
        kin_group_visit(world->groups[mode], v);
        if (v->mode == KIN_VISIT_LOAD && v->result == KIN_OK) rename_colliders(world, mode);
    }
    if (v->result == KIN_OK) kin_body_contacts_visit(&world->touch_events, v);
    if (v->mode == KIN_VISIT_LOAD) world->bodies_moved = true;
}

/* ---- what users are told ---- */

const kin_touch_event* kin_world_touch_events(const kin_world* world, size_t* count)
{
    *count = world->touch_events.count;
    return world->touch_events.items;
}

const kin_body_contact* kin_world_contacts(const kin_world* world, size_t* count)
{
    *count = world->touch_events.contact_count;
    return world->touch_events.contacts;
}

void kin_world_set_touch_filter(kin_world* world, kin_touch_filter* filter, void* context)
{
    world->touch_filter = filter;
    world->touch_filter_context = context;
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) {
        if (world->groups[mode] == NULL) continue;
        const bool changed = world->groups[mode]->filter != NULL && (filter != world->groups[mode]->filter || context != world->groups[mode]->filter_context);
        if (changed && filter != NULL) kin_group_wake_all(world->groups[mode]); /* its coming and going is seen by the solvers */
        world->groups[mode]->filter = filter;
        world->groups[mode]->filter_context = context;
    }
}
