/* torture_test.c - scenes that ask for trouble (R1): teleporting solids, full overlap, a million newtons, a storm, fast paddles. Runs end well, every number is
 * finite, and what was no physics is told. */
#include "base/tree.h"
#include "io/json.h"
#include "scenes.h"
#include <math.h>

static void scene_path(char* out, size_t size, const char* name) { snprintf(out, size, "%s/scenes/particles/%s", KIN_SOURCE_DIR, name); }

/* Every number of the report of each system; JSON has no others, but a hole would read as null. */
static void all_finite(test* t, const kin_node* systems)
{
    for (uint32_t i = 0; i < systems->count; ++i) {
        const kin_node* numbers = systems->items[i];
        for (uint32_t k = 0; k < numbers->count; ++k) {
            CHECK(t, numbers->items[k]->type == KIN_NODE_NUMBER);
            CHECK(t, isfinite(numbers->items[k]->number));
        }
    }
}

static void stays_finite(test* t)
{
    char dir[256], scene[600];
    folder_create(dir, sizeof dir);
    scene_path(scene, sizeof scene, "torture.lua");
    KINEMA(t, r, 0, dir, "run", scene, "-o", "out", "--json", "--quiet", "--set", "n=120");
    kin_tree tree;
    kin_tree_init(&tree, &t->allocator);
    kin_error error = {0};
    if (CHECK(t, kin_json_read(&tree, r.out, strlen(r.out), "stdout", &(kin_json_limits){1 << 20, 20, 1000}, &error) == KIN_OK)) {
        NEAR(t, kin_node_get(tree.root, "steps")->number, 240, 0);
        const kin_node* systems = kin_node_get(tree.root, "systems");
        EQUAL(t, systems->count, 5);
        all_finite(t, systems);
        CHECK(t, kin_node_get(kin_node_get(systems, "swallowed"), "count")->number >= 230); /* pushed out, not thrown out, but for who rolls under the jumper */
    }
    kin_tree_term(&tree);
    HAS(t, r.err, "moving solids leave it no room");
    char* stats = file_get(path_in(dir, "out/stats.csv"), NULL);
    if (CHECK(t, stats != NULL)) CHECK(t, strstr(stats, "nan") == NULL && strstr(stats, "inf") == NULL);
    free(stats);
    command_free(&r);
    folder_remove(dir);
}

static void same_for_any_threads(test* t)
{
    char dir[256], scene[600];
    hash_text hash[2];
    folder_create(dir, sizeof dir);
    scene_path(scene, sizeof scene, "torture.lua");
    for (int i = 0; i < 2; ++i) {
        KINEMA(t, r, 0, dir, "run", scene, "-o", "out", "--json", "--quiet", "--frames=40", "--set", "n=80", "--threads", i == 0 ? "1" : "3");
        hash[i] = hash_in(r.out);
        command_free(&r);
    }
    CHECK(t, is_hash(hash[0].text));
    TEXT(t, hash[0].text, hash[1].text);
    folder_remove(dir);
}

TEST_MAIN("e2e torture", TEST(stays_finite), TEST(same_for_any_threads))
