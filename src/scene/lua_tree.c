/* lua_tree.c - Lua's values to plain nodes and back. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"
#include "scene/script.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct place {
    const struct place* parent;
    const char* key; /* NULL: an index */
    size_t index;
    int depth;
} place;

static void place_text(const place* at, char* text, size_t size)
{
    if (at->parent == NULL) return;
    place_text(at->parent, text, size);
    if (at->key != NULL) {
        kin_text_append(text, size, "%s%s", text[0] != 0 ? "." : "", at->key);
    } else {
        kin_text_append(text, size, "[%zu]", at->index);
    }
}

static kin_node* KIN_PRINTF(4, 5) refuse(kin_lua_reader* r, kin_result result, const place* at, const char* format, ...)
{
    char where[512] = "", message[256];
    place_text(at, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    r->result = kin_fail(r->error, result, where, "%s", message);
    return NULL;
}

static kin_node* made(kin_lua_reader* r, kin_node* node)
{
    if (node == NULL && r->result == KIN_OK) r->result = kin_fail_memory(r->error, "the scene", sizeof *node);
    return node;
}

static kin_node* read_value(lua_State* L, int index, kin_lua_reader* r, const place* at);

/* ---- texts ---- */

static int utf8_length(const unsigned char* s, size_t left)
{
    if (s[0] < 0x80) return 1;
    int length = s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : 0;
    if (length == 0 || (size_t)length > left) return 0;
    for (int i = 1; i < length; ++i) {
        if ((s[i] & 0xC0) != 0x80) return 0;
    }
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xED && s[1] >= 0xA0;
    bool beyond = s[0] == 0xF4 && s[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

/* What is not UTF-8 could not be written as JSON, and a scene must be the same in both. */
static bool is_utf8(const char* text, size_t length)
{
    const unsigned char* s = (const unsigned char*)text;
    for (size_t i = 0; i < length;) {
        int step = utf8_length(s + i, length - i);
        if (step == 0) return false;
        i += (size_t)step;
    }
    return true;
}

static kin_node* read_text(lua_State* L, int index, kin_lua_reader* r, const place* at)
{
    size_t length;
    const char* text = lua_tolstring(L, index, &length);
    if (!is_utf8(text, length)) return refuse(r, KIN_ERROR_ARGUMENT, at, "must be UTF-8 text");
    return made(r, kin_node_string(r->tree, text, length));
}

/* ---- tables ---- */

typedef struct member {
    const char* key;
    size_t length;
} member;

typedef struct shape {
    size_t items, names;
    lua_Integer last; /* largest index */
} shape;

static bool see_keys(lua_State* L, int index, kin_lua_reader* r, const place* at, shape* seen)
{
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING) {
            seen->names += 1;
        } else if (lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1) {
            lua_Integer i = lua_tointeger(L, -1);
            seen->items += 1;
            if (i > seen->last) seen->last = i;
        } else {
            char key[64] = "";
            if (lua_type(L, -1) == LUA_TNUMBER) snprintf(key, sizeof key, " %.14g", lua_tonumber(L, -1));
            return refuse(r, KIN_ERROR_ARGUMENT, at, "the key%s is %s: keys are names, or 1, 2, 3 ...", key, luaL_typename(L, -1)) != NULL;
        }
    }
    return true;
}

static kin_node* read_list(lua_State* L, int index, kin_lua_reader* r, const place* at, size_t count)
{
    kin_node* list = made(r, kin_node_list(r->tree));
    for (size_t i = 0; list != NULL && i < count; ++i) {
        place item = {at, NULL, i, at->depth + 1};
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        kin_node* child = read_value(L, lua_gettop(L), r, &item);
        lua_pop(L, 1);
        if (child == NULL) return NULL;
        if (!kin_node_append(r->tree, list, child)) return made(r, NULL);
    }
    return list;
}

static bool member_less(void* context, const void* a, const void* b)
{
    (void)context;
    return strcmp(((const member*)a)->key, ((const member*)b)->key) < 0;
}

/* Pushes a userdata with the names in order; they stay alive as keys of the table. */
static const member* push_names(lua_State* L, int index, size_t count)
{
    member* names = lua_newuserdatauv(L, 2 * count * sizeof *names, 0);
    size_t n = 0;
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        names[n].key = lua_tolstring(L, -1, &names[n].length);
        n += 1;
    }
    kin_sort(names, names + count, count, sizeof *names, member_less, NULL);
    return names;
}

static bool take_hook(lua_State* L, kin_lua_reader* r, const place* at)
{
    bool here = r->allow_hook && at->depth == 1 && at->key != NULL && strcmp(at->key, "on_step") == 0;
    if (!here || !lua_isfunction(L, -1)) return false;
    lua_pushvalue(L, -1);
    r->hook = luaL_ref(L, LUA_REGISTRYINDEX);
    return true;
}

static bool is_law(const kin_lua_reader* r, const place* at)
{
    if (!r->allow_hook || at->key == NULL || strcmp(at->key, "law") != 0) return false;
    const place* list = at->parent->key == NULL ? at->parent->parent : at->parent; /* fields[i].law, or fields.law of a single one */
    return list != NULL && list->depth == 1 && list->key != NULL && strcmp(list->key, "fields") == 0;
}

