/* random.h - distributions over base/rng.h (H4.2). Each call uses the words of its draw only, so distinct draws are
 * independent and a draw must not be shared by two things. Directions and points are by value; angles in radians. */
#pragma once
#include "base/rng.h"
#include "kinema/math.h"

/* H4.2a. Box-Muller; never further than 8.6 deviations from the mean. */
double kin_rng_normal(const kin_rng_key* key, uint32_t draw, double mean, double deviation);
/* H4.2b: uniform on the unit sphere. */
kin_vec3 kin_rng_direction(const kin_rng_key* key, uint32_t draw);
/* H4.2c: within `angle` (0 to pi) of axis (a unit vector): uniform over that cap of the sphere, for any angle. */
kin_vec3 kin_rng_cone(const kin_rng_key* key, uint32_t draw, kin_vec3 axis, double angle);
/* H4.2c: the angle from axis is |normal| of deviation angle / 3, so 99.7 % lie within angle. */
kin_vec3 kin_rng_cone_normal(const kin_rng_key* key, uint32_t draw, kin_vec3 axis, double angle);
/* H4.2d: in the xz plane about the origin, uniform over the disk. */
kin_vec3 kin_rng_disk(const kin_rng_key* key, uint32_t draw, double radius);
/* H4.2d: in the xz plane, the distance is |normal| of deviation radius / 3. */
kin_vec3 kin_rng_disk_normal(const kin_rng_key* key, uint32_t draw, double radius);
/* Uniform in the ball. */
kin_vec3 kin_rng_sphere(const kin_rng_key* key, uint32_t draw, double radius);
