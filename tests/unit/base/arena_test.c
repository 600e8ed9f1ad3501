#include "base/arena.h"
#include "base/alloc.h"
#include "support/test.h"
#include <string.h>

static void takes_are_aligned_and_apart(test* t)
{
    kin_arena a;
    kin_arena_init(&a, &t->allocator);
    unsigned char* pieces[200];
    for (int i = 0; i < 200; ++i) {
        pieces[i] = kin_arena_take(&a, (size_t)i * 7);
        CHECK(t, pieces[i] != NULL && (uintptr_t)pieces[i] % KIN_ALIGNMENT == 0);
        memset(pieces[i], i, (size_t)i * 7);
    }
    for (int i = 0; i < 200; ++i) {
        for (int k = 0; k < i * 7; ++k) EQUAL(t, pieces[i][k], i);
    }
    kin_arena_term(&a);
}

static void absurd_sizes_fail(test* t)
{
    kin_arena a;
    kin_arena_init(&a, &t->allocator);
    CHECK(t, kin_arena_take(&a, SIZE_MAX) == NULL);
    CHECK(t, kin_arena_take(&a, (size_t)PTRDIFF_MAX) == NULL);
    CHECK(t, !kin_arena_reserve(&a, SIZE_MAX));
    EQUAL(t, a.used, 0);
    kin_arena_term(&a);
}

static void a_reset_joins_blocks_to_one_of_peak_size(test* t)
{
    kin_arena a;
    kin_arena_init(&a, &t->allocator);
    for (int i = 0; i < 50; ++i) CHECK(t, kin_arena_take(&a, 5000) != NULL);
    CHECK(t, t->live_blocks > 1);
    size_t peak = a.peak;
    kin_arena_reset(&a);
    EQUAL(t, t->live_blocks, 1);
    EQUAL(t, a.used, 0);
    uint64_t before = t->allocations;
    for (int step = 0; step < 10; ++step) {
        for (int i = 0; i < 50; ++i) CHECK(t, kin_arena_take(&a, 5000) != NULL);
        kin_arena_reset(&a);
    }
    EQUAL(t, t->allocations, before); /* a steady step allocates nothing */
    EQUAL(t, a.peak, peak);
    kin_arena_term(&a);
}

static void scopes_nest(test* t)
{
    kin_arena a;
    kin_arena_init(&a, &t->allocator);
    char* kept = kin_arena_take(&a, 100);
    memset(kept, 7, 100);
    kin_arena_mark outer = kin_arena_begin(&a);
    char* first = kin_arena_take(&a, 100);
    kin_arena_mark inner = kin_arena_begin(&a);
    for (int i = 0; i < 20; ++i) kin_arena_take(&a, 10000); /* over several blocks */
    kin_arena_end(&a, inner);
    CHECK(t, kin_arena_take(&a, 10) == first + 128);
    kin_arena_end(&a, outer);
    CHECK(t, kin_arena_take(&a, 10) == first);
    for (int i = 0; i < 100; ++i) EQUAL(t, kept[i], 7);
    kin_arena_term(&a);
}

static void an_empty_scope_joins_too_even_within_another(test* t)
{
    kin_arena a;
    kin_arena_init(&a, &t->allocator);
    kin_arena_mark outer = kin_arena_begin(&a);
    for (int round = 0; round < 3; ++round) {
        kin_arena_mark inner = kin_arena_begin(&a);
        for (int i = 0; i < 20; ++i) kin_arena_take(&a, 10000);
        kin_arena_end(&a, inner);
        EQUAL(t, t->live_blocks, 1);
    }
    uint64_t before = t->allocations;
    for (int i = 0; i < 20; ++i) kin_arena_take(&a, 10000);
    EQUAL(t, t->allocations, before);
    kin_arena_end(&a, outer);
    EQUAL(t, a.used, 0);
    kin_arena_term(&a);
}

static void what_was_reserved_is_not_allocated(test* t)
{
    kin_arena a;
    kin_arena_init(&a, &t->allocator);
    CHECK(t, kin_arena_reserve(&a, 100000));
    uint64_t before = t->allocations;
    kin_arena_take(&a, 60000);
    kin_arena_take(&a, 30000);
    EQUAL(t, t->allocations, before);
    CHECK(t, kin_arena_reserve(&a, 50000)); /* behind things in use */
    before = t->allocations;
    kin_arena_take(&a, 50000);
    EQUAL(t, t->allocations, before);
    CHECK(t, kin_arena_reserve(&a, 0));
    kin_arena_term(&a);
}

static bool fill(test* t, void* context)
{
    (void)context;
    kin_arena a;
    kin_arena_init(&a, &t->allocator);
    bool ok = true;
    for (int round = 0; ok && round < 3; ++round) {
        for (int i = 0; ok && i < 10; ++i) ok = kin_arena_take(&a, 9000) != NULL;
        ok = ok && kin_arena_reserve(&a, 500000);
        kin_arena_reset(&a);
    }
    kin_arena_term(&a);
    return ok;
}

static void failures_leave_nothing(test* t) { test_fail_each_allocation(t, fill, NULL); }

TEST_MAIN("base/arena", TEST(takes_are_aligned_and_apart), TEST(absurd_sizes_fail), TEST(a_reset_joins_blocks_to_one_of_peak_size), TEST(scopes_nest),
          TEST(an_empty_scope_joins_too_even_within_another), TEST(what_was_reserved_is_not_allocated), TEST(failures_leave_nothing))
