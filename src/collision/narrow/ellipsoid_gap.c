/* ellipsoid_gap.c - an ellipsoid against polyhedra, solids of revolution and other ellipsoids: directions from features, the best kept (ellipsoid.h).
 *
 *   vertex     the nearest point of the ellipsoid
 *   edge       that of the ellipse which the ellipsoid casts along it
 *   face       its normal
 *   rim        Newton steps on the sphere of directions; ellipsoids too
 *   mantle     of a cylinder: the edge on its axis; of a cone: Newton steps round the axis
 *
 * Polyhedra are not searched feature by feature: a set of vertices grows by the one that reaches farthest along the best direction so far, as in the iteration of
 * Gilbert, Johnson and Keerthi, but each set's direction is exact. */
#include "collision/narrow/ellipsoid.h"
#include "collision/narrow/epa.h"
#include "geometry/triangle.h"
#include "math/frame.h"
#include "math/quat.h"

#define DEEP 0.01      /* of the least semi-axis: from there the shortest way out may lead through a feature that no search began near */
#define ROUNDING 4e-15 /* of the coordinates */

/* The other body, seen from the ellipsoid, and the best direction so far. */
typedef struct seek {
    kin_vec3 half;
    const kin_convex* other;
    kin_mat3 turn;
    kin_vec3 shift;
    uint32_t hint;
    kin_vec3 best;
    double most; /* m: its separation */
    int tries;
} seek;

static kin_vec3 from_other(const seek* s, kin_vec3 x) { return kin_add(kin_mat3_apply(s->turn, x), s->shift); }

static double reach_of(kin_vec3 half, kin_vec3 n) { return kin_length(kin_mul(half, n)); }

static kin_vec3 support_of_other(seek* s, kin_vec3 n) { return from_other(s, kin_convex_support(s->other, kin_mat3_apply_transposed(s->turn, n), &s->hint)); }

static void try_direction(seek* s, kin_vec3 n)
{
    const double separation = -reach_of(s->half, n) - kin_dot(n, support_of_other(s, n));
    s->tries += 1;
    if (separation > s->most) s->most = separation, s->best = n;
}

/* ---- directions of features ---- */

static kin_vec3 of_vertex(const seek* s, kin_vec3 p) { return kin_neg(kin_ellipsoid_closest(s->half, p).normal); }

/* Across a line through p along e (unit): the ellipse has the axes of the 2 x 2 matrix of squared widths, whose determinant is exact where its roots cancel. */
static kin_vec3 of_line(const seek* s, kin_vec3 p, kin_vec3 e)
{
    const kin_basis basis = kin_basis_from_normal(e);
    const kin_vec3 h = s->half, u = basis.t, v = basis.k, hu = kin_mul(h, u), hv = kin_mul(h, v);
    const double uu = kin_length2(hu), vv = kin_length2(hv), uv = kin_dot(hu, hv), mean = 0.5 * (uu + vv), off = 0.5 * (uu - vv);
    const double wide2 = mean + kin_sqrt(off * off + uv * uv), narrow2 = kin_length2(kin_mul(kin_v(h.y * h.z, h.z * h.x, h.x * h.y), e)) / wide2;
    double c = uu - narrow2, k = uv;
    if (vv > uu) c = uv, k = vv - narrow2;
    const double length = kin_sqrt(c * c + k * k);
    if (length > 0)
        c /= length, k /= length;
    else
        c = 1, k = 0;
    const kin_vec3 along = kin_add_scaled(kin_scale(u, c), k, v), across = kin_cross(e, along);
    const double wide = kin_sqrt(wide2), narrow = kin_sqrt(narrow2);
    const kin_vec3 n = kin_ellipsoid_closest(kin_v(wide, narrow, wide), kin_v(kin_dot(p, along), kin_dot(p, across), 0)).normal;
    return kin_neg(kin_add_scaled(kin_scale(along, n.x), n.y, across));
}

/* ---- polyhedra ---- */

typedef struct vertices {
    kin_vec3 p[4];
    int count;
} vertices;

