/* sparse.c - two stable counting sorts, by column and then by row, put triplets in order; neighbours at the same place are added. */
#include "numerics/sparse.h"
#include "base/alloc.h"
#include "base/error.h"
#include <limits.h>
#include <string.h>

static bool grow(kin_triplets* t)
{
    int capacity = t->capacity <= INT_MAX / 4 ? 2 * t->capacity + 64 : 0;
    kin_triplet* items = capacity > 0 ? kin_arena_take(t->arena, kin_bytes((size_t)capacity, sizeof *items)) : NULL;
    if (items == NULL) return false;
    if (t->count > 0) memcpy(items, t->items, (size_t)t->count * sizeof *items);
    t->items = items;
    t->capacity = capacity;
    return true;
}

void kin_triplets_add(kin_triplets* triplets, int row, int column, double value)
{
    if (triplets->count == triplets->capacity && !triplets->failed) triplets->failed = !grow(triplets);
    if (triplets->failed) return;
    triplets->items[triplets->count++] = (kin_triplet){row, column, value};
}

void kin_triplets_add_block(kin_triplets* triplets, int row, int column, const double block[9])
{
    for (int i = 0; i < 9; ++i) kin_triplets_add(triplets, row + i / 3, column + i % 3, block[i]);
}

static int key_of(const kin_triplet* t, bool by_row) { return by_row ? t->row : t->column; }

/* places: size + 1 numbers. Equal keys keep their order. */
static void sort_by(bool by_row, int count, const kin_triplet* from, kin_triplet* to, int size, int* places)
{
    memset(places, 0, ((size_t)size + 1) * sizeof *places);
    for (int i = 0; i < count; ++i) ++places[key_of(&from[i], by_row) + 1];
    for (int k = 0; k < size; ++k) places[k + 1] += places[k];
    for (int i = 0; i < count; ++i) to[places[key_of(&from[i], by_row)]++] = from[i];
}

/* Of triplets in order. */
static void pack(int count, const kin_triplet* items, kin_sparse* out)
{
    int filled = 0, row = 0;
    out->begin[0] = 0;
    for (int i = 0; i < count; ++i) {
        while (row < items[i].row) out->begin[++row] = filled;
        bool again = filled > out->begin[row] && out->column[filled - 1] == items[i].column;
        if (again) {
            out->value[filled - 1] += items[i].value;
        } else {
            out->column[filled] = items[i].column;
            out->value[filled++] = items[i].value;
        }
    }
    while (row < out->size) out->begin[++row] = filled;
}

bool kin_sparse_assemble(const kin_triplets* triplets, int size, kin_arena* arena, kin_sparse* out)
{
    size_t count = (size_t)triplets->count;
    if (triplets->failed) return false;
    for (size_t i = 0; i < count; ++i) {
        const kin_triplet* t = &triplets->items[i];
        KIN_ASSERT(t->row >= 0 && t->row < size && t->column >= 0 && t->column < size);
    }
    *out = (kin_sparse){.size = size,
                        .begin = kin_arena_take(arena, kin_bytes((size_t)size + 1, sizeof *out->begin)),
                        .column = kin_arena_take(arena, kin_bytes(count, sizeof *out->column)),
                        .value = kin_arena_take(arena, kin_bytes(count, sizeof *out->value))};
    kin_arena_mark mark = kin_arena_begin(arena);
    int* places = kin_arena_take(arena, kin_bytes((size_t)size + 1, sizeof *places));
    kin_triplet* once = kin_arena_take(arena, kin_bytes(count, sizeof *once));
    kin_triplet* twice = kin_arena_take(arena, kin_bytes(count, sizeof *twice));
    bool room = out->begin != NULL && out->column != NULL && out->value != NULL && places != NULL && once != NULL && twice != NULL;
    if (room) {
        sort_by(false, triplets->count, triplets->items, once, size, places);
        sort_by(true, triplets->count, once, twice, size, places);
        pack(triplets->count, twice, out);
    }
    kin_arena_end(arena, mark);
    return room;
}

void kin_sparse_multiply(const kin_sparse* matrix, const double* x, double* y)
{
    for (int i = 0; i < matrix->size; ++i) {
        double sum = 0.0;
        for (int k = matrix->begin[i]; k < matrix->begin[i + 1]; ++k) sum += matrix->value[k] * x[matrix->column[k]];
        y[i] = sum;
    }
}

double kin_sparse_at(const kin_sparse* matrix, int row, int column)
{
    int low = matrix->begin[row], high = matrix->begin[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (matrix->column[middle] == column) return matrix->value[middle];
        if (matrix->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return 0.0;
}
