/* elliptic_test.c - elliptic integrals and Jacobi's functions: tables (Abramowitz and Stegun ch. 16 and 17), identities, limits, two tops. */
#include "numerics/elliptic.h"
#include "math/scalar.h"
#include "numerics/roots.h"
#include "problems.h"

static double degrees(double angle) { return angle * KIN_PI / 180; }

static void complete_integrals(test* t)
{
    static const double table[][3] = {/* m, K, E: table 17.1, 15 decimals */
                                      {0, 1.570796326794897, 1.570796326794897},
                                      {0.1, 1.612441348720219, 1.530757636897763},
                                      {0.5, 1.854074677301372, 1.350643881047675},
                                      {0.9, 2.578092113348173, 1.104774732704073},
                                      {0.99, 3.695637362989875, 1.015993545025224}};
    for (int i = 0; i < 5; ++i) {
        double k = kin_sqrt(table[i][0]);
        NEAR(t, kin_elliptic_k(k), table[i][1], 3e-15);
        NEAR(t, kin_elliptic_e(-k), table[i][2], 3e-15);
    }
    NEAR(t, kin_elliptic_k(kin_sin(degrees(88))), 4.742717265, 1e-8);
    NEAR(t, kin_elliptic_pi(0.9, 0.5), 5.53551, 5e-6); /* table 17.9 */
    CHECK(t, kin_elliptic_k(1) > 1e308);
    NEAR(t, kin_elliptic_e(1), 1, 0);
    for (double k = 0.05; k < 1; k += 0.05) { /* Legendre's relation */
        double other = kin_sqrt(1 - k * k), e = kin_elliptic_e(k), f = kin_elliptic_k(k), e1 = kin_elliptic_e(other), f1 = kin_elliptic_k(other);
        NEAR(t, e * f1 + e1 * f - f * f1, KIN_PI / 2, 1e-14);
    }
}

static void incomplete_integrals(test* t)
{
    static const double first[][4] = {/* modular angle, phi in degrees, F, E: tables 17.5 and 17.6 */
                                      {30, 30, 0.52942863, 0.51788193},
                                      {60, 45, 0.85122375, 0.72822416},
                                      {10, 80, 1.40564522, 1.38697886}};
    static const double third[][4] = {{0.1, 15, 15, 0.26259}, {0.5, 45, 45, 0.91902}, {0.9, 60, 60, 1.92081}}; /* n, phi, modular angle: table 17.9 */
    for (int i = 0; i < 3; ++i) {
        double k = kin_sin(degrees(first[i][0])), phi = degrees(first[i][1]);
        NEAR(t, kin_elliptic_first(phi, k), first[i][2], 6e-9);
        NEAR(t, kin_elliptic_second(phi, k), first[i][3], 6e-9);
        NEAR(t, kin_elliptic_third(third[i][0], degrees(third[i][1]), kin_sin(degrees(third[i][2]))), third[i][3], 5e-6);
    }
    /* By arithmetic of 20 digits. */
    NEAR(t, kin_elliptic_first(20.5, 0.3), 20.988116872261106, 1e-14);
    NEAR(t, kin_elliptic_second(20.5, 0.3), 20.028822090751326, 1e-14);
    NEAR(t, kin_elliptic_first(-3, 0.9), -4.4191211292645569, 3e-15);
    NEAR(t, kin_elliptic_second(-3, 0.9), -2.2021840751333118, 3e-15);
    NEAR(t, kin_elliptic_first(1.57, 0.999999), 7.4105629368216923, 1e-14);
    NEAR(t, kin_elliptic_second(1.57, 0.999999), 1.0000062643413466, 3e-15);
    NEAR(t, kin_elliptic_third(-3.5, 2.5, 0.7), 1.1522770099484615, 3e-15);
    NEAR(t, kin_elliptic_third(0.3, -7.1, 0.95), -13.981342279793279, 1e-14);
    NEAR(t, kin_elliptic_third(0.999, 1.2, 0.2), 2.5944357497699732, 3e-15);
    NEAR(t, kin_elliptic_third(1.5, 0.5, 0.4), 0.58034005027671754, 1e-15);
    NEAR(t, kin_elliptic_third(-1e6, 1.3, 0.999), 0.0015717426761646143, 1e-15); /* the difference of larger ones */
}

