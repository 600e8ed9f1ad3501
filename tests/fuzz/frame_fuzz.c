/* frame_fuzz.c - frames whose seal holds, with anything in them: refused with a reason, or every array can be read to its end. */
#include "base/alloc.h"
#include "fuzz/fuzz.h"
#include "io/frame_check.h"
#include "io/frame_code.h"
#include "system/capture.h"

static void fill(kin_capture* c, const char* name, kin_array_type type, uint32_t width, uint64_t count)
{
    uint8_t* data = kin_capture_array(c, name, type, width, count);
    FUZZ_CHECK(data != NULL);
    memset(data, 0, count * width * (type == KIN_U64 ? 8 : 4));
}

/* A few rows of every kind of layer. */
static void capture_all(kin_capture* c)
{
    kin_capture_begin(c, 1, 0.5, 0.1, (kin_vec3){1, 2, 3});
    kin_capture_layer(c, "dots", KIN_LAYER_POINTS, &(kin_look){.surface = KIN_SURFACE_GLOSSY});
    fill(c, "position", KIN_F32, 3, 3), fill(c, "radius", KIN_F32, 1, 3), fill(c, "id", KIN_U64, 1, 3);
    kin_capture_layer(c, "mesh", KIN_LAYER_MESH, &(kin_look){.surface = KIN_SURFACE_METAL});
    fill(c, "position", KIN_F32, 3, 4), fill(c, "triangle", KIN_U32, 3, 2), fill(c, "pose", KIN_F32, 7, 2), fill(c, "pose_end", KIN_F32, 7, 2);
    kin_capture_layer(c, "lines", KIN_LAYER_LINES, &(kin_look){0});
    fill(c, "position", KIN_F32, 3, 3), fill(c, "line", KIN_U32, 2, 2);
    kin_capture_layer(c, "floor", KIN_LAYER_PLANE, &(kin_look){0});
    fill(c, "position", KIN_F32, 3, 1), fill(c, "normal", KIN_F32, 3, 1);
    kin_capture_layer(c, "puffs", KIN_LAYER_SPRITES, &(kin_look){0});
    fill(c, "position", KIN_F32, 3, 2), fill(c, "radius", KIN_F32, 1, 2);
    kin_capture_layer(c, "smoke", KIN_LAYER_VOLUME, &(kin_look){0});
    uint32_t* dims = kin_capture_array(c, "dims", KIN_U32, 3, 1);
    FUZZ_CHECK(dims != NULL);
    dims[0] = 2, dims[1] = 2, dims[2] = 1;
    fill(c, "box", KIN_F32, 3, 2), fill(c, "density", KIN_F32, 1, 4);
}

size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room)
{
    if (number > 0) return 0;
    kin_allocator allocator = kin_allocator_default();
    kin_capture capture;
    kin_frame_bytes bytes = {0};
    const bool here[64] = {false};
    kin_capture_init(&capture, &allocator);
    capture_all(&capture);
    const kin_frame* frame = kin_capture_end(&capture);
    FUZZ_CHECK(frame != NULL && kin_frame_encode(&allocator, frame, here, &bytes, NULL) == KIN_OK);
    size_t size = bytes.size < room ? bytes.size : room;
    memcpy(out, bytes.data, size);
    kin_free(&allocator, bytes.data, bytes.capacity);
    kin_capture_term(&capture);
    return size;
}

/* Reads all there is. */
static uint64_t sum_of(const kin_frame* frame)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < frame->layer_count; ++i) {
        for (uint32_t k = 0; k < frame->layers[i].array_count; ++k) {
            const kin_array* a = &frame->layers[i].arrays[k];
            const uint8_t* data = a->data;
            for (size_t n = 0; data != NULL && n < kin_array_size(a); ++n) sum += data[n];
        }
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static volatile uint64_t total;
    kin_allocator allocator = kin_allocator_default();
    kin_arena arena;
    kin_frame frame;
    kin_error error = {0};
    uint8_t* aligned = kin_alloc(&allocator, size + 1); /* as files are unpacked */
    FUZZ_CHECK(aligned != NULL);
    if (size > 0) memcpy(aligned, data, size);
    kin_arena_init(&arena, &allocator);
    bool good = kin_frame_decode(&arena, aligned, size, "fuzz", &frame, &error) == KIN_OK;
    for (uint32_t i = 0; good && i < frame.layer_count; ++i) { /* kept elsewhere: the cache would look for them by hash */
        for (uint32_t k = 0; k < frame.layers[i].array_count; ++k) good = good && frame.layers[i].arrays[k].data != NULL;
    }
    if (good && kin_frame_check(&frame, "fuzz", &error) == KIN_OK) total += sum_of(&frame);
    FUZZ_CHECK(good || error.message[0] != '\0' || size > 0);
    kin_arena_term(&arena);
    kin_free(&allocator, aligned, size + 1);
    return 0;
}
