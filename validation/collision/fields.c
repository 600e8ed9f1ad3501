/* fields.c - signed distance fields, isosurfaces and height fields, against closed forms, every triangle, and refined grids. */
#include "collision/trimesh.h"
#include "geometry/height/height.h"
#include "geometry/isosurface/cube.h"
#include "geometry/isosurface/isosurface.h"
#include "geometry/sdf/sdf_tree.h"
#include "math/aabb.h"
#include "math/random.h"
#include "validation/cases.h"
#include "validation/shapes.h"
#include <math.h>
#include <stdlib.h>

static kin_vec3 draw(uint64_t seed, uint64_t serial, double size)
{
    kin_rng_key key = {.seed = seed, .serial = serial};
    return kin_v(kin_rng_uniform(&key, 0, -size, size), kin_rng_uniform(&key, 1, -size, size), kin_rng_uniform(&key, 2, -size, size));
}

/* ---- meshes ---- */

static kin_mesh* mesh_of(const kin_allocator* a, kin_vec3* vertices, size_t vertex_count, uint32_t* corners, size_t faces)
{
    kin_mesh_view view = {vertices, vertex_count, NULL, corners, faces};
    kin_mesh* mesh = NULL;
    if (vertices != NULL && corners != NULL) kin_mesh_create(a, &view, &mesh, NULL);
    free(vertices);
    free(corners);
    return mesh;
}

/* Round y, closed: a torus (bumpy if bump > 0), or with ring 0 a ball from pole to pole. */
static kin_mesh* round_mesh(const kin_allocator* a, double ring, double tube, double bump, uint32_t around, uint32_t across)
{
    uint32_t rows = ring > 0 ? across : across + 1;
    kin_vec3* v = malloc((size_t)around * rows * sizeof *v);
    uint32_t* corners = malloc((size_t)around * across * 6 * sizeof *corners);
    size_t faces = 0;
    for (uint32_t j = 0; j < rows && v != NULL; ++j) {
        for (uint32_t i = 0; i < around; ++i) {
            double u = 2 * KIN_PI * i / around, w = ring > 0 ? 2 * KIN_PI * j / across : KIN_PI * j / across - KIN_PI / 2;
            bool pole = ring == 0 && (j == 0 || j + 1 == rows); /* all its vertices at one place: welded, and their triangles dropped */
            double t = tube * (1 + bump * sin(5 * u) * sin(3 * w)), r = pole ? 0 : ring + t * cos(w);
            v[i + around * j] = kin_v(r * cos(u), t * sin(w), -r * sin(u));
        }
    }
    for (uint32_t j = 0; j < across && corners != NULL; ++j) {
        for (uint32_t i = 0; i < around; ++i) {
            uint32_t a0 = i + around * j, b0 = (i + 1) % around + around * j, a1 = i + around * ((j + 1) % rows),
                     b1 = (i + 1) % around + around * ((j + 1) % rows);
            uint32_t two[6] = {a0, b0, b1, a0, b1, a1};
            for (int k = 0; k < 6; ++k) corners[3 * faces + (size_t)k] = two[k];
            faces += 2;
        }
    }
    return mesh_of(a, v, (size_t)around * rows, corners, faces);
}

/* The cube +-half, its y axis turned to `up` and the top face through the origin if sunk. */
static kin_mesh* cube_mesh(const kin_allocator* a, double half, kin_vec3 up, bool sunk)
{
    kin_patch patch;
    kin_mesh* mesh = NULL;
    if (!kin_patch_cube(&patch, half)) return NULL;
    kin_vec3 n = kin_normalize_or(up, kin_v(0, 1, 0)), u = kin_normalize_or(kin_cross(n, kin_v(0.3, 0.1, 1)), kin_v(1, 0, 0)), w = kin_cross(u, n);
    for (size_t i = 0; i < patch.shape.mesh.vertex_count && (sunk || up.x != 0); ++i) {
        kin_vec3 p = patch.vertices[i];
        patch.vertices[i] = kin_add_scaled(kin_add_scaled(kin_scale(u, p.x), p.y - (sunk ? half : 0), n), p.z, w);
    }
    kin_mesh_create(a, &patch.shape.mesh, &mesh, NULL);
    kin_patch_free(&patch);
    return mesh;
}

typedef struct bench {
    kin_allocator allocator;
    kin_jobs jobs;
    kin_mesh* mesh;
    kin_sdf* sdf;
    bool ok;
} bench;

static bench bench_begin(const kin_case_run* run)
{
    bench b = {.allocator = kin_allocator_default()};
    b.ok = kin_jobs_init(&b.jobs, &b.allocator, NULL, run->threads, NULL) == KIN_OK;
    return b;
}
static void bench_drop(bench* b)
{
    kin_sdf_destroy(b->sdf);
    kin_mesh_destroy(b->mesh);
    b->sdf = NULL, b->mesh = NULL;
}
static void bench_end(bench* b)
{
    bench_drop(b);
    if (b->ok) kin_jobs_term(&b->jobs);
}
static bool take_lines(bench* b, kin_mesh* mesh, uint32_t resolution)
{
    bench_drop(b);
    b->mesh = mesh;
    return b->ok && mesh != NULL && kin_sdf_create_scanlines(&b->allocator, &b->jobs, mesh, resolution, &b->sdf, NULL) == KIN_OK;
}
static bool take_band(bench* b, kin_mesh* mesh, double cell)
{
    kin_sdf_band_def def = {cell, 3, 0};
    bench_drop(b);
    b->mesh = mesh;
    return b->ok && mesh != NULL && kin_sdf_create_band(&b->allocator, &b->jobs, mesh, &def, &b->sdf, NULL) == KIN_OK;
}

