/* barycentric_test.c - weights in triangles and tetrahedra (HF). */
#include "math/barycentric.h"
#include "math/primitive.h"
#include "support/test.h"
#include "unit/math/sample.h"

static void triangle_weights_rebuild_the_point(test* t)
{
    uint64_t state = 1;
    for (int i = 0; i < 500; ++i) {
        kin_vec3 a = sample_vector(&state, 3), b = sample_vector(&state, 3), c = sample_vector(&state, 3);
        if (kin_triangle_area(a, b, c) < 0.1) {
            continue;
        }
        double u = sample_between(&state, -1, 2), v = sample_between(&state, -1, 2), off = sample_between(&state, -3, 3);
        kin_vec3 in_plane = kin_bary3_mix3((kin_bary3){1 - u - v, u, v}, a, b, c);
        kin_vec3 p = kin_add_scaled(in_plane, off, kin_triangle_normal(a, b, c)); /* off the plane: the weights of the projection */
        kin_bary3 w = {0, 0, 0};
        CHECK(t, kin_triangle_weights(p, a, b, c, &w));
        NEAR(t, w.a + w.b + w.c, 1, 4e-15);
        NEAR3(t, kin_v(w.a, w.b, w.c), kin_v(1 - u - v, u, v), 1e-11);
        bool want = u > 0 && v > 0 && u + v < 1;
        CHECK(t, kin_bary3_inside(w, 0) == want);
        NEAR(t, kin_bary3_mix(w, a.x, b.x, c.x), in_plane.x, 1e-10);
    }
}

/* Signed areas: the middle has thirds, corners one, outside across an edge one negative. */
static void triangle_by_hand(test* t)
{
    kin_vec3 a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 1, 0};
    kin_bary3 w = {0, 0, 0};
    CHECK(t, kin_triangle_weights(kin_v(1.0 / 3, 1.0 / 3, 0), a, b, c, &w));
    NEAR3(t, kin_v(w.a, w.b, w.c), kin_v(1.0 / 3, 1.0 / 3, 1.0 / 3), 1e-15);
    CHECK(t, kin_triangle_weights(b, a, b, c, &w));
    NEAR3(t, kin_v(w.a, w.b, w.c), kin_v(0, 1, 0), 0);
    CHECK(t, kin_bary3_inside(w, 0));
    CHECK(t, kin_triangle_weights(kin_v(1, 1, 0), a, b, c, &w));
    NEAR3(t, kin_v(w.a, w.b, w.c), kin_v(-1, 1, 1), 0);
    CHECK(t, !kin_bary3_inside(w, 0.5) && kin_bary3_inside(w, 1));
    CHECK(t, !kin_triangle_weights(a, a, b, kin_v(2, 0, 0), &w));
    CHECK(t, !kin_triangle_weights(a, a, a, a, &w));
    NEAR(t, w.a, -1, 0);
}

static void tetrahedron_weights_rebuild_the_point(test* t)
{
    uint64_t state = 2;
    for (int i = 0; i < 500; ++i) {
        kin_vec3 a = sample_vector(&state, 3), b = sample_vector(&state, 3), c = sample_vector(&state, 3), d = sample_vector(&state, 3);
        if (kin_abs(kin_triple(kin_sub(b, a), kin_sub(c, a), kin_sub(d, a))) < 0.5) {
            continue;
        }
        double u = sample_between(&state, -1, 1), v = sample_between(&state, -1, 1), s = sample_between(&state, -1, 1);
        kin_bary4 want = {1 - u - v - s, u, v, s}, w = {0, 0, 0, 0};
        CHECK(t, kin_tetrahedron_weights(kin_bary4_mix3(want, a, b, c, d), a, b, c, d, &w));
        NEAR3(t, kin_v(w.b, w.c, w.d), kin_v(u, v, s), 1e-12);
        NEAR(t, w.a + w.b + w.c + w.d, 1, 4e-15);
        CHECK(t, kin_bary4_inside(w, 0) == (want.a > 0 && u > 0 && v > 0 && s > 0));
        NEAR(t, kin_bary4_mix(w, 1, 1, 1, 1), 1, 4e-15);
    }
}

static void tetrahedron_by_hand(test* t)
{
    kin_vec3 o = {0, 0, 0};
    kin_bary4 w = {0, 0, 0, 0};
    CHECK(t, kin_tetrahedron_weights(kin_v(0.25, 0.25, 0.25), o, kin_axis(0), kin_axis(1), kin_axis(2), &w));
    NEAR(t, w.a, 0.25, 0);
    CHECK(t, kin_bary4_inside(w, 0));
    NEAR(t, kin_bary4_mix(w, 0, 4, 8, 12), 6, 0);
    CHECK(t, kin_tetrahedron_weights(kin_v(1, 1, 1), o, kin_axis(0), kin_axis(1), kin_axis(2), &w));
    NEAR(t, w.a, -2, 0);
    CHECK(t, !kin_bary4_inside(w, 0));
    CHECK(t, !kin_tetrahedron_weights(o, o, kin_axis(0), kin_axis(1), kin_v(1, 1, 0), &w));
}

TEST_MAIN("math/barycentric", TEST(triangle_weights_rebuild_the_point), TEST(triangle_by_hand), TEST(tetrahedron_weights_rebuild_the_point),
          TEST(tetrahedron_by_hand))
