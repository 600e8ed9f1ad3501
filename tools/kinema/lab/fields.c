/* fields.c - the study of signed distance fields (Coutinho, appendix G): scanlines and band against the triangles themselves; trees of triangles in fields. */
#include "collision/trimesh.h"
#include "geometry/sdf/sdf_tree.h"
#include "lab/solids.h"
#include "math/aabb.h"
#include "math/quat.h"
#include "math/random.h"
#include <math.h>
#include <time.h>

enum { SOLIDS = 3, SAMPLES = 4000, BAND = 3, LINES = 0, BANDED = 1, TRIANGLES = 2, METHODS = 3 };
static const char* const solid_names[SOLIDS] = {"cube", "cube, turned", "torus"};
static const char* const method_names[METHODS] = {"scanlines", "band", "triangles"};

typedef struct bench {
    kin_jobs jobs;
    kin_allocator allocator;
    kin_mesh* mesh; /* the trimesh's */
    kin_trimesh* truth;
    kin_sdf* field;
} bench;

static kin_mesh* solid(int which)
{
    if (which == 0) return kin_lab_cube(1, (kin_quat){0, 0, 0, 1});
    return which == 1 ? kin_lab_cube(1, kin_quat_axis_angle(kin_v(1, 2, 3), 0.7)) : kin_lab_torus(1, 0.4, 2e-3);
}

static bool begin(kin_lab_study* study, bench* b, kin_mesh* mesh)
{
    *b = (bench){.allocator = kin_allocator_default(), .mesh = mesh};
    study->failed = study->failed || mesh == NULL || kin_jobs_init(&b->jobs, &b->allocator, NULL, 1, NULL) != KIN_OK
                    || kin_trimesh_create(&b->allocator, mesh, &b->truth, NULL) != KIN_OK;
    return !study->failed;
}

static void end(bench* b)
{
    kin_sdf_destroy(b->field);
    kin_trimesh_destroy(b->truth);
    kin_jobs_term(&b->jobs);
}

static bool store(bench* b, int method, uint32_t resolution)
{
    const double cell = kin_largest(kin_aabb_size(b->mesh->bounds)) / resolution;
    kin_sdf_destroy(b->field);
    b->field = NULL;
    if (method == LINES) return kin_sdf_create_scanlines(&b->allocator, &b->jobs, b->mesh, resolution, &b->field, NULL) == KIN_OK;
    return kin_sdf_create_band(&b->allocator, &b->jobs, b->mesh, &(kin_sdf_band_def){.cell = cell, .band = BAND, .margin = (BAND + 1) * cell}, &b->field, NULL)
           == KIN_OK;
}

/* ---- storage ---- */

typedef struct quality {
    double near, deep, closest, signs,
        ns; /* off in cells within the band; deepest ratio to the truth inside; of the surface point found; wrong signs; of a query */
} quality;

static kin_vec3 sample(const bench* b, uint64_t i)
{
    const kin_rng_key key = {.seed = 11, .serial = i};
    const kin_aabb box = kin_aabb_grow(b->mesh->bounds, 0.1);
    return kin_v(kin_rng_uniform(&key, 0, box.low.x, box.high.x), kin_rng_uniform(&key, 1, box.low.y, box.high.y),
                 kin_rng_uniform(&key, 2, box.low.z, box.high.z));
}

/* Scanlines are for what is inside: there alone they are compared. */
static void compare(const bench* b, int method, double cell, quality* q)
{
    for (uint64_t i = 0; i < SAMPLES; ++i) {
        const kin_vec3 x = sample(b, i);
        kin_touch truth, at;
        if (!kin_trimesh_closest(b->truth, x, 100, &truth)) continue;
        const double value = kin_sdf_value(b->field, x);
        if (fabs(truth.distance) > cell) q->signs += (value < 0) != (truth.distance < 0);
        if (truth.distance > (method == LINES ? -1e-9 : BAND * cell)) continue;
        if (truth.distance > -BAND * cell) q->near = fmax(q->near, fabs(value - truth.distance) / cell);
        if (truth.distance < -cell) q->deep = fmax(q->deep, value / truth.distance);
        const kin_sdf_point found = kin_sdf_closest(b->field, x, 1e-6 * cell, 64);
        if (found.converged && truth.distance > -BAND * cell && kin_trimesh_closest(b->truth, found.point, 100, &at))
            q->closest = fmax(q->closest, fabs(at.distance) / cell);
    }
}

static double time_query(const bench* b, int method)
{
    double sum = 0;
    const long began = clock();
    for (uint64_t i = 0; i < SAMPLES; ++i) {
        kin_touch touch = {0};
        if (method == TRIANGLES)
            sum += kin_trimesh_closest(b->truth, sample(b, i), 100, &touch) ? touch.distance : 0;
        else
            sum += kin_sdf_value(b->field, sample(b, i));
    }
    return isfinite(sum) ? 1e6 * kin_lab_ms(began) / SAMPLES : NAN; /* the sum is used: no compiler may leave the queries out */
}

