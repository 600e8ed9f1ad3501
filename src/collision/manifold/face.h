/* face.h - the part of a convex core that faces a direction: a polygon, an edge or a point; clipping one by the sides of another, and keeping the best four. */
#pragma once
#include "collision/manifold/manifold.h"

#define KIN_FACE_CORNERS 64 /* of a face; hulls with larger ones are thinned to this many corners */

typedef struct kin_face {
    kin_vec3 corners[KIN_FACE_CORNERS]; /* counter-clockwise seen from outside, m */
    uint32_t ids[KIN_FACE_CORNERS];
    int count;       /* 1: a point, 2: an edge */
    kin_vec3 normal; /* count >= 3: of the face, unit */
    kin_vec3 inward; /* m, count 2: to the line that its round surface is about; 0: it is none */
    uint32_t id;
} kin_face;

/* The face of the core most square to d (unit), in the core's own frame. */
void kin_face_towards(const kin_convex* convex, kin_vec3 d, kin_face* out);
void kin_face_transform(kin_face* face, kin_transform pose);

/* A growing set of points of one normal. */
#define KIN_TOUCHES 128
typedef struct kin_touches {
    kin_manifold_point points[KIN_TOUCHES];
    uint32_t triangles[KIN_TOUCHES];
    int count;
} kin_touches;

/* Separation of the deepest point; huge when there is none. */
static inline double kin_touches_deepest(const kin_touches* t)
{
    double least = 1e308;
    for (int i = 0; i < t->count; ++i) least = kin_min(least, t->points[i].separation);
    return least;
}

/* Points where face b touches face a, seen along the normal (from b to a): the corners of the one clipped by the sides of the other. radius_a, radius_b:
 * the cores' radii. Points farther apart than margin are left out. */
void kin_face_clip(const kin_face* a, double radius_a, const kin_face* b, double radius_b, kin_vec3 normal, double margin, kin_touches* out);

/* The corners of a face (all of one body, of that radius) that are within the margin of a plane, or below it. */
void kin_face_above(const kin_face* face, double radius, kin_vec3 on_plane, kin_vec3 normal, double margin, kin_touches* out);

/* At most four, in a fixed order: two that are farthest from each other, and the outermost on either side of the line between them. They reach as far as all do
 * along that line and across it, and span at least half of what all span. The deepest is among them if it is clearly deeper than they are. */
void kin_touches_reduce(const kin_touches* touches, kin_vec3 normal, kin_manifold* out);
