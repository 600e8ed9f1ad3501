/* dress.c - what the particles near a vertex say: how far smoothing has moved them, so that the vertex can be carried back by their mean, and their attributes.
 * Smoothed centres lie deeper than the particles by up to a spacing near a surface; the noise that smoothing took away has no mean, so it stays away. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/skin/local.h"

enum { GRAIN = 256 };

typedef struct dress_job {
    const kin_fluid_skin_work* work;
    kin_isosurface* surface;
    kin_fluid_skin* out;
} dress_job;

void kin_fluid_skin_blend_at(const kin_fluid_skin_work* w, kin_vec3 at, double reach, int columns, float sums[1 + KIN_SKIN_COLUMNS])
{
    kin_fluid_skin_blend_fn* blend = kin_fluid_skin_kernels_of(w->settings.simd)->blend;
    const float place[3] = {(float)at.x, (float)at.y, (float)at.z};
    float part[1 + KIN_SKIN_COLUMNS];
    kin_stretches ranges = {0};
    kin_cells_walk walk;
    for (int k = 0; k <= columns; ++k) sums[k] = 0;
    kin_cells_walk_begin(&walk, &w->cells, (double[3]){at.x, at.y, at.z}, reach + w->shift);
    bool more = kin_cells_walk_next(&walk);
    while (more) {
        ranges.count = 0;
        for (; more && ranges.count < 64; more = kin_cells_walk_next(&walk)) kin_stretches_add(&ranges, walk.begin, walk.end);
        blend(&w->points, &ranges, place, (float)reach, columns, part);
        for (int k = 0; k <= columns; ++k) sums[k] += part[k];
    }
}

static void dress_vertices(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const dress_job* job = argument;
    const kin_fluid_skin_work* w = job->work;
    int width = (int)w->cloud->attribute_width, columns = 3 + width;
    for (int64_t v = begin; v < end; ++v) {
        kin_vec3* at = &job->surface->vertices[v];
        float sums[1 + KIN_SKIN_COLUMNS] = {0};
        double reach = KIN_SKIN_REACH * w->settings.spacing;
        for (int tries = 0; tries < 3 && !(sums[0] > 1e-6f); ++tries, reach *= 1.5) kin_fluid_skin_blend_at(w, kin_sub(*at, w->low), reach, columns, sums);
        double inverse = sums[0] > 0 ? 1 / (double)sums[0] : 0;
        *at = kin_add(*at, kin_v((double)sums[1] * inverse, (double)sums[2] * inverse, (double)sums[3] * inverse));
        for (int k = 0; k < width; ++k) job->out->attributes[v * width + k] = (float)((double)sums[4 + k] * inverse);
    }
}

kin_result kin_fluid_skin_dress(kin_fluid_skin_work* w, kin_isosurface* surface, kin_fluid_skin* out, kin_error* error)
{
    out->attribute_width = w->cloud->attribute_width;
    if (w->settings.kind != KIN_SKIN_ANISOTROPIC && out->attribute_width == 0) return KIN_OK;
    size_t bytes = kin_bytes(surface->vertex_count, out->attribute_width * sizeof *out->attributes);
    out->attributes = kin_alloc(&w->allocator, bytes);
    if (out->attributes == NULL && bytes > 0) return kin_fail_memory(error, "attributes of a skin", bytes);
    kin_parallel_for(w->jobs, (int64_t)surface->vertex_count, GRAIN, dress_vertices, &(dress_job){w, surface, out});
    return KIN_OK;
}
