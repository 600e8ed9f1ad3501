/* cells.c - a stable counting sort by cell. Hashed cells are first sorted by layer, row and column: neighbours in space are then near in memory too, and a
 * search that goes on from its neighbour finds what it needs at hand. */
#include "geometry/cells.h"
#include "base/alloc.h"
#include "base/sort.h"
#include <string.h>

#define GRAIN 4096
#define HASH_SIDE 0x1p30

static double side(const kin_cloud* cloud, int axis, double edge) { return kin_floor((cloud->high[axis] - cloud->low[axis]) / edge) + 1; }
static double cells_in(const kin_cloud* cloud, double edge) { return side(cloud, 0, edge) * side(cloud, 1, edge) * side(cloud, 2, edge); }

/* No more cells than points, or so, and none so small that the box has more than 2^30 a side. */
static void fit_frame(kin_cells* cells, const kin_cloud* cloud, double edge, uint32_t most)
{
    edge = kin_max(edge, 1e-159);
    edge = kin_max(edge, kin_cloud_extent(cloud) / (cells->hashed ? HASH_SIDE : most));
    while (!cells->hashed && cells_in(cloud, edge) > most) edge *= 1.25;
    cells->edge = edge;
    cells->frame.inverse = 1 / edge;
    for (int k = 0; k < 3; ++k) {
        cells->frame.low[k] = cloud->low[k];
        cells->frame.dims[k] = (uint32_t)side(cloud, k, edge);
    }
}

typedef struct number_job {
    const kin_cloud* cloud;
    kin_cells* cells;
} number_job;

static void number_points(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    const number_job* job = argument;
    const kin_cell_frame* f = &job->cells->frame;
    const double* const* at = job->cloud->at;
    (void)chunk, (void)scratch;
    for (int64_t i = begin; i < end; ++i) {
        job->cells->cell_of[i] = kin_cell_index(f, kin_cell_at(f, 0, at[0][i]), kin_cell_at(f, 1, at[1][i]), kin_cell_at(f, 2, at[2][i]));
    }
}

/* Cells, numbered as points first met them, get the numbers of their order in space. */
static void order_cells(kin_cells* cells, const kin_cloud* cloud)
{
    const kin_cell_frame* f = &cells->frame;
    uint32_t n = cloud->count, *met = cells->order, *order = met + n, *scratch = order + n;
    uint64_t *keys = cells->keys, *key_scratch = keys + n;
    for (uint32_t c = 0; c < cells->cell_count; ++c) {
        keys[c] = kin_cell_at(f, 0, cloud->at[0][met[c]]);
        order[c] = c;
    }
    kin_sort_keys(keys, order, key_scratch, scratch, cells->cell_count);
    for (uint32_t c = 0; c < cells->cell_count; ++c) {
        uint32_t i = met[order[c]];
        keys[c] = (uint64_t)kin_cell_at(f, 2, cloud->at[2][i]) << 32 | kin_cell_at(f, 1, cloud->at[1][i]);
    }
    kin_sort_keys(keys, order, key_scratch, scratch, cells->cell_count);
    uint32_t* rank = met;
    for (uint32_t c = 0; c < cells->cell_count; ++c) rank[order[c]] = c;
    for (uint32_t i = 0; i < n; ++i) cells->cell_of[i] = rank[cells->cell_of[i]];
    for (size_t s = 0; s <= cells->table_mask; ++s) {
        if (cells->table[s].number1 > 0) cells->table[s].number1 = rank[cells->table[s].number1 - 1] + 1;
    }
}

