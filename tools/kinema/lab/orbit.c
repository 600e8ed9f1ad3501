/* orbit.c - tables that no matrix gives: orders by regression, free fall, Kepler's problem by steps and by tolerances. */
#include "lab/integrators.h"
#include "lab/probe.h"
#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double pi = 3.14159265358979323846;

/* ---- orders ---- */

/* How far off an orbit is after 2 time units, a third of it. */
static double short_error(const kin_integrator* row, int steps, const double* truth, kin_arena* arena)
{
    kin_lab_problem orbit = kin_lab_orbit(0.2);
    kin_lab_run run = kin_lab_run_whole(row, &orbit, 2.0 / steps, arena);
    for (int k = 0; k < steps; ++k) kin_lab_run_step(&run, 2.0 / steps);
    double most = 0;
    for (int i = 0; i < 4; ++i) most = fmax(most, fabs(run.y[i] - truth[i]));
    return run.failed ? NAN : most;
}

/* The slope of log error over log h, least squares over the runs that are off by more than round-off. Of order 12 only long steps are: ahead of their slope. */
static double measured_order(const kin_integrator* row, const double* truth, kin_arena* arena)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, count = 0;
    int first = row->order > 8 ? 2 : row->order > 3 ? 64 : 128;
    for (int k = 0; k < 4; ++k) {
        int steps = row->order > 8 ? first + k : first << k;
        double x = log(2.0 / steps), error = short_error(row, steps, truth, arena), y = log(error);
        if (!(error > 1e-13)) continue;
        sx += x, sy += y, sxx += x * x, sxy += x * y, count += 1;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

void kin_lab_methods(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"method", "method", NULL},
                                             {"title", "title", NULL},
                                             {"order", "order", "%.0f"},
                                             {"measured", "measured", "%.3f"},
                                             {"evaluations", "derivatives a step", "%.3g"}};
    kin_lab_begin(study, "methods", "The methods: order as stated, as measured by regression on an orbit, and derivatives a step there", columns,
                  COUNT(columns));
    kin_lab_problem orbit = kin_lab_orbit(0.2);
    kin_lab_run truth = kin_lab_run_begin(kin_integrator_named("bulirsch_stoer"), &orbit, 2, &study->arena);
    truth.settings.adaptive.absolute = truth.settings.adaptive.relative = 1e-15;
    kin_lab_run_step(&truth, 2);
    for (int i = 0; i < kin_integrator_count(); ++i) {
        const kin_integrator* row = kin_integrator_at(i);
        kin_lab_word(study, row->name);
        kin_lab_word(study, row->title);
        kin_lab_number(study, row->order);
        kin_lab_number(study, measured_order(row, truth.y, &study->arena));
        kin_lab_number(study, kin_lab_evaluations(row, &orbit, 0.05, &study->arena));
    }
}

/* ---- free fall ---- */

/* Times g k h^2 / 2: old velocities are too slow, new ones too fast, all else is exact for a parabola. */
static double fall_share(const kin_integrator* row)
{
    if (row->order > 1 || strcmp(row->name, "average") == 0) return 0;
    return strcmp(row->name, "euler") == 0 ? 1 : -1;
}

void kin_lab_fall_errors(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"method", "method", NULL}, {"error", "too high by (m)", "%.6g"}, {"formula", "formula", "%.6g"}};
    enum { STEPS = 60 };
    const double g = 9.81, h = 1.0 / STEPS;
    kin_lab_begin(study, "free_fall", "Free fall for 1 s in 60 steps: Euler is g k h^2 / 2 too high, who takes the new velocity as much too low", columns,
                  COUNT(columns));
    for (int i = 0; i < kin_integrator_count(); ++i) {
        const kin_integrator* row = kin_integrator_at(i);
        kin_lab_problem fall = kin_lab_fall(g);
        kin_lab_run run = kin_lab_run_begin(row, &fall, h, &study->arena);
        for (int k = 0; k < STEPS; ++k) kin_lab_run_step(&run, h);
        double error = run.y[0] + 0.5 * g;
        kin_lab_word(study, row->name);
        kin_lab_number(study, fabs(error) < 1e-12 ? 0 : error);
        kin_lab_number(study, fall_share(row) * 0.5 * g * STEPS * h * h);
    }
}

