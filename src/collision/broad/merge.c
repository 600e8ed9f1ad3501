/* merge.c - what an update changes: known pairs and found ones, merged into new lists, and who began and ended.
 *
 * Pairs whose boxes overlap and those whose stored boxes alone do (near) are two sorted lists. Both are cut at the same keys as what was found, and the parts
 * are settled side by side: a part's pairs go to the front of its share of `spare`, its near ones to the back. Where nothing changed the lists stay. Else the
 * parts are moved together, and each tells who began and ended by comparing old with new. */
#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "collision/broad/inside.h"
#include <string.h>

enum {
    PART = 1024, /* keys to a part */
    AHEAD = 12,  /* pairs: the boxes of those are fetched from memory while others are tested */
};

static uint64_t key_of(kin_broad_pair p) { return (uint64_t)p.a << 32 | p.b; }
static uint64_t pair_key(const kin_broad_pair_list* list, size_t i) { return key_of(list->data[i]); }

/* What a list holds is lost. */
bool kin_broad_renew(const kin_broad* b, void** data, size_t* capacity, size_t count, size_t size)
{
    if (count <= *capacity) return true;
    kin_free(&b->allocator, *data, *capacity * size);
    *data = NULL;
    *capacity = 0;
    return kin_reserve_tight(&b->allocator, data, capacity, count + count / 16, size);
}

static bool renew_pairs(const kin_broad* b, kin_broad_pair_list* list, size_t count)
{
    return kin_broad_renew(b, (void**)&list->data, &list->capacity, count, sizeof *list->data);
}

/* What it holds is not. */
static bool keep_pairs(const kin_broad* b, kin_broad_pair_list* list, size_t count)
{
    return kin_reserve_tight(&b->allocator, (void**)&list->data, &list->capacity, count, sizeof *list->data);
}

/* ---- parts ---- */

static bool is_pair_before(const void* list, size_t i, const void* key) { return pair_key(list, i) < *(const uint64_t*)key; }
static size_t first_pair(const kin_broad_pair_list* list, uint64_t key) { return kin_search(list, list->count, is_pair_before, &key); }
static size_t first_found(const kin_broad_keys* list, uint64_t key) { return kin_search_u64(list->data, list->count, key); }

/* At every so many keys of the longest list; one more than there are parts, for their ends. */
static bool cut(kin_broad* b)
{
    size_t known = b->pairs.count > b->near.count ? b->pairs.count : b->near.count, longest = known > b->found.count ? known : b->found.count;
    size_t count = longest > 0 ? (longest - 1) / PART + 1 : 1;
    if (!kin_reserve(&b->allocator, (void**)&b->parts, &b->part_capacity, count + 1, sizeof *b->parts)) return false;
    b->parts[0] = (kin_broad_part){.pairs = 0};
    for (size_t i = 1; i < count; ++i) {
        size_t at = i * PART;
        uint64_t key = longest == b->found.count ? b->found.data[at] : longest == b->pairs.count ? pair_key(&b->pairs, at) : pair_key(&b->near, at);
        b->parts[i] = (kin_broad_part){.pairs = first_pair(&b->pairs, key), .near = first_pair(&b->near, key), .found = first_found(&b->found, key)};
    }
    b->parts[count] = (kin_broad_part){.pairs = b->pairs.count, .near = b->near.count, .found = b->found.count};
    b->part_count = count;
    return true;
}

typedef struct cursor { /* through the shares of one part, by rising keys */
    const kin_broad_pair *pair, *pair_end, *near, *near_end;
    const uint64_t *found, *found_end;
} cursor;

static cursor cursor_of(const kin_broad* b, const kin_broad_part* p)
{
    return (cursor){.pair = b->pairs.data + p[0].pairs,
                    .pair_end = b->pairs.data + p[1].pairs,
                    .near = b->near.data + p[0].near,
                    .near_end = b->near.data + p[1].near,
                    .found = b->found.data + p[0].found,
                    .found_end = b->found.data + p[1].found};
}

typedef struct meeting {
    uint64_t key;
    bool was, was_near, found;
} meeting;

static inline bool next(cursor* c, meeting* m)
{
    if (c->pair == c->pair_end && c->near == c->near_end && c->found == c->found_end) return false;
    uint64_t pair = c->pair < c->pair_end ? key_of(*c->pair) : UINT64_MAX, near = c->near < c->near_end ? key_of(*c->near) : UINT64_MAX;
    uint64_t found = c->found < c->found_end ? *c->found : UINT64_MAX, known = pair < near ? pair : near;
    m->key = known < found ? known : found;
    m->was = pair == m->key, m->was_near = near == m->key, m->found = found == m->key;
    c->pair += m->was;
    c->near += m->was_near;
    while (c->found < c->found_end && *c->found == m->key) ++c->found;
    return true;
}

/* ---- room ---- */

/* Those there were and those found, each once. */
static void count_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_broad* b = argument;
    for (int64_t i = begin; i < end; ++i) {
        cursor c = cursor_of(b, &b->parts[i]);
        size_t count = 0;
        for (meeting m; next(&c, &m);) ++count;
        b->parts[i].out = count;
    }
}

/* Most that are found are known: they are counted only where room might be short. */
static bool make_room(kin_broad* b)
{
    kin_broad_part* p = b->parts;
    size_t most = b->pairs.count + b->near.count + b->found.count, sum = 0;
    if (most <= b->spare.capacity) {
        for (size_t i = 0; i <= b->part_count; ++i) p[i].out = p[i].pairs + p[i].near + p[i].found;
        return true;
    }
    kin_broad_for(b, (int64_t)b->part_count, 1, count_range, b);
    for (size_t i = 0; i <= b->part_count; ++i) {
        size_t count = p[i].out;
        p[i].out = sum;
        sum += count;
    }
    return renew_pairs(b, &b->spare, sum);
}

