/* Tree against tree and against itself: every pair that a scan finds, each once, in an order that can be cut into parts. */
#include "geometry/bvh_pairs.h"
#include "math/aabb.h"
#include "math/mat3.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"
#include <string.h>

#define N 300

typedef struct grove {
    kin_bvh a, b;
    kin_aabb a_boxes[N], b_boxes[N];
    unsigned char seen[N][N];
} grove;

static void grow(test* t, grove* g, dice* d, uint32_t a, uint32_t b, double size, kin_vec3 at, double scale)
{
    for (uint32_t i = 0; i < N; ++i) {
        g->a_boxes[i] = kin_aabb_around(kin_add(at, roll3(d, scale)), kin_abs3(roll3(d, size * scale)));
        g->b_boxes[i] = kin_aabb_around(kin_add(at, roll3(d, scale)), kin_abs3(roll3(d, size * scale)));
    }
    kin_bvh_init(&g->a, &t->allocator);
    kin_bvh_init(&g->b, &t->allocator);
    CHECK(t, kin_bvh_build(&g->a, g->a_boxes, a));
    CHECK(t, kin_bvh_build(&g->b, g->b_boxes, b));
}

static void fell(grove* g)
{
    kin_bvh_term(&g->a);
    kin_bvh_term(&g->b);
}

static void mark(grove* g, const kin_bvh_pairs* w)
{
    for (uint32_t i = w->a_begin; i < w->a_end; ++i)
        for (uint32_t k = w->b_begin; k < w->b_end; ++k) g->seen[w->a->items[i]][w->b->items[k]] += 1;
}

static kin_mat3 some_turn(dice* d) { return kin_quat_to_matrix(kin_quat_axis_angle(roll_direction(d), roll(d, 0, 6))); }

/* Points of one box (corners, middle, middles of edges and faces) within the margin of the other are enough to catch a miss. */
static bool surely_meet(kin_aabb a, kin_aabb b, kin_mat3 turn, kin_vec3 shift, double margin)
{
    for (int k = 0; k < 27; ++k) {
        double f[3] = {k % 3 * 0.5, k / 3 % 3 * 0.5, k / 9 * 0.5};
        kin_vec3 p = {kin_mix(b.low.x, b.high.x, f[0]), kin_mix(b.low.y, b.high.y, f[1]), kin_mix(b.low.z, b.high.z, f[2])};
        p = kin_add(kin_mat3_apply(turn, p), shift);
        if (kin_distance(p, kin_aabb_closest(a, p)) <= margin) return true;
        p = kin_v(kin_mix(a.low.x, a.high.x, f[0]), kin_mix(a.low.y, a.high.y, f[1]), kin_mix(a.low.z, a.high.z, f[2]));
        p = kin_mat3_apply_transposed(turn, kin_sub(p, shift));
        if (kin_distance(p, kin_aabb_closest(b, p)) <= margin) return true;
    }
    return false;
}

/* Leaves hold several items and six axes are not fifteen, so pairs come that do not meet, but not many. */
static void two_trees_miss_no_pair(test* t)
{
    static grove g;
    dice d = {11};
    static const double scales[] = {1, 1e-6, 1e6, 1};
    static const kin_vec3 places[] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1e6, -2e5, 3e3}};
    long reported = 0, met = 0;
    for (int round = 0; round < 24; ++round) {
        uint32_t a = round < 4 ? (uint32_t)round : N, b = round < 4 ? (uint32_t)(4 - round) : N - 50;
        double scale = scales[round % 4], margin = round % 3 == 0 ? 0.02 * scale : 0;
        grow(t, &g, &d, a, b, 0.2, places[round % 4], scale);
        kin_mat3 turn = round % 5 == 0 ? kin_mat3_identity() : some_turn(&d);
        kin_vec3 home = places[round % 4], shift = kin_add(kin_sub(home, kin_mat3_apply(turn, home)), roll3(&d, 0.5 * scale));
        memset(g.seen, 0, sizeof g.seen);
        kin_bvh_pairs w;
        for (kin_bvh_pairs_begin(&w, &g.a, &g.b, turn, shift, margin); kin_bvh_pairs_next(&w);) mark(&g, &w);
        for (uint32_t i = 0; i < a; ++i) {
            for (uint32_t k = 0; k < b; ++k) {
                CHECK(t, g.seen[i][k] <= 1);
                bool meet = surely_meet(g.a_boxes[i], g.b_boxes[k], turn, shift, margin);
                if (meet) EQUAL(t, g.seen[i][k], 1);
                reported += g.seen[i][k];
                met += meet;
            }
        }
        fell(&g);
    }
    CHECK(t, met > 1000 && reported < 4 * met);
}

