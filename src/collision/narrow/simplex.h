/* simplex.h - the point of a simplex of 1 to 4 points that is nearest to the origin: GJK's sub-distance (C4.10), in two ways. */
#pragma once
#include "math/vec3.h"

typedef struct kin_subset {
    uint32_t mask;    /* bit j: x[j] is needed; 0: none found. All four: the origin is inside. */
    double weight[4]; /* of those, > 0, sum 1; the others 0 */
    kin_vec3 point;   /* the sum of weight x, m */
} kin_subset;

/* Signed volumes: the sign of the part that a face and the origin make tells on which side of it the origin is; only faces that are seen from it are
 * entered. Flat and needle simplices enter all. Always finds one. */
kin_subset kin_subset_volumes(const kin_vec3* x, int count);
/* Johnson's determinants over all 15 subsets, as the text has them. A near-degenerate simplex may have no subset that passes: mask 0. */
kin_subset kin_subset_johnson(const kin_vec3* x, int count);
