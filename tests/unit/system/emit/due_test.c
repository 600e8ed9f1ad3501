/* due_test.c - how many are born when: rates (H4.3a), bursts, delays and limits (C3.7.2), and that a save forgets nothing. */
#include "births.h"
#include "base/alloc.h"

static double random_step(int i, double most)
{
    kin_rng_key key = {.seed = 9, .serial = (uint64_t)i};
    return most * kin_rng_uniform(&key, 0, 1e-3, 1);
}

/* ---- rates ---- */

static void counts_follow_the_rate_for_any_steps(test* t) /* r t +- 1 */
{
    static const double rates[] = {0.37, 10, 997.3}, longest[] = {1e-3, 0.04, 3};
    kin_curve_key key;
    for (int k = 0; k < 9; ++k) {
        kin_emitter_def def = kin_emitter_def_default();
        def.rate = constant(&key, rates[k % 3]);
        kin_emitters* emitters = emitter_of(t, &def);
        double time = 0;
        int64_t count = 0;
        for (int i = 0; i < 3000; ++i) {
            double h = random_step(i, longest[k / 3]);
            kin_emit_step step = step_at((uint64_t)i, time, h);
            count += kin_emitter_due(emitters, 0, &step, 0);
            time += h;
            CHECK(t, fabs((double)count - rates[k % 3] * time) <= 1);
        }
        EQUAL(t, kin_emitter_born(emitters, 0), count);
        kin_emitters_destroy(emitters);
    }
}

static void a_whole_number_each_step_stays_one(test* t) /* 10 of 1/s in 0.1 s: one, not now none and then two */
{
    kin_curve_key key;
    kin_emitter_def def = kin_emitter_def_default();
    def.rate = constant(&key, 10);
    kin_emitters* emitters = emitter_of(t, &def);
    for (int i = 0; i < 5000; ++i) {
        kin_emit_step step = step_at((uint64_t)i, i * 0.1, 0.1);
        EQUAL(t, kin_emitter_due(emitters, 0, &step, 0), 1);
    }
    kin_emitters_destroy(emitters);
}

static void rates_follow_their_keys(test* t) /* 0 to 100/s over 2 s, within [0.5, 1.5) */
{
    static const kin_curve_key keys[] = {{0, {0}}, {2, {100}}};
    kin_emitter_def def = kin_emitter_def_default();
    def.rate = (kin_curve){keys, 2, KIN_CURVE_LINEAR};
    def.start = 0.5;
    def.stop = 1.5;
    kin_emitters* emitters = emitter_of(t, &def);
    double time = 0;
    int64_t count = 0;
    for (int i = 0; time < 2; ++i) {
        double h = random_step(i, 0.1), at = fmin(fmax(time + h, 0.5), 1.5);
        kin_emit_step step = step_at((uint64_t)i, time, h);
        int64_t now = kin_emitter_due(emitters, 0, &step, 0);
        CHECK(t, now == 0 || (time + h > 0.5 && time < 1.5));
        count += now;
        time += h;
        CHECK(t, fabs((double)count - 25 * (at * at - 0.25)) <= 1);
    }
    EQUAL(t, count, 50);
    kin_emitters_destroy(emitters);
}

static void rates_deviate_from_step_to_step(test* t)
{
    kin_curve_key key;
    kin_emitter_def def = kin_emitter_def_default();
    def.rate = constant(&key, 1000);
    def.rate_deviation = 600;
    kin_emitters* emitters = emitter_of(t, &def);
    double sum = 0, squares = 0;
    enum { STEPS = 4000 };
    for (int i = 0; i < STEPS; ++i) {
        kin_emit_step step = step_at((uint64_t)i, i * 0.5, 0.5);
        double now = (double)kin_emitter_due(emitters, 0, &step, 0);
        CHECK(t, now >= 200 - 1 && now <= 800 + 1);
        sum += now / STEPS;
        squares += (now - 500) * (now - 500) / STEPS;
    }
    NEAR(t, sum, 500, 5 * 100 / sqrt(STEPS));
    NEAR(t, sqrt(squares), 100, 5 * 75 / sqrt(STEPS));
    kin_emitters_destroy(emitters);
    def.rate = (kin_curve){0}; /* never below none */
    emitters = emitter_of(t, &def);
    for (int i = 0; i < 100; ++i) {
        kin_emit_step step = step_at((uint64_t)i, i, 1);
        CHECK(t, kin_emitter_due(emitters, 0, &step, 0) >= 0);
    }
    kin_emitters_destroy(emitters);
}

