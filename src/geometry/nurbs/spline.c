/* spline.c - knots, spans, derivatives in homogeneous coordinates, Bezier pieces. */
#include "geometry/nurbs/spline.h"
#include "base/alloc.h"
#include "base/error.h"
#include <stdio.h>
#include <string.h>

#define LEAST_SPAN 1e-9 /* of the range: knots nearer than this are neither one nor two */
#define LARGEST 1e100   /* m */

/* ---- knots ---- */

static size_t knot_bytes(const kin_nurbs_axis* a) { return ((size_t)a->count + (size_t)a->degree + 1) * sizeof *a->knots; }

/* Knot j of an endless periodic row of which def has one period. */
static double periodic_knot(const kin_nurbs_axis_def* def, int64_t j)
{
    int64_t n = def->count, turns = j >= 0 ? j / n : -((n - 1 - j) / n);
    double period = def->knots != NULL ? def->knots[n] - def->knots[0] : 1;
    double at = def->knots != NULL ? def->knots[j - turns * n] : (double)(j - turns * n) / (double)n;
    return at + (double)turns * period;
}

static double clamped_knot(const kin_nurbs_axis_def* def, int64_t i)
{
    int64_t inner = (int64_t)def->count - def->degree;
    return kin_clamp((double)(i - def->degree) / (double)inner, 0, 1);
}

static void fill_knots(kin_nurbs_axis* a, const kin_nurbs_axis_def* def)
{
    for (int64_t i = 0; i <= (int64_t)a->count + a->degree; ++i)
        a->knots[i] = def->periodic ? periodic_knot(def, i - a->degree) : def->knots != NULL ? def->knots[i] : clamped_knot(def, i);
    a->begin = a->knots[a->degree];
    a->end = a->knots[a->count];
}

static kin_result check_knots(const kin_nurbs_axis* a, const char* name, kin_error* error)
{
    char where[40];
    uint32_t total = a->count + (uint32_t)a->degree + 1, copies = 1;
    double range = a->end - a->begin;
    for (uint32_t i = 0; i < total; ++i) {
        double step = i > 0 ? a->knots[i] - a->knots[i - 1] : 0;
        snprintf(where, sizeof where, "%s.knots[%u]", name, i);
        if (!(kin_abs(a->knots[i]) < LARGEST)) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "must be finite and below 1e100");
        if (step < 0) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "is %g, less than the knot before it", a->knots[i]);
        if (step > 0 && !(step > LEAST_SPAN * range)) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "is too near to the knot before it, yet another");
        copies = i > 0 && step == 0 ? copies + 1 : 1;
        bool at_end = !a->periodic && (a->knots[i] <= a->begin || a->knots[i] >= a->end);
        if (copies > (uint32_t)a->degree + at_end)
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "is there %u times; at most %d are taken for degree %d", copies, a->degree + at_end, a->degree);
    }
    if (!(range > 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, name, "the knots leave no range for the parameter");
    return KIN_OK;
}

static void find_spans(kin_nurbs_axis* a)
{
    for (uint32_t i = (uint32_t)a->degree; i < a->count; ++i) {
        if (a->knots[i] < a->knots[i + 1]) a->spans[a->span_count++] = i;
    }
}

kin_result kin_nurbs_axis_init(kin_nurbs_axis* axis, const kin_allocator* allocator, const kin_nurbs_axis_def* def, const char* name, kin_error* error)
{
    *axis = (kin_nurbs_axis){0};
    if (def->degree < 1 || def->degree > KIN_NURBS_DEGREE)
        return kin_fail(error, KIN_ERROR_ARGUMENT, name, "the degree is %d; 1 to %d are taken", def->degree, KIN_NURBS_DEGREE);
    if (def->count <= (uint32_t)def->degree || def->count > (1u << 28))
        return kin_fail(error, KIN_ERROR_ARGUMENT, name, "%u control points are not enough for degree %d, or too many", def->count, def->degree);
    axis->degree = def->degree;
    axis->periodic = def->periodic;
    axis->count = def->count + (def->periodic ? (uint32_t)def->degree : 0);
    axis->knots = kin_alloc(allocator, knot_bytes(axis));
    axis->spans = kin_alloc(allocator, axis->count * sizeof *axis->spans);
    kin_result result = KIN_OK;
    if (axis->knots == NULL || axis->spans == NULL) {
        result = kin_fail_memory(error, "knots", knot_bytes(axis));
    } else {
        fill_knots(axis, def);
        result = check_knots(axis, name, error);
    }
    if (result == KIN_OK)
        find_spans(axis);
    else
        kin_nurbs_axis_term(axis, allocator);
    return result;
}

void kin_nurbs_axis_term(kin_nurbs_axis* axis, const kin_allocator* allocator)
{
    kin_free(allocator, axis->knots, knot_bytes(axis));
    kin_free(allocator, axis->spans, axis->count * sizeof *axis->spans);
    *axis = (kin_nurbs_axis){0};
}

