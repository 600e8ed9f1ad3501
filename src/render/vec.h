/* vec.h - four floats in a register, three of them used: points, directions and colours of the renderer. A picture is not
 * state, so floats and libm are welcome here. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef float kin_vec __attribute__((vector_size(16)));
typedef struct kin_pair {
    float x, y;
} kin_pair;

#define KIN_PI 3.14159265f

/* Inline, unlike libm's, which also look after NaN. */
static inline float minf(float a, float b) { return a < b ? a : b; }
static inline float maxf(float a, float b) { return a > b ? a : b; }
static inline float clampf(float x, float low, float high) { return x > low ? (x < high ? x : high) : low; } /* NaN gives low */
static inline float floor_small(float x) { return (float)((int)x - (x < (float)(int)x)); }                   /* |x| < 2^31 */

static inline kin_vec vec(float x, float y, float z) { return (kin_vec){x, y, z, 0}; }
static inline kin_vec vec_all(float x) { return (kin_vec){x, x, x, 0}; }
static inline kin_vec vec_load(const float* p) { return (kin_vec){p[0], p[1], p[2], 0}; }
static inline float vec_dot(kin_vec a, kin_vec b)
{
    kin_vec m = a * b;
    return m[0] + m[1] + m[2];
}
static inline kin_vec vec_cross(kin_vec a, kin_vec b)
{
    kin_vec a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
    kin_vec c = a * b1 - a1 * b;
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}
static inline float vec_length(kin_vec a) { return sqrtf(vec_dot(a, a)); }
static inline kin_vec vec_normalize(kin_vec a)
{
    float length2 = vec_dot(a, a);
    return length2 > 0 ? a * (1 / sqrtf(length2)) : vec(0, 1, 0);
}
static inline kin_vec vec_mix(kin_vec a, kin_vec b, float s) { return a + (b - a) * s; }
static inline kin_vec vec_reflect(kin_vec d, kin_vec n) { return d - n * (2 * vec_dot(d, n)); }
static inline float vec_max(kin_vec a) { return maxf(a[0], maxf(a[1], a[2])); }
static inline float vec_luminance(kin_vec c) { return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2]; }
static inline bool vec_finite(kin_vec a) { return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]); }
/* A reflectance: 0..1 whatever the frame says. */
static inline kin_vec vec_color(const float* rgb) { return vec(clampf(rgb[0], 0, 1), clampf(rgb[1], 0, 1), clampf(rgb[2], 0, 1)); }
static inline float smoothf(float low, float high, float x)
{
    float s = clampf((x - low) / (high - low), 0, 1);
    return s * s * (3 - 2 * s);
}

/* Two directions that make an orthonormal frame with n. Duff et al. 2017. */
static inline void vec_frame(kin_vec n, kin_vec* s, kin_vec* t)
{
    float sign = copysignf(1, n[2]);
    float a = -1 / (sign + n[2]);
    float b = n[0] * n[1] * a;
    *s = vec(1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]);
    *t = vec(b, sign + n[1] * n[1] * a, -n[1]);
}
