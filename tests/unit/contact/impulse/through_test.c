/* through_test.c - systems of rows through their bodies against the same ones written out. */
#include "contact/impulse/through.h"
#include "hits.h"
#include "numerics/dense.h"
#include "support/test.h"

enum { BODIES = 6, CONTACTS = 14 };

typedef struct scene {
    kin_body bodies[BODIES];
    kin_row_set set;
} scene;

/* Contacts among random bodies, the first of which nothing moves; heavy: one is so many times heavier. */
static void throw_scene(scene* s, dice* d, double heavy, kin_arena* arena, test* t)
{
    for (int i = 0; i < BODIES; ++i) s->bodies[i] = random_body(d);
    s->bodies[0].inv_mass = 0, s->bodies[0].inv_moments = kin_v(0, 0, 0);
    s->bodies[1].inv_mass /= heavy, s->bodies[1].inv_moments = kin_scale(s->bodies[1].inv_moments, 1 / heavy);
    CHECK(t, kin_row_set_init(&s->set, CONTACTS, 0, arena));
    for (int i = 0; i < CONTACTS; ++i) {
        uint32_t a = 1 + (uint32_t)i % (BODIES - 1), b = (uint32_t)roll(d, 0, BODIES - 1e-9);
        if (b == a) b = 0;
        kin_vec3 n = roll_direction(d), tangent = kin_normalize_or(kin_cross(n, roll_direction(d)), kin_v(1, 0, 0)), point = roll3(d, 1);
        for (int k = 0; k < 3; ++k) s->set.rows[3 * i + k] = kin_row_at_point(s->bodies, a, b, point, kin_row_direction(n, tangent, k));
    }
    CHECK(t, kin_row_set_couple(&s->set, arena));
}

static void products_are_those_of_the_matrix(test* t)
{
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    dice d = {.key = {.seed = 5}};
    for (int round = 0; round < 20; ++round) {
        scene s;
        throw_scene(&s, &d, round % 2 ? 1e5 : 1, &arena, t);
        int n = s.set.size;
        double *a = kin_row_set_matrix(&s.set, &arena), f[3 * CONTACTS], zero[3 * CONTACTS] = {0}, out[3 * CONTACTS];
        for (int i = 0; i < n; ++i) f[i] = roll(&d, -1, 1);
        kin_row_set_multiply(&s.set, zero, f, out);
        for (int i = 0; i < n; ++i) {
            double sum = 0;
            for (int j = 0; j < n; ++j) sum += a[i * n + j] * f[j];
            NEAR(t, out[i], sum, 1e-12 * n * s.set.diagonal[i] + 1e-12);
        }
        kin_arena_reset(&arena);
    }
    kin_arena_term(&arena);
}

/* (B C + soft) y = r, normals that slide included: C is not B's then. */
static void answers_are_those_of_the_matrix(test* t)
{
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    dice d = {.key = {.seed = 6}};
    for (int round = 0; round < 40; ++round) {
        scene s;
        kin_through through;
        kin_through_row rows[CONTACTS];
        double dense[CONTACTS * CONTACTS], y[CONTACTS], r[CONTACTS], miss[CONTACTS], soft = 1e-3;
        int pivot[CONTACTS];
        throw_scene(&s, &d, round % 2 ? 1e5 : 1, &arena, t);
        CHECK(t, kin_through_init(&through, &s.set, &arena));
        for (int i = 0; i < CONTACTS; ++i) {
            double scale = 1 / kin_sqrt(s.set.diagonal[3 * i]), mu = round % 4 < 2 ? 0 : 0.3;
            kin_vec3 column[KIN_ROW_PARTS];
            for (int k = 0; k < KIN_ROW_PARTS; ++k) column[k] = kin_add_scaled(s.set.rows[3 * i].give[k], mu, s.set.rows[3 * i + 1].give[k]);
            rows[i] = kin_through_row_of(&through, &s.set.rows[3 * i], column, scale);
            r[i] = y[i] = roll(&d, -1, 1);
            for (int j = 0; j < CONTACTS; ++j) {
                double other = 1 / kin_sqrt(s.set.diagonal[3 * j]),
                       along = kin_row_set_entry(&s.set, 3 * i, 3 * j) + mu * kin_row_set_entry(&s.set, 3 * i, 3 * j + 1);
                dense[i * CONTACTS + j] = scale * other * along + (i == j ? soft : 0);
            }
        }
        double expected[CONTACTS];
        memcpy(expected, r, sizeof expected);
        CHECK(t, kin_lu_factor(CONTACTS, dense, pivot));
        kin_lu_solve(CONTACTS, dense, pivot, expected);
        CHECK(t, kin_through_factor(&through, rows, CONTACTS, soft));
        kin_through_solve(&through, rows, CONTACTS, y);
        double most = 1;
        for (int i = 0; i < CONTACTS; ++i) most = kin_max(most, kin_abs(expected[i]));
        for (int i = 0; i < CONTACTS; ++i) NEAR(t, y[i], expected[i], 1e-9 * most); /* rounding by the condition: 1e-16 / soft, squared for Woodbury's part */
        kin_through_miss(&through, rows, CONTACTS, soft, r, y, miss);
        for (int i = 0; i < CONTACTS; ++i) NEAR(t, miss[i], 0, 1e-12 * most);
        kin_arena_reset(&arena);
    }
    kin_arena_term(&arena);
}

TEST_MAIN("contact/impulse/through", TEST(products_are_those_of_the_matrix), TEST(answers_are_those_of_the_matrix))
