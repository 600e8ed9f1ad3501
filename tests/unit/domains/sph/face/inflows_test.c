/* inflows_test.c - openings and drains: how many come and go, where, and how fast. */
#include "math/quat.h"
#include "tank.h"
#include <math.h>

static kin_sph_def pouring(const kin_sph_inflow* inflow)
{
    kin_sph_def def = kin_sph_def_default();
    def.radius = 0.01;
    def.inflows.data = inflow;
    def.inflows.count = 1;
    return def;
}

static kin_sph_inflow round_opening(double radius, double speed)
{
    kin_sph_inflow inflow = kin_sph_inflow_default();
    inflow.radius = radius;
    inflow.speed = speed;
    return inflow;
}

/* A layer of n particles every spacing / speed, the first at once. */
static void check_rate(test* t, const kin_sph_inflow* inflow, size_t n)
{
    kin_world* world = test_world(t, 1.0 / 60, kin_v(0, 0, 0));
    kin_sph_def def = pouring(inflow);
    kin_system_id id = tank_create(t, world, &def);
    EQUAL(t, kin_sph_state(world, id).count, 0);
    for (int i = 1; i <= 30; ++i) {
        test_steps(t, world, 1);
        double layers = inflow->speed * kin_world_time(world) / 0.02;
        size_t count = kin_sph_state(world, id).count;
        EQUAL(t, count % n, 0);
        NEAR(t, (double)count / (double)n, layers, 1 + 1e-6);
    }
    EQUAL(t, tank_measure(t, world, "born"), (double)kin_sph_state(world, id).count);
    kin_world_destroy(world);
}

static void layers_come_at_their_rate(test* t)
{
    kin_sph_inflow inflow = round_opening(0.05, 1.0); /* 5 across, without the corners; its area would be 19.6 */
    check_rate(t, &inflow, 21);
    inflow = round_opening(0, 0.7);
    inflow.size[0] = 0.1, inflow.size[1] = 0.061;
    check_rate(t, &inflow, 15);
    inflow.direction = kin_v(1, 2, -3);
    inflow.position = kin_v(5, 6, 7);
    check_rate(t, &inflow, 15);
}

/* What is nearer than a spacing to the opening goes straight out at its speed. */
static void what_comes_out_is_held_to_the_opening(test* t)
{
    kin_world* world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
    kin_sph_inflow inflow = round_opening(0.05, 0.5);
    inflow.direction = kin_v(1, 0, 0);
    inflow.position = kin_v(2, 1, 0);
    kin_sph_def def = pouring(&inflow);
    kin_system_id id = tank_create(t, world, &def);
    size_t held = 0;
    for (int i = 0; i < 30; ++i) {
        test_steps(t, world, 1);
        kin_sph_view v = kin_sph_state(world, id);
        for (size_t k = 0; k < v.count; ++k) {
            double ahead = tank_position(&v, k).x - 2;
            if (ahead >= 0.0199) continue;
            ++held;
            CHECK(t, ahead >= -1e-6);
            NEAR(t, (double)v.velocity[4 * k], 0.5, 1e-6);
            NEAR(t, (double)v.velocity[4 * k + 1], 0, 1e-6);
            CHECK(t, hypot(tank_position(&v, k).y - 1, tank_position(&v, k).z) <= 0.05);
        }
    }
    EQUAL(t, held, 30 * 21);
    kin_world_destroy(world);
}

static void openings_open_and_close(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_inflow inflow = round_opening(0.05, 1);
    inflow.begin = 0.055;
    inflow.end = 0.145; /* 0.09 m of fluid: 5 layers */
    kin_sph_def def = pouring(&inflow);
    kin_system_id id = tank_create(t, world, &def);
    test_steps(t, world, 5);
    EQUAL(t, kin_sph_state(world, id).count, 0);
    test_steps(t, world, 1);
    EQUAL(t, kin_sph_state(world, id).count, 21);
    test_steps(t, world, 30);
    EQUAL(t, kin_sph_state(world, id).count, 5 * 21);
    kin_world_destroy(world);
}

