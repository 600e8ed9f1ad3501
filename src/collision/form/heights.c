/* heights.c - height fields: values or the brightness of a picture over a rectangle about the origin. */
#include "base/alloc.h"
#include "base/error.h"
#include "collision/form/make.h"
#include "geometry/height/height.h"
#include "math/aabb.h"

static bool sweep(const kin_form* f, const kin_path* path, kin_touch* hit) { return kin_height_sweep(f->heights, path, hit); }

static int closest(const kin_form* f, kin_vec3 x, double reach, kin_touch* touches, int most)
{
    return most > 0 && kin_height_closest(f->heights, x, reach, touches);
}

static bool ray(const kin_form* f, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    return kin_height_ray(f->heights, origin, direction, limit, hit);
}

static kin_mass mass(const kin_form* f) { return (void)f, (kin_mass){0}; } /* it has no bottom */
static void term(kin_form* f) { kin_height_destroy(f->heights); }
static size_t bytes(const kin_form* f) { return kin_height_bytes(f->heights); }

static const kin_form_ops height_ops = {.sweep = sweep, .closest = closest, .ray = ray, .mass = mass, .term = term, .bytes = bytes};

static kin_result check(const kin_heights_view* v, uint32_t* columns, uint32_t* rows, kin_error* error)
{
    if (v->values.count > 0) {
        if (v->columns < 2 || v->values.count % (size_t)v->columns != 0 || v->values.count / (size_t)v->columns < 2)
            return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.heights.columns", "%d does not make at least 2 whole rows of %zu heights", v->columns,
                            v->values.count);
        *columns = (uint32_t)v->columns;
        *rows = (uint32_t)(v->values.count / (size_t)v->columns);
    } else {
        if (v->picture.rgba == NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.heights", "needs heights or a picture");
        *columns = v->picture.width;
        *rows = v->picture.height;
    }
    if (kin_finite3(v->size) && v->size.x > 0 && v->size.z > 0 && v->size.y >= 0) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.heights.size", "(%g, %g, %g) must be > 0 (m)", v->size.x, v->size.y, v->size.z);
}

/* Rec. 709 of linear light. */
static double brightness(const float* rgba) { return 0.2126 * (double)rgba[0] + 0.7152 * (double)rgba[1] + 0.0722 * (double)rgba[2]; }

kin_result kin_form_make_heights(kin_form* f, const kin_shape* shape, kin_error* error)
{
    const kin_heights_view* v = &shape->heights;
    uint32_t columns = 0, rows = 0;
    kin_result result = check(v, &columns, &rows, error);
    if (result != KIN_OK) return result;
    size_t count = (size_t)columns * rows;
    double* heights = kin_alloc(&f->allocator, kin_bytes(count, sizeof *heights));
    if (heights == NULL) return kin_fail_memory(error, "a height field", count * sizeof *heights);
    double up = (v->size.y > 0 ? v->size.y : 1) * shape->scale.y, x = v->size.x * shape->scale.x, z = v->size.z * shape->scale.z;
    for (size_t i = 0; i < count; ++i) heights[i] = up * (v->values.count > 0 ? v->values.data[i] : brightness(v->picture.rgba + 4 * i));
    kin_height_def def = {.origin = {-0.5 * x, 0, -0.5 * z}, .spacing = {x / (columns - 1), z / (rows - 1)}, .nx = columns, .nz = rows, .heights = heights};
    result = kin_height_create(&f->allocator, &def, &f->heights, error);
    kin_free(&f->allocator, heights, count * sizeof *heights);
    if (result != KIN_OK) return kin_form_named(result, "shape.heights", error);
    f->ops = &height_ops;
    f->bounds = f->heights->bounds;
    f->bounds.low.y -= kin_max(x, z); /* what got below is found this deep */
    kin_vec3 far = kin_max3(kin_abs3(f->bounds.low), kin_abs3(f->bounds.high));
    f->reach = kin_length(far);
    return KIN_OK;
}
