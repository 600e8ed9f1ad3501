/* facets.c - a convex body, or the triangles of another surface, against the triangles of a surface, without ghosts.
 *
 * Each triangle near the body is taken into the body's frame, and its nearest or deepest points are found there. The direction found must be one that the surface
 * can push along at that place: a face along its normal, a sharp edge or corner along the directions between its faces. Any other comes from a triangle's edge
 * that is inside the surface (a ghost), and the face's own normal takes its place. Solid surfaces push outward only. Points go back to the surface's frame. */
#include "collision/manifold/facets.h"
#include "collision/narrow/distance.h"
#include "collision/narrow/pair.h"
#include "math/aabb.h"

/* Where a triangle cannot push along the shortest way out, its normal may be this much longer a way; beyond, it is another face's business. */
#define TOO_DEEP 4

typedef struct meeting { /* in the body's frame, but for `pose` */
    const kin_form* surface;
    const kin_convex* body;
    kin_transform pose; /* of the body, in the surface's frame */
    kin_mat3 turn;      /* its axes there */
    kin_convex facet;
    uint32_t triangle, sharp; /* of the facet */
    kin_vec3 normal;          /* of the facet */
    kin_vec3 up;              /* that normal, or its opposite: to the side that the body's origin is on */
    kin_vec3 low;             /* of the body's core, farthest down from there */
    double thickness, margin;
} meeting;

/* Which part of a triangle a point of it lies on. */
static kin_feature part_of(const kin_vec3 p[3], kin_vec3 x)
{
    kin_feature feature;
    kin_closest_on_triangle(p[0], p[1], p[2], x, &feature);
    double edge2 = kin_max(kin_length2(kin_sub(p[1], p[0])), kin_length2(kin_sub(p[2], p[0])));
    if (feature != KIN_FEATURE_FACE) return feature;
    for (int k = 0; k < 3; ++k) { /* rounding may leave it a hair inside */
        kin_vec3 a = p[k], b = p[(k + 1) % 3];
        kin_vec3 off = kin_sub(x, kin_lerp(a, b, kin_segment_closest(a, b, x)));
        if (kin_length2(off) < 1e-18 * edge2) return (kin_feature)(KIN_FEATURE_EDGE0 + k);
    }
    return feature;
}

static bool asks_for(const meeting* m, kin_feature feature) { return feature == KIN_FEATURE_FACE || (m->sharp >> (feature - KIN_FEATURE_EDGE0) & 1) != 0; }

/* The body's core farthest against an axis. */
static kin_vec3 lowest(const meeting* m, kin_vec3 axis)
{
    uint32_t vertex = 0;
    return kin_pair_core_support(m->body, kin_neg(axis), &vertex);
}

/* How far the body reaches below the face. */
static double depth_below(const meeting* m) { return kin_dot(m->normal, kin_sub(m->facet.p[0], lowest(m, m->normal))) + m->body->radius; }

static void add_points(const meeting* m, kin_vec3 up, const kin_gap* near, kin_clusters* clusters)
{
    kin_face fb, fa;
    kin_touches touches;
    const kin_vec3 normal = kin_mat3_apply(m->turn, up);
    touches.count = 0;
    kin_face_towards(m->body, kin_neg(up), &fa);
    kin_face_towards(&m->facet, up, &fb);
    kin_face_clip(&fa, m->body->radius, &fb, 0, up, m->margin, &touches);
    if (near != NULL && touches.count == 0) {
        touches.points[0] = (kin_manifold_point){kin_lerp(near->on_a, near->on_b, 0.5), near->distance, 0xffffffffu};
        touches.count = 1;
    }
    for (int i = 0; i < touches.count; ++i) {
        kin_manifold_point point = touches.points[i];
        point.point = kin_add(kin_mat3_apply(m->turn, point.point), m->pose.position);
        point.id ^= m->triangle * 0x9e3779b1u;
        kin_clusters_add(clusters, normal, &point, m->triangle);
    }
}

