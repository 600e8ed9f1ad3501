/* steer.h - steering round what is in the way, for fields that have a kin_steering in their def. */
#pragma once
#include "collision/service.h"
#include "kinema/steer.h"
#include "system/param.h"

/* Who steers. */
typedef struct kin_steer_self {
    kin_vec3 position; /* m */
    kin_vec3 velocity; /* m/s */
    double radius;     /* m */
    kin_vec3 so_far;   /* m/s^2: what else accelerates it; only what is missing is added */
} kin_steer_self;

/* The sideways acceleration to add, m/s^2. solids may be NULL; asked at a fraction of the interval. */
kin_vec3 kin_steer_round(const kin_steering* steering, const kin_solids* solids, double fraction, const kin_steer_self* self);

extern const kin_param kin_ball_params[];
extern const char* const kin_steer_way_names[];

/* Rows of a kin_steering at an offset; `first` names the look-ahead time. */
#define KIN_STEERING_ROWS(first, base, first_flags)                                                                                                            \
    {.name = first,                                                                                                                                            \
     .type = KIN_PARAM_NUMBER,                                                                                                                                 \
     .offset = (base) + offsetof(kin_steering, ahead),                                                                                                         \
     .unit = "s",                                                                                                                                              \
     .doc = "How far ahead to look: obstacles met later are not minded; 0: none are.",                                                                         \
     .high = 1e300,                                                                                                                                            \
     .flags = KIN_PARAM_LIVE | (first_flags)},                                                                                                                 \
        {.name = "spheres",                                                                                                                                    \
         .type = KIN_PARAM_LIST,                                                                                                                               \
         .offset = (base) + offsetof(kin_steering, spheres),                                                                                                   \
         .doc = "Spheres to go round.",                                                                                                                        \
         .sub = kin_ball_params,                                                                                                                               \
         .sub_size = sizeof(kin_ball)},                                                                                                                        \
        {.name = "solids",                                                                                                                                     \
         .type = KIN_PARAM_BOOL,                                                                                                                               \
         .offset = (base) + offsetof(kin_steering, solids),                                                                                                    \
         .doc = "Go round the world's colliders, as they stand at the moment.",                                                                                \
         .preset = {1},                                                                                                                                        \
         .flags = KIN_PARAM_LIVE},                                                                                                                             \
        {.name = "margin",                                                                                                                                     \
         .type = KIN_PARAM_NUMBER,                                                                                                                             \
         .offset = (base) + offsetof(kin_steering, margin),                                                                                                    \
         .unit = "m",                                                                                                                                          \
         .doc = "Distance kept beyond the own radius.",                                                                                                        \
         .high = 1e300,                                                                                                                                        \
         .flags = KIN_PARAM_LIVE},                                                                                                                             \
        {.name = "view",                                                                                                                                       \
         .type = KIN_PARAM_NUMBER,                                                                                                                             \
         .offset = (base) + offsetof(kin_steering, view),                                                                                                      \
         .unit = "rad",                                                                                                                                        \
         .doc = "Full angle of the cone about the velocity in which the middle of a sphere must be to be seen.",                                               \
         .high = 6.2831853071795865,                                                                                                                           \
         .preset = {6.2831853071795865},                                                                                                                       \
         .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},                                                                                                        \
        {.name = "way",                                                                                                                                        \
         .type = KIN_PARAM_ENUM,                                                                                                                               \
         .offset = (base) + offsetof(kin_steering, way),                                                                                                       \
         .doc = "Where to aim: beside a sphere's centre, or at the tangent to it.",                                                                            \
         .names = kin_steer_way_names,                                                                                                                         \
         .flags = KIN_PARAM_LIVE},                                                                                                                             \
    {                                                                                                                                                          \
        .name = "limit", .type = KIN_PARAM_NUMBER, .offset = (base) + offsetof(kin_steering, limit), .unit = "m/s^2",                                          \
        .doc = "Never steer harder; 0: no limit.", .high = 1e300, .flags = KIN_PARAM_LIVE                                                                      \
    }
