/* broad.c - proxies and their stored boxes; what the user sees of an update. The kinds only say whose stored boxes overlap; merge.c makes lists of that. */
#include "collision/broad/inside.h"
#include "base/alloc.h"
#include "base/error.h"
#include <string.h>

#define SLOTS_MAX 0x7FFFFFFFu

static const kin_broad_ops* const kinds[KIN_BROAD_KIND_COUNT] = {
    [KIN_BROAD_TREE] = &kin_broad_tree_ops,     [KIN_BROAD_SWEEP] = &kin_broad_sweep_ops,   [KIN_BROAD_GRID] = &kin_broad_grid_ops,
    [KIN_BROAD_LEVELS] = &kin_broad_levels_ops, [KIN_BROAD_HASH] = &kin_broad_hash_ops,     [KIN_BROAD_WORLD_TREE] = &kin_broad_world_tree_ops,
    [KIN_BROAD_OCTREE] = &kin_broad_octree_ops, [KIN_BROAD_KDTREE] = &kin_broad_kdtree_ops, [KIN_BROAD_BRUTE] = &kin_broad_brute_ops,
};

const char* const kin_broad_names[] = {
    [KIN_BROAD_TREE] = "tree",   [KIN_BROAD_SWEEP] = "sweep",           [KIN_BROAD_GRID] = "grid",     [KIN_BROAD_LEVELS] = "levels",
    [KIN_BROAD_HASH] = "hash",   [KIN_BROAD_WORLD_TREE] = "world_tree", [KIN_BROAD_OCTREE] = "octree", [KIN_BROAD_KDTREE] = "kdtree",
    [KIN_BROAD_BRUTE] = "brute", [KIN_BROAD_KIND_COUNT] = NULL,
};

const char* kin_broad_kind_name(kin_broad_kind kind) { return (unsigned)kind < KIN_BROAD_KIND_COUNT ? kin_broad_names[kind] : "unknown"; }

/* ---- making ---- */

kin_broad_def kin_broad_def_default(kin_broad_kind kind)
{
    bool refits = kind == KIN_BROAD_WORLD_TREE; /* its boxes are new in every update anyhow */
    return (kin_broad_def){.kind = kind,
                           .margin = refits ? 0 : 0.05,
                           .predict = refits ? 0 : 4,
                           .k = 2,
                           .kmin = 0.5,
                           .kmax = 1,
                           .leaf_count = 24,
                           .max_depth = kind == KIN_BROAD_OCTREE ? 12 : 20};
}

static kin_result check_def(const kin_broad_def* def, kin_error* error)
{
    if ((unsigned)def->kind >= KIN_BROAD_KIND_COUNT) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.kind", "%d is none of the kinds", (int)def->kind);
    if (!kin_finite3(def->origin)) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.origin", "must be finite (m)");
    if (!(def->margin >= 0 && def->margin <= 1e3)) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.margin", "%g must be in [0, 1000]", def->margin);
    if (!(def->predict >= 0 && def->predict <= 1e3)) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.predict", "%g must be in [0, 1000]", def->predict);
    if (!(def->k >= 1 && def->k <= 1e3)) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.k", "%g must be in [1, 1000]", def->k);
    if (!(def->cell_size >= 0 && def->cell_size <= KIN_BROAD_FAR))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.cell_size", "%g must be >= 0 (m; 0: chosen)", def->cell_size);
    if (!(def->kmin > 0 && def->kmin < 1)) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.kmin", "%g must be in (0, 1)", def->kmin);
    if (!(def->kmax >= 1 && def->kmax <= 1e3)) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.kmax", "%g must be in [1, 1000]", def->kmax);
    if (!(def->kmax / def->kmin >= 1.25))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.kmin", "kmax / kmin is %g and must be at least 1.25: levels would hardly differ",
                        def->kmax / def->kmin);
    if (def->buckets > 1u << 30) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.buckets", "%u must be at most 2^30 (0: chosen)", def->buckets);
    if (def->leaf_count < 1) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.leaf_count", "must be at least 1");
    if (def->max_depth < 1 || def->max_depth > 20) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.max_depth", "%u must be 1 to 20", def->max_depth);
    return KIN_OK;
}

