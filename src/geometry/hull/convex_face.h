/* convex_face.h - triangles of a convex polygon none of which is flatter than it must be. */
#pragma once
#include "math/vec3.h"

/* count - 2 triangles with the polygon's winding. Corners in the middle of a side are welcome: the thinnest triangle is as thick as can be (for polygons of
 * more than 64 corners: as thick as that of the best fan). */
void kin_convex_face_triangles(const kin_vec3* vertices, const uint32_t* corners, uint32_t count, uint32_t (*out)[3]);
