/* defs.c - from the checked tree to defs: the top level, and fields, systems and materials by the table of their kind. */
#include "base/error.h"
#include "base/text.h"
#include "math/scalar.h"
#include "scene/scene_inside.h"
#include "system/field.h"
#include "system/material.h"
#include "world/registry.h"
#include <stdio.h>
#include <string.h>

/* ---- the top level ---- */

const kin_node* kin_scene_item(const kin_node* list, size_t index) { return list->type == KIN_NODE_LIST ? list->items[index] : list; }

kin_result kin_scene_read_top(const kin_scene* scene, const kin_param_context* context, kin_scene_def* def, kin_error* error)
{
    const kin_node* root = scene->tree.root;
    *def = (kin_scene_def){0};
    kin_params_default(kin_scene_top_params, def);
    kin_result result = kin_params_read(kin_scene_top_params, root, kin_scene_part_keys, "", context, def, error);
    if (result != KIN_OK) return result;
    if (kin_node_get(root, "bounds") == NULL) def->bounds.policy = KIN_BOUNDS_NONE;
    return KIN_OK;
}

kin_result kin_scene_list(const kin_scene* scene, const char* key, const kin_node* const** items, uint32_t* count, kin_error* error)
{
    const kin_node* root = scene->tree.root;
    *items = NULL;
    *count = 0;
    for (uint32_t i = 0; i < root->count; ++i) {
        if (strcmp(root->keys[i], key) != 0) continue;
        const kin_node* node = root->items[i];
        if (node->type != KIN_NODE_LIST && node->type != KIN_NODE_TABLE) {
            return kin_fail(error, KIN_ERROR_ARGUMENT, key, "must be a list of tables, not %s", kin_node_type_name(node->type));
        }
        bool list = node->type == KIN_NODE_LIST;
        *items = (const kin_node* const*)(list ? node->items : &root->items[i]);
        *count = list ? node->count : 1;
    }
    return KIN_OK;
}

/* ---- fields and systems ---- */

static kin_result read_by_table(const kin_param* params, size_t size, const kin_node* node, const char* const* known, const char* path,
                                const kin_param_context* context, void** out, kin_error* error)
{
    void* def = kin_arena_take(context->arena, size);
    if (def == NULL) return kin_fail_memory(error, "the scene", size);
    memset(def, 0, size);
    kin_params_default(params, def);
    *out = def;
    return kin_params_read(params, node, known, path, context, def, error);
}

static kin_result no_such(const char* where, const char* what, const char* word, const char* const* names, size_t count, kin_error* error)
{
    const char* nearest = kin_text_nearest(word, names, count);
    if (nearest != NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "there is no %s \"%.80s\"; did you mean \"%s\"?", what, word, nearest);
    char all[256] = "";
    for (size_t i = 0; i < count; ++i) kin_text_append(all, sizeof all, "%s%s", i > 0 ? ", " : "", names[i]);
    return kin_fail(error, KIN_ERROR_ARGUMENT, where, "there is no %s \"%.80s\"; there are %s", what, word, all);
}

enum { MOST_KINDS = 64 };

static kin_result find_field(const kin_node* node, const char* path, const kin_field_ops** ops, kin_error* error)
{
    const char* names[MOST_KINDS];
    size_t count = 0;
    for (; kin_field_registry[count] != NULL && count < MOST_KINDS; ++count) names[count] = kin_field_registry[count]->name;
    if (node->type != KIN_NODE_TABLE || node->count == 0)
        return kin_fail(error, KIN_ERROR_ARGUMENT, path, "must be a table with the name of a field, such as {drag = 0.1}");
    *ops = NULL;
    for (uint32_t i = 0; i < node->count; ++i) {
        const kin_field_ops* named = kin_field_named(node->keys[i]);
        if (named != NULL && *ops != NULL)
            return kin_fail(error, KIN_ERROR_ARGUMENT, path, "\"%s\" and \"%s\" are two fields: each is an item of its own", (*ops)->name, named->name);
        if (named != NULL) *ops = named;
    }
    if (*ops != NULL) return KIN_OK;
    char where[512] = "";
    kin_text_append(where, sizeof where, "%s.%s", path, node->keys[0]);
    return no_such(where, "field", node->keys[0], names, count, error);
}

kin_result kin_scene_read_field(const kin_node* node, uint32_t index, const kin_param_context* context, const kin_field_ops** ops, void** def, kin_error* error)
{
    char path[32];
    snprintf(path, sizeof path, "fields[%u]", index);
    kin_result result = find_field(node, path, ops, error);
    return result == KIN_OK ? read_by_table((*ops)->params, (*ops)->def_size, node, NULL, path, context, def, error) : result;
}

