/* touch.c - points of contact: from manifolds, kept by what they are fixed to, so that they can be asked for again at every stage of a tick.
 *
 * A vertex stays with its body and the normal with the other's face; of two edges each turns with its body; round surfaces are points and edges with a radius
 * (C4.4, E10.3). */
#include "collision/form/facets.h"
#include "collision/manifold/face.h"
#include "collision/narrow/ellipsoid.h"
#include "contact/exact/exact.h"
#include "contact/friction.h"
#include <string.h>

#define ALIGNED (1 - 1e-9) /* cosine: a normal that belongs to a face */
#define ACROSS 0.01        /* sine of the angle from which the edges of two faces cross: below, their crossing runs along them too fast to follow */

/* ---- what a body touches with ---- */

/* Where on a face a point is: of two faces the point goes with the one that it is a corner of, and where their edges cross with both. */
typedef enum place { INSIDE_FACE, ON_SURFACE /* of a mesh: not looked for */, ON_EDGE, ON_CORNER } place;

/* Beneath a surface: a face; or a foot, which is a point or lies on an edge, at a radius. */
typedef struct feature {
    bool face;
    place place;     /* of a face; the edge below is told with ON_EDGE */
    kin_vec3 foot;   /* m, world */
    double radius;   /* m, from there to the surface */
    kin_vec3 edge;   /* along it, world; zero: none */
    kin_vec3 axis;   /* of a disc whose rim it is, world; zero: none */
    kin_vec3 centre; /* of that disc */
    double disc;     /* m: its radius */
    kin_vec3 half;   /* m: semi-axes of an ellipsoid */
    kin_quat turn;   /* of that, world */
    kin_sym3 curved; /* m: radii of curvature, world; of balls where the other is an ellipsoid */
} feature;

typedef struct side {
    const kin_form* form; /* itself or the part */
    kin_transform pose;   /* of that, world */
} side;

static side side_of(const kin_form* form, uint32_t part, kin_transform pose)
{
    if (form->part_count == 0) return (side){form, pose};
    return (side){form->parts[part].form, kin_transform_mul(pose, form->parts[part].pose)};
}

/* The edge of a polyhedron that a point of it is on, in its frame; zero: a vertex, or none. */
static kin_vec3 edge_at(const kin_convex* c, kin_vec3 p, double near)
{
    kin_box_hull box;
    const kin_hull* hull = c->core == KIN_CORE_HULL ? c->hull : kin_box_hull_set(&box, c->half);
    for (uint32_t i = 0; i < hull->edge_count; i += 2) {
        kin_vec3 from = hull->vertices[hull->edges[i].origin], along = kin_sub(hull->vertices[kin_hull_end(hull, i)], from);
        double length = kin_length(along), at = kin_dot(kin_sub(p, from), along) / kin_max(length, 1e-300);
        if (at < near || at > length - near) continue;
        if (kin_distance(p, kin_add_scaled(from, at / length, along)) < near) return along;
    }
    return kin_v(0, 0, 0);
}

/* The corners of a face; its edges are the polyhedron's. Points of a rim go with the disc. */
static place place_on_face(const kin_convex* c, kin_vec3 p, double near, kin_vec3* edge)
{
    *edge = kin_v(0, 0, 0);
    if (c->core == KIN_CORE_CYLINDER || c->core == KIN_CORE_CONE) return p.x * p.x + p.z * p.z > kin_square(c->half.x - near) ? ON_CORNER : INSIDE_FACE;
    if (c->core == KIN_CORE_BOX) {
        bool x = kin_abs(p.x) > c->half.x - near, y = kin_abs(p.y) > c->half.y - near, z = kin_abs(p.z) > c->half.z - near;
        *edge = kin_v(!x, !y, !z);
        return x + y + z == 3 ? ON_CORNER : x + y + z == 2 ? ON_EDGE : INSIDE_FACE;
    }
    if (c->core != KIN_CORE_HULL) return ON_SURFACE;
    for (uint32_t i = 0; i < c->hull->vertex_count; ++i) {
        if (kin_distance(c->hull->vertices[i], p) < near) return ON_CORNER;
    }
    *edge = edge_at(c, p, near);
    return kin_length2(*edge) > 0 ? ON_EDGE : INSIDE_FACE;
}

