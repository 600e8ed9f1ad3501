/* qp_test.c - quadratic programs: closed forms, and against Dantzig, Lemke and sweeps on random convex problems, degenerate ones too (S-D, R6, I14.4). */
#include "numerics/qp.h"
#include "lcp_problems.h"
#include "math/scalar.h"
#include "numerics/lcp_sweep.h"
#include "numerics/lemke.h"
#include "support/test.h"
#include <string.h>

typedef struct answer {
    kin_qp_report report;
    double x[PROBLEM_MAX], y[PROBLEM_MAX], slope[PROBLEM_MAX];
} answer;

static answer solve_from(test* t, const kin_qp* qp, const answer* start)
{
    answer a = start ? *start : (answer){0};
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    a.report = kin_qp_solve(qp, start != NULL, a.x, a.y, a.slope, &scratch);
    kin_arena_term(&scratch);
    return a;
}

static answer solve(test* t, const kin_qp* qp) { return solve_from(t, qp, NULL); }

static const double zeros[PROBLEM_MAX];
static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void closed_forms(test* t)
{
    kin_qp simplex = {.size = 3, /* the point of the simplex nearest (1.2, 0.4, -1): both positive ones give up 0.3 */
                      .rows = 1,
                      .matrix = unit,
                      .linear = (double[]){-1.2, -0.4, 1},
                      .row_matrix = (double[]){1, 1, 1},
                      .target = (double[]){1},
                      .low = zeros};
    answer a = solve(t, &simplex);
    EQUAL(t, a.report.status, KIN_QP_SOLVED);
    NEAR(t, a.x[0], 0.9, 1e-15);
    NEAR(t, a.x[1], 0.1, 1e-15);
    NEAR(t, a.x[2], 0, 0);
    NEAR(t, a.y[0], 0.3, 1e-15);
    NEAR(t, a.slope[2], 1.3, 1e-15);
    kin_qp box = {
        .size = 3, .matrix = unit, .linear = (double[]){-5, 0.5, 7}, .low = (double[]){-1, -1, -1}, .high = (double[]){1, 1, -1}}; /* the last fixed */
    a = solve(t, &box);
    NEAR(t, a.x[0], 1, 0);
    NEAR(t, a.x[1], -0.5, 1e-15);
    NEAR(t, a.x[2], -1, 0);
    NEAR(t, a.slope[0], -4, 1e-15);
    kin_qp line = {.size = 2, .rows = 1, .matrix = zeros, .linear = (double[]){1, 2}, .row_matrix = (double[]){1, 1}, .target = (double[]){3}, .low = zeros};
    a = solve(t, &line); /* H = 0: a linear program, at its corner */
    EQUAL(t, a.report.status, KIN_QP_SOLVED);
    NEAR(t, a.x[0], 3, 1e-14);
    NEAR(t, a.x[1], 0, 0);
    kin_qp free = {.size = 3, .matrix = unit, .linear = (double[]){1, -2, 3}};
    a = solve(t, &free);
    for (int i = 0; i < 3; ++i) NEAR(t, a.x[i], -free.linear[i], 1e-15);
    kin_qp none = {.matrix = unit, .linear = zeros};
    EQUAL(t, solve(t, &none).report.status, KIN_QP_SOLVED);
}

/* Four legs under a table, one of them redundant: forces are not unique, accelerations are; so is the share of the weight when the forces are least. */
static void table_on_four_legs(test* t)
{
    double h[16], weight[4] = {-9.81, -9.81, -9.81, -9.81};
    static const double leg[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int i = 0; i < 16; ++i) h[i] = 1 + 3 * (leg[i / 4][0] * leg[i % 4][0] + leg[i / 4][1] * leg[i % 4][1]);
    kin_qp qp = {.size = 4, .matrix = h, .linear = weight, .low = zeros};
    answer a = solve(t, &qp);
    double sum = 0;
    EQUAL(t, a.report.status, KIN_QP_SOLVED);
    for (int i = 0; i < 4; ++i) sum += a.x[i], NEAR(t, a.slope[i], 0, 1e-13);
    NEAR(t, sum, 9.81, 1e-13);
}

