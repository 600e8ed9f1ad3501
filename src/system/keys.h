/* keys.h - key frames: poses over time, by which colliders and animated bodies move. */
#pragma once
#include "kinema/base.h"
#include "kinema/anchor.h"
#include "kinema/collider.h"
#include "math/quat.h"
#include "system/motion_path.h"

/* As arrays, for the splines. */
typedef struct kin_keys {
    size_t count; /* with a path: 1, the pose at time 0 */
    double* times;
    kin_vec3* positions;
    kin_quat* orientations;
    kin_motion_path* path; /* NULL: none; else poses are its */
} kin_keys;

bool kin_keys_alloc(const kin_allocator* allocator, size_t count, kin_keys* out); /* out is empty; false: out of memory */
bool kin_keys_copy(const kin_allocator* allocator, const kin_keys* keys, kin_keys* out);
void kin_keys_free(const kin_allocator* allocator, kin_keys* keys);

/* Finite, and rising in time; errors name keys[i]. */
kin_result kin_keys_check(const kin_key* keys, size_t count, kin_error* error);
bool kin_keys_make(const kin_allocator* allocator, const kin_key* keys, size_t count, kin_keys* out); /* false: out of memory */
/* Of a thing at `origin` with these keys, or with this path. Errors name keys[i] or a member of path. On failure out is empty. */
kin_result kin_keys_create(const kin_allocator* allocator, const kin_key* keys, size_t count, const kin_path_def* path, kin_transform origin, kin_keys* out,
                           kin_error* error);
static inline bool kin_path_is_given(const kin_path_def* path) { return path->points.count > 0; }
/* Smooth: splines through the keys; else straight lines and slerp. Ends hold. At least one key. */
kin_transform kin_keys_pose(const kin_keys* keys, bool smooth, double time);
/* The first time after `from` and before `to` at which velocity or acceleration may jump: a key, an end or a corner of a path, a key of its speed; `to`: none. */
double kin_keys_next_break(const kin_keys* keys, double from, double to);
/* Velocity and angular velocity at one end of a stretch without breaks, as seen from inside it: `begin` or else at its end. */
kin_twist kin_keys_rate(const kin_keys* keys, bool smooth, double from, double to, bool begin);
