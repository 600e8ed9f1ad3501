/* joints_test.c - blocks of all kinds of joints: what they hold, their limits, motors, springs and friction against closed forms; loops and branches. */
#include "block.h"

static kin_quat turn_z(double angle) { return kin_quat_axis_angle(kin_v(0, 0, 1), angle); }

/* The worst of what holds, m or rad, as joint.h measures it. */
static double hold_error(const scene* s)
{
    double worst = 0;
    for (uint32_t i = 0; i < s->joints; ++i) {
        const kin_joint* j = &s->joint[i];
        kin_joint_row rows[KIN_JOINT_ROWS];
        int n = kin_joint_rows(j, j->a == WORLD ? NULL : &s->body[j->a], j->b == WORLD ? NULL : &s->body[j->b], 0, rows);
        for (int k = 0; k < n; ++k) {
            if (rows[k].kind == KIN_ROW_HOLD) worst = kin_max(worst, kin_abs(rows[k].error));
        }
    }
    return worst;
}

/* ---- graphs ---- */

/* 60 kN m across the hinges of a chain that swings with 1000 kg: they give way by rounding only, and the swing is as with balls. */
static void hinge_chain_bears_a_side_load(test* t)
{
    scene s;
    scene_init(&s, t);
    for (int i = 0; i < LINKS; ++i) scene_box(&s, 1, kin_v(1, 0.2, 0.2), kin_v(i + 0.5, 30, 0), kin_quat_identity());
    scene_ball(&s, 1000, 0.5, kin_v(20.5, 30, 0));
    for (uint32_t i = 0; i <= LINKS; ++i) scene_hinge(&s, i ? i - 1 : WORLD, i, kin_v(i, 30, 0), kin_v(0, 0, 1));
    s.torque[BALL] = kin_v(0, 60000, 0);
    scene_build(&s);
    double least = scene_energy(&s);
    for (int i = 0; i < 300; ++i) {
        scene_step(&s);
        CHECK(t, scene_energy(&s) <= least + 1e-6);
        least = kin_min(least, scene_energy(&s));
        CHECK(t, scene_error(&s) < 1e-5);
        kin_vec3 axis = kin_rotate(s.body[BALL].orientation, kin_v(0, 0, 1));
        NEAR3(t, axis, kin_v(0, 0, 1), 1e-10);
    }
    kin_vec3 force, torque;
    kin_joint_tree_joint_load(s.tree, BALL, &force, &torque);
    NEAR(t, torque.y, -60000, 10); /* the hinge holds against it; 20 lighter ones share the turning */
    scene_term(&s);
}

/* Four hinges in a plane hold 20 rows, three of which say what others say. The coupler of a parallelogram keeps its direction. */
static void four_bar_stays_closed(test* t)
{
    scene s;
    scene_init(&s, t);
    kin_quat up = turn_z(KIN_PI / 2);
    kin_vec3 z = {0, 0, 1};
    scene_box(&s, 1, kin_v(1, 0.1, 0.1), kin_v(0, 0.5, 0), up);
    scene_box(&s, 1, kin_v(2, 0.1, 0.1), kin_v(1, 1, 0), kin_quat_identity());
    scene_box(&s, 1, kin_v(1, 0.1, 0.1), kin_v(2, 0.5, 0), up);
    scene_hinge(&s, WORLD, 0, kin_v(0, 0, 0), z);
    scene_hinge(&s, 0, 1, kin_v(0, 1, 0), z);
    scene_hinge(&s, 1, 2, kin_v(2, 1, 0), z);
    scene_hinge(&s, 2, WORLD, kin_v(2, 0, 0), z);
    scene_build(&s);
    s.body[1].velocity = kin_v(1, 0, 0);
    scene_step(&s);
    double start = scene_energy(&s), least = start, lowest = 1;
    for (int i = 0; i < 600; ++i) {
        scene_step(&s);
        CHECK(t, scene_energy(&s) <= least + 1e-9);
        least = kin_min(least, scene_energy(&s));
        CHECK(t, hold_error(&s) < 1e-6);
        NEAR3(t, kin_rotate(s.body[1].orientation, kin_v(1, 0, 0)), kin_v(1, 0, 0), 1e-6);
        lowest = kin_min(lowest, s.body[1].position.y);
    }
    CHECK(t, lowest < -0.95); /* it went round */
    CHECK(t, start - least < 0.1 * 9.81 * 4);
    scene_term(&s);
}

