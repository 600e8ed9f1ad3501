/* hunt.c - points of one kind chase points of another: the nearest, or the middle of all they see. The wanted velocity is straight at the prey; the acceleration
 * takes the velocity there within the response time. Every hunter looks at all prey: there are few hunters. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/jobs.h"
#include "system/field_kinds.h"
#include "system/flock/flock.h"

enum { GRAIN = 16 };

typedef struct hunt {
    kin_allocator allocator;
    uint32_t *hunters, *prey; /* numbers in the cloud */
    size_t hunter_capacity, prey_capacity;
    uint32_t hunter_count, prey_count;
} hunt;

static kin_result sort_out(hunt* h, const kin_field* field, const kin_mutual_cloud* c, kin_error* error)
{
    const uint64_t* prey = field->made;
    bool ok = kin_reserve(&h->allocator, (void**)&h->hunters, &h->hunter_capacity, c->count, sizeof *h->hunters)
              && kin_reserve(&h->allocator, (void**)&h->prey, &h->prey_capacity, c->count, sizeof *h->prey);
    if (!ok) return kin_fail_memory(error, "hunt", 2 * (size_t)c->count * sizeof(uint32_t));
    h->hunter_count = h->prey_count = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        if (kin_cloud_has(c, i, *prey)) h->prey[h->prey_count++] = i;
        if (kin_cloud_has(c, i, field->tags)) h->hunters[h->hunter_count++] = i;
    }
    return KIN_OK;
}

typedef struct hunt_job {
    const hunt* hunt;
    const kin_hunt_field* def;
    const kin_mutual_cloud* cloud;
    kin_vec3 normal;
} hunt_job;

static bool middle_in_sight(const hunt_job* job, uint32_t hunter, kin_vec3* at)
{
    const hunt* h = job->hunt;
    kin_vec3 x = kin_cloud_place(job->cloud, hunter), sum = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < h->prey_count; ++k) {
        kin_vec3 way = kin_sub(kin_cloud_place(job->cloud, h->prey[k]), x);
        if (h->prey[k] == hunter || (job->def->sight > 0 && kin_length2(way) >= job->def->sight * job->def->sight)) continue;
        sum = kin_add(sum, way);
        ++count;
    }
    *at = kin_add_scaled(x, count > 0 ? 1.0 / count : 0, sum);
    return count > 0;
}

static bool find_prey(const hunt_job* job, uint32_t hunter, kin_vec3* at)
{
    if (job->def->aim == KIN_HUNT_MIDDLE) return middle_in_sight(job, hunter, at);
    uint32_t nearest = kin_flock_nearest(job->cloud, job->hunt->prey, job->hunt->prey_count, hunter, job->def->sight);
    if (nearest != UINT32_MAX) *at = kin_cloud_place(job->cloud, nearest);
    return nearest != UINT32_MAX;
}

static void push_hunters(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const hunt_job* job = argument;
    (void)chunk, (void)scratch;
    for (int64_t k = begin; k < end; ++k) {
        uint32_t i = job->hunt->hunters[k];
        kin_vec3 at;
        if (!find_prey(job, i, &at)) continue;
        kin_vec3 way = kin_flock_level(kin_sub(at, kin_cloud_place(job->cloud, i)), job->normal);
        kin_vec3 v = kin_flock_level(kin_cloud_velocity(job->cloud, i), job->normal);
        kin_vec3 missing = kin_sub(kin_scale(kin_normalize_or(way, kin_v(0, 0, 0)), job->def->speed), v);
        kin_vec3 want = kin_scale(missing, 1 / job->def->response);
        kin_cloud_push(job->cloud, i, kin_flock_share(&want, 1, job->def->limit));
    }
}

static kin_result hunt_evaluate(const kin_field* field, void* self, const kin_mutual_cloud* cloud, kin_error* error)
{
    hunt* h = self;
    const kin_hunt_field* def = field->def;
    kin_result result = sort_out(h, field, cloud, error);
    if (result != KIN_OK) return result;
    hunt_job job = {h, def, cloud, kin_normalize_or(def->plane, kin_v(0, 0, 0))};
    kin_parallel_for(cloud->jobs, h->hunter_count, GRAIN, push_hunters, &job);
    return KIN_OK;
}

