/* qp.c - Nocedal and Wright: Numerical optimization, 16.6 (interior point); Hintermueller, Ito and Kunisch 2002 (active set as Newton's method). */
#include "numerics/qp.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/scalar.h"
#include "numerics/dense.h"
#include "numerics/lcp.h"
#include <string.h>

#define PROXIMAL 1e-9 /* of the diagonal of H, and of A H^-1 A^t: keeps the matrix regular; refinement takes it out of the answer */

typedef struct solver {
    const kin_qp* qp;
    int size, rows;
    double tolerance;
    int most;
    double *x, *y;
    double *slope, *miss;         /* H x + g + A^t y; A x - b */
    double *best_x, *best_y;      /* of the smallest residuals so far */
    double *below, *above;        /* multipliers of the bounds: > 0, 0 where there is none */
    double *room_low, *room_high; /* > 0, distances to the bounds: kept apart from x, which may round onto one; 1 where there is none */
    double *shift, *right;        /* added to the diagonal of H; x's part of the right hand side */
    double *dx, *dy, *first;      /* a step; that of the predictor */
    double *low, *high;           /* infinite where there are none */
    double *kkt, *rest, *answer;  /* (size + rows)^2; vectors over the free x and the rows */
    int *free, *pivot;
    int free_count;
    double scale_h, scale_a;
    kin_qp_report best;
} solver;

static double entry(const solver* s, int i, int j) { return s->qp->matrix[(size_t)i * (size_t)s->size + (size_t)j]; }
static double row_entry(const solver* s, int k, int i) { return s->qp->row_matrix[(size_t)k * (size_t)s->size + (size_t)i]; }
static bool is_fixed(const solver* s, int i) { return s->low[i] == s->high[i]; }
static double step_size(const solver* s, int i) { return entry(s, i, i) > 0 ? entry(s, i, i) : 1; }

/* ---- residuals ---- */

/* Where x would go by a step down the slope: outside, and the bound holds it. */
static double wanted(const solver* s, int i) { return s->x[i] - s->slope[i] / step_size(s, i); }

static kin_qp_report measure(solver* s)
{
    kin_qp_report report = s->best;
    double worst = 0, size = 0, miss = 0, miss_size = 0;
    for (int i = 0; i < s->size; ++i) {
        double sum = s->qp->linear[i], sizes = kin_abs(sum);
        for (int j = 0; j < s->size; ++j) sum += entry(s, i, j) * s->x[j], sizes += kin_abs(entry(s, i, j) * s->x[j]);
        for (int k = 0; k < s->rows; ++k) sum += row_entry(s, k, i) * s->y[k], sizes += kin_abs(row_entry(s, k, i) * s->y[k]);
        s->slope[i] = sum;
        worst = kin_lcp_worse(worst, step_size(s, i) * (s->x[i] - kin_clamp(wanted(s, i), s->low[i], s->high[i])));
        size = kin_lcp_worse(size, sizes);
    }
    for (int k = 0; k < s->rows; ++k) {
        double sum = -s->qp->target[k], sizes = kin_abs(sum);
        for (int i = 0; i < s->size; ++i) sum += row_entry(s, k, i) * s->x[i], sizes += kin_abs(row_entry(s, k, i) * s->x[i]);
        s->miss[k] = sum;
        miss = kin_lcp_worse(miss, sum);
        miss_size = kin_lcp_worse(miss_size, sizes);
    }
    bool finite = size < KIN_LCP_NOT_FINITE && miss_size < KIN_LCP_NOT_FINITE;
    report.stationarity = !finite ? KIN_LCP_NOT_FINITE : size > 0 ? worst / size : 0;
    report.feasibility = !finite ? KIN_LCP_NOT_FINITE : miss_size > 0 ? miss / miss_size : 0;
    return report;
}

static double worse_of(const kin_qp_report* report) { return kin_max(report->stationarity, report->feasibility); }

/* Measures x and y, keeps them if they are the best yet, and tells whether that is enough. */
static bool keep_best(solver* s, double tolerance)
{
    kin_qp_report now = measure(s);
    if (worse_of(&now) < worse_of(&s->best)) {
        s->best = now;
        memcpy(s->best_x, s->x, (size_t)s->size * sizeof *s->x);
        memcpy(s->best_y, s->y, (size_t)s->rows * sizeof *s->y);
    }
    return worse_of(&now) <= tolerance;
}

static void go_back_to_best(solver* s)
{
    memcpy(s->x, s->best_x, (size_t)s->size * sizeof *s->x);
    memcpy(s->y, s->best_y, (size_t)s->rows * sizeof *s->y);
}

/* ---- (H + shift, A^t; A, 0) over the free x ---- */

