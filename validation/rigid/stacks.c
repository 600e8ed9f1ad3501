/* stacks.c - real time: stacks that stand, piles that stay, bounces and collisions that keep what they should. Table of all cases in real time. */
#include "base/rng.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/rigid/rig.h"
#include <stdio.h>
#include <stdlib.h>

#define G 9.81
#define STEP (1.0 / 60)
#define SUBSTEP (STEP / 4)
#define FLOAT_EPS 0x1p-23

static void add_ground(kin_yard* y)
{
    kin_yard_open(y);
    kin_yard_plane(y, kin_v(0, 0, 0), kin_v(0, 1, 0));
}

/* ---- bounces ---- */

/* Height of the lowest point that the ball would reach, from its speed now. */
static double reach_of(const kin_yard* y, uint32_t ball, double radius)
{
    kin_body_state s = kin_yard_state(y, ball);
    return s.center.y - radius + kin_square(s.velocity.y) / (2 * G);
}

/* Steps until the ball has left the ground `count` times. */
static void wait_for_bounces(kin_yard* y, uint32_t ball, int count, double most)
{
    double before = kin_yard_state(y, ball).velocity.y;
    while (kin_yard_ok(y) && count > 0 && kin_world_time(y->world) < most) {
        kin_yard_step(y);
        double now = kin_yard_state(y, ball).velocity.y;
        if (before < 0 && now > 0) --count;
        before = now;
    }
    kin_yard_step(y);
}

static void case_bounce(kin_case_run* run)
{
    const double e[] = {0.3, 0.6, 0.9}, height = 1, speed = kin_sqrt(2 * G * height);
    for (int i = 0; i < 3; ++i) {
        kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, STEP);
        y.restitution = e[i];
        add_ground(&y);
        uint32_t ball = kin_yard_ball(&y, 0.25, kin_v(0, 0.25 + height, 0), kin_v(0, 0, 0));
        wait_for_bounces(&y, ball, 1, 3);
        char text[128];
        snprintf(text, sizeof text, "height after a bounce, e = %g, of the first", e[i]);
        kin_case_row(run, "realtime", text, reach_of(&y, ball, 0.25) / height, e[i] * e[i], 2 * speed * SUBSTEP, "e^2 h");
        kin_yard_close(&y);
    }
}

/* Every bounce may be off by what gravity does in a substep, this way or that: over twenty, the square root of it. It is made at the end of the step in which it
 * should have been: each of the twenty is late by a step at most. */
static void case_bounces(kin_case_run* run)
{
    const double height = 1, speed = kin_sqrt(2 * G * height);
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, STEP);
    y.restitution = 1;
    add_ground(&y);
    uint32_t ball = kin_yard_ball(&y, 0.25, kin_v(0, 0.25 + height, 0), kin_v(0, 0, 0));
    wait_for_bounces(&y, ball, 20, 30);
    kin_case_row(run, "realtime", "height after 20 bounces, e = 1, of the first", reach_of(&y, ball, 0.25) / height, 1, kin_sqrt(20) * 2 * speed * SUBSTEP,
                 "h");
    kin_case_row(run, "realtime", "time of the twentieth, s", kin_world_time(y.world), 39 * speed / G, 20 * STEP, "39 sqrt(2 h / g)");
    kin_yard_close(&y);
}

/* ---- collisions in free space ---- */

static void add_up(const kin_yard* y, uint32_t count, kin_vec3* momentum, kin_vec3* angular, double* energy)
{
    *momentum = *angular = kin_v(0, 0, 0);
    *energy = 0;
    for (uint32_t i = 0; i < count; ++i) {
        kin_body_state s = kin_yard_state(y, i);
        kin_vec3 p = kin_scale(s.velocity, s.mass);
        *momentum = kin_add(*momentum, p);
        *angular = kin_add(*angular, kin_add(kin_cross(s.center, p), kin_yard_angular(&s)));
        *energy += kin_yard_kinetic(&s);
    }
}

