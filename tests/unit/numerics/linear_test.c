/* linear_test.c - dense factors and Krylov methods (H7.7a, B7.2.2, R3.5). */
#include "numerics/cg.h"
#include "numerics/dense.h"
#include "support/test.h"
#include <math.h>
#include <string.h>

enum { MOST = 40 };

static double random_unit(uint64_t* state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (double)(int64_t)*state * 0x1p-63;
}

typedef struct matrix {
    int n;
    double a[MOST * MOST];
} matrix;

static matrix any_matrix(int n, uint64_t* seed)
{
    matrix m = {.n = n};
    for (int i = 0; i < n * n; ++i) m.a[i] = random_unit(seed);
    return m;
}

static matrix definite_matrix(int n, uint64_t* seed) /* B B^T + I / 10 */
{
    matrix b = any_matrix(n, seed), m = {.n = n};
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = i == j ? 0.1 : 0;
            for (int k = 0; k < n; ++k) sum += b.a[i * n + k] * b.a[j * n + k];
            m.a[i * n + j] = sum;
        }
    }
    return m;
}

static void times(void* context, const double* x, double* y)
{
    const matrix* m = context;
    for (int i = 0; i < m->n; ++i) {
        y[i] = 0;
        for (int k = 0; k < m->n; ++k) y[i] += m->a[i * m->n + k] * x[k];
    }
}

static void by_diagonal(void* context, const double* x, double* y)
{
    const matrix* m = context;
    for (int i = 0; i < m->n; ++i) y[i] = x[i] / m->a[i * m->n + i];
}

static void lu_solves(test* t)
{
    uint64_t seed = 7;
    for (int n = 1; n <= MOST; ++n) {
        matrix m = any_matrix(n, &seed), lu = m;
        double x[MOST], b[MOST];
        int pivot[MOST];
        for (int i = 0; i < n; ++i) x[i] = random_unit(&seed);
        times(&m, x, b);
        CHECK(t, kin_lu_factor(n, lu.a, pivot));
        kin_lu_solve(n, lu.a, pivot, b);
        for (int i = 0; i < n; ++i) NEAR(t, b[i], x[i], 1e-10);
    }
    double zero_corner[9] = {0, 2, 1, 1, 0, 0, 3, 0, 1}, c[3] = {7, 1, 6}; /* needs pivots; x = (1, 2, 3) */
    int pivot[3];
    CHECK(t, kin_lu_factor(3, zero_corner, pivot));
    NEAR(t, kin_lu_determinant(3, zero_corner, pivot), -2, 1e-15);
    kin_lu_solve(3, zero_corner, pivot, c);
    for (int i = 0; i < 3; ++i) NEAR(t, c[i], i + 1, 1e-15);
}

/* Saddle points with zeros on the diagonal and random symmetric matrices: no definite block to start from. */
static void pivoted_ldlt_solves(test* t)
{
    uint64_t seed = 11;
    for (int trial = 0; trial < 3 * MOST; ++trial) {
        int n = 1 + trial % MOST, negative = n / 3;
        matrix m = any_matrix(n, &seed), l;
        double x[MOST], b[MOST], most = 0;
        int pivot[MOST];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) m.a[j * n + i] = m.a[i * n + j];
            if (trial >= MOST) m.a[i * n + i] = 0;
        }
        for (int i = 0; i < n && trial >= 2 * MOST; ++i) { /* definite, then rows of constraints: as many negative eigenvalues as these */
            for (int j = 0; j < n; ++j) {
                if (i < n - negative && j < n - negative) m.a[i * n + j] = (i == j ? n : 0) + 0.5 / (1 + i + j);
                if (i >= n - negative && j >= n - negative) m.a[i * n + j] = 0;
            }
        }
        if (n == 1) m.a[0] = -3;
        l = m;
        for (int i = 0; i < n; ++i) x[i] = random_unit(&seed);
        times(&m, x, b);
        CHECK(t, kin_ldlt_pivoted_factor(n, l.a, pivot));
        double residual[MOST], y[MOST];
        memcpy(y, b, sizeof y);
        kin_ldlt_pivoted_solve(n, l.a, pivot, y);
        times(&m, y, residual);
        for (int i = 0; i < n; ++i) most = fmax(most, fabs(residual[i] - b[i]));
        NEAR(t, most, 0, 1e-12 * n);
        if (trial >= 2 * MOST && n > 1) EQUAL(t, kin_ldlt_pivoted_negative(n, l.a, pivot), negative);
    }
    double swap[4] = {0, 1, 1, 0}, c[2] = {3, 5}, rank0[4] = {0, 0, 0, 0}, nan[4] = {1, 0, NAN, 1}, graded[9] = {1e-9, 0, 0, 1, 1e-9, 0, 2, 3, 1e-9};
    int pivot[3];
    CHECK(t, kin_ldlt_pivoted_factor(2, swap, pivot));
    kin_ldlt_pivoted_solve(2, swap, pivot, c);
    NEAR(t, c[0], 5, 0);
    NEAR(t, c[1], 3, 0);
    EQUAL(t, kin_ldlt_pivoted_negative(2, swap, pivot), 1);
    CHECK(t, !kin_ldlt_pivoted_factor(2, rank0, pivot));
    CHECK(t, !kin_ldlt_pivoted_factor(2, nan, pivot));
    double d[3] = {1 + 2, 1 + 3, 2 + 3}; /* x = (1, 1, 1) but for the 1e-9 on the diagonal */
    CHECK(t, kin_ldlt_pivoted_factor(3, graded, pivot));
    kin_ldlt_pivoted_solve(3, graded, pivot, d);
    for (int i = 0; i < 3; ++i) NEAR(t, d[i], 1, 1e-8);
    EQUAL(t, kin_ldlt_pivoted_negative(3, graded, pivot), 2); /* det = 12 > 0, trace 0 */
}

