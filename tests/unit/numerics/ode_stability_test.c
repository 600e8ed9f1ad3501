/* ode_stability_test.c - gains per step and the largest steps that stay bounded (H7.5a-c, N6, P4, R3.2). */
#include "problems.h"

/* The two numbers of the book that depend on the method, or 0 when there is no such limit. */
static double decay_limit(const kin_ode_method* m) { return m->order == 5 ? 3.306568 : m->order == 4 ? 2.785294 : 2; }

static double oscillator_limit(const kin_ode_method* m)
{
    if (strcmp(m->name, "rk4") == 0) return sqrt(8);
    return is_verlet(m) || strcmp(m->name, "semi_implicit") == 0 ? 2 : 0;
}

/* H7.5a, Fig 7.1: x' = -x/T, one step of h = 2T, T, T/2, T/4. The rest of the state moves by Euler, RK2 or RK4 according to order. */
static void decay_gains(test* t)
{
    static const double z[4] = {2, 1, 0.5, 0.25};
    static const double gains[4][4] = {{-1, 0, 0.5, 0.75},
                                       {1, 0.5, 0.625, 0.78125},
                                       {1.0 / 3, 0.375, 0.6067708333333333, 0.7788085937500000},
                                       {0.1733333333333333, 0.3683333333333333, 0.6065364583333333, 0.7788008626302083}};
    EACH_METHOD(m)
    {
        for (int k = 0; k < 4; ++k) {
            run r = run_begin(m, &decay_ode, z[k], (double[]){1});
            run_steps(&r, 1);
            NEAR(t, r.y[0], gains[m->order >= 4 ? m->order - 2 : m->order - 1][k], m->order == 5 ? 2e-15 : 1e-15); /* rk45 sums six stages */
        }
    }
}

static bool stays_bounded(const kin_ode_method* m, const kin_ode* ode, double h)
{
    run r = run_begin(m, ode, h, (double[]){1, 0.5});
    for (int k = 0; k < 200; ++k) {
        run_steps(&r, 100);
        if (!(fabs(r.y[0]) < 1e6)) return false;
    }
    return true;
}

static double largest_step(const kin_ode_method* m, const kin_ode* ode)
{
    double low = 0.5, high = 4;
    while (high - low > 1e-5) {
        double h = 0.5 * (low + high);
        if (stays_bounded(m, ode, h))
            low = h;
        else
            high = h;
    }
    return low;
}

/* H7.5a, N6: decays stay bounded to 2T, 2T, 2.785T. */
static void decay_limits(test* t) { EACH_METHOD(m) NEAR(t, largest_step(m, &decay_ode), decay_limit(m), 1e-3); }

/* P4, H7.5b, H7.2: w h < 2 for the symplectic methods, 2.828 for RK4; all others grow at any step. */
static void oscillator_limits(test* t)
{
    EACH_METHOD(m)
    {
        if (m->order == 5) continue; /* grows too slowly beyond its limit: rk45_limit */
        if (oscillator_limit(m) > 0)
            NEAR(t, largest_step(m, &oscillator_ode), oscillator_limit(m), 1.5e-3);
        else
            CHECK(t, !stays_bounded(m, &oscillator_ode, 0.4));
    }
}

/* det of one step's map: the growth of the area, and for these maps of amplitude squared. */
static double determinant(const kin_ode_method* m, double h)
{
    run x = run_begin(m, &oscillator_ode, h, (double[]){1, 0});
    run v = run_begin(m, &oscillator_ode, h, (double[]){0, 1});
    run_steps(&x, 1);
    run_steps(&v, 1);
    return x.y[0] * v.y[1] - x.y[1] * v.y[0];
}

/* 1 - z^2/2 + z^4/24 - z^6/600 + i (z - z^3/6 + z^5/120) is not longer than 1 for z = w h up to 0.9972. */
static void rk45_limit(test* t)
{
    double low = 0.5, high = 1.5;
    while (high - low > 1e-9) {
        double h = 0.5 * (low + high);
        if (determinant(method_named("rk45"), h) <= 1)
            low = h;
        else
            high = h;
    }
    NEAR(t, low, 0.9971890, 1e-6);
}

