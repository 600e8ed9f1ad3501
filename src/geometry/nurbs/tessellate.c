/* tessellate.c - a surface as triangles within a tolerance: a grid of parameters, fine enough on each span, whose borders are joined where the surface closes.
 *
 * How fine: a chord is off its arc by h^2 |S''| / 8, of which only what is square to the arc counts; that is sampled, then every edge and cell's middle is checked, and the grid
 * made finer until all hold. */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/nurbs/spline.h"

#define MOST_VERTICES ((size_t)1 << 24)
#define SAMPLES 5
#define ROUNDS 16

typedef struct lines {
    const kin_nurbs_axis* axis;
    uint32_t* parts; /* of each span */
    double* at;      /* count + 1 parameters, with both ends; NULL before they are laid */
    size_t count;
} lines;

typedef struct net {
    const kin_nurbs_surface* s;
    lines u, v;
    bool closed_u, closed_v;
    bool pole[2][2]; /* [0]: rows at v's begin and end are a point; [1]: columns at u's */
    kin_vec3* vertices;
    uint32_t* numbers; /* of the vertex at each crossing of lines */
    uint32_t* corners;
    size_t vertex_count, triangle_count;
} net;

/* ---- how fine ---- */

/* The largest h^2 |S''|, less its part along S', over the pieces of one span of the axis. */
static double bend(const kin_nurbs_surface* s, bool along_u, uint32_t span)
{
    const kin_nurbs_axis *a = along_u ? &s->u : &s->v, *b = along_u ? &s->v : &s->u;
    double most = 0, from = a->knots[a->spans[span]], h = a->knots[a->spans[span] + 1] - from;
    for (uint32_t other = 0; other < b->span_count; ++other) {
        double low = b->knots[b->spans[other]], width = b->knots[b->spans[other] + 1] - low;
        for (int k = 0; k < SAMPLES * SAMPLES; ++k) { /* inside of the span: at its end the next one's derivative would be taken */
            double x = from + h * (k % SAMPLES + 0.5) / SAMPLES, y = low + width * (k / SAMPLES + 0.5) / SAMPLES;
            kin_nurbs_jet d;
            kin_nurbs_surface_jet(s, along_u ? x : y, along_u ? y : x, &d);
            kin_vec3 way = kin_normalize_or(along_u ? d.u : d.v, kin_v(0, 0, 0)), second = along_u ? d.uu : d.vv;
            most = kin_max(most, h * h * kin_length(kin_add_scaled(second, -kin_dot(second, way), way)));
        }
    }
    return most;
}

/* False: out of memory. */
static bool choose_parts(const kin_allocator* allocator, const kin_nurbs_surface* s, bool along_u, double tolerance, lines* l)
{
    l->axis = along_u ? &s->u : &s->v;
    l->parts = kin_alloc(allocator, l->axis->span_count * sizeof *l->parts);
    if (l->parts == NULL) return false;
    double least = kin_ceil(3.0 / l->axis->span_count); /* round a tube three edges at least */
    for (uint32_t i = 0; i < l->axis->span_count; ++i) {
        double parts = kin_ceil(kin_sqrt(bend(s, along_u, i) / (8 * 0.5 * tolerance))); /* half for each direction */
        l->parts[i] = (uint32_t)kin_clamp(parts, least, 1e7);
    }
    return true;
}

static size_t count_lines(lines* l)
{
    l->count = 0;
    for (uint32_t i = 0; i < l->axis->span_count; ++i) l->count += l->parts[i];
    return l->count;
}

static void lay_lines(lines* l)
{
    size_t n = 0;
    for (uint32_t i = 0; i < l->axis->span_count; ++i) {
        double a = l->axis->knots[l->axis->spans[i]], b = l->axis->knots[l->axis->spans[i] + 1];
        for (uint32_t k = 0; k < l->parts[i]; ++k) l->at[n++] = kin_mix(a, b, (double)k / l->parts[i]);
    }
    l->at[n] = l->axis->end;
}

/* ---- how it closes ---- */

/* The control point of a border: [side] of u or v, the k-th along it. All borders are those of Bezier pieces, whatever the knots. */
static kin_vec4 border(const kin_nurbs_surface* s, bool of_u, int side, size_t k)
{
    size_t p = (size_t)s->u.degree + 1, q = (size_t)s->v.degree + 1, run = of_u ? q : p, piece = k / run, within = k % run;
    size_t i = of_u ? (side ? s->u.span_count - 1 : 0) : piece, j = of_u ? piece : (side ? s->v.span_count - 1 : 0);
    size_t a = of_u ? (side ? p - 1 : 0) : within, b = of_u ? within : (side ? q - 1 : 0);
    return s->pieces[(j * s->u.span_count + i) * p * q + b * p + a];
}
static size_t border_length(const kin_nurbs_surface* s, bool of_u)
{
    return of_u ? (size_t)s->v.span_count * ((size_t)s->v.degree + 1) : (size_t)s->u.span_count * ((size_t)s->u.degree + 1);
}

