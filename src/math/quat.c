/* quat.c - unit quaternions: conversions, interpolation, integration. HE and appendix C, with their misprints mended: the
 * matrix is R(q) of q v q*, and in the branches without the trace two of the entries are sums. */
#include "math/quat.h"
#include "math/frame.h"

kin_quat kin_quat_normalize(kin_quat q)
{
    double square = kin_quat_dot(q, q);
    if (!(square > 1e-280 && square < 1e280)) { /* squares lose bits or overflow: bring the largest component to 1 first */
        double size = kin_max(kin_max(kin_abs(q.x), kin_abs(q.y)), kin_max(kin_abs(q.z), kin_abs(q.w)));
        bool finite = kin_finite(q.x) && kin_finite(q.y) && kin_finite(q.z) && kin_finite(q.w);
        if (!finite || size < 1e-300) {
            return kin_quat_identity();
        }
        q = kin_quat_scale(q, 1 / size);
        square = kin_quat_dot(q, q);
    }
    return kin_quat_scale(q, 1 / kin_sqrt(square));
}

kin_quat kin_quat_axis_angle(kin_vec3 axis, double angle)
{
    kin_vec3 u = kin_normalize_or(axis, kin_v(0, 0, 0));
    if (u.x == 0 && u.y == 0 && u.z == 0) {
        return kin_quat_identity();
    }
    kin_sincos half = kin_sin_cos(0.5 * angle);
    return (kin_quat){u.x * half.sine, u.y * half.sine, u.z * half.sine, half.cosine};
}

kin_vec3 kin_quat_rotation_vector(kin_quat q)
{
    if (q.w < 0) {
        q = kin_quat_neg(q);
    }
    kin_vec3 v = kin_quat_vector(q);
    double sine = kin_length(v);
    double stretch = sine < 1e-8 ? 2 / q.w : 2 * kin_atan2(sine, q.w) / sine; /* atan(s)/s = 1 - s^2/3 ... */
    return kin_scale(v, stretch);
}

kin_quat kin_quat_from_rotation_vector(kin_vec3 v)
{
    double angle = kin_length(v);
    if (angle < 1e-8) {
        return kin_quat_normalize((kin_quat){0.5 * v.x, 0.5 * v.y, 0.5 * v.z, 1});
    }
    kin_sincos half = kin_sin_cos(0.5 * angle);
    double s = half.sine / angle;
    return (kin_quat){v.x * s, v.y * s, v.z * s, half.cosine};
}

kin_quat kin_quat_between(kin_vec3 a, kin_vec3 b)
{
    kin_vec3 u = kin_normalize_or(a, kin_axis(0)), v = kin_normalize_or(b, kin_axis(0));
    kin_vec3 sum = kin_add(u, v);
    double square = kin_length2(sum); /* 2 + 2 cos */
    if (square < 1e-30) {             /* opposite: half a turn about any axis across u */
        return kin_quat_pure(kin_basis_from_normal(u).t);
    }
    kin_vec3 axis = kin_cross(u, sum); /* u x v, with more digits when v is nearly -u */
    return kin_quat_normalize((kin_quat){axis.x, axis.y, axis.z, 0.5 * square});
}

double kin_quat_angle(kin_quat q) { return 2 * kin_atan2(kin_length(kin_quat_vector(q)), kin_abs(q.w)); }

kin_mat3 kin_quat_to_matrix(kin_quat q)
{
    double xx = 2 * q.x * q.x, yy = 2 * q.y * q.y, zz = 2 * q.z * q.z;
    double xy = 2 * q.x * q.y, xz = 2 * q.x * q.z, yz = 2 * q.y * q.z;
    double wx = 2 * q.w * q.x, wy = 2 * q.w * q.y, wz = 2 * q.w * q.z;
    return (kin_mat3){{1 - yy - zz, xy + wz, xz - wy}, {xy - wz, 1 - xx - zz, yz + wx}, {xz + wy, yz - wx, 1 - xx - yy}};
}

kin_quat kin_quat_from_matrix(kin_mat3 m)
{
    double xx = m.cx.x, yy = m.cy.y, zz = m.cz.z;
    kin_quat q; /* times four times its largest component */
    if (xx + yy + zz >= 0) {
        q = (kin_quat){m.cy.z - m.cz.y, m.cz.x - m.cx.z, m.cx.y - m.cy.x, 1 + xx + yy + zz};
    } else if (xx >= yy && xx >= zz) {
        q = (kin_quat){1 + xx - yy - zz, m.cy.x + m.cx.y, m.cz.x + m.cx.z, m.cy.z - m.cz.y};
    } else if (yy >= zz) {
        q = (kin_quat){m.cy.x + m.cx.y, 1 - xx + yy - zz, m.cz.y + m.cy.z, m.cz.x - m.cx.z};
    } else {
        q = (kin_quat){m.cz.x + m.cx.z, m.cz.y + m.cy.z, 1 - xx - yy + zz, m.cx.y - m.cy.x};
    }
    return kin_quat_normalize(q);
}

kin_quat kin_quat_slerp(kin_quat a, kin_quat b, double s)
{
    if (kin_quat_dot(a, b) < 0) {
        b = kin_quat_neg(b);
    }
    double arc = 2 * kin_atan2(kin_quat_length(kin_quat_sub(b, a)), kin_quat_length(kin_quat_add(a, b)));
    if (arc < 1e-5) { /* chord and arc differ by arc^3/16 */
        return kin_quat_normalize(kin_quat_add(kin_quat_scale(a, 1 - s), kin_quat_scale(b, s)));
    }
    double whole = kin_sin(arc);
    return kin_quat_add(kin_quat_scale(a, kin_sin((1 - s) * arc) / whole), kin_quat_scale(b, kin_sin(s * arc) / whole));
}

kin_quat kin_quat_integrate(kin_quat q, kin_vec3 w, double h) { return kin_quat_normalize(kin_quat_mul(kin_quat_from_rotation_vector(kin_scale(w, h)), q)); }

kin_quat kin_quat_integrate_body(kin_quat q, kin_vec3 w_body, double h)
{
    return kin_quat_normalize(kin_quat_mul(q, kin_quat_from_rotation_vector(kin_scale(w_body, h))));
}

kin_quat kin_quat_integrate_linear(kin_quat q, kin_vec3 w, double h) { return kin_quat_normalize(kin_quat_add(q, kin_quat_scale(kin_quat_rate(q, w), h))); }
