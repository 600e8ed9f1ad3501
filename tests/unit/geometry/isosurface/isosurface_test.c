#include "geometry/isosurface/isosurface.h"
#include "geometry/isosurface/cube.h"
#include "support/test.h"
#include "unit/geometry/isosurface/counting.h"
#include "unit/geometry/shapes.h"
#include <string.h>

#define GOLDEN 0x813fa0389bbafcc2u

/* ---- one cell ---- */

static counts count_patch(const kin_cube_patch* p)
{
    uint32_t corners[3 * KIN_CUBE_TRIANGLES];
    for (int t = 0; t < p->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) corners[3 * t + k] = p->corners[t][k];
    }
    return count_up(corners, (size_t)p->triangle_count, 12 + KIN_CUBE_EXTRA);
}

static double trilinear(const double v[8], double x, double y, double z)
{
    double sum = 0;
    for (int c = 0; c < 8; ++c) sum += v[c] * (c & 1 ? x : 1 - x) * (c & 2 ? y : 1 - y) * (c & 4 ? z : 1 - z);
    return sum;
}

/* Values of three kinds: any, checkerboards, and opposite corners: where ambiguities live. */
static void roll_cell(dice* d, int kind, double v[8])
{
    for (int c = 0; c < 8; ++c) {
        bool odd = __builtin_popcount((unsigned)c) % 2, corner = c == 0 || c == 7;
        v[c] = kind == 0 ? roll(d, -1, 1) : kind == 1 ? (odd ? -1 : 1) * roll(d, 0.1, 1) : (corner ? -8 : 1) * exp(roll(d, -3, 0));
    }
}

/* Parts of one sign in a cell sampled n to a side, by painting. */
static int paint(const double v[8], int n)
{
    int total = n * n * n, parts = 0;
    int8_t* sign = malloc((size_t)total);
    int* stack = malloc((size_t)total * sizeof *stack);
    for (int i = 0; i < total; ++i) sign[i] = trilinear(v, i % n / (n - 1.0), i / n % n / (n - 1.0), i / n / n / (n - 1.0)) <= 0 ? 1 : 2;
    for (int start = 0; start < total; ++start) {
        int8_t s = sign[start];
        if (s == 0) continue;
        int top = 0;
        parts += 1;
        sign[start] = 0, stack[top++] = start;
        while (top > 0) {
            int i = stack[--top], x = i % n, y = i / n % n, z = i / n / n,
                steps[6] = {x > 0 ? -1 : 0, x < n - 1 ? 1 : 0, y > 0 ? -n : 0, y < n - 1 ? n : 0, z > 0 ? -n * n : 0, z < n - 1 ? n * n : 0};
            for (int k = 0; k < 6; ++k) {
                if (steps[k] == 0 || sign[i + steps[k]] != s) continue;
                sign[i + steps[k]] = 0, stack[top++] = i + steps[k];
            }
        }
    }
    free(sign);
    free(stack);
    return parts;
}

static void check_patch(test* t, const double v[8], const kin_cube_patch* p, counts* c)
{
    *c = count_patch(p);
    CHECK(t, c->sound);
    EQUAL(t, c->components, p->loops - p->tunnels);
    EQUAL(t, euler(c), p->loops - 2 * p->tunnels); /* disks 1 each, tunnels 0 */
    unsigned cut = 0, seen = 0;
    for (int e = 0; e < 12; ++e) cut |= (unsigned)((v[kin_cube_edge_corner(e, 0)] <= 0) != (v[kin_cube_edge_corner(e, 1)] <= 0)) << e;
    for (int i = 0; i < p->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (p->corners[i][k] < 12) seen |= 1u << p->corners[i][k];
        }
    }
    EQUAL(t, seen, cut); /* all cut edges, and no others */
    EQUAL(t, c->borders, __builtin_popcount(cut));
    for (int i = 0; i < p->extra_count; ++i) {
        for (int a = 0; a < 3; ++a) CHECK(t, p->extra[i][a] > 0 && p->extra[i][a] < 1);
    }
}

