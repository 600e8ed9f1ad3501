/* springs.c - two masses on a damped spring: periods, regimes of damping, the centre of mass; stiff springs by implicit steps. Coutinho 3.3.3 and exercise 3.1,
 * House & Keyser 7.7. */
#include "math/scalar.h"
#include "math/vec3.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdio.h>

#define REST 1.0
#define STRETCH 0.2
#define MASS_A 1.0
#define MASS_B 3.0
#define REDUCED (MASS_A * MASS_B / (MASS_A + MASS_B))

/* Along x, stretched and let go; both drift. */
static kin_rig dumbbell(kin_case_run* run, const char* method, double h, double stiffness, double ratio, double stretch)
{
    const kin_vec3 drift = {0.3, -0.2, 0.1};
    kin_particle_group groups[2] = {kin_particle_group_default(), kin_particle_group_default()};
    kin_particle_spring spring = {.a = 0, .b = 1, .stiffness = stiffness, .ratio = ratio, .rest = REST};
    groups[0].mass = MASS_A;
    groups[1].mass = MASS_B;
    groups[1].position = kin_v(REST + stretch, 0, 0);
    groups[0].velocity = groups[1].velocity = drift;
    kin_rig r = kin_rig_begin(run, method, h);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.groups = groups;
    r.particles.group_count = 2;
    r.particles.springs.data = &spring;
    r.particles.springs.count = 1;
    kin_rig_open(&r);
    kin_rig_create(&r);
    return r;
}

static double stretch_of(const kin_rig* r) { return kin_distance(kin_rig_x_at(r, 0), kin_rig_x_at(r, 1)) - REST; }

static kin_vec3 center_of(const kin_rig* r)
{
    return kin_scale(kin_add_scaled(kin_scale(kin_rig_x_at(r, 0), MASS_A), MASS_B, kin_rig_x_at(r, 1)), 1 / (MASS_A + MASS_B));
}

/* ---- s'' + 2 z w s' + w^2 s = 0 from s0 at rest ---- */

static double closed_form(double w, double z, double t)
{
    if (z < 1) {
        double d = w * kin_sqrt(1 - z * z);
        return STRETCH * kin_exp(-z * w * t) * (kin_cos(d * t) + z * w / d * kin_sin(d * t));
    }
    if (z == 1) return STRETCH * (1 + w * t) * kin_exp(-w * t);
    double root = kin_sqrt(z * z - 1), a = -w * (z - root), b = -w * (z + root);
    return STRETCH * (b * kin_exp(a * t) - a * kin_exp(b * t)) / (b - a);
}

static void regime(kin_case_run* run, double ratio)
{
    const double k = 100, w = kin_sqrt(k / REDUCED), period = 2 * KIN_PI / w;
    const int steps = 100;
    double worst = 0;
    kin_rig r = dumbbell(run, "bulirsch_stoer", period / 25, k, ratio, STRETCH);
    kin_vec3 start = center_of(&r);
    for (int i = 1; i <= steps; ++i) {
        kin_rig_step(&r);
        worst = kin_max(worst, kin_abs(stretch_of(&r) - closed_form(w, ratio, i * period / 25)));
    }
    char method[32];
    snprintf(method, sizeof method, "ratio %g", ratio);
    double tolerance = steps * 10 * KIN_RIG_TOLERANCE; /* a tolerance a step, of numbers up to 6 m/s over w of 11 */
    kin_case_row(run, method, "largest error of the stretch over 4 periods (m)", kin_rig_ok(&r) ? worst : NAN, 0, tolerance,
                 ratio == 0 ? "Coutinho X3 1a: 2 pi sqrt(mu / k)" : "Coutinho X3 1b: critical 2 sqrt(k mu)");
    kin_vec3 want = kin_add_scaled(start, 4 * period, kin_v(0.3, -0.2, 0.1));
    kin_case_row(run, method, "centre of mass, off a straight line (m)", kin_distance(center_of(&r), want), 0, tolerance, "Coutinho 3.3.3");
    kin_rig_close(&r);
}

/* ---- stiff: h w = 27 ---- */

static void stiff(kin_case_run* run, const char* method, double want, int steps, const char* quantity, const char* source)
{
    const double k = 1e6, h = 1.0 / 60, small = want > 1 ? 1e-6 : 1e-3; /* m: what explodes must not turn the spring round */
    kin_rig r = dumbbell(run, method, h, k, 0, small);
    kin_rig_steps(&r, steps);
    /* Newton's method ends within 1e-12 of numbers of order 1, each step; Euler multiplies what rounding left, 2e-16 m, as it does the stretch. */
    double tolerance = want > 1 ? 1e-9 * want : steps * 2e-12 / small;
    kin_case_row(run, method, quantity, stretch_of(&r) / small, want, tolerance, source);
    kin_rig_close(&r);
}

