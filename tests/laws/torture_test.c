/* torture_test.c - what nobody should do to rigid bodies (R1): all at one point, teleports, great forces, masses and spins, plates without thickness, bullets.
 * Whatever comes is finite, nothing is lost, energy is not made, and steps say what they could not do. */
#include "base/rng.h"
#include "kinema/rigid.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "support/test.h"
#include "support/world.h"

typedef struct yard {
    test* t;
    kin_world* world;
    kin_system_id bodies;
    kin_material_id material;
} yard;

static yard open_yard(test* t, kin_rigid_mode mode, double restitution)
{
    yard y = {.t = t};
    kin_rigid_def rigid = kin_rigid_def_default();
    rigid.mode = mode;
    y.world = test_world(t, 1.0 / 60, kin_v(0, -9.81, 0));
    y.material = test_material(t, y.world, "stuff", restitution, 0.5);
    CHECK(t, kin_rigid_create(y.world, &rigid, &y.bodies, NULL) == KIN_OK);
    return y;
}

static void add_room(yard* y, double half)
{
    test_plane(y->t, y->world, kin_v(0, 0, 0), kin_v(0, 1, 0), y->material);
    for (int side = -1; side <= 1; side += 2) {
        test_plane(y->t, y->world, kin_v(-side * half, 0, 0), kin_v(side, 0, 0), y->material);
        test_plane(y->t, y->world, kin_v(0, 0, -side * half), kin_v(0, 0, side), y->material);
    }
}

static uint32_t add(yard* y, const kin_body_def* def)
{
    kin_error error = {0};
    uint32_t index = 0;
    kin_body_def with = *def;
    with.material = y->material;
    test_check(y->t, kin_rigid_add_body(y->world, y->bodies, &with, &index, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message);
    return index;
}

static kin_body_def box_of(double size, double mass, kin_vec3 position)
{
    kin_body_def def = kin_body_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {size, size, size}};
    def.mass = mass;
    def.position = position;
    return def;
}

static kin_body_def ball_of(double radius, double mass, kin_vec3 position)
{
    kin_body_def def = kin_body_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_SPHERE, .radius = radius};
    def.mass = mass;
    def.position = position;
    return def;
}

static kin_body_state state(const yard* y, uint32_t body) { return kin_rigid_state(y->world, y->bodies, body); }

/* True when every body is finite, no faster than `speed`, and its centre within `half` of the y axis and above -depth. */
static bool all_there(yard* y, double speed, double half, double depth)
{
    uint32_t count = kin_rigid_count(y->world, y->bodies);
    for (uint32_t i = 0; i < count; ++i) {
        kin_body_state s = state(y, i);
        bool fine = kin_finite3(s.center) && kin_finite3(s.velocity) && kin_finite3(s.spin) && kin_length(s.velocity) <= speed && kin_abs(s.center.x) <= half
                    && kin_abs(s.center.z) <= half && s.center.y >= -depth;
        if (!test_check(y->t, fine, __FILE__, __LINE__, "body %u at step %llu: at (%g, %g, %g), %g m/s", i, (unsigned long long)kin_world_step_count(y->world),
                        s.center.x, s.center.y, s.center.z, kin_length(s.velocity)))
            return false;
    }
    return true;
}

static void steps_and_all_there(yard* y, int steps, double speed, double half, double depth)
{
    for (int i = 0; i < steps; ++i) {
        kin_error error = {0};
        if (!test_check(y->t, kin_world_step(y->world, NULL, &error) == KIN_OK, __FILE__, __LINE__, "step %d: %s", i, error.message)) return;
        if (!all_there(y, speed, half, depth)) return;
    }
}

/* ---- all at one point ---- */

static void at_one_point(test* t, kin_rigid_mode mode, int count, int steps)
{
    yard y = open_yard(t, mode, 0);
    add_room(&y, 5);
    for (int i = 0; i < count; ++i) {
        kin_body_def def = i % 2 == 0 ? box_of(0.5, 1, kin_v(0, 2, 0)) : ball_of(0.25, 1, kin_v(0, 2, 0));
        add(&y, &def);
    }
    steps_and_all_there(&y, steps, 200, 5.1, 0.3);
    kin_world_destroy(y.world);
}
static void five_hundred_at_one_point_come_apart(test* t) { at_one_point(t, KIN_RIGID_REALTIME, 500, 240); }
static void some_at_one_point_come_apart_exactly(test* t) { at_one_point(t, KIN_RIGID_EXACT, 8, 30); }

