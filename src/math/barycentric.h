/* barycentric.h - weights of a point in a triangle or a tetrahedron (HF). They sum to 1; inside, none is negative. */
#pragma once
#include "math/linear.h"

typedef struct kin_bary3 {
    double a, b, c;
} kin_bary3;

typedef struct kin_bary4 {
    double a, b, c, d;
} kin_bary4;

/* Signed areas over the whole, measured along the triangle's normal; a point off its plane gets the weights of its
 * projection. False, and *out untouched, for a triangle without area. */
static inline bool kin_triangle_weights(kin_vec3 p, kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_bary3* out)
{
    kin_vec3 ab = kin_sub(b, a), ac = kin_sub(c, a), ap = kin_sub(p, a);
    kin_vec3 n = kin_cross(ab, ac);
    double square = kin_length2(n);
    if (!(square > 1e-28 * kin_length2(ab) * kin_length2(ac))) {
        return false;
    }
    double wb = kin_triple(n, ap, ac) / square, wc = kin_triple(n, ab, ap) / square;
    *out = (kin_bary3){1 - wb - wc, wb, wc};
    return true;
}

/* [b-a, c-a, d-a] (wb, wc, wd) = p - a. False, and *out untouched, for a flat tetrahedron. */
static inline bool kin_tetrahedron_weights(kin_vec3 p, kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 d, kin_bary4* out)
{
    kin_vec3 w;
    if (!kin_solve3((kin_mat3){kin_sub(b, a), kin_sub(c, a), kin_sub(d, a)}, kin_sub(p, a), &w)) {
        return false;
    }
    *out = (kin_bary4){1 - w.x - w.y - w.z, w.x, w.y, w.z};
    return true;
}

/* The border counts, and a rim of eps (a weight, no unit) around it. */
static inline bool kin_bary3_inside(kin_bary3 w, double eps) { return w.a >= -eps && w.b >= -eps && w.c >= -eps; }
static inline bool kin_bary4_inside(kin_bary4 w, double eps) { return w.a >= -eps && w.b >= -eps && w.c >= -eps && w.d >= -eps; }

static inline double kin_bary3_mix(kin_bary3 w, double a, double b, double c) { return w.a * a + w.b * b + w.c * c; }
static inline kin_vec3 kin_bary3_mix3(kin_bary3 w, kin_vec3 a, kin_vec3 b, kin_vec3 c)
{
    return kin_add_scaled(kin_add_scaled(kin_scale(a, w.a), w.b, b), w.c, c);
}
static inline double kin_bary4_mix(kin_bary4 w, double a, double b, double c, double d) { return w.a * a + w.b * b + w.c * c + w.d * d; }
static inline kin_vec3 kin_bary4_mix3(kin_bary4 w, kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 d)
{
    return kin_add_scaled(kin_bary3_mix3((kin_bary3){w.a, w.b, w.c}, a, b, c), w.d, d);
}
