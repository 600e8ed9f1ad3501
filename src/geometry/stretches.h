/* stretches.h - which items of cells to look at, as stretches of their sorted array: cells next to each other along x are one. What a kernel runs through
 * instead of cells (stretch_lanes.h). */
#pragma once
#include "geometry/cells.h"

typedef struct kin_stretches {
    uint32_t count;
    uint32_t begin[64], end[64]; /* of items; no item is in two */
} kin_stretches;

static inline void kin_stretches_add(kin_stretches* s, uint32_t begin, uint32_t end)
{
    if (s->count > 0 && s->end[s->count - 1] == begin) {
        s->end[s->count - 1] = end;
    } else {
        s->begin[s->count] = begin;
        s->end[s->count++] = end;
    }
}

/* All within an edge of the items of a hashed cell: the cell itself and those round it. at: any place in it. */
static inline void kin_stretches_round(kin_stretches* s, const kin_cells* cells, const double at[3])
{
    const kin_cell_frame* f = &cells->frame;
    uint32_t low[3], high[3];
    for (int a = 0; a < 3; ++a) {
        uint32_t c = kin_cell_at(f, a, at[a]);
        low[a] = c > 0 ? c - 1 : 0;
        high[a] = c + 1 < f->dims[a] ? c + 1 : c;
    }
    s->count = 0;
    for (uint32_t z = low[2]; z <= high[2]; ++z) {
        for (uint32_t y = low[1]; y <= high[1]; ++y) {
            for (uint32_t x = low[0]; x <= high[0]; ++x) {
                uint32_t near = kin_cells_find(cells, x, y, z);
                if (near < cells->cell_count) kin_stretches_add(s, cells->starts[near], cells->starts[near + 1]);
            }
        }
    }
}
