/* hash.h - 64 bit hashes (XXH3). The state hash is one stream over every field that is state. */
#pragma once
#include "kinema/base.h"

uint64_t kin_hash(const void* bytes, size_t size);

typedef struct kin_hasher {
    unsigned char opaque[640] __attribute__((aligned(64))); /* an XXH3 state, checked at compile time; bytes, so that copies alias it */
} kin_hasher;
void kin_hasher_begin(kin_hasher* hasher);
void kin_hasher_add(kin_hasher* hasher, const void* bytes, size_t size);
uint64_t kin_hasher_end(const kin_hasher* hasher); /* changes nothing: adding may go on */