/* Balls and cubes that fly at each other. Each of four substeps adds impulses to floats, in two passes: eight roundings a step of every body's own momentum. */
static void case_momentum(kin_case_run* run)
{
    enum { COUNT = 24, STEPS = 180 };
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, STEP);
    const kin_rng_key key = {.seed = 7};
    y.def.gravity = kin_v(0, 0, 0);
    y.restitution = 0.7;
    y.friction = 0.4;
    kin_yard_open(&y);
    double scale = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        kin_vec3 d = {kin_rng_uniform(&key, 3 * i, -1, 1), kin_rng_uniform(&key, 3 * i + 1, -1, 1), kin_rng_uniform(&key, 3 * i + 2, -1, 1)};
        d = kin_scale(kin_normalize_or(d, kin_v(1, 0, 0)), 2.5 + 0.05 * i);
        kin_vec3 v = kin_add(kin_scale(d, -1.5), kin_v(0.5, 0.2, -0.1));
        y.body.mass = 0.5 + 0.1 * i;
        scale += y.body.mass * kin_length(v);
        if (i % 2 == 0)
            kin_yard_ball(&y, 0.3, d, v);
        else
            kin_yard_box(&y, kin_v(0.5, 0.5, 0.5), d, v);
    }
    kin_vec3 p0, l0, p, l;
    double e0, e, worst_p = 0, worst_l = 0, gained = 0;
    add_up(&y, COUNT, &p0, &l0, &e0);
    for (int i = 0; i < STEPS && kin_yard_ok(&y); ++i) {
        kin_yard_step(&y);
        add_up(&y, COUNT, &p, &l, &e);
        worst_p = kin_max(worst_p, kin_length(kin_sub(p, p0)));
        worst_l = kin_max(worst_l, kin_length(kin_sub(l, l0)));
        gained = kin_max(gained, e - e0);
    }
    kin_case_row(run, "realtime", "24 bodies collide: momentum lost, of its parts", worst_p / scale, 0, 8 * STEPS * FLOAT_EPS / kin_sqrt(COUNT), "kept");
    kin_case_row(run, "realtime", "angular momentum lost, of its parts", worst_l / (2.5 * scale), 0, 1e-2, "kept to the order of the step");
    kin_case_row(run, "realtime", "energy gained, of the first", gained / e0, 0, 1e-3, "none");
    kin_case_row(run, "realtime", "energy left, below the first", e < 0.9 * e0, 1, 0, "they did collide");
    kin_yard_close(&y);
}

/* Gaps wider than a step's way: each collision is for itself, and the last ball gets it all. */
static void case_cradle(kin_case_run* run)
{
    const double v = 3;
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, STEP);
    y.def.gravity = kin_v(0, 0, 0);
    y.restitution = 1;
    kin_yard_open(&y);
    for (int i = 0; i < 5; ++i) kin_yard_ball(&y, 0.25, kin_v(0.6 * i, 0, 0), kin_v(i == 0 ? v : 0, 0, 0));
    kin_yard_steps(&y, 120);
    for (uint32_t i = 0; i < 5; ++i) {
        char text[128];
        snprintf(text, sizeof text, "ball %u of five, m/s", i + 1);
        kin_case_row(run, "realtime", text, kin_yard_state(&y, i).velocity.x, i == 4 ? v : 0, 1e-4 * v, "Newton's cradle");
    }
    kin_yard_close(&y);
}

/* ---- stacks ---- */

/* A soft contact has the stiffness m' om^2, m' being the mass that it moves and om the rate of the solver, a seventh of the substep's: m on the ground, m / 2
 * between two boxes. So the ground gives way by 10 g / om^2 under ten, and box n from the top by 2 n g / om^2 under n. */
static void case_stack(kin_case_run* run)
{
    enum { COUNT = 10 };
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, STEP);
    y.friction = 0.6;
    add_ground(&y);
    for (int i = 0; i < COUNT; ++i) kin_yard_box(&y, kin_v(1, 1, 1), kin_v(0, 0.5 + i, 0), kin_v(0, 0, 0));
    kin_yard_steps(&y, run->full ? 60 * 600 : 60 * 60);
    double drift = 0, sag = 0, speed = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        kin_body_state s = kin_yard_state(&y, i);
        drift = kin_max(drift, kin_sqrt(s.center.x * s.center.x + s.center.z * s.center.z));
        sag = kin_max(sag, 0.5 + i - s.center.y);
        speed = kin_max(speed, kin_length(s.velocity));
    }
    kin_case_row(run, "realtime", "ten boxes for 60 s: drift, m", drift, 0, 1e-3, "rest");
    double om = 2 * KIN_PI / (7 * SUBSTEP), weights = COUNT + 2 * (COUNT * (COUNT - 1) / 2.0);
    kin_case_row(run, "realtime", "sag of the top, m", sag, 0, weights * G / (om * om), "n + n (n - 1) weights");
    kin_case_row(run, "realtime", "speed, m/s", speed, 0, 1e-3, "rest");
    kin_yard_close(&y);
}

