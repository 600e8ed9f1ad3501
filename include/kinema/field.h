/** @file field.h
 * Fields: forces as functions of place, velocity and time, felt by every system. */
#pragma once
#include "kinema/base.h"
#include "kinema/math.h"
#include "kinema/world.h"

/** A field of a world, in order of creation. */
typedef struct kin_field_id {
    uint32_t index1; /**< from 1 */
} kin_field_id;

/** Force -d (v - air), N; air is the sum of all winds. d in kg/s, any sign: below 0 drives. */
KIN_API kin_result kin_world_add_drag(kin_world* world, double d, kin_field_id* out, kin_error* error);
/** Moves the air, m/s; felt through drag. */
KIN_API kin_result kin_world_add_wind(kin_world* world, kin_vec3 velocity, kin_field_id* out, kin_error* error);
/** A further uniform acceleration, m/s^2, beside the world's gravity. */
KIN_API kin_result kin_world_add_gravity(kin_world* world, kin_vec3 acceleration, kin_field_id* out, kin_error* error);
