#include "unit/geometry/sdf/fields.h"
#include <string.h>

static double box_distance(kin_vec3 half, kin_vec3 x)
{
    kin_vec3 q = kin_sub(kin_abs3(x), half);
    return kin_length(kin_max3(q, kin_v(0, 0, 0))) + kin_min(kin_largest(q), 0);
}
static double torus_distance(double ring, double tube, kin_vec3 x) { return hypot(hypot(x.x, x.z) - ring, x.y) - tube; }

/* ---- scanlines ---- */

static void a_box_is_exact_on_its_scanlines(test* t) /* G12 T: inside, the nearest face is met along an axis */
{
    rig r;
    kin_vec3 half = {1, 0.75, 0.5};
    if (!rig_mesh(t, &r, box_soup(half), 1)) return;
    lines_of(t, &r, 32);
    dice d = {1};
    for (int i = 0; i < 2000; ++i) { /* between grid points off by no more than a kink in a cell makes */
        kin_vec3 x = kin_mul(roll3(&d, 1), half);
        NEAR(t, kin_sdf_value(r.sdf, x), box_distance(half, x), 0.5 * 0.0625);
    }
    uint32_t n[3];
    kin_sdf_cells(r.sdf, n);
    EQUAL(t, n[0], 34), EQUAL(t, n[1], 26), EQUAL(t, n[2], 18);
    kin_aabb b = kin_sdf_bounds(r.sdf);
    double h = kin_sdf_cell(r.sdf);
    NEAR(t, h, 2.0 / 32, 1e-15);
    for (uint32_t k = 0; k <= n[2]; ++k) {
        for (uint32_t j = 0; j <= n[1]; ++j) {
            for (uint32_t i = 0; i <= n[0]; ++i) {
                kin_vec3 x = kin_add_scaled(b.low, h, kin_v(i, j, k));
                double exact = box_distance(half, x);
                if (exact < -1e-9) NEAR(t, kin_sdf_at_vertex(r.sdf, i, j, k), exact, 1e-9);
                if (exact > 1e-9) CHECK(t, kin_sdf_at_vertex(r.sdf, i, j, k) > exact - 1e-9);
            }
        }
    }
    rig_free(&r);
}

static void a_convex_solid_stores_six_per_square(test* t) /* G12.2: entries and exits, one pair a line that meets it */
{
    rig r;
    if (!rig_mesh(t, &r, box_soup(kin_v(1.03125, 1.03125, 1.03125)), 2)) return;
    lines_of(t, &r, 33); /* cell 0.0625: 34 x 34 lines along each axis, those in the faces too */
    EQUAL(t, kin_sdf_scalars(r.sdf), 6 * 34 * 34);
    CHECK(t, kin_sdf_bytes(r.sdf) < 4 * 6 * 36 * 36 + 36 * 36 * 3 * 4 + 2048);
    rig_free(&r);
    if (!rig_mesh(t, &r, ball_soup(1, 0, 24), 2)) return;
    lines_of(t, &r, 40);
    EQUAL(t, kin_sdf_scalars(r.sdf) % 2, 0); /* two for each line in the ball's shadow: a disk of radius 20 cells, three times */
    CHECK(t, fabs((double)kin_sdf_scalars(r.sdf) - 6 * KIN_PI * 400) < 0.03 * 6 * KIN_PI * 400);
    rig_free(&r);
}

/* A prism whose one long face has the given normal, through the origin, solid below it. */
static soup wedge_soup(kin_vec3 normal, double size)
{
    kin_vec3 n = kin_normalize_or(normal, kin_v(0, 1, 0)), u = kin_normalize_or(kin_cross(n, kin_v(0.3, 1, 0.1)), kin_v(1, 0, 0)), v = kin_cross(n, u);
    soup s = soup_new(8, 6, 24);
    add_box(&s, kin_v(-size, -size, -2 * size), kin_v(size, size, 0), false);
    for (size_t i = 0; i < 8; ++i) {
        kin_vec3 p = s.vertices[i];
        s.vertices[i] = kin_add_scaled(kin_add_scaled(kin_scale(u, p.x), p.y, v), p.z, n);
    }
    return s;
}