/* A mobile: a beam on a thread, at its ends beams again, masses below. In balance it stays; the joints bear what hangs from them. */
static void branching_mobile_is_in_balance(test* t)
{
    scene s;
    scene_init(&s, t);
    kin_quat flat = kin_quat_identity();
    scene_box(&s, 1, kin_v(4, 0.1, 0.1), kin_v(0, 10, 0), flat);
    for (int side = 0; side < 2; ++side) scene_box(&s, 1, kin_v(2, 0.1, 0.1), kin_v(side ? 2 : -2, 9, 0), flat);
    for (int i = 0; i < 4; ++i) scene_ball(&s, 500, 0.2, kin_v(i - 3 + (i > 1) * 2 + (i % 2), 8, 0));
    scene_ball_joint(&s, WORLD, 0, kin_v(0, 10.5, 0));
    for (uint32_t side = 0; side < 2; ++side) scene_ball_joint(&s, 0, 1 + side, kin_v(side ? 2 : -2, 9.5, 0));
    for (uint32_t i = 0; i < 4; ++i) scene_ball_joint(&s, 1 + i / 2, 3 + i, kin_v(s.body[3 + i].position.x, 8.5, 0));
    scene_build(&s);
    for (int i = 0; i < 120; ++i) scene_step(&s);
    kin_vec3 force, torque;
    kin_joint_tree_joint_load(s.tree, 0, &force, &torque);
    NEAR3(t, force, kin_v(0, 2003 * 9.81, 0), 1e-3);
    kin_joint_tree_joint_load(s.tree, 2, &force, &torque);
    NEAR3(t, force, kin_v(0, 1001 * 9.81, 0), 1e-3);
    NEAR3(t, s.body[0].position, kin_v(0, 10, 0), 1e-6);
    s.body[6].velocity = kin_v(0.3, 0, 1); /* and struck it swings without gain */
    scene_step(&s);
    double least = scene_energy(&s);
    for (int i = 0; i < 300; ++i) {
        scene_step(&s);
        CHECK(t, scene_energy(&s) <= least + 1e-6);
        least = kin_min(least, scene_energy(&s));
    }
    CHECK(t, scene_error(&s) < 1e-5);
    scene_term(&s);
}

/* Every kind that holds something, between two links of a pendulum that swings freely. */
static void every_kind_holds(test* t)
{
    for (int kind = 0; kind < KIN_JOINT_KIND_COUNT; ++kind) {
        if (kind == KIN_JOINT_ROPE || kind == KIN_JOINT_MOUSE) continue; /* they hold nothing at rest: below */
        scene s;
        scene_init(&s, t);
        scene_box(&s, 1, kin_v(1, 0.2, 0.2), kin_v(0.5, 0, 0), kin_quat_identity());
        scene_box(&s, 50, kin_v(1, 0.3, 0.2), kin_v(1.5, 0, 0), kin_quat_identity());
        scene_hinge(&s, WORLD, 0, kin_v(0, 0, 0), kin_v(0, 0, 1));
        kin_joint_def def = {.kind = (kin_joint_kind)kind, .anchor = {1, 0, 0}, .axis = {0.6, 0.8, 0}, .axis_b = {0, 0, 1}, .ratio = 2};
        if (kind == KIN_JOINT_DISTANCE || kind == KIN_JOINT_PULLEY) def.has_anchor_b = true, def.anchor_b = kin_v(1.4, 0.1, 0);
        if (kind == KIN_JOINT_PULLEY) def.ground_a = kin_v(0.5, 4, 0), def.ground_b = kin_v(2, 4, 0);
        if (kind == KIN_JOINT_WHEEL) def.axis = kin_v(0, 1, 0);
        scene_joint(&s, def, 0, 1);
        if (kind == KIN_JOINT_GEAR) scene_hinge(&s, WORLD, 1, kin_v(1.5, 0, 0), kin_v(0, 0, 1)), s.joint[1].def.axis = kin_v(0, 0, 1);
        scene_build(&s);
        double start = scene_energy(&s), least = start, rise = 0, error = 0;
        for (int i = 0; i < 120; ++i) {
            scene_step(&s);
            rise = kin_max(rise, scene_energy(&s) - least);
            least = kin_min(least, scene_energy(&s));
            error = kin_max(error, hold_error(&s));
        }
        test_check(t, error < 2e-4, __FILE__, __LINE__, "kind %d: error %g", kind, error);
        test_check(t, rise < 1e-6 * 51 * 9.81, __FILE__, __LINE__, "kind %d: energy rose by %g", kind, rise);
        scene_term(&s);
    }
}

