/* sdf.h - signed distance fields: how far a point is from a surface, negative inside (G12.1, G12.2). One interface over two ways to store it.
 *
 * Scanlines: per axis and grid line the sorted places where the line enters and leaves the solid, four bytes each: 6 n^2 of them for a convex solid, not n^3
 * values. The value at a grid point is the smallest of its distances along the three axes: exact for faces across an axis, too far by up to sqrt(3) for slanted
 * ones (N10), and arbitrary where no line through the point meets the solid. Made for points inside, with thousands of cells an axis.
 *
 * Band: true distances. Blocks of 8 x 8 x 8 cells near the surface hold floats at every grid point, the rest of space the exact distance at block corners.
 * Continuous; off by at most sqrt(3)/2 cell anywhere in the band, of second order where the surface is smooth.
 *
 * Both are functions that are trilinear in cells, and the surface of a field is where that function is zero. Zero counts as inside. All lengths in metres. */
#pragma once
#include "base/jobs.h"
#include "geometry/mesh.h"

typedef struct kin_sdf kin_sdf;

/* Any function of space, many points a call. Called from any thread; the same point must always give the same value. */
typedef void kin_field_fn(const void* context, const kin_vec3* points, double* values, int count);

/* The scanline field of a closed mesh. resolution: cells along the longest side of its box (4 to 8192); one more on each side all round. */
kin_result kin_sdf_create_scanlines(const kin_allocator* allocator, kin_jobs* jobs, const kin_mesh* mesh, uint32_t resolution, kin_sdf** out, kin_error* error);

typedef struct kin_sdf_band_def {
    double cell;   /* m */
    double band;   /* cells on each side of the surface with full resolution, 1 to 64 */
    double margin; /* m round the box of the mesh that the grid covers as well, at least band + 1 cells are; spheres up to this radius are swept exactly */
} kin_sdf_band_def;

/* The band field of a closed mesh: one that is open, or whose normals point inward, is refused. */
kin_result kin_sdf_create_band(const kin_allocator* allocator, kin_jobs* jobs, const kin_mesh* mesh, const kin_sdf_band_def* def, kin_sdf** out,
                               kin_error* error);
/* The band field of a function over a box. slope: how much the function changes at most per metre; 1 for distances. A function with another slope is kept
 * as it is: its isosurface, as a mesh, has true distances. */
kin_result kin_sdf_create_function(const kin_allocator* allocator, kin_jobs* jobs, kin_aabb box, const kin_sdf_band_def* def, kin_field_fn* function,
                                   const void* context, double slope, kin_sdf** out, kin_error* error);
void kin_sdf_destroy(kin_sdf* sdf); /* may be NULL */

size_t kin_sdf_bytes(const kin_sdf* sdf);
size_t kin_sdf_scalars(const kin_sdf* sdf);  /* scanlines: crossings stored; band: values stored */
kin_aabb kin_sdf_bounds(const kin_sdf* sdf); /* of the grid */
double kin_sdf_cell(const kin_sdf* sdf);
void kin_sdf_cells(const kin_sdf* sdf, uint32_t cells[3]);

/* Beyond the grid a lower bound of the distance, continuous with the values inside: of the point of the grid's box nearest to x, and the way to it. */
double kin_sdf_value(const kin_sdf* sdf, kin_vec3 x);
double kin_sdf_at_vertex(const kin_sdf* sdf, uint32_t i, uint32_t j, uint32_t k); /* of the grid; each at most its number of cells */
/* Central difference over one cell to each side (one block beyond the band), normalised; zero where there is no direction. */
kin_vec3 kin_sdf_gradient(const kin_sdf* sdf, kin_vec3 x);
/* Within this distance of x the field is nowhere zero: 0 near the surface. Never too large. */
double kin_sdf_clearance(const kin_sdf* sdf, kin_vec3 x);
/* For arrays: particles, cloth, fluids. gradients may be NULL. */
void kin_sdf_sample(const kin_sdf* sdf, const kin_vec3* points, int count, double* values, kin_vec3* gradients);

typedef struct kin_sdf_point {
    kin_vec3 point;  /* on the surface, if converged */
    kin_vec3 normal; /* the gradient there; zero where there is none */
    double value;    /* of the field at the point, m */
    int iterations;
    bool converged;
} kin_sdf_point;

/* x -= value * gradient until |value| <= tolerance, at most cap times (G12.2.6). One step where the field is a true distance; where it is s times too far
 * the error shrinks by |1 - s| a step (N10: 0.4142, 0.7321). */
kin_sdf_point kin_sdf_closest(const kin_sdf* sdf, kin_vec3 x, double tolerance, int cap);

typedef struct kin_sdf_hit {
    double t;        /* in units of the direction */
    kin_vec3 point;  /* of the ray, or of the sphere's centre */
    kin_vec3 normal; /* gradient */
    double value;    /* of the field there, less the radius: 0, or negative when it started inside */
} kin_sdf_hit;

/* First crossing of the surface, from either side, at t in [0, limit]. Where the clearance is large the ray strides by it, elsewhere it walks cell by
 * cell and solves the cubic in each: no crossing is missed. */
bool kin_sdf_ray(const kin_sdf* sdf, kin_vec3 origin, kin_vec3 direction, double limit, kin_sdf_hit* hit);
/* The first t in [0, 1] at which a sphere with its centre at from + t by touches: the field is at most radius. Starting so, t = 0. Beyond the grid of a
 * scanline field, whose values leap there, by steps of a quarter cell. */
bool kin_sdf_sweep(const kin_sdf* sdf, kin_vec3 from, kin_vec3 by, double radius, kin_sdf_hit* hit);
