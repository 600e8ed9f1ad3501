/* boxes.c - two boxes: the axis of least separation among fifteen, then the faces clipped against each other, or two edges. The general way (manifold/) takes
 * twice as long; boxes are what stacks are made of. An axis that parted them before is tried first. Where what is deepest lies beside the face it is deep under, or
 * past the end of an edge, the axis is not where they touch, and the general way is asked. */
#include "collision/manifold/face.h"
#include "contact/realtime/narrow.h"

#define FACE_OF_B                                                                                                                                              \
    1e-3 /* of the least half extent: B's faces have to be better by this than A's, so that the choice does not flicker; and no deepest point is missed by more */
#define EDGES 5e-3    /* and edges than faces */
#define PARALLEL 1e-4 /* sine squared: edges nearer to parallel make no axis */

enum { ROOM = 10 }; /* a quadrangle cut by four sides has eight corners at most */

typedef struct boxes {
    const kin_rt_solid *a, *b;
    double d[3];             /* B's centre from A's, world */
    double da[3], db[3];     /* the same along A's and along B's axes */
    double c[3][3], q[3][3]; /* A's axes along B's, and their sizes */
    double margin, thin;     /* thin: the least half extent */
} boxes;

static double dot(const double* x, const double* y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }
static double size(double x) { return kin_abs(x); }

/* Gap along a face normal of A, or of B. */
static double face_gap_a(const boxes* x, int i)
{
    const double *ha = x->a->half, *hb = x->b->half;
    return size(x->da[i]) - (ha[i] + hb[0] * x->q[i][0] + hb[1] * x->q[i][1] + hb[2] * x->q[i][2]);
}
static double face_gap_b(const boxes* x, int j)
{
    const double *ha = x->a->half, *hb = x->b->half;
    return size(x->db[j]) - (hb[j] + ha[0] * x->q[0][j] + ha[1] * x->q[1][j] + ha[2] * x->q[2][j]);
}

/* The one axis that parted them last: a few products where all the rest takes hundreds. */
static bool still_apart(const boxes* x, unsigned axis, double* gap)
{
    if (axis == 0 || axis > 6) return false;
    int k = (int)(axis - 1) % 3;
    const kin_rt_solid *own = axis <= 3 ? x->a : x->b, *other = axis <= 3 ? x->b : x->a;
    double reach = own->half[k];
    for (int j = 0; j < 3; ++j) reach += other->half[j] * size(dot(own->axis[k], other->axis[j]));
    *gap = size(dot(own->axis[k], x->d)) - reach;
    return *gap > x->margin;
}

typedef struct best_axis {
    int face; /* 0..2 of A, 3..5 of B */
    double gap;
    int edge; /* 3 i + j; -1: none */
    double edge_gap;
    double normal[3]; /* of the edges, from A to B */
    double apart;     /* by the axis that parts them */
} best_axis;

static void turn_axes(boxes* x)
{
    for (int i = 0; i < 3; ++i) {
        x->da[i] = dot(x->a->axis[i], x->d), x->db[i] = dot(x->b->axis[i], x->d);
        for (int j = 0; j < 3; ++j) {
            x->c[i][j] = dot(x->a->axis[i], x->b->axis[j]);
            x->q[i][j] = size(x->c[i][j]);
        }
    }
}

/* False: an axis parts them, and is remembered. */
static bool try_faces(const boxes* x, uint8_t* axis, best_axis* best)
{
    best->gap = -1e300;
    for (int i = 0; i < 3; ++i) {
        double gap = face_gap_a(x, i);
        if (gap > x->margin) return *axis = (uint8_t)(1 + i), best->apart = gap, false;
        if (gap > best->gap) best->gap = gap, best->face = i;
    }
    for (int j = 0; j < 3; ++j) {
        double gap = face_gap_b(x, j);
        if (gap > x->margin) return *axis = (uint8_t)(4 + j), best->apart = gap, false;
        if (gap > best->gap + FACE_OF_B * x->thin) best->gap = gap, best->face = 3 + j;
    }
    return true;
}

static void cross(const double* x, const double* y, double scale, double* out)
{
    out[0] = (x[1] * y[2] - x[2] * y[1]) * scale, out[1] = (x[2] * y[0] - x[0] * y[2]) * scale, out[2] = (x[0] * y[1] - x[1] * y[0]) * scale;
}

static bool try_edges(const boxes* x, best_axis* best)
{
    const double *ha = x->a->half, *hb = x->b->half;
    best->edge = -1;
    best->edge_gap = -1e300;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double square = 1 - x->c[i][j] * x->c[i][j];
            if (square < PARALLEL) continue;
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double along = x->da[i2] * x->c[i1][j] - x->da[i1] * x->c[i2][j];
            double reach = ha[i1] * x->q[i2][j] + ha[i2] * x->q[i1][j] + hb[j1] * x->q[i][j2] + hb[j2] * x->q[i][j1];
            double scale = 1 / kin_sqrt(square), gap = (size(along) - reach) * scale;
            if (gap > x->margin) return best->apart = gap, false;
            if (gap <= best->edge_gap) continue;
            best->edge_gap = gap, best->edge = 3 * i + j;
            cross(x->a->axis[i], x->b->axis[j], along >= 0 ? scale : -scale, best->normal);
        }
    }
    return true;
}

