/* roots_test.c - real roots of quadratics and cubics in an interval: by construction, double ones too, and three ways that agree. */
#include "numerics/roots.h"
#include "math/scalar.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static void expand(const double* r, int degree, double scale, double* c) /* scale (t - r0)(t - r1)... */
{
    c[0] = scale;
    for (int i = 0; i < degree; ++i) {
        c[i + 1] = c[i];
        for (int k = i; k > 0; --k) c[k] = c[k - 1] - r[i] * c[k];
        c[0] = -r[i] * c[0];
    }
}

static int in_unit(const double* r, int count)
{
    int n = 0;
    for (int i = 0; i < count; ++i) n += r[i] >= 0 && r[i] <= 1;
    return n;
}

static void sort3(double* r, int count)
{
    for (int i = 1; i < count; ++i) {
        for (int k = i; k > 0 && r[k] < r[k - 1]; --k) {
            double x = r[k];
            r[k] = r[k - 1];
            r[k - 1] = x;
        }
    }
}

static void built_roots_are_found(test* t)
{
    dice d = {1};
    for (int i = 0; i < 3000; ++i) {
        int degree = 1 + i % 3;
        double r[3], c[4], found[3], all[3];
        for (int k = 0; k < degree; ++k) r[k] = roll(&d, -0.7, 1.7);
        sort3(r, degree);
        bool apart = true;
        for (int k = 1; k < degree; ++k) apart = apart && r[k] - r[k - 1] > 1e-3;
        if (!apart) continue;
        expand(r, degree, roll(&d, 0.1, 10), c);
        int count = kin_roots(c, degree, 0, 1, found), n = 0;
        EQUAL(t, count, in_unit(r, degree));
        for (int k = 0; k < degree; ++k) {
            if (r[k] >= 0 && r[k] <= 1 && n < count) NEAR(t, found[n], r[k], 1e-10), n += 1;
        }
        EQUAL(t, kin_roots_count(c, degree, 0, 1), in_unit(r, degree));
        if (degree == 3) {
            EQUAL(t, kin_roots_cubic(c, all), 3);
            for (int k = 0; k < 3; ++k) NEAR(t, all[k], r[k], 1e-8);
        }
    }
}

static void double_roots_are_touches(test* t)
{
    double c[4], found[3];
    expand((double[]){0.5, 0.5}, 2, 3, c);
    EQUAL(t, kin_roots(c, 2, 0, 1, found), 1);
    NEAR(t, found[0], 0.5, 1e-8);
    expand((double[]){0.25, 0.25, 0.9}, 3, 1, c);
    EQUAL(t, kin_roots(c, 3, 0, 1, found), 2);
    NEAR(t, found[0], 0.25, 1e-7);
    NEAR(t, found[1], 0.9, 1e-12);
    expand((double[]){0.4, 0.4, 0.4}, 3, 1, c);
    EQUAL(t, kin_roots(c, 3, 0, 1, found), 1);
    NEAR(t, found[0], 0.4, 1e-5);
    double near[3] = {0.25 + 1e-6, -1, 1}; /* (t - 1/2)^2 + 1e-6: no root, however near */
    EQUAL(t, kin_roots(near, 2, 0, 1, found), 0);
}

