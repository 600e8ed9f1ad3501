/* trimesh.h - a mesh as queries want it: a tree, and planes and corners in the order of its leaves. Local frame. */
#pragma once
#include "geometry/facet.h"
#include "collision/local.h"
#include "geometry/bvh.h"
#include "geometry/mesh.h"

typedef struct kin_trimesh_plane {
    kin_vec3 normal;
    double offset;
} kin_trimesh_plane;

typedef struct kin_trimesh {
    kin_mesh* mesh;
    kin_bvh tree;
    kin_trimesh_plane* planes;    /* leaf order */
    kin_facet* corners; /* leaf order */
    double scale;                 /* largest coordinate, m */
} kin_trimesh;

/* Takes the mesh over, also on failure. */
kin_result kin_trimesh_create(const kin_allocator* allocator, kin_mesh* mesh, kin_trimesh** out, kin_error* error);
void kin_trimesh_destroy(kin_trimesh* trimesh);
size_t kin_trimesh_bytes(const kin_trimesh* trimesh);

/* First touch. Of an open mesh both sides count, the one the centre starts on; of a closed one, the outside. A start deeper inside a closed mesh than
 * radius is not seen here but by kin_trimesh_closest: it would cost every path a search. */
bool kin_trimesh_sweep(const kin_trimesh* trimesh, const kin_path* path, kin_touch* hit);

bool kin_trimesh_ray(const kin_trimesh* trimesh, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit);

/* The nearest point with |distance| <= reach, or, inside a closed mesh, at any depth. touch->distance is signed for closed meshes. */
bool kin_trimesh_closest(const kin_trimesh* trimesh, kin_vec3 x, double reach, kin_touch* touch);
/* As above, and then the other surfaces within reach that face x, nearest first: a point in a corner has several. One for each direction (1e-6), and only
 * features of their own: of an edge between flat neighbours the faces count. Inside, only the nearest. Returns how many, at most `most` and the limit. */
#define KIN_TRIMESH_CONTACTS 8
int kin_trimesh_contacts(const kin_trimesh* trimesh, kin_vec3 x, double reach, kin_touch touches[KIN_TRIMESH_CONTACTS], int most);

/* Is x inside? Six rays along the axes all leave through the NEAREST face they meet (C2.5.13); should they disagree (a ray along an edge), the nearest
 * feature's pseudo-normal decides. False for open meshes. */
bool kin_trimesh_inside(const kin_trimesh* trimesh, kin_vec3 x);

/* Is u, from the feature to the asker, in the part of space nearest to that very feature, give or take `slack` metres? */
bool kin_trimesh_owns(const kin_trimesh* trimesh, uint32_t triangle, kin_feature feature, kin_vec3 u, double slack);
/* Is x, in the plane of the corners, inside or within `slack` metres of the triangle? */
bool kin_trimesh_face_holds(const kin_facet* corners, kin_vec3 normal, kin_vec3 x, double slack);
