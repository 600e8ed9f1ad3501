/* gravity.c - the pull of all on all: a force evaluation of the multipole walk, and of the direct sum, on one and two threads, for three shapes of cloud. */
#include "base/clock.h"
#include "base/rng.h"
#include "bench/stage.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include "system/gravity/gravity.h"
#include "system/gravity/initial.h"
#include "validation/rig.h"
#include <stdio.h>
#include <stdlib.h>

#define SIZE 100000
#define SOFTENING 0.005
#define SAMPLES 1000 /* bodies whose force is summed directly */
#define CALLS 5

typedef struct stars {
    uint32_t count;
    double *x[3], *a[3], *mass, *zero;
} stars;

typedef kin_star star_fn(uint64_t index);
static kin_star plummer(uint64_t i) { return kin_plummer_star(&(kin_plummer){1, 1, 1}, 7, i); }
static kin_star ball(uint64_t i) { return kin_ball_star(1, 7, i); }
static kin_star disc(uint64_t i)
{
    return kin_galaxy_star(
        &(kin_galaxy){.constant = 1, .disk_mass = 1, .central_mass = 1, .scale = 1, .extent = 5, .thickness = 0.02, .orientation = kin_quat_identity()}, 7, i);
}

static void free_stars(stars* s)
{
    for (int axis = 0; axis < 3; ++axis) {
        free(s->x[axis]);
        free(s->a[axis]);
    }
    free(s->mass);
    free(s->zero);
}

static bool make_stars(stars* s, uint32_t n, star_fn* star)
{
    *s = (stars){.count = n, .mass = malloc(n * sizeof(double)), .zero = calloc(n, sizeof(double))};
    bool ok = s->mass != NULL && s->zero != NULL;
    for (int axis = 0; axis < 3; ++axis) {
        s->x[axis] = malloc(n * sizeof(double));
        s->a[axis] = malloc(n * sizeof(double));
        ok = ok && s->x[axis] != NULL && s->a[axis] != NULL;
    }
    for (uint32_t i = 0; ok && i < n; ++i) {
        kin_vec3 x = star(i).position;
        s->x[0][i] = x.x;
        s->x[1][i] = x.y;
        s->x[2][i] = x.z;
        s->mass[i] = 1.0 / n;
    }
    return ok;
}

static kin_mutual_cloud cloud_of(const stars* s, kin_jobs* jobs)
{
    return (kin_mutual_cloud){.jobs = jobs,
                              .simd = kin_simd_best(),
                              .count = s->count,
                              .x = {s->x[0], s->x[1], s->x[2]},
                              .v = {s->zero, s->zero, s->zero},
                              .mass = s->mass,
                              .radius = s->zero,
                              .acceleration = {s->a[0], s->a[1], s->a[2]}};
}

static void clear(stars* s)
{
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i < s->count; ++i) s->a[axis][i] = 0;
    }
}

/* Of every SIZE / SAMPLES-th body, against the sum over all others. */
static double rms_error(const stars* s)
{
    double sum = 0;
    uint32_t stride = s->count / SAMPLES > 0 ? s->count / SAMPLES : 1, taken = 0;
    for (uint32_t i = 0; i < s->count; i += stride, ++taken) {
        kin_vec3 exact = {0, 0, 0}, a = {s->a[0][i], s->a[1][i], s->a[2][i]};
        for (uint32_t j = 0; j < s->count; ++j) {
            kin_vec3 r = {s->x[0][j] - s->x[0][i], s->x[1][j] - s->x[1][i], s->x[2][j] - s->x[2][i]};
            double d2 = kin_length2(r) + SOFTENING * SOFTENING;
            exact = kin_add_scaled(exact, s->mass[j] / (d2 * kin_sqrt(d2)), r);
        }
        sum += kin_length2(kin_sub(a, exact)) / kin_length2(exact);
    }
    return kin_sqrt(sum / taken);
}

