/* distance.c - which method answers which pair, and the closed forms. */
#include "collision/narrow/distance.h"
#include "collision/narrow/epa.h"
#include "geometry/triangle.h"

typedef struct touch { /* of a point against a core, in the core's frame */
    double distance;   /* negative inside */
    kin_vec3 out;      /* unit, from the core's nearest point to the given one, or out of the core when inside */
    bool is_known;     /* false: no closed form */
} touch;

static kin_vec3 any_across(kin_vec3 d)
{
    kin_vec3 s = kin_abs3(d);
    return kin_normalize_or(kin_cross(d, kin_axis(s.x <= s.y ? (s.x <= s.z ? 0 : 2) : (s.y <= s.z ? 1 : 2))), kin_v(0, 1, 0));
}

static touch from_nearest(kin_vec3 nearest, kin_vec3 x, kin_vec3 otherwise)
{
    kin_vec3 gap = kin_sub(x, nearest);
    return (touch){kin_length(gap), kin_normalize_or(gap, otherwise), true};
}

static touch touch_box(kin_vec3 half, kin_vec3 x)
{
    kin_vec3 over = kin_sub(kin_abs3(x), half);
    int axis = over.x >= over.y ? (over.x >= over.z ? 0 : 2) : (over.y >= over.z ? 1 : 2);
    if (kin_largest(over) > 0) return from_nearest(kin_max3(kin_neg(half), kin_min3(x, half)), x, kin_axis(axis));
    return (touch){kin_component(over, axis), kin_scale(kin_axis(axis), kin_component(x, axis) < 0 ? -1 : 1), true};
}

/* In the half plane of the axis and the point: a rectangle. */
static touch touch_cylinder(kin_vec3 half, kin_vec3 x)
{
    double flat = kin_sqrt(x.x * x.x + x.z * x.z), aside = flat - half.x, along = kin_abs(x.y) - half.y;
    kin_vec3 radial = flat > 0 ? kin_v(x.x / flat, 0, x.z / flat) : kin_v(1, 0, 0), axial = {0, x.y < 0 ? -1 : 1, 0};
    if (aside > 0 && along > 0) {
        double distance = kin_sqrt(aside * aside + along * along);
        return (touch){distance, kin_add_scaled(kin_scale(radial, aside / distance), along / distance, axial), true};
    }
    return aside > along ? (touch){aside, radial, true} : (touch){along, axial, true};
}

/* Without a sure normal: left to the iteration. */
static bool is_slim(const kin_convex* c)
{
    kin_vec3 u = kin_sub(c->p[1], c->p[0]), v = kin_sub(c->p[2], c->p[0]);
    double longest = kin_max(kin_length2(u), kin_max(kin_length2(v), kin_length2(kin_sub(u, v))));
    return !(kin_length2(kin_cross(u, v)) > 1e-16 * longest * longest);
}

static touch touch_core(const kin_convex* c, kin_vec3 x)
{
    kin_feature ignored;
    switch (c->core) {
    case KIN_CORE_POINT: return from_nearest(kin_v(0, 0, 0), x, kin_v(0, 1, 0));
    case KIN_CORE_SEGMENT: return from_nearest(kin_v(0, kin_clamp(x.y, -c->half.y, c->half.y), 0), x, kin_v(1, 0, 0));
    case KIN_CORE_BOX: return touch_box(c->half, x);
    case KIN_CORE_CYLINDER: return touch_cylinder(c->half, x);
    case KIN_CORE_TRIANGLE:
        if (is_slim(c)) return (touch){.is_known = false};
        return from_nearest(kin_closest_on_triangle(c->p[0], c->p[1], c->p[2], x, &ignored), x, kin_triangle_normal(c->p[0], c->p[1], c->p[2]));
    default: return (touch){.is_known = false};
    }
}

