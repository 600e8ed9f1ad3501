/* pose_path_test.c - Hermite paths of poses: ends, derivatives, order. */
#include "math/pose_path.h"
#include "support/test.h"
#include "unit/math/sample.h"

static double turned(kin_quat a, kin_quat b) { return kin_quat_angle(kin_quat_mul(a, kin_quat_conj(b))); }

static kin_pose_path draw(uint64_t* state, double h)
{
    const kin_transform start = {sample_vector(state, 2), kin_quat_from_rotation_vector(sample_vector(state, 2))};
    const kin_vec3 turn = sample_vector(state, 1.5);
    const kin_transform end = {sample_vector(state, 2), kin_quat_normalize(kin_quat_mul(kin_quat_from_rotation_vector(turn), start.orientation))};
    return kin_pose_path_between(start, (kin_twist){sample_vector(state, 3), sample_vector(state, 3)}, end,
                                 (kin_twist){sample_vector(state, 3), sample_vector(state, 3)}, h);
}

static void ends_are_those_given(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 50; ++i) {
        const kin_transform start = {sample_vector(&state, 2), kin_quat_from_rotation_vector(sample_vector(&state, 2))};
        const kin_quat turn = kin_quat_from_rotation_vector(sample_vector(&state, 1.7));
        const kin_transform end = {sample_vector(&state, 2), kin_quat_normalize(kin_quat_mul(turn, start.orientation))};
        const kin_twist a = {sample_vector(&state, 3), sample_vector(&state, 3)}, b = {sample_vector(&state, 3), sample_vector(&state, 3)};
        const double h = sample_between(&state, 0.01, 2);
        const kin_pose_path path = kin_pose_path_between(start, a, end, b, h);
        const kin_pose_motion from = kin_pose_path_at(&path, 0), to = kin_pose_path_at(&path, h);
        NEAR3(t, from.pose.position, start.position, 0);
        NEAR3(t, to.pose.position, end.position, 0);
        NEAR(t, turned(to.pose.orientation, end.orientation), 0, 0);
        NEAR3(t, from.rate.velocity, a.velocity, 1e-12);
        NEAR3(t, from.rate.spin, a.spin, 1e-12);
        NEAR3(t, to.rate.velocity, b.velocity, 1e-11 / h);
        NEAR3(t, to.rate.spin, b.spin, 1e-11 / h);
        NEAR(t, turned(kin_pose_path_at(&path, h * (1 - 1e-13)).pose.orientation, end.orientation), 0, 1e-7);
    }
}

/* Central differences of poses and rates. */
static void rates_are_derivatives(test* t)
{
    uint64_t state = 2;
    for (int i = 0; i < 50; ++i) {
        const kin_pose_path path = draw(&state, 1);
        const double d = 1e-4, at = sample_between(&state, 0.01, 0.99);
        const kin_pose_motion before = kin_pose_path_at(&path, at - d), now = kin_pose_path_at(&path, at), after = kin_pose_path_at(&path, at + d);
        NEAR3(t, kin_scale(kin_sub(after.pose.position, before.pose.position), 0.5 / d), now.rate.velocity, 1e-6);
        NEAR3(t, kin_quat_spin_between(before.pose.orientation, after.pose.orientation, 2 * d), now.rate.spin, 1e-5);
        NEAR3(t, kin_scale(kin_sub(after.rate.velocity, before.rate.velocity), 0.5 / d), now.acceleration.velocity, 1e-6);
        NEAR3(t, kin_scale(kin_sub(after.rate.spin, before.rate.spin), 0.5 / d), now.acceleration.spin, 1e-4);
    }
}

