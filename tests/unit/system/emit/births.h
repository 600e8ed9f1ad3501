/* births.h - what the tests of emitters share: one emitter and its steps, and the Kolmogorov-Smirnov distance. */
#pragma once
#include "math/vec3.h"
#include "support/test.h"
#include "system/emit/emit.h"
#include <math.h>
#include <stdlib.h>

/* One emitter of a def; NULL fails the test. */
static inline kin_emitters* emitter_of(test* t, const kin_emitter_def* def)
{
    kin_emitters* emitters = NULL;
    kin_error error = {0};
    kin_emitters_create(&t->allocator, def, 1, &emitters, &error);
    test_check(t, emitters != NULL, __FILE__, __LINE__, "%s: %s", error.where, error.message);
    return emitters;
}

static inline kin_emit_step step_at(uint64_t index, double time, double h)
{
    return (kin_emit_step){.seed = 11, .system = 3, .index = index, .time = time, .h = h, .start.orientation.w = 1, .end.orientation.w = 1};
}

/* A rate that does not change; key is borrowed. */
static inline kin_curve constant(kin_curve_key* key, double value)
{
    *key = (kin_curve_key){0, {value, 0, 0}};
    return (kin_curve){key, 1, KIN_CURVE_LINEAR};
}

/* Births of one step, whatever is due. */
static inline int64_t bear(test* t, const kin_emitter_def* def, const kin_emit_step* step, int64_t count, kin_newborn* out)
{
    kin_emitters* emitters = emitter_of(t, def);
    if (emitters == NULL) return 0;
    int64_t born = kin_emitter_bear(emitters, 0, step, count, out);
    kin_emitters_destroy(emitters);
    return born;
}

static inline int by_size(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Against the uniform distribution on [0, 1]: sqrt(n) D is below 1.95 in 999 of 1000 samples. Sorts values. */
static inline double ks_uniform(double* values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_size);
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fmax(fabs(values[i] - (double)i / n), fabs(values[i] - (double)(i + 1) / n)));
    return most * sqrt(n);
}

/* P(|normal| < 3 x), cut at 1: where a bell of largest deviation 1 lies. Values at the cut itself are 0.27 % of all. */
static inline double bell_share(double x) { return erf(3 * fabs(x) / sqrt(2)); }
