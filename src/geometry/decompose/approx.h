/* approx.h - few convex hulls that stand for a closed mesh within a distance: for real meshes (in the spirit of V-HACD, Mamou 2009, and CoACD, Wei 2022).
 *
 * The piece whose hull stands off farthest is cut in two, by the plane that leaves least empty volume in the hulls of the parts: planes across the axes and
 * planes through the sharpest reflex edges are tried. At the end pieces whose common hull is good enough are joined again. The same for any thread count. */
#pragma once
#include "base/jobs.h"
#include "geometry/cut/poly.h"
#include "geometry/hull/hull.h"

typedef struct kin_approx_def {
    double concavity;       /* m: the farthest that a hull and its piece may stand apart; 0: 2 % of the mesh's diagonal */
    uint32_t most_pieces;   /* 0: 64 */
    uint32_t most_vertices; /* of a hull, at least 4; 0: 64 */
    uint32_t planes;        /* tried along each axis; 0: 12, at most 64 */
    kin_jobs* jobs;         /* NULL: one thread */
} kin_approx_def;

typedef struct kin_approx_piece {
    kin_hull* hull;
    double concavity; /* m: of this hull and its piece of the mesh (kin_standoff) */
    double volume;    /* m^3, of the piece itself */
} kin_approx_piece;

typedef struct kin_approx {
    kin_approx_piece* pieces;
    uint32_t count;
    uint32_t cuts, joins;
    double wanted;              /* m: the concavity asked for */
    double concavity;           /* m: the largest of the pieces': hulls are nowhere farther from the mesh */
    double uncovered;           /* m: the farthest a vertex of the mesh is outside all hulls (0 unless most_vertices cut corners off) */
    double volume, hull_volume; /* m^3 */
    size_t room;
    kin_allocator allocator;
} kin_approx;

/* Refuses a mesh that is not closed. A concavity that most_pieces does not allow is no error: compare `concavity` with `wanted`. */
kin_result kin_decompose_approx(const kin_poly* poly, const kin_approx_def* def, kin_approx* out, kin_error* error);
void kin_approx_term(kin_approx* approx);
