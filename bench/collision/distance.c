/* distance.c - distances and depths of hulls in coherent motion, beside Bullet and libccd at the same poses.
 *
 * A pair is two hulls of points on a unit sphere; the second swings by up to 0.05 rad and 0.03 m a step. A step asks every pair once, and keeps the caches. */
#include "base/clock.h"
#include "base/jobs.h"
#include "bench/collision/peer_convex.h"
#include "bench/stage.h"
#include "collision/narrow/distance.h"
#include "collision/narrow/sat.h"
#include "collision/narrow/vclip.h"
#include "math/random.h"
#include "validation/rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 1000, STEPS = 64 };

typedef struct scene {
    kin_hull** hulls; /* two a pair */
    kin_transform* poses;
    kin_gjk_cache* gjk;
    kin_vclip_pair* vclip;
    double sum; /* so that nothing is left out */
    uint64_t iterations;
    uint64_t hits;
    kin_jobs jobs; /* two threads */
} scene;

/* ---- making ---- */

static kin_hull* ball(uint64_t serial, size_t points)
{
    kin_allocator allocator = kin_allocator_default();
    kin_rng_key key = {.seed = 11, .serial = serial};
    kin_vec3 p[512];
    kin_hull* hull = NULL;
    for (uint32_t i = 0; i < points; ++i) p[i] = kin_rng_direction(&key, i);
    kin_hull_create(&allocator, p, points, 0, &hull, NULL);
    return hull;
}

/* Periodic, so that the last step is beside the first. */
static kin_transform pose_at(uint64_t pair, int step, double apart)
{
    kin_rng_key key = {.seed = 12, .serial = pair};
    kin_sincos phase = kin_sin_cos(2 * KIN_PI * step / STEPS);
    kin_quat start = kin_quat_axis_angle(kin_rng_direction(&key, 0), kin_rng_uniform(&key, 1, 0, 6));
    kin_quat swing = kin_quat_axis_angle(kin_rng_direction(&key, 2), 0.5 * phase.sine);
    kin_vec3 place = kin_scale(kin_rng_direction(&key, 3), apart * kin_rng_uniform(&key, 4, 1, 1.3));
    return (kin_transform){kin_add_scaled(place, 0.3 * phase.cosine, kin_rng_direction(&key, 5)), kin_quat_mul(swing, start)};
}

static bool scene_open(scene* s, size_t points, double apart)
{
    *s = (scene){.hulls = calloc(2 * PAIRS, sizeof *s->hulls), .poses = calloc(PAIRS * STEPS, sizeof *s->poses)};
    s->gjk = calloc(PAIRS, sizeof *s->gjk);
    s->vclip = calloc(PAIRS, sizeof *s->vclip);
    bool ok = s->hulls != NULL && s->poses != NULL && s->gjk != NULL && s->vclip != NULL;
    for (uint64_t i = 0; ok && i < 2 * PAIRS; ++i) ok = (s->hulls[i] = ball(i, points)) != NULL;
    for (uint64_t i = 0; ok && i < PAIRS * STEPS; ++i) s->poses[i] = pose_at(i % PAIRS, (int)(i / PAIRS), apart);
    return ok;
}

static void scene_close(scene* s)
{
    for (size_t i = 0; s->hulls != NULL && i < 2 * PAIRS; ++i) kin_hull_destroy(s->hulls[i]);
    free(s->hulls);
    free(s->poses);
    free(s->gjk);
    free(s->vclip);
}

/* ---- asking ---- */

static void ask_distance(scene* s, size_t step, size_t from, size_t to, double* sum, uint64_t* iterations)
{
    for (size_t i = from; i < to; ++i) {
        kin_convex a = {.core = KIN_CORE_HULL, .hull = s->hulls[2 * i]}, b = {.core = KIN_CORE_HULL, .hull = s->hulls[2 * i + 1]};
        kin_gap gap;
        kin_convex_distance(&a, &b, s->poses[step * PAIRS + i], &s->gjk[i], &gap);
        *sum += gap.distance;
        *iterations += (uint64_t)gap.iterations;
    }
}

static void step_distance(scene* s, size_t step) { ask_distance(s, step, 0, PAIRS, &s->sum, &s->iterations); }

static void step_cold(scene* s, size_t step)
{
    memset(s->gjk, 0, PAIRS * sizeof *s->gjk);
    step_distance(s, step);
}

static void step_intersects(scene* s, size_t step)
{
    for (size_t i = 0; i < PAIRS; ++i) {
        kin_convex a = {.core = KIN_CORE_HULL, .hull = s->hulls[2 * i]}, b = {.core = KIN_CORE_HULL, .hull = s->hulls[2 * i + 1]};
        s->hits += kin_gjk_intersects(&a, &b, s->poses[step * PAIRS + i], &s->gjk[i]);
    }
}

