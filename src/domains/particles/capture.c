/* capture.c - what is seen of particles: spheres and streaks, sprites, a mesh each, and the volume they leave behind. One layer for each look. */
#include "domains/particles/particles.h"
#include "math/quat.h"
#include "math/random.h"
#include "math/scalar.h"
#include "system/curve.h"
#include "system/flock/bank.h"
#include <stdio.h>
#include <string.h>

/* Particles of one kind and one material make a layer. */
typedef struct look_of {
    const kin_particles* p;
    const kin_kind* kind;
    uint32_t number, material;
    uint64_t count;
} look_of;

static bool shows(const look_of* l, size_t i)
{
    return l->p->mobility[i] != KIN_MOBILITY_INACTIVE && l->p->kind[i] == l->number && l->p->material[i] == l->material;
}

static void put_float3(float* out, kin_vec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static double variable_of(const look_of* l, kin_curve_variable over, size_t i, double time)
{
    return kin_particle_variable(l->p, i, over, time - l->p->birth[i]);
}

static double opacity_of(const look_of* l, size_t i, double time)
{
    return kin_clamp(kin_curve_at(&l->kind->def->opacity, variable_of(l, l->kind->opacity_over, i, time), 1), 0, 1);
}

enum { DRAW_COLOR = 10 }; /* of a particle's own key: 0 to 3 roll and tumble it, 8 is its trail */

static void put_color(const look_of* l, size_t i, double time, float* out)
{
    double rgb[3] = {1, 1, 1};
    kin_curve_at3(&l->kind->def->color, variable_of(l, l->kind->color_over, i, time), rgb);
    kin_rng_key key = {.serial = l->p->serial[i]};
    const double off[2] = {0, l->kind->def->color_deviation};
    for (uint32_t c = 0; off[1] > 0 && c < 3; ++c) rgb[c] = kin_clamp(rgb[c] + kin_rng_about(&key, DRAW_COLOR + c, off, -1), 0, 1);
    for (int c = 0; c < 3; ++c) out[c] = (float)rgb[c];
}

/* Colour and opacity, when the kind has them. */
static void capture_curves(const look_of* l, kin_capture* capture)
{
    const kin_particle_kind* def = l->kind->def;
    float* colors = def->color.count > 0 ? kin_capture_array(capture, "color", KIN_F32, 3, l->count) : NULL;
    float* opacities = def->opacity.count > 0 && def->draw != KIN_DRAW_MESH && def->draw != KIN_DRAW_METABALL
                           ? kin_capture_array(capture, "opacity", KIN_F32, 1, l->count)
                           : NULL;
    if (colors == NULL && opacities == NULL) return;
    for (size_t i = 0, k = 0; i < l->p->count; ++i) {
        if (!shows(l, i)) continue;
        if (colors != NULL) put_color(l, i, capture->frame.time, colors + 3 * k);
        if (opacities != NULL) opacities[k] = (float)opacity_of(l, i, capture->frame.time);
        ++k;
    }
}

static void capture_points(const look_of* l, kin_capture* capture)
{
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, l->count);
    float* velocities = kin_capture_array(capture, "velocity", KIN_F32, 3, l->count);
    float* radii = kin_capture_array(capture, "radius", KIN_F32, 1, l->count);
    uint64_t* ids = kin_capture_array(capture, "id", KIN_U64, 1, l->count);
    if (ids == NULL) return;
    for (size_t i = 0, k = 0; i < l->p->count; ++i) {
        if (!shows(l, i)) continue;
        put_float3(positions + 3 * k, kin_sub(kin_get3(l->p->x, i), capture->frame.origin));
        put_float3(velocities + 3 * k, kin_get3(l->p->v, i));
        radii[k] = (float)l->p->radius[i];
        ids[k++] = l->p->serial[i];
    }
}

/* A roll of its own, so that sprites of one texture do not look alike. */
static void capture_angles(const look_of* l, kin_capture* capture)
{
    float* angles = kin_capture_array(capture, "angle", KIN_F32, 1, l->count);
    for (size_t i = 0, k = 0; angles != NULL && i < l->p->count; ++i) {
        if (!shows(l, i)) continue;
        kin_rng_key key = {.serial = l->p->serial[i]};
        angles[k++] = (float)kin_rng_uniform(&key, 0, 0, 2 * KIN_PI);
    }
}

static void capture_texture(const kin_picture_view* picture, kin_capture* capture)
{
    if (picture->rgba == NULL) return;
    uint64_t pixels = (uint64_t)picture->width * picture->height;
    uint32_t* size = kin_capture_array(capture, "texture_size", KIN_U32, 2, 1);
    float* rgba = kin_capture_array(capture, "texture", KIN_F32, 4, pixels);
    if (rgba == NULL) return;
    memcpy(size, (uint32_t[2]){picture->width, picture->height}, 2 * sizeof *size);
    memcpy(rgba, picture->rgba, 4 * pixels * sizeof *rgba);
}

