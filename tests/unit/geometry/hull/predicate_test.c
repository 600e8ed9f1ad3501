#include "geometry/hull/predicate.h"
#include "geometry/predicates.h"
#include "support/test.h"
#include "unit/geometry/shapes.h"

static void signs_are_as_documented(test* t)
{
    kin_vec3 o = {0, 0, 0}, x = {0.5, 0, 0}, y = {0, 0.5, 0}, z = {0, 0, 0.5};
    EQUAL(t, kin_side_of_plane(o, x, y, z), 1);
    EQUAL(t, kin_side_of_plane(o, y, x, z), -1);
    EQUAL(t, kin_side_of_plane(o, x, y, kin_v(0.25, -0.25, 0)), 0);
    EQUAL(t, kin_side_of_line(o, x, y, 2), 1);
    EQUAL(t, kin_side_of_line(o, y, z, 0), 1);
    EQUAL(t, kin_side_of_line(o, z, x, 1), 1);
    EQUAL(t, kin_side_of_sphere(o, x, y, z, kin_v(0.25, 0.25, 0.25)), 1);
    EQUAL(t, kin_side_of_sphere(o, x, y, z, kin_v(0.75, 0.5, 0.5)), -1);
    EQUAL(t, kin_side_of_sphere(o, x, y, z, kin_v(0.5, 0.5, 0.5)), 0);
}

/* Points of a small grid moved by one last bit: the signs of whole numbers, in 128 bits, are the reference. */
static __int128 whole(double x) { return (__int128)(x * 0x1p51); }

