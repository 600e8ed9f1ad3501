/* tables.c - the printed tables of House & Keyser ch. 2 and 7 (catalog, tables A and B, H7.5a), and drag against its closed form.
 *
 * Printed numbers hold to half a unit of their last digit. Numbers that the method gives exactly (whole steps of whole numbers) hold to round-off:
 * a few ulp of the largest number in the sum, 2^-52 * 100. */
#include "math/scalar.h"
#include "math/vec3.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <stdio.h>
#include <string.h>

#define ROUND_OFF 1e-13 /* of numbers up to 150 after a few additions */
#define PRINTED3 0.0005 /* half a unit of the third decimal */

static const char* const axis_names = "xyz";

static void rows3(kin_case_run* run, const char* method, const char* what, kin_vec3 got, kin_vec3 want, kin_vec3 tolerance, const char* source)
{
    const double g[3] = {got.x, got.y, got.z}, w[3] = {want.x, want.y, want.z}, tol[3] = {tolerance.x, tolerance.y, tolerance.z};
    for (int i = 0; i < 3; ++i) {
        char quantity[64];
        snprintf(quantity, sizeof quantity, "%s %c", what, axis_names[i]);
        kin_case_row(run, method, quantity, g[i], w[i], tol[i], source);
    }
}

/* ---- table A: x0 = 100, v0 = 0, g = 10 ---- */

static void fall_table(kin_case_run* run, const char* method, double h, const double* heights, int count)
{
    const double tolerance = strcmp(method, "bulirsch_stoer") == 0 ? 100 * ROUND_OFF : ROUND_OFF; /* its columns are mixed with weights of up to 50 */
    kin_rig r = kin_rig_begin(run, method, h);
    kin_rig_open(&r);
    kin_rig_ball(&r, kin_v(0, 100, 0), kin_v(0, 0, 0));
    for (int i = 0; i < count; ++i) {
        char quantity[64];
        double t = i * h;
        snprintf(quantity, sizeof quantity, "height at t = %g, h = %g (m)", t, h);
        kin_case_row(run, method, quantity, kin_rig_x(&r).y, heights[i], tolerance, "House & Keyser 2.5-2.6, catalog table A");
        snprintf(quantity, sizeof quantity, "velocity at t = %g, h = %g (m/s)", t, h);
        kin_case_row(run, method, quantity, kin_rig_v(&r).y, -10 * t, tolerance, "House & Keyser 2.5-2.6, catalog table A");
        kin_rig_step(&r);
    }
    kin_rig_close(&r);
}

/* P4: after k steps Euler is g k h^2 / 2 above the parabola, the ending-velocity method as far below. */
static void fall_error(kin_case_run* run, const char* method, double sign)
{
    const int k = 200;
    const double h = 0.02, t = k * h;
    kin_rig r = kin_rig_begin(run, method, h);
    kin_rig_open(&r);
    kin_rig_ball(&r, kin_v(0, 100, 0), kin_v(0, 0, 0));
    kin_rig_steps(&r, k);
    kin_case_row(run, method, "error after 200 steps of 0.02 (m)", kin_rig_x(&r).y - (100 - 5 * t * t), sign * 5 * k * h * h, k * ROUND_OFF,
                 "slides P4: g k h^2 / 2");
    kin_rig_close(&r);
}

void kin_case_free_fall(kin_case_run* run)
{
    static const double exact[] = {100, 95, 80, 55, 20}, euler[] = {100, 100, 90, 70, 40}, ending[] = {100, 90, 70, 40, 0};
    static const double fine[] = {100, 100, 97.5, 92.5, 85, 75, 62.5, 47.5, 30};
    fall_table(run, "euler", 1, euler, 5);
    fall_table(run, "semi_implicit", 1, ending, 5);
    fall_table(run, "average", 1, exact, 5);
    fall_table(run, "euler", 0.5, fine, 9);
    const char* const* names = kin_particles_integrators();
    for (int i = 3; names[i] != NULL; ++i) { /* second order and above: the parabola itself; implicit Euler has the ending velocity */
        bool is_ending = strcmp(names[i], "implicit_euler") == 0 || strcmp(names[i], "linear_euler") == 0;
        fall_table(run, names[i], 1, is_ending ? ending : exact, 5);
    }
    fall_error(run, "euler", 1);
    fall_error(run, "semi_implicit", -1);
    fall_error(run, "implicit_euler", -1);
}

