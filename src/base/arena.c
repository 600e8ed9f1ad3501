/* arena.c - a stack of blocks, the newest in use. A take that does not fit opens a block; when the arena is empty again
 * the blocks become one of the peak size, so what was needed once fits from then on. */
#include "base/arena.h"
#include "base/alloc.h"

struct kin_arena_block {
    kin_arena_block* older;
    size_t size; /* bytes after this header */
    size_t used;
};

enum { HEADER_SIZE = KIN_ALIGNMENT, FIRST_BLOCK_SIZE = 16 * 1024 };
_Static_assert(sizeof(kin_arena_block) <= HEADER_SIZE, "the header leaves its block aligned");

static size_t round_up(size_t size) { return (size + KIN_ALIGNMENT - 1) / KIN_ALIGNMENT * KIN_ALIGNMENT; }

static bool push_block(kin_arena* arena, size_t size)
{
    kin_arena_block* block = kin_alloc(&arena->allocator, HEADER_SIZE + size);
    if (block == NULL) return false;
    *block = (kin_arena_block){.older = arena->blocks, .size = size};
    arena->blocks = block;
    return true;
}

static void pop_block(kin_arena* arena)
{
    kin_arena_block* block = arena->blocks;
    arena->blocks = block->older;
    kin_free(&arena->allocator, block, HEADER_SIZE + block->size);
}

static bool fits(const kin_arena* arena, size_t size) { return arena->blocks != NULL && size <= arena->blocks->size - arena->blocks->used; }

/* One empty block of the peak size in place of all. Without memory for it the next take tries again. */
static bool join(kin_arena* arena)
{
    while (arena->blocks != NULL) pop_block(arena);
    return push_block(arena, arena->peak);
}

/* A new block at least as big as all before it, so that a growing arena opens few. */
static bool grow(kin_arena* arena, size_t size)
{
    size_t wanted = arena->used > FIRST_BLOCK_SIZE ? arena->used : FIRST_BLOCK_SIZE;
    if (wanted > size && push_block(arena, wanted)) return true;
    return push_block(arena, size);
}

void kin_arena_init(kin_arena* arena, const kin_allocator* allocator) { *arena = (kin_arena){.allocator = *allocator}; }

void kin_arena_term(kin_arena* arena)
{
    while (arena->blocks != NULL) pop_block(arena);
    arena->used = 0;
}

void* kin_arena_take(kin_arena* arena, size_t size)
{
    bool huge = size > PTRDIFF_MAX / 2;   /* rounding and the header must not overflow */
    size = round_up(size > 0 ? size : 1); /* an empty array is no failure: it gets an address */
    if (huge || (!fits(arena, size) && !grow(arena, size))) {
        arena->failed = true;
        return NULL;
    }
    char* memory = (char*)arena->blocks + HEADER_SIZE + arena->blocks->used;
    arena->blocks->used += size;
    arena->used += size;
    if (arena->used > arena->peak) arena->peak = arena->used;
    return memory;
}

bool kin_arena_reserve(kin_arena* arena, size_t size)
{
    if (size > PTRDIFF_MAX / 2 - arena->used) return false;
    size = round_up(size);
    if (size == 0 || fits(arena, size)) return true;
    if (arena->used + size > arena->peak) arena->peak = arena->used + size;
    return arena->used == 0 ? join(arena) : grow(arena, size);
}

kin_arena_mark kin_arena_begin(kin_arena* arena)
{
    kin_arena_block* block = arena->blocks;
    return (kin_arena_mark){block, block != NULL ? block->used : 0, arena->used};
}

void kin_arena_end(kin_arena* arena, kin_arena_mark mark)
{
    if (mark.used == 0) { /* empty again; the marked block may have been joined away by an inner scope */
        kin_arena_reset(arena);
        return;
    }
    while (arena->blocks != mark.block) pop_block(arena);
    mark.block->used = mark.block_used;
    arena->used = mark.used;
}

void kin_arena_reset(kin_arena* arena)
{
    arena->used = 0;
    arena->failed = false;
    if (arena->blocks == NULL) return;
    arena->blocks->used = 0;
    if (arena->blocks->older != NULL) join(arena);
}
