/* points.h - particles of different systems that meet: Coutinho 3.4's external collisions. A coupler of the world's own; it remembers nothing.
 *
 * All points of all systems that take part are one cloud for an interval. Pairs of two systems whose free paths meet within it are solved together: normals as
 * in 3.5.1 and 3.5.2, by the restitution of both materials, and Coulomb friction, from velocities at the end of free motion, so that what falls on what is met
 * where it is. Sweeps are Jacobi's: every impulse is found from the same velocities, with each mass shared out among its contacts, so no order of systems,
 * elements or pairs counts. What comes of it is posted to the ledger pair by pair, equal and opposite. */
#pragma once
#include "base/arena.h"
#include "geometry/neighbours.h"
#include "system/system.h"

#define KIN_COUPLER_POINT_PAIRS 0xffff0004u

/* A system that has points. */
typedef struct kin_point_source {
    const kin_system_ops* ops;
    void* self;
    uint32_t system;
} kin_point_source;

typedef struct kin_point_pairs {
    kin_allocator allocator;
    kin_arena arena; /* of an interval */
    kin_neighbours* near;
} kin_point_pairs;

void kin_point_pairs_init(kin_point_pairs* pairs, const kin_allocator* allocator);
void kin_point_pairs_term(kin_point_pairs* pairs);
/* After predict. False: out of memory; the interval must not go on. */
bool kin_point_pairs_exchange(kin_point_pairs* pairs, const kin_point_source* sources, size_t count, kin_step* step);
