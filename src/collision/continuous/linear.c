/* linear.c - vertex against face and edge against edge: four points that go straight lie in one plane at the roots of a cubic. Where they always do, the
 * motion is in that plane, and vertices meet edges at the roots of quadratics; where they all stay on one line, of linear functions. */
#include "collision/continuous/linear.h"
#include "math/primitive.h"
#include "numerics/roots.h"

#define TOUCH 1e-9 /* of the size of the numbers: this near is on it */

/* A vector that changes linearly: at t it is v + t d. */
typedef struct linear3 {
    kin_vec3 v, d;
} linear3;

static linear3 between(kin_mover a, kin_mover b) /* from a to b */
{
    kin_vec3 start = kin_sub(b.from, a.from);
    return (linear3){start, kin_sub(kin_sub(b.to, a.to), start)};
}

static double size_of(const kin_mover* m, int count)
{
    double size = 0;
    for (int i = 0; i < count; ++i) size = kin_max(size, kin_max(kin_largest(kin_abs3(m[i].from)), kin_largest(kin_abs3(m[i].to))));
    return size;
}

static double length_of(linear3 a) { return kin_max(kin_length(a.v), kin_length(kin_add(a.v, a.d))); }

/* det [a b c] as a cubic in t. */
static void triple_cubic(linear3 a, linear3 b, linear3 c, double f[4])
{
    f[0] = kin_triple(a.v, b.v, c.v);
    f[1] = kin_triple(a.d, b.v, c.v) + kin_triple(a.v, b.d, c.v) + kin_triple(a.v, b.v, c.d);
    f[2] = kin_triple(a.v, b.d, c.d) + kin_triple(a.d, b.v, c.d) + kin_triple(a.d, b.d, c.v);
    f[3] = kin_triple(a.d, b.d, c.d);
}

/* What counts as no volume: the product of the lengths, less what rounding of the coordinates can make. */
static double flat_noise(linear3 a, linear3 b, linear3 c, double size)
{
    double la = length_of(a), lb = length_of(b), lc = length_of(c);
    return 1e-12 * la * lb * lc + 1e-15 * size * (la * lb + lb * lc + lc * la);
}

/* The normal turned so that A comes towards B along it. */
static kin_vec3 against(kin_vec3 n, kin_vec3 approach) { return kin_dot(n, approach) > 0 ? kin_neg(n) : n; }

static kin_vec3 speed_of(kin_mover m) { return kin_sub(m.to, m.from); }

/* ---- a vertex and an edge in one plane, or on one line ---- */

static kin_vec3 edge_normal(kin_mover a, const kin_mover b[2], double t, double along)
{
    kin_vec3 edge = kin_sub(kin_mover_at(b[1], t), kin_mover_at(b[0], t));
    kin_vec3 approach = kin_sub(speed_of(a), kin_add(kin_scale(speed_of(b[0]), 1 - along), kin_scale(speed_of(b[1]), along)));
    kin_vec3 n = kin_reject(kin_neg(approach), edge);
    if (kin_length2(n) <= 1e-20 * kin_length2(approach)) n = kin_neg(approach); /* along the edge: it meets its end */
    return kin_normalize_or(n, kin_v(0, 1, 0));
}

static bool on_edge(kin_mover a, const kin_mover b[2], double t, double near, kin_impact* out)
{
    kin_vec3 x = kin_mover_at(a, t), p = kin_mover_at(b[0], t), q = kin_mover_at(b[1], t);
    double along = kin_segment_closest(p, q, x);
    if (kin_distance(x, kin_lerp(p, q, along)) > near) return false;
    *out = (kin_impact){.kind = KIN_IMPACT_VERTEX_EDGE, .t = t, .point = x, .normal = edge_normal(a, b, t, along)};
    return true;
}

