/* linear_test.c - small linear systems (HB). */
#include "math/linear.h"
#include "support/test.h"
#include "unit/math/sample.h"

/* Twice as many apples as bananas, 30 in all: 20 and 10. The printed determinant and inverse are wrong (L7576). */
static void apples_and_bananas(test* t)
{
    kin_mat2 m = {1, -2, 1, 1}, inverse = {0, 0, 0, 0};
    double apples = 0, bananas = 0;
    CHECK(t, kin_solve2(m, 0, 30, &apples, &bananas));
    NEAR(t, apples, 20, 1e-14);
    NEAR(t, bananas, 10, 1e-14);
    NEAR(t, kin_mat2_determinant(m), 3, 0);
    CHECK(t, kin_mat2_inverse(m, &inverse));
    NEAR(t, inverse.xx, 1.0 / 3, 1e-16);
    NEAR(t, inverse.xy, 2.0 / 3, 1e-16);
    NEAR(t, inverse.yx, -1.0 / 3, 1e-16);
    NEAR(t, inverse.yy, 1.0 / 3, 1e-16);
}

/* Twice as many apples as bananas, half as many bananas as apples: says one thing twice. */
static void the_second_riddle_has_no_answer(test* t)
{
    kin_mat2 m = {1, -2, -0.5, 1}, inverse;
    double x = 5, y = 6;
    NEAR(t, kin_mat2_determinant(m), 0, 0);
    CHECK(t, !kin_solve2(m, 0, 0, &x, &y));
    CHECK(t, !kin_mat2_inverse(m, &inverse));
    CHECK(t, x == 5 && y == 6);
    CHECK(t, !kin_solve2((kin_mat2){0, 0, 0, 0}, 1, 1, &x, &y));
    CHECK(t, kin_solve2((kin_mat2){1e-20, 0, 0, 1e20}, 1e-20, 1e20, &x, &y));
    NEAR(t, x, 1, 1e-15);
}

static void three_equations(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 1000; ++i) {
        kin_mat3 m = sample_matrix(&state);
        kin_vec3 want = sample_vector(&state, 10), got = {0, 0, 0};
        if (kin_abs(kin_mat3_determinant(m)) < 0.01) {
            continue;
        }
        CHECK(t, kin_solve3(m, kin_mat3_apply(m, want), &got));
        NEAR3(t, got, want, 1e-11);
    }
    kin_vec3 untouched = {1, 2, 3};
    CHECK(t, !kin_solve3(kin_mat3_from_rows(kin_v(1, 2, 3), kin_v(4, 5, 6), kin_v(7, 8, 9)), kin_v(1, 1, 1), &untouched));
    NEAR3(t, untouched, kin_v(1, 2, 3), 0);
}

TEST_MAIN("math/linear", TEST(apples_and_bananas), TEST(the_second_riddle_has_no_answer), TEST(three_equations))
