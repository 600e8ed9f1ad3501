/* poly.c - a polyhedron being worked on. */
#include "geometry/cut/poly.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "geometry/mesh_internal.h"
#include "geometry/polygon.h"
#include "geometry/weld.h"
#include <string.h>

void kin_poly_init(kin_poly* poly, const kin_allocator* allocator) { *poly = (kin_poly){.allocator = *allocator}; }

void kin_poly_term(kin_poly* poly)
{
    kin_allocator allocator = poly->allocator;
    const kin_allocator* a = &allocator;
    kin_free(a, poly->vertices, kin_bytes(poly->vertex_room, sizeof *poly->vertices));
    kin_free(a, poly->corners, kin_bytes(poly->corner_room, sizeof *poly->corners));
    kin_free(a, poly->begin, kin_bytes(poly->begin_room, sizeof *poly->begin));
    kin_free(a, poly->sizes, kin_bytes(poly->size_room, sizeof *poly->sizes));
    kin_free(a, poly->tags, kin_bytes(poly->tag_room, sizeof *poly->tags));
    kin_poly_init(poly, a);
}

void kin_poly_clear(kin_poly* poly) { poly->vertex_count = poly->corner_count = poly->face_count = 0; }

static bool reserve(kin_poly* p, size_t vertices, size_t faces, size_t corners)
{
    const kin_allocator* a = &p->allocator;
    return kin_reserve(a, (void**)&p->vertices, &p->vertex_room, vertices, sizeof *p->vertices)
           && kin_reserve(a, (void**)&p->corners, &p->corner_room, corners, sizeof *p->corners)
           && kin_reserve(a, (void**)&p->begin, &p->begin_room, faces, sizeof *p->begin)
           && kin_reserve(a, (void**)&p->sizes, &p->size_room, faces, sizeof *p->sizes)
           && kin_reserve(a, (void**)&p->tags, &p->tag_room, faces, sizeof *p->tags);
}

bool kin_poly_add_vertex(kin_poly* poly, kin_vec3 v)
{
    if (!reserve(poly, poly->vertex_count + 1, poly->face_count, poly->corner_count)) return false;
    poly->vertices[poly->vertex_count++] = v;
    return true;
}

bool kin_poly_add_face(kin_poly* poly, const uint32_t* corners, uint32_t size, uint32_t tag)
{
    if (!reserve(poly, poly->vertex_count, poly->face_count + 1, poly->corner_count + size)) return false;
    size_t f = poly->face_count++;
    poly->begin[f] = (uint32_t)poly->corner_count;
    poly->sizes[f] = size;
    poly->tags[f] = tag;
    memcpy(poly->corners + poly->corner_count, corners, size * sizeof *corners);
    poly->corner_count += size;
    return true;
}

bool kin_poly_append(kin_poly* poly, const kin_poly* other)
{
    size_t v = poly->vertex_count, f = poly->face_count, c = poly->corner_count;
    if (!reserve(poly, v + other->vertex_count, f + other->face_count, c + other->corner_count)) return false;
    for (size_t i = 0; i < other->vertex_count; ++i) poly->vertices[v + i] = other->vertices[i];
    for (size_t i = 0; i < other->corner_count; ++i) poly->corners[c + i] = other->corners[i] + (uint32_t)v;
    for (size_t i = 0; i < other->face_count; ++i) {
        poly->begin[f + i] = other->begin[i] + (uint32_t)c;
        poly->sizes[f + i] = other->sizes[i];
        poly->tags[f + i] = other->tags[i];
    }
    poly->vertex_count += other->vertex_count;
    poly->face_count += other->face_count;
    poly->corner_count += other->corner_count;
    return true;
}

bool kin_poly_copy(kin_poly* to, const kin_poly* from)
{
    kin_poly_clear(to);
    return kin_poly_append(to, from);
}

