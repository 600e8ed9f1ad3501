/* array_file.c - shared arrays: a head of 64 bytes, which keeps the data aligned, then the data. */
#include "io/array_file.h"
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/frame_check.h"
#include "io/sealed.h"
#include <inttypes.h>
#include <string.h>

static const kin_seal array_seal = {"KINARRAY", 1, "an array"};

typedef struct head {
    uint32_t type, width;
    uint64_t count, hash;
    uint64_t zeros[5];
} head;
_Static_assert(sizeof(head) == KIN_ALIGNMENT, "data behind the head is aligned");

static head head_of(const kin_array* array) { return (head){.type = (uint32_t)array->type, .width = array->width, .count = array->count, .hash = array->hash}; }

static kin_result path_of(char* path, const char* folder, uint64_t hash, kin_error* error)
{
    char name[32];
    snprintf(name, sizeof name, "%016" PRIx64 ".ka", hash);
    return kin_path_make(path, folder, name, error);
}

kin_result kin_array_file_read(const kin_allocator* allocator, const char* folder, const kin_array* array, kin_array_memory* out, kin_error* error)
{
    *out = (kin_array_memory){0};
    char path[KIN_PATH_SIZE];
    kin_result result = path_of(path, folder, array->hash, error);
    if (result != KIN_OK) return result;
    uint8_t* bytes;
    size_t size;
    result = kin_sealed_read(allocator, path, &array_seal, &bytes, &size, error);
    if (result != KIN_OK) return result;
    head wanted = head_of(array);
    if (size < sizeof wanted || size - sizeof wanted != kin_array_size(array) || memcmp(bytes, &wanted, sizeof wanted) != 0) {
        kin_free(allocator, bytes, size);
        return kin_fail(error, KIN_ERROR_FORMAT, path, "this is not the array %s that a frame asks for", array->name);
    }
    *out = (kin_array_memory){bytes, size, bytes + sizeof wanted};
    return KIN_OK;
}

static bool already_there(const kin_allocator* allocator, const char* path, const char* folder, const kin_array* array)
{
    if (!kin_file_exists(path)) return false;
    kin_array_memory there;
    if (kin_array_file_read(allocator, folder, array, &there, NULL) != KIN_OK) return false;
    bool same = memcmp(there.data, array->data, kin_array_size(array)) == 0;
    kin_free(allocator, there.memory, there.memory_size);
    return same;
}

kin_result kin_array_file_write(const kin_allocator* allocator, const char* folder, const kin_array* array, kin_error* error)
{
    char path[KIN_PATH_SIZE];
    kin_result result = path_of(path, folder, array->hash, error);
    if (result != KIN_OK || already_there(allocator, path, folder, array)) return result;
    head h = head_of(array);
    size_t size = sizeof h + kin_array_size(array);
    uint8_t* bytes = kin_alloc(allocator, size);
    if (bytes == NULL) return kin_fail_memory(error, "an array", size);
    memcpy(bytes, &h, sizeof h);
    memcpy(bytes + sizeof h, array->data, size - sizeof h);
    result = kin_sealed_write(allocator, path, &array_seal, bytes, size, error);
    kin_free(allocator, bytes, size);
    return result;
}

bool kin_array_file_named(void* context, const char* name)
{
    (void)context;
    return strlen(name) == 19 && strspn(name, "0123456789abcdef") == 16 && strcmp(name + 16, ".ka") == 0;
}
