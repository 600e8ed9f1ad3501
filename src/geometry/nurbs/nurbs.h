/* nurbs.h - rational B-spline curves and surfaces: points, derivatives, lengths, nearest points, and meshes of them. Lengths in metres.
 *
 * A curve is sum N_i(u) w_i P_i / sum N_i(u) w_i. It is evaluated in homogeneous coordinates (w P, w): derivatives there are splines again, and the quotient
 * rule brings them back. Each nonempty span of knots is also kept as a Bezier piece, whose control points bound it. Circles, and with them cylinders, spheres
 * and tori, are exact. Sources: Piegl and Tiller, The NURBS Book, 1997 (definitions, circles, revolution); Ramshaw 1989 (blossoms); Chen et al. 2007
 * (nearest points by the Bernstein coefficients of the squared distance). */
#pragma once
#include "geometry/mesh.h"
#include "math/mat4.h"

#define KIN_NURBS_DEGREE 8 /* at most */

/* One parameter's direction. */
typedef struct kin_nurbs_axis_def {
    int degree;     /* 1 to KIN_NURBS_DEGREE */
    uint32_t count; /* control points, more than degree */
    /* Rising, none more than degree times (degree + 1 at the ends). Not periodic: count + degree + 1 of them, any at the ends: clamped if repeated.
     * Periodic: one period, count + 1. NULL: evenly over [0, 1], clamped unless periodic. */
    const double* knots;
    bool periodic; /* the points go round: the last is followed by the first */
} kin_nurbs_axis_def;

typedef struct kin_nurbs_curve_def {
    kin_nurbs_axis_def axis;
    const kin_vec3* points; /* m */
    const double* weights;  /* > 0; NULL: all 1 */
} kin_nurbs_curve_def;

typedef struct kin_nurbs_surface_def {
    kin_nurbs_axis_def u, v;
    const kin_vec3* points; /* m; u fastest */
    const double* weights;  /* > 0; NULL: all 1 */
} kin_nurbs_surface_def;

typedef struct kin_nurbs_axis {
    int degree;
    uint32_t count;      /* points, repeated ones of a period too */
    double* knots;       /* count + degree + 1 */
    double begin, end;   /* of the parameter; beyond: the end, or the next period */
    uint32_t* spans;     /* the knots that begin a nonempty span */
    uint32_t span_count; /* Bezier pieces */
    bool periodic;
} kin_nurbs_axis;

typedef struct kin_nurbs_curve {
    kin_nurbs_axis axis;
    kin_vec4* points; /* (w x, w y, w z, w) */
    kin_vec4* pieces; /* degree + 1 for each span */
    double scale;     /* largest coordinate, m */
    kin_allocator allocator;
} kin_nurbs_curve;

typedef struct kin_nurbs_surface {
    kin_nurbs_axis u, v;
    kin_vec4* points; /* u fastest */
    kin_vec4* pieces; /* (u.degree + 1) (v.degree + 1) for each pair of spans, u fastest */
    double scale;     /* largest coordinate, m */
    kin_allocator allocator;
} kin_nurbs_surface;

/* Copies. On failure *out is NULL; error says what is wrong with which knot, point or weight. */
kin_result kin_nurbs_curve_create(const kin_allocator* allocator, const kin_nurbs_curve_def* def, kin_nurbs_curve** out, kin_error* error);
void kin_nurbs_curve_destroy(kin_nurbs_curve* curve); /* may be NULL */
kin_result kin_nurbs_surface_create(const kin_allocator* allocator, const kin_nurbs_surface_def* def, kin_nurbs_surface** out, kin_error* error);
void kin_nurbs_surface_destroy(kin_nurbs_surface* surface); /* may be NULL */

/* ---- curves ---- */

