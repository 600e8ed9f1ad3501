/* list.h - the lists of meshes that the public functions give out. */
#pragma once
#include "geometry/mesh.h"
#include "kinema/geometry.h"

void kin_mesh_list_begin(kin_mesh_list* list, const kin_allocator* allocator); /* NULL: malloc */
/* Copies the mesh. On failure the list is freed. */
kin_result kin_mesh_list_add(kin_mesh_list* list, const kin_mesh_view* mesh, kin_error* error);
/* A checked mesh, as triangles. */
kin_mesh_view kin_mesh_triangles_view(const kin_mesh* mesh);
