/* scene.h - a frame as rays see it. Embree and the endless planes sit behind two questions: intersect and occluded. */
#pragma once
#include "kinema/frame.h"
#include "render/light.h"
#include "render/vec.h"

typedef struct kin_ray {
    kin_vec origin, direction; /* direction is of unit length */
    float reach;               /* m: nothing beyond counts */
    float time;                /* of the shutter, 0..1 */
    float spread;              /* rad: half the angle the ray stands for; patterns are averaged over it */
} kin_ray;

typedef struct kin_hit {
    float distance;
    kin_vec position;
    kin_vec normal;    /* smooth, on the geometric one's side */
    kin_vec facet;     /* geometric: outward for spheres, curves and closed meshes */
    kin_vec departure; /* where rays leave from: position, lifted off coarse triangles so that smooth shading has no jagged shadows */
    kin_vec color;
    float haze; /* 0..1: how far a plane has faded into the horizon */
    float glow; /* radiance of emissive surfaces, times color */
    bool lamp;  /* its light is sampled by kin_lamps */
    const kin_look* look;
} kin_hit;

/* What a ray passed on its way to a surface: sprites, points with opacity, streaks, volumes. */
typedef struct kin_veil {
    kin_vec light; /* gained */
    float through; /* what is left of what lies behind */
    bool stopped;  /* at a surface that lets some light through and was chosen to be seen */
} kin_veil;

typedef struct kin_stage kin_stage;
struct kin_jobs;

kin_result kin_stage_create(const kin_allocator* allocator, kin_stage** out, kin_error* error);
void kin_stage_destroy(kin_stage* stage);
/* Reads the frame, which must live as long as rays are cast. Meshes that did not change since the last frame are kept. */
kin_result kin_stage_set(kin_stage* stage, const kin_frame* frame, kin_error* error);
/* Finds out how much sun and sky reach sprites and volumes. */
void kin_stage_light(kin_stage* stage, struct kin_jobs* jobs);
const kin_lamps* kin_stage_lamps(const kin_stage* stage);

/* The first surface along the ray. */
bool kin_stage_intersect(const kin_stage* stage, const kin_ray* ray, kin_hit* hit);
/* True if nothing gets through; else how much light does: glass tints it. */
bool kin_stage_occluded(const kin_stage* stage, const kin_ray* ray, kin_vec* through);
/* True if there is anything to pass. */
bool kin_stage_veiled(const kin_stage* stage);
/* Up to a distance; u places samples and chooses. glows: lamps were not asked where the ray comes from. If the ray is stopped, *hit is where. */
kin_veil kin_stage_veil(const kin_stage* stage, const kin_ray* ray, float reach, kin_pair u, bool glows, kin_hit* hit);