static void every_sign_case_is_closed(test* t) /* 256 masks, values of many sizes: the border of the patch is the contour on the faces */
{
    dice d = {4};
    int tunnels = 0, extras = 0, most_loops = 0;
    for (int mask = 0; mask < 256; ++mask) {
        for (int round = 0; round < 25; ++round) {
            double v[8];
            for (int c = 0; c < 8; ++c) v[c] = (mask >> c & 1 ? -1 : 1) * exp(roll(&d, -4, 4));
            if (round == 0) {
                for (int c = 0; c < 8; ++c) v[c] = mask >> c & 1 ? 0 : 1; /* zero is inside */
            }
            if (round == 1) {
                for (int c = 0; c < 8; ++c) v[c] = mask >> c & 1 ? -1 : 1; /* all saddles at zero */
            }
            kin_cube_patch p;
            counts c;
            kin_cube_surface(v, &p);
            if (mask == 0 || mask == 255) EQUAL(t, p.triangle_count, 0);
            check_patch(t, v, &p, &c);
            tunnels += p.tunnels, extras += p.extra_count > 0;
            if (p.loops > most_loops) most_loops = p.loops;
        }
    }
    CHECK(t, tunnels > 40 && extras > 40);
    EQUAL(t, most_loops, 4);
}

static void the_table_agrees_with_the_method(test* t)
{
    kin_cube_table* table = malloc(sizeof *table);
    kin_cube_tabulate(table);
    int simple = 0;
    for (int mask = 1; mask < 255; ++mask) {
        if (table->triangle_count[mask] < 0) continue;
        simple += 1;
        double v[8];
        for (int c = 0; c < 8; ++c) v[c] = mask >> c & 1 ? -1 : 2;
        kin_cube_patch p;
        kin_cube_surface(v, &p);
        EQUAL(t, p.triangle_count, table->triangle_count[mask]);
        CHECK(t, memcmp(p.corners, table->corners[mask], (size_t)p.triangle_count * 3) == 0);
    }
    CHECK(t, simple > 100);
    free(table);
}

static void topology_is_that_of_the_trilinear_function(test* t) /* parts by painting; where two samplings agree so must we */
{
    dice d = {12};
    int sure = 0, tunnels = 0;
    for (int i = 0; i < 800; ++i) {
        double v[8];
        roll_cell(&d, i % 3, v);
        kin_cube_patch p;
        kin_cube_surface(v, &p);
        counts c;
        check_patch(t, v, &p, &c);
        if (p.loops < 2) continue;
        int coarse = paint(v, 17), fine = paint(v, 33);
        if (coarse != fine) continue;
        sure += 1;
        tunnels += p.tunnels;
        if (c.components + 1 != fine) fine = paint(v, 193); /* a thin neck slips through a coarse net */
        EQUAL(t, c.components + 1, fine);
    }
    CHECK(t, sure > 200 && tunnels > 30);
}

static kin_isosurface_grid cube_grid(uint32_t points, double half) /* about the origin */
{
    return (kin_isosurface_grid){{-half, -half, -half}, 2 * half / (points - 1), {points, points, points}, 0, false};
}

static void refining_a_cell_keeps_its_topology(test* t) /* the same function on 8 x 8 x 8 cells has the same number of pieces and tunnels */
{
    dice d = {21};
    kin_jobs jobs;
    if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) == KIN_OK)) return;
    enum { N = 9 };
    int tunnels = 0;
    float* values = malloc(N * N * N * sizeof *values);
    for (int i = 0; i < 800; ++i) {
        double v[8];
        roll_cell(&d, i % 3, v);
        kin_cube_patch p;
        kin_cube_surface(v, &p);
        counts one = count_patch(&p), many;
        for (int k = 0; k < N * N * N; ++k) values[k] = (float)trilinear(v, k % N / (N - 1.0), k / N % N / (N - 1.0), k / N / N / (N - 1.0));
        kin_isosurface_grid grid = cube_grid(N, 1);
        kin_isosurface s;
        if (!CHECK(t, kin_isosurface_of_grid(&t->allocator, &jobs, &grid, values, &s, NULL) == KIN_OK)) break;
        many = count_up(s.corners, s.triangle_count, s.vertex_count);
        CHECK(t, many.sound);
        EQUAL(t, many.components, one.components);
        EQUAL(t, euler(&many), euler(&one));
        tunnels += p.tunnels;
        kin_isosurface_term(&s);
    }
    CHECK(t, tunnels > 20);
    free(values);
    kin_jobs_term(&jobs);
}

