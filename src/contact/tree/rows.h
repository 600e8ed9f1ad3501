/* rows.h - what meets a block, as rows on its velocities: each asks a rate, within bounds of its impulse. */
#pragma once
#include "contact/tree/box.h"
#include "contact/tree/extra.h"

typedef struct kin_joint_tree_extra_row {
    int body[2]; /* -1: none */
    kin_vec3 linear[2], angular[2];
    kin_body* other;
    kin_vec3 other_linear, other_angular;
    double base;         /* rate of what is neither the block's nor free */
    double target, soft; /* rate wanted; rate given way per impulse */
    kin_joint_tree_bound bound;
    int kept;                               /* in applied */
    kin_vec3 dv[2], dw[2];                  /* Mh^-1 N^t */
    int rolls;                              /* the side whose face it is; -1: none */
    double before, change;                  /* the block's rate before the impulse, and that */
    bool source;                            /* may put energy in: motors, springs, bounces, what moves by itself */
    double depth;                           /* m: of its centre of mass above the centre of what it rolls on */
    double spring, damping, error0, error1; /* of a spring; C at the start, and at the end but for the rate */
    bool is_spring;
} kin_joint_tree_extra_row;

/* Those that ask something now; room for 3 a contact and all loose rows. Returns how many. */
int kin_joint_tree_gather_rows(const kin_joint_tree* tree, const kin_joint_tree_extras* extras, double h, kin_joint_tree_extra_row* rows);
double kin_joint_tree_row_rate(const kin_joint_tree* tree, const kin_joint_tree_extra_row* row);
double kin_joint_tree_block_rate(const kin_joint_tree* tree, const kin_joint_tree_extra_row* row);   /* the block's part of it */
void kin_joint_tree_place_contact(kin_joint_tree* tree, kin_joint_tree_extras* extras, int contact); /* found anew: from here on it goes with the bodies */
bool kin_joint_tree_bounces(const kin_joint_tree* tree, const kin_joint_tree_extras* extras, const kin_joint_tree_contact* contact);
