/* mat3.h - 3x3 matrices by columns: products, determinants, inverses (HB, A6.7), re-orthonormalising rotations (C8.3.2). */
#pragma once
#include "math/vec3.h"

static inline kin_mat3 kin_mat3_identity(void) { return (kin_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; }
static inline kin_mat3 kin_mat3_diagonal(kin_vec3 d) { return (kin_mat3){{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}; }
static inline kin_mat3 kin_mat3_from_rows(kin_vec3 a, kin_vec3 b, kin_vec3 c) { return (kin_mat3){{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}; }
static inline kin_vec3 kin_mat3_column(kin_mat3 m, int i) { return i == 0 ? m.cx : i == 1 ? m.cy : m.cz; }
static inline kin_vec3 kin_mat3_row(kin_mat3 m, int i) { return (kin_vec3){kin_component(m.cx, i), kin_component(m.cy, i), kin_component(m.cz, i)}; }
static inline double kin_mat3_at(kin_mat3 m, int row, int column) { return kin_component(kin_mat3_column(m, column), row); }

static inline kin_mat3 kin_mat3_transpose(kin_mat3 m) { return kin_mat3_from_rows(m.cx, m.cy, m.cz); }
static inline kin_mat3 kin_mat3_add(kin_mat3 a, kin_mat3 b) { return (kin_mat3){kin_add(a.cx, b.cx), kin_add(a.cy, b.cy), kin_add(a.cz, b.cz)}; }
static inline kin_mat3 kin_mat3_sub(kin_mat3 a, kin_mat3 b) { return (kin_mat3){kin_sub(a.cx, b.cx), kin_sub(a.cy, b.cy), kin_sub(a.cz, b.cz)}; }
static inline kin_mat3 kin_mat3_scale(kin_mat3 m, double s) { return (kin_mat3){kin_scale(m.cx, s), kin_scale(m.cy, s), kin_scale(m.cz, s)}; }
/* M v */
static inline kin_vec3 kin_mat3_apply(kin_mat3 m, kin_vec3 v) { return kin_add_scaled(kin_add_scaled(kin_scale(m.cx, v.x), v.y, m.cy), v.z, m.cz); }
/* M^T v */
static inline kin_vec3 kin_mat3_apply_transposed(kin_mat3 m, kin_vec3 v) { return (kin_vec3){kin_dot(m.cx, v), kin_dot(m.cy, v), kin_dot(m.cz, v)}; }
/* A B: first B, then A. */
static inline kin_mat3 kin_mat3_mul(kin_mat3 a, kin_mat3 b) { return (kin_mat3){kin_mat3_apply(a, b.cx), kin_mat3_apply(a, b.cy), kin_mat3_apply(a, b.cz)}; }
/* a b^T */
static inline kin_mat3 kin_mat3_outer(kin_vec3 a, kin_vec3 b) { return (kin_mat3){kin_scale(a, b.x), kin_scale(a, b.y), kin_scale(a, b.z)}; }
/* ~a: ~a b = a x b */
static inline kin_mat3 kin_mat3_skew(kin_vec3 a) { return (kin_mat3){{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}}; }
static inline double kin_mat3_trace(kin_mat3 m) { return m.cx.x + m.cy.y + m.cz.z; }
static inline double kin_mat3_determinant(kin_mat3 m) { return kin_triple(m.cx, m.cy, m.cz); }
/* Square root of the sum of squares. */
static inline double kin_mat3_norm(kin_mat3 m) { return kin_sqrt(kin_length2(m.cx) + kin_length2(m.cy) + kin_length2(m.cz)); }

/* False, and *inverse untouched, when m is singular to working precision: |det| < 1e-14 times the product of its column lengths. */
bool kin_mat3_inverse(kin_mat3 m, kin_mat3* inverse);

/* M = Q R by Gram-Schmidt, columns in order. Q is a rotation, R is upper triangular; r.cz.z < 0 if m is a mirror image. */
typedef struct kin_gram_schmidt {
    kin_mat3 q, r;
} kin_gram_schmidt;
kin_gram_schmidt kin_mat3_gram_schmidt(kin_mat3 m);

/* C8.3.2: how far m is from a rotation: the norm of R - 1. Rounding drift of n products is about n 1e-16. */
double kin_mat3_drift(kin_mat3 m);
/* m, or its Q when |det m - 1| or the drift exceeds the tolerance. */
kin_mat3 kin_mat3_hold_rotation(kin_mat3 m, double tolerance);

/* Rodrigues (HD): the rotation by an angle about a unit axis. */
kin_mat3 kin_mat3_rotation(kin_vec3 axis, double angle);
