/* ode_test.c - orders, exactness, memory and bits of the integrators. */
#include "problems.h"
#include "numerics/quadrature.h"

static void table_and_names_agree(test* t)
{
    int count = 0;
    while (kin_ode_method_names[count] != NULL) ++count;
    EQUAL(t, kin_ode_method_count(), count);
    for (int simd = 0; simd < KIN_SIMD_COUNT; ++simd) {
        for (int i = 0; i < count; ++i) {
            const kin_ode_method* m = kin_ode_method_at(simd, i);
            TEXT(t, m->name, kin_ode_method_names[i]);
            CHECK(t, kin_ode_method_named(simd, m->name) == m);
            CHECK(t, m->title != NULL && m->doc != NULL && m->step != NULL && m->stages > 0);
        }
        CHECK(t, kin_ode_method_at(simd, count - 1)[1].name == NULL);
        CHECK(t, kin_ode_method_named(simd, "rk5") == NULL);
    }
}

/* H2.5a, H2.6a-c, Table A: a ball dropped from 100 with g = 10. */
static void handbook_table_a(test* t)
{
    static const struct {
        const char* name;
        double h;
        int count;
        double x[9];
    } rows[] = {
        {"average", 1, 5, {100, 95, 80, 55, 20}},
        {"euler", 1, 5, {100, 100, 90, 70, 40}},
        {"semi_implicit", 1, 5, {100, 90, 70, 40, 0}},
        {"euler", 0.5, 9, {100, 100, 97.5, 92.5, 85, 75, 62.5, 47.5, 30}},
    };
    double a = -10;
    kin_ode ode = {.size = 2, .pairs = 1, .context = &a, .derivative = falling};
    for (int i = 0; i < 4; ++i) {
        run r = run_begin(method_named(rows[i].name), &ode, rows[i].h, (double[]){100, 0});
        for (int k = 0; k < rows[i].count; ++k) {
            NEAR(t, r.y[0], rows[i].x[k], 0);
            NEAR(t, r.y[1], -10 * r.t, 0);
            run_steps(&r, 1);
        }
    }
}

/* P4: after k steps Euler is g k h^2 / 2 above, semi-implicit as much below; all others are exact (H2.6c, H7.2, H7.3). */
static void free_fall_error(test* t)
{
    double a = -9.81, h = 0.01;
    kin_ode ode = {.size = 2, .pairs = 1, .context = &a, .derivative = falling};
    EACH_METHOD(m)
    {
        run r = run_begin(m, &ode, h, (double[]){3, 4});
        run_steps(&r, 200);
        double error = strcmp(m->name, "euler") == 0 ? 1 : strcmp(m->name, "semi_implicit") == 0 ? -1 : 0;
        NEAR(t, r.y[0], 3 + 4 * 2 + a * 2 + error * 9.81 * 200 * h * h / 2, 1e-11);
        NEAR(t, r.y[1], 4 + a * 2, 1e-11);
    }
}

/* x'' = -x and r' = x - r: a quantity that is no motion joins (H6.2). From x = 1, v = b, r = 2. */
static void joined(void* context, double t, const double* y, double* dydt)
{
    oscillator(context, t, y, dydt);
    dydt[2] = y[0] - y[2];
}

