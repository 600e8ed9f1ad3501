/* curve.c - NURBS curves: making, points and derivatives, length, knot insertion. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/nurbs/spline.h"

static size_t piece_bytes(const kin_nurbs_curve* c) { return kin_bytes((size_t)c->axis.span_count * ((size_t)c->axis.degree + 1), sizeof *c->pieces); }

static void fill(kin_nurbs_curve* c, const kin_nurbs_curve_def* def)
{
    size_t row = (size_t)c->axis.degree + 1;
    for (uint32_t i = 0; i < c->axis.count; ++i) {
        uint32_t from = i % def->axis.count; /* a period goes on with its first points */
        c->points[i] = kin_v4_lift(def->points[from], def->weights != NULL ? def->weights[from] : 1);
        c->scale = kin_max(c->scale, kin_largest(kin_abs3(def->points[from])));
    }
    for (uint32_t i = 0; i < c->axis.span_count; ++i) {
        uint32_t span = c->axis.spans[i];
        kin_nurbs_to_bezier(&c->axis, span, c->points + span - (uint32_t)c->axis.degree, c->pieces + i * row);
    }
}

kin_result kin_nurbs_curve_create(const kin_allocator* allocator, const kin_nurbs_curve_def* def, kin_nurbs_curve** out, kin_error* error)
{
    kin_nurbs_axis axis;
    *out = NULL;
    kin_result result = kin_nurbs_axis_init(&axis, allocator, &def->axis, "curve", error);
    if (result != KIN_OK) return result;
    result = kin_nurbs_check_points(def->points, def->weights, def->axis.count, error);
    kin_nurbs_curve* c = result == KIN_OK ? kin_alloc_zero(allocator, sizeof *c) : NULL;
    if (c == NULL) {
        kin_nurbs_axis_term(&axis, allocator);
        return result == KIN_OK ? kin_fail_memory(error, "a curve", sizeof *c) : result;
    }
    c->allocator = *allocator;
    c->axis = axis;
    c->points = kin_alloc(allocator, axis.count * sizeof *c->points);
    c->pieces = kin_alloc(allocator, piece_bytes(c));
    if (c->points == NULL || c->pieces == NULL) {
        kin_nurbs_curve_destroy(c);
        return kin_fail_memory(error, "a curve", axis.count * sizeof *c->points);
    }
    fill(c, def);
    *out = c;
    return KIN_OK;
}

void kin_nurbs_curve_destroy(kin_nurbs_curve* c)
{
    if (c == NULL) return;
    kin_allocator allocator = c->allocator;
    kin_free(&allocator, c->points, c->axis.count * sizeof *c->points);
    kin_free(&allocator, c->pieces, piece_bytes(c));
    kin_nurbs_axis_term(&c->axis, &allocator);
    kin_free(&allocator, c, sizeof *c);
}

/* A = w C: its k-th derivative is the sum over i of k choose i w^(i) C^(k - i), which gives C^(k) when the lower ones are known. */
void kin_nurbs_curve_derivatives(const kin_nurbs_curve* c, double u, int order, kin_vec3* out)
{
    kin_vec4 a[KIN_NURBS_ROW];
    u = kin_nurbs_axis_hold(&c->axis, u);
    uint32_t span = kin_nurbs_axis_span(&c->axis, u);
    kin_nurbs_local(&c->axis, span, u, c->points + span - (uint32_t)c->axis.degree, order, a);
    for (int k = 0; k <= order; ++k) {
        kin_vec3 sum = kin_v4_vector(a[k]);
        double choose = 1;
        for (int i = 1; i <= k; ++i) {
            choose *= (double)(k - i + 1) / i;
            sum = kin_add_scaled(sum, -choose * a[i].w, out[k - i]);
        }
        out[k] = kin_scale(sum, 1 / a[0].w);
    }
}

kin_vec3 kin_nurbs_curve_point(const kin_nurbs_curve* c, double u)
{
    kin_vec3 p;
    kin_nurbs_curve_derivatives(c, u, 0, &p);
    return p;
}

