/* lemke.c - complementary pivoting on a dense tableau I w - M z - 1 z0 = q. The columns of w are the inverse of the basis; with them the right side is ordered
 * lexicographically, as if q had been shifted by (e, e^2, ...), which makes every ratio test have one winner. */
#include "numerics/lemke.h"
#include "math/scalar.h"

#define PIVOT 1e-11 /* smaller entries of a column do not bound the step; of the column's largest */
#define TIE 1e-12   /* ratios this close, of their size, are equal */
#define ZERO 1e-12  /* z0 below, of its start, is 0: singular friction problems may end so, on a ray */

typedef struct tableau {
    int size, width;
    double* cells; /* size rows of: q | w_0 .. | z_0 .. | z0 */
    int* basis;    /* per row: variable 0..n-1 is w, n..2n-1 is z, 2n is z0 */
    int pivots;
} tableau;

static double* row_of(const tableau* t, int i) { return t->cells + (size_t)i * (size_t)t->width; }
static int complement(const tableau* t, int variable) { return variable < t->size ? variable + t->size : variable - t->size; }

static void pivot(tableau* t, int r, int variable)
{
    double *from = row_of(t, r), scale = 1 / from[variable + 1];
    for (int j = 0; j < t->width; ++j) from[j] *= scale;
    from[variable + 1] = 1;
    for (int i = 0; i < t->size; ++i) {
        double *row = row_of(t, i), factor = row[variable + 1];
        if (i == r || factor == 0) continue;
        for (int j = 0; j < t->width; ++j) row[j] -= factor * from[j];
        row[variable + 1] = 0;
    }
    for (int i = 0; i < t->size; ++i) row_of(t, i)[0] = kin_max(row_of(t, i)[0], 0); /* rounding only: the ratio test kept them >= 0 */
    t->basis[r] = variable;
    ++t->pivots;
}

/* Is row a / a[column] lexicographically less than row b / b[column]? */
static bool before(const tableau* t, const double* a, const double* b, int column)
{
    for (int j = 0; j <= t->size; ++j) {
        double x = a[j] / a[column], y = b[j] / b[column];
        if (kin_abs(x - y) > TIE * kin_max(kin_abs(x), kin_abs(y))) return x < y;
    }
    return false;
}

/* The row that leaves when the variable enters; z0 wins a tie on q, for then it is done. -1: none bounds it. */
static int leaving_row(const tableau* t, int variable)
{
    int best = -1, column = variable + 1, z0 = -1;
    double most = 0;
    for (int i = 0; i < t->size; ++i) most = kin_max(most, kin_abs(row_of(t, i)[column]));
    for (int i = 0; i < t->size; ++i) {
        const double* row = row_of(t, i);
        if (row[column] <= PIVOT * most || row[column] <= 1e-300) continue;
        if (t->basis[i] == 2 * t->size) z0 = i;
        if (best < 0 || before(t, row, row_of(t, best), column)) best = i;
    }
    if (z0 >= 0 && best != z0) {
        double x = row_of(t, z0)[0] / row_of(t, z0)[column], y = row_of(t, best)[0] / row_of(t, best)[column];
        if (x - y <= TIE * kin_abs(x)) best = z0;
    }
    return best;
}

static void fill(tableau* t, const double* matrix, const double* q)
{
    int n = t->size;
    for (int i = 0; i < n; ++i) {
        double* row = row_of(t, i);
        row[0] = q[i];
        for (int j = 0; j < n; ++j) {
            row[1 + j] = i == j;
            row[1 + n + j] = -matrix[(size_t)i * (size_t)n + (size_t)j];
        }
        row[1 + 2 * n] = -1;
        t->basis[i] = i;
    }
}

static kin_lcp_status run(tableau* t, int max_pivots)
{
    int n = t->size, r = 0;
    /* z0 enters at the lexicographically least row: of equal q the last, whose shift e^i is the smallest. */
    for (int i = 1; i < n; ++i)
        if (row_of(t, i)[0] <= row_of(t, r)[0]) r = i;
    if (n == 0 || row_of(t, r)[0] >= 0) return KIN_LCP_SOLVED;
    int leaving = t->basis[r];
    double done = ZERO * -row_of(t, r)[0];
    pivot(t, r, 2 * n);
    while (t->pivots < max_pivots) {
        int entering = complement(t, leaving);
        for (int i = 0; i < n; ++i)
            if (t->basis[i] == 2 * n && row_of(t, i)[0] <= done) return KIN_LCP_SOLVED;
        r = leaving_row(t, entering);
        if (r < 0) return KIN_LCP_UNBOUNDED;
        leaving = t->basis[r];
        pivot(t, r, entering);
        if (leaving == 2 * n) return KIN_LCP_SOLVED;
    }
    return KIN_LCP_LIMIT;
}

kin_lcp_report kin_lcp_lemke(int size, const double* matrix, const double* q, int max_pivots, double* z, double* w, kin_arena* scratch)
{
    kin_lcp_report report = {.status = KIN_LCP_MEMORY};
    kin_arena_mark mark = kin_arena_begin(scratch);
    tableau t = {.size = size, .width = 2 * size + 2};
    t.cells = kin_arena_take(scratch, (size_t)size * (size_t)t.width * sizeof(double));
    t.basis = kin_arena_take(scratch, (size_t)size * sizeof(int));
    if (t.cells && t.basis) {
        fill(&t, matrix, q);
        report.status = run(&t, max_pivots > 0 ? max_pivots : 100 + 20 * size);
        report.pivots = t.pivots;
        for (int i = 0; i < size; ++i) z[i] = 0;
        for (int i = 0; i < size; ++i)
            if (t.basis[i] >= size && t.basis[i] < 2 * size) z[t.basis[i] - size] = row_of(&t, i)[0];
        for (int i = 0; i < size; ++i) {
            w[i] = q[i];
            for (int j = 0; j < size; ++j) w[i] += matrix[(size_t)i * (size_t)size + (size_t)j] * z[j];
            report.residual = kin_lcp_worse(report.residual, w[i] != w[i] ? w[i] : kin_min(z[i], w[i]));
        }
        kin_lcp_distrust(&report);
    }
    kin_arena_end(scratch, mark);
    return report;
}
