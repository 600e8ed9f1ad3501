/* convex.h - convex bodies as the narrow phase sees them: a core grown by a radius, in the body's own frame.
 *
 *   sphere   the point 0                                     radius > 0
 *   capsule  the segment +-half.y on the y axis              radius > 0
 *   box      +-half                                          radius 0, or the rounding of its edges
 *   cylinder radius half.x about the y axis, +-half.y        its curved face is exact, not a polygon
 *   cone     apex at +half.y, base of radius half.x at -half.y
 *   ellipsoid semi-axes half                                radius 0
 *   hull     a kin_hull
 *   triangle corners p, of a mesh or a height field; two-sided
 *
 * Support points are of the core; callers add the radius to distances. Vertex numbers identify features between frames; smooth cores have none (number 0). */
#pragma once
#include "geometry/hull/hull.h"

typedef enum kin_core {
    KIN_CORE_POINT,
    KIN_CORE_SEGMENT,
    KIN_CORE_BOX,
    KIN_CORE_CYLINDER,
    KIN_CORE_CONE,
    KIN_CORE_ELLIPSOID,
    KIN_CORE_HULL,
    KIN_CORE_TRIANGLE
} kin_core;

typedef struct kin_convex {
    kin_core core;
    double radius;        /* m, round the core */
    kin_vec3 half;        /* m */
    const kin_hull* hull; /* hull */
    kin_vec3 p[3];        /* triangle, m */
} kin_convex;

static inline kin_vec3 kin_support_box(kin_vec3 half, kin_vec3 d, uint32_t* vertex)
{
    *vertex = (uint32_t)(d.x > 0) | (uint32_t)(d.y > 0) << 1 | (uint32_t)(d.z > 0) << 2;
    return kin_v(d.x > 0 ? half.x : -half.x, d.y > 0 ? half.y : -half.y, d.z > 0 ? half.z : -half.z);
}

/* The rim point of a disc of radius r at height y. */
static inline kin_vec3 kin_support_disc(double r, double y, kin_vec3 d)
{
    double flat = kin_sqrt(d.x * d.x + d.z * d.z);
    return flat > 0 ? kin_v(r * (d.x / flat), y, r * (d.z / flat)) : kin_v(r, y, 0);
}

static inline kin_vec3 kin_support_cone(kin_vec3 half, kin_vec3 d)
{
    kin_vec3 rim = kin_support_disc(half.x, -half.y, d), apex = {0, half.y, 0};
    return kin_dot(apex, d) > kin_dot(rim, d) ? apex : rim;
}

/* D (D d) / |D d|, D = diag(half). */
static inline kin_vec3 kin_support_ellipsoid(kin_vec3 half, kin_vec3 d)
{
    kin_vec3 scaled = kin_mul(half, d);
    double length = kin_length(scaled);
    return length > 0 ? kin_mul(half, kin_scale(scaled, 1 / length)) : kin_v(half.x, 0, 0);
}

/* The core's point farthest along d (any length, not zero). *vertex: in, a vertex to start from (any valid one, or 0); out, the one found. */
static inline kin_vec3 kin_convex_support(const kin_convex* c, kin_vec3 d, uint32_t* vertex)
{
    switch (c->core) {
    case KIN_CORE_POINT: *vertex = 0; return kin_v(0, 0, 0);
    case KIN_CORE_SEGMENT: *vertex = d.y > 0; return kin_v(0, d.y > 0 ? c->half.y : -c->half.y, 0);
    case KIN_CORE_BOX: return kin_support_box(c->half, d, vertex);
    case KIN_CORE_CYLINDER: *vertex = 0; return kin_support_disc(c->half.x, d.y > 0 ? c->half.y : -c->half.y, d);
    case KIN_CORE_CONE: *vertex = 0; return kin_support_cone(c->half, d);
    case KIN_CORE_ELLIPSOID: *vertex = 0; return kin_support_ellipsoid(c->half, d);
    case KIN_CORE_HULL: *vertex = kin_hull_climb(c->hull, d, *vertex); return c->hull->vertices[*vertex];
    case KIN_CORE_TRIANGLE: break;
    }
    double a = kin_dot(c->p[0], d), b = kin_dot(c->p[1], d), e = kin_dot(c->p[2], d);
    *vertex = a >= b ? (a >= e ? 0 : 2) : (b >= e ? 1 : 2);
    return c->p[*vertex];
}

/* Whether the core is a polyhedron, whose features have numbers: box, hull, triangle, segment, point. */
static inline bool kin_convex_is_polyhedral(const kin_convex* c)
{
    return c->core != KIN_CORE_CYLINDER && c->core != KIN_CORE_CONE && c->core != KIN_CORE_ELLIPSOID;
}
