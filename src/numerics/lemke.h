/* lemke.h - Lemke's method for w = M z + q, w >= 0, z >= 0, z^t w = 0 with any square M: friction makes contact matrices nonsymmetric (H10.13, H10.16).
 * Finds a solution when M is copositive-plus (semidefinite matrices are) and one exists, and always for P-matrices and strictly copositive ones; otherwise it
 * may end on a ray, which proves nothing. Cottle, Pang and Stone, The linear complementarity problem, 4.4. */
#pragma once
#include "numerics/lcp.h"

/* M is size x size, row-major. On UNBOUNDED z and w hold the last point before the ray: w = M z + q + z0 (1, ..., 1) for some z0 > 0, minus that z0.
 * max_pivots 0: 100 + 20 size. A pivot costs O(size^2); the tableau takes 2 size (size + 1) numbers of scratch. Ties are broken lexicographically, so
 * degenerate problems do not cycle. The residual is max |min(z_i, w_i)|. */
kin_lcp_report kin_lcp_lemke(int size, const double* matrix, const double* q, int max_pivots, double* z, double* w, kin_arena* scratch);
