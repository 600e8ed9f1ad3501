/* keyed_test.c - bodies that are carried by keyed ones in exact mode: what rests stays at rest on a support that rocks, turns and is accelerated, in as many ticks
 * as on a fixed one; joints take their pivot's acceleration; where keys have a corner the jump of velocity is an impulse at its time. */
#include "contact/keyed.h"
#include "unit/contact/exact/rig.h"

#define PI 3.14159265358979323846
#define H (1.0 / 60)
enum { KEYS = 97, STEPS = 480 };

typedef struct carried {
    rig r;
    kin_keys keys;
    bool smooth;
    uint32_t support;
    int64_t ticks, events, yielded;
} carried;

static void begin(carried* c, test* t, double mu)
{
    kin_rigid_def def = rig_def();
    def.tolerance = 1e-5;
    *c = (carried){.smooth = true};
    rig_begin(&c->r, t, def);
    kin_material_id m = rig_material(&c->r, 0, mu, mu);
    c->support = rig_box(&c->r, m, 0, kin_v(4, 0.2, 4), kin_v(0, -0.1, 0), kin_quat_identity());
    c->r.group->bodies.motion[c->support] = KIN_BODY_KEYED;
}

/* From 0 to 8 s; the pose by time, smooth. */
static void key(carried* c, kin_transform (*pose)(double))
{
    kin_key keys[KEYS];
    for (int i = 0; i < KEYS; ++i) {
        const double time = 8.0 * i / (KEYS - 1);
        const kin_transform p = pose(time);
        keys[i] = (kin_key){time, p.position, p.orientation};
    }
    CHECK(c->r.t, kin_keys_make(&c->r.t->allocator, keys, KEYS, &c->keys));
}

static void steps(carried* c, int count, double h)
{
    for (int i = 0; i < count; ++i) {
        CHECK(c->r.t, kin_group_follow_keys(c->r.group, c->support, &c->keys, c->smooth, c->r.time, h));
        rig_steps(&c->r, 1, h);
        const kin_exact_report* report = &rig_solver(&c->r)->report;
        c->ticks += report->ticks, c->events += report->events, c->yielded += report->yielded;
    }
}

static void end(carried* c)
{
    kin_keys_free(&c->r.t->allocator, &c->keys);
    rig_end(&c->r);
}

static kin_transform seen_from_support(carried* c, uint32_t body)
{
    return kin_transform_between(kin_body_pose(rig_body(&c->r, c->support)), kin_body_pose(rig_body(&c->r, body)));
}

/* ---- supports ---- */

/* Without a corner at the start: one period is 2 s, the first second fades it in. */
static double fade(double t) { return t < 1 ? t * t * (3 - 2 * t) : 1; }

static kin_transform rocks(double t) { return (kin_transform){{0, -0.1, 0}, kin_quat_axis_angle(kin_v(0, 0, 1), 0.12 * fade(t) * kin_sin(PI * t))}; }
static kin_transform shakes(double t) { return (kin_transform){{0.15 * fade(t) * kin_sin(PI * t), -0.1, 0}, kin_quat_identity()}; }
static kin_transform heaves(double t) { return (kin_transform){{0, -0.1 + 0.3 * fade(t) * kin_sin(PI * t), 0}, kin_quat_identity()}; }
static kin_transform turns(double t)
{
    return (kin_transform){{0, -0.1, 0}, kin_quat_axis_angle(kin_v(0, 1, 0), 0.4 * (t < 1 ? t * t * t * (1 - 0.5 * t) : t - 0.5))};
}
static kin_transform (*const supports[])(double) = {rocks, shakes, heaves, turns};
static const char* const support_names[] = {"rocks", "shakes", "heaves", "turns"};

/* What rests moves with the support: to the end of 8 s within the tolerance, and in one tick an interval. Friction that sticks creeps by less than a hundredth of
 * slip_speed. One event: the first slope of a spline is that of the parabola through its first three keys, so it begins with a small corner. */
static void check_rest(carried* c, const uint32_t* bodies, int count, const kin_transform* before, const char* name)
{
    const double slip = 0.01 * c->r.def.slip_speed * 8, enough = 10 * c->r.def.tolerance + slip;
    for (int i = 0; i < count; ++i) {
        const kin_transform after = seen_from_support(c, bodies[i]);
        const double moved = kin_distance(after.position, before[i].position);
        const double turned = kin_quat_angle(kin_quat_mul(after.orientation, kin_quat_conj(before[i].orientation)));
        test_check(c->r.t, moved < enough && turned < enough, __FILE__, __LINE__, "%s: body %d moved by %g m, turned by %g", name, i, moved, turned);
    }
    test_check(c->r.t, c->ticks <= 2 * STEPS && c->events <= 1 && c->yielded == 0, __FILE__, __LINE__, "%s: %lld ticks, %lld events, %lld bodies by impulses",
               name, (long long)c->ticks, (long long)c->events, (long long)c->yielded);
}