/* ---- scanlines ---- */

static void slanted_plane(kin_case_run* run, bench* b, kin_vec3 normal, double factor, const char* method)
{
    double ratio = NAN, shrink = NAN;
    if (take_lines(b, cube_mesh(&b->allocator, 2, normal, true), 100)) {
        double h = kin_sdf_cell(b->sdf);
        kin_vec3 n = kin_normalize_or(normal, kin_v(0, 1, 0)), x = kin_scale(n, -3.3 * h);
        ratio = kin_sdf_value(b->sdf, x) / (-3.3 * h);
        shrink = kin_dot(kin_sdf_closest(b->sdf, x, 0, 1).point, n) / (-3.3 * h);
    }
    kin_case_row(run, method, "value / true distance", ratio, factor, 1e-8, "Catalog N10: sqrt 2, sqrt 3");
    kin_case_row(run, method, "nearest-point iteration: factor a step", shrink, 1 - factor, 1e-7, "Catalog N10: 1 - sqrt 2, 1 - sqrt 3");
}

static void cube_on_lines(kin_case_run* run, bench* b)
{
    uint32_t n = run->full ? 256 : 64, cells[3];
    double worst = NAN, count = NAN;
    if (take_lines(b, cube_mesh(&b->allocator, 1, kin_v(0, 1, 0), false), n)) {
        kin_vec3 low = kin_sdf_bounds(b->sdf).low;
        worst = 0, count = (double)kin_sdf_scalars(b->sdf);
        kin_sdf_cells(b->sdf, cells);
        for (uint32_t k = 1; k < cells[2]; k += 3) {
            for (uint32_t j = 1; j < cells[1]; ++j) {
                for (uint32_t i = 1; i < cells[0]; ++i) {
                    kin_vec3 x = kin_add_scaled(low, kin_sdf_cell(b->sdf), kin_v(i, j, k));
                    worst = fmax(worst, fabs(kin_sdf_at_vertex(b->sdf, i, j, k) - (kin_largest(kin_abs3(x)) - 1)));
                }
            }
        }
    }
    kin_case_row(run, "cube", "worst error at grid points in it (m)", worst, 0, 1e-9, "Coutinho 12.2: exact across the axes");
    kin_case_row(run, "cube", "scalars stored", count, 6.0 * (n + 1) * (n + 1), 0, "Coutinho 12.2: 6 n^2, n + 1 lines a side");
}

/* The line through (u, v) along an axis against the planes of a convex mesh: does it go through? */
static bool line_meets(const kin_mesh* m, kin_vec3 at, int axis)
{
    double in = -1e9, out = 1e9;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        double speed = kin_component(m->normals[t], axis), height = kin_dot(m->normals[t], kin_sub(at, m->vertices[m->triangles[t][0]]));
        if (fabs(speed) < 1e-12) {
            if (height > 1e-9) return false;
        } else if (speed < 0) {
            in = fmax(in, -height / speed);
        } else {
            out = fmin(out, -height / speed);
        }
    }
    return out - in > 1e-9;
}

static void ball_on_lines(kin_case_run* run, bench* b)
{
    double stored = NAN, counted = NAN, wrong = NAN, worst = NAN;
    if (take_lines(b, round_mesh(&b->allocator, 0, 1, 0, 24, 12), run->full ? 96 : 32)) {
        uint32_t n[3];
        kin_vec3 low = kin_sdf_bounds(b->sdf).low;
        double h = kin_sdf_cell(b->sdf);
        stored = (double)kin_sdf_scalars(b->sdf), counted = wrong = worst = 0;
        kin_sdf_cells(b->sdf, n);
        for (int axis = 0; axis < 3; ++axis) {
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            for (uint32_t j = 0; j <= n[v]; ++j) {
                for (uint32_t i = 0; i <= n[u]; ++i) {
                    kin_vec3 at = kin_add_scaled(kin_add_scaled(low, h * i, kin_axis(u)), h * j, kin_axis(v));
                    counted += line_meets(b->mesh, at, axis) ? 2 : 0;
                }
            }
        }
        for (uint32_t s = 0; s < 4000; ++s) { /* off the grid points: the sign of the trilinear value half a cell from the faces and more */
            kin_vec3 x = draw(4, s, 1.05);
            double outside = -1e9;
            for (uint32_t t = 0; t < b->mesh->triangle_count; ++t) {
                outside = fmax(outside, kin_dot(b->mesh->normals[t], kin_sub(x, b->mesh->vertices[b->mesh->triangles[t][0]])));
            }
            if (fabs(outside) > h) wrong += (kin_sdf_value(b->sdf, x) < 0) != (outside < 0);
            if (outside < -2 * h) worst = fmax(worst, kin_sdf_value(b->sdf, x) / outside);
        }
    }
    kin_case_row(run, "ball of triangles", "scalars stored", stored, counted, 0, "two a line through all half-spaces of its faces");
    kin_case_row(run, "ball of triangles", "wrong signs a cell off the surface", wrong, 0, 0, "half-spaces of its faces");
    kin_case_row(run, "ball of triangles", "most that a depth is too deep by, over 1", fmax(worst - 1, 0), 0, 0.7321, "Catalog N10: at most sqrt 3");
}

