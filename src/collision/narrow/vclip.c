/* vclip.c - the state machine of Voronoi clipping: one function for each pair of kinds, one for each way an edge is clipped. */
#include "collision/narrow/vclip.h"
#include "collision/narrow/pair.h"

enum { MANY = 48 }; /* steps after which touching is looked for */

typedef struct side { /* one body, and how the other's points come into its frame */
    const kin_hull* hull;
    const kin_hull* other;
    kin_mat3 turn;
    kin_vec3 shift;
} side;

typedef enum outcome { STAYS, MOVED, PENETRATES } outcome;

typedef struct vclip {
    side sides[2];
    kin_part f[2];
    kin_vclip_rule rule; /* of the last step */
} vclip;

static kin_vec3 seen(const side* s, uint32_t vertex) { return kin_add(kin_mat3_apply(s->turn, s->other->vertices[vertex]), s->shift); }

typedef struct span { /* an edge of the other body, in this one's frame */
    kin_vec3 p, q, u; /* u = q - p */
} span;

static span span_of(const side* s, uint32_t edge)
{
    kin_vec3 p = seen(s, s->other->edges[edge].origin), q = seen(s, kin_hull_end(s->other, edge));
    return (span){p, q, kin_sub(q, p)};
}
static kin_vec3 span_at(const span* e, double k) { return kin_add_scaled(e->p, k, e->u); }
/* The sign of D' at a point whose nearest feature is a vertex (4.29). */
static double slope_vertex(const span* e, double k, kin_vec3 v) { return kin_dot(e->u, kin_sub(span_at(e, k), v)); }

static outcome move(vclip* c, int which, kin_part_kind kind, uint32_t index, kin_vclip_rule rule)
{
    c->f[which] = (kin_part){kind, index};
    c->rule = rule;
    return MOVED;
}
static outcome penetrate(vclip* c, kin_vclip_rule rule)
{
    c->rule = rule;
    return PENETRATES;
}

/* ---- planes of the Voronoi regions ---- */

/* Beyond the edge's origin, on the side away from it: > 0 in the vertex's region. */
static double beyond_origin(const kin_hull* h, uint32_t edge, kin_vec3 x)
{
    kin_vec3 v = h->vertices[h->edges[edge].origin];
    return kin_dot(kin_sub(x, v), kin_sub(v, h->vertices[kin_hull_end(h, edge)]));
}
/* > 0 on the face's side of the plane through its edge that is parallel to its normal (E1). */
static double over_face(const kin_hull* h, uint32_t edge, kin_vec3 x)
{
    kin_vec3 v = h->vertices[h->edges[edge].origin];
    kin_vec3 inward = kin_cross(h->planes[h->edges[edge].face].normal, kin_sub(h->vertices[kin_hull_end(h, edge)], v));
    return kin_dot(kin_sub(x, v), inward);
}
static double edge_length(const kin_hull* h, uint32_t edge) { return kin_distance(h->vertices[h->edges[edge].origin], h->vertices[kin_hull_end(h, edge)]); }
static double above(const kin_hull* h, uint32_t face, kin_vec3 x) { return kin_dot(h->planes[face].normal, x) - h->planes[face].offset; }

/* ---- clipping an edge to a region ---- */

typedef struct clip {
    double low, high;
    uint32_t low_edge, high_edge; /* half-edges that name the planes of the ends */
    bool is_low, is_high;         /* whether an end was clipped */
} clip;

static clip clip_none(void) { return (clip){.low = 0, .high = 1}; }

/* Against one plane, given the heights of the ends over it. False when both are outside: simple exclusion. */
static bool clip_by(clip* c, double sp, double sq, uint32_t edge, bool* last_was_low)
{
    if (sp < 0 && sq < 0) return false;
    if (sp < 0) {
        double k = sp / (sp - sq);
        if (k > c->low) c->low = k, c->low_edge = edge, c->is_low = true, *last_was_low = true;
    } else if (sq < 0) {
        double k = sp / (sp - sq);
        if (k < c->high) c->high = k, c->high_edge = edge, c->is_high = true, *last_was_low = false;
    }
    return true;
}

