/* field_common.h - for files that hold kinds of fields: the rows every field shares, and its kernels by width. */
#pragma once
#include "base/rng.h"
#include "system/field.h"
#include <stddef.h>

extern const kin_param kin_region_params[];
extern const char* const kin_drop_names[];
extern const kin_param kin_region_key_params[];
/* Rows after that of a region: offsets of its center and its kin_region_motion in the def; flags of what a number is changed by. */
#define KIN_REGION_PLACE_ROWS(at, motion, how)                                                                                                                 \
    {.name = "center", .type = KIN_PARAM_VECTOR, .offset = (at), .unit = "m", .doc = "Of the region.", .flags = (how)},                                        \
        {.name = "turned",                                                                                                                                     \
         .type = KIN_PARAM_ORIENTATION,                                                                                                                        \
         .offset = (motion) + offsetof(kin_region_motion, orientation),                                                                                        \
         .doc = "How the region is turned about its center.",                                                                                                  \
         .flags = (how) | KIN_PARAM_OR_NONE},                                                                                                                  \
    {                                                                                                                                                          \
        .name = "region_keys", .type = KIN_PARAM_LIST, .offset = (motion) + offsetof(kin_region_motion, keys),                                                 \
        .doc = "Where the region is over time, straight between; then center and turned do not count.", .sub = kin_region_key_params,                          \
        .sub_size = sizeof(kin_key)                                                                                                                            \
    }
kin_transform kin_region_pose(kin_vec3 center, const kin_region_motion* motion, double time);
/* Is x within a region at a pose? Its edge counts. */
bool kin_region_holds(const kin_region* region, kin_transform pose, kin_vec3 x);

#define KIN_WIDTHS(kernel)                                                                                                                                     \
    {                                                                                                                                                          \
        kernel##_none, kernel##_sse2, kernel##_avx2                                                                                                            \
    }
/* A function that is not built per width: what it does is not a loop over lanes. */
#define KIN_ANY_WIDTH(function)                                                                                                                                \
    {                                                                                                                                                          \
        function, function, function                                                                                                                           \
    }
/* void name_width(const kin_field*, const kin_field_batch*), of every width. */
#define KIN_FIELD_KERNEL(name) kin_field_fn name##_none, name##_sse2, name##_avx2;
#define KIN_FIELD_AFTER_KERNEL(name) kin_field_after_fn name##_none, name##_sse2, name##_avx2;

/* Draws of a field for a point: independent of those of other fields and systems, and of other users of the world's seed. */
static inline kin_rng_key kin_field_key(const kin_field* field, const kin_field_batch* batch, int i, uint64_t step)
{
    const uint32_t own = 0x66696c64; /* no tick comes near it */
    return (kin_rng_key){batch->seed, batch->serial != NULL ? batch->serial[i] : (uint64_t)i, step, batch->system, own + field->index};
}
static inline kin_vec3 kin_batch_position(const kin_field_batch* b, int i) { return (kin_vec3){b->position[0][i], b->position[1][i], b->position[2][i]}; }
static inline kin_vec3 kin_lane_get(double* const lanes[3], int i) { return (kin_vec3){lanes[0][i], lanes[1][i], lanes[2][i]}; }
static inline void kin_lane_put(double* const lanes[3], int i, kin_vec3 value)
{
    lanes[0][i] = value.x;
    lanes[1][i] = value.y;
    lanes[2][i] = value.z;
}

/* The last rows of every field's table: its def begins with a kin_field_common. */
#define KIN_COMMON(member) offsetof(kin_field_common, member)
#define KIN_FIELD_COMMON_ROWS                                                                                                                                  \
    {.name = "strength", .type = KIN_PARAM_CURVE, .offset = KIN_COMMON(strength), .doc = "Factor over time, by keys; 1 when not given."},                      \
        {.name = "region",                                                                                                                                     \
         .type = KIN_PARAM_ONE_OF,                                                                                                                             \
         .offset = KIN_COMMON(region),                                                                                                                         \
         .doc = "Where it is felt; everywhere when not given.",                                                                                                \
         .sub = kin_region_params,                                                                                                                             \
         .sub_size = sizeof(kin_region),                                                                                                                       \
         .tag_offset = offsetof(kin_region, kind),                                                                                                             \
         .preset = {KIN_REGION_EVERYWHERE}},                                                                                                                   \
        KIN_REGION_PLACE_ROWS(KIN_COMMON(center), KIN_COMMON(motion), KIN_PARAM_LIVE),                                                                         \
        {.name = "drop",                                                                                                                                       \
         .type = KIN_PARAM_ENUM,                                                                                                                               \
         .offset = KIN_COMMON(drop),                                                                                                                           \
         .doc = "How it fades towards the region's edge: not, linearly, or (boxes) each component along its own axis.",                                        \
         .names = kin_drop_names,                                                                                                                              \
         .flags = KIN_PARAM_LIVE},                                                                                                                             \
        {.name = "depth",                                                                                                                                      \
         .type = KIN_PARAM_NUMBER,                                                                                                                             \
         .offset = KIN_COMMON(depth),                                                                                                                          \
         .unit = "m",                                                                                                                                          \
         .doc = "Over which a plane's region fades in, with linear drop.",                                                                                     \
         .high = 1e300,                                                                                                                                        \
         .preset = {1},                                                                                                                                        \
         .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},                                                                                                        \
        {.name = "age",                                                                                                                                        \
         .type = KIN_PARAM_TWO,                                                                                                                                \
         .offset = KIN_COMMON(age),                                                                                                                            \
         .unit = "s",                                                                                                                                          \
         .doc = "Felt from the first to the second age of a point; {0, 0}: always.",                                                                           \
         .high = 1e300,                                                                                                                                        \
         .flags = KIN_PARAM_LIVE},                                                                                                                             \
        {.name = "fade",                                                                                                                                       \
         .type = KIN_PARAM_NUMBER,                                                                                                                             \
         .offset = KIN_COMMON(fade),                                                                                                                           \
         .unit = "s",                                                                                                                                          \
         .doc = "Over which it fades in and out at those ages.",                                                                                               \
         .high = 1e300,                                                                                                                                        \
         .flags = KIN_PARAM_LIVE},                                                                                                                             \
        {.name = "tags",                                                                                                                                       \
         .type = KIN_PARAM_TEXTS,                                                                                                                              \
         .offset = KIN_COMMON(tags),                                                                                                                           \
         .doc = "Felt only by points of a kind, and fluid of a phase, with one of these names; all when not given."},                                          \
    {                                                                                                                                                          \
        0                                                                                                                                                      \
    }
