/* bonds.h - see bonds.c. */
#pragma once
#include "domains/sph/physics/inside.h"

/* Who is where now; slots and bonds for those who are new. Lists and g are of this tick. False: out of memory. */
bool kin_sph_bonds_update(kin_sph* f);
uint32_t kin_sph_slot_of(const kin_sph_memory* e, uint64_t serial); /* UINT32_MAX: none */