static kin_node* take_law(lua_State* L, int index, kin_lua_reader* r)
{
    kin_script* script = kin_script_of(L);
    char text[32];
    if (!kin_reserve(&script->allocator, (void**)&script->laws, &script->law_capacity, script->law_count + 1, sizeof *script->laws)) return made(r, NULL);
    lua_pushvalue(L, index);
    script->laws[script->law_count] = luaL_ref(L, LUA_REGISTRYINDEX);
    int length = snprintf(text, sizeof text, "function %zu", script->law_count++);
    return made(r, kin_node_string(r->tree, text, (size_t)length));
}

static kin_node* read_names(lua_State* L, int index, kin_lua_reader* r, const place* at, size_t count)
{
    kin_node* table = made(r, kin_node_table(r->tree));
    if (table == NULL) return NULL;
    const member* names = push_names(L, index, count);
    for (size_t i = 0; i < count; ++i) {
        const char* key = names[i].key;
        place inner = {at, key, 0, at->depth + 1};
        if (strlen(key) != names[i].length || !is_utf8(key, names[i].length))
            return refuse(r, KIN_ERROR_ARGUMENT, at, "a key must be UTF-8 text without zero bytes");
        lua_pushlstring(L, key, names[i].length);
        lua_rawget(L, index);
        if (!take_hook(L, r, &inner)) {
            kin_node* child = read_value(L, lua_gettop(L), r, &inner);
            if (child == NULL) return NULL;
            if (!kin_node_set(r->tree, table, key, child)) return made(r, NULL);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return table;
}

static kin_node* read_table(lua_State* L, int index, kin_lua_reader* r, const place* at)
{
    if (at->depth >= r->max_depth) return refuse(r, KIN_ERROR_LIMIT, at, "nested deeper than %d; does a table hold itself?", r->max_depth);
    luaL_checkstack(L, 8, "nested too deeply");
    shape seen = {0};
    if (!see_keys(L, index, r, at, &seen)) return NULL;
    if (seen.items > 0 && seen.names > 0) return refuse(r, KIN_ERROR_ARGUMENT, at, "mixes list items and named keys: a table is one or the other");
    if (seen.names > 0) return read_names(L, index, r, at, seen.names);
    if ((size_t)seen.last != seen.items)
        return refuse(r, KIN_ERROR_ARGUMENT, at, "is a list with holes: %zu items, the last at %lld", seen.items, (long long)seen.last);
    return read_list(L, index, r, at, seen.items);
}

/* ---- any value ---- */

static kin_node* read_value(lua_State* L, int index, kin_lua_reader* r, const place* at)
{
    if (r->nodes_left == 0) return refuse(r, KIN_ERROR_LIMIT, at, "too many values");
    r->nodes_left -= 1;
    switch (lua_type(L, index)) {
    case LUA_TBOOLEAN: return made(r, kin_node_bool(r->tree, lua_toboolean(L, index) != 0));
    case LUA_TNUMBER: return made(r, kin_node_number(r->tree, lua_tonumber(L, index)));
    case LUA_TSTRING: return read_text(L, index, r, at);
    case LUA_TTABLE: return read_table(L, index, r, at);
    case LUA_TFUNCTION:
        if (is_law(r, at)) return take_law(L, index, r);
        return refuse(r, KIN_ERROR_ARGUMENT, at, "a function cannot stand here: only on_step, at the top, is one, and law in a field");
    default: return refuse(r, KIN_ERROR_ARGUMENT, at, "must be a plain value, not a %s", luaL_typename(L, index));
    }
}

kin_node* kin_lua_to_node(lua_State* L, int index, kin_lua_reader* reader)
{
    place root = {0};
    reader->hook = LUA_NOREF;
    reader->result = KIN_OK;
    return read_value(L, lua_absindex(L, index), reader, &root);
}

/* ---- back ---- */

static void push_children(lua_State* L, const kin_node* node)
{
    luaL_checkstack(L, 4, "nested too deeply");
    bool list = node->type == KIN_NODE_LIST;
    int count = node->count < INT32_MAX ? (int)node->count : 0;
    lua_createtable(L, list ? count : 0, list ? 0 : count);
    for (uint32_t i = 0; i < node->count; ++i) {
        kin_lua_push_node(L, node->items[i]);
        if (list) {
            lua_rawseti(L, -2, (lua_Integer)i + 1);
        } else {
            lua_setfield(L, -2, node->keys[i]);
        }
    }
}

/* Whole numbers come back as integers, so that a value that went through a file and one that did not print alike. */
static void push_number(lua_State* L, double x)
{
    bool whole = x >= -0x1p53 && x <= 0x1p53 && x == (double)(lua_Integer)x && !(x == 0 && __builtin_signbit(x));
    if (whole) {
        lua_pushinteger(L, (lua_Integer)x);
    } else {
        lua_pushnumber(L, x);
    }
}

void kin_lua_push_node(lua_State* L, const kin_node* node)
{
    kin_script_charge(L, 1);
    switch (node->type) {
    case KIN_NODE_NULL: lua_pushnil(L); break;
    case KIN_NODE_BOOL: lua_pushboolean(L, node->boolean); break;
    case KIN_NODE_NUMBER: push_number(L, node->number); break;
    case KIN_NODE_STRING: lua_pushlstring(L, node->string, node->count); break;
    case KIN_NODE_LIST:
    case KIN_NODE_TABLE: push_children(L, node); break;
    }
}
