/* state_test.c - snapshots, clones and lack of memory: bodies, joints, keys and pieces come back as they were. */
#include "bodies.h"
#include "domains/rigid/rigid.h"

/* A little of everything: a floor, a door on a hinge, a paddle on keys, a vase that breaks when it lands, a body that was switched off. */
static bool furnish(kin_world* w, kin_system_id* id, int pieces)
{
    kin_rigid_def def = kin_rigid_def_default();
    kin_quat none = {0, 0, 0, 1};
    kin_key keys[] = {{0, {3, 1, 0}, none}, {1, {3, 2, 0}, kin_quat_axis_angle((kin_vec3){0, 1, 0}, 1)}, {2, {3, 1, 0}, none}};
    kin_body_def bodies[5];
    for (int i = 0; i < 5; ++i) bodies[i] = kin_body_def_default();
    bodies[0].name = "door";
    bodies[0].shape = box_of(1, 2, 0.1);
    bodies[0].position = (kin_vec3){0.5, 2, -2};
    bodies[0].spin = (kin_vec3){0, 2, 0};
    bodies[1].name = "paddle";
    bodies[1].shape = box_of(1, 0.1, 1);
    bodies[1].keys = keys;
    bodies[1].key_count = 3;
    bodies[2].name = "vase";
    bodies[2].shape = box_of(0.5, 0.8, 0.5);
    bodies[2].mass = 5;
    bodies[2].position = (kin_vec3){-2, 2, 0};
    bodies[2].fracture = (kin_fracture_def){.pieces = pieces, .seed = 1, .strength = 5};
    bodies[3].name = "crate";
    bodies[3].shape = box_of(0.5, 0.5, 0.5);
    bodies[3].position = (kin_vec3){0, 1.5, 2};
    bodies[4].shape = box_of(0.5, 0.5, 0.5);
    bodies[4].position = (kin_vec3){5, 1.5, 2};
    bodies[4].mobility = KIN_MOBILITY_INACTIVE;
    kin_joint_def joint = kin_joint_def_default();
    joint.name = "hinge";
    joint.kind = KIN_JOINT_HINGE;
    joint.body_a = "door";
    joint.b = -1;
    joint.axis = (kin_vec3){0, 1, 0};
    joint.anchor = (kin_vec3){0, 2, -2};
    joint.freedom[0] = (kin_joint_freedom){.limited = true, .low = -2, .high = 1};
    def.bodies.data = bodies;
    def.bodies.count = 5;
    def.joints.data = &joint;
    def.joints.count = 1;
    kin_collider_def floor = kin_collider_def_default();
    kin_collider_id ground;
    floor.shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}};
    return kin_world_add_collider(w, &floor, &ground, NULL) == KIN_OK && kin_rigid_create(w, &def, id, NULL) == KIN_OK;
}

static kin_world* furnished(test* t, kin_system_id* id)
{
    kin_world* w = test_world(t, 1.0 / 60, (kin_vec3){0, -9.81, 0});
    CHECK(t, furnish(w, id, 6));
    return w;
}

static kin_mobility of(const kin_world* w, kin_system_id id, const char* name) { return kin_rigid_state(w, id, kin_rigid_body(w, id, name)).mobility; }

static void going_back_and_again_is_the_same(test* t)
{
    kin_system_id id;
    kin_world* w = furnished(t, &id);
    kin_snapshot snapshot = {0};
    test_steps(t, w, 20);
    CHECK(t, of(w, id, "vase") == KIN_MOBILITY_DYNAMIC);
    CHECK(t, kin_world_snapshot(w, &snapshot, NULL) == KIN_OK);
    uint64_t then = kin_world_state_hash(w);
    test_steps(t, w, 60);
    CHECK(t, of(w, id, "vase") == KIN_MOBILITY_INACTIVE); /* it broke on the floor */
    kin_world_set_mobility(w, (kin_anchor){id.index1, 4, {0, 0, 0}}, KIN_MOBILITY_DYNAMIC, NULL);
    kin_rigid_remove_body(w, id, kin_rigid_body(w, id, "crate"));
    test_steps(t, w, 1);
    CHECK(t, kin_rigid_body(w, id, "crate") == UINT32_MAX);
    CHECK(t, kin_world_restore(w, &snapshot, NULL) == KIN_OK);
    CHECK(t, kin_world_state_hash(w) == then);
    CHECK(t, of(w, id, "vase") == KIN_MOBILITY_DYNAMIC);
    CHECK(t, kin_rigid_body(w, id, "crate") == 3);
    test_steps(t, w, 60);
    uint64_t later = kin_world_state_hash(w);
    CHECK(t, kin_world_restore(w, &snapshot, NULL) == KIN_OK);
    test_steps(t, w, 60);
    CHECK(t, kin_world_state_hash(w) == later);
    kin_snapshot_free(&snapshot);
    kin_world_destroy(w);
}

