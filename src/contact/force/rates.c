/* rates.c - how the frame and the point of a contact move while it goes on (appendix E; E10).
 *
 * Beneath each rounded surface lies a sharp feature, a distance `radius` along n from the point: a vertex (or centre), an edge, a face. The foot of the contact
 * on it moves with its body if it is a vertex, along the edge besides if it is one. */
#include "contact/force/force.h"
#include "math/frame.h"

static kin_vec3 spin_of(const kin_body* b) { return b ? b->spin : kin_v(0, 0, 0); }
static kin_vec3 velocity_at(const kin_body* b, kin_vec3 point) { return b ? kin_body_velocity_at(b, point) : kin_v(0, 0, 0); }

static kin_vec3 foot_a(const kin_touching* c) { return c->kind == KIN_TOUCH_CENTERS ? c->centre_a : kin_add_scaled(c->point, c->radius_a, c->normal); }
static kin_vec3 foot_b(const kin_touching* c) { return c->kind == KIN_TOUCH_CENTERS ? c->centre_b : kin_add_scaled(c->point, -c->radius_b, c->normal); }

/* ---- normals ---- */

/* n = +-(e_a x e_b) / |e_a x e_b|; parallel edges: as a face of b. */
static kin_vec3 edges_rate(const kin_touching* c, const kin_body* a, const kin_body* b)
{
    kin_vec3 ea = kin_normalize_or(c->edge_a, kin_v(0, 0, 0)), eb = kin_normalize_or(c->edge_b, kin_v(0, 0, 0)), u = kin_cross(ea, eb);
    if (kin_length2(u) < 1e-16) return kin_cross(spin_of(b), c->normal);
    kin_vec3 rate = kin_add(kin_cross(kin_cross(spin_of(a), ea), eb), kin_cross(ea, kin_cross(spin_of(b), eb)));
    return kin_dot(u, c->normal) < 0 ? kin_neg(kin_unit_rate(u, rate)) : kin_unit_rate(u, rate);
}

/* n = u / |u|, u = the part of (centre - a point of the edge) across the edge e. A vertex right on the edge: n turns with the edge's body. */
static kin_vec3 across_edge_rate(kin_vec3 across, kin_vec3 relative, kin_vec3 e, kin_vec3 edge_spin)
{
    kin_vec3 turned = kin_cross(edge_spin, across);
    if (kin_length2(across) < 1e-24) return turned;
    kin_vec3 seen = kin_sub(relative, turned); /* from the edge's body */
    kin_vec3 rate = kin_add(turned, kin_add_scaled(seen, -kin_dot(seen, e), e));
    return kin_unit_rate(across, rate);
}

/* u = c_a - c_b, both fixed to their bodies. */
static kin_vec3 centers_rate(const kin_touching* c, const kin_body* a, const kin_body* b)
{
    kin_vec3 u = kin_sub(c->centre_a, c->centre_b);
    if (kin_length2(u) < 1e-24) return kin_cross(spin_of(b), c->normal);
    kin_vec3 rate = kin_unit_rate(u, kin_sub(velocity_at(a, c->centre_a), velocity_at(b, c->centre_b)));
    return kin_dot(u, c->normal) < 0 ? kin_neg(rate) : rate;
}

static bool is_curved(const kin_touching* c)
{
    const kin_sym3 s = kin_sym3_add(c->curved_a, c->curved_b);
    return s.xx + s.yy + s.zz > 0;
}

/* p_a - p_b stays along n: (C_a + C_b) n' = v_a - v_b + C_a w_a x n + C_b w_b x n across n, with v at the point, for surfaces that touch. */
static kin_vec3 curved_rate(const kin_touching* c, const kin_body* a, const kin_body* b)
{
    const kin_basis basis = kin_basis_from_normal(c->normal);
    const kin_vec3 n = basis.n, u = basis.t, v = basis.k;
    const kin_sym3 both = kin_sym3_add(c->curved_a, c->curved_b);
    kin_vec3 apart = kin_sub(velocity_at(a, c->point), velocity_at(b, c->point));
    apart = kin_add(apart, kin_sym3_apply(c->curved_a, kin_cross(spin_of(a), n)));
    apart = kin_add(apart, kin_sym3_apply(c->curved_b, kin_cross(spin_of(b), n)));
    const double uu = kin_dot(u, kin_sym3_apply(both, u)), vv = kin_dot(v, kin_sym3_apply(both, v)), uv = kin_dot(u, kin_sym3_apply(both, v));
    const double x = kin_dot(u, apart), y = kin_dot(v, apart), whole = uu * vv - uv * uv;
    if (!(whole > 1e-24 * (uu * uu + vv * vv))) return kin_cross(spin_of(b), n);
    return kin_add_scaled(kin_scale(u, (vv * x - uv * y) / whole), (uu * y - uv * x) / whole, v);
}

