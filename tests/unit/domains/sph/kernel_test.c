/* kernel_test.c - bells: integrals, moments, slopes against differences, Laplacians, sums over lattices. */
#include "domains/sph/kernel.h"
#include "support/test.h"
#include <math.h>

static const char* const names[KIN_SPH_BELL_COUNT] = {"cubic", "quintic", "wendland2", "wendland4", "quartic", "poly6", "spiky", "viscosity"};

/* Integral over the plane or space of value(r) r^power, by Gauss-Legendre points of order 3 in pieces that end where formulas do (sixths of the support). */
static double integral(const kin_sph_bell* b, double (*value)(const kin_sph_bell*, double), int power, double from)
{
    static const double x[3] = {-0.7745966692414834, 0, 0.7745966692414834}, w[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    int pieces = 6000;
    double sum = 0, h = (b->support - from) / pieces;
    for (int i = 0; i < pieces; ++i) {
        for (int k = 0; k < 3; ++k) {
            double r = from + h * (i + 0.5 + 0.5 * x[k]), shell = b->dimensions == 3 ? 4 * M_PI * r * r : 2 * M_PI * r;
            sum += 0.5 * h * w[k] * shell * value(b, r) * pow(r, power);
        }
    }
    return sum;
}

static void integrals_are_one(test* t)
{
    for (int d = 2; d <= 3; ++d) {
        for (int kind = 0; kind < KIN_SPH_BELL_COUNT; ++kind) {
            kin_sph_bell b = kin_sph_bell_of((kin_sph_bell_kind)kind, d, 0.3);
            test_check(t, fabs(integral(&b, kin_sph_bell_w, 0, 0) - 1) < 1e-6, __FILE__, __LINE__, "%s in %d dimensions: %.9f", names[kind], d,
                       integral(&b, kin_sph_bell_w, 0, 0));
        }
    }
}

/* Second moments, in supports squared, worked out by hand from the polynomials. */
static void second_moments(test* t)
{
    static const double want[] = {[KIN_SPH_BELL_CUBIC] = 9.0 / 40,     [KIN_SPH_BELL_WENDLAND2] = 1.0 / 5, [KIN_SPH_BELL_WENDLAND4] = 2.0 / 13,
                                  [KIN_SPH_BELL_QUARTIC] = 23.0 / 125, [KIN_SPH_BELL_POLY6] = 3.0 / 11,    [KIN_SPH_BELL_SPIKY] = 3.0 / 14};
    for (int kind = 0; kind <= KIN_SPH_BELL_SPIKY; ++kind) {
        if (want[kind] == 0) continue;
        kin_sph_bell b = kin_sph_bell_of((kin_sph_bell_kind)kind, 3, 2.0);
        NEAR(t, integral(&b, kin_sph_bell_w, 2, 0) / 4, want[kind], 1e-8);
    }
}

static void slopes_are_derivatives(test* t)
{
    for (int d = 2; d <= 3; ++d) {
        for (int kind = 0; kind < KIN_SPH_BELL_COUNT; ++kind) {
            kin_sph_bell b = kin_sph_bell_of((kin_sph_bell_kind)kind, d, 0.5);
            for (double r = 0.033; r < 0.499; r += 0.0171) {
                double e = 1e-5, w = kin_sph_bell_w(&b, r), plus = kin_sph_bell_w(&b, r + e), minus = kin_sph_bell_w(&b, r - e);
                double first = (plus - minus) / (2 * e), second = (plus - 2 * w + minus) / (e * e), size = kin_sph_bell_peak(&b);
                if (kind == KIN_SPH_BELL_VISCOSITY) size *= 1e3; /* its derivatives grow as 1/r^3 */
                NEAR(t, kin_sph_bell_slope(&b, r) * r, first, 1e-6 * size / 0.5);
                NEAR(t, kin_sph_bell_laplacian(&b, r), second + (d - 1) * first / r, 2e-3 * size);
            }
        }
    }
}

/* Of a bell that is smooth enough: what flows out through a sphere beyond its support is nothing. W'' alone would give 6 / s^2 for the cubic spline (s half the
 * support). */
static void laplacians_sum_to_nothing(test* t)
{
    static const kin_sph_bell_kind smooth[] = {KIN_SPH_BELL_CUBIC,     KIN_SPH_BELL_QUINTIC, KIN_SPH_BELL_WENDLAND2,
                                               KIN_SPH_BELL_WENDLAND4, KIN_SPH_BELL_QUARTIC, KIN_SPH_BELL_POLY6};
    for (int d = 2; d <= 3; ++d) {
        for (size_t i = 0; i < sizeof smooth / sizeof *smooth; ++i) {
            kin_sph_bell b = kin_sph_bell_of(smooth[i], d, 1);
            NEAR(t, integral(&b, kin_sph_bell_laplacian, 0, 0), 0, 1e-5);
        }
    }
    kin_sph_bell b = kin_sph_bell_of(KIN_SPH_BELL_CUBIC, 3, 2); /* s = 1: -9 (1 - r) / pi */
    for (double r = 0.1; r < 1; r += 0.2) NEAR(t, kin_sph_bell_laplacian(&b, r), -9 * (1 - r) / M_PI, 1e-12);
    kin_sph_bell v = kin_sph_bell_of(KIN_SPH_BELL_VISCOSITY, 3, 1);
    for (double r = 0.1; r < 1; r += 0.2) NEAR(t, kin_sph_bell_laplacian(&v, r), 45 / M_PI * (1 - r), 1e-9);
    kin_sph_bell p = kin_sph_bell_of(KIN_SPH_BELL_POLY6, 3, 1), s = kin_sph_bell_of(KIN_SPH_BELL_SPIKY, 3, 1);
    for (double r = 0.1; r < 1; r += 0.2) {
        NEAR(t, kin_sph_bell_laplacian(&p, r), -945 / (32 * M_PI) * (1 - r * r) * (3 - 7 * r * r), 1e-9);
        NEAR(t, kin_sph_bell_laplacian(&s, r), -90 / (M_PI * r) * (1 - r) * (1 - 2 * r), 1e-9);
    }
}

static void lattice_of_the_cubic_spline(test* t)
{
    kin_sph_bell b = kin_sph_bell_of(KIN_SPH_BELL_CUBIC, 3, 2);
    NEAR(t, kin_sph_lattice_density(&b, 1), 0.999972, 5e-7);
}

static void scaled_bells_have_a_lattice_of_one(test* t)
{
    for (int d = 2; d <= 3; ++d) {
        for (int kernel = KIN_SPH_CUBIC; kernel <= KIN_SPH_QUARTIC; ++kernel) {
            kin_sph_bell a = kin_sph_bell_for_density((kin_sph_kernel)kernel, d, 0.04, 0.02),
                         b = kin_sph_bell_for_gradient((kin_sph_kernel)kernel, d, 0.04, 0.02);
            NEAR(t, kin_sph_lattice_density(&a, 0.02), 1, 1e-12);
            NEAR(t, kin_sph_lattice_density(&b, 0.02), 1, 1e-12);
        }
    }
}

static double bend(const kin_sph_bell* b, double r) { return kin_sph_bell_laplacian(b, r) - (b->dimensions - 1) * kin_sph_bell_slope(b, r); }

/* H14.5, with s half the support: w(0) = 1 / (pi s^3), grad w(0) = 0, w = (2 - r/s)^3 / (4 pi s^3) beyond s, which ends with its slope and its bend at 2 s; the
 * integral of w'' is 6 / s^2, that of the Laplacian is none. */
static void the_cubic_spline_of_the_text(test* t)
{
    const double s = 0.4;
    kin_sph_bell b = kin_sph_bell_of(KIN_SPH_BELL_CUBIC, 3, 2 * s);
    NEAR(t, kin_sph_bell_w(&b, 0) * M_PI * s * s * s, 1, 1e-15);
    NEAR(t, kin_sph_bell_slope(&b, 0) * M_PI * pow(s, 5), -3, 1e-14); /* finite: w' = 0 there */
    for (double left = 1; left > 1e-6; left /= 4) {
        double r = s * (2 - left), unit = 4 * M_PI * s * s * s;
        left = 2 - r / s; /* as rounded */
        NEAR(t, kin_sph_bell_w(&b, r) * unit, left * left * left, 1e-14);
        NEAR(t, kin_sph_bell_slope(&b, r) * r * s * unit, -3 * left * left, 1e-13);
        NEAR(t, bend(&b, r) * s * s * unit, 6 * left, 1e-13);
    }
    NEAR(t, integral(&b, bend, 0, 0) * s * s, 6, 1e-5);
    NEAR(t, integral(&b, kin_sph_bell_laplacian, 0, 0) * s * s, 0, 1e-5);
}

/* Where a bell is smooth at 0, W'/r has W'' as its limit there. */
static void middles_are_smooth(test* t)
{
    for (int d = 2; d <= 3; ++d) {
        for (int kind = 0; kind < KIN_SPH_BELL_SPIKY; ++kind) {
            kin_sph_bell b = kin_sph_bell_of((kin_sph_bell_kind)kind, d, 1);
            double limit = kin_sph_bell_slope(&b, 0), near = kin_sph_bell_slope(&b, 1e-4), bending = fabs(bend(&b, 0));
            NEAR(t, limit, bend(&b, 0), 1e-5 * bending); /* taken a millionth of the support away, the quintic's is that much off */
            NEAR(t, limit, near, 3.01e-4 * bending);     /* of first order in r at most: 3 r, of Wendland's C2 */
        }
    }
}

/* From inside, at a distance e of the end: W falls as e^n, W' as e^(n-1) and W'' as e^(n-2), so that n - 1 derivatives are continuous; beyond, all is 0. */
static void ends_are_smooth(test* t)
{
    static const int orders[KIN_SPH_BELL_COUNT] = {3, 5, 4, 6, 4, 3, 3, 3};
    for (int d = 2; d <= 3; ++d) {
        for (int kind = 0; kind < KIN_SPH_BELL_COUNT; ++kind) {
            kin_sph_bell b = kin_sph_bell_of((kin_sph_bell_kind)kind, d, 1);
            const double e = 1e-3, one = 1 - e, two = 1 - 2 * e, n = orders[kind], first_order = 10 * e;
            test_near(t, __FILE__, __LINE__, names[kind], log2(kin_sph_bell_w(&b, two) / kin_sph_bell_w(&b, one)), n, first_order);
            test_near(t, __FILE__, __LINE__, names[kind], log2(two * kin_sph_bell_slope(&b, two) / (one * kin_sph_bell_slope(&b, one))), n - 1, first_order);
            test_near(t, __FILE__, __LINE__, names[kind], log2(bend(&b, two) / bend(&b, one)), n - 2, first_order);
            for (double r = 1; r < 1.2; r += 0.1) CHECK(t, kin_sph_bell_w(&b, r) == 0 && kin_sph_bell_slope(&b, r) == 0 && kin_sph_bell_laplacian(&b, r) == 0);
            CHECK(t, isfinite(kin_sph_bell_slope(&b, 0)) && isfinite(kin_sph_bell_laplacian(&b, 0)));
        }
    }
}

TEST_MAIN("sph_kernel", TEST(integrals_are_one), TEST(second_moments), TEST(slopes_are_derivatives), TEST(laplacians_sum_to_nothing),
          TEST(lattice_of_the_cubic_spline), TEST(scaled_bells_have_a_lattice_of_one), TEST(the_cubic_spline_of_the_text), TEST(middles_are_smooth),
          TEST(ends_are_smooth))
