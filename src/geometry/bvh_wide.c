/* bvh_wide.c - eight children a node: the binary tree with levels taken out, largest boxes first (Wald, Benthin and Boulos 2008). */
#include "geometry/bvh_wide.h"
#include "base/alloc.h"
#include "math/aabb.h"

void kin_bvh_wide_init(kin_bvh_wide* wide, const kin_allocator* allocator) { *wide = (kin_bvh_wide){.allocator = *allocator}; }

void kin_bvh_wide_term(kin_bvh_wide* w)
{
    kin_free(&w->allocator, w->nodes, w->node_capacity * sizeof *w->nodes);
    kin_free(&w->allocator, w->blocks, w->block_capacity * sizeof *w->blocks);
    kin_bvh_wide_init(w, &(kin_allocator){w->allocator.context, w->allocator.allocate, w->allocator.release});
}

size_t kin_bvh_wide_bytes(const kin_bvh_wide* w) { return w->node_capacity * sizeof *w->nodes + w->block_capacity * sizeof *w->blocks; }

typedef struct collapse {
    kin_bvh_wide* wide;
    const kin_bvh* bvh;
    const uint32_t* below; /* items under each binary node */
} collapse;

static float half_area(const kin_bvh_node* n)
{
    float x = n->high[0] - n->low[0], y = n->high[1] - n->low[1], z = n->high[2] - n->low[2];
    return x * y + y * z + z * x;
}

static bool can_open(const collapse* c, uint32_t node) { return c->bvh->nodes[node].count == 0 && c->below[node] > KIN_BVH_BLOCK; }

/* The nodes that take the eight places under a binary node: the one with the largest box is opened again and again. */
static int choose_children(const collapse* c, uint32_t node, uint32_t chosen[KIN_BVH_WIDE])
{
    int count = 1;
    chosen[0] = node;
    while (count < KIN_BVH_WIDE) {
        int largest = -1;
        float area = -1;
        for (int k = 0; k < count; ++k) {
            float own = can_open(c, chosen[k]) ? half_area(&c->bvh->nodes[chosen[k]]) : -1;
            if (own > area) area = own, largest = k;
        }
        if (largest < 0) break;
        uint32_t left = c->bvh->nodes[chosen[largest]].first;
        chosen[largest] = left;
        chosen[count++] = left + 1;
    }
    return count;
}

static uint32_t first_item(const kin_bvh* bvh, uint32_t node)
{
    while (bvh->nodes[node].count == 0) node = bvh->nodes[node].first;
    return bvh->nodes[node].first;
}

/* The blocks of a leaf. False: out of memory. */
static bool add_leaf(kin_bvh_wide* w, uint32_t first, uint32_t count)
{
    size_t blocks = (count + KIN_BVH_BLOCK - 1) / KIN_BVH_BLOCK;
    if (!kin_reserve(&w->allocator, (void**)&w->blocks, &w->block_capacity, w->block_count + blocks, sizeof *w->blocks)) return false;
    for (uint32_t done = 0; done < count; done += KIN_BVH_BLOCK) {
        bool more = count - done > KIN_BVH_BLOCK;
        w->blocks[w->block_count++] = (kin_bvh_block){first + done, more ? KIN_BVH_BLOCK : (uint16_t)(count - done), more};
    }
    return true;
}

/* Makes wide node `at` of a binary one. Children that are nodes get their numbers here, and keep the binary number in `child` until their turn comes. */
static bool make_node(const collapse* c, size_t at, uint32_t node)
{
    kin_bvh_wide* w = c->wide;
    uint32_t chosen[KIN_BVH_WIDE];
    int count = choose_children(c, node, chosen);
    for (int k = 0; k < KIN_BVH_WIDE; ++k) {
        kin_bvh_wide_node* place = &w->nodes[at];
        place->child[k] = 0;
        place->item[k] = KIN_BVH_NO_ITEM;
        if (k >= count) continue;
        if (can_open(c, chosen[k])) {
            place->child[k] = chosen[k];
            continue;
        }
        place->child[k] = (uint32_t)w->block_count;
        place->item[k] = first_item(c->bvh, chosen[k]);
        if (!add_leaf(w, place->item[k], c->below[chosen[k]])) return false;
    }
    return true;
}

/* Gives the children of `at` their places, side by side; those to go on with are put on the stack, the first on top. NULL: out of memory. */
static size_t* make_children(const collapse* c, size_t at, size_t* top)
{
    kin_bvh_wide* w = c->wide;
    size_t begin = w->node_count;
    if (!kin_reserve(&w->allocator, (void**)&w->nodes, &w->node_capacity, begin + KIN_BVH_WIDE, sizeof *w->nodes)) return NULL;
    for (int k = 0; k < KIN_BVH_WIDE; ++k) {
        uint32_t binary = w->nodes[at].child[k];
        if (w->nodes[at].item[k] != KIN_BVH_NO_ITEM || binary == 0) continue;
        w->nodes[at].child[k] = (uint32_t)w->node_count;
        if (!make_node(c, w->node_count++, binary)) return NULL;
    }
    for (size_t i = w->node_count; i-- > begin;) *top++ = i;
    return top;
}

