#include "system/foam/foam.h"
#include "math/vec3.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN 0x2ada451be161815du
enum { SIDE = 12, COUNT = SIDE * SIDE * SIDE, MOST = 4096 };
static const double spacing = 0.05, h = 0.004;
static const kin_vec3 down = {0, -10, 0};

typedef struct tank {
    float x[COUNT][4], v[COUNT][4];
    uint64_t serials[COUNT];
    kin_foam_fluid fluid;
    kin_jobs jobs;
    kin_foam* foam;
} tank;

/* A block of fluid at the origin; every other column goes the other way when jets cross. */
static tank* make_tank(test* t, int threads, kin_foam_def def)
{
    tank* k = calloc(1, sizeof *k);
    for (int i = 0; i < COUNT; ++i) {
        k->x[i][0] = (float)(spacing * (i % SIDE)), k->x[i][1] = (float)(spacing * (i / SIDE % SIDE)), k->x[i][2] = (float)(spacing * (i / SIDE / SIDE));
        k->serials[i] = 1000 + (uint64_t)i;
    }
    k->fluid = (kin_foam_fluid){.positions = k->x[0], .velocities = k->v[0], .stride = 4, .count = COUNT, .origin = {10, 20, 30}, .serials = k->serials};
    def.spacing = spacing;
    CHECK(t, kin_jobs_init(&k->jobs, &t->allocator, NULL, threads, NULL) == KIN_OK);
    CHECK(t, kin_foam_create(&t->allocator, &def, &k->foam, NULL) == KIN_OK);
    return k;
}

static void free_tank(tank* k)
{
    kin_foam_destroy(k->foam);
    kin_jobs_term(&k->jobs);
    free(k);
}

static kin_foam_def on(void)
{
    kin_foam_def def = kin_foam_def_default();
    def.most = MOST;
    def.seed = 7, def.system = 3;
    return def;
}

static void move_all(tank* k, float x, float y, float z)
{
    for (int i = 0; i < COUNT; ++i) k->v[i][0] = x, k->v[i][1] = y, k->v[i][2] = z;
}
static void cross(tank* k, float speed)
{
    for (int i = 0; i < COUNT; ++i) k->v[i][0] = (i / SIDE + i / SIDE / SIDE) % 2 ? speed : -speed, k->v[i][1] = k->v[i][2] = 0;
}
static size_t all(const tank* k) { return kin_foam_count(k->foam, KIN_FOAM_KINDS); }
static void step(test* t, tank* k) { CHECK(t, kin_foam_step(k->foam, &k->jobs, &k->fluid, down, h, NULL) == KIN_OK); }

static uint64_t hash_of(kin_foam* foam)
{
    kin_visitor v = {.mode = KIN_VISIT_HASH};
    kin_hasher_begin(&v.hasher);
    kin_foam_visit(foam, &v);
    return kin_hasher_end(&v.hasher);
}

static void still_water_makes_none(test* t) /* nor does water that moves as one, but for its crests */
{
    kin_foam_def def = on();
    tank* k = make_tank(t, 1, def);
    for (int i = 0; i < 10; ++i) step(t, k);
    EQUAL(t, all(k), 0);
    free_tank(k);
    def.crest_rate = 0;
    k = make_tank(t, 1, def);
    move_all(k, 3, 4, 0);
    for (int i = 0; i < 10; ++i) step(t, k);
    EQUAL(t, all(k), 0);
    free_tank(k);
}

static void
a_block_thrown_upward_breaks_at_its_rim(test* t) /* crests: where the surface turns and moves along its normal. Its middle is flat, its bottom moves inward */
{
    kin_foam_def def = on();
    def.trapped_rate = 0, def.crest[0] = 0.5, def.crest[1] = 1, def.crest_rate = 2000;
    tank* k = make_tank(t, 1, def);
    move_all(k, 0, 5, 0);
    step(t, k);
    CHECK(t, all(k) > 20);
    double edge = spacing * (SIDE - 1);
    for (size_t i = 0; i < all(k); ++i) {
        kin_vec3 p = kin_sub(kin_foam_position(k->foam, i), k->fluid.origin);
        double rim = fmin(fmin(p.x, edge - p.x), fmin(p.z, edge - p.z));
        CHECK(t, p.y > edge - 1.5 * spacing && rim < 1.5 * spacing);
    }
    free_tank(k);
}

