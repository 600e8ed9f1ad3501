/* block_products.h - the products of one column of a factorization (block_ldl.c) where all blocks are 3 x 3, as those of ball joints: most of the work where
 * blocks fill in. */
#pragma once

enum { KIN_BLOCK_WIDE = 27 }; /* numbers of room per block */

typedef struct kin_block_products {
    /* left: `count` blocks L_i, row by row, one after the other; right: the transposes of what they were before division, R_j. For j = 0 ..., i = j ...:
     * the block at factor + *target++ -= L_i R_j. room: KIN_BLOCK_WIDE * count numbers. */
    void (*subtract)(const double* left, const double* right, int count, const int* target, double* factor, double* room);
} kin_block_products;
extern const kin_block_products kin_block_products_none, kin_block_products_sse2, kin_block_products_avx2;
