/* touch.c - points of contact: from manifolds, kept by what they are fixed to, so that they can be asked for again at every stage of a tick.
 *
 * A vertex stays with its body and the normal with the other's face; of two edges each turns with its body; round surfaces are followed by their centres of
 * curvature (C4.4, E10.3). Where only b's surface is round the roles are exchanged: a is the round one. */
#include "collision/form/facets.h"
#include "collision/manifold/face.h"
#include "contact/exact/exact.h"

#define ALIGNED (1 - 1e-9) /* cosine: a normal that belongs to a face */

/* ---- what a side of a contact is ---- */

typedef struct side {
    const kin_form* form; /* itself or the part */
    kin_transform pose;   /* of that, world */
    bool is_convex;
    bool has_face; /* the normal is one of its faces' */
    bool round;    /* a centre of curvature is known */
} side;

/* The point of the axis that the surface's normal meets: there the curvature across a side of cylinder or cone has its centre. */
static kin_vec3 axis_centre(kin_transform pose, kin_vec3 point, kin_vec3 inwards)
{
    kin_vec3 p = kin_unapply(pose, point), n = kin_unrotate(pose.orientation, inwards);
    double flat = n.x * n.x + n.z * n.z, t = flat > 0 ? -(p.x * n.x + p.z * n.z) / flat : 0;
    return kin_apply(pose, kin_add_scaled(p, t, n));
}

static side side_of(const kin_form* form, uint32_t part, kin_transform pose, kin_vec3 outwards)
{
    side s = {.form = form, .pose = pose};
    if (form->part_count > 0) {
        s.form = form->parts[part].form;
        s.pose = kin_transform_mul(pose, form->parts[part].pose);
    }
    s.is_convex = kin_form_class_of(s.form) == KIN_FORM_CONVEX;
    if (!s.is_convex) {
        s.has_face = true;
        return s;
    }
    const kin_convex* c = &s.form->convex;
    kin_vec3 d = kin_unrotate(s.pose.orientation, outwards);
    kin_face face;
    kin_face_towards(c, d, &face);
    s.has_face = face.count >= 3 && kin_dot(face.normal, d) > ALIGNED;
    bool curved = c->core == KIN_CORE_CYLINDER || c->core == KIN_CORE_CONE;
    s.round = !s.has_face && (c->radius > 0 || (curved && kin_abs(d.y) < ALIGNED));
    return s;
}

/* The edge of a polyhedron that a point of its surface is on, in the world; zero: a vertex, or none. */
static kin_vec3 edge_at(const side* s, kin_vec3 point)
{
    const kin_convex* c = &s->form->convex;
    kin_vec3 p = kin_unapply(s->pose, point), none = {0, 0, 0};
    kin_box_hull box;
    if (!s->is_convex || (c->core != KIN_CORE_BOX && c->core != KIN_CORE_HULL)) return none;
    const kin_hull* hull = c->core == KIN_CORE_HULL ? c->hull : kin_box_hull_set(&box, c->half);
    double near = 1e-6 * s->form->reach;
    for (uint32_t i = 0; i < hull->edge_count; i += 2) {
        kin_vec3 from = hull->vertices[hull->edges[i].origin], along = kin_sub(hull->vertices[kin_hull_end(hull, i)], from);
        double length = kin_length(along), at = kin_dot(kin_sub(p, from), along) / kin_max(length, 1e-300);
        if (at < near || at > length - near) continue;
        if (kin_distance(p, kin_add_scaled(from, at / length, along)) < near) return kin_rotate(s->pose.orientation, along);
    }
    return none;
}

/* The rim of a cylinder or cone that a point of its surface is on: its axis, zero for none, and centre; world. */
static kin_vec3 rim_at(const side* s, kin_vec3 point, kin_vec3* centre)
{
    const kin_convex* c = &s->form->convex;
    double y = kin_unapply(s->pose, point).y, near = 1e-6 * s->form->reach;
    bool low = kin_abs(y + c->half.y) < near, high = c->core == KIN_CORE_CYLINDER && kin_abs(y - c->half.y) < near;
    if ((c->core != KIN_CORE_CYLINDER && c->core != KIN_CORE_CONE) || !(low || high)) return kin_v(0, 0, 0);
    *centre = kin_apply(s->pose, kin_v(0, low ? -c->half.y : c->half.y, 0));
    return kin_rotate(s->pose.orientation, kin_v(0, 1, 0));
}

