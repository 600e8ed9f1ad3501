/* particles_test.c - the particle system through its public face. */
#include "kinema/kinema.h"
#include "math/vec3.h"
#include "support/test.h"
#include "support/world.h"
#include <string.h>

static const kin_vec3 down = {0, -10, 0};

/* H2.5a Table A: Euler moves with the old velocity, semi-implicit with the new, average-velocity is exact. */
static void free_fall_by_three_methods(test* t)
{
    static const struct {
        const char* name;
        double y[4];
    } rows[] = {
        {"euler", {100, 90, 70, 40}},
        {"semi_implicit", {90, 70, 40, 0}},
        {"average", {95, 80, 55, 20}},
    };
    for (int i = 0; i < 3; ++i) {
        kin_world* w = test_world(t, 1, down);
        kin_system_id ball = test_ball(t, w, &(test_ball_setup){.integrator = rows[i].name, .position = {0, 100, 0}});
        for (int k = 0; k < 4; ++k) {
            test_steps(t, w, 1);
            NEAR(t, kin_particle_position(w, ball, 0).y, rows[i].y[k], 1e-12);
            NEAR(t, kin_particle_velocity(w, ball, 0).y, -10 * (k + 1), 1e-12);
        }
        kin_world_destroy(w);
    }
}

/* H2.7, table B2. */
static void drag_and_wind(test* t)
{
    kin_world* w = test_world(t, 1, down);
    CHECK(t, kin_world_add_drag(w, 0.4, NULL, NULL) == KIN_OK);
    CHECK(t, kin_world_add_wind(w, kin_v(-12.5, 0, 0), NULL, NULL) == KIN_OK);
    kin_system_id ball = test_ball(t, w, &(test_ball_setup){.integrator = "euler", .position = {0, 100, 0}, .velocity = {10, 0, 30}});
    test_steps(t, w, 5);
    NEAR3(t, kin_particle_velocity(w, ball, 0), kin_v(-10.75, -23.056, 2.333), 5e-3);
    NEAR3(t, kin_particle_position(w, ball, 0), kin_v(-10.624, 32.64, 69.168), 5e-4);
    kin_world_destroy(w);
}

/* One bounce with e = 0.5 on a curve that the method follows exactly: after the hit at sqrt(2H/g) the speed is e sqrt(2gH). */
static void bounce_at_the_exact_time(test* t)
{
    static const char* const names[] = {"average", "midpoint", "heun", "rk4", "velocity_verlet", "verlet", "leapfrog"};
    for (int i = 0; i < 7; ++i) {
        kin_world* w = test_world(t, 0.013, down);
        kin_material_id floor = test_material(t, w, "floor", 0.5, 0);
        test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), floor);
        kin_system_id ball = test_ball(t, w, &(test_ball_setup){.integrator = names[i], .position = {0, 1.1, 0}, .radius = 0.1, .restitution = 0.5});
        test_steps(t, w, 40);
        double hit = kin_sqrt(2.0 / 10), speed = 0.5 * kin_sqrt(2 * 10.0), rest = 40 * 0.013 - hit;
        NEAR(t, kin_particle_position(w, ball, 0).y, 0.1 + speed * rest - 5 * rest * rest, 1e-8);
        NEAR(t, kin_particle_velocity(w, ball, 0).y, speed - 10 * rest, 1e-8);
        kin_world_destroy(w);
    }
}

static void comes_to_rest_and_stays(test* t)
{
    static const char* const names[] = {"semi_implicit", "rk4", "verlet", "leapfrog"};
    for (int i = 0; i < 4; ++i) {
        kin_world* w = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
        kin_material_id floor = test_material(t, w, "floor", 0.5, 0.5);
        test_plane(t, w, kin_v(0, 0, 0), kin_v(0, 1, 0), floor);
        kin_system_id ball = test_ball(
            t, w,
            &(test_ball_setup){.integrator = names[i], .position = {0, 1, 0}, .velocity = {1, 0, 0.5}, .radius = 0.1, .restitution = 0.5, .friction = 0.5});
        test_steps(t, w, 300);
        kin_vec3 x = kin_particle_position(w, ball, 0);
        CHECK(t, kin_particles_state(w, ball).resting[0] == 1);
        NEAR(t, x.y, 0.1, 1e-6);
        test_steps(t, w, 200);
        kin_vec3 y = kin_particle_position(w, ball, 0);
        CHECK(t, memcmp(&x, &y, sizeof x) == 0);
        NEAR(t, kin_length(kin_particle_velocity(w, ball, 0)), 0, 0);
        EQUAL(t, kin_world_moved(w, NULL, 0), 0);
        kin_world_destroy(w);
    }
}