/* The wall of the issue: row i of boxes above the gaps of row i - 1. */
static void case_wall(kin_case_run* run)
{
    const int base = run->full ? 50 : 12;
    uint32_t* first = calloc((size_t)base + 1, sizeof *first);
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, STEP);
    y.friction = 0.6;
    add_ground(&y);
    y.body.mass = 1000;
    for (int i = 0; i < base && first != NULL; ++i) {
        for (int j = 0; j < base - i; ++j) {
            uint32_t box = kin_yard_box(&y, kin_v(1, 1, 1), kin_v((j + 0.5 * i - 0.5 * base) * 1.02, 0.5 + i, 0), kin_v(0, 0, 0));
            if (j == 0) first[i] = box;
        }
    }
    kin_yard_steps(&y, 600);
    double drift = 0, deep = 0;
    for (int i = 0; i < base && first != NULL; ++i) {
        for (int j = 0; j < base - i; ++j) {
            kin_vec3 at = kin_yard_state(&y, first[i] + (uint32_t)j).center;
            drift = kin_max(drift, kin_length(kin_sub(kin_v(at.x, 0, at.z), kin_v((j + 0.5 * i - 0.5 * base) * 1.02, 0, 0))));
            double under =
                i == 0 ? -0.5 : kin_max(kin_yard_state(&y, first[i - 1] + (uint32_t)j).center.y, kin_yard_state(&y, first[i - 1] + (uint32_t)j + 1).center.y);
            deep = kin_max(deep, under + 1 - at.y);
        }
    }
    free(first);
    kin_case_row(run, "realtime", "wall pyramid after 10 s: drift, m", drift, 0, 0.05, "issue: < 5 cm");
    kin_case_row(run, "realtime", "penetration, m", deep, 0, 0.01, "issue: < 1 cm");
    kin_yard_close(&y);
}

/* Layers of n x n cubes of 2 m, one less a layer; odd ones shifted with the rest. */
static void case_pyramid(kin_case_run* run)
{
    const int high = run->full ? 15 : 5;
    uint32_t layer[16] = {0};
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, STEP);
    y.friction = 0.6;
    add_ground(&y);
    y.body.mass = 8000;
    for (int i = 0; i < high; ++i) {
        for (int j = 0; j < (high - i) * (high - i); ++j) {
            int side = high - i;
            uint32_t box = kin_yard_box(&y, kin_v(2, 2, 2), kin_v((j % side - 0.5 * side) * 2.04, 1 + 2 * i, (j / side - 0.5 * side) * 2.04), kin_v(0, 0, 0));
            if (j == 0) layer[i] = box;
        }
    }
    kin_yard_steps(&y, run->full ? 600 : 300);
    double drift = 0, deep = 0;
    for (int i = 0; i < high; ++i) {
        int side = high - i;
        for (int j = 0; j < side * side; ++j) {
            kin_vec3 at = kin_yard_state(&y, layer[i] + (uint32_t)j).center, home = {(j % side - 0.5 * side) * 2.04, 0, (j / side - 0.5 * side) * 2.04};
            drift = kin_max(drift, kin_length(kin_sub(kin_v(at.x, 0, at.z), home)));
            double under = -1;
            for (int k = 0; k < 4 && i > 0; ++k) { /* the four below */
                uint32_t below = layer[i - 1] + (uint32_t)((j / side + k / 2) * (side + 1) + j % side + k % 2);
                under = k == 0 ? kin_yard_state(&y, below).center.y : kin_max(under, kin_yard_state(&y, below).center.y);
            }
            deep = kin_max(deep, under + 2 - at.y);
        }
    }
    kin_case_row(run, "realtime", "3D pyramid: drift, m", drift, 0, 0.05, "issue: stands");
    kin_case_row(run, "realtime", "penetration, m", deep, 0, 1e-3, "issue: < 1 mm");
    kin_yard_close(&y);
}

/* ---- piles ---- */

static int by_size(const void* a, const void* b)
{
    double d = *(const double*)a - *(const double*)b;
    return d < 0 ? -1 : d > 0;
}

/* How deep balls (every second body) are in each other, and all in the walls. */
static size_t overlaps(const kin_yard* y, uint32_t count, double* out)
{
    size_t found = 0;
    for (uint32_t i = 0; i < count; i += 2) {
        kin_vec3 a = kin_yard_state(y, i).center;
        for (uint32_t j = i + 2; j < count; j += 2) {
            double deep = 0.5 - kin_length(kin_sub(kin_yard_state(y, j).center, a));
            if (deep > 0) out[found++] = deep;
        }
        double wall = kin_max(kin_max(0.25 - a.y, kin_abs(a.x) - 4.75), kin_abs(a.z) - 4.75);
        if (wall > 0) out[found++] = wall;
    }
    return found;
}

static void add_box_of_walls(kin_yard* y)
{
    add_ground(y);
    for (int side = -1; side <= 1; side += 2) {
        kin_yard_plane(y, kin_v(-5.0 * side, 0, 0), kin_v(side, 0, 0));
        kin_yard_plane(y, kin_v(0, 0, -5.0 * side), kin_v(0, 0, side));
    }
}

