/* shatter.c - the public way to break a mesh: Voronoi pieces about seeds. */
#include "geometry/list/list.h"
#include "geometry/tetra/voronoi.h"

static kin_result make_mesh(const kin_allocator* given, const kin_mesh_view* view, kin_mesh** out, kin_error* error)
{
    kin_allocator allocator = given != NULL ? *given : kin_allocator_default();
    return kin_mesh_create(&allocator, view, out, error);
}

kin_result kin_mesh_shatter(const kin_allocator* given, const kin_mesh_view* view, const kin_vec3* seeds, size_t count, kin_mesh_list* out, kin_error* error)
{
    kin_mesh* mesh;
    kin_shards* pieces = NULL;
    kin_mesh_list_begin(out, given);
    kin_result result = make_mesh(given, view, &mesh, error);
    if (result != KIN_OK) return result;
    result = kin_voronoi_break(&mesh->allocator, mesh, seeds, (uint32_t)count, &pieces, error);
    for (size_t i = 0; result == KIN_OK && i < pieces->count; ++i) {
        kin_mesh_view piece = kin_mesh_triangles_view(pieces->shards[i].mesh);
        result = kin_mesh_list_add(out, &piece, error);
    }
    kin_shards_destroy(pieces);
    kin_mesh_destroy(mesh);
    return result;
}

kin_result kin_mesh_scatter(const kin_allocator* given, const kin_mesh_view* view, uint64_t seed, size_t count, kin_vec3* out, kin_error* error)
{
    kin_mesh* mesh;
    kin_result result = make_mesh(given, view, &mesh, error);
    if (result != KIN_OK) return result;
    result = kin_voronoi_scatter(&mesh->allocator, mesh, seed, (uint32_t)count, out, error);
    kin_mesh_destroy(mesh);
    return result;
}