/* H7.2, H7.3, R3.3, B7.2.1, B7.3.1, B7.3.2: errors at t = 2 of position, velocity and the rest fall with the order of the method. */
static void order_of_convergence(test* t)
{
    enum { RUNS = 4 };
    const double b = -0.4, A = (1 - b) / 2, B = (1 + b) / 2;
    const double exact[3] = {cos(2) + b * sin(2), b * cos(2) - sin(2), (2 - A) * exp(-2) + A * cos(2) + B * sin(2)};
    kin_ode ode = {.size = 3, .pairs = 1, .derivative = joined};
    EACH_METHOD(m)
    {
        double h[RUNS], error[3][RUNS];
        for (int k = 0; k < RUNS; ++k) {
            int steps = (m->order == 5 ? 24 : 64) << k; /* fewer for fifth order, or round-off shows */
            h[k] = 2.0 / steps;
            run r = run_begin(m, &ode, h[k], (double[]){1, b, 2});
            run_steps(&r, steps);
            for (int i = 0; i < 3; ++i) error[i][k] = fabs(r.y[i] - exact[i]);
        }
        for (int k = 0; k < RUNS && m->order == 5; ++k) { /* single components of rk45 pass through zero: their length does not */
            double length = sqrt(error[0][k] * error[0][k] + error[1][k] * error[1][k] + error[2][k] * error[2][k]);
            for (int i = 0; i < 3; ++i) error[i][k] = length;
        }
        for (int i = 0; i < 3; ++i) {
            double slope = log_slope(RUNS, h, error[i]);
            test_check(t, fabs(slope - m->order) < 0.1, __FILE__, __LINE__, "%s: component %d has order %.3f, not %d", m->name, i, slope, m->order);
        }
    }
}

/* H7.2: forces that depend on velocity cost the Verlet family reversibility and agreement, but not its order, as it sees v0 + h a0. x'' = -v, v(0) = 1 */
static void drag(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = y[1];
    dydt[1] = -y[1];
}

static void drag_keeps_the_order(test* t)
{
    enum { RUNS = 5 };
    kin_ode ode = {.size = 2, .pairs = 1, .derivative = drag};
    EACH_METHOD(m)
    {
        double h[RUNS], x_error[RUNS], v_error[RUNS];
        for (int k = 0; k < RUNS; ++k) {
            int steps = (m->order == 5 ? 10 : 16) << k;
            h[k] = 2.0 / steps;
            run r = run_begin(m, &ode, h[k], (double[]){0, 1});
            run_steps(&r, steps);
            x_error[k] = fabs(r.y[0] - (1 - exp(-2)));
            v_error[k] = fabs(r.y[1] - exp(-2));
        }
        double x_slope = log_slope(RUNS, h, x_error), v_slope = log_slope(RUNS, h, v_error);
        test_check(t, fabs(x_slope - m->order) < 0.15 && fabs(v_slope - m->order) < 0.15, __FILE__, __LINE__, "%s: orders %.3f and %.3f, not %d", m->name,
                   x_slope, v_slope, m->order);
    }
}

/* A clock that keeps the times it is asked for: v' = c3 t^3 + c2 t^2 + c1 t + c0. */
typedef struct asked {
    int count;
    double times[8];
    double c[4];
} asked;

static double polynomial(void* context, double t)
{
    const asked* a = context;
    return ((a->c[3] * t + a->c[2]) * t + a->c[1]) * t + a->c[0];
}

static void polynomial_force(void* context, double t, const double* y, double* dydt)
{
    asked* a = context;
    a->times[a->count++ & 7] = t;
    dydt[0] = y[1];
    dydt[1] = polynomial(context, t);
}

