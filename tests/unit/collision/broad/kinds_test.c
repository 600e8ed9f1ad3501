#include "collision/broad/tree.h"
#include "unit/collision/broad/scene.h"

static kin_broad* make(test* t, kin_broad_def def)
{
    kin_broad* b = NULL;
    EQUAL(t, kin_broad_create(&t->allocator, &def, &b, NULL), KIN_OK);
    return b;
}

static uint32_t add(test* t, kin_broad* b, kin_vec3 center, kin_vec3 half)
{
    uint32_t id;
    kin_broad_proxy_def def = {.box = kin_aabb_around(center, half)};
    EQUAL(t, kin_broad_insert(b, &def, &id, NULL), KIN_OK);
    return id;
}

static void shift(test* t, kin_broad* b, uint32_t id, kin_vec3 by)
{
    kin_aabb box = kin_broad_box(b, id);
    EQUAL(t, kin_broad_move(b, id, (kin_aabb){kin_add(box.low, by), kin_add(box.high, by)}, by, NULL), KIN_OK);
}

static void update(test* t, kin_broad* b) { EQUAL(t, kin_broad_update(b, NULL, NULL), KIN_OK); }

static size_t count_overlaps(const kin_broad* b, uint32_t n)
{
    size_t pairs = 0;
    for (uint32_t p = 0; p < n; ++p) {
        for (uint32_t q = p + 1; q < n; ++q) pairs += kin_aabb_overlaps(kin_broad_box(b, p), kin_broad_box(b, q));
    }
    return pairs;
}

/* ---- tree ---- */

/* Every alive proxy in one leaf that knows its place, parents hold children exactly, heights are true, nothing is marked. Returns the area of inner nodes. */
static double check_tree(test* t, const kin_broad* b)
{
    const kin_broad_tree* tree = b->self;
    uint32_t stack[200] = {0}, top = tree->leaf_count > 0, leaves = 0;
    double sum = 0;
    while (top > 0 && t->failures < 5) {
        uint32_t at = stack[--top];
        const kin_bvh_node* n = &tree->nodes[at];
        EQUAL(t, tree->marks[at], 0);
        if (n->count > 0) {
            leaves += 1;
            EQUAL(t, b->stored[n->first].leaf, at);
            EQUAL(t, tree->heights[at], 0);
            CHECK(t, memcmp(n->low, b->stored[n->first].low, sizeof n->low) == 0 && memcmp(n->high, b->stored[n->first].high, sizeof n->high) == 0);
            continue;
        }
        const kin_bvh_node *x = &tree->nodes[n->first], *y = x + 1;
        int hx = tree->heights[n->first], hy = tree->heights[n->first + 1];
        EQUAL(t, tree->heights[at], 1 + (hx > hy ? hx : hy));
        EQUAL(t, tree->parents[n->first / 2], at);
        for (int k = 0; k < 3; ++k) {
            CHECK(t, n->low[k] == (x->low[k] < y->low[k] ? x->low[k] : y->low[k]));
            CHECK(t, n->high[k] == (x->high[k] > y->high[k] ? x->high[k] : y->high[k]));
        }
        sum += (double)kin_broad_area(n->low, n->high);
        stack[top++] = n->first;
        stack[top++] = n->first + 1;
    }
    EQUAL(t, leaves, kin_broad_count(b));
    EQUAL(t, tree->leaf_count, kin_broad_count(b));
    CHECK(t, tree->leaf_count == 0 || tree->heights[0] <= KIN_BROAD_TREE_HEIGHT);
    return sum;
}

static void the_tree_stays_a_tree(test* t)
{
    kin_broad* b = make(t, kin_broad_def_default(KIN_BROAD_TREE));
    dice d = {21, 0};
    for (int step = 0; step < 200 && t->failures == 0; ++step) {
        for (uint32_t id = 0; id < b->slot_count; ++id) {
            if (!kin_broad_holds(b, id)) continue;
            double what = roll(&d, 0, 1);
            if (what < 0.3) shift(t, b, id, roll3(&d, 0.3));
            if (what > 0.97) kin_broad_remove(b, id);
        }
        for (int i = (int)roll(&d, 0, step % 20 == 0 ? 60 : 5); i > 0; --i) add(t, b, roll3(&d, 8), kin_abs3(roll3(&d, 1)));
        update(t, b);
        check_tree(t, b);
    }
    for (uint32_t id = 0; id < b->slot_count; ++id) {
        if (kin_broad_holds(b, id)) kin_broad_remove(b, id);
    }
    update(t, b);
    check_tree(t, b);
    EQUAL(t, kin_broad_pairs(b).count, 0);
    kin_broad_destroy(b);
}

