/* rng.h - random numbers as functions of a key. No hidden stream: the same key and draw give the same number
 * whatever the order of calls, the thread or the resume. Any change of key or draw gives an independent number: number the
 * draws, one for each thing drawn. Distributions that need elementary functions are in math/random.h. */
#pragma once
#include "kinema/base.h"

typedef struct kin_rng_key {
    uint64_t seed;   /* the scene's */
    uint64_t serial; /* of the element, never reused */
    uint64_t step;
    uint32_t system;
    uint32_t tick;
} kin_rng_key;

uint64_t kin_rng_bits(const kin_rng_key* key, uint32_t draw);
double kin_rng_uniform(const kin_rng_key* key, uint32_t draw, double low, double high); /* [low, high); low when they are equal */

/* Four independent words of one draw, for distributions that need more than one. words[0] is kin_rng_bits. */
void kin_rng_words(const kin_rng_key* key, uint32_t draw, uint64_t words[4]);
/* A word as a number: [0, 1) and (0, 1], in steps of 2^-53. */
static inline double kin_rng_unit(uint64_t word) { return (double)(word >> 11) * 0x1p-53; }
static inline double kin_rng_unit_positive(uint64_t word) { return (double)((word >> 11) + 1) * 0x1p-53; }

/* The function beneath, for its published test vectors. */
void kin_rng_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t words[4]);
