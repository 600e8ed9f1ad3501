/* shade.c - a path through the scene. At every surface the sun and one lamp are asked directly, and the path goes on by the
 * surface's own scattering, which brings in the sky, up to a fixed number of bounces. No roulette: the cost of a picture is
 * known, and its noise is even. Sharp reflections and glass are not counted as bounces, within a cap. */
#include "render/shade.h"
#include "render/material.h"

enum { MOST_SURFACES = 16 };
static const float invisible = 1e-5f;   /* of the brightest: light too faint to be asked for; highlights of glass are, nearly everywhere */
static const float reflected = 0.04f;   /* by glass head on: added to the albedo of what lies behind, so that dark things have no albedo of 0 there */
static const float wide_spread = 0.25f; /* rad: a diffuse ray stands for a wide cone, over which patterns average out */

/* Good spread pays where many paths are alike: at their beginning, and as long as they guide. */
static kin_pair draw(kin_sampler* sampler, bool alike) { return alike ? kin_sampler_next(sampler) : kin_sampler_rough(sampler); }

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

static kin_vec light_of_sun(const kin_shader* shader, const kin_hit* hit, const kin_material* m, const kin_ray* from, kin_pair u)
{
    kin_vec direction = kin_sample_cone(shader->sky.sun_direction, shader->sky.cos_half_angle, u), through;
    kin_vec answer = kin_material_response(m, direction, true) * shader->sky.sun;
    if (!(vec_max(answer) > invisible * shader->brightest)) return vec_all(0);
    kin_ray ray = {.origin = leave(hit, m, direction), .direction = direction, .reach = INFINITY, .time = from->time, .media = from->media};
    return kin_stage_occluded(shader->stage, &ray, &through) ? vec_all(0) : answer * through;
}

static kin_vec light_of_lamps(const kin_shader* shader, const kin_hit* hit, const kin_material* m, const kin_ray* from, kin_sampler* sampler, bool alike)
{
    kin_pair choice = draw(sampler, alike), place = draw(sampler, alike);
    kin_lamp_light light;
    kin_vec through;
    if (!kin_lamps_sample(kin_stage_lamps(shader->stage), hit->position, choice, place, &light)) return vec_all(0);
    kin_vec answer = kin_material_response(m, light.direction, false) * light.irradiance;
    if (!(vec_max(answer) > invisible * shader->brightest)) return vec_all(0);
    kin_ray ray = {.origin = leave(hit, m, light.direction), .direction = light.direction, .reach = light.distance, .time = from->time, .media = from->media};
    return kin_stage_occluded(shader->stage, &ray, &through) ? vec_all(0) : answer * through;
}

/* What further bounces would have brought: the sky, half hidden. */
static kin_vec light_of_the_rest(const kin_shader* shader, const kin_material* m)
{
    return kin_material_albedo(m) * kin_sky_ambient(&shader->sky, m->normal) * 0.5f;
}

/* Light that was not gathered at a surface: seen by the camera itself it has no noise. */
static void add_own(const kin_shader* shader, kin_shot* shot, kin_vec light, int depth)
{
    if (depth == 0)
        shot->crisp += clipped(shader, light, true);
    else
        shot->lit += clipped(shader, light, false);
}

/* A path while it is followed. */
typedef struct path {
    kin_ray ray;
    kin_media media;
    kin_vec through;
    int depth, bounces;
    float length; /* m: of the path so far, while it is guiding */
    bool guiding; /* nothing but glass so far, passed by the way that most of the light takes */
    bool sharp;   /* nothing but glass and mirrors so far on this side of the last surface: lamps were not asked there */
} path;

static void note_normal(kin_shot* shot, kin_vec normal, float distance)
{
    if (shot->surfaces < KIN_SEEN) shot->surfaces += 1;
    normal[3] = distance;
    shot->normal[shot->surfaces - 1] = normal;
}

/* The surface at depth 0, and while the path is in glass the one behind it. */
static void note_surface(path* p, kin_shot* shot, const kin_hit* hit, const kin_material* m, float clear)
{
    bool glowing = m->surface == KIN_SURFACE_EMISSIVE; /* all crisp: nothing to filter */
    p->length += hit->distance;
    if (p->depth == 0)
        shot->albedo = glowing ? vec_all(0) : kin_material_albedo(m) * ((1 - hit->haze) * clear);
    else if (m->surface != KIN_SURFACE_GLASS && !glowing)
        shot->albedo = vec_mix(kin_material_albedo(m), vec_all(1), hit->haze) * p->through + vec_all(reflected);
    note_normal(shot, m->normal, p->length);
    shot->guided = m->surface != KIN_SURFACE_GLASS;
    p->guiding = !shot->guided;
}

