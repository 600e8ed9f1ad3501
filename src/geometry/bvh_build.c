/* bvh_build.c - building the tree: top down, binned surface area heuristic (Wald 2007) over all three axes; below the depth where that could run away, plain
 * halves, so that a walk's stack never overflows.
 *
 * Boxes are sorted as floats about the middle of all and in units of its size, 32 bytes each, and moved themselves, so that every pass reads memory in a row.
 * They lie at the end of the array of nodes: nodes are made depth first and from the left, and fill the front of it no faster than boxes are used up
 * (kin_bvh_node_room). */
#include "geometry/bvh.h"
#include "math/aabb.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define BINS 16
#define AREA_DEPTH 48     /* below this, halves */
#define TOO_FINE 0x1p-14f /* of the size that floats count in: there, ten bits are left */

typedef int32_t ints __attribute__((vector_size(16)));

/* A box among those being sorted: of an item (first is its number), or the bounds of many. Fourth lanes are not numbers. */
typedef struct box {
    kin_bvh_lanes low, high;
} box;

typedef struct range {
    uint32_t node, begin, end, depth;
    box centers; /* bounds of the boxes' centres */
} range;

typedef struct split {
    int axis;      /* -1: none */
    uint32_t bin;  /* the first of the right side */
    uint32_t left; /* items left of it */
    float cost;
} split;

typedef struct bin {
    box bounds;
    uint32_t count;
} bin;

/* a < b ? a : b, and a > b ? a : b: b where there is no number to compare. */
#if defined(__SSE2__)
static inline kin_bvh_lanes lesser(kin_bvh_lanes a, kin_bvh_lanes b) { return (kin_bvh_lanes)_mm_min_ps((__m128)a, (__m128)b); }
static inline kin_bvh_lanes greater(kin_bvh_lanes a, kin_bvh_lanes b) { return (kin_bvh_lanes)_mm_max_ps((__m128)a, (__m128)b); }
#else
static inline kin_bvh_lanes choose(ints which, kin_bvh_lanes a, kin_bvh_lanes b) { return (kin_bvh_lanes)(((ints)a & which) | ((ints)b & ~which)); }
static inline kin_bvh_lanes lesser(kin_bvh_lanes a, kin_bvh_lanes b) { return choose(a < b, a, b); }
static inline kin_bvh_lanes greater(kin_bvh_lanes a, kin_bvh_lanes b) { return choose(a > b, a, b); }
#endif

static inline box no_box(void)
{
    const float huge = __builtin_inff();
    return (box){{huge, huge, huge, 0}, {-huge, -huge, -huge, 0}};
}

static inline void add_point(box* to, kin_bvh_lanes p)
{
    to->low = lesser(p, to->low);
    to->high = greater(p, to->high);
}

static inline void add_box(box* to, const box* b)
{
    to->low = lesser(b->low, to->low);
    to->high = greater(b->high, to->high);
}

static inline float half_area(const box* b)
{
    kin_bvh_lanes size = b->high - b->low;
    float x = size[0], y = size[1], z = size[2];
    return x * y + y * z + z * x;
}

static inline box load(const kin_bvh_node* ref)
{
    box b;
    __builtin_memcpy(&b, ref, sizeof b);
    return b;
}

/* The last lane of a box holds its number: a small one as a float, which is slow to add. */
static inline kin_bvh_lanes center(const box* b)
{
    const ints three = {-1, -1, -1, 0};
    return (kin_bvh_lanes)((ints)b->low & three) * 0.5f + (kin_bvh_lanes)((ints)b->high & three) * 0.5f;
}

/* Which bin a centre is in, along each axis. */
typedef struct ruler {
    kin_bvh_lanes low, scale, last;
} ruler;

static ruler make_ruler(const box* centers, uint32_t bins)
{
    kin_bvh_lanes size = centers->high - centers->low;
    float last = (float)(bins - 1);
    ruler r = {.low = centers->low, .last = {last, last, last, 0}};
    for (int k = 0; k < 3; ++k) r.scale[k] = size[k] > 0 ? 0.9999f * (float)bins / size[k] : 0;
    return r;
}

