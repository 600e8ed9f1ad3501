/* mass.h - volume, centre and inertia: closed forms, polyhedra three ways, sums and shells, principal axes (H9.2 to H9.4, D9).
 *
 * Bodies of closed forms are centred on the origin and stand on the y axis, as the collision shapes do (collision/form/convex.h). */
#pragma once
#include "geometry/mesh.h"
#include "math/quat.h"
#include "math/sym3.h"

/* At density 1 unless said otherwise, so mass = volume. Sums of these (differences too: a hole has negative mass) are exact. */
typedef struct kin_mass {
    double mass;      /* kg */
    kin_vec3 center;  /* of mass, m */
    kin_sym3 inertia; /* about the centre of mass, axes of the frame it was measured in, kg m^2 */
} kin_mass;

/* ---- closed forms; sizes >= 0, m ---- */
kin_mass kin_mass_point(double mass, kin_vec3 at); /* kg */
kin_mass kin_mass_sphere(double radius);
kin_mass kin_mass_ellipsoid(kin_vec3 semi_axes);
kin_mass kin_mass_box(kin_vec3 size);                    /* full sizes */
kin_mass kin_mass_capsule(double radius, double length); /* length between the centres of its ends */
kin_mass kin_mass_cylinder(double radius, double height);
kin_mass kin_mass_cone(double radius, double height); /* apex at +height/2, base at -height/2; its centre of mass lies lower */

/* Hollow and closed all round, the wall (m) inwards from the surface: the body less the one within. A wall as thick as the body leaves it solid. */
kin_mass kin_mass_hollow_sphere(double radius, double wall);
kin_mass kin_mass_hollow_box(kin_vec3 size, double wall);
kin_mass kin_mass_hollow_capsule(double radius, double length, double wall);
kin_mass kin_mass_hollow_cylinder(double radius, double height, double wall);
kin_mass kin_mass_hollow_cone(double radius, double height, double wall);
kin_mass kin_mass_pipe(double radius, double height, double wall); /* a cylinder open at both ends */

/* ---- arithmetic ---- */
kin_mass kin_mass_add(kin_mass a, kin_mass b); /* masses that cancel have no centre of mass: that of a is kept */
kin_mass kin_mass_subtract(kin_mass a, kin_mass b);
kin_mass kin_mass_sum(const kin_mass* parts, size_t count);  /* in order; point masses, too (H9.4) */
kin_mass kin_mass_times(kin_mass m, double factor);          /* of another density */
kin_mass kin_mass_to_total(kin_mass m, double total);        /* kg; m.mass > 0 */
kin_mass kin_mass_transform(kin_mass m, kin_transform t);    /* moved and turned */
kin_mass kin_mass_stretch(kin_mass m, kin_vec3 by);          /* the body scaled along the axes about the origin, density kept */
kin_sym3 kin_mass_inertia_about(kin_mass m, kin_vec3 point); /* parallel axes */

/* D9: a body of several homogeneous parts. */
typedef struct kin_mass_part {
    kin_mass shape; /* at density 1 */
    double density; /* kg/m^3; negative: a hole in what it lies in */
    kin_transform at;
} kin_mass_part;
kin_mass kin_mass_compound(const kin_mass_part* parts, size_t count);

/* The body's own frame: origin at the centre of mass, axes principal, so that inertia is diagonal (C1.4.1a). */
typedef struct kin_principal {
    kin_transform frame; /* of the body in the frame it was measured in */
    kin_vec3 moments;    /* kg m^2, falling */
} kin_principal;
kin_principal kin_mass_principal(kin_mass m);

/* Whether some body can have it: mass > 0, and no principal moment exceeds the sum of the others (but for rounding). */
kin_result kin_mass_check(kin_mass m, kin_error* error);

/* ---- polyhedra; refused unless closed and of positive volume ---- */
typedef enum kin_mass_method {
    KIN_MASS_SURFACE,    /* D9: volume to surface to projected to line integrals (Mirtich 1996) */
    KIN_MASS_TETRAHEDRA, /* H9.3, H9.4: signed tetrahedra from the middle of the bounds */
} kin_mass_method;
kin_result kin_mass_of_mesh(const kin_mesh* mesh, kin_mass_method method, kin_mass* out, kin_error* error);
/* Surface integrals over the polygons as given (faces that are not flat, over their triangles). */
kin_result kin_mass_of_faces(const kin_allocator* allocator, const kin_mesh_view* faces, kin_mass* out, kin_error* error);

/* H9.2: centres of cells inside the mesh as point masses: `cells` along the longest side of its bounds, fewer along the others in proportion. An error of
 * first order in the cell; an aligned box that the cells fit has exactly (1 - 1/n^2) of the inertia. density may be NULL: 1 everywhere. */
typedef double kin_density_fn(const void* context, kin_vec3 x); /* kg/m^3, >= 0 */
kin_result kin_mass_of_voxels(const kin_allocator* allocator, const kin_mesh* mesh, uint32_t cells, kin_density_fn* density, const void* context, kin_mass* out,
                              kin_error* error);
