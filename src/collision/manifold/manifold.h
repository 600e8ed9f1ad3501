/* manifold.h - where two things touch, as a solver wants it: a normal and up to four points, each with an identity that lasts from step to step.
 *
 * Any two forms in any poses. Convex pairs make one manifold: the axis of least separation (separating axes for polyhedra, GJK and EPA for the rest), the face
 * of each body that faces the other, and one clipped by the sides of the other. Others make several: one a part, one a side of a mesh that is touched. On
 * meshes and height fields a normal that leans over an edge between flat or hollow faces is put upright, so nothing trips over inner edges.
 *
 * Normals point from B to A. separation > 0 is a gap, not above the margin. Deterministic; a cache changes the work and, where two axes are as good, keeps
 * the one chosen before. */
#pragma once
#include "base/arena.h"
#include "collision/form/form.h"
#include "collision/narrow/gjk.h"
#include "collision/narrow/sat.h"
#include "kinema/collide.h"

/* The number of its deepest point; the first of equals. */
static inline int kin_manifold_deepest(const kin_manifold* m)
{
    int deepest = 0;
    for (int i = 1; i < m->count; ++i) {
        if (m->points[i].separation < m->points[deepest].separation) deepest = i;
    }
    return deepest;
}

/* What a pair of convex bodies remembers; zeros to begin with. */
typedef struct kin_collide_cache {
    kin_sat_cache sat;
    kin_gjk_cache gjk;
    double gap; /* m: where they were found apart just now, a lower bound of their distance; 0: not known. Nothing depends on it */
} kin_collide_cache;

/* Whether it can be of these two. */
bool kin_collide_cache_fits(const kin_collide_cache* cache, const kin_convex* a, const kin_convex* b);

/* Two convex bodies, B in A's frame; the manifold is in A's frame too. False: farther apart than margin (m). cache may be NULL. */
bool kin_collide_convex(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, double margin, kin_collide_cache* cache, kin_manifold* out);

/* Any two forms, in the world. Returns how many manifolds, at most `most`, deepest first. scratch is given back. The cache is for convex pairs; may be NULL. */
int kin_collide(const kin_form* a, kin_transform pose_a, const kin_form* b, kin_transform pose_b, double margin, kin_collide_cache* cache, kin_arena* scratch,
                kin_manifold* out, int most);
