/* spline_test.c - curves through keys (8.4). */
#include "math/spline.h"
#include "support/test.h"
#include "unit/math/sample.h"

static const double times[] = {0, 0.5, 2, 2.25, 4, 7};
enum { KEYS = 6 };

static void keys_are_met_and_slopes_continue(test* t)
{
    uint64_t state = 1;
    kin_vec3 values[KEYS];
    for (int i = 0; i < KEYS; ++i) {
        values[i] = sample_vector(&state, 3);
    }
    for (int i = 0; i < KEYS; ++i) {
        kin_vec3 before, at, after;
        NEAR3(t, kin_spline_vec3(times, values, KEYS, times[i], &at), values[i], 1e-15);
        if (i > 0 && i < KEYS - 1) {
            kin_spline_vec3(times, values, KEYS, times[i] - 1e-9, &before);
            kin_spline_vec3(times, values, KEYS, times[i] + 1e-9, &after);
            NEAR3(t, before, at, 1e-6);
            NEAR3(t, after, at, 1e-6);
        }
    }
    NEAR3(t, kin_spline_vec3(times, values, KEYS, -1, NULL), values[0], 0);
    NEAR3(t, kin_spline_vec3(times, values, KEYS, 9, NULL), values[KEYS - 1], 0);
}

static void rate_is_the_derivative(test* t)
{
    uint64_t state = 2;
    kin_vec3 values[KEYS];
    for (int i = 0; i < KEYS; ++i) {
        values[i] = sample_vector(&state, 3);
    }
    for (int i = 0; i < 100; ++i) {
        double at = sample_between(&state, 0.001, 6.999), h = 1e-6;
        kin_vec3 rate, after = kin_spline_vec3(times, values, KEYS, at + h, NULL), before = kin_spline_vec3(times, values, KEYS, at - h, NULL);
        kin_spline_vec3(times, values, KEYS, at, &rate);
        NEAR3(t, rate, kin_scale(kin_sub(after, before), 0.5 / h), 1e-4);
    }
}

/* Uneven times and all: a throw is a parabola, and comes back as one, ends included. */
static void parabola_is_exact(test* t)
{
    double heights[KEYS];
    for (int i = 0; i < KEYS; ++i) {
        heights[i] = 2 + 3 * times[i] - 4.9 * times[i] * times[i];
    }
    for (int count = 3; count <= KEYS; ++count) {
        for (int i = 0; i <= 50; ++i) {
            double at = times[count - 1] * i / 50, rate;
            NEAR(t, kin_spline_scalar(times, heights, count, at, &rate), 2 + 3 * at - 4.9 * at * at, 1e-12);
            NEAR(t, rate, 3 - 9.8 * at, 1e-12);
        }
    }
    NEAR(t, kin_spline_scalar(times, heights, 2, 0.25, NULL), 0.5 * (heights[0] + heights[1]), 1e-15);
}

/* The window of four keys gives what all keys give. */
static void scalar_is_vector(test* t)
{
    uint64_t state = 3;
    double values[KEYS];
    kin_vec3 points[KEYS];
    for (int i = 0; i < KEYS; ++i) {
        values[i] = sample_between(&state, -3, 3);
        points[i] = kin_v(values[i], 0, 0);
    }
    for (int i = 0; i <= 100; ++i) {
        double at = -0.5 + 8.0 * i / 100;
        NEAR(t, kin_spline_scalar(times, values, KEYS, at, NULL), kin_spline_vec3(times, points, KEYS, at, NULL).x, 0);
    }
}

static void few_keys(test* t)
{
    kin_vec3 one = {1, 2, 3};
    kin_quat turn = kin_quat_axis_angle(kin_axis(0), 1);
    NEAR3(t, kin_spline_vec3(times, &one, 1, 5, NULL), one, 0);
    NEAR3(t, kin_spline_vec3(times, &one, 0, 5, NULL), kin_v(0, 0, 0), 0);
    NEAR(t, rotation_distance(kin_spline_quat(times, &turn, 1, 5), turn), 0, 0);
    NEAR(t, rotation_distance(kin_spline_quat(times, &turn, 0, 5), kin_quat_identity()), 0, 0);
    EQUAL(t, kin_spline_interval(times, KEYS, -1), 0);
    EQUAL(t, kin_spline_interval(times, KEYS, 2), 2);
    EQUAL(t, kin_spline_interval(times, KEYS, 100), KEYS - 2);
}

