/* internal.h - between the files that build trees: nodes are first laid root first, by rising depth, and turned round at the end. */
#pragma once
#include "geometry/volumes/boundtree.h"

typedef struct kin_bound_builder {
    kin_bound_tree* tree;
    const kin_primitives* primitives;
    const kin_bound_tree_def* def;
    uint32_t leaf;    /* primitives that may stay together, at least 1 */
    kin_vec3* middle; /* of each primitive: the mean of its points */
    kin_aabb* boxes;  /* of each primitive */
    kin_vec3* points; /* scratch: all points of all primitives */
    uint64_t *keys, *key_scratch;
    uint32_t* item_scratch;
    uint32_t* heights; /* of the nodes */
} kin_bound_builder;

/* Puts the points of the items of a node into points; how many. */
size_t kin_bound_gather(const kin_primitives* primitives, const uint32_t* items, uint32_t count, kin_vec3* points);
kin_result kin_bound_build_down(kin_bound_builder* b);
kin_result kin_bound_build_up(kin_bound_builder* b); /* bottom up, in space or along the surface */
/* A key that sorts as the number does. */
static inline uint64_t kin_bound_key(double x)
{
    uint64_t bits;
    x += 0.0; /* -0 and 0 are one */
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}
