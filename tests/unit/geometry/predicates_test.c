#include "geometry/predicates.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

typedef __int128 wide; /* exact for whole coordinates up to a million: the determinants stay below 2^127 */

static int sign_wide(wide x) { return (x > 0) - (x < 0); }

static wide determinant(const wide p[3], const wide q[3], const wide r[3])
{
    return p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
}

static void relative(kin_vec3 a, kin_vec3 to, wide r[4])
{
    r[0] = (wide)(a.x - to.x), r[1] = (wide)(a.y - to.y), r[2] = (wide)(a.z - to.z);
    r[3] = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
}

static int orient3d_wide(const kin_vec3 p[4])
{
    wide r[3][4];
    for (int i = 0; i < 3; ++i) relative(p[i + 1], p[0], r[i]);
    return sign_wide(determinant(r[0], r[1], r[2]));
}

static int insphere_wide(const kin_vec3 p[5])
{
    wide r[4][4];
    for (int i = 0; i < 4; ++i) relative(p[i], p[4], r[i]);
    wide det = r[3][3] * determinant(r[0], r[1], r[2]) - r[0][3] * determinant(r[1], r[2], r[3]) + r[1][3] * determinant(r[0], r[2], r[3])
               - r[2][3] * determinant(r[0], r[1], r[3]);
    return -sign_wide(det);
}

static kin_vec3 whole_point(dice* d, double size)
{
    return kin_v((double)(int64_t)roll(d, -size, size), (double)(int64_t)roll(d, -size, size), (double)(int64_t)roll(d, -size, size));
}

static void signs_of_the_frame(test* t)
{
    const kin_vec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    EQUAL(t, kin_orient2d((double[]){0, 0}, (double[]){1, 0}, (double[]){0, 1}), 1);
    EQUAL(t, kin_orient3d(o, x, y, z), 1);
    EQUAL(t, kin_orient3d(o, y, x, z), -1);
    EQUAL(t, kin_insphere(o, x, y, z, kin_v(0.5, 0.5, 0.5)), 1);
    EQUAL(t, kin_insphere(o, x, y, z, kin_v(2, 2, 2)), -1);
    EQUAL(t, kin_insphere(o, x, y, z, kin_v(1, 1, 1)), 0);
    EQUAL(t, kin_insphere(o, y, x, z, kin_v(0.5, 0.5, 0.5)), -1);
}

/* Small sizes are full of zeros, large ones of determinants that a double cannot hold. */
static void whole_numbers_agree_with_wide_arithmetic(test* t)
{
    dice d = {1};
    int zeros[2] = {0};
    for (int round = 0; round < 30000; ++round) {
        double size = round % 3 == 0 ? 3 : round % 3 == 1 ? 1e3 : 1e6;
        kin_vec3 p[5];
        for (int i = 0; i < 5; ++i) p[i] = whole_point(&d, size);
        if (round % 2 == 0) p[3] = kin_sub(kin_add(p[1], p[2]), p[0]); /* a parallelogram: in one plane */
        if (round % 4 == 1) p[4] = kin_sub(kin_add(p[1], p[2]), p[0]);
        int orient = orient3d_wide(p), inside = insphere_wide(p);
        EQUAL(t, kin_orient3d(p[0], p[1], p[2], p[3]), orient);
        EQUAL(t, kin_insphere(p[0], p[1], p[2], p[3], p[4]), inside);
        zeros[0] += orient == 0;
        zeros[1] += inside == 0;
    }
    CHECK(t, zeros[0] > 15000 && zeros[1] > 100);
}

/* The same points scaled by powers of two up to the ends of the range, and shifted so that differences round. */
static void scale_changes_nothing(test* t)
{
    static const double scales[] = {0x1p-1060, 0x1p-900, 0x1p-300, 0x1p-30, 1, 0x1p30, 0x1p300, 0x1p900, 0x1p1000};
    dice d = {2};
    for (int round = 0; round < 2000; ++round) {
        kin_vec3 p[5];
        for (int i = 0; i < 5; ++i) p[i] = whole_point(&d, 40);
        if (round % 2 == 0) p[3] = kin_sub(kin_add(p[1], p[2]), p[0]);
        int orient = orient3d_wide(p), inside = insphere_wide(p);
        for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
            kin_vec3 q[5];
            for (int i = 0; i < 5; ++i) q[i] = kin_scale(p[i], scales[k]);
            EQUAL(t, kin_orient3d(q[0], q[1], q[2], q[3]), orient);
            EQUAL(t, kin_insphere(q[0], q[1], q[2], q[3], q[4]), inside);
        }
    }
}

/* Points an ulp or so from a slanted plane that rounding cannot resolve. Exchanging two points must always turn the sign. */
static void permutations_never_contradict(test* t)
{
    dice d = {3};
    int naive_differs = 0;
    for (int round = 0; round < 20000; ++round) {
        kin_vec3 a = roll3(&d, 1), b = roll3(&d, 1), c = roll3(&d, 1);
        double u = roll(&d, -2, 2), v = roll(&d, -2, 2);
        kin_vec3 x = kin_add_scaled(kin_add_scaled(a, u, kin_sub(b, a)), v, kin_sub(c, a));
        int s = kin_orient3d(a, b, c, x);
        EQUAL(t, kin_orient3d(b, a, c, x), -s);
        EQUAL(t, kin_orient3d(a, c, b, x), -s);
        EQUAL(t, kin_orient3d(b, c, a, x), s);
        EQUAL(t, kin_orient3d(x, b, c, a), -s);
        EQUAL(t, kin_orient3d(a, b, x, c), -s);
        double naive = kin_triple(kin_sub(b, a), kin_sub(c, a), kin_sub(x, a));
        naive_differs += ((naive > 0) - (naive < 0)) != s;
    }
    CHECK(t, naive_differs > 1000); /* else the points were too easy */
}