/* Cylinders and cones, in their frame: the rim; else the side, whose normal meets the axis at the centre of its curvature. A cylinder's side is its axis, grown. */
static void curved_feature(const kin_convex* c, kin_vec3 p, kin_vec3 out, double near, feature* f)
{
    bool low = kin_abs(p.y + c->half.y) < near, high = c->core == KIN_CORE_CYLINDER && kin_abs(p.y - c->half.y) < near;
    double flat = out.x * out.x + out.z * out.z;
    if (low || high) {
        f->axis = kin_v(0, 1, 0);
        f->centre = kin_v(0, low ? -c->half.y : c->half.y, 0);
        f->disc = c->half.x;
        f->edge = kin_v(-p.z, 0, p.x);
        f->foot = p;
    } else if (flat > 1e-12) {
        f->foot = kin_add_scaled(p, -(p.x * out.x + p.z * out.z) / flat, out);
        f->radius = kin_distance(f->foot, p);
        if (c->core == KIN_CORE_CYLINDER) f->edge = kin_v(0, 1, 0);
    }
}

static kin_sym3 in_world(kin_quat turn, kin_sym3 curved) { return kin_sym3_rotate(kin_quat_to_matrix(turn), curved); }

/* A ball of its mean curvature, for edges; its own surface for faces (half) and round ends (curved). */
static feature ellipsoid_feature(const side* s, kin_vec3 p, kin_vec3 out)
{
    const kin_sym3 curved = kin_ellipsoid_curvature(s->form->convex.half, out);
    feature f = {.half = s->form->convex.half, .turn = s->pose.orientation, .radius = 0.5 * (curved.xx + curved.yy + curved.zz)};
    f.foot = kin_apply(s->pose, kin_add_scaled(p, -f.radius, out));
    f.curved = in_world(s->pose.orientation, curved);
    f.centre = s->pose.position;
    return f;
}

/* What is at a point of its surface. */
static feature feature_at(const side* s, kin_vec3 surface, kin_vec3 outwards)
{
    kin_form_class class = kin_form_class_of(s->form);
    feature f = {.face = true, .foot = surface, .place = class == KIN_FORM_HALF_SPACE ? INSIDE_FACE : ON_SURFACE};
    if (class != KIN_FORM_CONVEX) return f;
    const kin_convex* c = &s->form->convex;
    kin_vec3 out = kin_unrotate(s->pose.orientation, outwards), p = kin_unapply(s->pose, surface);
    double near = 1e-6 * s->form->reach;
    if (c->core == KIN_CORE_ELLIPSOID) return ellipsoid_feature(s, p, out);
    kin_face face;
    kin_face_towards(c, out, &face);
    if (face.count >= 3 && kin_dot(face.normal, out) > ALIGNED) {
        f.place = place_on_face(c, kin_add_scaled(p, -c->radius, out), near, &f.edge);
        f.edge = f.place == ON_EDGE ? kin_rotate(s->pose.orientation, f.edge) : kin_v(0, 0, 0);
        return f;
    }
    f = (feature){.foot = kin_add_scaled(p, -c->radius, out), .radius = c->radius};
    if (c->core == KIN_CORE_CYLINDER || c->core == KIN_CORE_CONE) curved_feature(c, p, out, near, &f);
    if (c->core == KIN_CORE_SEGMENT && kin_abs(f.foot.y) < c->half.y - near) f.edge = kin_v(0, 1, 0);
    if (c->core == KIN_CORE_BOX || c->core == KIN_CORE_HULL) f.edge = edge_at(c, f.foot, near);
    f.foot = kin_apply(s->pose, f.foot);
    f.centre = kin_apply(s->pose, f.centre);
    f.edge = kin_rotate(s->pose.orientation, f.edge);
    f.axis = kin_rotate(s->pose.orientation, f.axis);
    return f;
}

/* ---- points ---- */

static bool is_crossing(const feature* a, const feature* b, double sine)
{
    return kin_length2(kin_cross(a->edge, b->edge)) > sine * sine * kin_length2(a->edge) * kin_length2(b->edge);
}

static kin_touch_kind kind_of(const feature* a, const feature* b)
{
    bool edge_a = kin_length2(a->edge) > 0, edge_b = kin_length2(b->edge) > 0, faces = a->face && b->face;
    if (faces && a->place == ON_EDGE && b->place == ON_EDGE) return is_crossing(a, b, ACROSS) ? KIN_TOUCH_EDGES : KIN_TOUCH_FACE_OF_B;
    if (faces) return b->place > a->place ? KIN_TOUCH_FACE_OF_A : KIN_TOUCH_FACE_OF_B;
    if (b->face) return KIN_TOUCH_FACE_OF_B;
    if (a->face) return KIN_TOUCH_FACE_OF_A;
    if (edge_a && edge_b) return is_crossing(a, b, 1e-4) ? KIN_TOUCH_EDGES : KIN_TOUCH_FACE_OF_B; /* parallel: for the moment as good as flat */
    if (edge_b) return KIN_TOUCH_EDGE_OF_B;
    if (edge_a) return KIN_TOUCH_EDGE_OF_A;
    return a->radius + b->radius > 0 ? KIN_TOUCH_CENTERS : KIN_TOUCH_FACE_OF_B;
}

