/* scanline.c - the scanline field: reading distances from stored crossings (G12.2.3). Making it is in raster.c. */
#include "geometry/sdf/sdf_internal.h"

/* The crossings round a place: how far it is to the nearest, negative between an entry and an exit. Places in units of 2^-32 of the line. */
static double line_distance(const uint32_t* s, uint32_t count, double place, double none)
{
    if (count == 0) return none;
    uint32_t passed = 0;
    while (passed < count && s[passed] <= place) passed += 1;
    if (passed == 0) return s[0] - place;
    if (passed == count) return place - s[count - 1];
    double nearest = kin_min(place - s[passed - 1], s[passed] - place);
    return passed % 2 == 1 ? -nearest : nearest;
}

/* Of the line beside a cell, the distances at the cell's two ends, if they are smaller than what is there. */
static void take_line(const kin_sdf* s, int axis, const uint32_t index[3], int next, int last, double v[8])
{
    const kin_scanlines* lines = &s->lines[axis];
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    size_t line = index[b] + (uint32_t)next + (size_t)(index[c] + (uint32_t)last) * (s->cells[b] + 1);
    uint32_t begin = lines->begin[line], count = lines->begin[line + 1] - begin;
    double length = s->cells[axis] * s->cell, unit = length * 0x1p-32, scale = 0x1p32 / s->cells[axis];
    for (int end = 0; end < 2; ++end) {
        double d = line_distance(lines->scalars + begin, count, (index[axis] + (uint32_t)end) * scale, s->far_away / unit) * unit;
        int corner = end << axis | next << b | last << c;
        if (kin_abs(d) < kin_abs(v[corner])) v[corner] = d;
    }
}

void kin_sdf_line_cell(const kin_sdf* s, const double place[3], kin_sdf_cube* cell)
{
    uint32_t index[3];
    for (int a = 0; a < 3; ++a) index[a] = kin_sdf_index(place[a], s->cells[a]);
    cell->low = kin_sdf_vertex(s, index[0], index[1], index[2]);
    cell->size = s->cell;
    cell->at = kin_v(place[0] - index[0], place[1] - index[1], place[2] - index[2]);
    for (int i = 0; i < 8; ++i) cell->v[i] = s->far_away;
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < 4; ++i) take_line(s, axis, index, i & 1, i >> 1, cell->v);
    }
}

/* To the sides of the place's own block, and over the blocks between it and the nearest with a crossing. */
double kin_sdf_line_clearance(const kin_sdf* s, const double place[3])
{
    uint32_t block[3];
    double side = KIN_SDF_BLOCK;
    for (int a = 0; a < 3; ++a) {
        block[a] = kin_sdf_index(place[a], s->cells[a]) / KIN_SDF_BLOCK;
        double within = place[a] - block[a] * (double)KIN_SDF_BLOCK;
        side = kin_min(side, kin_min(within, KIN_SDF_BLOCK - within));
    }
    uint8_t steps = s->steps[kin_sdf_block_at(s, block[0], block[1], block[2])];
    return steps == 0 ? 0 : ((steps - 1.0) * KIN_SDF_BLOCK + side) * s->cell;
}
