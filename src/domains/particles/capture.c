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

static double phase_of(const look_of* l, size_t i, double time) { return kin_kind_phase(l->kind, time - l->p->birth[i], (double)l->p->life[i]); }

/* Colour and opacity over age, when the kind has them. */
static void capture_curves(const look_of* l, kin_capture* capture)
{
    const kin_particle_kind* def = l->kind->def;
    float* colors = def->color.count > 0 ? kin_capture_array(capture, "color", KIN_F32, 3, l->count) : NULL;
    float* opacities = def->opacity.count > 0 && def->draw != KIN_DRAW_MESH ? kin_capture_array(capture, "opacity", KIN_F32, 1, l->count) : NULL;
    if (colors == NULL && opacities == NULL) return;
    for (size_t i = 0, k = 0; i < l->p->count; ++i) {
        if (!shows(l, i)) continue;
        double phase = phase_of(l, i, capture->frame.time), rgb[3] = {1, 1, 1};
        if (colors != NULL) {
            kin_curve_at3(&def->color, phase, rgb);
            for (int c = 0; c < 3; ++c) colors[3 * k + (size_t)c] = (float)rgb[c];
        }
        if (opacities != NULL) opacities[k] = (float)kin_clamp(kin_curve_at(&def->opacity, phase, 1), 0, 1);
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
    kin_vec3 v = kin_get3(l->p->v, i), up = {0, 1, 0};
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

static void capture_look(const look_of* l, const char* name, const kin_look* look, kin_capture* capture)
{
    const kin_particle_kind* def = l->kind->def;
    kin_look seen = *look;
    seen.streak = (float)(def->streak > 0 ? def->streak : l->p->def.streak);
    static const kin_layer_kind layers[] = {KIN_LAYER_POINTS, KIN_LAYER_SPRITES, KIN_LAYER_MESH};
    kin_capture_layer(capture, name, layers[def->draw], &seen);
    if (def->draw == KIN_DRAW_MESH) {
        capture_meshes(l, capture);
    } else {
        capture_points(l, capture);
        if (def->draw == KIN_DRAW_SPRITE) capture_angles(l, capture);
        if (def->draw == KIN_DRAW_SPRITE) capture_texture(&def->texture, capture);
    }
    capture_curves(l, capture);
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
            l.count = l.kind->def->draw == KIN_DRAW_NONE ? 0 : count_of(&l);
            if (l.count == 0) continue;
            char layer[sizeof((kin_layer*)0)->name];
            layer_name(&l, name, materials->items[m].name, first, layer, sizeof layer);
            capture_look(&l, layer, &materials->items[m].look, capture);
            first = false;
        }
    }
    capture_volume(p, name, capture);
}
