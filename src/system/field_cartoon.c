/* field_cartoon.c - the delayed fall of cartoons. House & Keyser 2.1.
 *
 * Let t be the time since a point should have begun to fall, v0 its velocity then and g the acceleration: by Newton it is at x0 + v0 t + g t^2 / 2. It is shown
 * at that plus an offset D(t):
 *
 *     hanging, t in [0, P]         D = -(v0 t + g t^2 / 2)             it stays at x0
 *     catching up, t in [P, P+C]   the cubic from D(P), D'(P) to 0, 0   from rest at x0 to where and as fast as Newton has it
 *
 * and D = 0 before and after. Momentum never knows: v0 = v - g t at any time, so a step adds (D(t + h) - D(t)) / h to what carries the point. The sum of that over
 * steps of any size telescopes to 0: the path that follows is the Newtonian one to rounding, as long as g is all there is. */
#include "math/vec3.h"
#include "system/field_kinds.h"

static kin_vec3 way(kin_vec3 v0, kin_vec3 g, double t) { return kin_add(kin_scale(v0, t), kin_scale(g, 0.5 * t * t)); }

static kin_vec3 offset_at(const kin_cartoon_field* d, kin_vec3 v0, double t)
{
    if (t <= 0 || t >= d->cartoon + d->catch_up) return kin_v(0, 0, 0);
    if (t <= d->cartoon) return kin_neg(way(v0, d->fall, t));
    double s = (t - d->cartoon) / d->catch_up, rest = 1 - s;
    kin_vec3 behind = kin_neg(way(v0, d->fall, d->cartoon)), slope = kin_neg(kin_add_scaled(v0, d->cartoon, d->fall));
    return kin_add_scaled(kin_scale(behind, (1 + 2 * s) * rest * rest), d->catch_up * s * rest * rest, slope);
}

static void cartoon(const kin_field* field, const kin_field_after* after)
{
    const kin_cartoon_field* d = field->def;
    const kin_field_batch* b = after->batch;
    double last = d->cartoon + d->catch_up;
    for (int i = 0; i < b->count; ++i) {
        double t = (b->age != NULL ? b->age[i] : b->time) - d->begin;
        if (t + after->h <= 0 || t >= last) continue;
        kin_vec3 v0 = kin_add_scaled(kin_v(b->velocity[0][i], b->velocity[1][i], b->velocity[2][i]), -t, d->fall);
        kin_vec3 moved = kin_sub(offset_at(d, v0, t + after->h), offset_at(d, v0, t));
        kin_lane_put(after->carried, i, kin_add_scaled(kin_lane_get(after->carried, i), 1 / after->h, moved));
    }
}

#define AT(member) offsetof(kin_cartoon_field, member)
static const kin_param cartoon_params[] = {
    {.name = "cartoon",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(cartoon),
     .unit = "s",
     .doc = "How long a point hangs in the air before it falls.",
     .high = 1e300,
     .flags = KIN_PARAM_REQUIRED},
    {.name = "begin", .type = KIN_PARAM_NUMBER, .offset = AT(begin), .unit = "s", .doc = "Age at which it begins to hang.", .high = 1e300},
    {.name = "catch_up",
     .type = KIN_PARAM_NUMBER,
     .offset = AT(catch_up),
     .unit = "s",
     .doc = "How long it then takes to be where it would have been anyway.",
     .high = 1e300,
     .preset = {0.5},
     .flags = KIN_PARAM_OPEN_LOW},
    {.name = "fall",
     .type = KIN_PARAM_VECTOR,
     .offset = AT(fall),
     .unit = "m/s^2",
     .doc = "The acceleration it catches up with: the sum of all gravities.",
     .preset = {0, -9.81, 0}},
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_cartoon_ops = {
    .name = "cartoon",
    .doc = "A delayed fall: points hang in the air, then catch up with where they should be.",
    .params = cartoon_params,
    .def_size = sizeof(kin_cartoon_field),
    .wants = KIN_FIELD_WANTS_AGE,
    .carry = KIN_ANY_WIDTH(cartoon),
};
