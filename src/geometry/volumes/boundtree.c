/* boundtree.c - what trees of all builds share: checks, layout, fits, refits, levels. */
#include "geometry/volumes/boundtree.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/volumes/internal.h"

/* ---- primitives ---- */

kin_primitives kin_primitives_of_mesh(const kin_mesh* mesh)
{
    return (kin_primitives){.count = mesh->triangle_count,
                            .points = mesh->vertices,
                            .point_count = mesh->vertex_count,
                            .corners = mesh->triangles[0],
                            .corner_count = 3,
                            .neighbors = (const uint32_t(*)[3])mesh->neighbors};
}
kin_primitives kin_primitives_of_boxes(const kin_aabb* boxes, uint32_t count) { return (kin_primitives){.count = count, .boxes = boxes}; }
kin_primitives kin_primitives_of_points(const kin_vec3* points, uint32_t count)
{
    return (kin_primitives){.count = count, .points = points, .point_count = count, .corner_count = 1};
}

static uint32_t box_points(const kin_primitives* p, uint32_t index, kin_vec3 points[KIN_PRIMITIVE_POINTS])
{
    uint32_t n = 0;
    for (int end = 0; end < (p->box_ends != NULL ? 2 : 1); ++end) {
        kin_aabb b = end ? p->box_ends[index] : p->boxes[index];
        for (int i = 0; i < 8; ++i) points[n++] = kin_v(i & 1 ? b.high.x : b.low.x, i & 2 ? b.high.y : b.low.y, i & 4 ? b.high.z : b.low.z);
    }
    return n;
}

uint32_t kin_primitive_points(const kin_primitives* p, uint32_t index, kin_vec3 points[KIN_PRIMITIVE_POINTS])
{
    if (p->boxes != NULL) return box_points(p, index, points);
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->corner_count; ++k) {
        uint32_t at = p->corners != NULL ? p->corners[(size_t)index * p->corner_count + k] : index;
        points[n++] = p->points[at];
        if (p->ends != NULL) points[n++] = p->ends[at];
    }
    return n;
}

static uint32_t most_points(const kin_primitives* p) { return p->boxes != NULL ? (p->box_ends != NULL ? 16 : 8) : p->corner_count * (p->ends != NULL ? 2 : 1); }

static kin_result check_corners(const kin_primitives* p, kin_error* error)
{
    if (p->points == NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, "primitives", "neither points nor boxes are given");
    if (p->corner_count < 1 || p->corner_count > 8) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "primitives", "corner_count %u must be 1 to 8", (unsigned)p->corner_count);
    }
    if (p->corners == NULL && (p->corner_count != 1 || p->count > p->point_count)) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "primitives", "without corners each of the %u primitives is one of the %zu points", (unsigned)p->count,
                        p->point_count);
    }
    for (size_t i = 0; p->corners != NULL && i < (size_t)p->count * p->corner_count; ++i) {
        if (p->corners[i] < p->point_count) continue;
        return kin_fail(error, KIN_ERROR_ARGUMENT, "primitives", "primitive %zu has corner %u of %zu points", i / p->corner_count, (unsigned)p->corners[i],
                        p->point_count);
    }
    return KIN_OK;
}

static kin_result check(const kin_primitives* p, kin_error* error)
{
    if (p->count > UINT32_MAX / 4) return kin_fail(error, KIN_ERROR_LIMIT, "primitives", "%u are too many", (unsigned)p->count);
    if (p->boxes == NULL && p->count > 0) {
        kin_result result = check_corners(p, error);
        if (result != KIN_OK) return result;
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        kin_vec3 points[KIN_PRIMITIVE_POINTS];
        uint32_t n = kin_primitive_points(p, i, points);
        for (uint32_t k = 0; k < n; ++k) {
            if (kin_largest(kin_abs3(points[k])) <= KIN_BOUND_LARGEST && kin_finite3(points[k])) continue;
            return kin_fail(error, KIN_ERROR_ARGUMENT, "primitives", "primitive %u has a point that is not finite or beyond %g m", (unsigned)i,
                            KIN_BOUND_LARGEST);
        }
        if (p->boxes != NULL && (kin_aabb_is_empty(p->boxes[i]) || (p->box_ends != NULL && kin_aabb_is_empty(p->box_ends[i])))) {
            return kin_fail(error, KIN_ERROR_ARGUMENT, "primitives", "box %u is empty", (unsigned)i);
        }
    }
    return KIN_OK;
}