/* The component of a x b with the largest coefficients, as a quadratic. Its size is returned. */
static double cross_quadratic(linear3 a, linear3 b, double f[3])
{
    kin_vec3 c0 = kin_cross(a.v, b.v), c1 = kin_add(kin_cross(a.d, b.v), kin_cross(a.v, b.d)), c2 = kin_cross(a.d, b.d);
    int axis = 0;
    double most = -1;
    for (int i = 0; i < 3; ++i) {
        double size = kin_abs(kin_component(c0, i)) + kin_abs(kin_component(c1, i)) + kin_abs(kin_component(c2, i));
        if (size > most) most = size, axis = i;
    }
    f[0] = kin_component(c0, axis);
    f[1] = kin_component(c1, axis);
    f[2] = kin_component(c2, axis);
    return most;
}

/* All on one line: the vertex passes an end of the edge. */
static bool meet_on_line(kin_mover a, const kin_mover b[2], double near, kin_impact* out)
{
    bool found = false;
    for (int end = 0; end < 2; ++end) {
        linear3 gap = between(b[end], a);
        double square = kin_length2(gap.d), t = square > 0 ? -kin_dot(gap.v, gap.d) / square : 0;
        kin_impact m;
        if (t >= 0 && t <= 1 && (!found || t < out->t) && on_edge(a, b, t, near, &m)) *out = m, found = true;
    }
    return found;
}

bool kin_impact_vertex_edge(kin_mover a, const kin_mover b[2], kin_impact* out)
{
    const kin_mover all[3] = {a, b[0], b[1]};
    double near = TOUCH * size_of(all, 3), f[3], roots[2];
    if (on_edge(a, b, 0, near, out)) return true;
    linear3 edge = between(b[0], b[1]), gap = between(b[0], a);
    double most = cross_quadratic(edge, gap, f);
    if (most <= 1e-12 * length_of(edge) * length_of(gap)) return meet_on_line(a, b, near, out);
    int count = kin_roots(f, 2, 0, 1, roots);
    for (int i = 0; i < count; ++i) {
        if (on_edge(a, b, roots[i], near, out)) return true;
    }
    return meet_on_line(a, b, near, out); /* the chosen component may vanish where the others do not: ends are tested in any case */
}

/* ---- vertex and face ---- */

static bool in_face(kin_mover a, const kin_mover b[3], double t, double near, kin_impact* out)
{
    kin_vec3 x = kin_mover_at(a, t), p = kin_mover_at(b[0], t), q = kin_mover_at(b[1], t), r = kin_mover_at(b[2], t);
    kin_vec3 n = kin_cross(kin_sub(q, p), kin_sub(r, p));
    double area2 = kin_length2(n);
    if (area2 == 0) return false;
    double u = kin_triple(n, kin_sub(q, p), kin_sub(x, p)) / area2, v = kin_triple(n, kin_sub(r, q), kin_sub(x, q)) / area2,
           w = kin_triple(n, kin_sub(p, r), kin_sub(x, r)) / area2; /* weights of r, p, q */
    double longest = kin_sqrt(kin_max(kin_length2(kin_sub(q, p)), kin_max(kin_length2(kin_sub(r, q)), kin_length2(kin_sub(p, r)))));
    double slack = near * longest / kin_sqrt(area2);
    if (u < -slack || v < -slack || w < -slack) return false;
    kin_vec3 face = kin_add(kin_add(kin_scale(speed_of(b[0]), v), kin_scale(speed_of(b[1]), w)), kin_scale(speed_of(b[2]), u));
    *out = (kin_impact){.kind = KIN_IMPACT_VERTEX_FACE, .t = t, .point = x, .normal = against(kin_scale(n, 1 / kin_sqrt(area2)), kin_sub(speed_of(a), face))};
    return true;
}

/* In the plane: inside from the start, or through one of the sides. */
static bool meet_in_plane(kin_mover a, const kin_mover b[3], double near, kin_impact* out)
{
    if (in_face(a, b, 0, near, out)) return true;
    bool found = false;
    for (uint32_t k = 0; k < 3; ++k) {
        kin_impact m;
        if (!kin_impact_vertex_edge(a, (kin_mover[2]){b[k], b[(k + 1) % 3]}, &m) || (found && m.t >= out->t)) continue;
        *out = m;
        out->b = k;
        found = true;
    }
    return found;
}

