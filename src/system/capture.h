/* capture.h - building a frame: layers of named arrays. Buffers are kept between captures. */
#pragma once
#include "base/arena.h"
#include "base/jobs.h"
#include "kinema/frame.h"

typedef struct kin_capture {
    kin_allocator allocator;
    kin_arena arena; /* reset at each begin */
    kin_frame frame;
    kin_layer* layers;
    size_t layer_capacity, layer_count;
    bool failed;    /* out of memory */
    kin_jobs* jobs; /* for what takes long to make; set by the owner */
} kin_capture;

void kin_capture_init(kin_capture* capture, const kin_allocator* allocator);
void kin_capture_term(kin_capture* capture);
void kin_capture_begin(kin_capture* capture, uint64_t index, double time, double interval, kin_vec3 origin);
/* Later arrays belong to this layer. */
void kin_capture_layer(kin_capture* capture, const char* name, kin_layer_kind kind, const kin_look* look);
/* Room for the rows, for the caller to fill before the next call; NULL when memory is out (the capture is then failed). At most 24 arrays a layer. */
void* kin_capture_array(kin_capture* capture, const char* name, kin_array_type type, uint32_t width, uint64_t count);
/* Copies the present layer's arrays, hashed, to memory of their own: for what never changes. False: out of memory. */
bool kin_capture_keep(kin_capture* capture, kin_array** arrays, uint32_t* count);
void kin_capture_add_kept(kin_capture* capture, const kin_array* arrays, uint32_t count); /* to the present layer, by reference */
void kin_capture_free_kept(const kin_allocator* allocator, kin_array* arrays, uint32_t count);
/* Hashes the arrays. NULL when it failed. */
const kin_frame* kin_capture_end(kin_capture* capture);