static void slanted_faces_seem_too_far(test* t) /* N10: sqrt(2), sqrt(3); and the iteration's factors 1 - sqrt(2), 1 - sqrt(3) */
{
    static const kin_vec3 normals[2] = {{1, 1, 0}, {1, 1, 1}};
    for (int i = 0; i < 2; ++i) {
        rig r;
        double factor = sqrt(2.0 + i);
        if (!rig_mesh(t, &r, wedge_soup(normals[i], 2), 1)) return;
        lines_of(t, &r, 100);
        double h = kin_sdf_cell(r.sdf);
        kin_vec3 n = kin_normalize_or(normals[i], kin_v(0, 1, 0)), x = kin_scale(n, -3.3 * h);
        NEAR(t, kin_sdf_value(r.sdf, x) / (-3.3 * h), factor, 1e-8);
        NEAR3(t, kin_sdf_gradient(r.sdf, x), n, 1e-7);
        for (int cap = 1; cap < 4; ++cap) {
            kin_sdf_point p = kin_sdf_closest(r.sdf, x, 0, cap);
            EQUAL(t, p.iterations, cap);
            NEAR(t, kin_dot(p.point, n) / (-3.3 * h), pow(1 - factor, cap), 1e-7);
        }
        kin_sdf_point p = kin_sdf_closest(r.sdf, x, 1e-6 * h, 100);
        CHECK(t, p.converged && p.iterations > 5);
        NEAR(t, kin_dot(p.point, n), 0, 1e-6 * h);
        rig_free(&r);
    }
}

static void lines_through_edges_and_corners_count_once(test* t) /* every grid line hits edges: signs at grid points are still right */
{
    rig r;
    soup s = soup_new(6, 8, 24); /* an octahedron on whole numbers, its corners and edges on grid lines */
    for (int i = 0; i < 6; ++i) soup_vertex(&s, kin_scale(kin_axis(i / 2), i % 2 ? -4 : 4));
    for (int i = 0; i < 8; ++i) {
        uint32_t x = i & 1, y = 2 + (i >> 1 & 1), z = 4 + (i >> 2 & 1);
        bool flip = ((i & 1) + (i >> 1 & 1) + (i >> 2 & 1)) % 2 == 1;
        soup_face(&s, 3, flip ? (uint32_t[]){x, z, y} : (uint32_t[]){x, y, z});
    }
    if (!rig_mesh(t, &r, s, 1)) return;
    lines_of(t, &r, 8);
    int wrong = 0;
    for (uint32_t k = 0; k <= 10; ++k) {
        for (uint32_t j = 0; j <= 10; ++j) {
            for (uint32_t i = 0; i <= 10; ++i) {
                int l1 = abs((int)i - 5) + abs((int)j - 5) + abs((int)k - 5);
                double v = kin_sdf_at_vertex(r.sdf, i, j, k);
                wrong += l1 < 4 && fabs(v + (4 - l1)) > 1e-7; /* along any axis the surface is 4 - l1 away */
                wrong += l1 == 4 && v > 1e-7 && v < 1;
                wrong += l1 > 4 && v <= 0;
            }
        }
    }
    EQUAL(t, wrong, 0);
    rig_free(&r);
}

static void the_same_bits_for_any_threads(test* t)
{
    double first[64] = {0}, first_band[64] = {0};
    size_t scalars = 0;
    for (int threads = 1; threads <= 4; ++threads) {
        rig r;
        if (!rig_mesh(t, &r, torus_soup(1, 0.4, 24, 16), threads)) return;
        lines_of(t, &r, 48);
        kin_sdf* lines = r.sdf;
        band_of(t, &r, 0.1, 2);
        dice d = {7};
        for (int i = 0; i < 64; ++i) {
            kin_vec3 x = roll3(&d, 1.5);
            double a = kin_sdf_value(lines, x), b = kin_sdf_value(r.sdf, x);
            if (threads == 1) first[i] = a, first_band[i] = b;
            CHECK(t, memcmp(&first[i], &a, sizeof a) == 0 && memcmp(&first_band[i], &b, sizeof b) == 0);
        }
        if (threads == 1) scalars = kin_sdf_scalars(lines);
        EQUAL(t, kin_sdf_scalars(lines), scalars);
        kin_sdf_destroy(lines);
        rig_free(&r);
    }
}

/* ---- band ---- */

