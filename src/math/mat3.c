/* mat3.c - inverse, Gram-Schmidt and Rodrigues. */
#include "math/mat3.h"
#include "math/frame.h"

bool kin_mat3_inverse(kin_mat3 m, kin_mat3* inverse)
{
    kin_vec3 yz = kin_cross(m.cy, m.cz);
    double determinant = kin_dot(m.cx, yz);
    double volume = kin_length(m.cx) * kin_length(m.cy) * kin_length(m.cz); /* the largest |det| columns of these lengths have */
    if (!(kin_abs(determinant) > 1e-14 * volume) || !kin_finite(determinant)) {
        return false;
    }
    double s = 1 / determinant;
    *inverse = kin_mat3_from_rows(kin_scale(yz, s), kin_scale(kin_cross(m.cz, m.cx), s), kin_scale(kin_cross(m.cx, m.cy), s));
    return true;
}

kin_gram_schmidt kin_mat3_gram_schmidt(kin_mat3 m)
{
    kin_vec3 x = kin_normalize_or(m.cx, kin_axis(0));
    double xy = kin_dot(x, m.cy);
    kin_vec3 y = kin_add_scaled(m.cy, -xy, x);
    y = kin_add_scaled(y, -kin_dot(x, y), x); /* twice is enough: the first pass leaves what cancellation left */
    y = kin_normalize_or(y, kin_basis_from_normal(x).t);
    kin_vec3 z = kin_cross(x, y);
    kin_mat3 q = {x, y, z};
    kin_mat3 r = {{kin_dot(x, m.cx), 0, 0}, {xy, kin_dot(y, m.cy), 0}, kin_mat3_apply_transposed(q, m.cz)};
    return (kin_gram_schmidt){q, r};
}

double kin_mat3_drift(kin_mat3 m) { return kin_mat3_norm(kin_mat3_sub(kin_mat3_gram_schmidt(m).r, kin_mat3_identity())); }

kin_mat3 kin_mat3_hold_rotation(kin_mat3 m, double tolerance)
{
    kin_gram_schmidt g = kin_mat3_gram_schmidt(m);
    bool good = kin_abs(kin_mat3_determinant(m) - 1) <= tolerance && kin_mat3_norm(kin_mat3_sub(g.r, kin_mat3_identity())) <= tolerance;
    return good ? m : g.q;
}

kin_mat3 kin_mat3_rotation(kin_vec3 axis, double angle)
{
    kin_sincos a = kin_sin_cos(angle);
    double half = kin_sin(0.5 * angle);
    double versine = 2 * half * half; /* 1 - cos, without its cancellation */
    kin_mat3 parallel = kin_mat3_scale(kin_mat3_outer(axis, axis), versine);
    kin_mat3 diagonal = kin_mat3_diagonal(kin_v(a.cosine, a.cosine, a.cosine));
    return kin_mat3_add(kin_mat3_add(diagonal, parallel), kin_mat3_scale(kin_mat3_skew(axis), a.sine));
}
