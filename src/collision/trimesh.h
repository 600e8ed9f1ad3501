/* trimesh.h - a mesh as queries want it: a tree, and planes and corners in the order of its leaves. Local frame. */
#pragma once
#include "geometry/facet.h"
#include "collision/local.h"
#include "base/jobs.h"
#include "base/simd.h"
#include "geometry/bvh_wide.h"
#include "geometry/mesh.h"

typedef struct kin_trimesh_plane {
    kin_vec3 normal;
    double offset;
} kin_trimesh_plane;

/* Four triangles in lanes, in the frame of the wide tree, for rays. */
typedef struct kin_trimesh_block {
    kin_bvh_lanes p[3][3]; /* corner, axis */
    uint32_t first, count; /* triangles, leaf order */
    uint32_t more;         /* the next block is of the same leaf */
} kin_trimesh_block;

typedef struct kin_trimesh {
    kin_mesh* mesh;
    kin_bvh tree;
    kin_trimesh_plane* planes; /* leaf order */
    kin_facet* corners;        /* leaf order */
    kin_bvh_wide wide;         /* for rays */
    kin_trimesh_block* blocks; /* of the wide tree's leaves */
    kin_simd simd;             /* kernels to use; no answer depends on it */
    double scale;              /* largest coordinate, m */
} kin_trimesh;

/* Takes the mesh over, also on failure. */
kin_result kin_trimesh_create(const kin_allocator* allocator, kin_mesh* mesh, kin_trimesh** out, kin_error* error);
void kin_trimesh_destroy(kin_trimesh* trimesh);
/* New places for the mesh's own vertices (mesh->vertex_count of them; a welded one counts where it was first): it deforms, who touches whom stays. Linear, and
 * allocates nothing. The tree keeps its shape: build anew when the mesh has changed beyond recognition. On failure nothing has changed. */
kin_result kin_trimesh_refit(kin_trimesh* trimesh, const kin_vec3* vertices, kin_error* error);
size_t kin_trimesh_bytes(const kin_trimesh* trimesh);

/* First touch. Of an open mesh both sides count, the one the centre starts on; of a closed one, the outside. A start deeper inside a closed mesh than
 * radius is not seen here but by kin_trimesh_closest: it would cost every path a search. */
bool kin_trimesh_sweep(const kin_trimesh* trimesh, const kin_path* path, kin_touch* hit);

/* Where a ray crosses the surface, from either side, at t in [0, limit]: the lowest t, then the lowest triangle. On a shared edge both triangles are hit. */
bool kin_trimesh_ray(const kin_trimesh* trimesh, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit);
/* All crossings in that order, at most `most`: then the first ones. Returns how many. */
int kin_trimesh_ray_all(const kin_trimesh* trimesh, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hits, int most);

typedef struct kin_ray3 {
    kin_vec3 origin, direction; /* m; the direction need not be unit */
    double limit;               /* of t, in units of the direction */
} kin_ray3;
/* Many rays on all threads: hits[i] is the first crossing of rays[i], with feature UINT32_MAX where there is none. */
void kin_trimesh_rays(const kin_trimesh* trimesh, kin_jobs* jobs, const kin_ray3* rays, int64_t count, kin_touch* hits);

/* The nearest point with |distance| <= reach, or, inside a closed mesh, at any depth. touch->distance is signed for closed meshes. */
bool kin_trimesh_closest(const kin_trimesh* trimesh, kin_vec3 x, double reach, kin_touch* touch);
/* As above, and then the other surfaces within reach that face x, nearest first: a point in a corner has several. One for each direction (1e-6), and only
 * features of their own: of an edge between flat neighbours the faces count. Inside, only the nearest. Returns how many, at most `most` and the limit. */
#define KIN_TRIMESH_CONTACTS 8
int kin_trimesh_contacts(const kin_trimesh* trimesh, kin_vec3 x, double reach, kin_touch touches[KIN_TRIMESH_CONTACTS], int most);

/* Is x inside? Six rays along the axes all leave through the NEAREST face they meet (C2.5.13); should they disagree (a ray along an edge), the nearest
 * feature's pseudo-normal decides. False for open meshes. */
bool kin_trimesh_inside(const kin_trimesh* trimesh, kin_vec3 x);

/* trimesh_rays.c, for each lane width: the nearest crossings in order, at most `most`; how many. */
typedef int kin_trimesh_cast_fn(const kin_trimesh* trimesh, const kin_ray3* ray, kin_touch* hits, int most);
kin_trimesh_cast_fn kin_trimesh_cast_none, kin_trimesh_cast_sse2, kin_trimesh_cast_avx2;

/* Is u, from the feature to the asker, in the part of space nearest to that very feature, give or take `slack` metres? */
bool kin_trimesh_owns(const kin_trimesh* trimesh, uint32_t triangle, kin_feature feature, kin_vec3 u, double slack);
/* Is x, in the plane of the corners, inside or within `slack` metres of the triangle? */
bool kin_trimesh_face_holds(const kin_facet* corners, kin_vec3 normal, kin_vec3 x, double slack);
