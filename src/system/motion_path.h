/* motion_path.h - motion along a rational B-spline curve, by arc length: where animated things are at a time (Coutinho 1.4.1; Piegl and Tiller 1997). */
#pragma once
#include "kinema/collider.h"
#include "math/quat.h"

/* Immutable, and shared by counting. */
typedef struct kin_motion_path kin_motion_path;

/* origin: of the thing, its position is added to the curve's. Errors name members of the def. */
kin_result kin_motion_path_create(const kin_allocator* allocator, const kin_path_def* def, kin_transform origin, kin_motion_path** out, kin_error* error);
kin_motion_path* kin_motion_path_keep(kin_motion_path* path);
void kin_motion_path_drop(kin_motion_path* path);           /* may be NULL */
double kin_motion_path_length(const kin_motion_path* path); /* m */
kin_transform kin_motion_path_pose(const kin_motion_path* path, double time);
/* The first time after `from` and before `to` at which it may be less than smooth: a key of its speed, an end, a place where two spans of the curve join; `to`:
 * none. */
double kin_motion_path_next_break(const kin_motion_path* path, double from, double to);