/* Median seconds of a call after the first, which has no history. */
static double time_call(kin_bench_run* run, kin_gravity_method method, uint32_t n, star_fn* star, int threads, double* rms)
{
    stars s;
    kin_jobs jobs;
    kin_gravity* gravity = NULL;
    kin_error error = {0};
    kin_allocator allocator = kin_allocator_default();
    kin_gravity_def def = kin_gravity_def_default();
    double times[CALLS] = {0};
    def.method = method;
    def.constant = 1;
    def.softening = SOFTENING;
    def.single = true;
    def.direct_below = 0;
    bool ok = make_stars(&s, n, star) && kin_jobs_init(&jobs, &allocator, NULL, threads, &error) == KIN_OK;
    ok = ok && kin_gravity_create(&allocator, &def, &gravity, &error) == KIN_OK;
    for (int i = -1; ok && i < CALLS; ++i) {
        kin_mutual_cloud cloud = cloud_of(&s, &jobs);
        clear(&s);
        double began = kin_clock_seconds();
        ok = kin_gravity_evaluate(gravity, &cloud, &error) == KIN_OK;
        if (i >= 0) times[i] = kin_clock_seconds() - began;
    }
    if (!ok && run->failure[0] == 0) snprintf(run->failure, sizeof run->failure, "gravity: %.200s", error.message[0] != 0 ? error.message : "no memory");
    if (ok && rms != NULL) *rms = rms_error(&s);
    kin_gravity_destroy(gravity);
    if (ok) kin_jobs_term(&jobs);
    free_stars(&s);
    return kin_bench_median(times, CALLS);
}

/* Every other shape is a quality of the first row: its time and error. */
static void add_shape(kin_bench_run* run, kin_bench_row* row, const char* name, star_fn* star)
{
    char text[32];
    double rms = 0, ms = 1e3 * time_call(run, KIN_GRAVITY_FMM, SIZE, star, 1, &rms);
    snprintf(text, sizeof text, "%s_ms", name);
    kin_bench_add_quality(row, text, ms);
    snprintf(text, sizeof text, "%s_rms", name);
    kin_bench_add_quality(row, text, rms);
}

static void add_row(kin_bench_run* run, const char* name, kin_gravity_method method, uint32_t n, int threads, double pairs)
{
    double rms = 0, seconds = time_call(run, method, n, plummer, threads, threads == 1 ? &rms : NULL);
    kin_bench_row* row = kin_bench_add(run, name, n, threads);
    if (row == NULL) return;
    row->ms_per_step = 1e3 * seconds;
    row->rate = (pairs > 0 ? pairs : n) / seconds;
    snprintf(row->unit, sizeof row->unit, pairs > 0 ? "interactions/s" : "bodies/s");
    if (threads == 1) kin_bench_add_quality(row, "rms_error", rms);
}

void kin_bench_barnes_hut(kin_bench_run* run, const char* name)
{
    size_t first = run->count;
    for (int threads = 1; threads <= 2; ++threads) add_row(run, name, KIN_GRAVITY_FMM, SIZE, threads, 0);
    if (run->count < first + 2) return;
    kin_bench_row* row = &run->rows[first];
    add_shape(run, row, "ball", ball);
    add_shape(run, row, "disc", disc);
    kin_bench_add_quality(row, "monopole_ms", 1e3 * time_call(run, KIN_GRAVITY_TREE_MONOPOLE, SIZE, plummer, 1, NULL));
    double n[5], ms[5];
    for (int i = 0; i < 5; ++i) {
        n[i] = 62500 << i;
        ms[i] = 1e3 * time_call(run, KIN_GRAVITY_FMM, (uint32_t)n[i], plummer, 1, NULL);
        row->scaling[row->scaling_count++] = (kin_bench_point){n[i], ms[i]};
    }
    row->exponent = kin_slope(n, ms, 5);
}

/* Every body on every other, in float lanes with true roots and divisions. */
void kin_bench_direct(kin_bench_run* run, const char* name)
{
    const uint32_t n = 32768;
    for (int threads = 1; threads <= 2; ++threads) add_row(run, name, KIN_GRAVITY_DIRECT, n, threads, (double)n * n);
}
