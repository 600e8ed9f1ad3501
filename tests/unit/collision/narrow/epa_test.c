/* EPA: depth, normal and points of overlapping cores; flat and touching starts; curved cores. */
#include "collision/narrow/epa.h"
#include "collision/narrow/sat.h"
#include "unit/collision/narrow/bodies.h"

static void boxes_have_the_least_overlap(test* t)
{
    const kin_convex a = box(1, 2, 3), b = box(0.5, 0.5, 0.5);
    kin_epa_result r;
    CHECK(t, kin_epa_depth(&a, &b, at(1.3, 0.2, -0.4), NULL, NULL, &r));
    NEAR(t, r.depth, 0.2, 1e-15);
    NEAR3(t, r.normal, kin_v(-1, 0, 0), 1e-15);
    NEAR(t, r.on_a.x, 1, 1e-15);
    NEAR(t, r.on_b.x, 0.8, 1e-15);
    CHECK(t, kin_epa_depth(&a, &b, at(0, 0, 0), NULL, NULL, &r)); /* one centre in the other: the near pair of faces */
    NEAR(t, r.depth, 1.5, 1e-15);
    CHECK(t, !kin_epa_depth(&a, &b, at(5, 0, 0), NULL, NULL, &r));
}

/* Exactly touching, face on face, corner on face, corner on corner: depth 0 and a normal that parts them. */
static void touching_has_depth_zero(test* t)
{
    const kin_convex a = box(1, 1, 1);
    const kin_vec3 places[] = {{2, 0, 0}, {2, 0.5, 0.25}, {2, 2, 0}, {2, 2, 2}, {-2, 2, -2}, {0, 0, -2}};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        kin_epa_result r;
        CHECK(t, kin_epa_depth(&a, &a, (kin_transform){places[i], {0, 0, 0, 1}}, NULL, NULL, &r));
        NEAR(t, r.depth, 0, 1e-14);
        NEAR(t, kin_length(r.normal), 1, 1e-14);
        CHECK(t, kin_dot(r.normal, places[i]) < 0);
    }
}

/* Points, segments and triangles that cross have no volume, or little: their depth is across. */
static void flat_things_have_a_depth(test* t)
{
    const kin_convex segment = capsule(1, 0.1), flat = {.core = KIN_CORE_TRIANGLE, .p = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 2}}};
    kin_epa_result r;
    CHECK(t, kin_epa_depth(&segment, &segment, turned(kin_v(0, 0, 0), kin_v(0, 0, 1), KIN_PI / 2), NULL, NULL, &r)); /* crossing: a flat difference */
    NEAR(t, r.depth, 0.2, 1e-14);
    NEAR(t, kin_abs(r.normal.z), 1, 1e-14);
    CHECK(t, kin_epa_depth(&segment, &segment, at(0, 0.5, 0), NULL, NULL, &r)); /* along each other: a line */
    NEAR(t, r.depth, 0.2, 1e-14);
    NEAR(t, r.normal.y, 0, 1e-14);
    CHECK(t, kin_epa_depth(&flat, &flat, at(0.1, 0, 0.1), NULL, NULL, &r)); /* in one plane */
    NEAR(t, r.depth, 0, 1e-14);
    NEAR(t, kin_abs(r.normal.y), 1, 1e-14);
    CHECK(t, kin_epa_depth(&flat, &segment, at(0, 0.7, 0), NULL, NULL, &r)); /* pierced: out along the segment */
    NEAR(t, r.depth, 0.4, 1e-14);
    NEAR3(t, r.normal, kin_v(0, -1, 0), 1e-14);
}

