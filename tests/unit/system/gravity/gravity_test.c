/* gravity_test.c - the pull itself: closed forms, the errors of each method, degenerate clouds, the same bits everywhere, state and faults. */
#include "stars.h"
#include "math/vec3.h"

static const kin_gravity_method approximate[] = {KIN_GRAVITY_GRID, KIN_GRAVITY_TREE_MONOPOLE, KIN_GRAVITY_TREE_QUADRUPOLE, KIN_GRAVITY_TREE_ADJACENCY,
                                                 KIN_GRAVITY_FMM};
enum { APPROXIMATE = sizeof approximate / sizeof *approximate };

/* ---- direct ---- */

static void two_bodies_attract(test* t) /* H6.4a, E6: towards the other, G m / r^2 */
{
    kin_gravity_def def = kin_gravity_def_default();
    stars s = stars_empty(2);
    stars_set(&s, 0, (kin_star){{1, 2, 3}, {0}}, 5e10);
    stars_set(&s, 1, (kin_star){{1, 2 + 3, 3 - 4}, {0}}, 8e10);
    pull(t, &s, &def, 1);
    double a = 6.67384e-11 * 8e10 / 25, b = 6.67384e-11 * 5e10 / 25;
    NEAR3(t, kin_v(s.a[0][0], s.a[1][0], s.a[2][0]), kin_v(0, a * 0.6, -a * 0.8), 1e-15);
    NEAR3(t, kin_v(s.a[0][1], s.a[1][1], s.a[2][1]), kin_v(0, -b * 0.6, b * 0.8), 1e-15);
    def.softening = 12; /* 5, 12, 13 */
    pull(t, &s, &def, 1);
    NEAR(t, s.a[1][0], 6.67384e-11 * 8e10 * 3 / (13.0 * 13 * 13), 1e-16);
    stars_free(&s);
}

static void accelerations_are_added(test* t)
{
    for (int k = 0; k < APPROXIMATE; ++k) {
        kin_gravity_def def = def_of(approximate[k], 0.01);
        kin_gravity* g;
        stars s = stars_of(PLUMMER, 300);
        EQUAL(t, kin_gravity_create(&t->allocator, &def, &g, NULL), KIN_OK);
        kin_gravity_evaluate(g, &s.cloud, NULL);
        double once = s.a[0][17];
        pull(t, &s, &def, 1);
        NEAR(t, s.a[0][17], once, 0);
        s.a[0][17] = 100;
        kin_gravity_destroy(g);
        kin_gravity_create(&t->allocator, &def, &g, NULL);
        kin_gravity_evaluate(g, &s.cloud, NULL);
        NEAR(t, s.a[0][17], 100 + once, 1e-12);
        kin_gravity_destroy(g);
        stars_free(&s);
    }
}

static void direct_sum_is_the_plain_sum(test* t)
{
    kin_gravity_def def = def_of(KIN_GRAVITY_DIRECT, 0.01);
    stars s = stars_of(PLUMMER, 777);
    pull(t, &s, &def, 1);
    CHECK(t, rms_error(&s, 0.01, 1) < 1e-14);
    kin_vec3 net = {0, 0, 0};
    double size = 0;
    for (size_t i = 0; i < s.n; ++i) {
        kin_vec3 f = kin_scale(kin_v(s.a[0][i], s.a[1][i], s.a[2][i]), s.mass[i]);
        net = kin_add(net, f);
        size += kin_length(f);
    }
    CHECK(t, kin_length(net) < 1e-15 * size);
    def.single = true; /* floats */
    pull(t, &s, &def, 1);
    double error = rms_error(&s, 0.01, 1);
    CHECK(t, error < 5e-6 && error > 1e-9);
    stars_free(&s);
}

/* ---- clusters ---- */

