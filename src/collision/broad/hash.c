/* hash.c - spatial hashing with a fixed number of buckets, filled anew in each update (R3.7; Teschner 2003). Cells are as wide as boxes on average. Each bucket
 * remembers the round in which it was filled: a new round empties all of them at once. Cells that share a bucket cost time and change nothing. */
#include "base/alloc.h"
#include "collision/broad/cells.h"
#include <string.h>

typedef struct bucket {
    uint32_t round, first;
} bucket;

typedef struct reference {
    uint32_t proxy, next;
} reference;

typedef struct hash {
    double inverse; /* 1 / edge of a cell, 1/m */
    uint32_t round, filled;
    bucket* buckets;
    size_t bucket_capacity;
    uint32_t bucket_count;
    reference* references;
    size_t reference_capacity;
    uint32_t reference_count;
    kin_broad_list large;
} hash;

/* Eq 3.35, where the text hashes x three times. */
static uint32_t bucket_of(const hash* h, const int32_t at[3])
{
    uint32_t key = (uint32_t)at[0] * 92837111u ^ (uint32_t)at[1] * 689287499u ^ (uint32_t)at[2] * 283923481u;
    return key % h->bucket_count;
}

static double edge(const kin_broad* b)
{
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->slot_count; ++i) {
        if (!kin_broad_is(b, i, KIN_BROAD_ALIVE)) continue;
        const kin_broad_stored* s = &b->stored[i];
        double extent = (kin_broad_extent(s, 0) + kin_broad_extent(s, 1) + kin_broad_extent(s, 2)) / 3;
        sum += extent;
        n += extent > 0;
    }
    return n > 0 ? kin_max(sum / n, 1e-30) : 1;
}

static bool is_large(const hash* h, const kin_broad_stored* s)
{
    kin_broad_cells c = kin_broad_cells_at(s, h->inverse);
    return kin_broad_cells_number(&c) > KIN_BROAD_CELLS_MAX;
}

static bool reserve(const kin_broad* b, hash* h)
{
    size_t references = 0, buckets = b->def.buckets > 0 ? b->def.buckets : 2 * (size_t)b->alive_count + 1;
    for (uint32_t i = 0; i < b->slot_count; ++i) {
        if (!kin_broad_is(b, i, KIN_BROAD_ALIVE) || is_large(h, &b->stored[i])) continue;
        kin_broad_cells c = kin_broad_cells_at(&b->stored[i], h->inverse);
        references += (size_t)kin_broad_cells_number(&c);
    }
    size_t known = h->bucket_capacity;
    if (!kin_reserve(&b->allocator, (void**)&h->buckets, &h->bucket_capacity, buckets, sizeof *h->buckets)) return false;
    memset(h->buckets + known, 0, (h->bucket_capacity - known) * sizeof *h->buckets);
    h->bucket_count = (uint32_t)buckets;
    return kin_reserve(&b->allocator, (void**)&h->references, &h->reference_capacity, references, sizeof *h->references)
           && kin_broad_reserve_list(b, &h->large, b->alive_count);
}

static void fill(hash* h, uint32_t proxy, const kin_broad_stored* s)
{
    kin_broad_cells c = kin_broad_cells_at(s, h->inverse);
    int32_t at[3] = {c.low[0], c.low[1], c.low[2]};
    do {
        bucket* to = &h->buckets[bucket_of(h, at)];
        if (to->round != h->round) *to = (bucket){h->round, KIN_BROAD_NONE}, h->filled += 1;
        h->references[h->reference_count] = (reference){proxy, to->first};
        to->first = h->reference_count++;
    } while (kin_broad_cells_step(&c, at));
}

static bool hash_place(kin_broad* b, void* self)
{
    hash* h = self;
    h->inverse = 1 / (b->def.cell_size > 0 ? b->def.cell_size : edge(b));
    if (!reserve(b, h)) return false;
    if (++h->round == 0) { /* after 2^32 rounds the old numbers come again */
        memset(h->buckets, 0, h->bucket_capacity * sizeof *h->buckets);
        h->round = 1;
    }
    h->reference_count = h->filled = 0;
    h->large.count = 0;
    for (uint32_t i = 0; i < b->slot_count; ++i) {
        if (!kin_broad_is(b, i, KIN_BROAD_ALIVE)) continue;
        if (is_large(h, &b->stored[i]))
            h->large.data[h->large.count++] = i;
        else
            fill(h, i, &b->stored[i]);
    }
    return true;
}

typedef struct search_job {
    const kin_broad* broad;
    const hash* h;
    kin_broad_sink* sink;
} search_job;

static void search_cell(const search_job* job, uint32_t p, const kin_broad_cells* range, const int32_t at[3], kin_broad_batch* batch)
{
    const kin_broad* b = job->broad;
    const hash* h = job->h;
    for (uint32_t r = h->buckets[bucket_of(h, at)].first; r != KIN_BROAD_NONE; r = h->references[r].next) {
        uint32_t q = h->references[r].proxy;
        if (!kin_broad_speaks(b, p, q) || !kin_broad_stored_overlap(batch, p, q)) continue;
        if (kin_broad_cell_speaks(at, range, &b->stored[q], h->inverse)) kin_broad_found(batch, p, q);
    }
}

static void search_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const search_job* job = argument;
    kin_broad_batch batch;
    kin_broad_batch_begin(&batch, job->sink);
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        uint32_t p = job->broad->moved.data[i];
        if (is_large(job->h, &job->broad->stored[p])) continue;
        kin_broad_cells range = kin_broad_cells_at(&job->broad->stored[p], job->h->inverse);
        int32_t at[3] = {range.low[0], range.low[1], range.low[2]};
        do search_cell(job, p, &range, at, &batch);
        while (kin_broad_cells_step(&range, at));
    }
    kin_broad_flush(&batch);
}

static void hash_search(const kin_broad* b, void* self, kin_broad_sink* sink)
{
    hash* h = self;
    kin_broad_for(b, (int64_t)b->moved.count, 64, search_range, &(search_job){b, h, sink});
    kin_broad_search_large(b, &h->large, sink);
}

static void hash_term(const kin_broad* b, void* self)
{
    hash* h = self;
    kin_free(&b->allocator, h->buckets, h->bucket_capacity * sizeof *h->buckets);
    kin_free(&b->allocator, h->references, h->reference_capacity * sizeof *h->references);
    kin_broad_free_list(b, &h->large);
}

static void hash_report(const kin_broad* b, const void* self, kin_broad_report* report)
{
    const hash* h = self;
    (void)b;
    report->cells = h->filled;
    report->bytes += h->bucket_capacity * sizeof *h->buckets + h->reference_capacity * sizeof *h->references + h->large.capacity * sizeof(uint32_t);
}

const kin_broad_ops kin_broad_hash_ops = {
    .finds_all = true, .size = sizeof(hash), .place = hash_place, .search = hash_search, .term = hash_term, .report = hash_report};
