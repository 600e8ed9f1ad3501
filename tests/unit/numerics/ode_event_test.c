/* ode_event_test.c - steps that stop at an event (H7.4b ii). */
#include "problems.h"

static const double tolerance = 1e-11;

static double height(void* context, double t, const double* y)
{
    (void)context, (void)t;
    return y[0];
}

/* One step from y of a fresh run. */
static double stop(test* t, run* r, kin_ode_event* event, int probes, double* y1, bool* hit)
{
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    double time = kin_ode_step_until(r->method, r->ode, r->memory, r->t, r->h, r->y, y1, event, probes, tolerance, &arena, hit);
    kin_arena_term(&arena);
    return time;
}

static bool exact_on_parabolas(const kin_ode_method* m) { return strcmp(m->name, "euler") != 0 && strcmp(m->name, "semi_implicit") != 0; }

/* x = 1 + 2t - 5t^2 meets the plane at (1 + sqrt 6) / 5; velocity 2 - 10t. */
static void parabola_meets_plane(test* t)
{
    double a = -10, exact = (1 + sqrt(6)) / 5;
    kin_ode ode = {.size = 2, .pairs = 1, .context = &a, .derivative = falling};
    EACH_METHOD(m)
    {
        if (!exact_on_parabolas(m)) continue;
        for (int probes = 0; probes < 5; ++probes) {
            double y1[2];
            bool hit;
            run r = run_begin(m, &ode, 0.9, (double[]){1, 2});
            double time = stop(t, &r, height, probes, y1, &hit);
            CHECK(t, hit && y1[0] >= 0);
            NEAR(t, time, exact - tolerance / 2, tolerance / 2 + 1e-14); /* early, never late */
            NEAR(t, y1[1], 2 - 10 * time, 1e-13);
        }
    }
}

/* x = 1 - 6t + 6t^2 is 1 at both ends of a unit step and below 0 inside: the chord misses it, probes do not. */
static void curved_path_misses_the_chord(test* t)
{
    double a = 12, exact = (3 - sqrt(3)) / 6;
    kin_ode ode = {.size = 2, .pairs = 1, .context = &a, .derivative = falling};
    EACH_METHOD(m)
    {
        if (!exact_on_parabolas(m)) continue;
        for (int probes = 0; probes < 9; ++probes) {
            double y1[2];
            bool hit;
            run r = run_begin(m, &ode, 1, (double[]){1, -6});
            double time = stop(t, &r, height, probes, y1, &hit);
            CHECK(t, hit == (probes > 0));
            NEAR(t, time, probes > 0 ? exact - tolerance / 2 : 1, tolerance / 2 + 1e-14);
            CHECK(t, y1[0] >= 0);
        }
    }
}

/* Nothing happens: state and memory are those of the plain step, bit for bit. */
static void no_event_is_the_plain_step(test* t)
{
    EACH_METHOD(m)
    {
        double y1[2];
        bool hit;
        run r = run_begin(m, &oscillator_ode, 0.1, (double[]){1, 0.3});
        run_steps(&r, 3);
        run plain = r;
        run_steps(&plain, 1);
        NEAR(t, stop(t, &r, height, 4, y1, &hit), 0.1, 0);
        CHECK(t, !hit && memcmp(y1, plain.y, sizeof y1) == 0 && memcmp(r.memory, plain.memory, sizeof r.memory) == 0);
    }
}

/* In the middle of a run of cos t: stops at pi/2 as well as the method's order allows, and gives the memory back untouched. */
static void stop_in_the_middle_of_a_run(test* t)
{
    EACH_METHOD(m)
    {
        double y1[2], time;
        bool hit = false;
        run r = run_begin(m, &oscillator_ode, 0.01, (double[]){1, 0}), before = r;
        for (int k = 0; k < 200 && !hit; ++k) {
            before = r;
            time = stop(t, &r, height, 2, y1, &hit);
            memcpy(r.y, y1, sizeof y1);
            r.t = hit ? k * r.h + time : (k + 1) * r.h;
        }
        CHECK(t, hit && y1[0] >= 0);
        NEAR(t, r.t, acos(0), m->order == 1 ? 1e-2 : m->order == 2 ? 5e-5 : 1e-9);
        NEAR(t, y1[1], -1, m->order == 1 ? 2e-2 : m->order == 2 ? 5e-5 : 1e-9);
        CHECK(t, memcmp(r.memory, before.memory, sizeof r.memory) == 0);
    }
}

