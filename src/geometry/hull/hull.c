/* hull.c - a finished hull: asked, drawn, let go. */
#include "geometry/hull/hull.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/hull/convex_face.h"
#include "geometry/hull/internal.h"
#include "geometry/mesh_internal.h"

kin_result kin_hull_points(const kin_allocator* allocator, const kin_vec3* given, size_t count, kin_snap* snap, kin_vec3** points, kin_error* error)
{
    if (count < 4) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "%zu points: a hull needs 4", count);
    if (count > KIN_MESH_LIMIT) return kin_fail(error, KIN_ERROR_LIMIT, "", "%zu points: at most %u", count, KIN_MESH_LIMIT);
    for (size_t i = 0; i < count; ++i) {
        kin_vec3 p = given[i];
        if (!kin_finite3(p)) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "point %zu (%g, %g, %g) is not finite", i, p.x, p.y, p.z);
        if (kin_largest(kin_abs3(p)) > KIN_MESH_REACH)
            return kin_fail(error, KIN_ERROR_ARGUMENT, "", "point %zu is farther than %g m from the origin", i, KIN_MESH_REACH);
    }
    *snap = kin_snap_of(given, count);
    *points = kin_alloc(allocator, kin_bytes(count, sizeof **points));
    if (*points == NULL) return kin_fail_memory(error, "a hull", kin_bytes(count, sizeof **points));
    for (size_t i = 0; i < count; ++i) (*points)[i] = kin_snap_apply(*snap, given[i]);
    return KIN_OK;
}

void kin_hull_destroy(kin_hull* h)
{
    if (h == NULL) return;
    kin_allocator a = h->allocator;
    kin_free(&a, h->vertices, kin_bytes(h->vertex_count, sizeof *h->vertices));
    kin_free(&a, h->sources, kin_bytes(h->vertex_count, sizeof *h->sources));
    kin_free(&a, h->vertex_edge, kin_bytes(h->vertex_count, sizeof *h->vertex_edge));
    kin_free(&a, h->edges, kin_bytes(h->edge_count, sizeof *h->edges));
    kin_free(&a, h->planes, kin_bytes(h->face_count, sizeof *h->planes));
    kin_free(&a, h->face_edge, kin_bytes(h->face_count, sizeof *h->face_edge));
    kin_free(&a, h, sizeof *h);
}

size_t kin_hull_bytes(const kin_hull* h)
{
    size_t per_vertex = sizeof *h->vertices + sizeof *h->sources + sizeof *h->vertex_edge, per_face = sizeof *h->planes + sizeof *h->face_edge;
    return sizeof *h + per_vertex * h->vertex_count + sizeof *h->edges * h->edge_count + per_face * h->face_count;
}

/* ---- questions ---- */

uint32_t kin_hull_support(const kin_hull* hull, kin_vec3 d)
{
    uint32_t best = 0;
    double most = kin_dot(hull->vertices[0], d);
    for (uint32_t v = 1; v < hull->vertex_count; ++v) {
        double along = kin_dot(hull->vertices[v], d);
        if (along > most) most = along, best = v;
    }
    return best;
}

/* How much higher v is than the vertex at: of their difference, which is exact where they are close. */
static double rise(const kin_hull* hull, uint32_t at, uint32_t v, kin_vec3 d) { return kin_dot(kin_sub(hull->vertices[v], hull->vertices[at]), d); }

static uint32_t highest_neighbour(const kin_hull* hull, kin_vec3 d, uint32_t at)
{
    uint32_t first = hull->vertex_edge[at], e = first, best = at;
    double most = 0;
    do {
        uint32_t v = hull->edges[e ^ 1].origin;
        double up = rise(hull, at, v, d);
        if (up > most) most = up, best = v;
        e = hull->edges[e ^ 1].next;
    } while (e != first);
    return best;
}

/* A face is flat to the slack, and across an edge as short as that the next corner may lie lower though those farther round the face lie higher. */
static uint32_t highest_of_faces(const kin_hull* hull, kin_vec3 d, uint32_t at)
{
    uint32_t first = hull->vertex_edge[at], e = first, best = at;
    double most = 0;
    do {
        for (uint32_t k = hull->edges[hull->edges[e].next].next; hull->edges[k].next != e && k != e; k = hull->edges[k].next) {
            double up = rise(hull, at, hull->edges[k].origin, d);
            if (up > most) most = up, best = hull->edges[k].origin;
        }
        e = hull->edges[e ^ 1].next;
    } while (e != first);
    return best;
}

/* Strictly up; the cap is for circles within rounding. */
uint32_t kin_hull_climb(const kin_hull* hull, kin_vec3 d, uint32_t from)
{
    uint32_t at = from < hull->vertex_count ? from : 0;
    for (uint32_t i = 0; i < hull->vertex_count; ++i) {
        uint32_t up = highest_neighbour(hull, d, at);
        if (up == at) up = highest_of_faces(hull, d, at);
        if (up == at) break;
        at = up;
    }
    return at;
}

double kin_hull_outside(const kin_hull* hull, kin_vec3 x)
{
    double most = -__builtin_inf();
    for (uint32_t f = 0; f < hull->face_count; ++f) most = kin_max(most, kin_dot(hull->planes[f].normal, x) - hull->planes[f].offset);
    return most;
}

/* ---- as a mesh ---- */

static uint32_t ring_of(const kin_hull* hull, uint32_t f, uint32_t* ring)
{
    uint32_t n = 0, first = hull->face_edge[f], e = first;
    do {
        ring[n++] = hull->edges[e].origin;
        e = hull->edges[e].next;
    } while (e != first);
    return n;
}

kin_result kin_hull_mesh(const kin_hull* hull, const kin_allocator* allocator, kin_mesh** out, kin_error* error)
{
    *out = NULL;
    uint32_t count = hull->edge_count - 2 * hull->face_count, made = 0;
    size_t bytes = kin_bytes(count, 3 * sizeof(uint32_t)), ring_bytes = kin_bytes(hull->edge_count, sizeof(uint32_t));
    uint32_t(*triangles)[3] = kin_alloc(allocator, bytes);
    uint32_t* ring = kin_alloc(allocator, ring_bytes);
    kin_result result = KIN_OK;
    if (triangles == NULL || ring == NULL) {
        result = kin_fail_memory(error, "the mesh of a hull", bytes + ring_bytes);
    } else {
        for (uint32_t f = 0; f < hull->face_count; ++f) {
            uint32_t n = ring_of(hull, f, ring);
            kin_convex_face_triangles(hull->vertices, ring, n, triangles + made);
            made += n - 2;
        }
        kin_mesh_view view = {hull->vertices, hull->vertex_count, NULL, triangles[0], count};
        result = kin_mesh_create(allocator, &view, out, error);
    }
    kin_free(allocator, triangles, bytes);
    kin_free(allocator, ring, ring_bytes);
    return result;
}
