/* machine.c - what this machine is, and its floors, measured in the same run as the benches: the memory triad a = b + s c, and multiply-adds in float. */
#include "base/clock.h"
#include "base/jobs.h"
#include "bench/bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define TRIAD_COUNT (4 << 20) /* numbers in an array, 32 MB: beyond the nearest caches */
#define TRIAD_TIMES 7

typedef struct triad {
    double *a, *b, *c;
} triad;

static void triad_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const triad* t = argument;
    double* restrict a = t->a, * restrict b = t->b, * restrict c = t->c;
    for (int64_t i = begin; i < end; ++i) a[i] = b[i] + 3.0 * c[i];
}

/* Best of several, as in STREAM: 24 bytes an element. */
static double triad_speed(triad* t, int threads)
{
    kin_allocator allocator = kin_allocator_default();
    kin_jobs jobs;
    double best = 0;
    if (kin_jobs_init(&jobs, &allocator, NULL, threads, NULL) != KIN_OK) return 0;
    for (int i = 0; i < TRIAD_TIMES; ++i) {
        double began = kin_clock_seconds();
        kin_parallel_for(&jobs, TRIAD_COUNT, 1 << 16, triad_range, t);
        double speed = 24e-9 * TRIAD_COUNT / (kin_clock_seconds() - began);
        if (speed > best) best = speed;
    }
    kin_jobs_term(&jobs);
    return best;
}

/* ---- arithmetic ---- */

#define CHAINS 10 /* sums at once: as many as hide what one waits for the next */
#define ROUNDS 200000
#define ROUND_CHUNKS 16

#if defined(__x86_64__)
#define FMA_LANES 8
__attribute__((target("avx2,fma"))) static float add_up_fused(void)
{
    __m256 sums[CHAINS], factor = _mm256_set1_ps(0.5f), total = _mm256_setzero_ps();
    float out[8];
    for (int c = 0; c < CHAINS; ++c) sums[c] = _mm256_set1_ps((float)c);
    for (int i = 0; i < ROUNDS; ++i) {
        for (int c = 0; c < CHAINS; ++c) sums[c] = _mm256_fmadd_ps(sums[c], factor, factor);
    }
    for (int c = 0; c < CHAINS; ++c) total = _mm256_add_ps(total, sums[c]);
    _mm256_storeu_ps(out, total);
    return out[0];
}
static bool has_fma(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
#define FMA_LANES 1
static float add_up_fused(void) { return 0; }
static bool has_fma(void) { return false; }
#endif

static void fma_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)scratch;
    for (int64_t i = begin; i < end; ++i) ((volatile float*)argument)[chunk] = add_up_fused();
}

/* Best of several; 0: the machine has no such operation. */
static double fma_speed(int threads)
{
    kin_allocator allocator = kin_allocator_default();
    kin_jobs jobs;
    float sums[ROUND_CHUNKS];
    double best = 0;
    if (!has_fma() || kin_jobs_init(&jobs, &allocator, NULL, threads, NULL) != KIN_OK) return 0;
    for (int i = 0; i < TRIAD_TIMES; ++i) {
        double began = kin_clock_seconds();
        kin_parallel_for(&jobs, ROUND_CHUNKS, 1, fma_range, sums);
        double speed = 2e-9 * ROUND_CHUNKS * ROUNDS * CHAINS * FMA_LANES / (kin_clock_seconds() - began);
        if (speed > best) best = speed;
    }
    kin_jobs_term(&jobs);
    return best;
}

static void cpu_name(char* name, size_t size)
{
    char line[256];
    FILE* file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char* colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        colon[strcspn(colon, "\n")] = 0;
        snprintf(name, size, "%s", colon + 2);
        break;
    }
    if (file != NULL) fclose(file);
}

static bool fill_triad(triad* t)
{
    *t = (triad){malloc(TRIAD_COUNT * sizeof(double)), malloc(TRIAD_COUNT * sizeof(double)), malloc(TRIAD_COUNT * sizeof(double))};
    if (t->a == NULL || t->b == NULL || t->c == NULL) return false;
    for (size_t i = 0; i < TRIAD_COUNT; ++i) {
        t->a[i] = 0;
        t->b[i] = (double)i;
        t->c[i] = 1;
    }
    return true;
}

kin_machine kin_bench_machine(void)
{
    kin_machine machine = {.cores = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    triad t;
    machine.memory_gb = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;
    cpu_name(machine.cpu, sizeof machine.cpu);
    for (int i = 0; i < 2; ++i) machine.fma_gflops[i] = fma_speed(i + 1);
    if (fill_triad(&t)) {
        for (int i = 0; i < 2; ++i) machine.triad_gbs[i] = triad_speed(&t, i + 1);
    }
    free(t.a);
    free(t.b);
    free(t.c);
    return machine;
}
