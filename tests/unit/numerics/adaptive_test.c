/* adaptive_test.c - steps as long as a tolerance allows: the texts' numbers, accuracy, and what is told when it does not work. */
#include "numerics/adaptive.h"
#include "problems.h"

static kin_adaptive tight(double tolerance)
{
    kin_adaptive def = kin_adaptive_default();
    def.absolute = def.relative = tolerance;
    return def;
}

static kin_adaptive_report go(test* t, const kin_adaptive* def, const char* method, const kin_ode* ode, double begin, double length,
                              kin_adaptive_memory* memory, double* y)
{
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    kin_stepper stepper = kin_stepper_of(method_named(method));
    kin_adaptive_report report = kin_adaptive_advance(def, &stepper, ode, begin, length, memory, y, &arena);
    CHECK(t, arena.used == 0);
    kin_arena_term(&arena);
    return report;
}

/* H7.6: 100 and 99 with h = 0.1 give c = 106667; for 0.1 the step is 0.0623 (0.0622 in print), and the 0.05 result is kept. */
static void house_numbers(test* t)
{
    kin_adaptive def = {.rule = KIN_ADAPTIVE_HOUSE, .safety = 1};
    NEAR(t, kin_doubling_constant(5, 0.1, 100 - 99), 106667, 0.5);
    kin_adaptive_choice b = kin_adaptive_choose(&def, 5, 0.1, 1 / 0.1, 0);
    CHECK(t, b.keep);
    NEAR(t, b.h, 0.0623, 5e-5);
    NEAR(t, b.h, pow(0.1 / kin_doubling_constant(5, 0.1, 1), 0.2), 1e-16);
    kin_adaptive_choice a = kin_adaptive_choose(&def, 5, 0.1, 1 / 0.01, 0), c = kin_adaptive_choose(&def, 5, 0.1, 1 / 10.0, 0);
    CHECK(t, !a.keep && a.h < 0.05); /* a: below the halves, again */
    CHECK(t, c.keep && c.h > 0.1);   /* c: longer */
    NEAR(t, c.h / b.h, pow(100, 0.2), 1e-14);
    def.safety = 0.9;
    NEAR(t, kin_adaptive_choose(&def, 5, 0.1, 10, 0).h, 0.9 * b.h, 1e-16);
}

/* N7: y' = -y from 1, h = 0.1: what doubling sees, and hd for 1e-6. p = 2, 3, 5. */
static void coutinho_numbers(test* t)
{
    static const struct {
        const char* name;
        double difference, wanted;
    } rows[] = {{"euler", 0.0025, 0.002}, {"midpoint", -1.234375e-4, 0.020084}, {"rk4", -7.70507e-8, 0.166972}};
    kin_adaptive def = {.rule = KIN_ADAPTIVE_COUTINHO, .safety = 1};
    for (int i = 0; i < 3; ++i) {
        const kin_ode_method* m = method_named(rows[i].name);
        run whole = run_begin(m, &decay_ode, 0.1, (double[]){1}), halves = run_begin(m, &decay_ode, 0.05, (double[]){1});
        run_steps(&whole, 1);
        run_steps(&halves, 2);
        double difference = halves.y[0] - whole.y[0];
        NEAR(t, difference / rows[i].difference, 1, 1e-6);
        kin_adaptive_choice choice = kin_adaptive_choose(&def, m->order + 1, 0.1, fabs(difference) / 1e-6, 0);
        CHECK(t, choice.keep == (i == 2));
        NEAR(t, choice.h, i == 2 ? 0.8 * rows[i].wanted : rows[i].wanted, 6e-7);
    }
    CHECK(t, kin_adaptive_choose(&def, 5, 0.1, 0.9, 0).h == 0.1); /* room for less than 0.8: as it is */
}

/* P4: A h below C1, h / A above C2. */
static void slides_rule(test* t)
{
    kin_adaptive def = kin_adaptive_default();
    def.rule = KIN_ADAPTIVE_SLIDES;
    def.factor = 1.5;
    kin_adaptive_choice calm = kin_adaptive_choose(&def, 5, 0.1, 0.05, 0), fair = kin_adaptive_choose(&def, 5, 0.1, 0.5, 0),
                        rough = kin_adaptive_choose(&def, 5, 0.1, 1.5, 0);
    CHECK(t, calm.keep && fair.keep && !rough.keep);
    NEAR(t, calm.h, 0.15, 1e-16);
    NEAR(t, fair.h, 0.1, 0);
    NEAR(t, rough.h, 0.1 / 1.5, 1e-17);
}

