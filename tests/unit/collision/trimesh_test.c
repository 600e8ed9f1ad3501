/* Meshes: seams, ghost contacts, inside and outside, nearest points. */
#include "collision/trimesh.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

static kin_trimesh* make(test* t, const soup* s)
{
    kin_mesh* mesh = NULL;
    kin_trimesh* trimesh = NULL;
    kin_error error = {0};
    kin_mesh_view view = soup_view(s);
    kin_result result = kin_mesh_create(&t->allocator, &view, &mesh, &error);
    if (result == KIN_OK) result = kin_trimesh_create(&t->allocator, mesh, &trimesh, &error);
    EQUAL(t, result, KIN_OK);
    return trimesh;
}

static kin_path path_of(kin_vec3 a, kin_vec3 b, double radius)
{
    kin_path p = {.a = a, .d = kin_sub(b, a), .radius = radius};
    kin_path_slack(&p, kin_max(radius, kin_max(kin_largest(kin_abs3(a)), kin_largest(kin_abs3(b)))), 0);
    return p;
}

static double level(double x, double z) { return 0 * x * z; }
static double bumps(double x, double z) { return 0.2 * sin(4 * x) * cos(3 * z) + 0.05 * x; }

static bool on_border(const kin_mesh* mesh, uint32_t vertex)
{
    for (uint32_t i = mesh->star_begin[vertex]; i < mesh->star_begin[vertex + 1]; ++i) {
        const uint32_t* across = mesh->neighbors[mesh->star[i] / 4];
        if (across[mesh->star[i] % 4] == KIN_NO_NEIGHBOR || across[(mesh->star[i] % 4 + 2) % 3] == KIN_NO_NEIGHBOR) return true;
    }
    return false;
}

/* Points aimed exactly at vertices and at points of edges never slip between the triangles that meet there. */
static void no_path_slips_through_a_seam(test* t)
{
    soup s = grid_soup(9, 1, bumps);
    kin_trimesh* m = make(t, &s);
    dice d = {31};
    for (uint32_t i = 0; i < m->mesh->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            kin_vec3 p = m->mesh->vertices[m->mesh->triangles[i][k]], q = m->mesh->vertices[m->mesh->triangles[i][(k + 1) % 3]];
            for (int n = 0; n < 12; ++n) {
                if (m->mesh->neighbors[i][k] == KIN_NO_NEIGHBOR && n > 0) continue;
                kin_vec3 aim = n == 0 ? p : kin_lerp(p, q, roll(&d, 0, 1)), from = kin_add(aim, kin_v(roll(&d, -0.3, 0.3), 1, roll(&d, -0.3, 0.3)));
                if (n % 2) from.y = -from.y;
                kin_path path = path_of(from, kin_add_scaled(from, 1.7, kin_sub(aim, from)), n % 3 == 2 ? 0.01 : 0);
                kin_touch hit;
                CHECK(t, kin_trimesh_sweep(m, &path, &hit));
                kin_touch seen;
                if (n == 0 && on_border(m->mesh, m->mesh->triangles[i][k])) continue; /* a ray's rim is exact: past it by a rounding is past it */
                CHECK(t, kin_trimesh_ray(m, from, path.d, 1, &seen));
                if (path.radius == 0) NEAR(t, seen.t, hit.t, 1e-9);
            }
        }
    }
    kin_trimesh_destroy(m);
    soup_free(&s);
}

/* A ball rolls over a flat floor of triangles, sunk in by more than round-off: no inner edge may stop or turn it. */
static void a_ball_rolls_over_flat_triangles(test* t)
{
    soup s = grid_soup(8, 2, level);
    kin_trimesh* m = make(t, &s);
    dice d = {32};
    for (int run = 0; run < 400; ++run) {
        double sunk = run % 4 == 0 ? 0 : pow(10, roll(&d, -14, -3)), angle = roll(&d, 0, 2 * KIN_PI), radius = run % 5 == 0 ? 0 : roll(&d, 0.02, 1);
        if (radius == 0) sunk = 0;
        kin_vec3 x = {roll(&d, -1, 1), radius - sunk, roll(&d, -1, 1)}, v = kin_scale(kin_v(cos(angle), 0, sin(angle)), 0.03);
        if (run % 7 == 0) x = kin_v(-1, radius - sunk, 0), v = kin_v(0.03, 0, run % 2 ? 0 : 0.03); /* along edges and through vertices */
        for (int step = 0; step < 30; ++step) {
            kin_path path = path_of(x, kin_add(x, v), radius);
            kin_touch hit;
            CHECK(t, !kin_trimesh_sweep(m, &path, &hit));
            kin_path fall = path_of(x, kin_add(x, kin_v(v.x, -0.01, v.z)), radius);
            CHECK(t, kin_trimesh_sweep(m, &fall, &hit));
            NEAR3(t, hit.normal, kin_v(0, 1, 0), 1e-12);
            NEAR(t, hit.t, 0, 1e-9);
            kin_touch near[KIN_TRIMESH_CONTACTS];
            int count = kin_trimesh_contacts(m, x, radius + 0.01, near, KIN_TRIMESH_CONTACTS);
            EQUAL(t, count, 1);
            NEAR3(t, near[0].normal, kin_v(0, 1, 0), 1e-12);
            x = kin_add(x, v);
        }
    }
    kin_trimesh_destroy(m);
    soup_free(&s);
}