/* ---- bursts ---- */

static void bursts_come_on_schedule(test* t) /* every 0.3 s from 0.2 s on, whatever the steps: those before t are ceil((t - 0.2) / 0.3) */
{
    for (int k = 0; k < 3; ++k) {
        kin_emitter_def def = kin_emitter_def_default();
        def.burst = 7;
        def.start = 0.2;
        def.period = 0.3;
        def.stop = 50;
        kin_emitters* emitters = emitter_of(t, &def);
        double time = 0;
        int64_t count = 0;
        for (int i = 0; time < 60; ++i) {
            double h = k == 0 ? random_step(i, 0.05) : k == 1 ? random_step(i, 2) : 0.1;
            kin_emit_step step = step_at((uint64_t)i, k == 2 ? i * 0.1 : time, h);
            int64_t now = kin_emitter_due(emitters, 0, &step, 0);
            EQUAL(t, now % 7, 0);
            count += now / 7;
            time += h;
            if (k < 2) EQUAL(t, count, (int64_t)fmax(ceil((fmin(time, 50) - 0.2) / 0.3), 0));
            if (k == 2) EQUAL(t, now, i >= 2 && i < 500 && (i - 2) % 3 == 0 ? 7 : 0); /* instants on the steps' own times: the step that begins there */
        }
        EQUAL(t, count, 166);
        kin_emitters_destroy(emitters);
    }
}

static void a_single_burst_comes_once(test* t)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.burst = 100;
    def.start = 0.3;
    kin_emitters* emitters = emitter_of(t, &def);
    for (int i = 0; i < 50; ++i) {
        kin_emit_step step = step_at((uint64_t)i, i * 0.1, 0.1);
        EQUAL(t, kin_emitter_due(emitters, 0, &step, 0), i == 3 ? 100 : 0);
    }
    kin_emitters_destroy(emitters);
    emitters = emitter_of(t, &def); /* one that comes into a world later does not make up for what it missed */
    kin_emit_step late = step_at(0, 5, 0.1);
    EQUAL(t, kin_emitter_due(emitters, 0, &late, 0), 0);
    kin_emitters_destroy(emitters);
}

/* ---- delays and limits ---- */

static void a_delay_of_three_emits_at_0_3_6(test* t)
{
    kin_curve_key key;
    kin_emitter_def def = kin_emitter_def_default();
    def.rate = constant(&key, 40);
    def.burst = 5;
    def.period = 0.7;
    def.every[0] = 3;
    kin_emitters* emitters = emitter_of(t, &def);
    for (int i = 0; i < 30; ++i) {
        kin_emit_step step = step_at((uint64_t)i, i * 0.1, 0.1);
        int64_t bursts = i == 0 ? 1 : i % 3 != 0 ? 0 : ((i - 3) / 7 != i / 7); /* at steps 0, 7, 14 ...: told at the next third one */
        EQUAL(t, kin_emitter_due(emitters, 0, &step, 0), i % 3 != 0 ? 0 : (i == 0 ? 4 : 12) + 5 * bursts);
    }
    kin_emitters_destroy(emitters);
}

