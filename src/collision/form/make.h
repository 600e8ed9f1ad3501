/* make.h - how each kind of form is made; form.c picks one. Shapes come checked for finite numbers, with their scale filled in. */
#pragma once
#include "collision/form/form.h"

kin_result kin_form_make_sphere(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_box(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_capsule(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_cylinder(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_cone(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_plane(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_mesh(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_hull(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_heights(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_field(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_ellipsoid(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_nurbs(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_compound(kin_form* form, const kin_shape* shape, kin_error* error);
kin_result kin_form_make_pieces(kin_form* form, const kin_shape* shape, kin_error* error);

/* The shape's mesh with scale, turn and offset applied; its vertices are a copy that the caller frees. */
kin_result kin_form_place_mesh(const kin_form* form, const kin_shape* shape, kin_mesh_view* view, kin_error* error);
/* The form is this mesh as it stands. */
kin_result kin_form_set_view(kin_form* form, const kin_mesh_view* view, kin_error* error);

/* "shape.radius: -1 must be > 0 (m)" */
kin_result kin_form_check_length(const char* member, double value, bool zero_allowed, kin_error* error);
/* An error of what was given, not of memory, is one of this member. */
kin_result kin_form_named(kin_result result, const char* member, kin_error* error);
/* Round forms: equal scales across the axis (x and z), and, for `all`, along it too. */
kin_result kin_form_check_scale(kin_vec3 scale, bool all, const char* what, kin_error* error);

/* Newton's method on the distance to a convex solid, from a start outside: the first touch of a path, at *t of it. False: none. gap (m) is that at the start,
 * less the path's radius. */
typedef kin_touch kin_closest_fn(const kin_convex* convex, kin_vec3 x);
bool kin_sweep_to_touch(const kin_convex* convex, kin_closest_fn* closest, const kin_path* path, double gap, kin_touch* touch, double* t);

/* A cylinder or cone as a solid of revolution; distances are exact. */
kin_touch kin_closest_revolved(const kin_convex* convex, kin_vec3 x);
bool kin_sweep_revolved(const kin_convex* convex, const kin_path* path, kin_touch* hit);
bool kin_ray_revolved(const kin_convex* convex, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit);
