/* flows.c - viscous flow with closed forms: between plates, driven by a force or by a plate; vortices that decay; and that viscosity only ever takes.
 *
 * Plates: a wall is known to a part of a spacing, which makes the error of first order in spacing over width. Issue: 2 %, and converging; so with the kernel
 * whose sums are right on any lattice (still.c). By both forms of viscosity, each for itself: left to choose, a tank takes the explicit one as long as ticks are
 * short enough for it, so a finer one would be compared with another method. */
#include "base/rng.h"
#include "math/vec3.h"
#include "validation/rig.h"
#include "validation/sph/rig.h"
#include <stdio.h>

#define RHO 1000.0

/* ---- plates: 1 m apart, nu = 0.1 m^2/s, greatest speed 0.1 m/s: Reynolds number 1 ---- */

static const double NU = 0.1, TOP = 0.1;
enum { LONG = 12 }; /* spacings, of the periodic box: the flow is the same along it */

typedef struct plate_form {
    const char* name;
    kin_sph_viscosity how;
} plate_form;
static const plate_form FORMS[] = {{"explicit", KIN_SPH_VISCOSITY_EXPLICIT}, {"implicit", KIN_SPH_VISCOSITY_IMPLICIT}};

static kin_tank begin_plates(kin_case_run* run, const plate_form* form, int across)
{
    const double spacing = 1.0 / across;
    kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, spacing, 1.0 / 60);
    kin_tank_refine(&t);
    t.sph.flat = true;
    t.sph.wall_friction = 1;
    t.sph.viscosity = form->how;
    t.sph.periodic = kin_v(LONG * spacing, 0, 0);
    t.phases[0].viscosity = NU * RHO;
    t.def.gravity = kin_v(0, 0, 0);
    return t;
}

static void fill_plates(kin_tank* t)
{
    const double half = 0.5 * LONG * kin_tank_spacing(t);
    kin_tank_fill(t, kin_v(-half, 0, 0), kin_v(half, 1, 0));
    kin_tank_create(t);
}

/* Root of the mean square of u - exact, of the greatest speed. */
static double profile_error(const kin_tank* t, double (*exact)(double y, double time))
{
    double sum = 0;
    size_t count = kin_tank_count(t);
    for (size_t i = 0; i < count; ++i) {
        kin_tank_particle p = kin_tank_at(t, i);
        sum += kin_square(p.v.x - exact(p.x.y, kin_world_time(t->world)));
    }
    return count > 0 ? kin_sqrt(sum / (double)count) / TOP : __builtin_nan("");
}

/* Rows of errors by resolution; the last: how much smaller the error is with half the spacing. 1/2 is first order, 1/4 second. */
static void rows_of_errors(kin_case_run* run, const plate_form* form, const char* what, const int* across, const double* error, int count, const char* source)
{
    for (int i = 0; i < count; ++i) {
        char text[64], method[32];
        snprintf(text, sizeof text, "%s: error of the profile, of the top speed", what);
        snprintf(method, sizeof method, "%s, %d across", form->name, across[i]);
        kin_case_row(run, method, text, error[i], 0, i == 0 ? 0.04 : 0.02, source);
    }
    char text[64];
    snprintf(text, sizeof text, "%s: error with half the spacing, of that before", what);
    kin_case_row(run, form->name, text, error[count - 1] / error[count - 2], 0.5, 0.25, "converges");
}

static double poiseuille(double y, double time)
{
    (void)time; /* it is steady by then: what is left of the start is exp(-pi^2) of it */
    return 4 * TOP * y * (1 - y);
}

static const int WIDTHS[] = {10, 20, 40};
static int width_count(const kin_case_run* run) { return run->full ? 3 : 2; }

static void run_poiseuille(kin_case_run* run, const plate_form* form)
{
    double error[3], middle = 0;
    for (int i = 0; i < width_count(run); ++i) {
        kin_tank t = begin_plates(run, form, WIDTHS[i]);
        t.def.gravity = kin_v(8 * NU * TOP, 0, 0); /* TOP = G / (8 nu) */
        kin_tank_open(&t);
        kin_tank_plane(&t, kin_v(0, 0, 0), kin_v(0, 1, 0));
        kin_tank_plane(&t, kin_v(0, 1, 0), kin_v(0, -1, 0));
        fill_plates(&t);
        kin_tank_until(&t, 1 / NU);
        error[i] = profile_error(&t, poiseuille);
        middle = kin_tank_sums_of(&t).speed;
        kin_tank_close(&t);
    }
    rows_of_errors(run, form, "Poiseuille", WIDTHS, error, width_count(run), "u = G y (H - y) / (2 nu)");
    kin_case_row(run, form->name, "Poiseuille: greatest speed, of G H^2 / (8 nu)", middle / TOP, 1, 0.02, "closed form");
}

