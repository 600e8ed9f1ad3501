/* primitive.h - points, lines, segments and planes (HA, A6.2 to A6.5). */
#pragma once
#include "math/vec3.h"

/* The part of v along d, and the rest. d of any length; zero for a zero d. */
static inline kin_vec3 kin_project(kin_vec3 v, kin_vec3 d)
{
    double square = kin_length2(d);
    return square > 0 ? kin_scale(d, kin_dot(v, d) / square) : kin_v(0, 0, 0);
}
static inline kin_vec3 kin_reject(kin_vec3 v, kin_vec3 d) { return kin_sub(v, kin_project(v, d)); }
/* v - 2 (n.v) n: v in a mirror with unit normal n. */
static inline kin_vec3 kin_mirror(kin_vec3 v, kin_vec3 n) { return kin_add_scaled(v, -2 * kin_dot(n, v), n); }

static inline kin_vec3 kin_triangle_normal(kin_vec3 a, kin_vec3 b, kin_vec3 c) /* anticlockwise seen from its tip; zero if flat */
{
    return kin_normalize_or(kin_cross(kin_sub(b, a), kin_sub(c, a)), kin_v(0, 0, 0));
}
static inline double kin_triangle_area(kin_vec3 a, kin_vec3 b, kin_vec3 c) { return 0.5 * kin_length(kin_cross(kin_sub(b, a), kin_sub(c, a))); }

/* A6.2: the k of the point p1 + k (p2 - p1) of the line nearest to p; 0 when p1 = p2. */
static inline double kin_line_closest(kin_vec3 p1, kin_vec3 p2, kin_vec3 p)
{
    kin_vec3 d = kin_sub(p2, p1);
    double square = kin_length2(d);
    return square > 0 ? kin_dot(kin_sub(p, p1), d) / square : 0;
}
static inline double kin_segment_closest(kin_vec3 p1, kin_vec3 p2, kin_vec3 p) { return kin_clamp(kin_line_closest(p1, p2, p), 0, 1); }
static inline kin_vec3 kin_line_point(kin_vec3 p1, kin_vec3 p2, double k) { return kin_lerp(p1, p2, k); }
static inline double kin_line_distance(kin_vec3 p1, kin_vec3 p2, kin_vec3 p) { return kin_distance(p, kin_line_point(p1, p2, kin_line_closest(p1, p2, p))); }
static inline double kin_segment_distance(kin_vec3 p1, kin_vec3 p2, kin_vec3 p)
{
    return kin_distance(p, kin_line_point(p1, p2, kin_segment_closest(p1, p2, p)));
}

/* n.x = d; n need not be unit, but not zero. */
typedef struct kin_plane3 {
    kin_vec3 normal;
    double offset;
} kin_plane3;

static inline kin_plane3 kin_plane3_through(kin_vec3 point, kin_vec3 normal) { return (kin_plane3){normal, kin_dot(normal, point)}; }
/* A6.3: m, positive on the normal's side. Divided by |n| (the text has |n|^2: E14). */
static inline double kin_plane3_distance(kin_plane3 p, kin_vec3 x) { return (kin_dot(p.normal, x) - p.offset) / kin_length(p.normal); }
static inline kin_vec3 kin_plane3_closest(kin_plane3 p, kin_vec3 x)
{
    return kin_add_scaled(x, -(kin_dot(p.normal, x) - p.offset) / kin_length2(p.normal), p.normal);
}

/* A6.4 */
typedef enum kin_crossing {
    KIN_CROSSING_NONE,
    KIN_CROSSING_POINT,
    KIN_CROSSING_WHOLE, /* the segment lies in the plane */
} kin_crossing;

/* The segment from a to b against a plane thick by eps (m) on both sides. At a point, *k is its fraction from a to b. */
static inline kin_crossing kin_segment_plane(kin_vec3 a, kin_vec3 b, kin_plane3 p, double eps, double* k)
{
    double da = kin_plane3_distance(p, a), db = kin_plane3_distance(p, b);
    if (kin_abs(da) <= eps && kin_abs(db) <= eps) {
        return KIN_CROSSING_WHOLE;
    }
    if (da == db || (kin_min(da, db) > eps) || (kin_max(da, db) < -eps)) {
        return KIN_CROSSING_NONE;
    }
    *k = kin_clamp(da / (da - db), 0, 1); /* an end within eps is the point */
    return KIN_CROSSING_POINT;
}

/* A6.5: the fraction from p1 to p2 of the point of the segment nearest to the line through h1 and h2. With d1, d2 the distances
 * of the ends from the line and d3 the length of the segment seen along it, k = (d1^2 - d2^2 + d3^2)/(2 d3^2), clamped. Seen as a
 * point (d3 = 0: parallel), all points are as near, and the middle is taken. */
static inline double kin_segment_closest_to_line(kin_vec3 p1, kin_vec3 p2, kin_vec3 h1, kin_vec3 h2)
{
    kin_vec3 d = kin_sub(h2, h1), segment = kin_sub(p2, p1);
    kin_vec3 from = kin_reject(kin_sub(p1, h1), d), across = kin_reject(segment, d);
    double square = kin_length2(across);
    if (square <= 1e-24 * kin_length2(segment)) {
        return 0.5;
    }
    /* d2^2 = |from + across|^2, so the formula is -from.across/d3^2, without the difference of squares. */
    return kin_clamp(-kin_dot(from, across) / square, 0, 1);
}

typedef struct kin_segment_pair {
    double s, t; /* fractions along the first and the second */
    double distance;
} kin_segment_pair;

/* The nearest points of the segments a1 a2 and b1 b2, also when short or parallel. */
static inline kin_segment_pair kin_segments_closest(kin_vec3 a1, kin_vec3 a2, kin_vec3 b1, kin_vec3 b2)
{
    kin_vec3 u = kin_sub(a2, a1), v = kin_sub(b2, b1), w = kin_sub(a1, b1);
    double uu = kin_dot(u, u), uv = kin_dot(u, v), vv = kin_dot(v, v);
    double uw = kin_dot(u, w), vw = kin_dot(v, w);
    double determinant = uu * vv - uv * uv;
    double s = determinant > 1e-14 * uu * vv ? kin_clamp((uv * vw - vv * uw) / determinant, 0, 1) : 0;
    double t = vv > 0 ? kin_clamp((uv * s + vw) / vv, 0, 1) : 0;
    s = uu > 0 ? kin_clamp((uv * t - uw) / uu, 0, 1) : 0; /* best s for that t; then best t for that s */
    t = vv > 0 ? kin_clamp((uv * s + vw) / vv, 0, 1) : 0;
    return (kin_segment_pair){s, t, kin_distance(kin_line_point(a1, a2, s), kin_line_point(b1, b2, t))};
}
