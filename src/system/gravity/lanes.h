/* lanes.h - eight floats at once at every width: narrower builds take them in parts. For kernel files only. */
#pragma once
#include "base/kernel.h"
#include <stdint.h>
#include <string.h>
#if KIN_WIDTH > 0
#include <immintrin.h>
#endif

enum { LANES = 8 };
typedef float lane8 __attribute__((vector_size(32)));
typedef int32_t mask8 __attribute__((vector_size(32)));
typedef double lane4d __attribute__((vector_size(32)));
typedef int64_t mask4d __attribute__((vector_size(32)));
typedef float lane4 __attribute__((vector_size(16)));
#define INLINE static inline __attribute__((always_inline))

INLINE lane8 all8(float a) { return (lane8){a, a, a, a, a, a, a, a}; }
INLINE lane4d all4d(double a) { return (lane4d){a, a, a, a}; }

INLINE lane8 load8(const float* from)
{
    lane8 out;
    memcpy(&out, from, sizeof out);
    return out;
}

INLINE void store8(float* to, lane8 a) { memcpy(to, &a, sizeof a); }

INLINE lane4d load4d(const double* from)
{
    lane4d out;
    memcpy(&out, from, sizeof out);
    return out;
}

INLINE lane8 sqrt8(lane8 a)
{
#if KIN_WIDTH == 2
    return (lane8)_mm256_sqrt_ps((__m256)a);
#elif KIN_WIDTH == 1
    lane4 h[2];
    memcpy(h, &a, sizeof a);
    h[0] = (lane4)_mm_sqrt_ps((__m128)h[0]), h[1] = (lane4)_mm_sqrt_ps((__m128)h[1]);
    memcpy(&a, h, sizeof a);
    return a;
#else
    for (int k = 0; k < LANES; ++k) a[k] = __builtin_sqrtf(a[k]);
    return a;
#endif
}

INLINE lane4d sqrt4d(lane4d a)
{
#if KIN_WIDTH == 2
    return (lane4d)_mm256_sqrt_pd((__m256d)a);
#else
    for (int k = 0; k < 4; ++k) a[k] = __builtin_sqrt(a[k]);
    return a;
#endif
}

/* Always the same tree, whatever the width. */
INLINE float sum8(lane8 a) { return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7])); }

/* A bit for each lane. */
INLINE unsigned bits8(mask8 a)
{
#if KIN_WIDTH == 2
    return (unsigned)_mm256_movemask_ps((__m256)a);
#else
    unsigned bits = 0;
    for (int k = 0; k < LANES; ++k) bits |= ((unsigned)a[k] >> 31) << k;
    return bits;
#endif
}

#if KIN_WIDTH == 2
/* The chosen lanes to the front; what follows them is of no account. order: kin_gravity_sum. */
INLINE __m256i order8(const uint64_t* order, unsigned bits) { return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order[bits])); }
#endif

/* Appends the chosen lanes; up to eight elements after the last are overwritten. */
INLINE void pack8(float* to, lane8 a, const uint64_t* order, unsigned bits)
{
#if KIN_WIDTH == 2
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps((__m256)a, order8(order, bits)));
#else
    (void)order;
    for (; bits != 0; bits &= bits - 1) *to++ = a[__builtin_ctz(bits)];
#endif
}

INLINE void pack8i(uint32_t* to, mask8 a, const uint64_t* order, unsigned bits)
{
#if KIN_WIDTH == 2
    _mm256_storeu_si256((__m256i*)to, _mm256_permutevar8x32_epi32((__m256i)a, order8(order, bits)));
#else
    (void)order;
    for (; bits != 0; bits &= bits - 1) *to++ = (uint32_t)a[__builtin_ctz(bits)];
#endif
}
