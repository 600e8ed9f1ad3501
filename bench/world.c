/* world.c - what a step costs when there is nothing to do. */
#include "bench/stage.h"
#include "validation/rig.h"
#include <stdio.h>

#define STEPS 2000

static kin_bench_timing time_one(kin_bench_run* run, int systems, int threads)
{
    kin_bench_stage stage;
    kin_bench_open(&stage, run, threads, 0.5);
    for (int i = 0; i < systems && stage.result == KIN_OK; ++i) {
        char name[16];
        kin_particle_group group = kin_particle_group_default();
        kin_particles_def def = kin_particles_def_default();
        snprintf(name, sizeof name, "p%d", i);
        def.name = name;
        def.groups = &group;
        def.group_count = 1;
        kin_bench_note(&stage, kin_particles_create(stage.world, &def, &stage.system, &stage.error));
    }
    kin_bench_timing timing = kin_bench_time(&stage, STEPS, STEPS);
    kin_bench_close(&stage);
    return timing;
}

static kin_bench_row* add_row(kin_bench_run* run, const char* name, int systems, int threads)
{
    kin_bench_timing timing = time_one(run, systems, threads);
    kin_bench_row* row = kin_bench_add(run, name, systems, threads);
    if (row == NULL) return NULL;
    row->ms_per_step = 1e3 * timing.seconds;
    row->rate = 1 / timing.seconds;
    snprintf(row->unit, sizeof row->unit, "steps/s");
    kin_bench_add_quality(row, "us_per_step", 1e6 * timing.seconds);
    kin_bench_add_quality(row, "allocations_per_step", timing.allocations_a_step);
    return row;
}

/* n is the number of systems, each of one particle. */
static void run_empty(kin_bench_run* run, const char* name)
{
    for (int systems = 0; systems <= 1; ++systems) {
        for (int threads = 1; threads <= 2; ++threads) {
            kin_bench_row* row = add_row(run, name, systems, threads);
            if (row == NULL || systems == 0) continue;
            double n[5], ms[5];
            for (int i = 0; i < 5; ++i) {
                n[i] = 1 << i;
                ms[i] = 1e3 * time_one(run, 1 << i, threads).seconds;
                row->scaling[row->scaling_count++] = (kin_bench_point){n[i], ms[i]};
            }
            row->exponent = kin_slope(n, ms, 5);
        }
    }
}

const kin_bench kin_benches_world[] = {
    {"world/empty", "A step of a world with no system, and with one system of one particle.", run_empty},
    {0},
};
