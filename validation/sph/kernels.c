/* kernels.c - sums over neighbours: bells and what they must integrate to, the density of a lattice, forms of the pressure gradient, and the table of fluids. */
#include "domains/sph/kernel.h"
#include "math/vec3.h"
#include "validation/sph/rig.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RHO 1000.0
#define FLOAT_EPS 0x1p-23

/* ---- bells ---- */

typedef double density_of_r(const kin_sph_bell* bell, double r);

static double whole(const kin_sph_bell* b, double r) { return kin_sph_bell_w(b, r); }
static double first_moment(const kin_sph_bell* b, double r) { return r * r * kin_sph_bell_slope(b, r); } /* x . grad W */
static double laplacian(const kin_sph_bell* b, double r) { return kin_sph_bell_laplacian(b, r); }
static double second_moment(const kin_sph_bell* b, double r) { return r * r * kin_sph_bell_laplacian(b, r); }

/* Over the bell's disc or ball, by Simpson's rule; its knots (thirds and the half of the support) are nodes. */
static double integral(const kin_sph_bell* b, density_of_r* f)
{
    enum { PARTS = 6000 };
    double sum = 0;
    for (int i = 0; i <= PARTS; ++i) {
        double r = b->support * i / PARTS, shell = b->dimensions == 3 ? 4 * KIN_PI * r * r : 2 * KIN_PI * r;
        sum += (i == 0 || i == PARTS ? 1 : i % 2 == 1 ? 4 : 2) * shell * f(b, r);
    }
    return sum * b->support / (3 * PARTS);
}

/* W'(r) / r against differences of W: largest error, of |W'| + W / support there. */
static double slope_error(const kin_sph_bell* b)
{
    double worst = 0, h = 1e-5 * b->support;
    for (int i = 1; i < 40; ++i) {
        double r = b->support * (i + 0.25) / 40, slope = r * kin_sph_bell_slope(b, r);
        double difference = (kin_sph_bell_w(b, r + h) - kin_sph_bell_w(b, r - h)) / (2 * h);
        worst = kin_max(worst, kin_abs(slope - difference) / (kin_abs(slope) + kin_sph_bell_w(b, r) / b->support));
    }
    return worst;
}

/* The viscosity bell is as 1/r at 0: its Laplacian is a point there, and Simpson's rule of first order for what is as 1/r near 0 in the plane. */
static void rows_of_bell(kin_case_run* run, const char* name, kin_sph_bell_kind kind, int dimensions)
{
    char method[32];
    const kin_sph_bell b = kin_sph_bell_of(kind, dimensions, 0.7);
    const bool singular = kind == KIN_SPH_BELL_VISCOSITY, kinked = kind == KIN_SPH_BELL_SPIKY;
    const double tolerance = singular || kinked ? 1e-3 : 1e-9;
    snprintf(method, sizeof method, "%s, %dD", name, dimensions);
    kin_case_row(run, method, "integral of W", integral(&b, whole), 1, tolerance, "H14.5, C3.8");
    kin_case_row(run, method, "W at its end", kin_sph_bell_w(&b, b.support), 0, 0, "H14.5");
    kin_case_row(run, method, "slope against differences of W", slope_error(&b), 0, 1e-6, "W'");
    if (!singular || dimensions == 3)
        kin_case_row(run, method, "integral of x . grad W", integral(&b, first_moment), -dimensions, dimensions * tolerance, "by parts");
    if (!singular || dimensions == 3) /* in the plane 1/r has a Laplacian of its own */
        kin_case_row(run, method, "integral of r^2 Laplacian W", integral(&b, second_moment), 2 * dimensions, 2 * dimensions * tolerance,
                     "by parts; W'' alone is not it");
    if (!singular && !kinked)
        kin_case_row(run, method, "integral of Laplacian W, of 1 / support^2", integral(&b, laplacian) * b.support * b.support, 0, 1e-6, "H14.5: 0");
}

void kin_case_sph_kernels(kin_case_run* run)
{
    static const char* const names[KIN_SPH_BELL_COUNT] = {"cubic", "quintic", "wendland C2", "wendland C4", "poly6", "spiky", "viscosity"};
    static const struct {
        kin_sph_bell_kind kind;
        double value;
    } printed[] = {{KIN_SPH_BELL_POLY6, -78.26884}, {KIN_SPH_BELL_SPIKY, -32.46707}, {KIN_SPH_BELL_VISCOSITY, 48.70061}};
    for (int kind = 0; kind < KIN_SPH_BELL_COUNT; ++kind) {
        for (int dimensions = 2; dimensions <= 3; ++dimensions) rows_of_bell(run, names[kind], (kin_sph_bell_kind)kind, dimensions);
    }
    for (int i = 0; i < 3; ++i) {
        kin_sph_bell b = kin_sph_bell_of(printed[i].kind, 3, 0.7);
        kin_case_row(run, names[printed[i].kind], "Laplacian, support 0.7, r 0.3", kin_sph_bell_laplacian(&b, 0.3), printed[i].value, 5e-6,
                     "C3.8, table of the catalog");
    }
}

