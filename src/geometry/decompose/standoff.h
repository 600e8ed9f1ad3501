/* standoff.h - how far a solid and a convex hull over it stand apart: the concavity of a piece. */
#pragma once
#include "geometry/cut/poly.h"
#include "geometry/hull/hull.h"

/* The larger of: the deepest that the piece's own surface (faces tagged KIN_CUT_CAP are cuts, not surface) lies from the hull's, and the farthest that the
 * hull's surface lies from the piece's; a Hausdorff distance of the two, on samples no farther apart than spacing. m; < 0: out of memory. */
double kin_standoff(const kin_poly* piece, const kin_hull* hull, double spacing);
/* A spacing for a wanted resolution that needs some ten thousand samples at most. */
double kin_standoff_spacing(const kin_poly* piece, double resolution);
