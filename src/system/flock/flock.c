/* flock.c - flocks: House & Keyser 6.5, after Reynolds 1987. Every member wants to keep apart from its neighbours, to fly as they do and to be among them; beside
 * that to miss obstacles, to flee, to follow a leader and to go at its speed. In order of importance each gets its share of one acceleration. Nobody pays for it:
 * flocks keep neither momentum nor energy. Tune `apart` first, then `match`, then `centre`. */
#include "system/flock/flock.h"
#include "base/error.h"
#include "base/jobs.h"
#include "system/field_kinds.h"
#include "system/flock/grid.h"
#include "system/steer/steer.h"

enum { BATCH = 64, DEMANDS = 7 };

/* Bits of the def's names. */
typedef struct flock_tags {
    uint64_t leaders, predators;
} flock_tags;

/* Kept from call to call for its memory alone. */
typedef struct flock {
    kin_allocator allocator;
    kin_flock_grid grid;
    uint32_t *members, *leaders, *predators; /* numbers in the cloud */
    size_t member_capacity, leader_capacity, predator_capacity;
    uint32_t member_count, leader_count, predator_count;
} flock;

/* ---- shared with hunters ---- */

kin_vec3 kin_flock_share(const kin_vec3* demands, int count, double limit)
{
    kin_vec3 sum = demands[0];
    double first = kin_length2(sum), left = limit - kin_sqrt(first);
    if (limit > 0 && left < 0) return kin_scale(sum, limit / (limit - left));
    for (int i = 1; i < count && (limit == 0 || left > 0); ++i) {
        kin_vec3 want = demands[i];
        double against = kin_dot(want, demands[0]);
        if (against < 0) want = kin_add_scaled(want, -against / first, demands[0]);
        double square = kin_length2(want);
        if (square == 0) continue;
        if (limit > 0 && square > left * left) want = kin_scale(want, left / kin_sqrt(square));
        sum = kin_add(sum, want);
        if (limit > 0) left = limit - kin_length(sum);
    }
    return sum;
}

kin_result kin_flock_tags(kin_fields* fields, const kin_names* names, const char* where, uint64_t* bits, kin_error* error)
{
    *bits = 0;
    for (size_t i = 0; i < names->count; ++i) {
        uint64_t bit = kin_fields_tag(fields, names->data[i]);
        if (bit == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "\"%.40s\" is too long (31 letters), or more than 64 tags are in use", names->data[i]);
        *bits |= bit;
    }
    return KIN_OK;
}

uint32_t kin_flock_nearest(const kin_mutual_cloud* c, const uint32_t* points, uint32_t count, uint32_t self, double range)
{
    kin_vec3 x = kin_cloud_place(c, self);
    double least = range > 0 ? range * range : __builtin_inf();
    uint32_t nearest = UINT32_MAX;
    for (uint32_t k = 0; k < count; ++k) {
        double square = kin_length2(kin_sub(kin_cloud_place(c, points[k]), x));
        if (points[k] == self || !(square < least)) continue;
        least = square;
        nearest = points[k];
    }
    return nearest;
}

/* ---- who is who ---- */

static bool is_finite(const kin_mutual_cloud* c, uint32_t i) { return kin_finite3(kin_cloud_place(c, i)) && kin_finite3(kin_cloud_velocity(c, i)); }

static kin_result sort_out(flock* f, const kin_field* field, const kin_mutual_cloud* c, kin_error* error)
{
    const flock_tags* tags = field->made;
    bool ok = kin_reserve(&f->allocator, (void**)&f->members, &f->member_capacity, c->count, sizeof *f->members)
              && kin_reserve(&f->allocator, (void**)&f->leaders, &f->leader_capacity, c->count, sizeof *f->leaders)
              && kin_reserve(&f->allocator, (void**)&f->predators, &f->predator_capacity, c->count, sizeof *f->predators);
    if (!ok) return kin_fail_memory(error, "flock", 3 * (size_t)c->count * sizeof(uint32_t));
    f->member_count = f->leader_count = f->predator_count = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        if (!is_finite(c, i)) return kin_fail(error, KIN_ERROR_NUMERICS, "flock", "point %u is no longer at a finite place with a finite velocity", i);
        bool is_leader = kin_cloud_has(c, i, tags->leaders);
        if (kin_cloud_has(c, i, tags->predators)) {
            f->predators[f->predator_count++] = i;
            continue;
        }
        if (is_leader) f->leaders[f->leader_count++] = i;
        if (is_leader || field->tags == 0 || c->tags == NULL || kin_cloud_has(c, i, field->tags)) f->members[f->member_count++] = i;
    }
    return KIN_OK;
}

