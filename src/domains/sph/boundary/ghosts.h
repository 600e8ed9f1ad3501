/* ghosts.h - planes as the texts have them: every particle near one has an image behind it. */
#pragma once
#include "domains/sph/boundary/walls.h"

/* The image of a place and of a velocity: normal parts turned round, as seen from the moving plane (normal . x = offset, velocity u). */
static inline kin_vec3 kin_sph_mirror(kin_vec3 normal, double offset, kin_vec3 x) { return kin_add_scaled(x, -2 * (kin_dot(normal, x) - offset), normal); }
static inline kin_vec3 kin_sph_mirror_velocity(kin_vec3 normal, kin_vec3 u, kin_vec3 v)
{
    return kin_add_scaled(v, -2 * kin_dot(normal, kin_sub(v, u)), normal);
}

/* What the images of its neighbours and its own fill of a particle's surroundings. Lists are those of this tick. normal: towards it. */
bool kin_sph_ghosts_feel(const kin_sph* f, size_t particle, kin_vec3 normal, double offset, kin_sph_felt* out);