static void hash_points(kin_cells* cells, const kin_cloud* cloud)
{
    const kin_cell_frame* f = &cells->frame;
    memset(cells->table, 0, ((size_t)cells->table_mask + 1) * sizeof *cells->table);
    cells->cell_count = 0;
    for (uint32_t i = 0; i < cloud->count; ++i) {
        uint32_t x = kin_cell_at(f, 0, cloud->at[0][i]), y = kin_cell_at(f, 1, cloud->at[1][i]), z = kin_cell_at(f, 2, cloud->at[2][i]);
        uint32_t slot = kin_cell_hash(x, y, z) & cells->table_mask;
        kin_cell_entry* e = &cells->table[slot];
        while (e->number1 != 0 && (e->at[0] != x || e->at[1] != y || e->at[2] != z)) {
            slot = (slot + 1) & cells->table_mask;
            e = &cells->table[slot];
        }
        if (e->number1 == 0) {
            cells->order[cells->cell_count] = i;
            *e = (kin_cell_entry){{x, y, z}, ++cells->cell_count};
        }
        cells->cell_of[i] = e->number1 - 1;
    }
}

static void sort_items(kin_cells* cells, uint32_t count, uint32_t* items)
{
    uint32_t* starts = cells->starts;
    memset(starts, 0, ((size_t)cells->cell_count + 1) * sizeof *starts);
    for (uint32_t i = 0; i < count; ++i) starts[cells->cell_of[i]] += 1;
    uint32_t sum = 0;
    for (uint32_t c = 0; c <= cells->cell_count; ++c) starts[c] = sum += starts[c]; /* the ends, for now */
    for (uint32_t i = count; i-- > 0;) items[--starts[cells->cell_of[i]]] = i;
}

bool kin_cells_build(kin_cells* cells, const kin_allocator* allocator, kin_jobs* jobs, const kin_cloud* cloud, double edge, bool hashed, uint32_t* items)
{
    uint32_t most = cloud->count < 0xFFFFFF00u ? cloud->count + 64 : cloud->count;
    size_t slots = 16;
    while (hashed && slots < 2 * (size_t)cloud->count) slots *= 2;
    if (!kin_reserve(allocator, (void**)&cells->starts, &cells->start_capacity, (size_t)most + 1, sizeof *cells->starts)) return false;
    if (!kin_reserve(allocator, (void**)&cells->cell_of, &cells->point_capacity, cloud->count, sizeof *cells->cell_of)) return false;
    if (hashed && !kin_reserve(allocator, (void**)&cells->table, &cells->table_capacity, slots, sizeof *cells->table)) return false;
    if (hashed && !kin_reserve(allocator, (void**)&cells->keys, &cells->key_capacity, 2 * (size_t)cloud->count, sizeof *cells->keys)) return false;
    if (hashed && !kin_reserve(allocator, (void**)&cells->order, &cells->order_capacity, 3 * (size_t)cloud->count, sizeof *cells->order)) return false;
    cells->hashed = hashed;
    cells->item_count = cloud->count;
    cells->table_mask = (uint32_t)(slots - 1);
    fit_frame(cells, cloud, edge, most);
    if (hashed) {
        hash_points(cells, cloud);
        order_cells(cells, cloud);
    } else {
        cells->cell_count = cells->frame.dims[0] * cells->frame.dims[1] * cells->frame.dims[2];
        kin_cloud_for(jobs, cloud->count, GRAIN, number_points, &(number_job){cloud, cells});
    }
    sort_items(cells, cloud->count, items);
    return true;
}

void kin_cells_term(kin_cells* cells, const kin_allocator* allocator)
{
    kin_free(allocator, cells->starts, cells->start_capacity * sizeof *cells->starts);
    kin_free(allocator, cells->cell_of, cells->point_capacity * sizeof *cells->cell_of);
    kin_free(allocator, cells->table, cells->table_capacity * sizeof *cells->table);
    kin_free(allocator, cells->keys, cells->key_capacity * sizeof *cells->keys);
    kin_free(allocator, cells->order, cells->order_capacity * sizeof *cells->order);
    *cells = (kin_cells){0};
}

size_t kin_cells_bytes(const kin_cells* cells)
{
    return (cells->start_capacity + cells->point_capacity + cells->order_capacity) * sizeof(uint32_t) + cells->table_capacity * sizeof *cells->table
           + cells->key_capacity * sizeof *cells->keys;
}
