/* octree.h - a cube cut in eight, again and again (H6.3b): all cells of all levels in one array, or only where there are many points.
 *
 * Full: level L starts at (8^L - 1) / 7 and has M = 2^L cells a side, x fastest; parents and children are found by arithmetic. A node knows how many points
 * are below it. Adaptive: points sorted by the interleaved bits of their cells; a node is a stretch of them with a common beginning, so a chain of cells with
 * one child is skipped and there are never more than two nodes for a point. Octant bits: x 1, y 2, z 4. */
#pragma once
#include "geometry/cloud.h"

#define KIN_OCTREE_FULL_DEPTH 8
#define KIN_OCTREE_DEPTH 21 /* three times this many bits fit a key */
#define KIN_OCTREE_LEAF 16
#define KIN_OCTREE_STACK (7 * KIN_OCTREE_DEPTH + 8)

/* ---- the full tree's numbers ---- */

typedef struct kin_octree_place {
    uint32_t level, column, row, layer; /* along x, y, z */
} kin_octree_place;

static inline uint32_t kin_octree_level_start(uint32_t level) { return (uint32_t)((((uint64_t)1 << (3 * level)) - 1) / 7); } /* level up to 10 */
static inline uint32_t kin_octree_index(kin_octree_place p) { return kin_octree_level_start(p.level) + (((p.layer << p.level) + p.row) << p.level) + p.column; }

static inline kin_octree_place kin_octree_place_of(uint32_t index)
{
    kin_octree_place p = {0};
    while (index >= kin_octree_level_start(p.level + 1)) p.level += 1;
    uint32_t rest = index - kin_octree_level_start(p.level), mask = ((uint32_t)1 << p.level) - 1;
    p.column = rest & mask;
    p.row = rest >> p.level & mask;
    p.layer = rest >> 2 * p.level;
    return p;
}

static inline uint32_t kin_octree_parent(uint32_t index) /* not of the root */
{
    kin_octree_place p = kin_octree_place_of(index);
    return kin_octree_index((kin_octree_place){p.level - 1, p.column / 2, p.row / 2, p.layer / 2});
}

static inline uint32_t kin_octree_child(uint32_t index, uint32_t octant)
{
    kin_octree_place p = kin_octree_place_of(index);
    uint32_t x = octant & 1, y = octant >> 1 & 1, z = octant >> 2;
    return kin_octree_index((kin_octree_place){p.level + 1, 2 * p.column + x, 2 * p.row + y, 2 * p.layer + z});
}

/* ---- trees ---- */

typedef struct kin_octree_node {
    uint32_t low[3];     /* its corner, in cells of the finest level */
    uint32_t begin, end; /* of the items */
    uint32_t child;      /* the first; the others follow */
    uint8_t child_count; /* 0: a leaf */
    uint8_t shift;       /* its side is 2^shift cells of the finest level */
} kin_octree_node;

typedef struct kin_octree {
    kin_cell_frame frame; /* of the finest level */
    bool full;
    uint32_t depth, item_count;
    uint32_t* below; /* full: points in each cell of each level */
    size_t below_capacity;
    uint32_t* starts; /* full: first item of each cell of the last level, and the end */
    size_t start_capacity;
    kin_octree_node* nodes; /* adaptive: parents before children */
    uint32_t node_count;
    size_t node_capacity;
    uint64_t *keys, *key_scratch;
    size_t key_capacity, key_scratch_capacity;
    uint32_t* scratch; /* full: cell of each point */
    size_t scratch_capacity;
} kin_octree;

/* reach: what searches will mostly use; the full tree's last cells are not much smaller. depth 0: chosen. False: out of memory. */
bool kin_octree_build_full(kin_octree* tree, const kin_allocator* allocator, kin_jobs* jobs, const kin_cloud* cloud, double reach, uint32_t depth,
                           uint32_t* items);
bool kin_octree_build(kin_octree* tree, const kin_allocator* allocator, kin_jobs* jobs, const kin_cloud* cloud, uint32_t leaf, uint32_t depth, uint32_t* items);
void kin_octree_term(kin_octree* tree, const kin_allocator* allocator);
size_t kin_octree_bytes(const kin_octree* tree);

typedef struct kin_octree_walk {
    uint32_t begin, end; /* of the items */
    const kin_octree* tree;
    kin_cell_box box;
    uint32_t top;
    union {
        uint32_t node;
        struct {
            uint16_t at[3], level;
        };
    } stack[KIN_OCTREE_STACK];
} kin_octree_walk;

void kin_octree_walk_begin(kin_octree_walk* w, const kin_octree* tree, const double at[3], double reach);
bool kin_octree_walk_next(kin_octree_walk* w);
