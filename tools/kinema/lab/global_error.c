/* global_error.c - how far off the end of an integration is, without the truth (House & Keyser 7.6).
 *
 * A method of order p that ends at y_h with steps of h errs by c h^p + O(h^(p+1)). From one more run with half the step
 *
 *     y_h - truth  =  (y_h - y_(h/2)) 2^p / (2^p - 1) + O(h^(p+1)),
 *
 * and a third with h / 4 gives the order that was met: p = log2(|y_h - y_(h/2)| / |y_(h/2) - y_(h/4)|). Adaptive methods bound the error of a step by a tolerance e; the sum over
 * the 1 / h steps then goes as e^(p/(p+1)). With the tolerance shared out over the interval by the steps' lengths it goes as e. */
#include "lab/integrators.h"
#include "lab/probe.h"
#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
static const double duration = 2; /* time units: a third of an orbit */

typedef struct case_of {
    const char* name;
    kin_lab_problem problem;
    double truth[KIN_LAB_SIZE];
} case_of;

static void make_cases(kin_arena* arena, case_of out[3])
{
    out[0] = (case_of){"decay", kin_lab_decay(), {exp(-duration)}};
    out[1] = (case_of){"spring", kin_lab_spring(1, 0), {cos(duration), -sin(duration)}};
    out[2] = (case_of){"orbit", kin_lab_orbit(0.2), {0}};
    kin_lab_run run = kin_lab_run_begin(kin_integrator_named("bulirsch_stoer"), &out[2].problem, duration, arena);
    run.settings.adaptive.absolute = run.settings.adaptive.relative = 1e-15;
    kin_lab_run_step(&run, duration);
    memcpy(out[2].truth, run.y, sizeof run.y);
}

static double apart(const double* a, const double* b, int size)
{
    double most = 0;
    for (int i = 0; i < size; ++i) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static bool end_of(const kin_integrator* row, case_of* of, int steps, kin_arena* arena, double out[KIN_LAB_SIZE])
{
    kin_lab_run run = kin_lab_run_whole(row, &of->problem, duration / steps, arena);
    for (int k = 0; k < steps; ++k) kin_lab_run_step(&run, duration / steps);
    memcpy(out, run.y, sizeof run.y);
    return !run.failed;
}

static void put_estimate(kin_lab_study* study, const kin_integrator* row, case_of* of)
{
    double y[3][KIN_LAB_SIZE];
    int steps = row->order > 8 ? 1 : row->order > 3 ? 16 : 128, size = of->problem.size;
    bool good = true;
    for (int k = 0; k < 3; ++k) good = end_of(row, of, steps << k, &study->arena, y[k]) && good;
    double wide = apart(y[0], y[1], size), narrow = apart(y[1], y[2], size), power = exp2(row->order);
    double estimate = wide * power / (power - 1), error = apart(y[0], of->truth, size);
    kin_lab_word(study, of->name);
    kin_lab_word(study, row->name);
    kin_lab_number(study, row->order);
    kin_lab_number(study, steps);
    kin_lab_number(study, good ? estimate : NAN);
    kin_lab_number(study, good ? error : NAN);
    kin_lab_number(study, good ? estimate / error : NAN);
    kin_lab_number(study, good ? log2(wide / narrow) : NAN);
}

static void by_halving(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"problem", "problem", NULL},        {"method", "method", NULL},       {"order", "order", "%.0f"},
                                             {"steps", "steps", "%.0f"},          {"estimate", "estimate", "%.3e"}, {"error", "error", "%.3e"},
                                             {"ratio", "estimate/error", "%.3f"}, {"measured", "order met", "%.2f"}};
    case_of cases[3];
    make_cases(&study->arena, cases);
    kin_lab_begin(
        study, "global_error",
        "Global error after 2 time units, estimated from runs with half and a quarter of the step, beside the true one. Where the estimate is round-off the "
        "order met says nothing.",
        columns, COUNT(columns));
    for (int c = 0; c < COUNT(cases); ++c) {
        for (int i = 0; i < kin_integrator_count(); ++i) {
            if (!kin_integrator_at(i)->adaptive) put_estimate(study, kin_integrator_at(i), &cases[c]);
        }
    }
}

static double error_by_tolerance(const kin_integrator* row, case_of* of, double tolerance, bool shared, kin_arena* arena)
{
    kin_lab_run run = kin_lab_run_begin(row, &of->problem, duration, arena);
    run.settings.adaptive.absolute = tolerance;
    run.settings.adaptive.relative = 0;
    run.settings.adaptive.global = shared;
    kin_lab_run_step(&run, duration);
    return run.failed ? NAN : apart(run.y, of->truth, of->problem.size);
}

/* Of log error over log tolerance, by least squares. */
static double slope(const double* error, const double* tolerance, int count)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; ++i) {
        double x = log(tolerance[i]), y = log(error[i]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static void by_tolerance(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"method", "method", NULL},
                                             {"order", "order", "%.0f"},
                                             {"step", "error, per step", "%.3e"},
                                             {"interval", "error, per interval", "%.3e"},
                                             {"step_power", "goes as tolerance^", "%.3f"},
                                             {"interval_power", "and^", "%.3f"}};
    enum { TOLERANCES = 9 };
    case_of cases[3];
    make_cases(&study->arena, cases);
    kin_lab_begin(study, "global_tolerance",
                  "Adaptive methods on the orbit: global error with a tolerance of 1e-7 for each step, and for the interval as a whole (tolerance_per); how it "
                  "goes with tolerances of 1e-5 to 1e-9",
                  columns, COUNT(columns));
    for (int i = 0; i < kin_integrator_count(); ++i) {
        const kin_integrator* row = kin_integrator_at(i);
        double error[2][TOLERANCES], tolerance[TOLERANCES];
        for (int k = 0; k < TOLERANCES && row->kind == KIN_INTEGRATOR_ADAPTIVE; ++k) {
            tolerance[k] = pow(10, -5 - 0.5 * k);
            for (int shared = 0; shared < 2; ++shared) error[shared][k] = error_by_tolerance(row, &cases[2], tolerance[k], shared, &study->arena);
        }
        if (row->kind != KIN_INTEGRATOR_ADAPTIVE) continue;
        kin_lab_word(study, row->name);
        kin_lab_number(study, row->order);
        for (int shared = 0; shared < 2; ++shared) kin_lab_number(study, error[shared][TOLERANCES / 2]);
        for (int shared = 0; shared < 2; ++shared) kin_lab_number(study, slope(error[shared], tolerance, TOLERANCES));
    }
}

void kin_lab_global_errors(kin_lab_study* study)
{
    by_halving(study);
    by_tolerance(study);
}
