/* expand.c - kinema expand: the tree that a script evaluates to, as JSON. */
#include "report.h"
#include "scene/scene.h"
#include "verbs.h"

static int print_tree(const kin_scene* scene, const char* name)
{
    const char* path;
    if (kin_scene_has_functions(scene, &path))
        return kin_complain_text(KIN_EXIT_WRONG, "%s: %s: is a function, which JSON cannot hold; leave it out or run the script itself", name, path);
    kin_tree tree = {.root = (kin_node*)kin_scene_tree(scene)};
    return kin_report_print(&tree, true);
}

static int run(const kin_arguments* a)
{
    kin_scene_options scene_options = kin_scene_options_default();
    scene_options.sets = a->sets;
    scene_options.set_count = a->set_count;
    kin_error error = {0};
    kin_scene* scene = NULL;
    if (kin_scene_load(a->names[0], &scene_options, &scene, &error) != KIN_OK) return kin_complain(KIN_EXIT_WRONG, &error);
    int code = print_tree(scene, a->names[0]);
    kin_scene_free(scene);
    return code;
}

static const kin_option options[] = {KIN_OPTION_SETS, {0}};

const kin_verb kin_verb_expand = {
    .name = "expand",
    .usage = "SCENE",
    .least = 1,
    .most = 1,
    .operand = KIN_OPERAND_SCENE,
    .options = options,
    .run = run,
    .summary = "Print the tree of plain values that a scene evaluates to, as JSON.",
    .doc = "The JSON is a scene too: kinema expand a.lua > a.json. Functions (on_step) cannot be expanded and are refused by name.",
};
