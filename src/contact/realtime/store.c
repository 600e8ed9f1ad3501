/* store.c - pairs and contacts by number, with free lists; lists of bodies' pairs. Numbers say nothing: what is done in an order is sorted by bodies. */
#include "base/alloc.h"
#include "base/sort.h"
#include "contact/realtime/realtime.h"
#include <string.h>

bool kin_rt_reserve(kin_realtime* rt, void** data, size_t* capacity, size_t count, size_t size)
{
    return kin_reserve_tight(&rt->allocator, data, capacity, count, size);
}

bool kin_rt_list_reserve(kin_realtime* rt, kin_rt_list* list, size_t count)
{
    return kin_rt_reserve(rt, (void**)&list->data, &list->capacity, count, sizeof *list->data);
}

void kin_rt_list_add(kin_rt_list* list, uint32_t value) { list->data[atomic_fetch_add_explicit(&list->count, 1, memory_order_relaxed)] = value; }

/* ---- pairs ---- */

static int side_of(const kin_rt_pair* p, uint32_t body) { return p->b == body; }

uint32_t kin_rt_pair_next(const kin_realtime* rt, uint32_t pair, uint32_t body) { return rt->links[pair].next[side_of(&rt->pairs[pair], body)]; }

static void link_to(kin_realtime* rt, uint32_t pair, uint32_t body)
{
    int side = side_of(&rt->pairs[pair], body);
    uint32_t first = rt->body[body].pairs;
    rt->links[pair].next[side] = first;
    rt->links[pair].last[side] = KIN_RT_NONE;
    if (first != KIN_RT_NONE) rt->links[first].last[side_of(&rt->pairs[first], body)] = pair;
    rt->body[body].pairs = pair;
}

static void unlink_from(kin_realtime* rt, uint32_t pair, uint32_t body)
{
    int side = side_of(&rt->pairs[pair], body);
    uint32_t next = rt->links[pair].next[side], last = rt->links[pair].last[side];
    if (next != KIN_RT_NONE) rt->links[next].last[side_of(&rt->pairs[next], body)] = last;
    if (last != KIN_RT_NONE)
        rt->links[last].next[side_of(&rt->pairs[last], body)] = next;
    else
        rt->body[body].pairs = next;
}

static bool reserve_pairs(kin_realtime* rt, size_t count)
{
    return kin_rt_reserve(rt, (void**)&rt->pairs, &rt->pair_capacity[0], count, sizeof *rt->pairs)
           && kin_rt_reserve(rt, (void**)&rt->links, &rt->pair_capacity[1], count, sizeof *rt->links)
           && kin_rt_reserve(rt, (void**)&rt->listed, &rt->pair_capacity[2], count, sizeof *rt->listed) && kin_rt_list_reserve(rt, &rt->idle, count)
           && kin_rt_reserve(rt, (void**)&rt->wait, &rt->wait_capacity, count, sizeof *rt->wait);
}

static bool wants_cache(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    const kin_form *fa = rt->group->bodies.skin[a].form, *fb = rt->group->bodies.skin[b].form;
    return fa->is_convex && fb->is_convex && (rt->glance[a].form == KIN_RT_FORM_OTHER || rt->glance[b].form == KIN_RT_FORM_OTHER);
}

kin_collide_cache* kin_rt_cache_of(const kin_realtime* rt, const kin_rt_pair* p)
{
    uint32_t at = rt->cache_of != NULL ? rt->cache_of[p - rt->pairs] : KIN_RT_NONE;
    return at != KIN_RT_NONE ? &rt->caches[at] : NULL;
}

static bool take_cache(kin_realtime* rt, uint32_t* out)
{
    if (rt->free_caches.count > 0) {
        *out = rt->free_caches.data[--rt->free_caches.count];
    } else {
        size_t count = (size_t)rt->cache_end + 1;
        if (!kin_rt_reserve(rt, (void**)&rt->caches, &rt->cache_capacity, count, sizeof *rt->caches) || !kin_rt_list_reserve(rt, &rt->free_caches, count))
            return false;
        *out = rt->cache_end++;
    }
    rt->caches[*out] = (kin_collide_cache){.sat = {0}};
    return true;
}

