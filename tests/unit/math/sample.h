/* sample.h - random values for the math tests, from a state the test owns. */
#pragma once
#include "math/quat.h"

/* splitmix64 */
static inline uint64_t sample_bits(uint64_t* state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static inline double sample_between(uint64_t* state, double low, double high) { return low + (high - low) * ((double)(sample_bits(state) >> 11) * 0x1p-53); }

/* In the cube of half side `reach`. */
static inline kin_vec3 sample_vector(uint64_t* state, double reach)
{
    double x = sample_between(state, -reach, reach), y = sample_between(state, -reach, reach), z = sample_between(state, -reach, reach);
    return kin_v(x, y, z);
}

static inline kin_vec3 sample_unit(uint64_t* state)
{
    kin_vec3 v;
    do {
        v = sample_vector(state, 1);
    } while (kin_length2(v) > 1 || kin_length2(v) < 0.01);
    return kin_normalize_or(v, kin_axis(0));
}

static inline kin_quat sample_rotation(uint64_t* state)
{
    kin_vec3 axis = sample_unit(state);
    return kin_quat_axis_angle(axis, sample_between(state, -KIN_PI, KIN_PI));
}

static inline kin_mat3 sample_matrix(uint64_t* state)
{
    kin_vec3 x = sample_vector(state, 1), y = sample_vector(state, 1), z = sample_vector(state, 1);
    return (kin_mat3){x, y, z};
}

static inline kin_transform sample_pose(uint64_t* state)
{
    kin_vec3 position = sample_vector(state, 5);
    return (kin_transform){position, sample_rotation(state)};
}

/* The largest difference of entries. */
static inline double matrix_distance(kin_mat3 a, kin_mat3 b)
{
    kin_mat3 d = kin_mat3_sub(a, b);
    return kin_max(kin_largest(kin_abs3(d.cx)), kin_max(kin_largest(kin_abs3(d.cy)), kin_largest(kin_abs3(d.cz))));
}

/* Of rotations: q and -q are the same. */
static inline double rotation_distance(kin_quat a, kin_quat b) { return kin_min(kin_quat_length(kin_quat_sub(a, b)), kin_quat_length(kin_quat_add(a, b))); }

/* How far m is from a rotation matrix. */
static inline double rotation_error(kin_mat3 m)
{
    double skew = matrix_distance(kin_mat3_mul(kin_mat3_transpose(m), m), kin_mat3_identity());
    return kin_max(skew, kin_abs(kin_mat3_determinant(m) - 1));
}
