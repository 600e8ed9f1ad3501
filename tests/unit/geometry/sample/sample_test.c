/* Samples of surfaces and volumes: where they may be, how near, how wide the gaps. */
#include "geometry/sample/sample.h"
#include "geometry/neighbours.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

static kin_mesh* mesh_of(test* t, soup* s)
{
    kin_mesh_view view = soup_view(s);
    kin_mesh* m;
    EQUAL(t, kin_mesh_create(&t->allocator, &view, &m, NULL), KIN_OK);
    soup_free(s);
    return m;
}

static kin_mesh* torus(test* t, double size)
{
    soup s = torus_soup(size, 0.3 * size, 40, 20);
    return mesh_of(t, &s);
}
static kin_mesh* box(test* t, kin_vec3 half)
{
    soup s = box_soup(half);
    return mesh_of(t, &s);
}

/* [0, 2] x [0, 1]: the left square is two triangles, the right one 2 n^2. */
static kin_mesh* uneven(test* t, uint32_t n)
{
    soup s = soup_new(4 + (n + 1) * (n + 1), 2 + 2 * n * n, 6 + 6 * n * n);
    for (uint32_t i = 0; i < 4; ++i) soup_vertex(&s, kin_v(i % 2, i / 2, 0));
    soup_face(&s, 3, (uint32_t[]){0, 1, 2});
    soup_face(&s, 3, (uint32_t[]){1, 3, 2});
    for (uint32_t i = 0; i < (n + 1) * (n + 1); ++i) soup_vertex(&s, kin_v(1 + (double)(i % (n + 1)) / n, (double)(i / (n + 1)) / n, 0));
    for (uint32_t i = 0; i < n * n; ++i) {
        uint32_t a = 4 + i / n * (n + 1) + i % n, b = a + 1, c = a + n + 1, d = c + 1;
        soup_face(&s, 3, (uint32_t[]){a, b, c});
        soup_face(&s, 3, (uint32_t[]){b, d, c});
    }
    return mesh_of(t, &s);
}

static kin_neighbours* index_of(test* t, const kin_samples* s, double radius)
{
    kin_neighbours* near;
    EQUAL(t, kin_neighbours_create(&t->allocator, &(kin_neighbours_def){.kind = KIN_NEIGHBOURS_HASH}, &near, NULL), KIN_OK);
    EQUAL(t, kin_neighbours_update(near, NULL, kin_points_of_vectors(s->points), s->count, radius, NULL), KIN_OK);
    return near;
}

static void expect_spacing(test* t, const kin_samples* s, double spacing)
{
    kin_neighbours* near = index_of(t, s, spacing * (1 - 1e-12));
    kin_neighbour_lists lists;
    EQUAL(t, kin_neighbours_lists(near, NULL, &lists, NULL), KIN_OK);
    EQUAL(t, lists.offsets[s->count], 0);
    kin_neighbours_destroy(near);
}

static uint32_t count_beyond(test* t, const kin_samples* s, const kin_vec3* places, uint32_t count, double radius)
{
    kin_neighbours* near = index_of(t, s, radius);
    uint32_t beyond = 0, one;
    for (uint32_t i = 0; i < count; ++i) beyond += kin_neighbours_query(near, places[i], radius, &one, 1) == 0;
    kin_neighbours_destroy(near);
    return beyond;
}

/* In the triangle's plane and box: a needle's nearest point is known too badly to ask for it. */
static void expect_on_surface(test* t, const kin_mesh* m, const kin_samples* s)
{
    double size = kin_length(m->bounds.high);
    for (uint32_t i = 0; i < s->count; ++i) {
        const uint32_t* c = m->triangles[s->triangles[i]];
        kin_vec3 x = s->points[i], p = m->vertices[c[0]], q = m->vertices[c[1]], r = m->vertices[c[2]];
        kin_vec3 below = kin_sub(kin_min3(kin_min3(p, q), r), x), above = kin_sub(x, kin_max3(kin_max3(p, q), r));
        if (!(kin_largest(kin_max3(below, above)) < 1e-15 * size)) CHECK(t, false);
        if (!(fabs(kin_dot(s->normals[i], kin_sub(x, p))) < 1e-10 * size)) CHECK(t, false);
        if (!(kin_distance(s->normals[i], m->normals[s->triangles[i]]) == 0)) CHECK(t, false);
    }
}

