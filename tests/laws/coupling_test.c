/* coupling_test.c - two toy systems through the whole contract: the ledger's third law, passes, warm start, carried entries, refusal with mark and rewind. */
#include "base/alloc.h"
#include "math/quat.h"
#include "support/test.h"
#include "validation/toys.h"
#include <string.h>

#define STEP 0.01

typedef struct pair {
    kin_world* world;
    kin_system_id a, b;
    kin_toy_glue glue;
} pair;

static kin_world_def world_def(test* t)
{
    kin_world_def def = kin_world_def_default();
    def.allocator = t->allocator;
    def.threads = 1;
    def.time_step = STEP;
    def.max_passes = 64;
    return def;
}

static const kin_toy_def heavy = {.count = 4, .mass = 2, .stiffness = 30}, light = {.count = 4, .mass = 0.5, .stiffness = 5, .home = {0.5, 0, 0}};
static const kin_toy_glue chain = {.links = 7, .relax = 0.5, .warm = true};

static void pair_begin(test* t, pair* p, const kin_world_def* def, const kin_toy_def* a, const kin_toy_def* b, kin_toy_glue glue)
{
    kin_error error = {0};
    *p = (pair){.glue = glue};
    CHECK(t, kin_world_create(def, &p->world, &error) == KIN_OK);
    CHECK(t, kin_toy_create(p->world, "a", a, &p->a, &error) == KIN_OK);
    CHECK(t, kin_toy_create(p->world, "b", b, &p->b, &error) == KIN_OK);
    p->glue.a = p->a.index1;
    p->glue.b = p->b.index1;
    if (glue.links > 0) CHECK(t, kin_world_add_coupler(p->world, &kin_toy_glue_ops, &p->glue, &error) == KIN_OK);
    TEXT(t, error.message, "");
}

static void pair_end(pair* p) { kin_world_destroy(p->world); }
static kin_vec3 momentum(const pair* p) { return kin_add(kin_toy_momentum(p->world, p->a), kin_toy_momentum(p->world, p->b)); }
static kin_vec3 outside(const pair* p) { return kin_add(kin_toy_outside(p->world, p->a), kin_toy_outside(p->world, p->b)); }

static kin_step_report step(test* t, pair* p)
{
    kin_step_report report = {0};
    kin_error error = {0};
    test_check(t, kin_world_step(p->world, &report, &error) == KIN_OK, __FILE__, __LINE__, "step failed: %s", error.message);
    return report;
}

/* ---- exchange ---- */

/* What A gets B loses: all that changes the momentum of both is the springs. */
static void third_law_to_round_off(test* t)
{
    pair p;
    kin_world_def def = world_def(t);
    kin_toy_glue glue = chain;
    glue.intervals = 3;
    pair_begin(t, &p, &def, &heavy, &light, glue);
    kin_vec3 start = momentum(&p);
    for (int i = 0; i < 500; ++i) step(t, &p);
    double bound = 500 * 3 * 16 * 2.2e-16 * 10; /* a few ulp of 10 N s for each of 16 sums, every interval */
    NEAR3(t, kin_sub(momentum(&p), outside(&p)), start, bound);
    NEAR3(t, p.world->ledger.given.impulse, kin_v(0, 0, 0), bound);
    pair_end(&p);
}

static void passes_converge(test* t)
{
    pair p;
    kin_world_def def = world_def(t);
    kin_toy_glue cold = chain;
    cold.warm = false;
    def.max_passes = 60;
    pair_begin(t, &p, &def, &heavy, &light, cold);
    kin_step_report report = step(t, &p);
    EQUAL(t, report.passes, 60);
    CHECK(t, report.capped == 1);
    for (int i = 10; i < 58; ++i)
        test_check(t, p.glue.residual[i] < p.glue.residual[i - 1], __FILE__, __LINE__, "pass %d: residual %g after %g", i, p.glue.residual[i],
                   p.glue.residual[i - 1]);
    NEAR(t, report.residual, p.glue.residual[58], p.glue.residual[58]); /* the report's is the last pass's */
    pair_end(&p);
}

/* A settled exchange ends early, and glued masses then move alike. */
static void a_settled_exchange_stops(test* t)
{
    pair p;
    kin_world_def def = world_def(t);
    kin_toy_glue one = {.links = 1, .relax = 1};
    kin_toy_def a = {.count = 1, .mass = 2}, b = {.count = 1, .mass = 1, .home = {1, 0, 0}};
    pair_begin(t, &p, &def, &a, &b, one);
    kin_step_report report = step(t, &p);
    EQUAL(t, report.passes, 2);
    EQUAL(t, report.capped, 0);
    kin_motion m[2];
    kin_world_motion(p.world, (kin_anchor[]){{1, 0, {0, 0, 0}}, {2, 0, {0, 0, 0}}}, 2, m, NULL);
    NEAR3(t, m[0].velocity, m[1].velocity, 1e-15);
    pair_end(&p);
}

