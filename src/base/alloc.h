/* alloc.h - memory through the caller's allocator. Every block is handed back with its size. */
#pragma once
#include "kinema/base.h"

#define KIN_ALIGNMENT 64 /* a cache line, and the widest lane we build for */

/* Aligned to KIN_ALIGNMENT, not cleared. NULL on failure; size 0 gives NULL without asking. */
void* kin_alloc(const kin_allocator* allocator, size_t size);
void* kin_alloc_zero(const kin_allocator* allocator, size_t size);
void kin_free(const kin_allocator* allocator, void* memory, size_t size); /* memory may be NULL */
/* count * size, or SIZE_MAX when that does not fit: allocation then fails by itself. */
size_t kin_bytes(size_t count, size_t size);
/* Memory this process may still take, from the system and its cgroup; SIZE_MAX when unknown. */
size_t kin_memory_available(void);
size_t kin_memory_available_at(const char* root); /* the same with root before every system path: for tests */

/* A growable array: T* data with its count and capacity kept by the owner. Grows by half, keeps contents.
 * On failure nothing changes. Usage: if (!kin_reserve(a, (void**)&p->x, &p->capacity, n, sizeof *p->x)) return out_of_memory; */
bool kin_reserve(const kin_allocator* allocator, void** data, size_t* capacity, size_t count, size_t element_size);
/* The same, but grows by a sixteenth: for what makes up most of the memory. */
bool kin_reserve_tight(const kin_allocator* allocator, void** data, size_t* capacity, size_t count, size_t element_size);