size_t kin_bound_gather(const kin_primitives* primitives, const uint32_t* items, uint32_t count, kin_vec3* points)
{
    size_t n = 0;
    for (uint32_t i = 0; i < count; ++i) {
        kin_vec3 own[KIN_PRIMITIVE_POINTS];
        uint32_t k = kin_primitive_points(primitives, items[i], own);
        for (uint32_t c = 0; c < k; ++c) points[n++] = own[c];
    }
    return n;
}

double kin_primitives_winding(const kin_primitives* p, kin_vec3 x)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        kin_vec3 c[3];
        for (int k = 0; k < 3; ++k) c[k] = kin_sub(p->points[p->corners[3 * (size_t)i + (size_t)k]], x);
        double la = kin_length(c[0]), lb = kin_length(c[1]), lc = kin_length(c[2]);
        double below = la * lb * lc + kin_dot(c[0], c[1]) * lc + kin_dot(c[1], c[2]) * la + kin_dot(c[2], c[0]) * lb;
        sum += 2 * kin_atan2(kin_triple(c[0], c[1], c[2]), below);
    }
    return sum / (4 * KIN_PI);
}

/* ---- memory ---- */

static kin_result tree_allocate(const kin_allocator* allocator, const kin_primitives* p, kin_bound_tree** out)
{
    kin_bound_tree* t = kin_alloc_zero(allocator, sizeof *t);
    *out = t;
    if (t == NULL) return KIN_ERROR_MEMORY;
    t->allocator = *allocator;
    t->item_count = p->count;
    t->node_capacity = p->count > 0 ? 2 * p->count - 1 : 0; /* an inner node has at least two children */
    t->nodes = kin_alloc(allocator, kin_bytes(t->node_capacity, sizeof *t->nodes));
    t->bounds = kin_alloc_zero(allocator, kin_bytes(t->node_capacity, sizeof *t->bounds));
    t->items = kin_alloc(allocator, kin_bytes(p->count, sizeof *t->items));
    bool all = p->count == 0 || (t->nodes != NULL && t->bounds != NULL && t->items != NULL);
    return all ? KIN_OK : KIN_ERROR_MEMORY;
}

void kin_bound_tree_destroy(kin_bound_tree* tree)
{
    if (tree == NULL) return;
    kin_allocator a = tree->allocator;
    for (uint32_t i = 0; tree->bounds != NULL && i < tree->node_count; ++i) kin_bound_term(&tree->bounds[i], &a);
    kin_free(&a, tree->nodes, kin_bytes(tree->node_capacity, sizeof *tree->nodes));
    kin_free(&a, tree->bounds, kin_bytes(tree->node_capacity, sizeof *tree->bounds));
    kin_free(&a, tree->items, kin_bytes(tree->item_count, sizeof *tree->items));
    kin_free(&a, tree->scratch, kin_bytes(tree->scratch_count, sizeof *tree->scratch));
    kin_free(&a, tree, sizeof *tree);
}

size_t kin_bound_tree_bytes(const kin_bound_tree* t)
{
    return sizeof *t + t->node_capacity * (sizeof *t->nodes + sizeof *t->bounds) + t->item_count * sizeof *t->items + t->scratch_count * sizeof *t->scratch;
}

static void builder_term(kin_bound_builder* b)
{
    const kin_allocator* a = &b->tree->allocator;
    size_t n = b->primitives->count;
    kin_free(a, b->middle, kin_bytes(n, sizeof *b->middle));
    kin_free(a, b->boxes, kin_bytes(n, sizeof *b->boxes));
    kin_free(a, b->points, kin_bytes(n * most_points(b->primitives), sizeof *b->points));
    kin_free(a, b->keys, kin_bytes(n, sizeof *b->keys));
    kin_free(a, b->key_scratch, kin_bytes(n, sizeof *b->key_scratch));
    kin_free(a, b->item_scratch, kin_bytes(n, sizeof *b->item_scratch));
    kin_free(a, b->heights, kin_bytes(2 * n, sizeof *b->heights));
}

