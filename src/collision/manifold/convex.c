/* convex.c - two convex bodies: their axis, their faces, their points. */
#include "collision/manifold/face.h"
#include "collision/narrow/distance.h"

/* Faces are preferred to edges, and what was chosen before to what is new, as long as that is not deeper by this part of the thinner body's width. */
#define PREFERENCE 1e-3

/* m: of a cube its side, of a ball its diameter, of a plate its thickness, up to a factor of 3. */
static double width_of(const kin_convex* c)
{
    const kin_vec3 h = c->half;
    switch (c->core) {
    case KIN_CORE_BOX: return 2 * (kin_min(h.x, kin_min(h.y, h.z)) + c->radius);
    case KIN_CORE_CYLINDER:
    case KIN_CORE_CONE: return 2 * kin_min(h.x, h.y);
    case KIN_CORE_ELLIPSOID: return 2 * kin_min(h.x, kin_min(h.y, h.z));
    case KIN_CORE_HULL: return 6 * c->hull->volume / c->hull->area;
    default: return 2 * c->radius;
    }
}

static double thinner(const kin_convex* a, const kin_convex* b) { return kin_min(width_of(a), width_of(b)); }

static bool has_axes(const kin_convex* c) { return (c->core == KIN_CORE_BOX || c->core == KIN_CORE_HULL) && c->radius == 0; }

static const kin_hull* hull_of(const kin_convex* c, kin_box_hull* box) { return c->core == KIN_CORE_HULL ? c->hull : kin_box_hull_set(box, c->half); }

static kin_sat_result least_axis(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, double preference, double margin, kin_sat_cache* cache)
{
    kin_sat_result sat;
    kin_box_hull box_a, box_b;
    if (a->core == KIN_CORE_BOX && b->core == KIN_CORE_BOX)
        kin_sat_boxes(a->half, b->half, b_in_a, preference, cache, &sat);
    else
        kin_sat_hulls(hull_of(a, &box_a), hull_of(b, &box_b), b_in_a, preference, margin, cache, &sat);
    return sat;
}

/* The ends of an edge as the axes number it: of a box among boxes 4 axis + the sides of the other two, else a half-edge of the hull. */
static void edge_ends(const kin_convex* c, bool among_boxes, uint32_t edge, kin_vec3 ends[2])
{
    if (!among_boxes) {
        kin_box_hull box;
        const kin_hull* hull = hull_of(c, &box);
        ends[0] = hull->vertices[hull->edges[edge].origin];
        ends[1] = hull->vertices[kin_hull_end(hull, edge)];
        return;
    }
    uint32_t axis = edge / 4, low = axis == 0 ? 1 : 0, high = axis == 2 ? 1 : 2;
    uint32_t corner = (edge & 1) << low | (edge >> 1 & 1) << high;
    for (uint32_t k = 0; k < 2; ++k) {
        uint32_t v = corner | k << axis;
        ends[k] = kin_mul(c->half, kin_v(v & 1 ? 1 : -1, v & 2 ? 1 : -1, v & 4 ? 1 : -1));
    }
}

/* Crossing of two edges: one point. None, if they pass each other at another distance than their axis says: past the end of one. */
static void touch_of_edges(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, const kin_sat_result* sat, double slack, kin_touches* touches)
{
    bool boxes = a->core == KIN_CORE_BOX && b->core == KIN_CORE_BOX;
    kin_vec3 ea[2], eb[2];
    edge_ends(a, boxes, sat->feature.a, ea);
    edge_ends(b, boxes, sat->feature.b, eb);
    for (int k = 0; k < 2; ++k) eb[k] = kin_apply(b_in_a, eb[k]);
    kin_segment_pair near = kin_segments_closest(ea[0], ea[1], eb[0], eb[1]);
    if (near.distance > kin_abs(sat->separation) + slack) return;
    kin_vec3 middle = kin_lerp(kin_lerp(ea[0], ea[1], near.s), kin_lerp(eb[0], eb[1], near.t), 0.5);
    touches->points[touches->count] = (kin_manifold_point){middle, sat->separation, 0x80000000u | (sat->feature.a * 2654435761u ^ sat->feature.b)};
    touches->triangles[touches->count++] = 0;
}

static void touch_of_faces(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_vec3 normal, double margin, kin_touches* touches)
{
    kin_face fa, fb;
    kin_face_towards(a, kin_neg(normal), &fa);
    kin_face_towards(b, kin_unrotate(b_in_a.orientation, normal), &fb);
    kin_face_transform(&fb, b_in_a);
    kin_face_clip(&fa, a->radius, &fb, b->radius, normal, margin, touches);
}

/* Within the sides of a face, or at most `slack` beyond them. */
static bool is_over(const kin_face* face, kin_vec3 p, double slack)
{
    for (int i = 0; i < face->count; ++i) {
        const kin_vec3 edge = kin_sub(face->corners[(i + 1) % face->count], face->corners[i]), side = kin_cross(edge, face->normal);
        if (kin_dot(kin_sub(p, face->corners[i]), side) > slack * kin_length(side)) return false;
    }
    return face->count >= 3;
}

