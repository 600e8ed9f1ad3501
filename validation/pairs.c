/* pairs.c - forces between near points: molecules and charges; charges in electric and magnetic fields; what forces in pairs conserve. Coutinho 3.3.4. */
#include "base/rng.h"
#include "math/random.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include "validation/cases.h"
#include "validation/rig.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static kin_rig two(kin_case_run* run, const char* method, double h, const char* kind, const void* field, kin_particle_group groups[2])
{
    kin_rig r = kin_rig_begin(run, method, h);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.groups = groups;
    r.particles.group_count = 2;
    kin_rig_open(&r);
    kin_rig_field(&r, kind, field);
    kin_rig_create(&r);
    r.particles.groups = NULL;
    return r;
}

/* ---- Lennard-Jones: V = 4 e ((s/r)^12 - (s/r)^6), least at 2^(1/6) s, where V'' = 72 e / (2^(1/3) s^2) = 57.146 e/s^2 ---- */

static kin_molecules_field molecules(double depth, double sigma, double cutoff)
{
    kin_molecules_field def;
    kin_field_default("molecules", &def);
    def.molecules = depth;
    def.sigma = sigma;
    def.cutoff = cutoff;
    return def;
}

/* A cos wt, and by V''' = -21 V''/r0 a stretch of 7/4 A^2/r0 (3 - 2 cos wt - cos 2wt): nothing after whole swings, 7 A^2/r0 a quarter later. The next order
 * changes w by 23 (A/r0)^2: over 10 1/4 swings a phase of 2 pi 10.25 times that, which is the tolerance, and a tenth for the order after. */
static void small_swings(kin_case_run* run)
{
    const double depth = 2, sigma = 0.8, a = 0.5, b = 1.5, mu = a * b / (a + b), rest = kin_pow(2, 1.0 / 6) * sigma, swing = 1e-4;
    const double k = 72 * depth / (kin_cbrt(2) * sigma * sigma), period = 2 * KIN_PI * kin_sqrt(mu / k);
    const double phase = 1.1 * 2 * KIN_PI * 10.25 * 23 * kin_square(swing / rest);
    kin_molecules_field def = molecules(depth, sigma, 0);
    kin_particle_group groups[2] = {kin_particle_group_default(), kin_particle_group_default()};
    groups[0].mass = a;
    groups[1].mass = b;
    groups[1].position = kin_v(rest + swing, 0, 0);
    kin_rig r = two(run, "bulirsch_stoer", period / 20, "molecules", &def, groups);
    kin_case_row(run, "bulirsch_stoer", "V'' of the well, in e/s^2", k * sigma * sigma / depth, 57.146, 0.0005, "72 / 2^(1/3)");
    kin_rig_steps(&r, 200);
    kin_case_row(run, "bulirsch_stoer", "stretch after 10 periods, in swings", (kin_rig_x_at(&r, 1).x - kin_rig_x_at(&r, 0).x - rest) / swing, 1, phase,
                 "w = sqrt(V'' / mu)");
    kin_rig_steps(&r, 5);
    kin_case_row(run, "bulirsch_stoer", "stretch after 10 1/4 periods, in swings", (kin_rig_x_at(&r, 1).x - kin_rig_x_at(&r, 0).x - rest) / swing,
                 7 * swing / rest, phase, "w = sqrt(V'' / mu)");
    kin_rig_close(&r);
}

static void wide_swings(kin_case_run* run)
{
    kin_molecules_field def = molecules(1, 1, 0);
    kin_particle_group groups[2] = {kin_particle_group_default(), kin_particle_group_default()};
    groups[1].position = kin_v(1.5, 0.2, 0);
    kin_rig r = two(run, "bulirsch_stoer", 0.01, "molecules", &def, groups);
    double energy = kin_rig_energy(&r), s6 = kin_pow(1.5 * 1.5 + 0.2 * 0.2, -3);
    kin_case_row(run, "bulirsch_stoer", "energy at rest (J)", energy, 4 * (s6 * s6 - s6), 1e-15, "4 e ((s/r)^12 - (s/r)^6)");
    kin_rig_steps(&r, 1000);
    kin_case_row(run, "bulirsch_stoer", "energy after 1000 steps (J)", kin_rig_energy(&r), energy, 1000 * 10 * KIN_RIG_TOLERANCE, "conservation of energy");
    kin_rig_close(&r);
}

/* Neighbour lists leave out what is beyond the cut-off and nothing else: one step of Euler from rest against a sum over all pairs. Sums of up to n terms round
 * by n 1e-16 of the largest; the largest force is that of the closest pair. */
