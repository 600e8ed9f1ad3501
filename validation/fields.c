/* fields.c - attractors, kicks, limits, vortices, flows, delayed falls, masks and goals: House & Keyser 2.1, 5.1, 5.2, 13.4, Coutinho 3.3.4.
 *
 * Orbits are taken by bulirsch_stoer. Each of its steps errs by the tolerance at most; over an orbit an error of energy e becomes one of place of 3 pi e a (the
 * period goes as E^(-3/2)), times at most speed and distance, which are below 4 here: ORBIT of n steps. */
#include "math/scalar.h"
#include "math/vec3.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ORBIT(n) ((n)*3 * KIN_PI * 4 * KIN_RIG_TOLERANCE)

static kin_rig in_space(kin_case_run* run, const char* method, double h)
{
    kin_rig r = kin_rig_begin(run, method, h);
    r.def.gravity = kin_v(0, 0, 0);
    kin_rig_open(&r);
    return r;
}

/* ---- a point that pulls by r^-2 or by r ---- */

static void kepler_attractor(kin_case_run* run)
{
    const double pull = 2.5, a = 1.3, e = 0.5, period = 2 * KIN_PI * kin_sqrt(a * a * a / pull);
    const int steps = 200;
    kin_attractor_field def;
    kin_field_default("attractor", &def);
    def.attractor = pull;
    kin_rig r = in_space(run, "bulirsch_stoer", period / steps);
    kin_rig_field(&r, "attractor", &def);
    kin_vec3 start = {a * (1 + e), 0, 0}, v = {0, kin_sqrt(pull / a * (1 - e) / (1 + e)), 0};
    kin_rig_ball(&r, start, v);
    double energy = kin_rig_energy(&r);
    kin_rig_steps(&r, steps / 2);
    kin_case_row(run, "bulirsch_stoer", "p = 2: half a period on, at the near end (m)", kin_distance(kin_rig_x(&r), kin_v(-a * (1 - e), 0, 0)), 0, ORBIT(steps),
                 "House & Keyser 5.1.1: 2 pi sqrt(a^3 / Ga)");
    kin_rig_steps(&r, steps / 2);
    kin_case_row(run, "bulirsch_stoer", "p = 2: a period on, back at the start (m)", kin_distance(kin_rig_x(&r), start), 0, ORBIT(steps),
                 "House & Keyser 5.1.1: 2 pi sqrt(a^3 / Ga)");
    kin_case_row(run, "bulirsch_stoer", "p = 2: energy at the start (J)", energy, -pull / (2 * a), 1e-15, "Kepler: -GM / 2a");
    kin_case_row(run, "bulirsch_stoer", "p = 2: energy after it (J)", kin_rig_energy(&r), energy, 4 * steps * KIN_RIG_TOLERANCE, "conservation of energy");
    kin_case_row(run, "bulirsch_stoer", "p = 2: angular momentum", kin_rig_angular(&r).z, start.x * v.y, 4 * steps * KIN_RIG_TOLERANCE,
                 "conservation of angular momentum");
    kin_rig_close(&r);
}

/* x = x0 cos wt, y = v0/w sin wt: an ellipse about the centre. */
static void spring_attractor(kin_case_run* run)
{
    const double pull = 3, w = kin_sqrt(pull), t = 1.37 * 2 * KIN_PI / w;
    const int steps = 137;
    kin_attractor_field def;
    kin_field_default("attractor", &def);
    def.attractor = pull;
    def.exponent = -1;
    kin_rig r = in_space(run, "bulirsch_stoer", t / steps);
    kin_rig_field(&r, "attractor", &def);
    kin_rig_ball(&r, kin_v(2, 0, 0), kin_v(0, 0, 1.1));
    kin_rig_steps(&r, steps);
    kin_vec3 want = {2 * kin_cos(w * t), 0, 1.1 / w * kin_sin(w * t)};
    kin_case_row(run, "bulirsch_stoer", "p = -1: off the ellipse after 1.37 turns (m)", kin_distance(kin_rig_x(&r), want), 0, ORBIT(steps),
                 "House & Keyser 5.1.1: w = sqrt(Ga)");
    kin_rig_close(&r);
}

/* ---- a line ---- */

