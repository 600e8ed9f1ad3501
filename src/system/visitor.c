/* visitor.c - the three modes of the state walk. */
#include "system/visitor.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "math/scalar.h"
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

static bool is_loaded(const kin_visitor* v) { return v->mode == KIN_VISIT_LOAD && v->result == KIN_OK; }

void kin_visit_f64s(kin_visitor* v, double* x, size_t n)
{
    bool sound = true;
    kin_visit_bytes(v, x, n * sizeof *x);
    if (!is_loaded(v)) return;
    for (size_t i = 0; i < n; ++i) sound = sound && kin_finite(x[i]);
    if (!sound) kin_visit_fail(v, KIN_ERROR_FORMAT);
}

void kin_visit_f32s(kin_visitor* v, float* x, size_t n)
{
    bool sound = true;
    kin_visit_bytes(v, x, n * sizeof *x);
    if (!is_loaded(v)) return;
    for (size_t i = 0; i < n; ++i) sound = sound && kin_finite((double)x[i]);
    if (!sound) kin_visit_fail(v, KIN_ERROR_FORMAT);
}

void kin_visit_quat(kin_visitor* v, kin_quat* x)
{
    kin_visit_f64s(v, &x->x, 4);
    double length2 = x->x * x->x + x->y * x->y + x->z * x->z + x->w * x->w;
    if (is_loaded(v) && !(length2 > 0.5 && length2 < 2)) kin_visit_fail(v, KIN_ERROR_FORMAT); /* unit, but for round-off */
}

static bool is_less(void* context, const void* a, const void* b)
{
    (void)context;
    return *(const uint64_t*)a < *(const uint64_t*)b;
}

void kin_visit_serials(kin_visitor* v, uint64_t* x, size_t n)
{
    bool rising = true, sound = true;
    kin_visit_u64s(v, x, n);
    if (!is_loaded(v)) return;
    for (size_t i = 1; rising && i < n; ++i) rising = x[i] > x[i - 1];
    if (rising) return;
    uint64_t* sorted = kin_alloc(&v->allocator, kin_bytes(2 * n, sizeof *sorted));
    if (sorted == NULL) {
        kin_visit_fail(v, KIN_ERROR_MEMORY);
        return;
    }
    memcpy(sorted, x, n * sizeof *x);
    kin_sort(sorted, sorted + n, n, sizeof *sorted, is_less, NULL);
    for (size_t i = 1; i < n; ++i) sound = sound && sorted[i] > sorted[i - 1];
    kin_free(&v->allocator, sorted, kin_bytes(2 * n, sizeof *sorted));
    if (!sound) kin_visit_fail(v, KIN_ERROR_FORMAT);
}

#define VISIT_BELOW(name, type)                                                                                                                                \
    void name(kin_visitor* v, type* x, size_t n, uint64_t limit)                                                                                               \
    {                                                                                                                                                          \
        bool sound = true;                                                                                                                                     \
        kin_visit_bytes(v, x, n * sizeof *x);                                                                                                                  \
        if (!is_loaded(v)) return;                                                                                                                             \
        for (size_t i = 0; i < n; ++i) sound = sound && x[i] < limit;                                                                                          \
        if (!sound) kin_visit_fail(v, KIN_ERROR_FORMAT);                                                                                                       \
    }
VISIT_BELOW(kin_visit_u8s_below, uint8_t)
VISIT_BELOW(kin_visit_u16s_below, uint16_t)
VISIT_BELOW(kin_visit_u32s_below, uint32_t)

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
