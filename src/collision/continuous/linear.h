/* linear.h - when things meet whose points all go straight, at constant speed, over t in [0, 1] (C2.5.15 to C2.5.17).
 *
 * Each test gives the first time, the point and the unit normal from B to A, against which A approaches. What overlaps at the start meets at t = 0. */
#pragma once
#include "collision/continuous/impact.h"

/* A point from x0 to x1, m. */
typedef struct kin_mover {
    kin_vec3 from, to;
} kin_mover;

static inline kin_vec3 kin_mover_at(kin_mover m, double t) { return kin_lerp(m.from, m.to, t); }

/* A vertex against a triangle; two edges; a vertex against an edge where both stay in one plane. false: they do not meet. */
bool kin_impact_vertex_face(kin_mover a, const kin_mover b[3], kin_impact* out);
bool kin_impact_edges(const kin_mover a[2], const kin_mover b[2], kin_impact* out);
bool kin_impact_vertex_edge(kin_mover a, const kin_mover b[2], kin_impact* out);
/* Six of the first kind, nine of the second; a vertex and a face go before two edges at the same time, for their normal is steadier. */
bool kin_impact_triangles(const kin_mover a[3], const kin_mover b[3], kin_impact* out);

/* In a mesh most vertices and edges belong to several triangles; one of them is enough to ask for each (X2.4b). */
typedef struct kin_triangle_share {
    uint32_t own; /* bit k: this triangle asks for its corner k; bit 3 + k: for its edge from corner k */
} kin_triangle_share;
#define KIN_TRIANGLE_OWNS_ALL 63u

/* How many tests were made, and how many of them a quick proof ended. */
typedef struct kin_impact_work {
    uint64_t tests, apart;
} kin_impact_work;

/* As kin_impact_triangles, of what each of them asks for. work may be NULL. */
bool kin_impact_shared_triangles(const kin_mover a[3], kin_triangle_share share_a, const kin_mover b[3], kin_triangle_share share_b, kin_impact_work* work,
                                 kin_impact* out);

/* Quick proofs that the above find nothing: all on one side throughout (X2.4a), no root of the cubic in the interval (X2.5). */
bool kin_vertex_face_apart(kin_mover a, const kin_mover b[3]);
bool kin_edges_apart(const kin_mover a[2], const kin_mover b[2]);
bool kin_vertex_face_rootless(kin_mover a, const kin_mover b[3]);

bool kin_impact_spheres(kin_mover a, double radius_a, kin_mover b, double radius_b, kin_impact* out);
/* Boxes that keep their axes and sizes, by their centres. */
bool kin_impact_boxes(kin_mover a, kin_vec3 half_a, kin_mover b, kin_vec3 half_b, kin_impact* out);
/* A sphere against a triangle that moves (X3.2b): the offset triangle, its rounded edges and corners. */
bool kin_impact_sphere_triangle(kin_mover a, double radius, const kin_mover b[3], kin_impact* out);
