#include "base/hash.h"
#include "support/test.h"
#include <string.h>

static void matches_published_xxh3(test* t)
{
    CHECK(t, kin_hash("", 0) == 0x2D06800538D394C2u); /* XXH3_64bits of nothing, seed 0 */
    kin_hasher h;
    kin_hasher_begin(&h);
    CHECK(t, kin_hasher_end(&h) == 0x2D06800538D394C2u);
    kin_hasher_add(&h, NULL, 0);
    CHECK(t, kin_hasher_end(&h) == 0x2D06800538D394C2u);
}

static void the_stream_does_not_see_the_pieces(test* t)
{
    unsigned char data[5000];
    for (int i = 0; i < 5000; ++i) data[i] = (unsigned char)(i * 31 + i / 256);
    for (size_t size = 0; size <= sizeof data; size = size * 2 + 1) {
        for (size_t piece = 1; piece < 700; piece = piece * 3 + 1) {
            kin_hasher h;
            kin_hasher_begin(&h);
            for (size_t at = 0; at < size; at += piece) kin_hasher_add(&h, data + at, size - at < piece ? size - at : piece);
            CHECK(t, kin_hasher_end(&h) == kin_hash(data, size));
        }
    }
}

static void every_bit_counts(test* t)
{
    unsigned char data[300] = {0};
    uint64_t before = kin_hash(data, sizeof data);
    for (int i = 0; i < 2400; ++i) {
        data[i / 8] ^= (unsigned char)(1 << i % 8);
        CHECK(t, kin_hash(data, sizeof data) != before);
        data[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    CHECK(t, kin_hash(data, 299) != before);
}

static void end_changes_nothing_and_copies_go_on_alone(test* t)
{
    kin_hasher a;
    kin_hasher_begin(&a);
    kin_hasher_add(&a, "abc", 3);
    CHECK(t, kin_hasher_end(&a) == kin_hasher_end(&a));
    kin_hasher b = a;
    kin_hasher_add(&a, "def", 3);
    CHECK(t, kin_hasher_end(&a) == kin_hash("abcdef", 6));
    CHECK(t, kin_hasher_end(&b) == kin_hash("abc", 3));
}

TEST_MAIN("base/hash", TEST(matches_published_xxh3), TEST(the_stream_does_not_see_the_pieces), TEST(every_bit_counts),
          TEST(end_changes_nothing_and_copies_go_on_alone))
