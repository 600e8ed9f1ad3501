#include "geometry/mesh.h"
#include "base/error.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

static kin_mesh* make(test* t, const soup* s)
{
    kin_mesh* mesh;
    kin_error error = {0};
    kin_mesh_view view = soup_view(s);
    if (kin_mesh_create(&t->allocator, &view, &mesh, &error) != KIN_OK) CHECK(t, error.message == NULL);
    return mesh;
}

static void the_cube(test* t) /* H3.4: 8 vertices, 12 edges, 6 faces; C1.4.1a: each edge has 2 faces */
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_mesh* m = make(t, &s);
    EQUAL(t, m->vertex_count, 8);
    EQUAL(t, m->triangle_count, 12);
    CHECK(t, m->closed);
    EQUAL(t, m->dropped, 0);
    NEAR3(t, m->bounds.low, kin_v(-1, -1, -1), 0);
    NEAR3(t, m->bounds.high, kin_v(1, 1, 1), 0);
    double volume = 0;
    for (uint32_t i = 0; i < 12; ++i) {
        kin_vec3 a = m->vertices[m->triangles[i][0]], b = m->vertices[m->triangles[i][1]], c = m->vertices[m->triangles[i][2]];
        volume += kin_triple(a, b, c) / 6;
        NEAR(t, kin_dot(m->normals[i], a), 1, 1e-15); /* outward, unit */
        EQUAL(t, m->faces[i], i / 2);
        for (int k = 0; k < 3; ++k) {
            uint32_t other = m->neighbors[i][k];
            CHECK(t, other < 12 && other != i);
            CHECK(t, m->neighbors[other][0] == i || m->neighbors[other][1] == i || m->neighbors[other][2] == i);
        }
    }
    NEAR(t, volume, 8, 1e-14);
    for (uint32_t v = 0; v < 8; ++v) NEAR3(t, m->vertex_normals[v], kin_scale(m->vertices[v], 1 / sqrt(3)), 1e-14); /* by angle: whatever the diagonals */
    kin_mesh_destroy(m);
    soup_free(&s);
}

static void stars_list_the_triangles_of_each_vertex(test* t)
{
    soup s = torus_soup(2, 0.5, 12, 8);
    kin_mesh* m = make(t, &s);
    CHECK(t, m->closed);
    EQUAL(t, m->star_begin[m->vertex_count], 3 * m->triangle_count);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        EQUAL(t, m->star_begin[v + 1] - m->star_begin[v], 6);
        for (uint32_t i = m->star_begin[v]; i < m->star_begin[v + 1]; ++i) EQUAL(t, m->triangles[m->star[i] / 4][m->star[i] % 4], v);
    }
    kin_mesh_destroy(m);
    soup_free(&s);
}

static void split_vertices_are_welded(test* t) /* a cube of six separate quads is closed all the same; -0 is 0 */
{
    soup box = box_soup(kin_v(1, 1, 1)), s = soup_new(24, 6, 24);
    for (uint32_t f = 0; f < 6; ++f) {
        uint32_t q[4];
        for (uint32_t k = 0; k < 4; ++k) q[k] = soup_vertex(&s, kin_sub(box.vertices[box.corners[4 * f + k]], kin_v(1, 1, f % 2 ? 1 : 1)));
        soup_face(&s, 4, q);
    }
    for (size_t v = 0; v < 24; v += 3) {
        if (s.vertices[v].x == 0) s.vertices[v].x = -0.0;
    }
    kin_mesh* m = make(t, &s);
    CHECK(t, m->closed);
    EQUAL(t, m->triangle_count, 12);
    kin_mesh_destroy(m);
    soup_free(&s);
    soup_free(&box);
}

static double flat(double x, double z) { return 0 * x * z; }

static void borders_and_crossed_windings_are_open(test* t)
{
    soup s = grid_soup(2, 1, flat);
    kin_mesh* m = make(t, &s);
    CHECK(t, !m->closed);
    EQUAL(t, m->neighbors[0][0], KIN_NO_NEIGHBOR);
    kin_mesh_destroy(m);
    soup box = box_soup(kin_v(1, 1, 1));
    uint32_t swap = box.corners[1];
    box.corners[1] = box.corners[3];
    box.corners[3] = swap; /* one face inside out */
    m = make(t, &box);
    CHECK(t, !m->closed);
    kin_mesh_destroy(m);
    soup_free(&box);
    soup_free(&s);
}

static void faces_without_area_are_dropped_and_counted(test* t)
{
    soup s = soup_new(8, 4, 16);
    for (int i = 0; i < 5; ++i) soup_vertex(&s, kin_v(i, 0, i == 4));
    soup_vertex(&s, kin_v(0, 0, 0)); /* at vertex 0 */
    soup_face(&s, 3, (uint32_t[]){0, 1, 2});
    soup_face(&s, 4, (uint32_t[]){0, 1, 2, 3});
    soup_face(&s, 3, (uint32_t[]){0, 5, 4});
    soup_face(&s, 3, (uint32_t[]){0, 1, 4});
    kin_mesh* m = make(t, &s);
    EQUAL(t, m->triangle_count, 1);
    EQUAL(t, m->dropped, 3);
    EQUAL(t, m->faces[0], 3);
    kin_mesh_destroy(m);
    soup_free(&s);
}

static void expect_refusal(test* t, const kin_mesh_view* view, kin_result result, const char* text)
{
    kin_mesh* mesh = (kin_mesh*)view;
    kin_error error = {0};
    EQUAL(t, kin_mesh_create(&t->allocator, view, &mesh, &error), result);
    CHECK(t, mesh == NULL);
    HAS(t, error.message, text);
    EQUAL(t, kin_mesh_create(&t->allocator, view, &mesh, NULL), result);
}

