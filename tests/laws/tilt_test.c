/* tilt_test.c - a table that tilts slowly: blocks on it tip where their weight leaves their base, and slide where the slope is the coefficient of friction, at
 * any rate of tilt, in real time. Tolerance: a hundredth of the angle. */
#include "kinema/rigid.h"
#include "math/quat.h"
#include "support/test.h"
#include "support/world.h"

#define G 9.81
#define DT (1.0 / 60)
#define SHARE 0.01

typedef struct table {
    test* t;
    kin_world* world;
    kin_system_id system;
    kin_material_id material;
    double start, rate; /* rad, rad/s, about z: it falls towards -x */
    uint32_t body;
} table;

static kin_quat tilted(double angle) { return kin_quat_axis_angle(kin_v(0, 0, 1), angle); }

static table begin(test* t, double friction, double start, double rate)
{
    table x = {.t = t, .world = test_world(t, DT, kin_v(0, -G, 0)), .start = start, .rate = rate};
    kin_rigid_def rigid = kin_rigid_def_default();
    CHECK(t, kin_rigid_create(x.world, &rigid, &x.system, NULL) == KIN_OK);
    x.material = test_material(t, x.world, "table", 0, friction);
    kin_body_def def = kin_body_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {8, 1, 8}};
    def.orientation = tilted(start);
    def.spin = kin_v(0, 0, rate);
    def.mobility = KIN_MOBILITY_ANIMATED;
    def.material = x.material;
    x.body = test_body(t, x.world, x.system, &def);
    return x;
}

/* On the table, at x along it and at `bottom` above it. */
static uint32_t put(table* x, kin_vec3 size, double along, double bottom)
{
    kin_body_def def = kin_body_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = size};
    def.position = kin_rotate(tilted(x->start), kin_v(along, 0.5 + bottom + 0.5 * size.y, 0));
    def.orientation = tilted(x->start);
    def.spin = kin_v(0, 0, x->rate);
    def.mass = 3;
    def.material = x->material;
    return test_body(x->t, x->world, x->system, &def);
}

static double angle_of(const table* x) { return x->start + x->rate * kin_world_time(x->world); }
static kin_body_state state(const table* x, uint32_t body) { return kin_rigid_state(x->world, x->system, body); }

/* Of the body against the table, about z. */
static double lean(const table* x, uint32_t body)
{
    return kin_quat_rotation_vector(kin_quat_mul(state(x, body).pose.orientation, kin_quat_conj(tilted(angle_of(x))))).z;
}

static double way(const table* x, uint32_t body) { return kin_unrotate(tilted(angle_of(x)), state(x, body).center).x; }

/* Angle at which what grows as `a` times the angle beyond `critical` has come to `enough`, from rest. */
static double grown(double critical, double start, double rate, double a, double enough, bool unstable)
{
    double h = 1e-4 / kin_max(kin_sqrt(a), 1), x = 0, v = 0, angle = start;
    while (x < enough) {
        double beyond = angle - critical + (unstable ? x : 0);
        if (beyond > 0 || x > 0) v += h * a * beyond, x += h * v;
        angle = x > 0 || v > 0 ? angle + h * rate : kin_max(angle + h * rate, critical);
    }
    return angle;
}

static void check_rate(test* t, double rate)
{
    const double wide[] = {0.3, 0.5, 0.8}, friction[] = {0.15, 0.4, 0.7};
    for (int i = 0; i < 3; ++i) {
        double critical = kin_atan(wide[i]), start = critical * (1 - kin_max(0.04, kin_min(0.5, 4 * rate)));
        table x = begin(t, 2, start, rate);
        uint32_t block = put(&x, kin_v(wide[i], 1, 0.6), 0, 0);
        while (lean(&x, block) < 0.03 && angle_of(&x) < 2 * critical) test_steps(t, x.world, 1);
        double r = 0.5 * kin_sqrt(1 + wide[i] * wide[i]);
        NEAR(t, angle_of(&x), grown(critical, start, rate, 0.75 * G / r, 0.03, true), SHARE * critical);
        kin_world_destroy(x.world);
    }
    for (int i = 0; i < 3; ++i) {
        double critical = kin_atan(friction[i]), start = critical * (1 - kin_max(0.04, kin_min(0.5, 4 * rate)));
        table x = begin(t, friction[i], start, rate);
        uint32_t block = put(&x, kin_v(0.8, 0.2, 0.6), 0, 0);
        double from = way(&x, block);
        while (from - way(&x, block) < 0.02 && angle_of(&x) < 2 * critical) test_steps(t, x.world, 1);
        NEAR(t, angle_of(&x), grown(critical, start, rate, G * kin_sqrt(1 + friction[i] * friction[i]), 0.02, false), SHARE * critical);
        kin_world_destroy(x.world);
    }
}

static void tilting_very_slowly(test* t) { check_rate(t, 1e-4); }
static void tilting_slowly(test* t) { check_rate(t, 1e-3); }
static void tilting(test* t) { check_rate(t, 1e-2); }
static void tilting_fast(test* t) { check_rate(t, 0.1); }

/* Frames between free bodies turn with what carries them too. */
static void tilting_a_slab_with_a_block(test* t)
{
    const double critical = kin_atan(0.5), rate = 2e-3, start = 0.96 * critical;
    table x = begin(t, 2, start, rate);
    put(&x, kin_v(2, 0.2, 2), 0, 0);
    uint32_t block = put(&x, kin_v(0.5, 1, 0.6), 0, 0.2);
    while (lean(&x, block) < 0.03 && angle_of(&x) < 2 * critical) test_steps(t, x.world, 1);
    NEAR(t, angle_of(&x), grown(critical, start, rate, 0.75 * G / (0.5 * kin_sqrt(1.25)), 0.03, true), SHARE * critical);
    kin_world_destroy(x.world);
}

TEST_MAIN("laws/tilt", TEST(tilting_a_slab_with_a_block), TEST(tilting_very_slowly), TEST(tilting_slowly), TEST(tilting), TEST(tilting_fast))
