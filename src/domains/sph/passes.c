/* passes.c - sums over neighbours and over particles, chunk by chunk. Chunks are a fixed number of blocks, whatever the threads; what a chunk adds up it keeps in
 * its own partial sums, and these are added in a fixed tree. */
#include "domains/sph/passes.h"
#include "base/jobs.h"
#include "math/scalar.h"

typedef struct loop {
    kin_sph* f;
    kin_sph_chunk_fn* fn;
    void* argument;
} loop;

static void run_chunk(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)scratch;
    const loop* l = argument;
    l->fn(l->f, l->argument, (size_t)begin, (size_t)end, (size_t)chunk);
}

void kin_sph_for(kin_sph* f, kin_jobs* jobs, kin_sph_chunk_fn* fn, void* argument)
{
    kin_parallel_for(jobs, (int64_t)f->blocks, KIN_SPH_CHUNK, run_chunk, &(loop){f, fn, argument});
}

size_t kin_sph_chunks(const kin_sph* f) { return (f->blocks + KIN_SPH_CHUNK - 1) / KIN_SPH_CHUNK; }

/* In pairs of pairs: errors grow with the logarithm of the count. */
static double tree_sum(const double* values, size_t count)
{
    if (count <= 8) {
        double sum = 0;
        for (size_t i = 0; i < count; ++i) sum += values[i * KIN_SPH_PARTIALS];
        return sum;
    }
    size_t half = count / 2;
    return tree_sum(values, half) + tree_sum(values + half * KIN_SPH_PARTIALS, count - half);
}

double kin_sph_total(const kin_sph* f, int slot) { return tree_sum(f->partial + slot, kin_sph_chunks(f)); }

static void sum_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const float* x = argument;
    double sum = 0;
    for (size_t i = 8 * begin; i < 8 * end && i < f->count; ++i) sum += (double)x[i];
    f->partial[KIN_SPH_PARTIALS * chunk] = sum;
}

float kin_sph_mean(kin_sph* f, kin_jobs* jobs, const float* x)
{
    kin_sph_for(f, jobs, sum_chunk, (void*)(uintptr_t)x);
    return (float)(kin_sph_total(f, 0) / kin_max(1, (double)f->count));
}

double kin_sph_largest(const kin_sph* f, int slot)
{
    double most = f->blocks > 0 ? f->partial[slot] : 0;
    for (size_t c = 1; c < kin_sph_chunks(f); ++c) most = kin_max(most, f->partial[KIN_SPH_PARTIALS * c + (size_t)slot]);
    return most;
}

/* The fourth of x4. */
static void load_fourth(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const float* from = argument;
    for (size_t i = 8 * begin; i < 8 * end; ++i) f->x4[4 * i + 3] = from[i];
}

static void measure_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_measure_fn* const measures[] = {kin_sph_measure_none, kin_sph_measure_sse2, kin_sph_measure_avx2};
    (void)argument;
    f->partial[KIN_SPH_PARTIALS * chunk] = measures[f->simd](f, begin, end) ? 0 : 1;
    double sum = 0;
    for (size_t i = 8 * begin; i < 8 * end && i < f->count; ++i) sum += (double)f->density[i];
    f->partial[KIN_SPH_PARTIALS * chunk + 1] = sum;
}

#define FULL 0.95 /* of a box's volume */

/* A box that is periodic along all its axes has no surface. When it is full nobody can make room for others, and particles in disorder have a mean D above that
 * of a lattice, by a few percent: to ask all for D <= 1 would be to ask for pressure without end. What can be asked is that all are equally dense. */
static void find_rest(kin_sph* f)
{
    double box = f->flat ? 1 : (double)f->box_size[2], mean = kin_sph_total(f, 1) / kin_max(1, (double)f->count);
    for (int a = 0; a < 2; ++a) box *= (double)f->box_size[a];
    f->full = box > 0 && (double)f->count * (double)f->volume >= FULL * box;
    f->rest = box > 0 ? (float)kin_max(1, mean) : 1;
}

