/* solids.h - inside kin_solids: what its makers (solids.c) and its queries (query.c) share. */
#pragma once
#include "collision/service.h"
#include "collision/trimesh.h"
#include "geometry/bvh.h"
#include "math/mat3.h"

typedef struct kin_solid {
    kin_shape shape;
    kin_trimesh* mesh;        /* or NULL */
    kin_vec3 half;            /* rounded box: half sizes of its core, m */
    double core;              /* rounded box: radius round the core, m */
    kin_vec3 normal;          /* plane: unit */
    kin_aabb bounds;          /* local, m; planes have none */
    double reach;             /* farthest point from the local origin, m; planes: infinite */
    kin_transform start, end; /* poses over the interval */
    kin_vec3 shift;           /* end - start position, m */
    kin_vec3 turn;            /* rotation vector from start to end, world frame, rad */
    double angle;             /* |turn|, rad */
    kin_mat3 axes;            /* columns: the local axes at the start, in the world */
    bool alive, moves, turns;
    bool upright; /* axes are the world's */
} kin_solid;

struct kin_solids {
    kin_allocator allocator;
    kin_solid* solids;
    size_t capacity;
    uint32_t count;
    uint32_t* planes; /* numbers of living planes, rising: no box bounds them */
    size_t plane_capacity;
    uint32_t plane_count;
    uint32_t* members; /* numbers of the other living solids, rising: item i of the tree */
    size_t member_capacity;
    uint32_t member_count;
    kin_aabb* boxes; /* of the members, over the interval, world */
    size_t box_capacity;
    kin_bvh tree;
    bool stale;          /* members changed since the tree was built */
    double inv_interval; /* 1/s; 0 when there is none */
};