/* H7.4a, H7.3: dydt0 is K1, so a step asks for stages - 1 more; a force of time gets t + h/2; velocities are then the quadrature rules of H7.1. */
static void stages_and_their_times(test* t)
{
    const double t0 = 0.3, h = 0.4;
    asked clock = {.c = {2, -1, 0.5, 3}};
    kin_ode ode = {.size = 2, .pairs = 1, .context = &clock, .derivative = polynomial_force};
    EACH_METHOD(m)
    {
        double y0[2] = {1, 2}, dydt0[2], y1[2], memory[1], scratch[PROBLEM_SCRATCH];
        polynomial_force(&clock, t0, y0, dydt0);
        if (m->restart != NULL) m->restart(&ode, memory, 0, 1, h, y0, dydt0);
        clock.count = 0;
        m->step(&ode, memory, t0, h, y0, dydt0, y1, scratch);
        EQUAL(t, clock.count, m->stages - 1);
        if (m->stages == 6) { /* Dormand-Prince: exact for the cubic */
            const double c[5] = {0.2, 0.3, 0.8, 8.0 / 9.0, 1};
            for (int k = 0; k < 5; ++k) NEAR(t, clock.times[k], t0 + c[k] * h, 1e-16);
            NEAR(t, y1[1], 2 + kin_integrate(kin_quadrature_named("simpson"), polynomial, &clock, t0, t0 + h, 1), 1e-15);
            continue;
        }
        const char* rule = m->stages == 1 ? "left" : m->stages == 4 ? "simpson" : strcmp(m->name, "midpoint") == 0 ? "midpoint" : "trapezoid";
        const double* times = m->stages == 4 ? (double[]){t0 + h / 2, t0 + h / 2, t0 + h} : *rule == 'm' ? (double[]){t0 + h / 2} : (double[]){t0 + h};
        for (int k = 0; k < m->stages - 1; ++k) NEAR(t, clock.times[k], times[k], 0);
        NEAR(t, y1[1], 2 + kin_integrate(kin_quadrature_named(rule), polynomial, &clock, t0, t0 + h, 1), 1e-15);
    }
    NEAR(t, kin_integrate(kin_quadrature_named("simpson"), polynomial, &clock, t0, t0 + h, 1),
         2 * h - (0.49 - 0.09) / 2 + 0.5 * (0.343 - 0.027) / 3 + 3 * (0.2401 - 0.0081) / 4, 1e-14);
}

/* H7.4a: what is handed in is used, not computed again. */
static void given_derivative_is_used(test* t)
{
    EACH_METHOD(m)
    {
        double y0[2] = {1, 0}, dydt0[2] = {0, -1}, other[2] = {0, -1.5}, y1[2], changed[2], memory[1], scratch[PROBLEM_SCRATCH];
        if (m->restart != NULL) m->restart(&oscillator_ode, memory, 0, 1, 0.1, y0, dydt0);
        m->step(&oscillator_ode, memory, 0, 0.1, y0, dydt0, y1, scratch);
        if (m->restart != NULL) m->restart(&oscillator_ode, memory, 0, 1, 0.1, y0, other);
        m->step(&oscillator_ode, memory, 0, 0.1, y0, other, changed, scratch);
        CHECK(t, fabs(y1[0] - changed[0]) + fabs(y1[1] - changed[1]) > 1e-3);
    }
}

/* N6: y' = -y, one step of 0.1 */
static void appendix_numbers(test* t)
{
    EACH_METHOD(m)
    {
        run r = run_begin(m, &decay_ode, 0.1, (double[]){1});
        run_steps(&r, 1);
        NEAR(t, r.y[0], m->order == 1 ? 0.9 : m->order == 2 ? 0.905 : m->order == 4 ? 0.9048375 : 0.9048374183333333, 1e-15);
    }
}

/* Two coupled hard springs, x'' = -x - x^3 - (x - other)/2: forces of position alone. */
static void hard_springs(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    for (int i = 0; i < 2; ++i) {
        dydt[i] = y[2 + i];
        dydt[2 + i] = -y[i] - y[i] * y[i] * y[i] - 0.5 * (y[i] - y[1 - i]);
    }
}

static const kin_ode springs_ode = {.size = 4, .pairs = 2, .derivative = hard_springs};
static const double springs_start[4] = {1, -0.3, 0.2, 0.5};

static double springs_energy(const double* y)
{
    double stretch = y[0] - y[1], sum = 0.25 * stretch * stretch;
    for (int i = 0; i < 2; ++i) sum += 0.5 * y[2 + i] * y[2 + i] + 0.5 * y[i] * y[i] + 0.25 * y[i] * y[i] * y[i] * y[i];
    return sum;
}

