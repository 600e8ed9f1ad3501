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

/* What one ray of the camera saw: the surfaces on the way that most of the light takes through glass, up to the first that is not glass, which is the one seen.
 * What lies behind a pane has its own edges and patterns. */
enum { KIN_SEEN = 6 }; /* surfaces noted: both of a pane, both of a drop, one behind; the last of more is in the last place */
typedef struct kin_shot {
    kin_vec crisp;            /* radiance without noise: sky, haze, lamps; never filtered */
    kin_vec lit;              /* radiance of lit surfaces: noisy */
    kin_vec albedo;           /* of the surface seen; 0 for sky */
    kin_vec normal[KIN_SEEN]; /* towards the ray that meets it; lane 3: distance along the path, m, INFINITY for sky behind glass */
    int surfaces;             /* how many of these */
    bool guided;              /* the albedo is of the surface seen; false: the path left glass by the way that less of the light takes */
} kin_shot;

kin_shot kin_shoot(const kin_shader* shader, const kin_ray* ray, kin_sampler* sampler);