static kin_result find_system(const kin_node* node, const char* path, const kin_system_ops** ops, kin_error* error)
{
    if (node->type != KIN_NODE_TABLE) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "must be a table with a type, not %s", kin_node_type_name(node->type));
    const kin_node* type = kin_node_get(node, "type");
    if (type == NULL) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "\"type\" is missing");
    char where[64];
    snprintf(where, sizeof where, "%s.type", path);
    if (type->type != KIN_NODE_STRING) return kin_fail(error, KIN_ERROR_ARGUMENT, where, "must be a text, not %s", kin_node_type_name(type->type));
    *ops = kin_system_named(type->string);
    if (*ops != NULL) return KIN_OK;
    const char* names[MOST_KINDS];
    size_t count = 0;
    for (; kin_system_registry[count] != NULL && count < MOST_KINDS; ++count) names[count] = kin_system_registry[count]->name;
    return no_such(where, "type of system", type->string, names, count, error);
}

kin_result kin_scene_read_system(const kin_node* node, uint32_t index, const kin_param_context* context, const kin_system_ops** ops, void** def,
                                 kin_error* error)
{
    char path[32];
    snprintf(path, sizeof path, "systems[%u]", index);
    kin_result result = find_system(node, path, ops, error);
    if (result != KIN_OK) return result;
    const kin_node* name = kin_node_get(node, "name");
    bool good = name == NULL || (name->type == KIN_NODE_STRING && name->count > 0 && strlen(name->string) == name->count);
    if (!good) return kin_fail(error, KIN_ERROR_ARGUMENT, path, "name must be a text that is not empty");
    return read_by_table((*ops)->params, (*ops)->def_size, node, kin_scene_system_keys, path, context, def, error);
}

/* ---- materials ---- */

static kin_result find_preset(const kin_node* node, const char* path, const kin_material_def** base, kin_error* error)
{
    const kin_node* name = kin_node_get(node, "preset");
    if (name == NULL || name->type != KIN_NODE_STRING) return KIN_OK; /* a wrong type is refused when the rows are read */
    *base = kin_material_preset(name->string);
    if (*base != NULL) return KIN_OK;
    const char* names[MOST_KINDS];
    size_t count = 0;
    for (; count < (size_t)kin_material_preset_count && count < MOST_KINDS; ++count) names[count] = kin_material_presets[count].def.name;
    char where[512] = "";
    kin_text_append(where, sizeof where, "%s.preset", path);
    return no_such(where, "preset", name->string, names, count, error);
}

static void material_from_def(const kin_material_def* base, kin_scene_material* m)
{
    *m = (kin_scene_material){.density = base->density,
                              .restitution = base->restitution,
                              .rolling_friction = base->rolling_friction,
                              .spinning_friction = base->spinning_friction,
                              .surface = (int)base->look.surface};
    m->roughness = (double)base->look.roughness;
    m->glow = (double)base->look.glow;
    m->pattern = (int)base->look.pattern;
    m->pattern_size = (double)base->look.pattern_size;
    m->bevel = base->bevel;
    m->ior = base->look.ior > 0 ? (double)base->look.ior : 1.5;
    m->absorption = (kin_vec3){(double)base->look.absorption[0], (double)base->look.absorption[1], (double)base->look.absorption[2]};
    memcpy(m->static_friction, base->static_friction, sizeof m->static_friction);
    memcpy(m->dynamic_friction, base->dynamic_friction, sizeof m->dynamic_friction);
    memcpy(m->color, base->look.color, sizeof m->color);
}

/* What is said wins; what is left out follows what is said, so that sliding never resists more than resting. */
static void settle_friction(const kin_node* node, kin_scene_material* m)
{
    bool both = kin_node_get(node, "friction") != NULL;
    bool at_rest = kin_node_get(node, "static_friction") != NULL, sliding = kin_node_get(node, "dynamic_friction") != NULL;
    for (int i = 0; i < 2; ++i) {
        if (both && !at_rest) m->static_friction[i] = m->friction[i];
        if (both && !sliding) m->dynamic_friction[i] = m->friction[i];
        if (!sliding) m->dynamic_friction[i] = kin_min(m->dynamic_friction[i], m->static_friction[i]);
        if (!at_rest && sliding) m->static_friction[i] = kin_max(m->static_friction[i], m->dynamic_friction[i]);
    }
}

