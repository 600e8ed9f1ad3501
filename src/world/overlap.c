/* overlap.c - every active body and particle asks the collision service what it stands in. */
#include "world/overlap.h"
#include "base/alloc.h"
#include "base/error.h"
#include "collision/questions.h"
#include "domains/particles/particles.h"
#include "world/collider.h"
#include "world/groups.h"

enum { MOST_OF_ONE = 64 }; /* solids that one body is in */
#define TOUCHES 0.01       /* of a half extent: what solvers leave between things at rest is less */

typedef struct finding {
    kin_world* world;
    const kin_group* group; /* of the body that asks */
    uint32_t body;
    uint32_t* body_of; /* by solid: the body of this group that it is; KIN_NO_BODY: none */
    kin_overlap* out;
    size_t count, capacity;
} finding;

static bool are_joined(const kin_group* g, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < g->joint_count; ++i) {
        const kin_joint* j = &g->joints[i];
        if (!j->broken && !j->def.collide && ((j->a == a && j->b == b) || (j->a == b && j->b == a))) return true;
    }
    return false;
}

/* Of two bodies the later one asks. */
static bool counts(const finding* f, uint32_t solid)
{
    uint32_t other = f->body_of[solid];
    if (other == KIN_NO_BODY) return true;
    const kin_bodies* b = &f->group->bodies;
    if (b->skin[other].sensor || kin_length2(b->skin[other].one_way) > 0 || are_joined(f->group, f->body, other)) return false;
    return b->motion[other] != KIN_BODY_FREE || other < f->body;
}

static void add(finding* f, kin_overlap overlap)
{
    if (f->count < f->capacity) f->out[f->count] = overlap;
    f->count += 1;
}

static void look_at_body(finding* f)
{
    const kin_bodies* b = &f->group->bodies;
    const kin_body_skin* skin = &b->skin[f->body];
    if (b->motion[f->body] != KIN_BODY_FREE || skin->form == NULL || !skin->form->bounded || skin->sensor || kin_length2(skin->one_way) > 0) return;
    kin_contact found[MOST_OF_ONE];
    const kin_asker asker = {.filter = skin->filter, .ignore = skin->solid};
    int count =
        kin_solids_overlap_all(f->world->solids, skin->form, kin_bodies_form_pose(b, f->body), 0, 1, &asker, &f->world->jobs.arenas[0], found, MOST_OF_ONE);
    for (int i = 0; i < count; ++i) {
        kin_anchor owner = kin_solids_owner(f->world->solids, found[i].solid, found[i].local);
        if (-found[i].distance > TOUCHES * skin->thickness && counts(f, found[i].solid))
            add(f, (kin_overlap){skin->owner, owner, -found[i].distance, found[i].point});
    }
}

static void look_at_particles(finding* f, uint32_t system)
{
    const kin_particles_view p = kin_particles_state(f->world, (kin_system_id){system, 1});
    for (size_t i = 0; i < p.count; ++i) {
        kin_contact c;
        const kin_vec3 at = {p.x[i], p.y[i], p.z[i]};
        if (p.mobility[i] != KIN_MOBILITY_DYNAMIC || kin_solids_near_all(f->world->solids, at, p.radius[i], 0, 1, NULL, &c, 1) == 0) continue;
        if (-c.distance <= TOUCHES * p.radius[i]) continue;
        add(f, (kin_overlap){{system, (uint32_t)i, {0, 0, 0}}, kin_solids_owner(f->world->solids, c.solid, c.local), -c.distance, c.point});
    }
}

static void look_at_group(finding* f, const kin_group* group, size_t solids)
{
    f->group = group;
    for (size_t i = 0; i < solids; ++i) f->body_of[i] = KIN_NO_BODY;
    for (uint32_t i = 0; i < group->bodies.count; ++i) {
        if (group->bodies.skin[i].solid < solids) f->body_of[group->bodies.skin[i].solid] = i;
    }
    for (f->body = 0; f->body < group->bodies.count; ++f->body) look_at_body(f);
}

kin_result kin_world_find_overlaps(kin_world* world, kin_overlap* out, size_t capacity, size_t* count, kin_error* error)
{
    kin_groups_publish(world);
    kin_colliders_refit(world, world->def.time_step);
    const size_t solids = kin_solids_count(world->solids), bytes = kin_bytes(solids + 1, sizeof(uint32_t));
    finding f = {.world = world, .out = out, .capacity = capacity, .body_of = kin_alloc(&world->allocator, bytes)};
    *count = 0;
    if (f.body_of == NULL) return kin_fail_memory(error, "a look for overlaps", bytes);
    for (int mode = 0; mode < KIN_GROUP_COUNT; ++mode) {
        if (world->groups[mode] != NULL) look_at_group(&f, world->groups[mode], solids);
    }
    for (uint32_t i = 0; i < world->system_count; ++i) {
        if (world->systems[i].ops == &kin_particles_ops) look_at_particles(&f, i + 1);
    }
    kin_free(&world->allocator, f.body_of, bytes);
    *count = f.count;
    return KIN_OK;
}
