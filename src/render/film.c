/* film.c - samples to pixels, pixels to 8 bits. The curve is Khronos' PBR Neutral (Lalish 2024), made for
 * products: a surface in full light has the colour its material says, highlights roll off like film. */
#include "render/film.h"
#include "base/alloc.h"
#include "base/error.h"

kin_result kin_film_init(kin_film* film, const kin_allocator* allocator, int width, int height, kin_error* error)
{
    size_t pixels = kin_bytes((size_t)width, (size_t)height), bytes = kin_bytes(pixels, sizeof(kin_vec));
    *film = (kin_film){.allocator = *allocator, .width = width, .height = height};
    kin_vec** planes[] = {&film->crisp, &film->light, &film->spare, &film->albedo, &film->guide};
    for (size_t i = 0; i < sizeof planes / sizeof *planes; ++i) {
        *planes[i] = kin_alloc_zero(allocator, bytes);
        if (*planes[i] != NULL) continue;
        kin_film_term(film);
        return kin_fail_memory(error, "the film", bytes);
    }
    return KIN_OK;
}

void kin_film_term(kin_film* film)
{
    size_t bytes = (size_t)film->width * (size_t)film->height * sizeof(kin_vec);
    kin_vec* planes[] = {film->crisp, film->light, film->spare, film->albedo, film->guide};
    for (size_t i = 0; i < sizeof planes / sizeof *planes; ++i) kin_free(&film->allocator, planes[i], bytes);
    *film = (kin_film){.width = 0};
}

void kin_exposure_add(kin_exposure* e, const kin_shot* shot, float cos_axis)
{
    if (!vec_finite(shot->lit) || !vec_finite(shot->crisp)) return; /* a path that overflowed says nothing */
    e->samples += 1;
    e->crisp += shot->crisp;
    float albedo = vec_luminance(shot->albedo);
    if (!(albedo > 0)) return;
    if (!shot->guided && e->guided > 0) albedo = vec_luminance(e->albedo) / (float)e->guided;
    float light = vec_luminance(shot->lit) / albedo;
    e->lit += shot->lit;
    if (shot->guided) {
        e->albedo += shot->albedo;
        e->guided += 1;
    }
    for (int i = 0; i < shot->surfaces; ++i) {
        kin_vec normal = shot->normal[i];
        normal[3] = 1 / maxf(normal[3] * cos_axis, 1e-6f);
        e->normal[i] += normal;
        e->normals[i] += 1;
    }
    e->sum += light;
    e->sum_square += light * light;
    e->surfaces += 1;
}

bool kin_exposure_settled(const kin_exposure* e)
{
    if (e->surfaces == 0) return true;
    if (e->surfaces < e->samples) return false; /* an edge */
    float n = (float)e->surfaces, mean = e->sum / n, spread = e->sum_square / n - mean * mean;
    return spread < n * 0.06f * 0.06f * mean * mean;
}

/* Samples that met the i-th surface met the same one: their normals agree. */
static bool agreed(const kin_exposure* e, int i)
{
    float n = (float)e->normals[i];
    return vec_dot(e->normal[i], e->normal[i]) >= 0.9f * n * n;
}

static bool most(const kin_exposure* e, int count) { return 2 * count > e->surfaces; }

/* The deepest surface that most samples share: behind a pane the one there, where ways through a drop part the drop itself. */
static int shared_surface(const kin_exposure* e)
{
    int i = KIN_SEEN - 1;
    while (i > 0 && !most(e, e->normals[i])) --i;
    return i;
}

/* The shared surface is the one seen: no clear one. */
static bool shares_seen(const kin_exposure* e, int shared) { return most(e, e->guided) && (shared + 1 == KIN_SEEN || !most(e, e->normals[shared + 1])); }

bool kin_exposure_mixed(const kin_exposure* e)
{
    if (e->surfaces == 0) return false;
    return e->surfaces < e->samples || !agreed(e, 0);
}

static kin_vec divided(kin_vec a, kin_vec b) { return vec(a[0] / maxf(b[0], 1e-6f), a[1] / maxf(b[1], 1e-6f), a[2] / maxf(b[2], 1e-6f)); }

void kin_film_put(kin_film* film, int x, int y, const kin_exposure* e)
{
    size_t i = (size_t)y * (size_t)film->width + (size_t)x;
    float share = e->samples > 0 ? 1 / (float)e->samples : 0, n = (float)e->surfaces;
    int shared = shared_surface(e);
    bool seen = shares_seen(e, shared);
    /* A reflection has no albedo of its own here: where few samples take it, their number would be noise that nothing filters. That of a clear surface is 1. */
    kin_vec albedo = seen ? e->albedo * (n / (float)e->guided) : vec_all(n);
    film->crisp[i] = e->crisp * share;
    film->albedo[i] = albedo * share;
    film->light[i] = divided(e->lit, albedo);
    film->guide[i] = vec_all(0);
    if (e->surfaces == 0) return;
    /* With few samples the spread within a pixel is uncertain: it is never taken as less than a tenth of the light. */
    float mean = e->sum / n, spread = maxf(e->sum_square / n - mean * mean, 0.01f * mean * mean);
    float scale = seen || !(mean > 0) ? 1 : vec_luminance(film->light[i]) / mean; /* of light by the albedo used to that of each sample */
    film->light[i][3] = scale * scale * spread / n;
    film->guide[i] = e->normal[shared] * (1 / (float)e->normals[shared]);
    if (seen) return;
    for (int k = 0; k < 3; ++k) film->guide[i][k] = -film->guide[i][k]; /* is not mixed with light over another albedo: of the ground under shallow water */
}

/* Colours up to 0.76 stay what they are; brighter ones are rolled off to 1 and go towards white, so that nothing clips. */
static kin_vec filmic(kin_vec c)
{
    const float toe_end = 0.08f, start = 0.76f, fade = 0.15f;
    float low = minf(c[0], minf(c[1], c[2])), offset = low < toe_end ? low - 6.25f * low * low : 0.04f;
    c -= vec_all(offset);
    float peak = vec_max(c);
    if (peak < start) return c;
    float room = 1 - start, top = 1 - room * room / (peak + room - start);
    float white = 1 - 1 / (fade * (peak - top) + 1);
    return vec_mix(c * (top / peak), vec_all(top), white);
}

static uint8_t srgb(float x)
{
    x = clampf(x, 0, 1);
    float y = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * y + 0.5f);
}

void kin_film_row(const kin_film* film, int y, float gain, uint8_t* rgb)
{
    for (int x = 0; x < film->width; ++x) {
        size_t i = (size_t)y * (size_t)film->width + (size_t)x;
        kin_vec c = filmic((film->crisp[i] + film->light[i] * film->albedo[i]) * gain);
        for (int k = 0; k < 3; ++k) rgb[3 * x + k] = srgb(c[k]);
    }
}