/* ---- table B: v0 = (10, 0, 30), x0 = (0, 100, 0), Euler, h = 1, t = 5 ---- */

static kin_rig throw_ball(kin_case_run* run, const char* method, double h, double drag, kin_vec3 wind)
{
    kin_rig r = kin_rig_begin(run, method, h);
    kin_rig_open(&r);
    if (drag > 0) kin_rig_drag(&r, drag);
    if (kin_length(wind) > 0) kin_rig_wind(&r, wind);
    kin_rig_ball(&r, kin_v(0, 100, 0), kin_v(10, 0, 30));
    return r;
}

void kin_case_ballistic(kin_case_run* run)
{
    kin_rig r = throw_ball(run, "euler", 1, 0, kin_v(0, 0, 0));
    kin_vec3 exact = {ROUND_OFF, ROUND_OFF, ROUND_OFF};
    kin_rig_steps(&r, 5);
    rows3(run, "euler", "velocity at t = 5", kin_rig_v(&r), kin_v(10, -50, 30), exact, "House & Keyser 2.7.1, catalog table B0");
    rows3(run, "euler", "position at t = 5", kin_rig_x(&r), kin_v(50, 0, 150), exact, "House & Keyser 2.7.1, catalog table B0");
    kin_rig_close(&r);
}

static const double drag_d = 0.4; /* kg/s, mass 1 kg */
static const kin_vec3 start_v = {10, 0, 30}, start_x = {0, 100, 0};

/* v = v_end + (v0 - v_end) e^(-dt/m), and its integral. */
static kin_vec3 drag_velocity(kin_vec3 end, double t) { return kin_add_scaled(end, kin_exp(-drag_d * t), kin_sub(start_v, end)); }

static kin_vec3 drag_position(kin_vec3 end, double t)
{
    kin_vec3 decayed = kin_scale(kin_sub(start_v, end), (1 - kin_exp(-drag_d * t)) / drag_d);
    return kin_add(start_x, kin_add_scaled(decayed, t, end));
}

/* RK4 errs by z^5/120 of the velocity's change in a step, z = d h / m, and n steps follow: n z^5/120 |v0 - v_end|, times m/d for the position. */
static void against_closed_form(kin_case_run* run, kin_vec3 wind, kin_vec3 end, const char* source)
{
    const double h = 0.05, t = 2, z = drag_d * h;
    kin_rig r = throw_ball(run, "rk4", h, drag_d, wind);
    kin_rig_steps(&r, 40);
    double bound = 40 * z * z * z * z * z / 120 * kin_distance(start_v, end);
    double far = bound / drag_d + ROUND_OFF;
    rows3(run, "rk4", "velocity at t = 2, h = 0.05", kin_rig_v(&r), drag_velocity(end, t), kin_v(bound, bound, bound), source);
    rows3(run, "rk4", "position at t = 2, h = 0.05", kin_rig_x(&r), drag_position(end, t), kin_v(far, far, far), source);
    kin_rig_close(&r);
}

/* After 40 decay times e^-40 of the start is left: below round-off. */
static void terminal_velocity(kin_case_run* run, const char* method, kin_vec3 wind, kin_vec3 end, const char* source)
{
    kin_rig r = throw_ball(run, method, 0.25, drag_d, wind);
    kin_vec3 tolerance = {ROUND_OFF, ROUND_OFF, ROUND_OFF};
    kin_rig_steps(&r, 400);
    rows3(run, method, "terminal velocity", kin_rig_v(&r), end, tolerance, source);
    kin_rig_close(&r);
}

