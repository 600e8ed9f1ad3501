/* pattern.h - procedural colour of surfaces: a factor on the look's colour as a function of place. What is finer than a ray's footprint is left out, so that nothing
 * shimmers. */
#pragma once
#include "kinema/frame.h"
#include "render/vec.h"

/* A place on a surface in the axes of its body, m. */
typedef struct kin_spot {
    kin_vec position, normal;
    int grain;       /* axis that wood grows along: 0, 1, 2 */
    float footprint; /* m: width of the ray there */
} kin_spot;

kin_vec kin_pattern_color(const kin_look* look, kin_vec color, const kin_spot* spot);
/* Unevenness of a ground that has no pattern, without a scale of its own: the same for a picture of a millimetre and of a kilometre. Mean 1. at: m, of period
 * KIN_GROUND_PERIOD. */
#define KIN_GROUND_PERIOD 4096
float kin_pattern_ground(kin_pair at, float footprint);
/* Cloud cover, 0..1, of the sky in a direction. share: 0 clear .. 1 overcast. */
float kin_pattern_clouds(kin_vec direction, float share);

/* Spheres that a point of the pattern is drawn as: 1 but for grains and droplets. */
uint32_t kin_pattern_spheres(kin_surface_pattern pattern);
/* Centre of one of them in radii of the point, and its radius in w. */
kin_vec kin_pattern_sphere(kin_surface_pattern pattern, uint64_t id, uint32_t sphere);
/* A factor on its colour. */
float kin_pattern_sphere_shade(kin_surface_pattern pattern, uint64_t id, uint32_t sphere);