/* Sunk a little into the top of a box of triangles, a ball leaves over the rim without being tripped by it; falling beside it meets the true edge. */
static void a_ball_leaves_over_a_convex_edge(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_trimesh* m = make(t, &s);
    for (double sunk = 0; sunk < 2e-3; sunk += 1e-4) {
        for (double x = 0.5; x < 1.3; x += 0.05) {
            kin_path path = path_of(kin_v(x, 1.3 - sunk, 0.1), kin_v(x + 0.05, 1.3 - sunk, 0.1), 0.3);
            kin_touch hit;
            CHECK(t, !kin_trimesh_sweep(m, &path, &hit));
        }
    }
    kin_path fall = path_of(kin_v(1.1, 2, 0.2), kin_v(1.1, 0, 0.2), 0.3);
    kin_touch hit;
    CHECK(t, kin_trimesh_sweep(m, &fall, &hit));
    NEAR3(t, hit.normal, kin_v(1.0 / 3, sqrt(8) / 3, 0), 1e-12); /* from the edge, not a face */
    NEAR3(t, hit.point, kin_v(1, 1, 0.2), 1e-12);
    kin_path corner = path_of(kin_v(2, 2, 2), kin_v(0, 0, 0), 0.3);
    CHECK(t, kin_trimesh_sweep(m, &corner, &hit));
    NEAR3(t, hit.normal, kin_scale(kin_v(1, 1, 1), 1 / sqrt(3)), 1e-12);
    NEAR(t, hit.t, 0.5 - 0.3 / sqrt(12), 1e-12);
    kin_trimesh_destroy(m);
    soup_free(&s);
}

/* Up a slope of many triangles to a sharp ridge, sunk in a little: the ridge belongs to the slope until the ball is over it. */
static double roof(double x, double z) { return -0.5 * fabs(x) + 0 * z; }
static void a_ball_rolls_up_to_a_ridge(test* t)
{
    soup s = grid_soup(8, 2, roof);
    kin_trimesh* m = make(t, &s);
    kin_vec3 up = kin_normalize_or(kin_v(1, 0.5, 0), kin_v(1, 0, 0)), normal = kin_v(-up.y, up.x, 0);
    for (double sunk = 0; sunk < 2e-3; sunk += 1e-4) {
        for (double s0 = -1.5; s0 < 0; s0 += 0.06) {
            kin_vec3 a = kin_add(kin_scale(up, s0), kin_scale(normal, 0.3 - sunk));
            kin_path path = path_of(kin_add(a, kin_v(0, 0, 0.1)), kin_add(kin_add_scaled(a, 0.05, up), kin_v(0, 0, 0.13)), 0.3);
            kin_touch hit;
            CHECK(t, !kin_trimesh_sweep(m, &path, &hit));
        }
    }
    kin_trimesh_destroy(m);
    soup_free(&s);
}

static void a_path_in_the_plane_of_a_face_is_along_it(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    kin_trimesh* m = make(t, &s);
    kin_touch hit;
    kin_path inside_face = path_of(kin_v(-0.5, 1, 0.1), kin_v(0.5, 1, 0.2), 0), over_rim = path_of(kin_v(0, 1, 0), kin_v(3, 1, 0.5), 0);
    kin_path still = path_of(kin_v(0.3, 1, 0.1), kin_v(0.3, 1, 0.1), 0), still_away = path_of(kin_v(0, 3, 0), kin_v(0, 3, 0), 0.5);
    CHECK(t, !kin_trimesh_sweep(m, &inside_face, &hit));
    CHECK(t, !kin_trimesh_sweep(m, &over_rim, &hit));
    CHECK(t, !kin_trimesh_sweep(m, &still, &hit));
    CHECK(t, !kin_trimesh_sweep(m, &still_away, &hit));
    kin_trimesh_destroy(m);
    soup_free(&s);
}