kin_result kin_broad_create(const kin_allocator* allocator, const kin_broad_def* def, kin_broad** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check_def(def, error);
    if (result != KIN_OK) return result;
    const kin_broad_ops* ops = kinds[def->kind];
    kin_broad* broad = kin_alloc_zero(allocator, sizeof *broad);
    void* self = kin_alloc_zero(allocator, ops->size);
    if (broad == NULL || self == NULL) {
        kin_free(allocator, broad, sizeof *broad);
        kin_free(allocator, self, ops->size);
        return kin_fail_memory(error, "a broad phase", sizeof *broad + ops->size);
    }
    *broad = (kin_broad){.allocator = *allocator, .def = *def, .ops = ops, .self = self, .origin = def->origin};
    *out = broad;
    return KIN_OK;
}

static void free_pairs(kin_broad* b, kin_broad_pair_list* list) { kin_free(&b->allocator, list->data, list->capacity * sizeof *list->data); }
void kin_broad_free_list(const kin_broad* b, kin_broad_list* list) { kin_free(&b->allocator, list->data, list->capacity * sizeof *list->data); }

bool kin_broad_reserve_list(const kin_broad* b, kin_broad_list* list, size_t count)
{
    return kin_reserve(&b->allocator, (void**)&list->data, &list->capacity, count, sizeof *list->data);
}

void kin_broad_destroy(kin_broad* b)
{
    if (b == NULL) return;
    b->ops->term(b, b->self);
    kin_free(&b->allocator, b->self, b->ops->size);
    kin_free(&b->allocator, b->boxes, b->capacities[0] * sizeof *b->boxes);
    kin_free(&b->allocator, b->stored, b->capacities[1] * sizeof *b->stored);
    kin_free(&b->allocator, b->filters, b->capacities[2] * sizeof *b->filters);
    kin_free(&b->allocator, b->users, b->capacities[3] * sizeof *b->users);
    kin_free(&b->allocator, b->flags, b->capacities[4] * sizeof *b->flags);
    kin_broad_list* lists[] = {&b->moved, &b->touched, &b->gone, &b->unused};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) kin_broad_free_list(b, lists[i]);
    kin_free(&b->allocator, b->found.data, b->found.capacity * sizeof *b->found.data);
    kin_free(&b->allocator, b->parts, b->part_capacity * sizeof *b->parts);
    kin_broad_pair_list* pairs[] = {&b->pairs, &b->near, &b->spare, &b->near_spare, &b->begun, &b->ended};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) free_pairs(b, pairs[i]);
    kin_allocator allocator = b->allocator;
    kin_free(&allocator, b, sizeof *b);
}

/* ---- proxies ---- */

static bool reserve_slots(kin_broad* b, size_t count)
{
    void** const columns[] = {(void**)&b->boxes, (void**)&b->stored, (void**)&b->filters, (void**)&b->users, (void**)&b->flags};
    const size_t sizes[] = {sizeof *b->boxes, sizeof *b->stored, sizeof *b->filters, sizeof *b->users, sizeof *b->flags};
    kin_broad_list* const lists[] = {&b->moved, &b->touched, &b->gone, &b->unused};
    bool ok = true;
    for (int i = 0; i < 5 && ok; ++i) ok = kin_reserve_tight(&b->allocator, columns[i], &b->capacities[i], count, sizes[i]);
    for (int i = 0; i < 4 && ok; ++i) ok = kin_reserve_tight(&b->allocator, (void**)&lists[i]->data, &lists[i]->capacity, count, sizeof *lists[i]->data);
    return ok;
}

bool kin_broad_reserve(kin_broad* b, uint32_t proxies) { return reserve_slots(b, proxies); }

static float down(double x) { return kin_float_down(kin_clamp(x, -KIN_BROAD_FAR, KIN_BROAD_FAR)); }
static float up(double x) { return kin_float_up(kin_clamp(x, -KIN_BROAD_FAR, KIN_BROAD_FAR)); }

/* Subtracting and rounding keep order: what overlaps still does. */
static kin_broad_stored store(const kin_broad* b, kin_aabb box)
{
    kin_vec3 o = b->origin;
    return (kin_broad_stored){.low = {down(box.low.x - o.x), down(box.low.y - o.y), down(box.low.z - o.z)},
                              .high = {up(box.high.x - o.x), up(box.high.y - o.y), up(box.high.z - o.z)}};
}

