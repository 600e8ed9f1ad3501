/* build.c - from a scene to a world. Everything is read and its bytes are summed before anything big is made, so that a scene too big for this machine is
 * refused at once. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "io/mesh_read.h"
#include "io/picture_read.h"
#include "math/vec3.h"
#include "scene/law.h"
#include "scene/scene_inside.h"
#include "system/field.h"
#include "system/shape_params.h"
#include "world/registry.h"
#include "world/world.h"
#include <stdio.h>
#include <string.h>

/* A system that was read and is still to be made. */
typedef struct planned {
    const kin_system_ops* ops;
    void* def;
    char name[sizeof((kin_system_slot*)0)->name];
} planned;

/* A mesh file, read once however many things have its shape. */
typedef struct mesh_file {
    struct mesh_file* next;
    const char* path;
    kin_mesh_data data;
} mesh_file;

/* A picture file, likewise. */
typedef struct picture_file {
    struct picture_file* next;
    kin_picture_view picture;
} picture_file;

typedef struct builder {
    const kin_scene* scene;
    kin_world* world;
    kin_arena arena;
    kin_param_context context;
    kin_scene_def def;
    planned* systems;
    uint32_t system_count;
    mesh_file* meshes;
    picture_file* pictures;
    size_t mesh_bytes; /* of all solids with a mesh */
    kin_error* error;
} builder;

/* ---- the empty world ---- */

/* path lives in the arena, as the file does. */
static kin_result find_mesh(builder* b, const char* path, mesh_file** out, kin_error* error)
{
    for (*out = b->meshes; *out != NULL; *out = (*out)->next) {
        if (strcmp((*out)->path, path) == 0) return KIN_OK;
    }
    mesh_file* file = kin_arena_take(&b->arena, sizeof *file);
    if (file == NULL) return kin_fail_memory(error, "a mesh", sizeof *file);
    *file = (mesh_file){.path = path};
    kin_result result = kin_mesh_read(&b->scene->allocator, path, &file->data, error);
    if (result != KIN_OK) return result;
    file->next = b->meshes;
    b->meshes = file;
    *out = file;
    return KIN_OK;
}

static kin_result read_mesh(void* reader, const char* path, kin_mesh_view* out, kin_error* error)
{
    builder* b = reader;
    mesh_file* file;
    kin_result result = find_mesh(b, path, &file, error);
    if (result != KIN_OK) return result;
    *out = kin_mesh_data_view(&file->data);
    b->mesh_bytes += 96 * out->vertex_count + 256 * out->face_count; /* with normals, neighbours and its tree */
    return KIN_OK;
}

static kin_result read_picture(void* reader, const char* path, kin_picture_view* out, kin_error* error)
{
    builder* b = reader;
    picture_file* file = kin_arena_take(&b->arena, sizeof *file);
    if (file == NULL) return kin_fail_memory(error, "a picture", sizeof *file);
    kin_result result = kin_picture_read(&b->scene->allocator, path, &file->picture, error);
    if (result != KIN_OK) return result;
    file->next = b->pictures;
    b->pictures = file;
    *out = file->picture;
    return KIN_OK;
}

static void free_files(builder* b)
{
    for (mesh_file* file = b->meshes; file != NULL; file = file->next) kin_mesh_data_term(&file->data);
    for (picture_file* file = b->pictures; file != NULL; file = file->next) kin_picture_free(&b->scene->allocator, &file->picture);
}

static kin_result make_world(builder* b, const kin_world_def* given)
{
    const kin_scene_info* info = &b->scene->info;
    kin_world_def def = *given;
    def.time_step = 1 / (info->fps * info->steps_per_frame);
    def.seed = b->scene->seed;
    def.gravity = b->def.gravity;
    def.bounds = (kin_bounds_policy)b->def.bounds.policy;
    def.bounds_low = b->def.bounds.low;
    def.bounds_high = b->def.bounds.high;
    def.restitution_rule = (kin_pair_rule)b->def.pairs.restitution;
    def.friction_rule = (kin_pair_rule)b->def.pairs.friction;
    def.max_intervals = b->def.max_intervals;
    def.max_passes = b->def.max_passes;
    return kin_world_create(&def, &b->world, b->error);
}

static kin_result add_materials(builder* b)
{
    const kin_node* materials = kin_node_get(b->scene->tree.root, "materials");
    for (uint32_t i = 0; materials != NULL && i < materials->count; ++i) {
        kin_material_def def;
        kin_material_id id;
        const char* name = materials->keys[i];
        kin_result result = kin_scene_read_material(materials->items[i], name, &b->context, &def, b->error);
        if (result != KIN_OK) return result;
        char path[sizeof((kin_error*)0)->where];
        snprintf(path, sizeof path, "materials.%.400s", name);
        result = kin_within(kin_world_add_material(b->world, &def, &id, b->error), path, b->error);
        if (result != KIN_OK) return result;
    }
    return KIN_OK;
}