static void step_vclip(scene* s, size_t step)
{
    kin_vclip_result r;
    for (size_t i = 0; i < PAIRS; ++i) {
        kin_vclip(s->hulls[2 * i], s->hulls[2 * i + 1], s->poses[step * PAIRS + i], &s->vclip[i], NULL, NULL, &r);
        s->sum += r.distance;
        s->iterations += (uint64_t)r.steps;
    }
}

static void step_sat(scene* s, size_t step)
{
    kin_sat_result r;
    for (size_t i = 0; i < PAIRS; ++i) {
        kin_sat_hulls(s->hulls[2 * i], s->hulls[2 * i + 1], s->poses[step * PAIRS + i], 0, 1e300, NULL, &r);
        s->sum += r.separation;
    }
}

/* ---- two threads ---- */

enum { GRAIN = 125, CHUNKS = PAIRS / GRAIN };

typedef struct share {
    scene* s;
    size_t step;
    double sum[CHUNKS];
    uint64_t iterations[CHUNKS];
} share;

static void ask_share(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    share* w = argument;
    (void)scratch;
    ask_distance(w->s, w->step, (size_t)begin, (size_t)end, &w->sum[chunk], &w->iterations[chunk]);
}

static void step_shared(scene* s, size_t step)
{
    share w = {.s = s, .step = step};
    kin_parallel_for(&s->jobs, PAIRS, GRAIN, ask_share, &w);
    for (int i = 0; i < CHUNKS; ++i) s->sum += w.sum[i], s->iterations += w.iterations[i];
}

/* ---- timing ---- */

/* Seconds a step of 1000 queries, every step of the period once a repetition. */
static double time_steps(scene* s, void (*step)(scene*, size_t), size_t stride)
{
    double times[KIN_BENCH_REPETITIONS];
    for (size_t k = 0; k < STEPS; k += stride) step(s, k);
    s->sum = 0, s->iterations = 0, s->hits = 0;
    for (int r = 0; r < KIN_BENCH_REPETITIONS; ++r) {
        double began = kin_clock_seconds();
        for (size_t k = 0; k < STEPS; k += stride) step(s, k);
        times[r] = (kin_clock_seconds() - began) * (double)stride / STEPS;
    }
    return kin_bench_median(times, KIN_BENCH_REPETITIONS);
}

static double per_query(uint64_t count) { return (double)count / ((double)PAIRS * STEPS * KIN_BENCH_REPETITIONS); }

/* ---- peers ---- */

typedef struct peers {
    kin_peer_hull hulls[2 * PAIRS];
    kin_peer_convex scene;
    double sum; /* m */
    size_t hits;
} peers;

static peers* peers_open(const scene* s)
{
    peers* p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    for (size_t i = 0; i < 2 * PAIRS; ++i) p->hulls[i] = (kin_peer_hull){s->hulls[i]->vertices, s->hulls[i]->vertex_count};
    p->scene = (kin_peer_convex){p->hulls, PAIRS, s->poses, STEPS};
    return p;
}

/* Seconds a step. run(peer, step) adds to what the peers have found. Inline, as there may be no peer. */
static inline double time_peer(peers* p, void* peer, void (*run)(peers*, void*, size_t))
{
    double times[KIN_BENCH_REPETITIONS];
    for (size_t k = 0; k < 4; ++k) run(p, peer, k);
    p->sum = 0, p->hits = 0;
    for (int r = 0; r < KIN_BENCH_REPETITIONS; ++r) {
        double began = kin_clock_seconds();
        for (size_t k = 0; k < STEPS; k += 4) run(p, peer, k);
        times[r] = (kin_clock_seconds() - began) * 4 / STEPS;
    }
    return kin_bench_median(times, KIN_BENCH_REPETITIONS);
}

#ifdef KIN_PEER_BULLET
static void bullet_apart(peers* p, void* peer, size_t step) { p->sum += kin_bullet_convex_run(peer, step, 0); }
static void bullet_deep(peers* p, void* peer, size_t step) { p->sum += kin_bullet_convex_run(peer, step, 1); }
static void add_bullet(kin_bench_row* row, peers* p, bool is_deep)
{
    kin_bullet_convex* peer = kin_bullet_convex_create(&p->scene);
    kin_bench_add_ratio(row, "bullet", 1e-3 * row->ms_per_step / time_peer(p, peer, is_deep ? bullet_deep : bullet_apart));
    kin_bench_add_quality(row, "bullet_mean_distance", p->sum / (PAIRS * STEPS / 4 * KIN_BENCH_REPETITIONS));
    kin_bullet_convex_destroy(peer);
}
#else
static void add_bullet(kin_bench_row* row, peers* p, bool is_deep) { (void)row, (void)p, (void)is_deep; }
#endif