/* ---- settling ---- */

/* A known candidate that was not found again. */
static bool survives(const kin_broad* b, uint32_t p, uint32_t q, int flags)
{
    if ((flags & KIN_BROAD_GONE) != 0) return false;
    if ((flags & KIN_BROAD_MOVED) == 0) return true;
    return !b->ops->finds_all && kin_broad_lanes_overlap(&b->stored[p], &b->stored[q]) && kin_broad_may_pair(b, p, q);
}

/* kin_aabb_overlaps without branches: among candidates nobody can foresee the answer. */
static bool boxes_overlap(const kin_aabb* a, const kin_aabb* b)
{
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) & (a->low.z <= b->high.z)
           & (b->low.z <= a->high.z);
}

static void settle_part(kin_broad* b, kin_broad_part* part)
{
    cursor c = cursor_of(b, part);
    kin_broad_pair *front = b->spare.data + part[0].out, *back = b->spare.data + part[1].out;
    for (meeting m; next(&c, &m);) {
        uint32_t p = (uint32_t)(m.key >> 32), q = (uint32_t)m.key;
        if (c.pair + AHEAD < c.pair_end) __builtin_prefetch(&b->boxes[c.pair[AHEAD].b]);
        int flags = b->flags[p] | b->flags[q];
        bool stays = m.found || survives(b, p, q, flags);
        bool is = stays && ((flags & KIN_BROAD_TOUCHED) != 0 ? boxes_overlap(&b->boxes[p], &b->boxes[q]) : m.was), is_near = stays && !is;
        *front = back[-1] = (kin_broad_pair){p, q}; /* there is room for one more, and the next overwrites it where it is not counted */
        front += is;
        back -= is_near;
        part->begun += is & !m.was;
        part->ended += m.was & !is;
        part->near_changed += is_near != m.was_near;
    }
    part->pair_count = (size_t)(front - (b->spare.data + part[0].out));
    part->near_count = (size_t)(b->spare.data + part[1].out - back);
}

static void settle_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_broad* b = argument;
    for (int64_t i = begin; i < end; ++i) settle_part(b, &b->parts[i]);
}

/* ---- new lists ---- */

typedef struct sums {
    size_t near, near_changed, begun, ended;
} sums;

static sums sum_up(const kin_broad* b)
{
    sums s = {0, 0, 0, 0};
    for (size_t i = 0; i < b->part_count; ++i) {
        const kin_broad_part* p = &b->parts[i];
        s.near += p->near_count, s.near_changed += p->near_changed, s.begun += p->begun, s.ended += p->ended;
    }
    return s;
}

/* What each part began and ended goes where its numbers say from now on. */
static void pack(kin_broad* b)
{
    size_t begun = 0, ended = 0;
    b->spare.count = b->near_spare.count = 0;
    for (size_t i = 0; i < b->part_count; ++i) {
        kin_broad_part* p = &b->parts[i];
        for (size_t k = 0; k < p->near_count; ++k) b->near_spare.data[b->near_spare.count++] = b->spare.data[p[1].out - 1 - k];
        p->fresh = b->spare.count;
        if (p->out != p->fresh) memmove(b->spare.data + p->fresh, b->spare.data + p->out, p->pair_count * sizeof *b->spare.data);
        b->spare.count += p->pair_count;
        size_t counts[2] = {p->begun, p->ended};
        p->begun = begun, p->ended = ended;
        begun += counts[0], ended += counts[1];
    }
    b->begun.count = begun, b->ended.count = ended;
}

static void tell_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_broad* b = argument;
    for (int64_t i = begin; i < end; ++i) {
        const kin_broad_part* p = &b->parts[i];
        const kin_broad_pair *old = b->pairs.data + p[0].pairs, *old_end = b->pairs.data + p[1].pairs;
        const kin_broad_pair *now = b->spare.data + p->fresh, *now_end = now + p->pair_count;
        kin_broad_pair *begun = b->begun.data + p->begun, *ended = b->ended.data + p->ended;
        while (old < old_end || now < now_end) {
            uint64_t before = old < old_end ? key_of(*old) : UINT64_MAX, after = now < now_end ? key_of(*now) : UINT64_MAX;
            if (before < after) *ended++ = *old;
            if (after < before) *begun++ = *now;
            old += before <= after;
            now += after <= before;
        }
    }
}

static void swap_lists(kin_broad_pair_list* x, kin_broad_pair_list* y)
{
    kin_broad_pair_list swap = *x;
    *x = *y;
    *y = swap;
}

static bool sort_found(kin_broad* b)
{
    size_t n = b->found.count;
    if (n < 2) return true;
    if (!renew_pairs(b, &b->spare, n)) return false;
    kin_sort_keys(b->found.data, NULL, (uint64_t*)(void*)b->spare.data, NULL, n);
    return true;
}

bool kin_broad_merge(kin_broad* b)
{
    if (!sort_found(b) || !cut(b) || !make_room(b)) return false;
    kin_broad_for(b, (int64_t)b->part_count, 1, settle_range, b);
    sums s = sum_up(b);
    if (!renew_pairs(b, &b->near_spare, s.near) || !keep_pairs(b, &b->begun, s.begun) || !keep_pairs(b, &b->ended, s.ended)) return false;
    b->begun.count = b->ended.count = 0;
    if (s.begun + s.ended + s.near_changed == 0) return true;
    pack(b);
    if (s.begun + s.ended > 0) kin_broad_for(b, (int64_t)b->part_count, 1, tell_range, b);
    swap_lists(&b->pairs, &b->spare);
    swap_lists(&b->near, &b->near_spare);
    return true;
}
