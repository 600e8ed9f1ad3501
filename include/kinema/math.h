/** @file math.h
 * Plain value types. SI units, radians, y up, right handed. */
#pragma once

/** A point or a direction. */
typedef struct kin_vec3 {
    double x, y, z;
} kin_vec3;

/** A rotation when of unit length; v' = q v q*. Identity is (0, 0, 0, 1). */
typedef struct kin_quat {
    double x, y, z, w;
} kin_quat;

/** Three columns: M v = cx v.x + cy v.y + cz v.z. */
typedef struct kin_mat3 {
    kin_vec3 cx, cy, cz;
} kin_mat3;

/** A rigid motion: p' = q p q* + position. */
typedef struct kin_transform {
    kin_vec3 position;
    kin_quat orientation;
} kin_transform;

/** An axis-aligned box. Empty when a component of low exceeds that of high. */
typedef struct kin_aabb {
    kin_vec3 low, high;
} kin_aabb;
