/* render.c - the renderer on one page: stage, tiles, denoiser, picture. Tiles are independent and a pixel's samples are added
 * in one order, so the picture is the same for any number of threads. */
#include "render/render.h"
#include "base/alloc.h"
#include "base/error.h"
#include "render/bloom.h"
#include "render/camera.h"
#include "render/denoise.h"
#include "render/film.h"
#include "render/shade.h"
#include <pmmintrin.h>

enum { TILE = 16, MOST_PIXELS_A_SIDE = 16384 };

struct kin_renderer {
    kin_allocator allocator;
    kin_jobs* jobs;
    kin_render_options options;
    kin_stage* stage;
    kin_film film;
    kin_picture picture;
};

/* One picture while it is taken. */
typedef struct session {
    kin_renderer* renderer;
    kin_shader shader;
    kin_lens lens;
    float gain;
} session;

kin_render_options kin_render_options_default(void) { return (kin_render_options){.width = 960, .height = 540, .samples = 16, .bounces = 2}; }

static size_t picture_bytes(const kin_render_options* options) { return kin_bytes((size_t)options->width * 3, (size_t)options->height); }

static kin_result check_options(const kin_render_options* o, kin_error* error)
{
    if (o->width < 1 || o->height < 1 || o->width > MOST_PIXELS_A_SIDE || o->height > MOST_PIXELS_A_SIDE)
        return kin_fail(error, KIN_ERROR_ARGUMENT, "", "a picture of %d x %d cannot be rendered: each side must be 1 to %d pixels", o->width, o->height,
                        MOST_PIXELS_A_SIDE);
    if (o->samples < 1 || o->samples > 65536) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "%d samples a pixel: must be 1 to 65536", o->samples);
    if (o->bounces < 0 || o->bounces > 64) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "%d bounces: must be 0 to 64", o->bounces);
    return KIN_OK;
}

kin_result kin_renderer_create(const kin_allocator* allocator, kin_jobs* jobs, const kin_render_options* options, kin_renderer** out, kin_error* error)
{
    *out = NULL;
    kin_result result = check_options(options, error);
    if (result != KIN_OK) return result;
    kin_renderer* r = kin_alloc_zero(allocator, sizeof *r);
    if (r == NULL) return kin_fail_memory(error, "the renderer", sizeof *r);
    *r = (kin_renderer){.allocator = *allocator, .jobs = jobs, .options = *options, .picture = {.width = options->width, .height = options->height}};
    r->picture.rgb = kin_alloc(allocator, picture_bytes(options));
    if (r->picture.rgb == NULL) result = kin_fail_memory(error, "the picture", picture_bytes(options));
    if (result == KIN_OK) result = kin_film_init(&r->film, allocator, options->width, options->height, error);
    if (result == KIN_OK) result = kin_stage_create(allocator, &r->stage, error);
    if (result != KIN_OK)
        kin_renderer_destroy(r);
    else
        *out = r;
    return result;
}

void kin_renderer_destroy(kin_renderer* r)
{
    if (r == NULL) return;
    const kin_allocator allocator = r->allocator;
    kin_stage_destroy(r->stage);
    kin_film_term(&r->film);
    kin_free(&allocator, r->picture.rgb, picture_bytes(&r->options));
    kin_free(&allocator, r, sizeof *r);
}

/* Calm places are done after half the samples; where blur mixes surfaces, twice as many are taken. */
static bool enough(const session* s, const kin_exposure* exposure, int taken)
{
    int samples = s->renderer->options.samples;
    if (2 * taken == samples && samples >= 8) return kin_exposure_settled(exposure);
    return taken == samples && !(kin_lens_blurs(&s->lens) && kin_exposure_mixed(exposure));
}

static void take_pixel(const session* s, int x, int y)
{
    int most = 2 * s->renderer->options.samples;
    kin_exposure exposure = {.samples = 0};
    for (int i = 0; i < most; ++i) {
        kin_sampler sampler = kin_sampler_begin(x, y, i, most);
        kin_ray ray = kin_lens_ray(&s->lens, x, y, &sampler);
        kin_shot shot = kin_shoot(&s->shader, &ray, &sampler);
        kin_exposure_add(&exposure, &shot, vec_dot(ray.direction, s->lens.forward));
        if (enough(s, &exposure, i + 1)) break;
    }
    kin_film_put(&s->renderer->film, x, y, &exposure);
}

/* Embree wants denormals off; the thread gets its own mode back when the chunk ends. */
static void take_tiles(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    const session* s = argument;
    unsigned mode = _mm_getcsr();
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
    _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
    int width = s->lens.width, height = s->lens.height, across = (width + TILE - 1) / TILE;
    for (int64_t tile = begin; tile < end; ++tile) {
        int left = (int)(tile % across) * TILE, top = (int)(tile / across) * TILE;
        for (int y = top; y < top + TILE && y < height; ++y) {
            for (int x = left; x < left + TILE && x < width; ++x) take_pixel(s, x, y);
        }
    }
    _mm_setcsr(mode);
}

static void develop_rows(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    const session* s = argument;
    kin_renderer* r = s->renderer;
    for (int64_t y = begin; y < end; ++y) kin_film_row(&r->film, (int)y, s->gain, r->picture.rgb + (size_t)y * (size_t)r->picture.width * 3);
}

kin_result kin_render_frame(kin_renderer* r, const kin_frame* frame, const kin_picture** out, kin_error* error)
{
    *out = NULL;
    kin_result result = kin_stage_set(r->stage, frame, error);
    if (result != KIN_OK) return result;
    kin_stage_light(r->stage, r->jobs);
    int width = r->options.width, height = r->options.height;
    float gain = exp2f(clampf((float)frame->light.exposure, -30, 30));
    session s = {
        .renderer = r,
        .lens = kin_lens_from(&frame->camera, frame->origin, width, height),
        .gain = gain,
        .shader = {.stage = r->stage, .sky = kin_sky_from(&frame->light), .bounces = r->options.bounces, .brightest = 4 / gain},
    };
    s.shader.media = kin_stage_media(r->stage, s.lens.eye);
    int64_t tiles = (int64_t)((width + TILE - 1) / TILE) * ((height + TILE - 1) / TILE);
    kin_parallel_for(r->jobs, tiles, 1, take_tiles, &s);
    kin_denoise(&r->film, r->jobs);
    kin_bloom(&r->film, r->jobs, gain);
    kin_parallel_for(r->jobs, height, TILE, develop_rows, &s);
    *out = &r->picture;
    return KIN_OK;
}
