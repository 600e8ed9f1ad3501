/* check.c - kinema check: is a scene fit to run? */
#include "report.h"
#include "scene/scene.h"
#include "verbs.h"
#include <inttypes.h>

static uint32_t count_of(const kin_node* tree, const char* key)
{
    const kin_node* node = kin_node_get(tree, key);
    if (node == NULL) return 0;
    return node->type == KIN_NODE_LIST ? node->count : 1; /* a single table is a list of one */
}

static void print_count(uint32_t count, const char* what) { printf(", %" PRIu32 " %s%s", count, what, count == 1 ? "" : "s"); }

static void print_scene(const kin_scene* scene)
{
    kin_scene_info info = kin_scene_describe(scene);
    const kin_node* tree = kin_scene_tree(scene);
    printf("ok: %s", info.title);
    print_count(count_of(tree, "systems"), "system");
    print_count(count_of(tree, "colliders"), "collider");
    print_count(count_of(tree, "fields"), "field");
    printf(", %" PRIu64 " frames of %d steps, %g s at %g fps\n", info.frames, info.steps_per_frame, info.duration, info.fps);
}

static int run(const kin_arguments* a)
{
    kin_scene_options scene_options = kin_scene_options_default();
    scene_options.sets = a->sets;
    scene_options.set_count = a->set_count;
    kin_error error = {0};
    kin_scene* scene = NULL;
    kin_result result = kin_scene_check(a->names[0], &scene_options, &error);
    if (result == KIN_OK) result = kin_scene_load(a->names[0], &scene_options, &scene, &error);
    if (result != KIN_OK) return kin_complain(KIN_EXIT_WRONG, &error);
    print_scene(scene);
    kin_scene_free(scene);
    return KIN_EXIT_DONE;
}

static const kin_option options[] = {KIN_OPTION_SETS, {0}};

const kin_verb kin_verb_check = {
    .name = "check",
    .usage = "SCENE",
    .least = 1,
    .most = 1,
    .operand = KIN_OPERAND_SCENE,
    .options = options,
    .run = run,
    .summary = "Check a scene without running it.",
    .doc = "Finds wrong keys, types, units and ranges, and scripts that remember outside world.state. Exits 2 when it finds something.",
};
