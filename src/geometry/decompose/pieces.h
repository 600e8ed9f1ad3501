/* pieces.h - a list of polyhedra that fill another, and what makes one of them convex. */
#pragma once
#include "geometry/repair/connect.h"

typedef struct kin_pieces {
    kin_poly* parts;
    bool* convex; /* of each part: no reflex edge is left */
    size_t count, part_room, convex_room;
    kin_allocator allocator;
} kin_pieces;

void kin_pieces_init(kin_pieces* pieces, const kin_allocator* allocator);
void kin_pieces_term(kin_pieces* pieces);
bool kin_pieces_add(kin_pieces* pieces, kin_poly* part, bool convex); /* takes what part holds, leaves it empty; false: out of memory, part is as it was */
/* The last one, taken off the list; to must be empty. */
bool kin_pieces_pop(kin_pieces* pieces, kin_poly* to);
/* Adds each connected solid of a closed polyhedron: a component with positive volume, with the voids that lie in it. Crumbs of less than least m^3 are left out. */
bool kin_pieces_add_solids(kin_pieces* pieces, const kin_poly* poly, double least);

/* The same polyhedron with faces that are not convex split into convex ones, in their plane, and such as are not flat into triangles, as in a kin_mesh; `to` is
 * replaced. false: out of memory. */
bool kin_poly_convex_faces(const kin_poly* poly, kin_poly* to);

/* The angle inside the solid between the two faces at half-edge h, in (0, 2 pi), rad; pi when they are flat. Needs a twin. */
double kin_dihedral(const kin_connect* connect, uint32_t half);
/* Not convex there, by more than a rounding: the far face rises over the plane of the near one by more than slack, m. */
bool kin_edge_reflex(const kin_connect* connect, uint32_t half, double slack);
kin_vec3 kin_face_normal(const kin_poly* poly, size_t face); /* unit; 0 without area */
