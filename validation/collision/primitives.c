/* primitives.c - primitive tests and mesh against mesh. */
#include "validation/cases.h"

const kin_case kin_cases_primitives[] = {{NULL, NULL, NULL}};
