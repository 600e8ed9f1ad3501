/* folder.h - a folder of its own for each test, gone at its end, and small file work. */
#pragma once
#include "base/alloc.h"
#include "io/file.h"
#include "support/test.h"
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct folder {
    char path[256];
} folder;

static inline folder folder_begin(test* t)
{
    folder f;
    const char* memory = "/dev/shm"; /* where an fsync costs nothing */
    snprintf(f.path, sizeof f.path, "%s/io_test_XXXXXX", access(memory, W_OK) == 0 ? memory : KIN_BINARY_DIR);
    CHECK(t, mkdtemp(f.path) != NULL);
    return f;
}

static inline int folder_remove_one(const char* path, const struct stat* info, int flag, struct FTW* walk)
{
    (void)info;
    (void)flag;
    (void)walk;
    return remove(path);
}

static inline void folder_end(folder* f) { nftw(f->path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS); }

/* The path of a name in the folder. A ring of texts, so that several can be used in one expression. */
static inline const char* in(const folder* f, const char* name)
{
    static char texts[8][1024];
    static int next;
    char* text = texts[next++ % 8];
    snprintf(text, 1024, "%s/%s", f->path, name);
    return text;
}

typedef struct bytes {
    char* data;
    size_t size;
} bytes;

static inline bytes bytes_read(test* t, const char* path)
{
    bytes b = {0};
    kin_allocator plain = kin_allocator_default();
    CHECK(t, kin_file_read(&plain, path, SIZE_MAX / 4, &b.data, &b.size, NULL) == KIN_OK);
    return b;
}

static inline void bytes_free(bytes* b)
{
    free(b->data);
    *b = (bytes){0};
}

/* Not through kin_file_write: tests make bad files with it, too. */
static inline void bytes_write(test* t, const char* path, const void* data, size_t size)
{
    FILE* file = fopen(path, "wb");
    CHECK(t, file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static inline bool bytes_equal_files(test* t, const char* a, const char* b)
{
    bytes x = bytes_read(t, a), y = bytes_read(t, b);
    bool equal = x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
    bytes_free(&x);
    bytes_free(&y);
    return equal;
}

static inline int file_count(const char* path)
{
    DIR* dir = opendir(path);
    if (dir == NULL) return -1;
    int count = 0;
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;) count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

/* Calls fn on every prefix of the file (at most about `most` of them) and on copies with one bit flipped: it must fail each time, and is told what was done. */
typedef bool damaged_fn(test* t, void* context, const char* path); /* true: it read as if nothing was wrong */

static inline void damage_file(test* t, const char* path, size_t most, damaged_fn* reads, void* context)
{
    bytes whole = bytes_read(t, path);
    size_t stride = whole.size / most + 1;
    for (size_t size = 0; size < whole.size; size += stride) {
        bytes_write(t, path, whole.data, size);
        test_check(t, !reads(t, context, path), __FILE__, __LINE__, "%s cut to %zu of %zu bytes was read", path, size, whole.size);
    }
    size_t bits = 8 * whole.size;
    stride = bits / most + 1;
    for (size_t bit = 0; bit < bits; bit += stride) {
        whole.data[bit / 8] ^= (char)(1 << bit % 8);
        bytes_write(t, path, whole.data, whole.size);
        test_check(t, !reads(t, context, path), __FILE__, __LINE__, "%s with bit %zu of %zu flipped was read", path, bit, bits);
        whole.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    bytes_write(t, path, whole.data, whole.size);
    CHECK(t, reads(t, context, path));
    bytes_free(&whole);
}

/* A tiny disk, to be filled, at DIR/disk. mounted is false, with a note, where this process may not mount one. */
typedef struct tiny_disk {
    char path[512];
    bool mounted;
} tiny_disk;

static inline tiny_disk tiny_disk_begin(const folder* f, const char* options)
{
    tiny_disk disk;
    snprintf(disk.path, sizeof disk.path, "%s/disk", f->path);
    disk.mounted = mkdir(disk.path, 0777) == 0 && mount("tmpfs", disk.path, "tmpfs", 0, options) == 0;
    if (!disk.mounted) printf("skipped: cannot mount a tiny tmpfs at %s: %s\n", disk.path, strerror(errno));
    return disk;
}

static inline void tiny_disk_end(test* t, const tiny_disk* disk)
{
    if (disk->mounted) CHECK(t, umount2(disk->path, MNT_DETACH) == 0);
}
