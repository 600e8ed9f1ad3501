/* link.h - what link.c asks of its kernels (link_lanes.c): the lists of a chunk in two strides. */
#pragma once
#include "domains/sph/fluid.h"

/* Lists particle by particle, one behind the other, into `room` bytes at `out`, as 16-bit or 32-bit offsets from the first particle of the block; counts into
 * f->neighbours. */
typedef struct kin_sph_found {
    size_t bytes;   /* that the chunk needs; more than its room: not all was written */
    size_t crowded; /* a particle with too many neighbours; SIZE_MAX: none */
    bool no_memory;
} kin_sph_found;
typedef kin_sph_found kin_sph_find_fn(const kin_sph* f, size_t begin, size_t end, void* out, size_t room, kin_arena* scratch);
/* The same lists, now row by row of blocks: to lists.first of each. */
typedef void kin_sph_turn_fn(const kin_sph* f, size_t begin, size_t end, const void* from);

kin_sph_find_fn kin_sph_find_none, kin_sph_find_sse2, kin_sph_find_avx2;
kin_sph_turn_fn kin_sph_turn_none, kin_sph_turn_sse2, kin_sph_turn_avx2;