/* Constant rates are a screw: position on a line, orientation on a great arc. */
static void constant_rates_are_a_screw(test* t)
{
    const kin_twist rate = {{1, -2, 0.5}, {0.4, 0.9, -1.3}};
    const kin_transform start = {{1, 2, 3}, kin_quat_axis_angle(kin_v(1, 1, 0), 0.7)};
    const double h = 1.5;
    const kin_transform end = {kin_add_scaled(start.position, h, rate.velocity), kin_quat_integrate(start.orientation, rate.spin, h)};
    const kin_pose_path path = kin_pose_path_between(start, rate, end, rate, h);
    for (int i = 0; i <= 10; ++i) {
        const kin_pose_motion m = kin_pose_path_at(&path, 0.1 * i * h);
        NEAR3(t, m.pose.position, kin_add_scaled(start.position, 0.1 * i * h, rate.velocity), 1e-14);
        NEAR(t, turned(m.pose.orientation, kin_quat_integrate(start.orientation, rate.spin, 0.1 * i * h)), 0, 1e-13);
        NEAR3(t, m.rate.spin, rate.spin, 1e-13);
        NEAR3(t, m.acceleration.spin, kin_v(0, 0, 0), 1e-12);
    }
}

/* A table that rocks about a tilted axis and goes round a circle: off by T^4 / 384 of the fourth derivative. */
static kin_transform rocking(double t)
{
    const kin_quat q = kin_quat_mul(kin_quat_axis_angle(kin_v(1, 0.3, 0), 0.5 * kin_sin(2 * t)), kin_quat_axis_angle(kin_v(0, 1, 0.2), 0.8 * kin_sin(t)));
    return (kin_transform){{kin_cos(t), kin_sin(t), 0}, kin_quat_normalize(q)};
}

static kin_twist rocking_rate(double t)
{
    const double d = 1e-4;
    kin_twist rate = {{-kin_sin(t), kin_cos(t), 0}, {0, 0, 0}};
    const kin_vec3 near = kin_quat_spin_between(rocking(t - d).orientation, rocking(t + d).orientation, 2 * d);
    const kin_vec3 far = kin_quat_spin_between(rocking(t - 2 * d).orientation, rocking(t + 2 * d).orientation, 4 * d);
    rate.spin = kin_sub(kin_scale(near, 4.0 / 3), kin_scale(far, 1.0 / 3));
    return rate;
}

static void miss_of(double h, double* position, double* turn)
{
    const kin_pose_path path = kin_pose_path_between(rocking(0.3), rocking_rate(0.3), rocking(0.3 + h), rocking_rate(0.3 + h), h);
    const kin_transform middle = kin_pose_path_at(&path, 0.5 * h).pose, truth = rocking(0.3 + 0.5 * h);
    *position = kin_distance(middle.position, truth.position);
    *turn = turned(middle.orientation, truth.orientation);
}

static void misses_by_the_fourth_order(test* t)
{
    double far[2], near[2];
    miss_of(0.2, &far[0], &far[1]);
    miss_of(0.1, &near[0], &near[1]);
    NEAR(t, far[0], 0.0016 / 384, 1e-3 * far[0]); /* |y''''| = 1 */
    for (int k = 0; k < 2; ++k) CHECK(t, far[k] / near[k] > 14 && far[k] / near[k] < 18);
}

static void bend_is_the_largest_second_derivative(test* t)
{
    uint64_t state = 3;
    for (int i = 0; i < 20; ++i) {
        const kin_pose_path path = draw(&state, 0.7);
        double linear, angular, most = 0;
        kin_pose_path_bend(&path, &linear, &angular);
        for (int k = 0; k <= 20; ++k) most = kin_max(most, kin_length(kin_pose_path_at(&path, 0.7 * k / 20).acceleration.velocity));
        NEAR(t, linear, most, 1e-10 * most);
        CHECK(t, angular > 0);
    }
}

TEST_MAIN("math/pose_path", TEST(ends_are_those_given), TEST(rates_are_derivatives), TEST(constant_rates_are_a_screw), TEST(misses_by_the_fourth_order),
          TEST(bend_is_the_largest_second_derivative))
