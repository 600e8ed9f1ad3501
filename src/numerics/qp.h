/* qp.h - convex quadratic programs with equality rows: least 1/2 x^t H x + g^t x where A x = b and low <= x <= high.
 *
 * The other way to contact forces (S-D, R6): with H = J M^-1 J^t, g the accelerations without forces and x >= 0 the answer is that of lcp.h; joints are free x,
 * or rows. H symmetric positive semidefinite, dense, up to some hundreds; singular ones, redundant rows and fixed x (low = high) are all right.
 *
 * Two methods check each other: an interior point method (Mehrotra's predictor and corrector, steps held by a proximal term where the matrix is singular) finds
 * which bounds hold, an active-set Newton method ends on the exact answer for these. A warm start tries the second at once. */
#pragma once
#include "base/arena.h"
#include "kinema/base.h"

typedef struct kin_qp {
    int size, rows;
    const double *matrix, *linear;     /* H, row-major, and g */
    const double *row_matrix, *target; /* A, rows x size, and b; NULL without rows */
    const double *low, *high;          /* infinite for none; NULL: none at all */
    double tolerance;                  /* of both residuals; 0: 1e-10 */
    int max_iterations;                /* of either method; 0: 80 */
} kin_qp;

typedef enum kin_qp_status {
    KIN_QP_SOLVED,
    KIN_QP_LIMIT,  /* not within the tolerance: feasibility tells of rows that contradict each other or the bounds, stationarity of a way down without end */
    KIN_QP_MEMORY, /* outputs are unspecified */
} kin_qp_status;

/* Both residuals are relative to the largest sum of absolute values in their rows; numbers that are not finite give KIN_LCP_NOT_FINITE, and x = 0. */
typedef struct kin_qp_report {
    kin_qp_status status;
    int interior, moves; /* iterations of either method */
    double stationarity; /* largest |slope| that no bound holds: |s (x - clamp(x - slope / s))| with s = H_ii, or 1 where that is 0 */
    double feasibility;  /* largest |A x - b|; the bounds hold exactly */
} kin_qp_report;

/* Fills x, y (multipliers of the rows) and slope = H x + g + A^t y (may be NULL): 0 inside, >= 0 at low, <= 0 at high. warm: x and y hold a guess, such as the
 * last step's; otherwise they need not be set. Work: (size + rows)^3 / 3 an iteration, a dozen of them; scratch (size + rows)^2 numbers. */
kin_qp_report kin_qp_solve(const kin_qp* qp, bool warm, double* x, double* y, double* slope, kin_arena* scratch);