static void limits_are_kept_and_told(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_inflow inflow = round_opening(0.05, 1);
    kin_sph_def def = pouring(&inflow);
    inflow.most = 50;
    kin_system_id id = tank_create(t, world, &def);
    kin_step_report report;
    for (int i = 0; i < 20; ++i) CHECK(t, kin_world_step(world, &report, NULL) == KIN_OK);
    EQUAL(t, kin_sph_state(world, id).count, 50);
    EQUAL(t, report.capped, 0);
    kin_world_destroy(world);
    world = test_world(t, 0.01, kin_v(0, 0, 0));
    inflow.most = 0;
    def.max_particles = 70;
    id = tank_create(t, world, &def);
    for (int i = 0; i < 20; ++i) CHECK(t, kin_world_step(world, &report, NULL) == KIN_OK);
    EQUAL(t, kin_sph_state(world, id).count, 70);
    CHECK(t, report.capped > 0);
    HAS(t, report.note, "max_particles (70)");
    kin_world_destroy(world);
}

/* A hose that a keyed collider carries at 2 m/s along x: its fluid goes with it. */
static void openings_move_with_colliders(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    const kin_key keys[] = {{0, {0, 0, 0}, {0, 0, 0, 1}}, {1, {2, 0, 0}, {0, 0, 0, 1}}};
    kin_collider_def cart = kin_collider_def_default();
    cart.name = "cart";
    cart.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = 0.01};
    cart.keys = keys;
    cart.key_count = 2;
    cart.smooth = false;
    CHECK(t, kin_world_add_collider(world, &cart, NULL, NULL) == KIN_OK);
    kin_sph_inflow inflow = round_opening(0.05, 1);
    inflow.attached = "cart";
    inflow.position = kin_v(0, -0.5, 0);
    kin_sph_def def = pouring(&inflow);
    kin_system_id id = tank_create(t, world, &def);
    test_steps(t, world, 20);
    kin_sph_view v = kin_sph_state(world, id);
    CHECK(t, v.count >= 10 * 21);
    for (size_t i = 0; i < v.count; ++i) {
        if (tank_position(&v, i).y < -0.519) continue;
        NEAR(t, (double)v.velocity[4 * i], 2, 1e-6);
        NEAR(t, (double)v.velocity[4 * i + 1], -1, 1e-6);
        CHECK(t, fabs(tank_position(&v, i).x - 0.4) < 0.05);
    }
    kin_world_destroy(world);
}

static void wrong_openings_are_named(test* t)
{
    kin_sph_inflow inflow = round_opening(0.005, 1);
    kin_sph_def def = pouring(&inflow);
    tank_refused(t, &def, "inflows[0].radius", "no room for a particle");
    inflow.radius = 0;
    tank_refused(t, &def, "inflows[0].size", "no room for a particle");
    inflow = round_opening(0.05, 0);
    tank_refused(t, &def, "inflows[0].speed", "> 0");
    inflow = round_opening(0.05, 1);
    inflow.begin = 2, inflow.end = 1;
    tank_refused(t, &def, "inflows[0].end", "before its begin");
    inflow.end = 0;
    inflow.attached = "hose";
    tank_refused(t, &def, "inflows[0].attached", "no collider \"hose\"");
    inflow.attached = NULL;
    inflow.phase = "lava";
    tank_refused(t, &def, "inflows[0].phase", "no phase \"lava\"");
    inflow.phase = NULL;
    inflow.direction = kin_v(0, 0, 0);
    tank_refused(t, &def, "inflows[0].direction", "zero");
    inflow = round_opening(1000, 1);
    tank_refused(t, &def, "inflows[0].radius", "4096");
}

/* ---- drains ---- */

