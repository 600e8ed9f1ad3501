/* implicit.c - Newton's method on z - base - g f(s, z) = 0. Kelley: Solving Nonlinear Equations with Newton's Method, 2003 (halved steps, matrix-free). */
#include "numerics/implicit.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/scalar.h"
#include "numerics/cg.h"
#include "numerics/dense.h"
#include <string.h>

static const double epsilon = 2.220446049250313e-16;

/* --- Jacobian --- */

static double largest(int n, const double* a)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = kin_max(most, kin_abs(a[i]));
    return most;
}

void kin_ode_jacobian(const kin_ode* ode, double t, double h, const double* y, const double* dydt, double* j, double* scratch)
{
    if (ode->jacobian != NULL) {
        ode->jacobian(ode->context, t, y, j);
        return;
    }
    int n = ode->size;
    double *moved = scratch, *above = moved + n, *below = above + n;
    double floor = 1e-3 * largest(n, y); /* a component near 0 is measured by its neighbours */
    memcpy(moved, y, (size_t)n * sizeof *moved);
    for (int k = 0; k < n; ++k) {
        double size = kin_max(kin_max(kin_abs(y[k]), kin_abs(h * dydt[k])), floor);
        double delta = 6.055454452393343e-06 * (size > 0.0 ? size : 1.0); /* the cube root of epsilon balances both errors */
        double high = y[k] + delta, low = y[k] - delta;
        moved[k] = high;
        ode->derivative(ode->context, t, moved, above);
        moved[k] = low;
        ode->derivative(ode->context, t, moved, below);
        moved[k] = y[k];
        for (int i = 0; i < n; ++i) j[(size_t)i * (size_t)n + (size_t)k] = (above[i] - below[i]) / (high - low);
    }
}

/* --- one step --- */

typedef struct newton {
    const kin_implicit* def;
    const kin_ode* ode;
    double t, h;             /* where and over what f is asked: t is s above */
    double g;                /* end h */
    const double* base;      /* y0 + start h f0 */
    double *z, *f, *r, *d;   /* the guess, f there, its residual, the step that Newton proposes */
    double *trial, *trial_f; /* the same after that step */
    double* scratch;         /* BiCGSTAB's, or three vectors for differences */
    double *j, *a;           /* dense: n x n, and (n - pairs) x (n - pairs) */
    int* pivot;
    kin_arena* arena;  /* for what a solve alone needs */
    kin_sparse sparse; /* the Jacobian, while BiCGSTAB runs on it, and: */
    double* blocks;    /* 9 numbers for every 3 unknowns, factored */
    int* block_pivots; /* 3 for each of them; -1 first: has no inverse */
    double* moved;     /* matrix-free: z and a little along a direction */
    bool no_room;      /* a solve found none */
    int linear_iterations;
} newton;

static bool newton_begin(newton* s, kin_arena* arena, double** base)
{
    size_t n = (size_t)s->ode->size, m = n - (size_t)s->ode->pairs;
    bool dense = s->def->solver == KIN_IMPLICIT_DENSE;
    size_t matrices = dense ? n * n + m * m : 0; /* n is an int: no overflow */
    double* block = kin_arena_take(arena, kin_bytes((7 + KIN_BICGSTAB_VECTORS) * n + matrices, sizeof *block));
    s->pivot = dense ? kin_arena_take(arena, kin_bytes(m, sizeof *s->pivot)) : NULL;
    if (block == NULL || (dense && s->pivot == NULL)) return false;
    double** const vectors[] = {&s->z, &s->f, &s->r, &s->d, &s->trial, &s->trial_f, base, &s->scratch};
    for (int k = 0; k < 8; ++k) *vectors[k] = block + (size_t)k * n;
    s->j = s->scratch + KIN_BICGSTAB_VECTORS * n;
    s->a = s->j + n * n;
    s->arena = arena;
    return true;
}