void kin_case_sph_poiseuille(kin_case_run* run)
{
    for (int i = 0; i < 2; ++i) run_poiseuille(run, &FORMS[i]);
}

/* From rest: the line, and what is left of the start. */
static double couette(double y, double time)
{
    double u = TOP * y;
    for (int n = 1; n < 40; ++n) {
        double k = n * KIN_PI;
        u += 2 * TOP / k * (n % 2 == 0 ? 1 : -1) * kin_sin(k * y) * kin_exp(-k * k * NU * time);
    }
    return u;
}

static void run_couette(kin_case_run* run, const plate_form* form)
{
    double soon[3], late[3];
    for (int i = 0; i < width_count(run); ++i) {
        kin_tank t = begin_plates(run, form, WIDTHS[i]);
        kin_tank_open(&t);
        kin_tank_plane(&t, kin_v(0, 0, 0), kin_v(0, 1, 0));
        kin_tank_belt(&t, kin_v(0, 1, 0), kin_v(0, -1, 0), kin_v(TOP, 0, 0));
        fill_plates(&t);
        kin_tank_until(&t, 0.1 / NU);
        soon[i] = profile_error(&t, couette);
        kin_tank_until(&t, 1 / NU);
        late[i] = profile_error(&t, couette);
        kin_tank_close(&t);
    }
    rows_of_errors(run, form, "Couette, 0.1 H^2 / nu", WIDTHS, soon, width_count(run), "series of the start from rest");
    for (int i = 1; i < width_count(run); ++i) kin_case_row(run, form->name, "Couette, steady: error of the profile, of U", late[i], 0, 0.02, "u = U y / H");
}

void kin_case_sph_couette(kin_case_run* run)
{
    for (int i = 0; i < 2; ++i) run_couette(run, &FORMS[i]);
}

/* ---- Taylor-Green vortices: unit box, greatest speed 1 ----
 *
 * At a Reynolds number of 10 particles hardly leave their lattice before the vortices are gone, so it is the kernel's sum over a lattice that is seen: the finer
 * kernel. From 20 on they mix: the default one. */

#define KIN_TAYLOR_GREEN 9e-3 /* nu t at which exp(-16 pi^2 nu t) is about a quarter */

static kin_vec3 taylor_green(kin_vec3 x)
{
    kin_sincos a = kin_sin_cos(2 * KIN_PI * x.x), b = kin_sin_cos(2 * KIN_PI * x.y);
    return kin_v(a.sine * b.cosine, -a.cosine * b.sine, 0);
}

/* Rate at which kinetic energy falls to a quarter of it, of 16 pi^2 nu; *grown: what it rose by in a step at most, of what there was at first. */
static double decay_of(kin_case_run* run, kin_sph_solver solver, int across, double reynolds, kin_sph_viscosity how, bool fine, double* grown)
{
    const double nu = 1 / reynolds, spacing = 1.0 / across, from = 0.1 * KIN_TAYLOR_GREEN / nu, to = KIN_TAYLOR_GREEN / nu;
    kin_tank t = kin_tank_begin(run, solver, spacing, from);
    if (fine) kin_tank_refine(&t);
    t.def.gravity = kin_v(0, 0, 0);
    t.sph.flat = true;
    t.sph.viscosity = how;
    t.sph.periodic = kin_v(1, 1, 0);
    t.sph.center = kin_v(0.5, 0.5, 0);
    t.phases[0].viscosity = nu * RHO;
    kin_tank_open(&t);
    for (int i = 0; i < across * across; ++i) {
        kin_vec3 x = {(i % across + 0.5) * spacing, (i / across + 0.5) * spacing, 0};
        kin_tank_put(&t, x, taylor_green(x), 0);
    }
    kin_tank_create(&t);
    kin_tank_until(&t, from);
    double first = kin_tank_sums_of(&t).kinetic, last = first;
    *grown = 0;
    for (int step = 2; step <= 10; ++step) {
        kin_tank_until(&t, step * from);
        double now = kin_tank_sums_of(&t).kinetic;
        *grown = now <= last ? *grown : kin_max(*grown, (now - last) / first);
        last = now;
    }
    double rate = kin_ln(first / last) / (to - from);
    if (!kin_tank_ok(&t)) *grown = __builtin_nan("");
    kin_tank_close(&t);
    return rate / (16 * KIN_PI * KIN_PI * nu);
}

