/* methods.c - one step of y' = f(t, y), ten ways. A kernel file: built once per lane width (base/kernel.h).
 *
 * House, Keyser ch. 2 and 7 (H2.5a, H2.6b, H2.6c, H7.2a-c, H7.3); Coutinho B7.2.1, B7.3.1, B7.3.2; courses R3.2-R3.4, S-B, P4.
 * Their misprints, not copied: H E13 (Verlet's half-step velocity is (x(t+h) - x(t)) / h), C E15 (k4 is taken at k3, not at k3/2),
 * P4 (midpoint multiplies by h once).
 * Dormand, Prince: A family of embedded Runge-Kutta formulae, 1980 (rk45).
 * Boris: Relativistic plasma simulation - optimization of a hybrid code, 1970; Birdsall, Langdon: Plasma physics via computer simulation, 4-3 and 4-4
 * (gyration).
 *
 * Names as in the books: k1 = dydt0 is f at the start, handed in by the caller (H7.4a); k2, k3, k4 are f at later stages, which get their own time.
 * x, v, a are the pairs' positions, velocities and accelerations. y1 doubles as the stage until it becomes the answer.
 *
 * Element i of every loop depends on element i alone and nothing is summed over i: any lane width gives the same bits. */
#include "base/kernel.h"
#include "math/gyration.h"
#include "numerics/methods.h"
#include <string.h>

/* y1 = y0 + h k */
static void advance(int n, double h, const double* restrict y0, const double* restrict k, double* restrict y1)
{
    for (int i = 0; i < n; ++i) y1[i] = y0[i] + h * k[i];
}

/* y1 = y0 + h (k1 + k2) / 2 */
static void advance_mean(int n, double h, const double* restrict y0, const double* restrict k1, const double* restrict k2, double* restrict y1)
{
    double half = 0.5 * h;
    for (int i = 0; i < n; ++i) y1[i] = y0[i] + half * (k1[i] + k2[i]);
}

/* x1 = x0 + h v0 + h^2 a0 / 2 */
static void advance_parabola(int n, double h, const double* restrict x0, const double* restrict v0, const double* restrict a0, double* restrict x1)
{
    double half = 0.5 * h;
    for (int i = 0; i < n; ++i) x1[i] = x0[i] + h * (v0[i] + half * a0[i]);
}

/* --- gyration: dv/dt = a + w x v ---
 *
 * An explicit step along w x v leaves the circle: |v| grows by sqrt(1 + (w h)^2) each time. Boris splits the step: half of a, a rotation about w, half of a.
 * The rotation (math/gyration.h) is of second order in h and keeps |v| to rounding at any step; two halves of it make a whole, so velocities at whole and at
 * half steps belong to one and the same solution. */

/* v += h a */
static void kick(int n, double h, const double* restrict a, double* restrict v)
{
    for (int i = 0; i < n; ++i) v[i] += h * a[i];
}

typedef enum turn { TURN_WHOLE, TURN_HALF } turn;

/* Every velocity by what it turns in h, or by half of that. */
static void turn_by(const kin_ode* ode, turn part, double h, double* restrict v)
{
    int n = ode->pairs / 3;
    const double* restrict wx = ode->gyration, * restrict wy = wx + n, * restrict wz = wy + n;
    for (int i = 0; i < n; ++i) {
        kin_vec3 w = {wx[i], wy[i], wz[i]}, old = {v[i], v[n + i], v[2 * n + i]};
        kin_vec3 now = part == TURN_WHOLE ? kin_gyrate(old, w, h) : kin_gyrate_half(old, w, h);
        v[i] = now.x;
        v[n + i] = now.y;
        v[2 * n + i] = now.z;
    }
}

/* v over h: half the acceleration, the rotation, the other half. */
static void kick_turn_kick(const kin_ode* ode, double h, const double* a, double* v)
{
    kick(ode->pairs, 0.5 * h, a, v);
    turn_by(ode, TURN_WHOLE, h, v);
    kick(ode->pairs, 0.5 * h, a, v);
}

/* v1 = v0 over h, by Boris if velocities turn, and the rest by Euler. */
static void advance_velocities(const kin_ode* ode, double h, const double* y0, const double* k1, double* y1)
{
    int n = ode->pairs;
    advance(ode->size - n, h, y0 + n, k1 + n, y1 + n);
    if (ode->gyration == NULL) return;
    memcpy(y1 + n, y0 + n, (size_t)n * sizeof *y1);
    kick_turn_kick(ode, h, k1 + n, y1 + n);
}

