/* sdf_tree.c - a tree of triangles walked through a distance field (G12.3). */
#include "geometry/sdf/sdf_tree.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "math/aabb.h"

enum { CLOSEST_CAP = 64 };

void kin_sdf_inside_init(kin_sdf_inside_list* list, const kin_allocator* allocator) { *list = (kin_sdf_inside_list){.allocator = *allocator}; }

void kin_sdf_inside_term(kin_sdf_inside_list* list)
{
    kin_free(&list->allocator, list->data, kin_bytes(list->capacity, sizeof *list->data));
    kin_free(&list->allocator, list->triangles, kin_bytes(list->triangle_capacity, sizeof *list->triangles));
    kin_free(&list->allocator, list->keys, kin_bytes(list->key_capacity, sizeof *list->keys));
    *list = (kin_sdf_inside_list){.allocator = list->allocator};
}

static kin_aabb node_box(const kin_bvh_node* n) { return (kin_aabb){{n->low[0], n->low[1], n->low[2]}, {n->high[0], n->high[1], n->high[2]}}; }

typedef enum verdict { OUTSIDE, INSIDE, MIXED } verdict;

typedef struct visit {
    const kin_sdf_body *body, *field;
    kin_transform to_field;
    kin_sdf_inside_list* list;
    bool failed;
} visit;

/* Corners first: if they differ there is nothing more to ask. */
static verdict judge(visit* v, kin_aabb box)
{
    const kin_sdf* s = v->field->sdf;
    int inside = 0;
    for (int i = 0; i < 8; ++i) {
        kin_vec3 corner = {i & 1 ? box.high.x : box.low.x, i & 2 ? box.high.y : box.low.y, i & 4 ? box.high.z : box.low.z};
        inside += kin_sdf_value(s, kin_apply(v->to_field, corner)) <= 0;
        if (inside != 0 && inside != i + 1) return MIXED;
    }
    double radius = 0.5 * kin_length(kin_aabb_size(box));
    if (kin_sdf_clearance(s, kin_apply(v->to_field, kin_aabb_center(box))) > radius) return inside > 0 ? INSIDE : OUTSIDE;
    v->list->straddling += 1;
    return MIXED;
}

/* A leaf's triangles: their corners inside become keys, to be sorted by vertex. */
static void take_leaf(visit* v, const kin_bvh_node* node)
{
    kin_sdf_inside_list* list = v->list;
    const kin_mesh* mesh = v->body->mesh;
    for (uint32_t i = node->first; i < node->first + node->count; ++i) {
        uint32_t triangle = v->body->tree->items[i];
        bool any = false;
        for (int k = 0; k < 3; ++k) {
            uint32_t vertex = mesh->triangles[triangle][k];
            if (kin_sdf_value(v->field->sdf, kin_apply(v->to_field, mesh->vertices[vertex])) > 0) continue;
            any = true;
            if (!kin_reserve(&list->allocator, (void**)&list->keys, &list->key_capacity, 2 * (list->count + 1), sizeof *list->keys)) v->failed = true;
            if (v->failed) return;
            list->keys[list->count++] = (uint64_t)vertex << 32 | triangle;
        }
        if (!any) continue;
        if (!kin_reserve(&list->allocator, (void**)&list->triangles, &list->triangle_capacity, list->triangle_count + 1, sizeof *list->triangles))
            v->failed = true;
        if (v->failed) return;
        list->triangles[list->triangle_count++] = triangle;
    }
}

typedef struct pending {
    uint32_t node;
    bool inside; /* an ancestor was: no more questions */
} pending;

static void walk(visit* v)
{
    const kin_bvh* tree = v->body->tree;
    pending stack[KIN_BVH_MAX_DEPTH];
    int top = 0;
    if (tree->node_count > 0) stack[top++] = (pending){0, false};
    while (top > 0 && !v->failed) {
        pending p = stack[--top];
        const kin_bvh_node* node = &tree->nodes[p.node];
        v->list->visited += 1;
        verdict is = p.inside ? INSIDE : judge(v, node_box(node));
        v->list->dropped += is == OUTSIDE;
        v->list->taken += is == INSIDE && !p.inside;
        if (is == OUTSIDE) continue;
        if (node->count > 0) {
            take_leaf(v, node);
            continue;
        }
        stack[top++] = (pending){node->first + 1, is == INSIDE};
        stack[top++] = (pending){node->first, is == INSIDE};
    }
}

static bool less_key(void* context, const void* a, const void* b)
{
    (void)context;
    return *(const uint64_t*)a < *(const uint64_t*)b;
}
static bool less_number(void* context, const void* a, const void* b)
{
    (void)context;
    return *(const uint32_t*)a < *(const uint32_t*)b;
}

/* Each vertex once, with its lowest triangle. */
static size_t sort_keys(kin_sdf_inside_list* list)
{
    size_t unique = 0;
    kin_sort(list->keys, list->keys + list->count, list->count, sizeof *list->keys, less_key, NULL);
    for (size_t i = 0; i < list->count; ++i) {
        if (unique == 0 || list->keys[unique - 1] >> 32 != list->keys[i] >> 32) list->keys[unique++] = list->keys[i];
    }
    kin_sort(list->triangles, list->keys + list->count, list->triangle_count, sizeof *list->triangles, less_number, NULL); /* fewer than keys, and smaller */
    return unique;
}

static kin_sdf_inside describe(const visit* v, uint64_t key, double tolerance)
{
    uint32_t vertex = (uint32_t)(key >> 32);
    const kin_sdf* s = v->field->sdf;
    kin_vec3 local = v->body->mesh->vertices[vertex], x = kin_apply(v->to_field, local);
    kin_sdf_point nearest = kin_sdf_closest(s, x, tolerance, CLOSEST_CAP);
    return (kin_sdf_inside){
        .vertex = vertex,
        .triangle = (uint32_t)key,
        .point = kin_apply(v->body->pose, local),
        .surface = kin_apply(v->field->pose, nearest.point),
        .normal = kin_rotate(v->field->pose.orientation, kin_sdf_gradient(s, x)),
        .depth = -kin_sdf_value(s, x),
    };
}

static bool field_in_root(const kin_sdf_body* tree, const kin_sdf_body* field)
{
    if (field->sdf == NULL) return true;
    if (tree->tree->node_count == 0) return false;
    kin_transform to_tree = kin_transform_between(tree->pose, field->pose);
    return kin_aabb_contains_box(node_box(tree->tree->nodes), kin_aabb_transform(to_tree, kin_sdf_bounds(field->sdf)));
}

bool kin_sdf_collide(const kin_sdf_body* first, const kin_sdf_body* second, double tolerance, kin_sdf_inside_list* list)
{
    KIN_ASSERT(first->sdf != NULL || second->sdf != NULL);
    list->swapped = first->sdf != NULL && field_in_root(first, second);
    visit v = {.body = list->swapped ? second : first, .field = list->swapped ? first : second, .list = list};
    v.to_field = kin_transform_between(v.field->pose, v.body->pose);
    list->count = list->triangle_count = 0;
    list->visited = list->dropped = list->taken = list->straddling = 0;
    walk(&v);
    size_t unique = v.failed || list->count == 0 ? 0 : sort_keys(list);
    if (v.failed || !kin_reserve(&list->allocator, (void**)&list->data, &list->capacity, unique, sizeof *list->data)) {
        list->count = list->triangle_count = 0;
        return false;
    }
    for (size_t i = 0; i < unique; ++i) list->data[i] = describe(&v, list->keys[i], tolerance);
    list->count = unique;
    return true;
}