/* x = F and slope = a of the same contact problem; joints are free. */
static void agrees_with_dantzig(test* t)
{
    problem p = {.key = {.seed = 71}};
    for (int trial = 0; trial < 1500; ++trial) {
        int n = 1 + trial % 20, rank = trial % 3 ? n : 1 + n / 2;
        double force[PROBLEM_MAX], accel[PROBLEM_MAX], low[PROBLEM_MAX];
        uint8_t kinds[PROBLEM_MAX];
        problem_psd(&p, n, rank, rank < n); /* singular ones with b where contact has it */
        for (int i = 0; i < n && trial % 3 == 1; ++i) p.matrix[i * n + i] += 0.1;
        if (trial % 5 == 0) {
            for (int i = 0; i < n; i += 2) p.offset[i] = 0; /* ties: rows with F = 0 and a = 0 both */
            if (rank < n) continue;
        }
        for (int i = 0; i < n; ++i) {
            kinds[i] = trial % 2 && i % 3 == 0 ? KIN_LCP_JOINT : KIN_LCP_CONTACT;
            low[i] = kinds[i] == KIN_LCP_JOINT ? -__builtin_inf() : 0;
        }
        kin_lcp lcp = {.size = n, .matrix = p.matrix, .offset = p.offset, .kinds = kinds};
        kin_qp qp = {.size = n, .matrix = p.matrix, .linear = p.offset, .low = low};
        kin_arena scratch;
        kin_arena_init(&scratch, &t->allocator);
        kin_lcp_report dantzig = kin_lcp_dantzig(&lcp, force, accel, NULL, &scratch);
        EQUAL(t, dantzig.status, KIN_LCP_SOLVED);
        kin_arena_term(&scratch);
        answer a = solve(t, &qp);
        EQUAL(t, a.report.status, KIN_QP_SOLVED);
        NEAR(t, kin_lcp_residual(&lcp, a.x), 0, 1e-9);
        for (int i = 0; i < n; ++i) {
            NEAR(t, a.slope[i], accel[i], 1e-9 + 10 * dantzig.residual); /* near singular matrices leave some */
            if (trial % 3 == 1) NEAR(t, a.x[i], force[i], 1e-8);         /* regular: F is unique too */
        }
    }
}

/* Equality rows and x >= 0, as one complementarity problem in x and both signs of y: the rows cut, doubled and dependent. */
static void agrees_with_lemke(test* t)
{
    problem p = {.key = {.seed = 73}};
    for (int trial = 0; trial < 1000; ++trial) {
        int n = 2 + trial % 8, m = 1 + trial % 3, all = n + 2 * m;
        double rows[PROBLEM_MAX * PROBLEM_MAX], target[PROBLEM_MAX], matrix[PROBLEM_MAX * PROBLEM_MAX] = {0}, q[PROBLEM_MAX], z[PROBLEM_MAX], w[PROBLEM_MAX];
        problem_psd(&p, n, n, false);
        for (int i = 0; i < n; ++i) p.matrix[i * n + i] += 0.1;
        for (int k = 0; k < m; ++k) {
            target[k] = 0;
            for (int i = 0; i < n; ++i) {
                rows[k * n + i] = k == 2 ? rows[i] - 2 * rows[n + i] : problem_random(&p, -1, 1);
                if (i % 2) target[k] += rows[k * n + i]; /* some x >= 0 meets them, on its bounds */
            }
        }
        for (int i = 0; i < all; ++i) {
            q[i] = i < n ? p.offset[i] : i < n + m ? target[i - n] : -target[i - n - m];
            for (int j = 0; j < n; ++j) {
                if (i < n) matrix[i * all + j] = p.matrix[i * n + j];
                if (i >= n) matrix[j * all + i] = (i < n + m ? 1 : -1) * rows[(i - n) % m * n + j], matrix[i * all + j] = -matrix[j * all + i];
            }
        }
        kin_arena scratch;
        kin_arena_init(&scratch, &t->allocator);
        kin_lcp_report lemke = kin_lcp_lemke(all, matrix, q, 0, z, w, &scratch);
        kin_arena_term(&scratch);
        kin_qp qp = {.size = n, .rows = m, .matrix = p.matrix, .linear = p.offset, .row_matrix = rows, .target = target, .low = zeros};
        answer a = solve(t, &qp);
        EQUAL(t, a.report.status, KIN_QP_SOLVED);
        CHECK(t, a.report.stationarity < 1e-10 && a.report.feasibility < 1e-10);
        EQUAL(t, lemke.status, KIN_LCP_SOLVED);
        for (int i = 0; i < n; ++i) NEAR(t, a.x[i], z[i], 1e-7);
        for (int i = 0; i < n; ++i) CHECK(t, a.x[i] >= 0);
    }
}

