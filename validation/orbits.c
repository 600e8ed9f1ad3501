/* orbits.c - two and three bodies that pull each other: Kepler's ellipse, and the figure of eight (Chenciner & Montgomery 2000, numbers of Simo).
 *
 * G = 1. Two bodies of 0.7 and 0.3 kg, relative orbit of a = 1, e = 0.2: the period is 2 pi, the energy -m1 m2 / 2a. Places are held against Kepler's equation at
 * a time that is no whole number of half orbits: at the ends of the ellipse the first-order error of symplectic Euler happens to vanish. */
#include "math/scalar.h"
#include "math/vec3.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <stdio.h>

#define ECCENTRICITY 0.2
#define MASS_A 0.7
#define MASS_B 0.3

static kin_rig bodies(kin_case_run* run, const char* method, double h, const kin_particle_group* groups, size_t count)
{
    kin_attraction_field def;
    kin_field_default("attraction", &def);
    def.attraction = 1;
    def.method = KIN_ATTRACTION_DIRECT;
    kin_rig r = kin_rig_begin(run, method, h);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.groups = groups;
    r.particles.group_count = count;
    kin_rig_open(&r);
    kin_rig_field(&r, "attraction", &def);
    return r;
}

/* From b to a, t after a was farthest from the focus: E - e sin E = t + pi by Newton's method. */
static kin_vec3 kepler_place(double t)
{
    const double e = ECCENTRICITY, mean = t + KIN_PI;
    double angle = mean;
    for (int i = 0; i < 50; ++i) angle -= (angle - e * kin_sin(angle) - mean) / (1 - e * kin_cos(angle));
    return kin_v(kin_cos(angle) - e, 0, kin_sqrt(1 - e * e) * kin_sin(angle));
}

static kin_rig pair(kin_case_run* run, const char* method, double h, double tolerance)
{
    const double e = ECCENTRICITY, far = 1 + e, slow = kin_sqrt((1 - e) / (1 + e));
    kin_particle_group groups[2] = {kin_particle_group_default(), kin_particle_group_default()};
    groups[0].mass = MASS_A;
    groups[1].mass = MASS_B;
    groups[0].position = kin_v(-far * MASS_B, 0, 0);
    groups[1].position = kin_v(far * MASS_A, 0, 0);
    groups[0].velocity = kin_v(0, 0, -slow * MASS_B);
    groups[1].velocity = kin_v(0, 0, slow * MASS_A);
    kin_rig r = bodies(run, method, h, groups, 2);
    r.particles.tolerance = tolerance;
    kin_rig_create(&r);
    r.particles.groups = NULL; /* they end here */
    return r;
}

static double error_after(kin_case_run* run, const char* method, double orbits, int steps, double tolerance)
{
    double t = 2 * KIN_PI * orbits;
    kin_rig r = pair(run, method, t / steps, tolerance);
    kin_rig_steps(&r, steps);
    kin_vec3 apart = kin_sub(kin_rig_x_at(&r, 0), kin_rig_x_at(&r, 1));
    double error = kin_distance(apart, kepler_place(t));
    kin_rig_close(&r);
    return error;
}

/* ---- order by halving, for steps of a fixed length ----
 *
 * The error is c h^p (1 + d h): d grows with the time, for methods that drift, so that they need many steps for each orbit, and over ten orbits ten times as
 * many; rk4 would need more than round-off allows, so its place is asked for after 0.3 orbits, its energy after ten. Symmetric methods have d = 0. */

typedef struct plan {
    const char* method;
    double order;
    double orbits;
    int steps; /* of the first of four runs */
} plan;

static void order_of(kin_case_run* run, const plan* p)
{
    double h[4], error[4];
    char quantity[64];
    for (int i = 0; i < 4; ++i) {
        int steps = p->steps << i;
        h[i] = 1.0 / steps;
        error[i] = error_after(run, p->method, p->orbits, steps, KIN_RIG_TOLERANCE);
    }
    snprintf(quantity, sizeof quantity, "order of place after %g orbits", p->orbits);
    kin_case_row(run, p->method, quantity, kin_slope(h, error, 4), p->order, 0.1, "Kepler's equation");
}

