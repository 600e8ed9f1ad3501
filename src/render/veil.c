/* veil.c - what a ray passes on its way: sprites, points with opacity and streaks stand in a scene of their own, in which nothing ends a ray. The
 * nearest few are gathered at a time and gone through front to back, with the volumes marched between them. What glows and what scatters adds its
 * light; a lit surface of some opacity is either passed or seen as if it were whole, by chance. */
#include "base/jobs.h"
#include "render/stage.h"

enum { MOST_GATHERED = 512 };
static const float black = 0.002f; /* of light: what is less cannot be seen */

/* Something soft on a ray. In order of distance, then piece, then primitive: no two are alike. */
typedef struct meeting {
    float distance;
    unsigned piece, primitive;
    float u; /* along a streak */
    float normal[3];
} meeting;

/* A ray on its way. Embree hands the context on: it comes first. */
typedef struct passage {
    struct RTCIntersectContext context;
    const kin_stage* stage;
    const kin_ray* ray;
    float clear; /* shadow rays: what gets through so far */
} passage;

/* One that gathers what it meets. Not cleared as a whole: the list is long. */
typedef struct gathering {
    passage passage;
    meeting after;  /* only what comes later counts */
    float farthest; /* what is beyond need not be looked at */
    bool more;      /* something was left out */
    int count;
    meeting list[MOST_GATHERED];
} gathering;

static bool before(const meeting* a, const meeting* b)
{
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->piece != b->piece ? a->piece < b->piece : a->primitive < b->primitive;
}

/* Shell 1959, with Ciura's gaps. */
static void put_in_order(meeting* list, int count)
{
    static const int gaps[] = {301, 132, 57, 23, 10, 4, 1};
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; ++k) {
        int gap = gaps[k];
        for (int i = gap; i < count; ++i) {
            meeting m = list[i];
            int at = i;
            for (; at >= gap && before(&m, &list[at - gap]); at -= gap) list[at] = list[at - gap];
            list[at] = m;
        }
    }
}

/* When the list is full, its nearer half stays. */
static void note(gathering* g, const meeting* m)
{
    if (m->distance > g->farthest || !before(&g->after, m)) return;
    g->list[g->count++] = *m;
    if (g->count < MOST_GATHERED) return;
    put_in_order(g->list, g->count);
    g->count = MOST_GATHERED / 2;
    g->farthest = g->list[g->count - 1].distance;
    g->more = true;
}

static const kin_exhibit* exhibit_of(const kin_stage* stage, unsigned piece) { return &stage->exhibits[stage->pieces[piece].exhibit]; }

/* Opacity of a point, a streak or a line, which runs between its ends. */
static float surface_opacity(const kin_stage* stage, const kin_exhibit* exhibit, unsigned primitive, float u)
{
    uint32_t element = stage->map[exhibit->map + primitive];
    if (exhibit->lines != NULL) {
        const uint32_t* line = exhibit->lines + 2 * (size_t)element;
        return clampf(exhibit->opacity[line[0]] * (1 - u) + exhibit->opacity[line[1]] * u, 0, 1);
    }
    float own = exhibit->opacity != NULL ? clampf(exhibit->opacity[element], 0, 1) : 1;
    return exhibit->streaks ? own * kin_streak_fade(u) : own;
}

void kin_sprite_intersect(const struct RTCIntersectFunctionNArguments* a)
{
    gathering* g = (gathering*)a->context;
    struct RTCRayHit* found = (struct RTCRayHit*)a->rayhit;
    const kin_exhibit* exhibit = exhibit_of(g->passage.stage, a->geomID);
    meeting m = {.piece = a->geomID, .primitive = a->primID};
    uint32_t element = g->passage.stage->map[exhibit->map + a->primID];
    if (!kin_sprite_distance(g->passage.stage, exhibit->sprites, element, g->passage.ray->origin, g->passage.ray->direction, g->passage.ray->time, &m.distance))
        return;
    if (!(m.distance > found->ray.tnear && m.distance <= found->ray.tfar)) return;
    note(g, &m);
    found->ray.tfar = minf(found->ray.tfar, g->farthest);
}

