/* touch.c - the lives of manifolds. Every contact's block is prepared in one wide pass; lanes whose bodies moved too far against each other are built anew in
 * double. Pairs without contacts are asked whether they have one now. What ended and began changes the graph afterwards, in the order of bodies. */
#include "base/alloc.h"
#include "base/search.h"
#include "contact/realtime/realtime.h"
#include <string.h>

enum { BLOCK_GRAIN = 16, DIRTY_GRAIN = 64, PAIR_GRAIN = 128, WRITE_GRAIN = 32, AHEAD = 6 };
/* ---- contacts that are there ---- */

static void end_lane(kin_rt_geometry* g, kin_rt_rows* r, int lane)
{
    for (int k = 0; k < KIN_RT_POINTS; ++k) {
        g->built[k][lane] = KIN_RT_FAR;
        r->normal[k][lane] = 0;
    }
}

/* Its manifold again; or it is over, which the graph hears later. */
static void rebuild_lane(kin_rt_step* s, kin_rt_geometry* g, kin_rt_rows* r, int lane, kin_arena* scratch)
{
    kin_realtime* rt = s->rt;
    uint32_t contact = g->contact[lane], pair = rt->contacts[contact].pair;
    kin_rt_pair* p = &rt->pairs[pair];
    if (p->kind != KIN_RT_SIMPLE) {
        if ((atomic_fetch_or(&p->flags, KIN_RT_PAIR_REDO) & KIN_RT_PAIR_REDO) == 0) kin_rt_list_add(&rt->redo, pair);
        return;
    }
    kin_manifold m;
    double gap;
    if (kin_rt_collide(rt, p, kin_rt_margin(rt, p), scratch, &m, 1, &gap) > 0) {
        kin_rt_lane_write(rt, &rt->contacts[contact], &m, false);
        return;
    }
    end_lane(g, r, lane);
    kin_rt_list_add(&rt->ended, contact);
}

static void note_points(kin_rt_colour* c, uint32_t block, uint32_t found)
{
    c->flags[block] = (uint8_t)((c->flags[block] & KIN_RT_EXTRA) | (found & KIN_RT_MORE_POINTS ? 0 : KIN_RT_SINGLE));
}

static void prepare_block(kin_rt_step* s, kin_rt_colour* c, uint32_t block, kin_arena* scratch)
{
    kin_rt_geometry* g = &c->geometry[block];
    kin_rt_rows* r = &c->rows[block];
    const kin_realtime* rt = s->rt;
    c->dirty[block] = 0;
    uint32_t found = rt->kernels->prepare(&rt->lines, g, r, 0);
    if ((found & KIN_RT_STALE) != 0) {
        for (int lane = 0; lane < KIN_RT_LANES; ++lane) {
            if (found >> lane & 1) rebuild_lane(s, g, r, lane, scratch);
        }
        found = rt->kernels->prepare(&rt->lines, g, r, 1);
    }
    note_points(c, block, found);
}

typedef struct block_job {
    kin_rt_step* s;
    uint32_t first[KIN_RT_COLOURS + 1]; /* number of each colour's first block, counted through */
} block_job;

static uint32_t colour_of(const block_job* job, int64_t block)
{
    return (uint32_t)kin_search_u32(job->first, job->s->rt->colour_count + 1, (uint32_t)block + 1) - 1;
}

static void prepare_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    const block_job* job = argument;
    uint32_t colour = colour_of(job, begin);
    for (int64_t i = begin; i < end; ++i) {
        while (i >= job->first[colour + 1]) colour += 1;
        prepare_block(job->s, &job->s->rt->colour[colour], (uint32_t)(i - job->first[colour]), scratch);
    }
}

static block_job number_blocks(kin_rt_step* s)
{
    block_job job = {.s = s};
    for (uint32_t c = KIN_RT_DIRECT; c < s->rt->colour_count; ++c) job.first[c + 1] = job.first[c] + kin_rt_blocks(s->rt, c);
    return job;
}

static void prepare_all(kin_rt_step* s)
{
    block_job job = number_blocks(s);
    kin_parallel_for(s->step->jobs, job.first[s->rt->colour_count], BLOCK_GRAIN, prepare_range, &job);
}

/* ---- pairs that may begin ---- */

/* False: no room, which depends on the past and on threads, so that a second look must find what the first one did. */
static bool keep_found(kin_realtime* rt, uint32_t pair, const kin_manifold* m, int count)
{
    uint32_t first = count > 0 ? atomic_fetch_add(&rt->store_count, (uint32_t)count) : 0;
    bool fits = count == 0 || (size_t)first + (size_t)count <= rt->store_capacity;
    for (int i = 0; fits && i < count; ++i) rt->store[first + (uint32_t)i] = m[i];
    rt->found[atomic_fetch_add(&rt->found_count, 1)] = (kin_rt_found){pair, fits ? count : -1, first};
    return fits;
}