kin_vec3 kin_touching_normal_rate(const kin_touching* c, const kin_body* a, const kin_body* b)
{
    kin_vec3 fa = foot_a(c), fb = foot_b(c), relative = kin_sub(velocity_at(a, fa), velocity_at(b, fb));
    double apart = c->radius_a + c->radius_b;
    switch (c->kind) {
    case KIN_TOUCH_FACE_OF_B: return kin_cross(spin_of(b), c->normal);
    case KIN_TOUCH_FACE_OF_A: return kin_cross(spin_of(a), c->normal);
    case KIN_TOUCH_EDGES: return edges_rate(c, a, b);
    case KIN_TOUCH_CENTERS: return is_curved(c) ? curved_rate(c, a, b) : centers_rate(c, a, b);
    case KIN_TOUCH_EDGE_OF_B:
        return apart > 1e-12 ? across_edge_rate(kin_scale(c->normal, apart), relative, kin_normalize_or(c->edge_b, kin_v(0, 0, 0)), spin_of(b))
                             : kin_cross(spin_of(b), c->normal);
    case KIN_TOUCH_EDGE_OF_A:
        return apart > 1e-12
                   ? kin_neg(across_edge_rate(kin_scale(c->normal, -apart), kin_neg(relative), kin_normalize_or(c->edge_a, kin_v(0, 0, 0)), spin_of(a)))
                   : kin_cross(spin_of(a), c->normal);
    }
    return kin_v(0, 0, 0);
}

/* ---- tangents ---- */

kin_vec3 kin_touching_tangent_rate(const kin_touching* c, const kin_body* a, const kin_body* b, kin_vec3 normal_rate)
{
    kin_vec3 wa = spin_of(a), wb = spin_of(b), w = kin_scale(kin_add(wa, wb), 0.5);
    if (c->kind == KIN_TOUCH_FACE_OF_B || c->kind == KIN_TOUCH_EDGE_OF_B) w = wb;
    if (c->kind == KIN_TOUCH_FACE_OF_A || c->kind == KIN_TOUCH_EDGE_OF_A) w = wa;
    kin_vec3 turned = kin_cross(w, c->tangent);
    return kin_add_scaled(turned, -(kin_dot(c->normal, turned) + kin_dot(normal_rate, c->tangent)), c->normal);
}

/* ---- the point ---- */

/* The feet slide along both edges so that they stay one above the other: p_a + x e_a and p_b + y e_b differ along n only. */
static kin_vec3 edges_point_rate(const kin_touching* c, kin_vec3 va, kin_vec3 vb, kin_vec3 normal_rate)
{
    kin_vec3 relative = kin_add_scaled(kin_sub(va, vb), -(c->radius_a + c->radius_b), normal_rate); /* of the feet, less what turning of n brings */
    kin_vec3 side = kin_cross(c->edge_b, c->normal);
    double along = kin_dot(c->edge_a, side), size = kin_length(c->edge_a) * kin_length(side);
    if (!(kin_abs(along) > 1e-8 * size)) return va;
    return kin_add_scaled(va, -kin_dot(relative, side) / along, c->edge_a);
}

/* Along a rim the point goes on so that the edge stays across n there: d(n . e)/dt = n' . e + n . (w x e) + speed / R n . N = 0. */
static kin_vec3 rim_point_rate(const kin_touching* c, const kin_body* a, kin_vec3 va, kin_vec3 normal_rate)
{
    kin_vec3 e = kin_normalize_or(c->edge_a, kin_v(0, 0, 0));
    double bend = kin_dot(c->rim, c->normal) / kin_length2(c->rim); /* n . N / R */
    if (!(kin_abs(bend) > 1e-9)) return va;
    return kin_add_scaled(va, -(kin_dot(normal_rate, e) + kin_dot(c->normal, kin_cross(spin_of(a), e))) / bend, e);
}

kin_vec3 kin_touching_point_rate(const kin_touching* c, const kin_body* a, const kin_body* b)
{
    kin_vec3 rate = kin_touching_normal_rate(c, a, b), fa = foot_a(c), fb = foot_b(c), va = velocity_at(a, fa), vb = velocity_at(b, fb);
    if (c->kind == KIN_TOUCH_FACE_OF_B && kin_length2(c->rim) > 0) return rim_point_rate(c, a, va, rate);
    if ((c->kind == KIN_TOUCH_FACE_OF_B || c->kind == KIN_TOUCH_CENTERS) && is_curved(c)) /* of a's surface where its normal is -n */
        return kin_add(velocity_at(a, c->point), kin_sym3_apply(c->curved_a, kin_sub(kin_cross(spin_of(a), c->normal), rate)));
    double above = kin_dot(kin_sub(fa, c->point), c->normal), below = kin_dot(kin_sub(fb, c->point), c->normal);
    switch (c->kind) {
    case KIN_TOUCH_FACE_OF_A:
    case KIN_TOUCH_EDGE_OF_A: return kin_add_scaled(vb, -below, rate);
    case KIN_TOUCH_EDGES: return kin_add_scaled(edges_point_rate(c, va, vb, rate), -above, rate);
    default: return kin_add_scaled(va, -above, rate);
    }
}
