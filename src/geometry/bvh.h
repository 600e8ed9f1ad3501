/* bvh.h - a binary tree of boxes over boxes: built once, refitted while things move (C2.2.1, C2.3).
 *
 * Nodes are 32 bytes, float boxes rounded outward, so nothing is ever missed and two sisters share a cache line. They lie in an array, parents before
 * children: a refit is one loop from the end. Splits minimise the surface area estimate (binned); where all centres coincide a leaf holds many.
 * Walks are cursors on a fixed stack, in line so that the caller's test is too:
 *
 *     kin_bvh_walk walk;
 *     for (kin_bvh_overlap_begin(&walk, bvh, box); kin_bvh_overlap_next(&walk);) {
 *         for (uint32_t i = walk.begin; i < walk.end; ++i) use(bvh->items[i]);
 *     }
 *
 * The order of visits is fixed by the tree; a caller that breaks ties by item number gets answers that do not depend on the tree at all. */
#pragma once
#include "kinema/base.h"
#include "math/vec3.h"

#define KIN_BVH_MAX_DEPTH 80 /* 48 levels by area, then halves: 2^32 items fit */
#define KIN_BVH_LEAF 4       /* items in a leaf that could still be split */

typedef struct kin_bvh_node {
    float low[3];
    uint32_t first; /* leaf: first of its items; else: left child, the right one follows it */
    float high[3];
    uint32_t count; /* items of a leaf; 0: two children */
} kin_bvh_node;

typedef struct kin_bvh {
    kin_bvh_node* nodes; /* root 0; 1 is unused, so that sisters start on even numbers */
    uint32_t node_count; /* 0: empty */
    uint32_t* items;     /* numbers of the boxes, leaf after leaf */
    uint32_t item_count;
    uint32_t capacity; /* items there is room for */
    double typical;    /* mean extent of a leaf's box, m: a path much longer is better walked as a path than as a box */
    kin_allocator allocator;
} kin_bvh;

/* Nodes there is room for: two an item, and at the end all boxes of a build. When the first b items are in leaves, up to b + depth nodes were split, and the
 * boxes from b on are still in use. */
static inline size_t kin_bvh_node_room(uint32_t capacity) { return 2 * (size_t)capacity + 2 * KIN_BVH_MAX_DEPTH + 8; }

void kin_bvh_init(kin_bvh* bvh, const kin_allocator* allocator);
void kin_bvh_term(kin_bvh* bvh);
bool kin_bvh_reserve(kin_bvh* bvh, uint32_t count);                      /* false: out of memory; the tree is as before */
bool kin_bvh_build(kin_bvh* bvh, const kin_aabb* boxes, uint32_t count); /* false: out of memory; never after a reserve of as many */
void kin_bvh_refit(kin_bvh* bvh, const kin_aabb* boxes);                 /* as many boxes as built with */
/* C2.3: leaves hold what moves from one box to the other, at any time between: straight motions stay in the box around both ends. */
void kin_bvh_refit_swept(kin_bvh* bvh, const kin_aabb* from, const kin_aabb* to);
/* The same by the leaf: the box around items [begin, end) of bvh->items, from whatever the owner keeps in that order. */
typedef kin_aabb kin_bvh_box_fn(const void* context, uint32_t begin, uint32_t end);
void kin_bvh_refit_by(kin_bvh* bvh, kin_bvh_box_fn* box_of, const void* context);
size_t kin_bvh_bytes(const kin_bvh* bvh);

typedef struct kin_bvh_walk {
    uint32_t begin, end; /* of bvh->items: the leaf just found */
    const kin_bvh* bvh;
    double limit;         /* path: fraction; closest: distance squared. The caller lowers it as it finds things */
    kin_vec3 at, inverse; /* path: origin and 1 / direction; closest: the point */
    double inflate;
    float low[4], high[4]; /* overlap: the box */
    uint32_t top;
    uint32_t stack[KIN_BVH_MAX_DEPTH];
    double entry[KIN_BVH_MAX_DEPTH]; /* path, closest: where each stacked node begins */
} kin_bvh_walk;