/* ---- grids ---- */

static void ball_field(const void* context, const kin_vec3* points, double* values, int count)
{
    for (int i = 0; i < count; ++i) values[i] = kin_length(points[i]) - *(const double*)context;
}
static void torus_field(const void* context, const kin_vec3* points, double* values, int count)
{
    (void)context;
    for (int i = 0; i < count; ++i) values[i] = hypot(hypot(points[i].x, points[i].z) - 1, points[i].y) - 0.4;
}
static void two_balls_field(const void* context, const kin_vec3* points, double* values, int count)
{
    (void)context;
    for (int i = 0; i < count; ++i) values[i] = fmin(kin_distance(points[i], kin_v(-0.8, 0, 0)), kin_distance(points[i], kin_v(0.8, 0.1, 0))) - 0.55;
}

static void shapes_have_their_euler_number(test* t) /* ball 2, torus 0, two balls 4; closed */
{
    kin_jobs jobs;
    double one = 1;
    if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 2, NULL) == KIN_OK)) return;
    kin_field_fn* fields[3] = {ball_field, torus_field, two_balls_field};
    static const int expected[3] = {2, 0, 4};
    for (int i = 0; i < 3; ++i) {
        kin_isosurface_grid grid = cube_grid(41, 1.6);
        grid.normals = true;
        kin_isosurface s;
        if (!CHECK(t, kin_isosurface_of_function(&t->allocator, &jobs, &grid, fields[i], &one, &s, NULL) == KIN_OK)) break;
        counts c = count_up(s.corners, s.triangle_count, s.vertex_count);
        CHECK(t, c.sound && c.borders == 0);
        EQUAL(t, euler(&c), expected[i]);
        EQUAL(t, c.components, i == 2 ? 2 : 1);
        EQUAL(t, c.vertices, s.vertex_count);
        for (size_t v = 0; v < s.vertex_count && i == 0; ++v) NEAR3(t, s.normals[v], kin_scale(s.vertices[v], 1 / kin_length(s.vertices[v])), 1e-3);
        kin_mesh_view view = kin_isosurface_view(&s);
        kin_mesh* mesh;
        kin_error error = {0};
        CHECK(t, kin_mesh_create(&t->allocator, &view, &mesh, &error) == KIN_OK && mesh->closed && mesh->dropped == 0);
        kin_mesh_destroy(mesh);
        kin_isosurface_term(&s);
    }
    kin_jobs_term(&jobs);
}

static void volume_converges_with_second_order(test* t)
{
    kin_jobs jobs;
    double error[3], one = 1;
    if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 2, NULL) == KIN_OK)) return;
    for (int level = 0; level < 3; ++level) {
        kin_isosurface_grid grid = cube_grid((16u << level) + 1, 1.3);
        kin_isosurface s;
        if (!CHECK(t, kin_isosurface_of_function(&t->allocator, &jobs, &grid, ball_field, &one, &s, NULL) == KIN_OK)) break;
        error[level] = fabs(enclosed(&s) - 4 * KIN_PI / 3);
        for (size_t v = 0; v < s.vertex_count; ++v) CHECK(t, fabs(kin_length(s.vertices[v]) - 1) < 0.25 * grid.cell * grid.cell);
        kin_isosurface_term(&s);
    }
    for (int i = 0; i < 2; ++i) CHECK(t, log2(error[i] / error[i + 1]) > 1.8 && log2(error[i] / error[i + 1]) < 2.2);
    kin_jobs_term(&jobs);
}

