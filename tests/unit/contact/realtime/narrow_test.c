/* narrow_test.c - the closed forms of boxes, balls and planes against the general narrow phase. */
#include "contact/realtime/narrow.h"
#include "base/alloc.h"
#include "scenes.h"
#include "support/test.h"

static kin_quat random_turn(uint32_t i)
{
    return kin_quat_normalize((kin_quat){scene_noise(4 * i) - 0.5, scene_noise(4 * i + 1) - 0.5, scene_noise(4 * i + 2) - 0.5, scene_noise(4 * i + 3) - 0.5});
}

static kin_rt_solid solid_of(kin_transform pose, kin_vec3 half)
{
    kin_mat3 m = kin_quat_to_matrix(pose.orientation);
    const kin_vec3 axes[3] = {m.cx, m.cy, m.cz};
    kin_rt_solid s = {.place = pose.position, .half = {half.x, half.y, half.z}};
    for (int k = 0; k < 3; ++k) s.axis[k][0] = axes[k].x, s.axis[k][1] = axes[k].y, s.axis[k][2] = axes[k].z;
    return s;
}

static double deepest(const kin_manifold* m) { return m->points[kin_manifold_deepest(m)].separation; }

static void boxes_agree_with_the_general_way(test* t)
{
    kin_convex box_a = {.core = KIN_CORE_BOX, .half = {0.5, 0.3, 0.4}}, box_b = {.core = KIN_CORE_BOX, .half = {0.25, 0.6, 0.35}};
    int touching = 0, unsure = 0;
    for (uint32_t i = 0; i < 3000; ++i) {
        kin_transform a = {{scene_noise(i) * 10, 3, -2}, random_turn(2 * i)}, b = {a.position, i % 5 ? random_turn(2 * i + 1) : a.orientation};
        b.position =
            kin_add(b.position, kin_scale(kin_sub(kin_v(scene_noise(i + 7000), scene_noise(i + 8000), scene_noise(i + 9000)), kin_v(0.5, 0.5, 0.5)), 2.2));
        kin_rt_solid sa = solid_of(a, box_a.half), sb = solid_of(b, box_b.half);
        kin_manifold own, general;
        uint8_t axis = 0;
        double gap = 0;
        kin_rt_meet meet = kin_rt_collide_boxes(&sa, &sb, 0.02, &axis, &own, &gap);
        bool is = meet == KIN_RT_MEET, should = kin_collide_convex(&box_a, &box_b, kin_transform_between(a, b), 0.02, NULL, &general);
        uint8_t again = axis;
        EQUAL(t, kin_rt_collide_boxes(&sa, &sb, 0.02, &again, &own, &gap), meet); /* what is remembered changes nothing */
        unsure += meet == KIN_RT_UNSURE;
        if (meet == KIN_RT_UNSURE) continue;
        if (is != should) {
            CHECK(t, kin_abs(deepest(is ? &own : &general) - 0.02) < 0.015); /* corners against corners: axes bound the distance from below */
            continue;
        }
        if (!is) continue;
        touching += 1;
        CHECK(t, deepest(&own) < deepest(&general) + 0.01); /* faces are preferred to edges, by another measure; the more the deeper */
        CHECK(t, deepest(&own) > 2 * kin_min(deepest(&general), 0) - 0.01);
        NEAR(t, kin_length(own.normal), 1, 1e-9);
        for (int k = 0; k < own.count; ++k) { /* points are midway between surfaces that are this far from each other */
            kin_vec3 in_a = kin_abs3(kin_unapply(a, own.points[k].point)), in_b = kin_abs3(kin_unapply(b, own.points[k].point));
            double off =
                kin_max(0.5 * kin_abs(own.points[k].separation), 0.02) + 1e-9; /* or a corner that is beside the other's face by no more than the margin */
            CHECK(t, kin_max(kin_largest(kin_sub(in_a, box_a.half)), kin_largest(kin_sub(in_b, box_b.half))) < off);
        }
    }
    CHECK(t, touching > 500);
    CHECK(t, unsure < touching / 4); /* as boxes lie at random; at rest on each other, never */
}