kin_result kin_nurbs_check_points(const kin_vec3* points, const double* weights, size_t count, kin_error* error)
{
    char where[40];
    double least = 1e300, most = 0;
    for (size_t i = 0; i < count; ++i) {
        double w = weights != NULL ? weights[i] : 1;
        snprintf(where, sizeof where, "points[%zu]", i);
        if (!(kin_largest(kin_abs3(points[i])) < LARGEST) || !kin_finite3(points[i])) /* a NaN hides from the largest */
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "must be finite and below 1e100 m");
        snprintf(where, sizeof where, "weights[%zu]", i);
        if (!(w > 0 && w < LARGEST)) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "is %g; must be more than 0 and below 1e100", w);
        least = kin_min(least, w), most = kin_max(most, w);
    }
    if (!(most <= 1e9 * least)) return kin_fail(error, KIN_ERROR_ARGUMENT, "weights", "range from %g to %g: more than a factor of 1e9", least, most);
    return KIN_OK;
}

/* ---- parameters ---- */

double kin_nurbs_axis_hold(const kin_nurbs_axis* a, double u)
{
    double period = a->end - a->begin;
    if (a->periodic && !(u >= a->begin && u <= a->end) && kin_finite(u)) u -= period * kin_floor((u - a->begin) / period);
    return u > a->begin ? kin_min(u, a->end) : a->begin; /* a NaN too */
}

uint32_t kin_nurbs_axis_span(const kin_nurbs_axis* a, double u)
{
    uint32_t low = 0, high = a->span_count - 1; /* the last span that begins at or below u */
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (a->knots[a->spans[middle]] <= u)
            low = middle;
        else
            high = middle - 1;
    }
    return a->spans[low];
}

/* ---- evaluation ---- */

/* N_i of the degree at u for the degree + 1 functions that live in the span: Cox and de Boor. */
static void basis(const double* knots, uint32_t span, int degree, double u, double* n)
{
    n[0] = 1;
    for (int d = 1; d <= degree; ++d) {
        double carry = 0;
        for (int i = 0; i < d; ++i) {
            double right = knots[span + (uint32_t)i + 1], left = knots[span + (uint32_t)i + 1 - (uint32_t)d];
            double share = n[i] / (right - left);
            n[i] = carry + (right - u) * share;
            carry = (u - left) * share;
        }
        n[d] = carry;
    }
}

/* The derivative of a spline is a spline: of one degree less, with differences of the points for points. */
static void differences(const kin_nurbs_axis* a, uint32_t span, int done, kin_vec4* p)
{
    uint32_t degree = (uint32_t)a->degree;
    for (uint32_t i = 0; i + (uint32_t)done < degree; ++i) {
        double scale = (double)(a->degree - done) / (a->knots[span + i + 1] - a->knots[span + i + 1 + (uint32_t)done - degree]);
        p[i] = kin_v4_mix(p[i + 1], scale, p[i], -scale);
    }
}

void kin_nurbs_local(const kin_nurbs_axis* a, uint32_t span, double u, const kin_vec4* points, int order, kin_vec4* out)
{
    kin_vec4 p[KIN_NURBS_ROW];
    double n[KIN_NURBS_ROW];
    memcpy(p, points, (size_t)(a->degree + 1) * sizeof *p);
    for (int k = 0; k <= order; ++k) {
        out[k] = (kin_vec4){0};
        if (k > a->degree) continue;
        basis(a->knots, span, a->degree - k, u, n);
        for (int i = 0; i <= a->degree - k; ++i) out[k] = kin_v4_mix(out[k], 1, p[i], n[i]);
        differences(a, span, k, p);
    }
}

/* ---- Bezier pieces ---- */

/* The blossom at (s, ... s, t, ... t), t taken `times`: de Boor's scheme with another argument at each level. */
static kin_vec4 blossom(const kin_nurbs_axis* a, uint32_t span, const kin_vec4* points, double s, double t, int times)
{
    kin_vec4 p[KIN_NURBS_ROW];
    memcpy(p, points, (size_t)(a->degree + 1) * sizeof *p);
    for (int level = 1; level <= a->degree; ++level) {
        double u = level <= times ? t : s;
        for (int i = a->degree; i >= level; --i) {
            double left = a->knots[span - (uint32_t)a->degree + (uint32_t)i], right = a->knots[span + (uint32_t)i + 1 - (uint32_t)level];
            double share = (u - left) / (right - left);
            p[i] = kin_v4_mix(p[i - 1], 1 - share, p[i], share);
        }
    }
    return p[a->degree];
}

void kin_nurbs_to_bezier(const kin_nurbs_axis* a, uint32_t span, const kin_vec4* points, kin_vec4* out)
{
    for (int i = 0; i <= a->degree; ++i) out[i] = blossom(a, span, points, a->knots[span], a->knots[span + 1], i);
}

/* De Casteljau: the part up to t, or from t on, takes the points' place. */
static void cut(kin_vec4* p, size_t stride, int degree, double t, bool keep_left)
{
    for (int level = 1; level <= degree; ++level) {
        if (keep_left) {
            for (int i = degree; i >= level; --i) p[(size_t)i * stride] = kin_v4_mix(p[(size_t)(i - 1) * stride], 1 - t, p[(size_t)i * stride], t);
        } else {
            for (int i = 0; i <= degree - level; ++i) p[(size_t)i * stride] = kin_v4_mix(p[(size_t)i * stride], 1 - t, p[(size_t)(i + 1) * stride], t);
        }
    }
}

void kin_nurbs_bezier_part(kin_vec4* points, size_t stride, int degree, double s, double t)
{
    if (t < 1) cut(points, stride, degree, t, true);
    if (s > 0) cut(points, stride, degree, s / t, false);
}
