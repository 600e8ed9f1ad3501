#include "geometry/polygon.h"
#include "math/barycentric.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

static const uint32_t order[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void polygons_are_classified(test* t) /* H3.4 */
{
    kin_vec3 square[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    kin_vec3 with_straight_corner[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    kin_vec3 arrow[] = {{0, 0, 0}, {2, 2, 0}, {0, 4, 0}, {0.5, 2, 0}};
    kin_vec3 bow_tie[] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}; /* vector area 0 */
    kin_vec3 touching[] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {2, 0, 0}, {0, 4, 0}};
    kin_vec3 spike[] = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    kin_vec3 line[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
    kin_vec3 star[5];
    for (int i = 0; i < 5; ++i) star[i] = kin_v(cos(0.8 * KIN_PI * i), 0, sin(0.8 * KIN_PI * i)); /* turns one way, crosses itself */
    EQUAL(t, kin_polygon_classify(square, order, 4), KIN_POLYGON_CONVEX);
    EQUAL(t, kin_polygon_classify(square, order, 3), KIN_POLYGON_CONVEX);
    EQUAL(t, kin_polygon_classify(with_straight_corner, order, 5), KIN_POLYGON_CONVEX);
    EQUAL(t, kin_polygon_classify(arrow, order, 4), KIN_POLYGON_CONCAVE);
    EQUAL(t, kin_polygon_classify(bow_tie, order, 4), KIN_POLYGON_COMPLEX);
    EQUAL(t, kin_polygon_classify(touching, order, 5), KIN_POLYGON_COMPLEX);
    EQUAL(t, kin_polygon_classify(spike, order, 5), KIN_POLYGON_COMPLEX);
    EQUAL(t, kin_polygon_classify(star, order, 5), KIN_POLYGON_COMPLEX);
    EQUAL(t, kin_polygon_classify(line, order, 4), KIN_POLYGON_FLAT);
}

static void a_warped_quad_is_two_triangles(test* t) /* H3.4: non-planar */
{
    kin_vec3 warped[] = {{0, 0, 0}, {1, 0.1, 0}, {1, 0, 1}, {0, 0.1, 1}};
    uint32_t triangles[2][3];
    EQUAL(t, kin_polygon_classify(warped, order, 4), KIN_POLYGON_CONVEX);
    kin_polygon_triangulate(warped, order, 4, triangles);
    for (int i = 0; i < 2; ++i) CHECK(t, kin_polygon_normal(warped, triangles[i], 3).y < 0); /* the winding is kept */
}

/* A random star-shaped polygon turned into a random plane: areas must add up, windings agree, every edge inside be used twice. */
static void ears_cover_the_polygon(test* t)
{
    dice d = {1};
    for (int round = 0; round < 300; ++round) {
        uint32_t n = 4 + (uint32_t)roll(&d, 0, 12), triangles[14][3];
        kin_vec3 p[16], x = roll_direction(&d), y = kin_normalize_or(kin_cross(x, roll_direction(&d)), kin_v(0, 0, 1));
        for (uint32_t i = 0; i < n; ++i) {
            double r = roll(&d, 0.2, 3), a = 2 * KIN_PI * i / n;
            p[i] = kin_add(kin_scale(x, r * cos(a)), kin_scale(y, r * sin(a)));
        }
        kin_vec3 whole = kin_polygon_normal(p, order, n);
        kin_polygon_triangulate(p, order, n, triangles);
        double sum = 0;
        for (uint32_t i = 0; i + 2 < n; ++i) {
            kin_vec3 part = kin_polygon_normal(p, triangles[i], 3);
            CHECK(t, kin_dot(part, whole) >= -1e-12);
            sum += kin_length(part);
        }
        NEAR(t, sum, kin_length(whole), 1e-9);
    }
}

static void house_figure_3_2(test* t) /* H3.5: n = (-8, -5, -1), determinants -3.2, -2.4, -2.4, inside */
{
    kin_vec3 p[3] = {{3, 1, 1}, {2, 2, 4}, {1, 4, 2}}, hit = {1.9, 2.5, 2.3};
    kin_vec3 n = kin_cross(kin_sub(p[1], p[0]), kin_sub(p[2], p[1]));
    NEAR3(t, n, kin_v(-8, -5, -1), 1e-14);
    NEAR(t, kin_polygon_side(n, p[0], p[1], hit), -3.2, 1e-14);
    NEAR(t, kin_polygon_side(n, p[1], p[2], hit), -2.4, 1e-14);
    NEAR(t, kin_polygon_side(n, p[2], p[0], hit), -2.4, 1e-14);
    CHECK(t, kin_polygon_holds(p, 3, n, hit));
}

static void a_moving_point_hits_within_its_time(test* t) /* H3.5: t_hit is f h, not f (E13) */
{
    kin_vec3 p[4] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
    double time = -1;
    CHECK(t, kin_polygon_hit(p, 4, kin_v(0.5, 3, 0.5), kin_v(0, -2, 0), 2, &time));
    NEAR(t, time, 1.5, 1e-15);
    CHECK(t, !kin_polygon_hit(p, 4, kin_v(0.5, 3, 0.5), kin_v(0, -2, 0), 1, &time)); /* too short */
    CHECK(t, !kin_polygon_hit(p, 4, kin_v(0.5, 3, 0.5), kin_v(0, 2, 0), 9, &time));  /* away */
    CHECK(t, !kin_polygon_hit(p, 4, kin_v(0.5, 3, 0.5), kin_v(2, 0, 0), 9, &time));  /* v.n = 0 */
    CHECK(t, !kin_polygon_hit(p, 4, kin_v(1.5, 3, 0.5), kin_v(0, -2, 0), 9, &time)); /* beside */
}

static void determinants_and_weights_agree(test* t) /* H3.5 against H3.6 */
{
    dice d = {2};
    int inside = 0;
    for (int i = 0; i < 20000; ++i) {
        kin_vec3 p[3] = {roll3(&d, 2), roll3(&d, 2), roll3(&d, 2)};
        kin_vec3 n = kin_cross(kin_sub(p[1], p[0]), kin_sub(p[2], p[1]));
        double u = roll(&d, -0.5, 1.5), v = roll(&d, -0.5, 1.5);
        kin_vec3 x = kin_add(p[0], kin_add(kin_scale(kin_sub(p[1], p[0]), u), kin_scale(kin_sub(p[2], p[0]), v)));
        kin_bary3 w;
        if (kin_length(n) < 1e-3 || !kin_triangle_weights(x, p[0], p[1], p[2], &w)) continue;
        if (kin_min(w.a, kin_min(w.b, w.c)) > -1e-9 && kin_min(w.a, kin_min(w.b, w.c)) < 1e-9) continue; /* on the border */
        bool by_weights = w.b >= 0 && w.c >= 0 && w.b + w.c <= 1;
        CHECK(t, kin_polygon_holds(p, 3, n, x) == by_weights);
        inside += by_weights;
    }
    CHECK(t, inside > 1000);
}

TEST_MAIN("geometry polygon", TEST(polygons_are_classified), TEST(a_warped_quad_is_two_triangles), TEST(ears_cover_the_polygon), TEST(house_figure_3_2),
          TEST(a_moving_point_hits_within_its_time), TEST(determinants_and_weights_agree))
