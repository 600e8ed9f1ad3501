/* cache_test.c - frames on disk: the same bits back, what stands still stored once, and no damaged file believed. */
#include "io/cache.h"
#include "io/frame_code.h"
#include "io/sealed.h"
#include "unit/io/folder.h"
#include "unit/io/stock_frame.h"

static const kin_seal frame_seal = {"KINFRAME", 5, "a frame"};

static void write_frames(test* t, const char* path, uint64_t from, uint64_t to)
{
    kin_error error = {0};
    kin_capture capture;
    kin_capture_init(&capture, &t->allocator);
    kin_cache* cache = NULL;
    CHECK(t, kin_cache_create(&t->allocator, path, from, &cache, &error) == KIN_OK);
    for (uint64_t i = from; cache != NULL && i < to; ++i) {
        CHECK(t, kin_cache_write(cache, stock_frame(&capture, i), &error) == KIN_OK);
        EQUAL(t, kin_cache_frame_count(cache), i + 1);
    }
    TEXT(t, error.message, "");
    kin_cache_close(cache);
    kin_capture_term(&capture);
}

static void check_frames(test* t, const char* path, uint64_t count)
{
    kin_error error = {0};
    kin_capture capture;
    kin_capture_init(&capture, &t->allocator);
    kin_cache* cache = NULL;
    const kin_frame* frame;
    CHECK(t, kin_cache_open(&t->allocator, path, &cache, &error) == KIN_OK);
    EQUAL(t, kin_cache_frame_count(cache), count);
    for (uint64_t i = 0; i < 2 * count; ++i) {
        uint64_t index = i * 5 % count; /* in any order */
        CHECK(t, kin_cache_read(cache, index, &frame, &error) == KIN_OK && same_frame(frame, stock_frame(&capture, index)));
    }
    CHECK(t, kin_cache_read(cache, count, &frame, &error) == KIN_ERROR_ARGUMENT);
    kin_cache_close(cache);
    kin_capture_term(&capture);
}

static void frames_come_back_bit_for_bit(test* t)
{
    folder f = folder_begin(t);
    write_frames(t, in(&f, "frames"), 0, 7);
    check_frames(t, in(&f, "frames"), 7);
    folder_end(&f);
}

static void an_empty_frame_comes_back(test* t)
{
    folder f = folder_begin(t);
    kin_cache* cache;
    const kin_frame* frame;
    CHECK(t, kin_cache_create(&t->allocator, in(&f, "frames"), 0, &cache, NULL) == KIN_OK);
    CHECK(t, kin_cache_write(cache, &(kin_frame){.time = -1}, NULL) == KIN_OK);
    CHECK(t, kin_cache_read(cache, 0, &frame, NULL) == KIN_OK && frame->layer_count == 0 && frame->time == -1);
    kin_cache_close(cache);
    kin_cache_close(NULL);
    folder_end(&f);
}

/* Four arrays over 4 KB stand still: velocity (ids are sharable too), ground's vertices and triangles. Frame 0 holds them, frame 1 on refers. */
static void what_stands_still_is_stored_once(test* t)
{
    folder f = folder_begin(t);
    struct stat first, later;
    write_frames(t, in(&f, "frames"), 0, 5);
    EQUAL(t, file_count(in(&f, "frames/arrays")), 4);
    CHECK(t, stat(in(&f, "frames/000000.kf"), &first) == 0 && stat(in(&f, "frames/000004.kf"), &later) == 0);
    test_check(t, 3 * later.st_size < 2 * first.st_size, __FILE__, __LINE__, "frame 4 has %ld bytes, frame 0 %ld", (long)later.st_size, (long)first.st_size);
    EQUAL(t, file_count(in(&f, "frames")), 6);
    folder_end(&f);
}

/* A sum that any file written anew would change. */
static uint64_t inodes(const char* path)
{
    uint64_t sum = 0;
    DIR* dir = opendir(path);
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;) sum += kin_file_is_beside(entry->d_name) ? 0 : entry->d_ino;
    closedir(dir);
    return sum;
}

