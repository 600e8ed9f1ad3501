/* elliptic.c - complete integrals by the arithmetic-geometric mean, Jacobi's functions by the same steps backwards (descending Landen; Abramowitz and Stegun
 * 16.4, 17.6), incomplete integrals by Carlson's symmetric forms (Numerical Algorithms 10, 1995: duplication, then a series). */
#include "numerics/elliptic.h"
#include "base/error.h"
#include "math/scalar.h"
#include <stdint.h>

enum { MEAN_STEPS = 12 };

/* a and b approach each other quadratically; c = (a - b) / 2 of the step before. */
typedef struct agm {
    double a[MEAN_STEPS + 1], c[MEAN_STEPS + 1];
    int last;
} agm;

static double complement_squared(double k) { return (1 - k) * (1 + k); }

static agm agm_of(double k)
{
    agm m = {.a = {1}, .c = {k}};
    double b = kin_sqrt(complement_squared(k));
    while (m.last < MEAN_STEPS && kin_abs(m.c[m.last]) > 1e-17 * m.a[m.last]) {
        double a = m.a[m.last++];
        m.a[m.last] = 0.5 * (a + b);
        m.c[m.last] = 0.5 * (a - b);
        b = kin_sqrt(a * b);
    }
    return m;
}

double kin_elliptic_k(double k)
{
    KIN_ASSERT(kin_abs(k) <= 1);
    if (kin_abs(k) >= 1) return __builtin_inf();
    agm m = agm_of(k);
    return 0.5 * KIN_PI / m.a[m.last];
}

double kin_elliptic_e(double k)
{
    KIN_ASSERT(kin_abs(k) <= 1);
    if (kin_abs(k) >= 1) return 1;
    agm m = agm_of(k);
    double sum = 0, weight = 0.5;
    for (int i = 0; i <= m.last; ++i, weight *= 2) sum += weight * m.c[i] * m.c[i];
    return 0.5 * KIN_PI / m.a[m.last] * (1 - sum);
}

/* ---- Carlson's forms ---- */

/* R_F = 1/2 integral of dt / sqrt((t + x)(t + y)(t + z)) from 0 on; at most one argument is 0. */
static double carlson_f(double x, double y, double z)
{
    double mean = (x + y + z) / 3, first_x = mean - x, first_y = mean - y, scale = 1;
    double spread = 400 * kin_max(kin_max(kin_abs(first_x), kin_abs(first_y)), kin_abs(mean - z));
    for (int i = 0; i < 60 && scale * spread > mean; ++i) {
        double root_x = kin_sqrt(x), root_y = kin_sqrt(y), root_z = kin_sqrt(z), lambda = root_x * root_y + root_x * root_z + root_y * root_z;
        x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda);
        mean = 0.25 * (mean + lambda);
        scale *= 0.25;
    }
    double dx = scale * first_x / mean, dy = scale * first_y / mean, dz = -dx - dy, e2 = dx * dy - dz * dz, e3 = dx * dy * dz;
    double series = 1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44 - 5 * e2 * e2 * e2 / 208 + 3 * e3 * e3 / 104 + e2 * e2 * e3 / 16;
    return series / kin_sqrt(mean);
}

/* R_C(1, 1 + e) */
static double carlson_c(double e)
{
    if (kin_abs(e) < 1e-3) return 1 + e * (-1.0 / 3 + e * (1.0 / 5 + e * (-1.0 / 7 + e * (1.0 / 9 - e / 11))));
    double root = kin_sqrt(kin_abs(e));
    return (e > 0 ? kin_atan(root) : 0.5 * kin_ln((1 + root) / (1 - root))) / root;
}

static double series_j(double dx, double dy, double dz)
{
    double dp = -0.5 * (dx + dy + dz), all = dx * dy * dz, e2 = dx * dy + dx * dz + dy * dz - 3 * dp * dp, e3 = all + 2 * e2 * dp + 4 * dp * dp * dp;
    double e4 = (2 * all + e2 * dp + 3 * dp * dp * dp) * dp, e5 = all * dp * dp;
    return 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26 - e2 * e2 * e2 / 16 + 3 * e3 * e3 / 40 + 3 * e2 * e4 / 20
           + 45 * e2 * e2 * e3 / 272 - 9 * (e3 * e4 + e2 * e5) / 68;
}