kin_result kin_scene_read_material(const kin_node* node, const char* name, const kin_param_context* context, kin_material_def* def, kin_error* error)
{
    char path[512] = "";
    kin_text_append(path, sizeof path, "materials.%s", name);
    kin_material_def plain = kin_material_def_default();
    const kin_material_def* base = &plain;
    kin_scene_material m;
    kin_result result = find_preset(node, path, &base, error);
    if (result != KIN_OK) return result;
    material_from_def(base, &m);
    result = kin_params_read(kin_scene_material_params, node, NULL, path, context, &m, error);
    if (result != KIN_OK) return result;
    settle_friction(node, &m);
    *def = (kin_material_def){
        .name = name, .density = m.density, .restitution = m.restitution, .rolling_friction = m.rolling_friction, .spinning_friction = m.spinning_friction};
    memcpy(def->static_friction, m.static_friction, sizeof m.static_friction);
    memcpy(def->dynamic_friction, m.dynamic_friction, sizeof m.dynamic_friction);
    def->look = (kin_look){.surface = (kin_surface)m.surface, .roughness = (float)m.roughness, .glow = (float)m.glow, .ior = (float)m.ior};
    def->look.pattern = (kin_surface_pattern)m.pattern, def->look.pattern_size = (float)m.pattern_size;
    def->look.absorption[0] = (float)m.absorption.x, def->look.absorption[1] = (float)m.absorption.y, def->look.absorption[2] = (float)m.absorption.z;
    memcpy(def->look.color, m.color, sizeof m.color);
    def->bevel = m.bevel;
    return KIN_OK;
}

/* ---- the whole tree ---- */

static kin_result check_materials(const kin_scene* scene, const kin_param_context* context, kin_error* error)
{
    const kin_node* materials = kin_node_get(scene->tree.root, "materials");
    bool good = materials == NULL || materials->type == KIN_NODE_TABLE || (materials->type == KIN_NODE_LIST && materials->count == 0);
    if (!good) return kin_fail(error, KIN_ERROR_ARGUMENT, "materials", "must be a table of materials by name, not %s", kin_node_type_name(materials->type));
    kin_material_def def;
    for (uint32_t i = 0; materials != NULL && i < materials->count; ++i) {
        kin_result result = kin_scene_read_material(materials->items[i], materials->keys[i], context, &def, error);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

static kin_result check_parts(const kin_scene* scene, const kin_param_context* context, kin_error* error)
{
    const kin_node* const* items;
    uint32_t count;
    const kin_field_ops* field;
    const kin_system_ops* system;
    void* def;
    kin_result result = check_materials(scene, context, error);
    if (result == KIN_OK) result = kin_scene_list(scene, "fields", &items, &count, error);
    for (uint32_t i = 0; result == KIN_OK && i < count; ++i) result = kin_scene_read_field(items[i], i, context, &field, &def, error);
    if (result == KIN_OK) result = kin_scene_list(scene, "systems", &items, &count, error);
    for (uint32_t i = 0; result == KIN_OK && i < count; ++i) result = kin_scene_read_system(items[i], i, context, &system, &def, error);
    return result;
}

/* The smallest m with 1 / (fps m) <= 1/60. */
static int default_steps(double fps)
{
    double m = kin_ceil(60 / fps);
    while (m > 1 && fps * (m - 1) >= 60) m -= 1; /* the quotient may have been rounded up */
    return m < 1 ? 1 : m > 1e9 ? 1000000000 : (int)m;
}

static kin_result fill_info(kin_scene* scene, const kin_scene_def* def, kin_error* error)
{
    const char* slash = strrchr(scene->file, '/');
    const char* title = kin_scene_keep(scene, def->title != NULL ? def->title : slash != NULL ? slash + 1 : scene->file);
    if (title == NULL) return kin_fail_memory(error, "the scene", 64);
    scene->info = (kin_scene_info){.title = title, .duration = def->duration, .fps = def->fps};
    scene->info.steps_per_frame = def->steps_per_frame > 0 ? def->steps_per_frame : default_steps(def->fps);
    scene->info.frames = (uint64_t)kin_round(def->duration * def->fps);
    scene->info.has_hook = scene->script != NULL && scene->script->hook != LUA_NOREF;
    scene->seed = scene->options.has_seed ? scene->options.seed : def->seed;
    return KIN_OK;
}

kin_result kin_scene_check_tree(kin_scene* scene, kin_error* error)
{
    kin_arena arena;
    kin_arena_init(&arena, &scene->allocator);
    kin_param_context context = {.arena = &arena, .folder = scene->folder};
    kin_scene_def def;
    kin_result result = kin_scene_read_top(scene, &context, &def, error);
    if (result == KIN_OK) result = check_parts(scene, &context, error);
    result = kin_scene_at_file(scene, result, error);
    if (result == KIN_OK) result = fill_info(scene, &def, error);
    kin_arena_term(&arena);
    return result;
}