/* The edge of a box farthest along a direction: its middle, from the box's centre. */
static void edge_middle(const kin_rt_solid* s, int edge, const double* along, double sign, double* out)
{
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 3; ++k) {
        if (k == edge) continue;
        double h = sign * dot(along, s->axis[k]) > 0 ? s->half[k] : -s->half[k];
        for (int e = 0; e < 3; ++e) out[e] += h * s->axis[k][e];
    }
}

/* False: they pass each other past the end of one. */
static bool touch_edges(const boxes* x, const best_axis* best, kin_manifold* out)
{
    double n[3] = {best->normal[0], best->normal[1], best->normal[2]}, pa[3], pb[3], e[3], middle[3];
    if (dot(n, x->d) < 0) n[0] = -n[0], n[1] = -n[1], n[2] = -n[2];
    int i = best->edge / 3, j = best->edge % 3;
    edge_middle(x->a, i, n, 1, pa);
    edge_middle(x->b, j, n, -1, pb);
    const double *u = x->a->axis[i], *w = x->b->axis[j];
    for (int k = 0; k < 3; ++k) pb[k] += x->d[k], e[k] = pb[k] - pa[k];
    double uw = dot(u, w), ue = dot(u, e), we = dot(w, e), scale = 1 / (1 - uw * uw), s = (ue - uw * we) * scale, t = (uw * ue - we) * scale;
    s = kin_clamp(s, -x->a->half[i], x->a->half[i]), t = kin_clamp(t, -x->b->half[j], x->b->half[j]);
    for (int k = 0; k < 3; ++k) {
        e[k] = pb[k] + t * w[k] - pa[k] - s * u[k];
        middle[k] = pa[k] + s * u[k] + 0.5 * e[k];
    }
    if (dot(e, e) > kin_square(size(best->edge_gap) + FACE_OF_B * x->thin)) return false;
    out->normal = kin_v(-n[0], -n[1], -n[2]);
    out->count = 1;
    out->points[0] = (kin_manifold_point){kin_v(x->a->place.x + middle[0], x->a->place.y + middle[1], x->a->place.z + middle[2]), best->edge_gap, 0};
    return true;
}

/* ---- faces ---- */

typedef struct corner {
    double u, v, gap; /* along the two sides of the reference face, and above it */
} corner;

/* Which part of a polygon is on the inner side of sign * (u or v) = limit. */
static int cut(const corner* from, int count, int side, double sign, double limit, corner* to)
{
    int kept = 0;
    const corner* a = &from[count - 1];
    double before = sign * (side ? a->v : a->u) - limit;
    for (int k = 0; k < count && kept < ROOM - 1; ++k) {
        const corner* b = &from[k];
        double now = sign * (side ? b->v : b->u) - limit;
        if ((before <= 0) != (now <= 0)) {
            double t = before / (before - now);
            to[kept++] = (corner){a->u + t * (b->u - a->u), a->v + t * (b->v - a->v), a->gap + t * (b->gap - a->gap)};
        }
        if (now <= 0) to[kept++] = *b;
        before = now, a = b;
    }
    return kept;
}

typedef struct reference {
    const kin_rt_solid *own, *other;
    int face, u, v;
    double n[3];    /* out of the reference box */
    double away[3]; /* the other's centre from its own */
} reference;

/* The other box's face that looks most against n: four corners over the reference face. */
static void incident(const reference* r, corner* out)
{
    const kin_rt_solid *own = r->own, *other = r->other;
    int face = 0;
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        double c = dot(r->n, other->axis[k]);
        if (size(c) > size(most) + 1e-9) most = c, face = k;
    }
    double depth = most > 0 ? -other->half[face] : other->half[face], at[3];
    int s = (face + 1) % 3, t = (face + 2) % 3;
    for (int e = 0; e < 3; ++e) at[e] = r->away[e] + depth * other->axis[face][e];
    const double *u = own->axis[r->u], *v = own->axis[r->v], *x = other->axis[s], *y = other->axis[t];
    double hs = other->half[s], ht = other->half[t], cu = dot(at, u), cv = dot(at, v), cn = dot(at, r->n) - own->half[r->face];
    double su = hs * dot(x, u), sv = hs * dot(x, v), sn = hs * dot(x, r->n), tu = ht * dot(y, u), tv = ht * dot(y, v), tn = ht * dot(y, r->n);
    out[0] = (corner){cu + su + tu, cv + sv + tv, cn + sn + tn};
    out[1] = (corner){cu - su + tu, cv - sv + tv, cn - sn + tn};
    out[2] = (corner){cu - su - tu, cv - sv - tv, cn - sn - tn};
    out[3] = (corner){cu + su - tu, cv + sv - tv, cn + sn - tn};
}

