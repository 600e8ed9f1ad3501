/* sat.h - separating axes of convex polyhedra (C2.5.3, H10.7, H10.8): normals of A's faces, of B's faces, and crosses of edges.
 *
 * Only pairs of edges that meet on the Gauss map of A - B can part the bodies; the others are left out. What wins: the axis of largest separation. Apart it is
 * a lower bound of the distance; overlapping, the least depth. All is in A's frame; the axis is unit and points from B to A. */
#pragma once
#include "collision/form/convex.h"
#include "math/quat.h"

typedef enum kin_sat_kind { KIN_SAT_NONE, KIN_SAT_FACE_A, KIN_SAT_FACE_B, KIN_SAT_EDGES } kin_sat_kind;

typedef struct kin_sat_feature {
    kin_sat_kind kind;
    uint32_t a; /* face or half-edge of A; of a face of B: the vertex of A that is deepest */
    uint32_t b; /* face or half-edge of B; of a face of A: the vertex of B that is deepest */
} kin_sat_feature;

typedef struct kin_sat_result {
    kin_sat_feature feature;
    double separation; /* m, negative: depth */
    kin_vec3 axis;     /* from B to A */
    int axes;          /* tried */
} kin_sat_result;

typedef kin_sat_feature kin_sat_cache; /* zeros: nothing yet */

/* Axes, the best; the first that parts the bodies by more than `enough` m ends the search. With a cache the last feature is tried first: if it still parts the bodies it is the answer (a witness plane); if they overlap it stays the
 * answer as long as nothing beats it by more than `preference` m. The same preference holds for faces before edges, and A's faces before B's: 0 takes the
 * best to rounding. cache may be NULL. */
void kin_sat_hulls(const kin_hull* a, const kin_hull* b, kin_transform b_in_a, double preference, double enough, kin_sat_cache* cache, kin_sat_result* out);
/* The same for two boxes, without walking hulls. Faces: 2 axis + side; edges: 4 axis + sides of the others, as in part.h; vertices by bits. */
void kin_sat_boxes(kin_vec3 half_a, kin_vec3 half_b, kin_transform b_in_a, double preference, kin_sat_cache* cache, kin_sat_result* out);
/* Whether an axis parts them; ends at the first that does. */
bool kin_sat_disjoint(const kin_hull* a, const kin_hull* b, kin_transform b_in_a, kin_sat_cache* cache);

/* A box as a hull, in place: numbers of vertices and faces are those of part.h. */
typedef struct kin_box_hull {
    kin_hull hull; /* points into the rest: do not copy */
    kin_vec3 vertices[8];
    kin_hull_edge edges[24];
    kin_plane3 planes[6];
    uint32_t face_edge[6], vertex_edge[8], sources[8];
} kin_box_hull;
const kin_hull* kin_box_hull_set(kin_box_hull* box, kin_vec3 half);
