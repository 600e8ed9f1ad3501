/* kernel_test.c - bells: integrals, moments, slopes against differences, Laplacians, sums over lattices. */
#include "domains/sph/kernel.h"
#include "support/test.h"
#include <math.h>

static const char* const names[KIN_SPH_BELL_COUNT] = {"cubic", "quintic", "wendland2", "wendland4", "poly6", "spiky", "viscosity"};

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
    static const double want[] = {[KIN_SPH_BELL_CUBIC] = 9.0 / 40,
                                  [KIN_SPH_BELL_WENDLAND2] = 1.0 / 5,
                                  [KIN_SPH_BELL_WENDLAND4] = 2.0 / 13,
                                  [KIN_SPH_BELL_POLY6] = 3.0 / 11,
                                  [KIN_SPH_BELL_SPIKY] = 3.0 / 14};
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
    static const kin_sph_bell_kind smooth[] = {KIN_SPH_BELL_CUBIC, KIN_SPH_BELL_QUINTIC, KIN_SPH_BELL_WENDLAND2, KIN_SPH_BELL_WENDLAND4, KIN_SPH_BELL_POLY6};
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
        for (int kernel = KIN_SPH_CUBIC; kernel <= KIN_SPH_POLY6; ++kernel) {
            kin_sph_bell a = kin_sph_bell_for_density((kin_sph_kernel)kernel, d, 0.04, 0.02),
                         b = kin_sph_bell_for_gradient((kin_sph_kernel)kernel, d, 0.04, 0.02);
            NEAR(t, kin_sph_lattice_density(&a, 0.02), 1, 1e-12);
            NEAR(t, kin_sph_lattice_density(&b, 0.02), 1, 1e-12);
        }
    }
}

static void ends_are_smooth(test* t)
{
    for (int kind = 0; kind < KIN_SPH_BELL_COUNT; ++kind) {
        kin_sph_bell b = kin_sph_bell_of((kin_sph_bell_kind)kind, 3, 0.1);
        NEAR(t, kin_sph_bell_w(&b, 0.1 * (1 - 1e-9)), 0, 1e-6 * kin_sph_bell_peak(&b));
        EQUAL(t, kin_sph_bell_w(&b, 0.1) != 0 || kin_sph_bell_slope(&b, 0.11) != 0, 0);
        CHECK(t, isfinite(kin_sph_bell_slope(&b, 0)) && isfinite(kin_sph_bell_laplacian(&b, 0)));
    }
}

TEST_MAIN("sph_kernel", TEST(integrals_are_one), TEST(second_moments), TEST(slopes_are_derivatives), TEST(laplacians_sum_to_nothing),
          TEST(lattice_of_the_cubic_spline), TEST(scaled_bells_have_a_lattice_of_one), TEST(ends_are_smooth))