static inline ints bins_at(const ruler* r, const box* b)
{
    kin_bvh_lanes zero = {0, 0, 0, 0};
    return __builtin_convertvector(lesser(greater((center(b) - r->low) * r->scale, zero), r->last), ints); /* no number counts as 0 */
}

/* The cheapest place to cut along one axis: areas times counts. */
static void try_axis(const bin* bins, uint32_t used, uint32_t n, int axis, split* best)
{
    float right_cost[BINS];
    box bounds = no_box();
    uint32_t count = 0;
    for (uint32_t b = used; b-- > 1;) {
        add_box(&bounds, &bins[b].bounds);
        count += bins[b].count;
        right_cost[b] = count > 0 ? half_area(&bounds) * (float)count : 0;
    }
    bounds = no_box();
    count = 0;
    for (uint32_t b = 0; b + 1 < used; ++b) {
        add_box(&bounds, &bins[b].bounds);
        count += bins[b].count;
        if (count == 0 || count == n) continue;
        float cost = half_area(&bounds) * (float)count + right_cost[b + 1];
        if (cost < best->cost) *best = (split){axis, b + 1, count, cost};
    }
}

/* Few bins for few boxes: they could not fill more. */
static uint32_t bins_for(uint32_t n) { return n / 8 + 4 < BINS ? n / 8 + 4 : BINS; }

static inline void add_to_bin(bin* to, const box* b)
{
    add_box(&to->bounds, b);
    to->count += 1;
}

static split find_split(const kin_bvh_node* refs, uint32_t n, const ruler* r, uint32_t used, float* area)
{
    bin bins[3][BINS];
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t b = 0; b < used; ++b) bins[axis][b] = (bin){no_box(), 0};
    }
    for (uint32_t i = 0; i < n; ++i) {
        box b = load(&refs[i]);
        ints at = bins_at(r, &b);
        add_to_bin(&bins[0][at[0]], &b);
        add_to_bin(&bins[1][at[1]], &b);
        add_to_bin(&bins[2][at[2]], &b);
    }
    split best = {-1, 0, 0, __builtin_inff()};
    for (int axis = 0; axis < 3; ++axis) try_axis(bins[axis], used, n, axis, &best);
    box all = no_box();
    for (uint32_t b = 0; b < used; ++b) add_box(&all, &bins[0][b].bounds);
    *area = half_area(&all);
    return best;
}

/* Both sides swap from their ends; the bounds of their centres are found on the way. */
static void partition(kin_bvh_node* refs, uint32_t n, const ruler* r, split cut, box centers[2])
{
    centers[0] = centers[1] = no_box();
    uint32_t left = 0, right = n;
    while (left < right) {
        box b = load(&refs[left]);
        bool goes_right = (uint32_t)bins_at(r, &b)[cut.axis] >= cut.bin;
        add_point(&centers[goes_right], center(&b));
        if (!goes_right) {
            left += 1;
            continue;
        }
        kin_bvh_node moved = refs[left];
        refs[left] = refs[--right];
        refs[right] = moved;
    }
}

static void find_centers(const kin_bvh_node* refs, uint32_t n, box* centers)
{
    *centers = no_box();
    for (uint32_t i = 0; i < n; ++i) {
        box b = load(&refs[i]);
        add_point(centers, center(&b));
    }
}

static uint32_t halve(const kin_bvh_node* refs, uint32_t n, box centers[2])
{
    if (n <= KIN_BVH_LEAF) return 0;
    find_centers(refs, n / 2, &centers[0]);
    find_centers(refs + n / 2, n - n / 2, &centers[1]);
    return n / 2;
}

/* Two boxes: there is but one way. */
static uint32_t part_two(const kin_bvh_node refs[2], box centers[2])
{
    box a = load(&refs[0]), b = load(&refs[1]), all = a;
    add_box(&all, &b);
    if (half_area(&a) + half_area(&b) + 0.5f * half_area(&all) >= 2 * half_area(&all)) return 0;
    centers[0] = centers[1] = no_box(); /* leaves next */
    return 1;
}

