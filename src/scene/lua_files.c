/* lua_files.c - scripts and files: compiling a source, include() of another, param(), and evaluating a whole scene script. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "scene/scene_inside.h"
#include <stdlib.h>
#include <string.h>

/* ---- compiling ---- */

/* Hands the text over byte by byte, so that after a syntax error `given` tells how far the lexer came: Lua knows lines only. */
typedef struct feed {
    const kin_source* source;
    size_t given;
    bool ended; /* and Lua was told so */
} feed;

static const char* feed_byte(lua_State* L, void* data, size_t* size)
{
    (void)L;
    feed* f = data;
    *size = f->given < f->source->size ? 1 : 0;
    f->ended = *size == 0;
    return *size > 0 ? &f->source->text[f->given++] : NULL;
}

/* Where the token stands that the message is about: the last one read, before the one byte of look-ahead. */
static size_t token_position(const feed* f, const char* message)
{
    enum { FARTHEST = 256 };
    const char* near = NULL;
    for (const char* at = message; (at = strstr(at, " near '")) != NULL; at += 7) near = at + 7;
    size_t length = near != NULL && strlen(near) > 1 ? strlen(near) - 1 : 0; /* without the closing quote */
    size_t end = f->ended || f->given == 0 ? f->given : f->given - 1;
    size_t latest = end >= length ? end - length : 0;
    for (size_t back = 0; length > 0 && back <= latest && back < FARTHEST; ++back) {
        if (memcmp(f->source->text + latest - back, near, length) == 0) return latest - back;
    }
    return end;
}

static void place_of(const kin_source* source, size_t position, int* line, int* column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < position && i < source->size; ++i) {
        if (source->text[i] == '\n') {
            *line += 1;
            *column = 1;
        } else if ((source->text[i] & 0xC0) != 0x80) {
            *column += 1;
        }
    }
}

/* "chunk:line: message" at the top becomes "chunk:line:column: message". */
static void add_column(lua_State* L, const feed* f)
{
    const char* text = lua_tostring(L, -1);
    const char* colon = strstr(text, ": ");
    const char* number = colon;
    while (number != NULL && number > text && number[-1] >= '0' && number[-1] <= '9') --number;
    if (number == NULL || number == colon) return;
    int line, column;
    place_of(f->source, token_position(f, text), &line, &column);
    if (line != atoi(number)) return; /* it is about something farther back */
    lua_pushlstring(L, text, (size_t)(colon - text));
    lua_pushfstring(L, ":%d%s", column, colon);
    lua_concat(L, 2);
    lua_remove(L, -2);
}

void kin_lua_load_source(lua_State* L, size_t number)
{
    const kin_source* source = &kin_script_of(L)->scene->sources[number];
    kin_script_charge(L, 10000 + source->size / 8); /* a script that includes itself apart from a cycle: twice two times ... */
    lua_pushfstring(L, "@%s", source->file);
    feed f = {.source = source};
    int status = lua_load(L, feed_byte, &f, lua_tostring(L, -1), "t");
    lua_remove(L, -2);
    if (status == LUA_ERRSYNTAX) add_column(L, &f);
    if (status != LUA_OK) lua_error(L);
}

/* ---- include(file) ---- */

static void raise_error(lua_State* L, const kin_error* error)
{
    char text[1100];
    kin_error_text(error, text, sizeof text);
    luaL_error(L, "%s", text);
}

/* Its one argument is the number of the source; returns the file's value. */
static int run_source(lua_State* L)
{
    kin_scene* scene = kin_script_of(L)->scene;
    size_t number = (size_t)lua_tointeger(L, 1);
    if (!scene->sources[number].json) {
        kin_lua_load_source(L, number);
        lua_call(L, 0, 1);
        return 1;
    }
    kin_script_charge(L, 10000 + scene->sources[number].size);
    kin_error error;
    kin_node* node;
    if (kin_scene_read_json(scene, number, &node, &error) != KIN_OK) raise_error(L, &error);
    kin_lua_push_node(L, node);
    return 1;
}

static int files_include(lua_State* L)
{
    kin_scene* scene = kin_script_of(L)->scene;
    const char* name = luaL_checkstring(L, 1);
    if (kin_script_of(L)->world != NULL) return luaL_error(L, "include works only while the scene is read, not in on_step");
    kin_error error;
    size_t number;
    if (kin_scene_enter(scene, name, &number, &error) != KIN_OK) raise_error(L, &error);
    lua_pushcfunction(L, run_source);
    lua_pushinteger(L, (lua_Integer)number);
    int status = lua_pcall(L, 1, 1, 0); /* the chain is left whatever happens */
    kin_scene_leave(scene);
    return status == LUA_OK ? 1 : lua_error(L);
}

/* ---- param(name, default, doc) ---- */

