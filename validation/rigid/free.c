/* free.c - real time: what forces and curved ways do to bodies between contacts, against closed forms: races down a cycloid, tops, air, orbits. */
#include "math/quat.h"
#include "math/scalar.h"
#include "numerics/elliptic.h"
#include "validation/rigid/rig.h"
#include <math.h>
#include <stdio.h>

#define G 9.81

/* ---- races: ways of the centre of a smooth ball from A (0, 0), at rest, down to B; the track is a ball's radius below ---- */

#define BALL 0.05
#define CYCLOID_FROM 0.5 /* rad: later than the cusp, where no ball fits; the time to the bottom is the same from anywhere (tautochrone) */

typedef struct race {
    double dx, dy; /* m: from A to B, across and down */
    double radius; /* m: of the circle through A with its lowest point at B */
    double (*way)(const struct race* r, double x, double* slope);
} race;

static double cycloid(const race* r, double x, double* slope)
{
    double low = 0, high = KIN_PI, start = CYCLOID_FROM - kin_sin(CYCLOID_FROM);
    (void)r;
    for (int i = 0; i < 45; ++i) {
        double middle = 0.5 * (low + high);
        if (middle - kin_sin(middle) < x + start)
            low = middle;
        else
            high = middle;
    }
    double angle = 0.5 * (low + high);
    *slope = -kin_cos(0.5 * angle) / kin_sin(0.5 * angle);
    return kin_cos(angle) - kin_cos(CYCLOID_FROM);
}

static double circle(const race* r, double x, double* slope)
{
    double from = x - r->dx, height = kin_sqrt(r->radius * r->radius - from * from);
    *slope = from / height;
    return -r->dy + r->radius - height;
}

static double line(const race* r, double x, double* slope)
{
    *slope = -r->dy / r->dx;
    return *slope * x;
}

/* Before A and after B it goes on straight. */
static double extended(const race* r, double x, double* slope)
{
    double at = kin_clamp(x, 0, r->dx), y = r->way(r, at, slope);
    return y + *slope * (x - at);
}

/* Height of the track at x: of the way's point whose normal meets the track there. */
static double track_at(const race* r, double x)
{
    double low = x - BALL, high = x + BALL, slope = 0, y = 0;
    for (int i = 0; i < 40; ++i) {
        double middle = 0.5 * (low + high);
        y = extended(r, middle, &slope);
        if (middle + BALL * slope / kin_sqrt(1 + slope * slope) < x)
            low = middle;
        else
            high = middle;
    }
    return y - BALL / kin_sqrt(1 + slope * slope);
}

enum { COLUMNS = 1200 };

static kin_collider_id add_track(kin_yard* y, const race* r)
{
    static double values[2 * COLUMNS];
    double width = r->dx + 0.6;
    for (int i = 0; i < COLUMNS; ++i) values[i] = values[COLUMNS + i] = track_at(r, -0.1 + width * i / (COLUMNS - 1));
    kin_shape shape = {.kind = KIN_SHAPE_HEIGHTS, .heights = {.values = {values, 2 * COLUMNS}, .columns = COLUMNS, .size = {width, 1, 1}}};
    return kin_yard_collider(y, &shape, kin_v(-0.1 + 0.5 * width, 0, 0), kin_quat_identity());
}

/* s from A to B. */
static double race_time(kin_case_run* run, const race* r)
{
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, 1.0 / 240);
    kin_yard_open(&y);
    add_track(&y, r);
    uint32_t ball = kin_yard_ball(&y, BALL, kin_v(0, 0, 0), kin_v(0, 0, 0));
    double before = 0, time = NAN;
    while (kin_yard_ok(&y) && kin_world_time(y.world) < 2) {
        kin_yard_step(&y);
        double now = kin_yard_state(&y, ball).center.x;
        if (now >= r->dx) {
            time = kin_world_time(y.world) - y.def.time_step * (now - r->dx) / (now - before);
            break;
        }
        before = now;
    }
    kin_yard_close(&y);
    return time;
}