static kin_sym3 in_body(const kin_body* body, kin_sym3 curved) { return in_world(kin_quat_conj(body->orientation), curved); }

static void describe(kin_exact_point* p, const kin_body* a, const kin_body* b, const side* sa, const side* sb, const kin_manifold_point* at, kin_vec3 normal)
{
    kin_vec3 on_a = kin_add_scaled(at->point, 0.5 * at->separation, normal), on_b = kin_add_scaled(at->point, -0.5 * at->separation, normal);
    feature fa = feature_at(sa, on_a, kin_neg(normal)), fb = feature_at(sb, on_b, normal);
    if (fa.face && !fb.face && kin_length2(fb.axis) + kin_length2(fb.half) > 0) { /* a rim is a's, and an ellipsoid that touches a face */
        feature f = fa;
        const kin_body* body = a;
        uint32_t index = p->a;
        fa = fb, fb = f;
        a = b, b = body;
        p->a = p->b, p->b = index;
        normal = kin_neg(normal);
        p->flipped = true;
    }
    p->kind = kind_of(&fa, &fb);
    p->normal = kin_unrotate(p->kind == KIN_TOUCH_FACE_OF_A ? a->orientation : b->orientation, normal);
    p->foot_a = kin_unapply(kin_body_pose(a), fa.foot), p->radius_a = fa.radius;
    p->foot_b = kin_unapply(kin_body_pose(b), fb.foot), p->radius_b = fb.radius;
    p->edge_a = kin_unrotate(a->orientation, fa.edge);
    p->edge_b = kin_unrotate(b->orientation, fb.edge);
    if (p->kind == KIN_TOUCH_CENTERS && kin_length2(fa.half) + kin_length2(fb.half) > 0) {
        p->curved_a = in_body(a, fa.half.x > 0 ? fa.curved : kin_sym3_diagonal(kin_v(fa.radius, fa.radius, fa.radius)));
        p->curved_b = in_body(b, fb.half.x > 0 ? fb.curved : kin_sym3_diagonal(kin_v(fb.radius, fb.radius, fb.radius)));
    }
    if (fb.face && kin_length2(fa.half) > 0) {
        p->half = fa.half, p->turn = kin_quat_mul(kin_quat_conj(a->orientation), fa.turn);
        p->foot_a = kin_unapply(kin_body_pose(a), fa.centre), p->radius_a = 0;
        return;
    }
    if (!fb.face || !(kin_length2(fa.axis) > 0)) return;
    p->axis = kin_unrotate(a->orientation, fa.axis);
    p->foot_a = kin_unapply(kin_body_pose(a), fa.centre), p->radius_a = fa.disc;
}

/* A point of a on a plane of b: what everything is for a moment. For pairs whose features do not say what the manifold says (rims against edges, tips). */
static void describe_plainly(kin_exact_point* p, const kin_body* a, const kin_body* b, const kin_manifold_point* at, kin_vec3 normal)
{
    kin_vec3 on_a = kin_add_scaled(at->point, 0.5 * at->separation, normal), on_b = kin_add_scaled(at->point, -0.5 * at->separation, normal);
    *p = (kin_exact_point){.a = p->pair->a, .b = p->pair->b, .separation = p->separation, .id = p->id, .pair = p->pair, .kind = KIN_TOUCH_FACE_OF_B};
    p->foot_a = kin_unapply(kin_body_pose(a), on_a);
    p->foot_b = kin_unapply(kin_body_pose(b), on_b);
    p->normal = kin_unrotate(b->orientation, normal);
}

static kin_transform form_pose(const kin_body_skin* skin, const kin_body* body) { return kin_transform_mul(kin_body_pose(body), skin->place); }

