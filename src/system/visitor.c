/* visitor.c - the three modes of the state walk. */
#include "system/visitor.h"
#include "base/alloc.h"
#include <string.h>

static void save_bytes(kin_visitor* v, const void* data, size_t size)
{
    if (!kin_reserve(&v->allocator, (void**)&v->data, &v->capacity, v->size + size, 1)) {
        v->result = KIN_ERROR_MEMORY;
        return;
    }
    memcpy(v->data + v->size, data, size);
    v->size += size;
}

static void load_bytes(kin_visitor* v, void* data, size_t size)
{
    if (size > v->size - v->position) {
        v->result = KIN_ERROR_FORMAT;
        return;
    }
    memcpy(data, v->data + v->position, size);
    v->position += size;
}

void kin_visit_bytes(kin_visitor* v, void* data, size_t size)
{
    if (v->result != KIN_OK || size == 0) return;
    switch (v->mode) {
    case KIN_VISIT_SAVE: save_bytes(v, data, size); break;
    case KIN_VISIT_LOAD: load_bytes(v, data, size); break;
    case KIN_VISIT_HASH: kin_hasher_add(&v->hasher, data, size); break;
    }
}

size_t kin_visit_count(kin_visitor* v, size_t count)
{
    uint64_t stored = count;
    kin_visit_u64(v, &stored);
    if (v->result != KIN_OK) return 0;
    if (v->mode == KIN_VISIT_LOAD && stored > v->size - v->position) {
        v->result = KIN_ERROR_FORMAT;
        return 0;
    }
    return (size_t)stored;
}

void kin_visit_fail(kin_visitor* v, kin_result result)
{
    if (v->result == KIN_OK) v->result = result;
}