/* Atwood's machine: (m2 - m1) g / (m1 + m2). */
static void pulley_falls_as_atwood_says(test* t)
{
    scene s;
    scene_init(&s, t);
    scene_ball(&s, 1, 0.1, kin_v(-1, 0, 0));
    scene_ball(&s, 3, 0.1, kin_v(1, 0, 0));
    scene_joint(&s,
                (kin_joint_def){.kind = KIN_JOINT_PULLEY,
                                .anchor = {-1, 0, 0},
                                .anchor_b = {1, 0, 0},
                                .has_anchor_b = true,
                                .ground_a = {-1, 5, 0},
                                .ground_b = {1, 5, 0},
                                .ratio = 1},
                0, 1);
    scene_build(&s);
    for (int i = 0; i < 30; ++i) scene_step(&s);
    NEAR(t, s.body[1].velocity.y, -9.81 / 2 * 0.5, 1e-3);
    NEAR(t, s.body[0].position.y + s.body[1].position.y, 0, 1e-6);
    scene_term(&s);
}

/* Two wheels on axles, one driven: turned by the ratio, the other way. */
static void gear_turns_the_other(test* t)
{
    scene s;
    scene_init(&s, t);
    s.gravity = kin_v(0, 0, 0);
    kin_vec3 z = {0, 0, 1};
    scene_box(&s, 1, kin_v(1, 1, 0.1), kin_v(0, 0, 0), kin_quat_identity());
    scene_box(&s, 1, kin_v(1, 1, 0.1), kin_v(2, 0, 0), kin_quat_identity());
    kin_joint* drive = scene_hinge(&s, WORLD, 0, kin_v(0, 0, 0), z);
    drive->def.freedom[0] = (kin_joint_freedom){.motor = true, .speed = 6, .most = 100};
    scene_hinge(&s, WORLD, 1, kin_v(2, 0, 0), z);
    scene_joint(&s, (kin_joint_def){.kind = KIN_JOINT_GEAR, .anchor = {0, 0, 0}, .axis = z, .axis_b = z, .ratio = 3}, 0, 1);
    scene_build(&s);
    for (int i = 0; i < 120; ++i) scene_step(&s); /* many turns: angles are followed */
    NEAR(t, s.body[0].spin.z, 6, 1e-6);
    NEAR(t, s.body[1].spin.z, -2, 1e-6);
    CHECK(t, hold_error(&s) < 1e-4);
    scene_term(&s);
}

/* ---- freedoms ---- */

static uint32_t plank(scene* s, kin_vec3 at) { return scene_box(s, 2, kin_v(1, 0.5, 0.5), at, kin_quat_identity()); }

static kin_joint* slider(scene* s, uint32_t b) { return scene_joint(s, (kin_joint_def){.kind = KIN_JOINT_SLIDER, .axis = {1, 0, 0}}, WORLD, b); }

