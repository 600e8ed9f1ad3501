/* groups_test.c - rigid bodies among the other things of a world: queries find them, points meet them, colliders carry them, come late, move and go; a snapshot of
 * other bodies changes nothing. In both modes. */
#include "kinema/rigid.h"
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"

static const kin_rigid_mode modes[] = {KIN_RIGID_REALTIME, KIN_RIGID_EXACT};

static kin_system_id bodies(test* t, kin_world* world, kin_rigid_mode mode)
{
    kin_rigid_def def = kin_rigid_def_default();
    kin_system_id id = {0};
    def.mode = mode;
    CHECK(t, kin_rigid_create(world, &def, &id, NULL) == KIN_OK);
    return id;
}

static uint32_t box(test* t, kin_world* world, kin_system_id id, kin_vec3 position, kin_vec3 velocity, bool sensor)
{
    kin_body_def def = kin_body_def_default();
    uint32_t index = 0;
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}};
    def.mass = 1;
    def.position = position;
    def.velocity = velocity;
    def.sensor = sensor;
    CHECK(t, kin_rigid_add_body(world, id, &def, &index, NULL) == KIN_OK);
    return index;
}

static kin_query_hit look(kin_world* world, double x) { return kin_world_ray(world, kin_v(x, 10, 0), kin_v(0, -1, 0), 100); }

/* ---- bodies as solids ---- */

static void queries_find_bodies_where_they_are(test* t)
{
    for (int m = 0; m < 2; ++m) {
        kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
        kin_system_id id = bodies(t, world, modes[m]);
        box(t, world, id, kin_v(0, 0, 0), kin_v(2, 0, 0), false);
        box(t, world, id, kin_v(0, 5, 0), kin_v(0, 0, 0), true); /* a sensor is no solid */
        CHECK(t, look(world, 0.2).found);                        /* before the first step, too */
        test_steps(t, world, 50);
        kin_query_hit hit = look(world, 1.2);
        CHECK(t, hit.found);
        NEAR3(t, hit.point, kin_v(1.2, 0.5, 0), 1e-6);
        EQUAL(t, hit.anchor.system, id.index1);
        EQUAL(t, hit.anchor.element, 0);
        NEAR3(t, hit.anchor.local, kin_v(0.2, 0.5, 0), 1e-6);
        NEAR3(t, hit.velocity, kin_v(2, 0, 0), 1e-5);
        CHECK(t, !look(world, -0.2).found);
        kin_rigid_remove_body(world, id, 0);
        test_steps(t, world, 1);
        CHECK(t, !look(world, 1.2).found);
        kin_world_destroy(world);
    }
}

static void a_placed_body_is_found_at_once(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_system_id id = bodies(t, world, KIN_RIGID_REALTIME);
    uint32_t body = box(t, world, id, kin_v(0, 0, 0), kin_v(0, 0, 0), false);
    test_steps(t, world, 1);
    kin_rigid_place(world, id, body, (kin_transform){{7, 0, 0}, {0, 0, 0, 1}}, kin_v(0, 0, 0), kin_v(0, 0, 0));
    test_steps(t, world, 1);
    CHECK(t, look(world, 7).found);
    CHECK(t, !look(world, 0).found);
    kin_world_destroy(world);
}

/* ---- colliders as bodies ---- */

static double height(kin_world* world, kin_system_id id) { return kin_rigid_state(world, id, 0).center.y; }

static void a_collider_holds_a_body_until_it_goes(test* t)
{
    for (int m = 0; m < 2; ++m) {
        kin_world* world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
        kin_system_id id = bodies(t, world, modes[m]);
        box(t, world, id, kin_v(0, 0.5, 0), kin_v(0, 0, 0), false);
        kin_collider_id floor = test_box(t, world, kin_v(0, -0.5, 0), kin_v(10, 1, 10), (kin_material_id){0}); /* later than the body */
        test_steps(t, world, 120);
        NEAR(t, height(world, id), 0.5, 1e-3);
        kin_world_remove_collider(world, floor);
        test_steps(t, world, 30); /* asleep or not, it falls: 1/2 g t^2 */
        NEAR(t, height(world, id), 0.5 - 0.5 * 9.81 * 0.25, 0.1);
        kin_world_destroy(world);
    }
}

static void a_collider_can_be_switched_off_and_moved(test* t)
{
    kin_world* world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
    kin_system_id id = bodies(t, world, KIN_RIGID_REALTIME);
    box(t, world, id, kin_v(0, 0.5, 0), kin_v(0, 0, 0), false);
    kin_collider_id floor = test_box(t, world, kin_v(0, -0.5, 0), kin_v(10, 1, 10), (kin_material_id){0});
    test_steps(t, world, 120);
    kin_collider_set_pose(world, floor, (kin_transform){{0, -1.5, 0}, {0, 0, 0, 1}});
    test_steps(t, world, 120);
    NEAR(t, height(world, id), -0.5, 1e-3);
    kin_collider_set_mobility(world, floor, KIN_MOBILITY_INACTIVE);
    test_steps(t, world, 60);
    CHECK(t, height(world, id) < -4);
    kin_world_destroy(world);
}

