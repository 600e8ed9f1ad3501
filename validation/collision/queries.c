/* queries.c - queries on a world. */
#include "validation/cases.h"

const kin_case kin_cases_queries[] = {{NULL, NULL, NULL}};
