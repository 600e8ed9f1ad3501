/* implicit_test.c - the texts' implicit steps, orders, stability at huge steps, and what is told when there is no answer. */
#include "numerics/implicit.h"
#include "problems.h"

static kin_implicit_report step_with(test* t, const kin_implicit* def, const kin_ode* ode, double time, double h, const double* y0, double* y1)
{
    double dydt0[PROBLEM_SIZE];
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    ode->derivative(ode->context, time, y0, dydt0);
    kin_implicit_report report = kin_implicit_step(def, ode, time, h, y0, dydt0, y1, &arena);
    CHECK(t, arena.used == 0);
    kin_arena_term(&arena);
    return report;
}

static kin_implicit_report step_of(test* t, const char* name, kin_implicit_solver solver, const kin_ode* ode, double time, double h, const double* y0,
                                   double* y1)
{
    kin_implicit def = kin_implicit_default(kin_implicit_named(name));
    def.solver = solver;
    return step_with(t, &def, ode, time, h, y0, y1);
}

#define EACH_SCHEME(s)                                                                                                                                         \
    for (int s##_i = 0; s##_i < kin_implicit_count(); ++s##_i)                                                                                                 \
        for (const kin_implicit_scheme* s = kin_implicit_at(s##_i); s != NULL; s = NULL)

static void table(test* t)
{
    EACH_SCHEME(s) CHECK(t, kin_implicit_named(s->name) == s && s->title != NULL && s->doc != NULL && s->order > 0);
    CHECK(t, kin_implicit_named("leapfrog") == NULL);
}

/* x'' = -k x - d v, context {k, d} */
static void damped(void* context, double t, const double* y, double* dydt)
{
    const double* c = context;
    (void)t;
    dydt[0] = y[1];
    dydt[1] = -c[0] * y[0] - c[1] * y[1];
}

static void damped_jacobian(void* context, double t, const double* y, double* j)
{
    const double* c = context;
    (void)t, (void)y;
    memcpy(j, (double[4]){0, 1, -c[0], -c[1]}, 4 * sizeof *j);
}

/* H7.7a: k = 10, d = 2, h = 0.1, (2, -1) becomes (1.76923, -2.30769). All ways to solve agree. */
static void house_linear(test* t)
{
    double c[2] = {10, 2}, y1[2];
    for (int form = 0; form < 12; ++form) {
        kin_implicit_solver solver = form / 4;
        kin_ode ode = {.size = 2, .pairs = form & 1, .context = c, .derivative = damped, .jacobian = form & 2 ? damped_jacobian : NULL};
        for (int once = 0; once < 2; ++once) {
            kin_implicit_report report = step_of(t, once ? "linear_euler" : "implicit_euler", solver, &ode, 0, 0.1, (double[]){2, -1}, y1);
            CHECK(t, report.result == KIN_OK && (form < 4) == (report.linear_iterations == 0));
            NEAR(t, y1[0], 23.0 / 13, solver == KIN_IMPLICIT_MATRIX_FREE ? 1e-7 : 1e-9);
            NEAR(t, y1[1], -30.0 / 13, solver == KIN_IMPLICIT_MATRIX_FREE ? 1e-7 : 1e-9);
            if (!once) CHECK(t, report.residual < 1e-11);
        }
    }
    NEAR(t, y1[0], 1.76923, 5e-6);
    NEAR(t, y1[1], -2.30769, 5e-6);
}

/* H7.7b: three points in a row, springs k = 2, l = 10, damping d = 1 with the cube of the velocity difference. */
static void springs(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    double stretch = y[1] - y[0], speed = y[3] - y[2], outer = 2 * (stretch - 10) + speed * speed * speed;
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = -2 * (y[0] - 10) - y[2] * y[2] * y[2] + outer;
    dydt[3] = -outer;
}

static void springs_jacobian(void* context, double t, const double* y, double* j)
{
    (void)context, (void)t;
    double a = 3 * y[2] * y[2], b = 3 * (y[3] - y[2]) * (y[3] - y[2]);
    memcpy(j, (double[16]){0, 0, 1, 0, 0, 0, 0, 1, -4, 2, -a - b, b, 2, -2, b, -b}, 16 * sizeof *j);
}
static const double springs_at[4] = {12, 19, -1, 2};

static void house_linearised(test* t)
{
    static const double f[4] = {-1, 2, 18, -21}, last_rows[8] = {-4, 2, -30, 27, 2, -2, 27, -27}, dS[4] = {-0.08534, 0.15265, 0.14657, -0.47347};
    kin_ode given = {.size = 4, .pairs = 2, .derivative = springs, .jacobian = springs_jacobian}, whole = given, differences = given;
    double dydt[4], j[16], by_differences[16], scratch[12], y1[4];
    whole.pairs = 0; /* the full system */
    differences.jacobian = NULL;
    springs(NULL, 0, springs_at, dydt);
    for (int i = 0; i < 4; ++i) NEAR(t, dydt[i], f[i], 0); /* E7: the text forgets the cube */
    kin_ode_jacobian(&given, 0, 0.1, springs_at, dydt, j, scratch);
    kin_ode_jacobian(&differences, 0, 0.1, springs_at, dydt, by_differences, scratch);
    for (int i = 0; i < 8; ++i) NEAR(t, j[8 + i], last_rows[i], 0);
    for (int i = 0; i < 16; ++i) NEAR(t, by_differences[i], j[i], 2e-8);

    double half[4];
    CHECK(t, step_of(t, "linear_euler", KIN_IMPLICIT_DENSE, &given, 0, 0.1, springs_at, half).result == KIN_OK);
    CHECK(t, step_of(t, "linear_euler", KIN_IMPLICIT_DENSE, &whole, 0, 0.1, springs_at, y1).result == KIN_OK);
    for (int i = 0; i < 4; ++i) {
        NEAR(t, half[i] - springs_at[i], dS[i], 6e-6);
        NEAR(t, half[i], y1[i], 1e-14); /* half the size, the same answer */
    }
    CHECK(t, step_of(t, "linear_euler", KIN_IMPLICIT_DENSE, &differences, 0, 0.1, springs_at, y1).result == KIN_OK);
    for (int i = 0; i < 4; ++i) NEAR(t, half[i], y1[i], 1e-8);
    CHECK(t, step_of(t, "linear_euler", KIN_IMPLICIT_MATRIX_FREE, &given, 0, 0.1, springs_at, y1).result == KIN_OK);
    for (int i = 0; i < 4; ++i) NEAR(t, half[i], y1[i], 1e-6);
}

/* Newton's answers fulfil their equations, by every way to solve. */
static void newton_solves_the_equation(test* t)
{
    for (int form = 0; form < 6; ++form) {
        kin_ode ode = {.size = 4, .pairs = 2, .derivative = springs, .jacobian = form & 1 ? springs_jacobian : NULL};
        EACH_SCHEME(s)
        {
            if (s->once) continue;
            double y1[4], f0[4], f1[4], middle[4];
            kin_implicit_report report = step_of(t, s->name, (kin_implicit_solver)(form / 2), &ode, 0, 0.1, springs_at, y1);
            CHECK(t, report.result == KIN_OK && report.iterations > 1 && report.residual < 1e-10);
            springs(NULL, 0, springs_at, f0);
            springs(NULL, 0, y1, f1);
            for (int i = 0; i < 4; ++i) middle[i] = 0.5 * (springs_at[i] + y1[i]);
            if (s->middle) springs(NULL, 0, middle, f1);
            for (int i = 0; i < 4; ++i) NEAR(t, y1[i], springs_at[i] + 0.1 * (s->start * f0[i] + (1 - s->start) * f1[i]), 1e-10);
        }
    }
}

/* H7.7c: f = x^2 - 10^-x, x = 1, h = 0.1: the root is 1.11717. */
static void root(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = y[0] * y[0] - pow(10, -y[0]);
}

static void house_newton(test* t)
{
    kin_ode ode = {.size = 1, .derivative = root};
    double y1[1];
    for (int solver = KIN_IMPLICIT_DENSE; solver <= KIN_IMPLICIT_MATRIX_FREE; ++solver) {
        kin_implicit_report report = step_of(t, "implicit_euler", solver, &ode, 0, 0.1, (double[]){1}, y1);
        CHECK(t, report.result == KIN_OK && report.iterations <= 8);
        NEAR(t, y1[0], 1.11717, 5e-6);
        NEAR(t, y1[0] - 0.1 * (y1[0] * y1[0] - pow(10, -y1[0])), 1, 1e-11);
    }
}

static double determinant(test* t, const char* name, double z)
{
    double a[2], b[2];
    step_of(t, name, KIN_IMPLICIT_DENSE, &oscillator_ode, 0, z, (double[]){1, 0}, a);
    step_of(t, name, KIN_IMPLICIT_DENSE, &oscillator_ode, 0, z, (double[]){0, 1}, b);
    return a[0] * b[1] - a[1] * b[0];
}

/* H7.7d, E8, N6: decay 1 / (1 + h/T); oscillator 1 / (1 + (w h)^2), or 1 for the second-order ones. */
static void gains(test* t)
{
    static const double steps[] = {0.1, 1, 10, 1e3, 1e6};
    double y1[1];
    for (int k = 0; k < 5; ++k) {
        double z = steps[k];
        EACH_SCHEME(s)
        {
            CHECK(t, step_of(t, s->name, KIN_IMPLICIT_DENSE, &decay_ode, 0, z, (double[]){1}, y1).result == KIN_OK);
            NEAR(t, y1[0], s->order == 1 ? 1 / (1 + z) : (1 - z / 2) / (1 + z / 2), 1e-9);
            NEAR(t, determinant(t, s->name, z), s->order == 1 ? 1 / (1 + z * z) : 1, 1e-8);
        }
    }
    NEAR(t, sqrt(determinant(t, "implicit_euler", 0.1)), 0.99503719, 5e-9);
}

/* Table D, corrected: steps to 1 % loss of amplitude squared and of amplitude, h = P/8 ... P/256. */
static void table_d(test* t)
{
    static const int counts[2][6] = {{1, 1, 1, 2, 5, 17}, {1, 1, 1, 3, 9, 34}};
    for (int k = 0; k < 6; ++k) {
        for (int measured = 0; measured < 2; ++measured) {
            double h = 2 * acos(-1) / (8 << k), y[2] = {1, 0}, next[2], limit = measured ? 1 / (1.01 * 1.01) : 1 / 1.01;
            int steps = 0;
            while (y[0] * y[0] + y[1] * y[1] > limit) {
                step_of(t, "implicit_euler", KIN_IMPLICIT_DENSE, &oscillator_ode, 0, h, y, next);
                memcpy(y, next, sizeof y);
                ++steps;
            }
            EQUAL(t, steps, counts[measured][k]);
        }
    }
}

/* A force of time and velocity: x'' = -x - v^3 + cos t. Orders 1 and 2 against a fine run of rk45. */
static void forced(void* context, double t, const double* y, double* dydt)
{
    (void)context;
    dydt[0] = y[1];
    dydt[1] = -y[0] - y[1] * y[1] * y[1] + cos(3 * t);
    dydt[2] = y[0] * t - y[2];
}

static void orders(test* t)
{
    enum { RUNS = 4 };
    kin_ode ode = {.size = 3, .pairs = 1, .derivative = forced};
    const double start[3] = {1, 0.5, 2};
    run fine = run_begin(method_named("rk45"), &ode, 1e-3, start);
    run_steps(&fine, 1000);
    EACH_SCHEME(s)
    {
        double h[RUNS], error[RUNS];
        for (int k = 0; k < RUNS; ++k) {
            int steps = 40 << k;
            double y[3], next[3];
            h[k] = 1.0 / steps;
            memcpy(y, start, sizeof y);
            for (int i = 0; i < steps; ++i) {
                CHECK(t, step_of(t, s->name, KIN_IMPLICIT_DENSE, &ode, i * h[k], h[k], y, next).result == KIN_OK);
                memcpy(y, next, sizeof y);
            }
            error[k] = 0;
            for (int i = 0; i < 3; ++i) error[k] = fmax(error[k], fabs(y[i] - fine.y[i]));
        }
        double slope = log_slope(RUNS, h, error);
        test_check(t, fabs(slope - s->order) < 0.08, __FILE__, __LINE__, "%s: order %.3f, not %d", s->name, slope, s->order);
    }
}

/* S-E, R3.5: a bead held to a line by a spring of 1e8: explicit steps must be tiny, implicit ones follow the slow motion along it. */
static void held_to_a_line(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = -1e8 * y[0];
    dydt[3] = 1 - y[3];
}

static void stiff(test* t)
{
    kin_ode ode = {.size = 4, .pairs = 2, .derivative = held_to_a_line};
    EACH_SCHEME(s)
    {
        double y[4] = {1e-3, 0, 0, 0}, next[4];
        for (int i = 0; i < 120; ++i) {
            CHECK(t, step_of(t, s->name, KIN_IMPLICIT_DENSE, &ode, 0, 1.0 / 60, y, next).result == KIN_OK);
            memcpy(y, next, sizeof y);
        }
        NEAR(t, y[1], 2 - (1 - exp(-2)), s->order == 1 ? 1e-2 : 1e-4);
        NEAR(t, y[0], 0, s->order == 1 ? 1e-12 : 1.01e-3); /* Euler damps what it does not follow, the others let it ring */
    }
    run explicit = run_begin(method_named("rk4"), &ode, 1.0 / 60, (double[]){1e-3, 0, 0, 0});
    run_steps(&explicit, 20);
    CHECK(t, !(fabs(explicit.y[0]) < 1e6));
}

/* Implicit midpoint keeps a quadratic energy to round-off. */
static void midpoint_keeps_energy(test* t)
{
    double y[2] = {1, 0.5}, next[2];
    for (int i = 0; i < 1000; ++i) {
        step_of(t, "implicit_midpoint", KIN_IMPLICIT_DENSE, &oscillator_ode, 0, 0.7, y, next);
        memcpy(y, next, sizeof y);
    }
    NEAR(t, y[0] * y[0] + y[1] * y[1], 1.25, 1e-8);
}

/* A heat line of 64: matrix-free and dense agree, and the sum is kept. */
static void heat(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    for (int i = 0; i < PROBLEM_SIZE; ++i) dydt[i] = 100 * ((i > 0 ? y[i - 1] - y[i] : 0) + (i + 1 < PROBLEM_SIZE ? y[i + 1] - y[i] : 0));
}

static void matrix_free_agrees(test* t)
{
    kin_ode ode = {.size = PROBLEM_SIZE, .derivative = heat};
    double y0[PROBLEM_SIZE], dense[PROBLEM_SIZE], free[PROBLEM_SIZE], sum = 0;
    for (int i = 0; i < PROBLEM_SIZE; ++i) y0[i] = sin(i * i);
    EACH_SCHEME(s)
    {
        CHECK(t, step_of(t, s->name, KIN_IMPLICIT_DENSE, &ode, 0, 0.1, y0, dense).result == KIN_OK);
        kin_implicit_report report = step_of(t, s->name, KIN_IMPLICIT_MATRIX_FREE, &ode, 0, 0.1, y0, free);
        CHECK(t, report.result == KIN_OK && report.linear_iterations > 3);
        for (int i = 0; i < PROBLEM_SIZE; ++i) NEAR(t, free[i], dense[i], s->once ? 1e-6 : 1e-9);
    }
    for (int i = 0; i < PROBLEM_SIZE; ++i) sum += dense[i] - y0[i];
    NEAR(t, sum, 0, 1e-7);
}

/* Points in space that do not feel each other, stiff and crooked, and two numbers more: the blocks of three are the whole matrix, inverted at once. */
enum { APART = 4, APART_PAIRS = 3 * APART };
static const double crooked[9] = {-9e5, 2e5, 1e5, 2e5, -4e5, 3e4, 1e5, 3e4, -700};

static void apart(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    for (int i = 0; i < APART_PAIRS; ++i) {
        const double *row = crooked + i % 3 * 3, *x = y + i / 3 * 3;
        dydt[i] = y[APART_PAIRS + i];
        dydt[APART_PAIRS + i] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] - 3 * y[APART_PAIRS + i];
    }
    dydt[2 * APART_PAIRS] = -50 * y[2 * APART_PAIRS] + 20 * y[2 * APART_PAIRS + 1];
    dydt[2 * APART_PAIRS + 1] = -1e4 * y[2 * APART_PAIRS + 1];
}

static void apart_jacobian(void* context, double t, const double* y, kin_triplets* j)
{
    (void)context, (void)t, (void)y;
    int rest = 2 * APART_PAIRS;
    for (int i = 0; i < APART; ++i) kin_triplets_add_block(j, APART_PAIRS + 3 * i, 3 * i, crooked);
    for (int i = 0; i < APART_PAIRS; ++i) {
        kin_triplets_add(j, i, APART_PAIRS + i, 1);
        kin_triplets_add(j, APART_PAIRS + i, APART_PAIRS + i, -3);
    }
    kin_triplets_add(j, rest, rest, -50);
    kin_triplets_add(j, rest, rest + 1, 20);
    kin_triplets_add(j, rest + 1, rest + 1, -1e4);
}

static void blocks_precondition(test* t)
{
    kin_ode ode = {.size = 2 * APART_PAIRS + 2, .pairs = APART_PAIRS, .derivative = apart, .sparse_jacobian = apart_jacobian};
    double y0[2 * APART_PAIRS + 2], dense[2 * APART_PAIRS + 2], sparse[2 * APART_PAIRS + 2];
    for (int i = 0; i < ode.size; ++i) y0[i] = sin(3 * i + 1);
    CHECK(t, step_of(t, "linear_euler", KIN_IMPLICIT_DENSE, &ode, 0, 0.1, y0, dense).result == KIN_OK);
    kin_implicit_report report = step_of(t, "linear_euler", KIN_IMPLICIT_SPARSE, &ode, 0, 0.1, y0, sparse);
    CHECK(t, report.result == KIN_OK && report.linear_iterations <= 1);
    for (int i = 0; i < ode.size; ++i) NEAR(t, sparse[i], dense[i], 1e-9 * (1 + fabs(dense[i])));
}

/* y = 1 + 0.5 (y^2 + 1) has no real root: told, with what is left over. And a start far off is found by halved steps. */
static void no_root(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = 0;
    dydt[1] = y[1] * y[1] + 1;
}

static void atan_force(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = -1e3 * atan(y[0] - 7);
}

static void nan_rate(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t, (void)y;
    dydt[0] = 1;
    dydt[1] = NAN;
}

static void not_converged_is_told(test* t)
{
    double y1[2];
    kin_ode ode = {.size = 2, .derivative = no_root};
    kin_implicit_report report = step_of(t, "implicit_euler", KIN_IMPLICIT_DENSE, &ode, 0, 0.5, (double[]){3, 1}, y1);
    CHECK(t, report.result == KIN_ERROR_NUMERICS && report.worst == 1 && report.iterations <= 30);
    NEAR(t, report.residual, 1, 0.6); /* (1 - y)^2 / 2 + 1 - 0 at its least is 1 */
    kin_ode hard = {.size = 1, .derivative = atan_force};
    report = step_of(t, "implicit_euler", KIN_IMPLICIT_DENSE, &hard, 0, 1, (double[]){-200}, y1); /* plain Newton runs away */
    CHECK(t, report.result == KIN_OK);
    NEAR(t, y1[0], -200 - 1e3 * atan(y1[0] - 7), 1e-9);
    kin_ode broken = {.size = 2, .derivative = nan_rate};
    report = step_of(t, "implicit_euler", KIN_IMPLICIT_DENSE, &broken, 0, 1, (double[]){1, 1}, y1);
    CHECK(t, report.result == KIN_ERROR_NUMERICS && report.worst == 1 && isnan(report.residual));
}

/* Stiffness under the adaptive frame: y' = -1e6 (y - cos t) - sin t, whose answer is cos t. */
static void stiff_cosine(void* context, double t, const double* y, double* dydt)
{
    if (context != NULL) ++*(int*)context;
    dydt[0] = -1e6 * (y[0] - cos(t)) - sin(t);
}

static void adaptive_frame(test* t)
{
    kin_ode ode = {.size = 1, .derivative = stiff_cosine};
    EACH_SCHEME(s)
    {
        kin_implicit def = kin_implicit_default(s);
        kin_stepper stepper = kin_implicit_stepper(&def);
        kin_adaptive adaptive = kin_adaptive_default();
        adaptive.absolute = adaptive.relative = 1e-5;
        kin_adaptive_memory memory = {0};
        kin_arena arena;
        kin_arena_init(&arena, &t->allocator);
        double y[1] = {1};
        kin_adaptive_report report = kin_adaptive_advance(&adaptive, &stepper, &ode, 0, 3, &memory, y, &arena);
        kin_arena_term(&arena);
        test_check(t, report.result == KIN_OK && report.kept < 3000, __FILE__, __LINE__, "%s: %d kept, %d undone", s->name, report.kept, report.undone);
        NEAR(t, y[0], cos(3), 1e-4);
    }
}

static bool with_faults(test* t, void* context)
{
    double* y1 = context;
    kin_implicit_report report = step_of(t, "trapezoid", KIN_IMPLICIT_DENSE, &oscillator_ode, 0, 0.1, (double[]){1, 0}, y1);
    if (report.result != KIN_OK) CHECK(t, report.result == KIN_ERROR_MEMORY && y1[0] == 7);
    return report.result == KIN_OK;
}

static void no_room_is_told(test* t)
{
    double y1[2] = {7, 7};
    test_fail_each_allocation(t, with_faults, y1);
}

TEST_MAIN("numerics_implicit", TEST(table), TEST(house_linear), TEST(house_linearised), TEST(newton_solves_the_equation), TEST(house_newton), TEST(gains),
          TEST(table_d), TEST(orders), TEST(stiff), TEST(midpoint_keeps_energy), TEST(matrix_free_agrees), TEST(blocks_precondition),
          TEST(not_converged_is_told), TEST(adaptive_frame), TEST(no_room_is_told))
