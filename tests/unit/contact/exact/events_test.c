/* events_test.c - meetings at their times: bounces, clusters, thin and turning things, caps (C1.4.3 to C1.4.8, C4.4 to C4.8, N1, X1.3). */
#include "unit/contact/exact/rig.h"

/* Dropped from 5 m with g = 10: impacts at 1, then every 2 e^k (e = 0.8: 1, 2.6, 3.88, 4.904 s). The time of the k-th is told by where the ball is. */
static void ball_bounces_at_exact_times(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.8, 0, 0);
    rig_floor(&r, m);
    uint32_t ball = rig_ball(&r, m, 1, 0.5, kin_v(0, 5.5, 0));
    double time = 0, next = 1, start = 0, speed = 0, height = 5;
    for (int i = 0; i < 300; ++i) {
        rig_step(&r, 1.0 / 60);
        time += 1.0 / 60;
        while (time > next) { /* closed form */
            speed = next == 1 ? 8 : 0.8 * speed;
            height = 0, start = next;
            next = start + 2 * speed / 10;
        }
        double since = time - start;
        if (start < 4.9) NEAR(t, rig_body(&r, ball)->position.y - 0.5, height + speed * since - 5 * since * since, 2e-5);
    }
    EQUAL(t, rig_solver(&r)->report.collisions, 4);
    rig_end(&r);
}

static void hit_is_told_with_its_speed(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.5, 0, 0);
    rig_floor(&r, m);
    rig_ball(&r, m, 2, 0.5, kin_v(0, 0.5 + 0.05, 0));
    rig_step(&r, 0.15);
    EQUAL(t, r.events.count, 1);
    EQUAL(t, r.events.items[0].kind, KIN_TOUCH_HIT);
    NEAR(t, r.events.items[0].speed, 1, 1e-5);
    NEAR(t, r.events.items[0].impulse, 2 * 1.5, 1e-4);
    rig_end(&r);
}

/* N1: two equal spheres swap, and momentum is kept whatever meets what. */
static void equal_balls_swap(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 1, 0, 0);
    uint32_t a = rig_ball(&r, m, 1, 0.5, kin_v(-2, 0, 0)), b = rig_ball(&r, m, 1, 0.5, kin_v(0, 0, 0));
    rig_body(&r, a)->velocity = kin_v(3, 0, 0);
    rig_steps(&r, 60, 1.0 / 60);
    NEAR3(t, rig_body(&r, a)->velocity, kin_v(0, 0, 0), 1e-9);
    NEAR3(t, rig_body(&r, b)->velocity, kin_v(3, 0, 0), 1e-9);
    NEAR(t, rig_body(&r, b)->position.x, 2, 1e-5); /* met at 1/3 s */
    rig_end(&r);
}

/* N1: (-1/3, 2/3, 2/3) when the resting contact is in the cluster; (0, 0, 1) collision by collision. */
static void three_balls_both_ways(test* t)
{
    for (int method = 0; method < 4; ++method) {
        rig r;
        kin_rigid_def def = rig_def();
        def.impulses = method;
        rig_begin(&r, t, def);
        r.fields.gravity = kin_v(0, 0, 0);
        kin_material_id m = rig_material(&r, 1, 0, 0);
        uint32_t balls[3];
        for (int i = 0; i < 3; ++i) balls[i] = rig_ball(&r, m, 1, 0.5, kin_v(i == 0 ? -0.5 : i, 0, 0));
        rig_body(&r, balls[0])->velocity = kin_v(1, 0, 0);
        rig_steps(&r, 60, 1.0 / 60);
        bool together = method < 2;
        NEAR(t, rig_body(&r, balls[0])->velocity.x, together ? -1.0 / 3 : 0, 1e-9);
        NEAR(t, rig_body(&r, balls[1])->velocity.x, together ? 2.0 / 3 : 0, 1e-9);
        NEAR(t, rig_body(&r, balls[2])->velocity.x, together ? 2.0 / 3 : 1, 1e-9);
        NEAR(t, rig_momentum(&r).x, 1, 1e-12);
        NEAR(t, rig_kinetic(&r), 0.5, 1e-9);
        rig_end(&r);
    }
}

