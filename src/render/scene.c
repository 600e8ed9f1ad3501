/* scene.c - the stage's life, and the two questions a ray may ask it. Embree works on the caller's thread only, so its trees,
 * and with them every picture, are the same on every run. */
#include "render/scene.h"
#include "base/alloc.h"
#include "base/error.h"
#include "render/camera.h"
#include "render/pattern.h"
#include "render/stage.h"

enum { MOST_PASSED = 32, MOST_PANES = 8 };

kin_result kin_stage_create(const kin_allocator* allocator, kin_stage** out, kin_error* error)
{
    *out = NULL;
    kin_stage* stage = kin_alloc_zero(allocator, sizeof *stage);
    if (stage == NULL) return kin_fail_memory(error, "the renderer's stage", sizeof *stage);
    stage->allocator = *allocator;
    stage->lamps.allocator = *allocator;
    stage->device = rtcNewDevice("threads=1,set_affinity=0");
    if (stage->device == NULL) {
        enum RTCError code = rtcGetDeviceError(NULL);
        kin_stage_destroy(stage);
        return kin_fail(error, KIN_ERROR_MEMORY, "", "Embree did not start (its error %d)", (int)code);
    }
    *out = stage;
    return KIN_OK;
}

/* Meshes the last frame did not show are let go. */
static void drop_unused(kin_stage* stage)
{
    size_t count = 0;
    for (size_t i = 0; i < stage->kept_count; ++i) {
        if (stage->kept[i].used)
            stage->kept[count++] = stage->kept[i];
        else
            rtcReleaseScene(stage->kept[i].scene);
    }
    stage->kept_count = count;
}

static void clear(kin_stage* stage)
{
    if (stage->top != NULL) rtcReleaseScene(stage->top);
    if (stage->soft != NULL) rtcReleaseScene(stage->soft);
    stage->top = stage->soft = NULL;
    stage->has_glass = stage->has_soft = false;
    for (size_t i = 0; i < stage->sprites_count; ++i) kin_sprites_free(stage->sprites[i], &stage->allocator);
    for (size_t i = 0; i < stage->volume_count; ++i) kin_volume_term(&stage->volumes[i], &stage->allocator);
    stage->sprites_count = stage->volume_count = 0;
    kin_stage_free_blocks(stage);
    for (size_t i = 0; i < stage->field_count; ++i) kin_isosurface_free(stage->fields[i], &stage->allocator);
    stage->field_count = 0;
    stage->exhibit_count = stage->piece_count = stage->plane_count = stage->map_count = 0;
    stage->lamps.count = 0;
    for (size_t i = 0; i < stage->kept_count; ++i) stage->kept[i].used = false;
}

void kin_stage_destroy(kin_stage* stage)
{
    if (stage == NULL) return;
    clear(stage);
    drop_unused(stage);
    if (stage->device != NULL) rtcReleaseDevice(stage->device);
    const kin_allocator a = stage->allocator;
    kin_free(&a, stage->exhibits, stage->exhibit_capacity * sizeof *stage->exhibits);
    kin_free(&a, stage->pieces, stage->piece_capacity * sizeof *stage->pieces);
    kin_free(&a, stage->planes, stage->plane_capacity * sizeof *stage->planes);
    kin_free(&a, stage->kept, stage->kept_capacity * sizeof *stage->kept);
    kin_free(&a, stage->map, stage->map_capacity * sizeof *stage->map);
    kin_free(&a, stage->sprites, stage->sprites_capacity * sizeof(kin_sprites*));
    kin_free(&a, stage->volumes, stage->volume_capacity * sizeof *stage->volumes);
    kin_free(&a, stage->fields, stage->field_capacity * sizeof(kin_isosurface_field*));
    kin_free(&a, stage->blocks, stage->block_capacity * sizeof *stage->blocks);
    kin_lamps_term(&stage->lamps);
    kin_free(&a, stage, sizeof *stage);
}

