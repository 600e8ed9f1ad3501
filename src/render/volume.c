/* volume.c - rays marched through voxels: absorption, light of their own, and the sun and sky they scatter. What reaches a voxel was found
 * beforehand on a grid half as fine (kin_volume_set_light), by rays marched to the sun; light that comes by way of other voxels is taken as octaves
 * of ever thinner smoke (Wrenninge 2015), which is what makes a cloud white. Blocks in which there is nothing are stepped over. */
#include "render/volume.h"
#include "base/alloc.h"
#include <string.h>

enum { BLOCK = 8, MOST_CROSSED = 16, MOST_SIDE = 2048, MOST_LIGHTS = 64, OCTAVES = 4 };
static const float octave_weight = 0.7f, octave_thinning = 0.35f;
static const float black = 0.002f, pitch_black = 1e-12f; /* of light: what is less cannot be seen; nor lights a cloud from within */

/* NaN is nothing, and so is what no ray would notice. */
static float clean(float x, float least, float most) { return x > least ? minf(x, most) : 0; }

/* ---- made from a layer ---- */

static const void* rows_of(const kin_layer* layer, const char* name, kin_array_type type, uint32_t width, uint64_t count)
{
    const kin_array* array = kin_layer_array(layer, name);
    return array != NULL && array->type == type && array->width == width && array->count >= count ? array->data : NULL;
}

/* Shortest step as a share of the box: below that of the most voxels there may be along a side, unless these are needles. */
#define FINEST 1e-4f

static bool read_shape(kin_volume* v, const kin_layer* layer)
{
    const uint32_t* dims = rows_of(layer, "dims", KIN_U32, 3, 1);
    const float* box = rows_of(layer, "box", KIN_F32, 3, 2);
    if (dims == NULL || box == NULL) return false;
    v->low = vec_load(box);
    v->high = vec_load(box + 3);
    kin_vec size = v->high - v->low;
    if (!vec_finite(v->low) || !vec_finite(v->high) || !vec_finite(size) || !(size[0] > 0 && size[1] > 0 && size[2] > 0)) return false;
    v->step = INFINITY;
    for (int k = 0; k < 3; ++k) {
        if (dims[k] < 1 || dims[k] > MOST_SIDE) return false;
        v->size[k] = (int)dims[k];
        v->blocks[k] = (v->size[k] + BLOCK - 1) / BLOCK;
        v->lights[k] = v->size[k] < 8 ? v->size[k] : (v->size[k] + 1) / 2;
        if (v->lights[k] > MOST_LIGHTS) v->lights[k] = MOST_LIGHTS;
        v->to_grid[k] = (float)v->size[k] / size[k];
        v->step = minf(v->step, 0.6f / v->to_grid[k]);
    }
    float longest = maxf(size[0], maxf(size[1], size[2]));
    v->step = clampf(v->step, FINEST * longest, 0.125f * longest);
    return true;
}

static int clampi(int x, int low, int high) { return x < low ? low : (x > high ? high : x); }
static size_t product(const int n[3]) { return (size_t)n[0] * (size_t)n[1] * (size_t)n[2]; }
static size_t voxel(const int n[3], int x, int y, int z) { return ((size_t)z * (size_t)n[1] + (size_t)y) * (size_t)n[0] + (size_t)x; }

static bool take_memory(kin_volume* v, const kin_allocator* allocator, bool glow, bool glow_color)
{
    size_t n = product(v->size), blocks = product(v->blocks), lights = product(v->lights);
    v->bytes = (n * (1 + (size_t)glow + 3 * (size_t)glow_color) + blocks) * sizeof(float) + lights * sizeof *v->light;
    v->memory = kin_alloc_zero(allocator, v->bytes);
    if (v->memory == NULL) return false;
    float* next = v->memory;
    v->extinction = next;
    next += n;
    if (glow) v->glow = next, next += n;
    if (glow_color) v->glow_color = next, next += 3 * n;
    v->block_max = next;
    v->light = (kin_volume_light*)(next + blocks);
    return true;
}