/* Depth = separation along the best of all axes, 1e-9; the points are on the hulls; moved out by the depth they touch. */
static void hulls_agree_with_brute_force(test* t)
{
    int over = 0;
    for (uint32_t i = 0; i < 500; ++i) {
        hull_pair p = pair_make(t, i, 1.2);
        kin_convex a = hull_body(p.a), b = hull_body(p.b);
        double separation = brute_separation(p.a, p.b, p.pose);
        kin_epa_result r;
        EQUAL(t, kin_epa_depth(&a, &b, p.pose, NULL, NULL, &r), separation < 0);
        if (separation < 0) {
            NEAR(t, r.depth, -separation, 1e-9 * p.size);
            CHECK(t, r.lower <= r.depth && r.depth - r.lower <= 1e-9 * p.size);
            NEAR(t, kin_hull_outside(p.a, r.on_a), 0, 1e-12 * p.size);
            NEAR(t, kin_hull_outside(p.b, kin_unapply(p.pose, r.on_b)), 0, 1e-12 * p.size);
            NEAR3(t, kin_sub(r.on_b, r.on_a), kin_scale(r.normal, r.depth), 1e-13 * p.size);
            kin_transform out = {kin_add_scaled(p.pose.position, -r.depth, r.normal), p.pose.orientation};
            NEAR(t, brute_separation(p.a, p.b, out), 0, 1e-9 * p.size);
            over++;
        }
        pair_free(&p);
    }
    CHECK(t, over > 150);
}

/* Along any direction n the overlap of two cores is h_A(n) + h_B(-n) - n.c; the depth is its least. */
static double overlap_along(const kin_convex* a, const kin_convex* b, kin_transform pose, kin_vec3 n)
{
    uint32_t v = 0;
    kin_vec3 pa = kin_convex_support(a, n, &v), pb = kin_apply(pose, kin_convex_support(b, kin_neg(kin_unrotate(pose.orientation, n)), &v));
    return kin_dot(n, kin_sub(pa, pb));
}

/* A leaf of 1e-6 m at the tip of a pyramid of 1e8 m, within rounding of it: GJK ends with points of the leaf alone, which are one point at the size of the
 * pyramid; a start from them had needles for faces, and no depth (found by random search). Good to rounding of the size. */
static void a_start_as_small_as_rounding(test* t)
{
    const kin_vec3 leaf[] = {{7e-7, -3e-13, -7e-7}, {-6e-7, -6e-13, 1e-7}, {5e-7, 3e-13, -4e-7},  {7e-7, 0, -2e-7},      {0, 7e-13, 7e-7},
                             {0, -2e-13, 6e-7},     {-6e-7, 0, 0},         {5e-7, 0, -7e-7},      {-6e-7, 6e-13, -5e-7}, {6e-7, 6e-13, 7e-7},
                             {6e-7, 7e-13, 6e-7},   {1e-7, 0, -6e-7},      {-3e-7, 6e-13, -7e-7}, {3e-7, -3e-13, 7e-7},  {3e-7, -6e-13, 0}};
    const kin_vec3 pyramid[] = {{0, 0, 0}, {0, -1e8, 100000000.0000004}, {-1e8, 0, 100000000.0000006}, {1e8, 0, 1e8}};
    const kin_transform pose = {{-5e-7, 3e-7, 0}, {0.41256849850351734, -0.51571062312939664, -0.72199487238115534, -0.20628424925175867}};
    kin_hull *a = NULL, *b = NULL;
    kin_epa_result r;
    EQUAL(t, kin_hull_create(&t->allocator, leaf, sizeof leaf / sizeof *leaf, 0, &a, NULL), KIN_OK);
    EQUAL(t, kin_hull_create(&t->allocator, pyramid, sizeof pyramid / sizeof *pyramid, 0, &b, NULL), KIN_OK);
    const kin_convex body_a = hull_body(a), body_b = hull_body(b);
    CHECK(t, kin_epa_depth(&body_a, &body_b, pose, NULL, NULL, &r));
    NEAR(t, overlap_along(&body_a, &body_b, pose, kin_neg(r.normal)), r.depth, 4e-15 * b->reach);
    kin_hull_destroy(a);
    kin_hull_destroy(b);
}

