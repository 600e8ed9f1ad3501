/* reaction.h - what the points of a system did to solids that give way, in one interval: summed by solid while points are dealt with one after the other, then
 * posted to the ledger. Points have had their share already; the other side of an entry is the world, which takes it without moving. */
#pragma once
#include "collision/service.h"
#include "system/ledger.h"

typedef struct kin_reaction {
    uint32_t solid;
    kin_vec3 point;   /* of the first impulse, m */
    kin_wrench total; /* on the solid, about that point */
} kin_reaction;

typedef struct kin_reactions {
    kin_allocator allocator;
    kin_reaction* items; /* in the order of their first impulse */
    uint32_t* place;     /* by solid: its item + 1, where that item is the solid's; anything else where it has none */
    size_t count, capacity, place_capacity;
    bool failed; /* out of memory */
} kin_reactions;

void kin_reactions_init(kin_reactions* reactions, const kin_allocator* allocator);
void kin_reactions_term(kin_reactions* reactions);
void kin_reactions_clear(kin_reactions* reactions);
/* impulse: on the solid, N s. What does not give way is not written down. */
void kin_reactions_add(kin_reactions* reactions, const kin_solids* solids, uint32_t solid, kin_vec3 point, kin_vec3 impulse);
void kin_reactions_add_wrench(kin_reactions* reactions, const kin_solids* solids, uint32_t solid, kin_vec3 point, kin_wrench wrench); /* about the point */
/* Velocity that what it was given so far will add to a solid at a point, m/s. */
kin_vec3 kin_reactions_velocity(const kin_reactions* reactions, const kin_solids* solids, uint32_t solid, kin_vec3 point);
/* coupler: first half of the keys; one of its own for every system. kind: hits, or loads over the interval. False: out of memory. */
bool kin_reactions_post(const kin_reactions* reactions, const kin_solids* solids, kin_ledger* ledger, uint32_t coupler, kin_entry_kind kind);