static kin_vec3 spin_at(const kin_quat* values, double at, double h)
{
    return kin_quat_spin_between(kin_spline_quat(times, values, KEYS, at), kin_spline_quat(times, values, KEYS, at + h), h);
}

/* Unit length, through the keys whatever their signs, one spin on both sides of each. */
static void orientations_are_smooth_at_keys(test* t)
{
    uint64_t state = 4;
    kin_quat values[KEYS] = {kin_quat_identity()};
    for (int i = 1; i < KEYS; ++i) {
        kin_quat step = kin_quat_from_rotation_vector(sample_vector(&state, 1));
        values[i] = kin_quat_mul(step, values[i - 1]);
        if (i % 2) {
            values[i] = kin_quat_neg(values[i]);
        }
    }
    for (int i = 0; i < KEYS; ++i) {
        NEAR(t, rotation_distance(kin_spline_quat(times, values, KEYS, times[i]), values[i]), 0, 2e-15);
    }
    for (int i = 1; i < KEYS - 1; ++i) {
        NEAR3(t, spin_at(values, times[i], -1e-5), spin_at(values, times[i], 1e-5), 2e-3);
        NEAR3(t, spin_at(values, times[i], -1e-6), spin_at(values, times[i], 1e-6), 2e-4); /* the gap closes with h: C1 */
    }
    for (int i = 0; i <= 100; ++i) {
        NEAR(t, kin_quat_length(kin_spline_quat(times, values, KEYS, 0.07 * i)), 1, 4e-15);
    }
}

/* Keys of a constant spin give that spin everywhere. */
static void constant_spin_is_exact(test* t)
{
    kin_vec3 w = {0.3, -0.5, 0.2};
    kin_quat values[KEYS], start = kin_quat_axis_angle(kin_v(1, 1, 0), 0.7);
    for (int i = 0; i < KEYS; ++i) {
        values[i] = kin_quat_integrate(start, w, times[i]);
    }
    for (int i = 0; i <= 70; ++i) {
        NEAR(t, rotation_distance(kin_spline_quat(times, values, KEYS, 0.1 * i), kin_quat_integrate(start, w, 0.1 * i)), 0, 4e-15);
    }
}

/* Bezier: ends met, end spins three times the arcs to the control points. */
static void bezier_ends(test* t)
{
    kin_quat q0 = kin_quat_identity(), b = kin_quat_axis_angle(kin_axis(0), 0.2), q1 = kin_quat_axis_angle(kin_v(1, 2, 0), 1);
    kin_quat c = kin_quat_mul(kin_quat_axis_angle(kin_axis(2), 0.1), q1);
    NEAR(t, rotation_distance(kin_quat_bezier(q0, b, c, q1, 0), q0), 0, 1e-15);
    NEAR(t, rotation_distance(kin_quat_bezier(q0, b, c, q1, 1), q1), 0, 1e-15);
    double h = 1e-6;
    NEAR3(t, kin_quat_spin_between(q0, kin_quat_bezier(q0, b, c, q1, h), h), kin_v(0.6, 0, 0), 1e-5);
    NEAR3(t, kin_quat_spin_between(kin_quat_bezier(q0, b, c, q1, 1 - h), q1, h), kin_v(0, 0, -0.3), 1e-5);
}

TEST_MAIN("math/spline", TEST(keys_are_met_and_slopes_continue), TEST(rate_is_the_derivative), TEST(parabola_is_exact), TEST(scalar_is_vector), TEST(few_keys),
          TEST(orientations_are_smooth_at_keys), TEST(constant_spin_is_exact), TEST(bezier_ends))
