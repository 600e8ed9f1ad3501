/* surface.h - a wall that changes its shape: a mesh whose vertices go straight from one place to another over an interval. */
#pragma once
#include "collision/trimesh.h"
#include "domains/sph/boundary/walls.h"

typedef struct kin_sph_surface {
    uint32_t serial;       /* from 1, never used again */
    uint32_t keyed;        /* number of the def whose keys it follows, from 1; 0: it goes where it is told to */
    kin_trimesh* mesh[2];  /* the same, posed at a tick's start (or when it is felt), and at its end */
    kin_vec3* rest;        /* m, where it was added: its trees are made of that, so one that is loaded has the same */
    kin_vec3 *start, *end; /* m, over the interval; between intervals it is at start */
    kin_vec3* target;      /* m, at the end of the coming step */
    kin_vec3* posed;       /* scratch */
    kin_aabb box;          /* m, over the interval */
    double way;            /* m, the longest of a vertex over the interval */
    double fade;           /* which part of it is felt: 1, less after a leap of a closed one (memory.c) */
    uint32_t vertex_count;
    uint32_t material; /* kin_material_id */
    uint8_t hidden;
} kin_sph_surface;

/* ---- surface.c: one of them ---- */

/* mesh[which] where it is at a fraction of the interval. */
void kin_sph_surface_pose(kin_sph_surface* surface, int which, double fraction);
/* Nobody is inside of an open one. */
static inline bool kin_sph_surface_is_closed(const kin_sph_surface* surface) { return surface->mesh[0]->mesh->closed; }
bool kin_sph_surface_feel(const kin_sph_walls* walls, const kin_sph_wall* wall, kin_vec3 x, kin_sph_felt* out);
/* Velocity of the place of a triangle (of mesh[which]), m/s. One that leaps is felt standing. */
kin_vec3 kin_sph_surface_velocity(const kin_sph_walls* walls, const kin_sph_wall* wall, int which, uint32_t triangle, kin_vec3 point);
/* A place near it at the tick's start as it would be at its end, went it along. */
kin_vec3 kin_sph_surface_carried(const kin_sph_surface* surface, kin_vec3 x, double reach);

/* ---- surfaces.c: all of them ---- */

kin_result kin_sph_surfaces_make(kin_sph_walls* walls, const kin_sph_def* def, kin_error* error); /* those of the def, which must outlive the walls */
void kin_sph_surfaces_begin(kin_sph_walls* walls, const kin_step* step);
void kin_sph_surfaces_term(kin_sph_walls* walls);
size_t kin_sph_surfaces_bytes(const kin_sph_walls* walls);
void kin_sph_surfaces_visit(kin_sph_walls* walls, kin_visitor* v);