/* One insertion at a time in the worst orders: sorted along a line, each around the one before, all alike. */
static void the_tree_does_not_grow_high(test* t)
{
    const uint32_t limits[] = {26, 40, 30};
    for (int order = 0; order < 3; ++order) {
        kin_broad* b = make(t, kin_broad_def_default(KIN_BROAD_TREE));
        for (int i = 0; i < 600; ++i) {
            kin_vec3 at = kin_v(order == 0 ? 3 * i : 0, 0, 0);
            double half = order == 1 ? 1.0 + i : 1;
            add(t, b, at, kin_v(half, half, half));
            b->filters[i].mask = (uint64_t)1 << 63; /* no pairs to keep */
            update(t, b);
        }
        check_tree(t, b);
        test_check(t, kin_broad_reports(b).height <= limits[order], __FILE__, __LINE__, "order %d: height %u", order, kin_broad_reports(b).height);
        kin_broad_destroy(b);
    }
}

/* Things that mix for a long time, one in so many at a time: how large the boxes of the tree are, against one built for the boxes of now. */
static double looseness_after_mixing(test* t, uint32_t turns)
{
    kin_broad *b = make(t, kin_broad_def_default(KIN_BROAD_TREE)), *fresh = make(t, kin_broad_def_default(KIN_BROAD_TREE));
    dice d = {22, 0};
    kin_vec3 speed[1000];
    for (uint32_t i = 0; i < 1000; ++i) {
        speed[i] = roll3(&d, 0.2);
        add(t, b, roll3(&d, 6), kin_v(0.5, 0.5, 0.5));
    }
    for (uint32_t step = 0; step < 400; ++step) {
        for (uint32_t id = step % turns; id < 1000; id += turns) {
            kin_vec3 at = kin_aabb_center(kin_broad_box(b, id));
            for (int k = 0; k < 3; ++k) {
                double x = kin_component(at, k), *v = k == 0 ? &speed[id].x : k == 1 ? &speed[id].y : &speed[id].z;
                if (kin_abs(x) > 6 && x * *v > 0) *v = -*v;
            }
            shift(t, b, id, speed[id]);
        }
        update(t, b);
    }
    for (uint32_t id = 0; id < 1000; ++id) EQUAL(t, add(t, fresh, kin_aabb_center(kin_broad_box(b, id)), kin_v(0.5, 0.5, 0.5)), id);
    memcpy(fresh->stored, b->stored, 1000 * sizeof *b->stored); /* the same larger boxes */
    for (uint32_t id = 0; id < 1000; ++id) fresh->stored[id].leaf = KIN_BROAD_NONE;
    update(t, fresh);
    double old_area = check_tree(t, b), new_area = check_tree(t, fresh);
    EQUAL(t, kin_broad_pairs(b).count, count_overlaps(b, 1000));
    kin_broad_destroy(b);
    kin_broad_destroy(fresh);
    return old_area / new_area;
}

/* Rotations and insertions keep it nearly as good; where all move, it is built anew when it is half as large again as it was. */
static void the_tree_stays_good(test* t)
{
    double few = looseness_after_mixing(t, 8), all = looseness_after_mixing(t, 1);
    test_check(t, few < 1.15, __FILE__, __LINE__, "one in eight: %g times as large", few);
    test_check(t, all < 1.6, __FILE__, __LINE__, "all: %g times as large", all);
}

/* ---- sweep and prune ---- */

