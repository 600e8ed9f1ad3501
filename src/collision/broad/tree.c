/* tree.c - the default broad phase: a dynamic tree of boxes.
 *
 * A leaf that moved a little stays where it is in the tree; one that left the box of its great-grandparent is taken out and inserted where it adds the least area.
 * Where many move at once they mostly move together: all stay, and the tree is built anew when its boxes have become too large for what is in them.
 * What lies above moved leaves is refitted from below, and at each such node a child may change places with a niece where that makes the boxes smaller
 * (tree rotations, Kopta 2012): so a tree keeps up with its boxes at the cost of those that move. Pairs come from the tree against itself, where one of the
 * two sides moved (C2.5.2). */
#include "collision/broad/tree.h"
#include "base/alloc.h"
#include <string.h>

#define MANY 4        /* one in so many */
#define LOOSE 1.5f    /* times as large as they were */
#define GENERATIONS 3 /* a leaf within the box of its ancestor so many levels up stays where it is; measured: 2 to 4 are alike, more make the tree worse */

/* ---- boxes ---- */

static void join(kin_bvh_node* to, const kin_bvh_node* a, const kin_bvh_node* b)
{
    for (int k = 0; k < 3; ++k) {
        to->low[k] = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
        to->high[k] = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
    }
}

static float area(const kin_bvh_node* n) { return kin_broad_area(n->low, n->high); }

static float joint_area(const kin_bvh_node* a, const kin_bvh_node* b)
{
    kin_bvh_node both;
    join(&both, a, b);
    return area(&both);
}

static bool within(const kin_bvh_node* outer, const kin_broad_stored* s)
{
    bool all = true;
    for (int k = 0; k < 3; ++k) all &= outer->low[k] <= s->low[k] && s->high[k] <= outer->high[k];
    return all;
}

/* ---- up and down ---- */

static uint32_t parent_of(const kin_broad_tree* t, uint32_t node) { return t->parents[node / 2]; }

/* Whoever is marked has marked all above. */
static void mark_up(kin_broad_tree* t, uint32_t node)
{
    while (!t->marks[node]) {
        t->marks[node] = 1;
        if (node == 0) return;
        node = parent_of(t, node);
    }
}

static uint32_t take_pair(kin_broad_tree* t) { return t->free_pairs.count > 0 ? t->free_pairs.data[--t->free_pairs.count] : t->pair_count++; }

static void copy_node(kin_broad_tree* t, kin_broad_stored* stored, uint32_t to, uint32_t from)
{
    kin_broad_tree_put(t, stored, to, t->nodes[from], t->heights[from], t->marks[from]);
}

/* The sister takes the parent's place. */
static void take_out(kin_broad_tree* t, kin_broad_stored* stored, uint32_t proxy)
{
    uint32_t leaf = stored[proxy].leaf;
    stored[proxy].leaf = KIN_BROAD_NONE;
    t->leaf_count -= 1;
    if (leaf == 0) return;
    uint32_t parent = parent_of(t, leaf);
    copy_node(t, stored, parent, leaf ^ 1);
    t->free_pairs.data[t->free_pairs.count++] = leaf / 2;
    if (parent != 0) mark_up(t, parent_of(t, parent));
}

/* ---- insertion ---- */

/* What a subtree grows by when the leaf goes below its root. */
static float growth(const kin_bvh_node* node, const kin_bvh_node* leaf) { return joint_area(node, leaf) - area(node); }

/* Down to where a new parent adds the least area, growing boxes on the way. KIN_BROAD_NONE: too deep. */
static uint32_t best_sister(kin_broad_tree* t, const kin_bvh_node* leaf)
{
    uint32_t at = 0;
    for (int depth = 0; depth < KIN_BROAD_TREE_HEIGHT - 2; ++depth) {
        kin_bvh_node* node = &t->nodes[at];
        if (node->count > 0) return at;
        float here = joint_area(node, leaf), passing = here - area(node);
        const kin_bvh_node *x = &t->nodes[node->first], *y = x + 1;
        float to_x = growth(x, leaf) + (x->count > 0 ? area(x) : 0), to_y = growth(y, leaf) + (y->count > 0 ? area(y) : 0);
        if (here < passing + to_x && here < passing + to_y) return at;
        bool lower_y = t->heights[node->first + 1] < t->heights[node->first];
        join(node, node, leaf);
        at = node->first + (to_y < to_x || (to_y == to_x && lower_y));
    }
    return KIN_BROAD_NONE;
}

