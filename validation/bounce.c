/* bounce.c - restitution: heights, times, hit times and energy. House & Keyser 3.1, 3.2, 7.4.2.
 *
 * What the tolerances are made of. A hit is placed a skin of 1e-9 m off the surface and found on a chord within 1e-10 m of the curve: SKIN covers both, once
 * before and once after a bounce. Methods of first order also change the energy of a fall: a step of h changes height + v^2/2g by g h^2/2 exactly
 * (Euler gains it, semi-implicit and implicit Euler lose it), so a fall of time T by g h T/2. A bounce multiplies what was wrong before it by e^2. */
#include "math/quat.h"
#include "math/scalar.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SKIN 2e-9
#define G 10.0

static bool changes_energy(const char* method)
{
    static const char* const first_order[] = {"euler", "semi_implicit", "implicit_euler", "linear_euler"};
    bool found = false;
    for (int i = 0; i < 4; ++i) found = found || strcmp(method, first_order[i]) == 0;
    return found;
}

/* ---- heights H e^(2k) ---- */

/* Steps until the ball has turned from falling to rising; returns the time that took, NAN when it never did. */
static double fly_to_bounce(kin_rig* r, double h)
{
    for (double flight = h; flight < 100 && kin_rig_ok(r); flight += h) {
        double before = kin_rig_v(r).y;
        kin_rig_step(r);
        if (before < 0 && kin_rig_v(r).y > 0) return flight;
    }
    return NAN;
}

static void bounce_heights(kin_case_run* run, const char* method, double e, double h, int bounces)
{
    const double drop = 1, radius = 0.1, per_time = changes_energy(method) ? 0.5 * G * h : 0;
    kin_rig r = kin_rig_begin(run, method, h);
    r.restitution = e;
    r.group.radius = radius;
    kin_rig_open(&r);
    kin_rig_plane(&r, kin_v(0, 0, 0), kin_v(0, 1, 0));
    kin_rig_ball(&r, kin_v(0, drop + radius, 0), kin_v(0, 0, 0));
    double height = drop, bound = 0;
    for (int k = 1; k <= bounces; ++k) {
        char quantity[64];
        double flight = fly_to_bounce(&r, h);
        kin_vec3 x = kin_rig_x(&r), v = kin_rig_v(&r);
        height *= e * e;
        bound = e * e * (bound + per_time * (flight + h) + SKIN) + per_time * h + SKIN;
        snprintf(quantity, sizeof quantity, "apex %d, e = %g, h = %.4f (m)", k, e, h);
        kin_case_row(run, method, quantity, x.y - radius + v.y * v.y / (2 * G), height, bound,
                     e == 1 ? "House & Keyser 3.2.1: back to H" : "House & Keyser 3.2.1: H e^(2k)");
    }
    kin_rig_close(&r);
}

void kin_case_bounce(kin_case_run* run)
{
    static const double restitutions[] = {0.5, 0.8, 1, 1.1};
    const char* const* names = kin_particles_integrators();
    for (int m = 0; names[m] != NULL; ++m) {
        for (int i = 0; i < 4; ++i) bounce_heights(run, names[m], restitutions[i], 1.0 / 240, run->full ? 6 : 3);
    }
    bounce_heights(run, "rk4", 0.8, 1.0 / 30, 6); /* long steps, hits inside them */
}

/* ---- the series of bounces ends at sqrt(2H/g) (1 + e) / (1 - e) ---- */

