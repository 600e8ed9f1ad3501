/* probe.c - problems, runs, and the map of a step. Growth is not judged by watching long runs: eigenvalues tell it, or where there are more than two the map
 * is squared again and again, to nearly all digits, also where it is 1 or next to it. */
#include "lab/probe.h"
#include <math.h>
#include <string.h>

/* ---- problems ---- */

kin_lab_problem kin_lab_decay(void) { return (kin_lab_problem){.size = 1, .a = {-1}, .start = {1}}; }

kin_lab_problem kin_lab_spring(double rate, double damping) { return (kin_lab_problem){.size = 2, .pairs = 1, .a = {0, 1, -rate, -damping}, .start = {1, 0}}; }

kin_lab_problem kin_lab_fall(double gravity) { return (kin_lab_problem){.size = 2, .pairs = 1, .a = {0, 1, 0, 0}, .b = {0, -gravity}}; }

kin_lab_problem kin_lab_line(double stiffness) { return (kin_lab_problem){.size = 2, .a = {-1, 0, 0, -stiffness}, .start = {1, 0.01}}; }

kin_lab_problem kin_lab_orbit(double eccentricity)
{
    double e = eccentricity;
    return (kin_lab_problem){.size = 4, .pairs = 2, .orbit = true, .start = {1 - e, 0, 0, sqrt((1 + e) / (1 - e))}};
}

double kin_lab_orbit_energy(const double* y) { return 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1 / hypot(y[0], y[1]); }

static void derivative(void* context, double t, const double* y, double* dydt)
{
    kin_lab_problem* p = context;
    (void)t;
    ++p->evaluations;
    if (p->orbit) {
        double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
        memcpy(dydt, (double[4]){y[2], y[3], -y[0] / r3, -y[1] / r3}, 4 * sizeof *dydt);
        return;
    }
    for (int i = 0; i < p->size; ++i) {
        dydt[i] = p->b[i];
        for (int k = 0; k < p->size; ++k) dydt[i] += p->a[i * p->size + k] * y[k];
    }
}

static void jacobian(void* context, double t, const double* y, double* j)
{
    const kin_lab_problem* p = context;
    (void)t;
    memcpy(j, p->a, (size_t)(p->size * p->size) * sizeof *j);
    if (!p->orbit) return;
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2), r5 = r3 * r2;
    j[2] = j[7] = 1;
    j[8] = 3 * y[0] * y[0] / r5 - 1 / r3;
    j[9] = j[12] = 3 * y[0] * y[1] / r5;
    j[13] = 3 * y[1] * y[1] / r5 - 1 / r3;
}

kin_ode kin_lab_ode(kin_lab_problem* problem)
{
    return (kin_ode){.size = problem->size, .pairs = problem->pairs, .context = problem, .derivative = derivative, .jacobian = jacobian};
}

/* ---- runs ---- */

static void make_pairs(kin_lab_run* run, double h)
{
    const kin_ode_method* method = run->row->kind == KIN_INTEGRATOR_FIXED ? kin_ode_method_named(KIN_SIMD_NONE, run->row->method) : NULL;
    if (method == NULL || method->restart == NULL) return;
    kin_ode ode = kin_lab_ode(run->problem);
    double dydt[KIN_LAB_SIZE];
    ode.derivative(ode.context, run->t, run->y, dydt);
    method->restart(&ode, run->pairs, 0, ode.pairs, h, run->y, dydt);
}

kin_lab_run kin_lab_run_begin(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena)
{
    kin_lab_run run = {.row = row, .settings = kin_integrator_settings_default(), .problem = problem, .arena = arena};
    memcpy(run.y, problem->start, sizeof run.y);
    make_pairs(&run, h);
    problem->evaluations = 0;
    return run;
}

kin_lab_run kin_lab_run_whole(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena)
{
    kin_lab_run run = kin_lab_run_begin(row, problem, h, arena);
    run.settings.adaptive.absolute = 1e200;
    run.memory.h = fabs(h);
    return run;
}

void kin_lab_run_step(kin_lab_run* run, double h)
{
    if (run->failed) return;
    kin_ode ode = kin_lab_ode(run->problem);
    double dydt[KIN_LAB_SIZE], next[KIN_LAB_SIZE];
    ode.derivative(ode.context, run->t, run->y, dydt);
    kin_integrator_report report =
        kin_integrator_advance(run->row, KIN_SIMD_NONE, &run->settings, &ode, run->t, h, run->pairs, &run->memory, run->y, dydt, next, run->arena);
    run->failed = report.result != KIN_OK;
    if (run->failed) return;
    memcpy(run->y, next, (size_t)ode.size * sizeof *next);
    run->t += h;
    run->steps += report.steps;
    run->undone += report.undone;
}

bool kin_lab_has_step(const kin_integrator* row) { return row->kind != KIN_INTEGRATOR_ADAPTIVE; }

double kin_lab_evaluations(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena)
{
    kin_lab_run run = kin_lab_run_whole(row, problem, h, arena);
    for (int k = 0; k < 4; ++k) kin_lab_run_step(&run, h);
    return (double)problem->evaluations / 4;
}

/* ---- the map of a step ---- */

