/* The nearest point of a triangle: every region, and triangles that rounding hides. */
#include "geometry/triangle.h"
#include "math/random.h"
#include "support/test.h"

static void each_region_has_its_feature(test* t)
{
    const kin_vec3 a = {0, 0, 0}, b = {4, 0, 0}, c = {0, 4, 0};
    const struct {
        kin_vec3 x, nearest;
        kin_feature feature;
    } cases[] = {{{1, 1, 3}, {1, 1, 0}, KIN_FEATURE_FACE},    {{2, -1, 1}, {2, 0, 0}, KIN_FEATURE_EDGE0},    {{3, 3, 1}, {2, 2, 0}, KIN_FEATURE_EDGE1},
                 {{-1, 2, 1}, {0, 2, 0}, KIN_FEATURE_EDGE2},  {{-1, -1, 1}, {0, 0, 0}, KIN_FEATURE_CORNER0}, {{6, -1, 1}, {4, 0, 0}, KIN_FEATURE_CORNER1},
                 {{-1, 6, 1}, {0, 4, 0}, KIN_FEATURE_CORNER2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        kin_feature feature, rim;
        NEAR3(t, kin_closest_on_triangle(a, b, c, cases[i].x, &feature), cases[i].nearest, 1e-15);
        EQUAL(t, feature, cases[i].feature);
        if (feature == KIN_FEATURE_FACE) continue;
        NEAR3(t, kin_closest_on_rim(a, b, c, cases[i].x, &rim), cases[i].nearest, 1e-15);
        EQUAL(t, rim, feature);
    }
}

/* A segment whose corners are given in any order, one of them twice or between the others: its nearest point all the same. */
static void no_area_is_a_segment(test* t)
{
    const kin_vec3 p = {0.3, -0.7, 0.1}, q = {1.7, 0.2, 0.9};
    for (int i = 0; i <= 20; ++i) {
        kin_vec3 at = kin_lerp(p, q, 0.1 * i - 0.5), x = kin_add(at, kin_cross(kin_sub(q, p), kin_v(0.3, 0.4, 0.5)));
        double distance = kin_segment_distance(p, q, x);
        for (int k = 0; k <= 10; ++k) {
            kin_vec3 m = kin_lerp(p, q, 0.1 * k);
            const kin_vec3 corners[6][3] = {{p, q, m}, {p, m, q}, {q, p, m}, {q, m, p}, {m, p, q}, {m, q, p}};
            for (int order = 0; order < 6; ++order) {
                kin_feature feature;
                const kin_vec3* c = corners[order];
                NEAR(t, kin_distance(x, kin_closest_on_triangle(c[0], c[1], c[2], x, &feature)), distance, 1e-14);
            }
        }
    }
}

/* From near regular to slimmer than rounding: the root of rounding, whatever the corner that comes first. */
static void slim_ones_are_known_to_the_root_of_rounding(test* t)
{
    for (int i = 0; i < 4000; ++i) {
        kin_rng_key key = {.seed = 3, .serial = (uint32_t)i};
        double thin = kin_pow(10, -kin_rng_uniform(&key, 0, 0, 18)), share = kin_rng_uniform(&key, 1, 0, 1), s = kin_rng_uniform(&key, 2, 0, 1);
        kin_vec3 e = kin_rng_direction(&key, 10), up = kin_normalize_or(kin_cross(e, kin_rng_direction(&key, 20)), kin_v(0, 1, 0)),
                 a = kin_rng_direction(&key, 30);
        kin_vec3 b = kin_add(a, e), c = kin_add_scaled(kin_add_scaled(a, share, e), thin, up);
        /* a point over the triangle: its height is the distance */
        double high = kin_rng_uniform(&key, 3, 0, 2), u = kin_rng_uniform(&key, 4, 0, 1);
        kin_vec3 x = kin_add_scaled(kin_lerp(kin_lerp(a, b, s), c, u), high, kin_cross(e, up));
        const kin_vec3 corners[3][3] = {{a, b, c}, {c, a, b}, {b, c, a}};
        for (int k = 0; k < 3; ++k) {
            kin_feature feature;
            const kin_vec3* p = corners[k];
            NEAR(t, kin_distance(x, kin_closest_on_triangle(p[0], p[1], p[2], x, &feature)), high, 1e-7);
        }
    }
}

/* Products of a far point with small edges cancel to nothing; tiny edges' products vanish. The answer stays a point of the triangle (found by a fuzzer as 0/0). */
static void far_and_tiny_stay_on_it(test* t)
{
    const kin_vec3 a = {1e-8, 1e-8, -1e-8}, b = {-1e-8, 0, 0}, c = {-7e-8, 7e-8, 7e-8};
    kin_feature feature;
    kin_vec3 near = kin_closest_on_triangle(a, b, c, kin_v(0, 2e9, 2e9), &feature);
    CHECK(t, kin_length(near) <= kin_length(c));
    for (int i = 0; i < 300; ++i) {
        double size = kin_pow(10, -i), turn = 0.37 * i;
        const kin_vec3 p[3] = {{size, 0, 0}, {0, size, 0}, {-size, 0, size}};
        kin_vec3 x = kin_v(kin_cos(turn), kin_sin(turn), kin_cos(3 * turn));
        near = kin_closest_on_triangle(p[0], p[1], p[2], x, &feature);
        CHECK(t, kin_length(near) <= 1.5 * size);
        near = kin_closest_on_triangle(p[0], p[1], p[2], kin_scale(x, size), &feature);
        CHECK(t, kin_length(near) <= 1.5 * size);
    }
}

TEST_MAIN("triangle", TEST(each_region_has_its_feature), TEST(no_area_is_a_segment), TEST(slim_ones_are_known_to_the_root_of_rounding),
          TEST(far_and_tiny_stay_on_it))
