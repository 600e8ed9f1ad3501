/* field_vortex.c - a whirl inside a cylinder. House & Keyser 5.2.2.
 *
 * The text turns the velocity by which a point is carried, by w h each step. That does not add up from step to step, so nothing goes round; what is meant, and
 * done unless asked otherwise, is that the point itself turns about the axis by w h: its distance from the axis stays. */
#include "math/mat3.h"
#include "system/field_kinds.h"

/* A point's place in the cylinder. */
typedef struct place {
    kin_vec3 axis, out; /* unit; from the axis to the point, m */
    double rate;        /* rad/s; 0: outside */
} place;

static double power(double ratio, double tightness)
{
    if (tightness == 2) return ratio * ratio;
    if (tightness == 1) return ratio;
    return kin_pow(ratio, tightness);
}

/* The edge belongs to the cylinder, rounding and all: who turns on it goes on turning. */
static place place_of(const kin_vortex_field* d, kin_vec3 x)
{
    const double edge = 1 + 1e-9;
    place p = {.axis = kin_normalize_or(d->axis, kin_v(0, 1, 0))};
    kin_vec3 from = kin_sub(x, d->base);
    double along = kin_dot(from, p.axis);
    p.out = kin_add_scaled(from, -along, p.axis);
    double r = kin_length(p.out);
    if (!(along >= 0 && along <= d->length && r <= d->radius * edge)) return p;
    double turns = r > 0 ? kin_min(d->max_rate, kin_abs(d->vortex) * power(d->radius / r, d->tightness)) : 0;
    p.rate = 2 * KIN_PI * (d->vortex < 0 ? -turns : turns);
    return p;
}

static void vortex_air(const kin_field* field, const kin_field_batch* b)
{
    for (int i = 0; i < b->count; ++i) {
        place p = place_of(field->def, kin_batch_position(b, i));
        if (p.rate != 0) kin_lane_put(b->air, i, kin_add_scaled(kin_lane_get(b->air, i), p.rate, kin_cross(p.axis, p.out)));
    }
}

static void vortex_carry(const kin_field* field, const kin_field_after* after)
{
    const kin_vortex_field* d = field->def;
    for (int i = 0; i < after->batch->count; ++i) {
        place p = place_of(d, kin_batch_position(after->batch, i));
        if (p.rate == 0) continue;
        kin_mat3 turn = kin_mat3_rotation(p.axis, p.rate * after->h);
        kin_vec3 v = kin_lane_get(after->carried, i);
        kin_vec3 moved = kin_scale(kin_sub(kin_mat3_apply(turn, p.out), p.out), 1 / after->h);
        kin_lane_put(after->carried, i, d->acts == KIN_VORTEX_CARRY ? kin_add(v, moved) : kin_mat3_apply(turn, v));
    }
}

static bool vortex_acts(const void* def, kin_field_place where)
{
    return (((const kin_vortex_field*)def)->acts == KIN_VORTEX_AIR) == (where == KIN_FIELD_MEDIUM);
}

static const char* const acts_names[] = {"carry", "velocity", "air", NULL};
#define AT(member) offsetof(kin_vortex_field, member)
static const kin_param vortex_params[] = {
    {.name = "vortex",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(vortex),
     .unit = "turns/s",
     .doc = "Rate of turning at the cylinder's radius; below 0 it turns the other way.",
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {.name = "max_rate",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(max_rate),
     .unit = "turns/s",
     .doc = "Nothing turns faster than this, however near the axis.",
     .high = 1e300,
     .preset = {10},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "tightness",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(tightness),
     .doc = "The rate grows towards the axis with this power of 1/r: 2 as in a free vortex, 0 turns as one.",
     .low = -8,
     .high = 8,
     .preset = {2},
     .flags = KIN_PARAM_LIVE},
    {.name = "base", .type = KIN_PARAM_VECTOR, .offset = AT(base), .unit = "m", .doc = "Centre of the cylinder's lower end.", .flags = KIN_PARAM_LIVE},
    {.name = "axis", .type = KIN_PARAM_DIRECTION, .offset = AT(axis), .doc = "From the base to the other end.", .preset = {0, 1, 0}, .flags = KIN_PARAM_LIVE},
    {.name = "length",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(length),
     .unit = "m",
     .doc = "Of the cylinder.",
     .high = 1e300,
     .preset = {1},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "radius",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(radius),
     .unit = "m",
     .doc = "Of the cylinder.",
     .high = 1e150,
     .preset = {1},
     .flags = KIN_PARAM_LIVE | KIN_PARAM_OPEN_LOW},
    {.name = "acts",
     .type = KIN_PARAM_ENUM,
     .offset = AT(acts),
     .doc = "Turns points about the axis, their momentum untouched; or, by the letter of the text, the velocity by which they are carried; or the air.",
     .names = acts_names},
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_vortex_ops = {
    .name = "vortex",
    .doc = "A whirl inside a cylinder.",
    .params = vortex_params,
    .def_size = sizeof(kin_vortex_field),
    .medium = KIN_ANY_WIDTH(vortex_air),
    .carry = KIN_ANY_WIDTH(vortex_carry),
    .acts = vortex_acts,
};
