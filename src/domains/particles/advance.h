/* advance.h - one island over one interval. */
#pragma once
#include "domains/particles/island.h"

/* Needs p, step, members, count, reached and arena; leaves the end of the interval in y, and what happened. False: no memory. */
bool kin_island_advance(kin_island* island);
kin_aabb kin_flight_reach(const kin_particles* p, const kin_flight* flight, double radius); /* all that a flight may touch */
