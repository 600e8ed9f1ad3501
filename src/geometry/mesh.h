/* mesh.h - a triangle mesh that was checked: triangles, neighbours, normals (H3.4, C1.4.1a). What it is made of never changes; its vertices may move. */
#pragma once
#include "geometry/triangle.h"
#include "kinema/base.h"
#include "kinema/collider.h"

#define KIN_NO_NEIGHBOR UINT32_MAX

typedef struct kin_mesh {
    kin_vec3* vertices; /* as given, m; corners at one place share the lowest index */
    uint32_t vertex_count;
    uint32_t (*triangles)[3]; /* counter-clockwise from outside */
    uint32_t triangle_count;
    uint32_t* faces;          /* the given face each triangle came from */
    kin_vec3* normals;        /* per triangle, unit */
    uint32_t (*neighbors)[3]; /* triangle across edge k (corner k to k+1), or KIN_NO_NEIGHBOR: border, or not two faces with one winding */
    kin_vec3* vertex_normals; /* weighted by angle, unit: smooth shading, and the sign of distances at vertices; 0 where unused */
    uint32_t* star_begin;     /* vertex_count + 1: where the triangles round a vertex start in star */
    uint32_t* star;           /* triangle * 4 + its corner at that vertex, triangles rising */
    kin_aabb bounds;          /* m, of the used vertices */
    bool closed;              /* every edge has two faces of one winding: there is an inside (on the side the normals leave) */
    uint32_t dropped;         /* given faces, or parts of them, without area */
    uint32_t capacity;        /* triangles there is room for */
    kin_allocator allocator;
} kin_mesh;

/* The unit normal of a triangle; false: it has no area to speak of, and none. */
bool kin_mesh_triangle_normal(const kin_vec3* vertices, const uint32_t triangle[3], kin_vec3* unit_normal);
/* Checks, triangulates, welds vertices at exactly one place, finds neighbours and normals. On failure *out is NULL; error names the face or vertex. */
kin_result kin_mesh_create(const kin_allocator* allocator, const kin_mesh_view* view, kin_mesh** out, kin_error* error);
/* New places for all vertices; normals and bounds follow. A triangle without area keeps its last normal. On failure nothing has changed. */
kin_result kin_mesh_move(kin_mesh* mesh, const kin_vec3* vertices, kin_error* error);
void kin_mesh_destroy(kin_mesh* mesh); /* may be NULL */
size_t kin_mesh_bytes(const kin_mesh* mesh);

/* The normal that decides inside from outside when the nearest point lies on this feature of the triangle (Baerentzen and Aanaes 2005): of a face its own,
 * of an edge the sum of its faces', of a vertex the angle-weighted one. Not unit for edges. */
kin_vec3 kin_mesh_pseudo_normal(const kin_mesh* mesh, uint32_t triangle, kin_feature feature);
