/* grid.c - uniform grid and multi-level grid (C2.4.1, C2.4.2): cells that hold something, in a hash.
 *
 * Each proxy remembers the box it was entered with, and so its list of cells: when it moves, the old list and the new one are compared, and only cells that
 * differ are touched. A cell counts its proxies: at two it joins the list of shared cells, back at one it leaves that, at none it is gone.
 *
 * Size of a cell: its diameter is k mean diameters of the boxes (eq 2.1 has the fraction upside down, the text around it does not); points do not count.
 * Several levels: L_1 = dmin / kmin, L_(j+1) = (kmax / kmin) L_j, as many as reach dmax. A proxy is on the coarsest level with kmin L_j <= d, and is entered
 * there and on all coarser ones; a pair counts only on the coarser of its two levels. The uniform grid is the case of one level. */
#include "base/alloc.h"
#include "collision/broad/cells.h"
#include "geometry/cells.h"
#include <string.h>

#define LEVELS_MAX 24
#define LARGE (KIN_BROAD_NONE - 1) /* a level: over too many cells */

typedef struct cell {
    int32_t at[3];
    uint32_t level;
    uint32_t next;      /* in its bucket, or among the free */
    uint32_t first;     /* reference */
    uint32_t count;     /* proxies */
    uint32_t shared_at; /* place in the list of shared cells */
} cell;

typedef struct reference {
    uint32_t proxy, next;
} reference;

typedef struct grid {
    double edges[LEVELS_MAX], inverses[LEVELS_MAX], diameters[LEVELS_MAX]; /* diameters: least on a level, m */
    uint32_t level_count;                                                  /* 0: not yet fitted */
    double smallest, largest, mean;                                        /* diameters when fitted, m */
    uint32_t fitted, misfits;                                              /* proxies when fitted; entered since whose size was not foreseen */

    cell* cells;
    size_t cell_capacity;
    uint32_t cell_top, cell_free, cells_used; /* handed out; first of the free; in use */
    reference* references;
    size_t reference_capacity;
    uint32_t reference_top, reference_free, references_unused;
    uint32_t* buckets; /* first cell of each */
    size_t bucket_capacity;
    uint32_t bucket_mask;
    kin_broad_list shared, large, all;
    kin_broad_stored* placed; /* by proxy: the box it was entered with; leaf is its level */
    size_t placed_capacity;
} grid;

/* ---- sizes ---- */

static double diameter(const kin_broad* b, uint32_t proxy) { return kin_min(kin_length(kin_aabb_size(b->boxes[proxy])), 4 * KIN_BROAD_FAR); }

static void measure(const kin_broad* b, double* smallest, double* largest, double* mean)
{
    double sum = 0;
    uint32_t n = 0;
    *smallest = 4 * KIN_BROAD_FAR, *largest = 0;
    for (uint32_t i = 0; i < b->slot_count; ++i) {
        double d = kin_broad_is(b, i, KIN_BROAD_ALIVE) ? diameter(b, i) : 0;
        if (!(d > 0)) continue;
        sum += d;
        n += 1;
        *smallest = kin_min(*smallest, d);
        *largest = kin_max(*largest, d);
    }
    *mean = n > 0 ? sum / n : 1;
    if (n == 0) *smallest = *largest = 1;
}

static void set_level(grid* g, uint32_t level, double edge, double least)
{
    g->edges[level] = kin_clamp(edge, 1e-30, 1e30);
    g->inverses[level] = 1 / g->edges[level];
    g->diameters[level] = least;
}

/* m = ceil(log(dmax / dmin) / log(kmax / kmin)), at least 1. Too many: the finest are left out. */
static void fit_levels(const kin_broad* b, grid* g)
{
    double ratio = b->def.kmax / b->def.kmin, reach = g->smallest;
    uint32_t m = 0;
    while (reach < g->largest * (1 - 1e-12) && m < 512) reach *= ratio, m += 1;
    double edge = g->smallest / b->def.kmin;
    for (; m > LEVELS_MAX; --m) edge *= ratio;
    g->level_count = m > 0 ? m : 1;
    for (uint32_t j = 0; j < g->level_count; ++j, edge *= ratio) set_level(g, j, edge, edge * b->def.kmin);
}

