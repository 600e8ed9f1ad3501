/* pattern_test.c - procedural colours: in their place, without shimmer, of the right mean, at every scale. */
#include "render/pattern.h"
#include "support/test.h"
#include <string.h>

static const kin_surface_pattern patterns[] = {KIN_PATTERN_SPECKLE, KIN_PATTERN_WOOD, KIN_PATTERN_BRICK, KIN_PATTERN_FELT};
enum { PATTERNS = sizeof patterns / sizeof *patterns, SAMPLES = 4000 };

static kin_vec spread(int i, float reach) /* fills a cube evenly */
{
    float x = (float)i * 0.7548777f, y = (float)i * 0.5698403f, z = (float)i * 0.3819660f;
    return (vec(x - floorf(x), y - floorf(y), z - floorf(z)) - vec_all(0.5f)) * reach;
}

typedef struct stats {
    double mean, spread;
} stats;

static stats sample(const kin_look* look, float reach, float footprint)
{
    double sum = 0, square = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        kin_spot spot = {.position = spread(i, reach), .normal = vec(0, 0, 1), .footprint = footprint};
        double c = (double)kin_pattern_color(look, vec_all(0.4f), &spot)[1];
        sum += c, square += c * c;
    }
    double mean = sum / SAMPLES;
    return (stats){mean, sqrt(fmax(square / SAMPLES - mean * mean, 0))};
}

static void patterns_vary_about_the_colour(test* t)
{
    for (int i = 0; i < PATTERNS; ++i) {
        kin_look look = {.pattern = patterns[i], .pattern_size = 0.05f};
        stats fine = sample(&look, 5, 1e-5f), coarse = sample(&look, 5, 50);
        NEAR(t, fine.mean, 0.4, 0.03);
        NEAR(t, coarse.mean, fine.mean, 0.03); /* far away it is even, and as bright */
        CHECK(t, fine.spread > 0.015);
        CHECK(t, coarse.spread < 1e-3);
    }
}

static void a_pattern_has_its_own_scale(test* t)
{
    for (int i = 0; i < PATTERNS; ++i) {
        kin_look small = {.pattern = patterns[i], .pattern_size = 0.001f}, large = {.pattern = patterns[i], .pattern_size = 1000};
        stats a = sample(&small, 0.1f, 1e-7f), b = sample(&large, 1e5f, 0.1f);
        NEAR(t, a.mean, b.mean, 1e-3);
        NEAR(t, a.spread, b.spread, 1e-3);
    }
}

static double ground_spread(float footprint)
{
    double sum = 0, square = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        kin_vec p = spread(i, 3000);
        double c = (double)kin_pattern_ground((kin_pair){p[0], p[1]}, footprint);
        sum += c, square += c * c;
    }
    double mean = sum / SAMPLES;
    return mean > 0.99 && mean < 1.01 ? sqrt(square / SAMPLES - mean * mean) : -1;
}

static void ground_looks_alike_at_every_scale(test* t)
{
    double least = 1, most = 0;
    for (float footprint = 1e-3f; footprint < 0.5f; footprint *= 1.3f) {
        double spread_here = ground_spread(footprint);
        least = spread_here < least ? spread_here : least, most = spread_here > most ? spread_here : most;
    }
    CHECK(t, least > 0.008 && most < 0.03);
    for (int i = 0; i < 200; ++i) { /* nearly the same from nearly the same distance, and everywhere a period on */
        kin_vec p = spread(i, 500);
        float footprint = 0.004f * powf(1.05f, (float)i), a = kin_pattern_ground((kin_pair){p[0], p[1]}, footprint);
        NEAR(t, (double)kin_pattern_ground((kin_pair){p[0], p[1]}, 1.001f * footprint), (double)a, 4e-4);
        NEAR(t, (double)kin_pattern_ground((kin_pair){p[0] + KIN_GROUND_PERIOD, p[1] - KIN_GROUND_PERIOD}, footprint), (double)a, 0.01);
    }
}

static void numbers_out_of_range_give_a_colour(test* t)
{
    const float odd[] = {0, 1e-30f, 1e30f, -3e38f, INFINITY, NAN};
    for (size_t a = 0; a < sizeof odd / sizeof *odd; ++a) {
        for (size_t b = 0; b < sizeof odd / sizeof *odd; ++b) {
            for (int i = 0; i < PATTERNS; ++i) {
                kin_look look = {.pattern = patterns[i], .pattern_size = odd[b]};
                kin_spot spot = {.position = vec(odd[a], 1, odd[a]), .normal = vec(0, 1, 0), .footprint = odd[b]};
                kin_vec c = kin_pattern_color(&look, vec_all(0.5f), &spot);
                for (int k = 0; k < 3; ++k) CHECK(t, c[k] >= 0 && c[k] <= 1);
            }
            CHECK(t, isfinite(kin_pattern_ground((kin_pair){odd[a], odd[b]}, odd[b])));
        }
    }
}

