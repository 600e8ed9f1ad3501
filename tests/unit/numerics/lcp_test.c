/* lcp_test.c - Dantzig's method and the sweeps (I14.2, N3, H10.13, H10.15). */
#include "lcp_problems.h"
#include "numerics/lcp_sweep.h"
#include "support/test.h"

static kin_lcp_report solve(test* t, int size, const double* matrix, const double* offset, double* force, double* accel, uint8_t* handed)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    kin_lcp lcp = {.size = size, .matrix = matrix, .offset = offset};
    kin_lcp_report report = kin_lcp_dantzig(&lcp, force, accel, handed, &scratch);
    kin_arena_term(&scratch);
    return report;
}

static void expect_pair(test* t, double a00, double a01, double a11, double b0, double b1, double f0, double f1, double a0, double a1)
{
    double force[2], accel[2];
    kin_lcp_report report = solve(t, 2, (double[]){a00, a01, a01, a11}, (double[]){b0, b1}, force, accel, NULL);
    EQUAL(t, report.status, KIN_LCP_SOLVED);
    NEAR(t, force[0], f0, 1e-15);
    NEAR(t, force[1], f1, 1e-15);
    NEAR(t, accel[0], a0, 1e-15);
    NEAR(t, accel[1], a1, 1e-15);
    NEAR(t, report.residual, 0, 1e-15);
}

/* N3: both in ZA; one in ZF; ZA -> ZF; ZF -> ZA. */
static void catalog_numbers(test* t)
{
    expect_pair(t, 2, 1, 2, -3, -3, 1, 1, 0, 0);
    expect_pair(t, 2, 1, 2, -3, 0, 1.5, 0, 0, 1.5);
    expect_pair(t, 1, 0.9, 1, -1, -2, 0, 2, 0.8, 0);
    expect_pair(t, 1, -0.5, 1, 0.2, -1, 0.4, 1.2, 0, 0);
}

/* H10.13: ball on two planes, c = n1 . n2; "both approach, so invert" is wrong for the second. */
static void house_numbers(test* t)
{
    expect_pair(t, 1, -0.5, 1, -1, 0.2, 1.2, 0.4, 0, 0);
    expect_pair(t, 1, 0.9, 1, -1, -0.1, 1, 0, 0, 0.8);
    double force, accel;
    solve(t, 1, &(double){0.25}, &(double){-9.81}, &force, &accel, NULL); /* f = max(0, -m a) */
    NEAR(t, force, 4 * 9.81, 1e-13);
    solve(t, 1, &(double){0.25}, &(double){1}, &force, &accel, NULL);
    NEAR(t, force, 0, 0);
    NEAR(t, accel, 1, 0);
}

/* Ball of mass m in a groove with normals alpha off vertical: f = m g / (2 cos alpha). */
static void groove(test* t)
{
    for (int degrees = 5; degrees <= 85; degrees += 10) {
        double alpha = degrees * acos(-1) / 180, m = 3, g = 9.81, c = cos(2 * alpha), force[2], accel[2];
        kin_lcp_report report = solve(t, 2, (double[]){1 / m, c / m, c / m, 1 / m}, (double[]){-g * cos(alpha), -g * cos(alpha)}, force, accel, NULL);
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        NEAR(t, force[0], m * g / (2 * cos(alpha)), 1e-10);
        NEAR(t, force[1], m * g / (2 * cos(alpha)), 1e-10);
    }
}

/* Bodies of 1, 2, 3 kg in a row, the first pushed by 6 N: 5 N and 3 N between them. */
static void pushed_chain(test* t)
{
    double force[2], accel[2];
    kin_lcp_report report = solve(t, 2, (double[]){1.5, -0.5, -0.5, 5.0 / 6}, (double[]){-6, 0}, force, accel, NULL);
    EQUAL(t, report.status, KIN_LCP_SOLVED);
    NEAR(t, force[0], 5, 1e-14);
    NEAR(t, force[1], 3, 1e-14);
}

