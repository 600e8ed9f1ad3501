/* scalar.h - the only elementary functions the core may call: libm's bits depend on the CPU, these do not.
 * At most 2 ulp off (pow 4) over their whole domain; special values as in C17 annex F. + - * / sqrt only. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define KIN_PI 3.14159265358979323846

double kin_sin(double x);
double kin_cos(double x);
double kin_tan(double x);
typedef struct kin_sincos {
    double sine, cosine;
} kin_sincos;
kin_sincos kin_sin_cos(double x); /* the bits of kin_sin and kin_cos, for one reduction */
double kin_asin(double x);
double kin_acos(double x);
double kin_atan2(double y, double x);
double kin_exp(double x);
double kin_ln(double x); /* natural logarithm; kin_log is the type that listens to messages */
double kin_pow(double x, double y);
double kin_cbrt(double x);

static inline double kin_atan(double x) { return kin_atan2(x, 1); }
static inline double kin_sqrt(double x) { return __builtin_sqrt(x); }
static inline double kin_abs(double x) { return __builtin_fabs(x); }
static inline double kin_min(double a, double b) { return a < b ? a : b; }
static inline double kin_max(double a, double b) { return a > b ? a : b; }
static inline double kin_clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
static inline bool kin_finite(double x) { return __builtin_fabs(x) <= 1.7976931348623157e308; }
double kin_floor(double x); /* exact, no libm */
static inline double kin_ceil(double x) { return -kin_floor(-x); }
/* The nearest whole number, halves up. x + 0.5 may round, x - floor(x) does so only for tiny x, harmlessly. */
static inline double kin_round(double x)
{
    double whole = kin_floor(x);
    return x - whole >= 0.5 ? whole + 1 : whole;
}
static inline double kin_square(double x) { return x * x; }
static inline double kin_mix(double a, double b, double s) { return (1 - s) * a + s * b; } /* exact at s = 0 and s = 1 */

/* H3.3a: comparisons with a tolerance that suits the quantity. Equality is not transitive. */
static inline bool kin_near(double a, double b, double eps) { return kin_abs(a - b) < eps; }
static inline bool kin_above(double a, double b, double eps) { return a - b > eps; }
static inline bool kin_below(double a, double b, double eps) { return a - b < -eps; }
