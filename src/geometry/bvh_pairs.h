/* bvh_pairs.h - the leaves of two trees whose boxes meet, and those of one tree with itself (C2.5.1, C2.5.2).
 *
 * A cursor hands out pairs of leaves; nothing that touches is missed, and each pair of leaves comes once, in an order that the trees alone fix:
 *
 *     kin_bvh_pairs walk;
 *     for (kin_bvh_pairs_begin(&walk, a, b, turn, shift, 0); kin_bvh_pairs_next(&walk);)
 *         use(a->items[walk.a_begin .. walk.a_end), b->items[walk.b_begin .. walk.b_end));
 *
 * Two trees lie in frames of their own: x in the frame of a is turn x + shift of b's. Boxes are compared along the three axes of either frame (van den Bergen's
 * six of the fifteen axes: a few per cent more pairs for a third of the work). Floats, with the round-off added to each box.
 * Of two boxes the larger is opened (X2.1). */
#pragma once
#include "geometry/bvh.h"

typedef struct kin_bvh_pair {
    uint32_t a, b; /* nodes */
} kin_bvh_pair;

#define KIN_BVH_PAIRS_STACK (2 * KIN_BVH_MAX_DEPTH + 4) /* a step down leaves one pair behind, two on the diagonal of one tree, where both go down */

typedef struct kin_bvh_pairs {
    uint32_t a_begin, a_end, b_begin, b_end; /* of the items of a and b: the leaves just found */
    const kin_bvh *a, *b;
    kin_bvh_lanes turn[3], back[3];               /* columns of the rotation, and of its transpose */
    kin_bvh_lanes turn_reach[3], back_reach[3];   /* their absolute values */
    kin_bvh_lanes a_middle, b_middle, shift, pad; /* the middles of the roots; between them, twice; margin and round-off, twice */
    bool self;
    uint32_t top;
    kin_bvh_pair stack[KIN_BVH_PAIRS_STACK];
} kin_bvh_pairs;

/* Pairs nearer than margin (m) count too. */
void kin_bvh_pairs_begin(kin_bvh_pairs* walk, const kin_bvh* a, const kin_bvh* b, kin_mat3 turn, kin_vec3 shift, double margin);
bool kin_bvh_pairs_next(kin_bvh_pairs* walk);

/* The same cursor over one tree. A leaf is also paired with itself: then a and b are one range, and the caller takes its items i < j. Of two leaves only
 * (a, b), never (b, a). */
void kin_bvh_self_begin(kin_bvh_pairs* walk, const kin_bvh* bvh, double margin);

/* For several threads: after a begin, cuts the walk into at most `most` >= 1 parts, in order, and returns how many. Each part is walked on a copy of the walk,
 * from kin_bvh_pairs_part on; all parts, one after another, give what the whole walk gives. */
int kin_bvh_pairs_split(const kin_bvh_pairs* walk, kin_bvh_pair* parts, int most);
void kin_bvh_pairs_part(kin_bvh_pairs* walk, kin_bvh_pair part);
