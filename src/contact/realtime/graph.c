/* graph.c - contacts in colours: within one no free body occurs twice, so its contacts are solved side by side. A contact keeps its colour while it lasts;
 * a new one takes the lowest that both bodies have free. Slots are filled without gaps: the last contact moves into the place of one that goes. Now and then
 * a colour is put in order again: when bodies are many, their lines are met in the cache or not at all.
 *
 * Bodies are the leaves of a tree, by number: what is made one after the other mostly lies side by side. A contact belongs to the lowest node that has both its
 * bodies, and every node has colours of its own: nodes of a level share no body, so a thread takes a node and goes through its colours alone. Threads wait for
 * each other once a level, not once a colour, and keep their bodies in their caches. Few bodies are one leaf. */
#include "base/alloc.h"
#include "contact/realtime/realtime.h"
#include <string.h>

enum {
    STRAYED = 64, /* contacts: fewer are not worth a sort */
    FEW = 512,    /* bodies: fewer are one leaf */
    SLOTS = 1 << KIN_RT_SLOT_BITS,
};

static bool reserve_blocks(kin_realtime* rt, kin_rt_colour* c, size_t count)
{
    return kin_rt_reserve(rt, (void**)&c->geometry, &c->capacity[0], count, sizeof *c->geometry)
           && kin_rt_reserve(rt, (void**)&c->rows, &c->capacity[1], count, sizeof *c->rows)
           && (c->extra == NULL || kin_rt_reserve(rt, (void**)&c->extra, &c->capacity[2], count, sizeof *c->extra))
           && kin_rt_reserve(rt, (void**)&c->flags, &c->capacity[3], count, sizeof *c->flags)
           && kin_rt_reserve(rt, (void**)&c->dirty, &c->capacity[4], count, sizeof *c->dirty)
           && kin_rt_reserve(rt, (void**)&c->struck, &c->capacity[5], count, sizeof *c->struck);
}

/* Blocks are made of 4-byte lanes throughout. */
static void clear_column(void* block, size_t size, uint32_t lane)
{
    float* x = block;
    for (size_t i = 0; i < size / sizeof(kin_rt_lane); ++i) x[i * KIN_RT_LANES + lane] = 0;
}

static void copy_column(void* to, uint32_t lane_to, const void* from, uint32_t lane_from, size_t size)
{
    uint32_t* x = to;
    const uint32_t* y = from;
    for (size_t i = 0; i < size / sizeof(kin_rt_lane); ++i) x[i * KIN_RT_LANES + lane_to] = y[i * KIN_RT_LANES + lane_from];
}

/* What is not 0 in one. */
static void empty_lane(kin_rt_geometry* g, kin_rt_rows* r, uint32_t lane)
{
    for (int k = 0; k < KIN_RT_POINTS; ++k) g->built[k][lane] = r->start[k][lane] = r->gap[k][lane] = KIN_RT_FAR;
    g->slack[lane] = g->roll[lane] = KIN_RT_FAR;
    g->contact[lane] = KIN_RT_NONE;
    r->a[lane] = r->b[lane] = ~0; /* the line at rest */
}

void kin_rt_lane_clear(kin_rt_colour* c, uint32_t slot)
{
    uint32_t block = slot / KIN_RT_LANES, lane = slot % KIN_RT_LANES;
    kin_rt_geometry* g = &c->geometry[block];
    kin_rt_rows* r = &c->rows[block];
    clear_column(g, sizeof *g, lane);
    clear_column(r, sizeof *r, lane);
    if (c->extra != NULL) clear_column(&c->extra[block], sizeof *c->extra, lane);
    empty_lane(g, r, lane);
}

static void clear_block(kin_rt_colour* c, uint32_t block)
{
    kin_rt_geometry* g = &c->geometry[block];
    kin_rt_rows* r = &c->rows[block];
    memset(g, 0, sizeof *g);
    memset(r, 0, sizeof *r);
    if (c->extra != NULL) memset(&c->extra[block], 0, sizeof *c->extra);
    for (uint32_t k = 0; k < KIN_RT_LANES; ++k) empty_lane(g, r, k);
    c->flags[block] = c->dirty[block] = 0;
}

