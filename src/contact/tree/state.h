/* state.h - what a block of joints keeps, shared by the files of this folder.
 *
 * Bodies: the free ones first, by rising number in the group; then the anchors, bodies that no force moves. The end of a substep is a function of the mean
 * velocities: x1 = x + h v_mean, q1 = Cayley(h w_mean) q. Theta is each body's own: v1 = v + (v_mean - v) / theta. */
#pragma once
#include "contact/tree/tree.h"
#include "numerics/block_ldl.h"

#define KIN_JOINT_TREE_FAR 1e300       /* m, rad: all limits are seen */
#define KIN_JOINT_TREE_COMPLIANCE 1e-4 /* see loops.c; and a pivot of less, of its diagonal, is of a row that says what others say */
enum { KIN_JOINT_TREE_LEVELS = 3 };    /* a substep is halved at most so often */

typedef struct kin_joint_tree_motion { /* at the beginning of a substep */
    kin_vec3 x, v, spin;               /* spin in the body's frame */
    kin_quat q;
} kin_joint_tree_motion;

typedef struct kin_joint_tree_body {
    uint32_t number; /* in the group; KIN_NO_BODY: the world */
    bool moves, turns;
    int part; /* connected piece of the graph; -1: an anchor */
    double mass;
    kin_vec3 moments;
    kin_vec3 force, torque; /* N, N m: held over the interval */
    kin_joint_tree_motion now;
    kin_mat3 r0, r1;         /* orientation at both ends */
    kin_vec3 momentum;       /* N m s: angular, at the beginning */
    kin_vec3 mean_v, mean_w; /* the unknowns; world axes */
    kin_vec3 x1, spin1;
    kin_quat q1;
    double theta, stress; /* stress: h^2 sum max(0, F . r) / (2 I) */
    double inv_mass;      /* Mh^-1 */
    kin_sym3 inverse;
    kin_vec3 push, twist; /* N s, N m s: of what is not a joint that holds, in this substep */
    kin_vec3 dv, dw;      /* change on its way */
    kin_sym3 roll;        /* N m: how contacts that roll stiffen it against turning, as last */
} kin_joint_tree_body;

typedef struct kin_joint_tree_row { /* J: C' = la . va + aa . wa + lb . vb + ab . wb */
    kin_vec3 la, aa, lb, ab;
    kin_vec3 turned_a, turned_b; /* inverse aa, inverse ab */
} kin_joint_tree_row;

/* A limit, motor, spring or friction of a joint. */
typedef struct kin_joint_tree_loose {
    kin_joint_tree_row row;
    kin_joint_row of;           /* in the middle of the substep */
    double error0, error, rate; /* C at the ends, and C' of the mean velocities it was measured with */
    int joint;                  /* of the block */
} kin_joint_tree_loose;

typedef struct kin_joint_tree_joint {
    uint32_t number;  /* in the group */
    kin_joint* joint; /* during an interval */
    int a, b, first, rows;
    bool point;                        /* the first three rows: one point in common */
    bool plain;                        /* a ball joint: these alone, and its rows are not written out */
    bool grounded;                     /* what it does to a is not the opposite of what it does to b: the world has its share */
    kin_mat3 turned_a, turned_b;       /* of a plain one: Mh^-1 ~r^t of both sides */
    kin_vec3 anchor_a, anchor_b;       /* in the bodies' frames */
    double inv_across_a, inv_across_b; /* 1/(kg m^2): of the mean moment across the lever */
    double yield;                      /* 1/kg: compliance / h^2 of its point; 0 outside loops (loops.c) */
    kin_vec3 start_a, start_b;         /* levers at the beginning, world */
    kin_vec3 lever_a, lever_b;         /* their means over the substep: r1 - r0 = h w_mean x r, exactly */
    int loose_first, loose_count;
    kin_vec3 load, twist; /* N s, N m s on b, about the anchor: sum over the interval */
} kin_joint_tree_joint;

typedef struct kin_joint_tree_pair { /* two joints with a body in common */
    int i, j, body;
    bool a_of_i, a_of_j;
    kin_block_slot slot;
} kin_joint_tree_pair;

typedef struct kin_joint_tree_part { /* bodies that hang together */
    bool anchored;
    double mass;
    kin_vec3 center, expected;     /* of mass before the substep; angular momentum about it to be expected after it */
    kin_vec3 now, linear, angular; /* centre of mass, momenta about it */
    kin_sym3 inertia;
} kin_joint_tree_part;

