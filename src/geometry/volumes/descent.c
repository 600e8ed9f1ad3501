/* descent.c - hierarchies against hierarchies. */
#include "geometry/volumes/descent.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"

enum { TASKS = 128 }; /* at most, of a parallel query: fixed, so that threads change nothing */

/* A tree of one leaf on the stack: a volume that is asked for by itself. */
typedef struct lone {
    kin_bound_tree tree;
    kin_bound_node node;
    kin_bound bound;
    uint32_t item;
} lone;

/* What one query carries down. */
typedef struct walk {
    kin_descent* d;
    const kin_descent_query* query;
    const kin_bound_tree *a, *b;
    bool self, stopped;
} walk;

void kin_descent_init(kin_descent* d, const kin_allocator* allocator) { *d = (kin_descent){.allocator = *allocator}; }

void kin_descent_term(kin_descent* d)
{
    const kin_allocator a = d->allocator;
    kin_free(&a, d->pairs, d->pair_capacity * sizeof *d->pairs);
    kin_free(&a, d->contacts, d->contact_capacity * sizeof *d->contacts);
    kin_free(&a, d->open, d->open_capacity * sizeof *d->open);
    for (int i = 0; i < 2; ++i) {
        kin_free(&a, d->sides[i].moved, d->sides[i].moved_capacity * sizeof *d->sides[i].moved);
        kin_free(&a, d->sides[i].stamps, d->sides[i].stamp_capacity * sizeof *d->sides[i].stamps);
    }
    kin_free(&a, d->keys, d->key_capacity * sizeof *d->keys);
    kin_free(&a, d->key_scratch, d->key_scratch_capacity * sizeof *d->key_scratch);
    kin_free(&a, d->values, d->value_capacity * sizeof *d->values);
    kin_free(&a, d->value_scratch, d->value_scratch_capacity * sizeof *d->value_scratch);
    kin_descent_init(d, &a);
}

/* ---- the lazy world (C2.1) ---- */

static bool side_begin(kin_descent* d, kin_descent_side* side, const kin_bound_tree* tree, kin_transform pose)
{
    size_t known = side->stamp_capacity;
    if (!kin_reserve(&d->allocator, (void**)&side->moved, &side->moved_capacity, tree->node_count, sizeof *side->moved)) return false;
    if (!kin_reserve(&d->allocator, (void**)&side->stamps, &side->stamp_capacity, tree->node_count, sizeof *side->stamps)) return false;
    for (size_t i = known; i < side->stamp_capacity; ++i) side->stamps[i] = 0;
    side->tree = tree;
    side->pose = pose;
    return true;
}

static void next_stamp(kin_descent* d)
{
    d->stamp += 1;
    if (d->stamp != 0) return;
    for (int s = 0; s < 2; ++s) { /* came round: nothing known is known any more */
        for (size_t i = 0; i < d->sides[s].stamp_capacity; ++i) d->sides[s].stamps[i] = 0;
    }
    d->stamp = 1;
}

static const kin_bound* in_world(walk* w, int s, uint32_t node)
{
    kin_descent_side* side = &w->d->sides[s];
    if (side->stamps[node] != w->d->stamp) {
        const kin_bound* bound = &side->tree->bounds[node];
        side->moved[node] = w->query->turn_boxes ? kin_bound_turn(bound, side->pose) : kin_bound_move(bound, side->pose);
        side->stamps[node] = w->d->stamp;
        w->d->counts.transformed += 1;
    }
    return &side->moved[node];
}

/* With itself all nodes share a frame: nothing moves. */
static const kin_bound* bound_of(walk* w, int s, uint32_t node) { return w->self ? &w->a->bounds[node] : in_world(w, s, node); }

static bool volumes_overlap(walk* w, kin_node_pair p)
{
    const kin_bound *a = bound_of(w, 0, p.a), *b = bound_of(w, 1, p.b);
    w->d->counts.volume_tests += 1;
    bool boxes = kin_bound_ops_of[a->kind]->form == KIN_FORM_OBB && kin_bound_ops_of[b->kind]->form == KIN_FORM_OBB;
    return w->query->six_axes && boxes ? kin_obb_overlaps_6(&a->obb, &b->obb) : kin_bound_overlap(a, b);
}

/* ---- found ---- */

