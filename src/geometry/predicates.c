/* predicates.c - signs of determinants: filter first, expansions where it cannot tell, whole numbers (wide.h) where those would over- or underflow.
 *
 * An expansion is a sum of doubles in rising size whose bits do not overlap; sums and products of them are exact (Dekker 1971, Shewchuk 1997). Compressed,
 * each term is at least 2^53 times the one before, so none is ever longer than all exponents of a double allow: a small fixed array. */
#include "geometry/predicates.h"
#include "geometry/wide.h"

#define TERMS 42 /* (1074 + 1024) / 53 and a little */

typedef struct expansion {
    int count;
    double term[TERMS];
} expansion;

/* ---- sums and products of two doubles, with what rounding took ---- */

static inline double two_sum(double a, double b, double* rest)
{
    double sum = a + b, part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
}

static inline double two_sum_ordered(double large, double small, double* rest) /* |large| >= |small|, or large = 0 */
{
    double sum = large + small;
    *rest = small - (sum - large);
    return sum;
}

static inline void halves(double a, double* high, double* low)
{
    double c = 0x1.0000002p27 * a; /* 2^27 + 1 */
    *high = c - (c - a);
    *low = a - *high;
}

static inline double two_product(double a, double b, double* rest)
{
    double product = a * b, ah, al, bh, bl;
    halves(a, &ah, &al);
    halves(b, &bh, &bl);
    *rest = al * bl - (((product - ah * bh) - al * bh) - ah * bl);
    return product;
}

/* ---- expansions ---- */

static int append(double* terms, int count, double value)
{
    terms[count] = value;
    return count + (value != 0);
}

/* The same sum in the fewest terms: gathered from the top, then spread from the bottom. */
static void compress(const double* from, int count, expansion* to)
{
    double kept[3 * TERMS], rest;
    int bottom = count - 1;
    to->count = 0;
    if (count == 0) return;
    double sum = from[count - 1];
    for (int i = count - 2; i >= 0; --i) {
        sum = two_sum_ordered(sum, from[i], &rest);
        if (rest != 0) {
            kept[bottom--] = sum;
            sum = rest;
        }
    }
    kept[bottom] = sum;
    for (int i = bottom + 1; i < count; ++i) {
        sum = two_sum_ordered(kept[i], sum, &rest);
        to->count = append(to->term, to->count, rest);
    }
    to->count = append(to->term, to->count, sum);
}

/* e + f, of up to 2 TERMS and TERMS terms: merged by size and added up. */
static void add_terms(const double* e, int ne, const double* f, int nf, expansion* to)
{
    double out[3 * TERMS], rest, sum = 0;
    int count = 0;
    for (int i = 0, j = 0; i < ne || j < nf;) {
        bool take_e = j == nf || (i < ne && kin_abs(e[i]) < kin_abs(f[j]));
        sum = two_sum(sum, take_e ? e[i++] : f[j++], &rest);
        count = append(out, count, rest);
    }
    compress(out, append(out, count, sum), to);
}

static expansion add(const expansion* e, const expansion* f)
{
    expansion sum;
    add_terms(e->term, e->count, f->term, f->count, &sum);
    return sum;
}

static expansion negative(const expansion* e)
{
    expansion minus = {.count = e->count};
    for (int i = 0; i < e->count; ++i) minus.term[i] = -e->term[i];
    return minus;
}

static expansion subtract(const expansion* e, const expansion* f)
{
    expansion minus = negative(f);
    return add(e, &minus);
}

/* e * factor into up to twice as many terms. */
static int scale_terms(const expansion* e, double factor, double* out)
{
    double rest, low, sum = 0;
    int count = 0;
    for (int i = 0; i < e->count; ++i) {
        double high = two_product(e->term[i], factor, &low);
        sum = two_sum(sum, low, &rest);
        count = append(out, count, rest);
        sum = two_sum_ordered(high, sum, &rest);
        count = append(out, count, rest);
    }
    return append(out, count, sum);
}

static expansion multiply(const expansion* e, const expansion* f)
{
    expansion product = {0};
    double scaled[2 * TERMS];
    for (int i = 0; i < f->count; ++i) {
        int count = scale_terms(e, f->term[i], scaled);
        expansion so_far = product;
        add_terms(scaled, count, so_far.term, so_far.count, &product);
    }
    return product;
}

