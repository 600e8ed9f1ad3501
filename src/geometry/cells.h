/* cells.h - points sorted into cells of one size: all cells of a box, or, hashed, only those that hold points (H6.3a, C2.4.1, R3.7).
 *
 * Items lie cell after cell, ascending within one; a row of cells along x is one stretch of them. The edge is what was asked for, unless that makes more
 * cells than points (grid) or than a whole number holds (hash): then it grows. A search visits ceil(reach / edge) cells to each side, cut at the border:
 * the half of that in Coutinho 3.3.4 sees only half as far (C3.3.4c). */
#pragma once
#include "geometry/cloud.h"

typedef struct kin_cell_entry {
    uint32_t at[3];
    uint32_t number1; /* of the cell, from 1; 0: a free entry */
} kin_cell_entry;

typedef struct kin_cells {
    kin_cell_frame frame;
    double edge; /* m */
    bool hashed;
    uint32_t cell_count, item_count;
    uint32_t* starts; /* cell_count + 1: first item of each cell */
    size_t start_capacity;
    uint32_t* cell_of; /* by point */
    size_t point_capacity;
    kin_cell_entry* table; /* hashed: open addressing, at most half full */
    size_t table_capacity;
    uint32_t table_mask;
    uint64_t* keys; /* hashed: scratch to sort cells by, 2 for a point */
    size_t key_capacity;
    uint32_t* order; /* hashed: 3 for a point */
    size_t order_capacity;
} kin_cells;

/* items: room for cloud->count. False: out of memory. Zero a kin_cells before its first build. */
bool kin_cells_build(kin_cells* cells, const kin_allocator* allocator, kin_jobs* jobs, const kin_cloud* cloud, double edge, bool hashed, uint32_t* items);
void kin_cells_term(kin_cells* cells, const kin_allocator* allocator);
size_t kin_cells_bytes(const kin_cells* cells);

/* H6.3a: i = (p M + r) N + c. */
static inline uint32_t kin_cell_index(const kin_cell_frame* f, uint32_t x, uint32_t y, uint32_t z) { return (z * f->dims[1] + y) * f->dims[0] + x; }

/* Eq 3.35 of R3.7 hashes x three times; here each coordinate has its turn. */
static inline uint32_t kin_cell_hash(uint32_t x, uint32_t y, uint32_t z)
{
    uint64_t h = ((uint64_t)x << 32 | y) * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 32) ^ z) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(h >> 32);
}

/* Number of a cell, cell_count when it holds nothing. */
static inline uint32_t kin_cells_find(const kin_cells* cells, uint32_t x, uint32_t y, uint32_t z)
{
    for (uint32_t slot = kin_cell_hash(x, y, z) & cells->table_mask;; slot = (slot + 1) & cells->table_mask) {
        const kin_cell_entry* e = &cells->table[slot];
        if (e->number1 == 0) return cells->cell_count;
        if (e->at[0] == x && e->at[1] == y && e->at[2] == z) return e->number1 - 1;
    }
}

typedef struct kin_cells_walk {
    uint32_t begin, end; /* of the items */
    const kin_cells* cells;
    kin_cell_box box;
    uint32_t x, y, z; /* the next cell, or row of cells */
    bool all;         /* hashed: the box has more cells than there are */
} kin_cells_walk;

static inline void kin_cells_walk_begin(kin_cells_walk* w, const kin_cells* cells, const double at[3], double reach)
{
    w->cells = cells;
    w->box = kin_cell_box_around(&cells->frame, at, reach);
    w->x = w->box.low[0], w->y = w->box.low[1], w->z = w->box.low[2];
    double x = w->box.high[0] - w->x + 1.0, y = w->box.high[1] - w->y + 1.0, z = w->box.high[2] - w->z + 1.0;
    w->all = cells->hashed && x * y * z > cells->cell_count;
}

static inline bool kin_cells_walk_next(kin_cells_walk* w)
{
    const kin_cells* cells = w->cells;
    if (w->all) {
        bool first = w->z == w->box.low[2];
        w->begin = 0, w->end = cells->item_count;
        w->z += 1;
        return first;
    }
    while (w->z <= w->box.high[2]) {
        if (cells->hashed) {
            uint32_t cell = kin_cells_find(cells, w->x, w->y, w->z);
            w->begin = cells->starts[cell];
            w->end = cell < cells->cell_count ? cells->starts[cell + 1] : w->begin;
        } else {
            uint32_t row = kin_cell_index(&cells->frame, 0, w->y, w->z);
            w->begin = cells->starts[row + w->box.low[0]];
            w->end = cells->starts[row + w->box.high[0] + 1];
            w->x = w->box.high[0];
        }
        if (++w->x > w->box.high[0]) w->x = w->box.low[0], w->y += 1;
        if (w->y > w->box.high[1]) w->y = w->box.low[1], w->z += 1;
        if (w->begin < w->end) return true;
    }
    return false;
}
