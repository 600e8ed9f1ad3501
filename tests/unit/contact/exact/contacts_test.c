/* contacts_test.c - bodies that rest, slide and roll on each other through the engine (C4.11.3, C4.11.4, H10.13, H10.15, H10.16, N2, R6). */
#include "unit/contact/exact/rig.h"

static double rig_energy(rig* r)
{
    double sum = rig_kinetic(r);
    for (uint32_t i = 0; i < r->group->bodies.count; ++i) {
        if (r->group->bodies.motion[i] == KIN_BODY_FREE) sum += 10 * rig_body(r, i)->mass * rig_body(r, i)->position.y;
    }
    return sum;
}

static void box_rests_for_ever(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.4, 0.5, 0.4);
    rig_floor(&r, m);
    uint32_t box = rig_box(&r, m, 2, kin_v(1, 0.5, 0.8), kin_v(0, 0.25 + 0.2, 0), kin_quat_identity());
    rig_steps(&r, 60, 1.0 / 60);
    EQUAL(t, rig_solver(&r)->report.contacts, 4);
    kin_vec3 at = rig_body(&r, box)->position;
    NEAR(t, at.y, 0.25, 2e-6);
    uint64_t before = t->allocations;
    rig_steps(&r, 240, 1.0 / 60);
    EQUAL(t, t->allocations, before); /* a steady step takes no memory */
    NEAR3(t, rig_body(&r, box)->position, at, 1e-6);
    CHECK(t, kin_length(rig_body(&r, box)->velocity) < 1e-9 && kin_length(rig_body(&r, box)->spin) < 1e-9);
    EQUAL(t, rig_solver(&r)->report.events, 0);
    rig_end(&r);
}

static void stack_of_five_stands(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.6, 0.5);
    rig_floor(&r, m);
    for (int i = 0; i < 5; ++i) rig_box(&r, m, 1 + i, kin_v(1, 1, 1), kin_v(0.05 * (i % 2), 0.5 + i + 1e-3 * (i + 1), 0), kin_quat_identity());
    rig_steps(&r, 120, 1.0 / 60);
    for (uint32_t i = 1; i <= 5; ++i) {
        kin_vec3 at = rig_body(&r, i)->position;
        NEAR(t, at.y, i - 0.5, 1e-6 * i); /* a tolerance for each gap */
        NEAR3(t, at, kin_v(0.05 * ((i - 1) % 2), at.y, 0), 1e-12);
        CHECK(t, kin_length(rig_body(&r, i)->velocity) < 1e-9);
    }
    EQUAL(t, rig_solver(&r)->report.contacts, 20);
    rig_end(&r);
}

/* Ten rows of boxes above the gaps of the row below, 400 contacts in one unit: forces of all of them, exactly, and nothing moves. */
static void pyramid_of_ten_stands(test* t)
{
    enum { ROWS = 10 };
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.3, 0.6, 0.6);
    rig_floor(&r, m);
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k < ROWS - i; ++k) rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v((k + 0.5 * i) * 1.02, 0.5 + i, 0), kin_quat_identity());
    }
    for (int i = 0; i < 10; ++i) {
        EQUAL(t, rig_step(&r, 1.0 / 60), KIN_STATUS_OK);
        EQUAL(t, rig_solver(&r)->report.contacts, 400);
        EQUAL(t, rig_solver(&r)->report.yielded, 0);
        CHECK(t, rig_solver(&r)->report.residual < 1e-9 * 10);
    }
    for (uint32_t i = 1; i < r.group->bodies.count; ++i) CHECK(t, kin_length(rig_body(&r, i)->velocity) < 1e-9);
    NEAR(t, rig_body(&r, r.group->bodies.count - 1)->position.y, ROWS - 0.5, 1e-6 * ROWS);
    rig_end(&r);
}

/* Bricks of a wall touch their neighbours without a load: side faces press with nothing, and friction there may hold nothing. Forces
 * are found to rounding all the same, so nothing moves, and each step costs a small part of what it may. */