bool kin_impact_vertex_face(kin_mover a, const kin_mover b[3], kin_impact* out)
{
    const kin_mover all[4] = {a, b[0], b[1], b[2]};
    double size = size_of(all, 4), near = TOUCH * size, f[4], roots[3];
    linear3 gap = between(b[0], a), e = between(b[0], b[1]), g = between(b[0], b[2]);
    triple_cubic(gap, e, g, f);
    if (kin_polynomial_vanishes(f, 3, 0, 1, flat_noise(gap, e, g, size))) return meet_in_plane(a, b, near, out);
    int count = kin_roots(f, 3, 0, 1, roots);
    for (int i = 0; i < count; ++i) {
        if (in_face(a, b, roots[i], near, out)) return true;
    }
    return false;
}

/* ---- edges ---- */

static bool edges_touch(const kin_mover a[2], const kin_mover b[2], double t, double near, kin_impact* out)
{
    kin_vec3 p = kin_mover_at(a[0], t), q = kin_mover_at(a[1], t), r = kin_mover_at(b[0], t), s = kin_mover_at(b[1], t);
    kin_segment_pair c = kin_segments_closest(p, q, r, s);
    if (c.distance > near) return false;
    kin_vec3 va = kin_lerp(speed_of(a[0]), speed_of(a[1]), c.s), vb = kin_lerp(speed_of(b[0]), speed_of(b[1]), c.t), approach = kin_sub(va, vb);
    kin_vec3 n = kin_cross(kin_sub(q, p), kin_sub(s, r));
    if (kin_length2(n) <= 1e-20 * kin_length2(kin_sub(q, p)) * kin_length2(kin_sub(s, r))) n = kin_reject(kin_neg(approach), kin_sub(q, p));
    *out = (kin_impact){.kind = KIN_IMPACT_EDGE_EDGE, .t = t, .point = kin_lerp(p, q, c.s), .normal = against(kin_normalize_or(n, kin_v(0, 1, 0)), approach)};
    return true;
}

static bool meet_edges_in_plane(const kin_mover a[2], const kin_mover b[2], double near, kin_impact* out)
{
    if (edges_touch(a, b, 0, near, out)) return true;
    bool found = false;
    for (int k = 0; k < 4; ++k) {
        kin_impact m;
        bool of_a = k < 2;
        if (!(of_a ? kin_impact_vertex_edge(a[k], b, &m) : kin_impact_vertex_edge(b[k - 2], a, &m)) || (found && m.t >= out->t)) continue;
        if (!of_a) m.normal = kin_neg(m.normal);
        *out = m;
        found = true;
    }
    return found;
}

bool kin_impact_edges(const kin_mover a[2], const kin_mover b[2], kin_impact* out)
{
    const kin_mover all[4] = {a[0], a[1], b[0], b[1]};
    double size = size_of(all, 4), near = TOUCH * size, f[4], roots[3];
    linear3 gap = between(b[0], a[0]), e = between(a[0], a[1]), g = between(b[0], b[1]);
    triple_cubic(gap, e, g, f);
    if (kin_polynomial_vanishes(f, 3, 0, 1, flat_noise(gap, e, g, size))) return meet_edges_in_plane(a, b, near, out);
    int count = kin_roots(f, 3, 0, 1, roots);
    for (int i = 0; i < count; ++i) {
        if (edges_touch(a, b, roots[i], near, out)) return true;
    }
    return false;
}

/* ---- triangles ---- */

static bool worth_a_test(bool apart, kin_impact_work* work)
{
    work->tests += 1;
    work->apart += apart;
    return !apart;
}