void kin_case_drag(kin_case_run* run)
{
    const kin_vec3 end = {0, -25, 0}, printed3 = {PRINTED3, PRINTED3, PRINTED3};
    kin_rig r = throw_ball(run, "euler", 1, drag_d, kin_v(0, 0, 0));
    kin_rig_steps(&r, 5);
    rows3(run, "euler", "velocity at t = 5", kin_rig_v(&r), kin_v(0.778, -23.056, 2.333), printed3, "House & Keyser 2.7.2, catalog table B1");
    rows3(run, "euler", "position at t = 5", kin_rig_x(&r), kin_v(23.056, 32.64, 69.168), kin_v(PRINTED3, 0.005, PRINTED3),
          "House & Keyser 2.7.2, catalog table B1");
    kin_rig_close(&r);
    against_closed_form(run, kin_v(0, 0, 0), end, "House & Keyser 2.7.2: closed form");
    terminal_velocity(run, "euler", kin_v(0, 0, 0), end, "House & Keyser 2.7.2: (m/d) g");
    terminal_velocity(run, "rk4", kin_v(0, 0, 0), end, "House & Keyser 2.7.2: (m/d) g");
}

void kin_case_wind(kin_case_run* run)
{
    const kin_vec3 wind = {-12.5, 0, 0}, end = {-12.5, -25, 0};
    kin_rig r = throw_ball(run, "euler", 1, drag_d, wind);
    kin_rig_steps(&r, 5);
    rows3(run, "euler", "velocity at t = 5", kin_rig_v(&r), kin_v(-10.75, -23.056, 2.333), kin_v(0.005, PRINTED3, PRINTED3),
          "House & Keyser 2.7.3, catalog table B2");
    rows3(run, "euler", "position at t = 5", kin_rig_x(&r), kin_v(-10.624, 32.64, 69.168), kin_v(PRINTED3, 0.005, PRINTED3),
          "House & Keyser 2.7.3, catalog table B2");
    kin_rig_close(&r);
    against_closed_form(run, wind, end, "House & Keyser 2.7.3: closed form");
    terminal_velocity(run, "euler", wind, end, "House & Keyser 2.7.3: w + (m/d) g");
    terminal_velocity(run, "rk4", wind, end, "House & Keyser 2.7.3: w + (m/d) g");
}

/* ---- gains of one step of exponential decay: drag alone, T = m/d = 1 ---- */

static void gains(kin_case_run* run, const char* method, const double want[4], double half_digit)
{
    static const double steps[4] = {2, 1, 0.5, 0.25};
    for (int i = 0; i < 4; ++i) {
        char quantity[64];
        kin_rig r = kin_rig_begin(run, method, steps[i]);
        r.def.gravity = kin_v(0, 0, 0);
        kin_rig_open(&r);
        kin_rig_drag(&r, 1);
        kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(1, 0, 0));
        kin_rig_step(&r);
        snprintf(quantity, sizeof quantity, "gain of a step of %g T", steps[i]);
        kin_case_row(run, method, quantity, kin_rig_v(&r).x, want[i], half_digit, "House & Keyser 7.5.2, fig 7.1");
        kin_rig_close(&r);
    }
}

void kin_case_decay(kin_case_run* run)
{
    gains(run, "euler", (double[]){-1, 0, 0.5, 0.75}, ROUND_OFF);
    gains(run, "midpoint", (double[]){1, 0.5, 0.625, 0.78125}, ROUND_OFF);
    gains(run, "heun", (double[]){1, 0.5, 0.625, 0.78125}, ROUND_OFF);
    gains(run, "rk4", (double[]){0.33333, 0.375, 0.60677, 0.778809}, 5e-6);
}
