/* realtime.c - the real-time solver of a contact group: its table, and an interval on one screen.
 *
 * Soft constraints in substeps, warm started and relaxed; contacts in lanes by persistent colours; manifolds recycled with frozen frames (rows.h). The
 * measured choices behind it: four substeps, stiffness of two thirteenths of the substep rate, damping ratio 10, a speculative gap of 2 cm. */
#include "contact/realtime/realtime.h"
#include "base/alloc.h"
#include "base/error.h"

#define STRIKE 0.2 /* of the speed that bounces: faster is a blow, whose impulse foretells nothing (strike.c) */
#define CREEP 0.25 /* of what held contacts have crept: undone in an interval, in the relaxed pass, which has but one sweep for a stack */
#define PUSH 0.5   /* of that speed: an overlap that is undone faster pushes (solver.c) */

static const kin_rt_kernels* const kernels[KIN_SIMD_COUNT] = {
    [KIN_SIMD_NONE] = &kin_rt_kernels_none, [KIN_SIMD_SSE2] = &kin_rt_kernels_sse2, [KIN_SIMD_AVX2] = &kin_rt_kernels_avx2};

static const kin_rt_point_kernels* const point_kernels[KIN_SIMD_COUNT] = {
    [KIN_SIMD_NONE] = &kin_rt_point_kernels_none, [KIN_SIMD_SSE2] = &kin_rt_point_kernels_sse2, [KIN_SIMD_AVX2] = &kin_rt_point_kernels_avx2};

/* ---- making ---- */

typedef struct array {
    void* data;
    size_t bytes;
} array;
#define ARRAY(data, capacity) ((array){data, (capacity) * sizeof *(data)})

typedef void array_fn(void* context, array a);

static void each_of(const array* arrays, size_t count, array_fn* fn, void* context)
{
    for (size_t i = 0; i < count; ++i) fn(context, arrays[i]);
}

/* All that it has, but for what the broad phase and direct blocks have themselves. */
static void each_array(const kin_realtime* rt, array_fn* fn, void* context)
{
    const array own[] = {ARRAY(rt->lines.motion, rt->capacity[0]),
                         ARRAY(rt->lines.frame, rt->capacity[1]),
                         ARRAY(rt->lines.place, rt->capacity[2]),
                         ARRAY(rt->gain, rt->capacity[3]),
                         ARRAY(rt->top, rt->capacity[4]),
                         ARRAY(rt->body, rt->capacity[5]),
                         ARRAY(rt->solid, rt->capacity[6]),
                         ARRAY(rt->glance, rt->capacity[7]),
                         ARRAY(rt->travel, rt->capacity[8]),
                         ARRAY(rt->island, rt->island_capacity),
                         ARRAY(rt->pairs, rt->pair_capacity[0]),
                         ARRAY(rt->links, rt->pair_capacity[1]),
                         ARRAY(rt->listed, rt->pair_capacity[2]),
                         ARRAY(rt->cache_of, rt->pair_capacity[3]),
                         ARRAY(rt->caches, rt->cache_capacity),
                         ARRAY(rt->wait, rt->wait_capacity),
                         ARRAY(rt->contacts, rt->contact_capacity),
                         ARRAY(rt->found, rt->found_capacity),
                         ARRAY(rt->store, rt->store_capacity),
                         ARRAY(rt->joint, rt->joint_capacity[0]),
                         ARRAY(rt->joint_order, rt->joint_capacity[1]),
                         ARRAY(rt->joint_of_body, rt->joint_capacity[2]),
                         ARRAY(rt->joint_first, rt->joint_capacity[3]),
                         ARRAY(rt->joint_rows, rt->joint_capacity[4]),
                         ARRAY(rt->joint_walk, rt->joint_capacity[5]),
                         ARRAY(rt->points, rt->joint_capacity[6]),
                         ARRAY(rt->turns, rt->joint_capacity[7]),
                         ARRAY(rt->set_of, rt->set_capacity[0]),
                         ARRAY(rt->sets, rt->set_capacity[1]),
                         ARRAY(rt->meetings, rt->meeting_capacity),
                         ARRAY(rt->news, rt->news_capacity),
                         ARRAY(rt->keys, rt->sort_capacity[0]),
                         ARRAY(rt->spare_keys, rt->sort_capacity[1]),
                         ARRAY(rt->values, rt->sort_capacity[2]),
                         ARRAY(rt->spare_values, rt->sort_capacity[3]),
                         ARRAY(rt->colour, rt->colour_capacity)};
    const kin_rt_list* lists[] = {&rt->active, &rt->planes,      &rt->idle, &rt->ended,  &rt->redo,         &rt->free_caches, &rt->unbarred,
                                  &rt->waking, &rt->found_order, &rt->fast, &rt->shaken, &rt->shaken_first, &rt->members,     &rt->met};
    for (uint32_t c = 0; c < rt->colour_count; ++c) {
        const kin_rt_colour* k = &rt->colour[c];
        const array of_colour[] = {ARRAY(k->geometry, k->capacity[0]), ARRAY(k->rows, k->capacity[1]),  ARRAY(k->extra, k->capacity[2]),
                                   ARRAY(k->flags, k->capacity[3]),    ARRAY(k->dirty, k->capacity[4]), ARRAY(k->struck, k->capacity[5])};
        each_of(of_colour, sizeof of_colour / sizeof *of_colour, fn, context);
    }
    each_of(own, sizeof own / sizeof *own, fn, context);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) fn(context, ARRAY(lists[i]->data, lists[i]->capacity));
}

