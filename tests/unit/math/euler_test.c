/* euler_test.c - all twelve orders there and back, gimbal lock included (HC). */
#include "math/euler.h"
#include "support/test.h"
#include "unit/math/sample.h"

static void angles_come_back(test* t)
{
    uint64_t state = 1;
    for (int order = 0; order < KIN_EULER_ORDERS; ++order) {
        for (int i = 0; i < 200; ++i) {
            bool repeats = order >= KIN_EULER_XYX;
            kin_euler e = {sample_between(&state, -3, 3), 0, sample_between(&state, -3, 3)};
            e.b = repeats ? sample_between(&state, 0.01, 3.1) : sample_between(&state, -1.55, 1.55);
            kin_mat3 r = kin_euler_to_matrix((kin_euler_order)order, e);
            kin_quat q = kin_euler_to_quat((kin_euler_order)order, e);
            NEAR(t, matrix_distance(r, kin_quat_to_matrix(q)), 0, 2e-15);
            kin_euler back = kin_euler_from_matrix((kin_euler_order)order, r), again = kin_euler_from_quat((kin_euler_order)order, q);
            NEAR3(t, kin_v(back.a, back.b, back.c), kin_v(e.a, e.b, e.c), 4e-13);
            NEAR3(t, kin_v(again.a, again.b, again.c), kin_v(e.a, e.b, e.c), 4e-13);
        }
    }
}

/* At and near the lock the angles are not unique, but the rotation is. */
static void gimbal_lock_keeps_the_rotation(test* t)
{
    uint64_t state = 2;
    double off[] = {0, 1e-17, 1e-14, 1e-10, 1e-7};
    for (int order = 0; order < KIN_EULER_ORDERS; ++order) {
        bool repeats = order >= KIN_EULER_XYX;
        for (int i = 0; i < 20; ++i) {
            double lock = repeats ? (i & 1 ? KIN_PI : 0) : (i & 1 ? KIN_PI / 2 : -KIN_PI / 2);
            kin_euler e = {sample_between(&state, -3, 3), lock + off[i / 2 % 5], sample_between(&state, -3, 3)};
            kin_quat q = kin_euler_to_quat((kin_euler_order)order, e);
            kin_euler back = kin_euler_from_quat((kin_euler_order)order, q);
            NEAR(t, rotation_distance(kin_euler_to_quat((kin_euler_order)order, back), q), 0, 8e-15);
            if (off[i / 2 % 5] < 1e-16) {
                NEAR(t, back.a, 0, 0);
            }
        }
    }
}

/* Rx Ry Rz as a product of matrices, and not Rz Ry Rx. */
static void order_matters(test* t)
{
    kin_euler e = {0.3, 0.4, 0.5};
    kin_mat3 x = kin_mat3_rotation(kin_axis(0), e.a), y = kin_mat3_rotation(kin_axis(1), e.b), z = kin_mat3_rotation(kin_axis(2), e.c);
    kin_mat3 xyz = kin_mat3_mul(kin_mat3_mul(x, y), z);
    NEAR(t, matrix_distance(kin_euler_to_matrix(KIN_EULER_XYZ, e), xyz), 0, 1e-15);
    NEAR(t, matrix_distance(kin_euler_to_matrix(KIN_EULER_ZYX, (kin_euler){e.c, e.b, e.a}), kin_mat3_mul(kin_mat3_mul(z, y), x)), 0, 1e-15);
    CHECK(t, matrix_distance(xyz, kin_mat3_mul(kin_mat3_mul(z, y), x)) > 0.1);
    kin_mat3 zxz = kin_mat3_mul(kin_mat3_mul(kin_mat3_rotation(kin_axis(2), 0.3), kin_mat3_rotation(kin_axis(0), 0.4)), kin_mat3_rotation(kin_axis(2), 0.5));
    NEAR(t, matrix_distance(kin_euler_to_matrix(KIN_EULER_ZXZ, e), zxz), 0, 1e-15);
}

TEST_MAIN("math/euler", TEST(angles_come_back), TEST(gimbal_lock_keeps_the_rotation), TEST(order_matters))