static bool share_a_corner(const kin_descent_query* q, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; q->corners != NULL && i < q->corner_count; ++i) {
        for (uint32_t k = 0; k < q->corner_count; ++k) {
            if (q->corners[(size_t)a * q->corner_count + i] == q->corners[(size_t)b * q->corner_count + k]) return true;
        }
    }
    return false;
}

static bool offer_pair(walk* w, uint32_t a, uint32_t b)
{
    kin_descent* d = w->d;
    if (w->stopped || (w->self && share_a_corner(w->query, a, b))) return true;
    d->counts.primitive_tests += 1;
    if (w->query->test != NULL && !w->query->test(w->query->context, a, b)) return true;
    if (!kin_reserve(&d->allocator, (void**)&d->pairs, &d->pair_capacity, d->pair_count + 1, sizeof *d->pairs)) return false;
    d->pairs[d->pair_count++] = w->self && b < a ? (kin_bound_pair){b, a} : (kin_bound_pair){a, b};
    w->stopped = w->query->first;
    return true;
}

static bool offer_leaves(walk* w, kin_node_pair p)
{
    const kin_bound_node *na = &w->a->nodes[p.a], *nb = &w->b->nodes[p.b];
    bool same = w->self && p.a == p.b; /* within a leaf: each two once */
    for (uint32_t i = 0; i < na->count; ++i) {
        for (uint32_t k = same ? i + 1 : 0; k < nb->count; ++k) {
            if (!offer_pair(w, w->a->items[na->first + i], w->b->items[nb->first + k])) return false;
        }
    }
    return true;
}

static bool offer_contact(walk* w, kin_node_pair p)
{
    kin_descent* d = w->d;
    if (!kin_reserve(&d->allocator, (void**)&d->contacts, &d->contact_capacity, d->contact_count + 1, sizeof *d->contacts)) return false;
    kin_coarse_contact c = kin_coarse_contact_of(bound_of(w, 0, p.a), bound_of(w, 1, p.b));
    c.a = p.a, c.b = p.b;
    d->contacts[d->contact_count++] = c;
    w->stopped = w->query->first;
    return true;
}

/* ---- down ---- */

static bool push(kin_descent* d, uint32_t a, uint32_t b)
{
    if (d->open_end == d->open_capacity && d->open_begin > d->open_capacity / 2) { /* a queue that went past its front */
        for (size_t i = d->open_begin; i < d->open_end; ++i) d->open[i - d->open_begin] = d->open[i];
        d->open_end -= d->open_begin;
        d->open_begin = 0;
    }
    if (!kin_reserve(&d->allocator, (void**)&d->open, &d->open_capacity, d->open_end + 1, sizeof *d->open)) return false;
    d->open[d->open_end++] = (kin_node_pair){a, b};
    return true;
}

static kin_node_pair pop(kin_descent* d, bool breadth)
{
    kin_node_pair p = breadth ? d->open[d->open_begin++] : d->open[--d->open_end];
    if (d->open_begin == d->open_end) d->open_begin = d->open_end = 0;
    return p;
}

/* Whether a node has nothing below that may be looked at. */
static bool ends(const walk* w, const kin_bound_node* n)
{
    const kin_descent_query* q = w->query;
    return n->child_count == 0 || (q->depth > 0 && n->depth >= q->depth) || (q->budget > 0 && w->d->counts.volume_tests >= q->budget);
}

static bool push_self(kin_descent* d, const kin_bound_node* n)
{
    for (uint32_t i = 0; i < n->child_count; ++i) {
        for (uint32_t k = i; k < n->child_count; ++k) {
            if (!push(d, n->child + i, n->child + k)) return false;
        }
    }
    return true;
}

static bool push_children(walk* w, kin_node_pair p, bool end_a, bool end_b)
{
    const kin_bound_node *na = &w->a->nodes[p.a], *nb = &w->b->nodes[p.b];
    bool open_a = !end_a, open_b = !end_b;
    if (open_a && open_b && w->query->order == KIN_DESCEND_LARGER) {
        double a = kin_bound_guide(&w->a->bounds[p.a]), b = kin_bound_guide(&w->b->bounds[p.b]);
        open_a = a != b ? a > b : na->count >= nb->count;
        open_b = !open_a;
    }
    for (uint32_t i = 0; i < (open_a ? na->child_count : 1); ++i) {
        for (uint32_t k = 0; k < (open_b ? nb->child_count : 1); ++k) {
            if (!push(w->d, open_a ? na->child + i : p.a, open_b ? nb->child + k : p.b)) return false;
        }
    }
    return true;
}