/* Those of the pairs so far. */
static bool keep_caches(kin_realtime* rt)
{
    size_t before = rt->pair_capacity[3];
    if (!kin_rt_reserve(rt, (void**)&rt->cache_of, &rt->pair_capacity[3], rt->pair_capacity[0], sizeof *rt->cache_of)) return false;
    for (size_t i = before; i < rt->pair_capacity[3]; ++i) rt->cache_of[i] = KIN_RT_NONE;
    return true;
}

bool kin_rt_pair_make(kin_realtime* rt, uint32_t a, uint32_t b, uint32_t* out)
{
    uint32_t at = rt->free_pair, cache = KIN_RT_NONE;
    if (at == KIN_RT_NONE && !reserve_pairs(rt, (size_t)rt->pair_end + 1)) return false;
    bool wanted = wants_cache(rt, a, b);
    if ((wanted || rt->cache_of != NULL) && !keep_caches(rt)) return false;
    if (wanted && !take_cache(rt, &cache)) return false;
    if (at == KIN_RT_NONE)
        at = rt->pair_end++;
    else
        rt->free_pair = rt->pairs[at].contacts;
    rt->pairs[at] = (kin_rt_pair){.a = a, .b = b, .contacts = KIN_RT_NONE, .kind = (uint8_t)kin_rt_kind_of(rt, a, b)};
    rt->listed[at] = KIN_RT_NONE;
    if (rt->cache_of != NULL) rt->cache_of[at] = cache;
    rt->has_complex |= rt->pairs[at].kind != KIN_RT_SIMPLE;
    if (kin_rt_is_special(rt, a, b)) {
        rt->pairs[at].flags |= KIN_RT_PAIR_SPECIAL;
        rt->special_count += 1;
    }
    link_to(rt, at, a);
    link_to(rt, at, b);
    rt->pair_count += 1;
    *out = at;
    return true;
}

void kin_rt_pair_drop(kin_realtime* rt, uint32_t pair)
{
    kin_rt_pair* p = &rt->pairs[pair];
    while (p->contacts != KIN_RT_NONE) kin_rt_contact_drop(rt, p->contacts);
    kin_rt_touch_over(rt, pair);
    kin_rt_idle_remove(rt, pair);
    if (p->flags & KIN_RT_PAIR_SPECIAL) rt->special_count -= 1;
    if (rt->cache_of != NULL && rt->cache_of[pair] != KIN_RT_NONE) kin_rt_list_add(&rt->free_caches, rt->cache_of[pair]);
    unlink_from(rt, pair, p->a);
    unlink_from(rt, pair, p->b);
    *p = (kin_rt_pair){.a = KIN_RT_NONE, .contacts = rt->free_pair};
    rt->free_pair = pair;
    rt->pair_count -= 1;
}

uint32_t kin_rt_pair_find(const kin_realtime* rt, uint32_t a, uint32_t b)
{
    uint32_t walked = kin_rt_is_free(rt, a) ? a : b, other = walked == a ? b : a; /* what is fixed may have very many */
    uint32_t at = rt->body[walked].pairs;
    while (at != KIN_RT_NONE && rt->pairs[at].a != other && rt->pairs[at].b != other) at = kin_rt_pair_next(rt, at, walked);
    return at;
}

bool kin_rt_pair_waits(const kin_realtime* rt, const kin_rt_pair* p)
{
    if (p->contacts != KIN_RT_NONE || p->kind == KIN_RT_BARRED) return false;
    const uint8_t* motion = rt->group->bodies.motion;
    return kin_rt_moves(rt, p->a) || kin_rt_moves(rt, p->b) || motion[p->a] == KIN_BODY_KEYED || motion[p->b] == KIN_BODY_KEYED;
}

void kin_rt_idle_add(kin_realtime* rt, uint32_t pair)
{
    if (rt->listed[pair] != KIN_RT_NONE) return;
    rt->listed[pair] = rt->idle.count;
    rt->wait[rt->idle.count] = (kin_rt_wait){rt->pairs[pair].a, rt->pairs[pair].b, 0};
    kin_rt_list_add(&rt->idle, pair);
}

void kin_rt_idle_remove(kin_realtime* rt, uint32_t pair)
{
    uint32_t place = rt->listed[pair];
    if (place == KIN_RT_NONE) return;
    uint32_t moved = rt->idle.data[--rt->idle.count];
    rt->idle.data[place] = moved;
    rt->wait[place] = rt->wait[rt->idle.count];
    rt->listed[moved] = place;
    rt->listed[pair] = KIN_RT_NONE;
}