/* A body added since is not taken back: refused, nothing changed, and the words say what to do instead. That is done in going_back_and_again_is_the_same. */
static void going_back_before_a_body_was_added_is_refused(test* t)
{
    kin_system_id id;
    kin_world* w = furnished(t, &id);
    kin_snapshot snapshot = {0};
    kin_error error = {0};
    kin_body_def more = kin_body_def_default();
    more.shape = box_of(0.5, 0.5, 0.5);
    more.position = (kin_vec3){8, 1, 0};
    test_steps(t, w, 5);
    CHECK(t, kin_world_snapshot(w, &snapshot, NULL) == KIN_OK);
    CHECK(t, kin_rigid_add_body(w, id, &more, NULL, NULL) == KIN_OK);
    test_steps(t, w, 5);
    uint64_t now = kin_world_state_hash(w);
    CHECK(t, kin_world_restore(w, &snapshot, &error) == KIN_ERROR_MISMATCH);
    HAS(t, error.message, "make them before the snapshot, inactive");
    CHECK(t, kin_world_state_hash(w) == now);
    test_steps(t, w, 5);
    kin_snapshot_free(&snapshot);
    kin_world_destroy(w);
}

/* The law of every domain: restoring into a fresh world after each step changes nothing. */
static void a_fresh_world_restored_after_each_step_goes_the_same_way(test* t)
{
    kin_system_id id, other;
    kin_world *straight = furnished(t, &id), *hopping = furnished(t, &other);
    for (int i = 0; i < 50; ++i) {
        kin_snapshot snapshot = {0};
        test_steps(t, straight, 1);
        test_steps(t, hopping, 1);
        CHECK(t, kin_world_snapshot(hopping, &snapshot, NULL) == KIN_OK);
        kin_world_destroy(hopping);
        hopping = furnished(t, &other);
        CHECK(t, kin_world_restore(hopping, &snapshot, NULL) == KIN_OK);
        kin_snapshot_free(&snapshot);
        if (!test_check(t, kin_world_state_hash(straight) == kin_world_state_hash(hopping), __FILE__, __LINE__, "step %d differs", i)) break;
    }
    kin_world_destroy(straight);
    kin_world_destroy(hopping);
}

/* Bodies that came after the others, and a second system, are in another order there. */
static void a_clone_goes_the_same_way(test* t)
{
    kin_system_id id;
    kin_world* w = furnished(t, &id);
    kin_rigid_def second = kin_rigid_def_default();
    kin_system_id more;
    second.name = "more";
    CHECK(t, kin_rigid_create(w, &second, &more, NULL) == KIN_OK);
    kin_body_def ball = kin_body_def_default();
    ball.name = "ball";
    ball.shape = ball_of(0.3);
    ball.position = (kin_vec3){-4, 1, 0};
    add_body(t, w, more, &ball);
    ball.position = (kin_vec3){-4, 2, 0.1};
    uint32_t last = add_body(t, w, id, &ball);
    kin_joint_def rope = kin_joint_def_default();
    rope.kind = KIN_JOINT_ROPE;
    rope.a = 0;
    rope.b = -1;
    rope.anchor = (kin_vec3){-4, 1, 0};
    rope.anchor_b = (kin_vec3){-4, 3, 0};
    rope.has_anchor_b = true;
    CHECK(t, kin_rigid_add_joint(w, more, &rope, NULL, NULL) == KIN_OK);
    rope.a = last;
    rope.anchor = ball.position;
    CHECK(t, kin_rigid_add_joint(w, id, &rope, NULL, NULL) == KIN_OK); /* after that of the other */
    test_plane(t, w, (kin_vec3){-6, 0, 0}, (kin_vec3){1, 0, 0}, (kin_material_id){0});
    test_steps(t, w, 40);
    kin_world* clone;
    kin_error error = {0};
    test_check(t, kin_world_clone(w, &clone, &error) == KIN_OK, __FILE__, __LINE__, "no clone: %s", error.message);
    CHECK(t, kin_world_state_hash(clone) == kin_world_state_hash(w));
    test_steps(t, w, 40);
    test_steps(t, clone, 40);
    CHECK(t, kin_world_state_hash(clone) == kin_world_state_hash(w));
    kin_world_destroy(w);
    NEAR(t, kin_rigid_state(clone, more, 0).mass, 1000 * 4 / 3.0 * KIN_PI * 0.027, 1e-6); /* forms outlive the world they came from */
    test_steps(t, clone, 10);
    kin_world_destroy(clone);
}

static bool build_once(test* t, void* context)
{
    kin_world_def def = kin_world_def_default();
    kin_world* w = NULL;
    kin_system_id id;
    (void)context;
    def.allocator = t->allocator;
    def.threads = 1;
    bool good = kin_world_create(&def, &w, NULL) == KIN_OK && furnish(w, &id, 2) && kin_world_step(w, NULL, NULL) == KIN_OK;
    kin_world_destroy(w);
    return good;
}

static void lack_of_memory_leaves_nothing_behind(test* t) { test_fail_each_allocation(t, build_once, NULL); }

static void a_steady_step_takes_no_memory(test* t)
{
    kin_system_id id;
    kin_world* w = furnished(t, &id);
    test_steps(t, w, 200);
    uint64_t before = t->allocations;
    test_steps(t, w, 60);
    EQUAL(t, t->allocations, before);
    kin_world_destroy(w);
}

TEST_MAIN("rigid state", TEST(going_back_and_again_is_the_same), TEST(going_back_before_a_body_was_added_is_refused),
          TEST(a_fresh_world_restored_after_each_step_goes_the_same_way), TEST(a_clone_goes_the_same_way), TEST(lack_of_memory_leaves_nothing_behind),
          TEST(a_steady_step_takes_no_memory))