/* Slides down with a = g (sin - mu cos), from rest, when tan a > mu; stays when not. */
static void incline(test* t)
{
    for (int i = 0; i < 2; ++i) {
        double angle = 0.5, mu = i == 0 ? 0.4 : 0.6; /* tan 0.5 = 0.546 */
        kin_vec3 n = {-kin_sin(angle), kin_cos(angle), 0};
        kin_world* w = test_world(t, 0.01, down);
        kin_material_id floor = test_material(t, w, "floor", 0.2, mu);
        test_plane(t, w, kin_v(0, 0, 0), n, floor);
        kin_system_id ball = test_ball(t, w, &(test_ball_setup){.integrator = "rk4", .position = kin_scale(n, 0.1), .radius = 0.1, .friction = mu});
        test_steps(t, w, 100);
        double a = 10 * (kin_sin(angle) - mu * kin_cos(angle));
        NEAR(t, kin_length(kin_particle_velocity(w, ball, 0)), i == 0 ? a : 0, 1e-6);
        NEAR(t, kin_distance(kin_particle_position(w, ball, 0), kin_scale(n, 0.1)), i == 0 ? a / 2 : 0, 1e-6);
        kin_world_destroy(w);
    }
}

/* C1.4.1b: two animated boxes close on a ball. It stays finite, and the report says what happened. */
static void closing_solids_are_reported(test* t)
{
    kin_world* w = test_world(t, 0.01, kin_v(0, 0, 0));
    for (int side = -1; side <= 1; side += 2) {
        const kin_key keys[2] = {{0, {side, 0, 0}, {0, 0, 0, 1}}, {1, {side * 0.5, 0, 0}, {0, 0, 0, 1}}};
        kin_collider_def def = kin_collider_def_default();
        def.shape.kind = KIN_SHAPE_BOX;
        def.shape.size = kin_v(1, 1, 1);
        def.keys = keys;
        def.key_count = 2;
        def.smooth = false;
        EQUAL(t, kin_world_add_collider(w, &def, NULL, NULL), KIN_OK);
    }
    kin_system_id ball = test_ball(t, w, &(test_ball_setup){.radius = 0.2});
    int warnings = 0;
    for (int i = 0; i < 100; ++i) {
        kin_step_report report;
        EQUAL(t, kin_world_step(w, &report, NULL), KIN_OK);
        if (i < 50) EQUAL(t, report.warnings, 0); /* they touch it at 0.6 s */
        warnings += report.warnings;
        if (report.warnings > 0) HAS(t, report.note, "particles[0]: moving solids leave it no room");
    }
    CHECK(t, warnings > 0 && kin_finite3(kin_particle_position(w, ball, 0)));
    kin_world_destroy(w);
}

/* R1: whatever happens to it, a world stays finite: full overlap at the start, teleports into solids, enormous pushes, a mesh on top. */
static void torture_stays_finite(test* t)
{
    for (int hits = KIN_HIT_EXACT; hits <= KIN_HIT_REFLECT; ++hits) {
        kin_world* w = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
        kin_material_id stone = test_material(t, w, "stone", 0.9, 0.5);
        test_box(t, w, kin_v(0, 0, 0), kin_v(4, 4, 4), stone);
        test_box(t, w, kin_v(1, 1, 0), kin_v(4, 4, 4), stone);
        test_plane(t, w, kin_v(0, -2, 0), kin_v(0, 1, 0), stone);
        kin_system_id ball = test_ball(t, w, &(test_ball_setup){.radius = 0.3, .restitution = 0.9, .friction = 0.5, .hits = (kin_hit_policy)hits});
        kin_anchor anchor = {ball.index1, 0, {0, 0, 0}};
        for (int i = 0; i < 300; ++i) {
            if (i % 60 == 20) EQUAL(t, kin_world_place(w, anchor, kin_v(0.1 * i, 1.9, 0.3), kin_v(0, -50, 1e3), NULL), KIN_OK);
            if (i % 60 == 40) EQUAL(t, kin_world_push(w, anchor, kin_v(1e6, -1e6, 3e5), NULL), KIN_OK);
            test_steps(t, w, 1);
            if (!CHECK(t, kin_finite3(kin_particle_position(w, ball, 0)) && kin_finite3(kin_particle_velocity(w, ball, 0)))) break;
        }
        kin_world_destroy(w);
    }
}

static void bad_defs_are_refused(test* t)
{
    kin_world* w = test_world(t, 0.01, down);
    kin_particles_def def = kin_particles_def_default();
    kin_particle_group group = kin_particle_group_default();
    kin_system_id id;
    kin_error error = {0};
    def.groups = &group;
    def.group_count = 1;
    group.mass = -0.1;
    CHECK(t, kin_particles_create(w, &def, &id, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "particles[0].mass");
    HAS(t, error.message, "-0.1 must be > 0");
    group.mass = 1;
    group.position.y = 0.0 / kin_abs(0.0);
    CHECK(t, kin_particles_create(w, &def, &id, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.where, "particles[0].position");
    kin_world_destroy(w);
}

TEST_MAIN("particles", TEST(free_fall_by_three_methods), TEST(drag_and_wind), TEST(bounce_at_the_exact_time), TEST(comes_to_rest_and_stays), TEST(incline),
          TEST(closing_solids_are_reported), TEST(torture_stays_finite), TEST(bad_defs_are_refused))
