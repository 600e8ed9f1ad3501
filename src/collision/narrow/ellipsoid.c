/* ellipsoid.c - the nearest point of an ellipsoid, and its curvature.
 *
 * The nearest point y to x has x - y along the normal there: y_i = a_i^2 x_i / (t + a_i^2), with t the largest root of sum (a_i x_i / (t + a_i^2))^2 = 1
 * (Eberly, Distance from a point to an ellipse, an ellipsoid or a hyperellipsoid, 2013). Lengths are measured in the least semi-axis, and t from its pole there, so
 * that nothing cancels where x is next to the plane across that axis. */
#include "collision/narrow/ellipsoid.h"

/* Numerators h_i x_i and poles h_i^2 - 1, of semi-axes h_i >= 1. */
typedef struct secular {
    double c[3], pole[3];
} secular;

/* 1 / sqrt(sum) - 1 is concave and rises with t, so Newton's steps come from below and never pass the root. */
static double root_of(const secular* q)
{
    double t = 0;
    for (int i = 0; i < 3; ++i) t = kin_max(t, q->c[i] - q->pole[i]);
    for (int k = 0; k < 100; ++k) {
        double sum = 0, slope = 0;
        for (int i = 0; i < 3; ++i) {
            if (q->c[i] == 0) continue;
            const double part = q->c[i] / (t + q->pole[i]);
            sum += part * part, slope += part * part / (t + q->pole[i]);
        }
        const double next = t + sum * (kin_sqrt(sum) - 1) / slope;
        if (!(next > t)) break;
        t = next;
    }
    return t;
}

/* On the plane across the least axis, and so far inside that the nearest points are beside it: the root is the pole. *beside: of the unit axis. */
static bool is_at_pole(const secular* q, int least, double* beside)
{
    double sum = 0;
    if (q->c[least] != 0) return false;
    for (int i = 0; i < 3; ++i) {
        if (q->c[i] == 0) continue;
        if (q->pole[i] == 0) return false;
        sum += kin_square(q->c[i] / q->pole[i]);
    }
    *beside = kin_sqrt(kin_max(0, 1 - sum));
    return sum <= 1;
}

kin_ellipsoid_point kin_ellipsoid_closest(kin_vec3 half, kin_vec3 x)
{
    const int least = half.x <= half.y ? (half.x <= half.z ? 0 : 2) : (half.y <= half.z ? 1 : 2);
    const double unit = kin_component(half, least);
    double h[3] = {1, 1, 1}, y[3], n[3], t = 0, beside = 0;
    secular q;
    for (int i = 0; i < 3; ++i) {
        h[i] = kin_component(half, i) / unit, y[i] = kin_component(x, i) / unit;
        q.c[i] = h[i] * kin_abs(y[i]), q.pole[i] = (h[i] - 1) * (h[i] + 1);
    }
    const bool at_pole = is_at_pole(&q, least, &beside);
    if (!at_pole) t = root_of(&q);
    for (int i = 0; i < 3; ++i) n[i] = y[i] == 0 ? 0 : y[i] / (t + q.pole[i]);
    if (at_pole) n[least] = beside;
    const kin_vec3 gradient = {n[0], n[1], n[2]};
    return (kin_ellipsoid_point){.distance = (t - 1) * kin_length(gradient) * unit,
                                 .point = kin_scale(kin_v(h[0] * h[0] * n[0], h[1] * h[1] * n[1], h[2] * h[2] * n[2]), unit),
                                 .normal = kin_normalize_or(gradient, kin_axis(least))};
}

kin_sym3 kin_ellipsoid_curvature(kin_vec3 half, kin_vec3 u)
{
    const kin_vec3 scaled = kin_mul(half, u), at = kin_mul(half, kin_normalize_or(scaled, u));
    const kin_sym3 all = kin_sym3_diagonal(kin_mul(half, half)), own = kin_sym3_square(at);
    return kin_sym3_scale(kin_sym3_add(all, kin_sym3_scale(own, -1)), 1 / kin_length(scaled));
}
