/* brute.c - every moved proxy against all: the reference of the other kinds. */
#include "collision/broad/inside.h"

static bool brute_place(kin_broad* broad, void* self)
{
    (void)broad, (void)self;
    return true;
}

static void search_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    kin_broad_batch batch;
    kin_broad_batch_begin(&batch, argument);
    const kin_broad* b = batch.sink->broad;
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        uint32_t p = b->moved.data[i];
        for (uint32_t q = 0; q < b->slot_count; ++q) {
            if (!kin_broad_is(b, q, KIN_BROAD_ALIVE) || !kin_broad_speaks(b, p, q)) continue;
            if (kin_broad_stored_overlap(&batch, p, q)) kin_broad_found(&batch, p, q);
        }
    }
    kin_broad_flush(&batch);
}

static void brute_search(const kin_broad* b, void* self, kin_broad_sink* sink)
{
    (void)self;
    kin_broad_for(b, (int64_t)b->moved.count, 64, search_range, sink);
}

static void brute_term(const kin_broad* broad, void* self) { (void)broad, (void)self; }
static void brute_report(const kin_broad* broad, const void* self, kin_broad_report* report) { (void)broad, (void)self, (void)report; }

const kin_broad_ops kin_broad_brute_ops = {
    .finds_all = true, .size = sizeof(int), .place = brute_place, .search = brute_search, .term = brute_term, .report = brute_report};
