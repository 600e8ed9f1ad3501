/* sample.h - well spread numbers for every pixel, sample and decision. They depend on the pixel, never on the time, so what
 * stands still in a movie does not flicker. */
#pragma once
#include "render/vec.h"

typedef struct kin_sampler {
    uint32_t index; /* place in the one sequence all pixels share, bits reversed */
    uint32_t draw;  /* decisions taken so far */
} kin_sampler;

/* samples is how many a pixel gets. */
kin_sampler kin_sampler_begin(int x, int y, int sample, int samples);
/* The next point of the unit square. */
kin_pair kin_sampler_next(kin_sampler* sampler);
/* The same at a third of the cost, without the good spread: for decisions deep in a path. */
kin_pair kin_sampler_rough(kin_sampler* sampler);

kin_pair kin_sample_disk(kin_pair u);                                    /* uniform in the unit disk */
kin_vec kin_sample_cosine(kin_vec normal, kin_pair u);                   /* density cos / pi */
kin_vec kin_sample_cone(kin_vec axis, float cos_half_angle, kin_pair u); /* uniform in the solid angle */
