/* reaction.c - impulses on solids, added up and posted. */
#include "system/reaction.h"
#include "base/alloc.h"
#include "math/quat.h"

void kin_reactions_init(kin_reactions* r, const kin_allocator* allocator) { *r = (kin_reactions){.allocator = *allocator}; }

void kin_reactions_term(kin_reactions* r)
{
    kin_free(&r->allocator, r->items, r->capacity * sizeof *r->items);
    kin_reactions_init(r, &r->allocator);
}

void kin_reactions_clear(kin_reactions* r)
{
    r->count = 0;
    r->failed = false;
}

/* The latest first: points that follow each other in memory meet the same solids. */
static kin_reaction* entry_of(kin_reactions* r, uint32_t solid, kin_vec3 point)
{
    for (size_t i = r->count; i > 0; --i) {
        if (r->items[i - 1].solid == solid) return &r->items[i - 1];
    }
    if (!kin_reserve(&r->allocator, (void**)&r->items, &r->capacity, r->count + 1, sizeof *r->items)) return NULL;
    r->items[r->count] = (kin_reaction){.solid = solid, .point = point};
    return &r->items[r->count++];
}

void kin_reactions_add(kin_reactions* r, const kin_solids* solids, uint32_t solid, kin_vec3 point, kin_vec3 impulse)
{
    if (!kin_solids_gives(solids, solid)) return;
    kin_reaction* e = entry_of(r, solid, point);
    if (e == NULL) {
        r->failed = true;
        return;
    }
    e->total.impulse = kin_add(e->total.impulse, impulse);
    e->total.angular = kin_add(e->total.angular, kin_cross(kin_sub(point, e->point), impulse));
}

kin_vec3 kin_reactions_velocity(const kin_reactions* r, const kin_solids* solids, uint32_t solid, kin_vec3 point)
{
    for (size_t i = r->count; i > 0; --i) {
        const kin_reaction* e = &r->items[i - 1];
        if (e->solid == solid) return kin_solids_respond(solids, solid, e->point, e->total, point);
    }
    return kin_v(0, 0, 0);
}

bool kin_reactions_post(const kin_reactions* r, const kin_solids* solids, kin_ledger* ledger, uint32_t coupler)
{
    const kin_anchor world = {KIN_WORLD_SYSTEM, UINT32_MAX, {0, 0, 0}};
    for (size_t i = 0; i < r->count; ++i) {
        const kin_reaction* e = &r->items[i];
        kin_vec3 local = kin_unapply(kin_solids_pose(solids, e->solid, 1), e->point);
        kin_anchor owner = kin_solids_owner(solids, e->solid, local);
        if (kin_ledger_post(ledger, (kin_entry_key){coupler, (uint32_t)i}, KIN_ENTRY_HIT, owner, world, e->point, e->total) != KIN_OK) return false;
    }
    return !r->failed;
}