/* The mean is the rate times the time, so half the step makes half as many in a step. The deviation of a sum of rounded numbers is below 1/2 for each draw. */
static void crossing_jets_make_some_in_proportion_to_time(test* t)
{
    double sums[2];
    for (int half = 0; half < 2; ++half) {
        kin_foam_def def = on();
        def.most = 1000000, def.trapped_rate = 50;
        tank* k = make_tank(t, 1, def);
        cross(k, 3);
        for (int i = 0; i < 20; ++i) CHECK(t, kin_foam_step(k->foam, &k->jobs, &k->fluid, down, half ? h / 2 : h, NULL) == KIN_OK);
        sums[half] = (double)all(k);
        free_tank(k);
    }
    CHECK(t, sums[0] > 1000);
    NEAR(t, sums[1] / sums[0], 0.5, 5 * 0.5 * sqrt(20.0 * COUNT) / sums[0]);
}

static void threads_lanes_and_a_restore_change_nothing(test* t)
{
    kin_foam_def def = on();
    uint64_t want = 0;
    for (int threads = 1; threads <= 8; threads = threads == 1 ? 2 : threads * 4) {
        tank* k = make_tank(t, threads, def);
        cross(k, 3);
        for (int i = 0; i < 8; ++i) step(t, k);
        CHECK(t, all(k) > 100);
        if (threads == 1) want = hash_of(k->foam);
        EQUAL(t, hash_of(k->foam), want);
        free_tank(k);
    }
    for (int width = 0; width <= (int)kin_simd_best(); ++width) {
        def.simd = (kin_simd)width;
        tank* k = make_tank(t, 1, def);
        cross(k, 3);
        for (int i = 0; i < 8; ++i) step(t, k);
        EQUAL(t, hash_of(k->foam), want);
        free_tank(k);
    }
    EQUAL(t, want, GOLDEN); /* every compiler, debug and release */
    tank* k = make_tank(t, 2, def);
    cross(k, 3);
    for (int i = 0; i < 8; ++i) { /* into a fresh one after every step */
        step(t, k);
        kin_visitor save = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
        kin_foam_visit(k->foam, &save);
        kin_foam_destroy(k->foam);
        def.spacing = spacing;
        CHECK(t, kin_foam_create(&t->allocator, &def, &k->foam, NULL) == KIN_OK);
        kin_visitor load = {.mode = KIN_VISIT_LOAD, .data = save.data, .size = save.size};
        kin_foam_visit(k->foam, &load);
        EQUAL(t, load.result, KIN_OK);
        t->allocator.release(t->allocator.context, save.data, save.capacity);
    }
    EQUAL(t, hash_of(k->foam), want);
    free_tank(k);
}

static void order_of_the_fluid_does_not_matter_for_draws(test* t) /* serials do: the same particles are made from a shuffled fluid, up to their order */
{
    kin_vec3 sum[2] = {{0}};
    size_t count[2];
    for (int way = 0; way < 2; ++way) {
        kin_foam_def def = on();
        def.most = 1000000;
        tank* k = make_tank(t, 1, def);
        cross(k, 3);
        for (int i = 0; way == 1 && i < COUNT / 2; ++i) { /* reversed */
            int j = COUNT - 1 - i;
            for (int c = 0; c < 4; ++c) {
                float x = k->x[i][c], v = k->v[i][c];
                k->x[i][c] = k->x[j][c], k->v[i][c] = k->v[j][c], k->x[j][c] = x, k->v[j][c] = v;
            }
            uint64_t s = k->serials[i];
            k->serials[i] = k->serials[j], k->serials[j] = s;
        }
        step(t, k);
        count[way] = all(k);
        for (size_t i = 0; i < count[way]; ++i) sum[way] = kin_add(sum[way], kin_foam_position(k->foam, i));
        free_tank(k);
    }
    EQUAL(t, count[1], count[0]);
    NEAR3(t, sum[1], sum[0], 1e-6);
}

