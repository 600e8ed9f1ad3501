/* stacks.c - real time: stacks, friction, chains. */
#include "validation/cases.h"

const kin_case kin_cases_stacks[] = {
    {NULL, NULL, NULL},
};