/* Random values, sparse zeros, positive at the border. */
static float* noise(uint32_t nx, uint32_t ny, uint32_t nz, uint64_t seed)
{
    float* v = malloc((size_t)nx * ny * nz * sizeof *v);
    dice d = {seed};
    for (uint32_t k = 0; k < nz; ++k) {
        for (uint32_t j = 0; j < ny; ++j) {
            for (uint32_t i = 0; i < nx; ++i) {
                bool border = i == 0 || j == 0 || k == 0 || i == nx - 1 || j == ny - 1 || k == nz - 1;
                double x = roll(&d, -1, 1);
                v[i + nx * (j + (size_t)ny * k)] = border ? 1 : fabs(x) < 0.02 ? 0 : (float)(seed % 2 ? x : kin_round(2 * x) / 2);
            }
        }
    }
    return v;
}

static void noise_is_closed_and_the_same_for_any_threads(test* t) /* every case, every ambiguity, zeros in corners; several slabs and words */
{
    static const uint32_t sizes[3][3] = {{12, 14, 40}, {67, 9, 21}, {130, 7, 10}};
    for (int i = 0; i < 6; ++i) {
        const uint32_t* n = sizes[i % 3];
        float* v = noise(n[0], n[1], n[2], (uint64_t)i + 5);
        kin_isosurface first = {0};
        for (int threads = 1; threads <= 3; ++threads) {
            kin_jobs jobs;
            kin_isosurface s;
            kin_error error = {0};
            kin_isosurface_grid grid = {{1, 2, 3}, 0.25, {n[0], n[1], n[2]}, 0, true};
            if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, threads, NULL) == KIN_OK)) break;
            if (!CHECK(t, kin_isosurface_of_grid(&t->allocator, &jobs, &grid, v, &s, &error) == KIN_OK)) break;
            kin_jobs_term(&jobs);
            if (threads == 1) {
                counts c = count_up(s.corners, s.triangle_count, s.vertex_count);
                CHECK(t, c.sound && c.borders == 0 && c.triangles > 1000);
                EQUAL(t, c.vertices, s.vertex_count);
                EQUAL(t, euler(&c) % 2, 0);
                kin_mesh_view view = kin_isosurface_view(&s);
                kin_mesh* mesh;
                CHECK(t, kin_mesh_create(&t->allocator, &view, &mesh, &error) == KIN_OK && mesh->closed);
                kin_mesh_destroy(mesh);
                first = s;
                continue;
            }
            EQUAL(t, s.vertex_count, first.vertex_count);
            EQUAL(t, s.triangle_count, first.triangle_count);
            CHECK(t, memcmp(s.vertices, first.vertices, s.vertex_count * sizeof *s.vertices) == 0);
            CHECK(t, memcmp(s.normals, first.normals, s.vertex_count * sizeof *s.normals) == 0);
            CHECK(t, memcmp(s.corners, first.corners, 3 * s.triangle_count * sizeof *s.corners) == 0);
            kin_isosurface_term(&s);
        }
        kin_isosurface_term(&first);
        free(v);
    }
}

static uint64_t mix(uint64_t hash, const void* data, size_t size)
{
    const unsigned char* c = data;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ c[i]) * 1099511628211u;
    return hash;
}

static void wavy_field(const void* context, const kin_vec3* points, double* values, int count)
{
    (void)context;
    for (int i = 0; i < count; ++i) {
        kin_vec3 p = points[i];
        double ring = kin_sqrt(p.x * p.x + p.z * p.z) - 1;
        values[i] = kin_sqrt(ring * ring + p.y * p.y) - 0.4 + 0.1 * kin_sin(9 * p.x) * kin_cos(8 * p.y);
    }
}

