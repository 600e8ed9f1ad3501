/* rigid.c - rigid bodies measured: stacks, piles, crowds on meshes, chains and nets, ragdolls, and what sleeps; the same scenes on peers.
 *
 * A time is the mean over all steps of ten seconds from the start, so that falling, meeting and resting all count; the median of such runs where one is short.
 * Beside it stands the median step: what a machine does that is shared with others shows in the mean, hardly in that.
 * Bodies are looked at between steps, outside the clock, and in the first run only. */
#include "base/clock.h"
#include "bench/rigid/check.h"
#include "bench/stage.h"
#include "math/vec3.h"
#include "validation/rig.h"
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 600, STEADY = 100, LATEST = 1200 }; /* of a run; the last ones, which should allocate nothing; until all should be asleep */
#define ENOUGH 2.0                                 /* s measured: no run more */
#define PATIENCE 20.0                              /* s of steps: a peer's run ends there, and its row says after how many */

static const kin_bench_engine* const peers[] = {
#ifdef KIN_PEER_BULLET
    &kin_bench_bullet,
#endif
#ifdef KIN_PEER_ODE
    &kin_bench_ode,
#endif
#ifdef KIN_PEER_MUJOCO
    &kin_bench_mujoco,
#endif
    NULL};

typedef struct result {
    double ms, median_ms, p99_ms, worst_ms; /* a step; the middle one of a run; one in a hundred and the slowest of the first run */
    int steps;                              /* done */
    kin_bench_verdict verdict;
    double allocations; /* a step, at the end */
    double bytes;       /* a body */
    double contacts;    /* at the end; 0: not known */
} result;

static void fail(kin_bench_run* run, const char* engine, const kin_error* error)
{
    if (run->failure[0] == 0)
        snprintf(run->failure, sizeof run->failure, "%s: %.200s", engine, error->message[0] != 0 ? error->message : "the run did not come to its end");
}

/* ---- a run ---- */

typedef struct runner {
    const kin_bench_engine* engine;
    void* world;
    kin_bench_motion* motions;
    kin_bench_check* check;             /* NULL: nobody looks */
    double seconds, worst, took[STEPS]; /* took: by the first of them */
    int steps;
    kin_error error;
} runner;

static bool start(runner* r, const kin_bench_engine* engine, const kin_bench_scene* scene, int threads, bool look)
{
    *r = (runner){.engine = engine, .motions = calloc((size_t)scene->count, sizeof *r->motions)};
    if (look) r->check = kin_bench_check_create(scene);
    if (r->motions != NULL && (r->check != NULL || !look)) r->world = engine->create(scene, threads, &r->error);
    return r->world != NULL;
}

static void end(runner* r)
{
    if (r->world != NULL) r->engine->destroy(r->world);
    kin_bench_check_destroy(r->check);
    free(r->motions);
}

static bool look(runner* r)
{
    r->engine->read(r->world, r->motions);
    return kin_bench_check_see(r->check, r->motions);
}

static bool run_step(runner* r)
{
    double began = kin_clock_seconds();
    bool ok = r->engine->step(r->world, &r->error);
    double took = kin_clock_seconds() - began;
    r->seconds += took;
    r->worst = kin_max(r->worst, took);
    if (r->steps < STEPS) r->took[r->steps] = took;
    r->steps += ok;
    if (!ok || r->check == NULL || look(r)) return ok;
    snprintf(r->error.message, sizeof r->error.message, "after step %d a body is nowhere", r->steps);
    return false;
}

static bool has_patience(const runner* r) { return r->engine == &kin_bench_kinema || r->seconds < PATIENCE; }

static uint64_t allocations(const runner* r) { return r->engine->memory != NULL ? r->engine->memory(r->world).allocations : 0; }

static void run_steps(runner* r, int count, result* out)
{
    uint64_t before = 0;
    bool ok = true;
    for (int i = 0; i < count && ok && has_patience(r); ++i) {
        if (i == count - STEADY) before = allocations(r);
        ok = run_step(r);
    }
    out->ms = 1e3 * r->seconds / kin_max(1, r->steps);
    out->median_ms = 1e3 * kin_bench_median(r->took, r->steps);
    out->p99_ms = 1e3 * kin_bench_percentile(r->took, r->steps, 0.99);
    out->worst_ms = 1e3 * r->worst;
    out->steps = r->steps;
    out->allocations = (double)(allocations(r) - before) / STEADY;
}

