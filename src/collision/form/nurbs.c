/* nurbs.c - rational B-spline surfaces and revolved curves as triangles within a tolerance. A closed surface is solid whichever way its parameters turn. */
#include "base/alloc.h"
#include "base/error.h"
#include "collision/form/make.h"
#include "geometry/list/list.h"
#include "geometry/nurbs/nurbs.h"
#include "math/aabb.h"

#define DEGREE 3
#define TOLERANCE 1e-3 /* of the largest extent of the control points, where none is given */

static int degree_of(int given) { return given != 0 ? given : DEGREE; }
static const double* none_if_empty(kin_numbers_view v) { return v.count > 0 ? v.data : NULL; }

static kin_result check_count(const char* where, size_t count, size_t wanted, kin_error* error)
{
    if (count == 0 || count == wanted) return KIN_OK;
    return kin_fail(error, KIN_ERROR_ARGUMENT, where, "%zu numbers; %zu are needed, or none", count, wanted);
}

static size_t knot_count(size_t points, int degree, bool periodic) { return points + 1 + (periodic ? 0 : (size_t)degree); }

static kin_result make_revolved(const kin_allocator* allocator, const kin_nurbs_view* n, kin_nurbs_surface** out, kin_error* error)
{
    int degree = degree_of(n->degree_v);
    kin_nurbs_curve* profile = NULL;
    kin_nurbs_curve_def def = {
        .axis = {degree, (uint32_t)n->points.count, none_if_empty(n->knots_v), n->periodic_v}, .points = n->points.data, .weights = none_if_empty(n->weights)};
    kin_result result = check_count("knots_v", n->knots_v.count, knot_count(n->points.count, degree, n->periodic_v), error);
    if (result == KIN_OK && n->periodic_v) result = kin_fail(error, KIN_ERROR_ARGUMENT, "periodic_v", "a profile is not periodic: close it by its last point");
    if (result == KIN_OK) result = kin_nurbs_curve_create(allocator, &def, &profile, error);
    if (result == KIN_OK) result = kin_nurbs_revolve(allocator, profile, kin_v(0, 0, 0), kin_v(0, 1, 0), out, error);
    kin_nurbs_curve_destroy(profile);
    return result;
}

static kin_result make_grid(const kin_allocator* allocator, const kin_nurbs_view* n, kin_nurbs_surface** out, kin_error* error)
{
    int p = degree_of(n->degree_u), q = degree_of(n->degree_v);
    if (n->columns < 2 || n->points.count % (size_t)n->columns != 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "columns", "%d: %zu points make no whole rows of so many, at least 2", n->columns, n->points.count);
    size_t columns = (size_t)n->columns, rows = n->points.count / columns;
    kin_result result = check_count("knots_u", n->knots_u.count, knot_count(columns, p, n->periodic_u), error);
    if (result == KIN_OK) result = check_count("knots_v", n->knots_v.count, knot_count(rows, q, n->periodic_v), error);
    if (result != KIN_OK) return result;
    kin_nurbs_surface_def def = {.u = {p, (uint32_t)columns, none_if_empty(n->knots_u), n->periodic_u},
                                 .v = {q, (uint32_t)rows, none_if_empty(n->knots_v), n->periodic_v},
                                 .points = n->points.data,
                                 .weights = none_if_empty(n->weights)};
    return kin_nurbs_surface_create(allocator, &def, out, error);
}

static kin_result make_surface(const kin_allocator* allocator, const kin_nurbs_view* n, kin_nurbs_surface** out, kin_error* error)
{
    *out = NULL;
    if (n->points.data == NULL || n->points.count < 2 || n->points.count > UINT32_MAX / 2)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "points", "%zu control points make no surface", n->points.count);
    if (!(kin_finite(n->tolerance) && n->tolerance >= 0)) return kin_fail(error, KIN_ERROR_ARGUMENT, "tolerance", "%g must be >= 0 (m)", n->tolerance);
    kin_result result = check_count("weights", n->weights.count, n->points.count, error);
    if (result != KIN_OK) return result;
    return n->revolve ? make_revolved(allocator, n, out, error) : make_grid(allocator, n, out, error);
}

/* Of a closed surface the triangles turn outwards. */
static void turn_outwards(kin_mesh* mesh)
{
    double volume = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles[t];
        volume += kin_dot(mesh->vertices[c[0]], kin_cross(mesh->vertices[c[1]], mesh->vertices[c[2]]));
    }
    for (uint32_t t = 0; mesh->closed && volume < 0 && t < mesh->triangle_count; ++t) {
        uint32_t* c = mesh->triangles[t];
        uint32_t swapped = c[1];
        c[1] = c[2], c[2] = swapped;
    }
}

/* The tolerance holds for what is scaled. */
static double tolerance_of(const kin_shape* shape)
{
    const kin_nurbs_view* n = &shape->nurbs;
    if (n->tolerance > 0) return n->tolerance / kin_largest(shape->scale);
    kin_aabb box = kin_aabb_empty();
    for (size_t i = 0; i < n->points.count; ++i) box = kin_aabb_add(box, n->points.data[i]);
    return TOLERANCE * kin_largest(kin_aabb_size(box));
}

kin_result kin_form_make_nurbs(kin_form* f, const kin_shape* shape, kin_error* error)
{
    kin_nurbs_surface* surface;
    kin_mesh* mesh = NULL;
    kin_result result = make_surface(&f->allocator, &shape->nurbs, &surface, error);
    if (result == KIN_OK) result = kin_nurbs_mesh(&f->allocator, surface, tolerance_of(shape), &mesh, error);
    kin_nurbs_surface_destroy(surface);
    if (result != KIN_OK) return result == KIN_ERROR_MEMORY ? result : kin_within(result, "shape.nurbs", error);
    turn_outwards(mesh);
    kin_shape triangles = *shape;
    triangles.mesh = kin_mesh_triangles_view(mesh);
    result = kin_form_make_mesh(f, &triangles, error);
    kin_mesh_destroy(mesh);
    return kin_form_named(result, "shape.nurbs", error);
}
