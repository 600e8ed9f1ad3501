/* kdtree.h - halves by the median along x, y, z in turn, or along the longest side (H6.3c).
 *
 * Nodes lie as in a heap: children of i at 2 i + 1 and 2 i + 2. Each has a point of its own, the upper median: of n points n / 2 go left and (n - 1) / 2
 * right. The two sides differ by one at most, yet not always in the last level's order, so the array must be as large as a full tree: n would overflow for
 * n = 5, 9 to 13, 17 ... Items lie in the tree's order from left to right, so that everything below a node is one stretch. Points with the median's
 * coordinate may be on both sides of it: searches include it both ways. The printed example array of H6.3c is corrupt (E5). */
#pragma once
#include "geometry/cloud.h"

#define KIN_KDTREE_LEAF 16
#define KIN_KDTREE_STACK 40

typedef struct kin_kdtree_node {
    double split;  /* m: its point's coordinate */
    uint32_t item; /* place of its point among the items; UINT32_MAX: no node here, or below a leaf */
    uint32_t axis;
} kin_kdtree_node;

typedef struct kin_kdtree_point {
    double at[3];
    uint32_t index;
} kin_kdtree_point;

typedef struct kin_kdtree {
    kin_kdtree_node* nodes; /* kin_kdtree_size(item_count) */
    size_t node_capacity;
    uint32_t item_count;
    uint32_t leaf; /* stretches of this many, or less, are not split: 1 gives every point its node */
    bool longest_axis;
    kin_kdtree_point* points; /* scratch */
    size_t point_capacity;
} kin_kdtree;

static inline uint32_t kin_kdtree_depth(uint32_t count) /* levels: ceil(log2(n + 1)) */
{
    uint32_t depth = 0;
    while (((uint64_t)1 << depth) < (uint64_t)count + 1) depth += 1;
    return depth;
}
static inline size_t kin_kdtree_size(uint32_t count) { return ((size_t)1 << kin_kdtree_depth(count)) - 1; }

/* leaf 0: chosen. False: out of memory. */
bool kin_kdtree_build(kin_kdtree* tree, const kin_allocator* allocator, kin_jobs* jobs, const kin_cloud* cloud, uint32_t leaf, bool longest_axis,
                      uint32_t* items);
void kin_kdtree_term(kin_kdtree* tree, const kin_allocator* allocator);
size_t kin_kdtree_bytes(const kin_kdtree* tree);

typedef struct kin_kdtree_part {
    size_t node;
    uint32_t begin, count; /* of the items */
} kin_kdtree_part;
static inline kin_kdtree_part kin_kdtree_left(kin_kdtree_part p) { return (kin_kdtree_part){2 * p.node + 1, p.begin, p.count / 2}; }
static inline kin_kdtree_part kin_kdtree_right(kin_kdtree_part p) { return (kin_kdtree_part){2 * p.node + 2, p.begin + p.count / 2 + 1, (p.count - 1) / 2}; }

/* All points in the box around a place, and some more. */
typedef struct kin_kdtree_walk {
    uint32_t begin, end; /* of the items */
    const kin_kdtree* tree;
    double low[3], high[3];
    uint32_t top;
    kin_kdtree_part stack[KIN_KDTREE_STACK];
} kin_kdtree_walk;

static inline void kin_kdtree_walk_begin(kin_kdtree_walk* w, const kin_kdtree* tree, const double at[3], double reach)
{
    w->tree = tree;
    for (int k = 0; k < 3; ++k) w->low[k] = at[k] - reach, w->high[k] = at[k] + reach;
    w->top = tree->item_count > 0;
    w->stack[0] = (kin_kdtree_part){0, 0, tree->item_count};
}

static inline bool kin_kdtree_walk_next(kin_kdtree_walk* w)
{
    while (w->top > 0) {
        kin_kdtree_part part = w->stack[--w->top];
        if (part.count <= w->tree->leaf) {
            w->begin = part.begin, w->end = part.begin + part.count;
            return true;
        }
        const kin_kdtree_node* node = &w->tree->nodes[part.node];
        bool right = w->high[node->axis] >= node->split && part.count > 2, left = w->low[node->axis] <= node->split;
        w->stack[w->top] = kin_kdtree_right(part);
        w->top += right;
        w->stack[w->top] = kin_kdtree_left(part);
        w->top += left;
        if (left && w->high[node->axis] >= node->split) {
            w->begin = node->item, w->end = node->item + 1;
            return true;
        }
    }
    return false;
}