static double worst_error(const kin_sdf* s, double (*exact)(kin_vec3 x), double reach, int count)
{
    dice d = {5};
    double worst = 0;
    for (int found = 0; found < count;) {
        kin_vec3 x = roll3(&d, 1.6);
        double e = exact(x);
        if (fabs(e) > reach) continue;
        found += 1;
        worst = fmax(worst, fabs(kin_sdf_value(s, x) - e));
    }
    return worst;
}

static double unit_ball(kin_vec3 x) { return kin_length(x) - 1; }
static double small_torus(kin_vec3 x) { return torus_distance(1, 0.4, x); }
static void ball_field(const void* context, const kin_vec3* points, double* values, int count)
{
    for (int i = 0; i < count; ++i) values[i] = kin_length(points[i]) - *(const double*)context;
}
static void torus_field(const void* context, const kin_vec3* points, double* values, int count)
{
    (void)context;
    for (int i = 0; i < count; ++i) values[i] = small_torus(points[i]);
}

static void smooth_fields_converge_with_second_order(test* t)
{
    kin_jobs jobs;
    if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 2, NULL) == KIN_OK)) return;
    kin_aabb box = {{-1.7, -1.7, -1.7}, {1.7, 1.7, 1.7}};
    double one = 1;
    for (int shape = 0; shape < 2; ++shape) {
        double error[2];
        for (int level = 0; level < 2; ++level) {
            double h = level == 0 ? 0.1 : 0.05;
            kin_sdf* s = NULL;
            kin_sdf_band_def def = {h, 3, 0};
            if (!CHECK(t, kin_sdf_create_function(&t->allocator, &jobs, box, &def, shape == 0 ? ball_field : torus_field, &one, 1, &s, NULL) == KIN_OK)) return;
            error[level] = worst_error(s, shape == 0 ? unit_ball : small_torus, 0.1, 20000);
            CHECK(t, error[level] < 0.5 * h);
            kin_sdf_destroy(s);
        }
        double order = log2(error[0] / error[1]);
        CHECK(t, order > 1.7 && order < 2.3);
    }
    kin_jobs_term(&jobs);
}

/* Brute force over all triangles, sign from the winding number. */
static double brute(const kin_mesh* m, kin_vec3 x)
{
    double best = 1e300, turn = 0;
    for (uint32_t i = 0; i < m->triangle_count; ++i) {
        kin_feature feature;
        const uint32_t* c = m->triangles[i];
        kin_vec3 p[3] = {m->vertices[c[0]], m->vertices[c[1]], m->vertices[c[2]]}, q[3];
        best = fmin(best, kin_distance(x, kin_closest_on_triangle(p[0], p[1], p[2], x, &feature)));
        for (int k = 0; k < 3; ++k) q[k] = kin_sub(p[k], x);
        double l[3] = {kin_length(q[0]), kin_length(q[1]), kin_length(q[2])};
        turn +=
            2 * atan2(kin_triple(q[0], q[1], q[2]), l[0] * l[1] * l[2] + kin_dot(q[0], q[1]) * l[2] + kin_dot(q[1], q[2]) * l[0] + kin_dot(q[2], q[0]) * l[1]);
    }
    return fabs(turn) > 2 * KIN_PI ? -best : best;
}

static void mesh_fields_are_within_half_a_cell(test* t)
{
    for (int shape = 0; shape < 3; ++shape) {
        rig r;
        soup s = shape == 0 ? box_soup(kin_v(1, 0.8, 0.6)) : shape == 1 ? torus_soup(1, 0.4, 24, 16) : ball_soup(1, 0.15, 20);
        if (!rig_mesh(t, &r, s, 2)) return;
        double h = 0.08, worst = 0;
        band_of(t, &r, h, 3);
        dice d = {11};
        for (int i = 0; i < 3000; ++i) {
            kin_vec3 x = roll3(&d, 1.5);
            double exact = brute(r.mesh, x), got = kin_sdf_value(r.sdf, x);
            if (fabs(exact) <= 2 * h) worst = fmax(worst, fabs(got - exact));
            if (fabs(exact) > h) CHECK(t, (got < 0) == (exact < 0)); /* the sign is right everywhere */
            double clear = kin_sdf_clearance(r.sdf, x);
            CHECK(t, clear <= fabs(exact) + 0.87 * h);
        }
        CHECK(t, worst > 0 && worst < 0.5 * h);
        for (uint32_t i = 0; i < 60; ++i) { /* at grid points: exact but for floats */
            uint32_t n[3];
            kin_sdf_cells(r.sdf, n);
            uint32_t at[3];
            for (int a = 0; a < 3; ++a) at[a] = (uint32_t)roll(&d, 0, n[a] + 1);
            kin_vec3 x = kin_add_scaled(kin_sdf_bounds(r.sdf).low, h, kin_v(at[0], at[1], at[2]));
            double exact = brute(r.mesh, x);
            if (fabs(exact) < 3 * h) NEAR(t, kin_sdf_at_vertex(r.sdf, at[0], at[1], at[2]), exact, 1e-6);
        }
        rig_free(&r);
    }
}