/* Sisters side by side, then what is below the first, and so on: a path stays within few pages. */
static bool make_nodes(const collapse* c)
{
    kin_bvh_wide* w = c->wide;
    size_t stack[KIN_BVH_MAX_DEPTH * KIN_BVH_WIDE], *top = stack;
    if (!kin_reserve(&w->allocator, (void**)&w->nodes, &w->node_capacity, 1, sizeof *w->nodes)) return false;
    w->node_count = 1;
    if (!make_node(c, 0, 0)) return false;
    for (*top++ = 0; top > stack;) {
        top = make_children(c, top[-1], top - 1);
        if (top == NULL) return false;
    }
    return true;
}

static void count_below(const kin_bvh* bvh, uint32_t* below)
{
    for (uint32_t i = bvh->node_count; i-- > 0;) {
        const kin_bvh_node* n = &bvh->nodes[i];
        below[i] = n->count > 0 || i == 1 ? n->count : below[n->first] + below[n->first + 1];
    }
}

bool kin_bvh_wide_build(kin_bvh_wide* w, const kin_bvh* bvh, kin_bvh_box_fn* box_of, const void* context)
{
    w->node_count = w->block_count = 0;
    if (bvh->node_count == 0) return true;
    size_t bytes = kin_bytes(bvh->node_count, sizeof(uint32_t));
    uint32_t* below = kin_alloc(&w->allocator, bytes);
    if (below == NULL) return false;
    count_below(bvh, below);
    bool made = make_nodes(&(collapse){w, bvh, below});
    kin_free(&w->allocator, below, bytes);
    if (made) {
        kin_bvh_wide_refit(w, box_of, context);
    } else {
        w->node_count = w->block_count = 0;
    }
    return made;
}

static void set_place(kin_bvh_wide_node* n, int k, const float low[3], const float high[3])
{
    for (int axis = 0; axis < 3; ++axis) n->low[axis][k] = low[axis], n->high[axis][k] = high[axis];
}

static void set_leaf(kin_bvh_wide* w, kin_bvh_wide_node* n, int k, kin_bvh_box_fn* box_of, const void* context)
{
    const kin_bvh_block* last = &w->blocks[n->child[k]];
    while (last->more) last += 1;
    kin_aabb box = box_of(context, n->item[k], last->first + last->count);
    kin_vec3 l = kin_scale(kin_sub(box.low, w->middle), w->per_metre), h = kin_scale(kin_sub(box.high, w->middle), w->per_metre);
    set_place(n, k, (float[3]){kin_float_down(l.x), kin_float_down(l.y), kin_float_down(l.z)},
              (float[3]){kin_float_up(h.x), kin_float_up(h.y), kin_float_up(h.z)});
}

/* Empty places are infinitely inside out, and change nothing. */
static void set_inner(kin_bvh_wide_node* n, int k, const kin_bvh_wide_node* child)
{
    float low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = child->low[axis][0], high[axis] = child->high[axis][0];
        for (int i = 1; i < KIN_BVH_WIDE; ++i) {
            low[axis] = child->low[axis][i] < low[axis] ? child->low[axis][i] : low[axis];
            high[axis] = child->high[axis][i] > high[axis] ? child->high[axis][i] : high[axis];
        }
    }
    set_place(n, k, low, high);
}

/* The least one that is not below size, but no less than 1e-150. */
static double power_of_two(double size)
{
    double unit = 1;
    while (unit < size) unit *= 2;
    while (unit >= 2 * size && unit > 1e-150) unit /= 2;
    return unit;
}

void kin_bvh_wide_refit(kin_bvh_wide* w, kin_bvh_box_fn* box_of, const void* context)
{
    if (w->node_count == 0) return;
    kin_aabb all = kin_aabb_empty();
    for (size_t i = 0; i < w->block_count; ++i) all = kin_aabb_union(all, box_of(context, w->blocks[i].first, w->blocks[i].first + w->blocks[i].count));
    w->middle = kin_aabb_center(all);
    w->unit = power_of_two(kin_largest(kin_sub(all.high, all.low)));
    w->per_metre = 1 / w->unit;
    float infinite = __builtin_inff();
    for (size_t i = w->node_count; i-- > 0;) {
        kin_bvh_wide_node* n = &w->nodes[i];
        for (int k = 0; k < KIN_BVH_WIDE; ++k) {
            if (n->item[k] != KIN_BVH_NO_ITEM) {
                set_leaf(w, n, k, box_of, context);
            } else if (n->child[k] > 0) {
                set_inner(n, k, &w->nodes[n->child[k]]);
            } else {
                set_place(n, k, (float[3]){infinite, infinite, infinite}, (float[3]){-infinite, -infinite, -infinite});
            }
        }
    }
}
