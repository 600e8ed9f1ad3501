/* wrap.c - the hull of points by gift wrapping (C2.2.4): the cross-check of quickhull, O(points x faces).
 *
 * As in the text, each open edge of the surface is turned over until its plane meets the outermost points; an edge seen for the second time is closed. The
 * text's three pitfalls are met here so: a plane that holds more than three points gives one polygon (their hull in the plane), not triangles that could
 * overlap; points lowest in y are told apart by x; and where several points fall on one line of the projection, the plane across it is the first face. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/hull/internal.h"
#include "geometry/weld.h"

#define NONE KIN_HULL_NONE

typedef struct edge { /* open: the face on its right is not known */
    uint32_t from, to;
    uint32_t left; /* the triangle there: 3 triangle + side */
} edge;

typedef struct wrap {
    const kin_allocator* allocator;
    const kin_vec3* p;
    uint32_t* each; /* one point of every place */
    uint32_t count;
    uint32_t *plane, *ring; /* points in the plane at hand; their hull */
    uint32_t plane_count, ring_count;
    edge* open;
    size_t open_count, open_capacity;
    uint32_t (*triangles)[3];
    uint32_t (*across)[3];
    size_t triangle_count, triangle_capacity, across_capacity;
} wrap;

static int side(const wrap* w, uint32_t a, uint32_t b, uint32_t c, uint32_t p) { return kin_side_of_plane(w->p[a], w->p[b], w->p[c], w->p[p]); }
static bool collinear(const wrap* w, uint32_t a, uint32_t b, uint32_t c)
{
    for (int axis = 0; axis < 3; ++axis)
        if (kin_side_of_line(w->p[a], w->p[b], w->p[c], axis) != 0) return false;
    return true;
}

/* ---- the hull of the points of one plane ---- */

/* Turned about `from`, is p beyond to, seen from the side where axis (with its sign) points? On the line, the farther one. */
static bool beyond(const wrap* w, uint32_t from, uint32_t to, uint32_t p, int axis, int sign)
{
    int turn = sign * kin_side_of_line(w->p[from], w->p[to], w->p[p], axis);
    return turn < 0 || (turn == 0 && kin_length2(kin_sub(w->p[p], w->p[from])) > kin_length2(kin_sub(w->p[to], w->p[from])));
}

/* Jarvis's march: ring runs counter-clockwise seen from where the normal points. False: it does not close, which exact sides rule out. */
static bool ring_of_plane(wrap* w, kin_vec3 normal)
{
    kin_vec3 size = kin_abs3(normal);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    int sign = kin_component(normal, axis) > 0 ? 1 : -1;
    int first = (axis + 1) % 3, second = (axis + 2) % 3;
    uint32_t start = w->plane[0];
    for (uint32_t i = 1; i < w->plane_count; ++i) {
        double a = kin_component(w->p[w->plane[i]], first), b = kin_component(w->p[start], first);
        if (a < b || (a == b && kin_component(w->p[w->plane[i]], second) < kin_component(w->p[start], second))) start = w->plane[i];
    }
    w->ring_count = 0;
    uint32_t at = start;
    do {
        if (w->ring_count == w->plane_count) return false;
        w->ring[w->ring_count++] = at;
        uint32_t to = NONE;
        for (uint32_t i = 0; i < w->plane_count; ++i) {
            uint32_t p = w->plane[i];
            if (p != at && (to == NONE || beyond(w, at, to, p, axis, sign))) to = p;
        }
        at = to;
    } while (at != NONE && at != start);
    return w->ring_count >= 3;
}

/* The face in the plane of a, b, c, which is supporting, with the outside where they run counter-clockwise. */
static bool find_face(wrap* w, uint32_t a, uint32_t b, uint32_t c)
{
    w->plane_count = 0;
    for (uint32_t i = 0; i < w->count; ++i)
        if (side(w, a, b, c, w->each[i]) == 0) w->plane[w->plane_count++] = w->each[i];
    return ring_of_plane(w, kin_sharp_normal(w->p[a], w->p[b], w->p[c]));
}

/* ---- the surface ---- */

/* The open edge b to a closes a to b, if there is one; else a to b opens. */
static bool meet(wrap* w, uint32_t a, uint32_t b, uint32_t half)
{
    for (size_t i = 0; i < w->open_count; ++i) {
        if (w->open[i].from != b || w->open[i].to != a) continue;
        uint32_t other = w->open[i].left;
        w->across[half / 3][half % 3] = other / 3;
        w->across[other / 3][other % 3] = half / 3;
        w->open[i] = w->open[--w->open_count];
        return true;
    }
    if (!kin_reserve(w->allocator, (void**)&w->open, &w->open_capacity, w->open_count + 1, sizeof *w->open)) return false;
    w->open[w->open_count++] = (edge){a, b, half};
    return true;
}

/* The ring as a fan. Its inner edges open and close on the way. */
static bool add_face(wrap* w)
{
    for (uint32_t i = 1; i + 1 < w->ring_count; ++i) {
        size_t t = w->triangle_count;
        if (!kin_reserve(w->allocator, (void**)&w->triangles, &w->triangle_capacity, t + 1, sizeof *w->triangles)) return false;
        if (!kin_reserve(w->allocator, (void**)&w->across, &w->across_capacity, t + 1, sizeof *w->across)) return false;
        uint32_t v[3] = {w->ring[0], w->ring[i], w->ring[i + 1]};
        w->triangle_count += 1;
        for (uint32_t k = 0; k < 3; ++k) w->triangles[t][k] = v[k];
        for (uint32_t k = 0; k < 3; ++k)
            if (!meet(w, v[k], v[(k + 1) % 3], (uint32_t)(3 * t + k))) return false;
    }
    return true;
}

