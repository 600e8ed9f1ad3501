/* spline.h - smooth curves through keys at uneven times: numbers, points and orientations (8.4). */
#pragma once
#include "math/quat.h"

/* Times ascend strictly. Before the first key and after the last the end values hold, at rate zero; no keys give zero or the
 * identity. Slopes at inner keys are those of the parabola through the key and its neighbours, so curves are smooth (C1) at the
 * keys and quadratic motions come back exactly; end slopes are those of the last parabola. rate may be NULL. */
double kin_spline_scalar(const double* times, const double* values, int count, double t, double* rate);
kin_vec3 kin_spline_vec3(const double* times, const kin_vec3* values, int count, double t, kin_vec3* rate);

/* Bezier curves on the sphere of unit quaternions, by de Casteljau with slerp. The spin at an inner key is the same mean of
 * the spins before and after; at the ends it is that of the only neighbour. Each key is turned the shorter way from the last:
 * keys more than half a turn apart need one between them. */
kin_quat kin_spline_quat(const double* times, const kin_quat* values, int count, double t);

/* Cubic with values p0, p1 and slopes m0, m1 at the ends of an interval of length h; u from 0 to 1. */
kin_vec3 kin_hermite(kin_vec3 p0, kin_vec3 m0, kin_vec3 p1, kin_vec3 m1, double h, double u, kin_vec3* rate);
/* Bezier curve with four control points; u from 0 to 1. Leaves q0 towards b and comes into q1 from c, at three times their arcs. */
kin_quat kin_quat_bezier(kin_quat q0, kin_quat b, kin_quat c, kin_quat q1, double u);

/* The key interval that holds t: the largest i in [0, count - 2] with times[i] <= t, or 0. */
int kin_spline_interval(const double* times, int count, double t);
