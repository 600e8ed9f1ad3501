/* triangle_ray.h - where a line crosses a triangle, in doubles and without gaps (Woop, Benthin and Wald 2013).
 *
 * Space is sheared so that the ray runs along its main axis; then the signs of three cross products of corners in a plane decide. An edge that two triangles
 * share gives both the same product with opposite signs, so no ray slips between them; on the edge both are hit. t is a mean of the corners' own distances
 * weighted by these products. Of a triangle seen edge-on they are round-off: its box has the last word, so that no hit lies off the triangle's own box. */
#pragma once
#include "math/aabb.h"

typedef struct kin_shear {
    kin_vec3 origin, direction;
    int x, y, z;             /* axes; z is the main one, and x, y, z turn to the right if the ray goes up it */
    double by_x, by_y, main; /* direction x/z, y/z and z */
} kin_shear;

/* False for no direction, or one that is not a number. */
static inline bool kin_shear_begin(kin_shear* s, kin_vec3 origin, kin_vec3 direction)
{
    const double* d = (const double*)&direction; /* by index: which axis it is cannot be predicted */
    kin_vec3 size = kin_abs3(direction);
    s->origin = origin, s->direction = direction;
    int steeper = size.y > size.x;
    s->z = size.z >= kin_max(size.x, size.y) ? 2 : steeper;
    s->x = (0x021 >> 4 * s->z & 15), s->y = (0x102 >> 4 * s->z & 15);
    s->main = d[s->z];
    double inverse = 1 / s->main;
    s->by_x = d[s->x] * inverse;
    s->by_y = d[s->y] * inverse;
    return kin_finite(inverse) && kin_finite(s->main) && kin_finite(s->by_x) && kin_finite(s->by_y);
}

/* Moves t into the part of the ray that is in a box. False: there is none. */
static inline bool kin_shear_into_box(const kin_shear* s, kin_aabb box, double* t)
{
    double in = -1.7e308, out = 1.7e308;
    for (int k = 0; k < 3; ++k) {
        double d = kin_component(s->direction, k), low = kin_component(box.low, k) - kin_component(s->origin, k),
               high = kin_component(box.high, k) - kin_component(s->origin, k);
        if (kin_abs(d) <= 1e-20 * kin_abs(s->main)) { /* along the walls: in or out for good */
            if (low > 0 || high < 0) return false;
            continue;
        }
        in = kin_max(in, kin_min(low / d, high / d));
        out = kin_min(out, kin_max(low / d, high / d));
    }
    *t = kin_clamp(*t, in, out);
    return in <= out;
}

/* Is the point at t in the triangle's box, give or take round-off? If not, t is moved there. */
static inline bool kin_shear_settle(const kin_shear* s, const kin_vec3 p[3], double* t)
{
    kin_aabb box = {kin_min3(p[0], kin_min3(p[1], p[2])), kin_max3(p[0], kin_max3(p[1], p[2]))};
    kin_vec3 size = kin_max3(kin_abs3(s->origin), kin_max3(kin_abs3(box.low), kin_abs3(box.high)));
    box = kin_aabb_grow(box, 1e-13 * kin_largest(size));
    return kin_aabb_contains(box, kin_add_scaled(s->origin, *t, s->direction)) || kin_shear_into_box(s, box, t);
}

/* The parameter t of origin + t direction in the triangle, if it is there: t has either sign. */
static inline bool kin_shear_cross(const kin_shear* s, const kin_vec3 p[3], double* t)
{
    double x[3], y[3], z[3];
    for (int k = 0; k < 3; ++k) {
        const double *v = (const double*)&p[k], *o = (const double*)&s->origin;
        z[k] = v[s->z] - o[s->z];
        x[k] = (v[s->x] - o[s->x]) - s->by_x * z[k];
        y[k] = (v[s->y] - o[s->y]) - s->by_y * z[k];
    }
    double u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
    double sum = u + v + w;
    if (sum == 0) return false;
    *t = (u * z[0] + v * z[1] + w * z[2]) / sum / s->main;
    return kin_finite(*t) && kin_shear_settle(s, p, t);
}
