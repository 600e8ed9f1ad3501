/* ledger_test.c - totals, differences, carrying, the third law. */
#include "math/vec3.h"
#include "support/test.h"
#include "system/ledger.h"

/* Two systems that add up what they are given; the second can be closed. */
typedef struct takers {
    kin_vec3 sum[3], angular[3];
    int batches;
    bool closed[3];
} takers;

static bool open(void* context, uint32_t system) { return !((takers*)context)->closed[system]; }

static void push(void* context, const kin_anchor* a, const kin_wrench* w, int n)
{
    takers* x = context;
    x->batches += 1;
    for (int i = 0; i < n; ++i) {
        x->sum[a[i].system] = kin_add(x->sum[a[i].system], w[i].impulse);
        x->angular[a[i].system] = kin_add(x->angular[a[i].system], w[i].angular);
    }
}

static kin_wrench along_x(double size) { return (kin_wrench){{size, 0, 0}, {0, 0, size / 2}}; }

static void post(test* t, kin_ledger* l, uint32_t slot, double total)
{
    EQUAL(t,
          kin_ledger_post(l, (kin_entry_key){1, slot}, KIN_ENTRY_HIT, (kin_anchor){1, slot, {0}}, (kin_anchor){2, slot, {0}}, kin_v(0, 0, 0), along_x(total)),
          KIN_OK);
}

static void posting_again_replaces(test* t)
{
    takers x = {0};
    kin_ledger l;
    kin_ledger_init(&l, &t->allocator);
    post(t, &l, 0, 3);
    kin_ledger_flush(&l, &(kin_ledger_taker){&x, open, push});
    NEAR(t, x.sum[1].x, 3, 0);
    NEAR(t, x.sum[2].x, -3, 0);
    NEAR(t, l.residual, 3, 0);
    post(t, &l, 0, 5);
    kin_ledger_flush(&l, &(kin_ledger_taker){&x, open, push});
    NEAR(t, x.sum[1].x, 5, 0);
    NEAR(t, x.sum[2].x, -5, 0);
    NEAR(t, l.residual, 2, 0);
    kin_ledger_flush(&l, &(kin_ledger_taker){&x, open, push});
    NEAR(t, l.residual, 0, 0);
    NEAR3(t, l.given.impulse, kin_v(0, 0, 0), 0);
    kin_ledger_term(&l);
}

static void one_batch_a_system_in_key_order(test* t)
{
    takers x = {0};
    kin_ledger l;
    kin_ledger_init(&l, &t->allocator);
    for (uint32_t slot = 10; slot-- > 0;) post(t, &l, slot, 1 + slot);
    for (size_t i = 1; i < l.count; ++i) CHECK(t, l.entries[i - 1].key.slot < l.entries[i].key.slot);
    kin_ledger_flush(&l, &(kin_ledger_taker){&x, open, push});
    EQUAL(t, x.batches, 2);
    NEAR(t, x.sum[1].x, 55, 0);
    kin_ledger_term(&l);
}

static void what_comes_late_is_carried(test* t)
{
    takers x = {.closed = {[2] = true}};
    kin_ledger_taker taker = {&x, open, push};
    kin_ledger l;
    kin_ledger_init(&l, &t->allocator);
    post(t, &l, 0, 4);
    kin_ledger_flush(&l, &taker);
    NEAR(t, x.sum[1].x, 4, 0);
    NEAR(t, x.sum[2].x, 0, 0);
    NEAR(t, kin_ledger_carried(&l, 2).impulse.x, -4, 0);
    kin_ledger_turn(&l);
    NEAR(t, kin_ledger_carried(&l, 2).impulse.x, -4, 0);
    NEAR(t, kin_ledger_last(&l, (kin_entry_key){1, 0}).impulse.x, 4, 0);
    x.closed[2] = false;
    post(t, &l, 0, 1); /* the new interval's own total comes on top */
    kin_ledger_flush(&l, &taker);
    NEAR(t, x.sum[1].x, 5, 0);
    NEAR(t, x.sum[2].x, -5, 0);
    NEAR(t, x.angular[1].z + x.angular[2].z, 0, 0);
    kin_ledger_turn(&l);
    kin_ledger_turn(&l);
    EQUAL(t, l.count, 0); /* not posted for a whole interval: gone */
    kin_ledger_term(&l);
}

/* Both sides had it: nothing is pushed, now or later, but it is in the books. */
static void what_is_noted_is_not_pushed(test* t)
{
    takers x = {0};
    kin_ledger_taker taker = {&x, open, push};
    kin_ledger l;
    kin_ledger_init(&l, &t->allocator);
    CHECK(t,
          kin_ledger_note(&l, (kin_entry_key){1, 0}, KIN_ENTRY_LOAD, (kin_anchor){1, 0, {0}}, (kin_anchor){2, 0, {0}}, kin_v(0, 0, 0), along_x(3)) == KIN_OK);
    NEAR(t, kin_ledger_total(&l, (kin_entry_key){1, 0}).impulse.x, 3, 0);
    kin_ledger_flush(&l, &taker);
    NEAR(t, kin_ledger_carried(&l, 1).impulse.x, 0, 0);
    kin_ledger_turn(&l);
    kin_ledger_flush(&l, &taker);
    NEAR(t, x.sum[1].x, 0, 0);
    NEAR(t, x.sum[2].x, 0, 0);
    NEAR(t, kin_ledger_last(&l, (kin_entry_key){1, 0}).impulse.x, 3, 0);
    kin_ledger_term(&l);
}

static bool fill_and_flush(test* t, void* context)
{
    (void)context;
    takers x = {0};
    kin_ledger l;
    bool ok = true;
    kin_ledger_init(&l, &t->allocator);
    for (uint32_t i = 0; i < 20 && ok; ++i) {
        ok = kin_ledger_post(&l, (kin_entry_key){1, i}, KIN_ENTRY_LOAD, (kin_anchor){1, i, {0}}, (kin_anchor){2, i, {0}}, kin_v(0, 0, 0), along_x(1)) == KIN_OK;
    }
    kin_ledger_flush(&l, &(kin_ledger_taker){&x, open, push});
    test_near(t, __FILE__, __LINE__, "sum of both sides", x.sum[1].x + x.sum[2].x, 0, 0);
    kin_ledger_term(&l);
    return ok;
}

static void lack_of_memory_loses_nothing(test* t) { test_fail_each_allocation(t, fill_and_flush, NULL); }

TEST_MAIN("ledger", TEST(posting_again_replaces), TEST(one_batch_a_system_in_key_order), TEST(what_comes_late_is_carried), TEST(what_is_noted_is_not_pushed),
          TEST(lack_of_memory_loses_nothing))