static void sinks_take_what_is_in_them(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(0.2, 0.2, 0.2));
    kin_sph_sink sinks[3] = {{.region = {.kind = KIN_REGION_BOX, .sizes = {0.1, 9, 9}}, .center = {-0.1, 0, 0}},
                             {.region = {.kind = KIN_REGION_SPHERE, .radius = 0.015}, .center = {0.09, 0.09, 0.09}},
                             {.region = {.kind = KIN_REGION_PLANE, .normal = {0, 1, 0}}, .center = {0, -0.08, 0}}};
    kin_sph_phase_def slack = kin_sph_phase_def_default();
    slack.tension = 0; /* it would draw particles off the lattice */
    kin_sph_def def = tank_def(0.01, &block, 1);
    def.phases.data = &slack;
    def.phases.count = 1;
    def.sinks.data = sinks;
    def.sinks.count = 3;
    kin_system_id id = tank_create(t, world, &def);
    EQUAL(t, kin_sph_state(world, id).count, 1000);
    test_steps(t, world, 1);
    /* 3 of 10 layers along x at -0.09, -0.07, -0.05 (the edge counts, but floats decide it): 2 or 3; one layer along y; one in the corner. */
    size_t left = kin_sph_state(world, id).count;
    CHECK(t, left == 8 * 90 - 1 || left == 7 * 90 - 1);
    EQUAL(t, tank_measure(t, world, "died"), 1000.0 - (double)left);
    kin_world_destroy(world);
}

/* All of it goes, and the world goes on. */
static void a_tank_may_run_dry(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, 0, 0));
    kin_sph_block block = tank_box(kin_v(0, 0, 0), kin_v(0.1, 0.1, 0.1));
    kin_sph_sink sink = {.region = {.kind = KIN_REGION_SPHERE, .radius = 1}};
    kin_sph_def def = tank_def(0.01, &block, 1);
    def.sinks.data = &sink;
    def.sinks.count = 1;
    kin_system_id id = tank_create(t, world, &def);
    test_steps(t, world, 3);
    EQUAL(t, kin_sph_state(world, id).count, 0);
    EQUAL(t, tank_measure(t, world, "mass"), 0);
    kin_world_destroy(world);
}

static void an_empty_tank_runs(test* t)
{
    kin_world* world = test_world(t, 0.01, kin_v(0, -9.81, 0));
    kin_sph_def def = kin_sph_def_default();
    def.radius = 0.01;
    tank_create(t, world, &def);
    test_steps(t, world, 3);
    const kin_frame* frame;
    CHECK(t, kin_world_capture(world, 0, 1.0 / 60, &frame, NULL) == KIN_OK);
    kin_world_destroy(world);
}

static void what_leaves_the_world_ends(test* t)
{
    kin_world* world;
    kin_world_def world_def = kin_world_def_default();
    world_def.allocator = t->allocator;
    world_def.gravity = kin_v(0, 0, 0);
    world_def.time_step = 0.01;
    world_def.bounds = KIN_BOUNDS_DEACTIVATE;
    world_def.bounds_low = kin_v(-1, -1, -1), world_def.bounds_high = kin_v(1, 1, 1);
    CHECK(t, kin_world_create(&world_def, &world, NULL) == KIN_OK);
    kin_sph_block blocks[2] = {tank_box(kin_v(0, 0, 0), kin_v(0.1, 0.1, 0.1)), tank_box(kin_v(0.9, 0, 0), kin_v(0.1, 0.1, 0.1))};
    blocks[1].velocity.x = 10;
    kin_sph_def def = tank_def(0.01, blocks, 2);
    kin_system_id id = tank_create(t, world, &def);
    EQUAL(t, kin_sph_state(world, id).count, 250);
    test_steps(t, world, 4);
    EQUAL(t, kin_sph_state(world, id).count, 125);
    kin_world_destroy(world);
}

TEST_MAIN("sph inflows", TEST(layers_come_at_their_rate), TEST(what_comes_out_is_held_to_the_opening), TEST(openings_open_and_close),
          TEST(limits_are_kept_and_told), TEST(openings_move_with_colliders), TEST(wrong_openings_are_named), TEST(sinks_take_what_is_in_them),
          TEST(a_tank_may_run_dry), TEST(an_empty_tank_runs), TEST(what_leaves_the_world_ends))
