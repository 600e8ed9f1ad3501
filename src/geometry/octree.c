/* octree.c - building and walking both trees. Overlap is decided in whole numbers, see cloud.h. */
#include "geometry/octree.h"
#include "geometry/octant.h"
#include "base/alloc.h"
#include "base/sort.h"
#include <string.h>

#define GRAIN 4096

typedef struct key_job {
    const kin_cloud* cloud;
    kin_octree* tree;
    uint32_t* items;
} key_job;

/* ---- full ---- */

static uint32_t depth_for(uint32_t count, uint32_t most)
{
    uint32_t depth = 0;
    while (depth < most && (uint64_t)1 << (3 * (depth + 1)) <= count) depth += 1;
    return depth;
}

static void number_points(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const key_job* job = argument;
    const kin_cell_frame* f = &job->tree->frame;
    const double* const* at = job->cloud->at;
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        uint32_t x = kin_cell_at(f, 0, at[0][i]), y = kin_cell_at(f, 1, at[1][i]), z = kin_cell_at(f, 2, at[2][i]);
        job->tree->scratch[i] = (z * f->dims[1] + y) * f->dims[0] + x;
    }
}

/* Counts go up the levels; items are sorted by the cells of the last. */
static void fill_full(kin_octree* tree, uint32_t count, uint32_t* items)
{
    uint32_t last = kin_octree_level_start(tree->depth), cells = kin_octree_level_start(tree->depth + 1) - last;
    memset(tree->below, 0, ((size_t)last + cells) * sizeof *tree->below);
    for (uint32_t i = 0; i < count; ++i) tree->below[last + tree->scratch[i]] += 1;
    uint32_t sum = 0;
    for (uint32_t c = 0; c < cells; ++c) tree->starts[c] = sum += tree->below[last + c];
    tree->starts[cells] = sum;
    for (uint32_t i = count; i-- > 0;) items[--tree->starts[tree->scratch[i]]] = i;
    for (uint32_t level = tree->depth; level > 0; --level) {
        uint32_t start = kin_octree_level_start(level), up = kin_octree_level_start(level - 1), bits = level - 1, side = (uint32_t)1 << level;
        for (uint32_t z = 0; z < side; ++z) {
            for (uint32_t y = 0; y < side; ++y) {
                const uint32_t* row = &tree->below[start + (((z << level) + y) << level)];
                uint32_t* parents = &tree->below[up + ((((z / 2) << bits) + y / 2) << bits)];
                for (uint32_t x = 0; x < side; ++x) parents[x / 2] += row[x];
            }
        }
    }
}

bool kin_octree_build_full(kin_octree* tree, const kin_allocator* allocator, kin_jobs* jobs, const kin_cloud* cloud, double reach, uint32_t depth,
                           uint32_t* items)
{
    uint32_t most = depth == 0 ? KIN_OCTREE_FULL_DEPTH : depth < KIN_OCTREE_FULL_DEPTH ? depth : KIN_OCTREE_FULL_DEPTH;
    if (depth == 0) most = depth_for(cloud->count, most);
    uint32_t cells = kin_octree_level_start(most + 1), last = cells - kin_octree_level_start(most);
    if (!kin_reserve(allocator, (void**)&tree->below, &tree->below_capacity, cells, sizeof *tree->below)) return false;
    if (!kin_reserve(allocator, (void**)&tree->starts, &tree->start_capacity, (size_t)last + 1, sizeof *tree->starts)) return false;
    if (!kin_reserve(allocator, (void**)&tree->scratch, &tree->scratch_capacity, cloud->count, sizeof *tree->scratch)) return false;
    double extent = kin_cloud_extent(cloud);
    while (depth == 0 && most > 0 && extent / (double)((uint32_t)1 << most) < 0.5 * reach) most -= 1;
    tree->full = true;
    tree->depth = most;
    tree->item_count = cloud->count;
    tree->frame = kin_cloud_cube(cloud, most);
    kin_cloud_for(jobs, cloud->count, GRAIN, number_points, &(key_job){cloud, tree, items});
    fill_full(tree, cloud->count, items);
    return true;
}

