/* alloc.c - the default allocator, arrays that grow, and how much memory is left to take. */
#include "base/alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- blocks ---- */

static void* default_allocate(void* context, size_t size, size_t alignment)
{
    (void)context;
    if (size > SIZE_MAX - alignment) return NULL;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment); /* C wants a multiple */
}

static void default_release(void* context, void* memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

kin_allocator kin_allocator_default(void) { return (kin_allocator){NULL, default_allocate, default_release}; }

void* kin_alloc(const kin_allocator* allocator, size_t size)
{
    /* Sizes past PTRDIFF_MAX are products that did not fit (kin_bytes): no allocator need be ready for them. */
    if (size == 0 || size > PTRDIFF_MAX) return NULL;
    return allocator->allocate(allocator->context, size, KIN_ALIGNMENT);
}

void* kin_alloc_zero(const kin_allocator* allocator, size_t size)
{
    void* memory = kin_alloc(allocator, size);
    if (memory != NULL) memset(memory, 0, size);
    return memory;
}

void kin_free(const kin_allocator* allocator, void* memory, size_t size)
{
    if (memory != NULL) allocator->release(allocator->context, memory, size);
}

size_t kin_bytes(size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

static bool grow(const kin_allocator* allocator, void** data, size_t* capacity, size_t wanted, size_t element_size)
{
    void* moved = kin_alloc(allocator, kin_bytes(wanted, element_size));
    if (moved == NULL) return false;
    if (*data != NULL) memcpy(moved, *data, *capacity * element_size);
    kin_free(allocator, *data, *capacity * element_size);
    *data = moved;
    *capacity = wanted;
    return true;
}

bool kin_reserve(const kin_allocator* allocator, void** data, size_t* capacity, size_t count, size_t element_size)
{
    if (count <= *capacity) return true;
    size_t grown = *capacity + *capacity / 2;
    size_t wanted = grown > count ? grown : count;
    if (wanted < 8) wanted = 8; /* the first few would each move the rest */
    return grow(allocator, data, capacity, wanted, element_size);
}

bool kin_reserve_tight(const kin_allocator* allocator, void** data, size_t* capacity, size_t count, size_t element_size)
{
    if (count <= *capacity) return true;
    size_t few = element_size < 256 ? 64 : element_size < 1024 ? 8 : 0; /* small worlds take no last one late; blocks are in many lists */
    return grow(allocator, data, capacity, count + *capacity / 16 + few, element_size);
}

/* ---- what is left ----
 * The least of what the system has available and what each control group above this process still allows. Cached file
 * pages count as used by a group but are dropped on demand, so the inactive ones are added back: a run that has just
 * written gigabytes of frames is not out of memory. */

enum { PATH_SIZE = 4096, FILE_SIZE = 8192 };

typedef struct group_files {
    const char* mount;
    const char* limit;
    const char* used;
    const char* cache; /* the line of memory.stat that says what can be dropped */
} group_files;

static const group_files group_v2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
static const group_files group_v2_beside_v1 = {"/sys/fs/cgroup/unified", "memory.max", "memory.current", "inactive_file"};
static const group_files group_v1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

/* The start of a file as text; false if there is none. */
static bool read_text(const char* path, char* text, size_t size)
{
    FILE* file = fopen(path, "re");
    if (file == NULL) return false;
    size_t length = fread(text, 1, size - 1, file);
    text[length] = 0;
    fclose(file);
    return length > 0;
}

/* The number after `name` at the start of a line. */
static bool find_number(const char* text, const char* name, uint64_t* out)
{
    size_t length = strlen(name);
    for (const char* line = text; line != NULL; line = strchr(line, '\n')) {
        if (*line == '\n') ++line;
        if (strncmp(line, name, length) != 0 || (line[length] != ' ' && line[length] != ':')) continue;
        *out = strtoull(line + length + 1, NULL, 10);
        return true;
    }
    return false;
}

static bool read_number(const char* folder, const char* name, uint64_t* out)
{
    char path[PATH_SIZE], text[64];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
    if (!read_text(path, text, sizeof text) || text[0] < '0' || text[0] > '9') return false; /* "max": no limit here */
    *out = strtoull(text, NULL, 10);
    return true;
}

static uint64_t group_cache(const group_files* files, const char* folder)
{
    char path[PATH_SIZE], text[FILE_SIZE];
    uint64_t cache = 0;
    if (snprintf(path, sizeof path, "%s/memory.stat", folder) >= (int)sizeof path) return 0;
    if (!read_text(path, text, sizeof text) || !find_number(text, files->cache, &cache)) return 0;
    return cache;
}

static uint64_t group_headroom(const group_files* files, const char* folder)
{
    uint64_t limit, used;
    if (!read_number(folder, files->limit, &limit) || !read_number(folder, files->used, &used)) return UINT64_MAX;
    uint64_t cache = group_cache(files, folder);
    uint64_t held = used > cache ? used - cache : 0;
    return limit > held ? limit - held : 0;
}

/* The tightest group from path up to the mount. In a container the path may be the host's: the mount itself is then ours. */
static uint64_t groups_headroom(const group_files* files, const char* root, const char* path)
{
    char folder[PATH_SIZE];
    int mount_length = snprintf(folder, sizeof folder, "%s%s", root, files->mount);
    if (mount_length < 0 || mount_length >= (int)sizeof folder) return UINT64_MAX;
    if (strlen(path) < sizeof folder - (size_t)mount_length) strcpy(folder + mount_length, path);
    uint64_t least = UINT64_MAX;
    for (;;) {
        uint64_t headroom = group_headroom(files, folder);
        if (headroom < least) least = headroom;
        char* slash = strrchr(folder + mount_length, '/');
        if (slash == NULL) return least;
        *slash = 0;
    }
}

static bool lists_memory(const char* controllers)
{
    const char* found = strstr(controllers, "memory");
    return found != NULL && (found == controllers || found[-1] == ',') && (found[6] == 0 || found[6] == ',');
}

/* One line of /proc/self/cgroup: id:controllers:path, cut up in place. */
static uint64_t line_headroom(char* line, const char* root)
{
    char* controllers = strchr(line, ':');
    if (controllers == NULL) return UINT64_MAX;
    char* path = strchr(controllers + 1, ':');
    if (path == NULL) return UINT64_MAX;
    *controllers++ = 0;
    *path++ = 0;
    if (lists_memory(controllers)) return groups_headroom(&group_v1, root, path);
    if (controllers[0] != 0) return UINT64_MAX;
    uint64_t alone = groups_headroom(&group_v2, root, path);
    uint64_t beside = groups_headroom(&group_v2_beside_v1, root, path);
    return alone < beside ? alone : beside;
}

static uint64_t all_groups_headroom(const char* root)
{
    char path[PATH_SIZE], text[FILE_SIZE];
    uint64_t least = UINT64_MAX;
    if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path) return least;
    if (!read_text(path, text, sizeof text)) return least;
    for (char* line = text; line != NULL;) {
        char* end = strchr(line, '\n');
        if (end != NULL) *end = 0;
        uint64_t headroom = line_headroom(line, root);
        if (headroom < least) least = headroom;
        line = end != NULL ? end + 1 : NULL;
    }
    return least;
}

static uint64_t system_headroom(const char* root)
{
    char path[PATH_SIZE], text[FILE_SIZE];
    uint64_t kibibytes;
    if (snprintf(path, sizeof path, "%s/proc/meminfo", root) >= (int)sizeof path) return UINT64_MAX;
    if (!read_text(path, text, sizeof text) || !find_number(text, "MemAvailable", &kibibytes)) return UINT64_MAX;
    return kibibytes * 1024;
}

size_t kin_memory_available_at(const char* root)
{
    uint64_t least = system_headroom(root);
    uint64_t groups = all_groups_headroom(root);
    if (groups < least) least = groups;
    return least < SIZE_MAX ? (size_t)least : SIZE_MAX;
}

size_t kin_memory_available(void) { return kin_memory_available_at(""); }
