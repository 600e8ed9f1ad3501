/* pair_lanes.h - the neighbours of a block in lanes of a kernel's width. For kernel files only. A block of eight is done in parts of LANES; part p has the lanes
 * p LANES, p LANES + 1, ... Usage, for the part `at` = p LANES of block b:
 *
 *     for (size_t row = lists->first[b]; row < lists->first[b + 1]; ++row) {
 *         lane4 xj = gather(f->x4 + 32 * b, lists, wide, row, at);      four floats of each neighbour
 *         lane kj = gather1(k + 8 * b, lists, wide, row, at);          one float of each
 *         lane g = weight(lists, wide, row, at);                       0 where the lane has no such neighbour
 *     }
 *
 * Whether offsets are wide does not change within a call: tell the compiler: `wide` is a constant in two inlined copies of the pass. */
#pragma once
#include "base/lanes.h"
#include "domains/sph/fluid.h"

/* Nearest image: size of the periodic box by axis and its inverse, 0 where it is not periodic. */
typedef struct wrap {
    float size[3], inv[3];
} wrap;

INLINE wrap wrap_of(const kin_sph* f)
{
    wrap w;
    for (int a = 0; a < 3; ++a) w.size[a] = f->box_size[a], w.inv[a] = f->box_size[a] > 0 ? 1 / f->box_size[a] : 0;
    return w;
}

typedef struct lane4 {
    lane x, y, z, w;
} lane4;

/* Offset of lane `at + i` of a row. */
INLINE ptrdiff_t offset_of(const kin_sph_lists* lists, bool wide, size_t row, int lane_number)
{
    return wide ? lists->far[8 * row + (size_t)lane_number] : lists->near[8 * row + (size_t)lane_number];
}

#if KIN_WIDTH == 2
INLINE lane4 transpose8(const float* const p[8])
{
    __m256 r0 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(p[0])), _mm_load_ps(p[4]), 1);
    __m256 r1 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(p[1])), _mm_load_ps(p[5]), 1);
    __m256 r2 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(p[2])), _mm_load_ps(p[6]), 1);
    __m256 r3 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(p[3])), _mm_load_ps(p[7]), 1);
    __m256 a = _mm256_unpacklo_ps(r0, r1), b = _mm256_unpackhi_ps(r0, r1), c = _mm256_unpacklo_ps(r2, r3), d = _mm256_unpackhi_ps(r2, r3);
    return (lane4){(lane)_mm256_shuffle_ps(a, c, 0x44), (lane)_mm256_shuffle_ps(a, c, 0xEE), (lane)_mm256_shuffle_ps(b, d, 0x44),
                   (lane)_mm256_shuffle_ps(b, d, 0xEE)};
}
#elif KIN_WIDTH == 1
INLINE lane4 transpose8(const float* const p[4])
{
    __m128 a = _mm_load_ps(p[0]), b = _mm_load_ps(p[1]), c = _mm_load_ps(p[2]), d = _mm_load_ps(p[3]);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    return (lane4){(lane)a, (lane)b, (lane)c, (lane)d};
}
#else
INLINE lane4 transpose8(const float* const p[1]) { return (lane4){all(p[0][0]), all(p[0][1]), all(p[0][2]), all(p[0][3])}; }
#endif

/* fours: of the block's first particle. */
INLINE lane4 gather(const float* fours, const kin_sph_lists* lists, bool wide, size_t row, int at)
{
    const float* p[LANES];
    for (int i = 0; i < LANES; ++i) p[i] = fours + 4 * offset_of(lists, wide, row, at + i);
    return transpose8(p);
}
INLINE lane gather1(const float* ones, const kin_sph_lists* lists, bool wide, size_t row, int at)
{
    lane v;
    for (int i = 0; i < LANES; ++i) v[i] = ones[offset_of(lists, wide, row, at + i)];
    return v;
}
/* The lanes' own fours. */
INLINE lane4 own(const float* fours, int at)
{
    const float* p[LANES];
    for (int i = 0; i < LANES; ++i) p[i] = fours + 4 * (at + i);
    return transpose8(p);
}
#if KIN_WIDTH == 2
INLINE void put_own(float* fours, int at, lane4 v)
{
    (void)at; /* 0 */
    __m256 a = _mm256_unpacklo_ps((__m256)v.x, (__m256)v.y), b = _mm256_unpackhi_ps((__m256)v.x, (__m256)v.y);
    __m256 c = _mm256_unpacklo_ps((__m256)v.z, (__m256)v.w), d = _mm256_unpackhi_ps((__m256)v.z, (__m256)v.w);
    __m256 r0 = _mm256_shuffle_ps(a, c, 0x44), r1 = _mm256_shuffle_ps(a, c, 0xEE), r2 = _mm256_shuffle_ps(b, d, 0x44), r3 = _mm256_shuffle_ps(b, d, 0xEE);
    store(fours, (lane)_mm256_permute2f128_ps(r0, r1, 0x20)), store(fours + 8, (lane)_mm256_permute2f128_ps(r2, r3, 0x20));
    store(fours + 16, (lane)_mm256_permute2f128_ps(r0, r1, 0x31)), store(fours + 24, (lane)_mm256_permute2f128_ps(r2, r3, 0x31));
}
#elif KIN_WIDTH == 1
INLINE void put_own(float* fours, int at, lane4 v)
{
    __m128 a = (__m128)v.x, b = (__m128)v.y, c = (__m128)v.z, d = (__m128)v.w;
    _MM_TRANSPOSE4_PS(a, b, c, d);
    float* to = fours + 4 * at;
    store(to, (lane)a), store(to + 4, (lane)b), store(to + 8, (lane)c), store(to + 12, (lane)d);
}
#else
INLINE void put_own(float* fours, int at, lane4 v)
{
    float* to = fours + 4 * at;
    to[0] = v.x[0], to[1] = v.y[0], to[2] = v.z[0], to[3] = v.w[0];
}
#endif

#define ROWS_AHEAD 128 /* about 6 KB: what memory takes to answer */
/* Lists are read once a pass, from memory that is farther off than the caches, and the processor's own guesses end at every page: they are asked for in time. */
INLINE void look_ahead(const kin_sph_lists* lists, bool wide, size_t row)
{
    __builtin_prefetch(lists->g + 8 * (row + ROWS_AHEAD));
    if (wide)
        __builtin_prefetch(lists->far + 8 * (row + ROWS_AHEAD));
    else
        __builtin_prefetch(lists->near + 8 * (row + ROWS_AHEAD));
}
/* g of a row. */
INLINE lane weight(const kin_sph_lists* lists, bool wide, size_t row, int at)
{
    look_ahead(lists, wide, row);
    return load(lists->g + 8 * row + at);
}

/* Sums over particles run in double, one for each of the eight lanes of a block. */
typedef double wide_lane __attribute__((vector_size(8 * LANES)));
typedef double wide_in_memory __attribute__((vector_size(8 * LANES), may_alias));
INLINE wide_lane widened(lane x) { return __builtin_convertvector(x, wide_lane); }
INLINE void add_up(double sums[8], int at, wide_lane x) { *(wide_in_memory*)(sums + at) += x; }
INLINE double sum_of(const double s[8]) { return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])); }

/* x to the nearest whole number times size; only passes over wide lists need it. |x| < 2^22 size. */
INLINE lane wrapped(lane x, float size, float inv)
{
    const lane magic = all(12582912.0f); /* 1.5 2^23: adding it rounds to a whole number */
    return x - all(size) * ((x * all(inv) + magic) - magic);
}
