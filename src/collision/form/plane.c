/* plane.c - the endless plane: two-sided, no inside, no box. */
#include "base/error.h"
#include "collision/form/make.h"

static bool sweep(const kin_form* f, const kin_path* path, kin_touch* hit) { return kin_sweep_plane(f->normal, path, hit); }

static int closest(const kin_form* f, kin_vec3 x, double reach, kin_touch* touches, int most)
{
    if (most < 1) return 0;
    touches[0] = kin_closest_plane(f->normal, x);
    return touches[0].distance <= reach;
}

static bool ray(const kin_form* f, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    return kin_ray_plane(f->normal, origin, direction, limit, hit);
}

static kin_mass mass(const kin_form* f) { return (void)f, (kin_mass){0}; }
static void term(kin_form* f) { (void)f; }
static size_t bytes(const kin_form* f) { return (void)f, (size_t)0; }

static const kin_form_ops plane_ops = {.sweep = sweep, .closest = closest, .ray = ray, .mass = mass, .term = term, .bytes = bytes};

kin_result kin_form_make_plane(kin_form* f, const kin_shape* shape, kin_error* error)
{
    kin_vec3 n = shape->normal;
    if (kin_length2(shape->offset) > 0 || shape->turn.w != 1) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.offset", "a plane has none: move its thing");
    f->ops = &plane_ops;
    f->has_inside = f->bounded = false;
    f->reach = __builtin_inf();
    f->normal = kin_finite3(n) ? kin_normalize_or(n, kin_v(0, 0, 0)) : kin_v(0, 0, 0);
    if (kin_length2(f->normal) > 0) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.normal", "(%g, %g, %g) has no direction", n.x, n.y, n.z);
}
