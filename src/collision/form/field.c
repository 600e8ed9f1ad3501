/* field.c - a closed mesh as signed distances on a grid: the question costs the same however many triangles there are, and edges are rounded by a cell.
 * The mesh is kept: its corners are what other things feel of it, its skin is what is seen, and beyond the band of true distances it answers itself. */
#include "base/error.h"
#include "base/jobs.h"
#include "collision/form/make.h"
#include "geometry/sdf/sdf.h"
#include "math/aabb.h"

#define RESOLUTION 64
#define BAND 3     /* cells of full resolution on each side of the surface */
#define SINK 0.005 /* cells that a sphere goes in before it is stopped */

/* Away from the nearest point of the surface; on it, the gradient. Zero where there is no direction. */
static kin_vec3 normal_at(const kin_form* f, kin_vec3 x, double value, kin_vec3* nearest)
{
    kin_sdf_point near = kin_sdf_closest(f->field, x, 1e-3 * kin_sdf_cell(f->field), 32);
    *nearest = near.point;
    if (kin_length2(near.normal) == 0) return near.normal;
    return kin_normalize_or(value < 0 ? kin_sub(near.point, x) : kin_sub(x, near.point), near.normal);
}

/* Where grid lines cross the surface is all that scanlines know: outside the triangles are asked. */
static bool has_lines(const kin_form* f) { return f->field_method == KIN_FIELD_SCANLINES; }

/* Values up to this are true distances. */
static double band_of(const kin_form* f) { return BAND * kin_sdf_cell(f->field); }

/* The rule of starts: touching counts only when the path goes in. Normals are off by a few hundredths: a sphere that slid along them would meet the field at
 * every turn. So it is stopped when it has gone in a little, and then set back on the surface. */
static bool sweep(const kin_form* f, const kin_path* path, kin_touch* hit)
{
    if (has_lines(f) || path->radius > band_of(f)) return kin_trimesh_sweep(f->mesh, path, hit);
    double radius = kin_max(path->radius - SINK * kin_sdf_cell(f->field), 0);
    kin_sdf_hit found;
    if (!kin_sdf_sweep(f->field, path->a, path->d, radius, &found)) return false;
    double start = kin_sdf_value(f->field, path->a);
    kin_vec3 nearest;
    bool at_start = found.t == 0 || start - radius <= path->touch;
    if (at_start && !(kin_dot(normal_at(f, path->a, start, &nearest), path->d) < -path->along)) return false;
    kin_vec3 normal = normal_at(f, found.point, radius + found.value, &nearest);
    if (kin_length2(normal) == 0) normal = found.normal;
    *hit = (kin_touch){.t = found.t, .distance = found.value, .point = kin_add_scaled(found.point, -(radius + found.value), normal), .normal = normal};
    return true;
}

/* Inside: by the gradient to the surface (Coutinho 12.2.6), as the value itself is too deep by up to sqrt(3) under slanted faces. */
static int closest_by_lines(const kin_form* f, kin_vec3 x, double reach, kin_touch* touches)
{
    double value = kin_sdf_value(f->field, x);
    if (value > 0) return kin_trimesh_closest(f->mesh, x, reach, touches);
    kin_touch touch = {0};
    touch.normal = normal_at(f, x, value, &touch.point);
    touch.distance = -kin_distance(x, touch.point);
    if (kin_length2(touch.normal) == 0) return kin_trimesh_closest(f->mesh, x, reach, touches);
    touches[0] = touch;
    return 1;
}

static int closest(const kin_form* f, kin_vec3 x, double reach, kin_touch* touches, int most)
{
    if (most < 1) return 0;
    if (has_lines(f)) return closest_by_lines(f, x, reach, touches);
    double value = kin_sdf_value(f->field, x), band = band_of(f);
    if (value > reach && reach <= band) return 0;
    if (kin_abs(value) > band) return kin_trimesh_closest(f->mesh, x, reach, touches);
    kin_touch touch = {.distance = value};
    touch.normal = normal_at(f, x, value, &touch.point);
    if (kin_length2(touch.normal) == 0) return 0;
    touches[0] = touch;
    return 1;
}

static bool ray(const kin_form* f, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    if (has_lines(f)) return kin_trimesh_ray(f->mesh, origin, direction, limit, hit);
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
    if ((unsigned)shape->field_method > KIN_FIELD_SCANLINES)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.field_method", "%d is no method", (int)shape->field_method);
    int resolution = shape->resolution != 0 ? shape->resolution : RESOLUTION;
    if (resolution < 4 || resolution > 1024) return kin_fail(error, KIN_ERROR_ARGUMENT, "shape.resolution", "%d must be >= 4 and <= 1024", resolution);
    kin_result result = kin_form_make_mesh(f, shape, error);
    if (result != KIN_OK) return result;
    double cell = kin_largest(kin_aabb_size(f->mesh->mesh->bounds)) / resolution;
    kin_jobs jobs;
    result = kin_jobs_init(&jobs, &f->allocator, NULL, 1, error);
    if (result != KIN_OK) return result;
    kin_sdf_band_def def = {.cell = cell, .band = BAND, .margin = (BAND + 1) * cell};
    f->field_method = shape->field_method;
    result = has_lines(f) ? kin_sdf_create_scanlines(&f->allocator, &jobs, f->mesh->mesh, (uint32_t)resolution, &f->field, error)
                          : kin_sdf_create_band(&f->allocator, &jobs, f->mesh->mesh, &def, &f->field, error);
    kin_jobs_term(&jobs);
    f->ops = &field_ops;
    f->bounds = kin_aabb_grow(f->bounds, cell); /* rounded edges bulge by less */
    f->reach += 2 * cell;
    return kin_form_named(result, "shape.mesh", error);
}