/* The velocity half a step before y0, of the pairs begin <= i < end: v0 turned back by half, less half the acceleration. */
static void velocity_before(const kin_ode* ode, int begin, int end, double h, const double* y0, const double* k1, double* v)
{
    int n = ode->pairs / 3;
    const double *w = ode->gyration, *v0 = y0 + ode->pairs;
    for (int k = begin; k < end; ++k) {
        int i = k % n;
        kin_vec3 turned = kin_gyrate_half((kin_vec3){v0[i], v0[n + i], v0[2 * n + i]}, (kin_vec3){w[i], w[n + i], w[2 * n + i]}, -h);
        v[k - begin] = kin_component(turned, k / n) - 0.5 * h * k1[ode->pairs + k];
    }
}

/* --- first order: no derivative but k1 --- */

static void euler_step(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    (void)memory, (void)t, (void)scratch;
    advance(ode->size, h, y0, k1, y1);
}

static void semi_implicit_step(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    (void)memory, (void)t, (void)scratch;
    int n = ode->pairs;
    advance_velocities(ode, h, y0, k1, y1);
    advance(n, h, y0, y1 + n, y1); /* x1 = x0 + h v1 */
}

static void average_step(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    (void)memory, (void)t, (void)scratch;
    int n = ode->pairs;
    advance_velocities(ode, h, y0, k1, y1);
    advance_mean(n, h, y0, y0 + n, y1 + n, y1); /* x1 = x0 + h (v0 + v1) / 2 */
}

/* --- Runge-Kutta: the state as one vector --- */

static void midpoint_step(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    (void)memory;
    double* k2 = scratch;
    advance(ode->size, 0.5 * h, y0, k1, y1);
    ode->derivative(ode->context, t + 0.5 * h, y1, k2);
    advance(ode->size, h, y0, k2, y1);
}

static void heun_step(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    (void)memory;
    double* k2 = scratch;
    advance(ode->size, h, y0, k1, y1);
    ode->derivative(ode->context, t + h, y1, k2);
    advance_mean(ode->size, h, y0, k1, k2, y1);
}

/* y1 = y0 + h (k1 + 2 k2 + 2 k3 + k4) / 6 */
static void rk4_sum(int n, double h, const double* restrict y0, const double* restrict k1, const double* restrict k2, const double* restrict k3,
                    const double* restrict k4, double* restrict y1)
{
    double sixth = h / 6.0;
    for (int i = 0; i < n; ++i) y1[i] = y0[i] + sixth * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
}

static void rk4_step(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    (void)memory;
    int n = ode->size;
    double *k2 = scratch, *k3 = scratch + n, *k4 = scratch + 2 * (size_t)n;
    advance(n, 0.5 * h, y0, k1, y1);
    ode->derivative(ode->context, t + 0.5 * h, y1, k2);
    advance(n, 0.5 * h, y0, k2, y1);
    ode->derivative(ode->context, t + 0.5 * h, y1, k3);
    advance(n, h, y0, k3, y1);
    ode->derivative(ode->context, t + h, y1, k4);
    rk4_sum(n, h, y0, k1, k2, k3, k4, y1);
}

/* y1 = y0 + h (c0 k0 + c1 k1 + ...), of two to five rates */
static void advance_2(int n, double h, const double* c, const double* restrict y0, const double* restrict k0, const double* restrict k1, double* restrict y1)
{
    double a = c[0], b = c[1];
    for (int i = 0; i < n; ++i) y1[i] = y0[i] + h * (a * k0[i] + b * k1[i]);
}

static void advance_3(int n, double h, const double* c, const double* restrict y0, const double* restrict k0, const double* restrict k1,
                      const double* restrict k2, double* restrict y1)
{
    double a = c[0], b = c[1], d = c[2];
    for (int i = 0; i < n; ++i) y1[i] = y0[i] + h * (a * k0[i] + b * k1[i] + d * k2[i]);
}

static void advance_4(int n, double h, const double* c, const double* restrict y0, const double* restrict k0, const double* restrict k1,
                      const double* restrict k2, const double* restrict k3, double* restrict y1)
{
    double a = c[0], b = c[1], d = c[2], e = c[3];
    for (int i = 0; i < n; ++i) y1[i] = y0[i] + h * (a * k0[i] + b * k1[i] + d * k2[i] + e * k3[i]);
}