/* r = z - base - g f; returns its length. */
static double residual_at(const newton* s, const double* z, double* f, double* r)
{
    double sum = 0.0;
    s->ode->derivative(s->ode->context, s->t, z, f);
    for (int i = 0; i < s->ode->size; ++i) {
        r[i] = z[i] - s->base[i] - s->g * f[i];
        sum += r[i] * r[i];
    }
    return kin_sqrt(sum);
}

/* j = the Jacobian, from the triplets of a system that gives only those. */
static bool spread_triplets(newton* s)
{
    size_t n = (size_t)s->ode->size;
    kin_triplets triplets = {.arena = s->arena};
    s->ode->sparse_jacobian(s->ode->context, s->t, s->z, &triplets);
    s->no_room = triplets.failed;
    memset(s->j, 0, n * n * sizeof *s->j);
    for (int i = 0; i < triplets.count; ++i) s->j[(size_t)triplets.items[i].row * n + (size_t)triplets.items[i].column] += triplets.items[i].value;
    return !s->no_room;
}

static bool make_jacobian(newton* s)
{
    if (s->ode->jacobian == NULL && s->ode->sparse_jacobian != NULL) return spread_triplets(s);
    kin_ode_jacobian(s->ode, s->t, s->h, s->z, s->f, s->j, s->scratch);
    return true;
}

/* (1 - g J) d = -r with dx = g dv - r_x put in: H7.7b's half-size system. Rows and columns from `pairs` on are left. */
static bool solve_dense(newton* s)
{
    int n = s->ode->size, p = s->ode->pairs, m = n - p;
    double *d = s->d, g = s->g;
    if (!make_jacobian(s)) return false;
    for (int i = 0; i < m; ++i) {
        const double* j = s->j + (size_t)(p + i) * (size_t)n;
        double* a = s->a + (size_t)i * (size_t)m;
        double right = -s->r[p + i];
        for (int k = 0; k < m; ++k) a[k] = (i == k ? 1.0 : 0.0) - g * j[p + k];
        for (int k = 0; k < p; ++k) {
            a[k] -= g * g * j[k];
            right -= g * j[k] * s->r[k];
        }
        d[p + i] = right;
    }
    if (!kin_lu_factor(m, s->a, s->pivot)) return false;
    kin_lu_solve(m, s->a, s->pivot, d + p);
    for (int k = 0; k < p; ++k) d[k] = g * d[p + k] - s->r[k];
    return true;
}

/* --- the same system without a dense matrix: BiCGSTAB on y = x - g J (g x_v, x), in the rows from `pairs` on --- */

static double length(int n, const double* a)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * a[i];
    return kin_sqrt(sum);
}

/* y = J x by the difference of f along x. */
static void difference_along(const newton* s, const double* x, double* y)
{
    int n = s->ode->size;
    double size = length(n, x);
    if (!(size > 0.0)) {
        memset(y, 0, (size_t)n * sizeof *y);
        return;
    }
    double delta = kin_sqrt(epsilon) * kin_max(length(n, s->z), kin_abs(s->h) * length(n, s->f)) / size;
    if (!(delta > 0.0)) delta = kin_sqrt(epsilon) / size;
    for (int i = 0; i < n; ++i) s->moved[i] = s->z[i] + delta * x[i];
    s->ode->derivative(s->ode->context, s->t, s->moved, y);
    for (int i = 0; i < n; ++i) y[i] = (y[i] - s->f[i]) / delta;
}

static void jacobian_times(const newton* s, const double* x, double* y)
{
    if (s->def->solver == KIN_IMPLICIT_SPARSE)
        kin_sparse_multiply(&s->sparse, x, y);
    else
        difference_along(s, x, y);
}

static void shifted_product(void* context, const double* x, double* y)
{
    const newton* s = context;
    int p = s->ode->pairs, m = s->ode->size - p;
    for (int i = 0; i < p; ++i) s->trial[i] = s->g * x[i];
    memcpy(s->trial + p, x, (size_t)m * sizeof *x);
    jacobian_times(s, s->trial, s->trial_f);
    for (int i = 0; i < m; ++i) y[i] = x[i] - s->g * s->trial_f[p + i];
}