/* Embree's numbers are floats, and products of several of them: rays and bounds past 1e18 abort it. So the world ends at a distance that the camera sets, which
 * leaves room for instances of 1e-5 of the picture's size in their own axes, where a ray's origin is larger by as much. */
#define FAR_BY_SPAN 1e10f /* of the camera's lengths */
#define FARTHEST 1e15f    /* m */

static kin_result place_world(kin_stage* stage, const kin_frame* frame, kin_error* error)
{
    const kin_vec3 eye = frame->camera.eye, target = frame->camera.target, origin = frame->origin;
    const double lengths[] = {eye.x - target.x, eye.y - target.y, eye.z - target.z, eye.x - origin.x, eye.y - origin.y, eye.z - origin.z};
    double span = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        if (!(fabs(lengths[i]) <= 1e-3 * (double)FARTHEST))
            return kin_fail(error, KIN_ERROR_ARGUMENT, "camera",
                            "eye (%g, %g, %g) and target (%g, %g, %g) must be within %g m of each other and of the frame's origin (%g, %g, %g)", eye.x, eye.y,
                            eye.z, target.x, target.y, target.z, 1e-3 * (double)FARTHEST, origin.x, origin.y, origin.z);
        span = span > fabs(lengths[i]) ? span : fabs(lengths[i]);
    }
    stage->far = minf(FAR_BY_SPAN * (span > 0 ? (float)span : 1), FARTHEST);
    return KIN_OK;
}

kin_result kin_stage_set(kin_stage* stage, const kin_frame* frame, kin_error* error)
{
    clear(stage);
    kin_result placed = place_world(stage, frame, error);
    if (placed != KIN_OK) return placed;
    stage->shutter = clampf((float)(frame->camera.shutter * frame->interval), 0, 1e6f);
    stage->sky = kin_sky_from(&frame->light);
    stage->up = vec((float)frame->camera.up.x, (float)frame->camera.up.y, (float)frame->camera.up.z);
    const kin_vec3 eye = frame->camera.eye, origin = frame->origin;
    stage->eye = vec((float)(eye.x - origin.x), (float)(eye.y - origin.y), (float)(eye.z - origin.z));
    stage->view_height = 2 * tanf(0.5f * kin_camera_field(&frame->camera));
    if (!vec_finite(stage->up) || !(vec_dot(stage->up, stage->up) > 0)) stage->up = vec(0, 1, 0);
    stage->top = rtcNewScene(stage->device);
    stage->soft = rtcNewScene(stage->device);
    bool fits = stage->top != NULL && stage->soft != NULL;
    if (fits) rtcSetSceneFlags(stage->soft, RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
    for (uint32_t i = 0; i < frame->layer_count && fits; ++i) fits = kin_stage_add(stage, frame, &frame->layers[i]);
    fits = fits && kin_lamps_finish(&stage->lamps);
    if (fits) rtcCommitScene(stage->top);
    if (fits) rtcCommitScene(stage->soft);
    enum RTCError code = rtcGetDeviceError(stage->device);
    if (!fits || code == RTC_ERROR_OUT_OF_MEMORY)
        return kin_fail(error, KIN_ERROR_MEMORY, "", "the frame at %g s is too large to render in this memory", frame->time);
    if (code != RTC_ERROR_NONE) return kin_fail(error, KIN_ERROR_ARGUMENT, "", "Embree refused the frame at %g s (its error %d)", frame->time, (int)code);
    drop_unused(stage);
    return KIN_OK;
}

const kin_lamps* kin_stage_lamps(const kin_stage* stage) { return &stage->lamps; }

bool kin_embree_ray(const kin_stage* stage, const kin_ray* ray, unsigned mask, struct RTCRay* out)
{
    if (!kin_stage_holds(stage, ray->origin) || !vec_finite(ray->direction)) return false;
    *out = (struct RTCRay){
        .org_x = ray->origin[0],
        .org_y = ray->origin[1],
        .org_z = ray->origin[2],
        .tnear = 0,
        .dir_x = ray->direction[0],
        .dir_y = ray->direction[1],
        .dir_z = ray->direction[2],
        .time = ray->time,
        .tfar = ray->reach,
        .mask = mask,
    };
    return true;
}

static bool embree_hit(const kin_stage* stage, const kin_ray* ray, unsigned mask, struct RTCRayHit* found)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    if (!kin_embree_ray(stage, ray, mask, &found->ray)) return false;
    found->hit.geomID = RTC_INVALID_GEOMETRY_ID;
    found->hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(stage->top, &context, found);
    return found->hit.geomID != RTC_INVALID_GEOMETRY_ID;
}

