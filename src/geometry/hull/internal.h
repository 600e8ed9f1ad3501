/* internal.h - the steps of making a hull: somebody finds its triangles (quickhull.c, wrap.c, faces.c), finish.c makes them a kin_hull. */
#pragma once
#include "geometry/hull/hull.h"
#include "geometry/hull/predicate.h"

#define KIN_HULL_NONE UINT32_MAX

/* A closed convex surface of triangles. */
typedef struct kin_hull_surface {
    const kin_vec3* given;    /* m */
    const kin_vec3* points;   /* the same, snapped */
    uint32_t (*triangles)[3]; /* points, counter-clockwise from outside */
    uint32_t (*across)[3];    /* the triangle across edge k (corner k to k + 1) */
    uint32_t triangle_count;
    uint32_t point_count;
    kin_snap snap;
} kin_hull_surface;

/* Checks the points and snaps them into *points (count of them, the caller's to free). */
kin_result kin_hull_points(const kin_allocator* allocator, const kin_vec3* given, size_t count, kin_snap* snap, kin_vec3** points, kin_error* error);

/* Four points with a volume, the first three counter-clockwise seen from outside; refuses points within slack of one plane. Snapped. */
kin_result kin_hull_corners(const kin_vec3* points, uint32_t count, double slack, uint32_t corners[4], kin_error* error);

/* Merges triangles of one plane into faces, keeps the true corners, measures. Refuses a surface that is not convex. */
kin_result kin_hull_finish(const kin_allocator* allocator, const kin_hull_surface* surface, kin_hull** out, kin_error* error);
