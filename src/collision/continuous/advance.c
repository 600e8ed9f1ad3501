/* advance.c - conservative advancement (H13, after Mirtich).
 *
 * Two convex things at distance d along n stay apart as long as their extents along that fixed n do. No point can move along n faster than v.n + |w x n| r,
 * at any time of the interval, so the clock may run by d over the sum of both. Where that sum is not positive, they never meet. */
#include "collision/continuous/linear.h"
#include "collision/continuous/swept.h"
#include "collision/narrow/distance.h"

static kin_impact_kind kind_of(kin_part a, kin_part b)
{
    static const kin_impact_kind table[3][3] = {{KIN_IMPACT_VERTEX_VERTEX, KIN_IMPACT_VERTEX_EDGE, KIN_IMPACT_VERTEX_FACE},
                                                {KIN_IMPACT_EDGE_VERTEX, KIN_IMPACT_EDGE_EDGE, KIN_IMPACT_EDGE_FACE},
                                                {KIN_IMPACT_FACE_VERTEX, KIN_IMPACT_FACE_EDGE, KIN_IMPACT_FACE_FACE}};
    return a.kind == KIN_PART_CURVED || b.kind == KIN_PART_CURVED ? KIN_IMPACT_ROUND : table[a.kind][b.kind];
}

/* Which features meet: of least dimension, as the simplex of the nearest points tells. */
static void set_features(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_transform before, kin_impact* out)
{
    kin_gjk_result near;
    kin_gjk_distance(a, b, b_in_a, NULL, NULL, &near);
    if (near.is_overlapping) kin_gjk_distance(a, b, before, NULL, NULL, &near); /* touching to the last bit: those that came nearest a moment ago */
    kin_part part_a = kin_gjk_part_a(a, &near), part_b = kin_gjk_part_b(b, &near);
    if (near.is_overlapping) part_a.kind = part_b.kind = KIN_PART_CURVED; /* the simplex fills the overlap: no feature of its own */
    out->kind = a->radius > 0 || b->radius > 0 ? KIN_IMPACT_ROUND : kind_of(part_a, part_b);
    out->a = part_a.index;
    out->b = part_b.index;
}

bool kin_advance(const kin_swept* a, const kin_swept* b, double limit, const kin_impact_settings* settings, kin_impact* out)
{
    double t = 0, last = 1e308;
    kin_gjk_cache cache = {0};
    kin_transform before = kin_transform_identity();
    for (int i = 0; i < settings->most_iterations; ++i) {
        kin_transform pose_a = kin_swept_pose(a, t);
        kin_transform b_in_a = kin_transform_between(pose_a, kin_swept_pose(b, t));
        kin_gap near;
        kin_convex_distance(a->convex, b->convex, b_in_a, &cache, &near);
        out->iterations += 1;
        out->t = t;
        out->distance = near.distance;
        out->normal = kin_rotate(pose_a.orientation, near.normal);
        out->point = kin_apply(pose_a, kin_lerp(near.on_a, near.on_b, 0.5));
        if (near.distance <= settings->tolerance || i + 1 == settings->most_iterations) { /* so slow that it is as good as there */
            set_features(a->convex, b->convex, b_in_a, i > 0 ? before : b_in_a, out);
            return true;
        }
        if (settings->stop_when_parting && near.distance > last) return false;
        last = near.distance;
        before = b_in_a;
        double closing = kin_swept_speed(b, out->normal) + kin_swept_speed(a, kin_neg(out->normal));
        if (!(closing > 0)) return false;
        t += near.distance / closing;
        if (t > limit) return false;
    }
    return false;
}

bool kin_impact_convex(const kin_convex* a, double reach_a, const kin_screw* motion_a, const kin_convex* b, double reach_b, const kin_screw* motion_b,
                       const kin_impact_settings* settings, kin_impact* out)
{
    const kin_swept sa = {a, kin_transform_identity(), motion_a, reach_a}, sb = {b, kin_transform_identity(), motion_b, reach_b};
    *out = (kin_impact){.kind = KIN_IMPACT_NONE};
    if (kin_advance(&sa, &sb, 1, settings, out)) return true;
    out->kind = KIN_IMPACT_NONE;
    return false;
}

