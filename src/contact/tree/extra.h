/* extra.h - what meets a block besides the joints that hold: contacts with friction, and limits, motors, springs and friction of its joints. Impulses with
 * bounds on the mean velocities, solved together on the Delassus matrix W = N (Mh^-1 - Mh^-1 J^t A^-1 J Mh^-1) N^t: each feels the whole tree. */
#pragma once
#include "contact/tree/state.h"

typedef struct kin_joint_tree_side { /* of a contact */
    int body;                        /* of the block; -1: not */
    kin_body* other;                 /* free, not of the block */
    kin_vec3 x, v, w;                /* not of the block: its pose and motion at the start of the substep */
    kin_quat q;
} kin_joint_tree_side;

struct kin_joint_tree_extras {
    kin_joint_tree_contact* contact;
    int count;
    kin_joint_tree_side (*side)[2];
    double *applied, *total; /* N s: n, t, k of contacts, then the loose rows; in this part of the substep, and before it */
    kin_vec3 *saved_v[KIN_JOINT_TREE_LEVELS + 1], *saved_w[KIN_JOINT_TREE_LEVELS + 1]; /* of the others */
    kin_vec3 *base_v, *base_w;                                                         /* of the others: before this part of the substep */
    kin_vec3 *push, *twist;                                                            /* N s, N m s: on them, as the block's own in the last solve */
    double h, inside;                                                                  /* s: the substep; how much of it is done */
    double change;                                                                     /* m/s, rad/s: what the last solve changed */
    double work;                                                                       /* J: see work_to_note */
    bool fresh;                                                                        /* warm starts are still to be put on */
    bool relaxing;                                                                     /* on velocities as they are, to rest */
    bool bounce;
    kin_arena* scratch;
    kin_arena_mark mark;
};

/* Into t->extras; nothing to do leaves it NULL. False: no room, and contacts are left alone. */
bool kin_joint_tree_extras_open(kin_joint_tree* tree, kin_joint_tree_contact* contacts, int count, double h, kin_arena* scratch);
void kin_joint_tree_extras_start(kin_joint_tree* tree);           /* of the substep or a part of it */
void kin_joint_tree_extras_solve(kin_joint_tree* tree, double h); /* on mean velocities, with the factors there are */
void kin_joint_tree_extras_save(kin_joint_tree* tree, int level);
void kin_joint_tree_extras_restore(kin_joint_tree* tree, int level);
void kin_joint_tree_extras_commit(kin_joint_tree* tree, double h);
void kin_joint_tree_extras_close(kin_joint_tree* tree); /* impulses out */
/* J v = 0, contacts to zero approach or to restitution, motors to their speed, with the impulses of the substep. False: nothing to do. */
bool kin_joint_tree_extras_relax(kin_joint_tree* tree, kin_joint_tree_contact* contacts, int count, bool bounce, kin_arena* scratch);
