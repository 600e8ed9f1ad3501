/* faces.c - a hull of faces that somebody else knows. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/hull/internal.h"

kin_result kin_hull_of_faces(const kin_allocator* allocator, const kin_mesh_view* faces, kin_hull** out, kin_error* error)
{
    *out = NULL;
    kin_mesh* mesh = NULL;
    kin_result result = kin_mesh_create(allocator, faces, &mesh, error);
    if (result != KIN_OK) return result;
    kin_hull_surface s = {.given = mesh->vertices, .triangles = mesh->triangles, .across = mesh->neighbors};
    s.triangle_count = mesh->triangle_count;
    s.point_count = mesh->vertex_count;
    kin_vec3* snapped = NULL;
    if (!mesh->closed) result = kin_fail(error, KIN_ERROR_ARGUMENT, "", "the faces are not closed");
    if (result == KIN_OK) result = kin_hull_points(allocator, mesh->vertices, mesh->vertex_count, &s.snap, &snapped, error);
    s.points = snapped;
    if (result == KIN_OK) result = kin_hull_finish(allocator, &s, out, error);
    kin_free(allocator, snapped, kin_bytes(mesh->vertex_count, sizeof *snapped));
    kin_mesh_destroy(mesh);
    return result;
}
