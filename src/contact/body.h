/* body.h - a rigid body as a contact solver sees it: mass, place and motion. Shape, material and owner are beside it (bodies.h).
 *
 * The frame of a body has its origin at the centre of mass and lies along the principal axes, so that inertia is three numbers (C1.4.1a, H9.5). */
#pragma once
#include "math/mat3.h"
#include "math/quat.h"
#include "math/sym3.h"

#define KIN_NO_BODY UINT32_MAX /* the world: fixed, of infinite mass, its frame that of the world */

typedef struct kin_body {
    kin_vec3 position;       /* of the centre of mass, m */
    kin_quat orientation;    /* of the principal axes, unit */
    kin_vec3 velocity, spin; /* m/s, rad/s; world axes */
    double mass, inv_mass;   /* kg, 1/kg; inv_mass 0: forces do not move it */
    kin_vec3 moments;        /* principal, kg m^2 */
    kin_vec3 inv_moments;    /* 1/(kg m^2); 0: not turned by forces */
} kin_body;

static inline kin_body kin_body_fixed(void) { return (kin_body){.orientation = {0, 0, 0, 1}}; }
static inline kin_transform kin_body_pose(const kin_body* b) { return (kin_transform){b->position, b->orientation}; }

/* R diag(d) R^T times v: inertia in the world without forming the tensor. */
static inline kin_vec3 kin_body_turned(const kin_body* b, kin_vec3 d, kin_vec3 v)
{
    kin_vec3 u = kin_unrotate(b->orientation, v);
    return kin_rotate(b->orientation, (kin_vec3){d.x * u.x, d.y * u.y, d.z * u.z});
}
static inline kin_vec3 kin_body_inertia_times(const kin_body* b, kin_vec3 v) { return kin_body_turned(b, b->moments, v); }
static inline kin_vec3 kin_body_inv_inertia_times(const kin_body* b, kin_vec3 v) { return kin_body_turned(b, b->inv_moments, v); }
static inline kin_sym3 kin_body_inv_inertia(const kin_body* b)
{
    return kin_sym3_rotate(kin_quat_to_matrix(b->orientation), kin_sym3_diagonal(b->inv_moments));
}

static inline kin_vec3 kin_body_velocity_at(const kin_body* b, kin_vec3 point) { return kin_add(b->velocity, kin_cross(b->spin, kin_sub(point, b->position))); }
static inline kin_vec3 kin_body_angular_momentum(const kin_body* b) { return kin_body_inertia_times(b, b->spin); } /* about its centre */
static inline double kin_body_kinetic(const kin_body* b)
{
    return b->inv_mass > 0 ? 0.5 * (b->mass * kin_length2(b->velocity) + kin_dot(b->spin, kin_body_inertia_times(b, b->spin))) : 0;
}

/* P (N s) at a point, and a pure angular impulse (N m s). */
static inline void kin_body_push(kin_body* b, kin_vec3 point, kin_vec3 impulse, kin_vec3 angular)
{
    b->velocity = kin_add_scaled(b->velocity, b->inv_mass, impulse);
    b->spin = kin_add(b->spin, kin_body_inv_inertia_times(b, kin_add(angular, kin_cross(kin_sub(point, b->position), impulse))));
}

/* What P at `from` does to the velocity at `to`: K P, K = 1/m - ~r_to I^-1 ~r_from (C4.11.3). */
static inline kin_vec3 kin_body_response(const kin_body* b, kin_vec3 from, kin_vec3 impulse, kin_vec3 to)
{
    kin_vec3 spin = kin_body_inv_inertia_times(b, kin_cross(kin_sub(from, b->position), impulse));
    return kin_add_scaled(kin_cross(spin, kin_sub(to, b->position)), b->inv_mass, impulse);
}