static bool overlaps(const kin_manifold* m, int count)
{
    for (int i = 0; i < count; ++i) {
        if (m[i].points[kin_manifold_deepest(&m[i])].separation <= 0) return true;
    }
    return false;
}

static int collide(kin_realtime* rt, kin_rt_pair* p, kin_arena* scratch, kin_manifold* m, double* gap)
{
    if (p->kind == KIN_RT_SENSOR) return kin_rt_collide(rt, p, 0, scratch, m, KIN_RT_MOST, gap);
    return kin_rt_collide(rt, p, kin_rt_margin(rt, p), scratch, m, p->kind == KIN_RT_SIMPLE ? 1 : KIN_RT_MOST, gap);
}

/* Neither distances nor paths are known better than to rounding. */
#define SHY (1 - 1e-6)

/* While its bodies, with what they will move in the interval, travel no farther than this, their distance is above the margin: margins grow by no more than the
 * bodies move. */
static double next_look(const kin_realtime* rt, const kin_rt_pair* p, double gap)
{
    const double room = SHY * gap - kin_rt_margin_at_rest(rt, p);
    return room > 0 ? rt->travel[p->a].gone + rt->travel[p->b].gone + room : 0;
}

/* What a pair remembers of a look that found no room is forgotten again. */
static void look_at(kin_rt_step* s, uint32_t pair, kin_arena* scratch)
{
    kin_realtime* rt = s->rt;
    kin_rt_pair* p = &rt->pairs[pair];
    kin_collide_cache* cache = kin_rt_cache_of(rt, p);
    const kin_collide_cache last = cache != NULL ? *cache : (kin_collide_cache){0};
    const uint8_t axis = p->axis;
    kin_manifold m[KIN_RT_MOST];
    double gap;
    int count = collide(rt, p, scratch, m, &gap);
    if (rt->listed[pair] != KIN_RT_NONE) rt->wait[rt->listed[pair]].until = count == 0 ? next_look(rt, p, gap) : 0;
    bool news = count > 0 || p->contacts != KIN_RT_NONE;
    if (p->kind == KIN_RT_SENSOR) {
        count = overlaps(m, count);
        news = (count > 0) != ((p->flags & KIN_RT_PAIR_TOUCHES) != 0);
    }
    if (!news || keep_found(rt, pair, m, count)) return;
    if (cache != NULL) *cache = last;
    p->axis = axis;
}

static uint32_t waiting(const kin_realtime* rt, int64_t i) { return i < rt->idle.count ? rt->idle.data[i] : rt->redo.data[i - rt->idle.count]; }

static bool is_apart_still(const kin_realtime* rt, int64_t i)
{
    if (i >= rt->idle.count) return false;
    const kin_rt_wait* w = &rt->wait[i];
    return rt->travel[w->a].soon + rt->travel[w->b].soon < w->until;
}

/* Pairs lie anywhere in memory, and so do their bodies: they are fetched while others are looked at. */
static void look_at_listed(kin_rt_step* s, const uint32_t* pairs, int count, kin_arena* scratch)
{
    const kin_realtime* rt = s->rt;
    for (int i = 0; i < count; ++i) {
        if (i + AHEAD < count) __builtin_prefetch(&rt->glance[rt->pairs[pairs[i + AHEAD]].a]), __builtin_prefetch(&rt->glance[rt->pairs[pairs[i + AHEAD]].b]);
        look_at(s, pairs[i], scratch);
    }
}

static void look_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    kin_rt_step* s = argument;
    uint32_t pairs[PAIR_GRAIN];
    int count = 0;
    for (int64_t i = begin; i < end; ++i) {
        if (is_apart_still(s->rt, i)) continue;
        if (count == PAIR_GRAIN) look_at_listed(s, pairs, count, scratch), count = 0;
        pairs[count++] = waiting(s->rt, i);
        __builtin_prefetch(&s->rt->pairs[pairs[count - 1]]);
    }
    look_at_listed(s, pairs, count, scratch);
}

static void look_at_all(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    rt->found_count = 0;
    rt->store_count = 0;
    kin_parallel_for(s->step->jobs, (int64_t)rt->idle.count + rt->redo.count, PAIR_GRAIN, look_range, s);
}

/* ---- the graph hears of it ---- */

static void end_contacts(kin_realtime* rt)
{
    uint32_t count = rt->ended.count;
    for (uint32_t i = 0; i < count; ++i) {
        rt->values[i] = rt->ended.data[i];
        rt->keys[i] = kin_rt_pair_key(&rt->pairs[rt->contacts[rt->ended.data[i]].pair]);
    }
    kin_rt_sort_pairs(rt, count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t pair = rt->contacts[rt->values[i]].pair;
        kin_rt_contact_drop(rt, rt->values[i]);
        if (kin_rt_pair_waits(rt, &rt->pairs[pair])) kin_rt_idle_add(rt, pair);
    }
    rt->ended.count = 0;
}

