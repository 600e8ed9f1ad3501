/* trimesh_ray.h - where a line crosses a triangle, in doubles and without gaps (Woop, Benthin and Wald 2013).
 *
 * Space is sheared so that the ray runs along its main axis; then the signs of three cross products of corners in a plane decide. An edge that two triangles
 * share gives both the same product with opposite signs, so no ray slips between them; on the edge both are hit. t is a mean of the corners' own distances
 * weighted by these products: also of a triangle seen edge-on it lies between them. */
#pragma once
#include "collision/facet.h"

typedef struct kin_shear {
    kin_vec3 origin;
    int x, y, z;             /* axes; z is the main one, and x, y, z turn to the right if the ray goes up it */
    double by_x, by_y, main; /* direction x/z, y/z and z */
} kin_shear;

/* False for no direction, or one that is not a number. */
static inline bool kin_shear_begin(kin_shear* s, kin_vec3 origin, kin_vec3 direction)
{
    kin_vec3 size = kin_abs3(direction);
    s->origin = origin;
    s->z = size.x > size.y ? (size.x > size.z ? 0 : 2) : (size.y > size.z ? 1 : 2);
    s->x = (s->z + 1) % 3, s->y = (s->z + 2) % 3;
    s->main = kin_component(direction, s->z);
    s->by_x = kin_component(direction, s->x) / s->main;
    s->by_y = kin_component(direction, s->y) / s->main;
    return s->main != 0 && kin_finite(s->main) && kin_finite(s->by_x) && kin_finite(s->by_y) && kin_finite(1 / s->main);
}

/* The parameter t of origin + t direction in the triangle, if it is there: t has either sign. */
static inline bool kin_shear_cross(const kin_shear* s, const kin_vec3 p[3], double* t)
{
    double x[3], y[3], z[3];
    for (int k = 0; k < 3; ++k) {
        kin_vec3 v = kin_sub(p[k], s->origin);
        z[k] = kin_component(v, s->z);
        x[k] = kin_component(v, s->x) - s->by_x * z[k];
        y[k] = kin_component(v, s->y) - s->by_y * z[k];
    }
    double u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
    double sum = u + v + w;
    if (sum == 0) return false;
    *t = (u * z[0] + v * z[1] + w * z[2]) / sum / s->main;
    return kin_finite(*t);
}