static void advance_5(int n, double h, const double* c, const double* restrict y0, const double* restrict k0, const double* restrict k1,
                      const double* restrict k2, const double* restrict k3, const double* restrict k4, double* restrict y1)
{
    double a = c[0], b = c[1], d = c[2], e = c[3], g = c[4];
    for (int i = 0; i < n; ++i) y1[i] = y0[i] + h * (a * k0[i] + b * k1[i] + d * k2[i] + e * k3[i] + g * k4[i]);
}

static const double dp3[] = {3.0 / 40.0, 9.0 / 40.0};
static const double dp4[] = {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0};
static const double dp5[] = {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0};
static const double dp6[] = {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0};
static const double dp_end[] = {35.0 / 384.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}; /* of k1, k3, k4, k5, k6: order 5 */
static const double dp_error[] = {71.0 / 57600.0,      -71.0 / 16695.0, 71.0 / 1920.0,
                                  -17253.0 / 339200.0, 22.0 / 525.0,    -1.0 / 40.0}; /* of k1, k3 to k7: order 5 less order 4 */

/* Dormand-Prince 5(4). The stages k2 to k6 stay in scratch for rk45_error. */
static void rk45_step(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    (void)memory;
    int n = ode->size;
    double *k2 = scratch, *k3 = k2 + n, *k4 = k3 + n, *k5 = k4 + n, *k6 = k5 + n;
    advance(n, h / 5.0, y0, k1, y1);
    ode->derivative(ode->context, t + h / 5.0, y1, k2);
    advance_2(n, h, dp3, y0, k1, k2, y1);
    ode->derivative(ode->context, t + 0.3 * h, y1, k3);
    advance_3(n, h, dp4, y0, k1, k2, k3, y1);
    ode->derivative(ode->context, t + 0.8 * h, y1, k4);
    advance_4(n, h, dp5, y0, k1, k2, k3, k4, y1);
    ode->derivative(ode->context, t + 8.0 / 9.0 * h, y1, k5);
    advance_5(n, h, dp6, y0, k1, k2, k3, k4, k5, y1);
    ode->derivative(ode->context, t + h, y1, k6);
    advance_5(n, h, dp_end, y0, k1, k3, k4, k5, k6, y1);
}

static void rk45_error(const kin_ode* ode, double h, const double* k1, const double* k7, const double* scratch, double* error)
{
    int n = ode->size;
    const double *k3 = scratch + n, *k4 = k3 + n, *k5 = k4 + n, *k6 = k5 + n, *c = dp_error;
    for (int i = 0; i < n; ++i) error[i] = h * (c[0] * k1[i] + c[1] * k3[i] + c[2] * k4[i] + c[3] * k5[i] + c[4] * k6[i] + c[5] * k7[i]);
}

/* --- the Verlet family: one new force a step, at the new positions ---
 *
 * All three find x1, guess v1 and the rest by Euler so that f(t + h, .) can be asked once, then correct: the velocities each in its own way, the rest
 * by the mean of both derivatives (Heun), which is second order like the positions. Where a = f(x) the guessed velocity goes unused, and the three are one
 * method, also where velocities turn. Where a depends on v they stay second order, but differ from each other and lose reversibility and bounded energy. */

static void guess_and_derive(const kin_ode* ode, double t, double h, const double* y0, const double* k1, double* y1, double* k2)
{
    advance_velocities(ode, h, y0, k1, y1);
    ode->derivative(ode->context, t + h, y1, k2);
}

static void correct_rest(const kin_ode* ode, double h, const double* y0, const double* k1, const double* k2, double* y1)
{
    int begin = 2 * ode->pairs;
    advance_mean(ode->size - begin, h, y0 + begin, k1 + begin, k2 + begin, y1 + begin);
}

/* memory = x(t - h), the parabola backwards: the first step is then x0 + v0 h + a0 h^2 / 2 (H7.2a). */
static void verlet_restart(const kin_ode* ode, double* memory, int begin, int end, double h, const double* y0, const double* k1)
{
    int n = ode->pairs;
    if (ode->gyration != NULL) {
        velocity_before(ode, begin, end, h, y0, k1, memory + begin);
        for (int i = begin; i < end; ++i) memory[i] = y0[i] - h * memory[i];
        return;
    }
    advance_parabola(end - begin, -h, y0 + begin, y0 + n + begin, k1 + n + begin, memory + begin);
}

