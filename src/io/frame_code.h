/* frame_code.h - a frame to bytes and back. First the frame, its layers and the table of their arrays, then the arrays' data, each at a multiple of
 * 64 bytes, so that a decoded frame can point into the bytes. An array that is kept elsewhere has its row in the table and no data. */
#pragma once
#include "base/arena.h"
#include "kinema/frame.h"

typedef struct kin_frame_bytes {
    uint8_t* data;
    size_t size, capacity;
} kin_frame_bytes;

/* elsewhere: one flag per array, in the order of layers and arrays. out: {0}, or one used before. */
kin_result kin_frame_encode(const kin_allocator* allocator, const kin_frame* frame, const bool* elsewhere, kin_frame_bytes* out, kin_error* error);
/* Layers and arrays come from the arena; data points into bytes, and is NULL for arrays kept elsewhere. Names are terminated, counts held against the
 * bytes there are; what the arrays mean is for kin_frame_check, once all data is there. */
kin_result kin_frame_decode(kin_arena* arena, const uint8_t* bytes, size_t size, const char* where, kin_frame* out, kin_error* error);
