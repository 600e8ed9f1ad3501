/* facets.h - a convex body, or another surface, against the triangles of a surface. */
#pragma once
#include "geometry/facet.h"
#include "collision/form/facets.h"
#include "collision/manifold/cluster.h"

/* In the surface's frame: of its triangles near the box of the body. Normals of the clusters point from the surface to the body. A body deeper below a face
 * than its own size is not pushed out by it. */
void kin_facets_collide(const kin_form* surface, const kin_form* body, kin_transform pose, double margin, kin_clusters* clusters);

/* Two surfaces, A in B's frame, triangle against triangle where they come near; open ones push from either side. Normals point from B to A. What is wholly inside
 * the other has no triangle near and is not found. */
void kin_facets_face(const kin_form* a, const kin_form* b, kin_transform a_in_b, double margin, kin_clusters* clusters);
