/* spline.h - what curves and surfaces share: knots, spans, Bezier pieces. For this folder. */
#pragma once
#include "geometry/nurbs/nurbs.h"

#define KIN_NURBS_ROW (KIN_NURBS_DEGREE + 1)

static inline kin_vec4 kin_v4_mix(kin_vec4 a, double s, kin_vec4 b, double t) /* s a + t b */
{
    return (kin_vec4){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z, s * a.w + t * b.w};
}
static inline kin_vec3 kin_v4_vector(kin_vec4 a) { return kin_v(a.x, a.y, a.z); }
static inline kin_vec3 kin_v4_point(kin_vec4 a) { return kin_v(a.x / a.w, a.y / a.w, a.z / a.w); }
static inline kin_vec4 kin_v4_lift(kin_vec3 p, double w) { return (kin_vec4){w * p.x, w * p.y, w * p.z, w}; }

/* Checks and copies. `name` stands before what errors name: "u.knots[3]". On failure nothing is held. */
kin_result kin_nurbs_axis_init(kin_nurbs_axis* axis, const kin_allocator* allocator, const kin_nurbs_axis_def* def, const char* name, kin_error* error);
void kin_nurbs_axis_term(kin_nurbs_axis* axis, const kin_allocator* allocator);
/* Finite points, positive weights that do not differ beyond 1e9. */
kin_result kin_nurbs_check_points(const kin_vec3* points, const double* weights, size_t count, kin_error* error);

/* The parameter within begin to end: cut off there, or taken round. */
double kin_nurbs_axis_hold(const kin_nurbs_axis* axis, double u);
uint32_t kin_nurbs_axis_span(const kin_nurbs_axis* axis, double u); /* the knot that begins the span of a held parameter; of `end` the last */

/* Homogeneous derivatives 0 to order at u from the degree + 1 points of the span. Those beyond the degree are zero. */
void kin_nurbs_local(const kin_nurbs_axis* axis, uint32_t span, double u, const kin_vec4* points, int order, kin_vec4* out);
/* Bezier points of the span from its degree + 1 spline points. */
void kin_nurbs_to_bezier(const kin_nurbs_axis* axis, uint32_t span, const kin_vec4* points, kin_vec4* out);
/* Bezier points of the part [s, t] of the piece, 0 <= s < t <= 1; points `stride` apart, in place. */
void kin_nurbs_bezier_part(kin_vec4* points, size_t stride, int degree, double s, double t);