static reference reference_of(const boxes* x, int face)
{
    bool of_a = face < 3;
    reference r = {of_a ? x->a : x->b, of_a ? x->b : x->a, of_a ? face : face - 3, .n = {0}};
    double along = of_a ? x->da[r.face] : -x->db[r.face], sign = along >= 0 ? 1 : -1;
    for (int e = 0; e < 3; ++e) {
        r.n[e] = sign * r.own->axis[r.face][e];
        r.away[e] = of_a ? x->d[e] : -x->d[e];
    }
    r.u = (r.face + 1) % 3, r.v = (r.face + 2) % 3;
    return r;
}

static int clip(const reference* r, double margin, corner* near)
{
    corner one[ROOM], two[ROOM];
    incident(r, one);
    int count = cut(one, 4, 0, 1, r->own->half[r->u], two);
    if (count > 0) count = cut(two, count, 0, -1, r->own->half[r->u], one);
    if (count > 0) count = cut(one, count, 1, 1, r->own->half[r->v], two);
    if (count > 0) count = cut(two, count, 1, -1, r->own->half[r->v], one);
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        if (one[k].gap <= margin) near[kept++] = one[k];
    }
    return kept;
}

/* The face that looks most against n holds the corner that is deepest: that one is lost only where it lies beside the reference face. Within the margin of that it may
 * be over it before the interval ends, and is taken at its rim. Farther off it is no contact: then what is over the face is all there is. False: nothing is. */
static bool add_deepest(const reference* r, double gap, double slack, double margin, corner* near, int* count)
{
    for (int k = 0; k < *count; ++k) {
        if (near[k].gap <= gap + slack) return true;
    }
    double at[3] = {r->away[0], r->away[1], r->away[2]};
    for (int k = 0; k < 3; ++k) {
        double h = dot(r->n, r->other->axis[k]) > 0 ? -r->other->half[k] : r->other->half[k];
        for (int e = 0; e < 3; ++e) at[e] += h * r->other->axis[k][e];
    }
    double hu = r->own->half[r->u], hv = r->own->half[r->v], u = dot(at, r->own->axis[r->u]), v = dot(at, r->own->axis[r->v]);
    double at_u = kin_clamp(u, -hu, hu), at_v = kin_clamp(v, -hv, hv);
    if (kin_square(u - at_u) + kin_square(v - at_v) > kin_square(margin) - kin_square(kin_max(gap, 0))) return *count > 0;
    near[(*count)++] = (corner){at_u, at_v, gap};
    return true;
}

/* False: the axis is not where they touch. */
static bool touch_faces(const boxes* x, const best_axis* best, kin_manifold* out)
{
    reference r = reference_of(x, best->face);
    corner near[ROOM];
    int count = clip(&r, x->margin, near);
    if (!add_deepest(&r, best->gap, FACE_OF_B * x->thin, x->margin, near, &count)) return false;
    kin_touches touches;
    for (touches.count = 0; touches.count < count; ++touches.count) {
        const corner* c = &near[touches.count];
        double up = r.own->half[r.face] + 0.5 * c->gap, p[3];
        for (int e = 0; e < 3; ++e) p[e] = r.own->axis[r.u][e] * c->u + r.own->axis[r.v][e] * c->v + r.n[e] * up;
        const kin_vec3 at = kin_v(r.own->place.x + p[0], r.own->place.y + p[1], r.own->place.z + p[2]);
        touches.points[touches.count] = (kin_manifold_point){at, c->gap, (uint32_t)touches.count};
    }
    double flip = best->face < 3 ? -1 : 1; /* from B to A */
    kin_touches_reduce(&touches, kin_v(flip * r.n[0], flip * r.n[1], flip * r.n[2]), out);
    return true;
}

static double least_half(const kin_rt_solid* s) { return kin_min(s->half[0], kin_min(s->half[1], s->half[2])); }

kin_rt_meet kin_rt_collide_boxes(const kin_rt_solid* a, const kin_rt_solid* b, double margin, uint8_t* axis, kin_manifold* out, double* gap)
{
    boxes x = {.a = a, .b = b, .d = {b->place.x - a->place.x, b->place.y - a->place.y, b->place.z - a->place.z}, .margin = margin};
    if (still_apart(&x, *axis, gap)) return KIN_RT_APART;
    best_axis best = {.edge = -1};
    x.thin = kin_min(least_half(a), least_half(b));
    turn_axes(&x);
    if (!try_faces(&x, axis, &best) || !try_edges(&x, &best)) return *gap = best.apart, KIN_RT_APART;
    *axis = 0;
    bool faces = best.edge < 0 || best.edge_gap <= best.gap + EDGES * x.thin || best.edge_gap <= 0.5 * best.gap;
    if (faces && touch_faces(&x, &best, out)) return KIN_RT_MEET;
    if (best.edge >= 0 && best.edge_gap > best.gap && touch_edges(&x, &best, out)) return KIN_RT_MEET;
    return KIN_RT_UNSURE;
}
