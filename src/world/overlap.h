/* overlap.h - what stands inside what it meets: for `kinema check`, which looks at the start of a scene. */
#pragma once
#include "world/world.h"

typedef struct kin_overlap {
    kin_anchor a, b; /* a body or particle, and what it is in: a body or a collider */
    double depth;    /* m */
    kin_vec3 point;  /* m */
} kin_overlap;

/* Active bodies with bodies and colliders, particles with all solids, by their filters; those that a joint holds together and sensors are left out. What is less
 * deep than a hundredth of the smaller half extent (of the radius) only touches. *count is of all; at most capacity are written, bodies first. */
kin_result kin_world_find_overlaps(kin_world* world, kin_overlap* out, size_t capacity, size_t* count, kin_error* error);
