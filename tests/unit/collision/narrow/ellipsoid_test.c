/* Ellipsoids: nearest points by their conditions, distances to all other cores proved from both sides, least depths against sampled directions. */
#include "collision/narrow/ellipsoid.h"
#include "collision/narrow/distance.h"
#include "unit/collision/narrow/bodies.h"
#include <math.h>

static double draw(kin_rng_key* key, uint32_t n, double low, double high) { return kin_rng_uniform(key, n, low, high); }
static double power(kin_rng_key* key, uint32_t n, double low, double high) { return pow(10, draw(key, n, low, high)); }

static kin_vec3 direction(kin_rng_key* key, uint32_t n)
{
    return kin_normalize_or(kin_v(draw(key, n, -1, 1), draw(key, n + 1, -1, 1), draw(key, n + 2, -1, 1)), kin_v(0, 1, 0));
}

/* Semi-axes up to 1000:1, now and then two or three of them alike. */
static kin_vec3 axes(kin_rng_key* key, uint32_t n, double size)
{
    kin_vec3 a = {power(key, n, -3, 0), power(key, n + 1, -3, 0), power(key, n + 2, -3, 0)};
    const double which = draw(key, n + 3, 0, 1);
    if (which < 0.3) a.y = a.x;
    if (which < 0.1) a.z = a.x;
    return kin_scale(a, size / kin_largest(a));
}

/* x = y + d n with y on the surface and n its normal: then y is a nearest point from outside, and from inside where no sampled one is nearer. */
static void nearest_points_are_nearest(test* t)
{
    for (uint32_t i = 0; i < 20000; ++i) {
        kin_rng_key key = {.seed = 1, .serial = i};
        const double size = power(&key, 0, -3, 3);
        const kin_vec3 half = axes(&key, 1, size);
        kin_vec3 x = kin_scale(kin_mul(direction(&key, 10), half), power(&key, 13, -3, 1));
        if (i % 5 == 0) x.x = 0;
        if (i % 7 == 0) x.y = 0;
        if (i % 11 == 0) x.z = 0;
        const kin_ellipsoid_point p = kin_ellipsoid_closest(half, x);
        const kin_vec3 on = {p.point.x / half.x, p.point.y / half.y, p.point.z / half.z}, up = {on.x / half.x, on.y / half.y, on.z / half.z};
        NEAR(t, kin_length(on), 1, 1e-11);
        NEAR3(t, p.normal, kin_normalize_or(up, p.normal), 1e-9);
        NEAR3(t, kin_scale(kin_add_scaled(p.point, p.distance, p.normal), 1 / size), kin_scale(x, 1 / size), 1e-12 * (1 + kin_length(x) / size));
        CHECK(t, (p.distance > 0) == (kin_length(kin_v(x.x / half.x, x.y / half.y, x.z / half.z)) > 1) || fabs(p.distance) < 1e-14 * size);
        for (uint32_t k = 0; k < 10; ++k) {
            const kin_vec3 other = kin_mul(half, direction(&key, 20 + 3 * k));
            CHECK(t, kin_distance(other, x) >= fabs(p.distance) - 1e-12 * size);
        }
    }
}

static kin_vec3 support(const kin_convex* c, kin_vec3 d)
{
    uint32_t vertex = 0;
    return kin_add_scaled(kin_convex_support(c, d, &vertex), c->radius, d);
}

static double separation(const kin_convex* a, const kin_convex* b, kin_transform pose, kin_vec3 n)
{
    const kin_vec3 of_b = kin_apply(pose, support(b, kin_unrotate(pose.orientation, n)));
    return kin_dot(n, kin_sub(support(a, kin_neg(n)), of_b));
}

enum { CORES = 9 };

static kin_convex core_of(kin_rng_key* key, uint32_t which, const kin_hull* hull, double size)
{
    const kin_vec3 a = axes(key, 40, size);
    switch (which) {
    case 0: return sphere(a.x);
    case 1: return capsule(a.x, a.y);
    case 2: return box(a.x, a.y, a.z);
    case 3: return cylinder(a.x, a.y);
    case 4: return cone(a.x, a.y);
    case 5: return hull_body(hull);
    case 6:
        return (kin_convex){.core = KIN_CORE_TRIANGLE,
                            .p = {kin_scale(direction(key, 50), size), kin_scale(direction(key, 53), size), kin_scale(direction(key, 56), size)}};
    case 7: return (kin_convex){.core = KIN_CORE_BOX, .half = a, .radius = 0.1 * size};
    default: return (kin_convex){.core = KIN_CORE_ELLIPSOID, .half = a};
    }
}

/* From far apart to deep in each other, most of them near touching. */
static kin_transform pose_of(kin_rng_key* key, const kin_convex* a, const kin_convex* b, double size)
{
    kin_transform pose = {{0, 0, 0}, kin_quat_axis_angle(direction(key, 60), draw(key, 63, -3, 3))};
    const kin_vec3 n = direction(key, 64);
    const double gap = (draw(key, 67, 0, 1) < 0.5 ? 1 : -0.3) * power(key, 68, -9, 0) * size;
    pose.position = kin_add_scaled(kin_sub(support(a, kin_neg(n)), kin_apply(pose, support(b, kin_unrotate(pose.orientation, n)))), -gap, n);
    return pose;
}