static void a_resumed_cache_writes_the_same_files(test* t)
{
    folder f = folder_begin(t);
    write_frames(t, in(&f, "straight"), 0, 8);
    write_frames(t, in(&f, "broken"), 0, 7);
    uint64_t arrays = inodes(in(&f, "broken/arrays"));
    bytes_write(t, in(&f, "broken/000007.kf.tmp.1"), "half", 4);
    bytes_write(t, in(&f, "broken/arrays/0123456789abcdef.ka.tmp.1"), "half", 4);
    write_frames(t, in(&f, "broken"), 3, 8);
    EQUAL(t, file_count(in(&f, "broken")), 9);
    EQUAL(t, file_count(in(&f, "broken/arrays")), 4);
    CHECK(t, inodes(in(&f, "broken/arrays")) == arrays); /* written once */
    for (int i = 0; i < 8; ++i) {
        char a[64], b[64];
        snprintf(a, sizeof a, "straight/%06d.kf", i);
        snprintf(b, sizeof b, "broken/%06d.kf", i);
        CHECK(t, bytes_equal_files(t, in(&f, a), in(&f, b)));
    }
    check_frames(t, in(&f, "broken"), 8);
    write_frames(t, in(&f, "broken"), 0, 1); /* afresh: nothing of the old ones stays */
    EQUAL(t, file_count(in(&f, "broken")), 2);
    EQUAL(t, file_count(in(&f, "broken/arrays")), 0);
    folder_end(&f);
}

static void a_bad_shared_array_is_written_anew(test* t)
{
    folder f = folder_begin(t);
    write_frames(t, in(&f, "frames"), 0, 3);
    DIR* dir = opendir(in(&f, "frames/arrays"));
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;) {
        char name[600];
        snprintf(name, sizeof name, "frames/arrays/%s", entry->d_name);
        if (entry->d_name[0] != '.') bytes_write(t, in(&f, name), "rot", 3);
    }
    closedir(dir);
    write_frames(t, in(&f, "frames"), 1, 3);
    check_frames(t, in(&f, "frames"), 3);
    folder_end(&f);
}

static void gaps_are_refused(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_cache* cache;
    write_frames(t, in(&f, "frames"), 0, 3);
    CHECK(t, kin_cache_create(&t->allocator, in(&f, "frames"), 5, &cache, &error) == KIN_ERROR_FORMAT && cache == NULL);
    HAS(t, error.message, "frame 3 is missing");
    CHECK(t, kin_cache_create(&t->allocator, in(&f, "frames"), 2, &cache, &error) == KIN_OK);
    CHECK(t, kin_cache_write(cache, &(kin_frame){.index = 3}, &error) == KIN_ERROR_ARGUMENT);
    kin_cache_close(cache);
    folder_end(&f);
}

static void folders_that_cannot_be_used_are_named(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_cache* cache;
    bytes_write(t, in(&f, "file"), "x", 1);
    CHECK(t, kin_cache_create(&t->allocator, in(&f, "file/frames"), 0, &cache, &error) == KIN_ERROR_FILE && cache == NULL);
    HAS(t, error.where, "/file");
    CHECK(t, kin_cache_open(&t->allocator, in(&f, "none"), &cache, &error) == KIN_ERROR_FILE && cache == NULL);
    HAS(t, error.message, "no frames here");
    CHECK(t, kin_cache_create(&t->allocator, "/proc/kinema/frames", 0, &cache, &error) == KIN_ERROR_FILE);
    folder_end(&f);
}

/* context: the cache's folder; its frame 1 is read. */
static bool reads(test* t, void* context, const char* path)
{
    (void)path;
    kin_error error = {0};
    kin_cache* cache;
    const kin_frame* frame;
    CHECK(t, kin_cache_open(&t->allocator, context, &cache, &error) == KIN_OK);
    kin_result result = kin_cache_read(cache, 1, &frame, &error);
    CHECK(t, result == KIN_OK || (frame == NULL && result == KIN_ERROR_FORMAT && error.where[0] != 0));
    kin_cache_close(cache);
    return result == KIN_OK;
}

