/* foam.h - spray, foam and bubbles: small particles that a fluid makes where it traps air, and carries, throws and lifts (Ihmsen et al. 2012).
 *
 * A particle of the fluid makes them at a rate I_k (k_ta I_ta + k_wc I_wc), each I being 0 below its lower limit, 1 above the upper one and linear between:
 *
 *   I_ta  air is trapped where neighbours meet: sum of |v_ij| (1 - v_ij x_ij / (|v_ij| |x_ij|)) W
 *   I_wc  crests break: sum of (1 - n_i n_j) W over neighbours behind the tangent plane, where the fluid moves along its normal (within 53 degrees)
 *   I_k   what is slow makes none: v^2 / 2
 *
 * with W = 1 - r / reach. A made particle is spray, foam or a bubble by the number of fluid particles within reach, each step anew: spray flies, foam moves with
 * the fluid, bubbles rise against it. Foam lives for its lifetime; spray and bubbles grow old more slowly.
 *
 * Draws are functions of (seed, system, serial of the fluid particle, step, draw): no stream, no dependence on order or threads.
 *
 *     kin_foam_create(&allocator, &def, &foam, &error);
 *     kin_foam_step(foam, jobs, &fluid, gravity, h, &error);    // after the fluid's own step; nothing at all while def.most is 0
 *     kin_foam_capture(foam, "water", capture);                  // layers water/spray, water/foam, water/bubbles */
#pragma once
#include "base/jobs.h"
#include "base/simd.h"
#include "system/capture.h"
#include "system/param.h"
#include "system/visitor.h"

typedef enum kin_foam_kind { KIN_FOAM_SPRAY, KIN_FOAM_FOAM, KIN_FOAM_BUBBLES, KIN_FOAM_KINDS } kin_foam_kind;

typedef struct kin_foam_def {
    int64_t most;        /* there are never more; 0: none are made, and nothing is computed */
    double spacing;      /* m, of the fluid's particles */
    double reach;        /* in spacings: who is a neighbour */
    double trapped[2];   /* m/s: limits of what trapped air is told by */
    double crest[2];     /* limits of what crests are told by */
    double energy[2];    /* J/kg */
    double trapped_rate; /* 1/s: made by a particle where air is fully trapped */
    double crest_rate;   /* 1/s */
    double lifetime[2];  /* s: shortest, longest */
    double slow_ageing;  /* spray and bubbles grow older by this much of the time */
    int spray_below;     /* neighbours: fewer is spray */
    int bubbles_above;   /* more is a bubble */
    double buoyancy;     /* of bubbles: times gravity, upward */
    double drag;         /* 1/s: at which bubbles take up the fluid's velocity */
    double size;         /* in spacings: radius in pictures */
    uint64_t seed;       /* the scene's */
    kin_simd simd;       /* width of lanes; no width changes a bit */
    uint32_t system;     /* number of the system that owns it */
} kin_foam_def;

extern const kin_param kin_foam_params[]; /* the rows of the def, without spacing, seed, system and simd: those the owner knows */
kin_foam_def kin_foam_def_default(void);  /* off */

/* The fluid as it is now. Kept by the caller during the call only. */
typedef struct kin_foam_fluid {
    const float* positions;  /* m, relative to origin */
    const float* velocities; /* m/s */
    size_t stride;           /* floats from one particle to the next in both; 0: 3 */
    uint32_t count;
    kin_vec3 origin;         /* m */
    const float* normals;    /* out of the fluid, same stride, 0 within; NULL: found here */
    const uint64_t* serials; /* never reused; NULL: the index, for fluids that keep their order */
} kin_foam_fluid;

typedef struct kin_foam kin_foam;

kin_result kin_foam_create(const kin_allocator* allocator, const kin_foam_def* def, kin_foam** out, kin_error* error); /* errors name the field */
void kin_foam_destroy(kin_foam* foam);                                                                                 /* NULL is fine */
kin_foam_def* kin_foam_settings(kin_foam* foam); /* rows marked live may be changed between steps */
/* Moves what is there, lets the old go, makes new ones. A fluid that is not finite is refused and nothing changes. */
kin_result kin_foam_step(kin_foam* foam, kin_jobs* jobs, const kin_foam_fluid* fluid, kin_vec3 gravity, double h, kin_error* error);
size_t kin_foam_count(const kin_foam* foam, kin_foam_kind kind); /* KIN_FOAM_KINDS: of all kinds */
kin_vec3 kin_foam_position(const kin_foam* foam, size_t i);      /* m */
kin_vec3 kin_foam_velocity(const kin_foam* foam, size_t i);      /* m/s */
kin_foam_kind kin_foam_kind_of(const kin_foam* foam, size_t i);
void kin_foam_visit(kin_foam* foam, kin_visitor* v);
void kin_foam_capture(const kin_foam* foam, const char* name, kin_capture* capture); /* a kind without any has no layer */