static void line_attractor(kin_case_run* run)
{
    const kin_vec3 axis = {0.48, 0.6, 0.64}; /* unit */
    const int steps = 300;
    kin_line_attractor_field def;
    kin_field_default("line_attractor", &def);
    def.line_attractor = 2;
    def.exponent = 1;
    def.from = kin_v(1, 1, 1);
    def.to = kin_add(def.from, axis);
    kin_rig r = in_space(run, "bulirsch_stoer", 0.02);
    kin_rig_field(&r, "line_attractor", &def);
    kin_vec3 x0 = {2, 1, 0.5}, v0 = {0.3, 1.1, -0.4};
    kin_rig_ball(&r, x0, v0);
    kin_rig_steps(&r, steps);
    kin_vec3 x = kin_rig_x(&r), v = kin_rig_v(&r);
    kin_case_row(run, "infinite line", "velocity along it after 300 steps (m/s)", kin_dot(v, axis), kin_dot(v0, axis), 4 * steps * KIN_RIG_TOLERANCE,
                 "House & Keyser 5.1.1: unchanged");
    kin_case_row(run, "infinite line", "angular momentum about it (m^2/s)", kin_dot(kin_cross(kin_sub(x, def.from), v), axis),
                 kin_dot(kin_cross(kin_sub(x0, def.from), v0), axis), 8 * steps * KIN_RIG_TOLERANCE, "House & Keyser 5.1.1: constant");
    kin_rig_close(&r);
    def.ends = KIN_LINE_IGNORE;
    r = in_space(run, "rk4", 0.02);
    kin_rig_field(&r, "line_attractor", &def);
    x0 = kin_add(kin_add_scaled(def.to, 0.01, axis), kin_v(0.6, 0, -0.45)); /* just beyond the end, half a metre or so off */
    kin_rig_ball(&r, x0, axis);
    kin_rig_steps(&r, 100); /* each rounds numbers of 2 to 4: 2.2e-16 along each axis */
    kin_case_row(run, "segment, ignored", "off a straight line past the end (m)", kin_distance(kin_rig_x(&r), kin_add_scaled(x0, 2, axis)), 0, 5e-14,
                 "House & Keyser 5.1.1: flung out");
    kin_rig_close(&r);
    def.ends = KIN_LINE_NEAREST;
    r = in_space(run, "euler", 0.02);
    kin_rig_field(&r, "line_attractor", &def);
    kin_vec3 off = {0.9, -0.2, 1.3};
    kin_rig_ball(&r, kin_add(def.to, off), kin_v(0, 0, 0));
    kin_rig_step(&r);
    kin_vec3 want = kin_scale(off, -2 * 0.02 / kin_length2(off));
    kin_case_row(run, "segment, nearest end", "pull of the end (m/s)", kin_distance(kin_rig_v(&r), want), 0, 1e-16, "House & Keyser 5.1.1: nearest end point");
    kin_rig_close(&r);
}

void kin_case_attractor(kin_case_run* run)
{
    kepler_attractor(run);
    spring_attractor(run);
    line_attractor(run);
}

/* ---- kicks: after n of them E|v|^2 = n S^2, with a variance of 2/3 n (n - 1) S^4 ---- */

static kin_rig kicked(kin_case_run* run, double h, int steps)
{
    kin_kicks_field def;
    kin_field_default("kicks", &def);
    def.kicks = 0.3;
    def.rate = 30;
    kin_rig r = in_space(run, "euler", h);
    kin_rig_field(&r, "kicks", &def);
    kin_rig_balls(&r, run->full ? 50000 : 5000, kin_v(0, 0, 0), kin_v(1, 1, 1), kin_v(0, 0, 0));
    kin_rig_steps(&r, steps);
    return r;
}

void kin_case_kicks(kin_case_run* run)
{
    const double n = 30, size = 0.3, fine_h = 1.0 / 120;
    kin_rig coarse = kicked(run, 4 * fine_h, 30), fine = kicked(run, fine_h, 120);
    size_t count = kin_rig_count(&coarse);
    double squares[2] = {0, 0}, apart = 0;
    for (size_t i = 0; i < count; ++i) {
        kin_vec3 a = kin_rig_v_at(&coarse, i), b = kin_rig_v_at(&fine, i);
        squares[0] += kin_length2(a);
        squares[1] += kin_length2(b);
        apart = kin_max(apart, kin_distance(a, b));
    }
    double tolerance = 4 * size * size * kin_sqrt(2.0 / 3 * n * (n - 1) / (double)count);
    kin_case_row(run, "h = 1/30", "E|v|^2 after 30 kicks of 0.3 (m^2/s^2)", squares[0] / (double)count, n * size * size, tolerance,
                 "House & Keyser 5.1.2: n S^2");
    kin_case_row(run, "h = 1/120", "E|v|^2 after 30 kicks of 0.3 (m^2/s^2)", squares[1] / (double)count, n * size * size, tolerance,
                 "House & Keyser 5.1.2: n S^2");
    kin_case_row(run, "h and h/4", "largest difference of a velocity (m/s)", apart, 0, 1e-15, "House & Keyser 5.1.2: independent of h");
    kin_rig_close(&coarse);
    kin_rig_close(&fine);
}

