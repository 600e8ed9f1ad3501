/* triangles.c - segments and triangles against each other, decided by exact signs (C2.5.5, C2.5.10, C2.5.12, H10.12; Guigue and Devillers 2003).
 *
 * Two triangles across meet on the line of their planes, each in an interval. An end of the interval is where an edge pierces the other's plane, and which of
 * two such ends, one of each triangle, comes first is the orientation of the four corners of their edges. So nothing is decided with a computed point, and the
 * cases of the text (a corner, an edge, all of it in the other's plane; also one corner with the others on either side) need no code of their own.
 * What the planes do not tell (one plane, no area) is rare, and done in the plane: the things they share are spanned by corners of one within the other and
 * by crossings of edges. */
#include "collision/primitive/primitives.h"
#include "geometry/predicates.h"

static const int next_of[3] = {1, 2, 0};

/* ---- planes ---- */

typedef struct sides {
    int of[3];
    bool apart; /* all strictly on one side */
    bool flat;  /* all in the plane */
} sides;

static sides sides_of(const kin_vec3 plane[3], const kin_vec3 p[3])
{
    sides s;
    for (int k = 0; k < 3; ++k) s.of[k] = kin_orient3d(plane[0], plane[1], plane[2], p[k]);
    s.apart = s.of[0] != 0 && s.of[0] == s.of[1] && s.of[0] == s.of[2];
    s.flat = s.of[0] == 0 && s.of[1] == 0 && s.of[2] == 0;
    return s;
}