/* ---- vertex against ... ---- */

static outcome vertex_vertex(vclip* c, int i)
{
    const side* s = &c->sides[i];
    const kin_hull* h = s->hull;
    kin_vec3 x = seen(s, c->f[!i].index);
    uint32_t first = h->vertex_edge[c->f[i].index], edge = first;
    do {
        if (beyond_origin(h, edge, x) < 0) return move(c, i, KIN_PART_EDGE, edge, KIN_VCLIP_POINT);
        edge = h->edges[edge ^ 1].next;
    } while (edge != first);
    return STAYS;
}

/* The other body's vertex in this edge's region: ends first, then faces. */
static outcome edge_vertex(vclip* c, int i)
{
    const side* s = &c->sides[i];
    const kin_hull* h = s->hull;
    uint32_t e = c->f[i].index;
    kin_vec3 x = seen(s, c->f[!i].index);
    for (uint32_t k = 0; k < 2; ++k) {
        if (beyond_origin(h, e ^ k, x) > 0) return move(c, i, KIN_PART_VERTEX, h->edges[e ^ k].origin, KIN_VCLIP_POINT);
    }
    for (uint32_t k = 0; k < 2; ++k) {
        if (over_face(h, e ^ k, x) > 0) return move(c, i, KIN_PART_FACE, h->edges[e ^ k].face, KIN_VCLIP_POINT);
    }
    return STAYS;
}

/* 2.2: the minimum is before the low end, after the high one, or outside both planes. */
static outcome vertex_compound(vclip* c, int i, const span* e, const clip* k, kin_vec3 v, bool last_was_low)
{
    bool to_low = slope_vertex(e, k->high, v) > 0 ? true : slope_vertex(e, k->low, v) < 0 ? false : !last_was_low;
    return move(c, i, KIN_PART_EDGE, to_low ? k->low_edge : k->high_edge, KIN_VCLIP_2_2);
}

static outcome vertex_edge(vclip* c, int i)
{
    const side* s = &c->sides[i];
    const kin_hull* h = s->hull;
    span e = span_of(s, c->f[!i].index);
    kin_vec3 v = h->vertices[c->f[i].index];
    clip k = clip_none();
    bool last_was_low = false;
    uint32_t first = h->vertex_edge[c->f[i].index], edge = first;
    do {
        if (!clip_by(&k, beyond_origin(h, edge, e.p), beyond_origin(h, edge, e.q), edge, &last_was_low)) {
            return move(c, i, KIN_PART_EDGE, edge, KIN_VCLIP_2_1);
        }
        edge = h->edges[edge ^ 1].next;
    } while (edge != first);
    if (k.low > k.high) return vertex_compound(c, i, &e, &k, v, last_was_low);
    if (k.is_low && slope_vertex(&e, k.low, v) > 0) return move(c, i, KIN_PART_EDGE, k.low_edge, KIN_VCLIP_CLIPPED);
    if (k.is_high && slope_vertex(&e, k.high, v) < 0) return move(c, i, KIN_PART_EDGE, k.high_edge, KIN_VCLIP_CLIPPED);
    return STAYS;
}

/* ---- edge against edge ---- */

/* The slab between the planes at the edge's ends. Past an end where the distance still falls, the vertex is nearer. */
static outcome clip_to_slab(vclip* c, int i, const span* e, clip* k)
{
    const kin_hull* h = c->sides[i].hull;
    uint32_t own = c->f[i].index;
    bool ignored;
    for (uint32_t end = 0; end < 2; ++end) {
        uint32_t edge = own ^ end;
        if (!clip_by(k, -beyond_origin(h, edge, e->p), -beyond_origin(h, edge, e->q), edge, &ignored)) {
            return move(c, i, KIN_PART_VERTEX, h->edges[edge].origin, KIN_VCLIP_2_3);
        }
    }
    uint32_t low = h->edges[k->low_edge].origin, high = h->edges[k->high_edge].origin;
    if (k->is_low && slope_vertex(e, k->low, h->vertices[low]) > 0) return move(c, i, KIN_PART_VERTEX, low, KIN_VCLIP_CLIPPED);
    if (k->is_high && slope_vertex(e, k->high, h->vertices[high]) < 0) return move(c, i, KIN_PART_VERTEX, high, KIN_VCLIP_CLIPPED);
    return STAYS;
}

