/* plane.c - planes are met by arithmetic, not by Embree: they have no end. */
#include "render/plane.h"

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
        .shift = {(float)fmod(shift_along, 10), (float)fmod(shift_across, 10)}, /* the period of the bold lines */
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

/* How much of [x - w/2, x + w/2] is covered by lines of a width, one every period: a box filter, so that lines never shimmer. */
static float covered(float x, float w, float period, float width)
{
    float scale = 1 / period;
    width *= scale;
    if (w * scale > 4) return width;
    float a = (x + 0.5f * w) * scale + 0.5f * width, b = (x - 0.5f * w) * scale + 0.5f * width;
    float whole_a = floor_small(a), whole_b = floor_small(b);
    return ((whole_a - whole_b) * width + minf(a - whole_a, width) - minf(b - whole_b, width)) / ((a - b));
}

static float grid(kin_pair at, kin_pair footprint, float period, float width)
{
    float x = covered(at.x, footprint.x, period, width), y = covered(at.y, footprint.y, period, width);
    return x + y - x * y;
}

/* Sizes of the ray's footprint along the two directions of the grid: an ellipse, long where the ray comes in flat. */
static kin_pair footprint_of(const kin_plane* plane, const kin_ray* ray, float distance)
{
    float steep = maxf(-vec_dot(plane->normal, ray->direction), 1e-4f), size = 2 * ray->spread * distance + 1e-4f;
    float a = vec_dot(ray->direction, plane->along) / steep, b = vec_dot(ray->direction, plane->across) / steep;
    return (kin_pair){size * sqrtf(1 + a * a), size * sqrtf(1 + b * b)};
}

void kin_plane_hit(const kin_plane* plane, const kin_ray* ray, float distance, kin_hit* hit)
{
    kin_vec position = ray->origin + ray->direction * distance;
    position -= plane->normal * vec_dot(plane->normal, position - plane->point);
    kin_pair at = {vec_dot(position, plane->along) + plane->shift.x, vec_dot(position, plane->across) + plane->shift.y};
    kin_pair footprint = footprint_of(plane, ray, distance);
    float far = distance / plane->scale;
    float lines = (0.16f * grid(at, footprint, 1, 0.018f) + 0.12f * grid(at, footprint, 10, 0.045f)) * expf(-0.06f * far * far);
    *hit = (kin_hit){
        .distance = distance,
        .position = position,
        .departure = position,
        .normal = plane->normal,
        .facet = plane->normal,
        .color = vec_color(plane->look->color) * (1 - lines),
        .haze = 1 - expf(-0.012f * far * far),
        .look = plane->look,
        .open = true,
    };
}
