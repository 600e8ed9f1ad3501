/* polygon.h - one polygon in space: its kind, its triangles, and a moving point against it (H3.4, H3.5). */
#pragma once
#include "kinema/base.h"
#include "math/vec3.h"

#define KIN_POLYGON_MAX_CORNERS 1024 /* the tests below are quadratic: a guard against hostile files */

typedef enum kin_polygon_kind {
    KIN_POLYGON_FLAT,    /* no area: all corners on one line */
    KIN_POLYGON_CONVEX,  /* simple */
    KIN_POLYGON_CONCAVE, /* simple */
    KIN_POLYGON_COMPLEX, /* edges meet elsewhere than at shared corners */
} kin_polygon_kind;

/* Twice the vector area (Newell); of a triangle, the cross product of two edges. */
kin_vec3 kin_polygon_normal(const kin_vec3* vertices, const uint32_t* corners, uint32_t count);

/* Judged in the coordinate plane across the largest component of the normal, so corners need not be exactly in one plane. count in [3, max]. */
kin_polygon_kind kin_polygon_classify(const kin_vec3* vertices, const uint32_t* corners, uint32_t count);

/* Ear clipping of a simple polygon into count - 2 triangles with its winding. */
void kin_polygon_triangulate(const kin_vec3* vertices, const uint32_t* corners, uint32_t count, uint32_t (*triangles)[3]);

/* H3.5: determinant of edge ab and x in the projection along n: positive when x is to the left, seen from where the largest component of n points. */
double kin_polygon_side(kin_vec3 n, kin_vec3 a, kin_vec3 b, kin_vec3 x);

/* H3.5: is x, a point of the plane, inside the convex polygon with normal n (any length)? Edge determinants in the projection all have one sign. */
bool kin_polygon_holds(const kin_vec3* corners, uint32_t count, kin_vec3 n, kin_vec3 x);

/* H3.5: a point at x with velocity v meets the polygon at *time in [0, h]: (p - x).n / v.n. False also when v lies in the plane. */
bool kin_polygon_hit(const kin_vec3* corners, uint32_t count, kin_vec3 x, kin_vec3 v, double h, double* time);
