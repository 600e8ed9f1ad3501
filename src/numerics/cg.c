/* cg.c - conjugate gradients (Hestenes, Stiefel 1952) and BiCGSTAB (van der Vorst 1992), preconditioned from the right in the second. */
#include "numerics/cg.h"
#include "math/scalar.h"
#include <stddef.h>
#include <string.h>

static double dot(int n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static double length(int n, const double* a) { return kin_sqrt(dot(n, a, a)); }

static void add_scaled(int n, double s, const double* restrict x, double* restrict y) /* y += s x */
{
    for (int i = 0; i < n; ++i) y[i] += s * x[i];
}

static void copy(int n, const double* from, double* to) { memcpy(to, from, (size_t)n * sizeof *to); }

/* r = b - A x */
static void residual_of(const kin_krylov* p, const double* b, const double* x, double* r)
{
    p->matrix(p->context, x, r);
    for (int i = 0; i < p->size; ++i) r[i] = b[i] - r[i];
}

static void precondition(const kin_krylov* p, const double* x, double* y)
{
    if (p->preconditioner != NULL)
        p->preconditioner(p->context, x, y);
    else
        copy(p->size, x, y);
}

/* What recursion believes may drift from the truth, so the truth is asked once more. A factor of ten is left to that drift. */
static kin_krylov_report report_of(const kin_krylov* p, int iterations, const double* b, const double* x, double* r)
{
    double scale = length(p->size, b);
    residual_of(p, b, x, r);
    double residual = scale > 0.0 ? length(p->size, r) / scale : 0.0;
    return (kin_krylov_report){.converged = residual <= 10.0 * p->tolerance, .iterations = iterations, .residual = residual};
}

static bool answer_is_zero(const kin_krylov* p, const double* b, double* x)
{
    if (length(p->size, b) > 0.0) return false;
    for (int i = 0; i < p->size; ++i) x[i] = 0.0;
    return true;
}

kin_krylov_report kin_cg(const kin_krylov* problem, const double* b, double* x, double* scratch)
{
    int n = problem->size, k = 0;
    double *r = scratch, *z = r + n, *direction = z + n, *image = direction + n;
    if (answer_is_zero(problem, b, x)) return (kin_krylov_report){.converged = true};
    double limit = problem->tolerance * length(n, b);
    residual_of(problem, b, x, r);
    precondition(problem, r, z);
    copy(n, z, direction);
    double rz = dot(n, r, z);
    for (; k < problem->max_iterations && length(n, r) > limit; ++k) {
        problem->matrix(problem->context, direction, image);
        double curvature = dot(n, direction, image);
        if (!(curvature > 0.0) || !(rz > 0.0)) break; /* not positive definite, or not finite */
        double alpha = rz / curvature;
        add_scaled(n, alpha, direction, x);
        add_scaled(n, -alpha, image, r);
        precondition(problem, r, z);
        double next = dot(n, r, z);
        for (int i = 0; i < n; ++i) direction[i] = z[i] + next / rz * direction[i];
        rz = next;
    }
    return report_of(problem, k, b, x, r);
}

kin_krylov_report kin_bicgstab(const kin_krylov* problem, const double* b, double* x, double* scratch)
{
    int n = problem->size, k = 0;
    double *r = scratch, *shadow = r + n, *p = shadow + n, *v = p + n, *s_hat = v + n, *image = s_hat + n, *p_hat = image + n, *best = p_hat + n;
    if (answer_is_zero(problem, b, x)) return (kin_krylov_report){.converged = true};
    double limit = problem->tolerance * length(n, b), rho = 1.0, alpha = 1.0, omega = 1.0, least = 0.0;
    bool fresh = true;
    residual_of(problem, b, x, r);
    copy(n, x, best);
    least = length(n, r);
    for (; k < problem->max_iterations && length(n, r) > limit; ++k) {
        double next = fresh ? 0.0 : dot(n, shadow, r);
        if (!fresh && !(kin_abs(next) > 1e-14 * length(n, shadow) * length(n, r))) fresh = true; /* the shadow went blind: begin again from here */
        if (fresh) {
            copy(n, r, shadow);
            copy(n, r, p);
            next = dot(n, r, r);
            fresh = false;
        } else {
            double beta = next / rho * (alpha / omega);
            for (int i = 0; i < n; ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
        }
        rho = next;
        precondition(problem, p, p_hat);
        problem->matrix(problem->context, p_hat, v);
        double along = dot(n, shadow, v);
        if (kin_abs(along) <= 1e-14 * length(n, shadow) * length(n, v)) { /* as for A = diag(1, -1), b = (1, 1): look from another side */
            for (int i = 1; i < n; i += 2) shadow[i] *= 2.0;
            rho = dot(n, shadow, r);
            along = dot(n, shadow, v);
        }
        if (along == 0.0 || !kin_finite(along)) break;
        alpha = rho / along;
        add_scaled(n, alpha, p_hat, x);
        add_scaled(n, -alpha, v, r); /* s in the paper */
        if (length(n, r) > limit) {
            precondition(problem, r, s_hat);
            problem->matrix(problem->context, s_hat, image);
            double size = dot(n, image, image);
            omega = size > 0.0 ? dot(n, image, r) / size : 0.0;
            add_scaled(n, omega, s_hat, x);
            add_scaled(n, -omega, image, r);
            if (omega == 0.0) fresh = true;
        }
        double now = length(n, r);
        if (!kin_finite(now)) break;
        if (now < least) {
            least = now;
            copy(n, x, best);
        }
    }
    copy(n, best, x);
    return report_of(problem, k, b, x, r);
}
