/* closest.c - the point of a curve or surface nearest to another: branch and bound, with Newton's method to lower the mark early.
 *
 * Of a Bezier piece with homogeneous points A_i, w_i the squared distance from x is a quotient of two polynomials in Bernstein form: of |A - w x|^2 and w^2.
 * With positive coefficients below, the least quotient of two coefficients bounds it, and the bound closes with the square of the piece's size: what cannot
 * beat the best is gone after a few halvings. A curve is a surface of degree 0 across. */
#include "geometry/nurbs/spline.h"
#include <string.h>

#define STACK 256
#define PATCH (KIN_NURBS_ROW * KIN_NURBS_ROW)
#define SLACK 1e-12      /* of squares: how much nearer than the best another place must be to be looked for */
#define SLACK_SIZE 1e-26 /* of the size, squared */
#define NARROW 1e-13     /* of a piece: not halved any more */

typedef void jet_fn(const void* self, double u, double v, kin_nurbs_jet* out);

typedef struct search {
    const kin_nurbs_axis *u, *v; /* v NULL: a curve */
    const kin_vec4* pieces;
    const void* self;
    jet_fn* jet;
    kin_vec3 x;
    double floor; /* m^2: as good as zero */
    double best;  /* m^2 */
    double open;  /* m^2: the least bound of what was given up unfinished */
    kin_nurbs_near near;
} search;

typedef struct part {
    uint32_t i, j;          /* spans */
    double low[2], high[2]; /* of the piece, in [0, 1] */
    double lower;           /* m^2 */
} part;

static double parameter(const kin_nurbs_axis* a, uint32_t span, double s)
{
    if (a == NULL) return 0;
    return kin_mix(a->knots[a->spans[span]], a->knots[a->spans[span] + 1], s);
}

static void offer(search* f, double u, double v, kin_vec3 point)
{
    double square = kin_length2(kin_sub(point, f->x));
    if (!(square < f->best)) return;
    f->best = square;
    f->near.u = u, f->near.v = v, f->near.point = point;
}

/* ---- Newton ---- */

/* May the parameter go against the gradient? Not out over an end. */
static bool is_free(const kin_nurbs_axis* a, double at, double gradient)
{
    if (a == NULL) return false;
    return a->periodic || !((at <= a->begin && gradient > 0) || (at >= a->end && gradient < 0));
}

/* The step that the quadratic model of |S - x|^2 / 2 asks for; without the curvature term where that is no valley. */
static void newton_step(const kin_nurbs_jet* d, kin_vec3 r, bool free_u, bool free_v, double step[2])
{
    double gu = free_u ? kin_dot(r, d->u) : 0, gv = free_v ? kin_dot(r, d->v) : 0;
    double uu = kin_dot(d->u, d->u), vv = kin_dot(d->v, d->v), uv = free_u && free_v ? kin_dot(d->u, d->v) : 0;
    double a = uu + kin_dot(r, d->uu), b = free_u && free_v ? uv + kin_dot(r, d->uv) : 0, c = vv + kin_dot(r, d->vv);
    if (!free_u) a = uu = 1;
    if (!free_v) c = vv = 1;
    if (!(a > 0 && c > 0 && a * c - b * b > 1e-9 * a * c)) a = uu, b = uv, c = vv;
    double det = a * c - b * b;
    if (!(det > 1e-12 * a * c)) b = 0, det = a * c;
    step[0] = det > 0 ? (b * gv - c * gu) / det : 0;
    step[1] = det > 0 ? (b * gu - a * gv) / det : 0;
}

static void polish(search* f, double u, double v)
{
    kin_nurbs_jet d;
    f->jet(f->self, u, v, &d);
    offer(f, u, v, d.at);
    for (int iteration = 0; iteration < 40 && f->best > f->floor; ++iteration) {
        kin_vec3 r = kin_sub(d.at, f->x);
        double step[2], value = kin_length2(r), tried = value;
        newton_step(&d, r, is_free(f->u, u, kin_dot(r, d.u)), is_free(f->v, v, kin_dot(r, d.v)), step);
        double next_u = u, next_v = v;
        for (double part_of = 1; part_of > 1e-3 && !(tried < value); part_of *= 0.5) {
            next_u = kin_nurbs_axis_hold(f->u, u + part_of * step[0]);
            next_v = f->v != NULL ? kin_nurbs_axis_hold(f->v, v + part_of * step[1]) : 0;
            f->jet(f->self, next_u, next_v, &d);
            tried = kin_length2(kin_sub(d.at, f->x));
        }
        if (!(tried < value)) return;
        u = next_u, v = next_v;
        offer(f, u, v, d.at);
    }
}

