/* fill.h - closed loops near a plane become triangles or convex polygons, with no new points: caps of cuts, covers of holes.
 *
 * Holes are joined to their outer loop by bridges, ears are clipped, edges are flipped until Delaunay (F11, 11.3), and on wish triangles are joined to convex
 * polygons (Hertel and Mehlhorn 1983). Whatever rounding does to the shapes, the edges of what comes out are the loops' and pairs of opposite ones: what is
 * closed by it is closed. */
#pragma once
#include "geometry/cut/poly.h"

typedef struct kin_fill_node {
    double x, y; /* seen along the normal, counter-clockwise */
    uint32_t id, prev, next;
} kin_fill_node;

typedef struct kin_fill { /* scratch, kept from call to call */
    kin_poly out;         /* faces of the last fill, without vertices: corners are numbers of the points */
    kin_fill_node* nodes;
    uint32_t (*triangles)[3];
    uint32_t *twin, *next, *halves, *scratch_halves, *polygon; /* half-edge 3 t + k leaves corner k of triangle t */
    uint64_t *keys, *scratch_keys;
    size_t node_count, node_room, triangle_count, triangle_room;
    size_t twin_room, next_room, half_room, half2_room, polygon_room, key_room, key2_room;
    kin_allocator allocator;
} kin_fill;

typedef struct kin_loops {
    const uint32_t* ids;   /* points, loop after loop */
    const uint32_t* begin; /* count + 1 */
    uint32_t count;        /* the first is the outer one, counter-clockwise seen from the tip of the normal; holes are clockwise */
} kin_loops;

void kin_fill_init(kin_fill* fill, const kin_allocator* allocator);
void kin_fill_term(kin_fill* fill);
/* Fills fill->out; polygons: convex ones, of at most KIN_POLYGON_MAX_CORNERS, else triangles. false: out of memory. */
bool kin_fill_loops(kin_fill* fill, const kin_vec3* points, kin_vec3 normal, kin_loops loops, bool polygons);

typedef struct kin_flat_point {
    double x, y;
} kin_flat_point;
/* Drops the axis along which n is largest, so that what is counter-clockwise from the tip of n is counter-clockwise in x and y. */
static inline kin_flat_point kin_flatten(kin_vec3 n, kin_vec3 p)
{
    double ax = kin_abs(n.x), ay = kin_abs(n.y), az = kin_abs(n.z);
    if (ax >= ay && ax >= az) return n.x >= 0 ? (kin_flat_point){p.y, p.z} : (kin_flat_point){p.z, p.y};
    if (ay >= az) return n.y >= 0 ? (kin_flat_point){p.z, p.x} : (kin_flat_point){p.x, p.z};
    return n.z >= 0 ? (kin_flat_point){p.x, p.y} : (kin_flat_point){p.y, p.x};
}
