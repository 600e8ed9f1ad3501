/* mat3_test.c - matrices by columns (HB, A6.7), Rodrigues (HD) and drift control (C8.3.2). */
#include "math/mat3.h"
#include "support/test.h"
#include "unit/math/sample.h"

static void rows_and_columns(test* t)
{
    kin_mat3 m = kin_mat3_from_rows(kin_v(1, 2, 3), kin_v(4, 5, 6), kin_v(7, 8, 10));
    NEAR3(t, m.cy, kin_v(2, 5, 8), 0);
    NEAR3(t, kin_mat3_row(m, 1), kin_v(4, 5, 6), 0);
    NEAR3(t, kin_mat3_column(m, 2), kin_v(3, 6, 10), 0);
    NEAR(t, kin_mat3_at(m, 1, 2), 6, 0);
    NEAR(t, kin_mat3_trace(m), 16, 0);
    NEAR(t, kin_mat3_determinant(m), -3, 1e-14);
    NEAR3(t, kin_mat3_apply(m, kin_v(1, 0, -1)), kin_v(-2, -2, -3), 0);
    NEAR3(t, kin_mat3_apply_transposed(m, kin_v(1, 0, -1)), kin_v(-6, -6, -7), 0);
    NEAR(t, matrix_distance(kin_mat3_transpose(kin_mat3_transpose(m)), m), 0, 0);
    NEAR(t, kin_mat3_norm(kin_mat3_diagonal(kin_v(2, 3, 6))), 7, 0);
    kin_mat3 doubled = kin_mat3_add(m, m);
    NEAR(t, matrix_distance(doubled, kin_mat3_scale(m, 2)), 0, 0);
}

static void inverse_undoes(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 1000; ++i) {
        kin_mat3 m = sample_matrix(&state), inverse = m;
        if (kin_abs(kin_mat3_determinant(m)) < 0.01) {
            continue;
        }
        CHECK(t, kin_mat3_inverse(m, &inverse));
        NEAR(t, matrix_distance(kin_mat3_mul(m, inverse), kin_mat3_identity()), 0, 1e-12);
        NEAR(t, matrix_distance(kin_mat3_mul(inverse, m), kin_mat3_identity()), 0, 1e-12);
    }
}

/* Sizes do not matter, directions do. */
static void singular_matrices_have_no_inverse(test* t)
{
    kin_mat3 inverse = kin_mat3_identity();
    CHECK(t, !kin_mat3_inverse(kin_mat3_from_rows(kin_v(1, 2, 3), kin_v(4, 5, 6), kin_v(7, 8, 9)), &inverse));
    CHECK(t, !kin_mat3_inverse(kin_mat3_diagonal(kin_v(0, 0, 0)), &inverse));
    CHECK(t, !kin_mat3_inverse(kin_mat3_diagonal(kin_v(1, __builtin_nan(""), 1)), &inverse));
    NEAR(t, matrix_distance(inverse, kin_mat3_identity()), 0, 0);
    CHECK(t, kin_mat3_inverse(kin_mat3_diagonal(kin_v(1e-30, 1e-30, 1e-30)), &inverse));
    NEAR(t, inverse.cy.y * 1e-30, 1, 1e-15);
}

static void skew_is_the_cross_product(test* t)
{
    uint64_t state = 2;
    for (int i = 0; i < 100; ++i) {
        kin_vec3 a = sample_vector(&state, 3), b = sample_vector(&state, 3), c = sample_vector(&state, 3);
        NEAR3(t, kin_mat3_apply(kin_mat3_skew(a), b), kin_cross(a, b), 1e-15);
        NEAR3(t, kin_mat3_apply(kin_mat3_outer(a, b), c), kin_scale(a, kin_dot(b, c)), 1e-14);
    }
}

static void gram_schmidt_measures_drift(test* t)
{
    uint64_t state = 3;
    for (int i = 0; i < 200; ++i) {
        kin_mat3 m = sample_matrix(&state);
        kin_gram_schmidt g = kin_mat3_gram_schmidt(m);
        NEAR(t, rotation_error(g.q), 0, 1e-14);
        NEAR(t, matrix_distance(kin_mat3_mul(g.q, g.r), m), 0, 1e-14);
        NEAR(t, kin_abs(g.r.cx.y) + kin_abs(g.r.cx.z) + kin_abs(g.r.cy.z), 0, 0);
        CHECK(t, g.r.cx.x >= 0 && g.r.cy.y >= 0 && (g.r.cz.z >= 0) == (kin_mat3_determinant(m) >= 0));
    }
    kin_mat3 stretched = kin_mat3_diagonal(kin_v(1.001, 1, 1));
    NEAR(t, kin_mat3_drift(stretched), 0.001, 1e-15);
    NEAR(t, kin_mat3_drift(kin_mat3_identity()), 0, 0);
    CHECK(t, kin_mat3_drift(kin_mat3_diagonal(kin_v(1, 1, -1))) >= 2);
    kin_gram_schmidt flat = kin_mat3_gram_schmidt((kin_mat3){{0, 0, 2}, {0, 0, 3}, {0, 0, 4}});
    NEAR(t, rotation_error(flat.q), 0, 1e-15);
}

/* A hundred thousand small turns: without care the matrix is no rotation any more; held, it stays one within the tolerance. */
static void held_rotation_does_not_drift(test* t)
{
    kin_mat3 step = kin_mat3_rotation(kin_v(0.6, 0, 0.8), 1e-3);
    step.cx.x += 1e-12; /* a worse machine */
    kin_mat3 loose = kin_mat3_identity(), held = loose;
    for (int i = 0; i < 100000; ++i) {
        loose = kin_mat3_mul(step, loose);
        held = kin_mat3_hold_rotation(kin_mat3_mul(step, held), 1e-10);
    }
    CHECK(t, rotation_error(loose) > 1e-8);
    CHECK(t, rotation_error(held) < 3e-10);
    kin_mat3 good = kin_mat3_rotation(kin_axis(1), 1);
    NEAR(t, matrix_distance(kin_mat3_hold_rotation(good, 1e-12), good), 0, 0);
}

static void rodrigues_turns_about_its_axis(test* t)
{
    uint64_t state = 4;
    for (int i = 0; i < 500; ++i) {
        kin_vec3 axis = sample_unit(&state);
        double angle = sample_between(&state, -7, 7);
        kin_mat3 r = kin_mat3_rotation(axis, angle);
        NEAR(t, rotation_error(r), 0, 2e-15);
        NEAR3(t, kin_mat3_apply(r, axis), axis, 1e-15);
        NEAR(t, kin_mat3_trace(r), 1 + 2 * kin_cos(angle), 2e-15);
        NEAR(t, matrix_distance(r, kin_quat_to_matrix(kin_quat_axis_angle(axis, angle))), 0, 2e-15);
    }
    NEAR3(t, kin_mat3_apply(kin_mat3_rotation(kin_axis(2), KIN_PI / 2), kin_axis(0)), kin_axis(1), 1e-16);
}

TEST_MAIN("math/mat3", TEST(rows_and_columns), TEST(inverse_undoes), TEST(singular_matrices_have_no_inverse), TEST(skew_is_the_cross_product),
          TEST(gram_schmidt_measures_drift), TEST(held_rotation_does_not_drift), TEST(rodrigues_turns_about_its_axis))
