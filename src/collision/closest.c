/* closest.c - nearest points and signed distances of the simple solids. */
#include "collision/local.h"

/* Two-sided: the normal points to where x is. */
kin_touch kin_closest_plane(kin_vec3 normal, kin_vec3 x)
{
    double d = kin_dot(normal, x), side = d >= 0 ? 1 : -1;
    return (kin_touch){.distance = side * d, .point = kin_add_scaled(x, -d, normal), .normal = kin_scale(normal, side)};
}

/* Inside the core the nearest face decides; of a sphere or capsule, whose core is thin, any way out is as near. */
static kin_touch closest_from_core(kin_vec3 half, double core, kin_vec3 x)
{
    int face = 0;
    double depth = -1e308;
    for (int i = 0; i < 3; ++i) {
        double d = kin_abs(kin_component(x, i)) - kin_component(half, i);
        if (d > depth) depth = d, face = i;
    }
    kin_vec3 normal = kin_scale(kin_axis(face), kin_component(x, face) < 0 ? -1 : 1);
    return (kin_touch){.distance = depth - core, .point = kin_add_scaled(x, core - depth, normal), .normal = normal};
}

kin_touch kin_closest_rounded_box(kin_vec3 half, double core, kin_vec3 x)
{
    kin_vec3 nearest = kin_max3(kin_neg(half), kin_min3(x, half));
    kin_vec3 u = kin_sub(x, nearest);
    double length = kin_length(u);
    if (length < 1e-300) return closest_from_core(half, core, x);
    u = kin_scale(u, 1 / length);
    return (kin_touch){.distance = length - core, .point = kin_add_scaled(nearest, core, u), .normal = u};
}
