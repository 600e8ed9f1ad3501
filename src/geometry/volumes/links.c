/* links.c - articulations against bodies, each other and themselves. */
#include "geometry/volumes/links.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"

static kin_aabb root_box(const kin_bound_tree* tree, kin_transform pose)
{
    kin_bound moved = kin_bound_turn(&tree->bounds[kin_bound_tree_root(tree)], pose);
    return kin_bound_box(&moved);
}

void kin_linked_trees_destroy(kin_linked_trees* l)
{
    if (l == NULL) return;
    kin_allocator a = l->allocator;
    kin_bound_tree_destroy(l->upper);
    kin_free(&a, l->trees, kin_bytes(l->count, sizeof *l->trees));
    kin_free(&a, l->poses, kin_bytes(l->count, sizeof *l->poses));
    kin_free(&a, l->boxes, kin_bytes(l->count, sizeof *l->boxes));
    kin_free(&a, l->jointed, kin_bytes(l->jointed_count, sizeof *l->jointed));
    kin_free(&a, l, sizeof *l);
}

static kin_result check(const kin_bound_tree* const* trees, uint32_t count, const uint32_t (*jointed)[2], uint32_t jointed_count, kin_error* error)
{
    if (count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "links", "an articulation needs at least one link");
    for (uint32_t i = 0; i < count; ++i) {
        if (trees[i]->node_count == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "links", "link %u has no primitives", (unsigned)i);
    }
    for (uint32_t i = 0; i < jointed_count; ++i) {
        if (jointed[i][0] < count && jointed[i][1] < count && jointed[i][0] != jointed[i][1]) continue;
        return kin_fail(error, KIN_ERROR_ARGUMENT, "jointed", "pair %u joins links %u and %u of %u", (unsigned)i, (unsigned)jointed[i][0],
                        (unsigned)jointed[i][1], (unsigned)count);
    }
    return KIN_OK;
}

static bool allocate(kin_linked_trees* l)
{
    l->trees = kin_alloc(&l->allocator, kin_bytes(l->count, sizeof *l->trees));
    l->poses = kin_alloc(&l->allocator, kin_bytes(l->count, sizeof *l->poses));
    l->boxes = kin_alloc(&l->allocator, kin_bytes(l->count, sizeof *l->boxes));
    l->jointed = kin_alloc(&l->allocator, kin_bytes(l->jointed_count, sizeof *l->jointed));
    return l->trees != NULL && l->poses != NULL && l->boxes != NULL && (l->jointed != NULL || l->jointed_count == 0);
}

static bool pair_before(const uint32_t p[2], const uint32_t q[2]) { return p[0] != q[0] ? p[0] < q[0] : p[1] < q[1]; }

/* Lower number first, sorted by insertion: joints are few, and mostly come in order. */
static void keep_jointed(kin_linked_trees* l, const uint32_t (*jointed)[2])
{
    for (uint32_t i = 0; i < l->jointed_count; ++i) {
        bool swap = jointed[i][1] < jointed[i][0];
        uint32_t pair[2] = {jointed[i][swap], jointed[i][!swap]};
        uint32_t at = i;
        for (; at > 0 && pair_before(pair, l->jointed[at - 1]); --at) l->jointed[at][0] = l->jointed[at - 1][0], l->jointed[at][1] = l->jointed[at - 1][1];
        l->jointed[at][0] = pair[0], l->jointed[at][1] = pair[1];
    }
}

static bool is_before(const void* jointed, size_t i, const void* pair) { return pair_before(((const uint32_t(*)[2])jointed)[i], pair); }

static bool are_jointed(const kin_linked_trees* l, uint32_t a, uint32_t b) /* a < b */
{
    const uint32_t pair[2] = {a, b};
    size_t at = kin_search(l->jointed, l->jointed_count, is_before, pair);
    return at < l->jointed_count && l->jointed[at][0] == a && l->jointed[at][1] == b;
}

static void place(kin_linked_trees* l, const kin_transform* poses)
{
    for (uint32_t i = 0; i < l->count; ++i) {
        l->poses[i] = poses[i];
        l->boxes[i] = root_box(l->trees[i], poses[i]);
    }
}

kin_result kin_linked_trees_create(const kin_allocator* allocator, const kin_bound_tree* const* trees, const kin_transform* poses, uint32_t count,
                                   const uint32_t (*jointed)[2], uint32_t jointed_count, kin_linked_trees** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check(trees, count, jointed, jointed_count, error);
    if (result != KIN_OK) return result;
    kin_linked_trees* l = kin_alloc_zero(allocator, sizeof *l);
    if (l == NULL) return kin_fail_memory(error, "articulation", sizeof *l);
    *l = (kin_linked_trees){.count = count, .jointed_count = jointed_count, .allocator = *allocator};
    if (allocate(l)) {
        for (uint32_t i = 0; i < count; ++i) l->trees[i] = trees[i];
        keep_jointed(l, jointed);
        place(l, poses);
        kin_primitives boxes = kin_primitives_of_boxes(l->boxes, count);
        result = kin_bound_tree_create(allocator, &boxes, &(kin_bound_tree_def){.kind = KIN_BOUND_AABB}, &l->upper, error);
    } else {
        result = kin_fail_memory(error, "articulation", count * sizeof *l->boxes);
    }
    if (result != KIN_OK) {
        kin_linked_trees_destroy(l);
        return result;
    }
    *out = l;
    return KIN_OK;
}

