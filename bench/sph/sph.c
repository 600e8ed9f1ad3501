/* sph.c - particle fluids measured: a dam of 97,336 particles, by DFSPH and by an equation of state, between planes and between walls of particles; its
 * neighbour search alone; growth up to 2 million. */
#include "base/clock.h"
#include "bench/stage.h"
#include "domains/sph/face.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include "validation/rig.h"
#include <stdio.h>

#define SIDE 46       /* particles along each edge of the block */
#define RADIUS 0.0107 /* m, with that many */

typedef struct dam {
    kin_sph_solver solver;
    double step;  /* s, with SIDE */
    double time;  /* s, in all */
    bool sampled; /* walls are slabs, felt by particles on them */
} dam;

/* A wall of the box: the plane through `point`, or a slab behind it. */
static void add_wall(kin_bench_stage* stage, bool slab, kin_vec3 point, kin_vec3 normal)
{
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id;
    const double thickness = 0.2, wide = 4.4; /* m */
    def.shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = normal};
    def.position = point;
    if (slab) {
        kin_vec3 along = kin_abs3(normal);
        def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = kin_add_scaled(kin_v(wide, wide, wide), thickness - wide, along)};
        def.position =
            kin_add_scaled(kin_add(kin_v(2, 1.5, 0.75), kin_scale(along, kin_dot(along, kin_sub(point, kin_v(2, 1.5, 0.75))))), -0.5 * thickness, normal);
    }
    def.material = stage->material;
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_world_add_collider(stage->world, &def, &id, &stage->error));
}

/* A block of side^3 at one end of a box of 4 x 3 x 1.5 m; it is nearly 1 m wide whatever the side. */
static void build(kin_bench_stage* stage, const dam* d, int side)
{
    for (int a = 0; a < 3; ++a) {
        kin_vec3 normal = kin_v(a == 0, a == 1, a == 2);
        add_wall(stage, d->sampled, kin_v(0, 0, 0), normal);
        add_wall(stage, d->sampled, kin_v(4, 3, 1.5), kin_scale(normal, -1));
    }
    kin_sph_def def = kin_sph_def_default();
    kin_sph_block block = kin_sph_block_default();
    kin_sph_phase_def water = kin_sph_phase_def_default();
    water.tension = 0; /* as in the scene that others are measured on */
    def.phases.data = &water, def.phases.count = 1;
    def.radius = RADIUS * SIDE / side;
    double edge = 2 * def.radius * side;
    block.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = kin_v(edge, edge, edge)};
    block.position = kin_v(0.5 * edge, 0.5 * edge, 0.5 * edge);
    def.blocks.data = &block, def.blocks.count = 1;
    def.solver = d->solver, def.cfl = 2; /* one tick a step */
    if (d->sampled) def.boundary = KIN_SPH_SAMPLES;
    def.density_error = 5e-4, def.divergence_error = 1e-3;
    def.sound_speed = 30;
    def.max_particles = (int64_t)side * side * side;
    if (stage->result == KIN_OK) kin_bench_note(stage, kin_sph_create(stage->world, &def, &stage->system, &stage->error));
}

static kin_sph* tank_of(const kin_bench_stage* stage) { return kin_world_system_self(stage->world, stage->system, &kin_sph_ops); }

typedef struct outcome {
    double ms, best_ms;             /* a step: mean, and the quickest */
    double iterations, divergence;  /* a tick */
    double share[KIN_SPH_STAGES];   /* of the time */
    double bytes;                   /* a particle */
    double neighbours;              /* a particle, at the end */
    double bytes_moved, operations; /* of sums over neighbours, in a step */
    double front;                   /* m, at the end */
    double density_error;           /* mean compression that was left, in the worst step */
    double ticks;                   /* a step */
} outcome;

static void look(const kin_bench_stage* stage, outcome* o)
{
    const kin_sph* f = tank_of(stage);
    double front = 0, pairs = 0;
    for (size_t i = 0; i < f->count; ++i) {
        front = kin_max(front, f->origin.x + (double)f->x4[4 * i]);
        pairs += f->neighbours[i];
    }
    o->front = front, o->neighbours = pairs / (double)f->count, o->bytes = (double)kin_sph_bytes(f) / (double)f->count;
}