static void clouds_cover_their_share(test* t)
{
    const float shares[] = {0, 0.3f, 0.6f, 1};
    double last = -1;
    for (int k = 0; k < 4; ++k) {
        double sum = 0;
        for (int i = 0; i < SAMPLES; ++i) {
            float c = kin_pattern_clouds(vec_normalize(spread(i, 2) + vec(0, 1.1f, 0)), shares[k]);
            CHECK(t, c >= 0 && c <= 1);
            sum += (double)c;
        }
        CHECK(t, sum / SAMPLES > last);
        last = sum / SAMPLES;
    }
    CHECK(t, last > 0.5);
    NEAR(t, (double)kin_pattern_clouds(vec(0, 1, 0), 0), 0, 0);
    NEAR(t, (double)kin_pattern_clouds(vec(0, -1, 0), 1), 0, 0);
}

/* Of an even ball of radius R the mean square distance from the middle is 3/5 R^2. volume: of all spheres of a point of radius 1; tolerances: four standard errors. */
static void check_spheres(test* t, kin_surface_pattern pattern, uint32_t each, double spread, double volume)
{
    kin_vec sum = vec_all(0);
    double square = 0, filled = 0;
    const int count = (int)(500 * each);
    EQUAL(t, kin_pattern_spheres(pattern), each);
    for (uint64_t id = 0; id < 500; ++id) {
        for (uint32_t k = 0; k < each; ++k) {
            kin_vec g = kin_pattern_sphere(pattern, id << 20, k);
            double distance2 = (double)vec_dot(vec(g[0], g[1], g[2]), vec(g[0], g[1], g[2])), r = (double)g[3];
            CHECK(t, distance2 <= spread * spread * 1.0001 && r > 0 && r < 1);
            sum += g, square += distance2, filled += 4 * KIN_PI / 3 * r * r * r;
        }
    }
    for (int k = 0; k < 3; ++k) NEAR(t, (double)sum[k] / count, 0, 4 * spread * sqrt(0.2 / count));
    NEAR(t, square / count, 0.6 * spread * spread, 4 * spread * spread * 0.27 / sqrt(count));
    NEAR(t, filled / 500, volume, 4 * volume / sqrt(count));
}

/* Every point: a drop and satellites of 8 radii cubed together, the first of more than half of that, none smaller than a tenth of it across, and the smaller the farther
 * out; within 4 radii. Volumes are sums of floats: 20 roundings. */
static void a_droplet_has_satellites(test* t)
{
    const uint32_t each = kin_pattern_spheres(KIN_PATTERN_DROPLETS);
    double out[2] = {0, 0}; /* mean distance of the first and of the last */
    for (uint64_t id = 0; id < 500; ++id) {
        double filled = 0, last = 2, first = 0;
        for (uint32_t k = 0; k < each; ++k) {
            kin_vec g = kin_pattern_sphere(KIN_PATTERN_DROPLETS, id << 20, k);
            double r = (double)g[3], volume = 4 * KIN_PI / 3 * r * r * r, distance = (double)vec_length(vec(g[0], g[1], g[2]));
            CHECK(t, distance <= 4 && r < last && r > 0.1);
            if (k == 0) first = volume;
            if (k == 0 || k == each - 1) out[k > 0] += distance / 500;
            filled += volume, last = r;
        }
        CHECK(t, first > 0.5 * filled);
        NEAR(t, filled, 8, 8e-4); /* of the constant's four digits */
    }
    CHECK(t, out[0] < 0.2 && out[1] > 2);
}

static void grains_fill_their_balls(test* t)
{
    check_spheres(t, KIN_PATTERN_GRAINS, 28, sqrt(2), 28 * 4 * KIN_PI / 3 * (pow(0.23, 4) - pow(0.13, 4)) / (4 * 0.1));
    EQUAL(t, kin_pattern_spheres(KIN_PATTERN_WOOD), 1);
}

TEST_MAIN("pattern", TEST(patterns_vary_about_the_colour), TEST(a_pattern_has_its_own_scale), TEST(ground_looks_alike_at_every_scale),
          TEST(numbers_out_of_range_give_a_colour), TEST(clouds_cover_their_share), TEST(grains_fill_their_balls), TEST(a_droplet_has_satellites))