static kin_result check_view(const kin_mesh_view* view, kin_error* error)
{
    if (view->vertex_count > KIN_MESH_LIMIT || view->face_count > KIN_MESH_LIMIT)
        return kin_fail(error, KIN_ERROR_LIMIT, "", "%zu vertices and %zu faces: at most %u of each", view->vertex_count, view->face_count, KIN_MESH_LIMIT);
    if ((view->vertex_count > 0 && view->vertices == NULL) || (view->face_count > 0 && view->corners == NULL))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "the mesh has counts but no data");
    for (size_t i = 0; i < view->vertex_count; ++i) {
        kin_vec3 v = view->vertices[i];
        if (!kin_finite3(v) || kin_largest(kin_abs3(v)) > KIN_MESH_REACH)
            return kin_fail(error, KIN_ERROR_ARGUMENT, "", "vertex %zu (%g, %g, %g) is not within %g m of the origin", i, v.x, v.y, v.z, KIN_MESH_REACH);
    }
    for (size_t f = 0, at = 0; f < view->face_count; ++f) {
        uint32_t size = view->face_sizes != NULL ? view->face_sizes[f] : 3;
        if (size > KIN_POLYGON_MAX_CORNERS)
            return kin_fail(error, KIN_ERROR_LIMIT, "", "face %zu has %u corners: at most %d", f, size, KIN_POLYGON_MAX_CORNERS);
        for (uint32_t k = 0; k < size; ++k) {
            if (view->corners[at + k] >= view->vertex_count)
                return kin_fail(error, KIN_ERROR_ARGUMENT, "", "face %zu: corner %u is vertex %u, but there are %zu vertices", f, k, view->corners[at + k],
                                view->vertex_count);
        }
        at += size;
    }
    return KIN_OK;
}

static bool read_parts(kin_poly* poly, const kin_mesh_view* view)
{
    for (size_t i = 0; i < view->vertex_count; ++i) {
        if (!kin_poly_add_vertex(poly, view->vertices[i])) return false;
    }
    for (size_t f = 0, at = 0; f < view->face_count; ++f) {
        uint32_t size = view->face_sizes != NULL ? view->face_sizes[f] : 3;
        if (!kin_poly_add_face(poly, view->corners + at, size, (uint32_t)f)) return false;
        at += size;
    }
    return true;
}

static bool weld_exactly(kin_poly* poly)
{
    size_t bytes = kin_bytes(poly->vertex_count, sizeof(uint32_t));
    uint32_t* first = kin_alloc(&poly->allocator, bytes);
    bool ok = poly->vertex_count == 0 || (first != NULL && kin_weld(&poly->allocator, poly->vertices, (uint32_t)poly->vertex_count, first));
    for (size_t i = 0; ok && i < poly->corner_count; ++i) poly->corners[i] = first[poly->corners[i]];
    kin_free(&poly->allocator, first, bytes);
    return ok;
}

kin_result kin_poly_read(kin_poly* poly, const kin_mesh_view* view, kin_error* error)
{
    kin_poly_clear(poly);
    kin_result result = check_view(view, error);
    if (result != KIN_OK) return result;
    if (!read_parts(poly, view) || !weld_exactly(poly)) return kin_fail_memory(error, "a polyhedron", view->vertex_count * 48);
    return KIN_OK;
}

kin_mesh_view kin_poly_view(const kin_poly* poly) { return (kin_mesh_view){poly->vertices, poly->vertex_count, poly->sizes, poly->corners, poly->face_count}; }

kin_result kin_poly_mesh(const kin_poly* poly, const kin_allocator* allocator, kin_mesh** out, kin_error* error)
{
    kin_mesh_view view = kin_poly_view(poly);
    return kin_mesh_create(allocator, &view, out, error);
}

bool kin_poly_compact(kin_poly* poly)
{
    size_t bytes = kin_bytes(poly->vertex_count, sizeof(uint32_t));
    uint32_t *number = kin_alloc_zero(&poly->allocator, bytes), next = 0;
    if (number == NULL) return poly->vertex_count == 0;
    for (size_t i = 0; i < poly->corner_count; ++i) number[poly->corners[i]] = 1;
    for (size_t v = 0; v < poly->vertex_count; ++v) {
        if (number[v] == 0) continue;
        poly->vertices[next] = poly->vertices[v];
        number[v] = next++;
    }
    for (size_t i = 0; i < poly->corner_count; ++i) poly->corners[i] = number[poly->corners[i]];
    poly->vertex_count = next;
    kin_free(&poly->allocator, number, bytes);
    return true;
}