/* The scene counts its users. */
static kin_result bind_law(builder* b, const kin_node* field, uint32_t index, kin_law_field* def)
{
    kin_lua_law* law;
    kin_result result = kin_lua_law_create((kin_scene*)b->scene, field, index, b->world, &law, b->error);
    if (result != KIN_OK) return result;
    def->fn = kin_lua_law_evaluate;
    def->context = law;
    def->one_thread = true;
    return KIN_OK;
}

static kin_result add_fields(builder* b)
{
    const kin_node* const* items;
    uint32_t count;
    kin_result result = kin_scene_list(b->scene, "fields", &items, &count, b->error);
    for (uint32_t i = 0; result == KIN_OK && i < count; ++i) {
        const kin_field_ops* ops;
        void* def;
        uint32_t index;
        char path[32];
        snprintf(path, sizeof path, "fields[%u]", i);
        result = kin_scene_read_field(items[i], i, &b->context, &ops, &def, b->error);
        if (result == KIN_OK && strcmp(ops->name, "law") == 0) result = bind_law(b, items[i], i, def);
        if (result == KIN_OK) result = kin_within(kin_world_add_field_of(b->world, ops, def, &index, b->error), path, b->error);
    }
    return result;
}

/* ---- what will be in it ---- */

static bool name_is_taken(const builder* b, uint32_t count, const char* name)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (strcmp(b->systems[i].name, name) == 0) return true;
    }
    return false;
}

/* A name that was given counts; without one it is the type, then type2, type3 ... */
static kin_result choose_name(builder* b, uint32_t index, const kin_node* node)
{
    planned* system = &b->systems[index];
    const kin_node* given = kin_node_get(node, "name");
    char path[48];
    snprintf(path, sizeof path, "systems[%u].name", index);
    if (given != NULL) {
        if (given->count >= sizeof system->name) return kin_fail(b->error, KIN_ERROR_ARGUMENT, path, "must be shorter than %zu bytes", sizeof system->name);
        if (name_is_taken(b, index, given->string))
            return kin_fail(b->error, KIN_ERROR_ARGUMENT, path, "an earlier system is called \"%s\" too", given->string);
        snprintf(system->name, sizeof system->name, "%s", given->string);
        return KIN_OK;
    }
    snprintf(system->name, sizeof system->name, "%s", system->ops->name);
    for (uint32_t n = 2; name_is_taken(b, index, system->name); ++n) snprintf(system->name, sizeof system->name, "%s%u", system->ops->name, n);
    return KIN_OK;
}

static kin_result read_systems(builder* b)
{
    const kin_node* const* items;
    kin_result result = kin_scene_list(b->scene, "systems", &items, &b->system_count, b->error);
    if (result != KIN_OK || b->system_count == 0) return result;
    b->systems = kin_arena_take(&b->arena, b->system_count * sizeof *b->systems);
    if (b->systems == NULL) return kin_fail_memory(b->error, "the systems", b->system_count * sizeof *b->systems);
    for (uint32_t i = 0; result == KIN_OK && i < b->system_count; ++i) {
        b->systems[i] = (planned){0};
        result = kin_scene_read_system(items[i], i, &b->context, &b->systems[i].ops, &b->systems[i].def, b->error);
        if (result == KIN_OK) result = choose_name(b, i, items[i]);
    }
    return result;
}

static void bytes_text(size_t bytes, char* text, size_t size)
{
    static const char* const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    double amount = (double)bytes;
    int unit = 0;
    for (; amount >= 1000 && unit < 4; ++unit) amount /= 1000;
    snprintf(text, size, "%.3g %s", amount, units[unit]);
}

static kin_result check_memory(builder* b)
{
    size_t needed = b->mesh_bytes, largest = 0;
    uint32_t largest_index = 0;
    for (uint32_t i = 0; i < b->system_count; ++i) {
        size_t bytes = b->systems[i].ops->bytes != NULL ? b->systems[i].ops->bytes(b->systems[i].def) : 0;
        needed = needed > SIZE_MAX - bytes ? SIZE_MAX : needed + bytes;
        if (bytes > largest) {
            largest = bytes;
            largest_index = i;
        }
    }
    size_t available = kin_memory_available();
    if (needed <= available) return KIN_OK;
    char path[32] = "", need[32], have[32];
    if (largest > 0) snprintf(path, sizeof path, "systems[%u]", largest_index);
    bytes_text(needed, need, sizeof need);
    bytes_text(available, have, sizeof have);
    return kin_fail(b->error, KIN_ERROR_MEMORY, path, "the scene needs %s%s of memory and this machine has %s free", needed == SIZE_MAX ? "more than " : "",
                    need, have);
}

/* ---- putting it in ---- */

