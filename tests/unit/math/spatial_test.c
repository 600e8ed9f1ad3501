/* spatial_test.c - spatial algebra (H12.3). */
#include "math/spatial.h"
#include "support/test.h"
#include "unit/math/sample.h"

static kin_spatial_motion sample_motion(uint64_t* state)
{
    kin_vec3 angular = sample_vector(state, 2);
    return (kin_spatial_motion){angular, sample_vector(state, 2)};
}

static kin_spatial_force sample_force(uint64_t* state)
{
    kin_vec3 force = sample_vector(state, 2);
    return (kin_spatial_force){force, sample_vector(state, 2)};
}

static kin_spatial_inertia sample_inertia(uint64_t* state)
{
    double mass = sample_between(state, 0.5, 3);
    kin_vec3 center = sample_vector(state, 1);
    return (kin_spatial_inertia){mass, center, kin_sym3_rotate(kin_quat_to_matrix(sample_rotation(state)), kin_sym3_diagonal(kin_v(1, 2, 2.5)))};
}

static void motion_near(test* t, kin_spatial_motion got, kin_spatial_motion want)
{
    NEAR3(t, got.angular, want.angular, 1e-13);
    NEAR3(t, got.linear, want.linear, 1e-13);
}

static void force_near(test* t, kin_spatial_force got, kin_spatial_force want)
{
    NEAR3(t, got.force, want.force, 2e-13);
    NEAR3(t, got.torque, want.torque, 2e-13);
}

static void power_is_the_same_in_every_frame(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 300; ++i) {
        kin_spatial_transform x = kin_spatial_into(sample_pose(&state));
        kin_spatial_motion v = sample_motion(&state);
        kin_spatial_force f = sample_force(&state);
        NEAR(t, kin_spatial_power(kin_spatial_apply_force(&x, f), kin_spatial_apply_motion(&x, v)), kin_spatial_power(f, v), 2e-13);
    }
}

static void transforms_chain_and_invert(test* t)
{
    uint64_t state = 2;
    for (int i = 0; i < 300; ++i) {
        kin_transform b_in_a = sample_pose(&state), c_in_b = sample_pose(&state);
        kin_spatial_transform ab = kin_spatial_into(b_in_a), bc = kin_spatial_into(c_in_b), ac = kin_spatial_into(kin_transform_mul(b_in_a, c_in_b));
        kin_spatial_transform chain = kin_spatial_chain(&bc, &ab), back = kin_spatial_inverse(&ab);
        kin_spatial_motion v = sample_motion(&state);
        kin_spatial_force f = sample_force(&state);
        motion_near(t, kin_spatial_apply_motion(&chain, v), kin_spatial_apply_motion(&ac, v));
        motion_near(t, kin_spatial_apply_motion(&chain, v), kin_spatial_apply_motion(&bc, kin_spatial_apply_motion(&ab, v)));
        force_near(t, kin_spatial_apply_force(&chain, f), kin_spatial_apply_force(&ac, f));
        motion_near(t, kin_spatial_apply_motion(&back, kin_spatial_apply_motion(&ab, v)), v);
        force_near(t, kin_spatial_apply_force(&back, kin_spatial_apply_force(&ab, f)), f);
    }
}

/* A wheel spinning at 2 rad/s about z, seen from a frame 3 m along x: that point of it moves at 6 m/s along y. */
static void velocity_of_a_shifted_frame(test* t)
{
    kin_spatial_transform x = kin_spatial_into((kin_transform){{3, 0, 0}, {0, 0, 0, 1}});
    kin_spatial_motion v = kin_spatial_apply_motion(&x, (kin_spatial_motion){{0, 0, 2}, {0, 0, 0}});
    NEAR3(t, v.angular, kin_v(0, 0, 2), 0);
    NEAR3(t, v.linear, kin_v(0, 6, 0), 0);
    /* 5 N along y through the origin: about the new origin a torque of -15. */
    kin_spatial_force f = kin_spatial_apply_force(&x, (kin_spatial_force){{0, 5, 0}, {0, 0, 0}});
    NEAR3(t, f.force, kin_v(0, 5, 0), 0);
    NEAR3(t, f.torque, kin_v(0, 0, -15), 0);
}

