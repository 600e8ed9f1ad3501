/* GJK: distance, bounds, features, caches, casts; its two sub-distances. */
#include "collision/narrow/gjk.h"
#include "collision/narrow/simplex.h"
#include "unit/collision/narrow/bodies.h"

/* ---- sub-distance ---- */

static kin_vec3 point_of(const kin_rng_key* key, uint32_t draw) { return kin_scale(kin_rng_direction(key, draw), kin_rng_uniform(key, 100 + draw, 0.1, 2)); }

/* The nearest point x of the simplex: no corner lies beyond the plane through x across x. */
static void both_subdistances_find_the_nearest_point(test* t)
{
    int inside = 0;
    for (uint32_t i = 0; i < 4000; ++i) {
        kin_rng_key key = {.seed = 1, .serial = i};
        kin_vec3 x[4];
        int count = 1 + (int)(i % 4);
        for (uint32_t k = 0; k < 4; ++k) x[k] = point_of(&key, k);
        kin_subset v = kin_subset_volumes(x, count), j = kin_subset_johnson(x, count);
        double sum = 0;
        for (int k = 0; k < count; ++k) {
            CHECK(t, kin_dot(v.point, x[k]) >= kin_length2(v.point) - 1e-12);
            CHECK(t, v.weight[k] >= 0 && (v.weight[k] > 0) == (v.mask >> k & 1));
            sum += v.weight[k];
        }
        NEAR(t, sum, 1, 1e-14);
        EQUAL(t, j.mask, v.mask);
        NEAR3(t, j.point, v.point, 1e-9); /* Johnson's determinants cancel */
        inside += v.mask == 15;
    }
    CHECK(t, inside > 20); /* about one in sixteen of the tetrahedra */
}

/* A needle, a flat quadrilateral, a point twice: signed volumes still find a nearest point. */
static void degenerate_simplices_have_a_nearest_point(test* t)
{
    const kin_vec3 needle[3] = {{1, 0, 0}, {1, 1, 0}, {1 + 1e-17, 2, 0}}, flat[4] = {{1, -1, -1}, {1, 1, -1}, {1, 1, 1}, {1, -1, 1}},
                   twice[2] = {{0, 2, 0}, {0, 2, 0}};
    NEAR3(t, kin_subset_volumes(needle, 3).point, kin_v(1, 0, 0), 1e-15);
    NEAR3(t, kin_subset_volumes(flat, 4).point, kin_v(1, 0, 0), 1e-15);
    NEAR3(t, kin_subset_volumes(twice, 2).point, kin_v(0, 2, 0), 0);
    EQUAL(t, __builtin_popcount(kin_subset_volumes(twice, 2).mask), 1);
}

/* ---- known gaps ---- */

/* C4.10: cubes face, edge and corner apart have exact gaps, and report the features of least dimension. */
static void cubes_apart_have_exact_gaps(test* t)
{
    const kin_convex a = box(1, 1, 1);
    kin_gjk_result r;
    kin_gjk_distance(&a, &a, at(3, 0.2, 0.1), NULL, NULL, &r);
    NEAR(t, r.distance, 1, 1e-15);
    NEAR3(t, r.normal, kin_v(-1, 0, 0), 1e-15);
    kin_gjk_distance(&a, &a, at(3, 4, 0.1), NULL, NULL, &r);
    NEAR(t, r.distance, kin_sqrt(5), 1e-15);
    kin_gjk_distance(&a, &a, at(3, -4, 5), NULL, NULL, &r);
    NEAR(t, r.distance, kin_sqrt(14), 1e-15);
    NEAR3(t, r.on_a, kin_v(1, -1, 1), 1e-15);
    NEAR3(t, r.on_b, kin_v(2, -3, 4), 1e-15);
    EQUAL(t, kin_gjk_part_a(&a, &r).kind, KIN_PART_VERTEX);
    EQUAL(t, kin_gjk_part_a(&a, &r).index, 5); /* + - + */
    EQUAL(t, kin_gjk_part_b(&a, &r).index, 2);
}

