/* plane.c - planes are met by arithmetic, not by Embree: they have no end. */
#include "render/plane.h"
#include "render/pattern.h"

bool kin_plane_init(kin_plane* plane, const float* point, const float* normal, kin_vec3 origin, float scale, const kin_look* look)
{
    kin_vec p = vec_load(point), n = vec_load(normal);
    if (!vec_finite(p) || !vec_finite(n) || !(vec_dot(n, n) > 0)) return false;
    n = vec_normalize(n);
    kin_vec along = fabsf(n[0]) < 0.9f ? vec(1, 0, 0) : vec(0, 0, 1);
    along = vec_normalize(along - n * vec_dot(along, n));
    kin_vec across = vec_cross(along, n);
    double shift_along = origin.x * (double)along[0] + origin.y * (double)along[1] + origin.z * (double)along[2];
    double shift_across = origin.x * (double)across[0] + origin.y * (double)across[1] + origin.z * (double)across[2];
    *plane = (kin_plane){
        .point = p,
        .normal = n,
        .along = along,
        .across = across,
        .shift = {(float)fmod(shift_along, KIN_GROUND_PERIOD), (float)fmod(shift_across, KIN_GROUND_PERIOD)},
        .scale = scale,
        .floor = n[1] > 0.5f,
        .look = look,
    };
    return true;
}

bool kin_plane_distance(const kin_plane* plane, const kin_ray* ray, float* distance)
{
    float slope = vec_dot(plane->normal, ray->direction);
    if (!(slope < 0)) return false;
    float t = vec_dot(plane->normal, plane->point - ray->origin) / slope;
    if (!(t > 0 && t < ray->reach)) return false;
    *distance = t;
    return true;
}

/* Width of the ray's footprint: the mean of an ellipse, long where the ray comes in flat. */
static float footprint_of(const kin_plane* plane, const kin_ray* ray, float distance)
{
    float steep = maxf(-vec_dot(plane->normal, ray->direction), 1e-4f);
    return 2 * ray->spread * distance * sqrtf(1 / steep);
}

static kin_vec color_at(const kin_plane* plane, kin_vec position, float footprint)
{
    kin_vec color = vec_color(plane->look->color);
    kin_pair at = {vec_dot(position, plane->along) + plane->shift.x, vec_dot(position, plane->across) + plane->shift.y};
    if (plane->look->pattern == KIN_PATTERN_NONE || kin_pattern_spheres(plane->look->pattern) > 1) return color * kin_pattern_ground(at, footprint);
    kin_spot spot = {.position = vec(at.x, 0, at.y), .normal = vec(0, 1, 0), .footprint = footprint};
    return kin_pattern_color(plane->look, color, &spot);
}

void kin_plane_hit(const kin_plane* plane, const kin_ray* ray, float distance, kin_hit* hit)
{
    kin_vec position = ray->origin + ray->direction * distance;
    position -= plane->normal * vec_dot(plane->normal, position - plane->point);
    float far = distance / plane->scale;
    *hit = (kin_hit){
        .distance = distance,
        .position = position,
        .departure = position,
        .normal = plane->normal,
        .facet = plane->normal,
        .color = color_at(plane, position, footprint_of(plane, ray, distance)),
        .haze = 1 - expf(-0.012f * far * far),
        .look = plane->look,
        .open = true,
    };
}