/* Where the first derivative vanishes (points that coincide) the second one points the way. */
kin_vec3 kin_nurbs_curve_tangent(const kin_nurbs_curve* c, double u)
{
    kin_vec3 d[3];
    kin_nurbs_curve_derivatives(c, u, 2, d);
    double range = c->axis.end - c->axis.begin;
    bool at_end = kin_nurbs_axis_hold(&c->axis, u) == c->axis.end;
    if (kin_length(d[1]) * range > 1e-12 * c->scale) return kin_normalize_or(d[1], kin_v(0, 0, 0));
    return kin_normalize_or(kin_scale(d[2], at_end ? -1 : 1), kin_v(0, 0, 0));
}

/* ---- length ---- */

static double speed(const kin_nurbs_curve* c, double u)
{
    kin_vec3 d[2];
    kin_nurbs_curve_derivatives(c, u, 1, d);
    return kin_length(d[1]);
}

/* Gauss and Legendre with five points on equal panels: of tenth order. */
static double length_by_panels(const kin_nurbs_curve* c, double a, double b, int panels)
{
    static const double at[3] = {0, 0.53846931010568309, 0.90617984593866399}, weight[3] = {0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
    double sum = 0, half = (b - a) / (2 * panels);
    for (int i = 0; i < panels; ++i) {
        double middle = a + (2 * i + 1) * half;
        sum += weight[0] * speed(c, middle);
        for (int k = 1; k < 3; ++k) sum += weight[k] * (speed(c, middle - at[k] * half) + speed(c, middle + at[k] * half));
    }
    return sum * half;
}

double kin_nurbs_curve_length(const kin_nurbs_curve* c, double u0, double u1)
{
    double total = 0, low = kin_max(u0, c->axis.begin), high = kin_min(u1, c->axis.end);
    for (uint32_t i = 0; i < c->axis.span_count; ++i) { /* span by span: across knots it is not smooth */
        double a = kin_max(low, c->axis.knots[c->axis.spans[i]]), b = kin_min(high, c->axis.knots[c->axis.spans[i] + 1]);
        if (!(a < b)) continue;
        double length = length_by_panels(c, a, b, 2);
        for (int panels = 4; panels <= 1024; panels *= 2) {
            double before = length;
            length = length_by_panels(c, a, b, panels);
            if (kin_abs(length - before) <= 1e-13 * length) break;
        }
        total += length;
    }
    return total;
}

/* ---- knot insertion ---- */

typedef struct growing {
    double* knots;
    kin_vec3* points;
    double* weights;
} growing;

static void insert(const kin_nurbs_curve* c, double u, growing* g)
{
    uint32_t p = (uint32_t)c->axis.degree, n = c->axis.count, span = kin_nurbs_axis_span(&c->axis, u);
    for (uint32_t i = 0; i <= n + p + 1; ++i) g->knots[i] = i <= span ? c->axis.knots[i] : i == span + 1 ? u : c->axis.knots[i - 1];
    for (uint32_t i = 0; i <= n; ++i) {
        kin_vec4 q = c->points[i < n ? i : n - 1];
        if (i > span) q = c->points[i - 1];
        if (i + p > span && i <= span) {
            double left = c->axis.knots[i], share = (u - left) / (c->axis.knots[i + p] - left);
            q = kin_v4_mix(c->points[i - 1], 1 - share, c->points[i], share);
        }
        g->points[i] = kin_v4_point(q);
        g->weights[i] = q.w;
    }
}

kin_result kin_nurbs_curve_insert(const kin_nurbs_curve* c, double u, kin_nurbs_curve** out, kin_error* error)
{
    *out = NULL;
    if (c->axis.periodic) return kin_fail(error, KIN_ERROR_ARGUMENT, "curve", "knots of periodic curves are not inserted one by one");
    if (!(u > c->axis.begin && u < c->axis.end))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "u", "is %g; must be between %g and %g", u, c->axis.begin, c->axis.end);
    size_t n = (size_t)c->axis.count + 1, knots = n + (size_t)c->axis.degree + 1, bytes = n * (sizeof(kin_vec3) + sizeof(double)) + knots * sizeof(double);
    kin_vec3* block = kin_alloc(&c->allocator, bytes);
    if (block == NULL) return kin_fail_memory(error, "a curve", bytes);
    growing g = {(double*)(block + n) + n, block, (double*)(block + n)};
    insert(c, u, &g);
    kin_nurbs_curve_def def = {{c->axis.degree, (uint32_t)n, g.knots, false}, g.points, g.weights};
    kin_result result = kin_nurbs_curve_create(&c->allocator, &def, out, error);
    kin_free(&c->allocator, block, bytes);
    return result;
}
