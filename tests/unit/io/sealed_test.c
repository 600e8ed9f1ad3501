/* sealed_test.c - sealed files: whole or refused, also when the checksum was made to fit. */
#include "io/sealed.h"
#include "base/hash.h"
#include "unit/io/folder.h"

static const kin_seal seal = {"KINTESTS", 3, "a test"};

static bool reads(test* t, void* context, const char* path)
{
    (void)context;
    uint8_t* data;
    size_t size;
    kin_error error = {0};
    kin_result result = kin_sealed_read(&t->allocator, path, &seal, &data, &size, &error);
    CHECK(t, result == KIN_OK || (result == KIN_ERROR_FORMAT && error.message[0] != 0 && error.where[0] != 0));
    if (result == KIN_OK) kin_free(&t->allocator, data, size);
    return result == KIN_OK;
}

static void what_is_sealed_is_read(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    uint8_t *data, big[5000];
    size_t size;
    for (size_t i = 0; i < sizeof big; ++i) big[i] = (uint8_t)(i * i);
    CHECK(t, kin_sealed_write(&t->allocator, in(&f, "a"), &seal, big, sizeof big, &error) == KIN_OK);
    CHECK(t, kin_sealed_read(&t->allocator, in(&f, "a"), &seal, &data, &size, &error) == KIN_OK);
    CHECK(t, size == sizeof big && memcmp(data, big, size) == 0);
    kin_free(&t->allocator, data, size);
    folder_end(&f);
}

static void damage_is_seen(test* t)
{
    folder f = folder_begin(t);
    CHECK(t, kin_sealed_write(&t->allocator, in(&f, "a"), &seal, "what a fine day", 15, NULL) == KIN_OK);
    damage_file(t, in(&f, "a"), SIZE_MAX / 2, reads, NULL); /* every prefix, every bit */
    folder_end(&f);
}

static void foreign_files_are_refused(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    uint8_t* data;
    size_t size;
    bytes_write(t, in(&f, "foreign"), "\x89PNG\r\n\x1a\n and more of a picture, which goes on for a while", 57);
    CHECK(t, kin_sealed_read(&t->allocator, in(&f, "foreign"), &seal, &data, &size, &error) == KIN_ERROR_FORMAT);
    HAS(t, error.message, "not a test of kinema");
    CHECK(t, kin_sealed_write(&t->allocator, in(&f, "newer"), &(kin_seal){"KINTESTS", 4, "a test"}, "x", 1, NULL) == KIN_OK);
    CHECK(t, kin_sealed_read(&t->allocator, in(&f, "newer"), &seal, &data, &size, &error) == KIN_ERROR_FORMAT);
    HAS(t, error.message, "version 4");
    CHECK(t, kin_sealed_read(&t->allocator, in(&f, "none"), &seal, &data, &size, &error) == KIN_ERROR_FILE);
    folder_end(&f);
}

/* A file made to harm: sizes that lie, under a checksum that holds. */
static void sizes_are_not_believed(test* t)
{
    folder f = folder_begin(t);
    uint64_t sizes[] = {0, 1, 14, 16, 1u << 20, (uint64_t)1 << 40, (uint64_t)1 << 62, UINT64_MAX};
    CHECK(t, kin_sealed_write(&t->allocator, in(&f, "a"), &seal, "what a fine day", 15, NULL) == KIN_OK);
    bytes b = bytes_read(t, in(&f, "a"));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        memcpy(b.data + 16, &sizes[i], 8);
        uint64_t checksum = kin_hash(b.data, b.size - 8);
        memcpy(b.data + b.size - 8, &checksum, 8);
        bytes_write(t, in(&f, "b"), b.data, b.size);
        CHECK(t, !reads(t, NULL, in(&f, "b")));
    }
    bytes_free(&b);
    folder_end(&f);
}

static bool write_and_read(test* t, void* context)
{
    uint8_t* data;
    size_t size;
    if (kin_sealed_write(&t->allocator, context, &seal, "what a fine day", 15, NULL) != KIN_OK) return false;
    if (kin_sealed_read(&t->allocator, context, &seal, &data, &size, NULL) != KIN_OK) return false;
    kin_free(&t->allocator, data, size);
    return true;
}

static void failing_allocations_are_borne(test* t)
{
    folder f = folder_begin(t);
    char path[512];
    snprintf(path, sizeof path, "%s/a", f.path);
    test_fail_each_allocation(t, write_and_read, path);
    folder_end(&f);
}

TEST_MAIN("io/sealed", TEST(what_is_sealed_is_read), TEST(damage_is_seen), TEST(foreign_files_are_refused), TEST(sizes_are_not_believed),
          TEST(failing_allocations_are_borne))
