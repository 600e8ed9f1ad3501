/* meshes.c - mesh against mesh: two dented balls half in each other, all pairs of triangles that cross, their trees built before. */
#include "base/clock.h"
#include "bench/stage.h"
#include "collision/primitive/overlaps.h"
#include "math/quat.h"
#include "validation/rig.h"
#include <stdio.h>
#include <stdlib.h>

#define ROWS 112 /* 2 * 2 ROWS * (ROWS - 1) triangles: 49,728 */

/* By latitude and longitude, radius 1 with dents; closed. */
static kin_trimesh* make_ball(uint32_t rows, double phase)
{
    uint32_t columns = 2 * rows, count = columns * (rows - 1) + 2;
    size_t faces = (size_t)2 * columns * (rows - 1);
    kin_vec3* vertices = malloc(count * sizeof *vertices);
    uint32_t* corners = malloc(3 * faces * sizeof *corners);
    kin_allocator allocator = kin_allocator_default();
    kin_mesh* mesh = NULL;
    kin_trimesh* out = NULL;
    size_t at = 0;
    if (vertices != NULL && corners != NULL) {
        vertices[count - 2] = kin_v(0, 1, 0), vertices[count - 1] = kin_v(0, -1, 0);
        for (uint32_t j = 1; j < rows; ++j) {
            for (uint32_t i = 0; i < columns; ++i) {
                double v = KIN_PI * j / rows, u = 2 * KIN_PI * i / columns, r = 1 + 0.2 * kin_sin(10 * u + phase) * kin_sin(v) * kin_sin(10 * v);
                vertices[(j - 1) * columns + i] = kin_v(r * kin_sin(v) * kin_cos(u), r * kin_cos(v), -r * kin_sin(v) * kin_sin(u));
            }
        }
        for (uint32_t i = 0; i < columns; ++i) {
            uint32_t next = (i + 1) % columns, last = (rows - 2) * columns;
            const uint32_t caps[6] = {count - 2, i, next, count - 1, last + next, last + i};
            for (int k = 0; k < 6; ++k) corners[at++] = caps[k];
            for (uint32_t j = 0; j + 2 < rows; ++j) {
                uint32_t a = j * columns + i, b = j * columns + next, c = a + columns, d = b + columns;
                const uint32_t quad[6] = {a, c, b, b, c, d};
                for (int k = 0; k < 6; ++k) corners[at++] = quad[k];
            }
        }
        kin_mesh_view view = {vertices, count, NULL, corners, faces};
        if (kin_mesh_create(&allocator, &view, &mesh, NULL) == KIN_OK) kin_trimesh_create(&allocator, mesh, &out, NULL);
    }
    free(vertices);
    free(corners);
    return out;
}

typedef struct measured {
    double seconds, pairs;
} measured;

/* The second ball turns a little from call to call: no two calls are alike. */
static kin_transform pose_of(int call) { return (kin_transform){kin_v(0.9, 0.3, 0.2), kin_quat_axis_angle(kin_v(1, 2, 3), 0.7 + 0.01 * call)}; }

static measured time_crossings(kin_bench_run* run, uint32_t rows, int threads)
{
    kin_trimesh *a = make_ball(rows, 0), *b = make_ball(rows, 1);
    kin_allocator allocator = kin_allocator_default();
    kin_crossings list;
    double times[KIN_BENCH_REPETITIONS] = {0}, pairs = 0;
    kin_jobs jobs;
    bool ready = kin_jobs_init(&jobs, &allocator, NULL, threads, NULL) == KIN_OK, ok = ready && a != NULL && b != NULL;
    kin_crossings_init(&list, &allocator);
    for (int k = -2; ok && k < KIN_BENCH_REPETITIONS; ++k) {
        kin_transform pose = pose_of(k);
        double began = kin_clock_seconds();
        ok = kin_trimesh_crossings(a, b, pose, threads > 1 ? &jobs : NULL, &list, NULL) == KIN_OK;
        if (k >= 0) times[k] = kin_clock_seconds() - began, pairs += (double)list.count / KIN_BENCH_REPETITIONS;
    }
    if (!ok && run->failure[0] == 0) snprintf(run->failure, sizeof run->failure, "collision/mesh: no memory");
    if (ready) kin_jobs_term(&jobs);
    kin_crossings_term(&list);
    kin_trimesh_destroy(a);
    kin_trimesh_destroy(b);
    return (measured){kin_bench_median(times, KIN_BENCH_REPETITIONS), pairs};
}

/* Regions with normals and depths on top. */
static double time_overlaps(kin_bench_run* run, uint32_t rows)
{
    kin_trimesh *a = make_ball(rows, 0), *b = make_ball(rows, 1);
    kin_allocator allocator = kin_allocator_default();
    kin_overlaps overlaps;
    double times[KIN_BENCH_REPETITIONS] = {0};
    bool ok = a != NULL && b != NULL;
    kin_overlaps_init(&overlaps, &allocator);
    for (int k = -2; ok && k < KIN_BENCH_REPETITIONS; ++k) {
        double began = kin_clock_seconds();
        ok = kin_trimesh_overlaps(a, b, pose_of(k), NULL, &overlaps, NULL) == KIN_OK;
        if (k >= 0) times[k] = kin_clock_seconds() - began;
    }
    if (!ok && run->failure[0] == 0) snprintf(run->failure, sizeof run->failure, "collision/mesh: no memory");
    kin_overlaps_term(&overlaps);
    kin_trimesh_destroy(a);
    kin_trimesh_destroy(b);
    return kin_bench_median(times, KIN_BENCH_REPETITIONS);
}

static void bench_meshes(kin_bench_run* run, const char* name)
{
    size_t first = run->count;
    for (int threads = 1; threads <= 2; ++threads) {
        measured m = time_crossings(run, ROWS, threads);
        kin_bench_row* row = kin_bench_add(run, name, 4.0 * ROWS * (ROWS - 1), threads);
        if (row == NULL) return;
        row->ms_per_step = 1e3 * m.seconds;
        row->rate = m.pairs / m.seconds;
        snprintf(row->unit, sizeof row->unit, "crossings/s");
        kin_bench_add_quality(row, "crossing_pairs", m.pairs);
    }
    kin_bench_row* row = &run->rows[first];
    kin_bench_add_quality(row, "regions_ms", 1e3 * time_overlaps(run, ROWS));
    double n[5], ms[5];
    static const uint32_t rows[5] = {56, 79, 112, 158, 224}; /* triangles double */
    for (int i = 0; i < 5; ++i) {
        n[i] = 4.0 * rows[i] * (rows[i] - 1);
        ms[i] = 1e3 * time_crossings(run, rows[i], 1).seconds;
        row->scaling[row->scaling_count++] = (kin_bench_point){n[i], ms[i]};
    }
    row->exponent = kin_slope(n, ms, 5);
}

const kin_bench kin_benches_meshes[] = {{"collision/mesh", "all crossing pairs of two 50k-triangle meshes, trees built", bench_meshes}, {NULL, NULL, NULL}};
