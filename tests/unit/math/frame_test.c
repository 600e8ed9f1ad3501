/* frame_test.c - contact frames (A6.6), frames from two vectors (HD), rates of unit vectors (E10.3, E10.4). */
#include "math/frame.h"
#include "support/test.h"
#include "unit/math/sample.h"

static void frame_of_a_normal_is_right_handed(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 1000; ++i) {
        kin_vec3 n = i < 6 ? kin_scale(kin_axis(i % 3), i < 3 ? 1 : -1) : sample_unit(&state);
        kin_basis b = kin_basis_from_normal(n);
        NEAR(t, rotation_error((kin_mat3){b.n, b.t, b.k}), 0, 1e-15);
        kin_vec3 v = sample_vector(&state, 3);
        NEAR3(t, kin_basis_to_world(b, kin_basis_to_local(b, v)), v, 2e-15);
    }
}

/* One normal per rule: the smallest component is dropped, the others swapped, one negated. */
static void three_rules_of_the_tangent(test* t)
{
    NEAR3(t, kin_perpendicular(kin_v(1, 2, 3)), kin_v(0, 3, -2), 0);
    NEAR3(t, kin_perpendicular(kin_v(2, 1, 3)), kin_v(-3, 0, 2), 0);
    NEAR3(t, kin_perpendicular(kin_v(3, 2, -1)), kin_v(2, -3, 0), 0);
    NEAR3(t, kin_perpendicular(kin_v(0, 0, 1)), kin_v(0, 1, 0), 0); /* ties go to x, then y */
}

/* The tangent jumps where another component becomes the smallest: known, and why nobody may difference it. */
static void tangent_is_discontinuous(test* t)
{
    kin_vec3 before = kin_normalize_or(kin_v(0.4999, 0.5, 1), kin_axis(0)), after = kin_normalize_or(kin_v(0.5001, 0.5, 1), kin_axis(0));
    CHECK(t, kin_distance(before, after) < 1e-3);
    CHECK(t, kin_distance(kin_basis_from_normal(before).t, kin_basis_from_normal(after).t) > 1);
}

/* E10.3.2, E10.4 by central differences; normalising the derivative would lose its size (E10). */
static void rates_match_differences(test* t)
{
    uint64_t state = 2;
    const double h = 1e-5;
    for (int i = 0; i < 300; ++i) {
        kin_vec3 u = sample_vector(&state, 2), du = sample_vector(&state, 1);
        if (kin_length(u) < 0.3) {
            continue;
        }
        kin_vec3 after = kin_normalize_or(kin_add_scaled(u, h, du), u), before = kin_normalize_or(kin_add_scaled(u, -h, du), u);
        NEAR3(t, kin_unit_rate(u, du), kin_scale(kin_sub(after, before), 0.5 / h), 1e-7);

        kin_vec3 n = kin_normalize_or(u, u), w = sample_vector(&state, 1);
        kin_vec3 a = kin_abs3(n);
        double gap = kin_min(kin_abs(a.x - a.y), kin_min(kin_abs(a.y - a.z), kin_abs(a.z - a.x)));
        if (gap < 0.01) { /* too near the jump to difference */
            continue;
        }
        kin_basis rate = kin_basis_rate(n, kin_cross(w, n));
        kin_basis late = kin_basis_from_normal(kin_rotate(kin_quat_from_rotation_vector(kin_scale(w, h)), n));
        kin_basis soon = kin_basis_from_normal(kin_rotate(kin_quat_from_rotation_vector(kin_scale(w, -h)), n));
        NEAR3(t, rate.n, kin_scale(kin_sub(late.n, soon.n), 0.5 / h), 1e-8);
        NEAR3(t, rate.t, kin_scale(kin_sub(late.t, soon.t), 0.5 / h), 1e-7);
        NEAR3(t, rate.k, kin_scale(kin_sub(late.k, soon.k), 0.5 / h), 1e-7);
    }
}

static void frame_of_two_vectors(test* t)
{
    uint64_t state = 3;
    for (int i = 0; i < 300; ++i) {
        kin_vec3 a = sample_vector(&state, 3), b = sample_vector(&state, 3);
        kin_mat3 m = kin_mat3_from_two(a, b);
        NEAR(t, rotation_error(m), 0, 4e-15);
        NEAR(t, kin_dot(m.cx, a), kin_length(a), 1e-14);
        NEAR(t, kin_dot(m.cz, b), 0, 1e-14);
        CHECK(t, kin_dot(m.cy, b) >= 0);
    }
    NEAR(t, rotation_error(kin_mat3_from_two(kin_v(1, 2, 3), kin_v(2, 4, 6))), 0, 1e-15);
    NEAR(t, rotation_error(kin_mat3_from_two(kin_v(0, 0, 0), kin_v(0, 0, 0))), 0, 1e-15);
}

TEST_MAIN("math/frame", TEST(frame_of_a_normal_is_right_handed), TEST(three_rules_of_the_tangent), TEST(tangent_is_discontinuous),
          TEST(rates_match_differences), TEST(frame_of_two_vectors))