/* ---- what one wants ---- */

typedef struct flock_job {
    const flock* flock;
    const kin_flock_field* def;
    const flock_tags* tags;
    const kin_mutual_cloud* cloud;
    kin_flock_rule rule;
    kin_vec3 normal; /* of the ground; zero: none */
} flock_job;

/* One of them. */
typedef struct bird {
    uint32_t index; /* in the cloud */
    kin_vec3 x, v;  /* v: along the ground */
} bird;

/* H6.5d. */
static kin_vec3 round_obstacles(const flock_job* job, const bird* b)
{
    const kin_mutual_cloud* c = job->cloud;
    if (!(job->def->obstacles.ahead > 0)) return kin_v(0, 0, 0);
    kin_steer_self self = {b->x, b->v, c->radius[b->index], kin_cloud_acceleration(c, b->index)};
    return kin_steer_round(&job->def->obstacles, c->solids, c->fraction, &self);
}

static kin_vec3 from_predators(const flock_job* job, const bird* b)
{
    kin_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < job->flock->predator_count; ++k) {
        kin_vec3 away = kin_sub(b->x, kin_cloud_place(job->cloud, job->flock->predators[k]));
        double fear = 1 - kin_length(away) / job->def->flee_range;
        if (fear > 0) sum = kin_add_scaled(sum, job->def->flee * fear, kin_normalize_or(away, kin_v(0, 0, 0)));
    }
    return sum;
}

static kin_vec3 to_leader(const flock_job* job, const bird* b)
{
    const flock* f = job->flock;
    if (f->leader_count == 0) return kin_v(0, 0, 0);
    uint32_t leader = kin_flock_nearest(job->cloud, f->leaders, f->leader_count, b->index, job->def->follow_range);
    if (leader == UINT32_MAX) return kin_v(0, 0, 0);
    return kin_scale(kin_sub(kin_cloud_place(job->cloud, leader), b->x), job->def->follow);
}

static kin_vec3 to_speed(const flock_job* job, const bird* b)
{
    if (job->def->drive == 0) return kin_v(0, 0, 0);
    return kin_scale(kin_normalize_or(b->v, kin_v(0, 0, 0)), job->def->drive * (job->def->speed - kin_length(b->v)));
}

static kin_vec3 scaled(const double sum[3], double gain) { return kin_v(gain * sum[0], gain * sum[1], gain * sum[2]); }

static kin_vec3 wanted(const flock_job* job, const bird* b, const kin_flock_sums* seen)
{
    const kin_flock_field* def = job->def;
    kin_vec3 demands[DEMANDS] = {
        round_obstacles(job, b),           from_predators(job, b), scaled(seen->apart, def->apart), to_leader(job, b), scaled(seen->match, def->match),
        scaled(seen->centre, def->centre), to_speed(job, b),
    };
    for (int k = 0; k < DEMANDS; ++k) demands[k] = kin_flock_level(demands[k], job->normal);
    return kin_flock_share(demands, DEMANDS, def->limit);
}

static bool leads(const flock_job* job, uint32_t i) { return job->flock->leader_count > 0 && kin_cloud_has(job->cloud, i, job->tags->leaders); }