static void cut_off(kin_case_run* run)
{
    const double sigma = 0.3, cutoff = 0.9;
    kin_molecules_field def = molecules(1, sigma, cutoff);
    kin_rig r = kin_rig_begin(run, "euler", 1);
    r.def.gravity = kin_v(0, 0, 0);
    kin_rig_open(&r);
    kin_rig_field(&r, "molecules", &def);
    kin_rig_balls(&r, 500, kin_v(0, 0, 0), kin_v(5, 5, 5), kin_v(0, 0, 0));
    kin_vec3 x[500];
    for (size_t i = 0; i < 500; ++i) x[i] = kin_rig_x_at(&r, i);
    kin_rig_step(&r);
    double worst = 0, largest = 0;
    for (size_t i = 0; i < 500; ++i) {
        kin_vec3 sum = {0, 0, 0};
        for (size_t j = 0; j < 500; ++j) {
            kin_vec3 d = kin_sub(x[i], x[j]);
            double distance = kin_length(d), core = 0.1 * sigma, e = kin_max(distance, core), s6 = kin_pow(sigma / e, 6);
            if (j == i || distance > cutoff) continue;
            kin_vec3 force = kin_scale(d, 24 * (2 * s6 * s6 - s6) / (e * e));
            largest = kin_max(largest, kin_length(force));
            sum = kin_add(sum, force);
        }
        worst = kin_max(worst, kin_distance(kin_rig_v_at(&r, i), sum));
    }
    kin_case_row(run, "cut-off", "largest error of a force, of the largest force", worst / largest, 0, 500 * 1e-16, "sum over all pairs nearer than it");
    kin_rig_close(&r);
}

void kin_case_lennard_jones(kin_case_run* run)
{
    small_swings(run);
    wide_swings(run);
    cut_off(run);
}

/* ---- charges ----
 *
 * Two like charges let go at a distance d are at s d after sqrt(mu d^3 / 2 k q^2) (sqrt(s (s - 1)) + ln(sqrt s + sqrt(s - 1))). */

static void repelled(kin_case_run* run)
{
    const double k = 3, q = 0.7, p = 1.1, a = 2, b = 0.5, mu = a * b / (a + b), d = 0.6, s = 4;
    const double t = kin_sqrt(mu * d * d * d / (2 * k * q * p)) * (kin_sqrt(s * (s - 1)) + kin_ln(kin_sqrt(s) + kin_sqrt(s - 1)));
    kin_charges_field def;
    kin_field_default("charges", &def);
    def.charges = k;
    kin_particle_group groups[2] = {kin_particle_group_default(), kin_particle_group_default()};
    groups[0].mass = a;
    groups[1].mass = b;
    groups[0].charge = q;
    groups[1].charge = p;
    groups[1].position = kin_v(0, d, 0);
    kin_rig r = two(run, "bulirsch_stoer", t / 100, "charges", &def, groups);
    kin_case_row(run, "bulirsch_stoer", "energy of two charges (J)", kin_rig_energy(&r), k * q * p / d, 1e-15, "Coulomb: k q1 q2 / r");
    kin_rig_steps(&r, 100);
    kin_case_row(run, "bulirsch_stoer", "distance at the time of 4 d (m)", kin_distance(kin_rig_x_at(&r, 0), kin_rig_x_at(&r, 1)), s * d,
                 100 * 10 * KIN_RIG_TOLERANCE, "Coulomb: closed form");
    kin_case_row(run, "bulirsch_stoer", "speed of parting then (m/s)", kin_distance(kin_rig_v_at(&r, 0), kin_rig_v_at(&r, 1)),
                 kin_sqrt(2 * k * q * p / mu * (1 / d - 1 / (s * d))), 100 * 10 * KIN_RIG_TOLERANCE, "Coulomb: closed form");
    kin_rig_close(&r);
}