/* The point that makes the largest dihedral angle over the edge a to b: nothing lies outside the plane through it. */
static uint32_t outermost(const wrap* w, uint32_t a, uint32_t b)
{
    uint32_t best = NONE;
    for (uint32_t i = 0; i < w->count; ++i) {
        uint32_t p = w->each[i];
        if (collinear(w, a, b, p)) continue;
        if (best == NONE || side(w, a, b, best, p) > 0) best = p;
    }
    return best;
}

/* ---- the first face ---- */

/* Lowest in y, then in x. */
static uint32_t lowest(const wrap* w)
{
    uint32_t low = w->each[0];
    for (uint32_t i = 1; i < w->count; ++i) {
        uint32_t p = w->each[i];
        if (w->p[p].y < w->p[low].y || (w->p[p].y == w->p[low].y && w->p[p].x < w->p[low].x)) low = p;
    }
    return low;
}

/* All others lie to the left of the edge to it, projected on the xy plane. */
static uint32_t rightmost(const wrap* w, uint32_t low)
{
    uint32_t to = NONE;
    for (uint32_t i = 0; i < w->count; ++i) {
        uint32_t p = w->each[i];
        if (w->p[p].x == w->p[low].x && w->p[p].y == w->p[low].y) continue;
        if (to == NONE || kin_side_of_line(w->p[low], w->p[to], w->p[p], 2) < 0) to = p;
    }
    return to;
}

/* All points over the line low to right, of which the ends are an edge of the hull, or which make a face if they are not all on a line. */
static bool first_face(wrap* w)
{
    uint32_t low = lowest(w), right = rightmost(w, low), third = NONE;
    kin_vec3 along = kin_sub(w->p[right], w->p[low]);
    w->plane_count = 0;
    for (uint32_t i = 0; i < w->count; ++i) {
        uint32_t p = w->each[i];
        if (kin_side_of_line(w->p[low], w->p[right], w->p[p], 2) != 0) continue;
        w->plane[w->plane_count++] = p;
        if (!collinear(w, low, right, p)) third = p;
    }
    if (third != NONE) return ring_of_plane(w, kin_v(along.y, -along.x, 0));
    uint32_t a = low, b = low; /* the ends of the line */
    for (uint32_t i = 0; i < w->plane_count; ++i) {
        double x = kin_dot(kin_sub(w->p[w->plane[i]], w->p[low]), along);
        if (x < kin_dot(kin_sub(w->p[a], w->p[low]), along)) a = w->plane[i];
        if (x > kin_dot(kin_sub(w->p[b], w->p[low]), along)) b = w->plane[i];
    }
    uint32_t c = outermost(w, a, b);
    return c != NONE && find_face(w, a, b, c);
}

/* ---- all of it ---- */

static bool wrap_up(wrap* w)
{
    if (!first_face(w) || !add_face(w)) return false;
    size_t most = 8 * (size_t)w->count; /* triangles: twice the points is all there can be */
    while (w->open_count > 0 && w->triangle_count < most) {
        edge e = w->open[w->open_count - 1];
        uint32_t c = outermost(w, e.to, e.from);
        if (c == NONE || !find_face(w, e.to, e.from, c) || !add_face(w)) return false;
    }
    return w->open_count == 0;
}

static bool begin(wrap* w, uint32_t count)
{
    size_t bytes = kin_bytes(count, sizeof *w->each);
    w->each = kin_alloc(w->allocator, bytes);
    w->plane = kin_alloc(w->allocator, bytes);
    w->ring = kin_alloc(w->allocator, bytes);
    if (w->each == NULL || w->plane == NULL || w->ring == NULL || !kin_weld(w->allocator, w->p, count, w->plane)) return false;
    for (uint32_t p = 0; p < count; ++p)
        if (w->plane[p] == p) w->each[w->count++] = p;
    return true;
}

static void end(wrap* w, uint32_t count)
{
    size_t bytes = kin_bytes(count, sizeof *w->each);
    kin_free(w->allocator, w->each, bytes);
    kin_free(w->allocator, w->plane, bytes);
    kin_free(w->allocator, w->ring, bytes);
    kin_free(w->allocator, w->open, w->open_capacity * sizeof *w->open);
    kin_free(w->allocator, w->triangles, w->triangle_capacity * sizeof *w->triangles);
    kin_free(w->allocator, w->across, w->across_capacity * sizeof *w->across);
}

static kin_result wrap_points(const kin_allocator* allocator, kin_hull_surface* s, kin_hull** out, kin_error* error)
{
    uint32_t corners[4];
    kin_result result = kin_hull_corners(s->points, s->point_count, s->snap.noise * s->snap.scale, corners, error);
    if (result != KIN_OK) return result;
    wrap w = {.allocator = allocator, .p = s->points};
    if (begin(&w, s->point_count) && wrap_up(&w)) {
        s->triangles = w.triangles;
        s->across = w.across;
        s->triangle_count = (uint32_t)w.triangle_count;
        result = kin_hull_finish(allocator, s, out, error);
    } else {
        result = kin_fail_memory(error, "wrapping a hull", kin_bytes(s->point_count, 3 * sizeof *w.each));
    }
    end(&w, s->point_count);
    return result;
}

kin_result kin_hull_wrap(const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_hull** out, kin_error* error)
{
    *out = NULL;
    kin_vec3* snapped = NULL;
    kin_hull_surface s = {.given = points, .point_count = (uint32_t)count};
    kin_result result = kin_hull_points(allocator, points, count, &s.snap, &snapped, error);
    if (result != KIN_OK) return result;
    s.points = snapped;
    result = wrap_points(allocator, &s, out, error);
    kin_free(allocator, snapped, kin_bytes(count, sizeof *snapped));
    return result;
}
