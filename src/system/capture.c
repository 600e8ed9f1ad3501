/* capture.c - building a frame, and the meshes of plain shapes. */
#include "system/capture.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "math/vec3.h"
#include <stdio.h>
#include <string.h>

#define MAX_ARRAYS 12

void kin_capture_init(kin_capture* capture, const kin_allocator* allocator)
{
    *capture = (kin_capture){.allocator = *allocator};
    kin_arena_init(&capture->arena, allocator);
}

void kin_capture_term(kin_capture* capture)
{
    kin_arena_term(&capture->arena);
    kin_free(&capture->allocator, capture->layers, capture->layer_capacity * sizeof *capture->layers);
    capture->layers = NULL;
}

void kin_capture_begin(kin_capture* capture, uint64_t index, double time, double interval, kin_vec3 origin)
{
    kin_arena_reset(&capture->arena);
    capture->frame = (kin_frame){.index = index, .time = time, .interval = interval, .origin = origin};
    capture->layer_count = 0;
    capture->failed = false;
}

void kin_capture_layer(kin_capture* capture, const char* name, kin_layer_kind kind, const kin_look* look)
{
    kin_array* arrays = kin_arena_take(&capture->arena, MAX_ARRAYS * sizeof *arrays);
    if (arrays == NULL
        || !kin_reserve(&capture->allocator, (void**)&capture->layers, &capture->layer_capacity, capture->layer_count + 1, sizeof *capture->layers)) {
        capture->failed = true;
        return;
    }
    kin_layer* layer = &capture->layers[capture->layer_count++];
    *layer = (kin_layer){.kind = kind, .look = *look, .arrays = arrays};
    snprintf(layer->name, sizeof layer->name, "%s", name);
}

static size_t type_size(kin_array_type type) { return type == KIN_U64 ? 8 : 4; }

void* kin_capture_array(kin_capture* capture, const char* name, kin_array_type type, uint32_t width, uint64_t count)
{
    if (capture->failed) return NULL;
    kin_layer* layer = &capture->layers[capture->layer_count - 1];
    KIN_ASSERT(layer->array_count < MAX_ARRAYS);
    void* data = kin_arena_take(&capture->arena, kin_bytes((size_t)count * width, type_size(type)) + 1); /* + 1: an empty array has an address too */
    if (data == NULL) {
        capture->failed = true;
        return NULL;
    }
    kin_array* array = (kin_array*)&layer->arrays[layer->array_count++];
    *array = (kin_array){.type = type, .width = width, .count = count, .data = data};
    snprintf(array->name, sizeof array->name, "%s", name);
    return data;
}

static size_t array_bytes(const kin_array* array) { return (size_t)array->count * array->width * type_size(array->type); }

/* Type and shape are part of the hash: it names the array in a cache. */
static uint64_t array_hash(const kin_array* array)
{
    kin_hasher hasher;
    uint64_t head[3] = {(uint64_t)array->type, array->width, array->count};
    kin_hasher_begin(&hasher);
    kin_hasher_add(&hasher, head, sizeof head);
    kin_hasher_add(&hasher, array->data, array_bytes(array));
    return kin_hasher_end(&hasher);
}

bool kin_capture_keep(kin_capture* capture, kin_array** arrays, uint32_t* count)
{
    const kin_layer* layer = &capture->layers[capture->layer_count - 1];
    kin_array* kept = capture->failed ? NULL : kin_alloc_zero(&capture->allocator, layer->array_count * sizeof *kept);
    if (kept == NULL) return false;
    for (uint32_t i = 0; i < layer->array_count; ++i) {
        kept[i] = layer->arrays[i];
        kept[i].hash = array_hash(&kept[i]);
        void* data = kin_alloc(&capture->allocator, array_bytes(&kept[i]));
        kept[i].data = data;
        if (data == NULL) {
            kin_capture_free_kept(&capture->allocator, kept, layer->array_count);
            return false;
        }
        memcpy(data, layer->arrays[i].data, array_bytes(&kept[i]));
    }
    *arrays = kept;
    *count = layer->array_count;
    return true;
}

void kin_capture_add_kept(kin_capture* capture, const kin_array* arrays, uint32_t count)
{
    if (capture->failed) return;
    kin_layer* layer = &capture->layers[capture->layer_count - 1];
    KIN_ASSERT(layer->array_count + count <= MAX_ARRAYS);
    memcpy((kin_array*)layer->arrays + layer->array_count, arrays, count * sizeof *arrays);
    layer->array_count += count;
}

void kin_capture_free_kept(const kin_allocator* allocator, kin_array* arrays, uint32_t count)
{
    for (uint32_t i = 0; arrays != NULL && i < count; ++i) kin_free(allocator, (void*)arrays[i].data, array_bytes(&arrays[i]));
    kin_free(allocator, arrays, count * sizeof *arrays);
}

