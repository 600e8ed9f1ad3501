/* bvh.c - building and refitting the tree. Build: top down, binned surface area heuristic (Wald 2007) over all three axes; below the depth where that
 * could run away, plain halves, so that a walk's stack never overflows. */
#include "geometry/bvh.h"
#include "base/alloc.h"
#include "math/aabb.h"

#define BINS 16
#define AREA_DEPTH 48 /* below this, halves */

typedef struct range {
    uint32_t node, begin, end, depth;
} range;

typedef struct split {
    int axis; /* -1: none */
    double cost;
    double place; /* centres below it go left */
} split;

typedef struct bin {
    kin_aabb box;
    uint32_t count;
} bin;

/* Twice the centre: halving would only cost time. */
static double center2(const kin_aabb* box, int axis) { return kin_component(box->low, axis) + kin_component(box->high, axis); }

static double half_area(kin_aabb b)
{
    double x = b.high.x - b.low.x, y = b.high.y - b.low.y, z = b.high.z - b.low.z;
    return x * y + y * z + z * x;
}

void kin_bvh_init(kin_bvh* bvh, const kin_allocator* allocator) { *bvh = (kin_bvh){.allocator = *allocator}; }

static size_t node_bytes(uint32_t capacity) { return 2 * (size_t)capacity * sizeof(kin_bvh_node); }
static size_t item_bytes(uint32_t capacity) { return (size_t)capacity * sizeof(uint32_t); }

void kin_bvh_term(kin_bvh* bvh)
{
    kin_free(&bvh->allocator, bvh->nodes, node_bytes(bvh->capacity));
    kin_free(&bvh->allocator, bvh->items, item_bytes(bvh->capacity));
    kin_bvh_init(bvh, &(kin_allocator){bvh->allocator.context, bvh->allocator.allocate, bvh->allocator.release});
}

size_t kin_bvh_bytes(const kin_bvh* bvh) { return node_bytes(bvh->capacity) + item_bytes(bvh->capacity); }

bool kin_bvh_reserve(kin_bvh* bvh, uint32_t count)
{
    if (count <= bvh->capacity) return true;
    uint32_t capacity = count < 8 ? 8 : count;
    kin_bvh_node* nodes = kin_alloc(&bvh->allocator, node_bytes(capacity));
    uint32_t* items = kin_alloc(&bvh->allocator, item_bytes(capacity));
    if (nodes == NULL || items == NULL) {
        kin_free(&bvh->allocator, nodes, node_bytes(capacity));
        kin_free(&bvh->allocator, items, item_bytes(capacity));
        return false;
    }
    for (uint32_t i = 0; i < bvh->node_count; ++i) nodes[i] = bvh->nodes[i];
    for (uint32_t i = 0; i < bvh->item_count; ++i) items[i] = bvh->items[i];
    kin_free(&bvh->allocator, bvh->nodes, node_bytes(bvh->capacity));
    kin_free(&bvh->allocator, bvh->items, item_bytes(bvh->capacity));
    bvh->nodes = nodes;
    bvh->items = items;
    bvh->capacity = capacity;
    return true;
}

/* The cheapest place to cut along one axis: areas times counts, over bins of centres. */
static void try_axis(const kin_aabb* boxes, const uint32_t* items, uint32_t n, int axis, split* best)
{
    double low = 1e300, high = -1e300;
    for (uint32_t i = 0; i < n; ++i) {
        double c = center2(&boxes[items[i]], axis);
        low = kin_min(low, c);
        high = kin_max(high, c);
    }
    if (!(high > low)) return;
    bin bins[BINS];
    double scale = BINS / (high - low);
    for (int b = 0; b < BINS; ++b) bins[b] = (bin){kin_aabb_empty(), 0};
    for (uint32_t i = 0; i < n; ++i) {
        int b = (int)kin_min((center2(&boxes[items[i]], axis) - low) * scale, BINS - 1);
        bins[b].box = kin_aabb_union(bins[b].box, boxes[items[i]]);
        bins[b].count += 1;
    }
    double right_cost[BINS];
    kin_aabb box = kin_aabb_empty();
    uint32_t count = 0;
    for (int b = BINS - 1; b > 0; --b) {
        box = kin_aabb_union(box, bins[b].box);
        count += bins[b].count;
        right_cost[b] = count > 0 ? half_area(box) * count : 0;
    }
    box = kin_aabb_empty();
    count = 0;
    for (int b = 0; b + 1 < BINS; ++b) {
        box = kin_aabb_union(box, bins[b].box);
        count += bins[b].count;
        if (count == 0 || count == n) continue;
        double cost = half_area(box) * count + right_cost[b + 1];
        if (cost < best->cost) *best = (split){axis, cost, (double)(b + 1)};
    }
    if (best->axis == axis && best->place <= BINS) best->place = low + best->place / scale;
}