static void bounce_end(kin_case_run* run, const char* method, double e)
{
    const double h = 1.0 / 60, drop = 1;
    kin_rig r = kin_rig_begin(run, method, h);
    r.restitution = e;
    kin_rig_open(&r);
    kin_rig_plane(&r, kin_v(0, 0, 0), kin_v(0, 1, 0));
    kin_rig_ball(&r, kin_v(0, drop, 0), kin_v(0, 0, 0));
    double end = kin_sqrt(2 * drop / G) * (1 + e) / (1 - e);
    int steps = 0, most = (int)(2 * end / h);
    while (steps < most && kin_rig_ok(&r) && !kin_rig_resting(&r)) {
        kin_rig_step(&r);
        ++steps;
    }
    /* Seen at the end of a step; and bounces slower than rest_speed, which would have lasted 2 v / g / (1 - e), are left out. */
    double tolerance = h + 2 * r.particles.rest_speed / G / (1 - e);
    char quantity[64];
    snprintf(quantity, sizeof quantity, "time to rest, e = %g (s)", e);
    kin_case_row(run, method, quantity, steps * h, end, tolerance, "House & Keyser 3.2.1: sum of flights");
    kin_rig_steps(&r, 60);
    kin_case_row(run, method, "speed after it (m/s)", kin_abs(kin_rig_v(&r).y), 0, 0, "House & Keyser 3.3.2");
    kin_rig_close(&r);
}

void kin_case_bounce_stop(kin_case_run* run)
{
    static const char* const methods[] = {"average", "midpoint", "rk4", "velocity_verlet", "leapfrog"};
    for (int i = 0; i < 5; ++i) {
        bounce_end(run, methods[i], 0.5);
        bounce_end(run, methods[i], 0.8);
    }
}

/* ---- the time of a hit: a point that moves along x at 1 m/s sticks where it hits (e = 0, huge friction), so x is the time ---- */

static double hit_x(kin_case_run* run, const char* method, kin_hit_path path, kin_hit_policy hits, double h, double gravity, kin_vec3 x, kin_vec3 v,
                    double wall, int steps)
{
    kin_rig r = kin_rig_begin(run, method, h);
    r.def.gravity = kin_v(0, -gravity, 0);
    r.friction[0] = r.friction[1] = 1000;
    r.particles.hit_path = path;
    r.particles.hits = hits;
    kin_rig_open(&r);
    kin_rig_plane(&r, kin_v(0, wall, 0), kin_v(0, wall > x.y ? -1 : 1, 0));
    kin_rig_ball(&r, x, v);
    kin_rig_steps(&r, steps);
    double time = kin_rig_x(&r).x;
    kin_rig_close(&r);
    return time;
}

/* H3.1b: one step from 3 above to 6 below hits after a third of it. */
static void hit_fraction(kin_case_run* run)
{
    const char* const* names = kin_particles_integrators();
    for (int m = 0; names[m] != NULL; ++m) {
        double f = hit_x(run, names[m], KIN_HIT_PATH_CURVE, KIN_HIT_EXACT, 1, 0, kin_v(0, 3, 0), kin_v(1, -9, 0), 0, 1);
        kin_case_row(run, names[m], "fraction of the step, d 3 to -6", f, 1.0 / 3, 1.2e-16, "House & Keyser 3.1.2: f = 1/3");
    }
}

/* H7.4b: the fall y = 3.2 - 4t - 5t^2 meets y = 0 at t = (sqrt(80) - 4)/10. */
static void parabola_time(kin_case_run* run)
{
    const double exact = (kin_sqrt(80) - 4) / 10;
    static const char* const methods[] = {"average", "heun", "rk4", "verlet"};
    for (int m = 0; m < 4; ++m) {
        double t = hit_x(run, methods[m], KIN_HIT_PATH_CURVE, KIN_HIT_EXACT, 1, G, kin_v(0, 3.2, 0), kin_v(1, -4, 0), 0, 1);
        kin_case_row(run, methods[m], "curve: time of parabola and plane, h = 1", t, exact, SKIN, "House & Keyser 7.4.2 (ii)");
    }
    double t = hit_x(run, "rk4", KIN_HIT_PATH_EULER, KIN_HIT_EXACT, 1, G, kin_v(0, 3.2, 0), kin_v(1, -4, 0), 0, 1);
    kin_case_row(run, "rk4", "euler: its own line, h = 1", t, 0.8, 1e-15, "House & Keyser 7.4.2 (i)");
    for (double h = 0.1; h > 0.001; h /= 4) { /* the line leaves the parabola by g h^2/2, so at speed v >= 4 it is late by g h^2 / 2v at most */
        char quantity[64];
        int steps = (int)(0.6 / h);
        t = hit_x(run, "rk4", KIN_HIT_PATH_EULER, KIN_HIT_EXACT, h, G, kin_v(0, 3.2, 0), kin_v(1, -4, 0), 0, steps);
        snprintf(quantity, sizeof quantity, "euler: time of parabola and plane, h = %g", h);
        kin_case_row(run, "rk4", quantity, t, exact, 0.5 * G * h * h / 4, "House & Keyser 7.4.2 (i)");
    }
}

