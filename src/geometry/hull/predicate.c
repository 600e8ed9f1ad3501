/* predicate.c - determinants of exact numbers: floating point with an error bound first, then expansions. */
#include "geometry/hull/predicate.h"

kin_snap kin_snap_of(const kin_vec3* points, size_t count)
{
    kin_aabb box = kin_aabb_empty();
    for (size_t i = 0; i < count; ++i) box = kin_aabb_add(box, points[i]);
    kin_vec3 size = kin_max3(kin_abs3(box.low), kin_abs3(box.high));
    double half = 0.5 * kin_largest(kin_aabb_size(box)), scale = 1;
    if (half > 0) {
        while (half * scale > 1) scale *= 0.5;
        while (half * scale <= 0.5 && scale < 0x1p1000) scale *= 2;
    }
    return (kin_snap){kin_aabb_center(box), 0.5 * scale, 0x1p-47 * (size.x + size.y + size.z)}; /* 0.5: the centre is rounded, too */
}

/* ---- expansions: components of growing size that do not overlap; their sum is the number ---- */

/* high + low = a + b */
static double two_sum(double a, double b, double* low)
{
    double high = a + b, from_b = high - a;
    *low = (a - (high - from_b)) + (b - from_b);
    return high;
}

static void split(double a, double* high, double* low)
{
    double c = 134217729.0 * a; /* 2^27 + 1: halves of 26 bits */
    *high = c - (c - a);
    *low = a - *high;
}

/* high + low = a b */
static double two_product(double a, double b, double* low)
{
    double high = a * b, a1, a0, b1, b0;
    split(a, &a1, &a0);
    split(b, &b1, &b0);
    *low = a0 * b0 - (((high - a1 * b1) - a0 * b1) - a1 * b0);
    return high;
}

/* h = e + f, without zeros. h holds en + fn and is neither of them. Components are merged by size and carried upwards. */
static int sum(const double* e, int en, const double* f, int fn, double* h)
{
    int i = 0, j = 0, n = 0;
    double carry = 0;
    while (i < en || j < fn) {
        bool from_e = j == fn || (i < en && kin_abs(e[i]) < kin_abs(f[j]));
        double low;
        carry = two_sum(carry, from_e ? e[i++] : f[j++], &low);
        if (low != 0) h[n++] = low;
    }
    if (carry != 0) h[n++] = carry;
    return n;
}

/* h = e b, without zeros. h holds 2 en. */
static int scaled(const double* e, int en, double b, double* h)
{
    int n = 0;
    double carry = 0;
    for (int i = 0; i < en; ++i) {
        double low, rest, high = two_product(e[i], b, &low);
        carry = two_sum(carry, low, &rest);
        if (rest != 0) h[n++] = rest;
        carry = two_sum(high, carry, &rest);
        if (rest != 0) h[n++] = rest;
    }
    if (carry != 0) h[n++] = carry;
    return n;
}

static int sign_of(const double* e, int n) { return n == 0 ? 0 : e[n - 1] > 0 ? 1 : -1; }

/* h = a b + c d: at most 4 */
static int two_products(double a, double b, double c, double d, double h[4])
{
    double e[2], f[2];
    e[1] = two_product(a, b, &e[0]);
    f[1] = two_product(c, d, &f[0]);
    return sum(e, 2, f, 2, h);
}

/* u x v . w exactly: at most 24 */
static int triple(kin_vec3 u, kin_vec3 v, kin_vec3 w, double h[24])
{
    double m[4], x[8], y[8], z[8], xy[16];
    int nx = scaled(m, two_products(u.y, v.z, -u.z, v.y, m), w.x, x);
    int ny = scaled(m, two_products(u.z, v.x, -u.x, v.z, m), w.y, y);
    int nz = scaled(m, two_products(u.x, v.y, -u.y, v.x, m), w.z, z);
    int n = sum(x, nx, y, ny, xy);
    return sum(xy, n, z, nz, h);
}

/* ---- predicates ---- */

int kin_side_of_plane(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 p)
{
    kin_vec3 u = kin_sub(b, a), v = kin_sub(c, a), w = kin_sub(p, a);
    double yz = u.y * v.z, zy = u.z * v.y, zx = u.z * v.x, xz = u.x * v.z, xy = u.x * v.y, yx = u.y * v.x;
    double det = (yz - zy) * w.x + (zx - xz) * w.y + (xy - yx) * w.z;
    double size = (kin_abs(yz) + kin_abs(zy)) * kin_abs(w.x) + (kin_abs(zx) + kin_abs(xz)) * kin_abs(w.y) + (kin_abs(xy) + kin_abs(yx)) * kin_abs(w.z);
    double bound = 0x1p-50 * size; /* each term is rounded five times, 2^-53 each */
    if (det > bound) return 1;
    if (det < -bound) return -1;
    if (size == 0) return 0;
    double h[24];
    return sign_of(h, triple(u, v, w, h));
}

