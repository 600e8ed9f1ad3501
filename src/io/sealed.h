/* sealed.h - a binary file that is either whole or refused: magic, version, sizes, zstd bytes, and a checksum (XXH3) over all that stands before it.
 *
 *     magic 8 | version u32 | 0 u32 | size u64 | packed size u64 | packed bytes | checksum u64        little-endian */
#pragma once
#include "kinema/base.h"

typedef struct kin_seal {
    const char* magic; /* 8 characters */
    uint32_t version;
    const char* what; /* "a frame", for messages */
} kin_seal;

kin_result kin_sealed_write(const kin_allocator* allocator, const char* path, const kin_seal* seal, const void* data, size_t size, kin_error* error);
/* *data is released with kin_free(allocator, data, size). The size that a file declares is held against this machine's memory before it is believed. */
kin_result kin_sealed_read(const kin_allocator* allocator, const char* path, const kin_seal* seal, uint8_t** data, size_t* size, kin_error* error);
