/* slides.c - real time: friction of bodies that slide, roll, tip and spin, against closed forms (C1.4, C4.13, H10.6; N1).
 *
 * Tolerances: forces begin and end with a substep, so speeds are off by up to one substep of the acceleration at each change of regime, and places by that over
 * the time. Contacts are soft: what should not move creeps by less than a hundredth of the substep's kick. */
#include "base/rng.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/rigid/rig.h"
#include <stdio.h>

#define G 9.81
#define STEP (1.0 / 60)
#define SUBSTEP (STEP / 4)

static kin_yard ground(kin_case_run* run, double friction)
{
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, STEP);
    y.friction = friction;
    return y;
}

/* A plane that falls towards +x at `slope` (its tangent), and the frame of what lies on it. */
typedef struct slope {
    double sine, cosine;
    kin_quat turn;
    kin_vec3 normal, down;
} slope;

static slope slope_of(double tangent)
{
    double angle = kin_atan(tangent), s = kin_sin(angle), c = kin_cos(angle);
    return (slope){s, c, kin_quat_axis_angle(kin_v(0, 0, 1), -angle), {s, c, 0}, {c, -s, 0}};
}

/* A box of the size on the slope; its velocity and way down the slope after t seconds. */
static kin_body_state lie(kin_yard* y, const slope* s, kin_vec3 size, double t)
{
    kin_yard_open(y);
    kin_yard_plane(y, kin_v(0, 0, 0), s->normal);
    y->body.orientation = s->turn;
    uint32_t box = kin_yard_box(y, size, kin_scale(s->normal, 0.5 * size.y), kin_v(0, 0, 0));
    kin_yard_steps(y, (int64_t)kin_round(t / STEP));
    return kin_yard_state(y, box);
}

/* ---- sticks or slides ---- */

void kin_case_rt_incline(kin_case_run* run)
{
    const double friction[] = {0.3, 0.5, 1}, t = 2;
    for (int i = 0; i < 3; ++i) {
        for (int above = 0; above < 2; ++above) {
            slope s = slope_of(friction[i] * (above ? 1.1 : 0.9));
            kin_yard y = ground(run, friction[i]);
            kin_body_state end = lie(&y, &s, kin_v(1, 0.2, 1), t);
            double a = above ? G * (s.sine - friction[i] * s.cosine) : 0;
            char text[128];
            snprintf(text, sizeof text, "speed after %g s, tan = %g mu, mu = %g, m/s", t, above ? 1.1 : 0.9, friction[i]);
            kin_case_row(run, "realtime", text, kin_dot(end.velocity, s.down), a * t, above ? G * SUBSTEP : 1e-4, "g (sin a - mu cos a)");
            snprintf(text, sizeof text, "way, mu = %g, m", friction[i]);
            kin_case_row(run, "realtime", text, kin_dot(end.center, s.down), a * t * t / 2, above ? G * SUBSTEP * t : 1e-3, "g (sin a - mu cos a)");
            kin_yard_close(&y);
        }
    }
}

void kin_case_rt_slide(kin_case_run* run)
{
    const double v = 4, mu = 0.4;
    kin_yard y = ground(run, mu);
    kin_yard_open(&y);
    kin_yard_plane(&y, kin_v(0, 0, 0), kin_v(0, 1, 0));
    uint32_t box = kin_yard_box(&y, kin_v(1, 0.2, 1), kin_v(0, 0.1, 0), kin_v(v, 0, 0));
    kin_yard_steps(&y, 120);
    kin_case_row(run, "realtime", "way of a box, 4 m/s, mu 0.4, m", kin_yard_state(&y, box).center.x, v * v / (2 * mu * G), v * SUBSTEP, "v^2 / (2 mu g)");
    kin_case_row(run, "realtime", "speed after it, m/s", kin_length(kin_yard_state(&y, box).velocity), 0, 1e-4, "v^2 / (2 mu g)");
    kin_yard_close(&y);
}

