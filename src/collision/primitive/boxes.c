/* boxes.c - boxes against triangles and segments (C2.5.7, C2.5.11). */
#include "collision/primitive/primitives.h"
#include "math/mat3.h"

/* ---- triangles: thirteen axes, any of which may separate. A needle through the box, with no corner inside and no edge of the box through it, has none. ---- */

static bool ranges_apart(double low, double high, double reach) { return low > reach || high < -reach; }

/* p: corners relative to the box's middle. */
static bool axis_separates(kin_vec3 axis, kin_vec3 half, const kin_vec3 p[3])
{
    double a = kin_dot(axis, p[0]), b = kin_dot(axis, p[1]), c = kin_dot(axis, p[2]);
    return ranges_apart(kin_min(a, kin_min(b, c)), kin_max(a, kin_max(b, c)), kin_dot(kin_abs3(axis), half));
}

static bool centered_box_triangle(kin_vec3 half, const kin_vec3 p[3])
{
    kin_vec3 low = kin_min3(p[0], kin_min3(p[1], p[2])), high = kin_max3(p[0], kin_max3(p[1], p[2]));
    if (!kin_aabb_overlaps((kin_aabb){low, high}, (kin_aabb){kin_neg(half), half})) return false;
    kin_vec3 edge[3] = {kin_sub(p[1], p[0]), kin_sub(p[2], p[1]), kin_sub(p[0], p[2])};
    if (axis_separates(kin_cross(edge[0], edge[1]), half, p)) return false;
    for (int k = 0; k < 9; ++k) {
        if (axis_separates(kin_cross(kin_axis(k / 3), edge[k % 3]), half, p)) return false;
    }
    return true;
}

bool kin_box_triangle(kin_aabb box, const kin_vec3 triangle[3])
{
    for (int k = 0; k < 3; ++k) { /* a corner inside: without rounding */
        if (kin_aabb_contains(box, triangle[k])) return true;
    }
    kin_vec3 middle = kin_aabb_center(box), p[3];
    for (int k = 0; k < 3; ++k) p[k] = kin_sub(triangle[k], middle);
    return centered_box_triangle(kin_scale(kin_aabb_size(box), 0.5), p);
}

/* ---- segments ---- */

/* Seen along one axis the box is a rectangle, and its silhouette there two corners: with d going up in one coordinate and down in the other the lowest and the
 * highest, else the other two. The line misses if both lie on one side of it: side(ray, edge) of the text's tables for the two edges along the axis.
 * low, high: relative to the segment's start. */
static bool line_misses(double di, double dj, double low_i, double low_j, double high_i, double high_j)
{
    bool rising = (di < 0) == (dj < 0);
    double first = di * (rising ? low_j : high_j) - dj * high_i;
    double second = di * (rising ? high_j : low_j) - dj * low_i;
    return (first > 0 && second > 0) || (first < 0 && second < 0);
}

/* Both ends before the box, or both behind it. */
static bool ends_miss(double d, double low, double high) { return (low > 0 && low > d) || (high < 0 && high < d); }

/* Of the three faces that look against d, the last to be passed; behind the start, the start is inside. */
static double entry(kin_vec3 d, kin_vec3 low, kin_vec3 high)
{
    double last = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double along = kin_component(d, axis), face = kin_component(along < 0 ? high : low, axis);
        if (along != 0) last = kin_max(last, face / along);
    }
    return kin_min(last, 1);
}

bool kin_segment_box(const kin_vec3 segment[2], kin_aabb box, double* fraction)
{
    kin_vec3 d = kin_sub(segment[1], segment[0]), low = kin_sub(box.low, segment[0]), high = kin_sub(box.high, segment[0]);
    if (ends_miss(d.x, low.x, high.x) || ends_miss(d.y, low.y, high.y) || ends_miss(d.z, low.z, high.z)) return false;
    if (line_misses(d.x, d.y, low.x, low.y, high.x, high.y)) return false;
    if (line_misses(d.y, d.z, low.y, low.z, high.y, high.z)) return false;
    if (line_misses(d.z, d.x, low.z, low.x, high.z, high.x)) return false;
    *fraction = entry(d, low, high);
    return true;
}

/* ---- boxes that are turned: the same in their own frame ---- */

static kin_vec3 in_box_frame(const kin_obb* box, kin_vec3 x) { return kin_mat3_apply_transposed(box->axes, kin_sub(x, box->center)); }

bool kin_obb_triangle(const kin_obb* box, const kin_vec3 triangle[3])
{
    kin_vec3 local[3];
    for (int k = 0; k < 3; ++k) local[k] = in_box_frame(box, triangle[k]);
    return centered_box_triangle(box->half, local);
}

bool kin_segment_obb(const kin_vec3 segment[2], const kin_obb* box, double* fraction)
{
    kin_vec3 local[2] = {in_box_frame(box, segment[0]), in_box_frame(box, segment[1])};
    return kin_segment_box(local, (kin_aabb){kin_neg(box->half), box->half}, fraction);
}
