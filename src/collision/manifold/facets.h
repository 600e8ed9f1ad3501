/* facets.h - a convex body against the triangles of a surface. */
#pragma once
#include "geometry/facet.h"
#include "collision/form/facets.h"
#include "collision/manifold/cluster.h"

/* In the surface's frame: of its triangles near the box of the body. Normals of the clusters point from the surface to the body. A body deeper below a face
 * than its own size is not pushed out by it. */
void kin_facets_collide(const kin_form* surface, const kin_form* body, kin_transform pose, double margin, kin_clusters* clusters);
