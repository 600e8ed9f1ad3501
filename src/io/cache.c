/* cache.c - the folder of frames. Writing looks one frame back: an array over 4 KB that is the same as in the frame before moves to a file of its own,
 * to which this and later frames refer; so what stands still costs its bytes twice, however long the run, and a resumed run, which reads one frame
 * back too, writes the same files as an unbroken one. Reading keeps the shared arrays of the last frame, as the next one wants most of them again. */
#include "io/cache.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "io/array_file.h"
#include "io/file.h"
#include "io/frame_check.h"
#include "io/frame_code.h"
#include "io/sealed.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const kin_seal frame_seal = {"KINFRAME", 5, "a frame"};

enum { SHARE_SIZE = 4096 }; /* bytes: smaller arrays are not worth a file */

/* An array of the last frame written. */
typedef struct seen {
    uint64_t hash;
    bool shared; /* its file was written, or found good, in this session */
} seen;

typedef struct shared_array {
    uint64_t hash;
    kin_array_memory memory;
    bool used; /* by the frame being read */
} shared_array;

struct kin_cache {
    kin_allocator allocator;
    char folder[KIN_PATH_SIZE];
    char arrays_folder[KIN_PATH_SIZE];
    bool writing;
    uint64_t frame_count;
    /* writing */
    seen* last;
    size_t last_count, last_capacity;
    seen* next;
    size_t next_capacity;
    bool* elsewhere;
    size_t elsewhere_capacity;
    kin_frame_bytes bytes;
    /* reading */
    kin_frame frame;
    kin_arena arena;
    uint8_t* frame_data;
    size_t frame_data_size;
    shared_array* shared;
    size_t shared_count, shared_capacity;
};

/* ---- the folder ---- */

static kin_result frame_path(const kin_cache* cache, uint64_t index, char* path, kin_error* error)
{
    char name[40];
    snprintf(name, sizeof name, "%06" PRIu64 ".kf", index);
    return kin_path_make(path, cache->folder, name, error);
}

static bool frame_from(void* context, const char* name)
{
    const uint64_t* from = context;
    size_t digits = strspn(name, "0123456789");
    return digits >= 6 && digits < 20 && strcmp(name + digits, ".kf") == 0 && strtoull(name, NULL, 10) >= *from;
}

static uint64_t count_frames(const kin_cache* cache)
{
    char path[KIN_PATH_SIZE];
    uint64_t count = 0;
    while (frame_path(cache, count, path, NULL) == KIN_OK && kin_file_exists(path)) ++count;
    return count;
}

static kin_result make(const kin_allocator* allocator, const char* folder, bool writing, kin_cache** out, kin_error* error)
{
    *out = NULL;
    kin_cache* cache = kin_alloc_zero(allocator, sizeof *cache);
    if (cache == NULL) return kin_fail_memory(error, "a frame cache", sizeof *cache);
    cache->allocator = *allocator;
    cache->writing = writing;
    kin_arena_init(&cache->arena, allocator);
    kin_result result = kin_path_make(cache->arrays_folder, folder, "arrays", error);
    if (result != KIN_OK) {
        kin_cache_close(cache);
        return result;
    }
    strcpy(cache->folder, folder); /* shorter than that */
    *out = cache;
    return KIN_OK;
}

static void release_frame(kin_cache* cache)
{
    kin_free(&cache->allocator, cache->frame_data, cache->frame_data_size);
    cache->frame_data = NULL;
    cache->frame_data_size = 0;
    kin_arena_reset(&cache->arena);
}

static void release_shared(kin_cache* cache, bool unused_only)
{
    size_t kept = 0;
    for (size_t i = 0; i < cache->shared_count; ++i) {
        shared_array* s = &cache->shared[i];
        if (unused_only && s->used) {
            cache->shared[kept++] = *s;
        } else {
            kin_free(&cache->allocator, s->memory.memory, s->memory.memory_size);
        }
    }
    cache->shared_count = kept;
}

void kin_cache_close(kin_cache* cache)
{
    if (cache == NULL) return;
    kin_allocator allocator = cache->allocator;
    release_frame(cache);
    release_shared(cache, false);
    kin_arena_term(&cache->arena);
    kin_free(&allocator, cache->shared, cache->shared_capacity * sizeof *cache->shared);
    kin_free(&allocator, cache->last, cache->last_capacity * sizeof *cache->last);
    kin_free(&allocator, cache->next, cache->next_capacity * sizeof *cache->next);
    kin_free(&allocator, cache->elsewhere, cache->elsewhere_capacity * sizeof *cache->elsewhere);
    kin_free(&allocator, cache->bytes.data, cache->bytes.capacity);
    kin_free(&allocator, cache, sizeof *cache);
}

uint64_t kin_cache_frame_count(const kin_cache* cache) { return cache->frame_count; }

/* ---- reading ---- */