/* H4.5d, H6.5e. Tumbling: about an axis and at a rate of its own, by its age. */
static kin_quat orientation_of(const look_of* l, size_t i, double time)
{
    const kin_particle_kind* def = l->kind->def;
    kin_vec3 v = kin_get3(l->p->v, i), up = def->carry_up ? l->p->up[i] : def->up;
    kin_rng_key key = {.serial = l->p->serial[i]};
    switch (def->orient) {
    case KIN_ORIENT_VELOCITY: return kin_heading_orientation(v, up, 0);
    case KIN_ORIENT_BANK: return kin_heading_orientation(v, up, (double)l->p->bank[i]);
    case KIN_ORIENT_TUMBLE: {
        kin_vec3 axis = kin_rng_direction(&key, 1);
        double rate = kin_rng_about(&key, 2, def->spin, -1e300), start = kin_rng_uniform(&key, 3, 0, 2 * KIN_PI);
        return kin_quat_axis_angle(axis, start + rate * (time - l->p->birth[i]));
    }
    default: return kin_quat_identity();
    }
}

static void put_pose(float* out, kin_vec3 x, kin_quat q)
{
    put_float3(out, x);
    out[3] = (float)q.x;
    out[4] = (float)q.y;
    out[5] = (float)q.z;
    out[6] = (float)q.w;
}

/* The mesh once, as triangles; then a pose, a scale and an id each. */
static bool capture_shape(const look_of* l, kin_capture* capture)
{
    const kin_mesh_view* mesh = &l->kind->def->mesh;
    size_t triangles = 0;
    for (size_t f = 0; f < mesh->face_count; ++f) triangles += (mesh->face_sizes != NULL ? mesh->face_sizes[f] : 3) - 2;
    float* vertices = kin_capture_array(capture, "position", KIN_F32, 3, mesh->vertex_count);
    uint32_t* corners = kin_capture_array(capture, "triangle", KIN_U32, 3, triangles);
    if (corners == NULL) return false;
    for (size_t i = 0; i < mesh->vertex_count; ++i) put_float3(vertices + 3 * i, mesh->vertices[i]);
    const uint32_t* face = mesh->corners;
    for (size_t f = 0, t = 0; f < mesh->face_count; ++f) {
        uint32_t size = mesh->face_sizes != NULL ? mesh->face_sizes[f] : 3;
        for (uint32_t c = 2; c < size; ++c, ++t) {
            corners[3 * t] = face[0];
            corners[3 * t + 1] = face[c - 1];
            corners[3 * t + 2] = face[c];
        }
        face += size;
    }
    return true;
}

static void capture_meshes(const look_of* l, kin_capture* capture)
{
    if (!capture_shape(l, capture)) return;
    float* poses = kin_capture_array(capture, "pose", KIN_F32, 7, l->count);
    float* ends = kin_capture_array(capture, "pose_end", KIN_F32, 7, l->count);
    float* scales = kin_capture_array(capture, "scale", KIN_F32, 1, l->count);
    uint64_t* ids = kin_capture_array(capture, "id", KIN_U64, 1, l->count);
    if (ids == NULL) return;
    double shutter = capture->frame.interval;
    for (size_t i = 0, k = 0; i < l->p->count; ++i) {
        if (!shows(l, i)) continue;
        kin_vec3 x = kin_sub(kin_get3(l->p->x, i), capture->frame.origin);
        put_pose(poses + 7 * k, x, orientation_of(l, i, capture->frame.time));
        put_pose(ends + 7 * k, kin_add_scaled(x, shutter, kin_get3(l->p->v, i)), orientation_of(l, i, capture->frame.time + shutter));
        scales[k] = (float)(l->kind->def->mesh_size * l->p->radius[i]);
        ids[k++] = l->p->serial[i];
    }
}

/* The last hits: how long ago (-1: none yet), where, and the system and element that were met. */
static void capture_hits(const look_of* l, kin_capture* capture)
{
    if (!l->kind->def->keep_hits) return;
    float* ages = kin_capture_array(capture, "hit_age", KIN_F32, 1, l->count);
    float* places = kin_capture_array(capture, "hit_position", KIN_F32, 3, l->count);
    uint32_t* others = kin_capture_array(capture, "hit_other", KIN_U32, 2, l->count);
    if (others == NULL) return;
    for (size_t i = 0, k = 0; i < l->p->count; ++i) {
        if (!shows(l, i)) continue;
        const kin_particle_hit* hit = &l->p->last_hit[i];
        ages[k] = hit->any ? (float)(capture->frame.time - hit->time) : -1;
        put_float3(places + 3 * k, hit->any ? kin_sub(hit->position, capture->frame.origin) : kin_v(0, 0, 0));
        others[2 * k] = hit->other.system;
        others[2 * k++ + 1] = hit->other.element;
    }
}