static void damaged_files_are_refused(test* t)
{
    folder f = folder_begin(t);
    char frames[512];
    snprintf(frames, sizeof frames, "%s/frames", f.path);
    write_frames(t, frames, 0, 2);
    damage_file(t, in(&f, "frames/000001.kf"), 400, reads, frames);
    DIR* dir = opendir(in(&f, "frames/arrays"));
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;) {
        char name[600];
        snprintf(name, sizeof name, "frames/arrays/%s", entry->d_name);
        if (entry->d_name[0] != '.') damage_file(t, in(&f, name), 100, reads, frames);
    }
    closedir(dir);
    folder_end(&f);
}

static void misplaced_files_are_refused(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_cache* cache;
    const kin_frame* frame;
    write_frames(t, in(&f, "frames"), 0, 3);
    CHECK(t, rename(in(&f, "frames/000002.kf"), in(&f, "frames/000001.kf")) == 0);
    CHECK(t, kin_cache_open(&t->allocator, in(&f, "frames"), &cache, &error) == KIN_OK);
    CHECK(t, kin_cache_read(cache, 1, &frame, &error) == KIN_ERROR_FORMAT);
    HAS(t, error.message, "this is frame 2");
    CHECK(t, kin_cache_read(cache, 0, &frame, &error) == KIN_OK); /* the others still do */
    kin_cache_close(cache);
    folder_end(&f);
}

static bool all_data_is_there(test* t, const kin_frame* frame)
{
    bool there = true;
    for (uint32_t i = 0; i < frame->layer_count; ++i) {
        const kin_layer* layer = &frame->layers[i];
        CHECK(t, memchr(layer->name, 0, sizeof layer->name) != NULL);
        for (uint32_t k = 0; k < layer->array_count; ++k) {
            CHECK(t, memchr(layer->arrays[k].name, 0, sizeof layer->arrays[k].name) != NULL);
            there = there && layer->arrays[k].data != NULL;
        }
    }
    return there;
}

static bool decodes(test* t, kin_arena* arena, const uint8_t* data, size_t size)
{
    kin_frame frame;
    kin_arena_reset(arena);
    uint8_t* copy = malloc(size); /* of the exact size: a sanitizer sees a byte too far */
    memcpy(copy, data, size);
    kin_result result = kin_frame_decode(arena, copy, size, "frame", &frame, NULL);
    if (result == KIN_OK && all_data_is_there(t, &frame)) result = kin_frame_check(&frame, "frame", NULL);
    CHECK(t, result == KIN_OK || result == KIN_ERROR_FORMAT);
    free(copy);
    return result == KIN_OK;
}

/* Damage under a checksum that was made to fit: any byte of the tables, changed several ways, must not lead outside the data. */
static void lies_in_the_table_do_no_harm(test* t)
{
    folder f = folder_begin(t);
    write_frames(t, in(&f, "frames"), 0, 1);
    uint8_t* data;
    size_t size;
    kin_arena arena;
    kin_arena_init(&arena, &t->allocator);
    CHECK(t, kin_sealed_read(&t->allocator, in(&f, "frames/000000.kf"), &frame_seal, &data, &size, NULL) == KIN_OK);
    CHECK(t, decodes(t, &arena, data, size));
    const uint8_t changes[] = {0x01, 0x80, 0xFF};
    int refused = 0;
    for (size_t i = 0; i < 3 * 2000; ++i) {
        data[i / 3] ^= changes[i % 3];
        refused += !decodes(t, &arena, data, size);
        data[i / 3] ^= changes[i % 3];
    }
    test_check(t, refused > 500, __FILE__, __LINE__, "only %d were refused", refused);
    for (size_t cut = 1; cut < size; cut += size / 500) CHECK(t, !decodes(t, &arena, data, cut));
    memset(memmem(data, size, "position", 8), 'x', 24); /* a name without an end */
    CHECK(t, !decodes(t, &arena, data, size));
    kin_arena_term(&arena);
    kin_free(&t->allocator, data, size);
    folder_end(&f);
}

