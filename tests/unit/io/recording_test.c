/* recording_test.c - the log of a run: the same commands back, the same end when played, and no damaged file believed. */
#include "io/recording.h"
#include "base/hash.h"
#include "io/json.h"
#include "unit/io/folder.h"
#include "unit/io/toy.h"

static const char scene_text[] = "{\"title\": \"toys \\u00e4\", \"systems\": [{\"type\": \"toy\", \"x\": [0.1, 1e300, -0.5]}]}";

static kin_tree scene_tree(test* t)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    CHECK(t, kin_json_read(&tree, scene_text, strlen(scene_text), "scene", &(kin_json_limits){1000, 10, 100}, NULL) == KIN_OK);
    return tree;
}

static kin_world* write_one(test* t, const char* path)
{
    kin_tree scene = scene_tree(t);
    kin_world* world = toy_world(t);
    kin_error error = {0};
    kin_world_record(world, true);
    toy_steps(world, 12);
    CHECK(t, kin_world_set_vector(world, "gravity", (kin_vec3){0, -1.0 / 3, 0}, &error) == KIN_OK);
    toy_steps(world, 2);
    CHECK(t, kin_recording_write(&t->allocator, path, world, scene.root, NULL, 0xFEDCBA9876543210u, 30, &error) == KIN_OK);
    TEXT(t, error.message, "");
    kin_tree_term(&scene);
    return world;
}

static void commands_come_back_and_play_to_the_same_end(test* t)
{
    folder f = folder_begin(t);
    kin_error error = {0};
    kin_world* world = write_one(t, in(&f, "recording"));
    kin_tree scene = scene_tree(t);
    kin_recording r;
    CHECK(t, kin_recording_read(&t->allocator, in(&f, "recording"), &r, &error) == KIN_OK);
    CHECK(t, r.seed == 0xFEDCBA9876543210u && r.steps == 14 && r.fps == 30 && r.state_hash == kin_world_state_hash(world));
    CHECK(t, kin_node_equal(r.scene, scene.root));
    size_t count;
    const kin_command* commands = kin_world_recorded(world, &count);
    CHECK(t, r.command_count == count && count == 8);
    for (size_t i = 0; i < count; ++i) {
        CHECK(t, r.commands[i].step == commands[i].step && r.commands[i].kind == commands[i].kind && r.commands[i].element == commands[i].element);
    }
    kin_world* again = toy_world(t);
    for (size_t next = 0; kin_world_step_count(again) < r.steps;) {
        CHECK(t, kin_world_replay(again, r.commands, r.command_count, &next, &error) == KIN_OK);
        CHECK(t, kin_world_step(again, NULL, &error) == KIN_OK);
    }
    CHECK(t, kin_world_state_hash(again) == r.state_hash);
    kin_recording_free(&t->allocator, &r);
    kin_tree_term(&scene);
    kin_world_destroy(again);
    kin_world_destroy(world);
    folder_end(&f);
}

static bool reads(test* t, void* context, const char* path)
{
    (void)context;
    kin_error error = {0};
    kin_recording r;
    kin_result result = kin_recording_read(&t->allocator, path, &r, &error);
    CHECK(t, result == KIN_OK || (result == KIN_ERROR_FORMAT && error.where[0] != 0));
    if (result == KIN_OK) kin_recording_free(&t->allocator, &r);
    return result == KIN_OK;
}

static void damaged_files_are_refused(test* t)
{
    folder f = folder_begin(t);
    kin_world* world = write_one(t, in(&f, "recording"));
    damage_file(t, in(&f, "recording"), 2000, reads, NULL);
    kin_world_destroy(world);
    folder_end(&f);
}

/* Lines under a checksum that holds. */
static void check_lines(test* t, const folder* f, const char* lines, const char* message)
{
    char text[2048];
    size_t count = 0;
    for (const char* c = lines; *c != 0; ++c) count += *c == '\n';
    snprintf(text, sizeof text, "%s{\"checksum\":\"%016llx\",\"commands\":%zu}\n", lines, (unsigned long long)kin_hash(lines, strlen(lines)), count - 1);
    bytes_write(t, in(f, "r"), text, strlen(text));
    kin_error error = {0};
    kin_recording r;
    kin_result result = kin_recording_read(&t->allocator, in(f, "r"), &r, &error);
    if (result == KIN_OK) kin_recording_free(&t->allocator, &r);
    if (message == NULL) {
        TEXT(t, error.message, "");
    } else {
        CHECK(t, result == KIN_ERROR_FORMAT);
        HAS(t, error.message, message);
    }
}

#define HEAD                                                                                                                                                   \
    "{\"kinema\":\"0\",\"scene\":{},\"files\":{},\"seed\":\"0000000000000001\",\"steps\":9,\"state_hash\":\"0000000000000001\",\"fps\":30,\"script_state\":"   \
    "\"\"}\n"
#define SET(step) "{\"step\":" #step ",\"command\":\"set\",\"path\":\"gravity\",\"value\":[0,0,0]}\n"

static void lines_are_checked(test* t)
{
    folder f = folder_begin(t);
    check_lines(t, &f, HEAD SET(1) SET(1) SET(9), NULL);
    check_lines(t, &f, HEAD SET(2) SET(1), "out of order");
    check_lines(t, &f, HEAD SET(10), "out of order");
    check_lines(t, &f, HEAD "[]\n", "not a command");
    check_lines(t, &f, HEAD "{\"step\":-1}\n", "not a command");
    check_lines(t, &f, HEAD "nonsense\n", "");
    check_lines(t, &f, HEAD "\n", "");
    check_lines(t, &f, "[1]\n", "header");
    check_lines(
        t, &f, "{\"kinema\":\"0\",\"scene\":{},\"files\":{},\"seed\":\"1\",\"steps\":9,\"state_hash\":\"0000000000000001\",\"fps\":30,\"script_state\":\"\"}\n",
        "header");
    check_lines(t, &f,
                "{\"kinema\":\"0\",\"scene\":{},\"files\":{},\"seed\":\"0000000000000001\",\"steps\":1.5,\"state_hash\":\"0000000000000001\",\"fps\":30,"
                "\"script_state\":\"\"}\n",
                "header");
    bytes_write(t, in(&f, "r"), "return {}\n", 10);
    CHECK(t, !reads(t, NULL, in(&f, "r")));
    bytes_write(t, in(&f, "r"), "", 0);
    CHECK(t, !reads(t, NULL, in(&f, "r")));
    folder_end(&f);
}

static bool write_and_read(test* t, void* context)
{
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_world* world = toy_world(t);
    bool ok = world != NULL && (tree.root = kin_node_table(&tree)) != NULL;
    if (ok) kin_world_record(world, true);
    for (int i = 0; ok && i < 5; ++i) ok = toy_step(world) == KIN_OK;
    ok = ok && kin_recording_write(&t->allocator, context, world, tree.root, NULL, 1, 30, NULL) == KIN_OK;
    kin_recording r;
    ok = ok && kin_recording_read(&t->allocator, context, &r, NULL) == KIN_OK;
    if (ok) kin_recording_free(&t->allocator, &r);
    kin_world_destroy(world);
    kin_tree_term(&tree);
    return ok;
}

static void failing_allocations_are_borne(test* t)
{
    folder f = folder_begin(t);
    char path[512];
    snprintf(path, sizeof path, "%s/recording", f.path);
    test_fail_each_allocation(t, write_and_read, path);
    folder_end(&f);
}

TEST_MAIN("io/recording", TEST(commands_come_back_and_play_to_the_same_end), TEST(damaged_files_are_refused), TEST(lines_are_checked),
          TEST(failing_allocations_are_borne))
