#include "geometry/bvh.h"
#include "math/aabb.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

#define N 700

static void random_boxes(dice* d, kin_aabb* boxes, int n, double size)
{
    for (int i = 0; i < n; ++i) {
        kin_vec3 c = roll3(d, 10), h = kin_abs3(roll3(d, size));
        boxes[i] = kin_aabb_around(c, h);
    }
}

/* A parent holds its children, every item is in one leaf, children come after their parent. */
static void check_tree(test* t, const kin_bvh* bvh, const kin_aabb* boxes)
{
    int* seen = calloc(bvh->item_count + 1, sizeof *seen);
    for (uint32_t i = 0; i < bvh->node_count; ++i) {
        const kin_bvh_node* n = &bvh->nodes[i];
        if (i == 1) continue;
        for (uint32_t k = 0; k < n->count; ++k) {
            uint32_t item = bvh->items[n->first + k];
            seen[item] += 1;
            CHECK(t, n->low[0] <= boxes[item].low.x && n->low[1] <= boxes[item].low.y && n->low[2] <= boxes[item].low.z);
            CHECK(t, n->high[0] >= boxes[item].high.x && n->high[1] >= boxes[item].high.y && n->high[2] >= boxes[item].high.z);
        }
        for (uint32_t c = n->first; n->count == 0 && c < n->first + 2; ++c) {
            CHECK(t, c > i && c < bvh->node_count && c != 1);
            for (int k = 0; k < 3; ++k) CHECK(t, n->low[k] <= bvh->nodes[c].low[k] && n->high[k] >= bvh->nodes[c].high[k]);
        }
    }
    for (uint32_t i = 0; i < bvh->item_count; ++i) EQUAL(t, seen[i], 1);
    free(seen);
}

static void walks_find_what_a_scan_finds(test* t)
{
    static kin_aabb boxes[N];
    dice d = {3};
    kin_bvh bvh;
    kin_bvh_init(&bvh, &t->allocator);
    for (int round = 0; round < 40; ++round) {
        uint32_t n = round < 8 ? (uint32_t)round : N;
        random_boxes(&d, boxes, (int)n, round % 2 ? 1 : 0.01);
        if (round % 3 == 0 || round < 8)
            CHECK(t, kin_bvh_build(&bvh, boxes, n));
        else if (bvh.item_count == n)
            kin_bvh_refit(&bvh, boxes);
        else
            CHECK(t, kin_bvh_build(&bvh, boxes, n));
        check_tree(t, &bvh, boxes);
        for (int q = 0; q < 30; ++q) {
            kin_aabb box = kin_aabb_around(roll3(&d, 10), kin_abs3(roll3(&d, 3)));
            kin_vec3 a = roll3(&d, 12), dir = q % 5 == 0 ? kin_scale(kin_axis(q % 3), 20) : roll3(&d, 20), x = roll3(&d, 12);
            double inflate = q % 2 ? 0 : 0.5, reach = roll(&d, 0, 6);
            char by_box[N] = {0}, by_path[N] = {0}, by_point[N] = {0};
            kin_bvh_walk w;
            for (kin_bvh_overlap_begin(&w, &bvh, box); kin_bvh_overlap_next(&w);)
                for (uint32_t i = w.begin; i < w.end; ++i) by_box[bvh.items[i]] += 1;
            for (kin_bvh_path_begin(&w, &bvh, a, dir, inflate, 1); kin_bvh_path_next(&w);)
                for (uint32_t i = w.begin; i < w.end; ++i) by_path[bvh.items[i]] += 1;
            for (kin_bvh_closest_begin(&w, &bvh, x, reach); kin_bvh_closest_next(&w);)
                for (uint32_t i = w.begin; i < w.end; ++i) by_point[bvh.items[i]] += 1;
            for (uint32_t i = 0; i < n; ++i) {
                CHECK(t, by_box[i] <= 1 && by_path[i] <= 1 && by_point[i] <= 1);
                if (kin_aabb_overlaps(box, boxes[i])) EQUAL(t, by_box[i], 1);
                if (kin_distance(x, kin_aabb_closest(boxes[i], x)) <= reach) EQUAL(t, by_point[i], 1);
                for (int s = 0; s <= 64; ++s) {
                    kin_vec3 p = kin_add_scaled(a, s / 64.0, dir);
                    if (kin_largest(kin_abs3(kin_sub(p, kin_aabb_closest(boxes[i], p)))) <= inflate) EQUAL(t, by_path[i], 1);
                }
            }
        }
    }
    kin_bvh_term(&bvh);
}

