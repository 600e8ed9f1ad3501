/* joint.h - joints in maximal coordinates: what each kind forbids, as rows on the twelve velocities of two bodies (C5.3.1 to C5.3.6 with torques, erratum
 * E11; limits, motors, springs and friction of C5.8).
 *
 * One table of functions a kind (kinds.c); everything else works on rows: the exact solver on J a + J'v = 0, the real-time solver on J v with a soft error,
 * the tree solver on C = 0 at the end of a step. A row's rate is
 *
 *     C' = linear_a . v_a + angular_a . w_a + linear_b . v_b + angular_b . w_b
 *
 * and the force of multiplier f (N or N m) on body a is f linear_a with torque f angular_a.
 *
 * Signs: gaps and slides are of b as seen from a; angles are turns of b against a about the axis. Freedoms count from where the joint was made (distance: from
 * its length). What holds a point (ball, hinge, universal, fixed) comes first, along the axes of the world: the three multipliers are the force on b. Rotation
 * rows have no zero but the right one: their error grows up to half a turn. */
#pragma once
#include "contact/body.h"
#include "kinema/base.h"
#include "kinema/rigid.h"

enum { KIN_JOINT_ROWS = 16 }; /* at most: six that hold, and two stops, motor, spring and friction of each of two freedoms */

typedef enum kin_row_kind {
    KIN_ROW_HOLD,     /* C = 0, a force of any sign */
    KIN_ROW_LIMIT,    /* C >= 0, force >= 0. Given when C is below the joint's look-ahead (rows()) */
    KIN_ROW_MOTOR,    /* C' = target, |force| <= most */
    KIN_ROW_FRICTION, /* C' = 0, |force| <= most */
    KIN_ROW_SPRING,   /* force = -stiffness C - damping C', |force| <= most */
} kin_row_kind;

typedef struct kin_joint_row {
    kin_vec3 linear_a, angular_a, linear_b, angular_b; /* J */
    double error;                                      /* C, m or rad; 0 for motors and friction */
    double bias;                                       /* J' v: C'' = J a + bias, m/s^2 or rad/s^2 */
    double target;                                     /* rate wanted, m/s or rad/s */
    double most;                                       /* |force| at most, N or N m; infinite for none */
    double stiffness, damping;                         /* springs: N/m, N s/m or N m/rad, N m s/rad */
    kin_row_kind kind;
    bool angular; /* error in rad: the force is a torque */
    uint8_t slot; /* which row of its joint this is, the same whether others are there or not: for warm starts; < KIN_JOINT_ROWS */
} kin_joint_row;

/* What the turns of a gear count against. */
typedef enum kin_gear_mount {
    KIN_GEAR_IN_WORLD, /* the world, as the axles lay at creation */
    KIN_GEAR_ON_LINE,  /* the line between parallel axles */
    KIN_GEAR_ON_AXLES, /* the other's axle: bevel gears */
} kin_gear_mount;

/* A joint once it is made: frames in the bodies. */
typedef struct kin_joint {
    kin_joint_kind kind;
    uint32_t a, b; /* bodies; KIN_NO_BODY: the world */
    kin_transform frame_a,
        frame_b;       /* in the bodies' frames: origin the anchor, x the axis that turns; universal: x of a and y of b turn. They agree at creation
                                       but for gears, and the origins of distance, rope and pulley */
    kin_quat base[2];  /* gear: the frames in the world at creation; wheel: [0] the rail, x along the suspension, in frame_a */
    kin_joint_def def; /* limits, motors, springs, friction, strength: live */
    double turned[2];  /* rad: the angles when last followed, with their whole turns (freedoms; gear: a and b); state */
    kin_gear_mount mount;
    double reach0; /* distance, rope, pulley: the length it was made with or given, m */
    bool broken;
} kin_joint;

/* Checks the def (errors name the member) and puts the frames into the bodies. KIN_NO_BODY for a or b: NULL body. A mouse has no b. */
kin_result kin_joint_make(const kin_joint_def* def, uint32_t a, const kin_body* body_a, uint32_t b, const kin_body* body_b, kin_joint* out, kin_error* error);
/* What may be changed later: whether a kind has these freedoms, and numbers that make sense. Errors name the member. */
kin_result kin_joint_check_freedoms(kin_joint_kind kind, const kin_joint_freedom freedom[2], kin_error* error);

/* The rows as the bodies are now (NULL: the world); returns how many. Those that hold come first. look_ahead: limits nearer than this (m; rad) are given, exact
 * solvers pass 0. The three rows of a mouse lie along and across its pull, in directions that count as constant. */
int kin_joint_rows(const kin_joint* joint, const kin_body* a, const kin_body* b, double look_ahead, kin_joint_row* rows);
/* Rows that hold: 3 ball, 4 universal, 5 hinge ... (N4). A distance whose freedom is used holds none of its 1. */
int kin_joint_hold_count(kin_joint_kind kind);
/* What the multipliers x of rows amount to: force on b, N, and torque about its anchor, N m. A mouse: on what pulls. Impulses for impulses. */
void kin_joint_rows_load(const kin_joint* joint, const kin_body* b, const kin_joint_row* rows, const double* x, int count, kin_vec3* force, kin_vec3* torque);

/* How far it has gone, rad or m, by freedom: which 0 or 1. Without freedoms: gear, the turns of a and b; pulley, both lengths; rope, its length less the most;
 * mouse, from the target. 0: there is no such thing. */
double kin_joint_position(const kin_joint* joint, const kin_body* a, const kin_body* b, int which);
double kin_joint_rate(const kin_joint* joint, const kin_body* a, const kin_body* b, int which);
/* After a step: counts whole turns. An angle may change by less than half a turn between two calls. */
void kin_joint_follow(kin_joint* joint, const kin_body* a, const kin_body* b);

static inline double kin_joint_row_rate(const kin_joint_row* r, const kin_body* a, const kin_body* b)
{
    return kin_dot(r->linear_a, a->velocity) + kin_dot(r->angular_a, a->spin) + kin_dot(r->linear_b, b->velocity) + kin_dot(r->angular_b, b->spin);
}
