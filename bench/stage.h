/* stage.h - what benches share: a world on a counting allocator, and how a step is timed.
 *
 * A time is the median over repetitions of the mean over a few steps, after a warm-up: other work on the machine makes some repetitions slow, never fast. */
#pragma once
#include "bench/bench.h"

extern const kin_bench kin_benches_particles[]; /* particles.c */
extern const kin_bench kin_benches_world[];     /* world.c */

/* collision/ */
extern const kin_bench kin_benches_rays[];
extern const kin_bench kin_benches_broad[];
extern const kin_bench kin_benches_distance[];
extern const kin_bench kin_benches_meshes[];
extern const kin_bench kin_benches_rigid[];
extern const kin_bench kin_benches_sph[]; /* sph/sph.c */

/* gravity.c */
void kin_bench_barnes_hut(kin_bench_run* run, const char* name);
void kin_bench_direct(kin_bench_run* run, const char* name);

#define KIN_BENCH_REPETITIONS 9

typedef struct kin_bench_stage {
    kin_bench_run* run;
    kin_world* world;
    kin_material_id material;
    kin_system_id system;
    uint64_t* allocations; /* counted so far */
    kin_result result;
    kin_error error;
} kin_bench_stage;

typedef struct kin_bench_timing {
    double seconds;            /* a step */
    double allocations_a_step; /* while timed */
} kin_bench_timing;

void kin_bench_open(kin_bench_stage* stage, kin_bench_run* run, int threads, double restitution);
void kin_bench_open_stepped(kin_bench_stage* stage, kin_bench_run* run, int threads, double restitution, double time_step);
void kin_bench_close(kin_bench_stage* stage);                   /* a failure goes into the run */
void kin_bench_note(kin_bench_stage* stage, kin_result result); /* keeps the first failure */
kin_bench_timing kin_bench_time(kin_bench_stage* stage, int warm_up, int steps);
double kin_bench_measure(const kin_bench_stage* stage, const char* name);
double kin_bench_median(double* values, int count);                  /* sorts them */
double kin_bench_percentile(double* values, int count, double part); /* part: below 1; sorts them */
