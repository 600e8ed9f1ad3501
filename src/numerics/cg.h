/* cg.h - linear systems known only by what the matrix does to a vector: conjugate gradients for symmetric positive definite ones, BiCGSTAB for the rest.
 * Sums run in one order: the same bits everywhere. */
#pragma once
#include <stdbool.h>

typedef void kin_linear_map(void* context, const double* x, double* y); /* y = A x; the arrays do not overlap */

typedef struct kin_krylov {
    int size;
    kin_linear_map* matrix;
    kin_linear_map* preconditioner; /* y near A^-1 x; symmetric positive definite for kin_cg. NULL: none */
    void* context;                  /* of both */
    double tolerance;               /* of |b - A x| / |b| */
    int max_iterations;
} kin_krylov;

typedef struct kin_krylov_report {
    bool converged;
    int iterations;
    double residual; /* |b - A x| / |b|, computed anew from the x that is handed back; 0 for b = 0 */
} kin_krylov_report;

enum { KIN_CG_VECTORS = 4, KIN_BICGSTAB_VECTORS = 8 }; /* scratch: this many times size numbers */

/* x holds the guess, then the answer: the best there is when it did not converge. A matrix that turns out not to be positive definite ends the search. */
kin_krylov_report kin_cg(const kin_krylov* problem, const double* b, double* x, double* scratch);
kin_krylov_report kin_bicgstab(const kin_krylov* problem, const double* b, double* x, double* scratch);
