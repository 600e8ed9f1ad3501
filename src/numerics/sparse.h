/* sparse.h - matrices that are mostly zeros: gathered as triplets in any order, assembled once into rows (CSR), multiplied. Entries at the same place add up
 * in the order they were given and a row is summed from left to right: the same bits everywhere. Everything lives in an arena. */
#pragma once
#include "base/arena.h"

typedef struct kin_triplet {
    int row, column;
    double value;
} kin_triplet;

typedef struct kin_triplets {
    kin_arena* arena; /* grows here; {.arena = a} is empty */
    kin_triplet* items;
    int count, capacity;
    bool failed; /* no room: what was added since is lost */
} kin_triplets;

void kin_triplets_add(kin_triplets* triplets, int row, int column, double value);
/* 3 x 3 numbers, row after row, with the corner at (row, column): how one point in space acts on another. */
void kin_triplets_add_block(kin_triplets* triplets, int row, int column, const double block[9]);

typedef struct kin_sparse {
    int size;    /* rows and columns */
    int* begin;  /* size + 1: the entries of row i are begin[i] to begin[i + 1] - 1 */
    int* column; /* rising within a row */
    double* value;
} kin_sparse;

/* False: no room, or the triplets have failed. Rows and columns must be below size. */
bool kin_sparse_assemble(const kin_triplets* triplets, int size, kin_arena* arena, kin_sparse* out);
void kin_sparse_multiply(const kin_sparse* matrix, const double* x, double* y); /* y = A x; the arrays do not overlap */
double kin_sparse_at(const kin_sparse* matrix, int row, int column);            /* 0 where nothing is stored */
