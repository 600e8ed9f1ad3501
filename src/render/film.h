/* film.h - what the camera gathered, pixel by pixel, and how it becomes a picture. */
#pragma once
#include "base/jobs.h"
#include "kinema/base.h"
#include "render/shade.h"

typedef struct kin_film {
    kin_allocator allocator;
    int width, height;
    kin_vec* crisp;
    kin_vec* light; /* lit / albedo; lane 3: variance of its luminance */
    kin_vec* spare; /* the denoiser's other half */
    kin_vec* albedo;
    kin_vec* guide; /* normal; lane 3: 1 / depth, which is linear over the picture on any plane */
} kin_film;

kin_result kin_film_init(kin_film* film, const kin_allocator* allocator, int width, int height, kin_error* error);
void kin_film_term(kin_film* film);

/* A pixel while its samples come in. */
typedef struct kin_exposure {
    kin_vec crisp, lit;
    kin_vec albedo;           /* sum over guided samples */
    kin_vec normal[KIN_SEEN]; /* of the first surface, the second ...; lane 3: 1 / depth */
    int normals[KIN_SEEN];    /* how many of each */
    float sum, sum_square;    /* luminance of lit / albedo, over samples with a surface */
    int samples, surfaces, guided;
} kin_exposure;
void kin_exposure_add(kin_exposure* exposure, const kin_shot* shot, float cos_axis); /* cos_axis: from the ray to the camera's axis */
/* True when further samples would change little that the denoiser does not smooth anyway. */
bool kin_exposure_settled(const kin_exposure* exposure);
/* True when its samples met different surfaces, or some none. */
bool kin_exposure_mixed(const kin_exposure* exposure);
void kin_film_put(kin_film* film, int x, int y, const kin_exposure* exposure);

/* One row to 8 bit sRGB: filtered light back on its albedo, exposure, filmic curve. */
void kin_film_row(const kin_film* film, int y, float gain, uint8_t* rgb);