/* Bricks side by side, each at a yaw of its own. */
void kin_case_rt_yaw(kin_case_run* run)
{
    const uint32_t count = run->full ? 2000 : 40;
    const double v = 6, mu = 0.3, way = v * v / (2 * mu * G);
    const kin_rng_key key = {.seed = 7};
    kin_yard y = ground(run, mu);
    kin_yard_open(&y);
    kin_yard_plane(&y, kin_v(0, 0, 0), kin_v(0, 1, 0));
    for (uint32_t i = 0; i < count; ++i) {
        kin_vec3 size = {kin_rng_uniform(&key, 4 * i, 0.2, 2), kin_rng_uniform(&key, 4 * i + 1, 0.1, 0.3), kin_rng_uniform(&key, 4 * i + 2, 0.2, 1)};
        y.body.orientation = kin_quat_axis_angle(kin_v(0, 1, 0), kin_rng_uniform(&key, 4 * i + 3, 0, 2 * KIN_PI));
        kin_yard_box(&y, size, kin_v(0, 0.5 * size.y, 4.0 * i), kin_v(v, 0, 0));
    }
    kin_yard_steps(&y, (int64_t)(1.2 * v / (mu * G) / STEP));
    double far = 0, aside = 0;
    for (uint32_t i = 0; i < count; ++i) {
        kin_vec3 at = kin_yard_state(&y, i).center;
        far = kin_max(far, kin_abs(at.x - way)), aside = kin_max(aside, kin_abs(at.z - 4.0 * i));
    }
    char text[128];
    snprintf(text, sizeof text, "%u bricks: way, worst error, m", count);
    kin_case_row(run, "realtime", text, far, 0, 0.005 * way, "v^2 / (2 mu g)");
    kin_case_row(run, "realtime", "aside, worst, m", aside, 0, 0.005 * way, "friction opposes slip");
    kin_yard_close(&y);
}

/* ---- rolls ---- */

static double slip(const kin_yard* y) /* of the ball's lowest point */
{
    kin_body_state s = kin_yard_state(y, 0);
    return s.velocity.x + 0.5 * s.spin.z - 1e-3;
}

static void slide_into_rolling(kin_case_run* run)
{
    const double v = 5, mu = 0.2;
    kin_yard y = ground(run, mu);
    kin_yard_open(&y);
    kin_yard_plane(&y, kin_v(0, 0, 0), kin_v(0, 1, 0));
    uint32_t ball = kin_yard_ball(&y, 0.5, kin_v(0, 0.5, 0), kin_v(v, 0, 0));
    double t = kin_yard_time_of(&y, slip, 3);
    kin_case_row(run, "realtime", "a ball slides for, s", t, 2 * v / (7 * mu * G), STEP, "2 v / (7 mu g)");
    kin_yard_steps(&y, 30);
    kin_body_state s = kin_yard_state(&y, ball);
    kin_case_row(run, "realtime", "then rolls at, m/s", s.velocity.x, 5 * v / 7, mu * G * SUBSTEP, "5/7 v");
    kin_case_row(run, "realtime", "with the spin, rad/s", s.spin.z, -s.velocity.x / 0.5, 1e-3, "-v / r");
    kin_yard_close(&y);
}

static void roll_down(kin_case_run* run)
{
    slope s = slope_of(0.3);
    kin_yard y = ground(run, 0.5);
    kin_yard_open(&y);
    kin_yard_plane(&y, kin_v(0, 0, 0), s.normal);
    uint32_t ball = kin_yard_ball(&y, 0.5, kin_scale(s.normal, 0.5), kin_v(0, 0, 0));
    kin_yard_steps(&y, 120);
    kin_case_row(run, "realtime", "a ball down an incline, after 2 s, m/s", kin_dot(kin_yard_state(&y, ball).velocity, s.down), 5.0 / 7 * G * s.sine * 2,
                 G * SUBSTEP, "5/7 g sin a");
    kin_yard_close(&y);
}