/* Two from outside at the same time: equal masses v = (2, 0, -1), e = 1 give (-4/3, 2/3, 5/3). */
static void simultaneous_meetings_are_one_cluster(test* t)
{
    rig r;
    kin_rigid_def def = rig_def();
    rig_begin(&r, t, def);
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 1, 0, 0);
    const double speeds[3] = {2, 0, -1}, wants[3] = {-4.0 / 3, 2.0 / 3, 5.0 / 3};
    uint32_t balls[3];
    for (int i = 0; i < 3; ++i) {
        balls[i] = rig_ball(&r, m, 1, 0.5, kin_v((i - 1) - 0.25 * speeds[i], 0, 0)); /* at 0.25 s, the end of a step */
        rig_body(&r, balls[i])->velocity = kin_v(speeds[i], 0, 0);
    }
    rig_steps(&r, 30, 1.0 / 60);
    for (int i = 0; i < 3; ++i) NEAR(t, rig_body(&r, balls[i])->velocity.x, wants[i], 1e-8);
    NEAR(t, rig_kinetic(&r), 2.5, 1e-8);
    rig_end(&r);
}

/* N1, H10.2: a rod struck at its end takes (1 + e) m v / 4. */
static void rod_struck_at_its_end(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 0.5, 0, 0);
    uint32_t rod = rig_box(&r, m, 3, kin_v(2, 1e-4, 1e-4), kin_v(0, 1, 0), kin_quat_identity());
    rig_ball(&r, m, 0, 0.5, kin_v(1 - 1e-9, 0, 0));
    rig_body(&r, rod)->velocity = kin_v(0, -2, 0);
    rig_steps(&r, 30, 1.0 / 60);
    NEAR(t, rig_body(&r, rod)->velocity.y, -2 + 1.5 * 2 / 4, 1e-4);
    rig_end(&r);
}

/* N1: a sphere that sticks to the plane keeps 5/7 of its speed along it, and rolls. */
static void ball_sticks_and_rolls(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.5, 5, 5);
    rig_floor(&r, m);
    uint32_t ball = rig_ball(&r, m, 1, 0.5, kin_v(0, 0.5 + 0.05, 0));
    rig_body(&r, ball)->velocity = kin_v(1.4, 0, 0);
    rig_steps(&r, 1, 0.15);
    NEAR(t, rig_body(&r, ball)->velocity.x, 1, 1e-9);
    NEAR(t, rig_body(&r, ball)->spin.z, -2, 1e-9);
    rig_end(&r);
}

/* A bullet of 2 cm at 1 km/s against a plate of 1 mm, and one that just misses. The place of the hit is exact: it bounces straight back. */
static void bullet_and_thin_plate(test* t)
{
    for (int turning = 0; turning < 2; ++turning) {
        rig r;
        rig_begin(&r, t, rig_def());
        r.fields.gravity = kin_v(0, 0, 0);
        kin_material_id m = rig_material(&r, 1, 0, 0);
        rig_box(&r, m, 0, kin_v(0.001, 1, 1), kin_v(5.0, 0, 0), kin_quat_identity());
        uint32_t bullet = rig_ball(&r, m, 0.01, 0.01, kin_v(0, 0, 0)), other = rig_ball(&r, m, 0.01, 0.01, kin_v(0, 0.5101, 0));
        rig_body(&r, bullet)->velocity = rig_body(&r, other)->velocity = kin_v(1000, 0, 0);
        if (turning) rig_body(&r, bullet)->spin = kin_v(0, 30, 0);
        rig_step(&r, 1.0 / 60);
        NEAR3(t, rig_body(&r, bullet)->velocity, kin_v(-1000, 0, 0), 1e-6);
        NEAR(t, rig_body(&r, bullet)->position.x, 2 * (5.0 - 0.0005 - 0.01) - 1000.0 / 60, 1e-4);
        NEAR(t, rig_body(&r, other)->position.x, 1000.0 / 60, 1e-9);
        rig_end(&r);
    }
}

/* A bar of 2 m turning at 60 rad/s past a peg: its end comes round within the step, though it is clear at both ends of it. */
static void spinning_bar_meets_the_peg(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 1, 0, 0);
    uint32_t bar = rig_box(&r, m, 1, kin_v(2, 0.02, 0.02), kin_v(0, 0, 0), kin_quat_identity());
    rig_ball(&r, m, 0, 0.02, kin_v(0.9 * kin_cos(0.5), 0.9 * kin_sin(0.5), 0));
    rig_body(&r, bar)->spin = kin_v(0, 0, 60);
    double energy = rig_kinetic(&r);
    rig_step(&r, 1.0 / 60); /* a radian */
    CHECK(t, rig_body(&r, bar)->spin.z < 50);
    EQUAL(t, rig_solver(&r)->report.collisions, 1);
    NEAR(t, rig_kinetic(&r) / energy, 1, 1e-9);
    rig_end(&r);
}

