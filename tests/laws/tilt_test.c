/* tilt_test.c - a table that tilts slowly: blocks on it tip where their weight leaves their base, and slide where the slope is the coefficient of friction, at
 * any rate of tilt, in both modes. Tolerance: a hundredth of the angle. */
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

static table begin(test* t, kin_rigid_mode mode, double friction, double start, double rate)
{
    table x = {.t = t, .world = test_world(t, DT, kin_v(0, -G, 0)), .start = start, .rate = rate};
    kin_rigid_def rigid = kin_rigid_def_default();
    rigid.mode = mode;
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

/* On the table, its origin at a height above it; turn: on the level table. */
static uint32_t put_shape(table* x, kin_shape shape, double height, kin_quat turn)
{
    kin_body_def def = kin_body_def_default();
    def.shape = shape;
    def.position = kin_rotate(tilted(x->start), kin_v(0, 0.5 + height, 0));
    def.orientation = kin_quat_mul(tilted(x->start), turn);
    def.spin = kin_v(0, 0, x->rate);
    def.velocity = kin_cross(def.spin, def.position);
    def.mass = 3;
    def.material = x->material;
    return test_body(x->t, x->world, x->system, &def);
}

static uint32_t put(table* x, kin_vec3 size, double bottom)
{
    return put_shape(x, (kin_shape){.kind = KIN_SHAPE_BOX, .size = size}, bottom + 0.5 * size.y, kin_quat_identity());
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

/* Starts so far below the critical angle that soft contacts have come to rest; exact ones rest at once, and have only to be below the tolerance. */
static double start_of(kin_rigid_mode mode, double critical, double rate)
{
    return critical * (1 - kin_max(mode == KIN_RIGID_EXACT ? 0.015 : 0.04, kin_min(0.5, 4 * rate)));
}

/* What is put there tips at the critical angle, about a pivot d away with a moment of `moment` times its mass. */
static void check_tip(table* x, uint32_t body, double critical, double d, double moment)
{
    while (lean(x, body) < 0.03 && angle_of(x) < 2 * critical) test_steps(x->t, x->world, 1);
    NEAR(x->t, angle_of(x), grown(critical, x->start, x->rate, G * d / moment, 0.03, true), SHARE * critical);
    kin_world_destroy(x->world);
}

static void check_slide(table* x, uint32_t body, double critical)
{
    const double from = way(x, body);
    while (from - way(x, body) < 0.02 && angle_of(x) < 2 * critical) test_steps(x->t, x->world, 1);
    NEAR(x->t, angle_of(x), grown(critical, x->start, x->rate, G / kin_cos(critical), 0.02, false), SHARE * critical);
    kin_world_destroy(x->world);
}

static void check_rate(test* t, kin_rigid_mode mode, double rate)
{
    const double wide[] = {0.3, 0.5, 0.8}, friction[] = {0.15, 0.4, 0.7};
    for (int i = 0; i < 3; ++i) {
        const double critical = kin_atan(wide[i]), r = 0.5 * kin_sqrt(1 + wide[i] * wide[i]);
        table x = begin(t, mode, 2, start_of(mode, critical, rate), rate);
        uint32_t block = put(&x, kin_v(wide[i], 1, 0.6), 0);
        check_tip(&x, block, critical, r, 4 * r * r / 3);
    }
    for (int i = 0; i < 3; ++i) {
        const double critical = kin_atan(friction[i]);
        table x = begin(t, mode, friction[i], start_of(mode, critical, rate), rate);
        uint32_t block = put(&x, kin_v(0.8, 0.2, 0.6), 0);
        check_slide(&x, block, critical);
    }
}

static void tilting_very_slowly(test* t) { check_rate(t, KIN_RIGID_REALTIME, 1e-4); }
static void tilting_slowly(test* t) { check_rate(t, KIN_RIGID_REALTIME, 1e-3); }
static void tilting(test* t) { check_rate(t, KIN_RIGID_REALTIME, 1e-2); }
static void tilting_fast(test* t) { check_rate(t, KIN_RIGID_REALTIME, 0.1); }
static void tilting_exactly(test* t)
{
    const double rates[] = {1e-4, 1e-2, 0.1};
    for (int i = 0; i < 3; ++i) check_rate(t, KIN_RIGID_EXACT, rates[i]);
}

/* A prism of six sides, one of them down the slope, `wide` from side to side; an upright cylinder; a capsule along the slope. */
static void tilting_odd_shapes_exactly(test* t)
{
    const double rates[] = {1e-4, 1e-2, 0.1}, wide = 0.5, high = 1, friction = 0.4;
    for (int i = 0; i < 9; ++i) {
        const double rate = rates[i / 3], tips = kin_atan(wide / high), slides = kin_atan(friction), d = 0.5 * kin_sqrt(wide * wide + high * high);
        kin_vec3 points[12];
        for (int k = 0; k < 12; ++k) {
            const double a = KIN_PI / 6 + KIN_PI / 3 * (k % 6), r = wide / kin_sqrt(3);
            points[k] = kin_v(r * kin_cos(a), k < 6 ? -0.5 * high : 0.5 * high, r * kin_sin(a));
        }
        const kin_shape prism = {.kind = KIN_SHAPE_HULL, .points = {points, 12}}, cylinder = {.kind = KIN_SHAPE_CYLINDER, .radius = 0.5 * wide, .length = high};
        const kin_shape capsule = {.kind = KIN_SHAPE_CAPSULE, .radius = 0.2, .length = 1};
        const kin_quat lies = kin_quat_axis_angle(kin_v(0, 0, 1), 0.5 * KIN_PI);
        table x = begin(t, KIN_RIGID_EXACT, i % 3 < 2 ? 2 : friction, start_of(KIN_RIGID_EXACT, i % 3 < 2 ? tips : slides, rate), rate);
        const uint32_t body = i % 3 < 2 ? put_shape(&x, i % 3 == 0 ? prism : cylinder, 0.5 * high, kin_quat_identity()) : put_shape(&x, capsule, 0.2, lies);
        const double round =
            i % 3 == 0 ? 5 * wide * wide / 36 / 2 : wide * wide / 16; /* of a plate about its diameter: 5 s^2 / 24 with the side s = wide / sqrt 3 */
        if (i % 3 < 2)
            check_tip(&x, body, tips, d, round + high * high / 12 + d * d);
        else
            check_slide(&x, body, slides);
    }
}

/* Frames between free bodies turn with what carries them too. */
static void tilting_a_slab_with_a_block(test* t)
{
    const kin_rigid_mode modes[] = {KIN_RIGID_REALTIME, KIN_RIGID_EXACT};
    const double critical = kin_atan(0.5), rate = 2e-3;
    for (int m = 0; m < 2; ++m) {
        table x = begin(t, modes[m], 2, start_of(modes[m], critical, rate), rate);
        put(&x, kin_v(2, 0.2, 2), 0);
        uint32_t block = put(&x, kin_v(0.5, 1, 0.6), 0.2);
        check_tip(&x, block, critical, 0.5 * kin_sqrt(1.25), 4 * 0.25 * 1.25 / 3);
    }
}

TEST_MAIN("laws/tilt", TEST(tilting_a_slab_with_a_block), TEST(tilting_very_slowly), TEST(tilting_slowly), TEST(tilting), TEST(tilting_fast),
          TEST(tilting_exactly), TEST(tilting_odd_shapes_exactly))