/* I + m r^2 about the contact, slowed by the torque lever m g. */
static void roll_out(kin_case_run* run)
{
    const double v = 2, r = 0.5, lever = 0.05;
    kin_yard y = ground(run, 0.6);
    y.rolling = lever;
    kin_yard_open(&y);
    kin_yard_plane(&y, kin_v(0, 0, 0), kin_v(0, 1, 0));
    y.body.spin = kin_v(0, 0, -v / r);
    uint32_t ball = kin_yard_ball(&y, r, kin_v(0, r, 0), kin_v(v, 0, 0));
    kin_yard_steps(&y, 300);
    double a = 5 * lever * G / (7 * r);
    kin_case_row(run, "realtime", "rolling friction stops a ball after, m", kin_yard_state(&y, ball).center.x, v * v / (2 * a), v * SUBSTEP,
                 "7 r v^2 / (10 d g)");
    kin_case_row(run, "realtime", "its spin then, rad/s", kin_length(kin_yard_state(&y, ball).spin), 0, 1e-3, "7 r v^2 / (10 d g)");
    kin_yard_close(&y);
}

void kin_case_rt_roll(kin_case_run* run)
{
    slide_into_rolling(run);
    roll_down(run);
    roll_out(run);
}

/* ---- tips ---- */

static double lean_of(const kin_body_state* s, kin_quat from)
{
    return kin_length(kin_quat_rotation_vector(kin_quat_mul(s->pose.orientation, kin_quat_conj(from))));
}

static void tip_on_incline(kin_case_run* run)
{
    const double base = 0.4, height = 1;
    for (int above = 0; above < 2; ++above) {
        slope s = slope_of(base / height * (above ? 1.05 : 0.95));
        kin_yard y = ground(run, 1);
        kin_body_state end = lie(&y, &s, kin_v(base, height, base), 3);
        double lean = lean_of(&end, s.turn);
        kin_case_row(run, "realtime", above ? "a block at tan = 1.05 b/h has fallen" : "a block at tan = 0.95 b/h leans, rad", above ? lean > 1 : lean, above,
                     above ? 0 : 1e-3, "tips iff tan a > b/h");
        kin_yard_close(&y);
    }
}

static bool tips(kin_case_run* run, double force, double base, double height)
{
    kin_yard y = ground(run, 1);
    kin_yard_open(&y);
    kin_yard_plane(&y, kin_v(0, 0, 0), kin_v(0, 1, 0));
    uint32_t box = kin_yard_box(&y, kin_v(base, height, base), kin_v(0, 0.5 * height, 0), kin_v(0, 0, 0));
    kin_yard_steps(&y, 30);
    double lean = 0;
    for (int i = 0; i < 150 && kin_yard_ok(&y) && lean < 0.3; ++i) {
        kin_body_state s = kin_yard_state(&y, box);
        kin_rigid_apply(y.world, y.system, box, kin_v(force, 0, 0), s.center, kin_v(0, 0, 0));
        kin_yard_step(&y);
        lean = lean_of(&s, kin_quat_identity());
    }
    kin_yard_close(&y);
    return lean > 0.2;
}

/* The force at its middle that a block bears: by halving. A force just above takes ln(1/surplus) / 4 s to show. */
static void push_to_tipping(kin_case_run* run)
{
    const double base = 0.4, height = 1, want = G * base / height;
    double low = 0.8 * want, high = 1.2 * want;
    for (int i = 0; i < 7; ++i) {
        double middle = 0.5 * (low + high);
        if (tips(run, middle, base, height))
            high = middle;
        else
            low = middle;
    }
    kin_case_row(run, "realtime", "force that tips a block, N", 0.5 * (low + high), want, 0.01 * want, "m g b / (2 y)");
}