static void sdf_scanlines(kin_case_run* run)
{
    bench b = bench_begin(run);
    slanted_plane(run, &b, kin_v(1, 1, 0), sqrt(2), "plane at 45 degrees");
    slanted_plane(run, &b, kin_v(1, 1, 1), sqrt(3), "plane (1, 1, 1)");
    cube_on_lines(run, &b);
    ball_on_lines(run, &b);
    bench_end(&b);
}

/* ---- band ---- */

static double ball_at(kin_vec3 x) { return kin_length(x) - 1; }
static double torus_at(kin_vec3 x) { return hypot(hypot(x.x, x.z) - 1, x.y) - 0.4; }
static double two_balls_at(kin_vec3 x) { return fmin(kin_distance(x, kin_v(-0.8, 0, 0)), kin_distance(x, kin_v(0.8, 0.1, 0))) - 0.55; }

typedef double at_fn(kin_vec3 x);
typedef struct shape_at {
    at_fn* at;
} shape_at;
static void shape_values(const void* context, const kin_vec3* points, double* values, int count)
{
    for (int i = 0; i < count; ++i) values[i] = ((const shape_at*)context)->at(points[i]);
}

/* In cells, over points within reach of the surface. */
static double function_error(bench* b, at_fn* at, double cell, double reach, int samples, double* scalars)
{
    shape_at shape = {at};
    kin_sdf_band_def def = {cell, 3, 0};
    kin_sdf* s = NULL;
    if (!b->ok
        || kin_sdf_create_function(&b->allocator, &b->jobs, (kin_aabb){{-1.7, -1.7, -1.7}, {1.7, 1.7, 1.7}}, &def, shape_values, &shape, 1, &s, NULL) != KIN_OK)
        return NAN;
    double worst = 0;
    for (int i = 0; i < samples; ++i) {
        kin_vec3 x = draw(1, (uint64_t)i, 1.6);
        if (fabs(at(x)) < reach) worst = fmax(worst, fabs(kin_sdf_value(s, x) - at(x)));
    }
    *scalars = (double)kin_sdf_scalars(s);
    kin_sdf_destroy(s);
    return worst / cell;
}

static void smooth_shapes(kin_case_run* run, bench* b)
{
    static at_fn* const shapes[2] = {ball_at, torus_at};
    static const char* const names[2] = {"ball", "torus"};
    double fine = run->full ? 0.0125 : 0.025;
    for (int i = 0; i < 2; ++i) {
        double some, many, coarse_error = function_error(b, shapes[i], 2 * fine, 3 * fine, run->full ? 1000000 : 40000, &some);
        double fine_error = function_error(b, shapes[i], fine, 3 * fine, run->full ? 1000000 : 40000, &many);
        kin_case_row(run, names[i], "worst error in the band (cells)", fine_error, 0, 0.5, "closed form");
        kin_case_row(run, names[i], "order of convergence", log2(2 * coarse_error / fine_error), 2, 0.3, "trilinear: 2");
        kin_case_row(run, names[i], "growth of the stored values: exponent", log2(many / some), 2, 0.4, "a surface: 2; a volume: 3");
    }
}

/* Every triangle; the sign from solid angles. */
static double brute_distance(const kin_mesh* m, kin_vec3 x)
{
    double best = 1e300, turn = 0;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        kin_feature feature;
        kin_vec3 p[3], q[3];
        for (int k = 0; k < 3; ++k) p[k] = m->vertices[m->triangles[t][k]], q[k] = kin_sub(p[k], x);
        best = fmin(best, kin_distance(x, kin_closest_on_triangle(p[0], p[1], p[2], x, &feature)));
        double a = kin_length(q[0]), b = kin_length(q[1]), c = kin_length(q[2]);
        turn += atan2(kin_triple(q[0], q[1], q[2]), a * b * c + kin_dot(q[0], q[1]) * c + kin_dot(q[1], q[2]) * a + kin_dot(q[2], q[0]) * b);
    }
    return fabs(turn) > KIN_PI ? -best : best;
}

static void bumpy_mesh(kin_case_run* run, bench* b)
{
    double worst = NAN, wrong = NAN, h = run->full ? 0.025 : 0.06;
    if (take_band(b, round_mesh(&b->allocator, 1, 0.4, 0.2, 40, 24), h)) {
        worst = wrong = 0;
        for (int i = 0; i < (run->full ? 20000 : 1000); ++i) {
            kin_vec3 x = draw(2, (uint64_t)i, 1.6);
            double exact = brute_distance(b->mesh, x), value = kin_sdf_value(b->sdf, x);
            if (fabs(exact) < 3 * h) worst = fmax(worst, fabs(value - exact));
            if (fabs(exact) > h) wrong += (value < 0) != (exact < 0);
        }
    }
    kin_case_row(run, "bumpy torus of triangles", "worst error in the band (cells)", worst / h, 0, 0.5, "every triangle");
    kin_case_row(run, "bumpy torus of triangles", "wrong signs anywhere", wrong, 0, 0, "solid angles (van Oosterom 1983)");
}

