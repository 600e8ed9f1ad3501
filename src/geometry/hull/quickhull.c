/* quickhull.c - the hull of points by quickhull (Barber, Dobkin, Huhdanpaa 1996).
 *
 * A tetrahedron of far points grows: every point outside is on the conflict list of one face it sees; the farthest of a list is taken in, the faces it
 * sees make way for a cone of new ones, and their points are dealt out again. Points within the slack of the surface are let go. Which faces a point
 * sees is decided exactly (predicate.h), so the surface is convex and closed at every step whatever the points are; only how far out a point is, is rounded. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/hull/internal.h"
#include "geometry/triangle.h"
#include <string.h>

#define NONE KIN_HULL_NONE
#define ROUNDING 0x1p-49 /* of a height on the grid, and more */

typedef struct face {
    uint32_t v[3], across[3]; /* the face across edge k (corner k to k + 1) */
    kin_plane3 plane;
    uint32_t first, far; /* points outside it: a list, and the farthest of them */
    double depth;        /* of the farthest */
    bool live, seen;     /* seen: by the point that is being added */
} face;

typedef struct list {
    uint32_t* data;
    size_t count, capacity;
} list;

typedef struct hull {
    const kin_allocator* allocator;
    const kin_vec3* points;
    uint32_t point_count;
    double slack;         /* on the grid */
    uint32_t* next;       /* per point: the next on the same list */
    uint32_t* cone_start; /* per point: the new face whose base edge starts there */
    face* faces;
    size_t face_count, face_capacity;
    list unused, waiting, seen, cone; /* faces: free to use again; with points outside; seen by the point; its new ones */
    uint32_t vertex_count;
} hull;

static bool push(hull* h, list* l, uint32_t x)
{
    if (!kin_reserve(h->allocator, (void**)&l->data, &l->capacity, l->count + 1, sizeof *l->data)) return false;
    l->data[l->count++] = x;
    return true;
}

static void list_free(hull* h, list* l) { kin_free(h->allocator, l->data, l->capacity * sizeof *l->data); }

static double height(const face* f, kin_vec3 x) { return kin_dot(f->plane.normal, x) - f->plane.offset; }

static bool new_face(hull* h, uint32_t a, uint32_t b, uint32_t c, uint32_t* out)
{
    if (h->unused.count > 0) {
        *out = h->unused.data[--h->unused.count];
    } else {
        if (!kin_reserve(h->allocator, (void**)&h->faces, &h->face_capacity, h->face_count + 1, sizeof *h->faces)) return false;
        *out = (uint32_t)h->face_count++;
    }
    kin_vec3 n = kin_normalize_or(kin_sharp_normal(h->points[a], h->points[b], h->points[c]), kin_v(0, 0, 0));
    h->faces[*out] = (face){{a, b, c}, {NONE, NONE, NONE}, kin_plane3_through(h->points[a], n), NONE, NONE, 0, true, false};
    return true;
}

/* ---- points on lists ---- */

static void give(hull* h, uint32_t f, uint32_t p, double depth)
{
    face* to = &h->faces[f];
    h->next[p] = to->first;
    to->first = p;
    if (to->far == NONE || depth > to->depth || (depth == to->depth && p < to->far)) to->far = p, to->depth = depth; /* of duplicates, the first */
}

/* Near enough to be let go: nothing that grows over this face can leave p farther out. Over the plane is not enough, beyond a sharp edge it may be far off. */
static bool touches(const hull* h, const face* f, uint32_t p)
{
    kin_feature feature;
    kin_vec3 x = kin_closest_on_triangle(h->points[f->v[0]], h->points[f->v[1]], h->points[f->v[2]], h->points[p], &feature);
    return kin_distance(x, h->points[p]) <= 2 * h->slack;
}

static bool sees(const hull* h, uint32_t eye, const face* f)
{
    return kin_side_of_plane(h->points[f->v[0]], h->points[f->v[1]], h->points[f->v[2]], h->points[eye]) > 0;
}

/* How far p is out of f; whether at all is decided exactly where rounding could have. */
static double depth_of(const hull* h, const face* f, uint32_t p)
{
    double depth = height(f, h->points[p]);
    if (kin_abs(depth) > ROUNDING) return depth;
    return sees(h, p, f) ? kin_max(depth, ROUNDING) : 0;
}

/* To the one of these faces that p is farthest out of. False: it is out of none. */
static bool deal(hull* h, const uint32_t* faces, size_t count, uint32_t p)
{
    double most = 0;
    uint32_t best = NONE;
    for (size_t i = 0; i < count; ++i) {
        double depth = depth_of(h, &h->faces[faces[i]], p);
        if (depth > most) most = depth, best = faces[i];
    }
    if (best == NONE) return false;
    if (most > h->slack || !touches(h, &h->faces[best], p)) give(h, best, p, most);
    return true;
}

