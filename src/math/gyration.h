/* gyration.h - rotations of a vector at a rate w for a time h, dv/dt = w x v, without an angle: Cayley's, by 2 atan(|w| h / 2) in place of |w| h. Second order
 * in h; |v| is kept to rounding for any w h. (Boris 1970) */
#pragma once
#include "math/scalar.h"
#include "math/vec3.h"

/* v' = v + 2 t x (v + t x v) / (1 + t^2), t = w h / 2 */
static inline kin_vec3 kin_gyrate(kin_vec3 v, kin_vec3 w, double h)
{
    kin_vec3 t = kin_scale(w, 0.5 * h), u = kin_add(v, kin_cross(t, v));
    return kin_add_scaled(v, 2 / (1 + kin_length2(t)), kin_cross(t, u));
}

/* By half the angle of kin_gyrate, so that two of them make one: with the sine s = t c along the axis and the cosine c = 1 / sqrt(1 + t^2),
 * v' = v + s x v + s x (s x v) / (1 + c). */
static inline kin_vec3 kin_gyrate_half(kin_vec3 v, kin_vec3 w, double h)
{
    kin_vec3 t = kin_scale(w, 0.5 * h);
    double c = 1 / kin_sqrt(1 + kin_length2(t));
    kin_vec3 s = kin_scale(t, c), turned = kin_cross(s, v);
    return kin_add(v, kin_add_scaled(turned, 1 / (1 + c), kin_cross(s, turned)));
}
