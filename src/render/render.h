/* render.h - a frame in, a picture out. Reads frames only; Embree sits behind scene.h's intersect and occluded. */
#pragma once
#include "base/jobs.h"
#include "kinema/frame.h"

typedef struct kin_render_options {
    int width, height; /* pixels */
    int samples;       /* a pixel */
    int bounces;       /* of indirect light */
} kin_render_options;

typedef struct kin_renderer kin_renderer;

/* 8 bit sRGB, rows from the top, 3 bytes a pixel. */
typedef struct kin_picture {
    int width, height;
    uint8_t* rgb;
} kin_picture;

kin_render_options kin_render_options_default(void); /* 960 x 540, 16 samples, 2 bounces */
kin_result kin_renderer_create(const kin_allocator* allocator, kin_jobs* jobs, const kin_render_options* options, kin_renderer** out, kin_error* error);
void kin_renderer_destroy(kin_renderer* renderer);
/* The picture is the renderer's, until the next call. Same frame, same bytes, for any number of threads. */
kin_result kin_render_frame(kin_renderer* renderer, const kin_frame* frame, const kin_picture** out, kin_error* error);

kin_result kin_picture_write_png(const kin_picture* picture, const char* path, kin_error* error); /* beside, then renamed */

/* A movie of any kind ffmpeg knows, through a pipe to it. */
typedef struct kin_movie kin_movie;
kin_result kin_movie_create(const char* path, int width, int height, double fps, kin_movie** out, kin_error* error);
kin_result kin_movie_add(kin_movie* movie, const kin_picture* picture, kin_error* error);
kin_result kin_movie_close(kin_movie* movie, kin_error* error); /* renames to path on success */