int kin_exact_points(const kin_exact* self, const kin_exact_pair* pair, const kin_body* a, const kin_body* b, double margin, kin_exact_point* out, int most,
                     kin_arena* scratch)
{
    const kin_body_skin *skin_a = &self->group->bodies.skin[pair->a], *skin_b = &self->group->bodies.skin[pair->b];
    kin_transform pose_a = form_pose(skin_a, a), pose_b = form_pose(skin_b, b);
    kin_manifold manifolds[KIN_EXACT_MANIFOLDS];
    int count = kin_collide(skin_a->form, pose_a, skin_b->form, pose_b, margin, NULL, scratch, manifolds, KIN_EXACT_MANIFOLDS), n = 0;
    for (int i = 0; i < count; ++i) {
        const kin_manifold* m = &manifolds[i];
        side sa = side_of(skin_a->form, m->part_a, pose_a), sb = side_of(skin_b->form, m->part_b, pose_b);
        for (int k = 0; k < m->count && n < most; ++k) {
            if (m->points[k].separation > margin) continue;
            kin_exact_point* p = &out[n++];
            *p = (kin_exact_point){.a = pair->a, .b = pair->b, .separation = m->points[k].separation, .id = m->points[k].id, .pair = pair};
            describe(p, a, b, &sa, &sb, &m->points[k], m->normal);
            double gap = p->flipped ? kin_exact_gap(p, b, a) : kin_exact_gap(p, a, b);
            if (!(kin_abs(gap - p->separation) <= 0.1 * kin_exact_tolerance(self))) describe_plainly(p, a, b, &m->points[k], m->normal);
        }
    }
    return n;
}

double kin_exact_separation(const kin_exact* self, const kin_exact_pair* pair, kin_transform a, kin_transform b, double margin, kin_arena* scratch)
{
    const kin_body_skin *skin_a = &self->group->bodies.skin[pair->a], *skin_b = &self->group->bodies.skin[pair->b];
    kin_manifold m;
    if (kin_collide(skin_a->form, kin_transform_mul(a, skin_a->place), skin_b->form, kin_transform_mul(b, skin_b->place), margin, NULL, scratch, &m, 1) == 0)
        return 1e308;
    return m.points[kin_manifold_deepest(&m)].separation;
}

/* ---- the same point later ---- */

typedef struct feet {
    kin_vec3 a, b; /* m, world */
    kin_vec3 edge_a, edge_b;
} feet;

static feet feet_now(const kin_exact_point* p, const kin_body* a, const kin_body* b)
{
    return (feet){kin_apply(kin_body_pose(a), p->foot_a), kin_apply(kin_body_pose(b), p->foot_b), kin_rotate(a->orientation, p->edge_a),
                  kin_rotate(b->orientation, p->edge_b)};
}

/* The part of v across e. */
static kin_vec3 across(kin_vec3 v, kin_vec3 e)
{
    double size = kin_length2(e);
    return size > 0 ? kin_add_scaled(v, -kin_dot(v, e) / size, e) : v;
}

static kin_vec3 normal_now(const kin_exact_point* p, const kin_body* a, const kin_body* b, const feet* f)
{
    kin_vec3 held = kin_rotate(p->kind == KIN_TOUCH_FACE_OF_A ? a->orientation : b->orientation, p->normal), n = held;
    bool sharp = !(p->radius_a + p->radius_b > 1e-9);
    switch (p->kind) {
    case KIN_TOUCH_FACE_OF_A:
    case KIN_TOUCH_FACE_OF_B: return held;
    case KIN_TOUCH_EDGES: n = kin_cross(f->edge_a, f->edge_b); break;
    case KIN_TOUCH_CENTERS: n = kin_sub(f->a, f->b); break;
    case KIN_TOUCH_EDGE_OF_B: n = sharp ? held : across(kin_sub(f->a, f->b), f->edge_b); break;
    case KIN_TOUCH_EDGE_OF_A: n = sharp ? held : across(kin_sub(f->a, f->b), f->edge_a); break;
    }
    n = kin_normalize_or(n, held);
    return kin_dot(n, held) < 0 ? kin_neg(n) : n;
}

/* From the lowest point of a rim to its centre. */
static kin_vec3 rim_arm(const kin_exact_point* p, const kin_body* a, kin_vec3 normal)
{
    return kin_scale(kin_normalize_or(across(normal, kin_rotate(a->orientation, p->axis)), kin_v(0, 0, 0)), p->radius_a);
}

/* From the centre of an ellipsoid to its point farthest against the normal. */
static kin_vec3 ellipsoid_arm(const kin_exact_point* p, const kin_body* a, kin_vec3 normal)
{
    const kin_quat turn = kin_quat_mul(a->orientation, p->turn);
    return kin_rotate(turn, kin_support_ellipsoid(p->half, kin_unrotate(turn, kin_neg(normal))));
}

/* How it is curved there, world. */
static kin_sym3 ellipsoid_curvature(const kin_exact_point* p, const kin_body* a, kin_vec3 normal)
{
    const kin_quat turn = kin_quat_mul(a->orientation, p->turn);
    return in_world(turn, kin_ellipsoid_curvature(p->half, kin_unrotate(turn, normal)));
}

