/* impact.h - when two moving things first meet: the one question that every class of pair is asked (C4.4 to C4.8).
 *
 * Each thing moves on its screw over the interval: position straight, orientation at constant rate. The method is chosen by the class of pair, or named:
 *
 *   advance    conservative advancement (H13): the clock runs by gap / fastest approach, never past the first touch. Convex pairs; triangles of surfaces
 *              taken one by one as convex; parts of compounds. Exact for turning bodies, to the tolerance. The default.
 *   bisect     C4.5: halve the interval on overlap at its middle. Finds a touch that lasts to the end; thin and fast things may be missed.
 *   features   C4.6: vertices go along chords, triangle against triangle by cubics. Misses what turning bends out of the chords, by at most
 *              reach (1 - cos(angle / 2)).
 *
 * Every answer has the time, the point, the normal and the features. Overlap at the start is an impact at 0. */
#pragma once
#include "base/arena.h"
#include "collision/form/form.h"
#include "math/screw.h"

typedef enum kin_impact_kind {
    KIN_IMPACT_NONE,
    KIN_IMPACT_VERTEX_FACE, /* a vertex of A, a face of B */
    KIN_IMPACT_FACE_VERTEX,
    KIN_IMPACT_EDGE_EDGE,
    KIN_IMPACT_VERTEX_EDGE, /* an end of one on an edge of the other, or motion within one plane */
    KIN_IMPACT_EDGE_VERTEX,
    KIN_IMPACT_VERTEX_VERTEX,
    KIN_IMPACT_FACE_EDGE, /* flat on each other: of least dimension, but not a vertex */
    KIN_IMPACT_EDGE_FACE,
    KIN_IMPACT_FACE_FACE,
    KIN_IMPACT_ROUND, /* a curved thing is part of it: no features */
} kin_impact_kind;

typedef enum kin_impact_method { KIN_IMPACT_ADVANCE, KIN_IMPACT_BISECT, KIN_IMPACT_FEATURES } kin_impact_method;

typedef struct kin_impact {
    kin_impact_kind kind;
    double t;                        /* fraction of the interval */
    kin_vec3 point, normal;          /* world, m; unit, from B to A */
    double distance;                 /* m, at t: below the tolerance; negative: overlap, at the start */
    uint32_t a, b;                   /* features: vertex, edge or face of a convex body; corner or edge of a triangle */
    uint32_t part_a, part_b;         /* of compounds */
    uint32_t triangle_a, triangle_b; /* of surfaces */
    int iterations;
} kin_impact;

/* Section P of the text: all three thresholds are the user's. */
typedef struct kin_impact_settings {
    kin_impact_method method;
    double tolerance;       /* m: nearer than this is a touch */
    double least_interval;  /* fraction: bisection stops there */
    int most_iterations;    /* of the clock, for one pair of convex things; then it counts as touching (H13) */
    bool stop_when_parting; /* C4.7: give up when the distance begins to grow; wrong for things that turn back */
} kin_impact_settings;
kin_impact_settings kin_impact_defaults(void); /* advance, 1e-6 m, 1e-9, 5000, false */

/* False: they do not meet. out may say how near they came all the same (distance). scratch is given back. */
bool kin_impact_find(const kin_form* a, const kin_screw* motion_a, const kin_form* b, const kin_screw* motion_b, const kin_impact_settings* settings,
                     kin_arena* scratch, kin_impact* out);

/* Two convex bodies by conservative advancement. reach_a, reach_b: of their points from the positions that the screws move, m. */
bool kin_impact_convex(const kin_convex* a, double reach_a, const kin_screw* motion_a, const kin_convex* b, double reach_b, const kin_screw* motion_b,
                       const kin_impact_settings* settings, kin_impact* out);
