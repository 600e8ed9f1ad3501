/* distance.h - the one door: signed distance of any two convex bodies.
 *
 * Apart the distance is positive and the points are the nearest ones; overlapping it is minus the depth, and the points are the deepest ones. Always
 * on_a = on_b + distance normal, and moving A along the normal takes it away from B: the normal is unit and points from B to A (n from 2 to 1). All is in A's
 * frame. Point, segment, box, cylinder, ellipsoid and triangle against points, segments against each other, and segments beside triangles have closed forms;
 * ellipsoids against the rest are solved feature by feature (ellipsoid.h); all else is GJK, and EPA when the cores overlap. Sizes and poses must be finite. */
#pragma once
#include "collision/narrow/gjk.h"
#include "kinema/collide.h"

/* cache: zeros at first, kept for the pair; may be NULL. */
void kin_convex_distance(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, kin_gjk_cache* cache, kin_gap* out);
/* The same for bodies no farther apart than `far` (m). Others give false, for less work; out->distance is then a lower bound. */
bool kin_convex_distance_within(const kin_convex* a, const kin_convex* b, kin_transform b_in_a, double far, kin_gjk_cache* cache, kin_gap* out);
