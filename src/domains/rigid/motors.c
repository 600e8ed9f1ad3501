/* motors.c - motors whose speed is a curve over time (Coutinho 5.8): before every interval each is set to the curve's mean over it, so that the turn or slide after any
 * number of intervals is the curve's integral, whatever their length. */
#include "base/alloc.h"
#include "base/error.h"
#include "domains/rigid/rigid.h"
#include "math/scalar.h"
#include "system/curve.h"
#include <stdio.h>
#include <string.h>

static kin_result refuse_key(int freedom, size_t key, const char* what, kin_error* error)
{
    char where[48];
    snprintf(where, sizeof where, "freedom[%d].speeds[%zu]", freedom, key);
    return kin_fail(error, KIN_ERROR_ARGUMENT, where, "%s", what);
}

static kin_result check_curve(const kin_curve* curve, int freedom, kin_error* error)
{
    for (size_t i = 0; i < curve->count; ++i) {
        if (!kin_finite(curve->keys[i].value[0])) return refuse_key(freedom, i, "the speed must be finite (m/s or rad/s)", error);
        if (!kin_finite(curve->keys[i].time) || (i > 0 && !(curve->keys[i].time > curve->keys[i - 1].time)))
            return refuse_key(freedom, i, "keys must rise in time", error);
    }
    if ((unsigned)curve->mode > KIN_CURVE_SMOOTH) return refuse_key(freedom, 0, "is of an unknown mode", error);
    return KIN_OK;
}

static kin_result add_motor(kin_rigid* r, uint32_t joint, int freedom, const kin_curve* curve, kin_error* error)
{
    kin_curve_key* keys = kin_arena_take(&r->arena, curve->count * sizeof *keys);
    if (keys == NULL || !kin_reserve(&r->allocator, (void**)&r->motors, &r->motor_capacity, r->motor_count + 1, sizeof *r->motors))
        return kin_fail_memory(error, "a motor", curve->count * sizeof *keys);
    memcpy(keys, curve->keys, curve->count * sizeof *keys);
    r->motors[r->motor_count++] = (kin_rigid_motor){.joint = joint, .freedom = freedom, .speeds = {keys, curve->count, curve->mode}};
    return KIN_OK;
}

kin_result kin_rigid_check_motors(const kin_joint_def* def, kin_error* error)
{
    kin_result result = KIN_OK;
    for (int k = 0; k < 2 && result == KIN_OK; ++k) result = check_curve(&def->freedom[k].speeds, k, error);
    return result;
}

kin_result kin_rigid_add_motors(kin_rigid* r, uint32_t joint, const kin_joint_def* def, kin_error* error)
{
    kin_result result = KIN_OK;
    for (int k = 0; k < 2 && result == KIN_OK; ++k) {
        if (def->freedom[k].speeds.count > 0) result = add_motor(r, joint, k, &def->freedom[k].speeds, error);
    }
    return result;
}

kin_result kin_rigid_copy_motors(kin_rigid* r, const kin_rigid* from, kin_error* error)
{
    kin_result result = KIN_OK;
    for (size_t i = 0; i < from->motor_count && result == KIN_OK; ++i) {
        const kin_rigid_motor* m = &from->motors[i];
        result = add_motor(r, m->joint, m->freedom, &m->speeds, error);
    }
    return result;
}

bool kin_rigid_has_motor(const kin_rigid* r, uint32_t joint, int freedom)
{
    for (size_t i = 0; i < r->motor_count; ++i) {
        if (r->motors[i].joint == joint && r->motors[i].freedom == freedom) return true;
    }
    return false;
}

/* The curve's mean from a to b; where it is constant its very value, so that a motor at its speed is not changed by rounding. */
static double mean(const kin_curve* curve, double a, double b)
{
    const double first = kin_curve_at(curve, a, 0);
    return first + (kin_curve_integral(curve, a, b, 0) - first * (b - a)) / (b - a);
}

void kin_rigid_run_motors(kin_rigid* r, const kin_step* step)
{
    for (size_t i = 0; i < r->motor_count; ++i) {
        const kin_rigid_motor* m = &r->motors[i];
        kin_joint* j = &r->group->joints[r->joints[m->joint]];
        const double speed = mean(&m->speeds, step->time, step->time + step->h);
        if (j->broken || speed == j->def.freedom[m->freedom].speed) continue;
        j->def.freedom[m->freedom].speed = speed;
        kin_rigid_joint_changed(r, j);
    }
}
