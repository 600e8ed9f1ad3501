/* aabb.h - axis-aligned boxes. */
#pragma once
#include "math/quat.h"

/* Holds nothing; growing it by a point gives that point. */
static inline kin_aabb kin_aabb_empty(void)
{
    double huge = __builtin_inf();
    return (kin_aabb){{huge, huge, huge}, {-huge, -huge, -huge}};
}
static inline bool kin_aabb_is_empty(kin_aabb b) { return b.low.x > b.high.x || b.low.y > b.high.y || b.low.z > b.high.z; }
static inline kin_aabb kin_aabb_around(kin_vec3 center, kin_vec3 half) { return (kin_aabb){kin_sub(center, half), kin_add(center, half)}; }
static inline kin_aabb kin_aabb_add(kin_aabb b, kin_vec3 p) { return (kin_aabb){kin_min3(b.low, p), kin_max3(b.high, p)}; }
static inline kin_aabb kin_aabb_union(kin_aabb a, kin_aabb b) { return (kin_aabb){kin_min3(a.low, b.low), kin_max3(a.high, b.high)}; }
static inline kin_aabb kin_aabb_intersection(kin_aabb a, kin_aabb b) { return (kin_aabb){kin_max3(a.low, b.low), kin_min3(a.high, b.high)}; }
/* By a margin on every side, m. */
static inline kin_aabb kin_aabb_grow(kin_aabb b, double margin)
{
    kin_vec3 m = {margin, margin, margin};
    return (kin_aabb){kin_sub(b.low, m), kin_add(b.high, m)};
}
/* Along a motion: the box and the moved box. */
static inline kin_aabb kin_aabb_sweep(kin_aabb b, kin_vec3 by) { return kin_aabb_union(b, (kin_aabb){kin_add(b.low, by), kin_add(b.high, by)}); }
/* Touching counts. */
static inline bool kin_aabb_overlaps(kin_aabb a, kin_aabb b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}
/* The widest gap along an axis, m: a lower bound of their distance; negative where they overlap. */
static inline double kin_aabb_gap(kin_aabb a, kin_aabb b) { return kin_largest(kin_max3(kin_sub(a.low, b.high), kin_sub(b.low, a.high))); }
static inline bool kin_aabb_contains(kin_aabb b, kin_vec3 p)
{
    return b.low.x <= p.x && p.x <= b.high.x && b.low.y <= p.y && p.y <= b.high.y && b.low.z <= p.z && p.z <= b.high.z;
}
/* Every box contains the empty one. */
static inline bool kin_aabb_contains_box(kin_aabb outer, kin_aabb inner)
{
    return kin_aabb_is_empty(inner) || (kin_aabb_contains(outer, inner.low) && kin_aabb_contains(outer, inner.high));
}
static inline kin_vec3 kin_aabb_center(kin_aabb b) { return kin_lerp(b.low, b.high, 0.5); }
static inline kin_vec3 kin_aabb_size(kin_aabb b) { return kin_sub(b.high, b.low); }
static inline double kin_aabb_area(kin_aabb b) /* m^2; 0 when empty */
{
    kin_vec3 s = kin_aabb_size(b);
    return kin_aabb_is_empty(b) ? 0 : 2 * (s.x * s.y + s.y * s.z + s.z * s.x);
}
static inline double kin_aabb_volume(kin_aabb b) /* m^3; 0 when empty */
{
    kin_vec3 s = kin_aabb_size(b);
    return kin_aabb_is_empty(b) ? 0 : s.x * s.y * s.z;
}
static inline kin_vec3 kin_aabb_closest(kin_aabb b, kin_vec3 p) { return kin_max3(b.low, kin_min3(p, b.high)); }

/* The box of a turned and shifted box that is not empty. */
static inline kin_aabb kin_aabb_transform(kin_transform t, kin_aabb b)
{
    kin_mat3 r = kin_quat_to_matrix(t.orientation);
    kin_vec3 half = kin_scale(kin_aabb_size(b), 0.5);
    kin_vec3 reach = kin_add_scaled(kin_add_scaled(kin_scale(kin_abs3(r.cx), half.x), half.y, kin_abs3(r.cy)), half.z, kin_abs3(r.cz));
    return kin_aabb_around(kin_apply(t, kin_aabb_center(b)), reach);
}