static void wall_without_gaps_stands(test* t)
{
    enum { ROWS = 4, BRICKS = ROWS * ROWS };
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.3, 0.5, 0.5);
    rig_floor(&r, m);
    for (int i = 0; i < BRICKS; ++i)
        rig_box(&r, m, 1, kin_v(1, 0.5, 0.5), kin_v(i % ROWS + 0.5 * (i / ROWS % 2), 0.25 + 0.5 * (i / ROWS), 0), kin_quat_identity());
    for (int step = 0; step < 20; ++step) {
        EQUAL(t, rig_step(&r, 1.0 / 60), KIN_STATUS_OK);
        EQUAL(t, rig_solver(&r)->report.yielded, 0);
        CHECK(t, rig_solver(&r)->report.residual < 1e-9 * 10);
        CHECK(t, rig_solver(&r)->body[1].spent < KIN_EXACT_BUDGET / (step == 0 ? 10 : 50)); /* later ones begin with the forces before */
    }
    for (uint32_t i = 1; i <= BRICKS; ++i) CHECK(t, kin_length(rig_body(&r, i)->velocity) < 1e-9);
    rig_end(&r);
}

/* A ball into a wall of loose bricks: dozens of meetings in a step of hundreds of contacts. Work is bounded, and what goes by turns for it says so. */
static void ball_breaks_a_wall(test* t)
{
    enum { ROWS = 4, STEPS = 8 };
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.3, 0.6, 0.6);
    rig_floor(&r, m);
    for (int i = 0; i < ROWS * ROWS; ++i) {
        int row = i / ROWS;
        rig_box(&r, m, 1, kin_v(1, 0.5, 0.5), kin_v(i % ROWS + 0.5 * (row % 2), 0.25 + 0.5 * row, 0), kin_quat_identity());
    }
    uint32_t ball = rig_ball(&r, m, 5, 0.4, kin_v(2.1, 1, -1.2));
    rig_body(&r, ball)->velocity = kin_v(0, 0, 10);
    double last = rig_kinetic(&r);
    for (int i = 0; i < STEPS; ++i) {
        EQUAL(t, rig_step(&r, 1.0 / 60), KIN_STATUS_OK);
        double now = rig_kinetic(&r), work = 210 * 1e-3 / 60; /* J: to lift all by what may sink in a step at contact_speed, and what gravity may have done */
        for (uint32_t k = 1; k <= ball; ++k) work += rig_body(&r, k)->mass * 10 * kin_length(rig_body(&r, k)->velocity) / 60;
        CHECK(t, now <= last + work);
        if (rig_solver(&r)->report.yielded > 0) HAS(t, r.report.note, "by turns");
        last = now;
    }
    CHECK(t, last < 0.9 * 0.5 * 5 * 100); /* it did break */
    for (uint32_t k = 1; k <= ball; ++k) CHECK(t, rig_body(&r, k)->position.y > 0.25 - 1e-3);
    rig_end(&r);
}

/* Rows of 3, 2 and 1 boxes, 5 mm above each other, that bounce a little: corners meet again and again, ever slower. The steps come to an end, the wall to rest,
 * and energy never rises by more than lifting all of it by what may sink in a step: what closes slower than contact_speed is no meeting, 60 N by 1e-3 / 60 m. At
 * rest all is where it belongs but for the tolerance of each row. */
static void wall_with_gaps_settles(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.3, 0.5, 0.5);
    rig_floor(&r, m);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3 - i; ++k) rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v((k + 0.5 * i - 1.5) * 1.02, 0.505 + 1.005 * i, 0), kin_quat_identity());
    }
    double last = 1e308;
    for (int step = 0; step < 60; ++step) {
        if (!test_check(t, rig_step(&r, 1.0 / 60) == KIN_STATUS_OK, __FILE__, __LINE__, "step %d refused: %s", step, r.report.note)) break;
        double energy = rig_energy(&r);
        test_check(t, energy < last + 60 * 1e-3 / 60, __FILE__, __LINE__, "step %d: %.9g J from %.9g", step, energy, last);
        CHECK(t, rig_solver(&r)->report.events <= 200); /* max_events */
        last = energy;
    }
    NEAR(t, last, 10 * (3 * 0.5 + 2 * 1.5 + 2.5), 10 * (3 * 1 + 2 * 2 + 3) * 2e-6);
    for (uint32_t i = 1; i <= 6; ++i) NEAR(t, rig_body(&r, i)->position.y, i <= 3 ? 0.5 : i <= 5 ? 1.5 : 2.5, 3 * 2e-6);
    rig_end(&r);
}