/* The points are on both bodies and a distance apart along n: no more is the true distance; n separates the bodies by as much: no less is it. Deep ones: no sampled
 * direction is a shorter way out. */
static void distances_to_all_cores_are_proved(test* t)
{
    kin_hull* hull = NULL;
    kin_rng_key hull_key = {.seed = 10};
    EQUAL(t, brute_hull(&t->allocator, &hull_key, BRUTE_ROUND, 24, &hull), KIN_OK);
    long apart = 0, over = 0, worse = 0;
    double off[2] = {0, 0}, loose = 0;
    for (uint32_t i = 0; i < CORES * 3000; ++i) {
        kin_rng_key key = {.seed = 2, .serial = i};
        const double own = power(&key, 0, -3, 3), size = i % CORES == 5 ? hull->reach : kin_clamp(own * power(&key, 1, -2, 2), 1e-3, 1e3),
                     scale = kin_max(own, size);
        kin_convex a = {.core = KIN_CORE_ELLIPSOID, .half = axes(&key, 2, own)}, b = core_of(&key, i % CORES, hull, size);
        kin_transform pose = pose_of(&key, &a, &b, kin_min(own, size));
        kin_gap g, back;
        kin_convex_distance(&a, &b, pose, NULL, &g);
        kin_convex_distance(&b, &a, kin_transform_inverse(pose), NULL, &back);
        NEAR(t, back.distance / scale, g.distance / scale, 1e-12);
        NEAR(t, kin_length(g.normal), 1, 1e-14);
        NEAR3(t, kin_scale(kin_sub(g.on_a, g.on_b), 1 / scale), kin_scale(g.normal, g.distance / scale), 1e-13);
        NEAR(t, kin_ellipsoid_closest(a.half, g.on_a).distance / scale, 0, 1e-13);
        kin_gap on_b;
        const kin_convex point = sphere(0);
        kin_convex_distance(&b, &point, (kin_transform){kin_unapply(pose, g.on_b), {0, 0, 0, 1}}, NULL, &on_b);
        const bool deep = g.distance < -0.01 * kin_min(a.half.x, kin_min(a.half.y, a.half.z));
        off[deep] = kin_max(off[deep], fabs(on_b.distance) / scale);
        loose = kin_max(loose, fabs(separation(&a, &b, pose, g.normal) - g.distance) / scale);
        apart += g.distance > 0, over += g.distance < 0;
        for (uint32_t k = 0; k < 200 && g.distance < 0; ++k) {
            const kin_vec3 n = k < 100 ? direction(&key, 100 + 3 * k)
                                       : kin_normalize_or(kin_add_scaled(g.normal, power(&key, 700 + k, -6, 0), direction(&key, 100 + 3 * k)), g.normal);
            if (separation(&a, &b, pose, n) > g.distance + (deep ? 1e-5 : 1e-9) * scale) {
                worse += 1;
                break;
            }
        }
    }
    test_near(t, __FILE__, __LINE__, "points off the other body, of the larger size", off[0], 0, 1e-9);
    test_near(t, __FILE__, __LINE__, "and of deep ones, which begin from 256 points of a polytope", off[1], 0, 1e-5);
    test_near(t, __FILE__, __LINE__, "distance less its direction's separation", loose, 0, 1e-13);
    EQUAL(t, worse, 0);
    CHECK(t, apart > 5000 && over > 5000);
    kin_hull_destroy(hull);
}

/* The support point moves by the radii of curvature. */
static void curvature_is_the_rate_of_the_support_point(test* t)
{
    for (uint32_t i = 0; i < 2000; ++i) {
        kin_rng_key key = {.seed = 3, .serial = i};
        const kin_vec3 half = {power(&key, 0, -1, 0), power(&key, 1, -1, 0), power(&key, 2, -1, 0)}, u = direction(&key, 3);
        const kin_vec3 across = kin_normalize_or(kin_cross(u, direction(&key, 6)), kin_v(0, 1, 0));
        const double d = 1e-5;
        const kin_vec3 ahead = kin_support_ellipsoid(half, kin_add_scaled(u, d, across)), behind = kin_support_ellipsoid(half, kin_add_scaled(u, -d, across));
        NEAR3(t, kin_sym3_apply(kin_ellipsoid_curvature(half, u), across), kin_scale(kin_sub(ahead, behind), 0.5 / d), 1e-5);
        NEAR3(t, kin_sym3_apply(kin_ellipsoid_curvature(half, u), u), kin_v(0, 0, 0), 1e-12);
    }
}

TEST_MAIN("ellipsoid", TEST(nearest_points_are_nearest), TEST(distances_to_all_cores_are_proved), TEST(curvature_is_the_rate_of_the_support_point))
