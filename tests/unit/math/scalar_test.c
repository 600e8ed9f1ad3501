/* scalar_test.c - our elementary functions against the 64-bit mantissas of libm's long double ones, over all exponents. */
#include "math/scalar.h"
#include "support/test.h"
#include "unit/math/sample.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLES 200000

static double of_bits(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

/* Any finite double: every exponent equally often, subnormals included. */
static double any_finite(uint64_t* state)
{
    double x;
    do {
        x = of_bits(sample_bits(state));
    } while (!isfinite(x));
    return x;
}

/* Size in [2^low, 2^high), every exponent equally often, either sign. */
static double any_between(uint64_t* state, int low, int high)
{
    double mantissa = sample_between(state, 1, 2);
    int exponent = low + (int)(sample_bits(state) % (uint64_t)(high - low));
    return ldexp(sample_bits(state) & 1 ? -mantissa : mantissa, exponent);
}

/* Distance in units of the last place of the exact value; 0 when both overflow, or both are NaN. */
static double ulps(double got, long double want)
{
    if (isnan(got) || isnan(want)) {
        return isnan(got) && isnan(want) ? 0 : HUGE_VAL;
    }
    if (isinf(got)) { /* infinity stands for the number one step above the largest */
        long double limit = ldexpl(copysignl(1, (long double)got), 1024);
        return fabsl(want) >= 0x1p1024L && signbit(got) == signbit(want) ? 0 : (double)(fabsl(want - limit) / 0x1p971L);
    }
    if (want == 0) {
        return got == 0 ? 0 : HUGE_VAL;
    }
    int exponent;
    frexpl(want, &exponent);
    return (double)(fabsl(got - want) / ldexpl(1, exponent - 53 < -1074 ? -1074 : exponent - 53));
}

typedef struct worst {
    double error, x, y;
} worst;

static void meet(worst* w, double error, double x, double y)
{
    if (!(error <= w->error)) {
        *w = (worst){error, x, y};
    }
}

static void verdict(test* t, const char* name, const worst* w, double limit)
{
    printf("    %-6s %.3f ulp at %a %a\n", name, w->error, w->x, w->y);
    test_check(t, w->error <= limit, __FILE__, __LINE__, "%s is %.3f ulp off at %a %a", name, w->error, w->x, w->y);
}

typedef double function(double x);
typedef long double reference(long double x);

/* All exponents in [2^low, 2^high) and, twice as densely, the plain range [from, to]. */
static worst sweep(function* f, reference* want, int low, int high, double from, double to)
{
    worst w = {0};
    uint64_t state = 1;
    for (int i = 0; i < SAMPLES; ++i) {
        double samples[] = {any_between(&state, low, high), sample_between(&state, from, to), sample_between(&state, from, to)};
        for (int k = 0; k < 3; ++k) {
            meet(&w, ulps(f(samples[k]), want(samples[k])), samples[k], 0);
        }
    }
    return w;
}

/* The doubles next to multiples of pi/2, where reduction loses most. */
static void near_multiples(worst* w, function* f, reference* want)
{
    uint64_t state = 2;
    for (int i = 0; i < SAMPLES; ++i) {
        double n = i < 5000 ? i : floor(sample_between(&state, 0, 1) * ldexp(1, (int)(sample_bits(&state) % 62)));
        double x = (double)(n * 1.57079632679489661923132169163975144L);
        double samples[] = {x, nextafter(x, 0), -nextafter(x, HUGE_VAL)};
        for (int k = 0; k < 3; ++k) {
            meet(w, ulps(f(samples[k]), want(samples[k])), samples[k], 0);
        }
    }
}

static void circular_within_two_ulp(test* t)
{
    worst w = sweep(kin_sin, sinl, -1074, 1024, -10, 10);
    near_multiples(&w, kin_sin, sinl);
    verdict(t, "sin", &w, 2);
    w = sweep(kin_cos, cosl, -1074, 1024, -10, 10);
    near_multiples(&w, kin_cos, cosl);
    verdict(t, "cos", &w, 2);
    w = sweep(kin_tan, tanl, -1074, 1024, -10, 10);
    near_multiples(&w, kin_tan, tanl);
    verdict(t, "tan", &w, 2);
    w = sweep(kin_sin, sinl, -2, 40, -1e6, 1e6);
    verdict(t, "sin", &w, 2);
}

/* 6381956970095103 2^797 is the double nearest to a multiple of pi/2; values to 40 digits by mpmath. */
static void hardest_reduction(test* t)
{
    double x = ldexp(6381956970095103.0, 797);
    NEAR(t, kin_cos(x) / -4.687165924254627611122582801963e-19, 1, 3e-16);
    NEAR(t, kin_sin(x), 1, 0);
    NEAR(t, kin_sin(1e22), -0.8522008497671888017727, 1.2e-16);
    NEAR(t, kin_sin(1.7976931348623157e308), 0.004961954789184062, 1e-18);
    NEAR(t, kin_cos(1.7976931348623157e308), -0.9999876894265600, 1.2e-16);
}

static void sin_cos_has_the_same_bits(test* t)
{
    uint64_t state = 3;
    int differ = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        double x = i & 1 ? any_finite(&state) : sample_between(&state, -7, 7);
        kin_sincos both = kin_sin_cos(x);
        differ += bits_of(both.sine) != bits_of(kin_sin(x)) || bits_of(both.cosine) != bits_of(kin_cos(x));
    }
    EQUAL(t, differ, 0);
}

