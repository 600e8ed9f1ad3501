/* modes_test.c - real-time and exact bodies in one world: they meet, carry each other, and nothing is lost between them. */
#include "kinema/rigid.h"
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"
#include <string.h>

#define FLOAT_EPS 0x1p-23 /* real time keeps velocities as floats: what a step may round away */
#define DT (1.0 / 60)

typedef struct yard {
    test* t;
    kin_world* world;
    kin_system_id systems[2]; /* by kin_rigid_mode */
    kin_material_id material;
} yard;

static yard open_yard(test* t, kin_vec3 gravity, double restitution, double friction)
{
    yard y = {.t = t};
    y.world = test_world(t, DT, gravity);
    y.material = test_material(t, y.world, "stuff", restitution, friction);
    for (int mode = 0; mode < 2; ++mode) {
        kin_rigid_def rigid = kin_rigid_def_default();
        rigid.mode = (kin_rigid_mode)mode;
        rigid.name = mode == 0 ? "fast" : "true";
        CHECK(t, kin_rigid_create(y.world, &rigid, &y.systems[mode], NULL) == KIN_OK);
    }
    return y;
}

static void add_ground(yard* y) { test_plane(y->t, y->world, kin_v(0, 0, 0), kin_v(0, 1, 0), y->material); }

static uint32_t add_body(yard* y, int mode, kin_shape shape, double mass, kin_vec3 position, kin_vec3 velocity)
{
    return test_plain_body(y->t, y->world, y->systems[mode], y->material, shape, mass, position, velocity);
}

static kin_shape cube(double size) { return (kin_shape){.kind = KIN_SHAPE_BOX, .size = {size, size, size}}; }
static kin_shape ball(double radius) { return (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = radius}; }
static kin_body_state state_of(const yard* y, int mode, uint32_t body) { return kin_rigid_state(y->world, y->systems[mode], body); }

/* One on the other on the ground: there it stays, whichever is below. */
static void a_box_rests_on_one_of_the_other_mode(test* t)
{
    for (int below = 0; below < 2; ++below) {
        yard y = open_yard(t, kin_v(0, -9.81, 0), 0, 0.5);
        add_ground(&y);
        uint32_t low = add_body(&y, below, cube(1), 2, kin_v(0, 0.5, 0), kin_v(0, 0, 0));
        uint32_t high = add_body(&y, 1 - below, cube(1), 3, kin_v(0.2, 1.5, 0.1), kin_v(0, 0, 0));
        for (int i = 0; i < 180; ++i) {
            test_steps(t, y.world, 1);
            if (!NEAR3(t, state_of(&y, 1 - below, high).pose.position, kin_v(0.2, 1.5, 0.1), 2e-3)) break;
            if (!NEAR3(t, state_of(&y, below, low).pose.position, kin_v(0, 0.5, 0), 2e-3)) break;
        }
        NEAR3(t, state_of(&y, 1 - below, high).velocity, kin_v(0, 0, 0), 1e-3);
        kin_world_destroy(y.world);
    }
}

/* From 1 m above it comes down on it, and stays there: the landing sinks in by no more than the way of part of a step, and is undone. */
static void a_box_falls_on_one_of_the_other_mode(test* t)
{
    for (int below = 0; below < 2; ++below) {
        yard y = open_yard(t, kin_v(0, -9.81, 0), 0, 0.5);
        add_ground(&y);
        add_body(&y, below, cube(1), 2, kin_v(0, 0.5, 0), kin_v(0, 0, 0));
        uint32_t high = add_body(&y, 1 - below, cube(1), 3, kin_v(0.1, 2.5, 0), kin_v(0, 0, 0));
        double lowest = 3;
        for (int i = 0; i < 180; ++i) {
            test_steps(t, y.world, 1);
            lowest = kin_min(lowest, state_of(&y, 1 - below, high).pose.position.y);
        }
        CHECK(t, lowest > 1.5 - 0.02);
        NEAR(t, state_of(&y, 1 - below, high).pose.position.y, 1.5, 2e-3);
        NEAR3(t, state_of(&y, 1 - below, high).velocity, kin_v(0, 0, 0), 2e-3);
        kin_world_destroy(y.world);
    }
}

static void a_stack_of_both_by_turns_stands(test* t)
{
    enum { HIGH = 6 };
    for (int below = 0; below < 2; ++below) {
        yard y = open_yard(t, kin_v(0, -9.81, 0), 0, 0.5);
        uint32_t box[HIGH];
        add_ground(&y);
        for (int i = 0; i < HIGH; ++i) box[i] = add_body(&y, (below + i) % 2, cube(0.5), 1, kin_v(0.02 * (i % 3), 0.25 + 0.5 * i, 0), kin_v(0, 0, 0));
        test_steps(t, y.world, 300);
        for (int i = 0; i < HIGH; ++i) {
            kin_body_state s = state_of(&y, (below + i) % 2, box[i]);
            NEAR3(t, s.pose.position, kin_v(0.02 * (i % 3), 0.25 + 0.5 * i, 0), 2e-3);
            CHECK(t, kin_length(s.velocity) < 2e-2);
        }
        kin_world_destroy(y.world);
    }
}

