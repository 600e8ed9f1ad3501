/* ghosts.h - planes as the texts have them: every particle near one has an image behind it. */
#pragma once
#include "domains/sph/boundary/walls.h"

/* A plane as a particle sees it: normal . x = offset, the normal towards the particle. */
typedef struct kin_sph_mirror_plane {
    kin_vec3 normal;
    double offset;
} kin_sph_mirror_plane;

/* The image of a place and of a velocity: normal parts turned round, as seen from the moving plane (normal . x = offset, velocity u). */
static inline kin_vec3 kin_sph_mirror(kin_vec3 normal, double offset, kin_vec3 x) { return kin_add_scaled(x, -2 * (kin_dot(normal, x) - offset), normal); }
static inline kin_vec3 kin_sph_mirror_velocity(kin_vec3 normal, kin_vec3 u, kin_vec3 v)
{
    return kin_add_scaled(v, -2 * kin_dot(normal, kin_sub(v, u)), normal);
}

/* The side of a plane that counts is the one x was on when the tick began. */
static inline kin_sph_mirror_plane kin_sph_plane_at(const kin_sph_wall* w, kin_vec3 x)
{
    double side = kin_dot(w->normal[0], x) - w->offset[0] < 0 ? -1 : 1;
    return (kin_sph_mirror_plane){kin_scale(w->normal[2], side), side * w->offset[2]};
}

/* What the images of its neighbours and its own fill of a particle's surroundings. Lists are those of this tick. */
bool kin_sph_ghosts_feel(const kin_sph* f, size_t particle, kin_sph_mirror_plane plane, kin_sph_felt* out);
