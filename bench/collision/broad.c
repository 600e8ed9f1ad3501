/* broad.c - collision/broad: unit boxes that fly about in a cube, every one by 5 % of its size a step, four or so overlapping each. First the default tree on one
 * thread, beside Bullet's dynamic tree with --peers; then on two; then every other kind on the same boxes. Brute force is left out: a step of it takes longer
 * than all others together.
 *
 * Ours gives the sorted list of boxes that overlap and what changed; Bullet keeps the pairs of its larger boxes in a hash. All take turns, step by step, on
 * the same moves: other work on the machine meets them alike. */
#include "base/clock.h"
#include "base/rng.h"
#include "bench/collision/peer_broad.h"
#include "bench/stage.h"
#include "collision/broad/broad.h"
#include "math/random.h"
#include "validation/rig.h"
#include <stdio.h>
#include <stdlib.h>

#define SIZE 20000
#define STEP 0.05   /* of a box's size */
#define DENSITY 0.5 /* boxes in the volume of one: the box of centres that overlap has eight, so about four neighbours */
#define WARM_UP 12
#define STEPS 12 /* in a repetition: whatever is done now and then is in it */

typedef struct flight {
    uint32_t count;
    double wall; /* m, half the cube */
    kin_vec3 *at, *velocity;
    kin_aabb* boxes;
} flight;

static bool take_off(flight* f, uint32_t n)
{
    double half = 0.5;
    while (8 * half * half * half * DENSITY < n) half *= 1.001;
    *f =
        (flight){.count = n, .wall = half, .at = malloc(n * sizeof(kin_vec3)), .velocity = malloc(n * sizeof(kin_vec3)), .boxes = malloc(n * sizeof(kin_aabb))};
    for (uint32_t i = 0; f->at != NULL && f->velocity != NULL && f->boxes != NULL && i < n; ++i) {
        kin_rng_key key = {.seed = 1, .serial = i};
        double x = kin_rng_uniform(&key, 0, -half, half), y = kin_rng_uniform(&key, 1, -half, half);
        f->at[i] = kin_v(x, y, kin_rng_uniform(&key, 2, -half, half));
        f->velocity[i] = kin_scale(kin_rng_direction(&key, 3), STEP);
        f->boxes[i] = kin_aabb_around(f->at[i], kin_v(0.5, 0.5, 0.5));
    }
    return f->at != NULL && f->velocity != NULL && f->boxes != NULL;
}

static double bounce(double at, double wall, double* velocity)
{
    if ((at > wall && *velocity > 0) || (at < -wall && *velocity < 0)) *velocity = -*velocity;
    return at + *velocity;
}

static void fly(flight* f)
{
    for (uint32_t i = 0; i < f->count; ++i) {
        kin_vec3 *x = &f->at[i], *v = &f->velocity[i];
        *x = kin_v(bounce(x->x, f->wall, &v->x), bounce(x->y, f->wall, &v->y), bounce(x->z, f->wall, &v->z));
        f->boxes[i] = kin_aabb_around(*x, kin_v(0.5, 0.5, 0.5));
    }
}

static void land(flight* f)
{
    free(f->at);
    free(f->velocity);
    free(f->boxes);
}

/* One broad phase under the clock. */
typedef struct runner {
    kin_broad* broad;
    kin_jobs* jobs;
    double seconds[KIN_BENCH_REPETITIONS]; /* a step, on average */
} runner;

static bool start(runner* r, kin_broad_kind kind, kin_jobs* jobs, const flight* f, kin_error* error)
{
    kin_broad_def def = kin_broad_def_default(kind);
    kin_allocator allocator = kin_allocator_default();
    *r = (runner){.jobs = jobs};
    if (kin_broad_create(&allocator, &def, &r->broad, error) != KIN_OK) return false;
    for (uint32_t i = 0; i < f->count; ++i) {
        uint32_t id;
        if (kin_broad_insert(r->broad, &(kin_broad_proxy_def){.box = f->boxes[i]}, &id, error) != KIN_OK) return false;
    }
    return true;
}

static bool run_step(runner* r, const flight* f, int step, kin_error* error)
{
    double began = kin_clock_seconds();
    bool ok = true;
    for (uint32_t i = 0; i < f->count && ok; ++i) ok = kin_broad_move(r->broad, i, f->boxes[i], f->velocity[i], error) == KIN_OK;
    ok = ok && kin_broad_update(r->broad, r->jobs, error) == KIN_OK;
    if (step >= 0) r->seconds[step / STEPS] += (kin_clock_seconds() - began) / STEPS;
    return ok;
}

enum { TWO_THREADS = KIN_BROAD_KIND_COUNT, RUNNERS, QUICK = (1 << KIN_BROAD_BRUTE) - 1 };

typedef struct results {
    double ms[RUNNERS], peer_ms; /* by kind; the tree on two threads */
    double pairs, peer_pairs;    /* at the end */
    kin_broad_report report[RUNNERS];
} results;

/* The peer under the clock; without it, nothing. */
typedef struct rival {
    kin_peer_broad* peer;
    double seconds[KIN_BENCH_REPETITIONS];
} rival;