static void push_members(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    static kin_flock_sum_fn* const sum[KIN_SIMD_COUNT] = KIN_WIDTHS(kin_flock_sum);
    const flock_job* job = argument;
    const kin_flock_grid* grid = &job->flock->grid;
    kin_flock_sums seen[BATCH];
    (void)chunk, (void)scratch;
    for (int64_t k = begin; k < end; ++k) { /* the cloud has another order: call for its lines long before they are written */
        for (int axis = 0; axis < 3; ++axis) __builtin_prefetch(&job->cloud->acceleration[axis][grid->index[k]], 1);
    }
    sum[job->cloud->simd](grid, &job->rule, (uint32_t)begin, (uint32_t)end, seen);
    for (int64_t k = begin; k < end; ++k) {
        const double *x = grid->birds[k].x, *v = grid->birds[k].v; /* the cloud's own are far apart in memory */
        bird b = {grid->index[k], kin_v(x[0], x[1], x[2]), kin_flock_level(kin_v(v[0], v[1], v[2]), job->normal)};
        if (!leads(job, b.index)) kin_cloud_push(job->cloud, b.index, wanted(job, &b, &seen[k - begin]));
    }
}

/* ---- the field ---- */

static kin_flock_rule rule_of(const kin_flock_field* def)
{
    static const double degrees[][2] = {[KIN_EYES_ALL] = {180, 360}, [KIN_EYES_PIGEON] = {30, 340}, [KIN_EYES_OWL] = {70, 110}};
    kin_flock_rule rule = {.range = {def->range[0], def->range[1]}, .closest = def->closest, .all_round = def->eyes == KIN_EYES_ALL};
    for (int k = 0; k < 2; ++k) rule.half[k] = 0.5 * (def->eyes == KIN_EYES_OWN ? def->view[k] : degrees[def->eyes][k] * KIN_PI / 180);
    return rule;
}

static kin_result flock_evaluate(const kin_field* field, void* self, const kin_mutual_cloud* cloud, kin_error* error)
{
    flock* f = self;
    const kin_flock_field* def = field->def;
    kin_result result = sort_out(f, field, cloud, error);
    if (result != KIN_OK || f->member_count == 0) return result;
    if (!kin_flock_grid_build(&f->grid, &f->allocator, cloud, f->members, f->member_count, def->range[1])) {
        return kin_fail_memory(error, "flock", f->member_count * sizeof(kin_flock_bird));
    }
    flock_job job = {f, def, field->made, cloud, rule_of(def), kin_normalize_or(def->plane, kin_v(0, 0, 0))};
    kin_parallel_for(cloud->jobs, f->member_count, BATCH, push_members, &job);
    return KIN_OK;
}

static kin_result flock_create(const kin_field* field, const kin_allocator* allocator, void** self, kin_error* error)
{
    (void)field;
    flock* f = kin_alloc_zero(allocator, sizeof *f);
    if (f == NULL) return kin_fail_memory(error, "flock", sizeof *f);
    f->allocator = *allocator;
    *self = f;
    return KIN_OK;
}

static void flock_destroy(void* self)
{
    flock* f = self;
    kin_allocator allocator = f->allocator;
    kin_flock_grid_term(&f->grid, &allocator);
    kin_free(&allocator, f->members, f->member_capacity * sizeof *f->members);
    kin_free(&allocator, f->leaders, f->leader_capacity * sizeof *f->leaders);
    kin_free(&allocator, f->predators, f->predator_capacity * sizeof *f->predators);
    kin_free(&allocator, f, sizeof *f);
}

/* Weights must fall from whole to nothing over some width: with one threshold for both, neighbours would flicker in and out. */
static kin_result flock_make(kin_fields* fields, const void* d, kin_arena* arena, void** made, kin_error* error)
{
    const kin_flock_field* def = d;
    if (!(def->range[0] < def->range[1])) return kin_fail(error, KIN_ERROR_ARGUMENT, "flock", "the second range must be more than the first");
    if (def->eyes == KIN_EYES_OWN && !(def->view[0] < def->view[1]))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "view", "the second angle must be more than the first");
    flock_tags* tags = kin_arena_take(arena, sizeof *tags);
    if (tags == NULL) return kin_fail_memory(error, "flock", sizeof *tags);
    *made = tags;
    kin_result result = kin_flock_tags(fields, &def->leaders, "leaders", &tags->leaders, error);
    return result == KIN_OK ? kin_flock_tags(fields, &def->predators, "predators", &tags->predators, error) : result;
}