static void the_bits_are_always_these(test* t) /* golden: every compiler, debug and release, any threads; the fields of the mesh too */
{
    kin_jobs jobs;
    kin_isosurface s;
    kin_mesh* mesh;
    kin_sdf* fields[2] = {NULL, NULL};
    kin_sdf_band_def def = {0.07, 2, 0.3};
    kin_isosurface_grid grid = {{-1.7, -1.7, -1.7}, 3.4 / 40, {41, 41, 41}, 0, true};
    if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 2, NULL) == KIN_OK)) return;
    if (!CHECK(t, kin_isosurface_of_function(&t->allocator, &jobs, &grid, wavy_field, NULL, &s, NULL) == KIN_OK)) return;
    uint64_t hash = mix(1469598103934665603u, s.vertices, s.vertex_count * sizeof *s.vertices);
    hash = mix(hash, s.normals, s.vertex_count * sizeof *s.normals);
    hash = mix(hash, s.corners, 3 * s.triangle_count * sizeof *s.corners);
    CHECK(t, hash == 0xe646310630456f69u);
    kin_mesh_view view = kin_isosurface_view(&s);
    if (!CHECK(t, kin_mesh_create(&t->allocator, &view, &mesh, NULL) == KIN_OK)) return;
    CHECK(t, kin_sdf_create_band(&t->allocator, &jobs, mesh, &def, &fields[0], NULL) == KIN_OK);
    CHECK(t, kin_sdf_create_scanlines(&t->allocator, &jobs, mesh, 50, &fields[1], NULL) == KIN_OK);
    dice d = {1};
    for (int i = 0; i < 500; ++i) {
        kin_vec3 x = roll3(&d, 2), y = roll3(&d, 2);
        for (int f = 0; f < 2; ++f) {
            double value = kin_sdf_value(fields[f], x);
            kin_sdf_hit hit = {.t = 2};
            hash = mix(hash, &value, sizeof value);
            kin_sdf_sweep(fields[f], x, kin_sub(y, x), 0.1, &hit);
            hash = mix(mix(hash, &hit.t, sizeof hit.t), &hit.normal, sizeof hit.normal);
        }
    }
    test_check(t, hash == GOLDEN, __FILE__, __LINE__, "the hash is %016llx", (unsigned long long)hash);
    for (int f = 0; f < 2; ++f) kin_sdf_destroy(fields[f]);
    kin_mesh_destroy(mesh);
    kin_isosurface_term(&s);
    kin_jobs_term(&jobs);
}

static void a_grid_and_its_function_agree(test* t) /* and a level is a shift */
{
    enum { N = 24 };
    kin_jobs jobs;
    double radius = 0.9;
    if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) == KIN_OK)) return;
    kin_isosurface_grid grid = cube_grid(N, 1.5);
    float* v = malloc(N * N * N * sizeof *v);
    for (int i = 0; i < N * N * N; ++i) {
        kin_vec3 x = kin_add_scaled(grid.origin, grid.cell, kin_v(i % N, i / N % N, i / N / N));
        double value;
        ball_field(&radius, &x, &value, 1);
        v[i] = (float)value;
    }
    kin_isosurface a, b;
    grid.normals = true, grid.level = 0.25;
    CHECK(t, kin_isosurface_of_grid(&t->allocator, &jobs, &grid, v, &a, NULL) == KIN_OK);
    CHECK(t, kin_isosurface_of_function(&t->allocator, &jobs, &grid, ball_field, &radius, &b, NULL) == KIN_OK);
    EQUAL(t, a.vertex_count, b.vertex_count);
    EQUAL(t, a.triangle_count, b.triangle_count);
    for (size_t i = 0; i < a.vertex_count; ++i) {
        CHECK(t, memcmp(&a.vertices[i], &b.vertices[i], sizeof(kin_vec3)) == 0);
        NEAR(t, kin_length(a.vertices[i]), 1.15, 0.01);
        NEAR3(t, a.normals[i], b.normals[i], 0.02);
        NEAR3(t, a.normals[i], kin_scale(a.vertices[i], 1 / kin_length(a.vertices[i])), 0.02);
    }
    CHECK(t, memcmp(a.corners, b.corners, 3 * a.triangle_count * sizeof *a.corners) == 0);
    kin_isosurface_term(&a);
    kin_isosurface_term(&b);
    free(v);
    kin_jobs_term(&jobs);
}

