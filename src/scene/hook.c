/* hook.c - on_step(world, t): what a script may see of a running world, and the commands it may give.
 *
 * A hook remembers in world.state only. The table is made anew from the world's own copy before every call and written back after it, so that a run that
 * was restored and one that was not see the same thing. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "io/json.h"
#include "scene/hook.h"
#include "scene/scene_inside.h"
#include "world/world.h"
#include <stdio.h>
#include <string.h>

enum { MOST_STATE_NODES = 1000000, DEEPEST_STATE = 100 };

typedef struct call {
    kin_world* world;
    kin_tree tree; /* the state, before and after */
    kin_node* state;
    kin_error error; /* of a state that cannot be kept */
    kin_result result;
} call;

/* ---- arguments ---- */

kin_world* kin_hook_world(lua_State* L)
{
    kin_world* world = kin_script_of(L)->world;
    luaL_checkudata(L, 1, "world");
    if (world == NULL) luaL_error(L, "the world can be used only inside on_step");
    return world;
}

/* A system by name, or by number as in systems[0]. */
static uint32_t system_at(lua_State* L, const kin_world* world, int index)
{
    if (lua_type(L, index) == LUA_TSTRING) {
        const char* name = lua_tostring(L, index);
        uint32_t number = kin_world_system(world, name).index1;
        if (number == 0) luaL_error(L, "there is no system \"%s\"", name);
        return number;
    }
    lua_Integer number = luaL_checkinteger(L, index);
    if (number < 0 || number >= (lua_Integer)world->system_count)
        luaL_error(L, "there is no system %I: there are %d, counted from 0", (LUAI_UACINT)number, (int)world->system_count);
    return (uint32_t)number + 1;
}

kin_anchor kin_hook_element(lua_State* L, const kin_world* world)
{
    kin_anchor anchor = {.system = system_at(L, world, 2)};
    const kin_system_slot* slot = &world->systems[anchor.system - 1];
    lua_Integer element = luaL_checkinteger(L, 3);
    size_t count = slot->ops->count(slot->self);
    if (element < 0 || (uint64_t)element >= count)
        luaL_error(L, "%s has no element %I: there are %I, counted from 0", slot->name, (LUAI_UACINT)element, (LUAI_UACINT)count);
    anchor.element = (uint32_t)element;
    return anchor;
}

static double component(lua_State* L, int index, int i)
{
    lua_rawgeti(L, index, i);
    if (lua_type(L, -1) != LUA_TNUMBER) luaL_error(L, "argument %d must be {x, y, z}, three numbers", index - 1);
    double value = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return value;
}

static kin_vec3 vector_at(lua_State* L, int index)
{
    if (!lua_istable(L, index)) luaL_error(L, "argument %d must be {x, y, z}", index - 1);
    double x = component(L, index, 1), y = component(L, index, 2), z = component(L, index, 3);
    return (kin_vec3){x, y, z};
}