/* Removals may leave heights too large until the refit, insertions never too small: nothing grows too high unseen. */
static void raise_heights(kin_broad_tree* t, uint32_t node)
{
    while (node > 0) {
        uint32_t above = parent_of(t, node);
        if (t->heights[above] > t->heights[node]) return;
        t->heights[above] = (uint8_t)(t->heights[node] + 1);
        node = above;
    }
}

/* False: the tree has become too high. */
static bool insert(kin_broad_tree* t, kin_broad_stored* stored, uint32_t proxy)
{
    kin_bvh_node leaf = {.first = proxy, .count = 1};
    memcpy(leaf.low, stored[proxy].low, sizeof leaf.low);
    memcpy(leaf.high, stored[proxy].high, sizeof leaf.high);
    if (t->leaf_count == 0) {
        t->leaf_count = 1;
        kin_broad_tree_put(t, stored, 0, leaf, 0, 1);
        return true;
    }
    uint32_t sister = best_sister(t, &leaf);
    if (sister == KIN_BROAD_NONE) return false;
    uint32_t pair = take_pair(t);
    t->leaf_count += 1;
    copy_node(t, stored, 2 * pair, sister);
    kin_broad_tree_put(t, stored, 2 * pair + 1, leaf, 0, 0);
    kin_bvh_node above = {.first = 2 * pair, .count = 0};
    join(&above, &t->nodes[2 * pair], &leaf);
    kin_broad_tree_put(t, stored, sister, above, (uint8_t)(t->heights[2 * pair] + 1), t->marks[2 * pair]);
    mark_up(t, 2 * pair + 1);
    raise_heights(t, sister);
    return t->heights[0] <= KIN_BROAD_TREE_HEIGHT;
}

/* ---- refit ---- */

static void refit_node(kin_broad_tree* t, uint32_t at)
{
    kin_bvh_node* node = &t->nodes[at];
    uint32_t x = node->first, y = x + 1;
    join(node, &t->nodes[x], &t->nodes[y]);
    t->heights[at] = (uint8_t)(1 + (t->heights[x] > t->heights[y] ? t->heights[x] : t->heights[y]));
    t->marks[at] = t->marks[x] | t->marks[y];
}

static void swap_nodes(kin_broad_tree* t, kin_broad_stored* stored, uint32_t a, uint32_t b)
{
    kin_bvh_node node = t->nodes[a];
    uint8_t height = t->heights[a], mark = t->marks[a];
    copy_node(t, stored, a, b);
    kin_broad_tree_put(t, stored, b, node, height, mark);
}

/* A child and a niece: below the sister the child would join the other niece. */
typedef struct rotation {
    uint32_t child, niece;
    float gain;
} rotation;

static void try_child(const kin_broad_tree* t, uint32_t child, uint32_t sister, rotation* best)
{
    const kin_bvh_node *c = &t->nodes[child], *s = &t->nodes[sister];
    if (s->count > 0) return;
    float now = area(s);
    for (uint32_t k = 0; k < 2; ++k) {
        float gain = now - joint_area(c, &t->nodes[s->first + 1 - k]);
        if (gain > best->gain) *best = (rotation){child, s->first + k, gain};
    }
}

static void rotate(kin_broad_tree* t, kin_broad_stored* stored, uint32_t at)
{
    uint32_t x = t->nodes[at].first, y = x + 1;
    rotation best = {0, 0, 0};
    try_child(t, x, y, &best);
    try_child(t, y, x, &best);
    if (best.gain > 0) {
        swap_nodes(t, stored, best.child, best.niece);
        refit_node(t, best.child ^ 1);
    }
}

/* Marked nodes, children before parents. Returns the area of the inner ones, by that of the leaves. */
static float refit(kin_broad_tree* t, kin_broad_stored* stored)
{
    uint32_t stack[3 * KIN_BVH_MAX_DEPTH], top = 0;
    double inner = 0, leaves = 0;
    if (t->leaf_count > 1 && t->marks[0]) stack[top++] = 0;
    while (top > 0) {
        uint32_t entry = stack[--top], at = entry >> 1;
        if ((entry & 1) != 0) {
            rotate(t, stored, at);
            refit_node(t, at);
            inner += (double)area(&t->nodes[at]);
            continue;
        }
        stack[top++] = entry | 1;
        for (uint32_t child = t->nodes[at].first, k = 0; k < 2; ++k) {
            if (!t->marks[child + k]) continue;
            if (t->nodes[child + k].count == 0)
                stack[top++] = (child + k) << 1;
            else
                leaves += (double)area(&t->nodes[child + k]);
        }
    }
    return leaves > 0 ? (float)(inner / leaves) : 0;
}

/* ---- place ---- */