kin_aabb kin_poly_bounds(const kin_poly* poly)
{
    kin_aabb box = {{1e308, 1e308, 1e308}, {-1e308, -1e308, -1e308}};
    for (size_t v = 0; v < poly->vertex_count; ++v) {
        box.low = kin_min3(box.low, poly->vertices[v]);
        box.high = kin_max3(box.high, poly->vertices[v]);
    }
    return box;
}

double kin_poly_volume(const kin_poly* poly)
{
    if (poly->vertex_count == 0) return 0;
    kin_aabb box = kin_poly_bounds(poly);
    kin_vec3 middle = kin_lerp(box.low, box.high, 0.5);
    double sum = 0;
    for (size_t f = 0; f < poly->face_count; ++f) {
        const uint32_t* c = kin_poly_corners(poly, f);
        if (poly->sizes[f] < 3) continue;
        kin_vec3 a = kin_sub(poly->vertices[c[0]], middle);
        for (uint32_t k = 1; k + 1 < poly->sizes[f]; ++k)
            sum += kin_triple(a, kin_sub(poly->vertices[c[k]], middle), kin_sub(poly->vertices[c[k + 1]], middle));
    }
    return sum / 6;
}

kin_vec3 kin_poly_normal(const kin_poly* poly, size_t face) { return kin_polygon_normal(poly->vertices, kin_poly_corners(poly, face), poly->sizes[face]); }

/* ---- components ---- */

typedef struct groups {
    uint64_t *keys, *scratch_keys;
    uint32_t *halves, *scratch_halves; /* the face of each corner */
} groups;

static uint32_t root(uint32_t* parent, uint32_t f)
{
    while (parent[f] != f) f = parent[f] = parent[parent[f]];
    return f;
}

/* Faces that share an edge, whatever its direction, join under the lower number. */
static void join_faces(const kin_poly* p, groups* g, uint32_t* parent)
{
    for (uint32_t f = 0; f < p->face_count; ++f) {
        const uint32_t* c = kin_poly_corners(p, f);
        parent[f] = f;
        for (uint32_t k = 0; k < p->sizes[f]; ++k) {
            uint64_t a = c[k], b = c[(k + 1) % p->sizes[f]];
            g->keys[p->begin[f] + k] = a < b ? a << 32 | b : b << 32 | a;
            g->halves[p->begin[f] + k] = f;
        }
    }
    kin_sort_keys(g->keys, g->halves, g->scratch_keys, g->scratch_halves, p->corner_count);
    for (size_t i = 1; i < p->corner_count; ++i) {
        if (g->keys[i] != g->keys[i - 1]) continue;
        uint32_t a = root(parent, g->halves[i - 1]), b = root(parent, g->halves[i]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
}

/* Roots come before all that hang on them: one pass gives the numbers. */
static uint32_t number_roots(const kin_poly* p, uint32_t* component)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < p->face_count; ++f) component[f] = root(component, f);
    for (uint32_t f = 0; f < p->face_count; ++f) component[f] = component[f] == f ? count++ : component[component[f]];
    return count;
}

uint32_t kin_poly_components(const kin_poly* poly, uint32_t* component)
{
    const kin_allocator* a = &poly->allocator;
    size_t n = poly->corner_count, key_bytes = kin_bytes(n, sizeof(uint64_t)), half_bytes = kin_bytes(n, sizeof(uint32_t));
    groups g = {.keys = kin_alloc(a, key_bytes), .scratch_keys = kin_alloc(a, key_bytes)};
    g.halves = kin_alloc(a, half_bytes);
    g.scratch_halves = kin_alloc(a, half_bytes);
    uint32_t count = 0;
    if (g.keys != NULL && g.scratch_keys != NULL && g.halves != NULL && g.scratch_halves != NULL) {
        join_faces(poly, &g, component);
        count = number_roots(poly, component);
    }
    kin_free(a, g.keys, key_bytes);
    kin_free(a, g.scratch_keys, key_bytes);
    kin_free(a, g.halves, half_bytes);
    kin_free(a, g.scratch_halves, half_bytes);
    return count;
}
