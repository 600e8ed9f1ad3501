/* simd.c - asks the processor itself, as the compiler's own question would link libgcc's tables. */
#include "base/simd.h"
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char* const names[KIN_SIMD_COUNT] = {[KIN_SIMD_NONE] = "none", [KIN_SIMD_SSE2] = "sse2", [KIN_SIMD_AVX2] = "avx2"};

#if defined(__x86_64__)
/* The system must save the wide registers too, or they change under us. */
static bool system_saves_wide_registers(void)
{
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6; /* xmm and ymm */
}

kin_simd kin_simd_best(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_OSXSAVE) == 0 || (c & bit_AVX) == 0) return KIN_SIMD_SSE2;
    if (!system_saves_wide_registers()) return KIN_SIMD_SSE2;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & bit_AVX2) == 0) return KIN_SIMD_SSE2;
    return KIN_SIMD_AVX2;
}
#else
kin_simd kin_simd_best(void) { return KIN_SIMD_NONE; }
#endif

bool kin_simd_from_name(const char* name, kin_simd* out)
{
    for (int i = 0; i < KIN_SIMD_COUNT; ++i) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (kin_simd)i;
        return true;
    }
    return false;
}

const char* kin_simd_name(kin_simd simd) { return (unsigned)simd < KIN_SIMD_COUNT ? names[simd] : "unknown"; }