static bool make_extra(kin_realtime* rt, kin_rt_colour* c)
{
    if (c->extra != NULL) return true;
    size_t count = c->capacity[0];
    c->extra = kin_alloc_zero(&rt->allocator, count * sizeof *c->extra);
    if (c->extra == NULL) return false;
    c->capacity[2] = count;
    return true;
}

static void copy_lane(kin_rt_colour* to, uint32_t slot_to, const kin_rt_colour* from, uint32_t slot_from)
{
    uint32_t bt = slot_to / KIN_RT_LANES, lt = slot_to % KIN_RT_LANES, bf = slot_from / KIN_RT_LANES, lf = slot_from % KIN_RT_LANES;
    copy_column(&to->geometry[bt], lt, &from->geometry[bf], lf, sizeof *to->geometry);
    copy_column(&to->rows[bt], lt, &from->rows[bf], lf, sizeof *to->rows);
    if (from->extra != NULL && to->extra != NULL) copy_column(&to->extra[bt], lt, &from->extra[bf], lf, sizeof *to->extra);
    to->flags[bt] |= from->flags[bf] & KIN_RT_EXTRA;
    to->dirty[bt] = 1;
}

static uint32_t leaf_of(const kin_realtime* rt, uint32_t body)
{
    const uint32_t leaf = body / rt->leaf;
    return leaf < KIN_RT_LEAVES ? leaf : KIN_RT_LEAVES - 1;
}

/* The lowest node that has both; its level is how far up they still differ. */
static uint32_t node_of(const kin_realtime* rt, uint32_t a, uint32_t b, uint32_t* level)
{
    const uint32_t leaf_a = leaf_of(rt, a), leaf_b = leaf_of(rt, b);
    *level = 0;
    while (leaf_a >> *level != leaf_b >> *level) *level += 1;
    return kin_rt_level_first(*level) + (leaf_a >> *level);
}

static uint32_t level_of(uint32_t node)
{
    uint32_t level = 0;
    while (node >= kin_rt_level_first(level + 1)) level += 1;
    return level;
}

static uint32_t lowest_free(uint32_t node, uint32_t taken, uint32_t from, uint32_t count)
{
    for (uint32_t k = from; k < from + count; ++k) {
        if ((taken >> k & 1) == 0) return KIN_RT_FIRST + node * KIN_RT_OF_NODE + k;
    }
    return KIN_RT_OVERFLOW;
}

static uint32_t choose(const kin_realtime* rt, const kin_rt_pair* p)
{
    if (((rt->body[p->a].flags | rt->body[p->b].flags) & KIN_RT_IN_BLOCK) != 0) return KIN_RT_DIRECT;
    const bool free_a = kin_rt_is_free(rt, p->a), free_b = kin_rt_is_free(rt, p->b); /* asleep or not: no contact gets stiffer when one falls asleep */
    uint32_t level, node = node_of(rt, free_a ? p->a : p->b, free_b ? p->b : p->a, &level);
    uint32_t taken = (kin_rt_moves(rt, p->a) ? rt->body[p->a].colours[level] : 0) | (kin_rt_moves(rt, p->b) ? rt->body[p->b].colours[level] : 0);
    return free_a && free_b ? lowest_free(node, taken, 0, KIN_RT_DYNAMIC) : lowest_free(node, taken, KIN_RT_DYNAMIC, KIN_RT_STATIC);
}

static void mark_bodies(kin_realtime* rt, const kin_rt_pair* p, uint32_t colour, bool taken)
{
    if (colour < KIN_RT_FIRST) return;
    const uint32_t both[2] = {p->a, p->b}, level = level_of((colour - KIN_RT_FIRST) / KIN_RT_OF_NODE), bit = 1u << (colour - KIN_RT_FIRST) % KIN_RT_OF_NODE;
    for (int i = 0; i < 2; ++i) {
        uint32_t* mask = &rt->body[both[i]].colours[level];
        if (kin_rt_moves(rt, both[i])) *mask = taken ? *mask | bit : *mask & ~bit;
    }
}