static void no_inverse_is_told(test* t)
{
    double rank1[4] = {1, 2, 2, 4}, nan[4] = {1, NAN, 2, 3}, zero[1] = {0}, symmetric[4] = {1, 2, 2, 4}, indefinite[4] = {0, 1, 1, 0};
    int pivot[2];
    CHECK(t, !kin_lu_factor(2, rank1, pivot) && !kin_lu_factor(2, nan, pivot) && !kin_lu_factor(1, zero, pivot));
    CHECK(t, !kin_ldlt_factor(2, symmetric) && !kin_ldlt_factor(2, indefinite) && !kin_ldlt_factor(1, zero));
    double third[9] = {2, 0, 0, 1.0 / 3, 0.1, 0, 1, 0.3, 0.9 + 1.0 / 9};
    third[4] = 1.0 / 18; /* the second minor is 0 but for round-off */
    CHECK(t, !kin_ldlt_factor(3, third));
    CHECK(t, kin_lu_factor(0, NULL, NULL) && kin_ldlt_factor(0, NULL));
}

/* Agrees with LU, on definite matrices and on saddle points. */
static void ldlt_agrees_with_lu(test* t)
{
    uint64_t seed = 99;
    for (int n = 2; n <= MOST; ++n) {
        matrix m = definite_matrix(n, &seed);
        int negative = 0;
        for (int i = 2 * n / 3 + 1; i < n; ++i, ++negative) { /* rows of constraints with a little softness */
            for (int k = 2 * n / 3 + 1; k < n; ++k) m.a[i * n + k] = i == k ? -0.01 : 0;
        }
        matrix lu = m, ldlt = m;
        double x[MOST], y[MOST];
        int pivot[MOST];
        for (int i = 0; i < n; ++i) x[i] = y[i] = random_unit(&seed);
        for (int i = 0; i < n; ++i) {
            for (int k = i + 1; k < n; ++k) ldlt.a[i * n + k] = NAN; /* the upper triangle is not read */
        }
        CHECK(t, kin_lu_factor(n, lu.a, pivot) && kin_ldlt_factor(n, ldlt.a));
        EQUAL(t, kin_ldlt_negative(n, ldlt.a), negative);
        kin_lu_solve(n, lu.a, pivot, x);
        kin_ldlt_solve(n, ldlt.a, y);
        for (int i = 0; i < n; ++i) NEAR(t, x[i], y[i], 1e-8 * (1 + fabs(x[i])));
    }
}

static void krylov_agrees_with_lu(test* t)
{
    uint64_t seed = 5;
    for (int n = 1; n <= MOST; ++n) {
        for (int form = 0; form < 4; ++form) { /* cg, cg with diagonal, bicgstab, bicgstab with diagonal */
            matrix m = form < 2 ? definite_matrix(n, &seed) : any_matrix(n, &seed);
            if (form >= 2) {
                for (int i = 0; i < n; ++i) m.a[i * n + i] += 0.3 * n + 1;
            }
            matrix lu = m;
            double b[MOST], x[MOST] = {0}, y[MOST], scratch[8 * MOST];
            int pivot[MOST];
            for (int i = 0; i < n; ++i) b[i] = y[i] = random_unit(&seed);
            kin_krylov problem = {
                .size = n, .matrix = times, .preconditioner = form & 1 ? by_diagonal : NULL, .context = &m, .tolerance = 1e-12, .max_iterations = 20 * n + 20};
            kin_krylov_report report = form < 2 ? kin_cg(&problem, b, x, scratch) : kin_bicgstab(&problem, b, x, scratch);
            CHECK(t, kin_lu_factor(n, lu.a, pivot));
            kin_lu_solve(n, lu.a, pivot, y);
            test_check(t, report.converged && report.residual <= 1e-11 && report.iterations > 0, __FILE__, __LINE__, "form %d, n %d: residual %g after %d",
                       form, n, report.residual, report.iterations);
            for (int i = 0; i < n; ++i) NEAR(t, x[i], y[i], 1e-7);
        }
    }
}

