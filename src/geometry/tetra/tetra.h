/* tetra.h - tetrahedra: Delaunay's of points, and a closed mesh filled with them (R3.6).
 *
 * Corner 3 of a tetrahedron lies where the normal of corners 0, 1, 2 points: all volumes are positive. */
#pragma once
#include "geometry/mesh.h"

typedef struct kin_tets {
    kin_vec3* vertices; /* m */
    uint32_t vertex_count;
    uint32_t (*corners)[4];
    uint32_t (*across)[4]; /* the tetrahedron across the face opposite corner k, or KIN_NO_NEIGHBOR */
    uint32_t tet_count;
    kin_allocator allocator;
} kin_tets;

/* The corners of the face opposite corner k, counter-clockwise seen from inside, from corner k. */
static const uint8_t kin_tet_face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};

/* Delaunay's tetrahedra (no point inside the sphere of another four, but for those on it), by Bowyer and Watson's insertion with exact signs; they fill
 * the hull of the points. vertices are the points in their order; points at one place (within 2^-51 of the size of the cloud) count once, the others stay
 * without tetrahedra. Refused: points without volume, as for hulls. */
kin_result kin_tets_delaunay(const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_tets** out, kin_error* error);
void kin_tets_destroy(kin_tets* tets); /* may be NULL */
size_t kin_tets_bytes(const kin_tets* tets);

double kin_tet_volume(const kin_tets* tets, uint32_t tet); /* m^3 */
double kin_tets_volume(const kin_tets* tets);

/* ---- filling a mesh ---- */

typedef struct kin_tets_def {
    double spacing; /* m: of the points scattered inside; 0: none */
    double surface; /* m: points are put on edges and faces until none is longer; 0: the mesh's own vertices only */
    uint64_t seed;  /* of the scatter */
} kin_tets_def;

/* R3.6: points on the surface, points scattered inside, Delaunay's tetrahedra of them all, less those whose centre is outside the mesh and those as flat
 * as rounding makes them. Vertices of no tetrahedron are left out. Refused: a mesh that is not closed, or turned inside out; one left without any. */
kin_result kin_tets_fill(const kin_allocator* allocator, const kin_mesh* mesh, const kin_tets_def* def, kin_tets** out, kin_error* error);

/* A quarter of each tetrahedron's mass to each of its corners: mass[i] in kg for a density in kg/m^3. */
void kin_tets_masses(const kin_tets* tets, double density, double* mass);

/* ---- skin ---- */

/* A visual mesh's vertex as a mix of four vertices of the tetrahedra. */
typedef struct kin_skin_weight {
    uint32_t tet;
    double w[4]; /* sum to 1; some are negative for a point outside all tetrahedra, which is bound to the nearest */
} kin_skin_weight;

kin_result kin_tets_skin(const kin_allocator* allocator, const kin_tets* tets, const kin_vec3* points, size_t count, kin_skin_weight* out, kin_error* error);
/* Where the points are when the tetrahedra's vertices have moved. */
void kin_skin_apply(const kin_tets* tets, const kin_vec3* moved, const kin_skin_weight* skin, size_t count, kin_vec3* out);