static int32_t line_of(const kin_realtime* rt, uint32_t body)
{
    int32_t line = (int32_t)kin_rt_line(body);
    return kin_rt_moves(rt, body) ? line : ~line;
}

/* Blocks up to this one, their lanes empty. */
static bool clear_to(kin_realtime* rt, kin_rt_colour* c, uint32_t block)
{
    if (!reserve_blocks(rt, c, (size_t)block + 1)) return false;
    for (; c->cleared <= block; ++c->cleared) clear_block(c, c->cleared);
    return true;
}

/* An empty lane at the end of a colour. */
static bool append(kin_realtime* rt, uint32_t colour, uint32_t* slot)
{
    kin_rt_colour* c = &rt->colour[colour];
    uint32_t block = c->count / KIN_RT_LANES;
    if (c->count >= SLOTS || !clear_to(rt, c, block)) return false;
    if (c->count % KIN_RT_LANES == 0) c->flags[block] = 0;
    c->dirty[block] = 1;
    c->strayed += 1;
    *slot = c->count++;
    return true;
}

static void name_lane(kin_realtime* rt, uint32_t contact)
{
    const kin_rt_contact* t = &rt->contacts[contact];
    const kin_rt_pair* p = &rt->pairs[t->pair];
    kin_rt_colour* c = &rt->colour[t->colour];
    uint32_t block = t->slot / KIN_RT_LANES, lane = t->slot % KIN_RT_LANES;
    c->geometry[block].contact[lane] = contact;
    c->rows[block].a[lane] = line_of(rt, p->a);
    c->rows[block].b[lane] = line_of(rt, p->b);
}

static void enter(kin_realtime* rt, uint32_t contact, uint32_t colour, uint32_t slot)
{
    kin_rt_contact* t = &rt->contacts[contact];
    t->colour = colour;
    t->slot = slot;
    mark_bodies(rt, &rt->pairs[t->pair], colour, true);
    name_lane(rt, contact);
}

bool kin_rt_graph_add(kin_realtime* rt, uint32_t contact)
{
    uint32_t colour = choose(rt, &rt->pairs[rt->contacts[contact].pair]), slot;
    if (!append(rt, colour, &slot)) return false;
    enter(rt, contact, colour, slot);
    return true;
}

bool kin_rt_graph_put(kin_realtime* rt, uint32_t contact, uint32_t colour, uint32_t slot)
{
    kin_rt_colour* c = &rt->colour[colour];
    if (colour != KIN_RT_OVERFLOW) {
        if (!append(rt, colour, &slot)) return false;
    } else {
        if (!clear_to(rt, c, slot / KIN_RT_LANES)) return false;
        c->dirty[slot / KIN_RT_LANES] = 1;
        c->count += 1;
    }
    enter(rt, contact, colour, slot);
    return true;
}

/* The last lane of the colour moves into the gap. */
static void close_gap(kin_realtime* rt, uint32_t colour, uint32_t slot)
{
    kin_rt_colour* c = &rt->colour[colour];
    uint32_t last = --c->count;
    if (last != slot) {
        c->strayed += 1;
        copy_lane(c, slot, c, last);
        rt->contacts[c->geometry[last / KIN_RT_LANES].contact[last % KIN_RT_LANES]].slot = slot;
    }
    kin_rt_lane_clear(c, last);
}

void kin_rt_graph_remove(kin_realtime* rt, uint32_t contact)
{
    const kin_rt_contact t = rt->contacts[contact];
    mark_bodies(rt, &rt->pairs[t.pair], t.colour, false);
    close_gap(rt, t.colour, t.slot);
}

