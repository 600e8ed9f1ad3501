/* inside.h - what the kinds of broad phase share: proxies, stored boxes, and where found pairs go.
 *
 * A kind is a table of two stages. place: bring the structure up to date with the moved and the gone; it takes its memory first, so that it fails before
 * it has changed anything that a second call would do twice. search: report pairs of stored boxes with a moved proxy in them, from any thread, in any
 * order; doubles do no harm, as found pairs are sorted. */
#pragma once
#include "collision/broad/broad.h"
#include <stdatomic.h>

#define KIN_BROAD_NONE UINT32_MAX
#define KIN_BROAD_FAR 1e18 /* m: coordinates beyond count as this; areas of such boxes still fit in a float */

/* A proxy's box in single precision, rounded outward, relative to the origin. Laid out as a node of a tree. */
typedef struct kin_broad_stored {
    float low[3];
    uint32_t leaf; /* TREE: its node, KIN_BROAD_NONE outside */
    float high[3];
    uint32_t unused;
} kin_broad_stored;

enum {
    KIN_BROAD_ALIVE = 1,
    KIN_BROAD_FIXED = 2,
    KIN_BROAD_MOVED = 4,        /* stored box or filter changed since the last update; new ones too */
    KIN_BROAD_TOUCHED = 8,      /* box changed since the last update */
    KIN_BROAD_GONE = 16,        /* removed since the last update */
    KIN_BROAD_SHIFTED = 32,     /* box changed by kin_broad_shift, and nobody was told */
    KIN_BROAD_SHIFTED_FAR = 64, /* and the stored box */
};

typedef struct kin_broad_list {
    uint32_t* data;
    size_t count, capacity;
} kin_broad_list;

typedef struct kin_broad_keys {
    uint64_t* data;
    size_t count, capacity;
} kin_broad_keys;

typedef struct kin_broad_pair_list {
    kin_broad_pair* data;
    size_t count, capacity;
} kin_broad_pair_list;

/* A part of the keys, settled by itself: where its shares begin; they end where those of the next do. */
typedef struct kin_broad_part {
    size_t pairs, near, found; /* in what is known and found */
    size_t out;                /* in spare; from where its pairs are moved to: */
    size_t fresh;              /* in the new list of pairs */
    size_t pair_count, near_count, near_changed, begun, ended;
} kin_broad_part;

/* Found pairs. Batches are flushed into one array; one that is too short counts on, and the search is repeated with room. */
typedef struct kin_broad_sink {
    const kin_broad* broad;
    uint64_t* keys;
    size_t capacity;
    _Atomic size_t count;
    _Atomic uint64_t tests;
} kin_broad_sink;

typedef struct kin_broad_ops {
    bool finds_all;                              /* search reports all pairs of a moved proxy; else those that may be new, and known ones are tested again */
    size_t size;                                 /* of self */
    bool (*place)(kin_broad* broad, void* self); /* false: out of memory */
    void (*search)(const kin_broad* broad, void* self, kin_broad_sink* sink);
    void (*settle)(const kin_broad* broad, void* self); /* after a search that counted; may be NULL */
    void (*term)(const kin_broad* broad, void* self);
    void (*report)(const kin_broad* broad, const void* self, kin_broad_report* report);
} kin_broad_ops;

extern const kin_broad_ops kin_broad_tree_ops, kin_broad_sweep_ops, kin_broad_grid_ops, kin_broad_levels_ops, kin_broad_hash_ops, kin_broad_world_tree_ops,
    kin_broad_octree_ops, kin_broad_kdtree_ops, kin_broad_brute_ops;

struct kin_broad {
    kin_allocator allocator;
    kin_broad_def def;
    const kin_broad_ops* ops;
    void* self;
    kin_jobs* jobs; /* of the running update */
    kin_vec3 origin;

    /* by proxy */
    uint32_t slot_count, alive_count;
    kin_aabb* boxes;
    kin_broad_stored* stored;
    kin_filter* filters;
    uint64_t* users;
    uint8_t* flags;
    size_t capacities[5]; /* of these five */