/* Inside by rays, inside by sign of the nearest distance, and the winding number. */
static void check_inside(test* t, const soup* s, uint64_t seed, double size, int least_inside)
{
    kin_trimesh* m = make(t, s);
    kin_mesh_view view = soup_view(s);
    dice d = {seed};
    int inside = 0;
    CHECK(t, m->mesh->closed);
    for (int i = 0; i < 3000; ++i) {
        kin_vec3 x = roll3(&d, size);
        bool truth = winding(&view, x) > 0.5;
        CHECK(t, kin_trimesh_inside(m, x) == truth);
        kin_touch near;
        CHECK(t, kin_trimesh_closest(m, x, 1e6, &near));
        CHECK(t, (near.distance < 0) == truth);
        NEAR3(t, kin_add_scaled(near.point, near.distance, near.normal), x, 1e-9);
        CHECK(t, kin_trimesh_closest(m, x, 1e-9, &near) == truth); /* out of reach, but inside */
        inside += truth;
    }
    CHECK(t, inside > least_inside);
    kin_trimesh_destroy(m);
}

static void the_hole_of_a_torus_is_outside(test* t) /* C2.5.13 */
{
    soup s = torus_soup(1, 0.4, 24, 12);
    check_inside(t, &s, 41, 1.5, 300);
    kin_trimesh* m = make(t, &s);
    CHECK(t, !kin_trimesh_inside(m, kin_v(0, 0, 0)));
    CHECK(t, kin_trimesh_inside(m, kin_v(1, 0, 0)));
    CHECK(t, kin_trimesh_inside(m, kin_v(0.9, 0.01, 0.02)));
    kin_trimesh_destroy(m);
    soup_free(&s);
}

static void the_cavity_of_a_shell_is_outside(test* t) /* C2.5.13: culling back faces before the nearest hit would call it inside */
{
    soup s = soup_new(16, 12, 48);
    add_box(&s, kin_v(-2, -2, -2), kin_v(2, 2, 2), false);
    add_box(&s, kin_v(-1, -1, -1), kin_v(1, 1, 1), true);
    check_inside(t, &s, 42, 2.4, 300);
    kin_trimesh* m = make(t, &s);
    CHECK(t, !kin_trimesh_inside(m, kin_v(0, 0, 0)));
    CHECK(t, kin_trimesh_inside(m, kin_v(1.5, 0, 0)));
    kin_path out = path_of(kin_v(0, 0, 0), kin_v(0.2, 5, 0.1), 0.1); /* and things bounce about in it */
    kin_touch hit;
    CHECK(t, kin_trimesh_sweep(m, &out, &hit));
    NEAR(t, hit.t, 0.9 / 5, 1e-12);
    NEAR3(t, hit.normal, kin_v(0, -1, 0), 1e-12);
    kin_trimesh_destroy(m);
    soup_free(&s);
}

static void nearest_points_match_a_scan(test* t)
{
    soup s = torus_soup(1, 0.4, 14, 9);
    kin_trimesh* m = make(t, &s);
    dice d = {43};
    for (int i = 0; i < 2000; ++i) {
        kin_vec3 x = roll3(&d, 2);
        double best = 1e300, reach = roll(&d, 0.05, 2);
        for (uint32_t k = 0; k < m->mesh->triangle_count; ++k) {
            kin_feature f;
            const uint32_t* c = m->mesh->triangles[k];
            best = kin_min(best, kin_distance(x, kin_closest_on_triangle(m->mesh->vertices[c[0]], m->mesh->vertices[c[1]], m->mesh->vertices[c[2]], x, &f)));
        }
        kin_touch near, all[KIN_TRIMESH_CONTACTS];
        bool found = kin_trimesh_closest(m, x, reach, &near);
        int count = kin_trimesh_contacts(m, x, reach, all, KIN_TRIMESH_CONTACTS);
        CHECK(t, found == (best <= reach || kin_trimesh_inside(m, x)));
        CHECK(t, found == (count > 0));
        if (!found) continue;
        NEAR(t, kin_abs(near.distance), best, 1e-12);
        NEAR(t, all[0].distance, near.distance, 1e-12);
        NEAR3(t, all[0].normal, near.normal, 1e-9);
        for (int k = 1; k < count; ++k) {
            CHECK(t, all[k].distance >= all[k - 1].distance && all[k].distance <= reach);
            CHECK(t, kin_distance(all[k].normal, all[0].normal) > 1e-6);
        }
    }
    kin_trimesh_destroy(m);
    soup_free(&s);
}

