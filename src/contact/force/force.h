/* force.h - contact forces between bodies that touch: accelerations at contacts as a = A F + b, and the F that keeps them apart (C4.11.3, C4.11.4, H10.13,
 * H10.16, appendices E and I, R6, S-D). Joints and particles take part as rows of the same problem (C5.6.2, C4.12: a particle is a body without moments).
 *
 * Let u be the velocity of a against b at the contact and d one of n, t, k. Row d is the rate of d . u while the contact goes on:
 *
 *     a_d = d . u' + d' . u,    u' = dv_a + dw_a x r_a + w_a x (p' - v_a) - the same of b
 *
 * where p' is the velocity of the point of contact itself, which slides over one body or both. For a vertex on a face this is the text's
 * d . (a_a - a_b) + 2 d' . (v_a - v_b); for round features, where no material point stays in contact, it is not: a ball that spins in place has no reason to
 * leave the floor. Hence the kinds, and the radii. */
#pragma once
#include "base/arena.h"
#include "contact/body.h"
#include "contact/joint/joint.h"
#include "math/sym3.h"
#include "numerics/lcp.h"

/* What the normal is fixed to: it turns with that (E10.3.2). */
typedef enum kin_touch_kind {
    KIN_TOUCH_FACE_OF_B, /* a's vertex (radius_a 0) or a round end of a (sphere, capsule) on b's face: w_b x n */
    KIN_TOUCH_FACE_OF_A, /* the same the other way round */
    KIN_TOUCH_EDGES,     /* n along e_a x e_b: each edge turns with its body. Radii: rounded edges (capsules' sides) */
    KIN_TOUCH_CENTERS,   /* two round features, n along the line of centres (E10.3.1); other curved surfaces give their centres of curvature */
    KIN_TOUCH_EDGE_OF_B, /* a's round end (or a vertex) against b's edge, sharp or round: n across edge_b through a's centre */
    KIN_TOUCH_EDGE_OF_A,
} kin_touch_kind;

typedef struct kin_touching {
    uint32_t a, b;                   /* KIN_NO_BODY: the world */
    kin_vec3 point, normal, tangent; /* normal from b to a; tangent: mu[0] is along it, mu[1] across (friction.h); zero: any, mu are equal */
    kin_touch_kind kind;
    kin_vec3 edge_a, edge_b;     /* EDGES, EDGE_OF_: directions, world, of any length */
    kin_vec3 centre_a, centre_b; /* CENTERS: m, world; fixed to the bodies. Not read for other kinds */
    double radius_a, radius_b;   /* m, all but CENTERS: how far the vertex or edge proper is beneath a's or b's rounded surface; 0: sharp. A ball on a face
                                        must have its radius here, or it is taken for a vertex */
    kin_vec3 rim;                /* FACE_OF_B: a touches with a curved edge along edge_a: from the point to its centre of curvature, m; zero: a vertex */
    /* Radii of curvature of surfaces that are no spheres, m: how their points move where their normals turn (narrow/ellipsoid.h). FACE_OF_B: of a's. CENTERS: of both,
     * and a ball's is its radius; then the centres are not read. All zero: none such */
    kin_sym3 curved_a, curved_b;
    kin_vec3 surface; /* m/s, as in kin_meeting: counts for slip only */
    double mu_static[2], mu_dynamic[2];
    double closing; /* m/s^2: how fast its parting may be slowed without a force, as it is so fast; < 0: how fast an approach must be; 0: neither */
    kin_vec3 creep; /* m/s^2, across the normal: what friction that sticks takes off beside holding, as it creeps a little */
} kin_touching;

typedef enum kin_force_method {
    KIN_FORCE_DANTZIG,  /* frictionless (I14.2) */
    KIN_FORCE_BARAFF,   /* static and dynamic friction (I14.3); falls back on Lemke's method where it goes around in circles.
                          Of more than a few contacts linear systems are tried first */
    KIN_FORCE_LEMKE,    /* the same problem by Lemke's method at once, a pair of directions for each tangent */
    KIN_FORCE_KOKKEVIS, /* the nonsymmetric form, 3N x 3N (House & Keyser 10.3.3, Kokkevis), by Lemke's method: one direction of friction a contact, and friction
                           ends the slip within h. Slow slides come out too long by up to a step */
    KIN_FORCE_QP,       /* frictionless, joints as equality rows (S-D, R6): the cross-check */
} kin_force_method;

typedef struct kin_force_cluster {
    const kin_body* bodies;
    uint32_t body_count;
    const kin_vec3 *force, *torque; /* external, N, N m about the centres; NULL: none. Gyroscopic torque is added here */
    const kin_twist* driven;        /* m/s^2, rad/s^2: accelerations of bodies that forces do not move, by body; zero for others. NULL: none */
    const kin_touching* touching;
    int count;
    const uint32_t *joint_a, *joint_b; /* bodies of the rows below */
    const kin_joint_row* joint_rows;   /* HOLD rows and active limits; springs, motors and friction go into force and torque */
    int joint_count;
    kin_force_method method;
    double slip_threshold; /* m/s: faster slides */
    double h;              /* s, KOKKEVIS: friction stops within this */
    double enough;         /* m/s^2, BARAFF: a residual that will do where redundant contacts contradict each other; 0: none */
    int64_t most_work;     /* visits of rows, BARAFF: what is not found by then is left; 0: no limit */
    const kin_vec3*
        guess; /* N on a, world, of every contact as found a moment before, BARAFF: to start from; the answer may differ among redundant ones. NULL: none */
    double guess_soft; /* BARAFF: kin_force_report.soft of that */
} kin_force_cluster;

typedef struct kin_force_report {
    kin_lcp_report lcp;
    int handed;    /* contacts that must become collisions: their forces diverge (Painleve) */
    bool unsolved; /* no answer was found, nor that there is none: no forces at all */
    int64_t work;  /* visits of a row: what it cost, whatever the machine */
    double soft;   /* share of their diagonals by which rows had to give way, as redundant ones contradict each other; 0: hard */
} kin_force_report;

/* out: n, t, k a contact (3 count); tangents: those used (count, may be NULL); handed: a flag a contact (may be NULL); joint_out: multipliers (may be NULL).
 * A contact handed over has no force. */
kin_force_report kin_forces_find(const kin_force_cluster* cluster, double* out, kin_vec3* tangents, uint8_t* handed, double* joint_out, kin_arena* scratch);

/* Adds what kin_forces_find found to forces and torques of the bodies (body_count each). */
void kin_forces_add(const kin_force_cluster* cluster, const double* out, const kin_vec3* tangents, const double* joint_out, kin_vec3* force, kin_vec3* torque);

/* Of a against b at the contact: material velocity without the surface's. */
kin_vec3 kin_touching_velocity(const kin_touching* c, const kin_body* bodies);
/* p' of the essay. NULL for a or b: the world. */
kin_vec3 kin_touching_point_rate(const kin_touching* c, const kin_body* a, const kin_body* b);
/* dn/dt of a contact and dt/dt of its tangent, of unit vectors (erratum E10). The tangent turns with the face (else with both bodies' mean) as far as staying
 * across n lets it; k' = n' x t + n x t'. */
kin_vec3 kin_touching_normal_rate(const kin_touching* c, const kin_body* a, const kin_body* b);
kin_vec3 kin_touching_tangent_rate(const kin_touching* c, const kin_body* a, const kin_body* b, kin_vec3 normal_rate);

/* A (3 count + joint_count squared) and b, for tests and for who solves it himself. */
bool kin_forces_system(const kin_force_cluster* cluster, double* matrix, double* offset, kin_arena* scratch);
