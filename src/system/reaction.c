/* reaction.c - impulses on solids, added up and posted. */
#include "system/reaction.h"
#include "base/alloc.h"
#include "math/quat.h"
#include <string.h>

void kin_reactions_init(kin_reactions* r, const kin_allocator* allocator) { *r = (kin_reactions){.allocator = *allocator}; }

void kin_reactions_term(kin_reactions* r)
{
    kin_free(&r->allocator, r->items, r->capacity * sizeof *r->items);
    kin_free(&r->allocator, r->place, r->place_capacity * sizeof *r->place);
    kin_reactions_init(r, &r->allocator);
}

void kin_reactions_clear(kin_reactions* r)
{
    r->count = 0;
    r->failed = false;
}

/* Items are cleared, places are not: a place counts if the item there is the solid's. */
static kin_reaction* find(const kin_reactions* r, uint32_t solid)
{
    if (solid >= r->place_capacity) return NULL;
    uint32_t at = r->place[solid];
    return at > 0 && at <= r->count && r->items[at - 1].solid == solid ? &r->items[at - 1] : NULL;
}

static bool reserve_places(kin_reactions* r, size_t count)
{
    size_t old = r->place_capacity;
    if (!kin_reserve(&r->allocator, (void**)&r->place, &r->place_capacity, count, sizeof *r->place)) return false;
    if (r->place_capacity > old) memset(r->place + old, 0, (r->place_capacity - old) * sizeof *r->place);
    return true;
}

static kin_reaction* entry_of(kin_reactions* r, const kin_solids* solids, uint32_t solid, kin_vec3 point)
{
    kin_reaction* e = find(r, solid);
    if (e != NULL) return e;
    if (!reserve_places(r, kin_solids_count(solids)) || !kin_reserve(&r->allocator, (void**)&r->items, &r->capacity, r->count + 1, sizeof *r->items))
        return NULL;
    r->items[r->count] = (kin_reaction){.solid = solid, .point = point};
    r->place[solid] = (uint32_t)++r->count;
    return &r->items[r->count - 1];
}

void kin_reactions_add_wrench(kin_reactions* r, const kin_solids* solids, uint32_t solid, kin_vec3 point, kin_wrench w)
{
    if (!kin_solids_gives(solids, solid)) return;
    kin_reaction* e = entry_of(r, solids, solid, point);
    if (e == NULL) {
        r->failed = true;
        return;
    }
    e->total.impulse = kin_add(e->total.impulse, w.impulse);
    e->total.angular = kin_add(e->total.angular, kin_add(w.angular, kin_cross(kin_sub(point, e->point), w.impulse)));
}

void kin_reactions_add(kin_reactions* r, const kin_solids* solids, uint32_t solid, kin_vec3 point, kin_vec3 impulse)
{
    kin_reactions_add_wrench(r, solids, solid, point, (kin_wrench){.impulse = impulse});
}

kin_vec3 kin_reactions_velocity(const kin_reactions* r, const kin_solids* solids, uint32_t solid, kin_vec3 point)
{
    const kin_reaction* e = find(r, solid);
    return e != NULL ? kin_solids_respond(solids, solid, e->point, e->total, point) : kin_v(0, 0, 0);
}

bool kin_reactions_post(const kin_reactions* r, const kin_solids* solids, kin_ledger* ledger, uint32_t coupler, kin_entry_kind kind)
{
    const kin_anchor world = {KIN_WORLD_SYSTEM, UINT32_MAX, {0, 0, 0}};
    for (size_t i = 0; i < r->count; ++i) {
        const kin_reaction* e = &r->items[i];
        kin_vec3 local = kin_unapply(kin_solids_pose(solids, e->solid, 1), e->point);
        kin_anchor owner = kin_solids_owner(solids, e->solid, local);
        if (kin_ledger_post(ledger, (kin_entry_key){coupler, (uint32_t)i}, kind, owner, world, e->point, e->total) != KIN_OK) return false;
    }
    return !r->failed;
}
