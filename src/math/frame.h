/* frame.h - right-handed frames from a normal (A6.6) or from two vectors (HD), and how they turn (E10.3, E10.4). */
#pragma once
#include "math/mat3.h"

/* A contact frame: unit normal n and tangents t, k = n x t. */
typedef struct kin_basis {
    kin_vec3 n, t, k;
} kin_basis;

/* A vector across v, not normalised: drop its smallest component, swap the other two, negate one. Linear in v as long as the
 * same component stays the smallest, so it jumps where that changes: never difference tangents across steps. */
static inline kin_vec3 kin_perpendicular_like(kin_vec3 v, kin_vec3 chooser)
{
    kin_vec3 a = kin_abs3(chooser);
    if (a.x <= a.y && a.x <= a.z) {
        return (kin_vec3){0, v.z, -v.y};
    }
    if (a.y <= a.x && a.y <= a.z) {
        return (kin_vec3){-v.z, 0, v.x};
    }
    return (kin_vec3){v.y, -v.x, 0};
}

static inline kin_vec3 kin_perpendicular(kin_vec3 v) { return kin_perpendicular_like(v, v); }

/* From a unit normal. */
static inline kin_basis kin_basis_from_normal(kin_vec3 n)
{
    kin_vec3 t = kin_normalize_or(kin_perpendicular(n), kin_axis(0));
    return (kin_basis){n, t, kin_cross(n, t)};
}

static inline kin_vec3 kin_basis_to_local(kin_basis b, kin_vec3 v) { return (kin_vec3){kin_dot(b.n, v), kin_dot(b.t, v), kin_dot(b.k, v)}; }
static inline kin_vec3 kin_basis_to_world(kin_basis b, kin_vec3 v) { return kin_add_scaled(kin_add_scaled(kin_scale(b.n, v.x), v.y, b.t), v.z, b.k); }

/* d/dt (u/|u|) = (1 - n n^T) u' / |u|: normalising u' itself would be wrong. u is not zero. */
static inline kin_vec3 kin_unit_rate(kin_vec3 u, kin_vec3 rate)
{
    double square = kin_length2(u);
    return kin_scale(kin_add_scaled(rate, -kin_dot(u, rate) / square, u), 1 / kin_sqrt(square));
}

/* The rates of n, t and k of kin_basis_from_normal(n) when n turns at `rate` (across n). */
static inline kin_basis kin_basis_rate(kin_vec3 n, kin_vec3 rate)
{
    kin_basis b = kin_basis_from_normal(n);
    kin_vec3 t = kin_unit_rate(kin_perpendicular(n), kin_perpendicular_like(rate, n));
    return (kin_basis){rate, t, kin_add(kin_cross(rate, b.t), kin_cross(n, t))};
}

/* HD: x along a, z along a x b, y between them on b's side. Any lengths; parallel vectors get some z. */
static inline kin_mat3 kin_mat3_from_two(kin_vec3 a, kin_vec3 b)
{
    kin_vec3 x = kin_normalize_or(a, kin_axis(0));
    kin_vec3 z = kin_normalize_or(kin_cross(x, kin_normalize_or(b, kin_axis(1))), kin_basis_from_normal(x).t);
    return (kin_mat3){x, kin_cross(z, x), z};
}
