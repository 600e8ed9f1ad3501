/* kernel.h - the bells that spread a particle over its surroundings: W(r), its slope and its Laplacian, in space and in the plane. This is the scalar
 * reference, in double; kernel_lanes.h has the two that passes need in lanes.
 *
 * Every bell ends at its support and has integral 1. A lattice of particles then has nearly the density 1, but not quite: 0.999972 for the cubic spline that
 * reaches over two spacings, 1.03 for Wendland's. A block at rest must not burst, so the bells of a tank are divided by that sum (`scale`): a lattice has D = 1.
 *
 * The Laplacians are those of a function of r in two or three dimensions, W'' + (d - 1) W'/r; some texts print W'' alone. */
#pragma once
#include "kinema/sph.h"

typedef enum kin_sph_bell_kind {
    KIN_SPH_BELL_CUBIC,
    KIN_SPH_BELL_QUINTIC,
    KIN_SPH_BELL_WENDLAND2,
    KIN_SPH_BELL_WENDLAND4,
    KIN_SPH_BELL_QUARTIC,
    KIN_SPH_BELL_POLY6,
    KIN_SPH_BELL_SPIKY,
    KIN_SPH_BELL_VISCOSITY, /* infinite at r = 0; its Laplacian is never negative */
    KIN_SPH_BELL_COUNT,
} kin_sph_bell_kind;

typedef struct kin_sph_bell {
    kin_sph_bell_kind kind;
    int dimensions; /* 2 or 3 */
    double support; /* m */
    double scale;   /* 1; or one over the sum over a lattice */
} kin_sph_bell;

kin_sph_bell kin_sph_bell_of(kin_sph_bell_kind kind, int dimensions, double support); /* scale 1 */
/* The bell of densities, and the one of gradients: only poly6 has two. Scaled for a lattice of that spacing. */
kin_sph_bell kin_sph_bell_for_density(kin_sph_kernel kernel, int dimensions, double support, double spacing);
kin_sph_bell kin_sph_bell_for_gradient(kin_sph_kernel kernel, int dimensions, double support, double spacing);
/* V sum W over a cubic (square) lattice, itself among it. */
double kin_sph_lattice_density(const kin_sph_bell* bell, double spacing);

double kin_sph_bell_peak(const kin_sph_bell* bell);                /* what is put before the formulas in q = r / support: 1/m^3 or 1/m^2 */
double kin_sph_bell_w(const kin_sph_bell* bell, double r);         /* 1/m^3 or 1/m^2 */
double kin_sph_bell_slope(const kin_sph_bell* bell, double r);     /* W'(r) / r; at 0 its limit, or that a millionth of the support away */
double kin_sph_bell_laplacian(const kin_sph_bell* bell, double r); /* W'' + (d - 1) W' / r */
