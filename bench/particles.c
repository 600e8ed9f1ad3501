/* particles.c - free flight, operators and bouncing: particles on one and two threads, and growth by doubling n four times. */
#include "base/clock.h"
#include "bench/loop.h"
#include "bench/peer_bullet.h"
#include "bench/stage.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/rig.h"
#include "validation/shapes.h"
#include <stdio.h>
#include <stdlib.h>

#define SIZE 100000
#define WALL 49.0 /* m from the middle of the hills */
#define RADIUS 0.05
#define HILL_SQUARES 71 /* a side: 10082 triangles */
#define HILL_HALF 50.0  /* m */

typedef void build_fn(kin_bench_stage* stage, int64_t n);

static void add_collider(kin_bench_stage* stage, const kin_shape* shape, kin_vec3 position)
{
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id;
    def.shape = *shape;
    def.position = position;
    def.material = stage->material;
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_world_add_collider(stage->world, &def, &id, &stage->error));
}

static void add_particles(kin_bench_stage* stage, kin_particle_group group)
{
    kin_particles_def def = kin_particles_def_default(); /* semi_implicit, exact hits */
    group.material = stage->material;
    def.groups = &group;
    def.group_count = 1;
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_particles_create(stage->world, &def, &stage->system, &stage->error));
}

/* Rolling hills, 100 m wide, waves of 4 to 9 m and up to 1.3 m high. */
static double hills(double x, double z) { return 0.6 * kin_sin(0.7 * x) * kin_cos(0.9 * z) + 0.7 * kin_sin(1.3 * x + 0.5) * kin_sin(1.1 * z); }

static void add_hills(kin_bench_stage* stage)
{
    kin_patch patch;
    if (!kin_patch_grid(&patch, HILL_SQUARES, HILL_HALF, hills)) {
        kin_bench_note(stage, KIN_ERROR_MEMORY);
        return;
    }
    add_collider(stage, &patch.shape, kin_v(0, 0, 0));
    kin_patch_free(&patch);
}

/* Far above all colliders, falling at their final speed. */
static void build_free(kin_bench_stage* stage, int64_t n)
{
    kin_particle_group group = kin_particle_group_default();
    add_collider(stage, &(kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}, kin_v(0, -10, 0));
    add_collider(stage, &(kin_shape){.kind = KIN_SHAPE_BOX, .size = {2, 2, 2}}, kin_v(0, 0, 0));
    add_collider(stage, &(kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 3}, kin_v(20, 0, 0));
    add_hills(stage);
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_world_add_drag(stage->world, 0.5, NULL, &stage->error));
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_world_add_wind(stage->world, kin_v(2, 0, 1), NULL, &stage->error));
    group.count = n;
    group.position = kin_v(0, 1e6, 0);
    group.box = kin_v(100, 100, 100);
    group.spread = kin_v(1, 1, 1);
    add_particles(stage, group);
}

/* Gravity, drag, wind and an attractor: four operators a particle. */
static void build_operators(kin_bench_stage* stage, int64_t n)
{
    kin_particle_group group = kin_particle_group_default();
    kin_attractor_field attractor;
    kin_field_default("attractor", &attractor);
    attractor.attractor = 1e9;
    attractor.core = 1;
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_world_add_drag(stage->world, 0.5, NULL, &stage->error));
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_world_add_wind(stage->world, kin_v(2, 0, 1), NULL, &stage->error));
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_world_add_field(stage->world, "attractor", &attractor, NULL, &stage->error));
    group.count = n;
    group.position = kin_v(0, 1e4, 0);
    group.box = kin_v(100, 100, 100);
    group.spread = kin_v(1, 1, 1);
    add_particles(stage, group);
}

/* Dropped from half a metre to three onto hills within walls; e = 1 and no friction, so that they never tire. */
static void build_bounce(kin_bench_stage* stage, int64_t n)
{
    kin_particle_group group = kin_particle_group_default();
    const kin_vec3 normals[4] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    add_hills(stage);
    for (int i = 0; i < 4; ++i) add_collider(stage, &(kin_shape){.kind = KIN_SHAPE_PLANE, .normal = normals[i]}, kin_scale(normals[i], -WALL));
    group.count = n;
    group.position = kin_v(0, 3, 0);
    group.box = kin_v(97, 2.5, 97);
    group.radius = RADIUS;
    group.spread = kin_v(2, 1, 2);
    add_particles(stage, group);
}