/* What only these vertices let a direction separate. */
static double separation_of(const seek* s, const vertices* set, kin_vec3 n)
{
    double far = kin_dot(n, set->p[0]);
    for (int i = 1; i < set->count; ++i) far = kin_max(far, kin_dot(n, set->p[i]));
    return -reach_of(s->half, n) - far;
}

static int directions_of(const seek* s, const vertices* set, unsigned mask, kin_vec3 out[2])
{
    kin_vec3 p[3];
    int count = 0;
    for (int i = 0; i < set->count; ++i) {
        if (mask >> i & 1) p[count++] = set->p[i];
    }
    if (count == 1) return out[0] = of_vertex(s, p[0]), 1;
    const kin_vec3 e = kin_sub(p[1], p[0]);
    if (count == 2) return out[0] = of_line(s, p[0], kin_normalize_or(e, kin_v(0, 0, 0))), kin_length2(e) > 0;
    const kin_vec3 f = kin_sub(p[2], p[0]), n = kin_cross(e, f);
    if (!(kin_length2(n) > 1e-24 * kin_length2(e) * kin_length2(f))) return 0; /* a needle: its edges say all */
    out[0] = kin_normalize_or(n, kin_v(0, 1, 0));
    out[1] = kin_neg(out[0]);
    return 2;
}

/* The best direction of all subsets that hold the last vertex; the others leave the set. */
static kin_vec3 best_of(const seek* s, vertices* set, kin_vec3 otherwise)
{
    static const int bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    const unsigned last = 1u << (set->count - 1);
    kin_vec3 best = otherwise;
    double most = -__builtin_inf();
    unsigned chosen = last;
    for (unsigned mask = last; mask < 2 * last; ++mask) {
        kin_vec3 n[2];
        if (bits[mask] > 3) continue;
        const int count = directions_of(s, set, mask, n);
        for (int i = 0; i < count; ++i) {
            const double separation = separation_of(s, set, n[i]);
            if (separation > most) most = separation, best = n[i], chosen = mask;
        }
    }
    vertices kept = {.count = 0};
    for (int i = 0; i < set->count; ++i) {
        if (chosen >> i & 1) kept.p[kept.count++] = set->p[i];
    }
    *set = kept;
    return best;
}

/* Until no vertex reaches farther than those of the set. Each set is worse than the one before, so it ends. */
static void walk(seek* s, kin_vec3 n)
{
    enum { MOST_STEPS = 64 };
    vertices set = {.count = 0};
    for (int k = 0; k < MOST_STEPS; ++k) {
        const kin_vec3 p = support_of_other(s, n);
        double far = -__builtin_inf();
        for (int i = 0; i < set.count; ++i) far = kin_max(far, kin_dot(n, set.p[i]));
        if (kin_dot(n, p) <= far + ROUNDING * (kin_length(p) + kin_largest(s->half))) return;
        set.p[set.count++] = p;
        n = best_of(s, &set, n);
        try_direction(s, n);
    }
}

static kin_vec3 towards(const seek* s, kin_vec3 p) { return kin_normalize_or(kin_neg(p), of_vertex(s, s->shift)); }

static void try_faces(seek* s)
{
    const kin_convex* c = s->other;
    for (int k = 0; c->core == KIN_CORE_BOX && k < 6; ++k) try_direction(s, kin_scale(kin_mat3_column(s->turn, k / 2), k & 1 ? 1 : -1));
    for (uint32_t i = 0; c->core == KIN_CORE_HULL && i < c->hull->face_count; ++i) try_direction(s, kin_mat3_apply(s->turn, c->hull->planes[i].normal));
}

static void seek_polyhedron(seek* s)
{
    const kin_convex* c = s->other;
    kin_vec3 middle = s->shift;
    if (c->core == KIN_CORE_HULL) middle = from_other(s, c->hull->center);
    if (c->core == KIN_CORE_TRIANGLE) middle = from_other(s, kin_scale(kin_add(kin_add(c->p[0], c->p[1]), c->p[2]), 1.0 / 3));
    walk(s, towards(s, middle));
    if (s->most > 0) return; /* apart: no other direction separates them more */
    const kin_vec3 before = s->best;
    try_faces(s);
    if (kin_distance(before, s->best) > 0) walk(s, s->best);
}

