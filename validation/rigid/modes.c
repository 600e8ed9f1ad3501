/* modes.c - the two modes against each other. */
#include "validation/cases.h"

const kin_case kin_cases_modes[] = {
    {NULL, NULL, NULL},
};