/* k = 0: sines and lengths of arc; k = 1: the hyperbolic ones. */
static void limits(test* t)
{
    for (double x = -6; x <= 6; x += 0.37) {
        kin_jacobi round = kin_jacobi_at(x, 0), steep = kin_jacobi_at(x, 1), nearly = kin_jacobi_at(x, 1 - 1e-15);
        NEAR(t, round.sn, kin_sin(x), 1e-15);
        NEAR(t, round.cn, kin_cos(x), 1e-15);
        NEAR(t, round.dn, 1, 0);
        NEAR(t, steep.sn, tanh(x), 1e-15);
        NEAR(t, steep.cn, 1 / cosh(x), 1e-15);
        NEAR(t, steep.dn, steep.cn, 0);
        NEAR(t, kin_sin(steep.am), steep.sn, 1e-15);
        NEAR(t, nearly.sn, steep.sn, 1e-13); /* off by (1 - k^2) cosh^2 / 4 */
        NEAR(t, nearly.dn, steep.dn, 1e-12);
        NEAR(t, kin_elliptic_first(x, 0), x, 4e-15);
        NEAR(t, kin_elliptic_second(x, 0), x, 4e-15);
        if (kin_abs(x) < 1.5) {
            NEAR(t, kin_elliptic_first(x, 1), atanh(kin_sin(x)), 1e-14);
            NEAR(t, kin_elliptic_second(x, 1), kin_sin(x), 1e-15);
            NEAR(t, kin_elliptic_third(0, x, 0.6), kin_elliptic_first(x, 0.6), 0);
        }
    }
    CHECK(t, kin_elliptic_first(2, 1) > 1e308);
    CHECK(t, kin_elliptic_first(-2, 1) < -1e308);
    NEAR(t, kin_elliptic_first(1e-9, 0.5), 1e-9, 1e-24);
    NEAR(t, kin_jacobi_at(1e-8, 1).sn, 1e-8, 1e-23);
    double k = 1e-3; /* K = pi/2 (1 + k^2/4 + 9 k^4/64), E = pi/2 (1 - k^2/4 - 3 k^4/64) */
    NEAR(t, kin_elliptic_k(k), KIN_PI / 2 * (1 + k * k / 4 + 9 * k * k * k * k / 64), 1e-15);
    NEAR(t, kin_elliptic_e(k), KIN_PI / 2 * (1 - k * k / 4 - 3 * k * k * k * k / 64), 1e-15);
    double rest = 1e-3, steep = kin_sqrt((1 - rest) * (1 + rest)), large = kin_ln(4 / rest); /* K = ln(4 / k') + k'^2 / 4 (ln(4 / k') - 1) */
    NEAR(t, kin_elliptic_k(steep), large + rest * rest / 4 * (large - 1), 1e-9);             /* k' is known to 1e-10 */
}

static void jacobi_values(test* t)
{
    static const double want[][5] = {/* u, k, sn, cn, dn; the first is the example of 16.4 (.19762, .98028, .98406), all by arithmetic of 20 digits */
                                     {0.2, 0.9, 0.19762082367187650, 0.98027853697367520, 0.98405602896456651},
                                     {1.3, 0.5, 0.94404856749122021, 0.32980646175867301, 0.88158554636203273},
                                     {-4.7, 0.999, -0.99995765670332322, -0.0092024344821789198, 0.045645542120592677},
                                     {1e3, 0.6, -0.9671030076643447, 0.25438508715445258, 0.81443000811854192}};
    for (int i = 0; i < 4; ++i) {
        kin_jacobi j = kin_jacobi_at(want[i][0], want[i][1]);
        double tolerance = 1e-15 * (2 + 2 * kin_abs(want[i][0]));
        NEAR(t, j.sn, want[i][2], tolerance);
        NEAR(t, j.cn, want[i][3], tolerance);
        NEAR(t, j.dn, want[i][4], tolerance);
    }
}

/* sn^2 + cn^2 = 1, dn^2 + k^2 sn^2 = 1, am inverts F; sn' = cn dn, cn' = -sn dn, dn' = -k^2 sn cn, am' = dn by central differences. */
static void jacobi_identities(test* t)
{
    const double h = 1e-5;
    for (double k = 0; k <= 1; k += 0.0625) {
        for (double u = -9; u < 9; u += 0.31) {
            kin_jacobi j = kin_jacobi_at(u, k), a = kin_jacobi_at(u - h, k), b = kin_jacobi_at(u + h, k);
            NEAR(t, j.sn * j.sn + j.cn * j.cn, 1, 1e-15);
            NEAR(t, j.dn * j.dn + k * k * j.sn * j.sn, 1, 1e-15);
            NEAR(t, (b.sn - a.sn) / (2 * h), j.cn * j.dn, 5e-10);
            NEAR(t, (b.cn - a.cn) / (2 * h), -j.sn * j.dn, 5e-10);
            NEAR(t, (b.dn - a.dn) / (2 * h), -k * k * j.sn * j.cn, 5e-10);
            NEAR(t, (b.am - a.am) / (2 * h), j.dn, 5e-10);
            if (k < 1) NEAR(t, kin_elliptic_first(j.am, k), u, 2e-13); /* steep k: am hardly moves with u */
        }
    }
}

/* ---- the free top ---- */

static const double moment[3] = {1, 2, 3.5}; /* kg m^2 */

/* y = (w1, w2, w3, phi): Euler's equations in the body's axes and the precession about the fixed angular momentum. */
static void free_top(void* context, double time, const double* w, double* rate)
{
    (void)context, (void)time;
    double l1 = moment[0] * w[0], l2 = moment[1] * w[1], l3 = moment[2] * w[2];
    rate[0] = (moment[1] - moment[2]) * w[1] * w[2] / moment[0];
    rate[1] = (moment[2] - moment[0]) * w[2] * w[0] / moment[1];
    rate[2] = (moment[0] - moment[1]) * w[0] * w[1] / moment[2];
    rate[3] = kin_sqrt(l1 * l1 + l2 * l2 + l3 * l3) * (l1 * w[0] + l2 * w[1]) / (l1 * l1 + l2 * l2);
}

