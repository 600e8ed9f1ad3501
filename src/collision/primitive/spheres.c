/* spheres.c - spheres against spheres, segments and triangles (C2.5.4, C2.5.8, C2.5.9). */
#include "collision/primitive/primitives.h"
#include "math/primitive.h"

bool kin_sphere_sphere(kin_vec3 center_a, double radius_a, kin_vec3 center_b, double radius_b)
{
    double reach = radius_a + radius_b;
    return kin_length2(kin_sub(center_b, center_a)) <= reach * reach;
}

bool kin_segment_sphere(const kin_vec3 segment[2], kin_vec3 center, double radius, double* fraction)
{
    *fraction = kin_segment_closest(segment[0], segment[1], center); /* the foot of the centre, or the end nearest to it */
    return kin_length2(kin_sub(kin_lerp(segment[0], segment[1], *fraction), center)) <= radius * radius;
}

/* Over the inside of the face: within all three edges. */
static bool foot_is_inside(kin_vec3 n, const kin_vec3 p[3], kin_vec3 x)
{
    for (int k = 0; k < 3; ++k) {
        if (kin_triple(n, kin_sub(p[(k + 1) % 3], p[k]), kin_sub(x, p[k])) < 0) return false;
    }
    return true;
}

/* The foot of the centre is c - (n.c - d) n with a unit n, (the text leaves out the distance); only its place among the edges matters here, and that
 * the centre itself has. A triangle without area is its edges. */
bool kin_sphere_triangle(kin_vec3 center, double radius, const kin_vec3 triangle[3])
{
    kin_vec3 n = kin_triangle_normal(triangle[0], triangle[1], triangle[2]);
    if (kin_abs(kin_dot(n, kin_sub(center, triangle[0]))) > radius) return false;
    for (int k = 0; k < 3; ++k) {
        double fraction;
        if (kin_segment_sphere((kin_vec3[]){triangle[k], triangle[(k + 1) % 3]}, center, radius, &fraction)) return true;
    }
    return kin_length2(n) > 0 && foot_is_inside(n, triangle, center);
}
