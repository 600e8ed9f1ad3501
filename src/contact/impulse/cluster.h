/* cluster.h - a group of meetings and joints that share bodies, as rows. Inside impulse/ only.
 *
 * A solver finds impulses p with, for offset o: normals p_n >= 0, o_n + (A p)_n >= 0, one of them 0; tangents |p_t| <= mu p_n, o_t + (A p)_t = 0 inside the
 * limits; joints 0. Restitution is in the offset: (1 + e) u_n (H10.15). */
#pragma once
#include "contact/impulse/local.h"
#include "contact/impulse/rows.h"

typedef struct kin_hits {
    kin_row_set set;
    double* before;                     /* rates of the rows, m/s or rad/s */
    double* restitution;                /* per contact, of this pass */
    kin_lcp_friction_contact* friction; /* per contact: mu_static */
    uint8_t* resting;                   /* per contact */
    double speed;                       /* m/s: the largest rate of a contact row; what is 1e-10 of it is noise */
    int most_rounds;
    double enough; /* m/s: as in kin_impulse_cluster */
    kin_arena* scratch;
} kin_hits;

typedef struct kin_hits_report {
    bool converged, memory; /* memory: there was none */
    int rounds;
} kin_hits_report;

/* p and after = o + A p: set.size numbers each. */
kin_hits_report kin_hits_system(const kin_hits* hits, const double* offset, double* p, double* after);
kin_hits_report kin_hits_sweeps(const kin_hits* hits, const double* offset, double* p, double* after);
kin_hits_report kin_hits_lcp(const kin_hits* hits, const double* offset, double* p, double* after);
/* One after the other until none approaches; adds to p from the rates before, offsets are its own. */
kin_hits_report kin_hits_turns(const kin_hits* hits, kin_local_solver* solve, double* p, double* after);

/* Every body's parent in a forest of what meetings and joints connect; NULL: no memory. */
uint32_t* kin_meetings_join(const kin_body* bodies, uint32_t body_count, const kin_meeting* meetings, int count, const kin_joint_at* joints, int joint_count,
                            kin_arena* scratch);
/* The root of the body that moves, KIN_NO_BODY if neither does. */
uint32_t kin_meeting_root(const kin_body* bodies, uint32_t* parent, uint32_t a, uint32_t b);
