/* reaction_test.c - what points did to solids that give way: summed by solid about one point, posted once, nothing for what stands fast. */
#include "support/test.h"
#include "system/reaction.h"

typedef struct bench {
    kin_solids* solids;
    kin_reactions reactions;
    kin_ledger ledger;
} bench;

/* Solid 0 stands fast; 1 and 2 give way, and are elements 4 and 5 of system 3. */
static bool begin(test* t, bench* b)
{
    *b = (bench){0};
    kin_reactions_init(&b->reactions, &t->allocator);
    kin_ledger_init(&b->ledger, &t->allocator);
    if (kin_solids_create(&t->allocator, &b->solids, NULL) != KIN_OK) return false;
    const kin_shape ball = {.kind = KIN_SHAPE_SPHERE, .radius = 1};
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t index;
        kin_solid_def def = {.shape = &ball, .pose = {{10.0 * i, 0, 0}, {0, 0, 0, 1}}, .owner = {i == 0 ? 0 : 3, 3 + i, {0, 0, 0}}};
        if (kin_solids_add(b->solids, &def, &index, NULL) != KIN_OK) return false;
        if (i > 0) kin_solids_weigh(b->solids, index, 0.5, (kin_sym3){1, 0, 0, 1, 0, 1}, def.pose.position);
    }
    kin_solids_refit(b->solids, 0.1);
    return true;
}
static void end(bench* b)
{
    kin_reactions_term(&b->reactions);
    kin_ledger_term(&b->ledger);
    kin_solids_destroy(b->solids);
}

static void impulses_add_up_about_the_first_point(test* t)
{
    bench b;
    CHECK(t, begin(t, &b));
    kin_reactions_add(&b.reactions, b.solids, 1, kin_v(9, 0, 0), kin_v(2, 0, 0));
    kin_reactions_add(&b.reactions, b.solids, 2, kin_v(20, 1, 0), kin_v(0, -1, 0));
    kin_reactions_add(&b.reactions, b.solids, 1, kin_v(10, 1, 0), kin_v(3, -4, 0));
    EQUAL(t, b.reactions.count, 2);
    const kin_reaction* r = &b.reactions.items[0];
    EQUAL(t, r->solid, 1);
    NEAR3(t, r->point, kin_v(9, 0, 0), 0);
    NEAR3(t, r->total.impulse, kin_v(5, -4, 0), 0);
    NEAR3(t, r->total.angular, kin_v(0, 0, -7), 1e-15); /* (1, 1, 0) x (3, -4, 0) */
    end(&b);
}

static void what_stands_fast_is_not_written_down(test* t)
{
    bench b;
    CHECK(t, begin(t, &b));
    kin_reactions_add(&b.reactions, b.solids, 0, kin_v(1, 0, 0), kin_v(2, 0, 0));
    EQUAL(t, b.reactions.count, 0);
    CHECK(t, kin_reactions_post(&b.reactions, b.solids, &b.ledger, 9, KIN_ENTRY_HIT));
    EQUAL(t, b.ledger.count, 0);
    end(&b);
}

static void each_solid_is_an_entry_of_its_owner(test* t)
{
    bench b;
    CHECK(t, begin(t, &b));
    kin_reactions_add(&b.reactions, b.solids, 2, kin_v(20, 1, 0), kin_v(0, -1, 0));
    kin_reactions_add(&b.reactions, b.solids, 1, kin_v(9, 0, 0), kin_v(2, 0, 0));
    CHECK(t, kin_reactions_post(&b.reactions, b.solids, &b.ledger, 9, KIN_ENTRY_HIT));
    EQUAL(t, b.ledger.count, 2);
    NEAR3(t, kin_ledger_total(&b.ledger, (kin_entry_key){9, 0}).impulse, kin_v(0, -1, 0), 0); /* in the order of first impulses */
    NEAR3(t, kin_ledger_total(&b.ledger, (kin_entry_key){9, 1}).impulse, kin_v(2, 0, 0), 0);
    const kin_entry* e = &b.ledger.entries[1];
    EQUAL(t, e->a.system, 3);
    EQUAL(t, e->a.element, 4);
    NEAR3(t, e->a.local, kin_v(-1, 0, 0), 1e-15);
    EQUAL(t, e->b.system, KIN_WORLD_SYSTEM);
    NEAR3(t, kin_ledger_carried(&b.ledger, 3).impulse, kin_v(2, -1, 0), 0);
    kin_reactions_clear(&b.reactions);
    EQUAL(t, b.reactions.count, 0);
    end(&b);
}

static bool react(test* t, void* context)
{
    bench b;
    (void)context;
    bool ok = begin(t, &b);
    if (ok) {
        kin_reactions_add(&b.reactions, b.solids, 1, kin_v(9, 0, 0), kin_v(2, 0, 0));
        ok = kin_reactions_post(&b.reactions, b.solids, &b.ledger, 9, KIN_ENTRY_HIT); /* false too when the adding found no room */
        CHECK(t, !ok || b.ledger.count == 1);
    }
    end(&b);
    return ok;
}
static void memory_may_run_out(test* t) { test_fail_each_allocation(t, react, NULL); }

TEST_MAIN("system_reaction", TEST(impulses_add_up_about_the_first_point), TEST(what_stands_fast_is_not_written_down), TEST(each_solid_is_an_entry_of_its_owner),
          TEST(memory_may_run_out))