static void keep_vertex_face(kin_mover vertex, const kin_mover face[3], uint32_t k, bool of_a, kin_impact_work* work, kin_impact* best)
{
    kin_impact m;
    if (!worth_a_test(kin_vertex_face_apart(vertex, face), work) || !kin_impact_vertex_face(vertex, face, &m)) return;
    if (best->kind != KIN_IMPACT_NONE && m.t > best->t) return;
    if (m.kind == KIN_IMPACT_VERTEX_FACE && !of_a) m.kind = KIN_IMPACT_FACE_VERTEX;
    if (of_a) {
        m.a = k;
    } else {
        m.a = m.kind == KIN_IMPACT_VERTEX_EDGE ? m.b : 0;
        m.b = k;
        m.normal = kin_neg(m.normal);
    }
    *best = m;
}

static void keep_edges(const kin_mover a[3], uint32_t i, const kin_mover b[3], uint32_t k, kin_impact_work* work, kin_impact* best)
{
    const kin_mover ea[2] = {a[i], a[(i + 1) % 3]}, eb[2] = {b[k], b[(k + 1) % 3]};
    kin_impact m;
    if (!worth_a_test(kin_edges_apart(ea, eb), work) || !kin_impact_edges(ea, eb, &m)) return;
    if (best->kind != KIN_IMPACT_NONE && m.t >= best->t) return;
    *best = m;
    best->a = i;
    best->b = k;
}

bool kin_impact_shared_triangles(const kin_mover a[3], kin_triangle_share share_a, const kin_mover b[3], kin_triangle_share share_b, kin_impact_work* work,
                                 kin_impact* out)
{
    kin_impact_work unwatched = {0};
    if (work == NULL) work = &unwatched;
    *out = (kin_impact){.kind = KIN_IMPACT_NONE};
    for (uint32_t k = 0; k < 3; ++k) {
        if ((share_a.own >> k & 1) != 0) keep_vertex_face(a[k], b, k, true, work, out);
        if ((share_b.own >> k & 1) != 0) keep_vertex_face(b[k], a, k, false, work, out);
    }
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            if ((share_a.own >> (3 + i) & 1) != 0 && (share_b.own >> (3 + k) & 1) != 0) keep_edges(a, i, b, k, work, out);
        }
    }
    return out->kind != KIN_IMPACT_NONE;
}

bool kin_impact_triangles(const kin_mover a[3], const kin_mover b[3], kin_impact* out)
{
    const kin_triangle_share all = {KIN_TRIANGLE_OWNS_ALL};
    return kin_impact_shared_triangles(a, all, b, all, NULL, out);
}

/* ---- proofs of no meeting ---- */

/* Is there a fixed direction in which all of A stays ahead of all of B? Straight paths stay within the span of their ends. Three axes, and one more. */
static bool parted_along(kin_vec3 n, const kin_mover* a, int count_a, const kin_mover* b, int count_b, double slack)
{
    double low_a = 1e308, high_a = -1e308, low_b = 1e308, high_b = -1e308;
    for (int i = 0; i < count_a; ++i) {
        double x = kin_dot(n, a[i].from), y = kin_dot(n, a[i].to);
        low_a = kin_min(low_a, kin_min(x, y));
        high_a = kin_max(high_a, kin_max(x, y));
    }
    for (int i = 0; i < count_b; ++i) {
        double x = kin_dot(n, b[i].from), y = kin_dot(n, b[i].to);
        low_b = kin_min(low_b, kin_min(x, y));
        high_b = kin_max(high_b, kin_max(x, y));
    }
    return low_a > high_b + slack || low_b > high_a + slack;
}

static bool parted(const kin_mover* a, int count_a, const kin_mover* b, int count_b, kin_vec3 n)
{
    double slack = 2 * TOUCH * kin_max(size_of(a, count_a), size_of(b, count_b));
    for (int i = 0; i < 3; ++i) {
        if (parted_along(kin_axis(i), a, count_a, b, count_b, slack)) return true;
    }
    double length = kin_length(n);
    return length > 0 && parted_along(kin_scale(n, 1 / length), a, count_a, b, count_b, slack);
}

