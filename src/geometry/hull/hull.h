/* hull.h - convex polyhedra: made from points, kept as half-edges (C2.2.4, C4.9).
 *
 * Faces are polygons, counter-clockwise from outside: points that lie in one plane, within the slack, make one face, so a cube has six. Half-edges 2k and
 * 2k + 1 are the two sides of edge k (the twin of e is e ^ 1). Every vertex is a true corner. Immutable once made. */
#pragma once
#include "geometry/mesh.h"
#include "math/primitive.h"

typedef struct kin_hull_edge {
    uint32_t origin; /* vertex it leaves; it ends at the origin of its twin */
    uint32_t next;   /* counter-clockwise round its face */
    uint32_t face;   /* on its left */
} kin_hull_edge;

typedef struct kin_hull {
    kin_vec3* vertices; /* m */
    uint32_t vertex_count;
    kin_hull_edge* edges;
    uint32_t edge_count; /* half-edges: twice the edges */
    kin_plane3* planes;  /* of the faces, unit normals out; no vertex is more than slack in front of one */
    uint32_t* face_edge; /* a half-edge of each face */
    uint32_t face_count;
    uint32_t* vertex_edge; /* a half-edge that leaves each vertex */
    uint32_t* sources;     /* the given point that each vertex is */
    kin_vec3 center;       /* of volume, m */
    double volume;         /* m^3 */
    double area;           /* m^2 */
    double inner;          /* of the ball about the centre that just fits, m */
    double reach;          /* farthest vertex from the local origin, m */
    kin_aabb bounds;       /* m */
    double slack;          /* m: given points left out are at most this far outside */
    kin_allocator allocator;
} kin_hull;

/* Quickhull. Duplicate, coplanar and collinear points are welcome; points without volume (all within slack of a plane) are refused, with the reason.
 * most_vertices 0: all; else the farthest points are taken first and it stops there (the hull then lies inside the points'). */
kin_result kin_hull_create(const kin_allocator* allocator, const kin_vec3* points, size_t count, uint32_t most_vertices, kin_hull** out, kin_error* error);
/* The same by gift wrapping (C2.2.4): slow, the cross-check. */
kin_result kin_hull_wrap(const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_hull** out, kin_error* error);
/* Of faces already known to be convex and closed (boxes, pieces of a decomposition); counter-clockwise polygons. Refused if they are not. */
kin_result kin_hull_of_faces(const kin_allocator* allocator, const kin_mesh_view* faces, kin_hull** out, kin_error* error);
void kin_hull_destroy(kin_hull* hull); /* may be NULL */
size_t kin_hull_bytes(const kin_hull* hull);

static inline uint32_t kin_hull_end(const kin_hull* hull, uint32_t edge) { return hull->edges[edge ^ 1].origin; }

/* The vertex farthest along d; ties go to the lowest number. `climb` walks from a vertex nearby along edges that go up: another of the tied may come back, and
 * where edges are as short as the slack one that is lower by as much as they hide. */
uint32_t kin_hull_support(const kin_hull* hull, kin_vec3 d);
uint32_t kin_hull_climb(const kin_hull* hull, kin_vec3 d, uint32_t from);

/* Signed distance of the deepest plane: negative inside, a lower bound of the distance outside, m. */
double kin_hull_outside(const kin_hull* hull, kin_vec3 x);

/* Faces as triangles, a closed mesh of its own. */
kin_result kin_hull_mesh(const kin_hull* hull, const kin_allocator* allocator, kin_mesh** out, kin_error* error);