/* The sign of D' where the edge crosses a face-edge plane (4.30); 0: it goes through the edge itself. */
static double slope_face(const kin_hull* h, uint32_t face, const span* e, double k)
{
    double s = above(h, face, span_at(e, k)), along = kin_dot(e->u, h->planes[face].normal);
    return s > 0 ? along : s < 0 ? -along : 0;
}

/* Within the slab, against the planes of the two faces; what is over a face is nearer to the face. */
static outcome clip_to_faces(vclip* c, int i, const span* e, clip slab)
{
    const kin_hull* h = c->sides[i].hull;
    uint32_t own = c->f[i].index;
    kin_vec3 low = span_at(e, slab.low), high = span_at(e, slab.high);
    clip k = clip_none(); /* of the part in the slab */
    span part = {low, high, kin_sub(high, low)};
    bool ignored, is_whole = !slab.is_low && !slab.is_high;
    if (is_whole) part = *e;
    for (uint32_t way = 0; way < 2; ++way) {
        uint32_t edge = own ^ way;
        if (!clip_by(&k, -over_face(h, edge, part.p), -over_face(h, edge, part.q), edge, &ignored)) {
            bool is_simple = is_whole || (over_face(h, edge, e->p) > 0 && over_face(h, edge, e->q) > 0);
            return move(c, i, KIN_PART_FACE, h->edges[edge].face, is_simple ? KIN_VCLIP_2_3 : KIN_VCLIP_2_4);
        }
    }
    bool is_compound = k.low > k.high;
    kin_vclip_rule rule = is_compound ? KIN_VCLIP_2_4 : KIN_VCLIP_CLIPPED;
    uint32_t low_face = h->edges[k.low_edge].face, high_face = h->edges[k.high_edge].face;
    if (k.is_low) {
        double slope = slope_face(h, low_face, &part, k.low);
        if (slope > 0) return move(c, i, KIN_PART_FACE, low_face, rule);
        if (is_compound) return move(c, i, KIN_PART_FACE, high_face, rule);
    }
    if (k.is_high && slope_face(h, high_face, &part, k.high) < 0) return move(c, i, KIN_PART_FACE, high_face, rule);
    return STAYS;
}

static outcome edge_edge(vclip* c, int i)
{
    span e = span_of(&c->sides[i], c->f[!i].index);
    clip slab = clip_none();
    outcome o = clip_to_slab(c, i, &e, &slab);
    return o == STAYS ? clip_to_faces(c, i, &e, slab) : o;
}

/* ---- face against vertex ---- */

/* 4.9.5: the face the point is most outside of (E3), or none: it is inside. */
static outcome escape(vclip* c, int i, kin_vec3 x)
{
    const kin_hull* h = c->sides[i].hull;
    uint32_t best = 0;
    for (uint32_t f = 1; f < h->face_count; ++f) {
        if (above(h, f, x) > above(h, best, x)) best = f;
    }
    bool is_inside = above(h, best, x) <= 0;
    move(c, i, KIN_PART_FACE, best, is_inside ? KIN_VCLIP_INSIDE : KIN_VCLIP_ESCAPE);
    return is_inside ? PENETRATES : MOVED;
}