static kin_result builder_init(kin_bound_builder* b)
{
    const kin_allocator* a = &b->tree->allocator;
    const kin_primitives* p = b->primitives;
    size_t n = p->count;
    b->middle = kin_alloc(a, kin_bytes(n, sizeof *b->middle));
    b->boxes = kin_alloc(a, kin_bytes(n, sizeof *b->boxes));
    b->points = kin_alloc(a, kin_bytes(n * most_points(p), sizeof *b->points));
    b->keys = kin_alloc(a, kin_bytes(n, sizeof *b->keys));
    b->key_scratch = kin_alloc(a, kin_bytes(n, sizeof *b->key_scratch));
    b->item_scratch = kin_alloc(a, kin_bytes(n, sizeof *b->item_scratch));
    b->heights = kin_alloc(a, kin_bytes(2 * n, sizeof *b->heights));
    if (!b->heights || !b->middle || !b->boxes || !b->points || !b->keys || !b->key_scratch || !b->item_scratch) return KIN_ERROR_MEMORY;
    for (uint32_t i = 0; i < p->count; ++i) {
        kin_vec3 points[KIN_PRIMITIVE_POINTS], sum = {0, 0, 0};
        uint32_t k = kin_primitive_points(p, i, points);
        b->boxes[i] = kin_aabb_empty();
        for (uint32_t c = 0; c < k; ++c) {
            b->boxes[i] = kin_aabb_add(b->boxes[i], points[c]);
            sum = kin_add(sum, points[c]);
        }
        b->middle[i] = kin_scale(sum, 1.0 / k);
        b->tree->items[i] = i;
    }
    return KIN_OK;
}

/* ---- layout and fits ---- */

/* From root first to root last. */
static void turn_round(kin_bound_tree* t)
{
    uint32_t n = t->node_count;
    for (uint32_t i = 0; i < n; ++i) {
        kin_bound_node* node = &t->nodes[i];
        if (node->child_count > 0) node->child = n - node->child - node->child_count;
        t->depth = node->depth > t->depth ? node->depth : t->depth;
    }
    for (uint32_t i = 0; i < n / 2; ++i) {
        kin_bound_node swap = t->nodes[i];
        t->nodes[i] = t->nodes[n - 1 - i];
        t->nodes[n - 1 - i] = swap;
    }
}

/* Low nodes by their height above the deepest leaf below them. */
static void choose_kinds(kin_bound_builder* b)
{
    kin_bound_tree* t = b->tree;
    for (uint32_t i = 0; i < t->node_count; ++i) {
        const kin_bound_node* node = &t->nodes[i];
        b->heights[i] = 0;
        for (uint32_t c = node->child; c < node->child + node->child_count; ++c) {
            if (b->heights[c] + 1 > b->heights[i]) b->heights[i] = b->heights[c] + 1;
        }
        t->bounds[i].kind = b->heights[i] < b->def->low_levels ? b->def->low_kind : b->def->kind;
    }
}

static kin_result fit_all(kin_bound_builder* b)
{
    kin_bound_tree* t = b->tree;
    for (uint32_t i = 0; i < t->node_count; ++i) {
        size_t n = kin_bound_gather(b->primitives, t->items + t->nodes[i].first, t->nodes[i].count, b->points);
        kin_result result = kin_bound_fit(t->bounds[i].kind, &t->allocator, b->points, n, &t->bounds[i]);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static kin_result leaf_scratch(kin_bound_tree* t)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->node_count; ++i) {
        if (t->nodes[i].child_count == 0 && t->nodes[i].count > most) most = t->nodes[i].count;
    }
    t->scratch_count = (size_t)most * KIN_PRIMITIVE_POINTS;
    t->scratch = kin_alloc(&t->allocator, kin_bytes(t->scratch_count, sizeof *t->scratch));
    return t->scratch != NULL || most == 0 ? KIN_OK : KIN_ERROR_MEMORY;
}

