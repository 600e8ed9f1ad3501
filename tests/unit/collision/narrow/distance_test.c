/* The one door: closed forms against GJK, signs and directions for all pairs of cores, extremes of scale. */
#include "collision/narrow/distance.h"
#include "collision/narrow/epa.h"
#include "unit/collision/narrow/bodies.h"

static void spheres_and_capsules_have_closed_forms(test* t)
{
    const kin_convex ball = sphere(0.5), rod = capsule(1, 0.25), block = box(1, 2, 3);
    kin_gap g;
    kin_convex_distance(&ball, &ball, at(3, 0, 0), NULL, &g);
    NEAR(t, g.distance, 2, 0);
    NEAR3(t, g.normal, kin_v(-1, 0, 0), 0); /* from B to A */
    NEAR3(t, g.on_a, kin_v(0.5, 0, 0), 0);
    NEAR3(t, g.on_b, kin_v(2.5, 0, 0), 0);
    kin_convex_distance(&ball, &ball, at(0, 0, 0), NULL, &g); /* any way out */
    NEAR(t, g.distance, -1, 0);
    NEAR(t, kin_length(g.normal), 1, 0);
    kin_convex_distance(&rod, &rod, turned(kin_v(0, 0, 2), kin_v(0, 0, 1), KIN_PI / 2), NULL, &g);
    NEAR(t, g.distance, 1.5, 1e-15);
    NEAR3(t, g.normal, kin_v(0, 0, -1), 1e-15);
    kin_convex_distance(&rod, &rod, turned(kin_v(0, 0, 0), kin_v(0, 0, 1), KIN_PI / 2), NULL, &g); /* crossing */
    NEAR(t, g.distance, -0.5, 1e-15);
    NEAR(t, kin_abs(g.normal.z), 1, 1e-15);
    kin_convex_distance(&block, &ball, at(0.9, 0, 0), NULL, &g); /* centre inside, near the + x face */
    NEAR(t, g.distance, -0.6, 1e-15);
    NEAR3(t, g.normal, kin_v(-1, 0, 0), 0);
    NEAR3(t, g.on_a, kin_v(1, 0, 0), 1e-15);
    NEAR3(t, g.on_b, kin_v(0.4, 0, 0), 1e-15);
    EQUAL(t, g.iterations, 0);
}

/* What the closed forms say is what GJK and EPA say of the same cores. */
static void closed_forms_agree_with_the_iteration(test* t)
{
    const kin_convex bodies[] = {
        capsule(0.6, 0.1), box(0.5, 0.3, 0.8), cylinder(0.5, 0.4), {.core = KIN_CORE_TRIANGLE, .p = {{-1, 0.2, 0}, {1, 0, 0.3}, {0, 0.4, 1}}}};
    const kin_convex others[] = {sphere(0.2), capsule(0.5, 0.2)};
    for (uint32_t i = 0; i < 2000; ++i) {
        kin_rng_key key = {.seed = 9, .serial = i};
        const kin_convex *a = &bodies[i % 4], *b = &others[i % 4 == 0 && i % 8 == 0];
        kin_transform pose = brute_pose(&key, kin_rng_uniform(&key, 0, 0, 2));
        kin_gap g, back;
        kin_gjk_result r;
        kin_convex_distance(a, b, pose, NULL, &g);
        EQUAL(t, g.iterations, 0);
        kin_gjk_distance(a, b, pose, NULL, NULL, &r);
        if (r.is_overlapping) {
            kin_epa_result e;
            kin_epa_settings fine = {1e-6, 256};
            CHECK(t, kin_epa_depth(a, b, pose, &fine, NULL, &e));
            CHECK(t, -g.distance >= e.lower - 1e-9 && -g.distance <= e.depth + 1e-9);
        } else {
            NEAR(t, g.distance, r.distance, 1e-9);
            NEAR3(t, g.normal, r.normal, 1e-5 / kin_max(0.1, r.distance + 0.3)); /* the direction is known to the root of the distance */
        }
        kin_convex_distance(b, a, kin_transform_inverse(pose), NULL, &back);
        NEAR(t, back.distance, g.distance, 1e-14);
    }
}

