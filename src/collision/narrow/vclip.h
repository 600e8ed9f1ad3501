/* vclip.h - closest features of convex polyhedra by Voronoi clipping (C4.9), after Mirtich.
 *
 * Two features are the closest when the nearest point of each lies in the Voronoi region of the other. Where it does not, one of them steps to the neighbour
 * whose plane was violated; up in dimension the distance falls, down it stays. Coherent motion keeps the pair, or moves it by a step or two.
 *
 *   face-edge plane   holds the edge, normal (face normal) x (edge), inward to the face (E1)
 *   vertex-edge plane holds the vertex, normal along the edge
 *
 * All is in A's frame; the normal points from B to A. */
#pragma once
#include "collision/narrow/part.h"
#include "math/quat.h"

/* What a step did, by the cases of the text. */
typedef enum kin_vclip_rule {
    KIN_VCLIP_POINT,    /* 4.9.1: a vertex is outside a plane */
    KIN_VCLIP_CLIPPED,  /* case 1: a partly clipped edge has its minimum beyond an end */
    KIN_VCLIP_2_1,      /* vertex, simple exclusion */
    KIN_VCLIP_2_2,      /* vertex, compound */
    KIN_VCLIP_2_3,      /* edge, simple */
    KIN_VCLIP_2_4,      /* edge, compound */
    KIN_VCLIP_2_5,      /* face: march round it */
    KIN_VCLIP_TOWARD,   /* vertex over a face: an edge of the vertex leads to the face */
    KIN_VCLIP_NEAR_END, /* edge over a face: its nearer end */
    KIN_VCLIP_ESCAPE,   /* 4.9.5 (b): below a face but outside the body: to the face it is most outside of (E3) */
    KIN_VCLIP_INSIDE,   /* 4.9.5 (a): below all faces: penetrating */
    KIN_VCLIP_PIERCED,  /* 4.9.4: an edge goes through a face: penetrating */
    KIN_VCLIP_TOUCHING, /* within rounding of each other */
    KIN_VCLIP_DONE,     /* each nearest point is in the other's region */
    KIN_VCLIP_LOST,     /* rounding makes it go round in a circle, or end beside the nearest: GJK answered */
    KIN_VCLIP_RULES
} kin_vclip_rule;

typedef struct kin_vclip_pair {
    kin_part a, b; /* not both faces; zeros: the first vertices */
} kin_vclip_pair;
typedef struct kin_vclip_step {
    kin_vclip_pair pair; /* after it */
    kin_vclip_rule rule;
} kin_vclip_step;
typedef void (*kin_vclip_watch)(void* context, const kin_vclip_step* step);

typedef struct kin_vclip_result {
    double distance;     /* m; 0 when penetrating */
    bool is_penetrating; /* or touching: the pair is an edge and the face it pierces, or a vertex and the face of the other body it is nearest to */
    kin_vclip_pair pair; /* edges: half-edges */
    kin_vec3 on_a, on_b; /* m */
    kin_vec3 normal;     /* from B to A; zero when penetrating */
    int steps;
    kin_vclip_rule ended; /* DONE, PIERCED, INSIDE, TOUCHING or LOST */
} kin_vclip_result;

/* cache: the pair to start from and the pair found; may be NULL. watch: sees each step; may be NULL. */
void kin_vclip(const kin_hull* a, const kin_hull* b, kin_transform b_in_a, kin_vclip_pair* cache, kin_vclip_watch watch, void* context, kin_vclip_result* out);
