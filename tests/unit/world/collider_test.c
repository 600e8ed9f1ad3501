/* collider_test.c - solids in the world: keys, statuses, walls, queries, the moved-only report. */
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"

static kin_collider_id keyed_box(test* t, kin_world* w, const kin_key* keys, size_t count, bool smooth)
{
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id = {0};
    def.shape.kind = KIN_SHAPE_BOX;
    def.shape.size = kin_v(1, 1, 1);
    def.keys = keys;
    def.key_count = count;
    def.smooth = smooth;
    EQUAL(t, kin_world_add_collider(w, &def, &id, NULL), KIN_OK);
    return id;
}

static void keys_are_met_exactly(test* t)
{
    const kin_key keys[3] = {
        {0, {0, 0, 0}, {0, 0, 0, 1}}, {1, {2, 0, 0}, kin_quat_axis_angle(kin_v(0, 1, 0), 1)}, {2, {2, 3, 0}, kin_quat_axis_angle(kin_v(0, 1, 0), 2)}};
    for (int smooth = 0; smooth < 2; ++smooth) {
        kin_world* w = test_world(t, 0.125, kin_v(0, 0, 0));
        kin_collider_id box = keyed_box(t, w, keys, 3, smooth != 0);
        EQUAL(t, kin_collider_mobility(w, box), KIN_MOBILITY_ANIMATED);
        test_steps(t, w, 8);
        NEAR3(t, kin_collider_pose(w, box).position, keys[1].position, 1e-12);
        NEAR(t, kin_quat_angle(kin_collider_pose(w, box).orientation), 1, 1e-12);
        test_steps(t, w, 8);
        NEAR3(t, kin_collider_pose(w, box).position, keys[2].position, 1e-12);
        EQUAL(t, kin_world_moved(w, NULL, 0), 1);
        test_steps(t, w, 2); /* past the last key the pose is held */
        NEAR3(t, kin_collider_pose(w, box).position, keys[2].position, 1e-12);
        EQUAL(t, kin_world_moved(w, NULL, 0), 0);
        kin_world_destroy(w);
    }
}

static void keys_must_rise(test* t)
{
    const kin_key keys[2] = {{1, {0, 0, 0}, {0, 0, 0, 1}}, {1, {2, 0, 0}, {0, 0, 0, 1}}};
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_collider_def def = kin_collider_def_default();
    kin_collider_id id;
    kin_error error = {0};
    def.shape.kind = KIN_SHAPE_SPHERE;
    def.shape.radius = 1;
    def.keys = keys;
    def.key_count = 2;
    EQUAL(t, kin_world_add_collider(w, &def, &id, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "keys[1]");
    kin_world_destroy(w);
}

/* C1.4.1b: inactive is ignored, static never moves. */
static void inactive_colliders_are_not_there(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_collider_id box = test_box(t, w, kin_v(0, 0, 0), kin_v(2, 2, 2), (kin_material_id){0});
    CHECK(t, kin_world_ray(w, kin_v(0, 5, 0), kin_v(0, -1, 0), 100).found);
    kin_collider_set_mobility(w, box, KIN_MOBILITY_INACTIVE);
    CHECK(t, !kin_world_ray(w, kin_v(0, 5, 0), kin_v(0, -1, 0), 100).found);
    kin_collider_set_mobility(w, box, KIN_MOBILITY_STATIC);
    kin_query_hit hit = kin_world_ray(w, kin_v(0, 5, 0), kin_v(0, -1, 0), 100);
    NEAR(t, hit.distance, 4, 1e-12);
    NEAR3(t, hit.normal, kin_v(0, 1, 0), 1e-12);
    EQUAL(t, hit.anchor.system, KIN_WORLD_SYSTEM);
    kin_world_remove_collider(w, box);
    CHECK(t, !kin_world_ray(w, kin_v(0, 5, 0), kin_v(0, -1, 0), 100).found);
    test_steps(t, w, 2);
    kin_world_destroy(w);
}

static void poses_can_be_set(test* t)
{
    kin_world* w = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_collider_id box = test_box(t, w, kin_v(0, 0, 0), kin_v(2, 2, 2), (kin_material_id){0});
    kin_collider_set_pose(w, box, (kin_transform){{0, 10, 0}, {0, 0, 0, 1}});
    NEAR(t, kin_world_closest(w, kin_v(0, 12, 0), 5).distance, 1, 1e-12);
    test_steps(t, w, 1);
    NEAR3(t, kin_collider_pose(w, box).position, kin_v(0, 10, 0), 0);
    kin_world_destroy(w);
}

/* C1.4.1c, both modes. */
static void bounds_bounce_or_deactivate(test* t)
{
    for (int policy = KIN_BOUNDS_DEACTIVATE; policy <= KIN_BOUNDS_BOUNCE; ++policy) {
        kin_world_def def = kin_world_def_default();
        kin_world* w;
        def.allocator = t->allocator;
        def.threads = 1;
        def.gravity = kin_v(0, 0, 0);
        def.bounds = (kin_bounds_policy)policy;
        def.bounds_low = kin_v(-1, -1, -1);
        def.bounds_high = kin_v(1, 1, 1);
        EQUAL(t, kin_world_create(&def, &w, NULL), KIN_OK);
        kin_system_id ball = test_ball(t, w, &(test_ball_setup){.velocity = {3, 1, 2}, .radius = 0.1, .restitution = 1});
        test_steps(t, w, 600);
        kin_vec3 x = kin_particle_position(w, ball, 0);
        bool inside = kin_abs(x.x) <= 0.9 + 1e-6 && kin_abs(x.y) <= 0.9 + 1e-6 && kin_abs(x.z) <= 0.9 + 1e-6;
        CHECK(t, inside == (policy == KIN_BOUNDS_BOUNCE));
        EQUAL(t, kin_particles_state(w, ball).mobility[0], policy == KIN_BOUNDS_BOUNCE ? KIN_MOBILITY_DYNAMIC : KIN_MOBILITY_INACTIVE);
        kin_world_destroy(w);
    }
}

TEST_MAIN("collider", TEST(keys_are_met_exactly), TEST(keys_must_rise), TEST(inactive_colliders_are_not_there), TEST(poses_can_be_set),
          TEST(bounds_bounce_or_deactivate))