/* Three unknowns in a row are a point in space, or the neighbours of a chain: what they do to each other is inverted exactly. */
static void factor_blocks(newton* s)
{
    int p = s->ode->pairs, m = s->ode->size - p;
    for (int first = 0; first < m; first += 3) {
        int n = m - first < 3 ? m - first : 3;
        double* block = s->blocks + 3 * (size_t)first;
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n; ++k) {
                int row = p + first + i, unknown = first + k;
                double by_position = unknown < p ? s->g * kin_sparse_at(&s->sparse, row, unknown) : 0.0;
                block[i * n + k] = (i == k ? 1.0 : 0.0) - s->g * (kin_sparse_at(&s->sparse, row, p + unknown) + by_position);
            }
        }
        if (!kin_lu_factor(n, block, s->block_pivots + first)) s->block_pivots[first] = -1;
    }
}

static void solve_blocks(void* context, const double* x, double* y)
{
    const newton* s = context;
    int m = s->ode->size - s->ode->pairs;
    memcpy(y, x, (size_t)m * sizeof *y);
    for (int first = 0; first < m; first += 3) {
        if (s->block_pivots[first] >= 0) kin_lu_solve(m - first < 3 ? m - first : 3, s->blocks + 3 * (size_t)first, s->block_pivots + first, y + first);
    }
}

/* The system's own triplets, or what is not 0 in the dense Jacobian. */
static bool gather_jacobian(newton* s, kin_triplets* triplets)
{
    size_t n = (size_t)s->ode->size;
    if (s->ode->sparse_jacobian != NULL) {
        s->ode->sparse_jacobian(s->ode->context, s->t, s->z, triplets);
        return !triplets->failed;
    }
    double* j = kin_arena_take(s->arena, kin_bytes(n * n, sizeof *j));
    if (j == NULL) return false;
    kin_ode_jacobian(s->ode, s->t, s->h, s->z, s->f, j, s->scratch);
    for (size_t i = 0; i < n * n; ++i) {
        if (j[i] != 0.0) kin_triplets_add(triplets, (int)(i / n), (int)(i % n), j[i]);
    }
    return !triplets->failed;
}

static bool make_sparse(newton* s)
{
    size_t m = (size_t)(s->ode->size - s->ode->pairs);
    kin_triplets triplets = {.arena = s->arena};
    s->blocks = kin_arena_take(s->arena, kin_bytes(3 * m + 9, sizeof *s->blocks));
    s->block_pivots = kin_arena_take(s->arena, kin_bytes(m, sizeof *s->block_pivots));
    if (s->blocks == NULL || s->block_pivots == NULL) return false;
    if (!gather_jacobian(s, &triplets) || !kin_sparse_assemble(&triplets, s->ode->size, s->arena, &s->sparse)) return false;
    factor_blocks(s);
    return true;
}

/* An inexact step still helps Newton; the one step of `once` has to be good, as far as products by differences are. */
static bool run_bicgstab(newton* s, const double* right, double* answer)
{
    int m = s->ode->size - s->ode->pairs;
    kin_krylov problem = {.size = m,
                          .matrix = shifted_product,
                          .preconditioner = s->def->solver == KIN_IMPLICIT_SPARSE ? solve_blocks : NULL,
                          .context = s,
                          .tolerance = s->def->linear_tolerance,
                          .max_iterations = s->def->linear_iterations};
    memset(answer, 0, (size_t)m * sizeof *answer);
    kin_krylov_report report = kin_bicgstab(&problem, right, answer, s->scratch);
    s->linear_iterations += report.iterations;
    return report.converged || report.residual < (s->def->scheme->once ? 1e-5 : 0.1);
}

