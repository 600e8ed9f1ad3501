/* mesh_internal.h - the steps of making a mesh, between mesh.c and mesh_topology.c. */
#pragma once
#include "geometry/mesh.h"

#define KIN_MESH_LIMIT 500000000u /* vertices, faces, triangles: edge numbers and stars must fit 32 bits */
#define KIN_MESH_REACH 1e30       /* m: products of four coordinates stay finite, and boxes fit a float */

/* Neighbours, closed, stars, vertex normals. False: out of memory. */
bool kin_mesh_connect(kin_mesh* mesh);
void kin_mesh_find_vertex_normals(kin_mesh* mesh);