struct kin_joint_tree {
    kin_allocator allocator;
    kin_arena arena;
    int free, bodies, joints, all_joints, pairs, parts; /* joints: those that hold something, first among all */
    kin_joint_tree_body* body;
    uint32_t *numbers, *anchors;  /* of the free bodies and of the others, rising */
    int *by_body, *by_body_first; /* joints that hold, by free body */
    kin_joint_tree_joint* joint;
    kin_joint_tree_pair* pair;
    kin_block_slot* own;        /* by joint: its diagonal block */
    kin_joint_tree_row* row;    /* of what holds, joint after joint */
    double *force, *error, *mu; /* by row: N or N m; m or rad; N s */
    double* error0;             /* of the beginning of the substep */
    double* compliance;         /* by row: m/N. C = -compliance F; `error` is C + compliance F */
    kin_joint_tree_part* part;
    kin_block_ldl ldl;
    kin_joint_tree_loose* loose; /* of all joints, in their order */
    size_t loose_capacity;
    int loose_count;
    double *warm, *impulse; /* by joint and slot: N as last; N s in this substep */
    kin_joint_tree_motion* saved[KIN_JOINT_TREE_LEVELS + 1];
    double *saved_force[KIN_JOINT_TREE_LEVELS + 1], *saved_error[KIN_JOINT_TREE_LEVELS + 1];
    kin_joint_tree_motion* left; /* as the last substep left them: what differs was pushed or placed since */
    kin_joint_tree_settings settings;
    kin_body* group;   /* between begin and end */
    double elapsed, h; /* s: of the interval so far; of the substep */
    double worst;      /* m, rad: of errors at the ends */
    double missed;     /* rad/s: of spins, as the last iteration took a body's momentum to change as if it did not turn */
    double gap;        /* m, rad: of C, with what loops yield */
    int substep, iterations;
    int level;                      /* of halves: which of the saved is the beginning */
    double allowed, closing;        /* J: kinetic energy at the end that has a source; and from joints that were open */
    bool has_loops, yields;         /* yields: joints of loops could not be fulfilled, and are springs since */
    bool dependent;                 /* in this substep a row was all but a sum of others */
    bool at_rest, damped, floating; /* damped: all theta = 1; floating: some part has no anchor */
    bool still;                     /* nothing moved in the last substep, or will in the next if nothing changes: it is left out, to the same bits */
    double still_h;
    struct kin_joint_tree_extras* extras; /* during a substep; NULL: none */
    kin_joint_tree_report report;
};
typedef struct kin_joint_tree_extras kin_joint_tree_extras;

/* What multipliers of a joint's rows do to its bodies: J^t f. */
typedef struct kin_joint_tree_wrenches {
    kin_vec3 force_a, torque_a, force_b, torque_b;
} kin_joint_tree_wrenches;

static inline kin_joint_tree_wrenches kin_joint_tree_joint_wrench(const kin_joint_tree* t, const kin_joint_tree_joint* j, const double* f)
{
    kin_joint_tree_wrenches w = {0};
    int r = 0;
    if (j->point) {
        kin_vec3 force = {f[j->first], f[j->first + 1], f[j->first + 2]};
        w = (kin_joint_tree_wrenches){force, kin_cross(j->lever_a, force), kin_neg(force), kin_cross(force, j->lever_b)};
        r = 3;
    }
    for (; r < j->rows; ++r) {
        const kin_joint_tree_row* row = &t->row[j->first + r];
        double x = f[j->first + r];
        w.force_a = kin_add_scaled(w.force_a, x, row->la);
        w.torque_a = kin_add_scaled(w.torque_a, x, row->aa);
        w.force_b = kin_add_scaled(w.force_b, x, row->lb);
        w.torque_b = kin_add_scaled(w.torque_b, x, row->ab);
    }
    return w;
}

/* v1 */
static inline kin_vec3 kin_joint_tree_end_velocity(const kin_joint_tree_body* b)
{
    return kin_add_scaled(b->now.v, 1 / b->theta, kin_sub(b->mean_v, b->now.v));
}

static inline double kin_joint_tree_body_kinetic(const kin_joint_tree_body* b, kin_vec3 v, kin_vec3 spin)
{
    return 0.5 * ((b->moves ? b->mass * kin_length2(v) : 0) + (b->turns ? kin_dot(spin, kin_mul(b->moments, spin)) : 0));
}

/* newton.c */
void kin_joint_tree_start(kin_joint_tree* tree, double h);          /* the beginning of a substep: mean velocities guessed, loads as last */
double kin_joint_tree_settle(kin_joint_tree* tree, double h);       /* ends and rows from mean velocities; the worst error of joints */
void kin_joint_tree_iterate(kin_joint_tree* tree, double h);        /* one of Newton's */
void kin_joint_tree_sum_loads(kin_joint_tree* tree, double h);      /* what joints bear */
void kin_joint_tree_commit(kin_joint_tree* tree, double h);         /* the end becomes the beginning */
bool kin_joint_tree_factor(kin_joint_tree* tree);                   /* of J Mh^-1 J^t; false: not finite */
void kin_joint_tree_still(kin_joint_tree* tree);                    /* rows and plain masses as the bodies stand */
void kin_joint_tree_answer(kin_joint_tree* tree);                   /* dv, dw are kept from breaking joints: J (dv, dw) = 0; mu is what it took */
void kin_joint_tree_project(kin_joint_tree* tree, bool velocities); /* joints as the bodies stand: of positions, or of velocities */

/* loops.c */
bool kin_joint_tree_find_loops(kin_joint_tree* tree, kin_arena* scratch); /* false: no room */
void kin_joint_tree_yield(kin_joint_tree* tree);                          /* from now on: joints of loops are closed springs, without load */

int kin_joint_tree_place_of(const kin_joint_tree* tree, uint32_t number); /* tree.c: among the free bodies; -1: not there */

/* step.c */
void kin_joint_tree_open(kin_joint_tree* tree, double h);    /* Newton's first iteration */
void kin_joint_tree_advance(kin_joint_tree* tree, double h); /* the rest of the substep */

/* momentum.c */
void kin_joint_tree_expect_momentum(kin_joint_tree* tree, double h); /* before commit */
void kin_joint_tree_keep_momentum(kin_joint_tree* tree);             /* after it */
double kin_joint_tree_kinetic(const kin_joint_tree* tree);
void kin_joint_tree_limit_energy(kin_joint_tree* tree, double most); /* J: slowed until there is no more */