/* ---- negative drag, and limits of speed ---- */

/* RK4 errs by z^5/120 of v a step, z = |D| h / m, and n steps follow: n z^5/120 of the end. */
static void undrag(kin_case_run* run)
{
    const double h = 0.05, d = -0.4;
    const int steps = 60;
    double z = kin_abs(d) * h, want = kin_exp(-d * h * steps);
    kin_drag_field def;
    kin_field_default("drag", &def);
    def.drag = d;
    kin_rig r = in_space(run, "rk4", h);
    kin_rig_field(&r, "drag", &def);
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(0, 0, 1));
    kin_rig_steps(&r, steps);
    kin_case_row(run, "rk4", "undrag: speed after 3 s (m/s)", kin_rig_v(&r).z, want, steps * z * z * z * z * z / 120 * (1 + z) * want,
                 "House & Keyser 5.1.3: e^(|D| t / m)");
    kin_rig_close(&r);
    def.top_speed = 2;
    r = in_space(run, "rk4", h);
    kin_rig_field(&r, "drag", &def);
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(0, 0, 1));
    kin_rig_steps(&r, 4 * steps);
    kin_case_row(run, "rk4", "undrag up to 2 m/s: speed at last (m/s)", kin_rig_v(&r).z, 2, 2 * z, "House & Keyser 5.1.3: speed-limited"); /* a step's growth */
    kin_rig_close(&r);
}

/* Speed after a second of a force along the motion, with limits. */
static double limited(kin_case_run* run, double start, double push, double least, double most)
{
    kin_speed_limit_field def;
    kin_field_default("speed_limit", &def);
    def.least = least;
    def.speed_limit = most;
    kin_rig r = kin_rig_begin(run, "rk4", 0.01);
    r.def.gravity = kin_v(push, 0, 0);
    kin_rig_open(&r);
    kin_rig_field(&r, "speed_limit", &def);
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(start, 0, 0));
    kin_rig_steps(&r, 100);
    double speed = kin_rig_v(&r).x;
    kin_rig_close(&r);
    return speed;
}

void kin_case_limits(kin_case_run* run)
{
    const char* source = "House & Keyser 5.1.4";
    undrag(run);
    kin_case_row(run, "least 2", "from 5, slowed by 1: not there yet (m/s)", limited(run, 5, -1, 2, 0), 4, 1e-13, source);
    kin_case_row(run, "least 2", "from 5, slowed by 9: held (m/s)", limited(run, 5, -9, 2, 0), 2, 1e-15, source);
    kin_case_row(run, "least 2", "from 1, slowed by 9: no slower (m/s)", limited(run, 1, -9, 2, 0), 1, 1e-15, source);
    kin_case_row(run, "least 2", "from 1, driven by 3: may come in (m/s)", limited(run, 1, 3, 2, 0), 4, 1e-13, source);
    kin_case_row(run, "most 3", "from 1, driven by 1: not there yet (m/s)", limited(run, 1, 1, 0, 3), 2, 1e-13, source);
    kin_case_row(run, "most 3", "from 1, driven by 9: held (m/s)", limited(run, 1, 9, 0, 3), 3, 1e-15, source);
    kin_case_row(run, "most 3", "from 5, driven by 9: no faster (m/s)", limited(run, 5, 9, 0, 3), 5, 1e-15, source);
    kin_case_row(run, "most 3", "from 5, slowed by 3: may come in (m/s)", limited(run, 5, -3, 0, 3), 2, 1e-13, source);
}

/* ---- a whirl: radius kept, one turn in 1/f at the rim, four at half of it ---- */

