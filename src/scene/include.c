/* include.c - a scene and the scenes it includes become one tree: lists of things are joined, materials merged, and for all else the including scene wins. */
#include "base/alloc.h"
#include "base/error.h"
#include "scene/scene_inside.h"
#include "system/field.h"
#include "world/registry.h"
#include <stdio.h>
#include <string.h>

static const char* const joined[] = {"colliders", "fields", "systems", "attachments"};
enum { JOINED_COUNT = 4 };

static kin_result no_memory(const kin_scene* scene, kin_error* error)
{
    return kin_fail(error, KIN_ERROR_MEMORY, scene->file, "out of memory while scenes were joined");
}

/* ---- file names, which are relative to the file they stand in ---- */

static bool rebase(kin_scene* scene, const kin_param* params, kin_node* table, const char* prefix);

static bool rebase_name(kin_scene* scene, kin_node* node, const char* prefix)
{
    if (node->type != KIN_NODE_STRING || node->string[0] == '/') return true;
    char path[1024];
    int length = snprintf(path, sizeof path, "%s%s", prefix, node->string);
    kin_node* whole = length < (int)sizeof path ? kin_node_string(&scene->tree, path, (size_t)length) : NULL;
    if (whole != NULL) *node = *whole;
    return whole != NULL;
}

static bool rebase_all(kin_scene* scene, const kin_param* params, kin_node* node, const char* prefix)
{
    if (node->type != KIN_NODE_LIST) return rebase(scene, params, node, prefix);
    for (uint32_t i = 0; i < node->count; ++i) {
        if (!rebase(scene, params, node->items[i], prefix)) return false;
    }
    return true;
}

static bool rebase(kin_scene* scene, const kin_param* params, kin_node* table, const char* prefix)
{
    for (uint32_t i = 0; table->type == KIN_NODE_TABLE && i < table->count; ++i) {
        const kin_param* p = kin_params_find(params, table->keys[i]);
        bool ok = true;
        if (p != NULL && (p->type == KIN_PARAM_FILE || p->type == KIN_PARAM_MESH || p->type == KIN_PARAM_PICTURE))
            ok = rebase_name(scene, table->items[i], prefix);
        if (p != NULL && p->sub != NULL) ok = rebase_all(scene, p->sub, table->items[i], prefix);
        if (!ok) return false;
    }
    return true;
}

static bool rebase_system(kin_scene* scene, kin_node* system, const char* prefix)
{
    const kin_node* type = kin_node_get(system, "type");
    const kin_system_ops* ops = type != NULL && type->type == KIN_NODE_STRING ? kin_system_named(type->string) : NULL;
    return ops == NULL || rebase(scene, ops->params, system, prefix); /* an unknown type is the checker's to refuse */
}

static bool rebase_scene(kin_scene* scene, kin_node* tree, const char* name)
{
    char prefix[1024];
    const char* slash = strrchr(name, '/');
    if (slash == NULL) return true;
    if (snprintf(prefix, sizeof prefix, "%.*s", (int)(slash - name + 1), name) >= (int)sizeof prefix) return false;
    if (!rebase(scene, kin_scene_top_params, tree, prefix)) return false;
    kin_node* systems = (kin_node*)kin_node_get(tree, "systems"); /* the tree is ours */
    if (systems == NULL || systems->type != KIN_NODE_LIST) return systems == NULL || rebase_system(scene, systems, prefix);
    for (uint32_t i = 0; i < systems->count; ++i) {
        if (!rebase_system(scene, systems->items[i], prefix)) return false;
    }
    return true;
}

/* ---- joining ---- */

static bool is_joined(const char* key)
{
    for (int i = 0; i < JOINED_COUNT; ++i) {
        if (strcmp(key, joined[i]) == 0) return true;
    }
    return false;
}

/* A single table counts as a list of one. */
static kin_node* as_list(kin_scene* scene, kin_node* table, const char* key)
{
    kin_node* node = (kin_node*)kin_node_get(table, key);
    if (node != NULL && node->type == KIN_NODE_LIST) return node;
    kin_node* list = kin_node_list(&scene->tree);
    if (list == NULL || (node != NULL && !kin_node_append(&scene->tree, list, node))) return NULL;
    return kin_node_set(&scene->tree, table, key, list) ? list : NULL;
}

static bool add_origin(kin_scene* scene, const char* key, size_t source, uint32_t begin, uint32_t count)
{
    if (count == 0) return true;
    if (!kin_reserve(&scene->allocator, (void**)&scene->origins, &scene->origin_capacity, scene->origin_count + 1, sizeof *scene->origins)) return false;
    scene->origins[scene->origin_count++] = (kin_origin){key, source, begin, count};
    return true;
}

