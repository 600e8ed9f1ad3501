/* overlaps_depth.c - the measures of a region: normal, depth, deepest points. */
#include "collision/primitive/overlaps_internal.h"
#include "geometry/bvh.h"
#include "math/aabb.h"

#define FAR 1e150 /* m: its square is still a number */

static kin_vec3 unit(kin_vec3 v, kin_vec3 fallback) { return kin_normalize_or(v, fallback); }

/* ---- curves ---- */

static kin_vec3 normal_of(const kin_overlap_pair* p, int side, uint32_t triangle)
{
    kin_vec3 n = p->mesh[side]->mesh->normals[triangle];
    return side == 0 ? n : kin_rotate(p->b_in_a.orientation, n);
}

/* The middle of the curves, by length; of points, their mean. */
static kin_vec3 curve_center(const kin_crossings* all, const kin_overlap* region)
{
    kin_vec3 sum = {0, 0, 0}, mean = {0, 0, 0};
    double length = 0;
    for (uint32_t i = 0; i < region->crossing_count; ++i) {
        const kin_meeting* m = &all->data[region->crossings[i]].where;
        kin_vec3 middle = kin_lerp(m->from, m->to, 0.5);
        double part = kin_distance(m->from, m->to);
        sum = kin_add_scaled(sum, part, middle);
        mean = kin_add_scaled(mean, 1.0 / region->crossing_count, middle);
        length += part;
    }
    return length > 0 ? kin_scale(sum, 1 / length) : mean;
}

/* Half the sum of from x to: the vector area that the curves bound, on a. *size: of the curves, m^2, to tell a small area from none. */
static kin_vec3 curve_area(const kin_overlap_pair* pair, const kin_crossings* all, const kin_overlap* region, double* size)
{
    kin_vec3 sum = {0, 0, 0};
    *size = 0;
    for (uint32_t i = 0; i < region->crossing_count; ++i) {
        const kin_mesh_crossing* c = &all->data[region->crossings[i]];
        kin_vec3 from = kin_sub(c->where.from, region->center), to = kin_sub(c->where.to, region->center);
        kin_vec3 along = kin_cross(normal_of(pair, 0, c->a), normal_of(pair, 1, c->b)), part = kin_cross(from, to);
        double sense = kin_dot(kin_sub(to, from), along); /* coplanar faces give their ends in any order */
        if (c->where.kind != KIN_MEET_SEGMENT || sense == 0) continue;
        sum = kin_add_scaled(sum, sense > 0 ? 0.5 : -0.5, part);
        *size += 0.5 * kin_length(part);
    }
    return sum;
}

/* ---- the deepest vertices ---- */

/* The squared distance of x (in the mesh's frame) from the surface, or -1 as soon as some triangle is known to be within the bound. */
static double beyond(const kin_trimesh* mesh, kin_vec3 x, double bound2)
{
    kin_bvh_walk walk;
    double best = FAR * FAR;
    for (kin_bvh_closest_begin(&walk, &mesh->tree, x, FAR); kin_bvh_closest_next(&walk);) {
        for (uint32_t i = walk.begin; i < walk.end; ++i) {
            kin_feature feature;
            const kin_facet* f = &mesh->corners[i];
            double d2 = kin_length2(kin_sub(x, kin_closest_on_triangle(f->p[0], f->p[1], f->p[2], x, &feature)));
            if (d2 <= bound2) return -1;
            best = kin_min(best, d2);
        }
        walk.limit = best;
    }
    return best;
}

static kin_vec3 in_frame_of(const kin_overlap_pair* p, int side, kin_vec3 x) { return side == 0 ? x : kin_unapply(p->b_in_a, x); }

/* Of the vertices of one mesh that are inside the other the one farthest from its surface. False: there are none. */
static bool find_deepest(const kin_overlap_pair* pair, int side, const uint32_t* inside, uint32_t count, kin_vec3* deepest)
{
    double best = -1;
    for (uint32_t i = 0; i < count; ++i) {
        kin_vec3 x = kin_overlap_vertex(pair, side, inside[i]);
        double d2 = beyond(pair->mesh[1 - side], in_frame_of(pair, 1 - side, x), best);
        if (d2 > best) best = d2, *deepest = x;
    }
    return count > 0;
}

/* The nearest point of the surface of one mesh, and its normal there. */
static kin_vec3 surface_at(const kin_overlap_pair* pair, int side, kin_vec3 x, kin_vec3* normal)
{
    kin_touch touch = {.point = x, .normal = {0, 1, 0}};
    kin_trimesh_closest(pair->mesh[side], in_frame_of(pair, side, x), FAR, &touch);
    *normal = side == 0 ? touch.normal : kin_rotate(pair->b_in_a.orientation, touch.normal);
    return side == 0 ? touch.point : kin_apply(pair->b_in_a, touch.point);
}

/* ---- normal and depth ---- */

/* Where the curves span no area (a rod right through, one inside the other): the way out of the deepest vertex; without one, from middle to middle. */
static kin_vec3 other_normal(const kin_overlap_pair* pair, const kin_overlap* region)
{
    kin_vec3 n;
    if (region->inside_a_count > 0) return surface_at(pair, 1, region->deepest_a, &n), n;
    if (region->inside_b_count > 0) return surface_at(pair, 0, region->deepest_b, &n), kin_neg(n);
    kin_vec3 a = kin_aabb_center(pair->mesh[0]->mesh->bounds), b = kin_apply(pair->b_in_a, kin_aabb_center(pair->mesh[1]->mesh->bounds));
    return unit(kin_sub(a, b), kin_v(0, 1, 0));
}