/* Against the same motion in tiny steps: the time of a hit by a body that falls and turns. */
static void hit_time_does_not_depend_on_the_step(test* t)
{
    kin_vec3 spin[2];
    for (int k = 0; k < 2; ++k) {
        rig r;
        rig_begin(&r, t, rig_def());
        kin_material_id m = rig_material(&r, 0.6, 0, 0);
        rig_floor(&r, m);
        uint32_t box = rig_box(&r, m, 1, kin_v(1, 0.6, 0.4), kin_v(0, 2, 0), kin_quat_axis_angle(kin_v(1, 2, 3), 0.7));
        rig_body(&r, box)->spin = kin_v(1, 2, -1);
        int steps = k == 0 ? 20 : 640;
        rig_steps(&r, steps, 0.6 / steps);
        spin[k] = rig_body(&r, box)->spin;
        CHECK(t, rig_solver(&r)->report.collisions >= 1);
        rig_end(&r);
    }
    NEAR3(t, spin[0], spin[1], 2e-3);
}

/* C1.4.3: more meetings than max_events in an interval: e = 0 then, and the report says so. */
static void too_many_events_end_in_dead_stops(test* t)
{
    rig r;
    kin_rigid_def def = rig_def();
    def.max_events = 10;
    rig_begin(&r, t, def);
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 1, 0, 0);
    rig_box(&r, m, 0, kin_v(1, 1, 1), kin_v(-0.5, 0, 0), kin_quat_identity());
    rig_box(&r, m, 0, kin_v(1, 1, 1), kin_v(0.601, 0, 0), kin_quat_identity());
    uint32_t ball = rig_ball(&r, m, 1, 0.05, kin_v(0.0505, 0, 0)); /* 1 mm of room at 10 m/s: 166 meetings in a step */
    rig_body(&r, ball)->velocity = kin_v(10, 0, 0);
    rig_step(&r, 1.0 / 60);
    CHECK(t, r.report.capped > 0);
    HAS(t, r.report.note, "max_events");
    NEAR(t, rig_body(&r, ball)->velocity.x, 0, 1e-9);
    rig_end(&r);
}

/* Newton's cradle of five that touch, by turns: the last one leaves with all of it. */
static void cradle(test* t)
{
    rig r;
    kin_rigid_def def = rig_def();
    def.impulses = KIN_IMPULSE_SEQUENTIAL;
    rig_begin(&r, t, def);
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 1, 0, 0);
    for (int i = 0; i < 5; ++i) rig_ball(&r, m, 1, 0.5, kin_v(i == 0 ? -1 : i, 0, 0));
    rig_body(&r, 0)->velocity = kin_v(2, 0, 0);
    rig_steps(&r, 60, 1.0 / 60);
    for (uint32_t i = 0; i < 4; ++i) NEAR(t, rig_body(&r, i)->velocity.x, 0, 1e-9);
    NEAR(t, rig_body(&r, 4)->velocity.x, 2, 1e-9);
    rig_end(&r);
}

