#include "base/rng.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Random123, kat_vectors: all zero, all one, digits of pi. */
static void matches_published_philox(test* t)
{
    static const struct {
        uint64_t counter[4], key[2], words[4];
    } known[] = {
        {{0}, {0}, {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
         {UINT64_MAX, UINT64_MAX},
         {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
        {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
         {0x452821e638d01377, 0xbe5466cf34e90c6c},
         {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
    };
    for (int i = 0; i < 3; ++i) {
        uint64_t words[4];
        kin_rng_philox(known[i].counter, known[i].key, words);
        CHECK(t, memcmp(words, known[i].words, sizeof words) == 0);
    }
}

/* Scenes depend on these: they may not change. */
static void golden_values(test* t)
{
    const uint64_t golden = 0xb10bdd5dab8302dfu;
    kin_rng_key key = {.seed = 1, .serial = 2, .step = 3, .system = 4, .tick = 5};
    CHECK(t, kin_rng_bits(&(kin_rng_key){0}, 0) == 0x16554d9eca36314c);
    CHECK(t, kin_rng_bits(&key, 6) == golden);
    uint64_t words[4];
    kin_rng_words(&key, 6, words);
    CHECK(t, words[0] == golden);
    CHECK(t, kin_rng_uniform(&key, 6, -1, 1) == 2 * (double)(golden >> 11) * 0x1p-53 - 1);
}

enum { PARTS = 6, SAMPLES = 60000 };
static const int part_bits[PARTS] = {64, 64, 64, 32, 32, 32};

/* Key number `value` when only one part is counted up. */
static uint64_t bits_of(int part, uint64_t value)
{
    kin_rng_key key = {.seed = 11, .serial = 12, .step = 13, .system = 14, .tick = 15};
    uint32_t draw = 16;
    switch (part) {
    case 0: key.seed = value; break;
    case 1: key.serial = value; break;
    case 2: key.step = value; break;
    case 3: key.system = (uint32_t)value; break;
    case 4: key.tick = (uint32_t)value; break;
    default: draw = (uint32_t)value; break;
    }
    return kin_rng_bits(&key, draw);
}

/* Turning any one bit of any part turns half of the bits of the result. */
static void every_key_bit_turns_half_the_result(test* t)
{
    for (int part = 0; part < PARTS; ++part) {
        for (int bit = 0; bit < part_bits[part]; ++bit) {
            double turned = 0;
            for (uint64_t i = 0; i < 200; ++i) {
                uint64_t value = i * 0x9E3779B97F4A7C15u;
                turned += __builtin_popcountll(bits_of(part, value) ^ bits_of(part, value ^ (1ull << bit)));
            }
            NEAR(t, turned / 200, 32, 5 * 4 / sqrt(200)); /* binomial(64, 1/2): deviation 4; 288 checks at 5 sigma */
        }
    }
}

static int by_size(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov: sqrt(n) D is below 1.95 in 999 of 1000 samples. */
static double ks_uniform(double* values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_size);
    double most = 0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(values[i] - (double)i / n));
        most = fmax(most, fabs(values[i] - (double)(i + 1) / n));
    }
    return most * sqrt(n);
}

static void counting_any_part_is_uniform(test* t)
{
    static double values[SAMPLES];
    for (int part = 0; part < PARTS; ++part) {
        for (int i = 0; i < SAMPLES; ++i) values[i] = kin_rng_unit(bits_of(part, (uint64_t)i));
        CHECK(t, ks_uniform(values, SAMPLES) < 1.95);
    }
}

/* Four bits of a number against four of its neighbour: chi-square with 255 degrees of freedom, 9999 of 10000 below 345. */
static double chi_square_of_pairs(int part, int shift)
{
    int cells[256] = {0};
    for (uint64_t i = 0; i < SAMPLES; ++i) {
        unsigned a = (unsigned)(bits_of(part, i) >> shift) & 15, b = (unsigned)(bits_of(part, i + 1) >> shift) & 15;
        cells[a * 16 + b] += 1;
    }
    double sum = 0, want = SAMPLES / 256.0;
    for (int i = 0; i < 256; ++i) sum += (cells[i] - want) * (cells[i] - want) / want;
    return sum;
}

static void neighbours_are_independent(test* t)
{
    for (int part = 0; part < PARTS; ++part) {
        CHECK(t, chi_square_of_pairs(part, 60) < 345);
        CHECK(t, chi_square_of_pairs(part, 0) < 345);
    }
}

static void words_of_a_draw_are_independent(test* t)
{
    double sums[4][4] = {{0}};
    for (uint64_t i = 0; i < SAMPLES; ++i) {
        uint64_t words[4];
        kin_rng_words(&(kin_rng_key){.serial = i}, 0, words);
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) sums[a][b] += (kin_rng_unit(words[a]) - 0.5) * (kin_rng_unit(words[b]) - 0.5) * 12 / SAMPLES;
        }
    }
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) NEAR(t, sums[a][b], a == b, 5 / sqrt(SAMPLES));
    }
}

static void units_stay_in_their_range(test* t)
{
    CHECK(t, kin_rng_unit(0) == 0 && kin_rng_unit(UINT64_MAX) == 1 - 0x1p-53);
    CHECK(t, kin_rng_unit_positive(0) == 0x1p-53 && kin_rng_unit_positive(UINT64_MAX) == 1);
}

static void uniform_never_reaches_high(test* t)
{
    int above = 0;
    for (uint64_t i = 0; i < 10000; ++i) {
        kin_rng_key key = {.serial = i};
        double narrow = kin_rng_uniform(&key, 0, 1, 1 + 0x1p-52); /* the sum rounds up half of the time */
        CHECK(t, narrow == 1);
        double two = kin_rng_uniform(&key, 0, 1, 1 + 0x1p-51);
        above += two > 1;
        CHECK(t, two == 1 || two == 1 + 0x1p-52);
        CHECK(t, kin_rng_uniform(&key, 0, 2.5, 2.5) == 2.5);
        double wide = kin_rng_uniform(&key, 0, -30, 30);
        CHECK(t, wide >= -30 && wide < 30);
    }
    NEAR(t, above, 5000, 250);
}

static void uniform_has_its_moments(test* t)
{
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < SAMPLES; ++i) {
        double x = kin_rng_uniform(&(kin_rng_key){.step = i}, 3, 50, 110); /* H4.2a: apples, 80 +- 30 */
        sum += x / SAMPLES;
        squares += (x - 80) * (x - 80) / SAMPLES;
    }
    NEAR(t, sum, 80, 5 * 17.3 / sqrt(SAMPLES));
    NEAR(t, squares, 300, 5 * 270 / sqrt(SAMPLES));
}

TEST_MAIN("base/rng", TEST(matches_published_philox), TEST(golden_values), TEST(every_key_bit_turns_half_the_result), TEST(counting_any_part_is_uniform),
          TEST(neighbours_are_independent), TEST(words_of_a_draw_are_independent), TEST(units_stay_in_their_range), TEST(uniform_never_reaches_high),
          TEST(uniform_has_its_moments))
