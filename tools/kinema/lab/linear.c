/* linear.c - tables of problems whose step is a matrix: decays, springs, the stiff line. */
#include "lab/integrators.h"
#include "lab/probe.h"
#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define EACH_ROW(row)                                                                                                                                          \
    for (int row##_i = 0; row##_i < kin_integrator_count(); ++row##_i)                                                                                         \
        for (const kin_integrator* row = kin_integrator_at(row##_i); row != NULL && kin_lab_has_step(row); row = NULL)

static const double pi = 3.14159265358979323846;

/* ---- limits ---- */

void kin_lab_limits(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {
        {"method", "method", NULL}, {"decay", "decay h/T", "%.5f"},         {"overshoot", "no overshoot h/T", "%.5f"}, {"oscillator", "oscillator w h", "%.6f"},
        {"periods", "P/h", "%.4f"}, {"damped_0_1", "zeta 0.1 w h", "%.5f"}, {"damped_0_5", "zeta 0.5 w h", "%.5f"},    {"damped_1", "zeta 1 w h", "%.5f"}};
    static const double zetas[] = {0.1, 0.5, 1};
    kin_lab_begin(study, "limits",
                  "Longest stable steps, by bisection: decay x' = -x/T, oscillator x'' = -w^2 x, damped x'' = -w^2 x - 2 zeta w v. 0: grows at any step; "
                  "none: stable at any.",
                  columns, COUNT(columns));
    kin_lab_problem decay = kin_lab_decay(), spring = kin_lab_spring(1, 0);
    EACH_ROW(row)
    {
        double limit = kin_lab_limit(row, &spring, 1, &study->arena);
        kin_lab_word(study, row->name);
        kin_lab_number(study, kin_lab_limit(row, &decay, 1, &study->arena));
        kin_lab_number(study, kin_lab_sign_limit(row, &decay, 1, &study->arena));
        kin_lab_number(study, limit);
        kin_lab_number(study, limit > 0 && isfinite(limit) ? 2 * pi / limit : limit > 0 ? INFINITY : NAN);
        for (int k = 0; k < COUNT(zetas); ++k) {
            kin_lab_problem damped = kin_lab_spring(1, 2 * zetas[k]);
            kin_lab_number(study, kin_lab_limit(row, &damped, 1, &study->arena));
        }
    }
}

/* ---- gains ---- */

static void decay_gains(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {
        {"method", "method", NULL}, {"h_2", "h = 2T", "%.6f"}, {"h_1", "T", "%.6f"}, {"h_1_2", "T/2", "%.6f"}, {"h_1_4", "T/4", "%.6f"}};
    static const double h[] = {2, 1, 0.5, 0.25};
    kin_lab_begin(study, "decay_gains", "What one step makes of x = 1 on x' = -x/T (House, Keyser Fig 7.1)", columns, COUNT(columns));
    kin_lab_problem decay = kin_lab_decay();
    EACH_ROW(row)
    {
        kin_lab_word(study, row->name);
        for (int k = 0; k < COUNT(h); ++k) kin_lab_number(study, kin_lab_map_of(row, &decay, h[k], &study->arena).m[0]);
    }
    kin_lab_word(study, "exact");
    for (int k = 0; k < COUNT(h); ++k) kin_lab_number(study, exp(-h[k]));
}

static void spring_gains(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {
        {"method", "method", NULL}, {"p_2", "h = P/2", "%.6f"}, {"p_4", "P/4", "%.6f"}, {"p_16", "P/16", "%.6f"}, {"p_128", "P/128", "%.9f"}};
    static const double parts[] = {2, 4, 16, 128};
    kin_lab_begin(study, "oscillator_gains", "Growth of an oscillation in one step in the long run, the largest |eigenvalue| (House, Keyser Fig 7.2)", columns,
                  COUNT(columns));
    kin_lab_problem spring = kin_lab_spring(1, 0);
    EACH_ROW(row)
    {
        kin_lab_word(study, row->name);
        for (int k = 0; k < COUNT(parts); ++k) {
            kin_lab_map map = kin_lab_map_of(row, &spring, 2 * pi / parts[k], &study->arena);
            kin_lab_number(study, kin_lab_radius(&map));
        }
    }
}

void kin_lab_gains(kin_lab_study* study)
{
    decay_gains(study);
    spring_gains(study);
}

/* ---- Table D ---- */

enum { GROWTH_COLUMNS = 6, GROWTH_STEPS = 250000 };
static const kin_lab_column growth_columns[] = {{"method", "method", NULL}, {"p_8", "h = P/8", "%.0f"}, {"p_16", "P/16", "%.0f"},  {"p_32", "P/32", "%.0f"},
                                                {"p_64", "P/64", "%.0f"},   {"p_128", "P/128", "%.0f"}, {"p_256", "P/256", "%.0f"}};

/* Steps until the determinant's power is 1.01 or 1/1.01. */
static double steps_by_determinant(double determinant)
{
    double rate = fabs(log(determinant));
    return rate > 1e-13 ? ceil(log(1.01) / rate) : INFINITY;
}

static double steps_by_amplitude(const kin_integrator* row, double h, kin_arena* arena)
{
    kin_lab_problem spring = kin_lab_spring(1, 0);
    kin_lab_run run = kin_lab_run_whole(row, &spring, h, arena);
    const double limit = 1.01 * 1.01;
    for (int k = 1; k <= GROWTH_STEPS && !run.failed; ++k) {
        kin_lab_run_step(&run, h);
        double size = run.y[0] * run.y[0] + run.y[1] * run.y[1];
        if (size >= limit || size <= 1 / limit) return k;
    }
    return INFINITY;
}

void kin_lab_growth(kin_lab_study* study)
{
    kin_lab_problem spring = kin_lab_spring(1, 0);
    bool turns;
    kin_lab_begin(study, "growth_determinant",
                  "Steps until the area of a patch of states, which is the amplitude squared, grew or shrank by 1 % (House, Keyser 7.5.3, the implicit row of "
                  "7.7.4 corrected)",
                  growth_columns, COUNT(growth_columns));
    EACH_ROW(row)
    {
        kin_lab_word(study, row->name);
        for (int k = 0; k < GROWTH_COLUMNS; ++k)
            kin_lab_number(study, steps_by_determinant(kin_lab_determinant(row, &spring, 2 * pi / (8 << k), &study->arena, &turns)));
    }
    kin_lab_begin(study, "growth_amplitude",
                  "Steps until the measured amplitude did, of methods whose step turns and scales; -: it does more; none: not in 250000", growth_columns,
                  COUNT(growth_columns));
    EACH_ROW(row)
    {
        kin_lab_word(study, row->name);
        for (int k = 0; k < GROWTH_COLUMNS; ++k) {
            double h = 2 * pi / (8 << k), determinant = kin_lab_determinant(row, &spring, h, &study->arena, &turns);
            bool soon = 2 * steps_by_determinant(determinant) <= GROWTH_STEPS; /* who cannot get there need not run */
            kin_lab_number(study, !turns ? NAN : soon ? steps_by_amplitude(row, h, &study->arena) : INFINITY);
        }
    }
}

/* ---- Table 7.1 ---- */

/* True when x stays within `off` of the truth for `time`. */
static bool follows(const kin_integrator* row, kin_lab_problem* problem, double h, double time, double off, double (*truth)(double), kin_arena* arena)
{
    kin_lab_run run = kin_lab_run_whole(row, problem, h, arena);
    for (int k = 1; k * h <= time * (1 + 1e-9); ++k) {
        kin_lab_run_step(&run, h);
        if (run.failed || !(fabs(run.y[0] - truth(k * h)) <= off)) return false;
    }
    return true;
}

static double falling_off(double t) { return exp(-t); }

/* The longest of begin, begin/2, ... that follows. */
static double fine_step(const kin_integrator* row, kin_lab_problem* problem, double begin, int halvings, double time, double off, double (*truth)(double),
                        kin_arena* arena)
{
    for (int k = 0; k <= halvings; ++k, begin *= 0.5) {
        if (follows(row, problem, begin, time, off, truth, arena)) return begin;
    }
    return NAN;
}

static void add_cost(kin_lab_study* study, const kin_integrator* row, kin_lab_problem* problem, double h, double unit)
{
    bool real = h > 0 && isfinite(h);
    kin_lab_number(study, h > 0 ? h / unit : NAN);
    kin_lab_number(study, real ? kin_lab_evaluations(row, problem, h, &study->arena) * unit / h : NAN);
}

void kin_lab_costs(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"method", "method", NULL},
                                             {"decay_stable_h", "decay stable h/T", "%.4g"},
                                             {"decay_stable_evaluations", "evals/T", "%.3g"},
                                             {"decay_fine_h", "fine h/T", "%.4g"},
                                             {"decay_fine_evaluations", "evals/T", "%.3g"},
                                             {"oscillator_stable_h", "oscillator stable h/P", "%.4g"},
                                             {"oscillator_stable_evaluations", "evals/P", "%.3g"},
                                             {"oscillator_fine_h", "fine h/P", "%.4g"},
                                             {"oscillator_fine_evaluations", "evals/P", "%.3g"}};
    kin_lab_begin(study, "costs",
                  "Derivatives per T and per P: at the longest stable step, and at the longest of 4T, 2T, T, ... (P/2, P/4, ... P/1024) that follows: decay "
                  "within 10 % of its start for 5T, oscillator within 2 % for 4P (House, Keyser Table 7.1). -: no such step; none: no limit.",
                  columns, COUNT(columns));
    kin_lab_problem decay = kin_lab_decay(), spring = kin_lab_spring(1, 0);
    EACH_ROW(row)
    {
        kin_lab_word(study, row->name);
        add_cost(study, row, &decay, kin_lab_limit(row, &decay, 1, &study->arena), 1);
        add_cost(study, row, &decay, fine_step(row, &decay, 4, 12, 5, 0.1, falling_off, &study->arena), 1);
        add_cost(study, row, &spring, kin_lab_limit(row, &spring, 1, &study->arena), 2 * pi);
        add_cost(study, row, &spring, fine_step(row, &spring, pi, 9, 8 * pi, 0.02, cos, &study->arena), 2 * pi);
    }
}

/* ---- damping that makes Euler stable ---- */

void kin_lab_damping(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {
        {"damping", "d/w", "%g"}, {"zeta", "zeta", "%g"}, {"euler", "Euler w h", "%.6f"}, {"formula", "formula", "%.6f"}, {"kind", "which", NULL}};
    static const double dampings[] = {0.05, 0.1, 0.2, 0.5, 1, 1.5, 2, 2.5, 4, 8, 16};
    kin_lab_begin(
        study, "damping",
        "Longest stable Euler step on x'' = -w^2 x - d v: h = d/w^2 while it swings, 2 over the faster rate beyond; most at d = 2w (House, Keyser 7.5.5)",
        columns, COUNT(columns));
    const kin_integrator* euler = kin_integrator_named("euler");
    for (int k = 0; k < COUNT(dampings); ++k) {
        double d = dampings[k];
        kin_lab_problem spring = kin_lab_spring(1, d);
        bool swings = d < 2;
        kin_lab_number(study, d);
        kin_lab_number(study, 0.5 * d);
        kin_lab_number(study, kin_lab_limit(euler, &spring, 1, &study->arena));
        kin_lab_number(study, swings ? d : 2 / (0.5 * d + sqrt(0.25 * d * d - 1)));
        kin_lab_word(study, swings ? "d/w^2" : "2/rate");
    }
}

/* ---- the stiff line ---- */

static double along_after(const char* name, double stiffness, double h, int steps, kin_arena* arena)
{
    kin_lab_problem line = kin_lab_line(stiffness);
    kin_lab_run run = kin_lab_run_whole(kin_integrator_named(name), &line, h, arena);
    for (int k = 0; k < steps; ++k) kin_lab_run_step(&run, h);
    return run.failed ? NAN : run.y[0];
}

void kin_lab_stiff_line(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"stiffness", "k (1/s)", "%.0e"},
                                             {"euler_h", "Euler h (s)", "%.6g"},
                                             {"rk4_h", "RK4 h (s)", "%.6g"},
                                             {"euler_steps", "Euler steps for 1 s", "%.0f"},
                                             {"euler_moved", "moved, 60 Euler", "%.2e"},
                                             {"implicit_moved", "moved, 60 implicit", "%.6f"},
                                             {"implicit_h", "implicit h limit", "%g"}};
    kin_lab_begin(study, "stiff_line",
                  "A particle slides along a line, x' = -x from 1, and a penalty k holds it there, y' = -k y. Steps that explicit methods can take, how "
                  "far 60 of them go, and how far 60 implicit Euler steps of 1/60 s go; the truth at 1 s is 0.632121.",
                  columns, COUNT(columns));
    const kin_integrator *euler = kin_integrator_named("euler"), *rk4 = kin_integrator_named("rk4"), *implicit = kin_integrator_named("implicit_euler");
    for (double k = 10; k < 2e8; k *= 10) {
        kin_lab_problem line = kin_lab_line(k);
        double h = kin_lab_limit(euler, &line, 1 / k, &study->arena);
        kin_lab_number(study, k);
        kin_lab_number(study, h);
        kin_lab_number(study, kin_lab_limit(rk4, &line, 1 / k, &study->arena));
        kin_lab_number(study, ceil(1 / h * (1 - 1e-9)));
        kin_lab_number(study, 1 - along_after("euler", k, h, 60, &study->arena));
        kin_lab_number(study, 1 - along_after("implicit_euler", k, 1.0 / 60, 60, &study->arena));
        kin_lab_number(study, kin_lab_limit(implicit, &line, 1 / k, &study->arena));
    }
}

/* ---- energy of a spring ---- */

static double energy_after(const kin_integrator* row, double h, double time, kin_arena* arena)
{
    kin_lab_problem spring = kin_lab_spring(1, 0);
    kin_lab_run run = kin_lab_run_whole(row, &spring, h, arena);
    for (int k = 0; k < (int)(time / h + 0.5); ++k) kin_lab_run_step(&run, h);
    return run.failed ? INFINITY : run.y[0] * run.y[0] + run.y[1] * run.y[1];
}

void kin_lab_spring_energy(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"method", "method", NULL}, {"h_0_2", "h = 0.2/w", "%.6g"}, {"h_1", "h = 1/w", "%.6g"}};
    kin_lab_begin(study, "spring_energy", "Energy of an undamped spring after 20/w, of what it had; Euler's is (1 + (w h)^2)^n", columns, COUNT(columns));
    EACH_ROW(row)
    {
        kin_lab_word(study, row->name);
        kin_lab_number(study, energy_after(row, 0.2, 20, &study->arena));
        kin_lab_number(study, energy_after(row, 1, 20, &study->arena));
    }
}