static bool solve_krylov(newton* s)
{
    int n = s->ode->size, p = s->ode->pairs;
    double* right = kin_arena_take(s->arena, kin_bytes((size_t)(n - p), sizeof *right));
    s->moved = kin_arena_take(s->arena, kin_bytes((size_t)n, sizeof *s->moved));
    s->no_room = right == NULL || s->moved == NULL || (s->def->solver == KIN_IMPLICIT_SPARSE && !make_sparse(s));
    if (s->no_room) return false;
    memset(s->trial, 0, (size_t)n * sizeof *s->trial);
    memcpy(s->trial, s->r, (size_t)p * sizeof *s->trial);
    jacobian_times(s, s->trial, s->trial_f);
    for (int i = 0; i < n - p; ++i) right[i] = -s->r[p + i] - s->g * s->trial_f[p + i];
    if (!run_bicgstab(s, right, s->d + p)) return false;
    for (int k = 0; k < p; ++k) s->d[k] = s->g * s->d[p + k] - s->r[k];
    return true;
}

/* d = the step that Newton proposes: (1 - g J) d = -r. */
static bool solve(newton* s)
{
    kin_arena_mark mark = kin_arena_begin(s->arena);
    bool solved = s->def->solver == KIN_IMPLICIT_DENSE ? solve_dense(s) : solve_krylov(s);
    kin_arena_end(s->arena, mark);
    return solved;
}

static bool is_small(const newton* s, const double* change)
{
    for (int i = 0; i < s->ode->size; ++i) {
        if (!(kin_abs(change[i]) <= s->def->absolute + s->def->relative * kin_abs(s->z[i]))) return false;
    }
    return true;
}

static void move_by(const newton* s, double part, double* to)
{
    for (int i = 0; i < s->ode->size; ++i) to[i] = s->z[i] + part * s->d[i];
}

/* A whole step, or the first half of a half of it that shortens the residual. False: none does. */
static bool descend(newton* s, double* size)
{
    double* left = s->scratch; /* free between solves */
    for (double part = 1.0; part > 1e-3; part *= 0.5) {
        move_by(s, part, s->trial);
        double now = residual_at(s, s->trial, s->trial_f, left);
        if (!(now < *size)) continue;
        size_t bytes = (size_t)s->ode->size * sizeof *s->z;
        memcpy(s->z, s->trial, bytes);
        memcpy(s->f, s->trial_f, bytes);
        memcpy(s->r, left, bytes);
        *size = now;
        return true;
    }
    return false;
}

static bool newton_run(newton* s, int* iterations)
{
    double size = residual_at(s, s->z, s->f, s->r);
    bool once = s->def->scheme->once;
    if (!kin_finite(size)) return false;
    for (*iterations = 0; *iterations < (once ? 1 : s->def->max_iterations); ++*iterations) {
        if (!once && is_small(s, s->r)) return true;
        if (!solve(s)) return false;
        bool small = is_small(s, s->d);
        if (once || small) {
            move_by(s, 1.0, s->z);
            ++*iterations;
            if (!once) residual_at(s, s->z, s->f, s->r);
            return kin_finite(largest(s->ode->size, s->z));
        }
        if (!descend(s, &size)) return false;
    }
    return is_small(s, s->r);
}