static void inverse_circular_within_two_ulp(test* t)
{
    worst w = sweep(kin_asin, asinl, -1074, 0, -1, 1);
    verdict(t, "asin", &w, 2);
    w = sweep(kin_acos, acosl, -1074, 0, -1, 1);
    uint64_t state = 4;
    for (int i = 0; i < SAMPLES; ++i) { /* towards +-1, where the angle is a square root */
        double x = 1 - kin_abs(any_between(&state, -53, -1));
        meet(&w, ulps(kin_acos(x), acosl(x)), x, 0);
        meet(&w, ulps(kin_acos(-x), acosl(-x)), -x, 0);
    }
    verdict(t, "acos", &w, 2);
    w = sweep(kin_atan, atanl, -1074, 1024, -2, 2);
    verdict(t, "atan", &w, 2);
    w = (worst){0};
    for (int i = 0; i < SAMPLES; ++i) {
        double y = any_finite(&state), x = any_finite(&state);
        meet(&w, ulps(kin_atan2(y, x), atan2l(y, x)), y, x);
        x = y * sample_between(&state, -4, 4); /* comparable sizes: all exponents, no huge ratios */
        if (isfinite(x)) {
            meet(&w, ulps(kin_atan2(y, x), atan2l(y, x)), y, x);
            meet(&w, ulps(kin_atan2(x, y), atan2l(x, y)), x, y);
        }
    }
    verdict(t, "atan2", &w, 2);
}

static void exponential_within_two_ulp(test* t)
{
    worst w = sweep(kin_exp, expl, -1074, 10, -746, 710);
    verdict(t, "exp", &w, 2);
    w = sweep(kin_exp, expl, -60, 1, -1, 1);
    verdict(t, "exp", &w, 2);
}

static double log_of_size(double x) { return kin_ln(kin_abs(x)); }
static long double logl_of_size(long double x) { return logl(fabsl(x)); }

static void logarithm_within_two_ulp(test* t)
{
    worst w = sweep(log_of_size, logl_of_size, -1074, 1024, 0.4, 2.5);
    uint64_t state = 5;
    for (int i = 0; i < SAMPLES; ++i) {
        double x = 1 + any_between(&state, -52, -3);
        meet(&w, ulps(kin_ln(x), logl(x)), x, 0);
    }
    verdict(t, "log", &w, 2);
}

static void root_within_two_ulp(test* t)
{
    worst w = sweep(kin_cbrt, cbrtl, -1074, 1024, -30, 30);
    verdict(t, "cbrt", &w, 2);
    for (int i = -200; i <= 200; ++i) {
        NEAR(t, kin_cbrt((double)i * i * i), i, 0);
    }
}

