/* lcp_friction_lemke.h - the problem of lcp_friction.h as one nonsymmetric LCP, solved by Lemke's method. Slower than Baraff's (7 variables per resting contact
 * against 3) but its path cannot go around in circles: static friction is always solved, up to rounding (Anitescu and Potra 1997: the matrix is copositive). */
#pragma once
#include "numerics/lcp_friction.h"

/* The blocks of H10.16, with both directions of each tangent: per contact F_n; per tangent at rest F+, F- and the multiplier l, where F_t = F+ - F-:
 *   a_n >= 0 with F_n;  a_t + l >= 0 with F+;  -a_t + l >= 0 with F-;  mu_s F_n - F+ - F- >= 0 with l.
 * A joint has F+ and F- for each row; a sliding contact has F_n alone, with the merged column. UNBOUNDED: a ray, with force = 0 and no contact named. */
int kin_lcp_friction_lemke_size(const kin_lcp_friction* lcp); /* variables; a pivot goes over a tableau of twice their square */
kin_lcp_report kin_lcp_friction_lemke(const kin_lcp_friction* lcp, double* force, double* accel, kin_arena* scratch);

/* Baraff's method, and where that ends in LIMIT, Lemke's; the better of the two if neither solves it. handed as in kin_lcp_baraff. */
kin_lcp_report kin_lcp_friction_solve(const kin_lcp_friction* lcp, double* force, double* accel, uint8_t* handed, kin_arena* scratch);
