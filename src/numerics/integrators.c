/* integrators.c - the table of all integrators, and one call that advances by any of them. */
#include "numerics/integrators.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/scalar.h"
#include <pthread.h>
#include <string.h>

const char* const kin_integrator_names[] = {
    "euler",         "semi_implicit",    "average",         "midpoint",          "heun",
    "rk4",           "verlet",           "velocity_verlet", "leapfrog",          "rk45",
    "adaptive_rk45", "adaptive_rk4",     "implicit_euler",  "implicit_midpoint", "trapezoid",
    "linear_euler",  "linear_trapezoid", "bulirsch_stoer",  "block_leapfrog",    NULL,
};

enum { ROWS = sizeof kin_integrator_names / sizeof *kin_integrator_names - 1 };

int kin_integrator_count(void) { return ROWS; }

const kin_integrator* kin_integrator_named(const char* name)
{
    for (int i = 0; i < ROWS; ++i) {
        if (strcmp(kin_integrator_names[i], name) == 0) return kin_integrator_at(i);
    }
    return NULL;
}

kin_integrator_settings kin_integrator_settings_default(void)
{
    kin_implicit implicit = kin_implicit_default(kin_implicit_at(0));
    return (kin_integrator_settings){.adaptive = kin_adaptive_default(),
                                     .bulirsch = kin_bulirsch_default(),
                                     .solver = implicit.solver,
                                     .newton_absolute = implicit.absolute,
                                     .newton_relative = implicit.relative,
                                     .newton_iterations = implicit.max_iterations,
                                     .linear_tolerance = implicit.linear_tolerance,
                                     .linear_iterations = implicit.linear_iterations};
}

/* What every kind of step is told. */
typedef struct task {
    const kin_integrator* row;
    kin_simd simd;
    const kin_integrator_settings* settings;
    const kin_ode* ode;
    double t, h;
    double* pair_memory;
    kin_integrator_memory* memory;
    const double *y0, *dydt0;
    double* y1;
    kin_arena* scratch;
} task;

static kin_integrator_report advance_fixed(const task* a)
{
    const kin_ode_method* method = kin_ode_method_named(a->simd, a->row->method);
    double* room = kin_arena_take(a->scratch, kin_bytes((size_t)method->scratch_vectors * (size_t)a->ode->size, sizeof *room));
    if (room == NULL) return (kin_integrator_report){.result = KIN_ERROR_MEMORY, .worst = -1, .time = a->t};
    method->step(a->ode, a->pair_memory, a->t, a->h, a->y0, a->dydt0, a->y1, room);
    return (kin_integrator_report){.steps = 1, .worst = -1, .time = a->t + a->h};
}

static kin_integrator_report advance_adaptive(const task* a)
{
    bool bulirsch = a->row->kind == KIN_INTEGRATOR_BULIRSCH;
    kin_stepper stepper = bulirsch ? kin_bulirsch_stepper(&a->settings->bulirsch) : kin_stepper_of(kin_ode_method_named(a->simd, a->row->method));
    kin_adaptive_memory memory = {a->memory->h, a->memory->ratio};
    memcpy(a->y1, a->y0, (size_t)a->ode->size * sizeof *a->y1);
    kin_adaptive_report report = kin_adaptive_advance_from(&a->settings->adaptive, &stepper, a->ode, a->t, a->h, a->dydt0, &memory, a->y1, a->scratch);
    *a->memory = (kin_integrator_memory){memory.h, memory.ratio};
    return (kin_integrator_report){.result = report.result,
                                   .steps = report.kept,
                                   .undone = report.undone,
                                   .forced = report.forced,
                                   .ratio = report.ratio,
                                   .worst = report.worst,
                                   .time = report.time,
                                   .forced_time = report.forced_time};
}

static kin_implicit implicit_of(const task* a)
{
    const kin_integrator_settings* s = a->settings;
    return (kin_implicit){.scheme = kin_implicit_named(a->row->name),
                          .solver = s->solver,
                          .absolute = s->newton_absolute,
                          .relative = s->newton_relative,
                          .max_iterations = s->newton_iterations,
                          .linear_tolerance = s->linear_tolerance,
                          .linear_iterations = s->linear_iterations};
}

static kin_integrator_report advance_implicit(const task* a)
{
    kin_implicit def = implicit_of(a);
    kin_implicit_report step = kin_implicit_step(&def, a->ode, a->t, a->h, a->y0, a->dydt0, a->y1, a->scratch);
    kin_integrator_report report = {.result = step.result, .iterations = step.iterations, .worst = -1, .time = a->t};
    if (step.result == KIN_OK) {
        report.steps = 1;
        report.time = a->t + a->h;
    } else if (step.worst >= 0) {
        report.worst = step.worst;
        report.ratio = step.residual / kin_max(def.absolute + def.relative * kin_abs(a->y1[step.worst]), 1e-300);
    }
    return report;
}