typedef struct extent {
    double low, high; /* along the normal, m, from the middle */
    kin_vec3 lowest, highest;
} extent;

static void extend(extent* e, kin_vec3 n, kin_vec3 center, kin_vec3 x)
{
    double h = kin_dot(n, kin_sub(x, center));
    if (h < e->low) e->low = h, e->lowest = x;
    if (h > e->high) e->high = h, e->highest = x;
}

static extent curve_extent(const kin_crossings* all, const kin_overlap* region, kin_vec3 n)
{
    extent e = {FAR, -FAR, region->center, region->center};
    for (uint32_t i = 0; i < region->crossing_count; ++i) {
        const kin_meeting* m = &all->data[region->crossings[i]].where;
        extend(&e, n, region->center, m->from);
        extend(&e, n, region->center, m->to);
    }
    return e;
}

static void extend_by_vertices(extent* e, const kin_overlap_pair* pair, int side, const kin_overlap* region, kin_vec3 n)
{
    const uint32_t* inside = side == 0 ? region->inside_a : region->inside_b;
    uint32_t count = side == 0 ? region->inside_a_count : region->inside_b_count;
    for (uint32_t i = 0; i < count; ++i) extend(e, n, region->center, kin_overlap_vertex(pair, side, inside[i]));
}

/* Along n a reaches down to its lowest point, b up to its highest: all of the region lies between. Without a curve, up to the surface around. */
static double depth_along(const kin_overlap_pair* pair, const kin_crossings* all, const kin_overlap* region, kin_vec3 n, kin_vec3* lowest, kin_vec3* highest)
{
    extent curve = curve_extent(all, region, n), a = curve, b = curve;
    extend_by_vertices(&a, pair, 0, region, n);
    extend_by_vertices(&b, pair, 1, region, n);
    if (region->crossing_count == 0) {
        extend(&a, n, region->center, region->deepest_a);
        extend(&b, n, region->center, region->deepest_b);
    }
    *lowest = a.lowest, *highest = b.highest;
    return kin_max(b.high - a.low, 0);
}

static void try_exit(const kin_overlap_pair* pair, const kin_crossings* all, kin_overlap* region, kin_vec3 n)
{
    kin_vec3 lowest, highest;
    double depth = depth_along(pair, all, region, n, &lowest, &highest);
    if (depth < region->exit_depth) region->exit = n, region->exit_depth = depth;
}

#define FACES_TRIED 16 /* of a region without vertices inside: it has few */

static void find_exit(const kin_overlap_pair* pair, const kin_crossings* all, kin_overlap* region)
{
    kin_vec3 n;
    region->exit = region->normal, region->exit_depth = region->depth;
    if (region->inside_a_count + region->inside_b_count > 0) {
        surface_at(pair, 1, region->deepest_a, &n);
        try_exit(pair, all, region, n);
        surface_at(pair, 0, region->deepest_b, &n);
        try_exit(pair, all, region, kin_neg(n));
        return;
    }
    for (uint32_t i = 0; i < region->crossing_count && i < FACES_TRIED; ++i) {
        const kin_mesh_crossing* c = &all->data[region->crossings[i]];
        try_exit(pair, all, region, normal_of(pair, 1, c->b));
        try_exit(pair, all, region, kin_neg(normal_of(pair, 0, c->a)));
    }
}

static void measure_depth(const kin_overlap_pair* pair, const kin_crossings* all, kin_overlap* region)
{
    kin_vec3 lowest, highest;
    region->depth = depth_along(pair, all, region, region->normal, &lowest, &highest);
    if (region->inside_a_count + region->inside_b_count > 0) return;
    region->deepest_a = lowest, region->deepest_b = highest; /* edges across each other: the ends of what is inside of them */
    region->distance = region->depth;
}

static void measure_deepest(const kin_overlap_pair* pair, kin_overlap* region)
{
    kin_vec3 n;
    bool in_a = find_deepest(pair, 0, region->inside_a, region->inside_a_count, &region->deepest_a);
    bool in_b = find_deepest(pair, 1, region->inside_b, region->inside_b_count, &region->deepest_b);
    if (in_a && !in_b) region->deepest_b = surface_at(pair, 1, region->deepest_a, &n);
    if (in_b && !in_a) region->deepest_a = surface_at(pair, 0, region->deepest_b, &n);
    region->distance = kin_distance(region->deepest_a, region->deepest_b);
}

void kin_overlap_measure(const kin_overlap_pair* pair, const kin_crossings* all, kin_overlap* region)
{
    double size;
    region->center = curve_center(all, region);
    kin_vec3 area = curve_area(pair, all, region, &size);
    measure_deepest(pair, region);
    if (region->crossing_count == 0) region->center = kin_lerp(region->deepest_a, region->deepest_b, 0.5);
    region->area = kin_length(area);
    region->normal = region->area > 1e-9 * size ? kin_scale(area, -1 / region->area) : other_normal(pair, region);
    measure_depth(pair, all, region);
    find_exit(pair, all, region);
}