static bool reserve(const kin_broad* b, kin_broad_tree* t)
{
    size_t pairs = (size_t)b->alive_count + b->gone.count + 2;
    const kin_allocator* a = &b->allocator;
    return kin_reserve(a, (void**)&t->nodes, &t->node_capacity, 2 * pairs, sizeof *t->nodes)
           && kin_reserve(a, (void**)&t->heights, &t->height_capacity, 2 * pairs, sizeof *t->heights)
           && kin_reserve(a, (void**)&t->marks, &t->mark_capacity, 2 * pairs, sizeof *t->marks)
           && kin_reserve(a, (void**)&t->parents, &t->parent_capacity, pairs, sizeof *t->parents) && kin_broad_reserve_list(b, &t->free_pairs, pairs)
           && kin_broad_reserve_list(b, &t->items, pairs) && kin_broad_reserve_list(b, &t->strays, pairs);
}

static void build_anew(kin_broad_tree* t, const kin_broad* b)
{
    t->items.count = 0;
    for (uint32_t proxy = 0; proxy < b->slot_count; ++proxy) {
        if (kin_broad_is(b, proxy, KIN_BROAD_ALIVE)) t->items.data[t->items.count++] = proxy;
    }
    kin_broad_tree_build(t, b);
    t->looseness = 0;
}

static bool strayed(const kin_broad_tree* t, const kin_broad_stored* s)
{
    uint32_t node = s->leaf;
    for (int k = 0; k < GENERATIONS && node > 0; ++k) node = parent_of(t, node);
    return !within(&t->nodes[node], s);
}

/* Those that stay get their box; those that do not are gathered. */
static void move_leaves(kin_broad_tree* t, const kin_broad* b, bool all_stay)
{
    t->strays.count = 0;
    for (size_t i = 0; i < b->moved.count; ++i) {
        kin_broad_stored* s = &b->stored[b->moved.data[i]];
        if (s->leaf == KIN_BROAD_NONE || (!all_stay && strayed(t, s) && t->leaf_count > 3)) {
            t->strays.data[t->strays.count++] = b->moved.data[i];
            continue;
        }
        kin_bvh_node* leaf = &t->nodes[s->leaf];
        memcpy(leaf->low, s->low, sizeof leaf->low);
        memcpy(leaf->high, s->high, sizeof leaf->high);
        mark_up(t, s->leaf);
    }
}

static bool insert_strays(kin_broad_tree* t, const kin_broad* b)
{
    for (size_t i = 0; i < t->strays.count; ++i) {
        uint32_t proxy = t->strays.data[i];
        if (b->stored[proxy].leaf != KIN_BROAD_NONE) take_out(t, b->stored, proxy);
        if (!insert(t, b->stored, proxy)) return false;
    }
    return true;
}

static bool tree_place(kin_broad* b, void* self)
{
    kin_broad_tree* t = self;
    if (!reserve(b, t)) return false;
    if (t->pair_count == 0) t->pair_count = 1;
    for (size_t i = 0; i < b->gone.count; ++i) {
        if (b->stored[b->gone.data[i]].leaf != KIN_BROAD_NONE) take_out(t, b->stored, b->gone.data[i]);
    }
    bool many = b->moved.count > t->leaf_count / MANY;
    move_leaves(t, b, many);
    if (t->strays.count > t->leaf_count / 2 || !insert_strays(t, b)) {
        build_anew(t, b);
        return true;
    }
    float looseness = refit(t, b->stored);
    if (many && t->looseness == 0) t->looseness = looseness;
    if ((many && looseness > LOOSE * t->looseness) || (t->leaf_count > 0 && t->heights[0] > KIN_BROAD_TREE_HEIGHT)) build_anew(t, b);
    return true;
}

/* ---- search ---- */

typedef struct search_job {
    const kin_broad* broad;
    const kin_broad_tree* tree;
    kin_broad_sink* sink;
} search_job;

static inline __attribute__((always_inline)) bool worth(const kin_broad_tree* t, uint32_t a, uint32_t b)
{
    return (t->marks[a] | t->marks[b]) != 0 && kin_broad_lanes_overlap(&t->nodes[a], &t->nodes[b]);
}

/* What a task falls into: none for leaves. At most three. */
static inline __attribute__((always_inline)) uint32_t split_task(const kin_broad_tree* t, kin_broad_task task, kin_broad_task* out)
{
    uint32_t n = 0;
    if (task.a == task.b) {
        uint32_t x = t->nodes[task.a].first, y = x + 1;
        if (t->nodes[task.a].count > 0) return 0;
        if (t->marks[x] && t->nodes[x].count == 0) out[n++] = (kin_broad_task){x, x};
        if (t->marks[y] && t->nodes[y].count == 0) out[n++] = (kin_broad_task){y, y};
        if (worth(t, x, y)) out[n++] = (kin_broad_task){x, y};
        return n;
    }
    bool first = t->heights[task.a] >= t->heights[task.b];
    uint32_t down = first ? task.a : task.b, stay = first ? task.b : task.a, x = t->nodes[down].first;
    if (t->nodes[down].count > 0) return 0;
    out[n] = (kin_broad_task){x, stay};
    n += worth(t, x, stay);
    out[n] = (kin_broad_task){x + 1, stay};
    n += worth(t, x + 1, stay);
    return n;
}

