/* linear_test.c - things whose points go straight: the catalog's numbers, the degenerate families, and fine sampling in time: none missed. */
#include "collision/continuous/linear.h"
#include "math/primitive.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static kin_mover still(double x, double y, double z) { return (kin_mover){{x, y, z}, {x, y, z}}; }
static kin_mover go(double x, double y, double z, double u, double v, double w) { return (kin_mover){{x, y, z}, {u, v, w}}; }

/* ---- known answers ---- */

static void a_point_falls_through_a_triangle(test* t) /* C2.5.15: t = 0.5 */
{
    const kin_mover face[3] = {still(0, 0, 0), still(1, 0, 0), still(0, 1, 0)};
    kin_impact m;
    CHECK(t, kin_impact_vertex_face(go(0.25, 0.25, 1, 0.25, 0.25, -1), face, &m));
    NEAR(t, m.t, 0.5, 1e-15);
    NEAR3(t, m.point, kin_v(0.25, 0.25, 0), 1e-15);
    NEAR3(t, m.normal, kin_v(0, 0, 1), 1e-15);
    CHECK(t, kin_impact_vertex_face(go(0.25, 0.25, -1, 0.25, 0.25, 1), face, &m));
    NEAR3(t, m.normal, kin_v(0, 0, -1), 1e-15); /* always against the approach */
    CHECK(t, !kin_impact_vertex_face(go(0.75, 0.75, 1, 0.75, 0.75, -1), face, &m));
    CHECK(t, !kin_impact_vertex_face(go(0.25, 0.25, 1, 0.25, 0.25, 0.5), face, &m));
    CHECK(t, kin_impact_vertex_face(go(0.25, 0.25, 0, 0.25, 0.25, 1), face, &m)); /* on it at the start */
    EQUAL(t, m.t, 0);
}

static void edges_cross_halfway(test* t)
{
    const kin_mover a[2] = {go(-1, 1, 0, -1, -1, 0), go(1, 1, 0, 1, -1, 0)}, b[2] = {still(0, 0, -1), still(0, 0, 1)};
    kin_impact m;
    CHECK(t, kin_impact_edges(a, b, &m));
    NEAR(t, m.t, 0.5, 1e-15);
    NEAR3(t, m.point, kin_v(0, 0, 0), 1e-15);
    NEAR3(t, m.normal, kin_v(0, 1, 0), 1e-15);
    const kin_mover past[2] = {go(0.1, 1, 0, 0.1, -1, 0), go(1, 1, 0, 1, -1, 0)};
    CHECK(t, !kin_impact_edges(past, b, &m));
}

static void motion_within_a_plane(test* t) /* case 2: quadratics */
{
    const kin_mover face[3] = {still(0, 0, 0), still(1, 0, 0), still(0, 1, 0)};
    kin_impact m;
    CHECK(t, kin_impact_vertex_face(go(-1, 0.5, 0, 1, 0.5, 0), face, &m)); /* enters through the side x = 0 */
    EQUAL(t, m.kind, KIN_IMPACT_VERTEX_EDGE);
    NEAR(t, m.t, 0.5, 1e-12);
    NEAR3(t, m.normal, kin_v(-1, 0, 0), 1e-12);
    CHECK(t, !kin_impact_vertex_face(go(-1, 2, 0, 1, 2, 0), face, &m));
    CHECK(t, kin_impact_vertex_face(go(0.2, 0.2, 0, 5, 0.2, 0), face, &m)); /* within it at the start */
    EQUAL(t, m.t, 0);
    const kin_mover a[2] = {go(-2, 0, 0, 2, 0, 0), go(-1, 0, 0, 3, 0, 0)}, b[2] = {still(0, -1, 0), still(0, 1, 0)};
    CHECK(t, kin_impact_edges(a, b, &m));
    NEAR(t, m.t, 0.25, 1e-12); /* the leading end, from -1 to 0 */
}

