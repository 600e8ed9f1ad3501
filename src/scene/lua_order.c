/* lua_order.c - pairs and next in sorted order: numbers ascending, then texts bytewise, then false and true. Lua's own order depends on a hash
 * seed that differs from run to run. Keys of other types have no order that two runs share, and are refused. */
#include "base/sort.h"
#include "scene/script.h"
#include <string.h>

/* A key in C: texts stay alive in the table they are keys of. */
typedef struct sort_key {
    int rank; /* number, text, boolean */
    bool is_integer;
    lua_Integer integer; /* a boolean too */
    lua_Number number;
    const char* text;
    size_t length;
} sort_key;

static sort_key key_at(lua_State* L, int index)
{
    sort_key key = {0};
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        key.is_integer = lua_isinteger(L, index) != 0;
        if (key.is_integer) key.integer = lua_tointeger(L, index);
        key.number = lua_tonumber(L, index);
        return key;
    case LUA_TSTRING:
        key.rank = 1;
        key.text = lua_tolstring(L, index, &key.length);
        return key;
    case LUA_TBOOLEAN:
        key.rank = 2;
        key.integer = lua_toboolean(L, index);
        return key;
    default: luaL_error(L, "keys that are not numbers, texts or booleans have no order (this one is a %s)", luaL_typename(L, index)); return key;
    }
}

static bool text_less(const sort_key* a, const sort_key* b)
{
    size_t common = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, common);
    return order != 0 ? order < 0 : a->length < b->length;
}

/* Equal as doubles but not equal: two integers beyond 2^53, or one of them and a float, which then is the exact one. */
static bool number_less(const sort_key* a, const sort_key* b)
{
    if (a->is_integer && b->is_integer) return a->integer < b->integer;
    if (a->number != b->number) return a->number < b->number;
    if (a->number >= 0x1p63) return a->is_integer; /* a float of 2^63 or more is above every integer */
    return a->is_integer ? a->integer < (lua_Integer)b->number : (lua_Integer)a->number < b->integer;
}

static bool key_less(void* context, const void* left, const void* right)
{
    (void)context;
    const sort_key *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank;
    if (a->rank == 0) return number_less(a, b);
    return a->rank == 1 ? text_less(a, b) : a->integer < b->integer;
}

static void push_key(lua_State* L, const sort_key* key)
{
    if (key->rank == 1) {
        lua_pushlstring(L, key->text, key->length);
    } else if (key->rank == 2) {
        lua_pushboolean(L, (int)key->integer);
    } else if (key->is_integer) {
        lua_pushinteger(L, key->integer);
    } else {
        lua_pushnumber(L, key->number);
    }
}

static size_t count_keys(lua_State* L, int table)
{
    size_t count = 0;
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        lua_pop(L, 1);
        count += 1;
    }
    kin_script_charge(L, count);
    return count;
}

/* Pushes a list of the keys of the table at index 1, in order. */
static void push_sorted_keys(lua_State* L)
{
    size_t count = count_keys(L, 1);
    sort_key* keys = lua_newuserdatauv(L, (2 * count + 1) * sizeof *keys, 0); /* collected with the rest if we fail */
    size_t n = 0;
    lua_pushnil(L);
    while (lua_next(L, 1) != 0) {
        lua_pop(L, 1);
        keys[n++] = key_at(L, -1);
    }
    kin_script_charge(L, 4 * count);
    kin_sort(keys, keys + count, count, sizeof *keys, key_less, NULL);
    lua_createtable(L, count < INT32_MAX ? (int)count : 0, 0);
    for (size_t i = 0; i < count; ++i) {
        push_key(L, &keys[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_remove(L, -2);
}

/* Upvalues: the sorted keys, how many were handed out. Keys that went meanwhile are passed over. */
static int pairs_next(lua_State* L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));
    for (;;) {
        i += 1;
        kin_script_charge(L, 1);
        if (lua_rawgeti(L, lua_upvalueindex(1), i) == LUA_TNIL) return 1;
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 1) != LUA_TNIL) break;
        lua_pop(L, 2);
    }
    lua_pushinteger(L, i);
    lua_replace(L, lua_upvalueindex(2));
    return 2;
}

static int order_pairs(lua_State* L)
{
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
        lua_pushvalue(L, 1);
        lua_call(L, 1, 3);
        return 3;
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    push_sorted_keys(L);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, pairs_next, 2);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

/* The smallest key above the one given: a walk over the whole table, as it remembers nothing. */
static int order_next(lua_State* L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    bool first = lua_isnil(L, 2);
    sort_key after = first ? (sort_key){0} : key_at(L, 2);
    sort_key best = {0};
    bool found = false;
    size_t seen = 0;
    lua_pushnil(L);
    while (lua_next(L, 1) != 0) {
        lua_pop(L, 1);
        sort_key key = key_at(L, -1);
        seen += 1;
        if (!first && !key_less(NULL, &after, &key)) continue;
        if (found && !key_less(NULL, &key, &best)) continue;
        best = key;
        found = true;
    }
    kin_script_charge(L, seen);
    if (!found) return lua_pushnil(L), 1;
    push_key(L, &best);
    lua_pushvalue(L, -1);
    lua_rawget(L, 1);
    return 2;
}

void kin_lua_open_order(lua_State* L)
{
    lua_register(L, "pairs", order_pairs);
    lua_register(L, "next", order_next);
}
