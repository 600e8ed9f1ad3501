/* rows.h - what contacts and joints ask of two bodies' velocities as rows J v, and A = J M^-1 J^t by which their impulses (or forces) act on each other. All in
 * world axes, each pair of rows through the bodies they share only (C4.11.2 with E7, C4.11.4 with E8, C5.6.1 with the Jacobians of E11).
 *
 * A set has rows n, t, k for each contact and then one for each joint row. Rows are many and bodies few, so A is never written out but for the methods that
 * pivot on it, which are for few rows: products go through the bodies' motion, linear systems through blocks of bodies (through.h). The complementarity
 * solvers at the end serve impulses and forces alike. */
#pragma once
#include "base/arena.h"
#include "contact/body.h"
#include "contact/joint/joint.h"
#include "numerics/lcp_friction.h"

/* Visits of rows that the sure methods (Baraff's, Lemke's) may cost: up to the first they are used at once, as the quick ones are no cheaper; beyond the second,
 * some milliseconds, never. */
#define KIN_ROWS_LITTLE 3e3
#define KIN_ROWS_MUCH 2.5e5

enum { KIN_ROW_LINEAR_A, KIN_ROW_ANGULAR_A, KIN_ROW_LINEAR_B, KIN_ROW_ANGULAR_B, KIN_ROW_PARTS };

typedef struct kin_row {
    uint32_t a, b;    /* KIN_NO_BODY: the world */
    uint32_t node[2]; /* the same, among the bodies that rows of its set move; KIN_NO_BODY: it does not move that side */
    kin_vec3 jacobian[KIN_ROW_PARTS];
    kin_vec3 give[KIN_ROW_PARTS]; /* M^-1 J^t: change of velocities by an impulse of one */
    double most;                  /* J M^-1 J^t were it along the softest axes */
} kin_row;

/* The relative velocity of a against b at a point, along a direction. */
kin_row kin_row_at_point(const kin_body* bodies, uint32_t a, uint32_t b, kin_vec3 point, kin_vec3 direction);
kin_row kin_row_of_joint(const kin_body* bodies, uint32_t a, uint32_t b, const kin_joint_row* joint);
double kin_row_couple(const kin_row* p, const kin_row* q); /* what an impulse of one along q adds to the rate of p */
double kin_row_rate(const kin_row* row, const kin_body* bodies);
double kin_row_size(const kin_row* row, const kin_body* bodies); /* the sum of what the rate is the difference of: rounding is 1e-16 of it */
void kin_row_push(const kin_row* row, double amount, kin_body* bodies);
/* n, t or k (row 0 to 2) of k = n x t. */
kin_vec3 kin_row_direction(kin_vec3 normal, kin_vec3 tangent, int row);

typedef struct kin_row_set {
    int contacts, joints, size; /* size: 3 contacts + joints */
    kin_row* rows;
    uint8_t* one_sided; /* per joint: a limit, its force is >= 0 */
    double* diagonal;   /* of A, per row; 1 where nothing can move it */
    uint8_t* dead;      /* per row: nothing moves it */
    uint32_t nodes;     /* bodies that rows move */
    kin_twist* motion;  /* of the nodes: room for a product */
    int64_t* work;      /* what has been done with the set, in visits of a row */
    int64_t most_work;  /* beyond which sweeps and linear systems give up; 0: never */
    double soft;        /* share of the diagonal by which rows give way: what redundant ones contradict each other in is shared. 0: hard */
} kin_row_set;

/* Room for the rows; false: none. The caller fills rows and one_sided, then calls kin_row_set_couple. */
bool kin_row_set_init(kin_row_set* set, int contacts, int joints, kin_arena* arena);
bool kin_row_set_couple(kin_row_set* set, kin_arena* arena); /* nodes and diagonal; false: no room */
double kin_row_set_entry(const kin_row_set* set, int i, int j);
double* kin_row_set_matrix(const kin_row_set* set, kin_arena* arena);                                      /* A, size x size; NULL: no room */
void kin_row_set_multiply(const kin_row_set* set, const double* offset, const double* force, double* out); /* offset + A F */

/* What the sure methods are expected to cost: a pivot for each row, each as dear as a linear system. */
static inline double kin_row_set_sure_work(const kin_row_set* set)
{
    double n = set->size;
    return n * n * n * n / (3 * 40);
}