/* C1.4.8: a tower of ten that clatters down a centimetre each. Past the work of a step nothing bounces (e = 0), the report says so, and what impulses by turns
 * leave is in it: at most what gravity does in a stride, or they would not have stopped the fall. It comes to rest, and energy never rises by more than lifting
 * all of it by what may sink in a step at contact_speed. */
static void tower_comes_to_rest_by_turns(test* t)
{
    enum { BOXES = 10 };
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.2, 0.6, 0.6);
    rig_floor(&r, m);
    for (int i = 0; i < BOXES; ++i) rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v(0.05 * (i % 2), 0.5 + i + 0.01 * (i + 1), 0), kin_quat_identity());
    double last = rig_energy(&r);
    int turns = 0;
    for (int step = 0; step < 60; ++step) {
        if (!test_check(t, rig_step(&r, 1.0 / 60) == KIN_STATUS_OK, __FILE__, __LINE__, "step %d refused: %s", step, r.report.note)) break;
        double now = rig_energy(&r);
        test_check(t, now < last + BOXES * 10 * 1e-3 / 60, __FILE__, __LINE__, "step %d: %.9g J from %.9g", step, now, last);
        if (rig_solver(&r)->report.yielded > 0) {
            turns += 1;
            HAS(t, r.report.note, "by turns");
            CHECK(t, rig_solver(&r)->report.impact < 10.0 / 60 / KIN_EXACT_LEAST_STRIDES);
        }
        last = now;
    }
    CHECK(t, turns > 0);
    EQUAL(t, rig_solver(&r)->report.yielded, 0); /* at rest complementarity has the answer again */
    for (uint32_t i = 1; i <= BOXES; ++i) {
        NEAR(t, rig_body(&r, i)->position.y, i - 0.5, 2e-6 * i);
        CHECK(t, kin_length(rig_body(&r, i)->velocity) < 1e-7);
    }
    rig_end(&r);
}

static double deepest(rig* r)
{
    const kin_exact* self = rig_solver(r);
    double least = 0;
    for (uint32_t i = 0; i < self->pair_count; ++i) {
        const kin_exact_pair* p = self->pairs[i];
        kin_arena* scratch = &r->jobs.arenas[0];
        kin_transform a = kin_body_pose(rig_body(r, p->a)), b = kin_body_pose(rig_body(r, p->b));
        least = kin_min(least, kin_exact_separation(self, p, a, b, 1e-3, scratch));
    }
    return least;
}

/* Rows that fall on each other, 2 cm each, the upper ones while those below go by turns already: they are met, though they are on their way since the step
 * began. Nothing is ever what the solver calls deep, 100 tolerances. */
static void rows_fall_on_what_goes_by_turns(test* t)
{
    enum { ROWS = 5 };
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.3, 0.6, 0.6);
    rig_floor(&r, m);
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k < ROWS - i; ++k) rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v((k + 0.5 * i) * 1.02, 0.52 + 1.02 * i, 0), kin_quat_identity());
    }
    int turns = 0;
    for (int step = 0; step < 20; ++step) {
        EQUAL(t, rig_step(&r, 1.0 / 60), KIN_STATUS_OK);
        double depth = deepest(&r);
        test_check(t, depth > -100 * 1e-6, __FILE__, __LINE__, "step %d: %.3g m", step, depth);
        turns += rig_solver(&r)->report.yielded > 0;
    }
    CHECK(t, turns > 0);
    rig_end(&r);
}

/* Light below heavy, 1 : 1e5: no tilt grows, nothing creeps. Forces are right to 1e-16 of the largest, 1e6 m/s^2 on the light one, times the ratio of the masses
 * for what rows share: 1e-5 m/s^2, so speeds are below that times a step. */
static void light_bears_heavy(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.5, 0.5);
    rig_floor(&r, m);
    rig_box(&r, m, 1, kin_v(1, 1, 1), kin_v(0, 0.5, 0), kin_quat_identity());
    rig_box(&r, m, 1e5, kin_v(1, 1, 1), kin_v(0, 1.5, 0), kin_quat_identity());
    rig_steps(&r, 200, 1.0 / 60);
    for (uint32_t i = 1; i <= 2; ++i) {
        NEAR3(t, rig_body(&r, i)->position, kin_v(0, i - 0.5, 0), 1e-6 * i);
        CHECK(t, kin_length(rig_body(&r, i)->velocity) + kin_length(rig_body(&r, i)->spin) < 1e-5 / 60 * 10);
    }
    EQUAL(t, rig_solver(&r)->report.contacts, 8);
    rig_end(&r);
}