kin_vec3 kin_nurbs_curve_point(const kin_nurbs_curve* curve, double u);
/* out[k]: the k-th derivative by u, k = 0 to order, order at most KIN_NURBS_DEGREE. At an inner knot: from above. */
void kin_nurbs_curve_derivatives(const kin_nurbs_curve* curve, double u, int order, kin_vec3* out);
kin_vec3 kin_nurbs_curve_tangent(const kin_nurbs_curve* curve, double u);          /* unit; zero where the curve is a point */
double kin_nurbs_curve_length(const kin_nurbs_curve* curve, double u0, double u1); /* m, of the stretch from u0 to u1 >= u0, within begin to end; to 1e-12 */
/* The same curve with one more knot, begin < u < end, by Boehm's rule. Not for periodic curves; refused where the knot has degree copies already. */
kin_result kin_nurbs_curve_insert(const kin_nurbs_curve* curve, double u, kin_nurbs_curve** out, kin_error* error);

/* ---- surfaces ---- */

/* A point and its derivatives by the parameters. */
typedef struct kin_nurbs_jet {
    kin_vec3 at, u, v, uu, uv, vv;
} kin_nurbs_jet;

kin_vec3 kin_nurbs_surface_point(const kin_nurbs_surface* surface, double u, double v);
void kin_nurbs_surface_jet(const kin_nurbs_surface* surface, double u, double v, kin_nurbs_jet* out);
/* Unit, along Su x Sv. At a pole, where there is none: that of a place 1e-6 of the range nearer to the middle. Zero where there is still none. */
kin_vec3 kin_nurbs_surface_normal(const kin_nurbs_surface* surface, double u, double v);

/* ---- nearest points ---- */

typedef struct kin_nurbs_near {
    double u, v; /* v: 0 for curves */
    kin_vec3 point;
    double distance; /* m */
    double lower;    /* m: no point is nearer than this. As the distance, to 1e-12 of it or 1e-13 of the size, unless the search was cut off */
    int pieces;      /* looked at; at most KIN_NURBS_PIECES, and the search is cut off there */
} kin_nurbs_near;

#define KIN_NURBS_PIECES 50000

/* The nearest of all points, not of some neighbourhood: pieces are halved until their bounds exclude them, Newton's method polishes. x: below 1e100 m. */
kin_nurbs_near kin_nurbs_curve_closest(const kin_nurbs_curve* curve, kin_vec3 x);
kin_nurbs_near kin_nurbs_surface_closest(const kin_nurbs_surface* surface, kin_vec3 x);

/* ---- makers ---- */

/* A circle, or an arc of `angle` radians (0 to 2 pi), from center + x towards center + y; of unequal or slanted x and y an ellipse. */
kin_result kin_nurbs_arc(const kin_allocator* allocator, kin_vec3 center, kin_vec3 x, kin_vec3 y, double angle, kin_nurbs_curve** out, kin_error* error);
/* A curve, as v, once round an axis (u, counter-clockwise seen from its tip). Normals look outwards where the curve goes up along the axis. */
kin_result kin_nurbs_revolve(const kin_allocator* allocator, const kin_nurbs_curve* profile, kin_vec3 origin, kin_vec3 axis, kin_nurbs_surface** out,
                             kin_error* error);
/* About the origin and the y axis, closed, normals outwards. */
kin_result kin_nurbs_sphere(const kin_allocator* allocator, double radius, kin_nurbs_surface** out, kin_error* error);
kin_result kin_nurbs_cylinder(const kin_allocator* allocator, double radius, double height, kin_nurbs_surface** out, kin_error* error); /* with both ends */
kin_result kin_nurbs_torus(const kin_allocator* allocator, double ring_radius, double tube, kin_nurbs_surface** out, kin_error* error);

/* Triangles whose edges and middles are within `tolerance` metres of the surface, counter-clockwise about Su x Sv. Borders that meet become one, borders that
 * are a point become a vertex: of a closed surface a closed mesh. */
kin_result kin_nurbs_mesh(const kin_allocator* allocator, const kin_nurbs_surface* surface, double tolerance, kin_mesh** out, kin_error* error);
