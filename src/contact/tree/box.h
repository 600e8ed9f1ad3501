/* box.h - impulses with bounds on a dense matrix: contacts, friction, limits and motors of a block, which all feel each other through its joints.
 *
 * Find p with rate r = W p + r0: r = 0 inside the bounds, r >= 0 at `low`, r <= 0 at `high`; friction is a disc of radius mu times its normal's impulse.
 * Sweeps of Gauss-Seidel find which rows are at their bounds; a direct solve of the others finishes (subspace minimization, Silcowitz 2010). Sweeps alone
 * do not converge where a loaded chain lies on a peg: all contacts carry the tension of the whole chain. */
#pragma once
#include "base/arena.h"

typedef struct kin_joint_tree_bound {
    double low, high; /* N s, N m s */
    double mu;        /* of a row of friction */
    int normal;       /* >= 0: friction with the row after it, against the normal of that number */
} kin_joint_tree_bound;

typedef struct kin_joint_tree_box {
    int size;
    double* matrix; /* size x size */
    double* rate;   /* r at p */
    double* p;
    kin_joint_tree_bound* bound;
    double* factor;                    /* spare: size x size */
    double *step, *kept_p, *kept_rate; /* spare */
    int* free;                         /* spare */
} kin_joint_tree_box;

/* False: no room. The arrays are not filled. */
bool kin_joint_tree_box_take(kin_joint_tree_box* box, int size, kin_arena* arena);
/* Returns the last change of a rate: how far from done. */
double kin_joint_tree_box_solve(kin_joint_tree_box* box, double tolerance);