/* N2: a = g (sin - mu_d cos) while it slides, nothing while tan <= mu_s. */
static void incline_sticks_and_slides(test* t)
{
    for (int forces = 0; forces < 3; forces += 2) { /* baraff, lemke */
        for (int slides = 0; slides < 2; ++slides) {
            rig r;
            kin_rigid_def def = rig_def();
            double slope = slides ? 0.5 : 0.35; /* tan 0.546, 0.365 */
            def.forces = forces;
            rig_begin(&r, t, def);
            kin_material_id m = rig_material(&r, 0, forces == 2 ? 0.3 + 0.15 * !slides : 0.45, 0.3);
            kin_quat q = kin_quat_axis_angle(kin_v(0, 0, 1), -slope);
            rig_add(&r, rig_form(&r, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}), m, 0, kin_v(0, 0, 0), q);
            uint32_t box = rig_box(&r, m, 2, kin_v(1, 0.4, 1), kin_rotate(q, kin_v(0, 0.2, 0)), q);
            rig_steps(&r, 60, 1.0 / 60);
            double down = kin_dot(rig_body(&r, box)->position, kin_rotate(q, kin_v(1, 0, 0)));
            double want = slides ? 0.5 * 10 * (kin_sin(slope) - 0.3 * kin_cos(slope)) : 0;
            NEAR(t, down, want, slides ? 1e-4 * want + 1e-4 : 1e-6);
            rig_end(&r);
        }
    }
}

/* H10.16: stops after v^2 / (2 mu g) at v / (mu g), to the step's end, and stays. */
static void sliding_stops_where_it_should(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.3, 0.3);
    rig_floor(&r, m);
    uint32_t box = rig_box(&r, m, 2, kin_v(1, 0.1, 1), kin_v(0, 0.05, 0), kin_quat_identity());
    rig_body(&r, box)->velocity = kin_v(2, 0, 0);
    rig_steps(&r, 60, 1.0 / 60);
    NEAR(t, rig_body(&r, box)->position.x, 4 / 6.0, 1e-5);
    NEAR3(t, rig_body(&r, box)->velocity, kin_v(0, 0, 0), 1e-9);
    NEAR(t, rig_solver(&r)->report.dissipated, 4, 1e-3); /* all of m v^2 / 2 but for the tick that it ends in, whose end is found to slip_speed */
    rig_end(&r);
}

/* H10.16: a ball that slides at first rolls at 5/7 v0 from t = 2 v0 / (7 mu g) on. */
static void ball_slides_into_rolling(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.2, 0.2);
    rig_floor(&r, m);
    uint32_t ball = rig_ball(&r, m, 3, 0.5, kin_v(0, 0.5, 0));
    rig_body(&r, ball)->velocity = kin_v(7, 0, 0);
    rig_steps(&r, 50, 1.0 / 60); /* 0.8333 s of 1: still sliding */
    NEAR(t, rig_body(&r, ball)->velocity.x, 7 - 2 * 50 / 60.0, 1e-6);
    rig_steps(&r, 40, 1.0 / 60);
    NEAR(t, rig_body(&r, ball)->velocity.x, 5, 1e-5);
    NEAR(t, rig_body(&r, ball)->spin.z, -10, 1e-4);
    NEAR(t, rig_body(&r, ball)->position.x, 7 - 1 + 5 * 0.5, 1e-4);
    NEAR(t, rig_body(&r, ball)->position.y, 0.5, 2e-6);
    rig_end(&r);
}

/* H10.13: a ball in a V-groove, walls alpha off the vertical... its weight is shared: it rests. */
static void ball_rests_in_a_groove(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0.2, 0, 0);
    for (int side = -1; side <= 1; side += 2) {
        kin_shape plane = {.kind = KIN_SHAPE_PLANE, .normal = {side, 1, 0}};
        rig_add(&r, rig_form(&r, plane), m, 0, kin_v(0, 0, 0), kin_quat_identity());
    }
    uint32_t ball = rig_ball(&r, m, 3, 0.5, kin_v(0, 0.5 * kin_sqrt(2) + 0.05, 0));
    rig_steps(&r, 60, 1.0 / 60);
    NEAR3(t, rig_body(&r, ball)->position, kin_v(0, 0.5 * kin_sqrt(2), 0), 5e-6);
    EQUAL(t, rig_solver(&r)->report.contacts, 2);
    rig_end(&r);
}

