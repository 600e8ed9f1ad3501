/* vec3.h - points and directions, by value (HA). */
#pragma once
#include "kinema/math.h"
#include "math/scalar.h"

static inline kin_vec3 kin_v(double x, double y, double z) { return (kin_vec3){x, y, z}; }
static inline kin_vec3 kin_add(kin_vec3 a, kin_vec3 b) { return (kin_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline kin_vec3 kin_sub(kin_vec3 a, kin_vec3 b) { return (kin_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline kin_vec3 kin_neg(kin_vec3 a) { return (kin_vec3){-a.x, -a.y, -a.z}; }
static inline kin_vec3 kin_scale(kin_vec3 a, double s) { return (kin_vec3){a.x * s, a.y * s, a.z * s}; }
static inline kin_vec3 kin_mul(kin_vec3 a, kin_vec3 b) { return (kin_vec3){a.x * b.x, a.y * b.y, a.z * b.z}; }
/* a + s b */
static inline kin_vec3 kin_add_scaled(kin_vec3 a, double s, kin_vec3 b) { return (kin_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static inline kin_vec3 kin_lerp(kin_vec3 a, kin_vec3 b, double s) { return kin_add_scaled(kin_scale(a, 1 - s), s, b); }
static inline double kin_dot(kin_vec3 a, kin_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline kin_vec3 kin_cross(kin_vec3 a, kin_vec3 b) { return (kin_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static inline double kin_length2(kin_vec3 a) { return kin_dot(a, a); }
static inline double kin_length(kin_vec3 a) { return kin_sqrt(kin_dot(a, a)); }
static inline double kin_distance(kin_vec3 a, kin_vec3 b) { return kin_length(kin_sub(a, b)); }
static inline kin_vec3 kin_min3(kin_vec3 a, kin_vec3 b) { return (kin_vec3){kin_min(a.x, b.x), kin_min(a.y, b.y), kin_min(a.z, b.z)}; }
static inline kin_vec3 kin_max3(kin_vec3 a, kin_vec3 b) { return (kin_vec3){kin_max(a.x, b.x), kin_max(a.y, b.y), kin_max(a.z, b.z)}; }
static inline bool kin_finite3(kin_vec3 a) { return kin_finite(a.x) && kin_finite(a.y) && kin_finite(a.z); }
static inline kin_vec3 kin_abs3(kin_vec3 a) { return (kin_vec3){kin_abs(a.x), kin_abs(a.y), kin_abs(a.z)}; }
static inline double kin_largest(kin_vec3 a) { return kin_max(a.x, kin_max(a.y, a.z)); }
static inline bool kin_near3(kin_vec3 a, kin_vec3 b, double eps) { return kin_length2(kin_sub(a, b)) < eps * eps; }
static inline double kin_component(kin_vec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }
static inline kin_vec3 kin_axis(int axis) { return (kin_vec3){axis == 0, axis == 1, axis == 2}; }
static inline double kin_triple(kin_vec3 a, kin_vec3 b, kin_vec3 c) { return kin_dot(a, kin_cross(b, c)); } /* det [a b c] */
/* a / |a|, or fallback when a is too short to have a direction or is not finite. */
static inline kin_vec3 kin_normalize_or(kin_vec3 a, kin_vec3 fallback)
{
    double square = kin_length2(a);
    if (!(square > 1e-280 && square < 1e280)) { /* squares lose bits or overflow: bring the largest component to 1 first */
        double size = kin_largest(kin_abs3(a));
        if (!(size > 1e-300 && kin_finite3(a))) {
            return fallback;
        }
        a = kin_scale(a, 1 / size);
        square = kin_length2(a);
    }
    return kin_scale(a, 1 / kin_sqrt(square));
}
/* The angle between two directions of any length, in [0, pi]; exact to rounding also near 0 and pi. */
static inline double kin_angle(kin_vec3 a, kin_vec3 b) { return kin_atan2(kin_length(kin_cross(a, b)), kin_dot(a, b)); }
