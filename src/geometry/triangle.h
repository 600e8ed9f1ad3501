/* triangle.h - the point of a triangle nearest to another, and the feature it lies on. */
#pragma once
#include "math/vec3.h"
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

/* The point of triangle abc nearest to x, and the feature it lies on, by Voronoi regions. */
static inline kin_vec3 kin_closest_on_triangle(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 x, kin_feature* feature)
{
    kin_vec3 ab = kin_sub(b, a), ac = kin_sub(c, a), ax = kin_sub(x, a);
    double d1 = kin_dot(ab, ax), d2 = kin_dot(ac, ax);
    if (d1 <= 0 && d2 <= 0) return *feature = KIN_FEATURE_CORNER0, a;
    kin_vec3 bx = kin_sub(x, b);
    double d3 = kin_dot(ab, bx), d4 = kin_dot(ac, bx);
    if (d3 >= 0 && d4 <= d3) return *feature = KIN_FEATURE_CORNER1, b;
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return *feature = KIN_FEATURE_EDGE0, kin_add_scaled(a, d1 / (d1 - d3), ab);
    kin_vec3 cx = kin_sub(x, c);
    double d5 = kin_dot(ab, cx), d6 = kin_dot(ac, cx);
    if (d6 >= 0 && d5 <= d6) return *feature = KIN_FEATURE_CORNER2, c;
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return *feature = KIN_FEATURE_EDGE2, kin_add_scaled(a, d2 / (d2 - d6), ac);
    double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        return *feature = KIN_FEATURE_EDGE1, kin_add_scaled(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), kin_sub(c, b));
    }
    double scale = 1 / (va + vb + vc);
    return *feature = KIN_FEATURE_FACE, kin_add(a, kin_add(kin_scale(ab, vb * scale), kin_scale(ac, vc * scale)));
}