/* N2: pushed at less than mu_s m g it stays, at more it goes with (F - mu_d m g) / m. */
static void table_holds_a_push(test* t)
{
    for (int k = 0; k < 2; ++k) {
        rig r;
        rig_begin(&r, t, rig_def());
        kin_material_id m = rig_material(&r, 0, 0.5, 0.4);
        rig_floor(&r, m);
        uint32_t box = rig_box(&r, m, 2, kin_v(1, 0.2, 1), kin_v(0, 0.1, 0), kin_quat_identity());
        r.group->bodies.push[box] = kin_v(k == 0 ? 9.9 : 12, 0, 0);
        for (int i = 0; i < 30; ++i) {
            r.group->bodies.push[box] = kin_v(k == 0 ? 9.9 : 12, 0, 0);
            rig_step(&r, 1.0 / 60);
        }
        double want = k == 0 ? 0 : (12 - 0.4 * 20) / 2 * 0.5;
        NEAR(t, rig_body(&r, box)->velocity.x, want, k == 0 ? 1e-9 : 2e-3);
        rig_end(&r);
    }
}

/* A tall block on a slope steeper than b / h tips over its edge rather than slide. */
static void tall_block_tips(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.9, 0.9);
    kin_quat q = kin_quat_axis_angle(kin_v(0, 0, 1), -0.4); /* tan 0.42; b / h = 0.4 */
    rig_add(&r, rig_form(&r, (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 1, 0}}), m, 0, kin_v(0, 0, 0), q);
    uint32_t box = rig_box(&r, m, 2, kin_v(0.4, 1, 0.4), kin_rotate(q, kin_v(0, 0.5, 0)), q);
    kin_vec3 corner = kin_rotate(q, kin_v(0.2, 0, 0));
    rig_steps(&r, 60, 1.0 / 60);
    kin_vec3 now = kin_apply(kin_body_pose(rig_body(&r, box)), kin_unapply(r.group->bodies.skin[box].place, kin_v(0, 0, 0)));
    (void)now;
    CHECK(t, kin_length(rig_body(&r, box)->spin) > 0.1);
    kin_vec3 pivot = kin_apply(kin_bodies_form_pose(&r.group->bodies, box), kin_v(0.2, -0.5, 0));
    NEAR3(t, pivot, corner, 1e-4);
    rig_end(&r);
}

/* A block let go on one edge: it falls flat, the other edge meets the floor at its time, and it comes to rest. */
static void leaning_block_comes_down(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.8, 0.7);
    rig_floor(&r, m);
    kin_quat q = kin_quat_axis_angle(kin_v(0, 0, 1), 0.3);
    kin_vec3 corner = kin_rotate(q, kin_v(-0.5, -0.25, 0)), other = kin_rotate(q, kin_v(0.5, -0.25, 0));
    uint32_t box = rig_box(&r, m, 2, kin_v(1, 0.5, 0.8), kin_v(0, -kin_min(corner.y, other.y) + 1e-7, 0), q);
    rig_steps(&r, 90, 1.0 / 60);
    NEAR(t, rig_body(&r, box)->position.y, 0.25, 1e-5);
    CHECK(t, kin_length(rig_body(&r, box)->velocity) < 1e-6);
    CHECK(t, rig_solver(&r)->report.collisions >= 1);
    rig_end(&r);
}

/* Rolls on the inside of nothing but its own spin: a ball spinning in place at 50 rad/s does not leave the floor. */
static void spinning_ball_stays_down(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0, 0);
    rig_floor(&r, m);
    uint32_t ball = rig_ball(&r, m, 1, 0.5, kin_v(0, 0.5, 0));
    rig_body(&r, ball)->spin = kin_v(0, 3, 50);
    rig_steps(&r, 60, 1.0 / 60);
    NEAR3(t, rig_body(&r, ball)->position, kin_v(0, 0.5, 0), 2e-6);
    NEAR3(t, rig_body(&r, ball)->spin, kin_v(0, 3, 50), 1e-9);
    rig_end(&r);
}

