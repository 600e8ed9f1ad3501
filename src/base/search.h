/* search.h - places among what rises: binary searches. */
#pragma once
#include "kinema/base.h"

/* Whether the element at a place comes before what is looked for: true up to some place, false from there on. */
typedef bool kin_before_fn(const void* list, size_t place, const void* key);

/* How many of count elements come before the key: the place of the first that does not, or count. Inline, so that `before` is too. */
static inline size_t kin_search(const void* list, size_t count, kin_before_fn* before, const void* key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (before(list, middle, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline bool kin_before_u32(const void* list, size_t place, const void* key) { return ((const uint32_t*)list)[place] < *(const uint32_t*)key; }
static inline bool kin_before_u64(const void* list, size_t place, const void* key) { return ((const uint64_t*)list)[place] < *(const uint64_t*)key; }

/* The first of rising numbers that is not below the key. */
static inline size_t kin_search_u32(const uint32_t* rising, size_t count, uint32_t key) { return kin_search(rising, count, kin_before_u32, &key); }
static inline size_t kin_search_u64(const uint64_t* rising, size_t count, uint64_t key) { return kin_search(rising, count, kin_before_u64, &key); }

static inline bool kin_not_above(const void* list, size_t place, const void* key) { return ((const double*)list)[place] <= *(const double*)key; }

/* The part of rising sums that a share of the last falls into: the first sum beyond it, at most the last. count > 0. */
static inline size_t kin_search_sums(const double* sums, size_t count, double share) { return kin_search(sums, count - 1, kin_not_above, &share); }