/* A box on its corners: A = 1/m + r I^-1 r, of rank 3 for any number of corners. Any sharing does that carries the weight without turning the box. */
static void box_on_many_corners(test* t)
{
    enum { MOST = 25 };
    double m = 2, g = 9.81, inertia_x = 0.7, inertia_z = 0.4, x[MOST], z[MOST], matrix[MOST * MOST], offset[MOST], force[MOST], accel[MOST];
    for (int side = 2; side <= 5; ++side) {
        int n = side * side;
        for (int i = 0; i < n; ++i) x[i] = -1 + 2.0 * (i % side) / (side - 1), z[i] = -0.5 + 1.0 * (i / side) / (side - 1);
        for (int i = 0; i < n; ++i) {
            offset[i] = -g;
            for (int j = 0; j < n; ++j) matrix[i * n + j] = 1 / m + z[i] * z[j] / inertia_x + x[i] * x[j] / inertia_z;
        }
        kin_lcp_report report = solve(t, n, matrix, offset, force, accel, NULL);
        double sum = 0, turn_x = 0, turn_z = 0;
        for (int i = 0; i < n; ++i) sum += force[i], turn_x += force[i] * z[i], turn_z += force[i] * x[i];
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        NEAR(t, sum, m * g, 1e-12);
        NEAR(t, turn_x, 0, 1e-12);
        NEAR(t, turn_z, 0, 1e-12);
        CHECK(t, report.residual < 1e-12);
    }
}

/* N boxes: contact i carries all above it. */
static void stack(test* t)
{
    enum { N = 12 };
    double matrix[N * N] = {0}, offset[N] = {0}, force[N], accel[N], total = 0;
    for (int i = 0; i < N; ++i) { /* contact i is under box i; box i has mass i + 1 */
        matrix[i * N + i] = 1.0 / (i + 1) + (i > 0 ? 1.0 / i : 0);
        if (i > 0) matrix[i * N + i - 1] = matrix[(i - 1) * N + i] = -1.0 / i;
    }
    offset[0] = -10;
    kin_lcp_report report = solve(t, N, matrix, offset, force, accel, NULL);
    EQUAL(t, report.status, KIN_LCP_SOLVED);
    for (int i = N - 1; i >= 0; --i) NEAR(t, force[i], 10 * (total += i + 1), 1e-10);
}

/* H10.15: impulses with (1 + c) v as the offset, so that v after >= -c v before. Three equal balls, the first hits the others: momentum is kept, energy for
 * c = 1; without restitution they go on together. */
static void restitution(test* t)
{
    for (int i = 0; i <= 4; ++i) {
        double c = i / 4.0, impulse[2], change[2];
        kin_lcp_report report = solve(t, 2, (double[]){2, -1, -1, 2}, (double[]){-(1 + c), 0}, impulse, change, NULL);
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        double v[3] = {1 - impulse[0], impulse[0] - impulse[1], impulse[1]};
        NEAR(t, v[0] + v[1] + v[2], 1, 1e-15);
        CHECK(t, v[1] - v[0] >= c - 1e-15 && v[2] - v[1] >= -1e-15);
        CHECK(t, v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= 1 + 1e-15);
        if (i == 4) NEAR(t, v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 1, 1e-15);
        if (i == 0) NEAR(t, v[0] - v[2], 0, 1e-15);
    }
}

/* Against all 2^n choices: forces when regular, the accelerations (which are unique) and solvability when singular. */
static void agrees_with_enumeration(test* t)
{
    problem p = {.key = {.seed = 41}};
    int unsolvable = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        int n = 1 + trial % 8, rank = trial % 3 == 0 ? (n + 1) / 2 : n;
        if (trial % 200 == 0) n = 10, rank = 10 - trial / 200 % 4;
        double want[PROBLEM_MAX], force[PROBLEM_MAX], accel[PROBLEM_MAX];
        uint8_t handed[PROBLEM_MAX];
        problem_psd(&p, n, rank, trial % 2 == 0);
        bool solvable = enumerate(&p, 1e-9, want);
        kin_lcp_report report = solve(t, n, p.matrix, p.offset, force, accel, handed);
        EQUAL(t, report.status, solvable ? KIN_LCP_SOLVED : KIN_LCP_UNBOUNDED);
        EQUAL(t, report.handed > 0, !solvable);
        double most = 0;
        for (int i = 0; i < n; ++i) most = fmax(most, fabs(force[i]));
        NEAR(t, report.residual, 0, 1e-10 + 2e-12 * most); /* a may miss 0 by 1e-12 of its terms */
        unsolvable += !solvable;
        if (trial % 2 == 0) CHECK(t, solvable); /* b in the column space */
        for (int i = 0; i < n && solvable; ++i) {
            double a = p.offset[i];
            for (int j = 0; j < n; ++j) a += p.matrix[i * n + j] * want[j];
            NEAR(t, accel[i], a, 1e-7);
            if (rank == n) NEAR(t, force[i], want[i], 1e-6 * (1 + fabs(want[i])));
        }
    }
    CHECK(t, unsolvable > 50);
}