void kin_case_rt_tip(kin_case_run* run)
{
    tip_on_incline(run);
    push_to_tipping(run);
}

/* ---- V-groove: each side bears m g / (2 cos a), which friction shows ---- */

void kin_case_rt_groove(kin_case_run* run)
{
    const double angle = KIN_PI / 4, mu = 0.2, v = 6, r = 0.5, c = kin_cos(angle), rolls = 2.5 * c * c;
    kin_yard y = ground(run, mu);
    kin_yard_open(&y);
    kin_yard_plane(&y, kin_v(0, 0, 0), kin_v(0, c, kin_sin(angle)));
    kin_yard_plane(&y, kin_v(0, 0, 0), kin_v(0, c, -kin_sin(angle)));
    uint32_t ball = kin_yard_ball(&y, r, kin_v(0, r / c, 0), kin_v(v, 0, 0));
    kin_yard_steps(&y, 30);
    kin_case_row(run, "realtime", "a ball slides: speed after 0.5 s, m/s", kin_yard_state(&y, ball).velocity.x, v - mu * G / c * 0.5, 2 * mu * G / c * SUBSTEP,
                 "N = m g / (2 cos a)");
    kin_yard_steps(&y, 90);
    kin_body_state s = kin_yard_state(&y, ball);
    kin_case_row(run, "realtime", "then rolls at, m/s", s.velocity.x, v * rolls / (1 + rolls), 2 * mu * G / c * SUBSTEP, "5/2 cos^2 a");
    kin_case_row(run, "realtime", "sideways, m", s.center.z, 0, 1e-4, "symmetry");
    kin_yard_close(&y);
}

/* ---- spins down ---- */

/* A ball by spinning friction: (2/5) m r^2 w' = -s m g. */
static void ball_spins_down(kin_case_run* run)
{
    const double w = 10, r = 0.5, lever = 0.02, slowing = lever * G / (0.4 * r * r);
    kin_yard y = ground(run, 0.5);
    y.spinning = lever;
    kin_yard_open(&y);
    kin_yard_plane(&y, kin_v(0, 0, 0), kin_v(0, 1, 0));
    y.body.spin = kin_v(0, w, 0);
    uint32_t ball = kin_yard_ball(&y, r, kin_v(0, r, 0), kin_v(0, 0, 0));
    kin_yard_steps(&y, 60);
    kin_case_row(run, "realtime", "a ball's spin after 1 s, rad/s", kin_yard_state(&y, ball).spin.y, w - slowing, 2 * slowing * SUBSTEP, "5 s g t / (2 r^2)");
    kin_yard_steps(&y, (int64_t)(w / slowing * 60) - 50);
    kin_case_row(run, "realtime", "at its end, rad/s", kin_yard_state(&y, ball).spin.y, 0, 1e-3, "stays at rest");
    kin_yard_close(&y);
}

/* A box on its four corners: m a^2 / 6 w' = -mu m g a / sqrt 2. */
static void box_spins_down(kin_case_run* run)
{
    const double w = 10, side = 1, mu = 0.3, slowing = mu * G * 6 / (kin_sqrt(2) * side);
    kin_yard y = ground(run, mu);
    kin_yard_open(&y);
    kin_yard_plane(&y, kin_v(0, 0, 0), kin_v(0, 1, 0));
    y.body.spin = kin_v(0, w, 0);
    uint32_t box = kin_yard_box(&y, kin_v(side, 0.2, side), kin_v(0, 0.1, 0), kin_v(0, 0, 0));
    kin_yard_steps(&y, 30);
    kin_case_row(run, "realtime", "a box's spin after 0.5 s, rad/s", kin_yard_state(&y, box).spin.y, w - 0.5 * slowing, 2 * slowing * SUBSTEP,
                 "mu g 6 / (sqrt 2 a)");
    kin_case_row(run, "realtime", "it stays where it is, m", kin_length(kin_sub(kin_yard_state(&y, box).center, kin_v(0, 0.1, 0))), 0, 2e-3, "symmetry");
    kin_yard_close(&y);
}