/* A deck that rises 1 m in 2 s and runs 2 m to the side takes a box along. */
static void a_keyed_collider_carries_a_body(test* t)
{
    for (int m = 0; m < 2; ++m) {
        kin_world* world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
        kin_material_id rough = test_material(t, world, "rough", 0, 0.9);
        kin_system_id id = bodies(t, world, modes[m]);
        const kin_key keys[] = {{0, {0, -0.5, 0}, {0, 0, 0, 1}}, {2, {2, 0.5, 0}, {0, 0, 0, 1}}};
        kin_collider_def deck = kin_collider_def_default();
        kin_collider_id collider;
        deck.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {6, 1, 6}};
        deck.material = rough;
        deck.keys = keys;
        deck.key_count = 2;
        CHECK(t, kin_world_add_collider(world, &deck, &collider, NULL) == KIN_OK);
        kin_body_def def = kin_body_def_default();
        def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 1, 1}};
        def.position = kin_v(0, 0.5, 0);
        def.material = rough;
        CHECK(t, kin_rigid_add_body(world, id, &def, NULL, NULL) == KIN_OK);
        test_steps(t, world, 180);
        kin_vec3 at = kin_rigid_state(world, id, 0).center;
        NEAR(t, at.y, 1.5, 5e-3);
        NEAR(t, at.x, 2, 0.15); /* 1 m/s is gained and lost by friction of 0.9 g: 0.06 m each */
        kin_world_destroy(world);
    }
}

/* ---- particles ---- */

static void a_particle_bounces_off_a_body_and_pushes_it(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_system_id id = bodies(t, world, KIN_RIGID_REALTIME);
    box(t, world, id, kin_v(0, 0, 0), kin_v(0, 0, 0), false);
    kin_system_id ball = test_ball(t, world, &(test_ball_setup){.position = {-2, 0, 0}, .velocity = {3, 0, 0}, .mass = 0.5, .restitution = 1});
    test_steps(t, world, 80);
    CHECK(t, kin_particle_velocity(world, ball, 0).x < 0);
    CHECK(t, kin_rigid_state(world, id, 0).velocity.x > 1);
    kin_world_destroy(world);
}

/* ---- who may touch ---- */

static bool nobody(void* context, kin_touch_pair* pair)
{
    (void)pair;
    *(int*)context += 1;
    return false;
}

static void the_filter_of_a_world_is_asked(test* t)
{
    kin_world* world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
    int asked = 0;
    kin_world_set_touch_filter(world, nobody, &asked); /* before there is a group */
    kin_system_id id = bodies(t, world, KIN_RIGID_REALTIME);
    box(t, world, id, kin_v(0, 0.5, 0), kin_v(0, 0, 0), false);
    test_plane(t, world, kin_v(0, 0, 0), kin_v(0, 1, 0), (kin_material_id){0});
    test_steps(t, world, 60);
    CHECK(t, asked > 0);
    CHECK(t, height(world, id) < -3);
    kin_world_destroy(world);
}

static void touches_are_told_in_their_step_only(test* t)
{
    kin_world* world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
    kin_system_id id = bodies(t, world, KIN_RIGID_REALTIME);
    box(t, world, id, kin_v(0, 1, 0), kin_v(0, 0, 0), false); /* of the floor's stuff, which does not bounce */
    test_plane(t, world, kin_v(0, 0, 0), kin_v(0, 1, 0), test_material(t, world, "lead", 0, 0.5));
    int begins = 0;
    for (int i = 0; i < 120; ++i) {
        size_t count;
        test_steps(t, world, 1);
        const kin_touch_event* e = kin_world_touch_events(world, &count);
        for (size_t k = 0; k < count; ++k) begins += e[k].kind == KIN_TOUCH_BEGIN;
    }
    EQUAL(t, begins, 1);
    kin_world_destroy(world);
}

TEST_MAIN("world_groups", TEST(queries_find_bodies_where_they_are), TEST(a_placed_body_is_found_at_once), TEST(a_collider_holds_a_body_until_it_goes),
          TEST(a_collider_can_be_switched_off_and_moved), TEST(a_keyed_collider_carries_a_body), TEST(a_particle_bounces_off_a_body_and_pushes_it),
          TEST(the_filter_of_a_world_is_asked), TEST(touches_are_told_in_their_step_only))