static void fit(const kin_broad* b, grid* g)
{
    measure(b, &g->smallest, &g->largest, &g->mean);
    if (b->def.kind == KIN_BROAD_LEVELS) {
        fit_levels(b, g);
    } else {
        g->level_count = 1;
        set_level(g, 0, b->def.cell_size > 0 ? b->def.cell_size : b->def.k * g->mean / kin_sqrt(3), 0);
    }
    g->fitted = b->alive_count;
    g->misfits = 0;
}

/* Sizes have left the range that the cells were made for. */
static bool outgrown(const kin_broad* b, grid* g)
{
    if (g->level_count == 0 || b->alive_count / 2 > g->fitted + 8 || b->alive_count < g->fitted / 4) return true;
    if (b->def.cell_size > 0 && b->def.kind == KIN_BROAD_GRID) return false;
    if (g->misfits < 64 + b->alive_count / 4) return false;
    double smallest, largest, mean;
    measure(b, &smallest, &largest, &mean);
    g->misfits = 0;
    if (b->def.kind == KIN_BROAD_GRID) return mean > 2 * g->mean || mean < 0.5 * g->mean;
    return largest > 2 * g->largest || smallest < 0.5 * g->smallest;
}

static uint32_t level_of(const kin_broad* b, const grid* g, uint32_t proxy)
{
    uint32_t level = g->level_count - 1;
    double d = diameter(b, proxy);
    while (level > 0 && !(g->diameters[level] <= d)) level -= 1;
    kin_broad_cells c = kin_broad_cells_at(&b->stored[proxy], g->inverses[level]);
    return kin_broad_cells_number(&c) > KIN_BROAD_CELLS_MAX ? LARGE : level;
}

static bool misfit(const kin_broad* b, const grid* g, uint32_t proxy)
{
    double d = diameter(b, proxy);
    return d > 0 && (d > 2 * g->largest || d < 0.5 * g->smallest);
}

/* ---- cells ---- */

static uint32_t bucket_of(const kin_broad* b, const grid* g, const int32_t at[3], uint32_t level)
{
    uint32_t x = (uint32_t)at[0], y = (uint32_t)at[1], z = (uint32_t)at[2];
    return (b->def.slices ? x + y + z + level : kin_cell_hash(x, y, z ^ level << 26)) & g->bucket_mask;
}

static uint32_t find_cell(const kin_broad* b, const grid* g, const int32_t at[3], uint32_t level)
{
    uint32_t i = g->buckets[bucket_of(b, g, at, level)];
    while (i != KIN_BROAD_NONE && (g->cells[i].level != level || memcmp(g->cells[i].at, at, sizeof g->cells[i].at) != 0)) i = g->cells[i].next;
    return i;
}

static uint32_t make_cell(const kin_broad* b, grid* g, const int32_t at[3], uint32_t level)
{
    uint32_t i = g->cell_free, *bucket = &g->buckets[bucket_of(b, g, at, level)];
    if (i != KIN_BROAD_NONE)
        g->cell_free = g->cells[i].next;
    else
        i = g->cell_top++;
    g->cells[i] = (cell){{at[0], at[1], at[2]}, level, *bucket, KIN_BROAD_NONE, 0, KIN_BROAD_NONE};
    *bucket = i;
    g->cells_used += 1;
    return i;
}

static void drop_cell(const kin_broad* b, grid* g, uint32_t i)
{
    uint32_t* link = &g->buckets[bucket_of(b, g, g->cells[i].at, g->cells[i].level)];
    while (*link != i) link = &g->cells[*link].next;
    *link = g->cells[i].next;
    g->cells[i].next = g->cell_free;
    g->cell_free = i;
    g->cells_used -= 1;
}

static void enter(const kin_broad* b, grid* g, uint32_t proxy, const int32_t at[3], uint32_t level)
{
    uint32_t i = find_cell(b, g, at, level), r = g->reference_free;
    if (i == KIN_BROAD_NONE) i = make_cell(b, g, at, level);
    if (r != KIN_BROAD_NONE) {
        g->reference_free = g->references[r].next;
        g->references_unused -= 1;
    } else {
        r = g->reference_top++;
    }
    cell* c = &g->cells[i];
    g->references[r] = (reference){proxy, c->first};
    c->first = r;
    if (++c->count != 2) return;
    c->shared_at = (uint32_t)g->shared.count;
    g->shared.data[g->shared.count++] = i;
}

