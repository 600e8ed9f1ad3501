/* svd3.h - singular values and polar decomposition of any 3x3 matrix, singular and mirrored ones included. */
#pragma once
#include "math/sym3.h"

/* M = U diag(sigma) V^T with U and V rotations and sigma.x >= sigma.y >= |sigma.z|: the sign of det M sits in sigma.z. */
typedef struct kin_svd3 {
    kin_mat3 u;
    kin_vec3 sigma;
    kin_mat3 v;
} kin_svd3;
kin_svd3 kin_mat3_svd(kin_mat3 m);

/* M = R S, R the rotation nearest to M, S symmetric; for a mirrored M the least stretch is negative. */
typedef struct kin_polar3 {
    kin_mat3 rotation;
    kin_sym3 stretch;
} kin_polar3;
kin_polar3 kin_mat3_polar(kin_mat3 m);