/* x(t + h) = 2 x(t) - x(t - h) + h^2 a, as a sum of small terms to keep their digits. */
static void verlet_positions(int n, double h, const double* restrict x0, const double* restrict a0, double* restrict last, double* restrict x1)
{
    for (int i = 0; i < n; ++i) {
        x1[i] = x0[i] + ((x0[i] - last[i]) + h * h * a0[i]);
        last[i] = x0[i];
    }
}

/* v1 = (x1 - x0) / h, which is the velocity at t + h/2 (E13), and half a step more. */
static void verlet_velocities(int n, double h, const double* restrict x0, const double* restrict x1, const double* restrict a1, double* restrict v1)
{
    double half = 0.5 * h;
    for (int i = 0; i < n; ++i) v1[i] = (x1[i] - x0[i]) / h + half * a1[i];
}

/* The same where velocities turn: (x(t) - x(t - h)) / h is the velocity at t - h/2. */
static void verlet_turned_positions(const kin_ode* ode, double h, const double* y0, const double* a0, double* last, double* x1)
{
    int n = ode->pairs;
    for (int i = 0; i < n; ++i) last[i] = (y0[i] - last[i]) / h;
    kick_turn_kick(ode, h, a0, last);
    advance(n, h, y0, last, x1);
    memcpy(last, y0, (size_t)n * sizeof *last);
}

static void verlet_step(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    int n = ode->pairs;
    double* k2 = scratch;
    if (ode->gyration != NULL)
        verlet_turned_positions(ode, h, y0, k1 + n, memory, y1);
    else
        verlet_positions(n, h, y0, k1 + n, memory, y1);
    guess_and_derive(ode, t, h, y0, k1, y1, k2);
    verlet_velocities(n, h, y0, y1, k2 + n, y1 + n);
    if (ode->gyration != NULL) turn_by(ode, TURN_HALF, h, y1 + n);
    correct_rest(ode, h, y0, k1, k2, y1);
}

/* Turn and kick to the middle of the step, drift, kick and turn to its end. */
static void turned_verlet_step(const kin_ode* ode, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    int n = ode->pairs;
    double *k2 = scratch, *middle = scratch + ode->size;
    memcpy(middle, y0 + n, (size_t)n * sizeof *middle);
    turn_by(ode, TURN_HALF, h, middle);
    kick(n, 0.5 * h, k1 + n, middle);
    advance(n, h, y0, middle, y1);
    guess_and_derive(ode, t, h, y0, k1, y1, k2);
    advance(n, 0.5 * h, middle, k2 + n, y1 + n);
    turn_by(ode, TURN_HALF, h, y1 + n);
    correct_rest(ode, h, y0, k1, k2, y1);
}

static void velocity_verlet_step(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    (void)memory;
    int n = ode->pairs;
    double* k2 = scratch;
    if (ode->gyration != NULL) {
        turned_verlet_step(ode, t, h, y0, k1, y1, scratch);
        return;
    }
    advance_parabola(n, h, y0, y0 + n, k1 + n, y1);
    guess_and_derive(ode, t, h, y0, k1, y1, k2);
    advance_mean(n, h, y0 + n, k1 + n, k2 + n, y1 + n);
    correct_rest(ode, h, y0, k1, k2, y1);
}

/* memory = v(t - h/2), by half an Euler step back (H7.2c). */
static void leapfrog_restart(const kin_ode* ode, double* memory, int begin, int end, double h, const double* y0, const double* k1)
{
    int n = ode->pairs;
    if (ode->gyration != NULL)
        velocity_before(ode, begin, end, h, y0, k1, memory + begin);
    else
        advance(end - begin, -0.5 * h, y0 + n + begin, k1 + n + begin, memory + begin);
}

/* v(t + h/2) = v(t - h/2) + h a, then x(t + h) = x + h v(t + h/2) */
static void leapfrog_positions(int n, double h, const double* restrict x0, const double* restrict a0, double* restrict half_velocity, double* restrict x1)
{
    for (int i = 0; i < n; ++i) {
        double v = half_velocity[i] + h * a0[i];
        half_velocity[i] = v;
        x1[i] = x0[i] + h * v;
    }
}

