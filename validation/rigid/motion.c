/* motion.c - one body in flight: tops, spins, momenta (H9, C4.2, N6). */
#include "validation/cases.h"

const kin_case kin_cases_motion[] = {
    {NULL, NULL, NULL},
};