static void memory_grows_with_the_surface(test* t)
{
    size_t scalars[2];
    for (int level = 0; level < 2; ++level) {
        kin_jobs jobs;
        kin_sdf* s = NULL;
        double one = 1;
        kin_sdf_band_def def = {level == 0 ? 0.02 : 0.01, 3, 0};
        if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 2, NULL) == KIN_OK)) return;
        CHECK(t, kin_sdf_create_function(&t->allocator, &jobs, (kin_aabb){{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}}, &def, ball_field, &one, 1, &s, NULL) == KIN_OK);
        scalars[level] = kin_sdf_scalars(s);
        CHECK(t, kin_sdf_bytes(s) >= 4 * scalars[level]);
        kin_sdf_destroy(s);
        kin_jobs_term(&jobs);
    }
    double growth = (double)scalars[1] / (double)scalars[0]; /* 4 for a surface, 8 for a volume */
    CHECK(t, growth > 3 && growth < 4.6);
}

static void nearest_points_and_gradients(test* t)
{
    kin_jobs jobs;
    kin_sdf* s = NULL;
    double one = 1;
    kin_sdf_band_def def = {0.05, 3, 0};
    if (!CHECK(t, kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) == KIN_OK)) return;
    CHECK(t, kin_sdf_create_function(&t->allocator, &jobs, (kin_aabb){{-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5}}, &def, ball_field, &one, 1, &s, NULL) == KIN_OK);
    dice d = {3};
    kin_vec3 points[100], gradients[100];
    double values[100];
    for (int i = 0; i < 100; ++i) points[i] = kin_scale(roll_direction(&d), roll(&d, 0.7, 1.4));
    kin_sdf_sample(s, points, 100, values, gradients);
    for (int i = 0; i < 100; ++i) {
        kin_vec3 n = kin_scale(points[i], 1 / kin_length(points[i]));
        CHECK(t, values[i] == kin_sdf_value(s, points[i]));
        NEAR3(t, gradients[i], n, 0.03);
        kin_sdf_point p = kin_sdf_closest(s, points[i], 1e-6, 20);
        CHECK(t, p.converged && p.iterations <= 12);
        NEAR3(t, p.point, n, 0.02);
        NEAR(t, kin_length(p.point), 1, 0.05 * 0.05);
    }
    kin_sdf_point stuck = kin_sdf_closest(s, kin_v(0, 0, 0), 1e-6, 20); /* the middle has no direction */
    CHECK(t, !stuck.converged && kin_finite3(stuck.point));
    kin_vec3 nowhere = {NAN, 0, 0};
    CHECK(t, kin_finite(kin_sdf_value(s, nowhere)) && kin_finite3(kin_sdf_gradient(s, nowhere)));
    CHECK(t, kin_sdf_value(s, kin_v(1e200, 0, 0)) > 1e100);
    double beyond = kin_sdf_value(s, kin_v(3, 0, 0));
    CHECK(t, beyond <= 2 + 1e-6 && beyond > 1.4);
    kin_sdf_destroy(s);
    kin_jobs_term(&jobs);
}