/* Fills in the boxes of the refs' items, as floats about their middle and in units of their size. */
static void set_refs(kin_bvh_node* refs, const kin_aabb* boxes, uint32_t n)
{
    kin_aabb all = kin_aabb_empty();
    for (uint32_t i = 0; i < n; ++i) all = kin_aabb_union(all, boxes[refs[i].first]);
    kin_vec3 middle = kin_aabb_center(all);
    double size = kin_largest(kin_aabb_size(all)), scale = size > 1e-300 && kin_finite(size) ? 1 / size : 0;
    for (uint32_t i = 0; i < n; ++i) {
        const kin_aabb* b = &boxes[refs[i].first];
        kin_vec3 l = kin_scale(kin_sub(b->low, middle), scale), h = kin_scale(kin_sub(b->high, middle), scale);
        refs[i] = (kin_bvh_node){.low = {(float)l.x, (float)l.y, (float)l.z}, .first = refs[i].first, .high = {(float)h.x, (float)h.y, (float)h.z}};
    }
}

static float largest_size(const box* centers)
{
    kin_bvh_lanes size = centers->high - centers->low;
    float large = size[0] > size[1] ? size[0] : size[1];
    return large > size[2] ? large : size[2];
}

/* A small thing in a large scene: floats about the middle of the scene cannot tell its parts from each other, those about its own can. */
static void look_closer(kin_bvh_node* refs, const kin_aabb* boxes, uint32_t n, box* centers)
{
    set_refs(refs, boxes, n);
    find_centers(refs, n, centers);
}

/* How many of the boxes go left, and the bounds of the centres of either side; 0: make a leaf. */
static uint32_t divide(kin_bvh_node* refs, const kin_aabb* boxes, uint32_t n, range* r, box centers[2])
{
    if (n <= 1) return 0;
    if (r->depth >= AREA_DEPTH) return halve(refs, n, centers);
    if (!(largest_size(&r->centers) > TOO_FINE)) look_closer(refs, boxes, n, &r->centers);
    if (!(largest_size(&r->centers) > 0)) return 0; /* indivisible (C2.2.1) */
    if (n == 2) return part_two(refs, centers);
    uint32_t used = bins_for(n);
    ruler by = make_ruler(&r->centers, used);
    float area;
    split cut = find_split(refs, n, &by, used, &area);
    if (cut.axis < 0) return halve(refs, n, centers); /* not a number to be had */
    if (n <= KIN_BVH_LEAF && cut.cost + 0.5f * area >= area * (float)n) return 0;
    partition(refs, n, &by, cut, centers);
    return cut.left;
}

static void make_leaf(kin_bvh* bvh, const kin_bvh_node* refs, const range* r)
{
    bvh->nodes[r->node] = (kin_bvh_node){.first = r->begin, .count = r->end - r->begin};
    for (uint32_t i = r->begin; i < r->end; ++i) bvh->items[i] = refs[i].first;
}

bool kin_bvh_build(kin_bvh* bvh, const kin_aabb* boxes, uint32_t count)
{
    if (!kin_bvh_reserve(bvh, count)) return false;
    bvh->item_count = count;
    bvh->node_count = 0;
    if (count == 0) return true;
    kin_bvh_node* refs = bvh->nodes + kin_bvh_node_room(bvh->capacity) - count;
    for (uint32_t i = 0; i < count; ++i) refs[i].first = i;
    set_refs(refs, boxes, count);
    bvh->node_count = 2;
    bvh->nodes[1] = (kin_bvh_node){.count = 0};
    range stack[KIN_BVH_MAX_DEPTH + 2];
    uint32_t top = 0;
    stack[top++] = (range){.begin = 0, .end = count};
    find_centers(refs, count, &stack[0].centers);
    while (top > 0) {
        range r = stack[--top];
        box centers[2];
        uint32_t left = divide(refs + r.begin, boxes, r.end - r.begin, &r, centers);
        if (left == 0) {
            make_leaf(bvh, refs, &r);
            continue;
        }
        uint32_t child = bvh->node_count;
        bvh->node_count += 2;
        bvh->nodes[r.node] = (kin_bvh_node){.first = child, .count = 0};
        stack[top++] = (range){child + 1, r.begin + left, r.end, r.depth + 1, centers[1]};
        stack[top++] = (range){child, r.begin, r.begin + left, r.depth + 1, centers[0]};
    }
    kin_bvh_refit(bvh, boxes);
    return true;
}