int kin_side_of_line(kin_vec3 a, kin_vec3 b, kin_vec3 p, int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    kin_vec3 u = kin_sub(b, a), v = kin_sub(p, a);
    double h[4];
    return sign_of(h, two_products(kin_component(u, i), kin_component(v, j), -kin_component(u, j), kin_component(v, i), h));
}

/* x x + y y + z z exactly: at most 6 */
static int square(kin_vec3 v, double h[6])
{
    double m[4], z[2];
    int n = two_products(v.x, v.x, v.y, v.y, m);
    z[1] = two_product(v.z, v.z, &z[0]);
    return sum(m, n, z, 2, h);
}

/* h = e f: at most 2 en fn, en <= 24, fn <= 6 */
static int product(const double* e, int en, const double* f, int fn, double h[288])
{
    double part[48], total[288];
    int n = 0;
    for (int i = 0; i < fn; ++i) {
        int m = scaled(e, en, f[i], part);
        for (int k = 0; k < n; ++k) total[k] = h[k];
        n = sum(total, n, part, m, h);
    }
    return n;
}

/* Rows (x, y, z, x^2 + y^2 + z^2) of a, b, c, d seen from p; expanded along the squares. */
static int sphere_exact(const kin_vec3 r[4])
{
    static const int others[4][3] = {{1, 2, 3}, {2, 0, 3}, {0, 1, 3}, {1, 0, 2}}; /* signs of the minors in the order of the rows */
    double minor[24], lift[6], term[288], total[1152], next[1152];
    int n = 0;
    for (int i = 0; i < 4; ++i) {
        int minors = triple(r[others[i][0]], r[others[i][1]], r[others[i][2]], minor);
        int terms = product(minor, minors, lift, square(r[i], lift), term);
        n = sum(total, n, term, terms, next);
        for (int k = 0; k < n; ++k) total[k] = next[k];
    }
    return sign_of(total, n);
}

/* u x v . w, and the same of absolute values. */
static double triple_bounded(kin_vec3 u, kin_vec3 v, kin_vec3 w, double* size)
{
    double yz = u.y * v.z, zy = u.z * v.y, zx = u.z * v.x, xz = u.x * v.z, xy = u.x * v.y, yx = u.y * v.x;
    *size = (kin_abs(yz) + kin_abs(zy)) * kin_abs(w.x) + (kin_abs(zx) + kin_abs(xz)) * kin_abs(w.y) + (kin_abs(xy) + kin_abs(yx)) * kin_abs(w.z);
    return (yz - zy) * w.x + (zx - xz) * w.y + (xy - yx) * w.z;
}

int kin_side_of_sphere(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 d, kin_vec3 p)
{
    kin_vec3 r[4] = {kin_sub(a, p), kin_sub(b, p), kin_sub(c, p), kin_sub(d, p)};
    double sa, sb, sc, sd, la = kin_length2(r[0]), lb = kin_length2(r[1]), lc = kin_length2(r[2]), ld = kin_length2(r[3]);
    double det = la * triple_bounded(r[1], r[2], r[3], &sa) + lb * triple_bounded(r[2], r[0], r[3], &sb);
    det += lc * triple_bounded(r[0], r[1], r[3], &sc) + ld * triple_bounded(r[1], r[0], r[2], &sd);
    double bound = 0x1p-49 * (la * sa + lb * sb + lc * sc + ld * sd); /* each term is rounded at most twelve times */
    if (det > bound) return 1;
    if (det < -bound) return -1;
    return sphere_exact(r);
}

/* a b - c d, with the errors of both products and of their difference given back */
static double sharp_minor(double a, double b, double c, double d)
{
    double ab_low, cd_low, low, ab = two_product(a, b, &ab_low), cd = two_product(c, d, &cd_low), high = two_sum(ab, -cd, &low);
    return high + (low + (ab_low - cd_low));
}

kin_vec3 kin_sharp_normal(kin_vec3 a, kin_vec3 b, kin_vec3 c)
{
    kin_vec3 u = kin_sub(b, a), v = kin_sub(c, a);
    return kin_v(sharp_minor(u.y, v.z, u.z, v.y), sharp_minor(u.z, v.x, u.x, v.z), sharp_minor(u.x, v.y, u.y, v.x));
}
