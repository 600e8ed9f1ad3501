/* profile.c - the curves of profile.h: integrals of bells by Gauss's rule of five points, between the places where their formulas change. */
#include "domains/sph/boundary/profile.h"

#define PANELS 4 /* for each sixth of the support: bells are polynomials there, of degree eight at most */

typedef double integrand(const kin_sph_bell* bell, double s, double x);

/* Of f(s, x) over x in [from, to]. */
static double integral(integrand* f, const kin_sph_bell* bell, double s, double from, double to)
{
    static const double at[3] = {0, 0.53846931010568309, 0.90617984593866399}, weight[3] = {128.0 / 225, 0.47862867049936647, 0.23692688505618909};
    double half = 0.5 * (to - from) / PANELS, sum = 0;
    if (!(half > 0)) return 0;
    for (int i = 0; i < PANELS; ++i) {
        double x = from + (2 * i + 1) * half;
        sum += weight[0] * f(bell, s, x);
        for (int k = 1; k < 3; ++k) sum += weight[k] * (f(bell, s, x - at[k] * half) + f(bell, s, x + at[k] * half));
    }
    return sum * half;
}

/* Over r from `from` to the support, cut at every sixth of it. */
static double over_radius(integrand* f, const kin_sph_bell* bell, double from)
{
    double sum = 0;
    for (int k = 5; k >= 0; --k) {
        double low = kin_max(from, bell->support * k / 6), high = bell->support * (k + 1) / 6;
        sum += low < high ? integral(f, bell, from, low, high) : 0;
    }
    return sum;
}

static double ring(const kin_sph_bell* bell, double s, double r) { return (void)s, 2 * KIN_PI * r * kin_sph_bell_w(bell, r); }
static double shell(const kin_sph_bell* bell, double s, double r)
{
    return (void)s, r * ring(bell, s, r) * (bell->dimensions == 3 ? 2 : 1 / kin_max(r, 1e-300));
}
static double on_line(const kin_sph_bell* bell, double s, double y) { return 2 * kin_sph_bell_w(bell, kin_sqrt(s * s + y * y)); }
static double slope_on_line(const kin_sph_bell* bell, double s, double y) { return 2 * s * kin_sph_bell_slope(bell, kin_sqrt(s * s + y * y)); }

/* Over a line at distance s: cut where it leaves the circles of sixths of the support. */
static double over_line(integrand* f, const kin_sph_bell* bell, double s)
{
    double sum = 0, low = 0;
    for (int k = 1; k <= 6; ++k) {
        double r = bell->support * k / 6, high = r > s ? kin_sqrt(r * r - s * s) : 0;
        sum += high > low ? integral(f, bell, s, low, high) : 0;
        low = high;
    }
    return sum;
}

double kin_sph_plane_integral(const kin_sph_bell* bell, double s)
{
    if (s >= bell->support) return 0;
    return bell->dimensions == 3 ? over_radius(ring, bell, s) : over_line(on_line, bell, s);
}

double kin_sph_plane_slope(const kin_sph_bell* bell, double s)
{
    if (s >= bell->support) return 0;
    return bell->dimensions == 3 ? -ring(bell, 0, s) : over_line(slope_on_line, bell, s);
}

/* ---- curves ---- */

typedef void sampled(const kin_sph_profile* profile, const kin_sph_bell* bell, double x, double* value, double* slope);

/* Images, one spacing apart, of which the first is at `first`. What is mirrored moves as the particle does: twice the slope. */
static void images(const kin_sph_profile* p, const kin_sph_bell* bell, double first, double* value, double* slope)
{
    double thickness = p->spacing * (bell == &p->density ? p->fit : p->pull_fit);
    *value = *slope = 0;
    for (double s = first; s < bell->support; s += p->spacing) {
        *value += thickness * kin_sph_plane_integral(bell, s);
        *slope += 2 * thickness * kin_sph_plane_slope(bell, s);
    }
}

/* At the place of a row. The first sees its own images, later ones those of the rows below them, which stay as it moves: once the slope. */
static void at_row(const kin_sph_profile* p, const kin_sph_bell* bell, double row, double* value, double* slope)
{
    images(p, bell, (row + 1) * p->spacing, value, slope);
    if (row > 0) *slope *= 0.5;
}

