/* problems.h - what the integrator tests share: stock problems with known answers, runs of many steps, slopes. */
#pragma once
#include "numerics/ode.h"
#include "support/test.h"
#include <math.h>
#include <string.h>

enum { PROBLEM_SIZE = 64, PROBLEM_SCRATCH = 5 * PROBLEM_SIZE };

/* A run owns the state and all a method asks for. */
typedef struct run {
    const kin_ode_method* method;
    const kin_ode* ode;
    double t, h;
    double y[PROBLEM_SIZE];
    double memory[PROBLEM_SIZE];
    double scratch[PROBLEM_SCRATCH];
} run;

/* Starts, or starts again after y or h were changed. */
static inline void run_restart(run* r, double h)
{
    double dydt[PROBLEM_SIZE];
    r->h = h;
    if (r->method->restart == NULL) return;
    r->ode->derivative(r->ode->context, r->t, r->y, dydt);
    r->method->restart(r->ode, r->memory, 0, r->ode->pairs, h, r->y, dydt);
}

static inline run run_begin(const kin_ode_method* method, const kin_ode* ode, double h, const double* y0)
{
    run r = {.method = method, .ode = ode};
    memcpy(r.y, y0, (size_t)ode->size * sizeof *y0);
    run_restart(&r, h);
    return r;
}

static inline void run_steps(run* r, int count)
{
    double dydt[PROBLEM_SIZE], y1[PROBLEM_SIZE], t0 = r->t;
    for (int k = 0; k < count; ++k) {
        r->ode->derivative(r->ode->context, t0 + k * r->h, r->y, dydt);
        r->method->step(r->ode, r->memory, t0 + k * r->h, r->h, r->y, dydt, y1, r->scratch);
        memcpy(r->y, y1, (size_t)r->ode->size * sizeof *y1);
    }
    r->t = t0 + count * r->h;
}

static inline const kin_ode_method* method_named(const char* name) { return kin_ode_method_named(kin_simd_best(), name); }

#define EACH_METHOD(m)                                                                                                                                         \
    for (int m##_i = 0; m##_i < kin_ode_method_count(); ++m##_i)                                                                                               \
        for (const kin_ode_method* m = kin_ode_method_at(kin_simd_best(), m##_i); m != NULL; m = NULL)

static inline bool is_verlet(const kin_ode_method* method) /* of the family */
{
    return strstr(method->name, "verlet") != NULL || strcmp(method->name, "leapfrog") == 0;
}

/* Constant acceleration: context is a */
static inline void falling(void* context, double t, const double* y, double* dydt)
{
    (void)t;
    dydt[0] = y[1];
    dydt[1] = *(const double*)context;
}

/* x'' = -x */
static inline void oscillator(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = y[1];
    dydt[1] = -y[0];
}

/* x' = -x, no pairs */
static inline void decay(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = -y[0];
}

static const kin_ode oscillator_ode = {.size = 2, .pairs = 1, .derivative = oscillator};
static const kin_ode decay_ode = {.size = 1, .derivative = decay};

/* Least squares: the slope of log e over log h. */
static inline double log_slope(int count, const double* h, const double* e)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; ++i) {
        double x = log(h[i]), y = log(e[i]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}