kin_implicit_report kin_implicit_step(const kin_implicit* def, const kin_ode* ode, double t, double h, const double* y0, const double* dydt0, double* y1,
                                      kin_arena* scratch)
{
    KIN_ASSERT(ode->size > 0 && h != 0.0);
    const kin_implicit_scheme* scheme = def->scheme;
    newton s = {.def = def, .ode = ode, .t = t + scheme->at * h, .h = h, .g = scheme->end * h};
    kin_implicit_report report = {.result = KIN_ERROR_MEMORY, .worst = -1};
    kin_arena_mark mark = kin_arena_begin(scratch);
    double* base;
    if (newton_begin(&s, scratch, &base)) {
        for (int i = 0; i < ode->size; ++i) {
            base[i] = scheme->start != 0.0 ? y0[i] + scheme->start * h * dydt0[i] : y0[i];
            s.z[i] = y0[i];
        }
        s.base = base;
        report.result = newton_run(&s, &report.iterations) ? KIN_OK : s.no_room ? KIN_ERROR_MEMORY : KIN_ERROR_NUMERICS;
        report.linear_iterations = s.linear_iterations;
    }
    if (report.result != KIN_ERROR_MEMORY) {
        for (int i = 0; i < ode->size; ++i) {
            y1[i] = scheme->middle ? s.z[i] + (s.z[i] - y0[i]) : s.z[i];
            if (report.worst >= 0 && (kin_abs(s.r[i]) <= report.residual || report.residual != report.residual)) continue; /* a NaN stays the worst */
            report.residual = kin_abs(s.r[i]);
            report.worst = i;
        }
    }
    kin_arena_end(scratch, mark);
    return report;
}

static kin_result stepper_step(const kin_stepper* self, const kin_ode* ode, double t, double h, const double* y0, const double* dydt0, double* y1,
                               double* dydt1, double* error, kin_arena* scratch)
{
    (void)dydt1, (void)error;
    return kin_implicit_step(self->context, ode, t, h, y0, dydt0, y1, scratch).result;
}

kin_stepper kin_implicit_stepper(const kin_implicit* def) { return (kin_stepper){.order = def->scheme->order, .context = def, .step = stepper_step}; }

kin_implicit kin_implicit_default(const kin_implicit_scheme* scheme)
{
    return (kin_implicit){.scheme = scheme, .absolute = 1e-12, .relative = 1e-12, .max_iterations = 30, .linear_tolerance = 1e-8, .linear_iterations = 500};
}

/* --- the schemes --- */

static const kin_implicit_scheme schemes[] = {
    {.name = "implicit_euler",
     .title = "Implicit Euler",
     .order = 1,
     .end = 1,
     .at = 1,
     .doc = "Every quantity moves by its rate at the end of the step. Stable for any step; oscillators lose energy as 1 / (1 + (w h)^2), decays go as "
            "1 / (1 + h/T)."},
    {.name = "implicit_midpoint",
     .title = "Implicit midpoint",
     .order = 2,
     .end = 0.5,
     .at = 0.5,
     .middle = true,
     .doc = "The rate at the middle between both ends. Stable for any step, symplectic, reversible; keeps quadratic energies for ever. "
            "What is far too stiff rings instead of dying out."},
    {.name = "trapezoid",
     .title = "Trapezoid",
     .order = 2,
     .start = 0.5,
     .end = 0.5,
     .at = 1,
     .doc = "The mean of the rates at both ends. Stable for any step; on linear problems the same as implicit midpoint."},
    {.name = "linear_euler",
     .title = "Linearised implicit Euler",
     .order = 1,
     .end = 1,
     .at = 1,
     .once = true,
     .doc = "Implicit Euler with one linear solve a step, (1 - h J) dy = h f. On linear problems the same; else stable in practice."},
    {.name = "linear_trapezoid",
     .title = "Linearised trapezoid",
     .order = 2,
     .start = 0.5,
     .end = 0.5,
     .at = 1,
     .once = true,
     .doc = "The trapezoid with one linear solve a step, (1 - h/2 J) dy = h f: a Rosenbrock method of second order."},
};

int kin_implicit_count(void) { return (int)(sizeof schemes / sizeof *schemes); }

const kin_implicit_scheme* kin_implicit_at(int index)
{
    KIN_ASSERT(index >= 0 && index < kin_implicit_count());
    return &schemes[index];
}

const kin_implicit_scheme* kin_implicit_named(const char* name)
{
    for (int i = 0; i < kin_implicit_count(); ++i) {
        if (strcmp(schemes[i].name, name) == 0) return &schemes[i];
    }
    return NULL;
}
