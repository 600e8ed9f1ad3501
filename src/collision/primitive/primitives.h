/* primitives.h - do two simple things touch, and where? Spheres, boxes, segments and triangles, pair by pair (C2.5.3 to C2.5.12, H10.12).
 *
 * Touching counts everywhere: two things are apart only if a gap lies between them. Boxes along the axes are kin_aabb_overlaps (the rule of the text, strict
 * inequalities for apart); oriented boxes with each other, and spheres with boxes, are volumes (geometry/volumes/bound.h). Tests among segments and triangles are decided by exact predicates
 * (geometry/predicates.h): they are right for needles, for triangles without area, for shared corners and edges, in one plane or on one line; they do not depend
 * on the order of the two things or of their corners. Only the points they return are rounded. The others compare rounded distances.
 * Lengths in m. No allocation, no state. Input must be finite. */
#pragma once
#include "geometry/triangle.h"
#include "geometry/volumes/bound.h"
#include "kinema/base.h"
#include "math/aabb.h"

/* What two things have in common. */
typedef enum kin_meet {
    KIN_MEET_APART,
    KIN_MEET_POINT,
    KIN_MEET_SEGMENT,
    KIN_MEET_AREA, /* two triangles of one plane */
} kin_meet;

/* Where. The features say on what part of each thing an end lies; of a segment, EDGE0 is its inside, CORNER0 and CORNER1 its ends. */
typedef struct kin_meeting {
    kin_meet kind;
    kin_vec3 from, to;          /* the ends, equal for a point; of two triangles across, along normal a x normal b. Of an area, two of its corners */
    kin_feature from_a, from_b; /* of from, on the first thing and on the second */
    kin_feature to_a, to_b;
} kin_meeting;

/* ---- exact (triangles.c) ---- */

/* C2.5.5, H10.12. meeting may be NULL. An end shared by two neighbours of a mesh, crossing the same edge, has the same bits in both. */
kin_meet kin_triangle_triangle(const kin_vec3 a[3], const kin_vec3 b[3], kin_meeting* meeting);
/* C2.5.10 */
kin_meet kin_segment_triangle(const kin_vec3 segment[2], const kin_vec3 triangle[3], kin_meeting* meeting);
/* C2.5.12, in space: segments that are not in one plane are apart; collinear ones may share a segment. */
kin_meet kin_segment_segment(const kin_vec3 a[2], const kin_vec3 b[2], kin_meeting* meeting);
/* C2.5.12: is x in the triangle, itself exactly in its plane? */
bool kin_point_triangle(kin_vec3 x, const kin_vec3 triangle[3]);
/* The region two triangles of one plane share: its corners in turn; 0: they are apart or not in one plane. */
#define KIN_OVERLAP_CORNERS 6
int kin_triangle_overlap(const kin_vec3 a[3], const kin_vec3 b[3], kin_vec3 corners[KIN_OVERLAP_CORNERS]);

/* ---- rounded (spheres.c, boxes.c) ---- */

bool kin_sphere_sphere(kin_vec3 center_a, double radius_a, kin_vec3 center_b, double radius_b); /* C2.5.4 */
bool kin_sphere_triangle(kin_vec3 center, double radius, const kin_vec3 triangle[3]);           /* C2.5.8 */
/* C2.5.9: *fraction along the segment of the point nearest to the centre. */
bool kin_segment_sphere(const kin_vec3 segment[2], kin_vec3 center, double radius, double* fraction);
bool kin_box_triangle(kin_aabb box, const kin_vec3 triangle[3]); /* C2.5.7 */
bool kin_obb_triangle(const kin_obb* box, const kin_vec3 triangle[3]);
/* C2.5.11: *fraction along the segment where it enters; 0: it starts inside. */
bool kin_segment_box(const kin_vec3 segment[2], kin_aabb box, double* fraction);
bool kin_segment_obb(const kin_vec3 segment[2], const kin_obb* box, double* fraction);