static void features_are_of_least_dimension(test* t)
{
    const kin_convex a = box(1, 1, 1);
    kin_gjk_result r;
    /* the corner of a cube on its tip over a face */
    kin_transform tip = {{0.1, 0.2, 4}, kin_quat_between(kin_v(1, 1, 1), kin_v(0, 0, -1))};
    kin_gjk_distance(&a, &a, tip, NULL, NULL, &r);
    NEAR(t, r.distance, 3 - kin_sqrt(3), 1e-14);
    EQUAL(t, kin_gjk_part_a(&a, &r).kind, KIN_PART_FACE);
    EQUAL(t, kin_gjk_part_a(&a, &r).index, 5); /* +z */
    EQUAL(t, kin_gjk_part_b(&a, &r).kind, KIN_PART_VERTEX);
    EQUAL(t, kin_gjk_part_b(&a, &r).index, 7);
    /* two edges crossing: that of A at +x +y along z, B turned about x after z */
    kin_quat q = kin_quat_mul(kin_quat_axis_angle(kin_v(0, 0, 1), KIN_PI / 4), kin_quat_axis_angle(kin_v(1, 0, 0), KIN_PI / 4));
    kin_vec3 place = kin_scale(kin_v(1, 1, 0), 2.5);
    kin_gjk_distance(&a, &a, (kin_transform){place, kin_quat_mul(q, kin_quat_axis_angle(kin_v(0, 1, 0), KIN_PI / 4))}, NULL, NULL, &r);
    EQUAL(t, kin_gjk_part_a(&a, &r).kind, KIN_PART_EDGE);
    EQUAL(t, kin_gjk_part_a(&a, &r).index, 4 * 2 + 1 + 2);
}

static void radii_are_taken_off(test* t)
{
    const kin_convex a = capsule(1, 0.25), b = box(1, 1, 1);
    kin_gjk_result r;
    kin_gjk_distance(&a, &b, at(0, 3.5, 0), NULL, NULL, &r);
    NEAR(t, r.distance, 1.25, 1e-15);
    NEAR3(t, r.on_a, kin_v(0, 1.25, 0), 1e-15);
    NEAR3(t, r.on_b, kin_v(0, 2.5, 0), 1e-15);
    kin_gjk_distance(&a, &b, at(0, 2.2, 0), NULL, NULL, &r); /* only the radius overlaps */
    NEAR(t, r.distance, -0.05, 1e-15);
    CHECK(t, !r.is_overlapping);
    kin_gjk_distance(&a, &b, at(0, 1.5, 0), NULL, NULL, &r);
    CHECK(t, r.is_overlapping && r.distance == -0.25);
}

/* ---- against brute force ---- */

typedef struct bounds {
    test* t;
    double truth, last, size;
} bounds;

static void watch_bounds(void* context, const kin_gjk_step* step)
{
    bounds* b = context;
    CHECK(b->t, step->lower <= b->truth + 1e-13 * b->size);
    CHECK(b->t, step->upper >= b->truth - 1e-13 * b->size);
    CHECK(b->t, step->upper <= b->last + 1e-15 * b->size); /* |p| falls at every iteration but the last, which finds nothing nearer */
    b->last = step->upper;
}