#define FLOCK(member) offsetof(kin_flock_field, member)
#define GAIN(row, of, default_value, text)                                                                                                                     \
    {                                                                                                                                                          \
        .name = #row, .type = KIN_PARAM_NUMBER, .offset = FLOCK(row), .unit = of, .doc = text, .high = 1e300, .preset = {default_value},                       \
        .flags = KIN_PARAM_LIVE                                                                                                                                \
    }
static const char* const eyes_names[] = {"all", "pigeon", "owl", "own", NULL};
static const kin_param obstacle_params[] = {KIN_STEERING_ROWS("ahead", 0, 0), {0}};
static const kin_param flock_params[] = {
    {.name = "flock",
     .type = KIN_PARAM_TWO,
     .offset = FLOCK(range),
     .unit = "m",
     .doc = "Neighbours nearer than the first distance count whole, less and less up to the second, not beyond.",
     .high = 1e300,
     .preset = {0.5, 1},
     .flags = KIN_PARAM_REQUIRED},
    GAIN(apart, "m^2/s^2", 1, "Keeping apart: this over the distance, from each neighbour."),
    GAIN(match, "1/s", 0.5, "Towards the velocity of each neighbour."),
    GAIN(centre, "1/s^2", 0.1, "Towards the place of each neighbour."),
    {.name = "closest",
     .type = KIN_PARAM_NUMBER,
     .offset = FLOCK(closest),
     .unit = "m",
     .doc = "Keeping apart grows no further below this distance.",
     .high = 1e300,
     .preset = {0.01},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "eyes",
     .type = KIN_PARAM_ENUM,
     .offset = FLOCK(eyes),
     .doc = "Which way neighbours are seen: all round, pigeon (30 and 340 degrees), owl (70 and 110), or own (by view).",
     .names = eyes_names},
    {.name = "view",
     .type = KIN_PARAM_TWO,
     .offset = FLOCK(view),
     .unit = "rad",
     .doc = "With eyes own: full angles about the velocity, within the first of which neighbours count whole, less and less up to the second.",
     .high = 6.2831853071795865,
     .preset = {3, 6}},
    GAIN(limit, "m/s^2", 0, "All of it together is never more; 0: no limit."),
    {.name = "obstacles", .type = KIN_PARAM_TABLE, .offset = FLOCK(obstacles), .doc = "Steered round before all else.", .sub = obstacle_params},
    {.name = "leaders", .type = KIN_PARAM_TEXTS, .offset = FLOCK(leaders), .doc = "Tags of points that are followed and do not feel the flock."},
    GAIN(follow, "1/s^2", 1, "Towards the nearest leader."),
    GAIN(follow_range, "m", 0, "Leaders beyond are not followed; 0: no limit."),
    {.name = "predators", .type = KIN_PARAM_TEXTS, .offset = FLOCK(predators), .doc = "Tags of points that are fled from; they are not of the flock."},
    GAIN(flee, "m/s^2", 10, "Away from a predator at no distance, less and less up to flee_range."),
    {.name = "flee_range",
     .type = KIN_PARAM_NUMBER,
     .offset = FLOCK(flee_range),
     .unit = "m",
     .doc = "Predators beyond are not minded.",
     .high = 1e300,
     .preset = {5},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "plane",
     .type = KIN_PARAM_VECTOR,
     .offset = FLOCK(plane),
     .doc = "Normal of the ground, for runners: nothing is done along it; {0, 0, 0}: in space.",
     .flags = KIN_PARAM_LIVE},
    GAIN(speed, "m/s", 0, "Cruising speed."),
    GAIN(drive, "1/s", 0, "How fast it is taken up; 0: any speed will do."),
    KIN_FIELD_COMMON_ROWS,
};
static const kin_mutual_ops flock_mutual = {.create = flock_create, .destroy = flock_destroy, .evaluate = flock_evaluate};

const kin_field_ops kin_field_flock_ops = {
    .name = "flock",
    .doc = "Birds, fish and runners: keeping apart, flying alike, staying together.",
    .params = flock_params,
    .def_size = sizeof(kin_flock_field),
    .wants = KIN_FIELD_WANTS_TAGS | KIN_FIELD_WANTS_RADIUS,
    .mutual = &flock_mutual,
    .make = flock_make,
};
