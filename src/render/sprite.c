/* sprite.c - soft pictures that face whoever looks: a sprite has no plane of its own but stands square to each ray, with its top towards the camera's up,
 * so that mirrors and shadows see it too. Lit ones are taken as puffs: the sun wraps round a ball, and how much of it gets there is found
 * beforehand, for each sprite as a whole. */
#include "base/alloc.h"
#include "render/stage.h"

static const float core = 4; /* the soft ball: exp(-core (d / r)^2), brought to 0 at the rim */

/* ---- a layer of them ---- */

static bool read_sprites(kin_sprites* s, const kin_layer* layer, uint64_t count)
{
    const kin_array* size = kin_layer_array(layer, "texture_size");
    s->position = kin_layer_floats(layer, "position", 3, count);
    s->radius = kin_layer_floats(layer, "radius", 1, count);
    s->velocity = kin_layer_floats(layer, "velocity", 3, count);
    s->angle = kin_layer_floats(layer, "angle", 1, count);
    if (size != NULL && size->type == KIN_U32 && size->width == 2 && size->count >= 1) {
        const uint32_t* sides = size->data;
        bool good = sides[0] > 0 && sides[1] > 0 && sides[0] <= 32768 && sides[1] <= 32768;
        s->texture = good ? kin_layer_floats(layer, "texture", 4, (uint64_t)sides[0] * sides[1]) : NULL;
        s->width = (int)sides[0];
        s->height = (int)sides[1];
    }
    return s->position != NULL && s->radius != NULL;
}

void kin_sprites_free(kin_sprites* s, const kin_allocator* allocator)
{
    kin_free(allocator, s->light, s->light_bytes);
    kin_free(allocator, s, sizeof *s);
}

static kin_sprites* new_sprites(kin_stage* stage)
{
    if (!kin_reserve(&stage->allocator, (void**)&stage->sprites, &stage->sprites_capacity, stage->sprites_count + 1, sizeof(kin_sprites*))) return NULL;
    kin_sprites* s = kin_alloc_zero(&stage->allocator, sizeof *s);
    if (s != NULL) stage->sprites[stage->sprites_count++] = s;
    return s;
}

/* Half the diagonal of a picture; the soft ball ends at its radius. */
static float reach_of(const kin_sprites* s, uint32_t i) { return s->texture != NULL ? 1.41422f * s->radius[i] : s->radius[i]; }

static kin_vec middle_of(const kin_stage* stage, const kin_sprites* s, uint32_t i, float time)
{
    kin_vec p = vec_load(s->position + 3 * (size_t)i);
    return s->moving ? kin_stage_moved(stage, p, s->velocity + 3 * (size_t)i, stage->shutter * time) : p;
}

static void bounds(const struct RTCBoundsFunctionArguments* a)
{
    const kin_sprites* s = a->geometryUserPtr;
    uint32_t i = s->stage->map[s->map + a->primID];
    kin_vec middle = middle_of(s->stage, s, i, (float)a->timeStep);
    float reach = reach_of(s, i);
    *a->bounds_o = (struct RTCBounds){.lower_x = middle[0] - reach,
                                      .lower_y = middle[1] - reach,
                                      .lower_z = middle[2] - reach,
                                      .upper_x = middle[0] + reach,
                                      .upper_y = middle[1] + reach,
                                      .upper_z = middle[2] + reach};
}

/* Mean of the picture's colour times its alpha; of a soft ball the mean of its alpha over the square. */
static kin_vec mean_of(const kin_sprites* s)
{
    if (s->texture == NULL) {
        float rim = expf(-core);
        return vec_all(0.25f * KIN_PI * ((1 - rim) / core - rim) / (1 - rim));
    }
    size_t n = (size_t)s->width * (size_t)s->height;
    kin_vec sum = vec_all(0);
    for (size_t i = 0; i < n; ++i) sum += vec_color(s->texture + 4 * i) * clampf(s->texture[4 * i + 3], 0, 1);
    return sum * (1 / (float)n);
}

