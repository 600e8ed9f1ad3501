/* lcp_friction.h - contact forces with dry friction, exactly, by Baraff's extension of Dantzig's method (Coutinho I14.3).
 *
 * Per contact three rows: normal n and tangents t, k; a = A F + b as in lcp.h. Normal: F_n >= 0, a_n >= 0, F_n a_n = 0. A contact at rest, per tangent:
 * |F_t| <= mu_s F_n, and where a_t is not 0, F_t is at the limit against it. The limits make a box, not a cone: along the diagonal of t and k friction is up
 * to sqrt 2 stronger. A contact that slides: F_t = -sign(slip_t) mu_d F_n, so its three columns merge into col_n + ratio_t col_t + ratio_k col_k.
 *
 * Eight groups: ZA_n, ZF_n and, per tangent, ZA (a = 0), MaxF (F at +mu F_n, a < 0), MinF (F at -mu F_n, a > 0). Contacts join one at a time, the normal
 * first, then t, then k.
 *
 * Existence: static friction has solutions, but the path may go around in steps of no length: the contact that moves back where it came from is put off to
 * the end (I14.3.3). Sliding may have none (Painleve): the step is unbounded and the contact is handed over, to be treated as a collision. */
#pragma once
#include "numerics/lcp.h"

typedef struct kin_lcp_friction_contact {
    double mu_static[2];  /* along t and k; 0: that tangent carries nothing */
    double mu_dynamic[2]; /* used when sliding. Isotropic sliding: mu |slip_t| / |slip|, mu |slip_k| / |slip| */
    double slip[2];       /* relative tangential velocity, m/s */
    bool joint;           /* not a contact: all three rows are held at a = 0 by forces of any sign, as of a ball joint; the rest is unused */
} kin_lcp_friction_contact;

typedef struct kin_lcp_friction {
    int contacts;
    const double* matrix; /* 3 contacts x 3 contacts, row-major, rows n t k of contact 0, then of contact 1, ... */
    const double* offset;
    const kin_lcp_friction_contact* contact;
    double slip_threshold; /* m/s: a contact slides when |slip| is above */
    int max_pivots;        /* for each try; 0: 100 + 30 contacts */
} kin_lcp_friction;

bool kin_lcp_slides(const kin_lcp_friction* lcp, int contact);
double kin_lcp_slide_ratio(const kin_lcp_friction* lcp, int contact, int axis); /* of a sliding contact: F_t / F_n = -sign(slip_t) mu_d */

/* Fills force and accel (3 numbers per contact) and handed (kin_lcp_handed per contact; may be NULL). report.handed counts contacts.
 * Joints come first, then contacts, by index. A pivot solves the system of the r zero-acceleration rows anew in O(r^3), with complete pivoting
 * because redundant contacts make it singular. After a handing over or a putting off all is solved again from the start. LIMIT also when a contact goes
 * around again after being put off twice, or 16 times were not enough in all: large mu_s can do that, and kin_lcp_friction_lemke takes it from there. */
kin_lcp_report kin_lcp_baraff(const kin_lcp_friction* lcp, double* force, double* accel, uint8_t* handed, kin_arena* scratch);

/* The worst violation over contacts not HANDED (handed may be NULL), as an acceleration: |min(A_nn F_n, a_n)|,
 * A_tt |F_t - clamp(F_t - a_t / A_tt, +-mu_s F_n)|, A_tt |F_t + sign(slip_t) mu_d F_n|, |a| of joints. A_ii = 0 counts as 1. */
double kin_lcp_friction_residual(const kin_lcp_friction* lcp, const double* force, const uint8_t* handed);
