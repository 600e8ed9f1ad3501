/* bulirsch_test.c - orders, extrapolation by both ways, orbits to many digits. */
#include "numerics/bulirsch.h"
#include "problems.h"

static void one_step(test* t, const kin_bulirsch* def, const kin_ode* ode, double time, double h, const double* y0, double* y1, double* error)
{
    double dydt0[PROBLEM_SIZE];
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    ode->derivative(ode->context, time, y0, dydt0);
    EQUAL(t, kin_bulirsch_step(def, ode, time, h, y0, dydt0, y1, error, &arena), KIN_OK);
    CHECK(t, arena.used == 0);
    kin_arena_term(&arena);
}

/* y' = -y^2 + cos t: nonlinear, of time. One step errs as h^(2 columns + 1), its estimate as h^(2 columns - 1). */
static void riccati(void* context, double t, const double* y, double* dydt)
{
    if (context != NULL) ++*(int*)context;
    dydt[0] = -y[0] * y[0] + cos(t);
}

static void orders(test* t)
{
    enum { RUNS = 4 };
    kin_ode ode = {.size = 1, .derivative = riccati};
    kin_bulirsch fine = {.columns = 8};
    for (int columns = 2; columns <= 4; ++columns) {
        for (int rational = 0; rational < 2; ++rational) {
            kin_bulirsch def = {.columns = columns, .rational = rational};
            double h[RUNS], error[RUNS], estimate[RUNS];
            for (int k = 0; k < RUNS; ++k) {
                double y0[1] = {0.7}, y1[1], exact[1], e[1];
                h[k] = (columns == 4 ? 0.5 : 0.4) * pow(0.75, k);
                one_step(t, &fine, &ode, 0.3, h[k], y0, exact, e);
                one_step(t, &def, &ode, 0.3, h[k], y0, y1, e);
                error[k] = fabs(y1[0] - exact[0]);
                estimate[k] = fabs(e[0]);
                CHECK(t, error[k] < estimate[k]);
            }
            double slope = log_slope(RUNS, h, error), estimated = log_slope(RUNS, h, estimate);
            test_check(t, fabs(slope - 2 * columns - 1) < 0.7 && fabs(estimated - 2 * columns + 1) < 0.7, __FILE__, __LINE__,
                       "%d columns, rational %d: orders %.2f and %.2f", columns, rational, slope, estimated);
        }
    }
}

/* Counts its derivatives; the times lie inside the step. */
static void stages(test* t)
{
    for (int columns = 2; columns <= KIN_BULIRSCH_COLUMNS; ++columns) {
        int count = 0;
        kin_ode ode = {.size = 1, .context = &count, .derivative = riccati};
        kin_bulirsch def = {.columns = columns};
        double y0[1] = {1}, y1[1], e[1];
        one_step(t, &def, &ode, 0, 0.1, y0, y1, e);
        EQUAL(t, count, 1 + kin_bulirsch_stages(&def));
        EQUAL(t, kin_bulirsch_stages(&def), columns * (columns + 1));
    }
}

/* A rational answer has no better friend: y' = y^2 has 1 / (1 - t); fractions come closer to the pole. Constants and zeros survive their 0 / 0. */
static void square(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = y[0] * y[0];
    dydt[1] = 0;
    dydt[2] = 0;
}

static void rational_extrapolation(test* t)
{
    kin_ode ode = {.size = 3, .derivative = square};
    double error[2], e[3], y0[3] = {1, 0, 5}, y1[3];
    for (int rational = 0; rational < 2; ++rational) {
        kin_bulirsch def = {.columns = 6, .rational = rational};
        one_step(t, &def, &ode, 0, 0.8, y0, y1, e);
        error[rational] = fabs(y1[0] - 5);
        CHECK(t, y1[1] == 0 && y1[2] == 5 && e[1] == 0 && e[2] == 0);
    }
    test_check(t, error[0] < 0.05 && error[1] < 0.05, __FILE__, __LINE__, "polynomial %g, rational %g", error[0], error[1]);
}

static void kepler(void* context, double t, const double* y, double* dydt)
{
    (void)t;
    ++*(int*)context;
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = -y[0] / r3;
    dydt[3] = -y[1] / r3;
}