static void pi_rule(test* t)
{
    kin_adaptive def = kin_adaptive_default();
    NEAR(t, kin_adaptive_choose(&def, 5, 1, 1, 0).h, 0.9, 1e-15);
    NEAR(t, kin_adaptive_choose(&def, 5, 1, 0, 1).h, 5, 0);         /* bounded */
    NEAR(t, kin_adaptive_choose(&def, 5, 1, 1e9, 1).h, 0.2, 0);     /* bounded */
    NEAR(t, kin_adaptive_choose(&def, 5, 1, 32, 1).h, 0.45, 1e-15); /* plain when undone */
    CHECK(t, !kin_adaptive_choose(&def, 5, 1, 1.01, 1).keep && kin_adaptive_choose(&def, 5, 1, 0.99, 1).keep);
    double rising = kin_adaptive_choose(&def, 5, 1, 0.5, 0.1).h, steady = kin_adaptive_choose(&def, 5, 1, 0.5, 0.5).h;
    CHECK(t, rising < steady); /* an error that grows is met before it is too large */
    NEAR(t, steady, 0.9 * pow(0.5, -0.2 + 0.03 - 0 + 0.04), 1e-14);
}

/* Kepler's problem, e = 0.6, one period: every method and rule comes home, with long steps far out and short ones near. */
static void kepler(void* context, double t, const double* y, double* dydt)
{
    (void)t;
    if (context != NULL) ++*(int*)context;
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = -y[0] / r3;
    dydt[3] = -y[1] / r3;
}
static const double kepler_start[4] = {0.4, 0, 0, 2}; /* perihelion: 1 - e, sqrt((1 + e) / (1 - e)) */
static const kin_ode kepler_ode = {.size = 4, .pairs = 2, .derivative = kepler};

static void every_method_comes_home(test* t)
{
    const double period = 2 * acos(-1);
    EACH_METHOD(m)
    {
        for (int rule = KIN_ADAPTIVE_PI; rule <= KIN_ADAPTIVE_SLIDES; ++rule) {
            double y[4];
            kin_adaptive_memory memory = {0};
            kin_adaptive def = tight(m->order == 1 ? 1e-7 : 1e-9);
            def.rule = rule;
            memcpy(y, kepler_start, sizeof y);
            kin_adaptive_report report = go(t, &def, m->name, &kepler_ode, 0, period, &memory, y);
            double off = 0;
            for (int i = 0; i < 4; ++i) off = fmax(off, fabs(y[i] - kepler_start[i]));
            test_check(t, report.result == KIN_OK && off < (m->order == 1 ? 0.2 : 3e-4), __FILE__, __LINE__, "%s, rule %d: off by %g after %d kept, %d undone",
                       m->name, rule, off, report.kept, report.undone);
            CHECK(t, report.time == period && report.forced == 0 && report.longest > 3 * report.shortest && memory.h > 0);
        }
    }
}

/* Error follows tolerance; the embedded pair needs fewer derivatives than doubling. */
static void tolerance_is_met(test* t)
{
    for (int k = 4; k <= 11; ++k) {
        int count[2] = {0};
        for (int doubling = 0; doubling < 2; ++doubling) {
            kin_ode ode = kepler_ode;
            ode.context = &count[doubling];
            kin_adaptive def = tight(pow(10, -k));
            def.doubling = doubling;
            double y[4];
            memcpy(y, kepler_start, sizeof y);
            kin_adaptive_memory memory = {0};
            kin_adaptive_report report = go(t, &def, "rk45", &ode, 0, 2 * acos(-1), &memory, y);
            double off = hypot(y[0] - 0.4, y[1]);
            test_check(t, report.result == KIN_OK && off < 300 * pow(10, -k), __FILE__, __LINE__, "tolerance 1e-%d, doubling %d: off by %g", k, doubling, off);
            if (doubling == 0) EQUAL(t, count[0], 1 + 6 * (report.kept + report.undone)); /* the end of one step is the start of the next */
        }
        CHECK(t, count[0] < count[1]);
    }
}

/* H7.6: for a global error each step gets its share. */
static void global_error_is_met(test* t)
{
    double error[2];
    for (int k = 0; k < 2; ++k) {
        kin_adaptive def = tight(1e-7);
        def.relative = 0;
        def.global = true;
        double y[2] = {1, 0};
        kin_adaptive_memory memory = {0};
        kin_adaptive_report report = go(t, &def, "rk4", &oscillator_ode, 0, k == 0 ? 1 : 100, &memory, y);
        error[k] = hypot(y[0] - cos(report.time), y[1] + sin(report.time));
        CHECK(t, report.result == KIN_OK && error[k] < 2e-7);
    }
}

