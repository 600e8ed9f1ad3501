/* mat4_test.c - affine maps in homogeneous coordinates (HC, HD). */
#include "math/mat4.h"
#include "support/test.h"
#include "unit/math/sample.h"

/* Turn a square by 45 degrees, then move it to (3, 2). */
static void turned_and_moved_square(test* t)
{
    kin_mat4 move = kin_mat4_translation(kin_v(3, 2, 0)), turn = kin_mat4_rotation(kin_quat_axis_angle(kin_axis(2), KIN_PI / 4));
    kin_mat4 m = kin_mat4_mul(&move, &turn);
    double root2 = kin_sqrt(2);
    NEAR3(t, kin_mat4_apply_point(&m, kin_v(1, 1, 0)), kin_v(3, 2 + root2, 0), 1e-15);
    NEAR3(t, kin_mat4_apply_point(&m, kin_v(-1, 1, 0)), kin_v(3 - root2, 2, 0), 1e-15);
    kin_mat4 other = kin_mat4_mul(&turn, &move); /* the order matters */
    CHECK(t, kin_distance(kin_mat4_apply_point(&other, kin_v(1, 1, 0)), kin_v(3, 2 + root2, 0)) > 1);
}

static void points_move_directions_do_not(test* t)
{
    kin_mat4 m = kin_mat4_translation(kin_v(3, 2, 1));
    NEAR3(t, kin_mat4_apply_point(&m, kin_v(1, 1, 1)), kin_v(4, 3, 2), 0);
    NEAR3(t, kin_mat4_apply_direction(&m, kin_v(1, 1, 1)), kin_v(1, 1, 1), 0);
    kin_vec4 point = kin_mat4_apply(&m, (kin_vec4){1, 1, 1, 1}), direction = kin_mat4_apply(&m, (kin_vec4){1, 1, 1, 0});
    NEAR3(t, kin_v(point.x, point.y, point.z), kin_v(4, 3, 2), 0);
    NEAR3(t, kin_v(direction.x, direction.y, direction.z), kin_v(1, 1, 1), 0);
    NEAR(t, point.w, 1, 0);
    NEAR(t, direction.w, 0, 0);
}

static void scale_and_shear(test* t)
{
    kin_mat4 scale = kin_mat4_scaling(kin_v(2, 3, 4)), shear = kin_mat4_shear(0.5, 0, 0, 0, 0, 2);
    NEAR3(t, kin_mat4_apply_point(&scale, kin_v(1, 1, 1)), kin_v(2, 3, 4), 0);
    NEAR3(t, kin_mat4_apply_point(&shear, kin_v(1, 1, 1)), kin_v(1.5, 1, 3), 0);
    NEAR(t, kin_mat3_determinant(kin_mat4_linear(&shear)), 1, 0); /* a shear keeps volume */
}

static void inverses(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 300; ++i) {
        kin_transform pose = sample_pose(&state);
        kin_vec3 p = sample_vector(&state, 3);
        kin_mat4 rigid = kin_mat4_from_transform(pose), back = kin_mat4_rigid_inverse(&rigid), affine_back = back;
        NEAR3(t, kin_mat4_apply_point(&rigid, p), kin_apply(pose, p), 1e-14);
        NEAR3(t, kin_mat4_apply_point(&back, kin_mat4_apply_point(&rigid, p)), p, 1e-14);
        kin_mat4 scale = kin_mat4_scaling(kin_v(2, 0.5, 3)), affine = kin_mat4_mul(&rigid, &scale);
        CHECK(t, kin_mat4_affine_inverse(&affine, &affine_back));
        NEAR3(t, kin_mat4_apply_point(&affine_back, kin_mat4_apply_point(&affine, p)), p, 4e-14);
    }
    kin_mat4 flat = kin_mat4_scaling(kin_v(1, 0, 1)), untouched = kin_mat4_identity();
    CHECK(t, !kin_mat4_affine_inverse(&flat, &untouched));
    NEAR(t, untouched.m[2][2], 1, 0);
}

/* A normal stays across the surface under shear and scale, where a direction would not. */
static void normals_stay_perpendicular(test* t)
{
    uint64_t state = 2;
    for (int i = 0; i < 100; ++i) {
        kin_mat4 m = kin_mat4_affine(sample_matrix(&state), sample_vector(&state, 3));
        kin_vec3 a = sample_unit(&state), b = sample_unit(&state), n = kin_cross(a, b);
        kin_vec3 turned = kin_mat4_apply_normal(&m, n);
        NEAR3(t, turned, kin_cross(kin_mat4_apply_direction(&m, a), kin_mat4_apply_direction(&m, b)), 2e-15);
    }
}

TEST_MAIN("math/mat4", TEST(turned_and_moved_square), TEST(points_move_directions_do_not), TEST(scale_and_shear), TEST(inverses),
          TEST(normals_stay_perpendicular))
