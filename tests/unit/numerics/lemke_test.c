/* lemke_test.c - Lemke's method on nonsymmetric problems (H10.13, H10.16). */
#include "lcp_problems.h"
#include "numerics/lemke.h"
#include "support/test.h"

static kin_lcp_report solve(test* t, int size, const double* matrix, const double* q, double* z, double* w)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    kin_lcp_report report = kin_lcp_lemke(size, matrix, q, 0, z, w, &scratch);
    kin_arena_term(&scratch);
    return report;
}

static void small_numbers(test* t)
{
    double z[2], w[2];
    EQUAL(t, solve(t, 2, (double[]){2, 1, 1, 2}, (double[]){-3, -3}, z, w).status, KIN_LCP_SOLVED);
    NEAR(t, z[0], 1, 1e-15);
    NEAR(t, z[1], 1, 1e-15);
    solve(t, 2, (double[]){1, 0.9, 0.9, 1}, (double[]){-1, -2}, z, w);
    NEAR(t, z[0], 0, 0);
    NEAR(t, z[1], 2, 1e-15);
    NEAR(t, w[0], 0.8, 1e-15);
    solve(t, 2, (double[]){1, -0.5, -0.5, 1}, (double[]){-1, 0.2}, z, w);
    NEAR(t, z[0], 1.2, 1e-15);
    NEAR(t, z[1], 0.4, 1e-15);
    EQUAL(t, solve(t, 2, (double[]){1, -1, -1, 1}, (double[]){-1, -1}, z, w).status, KIN_LCP_UNBOUNDED); /* squeezed */
    EQUAL(t, solve(t, 1, (double[]){-1}, (double[]){-1}, z, w).status, KIN_LCP_UNBOUNDED);
    EQUAL(t, solve(t, 2, (double[]){-1, 0, 0, -1}, (double[]){1, 0}, z, w).pivots, 0); /* q >= 0 is solved already */
}

/* P-matrices have exactly one solution: strictly diagonally dominant rows, and K + S with K definite and S skew. */
static void p_matrices(test* t)
{
    problem p = {.key = {.seed = 61}};
    for (int trial = 0; trial < 2000; ++trial) {
        int n = 1 + trial % 8;
        double want[PROBLEM_MAX], z[PROBLEM_MAX], w[PROBLEM_MAX];
        problem_psd(&p, n, n, false);
        for (int i = 0; i < n; ++i) {
            double sum = 0;
            for (int j = 0; j < i && trial % 2 == 0; ++j) {
                double skew = problem_random(&p, -1, 1);
                p.matrix[i * n + j] += skew, p.matrix[j * n + i] -= skew;
            }
            for (int j = 0; j < n && trial % 2; ++j) sum += fabs(p.matrix[i * n + j] = problem_random(&p, -1, 1));
            p.matrix[i * n + i] += 0.1 + sum;
        }
        CHECK(t, enumerate(&p, 1e-10, want));
        kin_lcp_report report = solve(t, n, p.matrix, p.offset, z, w);
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        NEAR(t, report.residual, 0, 1e-10);
        for (int i = 0; i < n; ++i) NEAR(t, z[i], want[i], 1e-9);
    }
}

/* Strictly copositive (positive entries): always a solution, perhaps several. Copositive-plus (semidefinite + skew): a solution or a ray, as
 * enumeration says. */
static void copositive(test* t)
{
    problem p = {.key = {.seed = 67}};
    int rays = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        int n = 1 + trial % 8;
        double want[PROBLEM_MAX], z[PROBLEM_MAX], w[PROBLEM_MAX];
        problem_psd(&p, n, (n + 1) / 2, false);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i && trial % 4 == 2; ++j) {
                double skew = problem_random(&p, -1, 1);
                p.matrix[i * n + j] += skew, p.matrix[j * n + i] -= skew;
            }
            for (int j = 0; j < n && trial % 2; ++j) p.matrix[i * n + j] = problem_random(&p, 0.05, 1);
        }
        kin_lcp_report report = solve(t, n, p.matrix, p.offset, z, w);
        bool solvable = enumerate(&p, 1e-9, want);
        EQUAL(t, report.status, solvable ? KIN_LCP_SOLVED : KIN_LCP_UNBOUNDED);
        if (report.status == KIN_LCP_SOLVED) NEAR(t, report.residual, 0, 1e-8);
        rays += !solvable;
        if (trial % 2) CHECK(t, solvable);
    }
    test_check(t, rays > 30, __FILE__, __LINE__, "%d rays", rays);
}

/* Rows repeated and q full of ties: lexicographic pivoting does not cycle. */
static void degenerate(test* t)
{
    problem p = {.key = {.seed = 71}};
    for (int trial = 0; trial < 500; ++trial) {
        int n = 2 + trial % 9, m = 2 * n;
        double matrix[PROBLEM_MAX * PROBLEM_MAX], q[PROBLEM_MAX], z[PROBLEM_MAX], w[PROBLEM_MAX];
        problem_psd(&p, n, n, true);
        for (int i = 0; i < m; ++i) {
            q[i] = trial % 2 ? -1 : p.offset[i % n];
            for (int j = 0; j < m; ++j) matrix[i * m + j] = p.matrix[i % n * n + j % n];
        }
        kin_lcp_report report = solve(t, m, matrix, q, z, w);
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        NEAR(t, report.residual, 0, 1e-8);
    }
}

