/* fields.c - signed distance fields and isosurfaces. */
#include "validation/cases.h"

const kin_case kin_cases_fields[] = {{NULL, NULL, NULL}};
