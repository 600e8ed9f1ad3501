/* aabb_test.c - axis-aligned boxes. */
#include "math/aabb.h"
#include "support/test.h"
#include "unit/math/sample.h"

static void empty_box_is_neutral(test* t)
{
    kin_aabb empty = kin_aabb_empty(), box = {{0, 0, 0}, {1, 2, 3}};
    CHECK(t, kin_aabb_is_empty(empty) && !kin_aabb_is_empty(box));
    NEAR3(t, kin_aabb_union(empty, box).low, box.low, 0);
    NEAR3(t, kin_aabb_union(box, empty).high, box.high, 0);
    CHECK(t, !kin_aabb_overlaps(empty, box) && !kin_aabb_overlaps(empty, empty));
    CHECK(t, !kin_aabb_contains(empty, kin_v(0, 0, 0)));
    CHECK(t, kin_aabb_contains_box(box, empty));
    NEAR(t, kin_aabb_volume(empty), 0, 0);
    NEAR(t, kin_aabb_area(empty), 0, 0);
    kin_aabb point = kin_aabb_add(empty, kin_v(4, 5, 6));
    NEAR3(t, point.low, kin_v(4, 5, 6), 0);
    NEAR3(t, point.high, kin_v(4, 5, 6), 0);
    CHECK(t, !kin_aabb_is_empty(point));
}

static void measures(test* t)
{
    kin_aabb box = {{0, 0, 0}, {1, 2, 3}};
    NEAR(t, kin_aabb_volume(box), 6, 0);
    NEAR(t, kin_aabb_area(box), 22, 0);
    NEAR3(t, kin_aabb_center(box), kin_v(0.5, 1, 1.5), 0);
    NEAR3(t, kin_aabb_size(box), kin_v(1, 2, 3), 0);
    NEAR3(t, kin_aabb_grow(box, 0.5).low, kin_v(-0.5, -0.5, -0.5), 0);
    NEAR3(t, kin_aabb_sweep(box, kin_v(-1, 2, 0)).low, kin_v(-1, 0, 0), 0);
    NEAR3(t, kin_aabb_sweep(box, kin_v(-1, 2, 0)).high, kin_v(1, 4, 3), 0);
    NEAR3(t, kin_aabb_closest(box, kin_v(5, 1, -1)), kin_v(1, 1, 0), 0);
    NEAR3(t, kin_aabb_around(kin_v(1, 1, 1), kin_v(1, 2, 3)).high, kin_v(2, 3, 4), 0);
}

static void overlap_and_containment(test* t)
{
    kin_aabb a = {{0, 0, 0}, {1, 1, 1}}, touching = {{1, 0, 0}, {2, 1, 1}}, apart = {{1.1, 0, 0}, {2, 1, 1}}, inner = {{0.2, 0.2, 0.2}, {1, 0.5, 0.5}};
    CHECK(t, kin_aabb_overlaps(a, touching) && !kin_aabb_overlaps(a, apart));
    CHECK(t, !kin_aabb_overlaps(a, (kin_aabb){{0, 0, 2}, {1, 1, 3}}) && !kin_aabb_overlaps(a, (kin_aabb){{0, -2, 0}, {1, -1, 1}}));
    CHECK(t, kin_aabb_contains_box(a, inner) && !kin_aabb_contains_box(inner, a) && !kin_aabb_contains_box(a, touching));
    CHECK(t, kin_aabb_contains(a, kin_v(1, 1, 1)) && !kin_aabb_contains(a, kin_v(1, 1, 1.001)));
    CHECK(t, kin_aabb_is_empty(kin_aabb_intersection(a, apart)));
    NEAR3(t, kin_aabb_intersection(a, inner).low, inner.low, 0);
}

/* The box of a moved box holds its eight moved corners, and each side is touched by one. */
static void moved_box_is_tight(test* t)
{
    uint64_t state = 1;
    kin_aabb box = {{-1, 0, 2}, {1, 3, 2.5}};
    for (int i = 0; i < 100; ++i) {
        kin_transform pose = sample_pose(&state);
        kin_aabb got = kin_aabb_transform(pose, box), want = kin_aabb_empty();
        for (int k = 0; k < 8; ++k) {
            want = kin_aabb_add(want, kin_apply(pose, kin_v(k & 1 ? 1 : -1, k & 2 ? 3 : 0, k & 4 ? 2.5 : 2)));
        }
        NEAR3(t, got.low, want.low, 1e-14);
        NEAR3(t, got.high, want.high, 1e-14);
    }
}

TEST_MAIN("math/aabb", TEST(empty_box_is_neutral), TEST(measures), TEST(overlap_and_containment), TEST(moved_box_is_tight))
