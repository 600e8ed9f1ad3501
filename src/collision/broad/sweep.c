/* sweep.c - sweep and prune (H10.10; Baraff 1992). The ends of all boxes are kept sorted along each axis. Where things move little an insertion sort restores
 * the order in about one pass; a beginning that passes an end is a pair that may have begun to overlap. Where much is new, or far out of order, the ends
 * are sorted from scratch and swept along x with the list of active boxes.
 *
 * Ties: beginnings before ends, as touching counts. */
#include "base/alloc.h"
#include "base/sort.h"
#include "collision/broad/inside.h"
#include <string.h>

#define PASSES 256 /* exchanges for an end, on average, before sorting from scratch is cheaper */

typedef struct end {
    float at;
    uint32_t code; /* proxy << 1 | it is the upper end */
} end;

typedef struct sweep {
    end* ends[3]; /* sorted, axis by axis */
    size_t end_capacities[3];
    uint32_t count;  /* of ends along an axis */
    uint8_t* placed; /* by proxy */
    size_t placed_capacity;
    uint32_t* active_at; /* by proxy: its place in the active list */
    size_t active_at_capacity;
    kin_broad_list active, order, order_scratch;
    uint64_t *keys, *key_scratch;
    size_t key_capacity, key_scratch_capacity;
    uint32_t fresh;    /* ends added at the tail since the last sort */
    bool from_scratch; /* the next search sweeps everything */
} sweep;

static bool before(end a, end b) { return a.at < b.at || (a.at == b.at && ((a.code ^ b.code) & 1 ? (a.code & 1) < (b.code & 1) : a.code < b.code)); }

/* ---- place: who is in the lists ---- */

static bool reserve(const kin_broad* b, sweep* s)
{
    size_t ends = 2 * ((size_t)b->alive_count + b->gone.count);
    const kin_allocator* a = &b->allocator;
    for (int axis = 0; axis < 3; ++axis) {
        if (!kin_reserve(a, (void**)&s->ends[axis], &s->end_capacities[axis], ends, sizeof(end))) return false;
    }
    size_t known = s->placed_capacity;
    if (!kin_reserve(a, (void**)&s->placed, &s->placed_capacity, b->slot_count, 1)) return false;
    memset(s->placed + known, 0, s->placed_capacity - known);
    return kin_reserve(a, (void**)&s->active_at, &s->active_at_capacity, b->slot_count, sizeof(uint32_t))
           && kin_broad_reserve_list(b, &s->active, b->alive_count) && kin_broad_reserve_list(b, &s->order, ends)
           && kin_broad_reserve_list(b, &s->order_scratch, ends) && kin_reserve(a, (void**)&s->keys, &s->key_capacity, ends, sizeof(uint64_t))
           && kin_reserve(a, (void**)&s->key_scratch, &s->key_scratch_capacity, ends, sizeof(uint64_t));
}

static void drop_gone(const kin_broad* b, sweep* s)
{
    uint32_t kept = 0;
    for (int axis = 0; axis < 3; ++axis) {
        kept = 0;
        for (uint32_t i = 0; i < s->count; ++i) {
            s->ends[axis][kept] = s->ends[axis][i];
            kept += !kin_broad_is(b, s->ends[axis][i].code >> 1, KIN_BROAD_GONE);
        }
    }
    s->count = kept;
    for (size_t i = 0; i < b->gone.count; ++i) s->placed[b->gone.data[i]] = 0;
}

static void add_fresh(const kin_broad* b, sweep* s)
{
    for (size_t i = 0; i < b->moved.count; ++i) {
        uint32_t proxy = b->moved.data[i];
        if (s->placed[proxy]) continue;
        s->placed[proxy] = 1;
        for (int axis = 0; axis < 3; ++axis) {
            s->ends[axis][s->count] = (end){0, proxy << 1};
            s->ends[axis][s->count + 1] = (end){0, proxy << 1 | 1};
        }
        s->count += 2;
        s->fresh += 2;
    }
}

static bool sweep_place(kin_broad* b, void* self)
{
    sweep* s = self;
    if (!reserve(b, s)) return false;
    if (b->gone.count > 0) drop_gone(b, s);
    add_fresh(b, s);
    if (b->refiltered || s->fresh > 64 + s->count / 16) s->from_scratch = true;
    return true;
}

/* ---- coherent: insertion ---- */

static void read_ends(const kin_broad* b, sweep* s, int axis)
{
    for (uint32_t i = 0; i < s->count; ++i) {
        end* e = &s->ends[axis][i];
        const kin_broad_stored* box = &b->stored[e->code >> 1];
        e->at = (e->code & 1) != 0 ? box->high[axis] : box->low[axis];
    }
}

/* False: far out of order. A beginning that moves down past an end is where an overlap can begin; boxes are final, so the other axes are tested at once. */
static bool insert_ends(sweep* s, int axis, kin_broad_batch* batch)
{
    end* ends = s->ends[axis];
    int64_t budget = (int64_t)PASSES * s->count + 1024;
    for (uint32_t i = 1; i < s->count; ++i) {
        end e = ends[i];
        uint32_t place = i;
        for (; place > 0 && before(e, ends[place - 1]); --place) {
            end passed = ends[place - 1];
            ends[place] = passed;
            if ((e.code & 1) != 0 || (passed.code & 1) == 0 || passed.code >> 1 == e.code >> 1) continue;
            if (kin_broad_stored_overlap(batch, e.code >> 1, passed.code >> 1)) kin_broad_found(batch, e.code >> 1, passed.code >> 1);
        }
        ends[place] = e;
        budget -= i - place;
        if (budget < 0) return false;
    }
    return true;
}

