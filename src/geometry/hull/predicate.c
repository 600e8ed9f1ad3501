/* predicate.c - determinants of exact numbers: floating point with an error bound first, then whole numbers. */
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

/* ---- whole numbers: coordinates on the grid, times 2^51 ---- */

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

typedef struct whole3 {
    int64_t x, y, z; /* differences: below 2^53 */
} whole3;

typedef struct big { /* two's complement, 320 bits */
    uint64_t w[5];
} big;

static whole3 whole(kin_vec3 v) { return (whole3){(int64_t)(v.x * 0x1p51), (int64_t)(v.y * 0x1p51), (int64_t)(v.z * 0x1p51)}; }
static int sign_of_wide(wide x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/* sum += or -= m f 2^(64 shift), m of n words */
static void add_product(big* sum, const uint64_t* m, int n, uint64_t f, int shift, bool minus)
{
    uint64_t term[5] = {0};
    unsigned_wide carry = 0;
    for (int i = 0; i < n; ++i) {
        carry += (unsigned_wide)m[i] * f;
        term[i + shift] = (uint64_t)carry;
        carry >>= 64;
    }
    if (n + shift < 5) term[n + shift] = (uint64_t)carry;
    carry = minus;
    for (int i = 0; i < 5; ++i) {
        carry += (unsigned_wide)sum->w[i] + (minus ? ~term[i] : term[i]);
        sum->w[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static bool is_negative(const big* b) { return b->w[4] >> 63 != 0; }

static int sign_of(const big* b)
{
    if (is_negative(b)) return -1;
    return (b->w[0] | b->w[1] | b->w[2] | b->w[3] | b->w[4]) != 0;
}

static void make_positive(big* b)
{
    unsigned_wide carry = 1;
    for (int i = 0; i < 5; ++i) {
        carry += ~b->w[i];
        b->w[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void add_wide_times(big* sum, wide m, int64_t f)
{
    bool minus = (m < 0) != (f < 0);
    unsigned_wide size = m < 0 ? -(unsigned_wide)m : (unsigned_wide)m;
    uint64_t words[2] = {(uint64_t)size, (uint64_t)(size >> 64)};
    add_product(sum, words, 2, f < 0 ? -(uint64_t)f : (uint64_t)f, 0, minus);
}

/* u x v . w: below 2^163 */
static big triple(whole3 u, whole3 v, whole3 w)
{
    big sum = {{0}};
    add_wide_times(&sum, (wide)u.y * v.z - (wide)u.z * v.y, w.x);
    add_wide_times(&sum, (wide)u.z * v.x - (wide)u.x * v.z, w.y);
    add_wide_times(&sum, (wide)u.x * v.y - (wide)u.y * v.x, w.z);
    return sum;
}

/* u x v . w, and the same of absolute values. */
static double triple_bounded(kin_vec3 u, kin_vec3 v, kin_vec3 w, double* size)
{
    double yz = u.y * v.z, zy = u.z * v.y, zx = u.z * v.x, xz = u.x * v.z, xy = u.x * v.y, yx = u.y * v.x;
    *size = (kin_abs(yz) + kin_abs(zy)) * kin_abs(w.x) + (kin_abs(zx) + kin_abs(xz)) * kin_abs(w.y) + (kin_abs(xy) + kin_abs(yx)) * kin_abs(w.z);
    return (yz - zy) * w.x + (zx - xz) * w.y + (xy - yx) * w.z;
}

/* ---- predicates ---- */

int kin_side_of_plane(kin_vec3 a, kin_vec3 b, kin_vec3 c, kin_vec3 p)
{
    kin_vec3 u = kin_sub(b, a), v = kin_sub(c, a), w = kin_sub(p, a);
    double size, det = triple_bounded(u, v, w, &size), bound = 0x1p-50 * size; /* each term is rounded five times, 2^-53 each */
    if (det > bound) return 1;
    if (det < -bound) return -1;
    if (size == 0) return 0;
    big exact = triple(whole(u), whole(v), whole(w));
    return sign_of(&exact);
}

int kin_side_of_line(kin_vec3 a, kin_vec3 b, kin_vec3 p, int axis)
{
    whole3 u = whole(kin_sub(b, a)), v = whole(kin_sub(p, a));
    if (axis == 0) return sign_of_wide((wide)u.y * v.z - (wide)u.z * v.y);
    if (axis == 1) return sign_of_wide((wide)u.z * v.x - (wide)u.x * v.z);
    return sign_of_wide((wide)u.x * v.y - (wide)u.y * v.x);
}

/* Rows (x, y, z, x^2 + y^2 + z^2) of a, b, c, d seen from p; expanded along the squares. Below 2^273. */
static int sphere_exact(const kin_vec3 rows[4])
{
    static const int others[4][3] = {{1, 2, 3}, {2, 0, 3}, {0, 1, 3}, {1, 0, 2}}; /* signs of the minors in the order of the rows */
    whole3 r[4];
    for (int i = 0; i < 4; ++i) r[i] = whole(rows[i]);
    big sum = {{0}};
    for (int i = 0; i < 4; ++i) {
        big minor = triple(r[others[i][0]], r[others[i][1]], r[others[i][2]]);
        bool minus = is_negative(&minor);
        if (minus) make_positive(&minor);
        wide square = (wide)r[i].x * r[i].x + (wide)r[i].y * r[i].y + (wide)r[i].z * r[i].z;
        add_product(&sum, minor.w, 3, (uint64_t)square, 0, minus);
        add_product(&sum, minor.w, 3, (uint64_t)(square >> 64), 1, minus);
    }
    return sign_of(&sum);
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

/* ---- normals ---- */

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