static bool before(kin_vec3 a, kin_vec3 b) { return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z; }
static bool same(kin_vec3 a, kin_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The point between p and q whose heights are in the ratio hp : hq, known to have opposite signs, whatever rounding made of them. */
static kin_vec3 between(kin_vec3 p, kin_vec3 q, double hp, double hq)
{
    double t = hp / (hp - hq);
    return kin_lerp(p, q, t >= 0 && t <= 1 ? t : 0.5);
}

static kin_vec3 pierce(kin_vec3 p, kin_vec3 q, const kin_vec3 plane[3])
{
    kin_vec3 n = kin_cross(kin_sub(plane[1], plane[0]), kin_sub(plane[2], plane[0]));
    if (before(q, p)) { /* an edge has one direction, whichever of its triangles asks */
        kin_vec3 swap = p;
        p = q;
        q = swap;
    }
    return between(p, q, kin_dot(n, kin_sub(p, plane[0])), kin_dot(n, kin_sub(q, plane[0])));
}

/* ---- two triangles across ---- */

/* A triangle cut by a plane: the apex is alone on its side, or alone in the plane; its two edges are cut. */
typedef struct cut {
    const kin_vec3* p;
    const int* side;
    int apex, end[2]; /* corners; end[0] is cut before end[1] along the common line */
    int fall;         /* +1: from the apex the edges go down through the plane */
} cut;

static int find_apex(const int side[3])
{
    for (int k = 0; k < 3; ++k) { /* alone: the others are not on its side */
        int s = side[k], u = side[next_of[k]], v = side[next_of[next_of[k]]];
        if (s != 0 && u != s && v != s) return k;
        if (s == 0 && u == v && u != 0) return k;
    }
    return 0; /* not reached: the triangle is neither apart nor flat */
}

/* turn: +1 for the first triangle, -1 for the second, whose order on the line is the other way round. */
static cut cut_of(const kin_vec3 p[3], const int side[3], int turn)
{
    cut c = {.p = p, .side = side, .apex = find_apex(side)};
    int u = next_of[c.apex], v = next_of[u];
    c.fall = side[c.apex] != 0 ? side[c.apex] : -side[u];
    c.end[0] = c.fall * turn > 0 ? v : u;
    c.end[1] = c.fall * turn > 0 ? u : v;
    return c;
}

static kin_feature cut_feature(const cut* c, int i)
{
    int far = c->end[i];
    if (c->side[c->apex] == 0) return (kin_feature)(KIN_FEATURE_CORNER0 + c->apex);
    if (c->side[far] == 0) return (kin_feature)(KIN_FEATURE_CORNER0 + far);
    return (kin_feature)(KIN_FEATURE_EDGE0 + (next_of[c->apex] == far ? c->apex : far));
}

/* Between the ends: the inside, unless the line runs along the edge opposite to the apex. */
static kin_feature inner_feature(const cut* c)
{
    int u = next_of[c->apex];
    return c->side[u] == 0 && c->side[next_of[u]] == 0 ? (kin_feature)(KIN_FEATURE_EDGE0 + u) : KIN_FEATURE_FACE;
}

/* Where end i of a lies relative to end j of b along the line: -1 before, 0 there, +1 behind. */
static int compare_ends(const cut* a, int i, const cut* b, int j)
{
    return -a->fall * b->fall * kin_orient3d(a->p[a->apex], a->p[a->end[i]], b->p[b->apex], b->p[b->end[j]]);
}

typedef struct end_order {
    int same[2]; /* ends 0 of both, ends 1 of both */
    int a0_b1, a1_b0;
} end_order;

/* End i of the common interval: of the ends i of both, the inner one. */
static kin_vec3 common_end(const cut* a, const cut* b, int i, const end_order* order, kin_feature* on_a, kin_feature* on_b)
{
    int at = order->same[i], other = i == 0 ? order->a0_b1 : order->a1_b0, swapped = i == 0 ? order->a1_b0 : order->a0_b1;
    bool from_a = i == 0 ? at >= 0 : at <= 0;
    *on_a = from_a || at == 0 ? cut_feature(a, i) : swapped == 0 ? cut_feature(a, 1 - i) : inner_feature(a);
    *on_b = !from_a || at == 0 ? cut_feature(b, i) : other == 0 ? cut_feature(b, 1 - i) : inner_feature(b);
    if (*on_a >= KIN_FEATURE_CORNER0) return a->p[*on_a - KIN_FEATURE_CORNER0];
    if (*on_b >= KIN_FEATURE_CORNER0) return b->p[*on_b - KIN_FEATURE_CORNER0];
    return from_a ? pierce(a->p[a->apex], a->p[a->end[i]], b->p) : pierce(b->p[b->apex], b->p[b->end[i]], a->p);
}

static kin_meet meet_across(const kin_vec3 a[3], const sides* sa, const kin_vec3 b[3], const sides* sb, kin_meeting* m)
{
    cut ca = cut_of(a, sa->of, 1), cb = cut_of(b, sb->of, -1);
    end_order order = {.a0_b1 = compare_ends(&ca, 0, &cb, 1), .a1_b0 = compare_ends(&ca, 1, &cb, 0)};
    if (order.a0_b1 > 0 || order.a1_b0 < 0) return KIN_MEET_APART;
    bool point = order.a0_b1 == 0 || order.a1_b0 == 0 || sa->of[ca.apex] == 0 || sb->of[cb.apex] == 0;
    if (m == NULL) return point ? KIN_MEET_POINT : KIN_MEET_SEGMENT;
    order.same[0] = compare_ends(&ca, 0, &cb, 0);
    order.same[1] = compare_ends(&ca, 1, &cb, 1);
    m->kind = point ? KIN_MEET_POINT : KIN_MEET_SEGMENT;
    m->from = common_end(&ca, &cb, 0, &order, &m->from_a, &m->from_b);
    m->to = common_end(&ca, &cb, 1, &order, &m->to_a, &m->to_b);
    if (point) {
        bool corner = m->to_a >= KIN_FEATURE_CORNER0 || m->to_b >= KIN_FEATURE_CORNER0; /* such an end is not rounded */
        if (corner) m->from = m->to, m->from_a = m->to_a, m->from_b = m->to_b;
        m->to = m->from, m->to_a = m->from_a, m->to_b = m->from_b;
    }
    return m->kind;
}

/* ---- in one plane ---- */

/* A triangle, or what is left of it without area: a segment or a point. */
typedef struct shape {
    kin_vec3 p[3];
    int corner[3]; /* which corners of the thing given these are */
    int count;
    int turn; /* of a triangle in the projection: +1 left, -1 right */
} shape;

static void project(kin_vec3 v, int axis, double out[2])
{
    out[0] = kin_component(v, (axis + 1) % 3);
    out[1] = kin_component(v, (axis + 2) % 3);
}

/* Seen along an axis. */
static int orient(int axis, kin_vec3 a, kin_vec3 b, kin_vec3 c)
{
    double pa[2], pb[2], pc[2];
    project(a, axis, pa);
    project(b, axis, pb);
    project(c, axis, pc);
    return kin_orient2d(pa, pb, pc);
}

/* The ends of points on one line are the first and the last in the order of coordinates. */
static shape line_shape(const kin_vec3* p, int count)
{
    int low = 0, high = 0;
    for (int k = 1; k < count; ++k) {
        if (before(p[k], p[low])) low = k;
        if (before(p[high], p[k])) high = k;
    }
    shape s = {.p = {p[low], p[high]}, .corner = {low, high}, .count = 2};
    if (same(p[low], p[high])) s.count = 1;
    return s;
}

static shape triangle_shape(const kin_vec3 p[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        if (orient(axis, p[0], p[1], p[2]) != 0) return (shape){.p = {p[0], p[1], p[2]}, .corner = {0, 1, 2}, .count = 3};
    }
    return line_shape(p, 3);
}

static kin_feature corner_feature(const shape* s, int k) { return (kin_feature)(KIN_FEATURE_CORNER0 + s->corner[k]); }

static kin_feature edge_feature(const shape* s, int k)
{
    int i = s->corner[k], j = s->corner[(k + 1) % s->count];
    return (kin_feature)(KIN_FEATURE_EDGE0 + (next_of[i] == j ? i : j));
}

static int edge_count(const shape* s) { return s->count == 3 ? 3 : s->count - 1; }

static bool in_box_of(kin_vec3 p, kin_vec3 q, kin_vec3 x) { return kin_aabb_contains((kin_aabb){kin_min3(p, q), kin_max3(p, q)}, x); }

/* signs: of x, or of the line through x, against the three edges. *feature: where zeros put it. */
static bool signs_hold(const shape* s, const int sign[3], kin_feature* feature)
{
    *feature = KIN_FEATURE_FACE;
    for (int k = 0; k < 3; ++k) {
        if (sign[k] * sign[next_of[k]] < 0) return false;
        if (sign[k] != 0) continue;
        if (sign[next_of[k]] == 0) return *feature = corner_feature(s, next_of[k]), true; /* on this edge and the next: the corner between */
        *feature = edge_feature(s, k);
    }
    return true;
}

/* Does the shape hold x, a point of its plane? */
static bool holds(const shape* s, int axis, kin_vec3 x, kin_feature* feature)
{
    if (s->count == 3) {
        int sign[3];
        for (int k = 0; k < 3; ++k) sign[k] = orient(axis, s->p[k], s->p[next_of[k]], x);
        return signs_hold(s, sign, feature);
    }
    for (int k = 0; k < s->count; ++k) {
        if (same(s->p[k], x)) return *feature = corner_feature(s, k), true;
    }
    if (s->count == 1 || orient(axis, s->p[0], s->p[1], x) != 0 || !in_box_of(s->p[0], s->p[1], x)) return false;
    return *feature = edge_feature(s, 0), true;
}

#define MOST_SHARED 16 /* corners: 3 + 3; crossings of edges: 6 */

typedef struct shared_point {
    kin_vec3 at;
    kin_feature on_a, on_b;
} shared_point;

typedef struct shared_set {
    shared_point points[MOST_SHARED];
    int count;
} shared_set;

static void share(shared_set* set, kin_vec3 at, kin_feature on_a, kin_feature on_b)
{
    if (set->count < MOST_SHARED) set->points[set->count++] = (shared_point){at, on_a, on_b};
}

static bool is_shared(const shared_set* set, kin_vec3 corner)
{
    for (int i = 0; i < set->count; ++i) {
        if (same(set->points[i].at, corner)) return true;
    }
    return false;
}

static double area_seen(int axis, kin_vec3 a, kin_vec3 b, kin_vec3 c)
{
    double pa[2], pb[2], pc[2];
    project(a, axis, pa);
    project(b, axis, pb);
    project(c, axis, pc);
    return (pa[0] - pc[0]) * (pb[1] - pc[1]) - (pa[1] - pc[1]) * (pb[0] - pc[0]);
}

static void share_crossing(shared_set* set, int axis, const shape* a, int i, const shape* b, int j)
{
    kin_vec3 p = a->p[i], q = a->p[(i + 1) % a->count], r = b->p[j], s = b->p[(j + 1) % b->count];
    if (orient(axis, p, q, r) * orient(axis, p, q, s) >= 0 || orient(axis, r, s, p) * orient(axis, r, s, q) >= 0) return;
    share(set, between(p, q, area_seen(axis, r, s, p), area_seen(axis, r, s, q)), edge_feature(a, i), edge_feature(b, j));
}

static void share_all(shared_set* set, int axis, const shape* a, const shape* b)
{
    kin_feature feature;
    set->count = 0;
    for (int k = 0; k < a->count; ++k) {
        if (holds(b, axis, a->p[k], &feature)) share(set, a->p[k], corner_feature(a, k), feature);
    }
    for (int k = 0; k < b->count; ++k) {
        if (holds(a, axis, b->p[k], &feature) && !is_shared(set, b->p[k])) share(set, b->p[k], feature, corner_feature(b, k));
    }
    for (int i = 0; i < edge_count(a); ++i) {
        for (int j = 0; j < edge_count(b); ++j) share_crossing(set, axis, a, i, b, j);
    }
}

/* Does the line of an edge of a leave all of b on its far side, or on it? Then only borders can touch. */
static bool edge_divides(int axis, const shape* a, const shape* b)
{
    for (int k = 0; k < 3; ++k) {
        bool divides = true;
        for (int i = 0; i < 3; ++i) divides = divides && orient(axis, a->p[k], a->p[next_of[k]], b->p[i]) * a->turn <= 0;
        if (divides) return true;
    }
    return false;
}

static bool has_area(int axis, const shape* a, const shape* b)
{
    return a->count == 3 && b->count == 3 && !edge_divides(axis, a, b) && !edge_divides(axis, b, a);
}

/* Some three of the points that are not on one line when seen along the axis? */
static bool axis_shows(int axis, const shape* a, const shape* b)
{
    kin_vec3 p[6];
    int count = 0;
    for (int k = 0; k < a->count; ++k) p[count++] = a->p[k];
    for (int k = 0; k < b->count; ++k) p[count++] = b->p[k];
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            for (int k = j + 1; k < count; ++k) {
                if (orient(axis, p[i], p[j], p[k]) != 0) return true;
            }
        }
    }
    return false;
}

