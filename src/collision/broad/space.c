/* space.c - octree and kd-tree of space (H6.3b, H6.3c, H10.9): each box is in all leaves that it overlaps, and boxes are compared leaf by leaf. Cut anew where
 * something moved.
 *
 * Both cut a cell by a plane, again and again: the octree at its middle, x, y and z in turn, three cuts to a level (octant bits x = 1, y = 2, z = 4); the
 * kd-tree at the upper median of the centres, axes in turn. What crosses the plane goes to both sides. Where a cut would mostly double its boxes it is not
 * made, so that there are at most GROWTH times as many entries as boxes; each half gets its share of what may be added. Of two boxes the lower corner of what they share lies in one leaf only, as cells
 * are closed below and open above: there they are found. */
#include "base/alloc.h"
#include "collision/broad/inside.h"
#include <string.h>

#define GROWTH 8
#define CUTS_MAX 60 /* three for each level of an octree */

typedef struct cell {
    float low[3], high[3]; /* [low, high) */
    uint32_t begin, end;   /* of the entries */
    uint32_t cuts;         /* above it */
    uint32_t budget;       /* entries that cuts below may add */
} cell;

typedef struct space {
    kin_broad_list entries; /* of leaves, one after the other */
    kin_broad_list waiting; /* of cells still to be cut: a stack */
    kin_broad_list order;   /* to find medians */
    cell* leaves;
    size_t leaf_capacity;
    uint32_t leaf_count, deepest;
} space;

typedef struct plane {
    int axis;
    float at;
} plane;

static bool on_low_side(const kin_broad_stored* s, plane p) { return s->low[p.axis] < p.at; }
static bool on_high_side(const kin_broad_stored* s, plane p) { return s->high[p.axis] >= p.at; }

/* ---- where to cut ---- */

static float center2(const kin_broad* b, uint32_t proxy, int axis) { return b->stored[proxy].low[axis] + b->stored[proxy].high[axis]; }