static void curved_cores_converge(test* t)
{
    const kin_convex bodies[] = {cylinder(0.5, 0.7), cone(0.6, 0.7), box(0.4, 0.6, 0.5)};
    for (uint32_t i = 0; i < 90; ++i) {
        kin_rng_key key = {.seed = 5, .serial = i};
        const kin_convex *a = &bodies[i % 2], *b = &bodies[i / 2 % 3];
        kin_transform pose = brute_pose(&key, kin_rng_uniform(&key, 0, 0.05, 0.6));
        kin_epa_result r;
        if (!kin_epa_depth(a, b, pose, NULL, NULL, &r)) continue;
        CHECK(t, r.depth - r.lower <= 1e-8);
        NEAR(t, overlap_along(a, b, pose, kin_neg(r.normal)), r.depth, 1e-8);
        for (uint32_t k = 0; k < 200; ++k) {
            kin_vec3 n = kin_rng_direction(&key, 100 + k), near = kin_normalize_or(kin_add_scaled(kin_neg(r.normal), 1e-3, n), n);
            CHECK(t, overlap_along(a, b, pose, n) >= r.depth - 1e-8);
            CHECK(t, overlap_along(a, b, pose, near) >= r.depth - 1e-8);
        }
    }
}

/* A standing cylinder in a box's top: by its base. A cone lying on its tip: by the tip. */
static void curved_depths_are_known(test* t)
{
    const kin_convex ground = box(5, 1, 5), can = cylinder(0.5, 1), hat = cone(0.5, 1);
    kin_epa_result r;
    CHECK(t, kin_epa_depth(&ground, &can, at(0.3, 1.9, 0.1), NULL, NULL, &r));
    NEAR(t, r.depth, 0.1, 1e-12);
    NEAR3(t, r.normal, kin_v(0, -1, 0), 1e-9);
    CHECK(t, kin_epa_depth(&ground, &can, turned(kin_v(0.3, 1.4, 0.1), kin_v(1, 0, 0), KIN_PI / 2), NULL, NULL, &r)); /* lying: its side */
    NEAR(t, r.depth, 0.1, 1e-9);
    CHECK(t, kin_epa_depth(&ground, &hat, turned(kin_v(0, 1.75, 0), kin_v(0, 0, 1), KIN_PI), NULL, NULL, &r));
    NEAR(t, r.depth, 0.25, 1e-12);
    NEAR3(t, r.on_b, kin_v(0, 0.75, 0), 1e-9);
}

/* The cap: what is returned still bounds the depth. */
static void few_points_still_bound_it(test* t)
{
    const kin_convex a = cylinder(0.5, 0.5), b = cylinder(0.6, 0.4);
    const kin_epa_settings few = {0, 6}, coarse = {0.1, 256};
    kin_transform pose = turned(kin_v(0.4, 0.3, 0.2), kin_v(1, 1, 0), 0.8);
    kin_epa_result fine, rough, early;
    CHECK(t, kin_epa_depth(&a, &b, pose, NULL, NULL, &fine));
    CHECK(t, kin_epa_depth(&a, &b, pose, &few, NULL, &rough));
    CHECK(t, kin_epa_depth(&a, &b, pose, &coarse, NULL, &early));
    CHECK(t, rough.iterations <= 3 && rough.lower <= fine.depth && rough.depth >= fine.lower);
    CHECK(t, early.iterations < fine.iterations && early.depth - early.lower <= 0.1 * early.depth + 1e-9);
}

TEST_MAIN("epa", TEST(boxes_have_the_least_overlap), TEST(touching_has_depth_zero), TEST(flat_things_have_a_depth), TEST(hulls_agree_with_brute_force),
          TEST(a_start_as_small_as_rounding), TEST(curved_cores_converge), TEST(curved_depths_are_known), TEST(few_points_still_bound_it))
