/* volume.h - smoke and fire on voxels: how much light a ray loses in them, and how much it gains. */
#pragma once
#include "kinema/frame.h"
#include "render/light.h"
#include "render/scene.h"

/* What reaches a place inside. */
typedef struct kin_volume_light {
    float sun;   /* share of the sun's light that comes straight through */
    float round; /* the same by way of other voxels: octaves of thinner smoke */
    float sky;   /* share of the sky that is seen */
} kin_volume_light;

typedef struct kin_volume {
    kin_vec low, high, to_grid; /* m; voxels a metre */
    int size[3], blocks[3], lights[3];
    float step; /* m between samples */
    kin_vec albedo, glow_tint;
    float anisotropy;
    float* memory; /* of the arrays below, which are one after the other */
    size_t bytes;
    float* extinction; /* 1/m */
    float* glow;       /* radiance per metre; NULL: none */
    float* glow_color; /* rgb; NULL: glow_tint */
    float* block_max;  /* 0: nothing there */
    kin_volume_light* light;
} kin_volume;

enum { KIN_VOLUME_NONE, KIN_VOLUME_MADE, KIN_VOLUME_NO_MEMORY };
/* Copies the voxels; those that are not numbers are empty. NONE: the arrays do not make a volume. */
int kin_volume_init(kin_volume* volume, const kin_allocator* allocator, const kin_layer* layer);
void kin_volume_term(kin_volume* volume, const kin_allocator* allocator);
/* Glowing blocks shine on the rest of the scene. False: out of memory. */
bool kin_volume_lamps(const kin_volume* volume, kin_lamps* lamps);

size_t kin_volume_light_count(const kin_volume* volume);
kin_vec kin_volume_light_place(const kin_volume* volume, size_t i);
bool kin_volume_light_used(const kin_volume* volume, size_t i); /* something is there or next to it */
/* From the share of the sun's light that gets there. */
void kin_volume_set_light(kin_volume* volume, size_t i, float sun, float sky);

/* A ray's way through the volumes, front to back. */
typedef struct kin_march {
    const kin_volume* volumes;
    size_t count;
    const kin_sky* sky;
    float jitter; /* 0..1: where in a step samples lie */
    bool glows;   /* light of the voxels' own is counted */
} kin_march;
/* From one distance to another: through is what is left, light (NULL: not asked) what is gained on the way. */
void kin_volumes_march(const kin_march* march, const kin_ray* ray, float from, float to, kin_vec* light, float* through);
