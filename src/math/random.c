/* random.c - distributions. House H4.2 (L1438-1513), with erratum E2: the normal variate is an angle or a distance as it is,
 * not a number to take the root of. */
#include "math/random.h"
#include "math/vec3.h"

/* Box and Muller 1958. The first word is never 0, so the logarithm is at least that of 2^-53 and the result finite. */
static double normal_from(uint64_t word0, uint64_t word1)
{
    double radius = kin_sqrt(-2 * kin_ln(kin_rng_unit_positive(word0)));
    return radius * kin_cos(2 * KIN_PI * kin_rng_unit(word1));
}

static double angle_from(uint64_t word) { return KIN_PI * (2 * kin_rng_unit(word) - 1); /* [-pi, pi) */ }

/* Archimedes: equal slices of the axis have equal area on the sphere. */
static kin_vec3 direction_from(uint64_t word0, uint64_t word1)
{
    double y = 2 * kin_rng_unit(word0) - 1;
    double theta = angle_from(word1);
    double r = kin_sqrt(1 - y * y);
    kin_sincos turn = kin_sin_cos(theta);
    return kin_v(r * turn.cosine, y, -r * turn.sine);
}

static kin_vec3 polar(double radius, double theta)
{
    kin_sincos turn = kin_sin_cos(theta);
    return kin_v(radius * turn.cosine, 0, -radius * turn.sine);
}

/* The direction with this cosine and sine from axis, turned by theta around it. */
static kin_vec3 around(kin_vec3 axis, double cosine, double sine, double theta)
{
    kin_vec3 helper = kin_abs(axis.x) < 0.9 ? kin_v(1, 0, 0) : kin_v(0, 1, 0); /* anything not along axis */
    kin_vec3 u = kin_normalize_or(kin_cross(helper, axis), kin_v(0, 0, 1));
    kin_vec3 v = kin_cross(axis, u);
    kin_sincos turn = kin_sin_cos(theta);
    kin_vec3 side = kin_add_scaled(kin_scale(u, turn.cosine), turn.sine, v);
    return kin_add_scaled(kin_scale(axis, cosine), sine, side);
}

double kin_rng_normal(const kin_rng_key* key, uint32_t draw, double mean, double deviation)
{
    uint64_t words[4];
    kin_rng_words(key, draw, words);
    return mean + deviation * normal_from(words[0], words[1]);
}

kin_vec3 kin_rng_direction(const kin_rng_key* key, uint32_t draw)
{
    uint64_t words[4];
    kin_rng_words(key, draw, words);
    return direction_from(words[0], words[1]);
}

/* cos(phi) uniform in [cos(angle), 1], through 1 - cos(phi) so that narrow cones keep their digits. */
kin_vec3 kin_rng_cone(const kin_rng_key* key, uint32_t draw, kin_vec3 axis, double angle)
{
    uint64_t words[4];
    kin_rng_words(key, draw, words);
    double half_sine = kin_sin(angle / 2);
    double fall = 2 * half_sine * half_sine * kin_rng_unit(words[0]);
    return around(axis, 1 - fall, kin_sqrt(fall * (2 - fall)), angle_from(words[1]));
}

kin_vec3 kin_rng_cone_normal(const kin_rng_key* key, uint32_t draw, kin_vec3 axis, double angle)
{
    uint64_t words[4];
    kin_rng_words(key, draw, words);
    double phi = kin_abs(normal_from(words[0], words[1])) * (angle / 3);
    kin_sincos tilt = kin_sin_cos(phi);
    return around(axis, tilt.cosine, tilt.sine, angle_from(words[2]));
}

kin_vec3 kin_rng_disk(const kin_rng_key* key, uint32_t draw, double radius)
{
    uint64_t words[4];
    kin_rng_words(key, draw, words);
    return polar(radius * kin_sqrt(kin_rng_unit(words[0])), angle_from(words[1]));
}

kin_vec3 kin_rng_disk_normal(const kin_rng_key* key, uint32_t draw, double radius)
{
    uint64_t words[4];
    kin_rng_words(key, draw, words);
    return polar(kin_abs(normal_from(words[0], words[1])) * (radius / 3), angle_from(words[2]));
}

kin_vec3 kin_rng_sphere(const kin_rng_key* key, uint32_t draw, double radius)
{
    uint64_t words[4];
    kin_rng_words(key, draw, words);
    double distance = radius * kin_cbrt(kin_rng_unit(words[2]));
    return kin_scale(direction_from(words[0], words[1]), distance);
}