/* Bases of all exponents with powers that fill the range of results; bases near one; small and whole powers. */
static void power_within_four_ulp(test* t)
{
    worst w = {0};
    uint64_t state = 6;
    for (int i = 0; i < SAMPLES; ++i) {
        double x = kin_abs(any_finite(&state));
        double y = sample_between(&state, -750, 750) / log(x);
        if (x == 0 || !isfinite(y)) {
            continue;
        }
        meet(&w, ulps(kin_pow(x, y), powl(x, y)), x, y);
        x = sample_between(&state, 0, 10);
        y = sample_between(&state, -20, 20);
        meet(&w, ulps(kin_pow(x, y), powl(x, y)), x, y);
        x = 1 + any_between(&state, -52, -4);
        y = sample_between(&state, -700, 700) / log(x);
        meet(&w, ulps(kin_pow(x, y), powl(x, y)), x, y);
        x = any_between(&state, -20, 20);
        y = floor(sample_between(&state, -45, 45));
        meet(&w, ulps(kin_pow(x, y), powl(x, y)), x, y);
    }
    verdict(t, "pow", &w, 4);
    NEAR(t, kin_pow(2, 10), 1024, 0);
    NEAR(t, kin_pow(10, -3), 0.001, 1e-18);
    NEAR(t, kin_pow(-2, 3), -8, 0);
}

/* Same number, or both NaN; zeros with their sign. */
static bool same(double a, double b) { return isnan(a) ? isnan(b) : bits_of(a) == bits_of(b); }

static const double specials[] = {0.0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.5,
                                  -0.5,
                                  2,
                                  -2,
                                  3,
                                  -3,
                                  2.5,
                                  -2.5,
                                  0x1p52,
                                  0x1p53 + 2,
                                  -0x1p53,
                                  4503599627370495.5,
                                  1e300,
                                  -1e300,
                                  1.7976931348623157e308,
                                  0x1p-1074,
                                  -0x1p-1074,
                                  0x1p-1022,
                                  HUGE_VAL,
                                  -HUGE_VAL,
                                  NAN};
#define SPECIAL_COUNT (int)(sizeof specials / sizeof *specials)

/* C17 annex F: on exact cases libm has the standard's answers. Inexact ones are left to the sweeps. */
static void special_values_as_in_annex_f(test* t)
{
    static const struct {
        const char* name;
        function* ours;
        function* libm;
    } functions[] = {{"sin", kin_sin, sin},    {"cos", kin_cos, cos}, {"tan", kin_tan, tan}, {"asin", kin_asin, asin}, {"acos", kin_acos, acos},
                     {"atan", kin_atan, atan}, {"exp", kin_exp, exp}, {"log", kin_ln, log},  {"cbrt", kin_cbrt, cbrt}};
    static const double exact[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, NAN, 1, -1, 2, -2, 0x1p-1074, -0x1p-1074};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f) {
        for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
            double got = functions[f].ours(exact[i]), want = functions[f].libm(exact[i]);
            bool ok = isfinite(want) && want != 0 ? kin_abs(got - want) <= 2.3e-16 * kin_abs(want) : same(got, want);
            test_check(t, ok, __FILE__, __LINE__, "%s(%a) is %a, not %a", functions[f].name, exact[i], got, want);
        }
    }
}

static void two_argument_special_values(test* t)
{
    for (int i = 0; i < SPECIAL_COUNT; ++i) {
        for (int j = 0; j < SPECIAL_COUNT; ++j) {
            double x = specials[i], y = specials[j];
            double got = kin_atan2(x, y), want = atan2(x, y);
            bool ok = isfinite(want) && want != 0 ? signbit(got) == signbit(want) && ulps(got, want) <= 1 : same(got, want);
            test_check(t, ok, __FILE__, __LINE__, "atan2(%a, %a) is %a, not %a", x, y, got, want);
            got = kin_pow(x, y);
            want = pow(x, y);
            ok = isfinite(want) && want != 0 ? signbit(got) == signbit(want) && ulps(got, want) <= 2 : same(got, want);
            test_check(t, ok, __FILE__, __LINE__, "pow(%a, %a) is %a, not %a", x, y, got, want);
        }
    }
}

