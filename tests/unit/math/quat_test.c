/* quat_test.c - quaternions (HE, appendix C, E10.5, E10.6, A6.8) and rigid motions (HD). */
#include "math/quat.h"
#include "support/test.h"
#include "unit/math/sample.h"

static double quat_distance(kin_quat a, kin_quat b) { return kin_quat_length(kin_quat_sub(a, b)); }

/* ij = k, ji = -k, i^2 = j^2 = k^2 = ijk = -1 */
static void hamiltons_rules(test* t)
{
    kin_quat i = {1, 0, 0, 0}, j = {0, 1, 0, 0}, k = {0, 0, 1, 0}, minus = {0, 0, 0, -1};
    NEAR(t, quat_distance(kin_quat_mul(i, j), k), 0, 0);
    NEAR(t, quat_distance(kin_quat_mul(j, i), kin_quat_neg(k)), 0, 0);
    NEAR(t, quat_distance(kin_quat_mul(j, k), i), 0, 0);
    NEAR(t, quat_distance(kin_quat_mul(k, i), j), 0, 0);
    NEAR(t, quat_distance(kin_quat_mul(i, i), minus), 0, 0);
    NEAR(t, quat_distance(kin_quat_mul(kin_quat_mul(i, j), k), minus), 0, 0);
}

/* |ab| = |a||b|, (ab)* = b* a*: the text keeps the order there (E16). */
static void algebra(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 500; ++i) {
        kin_quat a = kin_quat_scale(sample_rotation(&state), sample_between(&state, 0.1, 3));
        kin_quat b = kin_quat_scale(sample_rotation(&state), sample_between(&state, 0.1, 3));
        kin_quat c = sample_rotation(&state);
        NEAR(t, kin_quat_length(kin_quat_mul(a, b)), kin_quat_length(a) * kin_quat_length(b), 1e-14);
        NEAR(t, quat_distance(kin_quat_conj(kin_quat_mul(a, b)), kin_quat_mul(kin_quat_conj(b), kin_quat_conj(a))), 0, 2e-15);
        NEAR(t, quat_distance(kin_quat_mul(a, kin_quat_inverse(a)), kin_quat_identity()), 0, 1e-15);
        NEAR(t, quat_distance(kin_quat_mul(kin_quat_mul(a, b), c), kin_quat_mul(a, kin_quat_mul(b, c))), 0, 1e-14);
    }
}

/* q2 q1 is first q1, and both are q v q*. */
static void products_turn_right_to_left(test* t)
{
    uint64_t state = 2;
    for (int i = 0; i < 500; ++i) {
        kin_quat q1 = sample_rotation(&state), q2 = sample_rotation(&state);
        kin_vec3 v = sample_vector(&state, 3);
        kin_quat sandwich = kin_quat_mul(kin_quat_mul(q1, kin_quat_pure(v)), kin_quat_conj(q1));
        NEAR3(t, kin_rotate(q1, v), kin_quat_vector(sandwich), 1e-14);
        NEAR(t, sandwich.w, 0, 1e-14);
        NEAR3(t, kin_rotate(kin_quat_mul(q2, q1), v), kin_rotate(q2, kin_rotate(q1, v)), 1e-14);
        NEAR3(t, kin_unrotate(q1, kin_rotate(q1, v)), v, 1e-14);
        NEAR(t, kin_length(kin_rotate(q1, v)), kin_length(v), 1e-14);
    }
}

static void matrix_and_rodrigues_agree(test* t)
{
    uint64_t state = 3;
    for (int i = 0; i < 500; ++i) {
        kin_vec3 axis = sample_unit(&state), v = sample_vector(&state, 3);
        double angle = sample_between(&state, -KIN_PI, KIN_PI);
        kin_quat q = kin_quat_axis_angle(kin_scale(axis, 17), angle);
        kin_mat3 r = kin_quat_to_matrix(q);
        NEAR(t, rotation_error(r), 0, 2e-15);
        NEAR(t, matrix_distance(r, kin_mat3_rotation(axis, angle)), 0, 2e-15);
        NEAR3(t, kin_mat3_apply(r, v), kin_rotate(q, v), 1e-14);
        NEAR(t, rotation_distance(kin_quat_from_matrix(r), q), 0, 1e-15);
    }
}

/* Trace, x, y, z: one rotation each whose largest component is that one, sums in the right places (L8128). */
static void each_matrix_branch(test* t)
{
    kin_quat qs[] = {{0.1, -0.2, 0.3, 0.9}, {0.9, 0.2, -0.3, 0.1}, {-0.3, 0.9, 0.2, 0.1}, {0.2, -0.3, 0.9, 0.1},
                     {1, 0, 0, 0},          {0, 1, 0, 0},          {0, 0, 1, 0},          {0, 0, 0, 1}};
    for (int i = 0; i < 8; ++i) {
        kin_quat q = kin_quat_normalize(qs[i]);
        kin_mat3 m = kin_quat_to_matrix(q);
        if (i >= 1 && i <= 3) { /* the branch is the one meant */
            CHECK(t, kin_mat3_trace(m) < 0 && kin_mat3_at(m, i - 1, i - 1) > kin_max(kin_mat3_at(m, i % 3, i % 3), kin_mat3_at(m, (i + 1) % 3, (i + 1) % 3)));
        }
        NEAR(t, rotation_distance(kin_quat_from_matrix(m), q), 0, 1e-15);
    }
    CHECK(t, kin_mat3_trace(kin_quat_to_matrix(kin_quat_normalize(qs[0]))) > 0);
}