    kin_broad_list moved, touched, gone, unused; /* room for every slot: filling them cannot fail */
    kin_broad_keys found;                        /* key: a << 32 | b */
    kin_broad_pair_list pairs, near;             /* sorted: boxes overlap; stored boxes do, boxes do not */
    kin_broad_pair_list spare, near_spare;       /* what an update makes of them; nothing between updates */
    kin_broad_pair_list begun, ended;
    kin_broad_part* parts;
    size_t part_count, part_capacity;
    uint64_t tests;
    uint32_t searched;
    bool refiltered; /* a filter changed since the last update: pairs may begin where nothing moved */
};

static inline bool kin_broad_is(const kin_broad* broad, uint32_t proxy, int flag) { return (broad->flags[proxy] & flag) != 0; }

/* ---- tests ---- */

/* Touching counts. The fourth lanes hold other things and are left out. */
static inline bool kin_broad_lanes_overlap(const void* a, const void* b)
{
    kin_bvh_lanes a_low, a_high, b_low, b_high;
    __builtin_memcpy(&a_low, a, sizeof a_low);
    __builtin_memcpy(&a_high, (const char*)a + sizeof a_low, sizeof a_high);
    __builtin_memcpy(&b_low, b, sizeof b_low);
    __builtin_memcpy(&b_high, (const char*)b + sizeof b_low, sizeof b_high);
    kin_bvh_halves all = (kin_bvh_halves)((a_low <= b_high) & (b_low <= a_high));
    return (all[0] & (all[1] | ~(int64_t)0xFFFFFFFF)) == -1;
}

static inline bool kin_broad_may_pair(const kin_broad* broad, uint32_t a, uint32_t b)
{
    if ((broad->flags[a] & broad->flags[b] & KIN_BROAD_FIXED) != 0) return false;
    return kin_filter_meets(broad->filters[a], broad->filters[b]);
}

/* Of two moved proxies that would find each other, the smaller one speaks. */
static inline bool kin_broad_speaks(const kin_broad* broad, uint32_t moved, uint32_t other)
{
    return other != moved && (moved < other || !kin_broad_is(broad, other, KIN_BROAD_MOVED));
}

static inline uint64_t kin_broad_key(uint32_t a, uint32_t b) { return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; }

/* ---- reporting, one batch for a chunk ---- */

#define KIN_BROAD_BATCH 256

typedef struct kin_broad_batch {
    kin_broad_sink* sink;
    uint64_t tests;
    uint32_t count;
    uint64_t keys[KIN_BROAD_BATCH];
} kin_broad_batch;

void kin_broad_flush(kin_broad_batch* batch);

static inline void kin_broad_batch_begin(kin_broad_batch* batch, kin_broad_sink* sink)
{
    batch->sink = sink;
    batch->tests = 0;
    batch->count = 0;
}

/* Stored boxes that are known to overlap. */
static inline void kin_broad_found(kin_broad_batch* batch, uint32_t a, uint32_t b)
{
    if (!kin_broad_may_pair(batch->sink->broad, a, b)) return;
    if (batch->count == KIN_BROAD_BATCH) kin_broad_flush(batch);
    batch->keys[batch->count++] = kin_broad_key(a, b);
}

static inline bool kin_broad_stored_overlap(kin_broad_batch* batch, uint32_t a, uint32_t b)
{
    const kin_broad_stored* stored = batch->sink->broad->stored;
    batch->tests += 1;
    return kin_broad_lanes_overlap(&stored[a], &stored[b]);
}

/* ---- memory ---- */

static inline double kin_broad_extent(const kin_broad_stored* s, int axis) { return (double)s->high[axis] - (double)s->low[axis]; }

bool kin_broad_reserve_list(const kin_broad* broad, kin_broad_list* list, size_t count);
void kin_broad_free_list(const kin_broad* broad, kin_broad_list* list);
/* The calling thread alone where there are no jobs. */
void kin_broad_for(const kin_broad* broad, int64_t n, int64_t grain, kin_range_fn* fn, void* argument);

bool kin_broad_renew(const kin_broad* broad, void** data, size_t* capacity, size_t count, size_t size); /* what was there is lost */

/* merge.c: found pairs into the lists. False: out of memory, and they are as they were. */
bool kin_broad_merge(kin_broad* broad);

/* tree.c: the nodes of KIN_BROAD_TREE, for walks. */
kin_bvh kin_broad_tree_view(const void* self);
