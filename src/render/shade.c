/* shade.c - a path through the scene. At every surface the sun and one lamp are asked directly, and the path goes on by the
 * surface's own scattering, which brings in the sky, up to a fixed number of bounces. No roulette: the cost of a picture is
 * known, and its noise is even. Sharp reflections and glass are not counted as bounces, within a cap. */
#include "render/shade.h"
#include "render/material.h"

enum { MOST_SURFACES = 10 };
static const float wide_spread = 0.25f; /* rad: a diffuse ray stands for a wide cone, over which patterns average out */

/* Good spread pays where many paths are alike: at their beginning. */
static kin_pair draw(kin_sampler* sampler, int depth) { return depth < 1 ? kin_sampler_next(sampler) : kin_sampler_rough(sampler); }

/* Just off the surface, on the side the ray goes to, so that it does not meet the surface it leaves. */
static kin_vec leave(const kin_hit* hit, const kin_material* m, kin_vec direction)
{
    float size = maxf(hit->distance, maxf(fabsf(hit->position[0]), maxf(fabsf(hit->position[1]), fabsf(hit->position[2]))));
    bool same_side = vec_dot(m->facet, direction) > 0;
    return (same_side ? hit->departure : hit->position) + m->facet * (same_side ? 1e-5f * size : -1e-5f * size);
}

static kin_vec clipped(const kin_shader* shader, kin_vec light, bool direct)
{
    float most = direct ? 4 * shader->brightest : shader->brightest, peak = vec_max(light);
    return peak > most ? light * (most / peak) : light;
}

static kin_vec light_of_sun(const kin_shader* shader, const kin_hit* hit, const kin_material* m, float time, kin_pair u)
{
    kin_vec direction = kin_sample_cone(shader->sky.sun_direction, shader->sky.cos_half_angle, u), through;
    kin_vec answer = kin_material_response(m, direction, true) * shader->sky.sun;
    if (!(vec_max(answer) > 0)) return vec_all(0);
    kin_ray ray = {.origin = leave(hit, m, direction), .direction = direction, .reach = INFINITY, .time = time};
    return kin_stage_occluded(shader->stage, &ray, &through) ? vec_all(0) : answer * through;
}

static kin_vec light_of_lamps(const kin_shader* shader, const kin_hit* hit, const kin_material* m, float time, kin_sampler* sampler, int depth)
{
    kin_pair choice = draw(sampler, depth), place = draw(sampler, depth);
    kin_lamp_light light;
    kin_vec through;
    if (!kin_lamps_sample(kin_stage_lamps(shader->stage), hit->position, choice, place, &light)) return vec_all(0);
    kin_vec answer = kin_material_response(m, light.direction, false) * light.irradiance;
    if (!(vec_max(answer) > 0)) return vec_all(0);
    kin_ray ray = {.origin = leave(hit, m, light.direction), .direction = light.direction, .reach = light.distance, .time = time};
    return kin_stage_occluded(shader->stage, &ray, &through) ? vec_all(0) : answer * through;
}

/* What further bounces would have brought: the sky, half hidden. */
static kin_vec light_of_the_rest(const kin_shader* shader, const kin_material* m)
{
    return kin_material_albedo(m) * kin_sky_ambient(&shader->sky, m->normal) * 0.5f;
}

static void note_first(kin_shot* shot, const kin_hit* hit, const kin_material* m, float clear)
{
    bool glowing = m->surface == KIN_SURFACE_EMISSIVE; /* all crisp: nothing to filter */
    shot->albedo = glowing ? vec_all(0) : kin_material_albedo(m) * ((1 - hit->haze) * clear);
    shot->normal = m->normal;
    shot->distance = hit->distance;
}

/* Light that was not gathered at a surface: seen by the camera itself it has no noise. */
static void add_own(const kin_shader* shader, kin_shot* shot, kin_vec light, int depth)
{
    if (depth == 0)
        shot->crisp += clipped(shader, light, true);
    else
        shot->lit += clipped(shader, light, false);
}

kin_shot kin_shoot(const kin_shader* shader, const kin_ray* first, kin_sampler* sampler)
{
    kin_shot shot = {.crisp = vec_all(0), .lit = vec_all(0), .albedo = vec_all(0), .normal = vec_all(0), .distance = INFINITY};
    kin_ray ray = *first;
    kin_vec through = vec_all(1);
    int bounces = 0;
    bool sharp = true; /* nothing but glass and mirrors so far on this side of the last surface: lamps were not asked there */
    for (int depth = 0; depth < MOST_SURFACES; ++depth) {
        kin_hit hit;
        bool met = kin_stage_intersect(shader->stage, &ray, &hit);
        kin_veil veil = {.light = vec_all(0), .through = 1};
        if (kin_stage_veiled(shader->stage)) {
            veil = kin_stage_veil(shader->stage, &ray, met ? hit.distance : INFINITY, draw(sampler, depth), sharp, &hit);
            met = met || veil.stopped;
            add_own(shader, &shot, through * veil.light, depth);
            through *= veil.through;
            if (!(veil.through > 0)) break;
        }
        if (!met) {
            kin_vec sky = through * kin_sky_radiance(&shader->sky, ray.direction);
            if (depth == 0)
                shot.crisp += sky;
            else
                shot.lit += clipped(shader, sky, false);
            break;
        }
        kin_material m = kin_material_at(&hit, &ray);
        if (depth == 0) note_first(&shot, &hit, &m, veil.through);
        kin_vec own = through * kin_sky_radiance(&shader->sky, ray.direction) * hit.haze; /* haze hides what is behind it */
        through *= 1 - hit.haze;
        if (m.surface == KIN_SURFACE_EMISSIVE && (sharp || !hit.lamp)) own += through * hit.color * hit.glow;
        add_own(shader, &shot, own, depth);
        if (m.surface == KIN_SURFACE_EMISSIVE) break;

        kin_pair sun = draw(sampler, depth), choice = draw(sampler, depth), way = draw(sampler, depth);
        kin_vec direct = light_of_sun(shader, &hit, &m, ray.time, sun);
        if (depth < 2 && kin_stage_lamps(shader->stage)->count > 0) direct += light_of_lamps(shader, &hit, &m, ray.time, sampler, depth);
        shot.lit += clipped(shader, through * direct, depth == 0);

        kin_scatter next;
        if (!kin_material_scatter(&m, choice, way, &next)) break;
        if (!next.mirror && bounces == shader->bounces) {
            shot.lit += through * light_of_the_rest(shader, &m);
            break;
        }
        bounces += next.mirror ? 0 : 1;
        through *= next.weight;
        sharp = next.mirror;
        ray = (kin_ray){.origin = leave(&hit, &m, next.direction),
                        .direction = next.direction,
                        .reach = INFINITY,
                        .time = ray.time,
                        .spread = next.mirror ? 2 * ray.spread : wide_spread};
    }
    return shot;
}
