/* peer_bullet.h - particles/bounce on Bullet: spheres over the same hills and walls, no sphere against sphere. Built only where libbullet-dev is. */
#pragma once
#include "kinema/math.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kin_peer_scene {
    const kin_vec3* vertices; /* of the hills, m */
    size_t vertex_count;
    const uint32_t* corners;
    size_t triangle_count;
    const kin_vec3* positions; /* of the spheres, m */
    const kin_vec3* velocities;
    size_t count;
    double radius, wall; /* m; walls at +-wall in x and z */
} kin_peer_scene;

typedef struct kin_peer_world kin_peer_world;
kin_peer_world* kin_peer_bullet_create(const kin_peer_scene* scene);
void kin_peer_bullet_step(kin_peer_world* world); /* 1/60 s */
void kin_peer_bullet_destroy(kin_peer_world* world);

#ifdef __cplusplus
}
#endif
