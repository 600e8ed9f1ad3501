/* blocks.c - which blocks of the grid particles reach, and the field in them. Blobs are summed in the order of the sorted cloud, so a block's values do not
 * depend on who fills it. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "geometry/skin/local.h"
#include <stdatomic.h>

enum { GRAIN = 4, CELL_GRAIN = 256, BITS = 21 };

typedef struct block_box {
    int32_t low[3], high[3];
} block_box;

/* What the blobs of each cell reach. */
static void bound_cells(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk, (void)scratch;
    kin_fluid_skin_work* w = argument;
    for (int64_t cell = begin; cell < end; ++cell) {
        kin_fluid_skin_bounds b = {{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};
        for (uint32_t i = w->cells.starts[cell]; i < w->cells.starts[cell + 1]; ++i) {
            const kin_fluid_skin_blob* blob = &w->blobs[i];
            for (int a = 0; a < 3; ++a) {
                float low = blob->at[a] - blob->extent[a], high = blob->at[a] + blob->extent[a];
                b.low[a] = low < b.low[a] ? low : b.low[a];
                b.high[a] = high > b.high[a] ? high : b.high[a];
            }
        }
        w->bounds[cell] = b;
    }
}

/* A cell of the grid belongs to the block of its lowest corner: one cell more on the low side. */
static block_box box_of_cell(const kin_fluid_skin_work* w, uint32_t cell)
{
    block_box box;
    for (int a = 0; a < 3; ++a) {
        box.low[a] = (int32_t)kin_floor(((double)w->bounds[cell].low[a] - 1.01 * w->settings.cell) / w->block_edge);
        box.high[a] = (int32_t)kin_floor(((double)w->bounds[cell].high[a] + 0.01 * w->settings.cell) / w->block_edge);
    }
    return box;
}

static size_t blocks_in(const block_box* b)
{
    return (size_t)(b->high[0] - b->low[0] + 1) * (size_t)(b->high[1] - b->low[1] + 1) * (size_t)(b->high[2] - b->low[2] + 1);
}

static size_t list_keys(const kin_fluid_skin_work* w, uint64_t* keys)
{
    size_t count = 0;
    for (uint32_t cell = 0; cell < w->cells.cell_count; ++cell) {
        block_box b = box_of_cell(w, cell);
        if (keys == NULL) {
            count += blocks_in(&b);
            continue;
        }
        for (int32_t z = b.low[2]; z <= b.high[2]; ++z) {
            for (int32_t y = b.low[1]; y <= b.high[1]; ++y) {
                for (int32_t x = b.low[0]; x <= b.high[0]; ++x) keys[count++] = (uint64_t)z << 2 * BITS | (uint64_t)y << BITS | (uint64_t)x;
            }
        }
    }
    return count;
}

static bool keep_blocks(kin_fluid_skin_work* w, const uint64_t* keys, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; ++i) different += i == 0 || keys[i] != keys[i - 1];
    w->block_count = (uint32_t)different;
    w->blocks = kin_alloc(&w->allocator, kin_bytes(different, sizeof *w->blocks));
    w->values = kin_alloc(&w->allocator, kin_bytes(different, KIN_BLOCK_POINTS * sizeof *w->values));
    if (w->blocks == NULL || w->values == NULL) return false;
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        if (i > 0 && keys[i] == keys[i - 1]) continue;
        for (int a = 0; a < 3; ++a) w->blocks[n][a] = (int32_t)(keys[i] >> a * BITS & ((1u << BITS) - 1));
        n += 1;
    }
    return true;
}

kin_result kin_fluid_skin_find_blocks(kin_fluid_skin_work* w, kin_error* error)
{
    w->bounds = kin_alloc(&w->allocator, kin_bytes(w->cells.cell_count, sizeof *w->bounds));
    if (w->bounds == NULL) return kin_fail_memory(error, "a skin", kin_bytes(w->cells.cell_count, sizeof *w->bounds));
    kin_parallel_for(w->jobs, w->cells.cell_count, CELL_GRAIN, bound_cells, w);
    size_t count = list_keys(w, NULL), bytes = kin_bytes(count, 2 * (sizeof(uint64_t) + sizeof(uint32_t)));
    uint64_t* keys = kin_alloc(&w->allocator, bytes);
    bool good = keys != NULL;
    if (good) {
        uint32_t* values = (uint32_t*)(keys + 2 * count);
        list_keys(w, keys);
        for (size_t i = 0; i < count; ++i) values[i] = 0;
        kin_sort_keys(keys, values, keys + count, values + count, count);
        good = keep_blocks(w, keys, count);
    }
    kin_free(&w->allocator, keys, bytes);
    return good ? KIN_OK : kin_fail_memory(error, "a skin", bytes + kin_bytes(w->block_count, KIN_BLOCK_POINTS * sizeof *w->values));
}

