/* kernel.c - bells: formulas in q = r / support. Monaghan 1992 (splines), Wendland 1995, Mueller 2003 (poly6, spiky, viscosity). */
#include "domains/sph/kernel.h"
#include "math/scalar.h"

#define LEAST_Q 1e-6 /* slopes that have no limit at 0 are taken here */

static const double peaks[KIN_SPH_BELL_COUNT][2] = {
    /* in the plane, in space; over pi and support^d */
    [KIN_SPH_BELL_CUBIC] = {40.0 / 7, 8},
    [KIN_SPH_BELL_QUINTIC] = {63.0 / 478, 27.0 / 120},
    [KIN_SPH_BELL_WENDLAND2] = {7, 21.0 / 2},
    [KIN_SPH_BELL_WENDLAND4] = {9, 495.0 / 32},
    [KIN_SPH_BELL_QUARTIC] = {600.0 / 1199, 25.0 / 32},
    [KIN_SPH_BELL_POLY6] = {4, 315.0 / 64},
    [KIN_SPH_BELL_SPIKY] = {10, 15},
    [KIN_SPH_BELL_VISCOSITY] = {10.0 / 3, 15.0 / 2},
};

/* W, W'/q and W'' as functions of q, without the peak. */
typedef struct bell {
    double w, slope, bend;
} bell;

static bell cubic(double q)
{
    double s = 1 - q;
    if (q < 0.5) return (bell){1 - 6 * q * q * s, 18 * q - 12, 36 * q - 12};
    return (bell){2 * s * s * s, -6 * s * s / q, 12 * s};
}

static bell quintic(double q)
{
    static const double weight[3] = {1, -6, 15};
    bell sum = {0};
    q = kin_max(q, LEAST_Q);
    for (int i = 0; i < 3; ++i) {
        double s = 3 - i - 3 * q;
        if (s <= 0) break;
        double s3 = s * s * s;
        sum.w += weight[i] * s3 * s * s, sum.slope -= 15 * weight[i] * s3 * s, sum.bend += 180 * weight[i] * s3;
    }
    sum.slope /= q;
    return sum;
}

static bell wendland2(double q)
{
    double s = 1 - q, s2 = s * s;
    return (bell){s2 * s2 * (1 + 4 * q), -20 * s2 * s, -20 * s2 * (1 - 4 * q)};
}

static bell wendland4(double q)
{
    double s = 1 - q, s2 = s * s, s4 = s2 * s2;
    return (bell){s4 * s2 * (1 + q * (6 + q * (35.0 / 3))), -56.0 / 3 * s4 * s * (1 + 5 * q), -56.0 / 3 * s4 * (1 + q * (4 - 35 * q))};
}

/* In u = 5 q / 2; its inner piece is the sum written out, for W' / q is 0 / 0 at the middle. */
static bell quartic(double q)
{
    double u = 2.5 * q, a = kin_max(2.5 - u, 0), b = kin_max(1.5 - u, 0);
    if (u < 0.5) return (bell){6 * u * u * u * u - 15 * u * u + 115.0 / 8, 6.25 * (24 * u * u - 30), 6.25 * (72 * u * u - 30)};
    return (bell){a * a * a * a - 5 * b * b * b * b, -10 * (a * a * a - 5 * b * b * b) / q, 75 * (a * a - 5 * b * b)};
}

static bell poly6(double q)
{
    double s = 1 - q * q;
    return (bell){s * s * s, -6 * s * s, -6 * s * (1 - 5 * q * q)};
}

static bell spiky(double q)
{
    double s = 1 - q;
    return (bell){s * s * s, -3 * s * s / kin_max(q, LEAST_Q), 6 * s};
}

static bell viscosity(double q)
{
    double p = kin_max(q, LEAST_Q);
    return (bell){p * p * (1 - 0.5 * p) + 0.5 / p - 1, -1.5 * p + 2 - 0.5 / (p * p * p), -3 * p + 2 + 1 / (p * p * p)};
}

static bell bell_at(kin_sph_bell_kind kind, double q)
{
    static bell (*const forms[KIN_SPH_BELL_COUNT])(double) = {cubic, quintic, wendland2, wendland4, quartic, poly6, spiky, viscosity};
    return q < 1 ? forms[kind](q) : (bell){0};
}

double kin_sph_bell_peak(const kin_sph_bell* b)
{
    double h2 = b->support * b->support;
    return b->scale * peaks[b->kind][b->dimensions == 3] / (KIN_PI * (b->dimensions == 3 ? h2 * b->support : h2));
}

double kin_sph_bell_w(const kin_sph_bell* b, double r) { return kin_sph_bell_peak(b) * bell_at(b->kind, r / b->support).w; }

double kin_sph_bell_slope(const kin_sph_bell* b, double r) { return kin_sph_bell_peak(b) / (b->support * b->support) * bell_at(b->kind, r / b->support).slope; }

double kin_sph_bell_laplacian(const kin_sph_bell* b, double r)
{
    bell at = bell_at(b->kind, r / b->support);
    return kin_sph_bell_peak(b) / (b->support * b->support) * (at.bend + (b->dimensions - 1) * at.slope);
}

kin_sph_bell kin_sph_bell_of(kin_sph_bell_kind kind, int dimensions, double support) { return (kin_sph_bell){kind, dimensions, support, 1}; }

double kin_sph_lattice_density(const kin_sph_bell* b, double spacing)
{
    int reach = (int)(b->support / spacing) + 1, deep = b->dimensions == 3 ? reach : 0;
    double sum = 0;
    for (int i = -reach; i <= reach; ++i) {
        for (int j = -reach; j <= reach; ++j) {
            for (int k = -deep; k <= deep; ++k) sum += kin_sph_bell_w(b, spacing * kin_sqrt((double)(i * i + j * j + k * k)));
        }
    }
    return sum * spacing * spacing * (b->dimensions == 3 ? spacing : 1);
}

static kin_sph_bell scaled(kin_sph_bell_kind kind, int dimensions, double support, double spacing)
{
    kin_sph_bell b = kin_sph_bell_of(kind, dimensions, support);
    b.scale = 1 / kin_sph_lattice_density(&b, spacing);
    return b;
}

static const struct {
    kin_sph_bell_kind density, gradient;
} bells[] = {
    [KIN_SPH_CUBIC] = {KIN_SPH_BELL_CUBIC, KIN_SPH_BELL_CUBIC},
    [KIN_SPH_QUINTIC] = {KIN_SPH_BELL_QUINTIC, KIN_SPH_BELL_QUINTIC},
    [KIN_SPH_WENDLAND2] = {KIN_SPH_BELL_WENDLAND2, KIN_SPH_BELL_WENDLAND2},
    [KIN_SPH_WENDLAND4] = {KIN_SPH_BELL_WENDLAND4, KIN_SPH_BELL_WENDLAND4},
    [KIN_SPH_QUARTIC] = {KIN_SPH_BELL_QUARTIC, KIN_SPH_BELL_QUARTIC},
    [KIN_SPH_POLY6] = {KIN_SPH_BELL_POLY6, KIN_SPH_BELL_SPIKY},
};

kin_sph_bell kin_sph_bell_for_density(kin_sph_kernel kernel, int dimensions, double support, double spacing)
{
    return scaled(bells[kernel].density, dimensions, support, spacing);
}
kin_sph_bell kin_sph_bell_for_gradient(kin_sph_kernel kernel, int dimensions, double support, double spacing)
{
    return scaled(bells[kernel].gradient, dimensions, support, spacing);
}
