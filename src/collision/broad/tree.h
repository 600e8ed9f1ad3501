/* tree.h - the dynamic tree of boxes: its data, for tree.c (upkeep and search) and tree_build.c (all at once).
 *
 * Nodes are those of geometry/bvh.h, one proxy in a leaf: first is the proxy. Two sisters are a pair and lie together in one cache line; what must be known
 * about a parent is kept by pair, apart. Nodes change places by copying: whoever is copied tells its children, or its proxy, where it is now. */
#pragma once
#include "collision/broad/inside.h"

#define KIN_BROAD_TREE_HEIGHT 72 /* most; walks have room for KIN_BVH_MAX_DEPTH. A higher tree is built anew */
#define KIN_BROAD_TASKS 128      /* the search is cut into about as many */

typedef struct kin_broad_task {
    uint32_t a, b; /* nodes; the same: a subtree against itself */
} kin_broad_task;

typedef struct kin_broad_tree {
    kin_bvh_node* nodes; /* root 0; 1 is unused; pair p is 2 p and 2 p + 1 */
    size_t node_capacity;
    uint8_t* heights; /* by node; 0: leaf */
    size_t height_capacity;
    uint8_t* marks; /* by node: it, or something below, moved */
    size_t mark_capacity;
    uint32_t* parents; /* by pair: node above */
    size_t parent_capacity;
    kin_broad_list free_pairs, items, strays; /* room for every leaf */
    uint32_t pair_count, leaf_count;
    float looseness; /* area of inner boxes, by that of leaves, when it was built; 0: not known yet */
    kin_broad_task tasks[3 * KIN_BROAD_TASKS], next[3 * KIN_BROAD_TASKS];
    uint32_t task_count;
} kin_broad_tree;

/* To a place: the node, and what is below it hears of that. */
static inline void kin_broad_tree_put(kin_broad_tree* t, kin_broad_stored* stored, uint32_t at, kin_bvh_node node, uint8_t height, uint8_t mark)
{
    t->nodes[at] = node;
    t->heights[at] = height;
    t->marks[at] = mark;
    if (node.count > 0)
        stored[node.first].leaf = at;
    else
        t->parents[node.first / 2] = at;
}

/* As floats; empty lanes are not looked at. */
static inline float kin_broad_area(const float low[3], const float high[3])
{
    float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x * y + y * z + z * x;
}

/* Over t->items, which it puts in order. Marks are as the proxies' flags. */
void kin_broad_tree_build(kin_broad_tree* t, const kin_broad* b);