/* H7.5b: Euler 1 + (wh)^2, average 1 + (wh)^2/2, RK2 1 + (wh)^4/4, the symplectic 1. N6: growth per step at wh = 0.1. */
static void oscillator_growth(test* t)
{
    for (double z = 0.1; z < 2; z += 0.3) {
        NEAR(t, determinant(method_named("euler"), z), 1 + z * z, 1e-13);
        NEAR(t, determinant(method_named("average"), z), 1 + z * z / 2, 1e-13);
        NEAR(t, determinant(method_named("midpoint"), z), 1 + z * z * z * z / 4, 1e-13);
        NEAR(t, determinant(method_named("heun"), z), 1 + z * z * z * z / 4, 1e-13);
        NEAR(t, determinant(method_named("rk4"), z), 1 - pow(z, 6) / 72 + pow(z, 8) / 576, 1e-13);
        NEAR(t, determinant(method_named("semi_implicit"), z), 1, 1e-13);
        NEAR(t, determinant(method_named("velocity_verlet"), z), 1, 1e-13);
    }
    NEAR(t, sqrt(determinant(method_named("euler"), 0.1)), 1.00498756, 5e-9);
    NEAR(t, sqrt(determinant(method_named("midpoint"), 0.1)), 1.0000124999, 5e-11);
    NEAR(t, sqrt(determinant(method_named("rk4"), 0.1)), 0.999999993064, 5e-13);
}

/* H7.5b, Fig 7.2: RK4 at h = P/2, P/4, P/16, P/128 */
static void oscillator_rk4_gains(test* t)
{
    const double period = 2 * acos(-1);
    NEAR(t, sqrt(determinant(method_named("rk4"), period / 2)), 2.0299, 5e-5);
    NEAR(t, sqrt(determinant(method_named("rk4"), period / 4)), 0.92505, 5e-6);
    NEAR(t, sqrt(determinant(method_named("rk4"), period / 16)), 0.999975, 5e-7);
    NEAR(t, sqrt(determinant(method_named("rk4"), period / 128)), 1.0, 1e-9);
}

static int steps_until(const kin_ode_method* m, double h, double amplitude_squared)
{
    run r = run_begin(m, &oscillator_ode, h, (double[]){1, 0});
    int steps = 0;
    while (r.y[0] * r.y[0] + r.y[1] * r.y[1] < amplitude_squared) run_steps(&r, 1), ++steps;
    return steps;
}

/* Table D: steps to 1 % growth for h = P/8 ... P/256; printed are those of amplitude squared, measured amplitude takes twice as long. */
static void oscillator_table_d(test* t)
{
    static const int euler[2][6] = {{1, 1, 1, 2, 5, 17}, {1, 1, 1, 3, 9, 34}};
    static const int rk2[2][6] = {{1, 2, 27, 429, 6856, 109683}, {1, 4, 54, 857, 13711, 219366}};
    for (int k = 0; k < 6; ++k) {
        double h = 2 * acos(-1) / (8 << k);
        for (int measured = 0; measured < 2; ++measured) {
            double limit = measured ? 1.01 * 1.01 : 1.01;
            EQUAL(t, steps_until(method_named("euler"), h, limit), euler[measured][k]);
            EQUAL(t, steps_until(method_named("midpoint"), h, limit), rk2[measured][k]);
        }
    }
}

/* H7.5c, Table 7.1: derivatives per unit of time at the limit, T = 1 or P = 1. */
static void cost_at_the_limit(test* t)
{
    const double period = 2 * acos(-1);
    NEAR(t, method_named("euler")->stages / decay_limit(method_named("euler")), 0.5, 0.005);
    NEAR(t, method_named("midpoint")->stages / decay_limit(method_named("midpoint")), 1, 0.005);
    NEAR(t, method_named("rk4")->stages / decay_limit(method_named("rk4")), 1.44, 0.005);
    NEAR(t, method_named("rk4")->stages * period / oscillator_limit(method_named("rk4")), 4 * 2.2214, 0.0005); /* the book rounds 2.2214 to 2.3 */
}

/* P4: explicit Euler multiplies the energy of a spring by 1 + (wh)^2 each step. */
static void euler_energy_gain(test* t)
{
    run r = run_begin(method_named("euler"), &oscillator_ode, 0.2, (double[]){1, 0});
    run_steps(&r, 50);
    NEAR(t, (r.y[0] * r.y[0] + r.y[1] * r.y[1]) / pow(1.04, 50), 1, 1e-13);
}

TEST_MAIN("numerics_ode_stability", TEST(decay_gains), TEST(decay_limits), TEST(oscillator_limits), TEST(rk45_limit), TEST(oscillator_growth),
          TEST(oscillator_rk4_gains), TEST(oscillator_table_d), TEST(cost_at_the_limit), TEST(euler_energy_gain))
