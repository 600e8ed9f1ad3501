/* surfaces.c - NURBS and samples of surfaces. */
#include "validation/cases.h"

const kin_case kin_cases_surfaces[] = {{NULL, NULL, NULL}};