/* Slides off a ball without friction: it leaves where cos = 2/3. */
static void slide_off_a_ball(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0, 0);
    rig_ball(&r, m, 0, 1, kin_v(0, 0, 0));
    uint32_t bead = rig_ball(&r, m, 1, 0.01, kin_v(1.01 * kin_sin(0.1), 1.01 * kin_cos(0.1), 0));
    rig_steps(&r, 120, 1.0 / 60);
    double cosine = 2.0 / 3 * kin_cos(0.1); /* v^2 = 2 g r (cos 0.1 - cos) = g r cos; nothing changes its speed sideways afterwards */
    NEAR(t, rig_body(&r, bead)->velocity.x, kin_sqrt(10 * 1.01 * cosine) * cosine, 3e-4);
    rig_end(&r);
}

/* A coin that rolls on its rim, leaning: no meetings, no loss, and it stays on the floor. */
static void coin_rolls_on_its_rim(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 2, 2);
    rig_floor(&r, m);
    kin_quat q = kin_quat_mul(kin_quat_axis_angle(kin_v(1, 0, 0), 0.2), kin_quat_axis_angle(kin_v(1, 0, 0), 1.57079632679489662));
    kin_form* disc = rig_form(&r, (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = 0.25, .length = 0.02});
    kin_vec3 low = kin_rotate(q, kin_v(0, 0.01, 0)), arm = kin_rotate(q, kin_v(0, 0, 0.25)), other = kin_rotate(q, kin_v(0, -0.01, 0));
    double height = kin_max(kin_abs(arm.y) + kin_abs(low.y), kin_abs(arm.y) + kin_abs(other.y));
    uint32_t coin = rig_add(&r, disc, m, 1, kin_v(0, height, 0), q);
    kin_exact_pair pair = {.a = 0, .b = coin};
    kin_exact_point points[KIN_EXACT_POINTS];
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    EQUAL(t, kin_exact_points(rig_solver(&r), &pair, rig_body(&r, 0), rig_body(&r, coin), 1e-6, points, KIN_EXACT_POINTS, &scratch), 1);
    kin_touching touch = kin_exact_touching(&points[0], rig_body(&r, coin), rig_body(&r, 0));
    kin_arena_term(&scratch);
    rig_body(&r, coin)->spin = kin_add(kin_scale(kin_rotate(q, kin_v(0, 1, 0)), 12), kin_v(0, 0.5, 0));
    rig_body(&r, coin)->velocity = kin_neg(kin_cross(rig_body(&r, coin)->spin, kin_sub(touch.point, rig_body(&r, coin)->position)));
    double energy = rig_kinetic(&r) + 10 * rig_body(&r, coin)->position.y;
    int events = 0;
    for (int i = 0; i < 120; ++i) {
        EQUAL(t, rig_step(&r, 1.0 / 120), KIN_STATUS_OK);
        events += rig_solver(&r)->report.events;
    }
    EQUAL(t, events, 0);
    EQUAL(t, rig_solver(&r)->report.contacts, 1);
    NEAR(t, (rig_kinetic(&r) + 10 * rig_body(&r, coin)->position.y) / energy, 1, 1e-4);
    rig_end(&r);
}

/* Conveyor: what lies on a belt of 1 m/s is brought to that speed by friction and carried. */
static void belt_carries(test* t)
{
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_id m = rig_material(&r, 0, 0.5, 0.5);
    uint32_t belt = rig_box(&r, m, 0, kin_v(10, 1, 2), kin_v(0, -0.5, 0), kin_quat_identity());
    r.group->bodies.skin[belt].surface_velocity = kin_v(1, 0, 0);
    uint32_t box = rig_box(&r, m, 2, kin_v(0.5, 0.2, 0.5), kin_v(-2, 0.1 + 1e-4, 0), kin_quat_identity());
    rig_steps(&r, 90, 1.0 / 60);
    NEAR(t, rig_body(&r, box)->velocity.x, 1, 1e-6);
    NEAR(t, rig_body(&r, box)->position.x, -2 + 1.5 - 0.1, 2e-3); /* v / (mu g) = 0.2 s to get there: half of it lost */
    rig_end(&r);
}

