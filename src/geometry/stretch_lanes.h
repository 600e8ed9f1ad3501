/* stretch_lanes.h - sums over stretches of items, for kernel files. Items stand in lanes by their index modulo eight, whatever the width, and the eight sums of
 * a row of lanes are added in one tree: every width gives the same bits. Arrays are aligned and padded to whole rows.
 *
 *     for (uint32_t r = 0; r < s->count; ++r)
 *         for (uint32_t row = s->begin[r] & ~7u; row < s->end[r]; row += ROW)
 *             for (int p = 0; p < PARTS; ++p) {
 *                 uint32_t j = row + (uint32_t)(p * LANES);
 *                 sum[p] += pick(within(j, s->begin[r], s->end[r]), load(x + j), all(0));
 *             }
 *     return total(sum); */
#pragma once
#include "base/lanes.h"
#include "geometry/stretches.h"
#include <string.h>

enum { ROW = 8, PARTS = ROW / LANES };

/* The lanes from item `first` on that belong to the stretch. */
INLINE which within(uint32_t first, uint32_t begin, uint32_t end)
{
    static const int32_t up[ROW] = {0, 1, 2, 3, 4, 5, 6, 7};
    which n;
    memcpy(&n, up, sizeof n);
    n += (int32_t)first;
    return (n >= (int32_t)begin) & (n < (int32_t)end);
}

INLINE float total(const lane sum[PARTS])
{
    float v[ROW] __attribute__((aligned(64)));
    for (int p = 0; p < PARTS; ++p) store(v + p * LANES, sum[p]);
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}
