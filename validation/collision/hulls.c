/* hulls.c - hulls and mass properties. */
#include "validation/cases.h"

const kin_case kin_cases_hulls[] = {{NULL, NULL, NULL}};