static void far_cluster_is_its_centre(test* t) /* H6.4b: O((r/R)^2), the dipole vanishes */
{
    kin_gravity_def def = def_of(KIN_GRAVITY_DIRECT, 0);
    double before = 0;
    for (int k = 0; k < 4; ++k) { /* a body at distance 10, 20, 40, 80 of a ball of fifty */
        double far = 10 << k, error = 0;
        stars s = stars_of(BALL, 51);
        kin_bodies_centre(s.mass, s.x, s.v, 50);
        double spread = 0;
        for (size_t i = 0; i < 50; ++i) s.mass[i] = 0.02, spread = kin_max(spread, kin_length(kin_v(s.x[0][i], s.x[1][i], s.x[2][i])));
        s.x[0][50] = far, s.x[1][50] = 0, s.x[2][50] = 0, s.mass[50] = 1e-12;
        pull(t, &s, &def, 1);
        error = kin_length(kin_sub(kin_v(s.a[0][50], s.a[1][50], s.a[2][50]), kin_v(-1 / (far * far), 0, 0))) * far * far;
        CHECK(t, error < 1.5 * kin_square(spread / far));
        if (k > 0) NEAR(t, error / before, 0.25, 0.04); /* R^-2 */
        before = error;
        stars_free(&s);
    }
}

/* The figures of H6.4b: two halves on the line of sight, off by 3 r^2/R^2 and more. */
static void cluster_error_of_the_text(test* t)
{
    kin_gravity_def def = def_of(KIN_GRAVITY_DIRECT, 0);
    const double far[2] = {10, 80}, want[2] = {3.6e-3, 5.5e-5};
    for (int k = 0; k < 2; ++k) {
        stars s = stars_empty(3);
        double r = kin_sqrt(3.6e-3 / 3) * 10;
        stars_set(&s, 0, (kin_star){{r, 0, 0}, {0}}, 0.5);
        stars_set(&s, 1, (kin_star){{-r, 0, 0}, {0}}, 0.5);
        stars_set(&s, 2, (kin_star){{far[k], 0, 0}, {0}}, 1e-9);
        pull(t, &s, &def, 1);
        NEAR(t, -s.a[0][2] * far[k] * far[k] - 1, want[k], 0.04 * want[k]);
        stars_free(&s);
    }
}

static void distant_galaxy_pulls_like_a_star(test* t) /* H6.4b: 1e10 stars at 1e5 light years = 1 star at 1: no cutoff will do */
{
    const double year = 9.4607e15, sun = 1.98892e30;
    kin_gravity_def def = kin_gravity_def_default();
    stars s = stars_empty(3);
    stars_set(&s, 0, (kin_star){{0, 0, 0}, {0}}, sun);
    stars_set(&s, 1, (kin_star){{year, 0, 0}, {0}}, sun);
    stars_set(&s, 2, (kin_star){{-1e5 * year, 0, 0}, {0}}, 1e10 * sun);
    pull(t, &s, &def, 1);
    double one = def.constant * sun / (year * year);
    NEAR(t, s.a[0][0] / one, 0, 1e-14);
    def.direct_below = 0; /* light years and suns in floats, too */
    def.leaf = 1;         /* a float resolves 1e-7 of the cell at hand */
    for (int k = 0; k < APPROXIMATE; ++k) {
        def.method = approximate[k];
        pull(t, &s, &def, 2);
        NEAR(t, s.a[0][0] / one, 0, 1e-6);
    }
    stars_free(&s);
}

/* ---- methods ---- */

static void errors_stay_below_their_bounds(test* t)
{
    /* rms over all bodies, as a few mislead, against the direct sum; rows as in approximate[], columns Plummer, ball, disk. */
    static const double bounds[APPROXIMATE][SHAPES] = {{1e-3, 5e-3, 1e-2}, {2e-3, 7e-3, 1.3e-2}, {5e-4, 9e-4, 6e-4}, {5e-3, 2.5e-2, 3e-2}, {2e-3, 2e-3, 2e-3}};
    for (int kind = 0; kind < SHAPES; ++kind) {
        stars s = stars_of((shape)kind, 6000), exact = stars_of((shape)kind, 6000);
        kin_gravity_def direct = def_of(KIN_GRAVITY_DIRECT, 0.005);
        pull(t, &exact, &direct, 1);
        for (int k = 0; k < APPROXIMATE; ++k) {
            kin_gravity_def def = def_of(approximate[k], 0.005);
            for (int calls = 1; calls <= (approximate[k] == KIN_GRAVITY_FMM ? 2 : 1); ++calls) { /* without and with the last |a| */
                pull(t, &s, &def, calls);
                double error = rms_from(&s, &exact);
                test_check(t, error < bounds[k][kind] && error > 1e-7, __FILE__, __LINE__, "method %d, shape %d, call %d: rms %g", (int)approximate[k], kind,
                           calls, error);
            }
        }
        stars_free(&s), stars_free(&exact);
    }
}

