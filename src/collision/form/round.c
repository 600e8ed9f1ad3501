/* round.c - sphere, box and capsule: boxes grown by a radius, of size 0 along some axes; cylinder and cone: solids of revolution. */
#include "base/error.h"
#include "collision/form/make.h"
#include "math/aabb.h"

static void nothing_to_free(kin_form* form) { (void)form; }
static size_t no_bytes(const kin_form* form) { return (void)form, (size_t)0; }

/* ---- rounded boxes ---- */

static bool sweep_rounded_box(const kin_form* f, const kin_path* path, kin_touch* hit)
{
    return kin_sweep_rounded_box(f->convex.half, f->convex.radius, path, hit);
}

static int closest_rounded_box(const kin_form* f, kin_vec3 x, double reach, kin_touch* touches, int most)
{
    if (most < 1) return 0;
    touches[0] = kin_closest_rounded_box(f->convex.half, f->convex.radius, x);
    return touches[0].distance <= reach;
}

static bool ray_rounded_box(const kin_form* f, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    return kin_ray_rounded_box(f->convex.half, f->convex.radius, origin, direction, limit, hit);
}

static kin_mass mass_rounded_box(const kin_form* f)
{
    kin_vec3 half = f->convex.half;
    if (f->kind == KIN_SHAPE_SPHERE) return kin_mass_sphere(f->convex.radius);
    if (f->kind == KIN_SHAPE_CAPSULE) return kin_mass_capsule(f->convex.radius, 2 * half.y);
    return kin_mass_box(kin_scale(half, 2));
}

static const kin_form_ops rounded_box_ops = {
    .sweep = sweep_rounded_box, .closest = closest_rounded_box, .ray = ray_rounded_box, .mass = mass_rounded_box, .term = nothing_to_free, .bytes = no_bytes};

static void set_rounded_box(kin_form* f, kin_core core, kin_vec3 half, double radius)
{
    f->ops = &rounded_box_ops;
    f->is_convex = true;
    f->convex = (kin_convex){.core = core, .half = half, .radius = radius};
    f->bounds = kin_aabb_grow((kin_aabb){kin_neg(half), half}, radius);
    f->reach = kin_length(half) + radius;
}

kin_result kin_form_make_sphere(kin_form* f, const kin_shape* shape, kin_error* error)
{
    kin_result result = kin_form_check_length("shape.radius", shape->radius, false, error);
    if (result == KIN_OK) result = kin_form_check_scale(shape->scale, true, "sphere", error);
    if (result == KIN_OK) set_rounded_box(f, KIN_CORE_POINT, kin_v(0, 0, 0), shape->radius * shape->scale.x);
    return result;
}

kin_result kin_form_make_box(kin_form* f, const kin_shape* shape, kin_error* error)
{
    kin_result result = kin_form_check_length("shape.size.x", shape->size.x, false, error);
    if (result == KIN_OK) result = kin_form_check_length("shape.size.y", shape->size.y, false, error);
    if (result == KIN_OK) result = kin_form_check_length("shape.size.z", shape->size.z, false, error);
    if (result == KIN_OK) set_rounded_box(f, KIN_CORE_BOX, kin_scale(kin_mul(shape->size, shape->scale), 0.5), 0);
    return result;
}

kin_result kin_form_make_capsule(kin_form* f, const kin_shape* shape, kin_error* error)
{
    kin_result result = kin_form_check_length("shape.radius", shape->radius, false, error);
    if (result == KIN_OK) result = kin_form_check_length("shape.length", shape->length, true, error);
    if (result == KIN_OK) result = kin_form_check_scale(shape->scale, true, "capsule", error);
    if (result == KIN_OK) set_rounded_box(f, KIN_CORE_SEGMENT, kin_v(0, 0.5 * shape->length * shape->scale.y, 0), shape->radius * shape->scale.x);
    return result;
}

/* ---- solids of revolution ---- */

static bool sweep_revolved(const kin_form* f, const kin_path* path, kin_touch* hit) { return kin_sweep_revolved(&f->convex, path, hit); }

static int closest_revolved(const kin_form* f, kin_vec3 x, double reach, kin_touch* touches, int most)
{
    if (most < 1) return 0;
    touches[0] = kin_closest_revolved(&f->convex, x);
    return touches[0].distance <= reach;
}

static bool ray_revolved(const kin_form* f, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    return kin_ray_revolved(&f->convex, origin, direction, limit, hit);
}

static kin_mass mass_revolved(const kin_form* f)
{
    kin_vec3 half = f->convex.half;
    return f->kind == KIN_SHAPE_CYLINDER ? kin_mass_cylinder(half.x, 2 * half.y) : kin_mass_cone(half.x, 2 * half.y);
}

static const kin_form_ops revolved_ops = {
    .sweep = sweep_revolved, .closest = closest_revolved, .ray = ray_revolved, .mass = mass_revolved, .term = nothing_to_free, .bytes = no_bytes};

static kin_result make_revolved(kin_form* f, const kin_shape* shape, kin_core core, const char* what, kin_error* error)
{
    kin_result result = kin_form_check_length("shape.radius", shape->radius, false, error);
    if (result == KIN_OK) result = kin_form_check_length("shape.length", shape->length, false, error);
    if (result == KIN_OK) result = kin_form_check_scale(shape->scale, false, what, error);
    if (result != KIN_OK) return result;
    double r = shape->radius * shape->scale.x;
    f->ops = &revolved_ops;
    f->is_convex = true;
    f->convex = (kin_convex){.core = core, .half = {r, 0.5 * shape->length * shape->scale.y, r}};
    f->bounds = (kin_aabb){kin_neg(f->convex.half), f->convex.half};
    f->reach = kin_sqrt(r * r + f->convex.half.y * f->convex.half.y);
    return KIN_OK;
}

kin_result kin_form_make_cylinder(kin_form* f, const kin_shape* shape, kin_error* error)
{
    return make_revolved(f, shape, KIN_CORE_CYLINDER, "cylinder", error);
}
kin_result kin_form_make_cone(kin_form* f, const kin_shape* shape, kin_error* error) { return make_revolved(f, shape, KIN_CORE_CONE, "cone", error); }
