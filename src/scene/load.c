/* load.c - a scene from its file: evaluated, joined with what it includes, edited by --set, checked. Start here. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "scene/law.h"
#include "scene/scene_inside.h"
#include <stdio.h>
#include <string.h>

kin_scene_options kin_scene_options_default(void)
{
    return (kin_scene_options){
        .allocator = kin_allocator_default(),
        .max_bytes = (size_t)64 << 20,
        .max_depth = 100,
        .max_instructions = 50000000,
        .max_memory = (size_t)1 << 30,
    };
}

/* ---- birth and end ---- */

static kin_result fill_names(kin_scene* scene, const char* file, kin_error* error)
{
    const char* slash = strrchr(file, '/');
    char folder[4096] = "";
    if (slash != NULL) snprintf(folder, sizeof folder, "%.*s", (int)(slash - file + 1), file);
    scene->file = kin_scene_keep(scene, file);
    scene->folder = kin_scene_keep(scene, folder);
    size_t count = scene->options.set_count;
    if (count > 0) scene->set_used = kin_arena_take(&scene->arena, count * sizeof *scene->set_used);
    if (scene->set_used != NULL) memset(scene->set_used, 0, count * sizeof *scene->set_used);
    bool good = scene->file != NULL && scene->folder != NULL && (count == 0 || scene->set_used != NULL);
    return good ? KIN_OK : kin_fail_memory(error, "a scene", strlen(file));
}

static kin_result create(const char* file, const kin_scene_options* options, kin_scene** out, kin_error* error)
{
    *out = NULL;
    kin_scene* scene = kin_alloc_zero(&options->allocator, sizeof *scene);
    if (scene == NULL) return kin_fail_memory(error, "a scene", sizeof *scene);
    scene->allocator = options->allocator;
    scene->options = *options;
    kin_arena_init(&scene->arena, &scene->allocator);
    kin_tree_init(&scene->tree, &scene->allocator);
    kin_result result = fill_names(scene, file, error);
    if (result != KIN_OK) {
        kin_scene_free(scene);
        return result;
    }
    *out = scene;
    return KIN_OK;
}

void kin_scene_unuse(kin_scene* scene)
{
    scene->users -= 1;
    if (scene->users == 0 && scene->freed) kin_scene_free(scene);
}

void kin_scene_free(kin_scene* scene)
{
    if (scene == NULL) return;
    scene->freed = true;
    if (scene->users > 0) return;
    kin_allocator allocator = scene->allocator;
    kin_script_destroy(scene->script);
    kin_scene_free_sources(scene);
    kin_free(&allocator, scene->origins, scene->origin_capacity * sizeof *scene->origins);
    kin_free(&allocator, scene->params, scene->param_capacity * sizeof *scene->params);
    kin_tree_term(&scene->tree);
    kin_arena_term(&scene->arena);
    kin_free(&allocator, scene, sizeof *scene);
}

/* ---- loading ---- */

/* Of the tree in its canonical text and, when there is a hook, of the scripts: their code is then part of what will happen. So are
 * meshes and pictures. */
static kin_result hash_scene(kin_scene* scene, kin_error* error)
{
    char* text = NULL;
    size_t length = 0, capacity = 0;
    bool written = kin_node_write(scene->tree.root, 0, &scene->allocator, &text, &length, &capacity);
    kin_hasher hasher;
    kin_hasher_begin(&hasher);
    if (written) kin_hasher_add(&hasher, text, length);
    for (uint32_t i = 0; i < scene->files->count; ++i) kin_hasher_add(&hasher, scene->files->items[i]->string, scene->files->items[i]->count);
    bool functions = kin_scene_has_functions(scene, NULL);
    for (size_t i = 0; functions && i < scene->source_count; ++i) kin_hasher_add(&hasher, scene->sources[i].text, scene->sources[i].size);
    scene->hash = kin_hasher_end(&hasher);
    kin_free(&scene->allocator, text, capacity);
    return written ? KIN_OK : kin_fail_memory(error, "the scene's text", length);
}

/* Includes are joined and sets made: where the first function now stands. */
static kin_result find_law(kin_scene* scene, kin_error* error)
{
    const kin_node* const* fields;
    uint32_t count;
    size_t number;
    kin_result result = kin_scene_list(scene, "fields", &fields, &count, error);
    for (uint32_t i = 0; result == KIN_OK && scene->first_law == NULL && i < count; ++i) {
        char path[40];
        snprintf(path, sizeof path, "fields[%u].law", i);
        if (!kin_law_number(kin_node_get(fields[i], "law"), &number)) continue;
        scene->first_law = kin_scene_keep(scene, path);
        if (scene->first_law == NULL) return kin_fail_memory(error, "the scene", sizeof path);
    }
    return result;
}

static kin_result finish(kin_scene* scene, kin_error* error)
{
    kin_result result = kin_scene_apply_sets(scene, error);
    if (result == KIN_OK) result = kin_scene_check_tree(scene, error);
    if (result == KIN_OK) result = find_law(scene, error);
    if (result == KIN_OK) result = kin_scene_list_files(scene, error);
    if (result == KIN_OK) result = hash_scene(scene, error);
    scene->options.sets = NULL; /* the caller's, and no longer needed */
    scene->options.set_count = 0;
    return result;
}

static kin_result hand_over(kin_scene* scene, kin_result result, kin_scene** out)
{
    if (result == KIN_OK) {
        *out = scene;
    } else {
        kin_scene_free(scene);
    }
    return result;
}

kin_result kin_scene_load(const char* path, const kin_scene_options* options, kin_scene** out, kin_error* error)
{
    kin_scene* scene;
    *out = NULL;
    kin_result result = create(path, options, &scene, error);
    if (result != KIN_OK) return result;
    kin_node* root;
    result = kin_scene_evaluate(scene, path, &root, error);
    if (result == KIN_OK) {
        scene->tree.root = root;
        if (scene->script != NULL) kin_script_settle(scene->script);
        result = finish(scene, error);
    }
    return hand_over(scene, result, out);
}

kin_result kin_scene_from_tree(const kin_node* tree, const char* name, const kin_scene_options* options, kin_scene** out, kin_error* error)
{
    kin_scene* scene;
    *out = NULL;
    if (tree->type != KIN_NODE_TABLE) return kin_fail(error, KIN_ERROR_ARGUMENT, name, "a scene must be a table, not %s", kin_node_type_name(tree->type));
    kin_result result = create(name, options, &scene, error);
    if (result != KIN_OK) return result;
    scene->tree.root = kin_node_copy(&scene->tree, tree);
    result = scene->tree.root != NULL ? finish(scene, error) : kin_fail_memory(error, "the scene", sizeof *tree);
    return hand_over(scene, result, out);
}

/* ---- questions ---- */

kin_scene_info kin_scene_describe(const kin_scene* scene) { return scene->info; }

const kin_node* kin_scene_tree(const kin_scene* scene) { return scene->tree.root; }

uint64_t kin_scene_hash(const kin_scene* scene) { return scene->hash; }

uint64_t kin_scene_seed(const kin_scene* scene) { return scene->seed; }

bool kin_scene_has_functions(const kin_scene* scene, const char** path)
{
    const char* first = scene->info.has_hook ? "on_step" : scene->first_law;
    if (path != NULL) *path = first;
    return first != NULL;
}

const kin_scene_param* kin_scene_params(const kin_scene* scene, size_t* count)
{
    *count = scene->param_count;
    return scene->params;
}