/* ---- moved by hand ---- */

static void teleports(test* t, kin_rigid_mode mode, int count, int steps)
{
    yard y = open_yard(t, mode, 0.2);
    add_room(&y, 4);
    for (int i = 0; i < count; ++i) {
        kin_body_def def = box_of(0.6, 1, kin_v(i % 3 - 1.0, 0.4 + 0.7 * (i / 9), i / 3 % 3 - 1.0));
        add(&y, &def);
    }
    const kin_rng_key key = {.seed = 5};
    for (int k = 0; k < steps; ++k) {
        if (k % 5 == 0) {
            uint32_t who = (uint32_t)kin_rng_uniform(&key, (uint32_t)(2 * k), 0, count),
                     into = (uint32_t)kin_rng_uniform(&key, (uint32_t)(2 * k + 1), 0, count);
            kin_transform there = {state(&y, into).pose.position, {0.1, 0.7, 0.2, 0.5}};
            kin_rigid_place(y.world, y.bodies, who, there, kin_v(3, -20, 1), kin_v(50, 10, -30));
        }
        steps_and_all_there(&y, 1, 200, 4.3, 0.4);
        if (t->failures > 0) break;
    }
    kin_world_destroy(y.world);
}
static void teleports_into_others_are_undone(test* t) { teleports(t, KIN_RIGID_REALTIME, 27, 300); }
static void teleports_into_others_are_undone_exactly(test* t) { teleports(t, KIN_RIGID_EXACT, 4, 30); }

/* ---- forces ---- */

/* Soft contacts give way by F / (m om^2), which is metres; exact ones by nothing that the tolerance of a gap does not allow: a box stays half its side away from
 * floor and walls. */
static void a_million_newtons(test* t)
{
    for (int m = 0; m < 2; ++m) {
        double slack = 10 * kin_rigid_def_default().tolerance, depth = m == 0 ? 30 : slack - 0.5, half = m == 0 ? 30 : 4.5 + slack;
        yard y = open_yard(t, m == 0 ? KIN_RIGID_REALTIME : KIN_RIGID_EXACT, 0);
        add_room(&y, 5);
        kin_body_def low = box_of(1, 1, kin_v(0, 0.5, 0)), high = box_of(1, 1, kin_v(0, 1.5, 0));
        add(&y, &low);
        uint32_t top = add(&y, &high);
        steps_and_all_there(&y, 5, 10, 5.1, 0);
        for (int i = 0; i < 20; ++i) {
            kin_vec3 force = i < 10 ? kin_v(0, -1e6, 0) : kin_v(1e6, 0, 3e5); /* into the other, then against a wall */
            kin_rigid_apply(y.world, y.bodies, top, force, state(&y, top).center, kin_v(0, 1e4, 0));
            steps_and_all_there(&y, 1, 1e6, half, depth);
        }
        for (int i = 0; i < 900; ++i) steps_and_all_there(&y, 1, 1e6, half, depth);
        steps_and_all_there(&y, 1, 1e3, 5.1, 0.1); /* and bring it back */
        kin_world_destroy(y.world);
    }
}

/* ---- masses ---- */

/* In real time the light one may be pressed out from below the heavy one, and lie beside it; exactly it bears it. */
static void one_to_a_hundred_thousand_exactly(test* t)
{
    yard y = open_yard(t, KIN_RIGID_EXACT, 0);
    add_room(&y, 5);
    for (uint32_t i = 0; i < 4; ++i) {
        kin_body_def def = box_of(1, i == 0 || i == 3 ? 1 : 1e5, kin_v(3.0 * (i / 2) - 1.5, 0.5 + i % 2, 0));
        add(&y, &def);
    }
    steps_and_all_there(&y, 300, 20, 5.1, 0.5);
    for (uint32_t i = 0; i < 4; ++i) NEAR3(t, state(&y, i).center, kin_v(3.0 * (i / 2) - 1.5, 0.5 + i % 2, 0), 2 * kin_rigid_def_default().tolerance);
    kin_world_destroy(y.world);
}