kin_lab_map kin_lab_map_of(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena)
{
    bool remembers = row->kind == KIN_INTEGRATOR_FIXED && kin_ode_method_named(KIN_SIMD_NONE, row->method)->restart != NULL;
    kin_lab_map map = {.order = problem->size + (remembers ? problem->pairs : 0)};
    for (int k = 0; k < map.order; ++k) {
        kin_lab_run run = kin_lab_run_whole(row, problem, h, arena);
        memset(run.y, 0, sizeof run.y);
        memset(run.pairs, 0, sizeof run.pairs);
        *(k < problem->size ? &run.y[k] : &run.pairs[k - problem->size]) = 1;
        kin_lab_run_step(&run, h);
        for (int i = 0; i < map.order; ++i) map.m[i * map.order + k] = run.failed ? INFINITY : i < problem->size ? run.y[i] : run.pairs[i - problem->size];
    }
    return map;
}

static double largest(int count, const double* m)
{
    double most = 0;
    for (int i = 0; i < count; ++i) most = !(fabs(m[i]) <= most) ? fabs(m[i]) : most;
    return most;
}

static void square(int n, const double* m, double* out)
{
    for (int i = 0; i < n * n; ++i) {
        out[i] = 0;
        for (int k = 0; k < n; ++k) out[i] += m[i / n * n + k] * m[k * n + i % n];
    }
}

static double radius_of_two(const double* m)
{
    double half = 0.5 * (m[0] + m[3]), determinant = m[0] * m[3] - m[1] * m[2], square_root_of = 0.25 * (m[0] - m[3]) * (m[0] - m[3]) + m[1] * m[2];
    double radius = square_root_of < 0 ? sqrt(fabs(determinant)) : fabs(half) + sqrt(square_root_of);
    return isfinite(radius) ? radius : INFINITY;
}

/* |M^(2^k)|^(1/2^k), the size taken out at every squaring. */
static double radius_by_squaring(const kin_lab_map* map)
{
    enum { SQUARINGS = 44 };
    int n = map->order;
    double m[4 * KIN_LAB_SIZE * KIN_LAB_SIZE], next[4 * KIN_LAB_SIZE * KIN_LAB_SIZE], power = 1, log_size = 0;
    memcpy(m, map->m, (size_t)(n * n) * sizeof *m);
    for (int k = 0; k <= SQUARINGS; ++k, power *= 0.5) {
        double size = largest(n * n, m);
        if (!(size > 0) || !isfinite(size)) return size > 0 ? INFINITY : 0;
        log_size += power * log(size);
        for (int i = 0; i < n * n; ++i) m[i] /= size;
        square(n, m, next);
        memcpy(m, next, (size_t)(n * n) * sizeof *m);
    }
    return exp(log_size);
}

double kin_lab_radius(const kin_lab_map* map) { return map->order == 1 ? fabs(map->m[0]) : map->order == 2 ? radius_of_two(map->m) : radius_by_squaring(map); }

double kin_lab_determinant(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena, bool* turns)
{
    double m[2][2];
    for (int k = 0; k < 2; ++k) {
        kin_lab_problem from = *problem;
        memcpy(from.start, (double[KIN_LAB_SIZE]){k == 0, k == 1}, sizeof from.start);
        kin_lab_run run = kin_lab_run_whole(row, &from, h, arena); /* memory as for a first step */
        kin_lab_run_step(&run, h);
        m[0][k] = run.y[0];
        m[1][k] = run.y[1];
    }
    *turns = fabs(m[0][0] - m[1][1]) < 1e-12 && fabs(m[0][1] + m[1][0]) < 1e-12;
    return m[0][0] * m[1][1] - m[0][1] * m[1][0];
}

/* ---- limits ---- */

typedef bool lab_test(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena);

static bool stays(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena)
{
    kin_lab_map map = kin_lab_map_of(row, problem, h, arena);
    return kin_lab_radius(&map) <= 1 + 1e-11;
}

static bool keeps_sign(const kin_integrator* row, kin_lab_problem* problem, double h, kin_arena* arena)
{
    kin_lab_map map = kin_lab_map_of(row, problem, h, arena);
    return map.m[0] >= 0;
}

/* The first step that fails, going up by hundredths, then bisection. */
static double first_failure(lab_test* test, const kin_integrator* row, kin_lab_problem* problem, double scale, kin_arena* arena)
{
    double low = 0.01 * scale, high = low;
    if (!test(row, problem, low, arena)) return 0;
    while (test(row, problem, high, arena)) {
        low = high;
        high *= 1.01;
        if (high > 100 * scale) return INFINITY;
    }
    while (high - low > 1e-10 * high) {
        double middle = 0.5 * (low + high);
        if (test(row, problem, middle, arena))
            low = middle;
        else
            high = middle;
    }
    return low;
}

double kin_lab_limit(const kin_integrator* row, kin_lab_problem* problem, double scale, kin_arena* arena)
{
    return first_failure(stays, row, problem, scale, arena);
}

double kin_lab_sign_limit(const kin_integrator* row, kin_lab_problem* problem, double scale, kin_arena* arena)
{
    return first_failure(keeps_sign, row, problem, scale, arena);
}