static void bad_meshes_are_refused_by_name(test* t)
{
    kin_vec3 v[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}};
    uint32_t corners[4] = {0, 1, 2, 3}, four = 4, two = 2, huge = 5000;
    kin_mesh_view view = {v, 5, &four, corners, 1};
    expect_refusal(t, &(kin_mesh_view){v, 0, NULL, corners, 1}, KIN_ERROR_ARGUMENT, "no faces");
    expect_refusal(t, &(kin_mesh_view){v, 5, NULL, corners, 0}, KIN_ERROR_ARGUMENT, "no faces");
    expect_refusal(t, &(kin_mesh_view){v, 5, NULL, NULL, 1}, KIN_ERROR_ARGUMENT, "no data");
    expect_refusal(t, &(kin_mesh_view){v, 5, NULL, corners, (size_t)1 << 40}, KIN_ERROR_LIMIT, "at most");
    expect_refusal(t, &(kin_mesh_view){v, 5, &two, corners, 1}, KIN_ERROR_ARGUMENT, "face 0 has 2 corners");
    expect_refusal(t, &(kin_mesh_view){v, 5, &huge, corners, 1}, KIN_ERROR_LIMIT, "face 0 has 5000 corners");
    corners[2] = 7;
    expect_refusal(t, &view, KIN_ERROR_ARGUMENT, "face 0: corner 2 is vertex 7, but there are 5");
    corners[2] = 1;
    expect_refusal(t, &view, KIN_ERROR_ARGUMENT, "corners 1 and 2 are both vertex 1");
    memcpy(corners, (uint32_t[]){0, 2, 1, 3}, sizeof corners);
    expect_refusal(t, &view, KIN_ERROR_ARGUMENT, "face 0 crosses");
    expect_refusal(t, &(kin_mesh_view){v, 5, NULL, (uint32_t[]){0, 1, 4}, 1}, KIN_ERROR_ARGUMENT, "no face of the mesh has an area");
    v[3].y = NAN;
    expect_refusal(t, &view, KIN_ERROR_ARGUMENT, "vertex 3 (0, nan, 0) is not finite");
    v[3].y = 1e200;
    expect_refusal(t, &view, KIN_ERROR_ARGUMENT, "vertex 3 is farther");
}

static bool create_body(test* t, void* context)
{
    kin_mesh* mesh;
    kin_error error = {0};
    kin_mesh_view view = soup_view(context);
    kin_result result = kin_mesh_create(&t->allocator, &view, &mesh, &error);
    if (result != KIN_OK) EQUAL(t, result, KIN_ERROR_MEMORY);
    kin_mesh_destroy(mesh);
    return result == KIN_OK;
}

static void survives_failing_allocations(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    test_fail_each_allocation(t, create_body, &s);
    soup_free(&s);
}

/* Baerentzen and Aanaes: with the nearest feature's pseudo-normal the sign is right also where two faces disagree. */
static void pseudo_normals_tell_inside(test* t)
{
    kin_vec3 v[4] = {{0, 0, 0}, {4, 0.1, 0}, {4, -0.1, 0.2}, {4, -0.1, -0.2}}; /* a needle */
    uint32_t c[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    kin_mesh_view view = {v, 4, NULL, c, 4};
    kin_mesh* m;
    kin_result result = kin_mesh_create(&t->allocator, &view, &m, NULL);
    EQUAL(t, result, KIN_OK);
    CHECK(t, m->closed);
    dice d = {8};
    for (int i = 0; i < 2000; ++i) {
        kin_vec3 x = kin_v(roll(&d, -1, 5), roll(&d, -0.2, 0.2), roll(&d, -0.3, 0.3));
        double best = 1e300;
        bool by_sign = false, by_planes = true;
        for (uint32_t k = 0; k < 4; ++k) {
            kin_feature f;
            kin_vec3 p = kin_closest_on_triangle(v[c[3 * k]], v[c[3 * k + 1]], v[c[3 * k + 2]], x, &f);
            if (kin_length2(kin_sub(x, p)) < best) {
                best = kin_length2(kin_sub(x, p));
                by_sign = kin_dot(kin_sub(x, p), kin_mesh_pseudo_normal(m, k, f)) < 0;
            }
            by_planes = by_planes && kin_dot(m->normals[k], kin_sub(x, v[c[3 * k]])) < 0;
        }
        CHECK(t, by_sign == by_planes);
    }
    kin_mesh_destroy(m);
}

static void closest_on_triangle_beats_sampling(test* t)
{
    dice d = {9};
    for (int i = 0; i < 500; ++i) {
        kin_vec3 a = roll3(&d, 1), b = roll3(&d, 1), c = roll3(&d, 1), x = roll3(&d, 2);
        kin_feature f;
        kin_vec3 p = kin_closest_on_triangle(a, b, c, x, &f);
        double best = 1e300;
        for (int u = 0; u <= 60; ++u) {
            for (int v = 0; u + v <= 60; ++v) {
                kin_vec3 q = kin_add(a, kin_add(kin_scale(kin_sub(b, a), u / 60.0), kin_scale(kin_sub(c, a), v / 60.0)));
                best = kin_min(best, kin_distance(x, q));
            }
        }
        CHECK(t, kin_distance(x, p) <= best + 1e-12 && kin_distance(x, p) >= best - 0.05);
    }
}

TEST_MAIN("geometry mesh", TEST(the_cube), TEST(stars_list_the_triangles_of_each_vertex), TEST(split_vertices_are_welded),
          TEST(borders_and_crossed_windings_are_open), TEST(faces_without_area_are_dropped_and_counted), TEST(bad_meshes_are_refused_by_name),
          TEST(survives_failing_allocations), TEST(pseudo_normals_tell_inside), TEST(closest_on_triangle_beats_sampling))
