/* eliminate.c - blue noise of a given count: from too many uniform points the most crowded ones go (Yuksel 2015, Sample elimination for generating Poisson
 * disk sample sets). */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/neighbours.h"
#include "geometry/sample/darts.h"

#define PLENTY 4 /* times as many to begin with */

/* A heap of points by how crowded they are, the worst on top; equals by number, so that the order is one. */
typedef struct crowd {
    const kin_vec3* points;
    const kin_neighbour_lists* near;
    double* weights;
    uint32_t* heap;
    uint32_t* places; /* of each point in the heap; UINT32_MAX: gone */
    uint32_t count;
    double diameter, least; /* m: who is farther off does not crowd; who is nearer than `least` does so little more */
} crowd;

static bool is_worse(const crowd* c, uint32_t a, uint32_t b) { return c->weights[a] > c->weights[b] || (c->weights[a] == c->weights[b] && a < b); }

static void put(crowd* c, uint32_t place, uint32_t point)
{
    c->heap[place] = point;
    c->places[point] = place;
}

static void sift_down(crowd* c, uint32_t place)
{
    uint32_t point = c->heap[place];
    for (uint32_t child; (child = 2 * place + 1) < c->count; place = child) {
        if (child + 1 < c->count && is_worse(c, c->heap[child + 1], c->heap[child])) child += 1;
        if (!is_worse(c, c->heap[child], point)) break;
        put(c, place, c->heap[child]);
    }
    put(c, place, point);
}

/* (1 - d / 2r)^8, held back below `least` as Yuksel does, but still rising: two points of a thin plate's two sides must not stay together. */
static double weight(const crowd* c, uint32_t a, uint32_t b)
{
    double d = kin_distance(c->points[a], c->points[b]), x = kin_max(1 - kin_max(d, c->least) / c->diameter, 0);
    x *= x;
    x *= x;
    return x * x * (1 + kin_max(1 - d / c->least, 0));
}

static void weigh(crowd* c)
{
    for (uint32_t i = 0; i < c->count; ++i) {
        c->weights[i] = 0;
        for (size_t k = c->near->offsets[i]; k < c->near->offsets[i + 1]; ++k) c->weights[i] += weight(c, i, c->near->indices[k]);
        put(c, i, i);
    }
    for (uint32_t i = c->count / 2; i-- > 0;) sift_down(c, i);
}

/* The worst goes; its neighbours are less crowded then, so they can only sink. */
static void drop_worst(crowd* c)
{
    uint32_t gone = c->heap[0];
    c->places[gone] = UINT32_MAX;
    c->count -= 1;
    if (c->count == 0) return;
    put(c, 0, c->heap[c->count]);
    sift_down(c, 0);
    for (size_t k = c->near->offsets[gone]; k < c->near->offsets[gone + 1]; ++k) {
        uint32_t other = c->near->indices[k];
        if (c->places[other] == UINT32_MAX) continue;
        c->weights[other] -= weight(c, gone, other);
        sift_down(c, c->places[other]);
    }
}

static double least_distance(const crowd* c, uint32_t total)
{
    double square = c->diameter * c->diameter;
    for (uint32_t i = 0; i < total; ++i) {
        if (c->places[i] == UINT32_MAX) continue;
        for (size_t k = c->near->offsets[i]; k < c->near->offsets[i + 1]; ++k) {
            uint32_t j = c->near->indices[k];
            if (c->places[j] != UINT32_MAX) square = kin_min(square, kin_length2(kin_sub(c->points[i], c->points[j])));
        }
    }
    return kin_sqrt(square);
}

/* Those that are left, in their old order. */
static void keep(kin_samples* s, const uint32_t* places)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        if (places[i] == UINT32_MAX) continue;
        s->points[kept] = s->points[i], s->normals[kept] = s->normals[i], s->triangles[kept] = s->triangles[i];
        kept += 1;
    }
    s->count = kept;
}

static kin_result eliminate(kin_samples* s, const kin_neighbour_lists* near, uint32_t count, crowd* c, kin_error* error)
{
    size_t bytes = (size_t)s->count * (sizeof(double) + 2 * sizeof(uint32_t));
    double* block = kin_alloc(&s->allocator, bytes);
    if (block == NULL) return kin_fail_memory(error, "samples", bytes);
    c->points = s->points;
    c->near = near;
    c->weights = block;
    c->heap = (uint32_t*)(block + s->count);
    c->places = c->heap + s->count;
    c->count = s->count;
    weigh(c);
    while (c->count > count) drop_worst(c);
    s->spacing = least_distance(c, s->count);
    keep(s, c->places);
    kin_free(&s->allocator, block, bytes);
    return KIN_OK;
}

static kin_result area_of(const kin_allocator* allocator, const kin_mesh* mesh, double* area, kin_error* error)
{
    kin_area_table table;
    if (!kin_area_table_init(&table, allocator, mesh)) return kin_fail_memory(error, "areas of triangles", mesh->triangle_count * sizeof *table.sums);
    *area = table.sums[table.count];
    kin_area_table_term(&table, allocator);
    return KIN_OK;
}

kin_result kin_sample_counted(const kin_allocator* allocator, const kin_mesh* mesh, uint32_t count, uint64_t seed, kin_samples* out, kin_error* error)
{
    double area = 0;
    kin_neighbours* near = NULL;
    kin_neighbour_lists lists;
    *out = (kin_samples){.allocator = *allocator};
    if (count == 0 || count > KIN_SAMPLE_MOST / PLENTY)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "count", "is %u; 1 to %u are taken", count, KIN_SAMPLE_MOST / PLENTY);
    kin_result result = area_of(allocator, mesh, &area, error);
    if (result == KIN_OK) result = kin_sample_uniform(allocator, mesh, PLENTY * count, seed, out, error);
    if (result != KIN_OK) return result;
    crowd c = {.diameter = 2 * kin_sqrt(area / (2 * kin_sqrt(3) * count))}; /* of n disks packed as densely as can be */
    c.least = c.diameter * 0.65 * (1 - 1 / (PLENTY * kin_sqrt(PLENTY)));    /* his beta 0.65 and gamma 1.5 */
    result = kin_neighbours_create(allocator, &(kin_neighbours_def){.kind = KIN_NEIGHBOURS_HASH}, &near, error);
    if (result == KIN_OK) result = kin_neighbours_update(near, NULL, kin_points_of_vectors(out->points), out->count, c.diameter, error);
    if (result == KIN_OK) result = kin_neighbours_lists(near, NULL, &lists, error);
    if (result == KIN_OK) result = eliminate(out, &lists, count, &c, error);
    kin_neighbours_destroy(near);
    if (result != KIN_OK) kin_samples_term(out);
    return result;
}
