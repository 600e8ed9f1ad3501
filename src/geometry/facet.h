/* facet.h - a triangle of a surface (mesh or height field) and which of its edges and corners a thing may hit.
 *
 * Of two faces that meet at a flat or hollow edge only the faces can be touched: the edge between them is marked as not sharp, and nobody bumps into it
 * (no ghost hits). A sharp edge is asked for by one of its two triangles, a sharp corner by one of those round it. */
#pragma once
#include "geometry/triangle.h"

typedef struct kin_facet {
    kin_vec3 p[3];     /* counter-clockwise from outside, m */
    uint32_t triangle; /* its number in the surface */
    uint32_t sharp;    /* bit k: this triangle asks for edge k (corner k to k+1); bit 3 + k: for corner k */
} kin_facet;
