/** @file curve.h
 * Numbers over time or age, given by keys. */
#pragma once
#include "kinema/base.h"

/** A value from a time on. In scenes {t =, value =}, or {after =, value =}: so much later than the key before. */
typedef struct kin_curve_key {
    double time;     /**< s; keys rise */
    double value[3]; /**< the first only, for curves of one number */
} kin_curve_key;

/** Between its keys a curve runs straight, jumps (each value holds until the next key) or is smooth (no overshoot). Before the first key and after the last it is
 * constant. No keys: it was not given. */
typedef enum kin_curve_mode { KIN_CURVE_LINEAR, KIN_CURVE_STEP, KIN_CURVE_SMOOTH } kin_curve_mode;

/** Keys are borrowed in defs and copied by what takes the def. */
typedef struct kin_curve {
    const kin_curve_key* keys; /**< count of them, times rising */
    size_t count;              /**< 0: not given */
    kin_curve_mode mode;       /**< between keys */
} kin_curve;