static bool factor(solver* s)
{
    int f = s->free_count, n = f + s->rows;
    for (int i = 0; i < f; ++i) {
        double* row = s->kkt + (size_t)i * (size_t)n;
        for (int j = 0; j <= i; ++j) row[j] = entry(s, s->free[i], s->free[j]);
        row[i] += s->shift[s->free[i]] + PROXIMAL * (row[i] > 0 ? row[i] : s->scale_h);
    }
    for (int k = 0; k < s->rows; ++k) {
        double* row = s->kkt + (size_t)(f + k) * (size_t)n;
        for (int j = 0; j < f; ++j) row[j] = row_entry(s, k, s->free[j]);
        for (int j = f; j < n; ++j) row[j] = 0;
        row[f + k] = -PROXIMAL * s->scale_a * s->scale_a / s->scale_h;
    }
    return kin_ldlt_pivoted_factor(n, s->kkt, s->pivot);
}

/* rest = (right, -miss) - the matrix times answer, without the proximal terms. */
static void find_rest(solver* s)
{
    int f = s->free_count;
    const double* answer = s->answer;
    for (int a = 0; a < f; ++a) {
        int i = s->free[a];
        double sum = s->right[i] - s->shift[i] * answer[a];
        for (int b = 0; b < f; ++b) sum -= entry(s, i, s->free[b]) * answer[b];
        for (int k = 0; k < s->rows; ++k) sum -= row_entry(s, k, i) * answer[f + k];
        s->rest[a] = sum;
    }
    for (int k = 0; k < s->rows; ++k) {
        s->rest[f + k] = -s->miss[k];
        for (int a = 0; a < f; ++a) s->rest[f + k] -= row_entry(s, k, s->free[a]) * answer[a];
    }
}

/* dx and dy, 0 for x that are not free. */
static void solve_step(solver* s)
{
    int f = s->free_count, n = f + s->rows;
    memset(s->answer, 0, (size_t)n * sizeof *s->answer);
    for (int pass = 0; pass < 4; ++pass) {
        find_rest(s);
        kin_ldlt_pivoted_solve(n, s->kkt, s->pivot, s->rest);
        for (int a = 0; a < n; ++a) s->answer[a] += s->rest[a];
    }
    memset(s->dx, 0, (size_t)s->size * sizeof *s->dx);
    for (int a = 0; a < f; ++a) s->dx[s->free[a]] = s->answer[a];
    memcpy(s->dy, s->answer + f, (size_t)s->rows * sizeof *s->dy);
}

/* ---- active set ---- */

/* Which x a bound holds; those are put there. Returns whether anything changed. */
static bool choose_active(solver* s, bool start)
{
    int count = 0;
    bool changed = start;
    for (int i = 0; i < s->size; ++i) {
        double to = wanted(s, i);
        bool at_low = to <= s->low[i], at_high = to >= s->high[i], is_free = !at_low && !at_high && !is_fixed(s, i);
        if (at_low || is_fixed(s, i))
            s->x[i] = s->low[i];
        else if (at_high)
            s->x[i] = s->high[i];
        if (is_free) {
            changed = changed || count >= s->free_count || s->free[count] != i;
            s->free[count++] = i;
        }
    }
    changed = changed || count != s->free_count;
    s->free_count = count;
    return changed;
}

/* From x, y and slope, by Newton steps for the bounds that hold now; few are needed when they are nearly the right ones. */
static bool run_active_set(solver* s)
{
    memset(s->shift, 0, (size_t)s->size * sizeof *s->shift);
    for (int i = 0; i < s->most; ++i) {
        if (!choose_active(s, i == 0)) return false; /* the same bounds as before, and still not good: rounding */
        measure(s);
        for (int k = 0; k < s->size; ++k) s->right[k] = -s->slope[k];
        if (!factor(s)) return false;
        solve_step(s);
        for (int k = 0; k < s->size; ++k) s->x[k] += s->dx[k];
        for (int k = 0; k < s->rows; ++k) s->y[k] += s->dy[k];
        ++s->best.moves;
        if (keep_best(s, s->tolerance)) return true;
    }
    return false;
}

/* ---- interior point ---- */

static void start_inside(solver* s, double largest_linear)
{
    double far = largest_linear > 0 ? largest_linear / s->scale_h : 1, pull = kin_max(largest_linear, s->scale_h * far);
    s->free_count = 0;
    for (int i = 0; i < s->size; ++i) {
        bool low = kin_finite(s->low[i]), high = kin_finite(s->high[i]);
        if (is_fixed(s, i)) low = high = false;
        s->x[i] = is_fixed(s, i) ? s->low[i] : low && high ? kin_mix(s->low[i], s->high[i], 0.5) : low ? s->low[i] + far : high ? s->high[i] - far : 0;
        s->room_low[i] = low ? (high ? 0.5 * s->high[i] - 0.5 * s->low[i] : far) : 1;
        s->room_high[i] = high ? (low ? s->room_low[i] : far) : 1;
        s->below[i] = low ? pull : 0;
        s->above[i] = high ? pull : 0;
        if (!is_fixed(s, i)) s->free[s->free_count++] = i;
    }
    memset(s->y, 0, (size_t)s->rows * sizeof *s->y);
}