static void a_sweep_gains_from_coherence(test* t)
{
    kin_broad_def def = kin_broad_def_default(KIN_BROAD_SWEEP);
    def.margin = def.predict = 0;
    kin_broad* b = make(t, def);
    dice d = {31, 0};
    for (int i = 0; i < 500; ++i) add(t, b, roll3(&d, 6), kin_v(0.5, 0.5, 0.5));
    update(t, b);
    uint64_t first = kin_broad_reports(b).tests;
    CHECK(t, first > 500 * 20); /* all that overlap along x: about 500 * 500 / 2 * (1 / 6) */
    for (uint32_t id = 0; id < 500; ++id) shift(t, b, id, roll3(&d, 1e-3));
    update(t, b);
    CHECK(t, kin_broad_reports(b).tests < first / 10);
    EQUAL(t, kin_broad_pairs(b).count, count_overlaps(b, 500));
    for (uint32_t id = 0; id < 500; ++id) shift(t, b, id, roll3(&d, 50)); /* no order left: sorted from scratch */
    update(t, b);
    EQUAL(t, kin_broad_pairs(b).count, count_overlaps(b, 500));
    kin_broad_destroy(b);
}

/* ---- grids ---- */

static void cells_follow_the_sizes(test* t)
{
    for (int kind = KIN_BROAD_GRID; kind <= KIN_BROAD_LEVELS; ++kind) {
        kin_broad_def def = kin_broad_def_default((kin_broad_kind)kind);
        def.margin = def.predict = 0;
        kin_broad* b = make(t, def);
        dice d = {33, 0};
        for (int i = 0; i < 300; ++i) add(t, b, roll3(&d, 10), kin_v(0.5, 0.5, 0.5));
        update(t, b);
        double edge = kin_broad_cell_edge(b, 0);
        NEAR(t, edge, kind == KIN_BROAD_GRID ? 2 : 2 * kin_sqrt(3), 1e-9); /* k d / sqrt 3, and d / kmin */
        for (uint32_t id = 0; id < 300; ++id) {
            kin_vec3 at = kin_aabb_center(kin_broad_box(b, id));
            EQUAL(t, kin_broad_move(b, id, kin_aabb_around(at, kin_v(0.05, 0.05, 0.05)), kin_v(0, 0, 0), NULL), KIN_OK);
        }
        update(t, b);
        for (uint32_t id = 0; id < 300; ++id) shift(t, b, id, kin_v(0.2, 0, 0));
        update(t, b); /* ten times smaller by now: so are the cells */
        NEAR(t, kin_broad_cell_edge(b, 0), 0.1 * edge, 1e-9);
        EQUAL(t, kin_broad_pairs(b).count, count_overlaps(b, 300));
        kin_broad_destroy(b);
    }
}

static void large_ones_flood_no_cells(test* t)
{
    kin_broad_def def = kin_broad_def_default(KIN_BROAD_GRID);
    def.cell_size = 0.1;
    kin_broad* b = make(t, def);
    dice d = {35, 0};
    uint32_t large = add(t, b, kin_v(0, 0, 0), kin_v(50, 50, 50));
    for (int i = 0; i < 100; ++i) add(t, b, roll3(&d, 60), kin_v(0.05, 0.05, 0.05));
    update(t, b);
    EQUAL(t, kin_broad_level(b, large), KIN_BROAD_NONE);
    CHECK(t, kin_broad_reports(b).cells < 100 * 30);
    EQUAL(t, kin_broad_pairs(b).count, count_overlaps(b, 101));
    EQUAL(t, kin_broad_move(b, large, kin_aabb_around(kin_v(0, 0, 0), kin_v(0.01, 0.01, 0.01)), kin_v(0, 0, 0), NULL), KIN_OK);
    update(t, b);
    EQUAL(t, kin_broad_level(b, large), 0);
    EQUAL(t, kin_broad_pairs(b).count, count_overlaps(b, 101));
    kin_broad_destroy(b);
}

/* A question to a kind without cells has an answer too. */
static void other_kinds_have_no_cells(test* t)
{
    kin_broad* b = make(t, kin_broad_def_default(KIN_BROAD_TREE));
    uint32_t id = add(t, b, kin_v(0, 0, 0), kin_v(1, 1, 1));
    update(t, b);
    EQUAL(t, kin_broad_level(b, id), KIN_BROAD_NONE);
    NEAR(t, kin_broad_cell_edge(b, 0), 0, 0);
    CHECK(t, kin_broad_cells_of(b, id, 0).high[0] < kin_broad_cells_of(b, id, 0).low[0]);
    kin_broad_destroy(b);
}

/* ---- space ---- */