/* The k-th smallest of twice the centres, by narrowing: Hoare's selection with the middle of three. */
static float kth_center(const kin_broad* b, uint32_t* items, uint32_t n, uint32_t k, int axis)
{
    uint32_t low = 0, high = n - 1;
    while (low < high) {
        float first = center2(b, items[low], axis), middle = center2(b, items[low + (high - low) / 2], axis), last = center2(b, items[high], axis);
        float pivot = first < middle ? (middle < last ? middle : first < last ? last : first) : (first < last ? first : middle < last ? last : middle);
        uint32_t i = low, j = high;
        for (;;) {
            while (center2(b, items[i], axis) < pivot) i += 1;
            while (center2(b, items[j], axis) > pivot) j -= 1;
            if (i >= j) break;
            uint32_t swap = items[i];
            items[i++] = items[j];
            items[j--] = swap;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return center2(b, items[k], axis);
}

static float plane_at(const kin_broad* b, space* s, const cell* c, int axis)
{
    if (b->def.kind == KIN_BROAD_OCTREE) return 0.5f * c->low[axis] + 0.5f * c->high[axis];
    uint32_t n = c->end - c->begin;
    memcpy(s->order.data, s->waiting.data + c->begin, n * sizeof *s->order.data);
    return 0.5f * kth_center(b, s->order.data, n, n / 2, axis);
}

typedef struct sides {
    uint32_t low, high, crossing; /* boxes */
} sides;

static sides count_sides(const kin_broad* b, const space* s, const cell* c, plane p)
{
    sides n = {0, 0, 0};
    for (uint32_t i = c->begin; i < c->end; ++i) {
        const kin_broad_stored* box = &b->stored[s->waiting.data[i]];
        n.low += on_low_side(box, p);
        n.high += on_high_side(box, p);
    }
    n.crossing = n.low + n.high - (c->end - c->begin);
    return n;
}

/* Not where half of the boxes would be on both sides; but eighths of a cell that are begun are finished. An octree takes the axis whose turn it is, a kd-tree
 * looks at the next ones too. False: no cut that helps. */
static bool choose_plane(const kin_broad* b, space* s, const cell* c, plane* p, sides* n)
{
    bool octree = b->def.kind == KIN_BROAD_OCTREE, begun = octree && c->cuts % 3 != 0;
    for (uint32_t k = 0; k < (octree ? 1u : 3u); ++k) {
        p->axis = (int)((c->cuts + k) % 3);
        p->at = plane_at(b, s, c, p->axis);
        if (!(c->low[p->axis] < p->at && p->at < c->high[p->axis])) continue;
        *n = count_sides(b, s, c, *p);
        if (n->crossing <= c->budget && (begun || n->crossing <= (c->end - c->begin) / 2)) return true;
    }
    return false;
}

/* Not a cell of few, or one too deep; but an eighth that is not yet cut through all axes. */
static bool wants_cut(const kin_broad* b, const cell* c)
{
    bool octree = b->def.kind == KIN_BROAD_OCTREE;
    if (c->end - c->begin < 2) return false;
    if (octree && c->cuts % 3 != 0) return true;
    return c->end - c->begin > b->def.leaf_count && c->cuts < (octree ? 3 * b->def.max_depth : b->def.max_depth);
}

/* ---- place ---- */

static bool add_leaf(const kin_broad* b, space* s, cell c)
{
    uint32_t n = c.end - c.begin;
    if (n < 2) return true;
    if (!kin_reserve(&b->allocator, (void**)&s->leaves, &s->leaf_capacity, (size_t)s->leaf_count + 1, sizeof *s->leaves)) return false;
    if (!kin_broad_reserve_list(b, &s->entries, s->entries.count + n)) return false;
    memcpy(s->entries.data + s->entries.count, s->waiting.data + c.begin, n * sizeof *s->entries.data);
    c.begin = (uint32_t)s->entries.count;
    c.end = c.begin + n;
    s->entries.count = c.end;
    s->leaves[s->leaf_count++] = c;
    s->deepest = c.cuts > s->deepest ? c.cuts : s->deepest;
    return true;
}

/* The two halves, the lower one on top of the stack; their boxes take the place of the cell's. */
static bool cut(const kin_broad* b, space* s, const cell* c, cell halves[2])
{
    plane p;
    sides n;
    if (!choose_plane(b, s, c, &p, &n)) return false;
    halves[0] = halves[1] = *c;
    halves[0].budget = (uint32_t)((uint64_t)(c->budget - n.crossing) * n.low / (n.low + n.high));
    halves[1].budget = c->budget - n.crossing - halves[0].budget;
    halves[0].cuts = halves[1].cuts = c->cuts + 1;
    halves[0].high[p.axis] = halves[1].low[p.axis] = p.at;
    halves[1].end = halves[0].begin = c->begin + n.high;
    halves[0].end = halves[0].begin + n.low;
    uint32_t count = c->end - c->begin, at_high = halves[1].begin, at_low = halves[0].begin, *copy = s->order.data;
    memcpy(copy, s->waiting.data + c->begin, count * sizeof *copy);
    for (uint32_t i = 0; i < count; ++i) {
        if (on_high_side(&b->stored[copy[i]], p)) s->waiting.data[at_high++] = copy[i];
        if (on_low_side(&b->stored[copy[i]], p)) s->waiting.data[at_low++] = copy[i];
    }
    return true;
}

/* A cube that no box reaches the end of. */
static cell whole(const kin_broad* b, uint32_t count)
{
    cell c = {{3e38f, 3e38f, 3e38f}, {-3e38f, -3e38f, -3e38f}, 0, count, 0, (GROWTH - 1) * count};
    float side = 0;
    for (uint32_t i = 0; i < b->slot_count; ++i) {
        if (!kin_broad_is(b, i, KIN_BROAD_ALIVE)) continue;
        for (int k = 0; k < 3; ++k) {
            c.low[k] = b->stored[i].low[k] < c.low[k] ? b->stored[i].low[k] : c.low[k];
            c.high[k] = b->stored[i].high[k] > c.high[k] ? b->stored[i].high[k] : c.high[k];
        }
    }
    for (int k = 0; k < 3; ++k) side = c.high[k] - c.low[k] > side ? c.high[k] - c.low[k] : side;
    for (int k = 0; k < 3; ++k) c.high[k] = c.low[k] + (1.0001f * side + 1e-5f * __builtin_fabsf(c.low[k]) + 1e-30f);
    return c;
}

static bool space_place(kin_broad* b, void* self)
{
    space* s = self;
    size_t n = b->alive_count;
    if (!kin_broad_reserve_list(b, &s->waiting, (GROWTH + 1) * n) || !kin_broad_reserve_list(b, &s->order, n)) return false;
    s->entries.count = 0;
    s->leaf_count = s->deepest = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->slot_count; ++i) {
        if (kin_broad_is(b, i, KIN_BROAD_ALIVE)) s->waiting.data[count++] = i;
    }
    cell stack[CUTS_MAX + 2];
    uint32_t top = 0;
    if (count > 0) stack[top++] = whole(b, count);
    while (top > 0) {
        cell c = stack[--top], halves[2];
        if (wants_cut(b, &c) && cut(b, s, &c, halves)) {
            stack[top++] = halves[1];
            stack[top++] = halves[0];
        } else if (!add_leaf(b, s, c)) {
            return false;
        }
    }
    return true;
}

/* ---- search ---- */

typedef struct search_job {
    const kin_broad* broad;
    const space* s;
    kin_broad_sink* sink;
} search_job;

/* The lower corner of what two boxes share is in this cell. */
static bool speaks(const cell* c, const kin_broad_stored* p, const kin_broad_stored* q)
{
    for (int k = 0; k < 3; ++k) {
        float corner = p->low[k] > q->low[k] ? p->low[k] : q->low[k];
        if (corner < c->low[k] || corner >= c->high[k]) return false;
    }
    return true;
}

static void search_leaf(const kin_broad* b, const space* s, const cell* c, kin_broad_batch* batch)
{
    for (uint32_t i = c->begin; i < c->end; ++i) {
        uint32_t p = s->entries.data[i];
        bool moved = kin_broad_is(b, p, KIN_BROAD_MOVED);
        for (uint32_t j = i + 1; j < c->end; ++j) {
            uint32_t q = s->entries.data[j];
            if (!moved && !kin_broad_is(b, q, KIN_BROAD_MOVED)) continue;
            if (kin_broad_stored_overlap(batch, p, q) && speaks(c, &b->stored[p], &b->stored[q])) kin_broad_found(batch, p, q);
        }
    }
}

static void search_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const search_job* job = argument;
    kin_broad_batch batch;
    kin_broad_batch_begin(&batch, job->sink);
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) search_leaf(job->broad, job->s, &job->s->leaves[i], &batch);
    kin_broad_flush(&batch);
}

