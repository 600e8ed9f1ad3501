/* order.c - order of convergence by regression: the slope of log error over log h.
 *
 * The step is halved from where h^p is well above h^(p+1) to where the error is well above round-off; then the slope is p to within the next term,
 * of relative size h: with steps of 2/64 and below that is 0.03 or less, inside the 0.1 asked for. */
#include "math/scalar.h"
#include "math/vec3.h"
#include "numerics/ode.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <stdio.h>

#define TOLERANCE 0.1
#define HALVINGS 5
#define MOST_SCRATCH 64

/* In the order of kin_particles_integrators. 0: it goes by its tolerance, not by the step. */
static const int expected[] = {1, 1, 1, 2, 2, 4, 2, 2, 2, 5, 0, 0, 1, 2, 2, 1, 2, 0, 2};

/* ---- the undamped oscillator x'' = -x, from (1, 0), at t = 2; no field of the world is one, so the integrators are asked themselves ---- */

static void oscillator(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = y[1];
    dydt[1] = -y[0];
}

static double oscillator_error(const kin_ode_method* method, int steps)
{
    double y[2] = {1, 0}, dydt[2], next[2], memory[1], scratch[MOST_SCRATCH], h = 2.0 / steps;
    kin_ode ode = {.size = 2, .pairs = 1, .derivative = oscillator};
    for (int i = 0; i < steps; ++i) {
        oscillator(NULL, 0, y, dydt);
        if (i == 0 && method->restart != NULL) method->restart(&ode, memory, 0, 1, h, y, dydt);
        method->step(&ode, memory, i * h, h, y, dydt, next, scratch);
        y[0] = next[0];
        y[1] = next[1];
    }
    double x = y[0] - kin_cos(2), v = y[1] + kin_sin(2);
    return method->order < 5 ? kin_abs(x) : kin_sqrt(x * x + v * v); /* rk45's error of position alone passes through zero near t = 2 */
}

void kin_case_order(kin_case_run* run)
{
    for (int m = 0; m < kin_ode_method_count(); ++m) {
        const kin_ode_method* method = kin_ode_method_at(kin_simd_best(), m);
        double h[HALVINGS], error[HALVINGS];
        for (int i = 0; i < HALVINGS; ++i) {
            int steps = (expected[m] == 5 ? 8 : 64) << i; /* fewer for fifth order, or round-off shows */
            h[i] = 2.0 / steps;
            error[i] = oscillator_error(method, steps);
        }
        kin_case_row(run, method->name, method->order < 5 ? "order of position, oscillator, t = 2" : "order of position and velocity, oscillator, t = 2",
                     kin_slope(h, error, HALVINGS), expected[m], TOLERANCE, "House & Keyser ch. 7; slides P4");
    }
}

/* ---- a particle thrown in drag and wind, against the closed form ---- */

static double air_error(kin_case_run* run, const char* name, int steps)
{
    const double d = 0.7, t = 2, fade = kin_exp(-d * t);
    const kin_vec3 wind = {-3, 0, 1}, v0 = {5, 4, -2}, end = {wind.x, -10 / d, wind.z};
    kin_rig r = kin_rig_begin(run, name, t / steps);
    kin_rig_open(&r);
    kin_rig_drag(&r, d);
    kin_rig_wind(&r, wind);
    kin_rig_ball(&r, kin_v(0, 0, 0), v0);
    kin_rig_steps(&r, steps);
    kin_vec3 want = kin_add_scaled(kin_scale(kin_sub(v0, end), (1 - fade) / d), t, end);
    double error = kin_distance(kin_rig_x(&r), want);
    kin_rig_close(&r);
    return error;
}

/* Constant acceleration is linear in v and quadratic in x: every step of the average-velocity method lands on the parabola (H2.6c). */
static void average_is_exact(kin_case_run* run)
{
    kin_rig r = kin_rig_begin(run, "average", 0.37);
    kin_rig_open(&r);
    kin_rig_ball(&r, kin_v(1, 2, 3), kin_v(4, 5, -6));
    kin_rig_steps(&r, 10);
    double t = 3.7;
    kin_vec3 want = {1 + 4 * t, 2 + 5 * t - 5 * t * t, 3 - 6 * t};
    kin_case_row(run, "average", "distance from the parabola at t = 3.7", kin_distance(kin_rig_x(&r), want), 0, 1e-13,
                 "House & Keyser 2.6: exact for constant a");
    kin_rig_close(&r);
}

/* A step errs by the tolerance in each component, absolute and relative to numbers up to 20; an error of velocity lasts for 2 s; a few steps an interval. */
static void error_in_air(kin_case_run* run, const char* name)
{
    kin_case_row(run, name, "error of position, drag and wind, t = 2 (m)", air_error(run, name, 32), 0, 32 * 4 * 3 * 21 * KIN_RIG_TOLERANCE,
                 "House & Keyser 2.7.3, 7.6: the tolerance");
}

void kin_case_order_in_air(kin_case_run* run)
{
    const char* const* names = kin_particles_integrators();
    for (int m = 0; names[m] != NULL; ++m) {
        double h[HALVINGS], error[HALVINGS];
        if (expected[m] == 0) error_in_air(run, names[m]);
        for (int i = 0; i < HALVINGS && expected[m] > 0; ++i) {
            int steps = (expected[m] == 5 ? 10 : 32) << i;
            h[i] = 2.0 / steps;
            error[i] = air_error(run, names[m], steps);
        }
        if (expected[m] > 0)
            kin_case_row(run, names[m], "order of position, drag and wind, t = 2", kin_slope(h, error, HALVINGS), expected[m], TOLERANCE,
                         "House & Keyser 2.7.3, ch. 7");
    }
    average_is_exact(run);
}
