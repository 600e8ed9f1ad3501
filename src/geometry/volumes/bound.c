/* bound.c - the kinds, and what is asked of two that differ. */
#include "geometry/volumes/bound.h"
#include "base/alloc.h"
#include "geometry/volumes/polytope.h"

const kin_bound_ops* const kin_bound_ops_of[KIN_BOUND_KINDS] = {
    [KIN_BOUND_SPHERE] = &kin_bound_sphere_ops, [KIN_BOUND_SPHERE_EIGEN] = &kin_bound_sphere_eigen_ops,
    [KIN_BOUND_BALL] = &kin_bound_ball_ops,     [KIN_BOUND_AABB] = &kin_bound_aabb_ops,
    [KIN_BOUND_DOP6] = &kin_bound_dop6_ops,     [KIN_BOUND_DOP14] = &kin_bound_dop14_ops,
    [KIN_BOUND_DOP18] = &kin_bound_dop18_ops,   [KIN_BOUND_DOP26] = &kin_bound_dop26_ops,
    [KIN_BOUND_OBB] = &kin_bound_obb_ops,       [KIN_BOUND_OBB_HULL] = &kin_bound_obb_hull_ops,
    [KIN_BOUND_HULL] = &kin_bound_hull_ops,
};

static kin_bound_form form(const kin_bound* b) { return kin_bound_ops_of[b->kind]->form; }

kin_result kin_bound_fit(kin_bound_kind kind, const kin_allocator* allocator, const kin_vec3* points, size_t count, kin_bound* out)
{
    const kin_bound_ops* ops = kin_bound_ops_of[kind];
    return ops->fit(ops, allocator, points, count, out);
}

void kin_bound_term(kin_bound* bound, const kin_allocator* allocator)
{
    if (form(bound) == KIN_FORM_HULL) {
        kin_polytope_destroy((kin_polytope*)bound->hull.shape, allocator);
        bound->hull.shape = NULL;
    }
}

kin_aabb kin_bound_box(const kin_bound* bound)
{
    if (form(bound) == KIN_FORM_AABB) return bound->box;
    kin_vec3 x = kin_axis(0), y = kin_axis(1), z = kin_axis(2);
    return (kin_aabb){{-kin_bound_extent(bound, kin_neg(x)), -kin_bound_extent(bound, kin_neg(y)), -kin_bound_extent(bound, kin_neg(z))},
                      {kin_bound_extent(bound, x), kin_bound_extent(bound, y), kin_bound_extent(bound, z)}};
}

kin_vec3 kin_bound_center(const kin_bound* bound)
{
    switch (form(bound)) {
    case KIN_FORM_SPHERE: return bound->sphere.center;
    case KIN_FORM_OBB: return bound->obb.center;
    default: return kin_aabb_center(kin_bound_box(bound));
    }
}

double kin_bound_guide(const kin_bound* bound)
{
    if (form(bound) != KIN_FORM_KDOP) return kin_bound_volume(bound);
    const kin_kdop* k = &bound->dop;
    return (k->high[0] - k->low[0]) * (k->high[1] - k->low[1]) * (k->high[2] - k->low[2]);
}

kin_bound kin_bound_turn(const kin_bound* bound, kin_transform pose)
{
    if (form(bound) != KIN_FORM_AABB) return kin_bound_move(bound, pose);
    return kin_bound_move(&(kin_bound){.kind = KIN_BOUND_OBB, .obb = kin_obb_of_box(bound->box)}, pose);
}

/* ---- two of different forms ---- */

/* The k-dop with the given axes round any bound. */
static kin_bound as_dop(const kin_bound* b, const kin_bound* like)
{
    kin_bound k = {.kind = like->kind, .dop = {.mask = like->dop.mask}};
    for (uint32_t i = 0; i < KIN_KDOP_AXES; ++i) {
        if (!(k.dop.mask >> i & 1)) continue;
        k.dop.high[i] = kin_bound_extent(b, kin_kdop_axis(i));
        k.dop.low[i] = -kin_bound_extent(b, kin_neg(kin_kdop_axis(i)));
        double slack = KIN_BOUND_SLACK * kin_max(kin_abs(k.dop.low[i]), kin_abs(k.dop.high[i]));
        k.dop.low[i] -= slack, k.dop.high[i] += slack;
    }
    return k;
}

static bool apart_along(const kin_bound* a, const kin_bound* b, kin_vec3 d)
{
    double gap = -kin_bound_extent(a, kin_neg(d)) - kin_bound_extent(b, d), size = kin_largest(kin_abs3(kin_bound_center(a)));
    return gap > KIN_BOUND_SLACK * (size + kin_largest(kin_abs3(kin_bound_center(b))));
}

static bool apart_either_way(const kin_bound* a, const kin_bound* b, kin_vec3 d) { return apart_along(a, b, d) || apart_along(b, a, d); }

