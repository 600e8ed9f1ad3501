/* A few thousand random byte strings for a fuzz target, so that it runs without libFuzzer. A wrong answer aborts. */
#include "base/rng.h"
#include "fuzz/fuzz.h"
#include "support/test.h"

static void random_strings_are_survived(test* t)
{
    uint8_t bytes[512];
    for (uint32_t i = 0; i < 4000; ++i) {
        kin_rng_key key = {.seed = 77, .serial = i};
        size_t size = kin_rng_bits(&key, 1000) % sizeof bytes;
        for (uint32_t k = 0; k < size; ++k) bytes[k] = (uint8_t)kin_rng_bits(&key, k);
        EQUAL(t, LLVMFuzzerTestOneInput(bytes, size), 0);
    }
}

TEST_MAIN("fuzz", TEST(random_strings_are_survived))
