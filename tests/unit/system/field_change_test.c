/* field_change_test.c - what is done after a step: kicks (H5.1d), limits (H5.1f), operators on the way (H5.2a), the cartoon fall (H2.1). */
#include "field_lab.h"

static kin_vec3 kicked(test* t, double h, double seconds, uint64_t serial)
{
    lab l;
    kin_kicks_field d;
    kin_field_default("kicks", &d);
    d.kicks = 0.5;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "kicks", &d, NULL), KIN_OK);
    lab_one(&l, kin_v(0, 0, 0), kin_v(0, 0, 0));
    l.serial[0] = serial;
    int steps = (int)kin_round(seconds / h);
    for (int i = 0; i < steps; ++i) {
        l.time = i * h; /* as worlds count */
        lab_step(&l, h);
    }
    lab_end(&l);
    return lab_vec(l.v, 0);
}

/* The same kicks for any step, also where they fall on the ends of steps. */
static void kicks_do_not_depend_on_the_step(test* t)
{
    kin_vec3 v = kicked(t, 1.0 / 60, 2, 3);
    CHECK(t, kin_length(v) > 0);
    NEAR3(t, kicked(t, 1.0 / 240, 2, 3), v, 1e-14);
    NEAR3(t, kicked(t, 1.0 / 30, 2, 3), v, 1e-14);
    NEAR3(t, kicked(t, 1.0 / 7, 2, 3), v, 1e-14);
    CHECK(t, kin_distance(kicked(t, 1.0 / 60, 2, 4), v) > 1e-3);
}

/* Two fields alike, and two systems whose points have the same serials, kick differently. */
static void kicks_of_others_are_others(test* t)
{
    lab l;
    kin_kicks_field d;
    kin_field_default("kicks", &d);
    d.kicks = 1;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "kicks", &d, NULL), KIN_OK);
    EQUAL(t, lab_add(&l, "kicks", &d, NULL), KIN_OK);
    lab_one(&l, kin_v(0, 0, 0), kin_v(0, 0, 0));
    lab_step(&l, 0.01); /* the one at 0 s */
    kin_vec3 both = lab_vec(l.v, 0);
    CHECK(t, kin_abs(kin_length(both) - 2) > 1e-3);
    kin_field_batch b = lab_batch(&l);
    kin_field_after after = {.batch = &b, .h = 0.01, .velocity = {l.new_v[0], l.new_v[1], l.new_v[2]}, .carried = {l.carried[0], l.carried[1], l.carried[2]}};
    b.time = 0;
    b.system = 1;
    memset(l.new_v, 0, sizeof l.new_v);
    kin_fields_after(&l.fields, &after);
    CHECK(t, kin_distance(lab_vec(l.new_v, 0), both) > 1e-3);
    lab_end(&l);
}

/* E|v|^2 = n S^2. |v|^2 / (n S^2) of a walk of n steps has a variance of 2/3; over 1500 points the mean errs by 0.021, five of which are allowed. */
static void kicks_add_as_a_random_walk(test* t)
{
    const int points = 1500;
    double sum = 0;
    for (int i = 0; i < points; ++i) sum += kin_length2(kicked(t, 0.1, 1, (uint64_t)i));
    NEAR(t, sum / points / (30 * 0.25), 1, 0.105);
}

static kin_vec3 limited(test* t, double most, double least, kin_vec3 old, kin_vec3 v)
{
    lab l;
    kin_speed_limit_field d;
    kin_field_default("speed_limit", &d);
    d.speed_limit = most;
    d.least = least;
    lab_begin(t, &l, kin_simd_best());
    EQUAL(t, lab_add(&l, "speed_limit", &d, NULL), KIN_OK);
    lab_one(&l, kin_v(0, 0, 0), old);
    l.new_v[0][0] = v.x;
    l.new_v[1][0] = v.y;
    l.new_v[2][0] = v.z;
    lab_after(&l, 0.1);
    lab_end(&l);
    return lab_vec(l.new_v, 0);
}

/* Old above or below the limit, new longer or shorter than the shorter of both. */
static void the_four_cases_of_a_least_speed(test* t)
{
    NEAR3(t, limited(t, 0, 2, kin_v(3, 0, 0), kin_v(0, 2.5, 0)), kin_v(0, 2.5, 0), 0); /* fast, and fast enough: as it is */
    NEAR3(t, limited(t, 0, 2, kin_v(3, 0, 0), kin_v(0, 1, 0)), kin_v(2, 0, 0), 1e-15); /* fast, now too slow: held at the limit */
    NEAR3(t, limited(t, 0, 2, kin_v(1, 0, 0), kin_v(0, 1.5, 0)), kin_v(0, 1.5, 0), 0); /* slow, and faster: may go on */
    NEAR3(t, limited(t, 0, 2, kin_v(1, 0, 0), kin_v(0, 0.5, 0)), kin_v(1, 0, 0), 0);   /* slow, and slower: as it was */
    NEAR3(t, limited(t, 0, 2, kin_v(0, 0, 0), kin_v(0, 0, 0)), kin_v(0, 0, 0), 0);
}

