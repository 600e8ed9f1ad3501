/* box.c - axis-aligned boxes as bounding volumes (C2.2.1, C2.5.3 aligned, H10.5). */
#include "geometry/volumes/bound.h"

static kin_result box_fit(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out)
{
    (void)allocator;
    *out = (kin_bound){.kind = ops->kind, .box = kin_aabb_empty()};
    for (size_t i = 0; i < count; ++i) out->box = kin_aabb_add(out->box, points[i]);
    return KIN_OK;
}

static kin_result box_merge(const kin_bound_ops* ops, const kin_allocator* allocator, const kin_bound* a, const kin_bound* b, kin_bound* out)
{
    (void)allocator;
    *out = (kin_bound){.kind = ops->kind, .box = kin_aabb_union(a->box, b->box)};
    return KIN_OK;
}

static kin_bound box_move(const kin_bound* bound, kin_transform pose)
{
    kin_aabb moved = kin_aabb_transform(pose, bound->box);
    double size = kin_largest(kin_max3(kin_abs3(bound->box.low), kin_abs3(bound->box.high))) + kin_largest(kin_abs3(pose.position));
    return (kin_bound){.kind = bound->kind, .box = kin_aabb_grow(moved, KIN_BOUND_SLACK * size)};
}

static bool box_overlap(const kin_bound* a, const kin_bound* b) { return kin_aabb_overlaps(a->box, b->box); }
static bool box_contains(const kin_bound* bound, kin_vec3 x) { return kin_aabb_contains(bound->box, x); }
static double box_extent(const kin_bound* bound, kin_vec3 d)
{
    return kin_max(d.x * bound->box.low.x, d.x * bound->box.high.x) + kin_max(d.y * bound->box.low.y, d.y * bound->box.high.y)
           + kin_max(d.z * bound->box.low.z, d.z * bound->box.high.z);
}
static double box_volume(const kin_bound* bound) { return kin_aabb_volume(bound->box); }
static double box_area(const kin_bound* bound) { return kin_aabb_area(bound->box); }
static bool box_wire(const kin_bound* bound, kin_wire* wire)
{
    kin_obb box = kin_obb_of_box(bound->box);
    return kin_wire_obb(wire, &box);
}

const kin_bound_ops kin_bound_aabb_ops = {
    .name = "aabb",
    .doc = "axis-aligned box",
    .kind = KIN_BOUND_AABB,
    .form = KIN_FORM_AABB,
    .split = KIN_SPLIT_MEAN,
    .fit = box_fit,
    .merge = box_merge,
    .move = box_move,
    .overlap = box_overlap,
    .contains = box_contains,
    .extent = box_extent,
    .volume = box_volume,
    .area = box_area,
    .wire = box_wire,
};
