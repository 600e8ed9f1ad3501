/* flock.h - what the files of flocks and hunters share. */
#pragma once
#include "kinema/steer.h"
#include "math/vec3.h"
#include "system/field.h"

/* House & Keyser 6.5.3: demands in order of importance, each cut to what the sum of those before leaves of the limit; 0: no limit. The rest is limit - |sum|, of
 * the vector, so the result is never longer than the limit. What follows the first demand may not work against it. */
kin_vec3 kin_flock_share(const kin_vec3* demands, int count, double limit);

/* Bits of tags; where names the row. */
kin_result kin_flock_tags(kin_fields* fields, const kin_names* names, const char* where, uint64_t* bits, kin_error* error);

static inline kin_vec3 kin_cloud_place(const kin_mutual_cloud* c, uint32_t i) { return kin_v(c->x[0][i], c->x[1][i], c->x[2][i]); }
static inline kin_vec3 kin_cloud_velocity(const kin_mutual_cloud* c, uint32_t i) { return kin_v(c->v[0][i], c->v[1][i], c->v[2][i]); }
static inline kin_vec3 kin_cloud_acceleration(const kin_mutual_cloud* c, uint32_t i)
{
    return kin_v(c->acceleration[0][i], c->acceleration[1][i], c->acceleration[2][i]);
}
static inline void kin_cloud_push(const kin_mutual_cloud* c, uint32_t i, kin_vec3 a)
{
    c->acceleration[0][i] += a.x;
    c->acceleration[1][i] += a.y;
    c->acceleration[2][i] += a.z;
}
static inline bool kin_cloud_has(const kin_mutual_cloud* c, uint32_t i, uint64_t tags) { return c->tags != NULL && (c->tags[i] & tags) != 0; }

/* Without what is along the normal of the ground; a zero normal takes nothing away. */
static inline kin_vec3 kin_flock_level(kin_vec3 a, kin_vec3 normal) { return kin_add_scaled(a, -kin_dot(a, normal), normal); }

/* The nearest of some points of the cloud, but for `self`, within range (0: any); UINT32_MAX: none. The first of equals. */
uint32_t kin_flock_nearest(const kin_mutual_cloud* cloud, const uint32_t* points, uint32_t count, uint32_t self, double range);
