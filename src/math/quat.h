/* quat.h - rotations as unit quaternions (x, y, z, w); q2 q1 turns by q1 first (HE, appendix C), and rigid motions.
 * q and -q are the same rotation. w is an angular velocity in the world frame unless the name says body. */
#pragma once
#include "math/mat3.h"

static inline kin_quat kin_quat_identity(void) { return (kin_quat){0, 0, 0, 1}; }
static inline kin_quat kin_quat_pure(kin_vec3 v) { return (kin_quat){v.x, v.y, v.z, 0}; }
static inline kin_vec3 kin_quat_vector(kin_quat q) { return (kin_vec3){q.x, q.y, q.z}; }
static inline kin_quat kin_quat_conj(kin_quat q) { return (kin_quat){-q.x, -q.y, -q.z, q.w}; }
static inline kin_quat kin_quat_neg(kin_quat q) { return (kin_quat){-q.x, -q.y, -q.z, -q.w}; }
static inline kin_quat kin_quat_scale(kin_quat q, double s) { return (kin_quat){q.x * s, q.y * s, q.z * s, q.w * s}; }
static inline kin_quat kin_quat_add(kin_quat a, kin_quat b) { return (kin_quat){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
static inline kin_quat kin_quat_sub(kin_quat a, kin_quat b) { return (kin_quat){a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
static inline double kin_quat_dot(kin_quat a, kin_quat b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
static inline double kin_quat_length(kin_quat q) { return kin_sqrt(kin_quat_dot(q, q)); }
static inline kin_quat kin_quat_mul(kin_quat a, kin_quat b)
{
    return (kin_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                      a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
/* q* / |q|^2, for any q but zero; the conjugate for unit ones. */
static inline kin_quat kin_quat_inverse(kin_quat q) { return kin_quat_scale(kin_quat_conj(q), 1 / kin_quat_dot(q, q)); }
/* v' = q v q* */
static inline kin_vec3 kin_rotate(kin_quat q, kin_vec3 v)
{
    kin_vec3 u = {q.x, q.y, q.z};
    kin_vec3 t = kin_scale(kin_cross(u, v), 2);
    return kin_add(kin_add_scaled(v, q.w, t), kin_cross(u, t));
}
static inline kin_vec3 kin_unrotate(kin_quat q, kin_vec3 v) { return kin_rotate(kin_quat_conj(q), v); }
kin_quat kin_quat_normalize(kin_quat q);                   /* zero or not finite: the identity */
kin_quat kin_quat_axis_angle(kin_vec3 axis, double angle); /* axis need not be unit; zero axis is the identity */
kin_vec3 kin_quat_rotation_vector(kin_quat q);             /* axis times angle in (-pi, pi]: the shorter way */
kin_quat kin_quat_slerp(kin_quat a, kin_quat b, double s); /* the shorter great arc */
kin_quat kin_quat_from_rotation_vector(kin_vec3 v);        /* the other way, any angle */
kin_quat kin_quat_between(kin_vec3 a, kin_vec3 b);         /* the least turn that takes direction a to direction b */
double kin_quat_angle(kin_quat q);                         /* in [0, pi] */
kin_mat3 kin_quat_to_matrix(kin_quat q);
kin_quat kin_quat_from_matrix(kin_mat3 rotation); /* four branches: divides by the largest component */

/* E10.6: q' = w q / 2 = q w_body / 2, and back. */
static inline kin_quat kin_quat_rate(kin_quat q, kin_vec3 w) { return kin_quat_scale(kin_quat_mul(kin_quat_pure(w), q), 0.5); }
static inline kin_quat kin_quat_rate_body(kin_quat q, kin_vec3 w_body) { return kin_quat_scale(kin_quat_mul(q, kin_quat_pure(w_body)), 0.5); }
static inline kin_vec3 kin_quat_spin(kin_quat q, kin_quat rate) { return kin_scale(kin_quat_vector(kin_quat_mul(rate, kin_quat_inverse(q))), 2); }
static inline kin_vec3 kin_quat_spin_body(kin_quat q, kin_quat rate) { return kin_scale(kin_quat_vector(kin_quat_mul(kin_quat_inverse(q), rate)), 2); }

/* The constant spin that takes a to b in the time h: A6.8. */
static inline kin_vec3 kin_quat_spin_between(kin_quat a, kin_quat b, double h)
{
    return kin_scale(kin_quat_rotation_vector(kin_quat_mul(b, kin_quat_conj(a))), 1 / h);
}
/* Exact for constant w; normalised. */
kin_quat kin_quat_integrate(kin_quat q, kin_vec3 w, double h);
kin_quat kin_quat_integrate_body(kin_quat q, kin_vec3 w_body, double h);
/* A6.8: normalize(q + h/2 w q). No sine, but turns by 2 atan(|w| h / 2) only: 180 degrees come out as 115 (N8). */
kin_quat kin_quat_integrate_linear(kin_quat q, kin_vec3 w, double h);

/* Transforms: p' = q p q* + position. */
static inline kin_transform kin_transform_identity(void) { return (kin_transform){{0, 0, 0}, {0, 0, 0, 1}}; }
static inline kin_vec3 kin_apply(kin_transform t, kin_vec3 p) { return kin_add(kin_rotate(t.orientation, p), t.position); }
static inline kin_vec3 kin_unapply(kin_transform t, kin_vec3 p) { return kin_unrotate(t.orientation, kin_sub(p, t.position)); }
/* First b, then a. */
static inline kin_transform kin_transform_mul(kin_transform a, kin_transform b)
{
    return (kin_transform){kin_apply(a, b.position), kin_quat_mul(a.orientation, b.orientation)};
}
static inline kin_transform kin_transform_inverse(kin_transform t)
{
    return (kin_transform){kin_neg(kin_unrotate(t.orientation, t.position)), kin_quat_conj(t.orientation)};
}
/* b as seen from a: a^-1 b. */
static inline kin_transform kin_transform_between(kin_transform a, kin_transform b)
{
    return (kin_transform){kin_unapply(a, b.position), kin_quat_mul(kin_quat_conj(a.orientation), b.orientation)};
}
/* Straight line and great arc. */
static inline kin_transform kin_transform_mix(kin_transform a, kin_transform b, double s)
{
    return (kin_transform){kin_lerp(a.position, b.position, s), kin_quat_slerp(a.orientation, b.orientation, s)};
}