/* The floats next to x that are surely not above, and not below it. No branch: which way x rounds cannot be predicted. */
static inline float kin_float_down(double x)
{
    float f = (float)kin_clamp(x, -3e38, 3e38), step = __builtin_fabsf(f) * 0x1p-23f + 0x1p-149f;
    uint32_t bits;
    __builtin_memcpy(&bits, &step, sizeof bits);
    bits &= 0u - (uint32_t)((double)f > x);
    __builtin_memcpy(&step, &bits, sizeof step);
    return f - step;
}
static inline float kin_float_up(double x) { return -kin_float_down(-x); }

static inline bool kin_bvh_leaf_found(kin_bvh_walk* walk, const kin_bvh_node* node)
{
    walk->begin = node->first;
    walk->end = node->first + node->count;
    return true;
}

/* Boxes that overlap or touch a box. All four lanes are compared; the fourth holds first and count, small numbers as floats too, against infinities. */
typedef float kin_bvh_lanes __attribute__((vector_size(16)));
typedef int64_t kin_bvh_halves __attribute__((vector_size(16)));

static inline bool kin_bvh_overlaps(const kin_bvh_node* n, const float low[4], const float high[4])
{
    kin_bvh_lanes node_low, node_high, box_low, box_high;
    __builtin_memcpy(&node_low, n, sizeof node_low);
    __builtin_memcpy(&node_high, (const char*)n + sizeof node_low, sizeof node_high);
    __builtin_memcpy(&box_low, low, sizeof box_low);
    __builtin_memcpy(&box_high, high, sizeof box_high);
    kin_bvh_halves all = (kin_bvh_halves)((node_low <= box_high) & (node_high >= box_low));
    return (all[0] & all[1]) == -1;
}

static inline void kin_bvh_overlap_begin(kin_bvh_walk* walk, const kin_bvh* bvh, kin_aabb box)
{
    walk->bvh = bvh;
    walk->low[0] = kin_float_down(box.low.x), walk->low[1] = kin_float_down(box.low.y), walk->low[2] = kin_float_down(box.low.z);
    walk->high[0] = kin_float_up(box.high.x), walk->high[1] = kin_float_up(box.high.y), walk->high[2] = kin_float_up(box.high.z);
    walk->low[3] = -__builtin_inff(), walk->high[3] = __builtin_inff();
    walk->top = 0;
    if (bvh->node_count > 0 && kin_bvh_overlaps(bvh->nodes, walk->low, walk->high)) walk->stack[walk->top++] = 0;
}

static inline bool kin_bvh_overlap_next(kin_bvh_walk* walk)
{
    const kin_bvh_node* nodes = walk->bvh->nodes;
    while (walk->top > 0) {
        const kin_bvh_node* node = &nodes[walk->stack[--walk->top]];
        if (node->count > 0) return kin_bvh_leaf_found(walk, node);
        walk->stack[walk->top] = node->first + 1;
        walk->top += kin_bvh_overlaps(&nodes[node->first + 1], walk->low, walk->high);
        walk->stack[walk->top] = node->first;
        walk->top += kin_bvh_overlaps(&nodes[node->first], walk->low, walk->high);
    }
    return false;
}

/* Boxes, grown by inflate, along origin + t direction for t in [0, limit], nearest first. */
static inline double kin_bvh_path_entry(const kin_bvh_walk* w, const kin_bvh_node* n)
{
    double x0 = (n->low[0] - w->inflate - w->at.x) * w->inverse.x, x1 = (n->high[0] + w->inflate - w->at.x) * w->inverse.x;
    double y0 = (n->low[1] - w->inflate - w->at.y) * w->inverse.y, y1 = (n->high[1] + w->inflate - w->at.y) * w->inverse.y;
    double z0 = (n->low[2] - w->inflate - w->at.z) * w->inverse.z, z1 = (n->high[2] + w->inflate - w->at.z) * w->inverse.z;
    double in = kin_max(kin_max(kin_min(x0, x1), kin_min(y0, y1)), kin_max(kin_min(z0, z1), 0));
    double out = kin_min(kin_min(kin_max(x0, x1), kin_max(y0, y1)), kin_min(kin_max(z0, z1), w->limit));
    return in <= out ? in : 1e308;
}