static void whirl(kin_case_run* run, double r0, double turns, const char* quantity)
{
    const double rate = 0.5, radius = 2;
    const int steps = 240;
    kin_vortex_field def;
    kin_field_default("vortex", &def);
    def.vortex = rate;
    def.radius = radius;
    def.length = 4;
    kin_rig r = in_space(run, "euler", 1 / rate / steps);
    kin_rig_field(&r, "vortex", &def);
    kin_rig_ball(&r, kin_v(r0, 1, 0), kin_v(0, 0, 0));
    double angle = 0, last = 0, off = 0;
    for (int i = 0; i < steps && kin_rig_ok(&r); ++i) {
        kin_rig_step(&r);
        kin_vec3 x = kin_rig_x(&r);
        double now = kin_atan2(-x.z, x.x), d = now - last;
        angle += d - 2 * KIN_PI * kin_round(d / (2 * KIN_PI));
        last = now;
        off = kin_max(off, kin_abs(kin_sqrt(x.x * x.x + x.z * x.z) - r0));
    }
    kin_case_row(run, "vortex", quantity, angle / (2 * KIN_PI), turns, 1e-12, "House & Keyser 5.2.2: (R/r)^2 fR");
    kin_case_row(run, "vortex", "off its radius (m)", off, 0, steps * 1e-15, "House & Keyser 5.2.2: radius kept");
    kin_case_row(run, "vortex", "momentum untouched (m/s)", kin_length(kin_rig_v(&r)), 0, 0, "House & Keyser 5.2");
    kin_rig_close(&r);
}

void kin_case_vortex(kin_case_run* run)
{
    whirl(run, 2, 1, "turns in 1/fR, at r = R");
    whirl(run, 1, 4, "turns in 1/fR, at r = R/2");
    whirl(run, 0.2, 20, "turns in 1/fR, near the axis: max_rate 10/s");
    whirl(run, 2.1, 0, "turns in 1/fR, outside");
}

/* ---- potential flow: what flows through a closed loop, what flows along it ----
 *
 * Points at rest on a circle about the source, but not centred on it, carried for one step: displacement / h is the velocity. On a circle the sum over n equal
 * arcs errs by (offset / radius)^n: nothing, for 64. What is left is rounding of places, 2e-16 m over h. */

enum { LOOP = 64 };

static void loop(kin_case_run* run, const char* method, const char* kind, const void* def, double flux, double circulation)
{
    const double radius = 1.5, h = 1.0 / 64;
    const kin_vec3 center = {0.4, 0, -0.3};
    kin_particle_group groups[LOOP];
    double through = 0, along = 0;
    kin_rig r = in_space(run, "euler", h);
    kin_rig_field(&r, kind, def);
    for (int i = 0; i < LOOP; ++i) {
        groups[i] = kin_particle_group_default();
        groups[i].position = kin_add_scaled(center, radius, kin_v(kin_cos(2 * KIN_PI * i / LOOP), 0, -kin_sin(2 * KIN_PI * i / LOOP)));
    }
    r.particles.groups = groups;
    r.particles.group_count = LOOP;
    kin_rig_create(&r);
    kin_rig_step(&r);
    for (int i = 0; i < LOOP; ++i) {
        kin_vec3 n = kin_scale(kin_sub(groups[i].position, center), 1 / radius), v = kin_scale(kin_sub(kin_rig_x_at(&r, i), groups[i].position), 1 / h);
        through += kin_dot(v, n) * 2 * KIN_PI * radius / LOOP;
        along += kin_dot(v, kin_cross(kin_v(0, 1, 0), n)) * 2 * KIN_PI * radius / LOOP;
    }
    kin_case_row(run, method, "flux out of a loop (m^2/s)", through, flux, 1e-12, "House & Keyser 13.4: a");
    kin_case_row(run, method, "circulation about it (m^2/s)", along, circulation, 1e-12, "House & Keyser 13.4: b");
    kin_rig_close(&r);
}

/* Where the source's a / 2 pi r meets the stream U head-on, nothing moves. */
static void stagnation(kin_case_run* run)
{
    const double a = 3, speed = 0.7, at = a / (2 * KIN_PI * speed);
    kin_source_field source;
    kin_translate_field stream;
    kin_field_default("source", &source);
    kin_field_default("translate", &stream);
    source.source = a;
    source.form = KIN_SOURCE_AXIS;
    source.acts = KIN_FLOW_CARRY;
    stream.translate = kin_v(speed, 0, 0);
    kin_rig r = in_space(run, "euler", 0.01);
    kin_rig_field(&r, "source", &source);
    kin_rig_field(&r, "translate", &stream);
    kin_rig_ball(&r, kin_v(-at, 0, 0), kin_v(0, 0, 0));
    kin_rig_step(&r);
    kin_case_row(run, "source in a stream", "way at the stagnation point (m)", kin_distance(kin_rig_x(&r), kin_v(-at, 0, 0)), 0, 1e-16,
                 "House & Keyser 13.4: a / (2 pi U)");
    kin_rig_close(&r);
}