static void one_tree_gives_each_pair_once(test* t)
{
    static grove g;
    dice d = {12};
    for (int round = 0; round < 12; ++round) {
        uint32_t n = round < 4 ? (uint32_t)round : N;
        double margin = round % 2 ? 0.05 : 0;
        grow(t, &g, &d, n, 1, 0.1, kin_v(0, 0, 0), 1);
        memset(g.seen, 0, sizeof g.seen);
        kin_bvh_pairs w;
        for (kin_bvh_self_begin(&w, &g.a, margin); kin_bvh_pairs_next(&w);) mark(&g, &w);
        for (uint32_t i = 0; i < n; ++i) {
            for (uint32_t k = 0; k < i; ++k) {
                bool meet = kin_aabb_overlaps(kin_aabb_grow(g.a_boxes[i], margin), g.a_boxes[k]);
                bool same_leaf = g.seen[i][k] == 1 && g.seen[k][i] == 1; /* a leaf with itself is marked both ways */
                CHECK(t, same_leaf || g.seen[i][k] + g.seen[k][i] <= 1);
                if (meet) CHECK(t, g.seen[i][k] + g.seen[k][i] > 0);
            }
            EQUAL(t, g.seen[i][i], 1);
        }
        fell(&g);
    }
}

typedef struct trace {
    uint32_t ranges[60000][4];
    int count;
} trace;

static void record(trace* all, const kin_bvh_pairs* w)
{
    if (all->count < 60000) memcpy(all->ranges[all->count++], &w->a_begin, sizeof all->ranges[0]);
}

static void parts_in_order_are_the_whole(test* t)
{
    static grove g;
    static trace whole, cut;
    dice d = {13};
    for (int round = 0; round < 8; ++round) {
        bool self = round % 2;
        grow(t, &g, &d, N, N, 0.1, kin_v(0, 0, 0), 1);
        kin_bvh_pairs start, w;
        if (self) {
            kin_bvh_self_begin(&start, &g.a, 0);
        } else {
            kin_bvh_pairs_begin(&start, &g.a, &g.b, some_turn(&d), roll3(&d, 0.3), 0);
        }
        whole.count = cut.count = 0;
        for (w = start; kin_bvh_pairs_next(&w);) record(&whole, &w);
        kin_bvh_pair parts[64];
        int most = round < 2 ? 1 : 64, count = kin_bvh_pairs_split(&start, parts, most);
        CHECK(t, count <= most && (most == 1 || count > most / 2));
        for (int k = 0; k < count; ++k) {
            w = start;
            for (kin_bvh_pairs_part(&w, parts[k]); kin_bvh_pairs_next(&w);) record(&cut, &w);
        }
        EQUAL(t, cut.count, whole.count);
        CHECK(t, memcmp(cut.ranges, whole.ranges, (size_t)whole.count * sizeof whole.ranges[0]) == 0);
        fell(&g);
    }
}

static void far_apart_and_empty_trees_have_none(test* t)
{
    static grove g;
    dice d = {14};
    kin_bvh_pairs w;
    kin_bvh_pair parts[4];
    grow(t, &g, &d, N, N, 0.1, kin_v(0, 0, 0), 1);
    kin_bvh_pairs_begin(&w, &g.a, &g.b, some_turn(&d), kin_v(0, 4.5, 0), 0);
    EQUAL(t, kin_bvh_pairs_split(&w, parts, 4), 0);
    CHECK(t, !kin_bvh_pairs_next(&w));
    fell(&g);
    grow(t, &g, &d, 0, N, 0.1, kin_v(0, 0, 0), 1);
    kin_bvh_pairs_begin(&w, &g.a, &g.b, kin_mat3_identity(), kin_v(0, 0, 0), 1);
    CHECK(t, !kin_bvh_pairs_next(&w));
    kin_bvh_self_begin(&w, &g.a, 0);
    CHECK(t, !kin_bvh_pairs_next(&w));
    fell(&g);
}

TEST_MAIN("geometry/bvh_pairs", TEST(two_trees_miss_no_pair), TEST(one_tree_gives_each_pair_once), TEST(parts_in_order_are_the_whole),
          TEST(far_apart_and_empty_trees_have_none))