bool kin_rt_graph_move(kin_realtime* rt, uint32_t contact, bool asleep)
{
    const kin_rt_contact t = rt->contacts[contact];
    if (asleep && t.colour == KIN_RT_ASLEEP) return true;
    mark_bodies(rt, &rt->pairs[t.pair], t.colour, false);
    uint32_t colour = asleep ? KIN_RT_ASLEEP : choose(rt, &rt->pairs[t.pair]), slot;
    if (!append(rt, colour, &slot)) {
        mark_bodies(rt, &rt->pairs[t.pair], t.colour, true);
        return false;
    }
    if (rt->colour[t.colour].extra != NULL && !make_extra(rt, &rt->colour[colour])) rt->out_of_memory = true;
    copy_lane(&rt->colour[colour], slot, &rt->colour[t.colour], t.slot);
    close_gap(rt, t.colour, t.slot);
    enter(rt, contact, colour, slot);
    if (t.colour == KIN_RT_DIRECT) rt->colour[colour].rows[slot / KIN_RT_LANES].slid[slot % KIN_RT_LANES] = 1; /* blocks do not say whether friction held */
    return true;
}

/* ---- leaves ---- */

/* Bodies to a leaf for so many: some more than a share each, so that few more of them change nothing. */
static uint32_t leaf_for(uint32_t bodies)
{
    if (bodies < FEW) return KIN_RT_NONE;
    uint32_t size = (bodies + KIN_RT_LEAVES - 1) / KIN_RT_LEAVES, unit = 1;
    while (size >= 32 * unit) unit *= 2;
    return (size + unit - 1) / unit * unit;
}

bool kin_rt_graph_make(kin_realtime* rt, uint32_t leaf)
{
    const uint32_t count = leaf == KIN_RT_NONE ? KIN_RT_FIRST + KIN_RT_OF_NODE : KIN_RT_COLOURS;
    if (count > rt->colour_count) {
        if (!kin_rt_reserve(rt, (void**)&rt->colour, &rt->colour_capacity, count, sizeof *rt->colour)) return false;
        memset(rt->colour + rt->colour_count, 0, (count - rt->colour_count) * sizeof *rt->colour);
        rt->colour_count = count;
    }
    rt->leaf = leaf;
    return true;
}

/* Contacts leave their colours, and choose again. */
bool kin_rt_graph_divide(kin_realtime* rt)
{
    const uint32_t leaf = leaf_for(rt->group->bodies.count);
    if (leaf == rt->leaf) return true;
    uint32_t count, awake = 0;
    if (!kin_rt_contacts_in_order(rt, &count)) return false;
    for (uint32_t i = 0; i < count; ++i) {
        if (rt->contacts[rt->values[i]].colour != KIN_RT_ASLEEP) rt->values[awake++] = rt->values[i];
    }
    bool ok = true;
    for (uint32_t i = 0; i < awake; ++i) ok = kin_rt_graph_move(rt, rt->values[i], true) && ok;
    ok = ok && kin_rt_graph_make(rt, leaf);
    for (uint32_t i = 0; i < awake; ++i) ok = kin_rt_graph_move(rt, rt->values[i], false) && ok;
    return ok;
}

bool kin_rt_graph_flag(kin_realtime* rt, const kin_rt_contact* t, unsigned flags)
{
    kin_rt_colour* c = &rt->colour[t->colour];
    if (flags == 0) return true;
    if (!make_extra(rt, c)) return false;
    c->flags[t->slot / KIN_RT_LANES] |= (uint8_t)flags;
    return true;
}

/* ---- order ---- */

typedef struct lane_copy { /* a contact's column of each block */
    uint32_t geometry[sizeof(kin_rt_geometry) / sizeof(kin_rt_lane)], rows[sizeof(kin_rt_rows) / sizeof(kin_rt_lane)],
        extra[sizeof(kin_rt_extra) / sizeof(kin_rt_lane)];
} lane_copy;

static void take_column(uint32_t* to, const void* block, uint32_t lane, size_t size)
{
    const uint32_t* x = block;
    for (size_t i = 0; i < size / sizeof(kin_rt_lane); ++i) to[i] = x[i * KIN_RT_LANES + lane];
}

