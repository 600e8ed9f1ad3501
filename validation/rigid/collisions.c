/* collisions.c - impulses of bodies (H10.2, H10.3, H10.15, C4.11.1, C4.11.2, N1). */
#include "validation/cases.h"

const kin_case kin_cases_collisions[] = {
    {NULL, NULL, NULL},
};
