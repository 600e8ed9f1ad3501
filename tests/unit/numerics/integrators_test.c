/* integrators_test.c - every row through the one door: the bits of its method, its order, tolerances, stiff springs, orbits, and what is told when it fails. */
#include "numerics/integrators.h"
#include "problems.h"

/* A run through the door: restarts pair memory at its start, counts derivatives by the ode's own context if it likes. */
typedef struct trip {
    const kin_integrator* row;
    kin_integrator_settings settings;
    const kin_ode* ode;
    double t, y[PROBLEM_SIZE], pairs[PROBLEM_SIZE];
    kin_integrator_memory memory;
    kin_integrator_report last; /* summed: steps, undone, iterations */
} trip;

static trip trip_begin(const char* name, const kin_ode* ode, const double* y)
{
    trip p = {.row = kin_integrator_named(name), .settings = kin_integrator_settings_default(), .ode = ode};
    memcpy(p.y, y, (size_t)ode->size * sizeof *y);
    return p;
}

static kin_result trip_go(test* t, trip* p, double h, int count)
{
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    double dydt[PROBLEM_SIZE], next[PROBLEM_SIZE], t0 = p->t;
    const kin_ode_method* method = p->row->method != NULL ? method_named(p->row->method) : NULL;
    for (int k = 0; k < count; ++k) {
        double time = t0 + k * h;
        p->ode->derivative(p->ode->context, time, p->y, dydt);
        if (k == 0 && method != NULL && method->restart != NULL) method->restart(p->ode, p->pairs, 0, p->ode->pairs, h, p->y, dydt);
        p->last = kin_integrator_advance(p->row, kin_simd_best(), &p->settings, p->ode, time, h, p->pairs, &p->memory, p->y, dydt, next, &arena);
        CHECK(t, arena.used == 0);
        memcpy(p->y, next, (size_t)p->ode->size * sizeof *next);
        p->t = p->last.time;
        if (p->last.result != KIN_OK) break;
    }
    kin_arena_term(&arena);
    return p->last.result;
}