/* ---- lattice ---- */

/* The spline with a reach of two spacings sums to 0.999972 over a cubic lattice; a tank divides by that, so that a block at rest is at rest. */
void kin_case_sph_lattice(kin_case_run* run)
{
    const kin_sph_bell b = kin_sph_bell_of(KIN_SPH_BELL_CUBIC, 3, 0.2);
    kin_case_row(run, "cubic", "density of a lattice", kin_sph_lattice_density(&b, 0.1), 0.999972, 5e-7, "H14.1");
    static const char* const names[] = {"cubic", "quintic", "wendland C2", "wendland C4", "poly6"};
    for (int kernel = 0; kernel < 5; ++kernel) {
        kin_tank t = kin_tank_begin(run, KIN_SPH_WCSPH, 0.1, 1e-6);
        t.def.gravity = kin_v(0, 0, 0);
        t.sph.kernel = (kin_sph_kernel)kernel;
        kin_tank_open(&t);
        kin_tank_fill(&t, kin_v(-0.45, -0.45, -0.45), kin_v(0.45, 0.45, 0.45));
        kin_tank_create(&t);
        kin_tank_step(&t);
        double middle = NAN;
        for (size_t i = 0; i < kin_tank_count(&t); ++i) {
            kin_tank_particle p = kin_tank_at(&t, i);
            if (kin_length(p.x) < 0.01) middle = p.density;
        }
        kin_case_row(run, names[kernel], "density in the middle of a block, of rest density", middle, 1, 1e-5, "rest; floats of some 60 terms");
        kin_case_row(run, names[kernel], "particles in a cube of nine spacings", (double)kin_tank_count(&t), 729, 0, "9^3");
        kin_tank_close(&t);
    }
}

/* ---- forms of the gradient ---- */

/* What a cloud of particles with pressures between them loses of momentum and angular momentum, of the sum of its parts. */
static void drift_of(kin_case_run* run, kin_sph_gradient gradient, double* momentum, double* angular)
{
    enum { STEPS = 60 };
    kin_tank t = kin_tank_begin(run, KIN_SPH_WCSPH, 0.1, 1e-3);
    t.def.gravity = kin_v(0, 0, 0);
    t.sph.gradient = gradient;
    t.sph.sound_speed = 10;
    kin_tank_open(&t);
    kin_tank_fill(&t, kin_v(-0.3, -0.3, -0.3), kin_v(0.3, 0.3, 0.3));
    t.blocks[0].jitter = 0.3;
    kin_tank_create(&t);
    double parts = 0;
    for (int i = 0; i < STEPS && kin_tank_ok(&t); ++i) kin_tank_step(&t);
    for (size_t i = 0; i < kin_tank_count(&t); ++i) {
        kin_tank_particle p = kin_tank_at(&t, i);
        parts += p.mass * kin_length(p.v);
    }
    kin_tank_sums sum = kin_tank_sums_of(&t);
    *momentum = kin_length(sum.momentum) / parts;
    *angular = kin_length(sum.angular) / (0.3 * parts);
    kin_tank_close(&t);
}

/* Rounding of floats in every tick, by every particle, at random: the sum of 216 grows as the root of their number and of the ticks. */
void kin_case_sph_gradients(kin_case_run* run)
{
    static const struct {
        kin_sph_gradient form;
        const char* name;
        bool keeps;
    } forms[] = {
        {KIN_SPH_SYMMETRIC, "A: p_i/rho_i^2 + p_j/rho_j^2", true}, {KIN_SPH_PLAIN, "B: p_j/(rho_i rho_j)", false}, {KIN_SPH_MEAN, "C: (p_i + p_j)/2", true}};
    for (int i = 0; i < 3; ++i) {
        double momentum, angular;
        drift_of(run, forms[i].form, &momentum, &angular);
        if (forms[i].keeps) {
            kin_case_row(run, forms[i].name, "momentum that a cloud at rest takes on, of its parts", momentum, 0, 64 * FLOAT_EPS, "H14.2: none");
            kin_case_row(run, forms[i].name, "angular momentum, of its parts at 0.3 m", angular, 0, 64 * FLOAT_EPS, "H14.2: none");
        } else {
            kin_case_row(run, forms[i].name, "momentum is not kept", momentum > 1e-3, 1, 0, "H14.2");
            kin_case_row(run, forms[i].name, "angular momentum is not kept", angular > 1e-4, 1, 0, "H14.2");
        }
    }
}

/* ---- the equation of state ---- */

/* Pressure of every particle of a jittered block from its density: k_b ((rho / rho0)^7 - 1), k_b = rho0 v^2 / (7 c / 100), v = 1 m/s, c = 1 %: the speed of sound is
 * ten times v. And how far particles may go in a tick. */
