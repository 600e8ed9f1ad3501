/* stars.h - clouds for the tests of gravity. */
#pragma once
#include "base/alloc.h"
#include "math/scalar.h"
#include "support/test.h"
#include "system/gravity/gravity.h"
#include "system/gravity/initial.h"
#include <stdlib.h>
#include <string.h>

typedef enum shape { PLUMMER, BALL, DISK, SHAPES } shape;

typedef struct stars {
    size_t n;
    double* memory;
    double *x[3], *v[3], *a[3], *mass;
    kin_mutual_cloud cloud;
} stars;

static inline stars stars_empty(size_t n)
{
    stars s = {.n = n, .memory = calloc(10 * (n + 1), sizeof(double))};
    for (size_t k = 0; k < 3; ++k) s.x[k] = s.memory + k * n, s.v[k] = s.memory + (3 + k) * n, s.a[k] = s.memory + (6 + k) * n;
    s.mass = s.memory + 9 * n;
    s.cloud = (kin_mutual_cloud){.simd = kin_simd_best(), .count = (uint32_t)n, .mass = s.mass};
    for (int k = 0; k < 3; ++k) s.cloud.x[k] = s.x[k], s.cloud.v[k] = s.v[k], s.cloud.acceleration[k] = s.a[k];
    return s;
}

static inline void stars_free(stars* s) { free(s->memory); }

static inline void stars_set(stars* s, size_t i, kin_star star, double mass)
{
    s->x[0][i] = star.position.x, s->x[1][i] = star.position.y, s->x[2][i] = star.position.z;
    s->v[0][i] = star.velocity.x, s->v[1][i] = star.velocity.y, s->v[2][i] = star.velocity.z;
    s->mass[i] = mass;
}

static inline kin_galaxy flat_galaxy(void)
{
    return (kin_galaxy){.constant = 1, .disk_mass = 1, .scale = 1, .extent = 8, .thickness = 0.02, .dispersion = 0.05, .orientation = {0, 0, 0, 1}};
}

static inline stars stars_of(shape kind, size_t n)
{
    stars s = stars_empty(n);
    kin_plummer plummer = {1, 1, 1};
    kin_galaxy galaxy = flat_galaxy();
    for (size_t i = 0; i < n; ++i) {
        kin_star star = kind == PLUMMER ? kin_plummer_star(&plummer, 7, i) : kind == BALL ? kin_ball_star(1, 7, i) : kin_galaxy_star(&galaxy, 7, i);
        stars_set(&s, i, star, 1.0 / (double)n);
    }
    return s;
}

static inline kin_gravity_def def_of(kin_gravity_method method, double softening)
{
    kin_gravity_def def = kin_gravity_def_default();
    def.method = method;
    def.constant = 1;
    def.softening = softening;
    def.direct_below = 0;
    return def;
}

/* Fresh accelerations by a fresh object; returns the pairs left out. */
static inline uint64_t pull(test* t, stars* s, const kin_gravity_def* def, int calls)
{
    kin_gravity* g;
    EQUAL(t, kin_gravity_create(&t->allocator, def, &g, NULL), KIN_OK);
    for (int k = 0; k < calls; ++k) {
        memset(s->a[0], 0, 3 * s->n * sizeof(double));
        EQUAL(t, kin_gravity_evaluate(g, &s->cloud, NULL), KIN_OK);
    }
    uint64_t coincident = kin_gravity_coincident(g);
    kin_gravity_destroy(g);
    return coincident;
}

/* Of the sum over all pairs, in doubles and without lanes: the oracle. */
static inline kin_vec3 plain_sum(const stars* s, size_t i, double softening)
{
    kin_vec3 a = {0, 0, 0};
    for (size_t j = 0; j < s->n; ++j) {
        double x = s->x[0][j] - s->x[0][i], y = s->x[1][j] - s->x[1][i], z = s->x[2][j] - s->x[2][i];
        double r2 = x * x + y * y + z * z + softening * softening;
        if (j == i || !(r2 > 0)) continue;
        double f = s->mass[j] / (r2 * kin_sqrt(r2));
        a.x += f * x, a.y += f * y, a.z += f * z;
    }
    return a;
}

/* Root of the mean squared relative difference of two clouds' accelerations. */
static inline double rms_from(const stars* s, const stars* exact)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; ++i) {
        double off = 0, size = 0;
        for (int k = 0; k < 3; ++k) off += kin_square(s->a[k][i] - exact->a[k][i]), size += kin_square(exact->a[k][i]);
        sum += off / size;
    }
    return kin_sqrt(sum / (double)s->n);
}

/* Root of the mean squared relative error over every step-th body. */
static inline double rms_error(const stars* s, double softening, size_t step)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < s->n; i += step) {
        kin_vec3 a = plain_sum(s, i, softening);
        double x = s->a[0][i] - a.x, y = s->a[1][i] - a.y, z = s->a[2][i] - a.z;
        sum += (x * x + y * y + z * z) / (a.x * a.x + a.y * a.y + a.z * a.z);
        count += 1;
    }
    return kin_sqrt(sum / count);
}

static inline bool all_finite(const stars* s)
{
    for (size_t i = 0; i < s->n; ++i) {
        if (!kin_finite(s->a[0][i]) || !kin_finite(s->a[1][i]) || !kin_finite(s->a[2][i])) return false;
    }
    return true;
}
