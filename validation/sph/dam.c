/* dam.c - a column of water, twice as high as wide, falls over a dry floor: where its front is, against Martin & Moyce 1952, and by all solvers.
 *
 * The front is the foremost particle's centre and half a spacing, measured from the back wall, over the column's width a; time is t sqrt(2 g / a). The experiment's
 * clock does not start where ours does: its diaphragm takes time to go, and for a while holds the water up. So positions are compared after one shift of time, the
 * same for all points, which is a row of its own and must be a delay, of at most 0.5 (the free front has moved by a fifth of a by then); the speed
 * of the front in mid flight needs no shift. Scatter: reading the figure, 2 to 3 % of each point; two columns of different size (a = 1.125 and 2.25 in) differ
 * by 4 %, the experiment of Koshizuka & Oka 1996 by 5 %. */
#include "math/vec3.h"
#include "validation/sph/rig.h"
#include <math.h>
#include <stdio.h>

static const double A = 0.05715, G = 9.81; /* m: 2.25 in */

enum { POINTS = 6, SAMPLES = 200 };
static const double MEASURED[POINTS][2] = {{0.832, 1.217}, {1.219, 1.474}, {1.997, 2.292}, {2.547, 2.995}, {3.345, 4.134}, {4.034, 4.944}};

/* Front over time, both without units. */
typedef struct front {
    double t[SAMPLES], z[SAMPLES];
    int count;
} front;

static double at_time(const front* f, double time)
{
    for (int i = 1; i < f->count; ++i) {
        if (f->t[i] >= time) return f->z[i - 1] + (f->z[i] - f->z[i - 1]) * (time - f->t[i - 1]) / (f->t[i] - f->t[i - 1]);
    }
    return NAN;
}

static double time_at(const front* f, double z)
{
    for (int i = 1; i < f->count; ++i) {
        if (f->z[i] >= z) return f->t[i - 1] + (f->t[i] - f->t[i - 1]) * (z - f->z[i - 1]) / (f->z[i] - f->z[i - 1]);
    }
    return NAN;
}

static front run_dam(kin_case_run* run, kin_sph_solver solver, int across, double until)
{
    const double spacing = A / across, unit = kin_sqrt(A / (2 * G));
    front f = {.z = {1}, .count = 1};
    kin_tank t = kin_tank_begin(run, solver, spacing, unit * 4.2 / SAMPLES);
    t.sph.flat = true;
    t.phases[0].viscosity = 1e-3;
    kin_tank_open(&t);
    kin_tank_plane(&t, kin_v(0, 0, 0), kin_v(0, 1, 0));
    kin_tank_plane(&t, kin_v(0, 0, 0), kin_v(1, 0, 0));
    kin_tank_fill(&t, kin_v(0, 0, 0), kin_v(A, 2 * A, 0));
    kin_tank_create(&t);
    while (kin_tank_ok(&t) && f.count < SAMPLES && f.t[f.count - 1] < until) {
        kin_tank_step(&t);
        f.t[f.count] = kin_tank_ok(&t) ? kin_world_time(t.world) / unit : NAN;
        f.z[f.count] = (kin_tank_sums_of(&t).box.high.x + 0.5 * spacing) / A;
        ++f.count;
    }
    kin_tank_close(&t);
    return f;
}

/* Root of the mean square of (ours - theirs) / theirs, theirs being `delay` later. */
static double distance(const front* f, double delay)
{
    double sum = 0;
    for (int i = 0; i < POINTS; ++i) {
        if (MEASURED[i][0] - delay < 0) return INFINITY;
        sum += kin_square(at_time(f, MEASURED[i][0] - delay) / MEASURED[i][1] - 1);
    }
    return kin_sqrt(sum / POINTS);
}

static double best_delay(const front* f)
{
    double best = 0;
    for (double delay = -0.8; delay <= 0.8; delay += 0.01) {
        if (distance(f, delay) < distance(f, best)) best = delay;
    }
    return best;
}

void kin_case_sph_dam(kin_case_run* run)
{
    const int across[2][3] = {{10, 20, 40}, {20, 40, 80}};
    const double speed = (4.134 - 2.292) / (3.345 - 1.997);
    const double scatter = 0.03 * kin_sqrt(2.292 * 2.292 + 4.134 * 4.134) / (4.134 - 2.292); /* of that speed, from reading two points */
    for (int i = 0; i < 3; ++i) {
        char method[32];
        front f = run_dam(run, KIN_SPH_DFSPH, across[run->full][i], 4.15);
        double delay = best_delay(&f);
        snprintf(method, sizeof method, "dfsph, %d across", across[run->full][i]);
        kin_case_row(run, method, "front after the gate's delay, rms of z / z_measured - 1", distance(&f, delay), 0, 0.05, "Martin & Moyce 1952; scatter");
        kin_case_row(run, method, "the gate's delay, sqrt(a / 2g)", delay, 0.25, 0.25, "0 to 0.5: the diaphragm goes");
        kin_case_row(run, method, "speed of the front from z = 2.3 a to 4.1 a, sqrt(2 g a)", (4.134 - 2.292) / (time_at(&f, 4.134) - time_at(&f, 2.292)), speed,
                     scatter * speed, "Martin & Moyce 1952; reading error");
    }
}

void kin_case_sph_dam_solvers(kin_case_run* run)
{
    const int across = run->full ? 40 : 16;
    const double times[] = {1.5, 2.5};
    front reference = run_dam(run, KIN_SPH_DFSPH, across, 2.55);
    for (int i = 0; i < 5; ++i) {
        if (kin_tank_solvers[i] == KIN_SPH_DFSPH) continue;
        front f = run_dam(run, kin_tank_solvers[i], across, 2.55);
        for (int k = 0; k < 2; ++k) {
            char text[64];
            snprintf(text, sizeof text, "front at %g sqrt(a / 2g), of that by dfsph", times[k]);
            kin_case_row(run, kin_tank_solver_name(kin_tank_solvers[i]), text, at_time(&f, times[k]) / at_time(&reference, times[k]), 1, 0.03, "cross-check");
        }
    }
}
