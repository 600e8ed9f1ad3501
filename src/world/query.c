/* query.c - questions of users about the world's solids as they stand, or as they moved over the last step. */
#include "kinema/query.h"
#include "collision/questions.h"
#include "base/error.h"
#include "world/collider.h"
#include "world/groups.h"

#define MOST_AT_ONCE 64 /* answers; query.h says so */

/* ---- answers ---- */

static kin_query_hit hit_of(const kin_world* world, const kin_contact* c)
{
    return (kin_query_hit){.point = c->point,
                           .normal = c->normal,
                           .velocity = c->velocity,
                           .distance = c->distance,
                           .fraction = c->fraction,
                           .anchor = kin_solids_owner(world->solids, c->solid, c->local),
                           .part = c->part,
                           .triangle = c->feature,
                           .material = c->material,
                           .found = true};
}

static int give(const kin_world* world, const kin_contact* contacts, int count, kin_query_hit* out)
{
    for (int i = 0; i < count; ++i) out[i] = hit_of(world, &contacts[i]);
    return count;
}

/* Poses changed by hand are put in place first. */
static void make_fresh(const kin_world* world)
{
    kin_groups_publish((kin_world*)world);
    kin_colliders_refit((kin_world*)world, world->def.time_step);
}

/* ---- who asks ---- */

typedef struct accepting {
    const kin_world* world;
    const kin_query* query;
} accepting;

static bool accepts(void* context, uint32_t solid)
{
    const accepting* a = context;
    return a->query->accept(a->query->context, kin_solids_owner(a->world->solids, solid, kin_v(0, 0, 0)));
}

static kin_asker asker_of(const kin_world* world, const kin_query* query, accepting* accept)
{
    *accept = (accepting){world, query};
    kin_asker a = {.ignore = UINT32_MAX};
    if (query == NULL) return a;
    a.filter = query->filter;
    if (kin_pool_holds(&world->collider_ids, (kin_id){query->ignore.index1, query->ignore.generation}))
        a.ignore = world->colliders[query->ignore.index1 - 1].solid;
    if (query->accept != NULL) a.accept = accepts, a.context = accept;
    return a;
}

/* ---- rays and points ---- */

kin_query_hit kin_world_ray(const kin_world* world, kin_vec3 origin, kin_vec3 direction, double max_distance)
{
    kin_query_hit hit = {0};
    kin_world_ray_all(world, origin, direction, max_distance, NULL, &hit, 1);
    return hit;
}

int kin_world_ray_all(const kin_world* world, kin_vec3 origin, kin_vec3 direction, double max_distance, const kin_query* query, kin_query_hit* hits, int most)
{
    kin_contact contacts[MOST_AT_ONCE];
    accepting accept;
    kin_asker asker = asker_of(world, query, &accept);
    make_fresh(world);
    if (most > MOST_AT_ONCE) most = MOST_AT_ONCE;
    return give(world, contacts, kin_solids_ray_all(world->solids, origin, direction, max_distance, 1, &asker, contacts, most), hits);
}

typedef struct ray_batch {
    const kin_world* world;
    const kin_ray* rays;
    const kin_asker* asker;
    kin_query_hit* hits;
} ray_batch;

static void cast_some(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const ray_batch* b = argument;
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        kin_contact c;
        const kin_ray* r = &b->rays[i];
        b->hits[i] =
            kin_solids_ray_all(b->world->solids, r->origin, r->direction, r->max_distance, 1, b->asker, &c, 1) > 0 ? hit_of(b->world, &c) : (kin_query_hit){0};
    }
}

void kin_world_rays(kin_world* world, const kin_ray* rays, size_t count, const kin_query* query, kin_query_hit* hits)
{
    accepting accept;
    kin_asker asker = asker_of(world, query, &accept);
    make_fresh(world);
    kin_parallel_for(&world->jobs, (int64_t)count, 256, cast_some, &(ray_batch){world, rays, &asker, hits});
}