typedef struct axis_job {
    const kin_broad* broad;
    sweep* s;
    kin_broad_sink* sink;
    bool ordered[3];
} axis_job;

static void insert_range(void* argument, int64_t begin, int64_t last, int chunk, kin_arena* scratch)
{
    axis_job* job = argument;
    kin_broad_batch batch;
    kin_broad_batch_begin(&batch, job->sink);
    (void)chunk, (void)scratch;
    for (int64_t axis = begin; axis < last; ++axis) {
        read_ends(job->broad, job->s, (int)axis);
        job->ordered[axis] = insert_ends(job->s, (int)axis, &batch);
    }
    kin_broad_flush(&batch);
}

/* ---- from scratch: sort and sweep ---- */

/* Floats as whole numbers of the same order, beginnings before ends, then by proxy. */
static uint64_t sort_key(end e)
{
    float at = e.at + 0.0f; /* one zero */
    uint32_t bits;
    memcpy(&bits, &at, sizeof bits);
    bits ^= (bits >> 31) != 0 ? 0xFFFFFFFFu : 0x80000000u;
    return (uint64_t)bits << 32 | (uint64_t)(e.code & 1) << 31 | e.code >> 1;
}

static void sort_ends(const kin_broad* b, sweep* s, int axis)
{
    read_ends(b, s, axis);
    for (uint32_t i = 0; i < s->count; ++i) {
        s->keys[i] = sort_key(s->ends[axis][i]);
        s->order.data[i] = s->ends[axis][i].code;
    }
    kin_sort_keys(s->keys, s->order.data, s->key_scratch, s->order_scratch.data, s->count);
    for (uint32_t i = 0; i < s->count; ++i) s->ends[axis][i].code = s->order.data[i];
    read_ends(b, s, axis);
}

static void meet_active(const kin_broad* b, const sweep* s, uint32_t proxy, kin_broad_batch* batch)
{
    bool moved = kin_broad_is(b, proxy, KIN_BROAD_MOVED);
    for (size_t i = 0; i < s->active.count; ++i) {
        uint32_t other = s->active.data[i];
        if (!moved && !kin_broad_is(b, other, KIN_BROAD_MOVED)) continue;
        if (kin_broad_stored_overlap(batch, proxy, other)) kin_broad_found(batch, proxy, other);
    }
}

static void sweep_all(const kin_broad* b, sweep* s, kin_broad_sink* sink)
{
    kin_broad_batch batch;
    kin_broad_batch_begin(&batch, sink);
    for (int axis = 0; axis < 3; ++axis) sort_ends(b, s, axis);
    s->active.count = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        uint32_t proxy = s->ends[0][i].code >> 1;
        if ((s->ends[0][i].code & 1) == 0) {
            meet_active(b, s, proxy, &batch);
            s->active_at[proxy] = (uint32_t)s->active.count;
            s->active.data[s->active.count++] = proxy;
        } else {
            uint32_t last = s->active.data[--s->active.count], hole = s->active_at[proxy];
            s->active.data[hole] = last;
            s->active_at[last] = hole;
        }
    }
    kin_broad_flush(&batch);
}

/* Once the ends are in order again their exchanges are gone: a search that is repeated for want of room has to sweep. */
static void sweep_search(const kin_broad* b, void* self, kin_broad_sink* sink)
{
    sweep* s = self;
    axis_job job = {b, s, sink, {false, false, false}};
    if (!s->from_scratch) kin_broad_for(b, 3, 1, insert_range, &job);
    bool ordered = job.ordered[0] && job.ordered[1] && job.ordered[2];
    if (s->from_scratch || !ordered) sweep_all(b, s, sink);
    s->from_scratch = true;
}

static void sweep_settle(const kin_broad* b, void* self)
{
    sweep* s = self;
    (void)b;
    s->from_scratch = false;
    s->fresh = 0;
}

static void sweep_term(const kin_broad* b, void* self)
{
    sweep* s = self;
    for (int axis = 0; axis < 3; ++axis) kin_free(&b->allocator, s->ends[axis], s->end_capacities[axis] * sizeof(end));
    kin_free(&b->allocator, s->placed, s->placed_capacity);
    kin_free(&b->allocator, s->active_at, s->active_at_capacity * sizeof(uint32_t));
    kin_free(&b->allocator, s->keys, s->key_capacity * sizeof(uint64_t));
    kin_free(&b->allocator, s->key_scratch, s->key_scratch_capacity * sizeof(uint64_t));
    kin_broad_free_list(b, &s->active);
    kin_broad_free_list(b, &s->order);
    kin_broad_free_list(b, &s->order_scratch);
}

static void sweep_report(const kin_broad* b, const void* self, kin_broad_report* report)
{
    const sweep* s = self;
    (void)b;
    report->bytes += (s->end_capacities[0] + s->end_capacities[1] + s->end_capacities[2]) * sizeof(end) + s->placed_capacity;
    report->bytes += (s->active_at_capacity + s->active.capacity + s->order.capacity + s->order_scratch.capacity) * sizeof(uint32_t);
    report->bytes += (s->key_capacity + s->key_scratch_capacity) * sizeof(uint64_t);
}

const kin_broad_ops kin_broad_sweep_ops = {.finds_all = false,
                                           .size = sizeof(sweep),
                                           .place = sweep_place,
                                           .search = sweep_search,
                                           .settle = sweep_settle,
                                           .term = sweep_term,
                                           .report = sweep_report};