/* The plane turns about its body's position: what is far from there comes fast. */
bool kin_advance_plane(const kin_swept* a, kin_vec3 normal, const kin_screw* motion_b, double limit, const kin_impact_settings* settings, kin_impact* out)
{
    double t = 0, last = 1e308;
    uint32_t vertex = 0;
    kin_vec3 between = kin_sub(a->motion->start.position, motion_b->start.position);
    double arm = kin_length(between) + kin_length(kin_sub(a->motion->shift, motion_b->shift)) + a->reach;
    for (int i = 0; i < settings->most_iterations; ++i) {
        kin_transform pose = kin_swept_pose(a, t), plane = kin_screw_at(motion_b, t);
        kin_vec3 n = kin_rotate(plane.orientation, normal);
        kin_vec3 low = kin_apply(pose, kin_convex_support(a->convex, kin_unrotate(pose.orientation, kin_neg(n)), &vertex));
        double d = kin_dot(n, kin_sub(low, plane.position)) - a->convex->radius;
        out->iterations += 1;
        *out = (kin_impact){.kind = KIN_IMPACT_VERTEX_FACE,
                            .t = t,
                            .normal = n,
                            .point = kin_add_scaled(low, -a->convex->radius - d, n),
                            .distance = d,
                            .a = vertex,
                            .iterations = out->iterations};
        if (!kin_convex_is_polyhedral(a->convex) || a->convex->radius > 0) out->kind = KIN_IMPACT_ROUND;
        if (d <= settings->tolerance) return true;
        if (settings->stop_when_parting && d > last) return false;
        last = d;
        double closing = kin_swept_speed(a, kin_neg(n)) + kin_dot(motion_b->shift, n) + motion_b->angle * arm;
        if (!(closing > 0)) return false;
        t += d / closing;
        if (t > limit) return false;
    }
    return true;
}

bool kin_advance_point(const kin_swept* a, const kin_form* b, kin_transform offset_b, const kin_screw* motion_b, double limit,
                       const kin_impact_settings* settings, kin_impact* out)
{
    double t = 0, last = 1e308;
    double fastest = kin_length(kin_sub(a->motion->shift, motion_b->shift)) + a->motion->angle * a->reach;
    kin_vec3 between = kin_sub(a->motion->start.position, motion_b->start.position);
    fastest += motion_b->angle * (kin_length(between) + kin_length(kin_sub(a->motion->shift, motion_b->shift)) + a->reach);
    for (int i = 0; i < settings->most_iterations; ++i) {
        kin_transform body = kin_transform_mul(kin_screw_at(motion_b, t), offset_b);
        kin_vec3 x = kin_unapply(body, kin_swept_pose(a, t).position);
        kin_touch touch;
        double reach = a->convex->radius + settings->tolerance + (limit - t) * fastest;
        out->iterations += 1;
        if (b->ops->closest(b, x, reach, &touch, 1) == 0) return false;
        double d = touch.distance - a->convex->radius;
        *out = (kin_impact){.kind = KIN_IMPACT_ROUND,
                            .t = t,
                            .normal = kin_rotate(body.orientation, touch.normal),
                            .point = kin_apply(body, touch.point),
                            .distance = d,
                            .triangle_b = touch.feature,
                            .part_b = touch.part,
                            .iterations = out->iterations};
        if (d <= settings->tolerance) return true;
        if (settings->stop_when_parting && d > last) return false;
        last = d;
        if (!(fastest > 0)) return false;
        t += d / fastest;
        if (t > limit) return false;
    }
    return true;
}

/* A sphere and a triangle whose corners go straight: the gap over the fastest corner (X3.2b). */
bool kin_impact_sphere_triangle(kin_mover a, double radius, const kin_mover b[3], kin_impact* out)
{
    double fastest = 0, t = 0, size = radius;
    kin_vec3 v = kin_sub(a.to, a.from);
    for (int k = 0; k < 3; ++k) {
        fastest = kin_max(fastest, kin_distance(v, kin_sub(b[k].to, b[k].from)));
        size = kin_max(size, kin_max(kin_largest(kin_abs3(b[k].from)), kin_largest(kin_abs3(b[k].to))));
    }
    double tolerance = 1e-12 * kin_max(size, kin_max(kin_largest(kin_abs3(a.from)), kin_largest(kin_abs3(a.to))));
    for (int i = 0; i < 10000; ++i) {
        kin_vec3 x = kin_mover_at(a, t);
        kin_feature feature;
        kin_vec3 near = kin_closest_on_triangle(kin_mover_at(b[0], t), kin_mover_at(b[1], t), kin_mover_at(b[2], t), x, &feature);
        double gap = kin_distance(x, near) - radius;
        if (gap <= tolerance) {
            kin_vec3 face = kin_triangle_normal(kin_mover_at(b[0], t), kin_mover_at(b[1], t), kin_mover_at(b[2], t));
            *out = (kin_impact){.kind = KIN_IMPACT_ROUND, .t = t, .point = near, .distance = gap, .b = feature, .iterations = i + 1};
            out->normal = kin_normalize_or(kin_sub(x, near), kin_dot(face, v) > 0 ? kin_neg(face) : face);
            return true;
        }
        if (!(fastest > 0)) return false;
        t += gap / fastest;
        if (t > 1) return false;
    }
    return false;
}
