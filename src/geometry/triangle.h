/* triangle.h - the point of a triangle nearest to another, and the feature it lies on. */
#pragma once
#include "math/primitive.h"
#include <stdint.h>

/* Which part of a triangle a point belongs to. Edge k runs from corner k to corner k+1. */
typedef enum kin_feature {
    KIN_FEATURE_FACE,
    KIN_FEATURE_EDGE0,
    KIN_FEATURE_EDGE1,
    KIN_FEATURE_EDGE2,
    KIN_FEATURE_CORNER0,
    KIN_FEATURE_CORNER1,
    KIN_FEATURE_CORNER2,
} kin_feature;

/* What a search for the nearest of many triangles keeps. */
typedef struct kin_nearest {
    double distance2; /* m^2 */
    kin_vec3 point;
    kin_feature feature;
    uint32_t triangle;
} kin_nearest;

/* The same on its edges alone. */
static inline kin_vec3 kin_closest_on_rim(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 x, kin_feature* feature)
{
    const kin_vec3 p[3] = {a, b, c};
    kin_vec3 nearest = a;
    double least2 = kin_length2(kin_sub(x, a));
    *feature = KIN_FEATURE_CORNER0;
    for (int k = 0; k < 3; ++k) {
        int end = (k + 1) % 3;
        double s = kin_segment_closest(p[k], p[end], x);
        kin_vec3 on = s < 1 ? kin_line_point(p[k], p[end], s) : p[end];
        double square = kin_length2(kin_sub(x, on));
        if (!(square < least2)) continue;
        least2 = square, nearest = on;
        *feature = (kin_feature)(s > 0 && s < 1 ? KIN_FEATURE_EDGE0 + k : KIN_FEATURE_CORNER0 + (s < 1 ? k : end));
    }
    return nearest;
}

/* Of a triangle that is slim, or small as seen from x, with the foot of x inside it by its weights: those are known to rounding over the slimness squared, so
 * what is left along the longest edge is taken off, as far as the triangle goes, and the edges are asked too. The point is then good to the root of rounding. */
static inline kin_vec3 kin_closest_on_slim(const kin_vec3 p[3], const double weight[3], kin_vec3 x, kin_feature* feature)
{
    kin_vec3 along = {0, 0, 0}, on = kin_add(kin_scale(p[0], weight[0]), kin_add(kin_scale(p[1], weight[1]), kin_scale(p[2], weight[2])));
    double longest2 = 0, least = 0, most = 0;
    for (int k = 0; k < 3; ++k) {
        kin_vec3 edge = kin_sub(p[(k + 1) % 3], p[k]);
        if (kin_length2(edge) > longest2) longest2 = kin_length2(edge), along = edge, least = -weight[(k + 1) % 3], most = weight[k];
    }
    if (longest2 > 0) on = kin_add_scaled(on, kin_clamp(kin_dot(kin_sub(x, on), along) / longest2, least, most), along);
    kin_vec3 rim = kin_closest_on_rim(p[0], p[1], p[2], x, feature);
    if (!(kin_length2(kin_sub(x, on)) < kin_length2(kin_sub(x, rim)))) return rim;
    return *feature = KIN_FEATURE_FACE, on;
}

/* The point of triangle abc nearest to x, and the feature it lies on, by Voronoi regions. Always a point of the triangle, also when that has no area. */
static inline kin_vec3 kin_closest_on_triangle(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 x, kin_feature* feature)
{
    kin_vec3 ab = kin_sub(b, a), ac = kin_sub(c, a), ax = kin_sub(x, a);
    double d1 = kin_dot(ab, ax), d2 = kin_dot(ac, ax);
    if (d1 <= 0 && d2 <= 0) return *feature = KIN_FEATURE_CORNER0, a;
    kin_vec3 bx = kin_sub(x, b);
    double d3 = kin_dot(ab, bx), d4 = kin_dot(ac, bx);
    if (d3 >= 0 && d4 <= d3) return *feature = KIN_FEATURE_CORNER1, b;
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3) return *feature = KIN_FEATURE_EDGE0, kin_add_scaled(a, d1 / (d1 - d3), ab);
    kin_vec3 cx = kin_sub(x, c);
    double d5 = kin_dot(ab, cx), d6 = kin_dot(ac, cx);
    if (d6 >= 0 && d5 <= d6) return *feature = KIN_FEATURE_CORNER2, c;
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0 && d2 > d6) return *feature = KIN_FEATURE_EDGE2, kin_add_scaled(a, d2 / (d2 - d6), ac);
    double va = d3 * d6 - d5 * d4, from_b = d4 - d3, from_c = d5 - d6;
    if (va <= 0 && from_b >= 0 && from_c >= 0 && from_b + from_c > 0) {
        return *feature = KIN_FEATURE_EDGE1, kin_add_scaled(b, from_b / (from_b + from_c), kin_sub(c, b));
    }
    double sum = va + vb + vc, scale = 1 / sum; /* the area squared; d1 - d3 and d2 - d6 are the edges squared */
    const kin_vec3 p[3] = {a, b, c};
    const double weight[3] = {va * scale, vb * scale, vc * scale};
    if (!(va > 0 && vb > 0 && vc > 0 && kin_finite(scale))) return kin_closest_on_rim(a, b, c, x, feature); /* no region: rounding */
    if (sum < 1e-8 * (kin_abs(d1) + kin_abs(d3)) * (kin_abs(d2) + kin_abs(d6))) return kin_closest_on_slim(p, weight, x, feature);
    return *feature = KIN_FEATURE_FACE, kin_add(a, kin_add(kin_scale(ab, weight[1]), kin_scale(ac, weight[2])));
}
