/* cells.c - tetrahedra and Voronoi pieces. */
#include "validation/cases.h"

const kin_case kin_cases_cells[] = {{NULL, NULL, NULL}};