/* An application of the operator goes back and forth; density, viscosity and smoothing are a pass each. Operations of a pair: as counted in the kernels. */
static void add_work(outcome* o, const kin_sph* f)
{
    const double back_and_forth = 24, density = 45, shear = 9, smoothing = 11;
    double pairs = 8 * (double)f->lists.rows, applications = f->seen.iterations + f->seen.divergence_iterations;
    if (f->solver == &kin_sph_wcsph) applications = f->seen.ticks;
    o->bytes_moved += pairs * (f->lists.wide ? 8 : 6) * (2 * applications + 3 * f->seen.ticks);
    o->operations += pairs * (back_and_forth * applications + (density + shear + smoothing) * f->seen.ticks);
}

static outcome run_dam(kin_bench_run* run, const dam* d, int side, int steps, int warm_up, int threads)
{
    kin_bench_stage stage;
    outcome o = {.best_ms = 1e300};
    kin_bench_open_stepped(&stage, run, threads, 0, d->step * SIDE / side);
    build(&stage, d, side);
    double seconds = 0, ticks = 0, stages[KIN_SPH_STAGES] = {0}, all_stages = 0;
    for (int i = 0; i < warm_up + steps && stage.result == KIN_OK; ++i) {
        kin_sph* f = tank_of(&stage);
        for (int k = 0; k < KIN_SPH_STAGES; ++k) f->seconds[k] = 0;
        double begin = kin_clock_seconds();
        kin_bench_note(&stage, kin_world_step(stage.world, NULL, &stage.error));
        if (i < warm_up) continue;
        double took = kin_clock_seconds() - begin;
        seconds += took, ticks += f->seen.ticks, o.best_ms = kin_min(o.best_ms, 1e3 * took);
        o.iterations += f->seen.iterations, o.divergence += f->seen.divergence_iterations;
        o.density_error = kin_max(o.density_error, f->seen.density_error);
        for (int k = 0; k < KIN_SPH_STAGES; ++k) stages[k] += f->seconds[k], all_stages += f->seconds[k];
        add_work(&o, f);
    }
    if (stage.result == KIN_OK) look(&stage, &o);
    o.ms = 1e3 * seconds / steps, o.iterations /= kin_max(1, ticks), o.divergence /= kin_max(1, ticks), o.bytes_moved /= steps, o.operations /= steps,
    o.ticks = ticks / steps;
    for (int k = 0; k < KIN_SPH_STAGES; ++k) o.share[k] = all_stages > 0 ? stages[k] / all_stages : 0;
    kin_bench_close(&stage);
    return o;
}

static void add_row(kin_bench_run* run, const char* name, int threads, const outcome* o, const kin_machine* machine)
{
    static const char* const names[KIN_SPH_STAGES] = {"share_neighbours", "share_walls", "share_density", "share_forces", "share_pressure", "share_motion"};
    double n = (double)SIDE * SIDE * SIDE;
    kin_bench_row* row = kin_bench_add(run, name, n, threads);
    if (row == NULL) return;
    row->ms_per_step = o->ms;
    row->rate = 1e3 * n / o->ms;
    snprintf(row->unit, sizeof row->unit, "particle-steps/s");
    kin_bench_add_quality(row, "ticks", o->ticks);
    kin_bench_add_quality(row, "density_error", o->density_error);
    if (o->iterations > 0) kin_bench_add_quality(row, "density_iterations", o->iterations);
    if (o->divergence > 0) kin_bench_add_quality(row, "divergence_iterations", o->divergence);
    for (int k = 0; k < KIN_SPH_STAGES; ++k) kin_bench_add_quality(row, names[k], o->share[k]);
    kin_bench_add_quality(row, "bytes_per_particle", o->bytes);
    kin_bench_add_quality(row, "front", o->front);
    double gbs = machine->triad_gbs[threads - 1], gflops = machine->fma_gflops[threads - 1];
    if (gbs > 0) kin_bench_add_ratio(row, "triad", gbs * 1e6 * o->ms / o->bytes_moved);
    if (gflops > 0) kin_bench_add_ratio(row, "fma", gflops * 1e6 * o->ms / o->operations);
}

/* From 97 thousand to 2 million, by doubling; a few steps each, once the first ones have found the pressures. The quickest counts: other work on the machine,
 * which comes and goes, must not look like growth. */
static void add_growth(kin_bench_run* run, size_t index, const dam* d)
{
    static const int sides[] = {46, 60, 77, 99, 125};
    double n[5], ms[5];
    for (int i = 0; i < 5; ++i) {
        n[i] = (double)sides[i] * sides[i] * sides[i];
        ms[i] = run_dam(run, d, sides[i], 5, 5, 1).best_ms;
        kin_bench_row* row = &run->rows[index];
        row->scaling[row->scaling_count++] = (kin_bench_point){n[i], ms[i]};
    }
    run->rows[index].exponent = kin_slope(n, ms, 5);
}