static kin_adaptive_report drive(test* t, const kin_stepper* stepper, const kin_ode* ode, double tolerance, double length, double* y)
{
    kin_adaptive def = kin_adaptive_default();
    def.absolute = def.relative = tolerance;
    kin_adaptive_memory memory = {0};
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    kin_adaptive_report report = kin_adaptive_advance(&def, stepper, ode, 0, length, &memory, y, &arena);
    kin_arena_term(&arena);
    return report;
}

/* Three periods of an orbit with e = 0.9, to 12 digits a step, in fewer derivatives than rk45 asks for. */
static void eccentric_orbit(test* t)
{
    int count[3] = {0};
    for (int form = 0; form < 3; ++form) {
        kin_bulirsch def = kin_bulirsch_default();
        def.rational = form == 1;
        kin_stepper stepper = form < 2 ? kin_bulirsch_stepper(&def) : kin_stepper_of(method_named("rk45"));
        kin_ode ode = {.size = 4, .pairs = 2, .context = &count[form], .derivative = kepler};
        double y[4] = {0.1, 0, 0, sqrt(19)};
        kin_adaptive_report report = drive(t, &stepper, &ode, 1e-12, 6 * acos(-1), y);
        double energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1 / hypot(y[0], y[1]);
        test_check(t, report.result == KIN_OK && fabs(y[0] - 0.1) < 1e-7 && fabs(y[1]) < 1e-6, __FILE__, __LINE__, "form %d: off by %g, %g; %d kept, %d undone",
                   form, y[0] - 0.1, y[1], report.kept, report.undone);
        NEAR(t, energy, -0.5, 1e-9);
    }
    test_check(t, count[0] < count[2] && count[1] < count[2], __FILE__, __LINE__, "derivatives: %d %d, rk45 %d", count[0], count[1], count[2]);
}

/* Three bodies on one figure of eight (Chenciner, Montgomery 2000): on their curve for ten periods. */
static void three_bodies(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    memcpy(dydt, y + 6, 6 * sizeof *y);
    memset(dydt + 6, 0, 6 * sizeof *y);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            double dx = y[2 * j] - y[2 * i], dy = y[2 * j + 1] - y[2 * i + 1], r2 = dx * dx + dy * dy, w = 1 / (r2 * sqrt(r2));
            dydt[6 + 2 * i] += w * dx, dydt[7 + 2 * i] += w * dy;
            dydt[6 + 2 * j] -= w * dx, dydt[7 + 2 * j] -= w * dy;
        }
    }
}

static void figure_of_eight(test* t)
{
    const double x = 0.97000436, z = -0.24308753, vx = -0.93240737, vz = -0.86473146, period = 6.32591398;
    const double start[12] = {x, z, -x, -z, 0, 0, -vx / 2, -vz / 2, -vx / 2, -vz / 2, vx, vz};
    kin_ode ode = {.size = 12, .pairs = 6, .derivative = three_bodies};
    kin_bulirsch def = kin_bulirsch_default();
    kin_stepper steppers[2] = {kin_bulirsch_stepper(&def), kin_stepper_of(method_named("rk45"))};
    for (int k = 0; k < 2; ++k) {
        double y[12];
        memcpy(y, start, sizeof y);
        kin_adaptive_report report = drive(t, &steppers[k], &ode, 1e-11, 10 * period, y);
        EQUAL(t, report.result, KIN_OK);
        for (int i = 0; i < 12; ++i) NEAR(t, y[i], start[i], 2e-5); /* the start is known to 8 digits */
    }
}

static bool with_faults(test* t, void* context)
{
    (void)context;
    double y[2] = {1, 0};
    kin_bulirsch def = kin_bulirsch_default();
    kin_stepper stepper = kin_bulirsch_stepper(&def);
    kin_adaptive_report report = drive(t, &stepper, &oscillator_ode, 1e-10, 1, y);
    if (report.result != KIN_OK)
        CHECK(t, report.result == KIN_ERROR_MEMORY && y[0] == 1);
    else
        NEAR(t, y[0], cos(1), 1e-9);
    return report.result == KIN_OK;
}

static void no_room_is_told(test* t) { test_fail_each_allocation(t, with_faults, NULL); }

TEST_MAIN("numerics_bulirsch", TEST(orders), TEST(stages), TEST(rational_extrapolation), TEST(eccentric_orbit), TEST(figure_of_eight), TEST(no_room_is_told))
