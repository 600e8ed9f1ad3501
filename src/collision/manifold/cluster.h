/* cluster.h - points of many triangles, or of many vertices, sorted into manifolds by their normals. */
#pragma once
#include "collision/manifold/face.h"

#define KIN_CLUSTERS 64

typedef struct kin_clusters {
    kin_touches* touches; /* `room` of them, from an arena */
    kin_vec3 normals[KIN_CLUSTERS];
    int count, room;
    double cosine; /* normals this near make one */
    double near;   /* m: points this near are one, the deeper */
} kin_clusters;

bool kin_clusters_begin(kin_clusters* clusters, kin_arena* scratch, int room, double cosine,
                        double near); /* room: at most KIN_CLUSTERS. false: out of memory */
/* When all clusters are taken, or one is full, the shallowest give way. */
void kin_clusters_add(kin_clusters* clusters, kin_vec3 normal, const kin_manifold_point* point, uint32_t triangle);
/* One manifold each, in their frame, deepest first; triangles go to triangle_b. Beyond `most` the deepest are kept, and of those that overlap the ones whose
 * normals are spread most: few hold what all do. Returns the count. */
int kin_clusters_end(const kin_clusters* clusters, kin_manifold* out, int most);
