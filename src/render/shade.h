/* shade.h - the light that comes back along one ray of the camera. */
#pragma once
#include "render/light.h"
#include "render/sample.h"
#include "render/scene.h"

typedef struct kin_shader {
    const kin_stage* stage;
    kin_sky sky;
    kin_media media; /* that the camera is in */
    int bounces;
    float brightest; /* radiance beyond which a lucky path is clipped */
} kin_shader;

/* What one ray of the camera saw. The surface seen is the first that is not glass, on the way that most of the light takes through all glass before it: what lies
 * behind a pane has its own edges and patterns. */
typedef struct kin_shot {
    kin_vec crisp;  /* radiance without noise: sky, haze, lamps; never filtered */
    kin_vec lit;    /* radiance of lit surfaces: noisy */
    kin_vec albedo; /* of the surface seen; 0 for sky */
    kin_vec normal; /* of the surface seen, towards the ray that meets it */
    float distance; /* to it, along the path; INFINITY for sky */
    bool guided;    /* albedo, normal and distance are of the surface seen; false: the path left glass by the way that less of the light takes */
} kin_shot;

kin_shot kin_shoot(const kin_shader* shader, const kin_ray* ray, kin_sampler* sampler);