void kin_sprite_occlude(const struct RTCOccludedFunctionNArguments* a)
{
    passage* p = (passage*)a->context;
    struct RTCRay* ray = (struct RTCRay*)a->ray;
    const kin_exhibit* exhibit = exhibit_of(p->stage, a->geomID);
    uint32_t element = p->stage->map[exhibit->map + a->primID];
    float distance;
    kin_vec color;
    if (!kin_sprite_distance(p->stage, exhibit->sprites, element, p->ray->origin, p->ray->direction, p->ray->time, &distance)) return;
    if (!(distance > ray->tnear && distance < p->ray->reach)) return;
    p->clear *= 1 - kin_sprite_opacity(p->stage, exhibit, element, p->ray, distance, &color);
    if (p->clear < black) ray->tfar = -INFINITY;
}

/* Embree found the surface of a point or streak; only the side towards the ray counts. */
static void filter_surface(const struct RTCFilterFunctionNArguments* a)
{
    gathering* g = (gathering*)a->context;
    const struct RTCRay* ray = (const struct RTCRay*)a->ray;
    const struct RTCHit* hit = (const struct RTCHit*)a->hit;
    a->valid[0] = 0;
    if (hit->Ng_x * ray->dir_x + hit->Ng_y * ray->dir_y + hit->Ng_z * ray->dir_z >= 0) return;
    meeting m = {.distance = ray->tfar, .piece = hit->geomID, .primitive = hit->primID, .u = hit->u, .normal = {hit->Ng_x, hit->Ng_y, hit->Ng_z}};
    note(g, &m);
    if (m.distance > g->farthest) a->valid[0] = -1; /* the ray may end here: all that counts is nearer */
}

static void filter_shadow(const struct RTCFilterFunctionNArguments* a)
{
    passage* p = (passage*)a->context;
    const struct RTCRay* ray = (const struct RTCRay*)a->ray;
    const struct RTCHit* hit = (const struct RTCHit*)a->hit;
    a->valid[0] = 0;
    if (hit->Ng_x * ray->dir_x + hit->Ng_y * ray->dir_y + hit->Ng_z * ray->dir_z >= 0) return;
    p->clear *= 1 - surface_opacity(p->stage, exhibit_of(p->stage, hit->geomID), hit->primID, hit->u);
    if (p->clear < black) a->valid[0] = -1;
}

bool kin_stage_veiled(const kin_stage* stage) { return stage->has_soft || stage->volume_count > 0; }

static kin_march march_of(const kin_stage* stage, float jitter, bool glows)
{
    return (kin_march){.volumes = stage->volumes, .count = stage->volume_count, .sky = &stage->sky, .jitter = jitter, .glows = glows};
}

float kin_stage_clear(const kin_stage* stage, const kin_ray* ray)
{
    passage p = {.stage = stage, .ray = ray, .clear = 1};
    if (stage->has_soft) {
        rtcInitIntersectContext(&p.context);
        p.context.filter = filter_shadow;
        struct RTCRay shadow;
        if (kin_embree_ray(stage, ray, ~(unsigned)KIN_MASK_FLAME, &shadow)) rtcOccluded1(stage->soft, &p.context, &shadow);
        if (p.clear < black) return 0;
    }
    kin_march march = march_of(stage, 0.5f, false);
    if (march.count > 0) kin_volumes_march(&march, ray, 0, ray->reach, NULL, &p.clear);
    return p.clear;
}

