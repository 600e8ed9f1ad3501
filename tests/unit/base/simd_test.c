#include "base/simd.h"
#include "support/test.h"

static void names_go_both_ways(test* t)
{
    for (int i = 0; i < KIN_SIMD_COUNT; ++i) {
        kin_simd back = KIN_SIMD_COUNT;
        CHECK(t, kin_simd_from_name(kin_simd_name((kin_simd)i), &back));
        EQUAL(t, back, i);
    }
    kin_simd untouched = KIN_SIMD_SSE2;
    CHECK(t, !kin_simd_from_name("avx512", &untouched));
    CHECK(t, !kin_simd_from_name("", &untouched));
    EQUAL(t, untouched, KIN_SIMD_SSE2);
    TEXT(t, kin_simd_name(KIN_SIMD_COUNT), "unknown");
}

static void best_agrees_with_the_compiler(test* t)
{
#if defined(__x86_64__)
    EQUAL(t, kin_simd_best(), __builtin_cpu_supports("avx2") ? KIN_SIMD_AVX2 : KIN_SIMD_SSE2);
#else
    EQUAL(t, kin_simd_best(), KIN_SIMD_NONE);
#endif
}

TEST_MAIN("base/simd", TEST(names_go_both_ways), TEST(best_agrees_with_the_compiler))