static expansion difference(double a, double b)
{
    expansion e = {0};
    double rest, sum = two_sum(a, -b, &rest);
    e.count = append(e.term, e.count, rest);
    e.count = append(e.term, e.count, sum);
    return e;
}

static int sign_of(const expansion* e) { return e->count == 0 ? 0 : e->term[e->count - 1] > 0 ? 1 : -1; }

/* a d - b c */
static expansion minor(const expansion* a, const expansion* b, const expansion* c, const expansion* d)
{
    expansion ad = multiply(a, d), bc = multiply(b, c);
    return subtract(&ad, &bc);
}

/* ---- a common scale: products of five may neither overflow nor lose bits below the smallest double ---- */

static double power_of_two(int exponent) /* in [-1022, 1023] */
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

static int exponent_of(double x) /* of a normal number */
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

typedef enum scaling { NOWHERE, READY, WIDE } scaling;

/* The largest becomes about 2^190. NOWHERE: nothing to compute with; WIDE, and x as it was: some would then be below 2^-158, too small for products. */
static scaling rescale(double* x, int count)
{
    double largest = 0, smallest = __builtin_inf();
    for (int i = 0; i < count; ++i) {
        if (!kin_finite(x[i])) return NOWHERE;
        largest = kin_max(largest, kin_abs(x[i]));
        if (x[i] != 0) smallest = kin_min(smallest, kin_abs(x[i]));
    }
    if (largest == 0) return NOWHERE;
    bool small = largest < 0x1p-700;
    double first = small ? 0x1p+700 : 1, second = power_of_two(190 - exponent_of(largest * first));
    if (smallest * first * second < 0x1p-158) return WIDE;
    for (int i = 0; i < count; ++i) x[i] = x[i] * first * second;
    return READY;
}

/* ---- 2-D ---- */

static int orient2d_exact(const double a[2], const double b[2], const double c[2])
{
    double x[6] = {a[0], a[1], b[0], b[1], c[0], c[1]};
    scaling scaled = rescale(x, 6);
    if (scaled != READY) return scaled == WIDE ? kin_wide_sign(x, 3, 2, false) : 0;
    expansion ax = difference(x[0], x[4]), ay = difference(x[1], x[5]), bx = difference(x[2], x[4]), by = difference(x[3], x[5]);
    expansion det = minor(&ax, &ay, &bx, &by);
    return sign_of(&det);
}

int kin_orient2d(const double a[2], const double b[2], const double c[2])
{
    double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]), det = left - right;
    double bound = 3.4e-16 * (kin_abs(left) + kin_abs(right)) + 1e-300; /* (3 + 16 u) u with u = 2^-53; and what underflow may take */
    if (kin_abs(det) > bound) return det > 0 ? 1 : -1;
    return orient2d_exact(a, b, c);
}

/* ---- 3-D ---- */

static int orient3d_exact(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 d)
{
    double x[12] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z};
    scaling scaled = rescale(x, 12);
    if (scaled != READY) return scaled == WIDE ? -kin_wide_sign(x, 4, 3, false) : 0;
    expansion r[3][3], det = {0};
    for (int i = 0; i < 9; ++i) r[i / 3][i % 3] = difference(x[i], x[9 + i % 3]);
    for (int i = 0; i < 3; ++i) {
        const expansion *p = r[(i + 1) % 3], *q = r[(i + 2) % 3];
        expansion m = minor(&p[0], &p[1], &q[0], &q[1]), term = multiply(&m, &r[i][2]);
        det = add(&det, &term);
    }
    return -sign_of(&det);
}

int kin_orient3d(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 d)
{
    kin_vec3 p = kin_sub(a, d), q = kin_sub(b, d), r = kin_sub(c, d);
    double qr = q.x * r.y, rq = r.x * q.y, rp = r.x * p.y, pr = p.x * r.y, pq = p.x * q.y, qp = q.x * p.y;
    double det = p.z * (qr - rq) + q.z * (rp - pr) + r.z * (pq - qp);
    double sizes = (kin_abs(qr) + kin_abs(rq)) * kin_abs(p.z) + (kin_abs(rp) + kin_abs(pr)) * kin_abs(q.z) + (kin_abs(pq) + kin_abs(qp)) * kin_abs(r.z);
    double bound = 7.8e-16 * sizes + 1e-300 * (1 + kin_abs(p.z) + kin_abs(q.z) + kin_abs(r.z)); /* (7 + 56 u) u; and underflow */
    if (kin_abs(det) > bound) return det < 0 ? 1 : -1;
    return orient3d_exact(a, b, c, d);
}

