/* wide.h - the sign of a determinant of points whose sizes are too far apart for anything but whole numbers. */
#pragma once
#include "kinema/base.h"

/* x: points of dim coordinates each, finite. The matrix has a row for each point but the last, relative to it; lifted, it ends with their square lengths.
 * Exact for all doubles: every one is a whole number of 2^-1074. Square: points - 1 = dim, or dim + 1 lifted; at most 4. Slow (a tenth of a millisecond). */
int kin_wide_sign(const double* x, int points, int dim, bool lifted);
