/* spray.c - clumps of few particles: connected components of the particles within reach of each other, by union-find. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/neighbours.h"
#include "geometry/skin/skin.h"
#include "math/vec3.h"

#define REACH 1.5  /* spacings: neighbours along an axis and along the diagonal of a face are joined */
enum { FEW = 12 }; /* particles that have no neighbour on all sides */

typedef struct clumps {
    kin_allocator allocator;
    kin_vec3* places;
    uint32_t *parent, *size;
    uint32_t count;
} clumps;

static bool init(clumps* c, const kin_allocator* allocator, const kin_fluid_skin_cloud* cloud)
{
    *c = (clumps){.allocator = *allocator, .count = cloud->count};
    c->places = kin_alloc(allocator, kin_bytes(cloud->count, sizeof *c->places));
    c->parent = kin_alloc(allocator, kin_bytes(cloud->count, sizeof *c->parent));
    c->size = kin_alloc_zero(allocator, kin_bytes(cloud->count, sizeof *c->size));
    if (c->places == NULL || c->parent == NULL || c->size == NULL) return false;
    const size_t stride = cloud->stride == 0 ? 3 : cloud->stride;
    for (uint32_t i = 0; i < cloud->count; ++i) {
        const float* x = cloud->positions + i * stride;
        c->places[i] = kin_v((double)x[0], (double)x[1], (double)x[2]);
        c->parent[i] = i;
    }
    return true;
}

static void term(clumps* c)
{
    kin_free(&c->allocator, c->places, kin_bytes(c->count, sizeof *c->places));
    kin_free(&c->allocator, c->parent, kin_bytes(c->count, sizeof *c->parent));
    kin_free(&c->allocator, c->size, kin_bytes(c->count, sizeof *c->size));
}

static uint32_t root_of(clumps* c, uint32_t i)
{
    while (c->parent[i] != i) i = c->parent[i] = c->parent[c->parent[i]];
    return i;
}

static void join(clumps* c, const kin_neighbour_lists* lists)
{
    for (uint32_t i = 0; i < lists->count; ++i) {
        for (size_t k = lists->offsets[i]; k < lists->offsets[i + 1] && lists->indices[k] < i; ++k) {
            const uint32_t a = root_of(c, i), b = root_of(c, lists->indices[k]);
            if (a < b) c->parent[b] = a;
            if (b < a) c->parent[a] = b;
        }
    }
    for (uint32_t i = 0; i < c->count; ++i) c->size[root_of(c, i)] += 1;
}

kin_result kin_fluid_skin_spray(const kin_allocator* allocator, kin_jobs* jobs, double spacing, const kin_fluid_skin_cloud* cloud, uint8_t* is_spray,
                                kin_error* error)
{
    clumps c;
    kin_neighbours* near = NULL;
    kin_neighbour_lists lists;
    kin_result result = init(&c, allocator, cloud) ? KIN_OK : kin_fail_memory(error, "clumps of spray", cloud->count * sizeof *c.places);
    if (result == KIN_OK) result = kin_neighbours_create(allocator, &(kin_neighbours_def){.kind = KIN_NEIGHBOURS_HASH}, &near, error);
    if (result == KIN_OK) result = kin_neighbours_update(near, jobs, kin_points_of_vectors(c.places), cloud->count, REACH * spacing, error);
    if (result == KIN_OK) result = kin_neighbours_lists(near, jobs, &lists, error);
    if (result == KIN_OK) {
        join(&c, &lists);
        for (uint32_t i = 0; i < cloud->count; ++i) is_spray[i] = c.size[root_of(&c, i)] < FEW;
    }
    kin_neighbours_destroy(near);
    term(&c);
    return result;
}