bool kin_vertex_face_apart(kin_mover a, const kin_mover b[3])
{
    return parted(&a, 1, b, 3, kin_cross(kin_sub(b[1].from, b[0].from), kin_sub(b[2].from, b[0].from)));
}

bool kin_edges_apart(const kin_mover a[2], const kin_mover b[2])
{
    return parted(a, 2, b, 2, kin_cross(kin_sub(a[1].from, a[0].from), kin_sub(b[1].from, b[0].from)));
}

bool kin_vertex_face_rootless(kin_mover a, const kin_mover b[3])
{
    double f[4];
    const kin_mover all[4] = {a, b[0], b[1], b[2]};
    linear3 gap = between(b[0], a), e = between(b[0], b[1]), g = between(b[0], b[2]);
    triple_cubic(gap, e, g, f);
    double noise = flat_noise(gap, e, g, size_of(all, 4));
    if (kin_abs(f[0]) <= noise || kin_abs(f[0] + f[1] + f[2] + f[3]) <= noise) return false;
    return kin_roots_count(f, 3, 0, 1) == 0;
}

/* ---- spheres and boxes ---- */

bool kin_impact_spheres(kin_mover a, double radius_a, kin_mover b, double radius_b, kin_impact* out)
{
    linear3 gap = between(b, a);
    double r = radius_a + radius_b, roots[2], f[3] = {kin_length2(gap.v) - r * r, 2 * kin_dot(gap.v, gap.d), kin_length2(gap.d)};
    double t = 0;
    if (f[0] > 0) {
        int count = kin_roots(f, 2, 0, 1, roots);
        if (count == 0) return false;
        t = roots[0];
    }
    kin_vec3 n = kin_normalize_or(kin_add_scaled(gap.v, t, gap.d), kin_v(0, 1, 0));
    *out = (kin_impact){.kind = KIN_IMPACT_ROUND, .t = t, .normal = n, .point = kin_add_scaled(kin_mover_at(b, t), radius_b, n)};
    return true;
}

/* The slab test in time: on each axis the boxes overlap over one stretch; they meet where all three stretches do. */
bool kin_impact_boxes(kin_mover a, kin_vec3 half_a, kin_mover b, kin_vec3 half_b, kin_impact* out)
{
    linear3 gap = between(b, a);
    double enter = 0, leave = 1;
    int axis = -1;
    for (int i = 0; i < 3; ++i) {
        double x = kin_component(gap.v, i), v = kin_component(gap.d, i), r = kin_component(half_a, i) + kin_component(half_b, i);
        if (v == 0) {
            if (kin_abs(x) > r) return false;
            continue;
        }
        double t0 = ((v > 0 ? -r : r) - x) / v, t1 = ((v > 0 ? r : -r) - x) / v;
        if (t0 > enter || (t0 == enter && axis < 0)) enter = t0, axis = i;
        leave = kin_min(leave, t1);
    }
    if (enter > leave) return false;
    kin_vec3 ca = kin_mover_at(a, enter), cb = kin_mover_at(b, enter), between_centres = kin_sub(ca, cb);
    if (axis < 0) { /* overlapping at the start: out by the shortest way */
        double least = 1e308;
        for (int i = 0; i < 3; ++i) {
            double depth = kin_component(half_a, i) + kin_component(half_b, i) - kin_abs(kin_component(between_centres, i));
            if (depth < least) least = depth, axis = i;
        }
    }
    kin_vec3 low = kin_max3(kin_sub(ca, half_a), kin_sub(cb, half_b)), high = kin_min3(kin_add(ca, half_a), kin_add(cb, half_b));
    kin_vec3 n = kin_scale(kin_axis(axis), kin_component(between_centres, axis) < 0 ? -1 : 1);
    *out = (kin_impact){.kind = KIN_IMPACT_ROUND, .t = enter, .normal = n, .point = kin_lerp(low, high, 0.5)};
    return true;
}
