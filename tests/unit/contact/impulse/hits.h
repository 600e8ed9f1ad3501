/* hits.h - bodies and meetings for tests of impulses and forces: balls, rods, random pairs, and what they carry. */
#pragma once
#include "base/rng.h"
#include "contact/body.h"
#include "contact/impulse/impulse.h"
#include "math/random.h"
#include <math.h>
#include <string.h>

typedef struct dice {
    kin_rng_key key;
    uint32_t draw;
} dice;

static inline double roll(dice* d, double low, double high) { return kin_rng_uniform(&d->key, d->draw++, low, high); }
static inline kin_vec3 roll3(dice* d, double size) { return kin_v(roll(d, -size, size), roll(d, -size, size), roll(d, -size, size)); }
static inline kin_vec3 roll_direction(dice* d) { return kin_rng_direction(&d->key, d->draw++); }
static inline kin_quat roll_turn(dice* d) { return kin_quat_from_rotation_vector(kin_scale(roll_direction(d), roll(d, 0, 3))); }

static inline kin_body body_of(double mass, kin_vec3 moments, kin_vec3 position, kin_vec3 velocity)
{
    kin_body b = {.position = position, .orientation = {0, 0, 0, 1}, .velocity = velocity, .mass = mass, .inv_mass = 1 / mass, .moments = moments};
    b.inv_moments = kin_v(moments.x > 0 ? 1 / moments.x : 0, moments.y > 0 ? 1 / moments.y : 0, moments.z > 0 ? 1 / moments.z : 0);
    return b;
}

static inline kin_body ball_of(double mass, double radius, kin_vec3 position, kin_vec3 velocity)
{
    double i = 0.4 * mass * radius * radius;
    return body_of(mass, kin_v(i, i, i), position, velocity);
}

static inline kin_body box_of(double mass, kin_vec3 size, kin_vec3 position)
{
    kin_vec3 s = kin_mul(size, size);
    return body_of(mass, kin_scale(kin_v(s.y + s.z, s.x + s.z, s.x + s.y), mass / 12), position, kin_v(0, 0, 0));
}

/* Thin, along x. */
static inline kin_body rod_of(double mass, double length, kin_vec3 position, kin_vec3 velocity)
{
    double i = mass * length * length / 12;
    return body_of(mass, kin_v(0, i, i), position, velocity);
}

static inline kin_body point_of(double mass, kin_vec3 position, kin_vec3 velocity) { return body_of(mass, kin_v(0, 0, 0), position, velocity); }

static inline kin_body random_body(dice* d)
{
    double x = roll(d, 0.2, 1), y = roll(d, 0.2, 1), z = roll(d, 0.2, 1); /* sums of squares: real moments */
    double mass = roll(d, 0.5, 3);
    kin_body b = body_of(mass, kin_scale(kin_v(y * y + z * z, x * x + z * z, x * x + y * y), mass / 3), roll3(d, 1), roll3(d, 2));
    b.orientation = roll_turn(d);
    b.spin = roll3(d, 3);
    return b;
}

/* Two bodies that approach each other at a point near both. */
static inline kin_meeting random_meeting(dice* d, const kin_body* bodies, uint32_t a, uint32_t b)
{
    kin_meeting m = {.a = a, .b = b, .normal = roll_direction(d), .restitution = roll(d, 0, 1), .friction = {roll(d, 0, 1.2), roll(d, 0, 1.2)}};
    kin_vec3 at = a != KIN_NO_BODY ? bodies[a].position : bodies[b].position, other = b != KIN_NO_BODY ? bodies[b].position : at;
    m.point = kin_add(kin_lerp(at, other, 0.5), roll3(d, 0.6));
    kin_vec3 v = kin_v(0, 0, 0);
    if (a != KIN_NO_BODY) v = kin_body_velocity_at(&bodies[a], m.point);
    if (b != KIN_NO_BODY) v = kin_sub(v, kin_body_velocity_at(&bodies[b], m.point));
    if (kin_dot(v, m.normal) > 0) m.normal = kin_neg(m.normal);
    if (roll(d, 0, 1) < 0.5) m.tangent = kin_cross(m.normal, roll_direction(d));
    return m;
}

typedef struct totals {
    kin_vec3 momentum, angular;
    double energy;
} totals;

static inline totals totals_of(const kin_body* bodies, int count)
{
    totals t = {.energy = 0};
    for (int i = 0; i < count; ++i) {
        const kin_body* b = &bodies[i];
        kin_vec3 p = kin_scale(b->velocity, b->mass);
        t.momentum = kin_add(t.momentum, p);
        t.angular = kin_add(t.angular, kin_add(kin_cross(b->position, p), kin_body_angular_momentum(b)));
        t.energy += kin_body_kinetic(b);
    }
    return t;
}

static inline kin_vec3 velocity_between(const kin_body* bodies, const kin_meeting* m)
{
    kin_vec3 v = m->surface;
    if (m->a != KIN_NO_BODY) v = kin_add(v, kin_body_velocity_at(&bodies[m->a], m->point));
    if (m->b != KIN_NO_BODY) v = kin_sub(v, kin_body_velocity_at(&bodies[m->b], m->point));
    return v;
}
