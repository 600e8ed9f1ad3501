/* field.c - a closed mesh as signed distances on a grid: the question costs the same however many triangles there are, and edges are rounded by a cell.
 * The mesh is kept: its corners are what other things feel of it, and its skin is what is seen. */
#include "base/error.h"
#include "base/jobs.h"
#include "collision/form/make.h"
#include "geometry/sdf/sdf.h"
#include "math/aabb.h"

#define RESOLUTION 64
#define BAND 3 /* cells of full resolution on each side of the surface */

static kin_touch touch_of(const kin_sdf_hit* hit, double radius)
{
    return (kin_touch){.t = hit->t, .distance = hit->value, .point = kin_add_scaled(hit->point, -(radius + hit->value), hit->normal), .normal = hit->normal};
}

/* The rule of starts: touching counts only when the path goes in. */
static bool sweep(const kin_form* f, const kin_path* path, kin_touch* hit)
{
    kin_sdf_hit found;
    if (!kin_sdf_sweep(f->field, path->a, path->d, path->radius, &found)) return false;
    bool at_start = found.t == 0 || kin_sdf_value(f->field, path->a) - path->radius <= path->touch;
    if (at_start && !(kin_dot(kin_sdf_gradient(f->field, path->a), path->d) < -path->along)) return false;
    *hit = touch_of(&found, path->radius);
    return true;
}

static int closest(const kin_form* f, kin_vec3 x, double reach, kin_touch* touches, int most)
{
    if (most < 1) return 0;
    double value = kin_sdf_value(f->field, x);
    if (value > reach) return 0;
    kin_sdf_point near = kin_sdf_closest(f->field, x, 1e-3 * kin_sdf_cell(f->field), 32);
    if (kin_length2(near.normal) == 0) return 0;
    kin_vec3 normal = kin_normalize_or(value < 0 ? kin_sub(near.point, x) : kin_sub(x, near.point), near.normal);
    touches[0] = (kin_touch){.distance = value, .point = near.point, .normal = normal};
    return 1;
}

static bool ray(const kin_form* f, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    kin_sdf_hit found;
    if (!kin_sdf_ray(f->field, origin, direction, limit, &found)) return false;
    *hit = (kin_touch){.t = found.t, .distance = found.t, .point = found.point, .normal = found.normal};
    return true;
}

static kin_mass mass(const kin_form* f)
{
    kin_mass m = {0};
    if (kin_mass_of_mesh(f->mesh->mesh, KIN_MASS_TETRAHEDRA, &m, NULL) != KIN_OK) m = (kin_mass){0};
    return m;
}

static void term(kin_form* f)
{
    kin_sdf_destroy(f->field);
    kin_trimesh_destroy(f->mesh);
}

static size_t bytes(const kin_form* f) { return kin_sdf_bytes(f->field) + kin_trimesh_bytes(f->mesh); }

static const kin_form_ops field_ops = {.sweep = sweep, .closest = closest, .ray = ray, .mass = mass, .term = term, .bytes = bytes};

kin_result kin_form_make_field(kin_form* f, const kin_shape* shape, kin_error* error)
{
    int resolution = shape->resolution != 0 ? shape->resolution : RESOLUTION;
    if (resolution < 4 || resolution > 1024) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.resolution", "%d must be >= 4 and <= 1024", resolution);
    kin_result result = kin_form_make_mesh(f, shape, error);
    if (result != KIN_OK) return result;
    double cell = kin_largest(kin_aabb_size(f->mesh->mesh->bounds)) / resolution;
    kin_jobs jobs;
    result = kin_jobs_init(&jobs, &f->allocator, NULL, 1, error);
    if (result != KIN_OK) return result;
    kin_sdf_band_def def = {.cell = cell, .band = BAND, .margin = (BAND + 1) * cell};
    result = kin_sdf_create_band(&f->allocator, &jobs, f->mesh->mesh, &def, &f->field, error);
    kin_jobs_term(&jobs);
    f->ops = &field_ops;
    f->bounds = kin_aabb_grow(f->bounds, cell); /* rounded edges bulge by less */
    f->reach += 2 * cell;
    return result;
}
