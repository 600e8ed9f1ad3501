/* points.h - joints of a common point (ball, hinge, universal, fixed) in lanes: what the kernels read and write.
 *
 * The point is a block of three, solved at once: with v the velocity of B's anchor against A's, e the gap and K its response,
 *
 *     K d = -(v + rate e),  K = (1/mA + 1/mB) - [rA] IA^-1 [rA] - [rB] IB^-1 [rB]
 *
 * All else that such a joint does is a torque about one axis, on B and, the other way round, on A: a row of turns each. These come first, the point last: it
 * is the point that is seen.
 *
 * Eight joints to a block, structure of arrays. Empty lanes: the line at rest, no mass. */
#pragma once
#include "contact/realtime/rows.h"

/* One row of each of eight joints. */
typedef struct kin_rt_turns {
    kin_rt_lane axis[3];               /* rate = axis . (wB - wA) */
    kin_rt_lane start, error;          /* rad: as the interval began, and now */
    kin_rt_lane target, mass, most;    /* rad/s; 1 / response; N m s */
    kin_rt_lane rate, give;            /* springs: 1/s of the error, and 1 / (N m s) */
    kin_rt_lane hold, limit;           /* 1: it is soft; 1: it pushes only, and lets through what it is away */
    kin_rt_lane impulse, carried, sum; /* in a substep; what that began with; over the interval */
    uint8_t slot[KIN_RT_LANES];        /* kin_joint_row.slot */
} kin_rt_turns;

typedef struct kin_rt_points {
    int32_t a[KIN_RT_LANES], b[KIN_RT_LANES];           /* lines; the complement: not to be written */
    int32_t base_a[KIN_RT_LANES], base_b[KIN_RT_LANES]; /* gains, by number of body; likewise */
    uint32_t joint[KIN_RT_LANES];                       /* whose lane; UINT32_MAX: nobody's */
    uint32_t first, count;                              /* rows of turns */
    uint32_t springs;                                   /* of them */
    kin_rt_lane was_a[3], was_b[3], arm_a[3], arm_b[3]; /* m: from the centres to the anchors, as the interval began and now */
    kin_rt_lane turn_a[3], turn_b[3];                   /* rad: how far the bodies had turned in this interval when arms were last followed */
    kin_rt_lane inertia_a[6], inertia_b[6], mass_a, mass_b;
    kin_rt_lane start[3], error[3];             /* m: of the gap, as the interval began and now */
    kin_rt_lane lower[3], pivot[3];             /* K = L D L^t: L_10 L_20 L_21, 1 / D */
    kin_rt_lane mass;                           /* kg: 3 / trace K */
    kin_rt_lane impulse[3], carried[3], sum[3]; /* N s, on B */
} kin_rt_points;

typedef enum kin_rt_joint_pass { KIN_RT_JOINT_WARM, KIN_RT_JOINT_SOFT, KIN_RT_JOINT_AGAIN, KIN_RT_JOINT_RELAX } kin_rt_joint_pass;

typedef struct kin_rt_point_kernels {
    /* After arms, axes and springs are set: inverse masses, what K and the turns respond. */
    void (*prepare)(const kin_rt_lines* lines, kin_rt_points* p, kin_rt_turns* t);
    /* A pass through blocks; whether a joint of theirs was struck. */
    int (*pass)(const kin_rt_lines* lines, kin_rt_gain* gain, kin_rt_points* p, kin_rt_turns* t, int count, const kin_rt_soft* soft, kin_rt_joint_pass pass);
} kin_rt_point_kernels;
extern const kin_rt_point_kernels kin_rt_point_kernels_none, kin_rt_point_kernels_sse2, kin_rt_point_kernels_avx2;
