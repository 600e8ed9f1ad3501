#include "base/alloc.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void default_blocks_are_aligned(test* t)
{
    kin_allocator a = kin_allocator_default();
    for (size_t size = 1; size < 5000; size = size * 3 + 1) {
        void* p = kin_alloc(&a, size);
        CHECK(t, p != NULL && (uintptr_t)p % KIN_ALIGNMENT == 0);
        memset(p, 1, size);
        kin_free(&a, p, size);
    }
    kin_free(&a, NULL, 0);
}

static void nothing_and_too_much_are_null(test* t)
{
    kin_allocator a = kin_allocator_default();
    CHECK(t, kin_alloc(&t->allocator, 0) == NULL);
    EQUAL(t, t->allocations, 0);
    CHECK(t, kin_alloc(&t->allocator, SIZE_MAX) == NULL);
    CHECK(t, kin_alloc(&t->allocator, kin_bytes(SIZE_MAX / 2, 3)) == NULL);
    CHECK(t, a.allocate(a.context, SIZE_MAX - 5, 64) == NULL);
}

static void zeroed_is_zero(test* t)
{
    unsigned char* p = kin_alloc_zero(&t->allocator, 100);
    for (int i = 0; i < 100; ++i) EQUAL(t, p[i], 0);
    kin_free(&t->allocator, p, 100);
    t->fail_after = 0;
    CHECK(t, kin_alloc_zero(&t->allocator, 100) == NULL);
}

static void bytes_saturate(test* t)
{
    CHECK(t, kin_bytes(3, 7) == 21);
    CHECK(t, kin_bytes(0, 7) == 0);
    CHECK(t, kin_bytes(SIZE_MAX, 2) == SIZE_MAX);
    CHECK(t, kin_bytes(SIZE_MAX, 1) == SIZE_MAX);
}

static void reserve_keeps_contents(test* t)
{
    int* data = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 10000; ++i) {
        if (!CHECK(t, kin_reserve(&t->allocator, (void**)&data, &capacity, (size_t)i + 1, sizeof *data))) return;
        data[i] = i;
    }
    for (int i = 0; i < 10000; ++i) EQUAL(t, data[i], i);
    CHECK(t, capacity >= 10000 && capacity <= 15000);
    CHECK(t, t->allocations < 30);
    uint64_t before = t->allocations;
    CHECK(t, kin_reserve(&t->allocator, (void**)&data, &capacity, 10000, sizeof *data));
    EQUAL(t, t->allocations, before);
    CHECK(t, !kin_reserve(&t->allocator, (void**)&data, &capacity, SIZE_MAX / 2, sizeof *data)); /* overflows: refused */
    EQUAL(t, data[9999], 9999);
    kin_free(&t->allocator, data, capacity * sizeof *data);
}

static bool reserve_body(test* t, void* context)
{
    (void)context;
    char* data = NULL;
    size_t capacity = 0;
    bool ok = kin_reserve(&t->allocator, (void**)&data, &capacity, 10, 1) && kin_reserve(&t->allocator, (void**)&data, &capacity, 1000, 1);
    CHECK(t, ok ? capacity >= 1000 : capacity <= 10);
    kin_free(&t->allocator, data, capacity);
    return ok;
}

static void a_tight_array_has_little_to_spare(test* t)
{
    uint64_t* data = NULL;
    size_t capacity = 0;
    uint64_t before = t->allocations;
    for (uint64_t i = 0; i < 10000; ++i) {
        if (!CHECK(t, kin_reserve_tight(&t->allocator, (void**)&data, &capacity, (size_t)i + 1, sizeof *data))) return;
        CHECK(t, capacity <= i + 1 + i / 16 + 64);
        data[i] = i;
    }
    CHECK(t, t->allocations - before < 200); /* still by a factor: 16 ln(10000) and the first few */
    for (uint64_t i = 0; i < 10000; ++i) CHECK(t, data[i] == i);
    CHECK(t, !kin_reserve_tight(&t->allocator, (void**)&data, &capacity, SIZE_MAX / 2, sizeof *data));
    kin_free(&t->allocator, data, capacity * sizeof *data);
}