static void frames_that_make_no_sense_are_not_written(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_cache* cache;
    float x[6] = {0};
    uint32_t triangle[3] = {0, 1, 2}; /* of two vertices */
    kin_array arrays[3] = {{.name = "position", .type = KIN_F32, .width = 3, .count = 2, .data = x},
                           {.name = "triangle", .type = KIN_U32, .width = 3, .count = 1, .data = triangle},
                           {.name = "normal", .type = KIN_F32, .width = 3, .count = 1, .data = x}};
    kin_layer layer = {.name = "bad", .kind = KIN_LAYER_MESH, .array_count = 2, .arrays = arrays};
    kin_frame frame = {.layer_count = 1, .layers = &layer};
    CHECK(t, kin_cache_create(&t->allocator, in(&f, "frames"), 0, &cache, &error) == KIN_OK);
    CHECK(t, kin_cache_write(cache, &frame, &error) == KIN_ERROR_FORMAT);
    HAS(t, error.message, "names a vertex that is not there");
    triangle[2] = 0;
    layer.array_count = 3;
    CHECK(t, kin_cache_write(cache, &frame, &error) == KIN_ERROR_FORMAT);
    HAS(t, error.message, "normal of layer bad has 1 rows, and position has 2");
    layer.array_count = 1;
    CHECK(t, kin_cache_write(cache, &frame, &error) == KIN_ERROR_FORMAT);
    HAS(t, error.message, "no triangle");
    arrays[0].width = 2;
    layer.kind = KIN_LAYER_POINTS;
    CHECK(t, kin_cache_write(cache, &frame, &error) == KIN_ERROR_FORMAT);
    HAS(t, error.message, "wrong type or width");
    EQUAL(t, file_count(in(&f, "frames")), 1);
    kin_cache_close(cache);
    folder_end(&f);
}

/* Sizes that say how many rows there are: of pictures, of voxels, of instances. */
static void sizes_must_fit_their_rows(test* t)
{
    kin_error error = {0};
    float x[24] = {0};
    uint32_t sizes[3] = {2, 3, 4};
    kin_array voxels[3] = {{.name = "dims", .type = KIN_U32, .width = 3, .count = 1, .data = sizes},
                           {.name = "box", .type = KIN_F32, .width = 3, .count = 2, .data = x},
                           {.name = "density", .type = KIN_F32, .width = 1, .count = 24, .data = x}};
    kin_layer layer = {.name = "smoke", .kind = KIN_LAYER_VOLUME, .array_count = 3, .arrays = voxels};
    kin_frame frame = {.layer_count = 1, .layers = &layer};
    EQUAL(t, kin_frame_check(&frame, "", &error), KIN_OK);
    sizes[2] = 5;
    EQUAL(t, kin_frame_check(&frame, "", &error), KIN_ERROR_FORMAT);
    HAS(t, error.message, "density of layer smoke has 24 rows, and dims wants 30");
    sizes[0] = sizes[1] = sizes[2] = UINT32_MAX;
    EQUAL(t, kin_frame_check(&frame, "", &error), KIN_ERROR_FORMAT);
    voxels[1].count = 1;
    EQUAL(t, kin_frame_check(&frame, "", &error), KIN_ERROR_FORMAT);
    HAS(t, error.message, "box of layer smoke has 1 rows, and it wants 2");
    kin_array sprites[4] = {{.name = "position", .type = KIN_F32, .width = 3, .count = 2, .data = x},
                            {.name = "radius", .type = KIN_F32, .width = 1, .count = 2, .data = x},
                            {.name = "texture", .type = KIN_F32, .width = 4, .count = 6, .data = x},
                            {.name = "texture_size", .type = KIN_U32, .width = 2, .count = 1, .data = (uint32_t[2]){2, 3}}};
    layer = (kin_layer){.name = "flames", .kind = KIN_LAYER_SPRITES, .array_count = 4, .arrays = sprites};
    EQUAL(t, kin_frame_check(&frame, "", &error), KIN_OK);
    sprites[2].count = 5;
    EQUAL(t, kin_frame_check(&frame, "", &error), KIN_ERROR_FORMAT);
    HAS(t, error.message, "texture_size wants 6");
    layer.array_count = 3; /* a picture without a size */
    EQUAL(t, kin_frame_check(&frame, "", &error), KIN_ERROR_FORMAT);
    strcpy(sprites[2].name, "texture_size"); /* a size without a picture */
    sprites[2] = sprites[3];
    EQUAL(t, kin_frame_check(&frame, "", &error), KIN_ERROR_FORMAT);
    HAS(t, error.message, "no texture");
    kin_array mesh[4] = {{.name = "position", .type = KIN_F32, .width = 3, .count = 3, .data = x},
                         {.name = "triangle", .type = KIN_U32, .width = 3, .count = 0, .data = x},
                         {.name = "pose", .type = KIN_F32, .width = 7, .count = 2, .data = x},
                         {.name = "scale", .type = KIN_F32, .width = 1, .count = 3, .data = x}};
    layer = (kin_layer){.name = "leaves", .kind = KIN_LAYER_MESH, .array_count = 4, .arrays = mesh};
    EQUAL(t, kin_frame_check(&frame, "", &error), KIN_ERROR_FORMAT);
    HAS(t, error.message, "scale of layer leaves has 3 rows, and pose has 2");
    layer.kind = (kin_layer_kind)(KIN_LAYER_ISOSURFACE + 1);
    EQUAL(t, kin_frame_check(&frame, "", &error), KIN_ERROR_FORMAT);
    HAS(t, error.message, "unknown kind");
}

