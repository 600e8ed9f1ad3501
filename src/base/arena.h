/* arena.h - scratch that lives until the next reset. One per worker: no locks, no frees.
 * Blocks are kept between resets and joined into one, so a steady step never allocates. */
#pragma once
#include "kinema/base.h"

typedef struct kin_arena_block kin_arena_block;
typedef struct kin_arena {
    kin_allocator allocator;
    kin_arena_block* blocks; /* newest first */
    size_t used;             /* bytes since reset, over all blocks */
    size_t peak;             /* most ever used: the size of the joined block */
    bool failed;             /* a take found no memory since init or reset */
} kin_arena;

typedef struct kin_arena_mark {
    kin_arena_block* block;
    size_t block_used;
    size_t used;
} kin_arena_mark;

void kin_arena_init(kin_arena* arena, const kin_allocator* allocator);
void kin_arena_term(kin_arena* arena);
/* Aligned to KIN_ALIGNMENT, not cleared; NULL on failure. size 0 gives an address too. */
void* kin_arena_take(kin_arena* arena, size_t size);
bool kin_arena_reserve(kin_arena* arena, size_t size);     /* what is taken next, up to size bytes, allocates nothing */
kin_arena_mark kin_arena_begin(kin_arena* arena);          /* scopes nest */
void kin_arena_end(kin_arena* arena, kin_arena_mark mark); /* frees all taken since begin; inner scopes first */
void kin_arena_reset(kin_arena* arena);
