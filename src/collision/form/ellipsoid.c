/* ellipsoid.c - points, paths and rays against ellipsoids: nearest points by narrow/ellipsoid.h; rays in space scaled to a unit ball. */
#include "base/error.h"
#include "collision/form/make.h"
#include "collision/narrow/ellipsoid.h"
#include "math/aabb.h"

static kin_touch closest_touch(const kin_convex* c, kin_vec3 x)
{
    const kin_ellipsoid_point near = kin_ellipsoid_closest(c->half, x);
    return (kin_touch){.distance = near.distance, .point = near.point, .normal = near.normal};
}

static bool sweep(const kin_form* f, const kin_path* path, kin_touch* hit)
{
    kin_touch touch = closest_touch(&f->convex, path->a);
    const double gap = touch.distance - path->radius;
    double t = 0;
    if (gap <= path->touch) {
        if (!(kin_dot(touch.normal, path->d) < -path->along)) return false;
        touch.distance = kin_min(gap, 0);
    } else {
        if (!kin_sweep_to_touch(&f->convex, closest_touch, path, gap, &touch, &t)) return false;
        touch.distance = 0;
    }
    *hit = touch;
    hit->t = t;
    return true;
}

static int closest(const kin_form* f, kin_vec3 x, double reach, kin_touch* touches, int most)
{
    if (most < 1) return 0;
    touches[0] = closest_touch(&f->convex, x);
    return touches[0].distance <= reach;
}

/* From the point of the line that is nearest to the centre, so that far origins cost no digits. */
static bool ray(const kin_form* f, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    const kin_vec3 shrink = {1 / f->convex.half.x, 1 / f->convex.half.y, 1 / f->convex.half.z}, o = kin_mul(origin, shrink), d = kin_mul(direction, shrink);
    const double dd = kin_length2(d);
    if (!(dd > 0)) return false;
    const double middle = -kin_dot(o, d) / dd, room = 1 - kin_length2(kin_add_scaled(o, middle, d));
    if (!(room >= 0)) return false;
    const double off = kin_sqrt(room / dd), t = middle - off >= 0 ? middle - off : middle + off;
    if (!(t >= 0 && t <= limit)) return false;
    const kin_vec3 at = kin_add_scaled(o, t, d);
    *hit = (kin_touch){.t = t, .distance = t, .point = kin_add_scaled(origin, t, direction), .normal = kin_normalize_or(kin_mul(at, shrink), kin_v(0, 1, 0))};
    return true;
}

static kin_mass mass(const kin_form* f) { return kin_mass_ellipsoid(f->convex.half); }
static void term(kin_form* f) { (void)f; }
static size_t bytes(const kin_form* f) { return (void)f, (size_t)0; }

static const kin_form_ops ellipsoid_ops = {.sweep = sweep, .closest = closest, .ray = ray, .mass = mass, .term = term, .bytes = bytes};

kin_result kin_form_make_ellipsoid(kin_form* f, const kin_shape* shape, kin_error* error)
{
    const kin_vec3 a = shape->semi_axes;
    kin_result result = kin_form_check_length("shape.semi_axes.x", a.x, false, error);
    if (result == KIN_OK) result = kin_form_check_length("shape.semi_axes.y", a.y, false, error);
    if (result == KIN_OK) result = kin_form_check_length("shape.semi_axes.z", a.z, false, error);
    if (result != KIN_OK) return result;
    f->ops = &ellipsoid_ops;
    f->is_convex = true;
    f->convex = (kin_convex){.core = KIN_CORE_ELLIPSOID, .half = kin_mul(a, shape->scale)};
    f->bounds = (kin_aabb){kin_neg(f->convex.half), f->convex.half};
    f->reach = kin_largest(f->convex.half);
    return KIN_OK;
}