static void free_array(void* allocator, array a) { kin_free(allocator, a.data, a.bytes); }
static void add_bytes(void* sum, array a) { *(size_t*)sum += a.bytes; }

static void realtime_destroy(void* self)
{
    kin_realtime* rt = self;
    if (rt == NULL) return;
    kin_allocator allocator = rt->allocator;
    kin_broad_destroy(rt->broad);
    kin_rt_blocks_free(rt);
    each_array(rt, free_array, &allocator);
    kin_free(&allocator, rt, sizeof *rt);
}

static void rest_line(kin_realtime* rt)
{
    rt->lines.motion[0] = (kin_rt_motion){.v = {0}};
    rt->lines.frame[0] = (kin_rt_frame){.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    rt->lines.place[0] = (kin_vec3){0, 0, 0};
}

static kin_result realtime_create(kin_group* group, void** solver, kin_error* error)
{
    kin_realtime* rt = kin_alloc_zero(&group->allocator, sizeof *rt);
    if (rt == NULL) return kin_fail_memory(error, "the real-time solver", sizeof *rt);
    *rt = (kin_realtime){.group = group, .allocator = group->allocator, .free_pair = KIN_RT_NONE, .free_contact = KIN_RT_NONE, .active_changed = true};
    kin_broad_def def = kin_rt_broad_def(rt);
    kin_result result = kin_broad_create(&rt->allocator, &def, &rt->broad, error);
    if (result == KIN_OK && !(kin_rt_bodies_reserve(rt, 0) && kin_rt_graph_make(rt, KIN_RT_NONE)))
        result = kin_fail_memory(error, "the real-time solver", sizeof *rt->lines.motion);
    if (result != KIN_OK) {
        realtime_destroy(rt);
        return result;
    }
    rest_line(rt);
    *solver = rt;
    return KIN_OK;
}

/* ---- bodies ---- */

static bool realtime_expects(void* self, uint32_t count)
{
    kin_realtime* rt = self;
    return kin_rt_bodies_reserve(rt, count) && kin_broad_reserve(rt->broad, count);
}

static bool realtime_body_added(void* self, uint32_t body)
{
    kin_realtime* rt = self;
    if (rt->tops_seen > body) rt->tops_seen = body;
    if (!kin_rt_bodies_reserve(rt, body + 1)) return false;
    rt->body[body] = (kin_rt_body){.pairs = KIN_RT_NONE, .flags = KIN_RT_AWAKE, .part = 1};
    rt->travel[body] = (kin_rt_travel){0};
    kin_rt_solid_make(rt, body);
    kin_rt_line_load(rt, body, 0, 1);
    rt->active_changed = true;
    return kin_rt_proxy_add(rt, body, NULL);
}

static void realtime_body_removed(void* self, uint32_t body)
{
    kin_realtime* rt = self;
    if (!kin_rt_is_free(rt, body)) kin_rt_wake_supported(rt, body);
    kin_rt_proxy_remove(rt, body);
    rt->body[body].flags = 0;
    rt->active_changed = true;
}

static bool realtime_joint_added(void* self, uint32_t joint) { return kin_rt_joint_added(self, joint); }
static void realtime_joint_removed(void* self, uint32_t joint) { kin_rt_joint_removed(self, joint); }

static void realtime_touched(void* self, uint32_t body)
{
    kin_realtime* rt = self;
    const bool was_free = rt->body[body].motion == KIN_BODY_FREE;
    if (!was_free || !kin_rt_is_free(rt, body)) kin_rt_wake_supported(rt, body); /* what it holds may come down slower than motion spreads by itself */
    if (!kin_rt_body_learn(rt, body)) rt->out_of_memory = true;
    kin_rt_joints_follow(rt, body);
    kin_rt_proxy_follow(rt, body);
    kin_rt_idle_recheck(rt, body);
    kin_rt_wake(rt, body);
    rt->active_changed = true;
}

static void realtime_sleep(void* self, uint32_t body) { kin_rt_sleep(self, body); }
static bool realtime_is_awake(const void* self, uint32_t body)
{
    const kin_realtime* rt = self;
    return kin_rt_is_free(rt, body) && (rt->body[body].flags & (KIN_RT_AWAKE | KIN_RT_WAKING)) != 0;
}

static const uint32_t* realtime_movers(void* self, uint32_t* count)
{
    kin_realtime* rt = self;
    kin_rt_active_update(rt);
    *count = rt->active.count;
    return rt->active.data;
}

/* ---- an interval ---- */

static kin_rt_soft soft_row(const kin_rigid_def* def, double h, int substeps, bool is_static)
{
    double rate = 1 / (6.5 * h); /* at a fourth of the substep rate stacks jitter; at an eighth they sink half as deep again */
    if (def->contact_rate > 0 && def->contact_rate < rate) rate = def->contact_rate;
    double damping = def->contact_damping;
    if (is_static) rate *= 2, damping *= 0.5;
    double om = 2 * KIN_PI * rate, p = 2 * damping + h * om, q = h * om * p;
    return (kin_rt_soft){(float)(om / p),
                         (float)(q / (1 + q)),
                         (float)(1 / (1 + q)),
                         (float)(1 / h),
                         (float)def->push_speed,
                         (float)(STRIKE * def->bounce_speed),
                         (float)(PUSH * def->bounce_speed * p / om),
                         0,
                         (float)def->bounce_speed,
                         (float)(CREEP / (h * substeps))};
}

static kin_rt_step step_of(kin_realtime* rt, kin_step* step)
{
    const kin_rigid_def* def = &rt->group->def;
    int substeps = def->substeps > 0 ? def->substeps : 4;
    double sub = step->h / substeps;
    return (kin_rt_step){.rt = rt,
                         .step = step,
                         .h = step->h,
                         .sub = sub,
                         .substeps = substeps,
                         .soft = {soft_row(def, sub, substeps, false), soft_row(def, sub, substeps, true)},
                         .joint_soft = kin_rt_joint_soft(sub, STRIKE * def->bounce_speed)};
}

enum { MANY = 256 }; /* bodies that move: loops over fewer are over before a thread is awake */

/* From bodies as they are to bodies as they will be. */
static void run_interval(kin_rt_step* s)
{
    s->rt->middle = 0.5 * (s->h - s->sub);
    kin_rt_begin(s);
    if (s->rt->unsound != KIN_NO_BODY) return;
    kin_rt_pairs(s);
    kin_rt_touch(s);
    kin_rt_joints_begin(s);
    kin_rt_modify(s);
    kin_rt_blocks_begin(s);
    kin_rt_momenta_begin(s);
    kin_rt_report_begin(s);
    kin_rt_substeps(s);
    kin_rt_follow_touches(s);
    kin_rt_sweep(s);
    kin_rt_momenta_meet(s);
    kin_rt_finish(s);
    kin_rt_blocks_end(s);
    kin_rt_joints_close(s);
    kin_rt_momenta_end(s);
    kin_rt_joints_end(s);
    kin_rt_blocks_judge(s);
    kin_rt_report_end(s);
    kin_rt_rest(s);
    kin_rt_tell_all(s->rt);
    if (!kin_rt_graph_tidy(s->rt)) s->rt->out_of_memory = true;
}

static kin_status realtime_advance(void* self, kin_step* step)
{
    kin_realtime* rt = self;
    rt->kernels = kernels[step->simd];
    rt->point_kernels = point_kernels[step->simd];
    kin_rt_step s = step_of(rt, step);
    kin_rt_active_update(rt);
    kin_rt_wake_driven(rt);
    if (!kin_rt_graph_divide(rt) || !kin_rt_wake_all(&s) || !kin_rt_joints_update(rt) || !kin_rt_blocks_of_new(rt))
        return kin_step_refuse(step, 0, 0, "out of memory for bodies and joints");
    kin_rt_active_update(rt);
    bool many = rt->active.count >= MANY;
    if (many) kin_burst_begin(step->jobs);
    rt->unsound = KIN_NO_BODY;
    rt->cut = 0;
    run_interval(&s);
    if (rt->cut > 0) kin_step_note_cap(step, rt->cut, "speeds were cut to 1e7 m/s or rad/s");
    if (many) kin_burst_end(step->jobs);
    rt->group->unsound = rt->unsound;
    if (rt->unsound != KIN_NO_BODY) return kin_step_refuse(step, rt->unsound, 0, KIN_GROUP_UNSOUND);
    if (atomic_exchange(&rt->out_of_memory, false)) return kin_step_refuse(step, 0, 0, "out of memory for contacts");
    return KIN_STATUS_OK;
}

/* ---- telling ---- */

static void realtime_joint_load(const void* self, uint32_t joint, kin_vec3* force, kin_vec3* torque)
{
    const kin_rt_joint* t = &((const kin_realtime*)self)->joint[joint];
    *force = kin_v((double)t->force[0], (double)t->force[1], (double)t->force[2]);
    *torque = kin_v((double)t->torque[0], (double)t->torque[1], (double)t->torque[2]);
}

/* m: of what the rows are about: the deepest overlap of a contact, and the worst joint of a block. */
static double deepest(const kin_realtime* rt)
{
    double most = 0;
    for (uint32_t c = KIN_RT_DIRECT; c < rt->colour_count; ++c) {
        for (uint32_t i = 0; i < rt->colour[c].count; ++i) {
            for (int k = 0; k < KIN_RT_POINTS; ++k) most = kin_max(most, -(double)rt->colour[c].rows[i / KIN_RT_LANES].gap[k][i % KIN_RT_LANES]);
        }
    }
    return most;
}

static void realtime_measure(const void* self, kin_budget* sum)
{
    const kin_realtime* rt = self;
    uint32_t awake = 0;
    for (uint32_t i = 0; i < rt->group->bodies.count; ++i) awake += kin_rt_moves(rt, i);
    kin_budget_add(sum, "solver_awake", "", awake);
    kin_budget_add(sum, "pairs", "", rt->pair_count);
    kin_budget_add(sum, "contacts", "", rt->contact_count);
    kin_budget_add(sum, "blocks", "", rt->block_count);
    kin_budget_add(sum, "overlap", "m", deepest(rt));
    kin_budget_add(sum, "block_joint_error", "m", kin_rt_blocks_error(rt));
}

static void realtime_visit(void* self, kin_visitor* v) { kin_rt_visit(self, v); }

static size_t realtime_bytes(const void* self)
{
    const kin_realtime* rt = self;
    size_t sum = sizeof *rt + kin_broad_reports(rt->broad).bytes;
    each_array(rt, add_bytes, &sum);
    return sum;
}

const kin_group_ops kin_realtime_ops = {.name = "realtime",
                                        .create = realtime_create,
                                        .destroy = realtime_destroy,
                                        .expects = realtime_expects,
                                        .body_added = realtime_body_added,
                                        .body_removed = realtime_body_removed,
                                        .joint_added = realtime_joint_added,
                                        .joint_removed = realtime_joint_removed,
                                        .touched = realtime_touched,
                                        .sleep = realtime_sleep,
                                        .is_awake = realtime_is_awake,
                                        .movers = realtime_movers,
                                        .advance = realtime_advance,
                                        .joint_load = realtime_joint_load,
                                        .measure = realtime_measure,
                                        .visit = realtime_visit,
                                        .bytes = realtime_bytes};
