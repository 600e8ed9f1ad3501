/* corners.c - four points that span a volume, far apart; or why there are none. */
#include "base/error.h"
#include "geometry/hull/internal.h"

/* How far p is from the point, line or plane through the corners so far. */
typedef double measure_fn(const kin_vec3* points, const uint32_t* corners, kin_vec3 p);

static double from_point(const kin_vec3* points, const uint32_t* c, kin_vec3 p) { return kin_distance(p, points[c[0]]); }
static double from_line(const kin_vec3* points, const uint32_t* c, kin_vec3 p)
{
    return kin_length(kin_sharp_normal(points[c[0]], points[c[1]], p)) / kin_distance(points[c[0]], points[c[1]]);
}
static double from_plane(const kin_vec3* points, const uint32_t* c, kin_vec3 p)
{
    kin_vec3 n = kin_normalize_or(kin_sharp_normal(points[c[0]], points[c[1]], points[c[2]]), kin_v(0, 0, 0));
    return kin_abs(kin_dot(n, kin_sub(p, points[c[0]])));
}

static uint32_t farthest(const kin_vec3* points, uint32_t count, measure_fn* measure, const uint32_t* corners, double* most)
{
    uint32_t best = 0;
    *most = -1;
    for (uint32_t i = 0; i < count; ++i) {
        double d = measure(points, corners, points[i]);
        if (d > *most) *most = d, best = i;
    }
    return best;
}

kin_result kin_hull_corners(const kin_vec3* points, uint32_t count, double slack, uint32_t c[4], kin_error* error)
{
    double most;
    c[0] = 0;
    c[0] = farthest(points, count, from_point, c, &most);
    c[1] = farthest(points, count, from_point, c, &most);
    if (most <= slack) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "all %u points are at one place: they have no hull", count);
    c[2] = farthest(points, count, from_line, c, &most);
    if (most <= slack) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "all %u points are on one line: they have no hull", count);
    c[3] = farthest(points, count, from_plane, c, &most);
    int side = kin_side_of_plane(points[c[0]], points[c[1]], points[c[2]], points[c[3]]);
    if (most <= slack || side == 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "all %u points are in one plane: they have no hull", count);
    if (side > 0) {
        uint32_t swap = c[1];
        c[1] = c[2];
        c[2] = swap;
    }
    return KIN_OK;
}