/* Unlike charges circle each other: w^2 = k q1 q2 / (mu r^3). */
static void circling(kin_case_run* run)
{
    const double k = 1, a = 1, b = 3, mu = 0.75, w = kin_sqrt(k * 0.5 / mu);
    kin_charges_field def;
    kin_field_default("charges", &def);
    def.charges = k;
    kin_particle_group groups[2] = {kin_particle_group_default(), kin_particle_group_default()};
    groups[0].mass = a;
    groups[1].mass = b;
    groups[0].charge = 1;
    groups[1].charge = -0.5;
    groups[0].position = kin_v(0.75, 0, 0);
    groups[1].position = kin_v(-0.25, 0, 0);
    groups[0].velocity = kin_v(0, 0.75 * w, 0);
    groups[1].velocity = kin_v(0, -0.25 * w, 0);
    kin_rig r = two(run, "bulirsch_stoer", 2 * KIN_PI / w / 100, "charges", &def, groups);
    kin_rig_steps(&r, 100);
    kin_case_row(run, "bulirsch_stoer", "a turn later, off the start (m)", kin_distance(kin_rig_x_at(&r, 0), kin_v(0.75, 0, 0)), 0,
                 100 * 3 * KIN_PI * KIN_RIG_TOLERANCE, "Coulomb: 2 pi sqrt(mu r^3 / k q1 q2)");
    kin_rig_close(&r);
}

/* ---- one charge in fields: turns of 2 pi m / q B, drifts with E x B / B^2 ---- */

static void cyclotron(kin_case_run* run, kin_vec3 electric)
{
    const double mass = 0.3, charge = 1.7;
    const kin_vec3 b = {0, 0, 2}, v0 = {1.5, 0, 0.4}, x0 = {1, 2, 3};
    double period = 2 * KIN_PI * mass / (charge * kin_length(b));
    kin_magnetic_field magnetic;
    kin_electric_field field;
    kin_field_default("magnetic", &magnetic);
    kin_field_default("electric", &field);
    magnetic.magnetic = b;
    field.electric = electric;
    kin_rig r = kin_rig_begin(run, "bulirsch_stoer", period / 50);
    r.def.gravity = kin_v(0, 0, 0);
    r.group.mass = mass;
    r.group.charge = charge;
    kin_rig_open(&r);
    kin_rig_field(&r, "magnetic", &magnetic);
    kin_rig_field(&r, "electric", &field);
    kin_rig_ball(&r, x0, v0);
    kin_vec3 drift = kin_scale(kin_cross(electric, b), 1 / kin_length2(b));
    double widest = 0;
    for (int i = 0; i < 150; ++i) {
        kin_rig_step(&r);
        widest = kin_max(widest, kin_distance(kin_v(kin_rig_x(&r).x, kin_rig_x(&r).y, 0), kin_v(x0.x, x0.y, 0)));
    }
    kin_vec3 want = kin_add_scaled(kin_add_scaled(x0, 3 * period, drift), 3 * period, kin_v(0, 0, v0.z));
    bool drifts = kin_length(electric) > 0;
    double tolerance = 150 * 10 * KIN_RIG_TOLERANCE;
    kin_case_row(run, drifts ? "E x B" : "cyclotron", "place after 3 turns, off (m)", kin_distance(kin_rig_x(&r), want), 0, tolerance,
                 drifts ? "Lorentz: drift E x B / B^2" : "Lorentz: 2 pi m / (q B)");
    kin_case_row(run, drifts ? "E x B" : "cyclotron", "velocity after 3 turns, off (m/s)", kin_distance(kin_rig_v(&r), v0), 0, tolerance, "Lorentz");
    if (!drifts) kin_case_row(run, "cyclotron", "width of the circle (m)", widest, 2 * mass * v0.x / (charge * b.z), tolerance, "Lorentz: m v / (q B)");
    kin_rig_close(&r);
}

/* ---- turned by Boris: speed at a step of `turn` radians, and by how much a turn of steps an order shorter is behind ---- */

static double turned(kin_case_run* run, const char* method, double turn, int steps, double* speed)
{
    kin_magnetic_field magnetic;
    kin_field_default("magnetic", &magnetic);
    magnetic.magnetic = kin_v(0, 0, -1);
    kin_rig r = kin_rig_begin(run, method, turn);
    r.def.gravity = kin_v(0, 0, 0);
    r.group.charge = 1;
    r.particles.block_length = 0.01;
    kin_rig_open(&r);
    kin_rig_field(&r, "magnetic", &magnetic);
    kin_rig_ball(&r, kin_v(0, 0, 0), kin_v(1, 0, 0));
    kin_rig_steps(&r, steps);
    kin_vec3 v = kin_rig_v(&r);
    *speed = kin_length(v);
    kin_rig_close(&r);
    return -kin_atan2(v.y, v.x);
}