/* A hundred balls in a tight box with e = 1: ends, momentum and energy in bounds, nothing lost. */
static void crowd_in_a_box(test* t)
{
    rig r;
    kin_rigid_def def = rig_def();
    def.impulses = KIN_IMPULSE_LCP;
    def.max_events = 500;
    rig_begin(&r, t, def);
    r.fields.gravity = kin_v(0, 0, 0);
    kin_material_id m = rig_material(&r, 1, 0, 0);
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = -1; side <= 1; side += 2) {
            kin_vec3 at = kin_scale(kin_axis(axis), side * 2.0), size = kin_add_scaled(kin_v(6, 6, 6), -5, kin_axis(axis));
            rig_box(&r, m, 0, size, at, kin_quat_identity());
        }
    }
    for (int i = 0; i < 27; ++i) {
        uint32_t ball = rig_ball(&r, m, 1, 0.3, kin_v(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
        rig_body(&r, ball)->velocity = kin_v((i * 7 % 5) - 2, (i * 3 % 7) - 3, (i * 11 % 5) - 2);
    }
    double energy = rig_kinetic(&r);
    rig_steps(&r, 30, 1.0 / 60);
    NEAR(t, rig_kinetic(&r) / energy, 1, 1e-6);
    for (uint32_t i = 6; i < 33; ++i) CHECK(t, kin_largest(kin_abs3(rig_body(&r, i)->position)) < 1.2 + 1e-5);
    CHECK(t, rig_solver(&r)->report.collisions > 30);
    rig_end(&r);
}

/* The same bits for any number of threads, and after a restore. */
static uint64_t crowd_hash(test* t, int threads, bool restore)
{
    rig r;
    kin_rigid_def def = rig_def();
    rig_begin_threads(&r, t, def, threads);
    kin_material_id m = rig_material(&r, 0.6, 0.4, 0.3);
    rig_floor(&r, m);
    for (int i = 0; i < 6; ++i) {
        kin_vec3 at = kin_v(0.4 * (i % 2), 1 + 0.9 * i, 0.1 * i);
        uint32_t body = i % 2 ? rig_ball(&r, m, 1, 0.4, at) : rig_box(&r, m, 1, kin_v(0.8, 0.6, 0.7), at, kin_quat_axis_angle(kin_v(1, i, 2), 0.3 * i));
        rig_body(&r, body)->spin = kin_v(i, 1, -i);
    }
    rig_steps(&r, 20, 1.0 / 60);
    if (restore) {
        kin_visitor save = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
        kin_group_visit(r.group, &save);
        rig_steps(&r, 10, 1.0 / 60);
        kin_visitor load = {.mode = KIN_VISIT_LOAD, .allocator = t->allocator, .data = save.data, .size = save.size};
        kin_group_visit(r.group, &load);
        EQUAL(t, load.result, KIN_OK);
        kin_free(&t->allocator, save.data, save.capacity);
        r.index -= 10, r.time -= 10.0 / 60;
    }
    rig_steps(&r, 20, 1.0 / 60);
    uint64_t hash = rig_hash(&r);
    rig_end(&r);
    return hash;
}

static void bits_do_not_depend_on_threads_or_restores(test* t)
{
    uint64_t want = crowd_hash(t, 1, false);
    CHECK(t, crowd_hash(t, 2, false) == want);
    CHECK(t, crowd_hash(t, 3, false) == want);
    CHECK(t, crowd_hash(t, 1, true) == want);
}

/* A ball that bounces while it spins on the spot: every bounce takes spinning (1 + e) m v / I, and nothing else does. */
static void spin_fades_with_bounces(test* t)
{
    rig r;
    const double e = 0.8, radius = 0.2, lever = 1e-3, height = 0.5;
    rig_begin(&r, t, rig_def());
    kin_material_def def = kin_material_def_default();
    def.name = "felt", def.restitution = e, def.spinning_friction = lever;
    kin_material_id m;
    EQUAL(t, kin_materials_add(&r.materials, &def, &m, NULL), KIN_OK);
    rig_floor(&r, m);
    uint32_t ball = rig_ball(&r, m, 1, radius, kin_v(0, radius + height, 0));
    rig_body(&r, ball)->spin = kin_v(0, 10, 0);
    double speed = kin_sqrt(2 * 10 * height), first = speed / 10, second = first + 2 * e * speed / 10, by = lever * (1 + e) * speed / (0.4 * radius * radius);
    while (r.time < 0.5 * (first + second)) rig_step(&r, 1.0 / 60);
    NEAR(t, rig_body(&r, ball)->spin.y, 10 - by, 1e-4 * by); /* the tolerance in height, of what it fell through */
    while (r.time < second + 0.1) rig_step(&r, 1.0 / 60);
    NEAR(t, rig_body(&r, ball)->spin.y, 10 - by * (1 + e), 1e-4 * by);
    rig_end(&r);
}

TEST_MAIN("contact/exact/events", TEST(ball_bounces_at_exact_times), TEST(hit_is_told_with_its_speed), TEST(equal_balls_swap), TEST(three_balls_both_ways),
          TEST(simultaneous_meetings_are_one_cluster), TEST(rod_struck_at_its_end), TEST(ball_sticks_and_rolls), TEST(bullet_and_thin_plate),
          TEST(spinning_bar_meets_the_peg), TEST(hit_time_does_not_depend_on_the_step), TEST(too_many_events_end_in_dead_stops), TEST(cradle),
          TEST(crowd_in_a_box), TEST(bits_do_not_depend_on_threads_or_restores), TEST(spin_fades_with_bounces))
