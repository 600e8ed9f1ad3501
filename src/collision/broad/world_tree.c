/* world_tree.c - one tree over the boxes of whole motions, intersected with itself (C2.4.3, C1.4.5, C2.5.2). Fast things would flood the cells of a grid;
 * here they are one leaf. The tree is built when proxies come or go, and refitted from the new boxes else, until it has grown so loose that a new one pays. */
#include "base/alloc.h"
#include "collision/broad/inside.h"
#include <string.h>

#define LOOSE 1.5 /* areas of nodes over those when built */
#define TASKS 128

typedef struct task {
    uint32_t a, b; /* nodes; the same: a subtree against itself */
} task;

typedef struct world_tree {
    kin_bvh bvh;
    bool ready; /* the tree's allocator is set */
    bool stale; /* proxies came or went since it was built */
    double built_area;
    kin_aabb* boxes; /* by item */
    size_t box_capacity;
    kin_broad_list proxies; /* by item */
    task tasks[4 * TASKS], next[4 * TASKS];
    uint32_t task_count;
} world_tree;

/* ---- place ---- */

static kin_aabb box_of(const kin_broad_stored* s)
{
    return (kin_aabb){{(double)s->low[0], (double)s->low[1], (double)s->low[2]}, {(double)s->high[0], (double)s->high[1], (double)s->high[2]}};
}

static void list_proxies(const kin_broad* b, world_tree* w)
{
    w->proxies.count = 0;
    for (uint32_t i = 0; i < b->slot_count; ++i) {
        if (kin_broad_is(b, i, KIN_BROAD_ALIVE)) w->proxies.data[w->proxies.count++] = i;
    }
}

static double node_areas(const kin_bvh* bvh)
{
    double sum = 0;
    for (uint32_t i = 0; i < bvh->node_count; ++i) {
        const kin_bvh_node* n = &bvh->nodes[i];
        double x = (double)n->high[0] - (double)n->low[0], y = (double)n->high[1] - (double)n->low[1], z = (double)n->high[2] - (double)n->low[2];
        if (i != 1) sum += x * y + y * z + z * x;
    }
    return sum;
}

static bool build(world_tree* w)
{
    if (!kin_bvh_build(&w->bvh, w->boxes, (uint32_t)w->proxies.count)) return false;
    w->built_area = node_areas(&w->bvh);
    w->stale = false;
    return true;
}

/* New ones have no leaf yet; this kind uses that field as a flag. */
static bool has_fresh(const kin_broad* b)
{
    for (size_t i = 0; i < b->moved.count; ++i) {
        if (b->stored[b->moved.data[i]].leaf == KIN_BROAD_NONE) return true;
    }
    return false;
}

static bool world_tree_place(kin_broad* b, void* self)
{
    world_tree* w = self;
    if (!w->ready) kin_bvh_init(&w->bvh, &b->allocator);
    w->ready = true;
    if (!kin_broad_reserve_list(b, &w->proxies, b->alive_count)) return false;
    if (!kin_reserve(&b->allocator, (void**)&w->boxes, &w->box_capacity, b->alive_count, sizeof *w->boxes)) return false;
    w->stale = w->stale || b->gone.count > 0 || has_fresh(b);
    if (w->stale) list_proxies(b, w);
    for (size_t i = 0; i < w->proxies.count; ++i) {
        kin_broad_stored* s = &b->stored[w->proxies.data[i]];
        w->boxes[i] = box_of(s);
        s->leaf = 0;
    }
    if (w->stale) return build(w);
    kin_bvh_refit(&w->bvh, w->boxes);
    return node_areas(&w->bvh) <= LOOSE * w->built_area || build(w);
}

/* ---- search ---- */

/* A node against itself: its children, each against itself and one against the other. Two nodes: a leaf against two, or four. At most four. */
static uint32_t split_task(const kin_bvh* bvh, task t, task* out)
{
    uint32_t n = 0;
    const kin_bvh_node *a = &bvh->nodes[t.a], *b = &bvh->nodes[t.b];
    if (t.a == t.b) {
        out[n++] = (task){a->first, a->first};
        out[n++] = (task){a->first + 1, a->first + 1};
        out[n] = (task){a->first, a->first + 1};
        return n + kin_broad_lanes_overlap(&bvh->nodes[a->first], &bvh->nodes[a->first + 1]);
    }
    for (uint32_t i = 0; i < (a->count > 0 ? 1u : 2u); ++i) {
        for (uint32_t j = 0; j < (b->count > 0 ? 1u : 2u); ++j) {
            out[n] = (task){a->count > 0 ? t.a : a->first + i, b->count > 0 ? t.b : b->first + j};
            n += kin_broad_lanes_overlap(&bvh->nodes[out[n].a], &bvh->nodes[out[n].b]);
        }
    }
    return n;
}

