/* mesh.c - from a caller's polygons to checked triangles. Topology (neighbours, stars, normals) is in mesh_topology.c. */
#include "geometry/mesh.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/mesh_internal.h"
#include "geometry/polygon.h"
#include "geometry/weld.h"
#include <string.h>

static kin_result check_places(const kin_vec3* vertices, size_t count, kin_error* error)
{
    for (size_t i = 0; i < count; ++i) {
        kin_vec3 v = vertices[i];
        if (!kin_finite3(v)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "vertex %zu (%g, %g, %g) is not finite", i, v.x, v.y, v.z);
        if (kin_largest(kin_abs3(v)) > KIN_MESH_REACH)
            return kin_fail(error, KIN_ERROR_ARGUMENT, "", "vertex %zu is farther than %g m from the origin", i, KIN_MESH_REACH);
    }
    return KIN_OK;
}

static kin_result check_vertices(const kin_mesh_view* view, kin_error* error)
{
    if (view->vertex_count == 0 || view->face_count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the mesh has no faces");
    if (view->vertices == NULL || view->corners == NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the mesh has counts but no data");
    if (view->vertex_count > KIN_MESH_LIMIT || view->face_count > KIN_MESH_LIMIT) {
        return kin_fail(error, KIN_ERROR_LIMIT, "", "%zu vertices and %zu faces: at most %u of each", view->vertex_count, view->face_count, KIN_MESH_LIMIT);
    }
    return check_places(view->vertices, view->vertex_count, error);
}

static kin_result check_face(const kin_mesh_view* view, size_t face, const uint32_t* corners, uint32_t size, kin_error* error)
{
    if (size < 3) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "face %zu has %u corners: it needs 3 or more", face, size);
    if (size > KIN_POLYGON_MAX_CORNERS) {
        return kin_fail(error, KIN_ERROR_LIMIT, "", "face %zu has %u corners: at most %d", face, size, KIN_POLYGON_MAX_CORNERS);
    }
    for (uint32_t i = 0; i < size; ++i) {
        if (corners[i] >= view->vertex_count) {
            return kin_fail(error, KIN_ERROR_ARGUMENT, "", "face %zu: corner %u is vertex %u, but there are %zu vertices", face, i, corners[i],
                            view->vertex_count);
        }
        for (uint32_t j = 0; j < i; ++j) {
            if (corners[j] == corners[i])
                return kin_fail(error, KIN_ERROR_ARGUMENT, "", "face %zu: corners %u and %u are both vertex %u", face, j, i, corners[i]);
        }
    }
    return KIN_OK;
}

/* Checks all faces; *triangles bounds how many triangles they make. */
static kin_result check_faces(const kin_mesh_view* view, size_t* triangles, kin_error* error)
{
    size_t begin = 0, sum = 0;
    for (size_t f = 0; f < view->face_count; ++f) {
        uint32_t size = view->face_sizes != NULL ? view->face_sizes[f] : 3;
        kin_result result = check_face(view, f, view->corners + begin, size, error);
        if (result != KIN_OK) return result;
        begin += size;
        sum += size - 2;
    }
    if (sum > KIN_MESH_LIMIT) return kin_fail(error, KIN_ERROR_LIMIT, "", "the faces make %zu triangles: at most %u", sum, KIN_MESH_LIMIT);
    *triangles = sum;
    return KIN_OK;
}

/* Longest edge squared against height: below 1e-12 a triangle has no usable normal. */
bool kin_mesh_triangle_normal(const kin_vec3* vertices, const uint32_t triangle[3], kin_vec3* unit_normal)
{
    kin_vec3 a = vertices[triangle[0]], b = vertices[triangle[1]], c = vertices[triangle[2]];
    kin_vec3 n = kin_cross(kin_sub(b, a), kin_sub(c, a));
    double longest2 = kin_max(kin_length2(kin_sub(b, a)), kin_max(kin_length2(kin_sub(c, b)), kin_length2(kin_sub(a, c))));
    double length = kin_length(n);
    if (length <= 1e-12 * longest2 || length == 0) return false;
    *unit_normal = kin_scale(n, 1 / length);
    return true;
}

static void keep_triangle(kin_mesh* mesh, const uint32_t triangle[3], uint32_t face)
{
    kin_vec3 normal;
    if (!kin_mesh_triangle_normal(mesh->vertices, triangle, &normal)) {
        mesh->dropped += 1;
        return;
    }
    uint32_t t = mesh->triangle_count++;
    memcpy(mesh->triangles[t], triangle, sizeof mesh->triangles[t]);
    mesh->normals[t] = normal;
    mesh->faces[t] = face;
}

/* Corners at one place were welded: the ring may have shrunk. */
static uint32_t weld_ring(const uint32_t* first, const uint32_t* corners, uint32_t size, uint32_t* ring)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < size; ++i) {
        uint32_t v = first[corners[i]];
        if (n == 0 || ring[n - 1] != v) ring[n++] = v;
    }
    while (n > 1 && ring[n - 1] == ring[0]) n -= 1;
    return n;
}

