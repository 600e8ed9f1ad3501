/* drops.c - drops without gravity: one that a central field holds, one that its surface holds, a square and a cube that become round.
 *
 * Field: in the plane, a force -om^2 x on an inviscid drop keeps it an ellipse whose axes follow two ordinary equations (Monaghan & Rafiee 2013): with A the
 * rate of strain,  a' = A a,  b' = -A b,  A' = (om^2 + A^2) (b^2 - a^2) / (a^2 + b^2).
 * Surface: small swings of the second mode have om^2 = 6 sigma / (rho R^3) in the plane and 8 sigma / (rho R^3) in space (Rayleigh 1879, Lamb art. 275); viscosity
 * takes beta = 4 nu / R^2 and 5 nu / R^2 of them and slows them down to sqrt(om^2 - beta^2) (Lamb art. 355). The pressure inside is sigma / R, 2 sigma / R (Laplace).
 * Forces of a surface are right to 3 % from a radius of 8 spacings on (docs/sph.md), so periods to half of that; swings of a height a R have others, of second
 * order in a (Tsamopoulos & Brown 1983): by a^2 at most. Pressures are to be right to 5 % at any resolution. They are means over all that is deeper than the
 * surface is thick: the mean over a ball at rest is the radial stress at its rim, whatever is inside, and particles that have come to rest in some order bear
 * stresses of their own, 1 or 2 % of the pressure.
 * Without viscosity a square swings hard. Its energy, that of a surface known to half a spacing of the radius, must not grow. */
#include "domains/sph/kernel.h"
#include "math/vec3.h"
#include "validation/sph/rig.h"
#include <math.h>
#include <stdio.h>

#define RHO 1000.0

/* A drop of radius 1 about the origin, strained at the rate `rate` (x out, y in; in space z in, half of each). */
static void add_drop(kin_tank* t, double rate)
{
    const double s = kin_tank_spacing(t);
    const int n = (int)(1 / s) + 1, deep = t->sph.flat ? 0 : n;
    for (int k = -deep; k <= deep; ++k) {
        for (int j = -n; j <= n; ++j) {
            for (int i = -n; i <= n; ++i) {
                kin_vec3 x = {(i + 0.5) * s, (j + 0.5) * s, t->sph.flat ? 0 : (k + 0.5) * s};
                if (kin_length2(x) > 1) continue;
                kin_tank_put(t, x, t->sph.flat ? kin_v(rate * x.x, -rate * x.y, 0) : kin_v(rate * x.x, -0.5 * rate * x.y, -0.5 * rate * x.z), 0);
            }
        }
    }
}

/* Mean of x^2 less that of what is across. */
static double stretch_of(const kin_tank* t)
{
    double sum = 0;
    size_t count = kin_tank_count(t);
    for (size_t i = 0; i < count; ++i) {
        kin_vec3 x = kin_tank_at(t, i).x;
        sum += x.x * x.x - (t->sph.flat ? x.y * x.y : 0.5 * (x.y * x.y + x.z * x.z));
    }
    return sum / (double)count;
}

/* Time of the stretch's second fall through 0 less that of its first: a period. NaN: not within `most` s. */
static double period_of(kin_tank* t, double most)
{
    double before = stretch_of(t), first = NAN;
    while (kin_tank_ok(t) && kin_world_time(t->world) < most) {
        kin_tank_step(t);
        double now = stretch_of(t);
        if (before > 0 && now <= 0) {
            double time = kin_world_time(t->world) - t->def.time_step * now / (now - before);
            if (!isnan(first)) return time - first;
            first = time;
        }
        before = now;
    }
    return NAN;
}

/* ---- held by a field ---- */

