/* sym3.h - symmetric 3x3 matrices (inertia, covariance, stretch) and their principal axes. */
#pragma once
#include "math/mat3.h"

typedef struct kin_sym3 {
    double xx, yy, zz, xy, xz, yz;
} kin_sym3;

static inline kin_sym3 kin_sym3_diagonal(kin_vec3 d) { return (kin_sym3){d.x, d.y, d.z, 0, 0, 0}; }
static inline kin_sym3 kin_sym3_add(kin_sym3 a, kin_sym3 b) { return (kin_sym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz}; }
static inline kin_sym3 kin_sym3_scale(kin_sym3 a, double s) { return (kin_sym3){a.xx * s, a.yy * s, a.zz * s, a.xy * s, a.xz * s, a.yz * s}; }
static inline kin_vec3 kin_sym3_apply(kin_sym3 s, kin_vec3 v)
{
    return (kin_vec3){s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z, s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
static inline kin_mat3 kin_sym3_matrix(kin_sym3 s) { return (kin_mat3){{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}}; }
/* (m + m^T)/2 */
static inline kin_sym3 kin_sym3_of_matrix(kin_mat3 m)
{
    return (kin_sym3){m.cx.x, m.cy.y, m.cz.z, 0.5 * (m.cx.y + m.cy.x), 0.5 * (m.cx.z + m.cz.x), 0.5 * (m.cy.z + m.cz.y)};
}
/* v v^T */
static inline kin_sym3 kin_sym3_square(kin_vec3 v) { return (kin_sym3){v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z}; }
/* R S R^T: the same tensor seen from turned axes. */
static inline kin_sym3 kin_sym3_rotate(kin_mat3 r, kin_sym3 s)
{
    return kin_sym3_of_matrix(kin_mat3_mul(kin_mat3_mul(r, kin_sym3_matrix(s)), kin_mat3_transpose(r)));
}

/* S = V diag(values) V^T; values descending, V a rotation. The largest component of the first two columns is positive. */
typedef struct kin_eigen3 {
    kin_vec3 values;
    kin_mat3 vectors;
} kin_eigen3;
kin_eigen3 kin_sym3_eigen(kin_sym3 s);