/* ---- smooth features: Newton steps on the sphere ---- */

/* A rim, a vertex or another ellipsoid. */
typedef struct smooth {
    kin_vec3 centre, axis; /* of a disc; the vertex */
    double radius;         /* 0: a vertex */
    bool is_ellipsoid;     /* the other body */
} smooth;

static kin_vec3 support_of(seek* s, const smooth* f, kin_vec3 n, kin_sym3* curvature)
{
    if (f->is_ellipsoid) {
        *curvature = kin_sym3_rotate(s->turn, kin_ellipsoid_curvature(s->other->half, kin_mat3_apply_transposed(s->turn, n)));
        return support_of_other(s, n);
    }
    const kin_vec3 flat = kin_add_scaled(n, -kin_dot(n, f->axis), f->axis);
    const double length = kin_length(flat);
    *curvature = kin_sym3_diagonal(kin_v(0, 0, 0));
    if (!(f->radius > 0 && length > 1e-12)) return f->centre; /* a vertex; or as good as the cap */
    const kin_vec3 out = kin_scale(flat, 1 / length);
    *curvature = kin_sym3_scale(kin_sym3_square(kin_cross(f->axis, out)), f->radius / length);
    return kin_add_scaled(f->centre, f->radius, out);
}

typedef struct slope {
    kin_vec3 gradient; /* m, across n */
    kin_sym3 curvature;
    double separation;
} slope;

static slope slope_at(seek* s, const smooth* f, kin_vec3 n)
{
    kin_sym3 other;
    const kin_vec3 on_other = support_of(s, f, n, &other);
    const kin_vec3 at = kin_neg(kin_support_ellipsoid(s->half, n)), apart = kin_sub(at, on_other);
    const double separation = kin_dot(n, apart);
    return (slope){kin_add_scaled(apart, -separation, n), kin_sym3_add(other, kin_ellipsoid_curvature(s->half, n)), separation};
}

/* The Newton step: (C_a + C_b + s) d = gradient across n. Where that is no way up, along its directions by what their curvature is without its sign. */
static kin_vec3 step_of(const slope* g, kin_vec3 n)
{
    const kin_basis basis = kin_basis_from_normal(n);
    const kin_vec3 u = basis.t, v = basis.k;
    const kin_vec3 cu = kin_sym3_apply(g->curvature, u), cv = kin_sym3_apply(g->curvature, v);
    const double uu = kin_dot(u, cu) + g->separation, vv = kin_dot(v, cv) + g->separation, uv = kin_dot(u, cv), mean = 0.5 * (uu + vv), off = 0.5 * (uu - vv);
    const double spread = kin_sqrt(off * off + uv * uv), high = mean + spread;
    double low = mean - spread, c = uu - low, k = uv;
    if (vv > uu) c = uv, k = vv - low;
    const double length = kin_sqrt(c * c + k * k);
    if (length > 0)
        c /= length, k /= length;
    else
        c = 1, k = 0;
    if (low > 0) low = (uu * vv - uv * uv) / high; /* no difference of near equals */
    const kin_vec3 along = kin_add_scaled(kin_scale(u, c), k, v), across = kin_cross(n, along);
    const double tiny = 1e-12 * (kin_abs(high) + kin_abs(low));
    kin_vec3 d = kin_scale(along, kin_dot(along, g->gradient) / kin_max(kin_abs(high), tiny + 1e-300));
    d = kin_add_scaled(d, kin_dot(across, g->gradient) / kin_max(kin_abs(low), tiny + 1e-300), across);
    const double far = kin_length(d);
    return far > 0.5 ? kin_scale(d, 0.5 / far) : d;
}