static void rotation_vectors_come_back(test* t)
{
    uint64_t state = 4;
    double angles[] = {0, 1e-300, 1e-12, 1e-9, 9.9e-9, 1.01e-8, 1e-4, 1, 3, KIN_PI - 1e-9};
    for (int i = 0; i < 10; ++i) {
        kin_vec3 v = kin_scale(sample_unit(&state), angles[i]);
        kin_quat q = kin_quat_from_rotation_vector(v);
        NEAR3(t, kin_quat_rotation_vector(q), v, 2e-16 + 1e-15 * angles[i]);
        NEAR3(t, kin_quat_rotation_vector(kin_quat_neg(q)), v, 2e-16 + 1e-15 * angles[i]);
        NEAR(t, kin_quat_angle(q), angles[i], 1e-15);
    }
    NEAR3(t, kin_quat_rotation_vector(kin_quat_from_rotation_vector(kin_v(0, 4, 0))), kin_v(0, 4 - 2 * KIN_PI, 0), 1e-14); /* the shorter way */
    NEAR(t, kin_length(kin_quat_rotation_vector((kin_quat){0, 1, 0, 0})), KIN_PI, 1e-15);
}

static void degenerate_input_is_the_identity(test* t)
{
    NEAR(t, quat_distance(kin_quat_axis_angle(kin_v(0, 0, 0), 2), kin_quat_identity()), 0, 0);
    NEAR(t, quat_distance(kin_quat_normalize((kin_quat){0, 0, 0, 0}), kin_quat_identity()), 0, 0);
    NEAR(t, quat_distance(kin_quat_normalize((kin_quat){0, __builtin_inf(), 0, 0}), kin_quat_identity()), 0, 0);
    NEAR(t, quat_distance(kin_quat_normalize((kin_quat){0, 3e-200, 0, 4e-200}), (kin_quat){0, 0.6, 0, 0.8}), 0, 1e-15);
    NEAR(t, quat_distance(kin_quat_normalize((kin_quat){0, 3e200, 0, 4e200}), (kin_quat){0, 0.6, 0, 0.8}), 0, 1e-15);
}

static void least_turn_between_directions(test* t)
{
    uint64_t state = 5;
    for (int i = 0; i < 500; ++i) {
        kin_vec3 a = sample_unit(&state), b = sample_unit(&state);
        if (i % 2) { /* nearly opposite, down to 1e-19 */
            b = kin_normalize_or(kin_add_scaled(kin_neg(a), kin_pow(10, -i % 20), b), a);
        }
        kin_quat q = kin_quat_between(kin_scale(a, 3), kin_scale(b, 0.2));
        NEAR3(t, kin_rotate(q, a), b, 2e-15);
        NEAR(t, kin_quat_length(q), 1, 1e-15);
        NEAR(t, kin_quat_angle(q), kin_angle(a, b), 4e-15);
    }
    NEAR3(t, kin_rotate(kin_quat_between(kin_axis(0), kin_v(-1, 0, 0)), kin_axis(0)), kin_v(-1, 0, 0), 1e-15);
    NEAR(t, quat_distance(kin_quat_between(kin_axis(1), kin_axis(1)), kin_quat_identity()), 0, 0);
}

/* Equal steps turn by equal angles about one axis, the shorter way. */
static void slerp_is_even(test* t)
{
    uint64_t state = 6;
    for (int i = 0; i < 200; ++i) {
        kin_quat a = sample_rotation(&state);
        double angle = i % 4 == 0 ? 1e-7 * i : sample_between(&state, 0, 3);
        kin_vec3 spin = kin_scale(sample_unit(&state), angle);
        kin_quat b = kin_quat_mul(kin_quat_from_rotation_vector(spin), a);
        if (i % 2) {
            b = kin_quat_neg(b);
        }
        for (int k = 0; k <= 4; ++k) {
            kin_quat q = kin_quat_slerp(a, b, 0.25 * k);
            NEAR(t, rotation_distance(q, kin_quat_mul(kin_quat_from_rotation_vector(kin_scale(spin, 0.25 * k)), a)), 0, 2e-15);
            NEAR(t, kin_quat_length(q), 1, 1e-15);
        }
        NEAR(t, quat_distance(kin_quat_slerp(a, b, 0), a), 0, 5e-16);
    }
}

