/* rows.h - contacts in lanes: what the kernels read and write.
 *
 * A contact has a frame (t1, t2, n) at the middle c of its patch, t1 x t2 = n, n from A to B, and up to four points c + a t1 + b t2. With w the relative spin
 *
 *     vn_k = n . dv + jB . wB - jA . wA + b w.t1 - a w.t2        j = r_c x n
 *     g_k = (1, b, -a),  K = the 3x3 response of (n at c, torque about t1, torque about t2),  W_kl = g_k . K g_l
 *
 * so the four rates are found once, swept with W, and one wrench is applied: point-by-point Gauss-Seidel up to rounding.
 *
 * Frames are frozen in world axes when a manifold is built, and kept while the bodies have hardly moved against each other: each step only the separations
 * are new. Levers that follow the bodies make a tall stack lean over, like an inverted pendulum: contacts are soft, and a column of springs buckles. Frozen ones
 * drop that moment. So a frame turns, and its levers with it, where that is no lean: with the body that forces do not move, if it has one; else when both bodies
 * have turned from it by more than stacks lean.
 *
 * Friction that holds on a body that turns is a constraint of place: points stay where they met on both bodies but for what solving leaves (`stray`), which is undone
 * over the next intervals. Where it slips, bodies do not turn together, or touch in one point only, they meet anew: a stack at rest is not kept in place, for undoing
 * its creep from one sweep to the next is a push, and a wall of twenty bricks leans over by it.
 *
 * Eight contacts to a block, structure of arrays. Empty lanes: the line at rest, points far away, no mass. */
#pragma once
#include "kinema/math.h"
#include <stddef.h>
#include <stdint.h>

enum { KIN_RT_LANES = 8, KIN_RT_POINTS = 4 };
#define KIN_RT_FAR 1e9f   /* m: separation of a point that is not there */
#define KIN_RT_SLACK 0.02 /* of the least half extent: how far anchors may part before a manifold is built anew */
/* rad: how far two free bodies turn, in the mean, before their frame follows (towers of 30 cubes lean by less; from 1e-3 they fall); one that is led. */
#define KIN_RT_LEAN 3.5e-3f
#define KIN_RT_LED 1e-5f

typedef float kin_rt_lane[KIN_RT_LANES] __attribute__((aligned(32)));
static inline kin_vec3 kin_rt_vector(kin_rt_lane* x, uint32_t l) { return (kin_vec3){(double)x[0][l], (double)x[1][l], (double)x[2][l]}; }

/* A lane's symmetric matrix xx xy xz yy yz zz times a vector. */
static inline kin_vec3 kin_rt_turned(kin_rt_lane* s, uint32_t l, kin_vec3 v)
{
    double xx = (double)s[0][l], xy = (double)s[1][l], xz = (double)s[2][l], yy = (double)s[3][l], yz = (double)s[4][l], zz = (double)s[5][l];
    return (kin_vec3){xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z, xz * v.x + yz * v.y + zz * v.z};
}

/* How a manifold was built; asked once an interval. */
typedef struct kin_rt_geometry {
    kin_rt_lane n_a[3], t_a[3], n_b[3], t_b[3]; /* n and t1 in both bodies' axes */
    kin_rt_lane point_a[4][3], point_b[4][3];   /* m, in both bodies' axes from their centres */
    kin_rt_lane built[4];                       /* m: separations */
    kin_rt_lane rest[2];                        /* m: of B's points against A's along t1 and t2, on the mean, where friction holds them */
    kin_rt_lane slack;                          /* m^2: square of how far anchors may part; empty lanes: KIN_RT_FAR */
    kin_rt_lane roll;                           /* rad^2: square of how far the bodies of what rolls may turn; of others: KIN_RT_FAR */
    kin_rt_lane told;                           /* 1: it pressed, as events have it */
    uint32_t contact[KIN_RT_LANES];             /* whose lane */
} kin_rt_geometry;

typedef struct kin_rt_rows {
    int32_t a[KIN_RT_LANES], b[KIN_RT_LANES];   /* lines; the complement: not to be written */
    kin_rt_lane n[3], t[3], arm_a[3], arm_b[3]; /* frozen frame; c from both centres, m */
    kin_rt_lane inertia_a[6], inertia_b[6];     /* inverse, xx xy xz yy yz zz */
    kin_rt_lane mass_a, mass_b;                 /* inverse */
    kin_rt_lane at_a[4], at_b[4];               /* a and b of the points, m */
    kin_rt_lane start[4], gap[4];               /* m: separations at the start of the interval and now */
    kin_rt_lane normal[4];                      /* N s: impulses in a substep, >= 0 */
    kin_rt_lane mass[4], middle_mass;           /* 1 / W_kk; of n at c: 1 / K_00 */
    kin_rt_lane cross[6];                       /* W_01 W_02 W_03 W_12 W_13 W_23 */
    kin_rt_lane along[2], twist;                /* N s, N m s: friction */
    kin_rt_lane along_mass[3], twist_mass;
    kin_rt_lane stick, slip; /* coefficients of friction: the mean of both tangents */
    kin_rt_lane spin;        /* m: spinning friction */
    kin_rt_lane pressed;     /* N s: normal impulses of the interval so far */
    kin_rt_lane stray[2];    /* m: from where friction held the points, along t1 and t2, as the interval began */
    kin_rt_lane slid;        /* 1: friction did not hold since then, or the bodies did not turn together */
    kin_rt_lane struck;      /* 1: its bodies met with a blow in this substep (strike.c) */
    kin_rt_lane carried;     /* N s: impulses that this substep began with */
    /* N s, N m s: of the interval so far, where contacts are reported (report.c); impacts add theirs always. As normal, along, twist and rolled. */
    kin_rt_lane sum_normal[4], sum_along[2], sum_twist, sum_rolled[2];
} kin_rt_rows;