static void row_of_growth(kin_case_run* run, const char* method, double reynolds, double grown)
{
    char text[64];
    snprintf(text, sizeof text, "Re %g: kinetic energy grown in a step, of the first", reynolds);
    kin_case_row(run, method, text, grown, 0, 0, "viscosity only takes");
}

/* Particles stay in their order, where the finer kernel's sums are right to a thousandth, so what is left is the error of a step of the implicit viscosity:
 * backward Euler is of first order, and a rate r comes out too low by r h / 2 of it. */
static void rows_of_slow_decay(kin_case_run* run, int count)
{
    const double of_a_step = 4 * KIN_PI * KIN_PI * 0.1 * KIN_TAYLOR_GREEN;
    for (int across = 16, i = 0; i < count; ++i, across *= 2) {
        char method[32];
        double grown, rate = decay_of(run, KIN_SPH_DFSPH, across, 10, KIN_SPH_VISCOSITY_IMPLICIT, true, &grown);
        snprintf(method, sizeof method, "dfsph, %d across", across);
        kin_case_row(run, method, "Re 10: decay of kinetic energy, of 16 pi^2 nu", rate, 1, of_a_step, "u ~ exp(-8 pi^2 nu t)");
        row_of_growth(run, method, 10, grown);
    }
}

/* Particles in disorder take more, which is an error of first order in the spacing: its order, fitted to all sizes, is at least 0.9, and with 64 across it is at
 * most 5 %. */
static void rows_of_mixing_decay(kin_case_run* run, int count)
{
    double sizes[3], errors[3];
    for (int across = 32, i = 0; i < count; ++i, across *= 2) {
        char method[32];
        double grown, rate = decay_of(run, KIN_SPH_DFSPH, across, 100, KIN_SPH_VISCOSITY_IMPLICIT, false, &grown);
        sizes[i] = 1.0 / across, errors[i] = kin_abs(rate - 1);
        snprintf(method, sizeof method, "dfsph, %d across", across);
        if (across >= 64) kin_case_row(run, method, "Re 100: decay of kinetic energy, of 16 pi^2 nu", rate, 1, 0.03, "u ~ exp(-8 pi^2 nu t)");
        row_of_growth(run, method, 100, grown);
    }
    kin_case_row(run, "dfsph", "Re 100: order of the error; more counts as 1", kin_min(kin_slope(sizes, errors, count), 1), 1, 0.1, "converges");
}

/* By either form of viscosity: 3 % from 64 spacings across on, and at a Reynolds number of 200 from 128 on. */
static void rows_of_decay_by_reynolds(kin_case_run* run)
{
    static const struct {
        kin_sph_solver solver;
        int across;
        double reynolds;
        kin_sph_viscosity how;
        bool full;
    } flows[] = {{KIN_SPH_DFSPH, 64, 20, KIN_SPH_VISCOSITY_EXPLICIT, false},  {KIN_SPH_DFSPH, 64, 100, KIN_SPH_VISCOSITY_EXPLICIT, false},
                 {KIN_SPH_DFSPH, 64, 20, KIN_SPH_VISCOSITY_IMPLICIT, false},  {KIN_SPH_DFSPH, 64, 20, KIN_SPH_VISCOSITY_AUTO, true},
                 {KIN_SPH_DFSPH, 64, 50, KIN_SPH_VISCOSITY_IMPLICIT, true},   {KIN_SPH_DFSPH, 64, 50, KIN_SPH_VISCOSITY_EXPLICIT, true},
                 {KIN_SPH_PCISPH, 64, 50, KIN_SPH_VISCOSITY_EXPLICIT, true},  {KIN_SPH_PBF, 64, 100, KIN_SPH_VISCOSITY_EXPLICIT, true},
                 {KIN_SPH_DFSPH, 128, 200, KIN_SPH_VISCOSITY_EXPLICIT, true}, {KIN_SPH_DFSPH, 128, 200, KIN_SPH_VISCOSITY_IMPLICIT, true}};
    static const char* const names[] = {"auto", "explicit", "implicit"};
    for (size_t i = 0; i < sizeof flows / sizeof *flows; ++i) {
        if (flows[i].full && !run->full) continue;
        char method[48], text[64];
        double grown, rate = decay_of(run, flows[i].solver, flows[i].across, flows[i].reynolds, flows[i].how, false, &grown);
        snprintf(method, sizeof method, "%s, %s, %d across", kin_tank_solver_name(flows[i].solver), names[flows[i].how], flows[i].across);
        snprintf(text, sizeof text, "Re %g: decay of kinetic energy, of 16 pi^2 nu", flows[i].reynolds);
        kin_case_row(run, method, text, rate, 1, 0.03, "u ~ exp(-8 pi^2 nu t)");
        row_of_growth(run, method, flows[i].reynolds, grown);
    }
}

