/* force.h - contact forces between bodies that touch: accelerations at contacts as a = A F + b, and the F that keeps them apart (C4.11.3, C4.11.4, H10.13,
 * H10.16, appendices E and I, R6, S-D). Joints and particles take part as rows of the same problem (C5.6.2, C4.12). */
#pragma once
#include "base/arena.h"
#include "contact/body.h"
#include "contact/joint/joint.h"
#include "numerics/lcp.h"

typedef enum kin_touch_kind {                      /* what the normal is fixed to: it turns with that (E10.3.2) */
                              KIN_TOUCH_FACE_OF_B, /* a's vertex on b's face: w_b x n */
                              KIN_TOUCH_FACE_OF_A,
                              KIN_TOUCH_EDGES,   /* n = e_a x e_b: each edge turns with its body */
                              KIN_TOUCH_CENTERS, /* spheres: n along the line of centres (E10.3.1) */
                              KIN_TOUCH_CURVED,  /* a round surface on b's: n turns as the centre of curvature moves; centre_a, centre_b as below */
} kin_touch_kind;

typedef struct kin_touching {
    uint32_t a, b;
    kin_vec3 point, normal, tangent; /* normal from b to a; tangent zero: along the slip, else along the acceleration without friction, else any */
    kin_touch_kind kind;
    kin_vec3 edge_a, edge_b;     /* EDGES: directions, world */
    kin_vec3 centre_a, centre_b; /* CENTERS, CURVED: m, world; fixed to the bodies */
    kin_vec3 surface;            /* m/s, as in kin_meeting */
    double mu_static[2], mu_dynamic[2];
} kin_touching;

typedef enum kin_force_method {
    KIN_FORCE_DANTZIG, /* frictionless (I14.2) */
    KIN_FORCE_BARAFF,  /* static and dynamic friction (I14.3); falls back on LEMKE where it goes around in circles */
    KIN_FORCE_LEMKE,   /* the nonsymmetric friction form, 3N x 3N (H10.16); needs h */
    KIN_FORCE_QP,      /* frictionless, joints as equality rows (S-D, R6): the cross-check */
} kin_force_method;

typedef struct kin_force_cluster {
    const kin_body* bodies;
    uint32_t body_count;
    const kin_vec3 *force, *torque; /* external, N, N m about the centres */
    const kin_touching* touching;
    int count;
    const uint32_t *joint_a, *joint_b; /* bodies of the rows below */
    const kin_joint_row* joint_rows;   /* HOLD rows and active limits; springs, motors and friction go into force and torque */
    int joint_count;
    kin_force_method method;
    double slip_threshold; /* m/s: faster slides */
    double h;              /* s, LEMKE: friction stops within this */
} kin_force_cluster;

typedef struct kin_force_report {
    kin_lcp_report lcp;
    int handed; /* contacts that must become collisions: their forces diverge (Painleve) */
} kin_force_report;

/* out: n, t, k a contact (3 count); tangents: those used (count, may be NULL); handed: a flag a contact (may be NULL); joint_out: multipliers. */
kin_force_report kin_forces_find(const kin_force_cluster* cluster, double* out, kin_vec3* tangents, uint8_t* handed, double* joint_out, kin_arena* scratch);

/* dn/dt of a contact and dt/dt of its tangent, of unit vectors (erratum E10). */
kin_vec3 kin_touching_normal_rate(const kin_touching* c, const kin_body* a, const kin_body* b);
kin_vec3 kin_touching_tangent_rate(const kin_touching* c, const kin_body* a, const kin_body* b, kin_vec3 normal_rate);

/* A (3 count + joint_count squared) and b, for tests and for who solves it himself: row n of contact i is n . (a_a - a_b) + 2 n' . (v_a - v_b). */
bool kin_forces_system(const kin_force_cluster* cluster, double* matrix, double* offset, kin_arena* scratch);
