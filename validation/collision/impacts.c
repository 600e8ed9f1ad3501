/* impacts.c - continuous tests and times of impact. */
#include "validation/cases.h"

const kin_case kin_cases_impacts[] = {{NULL, NULL, NULL}};