bool kin_sph_measure_density(kin_sph* f, kin_jobs* jobs)
{
    if (!f->solver->by_state) kin_sph_for(f, jobs, load_fourth, f->inv_rho);
    kin_sph_for(f, jobs, measure_chunk, NULL);
    find_rest(f);
    return !(kin_sph_largest(f, 0) > 0);
}

typedef struct forward {
    const float* u4;
    bool with_walls;
    float* rate;
} forward;

static void forward_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_forward_fn* const forwards[] = {kin_sph_forward_none, kin_sph_forward_sse2, kin_sph_forward_avx2};
    (void)chunk;
    const forward* w = argument;
    forwards[f->simd](f, begin, end, w->u4, w->with_walls, w->rate);
}

void kin_sph_forward(kin_sph* f, kin_jobs* jobs, const float* u4, bool with_walls, float* rate)
{
    kin_sph_for(f, jobs, forward_chunk, &(forward){u4, with_walls, rate});
}

typedef struct backward {
    float by;
    float* out4;
} backward;

static void backward_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    static kin_sph_backward_fn* const backwards[] = {kin_sph_backward_none, kin_sph_backward_sse2, kin_sph_backward_avx2};
    (void)chunk;
    const backward* w = argument;
    backwards[f->simd](f, begin, end, w->by, w->out4);
}

static void go_back(kin_sph* f, kin_jobs* jobs, const float* k, float by, float* out4)
{
    if (k != NULL) kin_sph_for(f, jobs, load_fourth, (void*)(uintptr_t)k);
    kin_sph_for(f, jobs, backward_chunk, &(backward){by, out4});
}

void kin_sph_backward(kin_sph* f, kin_jobs* jobs, const float* k, float* out4) { go_back(f, jobs, k, 0, out4); }
void kin_sph_press(kin_sph* f, kin_jobs* jobs, const float* k, float h) { go_back(f, jobs, k, h, f->v4); }

typedef struct pair {
    const float *x, *y;
} pair;

static double sum_of_eight(const double s[8]) { return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])); }

/* Eight running sums, whatever the lanes. */
static void dot_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    const pair* p = argument;
    double sums[8] = {0};
    for (size_t i = 8 * begin; i < 8 * end; i += 8) {
        for (size_t l = 0; l < 8; ++l) sums[l] += (double)p->x[i + l] * (double)p->y[i + l];
    }
    f->partial[KIN_SPH_PARTIALS * chunk] = sum_of_eight(sums);
}

double kin_sph_dot(kin_sph* f, kin_jobs* jobs, const float* x, const float* y)
{
    kin_sph_for(f, jobs, dot_chunk, &(pair){x, y});
    return kin_sph_total(f, 0);
}

/* partial 0: compression summed; 1: the largest. Parked lanes have none: their D is 0. */
static void compression_chunk(kin_sph* f, void* argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument;
    const float *density = f->density, rest = f->rest;
    double sums[8] = {0};
    float most[8] = {0}, largest = 0;
    for (size_t i = 8 * begin; i < 8 * end; i += 8) {
        for (size_t l = 0; l < 8; ++l) {
            float e = density[i + l] - rest;
            e = e > 0 ? e : 0;
            sums[l] += (double)e, most[l] = e > most[l] ? e : most[l];
        }
    }
    for (size_t l = 0; l < 8; ++l) largest = most[l] > largest ? most[l] : largest;
    f->partial[KIN_SPH_PARTIALS * chunk] = sum_of_eight(sums), f->partial[KIN_SPH_PARTIALS * chunk + 1] = (double)largest;
}

void kin_sph_note_compression(kin_sph* f, kin_jobs* jobs)
{
    kin_sph_for(f, jobs, compression_chunk, NULL);
    f->seen.density_error = kin_sph_total(f, 0) / kin_max(1, (double)f->count);
    f->seen.worst_density = kin_max(f->seen.worst_density, kin_sph_largest(f, 1));
}

void kin_sph_note_solve(kin_sph* f, kin_jobs* jobs, int iterations, double error, bool capped)
{
    double mean = f->seen.density_error;
    kin_sph_note_compression(f, jobs);
    f->seen.density_error = error > 0 ? error : mean;
    f->seen.iterations += iterations;
    f->seen.caps += capped;
}