static void a_distance_field_becomes_a_mesh_again(test* t) /* G12.1: the proxy mesh; the torus keeps its hole */
{
    kin_jobs jobs;
    if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 2, NULL) == KIN_OK)) return;
    soup torus = torus_soup(1, 0.4, 40, 24);
    kin_mesh_view view = soup_view(&torus);
    kin_mesh* mesh;
    CHECK(t, kin_mesh_create(&t->allocator, &view, &mesh, NULL) == KIN_OK);
    for (int kind = 0; kind < 2; ++kind) {
        kin_sdf* sdf = NULL;
        kin_sdf_band_def def = {0.08, 2, 0};
        kin_result made = kind == 0 ? kin_sdf_create_band(&t->allocator, &jobs, mesh, &def, &sdf, NULL)
                                    : kin_sdf_create_scanlines(&t->allocator, &jobs, mesh, 36, &sdf, NULL);
        kin_isosurface s;
        if (!CHECK(t, made == KIN_OK && kin_isosurface_of_sdf(&t->allocator, &jobs, sdf, 0, true, &s, NULL) == KIN_OK)) break;
        counts c = count_up(s.corners, s.triangle_count, s.vertex_count);
        CHECK(t, c.sound && c.borders == 0);
        EQUAL(t, euler(&c), 0);
        NEAR(t, enclosed(&s), 2 * KIN_PI * KIN_PI * 0.16, 0.03 * 2 * KIN_PI * KIN_PI * 0.16);
        kin_isosurface_term(&s);
        kin_sdf_destroy(sdf);
    }
    kin_mesh_destroy(mesh);
    soup_free(&torus);
    kin_jobs_term(&jobs);
}

static void bad_input_is_refused(test* t)
{
    kin_jobs jobs;
    kin_error error = {0};
    kin_isosurface s;
    if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) == KIN_OK)) return;
    float v[27] = {0};
    kin_isosurface_grid grid = cube_grid(3, 1);
    v[13] = NAN;
    CHECK(t, kin_isosurface_of_grid(&t->allocator, &jobs, &grid, v, &s, &error) == KIN_ERROR_ARGUMENT && s.vertices == NULL);
    HAS(t, error.message, "not finite");
    v[13] = INFINITY;
    CHECK(t, kin_isosurface_of_grid(&t->allocator, &jobs, &grid, v, &s, &error) == KIN_ERROR_ARGUMENT);
    v[13] = 1;
    grid.cell = -1;
    CHECK(t, kin_isosurface_of_grid(&t->allocator, &jobs, &grid, v, &s, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "cell");
    grid = cube_grid(3, 1), grid.points[1] = 1;
    CHECK(t, kin_isosurface_of_grid(&t->allocator, &jobs, &grid, v, &s, &error) == KIN_ERROR_ARGUMENT);
    grid = cube_grid(3, 1), grid.level = NAN;
    CHECK(t, kin_isosurface_of_grid(&t->allocator, &jobs, &grid, v, &s, &error) == KIN_ERROR_ARGUMENT);
    grid = cube_grid(3, 1), grid.level = -1; /* nothing inside: empty, and no error */
    CHECK(t, kin_isosurface_of_grid(&t->allocator, &jobs, &grid, v, &s, &error) == KIN_OK);
    EQUAL(t, s.triangle_count, 0);
    kin_isosurface_term(&s);
    kin_jobs_term(&jobs);
}

static bool extract_once(test* t, void* context)
{
    kin_jobs jobs;
    if (kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) != KIN_OK) return false;
    kin_isosurface_grid grid = {{0, 0, 0}, 1, {12, 14, 20}, 0, true};
    kin_isosurface s;
    bool ok = kin_isosurface_of_grid(&t->allocator, &jobs, &grid, context, &s, NULL) == KIN_OK;
    kin_isosurface_term(&s);
    kin_jobs_term(&jobs);
    return ok;
}

static void failing_memory_leaks_nothing(test* t)
{
    float* v = noise(12, 14, 20, 3);
    test_fail_each_allocation(t, extract_once, v);
    free(v);
}

TEST_MAIN("isosurface", TEST(every_sign_case_is_closed), TEST(the_table_agrees_with_the_method), TEST(topology_is_that_of_the_trilinear_function),
          TEST(refining_a_cell_keeps_its_topology), TEST(shapes_have_their_euler_number), TEST(volume_converges_with_second_order),
          TEST(noise_is_closed_and_the_same_for_any_threads), TEST(the_bits_are_always_these), TEST(a_grid_and_its_function_agree),
          TEST(a_distance_field_becomes_a_mesh_again), TEST(bad_input_is_refused), TEST(failing_memory_leaks_nothing))