void kin_rt_idle_recheck(kin_realtime* rt, uint32_t body)
{
    for (uint32_t p = rt->body[body].pairs; p != KIN_RT_NONE; p = kin_rt_pair_next(rt, p, body)) {
        if (rt->listed[p] != KIN_RT_NONE) rt->wait[rt->listed[p]].until = 0;
    }
}

/* ---- contacts ---- */

static bool reserve_contacts(kin_realtime* rt, size_t count)
{
    return kin_rt_reserve(rt, (void**)&rt->contacts, &rt->contact_capacity, count, sizeof *rt->contacts) && kin_rt_list_reserve(rt, &rt->ended, count);
}

/* Last in its pair's list: their order is that of their making. */
bool kin_rt_contact_make(kin_realtime* rt, uint32_t pair, const kin_manifold* m, uint32_t* out)
{
    uint32_t at = rt->free_contact;
    if (at == KIN_RT_NONE) {
        if (!reserve_contacts(rt, (size_t)rt->contact_end + 1)) return false;
        at = rt->contact_end++;
    } else {
        rt->free_contact = rt->contacts[at].next;
    }
    rt->contacts[at] = (kin_rt_contact){.pair = pair, .next = KIN_RT_NONE, .part_a = m->part_a, .part_b = m->part_b};
    uint32_t* end = &rt->pairs[pair].contacts;
    while (*end != KIN_RT_NONE) end = &rt->contacts[*end].next;
    *end = at;
    rt->contact_count += 1;
    *out = at;
    return true;
}

void kin_rt_contact_drop(kin_realtime* rt, uint32_t contact)
{
    kin_rt_graph_remove(rt, contact);
    kin_rt_wake(rt, rt->pairs[rt->contacts[contact].pair].a); /* what lay against it may have lost its hold */
    kin_rt_wake(rt, rt->pairs[rt->contacts[contact].pair].b);
    kin_rt_contact_forget(rt, contact);
}

void kin_rt_contact_forget(kin_realtime* rt, uint32_t contact)
{
    uint32_t pair = rt->contacts[contact].pair, *link = &rt->pairs[pair].contacts;
    while (*link != contact) link = &rt->contacts[*link].next;
    *link = rt->contacts[contact].next;
    if (rt->pairs[pair].contacts == KIN_RT_NONE) {
        kin_rt_touch_over(rt, pair);
        rt->pairs[pair].flags &= (uint8_t)~KIN_RT_PAIR_PASSES;
    }
    rt->contacts[contact] = (kin_rt_contact){.pair = KIN_RT_NONE, .next = rt->free_contact};
    rt->free_contact = contact;
    rt->contact_count -= 1;
}

/* ---- order ---- */

bool kin_rt_sort_reserve(kin_realtime* rt, size_t count)
{
    return kin_rt_reserve(rt, (void**)&rt->keys, &rt->sort_capacity[0], count, sizeof *rt->keys)
           && kin_rt_reserve(rt, (void**)&rt->spare_keys, &rt->sort_capacity[1], count, sizeof *rt->spare_keys)
           && kin_rt_reserve(rt, (void**)&rt->values, &rt->sort_capacity[2], count, sizeof *rt->values)
           && kin_rt_reserve(rt, (void**)&rt->spare_values, &rt->sort_capacity[3], count, sizeof *rt->spare_values);
}

bool kin_rt_contacts_in_order(kin_realtime* rt, uint32_t* count)
{
    *count = 0;
    if (!kin_rt_sort_reserve(rt, rt->contact_count)) return false;
    for (uint32_t i = 0; i < rt->pair_end; ++i) {
        if (rt->pairs[i].a == KIN_RT_NONE) continue;
        for (uint32_t c = rt->pairs[i].contacts; c != KIN_RT_NONE; c = rt->contacts[c].next) {
            rt->values[*count] = c;
            rt->keys[(*count)++] = kin_rt_pair_key(&rt->pairs[i]);
        }
    }
    kin_rt_sort_pairs(rt, *count);
    return true;
}

void kin_rt_sort_pairs(kin_realtime* rt, size_t count) { kin_sort_keys(rt->keys, rt->values, rt->spare_keys, rt->spare_values, count); }
