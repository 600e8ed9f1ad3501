/* dense.c - LU with partial pivoting, LDL^T without. Golub, Van Loan: Matrix Computations, 3.4 and 4.1. */
#include "numerics/dense.h"
#include "base/error.h"
#include "math/scalar.h"
#include <stddef.h>

static double* row_of(double* a, int n, int i) { return a + (size_t)i * (size_t)n; }
static const double* row_in(const double* a, int n, int i) { return a + (size_t)i * (size_t)n; }

/* The first of the largest, so that ties do not depend on anything; -1 when there is none to divide by. */
static int best_row(int n, double* a, int column)
{
    int best = -1;
    double most = 0.0;
    for (int i = column; i < n; ++i) {
        double size = kin_abs(row_of(a, n, i)[column]);
        if (!kin_finite(size)) return -1;
        if (size > most) {
            most = size;
            best = i;
        }
    }
    return best;
}

static void swap_rows(int n, double* a, double* b)
{
    for (int k = 0; k < n; ++k) {
        double held = a[k];
        a[k] = b[k];
        b[k] = held;
    }
}

static void subtract_row(int n, double factor, const double* restrict from, double* restrict row)
{
    for (int k = 0; k < n; ++k) row[k] -= factor * from[k];
}

bool kin_lu_factor(int n, double* a, int* pivot)
{
    KIN_ASSERT(n >= 0);
    for (int k = 0; k < n; ++k) {
        double* top = row_of(a, n, k);
        int best = best_row(n, a, k);
        if (best < 0) return false;
        pivot[k] = best;
        if (best != k) swap_rows(n, top, row_of(a, n, best)); /* whole rows: L is permuted too, so b can be permuted first */
        for (int i = k + 1; i < n; ++i) {
            double* row = row_of(a, n, i);
            if (row[k] == 0.0) continue;
            row[k] /= top[k];
            subtract_row(n - k - 1, row[k], top + k + 1, row + k + 1);
        }
    }
    return true;
}

void kin_lu_solve(int n, const double* lu, const int* pivot, double* x)
{
    for (int k = 0; k < n; ++k) {
        double held = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = held;
    }
    for (int i = 1; i < n; ++i) {
        const double* row = row_in(lu, n, i);
        for (int k = 0; k < i; ++k) x[i] -= row[k] * x[k];
    }
    for (int i = n - 1; i >= 0; --i) {
        const double* row = row_in(lu, n, i);
        for (int k = i + 1; k < n; ++k) x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
}

double kin_lu_determinant(int n, const double* lu, const int* pivot)
{
    double product = 1.0;
    for (int k = 0; k < n; ++k) product *= pivot[k] != k ? -row_in(lu, n, k)[k] : row_in(lu, n, k)[k];
    return product;
}

/* Row i, left to right: first the products L_ik D_k, from which D_i and L_ik follow. */
bool kin_ldlt_factor(int n, double* a)
{
    KIN_ASSERT(n >= 0);
    const double round_off = 4.0 * 2.220446049250313e-16;
    for (int i = 0; i < n; ++i) {
        double* row = row_of(a, n, i);
        for (int k = 0; k < i; ++k) {
            const double* other = row_of(a, n, k);
            for (int j = 0; j < k; ++j) row[k] -= row[j] * other[j]; /* row[j] is L_ij D_j still */
        }
        double d = row[i], size = kin_abs(d); /* of the terms that d is the sum of */
        for (int k = 0; k < i; ++k) {
            double l = row[k] / row_of(a, n, k)[k], term = l * row[k];
            d -= term;
            size += kin_abs(term);
            row[k] = l;
        }
        if (!(kin_abs(d) > round_off * size) || !kin_finite(d)) return false;
        row[i] = d;
    }
    return true;
}

void kin_ldlt_solve(int n, const double* ldlt, double* x)
{
    for (int i = 1; i < n; ++i) {
        const double* row = row_in(ldlt, n, i);
        for (int k = 0; k < i; ++k) x[i] -= row[k] * x[k];
    }
    for (int i = 0; i < n; ++i) x[i] /= row_in(ldlt, n, i)[i];
    for (int i = n - 1; i > 0; --i) {
        const double* row = row_in(ldlt, n, i);
        for (int k = 0; k < i; ++k) x[k] -= row[k] * x[i];
    }
}

int kin_ldlt_negative(int n, const double* ldlt)
{
    int count = 0;
    for (int i = 0; i < n; ++i) count += row_in(ldlt, n, i)[i] < 0.0;
    return count;
}
