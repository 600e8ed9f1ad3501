/* gyration_test.c - velocities that turn, dv/dt = a + w x v: speed at any step, phase, order, and that the Verlet family stays one method. */
#include "base/rng.h"
#include "math/gyration.h"
#include "problems.h"

enum { POINTS = 5, PAIRS = 3 * POINTS };

/* Points in a field that pulls them to the origin and turns them; both depend on the place. */
typedef struct trap {
    kin_vec3 w;            /* rad/s at the origin */
    double pull, gradient; /* 1/s^2; 1/m, of w along x */
    double w_now[PAIRS];
    bool whole; /* w x v is part of the rates: for methods that do not turn */
} trap;

static void trapped(void* context, double t, const double* y, double* dydt)
{
    (void)t;
    trap* s = context;
    const double w0[3] = {s->w.x, s->w.y, s->w.z}, *v = y + PAIRS;
    memcpy(dydt, v, PAIRS * sizeof *v);
    for (int k = 0; k < PAIRS; ++k) {
        dydt[PAIRS + k] = -s->pull * y[k];
        s->w_now[k] = w0[k / POINTS] * (1 + s->gradient * y[k % POINTS]);
    }
    for (int i = 0; s->whole && i < POINTS; ++i) {
        kin_vec3 w = {s->w_now[i], s->w_now[POINTS + i], s->w_now[2 * POINTS + i]}, u = {v[i], v[POINTS + i], v[2 * POINTS + i]}, a = kin_cross(w, u);
        for (int axis = 0; axis < 3; ++axis) dydt[PAIRS + axis * POINTS + i] += kin_component(a, axis);
    }
}

static kin_ode ode_of(trap* s)
{
    return (kin_ode){.size = 2 * PAIRS, .pairs = PAIRS, .context = s, .derivative = trapped, .gyration = s->whole ? NULL : s->w_now};
}

static double uniform(uint64_t seed, uint32_t draw, double low, double high) { return kin_rng_uniform(&(kin_rng_key){.seed = seed}, draw, low, high); }

static void scatter(uint64_t seed, double* y)
{
    for (uint32_t k = 0; k < 2 * PAIRS; ++k) y[k] = uniform(seed, 10 + k, -1, 1);
}

static double speed(const double* y, int i) { return kin_length(kin_v(y[PAIRS + i], y[PAIRS + POINTS + i], y[PAIRS + 2 * POINTS + i])); }

static kin_vec3 random_rate(uint64_t seed)
{
    kin_vec3 w = {uniform(seed, 1, -1, 1), uniform(seed, 2, -1, 1), uniform(seed, 3, -1, 1)};
    return kin_scale(w, exp(uniform(seed, 4, log(1e-3), log(1e7))));
}

/* Where nothing else acts, to rounding; Verlet's velocities are differences of places, rounded as these are. */
static void speed_is_kept_at_any_step(test* t)
{
    for (uint64_t seed = 0; seed < 40; ++seed) {
        EACH_METHOD(m)
        {
            trap s = {.w = random_rate(seed), .gradient = 0.1};
            if (!m->gyrates) continue;
            kin_ode ode = ode_of(&s);
            double y0[2 * PAIRS], h = 0.02;
            scatter(seed, y0);
            run r = run_begin(m, &ode, h, y0);
            run_steps(&r, 300);
            for (int i = 0; i < POINTS; ++i) {
                double place = strcmp(m->name, "verlet") == 0 ? 10 / (h * speed(y0, i)) : 0;
                NEAR(t, speed(r.y, i) / speed(y0, i), 1, 300 * 2.3e-16 * (8 + place));
            }
        }
    }
}

/* After one turn of a uniform field the velocity is behind by pi (w h)^2 / 6, of Cayley's angle 2 atan(w h / 2): second order, for methods of first order too. */
static void phase_is_of_second_order(test* t)
{
    EACH_METHOD(m)
    {
        enum { RUNS = 3 };
        double h[RUNS], late[RUNS];
        if (!m->gyrates) continue;
        for (int k = 0; k < RUNS; ++k) {
            trap s = {.w = {0, 0, 2 * KIN_PI}};
            kin_ode ode = ode_of(&s);
            double y0[2 * PAIRS] = {0};
            int steps = 50 << k;
            for (int i = 0; i < POINTS; ++i) y0[PAIRS + i] = 1;
            h[k] = 1.0 / steps;
            run r = run_begin(m, &ode, h[k], y0);
            run_steps(&r, steps);
            late[k] = -atan2(r.y[PAIRS + POINTS], r.y[PAIRS]);
            NEAR(t, late[k], 2 * KIN_PI * kin_square(2 * KIN_PI * h[k]) / 12, 0.01 * late[k]);
        }
        NEAR(t, log_slope(RUNS, h, late), 2, 0.01);
    }
}

/* Against Runge-Kutta with the whole force in the rates, on a field that pulls, turns and varies. */
static void order_is_that_of_the_method(test* t)
{
    enum { RUNS = 4 };
    double y0[2 * PAIRS];
    scatter(3, y0);
    trap exact = {.w = {0.7, -1.1, 2}, .pull = 1.5, .gradient = 0.3, .whole = true};
    kin_ode whole = ode_of(&exact);
    run reference = run_begin(method_named("rk4"), &whole, 1.0 / 2000, y0);
    run_steps(&reference, 2000);
    EACH_METHOD(m)
    {
        double h[RUNS], error[RUNS];
        if (!m->gyrates) continue;
        for (int k = 0; k < RUNS; ++k) {
            trap s = exact;
            s.whole = false;
            kin_ode ode = ode_of(&s);
            int steps = 50 << k;
            h[k] = 1.0 / steps;
            error[k] = 0;
            run r = run_begin(m, &ode, h[k], y0);
            run_steps(&r, steps);
            for (int i = 0; i < 2 * PAIRS; ++i) error[k] = fmax(error[k], fabs(r.y[i] - reference.y[i]));
        }
        NEAR(t, log_slope(RUNS, h, error), m->order, 0.1);
    }
}