static void smaller_openings_are_better(test* t)
{
    stars s = stars_of(BALL, 6000);
    double before = 1;
    for (int k = 0; k < 3; ++k) {
        kin_gravity_def def = def_of(KIN_GRAVITY_FMM, 0.005);
        def.tolerance = 0, def.opening = 0.5 / (1 << k), def.opening_target = 0.3 / (1 << k), def.opening_body = 0.4 / (1 << k);
        pull(t, &s, &def, 1);
        double error = rms_error(&s, 0.005, 11);
        CHECK(t, error < 0.25 * before);
        before = error;
    }
    CHECK(t, before < 3e-5);
    stars_free(&s);
}

static void an_outlier_costs_no_digits(test* t) /* a float of the whole box would see pairs to 1e-4 only */
{
    stars s = stars_of(PLUMMER, 4000);
    s.x[0][11] = 3e4;
    for (int k = 1; k < APPROXIMATE; ++k) { /* the grid puts all the others into one cell: nothing is approximate then */
        kin_gravity_def def = def_of(approximate[k], 0.0005);
        pull(t, &s, &def, 2);
        double error = rms_error(&s, 0.0005, 5);
        test_check(t, error < 6e-3, __FILE__, __LINE__, "method %d: rms %g", (int)approximate[k], error);
    }
    stars_free(&s);
}

static void energy_by_tree_is_that_of_pairs(test* t)
{
    stars s = stars_of(PLUMMER, 5000);
    kin_gravity_def def = def_of(KIN_GRAVITY_FMM, 0.01);
    double energy[2];
    for (int k = 0; k < 2; ++k) {
        kin_gravity* g;
        def.direct_below = k == 0 ? 0 : 100000;
        EQUAL(t, kin_gravity_create(&t->allocator, &def, &g, NULL), KIN_OK);
        EQUAL(t, kin_gravity_potential(g, &s.cloud, &energy[k], NULL), KIN_OK);
        kin_gravity_destroy(g);
    }
    NEAR(t, energy[0], energy[1], 3e-5 * kin_abs(energy[1]));
    CHECK(t, energy[0] != energy[1]);
    stars_free(&s);
}

static void force_is_minus_the_gradient(test* t)
{
    kin_gravity_def def = def_of(KIN_GRAVITY_DIRECT, 0.1);
    def.direct_below = 100;
    stars s = stars_of(BALL, 40);
    kin_gravity* g;
    double high, low, h = 1e-5, x = s.x[1][7];
    pull(t, &s, &def, 1);
    kin_gravity_create(&t->allocator, &def, &g, NULL);
    s.x[1][7] = x + h;
    kin_gravity_potential(g, &s.cloud, &high, NULL);
    s.x[1][7] = x - h;
    kin_gravity_potential(g, &s.cloud, &low, NULL);
    NEAR(t, -(high - low) / (2 * h), s.mass[7] * s.a[1][7], 1e-9);
    kin_gravity_destroy(g);
    stars_free(&s);
}

/* ---- degenerate clouds ---- */

static void few_or_none(test* t)
{
    for (int k = 0; k < APPROXIMATE; ++k) {
        kin_gravity_def def = def_of(approximate[k], 0);
        for (size_t n = 0; n <= 2; ++n) {
            stars s = stars_empty(n);
            for (size_t i = 0; i < n; ++i) stars_set(&s, i, (kin_star){{(double)i, 0, 0}, {0}}, 3);
            EQUAL(t, pull(t, &s, &def, 2), 0);
            for (size_t i = 0; i < n; ++i) NEAR(t, s.a[0][i], n == 2 ? 3 - 6 * (double)i : 0, 1e-6);
            stars_free(&s);
        }
    }
}