static kin_result add_face(kin_mesh* mesh, const uint32_t* first, size_t face, const uint32_t* corners, uint32_t size, kin_error* error)
{
    uint32_t ring[KIN_POLYGON_MAX_CORNERS], triangles[KIN_POLYGON_MAX_CORNERS - 2][3];
    uint32_t n = weld_ring(first, corners, size, ring);
    kin_polygon_kind kind = n < 3 ? KIN_POLYGON_FLAT : n == 3 ? KIN_POLYGON_CONVEX : kin_polygon_classify(mesh->vertices, ring, n);
    if (kind == KIN_POLYGON_COMPLEX) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "face %zu crosses or touches itself", face);
    if (kind == KIN_POLYGON_FLAT) {
        mesh->dropped += 1;
        return KIN_OK;
    }
    if (n == 3) {
        keep_triangle(mesh, ring, (uint32_t)face);
        return KIN_OK;
    }
    kin_polygon_triangulate(mesh->vertices, ring, n, triangles);
    for (uint32_t i = 0; i + 2 < n; ++i) keep_triangle(mesh, triangles[i], (uint32_t)face);
    return KIN_OK;
}

static kin_result add_faces(kin_mesh* mesh, const kin_mesh_view* view, kin_error* error)
{
    const uint32_t* first = mesh->star_begin; /* lent as scratch until the stars are made: the lowest vertex at each one's place */
    size_t begin = 0;
    for (size_t f = 0; f < view->face_count; ++f) {
        uint32_t size = view->face_sizes != NULL ? view->face_sizes[f] : 3;
        kin_result result = add_face(mesh, first, f, view->corners + begin, size, error);
        if (result != KIN_OK) return result;
        begin += size;
    }
    return mesh->triangle_count > 0 ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, "", "no face of the mesh has an area");
}

static void find_bounds(kin_mesh* mesh)
{
    kin_vec3 low = mesh->vertices[mesh->triangles[0][0]], high = low;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            low = kin_min3(low, mesh->vertices[mesh->triangles[t][k]]);
            high = kin_max3(high, mesh->vertices[mesh->triangles[t][k]]);
        }
    }
    mesh->bounds = (kin_aabb){low, high};
}

/* Arrays are sized for the most triangles the faces can make; few faces are ever dropped. */
static kin_result allocate(kin_mesh* mesh, size_t vertex_count, size_t triangles, kin_error* error)
{
    const kin_allocator* a = &mesh->allocator;
    mesh->vertex_count = (uint32_t)vertex_count;
    mesh->capacity = (uint32_t)triangles;
    mesh->vertices = kin_alloc(a, kin_bytes(vertex_count, sizeof *mesh->vertices));
    mesh->vertex_normals = kin_alloc(a, kin_bytes(vertex_count, sizeof *mesh->vertex_normals));
    mesh->star_begin = kin_alloc(a, kin_bytes(vertex_count + 1, sizeof *mesh->star_begin));
    mesh->star = kin_alloc(a, kin_bytes(3 * triangles, sizeof *mesh->star));
    mesh->triangles = kin_alloc(a, kin_bytes(triangles, sizeof *mesh->triangles));
    mesh->faces = kin_alloc(a, kin_bytes(triangles, sizeof *mesh->faces));
    mesh->normals = kin_alloc(a, kin_bytes(triangles, sizeof *mesh->normals));
    mesh->neighbors = kin_alloc(a, kin_bytes(triangles, sizeof *mesh->neighbors));
    bool ok = mesh->vertices != NULL && mesh->vertex_normals != NULL && mesh->star_begin != NULL && mesh->star != NULL && mesh->triangles != NULL
              && mesh->faces != NULL && mesh->normals != NULL && mesh->neighbors != NULL;
    return ok ? KIN_OK : kin_fail_memory(error, "a mesh", kin_mesh_bytes(mesh));
}

