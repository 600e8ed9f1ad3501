/* part.h - vertices, edges and faces of convex cores by number.
 *
 *            vertices                    edges                                        faces
 *   hull     of the hull                 half-edges of the hull, the even one         of the hull
 *   box      bit k: + side of axis k     4 axis + the side bits of the other axes     2 axis + side
 *   triangle 0 1 2                       k: from corner k to k + 1                    0
 *   segment  0 (-y), 1 (+y)              0                                            -
 *   point    0
 *   Curved cores have no numbers: KIN_PART_CURVED. */
#pragma once
#include "collision/form/convex.h"

typedef enum kin_part_kind { KIN_PART_VERTEX, KIN_PART_EDGE, KIN_PART_FACE, KIN_PART_CURVED } kin_part_kind;

typedef struct kin_part {
    kin_part_kind kind;
    uint32_t index;
} kin_part;

/* A vertex of a polyhedral core, m. */
kin_vec3 kin_core_vertex(const kin_convex* c, uint32_t vertex);
/* The feature of least dimension that holds the given vertices (1 to 4, repeats allowed). Two corners of a face that share no edge make the face. */
kin_part kin_core_part(const kin_convex* c, const uint32_t* vertices, uint32_t count);