/* Ten seconds of a scene; a failure of ours goes into the run, a peer's into its row. */
static result run_once(kin_bench_run* run, const kin_bench_engine* engine, const kin_bench_scene* scene, int threads, bool looking)
{
    runner r;
    result out = {0};
    if (start(&r, engine, scene, threads, looking)) run_steps(&r, STEPS, &out);
    if (r.check != NULL) out.verdict = kin_bench_check_verdict(r.check);
    if (r.world != NULL && engine->memory != NULL) out.bytes = (double)engine->memory(r.world).peak / scene->count;
    if (r.world != NULL && engine->contacts != NULL) out.contacts = engine->contacts(r.world);
    if (out.steps < STEPS && (r.world == NULL || engine == &kin_bench_kinema)) fail(run, engine->name, &r.error);
    end(&r);
    return out;
}

static result race(kin_bench_run* run, const kin_bench_engine* engine, const kin_bench_scene* scene, int threads)
{
    result out = run_once(run, engine, scene, threads, true);
    double times[KIN_BENCH_REPETITIONS] = {out.ms}, medians[KIN_BENCH_REPETITIONS] = {out.median_ms}, seconds = 1e-3 * out.ms * out.steps;
    int count = 1;
    for (; count < KIN_BENCH_REPETITIONS && seconds < ENOUGH && out.steps == STEPS; ++count) {
        result again = run_once(run, engine, scene, threads, false);
        times[count] = again.ms;
        medians[count] = again.median_ms;
        seconds += 1e-3 * times[count] * STEPS;
    }
    out.ms = kin_bench_median(times, count);
    out.median_ms = kin_bench_median(medians, count);
    return out;
}

/* ---- rows ---- */

typedef void judge_fn(kin_bench_row* row, const kin_bench_verdict* v);
typedef struct bench {
    kin_bench_scene_fn* make;
    judge_fn* judge;
    int sizes[3]; /* the middle one is the named size */
} bench;

static kin_bench_row* add_row(kin_bench_run* run, const char* name, int n, int threads, double ms)
{
    kin_bench_row* row = kin_bench_add(run, name, n, threads);
    if (row == NULL) return NULL;
    row->ms_per_step = ms;
    row->rate = n / (1e-3 * ms);
    snprintf(row->unit, sizeof row->unit, "body-steps/s");
    return row;
}

static void judge_overlaps(kin_bench_row* row, const kin_bench_verdict* v)
{
    kin_bench_add_quality(row, "penetration_m", v->deepest);
    kin_bench_add_quality(row, "penetration_p99_m", v->p99);
    kin_bench_add_quality(row, "penetration_ever_m", v->worst);
}

static void judge_stack(kin_bench_row* row, const kin_bench_verdict* v)
{
    kin_bench_add_quality(row, "stands", v->stands);
    kin_bench_add_quality(row, "drift_m", v->drift);
    kin_bench_add_quality(row, "top_m", v->top);
    judge_overlaps(row, v);
}

static void judge_pile(kin_bench_row* row, const kin_bench_verdict* v)
{
    kin_bench_add_quality(row, "escaped", v->escaped);
    kin_bench_add_quality(row, "top_m", v->top);
    judge_overlaps(row, v);
}

static void judge_ragdolls(kin_bench_row* row, const kin_bench_verdict* v)
{
    kin_bench_add_quality(row, "escaped", v->escaped);
    kin_bench_add_quality(row, "joint_error_m", v->joint_error);
    judge_overlaps(row, v);
}

static void judge_hanging(kin_bench_row* row, const kin_bench_verdict* v)
{
    kin_bench_add_quality(row, "stretch_m", v->stretch);
    kin_bench_add_quality(row, "energy_rise_J", v->energy_rise);
}

static void judge_net(kin_bench_row* row, const kin_bench_verdict* v)
{
    kin_bench_add_quality(row, "joint_error_m", v->joint_error);
    kin_bench_add_quality(row, "energy_rise_J", v->energy_rise);
}

/* The end of a chain of 20 is at (20.17, 27.55) after ten seconds, by integration in reduced coordinates with steps of 1/30720 s. */
static void judge_swinging(kin_bench_row* row, const kin_bench_verdict* v)
{
    kin_bench_add_quality(row, "joint_error_m", v->joint_error);
    kin_bench_add_quality(row, "stretch_m", v->stretch);
    kin_bench_add_quality(row, "energy_rise_J", v->energy_rise);
    kin_bench_add_quality(row, "tip_x_m", v->last.x);
    kin_bench_add_quality(row, "tip_y_m", v->last.y);
    kin_bench_add_quality(row, "tip_off_m", kin_distance(v->last, kin_v(20.17, 27.55, 0)));
}

