/* file_test.c - whole files: limits, missing ones, and nothing half written under a real name. */
#include "unit/io/folder.h"

static void what_is_written_is_read(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    char* data;
    size_t size;
    CHECK(t, kin_file_write(in(&f, "a"), "one\0two", 7, &error) == KIN_OK);
    CHECK(t, kin_file_read(&t->allocator, in(&f, "a"), 7, &data, &size, &error) == KIN_OK);
    CHECK(t, size == 7 && memcmp(data, "one\0two", 8) == 0); /* with the terminator */
    kin_free(&t->allocator, data, size + 1);
    CHECK(t, kin_file_write(in(&f, "a"), NULL, 0, &error) == KIN_OK);
    CHECK(t, kin_file_read(&t->allocator, in(&f, "a"), 0, &data, &size, &error) == KIN_OK);
    CHECK(t, size == 0 && data[0] == 0);
    kin_free(&t->allocator, data, size + 1);
    EQUAL(t, file_count(f.path), 1);
    folder_end(&f);
}

static void reading_keeps_to_its_limit(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    char* data;
    size_t size;
    bytes_write(t, in(&f, "a"), "12345678", 8);
    CHECK(t, kin_file_read(&t->allocator, in(&f, "a"), 7, &data, &size, &error) == KIN_ERROR_LIMIT);
    CHECK(t, kin_file_read(&t->allocator, "/dev/zero", 100000, &data, &size, &error) == KIN_ERROR_LIMIT); /* endless, and without a size */
    CHECK(t, kin_file_read(&t->allocator, "/proc/self/status", 100000, &data, &size, &error) == KIN_OK);  /* says 0 bytes */
    CHECK(t, size > 100);
    kin_free(&t->allocator, data, size + 1);
    folder_end(&f);
}

static void reading_says_why_not(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    char* data;
    size_t size;
    CHECK(t, kin_file_read(&t->allocator, in(&f, "none"), 100, &data, &size, &error) == KIN_ERROR_FILE);
    HAS(t, error.where, "/none");
    HAS(t, error.message, "No such file");
    CHECK(t, kin_file_read(&t->allocator, f.path, 1 << 20, &data, &size, &error) == KIN_ERROR_FILE);
    HAS(t, error.message, "directory");
    folder_end(&f);
}

static void a_failed_write_leaves_the_old_file(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    bytes_write(t, in(&f, "file"), "old", 3);
    CHECK(t, kin_file_write(in(&f, "file/below"), "x", 1, &error) == KIN_ERROR_FILE);
    HAS(t, error.where, "file/below");
    CHECK(t, mkdir(in(&f, "folder"), 0777) == 0);
    CHECK(t, kin_file_write(in(&f, "folder"), "x", 1, &error) == KIN_ERROR_FILE); /* the rename fails */
    EQUAL(t, file_count(f.path), 2);
    CHECK(t, kin_file_write("/proc/kinema", "x", 1, &error) == KIN_ERROR_FILE);

    kin_file_out out;
    CHECK(t, kin_file_begin(&out, in(&f, "file"), &error) == KIN_OK);
    fputs("half", out.stream);
    CHECK(t, kin_file_end(&out, false, &error) == KIN_OK);
    bytes b = bytes_read(t, in(&f, "file"));
    TEXT(t, b.data, "old");
    bytes_free(&b);
    EQUAL(t, file_count(f.path), 2);
    folder_end(&f);
}

static void a_full_disk_leaves_the_old_file(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    tiny_disk disk = tiny_disk_begin(&f, "size=64k");
    if (disk.mounted) {
        char path[600], big[100000] = {0};
        snprintf(path, sizeof path, "%s/file", disk.path);
        CHECK(t, kin_file_write(path, "old", 3, &error) == KIN_OK);
        CHECK(t, kin_file_write(path, big, sizeof big, &error) == KIN_ERROR_FILE);
        HAS(t, error.where, "/disk/file");
        HAS(t, error.message, "No space left");
        EQUAL(t, file_count(disk.path), 1);
        bytes b = bytes_read(t, path);
        TEXT(t, b.data, "old");
        bytes_free(&b);
    }
    tiny_disk_end(t, &disk);
    folder_end(&f);
}

