/* surface.c - NURBS surfaces: making, points, derivatives, normals. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/nurbs/spline.h"

static size_t piece_bytes(const kin_nurbs_surface* s)
{
    size_t row = ((size_t)s->u.degree + 1) * ((size_t)s->v.degree + 1) * sizeof *s->pieces;
    return kin_bytes((size_t)s->u.span_count * s->v.span_count, row);
}
static size_t point_bytes(const kin_nurbs_surface* s) { return kin_bytes((size_t)s->u.count * s->v.count, sizeof *s->points); }

/* Bezier points of a pair of spans: along u, then along v. */
static void make_piece(const kin_nurbs_surface* s, uint32_t span_u, uint32_t span_v, kin_vec4* out)
{
    size_t p = (size_t)s->u.degree + 1, q = (size_t)s->v.degree + 1;
    for (size_t j = 0; j < q; ++j) kin_nurbs_to_bezier(&s->u, span_u, s->points + (span_v + 1 - q + j) * s->u.count + (span_u + 1 - p), out + j * p);
    for (size_t i = 0; i < p; ++i) {
        kin_vec4 column[KIN_NURBS_ROW], bezier[KIN_NURBS_ROW];
        for (size_t j = 0; j < q; ++j) column[j] = out[j * p + i];
        kin_nurbs_to_bezier(&s->v, span_v, column, bezier);
        for (size_t j = 0; j < q; ++j) out[j * p + i] = bezier[j];
    }
}

static void fill(kin_nurbs_surface* s, const kin_nurbs_surface_def* def)
{
    size_t piece = ((size_t)s->u.degree + 1) * ((size_t)s->v.degree + 1);
    for (uint32_t j = 0; j < s->v.count; ++j) {
        for (uint32_t i = 0; i < s->u.count; ++i) {
            size_t from = (size_t)(j % def->v.count) * def->u.count + i % def->u.count;
            s->points[(size_t)j * s->u.count + i] = kin_v4_lift(def->points[from], def->weights != NULL ? def->weights[from] : 1);
            s->scale = kin_max(s->scale, kin_largest(kin_abs3(def->points[from])));
        }
    }
    for (uint32_t j = 0; j < s->v.span_count; ++j)
        for (uint32_t i = 0; i < s->u.span_count; ++i) make_piece(s, s->u.spans[i], s->v.spans[j], s->pieces + ((size_t)j * s->u.span_count + i) * piece);
}

kin_result kin_nurbs_surface_create(const kin_allocator* allocator, const kin_nurbs_surface_def* def, kin_nurbs_surface** out, kin_error* error)
{
    kin_nurbs_surface* s = kin_alloc_zero(allocator, sizeof *s);
    *out = NULL;
    if (s == NULL) return kin_fail_memory(error, "a surface", sizeof *s);
    s->allocator = *allocator;
    kin_result result = kin_nurbs_axis_init(&s->u, allocator, &def->u, "u", error);
    if (result == KIN_OK) result = kin_nurbs_axis_init(&s->v, allocator, &def->v, "v", error);
    if (result == KIN_OK) result = kin_nurbs_check_points(def->points, def->weights, (size_t)def->u.count * def->v.count, error);
    if (result == KIN_OK) {
        s->points = kin_alloc(allocator, point_bytes(s));
        s->pieces = kin_alloc(allocator, piece_bytes(s));
        if (s->points == NULL || s->pieces == NULL) result = kin_fail_memory(error, "a surface", piece_bytes(s));
    }
    if (result != KIN_OK) return kin_nurbs_surface_destroy(s), result;
    fill(s, def);
    *out = s;
    return KIN_OK;
}

void kin_nurbs_surface_destroy(kin_nurbs_surface* s)
{
    if (s == NULL) return;
    kin_allocator allocator = s->allocator;
    kin_free(&allocator, s->points, point_bytes(s));
    kin_free(&allocator, s->pieces, piece_bytes(s));
    kin_nurbs_axis_term(&s->u, &allocator);
    kin_nurbs_axis_term(&s->v, &allocator);
    kin_free(&allocator, s, sizeof *s);
}

