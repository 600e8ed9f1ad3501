#include "math/random.h"
#include "math/vec3.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>

enum { N = 100000 };

static kin_rng_key key_of(int i) { return (kin_rng_key){.seed = 5, .serial = (uint64_t)i, .system = 2}; }

static int by_size(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov against the uniform distribution on [0, 1]: sqrt(n) D is below 1.95 in 999 of 1000 samples. */
static double ks_uniform(double* values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_size);
    double most = 0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(values[i] - (double)i / n));
        most = fmax(most, fabs(values[i] - (double)(i + 1) / n));
    }
    return most * sqrt(n);
}

static double normal_share(double x) { return 0.5 * erfc(-x / sqrt(2)); }

static void normal_has_68_95_997(test* t) /* H4.2a: apples, mean 80, deviation 10 */
{
    int within[4] = {0};
    double sum = 0, squares = 0;
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        double x = kin_rng_normal(&key, 0, 80, 10);
        for (int k = 1; k <= 3; ++k) within[k] += fabs(x - 80) < 10 * k;
        sum += x / N;
        squares += (x - 80) * (x - 80) / N;
    }
    NEAR(t, within[1] / (double)N, 0.682689, 5 * 0.4655 / sqrt(N));
    NEAR(t, within[2] / (double)N, 0.954500, 5 * 0.2084 / sqrt(N));
    NEAR(t, within[3] / (double)N, 0.997300, 5 * 0.0519 / sqrt(N));
    NEAR(t, sum, 80, 5 * 10 / sqrt(N));
    NEAR(t, squares, 100, 5 * 141.5 / sqrt(N));
}

static void normal_has_the_bell_shape(test* t)
{
    static double values[N];
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        values[i] = normal_share(kin_rng_normal(&key, 1, 0, 1));
    }
    CHECK(t, ks_uniform(values, N) < 1.95);
}

static void normal_is_finite_and_golden(test* t)
{
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        CHECK(t, fabs(kin_rng_normal(&key, 2, 0, 1)) <= 8.6);
    }
    kin_rng_key key = {.seed = 1, .serial = 2, .step = 3, .system = 4, .tick = 5};
    CHECK(t, kin_rng_normal(&key, 6, 0, 1) == -0x1.596de24017fdp-1);
    CHECK(t, kin_rng_normal(&key, 6, 3, 0) == 3);
}

static void directions_cover_the_sphere(test* t) /* H4.2b */
{
    static double heights[N];
    double mean[3] = {0}, products[3][3] = {{0}};
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        kin_vec3 d = kin_rng_direction(&key, 0);
        NEAR(t, kin_length(d), 1, 4e-16);
        const double v[3] = {d.x, d.y, d.z};
        for (int a = 0; a < 3; ++a) {
            mean[a] += v[a] / N;
            for (int b = 0; b < 3; ++b) products[a][b] += v[a] * v[b] / N;
        }
        heights[i] = (d.y + 1) / 2;
    }
    for (int a = 0; a < 3; ++a) {
        NEAR(t, mean[a], 0, 5 * 0.5774 / sqrt(N));
        for (int b = 0; b < 3; ++b) NEAR(t, products[a][b], a == b ? 1.0 / 3 : 0, 5 * 0.3 / sqrt(N));
    }
    CHECK(t, ks_uniform(heights, N) < 1.95);
}

static void directions_are_uniform_along_any_axis(test* t)
{
    static double heights[N];
    kin_vec3 axis = kin_normalize_or(kin_v(1, -2, 3), kin_v(0, 0, 0));
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        heights[i] = (kin_dot(kin_rng_direction(&key, 1), axis) + 1) / 2;
    }
    CHECK(t, ks_uniform(heights, N) < 1.95);
}