/* Both borders are one curve: the same points with weights in one proportion. */
static bool borders_meet(const kin_nurbs_surface* s, bool of_u)
{
    double factor = border(s, of_u, 1, 0).w / border(s, of_u, 0, 0).w;
    for (size_t k = 0; k < border_length(s, of_u); ++k) {
        kin_vec4 a = border(s, of_u, 0, k), b = border(s, of_u, 1, k);
        if (kin_distance(kin_v4_point(a), kin_v4_point(b)) > 1e-12 * s->scale || kin_abs(b.w - factor * a.w) > 1e-12 * b.w) return false;
    }
    return true;
}

static bool border_is_point(const kin_nurbs_surface* s, bool of_u, int side)
{
    for (size_t k = 1; k < border_length(s, of_u); ++k)
        if (kin_distance(kin_v4_point(border(s, of_u, side, 0)), kin_v4_point(border(s, of_u, side, k))) > 1e-12 * s->scale) return false;
    return true;
}

static void find_joints(net* n)
{
    for (int side = 0; side < 2; ++side) n->pole[0][side] = border_is_point(n->s, false, side), n->pole[1][side] = border_is_point(n->s, true, side);
    n->closed_u = borders_meet(n->s, true);
    n->closed_v = borders_meet(n->s, false);
}

/* ---- vertices ---- */

/* The crossing that stands for this one. */
static size_t crossing(const net* n, size_t i, size_t j)
{
    if (n->closed_u && i == n->u.count) i = 0;
    if (n->closed_v && j == n->v.count) j = 0;
    if ((j == 0 && n->pole[0][0]) || (j == n->v.count && n->pole[0][1])) i = 0;
    if ((i == 0 && n->pole[1][0]) || (i == n->u.count && n->pole[1][1])) j = 0;
    return j * (n->u.count + 1) + i;
}

static void place_vertices(net* n)
{
    n->vertex_count = 0;
    for (size_t j = 0; j <= n->v.count; ++j) {
        for (size_t i = 0; i <= n->u.count; ++i) {
            size_t self = j * (n->u.count + 1) + i;
            if (crossing(n, i, j) != self) continue;
            n->numbers[self] = (uint32_t)n->vertex_count;
            n->vertices[n->vertex_count++] = kin_nurbs_surface_point(n->s, n->u.at[i], n->v.at[j]);
        }
    }
}

static kin_vec3 vertex(const net* n, size_t i, size_t j) { return n->vertices[n->numbers[crossing(n, i, j)]]; }

static kin_vec3 midway(const net* n, size_t i0, size_t j0, size_t i1, size_t j1)
{
    return kin_nurbs_surface_point(n->s, 0.5 * (n->u.at[i0] + n->u.at[i1]), 0.5 * (n->v.at[j0] + n->v.at[j1]));
}

/* How far the surface is from an edge, midway. */
static double edge_sag(const net* n, size_t i0, size_t j0, size_t i1, size_t j1)
{
    kin_vec3 a = vertex(n, i0, j0), along = kin_sub(vertex(n, i1, j1), a), x = kin_sub(midway(n, i0, j0, i1, j1), a);
    double square = kin_length2(along), s = square > 0 ? kin_clamp(kin_dot(x, along) / square, 0, 1) : 0;
    return kin_length(kin_add_scaled(x, -s, along));
}

/* And from the two triangles of a cell, in its middle. */
static double cell_sag(const net* n, size_t i, size_t j)
{
    kin_feature feature;
    kin_vec3 x = midway(n, i, j, i + 1, j + 1), a = vertex(n, i, j), c = vertex(n, i + 1, j + 1);
    double first = kin_distance(x, kin_closest_on_triangle(a, vertex(n, i + 1, j), c, x, &feature));
    return kin_min(first, kin_distance(x, kin_closest_on_triangle(a, c, vertex(n, i, j + 1), x, &feature)));
}

/* The worst over edges along u, along v, and cells. */
static void measure(const net* n, double worst[3])
{
    worst[0] = worst[1] = worst[2] = 0;
    for (size_t j = 0; j <= n->v.count; ++j) {
        for (size_t i = 0; i <= n->u.count; ++i) {
            if (i < n->u.count) worst[0] = kin_max(worst[0], edge_sag(n, i, j, i + 1, j));
            if (j < n->v.count) worst[1] = kin_max(worst[1], edge_sag(n, i, j, i, j + 1));
            if (i < n->u.count && j < n->v.count) worst[2] = kin_max(worst[2], cell_sag(n, i, j));
        }
    }
}

