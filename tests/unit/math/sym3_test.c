/* sym3_test.c - principal axes. */
#include "math/sym3.h"
#include "support/test.h"
#include "unit/math/sample.h"

static void check_eigen(test* t, kin_sym3 s, double tolerance)
{
    kin_eigen3 e = kin_sym3_eigen(s);
    kin_mat3 back = kin_mat3_mul(kin_mat3_mul(e.vectors, kin_mat3_diagonal(e.values)), kin_mat3_transpose(e.vectors));
    NEAR(t, matrix_distance(back, kin_sym3_matrix(s)), 0, tolerance);
    NEAR(t, rotation_error(e.vectors), 0, 4e-15);
    CHECK(t, e.values.x >= e.values.y && e.values.y >= e.values.z);
}

static void any_matrix_is_rebuilt(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 1000; ++i) {
        kin_sym3 s = kin_sym3_of_matrix(sample_matrix(&state));
        check_eigen(t, s, 4e-15);
        check_eigen(t, kin_sym3_scale(s, 1e100), 4e85);
        check_eigen(t, kin_sym3_scale(s, 1e-100), 4e-115);
    }
}

static void known_axes_are_found(test* t)
{
    uint64_t state = 2;
    for (int i = 0; i < 300; ++i) {
        kin_mat3 r = kin_quat_to_matrix(sample_rotation(&state));
        kin_eigen3 e = kin_sym3_eigen(kin_sym3_rotate(r, kin_sym3_diagonal(kin_v(2, 7, -3))));
        NEAR3(t, e.values, kin_v(7, 2, -3), 3e-14);
        NEAR(t, kin_abs(kin_dot(e.vectors.cx, r.cy)), 1, 1e-14);
        NEAR(t, kin_abs(kin_dot(e.vectors.cy, r.cx)), 1, 1e-14);
        NEAR(t, kin_abs(kin_dot(e.vectors.cz, r.cz)), 1, 1e-14);
    }
}

/* diag, equal values, rank one, zero: nothing to divide by zero. */
static void special_matrices(test* t)
{
    kin_eigen3 e = kin_sym3_eigen(kin_sym3_diagonal(kin_v(1, 3, 2)));
    NEAR3(t, e.values, kin_v(3, 2, 1), 0);
    NEAR3(t, e.vectors.cx, kin_axis(1), 0);
    NEAR3(t, e.vectors.cy, kin_axis(2), 0);
    NEAR3(t, e.vectors.cz, kin_axis(0), 0);
    check_eigen(t, kin_sym3_diagonal(kin_v(5, 5, 5)), 0);
    check_eigen(t, kin_sym3_diagonal(kin_v(0, 0, 0)), 0);
    check_eigen(t, kin_sym3_square(kin_v(1, 2, 3)), 1e-14);
    check_eigen(t, (kin_sym3){1, 1, 1, 1, 1, 1}, 1e-15);
    check_eigen(t, (kin_sym3){1, 1e-20, 1e-40, 1e-10, 1e-20, 1e-30}, 1e-15);
    NEAR3(t, kin_sym3_eigen((kin_sym3){2, 2, 2, 1, 0, 0}).values, kin_v(3, 2, 1), 1e-15);
}

static void operations(test* t)
{
    uint64_t state = 3;
    kin_sym3 s = kin_sym3_of_matrix(sample_matrix(&state));
    kin_vec3 v = sample_vector(&state, 2);
    NEAR3(t, kin_sym3_apply(s, v), kin_mat3_apply(kin_sym3_matrix(s), v), 1e-15);
    NEAR3(t, kin_sym3_apply(kin_sym3_square(v), v), kin_scale(v, kin_length2(v)), 1e-14);
    NEAR3(t, kin_sym3_apply(kin_sym3_add(s, kin_sym3_scale(s, -1)), v), kin_v(0, 0, 0), 0);
}

TEST_MAIN("math/sym3", TEST(any_matrix_is_rebuilt), TEST(known_axes_are_found), TEST(special_matrices), TEST(operations))