/* Rays that do not ask for the light of flames do not meet them. */
static void gather(gathering* g, float reach, bool glows)
{
    struct RTCRayHit found = {.hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
    g->count = 0;
    g->farthest = INFINITY;
    g->more = false;
    if (!kin_embree_ray(g->passage.stage, g->passage.ray, glows ? ~0u : ~(unsigned)KIN_MASK_FLAME, &found.ray)) return;
    found.ray.tfar = reach;
    found.ray.tnear = maxf(g->after.distance * 0.999999f, 0);
    rtcInitIntersectContext(&g->passage.context);
    g->passage.context.filter = filter_surface;
    rtcIntersect1(g->passage.stage->soft, &g->passage.context, &found);
    put_in_order(g->list, g->count);
}

/* A sprite fades where a surface cuts it, so that no line is seen. */
static void pass_sprite(const kin_stage* stage, const kin_exhibit* exhibit, const meeting* m, const kin_ray* ray, float reach, kin_veil* veil)
{
    kin_vec color;
    uint32_t element = stage->map[exhibit->map + m->primitive];
    float alpha = kin_sprite_opacity(stage, exhibit, element, ray, m->distance, &color);
    alpha *= smoothf(0, 0.6f * exhibit->sprites->radius[element], reach - m->distance);
    if (!(alpha > 0)) return;
    veil->light += kin_sprite_radiance(stage, exhibit, m->primitive, ray, m->distance, color) * (alpha * veil->through);
    if (exhibit->layer->look.surface != KIN_SURFACE_EMISSIVE) veil->through *= 1 - alpha;
}

/* False: the ray is stopped here. */
static bool pass_surface(const kin_stage* stage, const kin_exhibit* exhibit, const meeting* m, float* chance, bool glows, kin_veil* veil)
{
    const kin_look* look = &exhibit->layer->look;
    float alpha = surface_opacity(stage, exhibit, m->primitive, m->u);
    if (look->surface == KIN_SURFACE_EMISSIVE) {
        uint32_t element = stage->map[exhibit->map + m->primitive];
        if (exhibit->lines != NULL) element = exhibit->lines[2 * (size_t)element + (m->u > 0.5f ? 1 : 0)];
        kin_vec color = exhibit->colors != NULL ? vec_color(exhibit->colors + 3 * (size_t)element) : exhibit->color;
        if (glows) veil->light += color * (maxf(look->glow, 0) * alpha * veil->through);
        veil->through *= 1 - alpha;
        return true;
    }
    veil->stopped = *chance < alpha;
    *chance = veil->stopped ? 0 : clampf((*chance - alpha) / maxf(1 - alpha, 1e-6f), 0, 0.9999999f); /* what is left of the number serves again */
    return !veil->stopped;
}

static void answer(const kin_stage* stage, const kin_ray* ray, const meeting* m, kin_hit* hit)
{
    struct RTCRayHit found = {.ray = {.tfar = m->distance},
                              .hit = {.geomID = m->piece,
                                      .primID = m->primitive,
                                      .u = m->u,
                                      .Ng_x = m->normal[0],
                                      .Ng_y = m->normal[1],
                                      .Ng_z = m->normal[2],
                                      .instID = {RTC_INVALID_GEOMETRY_ID}}};
    kin_stage_answer(stage, ray, &found, hit);
}

kin_veil kin_stage_veil(const kin_stage* stage, const kin_ray* ray, float reach, kin_pair u, bool glows, kin_hit* hit)
{
    kin_veil veil = {.light = vec_all(0), .through = 1};
    kin_march march = march_of(stage, u.x, glows);
    gathering g;
    g.passage = (passage){.stage = stage, .ray = ray};
    g.after = (meeting){.distance = 0};
    float at = 0;
    for (bool more = stage->has_soft; more;) {
        gather(&g, reach, glows);
        more = g.more;
        for (int i = 0; i < g.count; ++i) {
            const meeting* m = &g.list[i];
            const kin_exhibit* exhibit = exhibit_of(stage, m->piece);
            if (march.count > 0) kin_volumes_march(&march, ray, at, m->distance, &veil.light, &veil.through);
            at = m->distance;
            if (exhibit->sprites != NULL)
                pass_sprite(stage, exhibit, m, ray, reach, &veil);
            else if (veil.through > 0 && !pass_surface(stage, exhibit, m, &u.y, glows, &veil))
                return answer(stage, ray, m, hit), veil;
            if (veil.through < black) return veil.through = 0, veil;
        }
        if (g.count > 0) g.after = g.list[g.count - 1];
    }
    if (march.count > 0) kin_volumes_march(&march, ray, at, reach, &veil.light, &veil.through);
    return veil;
}

/* ---- light found beforehand ---- */

static float sun_at(const kin_stage* stage, kin_vec place)
{
    kin_ray ray = {.origin = place, .direction = stage->sky.sun_direction, .reach = INFINITY};
    kin_vec through;
    return kin_stage_occluded(stage, &ray, &through) ? 0 : vec_luminance(through);
}

/* Five ways up. */
static float sky_at(const kin_stage* stage, kin_vec place)
{
    static const float ways[5][3] = {{0, 1, 0}, {0.8f, 0.6f, 0}, {-0.8f, 0.6f, 0}, {0, 0.6f, 0.8f}, {0, 0.6f, -0.8f}};
    float sum = 0;
    for (int i = 0; i < 5; ++i) {
        kin_ray ray = {.origin = place, .direction = vec_load(ways[i]), .reach = INFINITY};
        kin_vec through;
        if (!kin_stage_occluded(stage, &ray, &through)) sum += 0.2f * vec_luminance(through);
    }
    return sum;
}

typedef struct lighting {
    kin_stage* stage;
    kin_volume* volume;
    const kin_exhibit* exhibit;
} lighting;

static void light_voxels(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    const lighting* l = argument;
    for (int64_t i = begin; i < end; ++i) {
        if (!kin_volume_light_used(l->volume, (size_t)i)) continue;
        kin_vec place = kin_volume_light_place(l->volume, (size_t)i);
        kin_volume_set_light(l->volume, (size_t)i, sun_at(l->stage, place), sky_at(l->stage, place));
    }
}

/* Of four places about its middle: a puff's own shade is part of what they see. */
static void light_sprites(void* argument, int64_t begin, int64_t end, int chunk, kin_arena* scratch)
{
    (void)chunk;
    (void)scratch;
    static const float around[4][3] = {{0.3f, 0.3f, 0.3f}, {0.3f, -0.3f, -0.3f}, {-0.3f, 0.3f, -0.3f}, {-0.3f, -0.3f, 0.3f}};
    const lighting* l = argument;
    const kin_sprites* s = l->exhibit->sprites;
    for (int64_t i = begin; i < end; ++i) {
        uint32_t element = l->stage->map[l->exhibit->map + (size_t)i];
        kin_vec middle = vec_load(s->position + 3 * (size_t)element);
        float sun = 0;
        for (int k = 0; k < 4; ++k) sun += 0.25f * sun_at(l->stage, middle + vec_load(around[k]) * s->radius[element]);
        s->light[2 * i] = sun;
        s->light[2 * i + 1] = 0.4f + 0.6f * sky_at(l->stage, middle); /* some light comes round the puffs in the way */
    }
}

void kin_stage_light(kin_stage* stage, kin_jobs* jobs)
{
    for (size_t i = 0; i < stage->volume_count; ++i) {
        lighting l = {.stage = stage, .volume = &stage->volumes[i]};
        kin_parallel_for(jobs, (int64_t)kin_volume_light_count(l.volume), 256, light_voxels, &l);
    }
    for (size_t i = 0; i < stage->exhibit_count; ++i) {
        lighting l = {.stage = stage, .exhibit = &stage->exhibits[i]};
        if (l.exhibit->sprites == NULL || l.exhibit->layer->look.surface == KIN_SURFACE_EMISSIVE) continue;
        size_t drawn = l.exhibit->sprites->light_bytes / (2 * sizeof(float));
        kin_parallel_for(jobs, (int64_t)drawn, 64, light_sprites, &l);
    }
}
