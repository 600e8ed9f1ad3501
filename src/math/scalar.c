/* scalar.c - elementary functions from + - * / sqrt, compares and integers, so that every machine gets the same bits.
 * The common pattern: reduce the argument exactly (or to a pair of doubles), sum a Taylor series whose terms are small
 * beside a leading part that is kept as a pair, and round once at the end. Pairs after Dekker 1971; the reduction of
 * huge angles after Payne and Hanek 1983. The largest errors measured are in tests/unit/math/scalar_test.c. */
#include "math/scalar.h"
#include <string.h>

#define QUIET_NAN __builtin_nan("")
#define INFINITE __builtin_inf()
#define MANTISSA_MASK 0x000fffffffffffffull
#define EXPONENT_ONE 0x3ff0000000000000ull /* bits of 1.0 */
#define SIGN_BIT 0x8000000000000000ull

/* A value hi + lo with |lo| <= ulp(hi)/2: about 106 bits. */
typedef struct pair {
    double hi, lo;
} pair;

static uint64_t bits_of(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static double of_bits(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static bool negative(double x) { return bits_of(x) >> 63; } /* tells -0 from +0 */
static double with_sign(double magnitude, bool minus) { return minus ? -magnitude : magnitude; }

/* 2^n for n in [-1022, 1023]. */
static double power_of_two(int n) { return of_bits((uint64_t)(n + 1023) << 52); }

/* The exact sum; |a| >= |b| or a == 0. */
static pair quick_sum(double a, double b)
{
    double s = a + b;
    return (pair){s, b - (s - a)};
}

/* The exact sum. */
static pair exact_sum(double a, double b)
{
    double s = a + b;
    double t = s - a;
    return (pair){s, (a - (s - t)) + (b - t)};
}

/* The exact product, unless it or its halves leave the range of double: halves of 26 bits have exact products. */
static pair exact_product(double a, double b)
{
    const double split = 134217729; /* 2^27 + 1 */
    double ta = split * a, tb = split * b;
    double ah = ta - (ta - a), bh = tb - (tb - b);
    double al = a - ah, bl = b - bh;
    double p = a * b;
    return (pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static pair pair_divide(pair a, pair b)
{
    double q = a.hi / b.hi;
    pair p = exact_product(q, b.hi);
    double rest = (a.hi - p.hi) - p.lo + (a.lo - q * b.lo);
    return quick_sum(q, rest / b.hi);
}

/* a times 2^n; n may leave the range of a double's exponent. */
static double scaled(double a, int n)
{
    int half = n / 2;
    return a * power_of_two(half) * power_of_two(n - half);
}

double kin_floor(double x)
{
    if (!(kin_abs(x) < 4503599627370496.0)) { /* 2^52: every double from here on is whole, or NaN */
        return x;
    }
    double whole = (double)(int64_t)x;
    if (whole == x) {
        return x; /* keeps -0 */
    }
    return whole > x ? whole - 1 : whole;
}

/* ---- sin, cos, tan ---- */

/* 2/pi, most significant bit first, after one word of zeros. */
static const uint64_t two_over_pi[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

static const pair half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/* 64 bits of 2/pi from bit `at` of the table on. */
static uint64_t two_over_pi_bits(int at)
{
    int word = at / 64, shift = at % 64;
    uint64_t bits = two_over_pi[word] << shift;
    return shift ? bits | two_over_pi[word + 1] >> (64 - shift) : bits;
}

/* Exact reduction of any finite x >= 1: returns r in [-pi/4, pi/4], x = r + quarter pi/2 (mod 2 pi).
 * x = m 2^e. Bits of 2/pi that give multiples of 4 are skipped; the next 192 times m leave 2 bits of quarter turns and 190
 * bits of fraction, wrong by less than 2^-137, and no double comes closer to a multiple of pi/2 than about 2^-62. */
static pair reduce_exactly(double x, int* quarter)
{
    uint64_t b = bits_of(x);
    int e = (int)(b >> 52 & 0x7ff) - 1075;
    uint64_t m = (b & MANTISSA_MASK) | (MANTISSA_MASK + 1);
    int at = 62 + e;
    unsigned __int128 low = (unsigned __int128)m * two_over_pi_bits(at + 128);
    unsigned __int128 middle = (unsigned __int128)m * two_over_pi_bits(at + 64) + (uint64_t)(low >> 64);
    uint64_t top = m * two_over_pi_bits(at) + (uint64_t)(middle >> 64);
    unsigned __int128 turns = (unsigned __int128)top << 64 | (uint64_t)middle; /* quarter turns times 2^126 */

    *quarter = (int)(top >> 62);
    turns <<= 2; /* the fraction times 2^128 */
    uint64_t tail = (uint64_t)low;
    turns |= tail >> 62;
    tail <<= 2;
    bool minus = (uint64_t)(turns >> 127) != 0;
    if (minus) { /* above one half: count back from the next quarter */
        *quarter = (*quarter + 1) & 3;
        turns = ~turns;
        tail = ~tail;
    }
    int zeros = (uint64_t)(turns >> 64) ? __builtin_clzll((uint64_t)(turns >> 64)) : 64;
    if (zeros == 64) {
        turns = turns << 64 | tail;
        tail = 0;
    } else if (zeros > 0) {
        turns = turns << zeros | tail >> (64 - zeros);
    }
    double scale = power_of_two(-53 - zeros);
    double hi = (double)(uint64_t)(turns >> 75) * scale;                                   /* the top 53 bits */
    double lo = (double)((uint64_t)(turns >> 22) & 0x1fffffffffffffull) * scale * 0x1p-53; /* the next 53 */
    pair r = exact_product(hi, half_pi.hi);
    r = quick_sum(r.hi, r.lo + (hi * half_pi.lo + lo * half_pi.hi));
    return minus ? (pair){-r.hi, -r.lo} : r;
}

/* r in [-pi/4, pi/4] with x = r + quarter pi/2 (mod 2 pi). x finite. */
static pair reduce(double x, int* quarter)
{
    const double third_1 = 0x1.921fb544p+0, third_2 = 0x1.0b4611a6p-34, third_3 = 0x1.3198a2e037073p-69; /* of pi/2 */
    *quarter = 0;
    if (kin_abs(x) <= half_pi.hi / 2) {
        return (pair){x, 0};
    }
    if (kin_abs(x) < 1e6) {
        double turns = x * 0x1.45f306dc9c883p-1;
        int n = (int)(turns + (turns < 0 ? -0.5 : 0.5));
        pair r = exact_sum(x - n * third_1, -(n * third_2)); /* 33 bits times 20: both products are exact */
        r = quick_sum(r.hi, r.lo - n * third_3);
        if (kin_abs(r.hi) > 0x1p-30) {
            *quarter = n & 3;
            return r;
        }
    }
    pair r = reduce_exactly(kin_abs(x), quarter);
    if (x < 0) {
        *quarter = -*quarter & 3;
        r = (pair){-r.hi, -r.lo};
    }
    return r;
}

/* sin of |r| <= pi/4; the first term left out is below 2^-62 r. */
static pair sin_series(pair r)
{
    double z = r.hi * r.hi;
    double p = 1.0 / 355687428096000;
    p = p * z - 1.0 / 1307674368000;
    p = p * z + 1.0 / 6227020800;
    p = p * z - 1.0 / 39916800;
    p = p * z + 1.0 / 362880;
    p = p * z - 1.0 / 5040;
    p = p * z + 1.0 / 120;
    p = p * z - 1.0 / 6;
    return quick_sum(r.hi, r.hi * z * p + r.lo * (1 - 0.5 * z));
}

/* cos of |r| <= pi/4. */
static pair cos_series(pair r)
{
    double z = r.hi * r.hi;
    double p = 1.0 / 20922789888000;
    p = p * z - 1.0 / 87178291200;
    p = p * z + 1.0 / 479001600;
    p = p * z - 1.0 / 3628800;
    p = p * z + 1.0 / 40320;
    p = p * z - 1.0 / 720;
    p = p * z + 1.0 / 24;
    pair lead = quick_sum(1, -0.5 * z);
    return quick_sum(lead.hi, lead.lo + (z * z * p - r.hi * r.lo));
}

static bool tiny(double x) { return kin_abs(x) < 0x1p-27; } /* the cube is below half an ulp */

double kin_sin(double x)
{
    if (tiny(x)) {
        return x;
    }
    if (!kin_finite(x)) {
        return QUIET_NAN;
    }
    int quarter;
    pair r = reduce(x, &quarter);
    double value = quarter & 1 ? cos_series(r).hi : sin_series(r).hi;
    return with_sign(value, quarter & 2);
}

double kin_cos(double x)
{
    if (!kin_finite(x)) {
        return QUIET_NAN;
    }
    int quarter;
    pair r = reduce(x, &quarter);
    double value = quarter & 1 ? sin_series(r).hi : cos_series(r).hi;
    return with_sign(value, (quarter + 1) & 2);
}

kin_sincos kin_sin_cos(double x)
{
    if (!kin_finite(x)) {
        return (kin_sincos){QUIET_NAN, QUIET_NAN};
    }
    int quarter;
    pair r = reduce(x, &quarter);
    double s = sin_series(r).hi, c = cos_series(r).hi;
    kin_sincos result = quarter & 1 ? (kin_sincos){c, s} : (kin_sincos){s, c};
    return (kin_sincos){with_sign(tiny(x) ? x : result.sine, quarter & 2), with_sign(result.cosine, (quarter + 1) & 2)};
}

double kin_tan(double x)
{
    if (tiny(x)) {
        return x;
    }
    if (!kin_finite(x)) {
        return QUIET_NAN;
    }
    int quarter;
    pair r = reduce(x, &quarter);
    pair s = sin_series(r), c = cos_series(r);
    return quarter & 1 ? -pair_divide(c, s).hi : pair_divide(s, c).hi;
}

/* ---- atan2, asin, acos ---- */

/* atan(j/16) */
static const pair arctangents[17] = {
    {0, 0},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* atan(y/x) for 0 <= y <= x, both far from overflow and underflow unless y/x is tiny:
 * atan(y/x) = atan(c) + atan((y - c x)/(x + c y)) with c = j/16 nearest to y/x. */
static pair atan_of_ratio(pair y, pair x)
{
    double ratio = y.hi / x.hi;
    if (ratio < 0x1p-27) { /* also keeps subnormal y out of the exact products */
        return ratio < 0x1p-900 ? (pair){ratio, 0} : pair_divide(y, x);
    }
    int j = (int)(ratio * 16 + 0.5);
    double c = j / 16.0;
    pair cx = exact_product(c, x.hi), cy = exact_product(c, y.hi);
    pair top = quick_sum(y.hi - cx.hi, y.lo - cx.lo - c * x.lo);
    pair bottom = quick_sum(x.hi, x.lo);
    pair sum = exact_sum(bottom.hi, cy.hi);
    bottom = quick_sum(sum.hi, sum.lo + bottom.lo + cy.lo + c * y.lo);
    pair u = pair_divide(top, bottom);
    double z = u.hi * u.hi; /* below 2^-10 */
    double p = 1.0 / 13;
    p = 1.0 / 11 - p * z;
    p = 1.0 / 9 - p * z;
    p = 1.0 / 7 - p * z;
    p = 1.0 / 5 - p * z;
    p = 1.0 / 3 - p * z;
    pair base = arctangents[j];
    pair lead = exact_sum(base.hi, u.hi);
    return quick_sum(lead.hi, lead.lo + (base.lo + u.lo - u.hi * z * p));
}

/* The angle of (x, y) in the first quadrant, not both zero. */
static pair first_quadrant(pair y, pair x)
{
    if (y.hi <= x.hi) {
        return atan_of_ratio(y, x);
    }
    pair a = atan_of_ratio(x, y);
    pair lead = exact_sum(half_pi.hi, -a.hi);
    return quick_sum(lead.hi, lead.lo + (half_pi.lo - a.lo));
}

/* pi - a, rounded. */
static double supplement(pair a)
{
    pair lead = exact_sum(2 * half_pi.hi, -a.hi);
    return lead.hi + (lead.lo + (2 * half_pi.lo - a.lo));
}

double kin_atan2(double y, double x)
{
    if (x != x || y != y) {
        return QUIET_NAN;
    }
    double ay = kin_abs(y), ax = kin_abs(x);
    if (!kin_finite(ay) || !kin_finite(ax)) { /* only the infinite ones count */
        ay = kin_finite(ay) ? 0 : 1;
        ax = kin_finite(ax) ? 0 : 1;
    }
    double angle;
    if (ay == 0) {
        angle = negative(x) ? KIN_PI : 0;
    } else {
        double largest = kin_max(ax, ay);
        double scale = largest > 0x1p900 ? 0x1p-200 : largest < 0x1p-700 ? 0x1p300 : 1;
        if (x > 0 && ay < ax * 0x1p-27) {
            angle = ay / ax; /* not scaled: it may be subnormal and must be rounded once */
        } else {
            pair a = first_quadrant((pair){ay * scale, 0}, (pair){ax * scale, 0});
            angle = negative(x) ? supplement(a) : a.hi;
        }
    }
    return with_sign(angle, negative(y));
}

/* sqrt(1 - x^2) for |x| <= 1. */
static pair cathetus(double x)
{
    pair square = exact_product(x, x);
    pair rest = exact_sum(1, -square.hi);
    rest = quick_sum(rest.hi, rest.lo - square.lo);
    double root = kin_sqrt(rest.hi);
    if (root == 0) {
        return (pair){0, 0};
    }
    pair back = exact_product(root, root);
    return quick_sum(root, ((rest.hi - back.hi) - back.lo + rest.lo) / (2 * root));
}

double kin_asin(double x)
{
    if (tiny(x)) {
        return x;
    }
    if (!(kin_abs(x) <= 1)) {
        return QUIET_NAN;
    }
    return with_sign(first_quadrant((pair){kin_abs(x), 0}, cathetus(x)).hi, x < 0);
}

double kin_acos(double x)
{
    if (!(kin_abs(x) <= 1)) {
        return QUIET_NAN;
    }
    pair a = first_quadrant(tiny(x) ? (pair){1, 0} : cathetus(x), (pair){kin_abs(x), 0});
    return x < 0 ? supplement(a) : a.hi;
}

/* ---- exp, log, pow, cbrt ---- */

/* exp(x.hi + x.lo): 2^n exp(r), |r| <= ln2/2; the first term left out is below 2^-57. */
static double exp_of(pair x)
{
    if (x.hi > 710) {
        return INFINITE;
    }
    if (x.hi < -746) {
        return 0;
    }
    const double ln2_1 = 0x1.62e42fefa38p-1, ln2_2 = 0x1.ef35793c7673p-45; /* 42 bits, so that n ln2_1 is exact */
    double count = x.hi * 0x1.71547652b82fep+0;
    int n = (int)(count + (count < 0 ? -0.5 : 0.5));
    pair r = quick_sum(x.hi - n * ln2_1, -(n * ln2_2) + x.lo);
    double p = 1.0 / 6227020800;
    p = p * r.hi + 1.0 / 479001600;
    p = p * r.hi + 1.0 / 39916800;
    p = p * r.hi + 1.0 / 3628800;
    p = p * r.hi + 1.0 / 362880;
    p = p * r.hi + 1.0 / 40320;
    p = p * r.hi + 1.0 / 5040;
    p = p * r.hi + 1.0 / 720;
    p = p * r.hi + 1.0 / 120;
    p = p * r.hi + 1.0 / 24;
    p = p * r.hi + 1.0 / 6;
    p = p * r.hi + 0.5;
    pair lead = quick_sum(1, r.hi);
    return scaled(lead.hi + (lead.lo + (r.lo + r.hi * r.hi * p)), n);
}

double kin_exp(double x) { return x != x ? QUIET_NAN : exp_of((pair){x, 0}); }

/* log(j/32), j from 23 to 45 */
static const pair logarithms[] = {
    {-0x1.522ae0738a3d8p-2, 0x1.8f7e9b38a6979p-57},  {-0x1.269621134db92p-2, -0x1.e0efadd9db02bp-56},
    {-0x1.f991c6cb3b379p-3, -0x1.f665066f980a2p-57}, {-0x1.a93ed3c8ad9e3p-3, -0x1.bcafa9de97203p-57},
    {-0x1.5bf406b543db2p-3, 0x1.1f5b44c0df7e7p-61},  {-0x1.1178e8227e47cp-3, 0x1.0e63a5f01c691p-58},
    {-0x1.9335e5d594989p-4, 0x1.478a85704ccb7p-58},  {-0x1.08598b59e3a07p-4, 0x1.dd7009902bf32p-58},
    {-0x1.0415d89e74444p-5, -0x1.c05cf1d753622p-59}, {0, 0},
    {0x1.f829b0e783300p-6, 0x1.33e3f04f1ef23p-60},   {0x1.f0a30c01162a6p-5, 0x1.85f325c5bbacdp-59},
    {0x1.6f0d28ae56b4cp-4, -0x1.906d99184b992p-58},  {0x1.e27076e2af2e6p-4, -0x1.61578001e0162p-60},
    {0x1.29552f81ff523p-3, 0x1.301771c407dbfp-57},   {0x1.5ff3070a793d4p-3, -0x1.bc60efafc6f6ep-58},
    {0x1.9525a9cf456b4p-3, 0x1.d904c1d4e2e26p-57},   {0x1.c8ff7c79a9a22p-3, -0x1.4f689f8434012p-57},
    {0x1.fb9186d5e3e2bp-3, -0x1.caaae64f21acbp-57},  {0x1.1675cababa60ep-2, 0x1.ce63eab883717p-61},
    {0x1.2e8e2bae11d31p-2, -0x1.8f4cdb95ebdf9p-56},  {0x1.4618bc21c5ec2p-2, 0x1.f42decdeccf1dp-56},
    {0x1.5d1bdbf5809cap-2, 0x1.4236383dc7fe1p-56},
};

/* log of a finite x > 0 to about 66 bits: x = 2^k m, log m = log c + 2 atanh((m - c)/(m + c)), c = j/32 nearest to m. */
static pair log_of(double x)
{
    int k = -1023;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k -= 54;
    }
    uint64_t b = bits_of(x);
    k += (int)(b >> 52);
    double m = of_bits((b & MANTISSA_MASK) | EXPONENT_ONE);
    if (m >= 1.40625) { /* so that k = 0 all around 1 */
        m *= 0.5;
        ++k;
    }
    int j = (int)(m * 32 + 0.5);
    double c = j / 32.0;
    pair s = pair_divide((pair){m - c, 0}, exact_sum(m, c));
    double z = s.hi * s.hi; /* below 2^-12 */
    double p = 2.0 / 13;
    p = p * z + 2.0 / 11;
    p = p * z + 2.0 / 9;
    p = p * z + 2.0 / 7;
    p = p * z + 2.0 / 5;
    p = p * z + 2.0 / 3;
    const double ln2_1 = 0x1.62e42fefa38p-1, ln2_2 = 0x1.ef35793c7673p-45;
    pair base = logarithms[j - 23];
    pair lead = exact_sum(k * ln2_1, base.hi);
    pair next = exact_sum(lead.hi, 2 * s.hi);
    pair back = exact_product(k, ln2_2);
    pair small = exact_sum(lead.lo + next.lo, back.hi);
    small.lo += back.lo + base.lo + 2 * s.lo;
    pair sum = exact_sum(next.hi, small.hi);
    return quick_sum(sum.hi, sum.lo + (small.lo + s.hi * z * p));
}

double kin_ln(double x)
{
    if (x == 0) {
        return -INFINITE;
    }
    if (!(x > 0)) {
        return QUIET_NAN;
    }
    return kin_finite(x) ? log_of(x).hi : x;
}

typedef enum parity { NOT_WHOLE, EVEN, ODD } parity;

static parity parity_of(double y)
{
    y = kin_abs(y);
    if (y >= 0x1p53) {
        return EVEN;
    }
    if (kin_floor(y) != y) {
        return NOT_WHOLE;
    }
    return (int64_t)y & 1 ? ODD : EVEN;
}

double kin_pow(double x, double y)
{
    if (y == 0 || x == 1) {
        return 1;
    }
    if (x != x || y != y) {
        return QUIET_NAN;
    }
    double size = kin_abs(x);
    if (!kin_finite(y)) {
        return size == 1 ? 1 : (size > 1) == (y > 0) ? INFINITE : 0;
    }
    parity kind = parity_of(y);
    bool minus = negative(x) && kind == ODD;
    if (size == 0 || !kin_finite(x)) {
        return with_sign((size == 0) == (y < 0) ? INFINITE : 0, minus);
    }
    if (x < 0 && kind == NOT_WHOLE) {
        return QUIET_NAN;
    }
    if (size == 1 || kin_abs(y) < 0x1p-70) { /* |log x| < 746 */
        return with_sign(1, minus);
    }
    if (kin_abs(y) > 0x1p70) { /* |log x| > 2^-54 */
        return with_sign((size > 1) == (y > 0) ? INFINITE : 0, minus);
    }
    pair l = log_of(size);
    pair product = exact_product(y, l.hi);
    product = quick_sum(product.hi, product.lo + y * l.lo);
    return with_sign(exp_of(product), minus);
}

double kin_cbrt(double x)
{
    double size = kin_abs(x);
    if (!(size > 0) || !kin_finite(size)) {
        return x;
    }
    double after = 1;
    if (size > 0x1p900) { /* cubes must not overflow */
        size *= 0x1p-300;
        after = 0x1p100;
    } else if (size < 0x1p-700) { /* nor lose bits */
        size *= 0x1p300;
        after = 0x1p-100;
    }
    /* A third of the exponent, to a few percent; two steps of Halley, cubic each; then Newton with the residual exact. */
    double root = of_bits(bits_of(size) / 3 + (EXPONENT_ONE - EXPONENT_ONE / 3));
    for (int i = 0; i < 2; ++i) {
        double cube = root * root * root;
        root *= (cube + 2 * size) / (2 * cube + size);
    }
    pair square = exact_product(root, root);
    pair cube = exact_product(square.hi, root);
    double rest = (size - cube.hi) - cube.lo - square.lo * root;
    root += rest / (3 * square.hi);
    return with_sign(root * after, x < 0);
}
