/* fuzz.h - what fuzz targets share: the entry, the check that aborts, and numbers from bytes. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#define FUZZ_CHECK(condition) ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

/* Bytes handed out one after the other; zeros at the end. */
typedef struct fuzz_bytes {
    const uint8_t* data;
    size_t left;
} fuzz_bytes;

static inline uint8_t fuzz_byte(fuzz_bytes* b)
{
    if (b->left == 0) return 0;
    --b->left;
    return *b->data++;
}

/* Good inputs that mutations start from: a seeded target has them. Writes seed `number` and returns its size, at most room; 0: there is none. */
size_t fuzz_seed(uint32_t number, uint8_t* out, size_t room);

static inline size_t fuzz_seed_text(const char* const* texts, uint32_t count, uint32_t number, uint8_t* out, size_t room)
{
    size_t size = number < count ? strlen(texts[number]) : 0;
    if (size > room) size = room;
    if (size > 0) memcpy(out, texts[number], size);
    return size;
}