/* A ball that rolls against a lever of l slows by (5/7) l g / R, and stops; one that spins on the spot by l g / (2/5 R^2). */
static void ball_rolls_and_spins_to_a_stop(test* t)
{
    for (int spins = 0; spins < 2; ++spins) {
        rig r;
        rig_begin(&r, t, rig_def());
        kin_material_def def = kin_material_def_default();
        kin_material_id m;
        def.name = "soft", def.restitution = 0, def.rolling_friction = spins ? 0 : 0.01, def.spinning_friction = spins ? 0.01 : 0;
        for (int k = 0; k < 2; ++k) def.static_friction[k] = def.dynamic_friction[k] = 0.8;
        EQUAL(t, kin_materials_add(&r.materials, &def, &m, NULL), KIN_OK);
        rig_floor(&r, m);
        uint32_t ball = rig_ball(&r, m, 1, 0.5, kin_v(0, 0.5, 0));
        kin_body* b = rig_body(&r, ball);
        b->velocity = spins ? kin_v(0, 0, 0) : kin_v(1, 0, 0);
        b->spin = spins ? kin_v(0, 3, 0) : kin_v(0, 0, -2);
        rig_steps(&r, 60, 1.0 / 60);
        if (spins)
            NEAR(t, rig_body(&r, ball)->spin.y, 3 - 0.01 * 10 / (0.4 * 0.25), 1e-6);
        else
            NEAR(t, rig_body(&r, ball)->velocity.x, 1 - 5.0 / 7 * 0.01 * 10 / 0.5, 1e-6);
        rig_steps(&r, 480, 1.0 / 60);
        NEAR(t, kin_length(rig_body(&r, ball)->spin), 0, 1e-6);
        rig_end(&r);
    }
}

/* Whether it bounces or rolls, the floor has carried m g T after a time T, and rolling has lost (5/7) l / R of that; what is slower than
 * 2 sqrt(g tolerance) does not bounce, and is off by as much of m v, once. */
static void bouncing_ball_rolls_out(test* t)
{
    const double lever = 0.01, radius = 0.5, speed = 3, end = 3;
    rig r;
    rig_begin(&r, t, rig_def());
    kin_material_def def = kin_material_def_default();
    kin_material_id m;
    def.name = "soft", def.restitution = 0.5, def.rolling_friction = lever;
    for (int k = 0; k < 2; ++k) def.static_friction[k] = def.dynamic_friction[k] = 0.8;
    EQUAL(t, kin_materials_add(&r.materials, &def, &m, NULL), KIN_OK);
    rig_floor(&r, m);
    uint32_t ball = rig_ball(&r, m, 1, radius, kin_v(0, radius + 0.2, 0));
    rig_body(&r, ball)->velocity = kin_v(speed, 0, 0);
    rig_body(&r, ball)->spin = kin_v(0, 0, -speed / radius);
    rig_steps(&r, (int)(60 * end), 1.0 / 60);
    CHECK(t, rig_solver(&r)->report.collisions > 3);
    NEAR(t, rig_body(&r, ball)->position.y, radius, 2e-6);
    NEAR(t, rig_body(&r, ball)->velocity.x, speed - 5.0 / 7 * lever / radius * 10 * end, 5.0 / 7 * lever / radius * 2 * kin_sqrt(10 * 1e-6));
    NEAR(t, rig_body(&r, ball)->spin.z * radius, -rig_body(&r, ball)->velocity.x, 1e-6);
    rig_end(&r);
}

TEST_MAIN("contact/exact/contacts", TEST(box_rests_for_ever), TEST(stack_of_five_stands), TEST(pyramid_of_ten_stands), TEST(wall_without_gaps_stands),
          TEST(ball_breaks_a_wall), TEST(wall_with_gaps_settles), TEST(tower_comes_to_rest_by_turns), TEST(rows_fall_on_what_goes_by_turns),
          TEST(light_bears_heavy), TEST(incline_sticks_and_slides), TEST(sliding_stops_where_it_should), TEST(ball_slides_into_rolling),
          TEST(ball_rests_in_a_groove), TEST(table_holds_a_push), TEST(tall_block_tips), TEST(leaning_block_comes_down), TEST(spinning_ball_stays_down),
          TEST(slide_off_a_ball), TEST(coin_rolls_on_its_rim), TEST(belt_carries), TEST(ball_rolls_and_spins_to_a_stop), TEST(bouncing_ball_rolls_out))