/* The face most square to the axis need not hold the vertex that is deepest: that one is added where it is over the face that it is deep under, or within the margin
 * of that: it may be there before the interval ends. */
static void add_deepest(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, const kin_sat_result* sat, double margin, kin_touches* touches)
{
    bool of_b = sat->feature.kind == KIN_SAT_FACE_A;
    kin_vec3 vertex = of_b ? kin_apply(b_in_a, kin_core_vertex(b, sat->feature.b)) : kin_core_vertex(a, sat->feature.a);
    kin_face face;
    kin_face_towards(of_b ? a : b, of_b ? kin_neg(sat->axis) : kin_unrotate(b_in_a.orientation, sat->axis), &face);
    if (!of_b) kin_face_transform(&face, b_in_a);
    if (!is_over(&face, vertex, kin_sqrt(kin_max(kin_square(margin) - kin_square(kin_max(sat->separation, 0)), 0)))) return;
    kin_vec3 middle = kin_add_scaled(vertex, (of_b ? 0.5 : -0.5) * sat->separation, sat->axis);
    int at = touches->count < KIN_TOUCHES ? touches->count++ : KIN_TOUCHES - 1;
    touches->points[at] = (kin_manifold_point){middle, sat->separation, of_b ? sat->feature.b : sat->feature.a};
    touches->triangles[at] = 0;
}

/* False: the bodies do not touch along this axis as deep as it says. What is deepest lies beside the face it is measured from, or past the end of an edge: they
 * touch elsewhere, or nowhere. */
static bool touch_along(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, const kin_sat_result* sat, double slack, double margin,
                        kin_touches* touches)
{
    touches->count = 0;
    if (sat->feature.kind == KIN_SAT_EDGES) {
        touch_of_edges(a, b, b_in_a, sat, slack, touches);
    } else {
        touch_of_faces(a, b, b_in_a, sat->axis, margin, touches);
        if (kin_touches_deepest(touches) > sat->separation + 1e-3 * slack) add_deepest(a, b, b_in_a, sat, margin, touches);
    }
    return kin_touches_deepest(touches) <= sat->separation + slack;
}

/* Nothing of it is flat or straight: it touches with one point. */
static bool is_curved(const kin_convex* c) { return c->core == KIN_CORE_POINT || c->core == KIN_CORE_ELLIPSOID; }

/* The nearest or deepest points, and the faces about them. The nearest point itself stays, where the faces lost it. */
static bool collide_round(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, double margin, kin_collide_cache* cache, kin_manifold* out)
{
    kin_gap near;
    if (!kin_convex_distance_within(a, b, b_in_a, margin, cache != NULL ? &cache->gjk : NULL, &near)) {
        if (cache != NULL) cache->gap = near.distance;
        return false;
    }
    kin_touches touches;
    touches.count = 0;
    if (!is_curved(a) && !is_curved(b)) touch_of_faces(a, b, b_in_a, near.normal, margin, &touches);
    double slack = 1e-6 * (kin_abs(near.distance) + PREFERENCE * thinner(a, b));
    if (kin_touches_deepest(&touches) > near.distance + slack) {
        if (touches.count == KIN_TOUCHES) touches.count -= 1;
        touches.triangles[touches.count] = 0;
        touches.points[touches.count++] = (kin_manifold_point){kin_lerp(near.on_a, near.on_b, 0.5), near.distance, 0xffffffffu};
    }
    kin_touches_reduce(&touches, near.normal, out);
    return true;
}

/* A preferred axis may be one along which the bodies do not touch; the axis of least overlap never is. */
static bool collide_axes(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, double margin, kin_collide_cache* cache, kin_manifold* out)
{
    const double preference = PREFERENCE * thinner(a, b);
    kin_touches touches;
    for (int k = 0; k < 2; ++k) {
        kin_sat_result sat = least_axis(a, b, b_in_a, k == 0 ? preference : 0, margin, cache != NULL ? &cache->sat : NULL);
        if (sat.separation > margin) {
            if (cache != NULL) cache->gap = sat.separation;
            return false;
        }
        if (touch_along(a, b, b_in_a, &sat, preference, margin, &touches)) {
            kin_touches_reduce(&touches, sat.axis, out);
            return true;
        }
        if (cache != NULL) cache->sat = (kin_sat_cache){.kind = KIN_SAT_NONE};
        if (sat.separation > 0) break;
    }
    return collide_round(a, b, b_in_a, margin, cache, out);
}

bool kin_collide_convex(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, double margin, kin_collide_cache* cache, kin_manifold* out)
{
    *out = (kin_manifold){.count = 0};
    if (has_axes(a) && has_axes(b)) return collide_axes(a, b, b_in_a, margin, cache, out);
    return collide_round(a, b, b_in_a, margin, cache, out);
}
