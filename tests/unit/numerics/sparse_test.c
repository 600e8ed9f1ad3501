/* sparse_test.c - matrices from triplets: places, sums in the order given, products, no room. */
#include "numerics/sparse.h"
#include "support/test.h"
#include <string.h>

static void assembled_in_order(test* t)
{
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    kin_triplets triplets = {.arena = &arena};
    kin_triplets_add(&triplets, 3, 1, 5);
    kin_triplets_add(&triplets, 0, 2, 1e100); /* at one place, in the order given: (1e100 + 3) - 1e100 is 0, any other order 3 */
    kin_triplets_add(&triplets, 3, 0, 4);
    kin_triplets_add(&triplets, 0, 2, 3);
    kin_triplets_add(&triplets, 0, 0, 2);
    kin_triplets_add(&triplets, 0, 2, -1e100);
    kin_sparse a;
    CHECK(t, kin_sparse_assemble(&triplets, 4, &arena, &a));
    static const int begin[5] = {0, 2, 2, 2, 4}, column[4] = {0, 2, 0, 1};
    static const double value[4] = {2, 0, 4, 5};
    for (int i = 0; i < 5; ++i) EQUAL(t, a.begin[i], begin[i]);
    for (int i = 0; i < 4; ++i) CHECK(t, a.column[i] == column[i] && a.value[i] == value[i]);
    CHECK(t, kin_sparse_at(&a, 3, 1) == 5 && kin_sparse_at(&a, 3, 0) == 4 && kin_sparse_at(&a, 2, 2) == 0 && kin_sparse_at(&a, 0, 3) == 0);
    double y[4];
    kin_sparse_multiply(&a, (double[]){1, 10, 100, 1000}, y);
    CHECK(t, y[0] == 2 && y[1] == 0 && y[2] == 0 && y[3] == 54);
    kin_arena_term(&arena);
}

/* Many, against the same in a full table: whole numbers, so that sums are exact. */
static void as_a_full_table(test* t)
{
    enum { N = 37, COUNT = 3000 };
    static double full[N][N];
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    kin_triplets triplets = {.arena = &arena};
    memset(full, 0, sizeof full);
    unsigned state = 7;
    for (int k = 0; k < COUNT; ++k) {
        state = state * 1664525u + 1013904223u;
        int row = (int)(state >> 8) % (N - 3), column = (int)(state >> 16) % (N - 3);
        double block[9];
        for (int i = 0; i < 9; ++i) {
            block[i] = (k + i) % 11 - 5;
            full[row + i / 3][column + i % 3] += block[i];
        }
        kin_triplets_add_block(&triplets, row, column, block);
    }
    kin_sparse a;
    CHECK(t, kin_sparse_assemble(&triplets, N, &arena, &a) && a.begin[N] < 9 * COUNT);
    double x[N], y[N];
    for (int i = 0; i < N; ++i) x[i] = i - 10;
    kin_sparse_multiply(&a, x, y);
    for (int i = 0; i < N; ++i) {
        double sum = 0;
        for (int k = 0; k < N; ++k) {
            sum += full[i][k] * x[k];
            CHECK(t, kin_sparse_at(&a, i, k) == full[i][k]);
        }
        NEAR(t, y[i], sum, 0);
    }
    kin_arena_term(&arena);
}

static bool with_faults(test* t, void* context)
{
    (void)context;
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    kin_triplets triplets = {.arena = &arena};
    for (int i = 0; i < 20000; ++i) kin_triplets_add(&triplets, i % 100, i % 99, 1);
    kin_sparse a;
    bool made = kin_sparse_assemble(&triplets, 100, &arena, &a);
    CHECK(t, !(made && triplets.failed));
    kin_arena_term(&arena);
    return made;
}

static void no_room_is_told(test* t) { test_fail_each_allocation(t, with_faults, NULL); }

TEST_MAIN("numerics_sparse", TEST(assembled_in_order), TEST(as_a_full_table), TEST(no_room_is_told))
