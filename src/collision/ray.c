/* ray.c - rays against the simple solids: the first crossing of the surface, from outside or from within. */
#include "collision/local.h"

bool kin_ray_plane(kin_vec3 normal, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    double d = kin_dot(normal, origin), speed = kin_dot(normal, direction);
    if (speed == 0) return false;
    double t = -d / speed;
    if (!(t >= 0 && t <= limit)) return false;
    *hit = (kin_touch){.t = t, .distance = t, .point = kin_add_scaled(origin, t, direction), .normal = kin_scale(normal, speed < 0 ? 1 : -1)};
    return true;
}

/* From within, the exit is where the ray run backwards from beyond the solid enters it. */
bool kin_ray_rounded_box(kin_vec3 half, double core, kin_vec3 origin, kin_vec3 direction, double limit, kin_touch* hit)
{
    double speed = kin_length(direction);
    if (speed == 0) return false;
    bool inside = kin_closest_rounded_box(half, core, origin).distance < 0;
    double length = 1.001 * (2 * (kin_length(half) + core) + kin_length(origin)) / speed; /* surely past the solid; the limit must not change a bit of t */
    kin_path path = {.a = origin, .d = kin_scale(direction, length)};
    if (inside) {
        path.a = kin_add(origin, path.d);
        path.d = kin_neg(path.d);
    }
    if (!kin_sweep_rounded_box(half, core, &path, hit)) return false;
    hit->t = inside ? (1 - hit->t) * length : hit->t * length;
    hit->distance = hit->t;
    return hit->t <= limit;
}
