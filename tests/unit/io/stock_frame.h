/* stock_frame.h - frames with every kind of layer: some arrays stand still, some move. */
#pragma once
#include "io/frame_check.h"
#include "support/test.h"
#include "system/capture.h"
#include <string.h>

enum { STOCK_POINTS = 600, STOCK_SIDE = 30 };

static inline void stock_points(kin_capture* c, uint64_t index, const char* name, uint64_t count)
{
    kin_capture_layer(c, name, KIN_LAYER_POINTS, &(kin_look){.surface = KIN_SURFACE_GLOSSY, .color = {0.1f, 0.2f, 0.3f}, .roughness = 0.4f, .streak = 0.5f});
    float* x = kin_capture_array(c, "position", KIN_F32, 3, count);
    float* v = kin_capture_array(c, "velocity", KIN_F32, 3, count);
    float* r = kin_capture_array(c, "radius", KIN_F32, 1, count);
    uint64_t* id = kin_capture_array(c, "id", KIN_U64, 1, count);
    if (id == NULL) return;
    for (uint64_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            x[3 * i + (uint64_t)k] = (float)i * 0.1f + (float)index * 0.01f * (float)(k + 1);
            v[3 * i + (uint64_t)k] = 0.3f * (float)(k + 1);
        }
        r[i] = 0.05f;
        id[i] = 1000 + i * 7;
    }
}

/* Stands still: 900 vertices, 1682 triangles, both over 4 KB. */
static inline void stock_mesh(kin_capture* c)
{
    kin_capture_layer(c, "ground", KIN_LAYER_MESH, &(kin_look){.surface = KIN_SURFACE_METAL, .roughness = 1, .ior = 1.33f, .absorption = {3, 2, 1}});
    float* x = kin_capture_array(c, "position", KIN_F32, 3, STOCK_SIDE * STOCK_SIDE);
    uint32_t* triangles = kin_capture_array(c, "triangle", KIN_U32, 3, 2 * (STOCK_SIDE - 1) * (STOCK_SIDE - 1));
    float* pose = kin_capture_array(c, "pose", KIN_F32, 7, 2);
    float* pose_end = kin_capture_array(c, "pose_end", KIN_F32, 7, 2);
    if (pose_end == NULL) return;
    for (uint32_t i = 0; i < STOCK_SIDE * STOCK_SIDE; ++i) {
        x[3 * i] = (float)(i % STOCK_SIDE);
        x[3 * i + 1] = 0.01f * (float)(i * i % 17);
        x[3 * i + 2] = (float)(i / STOCK_SIDE);
    }
    for (uint32_t i = 0; i < STOCK_SIDE - 1; ++i) {
        for (uint32_t k = 0; k < STOCK_SIDE - 1; ++k) {
            uint32_t a = i * STOCK_SIDE + k, b = a + STOCK_SIDE;
            memcpy(triangles, (uint32_t[6]){a, b, a + 1, a + 1, b, b + 1}, 6 * sizeof *triangles);
            triangles += 6;
        }
    }
    for (int i = 0; i < 14; ++i) pose[i] = pose_end[i] = (float)(i % 7 == 6);
}

static inline void stock_lines_and_plane(kin_capture* c, uint64_t index)
{
    kin_capture_layer(c, "lines", KIN_LAYER_LINES, &(kin_look){.surface = KIN_SURFACE_EMISSIVE, .glow = 3});
    float* x = kin_capture_array(c, "position", KIN_F32, 3, 3);
    uint32_t* line = kin_capture_array(c, "line", KIN_U32, 2, 2);
    kin_capture_layer(c, "floor", KIN_LAYER_PLANE, &(kin_look){0});
    float* p = kin_capture_array(c, "position", KIN_F32, 3, 1);
    float* n = kin_capture_array(c, "normal", KIN_F32, 3, 1);
    if (n == NULL) return;
    for (int i = 0; i < 9; ++i) x[i] = (float)i / (float)(index + 1);
    x[4] = __builtin_nanf("");
    x[5] = -__builtin_inff();
    memcpy(line, (uint32_t[4]){0, 1, 1, 2}, 4 * sizeof *line);
    for (int i = 0; i < 3; ++i) p[i] = n[i] = (float)(i == 1);
}