static void leave(const kin_broad* b, grid* g, uint32_t proxy, const int32_t at[3], uint32_t level)
{
    uint32_t i = find_cell(b, g, at, level);
    cell* c = &g->cells[i];
    uint32_t* link = &c->first;
    while (g->references[*link].proxy != proxy) link = &g->references[*link].next;
    uint32_t r = *link;
    *link = g->references[r].next;
    g->references[r].next = g->reference_free;
    g->reference_free = r;
    g->references_unused += 1;
    if (--c->count == 1) {
        uint32_t last = g->shared.data[--g->shared.count];
        g->shared.data[c->shared_at] = last;
        g->cells[last].shared_at = c->shared_at;
    }
    if (c->count == 0) drop_cell(b, g, i);
}

/* ---- place ---- */

typedef void cell_fn(const kin_broad* b, grid* g, uint32_t proxy, const int32_t at[3], uint32_t level);

/* Calls fn, where there is one, for the cells of a proxy that has a box on a level, and all coarser ones, that are not cells of its other box. */
static size_t difference(const kin_broad* b, grid* g, uint32_t proxy, const kin_broad_stored* box, uint32_t level, const kin_broad_stored* other,
                         uint32_t other_level, cell_fn* fn)
{
    size_t n = 0;
    for (uint32_t j = level; j < g->level_count; ++j) {
        bool known = other_level <= j;
        kin_broad_cells c = kin_broad_cells_at(box, g->inverses[j]), old = known ? kin_broad_cells_at(other, g->inverses[j]) : c;
        if (known && memcmp(&c, &old, sizeof c) == 0) continue;
        int32_t at[3] = {c.low[0], c.low[1], c.low[2]};
        do {
            if (known && kin_broad_cells_have(&old, at)) continue;
            n += 1;
            if (fn != NULL) fn(b, g, proxy, at, j);
        } while (kin_broad_cells_step(&c, at));
    }
    return n;
}

static void drop_large(grid* g, uint32_t proxy)
{
    size_t i = 0;
    while (g->large.data[i] != proxy) i += 1;
    g->large.data[i] = g->large.data[--g->large.count];
}

static void place_proxy(const kin_broad* b, grid* g, uint32_t proxy, uint32_t level)
{
    kin_broad_stored *old = &g->placed[proxy], box = b->stored[proxy];
    if (level != LARGE && level != KIN_BROAD_NONE) difference(b, g, proxy, &box, level, old, old->leaf, enter);
    if (old->leaf != LARGE && old->leaf != KIN_BROAD_NONE) difference(b, g, proxy, old, old->leaf, &box, level, leave);
    if (level == LARGE && old->leaf != LARGE) g->large.data[g->large.count++] = proxy;
    if (level != LARGE && old->leaf == LARGE) drop_large(g, proxy);
    box.leaf = level;
    *old = box;
}

static bool reserve_proxies(const kin_broad* b, grid* g)
{
    size_t known = g->placed_capacity;
    if (!kin_reserve(&b->allocator, (void**)&g->placed, &g->placed_capacity, b->slot_count, sizeof *g->placed)) return false;
    for (size_t i = known; i < g->placed_capacity; ++i) g->placed[i].leaf = KIN_BROAD_NONE;
    return kin_broad_reserve_list(b, &g->large, b->slot_count) && kin_broad_reserve_list(b, &g->all, b->slot_count);
}

/* Empty, with as many buckets as proxies. */
static bool clear(const kin_broad* b, grid* g)
{
    size_t buckets = 16;
    while (buckets < b->alive_count) buckets *= 2;
    g->level_count = 0;
    if (!kin_reserve(&b->allocator, (void**)&g->buckets, &g->bucket_capacity, buckets, sizeof *g->buckets)) return false;
    memset(g->buckets, 0xFF, buckets * sizeof *g->buckets);
    g->bucket_mask = (uint32_t)(buckets - 1);
    g->cell_top = g->cells_used = g->reference_top = g->references_unused = 0;
    g->cell_free = g->reference_free = KIN_BROAD_NONE;
    g->shared.count = g->large.count = 0;
    for (uint32_t i = 0; i < b->slot_count; ++i) g->placed[i].leaf = KIN_BROAD_NONE;
    return true;
}

