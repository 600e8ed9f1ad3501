/* lcp_sweep.h - the same problems by sweeps: projected Gauss-Seidel and Jacobi over boxes. Simple, deterministic, slow to converge: a cross-check for the
 * exact solvers, and the choice for thousands of contacts where a few sweeps will do.
 *
 * Row i: low_i <= F_i <= high_i, with a_i = 0 inside, a_i >= 0 at low, a_i <= 0 at high. A contact is [0, infinity), a joint (-infinity, infinity), friction
 * [-mu F_j, mu F_j] on its normal row j. */
#pragma once
#include "numerics/lcp.h"

typedef struct kin_lcp_box {
    double low, high;
    int normal; /* >= 0: low and high are coefficients that multiply F of that row; -1: plain bounds */
} kin_lcp_box;

typedef enum kin_lcp_sweep {
    KIN_LCP_GAUSS_SEIDEL, /* each row sees the rows before it already updated, in index order */
    KIN_LCP_JACOBI,       /* all rows see the last sweep: any order, or parallel, gives the same bits */
} kin_lcp_sweep;

/* Sweeps until the residual |F_i - clamp(F_i - a_i / A_ii)| A_ii is at most tolerance, or `sweeps` are done (LIMIT). `force` holds the start (a warm start, or
 * zeros) and the result. Gauss-Seidel converges for symmetric positive semidefinite A with plain bounds and 0 < relaxation < 2; Jacobi needs relaxation below
 * 2 / the largest eigenvalue of D^-1 A: 1 / (rows that meet in a row) is safe. Rows with A_ii = 0 keep their force. report.pivots counts sweeps. */
kin_lcp_report kin_lcp_sweeps(int size, const double* matrix, const double* offset, const kin_lcp_box* boxes, kin_lcp_sweep kind, double relaxation, int sweeps,
                              double tolerance, double* force, kin_arena* scratch);