static void space_search(const kin_broad* b, void* self, kin_broad_sink* sink)
{
    space* s = self;
    kin_broad_for(b, s->leaf_count, 64, search_range, &(search_job){b, s, sink});
}

static void space_term(const kin_broad* b, void* self)
{
    space* s = self;
    kin_free(&b->allocator, s->leaves, s->leaf_capacity * sizeof *s->leaves);
    kin_broad_free_list(b, &s->entries);
    kin_broad_free_list(b, &s->waiting);
    kin_broad_free_list(b, &s->order);
}

static void space_report(const kin_broad* b, const void* self, kin_broad_report* report)
{
    const space* s = self;
    report->cells = s->leaf_count;
    report->height = b->def.kind == KIN_BROAD_OCTREE ? s->deepest / 3 : s->deepest;
    report->bytes += s->leaf_capacity * sizeof *s->leaves + (s->entries.capacity + s->waiting.capacity + s->order.capacity) * sizeof(uint32_t);
}

const kin_broad_ops kin_broad_octree_ops = {
    .finds_all = true, .size = sizeof(space), .place = space_place, .search = space_search, .term = space_term, .report = space_report};
const kin_broad_ops kin_broad_kdtree_ops = {
    .finds_all = true, .size = sizeof(space), .place = space_place, .search = space_search, .term = space_term, .report = space_report};
