/* pose_path.h - a smooth path of a pose over a time: cubic Hermite curves of the position and of the rotation vector, from poses and rates at both ends.
 *
 * With y the position, or the rotation vector theta from the first orientation (world frame): y(0), y(T), y'(0), y'(T) are given, y is cubic in between. So the
 * path is continuous in its rates where two pieces join, and it misses a smooth motion by T^4 |y''''| / 384. Angular velocity and acceleration follow from
 *
 *     w = J(theta) theta',    J(theta) v = v + a theta x v + b theta x (theta x v),    a = (1 - cos phi) / phi^2, b = (phi - sin phi) / phi^3, phi = |theta|
 *
 * and the derivative of that. Turns of a piece are less than pi (the shorter way). */
#pragma once
#include "kinema/anchor.h"
#include "math/quat.h"

typedef struct kin_pose_path {
    double duration; /* s */
    kin_transform start, end;
    kin_vec3 shift[4], turn[4]; /* coefficients of the powers of t: of the position, and of the rotation vector */
} kin_pose_path;

typedef struct kin_pose_motion {
    kin_transform pose;
    kin_twist rate, acceleration; /* m/s, rad/s; m/s^2, rad/s^2: of the angular velocity. World frame */
} kin_pose_motion;

/* Unit orientations; duration > 0. */
kin_pose_path kin_pose_path_between(kin_transform start, kin_twist start_rate, kin_transform end, kin_twist end_rate, double duration);
/* t in [0, duration]; exactly start and end there. */
kin_pose_motion kin_pose_path_at(const kin_pose_path* path, double t);
/* The largest |position''| (velocity) and |theta''| (spin) on the way: how far chords of it are off. */
void kin_pose_path_bend(const kin_pose_path* path, double* linear, double* angular);
