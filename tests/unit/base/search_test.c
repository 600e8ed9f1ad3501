/* search_test.c - binary searches against a walk through the list. */
#include "base/search.h"
#include "support/test.h"

static size_t walk(const uint64_t* rising, size_t count, uint64_t key)
{
    size_t at = 0;
    while (at < count && rising[at] < key) ++at;
    return at;
}

/* Lists of every length up to nine, some numbers twice, every key from below the first to beyond the last. */
static void places_are_those_of_a_walk(test* t)
{
    static const uint64_t wide[9] = {1, 3, 3, 3, 6, 7, 7, 9, 12};
    uint32_t narrow[9];
    for (size_t i = 0; i < 9; ++i) narrow[i] = (uint32_t)wide[i];
    for (size_t count = 0; count <= 9; ++count) {
        for (uint64_t key = 0; key < 14; ++key) {
            EQUAL(t, kin_search_u64(wide, count, key), walk(wide, count, key));
            EQUAL(t, kin_search_u32(narrow, count, (uint32_t)key), walk(wide, count, key));
        }
    }
}

/* A share on a border is in the part behind it; parts of no size are never hit; beyond all is in the last. */
static void shares_fall_into_parts(test* t)
{
    static const double sums[5] = {1, 1, 3, 3, 4};
    EQUAL(t, kin_search_sums(sums, 5, 0.0), 0);
    EQUAL(t, kin_search_sums(sums, 5, 0.99), 0);
    EQUAL(t, kin_search_sums(sums, 5, 1.0), 2);
    EQUAL(t, kin_search_sums(sums, 5, 3.0), 4);
    EQUAL(t, kin_search_sums(sums, 5, 4.0), 4);
    EQUAL(t, kin_search_sums(sums, 1, 7.0), 0);
}

TEST_MAIN("base/search", TEST(places_are_those_of_a_walk), TEST(shares_fall_into_parts))