/* C4.10, C4.10.1: L <= true <= |p| at each iteration; distance to 1e-9; points on both hulls; both sub-distances. */
static void hulls_agree_with_brute_force(test* t)
{
    int apart = 0, over = 0;
    for (uint32_t i = 0; i < 600; ++i) {
        hull_pair p = pair_make(t, i, 3.5);
        kin_convex a = hull_body(p.a), b = hull_body(p.b);
        double separation = brute_separation(p.a, p.b, p.pose);
        kin_gjk_settings set = kin_gjk_defaults();
        kin_gjk_result r;
        bounds see = {t, 0, 1e300, p.size};
        if (separation > 0) see.truth = brute_distance(p.a, p.b, p.pose);
        set.subdistance = i & 1 ? KIN_SUBDISTANCE_JOHNSON : KIN_SUBDISTANCE_VOLUMES;
        set.watch = watch_bounds;
        set.context = &see;
        kin_gjk_distance(&a, &b, p.pose, &set, NULL, &r);
        EQUAL(t, r.is_overlapping, separation < 0);
        EQUAL(t, kin_gjk_intersects(&a, &b, p.pose, NULL), separation < 0);
        if (separation > 0) {
            NEAR(t, r.distance, see.truth, 1e-9 * see.truth + 1e-14 * p.size);
            NEAR(t, kin_hull_outside(p.a, r.on_a), 0, 1e-13 * p.size);
            NEAR(t, kin_hull_outside(p.b, kin_unapply(p.pose, r.on_b)), 0, 1e-13 * p.size);
            NEAR3(t, kin_sub(r.on_a, r.on_b), kin_scale(r.normal, r.distance), 1e-13 * p.size);
        }
        apart += separation > 0;
        over += separation < 0;
        pair_free(&p);
    }
    CHECK(t, apart > 150 && over > 100);
}

/* mu: a coarse tolerance stops earlier, and the answer is within it (P, GJK mu). */
static void the_tolerance_is_kept(test* t)
{
    const kin_convex a = cylinder(1, 1), b = cone(1, 1);
    kin_transform pose = turned(kin_v(2.5, 1.2, 0.4), kin_v(1, 0.3, 0.2), 1.1);
    kin_gjk_settings coarse = kin_gjk_defaults();
    kin_gjk_result fine, rough;
    coarse.tolerance = 1e-2;
    kin_gjk_distance(&a, &b, pose, NULL, NULL, &fine);
    kin_gjk_distance(&a, &b, pose, &coarse, NULL, &rough);
    CHECK(t, rough.iterations < fine.iterations);
    CHECK(t, rough.distance >= fine.lower && rough.distance <= fine.distance * 1.0102);
    CHECK(t, rough.lower <= fine.distance && rough.distance - rough.lower <= 1e-2 * rough.distance);
    coarse.most_iterations = 2;
    coarse.tolerance = 0;
    kin_gjk_distance(&a, &b, pose, &coarse, NULL, &rough);
    EQUAL(t, rough.iterations, 2);
}

/* ---- coherence ---- */

/* A slow turn: the kept simplex is right or nearly so, and an iteration or two are all. The same answer as from cold. */
static void caches_make_coherent_motion_cheap(test* t)
{
    hull_pair p = pair_make(t, 0, 1);
    kin_convex a = hull_body(p.a), b = hull_body(p.b);
    kin_gjk_cache cache = {0};
    int warm = 0, cold = 0;
    for (int i = 0; i < 400; ++i) {
        kin_transform pose = turned(kin_v(2.2, 0.3 * kin_sin(0.01 * i), 0.1), kin_v(0.3, 1, 0.2), 0.01 * i);
        kin_gjk_result w, c;
        kin_gjk_distance(&a, &b, pose, NULL, &cache, &w);
        kin_gjk_distance(&a, &b, pose, NULL, NULL, &c);
        NEAR(t, w.distance, c.distance, 1e-13);
        if (i > 0) warm += w.iterations, cold += c.iterations;
    }
    CHECK(t, warm < 399 * 1.3);
    CHECK(t, cold > 2 * warm);
    pair_free(&p);
}

/* S-G: while the last axis still parts them, yes or no takes one support point; moved into each other it says so. */
static void a_witness_plane_is_tried_first(test* t)
{
    const kin_convex a = box(1, 1, 1), b = box(0.5, 0.5, 0.5);
    kin_gjk_cache cache = {0};
    CHECK(t, !kin_gjk_intersects(&a, &b, at(3, 0.2, 0), &cache));
    kin_vec3 axis = cache.axis;
    CHECK(t, kin_length(axis) > 0);
    for (int i = 0; i < 10; ++i) {
        CHECK(t, !kin_gjk_intersects(&a, &b, turned(kin_v(3 - 0.05 * i, 0.2, 0), kin_v(0, 0, 1), 0.02 * i), &cache));
        NEAR3(t, cache.axis, axis, 0); /* the witness was enough */
    }
    CHECK(t, kin_gjk_intersects(&a, &b, at(1.4, 0.2, 0), &cache));
    CHECK(t, !kin_gjk_intersects(&a, &b, at(0, -2, 0), &cache));
}

