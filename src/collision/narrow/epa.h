/* epa.h - how deep two overlapping cores are in each other: the point of the boundary of A - B nearest to the origin, by growing a polytope inside it
 * (expanding polytope; the text names the need, C4.10, and gives no method). Exact for polyhedra; curved cores converge until the bounds meet.
 *
 * Frames, normal (from B to A) and cache as in gjk.h. Moving A by depth along the normal makes them touch. */
#pragma once
#include "collision/narrow/gjk.h"

typedef struct kin_epa_settings {
    double tolerance; /* of the depth, relative: stop when upper - lower <= tolerance depth + rounding */
    int most_points;  /* of the polytope, at most 256 */
} kin_epa_settings;
kin_epa_settings kin_epa_defaults(void); /* 1e-10, 256 */

typedef struct kin_epa_result {
    double depth;        /* m, >= 0: of the bodies, radii included */
    double lower;        /* the true depth lies between lower and depth */
    kin_vec3 on_a, on_b; /* deepest points of the surfaces, on_b - on_a = depth normal, m */
    kin_vec3 normal;     /* from B to A */
    int iterations;
    uint32_t count, a[3], b[3]; /* vertices of the face found; features by kin_core_part */
} kin_epa_result;

/* False, and zeros, when the cores do not overlap. With the cache that GJK left the start costs nothing. A difference without volume (two flat things in
 * one plane) has depth 0 across it. */
bool kin_epa_depth(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, const kin_epa_settings* settings, kin_gjk_cache* cache, kin_epa_result* out);
