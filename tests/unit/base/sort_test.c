#include "base/sort.h"
#include "base/rng.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

static uint64_t noise(uint64_t i, uint32_t draw) { return kin_rng_bits(&(kin_rng_key){.seed = 3, .serial = i}, draw); }

/* mask chooses which digits differ: few distinct keys make ties, whole words use every pass. */
static void check_keys(test* t, size_t count, uint64_t mask)
{
    uint64_t* keys = malloc((count + 1) * 2 * sizeof *keys);
    uint32_t* values = malloc((count + 1) * 2 * sizeof *values);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        keys[i] = noise(i, 0) & mask;
        values[i] = (uint32_t)i;
        sum += keys[i];
    }
    kin_sort_keys(keys, values, keys + count, values + count, count);
    for (size_t i = 0; i < count; ++i) {
        CHECK(t, keys[i] == (noise(values[i], 0) & mask)); /* the value came along */
        if (i > 0) CHECK(t, keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && values[i - 1] < values[i]));
        sum -= keys[i];
    }
    CHECK(t, sum == 0);
    uint64_t* alone = malloc((count + 1) * 2 * sizeof *alone);
    for (size_t i = 0; i < count; ++i) alone[i] = noise(i, 0) & mask;
    kin_sort_keys(alone, NULL, alone + count, NULL, count);
    CHECK(t, count == 0 || memcmp(alone, keys, count * sizeof *keys) == 0);
    free(alone);
    free(keys);
    free(values);
}

static void keys_come_sorted_and_stable(test* t)
{
    static const size_t counts[] = {0, 1, 2, 3, 47, 48, 49, 255, 1000, 20000};
    static const uint64_t masks[] = {UINT64_MAX, 0, 0xF, 0xFF00, 0xFF00FF0000FF, 0xFF00000000000000u, 0x3};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        for (size_t m = 0; m < sizeof masks / sizeof *masks; ++m) check_keys(t, counts[c], masks[m]);
    }
}

typedef struct record {
    int key, serial;
    char weight[5]; /* an odd size */
} record;

static bool by_key(void* context, const void* a, const void* b)
{
    *(int*)context += 1;
    return ((const record*)a)->key < ((const record*)b)->key;
}

static void records_come_sorted_and_stable(test* t)
{
    enum { MOST = 1000 };
    static record data[MOST], scratch[MOST];
    for (int count = 0; count <= MOST; count = count * 2 + 1) {
        for (int i = 0; i < count; ++i) data[i] = (record){.key = (int)(noise((uint64_t)i, 1) % 50), .serial = i, .weight = {(char)i}};
        int calls = 0;
        kin_sort(data, scratch, (size_t)count, sizeof *data, by_key, &calls);
        for (int i = 0; i < count; ++i) {
            EQUAL(t, data[i].key, noise((uint64_t)data[i].serial, 1) % 50);
            EQUAL(t, data[i].weight[0], (char)data[i].serial);
            if (i > 0) CHECK(t, data[i - 1].key < data[i].key || (data[i - 1].key == data[i].key && data[i - 1].serial < data[i].serial));
        }
        CHECK(t, calls <= count * 10);
    }
}

static bool contrary(void* context, const void* a, const void* b)
{
    (void)context;
    (void)a;
    (void)b;
    return true;
}

static void a_broken_order_loses_nothing(test* t)
{
    unsigned char data[100], scratch[100], seen[100] = {0};
    for (int i = 0; i < 100; ++i) data[i] = (unsigned char)i;
    kin_sort(data, scratch, 100, 1, contrary, NULL);
    for (int i = 0; i < 100; ++i) seen[data[i]] += 1;
    for (int i = 0; i < 100; ++i) EQUAL(t, seen[i], 1);
}

TEST_MAIN("base/sort", TEST(keys_come_sorted_and_stable), TEST(records_come_sorted_and_stable), TEST(a_broken_order_loses_nothing))
