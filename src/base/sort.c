/* sort.c - least digit radix sort for keys, bottom-up merge sort for the rest. Both stable, so a total order gives one result. */
#include "base/sort.h"
#include <string.h>

/* ---- keys ---- */

enum { DIGITS = 8, VALUES = 256, FEW = 48 /* below this, counting digits costs more than it saves */ };

static void sort_few(uint64_t* keys, uint32_t* values, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        uint64_t key = keys[i];
        uint32_t value = values != NULL ? values[i] : 0;
        size_t place = i;
        for (; place > 0 && keys[place - 1] > key; --place) {
            keys[place] = keys[place - 1];
            if (values != NULL) values[place] = values[place - 1];
        }
        keys[place] = key;
        if (values != NULL) values[place] = value;
    }
}

static unsigned digit_of(uint64_t key, int digit) { return (unsigned)(key >> (8 * digit)) & 0xFF; }

static void count_digits(const uint64_t* keys, size_t count, size_t counts[DIGITS][VALUES])
{
    memset(counts, 0, sizeof(size_t[DIGITS][VALUES]));
    for (size_t i = 0; i < count; ++i) {
        for (int digit = 0; digit < DIGITS; ++digit) counts[digit][digit_of(keys[i], digit)] += 1;
    }
}

/* Counts become the first place of each digit value. */
static void counts_to_places(size_t counts[VALUES])
{
    size_t place = 0;
    for (int i = 0; i < VALUES; ++i) {
        size_t count = counts[i];
        counts[i] = place;
        place += count;
    }
}

void kin_sort_keys(uint64_t* keys, uint32_t* values, uint64_t* scratch_keys, uint32_t* scratch_values, size_t count)
{
    if (count < FEW) {
        sort_few(keys, values, count);
        return;
    }
    size_t counts[DIGITS][VALUES];
    count_digits(keys, count, counts);
    uint64_t *from_keys = keys, *to_keys = scratch_keys;
    uint32_t *from_values = values, *to_values = scratch_values;
    for (int digit = 0; digit < DIGITS; ++digit) {
        size_t* places = counts[digit];
        if (places[digit_of(keys[0], digit)] == count) continue; /* all the same: nothing would move */
        counts_to_places(places);
        for (size_t i = 0; i < count; ++i) {
            size_t place = places[digit_of(from_keys[i], digit)]++;
            to_keys[place] = from_keys[i];
            if (values != NULL) to_values[place] = from_values[i];
        }
        uint64_t* swap_keys = from_keys;
        uint32_t* swap_values = from_values;
        from_keys = to_keys, to_keys = swap_keys;
        from_values = to_values, to_values = swap_values;
    }
    if (from_keys == keys) return;
    memcpy(keys, from_keys, count * sizeof *keys);
    if (values != NULL) memcpy(values, from_values, count * sizeof *values);
}

/* ---- anything ---- */

typedef struct order {
    kin_less_fn* less;
    void* context;
    size_t size;
} order;

/* Merges the sorted runs [left, right) and [right, end) to `to`. On ties the left one goes first: that is stability. */
static void merge(const order* o, const char* left, const char* right, const char* end, char* to)
{
    const char* left_end = right;
    while (left < left_end && right < end) {
        const char** next = o->less(o->context, right, left) ? &right : &left;
        memcpy(to, *next, o->size);
        *next += o->size;
        to += o->size;
    }
    memcpy(to, left, (size_t)(left_end - left));
    to += left_end - left;
    memcpy(to, right, (size_t)(end - right));
}

void kin_sort(void* data, void* scratch, size_t count, size_t size, kin_less_fn* less, void* context)
{
    const order o = {less, context, size};
    char *from = data, *to = scratch;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * run) {
            size_t middle = count - begin > run ? begin + run : count;
            size_t end = count - begin > 2 * run ? begin + 2 * run : count;
            merge(&o, from + begin * size, from + middle * size, from + end * size, to + begin * size);
        }
        char* swap = from;
        from = to, to = swap;
    }
    if (from != (char*)data) memcpy(data, from, count * size);
}