static void orders(kin_case_run* run)
{
    static const plan quick[] = {
        {"euler", 1, 1.3, 8000},          {"semi_implicit", 1, 1.3, 1000},
        {"average", 1, 1.3, 8000},        {"midpoint", 2, 1.3, 1000},
        {"heun", 2, 1.3, 1000},           {"rk4", 4, 0.3, 32},
        {"verlet", 2, 10.3, 1000},        {"velocity_verlet", 2, 10.3, 1000},
        {"leapfrog", 2, 10.3, 1000},      {"rk45", 5, 10.3, 2048},
        {"implicit_euler", 1, 0.3, 500},  {"implicit_midpoint", 2, 1.3, 200},
        {"trapezoid", 2, 1.3, 200},       {"linear_euler", 1, 0.3, 500},
        {"linear_trapezoid", 2, 0.3, 64},
    };
    static const plan full[] = {
        {"euler", 1, 10.3, 800000}, {"semi_implicit", 1, 10.3, 20000},    {"average", 1, 10.3, 800000}, {"midpoint", 2, 10.3, 40000},
        {"heun", 2, 10.3, 40000},   {"implicit_midpoint", 2, 10.3, 4000}, {"trapezoid", 2, 10.3, 4000},
    };
    for (size_t i = 0; i < sizeof quick / sizeof *quick; ++i) order_of(run, &quick[i]);
    for (size_t i = 0; i < sizeof full / sizeof *full && run->full; ++i) order_of(run, &full[i]);
}

/* ---- methods that choose their steps: the error goes with the tolerance ----
 *
 * What a step is judged by goes as h^q = tolerance, the error of the whole as h^p: the slope of log error over log tolerance is p/q. rk45: p 5, q 5. rk4 by
 * doubling: p 4, q 5. Bulirsch-Stoer takes a handful of steps, and how they fall decides: it has the bound alone. Over n steps the error is n tolerances, and
 * one of energy grows by 3 pi an orbit. */

static void tolerance_of(kin_case_run* run, const char* method, double slope)
{
    double tolerance[4], error[4];
    for (int i = 0; i < 4; ++i) {
        tolerance[i] = i == 0 ? 1e-8 : tolerance[i - 1] / 10;
        error[i] = error_after(run, method, 0.3, 1, tolerance[i]);
    }
    if (slope > 0) kin_case_row(run, method, "error ~ tolerance^s: s", kin_slope(tolerance, error, 4), slope, 0.1, "Kepler's equation");
    kin_case_row(run, method, "place after 10.3 orbits, tolerance 1e-12 (m)", error_after(run, method, 10.3, 1000, KIN_RIG_TOLERANCE), 0,
                 1000 * 3 * KIN_PI * 10.3 * KIN_RIG_TOLERANCE, "Kepler's equation");
}

/* ---- energy: symplectic methods keep it in a band, others drift by their order ---- */

static double worst_energy(kin_rig* r, int steps, double energy)
{
    double worst = 0;
    for (int i = 0; i < steps; ++i) {
        kin_rig_step(r);
        worst = kin_max(worst, kin_abs(kin_rig_energy(r) - energy));
    }
    return worst;
}

/* The band of the first orbit is that of the tenth, but for where samples fall on it: parts of 2 pi/n of an oscillation, (2 pi/n)^2/2, and its harmonics. */
static void energy_band(kin_case_run* run, const char* method)
{
    const int n = 400;
    kin_rig r = pair(run, method, 2 * KIN_PI / n, KIN_RIG_TOLERANCE);
    double energy = kin_rig_energy(&r), first = worst_energy(&r, n, energy);
    kin_case_row(run, method, "energy at the start (J)", energy, -MASS_A * MASS_B / 2, 1e-16, "Kepler: -G m1 m2 / 2a");
    worst_energy(&r, 8 * n, energy);
    kin_case_row(run, method, "band of energy in the tenth orbit over the first", worst_energy(&r, n, energy) / first, 1, 0.01, "symplectic: no drift");
    kin_case_row(run, method, "momentum (kg m/s)", kin_length(kin_rig_momentum(&r)), 0, 10 * n * 1e-16, "conservation of momentum");
    kin_rig_close(&r);
}

static double energy_drift(kin_case_run* run, const char* method, int n)
{
    kin_rig r = pair(run, method, 2 * KIN_PI / n, KIN_RIG_TOLERANCE);
    double energy = kin_rig_energy(&r);
    kin_rig_steps(&r, 10 * n);
    double drift = kin_abs(kin_rig_energy(&r) - energy) / kin_abs(energy);
    kin_rig_close(&r);
    return drift;
}

