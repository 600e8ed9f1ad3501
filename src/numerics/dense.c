/* dense.c - LU with partial pivoting, LDL^T without and with. Golub, Van Loan: Matrix Computations, 3.4, 4.1 and 4.4. */
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

/* ---- symmetric, with pivots ---- */

static double entry(const double* a, int n, int i, int j) { return i >= j ? row_in(a, n, i)[j] : row_in(a, n, j)[i]; }

/* The first of the largest |A_ij|, from <= i < n, i not j; *size is 0 when there is none. */
static int largest_in_column(int n, const double* a, int from, int j, double* size)
{
    int best = from;
    *size = 0.0;
    for (int i = from; i < n; ++i) {
        double one = i != j ? kin_abs(entry(a, n, i, j)) : 0.0;
        if (one > *size || one != one) *size = one, best = i;
    }
    return best;
}

/* Rows and columns p < q of the lower triangle, with what earlier columns hold of L. */
static void swap_symmetric(int n, double* a, int p, int q)
{
    double *row_p = row_of(a, n, p), *row_q = row_of(a, n, q), held = row_p[p];
    swap_rows(p, row_p, row_q);
    row_p[p] = row_q[q];
    row_q[q] = held;
    for (int i = p + 1; i < n; ++i) {
        if (i == q) continue;
        double *one = row_of(a, n, i) + p, *other = i < q ? row_q + i : row_of(a, n, i) + q;
        held = *one;
        *one = *other;
        *other = held;
    }
}

/* One row's pivot while it is not small beside its column, or beside what the growth of the other choice would be; else two rows. *row: which comes next. */
static int choose_pivot(int n, const double* a, int k, int* row)
{
    const double alpha = 0.6403882032022076; /* (1 + sqrt 17) / 8: the least growth of both kinds together */
    double own = kin_abs(entry(a, n, k, k)), column, other;
    int best = largest_in_column(n, a, k, k, &column);
    *row = k;
    if (!kin_finite(own) || !kin_finite(column) || (own == 0.0 && column == 0.0)) return 0;
    if (own >= alpha * column) return 1;
    largest_in_column(n, a, k, best, &other);
    if (own * (other / column) >= alpha * column) return 1;
    *row = best;
    return kin_abs(entry(a, n, best, best)) >= alpha * other ? 1 : 2;
}

/* From the last row up: those before still hold their share of A, not of L. */
static void eliminate_one(int n, double* a, int k)
{
    double pivot = row_of(a, n, k)[k];
    for (int i = n - 1; i > k; --i) {
        double *row = row_of(a, n, i), factor = row[k] / pivot;
        for (int j = k + 1; j <= i; ++j) row[j] -= factor * row_of(a, n, j)[k];
        row[k] = factor;
    }
}

/* (u, v) = D^-1 (u, v), scaled by the entry off the diagonal, which is the largest. */
static void divide_by_two(int n, const double* a, int k, double* u, double* v)
{
    double b = row_in(a, n, k + 1)[k], p = row_in(a, n, k)[k] / b, q = row_in(a, n, k + 1)[k + 1] / b, scale = 1.0 / (p * q - 1.0) / b, held = *u;
    *u = scale * (q * held - *v);
    *v = scale * (p * *v - held);
}

static void eliminate_two(int n, double* a, int k)
{
    for (int i = n - 1; i > k + 1; --i) {
        double *row = row_of(a, n, i), u = row[k], v = row[k + 1];
        divide_by_two(n, a, k, &u, &v);
        for (int j = k + 2; j <= i; ++j) row[j] -= u * row_of(a, n, j)[k] + v * row_of(a, n, j)[k + 1];
        row[k] = u;
        row[k + 1] = v;
    }
}

/* pivot[k] >= 0: one row, swapped with that one. Below 0, twice: two rows, the second swapped with row -1 - pivot. */
bool kin_ldlt_pivoted_factor(int n, double* a, int* pivot)
{
    KIN_ASSERT(n >= 0);
    for (int k = 0; k < n;) {
        int best, size = choose_pivot(n, a, k, &best), last = k + size - 1;
        if (size == 0) return false;
        if (best != last) swap_symmetric(n, a, last, best);
        pivot[k] = pivot[last] = size == 1 ? best : -1 - best;
        if (size == 1)
            eliminate_one(n, a, k);
        else
            eliminate_two(n, a, k);
        k += size;
    }
    return true;
}

static void swap_numbers(double* x, int i, int j)
{
    double held = x[i];
    x[i] = x[j];
    x[j] = held;
}

void kin_ldlt_pivoted_solve(int n, const double* ldlt, const int* pivot, double* x)
{
    for (int k = 0; k < n; k += pivot[k] < 0 ? 2 : 1) {
        if (pivot[k] >= 0)
            swap_numbers(x, k, pivot[k]);
        else
            swap_numbers(x, k + 1, -1 - pivot[k]);
    }
    for (int k = 0; k < n;) {
        int next = k + (pivot[k] < 0 ? 2 : 1);
        for (int i = next; i < n; ++i) {
            for (int j = k; j < next; ++j) x[i] -= row_in(ldlt, n, i)[j] * x[j];
        }
        if (pivot[k] < 0)
            divide_by_two(n, ldlt, k, &x[k], &x[k + 1]);
        else
            x[k] /= row_in(ldlt, n, k)[k];
        k = next;
    }
    for (int k = n - 1; k >= 0; --k) {
        int first = pivot[k] < 0 ? k - 1 : k;
        for (int i = k + 1; i < n; ++i) {
            for (int j = first; j <= k; ++j) x[j] -= row_in(ldlt, n, i)[j] * x[i];
        }
        k = first;
    }
    for (int k = n - 1; k >= 0; --k) {
        if (pivot[k] >= 0) {
            swap_numbers(x, k, pivot[k]);
        } else {
            swap_numbers(x, k, -1 - pivot[k]);
            --k;
        }
    }
}

/* A pivot of two rows has one eigenvalue of either sign. */
int kin_ldlt_pivoted_negative(int n, const double* ldlt, const int* pivot)
{
    int count = 0;
    for (int k = 0; k < n; k += pivot[k] < 0 ? 2 : 1) count += pivot[k] < 0 || row_in(ldlt, n, k)[k] < 0.0;
    return count;
}
