/* bvh_wide.h - a tree of boxes with eight children a node, for rays: one comparison of lanes tests them all.
 *
 * It is the binary tree (bvh.h) with levels taken out, over the same order of items. Its leaves hold up to four items, in blocks that the owner lays out in
 * lanes: a subtree of four costs one block whatever its shape. Boxes are floats from the middle of all in units of about its size, rounded outward: fine
 * also far from the origin, and no product of them overflows.
 * Nodes lie parents before children, so that a refit is one loop from the end. */
#pragma once
#include "geometry/bvh.h"

#define KIN_BVH_WIDE 8
#define KIN_BVH_BLOCK 4
#define KIN_BVH_NO_ITEM UINT32_MAX

typedef struct kin_bvh_wide_node {
    float low[3][KIN_BVH_WIDE], high[3][KIN_BVH_WIDE]; /* an empty place is a box that nothing hits */
    uint32_t child[KIN_BVH_WIDE];                      /* a node; of a leaf, its first block */
    uint32_t item[KIN_BVH_WIDE];                       /* first item of a leaf; KIN_BVH_NO_ITEM: a node, or nothing */
} kin_bvh_wide_node;                                   /* 256 bytes: four lines */

/* Items [first, first + count) of the binary tree's order, count <= 4. A leaf of more (indivisible ones) has several blocks in a row: all but the last say so. */
typedef struct kin_bvh_block {
    uint32_t first;
    uint16_t count, more;
} kin_bvh_block;

typedef struct kin_bvh_wide {
    kin_bvh_wide_node* nodes; /* root 0 */
    size_t node_count, node_capacity;
    kin_bvh_block* blocks;
    size_t block_count, block_capacity;
    kin_vec3 middle;  /* of the root, m: boxes count from here */
    double unit;      /* a power of two, m: boxes are within about [-1, 1] */
    double per_metre; /* 1 / unit, exactly */
    kin_allocator allocator;
} kin_bvh_wide;

void kin_bvh_wide_init(kin_bvh_wide* wide, const kin_allocator* allocator);
void kin_bvh_wide_term(kin_bvh_wide* wide);
size_t kin_bvh_wide_bytes(const kin_bvh_wide* wide);

/* From a binary tree and what it was built or fitted with (kin_bvh_box_fn). False: out of memory, and the wide tree is empty. */
bool kin_bvh_wide_build(kin_bvh_wide* wide, const kin_bvh* bvh, kin_bvh_box_fn* box_of, const void* context);
void kin_bvh_wide_refit(kin_bvh_wide* wide, kin_bvh_box_fn* box_of, const void* context);