static inline double kin_bvh_inverse(double d) { return kin_abs(d) > 1e-290 ? 1 / d : d < 0 ? -1e290 : 1e290; }

/* Squared distance from the walk's point to a box. */
static inline double kin_bvh_closest_entry(const kin_bvh_walk* w, const kin_bvh_node* n)
{
    double x = kin_max(kin_max(n->low[0] - w->at.x, w->at.x - n->high[0]), 0);
    double y = kin_max(kin_max(n->low[1] - w->at.y, w->at.y - n->high[1]), 0);
    double z = kin_max(kin_max(n->low[2] - w->at.z, w->at.z - n->high[2]), 0);
    return x * x + y * y + z * z;
}

static inline void kin_bvh_push(kin_bvh_walk* walk, uint32_t node, double entry)
{
    walk->stack[walk->top] = node;
    walk->entry[walk->top] = entry;
    walk->top += entry <= walk->limit;
}

static inline void kin_bvh_path_begin(kin_bvh_walk* walk, const kin_bvh* bvh, kin_vec3 origin, kin_vec3 direction, double inflate, double limit)
{
    walk->bvh = bvh;
    walk->at = origin;
    walk->inverse = kin_v(kin_bvh_inverse(direction.x), kin_bvh_inverse(direction.y), kin_bvh_inverse(direction.z));
    walk->limit = limit;
    walk->top = 0;
    /* slab tests round: grow by what they can be off */
    double scale = kin_max(kin_max(kin_abs(origin.x), kin_abs(origin.y)), kin_abs(origin.z));
    walk->inflate = inflate + 1e-14 * scale;
    if (bvh->node_count > 0) kin_bvh_push(walk, 0, kin_bvh_path_entry(walk, bvh->nodes));
}

static inline void kin_bvh_push_nearest_last(kin_bvh_walk* walk, uint32_t left, double entry_left, double entry_right)
{
    bool left_first = entry_left <= entry_right;
    kin_bvh_push(walk, left_first ? left + 1 : left, left_first ? entry_right : entry_left);
    kin_bvh_push(walk, left_first ? left : left + 1, left_first ? entry_left : entry_right);
}

static inline bool kin_bvh_path_next(kin_bvh_walk* walk)
{
    const kin_bvh_node* nodes = walk->bvh->nodes;
    while (walk->top > 0) {
        walk->top -= 1;
        if (walk->entry[walk->top] > walk->limit) continue;
        const kin_bvh_node* node = &nodes[walk->stack[walk->top]];
        if (node->count > 0) return kin_bvh_leaf_found(walk, node);
        kin_bvh_push_nearest_last(walk, node->first, kin_bvh_path_entry(walk, &nodes[node->first]), kin_bvh_path_entry(walk, &nodes[node->first + 1]));
    }
    return false;
}

/* Boxes within the distance of a point, nearest first; limit is its square. */
static inline void kin_bvh_closest_begin(kin_bvh_walk* walk, const kin_bvh* bvh, kin_vec3 point, double distance)
{
    walk->bvh = bvh;
    walk->at = point;
    walk->limit = distance * distance * (1 + 1e-14);
    walk->top = 0;
    if (bvh->node_count > 0) kin_bvh_push(walk, 0, kin_bvh_closest_entry(walk, bvh->nodes));
}

static inline bool kin_bvh_closest_next(kin_bvh_walk* walk)
{
    const kin_bvh_node* nodes = walk->bvh->nodes;
    while (walk->top > 0) {
        walk->top -= 1;
        if (walk->entry[walk->top] > walk->limit) continue;
        const kin_bvh_node* node = &nodes[walk->stack[walk->top]];
        if (node->count > 0) return kin_bvh_leaf_found(walk, node);
        kin_bvh_push_nearest_last(walk, node->first, kin_bvh_closest_entry(walk, &nodes[node->first]), kin_bvh_closest_entry(walk, &nodes[node->first + 1]));
    }
    return false;
}