/* ---- adaptive ---- */

/* Bits of x at every third place. */
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & 0x001F00000000FFFFu;
    x = (x | x << 16) & 0x001F0000FF0000FFu;
    x = (x | x << 8) & 0x100F00F00F00F00Fu;
    x = (x | x << 4) & 0x10C30C30C30C30C3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static uint32_t gather(uint64_t x)
{
    x &= 0x1249249249249249u;
    x = (x | x >> 2) & 0x10C30C30C30C30C3u;
    x = (x | x >> 4) & 0x100F00F00F00F00Fu;
    x = (x | x >> 8) & 0x001F0000FF0000FFu;
    x = (x | x >> 16) & 0x001F00000000FFFFu;
    return (uint32_t)(x | x >> 32) & 0x1FFFFF;
}

static void key_points(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const key_job* job = argument;
    const kin_cell_frame* f = &job->tree->frame;
    const double* const* at = job->cloud->at;
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        uint64_t x = kin_cell_at(f, 0, at[0][i]), y = kin_cell_at(f, 1, at[1][i]), z = kin_cell_at(f, 2, at[2][i]);
        job->tree->keys[i] = spread(x) | spread(y) << 1 | spread(z) << 2;
        job->items[i] = (uint32_t)i;
    }
}

/* The smallest cell that holds the stretch: as many leading bits as its first and last keys share. */
static kin_octree_node node_of(const kin_octree* tree, uint32_t begin, uint32_t end)
{
    uint64_t first = tree->keys[begin], differ = first ^ tree->keys[end - 1];
    kin_octree_node node = {.begin = begin, .end = end};
    while (differ >> (3 * node.shift) != 0) node.shift += 1;
    first = first >> (3 * node.shift) << (3 * node.shift);
    node.low[0] = gather(first), node.low[1] = gather(first >> 1), node.low[2] = gather(first >> 2);
    return node;
}

/* The array is the queue: what has been split is before i, what has not, after. */
static void split_nodes(kin_octree* tree, uint32_t leaf)
{
    tree->node_count = 0;
    if (tree->item_count > 0) tree->nodes[tree->node_count++] = node_of(tree, 0, tree->item_count);
    for (uint32_t i = 0; i < tree->node_count; ++i) {
        kin_octree_node* node = &tree->nodes[i];
        if (node->end - node->begin <= leaf || node->shift == 0) continue; /* shift 0: one cell of the last level */
        node->child = tree->node_count;
        for (uint32_t begin = node->begin; begin < node->end;) {
            uint32_t end = kin_octant_end(tree->keys, begin, node->end, 3 * ((uint32_t)node->shift - 1));
            tree->nodes[tree->node_count++] = node_of(tree, begin, end);
            node->child_count += 1;
            begin = end;
        }
    }
}

bool kin_octree_build(kin_octree* tree, const kin_allocator* allocator, kin_jobs* jobs, const kin_cloud* cloud, uint32_t leaf, uint32_t depth, uint32_t* items)
{
    uint32_t n = cloud->count;
    if (!kin_reserve(allocator, (void**)&tree->nodes, &tree->node_capacity, 2 * (size_t)n, sizeof *tree->nodes)) return false;
    if (!kin_reserve(allocator, (void**)&tree->keys, &tree->key_capacity, n, sizeof *tree->keys)) return false;
    if (!kin_reserve(allocator, (void**)&tree->key_scratch, &tree->key_scratch_capacity, n, sizeof *tree->keys)) return false;
    if (!kin_reserve(allocator, (void**)&tree->scratch, &tree->scratch_capacity, n, sizeof *tree->scratch)) return false;
    tree->full = false;
    tree->depth = depth == 0 || depth > KIN_OCTREE_DEPTH ? KIN_OCTREE_DEPTH : depth;
    tree->item_count = n;
    tree->frame = kin_cloud_cube(cloud, tree->depth);
    kin_cloud_for(jobs, n, GRAIN, key_points, &(key_job){cloud, tree, items});
    kin_sort_keys(tree->keys, items, tree->key_scratch, tree->scratch, n);
    split_nodes(tree, leaf == 0 ? KIN_OCTREE_LEAF : leaf);
    return true;
}