static double mean_extent(kin_aabb box)
{
    kin_vec3 s = kin_aabb_size(box);
    return kin_min((s.x + s.y + s.z) / 3, KIN_BROAD_FAR);
}

/* How far a stored box reaches beyond the box, to both sides and ahead. */
static kin_aabb fatten(const kin_broad* b, kin_aabb box, kin_vec3 displacement)
{
    kin_vec3 ahead = kin_scale(displacement, b->def.predict), zero = {0, 0, 0};
    kin_aabb fat = kin_aabb_grow(box, b->def.margin * mean_extent(box));
    return (kin_aabb){kin_add(fat.low, kin_min3(ahead, zero)), kin_add(fat.high, kin_max3(ahead, zero))};
}

/* [low, high] is within the stored ones, and those are larger by no more than the slack. A box of floats holds one of doubles whether or not that is rounded. */
static bool holds(float stored_low, float stored_high, double low, double high, double slack)
{
    double from = (double)stored_low, to = (double)stored_high;
    return (from <= low) & (high <= to) & ((to - from) - (high - low) <= slack);
}

/* The box is within, and not so much smaller that a stored one made now would be far better. */
static bool still_good(const kin_broad* b, const kin_broad_stored* s, kin_aabb box, kin_vec3 d)
{
    kin_vec3 low = kin_sub(box.low, b->origin), high = kin_sub(box.high, b->origin);
    double m = b->def.margin * mean_extent(box), p = b->def.predict;
    return holds(s->low[0], s->high[0], low.x, high.x, 4 * (m + p * kin_abs(d.x))) && holds(s->low[1], s->high[1], low.y, high.y, 4 * (m + p * kin_abs(d.y)))
           && holds(s->low[2], s->high[2], low.z, high.z, 4 * (m + p * kin_abs(d.z)));
}

static void mark_touched(kin_broad* b, uint32_t proxy)
{
    if (!kin_broad_is(b, proxy, KIN_BROAD_TOUCHED)) b->touched.data[b->touched.count++] = proxy;
    b->flags[proxy] |= KIN_BROAD_TOUCHED;
}
static void mark_moved(kin_broad* b, uint32_t proxy)
{
    mark_touched(b, proxy);
    if (!kin_broad_is(b, proxy, KIN_BROAD_MOVED)) b->moved.data[b->moved.count++] = proxy;
    b->flags[proxy] |= KIN_BROAD_MOVED;
}

static kin_result check_box(kin_aabb box, const char* where, kin_error* error)
{
    if (box.low.x <= box.high.x && box.low.y <= box.high.y && box.low.z <= box.high.z) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, where, "(%g %g %g) to (%g %g %g) is empty or not a number (m)", box.low.x, box.low.y, box.low.z, box.high.x,
                    box.high.y, box.high.z);
}

/* Single precision has 24 bits; a box should have 8 of them at least. */
static void choose_origin(kin_broad* b, kin_aabb box)
{
    kin_vec3 center = kin_aabb_center(box);
    double away = kin_largest(kin_abs3(kin_sub(center, b->def.origin)));
    b->origin = kin_finite3(center) && mean_extent(box) > 0 && away > 0x1p16 * mean_extent(box) ? center : b->def.origin;
}

kin_result kin_broad_insert(kin_broad* b, const kin_broad_proxy_def* def, uint32_t* proxy, kin_error* error)
{
    *proxy = KIN_BROAD_NONE;
    kin_result result = check_box(def->box, "broad.proxy.box", error);
    if (result != KIN_OK) return result;
    bool reuse = b->unused.count > 0;
    if (!reuse && b->slot_count == SLOTS_MAX) return kin_fail(error, KIN_ERROR_LIMIT, "broad", "no more than 2^31 - 1 proxies");
    if (!reuse && !reserve_slots(b, (size_t)b->slot_count + 1)) return kin_fail_memory(error, "a broad phase's proxies", sizeof *b->boxes);
    uint32_t id = reuse ? b->unused.data[--b->unused.count] : b->slot_count++;
    if (b->alive_count == 0 && b->gone.count == 0) choose_origin(b, def->box);
    b->boxes[id] = def->box;
    b->filters[id] = def->filter;
    b->users[id] = def->user;
    b->flags[id] = (uint8_t)(KIN_BROAD_ALIVE | (def->fixed ? KIN_BROAD_FIXED : 0));
    b->stored[id] = store(b, fatten(b, def->box, kin_v(0, 0, 0)));
    b->stored[id].leaf = KIN_BROAD_NONE;
    b->alive_count += 1;
    mark_moved(b, id);
    *proxy = id;
    return KIN_OK;
}

