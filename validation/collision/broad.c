/* broad.c - broad phases. */
#include "validation/cases.h"

const kin_case kin_cases_broad[] = {{NULL, NULL, NULL}};
