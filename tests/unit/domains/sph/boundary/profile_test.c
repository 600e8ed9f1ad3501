/* profile_test.c - shares of flat walls: closed forms, slopes, and lattices that touch a wall. */
#include "domains/sph/boundary/profile.h"
#include "support/test.h"

static const kin_sph_kernel kernels[] = {KIN_SPH_CUBIC, KIN_SPH_QUINTIC, KIN_SPH_WENDLAND2, KIN_SPH_WENDLAND4, KIN_SPH_POLY6, KIN_SPH_QUARTIC};

/* Of the cubic spline, by hand: over a plane through its middle 2 pi int W r dr = 1.4 / h; the volume beyond q = 1/4 as in Bender's closed form. */
static void plane_integrals_are_those_in_closed_form(test* t)
{
    kin_sph_bell bell = kin_sph_bell_of(KIN_SPH_BELL_CUBIC, 3, 0.2);
    NEAR(t, kin_sph_plane_integral(&bell, 0), 1.4 / 0.2, 1e-12);
    NEAR(t, kin_sph_plane_integral(&bell, 0.05), (1.4 - 8.0 / 16 + 24.0 / 256 - 19.2 / 1024) / 0.2, 1e-9);
    NEAR(t, kin_sph_plane_integral(&bell, 0.15), (8.0 / 256 - 6.4 / 1024) / 0.2, 1e-9);
    EQUAL(t, kin_sph_plane_integral(&bell, 0.2) == 0, 1);
}

/* Simpson's rule over sixths of the support: the integrals of all planes together are the bell's own, 1. */
static void planes_fill_space(test* t)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k) {
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            kin_sph_profile p;
            kin_sph_profile_make(&p, kernels[k], dimensions, 0.2, 0.1);
            double sum = 0, step = 0.2 / 600;
            for (int i = 0; i < 600; ++i) {
                double s = i * step;
                sum += kin_sph_plane_integral(&p.density, s) + 4 * kin_sph_plane_integral(&p.density, s + 0.5 * step)
                       + kin_sph_plane_integral(&p.density, s + step);
            }
            NEAR(t, 2 * sum * step / 6, p.density.scale, 1e-6); /* square roots at the rim of lines: order 3/2 there */
            double slope;
            NEAR(t, kin_sph_curve_at(&p.tail, 0, &slope), 1, 1e-12);
        }
    }
}

static void slopes_are_slopes_of_what_is_interpolated(test* t)
{
    kin_sph_profile p;
    kin_sph_profile_make(&p, KIN_SPH_CUBIC, 3, 0.2, 0.1);
    const kin_sph_curve* curves[] = {&p.share, &p.pull, &p.tail};
    for (int c = 0; c < 3; ++c) {
        for (int i = 1; i < 997; ++i) {
            double x = i * curves[c]->end / 997, e = 1e-7, unused, slope;
            double rise = kin_sph_curve_at(curves[c], x + e, &unused) - kin_sph_curve_at(curves[c], x - e, &unused);
            kin_sph_curve_at(curves[c], x, &slope);
            NEAR(t, rise / (2 * e), slope, 1e-6);
        }
    }
    double exact = 0.1 * p.fit * (kin_sph_plane_integral(&p.density, 0.0642) + kin_sph_plane_integral(&p.density, 0.1642)), slope;
    NEAR(t, kin_sph_curve_at(&p.share, 0.0321, &slope), exact, 1e-9);
    NEAR(t, slope, 0.2 * p.fit * (kin_sph_plane_slope(&p.density, 0.0642) + kin_sph_plane_slope(&p.density, 0.1642)), 1e-6);
}

/* Half a lattice with its first layer half a spacing off the wall: by construction, to what cubics in 256 pieces are off. */
static void a_lattice_at_a_wall_has_density_one(test* t)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k) {
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            kin_sph_profile p;
            double l = 0.1;
            kin_sph_profile_make(&p, kernels[k], dimensions, 2 * l, l);
            for (int layer = 0; layer < 3; ++layer) {
                double sum = 0, slope;
                for (int i = -layer; i <= 3; ++i) {
                    for (int j = -3; j <= 3; ++j) {
                        for (int m = dimensions == 3 ? -3 : 0; m <= (dimensions == 3 ? 3 : 0); ++m)
                            sum += kin_sph_bell_w(&p.density, l * kin_sqrt((double)(i * i + j * j + m * m)));
                    }
                }
                sum *= dimensions == 3 ? l * l * l : l * l;
                NEAR(t, sum + kin_sph_curve_at(&p.share, (layer + 0.5) * l, &slope), 1, 1e-7);
                CHECK(t, kin_abs(p.fit - 1) < 0.1);
            }
        }
    }
}

TEST_MAIN("sph boundary profile", TEST(plane_integrals_are_those_in_closed_form), TEST(planes_fill_space), TEST(slopes_are_slopes_of_what_is_interpolated),
          TEST(a_lattice_at_a_wall_has_density_one))