/* A grid of the 256 neighbours of a point on the line y = x, the classic picture: the sign of x - y, whatever the far points are. */
static void neighbours_of_a_line(test* t)
{
    const double b[2] = {12, 12}, c[2] = {24, 24}, ulp = 0x1p-53;
    for (int i = 0; i < 256; ++i) {
        for (int j = 0; j < 256; ++j) {
            const double a[2] = {0.5 + i * ulp, 0.5 + j * ulp};
            int want = (a[0] < a[1]) - (a[0] > a[1]);
            if (kin_orient2d(b, c, a) != want || kin_orient2d(a, b, c) != want) EQUAL(t, kin_orient2d(b, c, a), want);
        }
    }
}

static void points_of_a_cube_lie_on_one_sphere(test* t) /* far from the origin, where squares round */
{
    dice d = {4};
    for (int round = 0; round < 200; ++round) {
        kin_vec3 at = kin_scale(whole_point(&d, 1e6), 0x1p-20);
        kin_vec3 p[8];
        for (int i = 0; i < 8; ++i) p[i] = kin_add(at, kin_v((i & 1) * 0.375, (i >> 1 & 1) * 0.375, (i >> 2 & 1) * 0.375));
        EQUAL(t, kin_insphere(p[0], p[1], p[2], p[4], p[7]), 0);
        EQUAL(t, kin_insphere(p[0], p[1], p[2], p[4], p[3]), 0);
        kin_vec3 out = p[7];
        out.x += out.x == 0 ? 0x1p-1074 : kin_abs(out.x) * 0x1p-52;
        EQUAL(t, kin_insphere(p[0], p[1], p[2], p[4], out), -1);
    }
}

/* Bits of any kind: numbers from 1e-323 to 1e308 side by side. Exchanging points turns the sign, turning them round does not; small ones do count. */
static void sizes_may_be_as_far_apart_as_they_can(test* t)
{
    dice d = {6};
    int zeros = 0;
    for (int round = 0; round < 400; ++round) {
        kin_vec3 p[5];
        double* x = &p[0].x;
        for (int k = 0; k < 15; ++k) {
            uint64_t bits = (uint64_t)roll(&d, 0, 0x1p32) << 32 | (uint64_t)roll(&d, 0, 0x1p32);
            __builtin_memcpy(&x[k], &bits, sizeof bits);
            if (!kin_finite(x[k]) || (round + k) % 4 == 0) x[k] = k % 3 - 1;
        }
        if (round % 3 == 0) p[3] = round % 2 == 0 ? p[0] : kin_v(p[1].x, p[1].y, p[1].z);
        int s = kin_orient3d(p[0], p[1], p[2], p[3]), in = kin_insphere(p[0], p[1], p[2], p[3], p[4]);
        EQUAL(t, kin_orient3d(p[1], p[0], p[2], p[3]), -s);
        EQUAL(t, kin_orient3d(p[1], p[2], p[0], p[3]), s);
        EQUAL(t, kin_orient3d(p[0], p[1], p[3], p[2]), -s);
        EQUAL(t, kin_insphere(p[1], p[0], p[2], p[3], p[4]), -in);
        EQUAL(t, kin_insphere(p[4], p[1], p[2], p[3], p[0]), -in);
        zeros += s == 0;
    }
    CHECK(t, zeros >= 133 && zeros < 200); /* the twins, and hardly any other */
    const kin_vec3 a = {0, 0, 0}, b = {1e300, 0, 0}, c = {0, 1e300, 0};
    EQUAL(t, kin_orient3d(a, b, c, kin_v(1e299, 1e299, 0x1p-1074)), 1);
    EQUAL(t, kin_orient3d(a, b, c, kin_v(1e299, 1e299, -0x1p-1074)), -1);
    EQUAL(t, kin_orient2d((double[]){0, 0}, (double[]){1e300, 1e300}, (double[]){1e-300, 1.0000001e-300}), 1);
    EQUAL(t, kin_insphere(kin_v(-1, 0, 0), kin_v(1, 0, 0), kin_v(0, 1, 0), kin_v(0, 0, 1), kin_v(0, 0, -1)), 0);
    EQUAL(t, kin_insphere(kin_v(-1, 0, 0), kin_v(1, 0, 0), kin_v(0, 1, 0), kin_v(0, 0, 1), kin_v(0x1p-1074, 0, -1)), -1);
}

static void what_is_not_a_number_is_nowhere(test* t)
{
    const double bad[] = {__builtin_nan(""), __builtin_inf(), -__builtin_inf()};
    for (int i = 0; i < 3; ++i) {
        EQUAL(t, kin_orient2d((double[]){bad[i], 0}, (double[]){1, 0}, (double[]){0, 1}), 0);
        EQUAL(t, kin_orient3d(kin_v(bad[i], 0, 0), kin_v(1, 0, 0), kin_v(0, 1, 0), kin_v(0, 0, 1)), 0);
        EQUAL(t, kin_insphere(kin_v(bad[i], 0, 0), kin_v(1, 0, 0), kin_v(0, 1, 0), kin_v(0, 0, 1), kin_v(1, 1, 1)), 0);
    }
}

TEST_MAIN("geometry_predicates", TEST(signs_of_the_frame), TEST(whole_numbers_agree_with_wide_arithmetic), TEST(scale_changes_nothing),
          TEST(permutations_never_contradict), TEST(neighbours_of_a_line), TEST(points_of_a_cube_lie_on_one_sphere),
          TEST(sizes_may_be_as_far_apart_as_they_can), TEST(what_is_not_a_number_is_nowhere))
