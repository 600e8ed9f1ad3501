/* local.h - what a query looks like in a solid's own frame, where all the geometry is done. */
#pragma once
#include "geometry/path.h"

/* Solids without a mesh are a plane, or a box (of size 0 along some axes) grown by a core radius: sphere (0, 0, 0), capsule (0, length/2, 0), box. */
bool kin_sweep_plane(kin_vec3 normal, const kin_path* path, kin_touch* hit);
bool kin_sweep_rounded_box(kin_vec3 half, double core, const kin_path* path, kin_touch* hit);

kin_touch kin_closest_plane(kin_vec3 normal, kin_vec3 x);
kin_touch kin_closest_rounded_box(kin_vec3 half, double core, kin_vec3 x);

/* The first crossing of the surface, from either side, at t in [0, limit]. */
bool kin_ray_plane(kin_vec3 normal, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit);
bool kin_ray_rounded_box(kin_vec3 half, double core, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit);
