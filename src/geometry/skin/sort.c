/* sort.c - the cloud, checked, placed in the grid of the world and sorted into cells. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/skin/local.h"
#include <string.h>

enum { GRAIN = 4096, ARRAYS = 6 + KIN_SKIN_COLUMNS };

static size_t stride_of(const kin_fluid_skin_cloud* c) { return c->stride == 0 ? 3 : c->stride; }

/* The box of the cloud in its own floats. */
static kin_result find_box(const kin_fluid_skin_cloud* c, double low[3], double high[3], kin_error* error)
{
    size_t stride = stride_of(c);
    for (int a = 0; a < 3; ++a) low[a] = 1e300, high[a] = -1e300;
    for (uint32_t i = 0; i < c->count; ++i) {
        for (int a = 0; a < 3; ++a) {
            double p = (double)c->positions[i * stride + (size_t)a];
            if (!(kin_abs(p) <= 1e30))
                return kin_fail(error, KIN_ERROR_ARGUMENT, "positions", "particle %u of %u is not at a finite place: %g along axis %d", i, c->count, p, a);
            low[a] = kin_min(low[a], p), high[a] = kin_max(high[a], p);
        }
        for (uint32_t k = 0; k < c->attribute_width; ++k) {
            if (!kin_finite((double)c->attributes[(size_t)i * c->attribute_width + k]))
                return kin_fail(error, KIN_ERROR_ARGUMENT, "attributes", "attribute %u of particle %u is not finite", k, i);
        }
    }
    return KIN_OK;
}

/* Block corners are whole multiples of the edge in the world; block (0, 0, 0) is below all that any particle reaches. */
static kin_result place_grid(kin_fluid_skin_work* w, kin_cloud* cloud, kin_error* error)
{
    const kin_fluid_skin_cloud* c = w->cloud;
    double low[3], high[3], origin[3] = {c->origin.x, c->origin.y, c->origin.z}, corner[3];
    kin_result result = find_box(c, low, high, error);
    if (result != KIN_OK) return result;
    double margin = KIN_SKIN_STRETCH * KIN_SKIN_REACH * w->settings.spacing + 2 * w->settings.cell;
    for (int a = 0; a < 3; ++a) {
        corner[a] = kin_floor((origin[a] + low[a] - margin) / w->block_edge) * w->block_edge - origin[a];
        cloud->low[a] = 0, cloud->high[a] = high[a] - corner[a];
        if ((high[a] + margin - corner[a]) / w->block_edge >= KIN_BLOCK_MOST)
            return kin_fail(error, KIN_ERROR_LIMIT, "positions", "particles are %g m apart along axis %d: a skin with cells of %g m reaches over %g m",
                            high[a] - low[a], a, w->settings.cell, KIN_BLOCK_MOST * w->block_edge);
    }
    w->low = kin_v(corner[0], corner[1], corner[2]);
    return KIN_OK;
}

static bool make_room(kin_fluid_skin_work* w)
{
    size_t count = w->cloud->count, padded = (count + KIN_SKIN_PADDING + 15) / 16 * 16;
    w->memory_bytes = kin_bytes(padded, ARRAYS * sizeof(float));
    w->memory = kin_alloc_zero(&w->allocator, w->memory_bytes);
    w->place_bytes = kin_bytes(count, 3 * sizeof(double));
    w->places = kin_alloc(&w->allocator, w->place_bytes);
    w->items = kin_alloc(&w->allocator, kin_bytes(count, sizeof *w->items));
    w->blob_bytes = kin_bytes(count, sizeof *w->blobs);
    w->blobs = kin_alloc(&w->allocator, w->blob_bytes);
    if (w->memory == NULL || w->places == NULL || w->items == NULL || w->blobs == NULL) return false;
    kin_fluid_skin_points* p = &w->points;
    float* at = w->memory;
    float** arrays[6] = {&p->x, &p->y, &p->z, &p->cx, &p->cy, &p->cz};
    for (int k = 0; k < 6; ++k, at += padded) *arrays[k] = at;
    for (int k = 0; k < KIN_SKIN_COLUMNS; ++k, at += padded) p->columns[k] = at;
    p->item = w->items;
    return true;
}

static void place_points(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_fluid_skin_work* w = argument;
    size_t stride = stride_of(w->cloud);
    int64_t count = w->cloud->count;
    double low[3] = {w->low.x, w->low.y, w->low.z};
    for (int64_t i = begin; i < end; ++i) {
        for (int a = 0; a < 3; ++a) w->places[a * count + i] = (double)w->cloud->positions[(size_t)i * stride + (size_t)a] - low[a];
    }
}

static void gather_points(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_fluid_skin_work* w = argument;
    kin_fluid_skin_points* p = &w->points;
    int64_t count = w->cloud->count;
    uint32_t width = w->cloud->attribute_width;
    for (int64_t i = begin; i < end; ++i) {
        uint32_t from = p->item[i];
        p->cx[i] = p->x[i] = (float)w->places[from];
        p->cy[i] = p->y[i] = (float)w->places[count + from];
        p->cz[i] = p->z[i] = (float)w->places[2 * count + from];
        for (uint32_t k = 0; k < width; ++k) p->columns[3 + k][i] = w->cloud->attributes[(size_t)from * width + k];
    }
}

kin_result kin_fluid_skin_sort(kin_fluid_skin_work* w, kin_error* error)
{
    kin_cloud cloud = {.count = w->cloud->count};
    kin_result result = place_grid(w, &cloud, error);
    if (result != KIN_OK) return result;
    double reach = (w->settings.kind == KIN_SKIN_ANISOTROPIC ? KIN_SKIN_SURROUND : KIN_SKIN_REACH) * w->settings.spacing;
    bool good = make_room(w);
    if (good) {
        for (int a = 0; a < 3; ++a) cloud.at[a] = w->places + (size_t)a * cloud.count;
        kin_parallel_for(w->jobs, cloud.count, GRAIN, place_points, w);
        good = kin_cells_build(&w->cells, &w->allocator, w->jobs, &cloud, reach * 1.0001, true, w->items);
    }
    if (!good) return kin_fail_memory(error, "a skin", w->memory_bytes + w->place_bytes + w->blob_bytes);
    kin_parallel_for(w->jobs, cloud.count, GRAIN, gather_points, w);
    return KIN_OK;
}