/* What few contacts have; read where the block's flags say so. */
typedef struct kin_rt_extra {
    kin_rt_lane bounce;          /* coefficient of restitution */
    kin_rt_lane roll, rolled[2]; /* m; N m s about t1 and t2 */
    kin_rt_lane carry[2];        /* m/s: surface velocity of B against A along t1 and t2 */
    kin_rt_lane askew[2];        /* by how much stick and slip are more along t2, and less along t1 */
} kin_rt_extra;

/* Flags of a block. SINGLE: none of its contacts has more than one point, so the other rows are not even read. */
enum { KIN_RT_BOUNCES = 1, KIN_RT_ROLLS = 2, KIN_RT_CARRIES = 4, KIN_RT_ASKEW = 8, KIN_RT_EXTRA = 15, KIN_RT_SINGLE = 16 };
enum { KIN_RT_STALE = 0xFF, KIN_RT_MORE_POINTS = 0x100 }; /* what preparing a block returns: lanes whose manifold must be built anew; not SINGLE */

/* What of them a lane needs. */
static inline unsigned kin_rt_lane_flags(const kin_rt_extra* x, uint32_t l)
{
    return (x->bounce[l] > 0 ? KIN_RT_BOUNCES : 0u) | (x->roll[l] > 0 ? KIN_RT_ROLLS : 0u) | (x->carry[0][l] != 0 || x->carry[1][l] != 0 ? KIN_RT_CARRIES : 0u)
           | (x->askew[0][l] != 0 || x->askew[1][l] != 0 ? KIN_RT_ASKEW : 0u);
}

/* Sixteen floats a body: what substeps change, and what they do not. */
typedef struct kin_rt_motion {
    float v[3], w[3], struck, pad0; /* m/s, rad/s; sweeps of this substep up to the last that saw a blow */
    float dx[3], dr[3], pad1[2];    /* m, rad: so far in this interval */
} __attribute__((aligned(64))) kin_rt_motion;
typedef struct kin_rt_frame {
    float turn[9]; /* rows */
    float inv_inertia[6], inv_mass;
} __attribute__((aligned(64))) kin_rt_frame;

typedef struct kin_rt_gain { /* velocity before contacts, and what forces add in a substep: as the first eight of kin_rt_motion */
    float base[8], kick[8];
} __attribute__((aligned(64))) kin_rt_gain;

typedef struct kin_rt_lines {
    kin_rt_motion* motion;
    kin_rt_frame* frame;
    kin_vec3* place; /* m: centres of mass */
} kin_rt_lines;

typedef struct kin_rt_soft {
    float rate, mass_scale, impulse_scale; /* 1/s of the error undone; shares of new and old impulse */
    float inv_h, push;                     /* 1/s, m/s */
    float strike;                          /* m/s: what comes faster gives a blow */
    float deep;                            /* m: what overlaps by more pushes, and is calmed again */
    float sweep;                           /* 0: the first of a substep; 1 and more: of bodies that were struck in the one before */
    float bounce;                          /* m/s: what comes faster bounces */
    float creep;                           /* 1/s of what held contacts have crept that is undone */
} kin_rt_soft;

/* One sweep through blocks. struck: which have a contact that was struck in this substep. */
typedef void kin_rt_sweep_fn(const kin_rt_lines* lines, kin_rt_rows* r, kin_rt_extra* x, const uint8_t* flags, uint8_t* struck, int count,
                             const kin_rt_soft* soft);

typedef struct kin_rt_kernels {
    /* Bodies by number: line number + 1, gain by number. */
    void (*kick)(const kin_rt_lines* lines, kin_rt_gain* gain, const uint32_t* numbers, int count, int first);
    void (*drift)(const kin_rt_lines* lines, const uint32_t* numbers, int count, float h);
    /* Separations and rows of a block; returns KIN_RT_STALE ... force: no manifold must be built anew. */
    uint32_t (*prepare)(const kin_rt_lines* lines, kin_rt_geometry* g, kin_rt_rows* r, int force);
    void (*warm)(const kin_rt_lines* lines, const kin_rt_rows* r, const kin_rt_extra* x, const uint8_t* flags, int count);
    kin_rt_sweep_fn *solve, *again, *relax, *calm;
    /* struck: which blocks had one. */
    void (*impact)(const kin_rt_lines* lines, kin_rt_gain* gain, kin_rt_rows* r, const kin_rt_extra* x, const uint8_t* flags, uint8_t* struck, int count,
                   const kin_rt_soft* soft);
    uint32_t (*changed)(const kin_rt_geometry* g, const kin_rt_rows* r); /* lanes that press and did not, or the other way round */
} kin_rt_kernels;
extern const kin_rt_kernels kin_rt_kernels_none, kin_rt_kernels_sse2, kin_rt_kernels_avx2;