void kin_case_rt_race(kin_case_run* run)
{
    race r = {.dx = KIN_PI - CYCLOID_FROM + kin_sin(CYCLOID_FROM), .dy = 1 + kin_cos(CYCLOID_FROM), .way = cycloid};
    r.radius = (r.dx * r.dx + r.dy * r.dy) / (2 * r.dy);
    const double late = 2.0 / 960; /* two substeps */
    double length = kin_sqrt(r.dx * r.dx + r.dy * r.dy), swing = kin_acos(1 - r.dy / r.radius);
    double fast = race_time(run, &r);
    r.way = circle;
    double middle = race_time(run, &r);
    r.way = line;
    double slow = race_time(run, &r);
    kin_case_row(run, "realtime", "down a cycloid, s", fast, KIN_PI * kin_sqrt(1 / G), late, "pi sqrt(r / g)");
    kin_case_row(run, "realtime", "down a circle, s", middle, kin_sqrt(r.radius / G) * kin_elliptic_k(kin_sin(0.5 * swing)), late, "sqrt(r / g) K(sin(a / 2))");
    kin_case_row(run, "realtime", "down a line, s", slow, kin_sqrt(2 * length / (G * r.dy / length)), late, "sqrt(2 l / (g sin a))");
    kin_case_row(run, "realtime", "order: cycloid, circle, line", fast < middle && middle < slow, 1, 0, "Bernoulli 1696");
}

/* ---- tops ---- */

/* The free asymmetric top about its middle axis and a little off it: that component turns over every 2 K of its period (Landau & Lifshitz 37). */
static double turn_over(kin_vec3 moments, kin_vec3 w)
{
    double i1 = moments.x, i2 = moments.y, i3 = moments.z; /* rising */
    kin_vec3 l = kin_mul(moments, w);
    double square = kin_length2(l), twice = kin_dot(l, w);
    if (square < twice * i2) i1 = moments.z, i3 = moments.x;
    double k = kin_sqrt((i2 - i1) * (twice * i3 - square) / ((i3 - i2) * (square - twice * i1)));
    return 2 * kin_elliptic_k(k) * kin_sqrt(i1 * i2 * i3 / ((i3 - i2) * (square - twice * i1)));
}

static double middle_spin(const kin_yard* y)
{
    kin_body_state s = kin_yard_state(y, 0);
    return kin_unrotate(s.pose.orientation, s.spin).y;
}

/* A turn of more than a radian in each substep. */
static void fast_top(kin_case_run* run)
{
    const int64_t steps = run->full ? 100000 : 2000;
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, 1.0 / 60);
    y.def.gravity = kin_v(0, 0, 0);
    kin_yard_open(&y);
    y.body.spin = kin_v(170, -180, 170);
    kin_yard_box(&y, kin_v(2, 1, 0.4), kin_v(0, 0, 0), kin_v(0, 0, 0));
    kin_body_state s = kin_yard_state(&y, 0);
    const kin_vec3 l = kin_yard_angular(&s);
    const double e = kin_yard_kinetic(&s);
    kin_yard_steps(&y, steps);
    s = kin_yard_state(&y, 0);
    kin_case_row(run, "realtime", "300 rad/s, 60 Hz: energy off, of it", kin_yard_kinetic(&s) / e, 1, 1e-8, "kept by the implicit midpoint");
    kin_case_row(run, "realtime", "angular momentum off, of it", kin_length(kin_sub(kin_yard_angular(&s), l)) / kin_length(l), 0, 1e-8, "kept");
    kin_yard_close(&y);
}

void kin_case_rt_top(kin_case_run* run)
{
    const kin_vec3 spin = {0.3, 6, 0.1}, size = {2, 1, 0.4}; /* moments rise from x to z */
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, 1.0 / 60);
    y.def.gravity = kin_v(0, 0, 0);
    kin_yard_open(&y);
    y.body.spin = spin;
    kin_yard_box(&y, size, kin_v(0, 0, 0), kin_v(0, 0, 0));
    kin_body_state s = kin_yard_state(&y, 0);
    kin_vec3 l = kin_yard_angular(&s);
    double e = kin_yard_kinetic(&s), want = turn_over(s.moments, spin), worst_l = 0, worst_e = 0;
    double first = kin_yard_time_of(&y, middle_spin, 20), second = kin_yard_time_of(&y, middle_spin, 40);
    kin_case_row(run, "realtime", "a wing nut turns over every, s", second - first, want, 5e-3 * want, "Landau & Lifshitz 37");
    for (int i = 0; i < 1800 && kin_yard_ok(&y); ++i) {
        kin_yard_step(&y);
        s = kin_yard_state(&y, 0);
        worst_l = kin_max(worst_l, kin_length(kin_sub(kin_yard_angular(&s), l)) / kin_length(l));
        worst_e = kin_max(worst_e, kin_abs(kin_yard_kinetic(&s) - e) / e);
    }
    kin_case_row(run, "realtime", "energy off over 30 s, of it", worst_e, 0, 1e-8, "kept by the implicit midpoint");
    kin_case_row(run, "realtime", "angular momentum off over 30 s, of it", worst_l, 0, 1e-8, "kept");
    kin_yard_close(&y);
    fast_top(run);
}

