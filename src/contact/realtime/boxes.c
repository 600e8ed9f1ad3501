/* boxes.c - two boxes: the axis of least separation among fifteen, then the faces clipped against each other, or two edges. The general way (manifold/) takes
 * twice as long; boxes are what stacks are made of. An axis that parted them before is tried first. */
#include "contact/realtime/narrow.h"

#define FACE_OF_B 1e-3 /* of A's first half extent: B's faces have to be better by this than A's, so that the choice does not flicker */
#define EDGES 5e-3     /* and edges than faces */
#define PARALLEL 1e-4  /* sine squared: edges nearer to parallel make no axis */

enum { ROOM = 10 }; /* a quadrangle cut by four sides has eight corners at most */

typedef struct boxes {
    const kin_rt_solid *a, *b;
    double d[3];             /* B's centre from A's, world */
    double da[3], db[3];     /* the same along A's and along B's axes */
    double c[3][3], q[3][3]; /* A's axes along B's, and their sizes */
    double margin;
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
static bool still_apart(const boxes* x, unsigned axis)
{
    if (axis == 0 || axis > 6) return false;
    int k = (int)(axis - 1) % 3;
    const kin_rt_solid *own = axis <= 3 ? x->a : x->b, *other = axis <= 3 ? x->b : x->a;
    double reach = own->half[k];
    for (int j = 0; j < 3; ++j) reach += other->half[j] * size(dot(own->axis[k], other->axis[j]));
    return size(dot(own->axis[k], x->d)) - reach > x->margin;
}

typedef struct best_axis {
    int face; /* 0..2 of A, 3..5 of B */
    double gap;
    int edge; /* 3 i + j; -1: none */
    double edge_gap;
    double normal[3]; /* of the edges, from A to B */
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
        if (gap > x->margin) return *axis = (uint8_t)(1 + i), false;
        if (gap > best->gap) best->gap = gap, best->face = i;
    }
    for (int j = 0; j < 3; ++j) {
        double gap = face_gap_b(x, j);
        if (gap > x->margin) return *axis = (uint8_t)(4 + j), false;
        if (gap > best->gap + FACE_OF_B * x->a->half[0]) best->gap = gap, best->face = 3 + j;
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
            if (gap > x->margin) return false;
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

static void touch_edges(const boxes* x, const best_axis* best, kin_manifold* out)
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
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (pa[k] + s * u[k] + pb[k] + t * w[k]);
    out->normal = kin_v(-n[0], -n[1], -n[2]);
    out->count = 1;
    out->points[0] = (kin_manifold_point){kin_v(x->a->place.x + middle[0], x->a->place.y + middle[1], x->a->place.z + middle[2]), best->edge_gap, 0};
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

/* Of more than four: the outermost one way, the farthest from it, and the widest on either side of the line between. */
static int choose_four(const corner* p, int count, int* four)
{
    if (count <= 4) {
        for (int k = 0; k < count; ++k) four[k] = k;
        return count;
    }
    int a = 0, b = 0, c = -1, d = -1, n = 0;
    double best = -1e300;
    for (int k = 0; k < count; ++k) {
        double q = p[k].u + 0.37 * p[k].v - 0.5 * p[k].gap;
        if (q > best) best = q, a = k;
    }
    best = -1;
    for (int k = 0; k < count; ++k) {
        double q = kin_square(p[k].u - p[a].u) + kin_square(p[k].v - p[a].v);
        if (q > best) best = q, b = k;
    }
    double left = 1e-8, right = -1e-8, u = p[b].u - p[a].u, v = p[b].v - p[a].v;
    for (int k = 0; k < count; ++k) {
        if (k == a || k == b) continue;
        double q = u * (p[k].v - p[a].v) - v * (p[k].u - p[a].u);
        if (q > left) left = q, c = k;
        if (q < right) right = q, d = k;
    }
    four[n++] = a;
    if (c >= 0) four[n++] = c;
    four[n++] = b;
    if (d >= 0) four[n++] = d;
    return n;
}

/* One that is clearly deeper than all chosen takes the last place. */
static int with_deepest(const corner* p, int count, double clearly, int* four, int chosen)
{
    int deepest = 0;
    double least = 1e300;
    for (int k = 1; k < count; ++k) deepest = p[k].gap < p[deepest].gap ? k : deepest;
    for (int k = 0; k < chosen; ++k) least = kin_min(least, p[four[k]].gap);
    if (p[deepest].gap > least - clearly) return chosen;
    if (chosen < 4) chosen += 1;
    four[chosen - 1] = deepest;
    return chosen;
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

/* The face that looks most against n need not hold the corner that is deepest: that one is added where it is missing, over the reference face. */
static int add_deepest(const reference* r, double gap, corner* near, int count)
{
    for (int k = 0; k < count; ++k) {
        if (near[k].gap <= gap + FACE_OF_B * r->own->half[0]) return count;
    }
    double at[3] = {r->away[0], r->away[1], r->away[2]};
    for (int k = 0; k < 3; ++k) {
        double h = dot(r->n, r->other->axis[k]) > 0 ? -r->other->half[k] : r->other->half[k];
        for (int e = 0; e < 3; ++e) at[e] += h * r->other->axis[k][e];
    }
    double hu = r->own->half[r->u], hv = r->own->half[r->v];
    near[count] = (corner){kin_clamp(dot(at, r->own->axis[r->u]), -hu, hu), kin_clamp(dot(at, r->own->axis[r->v]), -hv, hv), gap};
    return count + 1;
}

static void touch_faces(const boxes* x, const best_axis* best, kin_manifold* out)
{
    reference r = reference_of(x, best->face);
    corner near[ROOM];
    int count = add_deepest(&r, best->gap, near, clip(&r, x->margin, near)), four[4];
    out->count = with_deepest(near, count, FACE_OF_B * x->a->half[0], four, choose_four(near, count, four));
    double flip = best->face < 3 ? -1 : 1; /* from B to A */
    out->normal = kin_v(flip * r.n[0], flip * r.n[1], flip * r.n[2]);
    for (int k = 0; k < out->count; ++k) {
        const corner* c = &near[four[k]];
        double up = r.own->half[r.face] + 0.5 * c->gap, p[3];
        for (int e = 0; e < 3; ++e) p[e] = r.own->axis[r.u][e] * c->u + r.own->axis[r.v][e] * c->v + r.n[e] * up;
        out->points[k] = (kin_manifold_point){kin_v(r.own->place.x + p[0], r.own->place.y + p[1], r.own->place.z + p[2]), c->gap, (uint32_t)k};
    }
}

bool kin_rt_collide_boxes(const kin_rt_solid* a, const kin_rt_solid* b, double margin, uint8_t* axis, kin_manifold* out)
{
    boxes x = {.a = a, .b = b, .d = {b->place.x - a->place.x, b->place.y - a->place.y, b->place.z - a->place.z}, .margin = margin};
    if (still_apart(&x, *axis)) return false;
    best_axis best = {.edge = -1};
    turn_axes(&x);
    if (!try_faces(&x, axis, &best) || !try_edges(&x, &best)) return false;
    *axis = 0;
    if (best.edge < 0 || best.edge_gap <= best.gap + EDGES * a->half[0] || best.edge_gap <= 0.5 * best.gap)
        touch_faces(&x, &best, out);
    else
        touch_edges(&x, &best, out);
    return true;
}
