/* light.c - sky, sun and lamps. The sun is given by its irradiance and the sky by its radiance, so a white matte surface in a sun
 * of 3 has about the radiance of a bright sky, 1, and an exposure of 0 stops fits both. */
#include "render/light.h"
#include "base/alloc.h"
#include "base/search.h"
#include "render/pattern.h"
#include "render/sample.h"

static kin_light clear_day(const kin_light* light)
{
    kin_light day = *light;
    float sum = 0;
    for (int i = 0; i < 3; ++i) sum += fabsf(light->sun[i]) + fabsf(light->sky[i]) + fabsf(light->horizon[i]);
    if (sum > 0) return day;
    const float sun[3] = {3.3f, 3.0f, 2.55f}, sky[3] = {0.13f, 0.26f, 0.52f}, horizon[3] = {0.64f, 0.72f, 0.82f};
    for (int i = 0; i < 3; ++i) {
        day.sun[i] = sun[i];
        day.sky[i] = sky[i];
        day.horizon[i] = horizon[i];
    }
    return day;
}

static kin_vec color_of(const float* rgb) { return vec(clampf(rgb[0], 0, 1e4f), clampf(rgb[1], 0, 1e4f), clampf(rgb[2], 0, 1e4f)); }

kin_sky kin_sky_from(const kin_light* light)
{
    kin_light day = clear_day(light);
    kin_vec direction = vec((float)day.sun_direction.x, (float)day.sun_direction.y, (float)day.sun_direction.z);
    if (!vec_finite(direction) || vec_dot(direction, direction) < 1e-12f) direction = vec(0.45f, 0.75f, 0.5f);
    float angle = clampf((float)day.sun_angle, 0, 1.5f);
    return (kin_sky){
        .sun_direction = vec_normalize(direction),
        .sun = color_of(day.sun),
        .cos_half_angle = cosf(0.5f * (angle > 0 ? angle : 0.0093f)),
        .zenith = color_of(day.sky),
        .horizon = color_of(day.horizon),
        .clouds = clampf((float)day.clouds, 0, 1),
    };
}

kin_vec kin_sky_radiance(const kin_sky* sky, kin_vec direction)
{
    float height = clampf(direction[1], 0, 1);
    kin_vec clear = vec_mix(sky->horizon, sky->zenith, 1 - (1 - height) * (1 - height) * (1 - height));
    if (!(sky->clouds > 0) || !(direction[1] > 0)) return clear;
    return vec_mix(clear, sky->horizon * 0.9f + sky->sun * 0.06f, 0.85f * kin_pattern_clouds(direction, sky->clouds));
}

kin_vec kin_sky_ambient(const kin_sky* sky, kin_vec normal)
{
    float up = 0.5f + 0.5f * normal[1];
    return vec_mix(sky->horizon, sky->zenith, 0.75f * up);
}

/* Intensity seen from the side: radiance times area. */
static float lamp_power(const kin_lamp* lamp)
{
    float area = KIN_PI * lamp->radius * lamp->radius + 2 * lamp->radius * vec_length(lamp->to - lamp->from);
    return vec_luminance(lamp->radiance) * area;
}

bool kin_lamps_add(kin_lamps* lamps, const kin_lamp* lamp)
{
    if (!kin_reserve(&lamps->allocator, (void**)&lamps->data, &lamps->capacity, lamps->count + 1, sizeof *lamps->data)) return false;
    lamps->data[lamps->count] = *lamp;
    lamps->data[lamps->count++].power = lamp_power(lamp);
    return true;
}

void kin_lamps_term(kin_lamps* lamps)
{
    kin_free(&lamps->allocator, lamps->data, lamps->capacity * sizeof *lamps->data);
    kin_free(&lamps->allocator, lamps->reach, lamps->reach_capacity * sizeof *lamps->reach);
}

bool kin_lamps_finish(kin_lamps* lamps)
{
    if (!kin_reserve(&lamps->allocator, (void**)&lamps->reach, &lamps->reach_capacity, lamps->count, sizeof *lamps->reach)) return false;
    double sum = 0, total = 0;
    for (size_t i = 0; i < lamps->count; ++i) total += lamps->data[i].power;
    lamps->power = (float)total;
    if (!(total > 0)) lamps->count = 0;
    for (size_t i = 0; i < lamps->count; ++i) {
        sum += lamps->data[i].power;
        lamps->reach[i] = (float)(sum / total);
    }
    return true;
}

static bool ends_before(const void* reach, size_t i, const void* u) { return ((const float*)reach)[i] <= *(const float*)u; }
static size_t lamp_at(const kin_lamps* lamps, float u) { return kin_search(lamps->reach, lamps->count - 1, ends_before, &u); }

/* Candidates by power, one of them by what it sends here: resampling, Talbot 2005. *weight makes up for the choice. */
enum { CANDIDATES = 4 };
static const kin_lamp* choose_lamp(const kin_lamps* lamps, kin_vec position, kin_pair choice, float* weight)
{
    const kin_lamp* candidates[CANDIDATES];
    float near[CANDIDATES], sum = 0;
    for (int i = 0; i < CANDIDATES; ++i) {
        candidates[i] = &lamps->data[lamp_at(lamps, ((float)i + choice.x) / CANDIDATES)];
        kin_vec away = (candidates[i]->from + candidates[i]->to) * 0.5f - position;
        near[i] = 1 / (vec_dot(away, away) + candidates[i]->radius * candidates[i]->radius);
        sum += near[i];
    }
    float mark = choice.y * sum;
    int i = 0;
    while (i < CANDIDATES - 1 && mark >= near[i]) mark -= near[i++];
    float chance = candidates[i]->power * near[i];
    *weight = chance > 0 ? lamps->power * (sum / CANDIDATES) / chance : 0;
    return candidates[i];
}

static void light_from_sphere(const kin_lamp* lamp, kin_vec position, kin_pair place, kin_lamp_light* out)
{
    kin_vec away = lamp->from - position;
    float distance = vec_length(away), sine = lamp->radius / distance;
    float cosine = sqrtf(maxf(0, 1 - sine * sine));
    out->direction = kin_sample_cone(away * (1 / distance), cosine, place);
    out->distance = distance - lamp->radius;
    out->irradiance = lamp->radiance * (2 * KIN_PI * sine * sine / (1 + cosine)); /* 1 - cosine, without cancellation */
}

static void light_from_streak(const kin_lamp* lamp, kin_vec position, kin_pair place, kin_lamp_light* out)
{
    kin_vec axis = lamp->to - lamp->from, away = lamp->from + axis * place.x - position;
    float distance = maxf(vec_length(away), 2 * lamp->radius);
    out->direction = vec_normalize(away);
    out->distance = distance - 2 * lamp->radius;
    float across = vec_length(vec_cross(axis, out->direction)) * 2 * lamp->radius + KIN_PI * lamp->radius * lamp->radius;
    out->irradiance = lamp->radiance * (across / (distance * distance));
}

bool kin_lamps_sample(const kin_lamps* lamps, kin_vec position, kin_pair choice, kin_pair place, kin_lamp_light* out)
{
    if (lamps->count == 0) return false;
    float weight;
    const kin_lamp* lamp = choose_lamp(lamps, position, choice, &weight);
    kin_vec away = lamp->from - position, length = lamp->to - lamp->from;
    if (vec_dot(length, length) > 0)
        light_from_streak(lamp, position, place, out);
    else if (vec_dot(away, away) > 1.0001f * lamp->radius * lamp->radius)
        light_from_sphere(lamp, position, place, out);
    else
        return false; /* inside */
    out->irradiance *= weight;
    return out->distance > 0;
}
