/* curve_test.c - values between keys, and their integrals. */
#include "system/curve.h"
#include "math/scalar.h"
#include "support/test.h"

static const kin_curve_key keys[] = {{1, {2, 0, 9}}, {2, {6, 1, 9}}, {5, {-3, 4, 9}}, {5.5, {0, 0, 0}}};

static void between_keys(test* t)
{
    kin_curve c = {keys, 4, KIN_CURVE_LINEAR};
    const double at[] = {-5, 1, 1.25, 2, 3.5, 5, 5.25, 5.5, 99}, linear[] = {2, 2, 3, 6, 1.5, -3, -1.5, 0, 0}, step[] = {2, 2, 2, 6, 6, -3, -3, 0, 0};
    for (int i = 0; i < 9; ++i) {
        c.mode = KIN_CURVE_LINEAR;
        NEAR(t, kin_curve_at(&c, at[i], 7), linear[i], 1e-15);
        c.mode = KIN_CURVE_STEP;
        NEAR(t, kin_curve_at(&c, at[i], 7), step[i], 0);
    }
    c.mode = KIN_CURVE_SMOOTH;
    NEAR(t, kin_curve_at(&c, 1.5, 7), 4, 1e-15);
    NEAR(t, kin_curve_at(&c, 1.25, 7), 2 + 4 * (3 * 0.0625 - 2 * 0.015625), 1e-15);
    for (double s = 2; s <= 5; s += 0.01) CHECK(t, kin_curve_at(&c, s, 7) <= 6 && kin_curve_at(&c, s, 7) >= -3); /* no overshoot */
}

static void a_curve_that_was_not_given(test* t)
{
    kin_curve none = {0}, one = {keys, 1, KIN_CURVE_SMOOTH};
    double three[3] = {7, 8, 9};
    NEAR(t, kin_curve_at(&none, 3, 7), 7, 0);
    NEAR(t, kin_curve_integral(&none, 1, 4, 7), 21, 0);
    kin_curve_at3(&none, 3, three);
    NEAR(t, three[1], 8, 0);
    NEAR(t, kin_curve_at(&one, 30, 7), 2, 0);
    NEAR(t, kin_curve_integral(&one, -3, 30, 7), 66, 1e-13);
}

static void three_at_once(test* t)
{
    kin_curve c = {keys, 4, KIN_CURVE_LINEAR};
    double out[3];
    kin_curve_at3(&c, 3.5, out);
    NEAR(t, out[0], 1.5, 1e-15);
    NEAR(t, out[1], 2.5, 1e-15);
    NEAR(t, out[2], 9, 0);
}

/* Gauss's three points are exact for the pieces (at most cubic), taken between keys and the ends. */
static double quadrature(const kin_curve* c, double a, double b)
{
    const double node = 0.7745966692414834, ends[] = {a, 1, 2, 5, 5.5, b};
    double sum = 0, from = a;
    for (int i = 1; i < 6; ++i) {
        double to = kin_clamp(ends[i], from, b), half = 0.5 * (to - from), middle = 0.5 * (to + from);
        if (half > 0) {
            sum += half / 9 * (5 * kin_curve_at(c, middle - node * half, 0) + 8 * kin_curve_at(c, middle, 0) + 5 * kin_curve_at(c, middle + node * half, 0));
        }
        from = to;
    }
    return sum;
}

static void integrals_are_exact(test* t)
{
    const double spans[][2] = {{-1, 0.5}, {0, 1.5}, {1, 2}, {1.2, 1.3}, {1.5, 5.2}, {2, 5}, {4.9, 5.6}, {6, 8}, {-2, 9}, {3, 3}};
    for (int mode = KIN_CURVE_LINEAR; mode <= KIN_CURVE_SMOOTH; ++mode) {
        kin_curve c = {keys, 4, (kin_curve_mode)mode};
        for (int i = 0; i < 10; ++i) NEAR(t, kin_curve_integral(&c, spans[i][0], spans[i][1], 0), quadrature(&c, spans[i][0], spans[i][1]), 1e-13);
        NEAR(t, kin_curve_integral(&c, 0, 3, 0) + kin_curve_integral(&c, 3, 8, 0), kin_curve_integral(&c, 0, 8, 0), 1e-13);
    }
    NEAR(t, kin_curve_integral(&(kin_curve){keys, 4, KIN_CURVE_STEP}, 0, 5, 0), 2 + 2 + 18, 1e-14);
    NEAR(t, kin_curve_integral(&(kin_curve){keys, 4, KIN_CURVE_LINEAR}, 1, 5, 0), 4 + 4.5, 1e-14);
}

TEST_MAIN("curve", TEST(between_keys), TEST(a_curve_that_was_not_given), TEST(three_at_once), TEST(integrals_are_exact))