static kin_vec turn(const float frame[12], kin_vec v) { return vec_load(frame) * v[0] + vec_load(frame + 3) * v[1] + vec_load(frame + 6) * v[2]; }
/* The inverse: instances are turned and scaled evenly. */
static kin_vec turn_back(const float frame[12], kin_vec v)
{
    float scale2 = vec_dot(vec_load(frame), vec_load(frame));
    return vec(vec_dot(vec_load(frame), v), vec_dot(vec_load(frame + 3), v), vec_dot(vec_load(frame + 6), v)) * (1 / scale2);
}

static bool smooth_normals(const kin_exhibit* exhibit, const uint32_t* v, const float* weight, kin_vec* out)
{
    kin_vec sum = vec_all(0);
    for (int k = 0; k < 3; ++k) sum += vec_load(exhibit->normals + 3 * v[k]) * weight[k];
    if (!vec_finite(sum) || !(vec_dot(sum, sum) > 1e-12f)) return false;
    *out = vec_normalize(sum);
    return true;
}

/* Where the smooth surface would be: the mean of the point's feet on the tangent planes of the corners. Hanika 2021. */
static kin_vec lifted(const kin_exhibit* exhibit, const uint32_t* v, const float* weight, kin_vec local, float side)
{
    kin_vec lift = vec_all(0);
    for (int k = 0; k < 3; ++k) {
        kin_vec n = vec_normalize(vec_load(exhibit->normals + 3 * v[k])) * side;
        float above = vec_dot(local - vec_load(exhibit->positions + 3 * v[k]), n);
        if (above < 0) lift -= n * (above * weight[k]);
    }
    return local + lift;
}

/* In the body's axes, so that the pattern goes with it; sizes are those of the world. */
static void add_pattern(const kin_exhibit* exhibit, const float frame[12], const kin_ray* ray, kin_hit* hit)
{
    float scale = vec_length(vec_load(frame));
    kin_spot spot = {.position = turn_back(frame, hit->position - vec_load(frame + 9)) * scale,
                     .normal = turn_back(frame, hit->facet) * scale,
                     .grain = exhibit->grain,
                     .footprint = 2 * ray->spread * hit->distance};
    hit->color = kin_pattern_color(hit->look, hit->color, &spot);
}