static void closest_prunes_and_goes_nearest_first(test* t)
{
    static kin_aabb boxes[N];
    dice d = {4};
    kin_bvh bvh;
    kin_bvh_init(&bvh, &t->allocator);
    random_boxes(&d, boxes, N, 0.05);
    CHECK(t, kin_bvh_build(&bvh, boxes, N));
    int visits = 0;
    for (int q = 0; q < 200; ++q) {
        kin_vec3 x = roll3(&d, 11);
        double best = 1e300, truth = 1e300;
        kin_bvh_walk w;
        for (kin_bvh_closest_begin(&w, &bvh, x, 1e100); kin_bvh_closest_next(&w); w.limit = best) {
            for (uint32_t i = w.begin; i < w.end; ++i) {
                visits += 1;
                best = kin_min(best, kin_length2(kin_sub(x, kin_aabb_closest(boxes[bvh.items[i]], x))));
            }
        }
        for (int i = 0; i < N; ++i) truth = kin_min(truth, kin_length2(kin_sub(x, kin_aabb_closest(boxes[i], x))));
        NEAR(t, best, truth, 0);
    }
    CHECK(t, visits < 200 * 40);
    kin_bvh_term(&bvh);
}

static void identical_boxes_are_one_leaf(test* t) /* C2.2.1: indivisible */
{
    kin_aabb boxes[50];
    for (int i = 0; i < 50; ++i) boxes[i] = kin_aabb_around(kin_v(1, 2, 3), kin_v(1, 1, 1));
    kin_bvh bvh;
    kin_bvh_init(&bvh, &t->allocator);
    CHECK(t, kin_bvh_build(&bvh, boxes, 50));
    EQUAL(t, bvh.nodes[0].count, 50);
    kin_bvh_term(&bvh);
}

/* Sizes in a geometric row make the area estimate peel off one box at a time. */
static void depth_is_capped(test* t)
{
    enum { COUNT = 3000 };
    kin_aabb* boxes = calloc(COUNT, sizeof *boxes);
    double x = 1;
    for (int i = 0; i < COUNT; ++i) {
        boxes[i] = kin_aabb_around(kin_v(x, 0, 0), kin_v(x * 0.4, 0, 0));
        x = i % 2 ? x * 1.02 : x;
    }
    kin_bvh bvh;
    kin_bvh_init(&bvh, &t->allocator);
    CHECK(t, kin_bvh_build(&bvh, boxes, COUNT));
    check_tree(t, &bvh, boxes);
    int *depth = calloc(bvh.node_count, sizeof *depth), deepest = 0;
    for (uint32_t i = 0; i < bvh.node_count; ++i) {
        if (i == 1 || bvh.nodes[i].count > 0) continue;
        depth[bvh.nodes[i].first] = depth[bvh.nodes[i].first + 1] = depth[i] + 1;
        deepest = depth[i] + 1 > deepest ? depth[i] + 1 : deepest;
    }
    CHECK(t, deepest <= 80);
    free(depth);
    free(boxes);
    kin_bvh_term(&bvh);
}