/* v x is the rate of change under the motion v: difference of transforms; and power is not made by it. */
static void cross_products_are_rates(test* t)
{
    uint64_t state = 3;
    const double h = 1e-5;
    for (int i = 0; i < 100; ++i) {
        kin_spatial_motion v = sample_motion(&state), u = sample_motion(&state);
        kin_spatial_force f = sample_force(&state);
        /* A frame that moves with v, a moment later and a moment before, carries u and f along. */
        kin_spatial_motion rate = {{0, 0, 0}, {0, 0, 0}};
        kin_spatial_force push = {{0, 0, 0}, {0, 0, 0}};
        for (int side = -1; side <= 1; side += 2) {
            kin_transform moved = {kin_scale(v.linear, side * h), kin_quat_from_rotation_vector(kin_scale(v.angular, side * h))};
            kin_spatial_transform into = kin_spatial_into(moved), out = kin_spatial_inverse(&into);
            rate = kin_spatial_motion_add(rate, kin_spatial_motion_scale(kin_spatial_apply_motion(&out, u), side * 0.5 / h));
            push = kin_spatial_force_add(push, kin_spatial_force_scale(kin_spatial_apply_force(&out, f), side * 0.5 / h));
        }
        kin_spatial_motion cross = kin_spatial_cross_motion(v, u);
        kin_spatial_force cross_force = kin_spatial_cross_force(v, f);
        NEAR3(t, cross.angular, rate.angular, 1e-8);
        NEAR3(t, cross.linear, rate.linear, 1e-8);
        NEAR3(t, cross_force.force, push.force, 1e-8);
        NEAR3(t, cross_force.torque, push.torque, 1e-8);
        NEAR(t, kin_spatial_power(cross_force, u), -kin_spatial_power(f, cross), 1e-13); /* f.u is carried along unchanged */
        motion_near(t, kin_spatial_cross_motion(v, v), (kin_spatial_motion){{0, 0, 0}, {0, 0, 0}});
    }
}

/* Momentum and energy as sums over the body do not depend on the frame. */
static void inertia_in_another_frame(test* t)
{
    uint64_t state = 4;
    for (int i = 0; i < 200; ++i) {
        kin_spatial_inertia body = sample_inertia(&state);
        kin_spatial_transform x = kin_spatial_into(sample_pose(&state));
        kin_spatial_motion v = sample_motion(&state), seen = kin_spatial_apply_motion(&x, v);
        kin_spatial_inertia there = kin_spatial_inertia_apply(&x, &body);
        NEAR(t, kin_spatial_energy(&there, seen), kin_spatial_energy(&body, v), 1e-12);
        kin_spatial_force a = kin_spatial_momentum(&there, seen), momentum = kin_spatial_momentum(&body, v);
        kin_spatial_force b = kin_spatial_apply_force(&x, momentum);
        NEAR3(t, a.force, b.force, 1e-12);
        NEAR3(t, a.torque, b.torque, 1e-12);
    }
}

static void welded_bodies_add(test* t)
{
    uint64_t state = 5;
    for (int i = 0; i < 200; ++i) {
        kin_spatial_inertia a = sample_inertia(&state), b = sample_inertia(&state), both = kin_spatial_inertia_add(&a, &b);
        kin_spatial_motion v = sample_motion(&state);
        force_near(t, kin_spatial_momentum(&both, v), kin_spatial_force_add(kin_spatial_momentum(&a, v), kin_spatial_momentum(&b, v)));
    }
    /* Two masses of 1 kg, 2 m apart: moments 0, 2, 2 about the middle. */
    kin_spatial_inertia left = {1, {-1, 0, 0}, {0, 0, 0, 0, 0, 0}}, right = {1, {1, 0, 0}, {0, 0, 0, 0, 0, 0}};
    kin_sym3 moment = kin_spatial_inertia_add(&left, &right).moment;
    NEAR3(t, kin_v(moment.xx, moment.yy, moment.zz), kin_v(0, 2, 2), 0);
}

TEST_MAIN("math/spatial", TEST(power_is_the_same_in_every_frame), TEST(transforms_chain_and_invert), TEST(velocity_of_a_shifted_frame),
          TEST(cross_products_are_rates), TEST(inertia_in_another_frame), TEST(welded_bodies_add))