/* A step that went through may still have left the numbers there are. */
static void look_for_holes(const task* a, kin_integrator_report* report)
{
    for (int i = 0; i < a->ode->size; ++i) {
        if (kin_finite(a->y1[i])) continue;
        report->result = KIN_ERROR_NUMERICS;
        report->worst = i;
        report->ratio = __builtin_inf();
        return;
    }
}

kin_integrator_report kin_integrator_advance(const kin_integrator* integrator, kin_simd simd, const kin_integrator_settings* settings, const kin_ode* ode,
                                             double t, double h, double* pair_memory, kin_integrator_memory* memory, const double* y0, const double* dydt0,
                                             double* y1, kin_arena* scratch)
{
    KIN_ASSERT(h != 0.0 && ode->size > 0 && (ode->gyration == NULL || kin_integrator_gyrates(integrator)));
    task a = {integrator, simd, settings, ode, t, h, pair_memory, memory, y0, dydt0, y1, scratch};
    kin_arena_mark mark = kin_arena_begin(scratch);
    kin_integrator_report report = {0};
    switch (integrator->kind) {
    case KIN_INTEGRATOR_FIXED: report = advance_fixed(&a); break;
    case KIN_INTEGRATOR_ADAPTIVE:
    case KIN_INTEGRATOR_BULIRSCH: report = advance_adaptive(&a); break;
    case KIN_INTEGRATOR_IMPLICIT: report = advance_implicit(&a); break;
    }
    kin_arena_end(scratch, mark);
    if (report.result == KIN_OK) look_for_holes(&a, &report);
    return report;
}

/* --- the table --- */

static const kin_integrator own_rows[] = {
    {.name = "adaptive_rk45",
     .title = "Adaptive Dormand-Prince 5(4)",
     .kind = KIN_INTEGRATOR_ADAPTIVE,
     .method = "rk45",
     .order = 5,
     .adaptive = true,
     .doc = "Steps as long as a tolerance allows, by the embedded error of rk45 and a PI controller. The general choice where accuracy is asked for."},
    {.name = "adaptive_rk4",
     .title = "Adaptive Runge-Kutta 4",
     .kind = KIN_INTEGRATOR_ADAPTIVE,
     .method = "rk4",
     .order = 4,
     .adaptive = true,
     .doc = "Steps as long as a tolerance allows; the error is the difference between one step and two of half its length (step doubling)."},
    {.name = "bulirsch_stoer",
     .title = "Bulirsch-Stoer",
     .kind = KIN_INTEGRATOR_BULIRSCH,
     .order = 12,
     .adaptive = true,
     .doc = "Midpoint runs of more and more substeps, carried on to infinitely many; steps as long as a tolerance allows. For smooth problems and high "
            "accuracy: orbits."},
    {.name = "block_leapfrog",
     .title = "Leapfrog with block steps",
     .kind = KIN_INTEGRATOR_FIXED,
     .method = "velocity_verlet",
     .order = 2,
     .stages = 2,
     .blocks = true,
     .doc =
         "velocity_verlet with a step of h / 2^k for each particle, as its acceleration asks, and forces asked for where they are due. For stars: a few that "
         "are close do not cost the many that are not. Particles that do not feel each other move as by velocity_verlet."},
};

/* The words of a method or scheme stand in one place, its own table: the rows are put together from there, once. */
static kin_integrator rows[ROWS];
static pthread_once_t rows_made = PTHREAD_ONCE_INIT;

static kin_integrator row_of(const char* name)
{
    const kin_ode_method* method = kin_ode_method_named(KIN_SIMD_NONE, name);
    if (method != NULL) {
        return (kin_integrator){.name = method->name,
                                .title = method->title,
                                .doc = method->doc,
                                .kind = KIN_INTEGRATOR_FIXED,
                                .method = method->name,
                                .order = method->order,
                                .stages = method->stages};
    }
    const kin_implicit_scheme* scheme = kin_implicit_named(name);
    if (scheme != NULL) {
        return (kin_integrator){
            .name = scheme->name, .title = scheme->title, .doc = scheme->doc, .kind = KIN_INTEGRATOR_IMPLICIT, .order = scheme->order, .implicit = true};
    }
    size_t i = 0;
    while (strcmp(own_rows[i].name, name) != 0) ++i;
    return own_rows[i];
}

static void make_rows(void)
{
    for (int i = 0; i < ROWS; ++i) rows[i] = row_of(kin_integrator_names[i]);
}

const kin_integrator* kin_integrator_at(int index)
{
    KIN_ASSERT(index >= 0 && index < ROWS);
    pthread_once(&rows_made, make_rows);
    return &rows[index];
}

bool kin_integrator_gyrates(const kin_integrator* integrator)
{
    return integrator->kind == KIN_INTEGRATOR_FIXED && kin_ode_method_named(KIN_SIMD_NONE, integrator->method)->gyrates;
}

bool kin_integrator_is_once(const kin_integrator* integrator)
{
    const kin_implicit_scheme* scheme = kin_implicit_named(integrator->name);
    return scheme != NULL && scheme->once;
}