/* ---- values ---- */

typedef struct fill_job {
    kin_fluid_skin_work* work;
    const kin_fluid_skin_kernels* kernels;
    atomic_bool failed;
} fill_job;

static bool overlap(const float low[3], const float high[3], const kin_fluid_skin_bounds* box)
{
    bool apart = false;
    for (int a = 0; a < 3; ++a) apart |= (high[a] < box->low[a]) | (low[a] > box->high[a]);
    return !apart;
}

static bool blob_overlaps(const kin_fluid_skin_blob* b, const kin_fluid_skin_bounds* box)
{
    float low[3], high[3];
    for (int a = 0; a < 3; ++a) low[a] = b->at[a] - b->extent[a], high[a] = b->at[a] + b->extent[a];
    return overlap(low, high, box);
}

/* Cells hold where particles are; blobs may stand up to the shift from there. */
static uint32_t* gather_blobs(const kin_fluid_skin_work* w, const double corner[3], uint32_t* count, kin_arena* scratch)
{
    bool stretched = w->settings.kind == KIN_SKIN_ANISOTROPIC;
    double half = 0.5 * w->block_edge, reach = half + (stretched ? KIN_SKIN_STRETCH : 1) * KIN_SKIN_REACH * w->settings.spacing + w->shift;
    const double middle[3] = {corner[0] + half, corner[1] + half, corner[2] + half};
    kin_fluid_skin_bounds box;
    for (int a = 0; a < 3; ++a) { /* a little wider: floats round */
        box.low[a] = (float)(corner[a] - 0.01 * w->settings.cell);
        box.high[a] = (float)(corner[a] + w->block_edge);
    }
    uint32_t most = 0;
    kin_cells_walk walk;
    kin_cells_walk_begin(&walk, &w->cells, middle, reach);
    while (kin_cells_walk_next(&walk)) most += walk.end - walk.begin;
    uint32_t* numbers = kin_arena_take(scratch, most * sizeof *numbers);
    *count = 0;
    if (numbers == NULL) return NULL;
    kin_cells_walk_begin(&walk, &w->cells, middle, reach);
    while (kin_cells_walk_next(&walk)) {
        const kin_fluid_skin_bounds* cell = &w->bounds[w->cells.cell_of[w->items[walk.begin]]];
        if (!walk.all && !overlap(cell->low, cell->high, &box)) continue;
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            numbers[*count] = i;
            *count += blob_overlaps(&w->blobs[i], &box);
        }
    }
    return numbers;
}

static void fill_blocks(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    fill_job* job = argument;
    kin_fluid_skin_work* w = job->work;
    for (int64_t n = begin; n < end; ++n) {
        kin_arena_mark mark = kin_arena_begin(scratch);
        kin_fluid_skin_block block = {.blobs = w->blobs, .cell = (float)w->settings.cell};
        for (int a = 0; a < 3; ++a) block.corner[a] = w->blocks[n][a] * w->block_edge;
        block.numbers = gather_blobs(w, block.corner, &block.count, scratch);
        if (block.numbers == NULL) atomic_store(&job->failed, true);
        (w->settings.kind == KIN_SKIN_ZHU_BRIDSON ? job->kernels->stray : job->kernels->fill)(&block, w->values + n * KIN_BLOCK_POINTS);
        kin_arena_end(scratch, mark);
    }
}

kin_result kin_fluid_skin_fill(kin_fluid_skin_work* w, kin_error* error)
{
    fill_job job = {.work = w, .kernels = kin_fluid_skin_kernels_of(w->settings.simd)};
    kin_parallel_for(w->jobs, w->block_count, GRAIN, fill_blocks, &job);
    return atomic_load(&job.failed) ? kin_fail_memory(error, "a skin", w->cloud->count * sizeof(uint32_t)) : KIN_OK;
}
