/* roots.c - monotone pieces and safeguarded Newton; Sturm chains; closed forms; Brent's method (Algorithms for minimization without derivatives, ch. 4). */
#include "numerics/roots.h"
#include "math/scalar.h"

static double value_at(const double* c, int degree, double t)
{
    double v = c[degree];
    for (int i = degree - 1; i >= 0; --i) v = v * t + c[i];
    return v;
}

/* What rounding may make of the value at t: a bound of Horner's error. */
static double noise_at(const double* c, int degree, double t)
{
    double v = kin_abs(c[degree]);
    for (int i = degree - 1; i >= 0; --i) v = v * kin_abs(t) + kin_abs(c[i]);
    return 8e-16 * v;
}

static void derivative_of(const double* c, int degree, double* d)
{
    for (int i = 1; i <= degree; ++i) d[i - 1] = i * c[i];
}

/* The root of a monotone piece whose ends differ in sign: Newton, kept inside by bisection. */
static double root_between(const double* c, int degree, double low, double high)
{
    double d[3], f_low = value_at(c, degree, low), t = 0.5 * (low + high);
    derivative_of(c, degree, d);
    for (int i = 0; i < 200; ++i) {
        double f = value_at(c, degree, t), slope = degree > 1 ? value_at(d, degree - 1, t) : d[0];
        if (f == 0) return t;
        if ((f < 0) == (f_low < 0))
            low = t;
        else
            high = t;
        double next = slope != 0 ? t - f / slope : low;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == t || next <= low || next >= high) return next;
        t = next;
    }
    return t;
}

static int add_root(double* roots, int count, double t)
{
    if (count > 0 && t <= roots[count - 1]) return count;
    roots[count] = t;
    return count + 1;
}

static int roots_linear(const double* c, double low, double high, double* roots)
{
    if (c[1] == 0) return 0;
    double t = -c[0] / c[1];
    if (!(t >= low && t <= high)) return 0;
    roots[0] = t;
    return 1;
}

int kin_roots(const double* c, int degree, double low, double high, double* roots)
{
    while (degree > 0 && c[degree] == 0) degree -= 1;
    if (degree == 0 || !(low <= high)) return 0;
    if (degree == 1) return roots_linear(c, low, high, roots);
    double d[3], ends[4];
    derivative_of(c, degree, d);
    ends[0] = low;
    int pieces = 1 + kin_roots(d, degree - 1, low, high, ends + 1), count = 0;
    ends[pieces] = high;
    for (int i = 0; i < pieces; ++i) {
        double a = ends[i], b = ends[i + 1], fa = value_at(c, degree, a), fb = value_at(c, degree, b);
        if (kin_abs(fa) <= noise_at(c, degree, a))
            count = add_root(roots, count, a); /* touches zero at the cut */
        else if (kin_abs(fb) > noise_at(c, degree, b) && (fa < 0) != (fb < 0))
            count = add_root(roots, count, root_between(c, degree, a, b));
    }
    if (kin_abs(value_at(c, degree, high)) <= noise_at(c, degree, high)) count = add_root(roots, count, high);
    return count;
}

bool kin_polynomial_vanishes(const double* c, int degree, double low, double high, double noise)
{
    double ends[4], d[3];
    int count = 0;
    ends[count++] = low;
    if (degree > 1) {
        derivative_of(c, degree, d);
        count += kin_roots(d, degree - 1, low, high, ends + 1);
    }
    ends[count++] = high;
    for (int i = 0; i < count; ++i) {
        if (!(kin_abs(value_at(c, degree, ends[i])) <= noise)) return false;
    }
    return true;
}

/* ---- Sturm ---- */

typedef struct polynomial {
    double c[4];
    int degree; /* -1: zero */
} polynomial;

static void trim(polynomial* p, double scale)
{
    while (p->degree >= 0 && kin_abs(p->c[p->degree]) <= 1e-14 * scale) p->degree -= 1;
}

static double largest(const polynomial* p)
{
    double most = 0;
    for (int i = 0; i <= p->degree; ++i) most = kin_max(most, kin_abs(p->c[i]));
    return most;
}

/* -(a mod b) */
static polynomial minus_remainder(polynomial a, const polynomial* b)
{
    double scale = largest(&a);
    while (a.degree >= b->degree) {
        double q = a.c[a.degree] / b->c[b->degree];
        for (int i = 0; i <= b->degree; ++i) a.c[a.degree - b->degree + i] -= q * b->c[i];
        a.degree -= 1;
    }
    trim(&a, scale);
    for (int i = 0; i <= a.degree; ++i) a.c[i] = -a.c[i];
    return a;
}

static int sign_changes(const polynomial* chain, int count, double t)
{
    int changes = 0;
    double last = 0;
    for (int i = 0; i < count; ++i) {
        double v = value_at(chain[i].c, chain[i].degree, t);
        if (v == 0) continue;
        changes += last != 0 && (v < 0) != (last < 0);
        last = v;
    }
    return changes;
}

int kin_roots_count(const double* c, int degree, double low, double high)
{
    polynomial chain[5] = {{.degree = degree}};
    for (int i = 0; i <= degree; ++i) chain[0].c[i] = c[i];
    trim(&chain[0], largest(&chain[0]));
    if (chain[0].degree < 1) return 0;
    chain[1].degree = chain[0].degree - 1;
    derivative_of(chain[0].c, chain[0].degree, chain[1].c);
    int count = 2;
    while (count < 5 && chain[count - 1].degree > 0) {
        chain[count] = minus_remainder(chain[count - 2], &chain[count - 1]);
        if (chain[count].degree < 0) break;
        count += 1;
    }
    return sign_changes(chain, count, low) - sign_changes(chain, count, high);
}