/* The air of a flow is felt through drag: 20 decay times on, a point at the stagnation point of the air still stands; one at a distance r from a point source
 * begins with d/m of its speed. */
static void flow_through_drag(kin_case_run* run)
{
    kin_source_field def;
    kin_field_default("source", &def);
    def.source = 5;
    kin_rig r = in_space(run, "euler", 0.01);
    kin_rig_field(&r, "source", &def);
    kin_rig_drag(&r, 0.3);
    kin_rig_ball(&r, kin_v(0, 2, 0), kin_v(0, 0, 0));
    kin_rig_step(&r);
    kin_case_row(run, "point source as air", "speed after a step: h d/m a / 4 pi r^2 (m/s)", kin_rig_v(&r).y, 0.01 * 0.3 * 5 / (16 * KIN_PI), 1e-17,
                 "free of divergence in space");
    kin_rig_close(&r);
}

void kin_case_flow(kin_case_run* run)
{
    kin_source_field source;
    kin_vortex_line_field vortex;
    kin_field_default("source", &source);
    kin_field_default("vortex_line", &vortex);
    source.source = 3;
    source.form = KIN_SOURCE_AXIS;
    source.acts = KIN_FLOW_CARRY;
    vortex.vortex_line = 2;
    vortex.acts = KIN_FLOW_CARRY;
    loop(run, "line source", "source", &source, 3, 0);
    loop(run, "line vortex", "vortex_line", &vortex, 0, 2);
    source.at = kin_v(5, 0, 5);
    vortex.at = kin_v(5, 0, 5);
    loop(run, "source outside the loop", "source", &source, 0, 0);
    loop(run, "vortex outside the loop", "vortex_line", &vortex, 0, 0);
    stagnation(run);
    flow_through_drag(run);
}

/* ---- a delayed fall ---- */

void kin_case_cartoon(kin_case_run* run)
{
    const double h = 0.01, pause = 0.8, catch_up = 0.5;
    const kin_vec3 start = {0, 5, 0}, v0 = {2, 0, 0};
    kin_cartoon_field def;
    kin_field_default("cartoon", &def);
    def.cartoon = pause;
    def.catch_up = catch_up;
    def.fall = kin_v(0, -10, 0);
    kin_rig r = kin_rig_begin(run, "average", h);
    kin_rig_open(&r);
    kin_rig_field(&r, "cartoon", &def);
    kin_rig_ball(&r, start, v0);
    double strays = 0;
    for (int i = 0; i < 80; ++i) {
        kin_rig_step(&r);
        strays = kin_max(strays, kin_distance(kin_rig_x(&r), start));
    }
    kin_case_row(run, "average", "way while it hangs (m)", strays, 0, 1e-13, "House & Keyser 2.1");
    kin_rig_steps(&r, 60);
    double t = 140 * h;
    kin_vec3 want = {2 * t, 5 - 5 * t * t, 0};
    kin_case_row(run, "average", "off Newton's fall once it has caught up (m)", kin_distance(kin_rig_x(&r), want), 0, 1e-12, "House & Keyser 2.1; Galileo");
    kin_case_row(run, "average", "velocity then (m/s)", kin_rig_v(&r).y, -10 * t, 1e-13, "House & Keyser 2.1; Galileo");
    kin_rig_close(&r);
}

/* ---- masks: whole at the centre, half way half, nothing at the edge ---- */

static void masked(kin_case_run* run, const char* method, kin_region region, kin_drop drop, kin_vec3 x, kin_vec3 want, const char* quantity)
{
    kin_gravity_field def;
    kin_field_default("gravity", &def);
    def.gravity = kin_v(1, 2, 4);
    def.common.region = region;
    def.common.drop = drop;
    def.common.depth = 2;
    def.common.center = kin_v(1, 1, 1);
    kin_rig r = in_space(run, "euler", 1);
    kin_rig_field(&r, "gravity", &def);
    kin_rig_ball(&r, kin_add(def.common.center, x), kin_v(0, 0, 0));
    kin_rig_step(&r);
    kin_vec3 v = kin_rig_v(&r);
    kin_case_row(run, method, quantity, kin_distance(v, want), 0, 1e-15, "Coutinho 3.3.4");
    kin_rig_close(&r);
}