static void backwards_and_in_parts(test* t)
{
    kin_adaptive def = tight(1e-10);
    kin_adaptive_memory memory = {0};
    double y[2] = {1, 0.5};
    double time = 1;
    for (int k = 0; k < 7; ++k) {
        kin_adaptive_report report = go(t, &def, "rk45", &oscillator_ode, time, 0.3, &memory, y);
        time = report.time;
        CHECK(t, report.result == KIN_OK && (k == 0 || report.undone == 0)); /* remembers h: a cut step does not make the next part start small */
        if (k > 0) CHECK(t, report.kept < 14);
    }
    NEAR(t, y[0], cos(2.1) + 0.5 * sin(2.1), 1e-8);
    kin_adaptive_report back = go(t, &def, "rk45", &oscillator_ode, time, -2.1, &memory, y);
    NEAR(t, back.time, time - 2.1, 0);
    NEAR(t, y[0], 1, 1e-8);
    NEAR(t, y[1], 0.5, 1e-8);
}

/* y' = y^2 from 1 has no answer at t = 1: stopped there, with the component. */
static void blow_up(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = -y[0];
    dydt[1] = y[1] * y[1];
    dydt[2] = 0;
}

static void minimum_is_reported(test* t)
{
    kin_ode ode = {.size = 3, .derivative = blow_up};
    for (int insist = 0; insist < 2; ++insist) {
        kin_adaptive def = tight(1e-8);
        def.minimum = 1e-6;
        def.insist = insist;
        double y[3] = {1, 1, 0};
        kin_adaptive_memory memory = {0};
        kin_adaptive_report report = go(t, &def, "rk45", &ode, 0, 2, &memory, y);
        EQUAL(t, report.result, KIN_ERROR_NUMERICS);
        EQUAL(t, report.worst, 1);
        NEAR(t, report.forced_time, 1, 1e-3);
        CHECK(t, report.forced_time < 1 && report.ratio > 1 && isfinite(y[0]) && isfinite(y[1]));
        CHECK(t, insist ? report.forced > 0 && report.time > report.forced_time : report.forced == 0 && report.time == report.forced_time);
    }
}

/* A kick that no step is short enough for: insist and go on. */
static void jump(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)y;
    dydt[0] = t < 0.5 ? 0 : 1e3;
}

static void insisting_passes_a_jump(test* t)
{
    kin_ode ode = {.size = 1, .derivative = jump};
    kin_adaptive def = tight(1e-9);
    def.minimum = 1e-4;
    def.insist = true;
    double y[1] = {0};
    kin_adaptive_memory memory = {.h = 0.01};
    kin_adaptive_report report = go(t, &def, "rk4", &ode, 0, 1, &memory, y);
    CHECK(t, report.result == KIN_OK && report.forced >= 1 && report.time == 1 && report.worst == 0);
    NEAR(t, report.forced_time, 0.5, 2e-4);
    NEAR(t, y[0], 500, 0.2);
}

static void bad_ends(test* t)
{
    kin_adaptive def = tight(1e-8);
    kin_adaptive_memory memory = {0};
    double nan[2] = {1, NAN}, y[2] = {1, 0};
    kin_adaptive_report report = go(t, &def, "rk45", &oscillator_ode, 0, 1, &memory, nan);
    CHECK(t, report.result == KIN_ERROR_NUMERICS && report.time == 0 && report.worst >= 0);
    def.max_steps = 3;
    memory = (kin_adaptive_memory){0};
    report = go(t, &def, "rk45", &oscillator_ode, 0, 100, &memory, y);
    CHECK(t, report.result == KIN_ERROR_LIMIT && report.time > 0 && report.time < 100);
    NEAR(t, y[0], cos(report.time), 1e-7);
    kin_adaptive bounded = tight(1e-2);
    bounded.maximum = 0.01;
    memory = (kin_adaptive_memory){0};
    y[0] = 1, y[1] = 0;
    report = go(t, &bounded, "rk45", &oscillator_ode, 0, 1, &memory, y);
    CHECK(t, report.longest == 0.01 && report.kept >= 100);
}

static bool with_faults(test* t, void* context)
{
    double* y = context;
    kin_adaptive def = tight(1e-8);
    kin_adaptive_memory memory = {0};
    kin_adaptive_report report = go(t, &def, "verlet", &oscillator_ode, 0, 1, &memory, y);
    if (report.result != KIN_OK) CHECK(t, report.result == KIN_ERROR_MEMORY && report.time == 0 && y[0] == 1);
    return report.result == KIN_OK;
}

static void no_room_is_told(test* t)
{
    double y[2] = {1, 0};
    test_fail_each_allocation(t, with_faults, y);
    NEAR(t, y[0], cos(1), 1e-5);
}

TEST_MAIN("numerics_adaptive", TEST(house_numbers), TEST(coutinho_numbers), TEST(slides_rule), TEST(pi_rule), TEST(every_method_comes_home),
          TEST(tolerance_is_met), TEST(global_error_is_met), TEST(backwards_and_in_parts), TEST(minimum_is_reported), TEST(insisting_passes_a_jump),
          TEST(bad_ends), TEST(no_room_is_told))
