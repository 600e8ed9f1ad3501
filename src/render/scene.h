/* scene.h - a frame as rays see it. Embree and the endless planes sit behind two questions: intersect and occluded. */
#pragma once
#include "kinema/frame.h"
#include "render/light.h"
#include "render/media.h"
#include "render/vec.h"

typedef struct kin_ray {
    kin_vec origin, direction; /* direction is of unit length */
    float reach;               /* m: nothing beyond counts */
    float time;                /* of the shutter, 0..1 */
    float spread;              /* rad: half the angle the ray stands for; patterns are averaged over it */
    const kin_media* media;    /* the clear bodies it starts in; NULL: none */
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
    bool open;  /* it has no inside */
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

/* The clear bodies round a place: those that a ray upward leaves without having entered them. */
kin_media kin_stage_media(const kin_stage* stage, kin_vec place);
/* The first surface along the ray; surfaces between a medium and itself are passed. */
bool kin_stage_intersect(const kin_stage* stage, const kin_ray* ray, kin_hit* hit, kin_media* media);
/* What a glass surface stands between, for a ray that comes from the given media (NULL: air). */
kin_crossing kin_hit_crossing(const kin_hit* hit, const kin_ray* ray, const kin_media* media);
/* True if nothing gets through; else how much light does. Clear bodies let it straight through, tinted and less at their rims: a stand-in for caustics. */
bool kin_stage_occluded(const kin_stage* stage, const kin_ray* ray, kin_vec* through);
/* True if there is anything to pass. */
bool kin_stage_veiled(const kin_stage* stage);
/* Up to a distance; u places samples and chooses. glows: lamps were not asked where the ray comes from. If the ray is stopped, *hit is where. */
kin_veil kin_stage_veil(const kin_stage* stage, const kin_ray* ray, float reach, kin_pair u, bool glows, kin_hit* hit);