kin_result kin_cache_open(const kin_allocator* allocator, const char* folder, kin_cache** out, kin_error* error)
{
    *out = NULL;
    if (!kin_file_exists(folder)) return kin_fail(error, KIN_ERROR_FILE, folder, "there are no frames here: run a scene into this folder first");
    kin_result result = make(allocator, folder, false, out, error);
    if (result == KIN_OK) (*out)->frame_count = count_frames(*out);
    return result;
}

static shared_array* find_shared(kin_cache* cache, uint64_t hash)
{
    for (size_t i = 0; i < cache->shared_count; ++i) {
        if (cache->shared[i].hash == hash) return &cache->shared[i];
    }
    return NULL;
}

/* Arrays of one hash are of one type and shape: the file says so, and a table that differs is refused. */
static bool fits(const shared_array* s, const kin_array* array) { return s->memory.memory_size == KIN_ALIGNMENT + kin_array_size(array); }

static kin_result fill_shared(kin_cache* cache, kin_array* array, kin_error* error)
{
    shared_array* s = find_shared(cache, array->hash);
    if (s == NULL || !fits(s, array)) {
        if (!kin_reserve(&cache->allocator, (void**)&cache->shared, &cache->shared_capacity, cache->shared_count + 1, sizeof *cache->shared)) {
            return kin_fail_memory(error, "shared arrays", sizeof *s);
        }
        kin_array_memory memory;
        kin_result result = kin_array_file_read(&cache->allocator, cache->arrays_folder, array, &memory, error);
        if (result != KIN_OK) return result;
        s = &cache->shared[cache->shared_count++];
        *s = (shared_array){.hash = array->hash, .memory = memory};
    }
    s->used = true;
    array->data = s->memory.data;
    return KIN_OK;
}

static kin_result fill_all_shared(kin_cache* cache, kin_error* error)
{
    for (size_t i = 0; i < cache->shared_count; ++i) cache->shared[i].used = false;
    for (uint32_t i = 0; i < cache->frame.layer_count; ++i) {
        kin_array* arrays = (kin_array*)cache->frame.layers[i].arrays;
        for (uint32_t k = 0; k < cache->frame.layers[i].array_count; ++k) {
            if (arrays[k].data != NULL) continue;
            kin_result result = fill_shared(cache, &arrays[k], error);
            if (result != KIN_OK) return result;
        }
    }
    release_shared(cache, true);
    return KIN_OK;
}

static kin_result read_frame(kin_cache* cache, uint64_t index, const char* path, kin_error* error)
{
    kin_result result = kin_sealed_read(&cache->allocator, path, &frame_seal, &cache->frame_data, &cache->frame_data_size, error);
    if (result == KIN_OK) result = kin_frame_decode(&cache->arena, cache->frame_data, cache->frame_data_size, path, &cache->frame, error);
    if (result == KIN_OK && cache->frame.index != index) {
        result = kin_fail(error, KIN_ERROR_FORMAT, path, "this is frame %" PRIu64 ": the file was renamed", cache->frame.index);
    }
    if (result == KIN_OK) result = fill_all_shared(cache, error);
    if (result == KIN_OK) result = kin_frame_check(&cache->frame, path, error);
    return result;
}

kin_result kin_cache_read(kin_cache* cache, uint64_t index, const kin_frame** out, kin_error* error)
{
    *out = NULL;
    if (index >= cache->frame_count) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, cache->folder, "there is no frame %" PRIu64 ": %" PRIu64 " were written", index, cache->frame_count);
    }
    release_frame(cache);
    char path[KIN_PATH_SIZE];
    kin_result result = frame_path(cache, index, path, error);
    if (result == KIN_OK) result = read_frame(cache, index, path, error);
    if (result != KIN_OK) {
        release_frame(cache);
        return result;
    }
    *out = &cache->frame;
    return KIN_OK;
}

/* ---- writing ---- */

static size_t array_count(const kin_frame* frame)
{
    size_t count = 0;
    for (uint32_t i = 0; i < frame->layer_count; ++i) count += frame->layers[i].array_count;
    return count;
}

static bool reserve_tables(kin_cache* cache, size_t count)
{
    return kin_reserve(&cache->allocator, (void**)&cache->next, &cache->next_capacity, count, sizeof *cache->next)
           && kin_reserve(&cache->allocator, (void**)&cache->elsewhere, &cache->elsewhere_capacity, count, sizeof *cache->elsewhere);
}

/* Most often an array stands where it stood in the frame before. */
static const seen* find_seen(const kin_cache* cache, uint64_t hash, size_t place)
{
    if (place < cache->last_count && cache->last[place].hash == hash) return &cache->last[place];
    for (size_t i = 0; i < cache->last_count; ++i) {
        if (cache->last[i].hash == hash) return &cache->last[i];
    }
    return NULL;
}

