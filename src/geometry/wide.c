/* wide.c - determinants in whole numbers as long as they need to be. */
#include "geometry/wide.h"
#include <string.h>

#define LIMBS 336 /* of 32 bits: the product of five differences of doubles, 2100 bits each, and sums of some */

typedef struct whole { /* sign * sum of limb[i] 2^(32 i) */
    int sign, count;   /* count: without leading zeros */
    uint32_t limb[LIMBS];
} whole;

static void trim(whole* w)
{
    while (w->count > 0 && w->limb[w->count - 1] == 0) w->count -= 1;
    if (w->count == 0) w->sign = 0;
}

/* x in units of 2^-1074. */
static void set(whole* w, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff), shift = exponent > 0 ? exponent - 1 : 0;
    uint64_t digits = (bits & 0xfffffffffffff) | (uint64_t)(exponent > 0) << 52;
    w->sign = bits >> 63 != 0 ? -1 : 1;
    w->count = shift / 32 + 3;
    memset(w->limb, 0, (size_t)w->count * sizeof *w->limb);
    uint64_t low = (digits & 0xffffffff) << shift % 32, high = (digits >> 32) << shift % 32;
    uint32_t* at = &w->limb[shift / 32];
    at[0] = (uint32_t)low;
    high += low >> 32;
    at[1] = (uint32_t)high;
    at[2] = (uint32_t)(high >> 32);
    trim(w);
}

static int compare_size(const whole* a, const whole* b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; --i) {
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    }
    return 0;
}

static uint32_t limb_of(const whole* w, int i) { return i < w->count ? w->limb[i] : 0; }

static void add_sizes(const whole* a, const whole* b, whole* out)
{
    uint64_t carry = 0;
    out->count = (a->count > b->count ? a->count : b->count) + 1;
    for (int i = 0; i < out->count; ++i) {
        carry += (uint64_t)limb_of(a, i) + limb_of(b, i);
        out->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void subtract_sizes(const whole* large, const whole* small, whole* out)
{
    int64_t carry = 0;
    out->count = large->count;
    for (int i = 0; i < large->count; ++i) {
        carry += (int64_t)large->limb[i] - limb_of(small, i);
        out->limb[i] = (uint32_t)carry;
        carry >>= 32; /* 0 or -1 */
    }
}

/* a + sense b; out is neither. */
static void add(const whole* a, const whole* b, int sense, whole* out)
{
    int sign = sense * b->sign;
    if (a->sign == 0 || sign == 0 || a->sign == sign) {
        add_sizes(a, b, out);
        out->sign = a->sign != 0 ? a->sign : sign;
    } else if (compare_size(a, b) >= 0) {
        subtract_sizes(a, b, out);
        out->sign = a->sign;
    } else {
        subtract_sizes(b, a, out);
        out->sign = sign;
    }
    trim(out);
}

static void multiply(const whole* a, const whole* b, whole* out)
{
    out->sign = a->sign * b->sign;
    out->count = a->count + b->count;
    memset(out->limb, 0, (size_t)out->count * sizeof *out->limb);
    for (int i = 0; i < a->count; ++i) {
        uint64_t carry = 0;
        for (int j = 0; j < b->count; ++j) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + out->limb[i + j];
            out->limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        out->limb[i + b->count] = (uint32_t)carry;
    }
    trim(out);
}

/* Of the rows in `rows` (bits) and the columns from the first on, along that column. At most four levels. */
static void determinant(const whole m[4][4], int size, uint32_t rows, int column, whole* out)
{
    int sense = 1;
    *out = (whole){0};
    for (int i = 0; i < size; ++i) {
        if ((rows >> i & 1) == 0) continue;
        whole minor, term, sum;
        if (column + 1 < size) {
            determinant(m, size, rows & ~(1u << i), column + 1, &minor);
            multiply(&m[i][column], &minor, &term);
        } else {
            term = m[i][column];
        }
        add(out, &term, sense, &sum);
        *out = sum;
        sense = -sense;
    }
}

static void square_length(const whole* row, int dim, whole* out)
{
    *out = (whole){0};
    for (int k = 0; k < dim; ++k) {
        whole square, sum;
        multiply(&row[k], &row[k], &square);
        add(out, &square, 1, &sum);
        *out = sum;
    }
}

int kin_wide_sign(const double* x, int points, int dim, bool lifted)
{
    whole m[4][4], det, last[3];
    int size = points - 1;
    for (int k = 0; k < dim; ++k) set(&last[k], x[size * dim + k]);
    for (int i = 0; i < size; ++i) {
        for (int k = 0; k < dim; ++k) {
            whole own;
            set(&own, x[i * dim + k]);
            add(&own, &last[k], -1, &m[i][k]);
        }
        if (lifted) square_length(m[i], dim, &m[i][dim]);
    }
    determinant(m, size, (1u << size) - 1, 0, &det);
    return det.sign;
}
