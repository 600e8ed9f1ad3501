/* winding.c - solid angles of triangles, summed up. */
#include "collision/primitive/winding.h"

/* Of a triangle seen from the origin: 2 atan2(a.(b x c), ...) (van Oosterom and Strackee 1983). 0 where it is seen edge on, also from within its plane. */
static double solid_angle(kin_vec3 a, kin_vec3 b, kin_vec3 c)
{
    double la = kin_length(a), lb = kin_length(b), lc = kin_length(c), volume = kin_triple(a, b, c);
    return volume == 0 ? 0 : 2 * kin_atan2(volume, la * lb * lc + kin_dot(a, b) * lc + kin_dot(b, c) * la + kin_dot(c, a) * lb);
}

double kin_mesh_winding(const kin_mesh* mesh, kin_vec3 x)
{
    double sum = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t* corner = mesh->triangles[i];
        kin_vec3 a = mesh->vertices[corner[0]], b = mesh->vertices[corner[1]], c = mesh->vertices[corner[2]];
        sum += solid_angle(kin_sub(a, x), kin_sub(b, x), kin_sub(c, x));
    }
    return sum / (4 * KIN_PI);
}
