/* survey.h - what both the inspection and the repair of a mesh have to find out. */
#pragma once
#include "geometry/repair/connect.h"

#define KIN_NO_AREA 1e-12 /* twice the area over the square of the longest edge: as in kin_mesh_create */

/* first[i] = the lowest earlier point that stands for itself and is no farther than tolerance from point i, else i. false: out of memory. */
bool kin_find_near(const kin_allocator* allocator, const kin_vec3* points, uint32_t count, double tolerance, uint32_t* first);
/* first[f] = the lowest face with the same corners, in any order; false: out of memory. */
bool kin_find_twins(const kin_poly* poly, uint32_t* first);
bool kin_face_degenerate(const kin_poly* poly, size_t face);

/* Faces joined by edges that have just two faces make a patch. flip[f]: turn it over for one winding in its patch, as most of its faces have it; patch[f]: its
 * lowest face; false when no winding suits is left in sided[f] of that lowest face. false: out of memory. */
bool kin_find_winding(const kin_connect* connect, uint32_t* patch, bool* flip, bool* sided);

typedef struct kin_holes { /* border loops, in the direction of a cover */
    uint32_t *ids, *begin; /* count + 1 */
    bool* closed;          /* false: the border just ends, at an edge with more faces */
    uint32_t count;
    size_t room; /* borders: ids, and one less than begin */
    kin_allocator allocator;
} kin_holes;
bool kin_find_holes(const kin_connect* connect, kin_holes* holes); /* false: out of memory */
void kin_holes_term(kin_holes* holes);

/* crossings.c: pairs of faces that pass through each other, in a fixed order; found(context, a, b) returns false to stop. false: out of memory. Faces are fanned into triangles, so
 * they should be nearly flat and convex. Touching is not crossing; two faces in one plane that overlap are. */
typedef bool kin_crossing_fn(void* context, uint32_t a, uint32_t b);
bool kin_find_crossings(const kin_connect* connect, kin_crossing_fn* found, void* context);
