/* motors_test.c - motors whose speed is a curve over time: the turn or slide is its integral, whatever the steps; state, sleep and refusals. */
#include "bodies.h"
#include "system/curve.h"
#include <math.h>

#define MOST 1e5 /* N or N m */

static const kin_rigid_mode modes[] = {KIN_RIGID_REALTIME, KIN_RIGID_EXACT};
static const kin_curve_key up_and_back[] = {{0.25, {0}}, {0.75, {4}}, {1.5, {-2}}, {2, {0}}};
static const kin_curve_key late[] = {{2, {0}}, {2.1, {1}}, {2.6, {1}}, {2.7, {0}}};

typedef struct machine {
    kin_world* world;
    kin_system_id system;
    uint32_t body, joint;
} machine;

static kin_joint_def motor_of(kin_joint_kind kind, uint32_t body, kin_curve speeds)
{
    kin_joint_def joint = kin_joint_def_default();
    joint.kind = kind;
    joint.a = -1;
    joint.b = (int)body;
    joint.axis = (kin_vec3){0, 1, 0};
    joint.freedom[0] = (kin_joint_freedom){.motor = true, .speeds = speeds, .most = MOST};
    return joint;
}

/* A wheel of 1 kg on a hinge, or a slide, without gravity. */
static machine built(test* t, kin_rigid_mode mode, double step, kin_joint_kind kind, kin_curve speeds, bool sleeps)
{
    machine m = {.world = test_world(t, step, (kin_vec3){0, 0, 0})};
    kin_rigid_def def = kin_rigid_def_default();
    kin_body_def body = kin_body_def_default();
    def.mode = mode;
    def.sleep = sleeps;
    CHECK(t, kin_rigid_create(m.world, &def, &m.system, NULL) == KIN_OK);
    body.shape = box_of(1, 0.2, 0.5);
    body.mass = 1;
    m.body = add_body(t, m.world, m.system, &body);
    kin_joint_def joint = motor_of(kind, m.body, speeds);
    CHECK(t, kin_rigid_add_joint(m.world, m.system, &joint, &m.joint, NULL) == KIN_OK);
    return m;
}

static double value(const machine* m) { return kin_joint_value(m->world, m->system, m->joint, 0); }
static bool is_awake(const machine* m) { return kin_rigid_state(m->world, m->system, m->body).awake; }

/* Each interval adds the mean speed over it times its length. Real time keeps speeds in floats: 1e-7 of up to 4 rad/s over 2.3 s. In exact mode a motor of torque T
 * gets to a speed that differs by s late by s I / T, and is behind by half of that times s; a difference below the slip speed goes at the rate of intervals. */
static double behind(kin_rigid_mode mode, kin_joint_kind kind, const kin_curve* speeds, double h, int steps)
{
    const double inertia = kind == KIN_JOINT_HINGE ? (1 + 0.25) / 12 : 1, slow = kin_rigid_def_default().slip_speed;
    double before = 0, sum = 1e-6;
    for (int i = 0; i < steps && mode == KIN_RIGID_EXACT; ++i) {
        const double now = kin_curve_integral(speeds, i * h, (i + 1) * h, 0) / h, jump = kin_abs(now - before);
        sum += jump > slow ? jump * jump * inertia / (2 * MOST) : jump * h;
        before = now;
    }
    return sum;
}

static void turns_are_the_integral(test* t)
{
    static const double steps[] = {1.0 / 24, 1.0 / 60, 1.0 / 240, 0.013};
    static const kin_curve_mode between[] = {KIN_CURVE_LINEAR, KIN_CURVE_STEP, KIN_CURVE_SMOOTH};
    static const kin_joint_kind kinds[] = {KIN_JOINT_HINGE, KIN_JOINT_SLIDER};
    for (int i = 0; i < 2 * 4 * 3 * 2; ++i) {
        const double h = steps[i / 2 % 4];
        const kin_curve speeds = {up_and_back, 4, between[i / 8 % 3]};
        machine m = built(t, modes[i % 2], h, kinds[i / 24], speeds, false);
        const int parts[] = {(int)(0.8 / h), (int)(2.3 / h)};
        for (int k = 0, done = 0; k < 2; done = parts[k++]) {
            test_steps(t, m.world, parts[k] - done);
            const double want = kin_curve_integral(&speeds, 0, parts[k] * h, 0);
            NEAR(t, value(&m), want, behind(modes[i % 2], kinds[i / 24], &speeds, h, parts[k]));
        }
        kin_world_destroy(m.world);
    }
}