void kin_case_gyration(kin_case_run* run)
{
    static const char* const methods[] = {"semi_implicit", "average", "verlet", "velocity_verlet", "leapfrog", "block_leapfrog"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        double speed, late[2];
        bool differences = strcmp(methods[i], "verlet") == 0; /* of places: rounded as these are */
        turned(run, methods[i], 2.5, 1000, &speed);
        kin_case_row(run, methods[i], "speed after 1000 steps of 2.5 rad (m/s)", speed, 1, differences ? 1e-11 : 1000 * 8 * 2.3e-16, "Boris 1970");
        for (int k = 0; k < 2; ++k) late[k] = turned(run, methods[i], 2 * KIN_PI / (50 << k), 50 << k, &speed);
        kin_case_row(run, methods[i], "order of the phase", kin_ln(late[0] / late[1]) / kin_ln(2), 2, 0.01, "Cayley: 2 atan(w h / 2)");
    }
}

void kin_case_charges(kin_case_run* run)
{
    repelled(run);
    circling(run);
    cyclotron(run, kin_v(0, 0, 0));
    cyclotron(run, kin_v(0.6, -0.8, 0));
}

/* ---- momentum and angular momentum, wherever forces come in pairs ----
 *
 * Symplectic Euler and velocity Verlet keep both exactly for forces along the line of each pair, damped ones too for the first; what is left is rounding: each step
 * rounds the momentum of each of n points by 1e-16 of its size, and its moment with it. */

enum { CROWD = 40 };

static void conserves(kin_case_run* run, const char* method, const char* kind, const void* field, bool springs)
{
    const int steps = 500;
    kin_particle_group groups[CROWD];
    kin_particle_spring links[3 * CROWD];
    for (int i = 0; i < CROWD; ++i) {
        kin_rng_key key = {.seed = 3, .serial = (uint64_t)i};
        groups[i] = kin_particle_group_default();
        groups[i].position = kin_v(1.3 * (i % 4) + kin_rng_uniform(&key, 0, 0, 0.1), 1.3 * (i / 4 % 4), 1.3 * (i / 16)); /* apart, or molecules would burst */
        groups[i].velocity = kin_rng_sphere(&key, 1, 0.5);
        groups[i].mass = kin_rng_uniform(&key, 2, 0.5, 3);
        groups[i].charge = kin_rng_uniform(&key, 3, -1, 1);
    }
    for (int i = 0; i < 3 * CROWD; ++i) {
        int a = i % CROWD, b = (a + 1 + 7 * (i / CROWD)) % CROWD;
        links[i] = (kin_particle_spring){.a = a, .b = b, .stiffness = 20, .damping = 0.3, .rest = -1};
    }
    kin_rig r = kin_rig_begin(run, method, 0.005);
    r.def.gravity = kin_v(0, 0, 0);
    r.particles.groups = groups;
    r.particles.group_count = CROWD;
    r.particles.springs.data = links;
    r.particles.springs.count = springs ? 3 * CROWD : 0;
    kin_rig_open(&r);
    if (field != NULL) kin_rig_field(&r, kind, field);
    kin_rig_create(&r);
    kin_vec3 momentum = kin_rig_momentum(&r), angular = kin_rig_angular(&r);
    double kinetic = kin_rig_measure(&r, "kinetic_energy"), size = kin_sqrt(2 * kinetic * kin_rig_measure(&r, "mass")); /* sum of m |v|, or more */
    kin_rig_steps(&r, steps);
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%s: change of momentum, relative", kind);
    kin_case_row(run, method, quantity, kin_distance(kin_rig_momentum(&r), momentum) / size, 0, steps * 4e-16, "Newton's third law; House & Keyser 6.1");
    snprintf(quantity, sizeof quantity, "%s: change of angular momentum, relative", kind);
    kin_case_row(run, method, quantity, kin_distance(kin_rig_angular(&r), angular) / (size * 5), 0, steps * 4e-16, "central forces"); /* 5 m across */
    kin_rig_close(&r);
}

void kin_case_momentum(kin_case_run* run)
{
    static const char* const methods[] = {"semi_implicit", "velocity_verlet"};
    kin_molecules_field lennard_jones = molecules(0.5, 1, 2.5);
    kin_charges_field charges;
    kin_attraction_field attraction;
    kin_field_default("charges", &charges);
    kin_field_default("attraction", &attraction);
    charges.charges = 1;
    charges.softening = 0.1;
    attraction.attraction = 0.3;
    attraction.softening = 0.05;
    attraction.method = KIN_ATTRACTION_DIRECT;
    for (int i = 0; i < 2; ++i) {
        if (i == 0) conserves(run, methods[i], "springs", NULL, true);
        conserves(run, methods[i], "molecules", &lennard_jones, false);
        conserves(run, methods[i], "charges", &charges, false);
        conserves(run, methods[i], "attraction", &attraction, false);
    }
}