/* One open pair; false: out of memory. */
static bool visit(walk* w, kin_node_pair p)
{
    bool same = w->self && p.a == p.b;
    const kin_bound_node *na = &w->a->nodes[p.a], *nb = &w->b->nodes[p.b];
    uint32_t depth = na->depth > nb->depth ? na->depth : nb->depth;
    if (depth > w->d->counts.depth) w->d->counts.depth = depth;
    if (!same && !volumes_overlap(w, p)) return true;
    bool end_a = ends(w, na), end_b = ends(w, nb);
    if (same && !end_a) return push_self(w->d, na);
    if (same && na->child_count > 0) return true; /* stopped above: a node is no contact of its own */
    if (!end_a || !end_b) return push_children(w, p, end_a, end_b);
    return na->child_count == 0 && nb->child_count == 0 ? offer_leaves(w, p) : offer_contact(w, p);
}

static bool descend(walk* w)
{
    while (w->d->open_end > w->d->open_begin && !w->stopped) {
        if (!visit(w, pop(w->d, w->query->breadth))) return false;
    }
    return true;
}

static void begin(kin_descent* d)
{
    d->pair_count = d->contact_count = 0;
    d->open_begin = d->open_end = 0;
    d->counts = (kin_descent_counts){0};
    next_stamp(d);
}

/* Pairs by their numbers. */
static bool sort_pairs(kin_descent* d)
{
    size_t n = d->pair_count;
    if (!kin_reserve(&d->allocator, (void**)&d->keys, &d->key_capacity, n, sizeof *d->keys)
        || !kin_reserve(&d->allocator, (void**)&d->key_scratch, &d->key_scratch_capacity, n, sizeof *d->key_scratch)
        || !kin_reserve(&d->allocator, (void**)&d->values, &d->value_capacity, n, sizeof *d->values)
        || !kin_reserve(&d->allocator, (void**)&d->value_scratch, &d->value_scratch_capacity, n, sizeof *d->value_scratch)) {
        return false;
    }
    for (size_t i = 0; i < n; ++i) d->keys[i] = (uint64_t)d->pairs[i].a << 32 | d->pairs[i].b, d->values[i] = 0;
    kin_sort_keys(d->keys, d->values, d->key_scratch, d->value_scratch, n);
    for (size_t i = 0; i < n; ++i) d->pairs[i] = (kin_bound_pair){(uint32_t)(d->keys[i] >> 32), (uint32_t)d->keys[i]};
    return true;
}

static kin_result out_of_memory(kin_descent* d, kin_error* error)
{
    d->pair_count = d->contact_count = 0;
    return kin_fail_memory(error, "pairs of bounding volumes", d->pair_capacity * sizeof *d->pairs);
}

kin_result kin_descent_pairs(kin_descent* d, const kin_bound_tree* a, kin_transform pose_a, const kin_bound_tree* b, kin_transform pose_b,
                             const kin_descent_query* query, kin_error* error)
{
    begin(d);
    if (a->node_count == 0 || b->node_count == 0) return KIN_OK;
    walk w = {.d = d, .query = query, .a = a, .b = b};
    bool done = side_begin(d, &d->sides[0], a, pose_a) && side_begin(d, &d->sides[1], b, pose_b) && push(d, kin_bound_tree_root(a), kin_bound_tree_root(b));
    done = done && descend(&w) && sort_pairs(d);
    return done ? KIN_OK : out_of_memory(d, error);
}

kin_result kin_descent_probe(kin_descent* d, const kin_bound_tree* tree, kin_transform pose, const kin_bound* probe, const kin_descent_query* query,
                             kin_error* error)
{
    lone one = {.node = {.count = 1}, .bound = *probe};
    one.tree = (kin_bound_tree){.nodes = &one.node, .bounds = &one.bound, .node_count = 1, .items = &one.item, .item_count = 1};
    return kin_descent_pairs(d, tree, pose, &one.tree, kin_transform_identity(), query, error);
}

