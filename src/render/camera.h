/* camera.h - rays through a lens. */
#pragma once
#include "kinema/frame.h"
#include "render/sample.h"
#include "render/scene.h"

typedef struct kin_lens {
    kin_vec eye, right, up, forward; /* right and up reach to the edge of the picture at distance 1 */
    float radius, focus;             /* m */
    float spread;                    /* rad: half a pixel */
    bool shutter;                    /* is open for a while: rays are spread over time */
    int width, height;
} kin_lens;

float kin_camera_field(const kin_camera* camera); /* rad, vertical */
/* A camera without a direction or a field of view gets one. */
kin_lens kin_lens_from(const kin_camera* camera, kin_vec3 origin, int width, int height);
bool kin_lens_blurs(const kin_lens* lens); /* by motion or out of focus */
kin_ray kin_lens_ray(const kin_lens* lens, int x, int y, kin_sampler* sampler);