static void a_box_on_a_box_has_four_points(test* t)
{
    kin_rt_solid a = solid_of((kin_transform){{0, 0, 0}, {0, 0, 0, 1}}, kin_v(1, 0.5, 1)),
                 b = solid_of((kin_transform){{0.3, 0.99, 0.2}, {0, 0, 0, 1}}, kin_v(0.5, 0.5, 0.5));
    kin_manifold m;
    uint8_t axis = 0;
    double gap = 0;
    EQUAL(t, kin_rt_collide_boxes(&a, &b, 0.02, &axis, &m, &gap), KIN_RT_MEET);
    EQUAL(t, m.count, 4);
    NEAR3(t, m.normal, kin_v(0, -1, 0), 1e-12); /* from b to a */
    for (int k = 0; k < 4; ++k) {
        NEAR(t, m.points[k].separation, -0.01, 1e-12);
        NEAR(t, m.points[k].point.y, 0.495, 1e-12);
    }
    b = solid_of((kin_transform){{0.3, 1.5, 0.2}, {0, 0, 0, 1}}, kin_v(0.5, 0.5, 0.5));
    EQUAL(t, kin_rt_collide_boxes(&a, &b, 0.02, &axis, &m, &gap), KIN_RT_APART);
    EQUAL(t, axis, 2); /* its y axis parted them */
    NEAR(t, gap, 0.5, 1e-12);
}

static void balls_agree_with_the_general_way(test* t)
{
    kin_convex ball = {.core = KIN_CORE_POINT, .radius = 0.3}, box = {.core = KIN_CORE_BOX, .half = {0.5, 0.3, 0.4}};
    for (uint32_t i = 0; i < 2000; ++i) {
        kin_transform a = {{0, 0, 0}, {0, 0, 0, 1}}, b = {{1, 2, 3}, random_turn(i)};
        a.position = kin_add(b.position, kin_scale(kin_sub(kin_v(scene_noise(i + 100), scene_noise(i + 200), scene_noise(i + 300)), kin_v(0.5, 0.5, 0.5)), 2));
        kin_rt_solid sa = solid_of(a, kin_v(0.3, 0, 0)), sb = solid_of(b, box.half), other = solid_of(b, kin_v(0.3, 0, 0));
        kin_manifold own, general;
        bool is = kin_rt_collide_ball_box(&sa, &sb, 0.02, &own), should = kin_collide_convex(&ball, &box, kin_transform_between(a, b), 0.02, NULL, &general);
        EQUAL(t, is, should);
        if (is) {
            NEAR(t, deepest(&own), deepest(&general), 1e-9);
            NEAR3(t, own.normal, general.normal, 1e-6); /* a's frame is not turned */
            NEAR3(t, own.points[0].point, kin_add(general.points[0].point, a.position), 1e-6);
        }
        is = kin_rt_collide_balls(&sa, &other, 0.02, &own);
        EQUAL(t, is, kin_distance(a.position, b.position) - 0.6 <= 0.02);
        if (is) NEAR(t, deepest(&own), kin_distance(a.position, b.position) - 0.6, 1e-12);
    }
}

static void boxes_and_balls_on_a_plane(test* t)
{
    kin_rt_solid plane = {.axis = {{0, 1, 0}}}, ball = solid_of((kin_transform){{1, 0.29, 2}, {0, 0, 0, 1}}, kin_v(0.3, 0, 0));
    kin_rt_solid box = solid_of((kin_transform){{1, 0.48, 2}, {0, 0, 0, 1}}, kin_v(0.4, 0.5, 0.3));
    kin_manifold m;
    CHECK(t, kin_rt_collide_ball_plane(&ball, &plane, 0.02, &m));
    NEAR(t, m.points[0].separation, -0.01, 1e-12);
    NEAR3(t, m.normal, kin_v(0, 1, 0), 1e-12);
    CHECK(t, kin_rt_collide_box_plane(&box, &plane, 0.02, &m));
    EQUAL(t, m.count, 4);
    for (int k = 0; k < 4; ++k) NEAR(t, m.points[k].separation, -0.02, 1e-12);
    box.place.y = 0.6;
    CHECK(t, !kin_rt_collide_box_plane(&box, &plane, 0.02, &m));
}

TEST_MAIN("contact_realtime_narrow", TEST(boxes_agree_with_the_general_way), TEST(a_box_on_a_box_has_four_points), TEST(balls_agree_with_the_general_way),
          TEST(boxes_and_balls_on_a_plane))