/* A P-matrix where careless ties make the method cycle (Kostreva 1979), alone and several side by side. */
static void ties_do_not_cycle(test* t)
{
    for (int blocks = 1; blocks <= 5; ++blocks) {
        int n = 3 * blocks;
        double matrix[15 * 15] = {0}, q[15], z[15], w[15];
        for (int i = 0; i < n; ++i) {
            q[i] = -1;
            matrix[i * n + i] = 1;
            matrix[i * n + i / 3 * 3 + (i + 1) % 3] = 2;
        }
        kin_lcp_report report = solve(t, n, matrix, q, z, w);
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        CHECK(t, report.pivots < 6 * n);
        for (int i = 0; i < n; ++i) NEAR(t, z[i], 1.0 / 3, 1e-14);
    }
}

/* H10.16 for one particle of mass m on a plane tilted by angle, sliding downhill at v >= 0 (t is uphill): returns the tangential acceleration downhill. */
static double slide(test* t, double m, double angle, double mu, double v, double h)
{
    double g = 9.81, k = 1 / m, z[3], w[3];
    double matrix[9] = {k, 0, 0, 0, k, 1, mu, -1, 0};
    double q[3] = {-g * cos(angle), -g * sin(angle) - v / h, 0};
    kin_lcp_report report = solve(t, 3, matrix, q, z, w);
    EQUAL(t, report.status, KIN_LCP_SOLVED);
    NEAR(t, report.residual, 0, 1e-9);
    NEAR(t, z[0], m * g * cos(angle), 1e-11);
    CHECK(t, z[1] <= mu * z[0] + 1e-11);
    return g * sin(angle) - k * z[1];
}

/* A flat slide stops at v / (mu g), after v^2 / (2 mu g), exactly at rest: never reverses. */
static void particle_stops(test* t)
{
    double v = 3, x = 0, mu = 0.4, h = 0.001, g = 9.81, last = v;
    int steps = 0;
    for (; v > 0 && steps < 10000; ++steps) {
        last = v;
        v += h * slide(t, 2, 0, mu, v, h);
        CHECK(t, v >= -1e-15);
        if (v < 1e-14) v = 0;
        x += h * (last + v) / 2;
    }
    NEAR(t, steps * h, 3 / (mu * g), h);
    NEAR(t, x, 9 / (2 * mu * g), 1e-5);
    NEAR(t, slide(t, 2, 0, mu, 1e-3, h), -1, 1e-12); /* one step takes all of 1e-3 m/s */
}

/* On an incline: sticks iff tan <= mu, else a = g (sin - mu cos). */
static void particle_on_incline(test* t)
{
    for (int degrees = 1; degrees < 90; degrees += 4) {
        double angle = degrees * acos(-1) / 180, mu = 0.6, g = 9.81;
        double want = tan(angle) <= mu ? 0 : g * (sin(angle) - mu * cos(angle));
        NEAR(t, slide(t, 0.7, angle, mu, 0, 0.01), want, 1e-12);
        if (want > 0) NEAR(t, slide(t, 0.7, angle, mu, 2, 0.01), want, 1e-12);
    }
}

/* A ball, whose tangential response is 7 / (2 m), slides, then rolls at 5/7 v after 2 v / (7 mu g). */
static void ball_rolls(test* t)
{
    double m = 1.5, mu = 0.3, g = 9.81, h = 1e-3, v = 2, spin = 0, time = 0; /* spin times radius, forward */
    while (v - spin > 1e-12 && time < 5) {
        double z[3], w[3], matrix[9] = {1 / m, 0, 0, 0, 3.5 / m, 1, mu, -1, 0}, q[3] = {-g, -(v - spin) / h, 0};
        EQUAL(t, solve(t, 3, matrix, q, z, w).status, KIN_LCP_SOLVED);
        v -= h * z[1] / m;
        spin += h * 2.5 * z[1] / m;
        time += h;
    }
    NEAR(t, v, 5.0 / 7 * 2, 1e-12);
    NEAR(t, time, 2 * 2 / (7 * mu * g), 2 * h);
}

static void limit(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    double z[2], w[2];
    EQUAL(t, kin_lcp_lemke(2, (double[]){2, 1, 1, 2}, (double[]){-3, -2}, 1, z, w, &scratch).status, KIN_LCP_LIMIT);
    EQUAL(t, kin_lcp_lemke(0, NULL, NULL, 0, z, w, &scratch).status, KIN_LCP_SOLVED);
    EQUAL(t, scratch.used, 0);
    kin_arena_term(&scratch);
    for (int at = 0; at < 6; ++at) {
        double matrix[4] = {2, 1, 1, 2}, q[2] = {-3, -3};
        if (at < 4)
            matrix[at] = NAN;
        else
            q[at - 4] = NAN;
        CHECK(t, solve(t, 2, matrix, q, z, w).status != KIN_LCP_SOLVED);
    }
}

static bool solve_one(test* t, void* context)
{
    (void)context;
    double z, w;
    kin_lcp_status status = solve(t, 1, &(double){2}, &(double){-2}, &z, &w).status;
    CHECK(t, status == KIN_LCP_SOLVED || status == KIN_LCP_MEMORY);
    return status == KIN_LCP_SOLVED;
}

static void allocation_faults(test* t) { test_fail_each_allocation(t, solve_one, NULL); }

TEST_MAIN("numerics_lemke", TEST(small_numbers), TEST(p_matrices), TEST(copositive), TEST(degenerate), TEST(ties_do_not_cycle), TEST(particle_stops),
          TEST(particle_on_incline), TEST(ball_rolls), TEST(limit), TEST(allocation_faults))