static void warm_start_reads_the_last_totals(test* t)
{
    pair p;
    kin_world_def def = world_def(t);
    pair_begin(t, &p, &def, &heavy, &light, chain);
    step(t, &p);
    kin_wrench total[7];
    for (uint32_t i = 0; i < 7; ++i) total[i] = kin_ledger_total(&p.world->ledger, (kin_entry_key){1, i});
    CHECK(t, kin_length(total[3].impulse) > 0);
    step(t, &p);
    for (uint32_t i = 0; i < 7; ++i) NEAR3(t, kin_ledger_last(&p.world->ledger, (kin_entry_key){1, i}).impulse, total[i].impulse, 0);
    pair_end(&p);
}

/* Mobility counts in respond: what is static takes nothing, and the other takes its velocity. */
static void a_static_end_gives_nothing(test* t)
{
    pair p;
    kin_world_def def = world_def(t);
    kin_toy_def a = {.count = 1, .mass = 2}, b = {.count = 1, .mass = 1, .home = {1, 0, 0}};
    pair_begin(t, &p, &def, &a, &b, (kin_toy_glue){.links = 1, .relax = 1});
    CHECK(t, kin_world_set_mobility(p.world, (kin_anchor){1, 0, {0, 0, 0}}, KIN_MOBILITY_STATIC, NULL) == KIN_OK);
    kin_motion before, after;
    kin_anchor anchor = {1, 0, {0, 0, 0}};
    kin_world_motion(p.world, &anchor, 1, &before, NULL);
    for (int i = 0; i < 10; ++i) step(t, &p);
    kin_world_motion(p.world, &anchor, 1, &after, NULL);
    NEAR3(t, after.pose.position, before.pose.position, 0);
    pair_end(&p);
}

/* ---- carried ---- */

/* The third system commits last; the second posts between the first, which has committed, and the third, which has not. */
static void a_late_entry_is_carried_and_delivered_once(test* t)
{
    pair p;
    kin_world_def def = world_def(t);
    kin_toy_def free_mass = {.count = 1, .mass = 2}, poster = {.count = 1, .mass = 1, .post_a = 1, .post_b = 3, .post_impulse = {3, -1, 0.5}};
    kin_system_id c;
    pair_begin(t, &p, &def, &free_mass, &poster, (kin_toy_glue){0});
    CHECK(t, kin_toy_create(p.world, "c", &free_mass, &c, NULL) == KIN_OK);
    kin_vec3 a0 = kin_toy_momentum(p.world, p.a), c0 = kin_toy_momentum(p.world, c), due = poster.post_impulse;
    step(t, &p);
    NEAR3(t, kin_toy_momentum(p.world, p.a), a0, 0);
    NEAR3(t, kin_toy_momentum(p.world, c), kin_sub(c0, due), 1e-15);
    NEAR3(t, kin_ledger_carried(&p.world->ledger, 1).impulse, due, 0);
    NEAR3(t, kin_ledger_carried(&p.world->ledger, 3).impulse, kin_v(0, 0, 0), 0);
    for (int i = 0; i < 5; ++i) {
        step(t, &p);
        NEAR3(t, kin_toy_momentum(p.world, p.a), kin_add(a0, due), 1e-15);
        NEAR3(t, kin_toy_momentum(p.world, c), kin_sub(c0, due), 1e-15);
        NEAR3(t, kin_ledger_carried(&p.world->ledger, 1).impulse, kin_v(0, 0, 0), 0);
    }
    NEAR3(t, p.world->ledger.given.impulse, kin_v(0, 0, 0), 1e-15);
    pair_end(&p);
}

/* What is carried is state: a world restored while something is under way delivers it too. */
static void the_carried_part_is_saved(test* t)
{
    pair p, q;
    kin_world_def def = world_def(t);
    kin_toy_def a = {.count = 1, .mass = 2}, b = {.count = 1, .mass = 1, .post_a = 1, .post_b = 2, .post_impulse = {3, 0, 0}};
    kin_snapshot snapshot = {0};
    pair_begin(t, &p, &def, &a, &b, (kin_toy_glue){0});
    pair_begin(t, &q, &def, &a, &b, (kin_toy_glue){0});
    step(t, &p);
    CHECK(t, kin_world_snapshot(p.world, &snapshot, NULL) == KIN_OK);
    CHECK(t, kin_world_restore(q.world, &snapshot, NULL) == KIN_OK);
    kin_snapshot_free(&snapshot);
    step(t, &p);
    step(t, &q);
    CHECK(t, kin_world_state_hash(p.world) == kin_world_state_hash(q.world));
    NEAR3(t, kin_toy_momentum(q.world, q.a), kin_toy_momentum(p.world, p.a), 0);
    pair_end(&p);
    pair_end(&q);
}

