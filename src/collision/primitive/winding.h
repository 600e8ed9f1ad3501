/* winding.h - how often a surface goes round a point (Jacobson, Kavan and Sorkine-Hornung 2013).
 *
 * The sum of the solid angles of all triangles over 4 pi: 1 inside a closed mesh, 0 outside, 2 where two shells overlap, -1 inside one turned inside out.
 * Of a mesh with holes it is in between, and rounding it still tells inside from outside where the six rays of kin_trimesh_inside (C2.5.13) cannot: the
 * robust, slow question. One pass over the triangles. */
#pragma once
#include "geometry/mesh.h"

/* x in the mesh's frame. On the surface itself: the half between its two sides. */
double kin_mesh_winding(const kin_mesh* mesh, kin_vec3 x);

/* Inside, if need be by a vote. */
static inline bool kin_mesh_winds(const kin_mesh* mesh, kin_vec3 x) { return kin_mesh_winding(mesh, x) > 0.5; }