typedef struct particle_bench {
    build_fn* build;
    int64_t n;
    int warm_up;
    double step_work; /* particle-steps timed in a repetition */
} particle_bench;

static kin_bench_timing time_one(kin_bench_run* run, const particle_bench* bench, int64_t n, int threads, double* hits)
{
    kin_bench_stage stage;
    kin_bench_open(&stage, run, threads, 1);
    bench->build(&stage, n);
    int steps = (int)kin_max(2, bench->step_work / (double)n);
    kin_bench_timing timing = kin_bench_time(&stage, bench->warm_up, steps);
    if (stage.result == KIN_OK) *hits = kin_bench_measure(&stage, "hits") / (double)kin_world_step_count(stage.world) / (double)n;
    kin_bench_close(&stage);
    return timing;
}

static kin_bench_row* row_of(kin_bench_run* run, const char* name, const particle_bench* bench, int threads)
{
    double hits = 0;
    kin_bench_timing timing = time_one(run, bench, bench->n, threads, &hits);
    kin_bench_row* row = kin_bench_add(run, name, (double)bench->n, threads);
    if (row == NULL) return NULL;
    row->ms_per_step = 1e3 * timing.seconds;
    row->rate = (double)bench->n / timing.seconds;
    snprintf(row->unit, sizeof row->unit, "particle-steps/s");
    kin_bench_add_quality(row, "allocations_per_step", timing.allocations_a_step);
    kin_bench_add_quality(row, "hits_per_particle_step", hits);
    return row;
}

/* On one thread. The row is looked up again: later rows may have moved it. */
static void add_growth(kin_bench_run* run, size_t index, const particle_bench* bench)
{
    double n[5], ms[5], hits;
    kin_bench_row* row = &run->rows[index];
    for (int i = 0; i < 5; ++i) {
        n[i] = (double)(bench->n / 8 << i);
        ms[i] = 1e3 * time_one(run, bench, (int64_t)n[i], 1, &hits).seconds;
        row->scaling[row->scaling_count++] = (kin_bench_point){n[i], ms[i]};
    }
    row->exponent = kin_slope(n, ms, 5);
}

/* The row of one thread, then of two; returns the first one's index, or -1. */
static long add_rows(kin_bench_run* run, const char* name, const particle_bench* bench)
{
    long first = (long)run->count;
    for (int threads = 1; threads <= 2; ++threads) {
        if (row_of(run, name, bench, threads) == NULL) return -1;
    }
    add_growth(run, (size_t)first, bench);
    return first;
}

static void run_free(kin_bench_run* run, const char* name)
{
    const particle_bench bench = {build_free, SIZE, 20, 2e6};
    long first = add_rows(run, name, &bench);
    if (first >= 0) kin_bench_add_ratio(&run->rows[first], "loop", run->rows[first].ms_per_step / (1e3 * kin_loop_time(SIZE, 40)));
}

/* Of a particle: what a snapshot of twice as many takes more. */
static double state_bytes(kin_bench_run* run, const particle_bench* bench)
{
    double sizes[2] = {0, 0};
    for (int i = 0; i < 2; ++i) {
        kin_bench_stage stage;
        kin_snapshot snapshot = {0};
        kin_bench_open(&stage, run, 1, 1);
        bench->build(&stage, SIZE * (i + 1));
        if (stage.result == KIN_OK) kin_bench_note(&stage, kin_world_snapshot(stage.world, &snapshot, &stage.error));
        sizes[i] = (double)snapshot.size;
        kin_snapshot_free(&snapshot);
        kin_bench_close(&stage);
    }
    return (sizes[1] - sizes[0]) / SIZE;
}

static void run_operators(kin_bench_run* run, const char* name)
{
    const particle_bench bench = {build_operators, 1000000, 3, 1e7};
    long first = add_rows(run, name, &bench);
    if (first < 0) return;
    kin_bench_add_ratio(&run->rows[first], "loop", run->rows[first].ms_per_step / (1e3 * kin_loop_time(1000000, 10)));
    kin_bench_add_quality(&run->rows[first], "state_bytes", state_bytes(run, &bench));
}