void kin_case_sph_taylor_green(kin_case_run* run)
{
    rows_of_slow_decay(run, run->full ? 3 : 2);
    rows_of_mixing_decay(run, run->full ? 3 : 2);
    rows_of_decay_by_reynolds(run);
}

/* ---- viscosity only takes ---- */

typedef struct thickness {
    const char* name;
    kin_sph_viscosity how;
    double viscosity, smoothing;
} thickness;

/* A cloud of random places and velocities after one short step, J. The state is the same for all; only what acts in the step differs. */
static double energy_after(kin_case_run* run, const thickness* what, uint64_t seed, double h)
{
    enum { SIDE = 6 };
    const kin_rng_key key = {.seed = seed};
    kin_tank t = kin_tank_begin(run, KIN_SPH_WCSPH, 0.1, h);
    t.def.seed = seed;
    t.def.gravity = kin_v(0, 0, 0);
    t.sph.viscosity = what->how;
    t.sph.smoothing = what->smoothing;
    t.sph.sound_speed = 1;
    t.phases[0].viscosity = what->viscosity;
    kin_tank_open(&t);
    for (uint32_t i = 0; i < SIDE * SIDE * SIDE; ++i) {
        kin_vec3 x = {(double)(i % SIDE), (double)(i / SIDE % SIDE), (double)(i / (SIDE * SIDE))};
        double vx = kin_rng_uniform(&key, 3 * i, -1, 1), vy = kin_rng_uniform(&key, 3 * i + 1, -1, 1), vz = kin_rng_uniform(&key, 3 * i + 2, -1, 1);
        kin_tank_put(&t, kin_scale(x, 0.1), kin_v(vx, vy, vz), 0);
        t.blocks[i].jitter = 0.2;
    }
    kin_tank_create(&t);
    kin_tank_step(&t);
    double kinetic = kin_tank_sums_of(&t).kinetic;
    kin_tank_close(&t);
    return kinetic;
}

/* With it against without it, from the same states. Pressures act in both; their work with viscosity's change of velocity is of second order in the step,
 * h c^2 / dx^2 h = 1e-6 of what viscosity takes. Rounding: floats of 216 particles. */
void kin_case_sph_viscosity(kin_case_run* run)
{
    static const thickness forms[] = {{"explicit", KIN_SPH_VISCOSITY_EXPLICIT, 100, 0},
                                      {"implicit", KIN_SPH_VISCOSITY_IMPLICIT, 100, 0},
                                      {"text", KIN_SPH_VISCOSITY_TEXT, 100, 0},
                                      {"xsph", KIN_SPH_VISCOSITY_EXPLICIT, 0, 0.5}};
    static const thickness none = {"none", KIN_SPH_VISCOSITY_EXPLICIT, 0, 0};
    const double h = 1e-4;
    for (int f = 0; f < 4; ++f) {
        double gained = 0, least = 1e300;
        for (uint64_t seed = 1; seed <= (run->full ? 50 : 10); ++seed) {
            double without = energy_after(run, &none, seed, h), taken = (without - energy_after(run, &forms[f], seed, h)) / without;
            gained = kin_max(gained, -taken);
            least = kin_min(least, taken);
        }
        kin_case_row(run, forms[f].name, "kinetic energy that viscosity added in a step, most", gained, 0, 0x1p-23, "H14.5: none");
        kin_case_row(run, forms[f].name, "it took something every time", least > 1e-6, 1, 0, "it acts");
    }
}