/* ---- bounds ---- */

static const double* binomials(int n)
{
    static const double rows[KIN_NURBS_ROW][KIN_NURBS_ROW] = {{1},
                                                              {1, 1},
                                                              {1, 2, 1},
                                                              {1, 3, 3, 1},
                                                              {1, 4, 6, 4, 1},
                                                              {1, 5, 10, 10, 5, 1},
                                                              {1, 6, 15, 20, 15, 6, 1},
                                                              {1, 7, 21, 35, 35, 21, 7, 1},
                                                              {1, 8, 28, 56, 70, 56, 28, 8, 1}};
    return rows[n];
}

/* The control points of a part, u fastest. */
static void points_of(const search* f, const part* p, kin_vec4* out)
{
    size_t rows = f->v != NULL ? (size_t)f->v->degree + 1 : 1, columns = (size_t)f->u->degree + 1;
    memcpy(out, f->pieces + ((size_t)p->j * f->u->span_count + p->i) * rows * columns, rows * columns * sizeof *out);
    for (size_t j = 0; j < rows; ++j) kin_nurbs_bezier_part(out + j * columns, 1, f->u->degree, p->low[0], p->high[0]);
    for (size_t i = 0; i < columns && rows > 1; ++i) kin_nurbs_bezier_part(out + i, columns, f->v->degree, p->low[1], p->high[1]);
}

/* Least quotient of the coefficients of |A - w x|^2 and w^2. Both lack the same factor, so it may be left out. */
static double least_quotient(const kin_vec4* a, int p, int q, kin_vec3 x)
{
    double above[2 * KIN_NURBS_ROW - 1][2 * KIN_NURBS_ROW - 1] = {{0}}, below[2 * KIN_NURBS_ROW - 1][2 * KIN_NURBS_ROW - 1] = {{0}}, least = 1e300;
    kin_vec4 r[PATCH];
    for (int j = 0, n = 0; j <= q; ++j) {
        for (int i = 0; i <= p; ++i, ++n) {
            double c = binomials(p)[i] * binomials(q)[j];
            kin_vec3 d = kin_add_scaled(kin_v4_vector(a[n]), -a[n].w, x);
            r[n] = (kin_vec4){c * d.x, c * d.y, c * d.z, c * a[n].w};
        }
    }
    int count = (p + 1) * (q + 1);
    for (int m = 0; m < count; ++m) {
        for (int n = m; n < count; ++n) { /* each pair once, twice as heavy */
            int i = m % (p + 1) + n % (p + 1), j = m / (p + 1) + n / (p + 1);
            double twice = m == n ? 1 : 2;
            above[j][i] += twice * (r[m].x * r[n].x + r[m].y * r[n].y + r[m].z * r[n].z);
            below[j][i] += twice * r[m].w * r[n].w;
        }
    }
    for (int j = 0; j <= 2 * q; ++j)
        for (int i = 0; i <= 2 * p; ++i) least = kin_min(least, above[j][i] / below[j][i]);
    return kin_max(least, 0);
}

/* Bounds a part, and offers its corners, which are control points. */
static void bound(search* f, part* p)
{
    kin_vec4 a[PATCH];
    int degree_u = f->u->degree, degree_v = f->v != NULL ? f->v->degree : 0;
    points_of(f, p, a);
    for (int k = 0; k < (f->v != NULL ? 4 : 2); ++k) {
        int i = k % 2 * degree_u, j = k / 2 * degree_v;
        double s = k % 2 ? p->high[0] : p->low[0], t = k / 2 ? p->high[1] : p->low[1];
        offer(f, parameter(f->u, p->i, s), parameter(f->v, p->j, t), kin_v4_point(a[j * (degree_u + 1) + i]));
    }
    p->lower = least_quotient(a, degree_u, degree_v, f->x);
    f->near.pieces += 1;
}

/* ---- search ---- */

static bool is_hopeless(const search* f, const part* p) { return p->lower >= f->best * (1 - SLACK) - f->floor; }