/* For all pairs of cores: the points are distance apart along the normal, A stands off along it, and moving by the depth makes them touch. */
static void all_pairs_keep_the_convention(test* t)
{
    kin_hull* hull = NULL;
    kin_rng_key hull_key = {.seed = 10};
    EQUAL(t, brute_hull(&t->allocator, &hull_key, BRUTE_ROUND, 20, &hull), KIN_OK);
    kin_convex bodies[] = {sphere(0.3),
                           capsule(0.5, 0.2),
                           box(0.5, 0.3, 0.8),
                           cylinder(0.5, 0.4),
                           cone(0.5, 0.6),
                           hull_body(hull),
                           {.core = KIN_CORE_TRIANGLE, .p = {{-1, 0.2, 0}, {1, 0, 0.3}, {0, 0.4, 1}}},
                           {.core = KIN_CORE_BOX, .half = {0.4, 0.3, 0.2}, .radius = 0.1}};
    int apart = 0, over = 0;
    for (uint32_t i = 0; i < 64 * 40; ++i) {
        kin_rng_key key = {.seed = 12, .serial = i};
        const kin_convex *a = &bodies[i % 8], *b = &bodies[i / 8 % 8];
        kin_transform pose = brute_pose(&key, kin_rng_uniform(&key, 0, 0.1, 2));
        kin_gap g, after;
        kin_convex_distance(a, b, pose, NULL, &g);
        NEAR(t, kin_length(g.normal), 1, 1e-14);
        NEAR3(t, kin_sub(g.on_a, g.on_b), kin_scale(g.normal, g.distance), 1e-12);
        pose.position = kin_add_scaled(pose.position, g.distance - 0.01, g.normal); /* B to 1 cm from A */
        kin_convex_distance(a, b, pose, NULL, &after);
        if (g.distance > 0) NEAR(t, after.distance, 0.01, 1e-7);
        if (g.distance <= 0) NEAR(t, after.distance, 0.01, 1e-6);
        apart += g.distance > 0;
        over += g.distance < 0;
    }
    CHECK(t, apart > 500 && over > 500);
    kin_hull_destroy(hull);
}

/* From 1e-6 m to 1e8 m the answer scales with the bodies. */
static void scale_does_not_matter(test* t)
{
    const double scales[] = {1e-6, 1e-3, 1, 1e4, 1e8};
    for (uint32_t i = 0; i < 100; ++i) {
        hull_pair p = pair_make(t, i, 2.5);
        kin_convex a = hull_body(p.a), b = hull_body(p.b);
        kin_gap unit;
        kin_convex_distance(&a, &b, p.pose, NULL, &unit);
        for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
            kin_vec3 pa[32], pb[32];
            kin_hull *ha = NULL, *hb = NULL;
            kin_gap g;
            for (uint32_t v = 0; v < p.a->vertex_count; ++v) pa[v] = kin_scale(p.a->vertices[v], scales[k]);
            for (uint32_t v = 0; v < p.b->vertex_count; ++v) pb[v] = kin_scale(p.b->vertices[v], scales[k]);
            EQUAL(t, kin_hull_create(&t->allocator, pa, p.a->vertex_count, 0, &ha, NULL), KIN_OK);
            EQUAL(t, kin_hull_create(&t->allocator, pb, p.b->vertex_count, 0, &hb, NULL), KIN_OK);
            kin_convex sa = hull_body(ha), sb = hull_body(hb);
            kin_convex_distance(&sa, &sb, (kin_transform){kin_scale(p.pose.position, scales[k]), p.pose.orientation}, NULL, &g);
            NEAR(t, g.distance / scales[k], unit.distance, 1e-12 * p.size);
            kin_hull_destroy(ha);
            kin_hull_destroy(hb);
        }
        pair_free(&p);
    }
}

/* Inputs that a fuzzer found. A point 3e9 m from a triangle of 1e-7 m, straight across one of its edges: 0/0 in the closed form. */
static void far_and_tiny_has_a_distance(test* t)
{
    const kin_convex speck = sphere(0), flat = {.core = KIN_CORE_TRIANGLE, .p = {{1e-8, 1e-8, -1e-8}, {-1e-8, 0, 0}, {-7e-8, 7e-8, 7e-8}}};
    const kin_transform far = {{0, 2e9, 2e9}, {1, 0, 0, 0}};
    kin_gap gap;
    kin_convex_distance(&speck, &flat, far, NULL, &gap);
    NEAR(t, gap.distance, 2e9 * kin_sqrt(2), 1e-6);
    NEAR3(t, gap.normal, kin_normalize_or(kin_neg(far.position), kin_v(0, 0, 0)), 1e-15);
}

TEST_MAIN("distance", TEST(spheres_and_capsules_have_closed_forms), TEST(closed_forms_agree_with_the_iteration), TEST(all_pairs_keep_the_convention),
          TEST(scale_does_not_matter), TEST(far_and_tiny_has_a_distance))
