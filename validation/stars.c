/* stars.c - many bodies that pull each other: Plummer's sphere stays what it is, and every way of summing the pull against the direct sum.
 *
 * G = M = a = 1: W = -3 pi/32, half of the mass within 1.304766, 2K + W = 0, crossing time (2|E|)^(-3/2) = 6.26. What n stars drawn at random have of these
 * differs by deviations that shrink as 1/sqrt n; four of them are allowed. */
#include "math/scalar.h"
#include "math/vec3.h"
#include "system/gravity/gravity.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const method_names[] = {"multipole", "direct", "grid", "monopole", "quadrupole", "adjacency"}; /* as in kin_attraction_method */

static kin_rig cluster(kin_case_run* run, const char* integrator, double h, int64_t count, double softening, kin_attraction_method method, bool at_rest)
{
    kin_attraction_field def;
    kin_field_default("attraction", &def);
    def.attraction = 1;
    def.softening = softening;
    def.method = method;
    kin_rig r = kin_rig_begin(run, integrator, h);
    r.def.gravity = kin_v(0, 0, 0);
    r.group.form = at_rest ? KIN_FORM_BALL : KIN_FORM_PLUMMER;
    r.group.mass = 1 / (double)count;
    r.group.radius = 0.001;
    kin_rig_open(&r);
    kin_rig_field(&r, "attraction", &def);
    kin_rig_balls(&r, count, kin_v(0, 0, 0), kin_v(0, 0, 0), kin_v(0, 0, 0));
    return r;
}

/* ---- Plummer's sphere ---- */

static int by_size(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double half_mass_radius(const kin_rig* r)
{
    size_t n = kin_rig_count(r);
    double* distance = malloc((n + 1) * sizeof *distance);
    if (distance == NULL || n == 0) {
        free(distance);
        return NAN;
    }
    kin_vec3 center = {0, 0, 0}; /* the masses are equal; the stars' momentum is not 0, so it moves */
    for (size_t i = 0; i < n; ++i) center = kin_add_scaled(center, 1 / (double)n, kin_rig_x_at(r, i));
    for (size_t i = 0; i < n; ++i) distance[i] = kin_distance(kin_rig_x_at(r, i), center);
    qsort(distance, n, sizeof *distance, by_size);
    double median = distance[n / 2];
    free(distance);
    return median;
}

/* Deviations of the mean potential (E[phi^2] = 0.4, E[phi] = -3 pi/16), of the median (1 / 2 f sqrt n, f = 0.4254) and of the mean v^2 (E[v^4] by the same
 * distribution function: <v^4> = 5/42 E[psi^2] 4 = 0.1905, E[v^2] = 3 pi/32). A tenth of a percent of the mass, the outermost, is cut off: 0.002 of each. */
static void plummer_start(kin_case_run* run)
{
    const double root = kin_sqrt(run->full ? 20000 : 1000), energy = 3 * KIN_PI / 32;
    kin_rig r = cluster(run, "leapfrog", 0.01, run->full ? 20000 : 1000, 0, KIN_ATTRACTION_DIRECT, false);
    double w = kin_rig_measure(&r, "potential_energy"), k = kin_rig_measure(&r, "kinetic_energy");
    kin_case_row(run, "plummer", "potential energy (J)", w, -energy, 4 * kin_sqrt(0.4 - 4 * energy * energy) / root + 0.002, "W = -3 pi/32");
    kin_case_row(run, "plummer", "half-mass radius (m)", half_mass_radius(&r), 1.304766, 4 / (2 * 0.4254 * root) + 0.002, "1.304766 a");
    kin_case_row(run, "plummer", "kinetic energy (J)", k, energy / 2, 4 * 0.5 * kin_sqrt(0.1905 - energy * energy) / root + 0.002, "2K + W = 0");
    kin_rig_close(&r);
}

/* sum of x . F by pairs: with softening e the virial theorem has r^2 / (r^2 + e^2)^(3/2) in place of 1/r. */
static double virial(const kin_rig* r, double softening)
{
    kin_particles_view p = kin_particles_state(r->world, r->system);
    double sum = 0;
    for (size_t i = 0; i < p.count; ++i) {
        for (size_t j = 0; j < i; ++j) {
            double x = p.x[i] - p.x[j], y = p.y[i] - p.y[j], z = p.z[i] - p.z[j], r2 = x * x + y * y + z * z, e2 = r2 + softening * softening;
            sum += p.mass[i] * p.mass[j] * r2 / (e2 * kin_sqrt(e2));
        }
    }
    return sum;
}

/* Over a time T the mean of 2K / |sum x . F| is 1 but for [dI/dt] / 2T |W|: the moment of inertia swings by the 1/sqrt n that the start was off by. Leapfrog keeps
 * energy to (w h)^2/8, w = sqrt(2m / e^3) for the closest pair there can be. */
static void plummer_stays(kin_case_run* run, const char* integrator)
{
    const int64_t count = run->full ? 2000 : 400;
    const double crossing = kin_pow(3 * KIN_PI / 32, -1.5), softening = 0.05, h = crossing / 200, w2 = 2 / (double)count / (softening * softening * softening);
    const int steps = 2000;
    kin_rig r = cluster(run, integrator, h, count, softening, KIN_ATTRACTION_DIRECT, false);
    double energy = kin_rig_energy(&r), ratio = 0, start = half_mass_radius(&r), drift = 0;
    kin_vec3 momentum = kin_rig_momentum(&r);
    for (int i = 0; i < steps / 20 && kin_rig_ok(&r); ++i) {
        kin_rig_steps(&r, 20);
        ratio += 2 * kin_rig_measure(&r, "kinetic_energy") / virial(&r, softening) / (steps / 20);
        drift = kin_max(drift, kin_abs(kin_rig_energy(&r) / energy - 1));
    }
    kin_case_row(run, integrator, "mean 2K/|W| over 10 crossing times", ratio, 1, 0.02, "virial theorem, Clausius 1870");
    kin_case_row(run, integrator, "most change of energy, relative", drift, 0, w2 * h * h / 8, "conservation of energy");
    kin_case_row(run, integrator, "half-mass radius over that at the start", half_mass_radius(&r) / start, 1, 4 / (0.4254 * 1.3 * kin_sqrt((double)count)),
                 "a steady state"); /* both medians have a deviation */
    kin_case_row(run, integrator, "change of momentum (kg m/s)", kin_distance(kin_rig_momentum(&r), momentum), 0, steps * 1e-16, "conservation of momentum");
    kin_rig_close(&r);
}

void kin_case_plummer(kin_case_run* run)
{
    plummer_start(run);
    plummer_stays(run, "leapfrog");
    if (run->full) plummer_stays(run, "velocity_verlet");
}

/* ---- every method against the direct sum: one step of Euler from rest is h a ---- */

static double rms_error(const kin_rig* exact, const kin_rig* other)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < kin_rig_count(exact); ++i) {
        kin_vec3 a = kin_rig_v_at(exact, i), b = kin_rig_v_at(other, i);
        off += kin_length2(kin_sub(a, b));
        all += kin_length2(a);
    }
    return kin_sqrt(off / all);
}

