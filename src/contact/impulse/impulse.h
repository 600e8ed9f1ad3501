/* impulse.h - collisions of bodies: all impulses of a cluster together (C4.11.1, C4.11.2, H10.2, H10.3, H10.14, H10.15, R6).
 *
 * A meeting is a point where two bodies collide: normal n from b to a, tangents t and k = n x t. Impulses act on a, and the opposite on b. Joints among the
 * bodies take part: their rows keep their rates at zero through the impact (C5.6.1). */
#pragma once
#include "base/arena.h"
#include "contact/body.h"
#include "contact/joint/joint.h"

typedef struct kin_meeting {
    uint32_t a, b;            /* KIN_NO_BODY: fixed */
    kin_vec3 point;           /* m */
    kin_vec3 normal;          /* unit, from b to a */
    kin_vec3 tangent;         /* unit, across the normal; zero: along the slip, so that friction does not depend on the choice of axes */
    kin_vec3 surface;         /* m/s: velocity that the surfaces have beyond their bodies' (conveyors), of a against b */
    double restitution;       /* >= 0 */
    double friction[2];       /* along t and k */
    double rolling, spinning; /* m: levers of the load against turning across and about the normal */
    bool resting;             /* slower than the threshold: it may take impulses but does not bounce (N1: the resting ball of three) */
} kin_meeting;

typedef enum kin_impulse_method {
    KIN_IMPULSE_SYSTEM,     /* the text's linear system with slide or stick decided by critical coefficients, both axes; P_n < 0: dropped, solved again */
    KIN_IMPULSE_LCP,        /* complementarity K j + (1 + e) v >= 0 (H10.15), friction as a box by Lemke's method */
    KIN_IMPULSE_MICRO,      /* one after the other, each by integrating slip over its own course (C4.13; Keller, Mirtich); restitution by work
                               (Stronge), friction within its cone */
    KIN_IMPULSE_SEQUENTIAL, /* one after the other until none approaches: the cradle's way */
    KIN_IMPULSE_SWEEPS,     /* together, by sweeps alone, nothing bounces: never fails, and may be off a little (`enough`, if it can be had) */
} kin_impulse_method;

typedef struct kin_joint_at { /* a row of a joint: held, or a LIMIT that takes impulses >= 0 */
    uint32_t a, b;
    kin_joint_row row;
} kin_joint_at;

typedef struct kin_impulse_cluster {
    kin_body* bodies;
    uint32_t body_count;
    const kin_meeting* meetings;
    int count;
    const kin_joint_at* joints; /* rows; NULL: none */
    int joint_count;
    kin_impulse_method method;
    int most_rounds;   /* of dropping, or of taking turns; 0: 100 + 10 count */
    int64_t most_work; /* visits of rows, SYSTEM, SWEEPS: no more is begun after these; 0: no limit */
    double enough;     /* m/s, SYSTEM, SWEEPS: a residual that will do if it can be had quickly; 0: as exact as can be */
} kin_impulse_cluster;

typedef enum kin_slip_case { KIN_SLIDE_SLIDE, KIN_SLIDE_STICK, KIN_STICK_SLIDE, KIN_STICK_STICK, KIN_SLIP_NONE } kin_slip_case;

typedef struct kin_impulse {
    double n, t, k;     /* N s, on a */
    kin_vec3 tangent;   /* the t it was solved with */
    kin_slip_case slip; /* NONE: it took no impulse */
    double critical[2]; /* friction below which it slides along t and k, with all else as it came out (magnitudes; 0 where it took no impulse) */
    double restitution; /* that it had: below what was asked where friction would have made energy out of nothing (Kane), above 1 never */
} kin_impulse;

typedef struct kin_impulse_report {
    int rounds;
    double residual; /* m/s: worst miss of the restitution, stick and joint rows */
    int64_t work;    /* visits of a row: what it cost, whatever the machine */
    bool converged;
} kin_impulse_report;

/* Couples against rolling and spinning are as large as it takes to end the turning, up to lever times load, along the mean of the turning before and after.
 *
 * Solves the groups of the cluster, each on its own (kin_impulse_groups), and changes velocities and spins. Nothing approaches afterwards if converged: what
 * parted and was pushed together by others is taken in further passes, what is left then stops. Without meetings joints alone are brought to rest, limits too.
 * No energy is gained for restitutions up to 1. Where Lemke's method would cost too much (KIN_ROWS_MUCH: above 24 contacts with friction in a group) an answer to 1e-6 of the speed will do. out (count) and joint_out (joint_count, N s or N m s) may be NULL. */
kin_impulse_report kin_impulses_apply(const kin_impulse_cluster* cluster, kin_impulse* out, double* joint_out, kin_arena* scratch);

/* One meeting in closed form, 15 x 15 dense and 15 x 15 sparse: three ways to the same P (C4.11.1). */
typedef enum kin_single_method { KIN_SINGLE_CLOSED, KIN_SINGLE_DENSE, KIN_SINGLE_SPARSE } kin_single_method;
kin_impulse kin_impulse_single(const kin_meeting* meeting, const kin_body* a, const kin_body* b, kin_single_method method, kin_arena* scratch);

/* K (count x count, normals only; or 3 count with tangents): by formula and by unit test impulses (H10.14). They agree. False: no memory. */
void kin_impulse_matrix(const kin_body* bodies, const kin_meeting* meetings, int count, bool tangents, double* matrix);
bool kin_impulse_matrix_by_tests(kin_body* bodies, uint32_t body_count, const kin_meeting* meetings, int count, bool tangents, double* matrix,
                                 kin_arena* scratch);

/* Which meetings share bodies (through joints too): group[i] numbers from 0, in order of first meeting; returns how many, -1 without memory. Fixed bodies join nothing. */
int kin_impulse_groups(const kin_body* bodies, uint32_t body_count, const kin_meeting* meetings, int count, const kin_joint_at* joints, int joint_count,
                       int* group, kin_arena* scratch);
