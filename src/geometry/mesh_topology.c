/* mesh_topology.c - who touches whom in a mesh: edge neighbours, stars, and the normals that need them. */
#include "base/alloc.h"
#include "base/sort.h"
#include "geometry/mesh.h"
#include "geometry/mesh_internal.h"
#include "math/scalar.h"
#include <string.h>

/* Half edges sorted by their two vertices: each run of equal keys is one edge. */
typedef struct edge_list {
    uint64_t *keys, *scratch_keys;
    uint32_t *halves, *scratch_halves; /* triangle * 3 + edge */
    size_t count;
} edge_list;

static uint32_t edge_from(const kin_mesh* mesh, uint32_t half) { return mesh->triangles[half / 3][half % 3]; }

/* Two half edges that run against each other are neighbours; anything else is a border for all of them. */
static bool join(kin_mesh* mesh, const uint32_t* halves, size_t count)
{
    for (size_t i = 0; i < count; ++i) mesh->neighbors[halves[i] / 3][halves[i] % 3] = KIN_NO_NEIGHBOR;
    if (count != 2 || edge_from(mesh, halves[0]) == edge_from(mesh, halves[1])) return false;
    mesh->neighbors[halves[0] / 3][halves[0] % 3] = halves[1] / 3;
    mesh->neighbors[halves[1] / 3][halves[1] % 3] = halves[0] / 3;
    return true;
}

static void find_neighbors(kin_mesh* mesh, edge_list* edges)
{
    for (uint32_t half = 0; half < edges->count; ++half) {
        uint64_t a = edge_from(mesh, half), b = mesh->triangles[half / 3][(half % 3 + 1) % 3];
        edges->keys[half] = a < b ? a << 32 | b : b << 32 | a;
        edges->halves[half] = half;
    }
    kin_sort_keys(edges->keys, edges->halves, edges->scratch_keys, edges->scratch_halves, edges->count);
    mesh->closed = true;
    for (size_t i = 0, end; i < edges->count; i = end) {
        for (end = i + 1; end < edges->count && edges->keys[end] == edges->keys[i];) end += 1;
        if (!join(mesh, edges->halves + i, end - i)) mesh->closed = false;
    }
}

/* Counting sort of corners by vertex. */
static void find_stars(kin_mesh* mesh)
{
    memset(mesh->star_begin, 0, ((size_t)mesh->vertex_count + 1) * sizeof *mesh->star_begin);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) mesh->star_begin[mesh->triangles[t][k] + 1] += 1;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) mesh->star_begin[v + 1] += mesh->star_begin[v];
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (uint32_t k = 0; k < 3; ++k) mesh->star[mesh->star_begin[mesh->triangles[t][k]]++] = t * 4 + k;
    }
    memmove(mesh->star_begin + 1, mesh->star_begin, mesh->vertex_count * sizeof *mesh->star_begin);
    mesh->star_begin[0] = 0;
}

static double corner_angle(const kin_mesh* mesh, uint32_t t, int k)
{
    const uint32_t* c = mesh->triangles[t];
    kin_vec3 u = kin_sub(mesh->vertices[c[(k + 1) % 3]], mesh->vertices[c[k]]);
    kin_vec3 v = kin_sub(mesh->vertices[c[(k + 2) % 3]], mesh->vertices[c[k]]);
    return kin_angle(u, v);
}

void kin_mesh_find_vertex_normals(kin_mesh* mesh)
{
    memset(mesh->vertex_normals, 0, mesh->vertex_count * sizeof *mesh->vertex_normals);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            kin_vec3* n = &mesh->vertex_normals[mesh->triangles[t][k]];
            *n = kin_add_scaled(*n, corner_angle(mesh, t, k), mesh->normals[t]);
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) mesh->vertex_normals[v] = kin_normalize_or(mesh->vertex_normals[v], kin_v(0, 0, 0));
}

bool kin_mesh_connect(kin_mesh* mesh)
{
    const kin_allocator* a = &mesh->allocator;
    edge_list edges = {.count = 3 * (size_t)mesh->triangle_count};
    size_t key_bytes = edges.count * sizeof *edges.keys, half_bytes = edges.count * sizeof *edges.halves;
    edges.keys = kin_alloc(a, key_bytes);
    edges.scratch_keys = kin_alloc(a, key_bytes);
    edges.halves = kin_alloc(a, half_bytes);
    edges.scratch_halves = kin_alloc(a, half_bytes);
    bool ok = edges.keys != NULL && edges.scratch_keys != NULL && edges.halves != NULL && edges.scratch_halves != NULL;
    if (ok) find_neighbors(mesh, &edges);
    kin_free(a, edges.keys, key_bytes);
    kin_free(a, edges.scratch_keys, key_bytes);
    kin_free(a, edges.halves, half_bytes);
    kin_free(a, edges.scratch_halves, half_bytes);
    if (!ok) return false;
    find_stars(mesh);
    kin_mesh_find_vertex_normals(mesh);
    return true;
}

kin_vec3 kin_mesh_pseudo_normal(const kin_mesh* mesh, uint32_t triangle, kin_feature feature)
{
    if (feature == KIN_FEATURE_FACE) return mesh->normals[triangle];
    if (feature >= KIN_FEATURE_CORNER0) return mesh->vertex_normals[mesh->triangles[triangle][feature - KIN_FEATURE_CORNER0]];
    uint32_t other = mesh->neighbors[triangle][feature - KIN_FEATURE_EDGE0];
    return other == KIN_NO_NEIGHBOR ? mesh->normals[triangle] : kin_add(mesh->normals[triangle], mesh->normals[other]);
}
