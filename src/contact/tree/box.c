/* box.c - sweeps and subspaces. */
#include "contact/tree/box.h"
#include "base/alloc.h"
#include "math/scalar.h"
#include <limits.h>
#include <string.h>

#define PROX 1e-5    /* of a diagonal: rows that depend on others share what they bear, where one alone would leave its disc */
#define STAGNANT 0.9 /* of what a round began with: rows that contradict each other move on for ever, to the rims of their discs */
enum { ROUNDS = 20, SWEEPS = 4, MOST_DIRECT = 160 };

bool kin_joint_tree_box_take(kin_joint_tree_box* x, int size, kin_arena* arena)
{
    size_t n = (size_t)size, square = kin_bytes(n, n * sizeof(double));
    *x = (kin_joint_tree_box){.size = size,
                              .matrix = kin_arena_take(arena, square),
                              .rate = kin_arena_take(arena, n * sizeof(double)),
                              .p = kin_arena_take(arena, n * sizeof(double)),
                              .bound = kin_arena_take(arena, n * sizeof(kin_joint_tree_bound)),
                              .factor = kin_arena_take(arena, square),
                              .step = kin_arena_take(arena, n * sizeof(double)),
                              .kept_p = kin_arena_take(arena, n * sizeof(double)),
                              .kept_rate = kin_arena_take(arena, n * sizeof(double)),
                              .free = kin_arena_take(arena, n * sizeof(int))};
    return x->matrix && x->rate && x->p && x->bound && x->factor && x->step && x->kept_p && x->kept_rate && x->free;
}

/* p_i changes: all rates follow. Returns what that was to its own. */
static double move(kin_joint_tree_box* x, int i, double to)
{
    double d = to - x->p[i];
    if (d == 0) return 0;
    const double* column = x->matrix + (size_t)i * (size_t)x->size; /* symmetric */
    for (int j = 0; j < x->size; ++j) x->rate[j] += column[j] * d;
    x->p[i] = to;
    return kin_abs(d) * column[i];
}

static double entry(const kin_joint_tree_box* x, int i, int j) { return x->matrix[(size_t)i * (size_t)x->size + (size_t)j]; }

/* Both tangents at once: down the slip by the larger stiffness, and back to the disc. So what slides is held exactly against its slip; the unbounded answer
 * brought back to the disc would not be, where the tangents differ in stiffness. */
static double sweep_disc(kin_joint_tree_box* x, int i)
{
    double tt = entry(x, i, i), tk = entry(x, i, i + 1), kk = entry(x, i + 1, i + 1), half = 0.5 * (tt - kk);
    double stiff = 0.5 * (tt + kk) + kin_sqrt(half * half + tk * tk), radius = x->bound[i].mu * kin_max(0, x->p[x->bound[i].normal]);
    if (!(stiff > 0)) return 0;
    double t = x->p[i] - x->rate[i] / stiff, k = x->p[i + 1] - x->rate[i + 1] / stiff;
    double length = kin_sqrt(t * t + k * k), scale = length > radius ? radius / length : 1;
    double moved = move(x, i, t * scale);
    return kin_max(moved, move(x, i + 1, k * scale));
}

static double sweep(kin_joint_tree_box* x)
{
    double worst = 0;
    for (int i = 0; i < x->size; ++i) {
        const kin_joint_tree_bound* b = &x->bound[i];
        double own = entry(x, i, i), moved;
        if (b->normal >= 0) {
            moved = sweep_disc(x, i++);
        } else {
            if (!(own > 0)) continue;
            moved = move(x, i, kin_clamp(x->p[i] - x->rate[i] / own, b->low, b->high));
        }
        worst = kin_max(worst, moved);
    }
    return worst;
}

/* ---- the rows inside their bounds, directly ---- */

static int gather_free(kin_joint_tree_box* x)
{
    int n = 0;
    for (int i = 0; i < x->size; ++i) {
        const kin_joint_tree_bound* b = &x->bound[i];
        if (b->normal >= 0) {
            double radius = b->mu * kin_max(0, x->p[b->normal]);
            if (x->p[i] * x->p[i] + x->p[i + 1] * x->p[i + 1] < radius * radius * (1 - 1e-9)) x->free[n++] = i, x->free[n++] = i + 1;
            ++i;
        } else if (x->p[i] > b->low && x->p[i] < b->high) {
            x->free[n++] = i;
        }
    }
    return n;
}