static void uniform_by_area(test* t)
{
    kin_mesh* m = uneven(t, 30);
    kin_samples s, again;
    EQUAL(t, kin_sample_uniform(&t->allocator, m, 40000, 7, &s, NULL), KIN_OK);
    EQUAL(t, s.count, 40000);
    expect_on_surface(t, m, &s);
    int in[8] = {0}; /* quarters of the left square, then of the right one */
    for (uint32_t i = 0; i < s.count; ++i) in[(s.points[i].x >= 1 ? 4 : 0) + (s.points[i].y >= 0.5 ? 2 : 0) + (fmod(s.points[i].x, 1) >= 0.5)] += 1;
    for (int k = 0; k < 8; ++k) NEAR(t, in[k], 5000, 4 * sqrt(5000 * 7 / 8.0)); /* four deviations */
    EQUAL(t, kin_sample_uniform(&t->allocator, m, 40000, 7, &again, NULL), KIN_OK);
    CHECK(t, memcmp(s.points, again.points, s.count * sizeof *s.points) == 0);
    kin_samples_term(&again);
    EQUAL(t, kin_sample_uniform(&t->allocator, m, 40000, 8, &again, NULL), KIN_OK);
    CHECK(t, memcmp(s.points, again.points, s.count * sizeof *s.points) != 0);
    kin_samples_term(&again);
    kin_samples_term(&s);
    kin_mesh_destroy(m);
}

static void check_spaced(test* t, kin_mesh* m, double spacing)
{
    kin_samples s, probes;
    EQUAL(t, kin_sample_spaced(&t->allocator, m, spacing, 3, &s, NULL), KIN_OK);
    expect_on_surface(t, m, &s);
    expect_spacing(t, &s, spacing);
    EQUAL(t, kin_sample_uniform(&t->allocator, m, 20000, 99, &probes, NULL), KIN_OK);
    EQUAL(t, count_beyond(t, &s, probes.points, probes.count, KIN_SAMPLE_COVER * spacing), 0);
    kin_samples_term(&probes);
    kin_samples_term(&s);
    kin_mesh_destroy(m);
}

static void spaced_and_covered(test* t)
{
    check_spaced(t, torus(t, 1), 0.05);
    check_spaced(t, torus(t, 1e8), 0.1e8);
    check_spaced(t, torus(t, 1e-6), 0.1e-6);
    check_spaced(t, box(t, kin_v(1, 0.5, 0.01)), 0.06);
    check_spaced(t, uneven(t, 60), 0.03);
    check_spaced(t, box(t, kin_v(1, 1e-5, 1e-5)), 0.01); /* needles */
}

/* Random packing of disks ends at 0.5470 of the plane (Feder 1980); half of the points on each side, however it is cut up. */
static void even_over_uneven_triangles(test* t)
{
    kin_mesh* m = uneven(t, 60);
    kin_samples s;
    double spacing = 0.012;
    EQUAL(t, kin_sample_spaced(&t->allocator, m, spacing, 5, &s, NULL), KIN_OK);
    double left = 0, whole = 2 * 0.547 * 4 / (KIN_PI * spacing * spacing);
    for (uint32_t i = 0; i < s.count; ++i) left += s.points[i].x < 1;
    NEAR(t, s.count / whole, 1, 0.03); /* filling gaps in order packs a little better; borders too */
    NEAR(t, left / s.count, 0.5, 0.01);
    kin_samples_term(&s);
    kin_mesh_destroy(m);
}

static void counted_is_exact_and_wide(test* t)
{
    kin_mesh* m = torus(t, 1);
    double area = 4 * KIN_PI * KIN_PI * 0.3;
    for (uint32_t n = 1; n <= 3000; n = 5 * n + 3) {
        kin_samples s, probes;
        EQUAL(t, kin_sample_counted(&t->allocator, m, n, 11, &s, NULL), KIN_OK);
        EQUAL(t, s.count, n);
        expect_on_surface(t, m, &s);
        expect_spacing(t, &s, s.spacing);
        double most = sqrt(2 * area / (sqrt(3) * n));
        if (n > 100) CHECK(t, s.spacing > 0.6 * most);
        CHECK(t, s.spacing <= 1.01 * most);
        EQUAL(t, kin_sample_uniform(&t->allocator, m, 20000, 99, &probes, NULL), KIN_OK);
        if (n > 100) EQUAL(t, count_beyond(t, &s, probes.points, probes.count, 1.1 * most), 0);
        kin_samples_term(&probes);
        kin_samples_term(&s);
    }
    kin_mesh_destroy(m);
}