static void folders_are_made_with_parents(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    CHECK(t, kin_folder_make(in(&f, "a/b//c/"), &error) == KIN_OK);
    CHECK(t, kin_folder_make(in(&f, "a/b/c"), &error) == KIN_OK); /* again */
    CHECK(t, kin_file_exists(in(&f, "a/b/c")));
    bytes_write(t, in(&f, "a/file"), "x", 1);
    CHECK(t, kin_folder_make(in(&f, "a/file"), &error) == KIN_ERROR_FILE);
    CHECK(t, kin_folder_make(in(&f, "a/file/b"), &error) == KIN_ERROR_FILE);
    HAS(t, error.where, "a/file");
    CHECK(t, kin_folder_make("/proc/kinema/a", &error) == KIN_ERROR_FILE);
    folder_end(&f);
}

static void paths_are_joined(test* t)
{
    char out[8], path[KIN_PATH_SIZE], longest[KIN_PATH_SIZE];
    kin_error error = {0};
    CHECK(t, kin_path_join(out, sizeof out, "ab", "cd"));
    TEXT(t, out, "ab/cd");
    CHECK(t, kin_path_join(out, sizeof out, "ab/", "cd"));
    TEXT(t, out, "ab/cd");
    CHECK(t, kin_path_join(out, sizeof out, "", "cd"));
    TEXT(t, out, "cd");
    CHECK(t, !kin_path_join(out, sizeof out, "abcd", "efg"));
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    CHECK(t, kin_path_make(path, longest, "b", &error) == KIN_ERROR_FILE);
    CHECK(t, kin_file_write(longest, "x", 1, &error) == KIN_ERROR_FILE);
    CHECK(t, kin_folder_make(longest, &error) == KIN_ERROR_FILE);
}

static bool is_b(void* context, const char* name)
{
    (void)context;
    return name[0] == 'b';
}

static void what_a_crash_left_beside_is_swept(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    CHECK(t, kin_file_is_beside("a.kf.tmp.123"));
    CHECK(t, !kin_file_is_beside("a.tmp.") && !kin_file_is_beside("a.tmp.x1") && !kin_file_is_beside(".tmp.1") && !kin_file_is_beside("a.tmp"));
    bytes_write(t, in(&f, "a"), "x", 1);
    bytes_write(t, in(&f, "b"), "x", 1);
    bytes_write(t, in(&f, "a.tmp.99"), "x", 1);
    CHECK(t, kin_folder_remove(f.path, NULL, NULL, &error) == KIN_OK);
    EQUAL(t, file_count(f.path), 2);
    CHECK(t, kin_folder_remove(f.path, is_b, NULL, &error) == KIN_OK);
    CHECK(t, kin_file_exists(in(&f, "a")) && !kin_file_exists(in(&f, "b")));
    CHECK(t, kin_folder_remove(in(&f, "none"), is_b, NULL, &error) == KIN_OK);
    CHECK(t, kin_folder_remove(in(&f, "a"), is_b, NULL, &error) == KIN_ERROR_FILE); /* no folder */
    folder_end(&f);
}

static bool read_with_faults(test* t, void* context)
{
    char* data;
    size_t size;
    if (kin_file_read(&t->allocator, context, SIZE_MAX / 4, &data, &size, NULL) != KIN_OK) return false;
    kin_free(&t->allocator, data, size + 1);
    return true;
}

static void reading_bears_failing_allocations(test* t)
{
    char path[] = "/proc/self/status";
    test_fail_each_allocation(t, read_with_faults, path);
}

TEST_MAIN("io/file", TEST(what_is_written_is_read), TEST(reading_keeps_to_its_limit), TEST(reading_says_why_not), TEST(a_failed_write_leaves_the_old_file),
          TEST(a_full_disk_leaves_the_old_file), TEST(folders_are_made_with_parents), TEST(paths_are_joined), TEST(what_a_crash_left_beside_is_swept),
          TEST(reading_bears_failing_allocations))
