/* euler.h - rotations as three angles about coordinate axes, in all twelve orders (HC). The order must be named: R_XYZ is not R_ZYX. */
#pragma once
#include "math/quat.h"

/* KIN_EULER_XYZ is Rx(a) Ry(b) Rz(c): about the body's own x, then its new y, then its new z; or, which is the same, about the
 * fixed z by c, then y by b, then x by a. */
typedef enum kin_euler_order {
    KIN_EULER_XYZ,
    KIN_EULER_YZX,
    KIN_EULER_ZXY,
    KIN_EULER_XZY,
    KIN_EULER_YXZ,
    KIN_EULER_ZYX,
    KIN_EULER_XYX,
    KIN_EULER_YZY,
    KIN_EULER_ZXZ,
    KIN_EULER_XZX,
    KIN_EULER_YXY,
    KIN_EULER_ZYZ,
} kin_euler_order;
enum { KIN_EULER_ORDERS = 12 };

/* Angles in the order they are written. Out of kin_euler_from_*: a and c in (-pi, pi]; b in [-pi/2, pi/2] for three different
 * axes, in [0, pi] when the first comes again. */
typedef struct kin_euler {
    double a, b, c;
} kin_euler;

kin_mat3 kin_euler_to_matrix(kin_euler_order order, kin_euler e);
kin_quat kin_euler_to_quat(kin_euler_order order, kin_euler e);
/* Gimbal lock (b at an end of its range): a is 0 and c takes the whole turn. The rotation comes back either way. */
kin_euler kin_euler_from_matrix(kin_euler_order order, kin_mat3 r);
kin_euler kin_euler_from_quat(kin_euler_order order, kin_quat q);