static void make_finer(lines* l)
{
    for (uint32_t i = 0; i < l->axis->span_count; ++i) l->parts[i] += (l->parts[i] + 3) / 4;
}

static void add_triangle(net* n, size_t a, size_t b, size_t c)
{
    uint32_t corner[3] = {n->numbers[a], n->numbers[b], n->numbers[c]};
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) return;
    for (int k = 0; k < 3; ++k) n->corners[3 * n->triangle_count + (size_t)k] = corner[k];
    n->triangle_count += 1;
}

static void join(net* n)
{
    n->triangle_count = 0;
    for (size_t j = 0; j < n->v.count; ++j) {
        for (size_t i = 0; i < n->u.count; ++i) {
            size_t a = crossing(n, i, j), b = crossing(n, i + 1, j), c = crossing(n, i + 1, j + 1), d = crossing(n, i, j + 1);
            add_triangle(n, a, b, c);
            add_triangle(n, a, c, d);
        }
    }
}

/* ---- rounds ---- */

static size_t net_bytes(const net* n)
{
    size_t crossings = (n->u.count + 1) * (n->v.count + 1);
    return (n->u.count + n->v.count + 2) * sizeof(double) + crossings * (sizeof(kin_vec3) + sizeof(uint32_t)) + 6 * crossings * sizeof(uint32_t);
}

/* One grid, in one block of memory; *worst says how good it is, and it becomes a mesh if that is good enough. */
static kin_result try_grid(const kin_allocator* allocator, net* n, double tolerance, double worst[3], kin_mesh** out, kin_error* error)
{
    double sides[2] = {(double)count_lines(&n->u), (double)count_lines(&n->v)};
    if (sides[0] * sides[1] > (double)MOST_VERTICES)
        return kin_fail(error, KIN_ERROR_LIMIT, "tolerance", "%g m would take %.0f x %.0f cells, more than %zu in all", tolerance, sides[0], sides[1],
                        MOST_VERTICES);
    size_t bytes = net_bytes(n), crossings = (n->u.count + 1) * (n->v.count + 1);
    kin_vec3* block = kin_alloc(allocator, bytes);
    if (block == NULL) return kin_fail_memory(error, "a tessellation", bytes);
    n->vertices = block;
    n->u.at = (double*)(block + crossings);
    n->v.at = n->u.at + n->u.count + 1;
    n->numbers = (uint32_t*)(n->v.at + n->v.count + 1);
    n->corners = n->numbers + crossings;
    lay_lines(&n->u);
    lay_lines(&n->v);
    place_vertices(n);
    measure(n, worst);
    kin_result result = KIN_OK;
    if (kin_max(worst[0], kin_max(worst[1], worst[2])) <= tolerance) {
        join(n);
        kin_mesh_view view = {n->vertices, n->vertex_count, NULL, n->corners, n->triangle_count};
        result = kin_mesh_create(allocator, &view, out, error);
    }
    kin_free(allocator, block, bytes);
    return result;
}

kin_result kin_nurbs_mesh(const kin_allocator* allocator, const kin_nurbs_surface* s, double tolerance, kin_mesh** out, kin_error* error)
{
    net n = {.s = s};
    *out = NULL;
    if (!(tolerance > 1e-12 * s->scale && kin_finite(tolerance)))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "tolerance", "is %g m; must be more than 1e-12 of the surface's size", tolerance);
    kin_result result = KIN_OK;
    if (!choose_parts(allocator, s, true, tolerance, &n.u) || !choose_parts(allocator, s, false, tolerance, &n.v))
        result = kin_fail_memory(error, "a tessellation", s->u.span_count * sizeof *n.u.parts);
    find_joints(&n);
    for (int round = 0; round < ROUNDS && result == KIN_OK && *out == NULL; ++round) {
        double worst[3] = {0};
        result = try_grid(allocator, &n, tolerance, worst, out, error);
        if (result != KIN_OK || *out != NULL) break;
        bool both = worst[0] <= tolerance && worst[1] <= tolerance; /* then it is the middles of cells */
        if (worst[0] > tolerance || both) make_finer(&n.u);
        if (worst[1] > tolerance || both) make_finer(&n.v);
    }
    if (result == KIN_OK && *out == NULL) result = kin_fail(error, KIN_ERROR_NUMERICS, "tolerance", "%g m is not reached", tolerance);
    kin_free(allocator, n.u.parts, s->u.span_count * sizeof *n.u.parts);
    kin_free(allocator, n.v.parts, s->v.span_count * sizeof *n.v.parts);
    return result;
}
