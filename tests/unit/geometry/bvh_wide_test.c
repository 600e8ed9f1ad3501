/* The wide tree holds what the binary one holds: every item in one block, every box in its parent's, after builds and refits. */
#include "geometry/bvh_wide.h"
#include "math/aabb.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

#define N 900

typedef struct forest {
    kin_bvh bvh;
    kin_bvh_wide wide;
    kin_aabb boxes[N];
} forest;

static kin_aabb box_of(const void* context, uint32_t begin, uint32_t end)
{
    const forest* f = context;
    kin_aabb box = kin_aabb_empty();
    for (uint32_t i = begin; i < end; ++i) box = kin_aabb_union(box, f->boxes[f->bvh.items[i]]);
    return box;
}

static void roll_boxes(forest* f, dice* d, double size, double scale, kin_vec3 at)
{
    for (int i = 0; i < N; ++i) f->boxes[i] = kin_aabb_around(kin_add(at, roll3(d, scale)), kin_abs3(roll3(d, size * scale)));
}

static kin_aabb place_box(const kin_bvh_wide* w, const kin_bvh_wide_node* n, int k)
{
    kin_vec3 low = {n->low[0][k], n->low[1][k], n->low[2][k]}, high = {n->high[0][k], n->high[1][k], n->high[2][k]};
    return (kin_aabb){kin_add(kin_scale(low, w->unit), w->middle), kin_add(kin_scale(high, w->unit), w->middle)};
}

static void check(test* t, const forest* f)
{
    const kin_bvh_wide* w = &f->wide;
    static int seen[N], parents[N];
    for (int i = 0; i < N; ++i) seen[i] = parents[i] = 0;
    double slack = 4e-16 * (kin_largest(kin_abs3(w->middle)) + w->unit); /* of the sum in place_box */
    for (size_t i = 0; i < w->node_count; ++i) {
        const kin_bvh_wide_node* n = &w->nodes[i];
        for (int k = 0; k < KIN_BVH_WIDE; ++k) {
            kin_aabb outer = kin_aabb_grow(place_box(w, n, k), slack);
            if (n->item[k] == KIN_BVH_NO_ITEM) {
                if (n->child[k] == 0) {
                    CHECK(t, n->low[0][k] > n->high[0][k]);
                    continue;
                }
                CHECK(t, n->child[k] > i && n->child[k] < w->node_count);
                parents[n->child[k]] += 1;
                for (int c = 0; c < KIN_BVH_WIDE; ++c) CHECK(t, kin_aabb_contains_box(outer, place_box(w, &w->nodes[n->child[k]], c)));
                continue;
            }
            const kin_bvh_block* b = &w->blocks[n->child[k]];
            EQUAL(t, b->first, n->item[k]);
            do {
                CHECK(t, b->count >= 1 && b->count <= KIN_BVH_BLOCK && (b->more == 0 || b->count == KIN_BVH_BLOCK));
                for (uint32_t item = b->first; item < b->first + b->count; ++item) {
                    seen[item] += 1;
                    CHECK(t, kin_aabb_contains_box(outer, f->boxes[f->bvh.items[item]]));
                }
            } while ((b++)->more);
        }
    }
    for (uint32_t i = 0; i < f->bvh.item_count; ++i) EQUAL(t, seen[i], 1);
    for (size_t i = 1; i < w->node_count; ++i) EQUAL(t, parents[i], 1);
}

static void it_holds_what_the_binary_tree_holds(test* t)
{
    static forest f;
    static const struct {
        double scale;
        kin_vec3 at;
    } places[] = {{1, {0, 0, 0}}, {1e-6, {0, 0, 0}}, {1e6, {0, 0, 0}}, {1, {1e6, -3e6, 2e5}}, {1e-12, {1, 1, 1}}, {1e25, {0, 0, 0}}};
    dice d = {21};
    kin_bvh_init(&f.bvh, &t->allocator);
    kin_bvh_wide_init(&f.wide, &t->allocator);
    for (int round = 0; round < 24; ++round) {
        uint32_t n = round < 8 ? (uint32_t)round : N;
        roll_boxes(&f, &d, 0.05, places[round % 6].scale, places[round % 6].at);
        CHECK(t, kin_bvh_build(&f.bvh, f.boxes, n));
        CHECK(t, kin_bvh_wide_build(&f.wide, &f.bvh, box_of, &f));
        CHECK(t, (n == 0) == (f.wide.node_count == 0));
        if (n == 0) continue;
        check(t, &f);
        uint64_t before = t->allocations;
        roll_boxes(&f, &d, 0.2, places[(round + 1) % 6].scale, places[(round + 1) % 6].at);
        kin_bvh_wide_refit(&f.wide, box_of, &f);
        EQUAL(t, t->allocations, before);
        check(t, &f);
        if (n == N) CHECK(t, f.wide.node_count < N / 8 && f.wide.block_count < N / 2); /* places and lanes are used well */
    }
    kin_bvh_wide_term(&f.wide);
    kin_bvh_term(&f.bvh);
}

static void identical_boxes_take_several_blocks(test* t)
{
    static forest f;
    for (int i = 0; i < 10; ++i) f.boxes[i] = kin_aabb_around(kin_v(1, 2, 3), kin_v(1, 1, 1));
    kin_bvh_init(&f.bvh, &t->allocator);
    kin_bvh_wide_init(&f.wide, &t->allocator);
    CHECK(t, kin_bvh_build(&f.bvh, f.boxes, 10) && kin_bvh_wide_build(&f.wide, &f.bvh, box_of, &f));
    EQUAL(t, f.wide.node_count, 1);
    EQUAL(t, f.wide.block_count, 3);
    check(t, &f);
    kin_bvh_wide_term(&f.wide);
    kin_bvh_term(&f.bvh);
}

static bool build_body(test* t, void* context)
{
    forest* f = context;
    kin_bvh_wide_init(&f->wide, &t->allocator);
    bool built = kin_bvh_wide_build(&f->wide, &f->bvh, box_of, f);
    CHECK(t, built || f->wide.node_count == 0);
    kin_bvh_wide_term(&f->wide);
    return built;
}

static void survives_failing_allocations(test* t)
{
    static forest f;
    dice d = {22};
    roll_boxes(&f, &d, 0.05, 1, kin_v(0, 0, 0));
    kin_bvh_init(&f.bvh, &t->allocator);
    CHECK(t, kin_bvh_build(&f.bvh, f.boxes, N));
    test_fail_each_allocation(t, build_body, &f);
    kin_bvh_term(&f.bvh);
}

TEST_MAIN("geometry bvh_wide", TEST(it_holds_what_the_binary_tree_holds), TEST(identical_boxes_take_several_blocks), TEST(survives_failing_allocations))
