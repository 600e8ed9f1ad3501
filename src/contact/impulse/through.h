/* through.h - linear systems of many rows, solved through the few bodies that they act on. Inside impulse/ only.
 *
 * Let B be rows J, C columns M^-1 J^t (a normal's with what friction that slides adds to it), both scaled so that diagonals are about 1. Rows may depend on each
 * other (four corners of a box), so a little softness e is added, and taken back by refinement:
 *
 *     (B C + e) y = r        as many rows as contacts and joints have; and the same by Woodbury's identity:
 *     y = (r - B z) / e,     (C B + e) z = C r
 *
 * The second matrix has a block of 6 x 6 for each body and for each two bodies that a row connects: a sparse LU by blocks, in the order of block_order.h, which is
 * found once for a set. Cost grows with the contacts, not with their cube. */
#pragma once
#include "contact/impulse/rows.h"
#include "numerics/block_order.h"

typedef struct kin_through_row {
    uint32_t node[2];
    double jacobian[2][6], column[2][6]; /* by side; in the nodes' units, scaled */
} kin_through_row;

typedef struct kin_through {
    int nodes;
    kin_block_order order;
    int* begin;            /* by place: its blocks are begin[k] to begin[k + 1] - 1 */
    int* below;            /* their places, rising */
    double* middle;        /* by place: the diagonal block, then its LU. An inverse would spread the large answers of what nothing holds over what is held */
    int* pivot;            /* 6 a node, of these */
    double *lower, *upper; /* upper: divided by its diagonal block */
    double* z;             /* 6 a node, by place */
    double* unit;          /* 6 a node: about M^-1/2, in which all entries are alike, whatever the masses and arms */
    double soft;           /* that it was factored with */
    int64_t cost;          /* of a factorization, in visits of a row */
} kin_through;

/* All rows of the set may take part. False: no room. */
bool kin_through_init(kin_through* through, const kin_row_set* set, kin_arena* arena);
/* A row of the set, times scale; column: M^-1 C^t of its four parts, NULL: what it gives. */
kin_through_row kin_through_row_of(const kin_through* through, const kin_row* row, const kin_vec3* column, double scale);
/* soft: e of above, of a unit diagonal. False: a block without an inverse. */
bool kin_through_factor(kin_through* through, const kin_through_row* rows, int count, double soft);
/* r (count) becomes y. */
void kin_through_solve(const kin_through* through, const kin_through_row* rows, int count, double* r);
/* out = d - (B C + soft) y. */
void kin_through_miss(const kin_through* through, const kin_through_row* rows, int count, double soft, const double* d, const double* y, double* out);
