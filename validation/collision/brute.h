/* brute.h - pairs of convex hulls drawn at random, and their distance and depth by trying everything: every vertex over every face, every edge by every edge,
 * every axis. Shared by validation/collision/distance.c and the tests of the narrow phase. */
#pragma once
#include "collision/narrow/part.h"
#include "geometry/hull/hull.h"
#include "math/quat.h"
#include "math/random.h"

/* ---- drawing ---- */

typedef enum brute_kind { BRUTE_ROUND, BRUTE_FLAT, BRUTE_NEEDLE, BRUTE_BOX, BRUTE_KINDS } brute_kind;

/* Points on an ellipsoid (round, flat or long), or the corners of a box. */
static inline kin_result brute_hull(const kin_allocator* allocator, const kin_rng_key* key, brute_kind kind, size_t points, kin_hull** out)
{
    static const kin_vec3 sizes[BRUTE_KINDS] = {{1, 1, 1}, {1, 0.05, 1}, {0.03, 1, 0.05}, {0.5, 0.8, 0.3}};
    kin_vec3 p[64];
    if (kind == BRUTE_BOX) points = 8;
    for (uint32_t i = 0; i < points; ++i) {
        kin_vec3 d = kind == BRUTE_BOX ? kin_v(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1) : kin_rng_direction(key, i);
        p[i] = kin_mul(sizes[kind], d);
    }
    return kin_hull_create(allocator, p, points, 0, out, NULL);
}

static inline kin_transform brute_pose(const kin_rng_key* key, double distance)
{
    kin_quat q = kin_quat_normalize(
        (kin_quat){kin_rng_normal(key, 1000, 0, 1), kin_rng_normal(key, 1001, 0, 1), kin_rng_normal(key, 1002, 0, 1), kin_rng_normal(key, 1003, 0, 1)});
    return (kin_transform){kin_scale(kin_rng_direction(key, 1004), distance), q};
}

/* ---- distance ---- */

typedef struct brute_view { /* a hull's vertices and planes in A's frame */
    const kin_hull* hull;
    kin_transform pose;
} brute_view;

static inline kin_vec3 brute_vertex(const brute_view* v, uint32_t i) { return kin_apply(v->pose, v->hull->vertices[i]); }
static inline kin_vec3 brute_normal(const brute_view* v, uint32_t face) { return kin_rotate(v->pose.orientation, v->hull->planes[face].normal); }

/* How far above a face x is, or huge when it is not over it. */
static inline double brute_over_face(const brute_view* v, uint32_t face, kin_vec3 x)
{
    const kin_hull* h = v->hull;
    kin_vec3 n = brute_normal(v, face);
    uint32_t first = h->face_edge[face], e = first;
    do {
        kin_vec3 p = brute_vertex(v, h->edges[e].origin), q = brute_vertex(v, kin_hull_end(h, e));
        if (kin_dot(kin_sub(x, p), kin_cross(n, kin_sub(q, p))) < 0) return 1e300;
        e = h->edges[e].next;
    } while (e != first);
    double height = kin_dot(n, kin_sub(x, brute_vertex(v, h->edges[first].origin)));
    return height >= 0 ? height : 1e300;
}

static inline double brute_vertices_over_faces(const brute_view* a, const brute_view* b)
{
    double best = 1e300;
    for (uint32_t i = 0; i < a->hull->vertex_count; ++i) {
        for (uint32_t f = 0; f < b->hull->face_count; ++f) best = kin_min(best, brute_over_face(b, f, brute_vertex(a, i)));
    }
    return best;
}

/* Of hulls that are apart. */
static inline double brute_distance(const kin_hull* a, const kin_hull* b, kin_transform b_in_a)
{
    brute_view va = {a, kin_transform_identity()}, vb = {b, b_in_a};
    double best = kin_min(brute_vertices_over_faces(&va, &vb), brute_vertices_over_faces(&vb, &va));
    for (uint32_t i = 0; i < a->edge_count; i += 2) {
        for (uint32_t k = 0; k < b->edge_count; k += 2) {
            kin_segment_pair s = kin_segments_closest(a->vertices[a->edges[i].origin], a->vertices[kin_hull_end(a, i)], brute_vertex(&vb, b->edges[k].origin),
                                                      brute_vertex(&vb, kin_hull_end(b, k)));
            best = kin_min(best, s.distance);
        }
    }
    return best;
}

/* ---- separation along axes ---- */

/* From A's far end to B's near end along a unit n. */
static inline double brute_along(const brute_view* a, const brute_view* b, kin_vec3 n)
{
    double far = -1e300, near = 1e300;
    for (uint32_t i = 0; i < a->hull->vertex_count; ++i) far = kin_max(far, kin_dot(n, brute_vertex(a, i)));
    for (uint32_t i = 0; i < b->hull->vertex_count; ++i) near = kin_min(near, kin_dot(n, brute_vertex(b, i)));
    return near - far;
}

static inline kin_vec3 brute_edge(const brute_view* v, uint32_t e)
{
    return kin_sub(brute_vertex(v, kin_hull_end(v->hull, e)), brute_vertex(v, v->hull->edges[e].origin));
}

/* The largest over all normals of faces and all crosses of edges, both ways: positive when apart, minus the depth when not. */
static inline double brute_separation(const kin_hull* a, const kin_hull* b, kin_transform b_in_a)
{
    brute_view va = {a, kin_transform_identity()}, vb = {b, b_in_a};
    double best = -1e300;
    for (uint32_t f = 0; f < a->face_count; ++f) best = kin_max(best, brute_along(&va, &vb, a->planes[f].normal));
    for (uint32_t f = 0; f < b->face_count; ++f) best = kin_max(best, brute_along(&va, &vb, kin_neg(brute_normal(&vb, f))));
    for (uint32_t i = 0; i < a->edge_count; i += 2) {
        for (uint32_t k = 0; k < b->edge_count; k += 2) {
            kin_vec3 u = brute_edge(&va, i), v = brute_edge(&vb, k), n = kin_cross(u, v);
            if (kin_length2(n) < 1e-20 * kin_length2(u) * kin_length2(v)) continue;
            n = kin_normalize_or(n, kin_v(1, 0, 0));
            best = kin_max(best, kin_max(brute_along(&va, &vb, n), brute_along(&va, &vb, kin_neg(n))));
        }
    }
    return best;
}