/* A point that sees no new face may still see one beyond the cone: rounding. */
static void deal_beyond(hull* h, uint32_t p)
{
    for (size_t i = 0; i < h->cone.count; ++i) {
        uint32_t f = h->faces[h->cone.data[i]].across[0];
        if (deal(h, &f, 1, p)) return;
    }
}

static void deal_out(hull* h, uint32_t f, uint32_t eye)
{
    for (uint32_t p = h->faces[f].first, next; p != NONE; p = next) {
        next = h->next[p];
        if (p != eye && !deal(h, h->cone.data, h->cone.count, p)) deal_beyond(h, p);
    }
    h->faces[f].first = NONE;
}

static void take_off(hull* h, uint32_t f, uint32_t p)
{
    face* from = &h->faces[f];
    uint32_t q = from->first;
    from->first = from->far = NONE;
    while (q != NONE) {
        uint32_t next = h->next[q];
        if (q != p) give(h, f, q, height(from, h->points[q]));
        q = next;
    }
}

static bool queue_waiting(hull* h)
{
    for (size_t i = 0; i < h->cone.count; ++i) {
        uint32_t f = h->cone.data[i], beyond = h->faces[f].across[0];
        if (h->faces[f].first != NONE && !push(h, &h->waiting, f)) return false;
        if (h->faces[beyond].first != NONE && !push(h, &h->waiting, beyond)) return false; /* perhaps twice: harmless */
    }
    return true;
}

/* ---- the first tetrahedron ---- */

/* Faces as a cone over the first: so that points are dealt out as always. */
static bool first_faces(hull* h, const uint32_t c[4])
{
    static const int corners[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    static const uint32_t across[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (uint32_t i = 0; i < 4; ++i) {
        uint32_t f;
        if (!new_face(h, c[corners[i][0]], c[corners[i][1]], c[corners[i][2]], &f) || !push(h, &h->cone, f)) return false;
        memcpy(h->faces[f].across, across[i], sizeof across[i]);
    }
    h->vertex_count = 4;
    for (uint32_t p = 0; p < h->point_count; ++p) {
        if (p != c[0] && p != c[1] && p != c[2] && p != c[3]) deal(h, h->cone.data, 4, p);
    }
    return queue_waiting(h);
}

/* ---- growing ---- */

/* All faces the eye sees: they hang together. */
static bool find_seen(hull* h, uint32_t first, uint32_t eye)
{
    h->seen.count = 0;
    h->faces[first].seen = true;
    if (!push(h, &h->seen, first)) return false;
    for (size_t i = 0; i < h->seen.count; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint32_t f = h->faces[h->seen.data[i]].across[k];
            if (h->faces[f].seen || !sees(h, eye, &h->faces[f])) continue;
            h->faces[f].seen = true;
            if (!push(h, &h->seen, f)) return false;
        }
    }
    return true;
}

static int edge_from(const face* f, uint32_t vertex) { return f->v[0] == vertex ? 0 : f->v[1] == vertex ? 1 : 2; }

/* A new face over each edge between seen and unseen. */
static bool raise_cone(hull* h, uint32_t eye)
{
    h->cone.count = 0;
    for (size_t i = 0; i < h->seen.count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const face* s = &h->faces[h->seen.data[i]];
            uint32_t beyond = s->across[k], a = s->v[k], b = s->v[(k + 1) % 3], f;
            if (h->faces[beyond].seen) continue;
            if (!new_face(h, a, b, eye, &f) || !push(h, &h->cone, f)) return false;
            h->faces[f].across[0] = beyond;
            h->faces[beyond].across[edge_from(&h->faces[beyond], b)] = f;
            h->cone_start[a] = f;
        }
    }
    for (size_t i = 0; i < h->cone.count; ++i) {
        uint32_t f = h->cone.data[i], after = h->cone_start[h->faces[f].v[1]];
        h->faces[f].across[1] = after;
        h->faces[after].across[2] = f;
    }
    return true;
}

static bool add_point(hull* h, uint32_t from, uint32_t eye)
{
    if (!find_seen(h, from, eye) || !raise_cone(h, eye)) return false;
    for (size_t i = 0; i < h->seen.count; ++i) {
        uint32_t f = h->seen.data[i];
        deal_out(h, f, eye);
        h->faces[f].live = h->faces[f].seen = false;
        if (!push(h, &h->unused, f)) return false;
    }
    h->vertex_count += 1;
    return queue_waiting(h);
}