/* Period of the exact equations, from their falls through a = b. */
static double exact_period(double om, double rate)
{
    double s[2] = {0, rate}, h = 1e-4, time = 0, first = NAN; /* ln a, A; b = 1/a */
    for (;;) {
        double k[4][2], at[2] = {s[0], s[1]}, before = s[0];
        for (int stage = 0; stage < 4; ++stage) {
            double a2 = kin_exp(2 * at[0]);
            k[stage][0] = at[1];
            k[stage][1] = (om * om + at[1] * at[1]) * (1 / a2 - a2) / (1 / a2 + a2);
            for (int i = 0; i < 2 && stage < 3; ++i) at[i] = s[i] + (stage < 2 ? 0.5 : 1) * h * k[stage][i];
        }
        for (int i = 0; i < 2; ++i) s[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        time += h;
        if (before > 0 && s[0] <= 0) {
            double fall = time - h * s[0] / (s[0] - before);
            if (!isnan(first)) return fall - first;
            first = fall;
        }
    }
}

void kin_case_sph_swing(kin_case_run* run)
{
    const double om = 1, rate = 0.4;
    const int across[] = {10, 20, 40};
    for (int i = 0; i < (run->full ? 3 : 2); ++i) {
        char method[32];
        const double spacing = 1.0 / across[i];
        kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, spacing, 0.02);
        kin_attractor_field field;
        kin_field_default("attractor", &field);
        field.attractor = om * om;
        field.exponent = -1;
        field.core = 1e-6;
        t.def.gravity = kin_v(0, 0, 0);
        t.sph.flat = true;
        kin_tank_open(&t);
        kin_tank_field(&t, "attractor", &field);
        add_drop(&t, rate);
        kin_tank_create(&t);
        double period = period_of(&t, 12), reference = exact_period(om, rate);
        snprintf(method, sizeof method, "dfsph, R = %d spacings", across[i]);
        kin_case_row(run, method, "drop in a central field: period, s", period, reference, 0.5 * spacing * reference, "Monaghan & Rafiee 2013");
        kin_tank_close(&t);
    }
}

/* ---- held by its surface ---- */

#define SIGMA 1000.0

/* Of the ball or disc that all particles make up. */
static double radius_of(const kin_tank* t)
{
    double volume = (double)kin_tank_count(t) * kin_tank_volume(t);
    return t->sph.flat ? kin_sqrt(volume / KIN_PI) : kin_pow(volume * 3 / (4 * KIN_PI), 1.0 / 3);
}

/* Radius 1; its Ohnesorge number. A time of 1 is sqrt(rho R^3 / sigma). */
static kin_tank begin_drop(kin_case_run* run, bool flat, double spacing, double ohnesorge)
{
    kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, spacing, kin_sqrt(RHO / SIGMA) / 50);
    t.def.gravity = kin_v(0, 0, 0);
    t.sph.flat = flat;
    t.phases[0].tension = SIGMA;
    t.phases[0].viscosity = ohnesorge * kin_sqrt(RHO * SIGMA);
    kin_tank_open(&t);
    return t;
}

/* Of the second mode, s. */
static double capillary_period(const kin_tank* t)
{
    double radius = radius_of(t), nu = t->phases[0].viscosity / RHO, beta = (t->sph.flat ? 4 : 5) * nu / (radius * radius);
    return 2 * KIN_PI / kin_sqrt((t->sph.flat ? 6 : 8) * SIGMA / (RHO * radius * radius * radius) - beta * beta);
}

static void rows_of_ring(kin_case_run* run, bool flat, int across)
{
    char method[48];
    const double ohnesorge = 0.02, rate = 0.3 * kin_sqrt(SIGMA / RHO);
    kin_tank t = begin_drop(run, flat, 1.0 / across, ohnesorge);
    add_drop(&t, rate);
    kin_tank_create(&t);
    double reference = capillary_period(&t), begin = kin_tank_sums_of(&t).kinetic, period = period_of(&t, 3 * reference);
    kin_tank_sums end = kin_tank_sums_of(&t);
    double momentum = end.mass * rate;                             /* of a drop that goes as fast as its rim did */
    double height = rate * reference / (2 * KIN_PI), force = 0.03; /* of a swing, over R; error of the surface's forces */
    snprintf(method, sizeof method, "%s, R = %d spacings", flat ? "disc" : "ball", across);
    kin_case_row(run, method, "swings of a drop: period over that of its surface", period / reference, 1, 0.5 * force + height * height,
                 "Rayleigh 1879, Lamb art. 275");
    kin_case_row(run, method, "momentum after a period, of that at the rim", kin_length(end.momentum) / momentum, 0, 1e-6, "kept");
    kin_case_row(run, method, "kinetic energy grown in a period, of the first", kin_max(0, end.kinetic / begin - 1), 0, 0, "never grows");
    kin_tank_close(&t);
}

void kin_case_sph_ring(kin_case_run* run)
{
    rows_of_ring(run, true, 8);
    rows_of_ring(run, true, run->full ? 32 : 16);
    rows_of_ring(run, false, run->full ? 12 : 8);
}

/* ---- a square, a cube ---- */

