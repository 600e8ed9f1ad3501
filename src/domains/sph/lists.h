/* lists.h - who is near whom: SELL-8. Eight particles that follow each other are the lanes of a block; row k of a block holds the k-th neighbour of each of
 * them, as an offset from the block's first particle, padded with the lane itself to the longest list of the block. g of a padded entry is 0.
 *
 * Offsets are 16 bits wide where they fit, else 32 for the whole list (`wide`). Particles themselves are not in their lists. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KIN_SPH_SQUEEZE 4096 /* bytes of the table */
/* Lists end at this part of the support: farther out the slope of a bell is at most three millionths of its largest. In a lattice some neighbours are at the
 * support itself, where rounding would take a few of them in: rows without anything in them. */
#define KIN_SPH_REACH 0.999f

typedef struct kin_sph_lists {
    size_t* first; /* by block: its first row; blocks + 1 of them */
    bool wide;
    int16_t* near;    /* 8 a row: offsets, !wide */
    int32_t* far;     /* wide */
    float* g;         /* 8 a row: V W'(r)/r, 1/m^2; filled by kin_sph_measure_density */
    uint8_t* squeeze; /* by mask of eight: how lanes move together (link.c) */
    size_t rows;
    size_t row_capacity, near_capacity, far_capacity, block_capacity; /* rows of g, near and far; entries of first */
} kin_sph_lists;