/* Centre and radius of curvature at a point of its surface. */
static kin_vec3 centre_of(const side* s, kin_vec3 surface, kin_vec3 outwards, double* radius)
{
    const kin_convex* c = &s->form->convex;
    bool curved = c->core == KIN_CORE_CYLINDER || c->core == KIN_CORE_CONE;
    kin_vec3 centre = curved ? axis_centre(s->pose, surface, kin_neg(outwards)) : kin_add_scaled(surface, -c->radius, outwards);
    *radius = kin_distance(centre, surface);
    return centre;
}

/* ---- edges ---- */

static kin_vec3 edge_direction(const kin_convex* c, bool boxes, uint32_t edge)
{
    if (boxes) return kin_axis((int)(edge / 4));
    if (c->core == KIN_CORE_HULL) return kin_sub(c->hull->vertices[kin_hull_end(c->hull, edge)], c->hull->vertices[c->hull->edges[edge].origin]);
    kin_box_hull box; /* a box among hulls is numbered as one */
    const kin_hull* hull = kin_box_hull_set(&box, c->half);
    return kin_sub(hull->vertices[kin_hull_end(hull, edge)], hull->vertices[hull->edges[edge].origin]);
}

static bool has_edges(const side* s) { return s->is_convex && (s->form->convex.core == KIN_CORE_BOX || s->form->convex.core == KIN_CORE_HULL); }

/* ---- points ---- */

static void fix_to(kin_exact_point* p, const kin_body* a, const kin_body* b, kin_vec3 on_a, kin_vec3 on_b, kin_vec3 normal)
{
    const kin_body* owner = p->kind == KIN_TOUCH_FACE_OF_A ? a : b;
    p->on_a = kin_unapply(kin_body_pose(a), on_a);
    p->on_b = kin_unapply(kin_body_pose(b), on_b);
    p->normal = kin_unrotate(owner->orientation, normal);
}

static void swap_roles(kin_exact_point* p, const kin_body** a, const kin_body** b, const side** sa, const side** sb, kin_vec3* normal)
{
    uint32_t index = p->a;
    const kin_body* body = *a;
    const side* s = *sa;
    p->a = p->b, p->b = index;
    p->flipped = true;
    *a = *b, *b = body;
    *sa = *sb, *sb = s;
    *normal = kin_neg(*normal);
}

