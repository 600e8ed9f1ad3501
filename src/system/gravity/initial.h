/* initial.h - stars to begin with: each body a function of (seed, index) alone, so clouds may be made in any order and by any thread.
 * Positions and velocities are about the origin; sums of momentum vanish in the mean only (kin_bodies_centre mends them). */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"

typedef struct kin_star {
    kin_vec3 position, velocity; /* m, m/s */
} kin_star;

/* Plummer 1911, Aarseth, Henon & Wielen 1974: density ~ (1 + r^2/a^2)^(-5/2), isotropic and in equilibrium. */
typedef struct kin_plummer {
    double constant; /* G */
    double mass;     /* kg, of all */
    double radius;   /* a, m; half the mass is within 1.304766 a */
} kin_plummer;
kin_star kin_plummer_star(const kin_plummer* def, uint64_t seed, uint64_t index); /* the inner 99.9 % of the mass */

/* Uniform density, at rest. */
kin_star kin_ball_star(double radius, uint64_t seed, uint64_t index);

/* An exponential disk about a central mass; circular speeds of both, in the plane across axis y of orientation. */
typedef struct kin_galaxy {
    double constant;     /* G */
    double disk_mass;    /* kg, of all stars */
    double central_mass; /* kg, not among the stars */
    double scale;        /* m: density ~ exp(-r / scale) */
    double extent;       /* m: no star beyond */
    double thickness;    /* m: deviation across the plane */
    double dispersion;   /* of each component of velocity, a share of the circular speed */
    double softening;    /* m, of the forces to come */
    kin_quat orientation;
} kin_galaxy;
kin_star kin_galaxy_star(const kin_galaxy* def, uint64_t seed, uint64_t index);
/* m/s at distance r: the central mass, softened, and the disk mass within r as if it were a sphere. */
double kin_galaxy_speed(const kin_galaxy* def, double r);

/* Shifts n bodies so that their centre of mass rests at the origin. */
void kin_bodies_centre(const double* mass, double* const x[3], double* const v[3], size_t n);