/* Away from edges: what is nearest lies two cells within a face. */
static void cube_band(kin_case_run* run, bench* b)
{
    double smooth = NAN, edges = NAN, h = run->full ? 0.02 : 0.07;
    if (take_band(b, cube_mesh(&b->allocator, 1, kin_v(0.3, 1, 0.2), false), h)) {
        kin_vec3 n = kin_normalize_or(kin_v(0.3, 1, 0.2), kin_v(0, 1, 0)), u = kin_normalize_or(kin_cross(n, kin_v(0.3, 0.1, 1)), kin_v(1, 0, 0));
        kin_vec3 w = kin_cross(u, n);
        smooth = edges = 0;
        for (int i = 0; i < (run->full ? 200000 : 40000); ++i) {
            kin_vec3 x = draw(3, (uint64_t)i, 1.3), q = kin_sub(kin_abs3(x), kin_v(1, 1, 1));
            double exact = kin_length(kin_max3(q, kin_v(0, 0, 0))) + fmin(kin_largest(q), 0);
            kin_vec3 at = kin_add_scaled(kin_add_scaled(kin_scale(u, x.x), x.y, n), x.z, w);
            if (fabs(exact) > 2 * h) continue;
            double error = fabs(kin_sdf_value(b->sdf, at) - exact), second = q.x + q.y + q.z - kin_largest(q) - fmin(q.x, fmin(q.y, q.z));
            if (second < -4 * h)
                smooth = fmax(smooth, error);
            else
                edges = fmax(edges, error);
        }
    }
    kin_case_row(run, "turned cube", "worst error away from edges (cells)", smooth / h, 0, 0.5, "closed form; issue: half a cell");
    kin_case_row(run, "turned cube", "worst error at edges (cells)", edges / h, 0, 0.8661, "slope 1: at most sqrt 3 / 2");
}

static void ball_queries(kin_case_run* run, bench* b)
{
    shape_at shape = {ball_at};
    kin_sdf_band_def def = {0.05, 3, 0.5};
    kin_sdf* s = NULL;
    double ray = NAN, sphere = NAN, nearest = NAN;
    kin_aabb box = {{-1, -1, -1}, {1, 1, 1}};
    if (b->ok && kin_sdf_create_function(&b->allocator, &b->jobs, box, &def, shape_values, &shape, 1, &s, NULL) == KIN_OK) {
        ray = sphere = nearest = 0;
        for (int i = 0; i < (run->full ? 20000 : 2000); ++i) {
            kin_vec3 aim = kin_scale(draw(5, (uint64_t)i, 1), 0.4), from = kin_scale(kin_normalize_or(draw(6, (uint64_t)i, 1), kin_v(1, 0, 0)), 1.8),
                     by = kin_sub(aim, from);
            for (int k = 0; k < 2; ++k) { /* |from + t by| = 1 + radius */
                double r = k == 0 ? 1 : 1.3, a = kin_length2(by), c = kin_dot(from, by), root = c * c - a * (kin_length2(from) - r * r);
                kin_sdf_hit hit = {.t = NAN};
                bool found = k == 0 ? kin_sdf_ray(s, from, by, 1, &hit) : kin_sdf_sweep(s, from, by, 0.3, &hit);
                double off = fabs((found ? hit.t : NAN) - (-c - sqrt(root)) / a) * sqrt(a);
                if (k == 0) ray = off > ray || isnan(off) ? off : ray;
                if (k == 1) sphere = off > sphere || isnan(off) ? off : sphere;
            }
            kin_sdf_point p = kin_sdf_closest(s, kin_scale(from, 1.1 / 1.8), 1e-9, 30);
            double off = kin_distance(p.point, kin_scale(from, 1 / 1.8));
            nearest = off > nearest || isnan(off) || !p.converged ? (p.converged ? off : NAN) : nearest;
        }
    }
    kin_case_row(run, "ball", "rays: hit off by (cells)", ray / 0.05, 0, 0.1, "closed form");
    kin_case_row(run, "ball", "spheres: hit off by (cells)", sphere / 0.05, 0, 0.8, "closed form; beyond the band");
    kin_case_row(run, "ball", "nearest point off by (cells)", nearest / 0.05, 0, 0.1, "closed form");
    kin_sdf_destroy(s);
}

static void sdf_band(kin_case_run* run)
{
    bench b = bench_begin(run);
    smooth_shapes(run, &b);
    cube_band(run, &b);
    bumpy_mesh(run, &b);
    ball_queries(run, &b);
    bench_end(&b);
}

/* ---- a tree against a field ---- */

static bool tree_of(const kin_mesh* m, const kin_allocator* a, kin_bvh* tree)
{
    kin_aabb* boxes = malloc(m->triangle_count * sizeof *boxes);
    kin_bvh_init(tree, a);
    for (uint32_t t = 0; t < m->triangle_count && boxes != NULL; ++t) {
        boxes[t] = kin_aabb_empty();
        for (int k = 0; k < 3; ++k) boxes[t] = kin_aabb_add(boxes[t], m->vertices[m->triangles[t][k]]);
    }
    bool built = boxes != NULL && kin_bvh_build(tree, boxes, m->triangle_count);
    free(boxes);
    return built;
}

