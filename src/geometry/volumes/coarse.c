/* coarse.c - contacts of inner nodes, where a frame's time does not reach the leaves (C4.14 Ex2). The two volumes stand for what is in them: the way of
 * least overlap among the directions their shapes suggest is the normal, the middle of the overlap is the point. */
#include "geometry/volumes/descent.h"
#include "geometry/volumes/polytope.h"

typedef struct push_out {
    kin_vec3 normal; /* from b to a */
    double depth;
} push_out;

static void try_way(const kin_bound* a, const kin_bound* b, kin_vec3 n, push_out* best)
{
    double depth = kin_bound_extent(b, n) + kin_bound_extent(a, kin_neg(n));
    if (depth < best->depth) *best = (push_out){n, depth};
}

static void try_both_ways(const kin_bound* a, const kin_bound* b, kin_vec3 n, push_out* best)
{
    try_way(a, b, n, best);
    try_way(a, b, kin_neg(n), best);
}

/* The face directions of one of the two. */
static void try_faces(const kin_bound* shape, const kin_bound* a, const kin_bound* b, push_out* best)
{
    switch (kin_bound_ops_of[shape->kind]->form) {
    case KIN_FORM_SPHERE: break; /* round: the line of centres is its direction */
    case KIN_FORM_AABB:
        for (int i = 0; i < 3; ++i) try_both_ways(a, b, kin_axis(i), best);
        break;
    case KIN_FORM_OBB:
        for (int i = 0; i < 3; ++i) try_both_ways(a, b, kin_mat3_column(shape->obb.axes, i), best);
        break;
    case KIN_FORM_KDOP:
        for (uint32_t i = 0; i < KIN_KDOP_AXES; ++i) {
            if (shape->dop.mask >> i & 1) try_both_ways(a, b, kin_normalize_or(kin_kdop_axis(i), kin_axis(0)), best);
        }
        break;
    case KIN_FORM_HULL:
        for (uint32_t i = 0; i < shape->hull.shape->axis_count; ++i) {
            try_both_ways(a, b, kin_rotate(shape->hull.pose.orientation, shape->hull.shape->axes[i]), best);
        }
        break;
    }
}

kin_coarse_contact kin_coarse_contact_of(const kin_bound* a, const kin_bound* b)
{
    push_out best = {kin_axis(1), __builtin_inf()};
    try_way(a, b, kin_normalize_or(kin_sub(kin_bound_center(a), kin_bound_center(b)), kin_axis(1)), &best);
    try_faces(a, a, b, &best);
    try_faces(b, a, b, &best);
    best.depth = kin_max(best.depth, 0);
    /* The middle of what the boxes share, moved along the normal to the middle of the overlap. */
    kin_vec3 p = kin_aabb_center(kin_aabb_intersection(kin_bound_box(a), kin_bound_box(b)));
    double middle = 0.5 * (kin_bound_extent(b, best.normal) - kin_bound_extent(a, kin_neg(best.normal)));
    p = kin_add_scaled(p, middle - kin_dot(p, best.normal), best.normal);
    return (kin_coarse_contact){.point = p,
                                .normal = best.normal,
                                .depth = best.depth,
                                .on_a = kin_add_scaled(p, -0.5 * best.depth, best.normal),
                                .on_b = kin_add_scaled(p, 0.5 * best.depth, best.normal)};
}

double kin_coarse_contact_time(const kin_coarse_contact* c, kin_vec3 velocity, double horizon)
{
    double closing = -kin_dot(velocity, c->normal);
    return closing * horizon > c->depth ? c->depth / closing : horizon;
}