static void case_pile(kin_case_run* run)
{
    const uint32_t count = run->full ? 5000 : 675;
    const kin_rng_key key = {.seed = 3};
    double* deep = calloc((size_t)count * 16, sizeof *deep);
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, STEP);
    y.friction = 0.6;
    add_box_of_walls(&y);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t layer = i / 225, column = i % 15, row = i / 15 % 15;
        kin_vec3 at = {0.6 * (column - 7.0) + kin_rng_uniform(&key, 3 * i, -0.04, 0.04), 0.5 + 0.6 * layer,
                       0.6 * (row - 7.0) + kin_rng_uniform(&key, 3 * i + 1, -0.04, 0.04)};
        if (i % 2 == 0)
            kin_yard_ball(&y, 0.25, at, kin_v(0, 0, 0));
        else
            kin_yard_box(&y, kin_v(0.5, 0.5, 0.5), at, kin_v(0, 0, 0));
    }
    kin_yard_steps(&y, 600);
    double outside = 0;
    for (uint32_t i = 0; i < count; ++i) {
        kin_vec3 at = kin_yard_state(&y, i).center;
        outside += !(kin_abs(at.x) < 5 && kin_abs(at.z) < 5 && at.y > 0 && at.y < 100);
    }
    size_t found = deep != NULL ? overlaps(&y, count, deep) : 0;
    if (found > 0) qsort(deep, found, sizeof *deep, by_size);
    kin_case_row(run, "realtime", "bodies in a box after 10 s: escaped", outside, 0, 0, "issue: none");
    kin_case_row(run, "realtime", "penetration of balls, 99 of 100 less than, m", found > 0 ? deep[found * 99 / 100] : 0, 0, 0.02, "issue: < 2 cm");
    kin_case_row(run, "realtime", "deepest, m", found > 0 ? deep[found - 1] : 0, 0, 0.06, "issue: < 6 cm");
    free(deep);
    kin_yard_close(&y);
}

const kin_case kin_cases_stacks[] = {
    {"rigid/realtime-incline", "Real time: a box on an incline sticks, or slides at g (sin a - mu cos a).", kin_case_rt_incline},
    {"rigid/realtime-slide", "Real time: a sliding box stops after v^2 / (2 mu g).", kin_case_rt_slide},
    {"rigid/realtime-yaw", "Real time: bricks of any proportions and yaw slide straight.", kin_case_rt_yaw},
    {"rigid/realtime-roll", "Real time: a ball slides into rolling at 5/7, rolls down an incline, is stopped by rolling friction.", kin_case_rt_roll},
    {"rigid/realtime-tip", "Real time: a block tips where its weight leaves its base.", kin_case_rt_tip},
    {"rigid/realtime-groove", "Real time: normal forces of a V-groove, by their friction.", kin_case_rt_groove},
    {"rigid/realtime-spin-down", "Real time: friction against spinning on the spot.", kin_case_rt_spin_down},
    {"rigid/realtime-coin", "Real time: a spun coin comes to lie and gains nothing.", kin_case_rt_coin},
    {"rigid/realtime-conveyor", "Real time: a belt carries a box along.", kin_case_rt_conveyor},
    {"rigid/realtime-race", "Real time: down a cycloid, a circle and a line.", kin_case_rt_race},
    {"rigid/realtime-top", "Real time: the free asymmetric top turns over, and keeps energy and momentum.", kin_case_rt_top},
    {"rigid/realtime-air", "Real time: drag, terminal speeds, angular drag.", kin_case_rt_air},
    {"rigid/realtime-orbit", "Real time: an orbit in an attractor field.", kin_case_rt_orbit},
    {"rigid/realtime-bounce", "Real time: height after a bounce, e^2 h.", case_bounce},
    {"rigid/realtime-bounces", "Real time: twenty bounces at e = 1.", case_bounces},
    {"rigid/realtime-momentum", "Real time: collisions in free space keep momentum and gain no energy.", case_momentum},
    {"rigid/realtime-impacts", "Real time: random impacts make no energy and keep momentum.", kin_case_rt_impacts},
    {"rigid/realtime-cradle", "Real time: Newton's cradle.", case_cradle},
    {"rigid/realtime-stack", "Real time: ten boxes stand.", case_stack},
    {"rigid/realtime-wall", "Real time: the wall pyramid stands.", case_wall},
    {"rigid/realtime-pyramid", "Real time: the 3D pyramid stands.", case_pyramid},
    {"rigid/realtime-pile", "Real time: balls and boxes stay in their box.", case_pile},
    {NULL, NULL, NULL},
};
