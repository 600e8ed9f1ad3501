/* svd3_test.c - singular values and polar decomposition, also of singular and mirrored matrices. */
#include "math/svd3.h"
#include "support/test.h"
#include "unit/math/sample.h"

static void check_svd(test* t, kin_mat3 m, double tolerance)
{
    kin_svd3 d = kin_mat3_svd(m);
    kin_mat3 back = kin_mat3_mul(kin_mat3_mul(d.u, kin_mat3_diagonal(d.sigma)), kin_mat3_transpose(d.v));
    NEAR(t, matrix_distance(back, m), 0, tolerance);
    NEAR(t, rotation_error(d.u), 0, 4e-15);
    NEAR(t, rotation_error(d.v), 0, 4e-15);
    CHECK(t, d.sigma.x >= d.sigma.y && d.sigma.y >= kin_abs(d.sigma.z));

    kin_polar3 p = kin_mat3_polar(m);
    NEAR(t, rotation_error(p.rotation), 0, 4e-15);
    NEAR(t, matrix_distance(kin_mat3_mul(p.rotation, kin_sym3_matrix(p.stretch)), m), 0, tolerance);
}

static void any_matrix_is_rebuilt(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 1000; ++i) {
        kin_mat3 m = sample_matrix(&state); /* half of them mirrored */
        check_svd(t, m, 5e-15);
        check_svd(t, kin_mat3_scale(m, 1e200), 5e185);
        check_svd(t, kin_mat3_scale(m, 1e-200), 5e-215);
        NEAR(t, kin_mat3_svd(m).sigma.x * kin_mat3_svd(m).sigma.y * kin_mat3_svd(m).sigma.z, kin_mat3_determinant(m), 1e-14);
    }
}

static void ranks_two_one_zero(test* t)
{
    uint64_t state = 2;
    for (int i = 0; i < 200; ++i) {
        kin_vec3 a = sample_vector(&state, 2), b = sample_vector(&state, 2);
        check_svd(t, (kin_mat3){a, b, kin_add(a, b)}, 2e-14);
        check_svd(t, kin_mat3_outer(a, b), 2e-14);
    }
    check_svd(t, kin_mat3_diagonal(kin_v(0, 0, 0)), 0);
    check_svd(t, kin_mat3_diagonal(kin_v(0, 3, 0)), 0);
    check_svd(t, kin_mat3_identity(), 0);
    check_svd(t, kin_mat3_diagonal(kin_v(-1, -1, -1)), 1e-15);
}

/* Small singular values keep their digits: M^T M would have lost 1e-10 beside 1. */
static void small_values_are_accurate(test* t)
{
    uint64_t state = 3;
    for (int i = 0; i < 100; ++i) {
        kin_mat3 u = kin_quat_to_matrix(sample_rotation(&state));
        kin_mat3 m = kin_mat3_mul(u, kin_mat3_diagonal(kin_v(1, 1e-10, -1e-13)));
        kin_svd3 d = kin_mat3_svd(m);
        NEAR(t, d.sigma.x, 1, 1e-15);
        NEAR(t, d.sigma.y * 1e10, 1, 1e-14);
        NEAR(t, d.sigma.z * 1e13, -1, 1e-14);
    }
}

static void polar_finds_the_rotation(test* t)
{
    uint64_t state = 4;
    for (int i = 0; i < 300; ++i) {
        kin_mat3 r = kin_quat_to_matrix(sample_rotation(&state)), axes = kin_quat_to_matrix(sample_rotation(&state));
        kin_sym3 s = kin_sym3_rotate(axes, kin_sym3_diagonal(kin_v(0.4, 1.5, 2)));
        kin_polar3 p = kin_mat3_polar(kin_mat3_mul(r, kin_sym3_matrix(s)));
        NEAR(t, matrix_distance(p.rotation, r), 0, 1e-14);
        NEAR(t, matrix_distance(kin_sym3_matrix(p.stretch), kin_sym3_matrix(s)), 0, 1e-14);
    }
    /* An element turned inside out along its thinnest side: no turn, one negative stretch. */
    kin_polar3 p = kin_mat3_polar(kin_mat3_diagonal(kin_v(1, 2, -0.1)));
    NEAR(t, matrix_distance(p.rotation, kin_mat3_identity()), 0, 1e-15);
    NEAR(t, p.stretch.zz, -0.1, 1e-16);
}

TEST_MAIN("math/svd3", TEST(any_matrix_is_rebuilt), TEST(ranks_two_one_zero), TEST(small_values_are_accurate), TEST(polar_finds_the_rotation))