static kin_result fill(kin_mesh* mesh, const kin_mesh_view* view, size_t triangles, kin_error* error)
{
    kin_result result = allocate(mesh, view->vertex_count, triangles, error);
    if (result != KIN_OK) return result;
    memcpy(mesh->vertices, view->vertices, view->vertex_count * sizeof *mesh->vertices);
    /* Files split vertices at seams of colour or texture: without welding such a mesh would look open. */
    if (!kin_weld(&mesh->allocator, mesh->vertices, mesh->vertex_count, mesh->star_begin))
        return kin_fail_memory(error, "welding a mesh", view->vertex_count * 24);
    result = add_faces(mesh, view, error);
    if (result != KIN_OK) return result;
    find_bounds(mesh);
    if (!kin_mesh_connect(mesh)) return kin_fail_memory(error, "the edges of a mesh", (size_t)mesh->triangle_count * 72);
    return KIN_OK;
}

kin_result kin_mesh_create(const kin_allocator* allocator, const kin_mesh_view* view, kin_mesh** out, kin_error* error)
{
    *out = NULL;
    size_t triangles = 0;
    kin_result result = check_vertices(view, error);
    if (result == KIN_OK) result = check_faces(view, &triangles, error);
    if (result != KIN_OK) return result;
    kin_mesh* mesh = kin_alloc_zero(allocator, sizeof *mesh);
    if (mesh == NULL) return kin_fail_memory(error, "a mesh", sizeof *mesh);
    mesh->allocator = *allocator;
    result = fill(mesh, view, triangles, error);
    if (result == KIN_OK)
        *out = mesh;
    else
        kin_mesh_destroy(mesh);
    return result;
}

kin_result kin_mesh_move(kin_mesh* mesh, const kin_vec3* vertices, kin_error* error)
{
    kin_result result = check_places(vertices, mesh->vertex_count, error);
    if (result != KIN_OK) return result;
    if (vertices != mesh->vertices) memcpy(mesh->vertices, vertices, mesh->vertex_count * sizeof *mesh->vertices);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        kin_vec3 normal;
        if (kin_mesh_triangle_normal(mesh->vertices, mesh->triangles[t], &normal)) mesh->normals[t] = normal;
    }
    find_bounds(mesh);
    kin_mesh_find_vertex_normals(mesh);
    return KIN_OK;
}

void kin_mesh_destroy(kin_mesh* mesh)
{
    if (mesh == NULL) return;
    kin_allocator a = mesh->allocator;
    size_t v = mesh->vertex_count, t = mesh->capacity;
    kin_free(&a, mesh->vertices, kin_bytes(v, sizeof *mesh->vertices));
    kin_free(&a, mesh->vertex_normals, kin_bytes(v, sizeof *mesh->vertex_normals));
    kin_free(&a, mesh->star_begin, kin_bytes(v + 1, sizeof *mesh->star_begin));
    kin_free(&a, mesh->star, kin_bytes(3 * t, sizeof *mesh->star));
    kin_free(&a, mesh->triangles, kin_bytes(t, sizeof *mesh->triangles));
    kin_free(&a, mesh->faces, kin_bytes(t, sizeof *mesh->faces));
    kin_free(&a, mesh->normals, kin_bytes(t, sizeof *mesh->normals));
    kin_free(&a, mesh->neighbors, kin_bytes(t, sizeof *mesh->neighbors));
    kin_free(&a, mesh, sizeof *mesh);
}

size_t kin_mesh_bytes(const kin_mesh* mesh)
{
    size_t per_vertex = sizeof *mesh->vertices + sizeof *mesh->vertex_normals + sizeof *mesh->star_begin;
    size_t per_triangle = 3 * sizeof *mesh->star + sizeof *mesh->triangles + sizeof *mesh->faces + sizeof *mesh->normals + sizeof *mesh->neighbors;
    return sizeof *mesh + per_vertex * mesh->vertex_count + per_triangle * mesh->capacity;
}