void kin_case_sph_numbers(kin_case_run* run)
{
    kin_tank t = kin_tank_begin(run, KIN_SPH_WCSPH, 0.1, 1e-5);
    t.def.gravity = kin_v(0, 0, 0);
    t.sph.sound_speed = 10;
    t.sph.exponent = 7;
    kin_tank_open(&t);
    kin_tank_fill(&t, kin_v(-0.3, -0.3, -0.3), kin_v(0.3, 0.3, 0.3));
    t.blocks[0].jitter = 0.2;
    kin_tank_create(&t);
    kin_tank_step(&t);
    double worst = 0, used = 0, k_b = 14285.714;
    for (size_t i = 0; i < kin_tank_count(&t); ++i) {
        kin_tank_particle p = kin_tank_at(&t, i);
        if (p.density < 1.01) continue;
        worst = kin_max(worst, kin_abs(p.multiplier / (kin_pow(p.density, 7) - 1) - k_b));
        used += 1;
    }
    kin_case_row(run, "wcsph", "pressure over (rho / rho0)^7 - 1: worst error, of k_b", worst / k_b, 0, 100 * FLOAT_EPS / 0.07, "C3.8: k_b(1000, 1, 1 %)");
    kin_case_row(run, "wcsph", "particles that were compressed", used > 20, 1, 0, "it had to say");
    kin_tank_close(&t);

    const kin_vec3 v = {2, 1, 0.5};
    kin_tank u = kin_tank_begin(run, KIN_SPH_DFSPH, 0.1, 0.5);
    u.def.gravity = kin_v(0, 0, 0);
    kin_tank_open(&u);
    kin_tank_fill(&u, kin_v(-0.3, -0.3, -0.3), kin_v(0.3, 0.3, 0.3));
    u.blocks[0].velocity = v;
    kin_tank_create(&u);
    kin_tank_step(&u);
    double most = u.sph.cfl * 0.1 / kin_length(v), ticks = kin_tank_measure(&u, "ticks"), tick = 0.5 / ticks;
    kin_case_row(run, "dfsph", "ticks in half a second: as many as the speed asks for", ticks, kin_ceil(0.5 / most - 1e-6), 0, "C3.8: dt = k h / v");
    kin_case_row(run, "dfsph", "a tick, of h / v_x = 0.05 s and the factor: at most 1", kin_max(0, tick / (u.sph.cfl * 0.05) - 1), 0, 1e-6,
                 "C3.8: dt(0.1, (2, 1, .5)) = .05");
    kin_tank_close(&u);
}

/* ---- fluids ---- */

/* Density, kg/m^3, and viscosities in millionths, as printed; but the oils, which would be thinner than gasoline: in thousandths they are what machine oil is. */
static const struct {
    const char* name;
    double density, viscosity, kinematic, unit; /* Pa s, m^2/s, both times unit */
} TABLE[] = {{"alcohol", 789, 834, 1.05, 1e-6},          {"gasoline", 675, 286, 0.424, 1e-6},  {"glycerine", 1260, 1410000, 1120, 1e-6},
             {"mercury", 13500, 1550, 0.115, 1e-6},      {"heavy_oil", 903, 453, 0.502, 1e-3}, {"light_oil", 903, 86.7, 0.0960, 1e-3},
             {"sea_water", 1020, 1080, 1.06, 1e-6},      {"water", 998, 1000, 1.00, 1e-6},     {"air", 1.18, 18.7, 15.8, 1e-6},
             {"carbon_dioxide", 1.81, 14.8, 8.18, 1e-6}, {"helium", 0.164, 19.4, 118, 1e-6},   {"hydrogen", 0.0824, 8.75, 106, 1e-6},
             {"nitrogen", 1.15, 17.5, 15.2, 1e-6},       {"oxygen", 1.31, 20.3, 15.5, 1e-6}};

static const kin_fluid_preset* preset_of(const char* name)
{
    size_t count = 0;
    const kin_fluid_preset* list = kin_fluid_presets(&count);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(list[i].name, name) == 0) return &list[i];
    }
    return NULL;
}

/* Kinematic viscosity is printed to three digits: half a unit of the last, and that of the two it comes from, is 1 %. */
void kin_case_sph_fluids(kin_case_run* run)
{
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; ++i) {
        const kin_fluid_preset* p = preset_of(TABLE[i].name);
        double density = p != NULL ? p->density : NAN, viscosity = p != NULL ? p->viscosity : NAN;
        kin_case_row(run, TABLE[i].name, "density, kg/m^3", density, TABLE[i].density, 1e-9 * TABLE[i].density, "H13.4: table of 13.3");
        kin_case_row(run, TABLE[i].name, "dynamic viscosity, of the printed one", viscosity / (TABLE[i].viscosity * TABLE[i].unit), 1, 1e-9,
                     "H13.4: table of 13.3");
        kin_case_row(run, TABLE[i].name, "kinematic viscosity, of the printed one", viscosity / density / (TABLE[i].kinematic * TABLE[i].unit), 1, 0.01,
                     "H13.4: nu = eta / rho");
    }
}