static bool same_box(const kin_broad_stored* a, const kin_broad_stored* b)
{
    return memcmp(a->low, b->low, sizeof a->low) == 0 && memcmp(a->high, b->high, sizeof a->high) == 0;
}

kin_result kin_broad_shift(kin_broad* b, uint32_t proxy, kin_aabb box, kin_vec3 displacement, kin_error* error)
{
    KIN_ASSERT(kin_broad_holds(b, proxy));
    kin_result result = check_box(box, "broad.move.box", error);
    if (result != KIN_OK) return result;
    if (!kin_finite3(displacement)) return kin_fail(error, KIN_ERROR_ARGUMENT, "broad.move.displacement", "must be finite (m)");
    b->flags[proxy] |= KIN_BROAD_SHIFTED;
    b->boxes[proxy] = box;
    kin_broad_stored* s = &b->stored[proxy];
    if (still_good(b, s, box, displacement)) return KIN_OK;
    kin_broad_stored fat = store(b, fatten(b, box, displacement));
    if (same_box(s, &fat)) return KIN_OK;
    fat.leaf = s->leaf;
    *s = fat;
    b->flags[proxy] |= KIN_BROAD_SHIFTED_FAR;
    return KIN_OK;
}

void kin_broad_enlist(kin_broad* b, uint32_t proxy)
{
    if (kin_broad_is(b, proxy, KIN_BROAD_SHIFTED)) mark_touched(b, proxy);
    if (kin_broad_is(b, proxy, KIN_BROAD_SHIFTED_FAR)) mark_moved(b, proxy);
    b->flags[proxy] &= (uint8_t) ~(KIN_BROAD_SHIFTED | KIN_BROAD_SHIFTED_FAR);
}

kin_result kin_broad_move(kin_broad* b, uint32_t proxy, kin_aabb box, kin_vec3 displacement, kin_error* error)
{
    kin_result result = kin_broad_shift(b, proxy, box, displacement, error);
    if (result == KIN_OK) kin_broad_enlist(b, proxy);
    return result;
}

void kin_broad_remove(kin_broad* b, uint32_t proxy)
{
    KIN_ASSERT(kin_broad_holds(b, proxy));
    b->flags[proxy] = (uint8_t)((b->flags[proxy] & ~KIN_BROAD_ALIVE) | KIN_BROAD_GONE);
    b->gone.data[b->gone.count++] = proxy;
    b->alive_count -= 1;
}

void kin_broad_set_filter(kin_broad* b, uint32_t proxy, kin_filter filter)
{
    KIN_ASSERT(kin_broad_holds(b, proxy));
    b->filters[proxy] = filter;
    b->refiltered = true;
    mark_moved(b, proxy);
}

/* ---- search ---- */

void kin_broad_for(const kin_broad* b, int64_t n, int64_t grain, kin_range_fn* fn, void* argument)
{
    if (b->jobs != NULL) {
        kin_parallel_for(b->jobs, n, grain, fn, argument);
    } else {
        for (int64_t begin = 0; begin < n; begin += grain) fn(argument, begin, begin + grain < n ? begin + grain : n, (int)(begin / grain), NULL);
    }
}

void kin_broad_flush(kin_broad_batch* batch)
{
    kin_broad_sink* sink = batch->sink;
    size_t at = atomic_fetch_add(&sink->count, batch->count);
    if (batch->count > 0 && at + batch->count <= sink->capacity) memcpy(sink->keys + at, batch->keys, batch->count * sizeof *batch->keys);
    atomic_fetch_add(&sink->tests, batch->tests);
    batch->count = 0;
    batch->tests = 0;
}

/* Removed before they were ever placed, or after they moved: not to be searched for. */
static void forget_gone(kin_broad* b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->moved.count; ++i) {
        uint32_t proxy = b->moved.data[i];
        b->moved.data[kept] = proxy;
        kept += kin_broad_is(b, proxy, KIN_BROAD_ALIVE);
    }
    b->moved.count = kept;
}

