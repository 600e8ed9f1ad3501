/* bodies.h - convex bodies for the tests of the narrow phase. */
#pragma once
#include "collision/narrow/sat.h"
#include "math/quat.h"
#include "support/test.h"
#include "validation/collision/brute.h"

static inline kin_convex sphere(double radius) { return (kin_convex){.core = KIN_CORE_POINT, .radius = radius}; }
static inline kin_convex capsule(double half, double radius) { return (kin_convex){.core = KIN_CORE_SEGMENT, .half = {0, half, 0}, .radius = radius}; }
static inline kin_convex box(double x, double y, double z) { return (kin_convex){.core = KIN_CORE_BOX, .half = {x, y, z}}; }
static inline kin_convex cylinder(double radius, double half) { return (kin_convex){.core = KIN_CORE_CYLINDER, .half = {radius, half, radius}}; }
static inline kin_convex cone(double radius, double half) { return (kin_convex){.core = KIN_CORE_CONE, .half = {radius, half, radius}}; }
static inline kin_convex hull_body(const kin_hull* hull) { return (kin_convex){.core = KIN_CORE_HULL, .hull = hull}; }
static inline kin_transform at(double x, double y, double z) { return (kin_transform){{x, y, z}, {0, 0, 0, 1}}; }
static inline kin_transform turned(kin_vec3 position, kin_vec3 axis, double angle) { return (kin_transform){position, kin_quat_axis_angle(axis, angle)}; }

/* Two hulls of a kind each, and how they lie: apart, near (a gap of 1e-2 to 1e-6 m), overlapping. */
typedef struct hull_pair {
    kin_hull *a, *b;
    kin_transform pose; /* of b in a */
    double size;        /* m */
} hull_pair;

static inline hull_pair pair_make(test* t, uint32_t i, double far)
{
    kin_rng_key ka = {.seed = 21, .serial = i}, kb = {.seed = 22, .serial = i};
    hull_pair p = {.pose = brute_pose(&ka, kin_rng_uniform(&ka, 2000, 0, far))};
    EQUAL(t, brute_hull(&t->allocator, &ka, (brute_kind)(i % BRUTE_KINDS), 5 + i % 13, &p.a), KIN_OK);
    EQUAL(t, brute_hull(&t->allocator, &kb, (brute_kind)(i / BRUTE_KINDS % BRUTE_KINDS), 5 + i % 11, &p.b), KIN_OK);
    p.size = p.a->reach + p.b->reach;
    return p;
}
static inline void pair_free(hull_pair* p)
{
    kin_hull_destroy(p->a);
    kin_hull_destroy(p->b);
}