/* The most there is in a block and the voxels beside it, which interpolation mixes in. */
static float most_in(const kin_volume* v, const int block[3])
{
    int first[3], last[3];
    float most = 0;
    for (int k = 0; k < 3; ++k) {
        first[k] = clampi(block[k] * BLOCK - 1, 0, v->size[k] - 1);
        last[k] = clampi((block[k] + 1) * BLOCK, 0, v->size[k] - 1);
    }
    for (int z = first[2]; z <= last[2]; ++z) {
        for (int y = first[1]; y <= last[1]; ++y) {
            for (int x = first[0]; x <= last[0]; ++x) {
                size_t i = voxel(v->size, x, y, z);
                most = maxf(most, maxf(v->extinction[i], v->glow != NULL ? v->glow[i] : 0));
            }
        }
    }
    return most;
}

static void block_place(const kin_volume* v, size_t i, int block[3])
{
    block[0] = (int)(i % (size_t)v->blocks[0]);
    block[1] = (int)(i / (size_t)v->blocks[0] % (size_t)v->blocks[1]);
    block[2] = (int)(i / (size_t)v->blocks[0] / (size_t)v->blocks[1]);
}

int kin_volume_init(kin_volume* v, const kin_allocator* allocator, const kin_layer* layer)
{
    *v = (kin_volume){.albedo = vec_color(layer->look.color), .glow_tint = vec_color(layer->look.color)};
    if (!read_shape(v, layer)) return KIN_VOLUME_NONE;
    size_t n = product(v->size);
    const float* density = rows_of(layer, "density", KIN_F32, 1, n);
    const float* glow = rows_of(layer, "glow", KIN_F32, 1, n);
    const float* glow_color = glow != NULL ? rows_of(layer, "glow_color", KIN_F32, 3, n) : NULL;
    if (density == NULL) return KIN_VOLUME_NONE;
    if (!take_memory(v, allocator, glow != NULL, glow_color != NULL)) return KIN_VOLUME_NO_MEMORY;
    float scale = layer->look.extinction > 0 ? minf(layer->look.extinction, 1e6f) : 1, gain = layer->look.glow > 0 ? minf(layer->look.glow, 1e6f) : 1;
    v->anisotropy = layer->look.anisotropy > -0.95f ? minf(layer->look.anisotropy, 0.95f) : (layer->look.anisotropy < 0 ? -0.95f : 0);
    float least = 1e-4f / vec_length(v->high - v->low); /* a ten thousandth of the light, all the way through: clouds have endless thin rims */
    for (size_t i = 0; i < n; ++i) v->extinction[i] = clean(density[i] * scale, least, 1e6f);
    for (size_t i = 0; glow != NULL && i < n; ++i) v->glow[i] = clean(glow[i] * gain, least, 1e6f);
    for (size_t i = 0; glow_color != NULL && i < 3 * n; ++i) v->glow_color[i] = clean(glow_color[i], 0, 1);
    for (size_t i = 0; i < product(v->blocks); ++i) {
        int block[3];
        block_place(v, i, block);
        v->block_max[i] = most_in(v, block);
    }
    return KIN_VOLUME_MADE;
}

void kin_volume_term(kin_volume* v, const kin_allocator* allocator)
{
    kin_free(allocator, v->memory, v->bytes);
    v->memory = NULL;
}

/* ---- light of its own on others ---- */