static void limits_hold_births_back_for_good(test* t)
{
    kin_curve_key key;
    kin_emitter_def def = kin_emitter_def_default();
    def.rate = constant(&key, 100);
    def.max_total[0] = 35;
    def.max_alive[0] = 12;
    kin_emitters* emitters = emitter_of(t, &def);
    int64_t alive = 0, total = 0;
    for (int i = 0; i < 20; ++i) {
        kin_emit_step step = step_at((uint64_t)i, i * 0.1, 0.1);
        int64_t now = kin_emitter_due(emitters, 0, &step, alive);
        if (i == 0) EQUAL(t, now, 10);
        if (i == 1) EQUAL(t, now, 2);
        if (i == 2) EQUAL(t, now, 0);
        alive += now;
        total += now;
        CHECK(t, alive <= 12 && total <= 35);
        if (i == 5) alive = 0; /* all died: no more than a step's worth comes, not what was held back */
        if (i == 6) EQUAL(t, now, 10);
        if (i == 10) alive = 0;
        if (i == 15) alive = 0;
    }
    EQUAL(t, total, 35);
    EQUAL(t, kin_emitter_born(emitters, 0), 35);
    kin_emit_step step = step_at(20, 2, 0.1);
    EQUAL(t, kin_emitter_due(emitters, 0, &step, 99), 0); /* more alive than allowed */
    kin_emitters_destroy(emitters);
}

static void enormous_rates_stay_numbers(test* t)
{
    kin_curve_key key;
    kin_emitter_def def = kin_emitter_def_default();
    def.rate = constant(&key, 1e12);
    def.burst = 4000000000;
    def.period = 1e-300;
    kin_emitters* emitters = emitter_of(t, &def);
    for (int i = 0; i < 4; ++i) {
        kin_emit_step step = step_at((uint64_t)i, i * 1e12, 1e12);
        int64_t now = kin_emitter_due(emitters, 0, &step, 0);
        CHECK(t, now > 0 && (double)now <= 0x1p54);
    }
    kin_emitters_destroy(emitters);
}

/* ---- state ---- */

/* Steps [from, to); the sum of births times their step tells when they came, too. */
static int64_t run(kin_emitters* emitters, int from, int to, kin_newborn* last)
{
    int64_t sum = 0;
    static kin_newborn out[1000];
    for (int i = from; i < to; ++i) {
        kin_emit_step step = step_at((uint64_t)i, i * 0.013, 0.013);
        int64_t now = kin_emitter_bear(emitters, 0, &step, kin_emitter_due(emitters, 0, &step, 0), out);
        if (now > 0) *last = out[now - 1];
        sum += now * i;
    }
    return sum;
}

/* After `cut` steps the state goes from one emitter to a new one; both go on alike. */
static kin_visitor go_on_alike(test* t, const kin_emitter_def* def, int cut, kin_emitters* second)
{
    kin_emitters* first = emitter_of(t, def);
    kin_newborn a = {0}, b = {0};
    run(first, 0, cut, &a);
    kin_visitor save = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
    kin_emitters_visit(first, &save);
    kin_visitor load = {.mode = KIN_VISIT_LOAD, .data = save.data, .size = save.size};
    kin_emitters_visit(second, &load);
    EQUAL(t, load.result, KIN_OK);
    EQUAL(t, load.position, save.size);
    EQUAL(t, run(second, cut, 200, &b), run(first, cut, 200, &a));
    EQUAL(t, kin_emitter_born(second, 0), kin_emitter_born(first, 0));
    NEAR3(t, b.x, a.x, 0);
    NEAR3(t, b.v, a.v, 0);
    EQUAL(t, b.number, a.number);
    kin_emitters_destroy(first);
    return save;
}

static kin_emitter_def busy(kin_curve_key* key)
{
    kin_emitter_def def = kin_emitter_def_default();
    def.rate = constant(key, 17.7);
    def.shape = (kin_emitter_form){.kind = KIN_EMIT_BALL, .radius = 1};
    def.speed[1] = 1;
    def.burst = 3;
    def.period = 0.11;
    def.every[0] = 4;
    def.table = 50;
    return def;
}

static void a_save_forgets_nothing(test* t)
{
    kin_curve_key key;
    kin_emitter_def def = busy(&key);
    for (int cut = 90; cut < 110; ++cut) {
        kin_emitters* second = emitter_of(t, &def);
        kin_visitor save = go_on_alike(t, &def, cut, second);
        kin_free(&t->allocator, save.data, save.capacity);
        kin_emitters_destroy(second);
    }
}

