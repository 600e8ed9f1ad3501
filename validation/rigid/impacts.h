/* impacts.h - random impacts in free space: bodies of all forms come together from all sides. For the case of `kinema validate` and for the law test. */
#pragma once
#include "kinema/rigid.h"

/* Of the energy at the start, what a step may gain: contacts too slow to bounce have the inertia of the interval's start, which is off by the square of the turn in
 * an interval (0.1) times the share of energy in them (0.1). */
#define KIN_IMPACT_GAIN 1e-3

typedef struct kin_impact_report {
    bool ok;
    double gain;              /* most that kinetic energy rose in a step, of what there was at the start */
    double momentum, angular; /* change over the run, of the sum of the bodies' sizes of it */
    double left;              /* kinetic energy at the end, of that at the start */
} kin_impact_report;

/* all_bounce: e is 0.3 at least, and no hit too slow for it. */
kin_impact_report kin_impact_run(uint64_t seed, int bodies, bool all_bounce);
double kin_impact_kinetic(const kin_body_state* s); /* J; of forms whose own axes are the principal ones */