static double missed(const kin_sdf_body* tree, const kin_sdf_body* field, const kin_sdf_inside_list* list)
{
    double wrong = 0;
    size_t at = 0;
    for (uint32_t v = 0; v < tree->mesh->vertex_count; ++v) {
        if (tree->mesh->star_begin[v] == tree->mesh->star_begin[v + 1]) continue;
        bool inside = kin_sdf_value(field->sdf, kin_unapply(field->pose, kin_apply(tree->pose, tree->mesh->vertices[v]))) <= 0;
        bool listed = at < list->count && list->data[at].vertex == v;
        at += listed;
        wrong += inside != listed;
    }
    return wrong;
}

static void sdf_tree(kin_case_run* run)
{
    bench a = bench_begin(run), b = bench_begin(run);
    kin_sdf_inside_list list;
    kin_bvh trees[2];
    kin_sdf_inside_init(&list, &a.allocator);
    bool ok = take_band(&a, round_mesh(&a.allocator, 1, 0.4, 0.1, 48, 24), 0.08) && take_band(&b, round_mesh(&b.allocator, 0, 0.35, 0, 24, 12), 0.05);
    if (ok && tree_of(a.mesh, &a.allocator, &trees[0]) && tree_of(b.mesh, &b.allocator, &trees[1])) {
        kin_sdf_body ring = {a.mesh, &trees[0], a.sdf, kin_transform_identity()}, ball = {b.mesh, &trees[1], b.sdf, kin_transform_identity()};
        double wrong = 0, swapped_wrong = 0, straddling = 0;
        for (int i = 0; i < (run->full ? 400 : 40) && ok; ++i) {
            kin_rng_key key = {.seed = 7, .serial = (uint64_t)i};
            ball.pose =
                (kin_transform){kin_scale(kin_rng_direction(&key, 9), kin_rng_uniform(&key, 8, 0.5, 1.7)), kin_quat_axis_angle(kin_rng_direction(&key, 7), i)};
            ok = kin_sdf_collide(&ring, &ball, 1e-3, &list);
            wrong += list.swapped ? missed(&ball, &ring, &list) : missed(&ring, &ball, &list);
            kin_aabb grid = kin_aabb_transform(ball.pose, kin_sdf_bounds(ball.sdf));
            swapped_wrong += list.swapped != kin_aabb_contains_box(a.mesh->bounds, grid) && list.swapped;
            straddling += list.straddling;
        }
        kin_case_row(run, "ring and ball", "vertices inside that differ from one by one", ok ? wrong : NAN, 0, 0, "every vertex by itself");
        kin_case_row(run, "ring and ball", "roles swapped though the field sticks out", swapped_wrong, 0, 0, "Coutinho 12.3");
        kin_case_row(run, "ring and ball", "boxes all outside that had to be opened: any", straddling > 0, 1, 0, "Catalog G12.3: mixed-free straddling nodes");
        ball.pose = kin_transform_identity();
        kin_bvh tree_big;
        kin_mesh* big = cube_mesh(&a.allocator, 3, kin_v(0, 1, 0), false);
        kin_sdf* big_sdf = NULL;
        kin_sdf_band_def def = {0.2, 2, 0};
        double found = NAN, swapped = NAN;
        if (big != NULL && tree_of(big, &a.allocator, &tree_big) && kin_sdf_create_band(&a.allocator, &a.jobs, big, &def, &big_sdf, NULL) == KIN_OK) {
            kin_sdf_body around = {big, &tree_big, big_sdf, kin_transform_identity()};
            if (kin_sdf_collide(&around, &ball, 1e-3, &list)) found = missed(&ball, &around, &list) + (list.count < 100), swapped = list.swapped;
            kin_bvh_term(&tree_big);
        }
        kin_case_row(run, "ball within a cube", "roles swapped", swapped, 1, 0, "Coutinho 12.3: field in the root box");
        kin_case_row(run, "ball within a cube", "vertices of the ball missed", found, 0, 0, "all are inside");
        kin_sdf_destroy(big_sdf);
        kin_mesh_destroy(big);
        kin_bvh_term(&trees[0]);
        kin_bvh_term(&trees[1]);
    } else {
        kin_case_row(run, "ring and ball", "made", 0, 1, 0, "");
    }
    kin_sdf_inside_term(&list);
    bench_end(&a);
    bench_end(&b);
}

/* ---- isosurfaces ---- */

typedef struct surface_count {
    double euler, open_edges, components;
} surface_count;

