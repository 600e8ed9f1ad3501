/* forces.c - contact forces (H10.13, H10.16, C4.11.3, C4.11.4, appendix I, N2, N3). */
#include "validation/cases.h"

const kin_case kin_cases_forces[] = {
    {NULL, NULL, NULL},
};