/* On the plane: going down stops at once, going up does not, and a step that starts past the plane is taken whole. */
static void starts_on_and_past_the_plane(test* t)
{
    double a = -10;
    kin_ode ode = {.size = 2, .pairs = 1, .context = &a, .derivative = falling};
    EACH_METHOD(m)
    {
        double y1[2];
        bool hit;
        run down = run_begin(m, &ode, 0.1, (double[]){0, -1});
        double time = stop(t, &down, height, 3, y1, &hit);
        CHECK(t, hit && time >= 0 && time <= tolerance && y1[0] == 0 && y1[1] == -1);
        run up = run_begin(m, &ode, 0.1, (double[]){0, 2});
        NEAR(t, stop(t, &up, height, 3, y1, &hit), 0.1, 0);
        CHECK(t, !hit);
        run past = run_begin(m, &ode, 0.1, (double[]){-1, 0});
        NEAR(t, stop(t, &past, height, 3, y1, &hit), 0.1, 0);
        CHECK(t, !hit);
    }
}

static double alarm_clock(void* context, double t, const double* y)
{
    (void)context, (void)y;
    return 1.25 - t;
}

static void event_of_time(test* t)
{
    EACH_METHOD(m)
    {
        double y1[2];
        bool hit;
        run r = run_begin(m, &oscillator_ode, 1, (double[]){1, 0});
        run_steps(&r, 1);
        NEAR(t, stop(t, &r, alarm_clock, 1, y1, &hit), 0.25 - tolerance / 2, tolerance / 2 + 1e-16);
        CHECK(t, hit);
    }
}

/* Euler's own path is straight, its interpolant is not: the interpolant's dip alone is no event, nor does its bulge hide one. */
static void crude_paths_differ_from_their_interpolant(test* t)
{
    double a, y1[2];
    bool hit;
    kin_ode ode = {.size = 2, .pairs = 1, .context = &a, .derivative = falling};
    a = 6;
    run dip = run_begin(method_named("euler"), &ode, 1, (double[]){1, -0.9});
    NEAR(t, stop(t, &dip, height, 7, y1, &hit), 1, 0);
    CHECK(t, !hit);
    a = -20;
    run bulge = run_begin(method_named("euler"), &ode, 1, (double[]){1, -2});
    NEAR(t, stop(t, &bulge, height, 3, y1, &hit), 0.5, tolerance);
    CHECK(t, hit && y1[0] >= 0);
}

/* A tolerance below round-off ends at neighbouring numbers. */
static void tolerance_of_zero_ends(test* t)
{
    double a = -10, y1[2];
    bool hit;
    kin_ode ode = {.size = 2, .pairs = 1, .context = &a, .derivative = falling};
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    double time = kin_ode_step_until(method_named("rk4"), &ode, NULL, 0, 0.9, (double[]){1, 2}, y1, height, 1, 0, &arena, &hit);
    NEAR(t, time, (1 + sqrt(6)) / 5, 1e-15);
    CHECK(t, hit && arena.used == 0);
    kin_arena_term(&arena);
}

static void no_room_changes_nothing(test* t)
{
    EACH_METHOD(m)
    {
        double y1[2] = {7, 8};
        bool hit = true;
        run r = run_begin(m, &oscillator_ode, 0.1, (double[]){0.01, -1});
        run before = r;
        t->allocations = 0;
        t->fail_after = 0;
        CHECK(t, stop(t, &r, height, 2, y1, &hit) < 0);
        t->fail_after = -1;
        CHECK(t, !hit && y1[0] == 7 && y1[1] == 8 && memcmp(r.memory, before.memory, sizeof r.memory) == 0);
    }
}

TEST_MAIN("numerics_ode_event", TEST(parabola_meets_plane), TEST(curved_path_misses_the_chord), TEST(no_event_is_the_plain_step),
          TEST(stop_in_the_middle_of_a_run), TEST(starts_on_and_past_the_plane), TEST(event_of_time), TEST(crude_paths_differ_from_their_interpolant),
          TEST(tolerance_of_zero_ends), TEST(no_room_changes_nothing))
