/* primitive_test.c - points, lines, segments and planes (HA, A6.2 to A6.5). */
#include "math/primitive.h"
#include "support/test.h"
#include "unit/math/sample.h"

static void projection_and_mirror(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 300; ++i) {
        kin_vec3 v = sample_vector(&state, 3), d = sample_vector(&state, 3), n = sample_unit(&state);
        kin_vec3 along = kin_project(v, d), rest = kin_reject(v, d);
        NEAR(t, kin_dot(rest, d), 0, 1e-13);
        NEAR3(t, kin_add(along, rest), v, 1e-14);
        NEAR3(t, kin_cross(along, d), kin_v(0, 0, 0), 1e-13);
        kin_vec3 image = kin_mirror(v, n);
        NEAR3(t, kin_mirror(image, n), v, 1e-14);
        NEAR(t, kin_dot(image, n), -kin_dot(v, n), 1e-14);
        NEAR(t, kin_length(image), kin_length(v), 1e-14);
    }
    NEAR3(t, kin_project(kin_v(1, 2, 3), kin_v(0, 0, 0)), kin_v(0, 0, 0), 0);
    NEAR3(t, kin_mirror(kin_v(1, -2, 3), kin_axis(1)), kin_v(1, 2, 3), 0);
}

static void triangles(test* t)
{
    NEAR(t, kin_triangle_area(kin_v(0, 0, 0), kin_v(3, 0, 0), kin_v(0, 4, 0)), 6, 0);
    NEAR3(t, kin_triangle_normal(kin_v(0, 0, 0), kin_v(3, 0, 0), kin_v(0, 4, 0)), kin_axis(2), 0);
    NEAR3(t, kin_triangle_normal(kin_v(0, 0, 0), kin_v(1, 1, 1), kin_v(2, 2, 2)), kin_v(0, 0, 0), 0);
}

static void point_and_line(test* t)
{
    kin_vec3 a = {1, 0, 0}, b = {3, 0, 0};
    NEAR(t, kin_line_closest(a, b, kin_v(2, 5, 0)), 0.5, 0);
    NEAR(t, kin_line_closest(a, b, kin_v(7, 1, 0)), 3, 0);
    NEAR(t, kin_segment_closest(a, b, kin_v(7, 1, 0)), 1, 0);
    NEAR(t, kin_line_distance(a, b, kin_v(7, 3, 4)), 5, 0);
    NEAR(t, kin_segment_distance(a, b, kin_v(6, 0, 4)), 5, 0);
    NEAR(t, kin_line_distance(a, a, kin_v(1, 3, 4)), 5, 0); /* no line: the point */
    uint64_t state = 2;
    for (int i = 0; i < 200; ++i) {
        kin_vec3 p1 = sample_vector(&state, 3), p2 = sample_vector(&state, 3), p = sample_vector(&state, 3);
        kin_vec3 q = kin_line_point(p1, p2, kin_line_closest(p1, p2, p));
        NEAR(t, kin_dot(kin_sub(p, q), kin_sub(p2, p1)), 0, 1e-13);
    }
}

/* E14: the distance is (n.p - d)/|n|, so the length of the normal does not matter. */
static void point_and_plane(test* t)
{
    kin_plane3 plane = {{0, 2, 0}, 6}; /* y = 3 */
    NEAR(t, kin_plane3_distance(plane, kin_v(1, 7, 1)), 4, 0);
    NEAR(t, kin_plane3_distance(plane, kin_v(1, 1, 1)), -2, 0);
    NEAR3(t, kin_plane3_closest(plane, kin_v(1, 7, 2)), kin_v(1, 3, 2), 0);
    uint64_t state = 3;
    for (int i = 0; i < 200; ++i) {
        kin_vec3 point = sample_vector(&state, 3), normal = sample_vector(&state, 3), p = sample_vector(&state, 3);
        kin_plane3 any = kin_plane3_through(point, normal);
        kin_vec3 q = kin_plane3_closest(any, p);
        NEAR(t, kin_plane3_distance(any, q), 0, 1e-14);
        NEAR(t, kin_distance(p, q), kin_abs(kin_plane3_distance(any, p)), 1e-13);
    }
}