/* Uphill from n. Separations that differ by rounding are told apart by their slopes. */
static void climb(seek* s, const smooth* f, kin_vec3 n)
{
    enum { MOST_STEPS = 60, MOST_HALVES = 24 };
    const double scale = kin_largest(s->half) + kin_length(f->centre);
    slope here = slope_at(s, f, n);
    for (int k = 0; k < MOST_STEPS; ++k) {
        kin_vec3 d = step_of(&here, n), next = n;
        slope there = here;
        bool is_better = false;
        for (int i = 0; i < MOST_HALVES && !is_better; ++i, d = kin_scale(d, 0.5)) {
            next = kin_normalize_or(kin_add(n, d), n);
            there = slope_at(s, f, next);
            const double gain = there.separation - here.separation;
            is_better = gain > ROUNDING * scale || (gain > -ROUNDING * scale && kin_length2(there.gradient) < 0.25 * kin_length2(here.gradient));
        }
        if (!is_better) break;
        n = next, here = there;
    }
    try_direction(s, n);
}

static void seek_ellipsoid(seek* s)
{
    const smooth f = {.centre = s->shift, .is_ellipsoid = true};
    climb(s, &f, towards(s, s->shift));
    for (int k = 0; s->most <= 0 && k < 12; ++k) { /* overlapping: the way out may be across any of both */
        const kin_vec3 axis = k < 6 ? kin_axis(k / 2) : kin_mat3_column(s->turn, k / 2 - 3);
        climb(s, &f, k & 1 ? axis : kin_neg(axis));
    }
}

/* ---- solids of revolution ---- */

/* Of a cone's mantle, or an edge (sine 0), in the outward direction `out` across its axis: n = cosine out + sine axis, and s = -|D n| - n . on. */
typedef struct mantle {
    kin_vec3 on, axis;
    double cosine, sine;
} mantle;

typedef struct lean {
    kin_vec3 n;
    double separation, rate, bend; /* and its derivatives over the angle round the axis, the second without its sign */
} lean;

static lean lean_at(const seek* s, const mantle* m, kin_vec3 out)
{
    const kin_vec3 tangent = kin_cross(m->axis, out), n = kin_add_scaled(kin_scale(out, m->cosine), m->sine, m->axis);
    const kin_vec3 at = kin_sub(kin_neg(kin_support_ellipsoid(s->half, n)), m->on);
    const double curved = kin_dot(tangent, kin_sym3_apply(kin_ellipsoid_curvature(s->half, n), tangent));
    return (lean){n, kin_dot(n, at), m->cosine * kin_dot(tangent, at), m->cosine * (kin_dot(out, at) + m->cosine * curved)};
}

static void round_mantle(seek* s, const mantle* m, kin_vec3 out)
{
    enum { MOST_STEPS = 40, MOST_HALVES = 24 };
    const double scale = kin_largest(s->half) + kin_length(m->on);
    lean here = lean_at(s, m, out);
    for (int k = 0; k < MOST_STEPS; ++k) {
        double turn = kin_clamp(here.rate / kin_max(kin_abs(here.bend), 1e-300), -0.5, 0.5);
        kin_vec3 next = out;
        lean there = here;
        bool is_better = false;
        for (int i = 0; i < MOST_HALVES && !is_better; ++i, turn *= 0.5) {
            next = kin_normalize_or(kin_add_scaled(out, turn, kin_cross(m->axis, out)), out);
            there = lean_at(s, m, next);
            const double gain = there.separation - here.separation;
            is_better = gain > ROUNDING * scale || (gain > -ROUNDING * scale && kin_abs(there.rate) < 0.5 * kin_abs(here.rate));
        }
        if (!is_better) break;
        out = next, here = there;
    }
    try_direction(s, here.n);
}

static double beyond_planes(const kin_hull* hull, kin_vec3 x)
{
    double most = -__builtin_inf();
    for (uint32_t i = 0; i < hull->face_count; ++i) most = kin_max(most, kin_dot(hull->planes[i].normal, x) - hull->planes[i].offset);
    return most;
}