static void trees_of_space_are_bounded(test* t)
{
    for (int kind = KIN_BROAD_OCTREE; kind <= KIN_BROAD_KDTREE; ++kind) {
        kin_broad_def def = kin_broad_def_default((kin_broad_kind)kind);
        def.leaf_count = 2;
        def.max_depth = 3;
        kin_broad* b = make(t, def);
        dice d = {37, 0};
        for (int i = 0; i < 300; ++i) add(t, b, roll3(&d, 5), kin_v(0.2, 0.2, 0.2));
        update(t, b);
        EQUAL(t, kin_broad_reports(b).height, 3);
        CHECK(t, kin_broad_reports(b).cells <= (kind == KIN_BROAD_OCTREE ? 512 : 8));
        EQUAL(t, kin_broad_pairs(b).count, count_overlaps(b, 300));
        kin_broad_destroy(b);
    }
}

/* ---- settings change costs, not answers ---- */

static void settings_change_no_answer(test* t)
{
    kin_broad_def defs[KIN_BROAD_KIND_COUNT * 4];
    int n = 0;
    for (int kind = 0; kind < KIN_BROAD_KIND_COUNT; ++kind) {
        kin_broad_def def = kin_broad_def_default((kin_broad_kind)kind);
        def.margin = def.predict = 0;
        defs[n++] = def;
        def.margin = 1, def.predict = 20, def.k = 1, def.slices = true, def.kmin = 0.1, def.kmax = 5, def.leaf_count = 1, def.buckets = 1;
        defs[n++] = def;
        def.margin = 0.01, def.predict = 0, def.k = 10, def.cell_size = 0.01, def.max_depth = 1, def.kmin = 0.9, def.kmax = 2, def.buckets = 7;
        defs[n++] = def;
        def.cell_size = 100, def.origin = kin_v(5, -3, 2), def.max_depth = 20, def.buckets = 0, def.leaf_count = 100;
        defs[n++] = def;
    }
    for (int i = 0; i < n; ++i) {
        kin_broad* b = make(t, defs[i]);
        dice d = {39, 0};
        for (int k = 0; k < 120; ++k) add(t, b, roll3(&d, 2), kin_abs3(roll3(&d, 0.4)));
        for (int step = 0; step < 12; ++step) {
            for (uint32_t id = 0; id < 120; ++id) shift(t, b, id, roll3(&d, step % 5 == 4 ? 1 : 0.05));
            update(t, b);
            size_t want = count_overlaps(b, 120), got = kin_broad_pairs(b).count;
            test_check(t, got == want, __FILE__, __LINE__, "%s, settings %d: %zu pairs, %zu overlap", kin_broad_kind_name(defs[i].kind), i % 4, got, want);
        }
        kin_broad_destroy(b);
    }
}

/* A box that leaves and comes to rest is stored tightly again: speed does not stay in its box. */
static void a_stored_box_shrinks_after_a_dash(test* t)
{
    kin_broad* b = make(t, kin_broad_def_default(KIN_BROAD_TREE));
    uint32_t id = add(t, b, kin_v(0, 0, 0), kin_v(0.5, 0.5, 0.5));
    update(t, b);
    shift(t, b, id, kin_v(100, 0, 0));
    update(t, b);
    CHECK(t, kin_broad_extent(&b->stored[id], 0) > 400);
    EQUAL(t, kin_broad_move(b, id, kin_broad_box(b, id), kin_v(0, 0, 0), NULL), KIN_OK);
    update(t, b);
    CHECK(t, kin_broad_extent(&b->stored[id], 0) < 1.2);
    kin_broad_destroy(b);
}

/* ---- lists ---- */

typedef struct crowd {
    kin_broad* broad;
    int step;
} crowd;

static kin_vec3 walk(uint32_t id, int step)
{
    kin_rng_key key = {.seed = 3, .serial = id, .step = (uint64_t)step};
    return kin_v(kin_rng_uniform(&key, 0, -0.2, 0.2), kin_rng_uniform(&key, 1, -0.2, 0.2), kin_rng_uniform(&key, 2, -0.2, 0.2));
}

static void shift_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const crowd* c = argument;
    for (uint32_t id = (uint32_t)begin; id < end; ++id) {
        kin_aabb box = kin_broad_box(c->broad, id);
        kin_vec3 by = walk(id, c->step);
        kin_broad_shift(c->broad, id, (kin_aabb){kin_add(box.low, by), kin_add(box.high, by)}, by, NULL);
    }
}

