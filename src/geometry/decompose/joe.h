/* joe.h - convex pieces of a polyhedron by cut faces, as in Joe's algorithm in the form of Coutinho's appendix F (11.1 to 11.2.3).
 *
 * Good pieces rather than few: no dihedral angle below theta_acc, no vertex within d_acc mean edge lengths of a cut. A reflex edge that no candidate plane
 * resolves is put off; when only such are left, theta_acc and d_acc are relaxed and the parts found so far are gone through again. It may still fail: then
 * the parts so far are there, and the caller takes the path for bodies that are not convex (C4.5). */
#pragma once
#include "geometry/decompose/pieces.h"

#define KIN_JOE_MOST_CANDIDATES 64

typedef struct kin_joe_def {
    double theta_acc;     /* rad: least dihedral angle a cut may make, in (0, pi/2] */
    double d_acc;         /* least distance of a vertex from a cut, in mean edge lengths, >= 0 */
    uint32_t candidates;  /* n_c: planes tried at each reflex edge, 1 to KIN_JOE_MOST_CANDIDATES */
    uint32_t relaxations; /* passes with lowered standards, 0 or more */
    double relax;         /* factor on theta_acc and d_acc from pass to pass, in (0, 1) */
    bool fewest;          /* of the accepted planes take the one along most reflex edges, not the first: fewer parts, more work */
    uint32_t most_parts;  /* stops there, unresolved */
} kin_joe_def;

typedef struct kin_joe_report {
    uint32_t reflex;         /* reflex edges of the input */
    uint32_t cuts;           /* cut faces made */
    uint32_t passes;         /* 1 + relaxations needed */
    uint32_t unresolved;     /* reflex edges left */
    double theta_acc, d_acc; /* of the last pass */
    double smallest;         /* dihedral angle made by a cut, rad; pi when there was none */
    uint32_t rejected[8];    /* candidates by kin_cut_verdict */
} kin_joe_report;

kin_joe_def kin_joe_def_default(void); /* 30 degrees, 0.1, 12 candidates, 4 passes more at half each, 4096 parts */

/* The polyhedron must be simple: closed, two faces an edge, one circuit of faces a vertex, no voids, no crossings, flat convex faces; else refused with the
 * place. KIN_ERROR_NUMERICS: reflex edges are left; `out` holds the parts so far, each with its flag. Other errors leave it empty. */
kin_result kin_decompose_joe(const kin_poly* poly, const kin_joe_def* def, kin_pieces* out, kin_joe_report* report, kin_error* error);