static kin_result hunt_create(const kin_field* field, const kin_allocator* allocator, void** self, kin_error* error)
{
    (void)field;
    hunt* h = kin_alloc_zero(allocator, sizeof *h);
    if (h == NULL) return kin_fail_memory(error, "hunt", sizeof *h);
    h->allocator = *allocator;
    *self = h;
    return KIN_OK;
}

static void hunt_destroy(void* self)
{
    hunt* h = self;
    kin_allocator allocator = h->allocator;
    kin_free(&allocator, h->hunters, h->hunter_capacity * sizeof *h->hunters);
    kin_free(&allocator, h->prey, h->prey_capacity * sizeof *h->prey);
    kin_free(&allocator, h, sizeof *h);
}

static kin_result hunt_make(kin_fields* fields, const void* d, kin_arena* arena, void** made, kin_error* error)
{
    const kin_hunt_field* def = d;
    if (def->prey.count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "hunt", "name the prey by one tag at least");
    if (def->common.tags.count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "tags", "name the hunters by one tag at least");
    uint64_t* prey = kin_arena_take(arena, sizeof *prey);
    if (prey == NULL) return kin_fail_memory(error, "hunt", sizeof *prey);
    *made = prey;
    return kin_flock_tags(fields, &def->prey, "hunt", prey, error);
}

#define HUNT(member) offsetof(kin_hunt_field, member)
static const char* const aim_names[] = {"nearest", "middle", NULL};
static const kin_param hunt_params[] = {
    {.name = "hunt",
     .type = KIN_PARAM_TEXTS,
     .offset = HUNT(prey),
     .doc = "Tags of the prey; the field's own tags are the hunters'.",
     .flags = KIN_PARAM_REQUIRED},
    {.name = "aim",
     .type = KIN_PARAM_ENUM,
     .offset = HUNT(aim),
     .doc = "At the nearest prey, or the middle of all in sight.",
     .names = aim_names,
     .flags = KIN_PARAM_LIVE},
    {.name = "sight",
     .type = KIN_PARAM_NUMBER,
     .offset = HUNT(sight),
     .unit = "m",
     .doc = "Prey farther away is not seen; 0: no limit.",
     .high = 1e300,
     .flags = KIN_PARAM_LIVE},
    {.name = "speed",
     .type = KIN_PARAM_NUMBER,
     .offset = HUNT(speed),
     .unit = "m/s",
     .doc = "Of the chase.",
     .high = 1e300,
     .preset = {5},
     .flags = KIN_PARAM_LIVE},
    {.name = "response",
     .type = KIN_PARAM_NUMBER,
     .offset = HUNT(response),
     .unit = "s",
     .doc = "In which the velocity comes near the wanted one.",
     .high = 1e300,
     .preset = {0.5},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "limit",
     .type = KIN_PARAM_NUMBER,
     .offset = HUNT(limit),
     .unit = "m/s^2",
     .doc = "Never more; 0: no limit.",
     .high = 1e300,
     .flags = KIN_PARAM_LIVE},
    {.name = "plane",
     .type = KIN_PARAM_VECTOR,
     .offset = HUNT(plane),
     .doc = "Normal of the ground, for runners: nothing is done along it; {0, 0, 0}: in space.",
     .flags = KIN_PARAM_LIVE},
    KIN_FIELD_COMMON_ROWS,
};
static const kin_mutual_ops hunt_mutual = {.create = hunt_create, .destroy = hunt_destroy, .evaluate = hunt_evaluate};

const kin_field_ops kin_field_hunt_ops = {
    .name = "hunt",
    .doc = "Points of one kind chase points of another.",
    .params = hunt_params,
    .def_size = sizeof(kin_hunt_field),
    .wants = KIN_FIELD_WANTS_TAGS,
    .mutual = &hunt_mutual,
    .make = hunt_make,
};
