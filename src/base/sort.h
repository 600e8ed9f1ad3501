/* sort.h - our own stable sorts: the same order on every libc. */
#pragma once
#include "kinema/base.h"

/* Sorts keys ascending and carries values along; stable. scratch_* hold count elements each. values and scratch_values NULL: keys alone. */
void kin_sort_keys(uint64_t* keys, uint32_t* values, uint64_t* scratch_keys, uint32_t* scratch_values, size_t count);
/* Stable merge sort of any elements; scratch holds count * size bytes. less(context, a, b) is a strict order. */
typedef bool kin_less_fn(void* context, const void* a, const void* b);
void kin_sort(void* data, void* scratch, size_t count, size_t size, kin_less_fn* less, void* context);