static void motor_accelerates_as_its_torque_allows(test* t)
{
    scene s;
    scene_init(&s, t);
    s.gravity = kin_v(0, 0, 0);
    plank(&s, kin_v(0, 0, 0));
    kin_joint* j = scene_hinge(&s, WORLD, 0, kin_v(0, 0, 0), kin_v(0, 0, 1));
    j->def.freedom[0] = (kin_joint_freedom){.motor = true, .speed = 5, .most = 2};
    scene_build(&s);
    for (int i = 0; i < 60; ++i) {
        scene_step(&s);
        NEAR(t, s.body[0].spin.z, kin_min(5, 2 / s.body[0].moments.z * (i + 1) * s.frame), 1e-9); /* most / I, until it is fast enough */
    }
    scene_term(&s);
}

static void friction_stops_it_in_time(test* t)
{
    scene s;
    scene_init(&s, t);
    s.gravity = kin_v(0, 0, 0);
    plank(&s, kin_v(0, 0, 0));
    slider(&s, 0)->def.freedom[0] = (kin_joint_freedom){.friction = 3};
    scene_build(&s);
    s.body[0].velocity = kin_v(1, 0, 0);
    for (int i = 0; i < 60; ++i) {
        scene_step(&s);
        NEAR(t, s.body[0].velocity.x, kin_max(0, 1 - 1.5 * (i + 1) * s.frame), 1e-9); /* v - f t / m */
    }
    NEAR(t, s.body[0].position.x, 1.0 / 3, 1e-3); /* m v^2 / (2 f), to first order in h */
    scene_term(&s);
}

/* Friction above the pull holds for good; below it lets slip. */
static void friction_holds_a_weight(test* t)
{
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_init(&s, t);
        uint32_t b = scene_box(&s, 2, kin_v(1, 0.5, 0.5), kin_v(0, 0, 0), kin_quat_identity());
        kin_joint* j = scene_joint(&s, (kin_joint_def){.kind = KIN_JOINT_SLIDER, .axis = {0, 1, 0}}, WORLD, b);
        j->def.freedom[0].friction = k ? 15 : 25;
        scene_build(&s);
        for (int i = 0; i < 60; ++i) scene_step(&s);
        if (k == 0) NEAR(t, s.body[0].position.y, 0, 1e-9);
        NEAR(t, s.body[0].velocity.y, k ? -(9.81 - 7.5) : 0, 1e-9);
        scene_term(&s);
    }
}

static void limit_stops_and_bears(test* t)
{
    scene s;
    scene_init(&s, t);
    scene_box(&s, 2, kin_v(1, 0.2, 0.2), kin_v(0.5, 0, 0), kin_quat_identity());
    kin_joint* j = scene_hinge(&s, WORLD, 0, kin_v(0, 0, 0), kin_v(0, 0, 1));
    j->def.freedom[0] = (kin_joint_freedom){.limited = true, .low = -0.5, .high = 0.5};
    scene_build(&s);
    for (int i = 0; i < 90; ++i) {
        scene_step(&s);
        CHECK(t, kin_joint_position(j, NULL, &s.body[0], 0) > -0.5 - 1e-6);
    }
    NEAR(t, kin_joint_position(j, NULL, &s.body[0], 0), -0.5, 1e-6);
    NEAR(t, s.body[0].spin.z, 0, 1e-9);
    kin_vec3 force, torque;
    kin_joint_tree_joint_load(s.tree, 0, &force, &torque);
    NEAR3(t, force, kin_v(0, 2 * 9.81, 0), 1e-6);
    NEAR(t, torque.z, 2 * 9.81 * 0.5 * kin_cos(0.5), 1e-6);
    scene_term(&s);
}