/* The axis along which the plane is seen best, of those along which it is not a line. On one line, any: boxes then decide. */
static int viewing_axis(const shape* a, const shape* b)
{
    const shape* s = a->count == 3 ? a : b;
    kin_vec3 n = kin_abs3(kin_cross(kin_sub(s->p[1], s->p[0]), kin_sub(s->p[2], s->p[0])));
    int best = s->count < 3 ? 0 : n.x >= n.y && n.x >= n.z ? 0 : n.y >= n.z ? 1 : 2;
    for (int k = 0; k < 3; ++k) {
        if (axis_shows((best + k) % 3, a, b)) return (best + k) % 3;
    }
    return 0;
}

static int share_in_plane(shape* a, shape* b, shared_set* set)
{
    int axis = viewing_axis(a, b);
    a->turn = a->count == 3 ? orient(axis, a->p[0], a->p[1], a->p[2]) : 0;
    b->turn = b->count == 3 ? orient(axis, b->p[0], b->p[1], b->p[2]) : 0;
    share_all(set, axis, a, b);
    return axis;
}

static kin_meet meet_in_plane(shape* a, shape* b, kin_meeting* m)
{
    shared_set set;
    int axis = share_in_plane(a, b, &set), low = 0, high = 0;
    if (set.count == 0) return KIN_MEET_APART;
    for (int i = 1; i < set.count; ++i) {
        if (before(set.points[i].at, set.points[low].at)) low = i;
        if (before(set.points[high].at, set.points[i].at)) high = i;
    }
    kin_meet kind = has_area(axis, a, b) ? KIN_MEET_AREA : set.count == 1 ? KIN_MEET_POINT : KIN_MEET_SEGMENT;
    const shared_point *from = &set.points[low], *to = &set.points[high];
    if (m != NULL) *m = (kin_meeting){kind, from->at, to->at, from->on_a, from->on_b, to->on_a, to->on_b};
    return kind;
}