kin_query_hit kin_world_closest(const kin_world* world, kin_vec3 point, double reach)
{
    kin_query_hit hit = {0};
    kin_world_closest_all(world, point, reach, NULL, &hit, 1);
    return hit;
}

int kin_world_closest_all(const kin_world* world, kin_vec3 point, double reach, const kin_query* query, kin_query_hit* hits, int most)
{
    kin_contact contacts[MOST_AT_ONCE];
    accepting accept;
    kin_asker asker = asker_of(world, query, &accept);
    make_fresh(world);
    if (most > MOST_AT_ONCE) most = MOST_AT_ONCE;
    return give(world, contacts, kin_solids_near_all(world->solids, point, 0, reach, 1, &asker, contacts, most), hits);
}

/* ---- shapes ---- */

static kin_result check_pose(const char* where, kin_transform pose, kin_error* error)
{
    double turn = kin_quat_dot(pose.orientation, pose.orientation);
    if (kin_finite3(pose.position) && kin_finite(turn) && turn > 1e-12) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, where, "must be finite, its orientation a quaternion other than zero");
}

/* Between steps the first worker's scratch is free. It tells when it ran out. */
static kin_arena* scratch_of(kin_world* world)
{
    world->jobs.arenas[0].failed = false;
    return &world->jobs.arenas[0];
}

kin_result kin_world_overlap(kin_world* world, const kin_shape* shape, kin_transform pose, double margin, const kin_query* query, kin_query_hit* hits, int most,
                             int* count, kin_error* error)
{
    kin_form* form;
    *count = 0;
    kin_result result = check_pose("pose", pose, error);
    if (result == KIN_OK && !(kin_finite(margin) && margin >= 0)) result = kin_fail(error, KIN_ERROR_ARGUMENT, "margin", "%g must be >= 0 (m)", margin);
    if (result == KIN_OK) result = kin_form_create(&world->allocator, shape, &form, error);
    if (result != KIN_OK) return result;
    kin_contact contacts[MOST_AT_ONCE];
    accepting accept;
    kin_asker asker = asker_of(world, query, &accept);
    make_fresh(world);
    if (most > MOST_AT_ONCE) most = MOST_AT_ONCE;
    pose.orientation = kin_quat_normalize(pose.orientation);
    kin_arena* scratch = scratch_of(world);
    *count = give(world, contacts, kin_solids_overlap_all(world->solids, form, pose, margin, 1, &asker, scratch, contacts, most), hits);
    kin_form_drop(form);
    return scratch->failed ? kin_fail_memory(error, "an overlap", 0) : KIN_OK;
}

kin_result kin_world_cast(kin_world* world, const kin_shape* shape, kin_transform from, kin_transform to, const kin_query* query, kin_query_hit* hits, int most,
                          int* count, kin_error* error)
{
    kin_form* form;
    *count = 0;
    kin_result result = check_pose("from", from, error);
    if (result == KIN_OK) result = check_pose("to", to, error);
    if (result == KIN_OK) result = kin_form_create(&world->allocator, shape, &form, error);
    if (result != KIN_OK) return result;
    if (!form->bounded) {
        kin_form_drop(form);
        return kin_fail(error, KIN_ERROR_ARGUMENT, "shape", "a plane cannot be cast");
    }
    kin_contact contacts[MOST_AT_ONCE];
    accepting accept;
    kin_asker asker = asker_of(world, query, &accept);
    kin_screw motion = kin_screw_between(from, to);
    kin_impact_settings settings = kin_impact_defaults();
    bool moving = query != NULL && query->over_last_step;
    make_fresh(world);
    if (most > MOST_AT_ONCE) most = MOST_AT_ONCE;
    kin_arena* scratch = scratch_of(world);
    int found = kin_solids_cast_all(world->solids, form, &motion, moving ? -1 : 1, &settings, &asker, scratch, contacts, most);
    *count = give(world, contacts, found, hits);
    kin_form_drop(form);
    return scratch->failed ? kin_fail_memory(error, "a cast", 0) : KIN_OK;
}
