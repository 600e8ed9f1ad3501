/* polytope.h - a convex hull as separating axes want it: corners, face axes, edge directions, parallel ones once (H10.8).
 *
 * Unlike a kin_hull it may be flat, a segment or a point: a triangle in a leaf of a tree is. Immutable once made. */
#pragma once
#include "geometry/hull/hull.h"
#include "kinema/math.h"

typedef struct kin_polytope {
    kin_vec3* vertices; /* m; of a flat one in order round it */
    uint32_t vertex_count;
    uint32_t (*edges)[2];
    uint32_t edge_count;
    uint32_t (*triangles)[3]; /* of its surface; of a flat one once, not from both sides */
    uint32_t triangle_count;
    kin_vec3* axes;     /* unit, across the faces; of parallel faces one. A flat one has its normal, and across its edges in its plane */
    double *low, *high; /* m: its extent along each axis, margin included */
    uint32_t axis_count;
    kin_vec3* directions; /* unit, of its edges; of parallel ones one */
    uint32_t direction_count;
    kin_vec3 middle;     /* m, of its box */
    double volume, area; /* m^3, m^2 */
    double margin;       /* m: a given point is at most this far outside of the corners' hull */
    size_t bytes;
} kin_polytope;

/* Of one point or more. The only failure is KIN_ERROR_MEMORY. */
kin_result kin_polytope_create(const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_polytope** out);
void kin_polytope_destroy(kin_polytope* polytope, const kin_allocator* allocator); /* may be NULL */
