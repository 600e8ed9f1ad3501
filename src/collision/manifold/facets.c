/* facets.c - a convex body against the triangles of a surface, without ghosts.
 *
 * All in the surface's frame. Each triangle near the body is asked for its nearest or deepest points. The direction found must be one that the surface can
 * push along at that place: a face along its normal, a sharp edge or corner along the directions between its faces. Any other comes from a triangle's edge
 * that is inside the surface (a ghost), and the face's own normal takes its place. Solid surfaces push outward only. */
#include "collision/manifold/facets.h"
#include "collision/narrow/distance.h"
#include "math/aabb.h"

/* Where a triangle cannot push along the shortest way out, its normal may be this much longer a way; beyond, it is another face's business. */
#define TOO_DEEP 4

typedef struct meeting {
    const kin_form* surface;
    const kin_convex* body;
    kin_transform pose; /* of the body, in the surface's frame */
    kin_convex facet;
    kin_vec3 normal; /* of the facet */
    double thickness, margin;
} meeting;

/* Which part of the triangle a point of it lies on. */
static kin_feature part_of(const kin_facet* f, kin_vec3 x)
{
    kin_feature feature;
    kin_closest_on_triangle(f->p[0], f->p[1], f->p[2], x, &feature);
    double edge2 = kin_max(kin_length2(kin_sub(f->p[1], f->p[0])), kin_length2(kin_sub(f->p[2], f->p[0])));
    if (feature != KIN_FEATURE_FACE) return feature;
    for (int k = 0; k < 3; ++k) { /* rounding may leave it a hair inside */
        kin_vec3 a = f->p[k], b = f->p[(k + 1) % 3];
        kin_vec3 off = kin_sub(x, kin_lerp(a, b, kin_segment_closest(a, b, x)));
        if (kin_length2(off) < 1e-18 * edge2) return (kin_feature)(KIN_FEATURE_EDGE0 + k);
    }
    return feature;
}

static bool asks_for(const kin_facet* f, kin_feature feature) { return feature == KIN_FEATURE_FACE || (f->sharp >> (feature - KIN_FEATURE_EDGE0) & 1) != 0; }

/* How far the body reaches below the face. */
static double depth_below(const meeting* m)
{
    uint32_t vertex = 0;
    kin_vec3 low = kin_convex_support(m->body, kin_unrotate(m->pose.orientation, kin_neg(m->normal)), &vertex);
    return kin_dot(m->normal, kin_sub(m->facet.p[0], kin_apply(m->pose, low))) + m->body->radius;
}

static void add_points(const meeting* m, const kin_facet* facet, kin_vec3 up, const kin_gap* near, kin_clusters* clusters)
{
    kin_face fb, fa;
    kin_touches touches;
    touches.count = 0;
    kin_face_towards(m->body, kin_unrotate(m->pose.orientation, kin_neg(up)), &fa);
    kin_face_transform(&fa, m->pose);
    kin_face_towards(&m->facet, up, &fb);
    kin_face_clip(&fa, m->body->radius, &fb, 0, up, m->margin, &touches);
    if (near != NULL && touches.count == 0) {
        touches.points[0] = (kin_manifold_point){kin_lerp(near->on_a, near->on_b, 0.5), near->distance, 0xffffffffu};
        touches.count = 1;
    }
    for (int i = 0; i < touches.count; ++i) {
        touches.points[i].id ^= facet->triangle * 0x9e3779b1u;
        kin_clusters_add(clusters, up, &touches.points[i], facet->triangle);
    }
}

static void meet_facet(meeting* m, const kin_facet* facet, kin_clusters* clusters)
{
    m->facet = (kin_convex){.core = KIN_CORE_TRIANGLE, .p = {facet->p[0], facet->p[1], facet->p[2]}};
    m->normal = kin_triangle_normal(facet->p[0], facet->p[1], facet->p[2]);
    kin_gap near;
    kin_convex_distance(&m->facet, m->body, m->pose, NULL, &near);
    if (near.distance > m->margin) return;
    kin_vec3 up = kin_neg(near.normal); /* from the surface to the body */
    bool from_behind = kin_dot(up, m->normal) < 0;
    if (!m->surface->has_inside && from_behind) m->normal = kin_neg(m->normal), from_behind = false;
    if (from_behind && near.distance > 0) return; /* the other side's business */
    kin_feature feature = part_of(facet, near.on_a);
    bool along_face = kin_dot(up, m->normal) > 1 - 1e-12;
    bool pushes = !from_behind && (along_face || kin_form_owns(m->surface, facet->triangle, feature, up));
    double below = depth_below(m);
    if (pushes && (near.distance > 0 || -near.distance < 0.95 * below)) {
        if (along_face || asks_for(facet, feature)) add_points(m, facet, up, &near, clusters); /* else its neighbour does */
        return;
    }
    bool straight = below >= -m->margin && below <= m->thickness && (near.distance > 0 || below <= m->margin - TOO_DEEP * near.distance);
    if (straight) add_points(m, facet, m->normal, NULL, clusters);
}

void kin_facets_collide(const kin_form* surface, const kin_form* body, kin_transform pose, double margin, kin_clusters* clusters)
{
    meeting m = {.surface = surface, .body = &body->convex, .pose = pose, .thickness = 2 * body->reach, .margin = margin};
    kin_facet_walk walk;
    for (kin_facets_begin(&walk, surface, kin_aabb_grow(kin_form_box(body, pose), margin)); kin_facets_next(&walk);) meet_facet(&m, walk.facet, clusters);
}