/* L D L^t of the free rows, those that depend on others left out; step = -(W_ff)^-1 rate. */
static void solve_free(kin_joint_tree_box* x, int n)
{
    double* l = x->factor;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = entry(x, x->free[i], x->free[j]) * (i == j && x->bound[x->free[i]].normal >= 0 ? 1 + PROX : 1);
            for (int k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k] * l[k * n + k];
            if (j < i)
                l[i * n + j] = l[j * n + j] > 0 ? sum / l[j * n + j] : 0;
            else
                l[i * n + i] = sum > 1e-11 * entry(x, x->free[i], x->free[i]) ? sum : 0;
        }
    }
    for (int i = 0; i < n; ++i) {
        double sum = -x->rate[x->free[i]];
        for (int k = 0; k < i; ++k) sum -= l[i * n + k] * x->step[k];
        x->step[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) {
        double sum = l[i * n + i] > 0 ? x->step[i] / l[i * n + i] : 0;
        for (int k = i + 1; k < n; ++k) sum -= l[k * n + i] * x->step[k];
        x->step[i] = l[i * n + i] > 0 ? sum : 0;
    }
}

/* How much of the step stays within plain bounds. */
static double feasible_part(const kin_joint_tree_box* x, int n)
{
    double part = 1;
    for (int i = 0; i < n; ++i) {
        const kin_joint_tree_bound* b = &x->bound[x->free[i]];
        double p = x->p[x->free[i]], d = x->step[i];
        if (b->normal >= 0 || d == 0) continue;
        if (p + part * d < b->low) part = (b->low - p) / d;
        if (p + part * d > b->high) part = (b->high - p) / d;
    }
    return kin_clamp(part, 0, 1);
}

/* Friction that left its disc goes back to the rim. */
static void return_to_discs(kin_joint_tree_box* x)
{
    for (int i = 0; i < x->size; ++i) {
        const kin_joint_tree_bound* b = &x->bound[i];
        if (b->normal < 0) continue;
        double radius = b->mu * kin_max(0, x->p[b->normal]), length = kin_sqrt(x->p[i] * x->p[i] + x->p[i + 1] * x->p[i + 1]);
        if (length > radius) {
            move(x, i, x->p[i] * (radius / length));
            move(x, i + 1, x->p[i + 1] * (radius / length));
        }
        ++i;
    }
}

static void minimize_inside(kin_joint_tree_box* x)
{
    int n = gather_free(x);
    if (n == 0 || n > MOST_DIRECT) return;
    solve_free(x, n);
    double part = feasible_part(x, n);
    for (int i = 0; i < n; ++i) {
        const kin_joint_tree_bound* b = &x->bound[x->free[i]];
        double to = x->p[x->free[i]] + part * x->step[i];
        move(x, x->free[i], b->normal < 0 ? kin_clamp(to, b->low, b->high) : to);
    }
    return_to_discs(x);
}

static void keep(kin_joint_tree_box* x)
{
    memcpy(x->kept_p, x->p, (size_t)x->size * sizeof *x->p);
    memcpy(x->kept_rate, x->rate, (size_t)x->size * sizeof *x->rate);
}

static void go_back(kin_joint_tree_box* x)
{
    memcpy(x->p, x->kept_p, (size_t)x->size * sizeof *x->p);
    memcpy(x->rate, x->kept_rate, (size_t)x->size * sizeof *x->rate);
}

static bool has_friction(const kin_joint_tree_box* x)
{
    for (int i = 0; i < x->size; ++i) {
        if (x->bound[i].normal >= 0) return true;
    }
    return false;
}

/* Within plain bounds a direct step, as far as they let it, only goes down. Friction is no minimum of anything: there a step that leaves much more to do than
 * there was is taken back, and after a few of these sweeps go on alone. */
double kin_joint_tree_box_solve(kin_joint_tree_box* x, double tolerance)
{
    int refusals = has_friction(x) ? 3 : INT_MAX;
    double moved = sweep(x), before = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        if (round > 0 && refusals < INT_MAX && moved > STAGNANT * before) break;
        before = moved;
        for (int i = 0; i < SWEEPS && moved > tolerance; ++i) moved = sweep(x);
        if (!(moved > tolerance)) break;
        if (refusals == 0) continue;
        keep(x);
        minimize_inside(x);
        double after = sweep(x);
        if (refusals == INT_MAX || after < 2 * moved) {
            moved = after;
        } else {
            go_back(x);
            --refusals;
        }
    }
    return moved;
}