static void one_to_a_hundred_thousand(test* t)
{
    yard y = open_yard(t, KIN_RIGID_REALTIME, 0);
    add_room(&y, 5);
    for (int i = 0; i < 2; ++i) { /* light below heavy, and heavy below light */
        kin_body_def below = box_of(1, i == 0 ? 1 : 1e5, kin_v(3.0 * i - 1.5, 0.5, 0)), above = box_of(1, i == 0 ? 1e5 : 1, kin_v(3.0 * i - 1.5, 1.5, 0));
        add(&y, &below);
        add(&y, &above);
    }
    steps_and_all_there(&y, 600, 20, 5.1, 0.5);
    NEAR3(t, state(&y, 3).center, kin_v(1.5, 1.5, 0), 0.01); /* the light one stands on the heavy one */
    kin_world_destroy(y.world);
}

/* ---- spins ---- */

static double energy(const yard* y)
{
    double sum = 0;
    for (uint32_t i = 0; i < kin_rigid_count(y->world, y->bodies); ++i) {
        kin_body_state s = state(y, i);
        kin_vec3 w = kin_unrotate(s.pose.orientation, s.spin);
        sum += 0.5 * (s.mass * kin_length2(s.velocity) + kin_dot(w, kin_mul(s.moments, w))) + 9.81 * s.mass * s.center.y;
    }
    return sum;
}

static void ten_thousand_radians_a_second(test* t)
{
    for (int m = 0; m < 2; ++m) {
        yard y = open_yard(t, m == 0 ? KIN_RIGID_REALTIME : KIN_RIGID_EXACT, 0);
        add_room(&y, 50);
        kin_body_def def = box_of(0.2, 1, kin_v(0, 3, 0));
        def.shape.size = kin_v(0.1, 0.2, 0.3);
        def.spin = kin_v(1e4, 100, 20);
        add(&y, &def);
        double start = energy(&y);
        for (int i = 0; i < (m == 0 ? 120 : 60); ++i) { /* it meets the floor after 45 */
            steps_and_all_there(&y, 1, 1e4, 60, 3);
            bool flies = m == 1 && i < 40;
            double most =
                m == 0 ? 1.001 : 1 + 1e-6; /* exact: turns of 1/64 rad by rk4 miss (1/64)^5/120 each, 1e-10 for 1e4 of them a step, 40 steps: 4e-6 rad */
            if (!test_check(t, energy(&y) <= start * most && (!flies || energy(&y) >= start * (1 - 1e-6)), __FILE__, __LINE__, "mode %d, step %d: %g J of %g",
                            m, i, energy(&y), start))
                break;
        }
        kin_world_destroy(y.world);
    }
}

/* ---- plates ---- */

