/* crossings.h - which triangles of two meshes cross, or of one with itself, and where (C2.5.1, C2.5.2, C2.5.5).
 *
 * Everything is in the frame of the first mesh; b_in_a is the second one's pose there (kin_transform_between). Corners of b are rounded once, by that transform;
 * from then on every decision is exact, so the segments of two closed meshes join into closed curves. The list is sorted by triangles: it does not depend
 * on the trees. It keeps its memory from call to call. */
#pragma once
#include "base/jobs.h"
#include "collision/primitive/primitives.h"
#include "collision/trimesh.h"

typedef struct kin_mesh_crossing {
    uint32_t a, b;     /* triangles of the first and the second mesh */
    kin_meeting where; /* m, in the frame of the first */
} kin_mesh_crossing;

#define KIN_CROSSING_PARTS 32 /* of the walk, for several threads */

typedef struct kin_crossing_part { /* as the trees gave them */
    kin_mesh_crossing* data;
    size_t count, capacity;
    bool full; /* there was no memory for more */
} kin_crossing_part;

typedef struct kin_crossings {
    kin_allocator allocator;
    kin_mesh_crossing* data; /* by a, then b */
    size_t count, capacity;
    kin_crossing_part parts[KIN_CROSSING_PARTS];
    uint64_t* keys; /* sorting: two for each */
    size_t key_capacity;
    uint32_t* order;
    size_t order_capacity;
} kin_crossings;

void kin_crossings_init(kin_crossings* list, const kin_allocator* allocator);
void kin_crossings_term(kin_crossings* list);

/* Pairs that touch count. jobs: NULL, or threads to share the work; the list is the same. On failure (memory) it is empty. */
kin_result kin_trimesh_crossings(const kin_trimesh* a, const kin_trimesh* b, kin_transform b_in_a, kin_jobs* jobs, kin_crossings* list, kin_error* error);

/* Of one mesh, each pair once, a < b. Triangles that share a corner or an edge count only if they have more in common than that. */
kin_result kin_trimesh_self_crossings(const kin_trimesh* mesh, kin_jobs* jobs, kin_crossings* list, kin_error* error);

typedef enum kin_mesh_relation {
    KIN_MESHES_APART,
    KIN_MESHES_CROSS, /* some triangles touch */
    KIN_MESHES_A_IN_B,
    KIN_MESHES_B_IN_A,
} kin_mesh_relation;

/* Yes or no: stops at the first pair. Where none touch, one corner of each is looked for within the other, if that is closed. */
kin_mesh_relation kin_trimesh_relation(const kin_trimesh* a, const kin_trimesh* b, kin_transform b_in_a);