/* One number is a curve of one key, and what a motor without a curve does. */
static void one_key_is_a_number(test* t)
{
    static const kin_curve_key one[] = {{0, {1.5}}};
    for (int i = 0; i < 2; ++i) {
        machine a = built(t, modes[i], 1.0 / 60, KIN_JOINT_HINGE, (kin_curve){one, 1, KIN_CURVE_LINEAR}, false);
        machine b = built(t, modes[i], 1.0 / 60, KIN_JOINT_HINGE, (kin_curve){0}, false);
        kin_joint_freedom freedom[2] = {{.motor = true, .speed = 1.5, .most = MOST}};
        CHECK(t, kin_joint_set(b.world, b.system, b.joint, freedom, (kin_vec3){0, 0, 0}, NULL) == KIN_OK);
        test_steps(t, a.world, 60);
        test_steps(t, b.world, 60);
        CHECK(t, value(&a) == value(&b) && value(&a) > 1);
        kin_world_destroy(a.world);
        kin_world_destroy(b.world);
    }
}

/* Restored into a fresh world after every step it goes the same way; a clone keeps its motors without the world it came from. */
static void state_is_whole(test* t)
{
    const kin_curve speeds = {up_and_back, 4, KIN_CURVE_SMOOTH};
    for (int i = 0; i < 2; ++i) {
        machine straight = built(t, modes[i], 1.0 / 60, KIN_JOINT_HINGE, speeds, true), hopping = built(t, modes[i], 1.0 / 60, KIN_JOINT_HINGE, speeds, true);
        for (int k = 0; k < 130; ++k) {
            kin_snapshot snapshot = {0};
            test_steps(t, straight.world, 1);
            test_steps(t, hopping.world, 1);
            CHECK(t, kin_world_snapshot(hopping.world, &snapshot, NULL) == KIN_OK);
            kin_world_destroy(hopping.world);
            hopping = built(t, modes[i], 1.0 / 60, KIN_JOINT_HINGE, speeds, true);
            CHECK(t, kin_world_restore(hopping.world, &snapshot, NULL) == KIN_OK);
            kin_snapshot_free(&snapshot);
            CHECK(t, kin_world_state_hash(straight.world) == kin_world_state_hash(hopping.world));
        }
        kin_world_destroy(hopping.world);
        machine first = built(t, modes[i], 1.0 / 60, KIN_JOINT_HINGE, speeds, true);
        test_steps(t, first.world, 30);
        machine second = first;
        CHECK(t, kin_world_clone(first.world, &second.world, NULL) == KIN_OK);
        kin_world_destroy(first.world);
        test_steps(t, second.world, 100);
        CHECK(t, value(&second) == value(&straight));
        kin_world_destroy(straight.world);
        kin_world_destroy(second.world);
    }
}

/* Nothing runs, so it sleeps; the curve wakes it; when the curve has ended it sleeps again. */
static void a_late_start_wakes(test* t)
{
    for (int i = 0; i < 2; ++i) {
        machine m = built(t, modes[i], 1.0 / 60, KIN_JOINT_HINGE, (kin_curve){late, 4, KIN_CURVE_LINEAR}, true);
        test_steps(t, m.world, 115);
        CHECK(t, !is_awake(&m));
        test_steps(t, m.world, 20);
        CHECK(t, is_awake(&m));
        test_steps(t, m.world, 165);
        NEAR(t, value(&m), 0.6, behind(modes[i], KIN_JOINT_HINGE, &(kin_curve){late, 4, KIN_CURVE_LINEAR}, 1.0 / 60, 300));
        CHECK(t, !is_awake(&m));
        kin_world_destroy(m.world);
    }
}

/* A motor that is too weak falls behind its curve: with 0.5 N m on a moment I the speed cannot exceed t / (2 I). */
static void weak_motors_fall_behind(test* t)
{
    static const kin_curve_key fast[] = {{0, {100}}};
    for (int i = 0; i < 2; ++i) {
        machine m = built(t, modes[i], 1.0 / 60, KIN_JOINT_HINGE, (kin_curve){fast, 1, KIN_CURVE_LINEAR}, false);
        kin_joint_freedom freedom[2] = {{.motor = true, .speed = 100, .most = 0.5}};
        CHECK(t, kin_joint_set(m.world, m.system, m.joint, freedom, (kin_vec3){0, 0, 0}, NULL) == KIN_OK);
        test_steps(t, m.world, 60);
        const kin_body_state s = kin_rigid_state(m.world, m.system, m.body);
        NEAR(t, s.spin.y, 0.5 / ((1 + 0.25) / 12), 1e-4 * s.spin.y);
        kin_world_destroy(m.world);
    }
}

