/* predicate.h - questions of sidedness answered exactly, for hulls and tetrahedra.
 *
 * Points are first snapped to a grid of 2^-51 of the size of their cloud. There they are whole numbers of 53 bits, and so are their differences: a
 * determinant is first evaluated in floating point with a bound on its error, and only if the bound does not decide, again in whole numbers, which never
 * err. That is ten times as fast for points on one plane or sphere as predicates of arbitrary doubles (geometry/predicates.h). */
#pragma once
#include "math/aabb.h"
#include <stddef.h>

/* From the world to the grid: |x| <= 1 there. */
typedef struct kin_snap {
    kin_vec3 center; /* m */
    double scale;    /* a power of two, 1/m */
    double noise;    /* m: how far coordinates of this size are off by rounding alone; the least slack that makes sense */
} kin_snap;

/* Every point finite and within 1e30 m of the origin, count > 0. */
kin_snap kin_snap_of(const kin_vec3* points, size_t count);

static inline double kin_snap_round(double x) { return (x + 3.0) - 3.0; } /* for |x| <= 1: to a multiple of 2^-51 */
static inline kin_vec3 kin_snap_apply(kin_snap s, kin_vec3 p)
{
    kin_vec3 x = kin_scale(kin_sub(p, s.center), s.scale);
    return kin_v(kin_snap_round(x.x), kin_snap_round(x.y), kin_snap_round(x.z));
}

/* All below: of snapped points. */

/* The sign of (b-a) x (c-a) . (p-a): positive when a, b, c run counter-clockwise seen from p. */
int kin_side_of_plane(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 p);
/* The sign of (b-a) x (p-a) seen along an axis (0, 1, 2: y-z, z-x, x-y): positive when p lies to the left of a to b. */
int kin_side_of_line(kin_vec3 a, kin_vec3 b, kin_vec3 p, int axis);
/* Positive when p lies inside the sphere through a, b, c, d, where d is on the positive side of a, b, c. */
int kin_side_of_sphere(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 d, kin_vec3 p);

/* (b-a) x (c-a) with each component right to the last bit but one, also of needles. Not unit. */
kin_vec3 kin_sharp_normal(kin_vec3 a, kin_vec3 b, kin_vec3 c);
