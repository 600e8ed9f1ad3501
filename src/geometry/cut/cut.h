/* cut.h - a closed polyhedron cut by a plane into two closed polyhedra.
 *
 * Each vertex is put above, below or on the plane once; all else follows from those signs, so two faces never disagree and both halves are closed whatever
 * rounding does: an edge is crossed in one point, shared by its faces; faces in the plane go to the side their solid is on; the edges of the upper faces that
 * lie in the plane, less those that cancel, are the loops of the section, and both halves get the same cap, turned over. Corners, edges and faces in the
 * plane, several loops, and holes in them need no case of their own. Vertices are never moved: cuts can follow each other. */
#pragma once
#include "geometry/cut/fill.h"
#include "math/primitive.h"

#define KIN_CUT_CAP UINT32_MAX /* tag of caps unless another is asked for */

typedef struct kin_cut_def {
    double tolerance; /* m: nearer to the plane is on it; 0: kin_poly_grain of the polyhedron */
    bool triangles;   /* caps as triangles; else as convex polygons */
    uint32_t cap_tag; /* of the caps' faces */
} kin_cut_def;

typedef struct kin_cut_report {
    uint32_t on;    /* vertices on the plane */
    uint32_t loops; /* of the section, holes too; 0: the plane passes by, or only touches */
    uint32_t holes;
    double area;      /* of the section, m^2 */
    double tolerance; /* used, m */
} kin_cut_report;

typedef struct kin_cutter kin_cutter;                          /* scratch for cuts in sequence; one thread at a time */
kin_cutter* kin_cutter_create(const kin_allocator* allocator); /* NULL: out of memory */
void kin_cutter_destroy(kin_cutter* cutter);                   /* may be NULL */

static inline kin_cut_def kin_cut_def_default(void) { return (kin_cut_def){.cap_tag = KIN_CUT_CAP}; }

/* below: where normal.x <= offset. Either half may be NULL: not wanted; they are replaced, and must not be `whole`. A half without volume is empty.
 * Refuses a mesh that is open at the plane, with the vertex where its section ends. */
kin_result kin_cut(kin_cutter* cutter, const kin_poly* whole, kin_plane3 plane, const kin_cut_def* def, kin_poly* below, kin_poly* above,
                   kin_cut_report* report, kin_error* error);
