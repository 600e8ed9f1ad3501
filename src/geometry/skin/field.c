/* field.c - the field of a skin as it is: kernels whose sum is 1 where the surface is, for who meets it by rays.
 *
 * Anisotropic kernels stand about smoothed centres. A mesh of them is carried back by the mean of what smoothing moved the particles near each vertex (dress.c); here each
 * kernel is carried back by that mean at its own centre: the noise that smoothing took away has no mean. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/skin/local.h"
#include <string.h>

enum { GRAIN = 256 };

typedef struct field_job {
    const kin_fluid_skin_work* work;
    kin_fluid_skin_field* out;
} field_job;

static void put_kernels(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const field_job* job = argument;
    const kin_fluid_skin_work* w = job->work;
    for (int64_t i = begin; i < end; ++i) {
        const kin_fluid_skin_blob* b = &w->blobs[i];
        kin_vec3 at = kin_v((double)b->at[0], (double)b->at[1], (double)b->at[2]);
        if (w->settings.kind == KIN_SKIN_ANISOTROPIC) {
            float sums[1 + KIN_SKIN_COLUMNS];
            kin_vec3 own = kin_v((double)w->points.x[i], (double)w->points.y[i], (double)w->points.z[i]);
            kin_fluid_skin_blend_at(w, own, KIN_SKIN_REACH * w->settings.spacing, 3, sums);
            at = kin_add(at, kin_scale(kin_v((double)sums[1], (double)sums[2], (double)sums[3]), sums[0] > 0 ? 1 / (double)sums[0] : 0));
        }
        at = kin_add(at, w->low);
        float* position = job->out->positions + 3 * i;
        position[0] = (float)at.x, position[1] = (float)at.y, position[2] = (float)at.z;
        memcpy(job->out->shapes + 6 * i, b->shape, sizeof b->shape);
        job->out->weights[i] = (float)((double)b->weight / w->settings.level);
        job->out->items[i] = w->points.item[i];
    }
}

kin_result kin_fluid_skin_put_field(kin_fluid_skin_work* w, kin_fluid_skin_field* out, kin_error* error)
{
    const uint32_t n = w->cloud->count;
    if (w->settings.kind == KIN_SKIN_ZHU_BRIDSON)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "kind", "the surface of Zhu and Bridson is no sum of kernels: rays take color or anisotropic");
    out->count = n;
    out->positions = kin_alloc(&w->allocator, kin_bytes(n, 3 * sizeof *out->positions));
    out->shapes = kin_alloc(&w->allocator, kin_bytes(n, 6 * sizeof *out->shapes));
    out->weights = kin_alloc(&w->allocator, kin_bytes(n, sizeof *out->weights));
    out->items = kin_alloc(&w->allocator, kin_bytes(n, sizeof *out->items));
    if (out->positions == NULL || out->shapes == NULL || out->weights == NULL || out->items == NULL)
        return kin_fail_memory(error, "the field of a skin", kin_bytes(n, 11 * sizeof(float)));
    kin_parallel_for(w->jobs, n, GRAIN, put_kernels, &(field_job){w, out});
    return KIN_OK;
}

void kin_fluid_skin_field_term(kin_fluid_skin_field* f)
{
    kin_free(&f->allocator, f->positions, kin_bytes(f->count, 3 * sizeof *f->positions));
    kin_free(&f->allocator, f->shapes, kin_bytes(f->count, 6 * sizeof *f->shapes));
    kin_free(&f->allocator, f->weights, kin_bytes(f->count, sizeof *f->weights));
    kin_free(&f->allocator, f->items, kin_bytes(f->count, sizeof *f->items));
    *f = (kin_fluid_skin_field){.allocator = f->allocator};
}