/* By how much the multipliers change along dx when room times multiplier shall become t. */
static double below_step(const solver* s, int i, double t) { return (t - s->below[i] * s->dx[i]) / s->room_low[i] - s->below[i]; }
static double above_step(const solver* s, int i, double t) { return (t + s->above[i] * s->dx[i]) / s->room_high[i] - s->above[i]; }

/* What each product shall become: the mean aimed at, less what the predictor's step leaves in second order. */
static double low_goal(const solver* s, int i, double aim)
{
    double first = s->first[i];
    return s->below[i] > 0 ? aim + first * (s->below[i] * first / s->room_low[i] + s->below[i]) : 0;
}

static double high_goal(const solver* s, int i, double aim)
{
    double first = s->first[i];
    return s->above[i] > 0 ? aim + first * (s->above[i] * first / s->room_high[i] - s->above[i]) : 0;
}

static double shorter(double length, double value, double change) { return change < 0 ? kin_min(length, -value / change) : length; }

/* The longest step, at most 1, that keeps all rooms and multipliers above 0. */
static double longest_step(const solver* s, const double* low_goals, const double* high_goals)
{
    double length = 1;
    for (int i = 0; i < s->size; ++i) {
        if (s->below[i] > 0) length = shorter(shorter(length, s->room_low[i], s->dx[i]), s->below[i], below_step(s, i, low_goals[i]));
        if (s->above[i] > 0) length = shorter(shorter(length, s->room_high[i], -s->dx[i]), s->above[i], above_step(s, i, high_goals[i]));
    }
    return length;
}

/* The mean of room times multiplier after a step of this length; 0 without bounds. */
static double mean_product(const solver* s, double length, const double* low_goals, const double* high_goals)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < s->size; ++i) {
        if (s->below[i] > 0) sum += (s->room_low[i] + length * s->dx[i]) * (s->below[i] + length * below_step(s, i, low_goals[i])), ++count;
        if (s->above[i] > 0) sum += (s->room_high[i] - length * s->dx[i]) * (s->above[i] + length * above_step(s, i, high_goals[i])), ++count;
    }
    return count > 0 ? sum / count : 0;
}

static void take_step(solver* s, double length, const double* low_goals, const double* high_goals)
{
    for (int i = 0; i < s->size; ++i) {
        double below = s->below[i] > 0 ? below_step(s, i, low_goals[i]) : 0, above = s->above[i] > 0 ? above_step(s, i, high_goals[i]) : 0;
        s->below[i] += length * below;
        s->above[i] += length * above;
        if (s->below[i] > 0) s->room_low[i] += length * s->dx[i];
        if (s->above[i] > 0) s->room_high[i] -= length * s->dx[i];
        s->x[i] = kin_clamp(s->x[i] + length * s->dx[i], s->low[i], s->high[i]);
    }
    for (int k = 0; k < s->rows; ++k) s->y[k] += length * s->dy[k];
}

/* One factorization, two steps solved: straight to the bounds, to see how far that goes; then to a mean product by this measure. False: stuck. */
static bool improve(solver* s, double* low_goals, double* high_goals)
{
    memset(low_goals, 0, (size_t)s->size * sizeof *low_goals);
    memset(high_goals, 0, (size_t)s->size * sizeof *high_goals);
    for (int i = 0; i < s->size; ++i) {
        s->shift[i] = s->below[i] / s->room_low[i] + s->above[i] / s->room_high[i];
        s->right[i] = -s->slope[i];
    }
    if (!factor(s)) return false;
    solve_step(s);
    memcpy(s->first, s->dx, (size_t)s->size * sizeof *s->dx);
    double now = mean_product(s, 0, low_goals, high_goals), then = mean_product(s, longest_step(s, low_goals, high_goals), low_goals, high_goals);
    double part = now > 0 ? then / now : 0, aim = part * part * part * now;
    for (int i = 0; i < s->size; ++i) {
        low_goals[i] = low_goal(s, i, aim);
        high_goals[i] = high_goal(s, i, aim);
        s->right[i] += low_goals[i] / s->room_low[i] - high_goals[i] / s->room_high[i];
    }
    solve_step(s);
    double length = longest_step(s, low_goals, high_goals);
    if (!(length > 1e-12)) return false;
    take_step(s, length < 1 ? 0.995 * length : now > 0 ? 0.9999 : 1, low_goals, high_goals);
    return true;
}

