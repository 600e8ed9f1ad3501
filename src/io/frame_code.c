/* frame_code.c - one walk over the fields of a frame serves both ways, as it does for state. */
#include "io/frame_code.h"
#include "base/alloc.h"
#include "base/error.h"
#include "io/frame_check.h"
#include "system/visitor.h"
#include <string.h>

enum {
    LAYER_SIZE = 64 + 4 + 4 + 17 * 4 + 4, /* bytes in the file: a count of layers that the file cannot hold is refused before room is taken */
    ARRAY_SIZE = 24 + 4 + 4 + 8 + 8 + 4,
};

/* ---- the walk ---- */

static uint32_t visit_enum(kin_visitor* v, uint32_t value)
{
    kin_visit_u32(v, &value);
    return value;
}

static void visit_floats(kin_visitor* v, float* x, size_t n) { kin_visit_bytes(v, x, n * sizeof *x); }

/* What stands behind the terminator is not part of a name: it is written as zeros. A name without one is left empty. */
static void visit_name(kin_visitor* v, char* name, size_t size)
{
    char text[64] = {0};
    if (v->mode == KIN_VISIT_SAVE) memcpy(text, name, strnlen(name, size - 1));
    kin_visit_bytes(v, text, size);
    if (v->mode == KIN_VISIT_LOAD && text[size - 1] == 0) memcpy(name, text, size);
}

static void visit_view(kin_visitor* v, kin_camera* camera, kin_light* light)
{
    kin_visit_vec3(v, &camera->eye);
    kin_visit_vec3(v, &camera->target);
    kin_visit_vec3(v, &camera->up);
    kin_visit_f64(v, &camera->field_of_view);
    kin_visit_f64(v, &camera->aperture);
    kin_visit_f64(v, &camera->shutter);
    kin_visit_vec3(v, &light->sun_direction);
    kin_visit_f64(v, &light->sun_angle);
    visit_floats(v, light->sun, 3);
    visit_floats(v, light->sky, 3);
    visit_floats(v, light->horizon, 3);
    kin_visit_f64(v, &light->exposure);
    kin_visit_f64(v, &light->clouds);
}

static void visit_frame(kin_visitor* v, kin_frame* frame)
{
    kin_visit_u64(v, &frame->index);
    kin_visit_f64(v, &frame->time);
    kin_visit_f64(v, &frame->interval);
    kin_visit_vec3(v, &frame->origin);
    visit_view(v, &frame->camera, &frame->light);
    kin_visit_u32(v, &frame->layer_count);
}

static void visit_layer(kin_visitor* v, kin_layer* layer)
{
    visit_name(v, layer->name, sizeof layer->name);
    layer->kind = (kin_layer_kind)visit_enum(v, (uint32_t)layer->kind);
    layer->look.surface = (kin_surface)visit_enum(v, (uint32_t)layer->look.surface);
    visit_floats(v, layer->look.color, 3);
    visit_floats(v, &layer->look.roughness, 1);
    visit_floats(v, &layer->look.glow, 1);
    visit_floats(v, &layer->look.streak, 1);
    visit_floats(v, &layer->look.min_width, 1);
    visit_floats(v, &layer->look.fade_length, 1);
    visit_floats(v, &layer->look.fade_start, 1);
    visit_floats(v, &layer->look.extinction, 1);
    visit_floats(v, &layer->look.anisotropy, 1);
    visit_floats(v, &layer->look.ior, 1);
    visit_floats(v, layer->look.absorption, 3);
    layer->look.pattern = (kin_surface_pattern)visit_enum(v, (uint32_t)layer->look.pattern);
    visit_floats(v, &layer->look.pattern_size, 1);
    kin_visit_u32(v, &layer->array_count);
}

static void visit_array(kin_visitor* v, kin_array* array, uint32_t* elsewhere)
{
    visit_name(v, array->name, sizeof array->name);
    array->type = (kin_array_type)visit_enum(v, (uint32_t)array->type);
    kin_visit_u32(v, &array->width);
    kin_visit_u64(v, &array->count);
    kin_visit_u64(v, &array->hash);
    kin_visit_u32(v, elsewhere);
}

/* ---- to bytes ---- */

static void save_tables(kin_visitor* v, const kin_frame* frame, const bool* elsewhere)
{
    kin_frame head = *frame;
    visit_frame(v, &head);
    size_t flat = 0;
    for (uint32_t i = 0; i < frame->layer_count; ++i) {
        kin_layer layer = frame->layers[i];
        visit_layer(v, &layer);
        for (uint32_t k = 0; k < layer.array_count; ++k) {
            kin_array array = layer.arrays[k];
            uint32_t away = elsewhere[flat++];
            visit_array(v, &array, &away);
        }
    }
}