#ifdef KIN_PEER_BULLET
static void rival_start(rival* r, const flight* f, bool wanted) { *r = (rival){.peer = wanted ? kin_peer_broad_create(f->boxes, f->count) : NULL}; }
static void rival_step(rival* r, const flight* f, int step)
{
    double began = kin_clock_seconds();
    if (r->peer != NULL) kin_peer_broad_step(r->peer, f->boxes, f->count);
    if (step >= 0) r->seconds[step / STEPS] += (kin_clock_seconds() - began) / STEPS;
}
static void rival_end(rival* r, const flight* f, int repetitions, results* out)
{
    if (r->peer == NULL) return;
    out->peer_ms = 1e3 * kin_bench_median(r->seconds, repetitions);
    out->peer_pairs = (double)kin_peer_broad_pairs(r->peer, f->boxes);
    kin_peer_broad_destroy(r->peer);
}
#else
static void rival_start(rival* r, const flight* f, bool wanted) { (void)r, (void)f, (void)wanted; }
static void rival_step(rival* r, const flight* f, int step) { (void)r, (void)f, (void)step; }
static void rival_end(rival* r, const flight* f, int repetitions, results* out) { (void)r, (void)f, (void)repetitions, (void)out; }
#endif

static void runner_end(runner* r, int repetitions, results* out, int k)
{
    if (r->broad == NULL) return;
    out->ms[k] = 1e3 * kin_bench_median(r->seconds, repetitions);
    out->pairs = (double)kin_broad_pairs(r->broad).count;
    out->report[k] = kin_broad_reports(r->broad);
    kin_broad_destroy(r->broad);
}

/* who: bits of runners. */
static results race(kin_bench_run* run, uint32_t n, unsigned who, bool peer, int repetitions)
{
    runner runners[RUNNERS] = {{NULL}};
    rival other = {NULL};
    results out = {.ms = {0}};
    flight f;
    kin_jobs jobs;
    kin_error error = {0};
    kin_allocator allocator = kin_allocator_default();
    bool threads = kin_jobs_init(&jobs, &allocator, NULL, 2, &error) == KIN_OK, ok = take_off(&f, n) && threads;
    for (int k = 0; k < RUNNERS && ok; ++k) {
        bool second = k == TWO_THREADS;
        if ((who >> k & 1) != 0) ok = start(&runners[k], second ? KIN_BROAD_TREE : (kin_broad_kind)k, second ? &jobs : NULL, &f, &error);
    }
    if (ok) rival_start(&other, &f, peer);
    for (int step = -WARM_UP; step < repetitions * STEPS && ok; ++step) {
        fly(&f);
        for (int k = 0; k < RUNNERS && ok; ++k) ok = runners[k].broad == NULL || run_step(&runners[k], &f, step, &error);
        rival_step(&other, &f, step);
    }
    for (int k = 0; k < RUNNERS; ++k) runner_end(&runners[k], repetitions, &out, k);
    rival_end(&other, &f, repetitions, &out);
    if (!ok && run->failure[0] == 0) snprintf(run->failure, sizeof run->failure, "broad: %.200s", error.message[0] != 0 ? error.message : "no memory");
    if (threads) kin_jobs_term(&jobs);
    land(&f);
    return out;
}

static kin_bench_row* add_row(kin_bench_run* run, const char* name, uint32_t n, int threads, double ms)
{
    kin_bench_row* row = kin_bench_add(run, name, n, threads);
    if (row == NULL) return NULL;
    row->ms_per_step = ms;
    row->rate = n / (1e-3 * ms);
    snprintf(row->unit, sizeof row->unit, "box-steps/s");
    return row;
}

/* Growth with the number of boxes at the same density. */
static void add_scaling(kin_bench_run* run, kin_bench_row* row, kin_broad_kind kind)
{
    double n[5], ms[5];
    for (int i = 0; i < 5; ++i) {
        n[i] = 5000 << i;
        ms[i] = race(run, (uint32_t)n[i], 1u << kind, false, 2).ms[kind];
        row->scaling[row->scaling_count++] = (kin_bench_point){n[i], ms[i]};
    }
    row->exponent = kin_slope(n, ms, 5);
}

static void bench_broad(kin_bench_run* run, const char* name)
{
    results r = race(run, SIZE, QUICK | 1u << TWO_THREADS, run->peers, KIN_BENCH_REPETITIONS);
    kin_bench_row* row = add_row(run, name, SIZE, 1, r.ms[KIN_BROAD_TREE]);
    if (row == NULL) return;
    if (r.peer_ms > 0) kin_bench_add_ratio(row, "bullet", r.ms[KIN_BROAD_TREE] / r.peer_ms);
    if (r.peer_ms > 0) kin_bench_add_quality(row, "pairs_missed_by_bullet", r.pairs - r.peer_pairs);
    kin_bench_add_quality(row, "overlaps_a_box", 2 * r.pairs / SIZE);
    kin_bench_add_quality(row, "searched_share", (double)r.report[KIN_BROAD_TREE].searched / SIZE);
    kin_bench_add_quality(row, "tree_height", r.report[KIN_BROAD_TREE].height);
    kin_bench_add_quality(row, "bytes_a_box", (double)r.report[KIN_BROAD_TREE].bytes / SIZE);
    add_scaling(run, row, KIN_BROAD_TREE);
    add_row(run, name, SIZE, 2, r.ms[TWO_THREADS]);
    for (int k = KIN_BROAD_TREE + 1; k < KIN_BROAD_BRUTE; ++k) {
        char text[48];
        snprintf(text, sizeof text, "%s/%s", name, kin_broad_kind_name((kin_broad_kind)k));
        row = add_row(run, text, SIZE, 1, r.ms[k]);
        if (row == NULL) return;
        if (r.peer_ms > 0) kin_bench_add_ratio(row, "bullet", r.ms[k] / r.peer_ms);
        kin_bench_add_quality(row, "tests_a_box", (double)r.report[k].tests / SIZE);
        kin_bench_add_quality(row, "bytes_a_box", (double)r.report[k].bytes / SIZE);
        add_scaling(run, row, (kin_broad_kind)k);
    }
}

const kin_bench kin_benches_broad[] = {{"collision/broad", "broad phase: unit boxes in flight, 5 % of their size a step", bench_broad}, {NULL, NULL, NULL}};