/* Every row twice: ties everywhere, and half the rows redundant. */
static void duplicated_rows(test* t)
{
    problem p = {.key = {.seed = 43}};
    for (int trial = 0; trial < 500; ++trial) {
        int n = 1 + trial % 12;
        double matrix[24 * 24], offset[24], force[24], accel[24];
        problem_psd(&p, n, 1 + trial % n, true);
        for (int i = 0; i < 2 * n; ++i) {
            offset[i] = p.offset[i % n];
            for (int j = 0; j < 2 * n; ++j) matrix[i * 2 * n + j] = p.matrix[i % n * n + j % n];
        }
        kin_lcp_report report = solve(t, 2 * n, matrix, offset, force, accel, NULL);
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        NEAR(t, report.residual, 0, 1e-10);
    }
}

/* A body squeezed from both sides by walls that close in: no force helps, both contacts are on the ray, the rest is solved. */
static void squeezed(test* t)
{
    double matrix[9] = {1, -1, 0, -1, 1, 0, 0, 0, 2}, force[3], accel[3];
    uint8_t handed[3];
    kin_lcp_report report = solve(t, 3, matrix, (double[]){-1, -1, -4}, force, accel, handed);
    EQUAL(t, report.status, KIN_LCP_UNBOUNDED);
    EQUAL(t, report.handed, 1);
    EQUAL(t, handed[0], KIN_LCP_PARTNER);
    EQUAL(t, handed[1], KIN_LCP_HANDED);
    EQUAL(t, handed[2], KIN_LCP_KEPT);
    NEAR(t, force[0], 1, 1e-15);
    NEAR(t, force[1], 0, 0);
    NEAR(t, force[2], 2, 1e-15);
    NEAR(t, report.residual, 0, 1e-15);
}

/* Joints: any sign, solved first; a repeated one is redundant, a contradicting one is named. */
static void joints(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    double force[3], accel[3];
    uint8_t handed[3], kinds[3] = {KIN_LCP_CONTACT, KIN_LCP_JOINT, KIN_LCP_JOINT};
    double matrix[9] = {2, 1, 1, 1, 2, 2, 1, 2, 2}, offset[3] = {-1, 3, 3};
    kin_lcp lcp = {.size = 3, .matrix = matrix, .offset = offset, .kinds = kinds};
    kin_lcp_report report = kin_lcp_dantzig(&lcp, force, accel, handed, &scratch);
    EQUAL(t, report.status, KIN_LCP_SOLVED);
    NEAR(t, force[0], 5.0 / 3, 1e-15); /* [2 1; 1 2] f = (1, -3) */
    NEAR(t, force[1] + force[2], -7.0 / 3, 1e-15);
    NEAR(t, kin_lcp_residual(&lcp, force), report.residual, 0);
    CHECK(t, report.residual < 1e-14);
    offset[2] = 4;
    report = kin_lcp_dantzig(&lcp, force, accel, handed, &scratch);
    EQUAL(t, report.status, KIN_LCP_UNBOUNDED);
    EQUAL(t, handed[1], KIN_LCP_PARTNER);
    EQUAL(t, handed[2], KIN_LCP_HANDED);
    CHECK(t, report.residual < 1e-14);
    /* Random: eliminating the joints by hand leaves a contact problem of the Schur complement; the residual checks both kinds. */
    problem p = {.key = {.seed = 47}};
    for (int trial = 0; trial < 1000; ++trial) {
        uint8_t kind[PROBLEM_MAX];
        double f[PROBLEM_MAX], a[PROBLEM_MAX];
        int n = 2 + trial % 20;
        problem_psd(&p, n, 1 + n * (1 + trial % 4) / 5, true);
        for (int i = 0; i < n; ++i) kind[i] = problem_random(&p, 0, 1) < 0.3 ? KIN_LCP_JOINT : KIN_LCP_CONTACT;
        lcp = (kin_lcp){.size = n, .matrix = p.matrix, .offset = p.offset, .kinds = kind};
        report = kin_lcp_dantzig(&lcp, f, a, NULL, &scratch);
        EQUAL(t, report.status, KIN_LCP_SOLVED);
        NEAR(t, report.residual, 0, 1e-9);
    }
    kin_arena_term(&scratch);
}

