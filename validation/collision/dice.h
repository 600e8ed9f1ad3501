/* dice.h - random numbers for the cases: the same in every run. */
#pragma once
#include "math/quat.h"

typedef struct kin_dice {
    uint64_t state;
} kin_dice;

static inline double kin_dice_roll(kin_dice* d, double low, double high)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = (d->state ^ d->state >> 33) * 0xff51afd7ed558ccdu;
    return low + (high - low) * (double)((x ^ x >> 33) >> 11) * 0x1p-53;
}

static inline kin_vec3 kin_dice_vec3(kin_dice* d, double size)
{
    double x = kin_dice_roll(d, -size, size), y = kin_dice_roll(d, -size, size), z = kin_dice_roll(d, -size, size);
    return kin_v(x, y, z);
}

static inline kin_vec3 kin_dice_direction(kin_dice* d)
{
    for (;;) {
        kin_vec3 v = kin_dice_vec3(d, 1);
        double length = kin_length(v);
        if (length > 0.1 && length <= 1) return kin_scale(v, 1 / length);
    }
}

static inline kin_quat kin_dice_turn(kin_dice* d)
{
    kin_vec3 axis = kin_dice_direction(d);
    return kin_quat_axis_angle(axis, kin_dice_roll(d, -3, 3));
}