/* A lamp of half the radius that sends out as much as the square does. */
static bool add_lamps(kin_stage* stage, const kin_exhibit* exhibit, uint64_t drawn)
{
    const kin_look* look = &exhibit->layer->look;
    const kin_sprites* s = exhibit->sprites;
    if (look->surface != KIN_SURFACE_EMISSIVE || !(look->glow > 0)) return true;
    kin_vec mean = mean_of(s);
    for (uint64_t i = 0; i < drawn; ++i) {
        uint32_t e = stage->map[exhibit->map + i];
        kin_vec color = exhibit->colors != NULL ? vec_color(exhibit->colors + 3 * (size_t)e) : exhibit->color;
        float alpha = exhibit->opacity != NULL ? clampf(exhibit->opacity[e], 0, 1) : 1;
        kin_lamp lamp = {.from = vec_load(s->position + 3 * (size_t)e),
                         .to = vec_load(s->position + 3 * (size_t)e),
                         .radius = 0.5f * s->radius[e],
                         .radiance = color * mean * (look->glow * alpha * 16 / KIN_PI)};
        if (!kin_lamps_add(&stage->lamps, &lamp)) return false;
    }
    return true;
}

bool kin_stage_add_sprites(kin_stage* stage, const kin_layer* layer)
{
    const kin_array* position = kin_layer_array(layer, "position");
    uint64_t count = position != NULL ? position->count : 0;
    kin_sprites* s = new_sprites(stage);
    if (s == NULL) return false;
    if (!read_sprites(s, layer, count) || count == 0 || count > UINT32_MAX / 2) return true;
    s->moving = s->velocity != NULL && stage->shutter > 0;
    kin_exhibit* exhibit = kin_stage_exhibit(stage, layer);
    if (exhibit == NULL || !kin_stage_map_points(stage, s->position, s->radius, count)) return false;
    uint64_t drawn = stage->map_count - exhibit->map;
    exhibit->colors = kin_layer_floats(layer, "color", 3, count);
    exhibit->opacity = kin_layer_floats(layer, "opacity", 1, count);
    exhibit->sprites = s;
    if (!add_lamps(stage, exhibit, drawn)) return false;
    if (!kin_stage_by_distance(stage, &layer->look, true, s->position, count, &s->radius, &exhibit->opacity)) return false;
    s->stage = stage;
    s->map = exhibit->map;
    exhibit->soft = true;
    if (drawn == 0) return true;
    s->light_bytes = 2 * drawn * sizeof *s->light;
    s->light = kin_alloc_zero(&stage->allocator, s->light_bytes);
    if (s->light == NULL) return false;
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, (unsigned)drawn);
    rtcSetGeometryTimeStepCount(geometry, s->moving ? 2 : 1);
    rtcSetGeometryUserData(geometry, s);
    rtcSetGeometryBoundsFunction(geometry, bounds, NULL);
    rtcSetGeometryIntersectFunction(geometry, kin_sprite_intersect);
    rtcSetGeometryOccludedFunction(geometry, kin_sprite_occlude);
    return kin_stage_attach(stage, geometry) != NULL;
}

/* ---- one of them ---- */

bool kin_sprite_distance(const kin_stage* stage, const kin_sprites* s, uint32_t i, kin_vec origin, kin_vec direction, float time, float* distance)
{
    kin_vec away = middle_of(stage, s, i, time) - origin;
    float along = vec_dot(away, direction), reach = reach_of(s, i);
    kin_vec off = away - direction * along;
    *distance = along;
    return vec_dot(off, off) < reach * reach;
}

