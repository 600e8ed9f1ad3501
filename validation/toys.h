/* toys.h - the smallest systems that use the whole contract: point masses on springs, and couplers between them. They prove the world, not physics. */
#pragma once
#include "system/system.h"
#include "world/world.h"

/* `count` masses, each on a spring to its own home; they start off home and moving, a little differently each. */
typedef struct kin_toy_def {
    int64_t count;
    double mass;             /* kg */
    double stiffness;        /* N/m */
    kin_vec3 home;           /* of the first; the others follow at 1 m along x */
    int refuse_below;        /* a step cut into fewer intervals is refused ... */
    double refuse_after;     /* ... in what lies after this part of the step, 0..1 */
    uint32_t post_a, post_b; /* in its commit it posts a hit between the first elements of these systems; 0: no post */
    kin_vec3 post_impulse;   /* N s, on post_a, in the first step only */
} kin_toy_def;

extern const kin_system_ops kin_toy_ops;
kin_toy_def kin_toy_def_default(void);
kin_result kin_toy_create(kin_world* world, const char* name, const kin_toy_def* def, kin_system_id* out, kin_error* error);
kin_vec3 kin_toy_momentum(const kin_world* world, kin_system_id id);
kin_vec3 kin_toy_outside(const kin_world* world, kin_system_id id); /* N s that the springs have given so far */

/* Glues the elements of two systems into a chain a0-b0-a1-b1-...: each link wants its ends to move alike. One pass corrects every link by `relax`
 * times what that link alone would need, so that many passes are needed, and their number is known: see world/passes. */
typedef struct kin_toy_glue {
    uint32_t a, b; /* systems */
    int links;
    double relax;
    int intervals;       /* k to ask for */
    bool warm;           /* start from the last interval's totals */
    double residual[64]; /* of the passes of the last interval, as the next pass finds them */
    int passes;
} kin_toy_glue;

extern const kin_coupler_ops kin_toy_glue_ops; /* self is not destroyed: it belongs to the caller */