static void the_four_cases_of_a_greatest_speed(test* t)
{
    NEAR3(t, limited(t, 2, 0, kin_v(1, 0, 0), kin_v(0, 1.9, 0)), kin_v(0, 1.9, 0), 0);
    NEAR3(t, limited(t, 2, 0, kin_v(1, 0, 0), kin_v(0, 5, 0)), kin_v(0, 2, 0), 1e-15);
    NEAR3(t, limited(t, 2, 0, kin_v(3, 0, 0), kin_v(0, 2.5, 0)), kin_v(0, 2.5, 0), 0);
    NEAR3(t, limited(t, 2, 0, kin_v(3, 0, 0), kin_v(0, 4, 0)), kin_v(0, 3, 0), 1e-15);
}

static void bad_limits_are_refused(test* t)
{
    lab l;
    kin_error error = {0};
    kin_speed_limit_field d;
    kin_field_default("speed_limit", &d);
    lab_begin(t, &l, KIN_SIMD_NONE);
    EQUAL(t, lab_add(&l, "speed_limit", &d, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "nothing would be limited");
    d.speed_limit = 1;
    d.least = 2;
    EQUAL(t, lab_add(&l, "speed_limit", &d, &error), KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "least");
    lab_end(&l);
}

/* ---- the way ---- */

static void add_translate(test* t, lab* l, kin_vec3 by, double deviation)
{
    kin_translate_field d;
    kin_field_default("translate", &d);
    d.translate = by;
    d.deviation = deviation;
    EQUAL(t, lab_add(l, "translate", &d, NULL), KIN_OK);
}

static void add_rotate(test* t, lab* l, double angle, double deviation)
{
    kin_rotate_field d;
    kin_field_default("rotate", &d);
    d.rotate = angle;
    d.deviation = deviation;
    EQUAL(t, lab_add(l, "rotate", &d, NULL), KIN_OK);
}

static void add_scale(test* t, lab* l, double factor, double deviation)
{
    kin_scale_field d;
    kin_field_default("scale", &d);
    d.scale = factor;
    d.deviation = deviation;
    EQUAL(t, lab_add(l, "scale", &d, NULL), KIN_OK);
}

/* By dv for 1 / h steps: by dv; by dv / h once: a jump of the same. The velocity never knows. */
static void translating_moves_and_leaves_momentum(test* t)
{
    lab l;
    lab_begin(t, &l, kin_simd_best());
    add_translate(t, &l, kin_v(1, -2, 0.5), 0);
    lab_one(&l, kin_v(0, 0, 0), kin_v(0, 0, 0));
    for (int i = 0; i < 8; ++i) lab_step(&l, 0.125);
    NEAR3(t, lab_vec(l.x, 0), kin_v(1, -2, 0.5), 0);
    NEAR3(t, lab_vec(l.v, 0), kin_v(0, 0, 0), 0);
    lab_end(&l);
    lab_begin(t, &l, kin_simd_best());
    add_translate(t, &l, kin_v(8, -16, 4), 0);
    lab_one(&l, kin_v(0, 0, 0), kin_v(0, 0, 0));
    lab_step(&l, 0.125);
    NEAR3(t, lab_vec(l.x, 0), kin_v(1, -2, 0.5), 0);
    lab_end(&l);
}

static void operators_come_in_order(test* t)
{
    for (int order = 0; order < 2; ++order) {
        lab l;
        lab_begin(t, &l, kin_simd_best());
        if (order == 0) add_translate(t, &l, kin_v(1, 0, 0), 0);
        add_rotate(t, &l, 0.5 * KIN_PI, 0); /* about y: x to -z */
        add_scale(t, &l, 3, 0);
        if (order == 1) add_translate(t, &l, kin_v(1, 0, 0), 0);
        lab_one(&l, kin_v(0, 0, 0), kin_v(1, 2, 0));
        lab_step(&l, 1);
        NEAR3(t, lab_vec(l.x, 0), order == 0 ? kin_v(0, 6, -6) : kin_v(1, 6, -3), 1e-14);
        NEAR3(t, lab_vec(l.v, 0), kin_v(1, 2, 0), 0);
        lab_end(&l);
    }
}

/* Each point draws its own once: the same in every step, another for every point and every field. Mean and deviation of 37 draws within four errors. */
static void deviations_belong_to_points(test* t)
{
    lab l;
    lab_begin(t, &l, kin_simd_best());
    add_translate(t, &l, kin_v(5, 0, 0), 0.5);
    memset(l.v, 0, sizeof l.v);
    memset(l.x, 0, sizeof l.x);
    lab_step(&l, 1);
    double first[LAB], mean = 0, square = 0;
    memcpy(first, l.x[0], sizeof first);
    for (int i = 0; i < LAB; ++i) {
        mean += first[i] / LAB;
        square += (first[i] - 5) * (first[i] - 5) / LAB;
        CHECK(t, i == 0 || first[i] != first[i - 1]);
    }
    NEAR(t, mean, 5, 4 * 0.5 / kin_sqrt(LAB));
    NEAR(t, square, 0.25, 4 * 0.25 * kin_sqrt(2.0 / LAB));
    lab_step(&l, 1);
    for (int i = 0; i < LAB; ++i) NEAR(t, l.x[0][i], 2 * first[i], 1e-13);
    lab_end(&l);
    lab_begin(t, &l, kin_simd_best());
    add_scale(t, &l, 1, 0.2);
    add_rotate(t, &l, 0, 0.3);
    memcpy(l.new_v, l.v, sizeof l.v);
    lab_after(&l, 1);
    for (int i = 1; i < LAB; ++i) {
        double factor = kin_length(lab_vec(l.carried, i)) / kin_length(lab_vec(l.v, i));
        CHECK(t, factor != 1 && kin_abs(factor - 1) < 1);
        CHECK(t, kin_angle(lab_vec(l.carried, i), lab_vec(l.v, i)) > 0);
        NEAR(t, l.carried[1][i], factor * l.v[1][i], 1e-14); /* the axis stays */
    }
    lab_end(&l);
}

/* ---- the cartoon ---- */

static lab falling(test* t, bool cartoon, double h, int steps)
{
    lab l;
    kin_cartoon_field d;
    kin_field_default("cartoon", &d);
    d.cartoon = 0.8;
    d.begin = 0.25;
    d.catch_up = 0.4;
    d.fall = kin_v(0.5, -10, 0);
    lab_begin(t, &l, kin_simd_best());
    l.fields.gravity = d.fall;
    if (cartoon) EQUAL(t, lab_add(&l, "cartoon", &d, NULL), KIN_OK);
    lab_one(&l, kin_v(0, 0, 0), kin_v(2, 1, -1));
    for (int i = 0; i < steps; ++i) lab_step(&l, h);
    lab_end(&l);
    return l;
}

/* It hangs where it was at 0.25 s, then is back on Newton's path at 1.45 s, in place and in velocity, for steps that do and do not meet those times. */
static void the_coyote_meets_newton_again(test* t)
{
    const double steps_per_second[] = {100, 64, 37};
    for (int k = 0; k < 3; ++k) {
        double h = 1 / steps_per_second[k];
        int soon = (int)(1.04 / h), late = (int)(1.5 / h);
        lab hung = falling(t, true, h, soon), was = falling(t, false, h / 16, (int)kin_round(0.25 / h * 16));
        if (k < 2) NEAR3(t, lab_vec(hung.x, 0), lab_vec(was.x, 0), 1e-12);
        lab newton = falling(t, false, h, soon);
        NEAR3(t, lab_vec(hung.v, 0), lab_vec(newton.v, 0), 0);
        CHECK(t, kin_distance(lab_vec(hung.x, 0), lab_vec(newton.x, 0)) > 1);
        lab met = falling(t, true, h, late), free = falling(t, false, h, late);
        NEAR3(t, lab_vec(met.x, 0), lab_vec(free.x, 0), 1e-12);
        NEAR3(t, lab_vec(met.carried, 0), lab_vec(free.carried, 0), 1e-12);
    }
}

/* On its way back it starts from rest, falls faster than Newton has it, and never leaps: its speed changes by little in a step. */
static void the_catch_up_is_smooth(test* t)
{
    const double h = 0.001;
    lab before = falling(t, true, h, 1050);
    CHECK(t, kin_length(lab_vec(before.carried, 0)) < 0.01);
    double fastest = 0, jump = 0, last = kin_length(lab_vec(before.carried, 0));
    for (int n = 1051; n <= 1460; ++n) {
        lab l = falling(t, true, h, n);
        double speed = kin_length(lab_vec(l.carried, 0));
        jump = kin_max(jump, kin_abs(speed - last));
        last = speed;
        fastest = kin_max(fastest, speed);
    }
    CHECK(t, fastest > 14);
    CHECK(t, jump < 0.5);
}

static void every_width_gives_the_same_bits(test* t)
{
    kin_kicks_field kicks;
    kin_field_default("kicks", &kicks);
    kicks.kicks = 1;
    lab_same_bits(t, "kicks", &kicks);
    kin_cartoon_field cartoon;
    kin_field_default("cartoon", &cartoon);
    cartoon.cartoon = 1;
    lab_same_bits(t, "cartoon", &cartoon);
}

TEST_MAIN("field_change", TEST(kicks_do_not_depend_on_the_step), TEST(kicks_of_others_are_others), TEST(kicks_add_as_a_random_walk),
          TEST(the_four_cases_of_a_least_speed), TEST(the_four_cases_of_a_greatest_speed), TEST(bad_limits_are_refused),
          TEST(translating_moves_and_leaves_momentum), TEST(operators_come_in_order), TEST(deviations_belong_to_points), TEST(the_coyote_meets_newton_again),
          TEST(the_catch_up_is_smooth), TEST(every_width_gives_the_same_bits))