/* Between the places of two rows a cubic. */
static void layers(const kin_sph_profile* p, const kin_sph_bell* bell, double d, double* value, double* slope)
{
    double half = 0.5 * p->spacing;
    if (d <= half || bell->support <= 2 * p->spacing * (1 + 1e-9)) {
        images(p, bell, 2 * d, value, slope);
        return;
    }
    double row = kin_floor((d - half) / p->spacing), t = (d - half) / p->spacing - row, y0, m0, y1, m1;
    at_row(p, bell, row, &y0, &m0);
    at_row(p, bell, row + 1, &y1, &m1);
    double a = m0 * p->spacing, b = m1 * p->spacing, square = 3 * (y1 - y0) - 2 * a - b, cube = a + b - 2 * (y1 - y0);
    *value = y0 + t * (a + t * (square + t * cube));
    *slope = (a + t * (2 * square + t * 3 * cube)) / p->spacing;
}

static double reach_of_layers(const kin_sph_profile* p, const kin_sph_bell* bell)
{
    return bell->support <= 2 * p->spacing * (1 + 1e-9) ? 0.5 * bell->support : (kin_ceil(bell->support / p->spacing - 1e-9) - 0.5) * p->spacing;
}

static void outside(const kin_sph_profile* p, const kin_sph_bell* bell, double t, double* value, double* slope)
{
    (void)p;
    double whole = over_radius(shell, bell, 0);
    *value = over_radius(shell, bell, t) / whole;
    *slope = -shell(bell, 0, t) / whole;
}

static void itself(const kin_sph_profile* p, const kin_sph_bell* bell, double r, double* value, double* slope)
{
    (void)p;
    *value = kin_sph_bell_w(bell, r);
    *slope = r > 0 ? r * kin_sph_bell_slope(bell, r) : 0;
}

static void make_curve(kin_sph_curve* c, const kin_sph_profile* p, const kin_sph_bell* bell, double end, sampled* f)
{
    double step = end / KIN_SPH_PIECES, y0, m0;
    c->end = end, c->inv_step = 1 / step;
    f(p, bell, 0, &y0, &m0);
    for (int i = 0; i < KIN_SPH_PIECES; ++i) {
        double y1 = 0, m1 = 0;
        if (i + 1 < KIN_SPH_PIECES) f(p, bell, (i + 1) * step, &y1, &m1);
        double a = m0 * step, b = m1 * step, rise = y1 - y0;
        double* piece = c->piece[i];
        piece[0] = y0, piece[1] = a, piece[2] = 3 * rise - 2 * a - b, piece[3] = a + b - 2 * rise;
        y0 = y1, m0 = m1;
    }
}

/* What half a lattice lacks at half a spacing from a wall, over what filled layers give there: planes of particles are not quite filled planes. */
static double lattice_factor(const kin_sph_bell* bell, double spacing)
{
    int reach = (int)(bell->support / spacing) + 1, deep = bell->dimensions == 3 ? reach : 0;
    double points = 0, planes = 0;
    for (int i = 1; i <= reach; ++i) {
        planes += kin_sph_plane_integral(bell, i * spacing);
        for (int j = -reach; j <= reach; ++j) {
            for (int k = -deep; k <= deep; ++k) points += kin_sph_bell_w(bell, spacing * kin_sqrt((double)(i * i + j * j + k * k)));
        }
    }
    return planes > 0 ? points * spacing * (bell->dimensions == 3 ? spacing : 1) / planes : 1;
}

/* Between rows a cubic may dip below nothing where the bell reaches but a little past whole spacings; and lambda is 1 less a product, in single precision. */
static double felt_within(const kin_sph_curve* share)
{
    const double step = share->end / (4 * KIN_SPH_PIECES), least = 16 * 0x1p-24;
    double d = 0, slope;
    while (d < share->end && kin_sph_curve_at(share, d + step, &slope) > least) d += step;
    return d;
}

void kin_sph_profile_make(kin_sph_profile* p, kin_sph_kernel kernel, int dimensions, double support, double spacing)
{
    p->density = kin_sph_bell_for_density(kernel, dimensions, support, spacing);
    p->gradient = kin_sph_bell_for_gradient(kernel, dimensions, support, spacing);
    p->spacing = spacing;
    p->fit = lattice_factor(&p->density, spacing);
    p->pull_fit = lattice_factor(&p->gradient, spacing);
    make_curve(&p->share, p, &p->density, reach_of_layers(p, &p->density), layers);
    p->felt = felt_within(&p->share);
    make_curve(&p->pull, p, &p->gradient, reach_of_layers(p, &p->gradient), layers);
    make_curve(&p->bell, p, &p->density, support, itself);
    make_curve(&p->force, p, &p->gradient, support, itself);
    make_curve(&p->tail, p, &p->density, support, outside);
}