static void judge(kin_bench_row* row, const bench* b, const result* r)
{
    if (r->steps < STEPS) kin_bench_add_quality(row, "steps_done", r->steps);
    b->judge(row, &r->verdict);
    kin_bench_add_quality(row, "median_step_ms", r->median_ms);
    kin_bench_add_quality(row, "p99_step_ms", r->p99_ms);
    kin_bench_add_quality(row, "worst_step_ms", r->worst_ms);
    if (r->bytes > 0) kin_bench_add_quality(row, "bytes_a_body", r->bytes);
    if (r->bytes > 0) kin_bench_add_quality(row, "allocations_per_step", r->allocations);
    if (r->contacts > 0) kin_bench_add_quality(row, "contacts_a_body", r->contacts / row->n);
}

/* On one thread, then on two. Returns the index of the first row, or -1; *one: the run on one thread. */
static long add_ours(kin_bench_run* run, const char* name, const bench* b, const kin_bench_scene* scene, result* one)
{
    const long first = (long)run->count;
    for (int threads = 1; threads <= 2; ++threads) {
        result r = race(run, &kin_bench_kinema, scene, threads);
        kin_bench_row* row = add_row(run, name, scene->count, threads, r.ms);
        if (row == NULL) return -1;
        if (threads == 1) *one = r;
        if (threads == 1) judge(row, b, &r);
        if (threads == 2) kin_bench_add_quality(row, "times_as_fast", one->ms / r.ms);
        if (threads == 2) kin_bench_add_quality(row, "median_step_ms", r.median_ms);
        if (threads == 2) kin_bench_add_quality(row, "median_times_as_fast", one->median_ms / r.median_ms);
    }
    return first;
}

/* The largest scene that the engine takes, up to the given size. */
static kin_bench_scene make_for(const kin_bench_engine* engine, const bench* b)
{
    int size = b->sizes[1];
    kin_bench_scene scene = b->make(size);
    while (engine->most > 0 && scene.count > engine->most && size > 1) {
        kin_bench_scene_free(&scene);
        size -= (size + 9) / 10;
        scene = b->make(size);
    }
    return scene;
}

/* A peer's row, and its ratio in the row of ours; from a smaller scene on both where the peer cannot take the named one. None where it takes no such scene. */
static void add_peer(kin_bench_run* run, size_t ours, const char* name, const bench* b, const kin_bench_engine* engine)
{
    char text[sizeof run->rows->name];
    kin_bench_scene scene = make_for(engine, b);
    if (scene.bodies == NULL || !(scene.plain || engine->any)) {
        kin_bench_scene_free(&scene);
        return;
    }
    result r = race(run, engine, &scene, 1);
    double ms = run->rows[ours].ms_per_step;
    if (scene.count < run->rows[ours].n) ms = race(run, &kin_bench_kinema, &scene, 1).ms;
    snprintf(text, sizeof text, "%s/%s", name, engine->name);
    kin_bench_row* row = r.steps > 0 ? add_row(run, text, scene.count, 1, r.ms) : NULL;
    if (row != NULL) judge(row, b, &r);
    if (row != NULL) kin_bench_add_ratio(&run->rows[ours], engine->name, ms / r.ms);
    kin_bench_scene_free(&scene);
}

/* With the number of bodies; and with that of contacts, as a deeper pile has more of them a body. */
static void add_growth(kin_bench_run* run, size_t ours, const bench* b, const result* one)
{
    double n[3], ms[3], contacts[3];
    kin_bench_row* row = &run->rows[ours];
    for (int i = 0; i < 3; ++i) {
        kin_bench_scene scene = b->make(b->sizes[i]);
        if (scene.bodies == NULL) return;
        result r = i == 1 ? *one : run_once(run, &kin_bench_kinema, &scene, 1, false);
        n[i] = scene.count;
        ms[i] = r.ms;
        contacts[i] = r.contacts;
        kin_bench_scene_free(&scene);
        row->scaling[row->scaling_count++] = (kin_bench_point){n[i], ms[i]};
    }
    row->exponent = kin_slope(n, ms, 3);
    if (contacts[0] > 0) kin_bench_add_quality(row, "growth_by_contacts", kin_slope(contacts, ms, 3));
}

