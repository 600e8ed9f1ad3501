/** @file anchor.h
 * How systems meet: a point of an element of a system, and what can be said of it. */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"

#define KIN_WORLD_SYSTEM 0u /**< system number of the colliders, which answer every push with nothing */

/** A place fixed to an element. */
typedef struct kin_anchor {
    uint32_t system;  /**< 0 is the world's colliders; systems count from 1 in order of creation */
    uint32_t element; /**< index within the system */
    kin_vec3 local;   /**< m, in the element's frame */
} kin_anchor;

/** Impulse and angular impulse about the anchor's point. */
typedef struct kin_wrench {
    kin_vec3 impulse; /**< N s */
    kin_vec3 angular; /**< N m s */
} kin_wrench;

/** A change, or rate, of motion at an anchor's point. */
typedef struct kin_twist {
    kin_vec3 velocity; /**< m/s */
    kin_vec3 spin;     /**< rad/s */
} kin_twist;

/** Where an anchor is and how it moves. */
typedef struct kin_motion {
    kin_transform pose; /**< of the point */
    kin_vec3 velocity;  /**< m/s */
    kin_vec3 spin;      /**< rad/s */
} kin_motion;