/* Stable order is not needed: leaves are read as sets. */
static uint32_t partition(const kin_aabb* boxes, uint32_t* items, uint32_t n, split cut)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; ++i) {
        if (center2(&boxes[items[i]], cut.axis) >= cut.place) continue;
        uint32_t item = items[i];
        items[i] = items[left];
        items[left++] = item;
    }
    return left;
}

/* How many of the items go left; 0: make a leaf. */
static uint32_t divide(const kin_aabb* boxes, uint32_t* items, uint32_t n, uint32_t depth)
{
    if (n <= 1) return 0;
    if (depth >= AREA_DEPTH) return n > KIN_BVH_LEAF ? n / 2 : 0;
    split cut = {-1, 1e308, 0};
    for (int axis = 0; axis < 3; ++axis) try_axis(boxes, items, n, axis, &cut);
    if (cut.axis < 0) return 0; /* all centres coincide: indivisible (C2.2.1) */
    kin_aabb all = kin_aabb_empty();
    for (uint32_t i = 0; i < n; ++i) all = kin_aabb_union(all, boxes[items[i]]);
    if (n <= KIN_BVH_LEAF && cut.cost + 0.5 * half_area(all) >= half_area(all) * n) return 0;
    uint32_t left = partition(boxes, items, n, cut);
    return left > 0 && left < n ? left : n > KIN_BVH_LEAF ? n / 2 : 0; /* a cut lost to rounding */
}

static void set_box(kin_bvh_node* node, kin_aabb box)
{
    node->low[0] = kin_float_down(box.low.x), node->low[1] = kin_float_down(box.low.y), node->low[2] = kin_float_down(box.low.z);
    node->high[0] = kin_float_up(box.high.x), node->high[1] = kin_float_up(box.high.y), node->high[2] = kin_float_up(box.high.z);
}

void kin_bvh_refit_by(kin_bvh* bvh, kin_bvh_box_fn* box_of, const void* context)
{
    double extents = 0;
    uint32_t leaves = 0;
    for (uint32_t i = bvh->node_count; i-- > 0;) {
        kin_bvh_node* node = &bvh->nodes[i];
        if (i == 1) continue;
        if (node->count > 0) {
            set_box(node, box_of(context, node->first, node->first + node->count));
            extents += (double)(node->high[0] - node->low[0]) + (node->high[1] - node->low[1]) + (node->high[2] - node->low[2]);
            leaves += 1;
            continue;
        }
        const kin_bvh_node *a = &bvh->nodes[node->first], *b = a + 1;
        for (int k = 0; k < 3; ++k) {
            node->low[k] = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
            node->high[k] = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
        }
    }
    bvh->typical = leaves > 0 ? extents / (3.0 * leaves) : 0;
}

typedef struct motion {
    const uint32_t* items;
    const kin_aabb *from, *to; /* one array twice: still */
} motion;

static kin_aabb box_of_motion(const void* context, uint32_t begin, uint32_t end)
{
    const motion* m = context;
    kin_aabb box = kin_aabb_empty();
    for (uint32_t i = begin; i < end; ++i) box = kin_aabb_union(box, kin_aabb_union(m->from[m->items[i]], m->to[m->items[i]]));
    return box;
}

void kin_bvh_refit(kin_bvh* bvh, const kin_aabb* boxes) { kin_bvh_refit_swept(bvh, boxes, boxes); }

void kin_bvh_refit_swept(kin_bvh* bvh, const kin_aabb* from, const kin_aabb* to) { kin_bvh_refit_by(bvh, box_of_motion, &(motion){bvh->items, from, to}); }

bool kin_bvh_build(kin_bvh* bvh, const kin_aabb* boxes, uint32_t count)
{
    if (!kin_bvh_reserve(bvh, count)) return false;
    bvh->item_count = count;
    bvh->node_count = count > 0 ? 2 : 0;
    for (uint32_t i = 0; i < count; ++i) bvh->items[i] = i;
    range stack[KIN_BVH_MAX_DEPTH + 2];
    uint32_t top = 0;
    if (count > 0) {
        bvh->nodes[1] = (kin_bvh_node){.count = 0};
        stack[top++] = (range){0, 0, count, 0};
    }
    while (top > 0) {
        range r = stack[--top];
        uint32_t left = divide(boxes, bvh->items + r.begin, r.end - r.begin, r.depth);
        bvh->nodes[r.node] = (kin_bvh_node){.first = r.begin, .count = r.end - r.begin};
        if (left == 0) continue;
        uint32_t child = bvh->node_count;
        bvh->node_count += 2;
        bvh->nodes[r.node] = (kin_bvh_node){.first = child, .count = 0};
        stack[top++] = (range){child + 1, r.begin + left, r.end, r.depth + 1};
        stack[top++] = (range){child, r.begin, r.begin + left, r.depth + 1};
    }
    kin_bvh_refit(bvh, boxes);
    return true;
}
