/* distance.c - which method answers which pair, and the closed forms. */
#include "collision/narrow/distance.h"
#include "collision/narrow/ellipsoid.h"
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

static touch touch_ellipsoid(kin_vec3 half, kin_vec3 x)
{
    const kin_ellipsoid_point near = kin_ellipsoid_closest(half, x);
    return (touch){near.distance, near.normal, true};
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
    case KIN_CORE_ELLIPSOID: return touch_ellipsoid(c->half, x);
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

/* Nearest points of a triangle and a segment that does not go through it: an end and the triangle, or the segment and an edge. */
typedef struct nearest_pair {
    double square; /* m^2 */
    kin_vec3 on_triangle, on_segment;
} nearest_pair;

static void take_nearer(nearest_pair* best, kin_vec3 on_triangle, kin_vec3 on_segment)
{
    const double square = kin_length2(kin_sub(on_triangle, on_segment));
    if (square < best->square) *best = (nearest_pair){square, on_triangle, on_segment};
}

static bool goes_through(const kin_vec3 p[3], kin_vec3 low, kin_vec3 high)
{
    const kin_vec3 n = kin_cross(kin_sub(p[1], p[0]), kin_sub(p[2], p[0]));
    const double from = kin_dot(n, kin_sub(low, p[0])), to = kin_dot(n, kin_sub(high, p[0]));
    if (from * to > 0) return false;
    const kin_vec3 x = from == to ? low : kin_lerp(low, high, from / (from - to));
    for (int k = 0; k < 3; ++k) {
        if (kin_dot(kin_cross(kin_sub(p[(k + 1) % 3], p[k]), n), kin_sub(x, p[k])) > 0) return false;
    }
    return true;
}

static nearest_pair segment_triangle(const kin_vec3 p[3], kin_vec3 low, kin_vec3 high)
{
    nearest_pair best = {.square = __builtin_inf()};
    kin_feature ignored;
    take_nearer(&best, kin_closest_on_triangle(p[0], p[1], p[2], low, &ignored), low);
    take_nearer(&best, kin_closest_on_triangle(p[0], p[1], p[2], high, &ignored), high);
    for (int k = 0; k < 3; ++k) {
        const kin_vec3 a = p[k], b = p[(k + 1) % 3];
        const kin_segment_pair near = kin_segments_closest(a, b, low, high);
        take_nearer(&best, kin_line_point(a, b, near.s), kin_line_point(low, high, near.t));
    }
    return best;
}

/* A triangle and a segment apart, beyond what rounding leaves of a direction; A's frame. */
static bool apart_form(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gap* out)
{
    const bool flip = a->core == KIN_CORE_SEGMENT;
    const kin_convex *triangle = flip ? b : a, *segment = flip ? a : b;
    const kin_transform pose = flip ? kin_transform_inverse(b_in_a) : b_in_a; /* of the segment, in the triangle's frame */
    const kin_vec3 along = kin_rotate(pose.orientation, kin_v(0, segment->half.y, 0));
    const kin_vec3 low = kin_sub(pose.position, along), high = kin_add(pose.position, along);
    if (is_slim(triangle) || goes_through(triangle->p, low, high)) return false;
    const nearest_pair near = segment_triangle(triangle->p, low, high);
    const double size2 = kin_max(kin_length2(low), kin_max(kin_length2(high), kin_length2(near.on_triangle)));
    if (!(near.square > 1e-24 * size2)) return false;
    const double distance = kin_sqrt(near.square);
    kin_vec3 normal = kin_scale(kin_sub(near.on_triangle, near.on_segment), 1 / distance), at = near.on_triangle;
    if (flip) normal = kin_rotate(b_in_a.orientation, kin_neg(normal)), at = kin_apply(b_in_a, near.on_segment);
    grow(a, b, distance, at, normal, out);
    return true;
}

static bool is_apart_form(const kin_convex* a, const kin_convex* b)
{
    return (a->core == KIN_CORE_TRIANGLE && b->core == KIN_CORE_SEGMENT) || (a->core == KIN_CORE_SEGMENT && b->core == KIN_CORE_TRIANGLE);
}

/* One of them is a point, both are segments, or a segment is beside a triangle. */
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
    if (is_apart_form(a, b)) return apart_form(a, b, b_in_a, out);
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

bool kin_convex_distance_within(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, double far, kin_gjk_cache* cache, kin_gap* out)
{
    kin_gjk_cache own = {0};
    kin_gjk_settings set = kin_gjk_defaults();
    kin_gjk_result g;
    *out = (kin_gap){0};
    if (closed_form(a, b, b_in_a, out)) return out->distance <= far;
    if (a->core == KIN_CORE_ELLIPSOID || b->core == KIN_CORE_ELLIPSOID) {
        kin_ellipsoid_gap(a, b, b_in_a, out);
        return out->distance <= far;
    }
    if (cache == NULL) cache = &own;
    set.far = far;
    kin_gjk_distance(a, b, b_in_a, &set, cache, &g);
    out->iterations = g.iterations;
    out->distance = g.lower;
    if (g.lower > far) return false;
    if (g.is_overlapping && deep(a, b, b_in_a, cache, out)) return true;
    if (g.is_overlapping) kin_gjk_distance(a, b, b_in_a, NULL, cache, &g);
    from_gjk(a, b, &g, g.is_overlapping ? kin_normalize_or(kin_neg(b_in_a.position), kin_v(0, 1, 0)) : g.normal, out);
    return out->distance <= far;
}

void kin_convex_distance(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gjk_cache* cache, kin_gap* out)
{
    (void)kin_convex_distance_within(a, b, b_in_a, __builtin_inf(), cache, out);
}