static outcome face_vertex(vclip* c, int i)
{
    const side* s = &c->sides[i];
    const kin_hull *h = s->hull, *o = s->other;
    uint32_t v = c->f[!i].index, face = c->f[i].index, edge = h->face_edge[face], worst = edge;
    kin_vec3 x = seen(s, v);
    double least = 0, height = above(h, face, x);
    do { /* the plane it is farthest outside of: of another one the edge may be farther than the face was (footnote 6 allows any, and walks in circles) */
        double over = over_face(h, edge, x) / edge_length(h, edge);
        if (over < least) least = over, worst = edge;
        edge = h->edges[edge].next;
    } while (edge != h->face_edge[face]);
    if (least < 0) return move(c, i, KIN_PART_EDGE, worst, KIN_VCLIP_POINT);
    if (height == 0) return penetrate(c, KIN_VCLIP_PIERCED);
    uint32_t first = o->vertex_edge[v];
    edge = first;
    do {
        double end = above(h, face, seen(s, kin_hull_end(o, edge)));
        if (height > 0 ? end < height : end > height) return move(c, !i, KIN_PART_EDGE, edge, KIN_VCLIP_TOWARD);
        edge = o->edges[edge ^ 1].next;
    } while (edge != first);
    return height > 0 ? STAYS : escape(c, i, x);
}

/* ---- face against edge ---- */

/* Case 2.5. Seen along the normal the edge passes the polygon outside. The regions of its edges and corners follow each other round it, parted by vertex-edge
 * planes; the walk starts where p is and goes on as long as the distance falls at the next plane. */
typedef struct march {
    const kin_hull* hull;
    const span* e;
    double at;      /* how far along e it is */
    uint32_t edge;  /* polygon's half-edge; */
    bool is_corner; /* the region of its origin instead of its own */
} march;

static uint32_t edge_before(const kin_hull* h, uint32_t edge)
{
    uint32_t k = edge;
    while (h->edges[k].next != edge) k = h->edges[k].next;
    return k;
}

/* The region that p is in; within rounding of the polygon: of the edge it is least over. */
static void march_start(march* m, uint32_t face)
{
    const kin_hull* h = m->hull;
    uint32_t first = h->face_edge[face], edge = first, before = edge_before(h, first);
    double least = 1e300;
    m->edge = first;
    m->is_corner = false;
    do {
        double over = over_face(h, edge, m->e->p), start = beyond_origin(h, edge, m->e->p), end = beyond_origin(h, edge ^ 1, m->e->p);
        if (over < 0 && start <= 0 && end <= 0) {
            m->edge = edge, m->is_corner = false;
            return;
        }
        if (start > 0 && beyond_origin(h, before ^ 1, m->e->p) > 0) {
            m->edge = edge, m->is_corner = true;
            return;
        }
        if (over < least) least = over, m->edge = edge;
        before = edge;
        edge = h->edges[edge].next;
    } while (edge != first);
}

/* Where e leaves the present region through a plane at height sp, sq of its ends; beyond 1: not at all. */
static double leaves_at(double sp, double sq) { return sq < 0 && sp >= sq ? (sp > 0 ? sp / (sp - sq) : 0) : 2; }

/* One region on; false at the end or where the distance would grow. */
static bool march_on(march* m)
{
    const kin_hull* h = m->hull;
    const span* e = m->e;
    uint32_t edge = m->edge, before = edge_before(h, edge), next = h->edges[edge].next;
    /* at the origin: for a corner, its two edges; for an edge, its two ends */
    uint32_t back = m->is_corner ? before ^ 1 : edge, ahead = m->is_corner ? edge : edge ^ 1;
    double sign = m->is_corner ? 1 : -1;
    double to_back = leaves_at(sign * beyond_origin(h, back, e->p), sign * beyond_origin(h, back, e->q));
    double to_ahead = leaves_at(sign * beyond_origin(h, ahead, e->p), sign * beyond_origin(h, ahead, e->q));
    bool is_back = to_back < to_ahead;
    double k = kin_max(is_back ? to_back : to_ahead, m->at);
    uint32_t corner = m->is_corner || is_back ? h->edges[edge].origin : h->edges[next].origin;
    if (k > 1 || slope_vertex(e, k, h->vertices[corner]) > 0) return false;
    m->at = k;
    if (m->is_corner) {
        m->edge = is_back ? before : edge;
    } else {
        m->edge = is_back ? edge : next;
    }
    m->is_corner = !m->is_corner;
    return true;
}