static void check_same(test* t, kin_broad_view a, kin_broad_view b)
{
    EQUAL(t, a.count, b.count);
    if (a.count == b.count && a.count > 0) CHECK(t, memcmp(a.data, b.data, a.count * sizeof *a.data) == 0);
}

/* Lists of many parts, merged by threads, of proxies that threads shifted: those of all against all, one after the other. With and without near ones. */
static void parts_are_merged_as_one(test* t)
{
    const uint32_t n = 3000;
    kin_jobs jobs;
    EQUAL(t, kin_jobs_init(&jobs, &t->allocator, NULL, 3, NULL), KIN_OK);
    for (int margin = 0; margin < 2; ++margin) {
        kin_broad_def def = kin_broad_def_default(KIN_BROAD_TREE), plain = kin_broad_def_default(KIN_BROAD_BRUTE);
        if (margin == 0) def.margin = def.predict = 0;
        crowd c = {make(t, def), 0};
        kin_broad* brute = make(t, plain);
        EQUAL(t, kin_broad_reserve(c.broad, n), true);
        for (uint32_t i = 0; i < n; ++i) {
            kin_vec3 at = kin_scale(walk(i, 1000), 25);
            add(t, c.broad, at, kin_v(0.6, 0.6, 0.6)), add(t, brute, at, kin_v(0.6, 0.6, 0.6));
        }
        for (c.step = 0; c.step < 4; ++c.step) {
            if (c.step > 0) kin_parallel_for(&jobs, n, 64, shift_range, &c);
            for (uint32_t i = 0; i < n && c.step > 0; ++i) kin_broad_enlist(c.broad, i), shift(t, brute, i, walk(i, c.step));
            EQUAL(t, kin_broad_update(c.broad, &jobs, NULL), KIN_OK);
            update(t, brute);
            check_same(t, kin_broad_pairs(c.broad), kin_broad_pairs(brute));
            check_same(t, kin_broad_begun(c.broad), kin_broad_begun(brute));
            check_same(t, kin_broad_ended(c.broad), kin_broad_ended(brute));
        }
        EQUAL(t, kin_broad_pairs(c.broad).count, count_overlaps(c.broad, n));
        CHECK(t, kin_broad_pairs(c.broad).count > 5000 && c.broad->part_count > 4 && kin_broad_ended(c.broad).count > 100);
        CHECK(t, margin == 0 || c.broad->near.count > 100);
        kin_broad_destroy(c.broad);
        kin_broad_destroy(brute);
    }
    kin_jobs_term(&jobs);
}

/* 2048 pairs are two parts and nothing more: what stands in memory behind a list's last key is not read. */
static void lists_of_whole_parts_are_cut_within(test* t)
{
    const uint32_t pairs = 2048;
    kin_broad_def def = kin_broad_def_default(KIN_BROAD_TREE);
    def.margin = def.predict = 0;
    kin_broad* b = make(t, def);
    for (uint32_t i = 0; i < 2 * pairs; ++i) add(t, b, kin_v(10.0 * (i / 2) + 0.5 * (i % 2), 0, 0), kin_v(1, 1, 1));
    for (int step = 0; step < 3; ++step) {
        update(t, b);
        EQUAL(t, kin_broad_pairs(b).count, pairs);
        EQUAL(t, b->found.count % pairs, 0);
        for (size_t i = b->found.count; i < b->found.capacity; ++i) b->found.data[i] = 0;
        for (uint32_t i = 0; i < 2 * pairs; ++i) shift(t, b, i, kin_v(0, 0.01, 0));
    }
    kin_broad_destroy(b);
}

TEST_MAIN("broad kinds", TEST(the_tree_stays_a_tree), TEST(the_tree_does_not_grow_high), TEST(the_tree_stays_good), TEST(a_sweep_gains_from_coherence),
          TEST(cells_follow_the_sizes), TEST(large_ones_flood_no_cells), TEST(other_kinds_have_no_cells), TEST(trees_of_space_are_bounded),
          TEST(settings_change_no_answer), TEST(a_stored_box_shrinks_after_a_dash), TEST(parts_are_merged_as_one), TEST(lists_of_whole_parts_are_cut_within))