/* ---- casts ---- */

static void casts_find_the_first_touch(test* t)
{
    const kin_convex a = box(1, 1, 1), ball = sphere(0.5), b = box(0.5, 0.5, 0.5);
    kin_cast hit;
    CHECK(t, kin_gjk_cast(&a, &ball, at(5, 0, 0), kin_v(-10, 0, 0), 1e-12, NULL, &hit));
    NEAR(t, hit.fraction, 0.35, 1e-12);
    NEAR3(t, hit.normal, kin_v(-1, 0, 0), 1e-12);
    NEAR3(t, hit.point, kin_v(1, 0, 0), 1e-11);
    /* past an edge: the ball's centre at (1 + 0.5 cos, 1 + 0.5 sin), with y = 1.3 */
    CHECK(t, kin_gjk_cast(&a, &ball, at(5, 1.3, 0), kin_v(-10, 0, 0), 1e-12, NULL, &hit));
    NEAR(t, hit.fraction, (4 - 0.4) / 10, 1e-11);
    NEAR3(t, hit.normal, kin_v(-0.8, -0.6, 0), 1e-9);
    CHECK(t, !kin_gjk_cast(&a, &ball, at(5, 1.51, 0), kin_v(-10, 0, 0), 1e-12, NULL, &hit));
    CHECK(t, !kin_gjk_cast(&a, &b, at(5, 0, 0), kin_v(-3.4, 0, 0), 1e-12, NULL, &hit));
    CHECK(t, kin_gjk_cast(&a, &b, at(0.2, 0, 0), kin_v(9, 0, 0), 1e-12, NULL, &hit));
    NEAR(t, hit.fraction, 0, 0);
}

/* Just before the touch they are apart, at it they are within the tolerance. */
static void casts_of_hulls_stop_where_they_touch(test* t)
{
    int hits = 0;
    for (uint32_t i = 0; i < 200; ++i) {
        hull_pair p = pair_make(t, i, 0.5);
        kin_convex a = hull_body(p.a), b = hull_body(p.b);
        kin_vec3 from = kin_normalize_or(p.pose.position, kin_v(1, 0, 0)), motion = kin_add(kin_scale(from, -8), kin_v(0, 0.5, 0.2));
        kin_cast hit;
        kin_gjk_result r;
        p.pose.position = kin_scale(from, 4);
        if (kin_gjk_cast(&a, &b, p.pose, motion, 1e-10, NULL, &hit)) {
            kin_transform there = {kin_add_scaled(p.pose.position, hit.fraction, motion), p.pose.orientation};
            kin_gjk_distance(&a, &b, there, NULL, NULL, &r);
            NEAR(t, r.distance, 0, 1.1e-10);
            NEAR(t, kin_hull_outside(p.a, hit.point), 0, 1e-12);
            hits++;
        }
        pair_free(&p);
    }
    CHECK(t, hits > 50);
}

TEST_MAIN("gjk", TEST(both_subdistances_find_the_nearest_point), TEST(degenerate_simplices_have_a_nearest_point), TEST(cubes_apart_have_exact_gaps),
          TEST(features_are_of_least_dimension), TEST(radii_are_taken_off), TEST(hulls_agree_with_brute_force), TEST(the_tolerance_is_kept),
          TEST(caches_make_coherent_motion_cheap), TEST(a_witness_plane_is_tried_first), TEST(casts_find_the_first_touch),
          TEST(casts_of_hulls_stop_where_they_touch))
