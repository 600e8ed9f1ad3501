/* predicates.h - on which side? Orientation and in-sphere signs that are never wrong (Shewchuk 1997).
 *
 * A floating-point determinant is trusted where it is larger than its own error bound; the rest is done over in exact expansions: sums of doubles that do
 * not overlap. So the answers of different calls never contradict each other, also for points in one plane, on one line or at one place.
 * Exact for all finite coordinates, denormals beside 1e300 too. Coordinates that are not finite give 0. Pure, no allocation. */
#pragma once
#include "math/vec3.h"

/* +1: a, b, c turn to the left; -1: to the right; 0: on one line. */
int kin_orient2d(const double a[2], const double b[2], const double c[2]);

/* Sign of (b - a) x (c - a) . (d - a). +1: d lies where the normal of abc points; 0: in one plane. */
int kin_orient3d(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 d);

/* +1: e lies inside the sphere through a, b, c, d, given that kin_orient3d(a, b, c, d) > 0 (else the sign is reversed); 0: on it. */
int kin_insphere(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 d, kin_vec3 e);