/* A ladder of links, each limited against the last, let down on its limits by a heavy end: a cantilever of stops. */
static void limits_of_a_loaded_chain_hold(test* t)
{
    scene s;
    scene_init(&s, t);
    for (int i = 0; i < 8; ++i) scene_box(&s, 1, kin_v(1, 0.2, 0.2), kin_v(i + 0.5, 0, 0), kin_quat_identity());
    scene_ball(&s, 1000, 0.5, kin_v(8.5, 0, 0));
    for (uint32_t i = 0; i < 9; ++i) {
        kin_joint* j = scene_hinge(&s, i ? i - 1 : WORLD, i, kin_v(i, 0, 0), kin_v(0, 0, 1));
        j->def.freedom[0] = (kin_joint_freedom){.limited = true, .low = -0.1, .high = 0.1};
    }
    scene_build(&s);
    double least = scene_energy(&s), rise = 0, worst = 0;
    for (int i = 0; i < 300; ++i) {
        scene_step(&s);
        rise = kin_max(rise, scene_energy(&s) - least);
        least = kin_min(least, scene_energy(&s));
        for (uint32_t k = 0; k < 9; ++k) {
            double a = kin_joint_position(&s.joint[k], k ? &s.body[k - 1] : NULL, &s.body[k], 0);
            worst = kin_max(worst, kin_abs(a) - 0.1);
        }
    }
    CHECK(t, worst < 1e-3);
    CHECK(t, rise < 1e-6 * 1000 * 9.81 * 8);
    for (uint32_t k = 0; k < 9; ++k) { /* at rest on all its stops */
        NEAR(t, kin_joint_position(&s.joint[k], k ? &s.body[k - 1] : NULL, &s.body[k], 0), -0.1, 1e-3);
        NEAR(t, kin_length(s.body[k].velocity), 0, 1e-3);
    }
    scene_term(&s);
}

static void spring_swings_at_its_frequency(test* t)
{
    scene s;
    scene_init(&s, t);
    s.gravity = kin_v(0, 0, 0);
    plank(&s, kin_v(0, 0, 0));
    slider(&s, 0)->def.freedom[0] = (kin_joint_freedom){.stiffness = 50, .rest = 0.1};
    scene_build(&s);
    for (int i = 0; i < 60; ++i) {
        scene_step(&s);
        NEAR(t, s.body[0].position.x, 0.1 - 0.1 * kin_cos(5 * (i + 1) * s.frame), 3e-4); /* theta 0.51: loses 2 % a second */
    }
    scene_term(&s);
}

/* Far stiffer than the step can follow: it goes to its rest and stays. */
static void stiff_spring_rests(test* t)
{
    scene s;
    scene_init(&s, t);
    plank(&s, kin_v(0, 0, 0));
    slider(&s, 0)->def.freedom[0] = (kin_joint_freedom){.stiffness = 1e9, .rest = 0.1};
    scene_build(&s);
    for (int i = 0; i < 60; ++i) scene_step(&s);
    NEAR(t, s.body[0].position.x, 0.1, 1e-6);
    NEAR(t, s.body[0].velocity.x, 0, 1e-6);
    scene_term(&s);
}

static void damper_slows_exponentially(test* t)
{
    scene s;
    scene_init(&s, t);
    s.gravity = kin_v(0, 0, 0);
    plank(&s, kin_v(0, 0, 0));
    slider(&s, 0)->def.freedom[0] = (kin_joint_freedom){.damping = 4};
    scene_build(&s);
    s.body[0].velocity = kin_v(1, 0, 0);
    for (int i = 0; i < 60; ++i) scene_step(&s);
    NEAR(t, s.body[0].velocity.x, kin_exp(-2), 1e-3); /* exp(-c t / m) */
    scene_term(&s);
}

