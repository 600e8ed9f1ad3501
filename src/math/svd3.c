/* svd3.c - one-sided Jacobi (Hestenes 1958): turn the columns of M until they are orthogonal. M^T M is never formed, so small
 * singular values keep their digits. */
#include "math/svd3.h"
#include "math/frame.h"

enum { SWEEPS = 20 };

/* Turns two columns of m (and of v) so that they are orthogonal; false if they were. */
static bool orthogonalize(kin_vec3* m_p, kin_vec3* m_q, kin_vec3* v_p, kin_vec3* v_q)
{
    double pp = kin_length2(*m_p), qq = kin_length2(*m_q), pq = kin_dot(*m_p, *m_q);
    if (kin_abs(pq) <= 4e-16 * kin_sqrt(pp) * kin_sqrt(qq)) {
        return false;
    }
    double theta = (qq - pp) / (2 * pq);
    double t = kin_abs(theta) > 1e150 ? 0.5 / theta : (theta < 0 ? -1 : 1) / (kin_abs(theta) + kin_sqrt(theta * theta + 1));
    double c = 1 / kin_sqrt(t * t + 1), s = t * c;
    kin_vec3 mp = *m_p, mq = *m_q, vp = *v_p, vq = *v_q;
    *m_p = kin_add_scaled(kin_scale(mp, c), -s, mq);
    *m_q = kin_add_scaled(kin_scale(mq, c), s, mp);
    *v_p = kin_add_scaled(kin_scale(vp, c), -s, vq);
    *v_q = kin_add_scaled(kin_scale(vq, c), s, vp);
    return true;
}

/* Exchanges two columns; one changes sign so that v stays a rotation. */
static void exchange(kin_vec3* a, kin_vec3* b)
{
    kin_vec3 swap = *a;
    *a = *b;
    *b = kin_neg(swap);
}

/* v without its part along a unit vector. */
static kin_vec3 across(kin_vec3 v, kin_vec3 unit) { return kin_add_scaled(v, -kin_dot(v, unit), unit); }

kin_svd3 kin_mat3_svd(kin_mat3 m)
{
    /* Bring the largest entry to about 1, so that squares neither overflow nor vanish; a power of two changes no digit. */
    double size = kin_max(kin_largest(kin_abs3(m.cx)), kin_max(kin_largest(kin_abs3(m.cy)), kin_largest(kin_abs3(m.cz))));
    double down = 1, up = 1;
    while (size * down > 0x1p100) {
        down *= 0x1p-100;
        up *= 0x1p100;
    }
    while (size > 0 && size * down < 0x1p-100 && down < 0x1p900) {
        down *= 0x1p100;
        up *= 0x1p-100;
    }
    kin_vec3 columns[3] = {kin_scale(m.cx, down), kin_scale(m.cy, down), kin_scale(m.cz, down)};
    kin_vec3 v[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool moved = true;
    for (int sweep = 0; sweep < SWEEPS && moved; ++sweep) {
        moved = orthogonalize(&columns[0], &columns[1], &v[0], &v[1]);
        moved |= orthogonalize(&columns[0], &columns[2], &v[0], &v[2]);
        moved |= orthogonalize(&columns[1], &columns[2], &v[1], &v[2]);
    }
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int i = 0; i < 3; ++i) {
        int p = pairs[i][0], q = pairs[i][1];
        if (kin_length2(columns[p]) < kin_length2(columns[q])) {
            exchange(&columns[p], &columns[q]);
            exchange(&v[p], &v[q]);
        }
    }
    double first = kin_length(columns[0]);
    kin_vec3 x = kin_normalize_or(columns[0], kin_axis(0));
    kin_vec3 y = kin_normalize_or(across(columns[1], x), kin_basis_from_normal(x).t); /* of a zero column any direction will do */
    kin_vec3 z = kin_cross(x, y);
    double second = kin_min(kin_dot(y, columns[1]), first), third = kin_clamp(kin_dot(z, columns[2]), -second, second); /* rounding may swap equals */
    return (kin_svd3){{x, y, z}, {first * up, second * up, third * up}, {v[0], v[1], v[2]}};
}

kin_polar3 kin_mat3_polar(kin_mat3 m)
{
    kin_svd3 d = kin_mat3_svd(m);
    kin_mat3 back = kin_mat3_transpose(d.v);
    kin_mat3 stretch = kin_mat3_mul(kin_mat3_mul(d.v, kin_mat3_diagonal(d.sigma)), back);
    return (kin_polar3){kin_mat3_mul(d.u, back), kin_sym3_of_matrix(stretch)};
}