/* Both sides of the change from arc to chord agree. */
static void slerp_is_smooth_at_its_branch(test* t)
{
    for (int side = -1; side <= 1; side += 2) {
        double arc = 1e-5 * (1 + 1e-6 * side);
        kin_quat b = kin_quat_axis_angle(kin_axis(1), 2 * arc);
        kin_quat q = kin_quat_slerp(kin_quat_identity(), b, 0.3);
        NEAR(t, kin_quat_angle(q), 0.6 * arc, 1e-16);
    }
}

/* E10.5, E10.6 by central differences: q' = w q / 2, R' = ~w R; and the way back. */
static void rates_match_differences(test* t)
{
    uint64_t state = 7;
    const double h = 1e-4;
    for (int i = 0; i < 200; ++i) {
        kin_quat q = sample_rotation(&state);
        kin_vec3 w = sample_vector(&state, 3), body = kin_unrotate(q, w);
        kin_quat after = kin_quat_integrate(q, w, h), before = kin_quat_integrate(q, w, -h);
        kin_quat difference = kin_quat_scale(kin_quat_sub(after, before), 0.5 / h);
        kin_quat rate = kin_quat_rate(q, w);
        NEAR(t, quat_distance(rate, difference), 0, 1e-7);
        NEAR(t, quat_distance(rate, kin_quat_rate_body(q, body)), 0, 1e-14);
        NEAR3(t, kin_quat_spin(q, rate), w, 1e-14);
        NEAR3(t, kin_quat_spin_body(q, rate), body, 1e-14);
        kin_mat3 turned = kin_mat3_scale(kin_mat3_sub(kin_quat_to_matrix(after), kin_quat_to_matrix(before)), 0.5 / h);
        NEAR(t, matrix_distance(turned, kin_mat3_mul(kin_mat3_skew(w), kin_quat_to_matrix(q))), 0, 1e-6);
        NEAR(t, rotation_distance(after, kin_quat_integrate_body(q, body, h)), 0, 1e-15);
    }
}

static void spin_between_takes_one_to_the_other(test* t)
{
    uint64_t state = 8;
    for (int i = 0; i < 200; ++i) {
        kin_quat a = sample_rotation(&state), b = sample_rotation(&state);
        kin_vec3 w = kin_quat_spin_between(a, b, 0.3);
        NEAR(t, rotation_distance(kin_quat_integrate(a, w, 0.3), b), 0, 1e-14);
        CHECK(t, kin_length(w) * 0.3 <= KIN_PI + 1e-14);
    }
}

/* N8: the linear form turns by 2 atan(|w| T / 2): 180 degrees give 115.0367, 90 give 76.2921. */
static void linear_step_turns_too_little(test* t)
{
    double degrees[][2] = {{180, 115.0367}, {90, 76.2921}};
    for (int i = 0; i < 2; ++i) {
        double angle = degrees[i][0] * KIN_PI / 180;
        kin_quat q = kin_quat_integrate_linear(kin_quat_identity(), kin_v(0, 0, angle), 1);
        NEAR(t, kin_quat_angle(q) * 180 / KIN_PI, degrees[i][1], 5e-5);
        NEAR(t, kin_quat_angle(q), 2 * kin_atan(angle / 2), 1e-15);
        NEAR(t, kin_quat_length(q), 1, 1e-15);
        NEAR(t, kin_quat_angle(kin_quat_integrate(kin_quat_identity(), kin_v(0, 0, angle), 1)), angle, 1e-15);
    }
}

/* HD: chain, inverse without inversion, and one seen from the other. */
static void transforms_form_a_group(test* t)
{
    uint64_t state = 9;
    for (int i = 0; i < 200; ++i) {
        kin_transform a = sample_pose(&state), b = sample_pose(&state);
        kin_vec3 p = sample_vector(&state, 5);
        NEAR3(t, kin_apply(kin_transform_mul(a, b), p), kin_apply(a, kin_apply(b, p)), 1e-13);
        NEAR3(t, kin_apply(kin_transform_inverse(a), kin_apply(a, p)), p, 1e-13);
        NEAR3(t, kin_unapply(a, kin_apply(a, p)), p, 1e-13);
        NEAR3(t, kin_apply(a, kin_apply(kin_transform_between(a, b), p)), kin_apply(b, p), 1e-13);
        NEAR3(t, kin_apply(kin_transform_mix(a, b, 1), p), kin_apply(b, p), 1e-13);
        NEAR3(t, kin_transform_mix(a, b, 0.5).position, kin_lerp(a.position, b.position, 0.5), 0);
    }
    NEAR3(t, kin_apply(kin_transform_identity(), kin_v(1, 2, 3)), kin_v(1, 2, 3), 0);
}

TEST_MAIN("math/quat", TEST(hamiltons_rules), TEST(algebra), TEST(products_turn_right_to_left), TEST(matrix_and_rodrigues_agree), TEST(each_matrix_branch),
          TEST(rotation_vectors_come_back), TEST(degenerate_input_is_the_identity), TEST(least_turn_between_directions), TEST(slerp_is_even),
          TEST(slerp_is_smooth_at_its_branch), TEST(rates_match_differences), TEST(spin_between_takes_one_to_the_other), TEST(linear_step_turns_too_little),
          TEST(transforms_form_a_group))
