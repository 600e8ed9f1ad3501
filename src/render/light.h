/* light.h - what shines: a sky from horizon to zenith, a sun with an apparent size, and the glowing points of a frame. */
#pragma once
#include "kinema/frame.h"
#include "render/vec.h"

typedef struct kin_sky {
    kin_vec sun_direction;
    kin_vec sun; /* irradiance on a surface that faces it */
    float cos_half_angle;
    kin_vec zenith, horizon;
    float clouds; /* share of the sky, 0..1 */
} kin_sky;

/* A light without any colour at all is taken as a clear day. */
kin_sky kin_sky_from(const kin_light* light);
kin_vec kin_sky_radiance(const kin_sky* sky, kin_vec direction);
/* Mean radiance of the sky over the half space of a normal, cosine weighted, nothing in the way. */
kin_vec kin_sky_ambient(const kin_sky* sky, kin_vec normal);

/* A glowing sphere (from == to) or streak. */
typedef struct kin_lamp {
    kin_vec from, to;
    float radius;
    float power; /* filled in by kin_lamps_add */
    kin_vec radiance;
} kin_lamp;

typedef struct kin_lamps {
    kin_allocator allocator;
    kin_lamp* data;
    float* reach; /* running sum of power, 0..1 */
    float power;  /* of all */
    size_t count, capacity, reach_capacity;
} kin_lamps;

bool kin_lamps_add(kin_lamps* lamps, const kin_lamp* lamp); /* false: out of memory */
bool kin_lamps_finish(kin_lamps* lamps);
void kin_lamps_term(kin_lamps* lamps);

/* Light from one lamp, chosen with regard to power and distance. */
typedef struct kin_lamp_light {
    kin_vec direction;
    float distance;     /* to just before the lamp */
    kin_vec irradiance; /* on a surface that faces it, divided by the chance of the choice */
} kin_lamp_light;
bool kin_lamps_sample(const kin_lamps* lamps, kin_vec position, kin_pair choice, kin_pair place, kin_lamp_light* out);
