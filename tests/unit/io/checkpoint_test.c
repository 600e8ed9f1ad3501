/* checkpoint_test.c - a world's state on disk: the same future after a load, and a bad file leaves the world alone. */
#include "io/checkpoint.h"
#include "io/sealed.h"
#include "unit/io/folder.h"
#include "unit/io/toy.h"

static void a_loaded_world_goes_on_alike(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_world *a = toy_world(t), *b = toy_world(t);
    toy_steps(a, 20);
    CHECK(t, kin_world_save(a, in(&f, "state"), &error) == KIN_OK);
    CHECK(t, kin_world_load(b, in(&f, "state"), &error) == KIN_OK);
    CHECK(t, kin_world_state_hash(a) == kin_world_state_hash(b) && kin_world_step_count(b) == 20);
    toy_steps(a, 20);
    toy_steps(b, 20);
    CHECK(t, kin_world_state_hash(a) == kin_world_state_hash(b));
    EQUAL(t, file_count(f.path), 1);
    kin_world_destroy(a);
    kin_world_destroy(b);
    folder_end(&f);
}

static void a_checkpoint_knows_what_it_is_of(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_checkpoint_info info = {0};
    kin_world* world = toy_world(t);
    toy_steps(world, 6);
    CHECK(t, kin_checkpoint_write(world, in(&f, "c"), &(kin_checkpoint_info){.scene_hash = 77, .frame = 3}, &error) == KIN_OK);
    CHECK(t, kin_checkpoint_peek(&t->allocator, in(&f, "c"), &info, &error) == KIN_OK);
    CHECK(t, info.scene_hash == 77 && info.frame == 3 && info.step == 6 && info.state_hash == kin_world_state_hash(world));
    toy_steps(world, 1);
    uint64_t before = kin_world_state_hash(world);
    CHECK(t, kin_checkpoint_read(world, in(&f, "c"), 78, &info, &error) == KIN_ERROR_MISMATCH);
    HAS(t, error.message, "another scene");
    CHECK(t, kin_world_state_hash(world) == before);
    CHECK(t, kin_checkpoint_read(world, in(&f, "c"), 77, &info, &error) == KIN_OK && info.frame == 3);
    CHECK(t, kin_world_step_count(world) == 6);
    CHECK(t, kin_checkpoint_read(world, in(&f, "c"), 0, &info, &error) == KIN_OK);
    kin_world_destroy(world);
    folder_end(&f);
}

static void another_world_is_refused_and_left_alone(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_world *a = toy_world(t), *b = toy_world_of(&t->allocator, 6);
    toy_steps(a, 3);
    toy_steps(b, 4);
    uint64_t before = kin_world_state_hash(b);
    CHECK(t, kin_world_save(a, in(&f, "state"), &error) == KIN_OK);
    CHECK(t, kin_world_load(b, in(&f, "state"), &error) == KIN_ERROR_MISMATCH);
    HAS(t, error.where, "/state");
    CHECK(t, kin_world_state_hash(b) == before && kin_world_step_count(b) == 4);
    CHECK(t, toy_step(b) == KIN_OK); /* it can go on */
    kin_world_destroy(a);
    kin_world_destroy(b);
    folder_end(&f);
}

/* context: a world that must stay as it is, whatever is read. */
static bool reads(test* t, void* context, const char* path)
{
    kin_error error = {0};
    kin_world* world = context;
    uint64_t before = kin_world_state_hash(world);
    kin_result result = kin_world_load(world, path, &error);
    if (result == KIN_OK) return true;
    CHECK(t, result == KIN_ERROR_FORMAT || result == KIN_ERROR_MISMATCH);
    CHECK(t, error.where[0] != 0 && kin_world_state_hash(world) == before);
    return false;
}

static void damaged_files_are_refused(test* t)
{
    folder f = folder_begin(t);
    kin_world *a = toy_world(t), *b = toy_world(t);
    toy_steps(a, 5);
    CHECK(t, kin_world_save(a, in(&f, "state"), NULL) == KIN_OK);
    toy_steps(b, 2);
    damage_file(t, in(&f, "state"), 1000, reads, b);
    bytes_write(t, in(&f, "state"), "{\"kinema\": \"not a checkpoint\"}", 30);
    CHECK(t, !reads(t, b, in(&f, "state")));
    kin_world_destroy(a);
    kin_world_destroy(b);
    folder_end(&f);
}

/* A state that was changed under a checksum that holds: the state hash sees it, and the world is put back. */
static void a_changed_state_is_seen_by_its_hash(test* t)
{
    folder f = folder_begin(t);
    const kin_seal seal = {"KINCHECK", 1, "a checkpoint"};
    kin_world *a = toy_world(t), *b = toy_world(t);
    toy_steps(a, 5);
    CHECK(t, kin_world_save(a, in(&f, "state"), NULL) == KIN_OK);
    uint8_t* data;
    size_t size;
    CHECK(t, kin_sealed_read(&t->allocator, in(&f, "state"), &seal, &data, &size, NULL) == KIN_OK);
    for (size_t i = 16; i < size; i += 3) {
        data[i] ^= 0x10;
        CHECK(t, kin_sealed_write(&t->allocator, in(&f, "state"), &seal, data, size, NULL) == KIN_OK);
        CHECK(t, !reads(t, b, in(&f, "state")));
        data[i] ^= 0x10;
    }
    for (size_t cut = 1; cut < size; cut += 7) {
        CHECK(t, kin_sealed_write(&t->allocator, in(&f, "state"), &seal, data, cut, NULL) == KIN_OK);
        CHECK(t, !reads(t, b, in(&f, "state")));
    }
    kin_free(&t->allocator, data, size);
    kin_world_destroy(a);
    kin_world_destroy(b);
    folder_end(&f);
}

static void unwritable_places_are_named(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_world* world = toy_world(t);
    bytes_write(t, in(&f, "file"), "x", 1);
    CHECK(t, kin_world_save(world, in(&f, "file/state"), &error) == KIN_ERROR_FILE);
    HAS(t, error.where, "file/state");
    CHECK(t, kin_world_load(world, in(&f, "none"), &error) == KIN_ERROR_FILE);
    kin_world_destroy(world);
    folder_end(&f);
}

static bool save_and_load(test* t, void* context)
{
    kin_world* world = toy_world(t);
    if (world == NULL) return false;
    kin_result result = kin_world_save(world, context, NULL);
    if (result == KIN_OK) result = kin_world_load(world, context, NULL);
    kin_world_destroy(world);
    return result == KIN_OK;
}

static void failing_allocations_are_borne(test* t)
{
    folder f = folder_begin(t);
    char path[512];
    snprintf(path, sizeof path, "%s/state", f.path);
    test_fail_each_allocation(t, save_and_load, path);
    folder_end(&f);
}

TEST_MAIN("io/checkpoint", TEST(a_loaded_world_goes_on_alike), TEST(a_checkpoint_knows_what_it_is_of), TEST(another_world_is_refused_and_left_alone),
          TEST(damaged_files_are_refused), TEST(a_changed_state_is_seen_by_its_hash), TEST(unwritable_places_are_named), TEST(failing_allocations_are_borne))