/* From the cores' signed distance, a point of A's core and the normal. */
static void grow(const kin_convex* a, const kin_convex* b, double distance, kin_vec3 at_a, kin_vec3 normal, kin_gap* out)
{
    out->distance = distance - a->radius - b->radius;
    out->normal = normal;
    out->on_a = kin_add_scaled(at_a, -a->radius, normal);
    out->on_b = kin_add_scaled(out->on_a, -out->distance, normal);
}

/* Across two segments; across the longer where they are parallel, give or take round-off. */
static kin_vec3 across_both(kin_vec3 u, kin_vec3 v)
{
    const kin_vec3 n = kin_cross(u, v);
    if (kin_length2(n) > 1e-24 * kin_length2(u) * kin_length2(v)) return kin_normalize_or(n, kin_v(0, 1, 0));
    return any_across(kin_length2(u) >= kin_length2(v) ? u : v);
}

/* One of them is a point, or both are segments. */
static bool closed_form(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gap* out)
{
    if (b->core == KIN_CORE_POINT) {
        touch t = touch_core(a, b_in_a.position);
        if (t.is_known) grow(a, b, t.distance, kin_add_scaled(b_in_a.position, -t.distance, t.out), kin_neg(t.out), out);
        return t.is_known;
    }
    if (a->core == KIN_CORE_POINT) {
        touch t = touch_core(b, kin_neg(kin_unrotate(b_in_a.orientation, b_in_a.position)));
        if (t.is_known) grow(a, b, t.distance, kin_v(0, 0, 0), kin_rotate(b_in_a.orientation, t.out), out);
        return t.is_known;
    }
    if (a->core != KIN_CORE_SEGMENT || b->core != KIN_CORE_SEGMENT) return false;
    kin_vec3 low = kin_v(0, -a->half.y, 0), high = kin_v(0, a->half.y, 0), along = kin_rotate(b_in_a.orientation, kin_v(0, b->half.y, 0));
    kin_vec3 b_low = kin_sub(b_in_a.position, along), b_high = kin_add(b_in_a.position, along);
    kin_segment_pair near = kin_segments_closest(low, high, b_low, b_high);
    kin_vec3 at_a = kin_line_point(low, high, near.s);
    kin_vec3 apart = kin_sub(at_a, kin_line_point(b_low, b_high, near.t));
    double size = a->half.y + b->half.y + kin_length(b_in_a.position);
    /* where they cross, or lie in each other, their distance is round-off, and its direction none */
    kin_vec3 normal = near.distance > 1e-12 * size ? kin_scale(apart, 1 / near.distance) : across_both(high, along);
    grow(a, b, near.distance, at_a, normal, out);
    return true;
}

static void from_gjk(const kin_convex* a, const kin_convex* b, const kin_gjk_result* g, kin_vec3 normal, kin_gap* out)
{
    grow(a, b, g->distance + a->radius + b->radius, kin_add_scaled(g->on_a, a->radius, g->normal), normal, out);
}

/* False when they touch so exactly that GJK, asked again from where it ended, finds them apart by rounding. */
static bool deep(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gjk_cache* cache, kin_gap* out)
{
    kin_epa_result e;
    if (!kin_epa_depth(a, b, b_in_a, NULL, cache, &e)) return false;
    out->distance = -e.depth;
    out->normal = e.normal;
    out->on_a = e.on_a;
    out->on_b = e.on_b;
    out->iterations += e.iterations;
    return true;
}

void kin_convex_distance(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gjk_cache* cache, kin_gap* out)
{
    kin_gjk_cache own = {0};
    kin_gjk_result g;
    *out = (kin_gap){0};
    if (closed_form(a, b, b_in_a, out)) return;
    if (cache == NULL) cache = &own;
    kin_gjk_distance(a, b, b_in_a, NULL, cache, &g);
    out->iterations = g.iterations;
    if (g.is_overlapping && deep(a, b, b_in_a, cache, out)) return;
    if (g.is_overlapping) kin_gjk_distance(a, b, b_in_a, NULL, cache, &g);
    from_gjk(a, b, &g, g.is_overlapping ? kin_normalize_or(kin_neg(b_in_a.position), kin_v(0, 1, 0)) : g.normal, out);
}
