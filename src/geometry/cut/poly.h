/* poly.h - a polyhedron being worked on: vertices and polygon faces that may grow, be cut and be mended; no promises (H3.4, C1.4.1a).
 *
 * Faces are counter-clockwise from outside. Each carries a tag, which pieces of the face keep: where it came from, what it is made of. A kin_mesh is the
 * checked, immutable thing that comes out in the end. */
#pragma once
#include "geometry/mesh.h"

typedef struct kin_poly {
    kin_vec3* vertices; /* m */
    size_t vertex_count, vertex_room;
    uint32_t* corners; /* vertices of the faces, face after face */
    size_t corner_count, corner_room;
    uint32_t *begin, *sizes, *tags; /* of each face: where its corners start, how many, whatever the owner wants */
    size_t face_count, begin_room, size_room, tag_room;
    kin_allocator allocator;
} kin_poly;

void kin_poly_init(kin_poly* poly, const kin_allocator* allocator);
void kin_poly_term(kin_poly* poly);
void kin_poly_clear(kin_poly* poly);                  /* keeps the room */
bool kin_poly_add_vertex(kin_poly* poly, kin_vec3 v); /* its number is the count before; false: out of memory, as with all below */
bool kin_poly_add_face(kin_poly* poly, const uint32_t* corners, uint32_t size, uint32_t tag); /* corners not of this poly's own array */
bool kin_poly_append(kin_poly* poly, const kin_poly* other);                                  /* all of another's faces and vertices */
bool kin_poly_copy(kin_poly* to, const kin_poly* from);

/* Replaces what poly holds. Checks counts, indices and numbers; vertices at exactly one place become one; tags are the numbers of the given faces. */
kin_result kin_poly_read(kin_poly* poly, const kin_mesh_view* view, kin_error* error);
kin_mesh_view kin_poly_view(const kin_poly* poly); /* valid until the next change */
kin_result kin_poly_mesh(const kin_poly* poly, const kin_allocator* allocator, kin_mesh** out, kin_error* error);

/* Vertices that no face uses go; the rest keep their order. false: out of memory. */
bool kin_poly_compact(kin_poly* poly);

kin_aabb kin_poly_bounds(const kin_poly* poly); /* of all vertices; empty when there are none */
/* What the faces enclose: signed tetrahedra to the middle of the bounds, polygons fanned from their first corner; m^3. */
double kin_poly_volume(const kin_poly* poly);
/* Twice the vector area of a face. */
kin_vec3 kin_poly_normal(const kin_poly* poly, size_t face);
/* The component (faces joined by edges) of each face, from 0 in the order of their first faces; returns how many, 0 also when out of memory. */
uint32_t kin_poly_components(const kin_poly* poly, uint32_t* component);

static inline const uint32_t* kin_poly_corners(const kin_poly* poly, size_t face) { return poly->corners + poly->begin[face]; }
/* Solid angle of a triangle, seen from the origin, over 4 pi; over a closed surface it sums to 1 inside and 0 outside (van Oosterom and Strackee 1983). */
static inline double kin_triangle_turns(kin_vec3 a, kin_vec3 b, kin_vec3 c)
{
    double la = kin_length(a), lb = kin_length(b), lc = kin_length(c);
    return kin_atan2(kin_triple(a, b, c), la * lb * lc + kin_dot(a, b) * lc + kin_dot(b, c) * la + kin_dot(c, a) * lb) / (2 * KIN_PI);
}
/* The smallest length that means anything: rounding of coordinates this far out, and 1e-12 of the size; m. */
static inline double kin_poly_grain(kin_aabb bounds)
{
    double reach = kin_largest(kin_max3(kin_abs3(bounds.low), kin_abs3(bounds.high))), size = kin_largest(kin_sub(bounds.high, bounds.low));
    return kin_max(64 * 0x1p-53 * reach, 1e-12 * size);
}
