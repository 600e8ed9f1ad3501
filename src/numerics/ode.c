/* ode.c - finding a method, states inside a step, stopping a step at an event. The methods themselves are in methods.c. */
#include "numerics/ode.h"
#include "base/alloc.h"
#include "base/error.h"
#include "numerics/methods.h"
#include <string.h>

const char* const kin_ode_method_names[] = {"euler",  "semi_implicit",   "average",  "midpoint", "heun", "rk4",
                                            "verlet", "velocity_verlet", "leapfrog", "rk45",     NULL};

static const kin_ode_method* const tables[KIN_SIMD_COUNT] = {kin_ode_methods_none, kin_ode_methods_sse2, kin_ode_methods_avx2};

int kin_ode_method_count(void) { return (int)(sizeof kin_ode_method_names / sizeof *kin_ode_method_names) - 1; }

const kin_ode_method* kin_ode_method_at(kin_simd simd, int index)
{
    KIN_ASSERT(index >= 0 && index < kin_ode_method_count());
    return &tables[simd][index];
}

const kin_ode_method* kin_ode_method_named(kin_simd simd, const char* name)
{
    for (const kin_ode_method* method = tables[simd]; method->name != NULL; ++method) {
        if (strcmp(method->name, name) == 0) return method;
    }
    return NULL;
}

void kin_ode_interpolate(int size, double h, const double* y0, const double* dydt0, const double* y1, const double* dydt1, double s, double* y)
{
    double r = 1.0 - s; /* at s = 0 and s = 1 the weights are 0 and 1 exactly */
    double value0 = (1.0 + 2.0 * s) * r * r;
    double value1 = (1.0 + 2.0 * r) * s * s;
    double slope0 = h * s * r * r;
    double slope1 = -h * r * s * s;
    for (int i = 0; i < size; ++i) y[i] = (value0 * y0[i] + value1 * y1[i]) + (slope0 * dydt0[i] + slope1 * dydt1[i]);
}

/* --- stopping at an event: a chord test refined by probes, then bisection in time (H7.4b ii) --- */

typedef struct search {
    const kin_ode_method* method;
    const kin_ode* ode;
    kin_ode_event* event;
    double t;
    const double* y0;
    double* dydt0;
    double* dydt1;
    double* trial;         /* a state at some time inside the step */
    double* trial_memory;  /* restarted for every shorter step */
    double* memory_before; /* what the caller gets back if the step is cut short */
    double* scratch;
} search;

static bool search_begin(search* s, kin_arena* arena)
{
    KIN_ASSERT(s->ode->size > 0);
    size_t size = (size_t)s->ode->size, pairs = (size_t)s->ode->pairs, stages = (size_t)s->method->scratch_vectors;
    double* block = kin_arena_take(arena, kin_bytes((3 + stages) * size + 2 * pairs, sizeof *block));
    if (block == NULL) return false;
    s->dydt0 = block;
    s->dydt1 = s->dydt0 + size;
    s->trial = s->dydt1 + size;
    s->scratch = s->trial + size;
    s->trial_memory = s->scratch + stages * size;
    s->memory_before = s->trial_memory + pairs;
    return true;
}

/* y = the state after `time` of the step, by a step of that length: order and stages of the method, not of the interpolant. */
static void shorter_step(const search* s, double time, double* y)
{
    if (time == 0.0) {
        memcpy(y, s->y0, (size_t)s->ode->size * sizeof *y);
        return;
    }
    if (s->ode->gyration != NULL) s->ode->derivative(s->ode->context, s->t, s->y0, s->dydt0); /* the last step left that of its end */
    if (s->method->restart != NULL) s->method->restart(s->ode, s->trial_memory, 0, s->ode->pairs, time, s->y0, s->dydt0);
    s->method->step(s->ode, s->trial_memory, s->t, time, s->y0, s->dydt0, y, s->scratch);
}

static bool past(const search* s, double time, const double* y) { return s->event(s->ode->context, s->t + time, y) < 0.0; }

static bool past_after(const search* s, double time)
{
    shorter_step(s, time, s->trial);
    return past(s, time, s->trial);
}

/* The first of `probes` points inside the step, or its end, that lies past the event: between *low and *high. The interpolant proposes and a shorter
 * step confirms, as for a crude method the two are different paths. */
static bool bracket(const search* s, double h, const double* y1, int probes, double* low, double* high)
{
    if (probes > 0) s->ode->derivative(s->ode->context, s->t + h, y1, s->dydt1);
    *low = 0.0;
    for (int k = 1; k <= probes; ++k) {
        double fraction = (double)k / (probes + 1);
        *high = fraction * h;
        kin_ode_interpolate(s->ode->size, h, s->y0, s->dydt0, y1, s->dydt1, fraction, s->trial);
        if (past(s, *high, s->trial) && past_after(s, *high)) return true;
        *low = *high;
    }
    *high = h;
    return past(s, h, y1);
}

/* Invariant: not past the event after low, past it after high. */
static double bisect(const search* s, double low, double high, double tolerance)
{
    if (low > 0.0 && past_after(s, low)) { /* only the interpolant was on the near side there */
        high = low;
        low = 0.0;
    }
    while (high - low > tolerance) {
        double middle = low + 0.5 * (high - low);
        if (middle <= low || middle >= high) break; /* neighbours: a tolerance below round-off */
        if (past_after(s, middle))
            high = middle;
        else
            low = middle;
    }
    return low;
}

static double search_run(const search* s, double* memory, double h, double* y1, int probes, double tolerance, bool* hit)
{
    size_t memory_bytes = s->method->restart != NULL ? (size_t)s->ode->pairs * sizeof *memory : 0;
    if (memory_bytes > 0) memcpy(s->memory_before, memory, memory_bytes);
    s->ode->derivative(s->ode->context, s->t, s->y0, s->dydt0);
    s->method->step(s->ode, memory, s->t, h, s->y0, s->dydt0, y1, s->scratch);

    double low, high;
    if (past(s, 0.0, s->y0) || !bracket(s, h, y1, probes, &low, &high)) return h;
    *hit = true;
    if (memory_bytes > 0) memcpy(memory, s->memory_before, memory_bytes);
    double time = bisect(s, low, high, tolerance);
    shorter_step(s, time, y1);
    return time;
}

double kin_ode_step_until(const kin_ode_method* method, const kin_ode* ode, double* memory, double t, double h, const double* y0, double* y1,
                          kin_ode_event* event, int probes, double tolerance, kin_arena* scratch, bool* hit)
{
    search s = {.method = method, .ode = ode, .event = event, .t = t, .y0 = y0};
    kin_arena_mark mark = kin_arena_begin(scratch);
    *hit = false;
    double time = search_begin(&s, scratch) ? search_run(&s, memory, h, y1, probes, tolerance, hit) : -1.0;
    kin_arena_end(scratch, mark);
    return time;
}