/* Hundreds of exact boxes in pairs on one plank of real time, all of which bear on each other through it: none sinks, the last no more than the first. */
static void a_plank_carries_hundreds(test* t)
{
    enum { COLUMNS = 270 };
    yard y = open_yard(t, kin_v(0, -9.81, 0), 0, 0.5);
    add_ground(&y);
    add_body(&y, 0, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.6 * COLUMNS, 0.5, 1}}, 1000, kin_v(0, 0.25, 0), kin_v(0, 0, 0));
    for (int i = 0; i < 2 * COLUMNS; ++i) add_body(&y, 1, cube(0.4), 1, kin_v(0.6 * (i / 2 - 0.5 * (COLUMNS - 1)), 0.7 + 0.4 * (i % 2), 0), kin_v(0, 0, 0));
    test_steps(t, y.world, 10);
    for (int i = 0; i < 2 * COLUMNS; ++i) {
        if (!NEAR(t, state_of(&y, 1, (uint32_t)i).pose.position.y, 0.7 + 0.4 * (i % 2), 2e-3)) break;
    }
    kin_world_destroy(y.world);
}

typedef struct totals {
    kin_vec3 momentum, angular;
    double energy;
} totals;

static totals totals_of(const yard* y)
{
    static const char* const names[6] = {"momentum_x", "momentum_y", "momentum_z", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z"};
    totals sum = {0};
    double* const to[6] = {&sum.momentum.x, &sum.momentum.y, &sum.momentum.z, &sum.angular.x, &sum.angular.y, &sum.angular.z};
    for (int mode = 0; mode < 2; ++mode) {
        kin_measure list[64];
        size_t count = kin_world_measure(y->world, y->systems[mode].index1, list, 64);
        for (size_t i = 0; i < count && i < 64; ++i) {
            if (strcmp(list[i].name, "kinetic_energy") == 0) sum.energy += list[i].value;
            for (int k = 0; k < 6; ++k) {
                if (strcmp(list[i].name, names[k]) == 0) *to[k] += list[i].value;
            }
        }
    }
    return sum;
}

/* Balls head on: the law of two masses, whoever comes. */
static void balls_head_on_part_by_their_masses(test* t)
{
    for (int mode = 0; mode < 2; ++mode) {
        const double m1 = 1, m2 = 2, v = 3, e = 0.8;
        yard y = open_yard(t, kin_v(0, 0, 0), e, 0.3);
        uint32_t a = add_body(&y, mode, ball(0.3), m1, kin_v(-1, 0, 0), kin_v(v, 0, 0));
        uint32_t b = add_body(&y, 1 - mode, ball(0.3), m2, kin_v(0, 0, 0), kin_v(0, 0, 0));
        test_steps(t, y.world, 60);
        double middle = m1 * v / (m1 + m2), away = e * v / (m1 + m2);
        NEAR3(t, state_of(&y, mode, a).velocity, kin_v(middle - away * m2, 0, 0), 60 * FLOAT_EPS * v);
        NEAR3(t, state_of(&y, 1 - mode, b).velocity, kin_v(middle + away * m1, 0, 0), 60 * FLOAT_EPS * v);
        kin_world_destroy(y.world);
    }
}

/* A ball on a cube, off its middle, with friction: spins too. Of balls and cubes spin and angular momentum are parallel, so floats are the only rounding. */
static void off_the_middle_both_spin_and_nothing_is_lost(test* t)
{
    for (int mode = 0; mode < 2; ++mode) {
        yard y = open_yard(t, kin_v(0, 0, 0), 0.4, 0.5);
        add_body(&y, mode, ball(0.3), 1, kin_v(-1, 0.2, 0.1), kin_v(4, 0, 0));
        uint32_t box = add_body(&y, 1 - mode, cube(0.8), 2, kin_v(0, 0, 0), kin_v(0, 0, 0));
        totals start = totals_of(&y);
        double bound = 60 * FLOAT_EPS * 4;
        for (int i = 0; i < 60; ++i) {
            test_steps(t, y.world, 1);
            totals now = totals_of(&y);
            if (!NEAR3(t, now.momentum, start.momentum, bound) || !NEAR3(t, now.angular, start.angular, 4 * bound)) break; /* 4 m: the arms */
        }
        CHECK(t, kin_length(state_of(&y, 1 - mode, box).spin) > 0.3);
        CHECK(t, totals_of(&y).energy < start.energy);
        kin_world_destroy(y.world);
    }
}

/* A ball into a loose heap of both modes, in the void, with friction: momentum stays, energy does not grow. */
static void a_crash_loses_nothing(test* t)
{
    enum { STEPS = 90 };
    yard y = open_yard(t, kin_v(0, 0, 0), 0.4, 0.5);
    add_body(&y, 0, ball(0.4), 3, kin_v(-2, 0.1, 0.05), kin_v(6, 0, 0));
    for (int i = 0; i < 8; ++i)
        add_body(&y, (i ^ i >> 1 ^ i >> 2) & 1, cube(0.5), 1, kin_v(0.52 * (i & 1), 0.52 * (i >> 1 & 1), 0.52 * (i >> 2)), kin_v(0, 0, 0));
    totals start = totals_of(&y);
    double bound = STEPS * FLOAT_EPS * 18, energy = start.energy;
    for (int i = 0; i < STEPS; ++i) {
        test_steps(t, y.world, 1);
        totals now = totals_of(&y);
        if (!NEAR3(t, now.momentum, start.momentum, bound)) break;
        CHECK(t, now.energy < energy * (1 + 1e-3));
        energy = kin_min(energy, now.energy);
    }
    CHECK(t, totals_of(&y).energy < 0.9 * start.energy);
    for (int i = 0; i < 4; ++i) CHECK(t, kin_length(state_of(&y, 1, (uint32_t)i).velocity) > 0.1);
    kin_world_destroy(y.world);
}

/* A hanging plank of one mode carries a box of the other: the joint's part of the load is seen. */
static void a_jointed_shelf_carries(test* t)
{
    for (int mode = 0; mode < 2; ++mode) {
        yard y = open_yard(t, kin_v(0, -9.81, 0), 0, 0.5);
        uint32_t shelf = add_body(&y, mode, (kin_shape){.kind = KIN_SHAPE_BOX, .size = {1, 0.1, 1}}, 4, kin_v(0, 1, 0), kin_v(0, 0, 0));
        kin_joint_def joint = kin_joint_def_default();
        joint.kind = KIN_JOINT_FIXED;
        joint.a = -1;
        joint.b = shelf;
        joint.anchor = kin_v(-0.5, 1, 0);
        CHECK(t, kin_rigid_add_joint(y.world, y.systems[mode], &joint, NULL, NULL) == KIN_OK);
        uint32_t box = add_body(&y, 1 - mode, cube(0.4), 2, kin_v(0.1, 1.25, 0), kin_v(0, 0, 0));
        test_steps(t, y.world, 120);
        NEAR3(t, state_of(&y, 1 - mode, box).pose.position, kin_v(0.1, 1.25, 0), 5e-3);
        kin_world_destroy(y.world);
    }
}

/* Restored after every step, the same bits. */
static void a_restored_world_goes_on_alike(test* t)
{
    yard y[2];
    kin_snapshot snapshot = {0};
    for (int k = 0; k < 2; ++k) {
        y[k] = open_yard(t, kin_v(0, -9.81, 0), 0.3, 0.5);
        add_ground(&y[k]);
        for (int i = 0; i < 4; ++i) add_body(&y[k], i % 2, cube(0.5), 1, kin_v(0.1 * i, 0.3 + 0.6 * i, 0), kin_v(0, 0, 0));
    }
    for (int i = 0; i < 60; ++i) {
        test_steps(t, y[0].world, 1);
        test_steps(t, y[1].world, 1);
        CHECK(t, kin_world_snapshot(y[1].world, &snapshot, NULL) == KIN_OK);
        test_steps(t, y[1].world, 2);
        CHECK(t, kin_world_restore(y[1].world, &snapshot, NULL) == KIN_OK);
        if (!EQUAL(t, kin_world_state_hash(y[0].world), kin_world_state_hash(y[1].world))) break;
    }
    kin_snapshot_free(&snapshot);
    for (int k = 0; k < 2; ++k) kin_world_destroy(y[k].world);
}

/* One on the other, at rest: no memory is taken. */
static void a_steady_step_allocates_nothing(test* t)
{
    yard y = open_yard(t, kin_v(0, -9.81, 0), 0, 0.5);
    add_ground(&y);
    add_body(&y, 0, cube(1), 2, kin_v(0, 0.5, 0), kin_v(0, 0, 0));
    add_body(&y, 1, cube(1), 3, kin_v(0.2, 1.5, 0.1), kin_v(0, 0, 0));
    test_steps(t, y.world, 60); /* past the first try to sleep */
    uint64_t before = t->allocations;
    test_steps(t, y.world, 60);
    EQUAL(t, t->allocations - before, 0);
    kin_world_destroy(y.world);
}

TEST_MAIN("laws_modes", TEST(a_box_rests_on_one_of_the_other_mode), TEST(a_box_falls_on_one_of_the_other_mode), TEST(a_stack_of_both_by_turns_stands),
          TEST(a_plank_carries_hundreds), TEST(balls_head_on_part_by_their_masses), TEST(off_the_middle_both_spin_and_nothing_is_lost),
          TEST(a_crash_loses_nothing), TEST(a_jointed_shelf_carries), TEST(a_restored_world_goes_on_alike), TEST(a_steady_step_allocates_nothing))