/* H7.2a: the first step of all three. */
static void verlet_family_starts_on_the_parabola(test* t)
{
    double dydt[4], h = 0.1;
    hard_springs(NULL, 0, springs_start, dydt);
    EACH_METHOD(m)
    {
        if (!is_verlet(m)) continue;
        run r = run_begin(m, &springs_ode, h, springs_start);
        run_steps(&r, 1);
        for (int i = 0; i < 2; ++i) NEAR(t, r.y[i], springs_start[i] + h * springs_start[2 + i] + h * h / 2 * dydt[2 + i], 2e-16);
    }
}

/* H7.2a-c: one method in three dresses where a = f(x). */
static void verlet_family_has_the_same_positions(test* t)
{
    run basic = run_begin(method_named("verlet"), &springs_ode, 0.05, springs_start);
    run velocity = run_begin(method_named("velocity_verlet"), &springs_ode, 0.05, springs_start);
    run leap = run_begin(method_named("leapfrog"), &springs_ode, 0.05, springs_start);
    for (int k = 0; k < 400; ++k) {
        run_steps(&basic, 1);
        run_steps(&velocity, 1);
        run_steps(&leap, 1);
        for (int i = 0; i < 4; ++i) {
            NEAR(t, basic.y[i], velocity.y[i], 1e-11);
            NEAR(t, leap.y[i], velocity.y[i], 1e-12);
        }
    }
}

/* H7.2, R3.4: forward, turn round, back. */
static double return_error(const kin_ode_method* m)
{
    run r = run_begin(m, &springs_ode, 0.05, springs_start);
    for (int way = 0; way < 2; ++way) {
        run_steps(&r, 300);
        for (int i = 2; i < 4; ++i) r.y[i] = -r.y[i];
        run_restart(&r, 0.05);
    }
    double error = 0;
    for (int i = 0; i < 4; ++i) error += fabs(r.y[i] - springs_start[i]);
    return error;
}

static void verlet_family_is_reversible(test* t)
{
    EACH_METHOD(m)
    {
        double error = return_error(m);
        test_check(t, is_verlet(m) == (error < 1e-10), __FILE__, __LINE__, "%s comes back within %.3g of its start", m->name, error);
    }
}

/* H7.2: the symplectic methods err in energy, but not more with time; Euler's kind runs away. */
static void energy_is_bounded(test* t)
{
    const double start = springs_energy(springs_start);
    EACH_METHOD(m)
    {
        if (!is_verlet(m) && strcmp(m->name, "semi_implicit") != 0) continue;
        run r = run_begin(m, &springs_ode, 0.05, springs_start);
        double worst[2] = {0, 0};
        for (int k = 0; k < 100000; ++k) {
            run_steps(&r, 1);
            double error = fabs(springs_energy(r.y) / start - 1);
            worst[k / 50000] = fmax(worst[k / 50000], error);
        }
        CHECK(t, worst[0] < (is_verlet(m) ? 0.003 : 0.06));
        CHECK(t, worst[1] < 1.05 * worst[0]);
    }
    run r = run_begin(method_named("euler"), &springs_ode, 0.05, springs_start);
    run_steps(&r, 200);
    CHECK(t, springs_energy(r.y) > 1.3 * start);
}

/* A new step length restarts the memory; without it Verlet goes wrong by a whole order. */
static void restart_when_h_changes(test* t)
{
    run reference = run_begin(method_named("velocity_verlet"), &springs_ode, 0.05, springs_start);
    run_steps(&reference, 40);
    reference.h = 0.02;
    run_steps(&reference, 60);
    EACH_METHOD(m)
    {
        if (m->restart == NULL) continue;
        run r = run_begin(m, &springs_ode, 0.05, springs_start);
        run_steps(&r, 40);
        run forgot = r;
        run_restart(&r, 0.02);
        run_steps(&r, 60);
        for (int i = 0; i < 4; ++i) NEAR(t, r.y[i], reference.y[i], 1e-11);
        forgot.h = 0.02;
        run_steps(&forgot, 60);
        CHECK(t, fabs(forgot.y[0] - reference.y[0]) > 1e-3);
    }
}

