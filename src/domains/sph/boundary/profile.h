/* profile.h - what a flat wall fills of a particle's surroundings, over its distance; made once for a bell, a reach and a spacing.
 *
 * Mirrored layers behind the wall, one spacing apart. The first row sees its own images:  share(d) = l sum_k w(2 d + k l), with w(s) the integral of the bell
 * over a plane (in two dimensions: a line) at distance s. Where the bell reaches farther than two spacings, rows above it see the images of those below
 * them too:  share = l sum_k w((m + k) l) at the place (m - 1/2) l of row m, which makes D = 1 there, and cubics between rows. An image of itself moves away as
 * fast as a particle does, so the first row has twice the slope of w; images of others stay, so later rows have it once. All are kept as cubics in 256 pieces
 * through exact values and slopes, so what is called the slope is the slope of what is called the share. */
#pragma once
#include "domains/sph/kernel.h"
#include "math/scalar.h"

#define KIN_SPH_PIECES 256

/* A function on [0, end], 0 beyond, in cubics. */
typedef struct kin_sph_curve {
    double end, inv_step;
    double piece[KIN_SPH_PIECES][4];
} kin_sph_curve;

typedef struct kin_sph_profile {
    kin_sph_bell density, gradient;
    double spacing;
    double fit, pull_fit; /* what layers are multiplied by, within 7 % of 1 (cubic: 0.998): a lattice half a spacing off the wall then has D = 1 exactly */
    kin_sph_curve share;  /* by distance, m; from the bell of densities */
    double felt;          /* m: nearer than this, what a wall fills is told from nothing in single precision */
    kin_sph_curve pull;   /* the same from the bell of gradients: its slope is what pressure works with. Only poly6 has two bells */
    kin_sph_curve bell;   /* W over distance, of the bell of densities */
    kin_sph_curve force;  /* and of that of gradients: its slope is W' */
    kin_sph_curve tail;   /* of the bell: which part of it lies farther from its middle than this, in all directions together; tail(0) = 1 */
} kin_sph_profile;

void kin_sph_profile_make(kin_sph_profile* profile, kin_sph_kernel kernel, int dimensions, double support, double spacing);
/* The integral of a bell over a plane (a line) at distance s, and its slope over s. */
double kin_sph_plane_integral(const kin_sph_bell* bell, double s);
double kin_sph_plane_slope(const kin_sph_bell* bell, double s);

/* Who is inside a wall, for it leapt there, feels it the less the deeper he is, a hundredth from a spacing deep on. He is led out, and pressed out only as he comes
 * near the surface: a whole share at once would be an explosion. */
static inline double kin_sph_depth_factor(const kin_sph_profile* p, double distance) { return distance >= 0 ? 1 : kin_max(1 + distance / p->spacing, 0.01); }

static inline double kin_sph_curve_at(const kin_sph_curve* c, double x, double* slope)
{
    double u = x * c->inv_step;
    if (u >= KIN_SPH_PIECES) {
        *slope = 0;
        return 0;
    }
    int i = u > 0 ? (int)u : 0;
    double t = u > 0 ? u - i : 0; /* before the start as at the start: a particle inside a wall is pushed as one at it */
    const double* p = c->piece[i];
    *slope = (p[1] + t * (2 * p[2] + t * 3 * p[3])) * c->inv_step;
    return p[0] + t * (p[1] + t * (p[2] + t * p[3]));
}
