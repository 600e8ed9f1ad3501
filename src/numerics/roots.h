/* roots.h - real roots of polynomials up to the third degree within an interval, and of any function between two points where its sign differs.
 *
 * Coefficients from the constant term up: c[0] + c[1] t + c[2] t^2 + c[3] t^3. Roots come rising, each once. None that the arithmetic can see is missed: the
 * interval is cut at the extrema, so that each piece is monotone and holds one root or none, and a root that only touches zero (a double root) is found at
 * the extremum itself, within the rounding of its value (X2.6). */
#pragma once
#include "kinema/base.h"

/* All coefficients within rounding of zero give no roots: kin_polynomial_vanishes tells. */
int kin_roots(const double* c, int degree, double low, double high, double* roots);

/* Is the polynomial zero all over the interval, to within `noise` (in the unit of c[0])? */
bool kin_polynomial_vanishes(const double* c, int degree, double low, double high, double noise);

/* Sturm's theorem: how many different roots in (low, high], without finding them (X2.5). A zero element of the chain is left out of the count. */
int kin_roots_count(const double* c, int degree, double low, double high);

/* The closed forms, all real roots, rising. Quicker, less exact where roots nearly meet. */
int kin_roots_quadratic(const double c[3], double roots[2]);
int kin_roots_cubic(const double c[4], double roots[3]);

typedef double kin_root_fn(void* context, double x);

typedef struct kin_root {
    bool found;      /* false: the ends do not differ in sign, or a value was not a number; x is then the better end */
    double x, value; /* where |f| was least of what was tried last, and f there */
    double other;    /* the root is between x and here; x itself for a zero */
    int evaluations;
} kin_root;

/* Brent's method: inverse quadratic and secant steps while they gain, bisection otherwise: a dozen calls where f is smooth, and at worst about thrice those of
 * bisection. f may jump: the place where the sign changes is found. Ends when x and other are within `tolerance` of each other (0: as near as numbers can be)
 * or after 200 evaluations. */
kin_root kin_root_bracketed(kin_root_fn* f, void* context, double low, double high, double tolerance);