/* ---- refusal ---- */

static void a_refused_step_is_cut_until_it_is_taken(test* t)
{
    pair cut, planned;
    kin_world_def def = world_def(t);
    def.max_passes = 1; /* else the last note is of passes */
    kin_toy_def refuses = heavy;
    kin_toy_glue by_plan = chain;
    refuses.refuse_below = 4;
    by_plan.intervals = 4;
    pair_begin(t, &cut, &def, &refuses, &light, chain);
    pair_begin(t, &planned, &def, &heavy, &light, by_plan);
    for (int i = 0; i < 20; ++i) {
        kin_step_report report = step(t, &cut);
        EQUAL(t, report.intervals, 4);
        EQUAL(t, report.refusals, 2);
        HAS(t, report.note, "a[3]: the step is too long for a toy");
        EQUAL(t, step(t, &planned).refusals, 0);
        CHECK(t, kin_world_state_hash(cut.world) == kin_world_state_hash(planned.world));
    }
    pair_end(&cut);
    pair_end(&planned);
}

/* Only what is refused is redone: the first half was good as it was. */
static void the_intervals_before_a_refusal_stay(test* t)
{
    pair p;
    kin_world_def def = world_def(t);
    kin_toy_def refuses = heavy;
    kin_toy_glue glue = chain;
    refuses.refuse_below = 4;
    refuses.refuse_after = 0.5;
    glue.intervals = 2;
    pair_begin(t, &p, &def, &refuses, &light, glue);
    kin_vec3 start = momentum(&p);
    kin_step_report report = step(t, &p);
    EQUAL(t, report.intervals, 4);
    EQUAL(t, report.refusals, 1);
    NEAR3(t, kin_sub(momentum(&p), outside(&p)), start, 1e-13);
    NEAR(t, kin_world_time(p.world), STEP, 0);
    pair_end(&p);
}

static void check_given_up(test* t, double refuse_after, int planned)
{
    pair p;
    kin_world_def def = world_def(t);
    kin_toy_def refuses = heavy;
    kin_toy_glue glue = chain;
    kin_error error = {0};
    kin_step_report report;
    glue.intervals = planned;
    def.max_intervals = 2;
    pair_begin(t, &p, &def, &refuses, &light, glue);
    step(t, &p);
    refuses.refuse_below = 4;
    refuses.refuse_after = refuse_after;
    *(kin_toy_def*)kin_toy_ops.def(kin_world_system_self(p.world, p.a, &kin_toy_ops)) = refuses;
    uint64_t before = kin_world_state_hash(p.world);
    CHECK(t, kin_world_step(p.world, &report, &error) == KIN_ERROR_NUMERICS);
    HAS(t, error.message, "a[3]");
    HAS(t, error.message, "too long for a toy");
    HAS(t, report.note, "residual 0.125");
    CHECK(t, kin_world_state_hash(p.world) == before); /* the last good state */
    EQUAL(t, kin_world_step_count(p.world), 1);
    CHECK(t, kin_world_step(p.world, &report, &error) == KIN_ERROR_NUMERICS); /* it can be read, not stepped */
    CHECK(t, kin_world_state_hash(p.world) == before);
    pair_end(&p);
}

static void past_the_cap_the_world_is_as_before_the_step(test* t) { check_given_up(t, 0, 1); }
/* The first half of the step was done when the second was refused for good: it is undone too. */
static void past_the_cap_in_the_second_half_too(test* t) { check_given_up(t, 0.5, 2); }

/* ---- commands ---- */