static bool search(kin_broad* b)
{
    if (b->gone.count > 0) forget_gone(b);
    if (b->moved.count == 0 && b->gone.count == 0) return b->found.count = 0, b->tests = 0, true;
    if (!b->ops->place(b, b->self)) return false;
    for (;;) {
        kin_broad_sink sink = {.broad = b, .keys = b->found.data, .capacity = b->found.capacity};
        if (b->moved.count > 0) b->ops->search(b, b->self, &sink);
        b->found.count = atomic_load(&sink.count);
        b->tests = atomic_load(&sink.tests);
        if (b->found.count <= b->found.capacity) return true;
        size_t wanted = b->found.count;
        b->found.count = 0;
        if (!kin_broad_renew(b, (void**)&b->found.data, &b->found.capacity, wanted, sizeof *b->found.data)) return false;
    }
}

/* ---- update ---- */

static void settle(kin_broad* b)
{
    for (size_t i = 0; i < b->touched.count; ++i) b->flags[b->touched.data[i]] &= (uint8_t) ~(KIN_BROAD_MOVED | KIN_BROAD_TOUCHED);
    for (size_t i = b->gone.count; i-- > 0;) {
        b->flags[b->gone.data[i]] = 0;
        b->unused.data[b->unused.count++] = b->gone.data[i];
    }
    if (b->ops->settle != NULL) b->ops->settle(b, b->self);
    b->searched = (uint32_t)b->moved.count;
    b->moved.count = b->touched.count = b->gone.count = 0;
    b->refiltered = false;
}

kin_result kin_broad_update(kin_broad* b, kin_jobs* jobs, kin_error* error)
{
    if (b->touched.count > 0 || b->gone.count > 0) {
        b->jobs = jobs;
        bool ok = search(b) && kin_broad_merge(b);
        b->jobs = NULL;
        if (!ok) return kin_fail_memory(error, "a broad phase's pairs", b->found.count * sizeof(uint64_t));
        settle(b);
    } else {
        b->begun.count = b->ended.count = 0;
        b->searched = 0;
        b->tests = 0;
    }
    return KIN_OK;
}

/* ---- what is known ---- */

kin_broad_view kin_broad_pairs(const kin_broad* b) { return (kin_broad_view){b->pairs.data, b->pairs.count}; }
kin_broad_view kin_broad_begun(const kin_broad* b) { return (kin_broad_view){b->begun.data, b->begun.count}; }
kin_broad_view kin_broad_ended(const kin_broad* b) { return (kin_broad_view){b->ended.data, b->ended.count}; }
bool kin_broad_holds(const kin_broad* b, uint32_t proxy) { return proxy < b->slot_count && kin_broad_is(b, proxy, KIN_BROAD_ALIVE); }
kin_aabb kin_broad_box(const kin_broad* b, uint32_t proxy) { return b->boxes[proxy]; }
kin_filter kin_broad_proxy_filter(const kin_broad* b, uint32_t proxy) { return b->filters[proxy]; }
uint64_t kin_broad_user(const kin_broad* b, uint32_t proxy) { return b->users[proxy]; }
uint32_t kin_broad_count(const kin_broad* b) { return b->alive_count; }

kin_broad_report kin_broad_reports(const kin_broad* b)
{
    kin_broad_report r = {.bytes = sizeof *b + b->ops->size, .candidates = b->pairs.count + b->near.count, .tests = b->tests, .searched = b->searched};
    r.bytes += b->capacities[0] * sizeof *b->boxes + b->capacities[1] * sizeof *b->stored + b->capacities[2] * sizeof *b->filters;
    r.bytes += b->capacities[3] * sizeof *b->users + b->capacities[4] * sizeof *b->flags;
    r.bytes += (b->moved.capacity + b->touched.capacity + b->gone.capacity + b->unused.capacity) * sizeof(uint32_t);
    r.bytes += b->found.capacity * sizeof(uint64_t) + b->part_capacity * sizeof *b->parts;
    const kin_broad_pair_list* lists[] = {&b->pairs, &b->near, &b->spare, &b->near_spare, &b->begun, &b->ended};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) r.bytes += lists[i]->capacity * sizeof *lists[i]->data;
    b->ops->report(b, b->self, &r);
    return r;
}