static void the_verlet_family_is_one_method(test* t)
{
    double y0[2 * PAIRS];
    scatter(5, y0);
    trap s = {.w = {3, -8, 5}, .pull = 2, .gradient = 0.2};
    kin_ode ode = ode_of(&s);
    run one = run_begin(method_named("velocity_verlet"), &ode, 0.05, y0), back;
    run_steps(&one, 200);
    EACH_METHOD(m)
    {
        if (!is_verlet(m)) continue;
        run r = run_begin(m, &ode, 0.05, y0);
        run_steps(&r, 200);
        for (int i = 0; i < 2 * PAIRS; ++i) NEAR(t, r.y[i], one.y[i], 1e-10);
    }
    back = run_begin(method_named("velocity_verlet"), &ode, -0.05, one.y); /* and goes back the way it came */
    run_steps(&back, 200);
    for (int i = 0; i < 2 * PAIRS; ++i) NEAR(t, back.y[i], y0[i], 1e-10);
}

/* E x B: what is pushed across a field drifts by w x a / w^2 in the mean, however long the step. */
static void forces_across_drift(test* t)
{
    EACH_METHOD(m)
    {
        if (!m->gyrates) continue;
        trap s = {.w = {0, 0, 40}, .pull = 1e-9};
        kin_ode ode = ode_of(&s);
        double a = 1, y0[2 * PAIRS] = {0}, shift = a / s.pull; /* far away the pull is uniform */
        for (int i = 0; i < POINTS; ++i) y0[i] = -shift;
        run r = run_begin(m, &ode, 0.1, y0);
        run_steps(&r, 1000);
        for (int i = 0; i < POINTS; ++i) {
            NEAR(t, r.y[POINTS + i] / 100, a / 40, 1e-4);
            CHECK(t, fabs(r.y[i] + shift) < 0.5);
        }
    }
}

static double across(void* context, double time, const double* y)
{
    (void)context, (void)time;
    return y[PAIRS]; /* the first velocity's x */
}

static void a_stop_at_an_event_turns_too(test* t)
{
    EACH_METHOD(m)
    {
        if (!m->gyrates) continue;
        trap s = {.w = {0, 0, 1}};
        kin_ode ode = ode_of(&s);
        kin_arena arena;
        double y0[2 * PAIRS] = {0}, y1[2 * PAIRS], memory[PAIRS], dydt[2 * PAIRS];
        bool hit;
        kin_arena_init(&arena, &t->allocator);
        for (int i = 0; i < POINTS; ++i) y0[PAIRS + i] = 1;
        trapped(&s, 0, y0, dydt);
        if (m->restart != NULL) m->restart(&ode, memory, 0, PAIRS, 2.5, y0, dydt);
        double time = kin_ode_step_until(m, &ode, memory, 0, 2.5, y0, y1, across, 3, 1e-13, &arena, &hit);
        CHECK(t, hit);
        NEAR(t, time, 2, 1e-12); /* a quarter turn by Cayley: tan(pi / 4) = w h / 2 */
        NEAR(t, speed(y1, 0), 1, 1e-14);
        kin_arena_term(&arena);
    }
}

static void two_halves_make_a_whole(test* t)
{
    for (uint64_t seed = 0; seed < 1000; ++seed) {
        kin_vec3 w = random_rate(seed), v = {uniform(seed, 5, -1, 1), uniform(seed, 6, -1, 1), uniform(seed, 7, -1, 1)};
        NEAR3(t, kin_gyrate_half(kin_gyrate_half(v, w, 0.1), w, 0.1), kin_gyrate(v, w, 0.1), 2e-15);
        NEAR3(t, kin_gyrate_half(kin_gyrate_half(v, w, 0.1), w, -0.1), v, 2e-15);
    }
}

static void every_width_gives_the_same_bits(test* t)
{
    double y0[2 * PAIRS];
    scatter(9, y0);
    EACH_METHOD(m)
    {
        run r[KIN_SIMD_COUNT];
        trap s = {.w = {3, -8, 5}, .pull = 2, .gradient = 0.2};
        kin_ode ode = ode_of(&s);
        for (int simd = 0; m->gyrates && simd <= (int)kin_simd_best(); ++simd) {
            r[simd] = run_begin(kin_ode_method_named((kin_simd)simd, m->name), &ode, 0.05, y0);
            run_steps(&r[simd], 20);
            CHECK(t, memcmp(r[simd].y, r[0].y, sizeof y0) == 0);
        }
    }
}

TEST_MAIN("numerics_gyration", TEST(speed_is_kept_at_any_step), TEST(phase_is_of_second_order), TEST(order_is_that_of_the_method),
          TEST(the_verlet_family_is_one_method), TEST(forces_across_drift), TEST(a_stop_at_an_event_turns_too), TEST(two_halves_make_a_whole),
          TEST(every_width_gives_the_same_bits))
