/* lanes.h - bodies' lines gathered into lanes of a kernel's width and scattered back. For kernel files only. */
#pragma once
#include "base/lanes.h"
#include "contact/realtime/rows.h"

INLINE lane3 load3(const kin_rt_lane* from, int at) { return (lane3){load(from[0] + at), load(from[1] + at), load(from[2] + at)}; }
INLINE void store3(kin_rt_lane* to, int at, lane3 v) { store(to[0] + at, v.x), store(to[1] + at, v.y), store(to[2] + at, v.z); }
/* A symmetric matrix xx xy xz yy yz zz times a vector. */
INLINE lane3 sym3(const lane* s, lane3 v)
{
    return (lane3){s[0] * v.x + s[1] * v.y + s[2] * v.z, s[1] * v.x + s[3] * v.y + s[4] * v.z, s[2] * v.x + s[4] * v.y + s[5] * v.z};
}
INLINE lane3 sym3_from(const kin_rt_lane* s, int at, lane3 v)
{
    lane m[6];
    for (int k = 0; k < 6; ++k) m[k] = load(s[k] + at);
    return sym3(m, v);
}
/* Rows of a matrix times a vector. */
INLINE lane3 mat3(const lane* m, lane3 v)
{
    return (lane3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z, m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

/* ---- lines ---- */

/* A body that may not be written is stored as its complement. */
INLINE const float* line_at(const float* lines, int32_t index) { return lines + 16 * (size_t)(index ^ (index >> 31)); }

#if KIN_WIDTH == 2
INLINE __m256 load_two(const float* low, const float* high) { return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high), 1); }
INLINE void transpose4(__m256 r0, __m256 r1, __m256 r2, __m256 r3, lane* out)
{
    __m256 a = _mm256_unpacklo_ps(r0, r1), b = _mm256_unpackhi_ps(r0, r1), c = _mm256_unpacklo_ps(r2, r3), d = _mm256_unpackhi_ps(r2, r3);
    out[0] = (lane)_mm256_shuffle_ps(a, c, 0x44), out[1] = (lane)_mm256_shuffle_ps(a, c, 0xEE);
    out[2] = (lane)_mm256_shuffle_ps(b, d, 0x44), out[3] = (lane)_mm256_shuffle_ps(b, d, 0xEE);
}
/* Four numbers of every lane's line, from `offset`. */
INLINE void gather4(const float* lines, const int32_t* index, int offset, lane* out)
{
    const float* p[8];
    for (int i = 0; i < 8; ++i) p[i] = line_at(lines, index[i]) + offset;
    transpose4(load_two(p[0], p[4]), load_two(p[1], p[5]), load_two(p[2], p[6]), load_two(p[3], p[7]), out);
}
INLINE void scatter_line(float* lines, int32_t index, __m128 low, __m128 high)
{
    if (index < 0) return;
    float* to = lines + 16 * (size_t)index;
    _mm_store_ps(to, low);
    _mm_store_ps(to + 4, high);
}
INLINE void scatter7(float* lines, const int32_t* index, const lane* v)
{
    lane low[4], high[4];
    transpose4((__m256)v[0], (__m256)v[1], (__m256)v[2], (__m256)v[3], low);
    transpose4((__m256)v[4], (__m256)v[5], (__m256)v[6], _mm256_setzero_ps(), high);
    for (int i = 0; i < 4; ++i) {
        scatter_line(lines, index[i], _mm256_castps256_ps128((__m256)low[i]), _mm256_castps256_ps128((__m256)high[i]));
        scatter_line(lines, index[i + 4], _mm256_extractf128_ps((__m256)low[i], 1), _mm256_extractf128_ps((__m256)high[i], 1));
    }
}
#elif KIN_WIDTH == 1
INLINE void gather4(const float* lines, const int32_t* index, int offset, lane* out)
{
    __m128 a = _mm_load_ps(line_at(lines, index[0]) + offset), b = _mm_load_ps(line_at(lines, index[1]) + offset);
    __m128 c = _mm_load_ps(line_at(lines, index[2]) + offset), d = _mm_load_ps(line_at(lines, index[3]) + offset);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    out[0] = (lane)a, out[1] = (lane)b, out[2] = (lane)c, out[3] = (lane)d;
}
INLINE void scatter7(float* lines, const int32_t* index, const lane* v)
{
    __m128 a = (__m128)v[0], b = (__m128)v[1], c = (__m128)v[2], d = (__m128)v[3];
    __m128 e = (__m128)v[4], f = (__m128)v[5], g = (__m128)v[6], h = _mm_setzero_ps();
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _MM_TRANSPOSE4_PS(e, f, g, h);
    const __m128 low[4] = {a, b, c, d}, high[4] = {e, f, g, h};
    for (int i = 0; i < 4; ++i) {
        if (index[i] < 0) continue;
        _mm_store_ps(lines + 16 * (size_t)index[i], low[i]);
        _mm_store_ps(lines + 16 * (size_t)index[i] + 4, high[i]);
    }
}
#else
INLINE void gather4(const float* lines, const int32_t* index, int offset, lane* out)
{
    const float* p = line_at(lines, index[0]) + offset;
    for (int k = 0; k < 4; ++k) out[k] = all(p[k]);
}
INLINE void scatter7(float* lines, const int32_t* index, const lane* v)
{
    if (index[0] < 0) return;
    float* p = lines + 16 * (size_t)index[0];
    for (int k = 0; k < 7; ++k) p[k] = v[k][0];
}
#endif
INLINE void gather8(const float* lines, const int32_t* index, int offset, lane* out)
{
    gather4(lines, index, offset, out);
    gather4(lines, index, offset + 4, out + 4);
}

/* Seven numbers of a body: three along, three about, and when a blow struck it (of velocities alone). */
typedef struct twist {
    lane3 along, about;
    lane struck;
} twist;
INLINE twist gather_twist(const float* lines, const int32_t* index, int offset)
{
    lane v[8];
    gather8(lines, index, offset, v);
    return (twist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, v[6]};
}
INLINE void scatter_twist(float* lines, const int32_t* index, twist t)
{
    const lane v[7] = {t.along.x, t.along.y, t.along.z, t.about.x, t.about.y, t.about.z, t.struck};
    scatter7(lines, index, v);
}