/* A flock that fills its box: about 30 neighbours each. */
static void build_flock(kin_bench_stage* stage, int64_t n)
{
    kin_particle_group group = kin_particle_group_default();
    kin_flock_field flock;
    const double side = 2 * kin_cbrt((double)n / 57); /* 30 = density 4/3 pi of a range of 1 m */
    kin_field_default("flock", &flock);
    flock.range[0] = 0.5;
    flock.range[1] = 1;
    flock.limit = 5;
    flock.speed = 2;
    flock.drive = 1;
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_world_add_field(stage->world, "flock", &flock, NULL, &stage->error));
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_world_set_vector(stage->world, "gravity", kin_v(0, 0, 0), &stage->error));
    group.count = n;
    group.radius = 0.01;
    group.box = kin_v(side, side, side);
    group.spread = kin_v(1, 1, 1);
    add_particles(stage, group);
}

static void run_flock(kin_bench_run* run, const char* name)
{
    const particle_bench bench = {build_flock, 50000, 1, 1e5};
    add_rows(run, name, &bench);
}

/* ---- peers ---- */

#ifdef KIN_PEER_BULLET
#define PEER_SIZE 10000 /* fewer: its cost a particle is taken */

/* The places and velocities that our own bench starts from, so that both fall alike. */
static bool copy_start(kin_bench_run* run, kin_vec3* x, kin_vec3* v)
{
    kin_bench_stage stage;
    kin_bench_open(&stage, run, 1, 1);
    build_bounce(&stage, PEER_SIZE);
    bool ok = stage.result == KIN_OK;
    for (size_t i = 0; ok && i < PEER_SIZE; ++i) {
        x[i] = kin_particle_position(stage.world, stage.system, i);
        v[i] = kin_particle_velocity(stage.world, stage.system, i);
    }
    kin_bench_close(&stage);
    return ok;
}

static double time_peer(kin_peer_world* world)
{
    double times[KIN_BENCH_REPETITIONS];
    for (int i = 0; i < 30; ++i) kin_peer_bullet_step(world);
    for (int i = 0; i < KIN_BENCH_REPETITIONS; ++i) {
        double began = kin_clock_seconds();
        for (int k = 0; k < 10; ++k) kin_peer_bullet_step(world);
        times[i] = (kin_clock_seconds() - began) / 10;
    }
    return kin_bench_median(times, KIN_BENCH_REPETITIONS);
}

/* Seconds a sphere and step; 0: it could not be built. */
static double bullet_time(kin_bench_run* run)
{
    kin_vec3 *x = malloc(PEER_SIZE * sizeof *x), *v = malloc(PEER_SIZE * sizeof *v);
    kin_patch patch = {0};
    double time = 0;
    if (x != NULL && v != NULL && copy_start(run, x, v) && kin_patch_grid(&patch, HILL_SQUARES, HILL_HALF, hills)) {
        const kin_mesh_view* mesh = &patch.shape.mesh;
        kin_peer_scene scene = {mesh->vertices, mesh->vertex_count, mesh->corners, mesh->face_count, x, v, PEER_SIZE, RADIUS, WALL};
        kin_peer_world* world = kin_peer_bullet_create(&scene);
        time = time_peer(world) / PEER_SIZE;
        kin_peer_bullet_destroy(world);
    }
    kin_patch_free(&patch);
    free(x);
    free(v);
    return time;
}

static void add_peers(kin_bench_run* run, kin_bench_row* row)
{
    double time = bullet_time(run);
    if (time > 0) kin_bench_add_ratio(row, "bullet", 1e-3 * row->ms_per_step / row->n / time);
}
#else
static void add_peers(kin_bench_run* run, kin_bench_row* row) { (void)run, (void)row; }
#endif

static void run_bounce(kin_bench_run* run, const char* name)
{
    const particle_bench bench = {build_bounce, SIZE, 30, 3e5}; /* the warm-up mixes first and later bounces */
    long first = add_rows(run, name, &bench);
    if (first >= 0 && run->peers) add_peers(run, &run->rows[first]);
}

const kin_bench kin_benches_particles[] = {
    {"particles/free", "100k particles in gravity, drag and wind, far from all colliders.", run_free},
    {"particles/operators", "1 M particles in gravity, drag, wind and an attractor.", run_operators},
    {"particles/bounce", "100k particles bouncing on a mesh of 10k triangles.", run_bounce},
    {"particles/barnes-hut", "The pull of 100k stars on each other, by multipoles; a force evaluation.", kin_bench_barnes_hut},
    {"particles/direct", "The same by summing every pair, 32k stars.", kin_bench_direct},
    {"particles/flock", "A flock of 50k with about 30 neighbours each.", run_flock},
    {0},
};