static void joints_may_go(test* t)
{
    for (int i = 0; i < 2; ++i) {
        machine m = built(t, modes[i], 1.0 / 60, KIN_JOINT_HINGE, (kin_curve){up_and_back, 4, KIN_CURVE_LINEAR}, false);
        test_steps(t, m.world, 30);
        kin_rigid_remove_joint(m.world, m.system, m.joint);
        const double spin = kin_rigid_state(m.world, m.system, m.body).spin.y;
        test_steps(t, m.world, 30);
        NEAR(t, kin_rigid_state(m.world, m.system, m.body).spin.y, spin, 1e-6);
        kin_rigid_remove_body(m.world, m.system, m.body);
        test_steps(t, m.world, 5);
        kin_world_destroy(m.world);
    }
}

static void refuse(test* t, kin_curve speeds, const char* where, const char* words)
{
    machine m = built(t, KIN_RIGID_REALTIME, 1.0 / 60, KIN_JOINT_HINGE, (kin_curve){0}, false);
    kin_joint_def joint = motor_of(KIN_JOINT_HINGE, m.body, speeds);
    kin_error error = {0};
    uint32_t number;
    CHECK(t, kin_rigid_add_joint(m.world, m.system, &joint, &number, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.where, where);
    HAS(t, error.message, words);
    test_steps(t, m.world, 2);
    kin_world_destroy(m.world);
}

static void bad_curves_are_refused(test* t)
{
    static const kin_curve_key back[] = {{1, {0}}, {0.5, {1}}}, twice[] = {{1, {0}}, {1, {1}}}, wild[] = {{0, {0}}, {1, {NAN}}}, never[] = {{INFINITY, {1}}};
    refuse(t, (kin_curve){back, 2, KIN_CURVE_LINEAR}, "speeds[1]", "keys must rise in time");
    refuse(t, (kin_curve){twice, 2, KIN_CURVE_LINEAR}, "speeds[1]", "keys must rise in time");
    refuse(t, (kin_curve){wild, 2, KIN_CURVE_LINEAR}, "speeds[1]", "the speed must be finite");
    refuse(t, (kin_curve){never, 1, KIN_CURVE_LINEAR}, "speeds[0]", "keys must rise in time");
    refuse(t, (kin_curve){back, 1, (kin_curve_mode)7}, "speeds[0]", "is of an unknown mode");
}

/* A curve is given when the joint is made; all else may be set, with the speed as it is. */
static void setting_keeps_the_curve(test* t)
{
    machine m = built(t, KIN_RIGID_REALTIME, 1.0 / 60, KIN_JOINT_HINGE, (kin_curve){up_and_back, 4, KIN_CURVE_LINEAR}, false);
    kin_joint_freedom freedom[2] = {{.motor = true, .speed = 3, .most = 10}};
    kin_error error = {0};
    CHECK(t, kin_joint_set(m.world, m.system, m.joint, freedom, (kin_vec3){0, 0, 0}, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "follows the curve");
    freedom[0].speed = 0; /* its first */
    freedom[0].speeds = (kin_curve){late, 4, KIN_CURVE_LINEAR};
    CHECK(t, kin_joint_set(m.world, m.system, m.joint, freedom, (kin_vec3){0, 0, 0}, &error) == KIN_ERROR_ARGUMENT);
    freedom[0].speeds = (kin_curve){0};
    freedom[0].most = 1e4;
    CHECK(t, kin_joint_set(m.world, m.system, m.joint, freedom, (kin_vec3){0, 0, 0}, &error) == KIN_OK);
    test_steps(t, m.world, 138);
    NEAR(t, value(&m), 1.25, 1e-6);
    kin_world_destroy(m.world);
}

TEST_MAIN("domains/rigid/motors", TEST(turns_are_the_integral), TEST(one_key_is_a_number), TEST(state_is_whole), TEST(a_late_start_wakes),
          TEST(weak_motors_fall_behind), TEST(joints_may_go), TEST(bad_curves_are_refused), TEST(setting_keeps_the_curve))
