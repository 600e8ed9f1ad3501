/* roots.h - real roots of polynomials up to the third degree within an interval.
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
