/* distance.c - GJK, EPA, V-Clip and separating axes. */
#include "validation/cases.h"

const kin_case kin_cases_distance[] = {{NULL, NULL, NULL}};