/* a[k][l]: the homogeneous derivative, k times by u, l times by v, k + l <= order. */
static void homogeneous(const kin_nurbs_surface* s, double u, double v, int order, kin_vec4 a[3][3])
{
    kin_vec4 along_u[3], columns[3][KIN_NURBS_ROW];
    u = kin_nurbs_axis_hold(&s->u, u), v = kin_nurbs_axis_hold(&s->v, v);
    uint32_t i = kin_nurbs_axis_span(&s->u, u), j = kin_nurbs_axis_span(&s->v, v);
    const kin_vec4* corner = s->points + (size_t)(j - (uint32_t)s->v.degree) * s->u.count + (i - (uint32_t)s->u.degree);
    for (int row = 0; row <= s->v.degree; ++row) {
        kin_nurbs_local(&s->u, i, u, corner + (size_t)row * s->u.count, order, along_u);
        for (int k = 0; k <= order; ++k) columns[k][row] = along_u[k];
    }
    for (int k = 0; k <= order; ++k) kin_nurbs_local(&s->v, j, v, columns[k], order - k, a[k]);
}

kin_vec3 kin_nurbs_surface_point(const kin_nurbs_surface* s, double u, double v)
{
    kin_vec4 a[3][3];
    homogeneous(s, u, v, 0, a);
    return kin_v4_point(a[0][0]);
}

/* The quotient rule, as for curves. */
void kin_nurbs_surface_jet(const kin_nurbs_surface* s, double u, double v, kin_nurbs_jet* out)
{
    kin_vec4 a[3][3];
    homogeneous(s, u, v, 2, a);
    double inverse = 1 / a[0][0].w, wu = a[1][0].w, wv = a[0][1].w;
    kin_vec3 at = kin_scale(kin_v4_vector(a[0][0]), inverse);
    kin_vec3 du = kin_scale(kin_add_scaled(kin_v4_vector(a[1][0]), -wu, at), inverse);
    kin_vec3 dv = kin_scale(kin_add_scaled(kin_v4_vector(a[0][1]), -wv, at), inverse);
    kin_vec3 uu = kin_add_scaled(kin_add_scaled(kin_v4_vector(a[2][0]), -2 * wu, du), -a[2][0].w, at);
    kin_vec3 vv = kin_add_scaled(kin_add_scaled(kin_v4_vector(a[0][2]), -2 * wv, dv), -a[0][2].w, at);
    kin_vec3 uv = kin_add_scaled(kin_add_scaled(kin_add_scaled(kin_v4_vector(a[1][1]), -wu, dv), -wv, du), -a[1][1].w, at);
    *out = (kin_nurbs_jet){at, du, dv, kin_scale(uu, inverse), kin_scale(uv, inverse), kin_scale(vv, inverse)};
}

/* Su x Sv, and whether it is long enough to have a direction. */
static bool find_normal(const kin_nurbs_surface* s, double u, double v, kin_vec3* n)
{
    kin_nurbs_jet jet;
    kin_nurbs_surface_jet(s, u, v, &jet);
    double range = (s->u.end - s->u.begin) * (s->v.end - s->v.begin);
    kin_vec3 area = kin_cross(jet.u, jet.v);
    *n = kin_normalize_or(area, kin_v(0, 0, 0));
    return kin_length(area) * range > 1e-11 * s->scale * s->scale;
}

kin_vec3 kin_nurbs_surface_normal(const kin_nurbs_surface* s, double u, double v)
{
    kin_vec3 n;
    u = kin_nurbs_axis_hold(&s->u, u), v = kin_nurbs_axis_hold(&s->v, v);
    if (find_normal(s, u, v, &n)) return n;
    double middle_u = 0.5 * (s->u.begin + s->u.end), middle_v = 0.5 * (s->v.begin + s->v.end), range_u = s->u.end - s->u.begin, range_v = s->v.end - s->v.begin;
    u += (u < middle_u ? 1e-6 : -1e-6) * range_u;
    v += (v < middle_v ? 1e-6 : -1e-6) * range_v;
    find_normal(s, u, v, &n);
    return n;
}
