/* dense.h - dense systems A x = b. Row-major, in the caller's memory, factored in place; one order of operations, so the same bits everywhere.
 * LU with partial pivoting for any matrix that has an inverse; LDL^T for symmetric ones whose leading minors are not 0 (definite, or saddle points
 * with the definite block first), at half the work; the same with pivots of one or two rows (Bunch and Kaufman) for all symmetric ones. */
#pragma once
#include <stdbool.h>

/* A = P^-1 L U: L below the diagonal (its ones not stored), U on and above. pivot: n numbers, the row each column was swapped with. False: a column
 * without a pivot (0 or not finite), a is then spoilt. A nearly singular matrix passes: look at the residual. */
bool kin_lu_factor(int n, double* a, int* pivot);
void kin_lu_solve(int n, const double* lu, const int* pivot, double* x); /* x holds b, then the answer */
double kin_lu_determinant(int n, const double* lu, const int* pivot);

/* A = L D L^T: reads the lower triangle and leaves L there, D on the diagonal. False: a pivot is not more than round-off; a is then spoilt. */
bool kin_ldlt_factor(int n, double* a);
void kin_ldlt_solve(int n, const double* ldlt, double* x);
int kin_ldlt_negative(int n, const double* ldlt); /* negative eigenvalues of A (Sylvester): 0 means positive definite */

/* P A P^T = L D L^T with D in blocks of 1 and 2: reads the lower triangle, leaves L and D there. pivot: n numbers. False: a column of zeros, or not finite; a
 * is then spoilt. A nearly singular matrix passes: look at the residual. */
bool kin_ldlt_pivoted_factor(int n, double* a, int* pivot);
void kin_ldlt_pivoted_solve(int n, const double* ldlt, const int* pivot, double* x);
int kin_ldlt_pivoted_negative(int n, const double* ldlt, const int* pivot);