/* Where a's edge comes nearest to b's. */
static kin_vec3 crossing(const feet* f, kin_vec3 normal)
{
    kin_vec3 beside = kin_cross(f->edge_b, normal);
    double along = kin_dot(f->edge_a, beside);
    if (!(kin_abs(along) > 1e-12 * kin_length(f->edge_a) * kin_length(beside))) return f->a;
    return kin_add_scaled(f->a, -kin_dot(kin_sub(f->a, f->b), beside) / along, f->edge_a);
}

/* The surface's own normal decides which axis of its form the grain runs along. */
static kin_vec3 grain_now(const kin_exact_point* p, const kin_body* a, const kin_body* b, kin_vec3 normal)
{
    const bool of_a = (p->pair->grain == p->pair->a) != p->flipped;
    const kin_quat turn = kin_quat_mul((of_a ? a : b)->orientation, p->pair->grain_place);
    const kin_vec3 out = of_a ? kin_neg(normal) : normal;
    return kin_normalize_or(kin_cross(out, kin_rotate(turn, kin_friction_axis(kin_unrotate(turn, out)))), kin_v(0, 0, 0));
}

kin_touching kin_exact_touching(const kin_exact_point* p, const kin_body* a, const kin_body* b)
{
    feet f = feet_now(p, a, b);
    kin_touching t = {.a = p->a, .b = p->b, .kind = p->kind, .normal = normal_now(p, a, b, &f), .edge_a = f.edge_a, .edge_b = f.edge_b};
    t.radius_a = p->radius_a, t.radius_b = p->radius_b;
    t.centre_a = f.a, t.centre_b = f.b;
    t.curved_a = in_world(a->orientation, p->curved_a), t.curved_b = in_world(b->orientation, p->curved_b);
    if (kin_length2(p->axis) > 0) {
        t.rim = rim_arm(p, a, t.normal);
        t.edge_a = kin_cross(kin_rotate(a->orientation, p->axis), t.rim);
        t.point = kin_sub(f.a, t.rim);
        t.radius_a = 0;
    } else if (kin_length2(p->half) > 0) {
        t.point = kin_add(f.a, ellipsoid_arm(p, a, t.normal));
        t.curved_a = ellipsoid_curvature(p, a, t.normal);
    } else if (p->kind == KIN_TOUCH_FACE_OF_A || p->kind == KIN_TOUCH_EDGE_OF_A) {
        t.point = kin_add_scaled(f.b, p->radius_b, t.normal);
    } else {
        t.point = kin_add_scaled(p->kind == KIN_TOUCH_EDGES ? crossing(&f, t.normal) : f.a, -p->radius_a, t.normal);
    }
    t.surface = p->flipped ? kin_neg(p->pair->surface) : p->pair->surface;
    for (int k = 0; k < 2; ++k) t.mu_static[k] = p->pair->mu_static[k], t.mu_dynamic[k] = p->pair->mu_dynamic[k];
    if (p->pair->grain != KIN_NO_BODY) t.tangent = grain_now(p, a, b, t.normal);
    return t;
}

double kin_exact_gap(const kin_exact_point* p, const kin_body* a, const kin_body* b)
{
    feet f = feet_now(p, a, b);
    kin_vec3 n = normal_now(p, a, b, &f);
    if (kin_length2(p->axis) > 0) return kin_dot(n, kin_sub(kin_sub(f.a, rim_arm(p, a, n)), f.b));
    if (kin_length2(p->half) > 0) return kin_dot(n, kin_sub(kin_add(f.a, ellipsoid_arm(p, a, n)), f.b));
    return kin_dot(n, kin_sub(f.a, f.b)) - p->radius_a - p->radius_b;
}

kin_vec3 kin_exact_slip(const kin_touching* t, const kin_body* a, const kin_body* b)
{
    return kin_add(kin_sub(kin_body_velocity_at(a, t->point), kin_body_velocity_at(b, t->point)), t->surface);
}

void kin_exact_friction(kin_meeting* m, const kin_touching* t, const double mu[2], kin_impulse_method method, kin_vec3 slip)
{
    const double along[2] = {kin_dot(slip, t->tangent), kin_dot(slip, kin_cross(t->normal, t->tangent))};
    m->tangent = t->tangent;
    memcpy(m->friction, mu, sizeof m->friction);
    if (along[0] * along[0] + along[1] * along[1] > 0 && method != KIN_IMPULSE_MICRO) kin_friction_against(mu, along, m->friction);
}