static kin_result add_colliders(builder* b)
{
    kin_result result = KIN_OK;
    for (size_t i = 0; result == KIN_OK && i < b->def.collider_count; ++i) {
        kin_collider_id id;
        char path[40];
        snprintf(path, sizeof path, "colliders[%zu]", i);
        const kin_collider_def* def = &b->def.colliders[i];
        result = kin_within(kin_shape_name_by_keys(kin_world_add_collider(b->world, def, &id, b->error), &def->shape, b->error), path, b->error);
    }
    return result;
}

static kin_result set_pairs(builder* b)
{
    kin_result result = KIN_OK;
    for (size_t i = 0; result == KIN_OK && i < b->def.pairs.value_count; ++i) {
        char path[48];
        snprintf(path, sizeof path, "pairs.values[%zu]", i);
        const kin_scene_pair* pair = &b->def.pairs.values[i];
        kin_material_pair_def def = pair->def;
        for (int k = 0; k < 2; ++k) {
            if (def.static_friction[k] < 0) def.static_friction[k] = pair->friction[k];
            if (def.dynamic_friction[k] < 0) def.dynamic_friction[k] = pair->friction[k];
        }
        result = kin_within(kin_world_set_material_pair(b->world, &def, b->error), path, b->error);
    }
    return result;
}

static kin_result add_systems(builder* b)
{
    kin_result result = KIN_OK;
    for (uint32_t i = 0; result == KIN_OK && i < b->system_count; ++i) {
        kin_system_id id;
        char path[32];
        snprintf(path, sizeof path, "systems[%u]", i);
        result = kin_within(kin_world_add_system(b->world, b->systems[i].ops, b->systems[i].name, b->systems[i].def, &id, b->error), path, b->error);
    }
    return result;
}

static kin_result add_attachments(builder* b)
{
    const kin_node* list = kin_node_get(b->scene->tree.root, "attachments");
    kin_result result = KIN_OK;
    for (size_t i = 0; result == KIN_OK && i < b->def.attachment_count; ++i) {
        kin_attachment_def def;
        char path[40];
        snprintf(path, sizeof path, "attachments[%zu]", i);
        result = kin_scene_resolve_attachment(b->world, kin_scene_item(list, i), &b->def.attachments[i], path, &def, b->error);
        if (result == KIN_OK) result = kin_within(kin_world_add_attachment(b->world, &def, NULL, b->error), path, b->error);
    }
    return result;
}

static kin_result set_view(builder* b)
{
    const kin_scene_camera* c = &b->def.camera;
    kin_view view = kin_view_default();
    view.camera = (kin_camera){.eye = c->eye, .target = c->target, .up = c->up, .field_of_view = c->fov, .aperture = c->aperture, .shutter = c->shutter};
    view.light.sun_direction = kin_normalize_or(c->sun, kin_v(0, 1, 0));
    view.light.sun_angle = c->sun_angle;
    view.light.exposure = c->exposure;
    view.light.clouds = c->clouds;
    memcpy(view.light.sun, c->sun_color, sizeof c->sun_color);
    memcpy(view.light.sky, c->sky_color, sizeof c->sky_color);
    memcpy(view.light.horizon, c->horizon_color, sizeof c->horizon_color);
    view.keys = c->keys;
    view.key_count = c->key_count;
    return kin_within(kin_world_set_view(b->world, &view, b->error), "camera", b->error);
}

static kin_result build(builder* b, const kin_world_def* def)
{
    kin_result result = kin_scene_read_top(b->scene, &b->context, &b->def, b->error);
    if (result == KIN_OK) result = make_world(b, def);
    if (result != KIN_OK) return result;
    result = add_materials(b);
    b->context.materials = &b->world->materials;
    b->context.read_mesh = read_mesh;
    b->context.read_picture = read_picture;
    b->context.reader = b;
    if (result == KIN_OK) result = kin_scene_read_top(b->scene, &b->context, &b->def, b->error); /* again: now materials and meshes are known */
    if (result == KIN_OK) result = read_systems(b);
    if (result == KIN_OK) result = check_memory(b);
    if (result == KIN_OK) result = add_fields(b);
    if (result == KIN_OK) result = add_colliders(b);
    if (result == KIN_OK) result = set_pairs(b);
    if (result == KIN_OK) result = add_systems(b);
    if (result == KIN_OK) result = add_attachments(b);
    if (result == KIN_OK) result = set_view(b);
    return result;
}

kin_result kin_scene_build(const kin_scene* scene, const kin_world_def* def, kin_world** out, kin_error* error)
{
    builder b = {.scene = scene, .error = error};
    *out = NULL;
    kin_arena_init(&b.arena, &scene->allocator);
    b.context = (kin_param_context){.arena = &b.arena, .folder = scene->folder};
    kin_result result = kin_scene_at_file(scene, build(&b, def), error);
    free_files(&b);
    kin_arena_term(&b.arena);
    if (result != KIN_OK) {
        kin_world_destroy(b.world);
        return result;
    }
    if (scene->script != NULL) kin_script_tell(scene->script, &def->log);
    *out = b.world;
    return KIN_OK;
}