static void leapfrog_step(const kin_ode* ode, double* memory, double t, double h, const double* y0, const double* k1, double* y1, double* scratch)
{
    int n = ode->pairs;
    double* k2 = scratch;
    if (ode->gyration != NULL) {
        kick_turn_kick(ode, h, k1 + n, memory);
        advance(n, h, y0, memory, y1);
    } else {
        leapfrog_positions(n, h, y0, k1 + n, memory, y1);
    }
    guess_and_derive(ode, t, h, y0, k1, y1, k2);
    advance(n, 0.5 * h, memory, k2 + n, y1 + n); /* reported at whole steps: v(t + h/2) and half an Euler step */
    if (ode->gyration != NULL) turn_by(ode, TURN_HALF, h, y1 + n);
    correct_rest(ode, h, y0, k1, k2, y1);
}

/* The order is that of kin_ode_method_names in ode.c. */
const kin_ode_method KIN_KERNEL(kin_ode_methods)[] = {
    {.name = "euler",
     .title = "Euler",
     .order = 1,
     .stages = 1,
     .step = euler_step,
     .doc = "Every quantity moves by its present rate; positions use the old velocity. Exact for constant velocity. "
            "Gains energy on every oscillator, however small the step; decays are stable for h < 2T."},
    {.name = "semi_implicit",
     .title = "Semi-implicit Euler",
     .order = 1,
     .stages = 1,
     .gyrates = true,
     .step = semi_implicit_step,
     .doc = "Euler, but positions use the new velocity. Symplectic: energy errs but stays bounded while w h < 2. The rest moves as in Euler."},
    {.name = "average",
     .title = "Average velocity",
     .order = 1,
     .stages = 1,
     .gyrates = true,
     .step = average_step,
     .doc = "Euler for velocities, positions by the mean of old and new velocity: exact for constant acceleration. "
            "Gains energy on oscillators, half as fast as Euler. The rest moves as in Euler."},
    {.name = "midpoint",
     .title = "Midpoint (Runge-Kutta 2)",
     .order = 2,
     .stages = 2,
     .scratch_vectors = 1,
     .step = midpoint_step,
     .doc = "The rate at an Euler guess of the middle of the step carries the whole step. Gains a little energy on oscillators."},
    {.name = "heun",
     .title = "Heun (Runge-Kutta 2)",
     .order = 2,
     .stages = 2,
     .scratch_vectors = 1,
     .step = heun_step,
     .doc = "The mean of the rates at the start and at an Euler guess of the end. On linear problems the same as midpoint."},
    {.name = "rk4",
     .title = "Runge-Kutta 4",
     .order = 4,
     .stages = 4,
     .scratch_vectors = 3,
     .step = rk4_step,
     .doc = "Rates at the start, twice in the middle and at the end, weighted as in Simpson's rule. "
            "Oscillators are stable for w h < 2.828 and lose a little energy; decays for h < 2.785T."},
    {.name = "verlet",
     .title = "Verlet",
     .order = 2,
     .stages = 2,
     .scratch_vectors = 1,
     .restart = verlet_restart,
     .gyrates = true,
     .step = verlet_step,
     .doc = "Positions from the two positions before them, velocities from positions. Time-reversible, energy bounded while w h < 2, for forces that "
            "do not depend on velocity. Remembers the last positions; velocities lose digits when h is tiny. The rest moves as in Heun."},
    {.name = "velocity_verlet",
     .title = "Velocity Verlet",
     .order = 2,
     .stages = 2,
     .scratch_vectors = 2,
     .gyrates = true,
     .step = velocity_verlet_step,
     .doc = "Positions along a parabola, velocities by the mean of both accelerations. The positions of Verlet, without a memory and with full digits "
            "in the velocities. Forces that depend on velocity see v0 + h a0 at the end of the step. The rest moves as in Heun."},
    {.name = "leapfrog",
     .title = "Leapfrog",
     .order = 2,
     .stages = 2,
     .scratch_vectors = 1,
     .restart = leapfrog_restart,
     .gyrates = true,
     .step = leapfrog_step,
     .doc = "Velocities live half a step off and leap over the positions. The positions of Verlet. "
            "Remembers the half-step velocities and reports those at whole steps. The rest moves as in Heun."},
    {.name = "rk45",
     .title = "Dormand-Prince 5(4)",
     .order = 5,
     .embedded_order = 4,
     .stages = 6,
     .scratch_vectors = 5,
     .step = rk45_step,
     .error = rk45_error,
     .doc = "Six rates a step for fifth order, with an estimate of its error for adaptive steps. "
            "Oscillators are stable for w h < 0.997 and lose a little energy; decays for h < 3.307T."},
    {.name = NULL},
};