static void run_bench(kin_bench_run* run, const char* name, const bench* b)
{
    kin_bench_scene scene = b->make(b->sizes[1]);
    result one = {0};
    long first = scene.bodies != NULL ? add_ours(run, name, b, &scene, &one) : -1;
    kin_bench_scene_free(&scene);
    if (first < 0) return;
    add_growth(run, (size_t)first, b, &one);
    for (int i = 0; run->peers && peers[i] != NULL; ++i) add_peer(run, (size_t)first, name, b, peers[i]);
}

static void bench_wall(kin_bench_run* run, const char* name) { run_bench(run, name, &(bench){kin_bench_wall, judge_stack, {25, 50, 100}}); }
static void bench_pyramid(kin_bench_run* run, const char* name) { run_bench(run, name, &(bench){kin_bench_pyramid, judge_stack, {10, 15, 20}}); }
static void bench_pile(kin_bench_run* run, const char* name) { run_bench(run, name, &(bench){kin_bench_pile, judge_pile, {2500, 5000, 10000}}); }
static void bench_ragdolls(kin_bench_run* run, const char* name) { run_bench(run, name, &(bench){kin_bench_ragdolls, judge_ragdolls, {500, 1000, 2000}}); }

static void bench_stairs(kin_bench_run* run, const char* name) { run_bench(run, name, &(bench){kin_bench_stairs, judge_ragdolls, {50, 100, 200}}); }
static void bench_tumbler(kin_bench_run* run, const char* name) { run_bench(run, name, &(bench){kin_bench_tumbler, judge_pile, {500, 1000, 2000}}); }
static void bench_hull_pile(kin_bench_run* run, const char* name) { run_bench(run, name, &(bench){kin_bench_hull_pile, judge_pile, {750, 1500, 3000}}); }
static void bench_rain(kin_bench_run* run, const char* name) { run_bench(run, name, &(bench){kin_bench_rain, judge_pile, {1000, 2000, 4000}}); }
static void bench_large(kin_bench_run* run, const char* name) { run_bench(run, name, &(bench){kin_bench_large, judge_stack, {10000, 20000, 40000}}); }
static void bench_net(kin_bench_run* run, const char* name) { run_bench(run, name, &(bench){kin_bench_net, judge_net, {25, 50, 100}}); }

static void bench_chain(kin_bench_run* run, const char* name)
{
    char swinging[64];
    snprintf(swinging, sizeof swinging, "%s/swinging", name);
    run_bench(run, name, &(bench){kin_bench_chain_down, judge_hanging, {10, 20, 40}});
    run_bench(run, swinging, &(bench){kin_bench_chain_level, judge_swinging, {10, 20, 40}});
}

/* ---- asleep ---- */

static int awake(runner* r, int count)
{
    int sum = 0;
    r->engine->read(r->world, r->motions);
    for (int i = 0; i < count; ++i) sum += r->motions[i].awake;
    return sum;
}

typedef struct nap {
    double settling_ms, ms; /* a step, before all were asleep and after */
    int steps, awake;       /* until then; still, at the end */
    double allocations, bytes;
} nap;

/* Until nobody is awake, but for twenty seconds at most; then ten seconds more, of which the time is. */
static nap fall_asleep(kin_bench_run* run, const kin_bench_engine* engine, const kin_bench_scene* scene, int threads)
{
    runner r;
    result out = {0};
    nap n = {.awake = scene->count};
    bool ok = start(&r, engine, scene, threads, false);
    for (; r.steps < LATEST && ok && n.awake > 0 && has_patience(&r); ok = run_step(&r)) {
        if (r.steps % 10 == 0) n.awake = awake(&r, scene->count);
    }
    n.steps = r.steps;
    n.ms = n.settling_ms = 1e3 * r.seconds / kin_max(1, r.steps);
    if (ok && n.awake == 0) {
        r.seconds = r.steps = 0;
        run_steps(&r, STEPS, &out);
        ok = out.steps == STEPS || !has_patience(&r);
        n.ms = out.ms;
        n.allocations = out.allocations;
        n.awake = awake(&r, scene->count);
    }
    if (!ok) fail(run, engine->name, &r.error);
    if (r.world != NULL && engine->memory != NULL) n.bytes = (double)engine->memory(r.world).peak / scene->count;
    end(&r);
    return n;
}

