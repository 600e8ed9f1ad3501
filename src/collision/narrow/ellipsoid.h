/* ellipsoid.h - ellipsoids, centred on the origin with their axes along x, y and z, against points and against other convex cores.
 *
 * A direction n (unit, from the other body to the ellipsoid) separates the two by
 *
 *     s(n) = -|D n| - h(n),    D = diag(a, b, c),   h: how far the other body reaches along n,
 *
 * never more than their distance, and the distance where n is best; overlapping, -s(n) is never less than the depth. So each feature of the other body gives a
 * direction in closed form, up to the root of one equation or Newton steps, and the best of them is the answer: to rounding, where iterations over support points
 * lose the direction of a gap that is far smaller than the bodies. */
#pragma once
#include "collision/form/convex.h"
#include "kinema/collide.h"
#include "math/sym3.h"

typedef struct kin_ellipsoid_point {
    double distance; /* m; negative inside */
    kin_vec3 point;  /* of the surface, m */
    kin_vec3 normal; /* unit, outwards, at that point */
} kin_ellipsoid_point;

/* The point of the surface nearest to x. Of several (the centre of a ball) one. half: semi-axes, > 0. */
kin_ellipsoid_point kin_ellipsoid_closest(kin_vec3 half, kin_vec3 x);

/* Radii of curvature (m) where the outward normal is u (unit): the support point moves by this times the change of u. */
kin_sym3 kin_ellipsoid_curvature(kin_vec3 half, kin_vec3 u);

/* As kin_convex_distance (distance.h); one of the two at least is an ellipsoid, neither a point. */
void kin_ellipsoid_gap(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gap* out);
