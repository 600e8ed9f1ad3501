/* drag.c - six equations for a body among sticky particles. */
#include "domains/sph/boundary/drag.h"

void kin_sph_drag_push(kin_sph_drag* drag, const kin_sph_stick* s)
{
    kin_vec3 p = kin_scale(kin_sph_stick_part(s, s->slip), s->mass), q = kin_cross(s->arm, p);
    const double one[6] = {p.x, p.y, p.z, q.x, q.y, q.z};
    for (int c = 0; c < 6; ++c) drag->push[c] += one[c];
}

void kin_sph_drag_add(kin_sph_drag* drag, const kin_sph_stick* s)
{
    kin_sph_drag_push(drag, s);
    for (int c = 0; c < 6; ++c) {
        kin_vec3 u = c < 3 ? kin_axis(c) : kin_cross(kin_axis(c - 3), s->arm);
        kin_vec3 d = kin_scale(kin_sph_stick_part(s, u), s->mass), e = kin_cross(s->arm, d);
        const double column[6] = {d.x, d.y, d.z, e.x, e.y, e.z};
        for (int r = 0; r < 6; ++r) drag->matrix[r][c] += column[r];
    }
}

/* y = A^-1 y for six unknowns, by elimination with the largest pivot of each column. A is the identity plus a product of two positive matrices: not singular. */
static void solve6(double a[6][6], double y[6])
{
    for (int k = 0; k < 6; ++k) {
        int best = k;
        for (int r = k + 1; r < 6; ++r) best = kin_abs(a[r][k]) > kin_abs(a[best][k]) ? r : best;
        for (int c = 0; c < 6; ++c) {
            double swap = a[k][c];
            a[k][c] = a[best][c], a[best][c] = swap;
        }
        double swap = y[k];
        y[k] = y[best], y[best] = swap;
        for (int r = k + 1; r < 6; ++r) {
            double part = a[r][k] / a[k][k];
            for (int c = k; c < 6; ++c) a[r][c] -= part * a[k][c];
            y[r] -= part * y[k];
        }
    }
    for (int k = 5; k >= 0; --k) {
        for (int c = k + 1; c < 6; ++c) y[k] -= a[k][c] * y[c];
        y[k] /= a[k][k];
    }
}

static void answer(const kin_sph_body* body, const double x[6], double out[6])
{
    kin_twist t = kin_sph_body_answer(body, kin_v(x[0], x[1], x[2]), kin_v(x[3], x[4], x[5]));
    const double six[6] = {t.velocity.x, t.velocity.y, t.velocity.z, t.spin.x, t.spin.y, t.spin.z};
    for (int r = 0; r < 6; ++r) out[r] = six[r];
}

kin_twist kin_sph_drag_solve(const kin_sph_drag* drag, const kin_sph_body* body)
{
    double a[6][6], y[6];
    for (int c = 0; c < 6; ++c) {
        double column[6], answered[6];
        for (int r = 0; r < 6; ++r) column[r] = drag->matrix[r][c];
        answer(body, column, answered);
        for (int r = 0; r < 6; ++r) a[r][c] = answered[r] + (r == c);
    }
    answer(body, drag->push, y);
    solve6(a, y);
    return (kin_twist){kin_v(y[0], y[1], y[2]), kin_v(y[3], y[4], y[5])};
}