/* ---- orbits ---- */

typedef struct journey {
    double drift, off, evaluations, steps, undone; /* of the energy, at most; of the place, at the end; per orbit */
} journey;

enum { ORBITS = 10 };

static journey travel(kin_lab_run* run, int steps_an_orbit)
{
    double h = 2 * pi / steps_an_orbit, drift = 0;
    for (int k = 0; k < ORBITS * steps_an_orbit; ++k) {
        kin_lab_run_step(run, h);
        drift = fmax(drift, fabs(kin_lab_orbit_energy(run->y) + 0.5) / 0.5);
    }
    double off = hypot(run->y[0] - run->problem->start[0], run->y[1] - run->problem->start[1]);
    if (run->failed) return (journey){NAN, NAN, NAN, NAN, NAN};
    return (journey){drift, off, (double)run->problem->evaluations / ORBITS, (double)run->steps / ORBITS, (double)run->undone / ORBITS};
}

static void orbits_by_steps(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"method", "method", NULL},
                                             {"steps", "steps/orbit", "%.0f"},
                                             {"drift", "energy off", "%.2e"},
                                             {"off", "place off", "%.2e"},
                                             {"evaluations", "derivatives/orbit", "%.0f"}};
    static const int counts[] = {64, 256, 1024, 4096};
    kin_lab_begin(study, "kepler_steps",
                  "Kepler's problem, e = 0.6, ten orbits: energy at its worst (of what it is), place at the end (of half the long axis). "
                  "-: it spiralled into the sun, where Newton finds no root.",
                  columns, COUNT(columns));
    for (int i = 0; i < kin_integrator_count(); ++i) {
        const kin_integrator* row = kin_integrator_at(i);
        for (int k = 0; k < COUNT(counts) && !row->adaptive; ++k) {
            kin_lab_problem orbit = kin_lab_orbit(0.6);
            kin_lab_run run = kin_lab_run_begin(row, &orbit, 2 * pi / counts[k], &study->arena);
            journey j = travel(&run, counts[k]);
            kin_lab_word(study, row->name);
            kin_lab_number(study, counts[k]);
            kin_lab_number(study, j.drift);
            kin_lab_number(study, j.off);
            kin_lab_number(study, j.evaluations);
        }
    }
}

static void orbits_by_tolerance(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"method", "method", NULL},
                                             {"tolerance", "tolerance", "%.0e"},
                                             {"steps", "steps/orbit", "%.1f"},
                                             {"undone", "undone", "%.1f"},
                                             {"drift", "energy off", "%.2e"},
                                             {"off", "place off", "%.2e"},
                                             {"evaluations", "derivatives/orbit", "%.0f"}};
    kin_lab_begin(study, "kepler_tolerances", "The same by adaptive methods, asked for four places an orbit", columns, COUNT(columns));
    for (int i = 0; i < kin_integrator_count(); ++i) {
        const kin_integrator* row = kin_integrator_at(i);
        for (int digits = 4; digits <= 12 && row->adaptive; digits += 2) {
            kin_lab_problem orbit = kin_lab_orbit(0.6);
            kin_lab_run run = kin_lab_run_begin(row, &orbit, 0.5 * pi, &study->arena);
            run.settings.adaptive.absolute = run.settings.adaptive.relative = pow(10, -digits);
            journey j = travel(&run, 4);
            kin_lab_word(study, row->name);
            kin_lab_number(study, pow(10, -digits));
            kin_lab_number(study, j.steps);
            kin_lab_number(study, j.undone);
            kin_lab_number(study, j.drift);
            kin_lab_number(study, j.off);
            kin_lab_number(study, j.evaluations);
        }
    }
}

void kin_lab_orbits(kin_lab_study* study)
{
    orbits_by_steps(study);
    orbits_by_tolerance(study);
}