static void boxes_agree_with_sweeps(test* t)
{
    problem p = {.key = {.seed = 79}};
    for (int trial = 0; trial < 200; ++trial) {
        int n = 1 + trial % 12;
        kin_lcp_box boxes[PROBLEM_MAX];
        double low[PROBLEM_MAX], high[PROBLEM_MAX], force[PROBLEM_MAX] = {0};
        problem_psd(&p, n, n, false);
        for (int i = 0; i < n; ++i) {
            p.matrix[i * n + i] += 0.2;
            low[i] = problem_random(&p, -1, 0.2), high[i] = trial % 4 == 0 && i == 0 ? low[i] : low[i] + problem_random(&p, 1e-9, 1);
            if (i % 4 == 3) low[i] = -__builtin_inf();
            boxes[i] = (kin_lcp_box){low[i], high[i], -1};
        }
        kin_arena scratch;
        kin_arena_init(&scratch, &t->allocator);
        EQUAL(t, kin_lcp_sweeps(n, p.matrix, p.offset, boxes, KIN_LCP_GAUSS_SEIDEL, 1, 20000, 1e-13, force, &scratch).status, KIN_LCP_SOLVED);
        kin_arena_term(&scratch);
        kin_qp qp = {.size = n, .matrix = p.matrix, .linear = p.offset, .low = low, .high = high};
        answer a = solve(t, &qp);
        EQUAL(t, a.report.status, KIN_QP_SOLVED);
        for (int i = 0; i < n; ++i) {
            NEAR(t, a.x[i], force[i], 1e-10);
            CHECK(t, a.x[i] >= low[i] && a.x[i] <= high[i]);
        }
    }
}

/* From the answer nothing is left to do; from near it, the active set alone; from anywhere, the same answer. */
static void warm_starts(test* t)
{
    problem p = {.key = {.seed = 83}};
    int near = 0;
    for (int trial = 0; trial < 200; ++trial) {
        int n = 4 + trial % 12;
        double rows[PROBLEM_MAX];
        problem_psd(&p, n, n, false);
        for (int i = 0; i < n; ++i) p.matrix[i * n + i] += 0.1, rows[i] = problem_random(&p, 0.1, 1);
        kin_qp qp = {.size = n, .rows = 1, .matrix = p.matrix, .linear = p.offset, .row_matrix = rows, .target = (double[]){1}, .low = zeros};
        answer cold = solve(t, &qp), same = solve_from(t, &qp, &cold), start = cold;
        CHECK(t, cold.report.interior > 0);
        EQUAL(t, same.report.interior, 0);
        CHECK(t, same.report.moves <= 1);
        for (int i = 0; i < n; ++i) p.offset[i] += problem_random(&p, -0.01, 0.01); /* the next step's */
        answer next = solve_from(t, &qp, &cold), fresh = solve(t, &qp);
        near += next.report.interior == 0;
        for (int i = 0; i < n; ++i) NEAR(t, next.x[i], fresh.x[i], 1e-9);
        for (int i = 0; i < n; ++i) start.x[i] = problem_random(&p, -1e3, 1e3);
        start.x[0] = trial % 2 ? start.x[0] : __builtin_nan("");
        answer wild = solve_from(t, &qp, &start);
        for (int i = 0; i < n; ++i) NEAR(t, wild.x[i], fresh.x[i], 1e-9);
    }
    CHECK(t, near > 180);
}