/* A hull against a sphere or a box: faces of both; edges of both, too, where the other has any. */
static bool hull_overlaps(const kin_bound* hull, const kin_bound* other)
{
    const kin_polytope* p = hull->hull.shape;
    kin_quat q = hull->hull.pose.orientation;
    for (uint32_t i = 0; i < p->axis_count; ++i) {
        if (apart_either_way(hull, other, kin_rotate(q, p->axes[i]))) return false;
    }
    if (form(other) == KIN_FORM_SPHERE) {
        kin_vec3 between = kin_normalize_or(kin_sub(other->sphere.center, kin_bound_center(hull)), kin_axis(0));
        return !apart_either_way(hull, other, between);
    }
    kin_mat3 axes = form(other) == KIN_FORM_OBB ? other->obb.axes : kin_mat3_identity();
    for (int k = 0; k < 3; ++k) {
        if (apart_either_way(hull, other, kin_mat3_column(axes, k))) return false;
    }
    for (uint32_t i = 0; i < p->direction_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            kin_vec3 d = kin_cross(kin_rotate(q, p->directions[i]), kin_mat3_column(axes, k));
            if (kin_length2(d) > 1e-20 && apart_either_way(hull, other, kin_normalize_or(d, d))) return false;
        }
    }
    return true;
}

static bool sphere_overlaps(const kin_bound* sphere, const kin_bound* other)
{
    return form(other) == KIN_FORM_AABB ? kin_sphere_overlaps_box(sphere->sphere, other->box) : kin_sphere_overlaps_obb(sphere->sphere, other->obb);
}

bool kin_bound_overlap(const kin_bound* a, const kin_bound* b)
{
    kin_bound_form fa = form(a), fb = form(b);
    if (fa == fb) return kin_bound_ops_of[a->kind]->overlap(a, b);
    if (fa == KIN_FORM_KDOP || fb == KIN_FORM_KDOP) {
        kin_bound other = fa == KIN_FORM_KDOP ? as_dop(b, a) : as_dop(a, b);
        return kin_bound_ops_of[other.kind]->overlap(fa == KIN_FORM_KDOP ? a : &other, fa == KIN_FORM_KDOP ? &other : b);
    }
    if (fa == KIN_FORM_HULL) return hull_overlaps(a, b);
    if (fb == KIN_FORM_HULL) return hull_overlaps(b, a);
    if (fa == KIN_FORM_SPHERE) return sphere_overlaps(a, b);
    if (fb == KIN_FORM_SPHERE) return sphere_overlaps(b, a);
    kin_obb box = kin_obb_of_box(fa == KIN_FORM_AABB ? a->box : b->box);
    return kin_obb_overlaps(&box, fa == KIN_FORM_AABB ? &b->obb : &a->obb);
}

/* Corners of something that holds the bound: its own of boxes, else those of its box. */
static void outer_corners(const kin_bound* b, kin_vec3 corners[8])
{
    kin_obb_corners(form(b) == KIN_FORM_OBB ? b->obb : kin_obb_of_box(kin_bound_box(b)), corners);
}

kin_result kin_bound_merge(kin_bound_kind kind, const kin_allocator* allocator, const kin_bound* a, const kin_bound* b, kin_bound* out)
{
    const kin_bound_ops* ops = kin_bound_ops_of[kind];
    bool alike = form(a) == ops->form && form(b) == ops->form;
    if (alike && (ops->form != KIN_FORM_KDOP || (a->dop.mask == ops->mask && b->dop.mask == ops->mask))) return ops->merge(ops, allocator, a, b, out);
    kin_vec3 corners[16];
    outer_corners(a, corners);
    outer_corners(b, corners + 8);
    return ops->fit(ops, allocator, corners, 16, out);
}

/* ---- pictures ---- */

void kin_wire_init(kin_wire* wire, const kin_allocator* allocator) { *wire = (kin_wire){.allocator = *allocator}; }

void kin_wire_term(kin_wire* wire)
{
    kin_free(&wire->allocator, wire->points, wire->point_capacity * sizeof *wire->points);
    kin_free(&wire->allocator, wire->edges, wire->edge_capacity * sizeof *wire->edges);
    wire->points = NULL, wire->edges = NULL;
    wire->point_count = wire->point_capacity = wire->edge_count = wire->edge_capacity = 0;
}

uint32_t kin_wire_point(kin_wire* wire, kin_vec3 x)
{
    if (!kin_reserve(&wire->allocator, (void**)&wire->points, &wire->point_capacity, wire->point_count + 1, sizeof *wire->points)) return UINT32_MAX;
    wire->points[wire->point_count] = x;
    return (uint32_t)wire->point_count++;
}

bool kin_wire_edge(kin_wire* wire, uint32_t a, uint32_t b)
{
    if (!kin_reserve(&wire->allocator, (void**)&wire->edges, &wire->edge_capacity, wire->edge_count + 1, sizeof *wire->edges)) return false;
    wire->edges[wire->edge_count][0] = a, wire->edges[wire->edge_count++][1] = b;
    return true;
}

bool kin_wire_obb(kin_wire* wire, const kin_obb* box)
{
    kin_vec3 corners[8];
    kin_obb_corners(*box, corners);
    uint32_t first = (uint32_t)wire->point_count;
    for (int i = 0; i < 8; ++i) {
        if (kin_wire_point(wire, corners[i]) == UINT32_MAX) return false;
    }
    for (uint32_t i = 0; i < 8; ++i) {
        for (uint32_t bit = 1; bit < 8; bit <<= 1) {
            if (!(i & bit) && !kin_wire_edge(wire, first + i, first + (i | bit))) return false;
        }
    }
    return true;
}

bool kin_wire_add(kin_wire* wire, const kin_bound* bound) { return kin_bound_ops_of[bound->kind]->wire(bound, wire); }
