/* overlaps.h - how two closed meshes overlap: every region by itself, with its curve, the vertices within, normal and depth (C2.5.14, C1.4.4).
 *
 * Where the surfaces cross, segments join into closed curves; curves that bound one piece of surface belong to one region (a rod through a plate has two).
 * Inside vertices are flooded from the crossed edges, over edges that nothing crosses (L1 and L2 of the text, without its search for every vertex).
 * The vector area of the curves is the area-weighted normal of a's surface inside b, exactly, whatever that surface looks like; its opposite is the way out.
 * Everything is in the frame of a, in m. */
#pragma once
#include "base/arena.h"
#include "collision/primitive/crossings.h"

typedef struct kin_overlap {
    uint32_t crossing_count;
    const uint32_t* crossings; /* numbers in the list of crossings, rising: the contact curves. None when one mesh is inside the other */
    uint32_t inside_a_count, inside_b_count;
    const uint32_t *inside_a, *inside_b; /* vertices of a inside b (L1), and of b inside a (L2), rising */
    kin_vec3 normal;                     /* unit, area-weighted: a moved along it comes out of b */
    double area;                         /* m^2: of the curves, seen along the normal */
    double depth;                        /* m: how far a must move along the normal until this region is gone */
    kin_vec3 exit;                       /* unit: the shortest way out, of the normal and the surfaces' normals next to the deepest points, or on the curve */
    double exit_depth;                   /* m, along it; at most depth */
    kin_vec3 deepest_a, deepest_b; /* of the vertices inside, those farthest from the other's surface; without any, points of the other's surface, or curve */
    double distance;               /* m: between the two: the depth of the text */
    kin_vec3 center;               /* of the curves */
} kin_overlap;

typedef struct kin_overlaps {
    kin_overlap* data; /* in the order of their first crossings */
    uint32_t count;
    kin_crossings crossings;
    kin_arena arena; /* all the lists; kept from call to call */
} kin_overlaps;

void kin_overlaps_init(kin_overlaps* overlaps, const kin_allocator* allocator);
void kin_overlaps_term(kin_overlaps* overlaps);

/* Both meshes must be closed. jobs, which may be NULL, find the crossings. Touching without crossing may give regions of depth 0. On failure there are none. */
kin_result kin_trimesh_overlaps(const kin_trimesh* a, const kin_trimesh* b, kin_transform b_in_a, kin_jobs* jobs, kin_overlaps* overlaps, kin_error* error);
