/* field_affine.c - operators on the velocity by which points are carried, in order of creation: translate, rotate, scale. What they do to a step is not kept:
 * the momentum stays as it was. House & Keyser 5.2.1. A deviation makes each point's parameter its own, drawn once for its whole life. */
#include "math/mat3.h"
#include "math/random.h"
#include "system/field_kinds.h"

static double own_deviation(const kin_field* field, const kin_field_batch* b, int i, uint32_t draw, double deviation)
{
    kin_rng_key key = kin_field_key(field, b, i, 0);
    return deviation > 0 ? kin_rng_normal(&key, draw, 0, deviation) : 0;
}

static void translate(const kin_field* field, const kin_field_after* after)
{
    const kin_translate_field* d = field->def;
    const double by[3] = {d->translate.x, d->translate.y, d->translate.z};
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < after->batch->count; ++i) after->carried[axis][i] += by[axis] + own_deviation(field, after->batch, i, (uint32_t)axis, d->deviation);
    }
}

static void rotate(const kin_field* field, const kin_field_after* after)
{
    const kin_rotate_field* d = field->def;
    kin_vec3 axis = kin_normalize_or(d->axis, kin_v(0, 1, 0));
    kin_mat3 turn = kin_mat3_rotation(axis, d->rotate);
    for (int i = 0; i < after->batch->count; ++i) {
        if (d->deviation > 0) turn = kin_mat3_rotation(axis, d->rotate + own_deviation(field, after->batch, i, 0, d->deviation));
        kin_lane_put(after->carried, i, kin_mat3_apply(turn, kin_lane_get(after->carried, i)));
    }
}

static void scale(const kin_field* field, const kin_field_after* after)
{
    const kin_scale_field* d = field->def;
    for (int i = 0; i < after->batch->count; ++i) {
        double by = d->scale + own_deviation(field, after->batch, i, 0, d->deviation);
        kin_lane_put(after->carried, i, kin_scale(kin_lane_get(after->carried, i), by));
    }
}

#define DEVIATION(def, of)                                                                                                                                     \
    {                                                                                                                                                          \
        .name = "deviation", .type = KIN_PARAM_NUMBER, .offset = offsetof(def, deviation), .unit = of,                                                         \
        .doc = "Standard deviation between points; each draws its own once.", .high = 1e300, .flags = KIN_PARAM_LIVE                                           \
    }

static const kin_param translate_params[] = {
    {.name = "translate",
     .type = KIN_PARAM_VECTOR,
     .offset = offsetof(kin_translate_field, translate),
     .unit = "m/s",
     .doc = "Carries points along by this, beside their own motion.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    DEVIATION(kin_translate_field, "m/s"),
    KIN_FIELD_COMMON_ROWS,
};
static const kin_param rotate_params[] = {
    {.name = "rotate",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_rotate_field, rotate),
     .unit = "rad",
     .doc = "Angle by which the way of a point is turned away from its velocity.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {.name = "axis",
     .type = KIN_PARAM_DIRECTION,
     .offset = offsetof(kin_rotate_field, axis),
     .doc = "About which it turns.",
     .preset = {0, 1, 0},
     .flags = KIN_PARAM_LIVE},
    DEVIATION(kin_rotate_field, "rad"),
    KIN_FIELD_COMMON_ROWS,
};
static const kin_param scale_params[] = {
    {.name = "scale",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_scale_field, scale),
     .doc = "Factor of the way of a point over its velocity.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    DEVIATION(kin_scale_field, NULL),
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_translate_ops = {
    .name = "translate",
    .doc = "Carries points along, their momentum untouched.",
    .params = translate_params,
    .def_size = sizeof(kin_translate_field),
    .wants = KIN_FIELD_WANTS_SERIAL,
    .carry = KIN_ANY_WIDTH(translate),
};
const kin_field_ops kin_field_rotate_ops = {
    .name = "rotate",
    .doc = "Turns the way of points, their momentum untouched.",
    .params = rotate_params,
    .def_size = sizeof(kin_rotate_field),
    .wants = KIN_FIELD_WANTS_SERIAL,
    .carry = KIN_ANY_WIDTH(rotate),
};
const kin_field_ops kin_field_scale_ops = {
    .name = "scale",
    .doc = "Makes the way of points longer or shorter, their momentum untouched.",
    .params = scale_params,
    .def_size = sizeof(kin_scale_field),
    .wants = KIN_FIELD_WANTS_SERIAL,
    .carry = KIN_ANY_WIDTH(scale),
};