/* Slack it falls freely; taut it holds, and what it bears is the weight. */
static void rope_holds_when_taut(test* t)
{
    scene s;
    scene_init(&s, t);
    scene_ball(&s, 5, 0.1, kin_v(0, 0, 0));
    scene_joint(&s, (kin_joint_def){.kind = KIN_JOINT_ROPE, .anchor = {0, 0, 0}, .anchor_b = {0, 0, 0}, .has_anchor_b = true, .length = 1}, WORLD, 0);
    scene_build(&s);
    for (int i = 0; i < 15; ++i) scene_step(&s);
    NEAR(t, s.body[0].velocity.y, -9.81 / 4, 1e-9);
    for (int i = 0; i < 100; ++i) {
        scene_step(&s);
        CHECK(t, s.body[0].position.y > -1 - 1e-5);
    }
    NEAR(t, s.body[0].position.y, -1, 1e-5);
    kin_vec3 force, torque;
    kin_joint_tree_joint_load(s.tree, 0, &force, &torque);
    NEAR3(t, force, kin_v(0, 5 * 9.81, 0), 1e-6);
    scene_term(&s);
}

/* It pulls a chain's end with no more than its force. */
static void mouse_pulls_with_limited_force(test* t)
{
    scene s;
    scene_init(&s, t);
    s.gravity = kin_v(0, 0, 0);
    scene_ball(&s, 4, 0.1, kin_v(0, 0, 0));
    kin_joint_def def = {.kind = KIN_JOINT_MOUSE, .anchor = {0, 0, 0}, .target = {100, 0, 0}};
    def.freedom[0] = (kin_joint_freedom){.stiffness = 1000, .damping = 10, .most = 8};
    scene_joint(&s, def, 0, WORLD);
    scene_build(&s);
    for (int i = 0; i < 60; ++i) scene_step(&s);
    NEAR(t, s.body[0].velocity.x, 2, 1e-6); /* most / m t */
    scene_term(&s);
}

/* A ball joint whose swing is limited to a cone: the pendulum comes to rest on its rim. */
static void cone_bears_a_pendulum(test* t)
{
    scene s;
    scene_init(&s, t);
    scene_box(&s, 2, kin_v(1, 0.2, 0.2), kin_v(0.5, 0, 0), kin_quat_identity());
    kin_joint* j = scene_ball_joint(&s, WORLD, 0, kin_v(0, 0, 0));
    j->def.freedom[0] = (kin_joint_freedom){.limited = true, .low = 0, .high = 0.6, .friction = 0.5};
    scene_build(&s);
    for (int i = 0; i < 120; ++i) scene_step(&s);
    kin_vec3 x = kin_rotate(s.body[0].orientation, kin_v(1, 0, 0));
    NEAR(t, x.x, kin_cos(0.6), 1e-4);
    NEAR(t, x.y, -kin_sin(0.6), 1e-4);
    CHECK(t, kin_length(s.body[0].spin) < 1e-6);
    scene_term(&s);
}

/* Freedoms are live: a motor put on between steps is felt. */
static void freedoms_change_between_steps(test* t)
{
    scene s;
    scene_init(&s, t);
    s.gravity = kin_v(0, 0, 0);
    plank(&s, kin_v(0, 0, 0));
    kin_joint* j = slider(&s, 0);
    scene_build(&s);
    for (int i = 0; i < 5; ++i) scene_step(&s);
    NEAR(t, s.body[0].velocity.x, 0, 0);
    j->def.freedom[0] = (kin_joint_freedom){.motor = true, .speed = -1, .most = 1e6};
    scene_step(&s);
    NEAR(t, s.body[0].velocity.x, -1, 1e-9);
    scene_term(&s);
}

TEST_MAIN("contact_tree_joints", TEST(hinge_chain_bears_a_side_load), TEST(four_bar_stays_closed), TEST(branching_mobile_is_in_balance), TEST(every_kind_holds),
          TEST(pulley_falls_as_atwood_says), TEST(gear_turns_the_other), TEST(motor_accelerates_as_its_torque_allows), TEST(friction_stops_it_in_time),
          TEST(friction_holds_a_weight), TEST(limit_stops_and_bears), TEST(limits_of_a_loaded_chain_hold), TEST(spring_swings_at_its_frequency),
          TEST(stiff_spring_rests), TEST(damper_slows_exponentially), TEST(rope_holds_when_taut), TEST(mouse_pulls_with_limited_force),
          TEST(cone_bears_a_pendulum), TEST(freedoms_change_between_steps))