static inline void stock_soft(kin_capture* c, uint64_t index)
{
    kin_capture_layer(c, "flames", KIN_LAYER_SPRITES, &(kin_look){.surface = KIN_SURFACE_EMISSIVE, .glow = 2});
    float* x = kin_capture_array(c, "position", KIN_F32, 3, 2);
    float* r = kin_capture_array(c, "radius", KIN_F32, 1, 2);
    float* texture = kin_capture_array(c, "texture", KIN_F32, 4, 6);
    uint32_t* size = kin_capture_array(c, "texture_size", KIN_U32, 2, 1);
    kin_capture_layer(c, "smoke", KIN_LAYER_VOLUME, &(kin_look){.color = {1, 1, 1}, .extinction = 7, .anisotropy = -0.5f});
    uint32_t* dims = kin_capture_array(c, "dims", KIN_U32, 3, 1);
    float* box = kin_capture_array(c, "box", KIN_F32, 3, 2);
    float* density = kin_capture_array(c, "density", KIN_F32, 1, 24);
    if (density == NULL) return;
    for (int i = 0; i < 6; ++i) x[i] = (float)i + (float)index, box[i] = (float)i;
    for (int i = 0; i < 24; ++i) density[i] = texture[i] = 0.1f * (float)i;
    r[0] = r[1] = 0.5f;
    memcpy(size, (uint32_t[2]){2, 3}, 2 * sizeof *size);
    memcpy(dims, (uint32_t[3]){2, 3, 4}, 3 * sizeof *dims);
}

/* NULL when memory is out. */
static inline const kin_frame* stock_frame(kin_capture* c, uint64_t index)
{
    kin_capture_begin(c, index, (double)index / 30, 1.0 / 30, (kin_vec3){1e6 + 0.1, -2, 3});
    c->frame.camera = (kin_camera){.eye = {1, 2, 3}, .target = {4, 5, 6}, .up = {0, 1, 0}, .field_of_view = 0.7, .aperture = 0.01, .shutter = 0.5};
    c->frame.light = (kin_light){.sun_direction = {0, 1, 0}, .sun_angle = 0.01, .sun = {1, 2, 3}, .sky = {4, 5, 6}, .horizon = {7, 8, 9}, .exposure = -1};
    stock_points(c, index, "sparks", STOCK_POINTS);
    if (!c->failed) stock_mesh(c);
    if (!c->failed) stock_lines_and_plane(c, index);
    if (!c->failed) stock_soft(c, index);
    if (!c->failed) stock_points(c, index, "nothing yet", 0);
    return kin_capture_end(c);
}

static inline bool same_array(const kin_array* a, const kin_array* b)
{
    return strcmp(a->name, b->name) == 0 && a->type == b->type && a->width == b->width && a->count == b->count && a->hash == b->hash && a->data != NULL
           && b->data != NULL && memcmp(a->data, b->data, kin_array_size(a)) == 0;
}

static inline bool same_layer(const kin_layer* a, const kin_layer* b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->kind == b->kind && memcmp(&a->look, &b->look, sizeof a->look) == 0 && a->array_count == b->array_count;
    for (uint32_t i = 0; same && i < a->array_count; ++i) same = same_array(&a->arrays[i], &b->arrays[i]);
    return same;
}

/* Bit for bit. */
static inline bool same_frame(const kin_frame* a, const kin_frame* b)
{
    bool same = a->index == b->index && a->time == b->time && a->interval == b->interval && memcmp(&a->origin, &b->origin, sizeof a->origin) == 0
                && memcmp(&a->camera, &b->camera, sizeof a->camera) == 0 && memcmp(a->light.sun, b->light.sun, 9 * sizeof(float)) == 0
                && a->light.sun_angle == b->light.sun_angle && a->light.exposure == b->light.exposure && a->layer_count == b->layer_count;
    for (uint32_t i = 0; same && i < a->layer_count; ++i) same = same_layer(&a->layers[i], &b->layers[i]);
    return same;
}