static void no_answer_is_told(test* t)
{
    kin_qp apart = {.size = 2, .rows = 2, .matrix = (double[]){1, 0, 0, 1}, .linear = zeros, .row_matrix = (double[]){1, 1, 1, 1}, .target = (double[]){1, 2}};
    answer a = solve(t, &apart);
    EQUAL(t, a.report.status, KIN_QP_LIMIT);
    CHECK(t, a.report.feasibility > 1e-3 && kin_finite(a.x[0]));
    kin_qp outside = {
        .size = 2, .rows = 1, .matrix = (double[]){1, 0, 0, 1}, .linear = zeros, .row_matrix = (double[]){1, 1}, .target = (double[]){-1}, .low = zeros};
    a = solve(t, &outside);
    EQUAL(t, a.report.status, KIN_QP_LIMIT);
    CHECK(t, a.report.feasibility > 1e-3);
    kin_qp endless = {.size = 2, .matrix = (double[]){1, 0, 0, 0}, .linear = (double[]){1, -1}, .low = zeros};
    a = solve(t, &endless);
    EQUAL(t, a.report.status, KIN_QP_LIMIT);
    CHECK(t, a.report.stationarity > 1e-3 || kin_abs(a.x[1]) > 1e6);
    kin_qp bad = {.size = 2, .matrix = (double[]){1, 0, 0, __builtin_nan("")}, .linear = (double[]){1, -1}, .low = zeros};
    a = solve(t, &bad);
    EQUAL(t, a.report.status, KIN_QP_LIMIT);
    for (int i = 0; i < 2; ++i) CHECK(t, kin_finite(a.x[i]) && kin_finite(a.slope[i]));
}

/* Hundreds: masses over a wide range, half of the contacts redundant, rows among them. */
static void hundreds(test* t)
{
    enum { N = 160, RANK = 90, ROWS = 20 };
    kin_arena scratch;
    kin_arena_init(&scratch, &t->allocator);
    kin_arena_mark mark = kin_arena_begin(&scratch);
    double* g = kin_arena_take(&scratch, sizeof(double) * N * RANK);
    double* h = kin_arena_take(&scratch, sizeof(double) * N * N);
    double* rows = kin_arena_take(&scratch, sizeof(double) * ROWS * N);
    double linear[N], target[ROWS], low[N], x[N], y[ROWS], pull[RANK];
    kin_rng_key key = {.seed = 89};
    uint32_t draw = 0;
    for (int i = 0; i < N * RANK; ++i) g[i] = kin_rng_uniform(&key, draw++, -1, 1) * (i % RANK < 10 ? 0.03 : 1);
    for (int i = 0; i < RANK; ++i) pull[i] = kin_rng_uniform(&key, draw++, -1, 1);
    for (int i = 0; i < N; ++i) {
        low[i] = linear[i] = 0;
        for (int k = 0; k < RANK; ++k) linear[i] += g[i * RANK + k] * pull[k];
        for (int j = 0; j < N; ++j) {
            h[i * N + j] = 0;
            for (int k = 0; k < RANK; ++k) h[i * N + j] += g[i * RANK + k] * g[j * RANK + k];
        }
    }
    for (int k = 0; k < ROWS; ++k) {
        target[k] = 0;
        for (int i = 0; i < N; ++i) rows[k * N + i] = kin_rng_uniform(&key, draw++, -1, 1), target[k] += i % 3 ? 0 : rows[k * N + i];
    }
    kin_qp qp = {.size = N, .rows = ROWS, .matrix = h, .linear = linear, .row_matrix = rows, .target = target, .low = low};
    kin_qp_report report = kin_qp_solve(&qp, false, x, y, NULL, &scratch);
    EQUAL(t, report.status, KIN_QP_SOLVED);
    CHECK(t, report.interior < 40);
    kin_arena_end(&scratch, mark);
    kin_arena_term(&scratch);
}

static bool solve_small(test* t, void* context)
{
    answer a = solve(t, context);
    return a.report.status != KIN_QP_MEMORY;
}

static void no_room(test* t)
{
    kin_qp qp = {
        .size = 3, .rows = 1, .matrix = unit, .linear = (double[]){-1, 2, 3}, .row_matrix = (double[]){1, 1, 1}, .target = (double[]){1}, .low = zeros};
    test_fail_each_allocation(t, solve_small, &qp);
}

TEST_MAIN("qp", TEST(closed_forms), TEST(table_on_four_legs), TEST(agrees_with_dantzig), TEST(agrees_with_lemke), TEST(boxes_agree_with_sweeps),
          TEST(warm_starts), TEST(no_answer_is_told), TEST(hundreds), TEST(no_room))