/* To where the distance of e from the face is least. */
static outcome march_end(vclip* c, int i, march* m, kin_vclip_rule rule)
{
    for (uint32_t n = 0; n < m->hull->edge_count && march_on(m); ++n) {
    }
    if (m->is_corner) return move(c, i, KIN_PART_VERTEX, m->hull->edges[m->edge].origin, rule);
    return move(c, i, KIN_PART_EDGE, m->edge, rule);
}

static outcome march_round(vclip* c, int i, const span* e)
{
    march m = {.hull = c->sides[i].hull, .e = e};
    march_start(&m, c->f[i].index);
    return march_end(c, i, &m, KIN_VCLIP_2_5);
}

/* From the point where e leaves the face's region through an edge's plane, out to its end q: the minimum may lie past the next corner, where that edge would be
 * farther than the face was. */
static outcome march_out(vclip* c, int i, kin_vec3 from, kin_vec3 q, uint32_t edge)
{
    span rest = {from, q, kin_sub(q, from)};
    march m = {.hull = c->sides[i].hull, .e = &rest, .edge = edge};
    return march_end(c, i, &m, KIN_VCLIP_CLIPPED);
}

/* An edge over or under a face is nearest at an end: of its own, or where it leaves the region. Through the face it penetrates. */
static outcome face_edge(vclip* c, int i)
{
    const side* s = &c->sides[i];
    const kin_hull* h = s->hull;
    uint32_t face = c->f[i].index, first = h->face_edge[face], edge = first, own = c->f[!i].index;
    span e = span_of(s, own);
    clip k = clip_none();
    bool ignored;
    do {
        if (!clip_by(&k, over_face(h, edge, e.p), over_face(h, edge, e.q), edge, &ignored)) return march_round(c, i, &e);
        edge = h->edges[edge].next;
    } while (edge != first);
    if (k.low > k.high) return march_round(c, i, &e);
    double p = above(h, face, e.p), q = above(h, face, e.q);
    double low = k.is_low ? above(h, face, span_at(&e, k.low)) : p, high = k.is_high ? above(h, face, span_at(&e, k.high)) : q;
    if (low * high <= 0) return penetrate(c, KIN_VCLIP_PIERCED);
    bool to_low = low > 0 ? p <= q : p >= q;
    if (to_low) {
        return k.is_low ? march_out(c, i, span_at(&e, k.low), e.p, k.low_edge) : move(c, !i, KIN_PART_VERTEX, s->other->edges[own].origin, KIN_VCLIP_NEAR_END);
    }
    return k.is_high ? march_out(c, i, span_at(&e, k.high), e.q, k.high_edge) : move(c, !i, KIN_PART_VERTEX, kin_hull_end(s->other, own), KIN_VCLIP_NEAR_END);
}

/* ---- the loop ---- */

/* Whether the nearest point of the other's feature is in the region of feature i; neither is a face. */
static outcome region(vclip* c, int i)
{
    bool is_vertex = c->f[i].kind == KIN_PART_VERTEX;
    if (c->f[!i].kind == KIN_PART_VERTEX) return is_vertex ? vertex_vertex(c, i) : edge_vertex(c, i);
    return is_vertex ? vertex_edge(c, i) : edge_edge(c, i);
}

static outcome step(vclip* c)
{
    for (int i = 0; i < 2; ++i) {
        if (c->f[i].kind == KIN_PART_FACE) return c->f[!i].kind == KIN_PART_VERTEX ? face_vertex(c, i) : face_edge(c, i);
    }
    outcome o = region(c, 0);
    return o == STAYS ? region(c, 1) : o;
}

static void tell(const vclip* c, kin_vclip_watch watch, void* context)
{
    kin_vclip_step s = {{c->f[0], c->f[1]}, c->rule};
    if (watch != NULL) watch(context, &s);
}

/* ---- nearest points of the pair found ---- */