/* C2.3: whatever moves straight from one box to the other stays in its leaf, and so in every box above. */
static void swept_leaves_hold_all_poses_between(test* t)
{
    static kin_aabb from[N], to[N], between[N];
    dice d = {7};
    kin_bvh bvh;
    kin_bvh_init(&bvh, &t->allocator);
    random_boxes(&d, from, N, 0.3);
    CHECK(t, kin_bvh_build(&bvh, from, N));
    for (int i = 0; i < N; ++i) to[i] = kin_aabb_around(kin_add(kin_aabb_center(from[i]), roll3(&d, 2)), kin_abs3(roll3(&d, 0.3)));
    uint64_t before = t->allocations;
    kin_bvh_refit_swept(&bvh, from, to);
    EQUAL(t, t->allocations, before);
    for (int step = 0; step <= 8; ++step) {
        for (int i = 0; i < N; ++i) {
            between[i] = (kin_aabb){kin_lerp(from[i].low, to[i].low, step / 8.0), kin_lerp(from[i].high, to[i].high, step / 8.0)};
        }
        check_tree(t, &bvh, between);
    }
    kin_bvh_term(&bvh);
}

/* A stadium of 10 km and in it a watch of 1 cm, in parts of 10 um: they must not end in one leaf. */
static void a_small_thing_in_a_large_scene_is_divided(test* t)
{
    static kin_aabb boxes[N];
    dice d = {8};
    random_boxes(&d, boxes, N, 1);
    for (int i = 0; i < N; ++i) {
        boxes[i] = i < 100 ? (kin_aabb){kin_scale(boxes[i].low, 1000), kin_scale(boxes[i].high, 1000)}
                           : kin_aabb_around(kin_add(kin_v(3000, 2000, 1000), roll3(&d, 0.005)), kin_v(5e-6, 5e-6, 5e-6));
    }
    kin_bvh bvh;
    kin_bvh_init(&bvh, &t->allocator);
    CHECK(t, kin_bvh_build(&bvh, boxes, N));
    check_tree(t, &bvh, boxes);
    uint32_t largest = 0;
    for (uint32_t i = 0; i < bvh.node_count; ++i) largest = bvh.nodes[i].count > largest ? bvh.nodes[i].count : largest;
    CHECK(t, largest <= KIN_BVH_LEAF);
    kin_bvh_term(&bvh);
}

static void floats_round_outward(test* t)
{
    dice d = {5};
    for (int i = 0; i < 100000; ++i) {
        double x = roll(&d, -1, 1) * pow(10, roll(&d, -46, 38));
        CHECK(t, kin_float_down(x) <= x && kin_float_up(x) >= x);
        CHECK(t, kin_float_up(x) - kin_float_down(x) <= 4e-7 * fabs(x) + 1e-44);
    }
    CHECK(t, kin_float_down(0.5) == 0.5f && kin_float_up(0.5) == 0.5f && kin_float_down(0) == 0);
}

static bool build_body(test* t, void* context)
{
    kin_bvh bvh;
    kin_bvh_init(&bvh, &t->allocator);
    bool built = kin_bvh_build(&bvh, context, 20);
    kin_bvh_term(&bvh);
    return built;
}

static void survives_failing_allocations(test* t)
{
    kin_aabb boxes[20];
    dice d = {6};
    random_boxes(&d, boxes, 20, 1);
    test_fail_each_allocation(t, build_body, boxes);
    kin_bvh bvh;
    kin_bvh_init(&bvh, &t->allocator);
    CHECK(t, kin_bvh_reserve(&bvh, 20));
    uint64_t before = t->allocations;
    CHECK(t, kin_bvh_build(&bvh, boxes, 20));
    EQUAL(t, t->allocations, before); /* a reserved build takes no memory */
    kin_bvh_term(&bvh);
}

TEST_MAIN("geometry bvh", TEST(walks_find_what_a_scan_finds), TEST(closest_prunes_and_goes_nearest_first), TEST(identical_boxes_are_one_leaf),
          TEST(depth_is_capped), TEST(swept_leaves_hold_all_poses_between), TEST(a_small_thing_in_a_large_scene_is_divided), TEST(floats_round_outward),
          TEST(survives_failing_allocations))