void kin_octree_term(kin_octree* tree, const kin_allocator* allocator)
{
    kin_free(allocator, tree->below, tree->below_capacity * sizeof *tree->below);
    kin_free(allocator, tree->starts, tree->start_capacity * sizeof *tree->starts);
    kin_free(allocator, tree->nodes, tree->node_capacity * sizeof *tree->nodes);
    kin_free(allocator, tree->keys, tree->key_capacity * sizeof *tree->keys);
    kin_free(allocator, tree->key_scratch, tree->key_scratch_capacity * sizeof *tree->keys);
    kin_free(allocator, tree->scratch, tree->scratch_capacity * sizeof *tree->scratch);
    *tree = (kin_octree){0};
}

size_t kin_octree_bytes(const kin_octree* tree)
{
    return (tree->below_capacity + tree->start_capacity + tree->scratch_capacity) * sizeof(uint32_t) + tree->node_capacity * sizeof *tree->nodes
           + (tree->key_capacity + tree->key_scratch_capacity) * sizeof *tree->keys;
}

/* ---- walks ---- */

void kin_octree_walk_begin(kin_octree_walk* w, const kin_octree* tree, const double at[3], double reach)
{
    w->tree = tree;
    w->box = kin_cell_box_around(&tree->frame, at, reach);
    w->top = tree->item_count > 0;
    memset(&w->stack[0], 0, sizeof w->stack[0]);
}

static bool overlaps(const kin_cell_box* box, const uint32_t low[3], uint32_t shift)
{
    uint32_t far = ((uint32_t)1 << shift) - 1;
    return low[0] <= box->high[0] && low[0] + far >= box->low[0] && low[1] <= box->high[1] && low[1] + far >= box->low[1] && low[2] <= box->high[2]
           && low[2] + far >= box->low[2];
}

static bool next_full(kin_octree_walk* w)
{
    const kin_octree* tree = w->tree;
    while (w->top > 0) {
        uint32_t x = w->stack[--w->top].at[0], y = w->stack[w->top].at[1], z = w->stack[w->top].at[2], level = w->stack[w->top].level;
        if (level == tree->depth) {
            uint32_t cell = (((z << level) + y) << level) + x;
            w->begin = tree->starts[cell], w->end = tree->starts[cell + 1];
            return true;
        }
        uint32_t shift = tree->depth - ++level, start = kin_octree_level_start(level);
        for (uint32_t octant = 8; octant-- > 0;) {
            uint32_t cx = 2 * x + (octant & 1), cy = 2 * y + (octant >> 1 & 1), cz = 2 * z + (octant >> 2);
            if (!overlaps(&w->box, (uint32_t[3]){cx << shift, cy << shift, cz << shift}, shift)) continue;
            if (tree->below[start + (((cz << level) + cy) << level) + cx] == 0) continue;
            w->stack[w->top].at[0] = (uint16_t)cx, w->stack[w->top].at[1] = (uint16_t)cy, w->stack[w->top].at[2] = (uint16_t)cz;
            w->stack[w->top++].level = (uint16_t)level;
        }
    }
    return false;
}

static bool next_adaptive(kin_octree_walk* w)
{
    const kin_octree_node* nodes = w->tree->nodes;
    while (w->top > 0) {
        const kin_octree_node* node = &nodes[w->stack[--w->top].node];
        if (node->child_count == 0) {
            w->begin = node->begin, w->end = node->end;
            return true;
        }
        for (uint32_t c = node->child + node->child_count; c-- > node->child;) {
            w->stack[w->top].node = c;
            w->top += overlaps(&w->box, nodes[c].low, nodes[c].shift);
        }
    }
    return false;
}

bool kin_octree_walk_next(kin_octree_walk* w) { return w->tree->full ? next_full(w) : next_adaptive(w); }