static void segment_and_plane_three_cases(test* t)
{
    kin_plane3 floor = {{0, 3, 0}, 3}; /* y = 1 */
    double k = -1;
    EQUAL(t, kin_segment_plane(kin_v(0, 0, 0), kin_v(0, 4, 0), floor, 0, &k), KIN_CROSSING_POINT);
    NEAR(t, k, 0.25, 0);
    EQUAL(t, kin_segment_plane(kin_v(0, 4, 0), kin_v(0, 1, 0), floor, 0, &k), KIN_CROSSING_POINT); /* an end on the plane */
    NEAR(t, k, 1, 0);
    k = -1;
    EQUAL(t, kin_segment_plane(kin_v(0, 1, 0), kin_v(5, 1, 2), floor, 0, &k), KIN_CROSSING_WHOLE);
    EQUAL(t, kin_segment_plane(kin_v(0, 2, 0), kin_v(5, 2, 2), floor, 0, &k), KIN_CROSSING_NONE); /* parallel, above */
    EQUAL(t, kin_segment_plane(kin_v(0, 2, 0), kin_v(5, 9, 2), floor, 0, &k), KIN_CROSSING_NONE);
    EQUAL(t, kin_segment_plane(kin_v(0, 0, 0), kin_v(5, -9, 2), floor, 0, &k), KIN_CROSSING_NONE);
    NEAR(t, k, -1, 0);
    EQUAL(t, kin_segment_plane(kin_v(0, 1.05, 0), kin_v(5, 9, 2), floor, 0.1, &k), KIN_CROSSING_POINT); /* near enough */
    NEAR(t, k, 0, 0);
    EQUAL(t, kin_segment_plane(kin_v(0, 1.05, 0), kin_v(5, 0.95, 2), floor, 0.1, &k), KIN_CROSSING_WHOLE);
}

/* A6.5 as printed, and by trying many points. */
static void segment_nearest_to_line(test* t)
{
    uint64_t state = 4;
    for (int i = 0; i < 300; ++i) {
        kin_vec3 p1 = sample_vector(&state, 3), p2 = sample_vector(&state, 3), h1 = sample_vector(&state, 3), h2 = sample_vector(&state, 3);
        double k = kin_segment_closest_to_line(p1, p2, h1, h2);
        double d1 = kin_line_distance(h1, h2, p1), d2 = kin_line_distance(h1, h2, p2), d3 = kin_length(kin_reject(kin_sub(p2, p1), kin_sub(h2, h1)));
        NEAR(t, k, kin_clamp((d1 * d1 - d2 * d2 + d3 * d3) / (2 * d3 * d3), 0, 1), 1e-9);
        double best = kin_line_distance(h1, h2, kin_line_point(p1, p2, k));
        for (int j = 0; j <= 20; ++j) {
            CHECK(t, best <= kin_line_distance(h1, h2, kin_line_point(p1, p2, j / 20.0)) + 1e-13);
        }
    }
    NEAR(t, kin_segment_closest_to_line(kin_v(1, 2, 0), kin_v(5, 2, 0), kin_v(0, 0, 0), kin_v(1, 0, 0)), 0.5, 0); /* parallel */
    NEAR(t, kin_segment_closest_to_line(kin_v(1, 2, 0), kin_v(1, 2, 0), kin_v(0, 0, 0), kin_v(1, 0, 0)), 0.5, 0); /* a point */
    NEAR(t, kin_segment_closest_to_line(kin_v(0, -1, 3), kin_v(0, 3, 3), kin_v(0, 0, 0), kin_v(1, 0, 0)), 0.25, 0);
}

static void two_segments(test* t)
{
    uint64_t state = 5;
    for (int i = 0; i < 300; ++i) {
        kin_vec3 a1 = sample_vector(&state, 3), a2 = sample_vector(&state, 3), b1 = sample_vector(&state, 3), b2 = sample_vector(&state, 3);
        if (i % 5 == 0) { /* parallel */
            b2 = kin_add_scaled(b1, sample_between(&state, -2, 2), kin_sub(a2, a1));
        }
        if (i % 7 == 0) { /* a point */
            a2 = a1;
        }
        kin_segment_pair pair = kin_segments_closest(a1, a2, b1, b2);
        for (int j = 0; j <= 20; ++j) {
            CHECK(t, pair.distance <= kin_segment_distance(b1, b2, kin_line_point(a1, a2, j / 20.0)) + 1e-13);
        }
    }
    kin_segment_pair crossing = kin_segments_closest(kin_v(-1, 0, 0), kin_v(1, 0, 0), kin_v(0, -1, 2), kin_v(0, 3, 2));
    NEAR(t, crossing.distance, 2, 0);
    NEAR(t, crossing.s, 0.5, 0);
    NEAR(t, crossing.t, 0.25, 0);
}

TEST_MAIN("math/primitive", TEST(projection_and_mirror), TEST(triangles), TEST(point_and_line), TEST(point_and_plane), TEST(segment_and_plane_three_cases),
          TEST(segment_nearest_to_line), TEST(two_segments))
