/* seeded.c - for libFuzzer: now and then a target's own seed takes the place of what is mutated, so that no folder of good files is needed. */
#include "fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed)
{
    if (seed % 1024 < 4) {
        size_t fresh = fuzz_seed(seed % 4, data, max_size);
        if (fresh > 0) size = fresh;
    }
    return LLVMFuzzerMutate(data, size, max_size);
}