/* ---- a segment or point and a triangle across ---- */

/* side: of the ends of s, not both 0 and not the same. The line of s pierces the plane where it turns the same way about all edges. */
static kin_meet meet_piercing(const shape* s, const int side[2], const shape* t, bool swapped, kin_meeting* m)
{
    int sign[3];
    kin_feature on_t, on_s = side[0] == 0 ? corner_feature(s, 0) : side[1] == 0 ? corner_feature(s, 1) : edge_feature(s, 0);
    for (int k = 0; k < 3; ++k) sign[k] = kin_orient3d(s->p[0], s->p[1], t->p[k], t->p[next_of[k]]);
    if (!signs_hold(t, sign, &on_t)) return KIN_MEET_APART;
    kin_vec3 at = side[0] == 0 ? s->p[0] : side[1] == 0 ? s->p[1] : pierce(s->p[0], s->p[1], t->p);
    if (on_t >= KIN_FEATURE_CORNER0) at = t->p[on_t - KIN_FEATURE_CORNER0];
    kin_feature on_a = swapped ? on_t : on_s, on_b = swapped ? on_s : on_t;
    if (m != NULL) *m = (kin_meeting){KIN_MEET_POINT, at, at, on_a, on_b, on_a, on_b};
    return KIN_MEET_POINT;
}