static void limits(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    problem p = {.key = {.seed = 53}};
    double force[PROBLEM_MAX], accel[PROBLEM_MAX];
    problem_psd(&p, 30, 30, false);
    kin_lcp lcp = {.size = 30, .matrix = p.matrix, .offset = p.offset, .max_pivots = 1};
    kin_lcp_report report = kin_lcp_dantzig(&lcp, force, accel, NULL, &scratch);
    EQUAL(t, report.status, KIN_LCP_LIMIT);
    CHECK(t, report.residual > 0);
    lcp.size = 0;
    EQUAL(t, kin_lcp_dantzig(&lcp, force, accel, NULL, &scratch).status, KIN_LCP_SOLVED);
    EQUAL(t, scratch.used, 0);
    for (int at = 0; at < 6; ++at) {
        double matrix[4] = {2, 1, 1, 2}, offset[2] = {-3, -3};
        if (at < 4)
            matrix[at] = NAN;
        else
            offset[at - 4] = NAN;
        CHECK(t, solve(t, 2, matrix, offset, force, accel, NULL).status != KIN_LCP_SOLVED);
    }
    kin_arena_term(&scratch);
}

/* Sweeps against Dantzig. */
static void sweeps_agree(test* t)
{
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    problem p = {.key = {.seed = 59}};
    for (int trial = 0; trial < 200; ++trial) {
        int n = 1 + trial % 10;
        double force[PROBLEM_MAX], accel[PROBLEM_MAX], seidel[PROBLEM_MAX] = {0}, jacobi[PROBLEM_MAX] = {0};
        kin_lcp_box boxes[PROBLEM_MAX];
        problem_psd(&p, n, n, true);
        for (int i = 0; i < n; ++i) {
            p.matrix[i * n + i] += 0.1; /* bounds the condition, hence the sweeps */
            boxes[i] = (kin_lcp_box){0, HUGE_VAL, -1};
        }
        solve(t, n, p.matrix, p.offset, force, accel, NULL);
        EQUAL(t, kin_lcp_sweeps(n, p.matrix, p.offset, boxes, KIN_LCP_GAUSS_SEIDEL, 1, 10000, 1e-13, seidel, &scratch).status, KIN_LCP_SOLVED);
        EQUAL(t, kin_lcp_sweeps(n, p.matrix, p.offset, boxes, KIN_LCP_JACOBI, 1.0 / n, 100000, 1e-13, jacobi, &scratch).status, KIN_LCP_SOLVED);
        for (int i = 0; i < n; ++i) {
            NEAR(t, seidel[i], force[i], 1e-10);
            NEAR(t, jacobi[i], force[i], 1e-10);
        }
    }
    double cut[2] = {0}; /* bounds: a joint stretched past its strength gives way */
    kin_lcp_box weak[2] = {{-1, 1, -1}, {0, HUGE_VAL, -1}};
    EQUAL(t, kin_lcp_sweeps(2, (double[]){2, 0, 0, 2}, (double[]){-6, -6}, weak, KIN_LCP_GAUSS_SEIDEL, 1, 10, 0, cut, &scratch).status, KIN_LCP_SOLVED);
    NEAR(t, cut[0], 1, 0);
    NEAR(t, cut[1], 3, 0);
    EQUAL(t, kin_lcp_sweeps(2, (double[]){2, 1, 1, 2}, (double[]){-6, -6}, weak, KIN_LCP_GAUSS_SEIDEL, 1, 0, 0, (double[]){0, 0}, &scratch).status,
          KIN_LCP_LIMIT);
    kin_arena_term(&scratch);
}

static bool solve_all(test* t, void* context)
{
    (void)context;
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    double matrix[4] = {2, 1, 1, 2}, offset[2] = {-3, -3}, force[2] = {0}, accel[2];
    kin_lcp_box boxes[2] = {{0, HUGE_VAL, -1}, {0, HUGE_VAL, -1}};
    kin_lcp lcp = {.size = 2, .matrix = matrix, .offset = offset};
    kin_lcp_status dantzig = kin_lcp_dantzig(&lcp, force, accel, NULL, &scratch).status;
    kin_lcp_status jacobi = kin_lcp_sweeps(2, matrix, offset, boxes, KIN_LCP_JACOBI, 0.5, 1000, 1e-12, force, &scratch).status;
    CHECK(t, dantzig == KIN_LCP_SOLVED || dantzig == KIN_LCP_MEMORY);
    kin_arena_term(&scratch);
    return dantzig == KIN_LCP_SOLVED && jacobi == KIN_LCP_SOLVED;
}

static void allocation_faults(test* t) { test_fail_each_allocation(t, solve_all, NULL); }

TEST_MAIN("numerics_lcp", TEST(catalog_numbers), TEST(house_numbers), TEST(groove), TEST(pushed_chain), TEST(box_on_many_corners), TEST(stack),
          TEST(restitution), TEST(agrees_with_enumeration), TEST(duplicated_rows), TEST(squeezed), TEST(joints), TEST(limits), TEST(sweeps_agree),
          TEST(allocation_faults))