static void all_at_one_place(test* t)
{
    for (int k = -1; k < APPROXIMATE; ++k) {
        kin_gravity_def def = def_of(k < 0 ? KIN_GRAVITY_DIRECT : approximate[k], 0);
        stars s = stars_empty(100);
        for (size_t i = 0; i < s.n; ++i) stars_set(&s, i, (kin_star){{3, 4, 5}, {0}}, 1);
        EQUAL(t, pull(t, &s, &def, 2), 100 * 99 / 2);
        for (size_t i = 0; i < s.n; ++i) NEAR3(t, kin_v(s.a[0][i], s.a[1][i], s.a[2][i]), kin_v(0, 0, 0), 0);
        s.x[0][0] = 13; /* one apart: feels 99, the others feel one */
        EQUAL(t, pull(t, &s, &def, 2), 99 * 98 / 2);
        NEAR(t, s.a[0][0], -0.99, 1e-6);
        NEAR(t, s.a[0][50], 0.01, 1e-8);
        def.softening = 0.1;
        EQUAL(t, pull(t, &s, &def, 2), 0);
        CHECK(t, all_finite(&s));
        stars_free(&s);
    }
}

static void lines_and_huge_extents(test* t)
{
    for (int k = 0; k < APPROXIMATE; ++k) {
        kin_gravity_def def = def_of(approximate[k], 0);
        for (int kind = 0; kind < 3; ++kind) {
            stars s = stars_empty(500);
            for (size_t i = 0; i < s.n; ++i) {
                double d = (double)i;
                kin_vec3 line = {d, 0, 0}, powers = {kin_exp(0.2 * d), -kin_exp(0.1 * d), 1}, far = {1e150 * d, -1e149 * d * d, 1e150};
                stars_set(&s, i, (kin_star){kind == 0 ? line : kind == 1 ? powers : far, {0}}, kind == 2 ? 1e200 : 1);
            }
            pull(t, &s, &def, 2);
            CHECK(t, all_finite(&s));
            for (size_t i = 0; kind == 0 && i < s.n; i += 9) NEAR(t, s.a[0][i], plain_sum(&s, i, 0).x, 0.02); /* next neighbours pull with 1 */
            stars_free(&s);
        }
    }
}

static void what_is_not_finite_is_refused(test* t)
{
    for (int k = 0; k < 3; ++k) {
        kin_gravity_def def = def_of(k == 0 ? KIN_GRAVITY_DIRECT : KIN_GRAVITY_FMM, 0);
        kin_gravity* g;
        kin_error error = {0};
        stars s = stars_of(BALL, 100);
        if (k < 2)
            s.x[1][60] = (double)__builtin_nanf("");
        else
            s.mass[3] = (double)__builtin_inff();
        kin_gravity_create(&t->allocator, &def, &g, NULL);
        EQUAL(t, kin_gravity_evaluate(g, &s.cloud, &error), KIN_ERROR_NUMERICS);
        HAS(t, error.message, "not finite");
        NEAR(t, s.a[0][1], 0, 0);
        kin_gravity_destroy(g);
        stars_free(&s);
    }
}

static void bad_defs_are_refused(test* t)
{
    static const char* const names[] = {"softening", "theta", "opening", "opening_target", "opening_body", "tolerance", "leaf", "constant", "method"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        kin_gravity_def def = kin_gravity_def_default();
        kin_gravity* g;
        kin_error error = {0};
        double* numbers[] = {&def.softening, &def.theta, &def.opening, &def.opening_target, &def.opening_body, &def.tolerance};
        if (k < 6) *numbers[k] = -1;
        if (k == 6) def.leaf = 0;
        if (k == 7) def.constant = (double)__builtin_inff();
        if (k == 8) def.method = (kin_gravity_method)77;
        EQUAL(t, kin_gravity_create(&t->allocator, &def, &g, &error), KIN_ERROR_ARGUMENT);
        TEXT(t, error.where, names[k]);
        CHECK(t, g == NULL);
    }
}

/* ---- the same bits ---- */

