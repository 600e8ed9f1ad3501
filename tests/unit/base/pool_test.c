#include "base/pool.h"
#include "base/error.h"
#include "support/test.h"

static void null_is_never_held(test* t)
{
    kin_pool p;
    kin_pool_init(&p, &t->allocator);
    CHECK(t, !kin_pool_holds(&p, (kin_id){0}));
    CHECK(t, !kin_pool_holds(&p, (kin_id){1, 1}));
    kin_id id;
    CHECK(t, kin_pool_take(&p, &id));
    CHECK(t, id.index1 == 1 && id.generation == 1);
    CHECK(t, !kin_pool_holds(&p, (kin_id){0}));
    CHECK(t, !kin_pool_holds(&p, (kin_id){2, 1}));
    kin_pool_term(&p);
}

static void slots_are_reused_and_stale_ids_caught(test* t)
{
    kin_pool p;
    kin_pool_init(&p, &t->allocator);
    kin_id ids[100];
    for (int i = 0; i < 100; ++i) CHECK(t, kin_pool_take(&p, &ids[i]));
    for (int i = 0; i < 100; ++i) CHECK(t, kin_pool_holds(&p, ids[i]));
    kin_pool_give(&p, ids[40]);
    kin_pool_give(&p, ids[7]);
    CHECK(t, !kin_pool_holds(&p, ids[40]) && !kin_pool_holds(&p, ids[7]));
    CHECK(t, !kin_pool_holds(&p, (kin_id){ids[7].index1, ids[7].generation + 1})); /* the number of a free slot */
    kin_id again;
    CHECK(t, kin_pool_take(&p, &again));
    EQUAL(t, again.index1, ids[7].index1); /* last given, first taken */
    CHECK(t, again.generation != ids[7].generation && kin_pool_holds(&p, again) && !kin_pool_holds(&p, ids[7]));
    CHECK(t, kin_pool_take(&p, &again));
    EQUAL(t, again.index1, ids[40].index1);
    EQUAL(t, p.count, 100);
    EQUAL(t, p.free_count, 0);
    kin_pool_term(&p);
}

static int asserts;

static bool count_asserts(const char* condition, const char* file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    asserts += 1;
    return true;
}

static void giving_a_stale_id_is_the_callers_bug(test* t)
{
    kin_pool p;
    kin_pool_init(&p, &t->allocator);
    kin_id id;
    kin_pool_take(&p, &id);
    kin_set_assert_handler(count_asserts);
    kin_pool_give(&p, id);
    EQUAL(t, asserts, 0);
    kin_pool_give(&p, id);
    kin_pool_give(&p, (kin_id){0});
    EQUAL(t, asserts, 2);
    EQUAL(t, p.free_count, 1); /* and does no harm */
    kin_set_assert_handler(NULL);
    kin_pool_term(&p);
}

static void giving_never_allocates(test* t)
{
    kin_pool p;
    kin_pool_init(&p, &t->allocator);
    kin_id ids[1000];
    for (int i = 0; i < 1000; ++i) kin_pool_take(&p, &ids[i]);
    uint64_t before = t->allocations;
    for (int i = 0; i < 1000; ++i) kin_pool_give(&p, ids[i]);
    for (int i = 0; i < 1000; ++i) kin_pool_take(&p, &ids[i]);
    EQUAL(t, t->allocations, before);
    kin_pool_term(&p);
}

static bool take_many(test* t, void* context)
{
    (void)context;
    kin_pool p;
    kin_pool_init(&p, &t->allocator);
    bool ok = true;
    for (uint32_t i = 0; ok && i < 100; ++i) {
        kin_id id;
        ok = kin_pool_take(&p, &id);
        CHECK(t, kin_pool_holds(&p, id) == ok);
        CHECK(t, p.count == (ok ? i + 1 : i));
    }
    kin_pool_term(&p);
    return ok;
}

static void failures_leave_nothing(test* t) { test_fail_each_allocation(t, take_many, NULL); }

TEST_MAIN("base/pool", TEST(null_is_never_held), TEST(slots_are_reused_and_stale_ids_caught), TEST(giving_a_stale_id_is_the_callers_bug),
          TEST(giving_never_allocates), TEST(failures_leave_nothing))