static kin_result build(kin_bound_tree* t, const kin_primitives* primitives, const kin_bound_tree_def* def)
{
    kin_bound_builder b = {.tree = t, .primitives = primitives, .def = def, .leaf = def->leaf > 0 ? def->leaf : 1};
    kin_result result = builder_init(&b);
    bool down = def->build == KIN_BUILD_TOP_DOWN || def->build == KIN_BUILD_OCTREE;
    if (result == KIN_OK) result = down ? kin_bound_build_down(&b) : kin_bound_build_up(&b);
    if (result == KIN_OK) {
        turn_round(t);
        choose_kinds(&b);
        result = fit_all(&b);
    }
    builder_term(&b);
    return result == KIN_OK ? leaf_scratch(t) : result;
}

kin_result kin_bound_tree_create(const kin_allocator* allocator, const kin_primitives* primitives, const kin_bound_tree_def* def, kin_bound_tree** out,
                                 kin_error* error)
{
    *out = NULL;
    if (def->kind >= KIN_BOUND_KINDS || def->low_kind >= KIN_BOUND_KINDS)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "kind", "%u is no kind", (unsigned)def->kind);
    if (def->build == KIN_BUILD_SURFACE && primitives->neighbors == NULL) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "primitives", "a tree along the surface needs to know the neighbours");
    }
    kin_result result = check(primitives, error);
    if (result != KIN_OK) return result;
    kin_bound_tree* t;
    result = tree_allocate(allocator, primitives, &t);
    if (result == KIN_OK && primitives->count > 0) result = build(t, primitives, def);
    if (result != KIN_OK) {
        kin_bound_tree_destroy(t);
        return kin_fail_memory(error, "tree of bounding volumes", (size_t)primitives->count * sizeof(kin_bound));
    }
    *out = t;
    return KIN_OK;
}

/* ---- refits ---- */

static kin_result merge_children(const kin_bound_tree* t, const kin_bound_node* node, kin_bound_kind kind, kin_bound* out)
{
    kin_bound sum = t->bounds[node->child];
    bool own = false; /* the first sum is a child's bound, later ones are ours to free */
    for (uint32_t c = 1; c < node->child_count; ++c) {
        kin_bound next = {.kind = kind};
        kin_result result = kin_bound_merge(kind, &t->allocator, &sum, &t->bounds[node->child + c], &next);
        if (own) kin_bound_term(&sum, &t->allocator);
        if (result != KIN_OK) return result;
        sum = next;
        own = true;
    }
    *out = sum;
    return KIN_OK;
}

kin_result kin_bound_tree_refit(kin_bound_tree* t, const kin_primitives* primitives, kin_error* error)
{
    if (primitives->count != t->item_count) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "primitives", "%u are given to a tree of %u", (unsigned)primitives->count, (unsigned)t->item_count);
    }
    kin_result result = check(primitives, error);
    if (result != KIN_OK) return result;
    for (uint32_t i = 0; i < t->node_count; ++i) {
        const kin_bound_node* node = &t->nodes[i];
        kin_bound_kind kind = t->bounds[i].kind;
        kin_bound fresh = {.kind = kind};
        if (node->child_count == 0) {
            size_t n = kin_bound_gather(primitives, t->items + node->first, node->count, t->scratch);
            result = kin_bound_fit(kind, &t->allocator, t->scratch, n, &fresh);
        } else {
            result = merge_children(t, node, kind, &fresh);
        }
        if (result != KIN_OK) return kin_fail_memory(error, "refit of a tree of hulls", sizeof fresh);
        kin_bound_term(&t->bounds[i], &t->allocator);
        t->bounds[i] = fresh;
    }
    return KIN_OK;
}

uint32_t kin_bound_tree_level(const kin_bound_tree* tree, uint32_t level, uint32_t* nodes, uint32_t capacity)
{
    uint32_t found = 0;
    for (uint32_t i = tree->node_count; i-- > 0;) {
        const kin_bound_node* node = &tree->nodes[i];
        if (node->depth > level) break; /* deeper ones only from here on */
        if (node->depth < level && node->child_count > 0) continue;
        if (found < capacity) nodes[found] = i;
        found += 1;
    }
    return found;
}
