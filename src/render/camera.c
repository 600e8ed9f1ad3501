/* camera.c - a thin lens: everything at the target's distance is sharp. */
#include "render/camera.h"

static kin_vec single(kin_vec3 v) { return vec((float)v.x, (float)v.y, (float)v.z); }

float kin_camera_field(const kin_camera* camera) { return camera->field_of_view > 0 ? clampf((float)camera->field_of_view, 1e-3f, 3) : 0.8f; }

kin_lens kin_lens_from(const kin_camera* camera, kin_vec3 origin, int width, int height)
{
    kin_vec3 eye = {camera->eye.x - origin.x, camera->eye.y - origin.y, camera->eye.z - origin.z};
    kin_vec3 away = {camera->target.x - camera->eye.x, camera->target.y - camera->eye.y, camera->target.z - camera->eye.z};
    kin_vec forward = single(away), up = single(camera->up);
    bool aimed = vec_finite(forward) && vec_dot(forward, forward) > 1e-12f;
    float focus = aimed ? vec_length(forward) : 1;
    forward = aimed ? vec_normalize(forward) : vec(0, 0, -1);
    if (!vec_finite(up) || !(vec_dot(up, up) > 0)) up = vec(0, 1, 0);
    kin_vec right = vec_cross(forward, up);
    if (vec_dot(right, right) < 1e-8f * vec_dot(up, up))
        right = vec_cross(forward, fabsf(forward[1]) < 0.9f ? vec(0, 1, 0) : vec(0, 0, -1)); /* looking along up */
    right = vec_normalize(right);
    float half = tanf(0.5f * kin_camera_field(camera));
    return (kin_lens){
        .eye = vec_finite(single(eye)) ? single(eye) : vec_all(0),
        .forward = forward,
        .right = right * (half * (float)width / (float)height),
        .up = vec_cross(right, forward) * half,
        .radius = clampf(0.5f * (float)camera->aperture, 0, 1e3f),
        .focus = focus,
        .spread = half / (float)height,
        .shutter = camera->shutter > 0,
        .width = width,
        .height = height,
    };
}

bool kin_lens_blurs(const kin_lens* lens) { return lens->shutter || lens->radius > 0; }

/* A tent a little wider than the pixel: soft edges, no stairs. */
static float tent(float u)
{
    const float reach = 0.8f;
    return u < 0.5f ? reach * (sqrtf(2 * u) - 1) : reach * (1 - sqrtf(2 - 2 * u));
}

kin_ray kin_lens_ray(const kin_lens* lens, int x, int y, kin_sampler* sampler)
{
    kin_pair place = kin_sampler_next(sampler);
    float time = lens->shutter ? kin_sampler_next(sampler).x : 0;
    float u = ((float)x + 0.5f + tent(place.x)) / (float)lens->width * 2 - 1, v = 1 - ((float)y + 0.5f + tent(place.y)) / (float)lens->height * 2;
    kin_vec direction = lens->forward + lens->right * u + lens->up * v;
    kin_vec origin = lens->eye;
    if (lens->radius > 0) {
        kin_pair disk = kin_sample_disk(kin_sampler_next(sampler));
        kin_vec shift = vec_normalize(lens->right) * (disk.x * lens->radius) + vec_normalize(lens->up) * (disk.y * lens->radius);
        direction = direction * lens->focus - shift;
        origin += shift;
    }
    return (kin_ray){.origin = origin, .direction = vec_normalize(direction), .reach = INFINITY, .time = time, .spread = lens->spread};
}