static void run_interior(solver* s, double largest_linear, double* low_goals, double* high_goals)
{
    start_inside(s, largest_linear);
    for (int i = 0; i < s->most; ++i) {
        if (keep_best(s, 1e-3 * s->tolerance) || !improve(s, low_goals, high_goals)) return;
        ++s->best.interior;
    }
    keep_best(s, s->tolerance);
}

/* ---- all of it ---- */

static double* take(kin_arena* scratch, int count, bool* room)
{
    double* memory = kin_arena_take(scratch, kin_bytes((size_t)count, sizeof *memory));
    if (memory)
        memset(memory, 0, (size_t)count * sizeof *memory);
    else
        *room = false;
    return memory;
}

static bool take_all(solver* s, kin_arena* scratch)
{
    bool room = true;
    int n = s->size, m = s->rows;
    double** by_x[] = {&s->slope, &s->best_x, &s->below, &s->above, &s->room_low, &s->room_high, &s->shift, &s->right, &s->dx, &s->first, &s->low, &s->high};
    for (size_t i = 0; i < sizeof by_x / sizeof *by_x; ++i) *by_x[i] = take(scratch, n, &room);
    s->miss = take(scratch, m, &room);
    s->best_y = take(scratch, m, &room);
    s->dy = take(scratch, m, &room);
    s->rest = take(scratch, n + m, &room);
    s->answer = take(scratch, n + m, &room);
    size_t all = (size_t)n + (size_t)m;
    s->kkt = kin_arena_take(scratch, kin_bytes(kin_bytes(all, all), sizeof *s->kkt));
    s->free = kin_arena_take(scratch, kin_bytes((size_t)n, sizeof *s->free));
    s->pivot = kin_arena_take(scratch, kin_bytes(all, sizeof *s->pivot));
    return room && s->kkt && s->free && s->pivot;
}

static void set_bounds(solver* s)
{
    for (int i = 0; i < s->size; ++i) {
        s->low[i] = s->qp->low ? s->qp->low[i] : -__builtin_inf();
        s->high[i] = s->qp->high ? s->qp->high[i] : __builtin_inf();
        KIN_ASSERT(s->low[i] <= s->high[i]);
    }
}

/* Returns the largest |g|. */
static double set_scales(solver* s)
{
    double linear = 0;
    for (int i = 0; i < s->size; ++i) {
        s->scale_h = kin_max(s->scale_h, entry(s, i, i));
        linear = kin_max(linear, kin_abs(s->qp->linear[i]));
        for (int k = 0; k < s->rows; ++k) s->scale_a = kin_max(s->scale_a, kin_abs(row_entry(s, k, i)));
    }
    if (!(s->scale_h > 0)) s->scale_h = 1;
    if (!(s->scale_a > 0)) s->scale_a = 1;
    return linear;
}

static void search(solver* s, bool warm, kin_arena* scratch, bool* room)
{
    double largest_linear = set_scales(s), *low_goals = take(scratch, s->size, room), *high_goals = take(scratch, s->size, room);
    if (!*room) return;
    if (warm) {
        for (int i = 0; i < s->size; ++i) s->x[i] = kin_clamp(s->x[i], s->low[i], s->high[i]);
        if (keep_best(s, 0) || run_active_set(s)) return;
    }
    run_interior(s, largest_linear, low_goals, high_goals);
    go_back_to_best(s);
    measure(s);
    run_active_set(s);
}

kin_qp_report kin_qp_solve(const kin_qp* qp, bool warm, double* x, double* y, double* slope, kin_arena* scratch)
{
    solver s = {.qp = qp, .size = qp->size, .rows = qp->rows, .x = x, .y = y};
    s.tolerance = qp->tolerance > 0 ? qp->tolerance : 1e-10;
    s.most = qp->max_iterations > 0 ? qp->max_iterations : 80;
    s.best.stationarity = s.best.feasibility = KIN_LCP_NOT_FINITE;
    kin_arena_mark mark = kin_arena_begin(scratch);
    bool room = take_all(&s, scratch);
    if (room) {
        set_bounds(&s);
        search(&s, warm, scratch, &room);
        go_back_to_best(&s);
        for (int i = 0; i < s.size; ++i) x[i] = kin_clamp(x[i], s.low[i], s.high[i]);
        s.best = measure(&s);
        for (int i = 0; i < s.size && slope; ++i) slope[i] = kin_finite(s.slope[i]) ? s.slope[i] : 0;
    }
    kin_arena_end(scratch, mark);
    s.best.status = !room ? KIN_QP_MEMORY : worse_of(&s.best) <= s.tolerance ? KIN_QP_SOLVED : KIN_QP_LIMIT;
    return s.best;
}
