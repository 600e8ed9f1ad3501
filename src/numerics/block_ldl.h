/* block_ldl.h - A x = b for A symmetric positive semidefinite and sparse by blocks: J M^-1 J^t of a graph of joints (Coutinho 5.4, with J as in erratum E11).
 *
 * A node is a joint with 1 to 6 rows; two nodes have a block when their joints share a body. Which blocks there are is told once; numbers change each step:
 *
 *     kin_block_ldl_analyse(nodes, sizes, links, arena, scratch, &ldl)    once: order (block_order.h), places, all memory
 *     kin_block_ldl_clear; kin_block_ldl_add(slot, numbers)...            each step, no allocation from here on
 *     kin_block_ldl_factor; kin_block_ldl_solve
 *
 * Trees cost as much as they have joints: no block of L is new. Loops add a few.
 *
 * A closed loop may hold rows that say the same twice (four hinges of a planar four-bar: three of them). A row whose pivot is no more than `tolerance` of its
 * diagonal, or than rounding may have left there, depends on those before it: it is dropped, its unknown is 0, and the kept rows hold exactly. If b is
 * consistent so do the dropped ones; if not, solve returns by how much they miss. The forces J^t x do not depend on which rows went. kin_block_ldl_solve_least
 * instead gives the x of least square error and, among those, of least norm: the pseudo-inverse.
 *
 * Why not the larger matrix of masses and joints together: it also covers bodies with hundreds of joints in linear time, but needs 6 x 6 pivots for bodies and
 * is indefinite, so that a dropped row could not be told from a bad order. Doubles; sums in one order, the same bits everywhere. */
#pragma once
#include "numerics/block_order.h"

enum { KIN_BLOCK_MOST = 6 };
#define KIN_BLOCK_TOLERANCE 1e-12 /* a good one: mass ratios of 1:1e6 pass, what rounding leaves of a dependent row does not */

typedef struct kin_block_ldl {
    int nodes, rows;
    int blocks, fill, updates;  /* below the diagonal in L; those of them that A lacks; block products in a factorization */
    int* first;                 /* by node: its first row in all vectors; first[nodes] = rows */
    int *node, *place;          /* order of elimination, and back */
    int *size, *row;            /* by place: rows, and the first of them in all vectors */
    int* parent;                /* by place: the next place that feels it; -1: a root */
    int* begin;                 /* by place: its blocks below the diagonal are begin[k] to begin[k + 1] - 1 */
    int* below;                 /* their places, rising */
    int *diagonal, *value;      /* where numbers begin: of a diagonal block, by place; of a block below */
    int *target_begin, *target; /* where the products of column k go */
    int numbers;
    double *matrix, *factor; /* A; L, and on the diagonal the L of the blocks of D; blocks row by row, column after column */
    double* compliance;      /* by row: added to the diagonal of A; >= 0, the caller's to set, 0 at first */
    double* inverse;         /* by row: 1 / pivot, 0 where dropped */
    double* noise;           /* by row: what rounding may have made of the pivot */
    double* spare;           /* the blocks of one column before division */
    double* wide;            /* and as the kernels of products lay them out (block_products.h) */
    const struct kin_block_products* products;
    int* dropped; /* rows, in order of elimination */
    int dropped_count;
} kin_block_ldl;

/* sizes: rows per node. links: pairs of nodes with a block, in any order, twice or not. What is kept lives in the arena; scratch is free again afterwards, if it is
 * another. False: no room. */
bool kin_block_ldl_analyse(int nodes, const int* sizes, int link_count, const kin_block_link* links, kin_arena* arena, kin_arena* scratch, kin_block_ldl* out);

typedef struct kin_block_slot {
    int begin; /* in matrix; -1: the nodes are not linked */
    int rows, columns;
    bool turned; /* kept as its transpose */
} kin_block_slot;
/* The place of A_ij; find it once. */
kin_block_slot kin_block_ldl_slot(const kin_block_ldl* ldl, int i, int j);
void kin_block_ldl_clear(kin_block_ldl* ldl); /* A = 0; compliance stays */
/* A_ij += numbers, rows of i x rows of j, row by row. A_ji follows: add each pair of nodes once. Of a diagonal block the lower triangle counts. */
void kin_block_ldl_add(kin_block_ldl* ldl, kin_block_slot slot, const double* numbers);

typedef struct kin_block_report {
    bool finite;  /* false: the matrix is not, and there is no factor */
    int dropped;  /* rows */
    double least; /* the smallest kept pivot, of its diagonal: small means near dependence. 1 when none was kept */
    int negative; /* dropped pivots below zero by more than rounding explains: the matrix was not semidefinite */
} kin_block_report;
kin_block_report kin_block_ldl_factor(kin_block_ldl* ldl, double tolerance);

/* x holds b, then the answer; `columns` of them, one after the other, `rows` numbers each. Returns the largest |b - A x| of the dropped rows. */
double kin_block_ldl_solve(const kin_block_ldl* ldl, int columns, double* x);

/* For b that is zero but for a few nodes, where only the answer at these counts (contacts on a chain, one column each): they and what lies between them and the
 * root are enough. path: room for `nodes` numbers; returns how many it holds. */
int kin_block_ldl_path(const kin_block_ldl* ldl, int count, const int* nodes, int* path);
/* x: zero off the path; the answer on the path, zero elsewhere. Returns the miss of the dropped rows on the path. */
double kin_block_ldl_solve_path(const kin_block_ldl* ldl, int length, const int* path, int columns, double* x);
/* Half of it: y = D^-1/2 L^-1 b, so that b_i^t A^-1 b_j = y_i . y_j: a Delassus matrix from dot products. */
void kin_block_ldl_half_path(const kin_block_ldl* ldl, int length, const int* path, int columns, double* x);

/* An orthonormal basis of what A (as factored) turns to zero: dropped_count columns of `rows` numbers. */
void kin_block_ldl_null(const kin_block_ldl* ldl, double* basis);
/* The pseudo-inverse, with that basis. Returns the length of b - A x. Rows count alike, whatever their units. */
double kin_block_ldl_solve_least(const kin_block_ldl* ldl, const double* basis, double* x);

void kin_block_ldl_multiply(const kin_block_ldl* ldl, const double* x, double* y); /* y = A x, compliance included; the arrays do not overlap */