/* R_J = 3/2 integral of dt / ((t + p) sqrt((t + x)(t + y)(t + z))), p > 0. */
static double carlson_j(double x, double y, double z, double p)
{
    double mean = (x + y + z + 2 * p) / 5, first_x = mean - x, first_y = mean - y, first_z = mean - z, scale = 1, sum = 0;
    double spread = 600 * kin_max(kin_max(kin_abs(first_x), kin_abs(first_y)), kin_max(kin_abs(first_z), kin_abs(mean - p)));
    double delta = (p - x) * (p - y) * (p - z);
    for (int i = 0; i < 60 && scale * spread > mean; ++i) {
        double root_x = kin_sqrt(x), root_y = kin_sqrt(y), root_z = kin_sqrt(z), root_p = kin_sqrt(p);
        double lambda = root_x * root_y + root_x * root_z + root_y * root_z, d = (root_p + root_x) * (root_p + root_y) * (root_p + root_z);
        sum += scale / d * carlson_c(scale * scale * scale * delta / (d * d));
        x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda), p = 0.25 * (p + lambda);
        mean = 0.25 * (mean + lambda);
        scale *= 0.25;
    }
    double shrink = scale / mean;
    return scale * series_j(shrink * first_x, shrink * first_y, shrink * first_z) / (mean * kin_sqrt(mean)) + 6 * sum;
}

/* ---- incomplete ---- */

double kin_elliptic_pi(double n, double k)
{
    KIN_ASSERT(kin_abs(k) < 1 && n < 1);
    double rest = complement_squared(k);
    return kin_elliptic_k(k) + n / 3 * carlson_j(0, rest, 1, 1 - n);
}

/* phi = half * pi + rest, |rest| <= pi / 2: every half turn adds two complete integrals. */
typedef struct reduced {
    double half, s, c2, d2; /* sine of the rest, cosine and 1 - k^2 s^2 squared */
} reduced;

static reduced reduce(double phi, double k)
{
    double half = kin_round(phi / KIN_PI);
    kin_sincos rest = kin_sin_cos(phi - half * KIN_PI);
    double c2 = rest.cosine * rest.cosine;
    return (reduced){half, rest.sine, c2, complement_squared(k) + k * k * c2};
}

double kin_elliptic_first(double phi, double k)
{
    KIN_ASSERT(kin_abs(k) <= 1);
    reduced r = reduce(phi, k);
    if (r.half != 0 && kin_abs(k) >= 1) return phi > 0 ? __builtin_inf() : -__builtin_inf();
    double part = r.s * carlson_f(r.c2, r.d2, 1);
    return r.half == 0 ? part : part + 2 * r.half * kin_elliptic_k(k);
}

double kin_elliptic_second(double phi, double k)
{
    KIN_ASSERT(kin_abs(k) <= 1);
    reduced r = reduce(phi, k);
    double part = kin_abs(k) >= 1 ? r.s : r.s * (carlson_f(r.c2, r.d2, 1) - k * k * r.s * r.s / 3 * carlson_j(r.c2, r.d2, 1, 1));
    return r.half == 0 ? part : part + 2 * r.half * kin_elliptic_e(k);
}

double kin_elliptic_third(double n, double phi, double k)
{
    KIN_ASSERT(kin_abs(k) <= 1);
    reduced r = reduce(phi, k);
    if (r.half != 0 && kin_abs(k) >= 1) return phi > 0 ? __builtin_inf() : -__builtin_inf();
    KIN_ASSERT(n * r.s * r.s < 1);
    double part = r.s * (carlson_f(r.c2, r.d2, 1) + n * r.s * r.s / 3 * carlson_j(r.c2, r.d2, 1, 1 - n * r.s * r.s));
    return r.half == 0 ? part : part + 2 * r.half * kin_elliptic_pi(n, k);
}

/* ---- Jacobi ---- */

static double tangent_hyperbolic(double u)
{
    double u2 = u * u, e = kin_exp(-2 * kin_abs(u)), size = (1 - e) / (1 + e);
    if (u2 < 1e-3) return u * (1 + u2 * (-1.0 / 3 + u2 * (2.0 / 15 + u2 * (-17.0 / 315 + u2 * 62.0 / 2835))));
    return u < 0 ? -size : size;
}

static kin_jacobi jacobi_hyperbolic(double u)
{
    double e = kin_exp(-kin_abs(u)), s = tangent_hyperbolic(u), c = 2 * e / (1 + e * e);
    return (kin_jacobi){s, c, c, kin_atan2(s, c)};
}

kin_jacobi kin_jacobi_at(double u, double k)
{
    KIN_ASSERT(kin_abs(k) <= 1);
    if (kin_abs(k) >= 1) return jacobi_hyperbolic(u);
    agm m = agm_of(k);
    double period = 2 * KIN_PI / m.a[m.last], turns = kin_round(u / period); /* 4 K */
    double phi = (double)(INT64_C(1) << m.last) * m.a[m.last] * (u - turns * period);
    for (int i = m.last; i > 0; --i) phi = 0.5 * (phi + kin_asin(m.c[i] / m.a[i] * kin_sin(phi)));
    kin_sincos at = kin_sin_cos(phi);
    double dn = kin_sqrt(complement_squared(k) + kin_square(k * at.cosine)); /* no difference of near equals */
    return (kin_jacobi){at.sine, at.cosine, dn, phi + 2 * KIN_PI * turns};
}