/* Where on the picture, -1..1 to the right and up. */
static kin_pair place_on(const kin_stage* stage, const kin_sprites* s, uint32_t i, const kin_ray* ray, float distance)
{
    kin_vec off = (ray->origin + ray->direction * distance - middle_of(stage, s, i, ray->time)) * (1 / s->radius[i]);
    kin_vec right = vec_cross(ray->direction, stage->up);
    if (vec_dot(right, right) < 1e-8f * vec_dot(stage->up, stage->up)) right = vec_cross(ray->direction, vec(0.6f, 0, 0.8f));
    right = vec_normalize(right);
    kin_vec up = vec_cross(right, ray->direction);
    kin_pair p = {vec_dot(off, right), vec_dot(off, up)};
    if (s->angle == NULL || !isfinite(s->angle[i])) return p;
    float cosine = cosf(s->angle[i]), sine = sinf(s->angle[i]);
    return (kin_pair){cosine * p.x + sine * p.y, cosine * p.y - sine * p.x};
}

static const float* texel(const kin_sprites* s, int x, int y)
{
    x = x < 0 ? 0 : (x >= s->width ? s->width - 1 : x);
    y = y < 0 ? 0 : (y >= s->height ? s->height - 1 : y);
    return s->texture + 4 * ((size_t)y * (size_t)s->width + (size_t)x);
}

/* Between four texels; colours by their alpha, so that what cannot be seen does not bleed in. */
static float picture_at(const kin_sprites* s, kin_pair p, kin_vec* color)
{
    if (!(fabsf(p.x) < 1 && fabsf(p.y) < 1)) return 0;
    float x = 0.5f * (1 + p.x) * (float)s->width - 0.5f, y = 0.5f * (1 - p.y) * (float)s->height - 0.5f;
    int column = (int)floorf(x), row = (int)floorf(y);
    kin_vec sum = vec_all(0);
    float alpha = 0;
    for (int i = 0; i < 4; ++i) {
        const float* t = texel(s, column + i % 2, row + i / 2);
        float w = (i % 2 == 1 ? x - (float)column : 1 - (x - (float)column)) * (i / 2 == 1 ? y - (float)row : 1 - (y - (float)row));
        w *= clampf(t[3], 0, 1);
        sum += vec_color(t) * w;
        alpha += w;
    }
    if (alpha > 0) *color *= sum * (1 / alpha);
    return alpha;
}

float kin_sprite_opacity(const kin_stage* stage, const kin_exhibit* exhibit, uint32_t i, const kin_ray* ray, float distance, kin_vec* color)
{
    const kin_sprites* s = exhibit->sprites;
    kin_pair p = place_on(stage, s, i, ray, distance);
    float rim = expf(-core), own = exhibit->opacity != NULL ? clampf(exhibit->opacity[i], 0, 1) : 1;
    *color = exhibit->colors != NULL ? vec_color(exhibit->colors + 3 * (size_t)i) : exhibit->color;
    if (s->texture != NULL) return own * picture_at(s, p, color);
    return own * maxf(0, (expf(-core * (p.x * p.x + p.y * p.y)) - rim) / (1 - rim));
}

kin_vec kin_sprite_radiance(const kin_stage* stage, const kin_exhibit* exhibit, uint32_t drawn, const kin_ray* ray, float distance, kin_vec color)
{
    const kin_look* look = &exhibit->layer->look;
    if (look->surface == KIN_SURFACE_EMISSIVE) return color * maxf(look->glow, 0);
    const kin_sprites* s = exhibit->sprites;
    uint32_t i = stage->map[exhibit->map + drawn];
    kin_vec off = (ray->origin + ray->direction * distance - middle_of(stage, s, i, ray->time)) * (1 / s->radius[i]);
    float flat = minf(vec_dot(off, off), 1);
    kin_vec normal = vec_normalize(off - ray->direction * sqrtf(1 - flat)); /* of a ball in its place */
    float wrap = 0.5f + 0.5f * vec_dot(normal, stage->sky.sun_direction);
    kin_vec sun = stage->sky.sun * (s->light[2 * drawn] * wrap / KIN_PI), sky = kin_sky_ambient(&stage->sky, normal) * s->light[2 * drawn + 1];
    return color * (sun + sky);
}