/* Exact arithmetic would need n iterations at most; a good guess needs none. */
static void cg_is_finite(test* t)
{
    matrix m = {.n = 3, .a = {4, 1, 0, 1, 3, 1, 0, 1, 2}};
    double b[3] = {6, 10, 8}, x[3] = {0}, scratch[12]; /* (1, 2, 3) */
    kin_krylov problem = {.size = 3, .matrix = times, .context = &m, .tolerance = 1e-13, .max_iterations = 10};
    kin_krylov_report first = kin_cg(&problem, b, x, scratch), again = kin_cg(&problem, b, x, scratch);
    CHECK(t, first.converged && again.converged);
    EQUAL(t, first.iterations, 3);
    EQUAL(t, again.iterations, 0);
    for (int i = 0; i < 3; ++i) NEAR(t, x[i], i + 1, 1e-13);
}

static void failure_is_told(test* t)
{
    matrix indefinite = {.n = 2, .a = {1, 0, 0, -1}}, singular = {.n = 2, .a = {1, 0, 0, 0}}, bad = {.n = 2, .a = {1, 0, 0, NAN}};
    matrix* all[3] = {&indefinite, &singular, &bad};
    double scratch[16];
    for (int k = 0; k < 3; ++k) {
        double x[2] = {0, 0}, b[2] = {1, 1};
        kin_krylov problem = {.size = 2, .matrix = times, .context = all[k], .tolerance = 1e-12, .max_iterations = 50};
        kin_krylov_report cg = kin_cg(&problem, b, x, scratch);
        CHECK(t, !cg.converged);
        x[0] = x[1] = 0;
        kin_krylov_report bi = kin_bicgstab(&problem, b, x, scratch);
        CHECK(t, bi.converged == (k == 0) && isfinite(x[0]) && isfinite(x[1]));
    }
    double x[2] = {3, 4}, zero[2] = {0, 0};
    kin_krylov problem = {.size = 2, .matrix = times, .context = &singular, .tolerance = 1e-12, .max_iterations = 50};
    CHECK(t, kin_cg(&problem, zero, x, scratch).converged && x[0] == 0 && x[1] == 0);
    x[0] = 3;
    CHECK(t, kin_bicgstab(&problem, zero, x, scratch).converged && x[0] == 0);
}

/* H7.7b as printed, good for a linear solve although its F lacks a cube (E7); and its half-size form. */
static void house_systems(test* t)
{
    double a[16] = {1, 0, -0.1, 0, 0, 1, 0, -0.1, 0.4, -0.2, 4, -2.7, -0.2, 0.2, -2.7, 3.7}, x[4] = {-0.1, 0.2, 0, -0.3};
    double half[4] = {4.04, -2.72, -2.72, 3.72}, v[2] = {0.08, -0.36};
    const double dS[4] = {-0.109, 0.184, -0.089, -0.162};
    int pivot[4];
    CHECK(t, kin_lu_factor(4, a, pivot) && kin_ldlt_factor(2, half));
    kin_lu_solve(4, a, pivot, x);
    kin_ldlt_solve(2, half, v);
    for (int i = 0; i < 4; ++i) NEAR(t, x[i], dS[i], 5.1e-4);
    for (int i = 0; i < 2; ++i) NEAR(t, v[i], x[2 + i], 1e-15);
}

/* B7.2.2: (I + h C) Y1 = Y0 with C positive definite: conjugate gradients at any h, and never longer than Y0. */
static void implicit_euler_by_cg(test* t)
{
    uint64_t seed = 3;
    for (double h = 1e-3; h < 1e7; h *= 100) {
        enum { N = 12 };
        matrix m = definite_matrix(N, &seed);
        double y0[N], y1[N] = {0}, scratch[4 * N], before = 0, after = 0;
        for (int i = 0; i < N * N; ++i) m.a[i] = h * m.a[i] + (i % (N + 1) == 0);
        for (int i = 0; i < N; ++i) y0[i] = random_unit(&seed), before += y0[i] * y0[i];
        kin_krylov problem = {.size = N, .matrix = times, .context = &m, .tolerance = 1e-10, .max_iterations = 200};
        CHECK(t, kin_cg(&problem, y0, y1, scratch).converged);
        for (int i = 0; i < N; ++i) after += y1[i] * y1[i];
        CHECK(t, after < before);
    }
}

TEST_MAIN("numerics_linear", TEST(lu_solves), TEST(pivoted_ldlt_solves), TEST(no_inverse_is_told), TEST(ldlt_agrees_with_lu), TEST(krylov_agrees_with_lu),
          TEST(cg_is_finite), TEST(failure_is_told), TEST(house_systems), TEST(implicit_euler_by_cg))