/* One pair bounces: only its memory is made anew, the others go on undisturbed. */
static void restart_of_one_pair(test* t)
{
    run reference = run_begin(method_named("velocity_verlet"), &springs_ode, 0.05, springs_start);
    run_steps(&reference, 25);
    reference.y[3] = -reference.y[3];
    run_steps(&reference, 25);
    EACH_METHOD(m)
    {
        if (m->restart == NULL) continue;
        double dydt[4];
        run r = run_begin(m, &springs_ode, 0.05, springs_start);
        run_steps(&r, 25);
        r.y[3] = -r.y[3];
        double kept = r.memory[0], replaced = r.memory[1];
        hard_springs(NULL, 0, r.y, dydt);
        m->restart(&springs_ode, r.memory, 1, 2, r.h, r.y, dydt);
        CHECK(t, r.memory[0] == kept && r.memory[1] != replaced);
        run_steps(&r, 25);
        for (int i = 0; i < 4; ++i) NEAR(t, r.y[i], reference.y[i], 1e-12);
    }
}

/* A problem with everything: motion, drag, time and rest, at sizes with odd tails. */
typedef struct tangle {
    int size, pairs;
    double c[PROBLEM_SIZE];
} tangle;

static void tangled(void* context, double t, const double* y, double* dydt)
{
    const tangle* p = context;
    for (int i = 0; i < p->pairs; ++i) {
        dydt[i] = y[p->pairs + i];
        dydt[p->pairs + i] = -p->c[i] * y[i] - 0.1 * y[p->pairs + i] + 0.3 * t * y[(i + 1) % p->pairs];
    }
    for (int i = 2 * p->pairs; i < p->size; ++i) dydt[i] = p->c[i] * ((i > 0 ? y[i - 1] : t) - y[i]);
}

static double random_unit(uint64_t* state) /* xorshift, [-1, 1) */
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (double)(int64_t)*state * 0x1p-63;
}

static void widths_give_the_same_bits(test* t)
{
    uint64_t seed = 0x9E3779B97F4A7C15u;
    for (int problem = 0; problem < 40; ++problem) {
        tangle p = {.size = 1 + problem * 37 % PROBLEM_SIZE};
        p.pairs = (p.size / 2) * (problem % 5) / 4;
        double y0[PROBLEM_SIZE];
        for (int i = 0; i < p.size; ++i) y0[i] = random_unit(&seed), p.c[i] = 2 + random_unit(&seed);
        kin_ode ode = {.size = p.size, .pairs = p.pairs, .context = &p, .derivative = tangled};
        for (int i = 0; i < kin_ode_method_count(); ++i) {
            run scalar = run_begin(kin_ode_method_at(KIN_SIMD_NONE, i), &ode, 0.03, y0);
            run_steps(&scalar, 30);
            for (int simd = KIN_SIMD_SSE2; simd <= (int)kin_simd_best(); ++simd) {
                run wide = run_begin(kin_ode_method_at(simd, i), &ode, 0.03, y0);
                run_steps(&wide, 30);
                if (wide.method->error != NULL) { /* the stages of the last step are in scratch still */
                    double narrow_error[PROBLEM_SIZE], wide_error[PROBLEM_SIZE];
                    scalar.method->error(&ode, 0.03, y0, scalar.y, scalar.scratch, narrow_error);
                    wide.method->error(&ode, 0.03, y0, wide.y, wide.scratch, wide_error);
                    CHECK(t, memcmp(narrow_error, wide_error, (size_t)p.size * sizeof *y0) == 0);
                }
                test_check(t, memcmp(wide.y, scalar.y, sizeof wide.y) == 0 && memcmp(wide.memory, scalar.memory, sizeof wide.memory) == 0, __FILE__, __LINE__,
                           "%s: %s and none differ at size %d, pairs %d", scalar.method->name, kin_simd_name(simd), p.size, p.pairs);
            }
        }
    }
}