static uint32_t next_waiting(hull* h)
{
    while (h->waiting.count > 0) {
        uint32_t f = h->waiting.data[--h->waiting.count];
        if (h->faces[f].live && h->faces[f].first != NONE) return f;
    }
    return NONE;
}

/* The face whose farthest point is the farthest of all. */
static uint32_t deepest(const hull* h)
{
    uint32_t best = NONE;
    for (uint32_t f = 0; f < h->face_count; ++f) {
        const face* x = &h->faces[f];
        if (x->live && x->first != NONE && (best == NONE || x->depth > h->faces[best].depth)) best = f;
    }
    return best;
}

static bool grow(hull* h, uint32_t most_vertices)
{
    while (most_vertices == 0 || h->vertex_count < most_vertices) {
        uint32_t f = most_vertices == 0 ? next_waiting(h) : deepest(h);
        if (f == NONE) return true;
        uint32_t eye = h->faces[f].far;
        if (!sees(h, eye, &h->faces[f])) { /* as far as rounding made it seem */
            take_off(h, f, eye);
            if (h->faces[f].first != NONE && !push(h, &h->waiting, f)) return false;
        } else if (!add_point(h, f, eye)) {
            return false;
        }
    }
    return true;
}

/* ---- from faces to a surface ---- */

static kin_result hand_over(hull* h, kin_hull_surface* s, kin_hull** out, kin_error* error)
{
    const kin_allocator* a = h->allocator;
    size_t bytes = kin_bytes(h->face_count, sizeof *s->triangles);
    uint32_t* number = kin_alloc(a, kin_bytes(h->face_count, sizeof *number));
    s->triangles = kin_alloc(a, bytes);
    s->across = kin_alloc(a, bytes);
    kin_result result = KIN_OK;
    if (number == NULL || s->triangles == NULL || s->across == NULL) {
        result = kin_fail_memory(error, "a hull", 2 * bytes);
    } else {
        for (uint32_t f = 0; f < h->face_count; ++f)
            if (h->faces[f].live) number[f] = s->triangle_count++;
        for (uint32_t f = 0; f < h->face_count; ++f) {
            if (!h->faces[f].live) continue;
            memcpy(s->triangles[number[f]], h->faces[f].v, sizeof h->faces[f].v);
            for (int k = 0; k < 3; ++k) s->across[number[f]][k] = number[h->faces[f].across[k]];
        }
        result = kin_hull_finish(a, s, out, error);
    }
    kin_free(a, number, kin_bytes(h->face_count, sizeof *number));
    kin_free(a, s->triangles, bytes);
    kin_free(a, s->across, bytes);
    return result;
}

static kin_result quickhull(hull* h, kin_hull_surface* s, uint32_t most_vertices, kin_hull** out, kin_error* error)
{
    size_t bytes = kin_bytes(h->point_count, sizeof *h->next);
    h->next = kin_alloc(h->allocator, bytes);
    h->cone_start = kin_alloc(h->allocator, bytes);
    uint32_t corners[4];
    kin_result result = h->next == NULL || h->cone_start == NULL ? kin_fail_memory(error, "a hull", 2 * bytes)
                                                                 : kin_hull_corners(h->points, h->point_count, h->slack, corners, error);
    if (result == KIN_OK && !(first_faces(h, corners) && grow(h, most_vertices))) result = kin_fail_memory(error, "a hull", bytes);
    if (result == KIN_OK) result = hand_over(h, s, out, error);
    list_free(h, &h->unused);
    list_free(h, &h->waiting);
    list_free(h, &h->seen);
    list_free(h, &h->cone);
    kin_free(h->allocator, h->faces, h->face_capacity * sizeof *h->faces);
    kin_free(h->allocator, h->next, bytes);
    kin_free(h->allocator, h->cone_start, bytes);
    return result;
}

kin_result kin_hull_create(const kin_allocator* allocator, const kin_vec3* points, size_t count, uint32_t most_vertices, kin_hull** out, kin_error* error)
{
    *out = NULL;
    if (most_vertices > 0 && most_vertices < 4) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "a hull of at most %u vertices: it needs 4", most_vertices);
    kin_vec3* snapped = NULL;
    kin_hull_surface s = {.given = points, .point_count = (uint32_t)count};
    kin_result result = kin_hull_points(allocator, points, count, &s.snap, &snapped, error);
    if (result != KIN_OK) return result;
    s.points = snapped;
    hull h = {.allocator = allocator, .points = snapped, .point_count = (uint32_t)count, .slack = s.snap.noise * s.snap.scale};
    result = quickhull(&h, &s, most_vertices, out, error);
    kin_free(allocator, snapped, kin_bytes(count, sizeof *snapped));
    return result;
}
