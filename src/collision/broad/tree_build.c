/* tree_build.c - the dynamic tree all at once: top down, binned surface area along the axis on which centres spread most (Wald 2007); halves where that
 * could run away. */
#include "collision/broad/tree.h"

#define BINS 12
#define AREA_DEPTH 36 /* below this, halves: 2^31 more fit within KIN_BROAD_TREE_HEIGHT */

typedef struct span {
    uint32_t node, begin, end, depth;
} span;

typedef struct bin {
    float low[3], high[3];
    uint32_t count;
} bin;

static float center2(const kin_broad_stored* s, int axis) { return s->low[axis] + s->high[axis]; }

static bin empty_bin(void) { return (bin){{3e38f, 3e38f, 3e38f}, {-3e38f, -3e38f, -3e38f}, 0}; }

static void add_box(bin* to, const float low[3], const float high[3])
{
    for (int k = 0; k < 3; ++k) {
        to->low[k] = low[k] < to->low[k] ? low[k] : to->low[k];
        to->high[k] = high[k] > to->high[k] ? high[k] : to->high[k];
    }
}

static void add_bin(bin* to, const bin* from)
{
    add_box(to, from->low, from->high);
    to->count += from->count;
}

/* The axis of the widest spread of centres, and where it begins; a spread of 0: they coincide. */
static int widest(const kin_broad_stored* stored, const uint32_t* items, uint32_t n, float* from, float* spread)
{
    float low[3] = {3e38f, 3e38f, 3e38f}, high[3] = {-3e38f, -3e38f, -3e38f};
    for (uint32_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            float c = center2(&stored[items[i]], k);
            low[k] = c < low[k] ? c : low[k];
            high[k] = c > high[k] ? c : high[k];
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k) axis = high[k] - low[k] > high[axis] - low[axis] ? k : axis;
    *from = low[axis];
    *spread = high[axis] - low[axis];
    return axis;
}

static int bin_of(const kin_broad_stored* s, int axis, float from, float scale)
{
    float at = (center2(s, axis) - from) * scale;
    return at < BINS - 1 ? (int)at : BINS - 1;
}

/* The bin after which to cut: least area times count. */
static int best_cut(const bin bins[BINS])
{
    float right_cost[BINS];
    bin sum = empty_bin();
    for (int k = BINS - 1; k > 0; --k) {
        add_bin(&sum, &bins[k]);
        right_cost[k] = sum.count > 0 ? kin_broad_area(sum.low, sum.high) * (float)sum.count : 0;
    }
    sum = empty_bin();
    int best = 0;
    float least = 3e38f;
    for (int k = 0; k + 1 < BINS; ++k) {
        add_bin(&sum, &bins[k]);
        if (sum.count == 0) continue;
        float cost = kin_broad_area(sum.low, sum.high) * (float)sum.count + right_cost[k + 1];
        if (cost < least) least = cost, best = k;
    }
    return best;
}

static uint32_t partition(const kin_broad_stored* stored, uint32_t* items, uint32_t n, int axis, float from, float scale, int cut)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; ++i) {
        if (bin_of(&stored[items[i]], axis, from, scale) > cut) continue;
        uint32_t item = items[i];
        items[i] = items[left];
        items[left++] = item;
    }
    return left;
}

/* How many of n >= 2 items go left: 1 to n - 1. */
static uint32_t divide(const kin_broad_stored* stored, uint32_t* items, uint32_t n, uint32_t depth)
{
    float from, spread;
    if (depth >= AREA_DEPTH) return n / 2;
    int axis = widest(stored, items, n, &from, &spread);
    float scale = BINS / spread;
    if (!(spread > 0) || !(scale < 1e37f)) return n / 2;
    bin bins[BINS];
    for (int k = 0; k < BINS; ++k) bins[k] = empty_bin();
    for (uint32_t i = 0; i < n; ++i) {
        const kin_broad_stored* s = &stored[items[i]];
        bin* at = &bins[bin_of(s, axis, from, scale)];
        add_box(at, s->low, s->high);
        at->count += 1;
    }
    uint32_t left = partition(stored, items, n, axis, from, scale, best_cut(bins));
    return left > 0 && left < n ? left : n / 2;
}

static void put_leaf(kin_broad_tree* t, const kin_broad* b, uint32_t node, uint32_t proxy)
{
    kin_bvh_node leaf = {.first = proxy, .count = 1};
    const kin_broad_stored* s = &b->stored[proxy];
    for (int k = 0; k < 3; ++k) leaf.low[k] = s->low[k], leaf.high[k] = s->high[k];
    kin_broad_tree_put(t, b->stored, node, leaf, 0, kin_broad_is(b, proxy, KIN_BROAD_MOVED));
}

/* Pairs were handed out from parent to child: from the last one back, children are ready before their parent. */
static void join_pairs(kin_broad_tree* t)
{
    for (uint32_t pair = t->pair_count; pair-- > 1;) {
        uint32_t above = t->parents[pair], left = 2 * pair, right = left + 1;
        kin_bvh_node *node = &t->nodes[above], *x = &t->nodes[left], *y = &t->nodes[right];
        for (int k = 0; k < 3; ++k) {
            node->low[k] = x->low[k] < y->low[k] ? x->low[k] : y->low[k];
            node->high[k] = x->high[k] > y->high[k] ? x->high[k] : y->high[k];
        }
        t->heights[above] = (uint8_t)(1 + (t->heights[left] > t->heights[right] ? t->heights[left] : t->heights[right]));
        t->marks[above] = t->marks[left] | t->marks[right];
    }
}

void kin_broad_tree_build(kin_broad_tree* t, const kin_broad* b)
{
    span stack[KIN_BROAD_TREE_HEIGHT + 2];
    uint32_t top = 0;
    t->leaf_count = (uint32_t)t->items.count;
    t->pair_count = 1;
    t->free_pairs.count = 0;
    if (t->leaf_count > 0) stack[top++] = (span){0, 0, t->leaf_count, 0};
    while (top > 0) {
        span s = stack[--top];
        if (s.end - s.begin == 1) {
            put_leaf(t, b, s.node, t->items.data[s.begin]);
            continue;
        }
        uint32_t left = s.begin + divide(b->stored, t->items.data + s.begin, s.end - s.begin, s.depth), pair = t->pair_count++;
        t->nodes[s.node] = (kin_bvh_node){.first = 2 * pair, .count = 0};
        t->parents[pair] = s.node;
        stack[top++] = (span){2 * pair + 1, left, s.end, s.depth + 1};
        stack[top++] = (span){2 * pair, s.begin, left, s.depth + 1};
    }
    join_pairs(t);
}