static void rest_on(test* t, kin_transform (*pose)(double), const char* name, kin_shape shape, int high)
{
    carried c;
    uint32_t bodies[4];
    kin_transform before[4];
    begin(&c, t, 0.6);
    key(&c, pose);
    for (int i = 0; i < high; ++i)
        bodies[i] = rig_add(&c.r, rig_form(&c.r, shape), (kin_material_id){1}, 10, kin_v(0.5, 0.2 + 0.4 * i, 0.3), kin_quat_identity());
    for (int i = 0; i < high; ++i) before[i] = seen_from_support(&c, bodies[i]);
    steps(&c, STEPS, H);
    check_rest(&c, bodies, high, before, name);
    end(&c);
}

static const kin_shape cube = {.kind = KIN_SHAPE_BOX, .size = {0.4, 0.4, 0.4}};

static void box_rests_on_what_moves(test* t)
{
    for (int k = 0; k < 4; ++k) rest_on(t, supports[k], support_names[k], cube, 1);
}

static void cylinder_rests_on_what_moves(test* t)
{
    for (int k = 0; k < 4; ++k) rest_on(t, supports[k], support_names[k], (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 0.2, .length = 0.4}, 1);
}

static void stack_rests_on_what_heaves(test* t) { rest_on(t, heaves, "heaves", cube, 3); }

/* ---- a pivot ---- */

static kin_transform accelerates(double t) { return (kin_transform){{0.5 * 3 * t * t, -0.1, 0}, kin_quat_identity()}; }

static uint32_t hang_rod(carried* c, double angle)
{
    const kin_vec3 way = kin_v(kin_sin(angle), -kin_cos(angle), 0), pivot = kin_v(0, -0.1, 0);
    const uint32_t rod = rig_box(&c->r, (kin_material_id){1}, 2, kin_v(1, 0.02, 0.02), kin_add_scaled(pivot, 0.5, way), kin_quat_between(kin_v(1, 0, 0), way));
    rig_joint(&c->r, (kin_joint_def){.kind = KIN_JOINT_HINGE, .anchor = pivot, .axis = {0, 0, 1}, .ratio = 1}, c->support, rod);
    return rod;
}

/* A pivot accelerated by a: the rod hangs at atan(a / g) for ever; its first velocity is the pivot's, none. */
static void pendulum_hangs_back_from_its_pivot(test* t)
{
    carried c;
    begin(&c, t, 0);
    key(&c, accelerates);
    c.r.group->bodies.skin[c.support].filter = (kin_filter){0};
    const uint32_t rod = hang_rod(&c, -kin_atan2(3, 10));
    const kin_transform before = seen_from_support(&c, rod);
    steps(&c, 120, H);
    const kin_transform after = seen_from_support(&c, rod);
    NEAR3(t, after.position, before.position, 1e-5);
    NEAR3(t, rig_body(&c.r, rod)->velocity, kin_v(3 * 2, 0, 0), 1e-5);
    kin_vec3 force, torque;
    kin_exact_ops.joint_load(c.r.group->solver, 0, &force, &torque);
    NEAR3(t, force, kin_v(2 * 3, 2 * 10, 0), 1e-4);
    end(&c);
}

/* ---- corners of keys ---- */

static void key_lines(carried* c, const kin_key* keys, size_t count)
{
    c->smooth = false;
    CHECK(c->r.t, kin_keys_make(&c->r.t->allocator, keys, count, &c->keys));
}

/* A lift at 2 m/s stops within an interval: what it carries flies on from there. */
static void lift_that_stops_lets_fly(test* t)
{
    carried c;
    begin(&c, t, 0.5);
    const double stop = 0.3511;
    key_lines(&c, (kin_key[]){{0, {0, -0.1, 0}, {0, 0, 0, 1}}, {stop, {0, -0.1 + 2 * stop, 0}, {0, 0, 0, 1}}, {9, {0, -0.1 + 2 * stop, 0}, {0, 0, 0, 1}}}, 3);
    const uint32_t box = rig_box(&c.r, (kin_material_id){1}, 1, kin_v(0.4, 0.4, 0.4), kin_v(0, 0.2, 0), kin_quat_identity());
    rig_body(&c.r, box)->velocity = kin_v(0, 2, 0);
    steps(&c, 36, H); /* at 0.6 s it is in the air till 0.75 s */
    const double fall = 0.6 - stop;
    NEAR(t, rig_body(&c.r, box)->position.y, 0.2 + 2 * stop + 2 * fall - 5 * fall * fall, 3e-5);
    NEAR(t, rig_body(&c.r, box)->velocity.y, 2 - 10 * fall, 1e-4);
    end(&c);
}

