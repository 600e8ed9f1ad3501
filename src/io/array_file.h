/* array_file.h - an array that several frames share, in a file of its own, named by its hash: arrays/0123456789abcdef.ka */
#pragma once
#include "kinema/frame.h"

/* Written once: a good file of this array that is already there is kept. */
kin_result kin_array_file_write(const kin_allocator* allocator, const char* folder, const kin_array* array, kin_error* error);
/* The data of an array whose type, shape and hash are known. Released with kin_free(allocator, memory, memory_size). */
typedef struct kin_array_memory {
    uint8_t* memory;
    size_t memory_size;
    const void* data; /* in memory */
} kin_array_memory;
kin_result kin_array_file_read(const kin_allocator* allocator, const char* folder, const kin_array* array, kin_array_memory* out, kin_error* error);
bool kin_array_file_named(void* context, const char* name); /* a kin_name_fn; context is not used */