static int push_vector(lua_State* L, kin_vec3 v)
{
    const double numbers[3] = {v.x, v.y, v.z};
    lua_createtable(L, 3, 0);
    for (int i = 0; i < 3; ++i) {
        lua_pushnumber(L, numbers[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

int kin_hook_fail(lua_State* L, const kin_error* error)
{
    char text[1100];
    kin_error_text(error, text, sizeof text);
    return luaL_error(L, "%s", text);
}

int kin_hook_give(lua_State* L, kin_world* world, const kin_command* command)
{
    kin_script_charge(L, KIN_HOOK_COMMAND_COST);
    kin_error error = {0};
    return kin_world_command(world, command, &error) == KIN_OK ? 0 : kin_hook_fail(L, &error);
}

/* ---- methods ---- */

static int world_set(lua_State* L)
{
    kin_world* world = kin_hook_world(L);
    const char* path = luaL_checkstring(L, 2);
    kin_node numbers[4], *items[4], node = {0};
    int type = lua_type(L, 3);
    if (type == LUA_TNUMBER) {
        node = (kin_node){.type = KIN_NODE_NUMBER, .number = lua_tonumber(L, 3)};
    } else if (type == LUA_TBOOLEAN) {
        node = (kin_node){.type = KIN_NODE_BOOL, .boolean = lua_toboolean(L, 3) != 0};
    } else if (type == LUA_TSTRING) {
        size_t length;
        node = (kin_node){.type = KIN_NODE_STRING, .string = lua_tolstring(L, 3, &length)};
        node.count = (uint32_t)length;
    } else if (type == LUA_TTABLE && lua_rawlen(L, 3) <= 4) {
        node = (kin_node){.type = KIN_NODE_LIST, .count = (uint32_t)lua_rawlen(L, 3), .items = items};
        for (uint32_t i = 0; i < node.count; ++i) {
            numbers[i] = (kin_node){.type = KIN_NODE_NUMBER, .number = component(L, 3, (int)i + 1)};
            items[i] = &numbers[i];
        }
    } else {
        return luaL_error(L, "world:set takes a number, a text, true or false, or a list of up to 4 numbers");
    }
    kin_command command;
    kin_error error = {0};
    if (kin_command_set(path, &node, &command, &error) != KIN_OK) return luaL_error(L, "%s", error.message);
    return kin_hook_give(L, world, &command);
}

static int world_push(lua_State* L)
{
    kin_world* world = kin_hook_world(L);
    kin_anchor at = kin_hook_element(L, world);
    return kin_hook_give(L, world, &(kin_command){.kind = KIN_COMMAND_PUSH, .system = at.system, .element = at.element, .a = vector_at(L, 4)});
}

static int world_place(lua_State* L)
{
    kin_world* world = kin_hook_world(L);
    kin_anchor at = kin_hook_element(L, world);
    kin_vec3 position = vector_at(L, 4), velocity = lua_isnoneornil(L, 5) ? (kin_vec3){0, 0, 0} : vector_at(L, 5);
    return kin_hook_give(L, world, &(kin_command){.kind = KIN_COMMAND_PLACE, .system = at.system, .element = at.element, .a = position, .b = velocity});
}

static int world_status(lua_State* L)
{
    static const char* const names[] = {"inactive", "static", "dynamic", "animated", NULL};
    kin_world* world = kin_hook_world(L);
    kin_anchor at = kin_hook_element(L, world);
    kin_mobility mobility = (kin_mobility)luaL_checkoption(L, 4, NULL, names);
    return kin_hook_give(L, world, &(kin_command){.kind = KIN_COMMAND_MOBILITY, .system = at.system, .element = at.element, .mobility = mobility});
}

static int world_attribute(lua_State* L)
{
    kin_world* world = kin_hook_world(L);
    kin_anchor at = kin_hook_element(L, world);
    double value = 0;
    kin_error error = {0};
    kin_script_charge(L, KIN_HOOK_QUESTION_COST);
    if (kin_world_attribute(world, at, luaL_checkstring(L, 4), &value, &error) != KIN_OK) return kin_hook_fail(L, &error);
    lua_pushnumber(L, value);
    return 1;
}

static int world_set_attribute(lua_State* L)
{
    kin_world* world = kin_hook_world(L);
    kin_anchor at = kin_hook_element(L, world);
    const char* name = luaL_checkstring(L, 4);
    double value = luaL_checknumber(L, 5);
    kin_error error = {0};
    kin_script_charge(L, KIN_HOOK_COMMAND_COST);
    return kin_world_set_attribute(world, at, name, value, &error) == KIN_OK ? 0 : kin_hook_fail(L, &error);
}

static kin_motion motion_of(lua_State* L)
{
    kin_world* world = kin_hook_world(L);
    kin_anchor at = kin_hook_element(L, world);
    kin_motion motion;
    kin_error error = {0};
    kin_script_charge(L, KIN_HOOK_QUESTION_COST);
    if (kin_world_motion(world, &at, 1, &motion, &error) != KIN_OK) kin_hook_fail(L, &error);
    return motion;
}

static int world_position(lua_State* L) { return push_vector(L, motion_of(L).pose.position); }

static int world_velocity(lua_State* L) { return push_vector(L, motion_of(L).velocity); }

/* ---- contacts ---- */

/* Of bodies in a system of type rigid that reports contacts. */
static kin_anchor contact_body(lua_State* L, kin_world* world, kin_vec3* force, kin_vec3* torque)
{
    const kin_anchor at = kin_hook_element(L, world);
    const kin_system_slot* slot = &world->systems[at.system - 1];
    kin_error error = {0};
    if (strcmp(slot->ops->name, "rigid") != 0) luaL_error(L, "%s is of type %s: contacts are reported by systems of type rigid", slot->name, slot->ops->name);
    if (kin_world_check_anchor(world, at, KIN_ELEMENT_ASK, "", &error) != KIN_OK) kin_hook_fail(L, &error);
    if (!kin_rigid_contact_load(world, kin_world_system(world, slot->name), at.element, force, torque))
        luaL_error(L, "%s does not keep contacts: give it report_contacts = true", slot->name);
    return at;
}

/* N, N m about the centre of mass: the mean over the last step. */
static int world_contact_force(lua_State* L)
{
    kin_vec3 force, torque;
    kin_world* world = kin_hook_world(L);
    contact_body(L, world, &force, &torque);
    kin_script_charge(L, KIN_HOOK_QUESTION_COST);
    push_vector(L, force);
    push_vector(L, torque);
    return 2;
}

static void set_vector(lua_State* L, const char* key, kin_vec3 v)
{
    push_vector(L, v);
    lua_setfield(L, -2, key);
}

static void push_points(lua_State* L, const kin_body_contact* c)
{
    lua_createtable(L, c->count, 0);
    for (int k = 0; k < c->count; ++k) {
        lua_createtable(L, 0, 3);
        set_vector(L, "position", c->points[k].position);
        lua_pushnumber(L, c->points[k].separation), lua_setfield(L, -2, "separation");
        lua_pushnumber(L, c->points[k].impulse), lua_setfield(L, -2, "impulse");
        lua_rawseti(L, -2, k + 1);
    }
}

/* As it acts on one of the two; the other is named by system and element, or a collider by its number. */
static void push_contact(lua_State* L, const kin_world* world, const kin_body_contact* c, bool on_a)
{
    const double sign = on_a ? 1 : -1;
    const kin_anchor other = on_a ? c->b : c->a;
    lua_createtable(L, 0, 7);
    lua_pushinteger(L, (lua_Integer)other.element), lua_setfield(L, -2, other.system == KIN_WORLD_SYSTEM ? "collider" : "element");
    if (other.system != KIN_WORLD_SYSTEM) lua_pushstring(L, world->systems[other.system - 1].name), lua_setfield(L, -2, "system");
    set_vector(L, "normal", kin_scale(c->normal, sign));
    lua_pushnumber(L, c->impulse), lua_setfield(L, -2, "impulse");
    set_vector(L, "friction", kin_scale(c->friction, sign));
    set_vector(L, "twist", kin_scale(c->twist, sign));
    push_points(L, c);
    lua_setfield(L, -2, "points");
}

static int world_contacts(lua_State* L)
{
    kin_vec3 force, torque;
    kin_world* world = kin_hook_world(L);
    const kin_anchor at = contact_body(L, world, &force, &torque);
    size_t count;
    const kin_body_contact* all = kin_world_contacts(world, &count);
    lua_Integer n = 0;
    kin_script_charge(L, KIN_HOOK_QUESTION_COST + (int)(count / 16)); /* all are looked through */
    lua_newtable(L);
    for (size_t i = 0; i < count; ++i) {
        const bool on_a = all[i].a.system == at.system && all[i].a.element == at.element, on_b = all[i].b.system == at.system && all[i].b.element == at.element;
        if (!on_a && !on_b) continue;
        kin_script_charge(L, KIN_HOOK_QUESTION_COST);
        push_contact(L, world, &all[i], on_a);
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

/* ---- any system ---- */

static int world_count(lua_State* L)
{
    kin_world* world = kin_hook_world(L);
    const kin_system_slot* slot = &world->systems[system_at(L, world, 2) - 1];
    lua_pushinteger(L, (lua_Integer)slot->ops->count(slot->self));
    return 1;
}

/* Any number may be asked about. */
static int world_has(lua_State* L)
{
    const kin_world* world = kin_hook_world(L);
    const uint32_t system = system_at(L, world, 2);
    const lua_Integer element = luaL_checkinteger(L, 3);
    lua_pushboolean(L, element >= 0 && element < UINT32_MAX && kin_world_has(world, (kin_anchor){.system = system, .element = (uint32_t)element}));
    return 1;
}

static int world_random(lua_State* L)
{
    kin_hook_world(L);
    lua_pushnumber(L, kin_lua_random_unit(L));
    return 1;
}

const luaL_Reg kin_hook_methods[] = {
    {"set", world_set},
    {"push", world_push},
    {"place", world_place},
    {"status", world_status},
    {"position", world_position},
    {"velocity", world_velocity},
    {"count", world_count},
    {"has", world_has},
    {"random", world_random},
    {"contacts", world_contacts},
    {"contact_force", world_contact_force},
    {"attribute", world_attribute},
    {"set_attribute", world_set_attribute},
    {NULL, NULL},
};

/* ---- fields ---- */

static int no_such_field(lua_State* L, const char* key)
{
    char names[512] = "time, step, state";
    const luaL_Reg* const lists[] = {kin_hook_methods, kin_hook_attach_methods};
    for (int k = 0; k < 2; ++k) {
        for (const luaL_Reg* m = lists[k]; m->name != NULL; ++m) kin_text_append(names, sizeof names, ", %s", m->name);
    }
    return luaL_error(L, "world has no \"%s\"; it has %s", key, names);
}

/* Upvalue 1: the methods. The userdata's one user value is the state. */
static int world_index(lua_State* L)
{
    kin_world* world = kin_hook_world(L);
    const char* key = luaL_checkstring(L, 2);
    if (strcmp(key, "time") == 0) return lua_pushnumber(L, kin_world_time(world)), 1;
    if (strcmp(key, "step") == 0) return lua_pushinteger(L, (lua_Integer)world->step_count), 1;
    if (strcmp(key, "state") == 0) return lua_getiuservalue(L, 1, 1), 1;
    if (lua_getfield(L, lua_upvalueindex(1), key) != LUA_TNIL) return 1;
    return no_such_field(L, key);
}

static int world_new_index(lua_State* L)
{
    kin_hook_world(L);
    const char* key = luaL_checkstring(L, 2);
    if (strcmp(key, "state") != 0) return luaL_error(L, "world.%s cannot be set; what a hook remembers goes into world.state", key);
    lua_setiuservalue(L, 1, 1);
    return 0;
}

static void push_world(lua_State* L)
{
    lua_newuserdatauv(L, 1, 1);
    if (luaL_newmetatable(L, "world") != 0) {
        luaL_newlib(L, kin_hook_methods);
        luaL_setfuncs(L, kin_hook_attach_methods, 0);
        lua_pushcclosure(L, world_index, 1);
        lua_setfield(L, -2, "__index");
        lua_pushcfunction(L, world_new_index);
        lua_setfield(L, -2, "__newindex");
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
    }
    lua_setmetatable(L, -2);
}

/* ---- the call ---- */

static int run_hook(lua_State* L)
{
    call* c = lua_touserdata(L, 1);
    kin_script* script = kin_script_of(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, script->hook);
    push_world(L);
    if (c->state != NULL) {
        kin_lua_push_node(L, c->state);
    } else {
        lua_newtable(L);
    }
    lua_setiuservalue(L, -2, 1);
    lua_pushvalue(L, -1);
    lua_insert(L, 2); /* kept below, for its state */
    lua_pushnumber(L, kin_world_time(c->world));
    lua_call(L, 2, 0);
    lua_getiuservalue(L, 2, 1);
    kin_lua_reader reader = {.tree = &c->tree, .max_depth = DEEPEST_STATE, .nodes_left = MOST_STATE_NODES, .error = &c->error};
    c->state = kin_lua_to_node(L, -1, &reader);
    c->result = reader.result;
    return 0;
}

static kin_result read_state(call* c, kin_error* error)
{
    const kin_world* world = c->world;
    if (world->script_state_size == 0) return KIN_OK;
    kin_json_limits limits = {world->script_state_size, DEEPEST_STATE + 1, 4 * (size_t)MOST_STATE_NODES};
    kin_result result = kin_json_read(&c->tree, world->script_state, world->script_state_size, "world.state", &limits, error);
    c->state = c->tree.root;
    return result;
}

static kin_result write_state(const kin_scene* scene, call* c, kin_error* error)
{
    if (c->state == NULL) {
        char where[512] = "";
        kin_text_append(where, sizeof where, "%s: world.state%s%s", scene->file, c->error.where[0] == 0 || c->error.where[0] == '[' ? "" : ".", c->error.where);
        return kin_fail(error, c->result, where, "%s", c->error.message);
    }
    char* text = NULL;
    size_t length = 0, capacity = 0;
    kin_result result = KIN_OK;
    if (!kin_node_write(c->state, 0, &scene->allocator, &text, &length, &capacity)) {
        result = kin_fail(error, KIN_ERROR_ARGUMENT, scene->file, "world.state must hold finite numbers only, and fit into memory");
    }
    if (result == KIN_OK) result = kin_world_set_script_state(c->world, text, length, error);
    kin_free(&scene->allocator, text, capacity);
    return result;
}

kin_result kin_scene_before_step(kin_scene* scene, kin_world* world, kin_error* error)
{
    if (!scene->info.has_hook) return KIN_OK;
    kin_script* script = scene->script;
    call c = {.world = world};
    kin_tree_init(&c.tree, &scene->allocator);
    kin_result result = read_state(&c, error);
    if (result == KIN_OK) {
        script->random = (kin_rng_key){.seed = world->def.seed, .step = world->step_count, .system = UINT32_MAX, .tick = 1};
        script->draw = 0;
        script->metatables = script->metatables_read;
        script->world = world;
        script->tree = &c.tree;
        script->log_length = 0;
        result = kin_script_run(script, run_hook, &c, error);
        script->world = NULL;
        script->tree = NULL;
        kin_script_tell(script, &world->def.log);
    }
    if (result == KIN_OK) result = write_state(scene, &c, error);
    kin_tree_term(&c.tree);
    return result;
}