static kin_vec3 vertex_of(const vclip* c, int i) { return i == 0 ? c->sides[0].hull->vertices[c->f[0].index] : seen(&c->sides[0], c->f[1].index); }
static span edge_of(const vclip* c, int i)
{
    if (i == 1) return span_of(&c->sides[0], c->f[1].index);
    const kin_hull* h = c->sides[0].hull;
    kin_vec3 p = h->vertices[h->edges[c->f[0].index].origin], q = h->vertices[kin_hull_end(h, c->f[0].index)];
    return (span){p, q, kin_sub(q, p)};
}
static kin_plane3 plane_of(const vclip* c, int i)
{
    if (i == 0) return c->sides[0].hull->planes[c->f[0].index];
    kin_plane3 p = c->sides[1].hull->planes[c->f[1].index];
    kin_vec3 n = kin_mat3_apply(c->sides[0].turn, p.normal);
    return (kin_plane3){n, p.offset + kin_dot(n, c->sides[0].shift)};
}

/* Onto feature i from a vertex of the other. */
static kin_vec3 foot(const vclip* c, int i, kin_vec3 x)
{
    if (c->f[i].kind == KIN_PART_VERTEX) return vertex_of(c, i);
    if (c->f[i].kind == KIN_PART_FACE) return kin_plane3_closest(plane_of(c, i), x);
    span e = edge_of(c, i);
    return span_at(&e, kin_segment_closest(e.p, e.q, x));
}

static void measure(const vclip* c, kin_vclip_result* out)
{
    if (c->f[0].kind == KIN_PART_VERTEX) {
        out->on_a = vertex_of(c, 0);
        out->on_b = foot(c, 1, out->on_a);
    } else if (c->f[1].kind == KIN_PART_VERTEX) {
        out->on_b = vertex_of(c, 1);
        out->on_a = foot(c, 0, out->on_b);
    } else {
        span a = edge_of(c, 0), b = edge_of(c, 1);
        kin_segment_pair near = kin_segments_closest(a.p, a.q, b.p, b.q);
        out->on_a = span_at(&a, near.s);
        out->on_b = span_at(&b, near.t);
    }
    kin_vec3 gap = kin_sub(out->on_a, out->on_b);
    out->distance = kin_length(gap);
    out->normal = kin_normalize_or(gap, kin_v(0, 0, 0));
    out->is_penetrating = !(out->distance > 0);
}

/* Where the edge goes through the face, or the vertex inside. */
static void measure_penetration(const vclip* c, kin_vclip_result* out)
{
    int face = c->f[0].kind == KIN_PART_FACE ? 0 : 1;
    kin_vec3 x;
    if (c->f[!face].kind == KIN_PART_VERTEX) {
        x = vertex_of(c, !face);
    } else {
        span e = edge_of(c, !face);
        double k = 0.5;
        kin_segment_plane(e.p, e.q, plane_of(c, face), 0, &k);
        x = span_at(&e, k);
    }
    out->on_a = out->on_b = x;
}

/* Bodies within rounding of touching have a nearest point that is in no region for sure, and the pair may go round for ever. */
static bool is_touching(const vclip* c)
{
    kin_vclip_result r;
    if (c->f[0].kind != KIN_PART_VERTEX && c->f[1].kind != KIN_PART_VERTEX && (c->f[0].kind == KIN_PART_FACE || c->f[1].kind == KIN_PART_FACE)) return false;
    measure(c, &r);
    return r.distance <= 1e-14 * (kin_length(r.on_a) + c->sides[0].hull->reach + c->sides[1].hull->reach);
}

static uint32_t some_vertex(const kin_hull* h, kin_part f)
{
    return f.kind == KIN_PART_VERTEX ? f.index : h->edges[f.kind == KIN_PART_EDGE ? f.index : h->face_edge[f.index]].origin;
}

/* Whether both bodies lie behind the planes through the points found, across the line between them: then none is nearer. Beside edges as short as the slack the
 * regions may hold points that are not the nearest. The line's direction is known to rounding over its length. */