static size_t padding(size_t position) { return (KIN_ALIGNMENT - position % KIN_ALIGNMENT) % KIN_ALIGNMENT; }

static void save_data(kin_visitor* v, const kin_array* array)
{
    uint8_t zeros[KIN_ALIGNMENT] = {0};
    kin_visit_bytes(v, zeros, padding(v->size));
    kin_visit_bytes(v, (void*)array->data, kin_array_size(array));
}

kin_result kin_frame_encode(const kin_allocator* allocator, const kin_frame* frame, const bool* elsewhere, kin_frame_bytes* out, kin_error* error)
{
    kin_visitor v = {.mode = KIN_VISIT_SAVE, .allocator = *allocator, .data = out->data, .capacity = out->capacity};
    save_tables(&v, frame, elsewhere);
    size_t flat = 0;
    for (uint32_t i = 0; i < frame->layer_count; ++i) {
        for (uint32_t k = 0; k < frame->layers[i].array_count; ++k) {
            if (!elsewhere[flat++]) save_data(&v, &frame->layers[i].arrays[k]);
        }
    }
    *out = (kin_frame_bytes){v.data, v.size, v.capacity};
    return v.result == KIN_OK ? KIN_OK : kin_fail_memory(error, "a frame", v.size);
}

/* ---- from bytes ---- */

static size_t bytes_left(const kin_visitor* v) { return v->size - v->position; }

static kin_array* load_arrays(kin_visitor* v, kin_arena* arena, uint32_t count)
{
    if (count > bytes_left(v) / ARRAY_SIZE) {
        kin_visit_fail(v, KIN_ERROR_FORMAT);
        return NULL;
    }
    kin_array* arrays = kin_arena_take(arena, ((size_t)count + 1) * sizeof *arrays);
    if (arrays == NULL) kin_visit_fail(v, KIN_ERROR_MEMORY);
    for (uint32_t k = 0; k < count && v->result == KIN_OK; ++k) {
        uint32_t elsewhere = 0;
        arrays[k] = (kin_array){0};
        visit_array(v, &arrays[k], &elsewhere);
        if (elsewhere > 1) kin_visit_fail(v, KIN_ERROR_FORMAT);
        arrays[k].data = elsewhere == 1 ? NULL : v->data; /* its place comes with load_data */
    }
    return arrays;
}

static kin_layer* load_layers(kin_visitor* v, kin_arena* arena, uint32_t count)
{
    if (count > bytes_left(v) / LAYER_SIZE) {
        kin_visit_fail(v, KIN_ERROR_FORMAT);
        return NULL;
    }
    kin_layer* layers = kin_arena_take(arena, ((size_t)count + 1) * sizeof *layers);
    if (layers == NULL) kin_visit_fail(v, KIN_ERROR_MEMORY);
    for (uint32_t i = 0; i < count && v->result == KIN_OK; ++i) {
        layers[i] = (kin_layer){0};
        visit_layer(v, &layers[i]);
        if (v->result == KIN_OK) layers[i].arrays = load_arrays(v, arena, layers[i].array_count);
    }
    return layers;
}

static void load_data(kin_visitor* v, kin_array* array)
{
    size_t skipped = padding(v->position);
    size_t size = kin_array_size(array);
    if (skipped > bytes_left(v) || size > bytes_left(v) - skipped) {
        kin_visit_fail(v, KIN_ERROR_FORMAT);
        return;
    }
    array->data = v->data + v->position + skipped;
    v->position += skipped + size;
}

static void load_frame(kin_visitor* v, kin_arena* arena, kin_frame* frame)
{
    visit_frame(v, frame);
    if (v->result != KIN_OK) return;
    kin_layer* layers = load_layers(v, arena, frame->layer_count);
    for (uint32_t i = 0; i < frame->layer_count && v->result == KIN_OK; ++i) {
        kin_array* arrays = (kin_array*)layers[i].arrays;
        for (uint32_t k = 0; k < layers[i].array_count && v->result == KIN_OK; ++k) {
            if (arrays[k].data != NULL) load_data(v, &arrays[k]);
        }
    }
    if (bytes_left(v) != 0) kin_visit_fail(v, KIN_ERROR_FORMAT);
    frame->layers = layers;
}

kin_result kin_frame_decode(kin_arena* arena, const uint8_t* bytes, size_t size, const char* where, kin_frame* out, kin_error* error)
{
    kin_visitor v = {.mode = KIN_VISIT_LOAD, .data = (uint8_t*)bytes, .size = size};
    *out = (kin_frame){0};
    load_frame(&v, arena, out);
    if (v.result == KIN_ERROR_MEMORY) return kin_fail_memory(error, "a frame", size);
    if (v.result != KIN_OK) return kin_fail(error, KIN_ERROR_FORMAT, where, "the frame does not fit its own table");
    return KIN_OK;
}
