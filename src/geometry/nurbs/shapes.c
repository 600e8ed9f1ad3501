/* shapes.c - circles and what turns round: exact, as quadratics with weights (Piegl and Tiller, sections 7.5 and 8.5). */
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/nurbs/spline.h"

#define MOST_QUARTERS 4
#define RING (2 * MOST_QUARTERS + 1)

/* An arc of the unit circle from (1, 0), in up to four equal quarters or less: ends on the circle, between them where the tangents meet. */
typedef struct ring {
    uint32_t count;
    double cosine[RING], sine[RING], weight[RING]; /* of point i: at weight-scaled radius 1 / weight */
    double knots[RING + 3];
} ring;

/* Quarters come out exactly: sines of multiples of pi / 2 are not left to rounding. */
static kin_sincos turn_by(double angle)
{
    kin_sincos t = kin_sin_cos(angle);
    if (kin_abs(t.sine) < 1e-15) t = (kin_sincos){0, t.cosine < 0 ? -1 : 1};
    if (kin_abs(t.cosine) < 1e-15) t = (kin_sincos){t.sine < 0 ? -1 : 1, 0};
    return t;
}

static ring ring_of(double angle)
{
    ring r = {0};
    int parts = (int)kin_clamp(kin_ceil(angle / (0.5 * KIN_PI) - 1e-9), 1, MOST_QUARTERS);
    double half = angle / (2 * parts);
    r.count = 2 * (uint32_t)parts + 1;
    for (uint32_t i = 0; i < r.count; ++i) {
        kin_sincos t = turn_by(half * i);
        r.weight[i] = i % 2 == 0 ? 1 : kin_cos(half);
        r.cosine[i] = t.cosine / r.weight[i];
        r.sine[i] = t.sine / r.weight[i];
    }
    if (angle >= 2 * KIN_PI) r.cosine[r.count - 1] = 1, r.sine[r.count - 1] = 0;
    for (uint32_t i = 0; i < r.count + 3; ++i) r.knots[i] = i < 3 ? 0 : i >= r.count ? 1 : (double)((i - 1) / 2) / parts;
    return r;
}

kin_result kin_nurbs_arc(const kin_allocator* allocator, kin_vec3 center, kin_vec3 x, kin_vec3 y, double angle, kin_nurbs_curve** out, kin_error* error)
{
    *out = NULL;
    if (!(angle > 0 && angle <= 2 * KIN_PI * (1 + 1e-15)))
        return kin_fail(error, KIN_ERROR_ARGUMENT, "angle", "is %g; must be above 0 and at most 2 pi", angle);
    ring r = ring_of(angle);
    kin_vec3 points[RING];
    for (uint32_t i = 0; i < r.count; ++i) points[i] = kin_add_scaled(kin_add_scaled(center, r.cosine[i], x), r.sine[i], y);
    kin_nurbs_curve_def def = {{2, r.count, r.knots, false}, points, r.weight};
    return kin_nurbs_curve_create(allocator, &def, out, error);
}

/* Each point of the profile becomes a ring about the axis. */
static void turn(const kin_nurbs_curve* profile, kin_vec3 origin, kin_vec3 axis, const ring* r, kin_vec3* points, double* weights)
{
    for (uint32_t j = 0; j < profile->axis.count; ++j) {
        kin_vec3 p = kin_v4_point(profile->points[j]), d = kin_sub(p, origin);
        kin_vec3 foot = kin_add_scaled(origin, kin_dot(d, axis), axis), x = kin_sub(p, foot), y = kin_cross(axis, x);
        for (uint32_t i = 0; i < r->count; ++i) {
            points[j * r->count + i] = kin_add_scaled(kin_add_scaled(foot, r->cosine[i], x), r->sine[i], y);
            weights[j * r->count + i] = profile->points[j].w * r->weight[i];
        }
    }
}

