/* impact.h - when two moving things first meet: the one question that every class of pair is asked (C4.4 to C4.8).
 *
 * Each thing moves on its screw over the interval: position straight, orientation at constant rate. The method is chosen by the class of pair, or named:
 *
 *   advance    conservative advancement (H13): the clock runs by gap / fastest approach, never past the first touch. Convex pairs; triangles of surfaces
 *              taken one by one as convex; parts of compounds. Exact for turning bodies, to the tolerance. The default.
 *   bisect     C4.5: halve the interval on overlap at its middle. Finds a touch that lasts to the end; thin and fast things may be missed.
 *   features   C4.6: vertices go along chords, triangle against triangle by cubics. Misses what turning bends out of the chords, by at most
 *              reach (1 - cos(angle / 2)).
 *
 * Every answer has the time, the point, the normal and the features. Overlap at the start is an impact at 0. */
#pragma once
#include "base/arena.h"
#include "collision/form/form.h"
#include "kinema/collide.h"
#include "math/screw.h"

/* False: they do not meet. out may say how near they came all the same (distance). scratch is given back. */
bool kin_impact_find(const kin_form* a, const kin_screw* motion_a, const kin_form* b, const kin_screw* motion_b, const kin_impact_settings* settings,
                     kin_arena* scratch, kin_impact* out);

/* Two convex bodies by conservative advancement. reach_a, reach_b: of their points from the positions that the screws move, m. */
bool kin_impact_convex(const kin_convex* a, double reach_a, const kin_screw* motion_a, const kin_convex* b, double reach_b, const kin_screw* motion_b,
                       const kin_impact_settings* settings, kin_impact* out);
