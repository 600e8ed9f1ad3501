/* stage.c - the world of a bench and its clock. */
#include "bench/stage.h"
#include "base/clock.h"
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- an allocator that counts ---- */

static void* counted_allocate(void* context, size_t size, size_t alignment)
{
    atomic_fetch_add((_Atomic uint64_t*)context, 1);
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counted_release(void* context, void* memory, size_t size)
{
    (void)context, (void)size;
    free(memory);
}

/* ---- the world ---- */

void kin_bench_note(kin_bench_stage* stage, kin_result result)
{
    if (stage->result == KIN_OK) stage->result = result;
}

void kin_bench_open(kin_bench_stage* stage, kin_bench_run* run, int threads, double restitution)
{
    kin_bench_open_stepped(stage, run, threads, restitution, kin_world_def_default().time_step);
}

void kin_bench_open_stepped(kin_bench_stage* stage, kin_bench_run* run, int threads, double restitution, double time_step)
{
    kin_world_def def = kin_world_def_default();
    def.time_step = time_step;
    *stage = (kin_bench_stage){.run = run, .allocations = calloc(1, sizeof *stage->allocations)};
    def.allocator = (kin_allocator){stage->allocations, counted_allocate, counted_release};
    def.threads = threads;
    kin_bench_note(stage, stage->allocations != NULL ? kin_world_create(&def, &stage->world, &stage->error) : KIN_ERROR_MEMORY);
    if (stage->result != KIN_OK) return;
    kin_material_def material = kin_material_def_default();
    material.name = "bench";
    material.restitution = restitution;
    for (int i = 0; i < 2; ++i) material.static_friction[i] = material.dynamic_friction[i] = 0;
    kin_bench_note(stage, kin_world_add_material(stage->world, &material, &stage->material, &stage->error));
}

void kin_bench_close(kin_bench_stage* stage)
{
    if (stage->result != KIN_OK && stage->run->failure[0] == 0) {
        char text[sizeof stage->run->failure];
        kin_error_text(&stage->error, text, sizeof text);
        snprintf(stage->run->failure, sizeof stage->run->failure, "%s", text[0] != 0 ? text : kin_result_name(stage->result));
    }
    kin_world_destroy(stage->world);
    free(stage->allocations);
    stage->world = NULL;
    stage->allocations = NULL;
}

double kin_bench_measure(const kin_bench_stage* stage, const char* name)
{
    kin_measure list[32];
    if (stage->result != KIN_OK) return NAN;
    size_t count = kin_world_measure(stage->world, stage->system.index1, list, 32);
    for (size_t i = 0; i < count && i < 32; ++i) {
        if (strcmp(list[i].name, name) == 0) return list[i].value;
    }
    return NAN;
}

/* ---- the clock ---- */

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double kin_bench_percentile(double* values, int count, double part)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[(int)(part * count)];
}

double kin_bench_median(double* values, int count) { return kin_bench_percentile(values, count, 0.5); }

static void steps(kin_bench_stage* stage, int count)
{
    for (int i = 0; i < count && stage->result == KIN_OK; ++i) kin_bench_note(stage, kin_world_step(stage->world, NULL, &stage->error));
}

kin_bench_timing kin_bench_time(kin_bench_stage* stage, int warm_up, int count)
{
    double times[KIN_BENCH_REPETITIONS];
    steps(stage, warm_up);
    if (stage->result != KIN_OK) return (kin_bench_timing){NAN, NAN};
    uint64_t before = *stage->allocations;
    for (int i = 0; i < KIN_BENCH_REPETITIONS; ++i) {
        double began = kin_clock_seconds();
        steps(stage, count);
        times[i] = (kin_clock_seconds() - began) / count;
    }
    double total = (double)count * KIN_BENCH_REPETITIONS;
    return (kin_bench_timing){kin_bench_median(times, KIN_BENCH_REPETITIONS), (double)(*stage->allocations - before) / total};
}