/* A floor that starts at 1 m/s within an interval hits what rests on it: with e = 1/2 it leaves at 3/2 m/s. */
static void floor_that_starts_hits(test* t)
{
    carried c;
    begin(&c, t, 0.5);
    const kin_material_id bouncy = rig_material(&c.r, 0.5, 0.5, 0.5);
    c.r.group->bodies.skin[c.support].material = bouncy;
    const double start = 0.2057;
    key_lines(&c, (kin_key[]){{0, {0, -0.1, 0}, {0, 0, 0, 1}}, {start, {0, -0.1, 0}, {0, 0, 0, 1}}, {9, {0, -0.1 + 9 - start, 0}, {0, 0, 0, 1}}}, 3);
    const uint32_t ball = rig_ball(&c.r, bouncy, 1, 0.2, kin_v(0, 0.2, 0));
    steps(&c, 15, H);
    const double after = 0.25 - start; /* before it is caught up, 0.1 s later */
    NEAR(t, rig_body(&c.r, ball)->velocity.y, 1.5 - 10 * after, 1e-4);
    NEAR(t, rig_body(&c.r, ball)->position.y, 0.2 + 1.5 * after - 5 * after * after, 3e-5);
    end(&c);
}

/* A pivot that starts at v takes a rod of length L along by an impulse m v / 4: its middle has v / 4, it turns by 3 v / 2 L. */
static void pivot_that_starts_jerks_its_rod(test* t)
{
    carried c;
    begin(&c, t, 0);
    c.r.group->bodies.skin[c.support].filter = (kin_filter){0};
    const double start = 0.05 - 1e-4, v = 2;
    key_lines(&c, (kin_key[]){{0, {0, -0.1, 0}, {0, 0, 0, 1}}, {start, {0, -0.1, 0}, {0, 0, 0, 1}}, {9, {v * (9 - start), -0.1, 0}, {0, 0, 0, 1}}}, 3);
    const uint32_t rod = hang_rod(&c, 0);
    steps(&c, 3, H);
    NEAR3(t, rig_body(&c.r, rod)->velocity, kin_v(v / 4, 0, 0), 3e-3); /* 0.1 ms of gravity on what has turned by 3e-4 rad */
    NEAR(t, kin_abs(rig_body(&c.r, rod)->spin.z), 3 * v / 2, 3e-3);
    end(&c);
}

/* ---- paths ---- */

/* Stretches are on the keys' path to a hundredth of the tolerance, and hang together in their rates; a corner within the interval ends one. */
static void stretches_follow_their_keys(test* t)
{
    carried c;
    begin(&c, t, 0.5);
    key(&c, rocks);
    kin_bodies* b = &c.r.group->bodies;
    kin_pose_motion last = {0};
    for (int i = 0; i < 120; ++i) {
        const double time = i * 0.05;
        CHECK(t, kin_group_follow_keys(c.r.group, c.support, &c.keys, true, time, 0.05));
        for (uint32_t k = 0; k < b->legs[c.support].count; ++k) {
            const kin_body_leg* leg = &b->leg[b->legs[c.support].first + k];
            const double at = leg->from + 0.37 * (leg->to - leg->from);
            const kin_transform on = kin_pose_path_at(&leg->path, at - leg->from).pose, keys = kin_keys_pose(&c.keys, true, time + at);
            NEAR(t, kin_quat_angle(kin_quat_mul(on.orientation, kin_quat_conj(keys.orientation))), 0, 0.01 * c.r.def.tolerance);
            const kin_pose_motion first = kin_pose_path_at(&leg->path, 0);
            if (i + k > 0) NEAR3(t, first.rate.spin, last.rate.spin, 1e-7);
            last = kin_pose_path_at(&leg->path, leg->path.duration);
        }
        kin_bodies_drop_legs(b);
        EQUAL(t, b->legs[c.support].count, 0);
    }
    kin_keys_free(&t->allocator, &c.keys);
    key_lines(&c, (kin_key[]){{0, {0, 0, 0}, {0, 0, 0, 1}}, {0.02, {1, 0, 0}, {0, 0, 0, 1}}, {0.06, {1, 1, 0}, {0, 0, 0, 1}}}, 3);
    CHECK(t, kin_group_follow_keys(c.r.group, c.support, &c.keys, false, 0, 0.05));
    EQUAL(t, b->legs[c.support].count, 2);
    NEAR(t, b->leg[0].to, 0.02, 1e-15);
    NEAR3(t, kin_pose_path_at(&b->leg[0].path, 0.01).rate.velocity, kin_v(50, 0, 0), 1e-9);
    NEAR3(t, kin_pose_path_at(&b->leg[1].path, 0.01).rate.velocity, kin_v(0, 25, 0), 1e-9);
    end(&c);
}

TEST_MAIN("contact/exact/keyed", TEST(box_rests_on_what_moves), TEST(cylinder_rests_on_what_moves), TEST(stack_rests_on_what_heaves),
          TEST(pendulum_hangs_back_from_its_pivot), TEST(lift_that_stops_lets_fly), TEST(floor_that_starts_hits), TEST(pivot_that_starts_jerks_its_rod),
          TEST(stretches_follow_their_keys))
