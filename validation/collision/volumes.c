/* volumes.c - bounding volumes and their trees. */
#include "validation/cases.h"

const kin_case kin_cases_volumes[] = {{NULL, NULL, NULL}};
