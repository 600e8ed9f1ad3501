/* split.c - trees from the top: binary cuts as each kind wants them (C2.2.1 to C2.2.3), and the octree. Nodes are a queue: a node's children are appended
 * together, so depths rise along the array. */
#include "base/alloc.h"
#include "base/sort.h"
#include "geometry/volumes/internal.h"

enum { MEAN_DEPTH = 64 }; /* below this, halves: a row whose gaps grow without end peels off one primitive a cut */
#define FAIR 0.0625       /* a cut that leaves less than this share on one side is unbalanced: the next axis is tried, the fairest is taken */
#define OCTREE_CUTS 64    /* of one cube, until two octants are taken: below that middles are as good as one place */

typedef struct cut {
    kin_vec3 axis;
    double place; /* middles with axis.x below it go left */
    uint32_t left;
} cut;

/* Axes by falling extent. */
static void longest_first(kin_mat3 axes, kin_vec3 extent, kin_vec3 sorted[3])
{
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; ++i) {
        for (int j = i; j > 0 && kin_component(extent, order[j]) > kin_component(extent, order[j - 1]); --j) {
            int swap = order[j];
            order[j] = order[j - 1], order[j - 1] = swap;
        }
    }
    for (int i = 0; i < 3; ++i) sorted[i] = kin_mat3_column(axes, order[i]);
}

static kin_aabb box_of(const kin_bound_builder* b, const uint32_t* items, uint32_t count)
{
    kin_aabb box = kin_aabb_empty();
    for (uint32_t i = 0; i < count; ++i) box = kin_aabb_union(box, b->boxes[items[i]]);
    return box;
}

/* The frame to cut in: of the box, or of an oriented box round the points of the node. */
static kin_result cut_axes(kin_bound_builder* b, kin_bound_split split, const uint32_t* items, uint32_t count, kin_vec3 axes[3])
{
    if (split != KIN_SPLIT_AXES) {
        longest_first(kin_mat3_identity(), kin_aabb_size(box_of(b, items, count)), axes);
        return KIN_OK;
    }
    kin_bound box;
    size_t n = kin_bound_gather(b->primitives, items, count, b->points);
    kin_result result = kin_bound_fit(b->def->kind == KIN_BOUND_OBB_HULL ? KIN_BOUND_OBB_HULL : KIN_BOUND_OBB, &b->tree->allocator, b->points, n, &box);
    if (result == KIN_OK) longest_first(box.obb.axes, box.obb.half, axes);
    return result;
}

static uint32_t partition(const kin_bound_builder* b, uint32_t* items, uint32_t count, cut c)
{
    uint32_t left = 0, right = 0;
    for (uint32_t i = 0; i < count; ++i) { /* stable: the given order decides among equals everywhere */
        if (kin_dot(b->middle[items[i]], c.axis) < c.place)
            items[left++] = items[i];
        else
            b->item_scratch[right++] = items[i];
    }
    for (uint32_t i = 0; i < right; ++i) items[left + i] = b->item_scratch[i];
    return left;
}

/* C2.2.1: through the mean of all vertices, primitives by their midpoints. Returns how many go left; 0: indivisible. */
static uint32_t cut_at_mean(kin_bound_builder* b, uint32_t* items, uint32_t count, const kin_vec3 axes[3])
{
    cut best = {.left = 0};
    uint32_t fairest = 0;
    for (int k = 0; k < 3; ++k) {
        cut c = {.axis = axes[k]};
        double first = kin_dot(b->middle[items[0]], c.axis), sum = 0;
        for (uint32_t i = 0; i < count; ++i) sum += kin_dot(b->middle[items[i]], c.axis) - first;
        c.place = first + sum / count;
        for (uint32_t i = 0; i < count; ++i) c.left += kin_dot(b->middle[items[i]], c.axis) < c.place;
        uint32_t smaller = c.left < count - c.left ? c.left : count - c.left;
        if (smaller > fairest) fairest = smaller, best = c;
        if (fairest >= FAIR * count) break;
    }
    return fairest > 0 ? partition(b, items, count, best) : 0;
}

/* C2.2.3: halves along the longest axis on which the middles differ. */
static uint32_t cut_at_median(kin_bound_builder* b, uint32_t* items, uint32_t count, const kin_vec3 axes[3])
{
    for (int k = 0; k < 3; ++k) {
        for (uint32_t i = 0; i < count; ++i) b->keys[i] = kin_bound_key(kin_dot(b->middle[items[i]], axes[k]));
        kin_sort_keys(b->keys, items, b->key_scratch, b->item_scratch, count);
        if (b->keys[0] != b->keys[count - 1]) return count / 2;
    }
    return 0;
}