#define EACH_ROW(r)                                                                                                                                            \
    for (int r##_i = 0; r##_i < kin_integrator_count(); ++r##_i)                                                                                               \
        for (const kin_integrator* r = kin_integrator_at(r##_i); r != NULL; r = NULL)

static void table(test* t)
{
    static const char* const others[] = {"adaptive_rk45", "adaptive_rk4",     "implicit_euler", "implicit_midpoint", "trapezoid",
                                         "linear_euler",  "linear_trapezoid", "bulirsch_stoer", "block_leapfrog",    NULL};
    int methods = kin_ode_method_count();
    EACH_ROW(r)
    {
        TEXT(t, r->name, kin_integrator_names[r_i]);
        TEXT(t, r->name, r_i < methods ? kin_ode_method_names[r_i] : others[r_i - methods]);
        CHECK(t, kin_integrator_named(r->name) == r && r->title != NULL && r->doc != NULL && r->order > 0);
        CHECK(t, r->adaptive == (r->kind == KIN_INTEGRATOR_ADAPTIVE || r->kind == KIN_INTEGRATOR_BULIRSCH));
        CHECK(t, r->implicit == (r->kind == KIN_INTEGRATOR_IMPLICIT) && (r->stages > 0) == (r->kind == KIN_INTEGRATOR_FIXED));
    }
    CHECK(t, kin_integrator_named("rk9") == NULL && kin_integrator_names[kin_integrator_count()] == NULL);
    EQUAL(t, kin_integrator_named("bulirsch_stoer")->order, 2 * kin_bulirsch_default().columns);
}

/* x'' = -x - v^3 + cos 3t, and a rest */
static void forced(void* context, double t, const double* y, double* dydt)
{
    (void)context;
    dydt[0] = y[1];
    dydt[1] = -y[0] - y[1] * y[1] * y[1] + cos(3 * t);
    dydt[2] = y[0] * t - y[2];
}
static const kin_ode forced_ode = {.size = 3, .pairs = 1, .derivative = forced};
static const double forced_start[3] = {1, 0.5, 2};

static void fixed_rows_keep_their_bits(test* t)
{
    EACH_METHOD(m)
    {
        run plain = run_begin(m, &forced_ode, 0.01, forced_start);
        trip p = trip_begin(m->name, &forced_ode, forced_start);
        run_steps(&plain, 200);
        EQUAL(t, trip_go(t, &p, 0.01, 200), KIN_OK);
        CHECK(t, memcmp(plain.y, p.y, 3 * sizeof *p.y) == 0 && (m->restart == NULL || memcmp(plain.memory, p.pairs, sizeof *p.pairs) == 0));
        CHECK(t, p.last.steps == 1 && p.last.worst == -1 && p.last.time == 1.99 + 0.01);
    }
}

/* One step a call: a tolerance that nothing misses lets the adaptive rows take each h whole. Bulirsch with two columns is of order 4. */
static double error_at(test* t, const kin_integrator* row, int steps, const double* truth)
{
    trip p = trip_begin(row->name, &forced_ode, forced_start);
    p.settings.adaptive.absolute = 1e200;
    p.settings.bulirsch.columns = 2;
    p.memory.h = 1.0 / steps;
    EQUAL(t, trip_go(t, &p, 1.0 / steps, steps), KIN_OK);
    CHECK(t, p.last.steps == 1);
    double error = 0;
    for (int i = 0; i < 3; ++i) error = fmax(error, fabs(p.y[i] - truth[i]));
    return error;
}

static void orders(test* t)
{
    enum { RUNS = 3 };
    run fine = run_begin(method_named("rk45"), &forced_ode, 5e-4, forced_start);
    run_steps(&fine, 2000);
    EACH_ROW(r)
    {
        double h[RUNS], error[RUNS], order = r->kind == KIN_INTEGRATOR_BULIRSCH ? 4 : r->order;
        int first = r->kind == KIN_INTEGRATOR_BULIRSCH ? 80 : order > 3 ? 20 : 40; /* steps: late enough for the slope, early enough for the digits */
        for (int k = 0; k < RUNS; ++k) {
            h[k] = 1.0 / (first << k);
            error[k] = error_at(t, r, first << k, fine.y);
        }
        double slope = log_slope(RUNS, h, error);
        test_check(t, fabs(slope - order) < (order > 3 ? 0.2 : 0.1), __FILE__, __LINE__, "%s: order %.3f, not %g", r->name, slope, order);
    }
}

/* Kepler's problem, e = 0.6: after ten orbits at home, the nearer the tighter the tolerance. */
static void kepler(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = -y[0] / r3;
    dydt[3] = -y[1] / r3;
}

static void kepler_meets_the_tolerance(test* t)
{
    static const char* const names[] = {"adaptive_rk45", "adaptive_rk4", "bulirsch_stoer"};
    kin_ode ode = {.size = 4, .pairs = 2, .derivative = kepler};
    for (int i = 0; i < 3; ++i) {
        double last = 1;
        for (int digits = 6; digits <= 12; digits += 3) {
            trip p = trip_begin(names[i], &ode, (double[]){0.4, 0, 0, 2});
            p.settings.adaptive.absolute = p.settings.adaptive.relative = pow(10, -digits);
            EQUAL(t, trip_go(t, &p, acos(-1) / 8, 160), KIN_OK);
            double off = hypot(p.y[0] - 0.4, p.y[1]), limit = 2e4 * pow(10, -digits); /* errors of a step grow along the orbit, and with time squared */
            test_check(t, off < limit && off < 0.05 * last, __FILE__, __LINE__, "%s, 1e-%d: off by %g", names[i], digits, off);
            last = off;
            CHECK(t, p.memory.h > 0 && p.memory.ratio > 0);
        }
    }
}

/* Three equal masses chase each other along a figure of eight (Chenciner, Montgomery 2000; start and period of Simo). Every third of a period each stands
 * where the next one stood. */
static void three_bodies(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    memcpy(dydt, y + 6, 6 * sizeof *y);
    memset(dydt + 6, 0, 6 * sizeof *y);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (k == i) continue;
            double dx = y[2 * k] - y[2 * i], dy = y[2 * k + 1] - y[2 * i + 1], r2 = dx * dx + dy * dy, r3 = r2 * sqrt(r2);
            dydt[6 + 2 * i] += dx / r3;
            dydt[7 + 2 * i] += dy / r3;
        }
    }
}
static const double eight[12] = {0.97000436,     -0.24308753,    -0.97000436,    0.24308753,     0,           0,
                                 0.93240737 / 2, 0.86473146 / 2, 0.93240737 / 2, 0.86473146 / 2, -0.93240737, -0.86473146};

/* How far the bodies are from the three places, each taken once, in one of both directions of the chase. */
static double off_the_places(const double* y)
{
    double best = 1e9;
    for (int turn = 0; turn < 3; ++turn) {
        double off = 0;
        for (int i = 0; i < 3; ++i) {
            int k = (i + turn) % 3;
            off = fmax(off, hypot(y[2 * i] - eight[2 * k], y[2 * i + 1] - eight[2 * k + 1]));
        }
        best = fmin(best, off);
    }
    return best;
}

static void figure_of_eight(test* t)
{
    static const char* const names[] = {"adaptive_rk45", "bulirsch_stoer"};
    kin_ode ode = {.size = 12, .pairs = 6, .derivative = three_bodies};
    for (int i = 0; i < 2; ++i) {
        trip p = trip_begin(names[i], &ode, eight);
        p.settings.adaptive.absolute = p.settings.adaptive.relative = 1e-12;
        for (int third = 1; third <= 30; ++third) { /* ten periods */
            EQUAL(t, trip_go(t, &p, 6.32591398 / 3, 1), KIN_OK);
            double off = off_the_places(p.y);
            test_check(t, off < 2e-6, __FILE__, __LINE__, "%s: %g off after %d thirds", names[i], off, third); /* the start has eight digits */
        }
        for (int k = 0; k < 6; ++k) NEAR(t, p.y[k], eight[k], 2e-6);
    }
}

/* y' = y^2 from 1 has no answer at t = 1. */
static void blow_up(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = -y[0];
    dydt[1] = y[1] * y[1];
}

static void the_minimum_is_told(test* t)
{
    kin_ode ode = {.size = 2, .derivative = blow_up};
    EACH_ROW(r)
    {
        if (!r->adaptive) continue;
        trip p = trip_begin(r->name, &ode, (double[]){1, 1});
        p.settings.adaptive.minimum = 1e-6;
        EQUAL(t, trip_go(t, &p, 2, 1), KIN_ERROR_NUMERICS);
        CHECK(t, p.last.worst == 1 && p.last.ratio > 1 && p.last.time < 1 && p.last.steps > 0 && isfinite(p.y[1]));
        NEAR(t, p.last.time, 1, 2e-2);
        NEAR(t, p.y[0], exp(-p.last.time), 1e-4); /* the state where it stopped */
    }
    trip p = trip_begin("euler", &ode, (double[]){1, 1e200});
    EQUAL(t, trip_go(t, &p, 1, 1), KIN_ERROR_NUMERICS); /* 1e400 */
    CHECK(t, p.last.worst == 1);
}

/* --- a chain of points in space on stiff springs, hung at one end: x, v of each --- */

enum { POINTS = 8, CHAIN = 3 * POINTS };
typedef struct chain {
    double k, d;
} chain;
static const double spacing = 0.1;

static void end_of(const double* y, int point, double* x, double* v) /* point -1: the nail */
{
    for (int c = 0; c < 3; ++c) {
        x[c] = point < 0 ? 0 : y[3 * point + c];
        v[c] = point < 0 ? 0 : y[CHAIN + 3 * point + c];
    }
}

static void chain_rate(void* context, double t, const double* y, double* dydt)
{
    const chain* s = context;
    (void)t;
    memcpy(dydt, y + CHAIN, CHAIN * sizeof *y);
    for (int i = 0; i < CHAIN; ++i) dydt[CHAIN + i] = i % 3 == 1 ? -9.81 : 0;
    for (int i = 0; i < POINTS; ++i) {
        double a[3], b[3], va[3], vb[3], l = 0, speed = 0;
        end_of(y, i - 1, a, va);
        end_of(y, i, b, vb);
        for (int c = 0; c < 3; ++c) l += (b[c] - a[c]) * (b[c] - a[c]);
        l = sqrt(l);
        for (int c = 0; c < 3; ++c) speed += (vb[c] - va[c]) * (b[c] - a[c]) / l;
        for (int c = 0; c < 3; ++c) {
            double f = (s->k * (l - spacing) + s->d * speed) * (b[c] - a[c]) / l;
            dydt[CHAIN + 3 * i + c] -= f;
            if (i > 0) dydt[CHAIN + 3 * (i - 1) + c] += f;
        }
    }
}

/* d force / d x of the spring without its damper, which is left out when d = 0: -k (n n + (1 - l0/l)(1 - n n)). */
static void chain_blocks(void* context, double t, const double* y, kin_triplets* j)
{
    const chain* s = context;
    (void)t;
    for (int i = 0; i < CHAIN; ++i) kin_triplets_add(j, i, CHAIN + i, 1);
    for (int i = 0; i < POINTS; ++i) {
        double a[3], b[3], va[3], vb[3], l = 0, block[9], minus[9];
        end_of(y, i - 1, a, va);
        end_of(y, i, b, vb);
        for (int c = 0; c < 3; ++c) l += (b[c] - a[c]) * (b[c] - a[c]);
        l = sqrt(l);
        for (int e = 0; e < 9; ++e) {
            double nn = (b[e / 3] - a[e / 3]) * (b[e % 3] - a[e % 3]) / (l * l), one = e / 3 == e % 3;
            block[e] = -s->k * (nn + (1 - spacing / l) * (one - nn));
            minus[e] = -block[e];
        }
        kin_triplets_add_block(j, CHAIN + 3 * i, 3 * i, block);
        if (i == 0) continue;
        kin_triplets_add_block(j, CHAIN + 3 * i, 3 * (i - 1), minus);
        kin_triplets_add_block(j, CHAIN + 3 * (i - 1), 3 * i, minus);
        kin_triplets_add_block(j, CHAIN + 3 * (i - 1), 3 * (i - 1), block);
    }
}

static void chain_dense(void* context, double t, const double* y, double* j)
{
    kin_allocator allocator = kin_allocator_default();
    kin_arena arena;
    kin_arena_init(&arena, &allocator);
    kin_triplets triplets = {.arena = &arena};
    chain_blocks(context, t, y, &triplets);
    memset(j, 0, 4 * CHAIN * CHAIN * sizeof *j);
    for (int i = 0; i < triplets.count; ++i) j[triplets.items[i].row * 2 * CHAIN + triplets.items[i].column] += triplets.items[i].value;
    kin_arena_term(&arena);
}

/* Aslant, every spring at rest; crooked: pulled up to 5 %. */
static void chain_begin(double* y, bool crooked)
{
    memset(y, 0, 2 * CHAIN * sizeof *y);
    for (int i = 0; i < POINTS; ++i) {
        y[3 * i] = spacing * (i + 1) * 0.96;
        if (crooked) y[3 * i + 1] = -0.03 * (i % 2);
        y[3 * i + 2] = 0.28 * spacing * (i + 1);
    }
}

/* R3.5: the springs' blocks are the Jacobian of the force. */
static void blocks_are_the_jacobian(test* t)
{
    static double given[4 * CHAIN * CHAIN], measured[4 * CHAIN * CHAIN], scratch[6 * CHAIN];
    chain s = {.k = 1e4};
    kin_ode exact = {.size = 2 * CHAIN, .pairs = CHAIN, .context = &s, .derivative = chain_rate, .jacobian = chain_dense}, differences = exact;
    double y[2 * CHAIN], dydt[2 * CHAIN];
    differences.jacobian = NULL;
    chain_begin(y, true);
    chain_rate(&s, 0, y, dydt);
    kin_ode_jacobian(&exact, 0, 0.01, y, dydt, given, scratch);
    kin_ode_jacobian(&differences, 0, 0.01, y, dydt, measured, scratch);
    for (int i = 0; i < 4 * CHAIN * CHAIN; ++i) NEAR(t, measured[i], given[i], 1e-3); /* of 1e4 */
}

/* Given, sparse, differenced, and never made: one answer. */
static void solvers_agree(test* t)
{
    chain s = {.k = 1e4};
    double start[2 * CHAIN];
    chain_begin(start, true);
    EACH_ROW(r)
    {
        if (!r->implicit) continue;
        double first[2 * CHAIN] = {0};
        for (int form = 0; form < 6; ++form) {
            kin_ode ode = {.size = 2 * CHAIN, .pairs = CHAIN, .context = &s, .derivative = chain_rate};
            if (form == 0 || form == 4) ode.jacobian = chain_dense;
            if (form == 1 || form == 2) ode.sparse_jacobian = chain_blocks;
            trip p = trip_begin(r->name, &ode, start);
            p.settings.solver = form == 5 ? KIN_IMPLICIT_MATRIX_FREE : form == 2 || form == 4 ? KIN_IMPLICIT_SPARSE : KIN_IMPLICIT_DENSE;
            p.settings.linear_tolerance = form == 5 ? 1e-6 : 1e-10; /* differences along a direction have eight digits */
            EQUAL(t, trip_go(t, &p, 1.0 / 60, 5), KIN_OK);
            CHECK(t, p.last.iterations > 0 && p.last.worst == -1 && p.last.ratio == 0);
            if (form == 0) memcpy(first, p.y, sizeof first);
            double off = 0, rough = strstr(r->name, "linear") != NULL ? 1e-4 : 1e-7; /* one linearisation errs as its Jacobian does */
            for (int i = 0; i < 2 * CHAIN; ++i) off = fmax(off, fabs(p.y[i] - first[i]));
            test_check(t, off <= (form < 3 || form == 4 ? 1e-7 : rough), __FILE__, __LINE__, "%s, form %d: off by %g", r->name, form, off);
        }
    }
}

/* R3.5: at h = 1/60 springs of 1e5 N/m on 1 kg explode by explicit steps, not by implicit ones: the chain comes to hang. */
static void stiff_springs_hold(test* t)
{
    chain s = {.k = 1e5, .d = 20};
    kin_ode ode = {.size = 2 * CHAIN, .pairs = CHAIN, .context = &s, .derivative = chain_rate};
    double start[2 * CHAIN];
    chain_begin(start, false);
    EACH_ROW(r)
    {
        if (r->adaptive || r->implicit) continue;
        trip p = trip_begin(r->name, &ode, start);
        kin_result result = trip_go(t, &p, 1.0 / 60, 40);
        CHECK(t, result == KIN_ERROR_NUMERICS || !(fabs(p.y[0]) < 1e3));
    }
    trip p = trip_begin("implicit_euler", &ode, start);
    EQUAL(t, trip_go(t, &p, 1.0 / 60, 1200), KIN_OK);
    NEAR(t, p.y[CHAIN - 2], -spacing * POINTS - 36 * 9.81 / s.k, 1e-3); /* the springs carry 8 + 7 + ... + 1 weights */
    for (int i = 0; i < CHAIN; ++i) NEAR(t, p.y[CHAIN + i], 0, 0.3);
}

/* No root: told, with the component that is furthest off. */
static void no_root(void* context, double t, const double* y, double* dydt)
{
    (void)context, (void)t;
    dydt[0] = 0;
    dydt[1] = y[1] * y[1] + 1;
}

static void newton_without_a_root_is_told(test* t)
{
    kin_ode ode = {.size = 2, .derivative = no_root};
    trip p = trip_begin("implicit_euler", &ode, (double[]){3, 1});
    EQUAL(t, trip_go(t, &p, 0.5, 1), KIN_ERROR_NUMERICS);
    CHECK(t, p.last.worst == 1 && p.last.ratio > 1e6 && p.last.steps == 0 && p.last.time == 0);
}

static bool with_faults(test* t, void* context)
{
    const char* name = context;
    chain s = {.k = 1e3};
    kin_ode ode = {.size = 2 * CHAIN, .pairs = CHAIN, .context = &s, .derivative = chain_rate, .sparse_jacobian = chain_blocks};
    double start[2 * CHAIN];
    chain_begin(start, true);
    trip p = trip_begin(name, &ode, start);
    p.settings.solver = KIN_IMPLICIT_SPARSE;
    kin_result result = trip_go(t, &p, 0.01, 1);
    if (result != KIN_OK) EQUAL(t, result, KIN_ERROR_MEMORY);
    return result == KIN_OK;
}

static void no_room_is_told(test* t) { EACH_ROW(r) test_fail_each_allocation(t, with_faults, (void*)r->name); }

TEST_MAIN("numerics_integrators", TEST(table), TEST(fixed_rows_keep_their_bits), TEST(orders), TEST(kepler_meets_the_tolerance), TEST(figure_of_eight),
          TEST(the_minimum_is_told), TEST(blocks_are_the_jacobian), TEST(solvers_agree), TEST(stiff_springs_hold), TEST(newton_without_a_root_is_told),
          TEST(no_room_is_told))
