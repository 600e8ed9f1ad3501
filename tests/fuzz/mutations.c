/* A few thousand mutations of a target's seeds, so that it runs without libFuzzer: bytes set, flipped, moved, cut, doubled. A wrong answer aborts. */
#include "base/rng.h"
#include "fuzz/fuzz.h"
#include "support/test.h"

#define ROOM 8192
#ifndef FUZZ_RUNS
#define FUZZ_RUNS 4000
#endif

typedef struct text {
    uint8_t bytes[ROOM];
    size_t size;
} text;

static uint32_t pick(const kin_rng_key* key, uint32_t draw, size_t count) { return (uint32_t)(kin_rng_bits(key, draw) % count); }

static void mutate(text* t, const kin_rng_key* key, uint32_t draw)
{
    uint32_t kind = pick(key, draw, 6), at = pick(key, draw + 1, t->size), length = 1 + pick(key, draw + 2, 16);
    uint32_t from = pick(key, draw + 3, t->size);
    if (length > t->size - at) length = (uint32_t)(t->size - at);
    if (length > t->size - from) length = (uint32_t)(t->size - from);
    if (kind == 0) t->bytes[at] = (uint8_t)kin_rng_bits(key, draw + 4);
    if (kind == 1) t->bytes[at] ^= (uint8_t)(1u << pick(key, draw + 4, 8));
    if (kind == 2) t->bytes[at] = (uint8_t) "0129-.e{}[],\" \n\0\xff"[pick(key, draw + 4, 17)];
    if (kind == 3) memmove(t->bytes + at, t->bytes + from, length);
    if (kind == 4 && t->size > length) {
        memmove(t->bytes + at, t->bytes + at + length, t->size - at - length);
        t->size -= length;
    }
    if (kind == 5 && t->size + length <= ROOM) {
        memmove(t->bytes + at + length, t->bytes + at, t->size - at);
        t->size += length;
    }
}

static void mutated_seeds_are_survived(test* t)
{
    static text work;
    uint32_t seeds = 0;
    while (fuzz_seed(seeds, work.bytes, ROOM) > 0) seeds += 1;
    CHECK(t, seeds > 0);
    for (uint32_t i = 0; i < FUZZ_RUNS + seeds; ++i) {
        kin_rng_key key = {.seed = 78, .serial = i};
        work.size = fuzz_seed(i % seeds, work.bytes, ROOM);
        uint32_t count = i < seeds ? 0 : 1 + pick(&key, 0, 8); /* the seeds themselves first */
        for (uint32_t k = 0; k < count && work.size > 0; ++k) mutate(&work, &key, 8 * (k + 1));
        if (i % 64 == 63 && work.size > 0) work.size = pick(&key, 1, work.size); /* and cut off */
        uint8_t* exact = malloc(work.size + 1);                                  /* a block of its own: the sanitiser sees a read past its end */
        memcpy(exact, work.bytes, work.size);
        EQUAL(t, LLVMFuzzerTestOneInput(exact, work.size), 0);
        free(exact);
    }
}

TEST_MAIN("fuzz", TEST(mutated_seeds_are_survived))