static void same_bits_for_threads_and_widths(test* t)
{
    static const int threads[] = {0, 1, 2, 3, 8};
    for (int k = -2; k < APPROXIMATE; ++k) {
        kin_gravity_def def = def_of(k < 0 ? KIN_GRAVITY_DIRECT : approximate[k], 0.01);
        def.single = k == -2;
        stars first = stars_of(PLUMMER, k == APPROXIMATE - 1 ? 9001 : 1501); /* the former makes two chunks of every loop */
        double energy = 0;
        for (int simd = 0; simd <= (int)kin_simd_best(); ++simd) {
            for (int i = simd == (int)kin_simd_best() ? 0 : 4; i < 5; ++i) { /* narrow ones are slow: once each */
                kin_jobs jobs;
                double e = 0;
                stars s = stars_of(PLUMMER, first.n);
                if (threads[i] > 0) EQUAL(t, kin_jobs_init(&jobs, &t->allocator, NULL, threads[i], NULL), KIN_OK);
                s.cloud.jobs = threads[i] > 0 ? &jobs : NULL;
                s.cloud.simd = (kin_simd)simd;
                pull(t, &s, &def, 2);
                if (k == APPROXIMATE - 1) {
                    kin_gravity* g;
                    kin_gravity_create(&t->allocator, &def, &g, NULL);
                    kin_gravity_potential(g, &s.cloud, &e, NULL);
                    kin_gravity_destroy(g);
                }
                if (simd == 0) memcpy(first.a[0], s.a[0], 3 * s.n * sizeof(double)), energy = e;
                test_check(t, memcmp(first.a[0], s.a[0], 3 * s.n * sizeof(double)) == 0 && e == energy, __FILE__, __LINE__, "method %d differs: %d threads, %s",
                           k < 0 ? k : (int)approximate[k], threads[i], kin_simd_name((kin_simd)simd));
                if (threads[i] > 0) kin_jobs_term(&jobs);
                stars_free(&s);
            }
        }
        stars_free(&first);
    }
}

/* Whole calls first, so that the walk has a history. Who is asked for feels what all feel, to the bit; the others are left alone. */
static void who_is_asked_for_feels_the_same(test* t)
{
    enum { N = 5000, EVERY = 37 };
    uint32_t active[N / EVERY + 1], count = 0;
    for (uint32_t i = 5; i < N; i += EVERY) active[count++] = i;
    for (int k = -1; k < APPROXIMATE; ++k) {
        kin_gravity_def def = def_of(k < 0 ? KIN_GRAVITY_DIRECT : approximate[k], 0.01);
        stars all = stars_of(PLUMMER, N), some = stars_of(PLUMMER, N);
        kin_gravity* g;
        pull(t, &all, &def, 2);
        EQUAL(t, kin_gravity_create(&t->allocator, &def, &g, NULL), KIN_OK);
        EQUAL(t, kin_gravity_evaluate(g, &some.cloud, NULL), KIN_OK);
        uint64_t pairs = kin_gravity_statistics(g).pairs;
        memset(some.a[0], 0, 3 * N * sizeof(double));
        some.cloud.active = active, some.cloud.active_count = count;
        EQUAL(t, kin_gravity_evaluate(g, &some.cloud, NULL), KIN_OK);
        uint32_t next = 0;
        for (uint32_t i = 0; i < N; ++i) {
            bool asked = next < count && active[next] == i;
            next += asked;
            for (int axis = 0; axis < 3; ++axis) CHECK(t, some.a[axis][i] == (asked ? all.a[axis][i] : 0));
        }
        CHECK(t, kin_gravity_statistics(g).pairs < pairs / 20);
        some.cloud.active_count = 0;
        EQUAL(t, kin_gravity_evaluate(g, &some.cloud, NULL), KIN_OK);
        kin_gravity_destroy(g);
        stars_free(&all), stars_free(&some);
    }
}