/* One or both without area, or both in one plane. */
static kin_meet meet_shapes(shape* a, shape* b, kin_meeting* m)
{
    if (a->count == 3 && b->count == 3) return meet_in_plane(a, b, m);
    if (a->count < 3 && b->count < 3) {
        bool skew = a->count == 2 && b->count == 2 && kin_orient3d(a->p[0], a->p[1], b->p[0], b->p[1]) != 0;
        return skew ? KIN_MEET_APART : meet_in_plane(a, b, m);
    }
    bool swapped = a->count == 3;
    const shape *s = swapped ? b : a, *t = swapped ? a : b;
    int side[2] = {0};
    for (int k = 0; k < s->count; ++k) side[k] = kin_orient3d(t->p[0], t->p[1], t->p[2], s->p[k]);
    if (s->count == 1) return side[0] != 0 ? KIN_MEET_APART : meet_in_plane(a, b, m);
    if (side[0] == 0 && side[1] == 0) return meet_in_plane(a, b, m);
    return side[0] == side[1] ? KIN_MEET_APART : meet_piercing(s, side, t, swapped, m);
}

/* ---- what is asked ---- */

kin_meet kin_triangle_triangle(const kin_vec3 a[3], const kin_vec3 b[3], kin_meeting* m)
{
    if (m != NULL) *m = (kin_meeting){KIN_MEET_APART};
    sides sb = sides_of(a, b);
    if (sb.apart) return KIN_MEET_APART;
    sides sa = sides_of(b, a);
    if (sa.apart) return KIN_MEET_APART;
    if (!sa.flat && !sb.flat) return meet_across(a, &sa, b, &sb, m);
    shape shape_a = triangle_shape(a), shape_b = triangle_shape(b);
    return meet_shapes(&shape_a, &shape_b, m);
}

kin_meet kin_segment_triangle(const kin_vec3 segment[2], const kin_vec3 triangle[3], kin_meeting* m)
{
    if (m != NULL) *m = (kin_meeting){KIN_MEET_APART};
    shape s = line_shape(segment, 2), t = triangle_shape(triangle);
    return meet_shapes(&s, &t, m);
}

kin_meet kin_segment_segment(const kin_vec3 a[2], const kin_vec3 b[2], kin_meeting* m)
{
    if (m != NULL) *m = (kin_meeting){KIN_MEET_APART};
    shape sa = line_shape(a, 2), sb = line_shape(b, 2);
    return meet_shapes(&sa, &sb, m);
}

bool kin_point_triangle(kin_vec3 x, const kin_vec3 triangle[3])
{
    shape p = line_shape(&x, 1), t = triangle_shape(triangle);
    return meet_shapes(&p, &t, NULL) != KIN_MEET_APART;
}

int kin_triangle_overlap(const kin_vec3 a[3], const kin_vec3 b[3], kin_vec3 corners[KIN_OVERLAP_CORNERS])
{
    shape sa = triangle_shape(a), sb = triangle_shape(b);
    if (sa.count < 3 || sb.count < 3 || !sides_of(a, b).flat) return 0;
    shared_set set;
    int axis = share_in_plane(&sa, &sb, &set), count = set.count < KIN_OVERLAP_CORNERS ? set.count : KIN_OVERLAP_CORNERS;
    if (!has_area(axis, &sa, &sb)) return 0;
    kin_vec3 middle = {0, 0, 0};
    for (int i = 0; i < count; ++i) middle = kin_add_scaled(middle, 1.0 / count, set.points[i].at);
    double angle[KIN_OVERLAP_CORNERS];
    for (int i = 0; i < count; ++i) { /* sorted round the middle as they come */
        double p[2];
        project(kin_sub(set.points[i].at, middle), axis, p);
        double turn = sa.turn * kin_atan2(p[1], p[0]);
        int at = i;
        for (; at > 0 && angle[at - 1] > turn; --at) angle[at] = angle[at - 1], corners[at] = corners[at - 1];
        angle[at] = turn, corners[at] = set.points[i].at;
    }
    return count;
}
