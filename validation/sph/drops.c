/* drops.c - drops without gravity: one that a central field holds, one that its surface holds, a cube that becomes a ball.
 *
 * Field: in the plane, a force -om^2 x on an inviscid drop keeps it an ellipse whose axes follow two ordinary equations (Monaghan & Rafiee 2013): with A the
 * rate of strain,  a' = A a,  b' = -A b,  A' = (om^2 + A^2) (b^2 - a^2) / (a^2 + b^2).
 * Surface: small swings of the second mode have om^2 = 6 sigma / (rho R^3) in the plane and 8 sigma / (rho R^3) in space (Rayleigh 1879, Lamb art. 275).
 * The radius of a lump of particles is known to a part of a spacing, so periods (R^3/2) and pressures (1/R) are of first order in spacing over R. */
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

/* ---- a square ---- */

/* Mean of r^4 over the square of the mean of r^2, about the centre: 4/3 of a disc, 7/5 of a square. */
static double roundness_of(const kin_tank* t)
{
    double two = 0, four = 0;
    kin_vec3 center = kin_tank_sums_of(t).center;
    size_t count = kin_tank_count(t);
    for (size_t i = 0; i < count; ++i) {
        double r2 = kin_length2(kin_sub(kin_tank_at(t, i).x, center));
        two += r2, four += r2 * r2;
    }
    return (double)count * four / (two * two);
}

void kin_case_sph_round(kin_case_run* run)
{
    char method[32];
    const int across = run->full ? 40 : 20;
    const double sigma = 1000, radius = 1 / kin_sqrt(KIN_PI), unit = kin_sqrt(RHO / sigma * radius * radius * radius);
    kin_tank t = kin_tank_begin(run, KIN_SPH_DFSPH, 1.0 / across, unit / 50);
    t.def.gravity = kin_v(0, 0, 0);
    t.sph.flat = true;
    t.phases[0].tension = sigma;
    t.phases[0].viscosity = 0.5 * kin_sqrt(RHO * sigma * radius); /* Ohnesorge number 0.5: a few swings and it is still */
    kin_tank_open(&t);
    kin_tank_fill(&t, kin_v(-0.5, -0.5, -0.5), kin_v(0.5, 0.5, 0.5));
    kin_tank_create(&t);
    kin_tank_until(&t, 12 * unit);
    snprintf(method, sizeof method, "%d across", across);
    kin_case_row(run, method, "corners left: of r^4 over r^2 squared", (roundness_of(&t) - 4.0 / 3) / (7.0 / 5 - 4.0 / 3), 0, 0.2, "H14.7: becomes round");
    kin_tank_close(&t);
}