static void volumes_are_filled(test* t)
{
    kin_mesh* m = torus(t, 1);
    kin_samples s;
    double spacing = 0.06;
    EQUAL(t, kin_sample_volume(&t->allocator, m, spacing, 13, &s, NULL), KIN_OK);
    CHECK(t, s.normals == NULL && s.triangles == NULL);
    expect_spacing(t, &s, spacing);
    uint32_t outside = 0, kept = 0;
    for (uint32_t i = 0; i < s.count; ++i)
        outside += hypot(hypot(s.points[i].x, s.points[i].z) - 1, s.points[i].y) > 0.303; /* chords round the hole stick out */
    EQUAL(t, outside, 0);
    kin_vec3* probes = malloc(20000 * sizeof *probes);
    dice r = {17};
    while (kept < 20000) { /* a quarter spacing inside of the mesh, whose edges cut in by 0.004 */
        kin_vec3 x = roll3(&r, 1.3);
        if (hypot(hypot(x.x, x.z) - 1, x.y) < 0.3 - 0.004 - 0.25 * spacing) probes[kept++] = x;
    }
    EQUAL(t, count_beyond(t, &s, probes, kept, KIN_SAMPLE_COVER_VOLUME * spacing), 0);
    free(probes);
    /* random packing of balls ends near 0.384 of space; the border holds more, as half of each ball there may stick out */
    double volume = 2 * KIN_PI * KIN_PI * 0.09, inner = volume * 0.384 / (KIN_PI / 6 * pow(spacing, 3));
    CHECK(t, s.count > 0.95 * inner && s.count < 1.4 * inner);
    kin_samples_term(&s);
    kin_mesh_destroy(m);
}

static void refuses_what_cannot_be(test* t)
{
    kin_mesh *open = uneven(t, 2), *m = box(t, kin_v(1, 1, 1));
    kin_samples s;
    kin_error error = {0};
    EQUAL(t, kin_sample_uniform(&t->allocator, m, 0, 1, &s, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_sample_counted(&t->allocator, m, UINT32_MAX, 1, &s, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_sample_spaced(&t->allocator, m, 0, 1, &s, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_sample_spaced(&t->allocator, m, NAN, 1, &s, &error), KIN_ERROR_ARGUMENT);
    EQUAL(t, kin_sample_spaced(&t->allocator, m, 1e-9, 1, &s, &error), KIN_ERROR_LIMIT);
    HAS(t, error.message, "would take about");
    EQUAL(t, kin_sample_volume(&t->allocator, m, 1e-9, 1, &s, &error), KIN_ERROR_LIMIT);
    EQUAL(t, kin_sample_volume(&t->allocator, open, 0.1, 1, &s, &error), KIN_ERROR_ARGUMENT);
    HAS(t, error.message, "not closed");
    EQUAL(t, kin_sample_spaced(&t->allocator, m, 100, 1, &s, &error), KIN_OK); /* wider than the body: one */
    EQUAL(t, s.count, 1);
    kin_samples_term(&s);
    kin_mesh_destroy(open);
    kin_mesh_destroy(m);
}

static bool sample_all(test* t, void* context)
{
    kin_samples s;
    kin_result result = kin_sample_spaced(&t->allocator, context, 0.2, 1, &s, NULL);
    kin_samples_term(&s);
    if (result == KIN_OK) result = kin_sample_counted(&t->allocator, context, 50, 1, &s, NULL);
    kin_samples_term(&s);
    if (result == KIN_OK) result = kin_sample_volume(&t->allocator, context, 0.3, 1, &s, NULL);
    kin_samples_term(&s);
    if (result != KIN_OK) EQUAL(t, result, KIN_ERROR_MEMORY);
    return result == KIN_OK;
}

static void survives_failing_allocations(test* t)
{
    kin_mesh* m = box(t, kin_v(1, 1, 1));
    test_fail_each_allocation(t, sample_all, m);
    kin_mesh_destroy(m);
}

TEST_MAIN("geometry sample", TEST(uniform_by_area), TEST(spaced_and_covered), TEST(even_over_uneven_triangles), TEST(counted_is_exact_and_wide),
          TEST(volumes_are_filled), TEST(refuses_what_cannot_be), TEST(survives_failing_allocations))