/* Thrown up at 5 m/s it is back after 1 s: the chord of that step never leaves the ground, the curve meets the ceiling at 1 m. */
static void missed_chord(kin_case_run* run)
{
    const kin_vec3 x = {0, 0, 0}, v = {1, 5, 0};
    const double exact = (5 - kin_sqrt(5)) / 10;
    double t = hit_x(run, "rk4", KIN_HIT_PATH_CURVE, KIN_HIT_EXACT, 1, G, x, v, 1, 1);
    kin_case_row(run, "rk4", "curve: ceiling that the chord misses (s)", t, exact, SKIN, "House & Keyser 7.4.2 (ii)");
    t = hit_x(run, "rk4", KIN_HIT_PATH_EULER, KIN_HIT_EXACT, 1, G, x, v, 1, 1);
    kin_case_row(run, "rk4", "euler: the same on its own line (s)", t, 0.2, 1e-15, "House & Keyser 7.4.2 (i)");
    t = hit_x(run, "rk4", KIN_HIT_PATH_CURVE, KIN_HIT_APPROXIMATE, 1, G, x, v, 1, 1);
    kin_case_row(run, "rk4", "approximate: sees the chord alone, no hit", t, 1, 1e-15, "House & Keyser 7.4.2");
}

void kin_case_hit_time(kin_case_run* run)
{
    hit_fraction(run);
    parabola_time(run);
    missed_chord(run);
}

/* ---- no field, e = 1: kinetic energy stays, to a few ulp a hit ----
 *
 * Verlet alone has no velocities: it takes them from positions, so that half an ulp of a position of up to 1 m becomes 1.1e-16 / h of speed each
 * step, and energy doubles it. */

static void keeps_energy(kin_case_run* run, const char* method, kin_quat turn, const char* quantity)
{
    const double h = 1.0 / 60;
    const int balls = 20, steps = run->full ? 100000 : 10000;
    kin_rig r = kin_rig_begin(run, method, h);
    r.def.gravity = kin_v(0, 0, 0);
    r.restitution = 1;
    r.particles.rest_speed = 0; /* no hit is too slow to bounce */
    r.group.radius = 0.05;
    kin_rig_open(&r);
    kin_rig_room(&r, kin_v(1, 1, 1), turn);
    kin_rig_balls(&r, balls, kin_v(0, 0, 0), kin_v(1, 1, 1), kin_v(3, 3, 3));
    double before = kin_rig_measure(&r, "kinetic_energy");
    kin_rig_steps(&r, steps);
    double hits = kin_rig_measure(&r, "hits") / balls, speed = kin_sqrt(2 * before / balls);
    double tolerance = 16 * hits * 2.2e-16 + (strcmp(method, "verlet") == 0 ? 2 * steps * 1.1e-16 / h / speed : 0);
    kin_case_row(run, method, quantity, kin_rig_measure(&r, "kinetic_energy") / before, 1, tolerance, "conservation of energy");
    kin_rig_close(&r);
}

void kin_case_energy(kin_case_run* run)
{
    static const char* const methods[] = {"semi_implicit", "rk4", "verlet"};
    kin_quat turn = kin_quat_axis_angle(kin_v(1, 2, 3), 0.7);
    for (int i = 0; i < 3; ++i) {
        keeps_energy(run, methods[i], kin_quat_identity(), "kinetic energy over start, upright room");
        keeps_energy(run, methods[i], turn, "kinetic energy over start, tilted room");
    }
}