static kin_result share(kin_cache* cache, const kin_array* array, size_t place, kin_error* error)
{
    cache->elsewhere[place] = false;
    cache->next[place] = (seen){.hash = array->hash};
    const seen* before = kin_array_size(array) > SHARE_SIZE ? find_seen(cache, array->hash, place) : NULL;
    if (before == NULL) return KIN_OK;
    kin_result result = before->shared ? KIN_OK : kin_array_file_write(&cache->allocator, cache->arrays_folder, array, error);
    cache->elsewhere[place] = true;
    cache->next[place].shared = true;
    return result;
}

static kin_result share_arrays(kin_cache* cache, const kin_frame* frame, kin_error* error)
{
    size_t count = array_count(frame);
    if (!reserve_tables(cache, count)) return kin_fail_memory(error, "the table of a frame", count * sizeof *cache->next);
    size_t place = 0;
    for (uint32_t i = 0; i < frame->layer_count; ++i) {
        for (uint32_t k = 0; k < frame->layers[i].array_count; ++k) {
            kin_result result = share(cache, &frame->layers[i].arrays[k], place++, error);
            if (result != KIN_OK) return result;
        }
    }
    return KIN_OK;
}

static void remember(kin_cache* cache, size_t count)
{
    seen* last = cache->last;
    size_t capacity = cache->last_capacity;
    cache->last = cache->next;
    cache->last_capacity = cache->next_capacity;
    cache->last_count = count;
    cache->next = last;
    cache->next_capacity = capacity;
}

kin_result kin_cache_write(kin_cache* cache, const kin_frame* frame, kin_error* error)
{
    KIN_ASSERT(cache->writing);
    if (frame->index != cache->frame_count) {
        return kin_fail(error, KIN_ERROR_ARGUMENT, cache->folder, "frame %" PRIu64 " cannot be written: the next one is %" PRIu64, frame->index,
                        cache->frame_count);
    }
    char path[KIN_PATH_SIZE];
    kin_result result = frame_path(cache, frame->index, path, error);
    if (result == KIN_OK) result = kin_frame_check(frame, path, error);
    if (result == KIN_OK) result = share_arrays(cache, frame, error);
    if (result == KIN_OK) result = kin_frame_encode(&cache->allocator, frame, cache->elsewhere, &cache->bytes, error);
    if (result == KIN_OK) result = kin_sealed_write(&cache->allocator, path, &frame_seal, cache->bytes.data, cache->bytes.size, error);
    if (result != KIN_OK) return result;
    remember(cache, array_count(frame));
    cache->frame_count += 1;
    return KIN_OK;
}

/* Goes on where the last frame left off. A frame that does not read is its reader's trouble: sharing then starts anew. */
static kin_result look_back(kin_cache* cache, kin_error* error)
{
    if (cache->frame_count == 0) return KIN_OK;
    const kin_frame* frame;
    kin_error why = {0};
    kin_result result = kin_cache_read(cache, cache->frame_count - 1, &frame, &why);
    if (result == KIN_ERROR_MEMORY && error != NULL) *error = why;
    if (result != KIN_OK) return result == KIN_ERROR_MEMORY ? result : KIN_OK;
    size_t count = array_count(frame), place = 0;
    if (!reserve_tables(cache, count)) return kin_fail_memory(error, "the table of a frame", count * sizeof *cache->next);
    for (uint32_t i = 0; i < frame->layer_count; ++i) {
        for (uint32_t k = 0; k < frame->layers[i].array_count; ++k) cache->next[place++] = (seen){.hash = frame->layers[i].arrays[k].hash};
    }
    remember(cache, count);
    release_frame(cache);
    release_shared(cache, false);
    return KIN_OK;
}

static kin_result prepare(kin_cache* cache, const char* folder, uint64_t from_frame, kin_error* error)
{
    kin_result result = kin_folder_make(cache->arrays_folder, error);
    if (result == KIN_OK) result = kin_folder_remove(folder, frame_from, &from_frame, error);
    if (result == KIN_OK) result = kin_folder_remove(cache->arrays_folder, from_frame == 0 ? kin_array_file_named : NULL, NULL, error);
    if (result != KIN_OK) return result;
    cache->frame_count = count_frames(cache);
    if (cache->frame_count < from_frame) return kin_fail(error, KIN_ERROR_FORMAT, folder, "frame %" PRIu64 " is missing", cache->frame_count);
    return look_back(cache, error);
}

kin_result kin_cache_create(const kin_allocator* allocator, const char* folder, uint64_t from_frame, kin_cache** out, kin_error* error)
{
    kin_result result = make(allocator, folder, true, out, error);
    if (result == KIN_OK) result = prepare(*out, folder, from_frame, error);
    if (result != KIN_OK) {
        kin_cache_close(*out);
        *out = NULL;
    }
    return result;
}
