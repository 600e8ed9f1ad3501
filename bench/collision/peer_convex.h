/* peer_convex.h - distances of the same hulls at the same poses by Bullet and libccd, for --peers. */
#pragma once
#include "kinema/math.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kin_peer_hull {
    const kin_vec3* vertices;
    size_t count;
} kin_peer_hull;

/* Pair i is hulls 2i and 2i + 1; poses[step * pairs + i] is that of the second in the first's frame. A run asks all pairs at one step. */
typedef struct kin_peer_convex {
    const kin_peer_hull* hulls;
    size_t pairs;
    const kin_transform* poses;
    size_t steps;
} kin_peer_convex;

typedef struct kin_bullet_convex kin_bullet_convex;
kin_bullet_convex* kin_bullet_convex_create(const kin_peer_convex* scene);
double kin_bullet_convex_run(kin_bullet_convex* b, size_t step, int is_deep); /* the sum of the distances, m; deep: with EPA behind GJK */
void kin_bullet_convex_destroy(kin_bullet_convex* b);

typedef struct kin_ccd_convex kin_ccd_convex;
kin_ccd_convex* kin_ccd_convex_create(const kin_peer_convex* scene);
size_t kin_ccd_convex_intersect(kin_ccd_convex* c, size_t step); /* how many overlap: it has no distance of bodies apart */
double kin_ccd_convex_depth(kin_ccd_convex* c, size_t step);     /* the sum of the depths, m */
void kin_ccd_convex_destroy(kin_ccd_convex* c);

#ifdef __cplusplus
}
#endif
