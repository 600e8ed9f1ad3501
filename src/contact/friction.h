/* friction.h - dry friction with a coefficient along each of two tangents of a surface (a grain): an ellipse of forces a unit of load, with half axes mu_t and
 * mu_k. Of all forces in it the one that dissipates most opposes slip (Moreau): f = -(mu_t^2 s_t, mu_k^2 s_k) / |(mu_t s_t, mu_k s_k)|. Equal coefficients make
 * it a circle, and f = -mu s / |s|. */
#pragma once
#include "math/vec3.h"

/* The axis least along n, in the frame of a form: its grain runs along it. Of nearly equal ones the first, so that faces keep theirs while bodies rock. */
static inline kin_vec3 kin_friction_axis(kin_vec3 n)
{
    const double tie = 0.05;
    const kin_vec3 size = kin_abs3(n);
    int axis = size.y < size.x - tie ? 1 : 0;
    if (size.z < kin_component(size, axis) - tie) axis = 2;
    return kin_axis(axis);
}

/* f against slip, by size: |f_t| and |f_k|. */
static inline void kin_friction_against(const double mu[2], const double slip[2], double out[2])
{
    const double t = mu[0] * kin_abs(slip[0]), k = mu[1] * kin_abs(slip[1]), size = kin_sqrt(t * t + k * k);
    out[0] = size > 0 ? mu[0] * t / size : 0;
    out[1] = size > 0 ? mu[1] * k / size : 0;
}

/* Most that holds against a pull along the direction (t, k), of any length. */
static inline double kin_friction_along(const double mu[2], double t, double k)
{
    const double across = kin_sqrt(kin_square(t * mu[1]) + kin_square(k * mu[0]));
    return across > 0 ? mu[0] * mu[1] * kin_sqrt(t * t + k * k) / across : kin_max(mu[0], mu[1]);
}

/* The unit direction in which friction f opposes slip (slip . way > 0), in the plane of n and the tangent t; out: its size, and what holds across it. Without
 * slip: t and mu. */
static inline kin_vec3 kin_friction_way(const double mu[2], kin_vec3 n, kin_vec3 t, kin_vec3 slip, double out[2])
{
    const kin_vec3 k = kin_cross(n, t);
    const double s[2] = {kin_dot(slip, t), kin_dot(slip, k)};
    double f[2];
    kin_friction_against(mu, s, f);
    const double size = kin_sqrt(f[0] * f[0] + f[1] * f[1]), along = s[0] < 0 ? -f[0] : f[0], beside = s[1] < 0 ? -f[1] : f[1];
    out[0] = size > 0 ? size : mu[0];
    out[1] = size > 0 ? kin_friction_along(mu, -beside, along) : mu[1];
    return size > 0 ? kin_scale(kin_add_scaled(kin_scale(t, along), beside, k), 1 / size) : t;
}
