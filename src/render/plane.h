/* plane.h - the endless ground: a plane of uneven colour that fades into the horizon. */
#pragma once
#include "render/scene.h"

typedef struct kin_plane {
    kin_vec point, normal;
    kin_vec along, across; /* of the pattern */
    kin_pair shift;        /* m: keeps the pattern in place in the world, wherever the frame's origin is */
    float scale;           /* m: the size of what the camera looks at; fading goes by it */
    bool floor;            /* near enough level to block the sun */
    const kin_look* look;
} kin_plane;

/* False if the arrays do not make a plane. scale is the distance from camera to target. */
bool kin_plane_init(kin_plane* plane, const float* point, const float* normal, kin_vec3 origin, float scale, const kin_look* look);
/* Where the ray meets the front; planes are not there from behind, so that walls do not hide the room. */
bool kin_plane_distance(const kin_plane* plane, const kin_ray* ray, float* distance);
void kin_plane_hit(const kin_plane* plane, const kin_ray* ray, float distance, kin_hit* hit);