/* mark: origins from there on are those of the included scene's own includes, which move with it. They come first, so they are found first. */
static bool join_list(kin_scene* scene, kin_node* into, kin_node* from, const char* key, size_t source, size_t mark)
{
    if (kin_node_get(from, key) == NULL) return true;
    kin_node *target = as_list(scene, into, key), *items = as_list(scene, from, key);
    if (target == NULL || items == NULL) return false;
    uint32_t begin = target->count;
    for (size_t i = mark; i < scene->origin_count; ++i) {
        if (strcmp(scene->origins[i].key, key) == 0) scene->origins[i].begin += begin;
    }
    for (uint32_t i = 0; i < items->count; ++i) {
        if (!kin_node_append(&scene->tree, target, items->items[i])) return false;
    }
    return add_origin(scene, key, source, begin, items->count);
}

static bool add_missing(kin_scene* scene, kin_node* into, const kin_node* from)
{
    for (uint32_t i = 0; from->type == KIN_NODE_TABLE && i < from->count; ++i) {
        if (kin_node_get(into, from->keys[i]) != NULL) continue;
        if (!kin_node_set(&scene->tree, into, from->keys[i], from->items[i])) return false;
    }
    return true;
}

static bool join(kin_scene* scene, kin_node* into, kin_node* from, size_t source, size_t mark)
{
    for (int i = 0; i < JOINED_COUNT; ++i) {
        if (!join_list(scene, into, from, joined[i], source, mark)) return false;
    }
    kin_node* materials = (kin_node*)kin_node_get(into, "materials");
    const kin_node* more = kin_node_get(from, "materials");
    if (materials != NULL && more != NULL && materials->type == KIN_NODE_TABLE && !add_missing(scene, materials, more)) return false;
    for (uint32_t i = 0; i < from->count; ++i) {
        const char* key = from->keys[i];
        bool done = is_joined(key) || strcmp(key, "include") == 0 || kin_node_get(into, key) != NULL;
        if (!done && !kin_node_set(&scene->tree, into, key, from->items[i])) return false;
    }
    return true;
}

/* ---- a file and what it includes ---- */

static kin_result include_one(kin_scene* scene, kin_node* into, const char* name, kin_error* error)
{
    kin_node* from;
    size_t mark = scene->origin_count;
    kin_result result = kin_scene_evaluate(scene, name, &from, error);
    if (result != KIN_OK) return result;
    size_t number;
    result = kin_scene_enter(scene, name, &number, error); /* read already: its number */
    if (result != KIN_OK) return result;
    kin_scene_leave(scene);
    return rebase_scene(scene, from, name) && join(scene, into, from, number, mark) ? KIN_OK : no_memory(scene, error);
}

static kin_result include_all(kin_scene* scene, kin_node* tree, size_t source, kin_error* error)
{
    const kin_node* names = kin_node_get(tree, "include");
    if (names == NULL) return KIN_OK;
    bool single = names->type == KIN_NODE_STRING;
    bool good = single || names->type == KIN_NODE_LIST;
    for (uint32_t i = 0; good && !single && i < names->count; ++i) good = names->items[i]->type == KIN_NODE_STRING;
    char where[512];
    snprintf(where, sizeof where, "%s: include", scene->sources[source].file);
    if (!good) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "must be a list of file names");
    for (uint32_t i = 0; i < (single ? 1 : names->count); ++i) {
        kin_result result = include_one(scene, tree, single ? names->string : names->items[i]->string, error);
        if (result != KIN_OK) return result;
    }
    kin_node_remove(tree, "include");
    return KIN_OK;
}

kin_result kin_scene_evaluate(kin_scene* scene, const char* name, kin_node** out, kin_error* error)
{
    size_t source;
    kin_result result = kin_scene_enter(scene, name, &source, error);
    if (result != KIN_OK) return result;
    result = scene->sources[source].json ? kin_scene_read_json(scene, source, out, error) : kin_scene_evaluate_lua(scene, source, out, error);
    if (result == KIN_OK && (*out)->type == KIN_NODE_LIST && (*out)->count == 0) *out = kin_node_table(&scene->tree); /* Lua's {} */
    if (result == KIN_OK && *out == NULL) result = no_memory(scene, error);
    if (result == KIN_OK && (*out)->type != KIN_NODE_TABLE) {
        result = kin_fail(error, KIN_ERROR_ARGUMENT, scene->sources[source].file, "a scene must be a table, not %s", kin_node_type_name((*out)->type));
    }
    if (result == KIN_OK) result = include_all(scene, *out, source, error);
    kin_scene_leave(scene);
    return result;
}