static void a_full_disk_is_named_and_leaves_no_half_frame(test* t)
{
    folder f = folder_begin(t);
    tiny_disk disk = tiny_disk_begin(&f, "size=64k");
    if (disk.mounted) {
        kin_error error = {0};
        kin_capture capture;
        kin_cache* cache;
        char path[600];
        snprintf(path, sizeof path, "%s/frames", disk.path);
        kin_capture_init(&capture, &t->allocator);
        CHECK(t, kin_cache_create(&t->allocator, path, 0, &cache, &error) == KIN_OK);
        kin_result result = KIN_OK;
        uint64_t written = 0;
        for (; written < 100 && result == KIN_OK; ++written) result = kin_cache_write(cache, stock_frame(&capture, written), &error);
        CHECK(t, result == KIN_ERROR_FILE && written > 1);
        HAS(t, error.message, "No space left");
        HAS(t, error.where, path);
        EQUAL(t, kin_cache_frame_count(cache), written - 1);
        kin_cache_close(cache);
        kin_capture_term(&capture);
        check_frames(t, path, written - 1);
    }
    tiny_disk_end(t, &disk);
    folder_end(&f);
}

static bool use_with_faults(test* t, void* context)
{
    kin_capture capture;
    kin_capture_init(&capture, &t->allocator);
    kin_cache* cache = NULL;
    kin_result result = kin_cache_create(&t->allocator, context, 0, &cache, NULL);
    for (uint64_t i = 0; i < 3 && result == KIN_OK; ++i) {
        const kin_frame* frame = stock_frame(&capture, i);
        result = frame != NULL ? kin_cache_write(cache, frame, NULL) : KIN_ERROR_MEMORY;
    }
    kin_cache_close(cache);
    cache = NULL;
    const kin_frame* frame;
    if (result == KIN_OK) result = kin_cache_create(&t->allocator, context, 2, &cache, NULL);
    if (result == KIN_OK) result = kin_cache_read(cache, 1, &frame, NULL);
    kin_cache_close(cache);
    kin_capture_term(&capture);
    return result == KIN_OK;
}

static void failing_allocations_are_borne(test* t)
{
    folder f = folder_begin(t);
    char frames[512];
    snprintf(frames, sizeof frames, "%s/frames", f.path);
    test_fail_each_allocation(t, use_with_faults, frames);
    folder_end(&f);
}

TEST_MAIN("io/cache", TEST(frames_come_back_bit_for_bit), TEST(an_empty_frame_comes_back), TEST(what_stands_still_is_stored_once),
          TEST(a_resumed_cache_writes_the_same_files), TEST(a_bad_shared_array_is_written_anew), TEST(gaps_are_refused),
          TEST(folders_that_cannot_be_used_are_named), TEST(damaged_files_are_refused), TEST(misplaced_files_are_refused), TEST(lies_in_the_table_do_no_harm),
          TEST(frames_that_make_no_sense_are_not_written), TEST(sizes_must_fit_their_rows), TEST(a_full_disk_is_named_and_leaves_no_half_frame),
          TEST(failing_allocations_are_borne))