kin_result kin_nurbs_revolve(const kin_allocator* allocator, const kin_nurbs_curve* profile, kin_vec3 origin, kin_vec3 axis, kin_nurbs_surface** out,
                             kin_error* error)
{
    *out = NULL;
    kin_vec3 unit = kin_normalize_or(axis, kin_v(0, 0, 0));
    if (kin_length2(unit) == 0 || !kin_finite3(origin)) return kin_fail(error, KIN_ERROR_ARGUMENT, "axis", "has no direction, or the origin is not finite");
    if (profile->axis.periodic) return kin_fail(error, KIN_ERROR_ARGUMENT, "profile", "a periodic profile is not taken: close a clamped one");
    ring r = ring_of(2 * KIN_PI);
    size_t count = (size_t)profile->axis.count * r.count, bytes = kin_bytes(count, sizeof(kin_vec3) + sizeof(double));
    kin_vec3* points = kin_alloc(allocator, bytes);
    if (points == NULL) return kin_fail_memory(error, "a surface", bytes);
    double* weights = (double*)(points + count);
    turn(profile, origin, unit, &r, points, weights);
    kin_nurbs_surface_def def = {{2, r.count, r.knots, false}, {profile->axis.degree, profile->axis.count, profile->axis.knots, false}, points, weights};
    kin_result result = kin_nurbs_surface_create(allocator, &def, out, error);
    kin_free(allocator, points, bytes);
    return result;
}

/* The profile, turned about the y axis and no longer needed. */
static kin_result about_y(const kin_allocator* allocator, kin_result made, kin_nurbs_curve* profile, kin_nurbs_surface** out, kin_error* error)
{
    if (made == KIN_OK) made = kin_nurbs_revolve(allocator, profile, kin_v(0, 0, 0), kin_v(0, 1, 0), out, error);
    kin_nurbs_curve_destroy(profile);
    return made;
}

static kin_result check_size(double size, const char* name, kin_error* error)
{
    return size > 1e-100 && size < 1e100 ? KIN_OK : kin_fail(error, KIN_ERROR_ARGUMENT, name, "is %g m; must be more than 0", size);
}

kin_result kin_nurbs_sphere(const kin_allocator* allocator, double radius, kin_nurbs_surface** out, kin_error* error)
{
    kin_nurbs_curve* half = NULL;
    *out = NULL;
    kin_result result = check_size(radius, "radius", error);
    if (result == KIN_OK) result = kin_nurbs_arc(allocator, kin_v(0, 0, 0), kin_v(0, -radius, 0), kin_v(radius, 0, 0), KIN_PI, &half, error);
    return about_y(allocator, result, half, out, error);
}

kin_result kin_nurbs_cylinder(const kin_allocator* allocator, double radius, double height, kin_nurbs_surface** out, kin_error* error)
{
    kin_nurbs_curve* profile = NULL;
    *out = NULL;
    kin_result result = check_size(radius, "radius", error);
    if (result == KIN_OK) result = check_size(height, "height", error);
    double y = 0.5 * height;
    kin_vec3 points[4] = {{0, -y, 0}, {radius, -y, 0}, {radius, y, 0}, {0, y, 0}};
    kin_nurbs_curve_def def = {.axis = {.degree = 1, .count = 4}, .points = points};
    if (result == KIN_OK) result = kin_nurbs_curve_create(allocator, &def, &profile, error);
    return about_y(allocator, result, profile, out, error);
}

kin_result kin_nurbs_torus(const kin_allocator* allocator, double ring_radius, double tube, kin_nurbs_surface** out, kin_error* error)
{
    kin_nurbs_curve* circle = NULL;
    *out = NULL;
    kin_result result = check_size(tube, "tube", error);
    if (result == KIN_OK) result = check_size(ring_radius, "ring", error);
    if (result == KIN_OK && !(ring_radius > tube))
        result = kin_fail(error, KIN_ERROR_ARGUMENT, "tube", "is %g m; must be less than the ring's %g", tube, ring_radius);
    if (result == KIN_OK) result = kin_nurbs_arc(allocator, kin_v(ring_radius, 0, 0), kin_v(tube, 0, 0), kin_v(0, tube, 0), 2 * KIN_PI, &circle, error);
    return about_y(allocator, result, circle, out, error);
}