static void put_column(void* block, uint32_t lane, const uint32_t* from, size_t size)
{
    uint32_t* x = block;
    for (size_t i = 0; i < size / sizeof(kin_rt_lane); ++i) x[i * KIN_RT_LANES + lane] = from[i];
}

static void take_lane(lane_copy* to, const kin_rt_colour* c, uint32_t slot)
{
    uint32_t block = slot / KIN_RT_LANES, lane = slot % KIN_RT_LANES;
    take_column(to->geometry, &c->geometry[block], lane, sizeof *c->geometry);
    take_column(to->rows, &c->rows[block], lane, sizeof *c->rows);
    if (c->extra != NULL) take_column(to->extra, &c->extra[block], lane, sizeof *c->extra);
}

static void put_lane(kin_rt_colour* c, uint32_t slot, const lane_copy* from)
{
    uint32_t block = slot / KIN_RT_LANES, lane = slot % KIN_RT_LANES;
    put_column(&c->geometry[block], lane, from->geometry, sizeof *c->geometry);
    put_column(&c->rows[block], lane, from->rows, sizeof *c->rows);
    if (c->extra != NULL) put_column(&c->extra[block], lane, from->extra, sizeof *c->extra);
}

static uint8_t flags_of(const kin_rt_extra* x)
{
    unsigned flags = 0;
    for (uint32_t k = 0; k < KIN_RT_LANES; ++k) flags |= kin_rt_lane_flags(x, k);
    return (uint8_t)flags;
}

/* Contact rt->values[i] to slot i, cycle by cycle. */
static void permute(kin_realtime* rt, kin_rt_colour* c)
{
    for (uint32_t i = 0; i < c->count; ++i) {
        if (rt->contacts[rt->values[i]].slot == i) continue;
        lane_copy first;
        take_lane(&first, c, i);
        uint32_t to = i, from = rt->contacts[rt->values[to]].slot;
        while (from != i) {
            copy_lane(c, to, c, from);
            rt->contacts[rt->values[to]].slot = to;
            to = from;
            from = rt->contacts[rt->values[to]].slot;
        }
        put_lane(c, to, &first);
        rt->contacts[rt->values[to]].slot = to;
    }
}

static bool is_round(const kin_realtime* rt, const kin_rt_pair* p) { return ((rt->body[p->a].flags | rt->body[p->b].flags) & KIN_RT_ROUND) != 0; }

/* Those of balls first, which have one point; then by their bodies: what lies side by side in memory meets bodies that do too. Nothing depends on it but time. */
static bool tidy(kin_realtime* rt, uint32_t colour)
{
    kin_rt_colour* c = &rt->colour[colour];
    if (!kin_rt_sort_reserve(rt, c->count)) return false;
    for (uint32_t i = 0; i < c->count; ++i) {
        rt->values[i] = c->geometry[i / KIN_RT_LANES].contact[i % KIN_RT_LANES];
        const kin_rt_pair* p = &rt->pairs[rt->contacts[rt->values[i]].pair];
        rt->keys[i] = kin_rt_pair_key(p) | (is_round(rt, p) ? 0 : (uint64_t)1 << 63);
    }
    kin_rt_sort_pairs(rt, c->count);
    permute(rt, c);
    uint32_t blocks = kin_rt_blocks(rt, colour);
    for (uint32_t i = 0; i < blocks; ++i) c->flags[i] = c->extra != NULL ? flags_of(&c->extra[i]) : 0;
    c->strayed = 0;
    return true;
}

bool kin_rt_graph_tidy(kin_realtime* rt)
{
    uint32_t worst = KIN_RT_FIRST;
    for (uint32_t c = KIN_RT_FIRST + 1; c < rt->colour_count; ++c) {
        if (rt->colour[c].strayed > rt->colour[worst].strayed) worst = c;
    }
    return rt->colour[worst].strayed < STRAYED || rt->colour[worst].strayed < rt->colour[worst].count / 4 || tidy(rt, worst);
}
