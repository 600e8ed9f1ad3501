/* frames.h - small frames made by hand, and pictures of them. */
#pragma once
#include "base/jobs.h"
#include "render/render.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_LAYERS = 12, MAX_ARRAYS = 8 };

typedef struct hand_frame {
    kin_frame frame;
    kin_layer layers[MAX_LAYERS];
    kin_array arrays[MAX_LAYERS][MAX_ARRAYS];
} hand_frame;

/* Looks at the origin from z = 10; a sun from above and behind the camera. */
static inline void hand_begin(hand_frame* h)
{
    memset(h, 0, sizeof *h);
    h->frame.interval = 0.1;
    h->frame.camera = (kin_camera){.eye = {0, 1, 10}, .target = {0, 1, 0}, .field_of_view = 0.6};
    h->frame.light =
        (kin_light){.sun_direction = {0.5, 0.7, 0.5}, .sun_angle = 0.02, .sun = {2.8f, 2.8f, 2.8f}, .sky = {0.3f, 0.3f, 0.3f}, .horizon = {0.3f, 0.3f, 0.3f}};
    h->frame.layers = h->layers;
}

static inline kin_layer* hand_layer(hand_frame* h, kin_layer_kind kind, kin_surface surface, float r, float g, float b)
{
    uint32_t i = h->frame.layer_count++;
    h->layers[i] = (kin_layer){.kind = kind, .look = {.surface = surface, .color = {r, g, b}, .roughness = 0.4f}, .arrays = h->arrays[i]};
    return &h->layers[i];
}

static inline kin_array* hand_array(hand_frame* h, kin_layer* layer, const char* name, kin_array_type type, uint32_t width, uint64_t count, const void* data)
{
    kin_array* array = &h->arrays[layer - h->layers][layer->array_count++];
    *array = (kin_array){.type = type, .width = width, .count = count, .data = data};
    strcpy(array->name, name);
    return array;
}

static inline void hand_ground(hand_frame* h)
{
    static const float at[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    kin_layer* layer = hand_layer(h, KIN_LAYER_PLANE, KIN_SURFACE_MATTE, 0.5f, 0.5f, 0.5f);
    hand_array(h, layer, "position", KIN_F32, 3, 1, at);
    hand_array(h, layer, "normal", KIN_F32, 3, 1, up);
}

/* One sphere; position and radius must live as long as the frame. */
static inline kin_layer* hand_sphere(hand_frame* h, kin_surface surface, float r, float g, float b, const float* position, const float* radius)
{
    kin_layer* layer = hand_layer(h, KIN_LAYER_POINTS, surface, r, g, b);
    hand_array(h, layer, "position", KIN_F32, 3, 1, position);
    hand_array(h, layer, "radius", KIN_F32, 1, 1, radius);
    return layer;
}

/* ---- pictures ---- */

enum { WIDTH = 96, HEIGHT = 64 };

typedef struct studio {
    kin_jobs jobs;
    kin_renderer* renderer;
} studio;

static inline void studio_begin(test* t, studio* s, int threads, int samples)
{
    kin_render_options options = {.width = WIDTH, .height = HEIGHT, .samples = samples, .bounces = 2};
    EQUAL(t, kin_jobs_init(&s->jobs, &t->allocator, NULL, threads, NULL), KIN_OK);
    EQUAL(t, kin_renderer_create(&t->allocator, &s->jobs, &options, &s->renderer, NULL), KIN_OK);
}

static inline void studio_end(studio* s)
{
    kin_renderer_destroy(s->renderer);
    kin_jobs_term(&s->jobs);
}

/* A copy of the picture, for the caller to free. */
static inline uint8_t* render_with(test* t, studio* s, const kin_frame* frame)
{
    const kin_picture* picture;
    kin_error error = {0};
    uint8_t* copy = calloc(WIDTH * HEIGHT, 3);
    if (!test_check(t, kin_render_frame(s->renderer, frame, &picture, &error) == KIN_OK, __FILE__, __LINE__, "%s", error.message)) return copy;
    EQUAL(t, picture->width, WIDTH);
    EQUAL(t, picture->height, HEIGHT);
    memcpy(copy, picture->rgb, WIDTH * HEIGHT * 3);
    return copy;
}

static inline uint8_t* render(test* t, const hand_frame* h, int threads)
{
    studio s;
    studio_begin(t, &s, threads, 16);
    uint8_t* copy = render_with(t, &s, &h->frame);
    studio_end(&s);
    return copy;
}

static inline const uint8_t* pixel(const uint8_t* rgb, int x, int y) { return rgb + 3 * (y * WIDTH + x); }
static inline int brightness(const uint8_t* rgb, int x, int y)
{
    const uint8_t* p = pixel(rgb, x, y);
    return p[0] + p[1] + p[2];
}
static inline bool same(const uint8_t* a, const uint8_t* b) { return memcmp(a, b, WIDTH * HEIGHT * 3) == 0; }
static inline bool reddish(const uint8_t* p) { return p[0] > 2 * p[1] && p[0] > 2 * p[2]; }
static inline int count_reddish(const uint8_t* rgb)
{
    int n = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) n += reddish(rgb + 3 * i);
    return n;
}