static bool is_nearest(const vclip* c, const kin_vclip_result* r)
{
    const kin_hull *a = c->sides[0].hull, *b = c->sides[1].hull;
    double size = a->reach + b->reach + r->distance, doubt = 1e-10 * r->distance + 4e-15 * size * (size / r->distance);
    uint32_t va = kin_pair_hull_vertex(a, kin_neg(r->normal), some_vertex(a, c->f[0]));
    uint32_t vb = kin_pair_hull_vertex(b, kin_mat3_apply_transposed(c->sides[0].turn, r->normal), some_vertex(b, c->f[1]));
    return kin_dot(r->normal, kin_sub(a->vertices[va], seen(&c->sides[0], vb))) >= r->distance - doubt;
}

/* GJK's answer, and its features as the pair; at most one of them a face. */
static void rescue(vclip* c, kin_transform b_in_a, kin_vclip_result* out)
{
    kin_convex a = {.core = KIN_CORE_HULL, .hull = c->sides[0].hull}, b = {.core = KIN_CORE_HULL, .hull = c->sides[1].hull};
    kin_gjk_result g;
    kin_gjk_distance(&a, &b, b_in_a, NULL, NULL, &g);
    c->rule = KIN_VCLIP_LOST;
    out->distance = kin_max(g.distance, 0);
    out->is_penetrating = g.is_overlapping;
    out->on_a = g.on_a;
    out->on_b = g.on_b;
    out->normal = g.normal;
    c->f[0] = kin_gjk_part_a(&a, &g);
    c->f[1] = kin_gjk_part_b(&b, &g);
    if (c->f[1].kind == KIN_PART_FACE && c->f[0].kind == KIN_PART_FACE) c->f[1] = (kin_part){KIN_PART_VERTEX, g.simplex.b[0]};
}

static vclip begin(const kin_hull* a, const kin_hull* b, kin_transform b_in_a, const kin_vclip_pair* cache)
{
    kin_transform a_in_b = kin_transform_inverse(b_in_a);
    vclip c = {.sides = {{a, b, kin_quat_to_matrix(b_in_a.orientation), b_in_a.position}, {b, a, kin_quat_to_matrix(a_in_b.orientation), a_in_b.position}}};
    if (cache != NULL) c.f[0] = cache->a, c.f[1] = cache->b;
    if (c.f[0].kind == KIN_PART_FACE && c.f[1].kind == KIN_PART_FACE) { /* 4.9.3: never two faces */
        c.f[1] = (kin_part){KIN_PART_VERTEX, b->edges[b->face_edge[c.f[1].index]].origin};
    }
    return c;
}

void kin_vclip(const kin_hull* a, const kin_hull* b, kin_transform b_in_a, kin_vclip_pair* cache, kin_vclip_watch watch, void* context, kin_vclip_result* out)
{
    vclip c = begin(a, b, b_in_a, cache);
    const int most = 2 * MANY + 2 * (int)(a->edge_count + b->edge_count);
    outcome o = MOVED;
    *out = (kin_vclip_result){0};
    for (; o == MOVED && out->steps < most; ++out->steps) {
        o = step(&c);
        if (o == STAYS) c.rule = KIN_VCLIP_DONE;
        if (o == MOVED && out->steps > MANY && is_touching(&c)) o = penetrate(&c, KIN_VCLIP_TOUCHING);
        tell(&c, watch, context);
    }
    if (o == MOVED) {
        rescue(&c, b_in_a, out);
    } else if (o == PENETRATES && c.rule != KIN_VCLIP_TOUCHING) {
        measure_penetration(&c, out);
    } else {
        measure(&c, out);
        if (o == STAYS && out->distance > 0 && !is_nearest(&c, out)) rescue(&c, b_in_a, out);
    }
    out->is_penetrating = out->is_penetrating || o == PENETRATES;
    if (out->is_penetrating) out->distance = 0;
    out->ended = c.rule;
    out->pair = (kin_vclip_pair){c.f[0], c.f[1]};
    if (cache != NULL) *cache = out->pair;
}
