/* link.c - neighbour lists, made anew at every tick (a skin to keep them for longer was measured: no gain).
 *
 * How many rows a block has is known when its lists are there, so chunks first write their lists particle by particle into the memory of g, which nobody needs
 * yet: each chunk has an equal share of it. Then rows are counted through and the lists are turned into place. A share that was too small tells how much it
 * needs; memory grows and the chunks do it again. */
#include "domains/sph/link.h"
#include "base/alloc.h"
#include "base/jobs.h"
#include <string.h>

#define FIRST_ROWS 28 /* a block, at the first time: the 26 neighbours of a lattice and what padding takes */

typedef struct work {
    kin_sph* f;
    kin_sph_find_fn* find;
    kin_sph_turn_fn* turn;
    size_t room; /* bytes of g a chunk */
    kin_sph_found* found;
} work;

static void run_find(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    work* w = argument;
    w->found[chunk] = w->find(w->f, (size_t)begin, (size_t)end, (char*)w->f->lists.g + w->room * (size_t)chunk, w->room, scratch);
}

static void run_turn(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)scratch;
    work* w = argument;
    w->turn(w->f, (size_t)begin, (size_t)end, (char*)w->f->lists.g + w->room * (size_t)chunk);
}

/* What was in it is not kept. */
static bool ensure(const kin_allocator* allocator, void** data, size_t* capacity, size_t count, size_t bytes)
{
    if (count <= *capacity) return true;
    size_t ample = count + count / 32;
    kin_free(allocator, *data, *capacity * bytes); /* first: lists are most of a tank, and two of them are too many */
    *data = kin_alloc(allocator, kin_bytes(ample, bytes)), *capacity = *data != NULL ? ample : 0;
    return *data != NULL;
}

/* Whether some neighbour's offset from the first of a block does not fit in 16 bits. Cells along the fastest axis are a row; neighbours are in the rows from that
 * before in the layer before to that behind in the layer behind, and a block may begin seven before. */
static bool is_wide(const kin_sph* f)
{
    const kin_sph_cells* c = &f->cells;
    for (int a = 0; a < 3; ++a) {
        if (f->box_size[a] > 0) return true;
    }
    size_t layer = (size_t)c->size[c->axis[1]], fast = (size_t)c->size[c->axis[2]], rows = c->count / fast;
    for (size_t r = 0; r < rows; ++r) {
        size_t low = r > layer ? r - layer - 1 : 0, high = r + layer + 2 < rows ? r + layer + 2 : rows;
        uint32_t before = c->start[(r + 1) * fast] - c->start[low * fast], behind = c->start[high * fast] - c->start[r * fast];
        if (c->start[(r + 1) * fast] > c->start[r * fast] && (before > INT16_MAX || behind + 7 > INT16_MAX)) return true;
    }
    return false;
}

/* Row m: the bytes of the lanes whose bit is set in m, first to last, as 16-bit lanes. */
static bool make_squeeze(kin_sph* f)
{
    if (f->lists.squeeze != NULL) return true;
    f->lists.squeeze = kin_alloc(&f->allocator, KIN_SPH_SQUEEZE);
    if (f->lists.squeeze == NULL) return false;
    memset(f->lists.squeeze, 0x80, KIN_SPH_SQUEEZE);
    for (int m = 0; m < 256; ++m) {
        uint8_t* out = f->lists.squeeze + 16 * m;
        for (int i = 0; i < 8; ++i) {
            if ((m >> i & 1) != 0) *out++ = (uint8_t)(2 * i), *out++ = (uint8_t)(2 * i + 1);
        }
    }
    return true;
}

static size_t count_rows(kin_sph* f)
{
    size_t rows = 0;
    for (size_t b = 0; b < f->blocks; ++b) {
        f->lists.first[b] = rows;
        uint16_t longest = 0;
        for (size_t i = 8 * b; i < 8 * b + 8; ++i) longest = f->neighbours[i] > longest ? f->neighbours[i] : longest;
        rows += longest;
    }
    f->lists.first[f->blocks] = f->lists.rows = rows;
    return rows;
}

/* Runs `find` until all had room. */
static bool find_all(kin_sph* f, kin_jobs* jobs, work* w, size_t* crowded)
{
    kin_sph_lists* l = &f->lists;
    size_t chunks = kin_sph_chunks(f), needed = 0;
    for (;;) {
        w->room = 32 * l->row_capacity / chunks / 64 * 64;
        kin_parallel_for(jobs, (int64_t)f->blocks, KIN_SPH_CHUNK, run_find, w);
        needed = 0;
        for (size_t c = 0; c < chunks; ++c) {
            if (w->found[c].crowded != SIZE_MAX) *crowded = w->found[c].crowded;
            if (w->found[c].no_memory || *crowded != SIZE_MAX) return false;
            needed = w->found[c].bytes > needed ? w->found[c].bytes : needed;
        }
        size_t rows = needed <= w->room ? count_rows(f) : ((needed + 64) * chunks + 31) / 32;
        if (rows <= l->row_capacity) return true;
        if (!ensure(&f->allocator, (void**)&l->g, &l->row_capacity, rows, 8 * sizeof *l->g)) return false;
    }
}

bool kin_sph_link(kin_sph* f, kin_jobs* jobs, size_t* crowded)
{
    static kin_sph_find_fn* const finds[] = {kin_sph_find_none, kin_sph_find_sse2, kin_sph_find_avx2};
    static kin_sph_turn_fn* const turns[] = {kin_sph_turn_none, kin_sph_turn_sse2, kin_sph_turn_avx2};
    kin_sph_lists* l = &f->lists;
    *crowded = SIZE_MAX;
    if (f->count == 0) return true;
    kin_arena_mark mark = kin_arena_begin(&jobs->arenas[0]);
    work w = {f, finds[f->simd], turns[f->simd], 0, kin_arena_take(&jobs->arenas[0], kin_sph_chunks(f) * sizeof(kin_sph_found))};
    bool ok = w.found != NULL && make_squeeze(f) && ensure(&f->allocator, (void**)&l->first, &l->block_capacity, f->blocks + 1, sizeof *l->first)
              && ensure(&f->allocator, (void**)&l->g, &l->row_capacity, FIRST_ROWS * f->blocks, 8 * sizeof *l->g);
    l->wide = is_wide(f);
    ok = ok && find_all(f, jobs, &w, crowded);
    ok = ok
         && (l->wide ? ensure(&f->allocator, (void**)&l->far, &l->far_capacity, l->rows, 8 * sizeof *l->far)
                     : ensure(&f->allocator, (void**)&l->near, &l->near_capacity, l->rows, 8 * sizeof *l->near));
    if (ok) kin_parallel_for(jobs, (int64_t)f->blocks, KIN_SPH_CHUNK, run_turn, &w);
    kin_arena_end(&jobs->arenas[0], mark);
    return ok;
}