/* In a lane that is not written yet; NULL: out of memory. */
static const kin_rt_contact* begin_contact(kin_realtime* rt, uint32_t pair, const kin_manifold* m)
{
    uint32_t contact;
    if (!kin_rt_contact_make(rt, pair, m, &contact)) {
        rt->out_of_memory = true;
        return NULL;
    }
    if (!kin_rt_graph_add(rt, contact)) {
        kin_rt_contact_forget(rt, contact);
        rt->out_of_memory = true;
        return NULL;
    }
    if ((rt->pairs[pair].flags & KIN_RT_PAIR_SPECIAL) != 0 && rt->contacts[contact].next == KIN_RT_NONE && rt->pairs[pair].contacts == contact)
        kin_rt_decide_way(rt, pair, m);
    kin_rt_lane_stuff(rt, &rt->contacts[contact]);
    kin_rt_idle_remove(rt, pair);
    return &rt->contacts[contact];
}

static void begin_written(kin_realtime* rt, uint32_t pair, const kin_manifold* m)
{
    const kin_rt_contact* c = begin_contact(rt, pair, m);
    if (c != NULL) kin_rt_lane_write(rt, c, m, true);
}

/* The old contact of a pair that a manifold continues: same parts, and the normal most alike. */
static uint32_t continued(const kin_realtime* rt, uint32_t pair, const kin_manifold* m, const uint32_t* used, int used_count)
{
    uint32_t best = KIN_RT_NONE;
    double most = 0.9;
    for (uint32_t c = rt->pairs[pair].contacts; c != KIN_RT_NONE; c = rt->contacts[c].next) {
        const kin_rt_contact* t = &rt->contacts[c];
        bool taken = t->part_a != m->part_a || t->part_b != m->part_b;
        for (int i = 0; i < used_count; ++i) taken |= used[i] == c;
        kin_rt_lane* n = rt->colour[t->colour].rows[t->slot / KIN_RT_LANES].n;
        uint32_t l = t->slot % KIN_RT_LANES;
        double alike = -kin_dot(m->normal, kin_v((double)n[0][l], (double)n[1][l], (double)n[2][l]));
        if (!taken && alike > most) most = alike, best = c;
    }
    return best;
}

/* Several manifolds: some go on, some are new, some contacts are over. */
static void renew_contacts(kin_realtime* rt, uint32_t pair, const kin_manifold* m, int count)
{
    uint32_t used[KIN_RT_MOST];
    for (int i = 0; i < count; ++i) {
        used[i] = continued(rt, pair, &m[i], used, i);
        if (used[i] != KIN_RT_NONE) {
            const kin_rt_contact* c = &rt->contacts[used[i]];
            kin_rt_lane_write(rt, c, &m[i], false);
            rt->colour[c->colour].dirty[c->slot / KIN_RT_LANES] = 1;
        }
    }
    for (uint32_t c = rt->pairs[pair].contacts, next; c != KIN_RT_NONE; c = next) {
        next = rt->contacts[c].next;
        bool kept = false;
        for (int i = 0; i < count; ++i) kept |= used[i] == c;
        if (!kept) kin_rt_contact_drop(rt, c);
    }
    for (int i = 0; i < count; ++i) {
        if (used[i] == KIN_RT_NONE) begin_written(rt, pair, &m[i]);
    }
    if (kin_rt_pair_waits(rt, &rt->pairs[pair])) kin_rt_idle_add(rt, pair);
}

static void apply_found(kin_rt_step* s, const kin_rt_found* f)
{
    kin_realtime* rt = s->rt;
    kin_rt_pair* p = &rt->pairs[f->pair];
    p->flags &= (uint8_t)~KIN_RT_PAIR_REDO;
    kin_manifold again[KIN_RT_MOST];
    double gap;
    const kin_manifold* m = f->count >= 0 ? &rt->store[f->first] : again;
    int count = f->count >= 0 ? f->count : collide(rt, p, &s->step->jobs->arenas[0], again, &gap);
    if (p->kind == KIN_RT_SENSOR && count == 0)
        kin_rt_touch_over(rt, f->pair);
    else if (p->kind == KIN_RT_SENSOR)
        kin_rt_sensed(rt, f->pair, m);
    else if (p->kind != KIN_RT_SIMPLE || count == 0)
        renew_contacts(rt, f->pair, m, count);
    else if (f->count < 0)
        begin_written(rt, f->pair, m);
    else
        begin_contact(rt, f->pair, m); /* write_range has the rest */
}