/* Metaballs (Blinn 1982): kernels of twice the radius, of such a weight that one alone is a sphere of the radius: (1 - 1/4)^3 weight = 1. */
static void capture_kernels(const look_of* l, kin_capture* capture)
{
    float* shapes = kin_capture_array(capture, "shape", KIN_F32, 6, l->count);
    float* weights = kin_capture_array(capture, "weight", KIN_F32, 1, l->count);
    for (size_t i = 0, k = 0; weights != NULL && i < l->p->count; ++i) {
        if (!shows(l, i)) continue;
        float g = (float)(0.5 / kin_max(l->p->radius[i], 1e-12));
        const float shape[6] = {g, g, g, 0, 0, 0};
        memcpy(shapes + 6 * k, shape, sizeof shape);
        weights[k++] = 64.0f / 27;
    }
}

/* How distance from the camera changes what is drawn. */
static void set_distance(kin_look* look, const kin_particle_kind* def)
{
    look->min_width = (float)def->min_width;
    look->fade_length = (float)def->fade_length;
    look->fade_start = (float)def->fade_start;
}

/* Named numbers: an array user.NAME for each. */
static void capture_attributes(const look_of* l, kin_capture* capture)
{
    const kin_particle_kind* def = l->kind->def;
    for (size_t a = 0; a < def->attributes.count; ++a) {
        char name[sizeof((kin_array*)0)->name];
        snprintf(name, sizeof name, "user.%.18s", def->attributes.data[a].name);
        float* values = kin_capture_array(capture, name, KIN_F32, 1, l->count);
        for (size_t i = 0, k = 0; values != NULL && i < l->p->count; ++i) {
            if (shows(l, i)) values[k++] = (float)l->p->attributes[i * (size_t)l->p->attribute_count + l->kind->attributes[a]];
        }
    }
}

static void capture_look(const look_of* l, const char* name, const kin_look* look, kin_capture* capture)
{
    const kin_particle_kind* def = l->kind->def;
    kin_look seen = *look;
    seen.streak = (float)(def->streak > 0 ? def->streak : l->p->def.streak);
    set_distance(&seen, def);
    static const kin_layer_kind layers[] = {[KIN_DRAW_SPHERE] = KIN_LAYER_POINTS,
                                            [KIN_DRAW_SPRITE] = KIN_LAYER_SPRITES,
                                            [KIN_DRAW_MESH] = KIN_LAYER_MESH,
                                            [KIN_DRAW_METABALL] = KIN_LAYER_ISOSURFACE};
    kin_capture_layer(capture, name, layers[def->draw], &seen);
    if (def->draw == KIN_DRAW_MESH) {
        capture_meshes(l, capture);
    } else {
        capture_points(l, capture);
        if (def->draw == KIN_DRAW_METABALL) capture_kernels(l, capture);
        if (def->draw == KIN_DRAW_SPRITE) capture_angles(l, capture);
        if (def->draw == KIN_DRAW_SPRITE) capture_texture(&def->texture, capture);
    }
    capture_curves(l, capture);
    capture_hits(l, capture);
    capture_attributes(l, capture);
}

/* ---- trails ---- */

/* A particle's path as it is drawn: from where it is now back to `trail` seconds ago, the last piece cut there. Returns how many places; out NULL: counts. */
static size_t trail_path(const look_of* l, size_t i, double time, kin_trail_point* out)
{
    const kin_particles* p = l->p;
    kin_trail_point at = {kin_get3(p->x, i), time};
    double begin = time - kin_particles_trail_time(p, i);
    size_t places = kin_particles_trail_places(p, i), count = 1;
    if (out != NULL) out[0] = at;
    for (size_t back = 0; back < places && at.time > begin; ++back) {
        kin_trail_point from = *kin_particles_trail_place(p, i, back);
        if (!(from.time < at.time)) continue; /* taken just now */
        if (from.time < begin) from = (kin_trail_point){kin_lerp(at.x, from.x, (at.time - begin) / (at.time - from.time)), begin};
        if (out != NULL) out[count] = from;
        ++count;
        at = from;
    }
    return count;
}

static void put_trail(const look_of* l, size_t i, size_t first, size_t count, const kin_trail_point* path, const kin_capture* capture, float* const out[4])
{
    double time = capture->frame.time, own = opacity_of(l, i, time);
    for (size_t k = 0; k < count; ++k) {
        double s = 1 - (time - path[k].time) / kin_particles_trail_time(l->p, i); /* 1 at its head, 0 at the end */
        size_t at = first + count - 1 - k;                                        /* oldest first: each piece begins where the one before it ends */
        put_float3(out[0] + 3 * at, kin_sub(path[k].x, capture->frame.origin));
        out[1][at] = (float)(l->kind->def->trail_width * l->p->radius[i]);
        out[2][at] = (float)(own * kin_clamp(s * s, 0, 1));
        if (out[3] != NULL) put_color(l, i, time, out[3] + 3 * at);
    }
}