static bool reserve_entries(const kin_broad* b, grid* g, const kin_broad_list* proxies)
{
    size_t entries = 0;
    for (size_t i = 0; i < proxies->count; ++i) {
        uint32_t proxy = proxies->data[i], level = level_of(b, g, proxy);
        if (level != LARGE) entries += difference(b, g, proxy, &b->stored[proxy], level, &g->placed[proxy], g->placed[proxy].leaf, NULL);
    }
    size_t fresh = entries > g->references_unused ? entries - g->references_unused : 0;
    return kin_reserve(&b->allocator, (void**)&g->references, &g->reference_capacity, g->reference_top + fresh, sizeof *g->references)
           && kin_reserve(&b->allocator, (void**)&g->cells, &g->cell_capacity, g->cells_used + entries, sizeof *g->cells)
           && kin_broad_reserve_list(b, &g->shared, g->cells_used + entries);
}

static bool grid_place(kin_broad* b, void* self)
{
    grid* g = self;
    if (!reserve_proxies(b, g)) return false;
    const kin_broad_list* proxies = &b->moved;
    if (outgrown(b, g)) {
        if (!clear(b, g)) return false;
        fit(b, g);
        g->all.count = 0;
        for (uint32_t i = 0; i < b->slot_count; ++i) {
            if (kin_broad_is(b, i, KIN_BROAD_ALIVE)) g->all.data[g->all.count++] = i;
        }
        proxies = &g->all;
    }
    for (size_t i = 0; i < b->gone.count; ++i) place_proxy(b, g, b->gone.data[i], KIN_BROAD_NONE);
    if (!reserve_entries(b, g, proxies)) {
        if (proxies == &g->all) g->level_count = 0; /* nobody is in: fit again */
        return false;
    }
    for (size_t i = 0; i < proxies->count; ++i) {
        place_proxy(b, g, proxies->data[i], level_of(b, g, proxies->data[i]));
        g->misfits += misfit(b, g, proxies->data[i]);
    }
    return true;
}

/* ---- search ---- */

typedef struct search_job {
    const kin_broad* broad;
    const grid* g;
    kin_broad_sink* sink;
} search_job;

/* The rule across levels, then the boxes, then whether this is the cell that speaks for the pair. */
static void meet(const grid* g, const cell* c, uint32_t p, const kin_broad_cells* p_cells, uint32_t q, kin_broad_batch* batch)
{
    const kin_broad_stored* placed = g->placed;
    uint32_t level = placed[p].leaf > placed[q].leaf ? placed[p].leaf : placed[q].leaf;
    if (level != c->level || !kin_broad_stored_overlap(batch, p, q)) return;
    if (kin_broad_cell_speaks(c->at, p_cells, &placed[q], g->inverses[level])) kin_broad_found(batch, p, q);
}

static void search_proxies(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const search_job* job = argument;
    const kin_broad* b = job->broad;
    const grid* g = job->g;
    kin_broad_batch batch;
    kin_broad_batch_begin(&batch, job->sink);
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        uint32_t p = b->moved.data[i], level = g->placed[p].leaf;
        for (; level < g->level_count; ++level) {
            kin_broad_cells range = kin_broad_cells_at(&g->placed[p], g->inverses[level]);
            int32_t at[3] = {range.low[0], range.low[1], range.low[2]};
            do {
                const cell* c = &g->cells[find_cell(b, g, at, level)];
                for (uint32_t r = c->count > 1 ? c->first : KIN_BROAD_NONE; r != KIN_BROAD_NONE; r = g->references[r].next) {
                    if (kin_broad_speaks(b, p, g->references[r].proxy)) meet(g, c, p, &range, g->references[r].proxy, &batch);
                }
            } while (kin_broad_cells_step(&range, at));
        }
    }
    kin_broad_flush(&batch);
}

static void search_shared(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const search_job* job = argument;
    const kin_broad* b = job->broad;
    const grid* g = job->g;
    kin_broad_batch batch;
    kin_broad_batch_begin(&batch, job->sink);
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        const cell* c = &g->cells[g->shared.data[i]];
        for (uint32_t r = c->first; r != KIN_BROAD_NONE; r = g->references[r].next) {
            uint32_t p = g->references[r].proxy;
            bool moved = kin_broad_is(b, p, KIN_BROAD_MOVED);
            kin_broad_cells range = kin_broad_cells_at(&g->placed[p], g->inverses[c->level]);
            for (uint32_t s = g->references[r].next; s != KIN_BROAD_NONE; s = g->references[s].next) {
                if (moved || kin_broad_is(b, g->references[s].proxy, KIN_BROAD_MOVED)) meet(g, c, p, &range, g->references[s].proxy, &batch);
            }
        }
    }
    kin_broad_flush(&batch);
}