static kin_bench_row* add_nap(kin_bench_run* run, const char* name, const kin_bench_engine* engine, const kin_bench_scene* scene, int threads)
{
    nap n = fall_asleep(run, engine, scene, threads);
    kin_bench_row* row = add_row(run, name, scene->count, threads, n.ms);
    if (row == NULL) return NULL;
    kin_bench_add_quality(row, "awake", n.awake);
    kin_bench_add_quality(row, "steps_to_sleep", n.steps);
    kin_bench_add_quality(row, "ms_while_settling", n.settling_ms);
    if (n.bytes > 0) kin_bench_add_quality(row, "bytes_a_body", n.bytes);
    if (n.bytes > 0) kin_bench_add_quality(row, "allocations_per_step", n.allocations);
    return row;
}

static void add_nap_growth(kin_bench_run* run, size_t ours)
{
    double n[3] = {10000, 20000, 40000}, ms[3];
    for (int i = 0; i < 3; ++i) {
        kin_bench_scene scene = kin_bench_towers((int)n[i]);
        if (scene.bodies == NULL) return;
        ms[i] = i == 1 ? run->rows[ours].ms_per_step : fall_asleep(run, &kin_bench_kinema, &scene, 1).ms;
        kin_bench_scene_free(&scene);
        run->rows[ours].scaling[run->rows[ours].scaling_count++] = (kin_bench_point){n[i], ms[i]};
    }
    run->rows[ours].exponent = kin_slope(n, ms, 3);
}

static void add_dolls(kin_bench_run* run, const char* name, const char* which, kin_bench_scene_fn* make)
{
    char text[64];
    snprintf(text, sizeof text, "%s/%s", name, which);
    kin_bench_scene scene = make(1000);
    if (scene.bodies != NULL) add_nap(run, text, &kin_bench_kinema, &scene, 1);
    kin_bench_scene_free(&scene);
}

static void bench_asleep(kin_bench_run* run, const char* name)
{
    const size_t first = run->count;
    kin_bench_scene scene = kin_bench_towers(20000);
    bool ok = scene.bodies != NULL;
    for (int threads = 1; threads <= 2 && ok; ++threads) ok = add_nap(run, name, &kin_bench_kinema, &scene, threads) != NULL;
    if (ok) add_nap_growth(run, first);
    for (int i = 0; run->peers && ok && peers[i] != NULL; ++i) {
        char text[64];
        snprintf(text, sizeof text, "%s/%s", name, peers[i]->name);
        if (!peers[i]->sleeps) continue;
        kin_bench_row* row = add_nap(run, text, peers[i], &scene, 1);
        ok = row != NULL;
        if (ok) kin_bench_add_ratio(&run->rows[first], peers[i]->name, run->rows[first].ms_per_step / row->ms_per_step);
    }
    kin_bench_scene_free(&scene);
    add_dolls(run, name, "ragdolls", kin_bench_sleepers);
    add_dolls(run, name, "heap", kin_bench_sleeping_heap);
}

const kin_bench kin_benches_rigid[] = {
    {"rigid/pyramid", "A wall of 1275 cubes in the shape of a pyramid, base 50; ten seconds.", bench_wall},
    {"rigid/pyramid3d", "A pyramid of 1240 cubes, 15 high; ten seconds.", bench_pyramid},
    {"rigid/pile", "5000 boxes and balls that fall into a pit of 10 x 10 m; ten seconds.", bench_pile},
    {"rigid/chain", "20 links of 1 kg with a ball of 1000 kg: hanging, then swinging from level; ten seconds.", bench_chain},
    {"rigid/ragdolls", "1000 ragdolls of 11 bodies that fall on each other; ten seconds.", bench_ragdolls},
    {"rigid/stairs", "100 ragdolls of 11 capsules and 10 limited joints on 30 stairs; ten seconds.", bench_stairs},
    {"rigid/tumbler", "1000 boxes in a hollow box that turns; ten seconds.", bench_tumbler},
    {"rigid/hull-pile", "1500 hulls of 12 vertices that fall into a bin of 8 x 8 m; ten seconds.", bench_hull_pile},
    {"rigid/rain", "1000 capsules and 1000 hulls that fall onto a terrain of 100,352 triangles; ten seconds.", bench_rain},
    {"rigid/large", "20,000 cubes in columns of five, awake; ten seconds.", bench_large},
    {"rigid/net", "50 x 50 balls with 4908 ball joints, hung by two corners; ten seconds.", bench_net},
    {"rigid/asleep", "20k cubes in towers, 1000 ragdolls each by itself and in a heap, asleep.", bench_asleep},
    {NULL, NULL, NULL},
};