void kin_case_masks(kin_case_run* run)
{
    const kin_region sphere = {.kind = KIN_REGION_SPHERE, .radius = 2}, box = {.kind = KIN_REGION_BOX, .sizes = {2, 4, 8}},
                     plane = {.kind = KIN_REGION_PLANE, .normal = {0, 1, 0}};
    const kin_vec3 all = {1, 2, 4}, half = {0.5, 1, 2}, none = {0, 0, 0};
    masked(run, "sphere, linear", sphere, KIN_DROP_LINEAR, kin_v(0, 0, 0), all, "error at the centre");
    masked(run, "sphere, linear", sphere, KIN_DROP_LINEAR, kin_v(0, 0, 1), half, "error half way");
    masked(run, "sphere, linear", sphere, KIN_DROP_LINEAR, kin_v(2, 0, 0), none, "error at the edge");
    masked(run, "sphere, none", sphere, KIN_DROP_NONE, kin_v(1.999, 0, 0), all, "error just inside");
    masked(run, "sphere, none", sphere, KIN_DROP_NONE, kin_v(2.001, 0, 0), none, "error just outside");
    masked(run, "box, linear", box, KIN_DROP_LINEAR, kin_v(0, 0, 0), all, "error at the centre");
    masked(run, "box, linear", box, KIN_DROP_LINEAR, kin_v(0.1, 1, 0.4), half, "error half way along one axis");
    masked(run, "box, linear", box, KIN_DROP_LINEAR, kin_v(0, 0, 4), none, "error at the edge");
    masked(run, "box, axes", box, KIN_DROP_AXES, kin_v(0.5, 1, 0), kin_v(0.5, 1, 4), "error half way along two axes");
    masked(run, "plane, linear", plane, KIN_DROP_LINEAR, kin_v(7, -1, 7), half, "error half a depth behind");
    masked(run, "plane, linear", plane, KIN_DROP_LINEAR, kin_v(0, 0, 0), none, "error on the plane");
    masked(run, "plane, linear", plane, KIN_DROP_LINEAR, kin_v(0, -3, 0), all, "error behind the depth");
}

/* ---- goals: critically damped from a distance D: D (1 + wt) e^(-wt) is left ---- */

static double off_squares(kin_vec3 x)
{
    kin_vec3 a = {kin_clamp(x.x, 0, 1), kin_clamp(x.y, 0, 1), 0}, b = {kin_clamp(x.x, 0, 3), kin_clamp(x.y, 0, 1), 5};
    return kin_min(kin_distance(x, a), kin_distance(x, b));
}

void kin_case_goal(kin_case_run* run)
{
    static const kin_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 5}, {3, 0, 5}, {3, 1, 5}, {0, 1, 5}};
    static const uint32_t sizes[] = {4, 4}, corners[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const double w = 4, t = 5, far = 25; /* m: from any start to any place */
    kin_goal_field def;
    kin_field_default("goal", &def);
    def.goal = (kin_mesh_view){vertices, 8, sizes, corners, 2};
    def.stiffness = w * w;
    kin_rig r = in_space(run, "rk4", 0.01);
    kin_rig_field(&r, "goal", &def);
    kin_rig_balls(&r, run->full ? 5000 : 500, kin_v(0, 0, 0), kin_v(20, 20, 20), kin_v(0, 0, 0));
    kin_rig_steps(&r, 500);
    double worst = kin_rig_count(&r) > 0 ? 0 : NAN, large = 0;
    for (size_t i = 0; i < kin_rig_count(&r); ++i) {
        worst = kin_max(worst, off_squares(kin_rig_x_at(&r, i)));
        large += kin_rig_x_at(&r, i).z > 2.5;
    }
    double n = (double)kin_rig_count(&r);
    kin_case_row(run, "rk4", "farthest from the mesh after 5 s (m)", worst, 0, far * (1 + w * t) * kin_exp(-w * t), "House & Keyser 5.2; critical damping");
    kin_case_row(run, "rk4", "share on the square with 3/4 of the area", large / n, 0.75, 4 * kin_sqrt(0.75 * 0.25 / n), "House & Keyser 5.2: by area");
    kin_rig_close(&r);
}