/* Sky behind glass: nothing there has noise. */
static void note_sky(path* p, kin_shot* shot)
{
    note_normal(shot, -p->ray.direction, INFINITY);
    shot->guided = true;
}

/* The next surface, after what lies before it was passed. False: the path ends here. */
static bool advance(const kin_shader* shader, path* p, kin_sampler* sampler, kin_shot* shot, kin_hit* hit, float* clear)
{
    bool met = kin_stage_intersect(shader->stage, &p->ray, hit, &p->media);
    kin_veil veil = {.light = vec_all(0), .through = 1};
    if (kin_stage_veiled(shader->stage)) {
        veil = kin_stage_veil(shader->stage, &p->ray, met ? hit->distance : INFINITY, draw(sampler, p->guiding), p->sharp, hit);
        met = met || veil.stopped;
        add_own(shader, shot, p->through * veil.light, p->depth);
        p->through *= veil.through;
        if (!(veil.through > 0)) return false;
    }
    *clear = veil.through;
    if (met) {
        p->through *= kin_medium_clear(kin_media_here(&p->media), hit->distance);
        return true;
    }
    if (p->guiding && p->depth > 0) note_sky(p, shot);
    kin_vec sky = p->through * kin_sky_radiance(&shader->sky, p->ray.direction);
    if (p->depth == 0)
        shot->crisp += sky;
    else
        shot->lit += clipped(shader, sky, false);
    return false;
}

/* On from a surface. False: the path ends there. */
static bool go_on(const kin_shader* shader, path* p, const kin_hit* hit, const kin_material* m, const kin_crossing* crossing, kin_pair choice, kin_pair way,
                  kin_shot* shot)
{
    kin_scatter next;
    if (!kin_material_scatter(m, choice, way, &next)) return false;
    if (!next.mirror && p->bounces == shader->bounces) {
        shot->lit += p->through * light_of_the_rest(shader, m);
        return false;
    }
    p->bounces += next.mirror ? 0 : 1;
    p->through *= next.weight;
    p->sharp = next.mirror;
    p->guiding = p->guiding && next.likely;
    if (m->surface == KIN_SURFACE_GLASS && vec_dot(next.direction, m->facet) < 0) p->media = crossing->after;
    p->ray = (kin_ray){.origin = leave(hit, m, next.direction),
                       .direction = next.direction,
                       .reach = INFINITY,
                       .time = p->ray.time,
                       .spread = next.mirror ? 2 * p->ray.spread : wide_spread,
                       .media = &p->media};
    return true;
}

kin_shot kin_shoot(const kin_shader* shader, const kin_ray* first, kin_sampler* sampler)
{
    kin_shot shot = {.surfaces = 0};
    path p = {.ray = *first, .media = shader->media, .through = vec_all(1), .guiding = true, .sharp = true};
    p.ray.media = &p.media;
    for (; p.depth < MOST_SURFACES; ++p.depth) {
        kin_hit hit;
        float clear;
        if (!advance(shader, &p, sampler, &shot, &hit, &clear)) return shot;
        kin_crossing crossing = {.here = NULL};
        if (hit.look->surface == KIN_SURFACE_GLASS) crossing = kin_hit_crossing(&hit, &p.ray, &p.media);
        kin_material m = kin_material_at(&hit, &p.ray, &crossing);
        const bool alike = p.guiding;
        if (p.guiding) note_surface(&p, &shot, &hit, &m, clear);
        kin_vec own = p.through * kin_sky_radiance(&shader->sky, p.ray.direction) * hit.haze; /* haze hides what is behind it */
        p.through *= 1 - hit.haze;
        if (m.surface == KIN_SURFACE_EMISSIVE && (p.sharp || !hit.lamp)) own += p.through * hit.color * hit.glow;
        add_own(shader, &shot, own, p.depth);
        if (m.surface == KIN_SURFACE_EMISSIVE) return shot;

        kin_pair sun = draw(sampler, alike), choice = draw(sampler, alike), way = draw(sampler, alike);
        kin_vec direct = light_of_sun(shader, &hit, &m, &p.ray, sun);
        if (p.depth < 2 && kin_stage_lamps(shader->stage)->count > 0) direct += light_of_lamps(shader, &hit, &m, &p.ray, sampler, alike);
        shot.lit += clipped(shader, p.through * direct, p.depth == 0);
        if (!go_on(shader, &p, &hit, &m, &crossing, choice, way, &shot)) return shot;
    }
    shot.lit += clipped(shader, p.through * kin_sky_radiance(&shader->sky, p.ray.direction), false); /* lost between mirrors: what the way out would bring */
    return shot;
}
