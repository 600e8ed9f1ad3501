/* export_test.c - points, sprites and fluids as csv. */
#include "io/export.h"
#include "unit/io/folder.h"
#include "unit/io/stock_frame.h"

static const kin_export_format* format_named(const char* name)
{
    for (const kin_export_format* f = kin_export_formats; f->name != NULL; ++f) {
        if (strcmp(f->name, name) == 0) return f;
    }
    return NULL;
}

/* Two points named "a, b" without ids and velocities, then one with both, far from the origin; a sprite, a fluid in its skin, and a volume that is no point. */
static const kin_frame* small_frame(kin_capture* c, uint64_t index)
{
    kin_capture_begin(c, index, 0.5 * (double)index, 0.5, index == 0 ? (kin_vec3){0, 0, 0} : (kin_vec3){1e6, 0, -1e6});
    kin_capture_layer(c, "a, \"b\"", KIN_LAYER_POINTS, &(kin_look){0});
    float* x = kin_capture_array(c, "position", KIN_F32, 3, 2);
    memcpy(x, (float[6]){0.1f, 0.25f, -3, 4, 5, 6}, 6 * sizeof *x);
    kin_capture_layer(c, "sparks", KIN_LAYER_POINTS, &(kin_look){0});
    x = kin_capture_array(c, "position", KIN_F32, 3, 1);
    memcpy(x, (float[3]){0.5f, 0.125f, 0.25f}, 3 * sizeof *x);
    float* v = kin_capture_array(c, "velocity", KIN_F32, 3, 1);
    memcpy(v, (float[3]){1, -2, 1e-3f}, 3 * sizeof *v);
    uint64_t* id = kin_capture_array(c, "id", KIN_U64, 1, 1);
    *id = UINT64_MAX;
    kin_capture_layer(c, "puff", KIN_LAYER_SPRITES, &(kin_look){0});
    x = kin_capture_array(c, "position", KIN_F32, 3, 1);
    memcpy(x, (float[3]){7, 8, 9}, 3 * sizeof *x);
    *(float*)kin_capture_array(c, "radius", KIN_F32, 1, 1) = 1;
    kin_capture_layer(c, "water", KIN_LAYER_MESH, &(kin_look){0}); /* one triangle round one particle */
    memcpy(kin_capture_array(c, "position", KIN_F32, 3, 3), (float[9]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 36);
    memcpy(kin_capture_array(c, "triangle", KIN_U32, 3, 1), (uint32_t[3]){0, 1, 2}, 12);
    memcpy(kin_capture_array(c, "particle_position", KIN_F32, 3, 1), (float[3]){2, 3, 4}, 12);
    memcpy(kin_capture_array(c, "particle_velocity", KIN_F32, 3, 1), (float[3]){-1, 0, 5}, 12);
    *(uint64_t*)kin_capture_array(c, "particle_id", KIN_U64, 1, 1) = 42;
    kin_capture_layer(c, "smoke", KIN_LAYER_VOLUME, &(kin_look){0}); /* has no rows */
    memcpy(kin_capture_array(c, "dims", KIN_U32, 3, 1), (uint32_t[3]){1, 1, 1}, 12);
    memcpy(kin_capture_array(c, "box", KIN_F32, 3, 2), (float[6]){0, 0, 0, 1, 1, 1}, 24);
    *(float*)kin_capture_array(c, "density", KIN_F32, 1, 1) = 1;
    return kin_capture_end(c);
}

static kin_cache* small_cache(test* t, const char* path)
{
    kin_capture capture;
    kin_cache* cache;
    kin_capture_init(&capture, &t->allocator);
    CHECK(t, kin_cache_create(&t->allocator, path, 0, &cache, NULL) == KIN_OK);
    for (uint64_t i = 0; i < 2; ++i) CHECK(t, kin_cache_write(cache, small_frame(&capture, i), NULL) == KIN_OK);
    kin_capture_term(&capture);
    return cache;
}

static void csv_holds_every_point(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_cache* cache = small_cache(t, in(&f, "frames"));
    CHECK(t, format_named("csv")->write(cache, in(&f, "points.csv"), &error) == KIN_OK);
    bytes b = bytes_read(t, in(&f, "points.csv"));
    TEXT(t, b.data,
         "frame,time,system,id,x,y,z,vx,vy,vz\n"
         "0,0,\"a, \"\"b\"\"\",0,0.100000001,0.25,-3,0,0,0\n"
         "0,0,\"a, \"\"b\"\"\",1,4,5,6,0,0,0\n"
         "0,0,sparks,18446744073709551615,0.5,0.125,0.25,1,-2,0.00100000005\n"
         "0,0,puff,0,7,8,9,0,0,0\n"
         "0,0,water,42,2,3,4,-1,0,5\n"
         "1,0.5,\"a, \"\"b\"\"\",0,1000000.1,0.25,-1000003,0,0,0\n"
         "1,0.5,\"a, \"\"b\"\"\",1,1000004,5,-999994,0,0,0\n"
         "1,0.5,sparks,18446744073709551615,1000000.5,0.125,-999999.75,1,-2,0.00100000005\n"
         "1,0.5,puff,0,1000007,8,-999991,0,0,0\n"
         "1,0.5,water,42,1000002,3,-999996,-1,0,5\n");
    bytes_free(&b);
    kin_cache_close(cache);
    folder_end(&f);
}

static void trouble_leaves_no_half_file(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_cache* cache = small_cache(t, in(&f, "frames"));
    CHECK(t, kin_export_csv(cache, in(&f, "none/points.csv"), &error) == KIN_ERROR_FILE);
    HAS(t, error.where, "none/points.csv");
    bytes_write(t, in(&f, "frames/000001.kf"), "rot", 3);
    CHECK(t, kin_export_csv(cache, in(&f, "points.csv"), &error) == KIN_ERROR_FORMAT);
    HAS(t, error.where, "000001.kf");
    EQUAL(t, file_count(f.path), 1);
    kin_cache_close(cache);
    folder_end(&f);
}

static void a_full_disk_is_named(test* t)
{
    folder f = folder_begin(t);
    tiny_disk disk = tiny_disk_begin(&f, "size=16k");
    if (disk.mounted) {
        kin_error error = {0};
        kin_capture capture;
        kin_cache* cache;
        char path[600];
        snprintf(path, sizeof path, "%s/points.csv", disk.path);
        kin_capture_init(&capture, &t->allocator);
        CHECK(t, kin_cache_create(&t->allocator, in(&f, "frames"), 0, &cache, &error) == KIN_OK);
        for (uint64_t i = 0; i < 3; ++i) CHECK(t, kin_cache_write(cache, stock_frame(&capture, i), &error) == KIN_OK);
        CHECK(t, kin_export_csv(cache, path, &error) == KIN_ERROR_FILE);
        HAS(t, error.message, "No space left");
        EQUAL(t, file_count(disk.path), 0);
        kin_cache_close(cache);
        kin_capture_term(&capture);
    }
    tiny_disk_end(t, &disk);
    folder_end(&f);
}

/* A run of one frame, with one point of a plain layer, and its table. */
typedef struct tabled {
    folder f;
    kin_capture capture;
    kin_cache* cache;
} tabled;

static tabled tabled_begin(test* t)
{
    tabled one = {.f = folder_begin(t)};
    kin_capture_init(&one.capture, &t->allocator);
    CHECK(t, kin_cache_create(&t->allocator, in(&one.f, "frames"), 0, &one.cache, NULL) == KIN_OK);
    kin_capture_begin(&one.capture, 0, 2, 0.5, (kin_vec3){0, 0, 0});
    kin_capture_layer(&one.capture, "plain", KIN_LAYER_POINTS, &(kin_look){0});
    memcpy(kin_capture_array(&one.capture, "position", KIN_F32, 3, 1), (float[3]){1, 2, 3}, 12);
    return one;
}

static bytes tabled_end(test* t, tabled* one)
{
    kin_error error = {0};
    CHECK(t, kin_cache_write(one->cache, kin_capture_end(&one->capture), NULL) == KIN_OK);
    CHECK(t, kin_export_csv(one->cache, in(&one->f, "table.csv"), &error) == KIN_OK);
    bytes b = bytes_read(t, in(&one->f, "table.csv"));
    kin_capture_term(&one->capture);
    kin_cache_close(one->cache);
    folder_end(&one->f);
    return b;
}

/* A run in which particles keep hits has columns for them; a particle without a hit, and a system that keeps none, leave them empty. */
static void csv_has_last_hits(test* t)
{
    tabled one = tabled_begin(t);
    kin_capture* c = &one.capture;
    kin_capture_layer(c, "kept", KIN_LAYER_POINTS, &(kin_look){0});
    memcpy(kin_capture_array(c, "position", KIN_F32, 3, 2), (float[6]){4, 5, 6, 7, 8, 9}, 24);
    memcpy(kin_capture_array(c, "hit_age", KIN_F32, 1, 2), (float[2]){0.25f, -1}, 8);
    memcpy(kin_capture_array(c, "hit_position", KIN_F32, 3, 2), (float[6]){0.5f, 1.5f, 2.5f, 0, 0, 0}, 24);
    memcpy(kin_capture_array(c, "hit_other", KIN_U32, 2, 2), (uint32_t[4]){1, 7, 0, 0}, 16);
    bytes b = tabled_end(t, &one);
    TEXT(t, b.data,
         "frame,time,system,id,x,y,z,vx,vy,vz,hit_age,hit_x,hit_y,hit_z,hit_system,hit_element\n0,2,plain,0,1,2,3,0,0,0,,,,,,\n"
         "0,2,kept,0,4,5,6,0,0,0,0.25,0.5,1.5,2.5,1,7\n0,2,kept,1,7,8,9,0,0,0,,,,,,\n");
    bytes_free(&b);
}

/* Named numbers are columns, empty where a layer has none. */
static void csv_has_named_numbers(test* t)
{
    tabled one = tabled_begin(t);
    kin_capture* c = &one.capture;
    kin_capture_layer(c, "hot", KIN_LAYER_POINTS, &(kin_look){0});
    memcpy(kin_capture_array(c, "position", KIN_F32, 3, 1), (float[3]){4, 5, 6}, 12);
    memcpy(kin_capture_array(c, "user.heat", KIN_F32, 1, 1), (float[1]){0.25f}, 4);
    memcpy(kin_capture_array(c, "user.age_2", KIN_F32, 1, 1), (float[1]){-8}, 4);
    bytes b = tabled_end(t, &one);
    TEXT(t, b.data, "frame,time,system,id,x,y,z,vx,vy,vz,user.heat,user.age_2\n0,2,plain,0,1,2,3,0,0,0,,\n0,2,hot,0,4,5,6,0,0,0,0.25,-8\n");
    bytes_free(&b);
}

TEST_MAIN("io/export", TEST(csv_has_named_numbers), TEST(csv_holds_every_point), TEST(csv_has_last_hits), TEST(trouble_leaves_no_half_file),
          TEST(a_full_disk_is_named))