static void rays_and_spheres_find_the_first_touch(test* t)
{
    rig r;
    if (!rig_mesh(t, &r, torus_soup(1, 0.4, 48, 32), 2)) return;
    kin_sdf* fields[2];
    lines_of(t, &r, 80);
    fields[0] = r.sdf;
    kin_error error = {0};
    kin_sdf_band_def def = {0.03, 3, 0.5};
    CHECK(t, kin_sdf_create_band(&t->allocator, &r.jobs, r.mesh, &def, &fields[1], &error) == KIN_OK);
    r.sdf = NULL;
    dice d = {9};
    int hits = 0;
    for (int i = 0; i < 600; ++i) {
        kin_vec3 a = roll3(&d, 2), b = roll3(&d, 2), by = kin_sub(b, a);
        for (int f = 0; f < 2; ++f) {
            kin_sdf_hit hit;
            bool found = kin_sdf_ray(fields[f], a, by, 1, &hit), seen = false;
            double before = kin_sdf_value(fields[f], a);
            for (int k = 1; k <= 400 && !seen; ++k) { /* the same by small steps along the field itself */
                double u = k / 400.0;
                seen = (kin_sdf_value(fields[f], kin_add_scaled(a, u, by)) > 0) != (before > 0);
                if (seen && CHECK(t, found)) CHECK(t, hit.t <= u + 1e-9);
            }
            if (found) {
                hits += 1;
                NEAR(t, kin_sdf_value(fields[f], hit.point), 0, 1e-6);
                NEAR3(t, hit.point, kin_add_scaled(a, hit.t, by), 1e-12);
                if (f == 1) NEAR(t, small_torus(hit.point), 0, 0.02);
            }
        }
        for (int f = 0; f < 2; ++f) {
            double radius = roll(&d, 0.02, 0.3), start = kin_sdf_value(fields[f], a);
            kin_sdf_hit hit;
            bool found = kin_sdf_sweep(fields[f], a, by, radius, &hit), seen = start <= radius;
            if (seen && CHECK(t, found)) CHECK(t, hit.t == 0 && hit.value <= 0);
            for (int k = 1; k <= 400 && !seen; ++k) {
                double u = k / 400.0;
                seen = kin_sdf_value(fields[f], kin_add_scaled(a, u, by)) <= radius;
                if (seen && CHECK(t, found || f == 0)) CHECK(t, f == 0 || hit.t <= u + 1e-9); /* the scanlines' values leap */
            }
            if (f == 1 && found && hit.t > 0) {
                NEAR(t, small_torus(hit.point), radius, 0.03);
                for (int k = 1; k < 50; ++k) CHECK(t, small_torus(kin_add_scaled(a, hit.t * k / 50, by)) > radius - 0.03); /* nothing before */
            }
        }
    }
    CHECK(t, hits > 200);
    kin_sdf_destroy(fields[0]);
    kin_sdf_destroy(fields[1]);
    rig_free(&r);
}

/* ---- refusals ---- */

static double hill(double x, double z) { return 0.2 * x * z; }
static void not_a_number(const void* context, const kin_vec3* points, double* values, int count)
{
    (void)context;
    for (int i = 0; i < count; ++i) values[i] = points[i].x > 0.3 ? NAN : 1;
}