/* RK4 loses energy at fifth order: h^5 after a whole number of orbits; halving divides it by 32. Others with a tolerance: n of them. */
static void drifts(kin_case_run* run)
{
    double coarse = energy_drift(run, "rk4", 200), fine = energy_drift(run, "rk4", 400);
    kin_case_row(run, "rk4", "order of the drift of energy over 10 orbits", kin_ln(coarse / fine) / kin_ln(2), 5, 0.1, "Hairer, Lubich & Wanner: h^5");
    kin_case_row(run, "adaptive_rk45", "drift of energy over 10 orbits, relative", energy_drift(run, "adaptive_rk45", 100), 0, 1000 * 4 * KIN_RIG_TOLERANCE,
                 "the tolerance, 1000 steps");
    kin_case_row(run, "bulirsch_stoer", "drift of energy over 10 orbits, relative", energy_drift(run, "bulirsch_stoer", 100), 0, 1000 * 4 * KIN_RIG_TOLERANCE,
                 "the tolerance, 1000 steps");
}

void kin_case_kepler(kin_case_run* run)
{
    orders(run);
    tolerance_of(run, "adaptive_rk45", 1);
    tolerance_of(run, "adaptive_rk4", 0.8);
    tolerance_of(run, "bulirsch_stoer", 0);
    energy_band(run, "semi_implicit");
    energy_band(run, "velocity_verlet");
    energy_band(run, "leapfrog");
    drifts(run);
}

/* ---- the figure of eight: three equal masses that follow each other on one curve ----
 *
 * Its numbers have eight digits: errors of 5e-9 in each of six, which grow by no more than ten in a period (it is stable: the growth is linear), over ten. */

static kin_vec3 across(double x, double y) { return kin_v(x, y, 0); }

static void figure_8(kin_case_run* run, const char* method)
{
    const double period = 6.32591398, printed = 10 * 10 * 5e-9;
    const int steps = 120, periods = run->full ? 100 : 10;
    const kin_vec3 x = across(0.97000436, -0.24308753), v = across(-0.93240737, -0.86473146);
    kin_particle_group groups[3];
    for (int i = 0; i < 3; ++i) {
        groups[i] = kin_particle_group_default();
        groups[i].position = kin_scale(x, i == 0 ? 1 : i == 1 ? -1 : 0);
        groups[i].velocity = kin_scale(v, i == 2 ? 1 : -0.5);
    }
    kin_rig r = bodies(run, method, period / steps, groups, 3);
    kin_rig_create(&r);
    double energy = kin_rig_energy(&r), back = 0, third = 0;
    kin_rig_steps(&r, steps / 3);
    for (int i = 0; i < 3; ++i) { /* each has moved to where one of the others was */
        double nearest = 1e300;
        for (int k = 0; k < 3; ++k) nearest = kin_min(nearest, k == i ? 1e300 : kin_distance(kin_rig_x_at(&r, (size_t)i), groups[k].position));
        third = kin_max(third, nearest);
    }
    kin_rig_steps(&r, periods * steps - steps / 3);
    for (int i = 0; i < 3; ++i) back = kin_max(back, kin_distance(kin_rig_x_at(&r, (size_t)i), groups[i].position));
    kin_case_row(run, method, "after T/3 each is where another was (m)", third, 0, printed / 10, "Chenciner & Montgomery 2000");
    kin_case_row(run, method, run->full ? "off the start after 100 periods (m)" : "off the start after 10 periods (m)", back, 0, printed * periods / 10,
                 "Chenciner & Montgomery 2000");
    kin_case_row(run, method, "energy, relative", kin_rig_energy(&r) / energy, 1, periods * steps * 4 * KIN_RIG_TOLERANCE, "conservation of energy");
    kin_case_row(run, method, "momentum (kg m/s)", kin_length(kin_rig_momentum(&r)), 0, periods * steps * 4e-16, "conservation of momentum");
    kin_case_row(run, method, "angular momentum (kg m^2/s)", kin_length(kin_rig_angular(&r)), 0, periods * steps * 4 * KIN_RIG_TOLERANCE,
                 "conservation of angular momentum");
    kin_rig_close(&r);
}

void kin_case_figure_8(kin_case_run* run)
{
    figure_8(run, "adaptive_rk45");
    figure_8(run, "bulirsch_stoer");
}
