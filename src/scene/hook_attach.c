/* hook_attach.c - holding on in on_step: world:attach{...}, target, detach, grab, drag, release, nail. All of them are commands. */
#include "scene/hook.h"
#include "scene/scene_inside.h"
#include "world/world.h"

static kin_attachment_id id_at(lua_State* L, int index)
{
    lua_Integer id = luaL_checkinteger(L, index);
    if (id < 1 || id > UINT32_MAX) luaL_error(L, "%I is not the id of an attachment", (LUAI_UACINT)id);
    return (kin_attachment_id){(uint32_t)id};
}

/* Three numbers from this argument on. */
static kin_vec3 numbers_at(lua_State* L, int index)
{
    double x = luaL_checknumber(L, index), y = luaL_checknumber(L, index + 1), z = luaL_checknumber(L, index + 2);
    return (kin_vec3){x, y, z};
}

static int finish(lua_State* L, kin_result result, const kin_error* error) { return result == KIN_OK ? 0 : kin_hook_fail(L, error); }

/* The table is read by the rows that scenes are read by; what it needs lives in the tree of the call. */
static int world_attach(lua_State* L)
{
    kin_world* world = kin_hook_world(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    kin_script_charge(L, 2 * KIN_HOOK_COMMAND_COST); /* the table is read, too */
    kin_error error = {0};
    kin_tree* tree = kin_script_of(L)->tree;
    kin_lua_reader reader = {.tree = tree, .max_depth = 8, .nodes_left = 1000, .error = &error};
    const kin_node* node = kin_lua_to_node(L, 2, &reader);
    if (node == NULL) return kin_hook_fail(L, &error);
    kin_scene_attachment read = {0};
    kin_attachment_def def;
    kin_attachment_id id;
    kin_params_default(kin_scene_attachment_params, &read);
    kin_result result = kin_params_read(kin_scene_attachment_params, node, NULL, "attach", &(kin_param_context){.arena = &tree->arena}, &read, &error);
    if (result == KIN_OK) result = kin_scene_resolve_attachment(world, node, &read, "attach", &def, &error);
    if (result == KIN_OK) result = kin_world_attach(world, &def, &id, &error);
    if (result != KIN_OK) return kin_hook_fail(L, &error);
    lua_pushinteger(L, id.serial);
    return 1;
}

static int world_attached(lua_State* L)
{
    kin_attachment_view view;
    kin_world* world = kin_hook_world(L);
    kin_script_charge(L, KIN_HOOK_QUESTION_COST);
    lua_pushboolean(L, kin_attachment_look(world, id_at(L, 2), &view));
    return 1;
}

static int world_detach(lua_State* L)
{
    kin_error error = {0};
    kin_world* world = kin_hook_world(L);
    kin_script_charge(L, KIN_HOOK_COMMAND_COST);
    return finish(L, kin_world_detach(world, id_at(L, 2), &error), &error);
}

static int world_target(lua_State* L)
{
    kin_error error = {0};
    kin_world* world = kin_hook_world(L);
    kin_attachment_id id = id_at(L, 2);
    kin_script_charge(L, KIN_HOOK_COMMAND_COST);
    return finish(L, kin_attachment_set_target(world, id, numbers_at(L, 3), &error), &error);
}

static int world_grab(lua_State* L)
{
    kin_error error = {0};
    kin_attachment_id id;
    kin_world* world = kin_hook_world(L);
    kin_vec3 origin = numbers_at(L, 2), direction = numbers_at(L, 5);
    for (size_t i = 0; i < world->system_count; ++i) kin_script_charge(L, world->systems[i].ops->count(world->systems[i].self)); /* all are looked at */
    kin_result result = kin_world_grab(world, origin, direction, luaL_optnumber(L, 8, 0.1), NULL, &id, &error);
    if (result != KIN_OK) return kin_hook_fail(L, &error);
    if (id.serial > 0) {
        lua_pushinteger(L, id.serial);
    } else {
        lua_pushnil(L);
    }
    return 1;
}

static int world_drag(lua_State* L)
{
    kin_error error = {0};
    kin_world* world = kin_hook_world(L);
    kin_attachment_id id = id_at(L, 2);
    kin_vec3 origin = numbers_at(L, 3), direction = numbers_at(L, 6);
    kin_script_charge(L, KIN_HOOK_COMMAND_COST);
    return finish(L, kin_world_drag(world, id, origin, direction, &error), &error);
}

static int set_mobility(lua_State* L, kin_mobility mobility)
{
    kin_world* world = kin_hook_world(L);
    kin_anchor at = kin_hook_element(L, world);
    return kin_hook_give(L, world, &(kin_command){.kind = KIN_COMMAND_MOBILITY, .system = at.system, .element = at.element, .mobility = mobility});
}

static int world_nail(lua_State* L) { return set_mobility(L, KIN_MOBILITY_STATIC); }
static int world_unnail(lua_State* L) { return set_mobility(L, KIN_MOBILITY_DYNAMIC); }

const luaL_Reg kin_hook_attach_methods[] = {
    {"attach", world_attach}, {"attached", world_attached}, {"detach", world_detach}, {"target", world_target}, {"grab", world_grab},
    {"drag", world_drag},     {"release", world_detach},    {"nail", world_nail},     {"unnail", world_unnail}, {NULL, NULL},
};
