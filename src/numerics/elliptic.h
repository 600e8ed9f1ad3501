/* elliptic.h - elliptic integrals and Jacobi's functions, for closed forms to validate against: the free asymmetric top, the nutation of a heavy top, the
 * pendulum at any angle.
 *
 * Everything takes the modulus k, |k| <= 1; tables often use the parameter m = k^2 (Abramowitz and Stegun) or the angle sin^-1 k. Angles in radians. Relative
 * errors are a few 1e-16, near k = 1 up to 1e-14; of the third kind, where n << 0, absolute ones. */
#pragma once

double kin_elliptic_k(double k);            /* K: complete, first kind; infinite for |k| = 1 */
double kin_elliptic_e(double k);            /* E: complete, second kind */
double kin_elliptic_pi(double n, double k); /* Pi: complete, third kind, of 1 / (1 - n sin^2) with n < 1; |k| < 1 */

/* Incomplete, from 0 to any phi. |k| = 1: first and third are infinite at and beyond a quarter turn. n sin^2 < 1 on the way. */
double kin_elliptic_first(double phi, double k);
double kin_elliptic_second(double phi, double k);
double kin_elliptic_third(double n, double phi, double k);

typedef struct kin_jacobi {
    double sn, cn, dn;
    double am; /* the angle of which sn is the sine and cn the cosine; grows by 2 pi in 4 K */
} kin_jacobi;
kin_jacobi kin_jacobi_at(double u, double k);