/* How far a point is from a core, m, up to a factor where it is beside a corner; negative inside. */
static double beyond(const kin_convex* c, kin_vec3 x)
{
    const double rho = kin_sqrt(x.x * x.x + x.z * x.z);
    kin_feature ignored;
    switch (c->core) {
    case KIN_CORE_SEGMENT: return kin_max(rho, kin_abs(x.y) - c->half.y);
    case KIN_CORE_BOX: return kin_largest(kin_sub(kin_abs3(x), c->half));
    case KIN_CORE_HULL: return beyond_planes(c->hull, x);
    case KIN_CORE_TRIANGLE: return kin_distance(x, kin_closest_on_triangle(c->p[0], c->p[1], c->p[2], x, &ignored));
    case KIN_CORE_CONE: return kin_max(kin_abs(x.y) - c->half.y, rho - c->half.x * (c->half.y - x.y) / (2 * c->half.y));
    case KIN_CORE_CYLINDER: return kin_max(kin_abs(x.y) - c->half.y, rho - c->half.x);
    default: return -1; /* of ellipsoids a point is found by its direction */
    }
}

/* Whether the point of the other body that the best direction leads to is one of it: then no direction near by is better, and apart none at all. */
static bool is_settled(const seek* s)
{
    const kin_vec3 at = kin_neg(kin_support_ellipsoid(s->half, s->best)), x = kin_sub(kin_add_scaled(at, -s->most, s->best), s->shift);
    return beyond(s->other, kin_mat3_apply_transposed(s->turn, x)) <= 1e-11 * (kin_length(at) + kin_length(x) + kin_length(s->shift));
}

static mantle mantle_of(const seek* s)
{
    const kin_vec3 half = s->other->half, axis = s->turn.cy;
    const double slant = kin_sqrt(half.x * half.x + 4 * half.y * half.y);
    return (mantle){kin_add_scaled(s->shift, half.y, axis), axis, 2 * half.y / slant, half.x / slant};
}

static kin_vec3 across_axis(kin_vec3 axis, kin_vec3 v) { return kin_normalize_or(kin_add_scaled(v, -kin_dot(v, axis), axis), kin_basis_from_normal(axis).t); }

static void climb_rims(seek* s, const smooth* rims, int count)
{
    const kin_vec3 axis = rims[0].axis, u = across_axis(axis, axis), v = kin_cross(axis, u), round[4] = {u, v, kin_neg(u), kin_neg(v)};
    for (int i = 0; i < count; ++i) {
        const kin_vec3 best = s->best, end = i == 0 ? kin_neg(axis) : axis;
        climb(s, &rims[i], best);
        for (int k = 0; k < 4 && (s->most <= 0 || !is_settled(s)); ++k) climb(s, &rims[i], kin_normalize_or(kin_add(end, round[k]), end));
    }
}

static void try_mantle(seek* s)
{
    const kin_vec3 axis = s->turn.cy;
    if (s->other->core == KIN_CORE_CYLINDER) {
        try_direction(s, of_line(s, s->shift, axis));
        return;
    }
    const mantle m = mantle_of(s);
    const kin_vec3 out = across_axis(axis, kin_neg(s->shift));
    round_mantle(s, &m, out);
    if (!is_settled(s)) round_mantle(s, &m, kin_neg(out));
    try_direction(s, of_vertex(s, m.on));
}

static void seek_revolved(seek* s)
{
    const kin_convex* c = s->other;
    const kin_vec3 axis = s->turn.cy, top = kin_add_scaled(s->shift, c->half.y, axis), bottom = kin_add_scaled(s->shift, -c->half.y, axis);
    const smooth rims[2] = {{bottom, axis, c->half.x, false}, {top, axis, c->half.x, false}};
    const int count = c->core == KIN_CORE_CONE ? 1 : 2;
    try_direction(s, kin_neg(axis));
    try_direction(s, axis);
    try_mantle(s);
    for (int i = 0; i < count; ++i) climb(s, &rims[i], towards(s, rims[i].centre));
    if (s->most <= 0 || !is_settled(s)) climb_rims(s, rims, count);
}

/* ---- the answer ---- */

