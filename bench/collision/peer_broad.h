/* peer_broad.h - collision/broad on Bullet: boxes in its broad phase, and nothing else of it. Built only where libbullet-dev is. */
#pragma once
#include "kinema/math.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kin_peer_broad kin_peer_broad;
kin_peer_broad* kin_peer_broad_create(const kin_aabb* boxes, size_t count);
void kin_peer_broad_step(kin_peer_broad* peer, const kin_aabb* boxes, size_t count); /* sets every box, computes the pairs */
size_t kin_peer_broad_pairs(const kin_peer_broad* peer, const kin_aabb* boxes);      /* cached ones; of those, whose boxes overlap */
void kin_peer_broad_destroy(kin_peer_broad* peer);

#ifdef __cplusplus
}
#endif
