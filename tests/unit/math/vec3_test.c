/* vec3_test.c - vector identities (HA). */
#include "math/vec3.h"
#include "support/test.h"
#include "unit/math/sample.h"

static void products_of_axes(test* t)
{
    NEAR3(t, kin_cross(kin_axis(0), kin_axis(1)), kin_axis(2), 0);
    NEAR3(t, kin_cross(kin_axis(1), kin_axis(2)), kin_axis(0), 0);
    NEAR3(t, kin_cross(kin_axis(1), kin_axis(0)), kin_neg(kin_axis(2)), 0);
    NEAR(t, kin_dot(kin_v(1, 2, 3), kin_v(4, -5, 6)), 12, 0);
    NEAR(t, kin_triple(kin_axis(0), kin_axis(1), kin_axis(2)), 1, 0);
    NEAR(t, kin_length(kin_v(2, 3, 6)), 7, 0);
    NEAR(t, kin_distance(kin_v(1, 1, 1), kin_v(3, 4, 7)), 7, 0);
}

static void cross_is_perpendicular_and_lagrange_holds(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 1000; ++i) {
        kin_vec3 a = sample_vector(&state, 3), b = sample_vector(&state, 3), c = sample_vector(&state, 3);
        kin_vec3 n = kin_cross(a, b);
        NEAR(t, kin_dot(n, a), 0, 1e-13);
        NEAR(t, kin_length2(n), kin_length2(a) * kin_length2(b) - kin_square(kin_dot(a, b)), 1e-12);
        NEAR3(t, kin_cross(a, kin_cross(b, c)), kin_sub(kin_scale(b, kin_dot(a, c)), kin_scale(c, kin_dot(a, b))), 1e-13);
    }
}

static void normalizes_any_size(test* t)
{
    kin_vec3 want = {2.0 / 7, 3.0 / 7, 6.0 / 7};
    double sizes[] = {1, 1e-3, 1e-160, 1e-299, 1e160, 1e306};
    for (int i = 0; i < 6; ++i) {
        NEAR3(t, kin_normalize_or(kin_scale(kin_v(2, 3, 6), sizes[i]), kin_axis(0)), want, 1e-15);
    }
    NEAR3(t, kin_normalize_or(kin_v(0, 0, 0), kin_axis(1)), kin_axis(1), 0);
    NEAR3(t, kin_normalize_or(kin_v(0, __builtin_inf(), 0), kin_axis(2)), kin_axis(2), 0);
    NEAR3(t, kin_normalize_or(kin_v(0, __builtin_nan(""), 0), kin_axis(2)), kin_axis(2), 0);
}

static void angles_keep_their_digits(test* t)
{
    NEAR(t, kin_angle(kin_axis(0), kin_v(0, 5, 0)), KIN_PI / 2, 1e-16);
    NEAR(t, kin_angle(kin_axis(0), kin_v(1, 1e-9, 0)), 1e-9, 1e-24);
    NEAR(t, kin_angle(kin_axis(0), kin_v(-1, 1e-9, 0)), KIN_PI - 1e-9, 5e-16);
}

static void componentwise(test* t)
{
    kin_vec3 a = {1, -2, 3}, b = {-1, 5, 2};
    NEAR3(t, kin_min3(a, b), kin_v(-1, -2, 2), 0);
    NEAR3(t, kin_max3(a, b), kin_v(1, 5, 3), 0);
    NEAR3(t, kin_mul(a, b), kin_v(-1, -10, 6), 0);
    NEAR3(t, kin_abs3(a), kin_v(1, 2, 3), 0);
    NEAR(t, kin_largest(b), 5, 0);
    NEAR(t, kin_component(b, 1), 5, 0);
    NEAR3(t, kin_lerp(a, b, 1), b, 0);
    NEAR3(t, kin_lerp(a, b, 0.25), kin_v(0.5, -0.25, 2.75), 1e-15);
    CHECK(t, kin_near3(a, kin_add(a, kin_v(0.1, 0, 0)), 0.2) && !kin_near3(a, b, 0.2));
    CHECK(t, kin_finite3(a) && !kin_finite3(kin_v(0, 0, __builtin_inf())));
}

TEST_MAIN("math/vec3", TEST(products_of_axes), TEST(cross_is_perpendicular_and_lagrange_holds), TEST(normalizes_any_size), TEST(angles_keep_their_digits),
          TEST(componentwise))
