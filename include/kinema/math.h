/** @file math.h
 * Plain value types. SI units, radians, y up, right handed. */
#pragma once

/** A point or a direction. */
typedef struct kin_vec3 {
    double x, y, z; /**< along the axes; y is up */
} kin_vec3;

/** A rotation when of unit length; v' = q v q*. Identity is (0, 0, 0, 1). */
typedef struct kin_quat {
    double x, y, z, w; /**< x, y, z: axis times sin(angle / 2); w: cos(angle / 2) */
} kin_quat;

/** Three columns: M v = cx v.x + cy v.y + cz v.z. */
typedef struct kin_mat3 {
    kin_vec3 cx, cy, cz; /**< images of the axes */
} kin_mat3;

/** A rigid motion: p' = q p q* + position. */
typedef struct kin_transform {
    kin_vec3 position;    /**< m, applied after the rotation */
    kin_quat orientation; /**< unit */
} kin_transform;

/** An axis-aligned box. Empty when a component of low exceeds that of high. */
typedef struct kin_aabb {
    kin_vec3 low, high; /**< m, opposite corners */
} kin_aabb;