static void run_whole(kin_bench_run* run, const char* name, const dam* d)
{
    kin_machine machine = kin_bench_machine();
    size_t first = run->count;
    for (int threads = 1; threads <= 2; ++threads) {
        outcome o = run_dam(run, d, SIDE, (int)(d->time / d->step + 0.5), 0, threads);
        add_row(run, name, threads, &o, &machine);
    }
    if (run->failure[0] == 0 && run->count > first) add_growth(run, first, d);
}

static void run_dfsph(kin_bench_run* run, const char* name) { run_whole(run, name, &(dam){KIN_SPH_DFSPH, 0.002, 0.8, false}); }
static void run_wcsph(kin_bench_run* run, const char* name) { run_whole(run, name, &(dam){KIN_SPH_WCSPH, 0.0005, 0.2, false}); }

enum { SAMPLED_STEPS = 50, SAMPLED_WARM_UP = 5 };

/* Beside the same steps between planes. */
static void run_sampled(kin_bench_run* run, const char* name, const dam* planes)
{
    kin_machine machine = kin_bench_machine();
    dam sampled = *planes;
    sampled.sampled = true;
    outcome o = run_dam(run, &sampled, SIDE, SAMPLED_STEPS, SAMPLED_WARM_UP, 1);
    double beside = run_dam(run, planes, SIDE, SAMPLED_STEPS, SAMPLED_WARM_UP, 1).ms;
    add_row(run, name, 1, &o, &machine);
    if (run->failure[0] == 0) kin_bench_add_ratio(&run->rows[run->count - 1], "planes", o.ms / beside);
}

static void run_sampled_dfsph(kin_bench_run* run, const char* name) { run_sampled(run, name, &(dam){.solver = KIN_SPH_DFSPH, .step = 0.002}); }
static void run_sampled_wcsph(kin_bench_run* run, const char* name) { run_sampled(run, name, &(dam){.solver = KIN_SPH_WCSPH, .step = 0.0005}); }

/* Of the dam from 0.2 s on. */
static void run_neighbours(kin_bench_run* run, const char* name)
{
    for (int threads = 1; threads <= 2; ++threads) {
        kin_bench_stage stage;
        kin_bench_open_stepped(&stage, run, threads, 0, 0.002);
        build(&stage, &(dam){KIN_SPH_DFSPH, 0.002, 0, false}, SIDE);
        for (int i = 0; i < 100 && stage.result == KIN_OK; ++i) kin_bench_note(&stage, kin_world_step(stage.world, NULL, &stage.error));
        double times[21] = {0}, bytes = 0;
        for (int i = 0; i < 21 && stage.result == KIN_OK; ++i) {
            kin_sph* f = tank_of(&stage);
            f->seconds[KIN_SPH_STAGE_NEIGHBOURS] = 0;
            kin_bench_note(&stage, kin_world_step(stage.world, NULL, &stage.error));
            times[i] = f->seconds[KIN_SPH_STAGE_NEIGHBOURS];
            bytes = (double)f->lists.rows * 48 / (double)f->count;
        }
        kin_bench_close(&stage);
        kin_bench_row* row = kin_bench_add(run, name, (double)SIDE * SIDE * SIDE, threads);
        if (row == NULL) return;
        double seconds = kin_bench_median(times, 21);
        row->ms_per_step = 1e3 * seconds;
        row->rate = (double)SIDE * SIDE * SIDE / seconds;
        snprintf(row->unit, sizeof row->unit, "particles/s");
        kin_bench_add_quality(row, "list_bytes_per_particle", bytes);
    }
}

const kin_bench kin_benches_sph[] = {
    {"sph/dam", "A dam of 97,336 particles by DFSPH, the first 0.8 s in steps of 2 ms.", run_dfsph},
    {"sph/wcsph-dam", "The same dam by an equation of state, the first 0.2 s in steps of 0.5 ms.", run_wcsph},
    {"sph/sampled-dam", "The dam by DFSPH between walls of particles, the first 0.1 s, beside the same between planes.", run_sampled_dfsph},
    {"sph/sampled-wcsph-dam", "The dam by an equation of state between walls of particles, the first 0.025 s, beside the same between planes.",
     run_sampled_wcsph},
    {"sph/neighbours", "Order and neighbour lists of that dam.", run_neighbours},
    {NULL, NULL, NULL},
};
