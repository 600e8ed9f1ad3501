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

/* What one ray of the camera saw. */
typedef struct kin_shot {
    kin_vec crisp;  /* radiance without noise: sky, haze, lamps; never filtered */
    kin_vec lit;    /* radiance of lit surfaces: noisy */
    kin_vec albedo; /* of the first surface; 0 for sky */
    kin_vec normal; /* of the first surface, towards the camera */
    float distance; /* to it; INFINITY for sky */
} kin_shot;

kin_shot kin_shoot(const kin_shader* shader, const kin_ray* ray, kin_sampler* sampler);