static void pushes_and_places_are_commands(test* t)
{
    pair p;
    kin_world_def def = world_def(t);
    kin_toy_def a = {.count = 1, .mass = 2}, b = {.count = 1, .mass = 1, .home = {1, 0, 0}};
    pair_begin(t, &p, &def, &a, &b, (kin_toy_glue){0});
    kin_vec3 before = kin_toy_momentum(p.world, p.a);
    CHECK(t, kin_world_push(p.world, (kin_anchor){1, 0, {0, 0, 0}}, kin_v(5, 0, 0), NULL) == KIN_OK);
    NEAR3(t, kin_toy_momentum(p.world, p.a), before, 0); /* not yet */
    step(t, &p);
    NEAR3(t, kin_toy_momentum(p.world, p.a), kin_add(before, kin_v(5, 0, 0)), 1e-15);
    CHECK(t, kin_world_place(p.world, (kin_anchor){2, 0, {0, 0, 0}}, kin_v(7, 7, 7), kin_v(0, 0, 0), NULL) == KIN_OK);
    step(t, &p);
    kin_motion m;
    kin_world_motion(p.world, &(kin_anchor){2, 0, {0, 0, 0}}, 1, &m, NULL);
    NEAR3(t, m.pose.position, kin_v(7, 7, 7), 0);
    CHECK(t, kin_world_push(p.world, (kin_anchor){1, 9, {0, 0, 0}}, kin_v(1, 0, 0), NULL) == KIN_ERROR_ARGUMENT);
    CHECK(t, kin_world_push(p.world, (kin_anchor){3, 0, {0, 0, 0}}, kin_v(1, 0, 0), NULL) == KIN_ERROR_ARGUMENT);
    pair_end(&p);
}

/* A push queued before a refused step is not lost in the rewind, nor given twice. */
static void a_push_survives_a_refusal_once(test* t)
{
    pair p;
    kin_world_def def = world_def(t);
    kin_toy_def refuses = {.count = 1, .mass = 2, .refuse_below = 4}, b = {.count = 1, .mass = 1};
    pair_begin(t, &p, &def, &refuses, &b, (kin_toy_glue){0});
    kin_vec3 before = kin_toy_momentum(p.world, p.a);
    CHECK(t, kin_world_push(p.world, (kin_anchor){1, 0, {0, 0, 0}}, kin_v(5, 0, 0), NULL) == KIN_OK);
    EQUAL(t, step(t, &p).refusals, 2);
    NEAR3(t, kin_toy_momentum(p.world, p.a), kin_add(before, kin_v(5, 0, 0)), 1e-15);
    step(t, &p);
    NEAR3(t, kin_toy_momentum(p.world, p.a), kin_add(before, kin_v(5, 0, 0)), 1e-15);
    pair_end(&p);
}

/* ---- memory ---- */

static void a_steady_exchange_allocates_nothing(test* t)
{
    pair p;
    kin_world_def def = world_def(t);
    kin_toy_def refuses = heavy;
    refuses.refuse_below = 2; /* with marks and rewinds */
    pair_begin(t, &p, &def, &refuses, &light, chain);
    for (int i = 0; i < 5; ++i) step(t, &p);
    uint64_t before = t->allocations;
    for (int i = 0; i < 100; ++i) step(t, &p);
    EQUAL(t, t->allocations - before, 0);
    pair_end(&p);
}

static bool run_with_faults(test* t, void* context)
{
    (void)context;
    kin_world_def def = world_def(t);
    kin_world* world = NULL;
    kin_system_id a, b;
    kin_toy_glue glue = chain;
    kin_result result = kin_world_create(&def, &world, NULL);
    if (result == KIN_OK) result = kin_toy_create(world, "a", &heavy, &a, NULL);
    if (result == KIN_OK) result = kin_toy_create(world, "b", &light, &b, NULL);
    if (result == KIN_OK) {
        glue.a = a.index1;
        glue.b = b.index1;
        result = kin_world_add_coupler(world, &kin_toy_glue_ops, &glue, NULL);
    }
    for (int i = 0; i < 3 && result == KIN_OK; ++i) result = kin_world_step(world, NULL, NULL);
    kin_world_destroy(world);
    return result == KIN_OK;
}

static void an_allocation_that_fails_leaks_nothing(test* t) { test_fail_each_allocation(t, run_with_faults, NULL); }

TEST_MAIN("laws_coupling", TEST(third_law_to_round_off), TEST(passes_converge), TEST(a_settled_exchange_stops), TEST(warm_start_reads_the_last_totals),
          TEST(a_static_end_gives_nothing), TEST(a_late_entry_is_carried_and_delivered_once), TEST(the_carried_part_is_saved),
          TEST(a_refused_step_is_cut_until_it_is_taken), TEST(the_intervals_before_a_refusal_stay), TEST(past_the_cap_the_world_is_as_before_the_step),
          TEST(past_the_cap_in_the_second_half_too), TEST(pushes_and_places_are_commands), TEST(a_push_survives_a_refusal_once),
          TEST(a_steady_exchange_allocates_nothing), TEST(an_allocation_that_fails_leaks_nothing))