static void reserve_fails_cleanly(test* t) { test_fail_each_allocation(t, reserve_body, NULL); }

static void this_machine_has_memory(test* t)
{
    size_t available = kin_memory_available();
    CHECK(t, available > 1024 * 1024);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    CHECK(t, available == SIZE_MAX || available <= (size_t)pages * (size_t)page);
}

/* ---- a made up system under a folder ---- */

static void write_file(const char* root, const char* path, const char* text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char* slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; ++slash) {
        *slash = 0;
        mkdir(full, 0777);
        *slash = '/';
    }
    FILE* file = fopen(full, "w");
    if (file == NULL) abort();
    fputs(text, file);
    fclose(file);
}

static void remove_tree(const char* root)
{
    char command[512];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    if (system(command) != 0) abort();
}

static const char* new_root(char* root)
{
    strcpy(root, "/tmp/kinema_alloc_XXXXXX");
    if (mkdtemp(root) == NULL) abort();
    return root;
}

static void no_system_files_mean_unknown(test* t)
{
    char path[64];
    const char* root = new_root(path);
    CHECK(t, kin_memory_available_at(root) == SIZE_MAX);
    write_file(root, "/proc/meminfo", "MemTotal:       100 kB\nMemFree:         10 kB\nMemAvailable:         50 kB\n");
    EQUAL(t, kin_memory_available_at(root), 50 * 1024);
    remove_tree(root);
}

static void tightest_v2_group_counts(test* t)
{
    char path[64];
    const char* root = new_root(path);
    write_file(root, "/proc/meminfo", "MemTotal: 2000000 kB\nMemAvailable:    1000000 kB\n");
    write_file(root, "/proc/self/cgroup", "0::/user.slice/run.scope\n");
    write_file(root, "/sys/fs/cgroup/user.slice/run.scope/memory.max", "max\n");
    write_file(root, "/sys/fs/cgroup/user.slice/run.scope/memory.current", "5000\n");
    CHECK(t, kin_memory_available_at(root) == 1000000ull * 1024);
    write_file(root, "/sys/fs/cgroup/user.slice/memory.max", "1000000\n");
    write_file(root, "/sys/fs/cgroup/user.slice/memory.current", "400000\n");
    EQUAL(t, kin_memory_available_at(root), 600000);
    write_file(root, "/sys/fs/cgroup/user.slice/memory.stat", "anon 1\nfile 250000\nactive_file 5\ninactive_file 100000\n");
    EQUAL(t, kin_memory_available_at(root), 700000); /* file pages are dropped on demand */
    write_file(root, "/sys/fs/cgroup/user.slice/run.scope/memory.max", "4000\n");
    EQUAL(t, kin_memory_available_at(root), 0); /* already past it */
    remove_tree(root);
}

static void v1_group_counts_and_host_paths_fall_back_to_the_mount(test* t)
{
    char path[64];
    const char* root = new_root(path);
    write_file(root, "/proc/meminfo", "MemAvailable: 1000000 kB\n");
    write_file(root, "/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/abc\n0::/\n");
    write_file(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file(root, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "7000\n");
    CHECK(t, kin_memory_available_at(root) == 1000000ull * 1024);
    write_file(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "10000\n");
    write_file(root, "/sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 2000\n");
    EQUAL(t, kin_memory_available_at(root), 5000);
    write_file(root, "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "900\n");
    write_file(root, "/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "100\n");
    EQUAL(t, kin_memory_available_at(root), 800);
    write_file(root, "/proc/self/cgroup", "nonsense\n:\n");
    CHECK(t, kin_memory_available_at(root) == 1000000ull * 1024);
    remove_tree(root);
}

TEST_MAIN("base/alloc", TEST(default_blocks_are_aligned), TEST(nothing_and_too_much_are_null), TEST(zeroed_is_zero), TEST(bytes_saturate),
          TEST(reserve_keeps_contents), TEST(a_tight_array_has_little_to_spare), TEST(reserve_fails_cleanly), TEST(this_machine_has_memory),
          TEST(no_system_files_mean_unknown), TEST(tightest_v2_group_counts), TEST(v1_group_counts_and_host_paths_fall_back_to_the_mount))
