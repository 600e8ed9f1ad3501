/* bvh.c - memory and refits of the tree; bvh_build.c makes it. */
#include "geometry/bvh.h"
#include "base/alloc.h"
#include "math/aabb.h"

void kin_bvh_init(kin_bvh* bvh, const kin_allocator* allocator) { *bvh = (kin_bvh){.allocator = *allocator}; }

static size_t node_bytes(uint32_t capacity) { return capacity > 0 ? kin_bvh_node_room(capacity) * sizeof(kin_bvh_node) : 0; }
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
