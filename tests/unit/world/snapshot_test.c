/* snapshot_test.c - saving, restoring after every step, cloning, refusing what does not fit. */
#include "kinema/steer.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"

static kin_world* busy_world(test* t, const char* integrator)
{
    static const kin_key keys[3] = {{0, {0, 0, 0}, {0, 0, 0, 1}}, {1, {0.5, 0.2, 0}, {0, 0, 0.6, 0.8}}, {2, {0, 0, 0}, {0, 0, 0, 1}}};
    kin_world* w = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
    kin_collider_def paddle = kin_collider_def_default();
    kin_collider_id id;
    paddle.shape.kind = KIN_SHAPE_CAPSULE;
    paddle.shape.radius = 0.3;
    paddle.shape.length = 1;
    paddle.keys = keys;
    paddle.key_count = 3;
    EQUAL(t, kin_world_add_collider(w, &paddle, &id, NULL), KIN_OK);
    test_plane(t, w, kin_v(0, -1, 0), kin_v(0, 1, 0), (kin_material_id){0});
    CHECK(t, kin_world_add_drag(w, 0.1, NULL, NULL) == KIN_OK);
    kin_steer_field steer; /* asks solids before anything has hit them */
    kin_field_default("steer", &steer);
    steer.steering.ahead = 0.3;
    CHECK(t, kin_world_add_field(w, "steer", &steer, NULL, NULL) == KIN_OK);
    kin_particles_def def = kin_particles_def_default();
    kin_particle_group group = kin_particle_group_default();
    group.count = 200;
    group.box = kin_v(2, 1, 2);
    group.position = kin_v(0, 1.5, 0);
    group.spread = kin_v(1, 1, 1);
    def.groups = &group;
    def.group_count = 1;
    for (int i = 0; kin_particles_integrators()[i] != NULL; ++i) {
        if (__builtin_strcmp(kin_particles_integrators()[i], integrator) == 0) def.integrator = i;
    }
    EQUAL(t, kin_particles_create(w, &def, NULL, NULL), KIN_OK);
    return w;
}

/* The law of every domain: restoring into a fresh world after each step changes nothing. */
static void restored_after_every_step(test* t)
{
    static const char* const names[] = {"semi_implicit", "rk4", "verlet", "leapfrog"};
    for (int k = 0; k < 4; ++k) {
        kin_world *straight = busy_world(t, names[k]), *hopping = busy_world(t, names[k]);
        for (int i = 0; i < 150; ++i) {
            kin_snapshot s = {0};
            test_steps(t, straight, 1);
            test_steps(t, hopping, 1);
            EQUAL(t, kin_world_snapshot(hopping, &s, NULL), KIN_OK);
            kin_world_destroy(hopping);
            hopping = busy_world(t, names[k]);
            EQUAL(t, kin_world_restore(hopping, &s, NULL), KIN_OK);
            kin_snapshot_free(&s);
            if (!CHECK(t, kin_world_state_hash(straight) == kin_world_state_hash(hopping))) break;
        }
        kin_world_destroy(straight);
        kin_world_destroy(hopping);
    }
}

static void clones_go_on_alike(test* t)
{
    kin_world *a = busy_world(t, "leapfrog"), *b;
    test_steps(t, a, 37);
    EQUAL(t, kin_world_clone(a, &b, NULL), KIN_OK);
    for (int i = 0; i < 60; ++i) {
        CHECK(t, kin_world_state_hash(a) == kin_world_state_hash(b));
        test_steps(t, a, 1);
        test_steps(t, b, 1);
    }
    kin_world_destroy(a);
    kin_world_destroy(b);
}

static void foreign_and_cut_ones_are_refused(test* t)
{
    kin_world *a = busy_world(t, "rk4"), *b = test_world(t, 0.1, kin_v(0, 0, 0));
    kin_snapshot s = {0};
    kin_error error = {0};
    EQUAL(t, kin_world_snapshot(a, &s, NULL), KIN_OK);
    EQUAL(t, kin_world_restore(b, &s, &error), KIN_ERROR_MISMATCH);
    size_t size = s.size;
    for (s.size = 0; s.size < size; s.size += 97) CHECK(t, kin_world_restore(a, &s, &error) != KIN_OK);
    s.size = size;
    EQUAL(t, kin_world_restore(a, &s, &error), KIN_OK);
    test_steps(t, a, 1);
    kin_snapshot_free(&s);
    kin_world_destroy(a);
    kin_world_destroy(b);
}

/* A run that overflows stops with its last good state; nothing that is not finite is ever seen. */
static void overflow_stops_the_run(test* t)
{
    kin_world* w = test_world(t, 1, kin_v(0, 0, 0));
    kin_error error = {0};
    kin_system_id ball = test_ball(t, w, &(test_ball_setup){.velocity = {1e307, 0, 0}});
    kin_result result = KIN_OK;
    for (int i = 0; i < 100 && result == KIN_OK; ++i) result = kin_world_step(w, NULL, &error);
    EQUAL(t, result, KIN_ERROR_NUMERICS);
    HAS(t, error.message, "particles[0]: position or velocity is not finite");
    CHECK(t, kin_finite3(kin_particle_position(w, ball, 0)));
    EQUAL(t, kin_world_step(w, NULL, &error), KIN_ERROR_NUMERICS);
    kin_world_destroy(w);
}

TEST_MAIN("snapshot", TEST(restored_after_every_step), TEST(clones_go_on_alike), TEST(foreign_and_cut_ones_are_refused), TEST(overflow_stops_the_run))
