/* visitor_test.c - what is saved comes back, short data fails, the hash sees every bit. */
#include "base/alloc.h"
#include "support/test.h"
#include "system/visitor.h"

typedef struct thing {
    uint64_t a;
    double b[3];
    uint8_t c;
} thing;

static void walk(thing* x, kin_visitor* v)
{
    kin_visit_u64(v, &x->a);
    size_t n = kin_visit_count(v, 3);
    if (n != 3) {
        kin_visit_fail(v, KIN_ERROR_FORMAT);
        return;
    }
    kin_visit_f64s(v, x->b, 3);
    kin_visit_u8(v, &x->c);
}

static uint64_t hash_of(thing* x)
{
    kin_visitor v = {.mode = KIN_VISIT_HASH};
    kin_hasher_begin(&v.hasher);
    walk(x, &v);
    return kin_hasher_end(&v.hasher);
}

static void round_trip_and_every_cut(test* t)
{
    thing x = {7, {1.5, -2, 1e300}, 9}, y = {0};
    kin_visitor save = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
    walk(&x, &save);
    EQUAL(t, save.result, KIN_OK);
    EQUAL(t, save.size, 8 + 8 + 24 + 1);
    kin_visitor load = {.mode = KIN_VISIT_LOAD, .data = save.data, .size = save.size};
    walk(&y, &load);
    CHECK(t, load.result == KIN_OK && hash_of(&x) == hash_of(&y));
    for (size_t size = 0; size < save.size; ++size) {
        load = (kin_visitor){.mode = KIN_VISIT_LOAD, .data = save.data, .size = size};
        walk(&y, &load);
        EQUAL(t, load.result, KIN_ERROR_FORMAT);
    }
    kin_free(&t->allocator, save.data, save.capacity);
}

static void hash_sees_every_field(test* t)
{
    thing x = {7, {1.5, -2, 1e300}, 9}, y = x;
    y.b[1] = -2.0000000000000004;
    CHECK(t, hash_of(&x) != hash_of(&y));
    y = x;
    y.c = 8;
    CHECK(t, hash_of(&x) != hash_of(&y));
}

static void count_larger_than_the_data_fails(test* t)
{
    uint64_t huge = 1000;
    kin_visitor v = {.mode = KIN_VISIT_LOAD, .data = (uint8_t*)&huge, .size = sizeof huge};
    EQUAL(t, kin_visit_count(&v, 0), 0);
    EQUAL(t, v.result, KIN_ERROR_FORMAT);
}

static bool save_once(test* t, void* context)
{
    kin_visitor v = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
    walk(context, &v);
    kin_free(&t->allocator, v.data, v.capacity);
    return v.result == KIN_OK;
}

static void saving_survives_lack_of_memory(test* t)
{
    thing x = {1, {2, 3, 4}, 5};
    test_fail_each_allocation(t, save_once, &x);
}

TEST_MAIN("visitor", TEST(round_trip_and_every_cut), TEST(hash_sees_every_field), TEST(count_larger_than_the_data_fails), TEST(saving_survives_lack_of_memory))