/* ---- air ---- */

static void terminal_speeds(kin_case_run* run)
{
    const double drag = 2, area = 0.5, still = G / drag, fast = kin_sqrt(2 * G / (1.2 * area));
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, 1.0 / 60);
    kin_yard_open(&y);
    y.body.drag = drag;
    uint32_t slow = kin_yard_ball(&y, 0.1, kin_v(0, 0, 0), kin_v(0, 0, 0));
    y.body.drag = 0, y.body.drag_area = area;
    uint32_t quick = kin_yard_ball(&y, 0.1, kin_v(3, 0, 0), kin_v(0, 0, 0));
    kin_yard_steps(&y, 30);
    double t = 0.5, h = 1.0 / 60;
    kin_case_row(run, "realtime", "falling with drag, after 0.5 s, m/s", -kin_yard_state(&y, slow).velocity.y, still * (1 - kin_exp(-drag * t)),
                 G * drag * h * t / 2, "m g / d (1 - e^(-d t / m))");
    kin_case_row(run, "realtime", "by the square, after 0.5 s, m/s", -kin_yard_state(&y, quick).velocity.y, fast * (1 - 2 / (1 + kin_exp(2 * G * t / fast))),
                 G * G / fast * h * t / 2, "v tanh(g t / v)");
    kin_yard_steps(&y, 600);
    kin_case_row(run, "realtime", "terminal, m/s", -kin_yard_state(&y, slow).velocity.y, still, 1e-5 * still, "m g / d");
    kin_case_row(run, "realtime", "terminal by the square, m/s", -kin_yard_state(&y, quick).velocity.y, fast, 1e-5 * fast, "sqrt(2 m g / (rho A))");
    kin_yard_close(&y);
}

static void spin_in_air(kin_case_run* run)
{
    const double drag = 0.02, w = 20, r = 0.25, rate = drag / (0.4 * r * r), t = 1, h = 1.0 / 60;
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, h);
    y.def.gravity = kin_v(0, 0, 0);
    kin_yard_open(&y);
    y.body.angular_drag = drag;
    y.body.spin = kin_v(0, w, 0);
    uint32_t ball = kin_yard_ball(&y, r, kin_v(0, 0, 0), kin_v(0, 0, 0));
    kin_yard_steps(&y, 60);
    double left = w * kin_exp(-rate * t);
    kin_case_row(run, "realtime", "spin after 1 s of angular drag, rad/s", kin_yard_state(&y, ball).spin.y, left, left * rate * rate * h * t, "w e^(-c t / I)");
    kin_yard_close(&y);
}

void kin_case_rt_air(kin_case_run* run)
{
    terminal_speeds(run);
    spin_in_air(run);
}

/* ---- an orbit: a field that knows bodies ---- */

void kin_case_rt_orbit(kin_case_run* run)
{
    const double turns = 5, h = 2 * KIN_PI / 400;
    kin_yard y = kin_yard_begin(run, KIN_RIGID_REALTIME, h);
    y.def.gravity = kin_v(0, 0, 0);
    kin_attractor_field sun;
    kin_field_default("attractor", &sun);
    sun.attractor = 1;
    kin_yard_open(&y);
    kin_yard_field(&y, "attractor", &sun);
    uint32_t ball = kin_yard_ball(&y, 0.1, kin_v(1, 0, 0), kin_v(0, 0, 1));
    kin_yard_steps(&y, (int64_t)turns * 400);
    kin_body_state s = kin_yard_state(&y, ball);
    double energy = kin_length2(s.velocity) / 2 - 1 / kin_length(s.center);
    kin_case_row(run, "realtime", "energy of a circular orbit after 5 turns, J", energy, -0.5, 4 * h * h, "-1/2");
    kin_case_row(run, "realtime", "distance, m", kin_length(s.center), 1, h, "1");
    kin_yard_close(&y);
}
