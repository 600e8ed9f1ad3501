/* system.h - many joints solved at once and directly: J M^-1 J^t x = b over the graph of joints (C5.4, with J as in erratum E11), by blocks (block_ldl.h).
 *
 *     kin_joint_system_make      once for a graph: which joints share a body. A node is a joint's rows, 1 to 6 of them; more are two nodes
 *     kin_joint_system_fill      as the bodies are now; no allocation from here on
 *     kin_joint_system_forces    x so that C'' = 0: joint forces and torques, given all others
 *     kin_joint_system_impulses  x so that C' is what is wanted: all joints answer a blow together, chains and loops (C5.6)
 *
 * Rows that say the same twice (loops, the planar four-bar of hinges) are found and left out; what acts on bodies does not depend on which. */
#pragma once
#include "contact/joint/joint.h"
#include "numerics/block_ldl.h"

typedef struct kin_joint_node {
    uint32_t a, b; /* bodies; KIN_NO_BODY: the world */
    int count;     /* rows, 1 to KIN_BLOCK_MOST; they follow those of the node before in all vectors */
} kin_joint_node;

typedef struct kin_joint_meeting { /* a body that two nodes share, or that one has */
    int i, j;                      /* nodes */
    int side_i, side_j;            /* 0: it is their a, 1: their b */
    kin_block_slot slot;
} kin_joint_meeting;

typedef struct kin_joint_answer { /* M^-1 J^t of a row */
    kin_vec3 linear, angular;
} kin_joint_answer;

typedef struct kin_joint_system {
    int nodes, rows, meetings;
    kin_joint_node* node;
    kin_joint_meeting* meeting;
    kin_joint_answer* answer; /* two a row: of a, of b */
    kin_block_ldl ldl;        /* compliance may be set before fill */
} kin_joint_system;

/* Bodies that forces do not move when it is made link nothing. What is kept lives in the arena; scratch is free again afterwards, if it is another. False: no
 * room. */
bool kin_joint_system_make(int nodes, const kin_joint_node* node, const kin_body* bodies, kin_arena* arena, kin_arena* scratch, kin_joint_system* out);
kin_block_report kin_joint_system_fill(kin_joint_system* system, const kin_body* bodies, const kin_joint_row* rows);

/* J M^-1 J^t x = -(J'v + J (M^-1 Q + driven)), Q being force and torque by body and the gyroscopic torque; driven: m/s^2, rad/s^2, accelerations of bodies that
 * forces do not move, by body, zero for others; NULL: none. Returns by how much rows that were left out miss. */
double kin_joint_system_forces(const kin_joint_system* system, const kin_body* bodies, const kin_joint_row* rows, const kin_vec3* force, const kin_vec3* torque,
                               const kin_twist* driven, double* x);
/* J M^-1 J^t x = wanted - J v; wanted NULL: nothing moves that is held. */
double kin_joint_system_impulses(const kin_joint_system* system, const kin_body* bodies, const kin_joint_row* rows, const double* wanted, double* x);

/* force += J^t x, by body. */
void kin_joint_system_load(const kin_joint_system* system, const kin_joint_row* rows, const double* x, kin_vec3* force, kin_vec3* torque);
/* v += M^-1 J^t x. */
void kin_joint_system_push(const kin_joint_system* system, const double* x, kin_body* bodies);