/* Lines of their own, so that tables of points do not list them. */
static void capture_trails(const look_of* l, const char* name, const kin_look* look, kin_capture* capture)
{
    size_t vertices = 0, segments = 0, first = 0, line = 0;
    kin_trail_point* path = kin_arena_take(&capture->arena, ((size_t)l->p->trail_points + 1) * sizeof *path);
    for (size_t i = 0; i < l->p->count; ++i) {
        size_t count = shows(l, i) ? trail_path(l, i, capture->frame.time, NULL) : 1;
        if (count > 1) vertices += count, segments += count - 1;
    }
    if (segments == 0) return;
    kin_look seen = *look;
    seen.streak = 0;
    set_distance(&seen, l->kind->def);
    kin_capture_layer(capture, name, KIN_LAYER_LINES, &seen);
    float* out[4] = {kin_capture_array(capture, "position", KIN_F32, 3, vertices), kin_capture_array(capture, "radius", KIN_F32, 1, vertices),
                     kin_capture_array(capture, "opacity", KIN_F32, 1, vertices), NULL};
    if (l->kind->def->color.count > 0) out[3] = kin_capture_array(capture, "color", KIN_F32, 3, vertices);
    uint32_t* lines = kin_capture_array(capture, "line", KIN_U32, 2, segments);
    if (lines == NULL || path == NULL) return;
    for (size_t i = 0; i < l->p->count; ++i) {
        size_t count = shows(l, i) ? trail_path(l, i, capture->frame.time, path) : 1;
        if (count < 2) continue;
        put_trail(l, i, first, count, path, capture, out);
        for (size_t k = 1; k < count; ++k) {
            lines[line++] = (uint32_t)(first + k - 1);
            lines[line++] = (uint32_t)(first + k);
        }
        first += count;
    }
}

static uint64_t count_of(const look_of* l)
{
    uint64_t count = 0;
    for (size_t i = 0; i < l->p->count; ++i) count += shows(l, i);
    return count;
}

static void capture_volume(const kin_particles* p, const char* name, kin_capture* capture)
{
    char layer[sizeof((kin_layer*)0)->name];
    if (p->volume == NULL) return;
    snprintf(layer, sizeof layer, "%s/volume", name);
    kin_look look = {.surface = KIN_SURFACE_MATTE, .glow = (float)p->def.volume.glow, .extinction = (float)p->def.volume.density};
    for (int c = 0; c < 3; ++c) look.color[c] = p->def.volume.color[c];
    kin_density_capture(p->volume, layer, &look, capture);
}

/* Of one kind the first layer has the system's name, others their material's too. Of several, the first kind has the system's name and others their kind's, with
 * their material's where it is not the kind's own: names do not depend on who is alive. */
static void layer_name(const look_of* l, const char* name, const char* material, bool first, char* out, size_t size)
{
    const char* kind = l->kind->def->name != NULL ? l->kind->def->name : "particles";
    bool own = l->material == l->kind->def->material.index1;
    if (l->p->kind_count == 1 ? first : own && l->number == 0)
        snprintf(out, size, "%s", name);
    else if (l->p->kind_count == 1)
        snprintf(out, size, "%s/%s", name, material);
    else if (own)
        snprintf(out, size, "%s/%s", name, kind);
    else
        snprintf(out, size, "%s/%s/%s", name, kind, material);
}

void kin_particles_capture(const void* self, const char* name, const kin_materials* materials, kin_capture* capture)
{
    const kin_particles* p = self;
    bool first = true;
    for (uint32_t k = 0; k < p->kind_count; ++k) {
        for (uint32_t m = 0; m < materials->count; ++m) {
            look_of l = {p, &p->kinds[k], k, m, 0};
            bool drawn = l.kind->def->draw != KIN_DRAW_NONE, trails = l.kind->def->trail[0] > 0;
            l.count = drawn || trails ? count_of(&l) : 0;
            if (l.count == 0) continue;
            char layer[sizeof((kin_layer*)0)->name], trail[sizeof layer + 8];
            layer_name(&l, name, materials->items[m].name, first, layer, sizeof layer);
            snprintf(trail, sizeof trail, "%s~trail", layer);
            if (drawn) capture_look(&l, layer, &materials->items[m].look, capture);
            if (trails) capture_trails(&l, trail, &materials->items[m].look, capture);
            first = first && !drawn;
        }
    }
    capture_volume(p, name, capture);
}
