/* rng.c - Philox4x64-10. Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3", section 3.3.
 * For one seed the block is a bijection of (serial, step, system, tick, draw): distinct keys never share a block. */
#include "base/rng.h"

static inline uint64_t multiply(uint64_t a, uint64_t b, uint64_t* high)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
}

void kin_rng_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t words[4])
{
    uint64_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint64_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
        uint64_t high0, high1;
        uint64_t low0 = multiply(0xD2E7470EE14C6C93u, c0, &high0);
        uint64_t low1 = multiply(0xCA5A826395121157u, c2, &high1);
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B97F4A7C15u; /* golden ratio */
        k1 += 0xBB67AE8584CAA73Bu; /* sqrt(3) - 1 */
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

void kin_rng_words(const kin_rng_key* key, uint32_t draw, uint64_t words[4])
{
    const uint64_t counter[4] = {key->serial, key->step, (uint64_t)key->system << 32 | key->tick, draw};
    const uint64_t cipher_key[2] = {key->seed, 0};
    kin_rng_philox(counter, cipher_key, words);
}

uint64_t kin_rng_bits(const kin_rng_key* key, uint32_t draw)
{
    uint64_t words[4];
    kin_rng_words(key, draw, words);
    return words[0];
}

double kin_rng_uniform(const kin_rng_key* key, uint32_t draw, double low, double high)
{
    double value = low + (high - low) * kin_rng_unit(kin_rng_bits(key, draw));
    return value < high ? value : low; /* rounding may reach high, which is not in the range */
}