/* Implicit Euler: s1 = (s0 + h u0) / (1 + h^2 w^2). Trapezoid and midpoint turn by 2 atan(h w / 2) a step. Euler multiplies by 1 + i h w. */
static void stiff_springs(kin_case_run* run)
{
    const double w2 = 1e6 / REDUCED, h = 1.0 / 60, hw = h * kin_sqrt(w2), turn = 2 * kin_atan(hw / 2);
    double s = 1, u = 0, re = 1, im = 0;
    for (int i = 0; i < 3; ++i) {
        double next = (s + h * u) / (1 + h * h * w2);
        u = (next - s) / h;
        s = next;
    }
    for (int i = 0; i < 4; ++i) {
        double next = re - im * hw;
        im += re * hw;
        re = next;
    }
    stiff(run, "implicit_euler", s, 3, "k = 1e6, h = 1/60: stretch after 3 steps", "House & Keyser 7.7: 1/(1 - i h w)");
    stiff(run, "linear_euler", s, 3, "k = 1e6, h = 1/60: stretch after 3 steps", "House & Keyser 7.7: 1/(1 - i h w)");
    stiff(run, "implicit_euler", 0, 600, "k = 1e6, h = 1/60: stretch after 600 steps", "House & Keyser 7.7: stable");
    stiff(run, "trapezoid", kin_cos(10 * turn), 10, "k = 1e6, h = 1/60: stretch after 10 steps", "A-stable: turns by 2 atan(h w / 2)");
    stiff(run, "implicit_midpoint", kin_cos(10 * turn), 10, "k = 1e6, h = 1/60: stretch after 10 steps", "A-stable: turns by 2 atan(h w / 2)");
    stiff(run, "euler", re, 4, "k = 1e6, h = 1/60: explodes, 4 steps", "House & Keyser 7.5: 1 + i h w");
}

/* ---- a cloth by every solver of the implicit step ---- */

enum { SIDE = 6, POINTS = SIDE * SIDE };

static kin_rig cloth(kin_case_run* run, kin_step_solver solver)
{
    kin_particle_group groups[POINTS];
    kin_particle_spring springs[2 * POINTS];
    size_t count = 0;
    for (int i = 0; i < POINTS; ++i) {
        groups[i] = kin_particle_group_default();
        groups[i].position = kin_v(0.1 * (i % SIDE), 0, 0.1 * (i / SIDE) + 0.01 * (i % 3));
        groups[i].mass = 0.05;
        if (i == 0 || i == SIDE - 1) groups[i].mobility = KIN_MOBILITY_STATIC;
        if (i % SIDE > 0) springs[count++] = (kin_particle_spring){.a = i, .b = i - 1, .stiffness = 1000, .ratio = 0.1, .rest = -1};
        if (i / SIDE > 0) springs[count++] = (kin_particle_spring){.a = i, .b = i - SIDE, .stiffness = 1000, .ratio = 0.1, .rest = -1};
    }
    kin_rig r = kin_rig_begin(run, "implicit_euler", 1.0 / 60);
    r.particles.solver = solver;
    r.particles.groups = groups;
    r.particles.group_count = POINTS;
    r.particles.springs.data = springs;
    r.particles.springs.count = count;
    kin_rig_open(&r);
    kin_rig_create(&r);
    kin_rig_steps(&r, 30);
    return r;
}

/* Each step of Newton's method ends within 1e-12 of the root, of residuals: as many times that in the state as I - h J is stiff, 1 + 8 k h^2 / m = 45. */
static void solvers(kin_case_run* run)
{
    static const char* const names[] = {"auto", "dense", "sparse", "matrix_free"};
    kin_rig exact = cloth(run, KIN_SOLVER_DENSE);
    for (int s = KIN_SOLVER_AUTO; s <= KIN_SOLVER_MATRIX_FREE; ++s) {
        double worst = 0;
        if (s == KIN_SOLVER_DENSE) continue;
        kin_rig r = cloth(run, (kin_step_solver)s);
        for (size_t i = 0; i < POINTS; ++i) worst = kin_max(worst, kin_distance(kin_rig_x_at(&r, i), kin_rig_x_at(&exact, i)));
        kin_case_row(run, names[s], "cloth after 30 steps, off the dense solver's (m)", kin_rig_ok(&r) ? worst : NAN, 0, 30 * 45 * 1e-12,
                     "House & Keyser 7.7: one equation, three solvers");
        kin_rig_close(&r);
    }
    double low = 0;
    for (size_t i = 0; i < POINTS; ++i) low = kin_min(low, kin_rig_x_at(&exact, i).y);
    kin_case_row(run, "dense", "and it does fall, by 0.1 m at least (m)", kin_min(-low, 0.1), 0.1, 0, "half a second of fall, held at two corners");
    kin_rig_close(&exact);
}

void kin_case_springs(kin_case_run* run)
{
    static const double ratios[] = {0, 0.2, 1, 3};
    for (int i = 0; i < 4; ++i) regime(run, ratios[i]);
    stiff_springs(run);
    solvers(run);
}