static void floor_is_exact(test* t)
{
    uint64_t state = 7;
    int differ = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        double x = i & 1 ? any_finite(&state) : any_between(&state, -5, 60);
        differ += !same(kin_floor(x), floor(x)) || !same(kin_ceil(x), ceil(x));
    }
    for (int i = 0; i < SPECIAL_COUNT; ++i) {
        differ += !same(kin_floor(specials[i]), floor(specials[i]));
    }
    EQUAL(t, differ, 0);
    NEAR(t, kin_round(2.5), 3, 0);
    NEAR(t, kin_round(-2.5), -2, 0);
    NEAR(t, kin_round(-2.6), -3, 0);
    NEAR(t, kin_round(0.49999999999999994), 0, 0); /* plus one half is 1 */
    NEAR(t, kin_round(-1e-20), 0, 0);
    NEAR(t, kin_round(4503599627370497.0), 4503599627370497.0, 0);
}

/* One number for all the bits: gcc and clang, -O0 and -O2, every CPU. */
static void bits_never_change(test* t)
{
    function* functions[] = {kin_sin, kin_cos, kin_tan, kin_asin, kin_acos, kin_atan, kin_exp, kin_ln, kin_cbrt, kin_floor};
    uint64_t state = 8, hash = 0xcbf29ce484222325ull;
    for (int i = 0; i < 20000; ++i) {
        double x = i % 3 == 0 ? any_finite(&state) : i % 3 == 1 ? sample_between(&state, -1, 1) : sample_between(&state, -700, 700);
        double y = sample_between(&state, -50, 50);
        for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f) {
            hash = (hash ^ bits_of(functions[f](x))) * 0x100000001b3ull;
        }
        hash = (hash ^ bits_of(kin_pow(kin_abs(x), y))) * 0x100000001b3ull;
        hash = (hash ^ bits_of(kin_atan2(x, y))) * 0x100000001b3ull;
    }
    test_check(t, hash == 0x481c967774690cf8ull, __FILE__, __LINE__, "hash is %016llx", (unsigned long long)hash);
}

/* H3.3a: with a tolerance equality is not transitive, and at most one of <, ==, > holds. */
static void tolerance_is_not_transitive(test* t)
{
    CHECK(t, kin_near(1.5, 1.7, 0.4));
    CHECK(t, kin_near(1.7, 2.0, 0.4));
    CHECK(t, !kin_near(1.5, 2.0, 0.4));
    CHECK(t, kin_below(1.5, 2.0, 0.4) && !kin_above(1.5, 2.0, 0.4));
    CHECK(t, !kin_below(1.5, 1.7, 0.4) && !kin_above(1.7, 1.5, 0.4));
    CHECK(t, kin_above(2.0, 1.5, 0.4));
}

static void clamps(test* t)
{
    NEAR(t, kin_clamp(5, 0, 1), 1, 0);
    NEAR(t, kin_clamp(-5, 0, 1), 0, 0);
    NEAR(t, kin_clamp(0.3, 0, 1), 0.3, 0);
    NEAR(t, kin_mix(2, 7, 1), 7, 0);
    NEAR(t, kin_mix(2, 7, 0.2), 3, 1e-15);
    NEAR(t, kin_square(-3), 9, 0);
    CHECK(t, !kin_finite(HUGE_VAL) && !kin_finite(NAN) && kin_finite(-1.7976931348623157e308));
}

TEST_MAIN("math/scalar", TEST(circular_within_two_ulp), TEST(hardest_reduction), TEST(sin_cos_has_the_same_bits), TEST(inverse_circular_within_two_ulp),
          TEST(exponential_within_two_ulp), TEST(logarithm_within_two_ulp), TEST(root_within_two_ulp), TEST(power_within_four_ulp),
          TEST(special_values_as_in_annex_f), TEST(two_argument_special_values), TEST(floor_is_exact), TEST(bits_never_change),
          TEST(tolerance_is_not_transitive), TEST(clamps))