const kin_frame* kin_capture_end(kin_capture* capture)
{
    if (capture->failed) return NULL;
    for (size_t i = 0; i < capture->layer_count; ++i) {
        kin_array* arrays = (kin_array*)capture->layers[i].arrays;
        for (uint32_t k = 0; k < capture->layers[i].array_count; ++k) {
            if (arrays[k].hash == 0) arrays[k].hash = array_hash(&arrays[k]); /* kept ones have theirs */
        }
    }
    capture->frame.layers = capture->layers;
    capture->frame.layer_count = (uint32_t)capture->layer_count;
    return &capture->frame;
}

const kin_array* kin_layer_array(const kin_layer* layer, const char* name)
{
    for (uint32_t i = 0; i < layer->array_count; ++i) {
        if (strcmp(layer->arrays[i].name, name) == 0) return &layer->arrays[i];
    }
    return NULL;
}

const kin_layer* kin_frame_layer(const kin_frame* frame, const char* name)
{
    for (uint32_t i = 0; i < frame->layer_count; ++i) {
        if (strcmp(frame->layers[i].name, name) == 0) return &frame->layers[i];
    }
    return NULL;
}

static void put(float* out, size_t row, kin_vec3 v)
{
    out[3 * row] = (float)v.x;
    out[3 * row + 1] = (float)v.y;
    out[3 * row + 2] = (float)v.z;
}

/* A sphere cut at its equator, the halves a length apart along y: a capsule; length 0: a sphere. */
void kin_capture_capsule_mesh(kin_capture* capture, double radius, double length)
{
    enum { SECTORS = 64, RINGS = 34, ROW = SECTORS + 1 }; /* RINGS is even; the equator stands twice */
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, RINGS * ROW);
    float* normals = kin_capture_array(capture, "normal", KIN_F32, 3, RINGS * ROW);
    uint32_t* triangles = kin_capture_array(capture, "triangle", KIN_U32, 3, 2 * (RINGS - 1) * SECTORS);
    if (triangles == NULL) return;
    for (int ring = 0; ring < RINGS; ++ring) {
        int half = ring < RINGS / 2;
        double polar = KIN_PI * (half ? ring : ring - 1) / (RINGS - 2);
        for (int sector = 0; sector < ROW; ++sector) {
            double turn = 2 * KIN_PI * sector / SECTORS;
            kin_vec3 n = {kin_sin(polar) * kin_cos(turn), kin_cos(polar), -kin_sin(polar) * kin_sin(turn)};
            put(normals, (size_t)(ring * ROW + sector), n);
            put(positions, (size_t)(ring * ROW + sector), kin_add(kin_scale(n, radius), kin_v(0, half ? length / 2 : -length / 2, 0)));
        }
    }
    for (uint32_t ring = 0; ring + 1 < RINGS; ++ring) {
        for (uint32_t sector = 0; sector < SECTORS; ++sector) {
            uint32_t a = ring * ROW + sector, b = a + 1, c = a + ROW, d = c + 1;
            memcpy(triangles, (uint32_t[6]){a, c, d, a, d, b}, 6 * sizeof *triangles);
            triangles += 6;
        }
    }
}

void kin_capture_sphere_mesh(kin_capture* capture, double radius) { kin_capture_capsule_mesh(capture, radius, 0); }

/* Four corners a face, so that faces stay flat. */
void kin_capture_box_mesh(kin_capture* capture, kin_vec3 size)
{
    float* positions = kin_capture_array(capture, "position", KIN_F32, 3, 24);
    float* normals = kin_capture_array(capture, "normal", KIN_F32, 3, 24);
    uint32_t* triangles = kin_capture_array(capture, "triangle", KIN_U32, 3, 12);
    if (triangles == NULL) return;
    for (uint32_t face = 0; face < 6; ++face) {
        uint32_t axis = face / 2;
        double side = face % 2 == 0 ? 0.5 : -0.5;
        double h[3] = {size.x, size.y, size.z};
        for (uint32_t corner = 0; corner < 4; ++corner) {
            double p[3] = {0}, n[3] = {0};
            p[axis] = side * h[axis];
            p[(axis + 1) % 3] = (corner == 1 || corner == 2 ? 0.5 : -0.5) * h[(axis + 1) % 3];
            p[(axis + 2) % 3] = (corner >= 2 ? 0.5 : -0.5) * h[(axis + 2) % 3];
            n[axis] = 2 * side;
            put(positions, face * 4 + corner, kin_v(p[0], p[1], p[2]));
            put(normals, face * 4 + corner, kin_v(n[0], n[1], n[2]));
        }
        uint32_t a = face * 4, flip = side < 0;
        memcpy(triangles + 6 * face, flip ? (uint32_t[6]){a, a + 2, a + 1, a, a + 3, a + 2} : (uint32_t[6]){a, a + 1, a + 2, a, a + 2, a + 3},
               6 * sizeof *triangles);
    }
}