static const kin_scene_param* find_param(const kin_scene* scene, const char* name)
{
    for (size_t i = 0; i < scene->param_count; ++i) {
        if (strcmp(scene->params[i].name, name) == 0) return &scene->params[i];
    }
    return NULL;
}

/* The value of --set, which must be of the kind of the default. */
static kin_node* set_value(lua_State* L, kin_scene* scene, const char* name, const char* text, const kin_node* preset)
{
    kin_node* value = kin_scene_parse_value(&scene->tree, text);
    if (value != NULL && preset->type == KIN_NODE_STRING) value = kin_node_string(&scene->tree, text, strlen(text));
    if (value == NULL) kin_script_starve(L);
    if (value->type != preset->type)
        luaL_error(L, "--set %s=%s: must be %s, not %s", name, text, kin_node_type_name(preset->type), kin_node_type_name(value->type));
    return value;
}

static int files_param(lua_State* L)
{
    kin_script* script = kin_script_of(L);
    kin_scene* scene = script->scene;
    const char* name = luaL_checkstring(L, 1);
    luaL_checkany(L, 2);
    const char* doc = luaL_optstring(L, 3, "");
    if (script->world != NULL) return luaL_error(L, "param works only while the scene is read, not in on_step");
    const kin_scene_param* known = find_param(scene, name);
    if (known != NULL) return kin_lua_push_node(L, known->value), 1;
    kin_error error = {0};
    kin_lua_reader reader = {.tree = &scene->tree, .max_depth = scene->options.max_depth, .nodes_left = 10000, .error = &error};
    kin_node* preset = kin_lua_to_node(L, 2, &reader);
    if (preset == NULL) raise_error(L, &error);
    const char* text = kin_scene_take_set(scene, name);
    kin_node* value = text != NULL ? set_value(L, scene, name, text, preset) : preset;
    if (!kin_reserve(&scene->allocator, (void**)&scene->params, &scene->param_capacity, scene->param_count + 1, sizeof *scene->params)) kin_script_starve(L);
    kin_scene_param made = {kin_scene_keep(scene, name), kin_scene_keep(scene, doc), value, preset};
    if (made.name == NULL || made.doc == NULL) kin_script_starve(L);
    scene->params[scene->param_count++] = made;
    if (text == NULL) return lua_pushvalue(L, 2), 1;
    kin_lua_push_node(L, value);
    return 1;
}

void kin_lua_open_files(lua_State* L)
{
    lua_register(L, "include", files_include);
    lua_register(L, "param", files_param);
}

/* ---- a whole scene ---- */

typedef struct evaluation {
    size_t source;
    kin_lua_reader reader;
    kin_node* node;
} evaluation;

static int evaluate(lua_State* L)
{
    evaluation* e = lua_touserdata(L, 1);
    kin_lua_load_source(L, e->source);
    lua_call(L, 0, 1);
    if (!lua_istable(L, -1)) return luaL_error(L, "the script must end with return { ... }, the scene's table, not %s", luaL_typename(L, -1));
    e->node = kin_lua_to_node(L, -1, &e->reader);
    kin_script* script = kin_script_of(L);
    if (e->reader.hook == LUA_NOREF) return 0;
    if (script->hook == LUA_NOREF) {
        script->hook = e->reader.hook;
    } else {
        luaL_unref(L, LUA_REGISTRYINDEX, e->reader.hook); /* the including scene's own wins */
    }
    return 0;
}

static kin_result need_script(kin_scene* scene, kin_error* error)
{
    if (scene->script != NULL) return KIN_OK;
    kin_result result = kin_script_create(scene, &scene->allocator, scene->options.max_instructions, scene->options.max_memory, &scene->script, error);
    if (result != KIN_OK) return result;
    scene->script->random = (kin_rng_key){.seed = scene->options.has_seed ? scene->options.seed : 0, .system = UINT32_MAX};
    scene->script->may_seed = true;
    return KIN_OK;
}

kin_result kin_scene_evaluate_lua(kin_scene* scene, size_t source, kin_node** out, kin_error* error)
{
    kin_result result = need_script(scene, error);
    if (result != KIN_OK) return result;
    size_t most = kin_scene_node_limit(),
           room = scene->options.max_memory / sizeof(kin_node); /* shared tables count each time: a small script can mean a huge tree */
    kin_error found = {0};
    evaluation e = {.source = source};
    e.reader = (kin_lua_reader){
        .tree = &scene->tree, .max_depth = scene->options.max_depth, .nodes_left = most < room ? most : room, .allow_hook = true, .error = &found};
    result = kin_script_run(scene->script, evaluate, &e, error);
    if (result != KIN_OK) return result;
    if (e.node == NULL) {
        char where[512] = "";
        kin_text_append(where, sizeof where, "%s%s%s", scene->sources[source].file, found.where[0] != 0 ? ": " : "", found.where);
        return kin_fail(error, e.reader.result, where, "%s", found.message);
    }
    *out = e.node;
    return KIN_OK;
}