/* Landau and Lifshitz, Mechanics, 37: M^2 > 2 E I2, at t = 0 w2 = 0. */
static void euler_top(test* t)
{
    double i1 = moment[0], i2 = moment[1], i3 = moment[2], w1 = 1.1, w3 = 0.9;
    double energy2 = i1 * w1 * w1 + i3 * w3 * w3, m2 = i1 * i1 * w1 * w1 + i3 * i3 * w3 * w3, m = kin_sqrt(m2);
    CHECK(t, m2 > energy2 * i2);
    double a1 = kin_sqrt((energy2 * i3 - m2) / (i1 * (i3 - i1))), a2 = kin_sqrt((energy2 * i3 - m2) / (i2 * (i3 - i2)));
    double a3 = kin_sqrt((m2 - energy2 * i1) / (i3 * (i3 - i1))), rate = kin_sqrt((i3 - i2) * (m2 - energy2 * i1) / (i1 * i2 * i3));
    double k = kin_sqrt((i2 - i1) * (energy2 * i3 - m2) / ((i3 - i2) * (m2 - energy2 * i1))), left = m2 - i3 * i3 * a3 * a3;
    kin_ode ode = {.size = 4, .derivative = free_top};
    run r = run_begin(kin_ode_method_named(KIN_SIMD_NONE, "rk4"), &ode, 1e-3, (double[]){w1, 0, w3, 0});
    for (int i = 1; i <= 20; ++i) {
        run_steps(&r, 500);
        kin_jacobi j = kin_jacobi_at(rate * r.t, k);
        NEAR(t, r.y[0], a1 * j.cn, 1e-11);
        NEAR(t, r.y[1], a2 * j.sn, 1e-11);
        NEAR(t, r.y[2], a3 * j.dn, 1e-11);
        double n = -kin_square(i3 * a3 * k) / left, turned = kin_elliptic_third(n, j.am, k) / rate;
        NEAR(t, r.y[3], m * r.t / i3 + m * (energy2 - m2 / i3) / left * turned, 1e-10);
    }
}

/* ---- the heavy top ---- */

typedef struct heavy {
    double alpha, beta, a, b; /* energy, weight, spin, precession: Goldstein 5.7 */
} heavy;

/* y = (u, u', phi) of u = cos theta: u'^2 = f(u) = (1 - u^2)(alpha - beta u) - (b - a u)^2. */
static void heavy_top(void* context, double time, const double* y, double* rate)
{
    const heavy* h = context;
    (void)time;
    double u = y[0];
    rate[0] = y[1];
    rate[1] = 0.5 * (-2 * u * (h->alpha - h->beta * u) - h->beta * (1 - u * u) + 2 * h->a * (h->b - h->a * u));
    rate[2] = (h->b - h->a * u) / (1 - u * u);
}

/* Held at 0.6 and let go: cusps. u = u1 + (u2 - u1) sn^2, phi by two integrals of the third kind. */
static void nutation(test* t)
{
    heavy h = {.beta = 3, .a = 2.5};
    double u0 = 0.6, roots[3];
    h.alpha = h.beta * u0, h.b = h.a * u0;
    double f[4] = {h.alpha - h.b * h.b, 2 * h.a * h.b - h.beta, -h.alpha - h.a * h.a, h.beta};
    EQUAL(t, kin_roots_cubic(f, roots), 3);
    NEAR(t, roots[1], u0, 1e-14);
    double rate = 0.5 * kin_sqrt(h.beta * (roots[2] - roots[0])), k = kin_sqrt((roots[1] - roots[0]) / (roots[2] - roots[0])), start = kin_elliptic_k(k);
    double up = (roots[1] - roots[0]) / (1 - roots[0]), down = -(roots[1] - roots[0]) / (1 + roots[0]);
    kin_ode ode = {.size = 3, .context = &h, .derivative = heavy_top};
    run r = run_begin(kin_ode_method_named(KIN_SIMD_NONE, "rk4"), &ode, 1e-3, (double[]){u0, 0, 0});
    for (int i = 1; i <= 20; ++i) {
        run_steps(&r, 500);
        kin_jacobi j = kin_jacobi_at(start + rate * r.t, k);
        NEAR(t, r.y[0], roots[0] + (roots[1] - roots[0]) * j.sn * j.sn, 1e-10);
        double phi = (h.b - h.a) / (1 - roots[0]) * (kin_elliptic_third(up, j.am, k) - kin_elliptic_pi(up, k))
                     + (h.b + h.a) / (1 + roots[0]) * (kin_elliptic_third(down, j.am, k) - kin_elliptic_pi(down, k));
        NEAR(t, r.y[2], 0.5 * phi / rate, 1e-10);
    }
}

TEST_MAIN("elliptic", TEST(complete_integrals), TEST(incomplete_integrals), TEST(limits), TEST(jacobi_values), TEST(jacobi_identities), TEST(euler_top),
          TEST(nutation))
