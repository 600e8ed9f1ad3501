/* joints.c - joints (C5.3, C5.8, N4, N5). */
#include "validation/cases.h"

const kin_case kin_cases_joints[] = {
    {NULL, NULL, NULL},
};