/* P4: the embedded answer is of order 4. It errs as h^5 a step, and the estimate is the difference of both to the last term. */
static void embedded_error(test* t)
{
    const kin_ode_method* m = method_named("rk45");
    double h[5], size[5], true_error[5];
    for (int k = 0; k < 5; ++k) {
        double y0[2] = {1, 0.3}, k1[2], k7[2], y1[2], e[2], scratch[10];
        h[k] = 0.1 / (1 << k);
        oscillator(NULL, 0, y0, k1);
        m->step(&oscillator_ode, NULL, 0, h[k], y0, k1, y1, scratch);
        oscillator(NULL, h[k], y1, k7);
        m->error(&oscillator_ode, h[k], k1, k7, scratch, e);
        double fourth = y1[0] - e[0];
        size[k] = fabs(e[0]);
        true_error[k] = fabs(fourth - (cos(h[k]) + 0.3 * sin(h[k])));
        double y5[2];
        const double b4[7] = {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40};
        const double* stages[7] = {k1, scratch, scratch + 2, scratch + 4, scratch + 6, scratch + 8, k7};
        y5[0] = y0[0];
        for (int s = 0; s < 7; ++s) y5[0] += h[k] * b4[s] * stages[s][0];
        NEAR(t, fourth, y5[0], 9e-16);
    }
    NEAR(t, log_slope(5, h, size), 5, 0.1);
    NEAR(t, log_slope(5, h, true_error), 5, 0.1);
    EACH_METHOD(other) CHECK(t, (other->error != NULL) == (other->embedded_order > 0));
}

/* The interpolant keeps the ends' bits, carries cubics exactly and errs as h^4. */
static void interpolation(test* t)
{
    double y0[2] = {0.1, -7}, d0[2] = {3, 0.7}, y1[2] = {0.3, 11}, d1[2] = {-2, 1.9}, y[2];
    kin_ode_interpolate(2, 0.37, y0, d0, y1, d1, 0, y);
    CHECK(t, y[0] == y0[0] && y[1] == y0[1]);
    kin_ode_interpolate(2, 0.37, y0, d0, y1, d1, 1, y);
    CHECK(t, y[0] == y1[0] && y[1] == y1[1]);
    for (int k = 0; k <= 10; ++k) { /* x^2 and x^3 over [1, 3] */
        double x = 1 + 0.2 * k;
        kin_ode_interpolate(2, 2, (double[]){1, 1}, (double[]){2, 3}, (double[]){9, 27}, (double[]){6, 27}, 0.1 * k, y);
        NEAR(t, y[0], x * x, 1e-14);
        NEAR(t, y[1], x * x * x, 4e-14);
    }
    double h[5], error[5];
    for (int k = 0; k < 5; ++k) {
        h[k] = 0.5 / (1 << k);
        kin_ode_interpolate(1, h[k], (double[]){sin(1)}, (double[]){cos(1)}, (double[]){sin(1 + h[k])}, (double[]){cos(1 + h[k])}, 0.4, y);
        error[k] = fabs(y[0] - sin(1 + 0.4 * h[k]));
    }
    NEAR(t, log_slope(5, h, error), 4, 0.1);
}

TEST_MAIN("numerics_ode", TEST(table_and_names_agree), TEST(handbook_table_a), TEST(free_fall_error), TEST(order_of_convergence), TEST(drag_keeps_the_order),
          TEST(stages_and_their_times), TEST(given_derivative_is_used), TEST(appendix_numbers), TEST(verlet_family_starts_on_the_parabola),
          TEST(verlet_family_has_the_same_positions), TEST(verlet_family_is_reversible), TEST(energy_is_bounded), TEST(restart_when_h_changes),
          TEST(restart_of_one_pair), TEST(widths_give_the_same_bits), TEST(embedded_error), TEST(interpolation))