kin_result kin_descent_self(kin_descent* d, const kin_bound_tree* tree, const kin_descent_query* query, kin_error* error)
{
    begin(d);
    if (tree->node_count == 0) return KIN_OK;
    walk w = {.d = d, .query = query, .a = tree, .b = tree, .self = true};
    bool done = push(d, kin_bound_tree_root(tree), kin_bound_tree_root(tree)) && descend(&w) && sort_pairs(d);
    return done ? KIN_OK : out_of_memory(d, error);
}

/* ---- in parallel (X2.2) ---- */

typedef struct task {
    kin_descent d;
    bool failed;
} task;

typedef struct crew {
    task tasks[TASKS];
    const kin_bound_tree* tree;
    const kin_descent_query* query;
    const kin_node_pair* open;
} crew;

static void run_tasks(void* argument, int64_t begin_at, int64_t end_at, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    crew* c = argument;
    for (int64_t i = begin_at; i < end_at; ++i) {
        task* t = &c->tasks[i];
        walk w = {.d = &t->d, .query = c->query, .a = c->tree, .b = c->tree, .self = true};
        t->failed = !push(&t->d, c->open[i].a, c->open[i].b) || !descend(&w);
    }
}

/* Opens pairs, oldest first, until there are enough to share out. Opening one adds up to 8 x 8: half of the room is left for them. */
static bool open_tasks(walk* w)
{
    kin_descent* d = w->d;
    while (d->open_end > d->open_begin && d->open_end - d->open_begin <= TASKS / 2) {
        if (!visit(w, pop(d, true))) return false;
    }
    return true;
}

static bool collect(kin_descent* d, crew* c, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const kin_descent* t = &c->tasks[i].d;
        if (c->tasks[i].failed) return false;
        if (!kin_reserve(&d->allocator, (void**)&d->pairs, &d->pair_capacity, d->pair_count + t->pair_count, sizeof *d->pairs)) return false;
        for (size_t k = 0; k < t->pair_count; ++k) d->pairs[d->pair_count++] = t->pairs[k];
        d->counts.volume_tests += t->counts.volume_tests;
        d->counts.primitive_tests += t->counts.primitive_tests;
        if (t->counts.depth > d->counts.depth) d->counts.depth = t->counts.depth;
    }
    return true;
}

kin_result kin_descent_self_parallel(kin_descent* d, kin_jobs* jobs, const kin_bound_tree* tree, const kin_descent_query* query, kin_error* error)
{
    if (query->first || query->depth > 0 || query->budget > 0) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, "query", "first, depth and budget follow one order of descent and are not for many threads");
    }
    begin(d);
    if (tree->node_count == 0) return KIN_OK;
    crew* c = kin_alloc_zero(&d->allocator, sizeof *c);
    if (c == NULL) return out_of_memory(d, error);
    walk w = {.d = d, .query = query, .a = tree, .b = tree, .self = true};
    bool done = push(d, kin_bound_tree_root(tree), kin_bound_tree_root(tree)) && open_tasks(&w);
    size_t count = d->open_end - d->open_begin;
    if (done && count > 0) {
        c->tree = tree, c->query = query, c->open = d->open + d->open_begin;
        for (size_t i = 0; i < count; ++i) kin_descent_init(&c->tasks[i].d, &d->allocator);
        kin_parallel_for(jobs, (int64_t)count, 1, run_tasks, c);
        done = collect(d, c, count);
        for (size_t i = 0; i < count; ++i) kin_descent_term(&c->tasks[i].d);
    }
    kin_free(&d->allocator, c, sizeof *c);
    done = done && sort_pairs(d);
    return done ? KIN_OK : out_of_memory(d, error);
}

/* ---- containment ---- */

static bool vertex_inside(const kin_primitives* inner, kin_transform pose_inner, const kin_primitives* outer, kin_transform pose_outer)
{
    if (inner->count == 0 || outer->count == 0) return false;
    kin_vec3 x = kin_apply(pose_inner, inner->points[inner->corners[0]]);
    return kin_abs(kin_primitives_winding(outer, kin_unapply(pose_outer, x))) > 0.5;
}

bool kin_descent_inside(const kin_primitives* a, kin_transform pose_a, const kin_primitives* b, kin_transform pose_b)
{
    return vertex_inside(a, pose_a, b, pose_b) || vertex_inside(b, pose_b, a, pose_a);
}