static bool is_final(const kin_bvh* bvh, task t) { return bvh->nodes[t.a].count > 0 && bvh->nodes[t.b].count > 0; }

static void meet_leaves(const kin_broad* b, const world_tree* w, task t, kin_broad_batch* batch)
{
    const kin_bvh_node *x = &w->bvh.nodes[t.a], *y = &w->bvh.nodes[t.b];
    for (uint32_t i = x->first; i < x->first + x->count; ++i) {
        uint32_t p = w->proxies.data[w->bvh.items[i]];
        for (uint32_t j = t.a == t.b ? i + 1 : y->first; j < y->first + y->count; ++j) {
            uint32_t q = w->proxies.data[w->bvh.items[j]];
            if (((b->flags[p] | b->flags[q]) & KIN_BROAD_MOVED) == 0) continue;
            if (kin_broad_stored_overlap(batch, p, q)) kin_broad_found(batch, p, q);
        }
    }
}

typedef struct search_job {
    const kin_broad* broad;
    const world_tree* w;
    kin_broad_sink* sink;
} search_job;

static void search_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const search_job* job = argument;
    kin_broad_batch batch;
    kin_broad_batch_begin(&batch, job->sink);
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        task stack[8 * KIN_BVH_MAX_DEPTH];
        uint32_t top = 0;
        stack[top++] = job->w->tasks[i];
        while (top > 0) {
            task t = stack[--top];
            if (is_final(&job->w->bvh, t)) {
                meet_leaves(job->broad, job->w, t, &batch);
                continue;
            }
            batch.tests += t.a == t.b ? 1 : 4;
            top += split_task(&job->w->bvh, t, stack + top);
        }
    }
    kin_broad_flush(&batch);
}

static void split_tasks(world_tree* w)
{
    w->tasks[0] = (task){0, 0};
    w->task_count = 1;
    for (bool split = true; split && w->task_count < TASKS;) {
        uint32_t n = 0;
        split = false;
        for (uint32_t i = 0; i < w->task_count; ++i) {
            if (is_final(&w->bvh, w->tasks[i])) {
                w->next[n++] = w->tasks[i];
            } else {
                n += split_task(&w->bvh, w->tasks[i], w->next + n);
                split = true;
            }
        }
        memcpy(w->tasks, w->next, n * sizeof *w->tasks);
        w->task_count = n;
    }
}

static void world_tree_search(const kin_broad* b, void* self, kin_broad_sink* sink)
{
    world_tree* w = self;
    if (w->bvh.node_count == 0) return;
    split_tasks(w);
    kin_broad_for(b, w->task_count, 8, search_range, &(search_job){b, w, sink});
}

static void world_tree_term(const kin_broad* b, void* self)
{
    world_tree* w = self;
    if (w->ready) kin_bvh_term(&w->bvh);
    kin_free(&b->allocator, w->boxes, w->box_capacity * sizeof *w->boxes);
    kin_broad_free_list(b, &w->proxies);
}

static uint32_t height(const kin_bvh* bvh)
{
    uint32_t stack[2 * KIN_BVH_MAX_DEPTH], depths[2 * KIN_BVH_MAX_DEPTH], top = 0, most = 0;
    if (bvh->node_count > 0) stack[top] = 0, depths[top++] = 0;
    while (top > 0) {
        const kin_bvh_node* n = &bvh->nodes[stack[--top]];
        uint32_t depth = depths[top];
        most = depth > most ? depth : most;
        for (uint32_t k = 0; n->count == 0 && k < 2; ++k) stack[top] = n->first + k, depths[top++] = depth + 1;
    }
    return most;
}

static void world_tree_report(const kin_broad* b, const void* self, kin_broad_report* report)
{
    const world_tree* w = self;
    (void)b;
    report->height = height(&w->bvh);
    report->bytes += (w->ready ? kin_bvh_bytes(&w->bvh) : 0) + w->box_capacity * sizeof *w->boxes + w->proxies.capacity * sizeof(uint32_t);
}

const kin_broad_ops kin_broad_world_tree_ops = {.finds_all = true,
                                                .size = sizeof(world_tree),
                                                .place = world_tree_place,
                                                .search = world_tree_search,
                                                .term = world_tree_term,
                                                .report = world_tree_report};