/* Farther than the margin along an axis (unit) from what reaches up to `top`? */
static bool is_past(const meeting* m, kin_vec3 axis, double top) { return kin_dot(axis, lowest(m, axis)) - m->body->radius - top > m->margin; }

/* Most triangles near the box of a body are above or below it, to its side, or off the corner of it that looks at them. Of those that may be near the iteration
 * finds out. */
static bool is_clear(meeting* m, kin_vec3 nearest)
{
    const kin_vec3* p = m->facet.p;
    const double away = kin_length(nearest);
    m->up = kin_dot(m->normal, p[0]) <= 0 ? m->normal : kin_neg(m->normal);
    m->low = lowest(m, m->up);
    if (kin_dot(m->up, kin_sub(m->low, p[0])) - m->body->radius > m->margin) return true;
    if (away > m->margin) {
        const kin_vec3 axis = kin_scale(nearest, -1 / away);
        const double top = kin_max(kin_dot(axis, p[0]), kin_max(kin_dot(axis, p[1]), kin_dot(axis, p[2])));
        if (is_past(m, axis, top)) return true;
    }
    for (int k = 0; k < 3; ++k) {
        const kin_vec3 side = kin_cross(kin_sub(p[(k + 1) % 3], p[k]), m->normal);
        const double out = -kin_dot(side, p[k]), square = kin_length2(side);
        if (out <= 0 || out * out <= m->margin * m->margin * square) continue;
        const kin_vec3 axis = kin_scale(side, 1 / kin_sqrt(square));
        if (is_past(m, axis, kin_dot(axis, p[k]))) return true;
    }
    return false;
}

/* The core's lowest point is over the triangle: then it is the nearest. */
static bool stands_over(const meeting* m, kin_gap* near)
{
    const kin_vec3* p = m->facet.p;
    const double height = kin_dot(m->up, kin_sub(m->low, p[0]));
    if (!(height > 0)) return false;
    for (int k = 0; k < 3; ++k) {
        const kin_vec3 side = kin_cross(kin_sub(p[(k + 1) % 3], p[k]), m->normal);
        if (!(kin_dot(side, kin_sub(m->low, p[k])) < 0)) return false;
    }
    near->distance = height - m->body->radius;
    near->normal = kin_neg(m->up);
    near->on_a = kin_add_scaled(m->low, -height, m->up);
    near->on_b = kin_add_scaled(m->low, -m->body->radius, m->up);
    return true;
}

static bool find_near(const meeting* m, kin_vec3 nearest, kin_gap* near)
{
    kin_gjk_cache start = {.axis = nearest};
    if (stands_over(m, near)) return near->distance <= m->margin;
    return kin_convex_distance_within(&m->facet, m->body, kin_transform_identity(), m->margin, &start, near);
}

static void set_facet(meeting* m, const kin_facet* facet)
{
    m->facet.core = KIN_CORE_TRIANGLE;
    for (int k = 0; k < 3; ++k) m->facet.p[k] = kin_mat3_apply_transposed(m->turn, kin_sub(facet->p[k], m->pose.position));
    m->normal = kin_triangle_normal(m->facet.p[0], m->facet.p[1], m->facet.p[2]);
    m->triangle = facet->triangle;
    m->sharp = facet->sharp;
}