static void a_spoilt_save_does_no_harm(test* t)
{
    kin_curve_key key;
    kin_emitter_def def = busy(&key);
    kin_emitters* second = emitter_of(t, &def);
    kin_visitor save = go_on_alike(t, &def, 101, second), load;
    kin_newborn b;
    enum { FIRST_BIRTH = 32 }; /* before it lie counts, which may be any number of births */
    for (size_t cut = 0; cut < save.size; cut += 3) {
        load = (kin_visitor){.mode = KIN_VISIT_LOAD, .data = save.data, .size = cut};
        kin_emitters_visit(second, &load);
        EQUAL(t, load.result, KIN_ERROR_FORMAT);
    }
    for (size_t i = 0; i < save.size; ++i) { /* refused, or a state it could have come to */
        uint8_t kept = save.data[i];
        save.data[i] ^= 0xFF;
        load = (kin_visitor){.mode = KIN_VISIT_LOAD, .data = save.data, .size = save.size};
        kin_emitters_visit(second, &load);
        if (load.result == KIN_OK && i >= FIRST_BIRTH) run(second, 200, 201, &b);
        save.data[i] = kept;
    }
    kin_free(&t->allocator, save.data, save.capacity);
    kin_emitters_destroy(second);
}

/* Coutinho 3.7.2: each parameter has a mean and a deviation. Emission n comes at step n k, off by at most the deviation; over many they are as many as without it. */
static void emissions_keep_their_rhythm(test* t)
{
    const double every[2] = {7, 3}, plain[2] = {7, 0};
    const kin_rng_key key = {.seed = 5, .step = 4};
    int64_t last = -1, off = 0, count = 0;
    for (int64_t i = 0; i < 70000; ++i) {
        if (!kin_every_now(every, &key, (uint64_t)i)) continue;
        int64_t late = i - 7 * count++;
        CHECK(t, late >= -3 && late <= 3 && i > last);
        off += late != 0;
        last = i;
    }
    CHECK(t, count == 10000 || count == 10001); /* the last may come after the end, the next before it */
    CHECK(t, off > 5000);
    for (uint64_t i = 0; i < 100; ++i) CHECK(t, kin_every_now(plain, &key, i) == (i % 7 == 0));
}

/* Limits are drawn once for an emitter: within their deviation, kept for the whole run, and others for other seeds. */
static void limits_are_drawn_once(test* t)
{
    int64_t least = INT64_MAX, most = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        kin_emitter_def def = kin_emitter_def_default();
        kin_emitters* e;
        int64_t sum = 0;
        def.burst = 50;
        def.period = 0.1;
        def.max_total[0] = 200;
        def.max_total[1] = 60;
        CHECK(t, kin_emitters_create(&t->allocator, &def, 1, &e, NULL) == KIN_OK);
        for (uint64_t i = 0; i < 200; ++i) {
            kin_emit_step step = {.seed = seed, .index = i, .time = 0.1 * (double)i, .h = 0.1};
            sum += kin_emitter_due(e, 0, &step, 0);
        }
        CHECK(t, sum >= 140 && sum <= 260);
        least = sum < least ? sum : least;
        most = sum > most ? sum : most;
        kin_emitters_destroy(e);
    }
    CHECK(t, least < 195 && most > 205);
}

TEST_MAIN("system/emit/due", TEST(counts_follow_the_rate_for_any_steps), TEST(a_whole_number_each_step_stays_one), TEST(rates_follow_their_keys),
          TEST(rates_deviate_from_step_to_step), TEST(bursts_come_on_schedule), TEST(a_single_burst_comes_once), TEST(a_delay_of_three_emits_at_0_3_6),
          TEST(limits_hold_births_back_for_good), TEST(enormous_rates_stay_numbers), TEST(a_save_forgets_nothing), TEST(a_spoilt_save_does_no_harm),
          TEST(emissions_keep_their_rhythm), TEST(limits_are_drawn_once))
