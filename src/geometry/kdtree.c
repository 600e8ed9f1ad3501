/* kdtree.c - medians by selection. Keys are (coordinate, index): total, so the tree is the same however it is built. The first levels are split one after the
 * other, the subtrees below in parallel. */
#include "geometry/kdtree.h"
#include "base/alloc.h"

#define TOP_LEVELS 4
#define FEW 12

static bool before(const kin_kdtree_point* a, const kin_kdtree_point* b, uint32_t axis)
{
    return a->at[axis] < b->at[axis] || (a->at[axis] == b->at[axis] && a->index < b->index);
}

static void swap(kin_kdtree_point* a, kin_kdtree_point* b)
{
    kin_kdtree_point keep = *a;
    *a = *b;
    *b = keep;
}

static void sort_few(kin_kdtree_point* p, uint32_t n, uint32_t axis)
{
    for (uint32_t i = 1; i < n; ++i) {
        kin_kdtree_point key = p[i];
        uint32_t place = i;
        for (; place > 0 && before(&key, &p[place - 1], axis); --place) p[place] = p[place - 1];
        p[place] = key;
    }
}

/* The middle one of three scattered places: no order that nature makes defeats it. */
static kin_kdtree_point pivot_of(const kin_kdtree_point* p, uint32_t n, uint32_t axis, uint64_t* state)
{
    const kin_kdtree_point* c[3];
    for (int k = 0; k < 3; ++k) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        c[k] = &p[(*state >> 32) * n >> 32];
    }
    bool ab = before(c[0], c[1], axis), bc = before(c[1], c[2], axis), ac = before(c[0], c[2], axis);
    return ab == bc ? *c[1] : ab == ac ? *c[2] : *c[0];
}

/* What sorting would put at `nth` is there; lesser ones before it, greater ones after. Hoare's selection. */
static void select_nth(kin_kdtree_point* p, uint32_t n, uint32_t nth, uint32_t axis)
{
    uint64_t state = n;
    while (n > FEW) {
        kin_kdtree_point pivot = pivot_of(p, n, axis, &state);
        uint32_t i = 0, j = n - 1;
        for (;;) {
            while (before(&p[i], &pivot, axis)) i += 1;
            while (before(&pivot, &p[j], axis)) j -= 1;
            if (i >= j) break;
            swap(&p[i++], &p[j--]);
        }
        if (i == j && nth == i) return; /* the pivot, where it belongs */
        uint32_t rest = i == j ? i + 1 : i;
        if (nth < i) {
            n = i;
        } else {
            p += rest, n -= rest, nth -= rest;
        }
    }
    sort_few(p, n, axis);
}

static uint32_t longest_axis(const kin_kdtree_point* p, uint32_t n)
{
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) low[k] = high[k] = p[0].at[k];
    for (uint32_t i = 1; i < n; ++i) {
        for (int k = 0; k < 3; ++k) low[k] = kin_min(low[k], p[i].at[k]), high[k] = kin_max(high[k], p[i].at[k]);
    }
    uint32_t axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
    return high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
}

static void split_part(kin_kdtree* tree, kin_kdtree_part part, uint32_t level)
{
    kin_kdtree_point* p = &tree->points[part.begin];
    uint32_t axis = tree->longest_axis ? longest_axis(p, part.count) : level % 3, left = part.count / 2;
    select_nth(p, part.count, left, axis);
    tree->nodes[part.node] = (kin_kdtree_node){p[left].at[axis], part.begin + left, axis};
}

static void split_below(kin_kdtree* tree, kin_kdtree_part part, uint32_t level)
{
    struct {
        kin_kdtree_part part;
        uint32_t level;
    } stack[KIN_KDTREE_STACK];
    uint32_t top = 0;
    stack[top].part = part, stack[top++].level = level;
    while (top > 0) {
        part = stack[--top].part, level = stack[top].level;
        if (part.count <= tree->leaf && (part.count != 1 || tree->leaf != 1)) continue;
        split_part(tree, part, level);
        if (part.count > 1) stack[top].part = kin_kdtree_left(part), stack[top++].level = level + 1;
        if (part.count > 2) stack[top].part = kin_kdtree_right(part), stack[top++].level = level + 1;
    }
}

/* The part of node number i of a level; count 0 when there is none. */
static kin_kdtree_part part_of(const kin_kdtree* tree, uint32_t level, uint32_t i)
{
    kin_kdtree_part part = {0, 0, tree->item_count};
    while (level-- > 0 && part.count > tree->leaf) {
        if ((i >> level & 1) != 0 && part.count < 3) return (kin_kdtree_part){0};
        part = i >> level & 1 ? kin_kdtree_right(part) : kin_kdtree_left(part);
    }
    if (level != UINT32_MAX) part.count = 0; /* a leaf above */
    return part;
}

static void build_subtrees(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    kin_kdtree* tree = argument;
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        kin_kdtree_part part = part_of(tree, TOP_LEVELS, (uint32_t)i);
        if (part.count > 0) split_below(tree, part, TOP_LEVELS);
    }
}

bool kin_kdtree_build(kin_kdtree* tree, const kin_allocator* allocator, kin_jobs* jobs, const kin_cloud* cloud, uint32_t leaf, bool by_longest_axis,
                      uint32_t* items)
{
    size_t size = kin_kdtree_size(cloud->count);
    if (!kin_reserve(allocator, (void**)&tree->nodes, &tree->node_capacity, size, sizeof *tree->nodes)) return false;
    if (!kin_reserve(allocator, (void**)&tree->points, &tree->point_capacity, cloud->count, sizeof *tree->points)) return false;
    tree->item_count = cloud->count;
    tree->leaf = leaf == 0 ? KIN_KDTREE_LEAF : leaf;
    tree->longest_axis = by_longest_axis;
    for (size_t i = 0; i < size; ++i) tree->nodes[i] = (kin_kdtree_node){0, UINT32_MAX, 0};
    for (uint32_t i = 0; i < cloud->count; ++i) tree->points[i] = (kin_kdtree_point){{cloud->at[0][i], cloud->at[1][i], cloud->at[2][i]}, i};
    if (cloud->count < 256) {
        if (cloud->count > 0) split_below(tree, (kin_kdtree_part){0, 0, cloud->count}, 0);
    } else {
        for (uint32_t level = 0; level < TOP_LEVELS; ++level) {
            for (uint32_t i = 0; i < (uint32_t)1 << level; ++i) {
                kin_kdtree_part part = part_of(tree, level, i);
                if (part.count > tree->leaf) split_part(tree, part, level);
            }
        }
        kin_cloud_for(jobs, 1 << TOP_LEVELS, 1, build_subtrees, tree);
    }
    for (uint32_t i = 0; i < cloud->count; ++i) items[i] = tree->points[i].index;
    return true;
}

void kin_kdtree_term(kin_kdtree* tree, const kin_allocator* allocator)
{
    kin_free(allocator, tree->nodes, tree->node_capacity * sizeof *tree->nodes);
    kin_free(allocator, tree->points, tree->point_capacity * sizeof *tree->points);
    *tree = (kin_kdtree){0};
}

size_t kin_kdtree_bytes(const kin_kdtree* tree) { return tree->node_capacity * sizeof *tree->nodes + tree->point_capacity * sizeof *tree->points; }
