/* linear.h - 2x2 and 3x3 systems of linear equations, and telling when they have no single answer (HB). */
#pragma once
#include "math/mat3.h"

typedef struct kin_mat2 {
    double xx, xy, yx, yy; /* rows (xx, xy) and (yx, yy) */
} kin_mat2;

static inline double kin_mat2_determinant(kin_mat2 m) { return m.xx * m.yy - m.xy * m.yx; }

/* Singular to working precision, compared with the lengths of the rows. */
static inline bool kin_mat2_singular(kin_mat2 m)
{
    double rows = kin_sqrt((m.xx * m.xx + m.xy * m.xy) * (m.yx * m.yx + m.yy * m.yy));
    return !(kin_abs(kin_mat2_determinant(m)) > 1e-14 * rows);
}

/* False, and *inverse untouched, when m is singular. */
static inline bool kin_mat2_inverse(kin_mat2 m, kin_mat2* inverse)
{
    if (kin_mat2_singular(m)) {
        return false;
    }
    double s = 1 / kin_mat2_determinant(m);
    *inverse = (kin_mat2){m.yy * s, -m.xy * s, -m.yx * s, m.xx * s};
    return true;
}

/* m (x, y) = (u, v). False, and *x and *y untouched, when m is singular. */
static inline bool kin_solve2(kin_mat2 m, double u, double v, double* x, double* y)
{
    if (kin_mat2_singular(m)) {
        return false;
    }
    double determinant = kin_mat2_determinant(m);
    *x = (m.yy * u - m.xy * v) / determinant;
    *y = (m.xx * v - m.yx * u) / determinant;
    return true;
}

/* m x = b by Cramer's rule. False, and *x untouched, when m is singular as in kin_mat3_inverse. */
static inline bool kin_solve3(kin_mat3 m, kin_vec3 b, kin_vec3* x)
{
    kin_vec3 yz = kin_cross(m.cy, m.cz);
    double determinant = kin_dot(m.cx, yz);
    double volume = kin_length(m.cx) * kin_length(m.cy) * kin_length(m.cz);
    if (!(kin_abs(determinant) > 1e-14 * volume)) {
        return false;
    }
    *x = (kin_vec3){kin_dot(b, yz) / determinant, kin_dot(b, kin_cross(m.cz, m.cx)) / determinant, kin_dot(b, kin_cross(m.cx, m.cy)) / determinant};
    return true;
}