static void degenerate_polynomials(test* t)
{
    double found[3];
    EQUAL(t, kin_roots((double[]){0, 0, 0, 0}, 3, 0, 1, found), 0);
    CHECK(t, kin_polynomial_vanishes((double[]){1e-15, -1e-15, 0, 0}, 3, 0, 1, 1e-14));
    CHECK(t, !kin_polynomial_vanishes((double[]){0, -1, 1, 0}, 3, 0, 1, 0.2)); /* zero at both ends, -1/4 between */
    EQUAL(t, kin_roots((double[]){-0.5, 1, 0, 0}, 3, 0, 1, found), 1);
    NEAR(t, found[0], 0.5, 1e-15);
    EQUAL(t, kin_roots((double[]){0, 1}, 1, 0, 1, found), 1); /* an end counts */
    EQUAL(t, kin_roots((double[]){-1, 1}, 1, 0, 1, found), 1);
    EQUAL(t, kin_roots((double[]){-1e-300, 1e-300, 1e-300}, 2, 0, 1, found), 1);
    NEAR(t, found[0], 0.5 * (kin_sqrt(5) - 1), 1e-12);
    double q[2];
    EQUAL(t, kin_roots_quadratic((double[]){1e-20, -1, 1e20}, q), 0);
    EQUAL(t, kin_roots_quadratic((double[]){1, -1e9, 1}, q), 2);
    NEAR(t, q[0] * 1e9, 1, 1e-12); /* the small root to full precision */
}

typedef struct counted {
    int kind, calls;
} counted;

static double curve(void* context, double x)
{
    counted* c = context;
    ++c->calls;
    switch (c->kind) {
    case 0: return kin_cos(x) - x;              /* 0.7390851332151607 */
    case 1: return x * x * x - 2 * x - 5;       /* 2.0945514815423265: Newton's own */
    case 2: return x < 0.3 ? -1 : 1e9;          /* a jump */
    case 3: return kin_square(x - 1) * (x - 1); /* flat: triple */
    case 4: return kin_exp(x) - 1e-30;          /* -69.07755278982137 */
    case 5: return (x - 0.25) * 1e-200;         /* products of values vanish */
    default: return x < 0 ? __builtin_nan("") : 1 - x;
    }
}

static void any_function_between_two_signs(test* t)
{
    static const double low[] = {0, 2, 0, -0.7, -100, 0}, high[] = {1, 3, 1, 3, 10, 7},
                        want[] = {0.7390851332151607, 2.0945514815423265, 0.3, 1, -69.07755278982137, 0.25};
    static const int most[] = {12, 12, 100, 180, 130, 70}; /* calls: smooth ones in a dozen, jumps and flat ones in thrice what bisection takes */
    for (int kind = 0; kind < 6; ++kind) {
        for (int turned = 0; turned < 2; ++turned) {
            counted c = {.kind = kind};
            kin_root r = kin_root_bracketed(curve, &c, turned ? high[kind] : low[kind], turned ? low[kind] : high[kind], 0);
            CHECK(t, r.found);
            NEAR(t, r.x, want[kind], kind == 3 ? 1e-5 : 4e-16 * (1 + kin_abs(want[kind])));
            EQUAL(t, r.evaluations, c.calls);
            CHECK(t, c.calls <= most[kind]);
            counted again = {.kind = kind};
            NEAR(t, r.value, curve(&again, r.x), 0);
            CHECK(t, kin_abs(r.other - r.x) <= 1e-15 * (1 + kin_abs(r.x)) || r.value == 0);
        }
    }
    counted c = {.kind = 0};
    kin_root rough = kin_root_bracketed(curve, &c, 0, 1, 1e-3);
    NEAR(t, rough.x, want[0], 1e-3);
    CHECK(t, rough.evaluations <= 7);
}

static void no_bracket_is_told(test* t)
{
    counted c = {.kind = 0}, bad = {.kind = 6};
    kin_root r = kin_root_bracketed(curve, &c, 1, 2, 0);
    CHECK(t, !r.found);
    NEAR(t, r.x, 1, 0); /* the better end */
    EQUAL(t, r.evaluations, 2);
    CHECK(t, !kin_root_bracketed(curve, &bad, -1, 0.5, 0).found);
    r = kin_root_bracketed(curve, &bad, 1, 5, 0); /* zero at an end */
    CHECK(t, r.found);
    NEAR(t, r.x, 1, 0);
    NEAR(t, r.other, 1, 0);
}

TEST_MAIN("roots", TEST(built_roots_are_found), TEST(double_roots_are_touches), TEST(degenerate_polynomials), TEST(any_function_between_two_signs),
          TEST(no_bracket_is_told))
