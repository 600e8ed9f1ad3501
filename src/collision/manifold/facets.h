/* facets.h - a convex body against the triangles of a surface. */
#pragma once
#include "geometry/facet.h"
#include "collision/form/facets.h"
#include "collision/manifold/cluster.h"

/* In the surface's frame; normals of the clusters point from the surface to the body. thickness, m: a body deeper below a face than this is not pushed out
 * by it. */
void kin_facets_collide(const kin_form* surface, const kin_facet* facets, uint32_t count, const kin_convex* body, kin_transform pose, double thickness,
                        double margin, kin_clusters* clusters);
