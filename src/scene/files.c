/* files.c - the files that a scene names (meshes, pictures), by what is in them: a run may be resumed or replayed only with the same. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/file.h"
#include "io/hex.h"
#include "scene/scene_inside.h"
#include "system/field.h"
#include "world/registry.h"
#include <string.h>

typedef struct listing {
    kin_scene* scene;
    kin_node* files;
    kin_result result;
} listing;

static bool is_file(const kin_param* p) { return p->type == KIN_PARAM_FILE || p->type == KIN_PARAM_MESH || p->type == KIN_PARAM_PICTURE; }

/* One that cannot be read is left to the builder, which says why. */
static void list_file(listing* l, const char* name)
{
    char path[KIN_PATH_SIZE], *data;
    size_t size;
    const kin_allocator* allocator = &l->scene->allocator;
    bool joined = name[0] == '/' ? kin_path_join(path, sizeof path, "", name) : kin_path_join(path, sizeof path, l->scene->folder, name);
    if (!joined || kin_node_get(l->files, name) != NULL) return;
    kin_result result = kin_file_read(allocator, path, kin_memory_available(), &data, &size, NULL);
    if (result == KIN_ERROR_MEMORY) l->result = result;
    if (result != KIN_OK) return;
    const char* key = kin_scene_keep(l->scene, name);
    bool ok = key != NULL && kin_node_set(&l->scene->tree, l->files, key, kin_node_hex(&l->scene->tree, kin_hash(data, size)));
    kin_free(allocator, data, size + 1);
    if (!ok) l->result = KIN_ERROR_MEMORY;
}

static void list_table(listing* l, const kin_param* params, const kin_node* table);

static void list_row(listing* l, const kin_param* p, const kin_node* value)
{
    if (is_file(p) && value->type == KIN_NODE_STRING) list_file(l, value->string);
    if (p->sub == NULL) return;
    if (value->type != KIN_NODE_LIST) list_table(l, p->sub, value);
    for (uint32_t i = 0; value->type == KIN_NODE_LIST && i < value->count; ++i) list_table(l, p->sub, value->items[i]);
}

static void list_table(listing* l, const kin_param* params, const kin_node* table)
{
    for (uint32_t i = 0; table->type == KIN_NODE_TABLE && i < table->count; ++i) {
        const kin_param* p = kin_params_find(params, table->keys[i]);
        if (p != NULL) list_row(l, p, table->items[i]);
    }
}

static void list_system(listing* l, const kin_node* system)
{
    const kin_node* type = kin_node_get(system, "type");
    const kin_system_ops* ops = type != NULL && type->type == KIN_NODE_STRING ? kin_system_named(type->string) : NULL;
    if (ops != NULL) list_table(l, ops->params, system);
}

static void list_field(listing* l, const kin_node* field)
{
    for (int i = 0; kin_field_registry[i] != NULL; ++i) {
        if (kin_node_get(field, kin_field_registry[i]->name) != NULL) list_table(l, kin_field_registry[i]->params, field);
    }
}

static kin_result list_items(listing* l, const char* key, void (*list_one)(listing* l, const kin_node* item), kin_error* error)
{
    const kin_node* const* items;
    uint32_t count;
    kin_result result = kin_scene_list(l->scene, key, &items, &count, error);
    for (uint32_t i = 0; result == KIN_OK && i < count; ++i) list_one(l, items[i]);
    return result;
}

kin_result kin_scene_list_files(kin_scene* scene, kin_error* error)
{
    listing l = {scene, kin_node_table(&scene->tree), KIN_OK};
    if (l.files == NULL) return kin_fail_memory(error, "the scene", sizeof *l.files);
    list_table(&l, kin_scene_top_params, scene->tree.root);
    kin_result result = list_items(&l, "systems", list_system, error);
    if (result == KIN_OK) result = list_items(&l, "fields", list_field, error);
    if (result == KIN_OK && l.result != KIN_OK) result = kin_fail_memory(error, "the files of the scene", 0);
    scene->files = l.files;
    return result;
}

const kin_node* kin_scene_files(const kin_scene* scene) { return scene->files; }