static void motion_along_a_line(test* t) /* case 3: linear */
{
    const kin_mover b[2] = {still(0, 0, 0), still(1, 0, 0)};
    kin_impact m;
    CHECK(t, kin_impact_vertex_edge(go(-1, 0, 0, 0.5, 0, 0), b, &m));
    NEAR(t, m.t, 2.0 / 3, 1e-12);
    NEAR3(t, m.normal, kin_v(-1, 0, 0), 1e-12);
    CHECK(t, kin_impact_vertex_edge(go(3, 0, 0, 0.5, 0, 0), b, &m));
    NEAR(t, m.t, 0.8, 1e-12);
    CHECK(t, !kin_impact_vertex_edge(go(3, 0, 0, 1.5, 0, 0), b, &m));
    const kin_mover a[2] = {go(-3, 0, 0, 1, 0, 0), go(-2, 0, 0, 2, 0, 0)};
    CHECK(t, kin_impact_edges(a, b, &m));
    NEAR(t, m.t, 0.5, 1e-12);
}

/* X2.6: the volume of the four points is (t - 1/2)^2: it touches zero and does not change sign. */
static void a_touch_without_crossing_is_found(test* t)
{
    const kin_mover a[2] = {still(-1, 0, 0), still(1, 0, 0)}, b[2] = {go(0, -1, -0.5, 0, -1, 0.5), go(0, -0.5, 0, 0, 0.5, 0)};
    kin_impact m;
    CHECK(t, kin_impact_edges(a, b, &m));
    NEAR(t, m.t, 0.5, 1e-7); /* a double root: half the digits */
    NEAR3(t, m.point, kin_v(0, 0, 0), 1e-7);
}

static void spheres_and_boxes_meet_at_three_tenths(test* t) /* C2.5.16, C2.5.17 */
{
    kin_impact m;
    CHECK(t, kin_impact_spheres(go(-5, 0, 0, 5, 0, 0), 1, still(0, 0, 0), 1, &m));
    NEAR(t, m.t, 0.3, 1e-15);
    NEAR3(t, m.normal, kin_v(-1, 0, 0), 1e-15);
    NEAR3(t, m.point, kin_v(-1, 0, 0), 1e-15);
    CHECK(t, !kin_impact_spheres(go(-5, 3, 0, 5, 3, 0), 1, still(0, 0, 0), 1, &m));
    CHECK(t, kin_impact_spheres(still(0.5, 0, 0), 1, still(0, 0, 0), 1, &m)); /* no motion, overlap */
    EQUAL(t, m.t, 0);
    CHECK(t, !kin_impact_spheres(still(3, 0, 0), 1, still(0, 0, 0), 1, &m));
    kin_vec3 one = {1, 1, 1};
    CHECK(t, kin_impact_boxes(go(-5, 0, 0, 5, 0, 0), one, still(0, 0, 0), one, &m));
    NEAR(t, m.t, 0.3, 1e-15);
    NEAR3(t, m.normal, kin_v(-1, 0, 0), 1e-15);
    CHECK(t, !kin_impact_boxes(go(-5, 3, 0, 5, 3, 0), one, still(0, 0, 0), one, &m));
    CHECK(t, kin_impact_boxes(go(-5, 2, 0, 5, 2, 0), one, still(0, 0, 0), one, &m)); /* grazing counts */
}

/* ---- against sampling ---- */

static kin_mover roll_mover(dice* d) { return (kin_mover){roll3(d, 1), roll3(d, 1)}; }

static double triangles_apart(const kin_mover a[3], const kin_mover b[3], double s)
{
    kin_vec3 p[3], q[3];
    double least = 1e300;
    for (int k = 0; k < 3; ++k) p[k] = kin_mover_at(a[k], s), q[k] = kin_mover_at(b[k], s);
    for (int k = 0; k < 3; ++k) {
        kin_feature feature;
        least = kin_min(least, kin_distance(p[k], kin_closest_on_triangle(q[0], q[1], q[2], p[k], &feature)));
        least = kin_min(least, kin_distance(q[k], kin_closest_on_triangle(p[0], p[1], p[2], q[k], &feature)));
        for (int j = 0; j < 3; ++j) least = kin_min(least, kin_segments_closest(p[k], p[(k + 1) % 3], q[j], q[(j + 1) % 3]).distance);
    }
    return least;
}

