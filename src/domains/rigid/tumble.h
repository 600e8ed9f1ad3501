/* tumble.h - a free body as a flat state with a derivative, two ways: with a rotation matrix (18 numbers, H9.7) and with a quaternion (13 numbers, H9.8). For
 * studies of why bodies have quaternions: whoever integrates the matrix gets bodies that shear and grow. */
#pragma once
#include "math/mat3.h"
#include "math/quat.h"
#include "numerics/ode.h"

typedef struct kin_tumbler {
    double mass;            /* kg */
    kin_vec3 moments;       /* principal, kg m^2 */
    kin_vec3 force, torque; /* N, N m: constant, at the centre */
} kin_tumbler;

enum { KIN_TUMBLE_MATRIX = 18, KIN_TUMBLE_QUAT = 13 };

/* y = x, R (by columns), P, L and y = x, q, P, L. x' = P/m, R' = w* R or q' = w q / 2, P' = force, L' = torque; w = R I0^-1 R^-1 L. */
void kin_tumble_matrix(void* tumbler, double t, const double* y, double* dydt);
void kin_tumble_quat(void* tumbler, double t, const double* y, double* dydt);

/* From a pose, a velocity and a spin (world). */
void kin_tumble_begin_matrix(const kin_tumbler* body, kin_vec3 x, kin_quat q, kin_vec3 velocity, kin_vec3 spin, double* y);
void kin_tumble_begin_quat(const kin_tumbler* body, kin_vec3 x, kin_quat q, kin_vec3 velocity, kin_vec3 spin, double* y);

kin_mat3 kin_tumble_rotation(const double* y); /* of a matrix state: as it is, whatever became of it */
kin_quat kin_tumble_turn(const double* y);     /* of a quaternion state: not normalised */
void kin_tumble_renormalize(double* y);        /* the quaternion, as one does after every step */
/* Kinetic energy of rotation by L and the axes, J. */
double kin_tumble_energy_matrix(const kin_tumbler* body, const double* y);
double kin_tumble_energy_quat(const kin_tumbler* body, const double* y);
/* How far R^T R is from 1: the largest element. */
double kin_tumble_shear(kin_mat3 rotation);
