/* field_change.c - what is done to velocities after a step: random kicks and limits of speed. House & Keyser 5.1.2, 5.1.4. */
#include "base/error.h"
#include "math/random.h"
#include "math/vec3.h"
#include "system/field_kinds.h"

/* How many instants k / rate lie before t. The end of a step and the beginning of the next may differ by rounding; an instant so near both is not theirs to
 * split: it counts as after. */
static uint64_t instants_before(double t, double rate)
{
    const double slack = 1e-6;
    double n = kin_ceil(t * rate - slack);
    return n > 0 ? (uint64_t)n : 0;
}

/* The kicks of [time, time + h), of size S each: after n of them E|v|^2 = n S^2, whatever the step. */
static void kicks(const kin_field* field, const kin_field_after* after)
{
    const kin_kicks_field* d = field->def;
    const kin_field_batch* b = after->batch;
    uint64_t first = instants_before(b->time, d->rate), end = instants_before(b->time + after->h, d->rate);
    for (int i = 0; i < b->count; ++i) {
        for (uint64_t k = first; k < end; ++k) {
            kin_rng_key key = kin_field_key(field, b, i, k);
            kin_lane_put(after->velocity, i, kin_add_scaled(kin_lane_get(after->velocity, i), d->kicks, kin_rng_direction(&key, 0)));
        }
    }
}

/* Who is fast enough stays so; who is too slow gets no slower: the longer of v and the shorter of old and least, in the old direction. */
static kin_vec3 at_least(double least, kin_vec3 v, kin_vec3 old)
{
    double speed = kin_length(v), was = kin_length(old), floor = kin_min(was, least);
    if (speed >= floor) return v;
    return was <= least ? old : kin_scale(kin_normalize_or(old, kin_v(0, 0, 0)), least);
}

/* The same from above; in the new direction, so that forces across the way go on turning who is at the limit. */
static kin_vec3 at_most(double most, kin_vec3 v, kin_vec3 old)
{
    double speed = kin_length(v), ceiling = kin_max(kin_length(old), most);
    return speed <= ceiling ? v : kin_scale(kin_normalize_or(v, kin_v(0, 0, 0)), ceiling);
}

static void speed_limit(const kin_field* field, const kin_field_after* after)
{
    const kin_speed_limit_field* d = field->def;
    for (int i = 0; i < after->batch->count; ++i) {
        kin_vec3 v = kin_lane_get(after->velocity, i);
        kin_vec3 old = {after->batch->velocity[0][i], after->batch->velocity[1][i], after->batch->velocity[2][i]};
        if (d->least > 0) v = at_least(d->least, v, old);
        if (d->speed_limit > 0) v = at_most(d->speed_limit, v, old);
        kin_lane_put(after->velocity, i, v);
    }
}

static kin_result check_limits(kin_fields* fields, const void* def, kin_arena* arena, void** made, kin_error* error)
{
    (void)fields, (void)arena, (void)made;
    const kin_speed_limit_field* d = def;
    if (d->speed_limit == 0 && d->least == 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "speed_limit", "0 is no limit, and \"least\" is 0 too: nothing would be limited");
    if (d->speed_limit > 0 && d->least > d->speed_limit)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "least", "%g must be <= speed_limit, %g (m/s)", d->least, d->speed_limit);
    return KIN_OK;
}

static const kin_param kicks_params[] = {
    {.name = "kicks",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_kicks_field, kicks),
     .unit = "m/s",
     .doc = "Change of velocity by a kick, in a direction drawn anew each time.",
     .high = 1e300,
     .flags = KIN_PARAM_LIVE | KIN_PARAM_REQUIRED},
    {.name = "rate",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_kicks_field, rate),
     .unit = "1/s",
     .doc = "Kicks per second, at times that do not depend on the step.",
     .high = 1e5,
     .preset = {30},
     .flags = KIN_PARAM_OPEN_LOW},
    KIN_FIELD_COMMON_ROWS,
};
static const kin_param limit_params[] = {
    {.name = "speed_limit",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_speed_limit_field, speed_limit),
     .unit = "m/s",
     .doc = "Nothing is made faster than this; 0: no limit.",
     .high = 1e300,
     .flags = KIN_PARAM_LIVE},
    {.name = "least",
     .type = KIN_PARAM_NUMBER,
     .offset = offsetof(kin_speed_limit_field, least),
     .unit = "m/s",
     .doc = "Nothing is made slower than this; 0: no limit.",
     .high = 1e300,
     .flags = KIN_PARAM_LIVE},
    KIN_FIELD_COMMON_ROWS,
};

const kin_field_ops kin_field_kicks_ops = {
    .name = "kicks",
    .doc = "Random kicks, on a schedule of their own: snow, Brownian motion.",
    .params = kicks_params,
    .def_size = sizeof(kin_kicks_field),
    .wants = KIN_FIELD_WANTS_SERIAL,
    .change = KIN_ANY_WIDTH(kicks),
};
const kin_field_ops kin_field_speed_limit_ops = {
    .name = "speed_limit",
    .doc = "Limits of speed. Who is outside them may come in, but goes no further out.",
    .params = limit_params,
    .def_size = sizeof(kin_speed_limit_field),
    .change = KIN_ANY_WIDTH(speed_limit),
    .make = check_limits,
};