static void spray_flies_foam_is_carried_bubbles_rise(test* t)
{
    kin_foam_def def = on();
    tank* k = make_tank(t, 1, def);
    cross(k, 3);
    for (int i = 0; i < 5; ++i) step(t, k);
    size_t n = all(k);
    kin_vec3 x[MOST], v[MOST];
    for (size_t i = 0; i < n; ++i) x[i] = kin_foam_position(k->foam, i), v[i] = kin_foam_velocity(k->foam, i);
    kin_foam_fluid air = {.count = 0};
    CHECK(t, kin_foam_step(k->foam, &k->jobs, &air, down, h, NULL) == KIN_OK);
    EQUAL(t, kin_foam_count(k->foam, KIN_FOAM_SPRAY), n); /* alone */
    for (size_t i = 0; i < n; ++i) {
        kin_vec3 after = kin_add_scaled(v[i], h, down);
        NEAR3(t, kin_foam_velocity(k->foam, i), after, 1e-12);
        NEAR3(t, kin_foam_position(k->foam, i), kin_add_scaled(x[i], h, after), 1e-12);
    }
    free_tank(k);

    k = make_tank(t, 1, def);
    cross(k, 3);
    step(t, k);
    move_all(k, 0.5f, 0.25f, 0); /* too slow for more */
    for (int i = 0; i < 200; ++i) {
        step(t, k);
        for (int p = 0; p < COUNT; ++p) k->x[p][0] += (float)(0.5 * h), k->x[p][1] += (float)(0.25 * h);
    }
    double keep = exp(-def.drag * h), rise = def.buoyancy * 10 * h * keep / (1 - keep); /* where drag and lift are even */
    for (size_t i = 0; i < all(k); ++i) {
        kin_vec3 u = kin_foam_velocity(k->foam, i);
        if (kin_foam_kind_of(k->foam, i) == KIN_FOAM_FOAM) NEAR3(t, u, kin_v(0.5, 0.25, 0), 1e-6);
        if (kin_foam_kind_of(k->foam, i) == KIN_FOAM_BUBBLES) CHECK(t, u.y <= 0.25 + rise + 1e-6);
    }
    CHECK(t, kin_foam_count(k->foam, KIN_FOAM_FOAM) > 50); /* bubbles have risen to the surface and are foam */
    free_tank(k);
}

static void a_bubble_reaches_the_speed_where_drag_and_lift_are_even(test* t)
{
    kin_foam_def def = on();
    def.buoyancy = 0.05; /* slow, so that it stays within */
    tank* k = make_tank(t, 1, def);
    cross(k, 3);
    step(t, k);
    move_all(k, 0, 0, 0);
    for (int i = 0; i < 100; ++i) step(t, k);
    double keep = exp(-def.drag * h), rise = def.buoyancy * 10 * h * keep / (1 - keep);
    int seen = 0;
    for (size_t i = 0; i < all(k); ++i) {
        if (kin_foam_kind_of(k->foam, i) != KIN_FOAM_BUBBLES) continue;
        NEAR3(t, kin_foam_velocity(k->foam, i), kin_v(0, rise, 0), 1e-6); /* 100 steps of exp(-0.16) */
        seen += 1;
    }
    CHECK(t, seen > 50);
    free_tank(k);
}

static void lives_end_between_the_shortest_and_the_longest(test* t)
{
    kin_foam_def def = on();
    def.lifetime[0] = 0.1, def.lifetime[1] = 0.2, def.slow_ageing = 1;
    tank* k = make_tank(t, 1, def);
    cross(k, 3);
    step(t, k);
    size_t born = all(k);
    CHECK(t, born > 50);
    move_all(k, 0, 0, 0);
    int steps = 0;
    for (; steps * h < 0.1 - h; ++steps) step(t, k);
    EQUAL(t, all(k), born);
    for (; steps * h < 0.15; ++steps) step(t, k);
    NEAR(t, (double)all(k), 0.5 * (double)born, 5 * 0.5 * sqrt((double)born) + 1); /* evenly spread */
    for (; steps * h < 0.2 + h; ++steps) step(t, k);
    EQUAL(t, all(k), 0);
    free_tank(k);
}

static void there_are_never_more_than_the_most(test* t)
{
    kin_foam_def def = on();
    def.most = 50;
    tank* k = make_tank(t, 1, def);
    cross(k, 5);
    for (int i = 0; i < 10; ++i) {
        step(t, k);
        EQUAL(t, all(k), 50);
    }
    double left = 0; /* thinned out evenly, not cut off at the end */
    for (size_t i = 0; i < 50; ++i) left += kin_foam_position(k->foam, i).z < 30 + spacing * (SIDE - 1) / 2;
    CHECK(t, left > 10 && left < 40);
    free_tank(k);
}

static void off_it_costs_nothing(test* t)
{
    tank* k = make_tank(t, 1, kin_foam_def_default());
    uint64_t before = t->allocations;
    kin_foam_fluid unread = {.count = 1000000}; /* no arrays at all */
    CHECK(t, kin_foam_step(k->foam, &k->jobs, &unread, down, h, NULL) == KIN_OK);
    EQUAL(t, t->allocations, before);
    free_tank(k);
}

static void a_steady_step_takes_no_memory(test* t)
{
    kin_foam_def def = on();
    def.most = 500;
    tank* k = make_tank(t, 1, def);
    cross(k, 5);
    for (int i = 0; i < 3; ++i) step(t, k);
    uint64_t before = t->allocations;
    for (int i = 0; i < 10; ++i) step(t, k);
    EQUAL(t, t->allocations, before);
    free_tank(k);
}