/* Do two triangles cross now? An edge of one goes through the other. */
static bool crosses(const kin_mover a[3], const kin_mover b[3], double s)
{
    for (int side = 0; side < 2; ++side) {
        const kin_mover *x = side == 0 ? a : b, *y = side == 0 ? b : a;
        kin_vec3 p = kin_mover_at(y[0], s), n = kin_cross(kin_sub(kin_mover_at(y[1], s), p), kin_sub(kin_mover_at(y[2], s), p));
        for (int k = 0; k < 3; ++k) {
            kin_vec3 u = kin_mover_at(x[k], s), v = kin_mover_at(x[(k + 1) % 3], s);
            double du = kin_dot(n, kin_sub(u, p)), dv = kin_dot(n, kin_sub(v, p));
            if ((du > 0) == (dv > 0)) continue;
            kin_feature feature;
            kin_vec3 at = kin_lerp(u, v, du / (du - dv));
            if (kin_distance(at, kin_closest_on_triangle(p, kin_mover_at(y[1], s), kin_mover_at(y[2], s), at, &feature)) < 1e-12) return true;
        }
    }
    return false;
}

static void triangles_against_sampling(test* t)
{
    dice d = {4};
    int hits = 0;
    for (int i = 0; i < 1500; ++i) {
        kin_mover a[3], b[3];
        kin_vec3 shift = kin_scale(roll_direction(&d), 1.5);
        for (int k = 0; k < 3; ++k) {
            a[k] = roll_mover(&d), b[k] = roll_mover(&d);
            a[k].from = kin_add(a[k].from, shift);
        }
        if (crosses(a, b, 0)) continue;
        kin_impact m;
        bool found = kin_impact_triangles(a, b, &m);
        double end = found ? m.t : 1;
        hits += found;
        for (int s = 1; s < 200; ++s) CHECK(t, !crosses(a, b, end * s / 200 - 1e-9)); /* none missed, none late */
        if (!found) continue;
        NEAR(t, triangles_apart(a, b, m.t), 0, 1e-8);
        NEAR(t, kin_length(m.normal), 1, 1e-12);
    }
    CHECK(t, hits > 400);
}

static void quick_proofs_never_lie(test* t)
{
    dice d = {6};
    int apart = 0, rootless = 0;
    for (int i = 0; i < 20000; ++i) {
        kin_mover a = roll_mover(&d), b[3] = {roll_mover(&d), roll_mover(&d), roll_mover(&d)};
        a.from = kin_add(a.from, roll3(&d, 1)), a.to = kin_add(a.to, roll3(&d, 1));
        kin_impact m;
        bool found = kin_impact_vertex_face(a, b, &m), far = kin_vertex_face_apart(a, b), none = kin_vertex_face_rootless(a, b);
        CHECK(t, !(found && far) && !(found && none));
        apart += far, rootless += none;
        const kin_mover e[2] = {a, b[0]}, g[2] = {b[1], b[2]};
        CHECK(t, !(kin_impact_edges(e, g, &m) && kin_edges_apart(e, g)));
    }
    CHECK(t, apart > 2000 && rootless > 2000);
}

static void a_sphere_meets_a_moving_triangle(test* t) /* X3.2 */
{
    dice d = {8};
    int hits = 0;
    for (int i = 0; i < 500; ++i) {
        kin_mover a = roll_mover(&d), b[3] = {roll_mover(&d), roll_mover(&d), roll_mover(&d)};
        a.from = kin_scale(kin_normalize_or(a.from, kin_v(0, 1, 0)), 2);
        double r = roll(&d, 0.05, 0.4);
        kin_impact m;
        bool found = kin_impact_sphere_triangle(a, r, b, &m);
        hits += found;
        double end = found ? m.t : 1;
        for (int s = 0; s < 100; ++s) {
            double u = end * s / 100;
            kin_feature f;
            kin_vec3 x = kin_mover_at(a, u), q = kin_closest_on_triangle(kin_mover_at(b[0], u), kin_mover_at(b[1], u), kin_mover_at(b[2], u), x, &f);
            if (s == 0 && kin_distance(x, q) < r) break;
            CHECK(t, kin_distance(x, q) >= r - 1e-9);
        }
    }
    CHECK(t, hits > 50);
}

TEST_MAIN("linear", TEST(a_point_falls_through_a_triangle), TEST(edges_cross_halfway), TEST(motion_within_a_plane), TEST(motion_along_a_line),
          TEST(a_touch_without_crossing_is_found), TEST(spheres_and_boxes_meet_at_three_tenths), TEST(triangles_against_sampling), TEST(quick_proofs_never_lie),
          TEST(a_sphere_meets_a_moving_triangle))