/* Few moved: their cells. Many: all shared cells, each once. */
static void grid_search(const kin_broad* b, void* self, kin_broad_sink* sink)
{
    grid* g = self;
    search_job job = {b, g, sink};
    if (2 * b->moved.count > b->alive_count)
        kin_broad_for(b, (int64_t)g->shared.count, 64, search_shared, &job);
    else
        kin_broad_for(b, (int64_t)b->moved.count, 64, search_proxies, &job);
    kin_broad_search_large(b, &g->large, sink);
}

/* ---- the large ---- */

typedef struct large_job {
    const kin_broad* broad;
    const kin_broad_list* large;
    kin_broad_sink* sink;
} large_job;

static void meet_all(const kin_broad* b, uint32_t p, kin_broad_batch* batch)
{
    for (uint32_t q = 0; q < b->slot_count; ++q) {
        if (q != p && kin_broad_is(b, q, KIN_BROAD_ALIVE) && kin_broad_stored_overlap(batch, p, q)) kin_broad_found(batch, p, q);
    }
}

static void search_large(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const large_job* job = argument;
    const kin_broad* b = job->broad;
    kin_broad_batch batch;
    kin_broad_batch_begin(&batch, job->sink);
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        uint32_t p = job->large->data[i];
        if (kin_broad_is(b, p, KIN_BROAD_MOVED)) {
            meet_all(b, p, &batch);
            continue;
        }
        for (size_t k = 0; k < b->moved.count; ++k) {
            uint32_t q = b->moved.data[k];
            if (kin_broad_stored_overlap(&batch, p, q)) kin_broad_found(&batch, p, q);
        }
    }
    kin_broad_flush(&batch);
}

void kin_broad_search_large(const kin_broad* b, const kin_broad_list* large, kin_broad_sink* sink)
{
    kin_broad_for(b, (int64_t)large->count, 4, search_large, &(large_job){b, large, sink});
}

/* ---- the rest ---- */

static const grid* grid_of(const kin_broad* b) { return b->def.kind == KIN_BROAD_GRID || b->def.kind == KIN_BROAD_LEVELS ? b->self : NULL; }

double kin_broad_cell_edge(const kin_broad* b, uint32_t level)
{
    const grid* g = grid_of(b);
    return g != NULL && level < g->level_count ? g->edges[level] : 0;
}

uint32_t kin_broad_level(const kin_broad* b, uint32_t proxy)
{
    const grid* g = grid_of(b);
    return g != NULL && g->placed[proxy].leaf < g->level_count ? g->placed[proxy].leaf : KIN_BROAD_NONE;
}

kin_broad_cells kin_broad_cells_of(const kin_broad* b, uint32_t proxy, uint32_t level)
{
    const grid* g = grid_of(b);
    return g != NULL && level < g->level_count ? kin_broad_cells_at(&g->placed[proxy], g->inverses[level]) : (kin_broad_cells){{0}, {-1, -1, -1}};
}

static void grid_term(const kin_broad* b, void* self)
{
    grid* g = self;
    kin_free(&b->allocator, g->cells, g->cell_capacity * sizeof *g->cells);
    kin_free(&b->allocator, g->references, g->reference_capacity * sizeof *g->references);
    kin_free(&b->allocator, g->buckets, g->bucket_capacity * sizeof *g->buckets);
    kin_free(&b->allocator, g->placed, g->placed_capacity * sizeof *g->placed);
    kin_broad_free_list(b, &g->shared);
    kin_broad_free_list(b, &g->large);
    kin_broad_free_list(b, &g->all);
}

static void grid_report(const kin_broad* b, const void* self, kin_broad_report* report)
{
    const grid* g = self;
    (void)b;
    report->cells = g->cells_used;
    report->shared = (uint32_t)g->shared.count;
    report->levels = g->level_count;
    report->bytes += g->cell_capacity * sizeof *g->cells + g->reference_capacity * sizeof *g->references + g->bucket_capacity * sizeof *g->buckets;
    report->bytes += g->placed_capacity * sizeof *g->placed + (g->shared.capacity + g->large.capacity + g->all.capacity) * sizeof(uint32_t);
}

const kin_broad_ops kin_broad_grid_ops = {
    .finds_all = true, .size = sizeof(grid), .place = grid_place, .search = grid_search, .term = grid_term, .report = grid_report};
const kin_broad_ops kin_broad_levels_ops = {
    .finds_all = true, .size = sizeof(grid), .place = grid_place, .search = grid_search, .term = grid_term, .report = grid_report};