static void describe(kin_exact_point* p, const kin_body* a, const kin_body* b, const side* sa, const side* sb, const kin_manifold_point* at, kin_vec3 normal,
                     const kin_sat_cache* sat)
{
    if (sb->round && !sa->round) swap_roles(p, &a, &b, &sa, &sb, &normal);
    kin_vec3 on_a = kin_add_scaled(at->point, 0.5 * at->separation, normal), on_b = kin_add_scaled(at->point, -0.5 * at->separation, normal);
    kin_vec3 disc, axis = sa->round && !sb->round && sb->has_face ? rim_at(sa, on_a, &disc) : kin_v(0, 0, 0);
    if (kin_length2(axis) > 0) {
        p->kind = KIN_TOUCH_FACE_OF_B;
        p->axis = kin_unrotate(a->orientation, axis);
        p->centre_a = kin_unapply(kin_body_pose(a), disc);
        p->radius_a = sa->form->convex.half.x;
    } else if (sa->round) {
        kin_vec3 centre = centre_of(sa, on_a, kin_neg(normal), &p->radius_a);
        p->centre_a = kin_unapply(kin_body_pose(a), centre);
        kin_vec3 edge = sb->round || sb->has_face ? kin_v(0, 0, 0) : edge_at(sb, on_b);
        p->edge_b = kin_unrotate(b->orientation, edge);
        p->kind = !sb->round && sb->has_face ? KIN_TOUCH_FACE_OF_B : kin_length2(edge) > 0 ? KIN_TOUCH_EDGE_OF_B : KIN_TOUCH_CENTERS;
        p->radius_b = 0;
        centre = sb->round ? centre_of(sb, on_b, normal, &p->radius_b) : on_b; /* of a corner: the point itself */
        p->centre_b = kin_unapply(kin_body_pose(b), centre);
    } else if (sb->has_face) {
        p->kind = KIN_TOUCH_FACE_OF_B;
    } else if (sa->has_face) {
        p->kind = KIN_TOUCH_FACE_OF_A;
    } else if (sat->kind == KIN_SAT_EDGES && has_edges(sa) && has_edges(sb)) {
        bool boxes = sa->form->convex.core == KIN_CORE_BOX && sb->form->convex.core == KIN_CORE_BOX;
        p->kind = KIN_TOUCH_EDGES;
        p->edge_a = kin_unrotate(a->orientation, kin_rotate(sa->pose.orientation, edge_direction(&sa->form->convex, boxes, sat->a)));
        p->edge_b = kin_unrotate(b->orientation, kin_rotate(sb->pose.orientation, edge_direction(&sb->form->convex, boxes, sat->b)));
    } else {
        p->kind = KIN_TOUCH_FACE_OF_B;
    }
    fix_to(p, a, b, on_a, on_b, normal);
}

static kin_transform form_pose(const kin_body_skin* skin, const kin_body* body) { return kin_transform_mul(kin_body_pose(body), skin->place); }