static bool is_pair(const kin_broad_tree* t, kin_broad_task task) { return task.a != task.b && t->heights[task.a] + t->heights[task.b] == 0; }

static void run_task(const kin_broad_tree* t, kin_broad_task task, kin_broad_batch* batch)
{
    kin_broad_task stack[6 * KIN_BVH_MAX_DEPTH];
    uint32_t top = 0;
    stack[top++] = task;
    while (top > 0) {
        task = stack[--top];
        batch->tests += 2;
        if (is_pair(t, task))
            kin_broad_found(batch, t->nodes[task.a].first, t->nodes[task.b].first);
        else
            top += split_task(t, task, stack + top);
    }
}

static void search_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const search_job* job = argument;
    kin_broad_batch batch;
    kin_broad_batch_begin(&batch, job->sink);
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) run_task(job->tree, job->tree->tasks[i], &batch);
    kin_broad_flush(&batch);
}

/* Level by level until there are enough tasks to share out. */
static void split_tasks(kin_broad_tree* t)
{
    t->tasks[0] = (kin_broad_task){0, 0};
    t->task_count = 1;
    for (bool split = true; split && t->task_count < KIN_BROAD_TASKS;) {
        uint32_t n = 0;
        split = false;
        for (uint32_t i = 0; i < t->task_count; ++i) {
            if (is_pair(t, t->tasks[i])) {
                t->next[n++] = t->tasks[i];
            } else {
                n += split_task(t, t->tasks[i], t->next + n);
                split = true;
            }
        }
        memcpy(t->tasks, t->next, n * sizeof *t->tasks);
        t->task_count = n;
    }
}

static void tree_search(const kin_broad* b, void* self, kin_broad_sink* sink)
{
    kin_broad_tree* t = self;
    if (t->leaf_count < 2) return;
    split_tasks(t);
    kin_broad_for(b, t->task_count, 8, search_range, &(search_job){b, t, sink});
}

static void tree_settle(const kin_broad* b, void* self)
{
    kin_broad_tree* t = self;
    uint32_t stack[2 * KIN_BVH_MAX_DEPTH], top = 0;
    (void)b;
    if (t->leaf_count > 0) stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        if (!t->marks[at]) continue;
        t->marks[at] = 0;
        if (t->nodes[at].count > 0) continue;
        stack[top++] = t->nodes[at].first + 1;
        stack[top++] = t->nodes[at].first;
    }
}

/* ---- the rest ---- */

kin_bvh kin_broad_tree_view(const void* self)
{
    const kin_broad_tree* t = self;
    return (kin_bvh){.nodes = t->nodes, .node_count = t->leaf_count > 0 ? 2 * t->pair_count : 0};
}

static void tree_term(const kin_broad* b, void* self)
{
    kin_broad_tree* t = self;
    kin_free(&b->allocator, t->nodes, t->node_capacity * sizeof *t->nodes);
    kin_free(&b->allocator, t->heights, t->height_capacity);
    kin_free(&b->allocator, t->marks, t->mark_capacity);
    kin_free(&b->allocator, t->parents, t->parent_capacity * sizeof *t->parents);
    kin_broad_free_list(b, &t->free_pairs);
    kin_broad_free_list(b, &t->items);
    kin_broad_free_list(b, &t->strays);
}

static void tree_report(const kin_broad* b, const void* self, kin_broad_report* report)
{
    const kin_broad_tree* t = self;
    (void)b;
    report->height = t->leaf_count > 0 ? t->heights[0] : 0;
    report->bytes += t->node_capacity * sizeof *t->nodes + t->height_capacity + t->mark_capacity + t->parent_capacity * sizeof *t->parents;
    report->bytes += (t->free_pairs.capacity + t->items.capacity + t->strays.capacity) * sizeof(uint32_t);
}

const kin_broad_ops kin_broad_tree_ops = {.finds_all = true,
                                          .size = sizeof(kin_broad_tree),
                                          .place = tree_place,
                                          .search = tree_search,
                                          .settle = tree_settle,
                                          .term = tree_term,
                                          .report = tree_report};
