/* policies.c - what each policy of a hit promises (slides P1, House & Keyser 4.4.3): no particle ends behind a wall; reflect is a mirror; the cheap ones
 * keep no more than first order, the exact one keeps the method's. */
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>

#define SKIN 1e-9 /* m: how far off a surface a hit puts a particle */
#define G 10.0

static const char* const names[] = {"exact", "approximate", "project", "reflect"};

/* ---- never on the wrong side ---- */

static double deepest(const kin_rig* r, double limit)
{
    double depth = 0;
    for (size_t i = 0; i < kin_rig_count(r); ++i) depth = kin_max(depth, kin_largest(kin_abs3(kin_rig_x_at(r, i))) - limit);
    return depth;
}

static void stays_inside(kin_case_run* run, kin_hit_policy hits)
{
    const double radius = 0.05;
    kin_rig r = kin_rig_begin(run, "rk4", 1.0 / 60);
    r.restitution = 0.7;
    r.friction[0] = r.friction[1] = 0.2;
    r.group.radius = radius;
    r.particles.hits = hits;
    kin_rig_open(&r);
    kin_rig_room(&r, kin_v(1, 1, 1), kin_quat_identity());
    kin_rig_balls(&r, run->full ? 2000 : 200, kin_v(0, 0, 0), kin_v(1.8, 1.8, 1.8), kin_v(8, 8, 8));
    double depth = 0;
    for (int i = 0; i < 600 && kin_rig_ok(&r); ++i) {
        kin_rig_step(&r);
        depth = kin_max(depth, deepest(&r, 1 - radius));
    }
    kin_case_row(run, names[hits], "deepest in a wall over 600 steps (m)", kin_rig_ok(&r) ? depth : NAN, 0, 1e-15, "slides P1; House & Keyser 4.4.3");
    kin_rig_close(&r);
}

/* ---- reflect with e = 1 and no force is the mirror ---- */

static void mirror(kin_case_run* run)
{
    kin_rig r = kin_rig_begin(run, "euler", 1);
    r.def.gravity = kin_v(0, 0, 0);
    r.restitution = 1;
    r.particles.hits = KIN_HIT_REFLECT;
    kin_rig_open(&r);
    kin_rig_plane(&r, kin_v(0, 0, 0), kin_v(0, 1, 0));
    kin_rig_ball(&r, kin_v(0, 3, 0), kin_v(2, -9, 1));
    kin_rig_step(&r);
    kin_vec3 x = kin_rig_x(&r), v = kin_rig_v(&r);
    kin_case_row(run, "reflect", "height after 3 to -6 (m)", x.y, 6, 2 * SKIN + 1e-15, "House & Keyser 4.4.3: x - 2 d n"); /* mirrored at the skin */
    kin_case_row(run, "reflect", "x along the wall (m)", x.x, 2, 0, "House & Keyser 4.4.3");
    kin_case_row(run, "reflect", "velocity off the wall (m/s)", v.y, 9, 0, "House & Keyser 4.4.3");
    kin_rig_close(&r);
}

/* To and fro between two walls: the unfolded path is a straight line, each bounce adds two skins. */
static void zigzag(kin_case_run* run)
{
    const double speed = 0.37, width = 2;
    kin_rig r = kin_rig_begin(run, "euler", 1);
    r.def.gravity = kin_v(0, 0, 0);
    r.restitution = 1;
    r.particles.hits = KIN_HIT_REFLECT;
    kin_rig_open(&r);
    kin_rig_room(&r, kin_v(1, 1, 1), kin_quat_identity());
    kin_rig_ball(&r, kin_v(-0.9, 0, 0), kin_v(speed, 0, 0));
    const int steps = 1000;
    kin_rig_steps(&r, steps);
    double along = 0.1 + speed * steps, bounces = kin_floor(along / width), left = along - bounces * width;
    double want = (int64_t)bounces % 2 == 0 ? left - 1 : 1 - left;
    kin_case_row(run, "reflect", "position after 185 bounces (m)", kin_rig_x(&r).x, want, 2 * SKIN * bounces, "House & Keyser 4.4.3: unfolded path");
    kin_case_row(run, "reflect", "speed (m/s)", kin_abs(kin_rig_v(&r).x), speed, 0, "conservation of energy");
    kin_rig_close(&r);
}

/* ---- order: one bounce, e = 1; the hit falls at 2/3 of a step for n = 4^k steps, so that errors follow one law ---- */

static double error_after_bounce(kin_case_run* run, kin_hit_policy hits, int n)
{
    const double hit = 0.4, end = 0.6, down = 2, speed = down + G * hit, rest = end - hit; /* from rest, errors of place and speed would cancel at the end */
    kin_rig r = kin_rig_begin(run, "rk4", end / n);
    r.restitution = 1;
    r.particles.hits = hits;
    kin_rig_open(&r);
    kin_rig_plane(&r, kin_v(0, 0, 0), kin_v(0, 1, 0));
    kin_rig_ball(&r, kin_v(0, down * hit + 0.5 * G * hit * hit, 0), kin_v(0, -down, 0));
    kin_rig_steps(&r, n);
    double error = kin_abs(kin_rig_x(&r).y - (speed * rest - 0.5 * G * rest * rest));
    kin_rig_close(&r);
    return error;
}

static void order(kin_case_run* run, kin_hit_policy hits)
{
    double h[4], error[4];
    for (int i = 0; i < 4; ++i) {
        int n = 16 << 2 * i;
        h[i] = 1.0 / n;
        error[i] = error_after_bounce(run, hits, n);
    }
    if (hits == KIN_HIT_EXACT)
        kin_case_row(run, names[hits], "error after a bounce, rk4, h = 0.0375 (m)", error[0], 0, 4 * SKIN, "House & Keyser 7.4.2"); /* skin, and speed at it */
    else
        kin_case_row(run, names[hits], "order of position after a bounce", kin_slope(h, error, 4), 1, 0.1, "slides P1: velocity of the end of the step");
}

/* Without a force every policy turns the velocity round and no more; exact takes it from the slope of a curve, an ulp off at each hit. */
static void keeps_speed(kin_case_run* run, kin_hit_policy hits)
{
    kin_rig r = kin_rig_begin(run, "rk4", 1.0 / 60);
    r.def.gravity = kin_v(0, 0, 0);
    r.restitution = 1;
    r.group.radius = 0.05;
    r.particles.hits = hits;
    kin_rig_open(&r);
    kin_rig_room(&r, kin_v(1, 1, 1), kin_quat_identity());
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(3, 4, 12));
    kin_rig_steps(&r, 1000);
    kin_case_row(run, names[hits], "speed after 1000 steps, no force (m/s)", kin_length(kin_rig_v(&r)), 13,
                 hits == KIN_HIT_EXACT ? 13 * 2.2e-16 * kin_rig_measure(&r, "hits") : 0, "conservation of energy");
    kin_rig_close(&r);
}

void kin_case_policies(kin_case_run* run)
{
    mirror(run);
    zigzag(run);
    for (int hits = KIN_HIT_EXACT; hits <= KIN_HIT_REFLECT; ++hits) {
        stays_inside(run, hits);
        order(run, hits);
        keeps_speed(run, hits);
    }
}