static void mesh_hit(const kin_piece* piece, const kin_exhibit* exhibit, const kin_ray* from, const struct RTCRayHit* found, kin_hit* hit)
{
    float frame[12];
    if (piece->moving)
        rtcGetGeometryTransform(piece->instance, found->ray.time, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, frame);
    else
        for (int i = 0; i < 12; ++i) frame[i] = piece->frame[i];
    if (exhibit->colors != NULL) hit->color = vec_color(exhibit->colors + 3 * (size_t)piece->row);
    hit->facet = vec_normalize(turn(frame, hit->facet));
    hit->normal = hit->facet;
    kin_vec smooth;
    const float weight[3] = {1 - found->hit.u - found->hit.v, found->hit.u, found->hit.v};
    const uint32_t* v = exhibit->triangles + 3 * (size_t)found->hit.primID;
    if (exhibit->vertex_colors != NULL) {
        hit->color = vec_all(0);
        for (int k = 0; k < 3; ++k) hit->color += vec_color(exhibit->vertex_colors + 3 * (size_t)v[k]) * weight[k];
    }
    if (hit->look->pattern != KIN_PATTERN_NONE) add_pattern(exhibit, frame, from, hit);
    if (exhibit->normals == NULL || !smooth_normals(exhibit, v, weight, &smooth)) return;
    hit->normal = vec_normalize(turn(frame, smooth));
    if (vec_dot(hit->normal, hit->facet) < 0) hit->normal = -hit->normal;
    if (exhibit->positions == NULL) return;
    kin_vec shift = vec_load(frame + 9), local = turn_back(frame, hit->position - shift);
    kin_vec ray = turn_back(frame, vec(found->ray.dir_x, found->ray.dir_y, found->ray.dir_z));
    hit->departure = turn(frame, lifted(exhibit, v, weight, local, vec_dot(ray, smooth) < 0 ? 1.0f : -1.0f)) + shift;
}

static void point_hit(const kin_stage* stage, const kin_exhibit* exhibit, const struct RTCRayHit* found, kin_hit* hit)
{
    uint32_t each = exhibit->spheres, element = stage->map[exhibit->map + found->hit.primID / each];
    if (exhibit->lines != NULL) {
        element = exhibit->lines[2 * (size_t)element + (found->hit.u < 0.5f ? 0 : 1)];
    } else {
        hit->lamp = true;
    }
    if (exhibit->colors != NULL) hit->color = vec_color(exhibit->colors + 3 * (size_t)element);
    if (each > 1)
        hit->color *= kin_pattern_sphere_shade(exhibit->layer->look.pattern, exhibit->ids != NULL ? exhibit->ids[element] : element, found->hit.primID % each);
}

void kin_stage_answer(const kin_stage* stage, const kin_ray* ray, const struct RTCRayHit* found, kin_hit* hit)
{
    bool instanced = found->hit.instID[0] != RTC_INVALID_GEOMETRY_ID;
    const kin_piece* piece = &stage->pieces[instanced ? found->hit.instID[0] : found->hit.geomID];
    const kin_exhibit* exhibit = &stage->exhibits[piece->exhibit];
    kin_vec position = ray->origin + ray->direction * found->ray.tfar;
    kin_vec facet = vec_normalize(vec(found->hit.Ng_x, found->hit.Ng_y, found->hit.Ng_z));
    *hit = (kin_hit){
        .distance = found->ray.tfar,
        .position = position,
        .departure = position,
        .facet = facet,
        .normal = facet,
        .color = exhibit->color,
        .glow = exhibit->layer->look.glow,
        .look = &exhibit->layer->look,
    };
    if (exhibit->field != NULL)
        hit->color = kin_isosurface_color(exhibit->field, found->hit.primID, position, exhibit->color);
    else if (instanced)
        mesh_hit(piece, exhibit, ray, found, hit);
    else
        point_hit(stage, exhibit, found, hit);
}

static bool first_surface(const kin_stage* stage, const kin_ray* ray, kin_hit* hit)
{
    kin_ray rest = *ray;
    const kin_plane* plane = NULL;
    for (size_t i = 0; i < stage->plane_count; ++i) {
        if (kin_plane_distance(&stage->planes[i], &rest, &rest.reach)) plane = &stage->planes[i];
    }
    struct RTCRayHit found;
    if (embree_hit(stage, &rest, ~0u, &found))
        kin_stage_answer(stage, ray, &found, hit);
    else if (plane != NULL)
        kin_plane_hit(plane, ray, rest.reach, hit);
    else
        return false;
    return true;
}

/* Just past the surface. Returns the way. */
static float step_past(kin_ray* ray, const kin_hit* hit)
{
    float step = hit->distance + 1e-5f * maxf(hit->distance, vec_max(hit->position * hit->position) > 1 ? vec_length(hit->position) : 1);
    ray->origin += ray->direction * step;
    ray->reach -= step;
    return step;
}