/* The longer way, in control points' distance: that of the parameter would not know that a pole is short. */
static int longer_side(const search* f, const part* p)
{
    if (f->v == NULL) return 0;
    kin_nurbs_jet d;
    f->jet(f->self, parameter(f->u, p->i, 0.5 * (p->low[0] + p->high[0])), parameter(f->v, p->j, 0.5 * (p->low[1] + p->high[1])), &d);
    double wide = (parameter(f->u, p->i, p->high[0]) - parameter(f->u, p->i, p->low[0])) * kin_length(d.u);
    double tall = (parameter(f->v, p->j, p->high[1]) - parameter(f->v, p->j, p->low[1])) * kin_length(d.v);
    bool narrow_u = p->high[0] - p->low[0] <= NARROW, narrow_v = p->high[1] - p->low[1] <= NARROW;
    return narrow_u || (!narrow_v && tall > wide);
}

static void give_up(search* f, const part* p) { f->open = kin_min(f->open, p->lower); }

static void search_piece(search* f, uint32_t i, uint32_t j)
{
    part stack[STACK];
    int top = 1;
    stack[0] = (part){.i = i, .j = j, .high = {1, 1}};
    bound(f, &stack[0]);
    while (top > 0) {
        part p = stack[--top];
        if (is_hopeless(f, &p)) continue;
        double u = parameter(f->u, p.i, 0.5 * (p.low[0] + p.high[0])), v = parameter(f->v, p.j, 0.5 * (p.low[1] + p.high[1]));
        kin_nurbs_jet d;
        f->jet(f->self, u, v, &d);
        if (kin_length2(kin_sub(d.at, f->x)) < f->best) polish(f, u, v);
        int side = longer_side(f, &p);
        bool too_small = p.high[side] - p.low[side] <= NARROW;
        if (f->best <= f->floor || is_hopeless(f, &p)) continue;
        if (too_small || top + 2 > STACK || f->near.pieces + 2 > KIN_NURBS_PIECES) {
            give_up(f, &p);
            continue;
        }
        part left = p, right = p;
        left.high[side] = right.low[side] = 0.5 * (p.low[side] + p.high[side]);
        bound(f, &left);
        bound(f, &right);
        bool left_first = left.lower <= right.lower;
        stack[top++] = left_first ? right : left;
        stack[top++] = left_first ? left : right;
    }
}

static kin_nurbs_near run(search* f, double scale)
{
    uint32_t across = f->v != NULL ? f->v->span_count : 1;
    f->floor = SLACK_SIZE * scale * scale;
    f->best = f->open = 1e300;
    f->near = (kin_nurbs_near){0};
    double low = 1e300, start[2] = {0, 0};
    for (uint32_t j = 0; j < across; ++j) { /* a start: the nearest of the pieces' middles */
        for (uint32_t i = 0; i < f->u->span_count; ++i) {
            kin_nurbs_jet d;
            double u = parameter(f->u, i, 0.5), v = parameter(f->v, j, 0.5);
            f->jet(f->self, u, v, &d);
            double square = kin_length2(kin_sub(d.at, f->x));
            if (square < low) low = square, start[0] = u, start[1] = v;
        }
    }
    polish(f, start[0], start[1]);
    for (uint32_t j = 0; j < across; ++j)
        for (uint32_t i = 0; i < f->u->span_count; ++i) search_piece(f, i, j);
    f->near.distance = kin_sqrt(f->best);
    f->near.lower = kin_sqrt(kin_max(kin_min(f->open, f->best * (1 - SLACK) - f->floor), 0));
    return f->near;
}

static void curve_jet(const void* self, double u, double v, kin_nurbs_jet* out)
{
    kin_vec3 d[3];
    (void)v;
    kin_nurbs_curve_derivatives(self, u, 2, d);
    *out = (kin_nurbs_jet){.at = d[0], .u = d[1], .uu = d[2]};
}

static void surface_jet(const void* self, double u, double v, kin_nurbs_jet* out) { kin_nurbs_surface_jet(self, u, v, out); }

kin_nurbs_near kin_nurbs_curve_closest(const kin_nurbs_curve* c, kin_vec3 x)
{
    search f = {.u = &c->axis, .pieces = c->pieces, .self = c, .jet = curve_jet, .x = x};
    return run(&f, c->scale);
}

kin_nurbs_near kin_nurbs_surface_closest(const kin_nurbs_surface* s, kin_vec3 x)
{
    search f = {.u = &s->u, .v = &s->v, .pieces = s->pieces, .self = s, .jet = surface_jet, .x = x};
    return run(&f, s->scale);
}