/* And of Lemke's: about one pivot for each of its variables, each as dear as its tableau is large. */
double kin_row_set_lemke_work(const kin_row_set* set, const kin_lcp_friction_contact* friction, double slip_threshold);

/* Frictionless, by Dantzig: normals and joints; tangents get 0. force and after: `size` numbers; handed: per contact, may be NULL. A contact is left out when
 * all its normal row is dead. */
kin_lcp_report kin_row_set_smooth(const kin_row_set* set, const double* offset, double* force, double* after, uint8_t* handed, kin_arena* scratch);

/* With friction: Baraff's method, Lemke's where that fails; or Lemke's at once. Joint rows are held in threes (C5.6.2: locked in ZA, no bound). */
kin_lcp_report kin_row_set_rough(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, bool lemke,
                                 double* force, double* after, uint8_t* handed, kin_arena* scratch);

/* Sweeps from the forces given, until nothing changes by more than tolerance (m/s^2); they stay within limits. False: no memory. */
bool kin_row_set_sweeps(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, int sweeps,
                        double tolerance, double* force, kin_arena* scratch);

/* By linear systems (pivots.c): quick, shares alike among redundant contacts, and may end in LIMIT, with what the sweeps found. sweeps: to find who carries;
 * guess: forces to start from, or NULL. */
kin_lcp_report kin_row_set_pivots(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, int sweeps,
                                  int most_rounds, const double* guess, double* force, double* after, kin_arena* scratch);
/* The same in turns with sweeps: for sets too large for the sure methods. Its guess, if any, is first tried as it is. enough: a residual that will do where no
 * round agrees; then soft rows are hardened (below); 0: none. */
kin_lcp_report kin_row_set_patient(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, double enough,
                                   const double* guess, double* force, double* after, kin_arena* scratch);

/* Rows that give way by a share of their diagonal have one answer, and of the softest hardly any row depends on another: from there on harder and harder ones are
 * followed, each from the states of the one before, to the hard problem, or as far as there is an answer: redundant rows may contradict each other a little, by
 * the square of what is left of their speeds. It is one if the hard problem is missed by no more than `enough`. Redundant rows end with the least forces that
 * do. soft: how soft the last rows were, may be NULL. */
kin_lcp_report kin_row_set_harden(const kin_row_set* set, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold, double enough,
                                  const double* guess, double* soft, double* force, double* after, kin_arena* scratch);
/* One step of that: rows as soft as they were a moment before. */
kin_lcp_report kin_row_set_soften(const kin_row_set* set, double soft, const double* offset, const kin_lcp_friction_contact* friction, double slip_threshold,
                                  double enough, const double* guess, double* force, double* after, kin_arena* scratch);

/* The worst violation as an acceleration (a velocity, for impulses), as in lcp_friction.h. loose: only what is forbidden counts, not what could be better. */
double kin_row_set_residual(const kin_row_set* set, const kin_lcp_friction_contact* friction, double slip_threshold, const double* force, const double* after,
                            bool loose);

static inline bool kin_row_set_is_spent(const kin_row_set* set) { return set->most_work > 0 && *set->work >= set->most_work; }

/* The velocities that nodes have by impulses along rows. */
static inline void kin_row_stir(const kin_row* row, double amount, kin_twist* motion)
{
    for (int side = 0; side < 2; ++side) {
        if (row->node[side] == KIN_NO_BODY) continue;
        kin_twist* t = &motion[row->node[side]];
        t->velocity = kin_add_scaled(t->velocity, amount, row->give[2 * side]);
        t->spin = kin_add_scaled(t->spin, amount, row->give[2 * side + 1]);
    }
}

static inline double kin_row_stirred(const kin_row* row, const kin_twist* motion)
{
    double sum = 0;
    for (int side = 0; side < 2; ++side) {
        if (row->node[side] == KIN_NO_BODY) continue;
        const kin_twist* t = &motion[row->node[side]];
        sum += kin_dot(row->jacobian[2 * side], t->velocity) + kin_dot(row->jacobian[2 * side + 1], t->spin);
    }
    return sum;
}

/* A x = d for square A that may be singular (redundant contacts) as long as d is consistent: the answer of nearly least norm. scale: per row 1 / sqrt of what
 * its diagonal is without friction; columns: how many d and x hold, one after the other. a is spoilt. Returns the largest |d - A x| against the largest |d|,
 * rows scaled; negative when out of memory. */
double kin_rows_settle(int n, double* a, const double* scale, int columns, const double* d, double* x, kin_arena* scratch);
