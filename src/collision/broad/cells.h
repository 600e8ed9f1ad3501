/* cells.h - boxes in cells of one size, for the grids. A cell number never falls as a coordinate rises, so boxes that overlap share a cell. */
#pragma once
#include "collision/broad/inside.h"

#define KIN_BROAD_CELLS_MAX 512 /* a box over more cells is kept apart, in a list of the large */

static inline int32_t kin_broad_cell(double x, double inverse)
{
    double at = kin_clamp(x * inverse, -0x1p30, 0x1p30);
    int32_t whole = (int32_t)at;
    return whole - (at < whole);
}

static inline kin_broad_cells kin_broad_cells_at(const kin_broad_stored* s, double inverse)
{
    kin_broad_cells c;
    for (int k = 0; k < 3; ++k) c.low[k] = kin_broad_cell((double)s->low[k], inverse), c.high[k] = kin_broad_cell((double)s->high[k], inverse);
    return c;
}

static inline double kin_broad_cells_number(const kin_broad_cells* c)
{
    return (c->high[0] - c->low[0] + 1.0) * (c->high[1] - c->low[1] + 1.0) * (c->high[2] - c->low[2] + 1.0);
}

static inline bool kin_broad_cells_have(const kin_broad_cells* c, const int32_t at[3])
{
    return c->low[0] <= at[0] && at[0] <= c->high[0] && c->low[1] <= at[1] && at[1] <= c->high[1] && c->low[2] <= at[2] && at[2] <= c->high[2];
}

/* The next cell of a range; false after the last. */
static inline bool kin_broad_cells_step(const kin_broad_cells* c, int32_t at[3])
{
    for (int k = 0; k < 3; ++k) {
        if (at[k] < c->high[k]) return at[k] += 1, true;
        at[k] = c->low[k];
    }
    return false;
}

/* Two boxes may share several cells: the one with the lower corner of what they share speaks for them. */
static inline bool kin_broad_cell_speaks(const int32_t at[3], const kin_broad_cells* a, const kin_broad_stored* b, double inverse)
{
    for (int k = 0; k < 3; ++k) {
        int32_t low = kin_broad_cell((double)b->low[k], inverse);
        if (at[k] != (low > a->low[k] ? low : a->low[k])) return false;
    }
    return true;
}

/* Moved ones against the large ones, and moved large ones against all. */
void kin_broad_search_large(const kin_broad* b, const kin_broad_list* large, kin_broad_sink* sink);