/* Light sent out by a block: sum of glow, and where it is, over its voxels. */
static kin_vec block_glow(const kin_volume* v, const int block[3], kin_vec* middle)
{
    kin_vec sum = vec_all(0), place = vec_all(0);
    float weight = 0;
    for (int z = block[2] * BLOCK; z < (block[2] + 1) * BLOCK && z < v->size[2]; ++z) {
        for (int y = block[1] * BLOCK; y < (block[1] + 1) * BLOCK && y < v->size[1]; ++y) {
            for (int x = block[0] * BLOCK; x < (block[0] + 1) * BLOCK && x < v->size[0]; ++x) {
                size_t i = voxel(v->size, x, y, z);
                sum += (v->glow_color != NULL ? vec_load(v->glow_color + 3 * i) : v->glow_tint) * v->glow[i];
                place += vec((float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f) * v->glow[i];
                weight += v->glow[i];
            }
        }
    }
    *middle = v->low + place * (1 / maxf(weight, 1e-30f)) / (v->to_grid + (kin_vec){0, 0, 0, 1}); /* the fourth lane is not to be 0 */
    return sum;
}

bool kin_volume_lamps(const kin_volume* v, kin_lamps* lamps)
{
    if (v->glow == NULL) return true;
    float cell = 1 / (v->to_grid[0] * v->to_grid[1] * v->to_grid[2]);
    float radius = 0.25f * BLOCK / maxf(v->to_grid[0], maxf(v->to_grid[1], v->to_grid[2]));
    for (size_t i = 0; i < product(v->blocks); ++i) {
        int block[3];
        if (!(v->block_max[i] > 0)) continue;
        block_place(v, i, block);
        kin_vec middle, glow = block_glow(v, block, &middle);
        if (!(vec_max(glow) > 0)) continue;
        /* A sphere sends out 4 pi^2 r^2 L, and glow e in a volume V sends out 4 pi e V. */
        kin_lamp lamp = {.from = middle, .to = middle, .radius = radius, .radiance = glow * (cell / (KIN_PI * radius * radius))};
        if (!kin_lamps_add(lamps, &lamp)) return false;
    }
    return true;
}

/* ---- light that reaches it ---- */

size_t kin_volume_light_count(const kin_volume* v) { return product(v->lights); }

kin_vec kin_volume_light_place(const kin_volume* v, size_t i)
{
    size_t x = i % (size_t)v->lights[0], y = i / (size_t)v->lights[0] % (size_t)v->lights[1], z = i / (size_t)v->lights[0] / (size_t)v->lights[1];
    kin_vec share = vec(((float)x + 0.5f) / (float)v->lights[0], ((float)y + 0.5f) / (float)v->lights[1], ((float)z + 0.5f) / (float)v->lights[2]);
    return v->low + (v->high - v->low) * share;
}

bool kin_volume_light_used(const kin_volume* v, size_t i)
{
    kin_vec g = (kin_volume_light_place(v, i) - v->low) * v->to_grid;
    int first[3], last[3];
    for (int k = 0; k < 3; ++k) {
        float reach = 1.01f * (float)v->size[k] / (float)v->lights[k];
        first[k] = clampi((int)(g[k] - reach) / BLOCK, 0, v->blocks[k] - 1);
        last[k] = clampi((int)(g[k] + reach) / BLOCK, 0, v->blocks[k] - 1);
    }
    for (int z = first[2]; z <= last[2]; ++z) {
        for (int y = first[1]; y <= last[1]; ++y) {
            for (int x = first[0]; x <= last[0]; ++x) {
                if (v->block_max[voxel(v->blocks, x, y, z)] > 0) return true;
            }
        }
    }
    return false;
}

void kin_volume_set_light(kin_volume* v, size_t i, float sun, float sky)
{
    float thickness = sun > 0 ? -logf(clampf(sun, 1e-30f, 1)) : INFINITY, weight = 1, thinning = 1, round = 0;
    for (int k = 1; k <= OCTAVES && sun > 0; ++k) {
        weight *= octave_weight * vec_luminance(v->albedo);
        thinning *= octave_thinning;
        round += weight * expf(-thickness * thinning);
    }
    float around = octave_weight * vec_luminance(v->albedo) * powf(clampf(sky, 0, 1), octave_thinning);
    v->light[i] = (kin_volume_light){.sun = sun, .round = round, .sky = sky + (1 - sky) * around};
}

/* ---- sampling ---- */

/* Eight corners and where the point lies between them; centres of cells stand at halves. */
typedef struct corners {
    size_t index[8];
    float weight[8];
} corners;

static corners corners_at(const int n[3], kin_vec g)
{
    int low[3], high[3];
    float s[3];
    for (int k = 0; k < 3; ++k) {
        float x = clampf(g[k] - 0.5f, 0, (float)(n[k] - 1));
        low[k] = (int)x;
        high[k] = low[k] + 1 < n[k] ? low[k] + 1 : low[k];
        s[k] = x - (float)low[k];
    }
    corners c;
    for (int i = 0; i < 8; ++i) {
        c.index[i] = voxel(n, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
        c.weight[i] = (i & 1 ? s[0] : 1 - s[0]) * (i & 2 ? s[1] : 1 - s[1]) * (i & 4 ? s[2] : 1 - s[2]);
    }
    return c;
}

static float mixed(const float* values, const corners* c)
{
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum += values[c->index[i]] * c->weight[i];
    return sum;
}

static kin_vec glow_at(const kin_volume* v, const corners* c)
{
    kin_vec sum = vec_all(0);
    for (int i = 0; i < 8; ++i) {
        float glow = v->glow[c->index[i]] * c->weight[i];
        sum += (v->glow_color != NULL ? vec_load(v->glow_color + 3 * c->index[i]) : v->glow_tint) * glow;
    }
    return sum;
}

static kin_volume_light light_at(const kin_volume* v, kin_vec g)
{
    kin_vec share = vec((float)v->lights[0] / (float)v->size[0], (float)v->lights[1] / (float)v->size[1], (float)v->lights[2] / (float)v->size[2]);
    corners c = corners_at(v->lights, g * share);
    kin_volume_light sum = {0};
    for (int i = 0; i < 8; ++i) {
        const kin_volume_light* l = &v->light[c.index[i]];
        sum.sun += l->sun * c.weight[i];
        sum.round += l->round * c.weight[i];
        sum.sky += l->sky * c.weight[i];
    }
    return sum;
}

/* ---- the march ---- */

/* A volume that the ray crosses. */
typedef struct crossing {
    const kin_volume* volume;
    kin_vec origin, direction; /* in voxels */
    float enter, leave;
    float phase; /* of the sun's light, towards the viewer */
} crossing;

typedef struct way {
    const kin_march* march;
    crossing crossings[MOST_CROSSED];
    int count;
    kin_vec sky; /* mean radiance all around */
    float step;
} way;

static bool cross_box(const kin_volume* v, const kin_ray* ray, float* enter, float* leave)
{
    for (int k = 0; k < 3; ++k) {
        float d = ray->direction[k];
        if (d == 0) {
            if (ray->origin[k] < v->low[k] || ray->origin[k] > v->high[k]) return false;
            continue;
        }
        float a = (v->low[k] - ray->origin[k]) / d, b = (v->high[k] - ray->origin[k]) / d;
        *enter = maxf(*enter, minf(a, b));
        *leave = minf(*leave, maxf(a, b));
    }
    return *enter < *leave;
}

/* Henyey and Greenstein 1941. */
static float phase_of(float g, float cosine)
{
    float d = 1 + g * g - 2 * g * cosine;
    return (1 - g * g) / (4 * KIN_PI * d * sqrtf(d));
}

static void plan_way(way* w, const kin_march* march, const kin_ray* ray, float from, float to)
{
    w->march = march;
    w->count = 0;
    w->step = INFINITY;
    w->sky = (kin_sky_ambient(march->sky, vec(0, 1, 0)) + march->sky->horizon) * 0.5f;
    for (size_t i = 0; i < march->count && w->count < MOST_CROSSED; ++i) {
        const kin_volume* v = &march->volumes[i];
        crossing c = {.volume = v, .origin = (ray->origin - v->low) * v->to_grid, .direction = ray->direction * v->to_grid, .enter = from, .leave = to};
        if (!cross_box(v, ray, &c.enter, &c.leave)) continue;
        c.phase = phase_of(v->anisotropy, vec_dot(ray->direction, march->sky->sun_direction));
        w->crossings[w->count++] = c;
        w->step = minf(w->step, v->step);
    }
}

/* Where the block that the ray enters at t ends. It is found a little beyond t, which may lie on a side; so it always gets on. */
static float block_end(const crossing* c, float t, bool* empty)
{
    const kin_volume* v = c->volume;
    t += 1e-3f * v->step + 1e-6f * t;
    int block[3];
    float end = c->leave;
    for (int k = 0; k < 3; ++k) {
        float x = c->origin[k] + c->direction[k] * t;
        block[k] = clampi((int)(x / BLOCK), 0, v->blocks[k] - 1);
        if (c->direction[k] == 0) continue;
        float side = (float)(BLOCK * (c->direction[k] > 0 ? block[k] + 1 : block[k])), at = (side - c->origin[k]) / c->direction[k];
        end = minf(end, maxf(at, t));
    }
    *empty = !(v->block_max[voxel(v->blocks, block[0], block[1], block[2])] > 0);
    return end;
}

/* The next distance at which something changes; *empty if there is nothing up to it. */
static float next_change(const way* w, float t, bool* empty)
{
    float next = INFINITY;
    *empty = true;
    for (int i = 0; i < w->count; ++i) {
        const crossing* c = &w->crossings[i];
        bool none = true;
        if (t < c->enter)
            next = minf(next, c->enter);
        else if (t < c->leave)
            next = minf(next, block_end(c, t, &none));
        *empty = *empty && none;
    }
    return next;
}

/* What a place takes away a metre, and what it adds. */
static float sample(const way* w, float t, kin_vec* source)
{
    float lost = 0;
    for (int i = 0; i < w->count; ++i) {
        const crossing* c = &w->crossings[i];
        const kin_volume* v = c->volume;
        if (t < c->enter || t > c->leave) continue;
        kin_vec g = c->origin + c->direction * t;
        corners at = corners_at(v->size, g);
        float here = mixed(v->extinction, &at);
        lost += here;
        if (source == NULL) continue;
        if (here > 0) {
            kin_volume_light l = light_at(v, g);
            kin_vec in = w->march->sky->sun * (l.sun * c->phase + l.round / (4 * KIN_PI)) + w->sky * l.sky;
            *source += v->albedo * in * here;
        }
        if (v->glow != NULL && w->march->glows) *source += glow_at(v, &at);
    }
    return lost;
}

/* Returns what is left of through; stops when it is less than least. */
static float march_span(const way* w, float from, float to, float least, kin_vec* light, float through)
{
    float step = light != NULL ? w->step : 1.6f * w->step;
    int steps = (int)ceilf((to - from) / step);
    if (steps < 1) steps = 1;
    float length = (to - from) / (float)steps;
    for (int i = 0; i < steps; ++i) {
        kin_vec source = vec_all(0);
        float lost = sample(w, from + ((float)i + w->march->jitter) * length, light != NULL ? &source : NULL);
        float left = expf(-lost * length);
        if (light != NULL) *light += source * (through * (lost * length > 1e-4f ? (1 - left) / lost : length));
        through *= left;
        if (through <= least) return 0;
    }
    return through;
}

void kin_volumes_march(const kin_march* march, const kin_ray* ray, float from, float to, kin_vec* light, float* through)
{
    way w;
    float least = light != NULL ? black : pitch_black, t = from;
    plan_way(&w, march, ray, from, to);
    while (w.count > 0 && t<to&& * through> 0) {
        bool empty;
        float next = minf(next_change(&w, t, &empty), to);
        if (!(next < INFINITY)) break;
        if (!empty) *through = march_span(&w, t, next, least, light, *through);
        t = next;
    }
}