#ifdef KIN_PEER_CCD
static void ccd_apart(peers* p, void* peer, size_t step) { p->hits += kin_ccd_convex_intersect(peer, step); }
static void ccd_deep(peers* p, void* peer, size_t step) { p->sum += kin_ccd_convex_depth(peer, step); }
static void add_ccd(kin_bench_row* row, peers* p, bool is_deep)
{
    kin_ccd_convex* peer = kin_ccd_convex_create(&p->scene);
    if (peer == NULL) return;
    double seconds = time_peer(p, peer, is_deep ? ccd_deep : ccd_apart);
    kin_bench_add_ratio(row, is_deep ? "libccd depth" : "libccd yes/no", 1e-3 * row->ms_per_step / seconds);
    kin_ccd_convex_destroy(peer);
}
#else
static void add_ccd(kin_bench_row* row, peers* p, bool is_deep) { (void)row, (void)p, (void)is_deep; }
#endif

static void add_peers(kin_bench_row* row, const scene* s, bool is_deep)
{
    peers* p = peers_open(s);
    if (p == NULL) return;
    add_bullet(row, p, is_deep);
    add_ccd(row, p, is_deep);
    free(p);
}

/* ---- rows ---- */

static kin_bench_row* add_row(kin_bench_run* run, const char* name, int threads, double seconds)
{
    kin_bench_row* row = kin_bench_add(run, name, PAIRS, threads);
    if (row == NULL) return NULL;
    row->ms_per_step = 1e3 * seconds;
    row->rate = PAIRS / seconds;
    snprintf(row->unit, sizeof row->unit, "queries/s");
    kin_bench_add_quality(row, "ns_a_query", 1e9 * seconds / PAIRS);
    return row;
}

static void add_others(kin_bench_row* row, scene* s)
{
    kin_bench_add_quality(row, "cold_ns", 1e9 * time_steps(s, step_cold, 4) / PAIRS);
    kin_bench_add_quality(row, "vclip_ns", 1e9 * time_steps(s, step_vclip, 1) / PAIRS);
    kin_bench_add_quality(row, "vclip_steps", per_query(s->iterations));
}

/* Per query against the hulls' points: climbing goes with the path, not with the number. */
static void add_growth(kin_bench_row* row)
{
    double n[7], ms[7];
    for (int i = 0; i < 7; ++i) {
        scene s;
        n[i] = 8 << i;
        if (scene_open(&s, (size_t)n[i], 2.2)) ms[i] = 1e3 * time_steps(&s, step_distance, 1);
        scene_close(&s);
        row->scaling[row->scaling_count++] = (kin_bench_point){n[i], ms[i]};
    }
    row->exponent = kin_slope(n, ms, 7);
}

static void fail(kin_bench_run* run, const char* name) { snprintf(run->failure, sizeof run->failure, "%s: no memory", name); }

static void run_distance(kin_bench_run* run, const char* name)
{
    kin_allocator allocator = kin_allocator_default();
    scene s;
    long first = (long)run->count;
    if (!scene_open(&s, 32, 2.2) || kin_jobs_init(&s.jobs, &allocator, NULL, 2, NULL) != KIN_OK) {
        scene_close(&s);
        fail(run, name);
        return;
    }
    kin_bench_row* row = add_row(run, name, 1, time_steps(&s, step_distance, 1));
    if (row != NULL) {
        kin_bench_add_quality(row, "iterations", per_query(s.iterations));
        kin_bench_add_quality(row, "mean_distance", s.sum / (PAIRS * STEPS * KIN_BENCH_REPETITIONS));
        if (run->peers) add_peers(row, &s, false);
        add_others(row, &s);
    }
    add_row(run, name, 2, time_steps(&s, step_shared, 1));
    kin_jobs_term(&s.jobs);
    scene_close(&s);
    if (run->count > (size_t)first) add_growth(&run->rows[first]);
}

/* The question that libccd answers of bodies apart. */
static void run_overlap(kin_bench_run* run, const char* name)
{
    scene s;
    if (!scene_open(&s, 32, 2.2)) {
        scene_close(&s);
        fail(run, name);
        return;
    }
    kin_bench_row* row = add_row(run, name, 1, time_steps(&s, step_intersects, 1));
    peers* p = row != NULL && run->peers ? peers_open(&s) : NULL;
    if (p != NULL) add_ccd(row, p, false);
    free(p);
    scene_close(&s);
}

static void run_depth(kin_bench_run* run, const char* name)
{
    scene s;
    if (!scene_open(&s, 32, 1.1)) {
        scene_close(&s);
        fail(run, name);
        return;
    }
    kin_bench_row* row = add_row(run, name, 1, time_steps(&s, step_distance, 4));
    if (row != NULL) {
        kin_bench_add_quality(row, "mean_distance", 4 * s.sum / (PAIRS * STEPS * KIN_BENCH_REPETITIONS));
        if (run->peers) add_peers(row, &s, true);
        kin_bench_add_quality(row, "sat_ns", 1e9 * time_steps(&s, step_sat, 16) / PAIRS);
    }
    scene_close(&s);
}

const kin_bench kin_benches_distance[] = {
    {"collision/distance", "1000 pairs of hulls of 32 points apart, in coherent motion; scaling: points of a hull.", run_distance},
    {"collision/overlap", "The same, yes or no by the last witness plane.", run_overlap},
    {"collision/depth", "The same, overlapping.", run_depth},
    {0},
};
