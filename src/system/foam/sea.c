/* sea.c - the fluid as foam needs it: checked, sorted into cells, and with normals where none are given. A normal is the mean direction away from the
 * neighbours; within the fluid they cancel, and what is left is no normal. */
#include "base/alloc.h"
#include "base/error.h"
#include "system/foam/local.h"
#include <string.h>

enum { GRAIN = 64 };                    /* cells */
static const float least_normal = 0.2f; /* half a space gives 1/2 */

static size_t stride_of(const kin_foam_fluid* f) { return f->stride == 0 ? 3 : f->stride; }

static size_t padded(size_t count) { return (count + 15) / 16 * 16; }

static bool reserve(kin_foam* foam, size_t count)
{
    kin_foam_sea* s = &foam->sea;
    const kin_allocator* a = &foam->allocator;
    return kin_reserve(a, (void**)&s->block, &s->capacity[0], padded(count), 9 * sizeof *s->block)
           && kin_reserve(a, (void**)&s->places, &s->capacity[1], count, 3 * sizeof *s->places)
           && kin_reserve(a, (void**)&s->items, &s->capacity[2], count, sizeof *s->items)
           && kin_reserve(a, (void**)&s->births, &s->capacity[3], count, sizeof *s->births);
}

void kin_foam_free_sea(kin_foam* foam)
{
    kin_foam_sea* s = &foam->sea;
    const kin_allocator* a = &foam->allocator;
    kin_cells_term(&s->cells, a);
    kin_free(a, s->block, s->capacity[0] * 9 * sizeof *s->block);
    kin_free(a, s->places, s->capacity[1] * 3 * sizeof *s->places);
    kin_free(a, s->items, s->capacity[2] * sizeof *s->items);
    kin_free(a, s->births, s->capacity[3] * sizeof *s->births);
}

static kin_result check_fluid(const kin_foam_fluid* f, kin_cloud* cloud, kin_error* error)
{
    size_t stride = stride_of(f);
    for (int a = 0; a < 3; ++a) cloud->low[a] = 1e300, cloud->high[a] = -1e300;
    for (uint32_t i = 0; i < f->count; ++i) {
        for (int a = 0; a < 3; ++a) {
            double x = (double)f->positions[i * stride + (size_t)a], v = (double)f->velocities[i * stride + (size_t)a];
            if (!(kin_abs(x) <= 1e30 && kin_abs(v) <= 1e15))
                return kin_fail(error, KIN_ERROR_NUMERICS, "fluid", "particle %u of the fluid is not finite: it is at %g with %g m/s along axis %d", i, x, v,
                                a);
            if (f->normals != NULL && !(kin_abs((double)f->normals[i * stride + (size_t)a]) <= 2))
                return kin_fail(error, KIN_ERROR_NUMERICS, "fluid", "the normal of particle %u of the fluid is not finite", i);
            cloud->low[a] = kin_min(cloud->low[a], x), cloud->high[a] = kin_max(cloud->high[a], x);
        }
    }
    return KIN_OK;
}

static void gather(kin_foam_sea* s, const kin_foam_fluid* f)
{
    size_t stride = stride_of(f), room = padded(s->count);
    memset(s->block, 0, 9 * room * sizeof *s->block);
    for (int a = 0; a < 3; ++a) {
        s->x[a] = s->block + (size_t)a * room;
        s->v[a] = s->block + (size_t)(3 + a) * room;
        s->n[a] = s->block + (size_t)(6 + a) * room;
        for (uint32_t i = 0; i < s->count; ++i) {
            size_t from = s->items[i] * stride + (size_t)a;
            s->x[a][i] = f->positions[from];
            s->v[a][i] = f->velocities[from];
            if (f->normals != NULL) s->n[a][i] = f->normals[from];
        }
    }
}

/* Calm water is not looked at any further. */
static bool any_fast(const kin_foam_sea* s, double least_energy)
{
    for (uint32_t i = 0; i < s->count; ++i) {
        double x = (double)s->v[0][i], y = (double)s->v[1][i], z = (double)s->v[2][i];
        if (0.5 * (x * x + y * y + z * z) > least_energy) return true;
    }
    return false;
}

static void find_normals(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_foam* foam = argument;
    kin_foam_sea* s = &foam->sea;
    const kin_foam_kernels* kernels = kin_foam_kernels_of(foam);
    for (int64_t cell = begin; cell < end; ++cell) {
        kin_stretches near;
        kin_foam_round_cell(s, cell, &near);
        for (uint32_t i = s->cells.starts[cell]; i < s->cells.starts[cell + 1]; ++i) {
            float sums[4];
            kernels->facing(s, &near, i, sums);
            float length = __builtin_sqrtf(sums[0] * sums[0] + sums[1] * sums[1] + sums[2] * sums[2]);
            float scale = length > least_normal * sums[3] ? 1 / length : 0;
            for (int a = 0; a < 3; ++a) s->n[a][i] = scale * sums[a];
        }
    }
}

kin_result kin_foam_fill_sea(kin_foam* foam, kin_jobs* jobs, const kin_foam_fluid* f, kin_error* error)
{
    kin_foam_sea* s = &foam->sea;
    kin_cloud cloud = {.count = f->count};
    s->count = 0;
    s->reach = foam->def.reach * foam->def.spacing;
    s->origin = f->origin;
    if (f->count == 0) return KIN_OK;
    kin_result result = check_fluid(f, &cloud, error);
    if (result != KIN_OK) return result;
    size_t stride = stride_of(f);
    bool good = reserve(foam, f->count);
    for (int a = 0; good && a < 3; ++a) {
        cloud.at[a] = s->places + (size_t)a * f->count;
        for (uint32_t i = 0; i < f->count; ++i) s->places[(size_t)a * f->count + i] = (double)f->positions[i * stride + (size_t)a];
    }
    good = good && kin_cells_build(&s->cells, &foam->allocator, jobs, &cloud, 1.0001 * s->reach, true, s->items);
    if (!good) return kin_fail_memory(error, "foam", kin_bytes(f->count, 12 * sizeof(double)));
    s->count = f->count;
    gather(s, f);
    s->fast = any_fast(s, foam->def.energy[0]);
    if (s->fast && f->normals == NULL && foam->def.crest_rate > 0) kin_parallel_for(jobs, s->cells.cell_count, GRAIN, find_normals, foam);
    return KIN_OK;
}