static void write_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_realtime* rt = argument;
    for (int64_t i = begin; i < end; ++i) {
        const kin_rt_found* f = &rt->found[rt->found_order.data[i]];
        const kin_rt_pair* p = &rt->pairs[f->pair];
        if (p->kind == KIN_RT_SIMPLE && f->count > 0 && p->contacts != KIN_RT_NONE)
            kin_rt_lane_write(rt, &rt->contacts[p->contacts], &rt->store[f->first], true);
    }
}

/* Bodies asleep that something comes to: awake from now on, with their lines as of now. */
static void wake_met(kin_rt_step* s, uint32_t count)
{
    kin_realtime* rt = s->rt;
    for (uint32_t i = 0; i < count; ++i) {
        const kin_rt_pair* p = &rt->pairs[rt->found[i].pair];
        if (rt->found[i].count == 0 || p->kind == KIN_RT_SENSOR) continue;
        kin_rt_wake(rt, p->a);
        kin_rt_wake(rt, p->b);
    }
    if (rt->waking.count == 0) return;
    if (!kin_rt_wake_all(s)) rt->out_of_memory = true;
    kin_rt_active_update(rt);
    for (uint32_t k = 0; k < rt->active.count; ++k) {
        uint32_t i = rt->active.data[k];
        if (rt->body[i].flags & KIN_RT_FRESH) kin_rt_line_load(rt, i, s->h, s->substeps);
    }
}

static void begin_contacts(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    uint32_t count = rt->found_count;
    for (uint32_t i = 0; i < count; ++i) {
        rt->values[i] = i;
        rt->keys[i] = kin_rt_pair_key(&rt->pairs[rt->found[i].pair]);
    }
    kin_rt_sort_pairs(rt, count);
    for (uint32_t i = 0; i < count; ++i) rt->found_order.data[i] = rt->values[i]; /* waking sorts too */
    wake_met(s, count);
    for (uint32_t i = 0; i < count; ++i) apply_found(s, &rt->found[rt->found_order.data[i]]);
    kin_parallel_for(s->step->jobs, count, WRITE_GRAIN, write_range, rt);
    rt->redo.count = 0;
}

/* Manifolds that found no room this time will the next: a crowd that lands has thousands, and each that is looked at again is so by one thread. */
static void grow_store(kin_realtime* rt)
{
    size_t wanted = rt->store_count;
    if (wanted > rt->store_capacity) (void)kin_reserve(&rt->allocator, (void**)&rt->store, &rt->store_capacity, wanted, sizeof *rt->store);
}

static void dirty_range(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    const block_job* job = argument;
    const kin_realtime* rt = job->s->rt;
    uint32_t colour = colour_of(job, begin);
    for (int64_t i = begin; i < end; ++i) {
        while (i >= job->first[colour + 1]) colour += 1;
        kin_rt_colour* c = &job->s->rt->colour[colour];
        uint32_t k = (uint32_t)(i - job->first[colour]);
        if (!c->dirty[k]) continue;
        note_points(c, k, rt->kernels->prepare(&rt->lines, &c->geometry[k], &c->rows[k], 1));
        c->dirty[k] = 0;
    }
}

static bool any_dirty(const kin_realtime* rt)
{
    for (uint32_t c = KIN_RT_DIRECT; c < rt->colour_count; ++c) {
        uint32_t blocks = kin_rt_blocks(rt, c);
        if (blocks > 0 && memchr(rt->colour[c].dirty, 1, blocks) != NULL) return true;
    }
    return false;
}

void kin_rt_prepare_dirty(kin_rt_step* s)
{
    if (!any_dirty(s->rt)) return;
    block_job job = number_blocks(s);
    kin_parallel_for(s->step->jobs, job.first[s->rt->colour_count], DIRTY_GRAIN, dirty_range, &job);
}

/* Threads add to lists: there is room for all that they may. */
static bool find_changes(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    if (rt->has_complex && !kin_rt_list_reserve(rt, &rt->redo, rt->contact_count)) return false;
    prepare_all(s);
    size_t waiting_count = (size_t)rt->idle.count + rt->redo.count;
    if (!kin_rt_reserve(rt, (void**)&rt->found, &rt->found_capacity, waiting_count, sizeof *rt->found)) return false;
    look_at_all(s);
    size_t most = rt->ended.count > rt->found_count ? rt->ended.count : rt->found_count;
    return kin_rt_sort_reserve(rt, most) && kin_rt_list_reserve(rt, &rt->found_order, most);
}

void kin_rt_touch(kin_rt_step* s)
{
    kin_realtime* rt = s->rt;
    if (!find_changes(s)) {
        rt->out_of_memory = true;
        rt->ended.count = rt->redo.count = 0;
        return;
    }
    end_contacts(rt);
    begin_contacts(s);
    grow_store(rt);
    kin_rt_prepare_dirty(s);
}
