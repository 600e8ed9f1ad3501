/* surface.h - a wall that changes its shape: a mesh whose vertices go straight from one place to another over an interval. */
#pragma once
#include "collision/trimesh.h"
#include "domains/sph/boundary/walls.h"

typedef struct kin_sph_surface {
    uint32_t number;       /* as its owner knows it */
    kin_trimesh* mesh[2];  /* the same, posed at a tick's start (or when it is felt), and at its end */
    kin_vec3 *start, *end; /* m, over the interval; vertices of the mesh */
    kin_vec3* posed;       /* scratch */
    kin_aabb box;          /* m, over the interval */
    double way;            /* m, the longest of a vertex over the interval */
    uint32_t vertex_count;
} kin_sph_surface;

/* mesh[which] where it is at a fraction of the interval. False: triangles have collapsed or left the finite; it stays as it was. */
bool kin_sph_surface_pose(kin_sph_surface* surface, int which, double fraction);
bool kin_sph_surface_feel(const kin_sph_walls* walls, const kin_sph_surface* surface, double inv_interval, kin_vec3 x, kin_sph_felt* out);
/* Velocity of the place of a triangle, m/s. */
kin_vec3 kin_sph_surface_velocity(const kin_sph_surface* surface, const kin_mesh* mesh, uint32_t triangle, kin_vec3 point, double inv_interval);
/* A place near it at the tick's start as it would be at its end, went it along. */
kin_vec3 kin_sph_surface_carried(const kin_sph_surface* surface, kin_vec3 x, double reach);
void kin_sph_surfaces_term(kin_sph_walls* walls);
size_t kin_sph_surfaces_bytes(const kin_sph_walls* walls);