/* Mean of x^4 + y^4 + z^4 over that of r^4, about the centre: what corners change and layers do not. */
static double shape_of(const kin_tank* t)
{
    double sum = 0, all = 0;
    kin_vec3 center = kin_tank_sums_of(t).center;
    for (size_t i = 0; i < kin_tank_count(t); ++i) {
        kin_vec3 x = kin_sub(kin_tank_at(t, i).x, center), square = kin_mul(x, x);
        sum += kin_length2(square), all += kin_square(kin_length2(x));
    }
    return sum / all;
}

#define SURFACE 3 /* spacings: as thick as a surface is */

/* Mean over all that is deeper than the surface. */
static double pressure_inside(const kin_tank* t)
{
    const kin_vec3 center = kin_tank_sums_of(t).center;
    double sum = 0, inside = 0, reach = radius_of(t) - SURFACE * kin_tank_spacing(t);
    for (size_t i = 0; i < kin_tank_count(t); ++i) {
        kin_tank_particle p = kin_tank_at(t, i);
        if (kin_distance(p.x, center) <= reach) sum += p.pressure, inside += 1;
    }
    return sum / inside;
}

/* A square or cube that has the radius 1 in the end. */
static kin_tank begin_square(kin_case_run* run, bool flat, int across, double ohnesorge)
{
    const double side = flat ? kin_sqrt(KIN_PI) : kin_pow(4 * KIN_PI / 3, 1.0 / 3), half = 0.5 * side;
    kin_tank t = begin_drop(run, flat, side / across, ohnesorge);
    kin_tank_fill(&t, kin_v(-half, -half, -half), kin_v(half, half, half));
    kin_tank_create(&t);
    return t;
}

static void rows_of_round(kin_case_run* run, bool flat, int across)
{
    char method[48];
    const int looks = 20;
    const double unit = kin_sqrt(RHO / SIGMA), round = flat ? 3.0 / 4 : 3.0 / 5, square = flat ? 9.0 / 14 : 9.0 / 19; /* shapes */
    kin_tank t = begin_square(run, flat, across, 0.2);                                                                /* a few swings and it is still */
    kin_tank_until(&t, 12 * unit);
    double pressure = 0, want = (flat ? 1 : 2) * SIGMA / radius_of(&t);
    for (int k = 1; k <= looks; ++k) {
        kin_tank_until(&t, (12 + 0.1 * k) * unit);
        pressure += pressure_inside(&t) / looks;
    }
    snprintf(method, sizeof method, "%s, %d across", flat ? "square" : "cube", across);
    kin_case_row(run, method, "corners left, a share", (shape_of(&t) - round) / (square - round), 0, 0.1, "H14.7: becomes round");
    kin_case_row(run, method, flat ? "pressure inside, of sigma / R" : "pressure inside, of 2 sigma / R", pressure / want, 1, 0.05, "Laplace");
    kin_tank_close(&t);
}

/* Of motion and of the surface, J. */
static double energy_of(const kin_tank* t) { return kin_tank_sums_of(t).kinetic + kin_tank_measure(t, "elastic_energy"); }

static void rows_of_thin(kin_case_run* run, int across)
{
    char method[48];
    const double unit = kin_sqrt(RHO / SIGMA);
    kin_tank t = begin_square(run, true, across, 0);
    double most = 0, begin = 0;
    while (kin_tank_ok(&t) && kin_world_time(t.world) < 2 * unit) {
        kin_tank_step(&t);
        if (begin == 0) begin = energy_of(&t);
        most = kin_max(most, energy_of(&t));
    }
    kin_aabb box = kin_tank_sums_of(&t).box;
    double far = kin_max(kin_max(-box.low.x, -box.low.y), kin_max(box.high.x, box.high.y)), corner = kin_sqrt(0.5 * KIN_PI), spacing = kin_tank_spacing(&t);
    snprintf(method, sizeof method, "square, %d across", across);
    kin_case_row(run, method, "no viscosity: energy at its most, of the first", kin_max(1, most / begin), 1, 0.5 * spacing, "never grows");
    kin_case_row(run, method, "no viscosity: farther out than corners were, a share", kin_max(0, far / corner - 1), 0, 0, "one piece");
    kin_tank_close(&t);
}

void kin_case_sph_round(kin_case_run* run)
{
    rows_of_round(run, true, 14);
    rows_of_round(run, true, run->full ? 48 : 28);
    rows_of_round(run, false, run->full ? 20 : 12);
    rows_of_thin(run, run->full ? 57 : 43);
}
