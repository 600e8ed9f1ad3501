/* facets.h - a convex body against the triangles of a surface. */
#pragma once
#include "collision/facet.h"
#include "collision/manifold/cluster.h"

/* What a surface knows of its triangles: meshes and height fields alike. */
typedef struct kin_surface_view {
    const void* self;
    bool is_solid;    /* one side is inside */
    double thickness; /* m: a body deeper below a face than this is not pushed out by it */
    /* Can the surface push along u at this edge or corner? */
    bool (*owns)(const void* self, uint32_t triangle, kin_feature feature, kin_vec3 u);
} kin_surface_view;

/* In the surface's frame; normals of the clusters point from the surface to the body. */
void kin_facets_collide(const kin_surface_view* surface, const kin_facet* facets, uint32_t count, const kin_convex* body, kin_transform pose, double margin,
                        kin_clusters* clusters);