/* Uphill from n with each vertex, and along each edge, of those that reach farthest about it: exact, where n is known but roughly. */
static void climb_near(seek* s, kin_vec3 n)
{
    static const double apart[4] = {1e-5, 1e-4, 1e-3, 1e-2};
    const kin_basis basis = kin_basis_from_normal(n);
    const kin_vec3 u = basis.t, v = basis.k, round[4] = {u, v, kin_neg(u), kin_neg(v)};
    for (int k = 0; k < 4; ++k) {
        kin_vec3 p[4];
        for (int i = 0; i < 4; ++i) p[i] = support_of_other(s, kin_add_scaled(n, apart[k], round[i]));
        for (int i = 0; i < 4; ++i) {
            climb(s, &(smooth){.centre = p[i]}, n);
            for (int j = 0; j < i; ++j) {
                const kin_vec3 e = kin_normalize_or(kin_sub(p[j], p[i]), kin_v(0, 0, 0)), out = kin_add_scaled(n, -kin_dot(n, e), e);
                if (kin_length2(e) > 0) round_mantle(s, &(mantle){p[i], e, 1, 0}, kin_normalize_or(out, n));
            }
        }
    }
}

/* The features of a solid of revolution, uphill from n. */
static void climb_revolved(seek* s, kin_vec3 n)
{
    const kin_vec3 axis = s->turn.cy, half = s->other->half, ends[2] = {kin_add_scaled(s->shift, -half.y, axis), kin_add_scaled(s->shift, half.y, axis)};
    const bool cone = s->other->core == KIN_CORE_CONE;
    climb(s, &(smooth){ends[0], axis, half.x, false}, n);
    climb(s, &(smooth){ends[1], axis, cone ? 0 : half.x, false}, n);
    const mantle m = cone ? mantle_of(s) : (mantle){s->shift, axis, 1, 0};
    round_mantle(s, &m, across_axis(axis, n));
}

/* Where a body is far inside the other the way out may be any: that of the expanding polytope, made exact. */
static void seek_deep(seek* s, const kin_convex* a, const kin_convex* b, kin_transform b_in_a)
{
    kin_epa_result e;
    if (!kin_epa_depth(a, b, b_in_a, NULL, NULL, &e)) return;
    try_direction(s, e.normal);
    if (b->core == KIN_CORE_ELLIPSOID)
        climb(s, &(smooth){.centre = s->shift, .is_ellipsoid = true}, e.normal);
    else if (kin_convex_is_polyhedral(b))
        climb_near(s, e.normal);
    else
        climb_revolved(s, e.normal);
}

/* The ellipsoid is a; b in its frame. */
static void gap_of(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gap* out)
{
    seek s = {.half = a->half, .other = b, .turn = kin_quat_to_matrix(b_in_a.orientation), .shift = b_in_a.position, .most = -__builtin_inf()};
    s.best = towards(&s, s.shift);
    if (b->core == KIN_CORE_ELLIPSOID)
        seek_ellipsoid(&s);
    else if (b->core == KIN_CORE_CYLINDER || b->core == KIN_CORE_CONE)
        seek_revolved(&s);
    else
        seek_polyhedron(&s);
    const double deep = DEEP * kin_min(s.half.x, kin_min(s.half.y, s.half.z));
    if (s.most < -deep || (s.most <= 0 && !is_settled(&s))) seek_deep(&s, a, b, b_in_a);
    out->distance = s.most - a->radius - b->radius;
    out->normal = s.best;
    out->on_a = kin_neg(kin_support_ellipsoid(s.half, s.best));
    out->on_b = kin_add_scaled(out->on_a, -out->distance, s.best);
    out->iterations = s.tries;
}

void kin_ellipsoid_gap(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gap* out)
{
    if (a->core == KIN_CORE_ELLIPSOID) {
        gap_of(a, b, b_in_a, out);
        return;
    }
    kin_gap seen;
    gap_of(b, a, kin_transform_inverse(b_in_a), &seen);
    out->distance = seen.distance;
    out->normal = kin_neg(kin_rotate(b_in_a.orientation, seen.normal));
    out->on_a = kin_apply(b_in_a, seen.on_b);
    out->on_b = kin_apply(b_in_a, seen.on_a);
    out->iterations = seen.iterations;
}
