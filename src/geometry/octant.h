/* octant.h - runs of equal octants among sorted interleaved keys, for whoever splits a cloud into eights. */
#pragma once
#include "kinema/base.h"

/* Of keys that rise: the end of those that share the first one's bits from shift on. */
static inline uint32_t kin_octant_end(const uint64_t* keys, uint32_t begin, uint32_t end, uint32_t shift)
{
    uint64_t octant = keys[begin] >> shift;
    uint32_t low = begin + 1, high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (keys[middle] >> shift == octant)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
