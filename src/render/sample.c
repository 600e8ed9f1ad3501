/* sample.c - one Sobol sequence in two dimensions, walked in Morton order over the picture and scrambled anew for every
 * decision. Neighbouring pixels hold neighbouring pieces of the sequence, which spreads their errors like blue noise
 * (Ahmed and Wonka 2020); scrambling by hashes is Burley 2020, the second dimension in five steps is Ahmed 2024. */
#include "render/sample.h"

static uint32_t reverse_bits(uint32_t x)
{
    x = __builtin_bswap32(x);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    return ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
}

/* Each bit is flipped by a hash of the bits below it: Owen's scrambling of the reversed number. */
static uint32_t scramble_reversed(uint32_t x, uint32_t seed)
{
    x ^= x * 0x3d20adeau;
    x += seed;
    x *= (seed >> 16) | 1u;
    x ^= x * 0x05526c56u;
    x ^= x * 0x53a22864u;
    return x;
}

static uint32_t mix_bits(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* The generator matrix of the second Sobol dimension is Pascal's triangle modulo 2. */
static uint32_t pascal(uint32_t x)
{
    x ^= x >> 16;
    x ^= (x & 0xff00ff00u) >> 8;
    x ^= (x & 0xf0f0f0f0u) >> 4;
    x ^= (x & 0xccccccccu) >> 2;
    x ^= (x & 0xaaaaaaaau) >> 1;
    return x;
}

static float unit_float(uint32_t x) { return (float)(x >> 8) * 0x1p-24f; }

static uint32_t spread_bits(uint32_t x)
{
    x &= 0xffffu;
    x = (x | (x << 8)) & 0x00ff00ffu;
    x = (x | (x << 4)) & 0x0f0f0f0fu;
    x = (x | (x << 2)) & 0x33333333u;
    return (x | (x << 1)) & 0x55555555u;
}

kin_sampler kin_sampler_begin(int x, int y, int sample, int samples)
{
    int bits = 0;
    while ((1 << bits) < samples) ++bits;
    uint32_t morton = spread_bits((uint32_t)x) | (spread_bits((uint32_t)y) << 1);
    return (kin_sampler){.index = reverse_bits((morton << bits) + (uint32_t)sample)};
}

kin_pair kin_sampler_next(kin_sampler* sampler)
{
    uint32_t seed = mix_bits(sampler->draw * 0x9e3779b9u + 0x85ebca6bu);
    sampler->draw += 1;
    uint32_t index = reverse_bits(scramble_reversed(sampler->index, seed));
    uint32_t x = reverse_bits(scramble_reversed(index, seed * 0x2c1b3c6du + 1));
    uint32_t y = reverse_bits(scramble_reversed(pascal(index), seed * 0x297a2d39u + 3));
    return (kin_pair){unit_float(x), unit_float(y)};
}

kin_pair kin_sampler_rough(kin_sampler* sampler)
{
    sampler->draw += 1;
    uint32_t x = mix_bits(sampler->index * 0x9e3779b9u + sampler->draw);
    return (kin_pair){unit_float(x), unit_float(x * 0x2c1b3c6du ^ (x >> 5) * 0x297a2d39u)};
}

kin_pair kin_sample_disk(kin_pair u)
{
    float radius = sqrtf(u.x), angle = 2 * KIN_PI * u.y;
    return (kin_pair){radius * cosf(angle), radius * sinf(angle)};
}

kin_vec kin_sample_cosine(kin_vec normal, kin_pair u)
{
    kin_vec s, t;
    vec_frame(normal, &s, &t);
    kin_pair d = kin_sample_disk(u);
    return s * d.x + t * d.y + normal * sqrtf(maxf(0, 1 - u.x));
}

kin_vec kin_sample_cone(kin_vec axis, float cos_half_angle, kin_pair u)
{
    kin_vec s, t;
    vec_frame(axis, &s, &t);
    float cosine = 1 - u.x * (1 - cos_half_angle), sine = sqrtf(maxf(0, 1 - cosine * cosine)), angle = 2 * KIN_PI * u.y;
    return s * (sine * cosf(angle)) + t * (sine * sinf(angle)) + axis * cosine;
}