/* The texts ask for 1 % of a tree, at any distance. Second moments leave a term smaller by s/d < theta = 1/2, at the least; the multipole walk is set to 1e-3. */
static void forces(kin_case_run* run)
{
    static const double tolerance[] = {1e-3, 0, 0.01, 0.01, 0.005, 0.01};
    const int64_t count = run->full ? 50000 : 5000;
    kin_rig exact = cluster(run, "euler", 1, count, 0.01, KIN_ATTRACTION_DIRECT, true);
    kin_rig_step(&exact);
    for (int m = KIN_ATTRACTION_MULTIPOLE; m <= KIN_ATTRACTION_ADJACENCY; ++m) {
        if (m == KIN_ATTRACTION_DIRECT) continue;
        kin_rig r = cluster(run, "euler", 1, count, 0.01, (kin_attraction_method)m, true);
        kin_rig_step(&r);
        kin_case_row(run, method_names[m], "rms error of the pull, relative", rms_error(&exact, &r), 0, tolerance[m], "House & Keyser 6.4; direct sum");
        kin_rig_close(&r);
    }
    kin_rig_close(&exact);
}

/* Two clusters far apart pull as points do: (r/R)^2 is what is left, for the dipole about the centre of mass vanishes. */
static void far_cluster(kin_case_run* run)
{
    double distance[4], error[4];
    for (int i = 0; i < 4; ++i) {
        distance[i] = 10 << i;
        kin_particle_group groups[3] = {kin_particle_group_default(), kin_particle_group_default(), kin_particle_group_default()};
        kin_attraction_field def;
        kin_field_default("attraction", &def);
        def.attraction = 1;
        def.method = KIN_ATTRACTION_DIRECT;
        groups[0].position = kin_v(1, 0, 0);
        groups[1].position = kin_v(-1, 0, 0);
        groups[2].position = kin_v(distance[i], 0, 0);
        kin_rig r = kin_rig_begin(run, "euler", 1);
        r.def.gravity = kin_v(0, 0, 0);
        r.particles.groups = groups;
        r.particles.group_count = 3;
        kin_rig_open(&r);
        kin_rig_field(&r, "attraction", &def);
        kin_rig_create(&r);
        kin_rig_step(&r);
        error[i] = kin_abs(-kin_rig_v_at(&r, 2).x * distance[i] * distance[i] / 2 - 1);
        kin_rig_close(&r);
    }
    kin_case_row(run, "direct", "order of the error of a centre of mass", -kin_slope(distance, error, 4), 2, 0.05, "House & Keyser 6.4.1: O((r/R)^2)");
}

/* House & Keyser table 6.1. Counts are exact, work has three digits, ratios two. */
static void table_c(kin_case_run* run)
{
    static const struct {
        uint64_t n;
        double side, cells, work, direct, ratio, half_digit;
    } rows[] = {
        {10, 2, 8, 1.48e2, 45, 3.28, 0.005},          {100, 3, 27, 1.00e4, 4.95e3, 2.02, 0.005},       {1000, 5, 125, 3.14e5, 5.00e5, 0.63, 0.005},
        {10000, 8, 512, 1.01e7, 5.00e7, 0.20, 0.005}, {100000, 11, 1331, 3.33e8, 5.00e9, 0.07, 0.005}, {1000000, 17, 4913, 1.04e10, 5.00e11, 0.02, 0.005},
    };
    for (int i = 0; i < 6; ++i) {
        char method[32];
        kin_gravity_grid plan = kin_gravity_grid_plan(rows[i].n);
        snprintf(method, sizeof method, "grid, n = %llu", (unsigned long long)rows[i].n);
        const char* source = "House & Keyser table 6.1, catalog table C";
        kin_case_row(run, method, "cells to a side", plan.side, rows[i].side, 0, source);
        kin_case_row(run, method, "cells", plan.cells, rows[i].cells, 0, source);
        kin_case_row(run, method, "work", plan.work, rows[i].work, 0.005 * rows[i].work, source);
        kin_case_row(run, method, "work of the direct sum", plan.direct_work, rows[i].direct, 0.005 * rows[i].direct, source);
        kin_case_row(run, method, "ratio of the two", plan.work / plan.direct_work, rows[i].ratio, rows[i].half_digit, source);
    }
}

void kin_case_tree_force(kin_case_run* run)
{
    forces(run);
    far_cluster(run);
    table_c(run);
}
