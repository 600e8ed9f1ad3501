/* peer_embree.h - rays and builds on Embree: one static scene of medium quality, one ray a call, one thread. Built only where libembree-dev is. */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct kin_peer_ray {
    float origin[3], direction[3];
} kin_peer_ray;

typedef struct kin_peer_hits {
    size_t hits;
    double sum; /* of t over the hits */
} kin_peer_hits;

typedef struct kin_peer_embree kin_peer_embree;
kin_peer_embree* kin_peer_embree_create(const float (*vertices)[3], size_t vertex_count, const uint32_t (*triangles)[3], size_t triangle_count);
double kin_peer_embree_build(kin_peer_embree* peer); /* seconds; before any ray */
kin_peer_hits kin_peer_embree_cast(kin_peer_embree* peer, const kin_peer_ray* rays, size_t count);
void kin_peer_embree_destroy(kin_peer_embree* peer);