int kin_exact_points(const kin_exact* self, const kin_exact_pair* pair, const kin_body* a, const kin_body* b, double margin, kin_exact_point* out, int most,
                     kin_arena* scratch)
{
    const kin_body_skin *skin_a = &self->group->bodies.skin[pair->a], *skin_b = &self->group->bodies.skin[pair->b];
    kin_transform pose_a = form_pose(skin_a, a), pose_b = form_pose(skin_b, b);
    kin_manifold manifolds[KIN_EXACT_MANIFOLDS];
    kin_collide_cache cache = {0}; /* only read for the features: what is found does not depend on the past */
    int count = kin_collide(skin_a->form, pose_a, skin_b->form, pose_b, margin, &cache, scratch, manifolds, KIN_EXACT_MANIFOLDS), n = 0;
    for (int i = 0; i < count; ++i) {
        const kin_manifold* m = &manifolds[i];
        side sa = side_of(skin_a->form, m->part_a, pose_a, kin_neg(m->normal)), sb = side_of(skin_b->form, m->part_b, pose_b, m->normal);
        for (int k = 0; k < m->count && n < most; ++k) {
            if (m->points[k].separation > margin) continue;
            kin_exact_point* p = &out[n++];
            *p = (kin_exact_point){.a = pair->a, .b = pair->b, .separation = m->points[k].separation, .id = m->points[k].id, .pair = pair};
            describe(p, a, b, &sa, &sb, &m->points[k], m->normal, &cache.sat);
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

static kin_vec3 normal_now(const kin_exact_point* p, const kin_body* a, const kin_body* b)
{
    if (p->kind == KIN_TOUCH_CENTERS) {
        kin_vec3 along = kin_sub(kin_apply(kin_body_pose(a), p->centre_a), kin_apply(kin_body_pose(b), p->centre_b));
        return kin_normalize_or(along, kin_rotate(b->orientation, p->normal));
    }
    if (p->kind == KIN_TOUCH_EDGE_OF_B) {
        kin_vec3 e = kin_normalize_or(kin_rotate(b->orientation, p->edge_b), kin_v(0, 0, 0));
        kin_vec3 u = kin_sub(kin_apply(kin_body_pose(a), p->centre_a), kin_apply(kin_body_pose(b), p->on_b));
        return kin_normalize_or(kin_add_scaled(u, -kin_dot(u, e), e), kin_rotate(b->orientation, p->normal));
    }
    if (p->kind == KIN_TOUCH_EDGES) {
        kin_vec3 held = kin_rotate(b->orientation, p->normal);
        kin_vec3 n = kin_normalize_or(kin_cross(kin_rotate(a->orientation, p->edge_a), kin_rotate(b->orientation, p->edge_b)), held);
        return kin_dot(n, held) < 0 ? kin_neg(n) : n;
    }
    return kin_rotate(p->kind == KIN_TOUCH_FACE_OF_A ? a->orientation : b->orientation, p->normal);
}

/* From the lowest point of a rim to its centre. */
static kin_vec3 rim_arm(const kin_exact_point* p, const kin_body* a, kin_vec3 normal)
{
    kin_vec3 axis = kin_rotate(a->orientation, p->axis), up = kin_add_scaled(normal, -kin_dot(normal, axis), axis);
    return kin_scale(kin_normalize_or(up, kin_v(0, 0, 0)), p->radius_a);
}

kin_touching kin_exact_touching(const kin_exact_point* p, const kin_body* a, const kin_body* b)
{
    kin_touching t = {.a = p->a, .b = p->b, .kind = p->kind, .normal = normal_now(p, a, b)};
    kin_vec3 on_a = kin_apply(kin_body_pose(a), p->on_a), on_b = kin_apply(kin_body_pose(b), p->on_b);
    t.edge_a = kin_rotate(a->orientation, p->edge_a);
    t.edge_b = kin_rotate(b->orientation, p->edge_b);
    if (kin_length2(p->axis) > 0) {
        t.rim = rim_arm(p, a, t.normal);
        t.edge_a = kin_cross(kin_rotate(a->orientation, p->axis), t.rim);
        t.point = kin_sub(kin_apply(kin_body_pose(a), p->centre_a), t.rim);
    } else if (p->radius_a > 0) {
        t.centre_a = kin_apply(kin_body_pose(a), p->centre_a);
        t.centre_b = kin_apply(kin_body_pose(b), p->centre_b);
        t.radius_a = p->radius_a, t.radius_b = p->radius_b;
        t.point = kin_add_scaled(t.centre_a, -p->radius_a, t.normal);
    } else {
        t.point = p->kind == KIN_TOUCH_EDGES ? kin_lerp(on_a, on_b, 0.5) : p->kind == KIN_TOUCH_FACE_OF_A ? on_b : on_a;
    }
    t.surface = p->flipped ? kin_neg(p->pair->surface) : p->pair->surface;
    for (int k = 0; k < 2; ++k) t.mu_static[k] = p->pair->mu_static[k], t.mu_dynamic[k] = p->pair->mu_dynamic[k];
    return t;
}

double kin_exact_gap(const kin_exact_point* p, const kin_body* a, const kin_body* b)
{
    kin_vec3 n = normal_now(p, a, b);
    if (kin_length2(p->axis) > 0) {
        kin_vec3 low = kin_sub(kin_apply(kin_body_pose(a), p->centre_a), rim_arm(p, a, n));
        return kin_dot(n, kin_sub(low, kin_apply(kin_body_pose(b), p->on_b)));
    }
    if (p->radius_a > 0) {
        kin_vec3 centre = kin_apply(kin_body_pose(a), p->centre_a);
        kin_vec3 other = p->kind == KIN_TOUCH_CENTERS ? kin_apply(kin_body_pose(b), p->centre_b) : kin_apply(kin_body_pose(b), p->on_b);
        double reach = p->kind == KIN_TOUCH_CENTERS ? p->radius_a + p->radius_b : p->radius_a;
        return kin_dot(n, kin_sub(centre, other)) - reach;
    }
    return kin_dot(n, kin_sub(kin_apply(kin_body_pose(a), p->on_a), kin_apply(kin_body_pose(b), p->on_b)));
}

kin_vec3 kin_exact_slip(const kin_touching* t, const kin_body* a, const kin_body* b)
{
    return kin_add(kin_sub(kin_body_velocity_at(a, t->point), kin_body_velocity_at(b, t->point)), t->surface);
}