static void meet_facet(meeting* m, const kin_facet* facet, kin_clusters* clusters)
{
    kin_feature feature;
    kin_gap near;
    set_facet(m, facet);
    const kin_vec3 nearest = kin_closest_on_triangle(m->facet.p[0], m->facet.p[1], m->facet.p[2], kin_v(0, 0, 0), &feature);
    if (is_clear(m, nearest) || !find_near(m, nearest, &near)) return;
    kin_vec3 up = kin_neg(near.normal); /* from the surface to the body */
    bool from_behind = kin_dot(up, m->normal) < 0;
    if (!m->surface->has_inside && from_behind) m->normal = kin_neg(m->normal), from_behind = false;
    if (from_behind && near.distance > 0) return; /* the other side's business */
    feature = part_of(m->facet.p, near.on_a);
    bool along_face = kin_dot(up, m->normal) > 1 - 1e-12;
    bool pushes = !from_behind && (along_face || kin_form_owns(m->surface, m->triangle, feature, kin_mat3_apply(m->turn, up)));
    double below = depth_below(m);
    if (pushes && (near.distance > 0 || -near.distance < 0.95 * below)) {
        if (along_face || asks_for(m, feature)) add_points(m, up, &near, clusters); /* else its neighbour does */
        return;
    }
    bool straight = below >= -m->margin && below <= m->thickness && (near.distance > 0 || below <= m->margin - TOO_DEEP * near.distance);
    if (straight) add_points(m, m->normal, NULL, clusters);
}

void kin_facets_collide(const kin_form* surface, const kin_form* body, kin_transform pose, double margin, kin_clusters* clusters)
{
    meeting m = {.surface = surface, .body = &body->convex, .pose = pose, .thickness = 2 * body->reach, .margin = margin};
    m.turn = kin_quat_to_matrix(pose.orientation);
    kin_facet_walk walk;
    for (kin_facets_begin(&walk, surface, kin_aabb_grow(kin_form_box(body, pose), margin)); kin_facets_next(&walk);) meet_facet(&m, walk.facet, clusters);
}

/* ---- surfaces against each other ----
 *
 * A triangle of each, where they come near. The direction between their nearest or deepest points counts if both surfaces can push along it there: where one cannot,
 * the normal of the other's face takes its place, or its own, whichever is the shorter way out; points are then where the two triangles face each other. */

typedef struct patch { /* a triangle of one of two surfaces, in B's frame */
    const kin_form* surface;
    const kin_facet* facet; /* in its own frame */
    kin_convex core;
    kin_vec3 normal;
    kin_vec3 own; /* the same as its own frame has it */
} patch;

typedef struct facing {
    kin_transform a_in_b;
    double margin;
    kin_clusters* clusters;
} facing;

static patch patch_of(const kin_form* surface, const kin_facet* facet, const kin_transform* pose)
{
    patch p = {.surface = surface, .facet = facet, .core = {.core = KIN_CORE_TRIANGLE, .p = {facet->p[0], facet->p[1], facet->p[2]}}};
    for (int k = 0; k < 3 && pose != NULL; ++k) p.core.p[k] = kin_apply(*pose, facet->p[k]);
    p.own = kin_triangle_normal(facet->p[0], facet->p[1], facet->p[2]);
    p.normal = pose != NULL ? kin_rotate(pose->orientation, p.own) : p.own;
    return p;
}

/* Farther above the other's plane than the margin, or, where that has an inside, wholly behind it. */
static bool is_clear_of(const patch* p, const patch* plane, double margin)
{
    double low = __builtin_inf(), high = -low;
    for (int k = 0; k < 3; ++k) {
        const double height = kin_dot(plane->normal, kin_sub(p->core.p[k], plane->core.p[0]));
        low = kin_min(low, height), high = kin_max(high, height);
    }
    return low > margin || high < (plane->surface->has_inside ? 0 : -margin);
}

/* Can it push along u, out of it, at x? Both in its own frame. */
static bool can_push(const patch* p, kin_vec3 x, kin_vec3 u)
{
    const double square = kin_dot(u, p->own);
    if (p->surface->has_inside && square < 0) return false;
    if (kin_abs(square) > 1 - 1e-12) return true;
    const kin_feature feature = part_of(p->facet->p, x);
    return feature != KIN_FEATURE_FACE && kin_form_owns(p->surface, p->facet->triangle, feature, u);
}