static void put_storage(kin_lab_study* study, bench* b, int which, int method, uint32_t resolution)
{
    const double cell = kin_largest(kin_aabb_size(b->mesh->bounds)) / resolution;
    quality q = {0};
    const long began = clock();
    if (method != TRIANGLES) study->failed = study->failed || !store(b, method, resolution);
    if (study->failed) return;
    const double build = kin_lab_ms(began);
    if (method != TRIANGLES) compare(b, method, cell, &q);
    const double bytes = method == TRIANGLES ? (double)kin_trimesh_bytes(b->truth) : (double)kin_sdf_bytes(b->field);
    const double row[] = {resolution, bytes / 1024, method == TRIANGLES ? NAN : build, q.near, q.deep, q.closest, q.signs, time_query(b, method)};
    kin_lab_word(study, solid_names[which]);
    kin_lab_word(study, method_names[method]);
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) kin_lab_number(study, method == TRIANGLES && i != 1 && i != 7 ? NAN : row[i]);
}

static void storage_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {
        {"solid", "solid", NULL},          {"method", "method", NULL},     {"cells", "cells", "%.0f"},      {"kb", "kB", "%.0f"},
        {"build_ms", "build, ms", "%.1f"}, {"near", "off, cells", "%.3f"}, {"deep", "too deep by", "%.3f"}, {"closest", "surface off", "%.3f"},
        {"signs", "signs", "%.0f"},        {"ns", "ns a query", "%.0f"}};
    static const uint32_t resolutions[] = {32, 64, 128};
    kin_lab_begin(
        study, "storage",
        "Signed distances of solids stored on a grid of so many cells along their longest side, against the triangles. Off: the worst value within three cells "
        "of the "
        "surface (scanlines: inside), in cells. Too deep by: the largest ratio to the true depth inside; sqrt 2 and sqrt 3 under slanted faces are "
        "the method's. Surface off: the worst nearest point found along the gradient, in cells. Signs: wrong ones more than a cell off. Coutinho 12.2.",
        columns, sizeof columns / sizeof *columns);
    for (int which = 0; which < SOLIDS && !study->failed; ++which) {
        bench b;
        if (!begin(study, &b, solid(which))) return;
        for (int r = 0; r < 3; ++r)
            for (int method = 0; method < TRIANGLES; ++method) put_storage(study, &b, which, method, resolutions[r]);
        put_storage(study, &b, which, TRIANGLES, 1);
        end(&b);
    }
}

/* ---- trees in fields ---- */

static uint32_t count_inside(const kin_sdf_body* tree, const kin_sdf_body* field)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree->mesh->vertex_count; ++i) {
        const kin_vec3 world = kin_apply(tree->pose, tree->mesh->vertices[i]);
        count += kin_sdf_value(field->sdf, kin_apply(kin_transform_inverse(field->pose), world)) <= 0;
    }
    return count;
}

static void put_tree(kin_lab_study* study, const bench* b, const kin_sdf_body* ball, int method, double depth)
{
    const kin_sdf_body ring = {.mesh = b->mesh, .tree = &b->truth->tree, .sdf = b->field, .pose = kin_transform_identity()};
    kin_sdf_inside_list list;
    kin_sdf_inside_init(&list, &b->allocator);
    long began = clock();
    study->failed = study->failed || !kin_sdf_collide(ball, &ring, 1e-4, &list);
    const double ms = kin_lab_ms(began);
    began = clock();
    const double all = count_inside(ball, &ring), all_ms = kin_lab_ms(began);
    const double row[] = {depth, (double)list.count, fabs(all - (double)list.count), list.visited, list.dropped, list.taken, list.straddling, ms, all_ms};
    kin_lab_word(study, method_names[method]);
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) kin_lab_number(study, row[i]);
    kin_sdf_inside_term(&list);
}

static void trees_table(kin_lab_study* study)
{
    static const kin_lab_column columns[] = {{"method", "field", NULL},    {"depth", "depth, m", "%.2f"},     {"inside", "vertices", "%.0f"},
                                             {"wrong", "wrong", "%.0f"},   {"visited", "nodes", "%.0f"},      {"dropped", "dropped", "%.0f"},
                                             {"taken", "taken", "%.0f"},   {"straddling", "astride", "%.0f"}, {"ms", "ms", "%.3f"},
                                             {"all_ms", "all, ms", "%.3f"}};
    static const double depths[] = {-0.1, 0.05, 0.3};
    kin_lab_begin(
        study, "trees",
        "A ball of radius 0.5 that lies so deep in the tube of a ring given as a field of 64 cells: its tree of triangles is walked through the field. "
        "Vertices: of the ball in the ring. Wrong: differing in number from asking every vertex. Dropped and taken: nodes decided whole; astride: all "
        "eight corners on one side, and looked into all the same. Coutinho 12.3.",
        columns, sizeof columns / sizeof *columns);
    bench b, small;
    if (!begin(study, &b, kin_lab_torus(1, 0.4, 2e-3))) return;
    if (begin(study, &small, kin_lab_ball(0.5, 5e-4))) {
        kin_sdf_body ball = {.mesh = small.mesh, .tree = &small.truth->tree};
        for (int method = 0; method < TRIANGLES && !study->failed; ++method) {
            study->failed = !store(&b, method, 64);
            for (int i = 0; i < 3 && !study->failed; ++i) {
                ball.pose = (kin_transform){{1.9 - depths[i], 0, 0}, {0, 0, 0, 1}};
                put_tree(study, &b, &ball, method, depths[i]);
            }
        }
        end(&small);
    }
    end(&b);
}

static kin_lab_table_fn* const tables[] = {storage_table, trees_table, NULL};
static kin_lab_draw_fn* const pictures[] = {NULL};

int kin_lab_fields(const char* folder, bool json, bool quiet) { return kin_lab_study_run("fields", tables, pictures, folder, json, quiet); }