static void cones_are_uniform_at_any_width(test* t) /* H4.2c, the exact form */
{
    static double values[N], turns[N];
    static const double angles[] = {1e-6, 0.3, 1.5, KIN_PI};
    static const kin_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {0.6, 0, 0.8}};
    for (int k = 0; k < 4; ++k) {
        kin_vec3 side = k == 2 ? kin_v(1, 0, 0) : kin_v(0, 0, 1);
        kin_vec3 u = kin_normalize_or(kin_cross(axes[k], side), side), v = kin_cross(axes[k], u);
        for (int i = 0; i < N; ++i) {
            kin_rng_key key = key_of(i);
            kin_vec3 d = kin_rng_cone(&key, 2, axes[k], angles[k]);
            double sine = kin_length(kin_cross(d, axes[k]));
            double phi = atan2(sine, kin_dot(d, axes[k]));
            NEAR(t, kin_length(d), 1, 1e-15);
            CHECK(t, phi <= angles[k] * (1 + 1e-9));
            values[i] = pow(sin(phi / 2) / sin(angles[k] / 2), 2); /* the share of the cap's area nearer than phi */
            turns[i] = 0.5 + atan2(kin_dot(d, v), kin_dot(d, u)) / (2 * KIN_PI);
        }
        CHECK(t, ks_uniform(values, N) < 1.95);
        CHECK(t, ks_uniform(turns, N) < 1.95);
    }
}

static void normal_cones_spread_by_a_third(test* t) /* H4.2c with erratum E2 */
{
    static double values[N];
    kin_vec3 axis = {0, 0.6, 0.8};
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        kin_vec3 d = kin_rng_cone_normal(&key, 3, axis, 0.6);
        double phi = atan2(kin_length(kin_cross(d, axis)), kin_dot(d, axis));
        values[i] = 2 * normal_share(phi / 0.2) - 1; /* |normal| */
    }
    CHECK(t, ks_uniform(values, N) < 1.95);
}

static void disks_are_uniform_and_flat(test* t) /* H4.2d: E[r^2] = R^2 / 2 */
{
    static double values[N];
    double squares = 0;
    kin_vec3 mean = {0};
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        kin_vec3 p = kin_rng_disk(&key, 4, 3);
        CHECK(t, p.y == 0 && kin_length(p) <= 3 * (1 + 1e-15));
        squares += kin_length2(p) / N;
        mean = kin_add_scaled(mean, 1.0 / N, p);
        values[i] = kin_length2(p) / 9;
    }
    NEAR(t, squares, 4.5, 5 * 2.6 / sqrt(N));
    NEAR3(t, mean, kin_v(0, 0, 0), 5 * 1.5 / sqrt(N));
    CHECK(t, ks_uniform(values, N) < 1.95);
}

static void normal_disks_spread_by_a_third(test* t)
{
    static double values[N];
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        kin_vec3 p = kin_rng_disk_normal(&key, 5, 3);
        CHECK(t, p.y == 0);
        values[i] = 2 * normal_share(kin_length(p)) - 1;
    }
    CHECK(t, ks_uniform(values, N) < 1.95);
}

static void balls_are_uniform(test* t)
{
    static double values[N];
    kin_vec3 mean = {0};
    double squares = 0; /* E[r^2] = 3 R^2 / 5 */
    for (int i = 0; i < N; ++i) {
        kin_rng_key key = key_of(i);
        kin_vec3 p = kin_rng_sphere(&key, 6, 2);
        CHECK(t, kin_length(p) <= 2 * (1 + 1e-15));
        values[i] = pow(kin_length(p) / 2, 3);
        squares += kin_length2(p) / N;
        mean = kin_add_scaled(mean, 1.0 / N, p);
    }
    CHECK(t, ks_uniform(values, N) < 1.95);
    NEAR(t, squares, 2.4, 5 * 1.05 / sqrt(N));
    NEAR3(t, mean, kin_v(0, 0, 0), 5 * 0.9 / sqrt(N));
}

TEST_MAIN("math/random", TEST(normal_has_68_95_997), TEST(normal_has_the_bell_shape), TEST(normal_is_finite_and_golden), TEST(directions_cover_the_sphere),
          TEST(directions_are_uniform_along_any_axis), TEST(cones_are_uniform_at_any_width), TEST(normal_cones_spread_by_a_third),
          TEST(disks_are_uniform_and_flat), TEST(normal_disks_spread_by_a_third), TEST(balls_are_uniform))
