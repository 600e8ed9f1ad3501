/* mat4.h - affine maps as 4x4 matrices on homogeneous coordinates (HC): points have w = 1, directions w = 0. */
#pragma once
#include "math/quat.h"

typedef struct kin_vec4 {
    double x, y, z, w;
} kin_vec4;

typedef struct kin_mat4 {
    double m[4][4]; /* [row][column] */
} kin_mat4;

static inline kin_mat4 kin_mat4_identity(void) { return (kin_mat4){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}; }

/* x' = linear x + origin */
static inline kin_mat4 kin_mat4_affine(kin_mat3 linear, kin_vec3 origin)
{
    return (kin_mat4){{{linear.cx.x, linear.cy.x, linear.cz.x, origin.x},
                       {linear.cx.y, linear.cy.y, linear.cz.y, origin.y},
                       {linear.cx.z, linear.cy.z, linear.cz.z, origin.z},
                       {0, 0, 0, 1}}};
}
static inline kin_mat4 kin_mat4_translation(kin_vec3 by) { return kin_mat4_affine(kin_mat3_identity(), by); }
static inline kin_mat4 kin_mat4_scaling(kin_vec3 by) { return kin_mat4_affine(kin_mat3_diagonal(by), kin_v(0, 0, 0)); }
static inline kin_mat4 kin_mat4_rotation(kin_quat q) { return kin_mat4_affine(kin_quat_to_matrix(q), kin_v(0, 0, 0)); }
static inline kin_mat4 kin_mat4_from_transform(kin_transform t) { return kin_mat4_affine(kin_quat_to_matrix(t.orientation), t.position); }
/* Adds to x: xy y + xz z, and so on. */
static inline kin_mat4 kin_mat4_shear(double xy, double xz, double yx, double yz, double zx, double zy)
{
    return (kin_mat4){{{1, xy, xz, 0}, {yx, 1, yz, 0}, {zx, zy, 1, 0}, {0, 0, 0, 1}}};
}

static inline kin_mat3 kin_mat4_linear(const kin_mat4* a)
{
    return (kin_mat3){{a->m[0][0], a->m[1][0], a->m[2][0]}, {a->m[0][1], a->m[1][1], a->m[2][1]}, {a->m[0][2], a->m[1][2], a->m[2][2]}};
}
static inline kin_vec3 kin_mat4_origin(const kin_mat4* a) { return (kin_vec3){a->m[0][3], a->m[1][3], a->m[2][3]}; }

/* A B: first B, then A. */
static inline kin_mat4 kin_mat4_mul(const kin_mat4* a, const kin_mat4* b)
{
    kin_mat4 c;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j] + a->m[i][3] * b->m[3][j];
        }
    }
    return c;
}

static inline kin_vec4 kin_mat4_apply(const kin_mat4* a, kin_vec4 v)
{
    double r[4];
    for (int i = 0; i < 4; ++i) {
        r[i] = a->m[i][0] * v.x + a->m[i][1] * v.y + a->m[i][2] * v.z + a->m[i][3] * v.w;
    }
    return (kin_vec4){r[0], r[1], r[2], r[3]};
}
/* Affine maps only. */
static inline kin_vec3 kin_mat4_apply_point(const kin_mat4* a, kin_vec3 p) { return kin_add(kin_mat3_apply(kin_mat4_linear(a), p), kin_mat4_origin(a)); }
static inline kin_vec3 kin_mat4_apply_direction(const kin_mat4* a, kin_vec3 d) { return kin_mat3_apply(kin_mat4_linear(a), d); }

/* Of an affine map. False, and *inverse untouched, when its linear part is singular. */
static inline bool kin_mat4_affine_inverse(const kin_mat4* a, kin_mat4* inverse)
{
    kin_mat3 linear;
    if (!kin_mat3_inverse(kin_mat4_linear(a), &linear)) {
        return false;
    }
    *inverse = kin_mat4_affine(linear, kin_neg(kin_mat3_apply(linear, kin_mat4_origin(a))));
    return true;
}
/* Of a rotation and a shift: the transpose, no division (HD). */
static inline kin_mat4 kin_mat4_rigid_inverse(const kin_mat4* a)
{
    kin_mat3 back = kin_mat3_transpose(kin_mat4_linear(a));
    return kin_mat4_affine(back, kin_neg(kin_mat3_apply(back, kin_mat4_origin(a))));
}
/* Normals go by the inverse transpose, up to length: the cofactors of the linear part, which exist for singular maps too. */
static inline kin_vec3 kin_mat4_apply_normal(const kin_mat4* a, kin_vec3 n)
{
    kin_mat3 m = kin_mat4_linear(a);
    return kin_mat3_apply((kin_mat3){kin_cross(m.cy, m.cz), kin_cross(m.cz, m.cx), kin_cross(m.cx, m.cy)}, n);
}