static int plane_in_integers(const kin_vec3 p[4])
{
    __int128 d[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) d[i][k] = whole(kin_component(p[i + 1], k)) - whole(kin_component(p[0], k));
    /* 2 x 2 minors fit 106 bits; the last products are split in two halves of 53 bits */
    __int128 m[3] = {d[0][1] * d[1][2] - d[0][2] * d[1][1], d[0][2] * d[1][0] - d[0][0] * d[1][2], d[0][0] * d[1][1] - d[0][1] * d[1][0]};
    __int128 high = 0, low = 0, base = (__int128)1 << 53;
    for (int k = 0; k < 3; ++k) {
        __int128 top = m[k] / base, rest = m[k] % base;
        high += top * d[2][k];
        low += rest * d[2][k];
    }
    high += low / base;
    low %= base;
    if (high > 0 && low < 0) high -= 1, low += base;
    if (high < 0 && low > 0) high += 1, low -= base;
    __int128 value = high != 0 ? high : low;
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

static kin_vec3 nearly_on_grid(dice* d, double coarse)
{
    double v[3];
    for (int k = 0; k < 3; ++k) v[k] = kin_snap_round(floor(roll(d, -4, 5)) * coarse + floor(roll(d, -1, 2)) * 0x1p-51);
    return kin_v(v[0], v[1], v[2]);
}

static void planes_are_exact(test* t)
{
    dice d = {3};
    int zero = 0, wrong = 0;
    for (int i = 0; i < 200000; ++i) {
        kin_vec3 p[4];
        double coarse = i % 2 ? 0x1p-4 : 0.1;
        for (int k = 0; k < 4; ++k) p[k] = nearly_on_grid(&d, coarse);
        int got = kin_side_of_plane(p[0], p[1], p[2], p[3]);
        zero += got == 0;
        wrong += got != plane_in_integers(p);
    }
    EQUAL(t, wrong, 0);
    CHECK(t, zero > 100 && zero < 100000);
}

/* The sphere test is antisymmetric under swaps and zero for points put on one sphere exactly (whole numbers with x^2 + y^2 + z^2 = 49^2). */
static void spheres_are_exact(test* t)
{
    kin_vec3 on[512];
    int n = 0;
    for (int x = -49; x <= 49; ++x)
        for (int y = -49; y <= 49; ++y)
            for (int z = -49; z <= 49; ++z)
                if (x * x + y * y + z * z == 49 * 49 && n < 512) on[n++] = kin_v(x * 0x1p-7, y * 0x1p-7, z * 0x1p-7);
    CHECK(t, n > 100);
    dice d = {4};
    int wrong = 0, tried = 0;
    for (int i = 0; i < 20000; ++i) {
        kin_vec3 p[5];
        for (int k = 0; k < 5; ++k) p[k] = on[(int)roll(&d, 0, n)];
        int side = kin_side_of_plane(p[0], p[1], p[2], p[3]);
        if (side == 0) continue;
        tried += 1;
        wrong += kin_side_of_sphere(p[0], p[1], p[2], p[3], p[4]) != 0;
        kin_vec3 in = p[4], out = p[4];
        in.x -= in.x > 0 ? 0x1p-51 : -0x1p-51, out.x += out.x > 0 ? 0x1p-51 : -0x1p-51;
        if (in.x == 0 || p[4].x == 0) continue;
        wrong += kin_side_of_sphere(p[0], p[1], p[2], p[3], in) != side; /* one last bit inside, one outside */
        wrong += kin_side_of_sphere(p[0], p[1], p[2], p[3], out) != -side;
        wrong += kin_side_of_sphere(p[1], p[0], p[2], p[3], in) != -side;
    }
    EQUAL(t, wrong, 0);
    CHECK(t, tried > 1000);
}

/* The same signs as predicates of arbitrary doubles: random, in one plane, on one sphere, at corners of a cube. */
static void two_ways_agree(test* t)
{
    dice d = {6};
    int wrong = 0;
    for (int i = 0; i < 8000; ++i) {
        kin_vec3 p[5];
        for (int k = 0; k < 5; ++k) {
            kin_vec3 x = i % 4 == 0 ? kin_scale(roll_direction(&d), 0.4) : roll3(&d, 0.4);
            if (i % 4 == 1) x = kin_v(x.x > 0 ? 0.4 : -0.4, x.y > 0 ? 0.4 : -0.4, x.z > 0 ? 0.4 : -0.4);
            p[k] = kin_v(kin_snap_round(x.x), kin_snap_round(x.y), kin_snap_round(x.z));
        }
        if (i % 4 == 2) p[3] = kin_sub(kin_add(p[1], p[2]), p[0]);
        wrong += kin_side_of_plane(p[0], p[1], p[2], p[3]) != kin_orient3d(p[0], p[1], p[2], p[3]);
        wrong += kin_side_of_sphere(p[0], p[1], p[2], p[3], p[4]) != kin_insphere(p[0], p[1], p[2], p[3], p[4]);
        double a[2] = {p[0].x, p[0].y}, b[2] = {p[1].x, p[1].y}, c[2] = {p[2].x, p[2].y};
        wrong += kin_side_of_line(p[0], p[1], p[2], 2) != kin_orient2d(a, b, c);
    }
    EQUAL(t, wrong, 0);
}

static void snapping_moves_less_than_the_noise(test* t)
{
    dice d = {5};
    static const double sizes[] = {1, 1e-6, 1e-300, 1e8, 1e29}, offsets[] = {0, 1e8, -3};
    for (int s = 0; s < 5; ++s) {
        for (int o = 0; o < 3; ++o) {
            kin_vec3 p[50];
            for (int i = 0; i < 50; ++i) p[i] = kin_add(roll3(&d, sizes[s]), kin_v(offsets[o], 0, 0));
            kin_snap snap = kin_snap_of(p, 50);
            for (int i = 0; i < 50; ++i) {
                kin_vec3 q = kin_snap_apply(snap, p[i]), back = kin_add(kin_scale(q, 1 / snap.scale), snap.center);
                CHECK(t, kin_largest(kin_abs3(q)) <= 1);
                CHECK(t, kin_distance(back, p[i]) <= snap.noise);
            }
        }
    }
}

TEST_MAIN("geometry/predicate", TEST(signs_are_as_documented), TEST(planes_are_exact), TEST(spheres_are_exact), TEST(two_ways_agree),
          TEST(snapping_moves_less_than_the_noise))
