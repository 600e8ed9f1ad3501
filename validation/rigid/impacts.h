/* impacts.h - random impacts in free space: bodies of all forms come together from all sides. For the case of `kinema validate` and for the law test. */
#pragma once
#include "kinema/rigid.h"

/* Of energy and momenta: what a run may gain or lose. Velocities are floats (6e-8) within a step. */
#define KIN_IMPACT_KEPT 1e-6

typedef enum kin_impact_setup {
    KIN_IMPACT_ANY,
    KIN_IMPACT_BOUNCING, /* e is 0.3 at least, and no hit too slow for it */
    KIN_IMPACT_JOINED,   /* every second body to the one before, which starts with a jolt: energy is not for sure */
} kin_impact_setup;

typedef struct kin_impact_report {
    bool ok;
    double gain;              /* most that kinetic energy rose in a step, of what there was at the start */
    double momentum, angular; /* change over the run, of the sum of the bodies' sizes of it */
    double left;              /* kinetic energy at the end, of that at the start */
} kin_impact_report;

kin_impact_report kin_impact_run(uint64_t seed, int bodies, kin_impact_setup kind);
double kin_impact_kinetic(const kin_body_state* s); /* J; of forms whose own axes are the principal ones */
