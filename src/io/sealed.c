/* sealed.c - compress and seal; check and open. */
#include "io/sealed.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/file.h"
#include <inttypes.h>
#include <string.h>
#include <zstd.h>

enum { LEVEL = 1 }; /* floats of a simulation gain little from more */

typedef struct head {
    char magic[8];
    uint32_t version, zero;
    uint64_t size, packed_size;
} head;

_Static_assert(sizeof(head) == 32, "the head of a file has no padding");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian");

enum { TAIL_SIZE = sizeof(uint64_t) };

kin_result kin_sealed_write(const kin_allocator* allocator, const char* path, const kin_seal* seal, const void* data, size_t size, kin_error* error)
{
    size_t room = sizeof(head) + ZSTD_compressBound(size) + TAIL_SIZE;
    uint8_t* bytes = kin_alloc(allocator, room);
    if (bytes == NULL) return kin_fail_memory(error, seal->what, room);
    size_t packed = ZSTD_compress(bytes + sizeof(head), room - sizeof(head) - TAIL_SIZE, data, size, LEVEL);
    kin_result result = KIN_OK;
    if (ZSTD_isError(packed)) {
        result = kin_fail(error, KIN_ERROR_MEMORY, path, "cannot compress %s: %s", seal->what, ZSTD_getErrorName(packed));
    } else {
        head h = {.version = seal->version, .size = size, .packed_size = packed};
        memcpy(h.magic, seal->magic, sizeof h.magic);
        memcpy(bytes, &h, sizeof h);
        uint64_t checksum = kin_hash(bytes, sizeof h + packed);
        memcpy(bytes + sizeof h + packed, &checksum, sizeof checksum);
        result = kin_file_write(path, bytes, sizeof h + packed + TAIL_SIZE, error);
    }
    kin_free(allocator, bytes, room);
    return result;
}

static kin_result check(const char* path, const kin_seal* seal, const char* file, size_t file_size, head* h, kin_error* error)
{
    size_t magic_size = file_size < sizeof h->magic ? file_size : sizeof h->magic;
    if (file_size == 0) return kin_fail(error, KIN_ERROR_FORMAT, path, "the file is empty");
    if (memcmp(file, seal->magic, magic_size) != 0) return kin_fail(error, KIN_ERROR_FORMAT, path, "this is not %s of kinema", seal->what);
    if (file_size < sizeof *h + TAIL_SIZE) return kin_fail(error, KIN_ERROR_FORMAT, path, "the file is cut: it has %zu bytes", file_size);
    memcpy(h, file, sizeof *h);
    if (h->version != seal->version) {
        return kin_fail(error, KIN_ERROR_FORMAT, path, "this is %s of version %" PRIu32 ", and only %" PRIu32 " can be read", seal->what, h->version,
                        seal->version);
    }
    uint64_t rest = file_size - sizeof *h - TAIL_SIZE;
    if (h->packed_size > rest) return kin_fail(error, KIN_ERROR_FORMAT, path, "the file is cut: %" PRIu64 " bytes are missing", h->packed_size - rest);
    uint64_t checksum;
    memcpy(&checksum, file + file_size - TAIL_SIZE, sizeof checksum);
    if (h->packed_size != rest || h->zero != 0 || kin_hash(file, file_size - TAIL_SIZE) != checksum) {
        return kin_fail(error, KIN_ERROR_FORMAT, path, "the file is corrupt: its checksum does not match");
    }
    return KIN_OK;
}

static kin_result unpack(const kin_allocator* allocator, const char* path, const kin_seal* seal, const head* h, const char* packed, uint8_t** data,
                         kin_error* error)
{
    size_t packed_size = (size_t)h->packed_size, size = (size_t)h->size;
    if (h->size == 0 || ZSTD_getFrameContentSize(packed, packed_size) != h->size) {
        return kin_fail(error, KIN_ERROR_FORMAT, path, "the file is corrupt: its size does not match");
    }
    if (size > kin_memory_available()) return kin_fail_memory(error, seal->what, size);
    uint8_t* bytes = kin_alloc(allocator, size);
    if (bytes == NULL) return kin_fail_memory(error, seal->what, size);
    size_t unpacked = ZSTD_decompress(bytes, size, packed, packed_size);
    if (ZSTD_isError(unpacked) || unpacked != size) {
        kin_free(allocator, bytes, size);
        return kin_fail(error, KIN_ERROR_FORMAT, path, "the file is corrupt: it does not unpack");
    }
    *data = bytes;
    return KIN_OK;
}

kin_result kin_sealed_read(const kin_allocator* allocator, const char* path, const kin_seal* seal, uint8_t** data, size_t* size, kin_error* error)
{
    *data = NULL;
    *size = 0;
    char* file;
    size_t file_size;
    kin_result result = kin_file_read(allocator, path, kin_memory_available(), &file, &file_size, error);
    if (result != KIN_OK) return result;
    head h;
    result = check(path, seal, file, file_size, &h, error);
    if (result == KIN_OK) result = unpack(allocator, path, seal, &h, file + sizeof h, data, error);
    if (result == KIN_OK) *size = (size_t)h.size;
    kin_free(allocator, file, file_size + 1);
    return result;
}
