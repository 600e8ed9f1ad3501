/* capture.c - building a frame. */
#include "system/capture.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "math/vec3.h"
#include <stdio.h>
#include <string.h>

#define MAX_ARRAYS 24

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