static void a_corner_of_a_room_has_three_contacts(test* t)
{
    soup s = soup_new(8, 6, 24);
    add_box(&s, kin_v(-1, -1, -1), kin_v(1, 1, 1), true);
    kin_trimesh* m = make(t, &s);
    kin_touch all[KIN_TRIMESH_CONTACTS];
    int count = kin_trimesh_contacts(m, kin_v(0.95, -0.9, 0.92), 0.2, all, KIN_TRIMESH_CONTACTS);
    EQUAL(t, count, 3);
    NEAR(t, all[0].distance, 0.05, 1e-12);
    NEAR3(t, all[0].normal, kin_v(-1, 0, 0), 1e-12);
    NEAR(t, all[1].distance, 0.08, 1e-12);
    NEAR(t, all[2].distance, 0.1, 1e-12);
    NEAR3(t, all[2].normal, kin_v(0, 1, 0), 1e-12);
    count = kin_trimesh_contacts(m, kin_v(0.95, -0.9, 0.92), 0.2, all, 2);
    EQUAL(t, count, 2);
    kin_trimesh_destroy(m);
    soup_free(&s);
}

static void the_far_side_of_a_thin_plate_is_not_touched(test* t)
{
    soup s = box_soup(kin_v(1, 0.01, 1));
    kin_trimesh* m = make(t, &s);
    kin_touch all[KIN_TRIMESH_CONTACTS];
    int count = kin_trimesh_contacts(m, kin_v(0.2, 0.06, 0.1), 0.2, all, KIN_TRIMESH_CONTACTS);
    EQUAL(t, count, 1);
    NEAR(t, all[0].distance, 0.05, 1e-12);
    count = kin_trimesh_contacts(m, kin_v(0.2, 0.006, 0.1), 0.2, all, KIN_TRIMESH_CONTACTS);
    EQUAL(t, count, 1);
    NEAR(t, all[0].distance, -0.004, 1e-12);
    NEAR3(t, all[0].normal, kin_v(0, 1, 0), 1e-12);
    kin_trimesh_destroy(m);
    soup_free(&s);
}

/* Rays against a scan over all triangles with the barycentric test of the texts. */
static void rays_match_a_scan(test* t)
{
    soup s = torus_soup(1, 0.4, 14, 9);
    kin_trimesh* m = make(t, &s);
    dice d = {44};
    int hits = 0;
    for (int i = 0; i < 3000; ++i) {
        kin_vec3 o = roll3(&d, 1.3), dir = i % 10 == 0 ? kin_scale(kin_axis(i % 3), i % 4 < 2 ? 3 : -3) : roll3(&d, 3);
        double best = 1.0;
        bool any = false;
        for (uint32_t k = 0; k < m->mesh->triangle_count; ++k) {
            const uint32_t* c = m->mesh->triangles[k];
            kin_vec3 a = m->mesh->vertices[c[0]], e1 = kin_sub(m->mesh->vertices[c[1]], a), e2 = kin_sub(m->mesh->vertices[c[2]], a), r = kin_sub(o, a);
            double det = kin_triple(kin_neg(dir), e1, e2), u = kin_triple(kin_neg(dir), r, e2) / det, v = kin_triple(kin_neg(dir), e1, r) / det,
                   time = kin_triple(r, e1, e2) / det;
            if (u >= 0 && v >= 0 && u + v <= 1 && time >= 0 && time <= best) best = time, any = true;
        }
        kin_touch hit;
        bool found = kin_trimesh_ray(m, o, dir, 1, &hit);
        CHECK(t, found == any);
        if (found && any) NEAR(t, hit.t, best, 1e-9);
        hits += found;
    }
    CHECK(t, hits > 500);
    kin_trimesh_destroy(m);
    soup_free(&s);
}

static bool create_body(test* t, void* context)
{
    kin_mesh_view view = soup_view(context);
    kin_mesh* mesh;
    kin_trimesh* trimesh = NULL;
    kin_result result = kin_mesh_create(&t->allocator, &view, &mesh, NULL);
    if (result == KIN_OK) result = kin_trimesh_create(&t->allocator, mesh, &trimesh, NULL);
    kin_trimesh_destroy(trimesh);
    return result == KIN_OK;
}

static void survives_failing_allocations(test* t)
{
    soup s = box_soup(kin_v(1, 1, 1));
    test_fail_each_allocation(t, create_body, &s);
    soup_free(&s);
}

TEST_MAIN("collision trimesh", TEST(no_path_slips_through_a_seam), TEST(a_ball_rolls_over_flat_triangles), TEST(a_ball_leaves_over_a_convex_edge),
          TEST(a_ball_rolls_up_to_a_ridge), TEST(a_path_in_the_plane_of_a_face_is_along_it), TEST(the_hole_of_a_torus_is_outside),
          TEST(the_cavity_of_a_shell_is_outside), TEST(nearest_points_match_a_scan), TEST(a_corner_of_a_room_has_three_contacts),
          TEST(the_far_side_of_a_thin_plate_is_not_touched), TEST(rays_match_a_scan), TEST(survives_failing_allocations))