kin_crossing kin_hit_crossing(const kin_hit* hit, const kin_ray* ray, const kin_media* media)
{
    static const kin_media air = {.count = 0};
    kin_crossing crossing = kin_media_cross(media != NULL ? media : &air, hit->look, vec_dot(hit->facet, ray->direction) < 0);
    if (hit->open) crossing.after = media != NULL ? *media : air;
    return crossing;
}

bool kin_stage_intersect(const kin_stage* stage, const kin_ray* ray, kin_hit* hit, kin_media* media)
{
    kin_ray rest = *ray;
    float way = 0;
    for (int passed = 0; passed < MOST_PASSED; ++passed) {
        if (!first_surface(stage, &rest, hit)) return false;
        if (hit->look->surface != KIN_SURFACE_GLASS) break;
        kin_crossing crossing = kin_hit_crossing(hit, &rest, media);
        if (crossing.here != crossing.beyond) break;
        *media = crossing.after;
        way += step_past(&rest, hit);
    }
    hit->distance += way;
    return true;
}

kin_media kin_stage_media(const kin_stage* stage, kin_vec place)
{
    kin_media media = {.count = 0}, entered = {.count = 0};
    kin_ray ray = {.origin = place, .direction = vec(0, 1, 0), .reach = INFINITY};
    for (int passed = 0; stage->has_glass && passed < MOST_PASSED; ++passed) {
        struct RTCRayHit found;
        kin_hit hit;
        if (!embree_hit(stage, &ray, KIN_MASK_GLASS, &found)) break;
        kin_stage_answer(stage, &ray, &found, &hit);
        bool entering = vec_dot(hit.facet, ray.direction) < 0;
        if (!entering && !kin_media_holds(&entered, hit.look)) media = kin_media_cross(&media, hit.look, true).after;
        entered = kin_media_cross(&entered, hit.look, entering).after;
        step_past(&ray, &hit);
    }
    return media;
}

/* At most a few surfaces are followed. */
static kin_vec through_glass(const kin_stage* stage, kin_ray ray)
{
    kin_vec through = vec_all(1);
    kin_media media = ray.media != NULL ? *ray.media : (kin_media){.count = 0};
    for (int pane = 0; pane < MOST_PANES; ++pane) {
        struct RTCRayHit found;
        const kin_look* here = kin_media_here(&media);
        if (!embree_hit(stage, &ray, KIN_MASK_GLASS, &found)) return through * kin_medium_clear(here, ray.reach);
        kin_hit hit;
        kin_stage_answer(stage, &ray, &found, &hit);
        kin_crossing crossing = kin_hit_crossing(&hit, &ray, &media);
        float cosine = fabsf(vec_dot(hit.normal, ray.direction));
        if (crossing.here != crossing.beyond) through *= vec_mix(vec_all(1), hit.color, 0.5f) * (0.25f + 0.75f * cosine);
        through *= kin_medium_clear(crossing.here, step_past(&ray, &hit));
        media = crossing.after;
    }
    return through;
}

bool kin_stage_occluded(const kin_stage* stage, const kin_ray* ray, kin_vec* through)
{
    float distance;
    for (size_t i = 0; i < stage->plane_count; ++i) {
        if (stage->planes[i].floor && kin_plane_distance(&stage->planes[i], ray, &distance)) return true;
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay shadow;
    *through = vec_all(1);
    if (!kin_embree_ray(stage, ray, KIN_MASK_SOLID, &shadow)) return false;
    rtcOccluded1(stage->top, &context, &shadow);
    if (shadow.tfar < 0) return true;
    float clear = kin_stage_veiled(stage) ? kin_stage_clear(stage, ray) : 1;
    if (!(clear > 0)) return true;
    *through = (stage->has_glass ? through_glass(stage, *ray) : vec_all(1)) * clear;
    return false;
}
