/* manifolds.c - contact manifolds. */
#include "validation/cases.h"

const kin_case kin_cases_manifolds[] = {{NULL, NULL, NULL}};