static void bad_input_is_refused(test* t)
{
    rig r;
    kin_error error = {0};
    kin_sdf_band_def def = {0.1, 3, 0};
    if (!rig_mesh(t, &r, grid_soup(4, 1, hill), 1)) return;
    CHECK(t, kin_sdf_create_scanlines(&t->allocator, &r.jobs, r.mesh, 16, &r.sdf, &error) == KIN_ERROR_ARGUMENT && r.sdf == NULL);
    HAS(t, error.message, "the mesh is open");
    CHECK(t, kin_sdf_create_band(&t->allocator, &r.jobs, r.mesh, &def, &r.sdf, &error) == KIN_ERROR_ARGUMENT);
    rig_free(&r);
    soup room = soup_new(8, 6, 24);
    add_box(&room, kin_v(-1, -1, -1), kin_v(1, 1, 1), true);
    if (!rig_mesh(t, &r, room, 1)) return;
    CHECK(t, kin_sdf_create_band(&t->allocator, &r.jobs, r.mesh, &def, &r.sdf, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "look inward");
    rig_free(&r);
    if (!rig_mesh(t, &r, box_soup(kin_v(1, 1, 1)), 1)) return;
    CHECK(t, kin_sdf_create_scanlines(&t->allocator, &r.jobs, r.mesh, 2, &r.sdf, &error) == KIN_ERROR_ARGUMENT);
    def.cell = 0;
    CHECK(t, kin_sdf_create_band(&t->allocator, &r.jobs, r.mesh, &def, &r.sdf, &error) == KIN_ERROR_ARGUMENT);
    TEXT(t, error.where, "cell");
    def.cell = 1e-6;
    CHECK(t, kin_sdf_create_band(&t->allocator, &r.jobs, r.mesh, &def, &r.sdf, &error) == KIN_ERROR_LIMIT);
    def = (kin_sdf_band_def){0.1, 0, 0};
    CHECK(t, kin_sdf_create_band(&t->allocator, &r.jobs, r.mesh, &def, &r.sdf, &error) == KIN_ERROR_ARGUMENT);
    def = (kin_sdf_band_def){0.1, 2, NAN};
    CHECK(t, kin_sdf_create_band(&t->allocator, &r.jobs, r.mesh, &def, &r.sdf, &error) == KIN_ERROR_ARGUMENT);
    def.margin = 0;
    kin_aabb box = {{-1, -1, -1}, {1, 1, 1}};
    CHECK(t, kin_sdf_create_function(&t->allocator, &r.jobs, box, &def, not_a_number, NULL, 1, &r.sdf, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "not a number");
    CHECK(t, kin_sdf_create_function(&t->allocator, &r.jobs, box, &def, ball_field, &def, 0, &r.sdf, &error) == KIN_ERROR_ARGUMENT);
    CHECK(t,
          kin_sdf_create_function(&t->allocator, &r.jobs, (kin_aabb){{1, 1, 1}, {0, 2, 2}}, &def, ball_field, &def, 1, &r.sdf, &error) == KIN_ERROR_ARGUMENT);
    rig_free(&r);
}

static bool make_both(test* t, void* context)
{
    const kin_mesh* mesh = context;
    kin_jobs jobs;
    if (kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) != KIN_OK) return false;
    kin_sdf *a = NULL, *b = NULL;
    kin_sdf_band_def def = {0.2, 2, 0};
    bool ok = kin_sdf_create_scanlines(&t->allocator, &jobs, mesh, 12, &a, NULL) == KIN_OK
              && kin_sdf_create_band(&t->allocator, &jobs, mesh, &def, &b, NULL) == KIN_OK;
    kin_sdf_destroy(a);
    kin_sdf_destroy(b);
    kin_jobs_term(&jobs);
    return ok;
}

static void failing_memory_leaks_nothing(test* t)
{
    rig r;
    if (!rig_mesh(t, &r, torus_soup(1, 0.4, 8, 6), 1)) return;
    test_fail_each_allocation(t, make_both, r.mesh);
    rig_free(&r);
}

static void scales_from_tiny_to_huge(test* t)
{
    static const double scales[3] = {1e-6, 1, 1e8};
    for (int i = 0; i < 3; ++i) {
        rig r;
        soup s = torus_soup(1, 0.4, 16, 12);
        for (size_t v = 0; v < s.vertex_count; ++v) s.vertices[v] = kin_scale(s.vertices[v], scales[i]);
        if (!rig_mesh(t, &r, s, 1)) return;
        lines_of(t, &r, 24);
        kin_sdf* lines = r.sdf;
        band_of(t, &r, 0.1 * scales[i], 2);
        kin_vec3 x = kin_scale(kin_v(1, 0.1, 0.05), scales[i]);
        NEAR(t, kin_sdf_value(lines, x) / scales[i], -0.3, 0.1);
        NEAR(t, kin_sdf_value(r.sdf, x) / scales[i], small_torus(kin_v(1, 0.1, 0.05)), 0.05);
        kin_sdf_destroy(lines);
        rig_free(&r);
    }
}

TEST_MAIN("sdf", TEST(a_box_is_exact_on_its_scanlines), TEST(a_convex_solid_stores_six_per_square), TEST(slanted_faces_seem_too_far),
          TEST(lines_through_edges_and_corners_count_once), TEST(the_same_bits_for_any_threads), TEST(smooth_fields_converge_with_second_order),
          TEST(mesh_fields_are_within_half_a_cell), TEST(memory_grows_with_the_surface), TEST(nearest_points_and_gradients),
          TEST(rays_and_spheres_find_the_first_touch), TEST(bad_input_is_refused), TEST(failing_memory_leaks_nothing), TEST(scales_from_tiny_to_huge))