kin_result kin_linked_trees_move(kin_linked_trees* l, const kin_transform* poses, kin_error* error)
{
    place(l, poses);
    kin_primitives boxes = kin_primitives_of_boxes(l->boxes, l->count);
    return kin_bound_tree_refit(l->upper, &boxes, error);
}

void kin_link_descent_init(kin_link_descent* d, const kin_allocator* allocator)
{
    *d = (kin_link_descent){0};
    kin_descent_init(&d->upper, allocator);
    kin_descent_init(&d->lower, allocator);
}

void kin_link_descent_term(kin_link_descent* d)
{
    kin_allocator a = d->upper.allocator;
    kin_free(&a, d->pairs, d->pair_capacity * sizeof *d->pairs);
    kin_descent_term(&d->upper);
    kin_descent_term(&d->lower);
    kin_link_descent_init(d, &a);
}

/* ---- from links to primitives ---- */

typedef struct link_test {
    kin_link_test* test;
    void* context;
    uint32_t a, b; /* links */
} link_test;

static bool test_of_links(void* context, uint32_t a, uint32_t b)
{
    const link_test* t = context;
    return t->test(t->context, t->a, a, t->b, b);
}

static void add_counts(kin_descent_counts* sum, const kin_descent_counts* more)
{
    sum->transformed += more->transformed;
    sum->volume_tests += more->volume_tests;
    sum->primitive_tests += more->primitive_tests;
    if (more->depth > sum->depth) sum->depth = more->depth;
}

/* Level two found two links: their level one trees take over. */
static kin_result add_links(kin_link_descent* d, const kin_bound_tree* a, kin_transform pose_a, const kin_bound_tree* b, kin_transform pose_b, link_test* test,
                            kin_error* error)
{
    kin_descent_query query = {.turn_boxes = true, .test = test->test != NULL ? test_of_links : NULL, .context = test};
    kin_result result = kin_descent_pairs(&d->lower, a, pose_a, b, pose_b, &query, error);
    if (result != KIN_OK) return result;
    d->link_tests += 1;
    add_counts(&d->counts, &d->lower.counts);
    size_t more = d->pair_count + d->lower.pair_count;
    if (!kin_reserve(&d->lower.allocator, (void**)&d->pairs, &d->pair_capacity, more, sizeof *d->pairs)) {
        return kin_fail_memory(error, "pairs of links", more * sizeof *d->pairs);
    }
    for (size_t i = 0; i < d->lower.pair_count; ++i) {
        d->pairs[d->pair_count++] = (kin_link_pair){test->a, test->b, d->lower.pairs[i].a, d->lower.pairs[i].b};
    }
    return KIN_OK;
}

static void link_begin(kin_link_descent* d)
{
    d->pair_count = 0;
    d->link_tests = 0;
    d->counts = (kin_descent_counts){0};
}

kin_result kin_linked_pairs(kin_link_descent* d, const kin_linked_trees* a, const kin_linked_trees* b, kin_link_test* test, void* context, kin_error* error)
{
    link_begin(d);
    kin_transform none = kin_transform_identity();
    kin_result result = kin_descent_pairs(&d->upper, a->upper, none, b->upper, none, &(kin_descent_query){0}, error);
    add_counts(&d->counts, &d->upper.counts);
    for (size_t i = 0; result == KIN_OK && i < d->upper.pair_count; ++i) {
        uint32_t x = d->upper.pairs[i].a, y = d->upper.pairs[i].b;
        result = add_links(d, a->trees[x], a->poses[x], b->trees[y], b->poses[y], &(link_test){test, context, x, y}, error);
    }
    return result;
}

kin_result kin_linked_body(kin_link_descent* d, const kin_linked_trees* a, const kin_bound_tree* body, kin_transform pose, kin_link_test* test, void* context,
                           kin_error* error)
{
    link_begin(d);
    if (body->node_count == 0) return KIN_OK;
    kin_bound box = {.kind = KIN_BOUND_AABB, .box = root_box(body, pose)};
    kin_result result = kin_descent_probe(&d->upper, a->upper, kin_transform_identity(), &box, &(kin_descent_query){0}, error);
    add_counts(&d->counts, &d->upper.counts);
    for (size_t i = 0; result == KIN_OK && i < d->upper.pair_count; ++i) {
        uint32_t x = d->upper.pairs[i].a;
        result = add_links(d, a->trees[x], a->poses[x], body, pose, &(link_test){test, context, x, 0}, error);
    }
    return result;
}

kin_result kin_linked_self(kin_link_descent* d, const kin_linked_trees* l, kin_link_test* test, void* context, kin_error* error)
{
    link_begin(d);
    kin_result result = kin_descent_self(&d->upper, l->upper, &(kin_descent_query){0}, error);
    add_counts(&d->counts, &d->upper.counts);
    for (size_t i = 0; result == KIN_OK && i < d->upper.pair_count; ++i) {
        uint32_t x = d->upper.pairs[i].a, y = d->upper.pairs[i].b;
        if (!are_jointed(l, x, y)) result = add_links(d, l->trees[x], l->poses[x], l->trees[y], l->poses[y], &(link_test){test, context, x, y}, error);
    }
    return result;
}