static kin_result divide_in_two(kin_bound_builder* b, const kin_bound_node* node, uint32_t sizes[8], uint32_t* parts)
{
    uint32_t *items = b->tree->items + node->first, left;
    kin_bound_split split = b->def->split != KIN_SPLIT_OF_KIND ? b->def->split : kin_bound_ops_of[b->def->kind]->split;
    kin_vec3 axes[3];
    kin_result result = cut_axes(b, split, items, node->count, axes);
    if (result != KIN_OK) return result;
    if (split == KIN_SPLIT_MEDIAN || node->depth >= MEAN_DEPTH)
        left = cut_at_median(b, items, node->count, axes);
    else
        left = cut_at_mean(b, items, node->count, axes);
    *parts = left > 0 ? 2 : 0;
    sizes[0] = left, sizes[1] = node->count - left;
    return KIN_OK;
}

/* ---- eight at once ---- */

typedef struct cube {
    kin_vec3 center;
    double half;
} cube;

static uint32_t octant_of(cube c, kin_vec3 x)
{
    return (uint32_t)(x.x >= c.center.x) | (uint32_t)(x.y >= c.center.y) << 1 | (uint32_t)(x.z >= c.center.z) << 2;
}

static cube octant_cube(cube c, uint32_t octant)
{
    double h = 0.5 * c.half;
    return (cube){kin_add(c.center, kin_v(octant & 1 ? h : -h, octant & 2 ? h : -h, octant & 4 ? h : -h)), h};
}

static cube cube_of(const kin_bound_builder* b)
{
    kin_aabb box = kin_aabb_empty();
    for (uint32_t i = 0; i < b->primitives->count; ++i) box = kin_aabb_add(box, b->middle[i]);
    return (cube){kin_aabb_center(box), 0.5 * kin_largest(kin_aabb_size(box))};
}

/* Cuts the cube until two octants are taken. *c becomes the cube that was cut at last. */
static uint32_t divide_in_eight(kin_bound_builder* b, const kin_bound_node* node, cube* c, uint32_t sizes[8], uint32_t octants[8])
{
    uint32_t* items = b->tree->items + node->first;
    for (int tries = 0; tries < OCTREE_CUTS; ++tries) {
        uint32_t taken = 0, all[8] = {0};
        for (uint32_t i = 0; i < node->count; ++i) {
            uint32_t octant = octant_of(*c, b->middle[items[i]]);
            b->keys[i] = octant;
            all[octant] += 1;
        }
        for (uint32_t o = 0; o < 8; ++o) {
            if (all[o] > 0) octants[taken] = o, sizes[taken++] = all[o];
        }
        if (taken > 1) {
            kin_sort_keys(b->keys, items, b->key_scratch, b->item_scratch, node->count);
            return taken;
        }
        *c = octant_cube(*c, octants[0]);
    }
    return 0;
}

static kin_result build_octree(kin_bound_builder* b)
{
    kin_bound_tree* t = b->tree;
    cube* cubes = kin_alloc(&t->allocator, kin_bytes(t->node_capacity, sizeof *cubes));
    if (cubes == NULL) return KIN_ERROR_MEMORY;
    cubes[0] = cube_of(b);
    for (uint32_t i = 0; i < t->node_count; ++i) {
        uint32_t sizes[8], octants[8];
        uint32_t parts = t->nodes[i].count > b->leaf ? divide_in_eight(b, &t->nodes[i], &cubes[i], sizes, octants) : 0;
        t->nodes[i].child = t->node_count, t->nodes[i].child_count = parts;
        for (uint32_t k = 0, first = t->nodes[i].first; k < parts; first += sizes[k++]) {
            cubes[t->node_count] = octant_cube(cubes[i], octants[k]);
            t->nodes[t->node_count++] = (kin_bound_node){.first = first, .count = sizes[k], .depth = t->nodes[i].depth + 1};
        }
    }
    kin_free(&t->allocator, cubes, kin_bytes(t->node_capacity, sizeof *cubes));
    return KIN_OK;
}

kin_result kin_bound_build_down(kin_bound_builder* b)
{
    kin_bound_tree* t = b->tree;
    t->nodes[0] = (kin_bound_node){.count = t->item_count};
    t->node_count = 1;
    if (b->def->build == KIN_BUILD_OCTREE) return build_octree(b);
    for (uint32_t i = 0; i < t->node_count; ++i) {
        uint32_t sizes[8], parts = 0;
        kin_result result = t->nodes[i].count > b->leaf ? divide_in_two(b, &t->nodes[i], sizes, &parts) : KIN_OK;
        if (result != KIN_OK) return result;
        t->nodes[i].child = t->node_count, t->nodes[i].child_count = parts;
        for (uint32_t k = 0, first = t->nodes[i].first; k < parts; first += sizes[k++]) {
            t->nodes[t->node_count++] = (kin_bound_node){.first = first, .count = sizes[k], .depth = t->nodes[i].depth + 1};
        }
    }
    return KIN_OK;
}