static void what_is_not_finite_is_refused_and_nothing_changes(test* t)
{
    tank* k = make_tank(t, 1, on());
    cross(k, 3);
    step(t, k);
    uint64_t before = hash_of(k->foam);
    kin_error error;
    k->v[77][2] = (float)NAN;
    CHECK(t, kin_foam_step(k->foam, &k->jobs, &k->fluid, down, h, &error) == KIN_ERROR_NUMERICS);
    HAS(t, error.message, "particle 77");
    EQUAL(t, hash_of(k->foam), before);
    k->v[77][2] = 0;
    for (int i = 0; i < COUNT; ++i) k->x[i][0] = k->x[i][1] = k->x[i][2] = 0; /* all at one place */
    for (int i = 0; i < 5; ++i) step(t, k);
    for (size_t i = 0; i < all(k); ++i) CHECK(t, kin_finite3(kin_foam_position(k->foam, i)) && kin_finite3(kin_foam_velocity(k->foam, i)));
    free_tank(k);
    kin_foam* foam;
    kin_foam_def def = on();
    def.lifetime[0] = 5;
    CHECK(t, kin_foam_create(&t->allocator, &def, &foam, &error) == KIN_ERROR_ARGUMENT && foam == NULL);
    TEXT(t, error.where, "lifetime");
    def = on(), def.drag = NAN;
    CHECK(t, kin_foam_create(&t->allocator, &def, &foam, &error) == KIN_ERROR_ARGUMENT);
    HAS(t, error.where, "drag");
}

static void pictures_show_every_kind_once(test* t)
{
    tank* k = make_tank(t, 1, on());
    cross(k, 3);
    for (int i = 0; i < 10; ++i) step(t, k);
    kin_capture capture;
    kin_capture_init(&capture, &t->allocator);
    kin_capture_begin(&capture, 0, 0, 1, (kin_vec3){10, 20, 30});
    kin_foam_capture(k->foam, "water", &capture);
    const kin_frame* frame = kin_capture_end(&capture);
    static const char* const names[3] = {"water/spray", "water/foam", "water/bubbles"};
    for (int kind = 0; kind < KIN_FOAM_KINDS; ++kind) {
        const kin_layer* layer = kin_frame_layer(frame, names[kind]);
        size_t count = kin_foam_count(k->foam, (kin_foam_kind)kind);
        CHECK(t, (layer == NULL) == (count == 0));
        if (layer != NULL) EQUAL(t, kin_layer_array(layer, "position")->count, count);
        if (layer != NULL) CHECK(t, ((const float*)kin_layer_array(layer, "radius")->data)[0] > 0);
    }
    CHECK(t, frame->layer_count >= 2);
    kin_capture_term(&capture);
    free_tank(k);
}

static bool run_once(test* t, void* context)
{
    (void)context;
    kin_jobs jobs;
    if (kin_jobs_init(&jobs, &t->allocator, NULL, 1, NULL) != KIN_OK) return false;
    kin_foam_def def = on();
    kin_foam* foam = NULL;
    bool ok = kin_foam_create(&t->allocator, &def, &foam, NULL) == KIN_OK;
    const float x[6] = {0, 0, 0, 0.01f, 0, 0}, v[6] = {90, 0, 0, -90, 0, 0};
    kin_foam_fluid fluid = {.positions = x, .velocities = v, .count = 2};
    for (int i = 0; i < 3 && ok; ++i) ok = kin_foam_step(foam, &jobs, &fluid, down, 0.1, NULL) == KIN_OK;
    if (ok) CHECK(t, kin_foam_count(foam, KIN_FOAM_KINDS) > 0);
    kin_foam_destroy(foam);
    kin_jobs_term(&jobs);
    return ok;
}
static void failing_memory_leaks_nothing(test* t) { test_fail_each_allocation(t, run_once, NULL); }

TEST_MAIN("foam", TEST(still_water_makes_none), TEST(a_block_thrown_upward_breaks_at_its_rim), TEST(crossing_jets_make_some_in_proportion_to_time),
          TEST(threads_lanes_and_a_restore_change_nothing), TEST(order_of_the_fluid_does_not_matter_for_draws), TEST(spray_flies_foam_is_carried_bubbles_rise),
          TEST(a_bubble_reaches_the_speed_where_drag_and_lift_are_even), TEST(lives_end_between_the_shortest_and_the_longest),
          TEST(there_are_never_more_than_the_most), TEST(off_it_costs_nothing), TEST(a_steady_step_takes_no_memory),
          TEST(what_is_not_finite_is_refused_and_nothing_changes), TEST(pictures_show_every_kind_once), TEST(failing_memory_leaks_nothing))
