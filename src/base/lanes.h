/* lanes.h - float lanes of a kernel's width. Blocks are always eight items long; a narrower width takes them in parts, so every width works on the same memory
 * and gives the same bits. For kernel files only. */
#pragma once
#include "base/kernel.h"
#include <stdint.h>
#if KIN_WIDTH > 0
#include <immintrin.h>
#endif

#if KIN_WIDTH == 2
#define LANES 8
#elif KIN_WIDTH == 1
#define LANES 4
#else
#define LANES 1
#endif
typedef float lane __attribute__((vector_size(4 * LANES)));
typedef int32_t which __attribute__((vector_size(4 * LANES)));
typedef float lane_in_memory __attribute__((vector_size(4 * LANES), may_alias));
#define INLINE static inline __attribute__((always_inline))

#if KIN_WIDTH == 2
INLINE lane all(float x) { return (lane)_mm256_set1_ps(x); }
INLINE lane more(lane a, lane b) { return (lane)_mm256_max_ps((__m256)a, (__m256)b); }
INLINE lane less(lane a, lane b) { return (lane)_mm256_min_ps((__m256)a, (__m256)b); }
INLINE lane root(lane a) { return (lane)_mm256_sqrt_ps((__m256)a); }
INLINE lane pick(which m, lane a, lane b) { return (lane)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m); }
INLINE uint32_t bits(which m) { return (uint32_t)_mm256_movemask_ps((__m256)m); }
#elif KIN_WIDTH == 1
INLINE lane all(float x) { return (lane)_mm_set1_ps(x); }
INLINE lane more(lane a, lane b) { return (lane)_mm_max_ps((__m128)a, (__m128)b); }
INLINE lane less(lane a, lane b) { return (lane)_mm_min_ps((__m128)a, (__m128)b); }
INLINE lane root(lane a) { return (lane)_mm_sqrt_ps((__m128)a); }
INLINE lane pick(which m, lane a, lane b) { return (lane)_mm_or_ps(_mm_and_ps((__m128)m, (__m128)a), _mm_andnot_ps((__m128)m, (__m128)b)); }
INLINE uint32_t bits(which m) { return (uint32_t)_mm_movemask_ps((__m128)m); }
#else
INLINE lane all(float x) { return (lane){x}; }
INLINE lane more(lane a, lane b) { return (lane){a[0] > b[0] ? a[0] : b[0]}; }
INLINE lane less(lane a, lane b) { return (lane){a[0] < b[0] ? a[0] : b[0]}; }
INLINE lane root(lane a) { return (lane){__builtin_sqrtf(a[0])}; }
INLINE lane pick(which m, lane a, lane b) { return (lane){m[0] != 0 ? a[0] : b[0]}; }
INLINE uint32_t bits(which m) { return m[0] != 0; }
#endif

INLINE lane load(const float* from) { return *(const lane_in_memory*)from; }
INLINE void store(float* to, lane x) { *(lane_in_memory*)to = x; }

typedef struct lane3 {
    lane x, y, z;
} lane3;
INLINE lane3 add3(lane3 a, lane3 b) { return (lane3){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE lane3 sub3(lane3 a, lane3 b) { return (lane3){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE lane3 scale3(lane3 a, lane s) { return (lane3){a.x * s, a.y * s, a.z * s}; }
INLINE lane dot3(lane3 a, lane3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE lane3 cross3(lane3 a, lane3 b) { return (lane3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
