/* export_xyz.c - an exporter: positions alone, a block a frame. */
#include "export_xyz.h"
#include "io/file.h"
#include <inttypes.h>

static void put_layer(FILE* stream, const kin_frame* frame, const kin_layer* layer)
{
    const kin_array* position = kin_layer_array(layer, "position");
    const float* x = position->data;
    for (uint64_t i = 0; i < position->count; ++i) {
        fprintf(stream, "%.9g %.9g %.9g\n", frame->origin.x + (double)x[3 * i], frame->origin.y + (double)x[3 * i + 1], frame->origin.z + (double)x[3 * i + 2]);
    }
}

static kin_result put_frames(kin_cache* cache, FILE* stream, kin_error* error)
{
    for (uint64_t index = 0; index < kin_cache_frame_count(cache) && !ferror(stream); ++index) {
        const kin_frame* frame;
        kin_result result = kin_cache_read(cache, index, &frame, error);
        if (result != KIN_OK) return result;
        fprintf(stream, "frame %" PRIu64 "\n", index);
        for (uint32_t i = 0; i < frame->layer_count; ++i) {
            if (frame->layers[i].kind == KIN_LAYER_POINTS) put_layer(stream, frame, &frame->layers[i]);
        }
    }
    return KIN_OK;
}

/* Written beside and renamed: on any failure nothing stays under the real name. */
kin_result kin_export_xyz(kin_cache* cache, const char* path, kin_error* error)
{
    kin_file_out out;
    kin_result result = kin_file_begin(&out, path, error);
    if (result != KIN_OK) return result;
    result = put_frames(cache, out.stream, error);
    kin_result ended = kin_file_end(&out, result == KIN_OK, error);
    return result != KIN_OK ? result : ended;
}
