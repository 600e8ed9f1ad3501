/* lcp.h - linear complementarity problems of contact: a = A F + b with, per row, either contact: F >= 0, a >= 0, F a = 0, or joint: a = 0.
 *
 * A is the response matrix of the contacts (J M^-1 J^t, m/s^2 per N, or m/s per N s for impulses): symmetric positive semidefinite, row-major. It may be
 * singular: four corners of a box share the weight in many ways, and the solver picks one. b is the acceleration without contact forces.
 *
 * Dantzig's method by Baraff (Coutinho I14.2): rows join one at a time while those before keep their conditions. A row is in ZA (a = 0, F free to change)
 * or ZF (F = 0, a free to change); the driven row's force grows until its a is 0, stopping whenever another row has to change sets.
 *
 * Friction: lcp_friction.h. Nonsymmetric matrices: lemke.h. Many rows and little accuracy: lcp_sweep.h. */
#pragma once
#include "base/arena.h"
#include "kinema/base.h"

#define KIN_LCP_NOT_FINITE 1.7976931348623157e308 /* the residual when a force or acceleration is */

typedef enum kin_lcp_status {
    KIN_LCP_SOLVED,
    KIN_LCP_UNBOUNDED, /* a force could grow for ever and not help (s = infinity, or a ray of Lemke's): no solution along this path */
    KIN_LCP_LIMIT,     /* out of pivots, or numbers that are not finite; the residual says how far it got */
    KIN_LCP_MEMORY,    /* the arena failed; outputs are unspecified */
} kin_lcp_status;

typedef enum kin_lcp_kind {
    KIN_LCP_CONTACT, /* F >= 0, a >= 0, F a = 0 */
    KIN_LCP_JOINT,   /* a = 0, F of any sign */
} kin_lcp_kind;

/* What must become a collision (contacts) or is a contradiction to tell the user (joints; I14.4: b outside the column space of A). */
typedef enum kin_lcp_handed {
    KIN_LCP_KEPT,
    KIN_LCP_PARTNER, /* its force grew along with a row below; its own conditions hold without that row */
    KIN_LCP_HANDED,  /* left out: F = 0 and no condition holds. Everything else was solved without it */
} kin_lcp_handed;

typedef struct kin_lcp {
    int size;
    const double* matrix; /* A: size x size, rows one after the other */
    const double* offset; /* b */
    const uint8_t* kinds; /* kin_lcp_kind per row, or NULL: all contacts */
    int max_pivots;       /* 0: 50 + 10 size, for each try */
} kin_lcp;

typedef struct kin_lcp_report {
    kin_lcp_status status;
    int pivots;      /* index moves, over all tries */
    int handed;      /* rows (contacts, with friction) left out */
    int put_off;     /* with friction: times a contact that went around in circles was moved to the end */
    double residual; /* worst violation over what was kept, as an acceleration: |min(A_ii F_i, a_i)| or |a_i| */
} kin_lcp_report;

/* Fills force (F) and accel (A F + b), `size` numbers each, and handed (kin_lcp_handed per row; may be NULL).
 * A pivot costs O(size |ZA|): the Cholesky factor of the ZA block grows and shrinks by a row in O(|ZA|^2). It needs size^2 numbers of scratch. When a row is
 * handed over the others are solved again from the start. Order: joints, then contacts, by index; ties go to the lowest index. */
kin_lcp_report kin_lcp_dantzig(const kin_lcp* lcp, double* force, double* accel, uint8_t* handed, kin_arena* scratch);

/* max |min(A_ii F_i, a_i)| (|a_i| for joints), where A_ii = 0 counts as 1. */
double kin_lcp_residual(const kin_lcp* lcp, const double* force);

/* The larger of most and |miss|, where NaN is the largest of all: for the residuals of this folder. */
static inline double kin_lcp_worse(double most, double miss)
{
    double size = miss < 0 ? -miss : miss;
    return size <= most ? most : size <= KIN_LCP_NOT_FINITE ? size : KIN_LCP_NOT_FINITE;
}

/* A solution that is not a number is none. */
static inline void kin_lcp_distrust(kin_lcp_report* report)
{
    if (report->residual >= KIN_LCP_NOT_FINITE && report->status != KIN_LCP_MEMORY) report->status = KIN_LCP_LIMIT;
}