static void saved_state_goes_on_alike(test* t)
{
    kin_gravity_def def = def_of(KIN_GRAVITY_FMM, 0.01);
    kin_gravity *a, *b;
    stars s = stars_of(DISK, 3000), r = stars_of(DISK, 3000);
    kin_gravity_create(&t->allocator, &def, &a, NULL);
    kin_gravity_create(&t->allocator, &def, &b, NULL);
    kin_gravity_evaluate(a, &s.cloud, NULL);
    kin_visitor save = {.mode = KIN_VISIT_SAVE, .allocator = t->allocator};
    kin_gravity_visit(a, &save);
    kin_visitor load = {.mode = KIN_VISIT_LOAD, .allocator = t->allocator, .data = save.data, .size = save.size};
    kin_gravity_visit(b, &load);
    EQUAL(t, load.result, KIN_OK);
    memset(s.a[0], 0, 3 * s.n * sizeof(double));
    kin_gravity_evaluate(a, &s.cloud, NULL);
    kin_gravity_evaluate(b, &r.cloud, NULL);
    CHECK(t, memcmp(s.a[0], r.a[0], 3 * s.n * sizeof(double)) == 0);
    pull(t, &r, &def, 1); /* without the state it would be another sum */
    CHECK(t, memcmp(s.a[0], r.a[0], 3 * s.n * sizeof(double)) != 0);
    stars fewer = stars_of(DISK, 2900), fresh = stars_of(DISK, 2900); /* another number: as if new */
    kin_gravity_evaluate(a, &fewer.cloud, NULL);
    pull(t, &fresh, &def, 1);
    CHECK(t, memcmp(fewer.a[0], fresh.a[0], 3 * fewer.n * sizeof(double)) == 0);
    kin_free(&t->allocator, save.data, save.capacity);
    kin_gravity_destroy(a);
    kin_gravity_destroy(b);
    stars_free(&s), stars_free(&r), stars_free(&fewer), stars_free(&fresh);
}

/* ---- memory ---- */

static void nothing_is_allocated_again(test* t)
{
    kin_jobs jobs;
    stars s = stars_of(PLUMMER, 9000);
    EQUAL(t, kin_jobs_init(&jobs, &t->allocator, NULL, 2, NULL), KIN_OK);
    s.cloud.jobs = &jobs;
    for (int k = 0; k < APPROXIMATE; ++k) {
        kin_gravity_def def = def_of(approximate[k], 0.01);
        kin_gravity* g;
        kin_gravity_create(&t->allocator, &def, &g, NULL);
        for (int i = 0; i < 2; ++i) kin_gravity_evaluate(g, &s.cloud, NULL);
        uint64_t before = t->allocations;
        for (int i = 0; i < 3; ++i) kin_gravity_evaluate(g, &s.cloud, NULL);
        EQUAL(t, t->allocations - before, 0);
        CHECK(t, kin_gravity_statistics(g).bytes > 0 && kin_gravity_statistics(g).nodes > 0 && kin_gravity_statistics(g).pairs > 0);
        kin_gravity_destroy(g);
    }
    kin_jobs_term(&jobs);
    stars_free(&s);
}

static bool evaluate_all(test* t, void* context)
{
    stars* s = context;
    for (int k = -1; k < APPROXIMATE; ++k) {
        kin_gravity_def def = def_of(k < 0 ? KIN_GRAVITY_DIRECT : approximate[k], 0.01);
        kin_gravity* g;
        double energy;
        def.single = true;
        if (kin_gravity_create(&t->allocator, &def, &g, NULL) != KIN_OK) return false;
        kin_error error = {0};
        kin_result result = kin_gravity_evaluate(g, &s->cloud, &error);
        if (result == KIN_OK) result = kin_gravity_potential(g, &s->cloud, &energy, &error);
        kin_gravity_destroy(g);
        CHECK(t, result == error.code);
        if (result != KIN_OK) return EQUAL(t, result, KIN_ERROR_MEMORY), false;
    }
    return true;
}

static void every_allocation_may_fail(test* t)
{
    stars s = stars_of(PLUMMER, 700);
    test_fail_each_allocation(t, evaluate_all, &s);
    stars_free(&s);
}

TEST_MAIN("system/gravity", TEST(two_bodies_attract), TEST(accelerations_are_added), TEST(direct_sum_is_the_plain_sum), TEST(far_cluster_is_its_centre),
          TEST(cluster_error_of_the_text), TEST(distant_galaxy_pulls_like_a_star), TEST(errors_stay_below_their_bounds), TEST(smaller_openings_are_better),
          TEST(an_outlier_costs_no_digits), TEST(energy_by_tree_is_that_of_pairs), TEST(force_is_minus_the_gradient), TEST(few_or_none), TEST(all_at_one_place),
          TEST(lines_and_huge_extents), TEST(what_is_not_finite_is_refused), TEST(bad_defs_are_refused), TEST(same_bits_for_threads_and_widths),
          TEST(who_is_asked_for_feels_the_same), TEST(saved_state_goes_on_alike), TEST(nothing_is_allocated_again), TEST(every_allocation_may_fail))