static const kin_vec3 sheet_points[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
static const uint32_t sheet_corners[6] = {0, 2, 1, 0, 3, 2};
static kin_shape sheet(void)
{
    return (kin_shape){.kind = KIN_SHAPE_MESH, .mesh = {.vertices = sheet_points, .vertex_count = 4, .corners = sheet_corners, .face_count = 2}};
}

/* A table without thickness holds what falls on it at 20 m/s. */
static void a_sheet_without_thickness_holds(test* t)
{
    yard y = open_yard(t, KIN_RIGID_REALTIME, 0);
    kin_collider_def table = kin_collider_def_default();
    kin_collider_id id;
    table.shape = sheet();
    table.position = kin_v(0, 1, 0);
    table.material = y.material;
    CHECK(t, kin_world_add_collider(y.world, &table, &id, NULL) == KIN_OK);
    kin_body_def box = box_of(0.3, 1, kin_v(-0.4, 2, 0)), ball = ball_of(0.15, 1, kin_v(0.4, 2, 0));
    box.velocity = ball.velocity = kin_v(0, -20, 0);
    add(&y, &box);
    add(&y, &ball);
    steps_and_all_there(&y, 240, 25, 1.2, -1);
    kin_world_destroy(y.world);
}

/* A loose sheet, which has mass and moments by hand, on a plane and on a box. */
static void a_loose_sheet_without_thickness_lies(test* t)
{
    for (int k = 0; k < 2; ++k) {
        yard y = open_yard(t, KIN_RIGID_REALTIME, 0);
        if (k == 0)
            test_plane(t, y.world, kin_v(0, 0, 0), kin_v(0, 1, 0), y.material);
        else
            test_box(t, y.world, kin_v(0, -0.5, 0), kin_v(10, 1, 10), y.material);
        kin_body_def plate = kin_body_def_default(), box = box_of(0.3, 1, kin_v(0, 2, 0));
        plate.shape = sheet();
        plate.position = kin_v(0, 0.5, 0);
        plate.mass = 1;
        plate.moments = kin_v(1.0 / 3, 2.0 / 3, 1.0 / 3);
        add(&y, &plate);
        add(&y, &box);
        steps_and_all_there(&y, 300, 30, 5.1, 0.1);
        kin_world_destroy(y.world);
    }
}

/* ---- bullets: 10 g, 1 cm, 1 km/s against 1 mm ---- */

static void bullets(test* t, kin_rigid_mode mode, bool loose, kin_shape shape)
{
    yard y = open_yard(t, mode, 0.1);
    kin_body_def plate = kin_body_def_default(), bullet = kin_body_def_default();
    plate.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {0.001, 1, 1}};
    plate.mass = 8;
    plate.gravity_scale = bullet.gravity_scale = 0;
    plate.mobility = loose ? KIN_MOBILITY_DYNAMIC : KIN_MOBILITY_STATIC;
    uint32_t wall = add(&y, &plate);
    bullet.shape = shape;
    bullet.mass = 0.01;
    for (int i = 0; i < 5; ++i) {
        bullet.position = kin_v(-3 - 2.7 * i, 0.1 * i - 0.2, 0.15 * i - 0.3);
        bullet.velocity = kin_v(1000, 0, 0);
        bullet.spin = kin_v(0, 0, i % 2 == 0 ? 0 : 100);
        add(&y, &bullet);
    }
    bool held = true;
    for (int k = 0; k < 20 && held; ++k) {
        steps_and_all_there(&y, 1, 1100, 1e4, 1e4);
        kin_body_state w = state(&y, wall);
        for (uint32_t i = 1; i <= 5; ++i) { /* still on their side of it, as it stands now */
            kin_vec3 local = kin_unrotate(w.pose.orientation, kin_sub(state(&y, i).center, w.center));
            held &= test_check(t, local.x < 0 || kin_abs(local.y) > 0.5 || kin_abs(local.z) > 0.5, __FILE__, __LINE__,
                               "%s, %s, shape %d: bullet %u is through at step %d", mode == KIN_RIGID_EXACT ? "exact" : "realtime", loose ? "loose" : "fixed",
                               (int)shape.kind, i, k);
        }
    }
    kin_world_destroy(y.world);
}

static void bullets_do_not_pass_plates(test* t)
{
    const kin_shape shapes[2] = {{.kind = KIN_SHAPE_SPHERE, .radius = 0.005}, {.kind = KIN_SHAPE_BOX, .size = {0.01, 0.01, 0.01}}};
    for (int k = 0; k < 2; ++k) {
        bullets(t, KIN_RIGID_REALTIME, false, shapes[k]);
        bullets(t, KIN_RIGID_REALTIME, true, shapes[k]);
        bullets(t, KIN_RIGID_EXACT, false, shapes[k]);
        bullets(t, KIN_RIGID_EXACT, true, shapes[k]);
    }
}

TEST_MAIN("laws_torture", TEST(five_hundred_at_one_point_come_apart), TEST(some_at_one_point_come_apart_exactly), TEST(teleports_into_others_are_undone),
          TEST(teleports_into_others_are_undone_exactly), TEST(a_million_newtons), TEST(one_to_a_hundred_thousand), TEST(one_to_a_hundred_thousand_exactly),
          TEST(ten_thousand_radians_a_second), TEST(a_sheet_without_thickness_holds), TEST(a_loose_sheet_without_thickness_lies),
          TEST(bullets_do_not_pass_plates))