void kin_case_rt_spin_down(kin_case_run* run)
{
    ball_spins_down(run);
    box_spins_down(run);
}

/* A coin spun on its rim: it rattles down and lies; energy only falls, but for what a soft contact holds when it begins to bear and gives back: its weight by as
 * deep as that sinks, m g g / om^2, om a seventh of the substep's rate; twice that, as a blow sinks twice as deep as rest. */
void kin_case_rt_coin(kin_case_run* run)
{
    const double r = 0.0125, thick = 0.002, mass = 0.0075;
    kin_yard y = ground(run, 0.3);
    y.spinning = 1e-4;
    y.def.time_step = 1.0 / 240;
    kin_yard_open(&y);
    kin_yard_plane(&y, kin_v(0, 0, 0), kin_v(0, 1, 0));
    y.body.shape = (kin_shape){.kind = KIN_SHAPE_CYLINDER, .radius = r, .length = thick};
    y.body.mass = mass;
    y.body.orientation = kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 2 - 0.1);
    y.body.position = kin_v(0, r + 0.5 * thick * 0.1, 0);
    y.body.spin = kin_v(0, 60, 0);
    uint32_t coin = kin_yard_add(&y, &y.body);
    kin_body_state s = kin_yard_state(&y, coin);
    double start = kin_yard_kinetic(&s) + mass * G * s.center.y, gained = 0;
    for (int i = 0; i < 240 * 15 && kin_yard_ok(&y); ++i) {
        kin_yard_step(&y);
        s = kin_yard_state(&y, coin);
        gained = kin_max(gained, kin_yard_kinetic(&s) + mass * G * s.center.y - start);
    }
    double om = 2 * KIN_PI * 4 / (7 * y.def.time_step);
    kin_case_row(run, "realtime", "energy a spun coin gained, of its first", gained / start, 0, 2 * mass * G * G / (om * om) / start, "none");
    kin_case_row(run, "realtime", "it lies at, of its thickness", s.center.y / thick, 0.5, 0.05, "flat");
    kin_case_row(run, "realtime", "its speed after 15 s, m/s", kin_length(s.velocity) + r * kin_length(s.spin), 0, 1e-3, "rest");
    kin_yard_close(&y);
}

/* ---- is carried ---- */

void kin_case_rt_conveyor(kin_case_run* run)
{
    const double belt = 2, mu = 0.4;
    kin_yard y = ground(run, mu);
    kin_yard_open(&y);
    kin_body_def def = y.body;
    def.shape = (kin_shape){.kind = KIN_SHAPE_BOX, .size = {40, 1, 4}};
    def.position = kin_v(0, -0.5, 0);
    def.mobility = KIN_MOBILITY_STATIC;
    def.surface_velocity = kin_v(belt, 0, 0);
    kin_yard_add(&y, &def);
    uint32_t box = kin_yard_box(&y, kin_v(0.6, 0.3, 0.6), kin_v(0, 0.15, 0), kin_v(0, 0, 0));
    kin_yard_steps(&y, 18);
    kin_case_row(run, "realtime", "a box on a belt after 0.3 s, m/s", kin_yard_state(&y, box).velocity.x, mu * G * 0.3, 2 * mu * G * SUBSTEP, "mu g t");
    kin_yard_steps(&y, 102);
    kin_body_state s = kin_yard_state(&y, box);
    kin_case_row(run, "realtime", "after 2 s, m/s", s.velocity.x, belt, 1e-4, "the belt's");
    kin_case_row(run, "realtime", "way, m", s.center.x, belt * 2 - belt * belt / (2 * mu * G), 2 * belt * SUBSTEP, "v t - v^2 / (2 mu g)");
    kin_yard_close(&y);
}