/* Along up, from B to A: where they face each other. How deep, 1e308: nowhere. */
static double face_along(const patch* a, const patch* b, kin_vec3 up, double margin, kin_touches* touches)
{
    kin_face fa, fb;
    touches->count = 0;
    kin_face_towards(&a->core, kin_neg(up), &fa);
    kin_face_towards(&b->core, up, &fb);
    kin_face_clip(&fa, 0, &fb, 0, up, margin, touches);
    return touches->count > 0 ? kin_max(0, -kin_touches_deepest(touches)) : 1e308;
}

static void add_facing(const facing* m, const patch* a, const patch* b, kin_vec3 up, const kin_touches* touches)
{
    for (int i = 0; i < touches->count; ++i) {
        kin_manifold_point point = touches->points[i];
        point.id ^= a->facet->triangle * 0x9e3779b1u ^ b->facet->triangle * 0x85ebca6bu;
        kin_clusters_add(m->clusters, up, &point, b->facet->triangle);
    }
}

/* The shorter way out along either's own normal. */
static void face_straight(const facing* m, const patch* a, const patch* b, double distance)
{
    kin_touches touches[2];
    kin_vec3 up[2] = {b->normal, kin_neg(a->normal)};
    double depth[2], most = m->margin + TOO_DEEP * kin_max(0, -distance);
    if (!a->surface->has_inside && kin_dot(up[1], b->normal) < 0) up[1] = a->normal; /* of a sheet the side that the other is on */
    if (!b->surface->has_inside && kin_dot(up[0], a->normal) > 0) up[0] = kin_neg(b->normal);
    if (kin_dot(up[0], up[1]) <= 0) return; /* they turn their backs to each other */
    for (int k = 0; k < 2; ++k) depth[k] = face_along(a, b, up[k], m->margin, &touches[k]);
    const int best = depth[1] < depth[0];
    if (depth[best] <= most) add_facing(m, a, b, up[best], &touches[best]);
}

static void meet_patches(const facing* m, const patch* a, const patch* b)
{
    if (is_clear_of(a, b, m->margin) || is_clear_of(b, a, m->margin)) return;
    kin_gap near;
    kin_convex_distance(&a->core, &b->core, kin_transform_identity(), NULL, &near);
    if (near.distance > m->margin) return;
    const kin_vec3 on_a = kin_unapply(m->a_in_b, near.on_a), out_of_a = kin_neg(kin_unrotate(m->a_in_b.orientation, near.normal));
    if (!can_push(a, on_a, out_of_a) || !can_push(b, near.on_b, near.normal)) {
        face_straight(m, a, b, near.distance);
        return;
    }
    kin_touches touches;
    (void)face_along(a, b, near.normal, m->margin, &touches);
    if (kin_touches_deepest(&touches) > near.distance + 1e-9 * m->margin) {
        const int at = touches.count < KIN_TOUCHES ? touches.count++ : KIN_TOUCHES - 1;
        touches.points[at] = (kin_manifold_point){kin_lerp(near.on_a, near.on_b, 0.5), near.distance, 0xffffffffu};
    }
    add_facing(m, a, b, near.normal, &touches);
}

void kin_facets_face(const kin_form* a, const kin_form* b, kin_transform a_in_b, double margin, kin_clusters* clusters)
{
    const facing m = {a_in_b, margin, clusters};
    const kin_aabb near_b = kin_aabb_grow(kin_form_box(b, kin_transform_inverse(a_in_b)), margin);
    kin_facet_walk of_a, of_b;
    for (kin_facets_begin(&of_a, a, near_b); kin_facets_next(&of_a);) {
        const patch pa = patch_of(a, of_a.facet, &a_in_b);
        const kin_vec3* p = pa.core.p;
        const kin_aabb box = {kin_min3(p[0], kin_min3(p[1], p[2])), kin_max3(p[0], kin_max3(p[1], p[2]))};
        for (kin_facets_begin(&of_b, b, kin_aabb_grow(box, margin)); kin_facets_next(&of_b);) {
            const patch pb = patch_of(b, of_b.facet, NULL);
            meet_patches(&m, &pa, &pb);
        }
    }
}
