/* tree.h - joint graphs solved directly: chains and loops of any mass ratio at 60 Hz.
 *
 * A theta energy-momentum step: the unknown is the mean velocity vb of a substep, joint forces turn with the bodies inside it, positions satisfy the joints at
 * its end. Newton's method on blocks J Mh^-1 J^t with geometric stiffness in Mh; the joint graph's sparsity is kept (numerics/block_ldl.h). Energy cannot grow;
 * momenta of what has no anchor stay. Contacts, limits, motors, springs and friction see the whole graph through the Delassus matrix.
 *
 * A block is one connected graph of stiff joints, or several that touch: contacts between its own bodies are solved with the rest. During the substeps its
 * bodies are moved by it alone, in double; the group's solver gives it what meets it:
 *
 *     kin_joint_tree_begin     once an interval: what anchors do, forces held
 *     per substep        kin_joint_tree_kick      velocities in (what was pushed or placed since fits the joints again); Newton's first iteration
 *                        kin_joint_tree_contacts  contacts on vb against W, Newton again with their impulses, until both are at rest. Also with none
 *                        kin_joint_tree_drift     x1, q1, v1 out
 *                        kin_joint_tree_relax     J(q1) v1 = 0 and contacts to zero approach, with accumulated impulses; restitution. Velocities out
 *     kin_joint_tree_end       loads of joints, warm starts kept */
#pragma once
#include "base/arena.h"
#include "contact/body.h"
#include "contact/joint/joint.h"
#include "system/visitor.h"

/* How a contact goes on while its bodies turn. A flat link on a round peg rolls: with 30 kN on it, hundreds of times a second, so that force and lever must
 * turn inside the substep as those of joints do. */
typedef enum kin_joint_tree_roll {
    KIN_JOINT_TREE_STAYS,  /* both points stay with their bodies, the normal with the world */
    KIN_JOINT_TREE_FACE_A, /* a face of a: the normal turns with a, and b is met where it is round (round_b; 0: a corner) */
    KIN_JOINT_TREE_FACE_B, /* the other way round */
    KIN_JOINT_TREE_ROUND,  /* two round ones: the normal goes through their centres */
} kin_joint_tree_roll;

/* A point where a body of the block touches something. */
typedef struct kin_joint_tree_contact {
    uint32_t a, b;             /* bodies of the group; at least one is the block's. KIN_NO_BODY or fixed ones do not answer */
    kin_body* other;           /* the one that is not the block's, as it is now (NULL: fixed or both are): its velocity is read and changed */
    kin_vec3 local_a, local_b; /* the point in both bodies' frames */
    kin_vec3 normal, tangent;  /* world, from b to a */
    kin_joint_tree_roll roll;
    double round_a, round_b;                /* m: radii of curvature; used as `roll` says */
    double separation;                      /* m, when it was found: at the start of the interval, or of this substep if it is found anew in each */
    double friction, restitution, approach; /* approach: rate along the normal before the interval, for restitution */
    kin_vec3 surface;                       /* m/s: velocity that a's surface has against b's beyond their bodies' (conveyors) */
    double n, t, k;                         /* N s: impulse accumulated in this substep; in: the warm start */
    double largest;                         /* N s: of n so far; 0 when they meet. Kept by the block until the bounce */
    bool placed;                            /* false: found anew. What follows is the block's own */
    double start;                           /* m */
    kin_vec3 normal_a, normal_b;            /* in the bodies' frames */
} kin_joint_tree_contact;

typedef struct kin_joint_tree_settings {
    double look_ahead;   /* m: contacts farther than this are left alone */
    double push_speed;   /* m/s: overlaps are undone no faster */
    double bounce_speed; /* m/s: slower does not bounce */
    int most_iterations; /* of Newton: 5 */
    double tolerance;    /* m: of joints, 1e-5 */
} kin_joint_tree_settings;

typedef struct kin_joint_tree kin_joint_tree;
/* Joints by rising number into the group's; every body that is free and jointed by them is the block's. Make it anew when masses or the kinds of joints change;
 * freedoms are live, and a joint that is broken lets go. */
kin_result kin_joint_tree_create(const kin_allocator* allocator, const kin_body* bodies, const kin_joint* joints, const uint32_t* numbers, int count,
                                 kin_joint_tree** out, kin_error* error);
/* What `from` knows of bodies and joints that it shares with the tree: forces and where they were left. Before the first interval. */
void kin_joint_tree_inherit(kin_joint_tree* tree, const kin_joint_tree* from);
bool kin_joint_tree_is_of(const kin_joint_tree* tree, const uint32_t* numbers, int count); /* whether these are its joints, and all of them */
void kin_joint_tree_destroy(kin_joint_tree* tree);
const uint32_t* kin_joint_tree_bodies(const kin_joint_tree* tree, int* count);

/* How stressed a graph of joints is: the largest h^2 sum max(0, F . r) / (2 I) over its bodies, from the loads of the last interval or, at first, from the
 * weights it carries. Above 0.1 it needs a block. */
double kin_joint_tree_stress(const kin_body* bodies, const kin_joint* joint, kin_vec3 force_a, double h);
bool kin_joint_tree_is_stressed(const kin_body* bodies, const kin_joint* joint, kin_vec3 force_a, double h, double most); /* whether it is more than `most` */

void kin_joint_tree_begin(kin_joint_tree* tree, kin_body* bodies, kin_joint* joints, const kin_vec3* force, const kin_vec3* torque,
                          const kin_joint_tree_settings* settings);
void kin_joint_tree_kick(kin_joint_tree* tree, double h);
void kin_joint_tree_contacts(kin_joint_tree* tree, kin_joint_tree_contact* contacts, int count, double h, kin_arena* scratch);
void kin_joint_tree_drift(kin_joint_tree* tree, double h);
void kin_joint_tree_relax(kin_joint_tree* tree, kin_joint_tree_contact* contacts, int count, bool bounce, kin_arena* scratch);
void kin_joint_tree_end(kin_joint_tree* tree, kin_body* bodies, kin_joint* joints);

typedef struct kin_joint_tree_report {
    double error;  /* m: worst joint */
    double energy; /* J: of the block, kinetic and of held forces */
    int iterations, halvings, projections;
} kin_joint_tree_report;
kin_joint_tree_report kin_joint_tree_reports(const kin_joint_tree* tree);
/* Mean over the interval, on b; the torque about the joint's anchor on b. With limits, motors, springs and friction. */
void kin_joint_tree_joint_load(const kin_joint_tree* tree, uint32_t joint, kin_vec3* force, kin_vec3* torque);
void kin_joint_tree_visit(kin_joint_tree* tree, kin_visitor* v);