static int by_number(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}
static uint32_t root_of(uint32_t* parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* open_edges: directed edges that do not have exactly one twin. */
static surface_count count_up(const uint32_t* corners, size_t triangles, size_t vertices)
{
    surface_count c = {NAN, NAN, NAN};
    uint64_t* edges = malloc((3 * triangles + 1) * sizeof *edges);
    uint32_t* parent = malloc((vertices + 1) * sizeof *parent);
    bool* used = calloc(vertices + 1, sizeof *used);
    if (edges != NULL && parent != NULL && used != NULL) {
        double edge_count = 0;
        c = (surface_count){(double)triangles, 0, 0};
        for (uint32_t v = 0; v < vertices; ++v) parent[v] = v;
        for (size_t i = 0; i < 3 * triangles; ++i) {
            uint32_t a = corners[i], b = corners[i % 3 == 2 ? i - 2 : i + 1];
            edges[i] = (uint64_t)a << 32 | b;
            used[a] = true;
            parent[root_of(parent, a)] = root_of(parent, b);
        }
        qsort(edges, 3 * triangles, sizeof *edges, by_number);
        for (size_t i = 0; i < 3 * triangles; ++i) {
            uint64_t back = edges[i] << 32 | edges[i] >> 32;
            bool twin = bsearch(&back, edges, 3 * triangles, sizeof *edges, by_number) != NULL, again = i > 0 && edges[i] == edges[i - 1];
            c.open_edges += !twin || again;
            edge_count += !twin || edges[i] < back;
        }
        for (uint32_t v = 0; v < vertices; ++v) c.euler += used[v], c.components += used[v] && root_of(parent, v) == v;
        c.euler -= edge_count;
    }
    free(edges);
    free(parent);
    free(used);
    return c;
}

static double enclosed(const kin_isosurface* s)
{
    double sum = 0;
    for (size_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t* c = s->corners + 3 * t;
        sum += kin_triple(s->vertices[c[0]], s->vertices[c[1]], s->vertices[c[2]]) / 6;
    }
    return sum;
}

static kin_isosurface_grid grid_about_origin(uint32_t points, double half)
{
    return (kin_isosurface_grid){{-half, -half, -half}, 2 * half / (points - 1), {points, points, points}, 0, false};
}

static void shape_numbers(kin_case_run* run, bench* b, at_fn* at, const char* name, double euler, double volume)
{
    double error[2] = {NAN, NAN};
    surface_count c = {NAN, NAN, NAN};
    shape_at shape = {at};
    for (uint32_t level = 0; level < 2 && b->ok; ++level) {
        kin_isosurface_grid grid = grid_about_origin(((run->full ? 128u : 32u) << level) + 1, 1.6);
        kin_isosurface s;
        if (kin_isosurface_of_function(&b->allocator, &b->jobs, &grid, shape_values, &shape, &s, NULL) != KIN_OK) break;
        error[level] = fabs(enclosed(&s) - volume);
        c = count_up(s.corners, s.triangle_count, s.vertex_count);
        kin_isosurface_term(&s);
    }
    kin_case_row(run, name, "Euler characteristic", c.euler, euler, 0, "topology");
    kin_case_row(run, name, "edges without one triangle on each side", c.open_edges, 0, 0, "watertight");
    kin_case_row(run, name, "volume: order of convergence", log2(error[0] / error[1]), 2, 0.2, "chords of a smooth surface: 2");
}

/* Any values; checkerboards; opposite corners: where ambiguities live. */
static void draw_cell(uint64_t serial, double v[8])
{
    kin_rng_key key = {.seed = 11, .serial = serial};
    for (uint32_t c = 0; c < 8; ++c) {
        double x = kin_rng_uniform(&key, c, -1, 1), size = exp(1.5 * x - 1.5);
        int bits = __builtin_popcount(c);
        v[c] = serial % 3 == 0 ? x : serial % 3 == 1 ? (bits % 2 ? -1 : 1) * size : (c == 0 || c == 7 ? -8 : 1) * size;
    }
}

/* The cell's own triangles against the same trilinear function on 8 x 8 x 8 cells. */
static void random_cells(kin_case_run* run, bench* b)
{
    enum { N = 9 };
    double wrong = 0, tunnels = 0;
    int count = run->full ? 30000 : 1000;
    for (int i = 0; i < count && b->ok; ++i) {
        double v[8];
        float values[N * N * N];
        kin_cube_patch p;
        uint32_t corners[3 * KIN_CUBE_TRIANGLES];
        draw_cell((uint64_t)i, v);
        kin_cube_surface(v, &p);
        for (int t = 0; t < 3 * p.triangle_count; ++t) corners[t] = p.corners[t / 3][t % 3];
        for (int k = 0; k < N * N * N; ++k) {
            double x[3] = {k % N / (N - 1.0), k / N % N / (N - 1.0), k / N / N / (N - 1.0)}, sum = 0;
            for (int c = 0; c < 8; ++c) sum += v[c] * (c & 1 ? x[0] : 1 - x[0]) * (c & 2 ? x[1] : 1 - x[1]) * (c & 4 ? x[2] : 1 - x[2]);
            values[k] = (float)sum;
        }
        kin_isosurface_grid grid = grid_about_origin(N, 1);
        kin_isosurface s;
        if (kin_isosurface_of_grid(&b->allocator, &b->jobs, &grid, values, &s, NULL) != KIN_OK) break;
        surface_count one = count_up(corners, (size_t)p.triangle_count, 12 + KIN_CUBE_EXTRA), many = count_up(s.corners, s.triangle_count, s.vertex_count);
        wrong += one.euler != many.euler || one.components != many.components;
        tunnels += p.tunnels;
        kin_isosurface_term(&s);
    }
    kin_case_row(run, "random cells", "topology differs from the refined cell's", wrong, 0, 0, "trilinear function on 8^3 cells");
    kin_case_row(run, "random cells", "tunnels among them: any", tunnels > 0, 1, 0, "Chernyaev 1995: cases 4.2, 6, 7, 10, 12, 13");
}

static void noise_grid(kin_case_run* run, bench* b)
{
    uint32_t n = run->full ? 96 : 32;
    float* v = malloc((size_t)n * n * n * sizeof *v);
    double open_edges = NAN;
    for (uint32_t i = 0; i < n * n * n && v != NULL; ++i) {
        uint32_t x = i % n, y = i / n % n, z = i / n / n;
        bool border = x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1;
        kin_rng_key key = {.seed = 13, .serial = i};
        double r = kin_rng_uniform(&key, 0, -1, 1);
        v[i] = border ? 1 : fabs(r) < 0.05 ? 0 : (float)r; /* exact zeros too: they count as inside */
    }
    kin_isosurface_grid grid = grid_about_origin(n, 1);
    kin_isosurface s;
    if (v != NULL && b->ok && kin_isosurface_of_grid(&b->allocator, &b->jobs, &grid, v, &s, NULL) == KIN_OK) {
        open_edges = count_up(s.corners, s.triangle_count, s.vertex_count).open_edges;
        kin_isosurface_term(&s);
    }
    free(v);
    kin_case_row(run, "noise with zeros", "edges without one triangle on each side", open_edges, 0, 0, "Coutinho 12.1: zero is inside; watertight");
}

static void every_mask(kin_case_run* run)
{
    double wrong = 0;
    for (int mask = 0; mask < 256; ++mask) {
        double v[8];
        kin_cube_patch p;
        uint32_t corners[3 * KIN_CUBE_TRIANGLES];
        int cut = 0;
        for (int c = 0; c < 8; ++c) v[c] = (mask >> c & 1 ? -1 : 1) * (1 + 0.1 * c);
        for (int e = 0; e < 12; ++e) cut += (v[kin_cube_edge_corner(e, 0)] <= 0) != (v[kin_cube_edge_corner(e, 1)] <= 0);
        kin_cube_surface(v, &p);
        for (int t = 0; t < 3 * p.triangle_count; ++t) corners[t] = p.corners[t / 3][t % 3];
        surface_count c = count_up(corners, (size_t)p.triangle_count, 12 + KIN_CUBE_EXTRA);
        wrong += c.open_edges != cut || c.euler != p.loops - 2 * p.tunnels; /* as many border edges as cut cell edges: closed loops */
    }
    kin_case_row(run, "256 sign cases", "cells whose surface is not closed loops, filled", wrong, 0, 0, "Catalog N10: 256 cases");
}

static void isosurface(kin_case_run* run)
{
    bench b = bench_begin(run);
    shape_numbers(run, &b, ball_at, "ball", 2, 4 * KIN_PI / 3);
    shape_numbers(run, &b, torus_at, "torus", 0, 2 * KIN_PI * KIN_PI * 0.16);
    shape_numbers(run, &b, two_balls_at, "two balls", 4, 2 * 4 * KIN_PI / 3 * 0.55 * 0.55 * 0.55);
    every_mask(run);
    random_cells(run, &b);
    noise_grid(run, &b);
    bench_end(&b);
}

/* ---- height fields ---- */

typedef struct ground {
    kin_height* height;
    kin_trimesh* mesh; /* the same triangles, and walls and a floor far below: closed */
    uint32_t triangles;
} ground;

/* Top, floor and walls of a block under the heights. */
static kin_mesh* block_mesh(const kin_allocator* a, const kin_height* h, double floor_y)
{
    uint32_t nx = h->nx, nz = h->nz, low = nx * nz, cells = (nx - 1) * (nz - 1);
    kin_vec3* v = malloc(2 * (size_t)low * sizeof *v);
    uint32_t* c = malloc((4 * (size_t)cells + 4 * (nx + nz)) * 3 * sizeof *c);
    size_t n = 0;
    for (uint32_t i = 0; i < low && v != NULL; ++i) {
        v[i] = v[low + i] = kin_height_vertex(h, i % nx, i / nx);
        v[low + i].y = floor_y;
    }
    for (uint32_t i = 0; i < 2 * cells && c != NULL; ++i) {
        uint32_t cell = i % cells, base = i < cells ? 0 : low, p = base + cell / (nx - 1) * nx + cell % (nx - 1), q = p + 1, r = p + nx, s = r + 1;
        uint32_t up[6] = {p, r, q, q, r, s}, down[6] = {p, q, r, q, s, r};
        for (int k = 0; k < 6; ++k) c[n++] = i < cells ? up[k] : down[k];
    }
    for (uint32_t i = 0; i < 2 * (nx - 1) + 2 * (nz - 1) && c != NULL; ++i) { /* from p to q along the border, the ground on the left */
        uint32_t along_x = 2 * (nx - 1), k = i < along_x ? i / 2 : (i - along_x) / 2, p, q;
        if (i < along_x)
            p = i % 2 == 0 ? k : (nz - 1) * nx + k + 1, q = i % 2 == 0 ? k + 1 : (nz - 1) * nx + k;
        else
            p = i % 2 == 0 ? (k + 1) * nx : k * nx + nx - 1, q = i % 2 == 0 ? k * nx : (k + 1) * nx + nx - 1;
        uint32_t wall[6] = {p, q, low + q, p, low + q, low + p};
        for (int m = 0; m < 6; ++m) c[n++] = wall[m];
    }
    return mesh_of(a, v, 2 * (size_t)low, c, n / 3);
}

static bool ground_make(const kin_allocator* a, uint32_t n, ground* g)
{
    double* heights = malloc((size_t)n * n * sizeof *heights);
    for (uint32_t i = 0; i < n * n && heights != NULL; ++i) {
        kin_rng_key key = {.seed = 17, .serial = i};
        heights[i] = 0.8 * sin(0.3 * (i % n)) * cos(0.2 * (i / n)) + kin_rng_uniform(&key, 0, -0.2, 0.2);
    }
    kin_height_def def = {{-4, 0, -4}, {8.0 / (n - 1), 8.0 / (n - 1)}, n, n, heights, NULL};
    *g = (ground){.triangles = 2 * (n - 1) * (n - 1)};
    bool ok = heights != NULL && kin_height_create(a, &def, &g->height, NULL) == KIN_OK;
    free(heights);
    kin_mesh* mesh = ok ? block_mesh(a, g->height, -60) : NULL;
    return mesh != NULL && mesh->closed && kin_trimesh_create(a, mesh, &g->mesh, NULL) == KIN_OK;
}

/* Worst difference of two answers; a hit on a wall of the block is none of the ground's. */
static double differ(const ground* g, bool found, const kin_touch* got, bool expected, const kin_touch* want)
{
    if (expected && want->feature >= g->triangles) return 0;
    if (found != expected) return 1;
    if (!found) return 0;
    double off = kin_distance(got->point, want->point) + kin_distance(got->normal, want->normal) + fabs(got->distance - want->distance);
    return got->feature == want->feature ? off + fabs(got->t - want->t) : 1;
}

static void height_field(kin_case_run* run)
{
    kin_allocator a = kin_allocator_default();
    ground g = {0};
    double ray = NAN, nearest = NAN, sphere = NAN, sharp = NAN, bytes = NAN;
    if (ground_make(&a, run->full ? 257 : 65, &g)) {
        ray = nearest = sphere = sharp = 0;
        for (int i = 0; i < (run->full ? 100000 : 5000); ++i) {
            kin_vec3 from = draw(19, (uint64_t)i, 2.5), to = draw(23, (uint64_t)i, 2.5), by = kin_sub(to, from);
            kin_touch got, want;
            bool found = kin_height_ray(g.height, from, by, 1, &got), expected = kin_trimesh_ray(g.mesh, from, by, 1, &want);
            ray = fmax(ray, differ(&g, found, &got, expected, &want));
            found = kin_height_closest(g.height, from, 1, &got), expected = kin_trimesh_closest(g.mesh, from, 1, &want);
            got.t = want.t = 0;
            if (!expected || fabs(want.distance) < 1.4) nearest = fmax(nearest, differ(&g, found, &got, expected, &want));
            kin_path path = {.a = from, .d = by, .radius = i % 4 * 0.1};
            kin_path_slack(&path, 4, 0);
            found = kin_height_sweep(g.height, &path, &got), expected = kin_trimesh_sweep(g.mesh, &path, &want);
            sphere = fmax(sphere, differ(&g, found, &got, expected, &want));
        }
        for (uint32_t i = 0; i < g.mesh->mesh->triangle_count; ++i) {
            const kin_facet* f = &g.mesh->corners[i];
            if (f->triangle < g.triangles) sharp += kin_height_facet(g.height, f->triangle).sharp != f->sharp;
        }
        bytes = (double)kin_height_bytes(g.height) / ((double)g.height->nx * g.height->nz);
    }
    kin_case_row(run, "hills", "rays: worst difference (m)", ray, 0, 1e-11, "closed mesh of the same triangles");
    kin_case_row(run, "hills", "nearest points: worst difference (m)", nearest, 0, 1e-11, "closed mesh of the same triangles");
    kin_case_row(run, "hills", "spheres: worst difference (m)", sphere, 0, 1e-11, "closed mesh of the same triangles");
    kin_case_row(run, "hills", "sharp edges and corners that differ", sharp, 0, 0, "closed mesh of the same triangles");
    kin_case_row(run, "hills", "bytes a sample", bytes, 8, 0.7, "4 height, 1 mark, 8/3 pyramid");
    kin_height_destroy(g.height);
    kin_trimesh_destroy(g.mesh);
}

const kin_case kin_cases_fields[] = {
    {"collision/sdf-scanlines", "scanline fields: slanted planes, cube, ball; N10", sdf_scanlines},
    {"collision/sdf-band", "band fields against closed forms and every triangle; orders, memory, rays, spheres", sdf_band},
    {"collision/sdf-tree", "a tree of triangles against a field, roles swapped where needed", sdf_tree},
    {"collision/isosurface", "marching cubes: watertight, right topology, volume of second order", isosurface},
    {"collision/height-field", "height fields answer as closed meshes do", height_field},
    {NULL, NULL, NULL},
};