/* ---- the sphere: det of rows (x, y, z, x^2 + y^2 + z^2) relative to e ---- */

static expansion square_length(const expansion v[3])
{
    expansion sum = {0};
    for (int axis = 0; axis < 3; ++axis) {
        expansion square = multiply(&v[axis], &v[axis]);
        sum = add(&sum, &square);
    }
    return sum;
}

static expansion determinant3(const expansion* p, const expansion* q, const expansion* r)
{
    expansion yz = minor(&q[1], &q[2], &r[1], &r[2]), zx = minor(&q[2], &q[0], &r[2], &r[0]), xy = minor(&q[0], &q[1], &r[0], &r[1]);
    expansion x = multiply(&p[0], &yz), y = multiply(&p[1], &zx), z = multiply(&p[2], &xy), sum = add(&x, &y);
    return add(&sum, &z);
}

static int insphere_exact(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 d, kin_vec3 e)
{
    double x[15] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z, e.x, e.y, e.z};
    scaling scaled = rescale(x, 15);
    if (scaled != READY) return scaled == WIDE ? -kin_wide_sign(x, 5, 3, true) : 0;
    expansion r[4][3], det = {0};
    for (int i = 0; i < 12; ++i) r[i / 3][i % 3] = difference(x[i], x[12 + i % 3]);
    for (int i = 0; i < 4; ++i) { /* along the last column: signs - + - + */
        expansion m = determinant3(r[i == 0 ? 1 : 0], r[i <= 1 ? 2 : 1], r[i <= 2 ? 3 : 2]), lift = square_length(r[i]);
        expansion term = multiply(&m, &lift);
        det = i % 2 == 0 ? subtract(&det, &term) : add(&det, &term);
    }
    return -sign_of(&det);
}

typedef struct bounded { /* a number, and the sum of the sizes it was made of */
    double value, size;
} bounded;

static inline bounded minor_xy(kin_vec3 p, kin_vec3 q)
{
    double l = p.x * q.y, r = q.x * p.y;
    return (bounded){l - r, kin_abs(l) + kin_abs(r)};
}

/* p.z * qr + q.z * rp + r.z * pq, the determinant of p, q, r, times a square length. */
static inline bounded lifted(double lift, double pz, bounded qr, double qz, bounded rp, double rz, bounded pq)
{
    double value = pz * qr.value + qz * rp.value + rz * pq.value;
    double size = kin_abs(pz) * qr.size + kin_abs(qz) * rp.size + kin_abs(rz) * pq.size;
    return (bounded){lift * value, lift * size};
}

int kin_insphere(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 d, kin_vec3 e)
{
    kin_vec3 p = kin_sub(a, e), q = kin_sub(b, e), r = kin_sub(c, e), s = kin_sub(d, e);
    bounded pq = minor_xy(p, q), qr = minor_xy(q, r), rs = minor_xy(r, s), sp = minor_xy(s, p), pr = minor_xy(p, r), qs = minor_xy(q, s);
    bounded rp = {-pr.value, pr.size}, sq = {-qs.value, qs.size};
    double pp = kin_length2(p), qq = kin_length2(q), rr = kin_length2(r), ss = kin_length2(s);
    bounded pqr = lifted(ss, p.z, qr, q.z, rp, r.z, pq), qrs = lifted(pp, q.z, rs, r.z, sq, s.z, qr);
    bounded rsp = lifted(qq, r.z, sp, s.z, pr, p.z, rs), spq = lifted(rr, s.z, pq, p.z, qs, q.z, sp);
    double det = (pqr.value - qrs.value) + (rsp.value - spq.value), size = pqr.size + qrs.size + rsp.size + spq.size;
    double reach = 1 + pp + qq + rr + ss, bound = 1.8e-15 * size + 1e-300 * reach * reach; /* (16 + 224 u) u; and underflow */
    if (kin_abs(det) > bound) return det < 0 ? 1 : -1;
    return insphere_exact(a, b, c, d, e);
}
