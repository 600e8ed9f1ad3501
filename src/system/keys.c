/* keys.c - key frames: checked, copied, and the pose between them (H8.4). */
#include "system/keys.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/spline.h"
#include <stdio.h>
#include <string.h>

bool kin_keys_alloc(const kin_allocator* allocator, size_t count, kin_keys* out)
{
    *out = (kin_keys){.count = count};
    if (count == 0) return true;
    out->times = kin_alloc(allocator, kin_bytes(count, sizeof *out->times));
    out->positions = kin_alloc(allocator, kin_bytes(count, sizeof *out->positions));
    out->orientations = kin_alloc(allocator, kin_bytes(count, sizeof *out->orientations));
    if (out->times != NULL && out->positions != NULL && out->orientations != NULL) return true;
    kin_keys_free(allocator, out);
    return false;
}

bool kin_keys_copy(const kin_allocator* allocator, const kin_keys* keys, kin_keys* out)
{
    if (!kin_keys_alloc(allocator, keys->count, out)) return false;
    out->path = keys->path != NULL ? kin_motion_path_keep(keys->path) : NULL;
    if (keys->count == 0) return true;
    memcpy(out->times, keys->times, keys->count * sizeof *keys->times);
    memcpy(out->positions, keys->positions, keys->count * sizeof *keys->positions);
    memcpy(out->orientations, keys->orientations, keys->count * sizeof *keys->orientations);
    return true;
}

void kin_keys_free(const kin_allocator* allocator, kin_keys* keys)
{
    kin_free(allocator, keys->times, keys->count * sizeof *keys->times);
    kin_free(allocator, keys->positions, keys->count * sizeof *keys->positions);
    kin_free(allocator, keys->orientations, keys->count * sizeof *keys->orientations);
    kin_motion_path_drop(keys->path);
    *keys = (kin_keys){0};
}

kin_result kin_keys_check(const kin_key* keys, size_t count, kin_error* error)
{
    for (size_t i = 0; i < count; ++i) {
        const kin_key* key = &keys[i];
        char where[32];
        snprintf(where, sizeof where, "keys[%zu]", i);
        if (!kin_finite(key->time) || !kin_finite3(key->position)) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "time and position must be finite");
        if (i > 0 && !(key->time > keys[i - 1].time))
            return kin_fail(error, KIN_ERROR_ARGUMENT, where, "t = %g must be later than the key before, %g (s)", key->time, keys[i - 1].time);
    }
    return KIN_OK;
}

bool kin_keys_make(const kin_allocator* allocator, const kin_key* keys, size_t count, kin_keys* out)
{
    if (!kin_keys_alloc(allocator, count, out)) return false;
    for (size_t i = 0; i < count; ++i) {
        out->times[i] = keys[i].time;
        out->positions[i] = keys[i].position;
        out->orientations[i] = kin_quat_normalize(keys[i].orientation);
    }
    return true;
}

/* One key at its start, so that whatever has keys has a path too. */
static kin_result follow(const kin_allocator* allocator, const kin_path_def* def, kin_transform origin, kin_keys* out, kin_error* error)
{
    kin_motion_path* path;
    kin_result result = kin_motion_path_create(allocator, def, origin, &path, error);
    if (result != KIN_OK) return result;
    const kin_transform start = kin_motion_path_pose(path, 0);
    if (!kin_keys_make(allocator, &(kin_key){0, start.position, start.orientation}, 1, out)) {
        kin_motion_path_drop(path);
        return kin_fail_memory(error, "a path", sizeof *out);
    }
    out->path = path;
    return KIN_OK;
}

kin_result kin_keys_create(const kin_allocator* allocator, const kin_key* keys, size_t count, const kin_path_def* path, kin_transform origin, kin_keys* out,
                           kin_error* error)
{
    *out = (kin_keys){0};
    if (kin_path_is_given(path)) {
        if (count > 0) return kin_fail(error, KIN_ERROR_ARGUMENT, "path", "stands beside keys: a thing follows one of them");
        return follow(allocator, path, origin, out, error);
    }
    kin_result result = kin_keys_check(keys, count, error);
    if (result == KIN_OK && !kin_keys_make(allocator, keys, count, out)) result = kin_fail_memory(error, "keys", count * sizeof *keys);
    return result;
}

kin_transform kin_keys_pose(const kin_keys* k, bool smooth, double time)
{
    if (k->path != NULL) return kin_motion_path_pose(k->path, time);
    int n = (int)k->count, i = kin_spline_interval(k->times, n, time);
    if (smooth) return (kin_transform){kin_spline_vec3(k->times, k->positions, n, time, NULL), kin_spline_quat(k->times, k->orientations, n, time)};
    if (n == 1) return (kin_transform){k->positions[0], k->orientations[0]};
    double s = kin_clamp((time - k->times[i]) / (k->times[i + 1] - k->times[i]), 0, 1);
    return (kin_transform){kin_lerp(k->positions[i], k->positions[i + 1], s), kin_quat_slerp(k->orientations[i], k->orientations[i + 1], s)};
}

/* ---- rates ---- */

double kin_keys_next_break(const kin_keys* k, double from, double to)
{
    if (k->path != NULL) return kin_motion_path_next_break(k->path, from, to);
    for (size_t i = (size_t)kin_spline_interval(k->times, (int)k->count, from); i < k->count; ++i) {
        if (k->times[i] > from) return kin_min(k->times[i], to);
    }
    return to;
}

/* Differences of five poses from the end inwards: off by d^4 / 5 of the fifth derivative, and by rounding over d. Of the rotation vector from the orientation there,
 * whose rate is the angular velocity. */
kin_twist kin_keys_rate(const kin_keys* k, bool smooth, double from, double to, bool begin)
{
    enum { POSES = 5 };
    static const double weights[POSES] = {-25.0 / 12, 4, -3, 4.0 / 3, -1.0 / 4};
    const double longest = 1e-3, d = (begin ? 1 : -1) * kin_min(longest, (to - from) / (POSES - 1)), at = begin ? from : to;
    const kin_transform here = kin_keys_pose(k, smooth, at);
    kin_twist rate = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 1; i < POSES; ++i) {
        const kin_transform there = kin_keys_pose(k, smooth, at + i * d);
        const kin_vec3 turn = kin_quat_rotation_vector(kin_quat_mul(there.orientation, kin_quat_conj(here.orientation)));
        rate.velocity = kin_add_scaled(rate.velocity, weights[i] / d, kin_sub(there.position, here.position));
        rate.spin = kin_add_scaled(rate.spin, weights[i] / d, turn);
    }
    return rate;
}
