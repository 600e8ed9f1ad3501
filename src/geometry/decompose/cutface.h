/* cutface.h - one cut face through a reflex edge: candidate planes and its tracing, edge by edge (Coutinho 11.2.1, 11.2.2; Joe 1994). */
#pragma once
#include "geometry/decompose/pieces.h"

/* A half-edge with the frame its angles are counted in: from its face through the solid to the face beyond. */
typedef struct kin_edge_frame {
    kin_vec3 along, normal, inward; /* unit: the edge, its face's normal, and into its face */
    double dihedral;                /* rad */
} kin_edge_frame;
kin_edge_frame kin_edge_frame_of(const kin_connect* connect, uint32_t half);
kin_vec3 kin_edge_direction(const kin_edge_frame* frame, double angle); /* across the edge, at that angle from its face */
double kin_edge_angle(const kin_edge_frame* frame, kin_vec3 direction); /* the angle of a direction, in [0, 2 pi) */

/* Up to n_c angles from the face of half-edge h, all leaving both parts at least theta_acc and at most pi, none twice:
 * (1) the planes of the two faces; (2) those of edges that share a vertex; (3) rho times the dihedral angle. */
uint32_t kin_cut_candidates(const kin_connect* connect, uint32_t half, double theta_acc, uint32_t n_c, double* angles);

typedef enum kin_cut_verdict {
    KIN_CUT_ACCEPTED,
    KIN_CUT_ANGLE,     /* an edge of the cut face makes a dihedral angle below theta_acc (13) */
    KIN_CUT_NEAR,      /* a vertex lies nearer to the plane than d_acc mean edge lengths (14) */
    KIN_CUT_TWICE,     /* the cut face meets itself in a vertex */
    KIN_CUT_CLOCKWISE, /* multiply connected: it runs round a hole of it */
    KIN_CUT_HOLE,      /* it has a hole (15) */
    KIN_CUT_LOST,      /* rounding left no way on */
} kin_cut_verdict;

typedef struct kin_cut_corner { /* of the cut face, and the edge to the next one */
    kin_vec3 point;             /* m */
    uint32_t vertex;            /* of the polyhedron, or UINT32_MAX: within an edge */
    uint32_t half;              /* within: a half-edge it lies on, the one of the face the cut comes from */
    uint32_t face;              /* the edge to the next corner runs through this face, or UINT32_MAX: along an edge */
    double angle;               /* interior angle of the cut face here, rad */
    double dihedral;            /* the smaller of the two dihedral angles that the edge to the next corner makes, rad */
} kin_cut_corner;

typedef struct kin_cut_face {
    kin_vec3 normal; /* unit; the corners run counter-clockwise about it */
    kin_cut_corner* corners;
    size_t count, room;
    int8_t* side; /* of the polyhedron's vertices: above, on (0), below the plane */
    double* height;
    size_t side_room, height_room;
    kin_allocator allocator;
} kin_cut_face;

void kin_cut_face_init(kin_cut_face* face, const kin_allocator* allocator);
void kin_cut_face_term(kin_cut_face* face);
/* Traces from half-edge h, the solid on the left. nearest: d_acc times the mean edge length, m; slack: within it a vertex is on the plane, m. */
bool kin_cut_face_trace(kin_cut_face* face, const kin_connect* connect, uint32_t half, double angle, double theta_acc, double nearest, double slack,
                        kin_cut_verdict* verdict); /* false: out of memory */
/* The polyhedron cut open along an accepted cut face: its one or two solids are added to the pieces. false: out of memory. */
bool kin_cut_face_split(const kin_cut_face* face, const kin_connect* connect, kin_pieces* pieces);