/* ---- closed forms ---- */

int kin_roots_quadratic(const double c[3], double roots[2])
{
    if (c[2] == 0) {
        if (c[1] == 0) return 0;
        roots[0] = -c[0] / c[1];
        return 1;
    }
    double inside = c[1] * c[1] - 4 * c[2] * c[0];
    if (inside < 0) return 0;
    double q = -0.5 * (c[1] + (c[1] < 0 ? -1 : 1) * kin_sqrt(inside)); /* no difference of near equals */
    if (q == 0) {
        roots[0] = 0;
        return 1;
    }
    double a = q / c[2], b = c[0] / q;
    roots[0] = kin_min(a, b);
    roots[1] = kin_max(a, b);
    return a == b ? 1 : 2;
}

/* Vieta: three roots by angles, one by a cube root. */
int kin_roots_cubic(const double c[4], double roots[3])
{
    if (c[3] == 0) return kin_roots_quadratic(c, roots);
    double a = c[2] / c[3], b = c[1] / c[3], d = c[0] / c[3];
    double q = (a * a - 3 * b) / 9, r = (2 * a * a * a - 9 * a * b + 27 * d) / 54, shift = a / 3;
    if (r * r < q * q * q) {
        double angle = kin_acos(kin_clamp(r / kin_sqrt(q * q * q), -1, 1)), size = -2 * kin_sqrt(q);
        roots[0] = size * kin_cos(angle / 3) - shift;
        roots[1] = size * kin_cos((angle - 2 * KIN_PI) / 3) - shift;
        roots[2] = size * kin_cos((angle + 2 * KIN_PI) / 3) - shift;
        for (int i = 1; i < 3; ++i) {
            for (int k = i; k > 0 && roots[k] < roots[k - 1]; --k) {
                double t = roots[k];
                roots[k] = roots[k - 1];
                roots[k - 1] = t;
            }
        }
        return 3;
    }
    double s = kin_cbrt(kin_abs(r) + kin_sqrt(kin_max(r * r - q * q * q, 0))), t = r > 0 ? -s : s;
    roots[0] = t + (t != 0 ? q / t : 0) - shift;
    return 1;
}

/* ---- any function ---- */

/* best: the latest and least; last: the one before; across: where the sign is the other. */
typedef struct bracket {
    double best, f_best, last, f_last, across, f_across;
} bracket;

/* A step from best towards across by a secant or an inverse parabola, as a fraction p / q; q >= 0. */
static void interpolate(const bracket* b, double half, double* p, double* q)
{
    double s = b->f_best / b->f_last;
    if (b->last == b->across) {
        *p = 2 * half * s;
        *q = 1 - s;
    } else {
        double r = b->f_best / b->f_across, u = b->f_last / b->f_across;
        *p = s * (2 * half * u * (u - r) - (b->best - b->last) * (r - 1));
        *q = (u - 1) * (r - 1) * (s - 1);
    }
    if (*p > 0)
        *q = -*q;
    else
        *p = -*p;
}

/* across on the other side of zero from best, and best the smaller of the two. Returns whether the bracket was renewed from the last step. */
static bool tidy(bracket* b)
{
    bool renewed = (b->f_best > 0) == (b->f_across > 0);
    if (renewed) b->across = b->last, b->f_across = b->f_last;
    if (kin_abs(b->f_across) < kin_abs(b->f_best)) {
        b->last = b->best, b->f_last = b->f_best;
        b->best = b->across, b->f_best = b->f_across;
        b->across = b->last, b->f_across = b->f_last;
    }
    return renewed;
}

static void search(kin_root_fn* f, void* context, double tolerance, bracket* b, kin_root* out)
{
    double step = b->best - b->last, before = step;
    while (out->evaluations < 200) {
        if (tidy(b)) step = before = b->best - b->last;
        double half = 0.5 * (b->across - b->best), least = 0.5 * tolerance + 2.3e-16 * kin_abs(b->best), p, q;
        if (b->f_best == 0 || kin_abs(half) <= least) return;
        double bisection = half;
        if (kin_abs(before) >= least && kin_abs(b->f_last) > kin_abs(b->f_best)) {
            interpolate(b, half, &p, &q);
            bool gains = 2 * p < 3 * half * q - kin_abs(least * q) && p < kin_abs(0.5 * before * q);
            before = gains ? step : bisection;
            step = gains ? p / q : bisection;
        } else {
            before = step = bisection;
        }
        b->last = b->best, b->f_last = b->f_best;
        b->best += kin_abs(step) > least ? step : half > 0 ? least : -least;
        b->f_best = f(context, b->best);
        ++out->evaluations;
        if (b->f_best != b->f_best) {
            out->found = false;
            return;
        }
    }
}

kin_root kin_root_bracketed(kin_root_fn* f, void* context, double low, double high, double tolerance)
{
    bracket b = {.best = high, .f_best = f(context, high), .last = low, .f_last = f(context, low)};
    kin_root out = {.evaluations = 2};
    b.across = low, b.f_across = b.f_last;
    bool numbers = b.f_best == b.f_best && b.f_last == b.f_last;
    out.found = numbers && ((b.f_best <= 0 && b.f_last >= 0) || (b.f_best >= 0 && b.f_last <= 0));
    if (numbers && kin_abs(b.f_last) < kin_abs(b.f_best) && (!out.found || b.f_last == 0)) b.best = low, b.f_best = b.f_last;
    if (out.found && b.f_best != 0) search(f, context, tolerance, &b, &out);
    out.x = b.best;
    out.value = b.f_best;
    out.other = b.f_best == 0 ? b.best : b.across;
    return out;
}
